/* Pieces of everything but arithmetic: masks, branches, calls of executors and kernels, as in the
 * execution loop (interp/machine/run_loop.h), with the same counts. */
#include "arith/arith.h"
#include "stencil/pieces/holes.h"
#include "stencil/run.h"

/* The lanes that execute the op: those of the group, or of them those whose guard is true. */
register uint32_t mask __asm__("r12");
register struct native_state *state __asm__("r13");
register uint32_t active __asm__("r14");
register struct stencil_run *run __asm__("r15");

#define NUMBER(k) ((uint32_t)(uintptr_t)n##k)
#define POINTER(k) \
	({ \
		void *p_; \
		__asm__("movabs $p" #k ", %0" : "=r"(p_)); \
		p_; \
	})
/* The address of operand k, in the only form that the copier takes. */
#define ADDRESS(k) \
	({ \
		void *at_; \
		__asm__("lea at" #k "(%1), %0" : "=r"(at_) : "r"(frame)); \
		at_; \
	})
#define UNLIKELY(x) __builtin_expect((x), 0)
static const uint32_t lane_bit[32] __attribute__((aligned(64))) = {1u << 0, 1u << 1, 1u << 2,
	1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12,
	1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
	1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30,
	1u << 31};
/* Before code that may not be compiled for AVX. */
#define LEAVE_AVX() __asm__ volatile("vzeroupper" ::: "memory")

/* p0: the function that runs units; p1: the unit. Not a piece among others. */
static __attribute__((used)) int enter(struct native_state *s)
{
	return ((int (*)(struct native_state *, void *))POINTER(0))(s, POINTER(1));
}

/* Before op n1: the ops before n0 are in the straight run. */
PIECE(check)
{
	if (UNLIKELY(run->stop < NUMBER(0))) {
		state->pc = NUMBER(1);
		return STENCIL_STOP;
	}
	return next();
}

PIECE(leave)
{
	state->pc = NUMBER(1);
	return STENCIL_STOP;
}

PIECE(guard)
{
	mask = active & (WORD(0) ^ NUMBER(0));
	if (!mask)
		return other();
	return next();
}

PIECE(whole)
{
	mask = active;
	return next();
}

#define EACH(i) _Pragma("GCC ivdep") for (unsigned i = 0; i < 32; i++)

/* --- branches --- */

/* The branch before op n0 is taken, to op n1. */
PIECE(jump)
{
	const uint32_t to = NUMBER(1), start = state->start;
	const uint32_t n = NUMBER(0) - start, left = state->left - n;
	const uint32_t lanes = (uint32_t)__builtin_popcount(active), watch = state->watch;
	int64_t *const c = state->count;

	c[2 * (uint64_t)start] += lanes;
	c[2 * (uint64_t)start + 1] += 1;
	c[2 * (uint64_t)NUMBER(0)] -= lanes;
	c[2 * (uint64_t)NUMBER(0) + 1] -= 1;
	*state->slice_steps += n;
	state->left = left;
	if (UNLIKELY(left == 0 || to >= watch ||
		    (to <= start && (state->turn || (*state->polled && !*state->effect))))) {
		state->pc = to;
		return STENCIL_YIELD;
	}
	if (to <= start && *state->polled) {
		*state->made_effect = 1;
		*state->polled = *state->effect = 0;
	}
	state->start = to;
	*state->run_pc = to;
	run->stop = watch - to < left ? watch : to + left;
	return other();
}

PIECE(part)
{
	if (UNLIKELY(mask != active)) {
		state->pc = NUMBER(0);
		run->mask = mask;
		return STENCIL_PART;
	}
	return next();
}

/* --- calls --- */

/* clang-format off */
#define EXEC() \
	{ \
		LEAVE_AVX(); \
		const int flow = state->exec(state->warp, NUMBER(0), mask); \
		if (UNLIKELY(flow != NATIVE_NEXT)) { \
			run->flow = flow; \
			state->pc = NUMBER(0); \
			return STENCIL_FLOW; \
		} \
	}
/* clang-format on */

PIECE(exec)
{
	EXEC()
	return next();
}

PIECE(barrier)
{
	if (state->advance && mask == active) {
		state->pc = NUMBER(0);
		return STENCIL_BARRIER;
	}
	EXEC()
	return next();
}

PIECE(kernel_any)
{
	state->kernel(state->warp, NUMBER(0), mask);
	return next();
}
#define V(k) run->operand[k] = ADDRESS(k);
#define KERNEL(n, ...) \
	PIECE(kernel##n) \
	{ \
		__VA_ARGS__((arith_kernel *)POINTER(0))(run->operand, mask); \
		return next(); \
	}
KERNEL(2, V(0) V(1))
KERNEL(3, V(0) V(1) V(2))
KERNEL(4, V(0) V(1) V(2) V(3))
KERNEL(5, V(0) V(1) V(2) V(3) V(4))

/* Whether p0 did the access with values at VALUE. p1: what is added to addresses. */
#define ACCESS(value) \
	__builtin_expect(((stencil_access *)POINTER(0))(state, (value), ADDRESS(1), \
				 (uint64_t)(uintptr_t)POINTER(1), mask), \
		1)

/* Or else the executor of op n0 does it. */
PIECE(access)
{
	if (!ACCESS(ADDRESS(0)))
		EXEC()
	return next();
}

/* Values are in scratch memory; those that the executor has loaded are where they belong. */
PIECE(access_scratch)
{
	if (!ACCESS(run->scratch[0])) {
		EXEC()
		return other();
	}
	return next();
}

/* --- registers --- */

/* Operands may be in scratch memory from here on, until a call. */
PIECE(scratch)
{
	__asm__ volatile("mov %%r15, %%rdi" ::: "memory");
	return next();
}

/* From scratch memory, n0 bytes from the beginning of the run. */
#define BLEND(bytes, T) \
	PIECE(blend##bytes) \
	{ \
		T *const d = __builtin_assume_aligned(ADDRESS(0), 64); \
		const T *const s = __builtin_assume_aligned( \
			(const char *)run + (uintptr_t)n0, 64); \
		EACH(i) \
		{ \
			const T old = d[i], new = s[i]; \
			d[i] = mask & lane_bit[i] ? new : old; \
		} \
		return next(); \
	}
BLEND(1, uint8_t)
BLEND(2, uint16_t)
BLEND(4, uint32_t)
BLEND(8, uint64_t)

PIECE(put_predicate)
{
	WORD(0) = (WORD(0) & ~mask) | (results & mask);
	return next();
}

/* The following are for all lanes; those that have exited get values, too. */
#define EVERY(T, value) \
	{ \
		const T v = (value); \
		T *const d = __builtin_assume_aligned(PLACE(0), 32); \
		EACH(i) \
		d[i] = v; \
	}
#define PARAM(bytes, T) \
	PIECE(param##bytes) \
	{ \
		typedef T loose __attribute__((aligned(1), may_alias)); \
		EVERY(T, *(const loose *)(state->params + (uintptr_t)n0)) \
		state->loaded[4] += (uint32_t)__builtin_popcount(active) * sizeof(T); \
		return next(); \
	}
PARAM(4, uint32_t)
PARAM(8, uint64_t)

/* %tid: the values that are n0 bytes from the beginning. */
PIECE(lanes)
{
	const uint32_t *const from = (const uint32_t *)(const void *)((const char *)state->tid +
		(uintptr_t)n0);
	uint32_t *const d = __builtin_assume_aligned(PLACE(0), 32);

	EACH(i)
	d[i] = from[i];
	return next();
}

/* The word that is n1 bytes from the beginning of the array whose address is n0 bytes from the
 * beginning of the state. */
PIECE(same)
{
	const char *const array = *(
		const char *const *)(const void *)((const char *)state + (uintptr_t)n0);

	EVERY(uint32_t, *(const uint32_t *)(const void *)(array + (uintptr_t)n1))
	return next();
}

PIECE(warpid)
{
	EVERY(uint32_t, state->index)
	return next();
}

piece *const piece_rows[] = {
#define FLOW(name) (piece *)(void *)name,
#define EXTRA(name)
#include "stencil/flow.def"
};
