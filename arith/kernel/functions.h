/* First inclusion of a .def file: each entry becomes a function. N is the number of elements per
 * lane (2 for f16x2), D A B C are the C types of destination and sources; the expression uses a, b,
 * c and, in the macros C2 and C3, the old carry as 0 or 1 in `carry`. No include guard: each kernel
 * file includes it once. */
/* Function templates are laid out by hand. */
/* clang-format off */
#define K_SOME(name, sources, bytes) \
	if (mask != ALL_LANES) { \
		some_lanes(name, BLEND_OF(bytes), v[0], mask, (void *[]){OPERANDS_##sources}); \
		return; \
	}
#define OPERANDS_1 NULL, v[1]
#define OPERANDS_2 NULL, v[1], v[2]
#define OPERANDS_3 NULL, v[1], v[2], v[3]
#define OPERANDS_4 NULL, v[1], v[2], v[3], v[4]
#define K_OPEN(name, sources, n, D) \
	static void name(void *const *v, uint32_t mask) \
	{ \
		K_SOME(name, sources, (n) * sizeof(D)) \
		D *d = ALIGNED(v[0]);
#define K_SOURCE(T, p, at) const T *p = ALIGNED(v[at]);

#define K1(name, key, n, D, A, ...) \
	K_OPEN(name, 1, n, D) K_SOURCE(A, pa, 1) LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	}
#define K2(name, key, n, D, A, B, ...) \
	K_OPEN(name, 2, n, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	}
#define K3(name, key, n, D, A, B, C, ...) \
	K_OPEN(name, 3, n, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) K_SOURCE(C, pc, 3) LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		const C c = pc[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	}
#define K4(name, key, D, A, B, C, E, ...) \
	K_OPEN(name, 4, 1, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) K_SOURCE(C, pc, 3) K_SOURCE(E, pe, 4) LANES(32) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		const C c = pc[i]; \
		const E e = pe[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	}
/* With a predicate as third source: `c` is true or false. */
#define K2P(name, key, D, A, B, ...) \
	K_OPEN(name, 3, 1, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) const uint32_t third = *(const uint32_t *)v[3]; \
	LANES(32) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		const bool c = third & lane_bit[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	}
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
/* Comparisons: setp.YES, its complement setp.NO, and the two with the sources exchanged, by one loop. */
#define S_LOOP(yes, name, A, ...) \
	static __attribute__((noinline)) void loop_##yes##_##name(uint32_t *d, const void *x, const void *y, uint32_t complement, uint32_t mask) \
	{ \
		const A *pa = ALIGNED(x), *pb = ALIGNED(y); \
		uint32_t bits = 0; \
		LANES(32) \
		{ \
			const A a = pa[i]; \
			const A b = pb[i]; \
			bits |= (__VA_ARGS__) ? lane_bit[i] : 0; \
		} \
		predicate_write(d, bits ^ complement, mask); \
	}
#define S_ROW(op, yes, name, first, second, complement) \
	static void setp_##op##_##name(void *const *v, uint32_t mask) { loop_##yes##_##name(v[0], v[first], v[second], complement, mask); }
#define S2(yes, no, name, key, A, ...) \
	S_LOOP(yes, name, A, __VA_ARGS__) \
	S_ROW(yes, yes, name, 1, 2, 0) \
	S_ROW(no, yes, name, 1, 2, UINT32_MAX)
#define S4(yes, no, yes_exchanged, no_exchanged, name, key, A, ...) \
	S2(yes, no, name, key, A, __VA_ARGS__) \
	S_ROW(yes_exchanged, yes, name, 2, 1, 0) \
	S_ROW(no_exchanged, yes, name, 2, 1, UINT32_MAX)
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
#define C_OPEN(name, last, U) \
	static void name(void *const *v, uint32_t mask) \
	{ \
		if (mask != ALL_LANES) { \
			some_lanes_carry(name, BLEND_OF(sizeof(U)), v[0], mask, (void *[]){OPERANDS_##last}, last); \
			return; \
		} \
		U *d = ALIGNED(v[0]); \
		uint32_t *const code = v[last], old = *code; \
		uint32_t bits = 0; \
		(void)old;
#define C_LOOP(U, in, x, y) \
	const U x_ = (x), y_ = (y), in_ = (in), first = x_ + y_, sum = first + in_; \
	bits |= ((first < x_) | (sum < first)) ? lane_bit[i] : 0; \
	d[i] = sum;
#define C2(name, key, U, reads, writes, in, x, y) \
	C_OPEN(name, 3, U) K_SOURCE(U, pa, 1) K_SOURCE(U, pb, 2) LANES(32) \
	{ \
		const U a = pa[i], b = pb[i]; \
		C_LOOP(U, in, x, y) \
	} \
	if (writes) \
		*code = bits; \
	}
#define C3(name, key, U, reads, writes, in, x, y) \
	C_OPEN(name, 4, U) K_SOURCE(U, pa, 1) K_SOURCE(U, pb, 2) K_SOURCE(U, pc, 3) LANES(32) \
	{ \
		const U a = pa[i], b = pb[i], c = pc[i]; \
		C_LOOP(U, in, x, y) \
	} \
	if (writes) \
		*code = bits; \
	}
/* HAND: a function written by hand before the first inclusion. ALSO: a further key for the kernel
 * of another entry. */
#define HAND(name, key, ndest, nops, ...)
#define ALSO(name, key, ndest, nops, ...)
/* 16-bit elements of type t, one or two per lane: NAME_t and NAME_tx2 run the same loop over 32
 * elements, once and twice. */
#define H_OPEN(name, t) \
	static __attribute__((noinline)) void name##_##t##_elements(void *const *v, unsigned from) \
	{ \
		uint16_t *d = ALIGNED((uint16_t *)v[0] + from);
#define H_SOURCE(p, at) const uint16_t *p = ALIGNED((const uint16_t *)v[at] + from);
#define H_CLOSE(name, t, sources) \
	} \
	static void name##_##t(void *const *v, uint32_t mask) \
	{ \
		K_SOME(name##_##t, sources, 2) \
		name##_##t##_elements(v, 0); \
	} \
	static void name##_##t##x2(void *const *v, uint32_t mask) \
	{ \
		K_SOME(name##_##t##x2, sources, 4) \
		name##_##t##_elements(v, 0); \
		name##_##t##_elements(v, 32); \
	}
#define H1(name, t, key, ...) \
	H_OPEN(name, t) H_SOURCE(pa, 1) LANES(32) \
	{ \
		const uint16_t a = pa[i]; \
		d[i] = (uint16_t)(__VA_ARGS__); \
	} \
	H_CLOSE(name, t, 1)
#define H2(name, t, key, ...) \
	H_OPEN(name, t) H_SOURCE(pa, 1) H_SOURCE(pb, 2) LANES(32) \
	{ \
		const uint16_t a = pa[i]; \
		const uint16_t b = pb[i]; \
		d[i] = (uint16_t)(__VA_ARGS__); \
	} \
	H_CLOSE(name, t, 2)
#define H3(name, t, key, ...) \
	H_OPEN(name, t) H_SOURCE(pa, 1) H_SOURCE(pb, 2) H_SOURCE(pc, 3) LANES(32) \
	{ \
		const uint16_t a = pa[i]; \
		const uint16_t b = pb[i]; \
		const uint16_t c = pc[i]; \
		d[i] = (uint16_t)(__VA_ARGS__); \
	} \
	H_CLOSE(name, t, 3)
/* Directed rounding: NAME_rz, NAME_rm and NAME_rp run one loop in rounding mode `mode` of the
 * processor, which affects only the loop's loads, arithmetic and stores
 * (arith/kernel/directed.c). */
#define R_OPEN(name, D) \
	static __attribute__((noinline)) void name##_in(void *const *v, enum f32_mode mode) \
	{ \
		D *d = ALIGNED(v[0]);
#define R_CLOSE(name, sources, n, D) \
	rounding_end(old); \
	} \
	R_MODE(name##_rz, name##_in, F32_RZ, sources, (n) * sizeof(D)) \
	R_MODE(name##_rm, name##_in, F32_RM, sources, (n) * sizeof(D)) \
	R_MODE(name##_rp, name##_in, F32_RP, sources, (n) * sizeof(D))
#define R_MODE(name, in, mode, sources, bytes) \
	static void name(void *const *v, uint32_t mask) \
	{ \
		K_SOME(name, sources, bytes) \
		in(v, mode); \
	}
#define R1(name, key, n, D, A, ...) \
	R_OPEN(name, D) K_SOURCE(A, pa, 1) const unsigned old = rounding_begin(mode); \
	LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	R_CLOSE(name, 1, n, D)
#define R2(name, key, n, D, A, B, ...) \
	R_OPEN(name, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) const unsigned old = rounding_begin(mode); \
	LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	R_CLOSE(name, 2, n, D)
#define R3(name, key, n, D, A, B, C, ...) \
	R_OPEN(name, D) K_SOURCE(A, pa, 1) K_SOURCE(B, pb, 2) K_SOURCE(C, pc, 3) const unsigned old = rounding_begin(mode); \
	LANES(32 * (n)) \
	{ \
		const A a = pa[i]; \
		const B b = pb[i]; \
		const C c = pc[i]; \
		d[i] = (D)(__VA_ARGS__); \
	} \
	R_CLOSE(name, 3, n, D)
#define RALSO(name, key, ndest, nops, ...)
