/* Third inclusion of a .def file, by arith/text.c: each row becomes one line of text, in the order
 * of the rows (rows.h), so that translated code computes what the kernels compute. A line: the
 * form, elements a lane, the C types of destination and sources, and the expression, after blanks.
 * Empty: the row has no expression of its own. No include guard. */
/* clang-format off */
#undef K1
#undef K2
#undef K3
#undef K4
#undef K2P
#undef P1
#undef S2
#undef S4
#undef L1
#undef L2
#undef HAND
#undef ALSO
#undef H1
#undef H2
#undef H3
#undef R1
#undef R2
#undef R3
#undef RALSO
#undef C2
#undef C3
#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)
#define K1(name, key, n, D, A, ...) "1 " TEXT(n) " " TEXT(D) " " TEXT(A) " " TEXT(__VA_ARGS__) "\n"
#define K2(name, key, n, D, A, B, ...) "2 " TEXT(n) " " TEXT(D) " " TEXT(A) " " TEXT(B) " " TEXT(__VA_ARGS__) "\n"
#define K3(name, key, n, D, A, B, C, ...) "3 " TEXT(n) " " TEXT(D) " " TEXT(A) " " TEXT(B) " " TEXT(C) " " TEXT(__VA_ARGS__) "\n"
#define K4(name, key, D, A, B, C, E, ...) "4 1 " TEXT(D) " " TEXT(A) " " TEXT(B) " " TEXT(C) " " TEXT(E) " " TEXT(__VA_ARGS__) "\n"
#define K2P(name, key, D, A, B, ...) "c 1 " TEXT(D) " " TEXT(A) " " TEXT(B) " " TEXT(__VA_ARGS__) "\n"
#define P1(name, key, A, ...) "p 1 " TEXT(A) " " TEXT(__VA_ARGS__) "\n"
/* setp: as it is, complemented, and the two with the sources exchanged */
#define S_TEXT(form, A, ...) form " 1 " TEXT(A) " " TEXT(__VA_ARGS__) "\n"
#define S2(yes, no, name, key, A, ...) S_TEXT("s", A, __VA_ARGS__) S_TEXT("n", A, __VA_ARGS__)
#define S4(yes, no, yes_exchanged, no_exchanged, name, key, A, ...) \
	S_TEXT("s", A, __VA_ARGS__) S_TEXT("n", A, __VA_ARGS__) S_TEXT("x", A, __VA_ARGS__) S_TEXT("y", A, __VA_ARGS__)
#define L1(name, key, ...) "l 1 " TEXT(__VA_ARGS__) "\n"
#define L2(name, key, ...) "m 1 " TEXT(__VA_ARGS__) "\n"
#define HAND(name, key, ndest, nops, ...) "\n"
#define ALSO(name, key, ndest, nops, ...) "\n"
#define RALSO(name, key, ...) "\n\n\n"
#define H1(name, t, key, ...) K1(, , 1, u16, u16, __VA_ARGS__) K1(, , 2, u16, u16, __VA_ARGS__)
#define H2(name, t, key, ...) K2(, , 1, u16, u16, u16, __VA_ARGS__) K2(, , 2, u16, u16, u16, __VA_ARGS__)
#define H3(name, t, key, ...) K3(, , 1, u16, u16, u16, u16, __VA_ARGS__) K3(, , 2, u16, u16, u16, u16, __VA_ARGS__)
/* rounding that sets the processor's mode, and sums with carries, stay calls */
#define R1(name, key, n, D, A, ...) "\n\n\n"
#define R2(name, key, n, D, A, B, ...) "\n\n\n"
#define R3(name, key, n, D, A, B, C, ...) "\n\n\n"
#define C2(name, key, U, reads, writes, ...) "\n"
#define C3(name, key, U, reads, writes, ...) "\n"
