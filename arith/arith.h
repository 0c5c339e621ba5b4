/* What each operation does to a lane, and the same for 32 lanes under a mask. No machine state:
 * registers come and go through pointers.
 *
 * A register of a warp is 32 lanes side by side, `width` bytes each; a predicate register is one
 * uint32_t, bit = lane (width 0 below). Builds of the kernels (x86-64-v2, -v3, -v4; one elsewhere;
 * and one that rounds by integers) are chosen among by the processor. */
#ifndef PTXI_ARITH_ARITH_H
#define PTXI_ARITH_ARITH_H
#include "isa/order.h"
#include <stdbool.h>
#include <stdint.h>

#define ARITH_MAX_OPERANDS 8

/* v[i] = the lanes of operand i, destinations first; alignment 64. The lanes in MASK are computed;
 * the others are left alone. A destination may be one of the sources (the very same register).
 * Instructions with the condition code have it as last operand, a predicate (width 0): add.cc
 * writes it, addc reads it (addc.cc reads and writes it). */
typedef void arith_kernel(void *const *v, uint32_t mask);

struct arith_query {
	uint16_t opcode; /* enum opcode */
	uint8_t nwords;
	/* the build of the kernels: 0 the best for this processor (with the macro
	 * ARITH_SOFT_ROUNDING: 1), 1 the one that rounds by integers, 2, 3, 4 x86-64-v<n> (for
	 * tests) */
	uint8_t level;
	/* operands as written, without the condition code; a pair d|p and a vector {a, b} count as
	 * their elements */
	uint8_t noperands;
	const uint16_t *word; /* canonical words of the instruction */
	/* bytes a lane of the operand's register (predicate 0, immediate: 0xff = as the kernel
	 * likes) */
	uint8_t reg_bytes[ARITH_MAX_OPERANDS];
	/* value of an operand that is an immediate (lop3's table, prmt...) */
	uint64_t immediate[ARITH_MAX_OPERANDS];
	bool is_immediate[ARITH_MAX_OPERANDS];
	/* a predicate source written !p: the kernel complements it; vmad's -a */
	bool negated[ARITH_MAX_OPERANDS];
	/* video instructions: the operand's part, a word (W_b0, W_h1, W_b32, W_SELECT + digits), or
	 * W_NONE */
	uint16_t selector[ARITH_MAX_OPERANDS];
};
struct arith_op {
	arith_kernel *run;
	uint8_t noperands;        /* control word and condition code included */
	uint8_t ndests;           /* the first ndests operands are written */
	bool reads_cc, writes_cc; /* the last operand is the condition code */
	/* bytes a lane that the kernel reads or writes; 0 = predicate */
	uint8_t width[ARITH_MAX_OPERANDS + 1];
	/* The kernel wants one more operand than the instruction has: v[noperands - 1] points to
	 * the uint64_t `control`, aligned to 8, as long as the kernel may run. It is one number,
	 * not 32 lanes, and stands behind the condition code. */
	bool has_control;
	uint64_t control;
};

/* False: arith knows no such operation. */
bool arith_find(const struct arith_query *q, struct arith_op *op);

/* Scalar parts that memory needs too: the new value of an atomic operation OP of TYPE on the bits
 * OLD with B (and C for cas). Floats: round to nearest; FTZ flushes subnormal inputs and results.
 * (PTX ISA 9.7.13.5 atom) */
uint64_t arith_atomic(
	enum atomic op, enum type type, bool ftz, uint64_t old, uint64_t b, uint64_t c);
/* redux.sync over the lanes of MASK of 32-bit values. */
uint32_t arith_redux(
	enum atomic op, enum type type, bool abs, bool nan, const uint32_t *lanes, uint32_t mask);

#endif
