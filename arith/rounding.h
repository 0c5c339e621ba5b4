/* Sum, product, quotient, square root and fused multiply-add of f32 and f64 by integer arithmetic,
 * in each rounding mode: for machines whose mode cannot be set (WebAssembly) or whose C library has
 * an incorrect fma. The exact result is rounded once, as in IEEE 754. TYPE is f32 or f64; a NaN is
 * the type's canonical one. */
#ifndef PTXI_ARITH_ROUNDING_H
#define PTXI_ARITH_ROUNDING_H
#include "arith/soft.h"

/* The exact sum, product and x * y + z, for a rounding to follow: bits below a significand of 64
 * are combined into its lowest one. MODE only decides the sign of a zero. A NaN has no payload. */
struct soft soft_sum(struct soft x, struct soft y, enum soft_round mode);
struct soft soft_product(struct soft x, struct soft y);
struct soft soft_fused(struct soft x, struct soft y, struct soft z, enum soft_round mode);

uint64_t rounded_sum(enum type type, uint64_t a, uint64_t b, enum soft_round mode);
uint64_t rounded_product(enum type type, uint64_t a, uint64_t b, enum soft_round mode);
/* a * b + c */
uint64_t rounded_fused(enum type type, uint64_t a, uint64_t b, uint64_t c, enum soft_round mode);
uint64_t rounded_quotient(enum type type, uint64_t a, uint64_t b, enum soft_round mode);
uint64_t rounded_root(enum type type, uint64_t a, enum soft_round mode);

/* Whether this machine needs these functions: its rounding mode cannot be set, or its fma rounds
 * twice. */
bool rounding_needed(void);
#endif
