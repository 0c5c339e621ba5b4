/* Selects the function that executes an op on this machine: the one for its kind, or a faster
 * one for what is known about it. */
#include "interp/state/exec.h"
#include "interp/state/weak_memory.h"

static exec_fn *const executor_of[KIND_COUNT] = {
#define IN_LOOP(NAME, leads)
#define KIND(NAME, executor, leads) [KIND_##NAME] = exec_##executor,
#include "code/op_kind.def"
};

static bool is_watched(const struct machine *m)
{
	return (m->interest & INTEREST_ACCESS) != 0 || (m->options.checks & CHECK_INIT) != 0;
}

/* --memory=weak: accesses that other threads may observe use the sampler. */
static bool is_weak(const struct machine *m, const struct op_access *a)
{
	return m->weak && access_is_common(a);
}

static exec_fn *bind_load(const struct machine *m, const struct op *op)
{
	exec_fn *block = exec_ld_block(op);

	if (is_weak(m, &op->access))
		return m->weak_memory->ld;
	if (is_watched(m))
		return block && !m->options.lane_by_lane ? exec_ld_watched : exec_ld_lanes;
	return block ? block : exec_ld;
}

static exec_fn *bind_store(const struct machine *m, const struct op *op)
{
	exec_fn *block = exec_st_block(op);

	if (is_weak(m, &op->access))
		return m->weak_memory->st;
	if (is_watched(m))
		return block && !m->options.lane_by_lane ? exec_st_watched : exec_st_lanes;
	return block ? block : exec_st;
}

static exec_fn *bind_atomic(const struct machine *m, const struct op *op)
{
	if (is_weak(m, &op->access))
		return m->weak_memory->atom;
	if (is_watched(m))
		return exec_atom_has_block(op) && !m->options.lane_by_lane ? exec_atom_watched
									   : exec_atom_lanes;
	return op_is_sum(op) ? exec_combine : exec_atom;
}

/* Two 32-bit halves and a 64-bit register are the most common case. */
static exec_fn *bind_regroup(const struct op *op)
{
	if (op->noperands != 3)
		return exec_regroup;
	if (op->ndests == 1 && op->width[0] == 8 && op->width[1] == 4)
		return exec_pack2;
	return op->ndests == 2 && op->width[0] == 4 && op->width[1] == 4 ? exec_unpack2
									 : exec_regroup;
}

static exec_fn *bind_function(const struct machine *m, const struct op *op)
{
	switch (op->kind) {
	case KIND_LOAD: return bind_load(m, op);
	case KIND_STORE: return bind_store(m, op);
	case KIND_ATOM:
	case KIND_RED: return bind_atomic(m, op);
	case KIND_REGROUP: return bind_regroup(op);
	/* the sampler does not know textures */
	case KIND_TEXTURE: return m->weak ? exec_unsupported : exec_texture;
	case KIND_CVTA:
		return !op->cvta.add && op->width[0] == 8 && op->width[1] == 8 ? exec_cvta_same
									       : exec_cvta;
	default: return executor_of[op->kind];
	}
}

void bind_again(struct machine *m)
{
	for (uint32_t f = 0; f < m->module->nfuncs; f++)
		m->code.func[f].bound = false;
}

void bind_code(struct machine *m)
{
	for (uint32_t f = 0; f < m->module->nfuncs; f++) {
		struct code_func *c = &m->code.func[f];

		for (uint32_t k = 0; c->decoded && !c->bound && k < c->nops; k++)
			if (c->op[k].kind > KIND_BRANCH)
				c->op[k].run.exec = bind_function(m, &c->op[k]);
		c->bound = c->decoded;
	}
}
