/* The //@ tensormap line. */
#ifndef PTXI_SCRIPT_TENSOR_H
#define PTXI_SCRIPT_TENSOR_H
#include "arith/tensor_map.h"
#include "script/lang/resolve.h"

enum tensor_option {
	OPTION_BOX,
	OPTION_STRIDE,
	OPTION_STEP,
	OPTION_LOWER,
	OPTION_UPPER,
	OPTION_CHANNELS,
	OPTION_PIXELS,
	OPTION_SWIZZLE,
	OPTION_ATOM,
	OPTION_INTERLEAVE,
	OPTION_PROMOTION,
	OPTION_FILL,
	TENSOR_OPTIONS
};
struct tensor_line {
	struct expr *dims, *option[TENSOR_OPTIONS]; /* lists */
	struct tensor_map map;                      /* resolved, but for its address */
	/* while running: what kernels get as a parameter */
	unsigned char image[TENSOR_IMAGE];
};

/* Parses what follows the word tensormap. */
bool tensor_line_parse(struct lexer *x, struct stmt *t);
/* Checks T and fills its map; its name becomes an object. */
bool tensor_line_resolve(struct resolver *r, struct stmt *t);
#endif
