/* Control flow other than direct branches: indexed branches, calls, returns, exit, and the
 * instructions that stop or delay. */
#include "interp/memory/access.h"
#include "interp/state/exec.h"
#include "code/window.h"
#include "interp/state/warp.h"
#include "interp/state/where.h"
#include <string.h>

enum { MAX_RUNTIME_ARGUMENTS = 8, MAX_SLEEP = 1000000 };

enum flow exec_brx(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct branch_table *t = op->table;
	uint32_t pc = op_index(w, op), rest = mask;
	struct destination to[LANES + 1];
	unsigned n = 0;

	if (w->active & ~mask)
		to[n++] = (struct destination){w->active & ~mask, pc + 1, w->frame};
	while (rest) {
		unsigned lane = lane_first(rest);
		uint64_t index = op_value(w, op, 0, lane);
		uint32_t same = 0;

		if (index >= t->count)
			return fault(w, op, lane, DIAG_F0107,
				"brx.idx with index %llu, but its list has %u target%s",
				(unsigned long long)index, t->count, t->count == 1 ? "" : "s");
		FOR_LANES(k, rest) {
			uint64_t other = op_value(w, op, 0, k);

			if (other < t->count && t->target[other] == t->target[index])
				same |= 1u << k;
		}
		to[n++] = (struct destination){same, t->target[index], w->frame};
		rest &= ~same;
	}
	if (n > 1)
		w->worker->stats.divergent_branches++;
	if (op->reconverge != NO_PC)
		warp_scatter(w, n, to, op->reconverge, w->frame);
	else
		warp_scatter(
			w, n, to, w->frame->caller ? w->frame->return_pc : NO_PC, w->frame->caller);
	return FLOW_SWITCH;
}

/* --- calls --- */

static void copy_lanes(
	void *to, unsigned to_width, const void *from, unsigned from_width, uint32_t mask)
{
	unsigned n = to_width < from_width ? to_width : from_width;

	if (!to_width || !from_width) { /* predicates */
		uint32_t bits = 0;

		if (!to_width && !from_width)
			memcpy(&bits, from, 4);
		else
			return;
		*(uint32_t *)to = (*(uint32_t *)to & ~mask) | (bits & mask);
		return;
	}
	if (to_width == from_width && mask == UINT32_MAX) {
		memcpy(to, from, (size_t)LANES * n);
		return;
	}
	if (to_width <= 8 && from_width <= 8) {
		FOR_LANES(lane, mask)
			register_set(to, lane, to_width, register_get(from, lane, from_width));
		return;
	}
	FOR_LANES(lane, mask) {
		memcpy((char *)to + lane * to_width, (const char *)from + lane * from_width, n);
		memset((char *)to + lane * to_width + n, 0, to_width - n);
	}
}

/* One parameter or result, as the caller or the callee holds it. */
struct side {
	bool local;
	uint32_t local_at; /* offset in the thread's local memory */
	void *lanes;
	unsigned width; /* bytes */
};

static struct side caller_side(
	const struct warp *w, const struct frame *f, const struct argument *a)
{
	struct side s = {.local = a->kind == ARGUMENT_LOCAL};

	if (s.local) {
		s.local_at = f->local_base + a->place;
		s.width = a->bytes;
	} else {
		s.lanes = frame_place(w, f, a->place);
		s.width = a->width;
	}
	return s;
}

static struct side callee_side(const struct machine *m, const struct frame *f, uint32_t var)
{
	const struct ir_var *v = &m->module->var[var];
	struct side s = {.local = v->space != W_reg};

	if (s.local) {
		s.local_at = f->local_base + (uint32_t)m->code.var_at[var];
		s.width = (uint32_t)v->size;
	} else {
		s.lanes = f->regs + f->code->reg_at[v->offset];
		if (f->defined) /* --check=init: parameters in registers count as written */
			f->defined[f->code->reg_at[v->offset] / 4] = UINT32_MAX;
		s.width = v->type == TYPE_pred ? 0 : type_bytes(v->type);
	}
	return s;
}

static void side_pass(struct warp *w, uint32_t mask, const struct side *to, const struct side *from)
{
	if (to->local && from->local) {
		memory_local_copy(w, mask, to->local_at, from->local_at,
			to->width < from->width ? to->width : from->width);
	} else if (to->local) {
		FOR_LANES(lane, mask)
			memory_local_write(w, lane, to->local_at,
				(const char *)from->lanes + lane * from->width,
				to->width < from->width ? to->width : from->width);
	} else if (from->local) {
		FOR_LANES(lane, mask) {
			unsigned char value[16] = {0};
			unsigned n = from->width < to->width ? from->width : to->width;

			memory_local_read(w, lane, from->local_at, value, n < 16 ? n : 16);
			memcpy((char *)to->lanes + lane * to->width, value,
				to->width < 16 ? to->width : 16);
		}
	} else {
		copy_lanes(to->lanes, to->width, from->lanes, from->width, mask);
	}
}

