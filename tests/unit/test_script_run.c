/* Cases run through the public interface: verdicts, statuses, output, and valid JSON. */
#include "ptxi/ptxi.h"
#include "script/files/check.h"
#include "tests/unit/json.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD \
	".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 count;\n.const .f32 limit = 2.5;\n"
/* a[tid] += n */
#define ADD \
	".visible .entry add(.param .u64 p, .param .u32 n)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n" \
	"mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];\nadd.u32 %r4, %r3, %r1;\n" \
	"st.global.u32 [%rd3], %r4;\nret; }\n"
#define TRAP ".visible .entry stop() { trap; }\n"

static void is_json(const char *s)
{
	const char *end = json_space(json_value(s, 0));

	cr_assert(end && *end == 0, "no JSON: %.300s", s);
}

/* --- cases --- */
static struct ptxi_program *load(const char *lines, const char *code)
{
	struct text t = {0};
	struct ptxi_program *p;

	text_printf(&t, "%s\n%s", lines, code);
	p = ptxi_load("t.ptx", text_str(&t), t.len, NULL);
	text_free(&t);
	return p;
}

/* The only case of LINES has this verdict (0 pass, 1 fail, 2 skip) and status, and its JSON
 * contains this text. */
static void runs(const char *lines, int verdict, int status, const char *json)
{
	struct ptxi_program *p = load(lines, HEAD ADD TRAP);
	struct ptxi_result *r;

	cr_assert_eq(ptxi_status(p), 0, "%s: %s", lines, ptxi_diagnostics(p));
	r = ptxi_run(p, 0);
	cr_assert(r);
	is_json(ptxi_result_json(r));
	cr_assert_eq(ptxi_result_verdict(r), verdict, "%s: %s\n%s", lines, ptxi_result_reason(r),
		ptxi_result_json(r));
	cr_assert_eq(ptxi_result_status(r), status, "%s: %d", lines, ptxi_result_status(r));
	if (json)
		cr_assert(strstr(ptxi_result_json(r), json), "%s is not in %s", json,
			ptxi_result_json(r));
	ptxi_result_free(r);
	ptxi_free(p);
}

Test(script_run, expectations)
{
	runs("//@ buffer a : u32[32] = iota(0)\n//@ launch add<<<1, 32>>>(a, 7)\n//@ expect a[0..31] == i + 7\n//@ print a[30..31]",
		0, 0, "\"buffers\": {\"a[30..31]\": [37, 38]}");
	runs("//@ buffer a : u32[32] = iota(0)\n//@ launch add<<<1, 32>>>(a, 7)\n//@ expect a[3] == 11",
		1, 1, "a[3] is 10, expected 11");
	runs("//@ buffer a : u32[4] = 1\n//@ expect sum(a) == 4 && max(a) == 1 && count == 0 && limit == 2.5\n//@ print limit",
		0, 0, "\"limit\": [2.5]");
	runs("//@ buffer a : u32[4] = 1\n//@ expect a[0] == 1 && a[1] == 2", 1, 1,
		"a[1] is 1, expected 2");
	runs("//@ set check=init\n//@ buffer a : u32[4]\n//@ expect a[0] == 1", 1, 1,
		"never written");
	runs("//@ set check=init\n//@ buffer a : u32[4]\n//@ print a", 0, 0,
		"\"a\": [null, null, null, null]");
	runs("//@ buffer a : f32[3] = {nan, inf, 1e30}\n//@ print a", 0, 0,
		"\"a\": [\"nan\", \"inf\", 1e+30]");
	runs("//@ buffer a : u32[4] = 1\n//@ expect a[count - 1] == 1", 1, 1, "outside");
	runs("//@ buffer a : u32[4] = 1\n//@ expect a[0] / count == 1", 1, 1, "division by zero");
	static const char *const reductions[] = {"sum", "count", "min", "max"};
	for (unsigned k = 0; k < 4; k++) {
		struct text t = {0};

		text_printf(&t,
			"//@ buffer a : u32[4] = iota(0)\n//@ expect %s(6 / (a[..] - 2)) == 1",
			reductions[k]);
		runs(text_str(&t), 1, 1, "division by zero");
		text_free(&t);
	}
	runs("//@ buffer a : u64[4] = 1\n//@ expect sum(a[..] * (1 << 126)) == 1", 1, 1,
		"128 bits");
	runs("//@ write count = 9\n//@ expect count == 9\n//@ write count = 10\n//@ expect count == 10",
		0, 0, NULL);
	runs("//@ buffer a : u32[8] = 0\n//@ write a[2..3] = iota(5)\n//@ print a", 0, 0,
		"[0, 0, 5, 6, 0, 0, 0, 0]");
}

