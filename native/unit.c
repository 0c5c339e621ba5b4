/* Writes a function as C. Registers are local variables of vector type; each op is a loop over 32
 * lanes of the very expression that its kernel has (arith/text.h), which the compiler turns into
 * vector instructions; loads and stores are checked inline. Whatever else an op does, its executor
 * does: then the registers that it uses are stored to the frame before, and loaded after.
 *
 * The function is written several times: for groups of all 32 lanes whose registers are lines
 * (lines.c), of all lanes or of each half; for other groups of 32; and for parts of warps. */
#include "native/unit.h"
#include "base/memory.h"
#include "isa/order.h"
#include "isa/isa.h"
#include "native/access.h"
#include "native/compute.h"
#include "native/nan.h"
#include "native/parting.h"
#include "native/together.h"
#include "native/values.h"
#include "interp/native.h"
#include <inttypes.h>

/* --- branches --- */

static void put_op(struct writer *u, uint32_t at);

/* Where op AT leaves (put_exit()). */
static void put_exit_label(struct writer *u, char kind, uint32_t at)
{
	if (u->framed)
		text_puts(u->out, "end;\n");
	else
		text_printf(u->out, "%c%u;\n", kind, at);
}

/* After a taken branch the execution loop decides whether the group goes on. */
static void put_branch(struct writer *u, const struct op *op, uint32_t at)
{
	uint32_t to = op->branch.target;
	bool back = to <= at;

	if (op_is_guarded(op))
		text_puts(u->out, "if (m == active) {\n");
	else
		text_puts(u->out, "{\n");
	text_printf(u->out, "++n%u; end += %uu;\nif (__builtin_expect(end == %u", at, to - (at + 1),
		to);
	if (back)
		text_printf(u->out, " || (%u <= start && (s->turn || (*s->polled && !*s->effect)))",
			to);
	text_printf(u->out, ", 0)) { pc = %u; what = YIELD; goto X%u; }\n", to, at);
	if (back)
		text_printf(u->out,
			"if (*s->polled && %u <= start) { *s->made_effect = 1; *s->polled = *s->effect = 0; }\n",
			to);
	if (flushes(u, at, to))
		put_operands(u, &u->now, &u->useful[to], true);
	text_printf(u->out, "start = %1$u; goto L%1$u;\n}\n", to);
	if (!op_is_guarded(op))
		return;
	text_puts(u->out, "if (m) {\n");
	if (parting_fits(u, at)) {
		text_printf(u->out, "if (s->advance && end > %u) goto T%u;\n", u->meeting[at], at);
		put_parting(u, at, put_op);
	}
	text_printf(u->out, "pc = %u; what = PART; goto X%u;\n}\n", at, at);
}

/* Of a part of a warp: all go through the switch at the beginning of the function, so that it is
 * one loop, whose inner loops compilers vectorise. When the parts have been one again for a while,
 * another copy goes on. */
static void put_branch_framed(struct writer *u, const struct op *op, uint32_t at)
{
	uint32_t to = op->branch.target;
	bool back = to <= at;

	text_puts(u->out, op_is_guarded(op) ? "if (m == active) {\n" : "{\n");
	text_printf(u->out,
		"count_runs(s, start, %1$u, lanes, 1);\nleft -= %1$u - start;\npc = %2$u;\n"
		"if (left == 0 || %2$uu >= watch || (%2$uu <= start && (s->turn || (*s->polled && !*s->effect)))) goto yield;\n",
		at + 1, to);
	if (back)
		text_printf(u->out,
			"if (*s->polled && %1$uu <= start) { *s->made_effect = 1; *s->polled = *s->effect = 0; }\n"
			"if (s->parts == 1%2$s && !--calm) { s->pc = s->start = *s->run_pc = pc; s->left = left; return NATIVE_AGAIN; }\n",
			to, u->loose ? "" : " && active == UINT32_MAX");
	text_puts(u->out,
		"start = *s->run_pc = pc; stop = stop_of(pc, left, watch); goto enter;\n}\n");
	if (op_is_guarded(op))
		text_printf(u->out, "if (m) { pc = %u; goto part; }\n", at);
}

