/* The control-flow graph of one function: basic blocks, edges, immediate post-dominators,
 * reachability. */
#ifndef PTXI_IR_CFG_H
#define PTXI_IR_CFG_H
#include "ir/ir.h"

struct ir_block {
	uint32_t first, count; /* instructions, numbered within the function */
	/* ir_cfg.succ[succ..]: block numbers; the exit is block ir_cfg.nblocks */
	uint32_t succ, nsuccs;
	uint32_t pred, npreds; /* ir_cfg.pred[pred..] */
	/* immediate post-dominator: the first block that all paths from here share; the exit if
	 * there is no earlier one */
	uint32_t ipdom;
	bool reachable; /* from the function's first instruction */
};

struct ir_cfg {
	uint32_t nblocks;
	struct ir_block *block; /* in the order of the instructions */
	uint32_t *succ, *pred;
	uint32_t *block_of; /* [instructions + 1] block of each instruction */
};

/* Builds the graph of function FUNC. Blocks begin at labels and after bra, brx, ret, exit, trap and
 * calls that do not return; after any other call execution continues. Free with ir_cfg_free. */
void ir_cfg_build(struct ir_cfg *c, const struct ir_module *m, uint32_t func);
void ir_cfg_free(struct ir_cfg *c);

#endif
