/* The core's own instructions: control flow, barriers, sleep. */
#ifndef PTXI_INTERP_EXEC_H
#define PTXI_INTERP_EXEC_H
#include "interp/state.h"

/* brx.idx: op->extra. */
struct branch_table {
	uint32_t count;
	uint32_t *target; /* op indices */
};

/* One argument or result of a call. */
enum argument_kind { ARGUMENT_NONE, ARGUMENT_PLACE, ARGUMENT_LOCAL };
struct argument {
	uint8_t kind;
	uint8_t width;  /* PLACE: bytes a lane, 0 = predicate */
	uint32_t place; /* PLACE: in the caller's frame; LOCAL: offset from the frame's local_base */
	uint32_t bytes, align; /* LOCAL */
	bool array;
};
/* call: op->extra. */
struct call_site {
	uint32_t func; /* ir function, or IR_NONE: op->at[0] has the targets */
	int runtime;   /* number of a provided function, or -1 */
	uint32_t nrets, nargs;
	struct argument *ret, *arg;
};

enum barrier_kind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };

exec_fn exec_brx, exec_call, exec_ret, exec_exit, exec_trap, exec_brkpt, exec_nothing, exec_nanosleep, exec_unsupported, exec_bar, exec_bar_warp;

/* Whether a path leads from op FROM to one for which TEST holds, FROM itself included. (reconverge.c) */
bool decode_reaches(const struct code_func *c, uint32_t from, bool (*test)(const struct op *op));
/* Fills op->reconverge of branches and calls: the immediate post-dominator. (reconverge.c) */
void decode_reconverge(struct code_func *c);

#endif