/* Whether lanes that execute OP are never needed again. */
static bool ends_warp(const struct writer *u, const struct op *op)
{
	return u->silent && !u->framed && (op->kind == KIND_RETURN || op->kind == KIND_EXIT);
}

static void put_op(struct writer *u, uint32_t at)
{
	const struct op *op = &u->c->op[at];
	enum way way = (enum way)u->way[at];
	bool guarded = op_is_guarded(op);

	if (guarded)
		text_printf(u->out, "m = %s%sp%u;\n",
			u->parting                     ? "some & "
				: !u->full || u->loose ? "active & "
						       : "",
			op->guard_xor ? "~" : "", op->guard);
	else
		text_printf(u->out, "m = %s;\n", u->parting ? "some" : "active");
	bool tests = guarded && way != WAY_LANES && way != WAY_COPY && way != WAY_PACK &&
		way != WAY_UNPACK && way != WAY_NOT && way != WAY_BRANCH && way != WAY_SREG;

	if (tests)
		text_puts(u->out, "if (m) {\n");
	switch (way) {
	case WAY_LEAVE:
		text_printf(u->out, "pc = %u; what = ", at);
		if (ends_warp(u, op))
			text_printf(u->out, "s->depart%s ? DEPART : ",
				is_masked(u, op) ? " && m == active" : "");
		text_printf(
			u->out, "%s; goto ", u->lined && !writes_operands(op) ? "FRESH" : "FULL");
		put_exit_label(u, 'X', at);
		break;
	case WAY_BARRIER:
		text_printf(u->out, "pc = %u; what = s->advance%s ? BARRIER : FULL; goto ", at,
			is_masked(u, op) ? " && m == active" : "");
		put_exit_label(u, 'X', at);
		break;
	case WAY_CALL:
	case WAY_KERNEL: put_call(u, op, at, way); break;
	case WAY_LANES:
		put_wrap_test(u, op, at);
		put_lanes(u, op, at);
		break;
	case WAY_COPY:
		put_wrap_test(u, op, at);
		put_copy(u, op);
		break;
	case WAY_PACK: put_pack(u, op); break;
	case WAY_UNPACK: put_unpack(u, op); break;
	case WAY_NOT:
		text_puts(u->out, "{ const u32 bits = ~");
		put_predicate(u, op, 1);
		text_puts(u->out, ";\n");
		set_predicate(u, op);
		text_puts(u->out, "}\n");
		break;
	case WAY_PARAM: put_param(u, op); break;
	case WAY_SREG: put_sreg(u, op); break;
	case WAY_LOAD:
	case WAY_STORE: put_access(u, op, at); break;
	case WAY_ATOMIC: put_atomic(u, op, at); break;
	case WAY_BRANCH:
		if (u->framed)
			put_branch_framed(u, op, at);
		else if (u->parting)
			put_branch_inside(u, op, at);
		else
			put_branch(u, op, at);
		break;
	case WAY_NOTHING: break;
	}
	if (tests)
		text_puts(u->out, "}\n");
	lines_pass(u, at);
}

/* --- the function --- */

static void find_entries(struct writer *u)
{
	const struct code_func *c = u->c;

	u->entry[0] = ENTRY_TARGET;
	for (uint32_t k = 0; k < c->nops; k++) {
		const struct op *op = &c->op[k];

		if (op->kind == KIND_BRANCH)
			u->entry[op->branch.target] = ENTRY_TARGET;
		for (uint32_t j = 0; op->kind == KIND_BRANCH_INDEX && j < op->table->count; j++)
			u->entry[op->table->target[j]] = ENTRY_TARGET;
		if (is_exit(u, k) && k + 1 < c->nops)
			u->entry[k + 1] |= ENTRY_NEXT;
	}
}

/* Before op AT: the ops until the next check are in this straight run, or the loop executes what is
 * left of it. */
