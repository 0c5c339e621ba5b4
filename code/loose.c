/* Which kernels look at registers only by instructions that name them, in the lanes that execute
 * them. */
#include "code/loose.h"
#include "isa/isa.h"

bool code_is_quiet(const struct code_func *c)
{
	for (uint32_t k = 0; k < c->nops; k++) {
		const struct op *op = &c->op[k];

		switch ((int)op->kind) {
		case KIND_ALU:
		case KIND_BRANCH:
		case KIND_BRANCH_INDEX:
		case KIND_RETURN:
		case KIND_EXIT:
		case KIND_TRAP:
		case KIND_NOTHING:
		case KIND_RESIZE:
		case KIND_REGROUP:
		case KIND_COMPLEMENT:
		case KIND_ADDRESS:
		case KIND_CVTA:
		case KIND_ISSPACEP:
		case KIND_POLICY:
		case KIND_FENCE:
		case KIND_VOTE:
		case KIND_ACTIVEMASK:
		case KIND_SHFL:
		case KIND_WARP_BARRIER:
		case KIND_BARRIER:
		case KIND_STORE: break;
		case KIND_LOAD:
			if (op->access.sem != SEM_WEAK)
				return false;
			break;
		case KIND_SREG:
			if (op->sreg.which != SREG_tid && op->sreg.which != SREG_ntid &&
				op->sreg.which != SREG_ctaid && op->sreg.which != SREG_nctaid &&
				op->sreg.which != SREG_laneid && op->sreg.which != SREG_warpid)
				return false;
			break;
		default: return false;
		}
	}
	return true;
}

bool code_has(const struct code_func *c, enum op_kind kind)
{
	for (uint32_t k = 0; k < c->nops; k++)
		if (c->op[k].kind == kind)
			return true;
	return false;
}
