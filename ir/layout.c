/* Layout of variables: parameter buffers, frames of .local and .param, static shared memory. It
 * depends only on sizes, alignments and uses, so a module read from an object gets the same layout
 * as when it was assembled. */
#include "base/assert.h"
#include "ir/ir.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static uint64_t align_up(uint64_t n, uint32_t align)
{
	assert(align && !(align & (align - 1)));
	return (n + align - 1) & ~(uint64_t)(align - 1);
}

/* Puts V at the end of *SIZE. 64 bits suffice: callers stop after 32 bits, and a variable has at
 * most 2^48 bytes. */
static void place_variable(struct ir_var *v, uint64_t *size)
{
	v->offset = align_up(*size, v->align);
	*size = v->offset + v->size;
}

/* The first and the last instruction that names a .param variable of a function's body. */
struct uses {
	uint32_t first, last;
};

static void note_use(
	const struct ir_func *f, struct uses *uses, const struct ir_operand *o, uint32_t insn)
{
	if ((o->kind == IR_VAR || (o->kind == IR_ADDR && o->aux == IR_BASE_VAR)) &&
		o->index - f->var < f->nvars) {
		struct uses *u = &uses[o->index - f->var];

		if (u->first == IR_NONE)
			u->first = insn;
		u->last = insn;
	}
}

static void find_uses(const struct ir_module *m, const struct ir_func *f, struct uses *uses)
{
	for (uint32_t i = 0; i < f->ninsns; i++) {
		const struct ir_insn *in = &m->insn[f->insn + i];

		for (unsigned k = 0; k < in->noperands; k++) {
			const struct ir_operand *o = &m->operand[in->operand + k];

			note_use(f, uses, o, i);
			if (o->kind == IR_LIST)
				for (uint32_t j = 0; j < o->count; j++)
					note_use(f, uses, &m->operand[o->index + j], i);
		}
	}
}

/* Sets run[i] to the number of the straight-line run that contains instruction i; a label or a jump
 * ends a run, a call does not. */
static void number_runs(const struct ir_module *m, const struct ir_func *f, uint32_t *run)
{
	uint32_t n = 0;

	memset(run, 0, f->ninsns * sizeof *run);
	for (uint32_t i = 0; i < f->nlabels; i++)
		if (m->label[f->label + i].insn < f->ninsns)
			run[m->label[f->label + i].insn] = 1;
	for (uint32_t i = 0; i < f->ninsns; i++) {
		const struct ir_insn *in = &m->insn[f->insn + i];
		unsigned op = ir_form(in)->opcode;

		n += run[i];
		run[i] = n;
		n += op == OP_bra || op == OP_brx || op == OP_ret || op == OP_exit;
	}
}

struct transient {
	struct ir_var *var;
	struct uses uses;
};

static int by_first_use(const void *a, const void *b)
{
	const struct transient *x = a, *y = b;

	if (x->uses.first != y->uses.first)
		return x->uses.first < y->uses.first ? -1 : 1;
	return x->var < y->var ? -1 : x->var > y->var;
}

/* Places variables that are used in a single run; those whose uses do not overlap share bytes. */
static void place_transient(struct transient *t, uint32_t n, uint64_t *size)
{
	uint64_t base = *size, top = base;
	uint32_t end = 0;

	qsort(t, n, sizeof *t, by_first_use);
	for (uint32_t i = 0; i < n && *size <= UINT32_MAX; i++) {
		if (t[i].uses.first > end || !i)
			top = base;
		place_variable(t[i].var, &top);
		if (t[i].uses.last > end)
			end = t[i].uses.last;
		if (top > *size)
			*size = top;
	}
}

static uint64_t layout_params(struct ir_module *m, struct ir_func *f)
{
	uint64_t param = 0, local = 0;

	for (uint32_t i = 0;
		i < f->nrets + f->nparams && param <= UINT32_MAX && local <= UINT32_MAX; i++) {
		struct ir_var *v = &m->var[i < f->nrets ? f->ret + i : f->param + i - f->nrets];

		if (v->space == W_param)
			place_variable(v, f->is_entry ? &param : &local);
	}
	f->param_bytes = (uint32_t)param;
	return param > UINT32_MAX ? UINT64_MAX : local;
}

/* Order in a frame: formal .param of a function, then .local, then .param of calls. */
static bool layout_function(struct ir_module *m, struct ir_func *f)
{
	uint64_t local = layout_params(m, f), shared = 0;
	struct transient *t = NULL;
	struct uses *uses = NULL;
	uint32_t *run = NULL, n = 0, params = 0;

	for (uint32_t i = 0; i < f->nvars && local <= UINT32_MAX && shared <= UINT32_MAX; i++) {
		struct ir_var *v = &m->var[f->var + i];

		if (v->space == W_shared)
			place_variable(v, &shared);
		else if (v->space == W_local)
			place_variable(v, &local);
		params += v->space == W_param;
	}
	if (params && local <= UINT32_MAX) {
		t = memory_zeroed(params, sizeof *t);
		uses = memory_resize(NULL, f->nvars * sizeof *uses);
		run = memory_resize(NULL, (f->ninsns + 1u) * sizeof *run);
		memset(uses, 0xff, f->nvars * sizeof *uses);
		find_uses(m, f, uses);
		number_runs(m, f, run);
		for (uint32_t i = 0; i < f->nvars && local <= UINT32_MAX; i++) {
			struct ir_var *v = &m->var[f->var + i];

			if (v->space != W_param)
				continue;
			if (uses[i].first != IR_NONE && run[uses[i].first] == run[uses[i].last])
				t[n++] = (struct transient){v, uses[i]};
			else
				place_variable(v, &local);
		}
		place_transient(t, n, &local);
	}
	memory_drop(t);
	memory_drop(uses);
	memory_drop(run);
	f->local_bytes = (uint32_t)local;
	f->shared_bytes = (uint32_t)shared;
	return local <= UINT32_MAX && shared <= UINT32_MAX;
}

bool ir_layout(struct ir_module *m, uint32_t *func)
{
	uint64_t shared = 0;

	*func = IR_NONE;
	for (uint32_t i = 0; i < m->nvars && m->var[i].func == IR_NONE; i++) {
		if (m->var[i].space == W_shared)
			place_variable(&m->var[i], &shared);
		if (shared > UINT32_MAX)
			return false;
	}
	m->shared_bytes = (uint32_t)shared;
	for (uint32_t i = 0; i < m->nfuncs; i++)
		if (!layout_function(m, &m->func[i])) {
			*func = i;
			return false;
		}
	return true;
}