static void put_check(struct writer *u, uint32_t at)
{
	uint32_t end = at + 1;

	while (end < u->c->nops && !u->entry[end] && end % CHECK_EVERY)
		end++;
	text_printf(u->out, "if (__builtin_expect(%s < %u, 0)) { pc = %u; ",
		u->framed ? "stop" : "end", end, at);
	if (u->framed)
		text_puts(u->out, "if (stop == pc) goto reached; ");
	text_puts(u->out, "what = LEAVE; goto ");
	put_exit_label(u, 'C', at);
	text_puts(u->out, "}\n");
}

/* Label KIND AT, where the registers that differ are stored before the function is left. */
static void put_exit(struct writer *u, char kind, uint32_t at)
{
	struct text *out = u->out;

	if (u->framed)
		return;
	u->out = &u->exits;
	text_printf(u->out, "%c%u:;\n", kind, at);
	put_operands(u, &u->now, &u->useful[at], true);
	if (u->way[at] == WAY_BARRIER && kind == 'X')
		text_puts(u->out, "if (what == BARRIER) goto hand_over;\n");
	if (ends_warp(u, &u->c->op[at]) && kind == 'X')
		text_puts(u->out, "if (what == DEPART) goto depart;\n");
	text_puts(u->out, "goto end;\n");
	u->out = out;
}

/* Compilers vectorise nothing in loops that can be entered at several places. So whoever begins in
 * the middle of a loop enters it at its first op, and outer loops before, and jumps on from there.
 *
 * The first op after FROM where a loop that contains op AT begins, or AT. */
static uint32_t next_stop(const struct writer *u, uint32_t from, uint32_t at)
{
	for (uint32_t k = from; k < at; k++)
		if (u->loop_end[k] >= at)
			return k;
	return at;
}

static void put_loop_begin(struct writer *u, uint32_t first)
{
	uint32_t end = u->loop_end[first];
	bool any = false;

	for (uint32_t k = first + 1; k <= end; k++)
		if (u->entry[k]) {
			uint32_t next = next_stop(u, first + 1, k);

			if (!any)
				text_puts(u->out,
					"if (__builtin_expect(to != 0, 0)) {\nswitch (to) {\n");
			any = true;
			text_printf(u->out, "case %u: %sgoto L%u;\n", k + 1,
				next == k ? "to = 0; " : "", next);
		}
	if (any)
		text_puts(u->out, "}\n}\n");
}

static const char *copy_name(const struct writer *u)
{
	return u->lined == 1 ? "lined" : u->lined ? "halves" : u->full ? "all" : "parts";
}

/* What op K of this copy may find in variables, and what must be there. */
static void find_flow(struct writer *u)
{
	const struct code_func *c = u->c;

	memset(u->dirty, 0, (c->nops + 1) * sizeof *u->dirty);
	memset(u->live, 0, (c->nops + 1) * sizeof *u->live);
	memset(u->useful, u->quiet ? 0 : 0xff, (c->nops + 1) * sizeof *u->useful);
	if (u->framed)
		return;
	find_dirty(u);
	if (u->quiet)
		find_live(u, true);
	find_live(u, false);
	if (u->lined)
		find_need(u);
}

static void put_variables(struct writer *u)
{
	for (uint32_t k = 0; k < u->place.count; k++) {
		const struct place *p = &u->place.data[k];
		unsigned n = p->width ? pieces(u, p->width) : 0;

		if (u->framed) {
			if (!p->width)
				text_printf(u->out,
					"#define p%1$u (*(any32 *)(void *)(R + %1$u))\n", p->at);
			for (unsigned j = 0; j < n; j++)
				text_printf(u->out, "#define r%u_%u (*(part *)(void *)(R + %u))\n",
					p->at, j, p->at + j * u->vector);
			continue;
		}
		if (!p->width)
			text_printf(u->out, "u32 p%u;\n", p->at);
		if (u->lined && p->line.shape == SHAPE_LINE)
			text_printf(u->out, "%s l%u, h%u;\n", word_of(p->width), p->at, p->at);
		else
			for (unsigned j = 0; j < n; j++)
				text_printf(u->out, "part r%u_%u;\n", p->at, j);
	}
}

