/* What pieces and the functions that they call share. */
#ifndef PTXI_STENCIL_RUN_H
#define PTXI_STENCIL_RUN_H
#include <stdint.h>
#include "interp/native.h"

/* Beside the state that all translated code has (native.h), while a unit runs. */
struct stencil_run {
	/* results of all lanes, of which some become those of a register; of a load whose elements
	 * become wider, first the elements, then the results */
	_Alignas(64) uint8_t scratch[2][32 * 8];
	void *operand[5]; /* of a kernel that is called */
	uint32_t stop;    /* the op at which the straight run stops */
	uint32_t mask;    /* STENCIL_PART: the lanes that branch */
	int flow;         /* STENCIL_FLOW: what the executor returned */
};

/* Why the pieces of a unit return, at op state->pc. */
enum stencil_exit {
	STENCIL_STOP,    /* the straight run stops here, or before the next place that looks */
	STENCIL_YIELD,   /* after a branch, the scheduler decides: counted */
	STENCIL_FLOW,    /* the op is executed; the scheduler decides, or the machine stops */
	STENCIL_PART,    /* some of the lanes branch */
	STENCIL_BARRIER, /* all lanes wait */
};

/* An access of all lanes of MASK, values at VALUE, addresses at REG plus ADD. False: nothing was
 * done. */
typedef _Bool stencil_access(
	const struct native_state *s, void *value, const void *reg, uint64_t add, uint32_t mask);

struct stencil_code;
/* Runs U from the op s->pc on: what a native_unit returns. */
int stencil_run(struct native_state *s, struct stencil_code *u);

#endif
