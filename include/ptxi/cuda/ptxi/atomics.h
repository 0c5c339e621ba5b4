/* Atomic operations on 32 and 64 bits, relaxed, of scope gpu; with _block and _system of that
 * scope. */
#ifndef PTXI_CUDA_ATOMICS_H
#define PTXI_CUDA_ATOMICS_H
#include "words.h"

#define PTXI_ATOMIC(name, scope, type, c, op) \
	PTXI_DEVICE type name(type *p, type v) \
	{ \
		type old; \
\
		asm volatile("atom.relaxed." scope "." op " %0, [%1], %2;" \
			     : "=" c(old) \
			     : "l"(p), c(v) \
			     : "memory"); \
		return old; \
	}
#define PTXI_ATOMIC_CAS(name, scope, type, c, op) \
	PTXI_DEVICE type name(type *p, type expected, type v) \
	{ \
		type old; \
\
		asm volatile("atom.relaxed." scope ".cas." op " %0, [%1], %2, %3;" \
			     : "=" c(old) \
			     : "l"(p), c(expected), c(v) \
			     : "memory"); \
		return old; \
	}
/* END: of the names; SCOPE: of the instructions. */
#define PTXI_ATOMICS(end, scope) \
	PTXI_ATOMIC(atomicAdd##end, scope, int, "r", "add.s32") \
	PTXI_ATOMIC(atomicAdd##end, scope, unsigned, "r", "add.u32") \
	PTXI_ATOMIC(atomicAdd##end, scope, unsigned long long, "l", "add.u64") \
	PTXI_ATOMIC(atomicAdd##end, scope, unsigned long, "l", "add.u64") \
	PTXI_ATOMIC(atomicAdd##end, scope, float, "f", "add.f32") \
	PTXI_ATOMIC(atomicAdd##end, scope, double, "d", "add.f64") \
	PTXI_DEVICE int atomicSub##end(int *p, int v) { return atomicAdd##end(p, -v); } \
	PTXI_DEVICE unsigned atomicSub##end(unsigned *p, unsigned v) \
	{ \
		return atomicAdd##end(p, -v); \
	} \
	PTXI_ATOMIC(atomicExch##end, scope, int, "r", "exch.b32") \
	PTXI_ATOMIC(atomicExch##end, scope, unsigned, "r", "exch.b32") \
	PTXI_ATOMIC(atomicExch##end, scope, unsigned long long, "l", "exch.b64") \
	PTXI_ATOMIC(atomicExch##end, scope, unsigned long, "l", "exch.b64") \
	PTXI_ATOMIC(atomicExch##end, scope, float, "f", "exch.b32") \
	PTXI_ATOMIC(atomicMin##end, scope, int, "r", "min.s32") \
	PTXI_ATOMIC(atomicMin##end, scope, unsigned, "r", "min.u32") \
	PTXI_ATOMIC(atomicMin##end, scope, long long, "l", "min.s64") \
	PTXI_ATOMIC(atomicMin##end, scope, unsigned long long, "l", "min.u64") \
	PTXI_ATOMIC(atomicMax##end, scope, int, "r", "max.s32") \
	PTXI_ATOMIC(atomicMax##end, scope, unsigned, "r", "max.u32") \
	PTXI_ATOMIC(atomicMax##end, scope, long long, "l", "max.s64") \
	PTXI_ATOMIC(atomicMax##end, scope, unsigned long long, "l", "max.u64") \
	PTXI_ATOMIC(atomicInc##end, scope, unsigned, "r", "inc.u32") \
	PTXI_ATOMIC(atomicDec##end, scope, unsigned, "r", "dec.u32") \
	PTXI_ATOMIC(atomicAnd##end, scope, int, "r", "and.b32") \
	PTXI_ATOMIC(atomicAnd##end, scope, unsigned, "r", "and.b32") \
	PTXI_ATOMIC(atomicAnd##end, scope, unsigned long long, "l", "and.b64") \
	PTXI_ATOMIC(atomicOr##end, scope, int, "r", "or.b32") \
	PTXI_ATOMIC(atomicOr##end, scope, unsigned, "r", "or.b32") \
	PTXI_ATOMIC(atomicOr##end, scope, unsigned long long, "l", "or.b64") \
	PTXI_ATOMIC(atomicXor##end, scope, int, "r", "xor.b32") \
	PTXI_ATOMIC(atomicXor##end, scope, unsigned, "r", "xor.b32") \
	PTXI_ATOMIC(atomicXor##end, scope, unsigned long long, "l", "xor.b64") \
	PTXI_ATOMIC_CAS(atomicCAS##end, scope, int, "r", "b32") \
	PTXI_ATOMIC_CAS(atomicCAS##end, scope, unsigned, "r", "b32") \
	PTXI_ATOMIC_CAS(atomicCAS##end, scope, unsigned long long, "l", "b64") \
	PTXI_ATOMIC_CAS(atomicCAS##end, scope, unsigned long, "l", "b64") \
	PTXI_ATOMIC_CAS(atomicCAS##end, scope, unsigned short, "h", "b16")
PTXI_ATOMICS(, "gpu")
PTXI_ATOMICS(_block, "cta")
PTXI_ATOMICS(_system, "sys")
#undef PTXI_ATOMICS
#undef PTXI_ATOMIC
#undef PTXI_ATOMIC_CAS

#endif