static void drop_variables(struct writer *u)
{
	for (uint32_t k = 0; u->framed && k < u->place.count; k++) {
		const struct place *p = &u->place.data[k];

		if (!p->width)
			text_printf(u->out, "#undef p%u\n", p->at);
		for (unsigned j = 0; p->width && j < pieces(u, p->width); j++)
			text_printf(u->out, "#undef r%u_%u\n", p->at, j);
	}
}

/* What has been executed since op `entered`, and is not counted yet, is known from what is left of
 * the turn (`end`: the op before which it ends, if no branch is taken) and from how often each
 * branch was taken (n<at>). SETTLE(at): the straight run from op `start` on ends before op AT, and
 * all that is counted. PASS_TIME: what the clock shows is right. */
static void put_settle(struct writer *u)
{
	const struct code_func *c = u->c;

	for (uint32_t k = 0; k < c->nops; k++)
		if (looks_ahead(u, k))
			text_printf(u->out, "u64 was%u = 0;\n", k);
	if (u->framed) {
		text_puts(u->out, "#define PASS_TIME\n");
		return;
	}
	for (uint32_t k = 0; k < c->nops; k++)
		if (c->op[k].kind == KIND_BRANCH)
			text_printf(u->out, "u64 n%u = 0;\n", k);
	text_puts(u->out,
		"#define PASS_TIME { *s->slice_steps += most - (end - start); most = end - start; *s->run_pc = start; }\n"
		"#define SETTLE(at) { *s->slice_steps += most - (end - (at)); most = end - (at); *s->run_pc = start; COUNT(at) }\n"
		"#define COUNT(at) { count_edge(s, at, entered, lanes, 1); entered = (at);");
	for (uint32_t k = 0; k < c->nops; k++)
		if (c->op[k].kind == KIND_BRANCH)
			text_printf(u->out,
				" if (n%1$u) { count_edge(s, %2$u, %3$u, lanes, n%1$u); n%1$u = 0; }",
				k, k + 1, c->op[k].branch.target);
	text_puts(u->out, " }\n");
}

/* Where the function begins, at the op pc. */
static void put_enter(struct writer *u)
{
	text_puts(u->out, "enter:\nswitch (pc) {\n");
	for (uint32_t k = 0; k < u->c->nops; k++)
		if (u->entry[k]) {
			uint32_t stop = u->framed ? k : next_stop(u, 0, k);

			text_printf(u->out, "case %u:\n", k);
			move_set(u, &u->live[k], false);
			if (stop != k)
				text_printf(
					u->out, "to = %u; __asm__(\"\" : \"+r\"(to));\n", k + 1);
			text_printf(u->out, "goto L%u;\n", stop);
		}
	text_puts(u->out, "default: what = LEAVE; goto end;\n}\n");
}

/* Where it ends, with nothing left in variables: at op pc. */
static void put_end(struct writer *u)
{
	text_puts(u->out,
		"end:\n"
		"if (what == LEAVE || what == OTHER) { SETTLE(start) s->pc = pc; s->start = start; s->left = most; return what == OTHER ? NATIVE_OTHER : NATIVE_LEAVE; }\n"
		"if (what == YIELD) { SETTLE(pc) s->pc = pc; s->left = most; return s->next(s, NATIVE_NEXT); }\n"
		"if (what == FULL || what == FRESH) { PASS_TIME flow = s->exec(s->warp, pc, m); if (flow == NATIVE_NEXT) {\n"
		"pc++; if (what == FULL) goto enter;\n"
		"SETTLE(start) s->pc = pc; s->start = start; s->left = most; return NATIVE_AGAIN; } }\n"
		"SETTLE(pc + 1) s->left = most;\n"
		"if (what == PART) { s->part(s->warp, pc, m); flow = NATIVE_SWITCH; }\n"
		"return flow == NATIVE_SWITCH ? s->next(s, flow) : flow;\n"
		/* a fault: nobody looks at the registers any more */
		"out:\nSETTLE(pc + 1) s->left = most; return flow;\n");
}

/* Whether warp S, which goes on next, has to go on in another copy. */
static void put_other(struct writer *u)
{
	if (u->lined)
		text_printf(u->out, "s->proven != s->pc + 1 || s->rows != %u", u->lined);
	else
		text_printf(u->out, "(s->rows && s->rows <= %u)", u->most_lined);
}

