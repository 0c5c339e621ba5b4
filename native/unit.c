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
#include "native/values.h"
#include "interp/native.h"
#include <inttypes.h>

/* --- branches --- */

/* Whether what lies between branch AT and its target can be executed here by the lanes that do not
 * take the branch, while the others wait: what the fair schedule does, because those that are
 * behind run first, until they have caught up (warp_run.c). A few instructions that lead to the
 * target and stay here; what they make of lines is not used after it. */
static bool may_part(const struct writer *u, uint32_t at)
{
	uint32_t to = u->c->op[at].branch.target;

	if (u->parting || u->framed || to <= at + 1 || to - at > MOST_PARTED)
		return false;
	for (uint32_t k = at + 1; k < to; k++) {
		const struct op *op = &u->c->op[k];
		struct set reads, writes;

		switch ((enum way)u->way[k]) {
		case WAY_KERNEL:
		case WAY_LANES:
		case WAY_COPY:
		case WAY_PACK:
		case WAY_UNPACK:
		case WAY_NOT:
		case WAY_PARAM:
		case WAY_SREG:
		case WAY_LOAD:
		case WAY_STORE:
		case WAY_ATOMIC:
		case WAY_NOTHING: break;
		case WAY_BRANCH:
			if (op->branch.target != to)
				return false;
			break;
		case WAY_LEAVE:
		case WAY_CALL:
		case WAY_BARRIER: return false;
		}
		uses(u, k, &reads, &writes);
		for (uint32_t j = 0; u->lined && j < u->place.count; j++)
			if (u->place.data[j].line.shape == SHAPE_LINE && set_has(&writes, j) &&
				set_has(&u->useful[to], j))
				return false;
	}
	return true;
}

static void put_op(struct writer *u, uint32_t at);

/* Where op AT leaves (put_exit()). */
static void put_exit_label(struct writer *u, char kind, uint32_t at)
{
	if (u->framed)
		text_puts(u->out, "end;\n");
	else
		text_printf(u->out, "%c%u;\n", kind, at);
}

static bool has_branch(const struct code_func *c, uint32_t from, uint32_t to)
{
	while (from < to && c->op[from].kind != KIND_BRANCH)
		from++;
	return from < to;
}

/* That part, after everything else: `some` of the lanes execute it, with the counts that the
 * execution loop would have. */
static void put_part(struct writer *u, uint32_t at)
{
	uint32_t to = u->c->op[at].branch.target;
	struct text *out = u->out;
	struct set now = u->now, reads, writes;

	u->out = &u->exits;
	u->parting = at + 1;
	u->join = to;
	u->counts_once = u->quiet && !has_branch(u->c, at + 1, to);
	if (u->counts_once)
		text_printf(u->out, "T%u:;\n++*s->divergent; some = active & ~m;\n", at);
	else
		text_printf(u->out,
			"T%1$u:;\ncount_runs(s, start, %2$u, lanes, 1);\nleft -= %2$u - start;\n"
			"++*s->divergent; some = active & ~m; start = *s->run_pc = %2$u;\n",
			at, at + 1);
	for (uint32_t k = at + 1; k < to; k++) {
		put_op(u, k);
		uses(u, k, &reads, &writes);
		set_join(&u->now, &writes);
	}
	if (u->counts_once)
		text_printf(u->out,
			"{ const s64 away = lanes - count_of(some); s->count[%u] -= away; s->count[%u] += away; }\n",
			2 * (at + 1), 2 * to);
	else
		text_printf(u->out,
			"count_runs(s, start, %1$u, count_of(some), 1);\nleft -= %1$u - start;\nJ%2$u:;\n"
			"start = %1$u; *s->run_pc = %1$u; stop = stop_of(%1$u, left, watch);\n",
			to, at);
	if (flushes(u, at, to))
		put_operands(u, &u->now, &u->useful[to], true);
	text_printf(u->out, "goto L%u;\n", to);
	u->now = now;
	u->parting = 0;
	u->out = out;
}

