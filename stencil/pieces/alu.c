/* Pieces of the expressions of one .def file (ALU_FILE): each computes 8 lanes, and the copier puts
 * four of them one after the other, their operands one step further each time. Comparisons collect
 * the lanes' results in a register, from where PIECE_put_predicate stores them. */
#include "arith/fp.h"
#include "arith/lane.h"
#include "arith/table.h"
#include "stencil/pieces/holes.h"

enum { STEP_LANES = 32 / PIECE_STEPS };
_Static_assert(STEP_LANES == 8, "a byte of a predicate for each step");

#define ELEMENTS(n) _Pragma("GCC ivdep") for (unsigned i = 0; i < (n); i++)
#define OPERAND(T, k) \
	__builtin_assume_aligned( \
		PLACE(k), STEP_LANES * sizeof(T) < 32 ? STEP_LANES * sizeof(T) : 32)
#define SOURCE(T, p, k) const T *const p = OPERAND(T, k);

/* The results of a step are the next bits from the top. */
typedef uint32_t eight __attribute__((vector_size(4 * STEP_LANES), may_alias));
#define COLLECT() \
	{ \
		uint32_t some; \
		__asm__("vmovmskps %1, %0" : "=r"(some) : "x"(w)); \
		results = results >> STEP_LANES | some << (32 - STEP_LANES); \
		return next(); \
	}

/* First inclusion: each row becomes a piece. */
/* clang-format off */
#define K1(name, key, n, D, A, ...) \
	PIECE(name) { D *const d = OPERAND(D, 0); SOURCE(A, pa, 1) ELEMENTS(STEP_LANES * (n)) \
	{ const A a = pa[i]; d[i] = (D)(__VA_ARGS__); } return next(); }
#define K2(name, key, n, D, A, B, ...) \
	PIECE(name) { D *const d = OPERAND(D, 0); SOURCE(A, pa, 1) SOURCE(B, pb, 2) ELEMENTS(STEP_LANES * (n)) \
	{ const A a = pa[i]; const B b = pb[i]; d[i] = (D)(__VA_ARGS__); } return next(); }
#define K3(name, key, n, D, A, B, C, ...) \
	PIECE(name) { D *const d = OPERAND(D, 0); SOURCE(A, pa, 1) SOURCE(B, pb, 2) SOURCE(C, pc, 3) ELEMENTS(STEP_LANES * (n)) \
	{ const A a = pa[i]; const B b = pb[i]; const C c = pc[i]; d[i] = (D)(__VA_ARGS__); } return next(); }
#define K4(name, key, D, A, B, C, E, ...) \
	PIECE(name) { D *const d = OPERAND(D, 0); SOURCE(A, pa, 1) SOURCE(B, pb, 2) SOURCE(C, pc, 3) SOURCE(E, pe, 4) ELEMENTS(STEP_LANES) \
	{ const A a = pa[i]; const B b = pb[i]; const C c = pc[i]; const E e = pe[i]; d[i] = (D)(__VA_ARGS__); } return next(); }
#define K2P(name, key, D, A, B, ...) \
	PIECE(name) { D *const d = OPERAND(D, 0); SOURCE(A, pa, 1) SOURCE(B, pb, 2) const uint32_t third = *(const uint8_t *)PLACE(3); \
	ELEMENTS(STEP_LANES) { const A a = pa[i]; const B b = pb[i]; const bool c = third & 1u << i; d[i] = (D)(__VA_ARGS__); } return next(); }
#define P1(name, key, A, ...) \
	PIECE(name) { SOURCE(A, pa, 1) eight w; ELEMENTS(STEP_LANES) \
	{ const A a = pa[i]; ((uint32_t *)&w)[i] = (__VA_ARGS__) ? ~0u : 0; } COLLECT() }
#define S_ONE(op, name, first, second, A, ...) \
	PIECE(setp_##op##_##name) { SOURCE(A, pa, first) SOURCE(A, pb, second) eight w; ELEMENTS(STEP_LANES) \
	{ const A a = pa[i]; const A b = pb[i]; ((uint32_t *)&w)[i] = (__VA_ARGS__) ? ~0u : 0; } COLLECT() }
#define S2(yes, no, name, key, A, ...) \
	S_ONE(yes, name, 1, 2, A, __VA_ARGS__) \
	S_ONE(no, name, 1, 2, A, !(__VA_ARGS__))
#define S4(yes, no, yes_exchanged, no_exchanged, name, key, A, ...) \
	S2(yes, no, name, key, A, __VA_ARGS__) \
	S_ONE(yes_exchanged, name, 2, 1, A, __VA_ARGS__) \
	S_ONE(no_exchanged, name, 2, 1, A, !(__VA_ARGS__))
/* Logic on predicates: all lanes at once. */
#define L1(name, key, ...) PIECE(name) { const uint32_t a = WORD(1); results = (__VA_ARGS__); return next(); }
#define L2(name, key, ...) PIECE(name) { const uint32_t a = WORD(1), b = WORD(2); results = (__VA_ARGS__); return next(); }
#define HAND(name, key, ndest, nops, ...)
#define ALSO(name, key, ndest, nops, ...)
#include ALU_FILE

/* Second inclusion: the pieces in the order of the rows. */
#include "arith/kernel/rows.h"
#undef HAND
#define HAND(name, key, ndest, nops, ...) 0,
piece *const piece_rows[] = {
#include ALU_FILE
};
