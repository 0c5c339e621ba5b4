/* Places of operands: what decode's own files need beside decode.h. */
#ifndef PTXI_INTERP_PLACE_H
#define PTXI_INTERP_PLACE_H
#include "interp/decode.h"

/* Bytes a lane of register REG of the function, 0 for a predicate. */
unsigned decode_reg_width(const struct decoder *d, uint32_t reg);
/* The place of component COMPONENT (0, ..) of the register operand O names. */
uint32_t decode_register(struct decoder *d, const struct ir_operand *o, unsigned component, unsigned *width);
/* Emits the read of special register O into TO. */
void decode_sreg(struct decoder *d, const struct ir_operand *o, uint32_t to, unsigned width);
/* Emits a copy that zero-extends or cuts. */
void decode_resize(struct decoder *d, uint32_t to, unsigned to_width, uint32_t from, unsigned from_width);
/* Whether V is a formal parameter or result of its function, not a variable declared inside. */
bool decode_is_formal(const struct ir_module *m, const struct ir_var *v);

#endif
