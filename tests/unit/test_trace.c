/* Traces: the exact JSON lines of small programs; and for every course, synchronisation and nvcc
 * program, that the viewer's file is JSON whose spans nest, whose begins have ends and whose arrows
 * have both ends in a span, even if the program hangs, faults, or runs out of steps. */
#include "trace/trace.h"
#include "script/host/host.h"
#include "script/lang/program.h"
#include "tests/unit/json.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>

static struct text traced(const char *path, const char *text, enum trace_format format,
	bool atomics, uint64_t max_steps)
{
	struct program_request r = {.path = path, .text = text, .size = text ? strlen(text) : 0};
	struct program p;
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	struct trace *t = trace_new(f, format, atomics);
	struct text result = {0};

	program_load(&p, &r);
	if (p.status == 0)
		for (uint32_t k = 0; k < p.script.cases.count; k++) {
			struct host_request h = {.module = p.module, .in = &p.script.cases.data[k]};
			struct report report;

			h.options.machine = (struct machine_options){
				.checks = CHECK_BOUNDS | CHECK_SYNC,
				.seed = 1,
				.jobs = 2,
				.trace = t,
				.max_steps = max_steps};
			host_run(&h, &report);
			report_free(&report);
		}
	cr_assert(trace_free(t));
	fclose(f);
	text_add(&result, out, n);
	free(out);
	program_free(&p);
	return result;
}

/* --- JSON lines --- */

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* Compares the lines after the first; WANT has the part after "event": up to "lanes", and from
 * "line" on. */
static void expect_lines(const char *program, bool atomics, const char *const *want)
{
	struct text t = traced("test.ptx", program, TRACE_LINES, atomics, 0);
	char *at = t.data;

	for (; at && *at; want++) {
		char *end = strchr(at, '\n');

		cr_assert_not_null(end);
		*end = 0;
		const char *over = json_space(json_value(at, 0));

		cr_assert(over && !*over, "no JSON: %s", at);
		cr_assert_not_null(*want, "one line too many: %s", at);
		cr_assert_str_eq(at, *want);
		at = end + 1;
	}
	cr_assert_null(*want, "a line is missing: %s", *want);
	text_free(&t);
}

Test(trace, lines_of_a_barrier)
{
	static const char *const want[] = {
		"{\"time\": 0, \"event\": \"run begins\", \"run\": 0}",
		"{\"time\": 0, \"event\": \"launch begins\", \"launch\": 0, \"kernel\": \"k\", \"grid\": [1, 1, 1], \"block\": [64, 1, 1], \"stream\": 0}",
		"{\"time\": 0, \"event\": \"cta begins\", \"launch\": 0, \"cta\": 0}",
		"{\"time\": 0, \"event\": \"wait begins\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0xffffffff\", \"line\": 6, \"instruction\": "
		"\"barrier.sync\", \"barrier\": {\"number\": 1, \"phase\": 0, \"arrived\": 0, \"expected\": 64}}",
		"{\"time\": 1, \"event\": \"arrive\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0xffffffff\", \"line\": 6, \"instruction\": "
		"\"barrier.sync\", \"barrier\": {\"number\": 1, \"phase\": 0, \"arrived\": 32, \"expected\": 64}, \"count\": 32}",
		"{\"time\": 1, \"event\": \"wait begins\", \"launch\": 0, \"cta\": 0, \"warp\": 1, \"lanes\": \"0xffffffff\", \"line\": 6, \"instruction\": "
		"\"barrier.sync\", \"barrier\": {\"number\": 1, \"phase\": 0, \"arrived\": 32, \"expected\": 64}}",
		"{\"time\": 2, \"event\": \"arrive\", \"launch\": 0, \"cta\": 0, \"warp\": 1, \"lanes\": \"0xffffffff\", \"line\": 6, \"instruction\": "
		"\"barrier.sync\", \"barrier\": {\"number\": 1, \"phase\": 0, \"arrived\": 64, \"expected\": 64}, \"count\": 32}",
		"{\"time\": 2, \"event\": \"phase flips\", \"launch\": 0, \"cta\": 0, \"warp\": 1, \"barrier\": {\"number\": 1, \"phase\": 0, \"arrived\": 64, "
		"\"expected\": 64}}",
		"{\"time\": 2, \"event\": \"wait ends\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0xffffffff\", \"line\": 6, \"instruction\": "
		"\"barrier.sync\", \"barrier\": {\"number\": 1, \"phase\": 0}, \"since\": 0, \"outcome\": \"complete\"}",
		"{\"time\": 2, \"event\": \"wait ends\", \"launch\": 0, \"cta\": 0, \"warp\": 1, \"lanes\": \"0xffffffff\", \"line\": 6, \"instruction\": "
		"\"barrier.sync\", \"barrier\": {\"number\": 1, \"phase\": 0}, \"since\": 1, \"outcome\": \"complete\"}",
		"{\"time\": 2, \"event\": \"exit\", \"launch\": 0, \"cta\": 0, \"warp\": 1, \"lanes\": \"0xffffffff\"}",
		"{\"time\": 3, \"event\": \"exit\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0xffffffff\"}",
		"{\"time\": 4, \"event\": \"cta ends\", \"launch\": 0, \"cta\": 0}",
		"{\"time\": 4, \"event\": \"launch ends\", \"launch\": 0}",
		"{\"time\": 4, \"event\": \"run ends\", \"run\": 0, \"outcome\": \"done\"}",
		NULL,
	};

	expect_lines("//@ launch k<<<1, 64>>>()\n" HEAD
		     ".visible .entry k() {\n\tbarrier.sync 1;\n\tret;\n}\n",
		false, want);
}

