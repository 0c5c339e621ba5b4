/* Demangling of hostile symbols: nesting, output and work are limited, and what is no name is left
 * alone. (tests/oracle/demangle.sh has the names that compilers make.) */
#include "base/demangle.h"
#include "base/rng.h"
#include "base/symbol.h"
#include "script/lang/cpp_name.h"
#include <criterion/criterion.h>
#include <string.h>

static bool named(const char *symbol, struct text *out)
{
	text_clear(out);
	text_puts(out, "");
	return demangle(out, symbol, NULL);
}

Test(demangle, appends_or_leaves_alone)
{
	struct text t = {0};
	struct demangled part;

	text_puts(&t, "kernel ");
	cr_assert(demangle(&t, "_ZN2ns4fillIfEEvPT_S1_", &part));
	cr_assert_str_eq(text_str(&t), "kernel void ns::fill<float>(float*, float)");
	cr_assert_eq(part.at, 5);
	cr_assert_eq(part.len, strlen("ns::fill<float>"));
	text_clear(&t);
	cr_assert(demangle(&t, "_ZNK1A1fE", NULL));
	cr_assert_str_eq(text_str(&t), "A::f const");
	text_clear(&t);
	text_puts(&t, "kernel void ns::fill<float>(float*, float)");
	cr_assert_not(demangle(&t, "_Z3foov_param_0", NULL));
	cr_assert_not(demangle(&t, "_ZCI1PrVi", NULL), "an inherited constructor of no class");
	cr_assert_not(demangle(&t, "reduce", NULL));
	cr_assert_not(demangle(&t, "", NULL));
	cr_assert_str_eq(text_str(&t), "kernel void ns::fill<float>(float*, float)");
	text_free(&t);
}

Test(demangle, nesting_is_limited)
{
	struct text symbol = {0}, out = {0};

	for (unsigned depth = 10; depth <= 30000; depth *= 10) {
		text_clear(&symbol);
		text_puts(&symbol, "_Z1f");
		for (unsigned k = 0; k < depth; k++)
			text_putc(&symbol, 'P');
		text_putc(&symbol, 'i');
		cr_assert_eq(named(text_str(&symbol), &out), depth <= 100, "%u", depth);
		text_clear(&symbol);
		text_puts(&symbol, "_Z1f");
		for (unsigned k = 0; k < depth / 3; k++)
			text_puts(&symbol, "1AI");
		cr_assert_not(named(text_str(&symbol), &out));
	}
	text_free(&symbol);
	text_free(&out);
}

/* Each argument is a pair of the one before: the name would have 2^60 parts. */
Test(demangle, output_is_limited)
{
	struct text symbol = {0}, out = {0};
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (unsigned n = 4; n < 72; n += 4) {
		text_clear(&symbol);
		text_puts(&symbol, "_Z1f1AIiiE");
		for (unsigned k = 0; k < n;
			k++) /* S_ is A, S0_ is A<int, int>, S1_ = A<S0_, S0_> */
			text_printf(&symbol, "S_IS%.*s%c_S%.*s%c_E", k >= 36, "1", digits[k % 36],
				k >= 36, "1", digits[k % 36]);
		bool ok = named(text_str(&symbol), &out);

		cr_assert_leq(out.len, DEMANGLE_NAME);
		cr_assert_eq(ok, n <= 8, "%u", n);
		cr_assert_eq(out.len == 0, !ok);
	}
	text_free(&symbol);
	text_free(&out);
}

