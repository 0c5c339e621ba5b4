/* Sum, product, quotient, root and fused product of f32 and f64 by integers alone, in each
 * rounding: for machines whose mode cannot be set (WebAssembly) or whose C library has no right
 * fma. Exact result, rounded once, as IEEE 754 says. TYPE is f32 or f64; a NaN is the type's
 * canonical one. */
#ifndef PTXI_ARITH_ROUNDING_H
#define PTXI_ARITH_ROUNDING_H
#include "arith/soft.h"

uint64_t rounded_sum(enum type type, uint64_t a, uint64_t b, enum soft_round mode);
uint64_t rounded_product(enum type type, uint64_t a, uint64_t b, enum soft_round mode);
/* a * b + c */
uint64_t rounded_fused(enum type type, uint64_t a, uint64_t b, uint64_t c, enum soft_round mode);
uint64_t rounded_quotient(enum type type, uint64_t a, uint64_t b, enum soft_round mode);
uint64_t rounded_root(enum type type, uint64_t a, enum soft_round mode);

/* Whether this machine needs them: its rounding mode cannot be set, or its fma rounds twice. */
bool rounding_needed(void);
#endif