Test(trace, lines_of_an_mbarrier)
{
	static const char *const want[] = {
		"{\"time\": 0, \"event\": \"run begins\", \"run\": 0}",
		"{\"time\": 0, \"event\": \"launch begins\", \"launch\": 0, \"kernel\": \"k\", \"grid\": [1, 1, 1], \"block\": [1, 1, 1], \"stream\": 0}",
		"{\"time\": 0, \"event\": \"cta begins\", \"launch\": 0, \"cta\": 0}",
		"{\"time\": 0, \"event\": \"init\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\", \"line\": 9, \"instruction\": "
		"\"mbarrier.init.shared.b64\", \"mbarrier\": {\"cta\": 0, \"offset\": 8, \"name\": \"bar[1]\", \"phase\": 0, \"pending\": 2, \"expected\": 2, \"tx\": 0}}",
		"{\"time\": 1, \"event\": \"expect_tx\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\", \"line\": 10, \"instruction\": "
		"\"mbarrier.arrive.expect_tx.shared.b64\", \"mbarrier\": {\"cta\": 0, \"offset\": 8, \"name\": \"bar[1]\", \"phase\": 0, \"pending\": 2, \"expected\": 2, "
		"\"tx\": 16}, \"bytes\": 16}",
		"{\"time\": 1, \"event\": \"arrive\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\", \"line\": 10, \"instruction\": "
		"\"mbarrier.arrive.expect_tx.shared.b64\", \"mbarrier\": {\"cta\": 0, \"offset\": 8, \"name\": \"bar[1]\", \"phase\": 0, \"pending\": 1, \"expected\": 2, "
		"\"tx\": 16}, \"count\": 1}",
		"{\"time\": 2, \"event\": \"wait begins\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\", \"line\": 11, \"instruction\": "
		"\"mbarrier.test_wait.shared.b64\", \"mbarrier\": {\"cta\": 0, \"offset\": 8, \"name\": \"bar[1]\", \"phase\": 0, \"pending\": 1, \"expected\": 2, \"tx\": 16}}",
		"{\"time\": 3, \"event\": \"complete_tx\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\", \"line\": 12, \"instruction\": "
		"\"mbarrier.complete_tx.shared.b64\", \"mbarrier\": {\"cta\": 0, \"offset\": 8, \"name\": \"bar[1]\", \"phase\": 0, \"pending\": 1, \"expected\": 2, "
		"\"tx\": 0}, \"bytes\": 16}",
		"{\"time\": 4, \"event\": \"arrive\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\", \"line\": 13, \"instruction\": "
		"\"mbarrier.arrive.shared.b64\", \"mbarrier\": {\"cta\": 0, \"offset\": 8, \"name\": \"bar[1]\", \"phase\": 0, \"pending\": 0, \"expected\": 2, \"tx\": 0}, "
		"\"count\": 1}",
		"{\"time\": 4, \"event\": \"phase flips\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\", \"line\": 13, \"instruction\": "
		"\"mbarrier.arrive.shared.b64\", \"mbarrier\": {\"cta\": 0, \"offset\": 8, \"name\": \"bar[1]\", \"phase\": 0, \"pending\": 2, \"expected\": 2, \"tx\": 0}}",
		"{\"time\": 5, \"event\": \"wait ends\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\", \"line\": 11, \"instruction\": "
		"\"mbarrier.test_wait.shared.b64\", \"mbarrier\": {\"cta\": 0, \"offset\": 8, \"name\": \"bar[1]\", \"phase\": 0, \"pending\": 2, \"expected\": 2, \"tx\": 0}, "
		"\"since\": 2, \"outcome\": \"complete\"}",
		"{\"time\": 6, \"event\": \"access\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\", \"line\": 15, \"instruction\": "
		"\"atom.acq_rel.cta.shared.add.u32\", \"space\": \"shared\", \"bytes\": 4, \"addresses\": [\"0x10\"], \"sem\": \"acq_rel\", \"scope\": \"cta\"}",
		"{\"time\": 6, \"event\": \"exit\", \"launch\": 0, \"cta\": 0, \"warp\": 0, \"lanes\": \"0x00000001\"}",
		"{\"time\": 8, \"event\": \"cta ends\", \"launch\": 0, \"cta\": 0}",
		"{\"time\": 8, \"event\": \"launch ends\", \"launch\": 0}",
		"{\"time\": 8, \"event\": \"run ends\", \"run\": 0, \"outcome\": \"done\"}",
		NULL,
	};

	expect_lines(
		"//@ launch k<<<1, 1>>>()\n" HEAD
		".visible .entry k() {\n\t.reg .pred %p; .reg .b64 %s; .reg .b32 %r;\n\t.shared .align 8 .b64 bar[2];\n"
		"\t.shared .align 4 .b32 n;\n\tmbarrier.init.shared.b64 [bar+8], 2;\n\tmbarrier.arrive.expect_tx.shared.b64 %s, [bar+8], 16;\n"
		"\tmbarrier.test_wait.shared.b64 %p, [bar+8], %s;\n\tmbarrier.complete_tx.shared.b64 [bar+8], 16;\n\tmbarrier.arrive.shared.b64 _, [bar+8];\n"
		"\tmbarrier.test_wait.shared.b64 %p, [bar+8], %s;\n\tatom.acq_rel.cta.shared.add.u32 %r, [n], 1;\n\tret;\n}\n",
		true, want);
}

