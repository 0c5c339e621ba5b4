/* What the text of a unit depends on: as a function that has nothing else, from which the text is
 * written, and as bytes. Were a member forgotten, the writer would not see it either. */
#include "native/key.h"
#include "base/memory.h"
#include <string.h>

/* Whether units depend on OP's member of the union. */
static bool tells(const struct op *op)
{
	switch ((int)op->kind) {
	case KIND_BRANCH:
	case KIND_BRANCH_INDEX:
	case KIND_SREG:
	case KIND_CVTA:
	case KIND_LOAD:
	case KIND_STORE:
	case KIND_ATOM:
	case KIND_RED:
	case KIND_BARRIER: return true;
	default: return false;
	}
}

struct code_func native_bare(const struct code_func *c)
{
	struct code_func bare = {.op = memory_zeroed(c->nops + 1, sizeof *c->op),
		.nops = c->nops,
		.constant = c->constant,
		.constant_bytes = c->constant_bytes};

	for (uint32_t k = 0; k < c->nops; k++) {
		const struct op *op = &c->op[k];
		struct op *to = &bare.op[k];

		to->kind = op->kind;
		if (op->kind == KIND_ALU)
			to->run.kernel = op->run.kernel;
		memcpy(to->at, op->at, sizeof to->at);
		memcpy(to->width, op->width, sizeof to->width);
		to->guard = op->guard;
		to->guard_xor = op->guard_xor;
		to->noperands = op->noperands;
		to->ndests = op->ndests;
		if (tells(op))
			to->access = op->access; /* the largest of them */
	}
	return bare;
}

static void add(struct text *out, const void *bytes, size_t n) { text_add(out, bytes, n); }

void native_key(const struct code_func *bare, struct text *out)
{
	const uint32_t head[] = {bare->nops, bare->constant_bytes};

	add(out, head, sizeof head);
	for (uint32_t k = 0; k < bare->nops; k++) {
		const struct op *op = &bare->op[k];
		struct op plain = *op;

		/* pointers differ from run to run, but not a kernel's distance from what else is
		 * in the program */
		plain.run.kernel = NULL;
		if (op->kind == KIND_BRANCH_INDEX)
			plain.table = NULL;
		if (op_accesses(op))
			plain.access.vector_at = NULL;
		add(out, &plain, sizeof plain);
		if (op->kind == KIND_ALU) {
			uintptr_t at = (uintptr_t)op->run.kernel - (uintptr_t)native_text;

			add(out, &at, sizeof at);
		} else if (op->kind == KIND_BRANCH_INDEX) {
			add(out, &op->table->count, sizeof op->table->count);
			add(out, op->table->target, op->table->count * sizeof *op->table->target);
		} else if (op_accesses(op) && op->access.vector_at) {
			add(out, op->access.vector_at, sizeof *op->access.vector_at);
		}
	}
	add(out, bare->constant, bare->constant_bytes);
}
