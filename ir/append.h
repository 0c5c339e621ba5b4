/* Copying a module to the end of another one. */
#ifndef PTXI_IR_APPEND_H
#define PTXI_IR_APPEND_H
#include "ir/ir.h"

/* Where functions and variables of the copied module are in the other one. */
struct ir_renumbering {
	const uint32_t *symbol;      /* [symbols.count] */
	uint32_t *func, *var;        /* [nfuncs], [nvars] */
	uint8_t *has_func, *has_var; /* 0: it is not copied, another one takes its place */
};
/* Copies FROM, whose source begins at offset AT of TO's; but not what is only printed (.loc, .file,
 * .pragma, .section). The next functions and variables of TO are those that are copied, in order.
 */
void ir_append(struct ir_module *to, const struct ir_module *from, const struct ir_renumbering *by,
	uint32_t at);
/* Ensures that N elements of SIZE bytes, of an array that this function made, have room for EXTRA
 * more. */
void *ir_room(void *array, uint32_t n, uint64_t extra, size_t size);

#endif
