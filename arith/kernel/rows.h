/* Second inclusion of a .def file, after functions.h: each entry becomes the function or functions
 * whose rows it is, in the order of the rows (arith/rows.c). No include guard. */
#undef K1
#undef K2
#undef K3
#undef K4
#undef K2P
#undef P1
#undef S_ROW
#undef S2
#undef S4
#undef L1
#undef L2
#undef H1
#undef H2
#undef H3
#undef R1
#undef R2
#undef R3
#undef RALSO
#undef C2
#undef C3
#undef C_LOOP
#undef HAND
#undef ALSO
#define UNPAREN(...) __VA_ARGS__
#define OP(x) .op = OP_##x
#define T(x) .t = {TYPE_##x}
#define T2(x, y) .t = {TYPE_##x, TYPE_##y}
#define T3(x, y, z) .t = {TYPE_##x, TYPE_##y, TYPE_##z}
#define VARIANT(x) .variant = W_##x
#define SECOND(x) .second = W_##x
#define ROUND(x) .round = W_##x
#define FLAGS(x) .flags = (x)
#ifndef ROW
#define ROW(name, ...) name,
#endif
#define K1(name, key, n, D, A, ...) ROW(name, key, 2, 1, 0, (n) * sizeof(D), (n) * sizeof(A))
#define K2(name, key, n, D, A, B, ...) \
	ROW(name, key, 3, 1, 0, (n) * sizeof(D), (n) * sizeof(A), (n) * sizeof(B))
#define K3(name, key, n, D, A, B, C, ...) \
	ROW(name, key, 4, 1, 0, (n) * sizeof(D), (n) * sizeof(A), (n) * sizeof(B), (n) * sizeof(C))
#define K4(name, key, D, A, B, C, E, ...) \
	ROW(name, key, 5, 1, 0, sizeof(D), sizeof(A), sizeof(B), sizeof(C), sizeof(E))
#define K2P(name, key, D, A, B, ...) ROW(name, key, 4, 1, 0, sizeof(D), sizeof(A), sizeof(B), 0)
#define P1(name, key, A, ...) ROW(name, key, 2, 1, 0, 0, sizeof(A))
#define S_ROW(op, name, key, A) \
	ROW(setp_##op##_##name, (OP(setp), VARIANT(op), UNPAREN key), 3, 1, 0, 0, sizeof(A), \
		sizeof(A))
#define S2(yes, no, name, key, A, ...) S_ROW(yes, name, key, A) S_ROW(no, name, key, A)
#define S4(yes, no, yes_exchanged, no_exchanged, name, key, A, ...) \
	S2(yes, no, name, key, A, ) \
	S_ROW(yes_exchanged, name, key, A) S_ROW(no_exchanged, name, key, A)
#define L1(name, key, ...) ROW(name, key, 2, 1, 0, 0, 0)
#define L2(name, key, ...) ROW(name, key, 3, 1, 0, 0, 0, 0)
#define HAND(name, key, ndest, nops, ...) ROW(name, key, nops, ndest, 0, __VA_ARGS__)
#define ALSO(name, key, ndest, nops, ...) ROW(name, key, nops, ndest, 0, __VA_ARGS__)
#define H1(name, t, key, ...) \
	K1(name##_##t, (T(t), UNPAREN key), 1, uint16_t, uint16_t, ) \
	K1(name##_##t##x2, (T(t##x2), UNPAREN key), 2, uint16_t, uint16_t, )
#define H2(name, t, key, ...) \
	K2(name##_##t, (T(t), UNPAREN key), 1, uint16_t, uint16_t, uint16_t, ) \
	K2(name##_##t##x2, (T(t##x2), UNPAREN key), 2, uint16_t, uint16_t, uint16_t, )
#define H3(name, t, key, ...) \
	K3(name##_##t, (T(t), UNPAREN key), 1, uint16_t, uint16_t, uint16_t, uint16_t, ) \
	K3(name##_##t##x2, (T(t##x2), UNPAREN key), 2, uint16_t, uint16_t, uint16_t, uint16_t, )
#define R1(name, key, n, D, A, ...) \
	K1(name##_rz, (ROUND(rz), UNPAREN key), n, D, A, ) \
	K1(name##_rm, (ROUND(rm), UNPAREN key), n, D, A, ) \
	K1(name##_rp, (ROUND(rp), UNPAREN key), n, D, A, )
#define R2(name, key, n, D, A, B, ...) \
	K2(name##_rz, (ROUND(rz), UNPAREN key), n, D, A, B, ) \
	K2(name##_rm, (ROUND(rm), UNPAREN key), n, D, A, B, ) \
	K2(name##_rp, (ROUND(rp), UNPAREN key), n, D, A, B, )
#define R3(name, key, n, D, A, B, C, ...) \
	K3(name##_rz, (ROUND(rz), UNPAREN key), n, D, A, B, C, ) \
	K3(name##_rm, (ROUND(rm), UNPAREN key), n, D, A, B, C, ) \
	K3(name##_rp, (ROUND(rp), UNPAREN key), n, D, A, B, C, )
#define RALSO(name, key, ...) \
	ALSO(name##_rz, (ROUND(rz), UNPAREN key), __VA_ARGS__) \
	ALSO(name##_rm, (ROUND(rm), UNPAREN key), __VA_ARGS__) \
	ALSO(name##_rp, (ROUND(rp), UNPAREN key), __VA_ARGS__)
#define C2(name, key, U, reads, writes, ...) \
	ROW(name, key, 4, 1, (reads) | 2 * (writes), sizeof(U), sizeof(U), sizeof(U), 0)
#define C3(name, key, U, reads, writes, ...) \
	ROW(name, key, 5, 1, (reads) | 2 * (writes), sizeof(U), sizeof(U), sizeof(U), sizeof(U), 0)
