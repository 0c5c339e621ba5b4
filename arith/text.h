/* The expressions of the kernels as text, for the generator of translated code. */
#ifndef PTXI_ARITH_TEXT_H
#define PTXI_ARITH_TEXT_H
#include "arith/arith.h"
#include <stddef.h>

/* What a kernel computes for each element of a lane. */
struct arith_text {
	/* 1 to 4: that many sources; c: two sources and a predicate; p: a predicate of one source;
	 * s, n, x, y: setp, complemented, with exchanged sources, both; l, m: logic on one and two
	 * predicates */
	char form;
	unsigned elements;   /* of a lane */
	const char *type[5]; /* of the destination (not of a predicate), then the sources; not
				terminated */
	size_t type_length[5];
	const char *expression; /* of a, b, c, e; not terminated */
	size_t length;
};

/* False: the kernel has no expression, or takes more than lanes and predicates. */
bool arith_text(arith_kernel *run, struct arith_text *out);

/* The x86-64 level of the kernels that this processor runs: 2, 3, 4; 0: another processor, or one
 * whose rounding is done by integer arithmetic. */
int arith_processor(void);

#endif