Test(script_run, lists_and_randoms)
{
	runs("//@ buffer a : s16[5] = {-1, 2}\n//@ print a", 0, 0, "[-1, 2, 0, 0, 0]");
	runs("//@ buffer a : f16[4] = iota(1, 0.5)\n//@ print a", 0, 0, "[1, 1.5, 2, 2.5]");
	runs("//@ buffer a : u32[64] = random(1)\n//@ buffer b : u32[64] = random(1)\n//@ buffer c : u32[64] = random(2)\n//@ expect a == b[i]\n//@ expect sum(a[0..63] == c[i]) < 2",
		0, 0, NULL);
	runs("//@ buffer a : f32[64] = random(1)\n//@ expect a[..] >= 0 && a[i] < 1 && max(a) > 0.8",
		0, 0, NULL);
}

Test(script_run, findings)
{
	runs("//@ launch stop<<<1, 1>>>()", 1, 4, "F0105");
	runs("//@ launch stop<<<1, 1>>>()\n//@ expect fault trap", 0, 4, NULL);
	runs("//@ launch stop<<<1, 1>>>()\n//@ expect fault", 0, 4, NULL);
	runs("//@ launch stop<<<1, 1>>>()\n//@ expect fault misaligned", 1, 4, "X0102");
	runs("//@ launch stop<<<1, 1>>>()\n//@ expect deadlock", 1, 4, "X0102");
	runs("//@ launch stop<<<1, 1>>>()\n//@ expect clean", 1, 4, "X0109");
	runs("//@ buffer a : u32[4] = 0\n//@ launch add<<<1, 32>>>(a, 1)\n//@ expect fault bounds",
		0, 4, NULL);
	runs("//@ sync\n//@ expect clean\n//@ expect prints 0 lines", 0, 0, NULL);
	runs("//@ sync\n//@ expect prints \"hello\"", 1, 1, "X0103");
	runs("//@ set memory=weak\n//@ buffer a : u32[32] = iota(0)\n//@ launch add<<<1, 32>>>(a, 7)\n//@ expect a[0..31] == i + 7",
		0, 0, NULL);
	runs("//@ needs gpu\n//@ sync", 2, 8, NULL);
}

Test(script_run, outcomes)
{
	runs("//@ set runs=3\n//@ buffer a : u32[1] = 1\n//@ launch add<<<1, 1>>>(a, 1)\n//@ observe a[0], P0:%r4\n//@ forbid a[0] == 3",
		0, 0, "\"outcomes\": [{\"state\": {\"a[0]\": 2, \"P0:%r4\": 2}, \"count\": 3}]");
	runs("//@ set runs=2\n//@ buffer a : u32[1] = 1\n//@ forbid a[0] == 1", 1, 1, "X0106");
	runs("//@ set runs=2\n//@ buffer a : u32[1] = 1\n//@ always a[0] == 1\n//@ allow a[0] == 2",
		0, 0, "\"kind\": \"allow\", \"text\": \"a[0] == 2\", \"holds\": false");
}

