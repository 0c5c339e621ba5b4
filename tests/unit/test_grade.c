/* What a requirement counts, and the points and names of a report. */
#include "grade/grade.h"
#include "grade/requirement.h"
#include "grade/submission.h"
#include "grade/suite.h"
#include "tests/unit/assemble.h"
#include <criterion/criterion.h>

static const char module[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".shared .align 8 .b64 bar;\n"
	".func called() { .reg .b32 %r<2>; mov.u32 %r1, %tid.x; bar.sync 0; ret; }\n"
	".func taken() { membar.gl; ret; }\n"
	".func never() { bar.sync 1; ret; }\n"
	".global .u64 table[1] = {taken};\n"
	".entry other() { bar.sync 2; ret; }\n"
	".entry k(.param .u64 x) {\n"
	"	.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
	"	ld.param.u64 %rd1, [x];\n"
	"	mov.u64 %rd2, table;\n"
	"	mov.u64 %rd3, bar;\n"
	"	ld.global.v2.u32 {%r1, %r2}, [%rd1];\n"
	"	atom.global.add.u32 %r2, [%rd1], %r1;\n"
	"	red.relaxed.gpu.global.add.u32 [%rd1], %r1;\n"
	"	mbarrier.init.shared::cta.b64 [bar], 1;\n"
	"	setp.eq.u32 %p1, %r1, 0;\n"
	"	@%p1 bra done;\n"
	"	call called;\n"
	"done:\n"
	"	ret;\n"
	"	bar.sync 3;\n"
	"	call never;\n"
	"}\n";

/* How many instructions of KIND kernel k reaches; UINT64_MAX: unknown word. */
static uint64_t count(const char *kind)
{
	struct assembled a = test_assemble(module);
	struct reached r = {0};
	struct instruction_kind words;
	const char *near;
	uint32_t k;
	uint64_t n = UINT64_MAX;

	cr_assert_not_null(a.m, "%s", test_codes(&a));
	k = ir_find_func(a.m, "k");
	reached_find(&r, a.m, &k, 1);
	if (instruction_kind_parse(kind, &words, &near))
		n = reached_count(&r, a.m, &words);
	reached_free(&r);
	test_free(&a);
	return n;
}

Test(grade, requirement_counts)
{
	static const struct {
		const char *kind;
		uint64_t n;
	} table[] = {
		{"instructions", 16}, /* 11 of k, 3 of called, 2 of taken */
		{"barriers", 1},      /* of called; not of never, other, or after ret */
		{"bar", 1},
		{"bar.sync", 1},
		{"bar.warp", 0},
		{"fences", 1}, /* of taken, whose address is in a table that k names */
		{"membar", 1},
		{"atoms", 2},
		{"atom", 1},
		{"red", 1},
		{"atom.add.global", 1}, /* words in any order */
		{"atom.shared", 0},
		{".add", 2},
		{"add", 0}, /* the instruction */
		{"mbarrier", 1},
		{"mbarrier.init", 1},
		{"mbarrier.try_wait", 0},
		{"shared", 2}, /* mov of bar, mbarrier.init.shared::cta */
		{"shared::cluster", 0},
		{"global", 4}, /* mov of table, ld, atom, red */
		{"v2", 1},
		{"ld.param", 1},
		{"loads", 4}, /* ld.param, ld, atom, red */
		{"shfl", 0},
		{"cp.async.bulk", 0},
	};

	for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
		cr_expect_eq(count(table[k].kind), table[k].n, "%s: %llu, not %llu", table[k].kind,
			(unsigned long long)count(table[k].kind), (unsigned long long)table[k].n);
}

Test(grade, requirement_unknown)
{
	static const char *const words[][2] = {{"mbarier", "mbarrier"}, {"atons", "atoms"},
		{"bar.", NULL}, {"", NULL}, {".", NULL}};

	for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
		struct instruction_kind kind;
		const char *near;

		cr_expect_not(instruction_kind_parse(words[k][0], &kind, &near), "%s", words[k][0]);
		if (words[k][1])
			cr_expect_str_eq(near, words[k][1]);
	}
}