/* Where a warp has come to a barrier, at op pc, or exits there: the next one goes on, after a
 * barrier mostly from the same place. */
static void put_hand_over(struct writer *u)
{
	text_puts(u->out,
		"{ struct native_state *(*give)(struct native_state *s), *last;\n"
		"depart: give = s->depart; goto take;\n"
		"hand_over: give = s->advance;\n");
	if (u->lined)
		text_puts(u->out, "s->proven = pc + 2;\n");
	text_puts(u->out,
		"take: *s->slice_steps += most - (end - (pc + 1)); most = s->left = end - (pc + 1); s->pc = pc;\n"
		"last = s; s = give(s);\n"
		"if (!s) { s = last; COUNT(pc + 1) return NATIVE_BARRIER; }\n"
		"*at = s;\nif (s->pc != pc + 1 || s->active != active || ");
	put_other(u);
	text_puts(u->out, ") {\nCOUNT(pc + 1)\nif (");
	put_other(u);
	text_puts(u->out, ") return NATIVE_AGAIN;\n");
	text_puts(u->out,
		u->loose
			? "active = s->active; lanes = count_of(active); first = lane_first(active); hole = hole_of(active);\n"
			: "if (s->active != UINT32_MAX) return NATIVE_AGAIN;\n");
	text_printf(u->out,
		"entered = s->pc;\n}\n}\n%s"
		"R = s->regs; shared = s->shared; start = pc = s->pc; most = s->left; end = start + most;\ngoto enter;\n",
		u->lined ? "s->proven = 0;\n" : "");
}

/* The same for parts of warps: who goes on is chosen, too, in the same copy. */
static void put_end_framed(struct writer *u)
{
	text_puts(u->out,
		"end:\n"
		"if (what == LEAVE) { s->pc = pc; s->start = start; s->left = left; return NATIVE_LEAVE; }\n"
		"if (what == FULL) { flow = s->exec(s->warp, pc, m); if (flow == NATIVE_NEXT) { pc++; goto enter; } }\n"
		"count_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start);\n"
		"if (what == BARRIER) {\n"
		"s->pc = pc; s = s->advance(s); if (!s) return NATIVE_BARRIER;\n*at = s;\nreturn NATIVE_AGAIN; }\n"
		"if (flow == NATIVE_SWITCH) { flow = s->next(s, flow); goto chosen; }\nreturn flow;\n"
		"out:\ncount_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start); return flow;\n");
}

/* Who goes on after a part of a warp, in the same copy. */
static void put_choice(struct writer *u)
{
	text_puts(u->out,
		"part:\ncount_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start);\n"
		"s->part(s->warp, pc, m); flow = s->next(s, NATIVE_SWITCH); goto chosen;\n"
		"reached:\ncount_runs(s, start, pc, lanes, 1); left -= pc - start;\n"
		"yield:\ns->pc = pc; s->left = left; flow = s->next(s, NATIVE_NEXT);\n"
		"chosen:\nif (flow != NATIVE_AGAIN) return flow;\n"
		"active = s->active; lanes = count_of(active); watch = s->watch; start = pc = s->pc; left = s->left;\n"
		"stop = stop_of(start, left, watch); calm = CALM; goto enter;\n");
}

