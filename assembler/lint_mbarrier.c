/* Warnings about mbarriers whose count cannot be reached: compares a constant count with all
 * arrivals in the module at that variable. */
#include "assembler/lint.h"
#include "base/memory.h"
#include <stdlib.h>

struct object { /* a shared variable used as mbarrier */
	const struct ir_insn *init;
	uint64_t count;    /* expected count of mbarrier.init; 0 = not constant, or several */
	uint64_t arrivals; /* upper bound on the arrivals of all threads; UINT64_MAX = unknown */
	bool arrived, waited;
};

struct module_lint {
	struct lint *l;
	struct object *object; /* by variable */
	bool any;              /* some mbarrier is initialised */
	bool unknown;          /* an mbarrier is accessed through a register: no warnings */
};

static uint64_t threads_of(const struct ir_func *f)
{
	const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;

	return n[0] && f->is_entry ? (uint64_t)n[0] * n[1] * n[2] : 1024;
}

static bool in_loop(const struct lint *l, const struct ir_func *f, uint32_t i)
{
	for (uint32_t k = i; k < f->ninsns; k++) {
		const struct ir_insn *in = &l->m->insn[f->insn + k];

		if (ir_form(in)->opcode == OP_brx)
			return true;
		if (ir_form(in)->opcode == OP_bra && in->noperands &&
			l->m->operand[in->operand].kind == IR_LABEL &&
			l->m->operand[in->operand].index <= i)
			return true;
	}
	return false;
}

static const struct ir_operand *mbarrier_address(const struct lint *l, const struct ir_insn *in)
{
	for (unsigned k = 0; k < in->noperands; k++)
		if (l->m->operand[in->operand + k].kind == IR_ADDR)
			return &l->m->operand[in->operand + k];
	return NULL;
}

static void note_arrival(
	struct module_lint *w, struct object *o, const struct ir_func *f, uint32_t i)
{
	const struct ir_insn *in = &w->l->m->insn[f->insn + i];
	const struct ir_operand *last = lint_operand(w->l, in, in->noperands - 1u);
	uint64_t count = 1;

	if (!ir_has(w->l->m, in, W_expect_tx) && last->kind == IR_IMM)
		count = last->value;
	else if (!ir_has(w->l->m, in, W_expect_tx) && last->kind == IR_REG)
		count = UINT64_MAX;
	o->arrived = true;
	if (count == UINT64_MAX || in_loop(w->l, f, i) || !f->is_entry || o->arrivals == UINT64_MAX)
		o->arrivals = UINT64_MAX;
	else
		o->arrivals += count * threads_of(f);
}

static void note_mbarrier(struct module_lint *w, const struct ir_func *f, uint32_t i)
{
	const struct ir_module *m = w->l->m;
	const struct ir_insn *in = &m->insn[f->insn + i];
	const struct ir_operand *a;
	struct object *o;

	if (ir_form(in)->opcode != OP_mbarrier) {
		w->unknown |= (ir_form(in)->traits & TRAIT_ASYNC) != 0 ||
			ir_form(in)->opcode == OP_call;
		return;
	}
	if (ir_has(m, in, W_pending_count))
		return;
	a = mbarrier_address(w->l, in);
	if (!a || a->aux != IR_BASE_VAR || m->var[a->index].size > 8 || a->value) {
		w->unknown = true;
		return;
	}
	o = &w->object[a->index];
	if (ir_has(m, in, W_init)) {
		const struct ir_operand *count = lint_operand(w->l, in, in->noperands - 1u);

		o->count = o->init || count->kind != IR_IMM ? 0 : count->value;
		o->init = in;
		w->any = true;
	} else if (ir_has(m, in, W_arrive) || ir_has(m, in, W_arrive_drop)) {
		note_arrival(w, o, f, i);
	} else if (ir_has(m, in, W_test_wait) || ir_has(m, in, W_try_wait)) {
		o->waited = true;
	}
}

/* If an mbarrier's address is put into a register, it may be accessed anywhere. */
static void note_escape(struct module_lint *w, const struct ir_insn *in)
{
	for (unsigned k = 0; k < in->noperands; k++) {
		const struct ir_operand *o = lint_operand(w->l, in, k);

		if (o->kind == IR_VAR && w->object[o->index].init)
			w->unknown = true;
	}
}

void lint_mbarriers(struct lint *l)
{
	const struct ir_module *m = l->m;
	struct module_lint w = {.l = l, .object = memory_zeroed(m->nvars + 1u, sizeof *w.object)};

	for (uint32_t f = 0; f < m->nfuncs; f++)
		for (uint32_t i = 0; i < m->func[f].ninsns; i++)
			note_mbarrier(&w, &m->func[f], i);
	for (uint32_t i = 0; w.any && i < m->ninsns; i++)
		note_escape(&w, &m->insn[i]);
	for (uint32_t v = 0; w.any && v < m->nvars && !w.unknown; v++) {
		const struct object *o = &w.object[v];

		if (!o->init || !o->count || !o->waited)
			continue;
		if (!o->arrived)
			WARN(l, W0508, o->init->span,
				"'%s' expects %llu arrivals, but no instruction arrives at it",
				lint_name(l, m->var[v].name), (unsigned long long)o->count);
		else if (o->count > o->arrivals)
			WARN(l, W0508, o->init->span,
				"'%s' expects %llu arrivals, but all threads together make at most %llu",
				lint_name(l, m->var[v].name), (unsigned long long)o->count,
				(unsigned long long)o->arrivals);
	}
	memory_drop(w.object);
}