Test(demangle, changed_names_do_no_harm)
{
	static const char *const names[] = {
		"_ZZN4cuda3std5visitIZ5wordsPfEUlT_E_JRNS0_7variantIJifEEEEEDcOS2_DpOT0_ENKUlDpT_E_clIJLm1EEEEDaS8_",
		"_Z3sumIiEDTplfp_mlfp0_Li2EET_S0_", "_ZNK2ns3boxIiLi3EEcvT_ISt6vectorIiSaIiEEEEv",
		"_Z7pointerIvJPFviPcEM4baseKFiiEMS3_iRFvvEEEPFT_DpT0_ES7_",
		"_ZSt7forwardIRA2_KcEOT_RNSt16remove_referenceIS3_E4typeE"};
	struct rng rng = {1};
	struct text out = {0};
	unsigned good = 0;

	for (unsigned k = 0; k < 20000; k++) {
		const char *from = names[k % 5];
		char symbol[256];
		size_t n = strlen(from);

		memcpy(symbol, from, n + 1);
		for (unsigned i = rng_below(&rng, 4); i; i--) {
			const char *other = names[rng_below(&rng, 5)];
			size_t at = 2 + rng_below(&rng, (uint32_t)n - 2);

			symbol[at] = other[rng_below(&rng, (uint32_t)strlen(other))];
		}
		good += named(symbol, &out);
		cr_assert_leq(out.len, DEMANGLE_NAME);
	}
	cr_assert_gt(good, 4000);
	cr_assert_lt(good, 20000);
	text_free(&out);
}

Test(demangle, spellings_of_one_type)
{
	static const char *const same[][2] = {{"f( const int * )", "f(int const*)"},
		{"f(unsigned, long unsigned int)", "f(unsigned int, unsigned long)"},
		{"f(const ns::box< 3u, const char > &)", "f(ns::box<3, char const> const&)"},
		{"f(void)", "f()"}, {"f(const volatile int)", "f(int const volatile)"},
		{"g<std::vector<int> >", "g<std::vector<int>>"},
		{"f(unsigned char, signed char, long double)",
			"f(unsigned char,signed char,long double)"},
		{"f(const unsigned *)", "f(unsigned int const*)"}};
	struct text a = {0}, b = {0};

	for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
		text_clear(&a);
		text_clear(&b);
		cpp_normal(same[k][0], &a);
		cpp_normal(same[k][1], &b);
		cr_assert_str_eq(text_str(&a), text_str(&b));
	}
	text_free(&a);
	text_free(&b);
	cr_assert_eq(cpp_fit("fill", "_ZN2ns4fillIfEEvPT_S1_"), CPP_PART);
	cr_assert_eq(cpp_fit("ns::fill", "_ZN2ns4fillIfEEvPT_S1_"), CPP_BARE);
	cr_assert_eq(cpp_fit("ns::fill<float>", "_ZN2ns4fillIfEEvPT_S1_"), CPP_WHOLE);
	cr_assert_eq(cpp_fit("ns::fill(float*, float)", "_ZN2ns4fillIfEEvPT_S1_"), CPP_BARE);
	cr_assert_eq(cpp_fit("ns::fill(int*, float)", "_ZN2ns4fillIfEEvPT_S1_"), CPP_NO);
	cr_assert_eq(cpp_fit("ill", "_ZN2ns4fillIfEEvPT_S1_"), CPP_NO);
	cr_assert_eq(cpp_fit("s::fill", "_ZN2ns4fillIfEEvPT_S1_"), CPP_NO);
}

/* nvcc -rdc=true puts the file into the names of static variables. */
Test(demangle, static_variables)
{
	static const char *const names[][2] = {
		{"__nv_static_25__1d49a393_4_b_cu_8e450714_used", "used"},
		{"__nv_static_25__1d49a393_4_b_cu_8e450714__ZN2ns4usedE", "ns::used"},
		/* the length does not fit: these are names of somebody else's */
		{"__nv_static_24__1d49a393_4_b_cu_8e450714_used",
			"__nv_static_24__1d49a393_4_b_cu_8e450714_used"},
		{"__nv_static_99__1d49a393_4_b_cu", "__nv_static_99__1d49a393_4_b_cu"},
		{"__nv_static_3_abc_", "__nv_static_3_abc_"},
		{"__nv_static_3_abc_d", "d"},
		{"__nv_static_3_ab", "__nv_static_3_ab"},
		{"__nv_static_18446744073709551615_x", "__nv_static_18446744073709551615_x"},
		{"__nv_static_", "__nv_static_"},
		{"__nv_static_0__x", "__nv_static_0__x"},
	};
	struct symbols s = {0};

	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		cr_expect_str_eq(
			symbol_shown(&s, symbol_intern(&s, names[k][0], strlen(names[k][0]))),
			names[k][1]);
	symbols_free(&s);
}
