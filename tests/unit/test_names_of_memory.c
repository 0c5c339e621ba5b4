/* Names of addresses in findings: plain names of symbols, elements of variables, and the contents
 * of a module's variables whose initialisers contain names. */
#include "interp/memory/name.h"
#include "interp/state/where.h"
#include "tests/unit/kernels.h"

Test(memory_names, plain_names)
{
	static const char *const list[][2] = {{"tile", "tile"}, {"_Z3fooi", "_Z3fooi"},
		{"_ZZ3foovE4tile", "tile"}, {"_ZZN1aE3fooE1x", "x"},
		{"_ZZ3foovE4tileX", "_ZZ3foovE4tileX"}, {"_ZZ3foovE5tile", "_ZZ3foovE5tile"},
		{"_ZZ3foovE0", "_ZZ3foovE0"}, {"_ZZ", "_ZZ"}, {"_ZZ3foovE", "_ZZ3foovE"},
		{"_ZZ3EoovE12abcdefghijkl", "abcdefghijkl"}, {"_ZZE1aE1b", "b"},
		{"_ZZ3foovEtile", "_ZZ3foovEtile"}};

	for (size_t k = 0; k < sizeof list / sizeof *list; k++)
		cr_expect_str_eq(name_plain(list[k][0]), list[k][1], "%s: %s", list[k][0],
			name_plain(list[k][0]));
}

Test(memory_names, elements)
{
	static const struct {
		uint64_t at, whole;
		uint32_t bytes;
		const char *words, *past;
	} list[] = {
		{0, 40, 4, "v[0]", ": v[0] of 10 elements"},
		{36, 40, 4, "v[9]", ": v[9] of 10 elements"},
		{38, 40, 4, "v[9]+2", ": v[9] of 10 elements"},
		{40, 40, 4, "v[10]", ": v[10] of 10 elements"},
		{0, 4, 4, "v", ""},
		{1, 4, 4, "v+1", ""},
		{0, 8, 4, "v[0]", ": v[0] of 2 elements"},
		{0, 1, 1, "v", ""},
		{0, 2, 1, "v", ": v[0] of 2 elements"},
		{5, 9, 1, "v+5", ": v[5] of 9 elements"},
		{5, 9, 0, "v+5", ""},
		{3, 16, 2, "v[1]+1", ": v[1] of 8 elements"},
	};

	for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
		struct text t = {0};

		name_element(&t, "v", list[k].at, list[k].bytes, list[k].whole);
		cr_expect_str_eq(text_str(&t), list[k].words, "%zu: %s", k, text_str(&t));
		text_clear(&t);
		name_index_past(&t, "v", list[k].at, list[k].bytes, list[k].whole);
		cr_expect_str_eq(text_str(&t), list[k].past, "%zu: %s", k, text_str(&t));
		text_free(&t);
	}
}

/* Addresses in initialisers: of .global and .const variables, as offsets and generic, with an
 * addend, and a byte of one; of functions. */
Test(memory_names, initialisers)
{
	struct kernel *k = kernel_file(HEAD
		".global .u32 a[4] = {1, 2, 3}; .const .align 8 .u32 c[4] = {5, 6, 7, 8};\n"
		".global .u64 to_a = a; .global .u64 to_a2 = a+8; .global .u64 to_c = c+4; .global .u64 generic_c = generic(c)+4;\n"
		".global .u64 generic_a = generic(a); .const .u64 from_const = a; .global .u8 low = 0xFF(a); .global .u8 second = 0xFF00(generic(c));\n"
		".func f() { ret; } .global .u64 to_f[2] = {f, f};\n" BEGIN
		"ld.global.u64 %rd5, [to_a]; ld.global.u32 %r5, [%rd5+4]; st.global.u32 [%rd1], %r5;"
		"ld.global.u64 %rd5, [to_a2]; ld.global.u32 %r5, [%rd5]; st.global.u32 [%rd1+4], %r5;"
		"ld.global.u64 %rd5, [to_c]; ld.const.u32 %r5, [%rd5]; st.global.u32 [%rd1+8], %r5;"
		"ld.global.u64 %rd5, [generic_c]; ld.u32 %r5, [%rd5]; st.global.u32 [%rd1+12], %r5;"
		"ld.global.u64 %rd5, [generic_a]; ld.u32 %r5, [%rd5+8]; st.global.u32 [%rd1+24], %r5;"
		"ld.const.u64 %rd5, [from_const]; ld.u32 %r5, [%rd5]; st.global.u32 [%rd1+28], %r5;"
		"ld.global.u8 %r5, [low]; mov.u64 %rd5, a; cvt.u32.u64 %r6, %rd5; and.b32 %r6, %r6, 255; sub.u32 %r5, %r5, %r6; st.global.u32 [%rd1+32], %r5;"
		"ld.global.u8 %r5, [second]; cvta.const.u64 %rd5, c; cvt.u32.u64 %r6, %rd5; shr.u32 %r6, %r6, 8; and.b32 %r6, %r6, 255; sub.u32 %r5, %r5, %r6; st.global.u32 [%rd1+36], %r5;"
		"ld.global.u64 %rd5, [to_f+8]; mov.u64 %rd6, f; sub.u64 %rd5, %rd5, %rd6; st.global.u32 [%rd1+40], %rd5; ld.global.u32 %r5, [a+12]; st.global.u32 [%rd1+44], %r5;" END,
		1);
	static const uint32_t want[] = {2, 3, 6, 6, 0, 0, 3, 1, 0, 0, 0, 0};

	kernel_ok(k);
	for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
		cr_expect_eq(k->word[i], want[i], "%u: %u", i, k->word[i]);
	kernel_done(k);
}

/* --- kernels --- */

static void shown_as(const char *name, const char *want)
{
	struct arena a = {0};

	cr_assert_str_eq(where_brief(&a, name), want, "%s", where_brief(&a, name));
	arena_free(&a);
}

#define LONG "a::very_long_name_of_a_type_that_a_template_has_as_an_argument_with_many_words"

Test(names_of_kernels, long_ones_have_no_template_arguments)
{
	shown_as("void scale<float>(float *)", "void scale<float>(float *)");
	shown_as("void sum<" LONG "<int>, (" LONG ")1>(" LONG "<int> *, int)",
		"void sum<...>(" LONG "<...> *, int)");
	shown_as("void sum<>(" LONG "<" LONG ">)", "void sum<>(" LONG "<...>)");
	/* what is no list of arguments stays */
	shown_as("void sum(" LONG ", " LONG ", int <", "void sum(" LONG ", " LONG ", int <");
	shown_as("bool operator< <" LONG ">(" LONG ")", "bool operator< <" LONG ">(" LONG ")");
	shown_as("void f<decltype(p->" LONG ")>(" LONG ")", "void f<...>(" LONG ")");
}