static void put_body(struct writer *u, const char *name)
{
	const struct code_func *c = u->c;

	find_flow(u);
	text_printf(u->out,
		"static __attribute__((noinline)) int %s_%s(struct native_state **at)\n{\n"
		"struct native_state *s = *at;\n"
		"u8 *R = s->regs, *shared = s->shared; const u8 *const K = s->constants; const u64 shared_bytes = s->shared_bytes; (void)shared; (void)shared_bytes;\n"
		"u32 active = %s, lanes = count_of(active), to = 0, pc = s->pc, start = s->start, m = 0, some = 0, first = lane_first(active); u64 hole = hole_of(active); int flow = 0; enum { YIELD, LEAVE, FULL, FRESH, PART, BARRIER, DEPART, OTHER } what;\n"
		"%s(void)K; (void)m; (void)some; (void)flow; (void)first; (void)hole; (void)to;\n",
		name, copy_name(u), u->full && !u->loose ? "UINT32_MAX" : "s->active",
		u->framed
			? "u32 watch = s->watch, left = s->left, calm = CALM, stop = stop_of(start, left, watch);\n"
			: "u32 entered = start, most = s->left, end = start + most;\n");
	put_variables(u);
	together_find(u);
	put_together_flags(u);
	put_settle(u);
	put_enter(u);
	for (uint32_t k = 0; k < c->nops; k++) {
		struct set reads, writes;

		if (u->entry[k]) {
			text_printf(u->out, "L%u:;\n", k);
			u->now = u->dirty[k];
			if (u->entry[k] & ENTRY_TARGET)
				u->nans = (struct set){{0}};
			if (u->loop_end[k] && !u->framed)
				put_loop_begin(u, k);
		}
		if (checks_before(u, k)) {
			put_check(u, k);
			put_exit(u, 'C', k);
		}
		put_op(u, k);
		if (is_exit(u, k))
			put_exit(u, 'X', k);
		nan_pass(u, k);
		uses(u, k, &reads, &writes);
		set_join(&u->now, &writes);
		if (falls_on(u, k) && u->entry[k + 1] && flushes(u, k, k + 1))
			put_operands(u, &u->now, &u->useful[k + 1], true);
	}
	text_puts(u->out, text_str(&u->exits));
	text_clear(&u->exits);
	/* the last op never falls through */
	if (u->framed) {
		put_end_framed(u);
		put_choice(u);
	} else {
		put_end(u);
		put_hand_over(u);
	}
	text_puts(u->out, "#undef PASS_TIME\n#undef SETTLE\n#undef COUNT\n}\n");
	drop_variables(u);
}

/* Whether the registers are the lines that this copy needs at the op where it would begin. */
static void put_fits(struct writer *u, const char *name)
{
	text_printf(u->out,
		"static bool %s_%s_fits(const struct native_state *s)\n{\nconst u8 *const R = s->regs;\n"
		"(void)R;\nif (s->proven == s->pc + 1) return true;\nswitch (s->pc) {\n",
		name, copy_name(u));
	for (uint32_t k = 0; k < u->c->nops; k++) {
		if (!u->entry[k])
			continue;
		text_printf(u->out, "case %u: return true", k);
		for (uint32_t j = 0; j < u->place.count; j++) {
			const struct place *p = &u->place.data[j];

			if (p->line.shape == SHAPE_LINE && set_has(&u->need[k], j))
				text_printf(u->out,
					" && %s(R + %u, %d, (u64)INT64_C(%" PRId64 "), s->active)",
					u->lined == 2 ? "in_halves" : "in_steps", p->at,
					p->width == 8, p->line.step);
		}
		text_puts(u->out, ";\n");
	}
	text_puts(u->out, "default: return false;\n}\n}\n");
}

/* Whether the function reads %tid.y, so that its blocks may be narrower than a warp. */
static bool reads_rows(const struct code_func *c)
{
	for (uint32_t k = 0; k < c->nops; k++)
		if (c->op[k].kind == KIND_SREG && c->op[k].sreg.which == SREG_tid &&
			c->op[k].sreg.component > 1)
			return true;
	return false;
}

/* What the engine must know of the unit (unit.h), as data beside it. */
static void put_facts(struct writer *u, const char *name, bool silent)
{
	struct set unset;
	struct native_unset n = {.known = silent && find_unset(u, &unset)};

	for (uint32_t k = 0; n.known && k < u->place.count; k++) {
		const struct place *p = &u->place.data[k];

		if (!set_has(&unset, k))
			continue;
		if (n.n == NATIVE_MOST_UNSET) {
			n.known = false;
			break;
		}
		n.bytes[n.n] = (uint16_t)(p->width ? LANES * p->width : 4);
		n.at[n.n++] = p->at;
	}
	text_printf(u->out, "const u8 %s_entry[] = {", name);
	for (uint32_t k = 0; k < u->c->nops; k++)
		text_puts(u->out, u->entry[k] ? "1," : "0,");
	text_printf(u->out, "};\nconst struct native_unset %s_unset = {%d, %u, {", name, n.known,
		n.known ? n.n : 0);
	for (unsigned k = 0; n.known && k < n.n; k++)
		text_printf(u->out, "%u,", n.bytes[k]);
	text_puts(u->out, "}, {");
	for (unsigned k = 0; n.known && k < n.n; k++)
		text_printf(u->out, "%u,", n.at[k]);
	text_puts(u->out, "}};\n");
}

