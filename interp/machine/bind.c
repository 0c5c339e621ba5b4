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

/* Whether the block path applies (exec.h). 32-bit addresses belong to shared, local and .const
 * memory. */
static bool has_block_path(const struct op *op)
{
	const struct op_access *a = &op->access;
	unsigned width = op->width[a->base_operand];

	if (a->bytes > 8 || a->sem > SEM_RELAXED || a->space == W_param ||
		(width != 4 && width != 8))
		return false;
	return width == 8 || a->space == W_shared || a->space == W_local || a->space == W_const;
}

/* The block path of an access among those for scalars of 1, 2, 4, 8 bytes and for vectors of 2, 4,
 * 8, 16, 32 in all; NULL: none. */
static exec_fn *block_path(const struct op *op, exec_fn *const scalar[4], exec_fn *const vector[5])
{
	const struct op_access *a = &op->access;
	unsigned size = (unsigned)__builtin_ctz((unsigned)a->bytes * a->vector);

	if (!has_block_path(op))
		return NULL;
	if (a->vector == 1)
		return scalar[size];
	return size > 3 ? (a->bytes >= 4 ? vector[size - 1] : NULL)
			: (a->vector <= 4 ? vector[size - 1] : NULL);
}

static exec_fn *bind_load(const struct machine *m, const struct op *op)
{
	static exec_fn *const scalar[] = {exec_ld_1, exec_ld_2, exec_ld_4, exec_ld_8};
	static exec_fn *const vector[] = {
		exec_ld_word2, exec_ld_word4, exec_ld_word8, exec_ld_part16, exec_ld_part32};
	exec_fn *block = block_path(op, scalar, vector);

	if (is_weak(m, &op->access))
		return m->weak_memory->ld;
	if (is_watched(m))
		return exec_ld_watched;
	return op->access.fixed ? exec_ld_param : block ? block : exec_ld;
}

static exec_fn *bind_store(const struct machine *m, const struct op *op)
{
	static exec_fn *const scalar[] = {exec_st_1, exec_st_2, exec_st_4, exec_st_8};
	static exec_fn *const vector[] = {
		exec_st_word2, exec_st_word4, exec_st_word8, exec_st_part16, exec_st_part32};
	exec_fn *block = block_path(op, scalar, vector);

	if (is_weak(m, &op->access))
		return m->weak_memory->st;
	return is_watched(m) ? exec_st_watched : block ? block : exec_st;
}

/* Whether a worker may defer the reduction and combine it with others (combine.h). */
static bool may_combine(const struct op *op)
{
	const struct op_access *a = &op->access;

	return a->unread && a->vector == 1 && a->sem == SEM_RELAXED &&
		op->width[a->base_operand] == 8 && (a->space == W_global || a->space == W_NONE) &&
		a->integer && atomic_commutes((enum atomic)a->atomic);
}

static exec_fn *bind_atomic(const struct machine *m, const struct op *op)
{
	if (is_weak(m, &op->access))
		return m->weak_memory->atom;
	return is_watched(m) ? exec_atom_watched : may_combine(op) ? exec_combine : exec_atom;
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
