/* --check=init for registers: what is undefined, where it came from, and the finding when it matters. */
#include "interp/undefined.h"
#include "interp/exec.h"
#include "interp/exec_mem.h"

/* A register takes at least eight words of frame.defined: the first has the lanes, the second the origin of what is undefined in it. A predicate has one word alone. */
enum { ORIGIN_REGISTER = 1u << 31 }; /* the rest: word of a register never written; otherwise 1 + instruction of a load; 0: unknown */

static uint32_t *origin_of(const struct warp *w, uint32_t place, unsigned width)
{
	return width && !(place & 1u) ? &w->frame->defined[place / 4 + 1] : NULL;
}

void undefined_from(struct warp *w, const struct op *op, uint32_t place)
{
	unsigned width = 4; /* loads write no predicates */
	uint32_t *o = w->frame->defined ? origin_of(w, place, width) : NULL;

	if (o)
		*o = op->insn + 1;
}

/* The name of the register at PLACE, or NULL: a temporary. */
static const char *register_name(const struct warp *w, uint32_t place)
{
	const struct ir_module *ir = w->machine->module;
	const struct code_func *code = w->frame->code;
	const struct ir_func *f = &ir->func[code->func];

	for (uint32_t r = 0; r < f->nregs; r++) {
		const struct ir_register *reg = &ir->reg[f->reg + r];
		unsigned n = reg->vector ? reg->vector : 1;

		for (unsigned c = 0; c < n; c++)
			if (code->reg_at[r] + c * code->reg_stride[r] == place)
				return symbol_text(&ir->symbols, reg->name);
	}
	return NULL;
}

static unsigned width_of(const struct op *op, uint32_t place)
{
	for (unsigned k = 0; k < op->noperands; k++)
		if (op->at[k] == place)
			return op->width[k];
	return 0;
}

static void report(struct warp *w, const struct op *op, unsigned lane, uint32_t place, const char *what)
{
	const struct ir_module *ir = w->machine->module;
	const uint32_t *o = origin_of(w, place, width_of(op, place));
	uint32_t origin = o ? *o : 0;
	const char *name = register_name(w, place), *first = NULL;
	struct text t = {0};

	text_printf(&t, "%s%s, %s, has no value", name ? "register " : "an operand", name ? name : "", what);
	if (origin & ORIGIN_REGISTER)
		first = register_name(w, (origin & ~(uint32_t)ORIGIN_REGISTER) * 4);
	if (origin & ORIGIN_REGISTER && first && name && strcmp(first, name) == 0)
		text_puts(&t, ": it was never written");
	else if (origin & ORIGIN_REGISTER && first)
		text_printf(&t, ": it was computed from %s, which was never written", first);
	else if (origin) {
		uint32_t line, column;

		pthread_mutex_lock(&w->machine->fault_lock);
		source_place(&w->machine->findings->arena, ir->source, ir->insn[origin - 1].span.off, &line, &column);
		pthread_mutex_unlock(&w->machine->fault_lock);
		text_printf(&t, ": it comes from the load at line %u, of memory that was never written", line);
	}
	finding(w, op, lane, DIAG_R0201, "%s", text_str(&t));
	text_free(&t);
}

/* The origin of an undefined PLACE that was never the destination of anything is the register itself. */
static void settle_origin(struct warp *w, uint32_t place, unsigned width)
{
	uint32_t *o = origin_of(w, place, width);

	if (o && !*o)
		*o = ORIGIN_REGISTER | place / 4;
}

void undefined_use(struct warp *w, const struct op *op, uint32_t mask, uint32_t place, const char *what)
{
	uint32_t undefined = undefined_lanes(w, place) & mask;

	if (!undefined)
		return;
	settle_origin(w, place, width_of(op, place));
	report(w, op, lane_first(undefined), place, what);
	undefined_set(w, place, undefined, 0);
}

void undefined_memory(struct warp *w, const struct op *op, uint32_t mask, const struct access *a, const char *what)
{
	unsigned lane = lane_first(mask), n = (unsigned)op->bytes * op->vector;
	struct text t = {0};

	if (a->space[lane] == W_global || a->space[lane] == W_const)
		memory_describe(w->machine->memory, a->offset[lane], n, &t);
	else
		text_printf(&t, "byte %llu of .%s memory", (unsigned long long)a->offset[lane], word_text((enum word)a->space[lane]));
	finding(w, op, lane, DIAG_R0201, "%s was never written: %s", what, text_str(&t));
	text_free(&t);
}

/* Lanes in which some source is undefined; *FROM is the first such source's place, with its width. */
static uint32_t sources(const struct warp *w, const struct op *op, uint32_t mask, unsigned *from)
{
	uint32_t undefined = 0;

	for (unsigned k = op->ndests; k < op->noperands; k++) {
		uint32_t u = op->at[k] ? undefined_lanes(w, op->at[k]) & mask : 0; /* place 0, the condition code, always counts as defined */

		if (u && !undefined)
			*from = k;
		undefined |= u;
	}
	return undefined;
}

static void propagate(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned from = 0;
	uint32_t undefined = sources(w, op, mask, &from), origin = 0;

	if (undefined) {
		uint32_t *o = origin_of(w, op->at[from], op->width[from]);

		settle_origin(w, op->at[from], op->width[from]);
		origin = o ? *o : 0;
	}
	for (unsigned k = 0; k < op->ndests; k++) {
		uint32_t *o = origin_of(w, op->at[k], op->width[k]);

		undefined_set(w, op->at[k], mask, undefined);
		if (undefined && o)
			*o = origin;
	}
}

static void call(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct call_site *c = op->extra;

	for (uint32_t k = 0; k < c->nrets; k++)
		if (c->ret[k].kind == ARGUMENT_PLACE)
			undefined_set(w, c->ret[k].place, mask, 0);
	if (op->noperands)
		undefined_use(w, op, mask, op->at[0], "used as the address of a call");
}

void undefined_insn(struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	if (!w->frame->defined)
		return;
	undefined_use(w, op, active, op->guard, op->kind == OP_KIND_BRANCH ? "used as the condition of a branch" : "used as a guard");
	if (!mask || op->kind == OP_KIND_BRANCH)
		return;
	if (op->kind == OP_KIND_EXEC) {
		exec_fn *exec = op->run.exec;

		if (exec == exec_ld_watched || exec == exec_st_watched || exec == exec_atom_watched)
			return;
		if (exec == exec_shfl) { /* it says more itself, but for lanes that meet from different places */
			for (unsigned k = 0; k < op->ndests; k++)
				if (op->at[k] != op->at[op->ndests])
					undefined_set(w, op->at[k], mask, 0);
			return;
		}
		if (exec == exec_call) {
			call(w, op, mask);
			return;
		}
		if (exec == exec_brx)
			undefined_use(w, op, mask, op->at[0], "used as the index of a branch");
	}
	propagate(w, op, mask);
}