Test(grade, points)
{
	static const struct {
		const char *text;
		bool valid;
		uint64_t points;
		const char *shown;
	} table[] = {{"10", true, 1000, "10"}, {"2.5", true, 250, "2.5"},
		{"0.25", true, 25, "0.25"}, {"0.05", true, 5, "0.05"}, {"7.", true, 700, "7"},
		{"0", true, 0, "0"}, {"1000000", true, MAX_POINTS, "1000000"},
		{"1000000.01", false, 0, ""}, {"1.234", false, 0, ""}, {"1.2.3", false, 0, ""},
		{"-1", false, 0, ""}, {"", false, 0, ""}, {"99999999999999999999", false, 0, ""},
		{"1e3", false, 0, ""}};

	for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
		uint64_t points = 0;
		struct text t = {0};

		cr_expect_eq(
			points_parse(table[k].text, &points), table[k].valid, "%s", table[k].text);
		if (table[k].valid) {
			cr_expect_eq(points, table[k].points, "%s", table[k].text);
			points_put(&t, points);
			cr_expect_str_eq(text_str(&t), table[k].shown);
		}
		text_free(&t);
	}
}

/* A third of 10 points is 3.33, two thirds are 6.67; a requirement without points is a gate. */
Test(grade, points_of_an_exercise)
{
	struct graded_case_info cases[3] = {
		{"a", "", false, 100}, {"b", "", false, 100}, {"c", "", true, 100}};
	struct graded_requirement_info gate = {"no shared", 0};
	struct graded_exercise_info info = {.points = 1000,
		.weight = 300,
		.cases = cases,
		.requirements = &gate,
		.ncases = 3,
		.nrequirements = 1};
	struct graded g = {.exercises = &info, .nexercises = 1};
	struct graded_part parts[3] = {{VERDICT_PASS, "", "", 0}, {VERDICT_FAIL, "", "", 0},
		{VERDICT_SKIP, "", "", 0}},
			   requirement = {VERDICT_PASS, "", "", 0};
	struct graded_exercise e = {
		.state = GRADED_JUDGED, .cases = parts, .requirements = &requirement};
	struct graded_student s = {.name = "x", .exercises = &e};

	graded_count(&g, &s, 0);
	cr_expect_eq(e.points, 333);
	parts[2].verdict = VERDICT_PASS;
	graded_count(&g, &s, 0);
	cr_expect_eq(e.points, 667);
	cr_expect_eq(s.points, 1000);
	requirement.verdict = VERDICT_FAIL;
	graded_count(&g, &s, 0);
	cr_expect_eq(e.points, 0);
}

Test(grade, names)
{
	struct arena a = {0};
	char longest[300];

	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = 0;
	cr_expect_str_eq(shown_name(&a, "plain_1.ptx"), "plain_1.ptx");
	cr_expect_str_eq(
		shown_name(&a, "a\nb\\\377\302\205\303\251"), "a\\x0Ab\\\\\\xFF\\xC2\\x85\303\251");
	/* what is not seen or turns the direction, and their neighbours, which are seen */
	cr_expect_str_eq(shown_name(&a, "\302\240\342\200\213\342\200\256\357\277\276"),
		"\\xC2\\xA0\\xE2\\x80\\x8B\\xE2\\x80\\xAE\\xEF\\xBF\\xBE");
	cr_expect_str_eq(shown_name(&a, "\302\241\342\200\220\342\200\260\360\237\230\200"),
		"\302\241\342\200\220\342\200\260\360\237\230\200");
	cr_expect_str_eq(grade_file_name("ada", ".html", &a), "ada.html");
	cr_expect_str_eq(grade_file_name("../x y", ".json", &a), "%2E.%2Fx%20y.json");
	cr_expect_lt(strlen(grade_file_name(longest, ".html", &a)), 150);
	arena_free(&a);
}