static enum flow call_runtime(
	struct warp *w, const struct op *op, uint32_t mask, const struct call_site *c, int which)
{
	uint64_t arg[MAX_RUNTIME_ARGUMENTS][LANES], ret[LANES] = {0};

	if (c->nargs > MAX_RUNTIME_ARGUMENTS)
		return fault(w, op, lane_first(mask), DIAG_F0109,
			"a function that ptxi provides is called with %u arguments", c->nargs);
	memset(arg, 0, sizeof arg);
	for (uint32_t k = 0; k < c->nargs; k++) {
		struct side to = {.lanes = arg[k], .width = 8}, from;

		if (c->arg[k].kind == ARGUMENT_NONE)
			continue;
		from = caller_side(w, w->frame, &c->arg[k]);
		side_pass(w, mask, &to, &from);
	}
	w->effect = 1; /* it prints or allocates: a loop that calls it makes progress */
	enum flow flow = runtime_call(
		w, op, mask, which, (const uint64_t(*)[LANES])arg, c->nargs, ret);

	if (c->nrets && c->ret[0].kind != ARGUMENT_NONE) {
		struct side to = caller_side(w, w->frame, &c->ret[0]),
			    from = {.lanes = ret, .width = 8};

		side_pass(w, mask, &to, &from);
	}
	return flow;
}

/* Whether A matches parameter or result V, by the rules that the assembler applies to direct
 * calls: an array matches an array of the same size and alignment, a scalar a scalar of the same
 * size. */
static bool argument_fits(const struct argument *a, const struct ir_var *v)
{
	if (a->kind == ARGUMENT_NONE || (a->kind == ARGUMENT_PLACE && v->vector > 1))
		return true;
	if (a->kind == ARGUMENT_PLACE)
		return !v->ndims &&
			a->width == (v->type == TYPE_pred ? 0 : type_bytes((enum type)v->type));
	if (a->array != (v->ndims != 0))
		return false;
	return v->ndims && !v->size ? a->align >= v->align
				    : a->bytes == v->size && (!v->ndims || a->align == v->align);
}

static const char *argument_text(struct arena *arena, uint64_t bytes, uint32_t align, bool array)
{
	return array ? arena_printf(arena, "an array of %llu byte%s, aligned to %u",
			       (unsigned long long)bytes, bytes == 1 ? "" : "s", align)
		     : arena_printf(arena, "%llu byte%s", (unsigned long long)bytes,
			       bytes == 1 ? "" : "s");
}

/* Checks the arguments of an indirect call C against F. False after a fault. */
static bool check_signature(struct warp *w, const struct op *op, uint32_t mask,
	const struct call_site *c, const struct ir_func *f)
{
	const struct ir_module *m = w->machine->module;
	const char *name = symbol_shown(&m->symbols, f->name);

	for (uint32_t k = 0; k < c->nargs + c->nrets; k++) {
		bool result = k >= c->nargs;
		uint32_t i = result ? k - c->nargs : k;
		const struct argument *a = result ? &c->ret[i] : &c->arg[i];
		const struct ir_var *v = &m->var[(result ? f->ret : f->param) + i];
		struct arena text = {0};

		if (argument_fits(a, v))
			continue;
		uint64_t passed = a->kind == ARGUMENT_LOCAL ? a->bytes : a->width;

		fault(w, op, lane_first(mask), DIAG_F0109,
			"%s %u of '%s' is %s, and this call %s %s", result ? "result" : "parameter",
			i + 1, name, argument_text(&text, v->size, v->align, v->ndims != 0),
			result ? "takes" : "passes",
			argument_text(&text, passed, a->align, a->array));
		arena_free(&text);
		return false;
	}
	return true;
}