/* --- the viewer's file --- */

struct drawn {
	unsigned long pid, tid;
	double from, to;
	size_t order;
};
struct arrow {
	unsigned long id, pid, tid;
	double at;
	bool ends;
};
struct picture {
	VEC(struct drawn) span;
	VEC(struct drawn) open; /* begun, not ended */
	VEC(struct arrow) arrow;
	size_t events;
};

static double number(const char *event, const char *key, bool *found)
{
	char quoted[32];
	const char *at;

	snprintf(quoted, sizeof quoted, "\"%s\": ", key);
	at = strstr(event, quoted);
	*found = at != NULL;
	return at ? strtod(at + strlen(quoted), NULL) : 0;
}

static void add_event(struct picture *p, const char *event, const char *path)
{
	const char *ph = strstr(event, "\"ph\": \"");
	bool timed, placed, rowed, has;
	double ts = number(event, "ts", &timed), pid = number(event, "pid", &placed),
	       tid = number(event, "tid", &rowed);
	struct drawn s = {.pid = (unsigned long)pid,
		.tid = (unsigned long)tid,
		.from = ts,
		.order = p->events++};

	cr_assert(ph && timed && placed && rowed, "%s: %s", path, event);
	switch (ph[7]) {
	case 'X':
		s.to = ts + number(event, "dur", &has);
		cr_assert(has && s.to >= s.from, "%s: %s", path, event);
		*vec_push(&p->span) = s;
		break;
	case 'B': *vec_push(&p->open) = s; break;
	case 'E': {
		uint32_t k = p->open.count;

		while (k && (p->open.data[k - 1].pid != s.pid || p->open.data[k - 1].tid != s.tid))
			k--;
		cr_assert(k, "%s: an end without a begin: %s", path, event);
		s = p->open.data[k - 1];
		s.to = ts;
		*vec_push(&p->span) = s;
		p->open.data[k - 1] = p->open.data[--p->open.count];
		break;
	}
	case 's':
	case 'f':
		*vec_push(&p->arrow) = (struct arrow){
			.id = (unsigned long)number(event, "id", &has),
			.pid = s.pid,
			.tid = s.tid,
			.at = ts,
			.ends = ph[7] == 'f'};
		break;
	default: cr_assert_eq(ph[7], 'M', "%s: %s", path, event); break;
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_id(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;

	return x->id != y->id ? x->id < y->id ? -1 : 1 : x->ends - y->ends;
}

#define SLACK 0.0001 /* in microseconds: a tenth of the unit */

static void spans_nest(const struct picture *p, const char *path)
{
	VEC(struct drawn) around = {0};

	for (uint32_t k = 0; k < p->span.count; k++) {
		const struct drawn *s = &p->span.data[k];

		while (around.count &&
			(around.data[around.count - 1].pid != s->pid ||
				around.data[around.count - 1].tid != s->tid ||
				around.data[around.count - 1].to <= s->from + SLACK))
			around.count--;
		if (around.count)
			cr_assert(s->to <= around.data[around.count - 1].to + SLACK,
				"%s: row %lu of %lu: %f to %f is not within %f to %f", path, s->tid,
				s->pid, s->from, s->to, around.data[around.count - 1].from,
				around.data[around.count - 1].to);
		*vec_push(&around) = *s;
	}
	vec_free(&around);
}

static bool in_span(const struct picture *p, const struct arrow *a)
{
	for (uint32_t k = 0; k < p->span.count; k++) {
		const struct drawn *s = &p->span.data[k];

		if (s->pid == a->pid && s->tid == a->tid && s->from <= a->at + SLACK &&
			a->at < s->to + SLACK)
			return true;
	}
	return false;
}

static void check_picture(struct picture *p, const char *path)
{
	cr_assert_eq(p->open.count, 0, "%s: %u spans have no end", path, p->open.count);
	if (p->span.count)
		qsort(p->span.data, p->span.count, sizeof *p->span.data, by_begin);
	spans_nest(p, path);
	if (p->arrow.count)
		qsort(p->arrow.data, p->arrow.count, sizeof *p->arrow.data, by_id);
	cr_assert_eq(p->arrow.count % 2, 0, "%s: an arrow lacks an end", path);
	for (uint32_t k = 0; k < p->arrow.count; k += 2) {
		const struct arrow *s = &p->arrow.data[k], *f = s + 1;

		cr_assert(s->id == f->id && !s->ends && f->ends && s->at <= f->at + SLACK,
			"%s: arrow %lu", path, s->id);
		if (p->span.count < 20000) /* each search goes through all spans */
			cr_assert(in_span(p, s) && in_span(p, f), "%s: arrow %lu ends nowhere",
				path, s->id);
	}
	vec_free(&p->span);
	vec_free(&p->open);
	vec_free(&p->arrow);
}

/* Checks a trace and returns the number of its spans. */
static uint32_t look(const char *path, const char *program, uint64_t max_steps)
{
	struct text t = traced(path, program, TRACE_CHROME, true, max_steps);
	const char *over = json_space(json_value(text_str(&t), 0));
	struct picture p = {0};
	uint32_t n;

	cr_assert(over && !*over, "%s: no JSON: %.300s", path, text_str(&t));
	for (char *at = strchr(t.data, '\n'); at && at[1] == '{';) {
		char *end = strchr(at + 1, '\n');

		*end = 0;
		add_event(&p, at + 1, path);
		*end = '\n';
		at = end;
	}
	n = p.span.count;
	check_picture(&p, path);
	text_free(&t);
	return n;
}

static void look_at_all(const char *folder)
{
	DIR *d = opendir(folder);
	unsigned files = 0;

	cr_assert_not_null(d, "%s is not here", folder);
	for (struct dirent *e; (e = readdir(d));) {
		char path[600];
		size_t n = strlen(e->d_name);

		if (n < 5 || strcmp(e->d_name + n - 4, ".ptx") != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		look(path, NULL, 200000);
		files++;
	}
	closedir(d);
	cr_assert_gt(files, 4);
}

Test(trace, pictures_of_course) { look_at_all("tests/ptx/course"); }
Test(trace, pictures_of_sync) { look_at_all("tests/ptx/sync"); }
Test(trace, pictures_of_nvcc) { look_at_all("tests/ptx/nvcc"); }

Test(trace, picture_of_a_stuck_program)
{
	/* a launch, two warps, two waits, two barriers */
	cr_assert_eq(look("tests/ptx/sync/crossed_barriers.ptx", NULL, 0), 7);
}

/* Waits that never end, at the barrier of a cluster: it belongs to CTA 0, also after the trace is
 * done with that CTA. */
Test(trace, lines_of_waits_for_another_cta)
{
	static const char cluster[] = "\"cluster\": {\"cta\": ";
	struct text t = traced("tests/ptx/sync/stuck_words.ptx", NULL, TRACE_LINES, false, 0);
	unsigned n = 0;

	for (const char *at = text_str(&t); (at = strstr(at, cluster)); n++) {
		at += strlen(cluster);
		cr_assert_eq(strncmp(at, "0, ", 3), 0, "%.40s", at);
	}
	cr_assert_geq(n, 4);
	text_free(&t);
}

Test(trace, picture_of_an_unfinished_program)
{
	cr_assert_geq(look("tests/ptx/course/mbarrier_producer_consumer.ptx", NULL, 60), 10);
}

Test(trace, picture_of_a_fault)
{
	cr_assert_eq(look("test.ptx",
			     "//@ launch k<<<1, 64>>>()\n" HEAD
			     ".visible .entry k() { bar.sync 0; trap; }\n",
			     0),
		6);
}