Test(script_run, rejected_text)
{
	struct ptxi_program *p = load(
		"", ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { bad; }\n");

	cr_assert_eq(ptxi_status(p), 3);
	is_json(ptxi_diagnostics_json(p));
	cr_assert(strstr(ptxi_diagnostics(p), "t.ptx:5:"));
	cr_assert_null(ptxi_run(p, 0));
	cr_assert_null(ptxi_disassemble(p));
	ptxi_free(p);
}

Test(script_run, output)
{
	static const char text[] =
		"//@ launch say<<<1, 3>>>()\n" HEAD
		".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 hi[4] = {104, 105, 10, 0};\n"
		".visible .entry say()\n{\n.param .b64 f, a;\n.param .b32 r;\n.reg .b64 %d;\nmov.u64 %d, hi;\ncvta.global.u64 %d, %d;\nst.param.b64 [f], %d;\nst.param.b64 [a], 0;\n"
		"call (r), vprintf, (f, a);\nret;\n}\n";
	struct ptxi_program *p = ptxi_load("t.ptx", text, strlen(text), NULL);
	struct ptxi_result *r;
	size_t n = 99;

	cr_assert_eq(ptxi_status(p), 0, "%s", ptxi_diagnostics(p));
	r = ptxi_run(p, 0);
	cr_expect_str_eq(ptxi_result_output(r, &n), "hi\nhi\nhi\n");
	cr_expect_eq(n, 9);
	cr_expect_str_eq(ptxi_result_output(r, NULL), "hi\nhi\nhi\n");
	cr_expect(strstr(
		ptxi_result_json(r), "\"other\": {\"loaded\": 0, \"stored\": 0}}, \"forms\": {"));
	ptxi_result_free(r);
	ptxi_free(p);
}

Test(script_run, settings_and_lines)
{
	static const char *const lines[] = {"buffer a : u32[2] = 3", "print a", NULL},
				 *const settings[] = {"seed=4", "check=none", NULL},
				 *const bad[] = {"sed=4", NULL};
	struct ptxi_options o = {.lines = lines, .settings = settings, .jobs = 1};
	struct ptxi_program *p = ptxi_load("t.ptx", HEAD ADD, strlen(HEAD ADD), &o);

	cr_assert_eq(ptxi_status(p), 0);
	cr_assert_eq(ptxi_cases(p), 1);
	struct ptxi_result *r = ptxi_run(p, 0);
	cr_assert(strstr(ptxi_result_json(r), "\"a\": [3, 3]"));
	ptxi_result_free(r);
	cr_assert(strstr(ptxi_disassemble(p), ".entry add"));
	ptxi_free(p);
	ptxi_free(NULL);
	ptxi_result_free(NULL);
	o.settings = bad;
	p = ptxi_load("t.ptx", HEAD, strlen(HEAD), &o);
	cr_assert_eq(ptxi_status(p), 2);
	ptxi_free(p);
}

/* --- the runner --- */
struct sink {
	struct text out, err;
};

static void put_out(void *self, const char *s, size_t n)
{
	text_add(&((struct sink *)self)->out, s, n);
}

static void put_err(void *self, const char *s, size_t n)
{
	text_add(&((struct sink *)self)->err, s, n);
}

static char directory[] = "/tmp/ptxi-test-XXXXXX";

static void file(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

static int check_with(struct sink *s, const char *name, struct check_request q)
{
	static char path[200];
	static const char *paths[1] = {path};

	q.paths = paths;
	q.npaths = 1;
	q.put = put_out;
	q.err = put_err;
	q.self = s;
	q.jobs = q.jobs ? q.jobs : 2;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	q.options.machine.checks = 15;
	text_clear(&s->out);
	text_clear(&s->err);
	return check_run(&q);
}

static int check(struct sink *s, const char *name, enum check_format format)
{
	return check_with(s, name, (struct check_request){.format = format});
}

static void tidy(void)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
}

Test(script_check, verdicts_and_folding)
{
	struct sink s = {0};

	cr_assert(mkdtemp(directory));
	file("a.ptx", "//@ expect 1 == 1\n//@ case two\n//@ expect count == 0\n" HEAD);
	file("b.ptx", "//@ expect count == 1\n" HEAD);
	file("c.ptx", "//@ needs gpu\n//@ expect 1 == 1\n" HEAD);
	file("d.ptx", HEAD);
	file("e.ptx", HEAD ".entry k() { bad; } //@ error E0207\n");
	file("f.ptx", HEAD ".entry k() {\nbad;\nret; //@ error E0207\n}\n");
	file("g.ptx", "//@ expct 1 //@ error L0101\n" HEAD);
	file("h.ptx", "//@ expct 1\n" HEAD);
	file("i.ptx", "//@ expect 1\n" HEAD ".entry k() { bad; }\n");
	file("notes.txt", "no test");
	cr_assert_eq(check(&s, "a.ptx", CHECK_TEXT), 0);
	cr_assert(strstr(text_str(&s.out), "/a.ptx\n") &&
			strstr(text_str(&s.out), "/a.ptx:two\n") &&
			strstr(text_str(&s.out), "2 passed, 0 failed, 0 skipped\n"),
		"%s", text_str(&s.out));
	cr_assert_eq(check(&s, "b.ptx", CHECK_TEXT), 1);
	cr_assert(strstr(text_str(&s.out), "count is 0, expected 1") &&
			strstr(text_str(&s.out), "//@ expect count == 1"),
		"%s", text_str(&s.out));
	cr_assert_eq(check(&s, "c.ptx", CHECK_TEXT), 0);
	cr_assert(strstr(text_str(&s.out), "SKIP") && strstr(text_str(&s.out), "requires a GPU"));
	cr_assert_eq(check(&s, "d.ptx", CHECK_TEXT), 2);
	cr_assert_eq(check(&s, "e.ptx", CHECK_TEXT), 0, "%s", text_str(&s.out));
	cr_assert_eq(check(&s, "f.ptx", CHECK_TEXT), 1);
	cr_assert(strstr(text_str(&s.out), "X0104") && strstr(text_str(&s.out), "X0105"), "%s",
		text_str(&s.out));
	cr_assert_eq(check(&s, "g.ptx", CHECK_TEXT), 0, "%s", text_str(&s.out));
	cr_assert_eq(check(&s, "h.ptx", CHECK_TEXT), 2);
	cr_assert_eq(check(&s, "i.ptx", CHECK_TEXT), 1);
	cr_assert_eq(check(&s, "none.ptx", CHECK_TEXT), 2);
	cr_assert_eq(check(&s, ".", CHECK_TEXT), 2);
	cr_assert(strstr(text_str(&s.out), "4 passed, 4 failed, 2 skipped\n"), "%s",
		text_str(&s.out));
	for (enum check_format f = CHECK_JSON; f <= CHECK_TAP; f++) {
		cr_assert_eq(check(&s, ".", f), 2);
		if (f == CHECK_JSON)
			is_json(text_str(&s.out));
		if (f == CHECK_TAP)
			cr_assert(strstr(text_str(&s.out), "\n1..10\n"));
		if (f == CHECK_JUNIT)
			cr_assert(strstr(text_str(&s.out),
					  "<failure message=\"count is 0, expected 1\">"),
				"%s", text_str(&s.out));
	}
	tidy();
	text_free(&s.out);
	text_free(&s.err);
}

static void checking(void *self, const struct check_running *r)
{
	struct sink *s = self;

	cr_expect_eq(r->files, 2);
	cr_expect(!r->bounded && !r->place);
	text_printf(&s->err, "[%u %u %u/%u]", r->files_done, r->failed, r->number, r->of);
}

/* What is said of the running case: its number, and what has been done before. */
Test(script_check, progress)
{
	struct sink s = {0};

	cr_assert(mkdtemp(directory));
	file("a.ptx", "//@ expect 1 == 1\n//@ case two\n//@ expect 1 == 2\n" HEAD);
	file("b.ptx",
		"//@ launch spin<<<1, 1>>>()\n//@ expect clean\n" HEAD
		".global .u32 n;\n.entry spin() { again: red.global.add.u32 [n], 1;\nbra again; }\n");
	cr_expect_eq(check_with(&s, ".",
			     (struct check_request){.progress = checking,
				     .jobs = 1,
				     .options.machine.max_steps = 6000000}),
		1);
	cr_expect(strstr(text_str(&s.err), "[1 1 1/1]"), "%s", text_str(&s.err));
	tidy();
	text_free(&s.out);
	text_free(&s.err);
}

struct signalled {
	_Atomic unsigned ran;
	unsigned at;
	_Atomic int interrupted;
};

static void count_run(void *self)
{
	struct signalled *s = self;

	if (++s->ran == s->at)
		s->interrupted = 2;
}

/* A signal after any of many runs has a finding, also if it comes just between two of them and the
 * first run has findings of its own. */
Test(script_run, a_signal_between_runs)
{
	static const char *const code[] = {
		"//@ buffer a : u32[32] = iota(0)\n//@ launch add<<<1, 32>>>(a, 7)\n",
		"//@ buffer a : u32[32] = iota(0)\n//@ launch add<<<2, 32>>>(a, 7)\n"};

	for (unsigned k = 0; k < 2; k++) {
		struct text t = {0};
		struct program p;

		text_puts(&t, code[k]);
		text_puts(&t, HEAD ADD);
		program_load(&p,
			&(struct program_request){
				.path = "t.ptx", .text = text_str(&t), .size = t.len});
		cr_assert_eq(p.status, 0);
		for (unsigned at = 1; at <= 64; at++) {
			struct signalled s = {.at = at};
			struct host_request h = {.module = p.module,
				.in = &p.script.cases.data[0],
				.ran = count_run,
				.self = &s};
			struct report r;
			bool said = false;

			h.options.runs = 80;
			h.options.machine = (struct machine_options){.checks = CHECK_RACE,
				.jobs = 1 + at % 2,
				.interrupted = &s.interrupted};
			host_run(&h, &r);
			for (const struct diag *d = r.findings.first; d; d = d->next)
				said |= d->code == DIAG_B0005;
			cr_expect(said, "case %u, signal after run %u: %llu runs", k, at,
				(unsigned long long)r.executions);
			cr_expect(r.executions < 80 && r.executions + 2 >= at);
			report_free(&r);
		}
		program_free(&p);
		text_free(&t);
	}
}

Test(script_run, a_refused_launch_is_a_finding)
{
	runs("//@ buffer a : u32[32] = 0\n//@ launch add<<<1, 32>>>(a, 1)\n//@ launch add<<<1, 2048>>>(a, 1)\n//@ expect fault launch\n//@ expect a == 1",
		0, 4, NULL);
	runs("//@ buffer a : u32[32] = 0\n//@ launch add<<<1, 2048>>>(a, 1)", 1, 4, "F01");
}