/* Enters function FUNC with the lanes of MASK; NULL after a fault. */
static struct frame *call_enter(struct warp *w, const struct op *op, uint32_t mask,
	const struct call_site *c, uint32_t func)
{
	struct machine *m = w->machine;
	const struct ir_func *f = &m->module->func[func];
	const struct code_func *code = &m->code.func[func];
	const char *name = symbol_shown(&m->module->symbols, f->name);
	struct frame *caller = w->frame, *callee;
	uint64_t used = (uint64_t)caller->stack_used + frame_taken(caller, mask) + 16 +
		code->stack_bytes;

	if (f->is_entry) {
		fault(w, op, lane_first(mask), DIAG_F0108,
			"call of '%s', which is a kernel, not a .func", name);
		return NULL;
	}
	if (m->code.scope[code->scope].gone) {
		fault(w, op, lane_first(mask), DIAG_F0108,
			"call of '%s', whose module was unloaded", name);
		return NULL;
	}
	if (c->func == IR_NONE && code->scope != caller->code->scope &&
		m->code.scope[code->scope].device_shared) {
		fault(w, op, lane_first(mask), DIAG_F0108,
			"call of '%s' in another module, which has .shared variables of its own: this kernel was launched without them",
			name);
		return NULL;
	}
	if (!code->decoded) {
		fault(w, op, lane_first(mask), DIAG_F0108, "call of '%s', which has no body here",
			name);
		return NULL;
	}
	if (c->nargs != f->nparams || c->nrets != f->nrets) {
		fault(w, op, lane_first(mask), DIAG_F0109,
			"'%s' has %u parameter%s and %u result%s, but this call has %u and %u",
			name, f->nparams, f->nparams == 1 ? "" : "s", f->nrets,
			f->nrets == 1 ? "" : "s", c->nargs, c->nrets);
		return NULL;
	}
	if (c->func == IR_NONE && !check_signature(w, op, mask, c, f))
		return NULL;
	if (used > MACHINE_STACK_BYTES) {
		struct diag *r = fault_begin(w, op, lane_first(mask), DIAG_F0110,
			"the stack of %u bytes per thread overflows in the call of '%s'",
			MACHINE_STACK_BYTES, name);

		if (r) {
			diag_note(m->findings, r, "%u calls deep; each call of '%s' takes %u bytes",
				caller->depth + 1, name, code->stack_bytes);
			fault_end(w);
		}
		return NULL;
	}
	callee = frame_push(w, code, caller, mask);
	callee->return_pc = op_index(w, op) + 1;
	callee->call_pc = op_index(w, op);
	callee->user_call = where_user_call(m, callee);
	if (callee->local_top > w->local_bytes && !memory_local_reserve(w, callee->local_top)) {
		fault(w, op, lane_first(mask), DIAG_F0110,
			"not enough memory for the stack of '%s'", name);
		return NULL;
	}
	for (uint32_t k = 0; k < c->nargs; k++)
		if (c->arg[k].kind != ARGUMENT_NONE) {
			struct side to = callee_side(m, callee, f->param + k),
				    from = caller_side(w, caller, &c->arg[k]);

			side_pass(w, mask, &to, &from);
		}
	return callee;
}

enum flow exec_call(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct call_site *c = op->call;
	struct machine *m = w->machine;
	uint32_t pc = op_index(w, op), rest = mask, after = w->active & ~mask;
	struct destination to[LANES + 1];
	unsigned n = 1;

	if (c->provided >= 0)
		return call_runtime(w, op, mask, c, c->provided);
	while (rest) {
		unsigned lane = lane_first(rest);
		uint32_t func = c->func, same = rest;

		if (func == IR_NONE) {
			uint64_t value = op_value(w, op, 0, lane);

			func = window_function_at(m->module, value);
			if (func == IR_NONE)
				return fault(w, op, lane, DIAG_F0108,
					"call through 0x%llx, which is not the address of a function",
					(unsigned long long)value);
			same = 0;
			FOR_LANES(k, rest)
				same |= (uint32_t)(op_value(w, op, 0, k) == value) << k;
			func = code_resolve(m->module, func);
		}
		const struct ir_func *f = &m->module->func[func];
		int which = f->has_body ? -1
					: code_provided(symbol_text(&m->module->symbols, f->name));

		if (which >= 0) {
			enum flow flow = call_runtime(w, op, same, c, which);

			if (flow != FLOW_NEXT)
				return flow;
			after |= same;
		} else {
			struct frame *callee = call_enter(w, op, same, c, func);

			if (!callee)
				return FLOW_STOP;
			to[n++] = (struct destination){same, 0, callee};
		}
		rest &= ~same;
	}
	to[0] = (struct destination){after, pc + 1, w->frame};
	warp_scatter(w, n, to, pc + 1, w->frame);
	return FLOW_SWITCH;
}

static enum flow call_leave(struct warp *w, const struct op *op, uint32_t mask)
{
	struct frame *f = w->frame, *caller = f->caller;
	const struct call_site *c = caller->code->op[f->call_pc].call;
	const struct ir_func *func = &w->machine->module->func[f->code->func];
	struct destination to[2] = {
		{mask, f->return_pc, caller}, {w->active & ~mask, op_index(w, op) + 1, f}};

