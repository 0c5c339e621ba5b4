/* First inclusion of a .def file: each entry becomes a function. N is the number of elements per
 * lane (2 for f16x2), D A B C are the C types of destination and sources; the expression uses a, b,
 * c and, in the macros C2 and C3, the old carry as 0 or 1 in `carry`. No include guard: each kernel
 * file includes it once. */
/* Function templates are laid out by hand. */
/* clang-format off */
#define K_OPEN(name, n, D) \
	static void name(void *const *v, uint32_t mask) \
	{ \
		alignas(64) D temp[32 * (n)]; \
		D *d = ALIGNED(mask == ALL_LANES ? v[0] : (void *)temp);
#define K_CLOSE(n, D) \
	if (mask != ALL_LANES) \
		blend(v[0], temp, mask, (unsigned)sizeof(D) * (n)); \
	}
#define K_SOURCE(T, p, at) const T *p = ALIGNED(v[at]);

#define K1(name, key, n, D, A, ...) \
	K_OPEN(name, n, D) K_SOURCE(A, pa, 1) LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	K_CLOSE(n, D)
#define K2(name, key, n, D, A, B, ...) \
	K_OPEN(name, n, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	K_CLOSE(n, D)
#define K3(name, key, n, D, A, B, C, ...) \
	K_OPEN(name, n, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) K_SOURCE(C, pc, 3) LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		const C c = pc[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	K_CLOSE(n, D)
#define K4(name, key, D, A, B, C, E, ...) \
	K_OPEN(name, 1, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) K_SOURCE(C, pc, 3) K_SOURCE(E, pe, 4) LANES(32) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		const C c = pc[i]; \
		const E e = pe[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	K_CLOSE(1, D)
/* With a predicate as third source: `c` is true or false. */
#define K2P(name, key, D, A, B, ...) \
	K_OPEN(name, 1, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) const uint32_t third = *(const uint32_t *)v[3]; \
	LANES(32) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		const bool c = third & lane_bit[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	K_CLOSE(1, D)
/* Predicate destinations: the lanes' results are gathered into bits. */
#define P1(name, key, A, ...) \
	static void name(void *const *v, uint32_t mask) \
	{ \
		K_SOURCE(A, pa, 1) uint32_t bits = 0; \
		LANES(32) \
		{ \
			const A a = pa[i]; \
			bits |= (__VA_ARGS__) ? lane_bit[i] : 0; \
		} \
		predicate_write(v[0], bits, mask); \
	}
#define P2(name, key, A, B, ...) \
	static void name(void *const *v, uint32_t mask) \
	{ \
		K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) uint32_t bits = 0; \
		LANES(32) \
		{ \
			const A a = pa[i]; \
			const B b = pb[i]; \
			bits |= (__VA_ARGS__) ? lane_bit[i] : 0; \
		} \
		predicate_write(v[0], bits, mask); \
	}
/* Predicate logic on all lanes in one word. */
#define L1(name, key, ...) \
	static void name(void *const *v, uint32_t mask) \
	{ \
		const uint32_t a = *(const uint32_t *)v[1]; \
		predicate_write(v[0], (__VA_ARGS__), mask); \
	}
#define L2(name, key, ...) \
	static void name(void *const *v, uint32_t mask) \
	{ \
		const uint32_t a = *(const uint32_t *)v[1], b = *(const uint32_t *)v[2]; \
		predicate_write(v[0], (__VA_ARGS__), mask); \
	}
/* Sums X + Y + IN with the condition code as last operand: IN is 0, 1 or `carry`, the old carry;
 * `writes`: whether the new carry is stored. */
#define C_LOOP(U, in, x, y) \
	const U x_ = (x), y_ = (y), in_ = (in), first = x_ + y_, sum = first + in_; \
	bits |= ((first < x_) | (sum < first)) ? lane_bit[i] : 0; \
	d[i] = sum;
#define C2(name, key, U, reads, writes, in, x, y) \
	K_OPEN(name, 1, U) K_SOURCE(U, pa, 1) K_SOURCE(U, pb, 2) uint32_t *const code = v[3], old = *code; \
	uint32_t bits = 0; \
	(void)old; \
	LANES(32) \
	{ \
		const U a = pa[i], b = pb[i]; \
		C_LOOP(U, in, x, y) \
	} \
	if (writes) \
		predicate_write(code, bits, mask); \
	K_CLOSE(1, U)
#define C3(name, key, U, reads, writes, in, x, y) \
	K_OPEN(name, 1, U) K_SOURCE(U, pa, 1) K_SOURCE(U, pb, 2) K_SOURCE(U, pc, 3) uint32_t *const code = v[4], old = *code; \
	uint32_t bits = 0; \
	(void)old; \
	LANES(32) \
	{ \
		const U a = pa[i], b = pb[i], c = pc[i]; \
		C_LOOP(U, in, x, y) \
	} \
	if (writes) \
		predicate_write(code, bits, mask); \
	K_CLOSE(1, U)
/* HAND: a function written by hand before the first inclusion. ALSO: a further key for the kernel
 * of another entry. */
#define HAND(name, key, ndest, nops, ...)
#define ALSO(name, key, ndest, nops, ...)
/* The same in a rounding mode of the processor, which affects only the loop's loads, arithmetic and
 * stores (arith/kernel/directed.c). */
#define R1(name, key, mode, n, D, A, ...) \
	K_OPEN(name, n, D) K_SOURCE(A, pa, 1) const unsigned old = rounding_begin(mode); \
	LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	rounding_end(old); \
	K_CLOSE(n, D)
#define R2(name, key, mode, n, D, A, B, ...) \
	K_OPEN(name, n, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) const unsigned old = rounding_begin(mode); \
	LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	rounding_end(old); \
	K_CLOSE(n, D)
#define R3(name, key, mode, n, D, A, B, C, ...) \
	K_OPEN(name, n, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) K_SOURCE(C, pc, 3) const unsigned old = rounding_begin(mode); \
	LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		const C c = pc[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	rounding_end(old); \
	K_CLOSE(n, D)
