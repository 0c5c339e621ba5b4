/* Function calls, inlined into the kernel's code. */
#ifndef PTXI_EXPLORE_PTX_CALL_H
#define PTXI_EXPLORE_PTX_CALL_H
#include "explore/ptx/thread.h"

struct call_site;
/* The call site of OP; NULL if OP is not a call. */
const struct call_site *ptx_call_site(const struct op *op);
/* Fills the parts, ops and callees of C with KERNEL and everything that it may call. */
void ptx_code_join(struct ptx_code *c, const struct machine *m, const struct code_func *kernel,
	struct arena *arena);

/* One side of passing a parameter or result: a register of a part, or bytes of the thread's local
 * memory. */
struct ptx_side {
	bool local, none;
	const struct ptx_part *part;
	uint32_t at, width; /* width: bytes; 0: a predicate */
};
/* The two sides of the K-th value that the call at PC of part CALLEE, or the return at PC, passes;
 * false past the last. */
bool ptx_passes(const struct machine *m, const struct ptx_code *c, uint32_t pc, uint32_t callee,
	uint32_t k, struct ptx_side *to, struct ptx_side *from);
/* Where the call of vprintf at PC stores its result; false: nowhere. */
bool ptx_print_result(const struct ptx_code *c, uint32_t pc, struct ptx_side *to);
/* Performs the call (false: the thread stops there), return or call of vprintf at s->pc. */
bool ptx_call(struct machine *m, struct ptx_bench *b, struct ptx_state *s, struct action *a);
void ptx_return(const struct machine *m, struct ptx_bench *b, struct ptx_state *s);
void ptx_print(struct ptx_bench *b, struct ptx_state *s);

#endif
