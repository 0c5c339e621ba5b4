/* The engine beside the interpreter: who translates functions, and what it has translated. */
#ifndef PTXI_INTERP_ENGINE_H
#define PTXI_INTERP_ENGINE_H
#include <stdint.h>
#include "interp/native.h"

struct machine;

/* A translated function. */
struct engine_code {
	native_unit *run;
	uint32_t nops;
	const uint8_t *entry; /* [nops] 1: the unit can begin at this op */
	_Bool warms;          /* what it executes counts for the threshold: there is faster code */
	struct native_unset unset;
};

struct engine {
	/* warp instructions of one function after which it is translated */
	uint64_t threshold;
	/* Called after functions were decoded, while no kernel runs. */
	void (*decoded)(struct engine *e, struct machine *m);
	/* Called by workers, several at once and perhaps repeatedly: FUNC has reached the
	 * threshold. */
	void (*hot)(struct engine *e, struct machine *m, uint32_t func);
};

#endif