bool native_unit_text(
	const struct code_func *c, const char *name, unsigned vector, bool silent, struct text *out)
{
	struct writer u = {.c = c, .out = out, .vector = vector};
	bool ok = c->nops <= NATIVE_MOST_OPS;
	bool loose;

	u.silent = silent;
	u.quiet = silent && is_quiet(c);
	loose = u.quiet && is_loose(c);
	u.way = memory_zeroed(c->nops + 1, 1);
	u.life = memory_zeroed(c->nops + 1, sizeof *u.life);
	u.entry = memory_zeroed(c->nops + 1, 1);
	for (uint32_t k = 0; ok && k < c->nops; k++)
		u.way[k] = (uint8_t)way_of(c, &c->op[k]);
	ok = ok && find_places(&u);
	if (ok) {
		find_entries(&u);
		u.dirty = memory_zeroed(c->nops + 1, sizeof *u.dirty);
		u.live = memory_zeroed(c->nops + 1, sizeof *u.live);
		u.useful = memory_zeroed(c->nops + 1, sizeof *u.useful);
		u.need = memory_zeroed(c->nops + 1, sizeof *u.need);
		u.together = memory_zeroed(c->nops + 1, sizeof *u.together);
		u.loop = memory_zeroed(c->nops + 1, sizeof *u.loop);
		u.loop_end = memory_zeroed(c->nops + 1, sizeof *u.loop_end);
		u.meeting = memory_zeroed(c->nops + 1, sizeof *u.meeting);
		find_loops(&u);
		u.full = true;
		if (u.quiet)
			find_live(&u, true);
		parting_find(&u);
		u.most_lined = !lines_find(&u) ? 0 : reads_rows(c) ? 2 : 1;
		put_facts(&u, name, silent);
		for (u.lined = 1; u.lined <= u.most_lined; u.lined++) {
			u.loose = loose && u.lined == 1;
			put_body(&u, name);
			put_fits(&u, name);
		}
		u.lined = 0;
		u.loose = loose;
		put_body(&u, name);
		u.full = false;
		u.framed = true;
		put_body(&u, name);
		text_printf(out,
			"int %1$s(struct native_state *s)\n{\nbool other = false;\n"
			"for (;;) {\nint r;\n"
			"if (s->parts > 1 || s->watch != UINT32_MAX%2$s) r = %1$s_parts(&s);\n",
			name, loose ? "" : " || s->active != UINT32_MAX");
		u.framed = false;
		for (u.lined = 1; u.lined <= u.most_lined; u.lined++)
			text_printf(out,
				"else if (!other && s->rows == %3$u%4$s && %1$s_%2$s_fits(s)) { s->proven = 0; r = %1$s_%2$s(&s); }\n",
				name, copy_name(&u), u.lined,
				u.lined == 2 ? " && s->active == UINT32_MAX" : "");
		text_printf(out,
			"else r = %s_all(&s);\nif (r < NATIVE_AGAIN) return r;\nother = r == NATIVE_OTHER;\n}\n}\n",
			name);
	}
	memory_drop(u.entry);
	memory_drop(u.way);
	memory_drop(u.life);
	memory_drop(u.dirty);
	memory_drop(u.live);
	memory_drop(u.useful);
	memory_drop(u.need);
	memory_drop(u.together);
	memory_drop(u.loop);
	memory_drop(u.loop_end);
	memory_drop(u.meeting);
	text_free(&u.exits);
	vec_free(&u.place);
	return ok;
}
