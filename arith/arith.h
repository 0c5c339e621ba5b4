/* Lane-wise arithmetic: what each operation does to one lane, and to 32 lanes under a mask. There
 * is no machine state: registers are passed by pointer.
 *
 * A warp's register is 32 lanes side by side, `width` bytes each; a predicate register is one
 * uint32_t with one bit per lane (width 0 below). The kernels are compiled several times (for
 * x86-64-v2, -v3 and -v4, or once on other machines, and a version that rounds by integer
 * arithmetic); the best one is chosen for the processor. */
#ifndef PTXI_ARITH_ARITH_H
#define PTXI_ARITH_ARITH_H
#include "isa/order.h"
#include <stdbool.h>
#include <stdint.h>

#define ARITH_MAX_OPERANDS 8

/* A kernel. v[i] points to the lanes of operand i, destinations first, aligned to 64 bytes. Lanes
 * in MASK are computed, others are left unchanged. A destination may be the same register as a
 * source, lane for lane. Instructions with the condition code have it as the last operand, a
 * predicate (width 0): add.cc writes it, addc reads it, addc.cc does both. */
typedef void arith_kernel(void *const *v, uint32_t mask);

struct arith_query {
	uint16_t opcode; /* enum opcode */
	uint8_t nwords;
	/* the version of the kernels: 0 the best for this processor (with the macro
	 * ARITH_SOFT_ROUNDING: 1), 1 the one that rounds by integer arithmetic; 2, 3, 4:
	 * x86-64-v<n> (for tests) */
	uint8_t level;
	/* number of operands as written, without the condition code; a pair d|p or a vector {a, b}
	 * counts as its elements */
	uint8_t noperands;
	const uint16_t *word; /* [nwords] the instruction's words in canonical order */
	/* bytes per lane of the operand's register (0: predicate; 0xff: immediate, any width) */
	uint8_t reg_bytes[ARITH_MAX_OPERANDS];
	/* value of an immediate operand (lop3's table, prmt's selector, ...) */
	uint64_t immediate[ARITH_MAX_OPERANDS];
	bool is_immediate[ARITH_MAX_OPERANDS];
	/* a predicate source written !p, which the kernel complements; -a of vmad */
	bool negated[ARITH_MAX_OPERANDS];
	/* video instructions: the operand's selector, a word (W_b0, W_h1, W_b32, W_SELECT +
	 * digits), or W_NONE */
	uint16_t selector[ARITH_MAX_OPERANDS];
};
struct arith_op {
	arith_kernel *run;
	uint8_t noperands; /* including condition code and control word */
	uint8_t ndests;    /* the first ndests operands are destinations */
	/* the last operand (before a control word) is the condition code */
	bool reads_cc, writes_cc;
	/* bytes per lane that the kernel reads or writes; 0 = predicate */
	uint8_t width[ARITH_MAX_OPERANDS + 1];
	/* the kernel has one more operand than the instruction: v[noperands - 1] points to the
	 * uint64_t `control`, 8-byte aligned, valid as long as the kernel may run; a single number,
	 * not 32 lanes, after the condition code */
	bool has_control;
	uint64_t control;
};

/* Finds the kernel for an instruction. Returns false if there is none. */
bool arith_find(const struct arith_query *q, struct arith_op *op);

/* The new value of an atomic operation OP of TYPE on the bits OLD with B (and C for cas). Floating
 * point: rounded to nearest; FTZ flushes subnormal inputs and results. (PTX ISA 9.7.15.5 atom) */
uint64_t arith_atomic(
	enum atomic op, enum type type, bool ftz, uint64_t old, uint64_t b, uint64_t c);
/* The result of redux.sync over the lanes of MASK of 32-bit values. */
uint32_t arith_redux(
	enum atomic op, enum type type, bool abs, bool nan, const uint32_t *lanes, uint32_t mask);

#endif
