/* The control word of the general kernels: written by arith_find, the same for all lanes. Bit
 * fields from low to high. */
#ifndef PTXI_ARITH_CONTROL_H
#define PTXI_ARITH_CONTROL_H
#include "arith/table.h"

/* A row's number, the same in every version of the kernels: file << 12 | row. */
#define CONTROL_ROW(c) ((unsigned)(c)&0xffffu)

/* setp, set, lop3 with a predicate */
enum boolop { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };
enum set_result { SET_ONES, SET_F32, SET_F16, SET_BF16 };
#define CONTROL_BOOL(c) ((unsigned)((c) >> 16) & 3u)
#define CONTROL_BOOL_PUT(op) ((uint64_t)(op) << 16)
#define CONTROL_NEGATE_C ((uint64_t)1 << 19) /* the predicate source is complemented */
#define CONTROL_HALVES ((uint64_t)1 << 20)   /* sources are pairs of 16-bit elements */
#define CONTROL_RESULT(c) ((unsigned)((c) >> 21) & 3u)
#define CONTROL_RESULT_PUT(kind) ((uint64_t)(kind) << 21)
#define CONTROL_BYTES(c) (1u << ((unsigned)((c) >> 24) & 7u)) /* set: bytes of the destination */
#define CONTROL_BYTES_PUT(log2) ((uint64_t)(log2) << 24)

/* which operands are complemented predicates */
#define CONTROL_NEGATED(c, i) ((unsigned)((c) >> (40 + (i))) & 1u)
#define CONTROL_NEGATED_PUT(i) ((uint64_t)1 << (40 + (i)))
/* maximum operands with complemented predicates: not has 2, and, or, xor have 3, selp has 4 */
#define CONTROL_OPERANDS 4

/* The general kernels of one version; a number in a name counts the operands without the control
 * word. */
#define ARITH_GENERAL(G) \
	G(setp_pc) \
	G(setp_pq) G(setp_pqc) G(set) G(set_c) G(lop3) G(negated2) G(negated3) G(negated4)
struct arith_general {
#define G(name) arith_kernel *name;
	ARITH_GENERAL(G)
#undef G
};

struct arith_level {
	arith_kernel *const *const *run; /* tables in the order of ARITH_FILES */
	const struct arith_general *general;
};
#endif