/* After a taken branch the execution loop decides whether the group goes on. */
static void put_branch(struct writer *u, const struct op *op, uint32_t at)
{
	uint32_t to = op->branch.target;
	bool back = to <= at;

	if (is_masked(u, op) && op_is_guarded(op))
		text_printf(u->out, "if (m == active) {\n");
	else
		text_puts(u->out, "{\n");
	if (back)
		text_printf(u->out, "if (start == %u) n%u++; else ", to, at);
	text_printf(u->out, "count_runs(s, start, %u, lanes, 1);\nleft -= %u - start;\n", at + 1,
		at + 1);
	text_printf(u->out,
		"if (left == 0 || %uu >= watch || (%uu <= start && (s->turn || (*s->polled && !*s->effect)))) { pc = %u; what = YIELD; goto X%u; }\n",
		to, to, to, at);
	if (back)
		text_printf(u->out,
			"if (*s->polled && %uu <= start) { *s->made_effect = 1; *s->polled = *s->effect = 0; }\n",
			to);
	if (flushes(u, at, to))
		put_operands(u, &u->now, &u->useful[to], true);
	text_printf(u->out,
		"start = %u; *s->run_pc = %u; stop = stop_of(%u, left, watch); goto L%u;\n}\n", to,
		to, to, to);
	if (!op_is_guarded(op))
		return;
	text_puts(u->out, "if (m) {\n");
	if (may_part(u, at)) {
		text_printf(u->out, "if (s->advance && left > %u - start) goto T%u;\n", to, at);
		put_part(u, at);
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

/* The same where some lanes already wait at the target. */
static void put_branch_of_part(struct writer *u, const struct op *op, uint32_t at)
{
	text_puts(u->out, op_is_guarded(op) ? "if (m == some) {\n" : "{\n");
	text_printf(u->out, "count_runs(s, start, %u, count_of(some), 1);\nleft -= %u - start;\n",
		at + 1, at + 1);
	text_printf(u->out, "goto J%u;\n}\n", u->parting - 1);
	if (op_is_guarded(op))
		text_printf(u->out,
			"if (m) {\ncount_runs(s, start, %1$u, count_of(some), 1);\nleft -= %1$u - start;\n"
			"++*s->divergent; some &= ~m; start = %1$u;\n}\n",
			at + 1);
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
		text_printf(u->out, "pc = %u; what = %s; goto ", at,
			u->lined && !writes_operands(op) ? "FRESH" : "FULL");
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
		put_lanes(u, op);
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
			put_branch_of_part(u, op, at);
		else
			put_branch(u, op, at);
		break;
	case WAY_NOTHING: break;
	}
	if (tests)
		text_puts(u->out, "}\n");
}

/* --- the function --- */

static void find_entries(struct writer *u)
{
	const struct code_func *c = u->c;

	u->entry[0] = 1;
	for (uint32_t k = 0; k < c->nops; k++) {
		const struct op *op = &c->op[k];

		if (op->kind == KIND_BRANCH)
			u->entry[op->branch.target] = 1;
		for (uint32_t j = 0; op->kind == KIND_BRANCH_INDEX && j < op->table->count; j++)
			u->entry[op->table->target[j]] = 1;
		if (is_exit(u, k) && k + 1 < c->nops)
			u->entry[k + 1] = 1;
	}
}

/* Before op AT: the ops until the next check are in this straight run, or the loop executes what is
 * left of it. */
static void put_check(struct writer *u, uint32_t at)
{
	uint32_t end = at + 1;

	while (end < u->c->nops && !u->entry[end] && end % CHECK_EVERY)
		end++;
	text_printf(u->out, "if (__builtin_expect(stop < %u, 0)) { pc = %u; ", end, at);
	if (u->framed)
		text_puts(u->out, "if (stop == pc) goto reached; ");
	text_puts(u->out, "what = LEAVE; goto ");
	put_exit_label(u, 'C', at);
	text_puts(u->out, "}\n");
}

static bool is_back(const struct op *op, uint32_t at)
{
	return op->kind == KIND_BRANCH && op->branch.target <= at;
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

/* Counts of loops that are one straight run, and of accesses to shared memory: kept in variables.
 */
static void put_settle(struct writer *u)
{
	const struct code_func *c = u->c;

	for (uint32_t k = 0; !u->framed && k < c->nops; k++)
		if (is_back(&c->op[k], k))
			text_printf(u->out, "u64 n%u = 0;\n", k);
	for (uint32_t k = 0; k < c->nops; k++)
		if (looks_ahead(u, k))
			text_printf(u->out, "u64 was%u = 0;\n", k);
	text_puts(u->out, "#define SETTLE");
	for (uint32_t k = 0; !u->framed && k < c->nops; k++)
		if (is_back(&c->op[k], k))
			text_printf(u->out,
				" if (n%u) { count_runs(s, %u, %u, lanes, n%u); n%u = 0; }", k,
				c->op[k].branch.target, k + 1, k, k);
	text_puts(u->out, "\n");
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

/* Where it ends, with nothing left in variables. */
static void put_end(struct writer *u)
{
	text_puts(u->out,
		"end:\nSETTLE\n"
		"if (what == LEAVE || what == OTHER) { s->pc = pc; s->start = start; s->left = left; return what == OTHER ? NATIVE_OTHER : NATIVE_LEAVE; }\n"
		"if (what == YIELD) { s->pc = pc; s->left = left; return s->next(s, NATIVE_NEXT); }\n"
		"if (what == FULL || what == FRESH) { flow = s->exec(s->warp, pc, m); if (flow == NATIVE_NEXT) {\n"
		"pc++; if (what == FULL) goto enter;\n"
		"s->pc = pc; s->start = start; s->left = left; return NATIVE_AGAIN; } }\n"
		"count_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start);\n"
		"if (what == BARRIER) {\n"
		"s->pc = pc;\n");
	if (u->lined)
		text_puts(u->out, "s->proven = pc + 2;\n");
	text_puts(u->out, "s = s->advance(s); if (!s) return NATIVE_BARRIER;\n*at = s;\n");
	if (u->lined)
		text_printf(u->out,
			"if (s->proven != s->pc + 1 || s->rows != %u) return NATIVE_AGAIN;\ns->proven = 0;\n",
			u->lined);
	else if (u->full && u->most_lined)
		text_printf(u->out, "if (s->rows && s->rows <= %u) return NATIVE_AGAIN;\n",
			u->most_lined);
	if (u->loose && u->full)
		text_puts(u->out,
			"active = s->active; lanes = count_of(active); first = lane_first(active);\n");
	else
		text_printf(u->out, "if (%s) return NATIVE_AGAIN;\n",
			u->full ? "s->active != UINT32_MAX" : "true");
	text_puts(u->out,
		"R = s->regs; shared = s->shared; pc = s->pc; start = s->start; left = s->left; watch = s->watch; stop = stop_of(start, left, watch);\n"
		"goto enter; }\n"
		"if (what == PART) { s->part(s->warp, pc, m); flow = NATIVE_SWITCH; }\n");
	text_puts(u->out,
		u->framed
			? "if (flow == NATIVE_SWITCH) { flow = s->next(s, flow); goto chosen; }\nreturn flow;\n"
			: "return flow == NATIVE_SWITCH ? s->next(s, flow) : flow;\n");
	/* a fault: nobody looks at the registers any more */
	text_puts(u->out,
		"out:\nSETTLE\ncount_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start); return flow;\n");
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
		"u32 active = %s, lanes = count_of(active), watch = s->watch;\n"
		"u32 to = 0, pc = s->pc, start = s->start, left = s->left, m = 0, some = 0, calm = CALM, first = lane_first(active); int flow = 0; enum { YIELD, LEAVE, FULL, FRESH, PART, BARRIER, OTHER } what;\n"
		"u32 stop = stop_of(start, left, watch); (void)K; (void)m; (void)some; (void)flow; (void)calm; (void)first; (void)to;\n",
		name, copy_name(u), u->full && !u->loose ? "UINT32_MAX" : "s->active");
	put_variables(u);
	put_settle(u);
	put_enter(u);
	for (uint32_t k = 0; k < c->nops; k++) {
		struct set reads, writes;

		if (u->entry[k]) {
			text_printf(u->out, "L%u:;\n", k);
			u->now = u->dirty[k];
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
		uses(u, k, &reads, &writes);
		set_join(&u->now, &writes);
		if (falls_on(u, k) && u->entry[k + 1] && flushes(u, k, k + 1))
			put_operands(u, &u->now, &u->useful[k + 1], true);
	}
	text_puts(u->out, text_str(&u->exits));
	text_clear(&u->exits);
	/* the last op never falls through */
	put_end(u);
	if (u->framed)
		put_choice(u);
	text_puts(u->out, "#undef SETTLE\n}\n");
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

	u.quiet = silent && is_quiet(c);
	loose = u.quiet && is_loose(c);
	u.way = memory_zeroed(c->nops + 1, 1);
	u.entry = memory_zeroed(c->nops + 1, 1);
	for (uint32_t k = 0; ok && k < c->nops; k++)
		u.way[k] = (uint8_t)way_of(c, &c->op[k]);
	ok = ok && find_places(&u);
	if (ok) {
		find_entries(&u);
		u.most_lined = !lines_find(&u) ? 0 : reads_rows(c) ? 2 : 1;
		u.dirty = memory_zeroed(c->nops + 1, sizeof *u.dirty);
		u.live = memory_zeroed(c->nops + 1, sizeof *u.live);
		u.useful = memory_zeroed(c->nops + 1, sizeof *u.useful);
		u.need = memory_zeroed(c->nops + 1, sizeof *u.need);
		u.loop = memory_zeroed(c->nops + 1, sizeof *u.loop);
		u.loop_end = memory_zeroed(c->nops + 1, sizeof *u.loop_end);
		find_loops(&u);
		u.full = true;
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
			"if (s->parts > 1%2$s) r = %1$s_parts(&s);\n",
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
	memory_drop(u.dirty);
	memory_drop(u.live);
	memory_drop(u.useful);
	memory_drop(u.need);
	memory_drop(u.loop);
	memory_drop(u.loop_end);
	text_free(&u.exits);
	vec_free(&u.place);
	return ok;
}