	for (uint32_t k = 0; k < c->nrets; k++)
		if (c->ret[k].kind != ARGUMENT_NONE) {
			struct side into = caller_side(w, caller, &c->ret[k]),
				    from = callee_side(w->machine, f, func->ret + k);

			side_pass(w, mask, &into, &from);
		}
	warp_scatter(w, 2, to, f->return_pc, caller);
	frame_leave(w, f, mask);
	return FLOW_SWITCH;
}

enum flow exec_ret(struct warp *w, const struct op *op, uint32_t mask)
{
	return w->frame->caller ? call_leave(w, op, mask) : exec_exit(w, op, mask);
}

enum flow exec_exit(struct warp *w, const struct op *op, uint32_t mask)
{
	if (mask != w->live) {
		uint32_t at = kernel_pc(w->frame, op_index(w, op));

		FOR_LANES(lane, mask)
			w->exit_pc[lane] = at;
	}
	w->group[w->current].pc = op_index(w, op) + 1; /* for the lanes that do not exit */
	warp_exit(w, mask);
	return FLOW_SWITCH;
}

/* --- stopping and delaying --- */

/* Whether the running code uses the workspace of its grid, as grid.sync() of cooperative groups
 * does before it traps without one. */
static bool wants_workspace(const struct frame *f)
{
	for (; f; f = f->caller)
		for (uint32_t k = 0; k < f->code->nops; k++) {
			const struct op *op = &f->code->op[k];

			if (op->kind == KIND_SREG &&
				(op->sreg.which == SREG_envreg1 || op->sreg.which == SREG_envreg2))
				return true;
		}
	return false;
}

enum flow exec_trap(struct warp *w, const struct op *op, uint32_t mask)
{
	struct diags *d = w->machine->findings;
	struct diag *r;

	if (op->why)
		return fault(w, op, lane_first(mask), DIAG_F0105, "trap: %s", op->why);
	if (w->cta->launch->workspace || !wants_workspace(w->frame))
		return fault(w, op, lane_first(mask), DIAG_F0105, "trap");
	r = fault_begin(w, op, lane_first(mask), DIAG_F0105,
		"trap: this code uses the workspace of its grid (%%envreg1, %%envreg2), as grid.sync() does, but the launch is not cooperative");
	if (r) {
		diag_help(d, r,
			"write 'cooperative' at the end of the launch line (cudaLaunchCooperativeKernel in host code)");
		fault_end(w);
	}
	return FLOW_STOP;
}

enum flow exec_brkpt(struct warp *w, const struct op *op, uint32_t mask)
{
	return fault(w, op, lane_first(mask), DIAG_F0106, "breakpoint without a debugger");
}

enum flow exec_nothing(struct warp *w, const struct op *op, uint32_t mask)
{
	(void)w;
	(void)op;
	(void)mask;
	return FLOW_NEXT;
}

enum flow exec_unsupported(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct ir_insn *i = op_insn(w, op);
	const struct ir_module *m = w->machine->module;
	struct text words = {0};

	text_puts(&words, opcode_text((enum opcode)ir_form(i)->opcode));
	for (unsigned k = 0; k < i->nwords; k++) {
		text_putc(&words, '.');
		text_puts(&words, word_text((enum word)m->word[i->word + k]));
	}
	struct diag *r = fault_begin(w, op, lane_first(mask), DIAG_U0001,
		ir_form(i)->traits & TRAIT_LAX
			? "'%s' has no meaning in this form: ptxas accepts it, but the manual does not have it"
			: "ptxi does not execute '%s'",
		text_str(&words));

	if (r && op->kind == KIND_UNSUPPORTED && op->why)
		diag_help(w->machine->findings, r, "%s", op->why);
	if (r)
		fault_end(w);
	text_free(&words);
	return FLOW_STOP;
}

/* nanosleep: the group sleeps for the longest time that any lane asks for, at most a
 * millisecond; its lanes stay together. */
enum flow exec_nanosleep(struct warp *w, const struct op *op, uint32_t mask)
{
	struct group *g = &w->group[w->current];
	uint64_t longest = 0;

	w->polled = w->timed = 1;
	if (w->machine->clock_frozen)
		return FLOW_NEXT;
	FOR_LANES(lane, mask) {
		uint64_t t = op_value(w, op, 0, lane);

		longest = t > longest ? t : longest;
	}
	g->pc = op_index(w, op) + 1;
	g->state = GROUP_SLEEP;
	g->wake = warp_clock(w, op) + (longest < MAX_SLEEP ? longest : MAX_SLEEP);
	return FLOW_SWITCH;
}
