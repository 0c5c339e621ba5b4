/* The library's device: memory, modules, streams and events, findings, threads; a call that runs
 * out of memory loses the device, and no more. */
#include "base/guard.h"
#include <criterion/criterion.h>
#include <ptxi/device.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* add(a, n): a[i] += n. */
static const char add[] = HEAD
	".global .u32 total[2] = {5, 6};\n"
	".visible .entry add(.param .u64 a, .param .u32 n)\n{\n"
	".reg .b64 %d<3>;\n.reg .b32 %r<5>;\n"
	"ld.param.u64 %d0, [a];\nld.param.u32 %r0, [n];\n"
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
	"mad.lo.u32 %r1, %r1, %r2, %r3;\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d0, %d0, %d1;\n"
	"ld.global.u32 %r4, [%d0];\nadd.u32 %r4, %r4, %r0;\nst.global.u32 [%d0], %r4;\nret;\n}\n";
/* twice(a): a[i] *= 2, in a module of its own. */
static const char twice[] = HEAD
	".visible .entry twice(.param .u64 a)\n{\n"
	".reg .b64 %d<3>;\n.reg .b32 %r<5>;\n"
	"ld.param.u64 %d0, [a];\nmov.u32 %r3, %tid.x;\nmul.wide.u32 %d1, %r3, 4;\n"
	"add.u64 %d0, %d0, %d1;\nld.global.u32 %r4, [%d0];\nshl.b32 %r4, %r4, 1;\n"
	"st.global.u32 [%d0], %r4;\nret;\n}\n";

static const char *const all_checks[] = {"check=all", NULL};

struct world {
	struct ptxi_device *d;
	struct ptxi_module *add, *twice;
	unsigned add_f, twice_f;
	uint64_t a; /* 32 zeroed words */
};

static struct world begin(const char *const *settings)
{
	struct ptxi_device_options options = {.settings = settings, .jobs = 1};
	struct world w = {.d = ptxi_device_new(&options)};

	cr_assert_not_null(w.d);
	cr_assert_eq(ptxi_device_load(w.d, "add.ptx", add, strlen(add), &w.add), PTXI_OK);
	cr_assert_eq(ptxi_device_load(w.d, "twice.ptx", twice, strlen(twice), &w.twice), PTXI_OK);
	cr_assert_eq(ptxi_module_function(w.d, w.add, "add", &w.add_f), PTXI_OK);
	cr_assert_eq(ptxi_module_function(w.d, w.twice, "twice", &w.twice_f), PTXI_OK);
	cr_assert_eq(ptxi_alloc(w.d, 128, PTXI_INITIALISED, "a", NULL, &w.a), PTXI_OK);
	return w;
}

static enum ptxi_exit start_add(struct world *w, ptxi_stream stream, uint64_t a, unsigned n)
{
	void *args[] = {&a, &n};

	return ptxi_start(
		w->d, stream, w->add, w->add_f, &(struct ptxi_grid){.block = {32}, .args = args});
}

static enum ptxi_exit start_twice(struct world *w, ptxi_stream stream)
{
	return ptxi_start(w->d, stream, w->twice, w->twice_f,
		&(struct ptxi_grid){.block = {32}, .buffer = &w->a, .size = 8});
}

static unsigned word(struct world *w, unsigned k)
{
	unsigned value = 0;
	struct ptxi_copy copy = {.from = w->a + 4 * k, .to_host = &value, .size = 4};

	cr_assert_eq(ptxi_copy(w->d, 0, &copy, NULL), PTXI_OK);
	cr_assert_eq(ptxi_sync(w->d), PTXI_OK);
	return value;
}

/* The codes of all findings since the last call. */
static const char *codes(struct world *w)
{
	static char text[200];
	struct ptxi_report *r = ptxi_take_findings(w->d);

	text[0] = '\0';
	for (size_t k = 0; k < ptxi_report_count(r); k++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s ",
			ptxi_report_finding(r, k)->code);
	ptxi_report_free(r);
	return text;
}

static bool says(struct world *w, const char *part)
{
	char text[300];

	ptxi_device_error(w->d, text, sizeof text);
	return strstr(text, part) != NULL;
}

/* Findings of a kernel say where it was launched, in text and JSON; those of each launch its own.
 */
Test(device, places_of_launches)
{
	static const struct {
		struct ptxi_at at;
		const char *said;
	} rows[] = {
		{{.file = "sum.cu", .line = 41}, "CTA 0, thread 0, launched at sum.cu:41"},
		{{"sum.cu", 41, "go"}, "CTA 0, thread 0, launched by go at sum.cu:41"},
		{{.function = "go"}, "CTA 0, thread 0, launched by go"},
	};
	static char longest[2000];

	for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
		struct world w = begin(all_checks);
		uint64_t nowhere = 0;
		unsigned n = 1;
		void *args[] = {&nowhere, &n};
		struct ptxi_report *r;

		/* a fault ends the device, and a race between launches names both */
		cr_assert_eq(start_add(&w, 0, w.a, 1), PTXI_OK);
		cr_assert_eq(ptxi_start(w.d, 0, w.add, w.add_f,
				     &(struct ptxi_grid){
					     .block = {32}, .args = args, .at = &rows[k].at}),
			PTXI_OK);
		cr_assert_neq(ptxi_sync(w.d), PTXI_OK);
		r = ptxi_take_findings(w.d);
		cr_assert_eq(ptxi_report_count(r), 1);
		cr_expect_not_null(
			strstr(ptxi_report_text(r), rows[k].said), "%s", ptxi_report_text(r));
		cr_expect_not_null(strstr(ptxi_report_json(r), rows[k].said));
		ptxi_report_free(r);
		ptxi_device_free(w.d);
	}
	memset(longest, 'x', sizeof longest - 1);
	for (unsigned file = 0; file < 2; file++) {
		struct world w = begin(all_checks);
		ptxi_stream s[2];
		unsigned n = 1;
		void *args[] = {&w.a, &n};
		struct ptxi_at at = {.file = file ? longest : "two.cu", .line = 7};
		struct ptxi_report *r;

		for (unsigned k = 0; k < 2; k++) {
			cr_assert_eq(ptxi_stream_new(w.d, PTXI_NON_BLOCKING, &s[k]), PTXI_OK);
			at.line += k;
			if (file)
				at.function = longest, at.file = k ? longest : NULL;
			cr_assert_eq(ptxi_start(w.d, s[k], w.add, w.add_f,
					     &(struct ptxi_grid){
						     .block = {32}, .args = args, .at = &at}),
				PTXI_OK);
		}
		cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
		r = ptxi_take_findings(w.d);
		cr_assert_gt(ptxi_report_count(r), 0);
		if (!file) {
			cr_expect_not_null(
				strstr(ptxi_report_text(r), "(launch 0, launched at two.cu:7)"),
				"%s", ptxi_report_text(r));
			cr_expect_not_null(
				strstr(ptxi_report_text(r), "(launch 1, launched at two.cu:8)"));
		}
		ptxi_report_free(r);
		ptxi_device_free(w.d);
	}
}

Test(device, modules_share_one_memory)
{
	struct world w = begin(all_checks);

	cr_assert_eq(start_add(&w, 0, w.a, 3), PTXI_OK);
	cr_assert_eq(start_twice(&w, 0), PTXI_OK);
	cr_assert_eq(start_add(&w, 0, w.a, 1), PTXI_OK);
	cr_assert_eq(start_twice(&w, 0), PTXI_OK);
	cr_assert_eq(word(&w, 0), 14);
	cr_assert_eq(word(&w, 31), 14);
	cr_assert_str_eq(codes(&w), "");
	ptxi_device_free(w.d);
}

/* An unloaded module's variables are freed memory; its handle is refused; others go on. */
Test(device, modules_are_unloaded)
{
	static const char scaled[] = HEAD
		".const .u32 factor = 3;\n"
		".visible .entry scaled(.param .u64 a)\n{\n"
		".reg .b64 %d<3>;\n.reg .b32 %r<3>;\nld.param.u64 %d0, [a];\n"
		"ld.const.u32 %r0, [factor];\nst.global.u32 [%d0], %r0;\nret;\n}\n";
	struct world w = begin(all_checks);
	struct ptxi_module *m;
	struct ptxi_allocation found;
	uint64_t total, size, left, more, limit;
	void *args[] = {&w.a};
	unsigned f;
	char text[200];

	cr_assert_eq(ptxi_module_symbol(w.d, w.add, "total", &total, &size), PTXI_OK);
	cr_assert_eq(ptxi_find(w.d, total + 4, &found), PTXI_OK);
	cr_assert(found.address == total && found.size == 8 && found.variable);
	cr_assert_eq(start_add(&w, 0, w.a, 7), PTXI_OK); /* unloading waits for it */
	ptxi_memory(w.d, &left, &limit);
	cr_assert_eq(ptxi_unload(w.d, w.add, &(struct ptxi_at){"a.cu", 9, "main"}), PTXI_OK);
	ptxi_memory(w.d, &more, &limit);
	cr_assert_gt(more, left);
	cr_assert_eq(word(&w, 31), 7);
	cr_assert_eq(ptxi_unload(w.d, w.add, NULL), PTXI_USAGE);
	cr_assert_eq(start_add(&w, 0, w.a, 7), PTXI_USAGE);
	cr_assert_eq(ptxi_find(w.d, total, &found), PTXI_USAGE);
	ptxi_describe(w.d, total + 4, text, sizeof text);
	cr_assert_str_eq(text,
		".global variable `total[1]`, which was freed by the unloading of its module by main at a.cu:9");
	cr_assert_eq(start_twice(&w, 0), PTXI_OK);
	cr_assert_eq(word(&w, 31), 14);

	/* more .const variables than the window has room for at once */
	for (unsigned k = 0; k < 40000; k++) {
		cr_assert_eq(ptxi_device_load(w.d, "scaled.ptx", scaled, strlen(scaled), &m),
			PTXI_OK, "module %u", k);
		if (k % 10000 == 9999) {
			cr_assert_eq(ptxi_module_function(w.d, m, "scaled", &f), PTXI_OK);
			cr_assert_eq(ptxi_start(w.d, 0, m, f, &(struct ptxi_grid){.args = args}),
				PTXI_OK);
			cr_assert_eq(word(&w, 0), 3);
		}
		cr_assert_eq(ptxi_unload(w.d, m, NULL), PTXI_OK);
	}
	/* an access through an old address is reported */
	w.a = total;
	cr_assert_eq(start_twice(&w, 0), PTXI_OK);
	cr_assert_eq(ptxi_sync(w.d), PTXI_FAULT);
	cr_assert(says(&w, "which was freed by the unloading"));
	cr_assert_str_eq(codes(&w), "F0207 ");
	ptxi_device_free(w.d);
}

Test(device, symbols_and_parameters)
{
	struct world w = begin(NULL);
	uint64_t address, size;
	unsigned total[2], count, none;
	size_t bytes, offset, n;
	char text[100];

	cr_assert_eq(ptxi_module_symbol(w.d, w.add, "total", &address, &size), PTXI_OK);
	cr_assert_eq(size, 8);
	struct ptxi_copy copy = {.from = address, .to_host = total, .size = 8};

	cr_assert_eq(ptxi_copy(w.d, 0, &copy, NULL), PTXI_OK);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	cr_assert_eq(total[0] * 10 + total[1], 56);
	cr_assert_eq(ptxi_describe(w.d, w.a + 8, text, sizeof text), PTXI_OK);
	cr_assert_str_eq(text, "buffer `a+8`");
	cr_assert_eq(ptxi_function_parameters(w.d, w.add, w.add_f, &count, &bytes), PTXI_OK);
	cr_assert_eq(count, 2);
	cr_assert_eq(bytes, 12);
	cr_assert_eq(ptxi_function_parameter(w.d, w.add, w.add_f, 1, &offset, &n), PTXI_OK);
	cr_assert_eq(offset * 10 + n, 84);
	cr_assert_eq(ptxi_function_parameter(w.d, w.add, w.add_f, 2, &offset, &n), PTXI_USAGE);
	cr_assert_eq(ptxi_module_symbol(w.d, w.twice, "total", &address, &size), PTXI_USAGE);
	cr_assert_eq(ptxi_module_function(w.d, w.twice, "add", &none), PTXI_USAGE);
	cr_assert(says(&w, "no kernel 'add'"));
	ptxi_device_free(w.d);
}

Test(device, copies_and_fills)
{
	struct world w = begin(all_checks);
	unsigned in[32], out[32] = {0}, seven = 7;
	uint64_t b;

	for (unsigned k = 0; k < 32; k++)
		in[k] = 100 * k;
	cr_assert_eq(ptxi_alloc(w.d, 128, 0, "b", NULL, &b), PTXI_OK);
	struct ptxi_copy to = {.to = w.a, .from_host = in, .size = 128, .staged = 1},
			 over = {.to = b, .from = w.a, .size = 128},
			 back = {.to_host = out, .from = b, .size = 128};

	cr_assert_eq(ptxi_copy(w.d, 0, &to, NULL), PTXI_OK);
	in[3] = 1; /* too late: it was staged */
	cr_assert_eq(start_add(&w, 0, w.a, 5), PTXI_OK);
	cr_assert_eq(ptxi_copy(w.d, 0, &over, NULL), PTXI_OK);
	cr_assert_eq(ptxi_fill(w.d, 0, b + 4, &seven, 4, 2, NULL), PTXI_OK);
	cr_assert_eq(ptxi_copy(w.d, 0, &back, NULL), PTXI_OK);
	cr_assert_eq(out[3], 0, "it has not run yet");
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	cr_assert_eq(out[0], 5);
	cr_assert_eq(out[1] + out[2], 14);
	cr_assert_eq(out[3], 305);
	back.size = 129;
	cr_assert_eq(ptxi_copy(w.d, 0, &back, NULL), PTXI_USAGE);
	cr_assert(says(&w, "129 bytes, where 128 are left: buffer `b`"));
	over.to_host = out;
	cr_assert_eq(ptxi_copy(w.d, 0, &over, NULL), PTXI_USAGE);
	cr_assert_eq(ptxi_fill(w.d, 0, b, &seven, 3, 1, NULL), PTXI_USAGE);
	cr_assert_eq(ptxi_fill(w.d, 0, b, &seven, 0, 1, NULL), PTXI_USAGE);
	cr_assert_eq(ptxi_fill(w.d, 0, b, &seven, 4, 33, NULL), PTXI_USAGE);
	cr_assert_eq(ptxi_fill(w.d, 0, b, &seven, 4, UINT64_MAX / 2, NULL), PTXI_USAGE);
	cr_assert_str_eq(codes(&w), "");
	ptxi_device_free(w.d);
}

Test(device, use_after_free)
{
	struct world w = begin(NULL);
	struct ptxi_at at = {"bugs.cu", 31, "main"}, made = {"bugs.cu", 7, NULL};
	struct ptxi_report *r;
	uint64_t b;

	cr_assert_eq(ptxi_alloc(w.d, 128, 0, NULL, &made, &b), PTXI_OK);
	cr_assert_eq(ptxi_dealloc(w.d, b + 4, &at), PTXI_USAGE);
	cr_assert_eq(ptxi_dealloc(w.d, 12, &at), PTXI_USAGE);
	cr_assert_eq(ptxi_dealloc(w.d, 0, &at), PTXI_OK);
	cr_assert_eq(start_add(&w, 0, b, 1), PTXI_OK); /* a free waits for it */
	cr_assert_eq(ptxi_dealloc(w.d, b, &at), PTXI_OK);
	cr_assert_eq(ptxi_dealloc(w.d, b, &at), PTXI_USAGE);
	cr_assert(says(
		&w, "freed already: buffer `bugs.cu:7`, which was freed by main at bugs.cu:31"));
	cr_assert_eq(start_add(&w, 0, b, 1), PTXI_OK);
	cr_assert_eq(ptxi_sync(w.d), PTXI_FAULT);
	r = ptxi_take_findings(w.d);
	cr_assert_eq(ptxi_report_count(r), 1);
	cr_assert_str_eq(ptxi_report_finding(r, 0)->code, "F0207");
	cr_assert(strstr(ptxi_report_finding(r, 0)->message,
		"buffer `bugs.cu:7`, which was freed by main at bugs.cu:31"));
	cr_assert(strstr(ptxi_report_text(r), "F0207"));
	cr_assert(strstr(ptxi_report_json(r), "\"F0207\""));
	/* the device stays lost */
	cr_assert_eq(ptxi_sync(w.d), PTXI_FAULT);
	cr_assert_eq(ptxi_alloc(w.d, 8, 0, NULL, NULL, &b), PTXI_FAULT);
	cr_assert_eq(ptxi_device_status(w.d), PTXI_FAULT);
	cr_assert(says(&w, "which was freed by main"));
	ptxi_device_free(w.d);
	cr_assert_eq(ptxi_report_count(r), 1); /* it outlives the device */
	ptxi_report_free(r);
}

/* Which orders make two kernels that write the same words race. */
Test(device, streams_and_events)
{
	struct world w;
	ptxi_stream s, t, apart;
	ptxi_event e;

	for (unsigned how = 0; how < 9; how++) {
		bool races = how == 0 || how == 5 || how == 6;

		w = begin(all_checks);
		cr_assert_eq(ptxi_stream_new(w.d, 0, &s), PTXI_OK);
		cr_assert_eq(ptxi_stream_new(w.d, 0, &t), PTXI_OK);
		cr_assert_eq(ptxi_stream_new(w.d, PTXI_NON_BLOCKING, &apart), PTXI_OK);
		cr_assert_eq(ptxi_event_new(w.d, &e), PTXI_OK);
		cr_assert_eq(start_add(&w, s, w.a, 1), PTXI_OK);
		switch (how) {
		case 0: break;
		case 1: /* an event */
			cr_assert_eq(ptxi_record(w.d, e, s), PTXI_OK);
			cr_assert_eq(ptxi_wait(w.d, t, e), PTXI_OK);
			break;
		case 2: cr_assert_eq(ptxi_sync(w.d), PTXI_OK); break;
		case 3: cr_assert_eq(ptxi_sync_stream(w.d, s), PTXI_OK); break;
		case 4: /* the host waits for an event */
			cr_assert_eq(ptxi_record(w.d, e, s), PTXI_OK);
			cr_assert_eq(ptxi_sync_event(w.d, e), PTXI_OK);
			break;
		case 5: /* it waits for another stream */
			cr_assert_eq(ptxi_sync_stream(w.d, t), PTXI_OK);
			break;
		case 6: /* the default stream does not order a non-blocking one */ t = apart; break;
		case 7: t = PTXI_DEFAULT_STREAM; break;
		case 8: t = s; break;
		}
		cr_assert_eq(start_add(&w, t, w.a, 1), PTXI_OK);
		cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
		cr_assert_eq(strcmp(codes(&w), "") != 0, races, "order %u", how);
		cr_assert_str_eq(codes(&w), ""); /* each is handed over once */
		ptxi_device_free(w.d);
	}
	w = begin(all_checks);
	cr_assert_eq(ptxi_stream_new(w.d, PTXI_NON_BLOCKING, &apart), PTXI_OK);
	cr_assert_eq(start_add(&w, PTXI_DEFAULT_STREAM, w.a, 1), PTXI_OK);
	cr_assert_eq(start_add(&w, apart, w.a, 1), PTXI_OK);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	cr_assert_eq(strncmp(codes(&w), "R0101 ", 6), 0);
	cr_assert_eq(start_add(&w, apart + 7, w.a, 1), PTXI_USAGE);
	cr_assert_eq(ptxi_record(w.d, 1, 0), PTXI_USAGE);
	ptxi_device_free(w.d);
}

/* A kernel writes words, and a copy or fill touches them, in another stream. */
Test(device, copies_race_with_kernels)
{
	static const struct ptxi_at at = {"race.cu", 12, "main"};
	unsigned value[32] = {0};

	for (unsigned how = 0; how < 10; how++) {
		struct world w = begin(all_checks);
		bool races = how < 5;
		struct ptxi_copy out = {.from = w.a, .to_host = value, .size = 128},
				 in = {.to = w.a + 6, .from_host = value, .size = 3}, over;
		struct ptxi_report *r;
		ptxi_stream s, t;
		ptxi_event e;
		uint64_t b;

		cr_assert_eq(ptxi_stream_new(w.d, 0, &s), PTXI_OK);
		cr_assert_eq(ptxi_stream_new(w.d, PTXI_NON_BLOCKING, &t), PTXI_OK);
		cr_assert_eq(ptxi_event_new(w.d, &e), PTXI_OK);
		cr_assert_eq(ptxi_alloc(w.d, 128, PTXI_INITIALISED, "b", NULL, &b), PTXI_OK);
		over = (struct ptxi_copy){.to = b, .from = w.a, .size = 64};
		if (how == 1) /* the copy comes first */
			cr_assert_eq(ptxi_copy(w.d, t, &out, &at), PTXI_OK);
		cr_assert_eq(start_add(&w, s, w.a, 1), PTXI_OK);
		switch (how) {
		case 0: cr_assert_eq(ptxi_copy(w.d, t, &out, &at), PTXI_OK); break;
		case 1: break;
		case 2: cr_assert_eq(ptxi_copy(w.d, t, &in, &at), PTXI_OK); break;
		case 3: cr_assert_eq(ptxi_fill(w.d, t, w.a, value, 1, 9, &at), PTXI_OK); break;
		case 4: cr_assert_eq(ptxi_copy(w.d, t, &over, &at), PTXI_OK); break;
		case 5: cr_assert_eq(ptxi_copy(w.d, s, &out, &at), PTXI_OK); break;
		case 6: cr_assert_eq(ptxi_copy(w.d, 0, &out, &at), PTXI_OK); break;
		case 7: /* an event */
			cr_assert_eq(ptxi_record(w.d, e, s), PTXI_OK);
			cr_assert_eq(ptxi_wait(w.d, t, e), PTXI_OK);
			cr_assert_eq(ptxi_copy(w.d, t, &in, &at), PTXI_OK);
			break;
		case 8: /* the host waits */
			cr_assert_eq(ptxi_sync_stream(w.d, s), PTXI_OK);
			cr_assert_eq(ptxi_copy(w.d, t, &over, &at), PTXI_OK);
			break;
		case 9: /* other bytes */
			in.to = b;
			cr_assert_eq(ptxi_copy(w.d, t, &in, &at), PTXI_OK);
			break;
		}
		cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
		r = ptxi_take_findings(w.d);
		cr_assert_eq(
			ptxi_report_count(r) > 0, races, "case %u: %s", how, ptxi_report_text(r));
		for (size_t k = 0; k < ptxi_report_count(r); k++) {
			const struct ptxi_finding *f = ptxi_report_finding(r, k);

			cr_assert_str_eq(f->code, "R0101");
			cr_assert_eq(f->nplaces, 1);
			cr_assert_str_eq(f->places[0].file, "add.ptx");
			cr_assert(strstr(f->message,
					  how == 3 ? "the fill by main at race.cu:12 w"
						   : "the copy by main at race.cu:12 "),
				"%s", f->message);
		}
		ptxi_report_free(r);
		ptxi_device_free(w.d);
	}
}

/* Two copies race as well, and one race is one finding, however many bytes and times. */
Test(device, copies_race_with_copies)
{
	static const struct ptxi_at one = {"race.cu", 12, "main"}, two = {"race.cu", 13, NULL};
	struct world w = begin(all_checks);
	unsigned value[32] = {0};
	struct ptxi_copy in = {.to = w.a, .from_host = value, .size = 128};
	struct ptxi_report *r;
	ptxi_stream s, t;

	cr_assert_eq(ptxi_stream_new(w.d, 0, &s), PTXI_OK);
	cr_assert_eq(ptxi_stream_new(w.d, 0, &t), PTXI_OK);
	for (unsigned k = 0; k < 3; k++) {
		cr_assert_eq(ptxi_copy(w.d, s, &in, &one), PTXI_OK);
		cr_assert_eq(ptxi_copy(w.d, t, &in, &two), PTXI_OK);
		cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	}
	r = ptxi_take_findings(w.d);
	cr_assert_eq(ptxi_report_count(r), 1);
	cr_assert(strstr(ptxi_report_finding(r, 0)->message,
		"the copy at race.cu:13 writes it, the copy by main at race.cu:12 wrote it"));
	ptxi_report_free(r);
	ptxi_device_free(w.d);
}

static void note(void *self) { strcat(self, "h"); }

static void count(void *self) { ++*(unsigned *)self; }

/* When much is queued it runs, but the host has not waited for it: a later kernel may race. */
Test(device, a_full_queue_orders_nothing)
{
	enum { MANY = 1100 };
	struct world w = begin(all_checks);
	unsigned n = 0;
	ptxi_stream s, t;

	cr_assert_eq(ptxi_stream_new(w.d, 0, &s), PTXI_OK);
	cr_assert_eq(ptxi_stream_new(w.d, 0, &t), PTXI_OK);
	cr_assert_eq(start_add(&w, s, w.a, 1), PTXI_OK);
	for (unsigned k = 0; k < MANY; k++)
		cr_assert_eq(ptxi_host_function(w.d, s, count, &n), PTXI_OK);
	cr_assert_gt(n, 0, "nothing has run");
	cr_assert_lt(n, MANY);
	cr_assert_str_eq(codes(&w), "");
	cr_assert_eq(start_add(&w, t, w.a, 1), PTXI_OK);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	cr_assert_eq(n, MANY);
	cr_assert_eq(strncmp(codes(&w), "R0101 ", 6), 0);
	ptxi_device_free(w.d);
}

static void printed(void *self, const char *text, size_t n) { strncat(self, text, n); }

Test(device, host_functions_and_output)
{
	static const char prints[] = HEAD
		".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
		".global .align 1 .b8 text[4] = {111, 107, 10, 0};\n"
		".visible .entry say()\n{\n.reg .b64 %d<2>;\n"
		"mov.u64 %d0, text;\ncvta.global.u64 %d0, %d0;\n{\n"
		".param .b64 f; .param .b64 v; .param .b32 r;\n"
		"st.param.b64 [f], %d0; st.param.b64 [v], 0;\n"
		"call.uni (r), vprintf, (f, v);\n}\nret;\n}\n";
	char said[100] = "";
	struct ptxi_device_options options = {.jobs = 1, .output = printed, .self = said};
	struct ptxi_device *d = ptxi_device_new(&options);
	struct ptxi_module *m;
	unsigned f;

	cr_assert_eq(ptxi_device_load(d, "say.ptx", prints, strlen(prints), &m), PTXI_OK);
	cr_assert_eq(ptxi_module_function(d, m, "say", &f), PTXI_OK);
	for (unsigned k = 0; k < 2; k++) {
		cr_assert_eq(ptxi_start(d, 0, m, f, &(struct ptxi_grid){0}), PTXI_OK);
		cr_assert_eq(ptxi_host_function(d, 0, note, said), PTXI_OK);
	}
	cr_assert_str_eq(said, "");
	cr_assert_eq(ptxi_sync(d), PTXI_OK);
	cr_assert_str_eq(said, "hhok\nok\n");
	cr_assert_eq(ptxi_sync(d), PTXI_OK);
	cr_assert_str_eq(said, "hhok\nok\n");
	cr_assert_eq(ptxi_host_function(d, 0, NULL, said), PTXI_USAGE);
	ptxi_device_free(d);
}

Test(device, wrong_arguments)
{
	static const char *const settings[] = {"schedule=sometimes", NULL};
	static const char *const small[] = {"max-memory=4096", NULL};
	struct world w = begin(NULL);
	struct ptxi_module *m;
	struct ptxi_grid grid = {.block = {2000}};
	uint64_t b;

	cr_assert_eq(ptxi_start(w.d, 0, w.add, w.add_f, &grid), PTXI_USAGE); /* no parameters */
	cr_assert_eq(ptxi_start(w.d, 0, w.add, 99, &grid), PTXI_USAGE);
	cr_assert_eq(ptxi_start(w.d, 0, NULL, 0, &grid), PTXI_USAGE);
	grid.buffer = &w.a;
	grid.size = 8;
	cr_assert_eq(ptxi_start(w.d, 0, w.twice, w.twice_f, &grid), PTXI_USAGE);
	cr_assert_str_eq(codes(&w), "F0101 ");
	cr_assert_eq(start_twice(&w, 0), PTXI_OK); /* the device is not lost */
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	cr_assert_eq(ptxi_device_load(w.d, "x", "nonsense", 8, &m), PTXI_REJECTED);
	cr_assert_null(m);
	cr_assert_neq(strcmp(codes(&w), ""), 0);
	cr_assert_eq(ptxi_device_load(w.d, "x", "a\0b", 3, &m), PTXI_REJECTED);
	cr_assert_str_eq(codes(&w), "L0205 ");
	cr_assert_eq(ptxi_alloc(w.d, UINT64_MAX, 0, "b", NULL, &b), PTXI_UNDECIDED);
	cr_assert_eq(b, 0);
	cr_assert_eq(ptxi_alloc(w.d, 8, 64, "b", NULL, &b), PTXI_USAGE);
	ptxi_device_free(w.d);
	struct ptxi_device *d = ptxi_device_new(
		&(struct ptxi_device_options){.settings = settings, .jobs = 1});

	cr_assert_eq(ptxi_device_status(d), PTXI_USAGE);
	cr_assert_str_eq(codes(&(struct world){.d = d}), "L0115 ");
	ptxi_device_free(d);
	d = ptxi_device_new(&(struct ptxi_device_options){.settings = small, .jobs = 1});
	cr_assert_eq(ptxi_alloc(d, 4000, 0, "b", NULL, &b), PTXI_OK);
	cr_assert_eq(ptxi_alloc(d, 4000, 0, "b", NULL, &b), PTXI_UNDECIDED);
	ptxi_device_free(d);
	ptxi_device_free(NULL);
}

Test(device, memory_of_the_host)
{
	struct world w = begin(all_checks);
	static const struct ptxi_at at = {"pinned.cu", 5, "main"};
	unsigned own[32] = {0};
	uint64_t a, b;

	own[3] = 30;
	cr_assert_eq(ptxi_adopt(w.d, own, sizeof own, "own", NULL, &a), PTXI_OK);
	cr_assert_eq(ptxi_adopt(w.d, NULL, 8, "own", NULL, &b), PTXI_USAGE);
	cr_assert_eq(start_add(&w, 0, a, 2), PTXI_OK);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	cr_assert_eq(own[3], 32);
	own[3] = 100;
	cr_assert_eq(start_add(&w, 0, a, 2), PTXI_OK);
	cr_assert_eq(ptxi_dealloc(w.d, a, &at), PTXI_OK);
	cr_assert_eq(own[3], 102);
	cr_assert_eq(own[31], 4);
	cr_assert_eq(ptxi_alloc(w.d, 0, PTXI_HOST_VISIBLE, "none", NULL, &b), PTXI_USAGE);
#ifndef __SANITIZE_THREAD__ /* which allows no memory at such addresses */
	for (unsigned k = 0; k < 100; k++) {
		cr_assert_eq(ptxi_alloc(w.d, 128, PTXI_HOST_VISIBLE | PTXI_INITIALISED, "seen",
				     NULL, &b),
			PTXI_OK);
		unsigned *seen = (unsigned *)(uintptr_t)b;

		cr_assert_eq(seen[31], 0);
		seen[31] = 7;
		cr_assert_eq(start_add(&w, 0, b, 1), PTXI_OK);
		cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
		cr_assert_eq(seen[31], 8);
		if (k % 3) /* the others end with the device */
			cr_assert_eq(ptxi_dealloc(w.d, b, &at), PTXI_OK);
	}
#endif
	cr_assert_eq(start_add(&w, 0, a, 2), PTXI_OK);
	cr_assert_eq(ptxi_sync(w.d), PTXI_FAULT);
	cr_assert(says(&w, "buffer `own`, which was freed by main at pinned.cu:5"));
	ptxi_device_free(w.d);
}

Test(device, managed_variables)
{
	static const char text[] = HEAD
		".global .attribute(.managed) .u32 shared[2] = {3, 4};\n.global .u32 own;\n"
		".visible .entry more()\n{\n.reg .b32 %r<2>;\n"
		"ld.global.u32 %r0, [shared+4];\nadd.u32 %r0, %r0, 1;\n"
		"st.global.u32 [shared], %r0;\nret;\n}\n";
	struct world w = begin(all_checks);
	struct ptxi_module *m;
	struct ptxi_allocation found;
	uint64_t address, size;
	volatile unsigned *host;
	unsigned f;

	cr_assert_eq(ptxi_device_load(w.d, "managed.ptx", text, strlen(text), &m), PTXI_OK);
	cr_assert_eq(ptxi_module_symbol(w.d, m, "own", &address, &size), PTXI_OK);
	cr_assert_eq(ptxi_find(w.d, address, &found), PTXI_OK);
	cr_assert(found.variable && !found.host_visible);
	cr_assert_eq(ptxi_module_symbol(w.d, m, "shared", &address, &size), PTXI_OK);
	cr_assert_eq(ptxi_find(w.d, address, &found), PTXI_OK);
	cr_assert(found.variable && found.host_visible);
	host = (volatile unsigned *)(uintptr_t)address;
	cr_assert(host[0] == 3 && host[1] == 4);
	host[1] = 9;
	cr_assert_eq(ptxi_module_function(w.d, m, "more", &f), PTXI_OK);
	cr_assert_eq(ptxi_start(w.d, 0, m, f, &(struct ptxi_grid){0}), PTXI_OK);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	cr_assert_eq(host[0], 10);
	cr_assert_eq(ptxi_unload(w.d, m, NULL), PTXI_OK);
	cr_assert_eq(ptxi_find(w.d, address, &found), PTXI_USAGE);
	ptxi_device_free(w.d);
}

Test(device, properties_and_occupancy)
{
	struct world w = begin(NULL);
	struct ptxi_properties p;
	unsigned n;

	cr_assert_eq(ptxi_get_properties(w.d, &p), PTXI_OK);
	cr_assert_eq(p.major * 10 + p.minor, 90);
	cr_assert_eq(p.threads_per_block, 1024);
	cr_assert_eq(p.grid[1], 65535);
	cr_assert_eq(ptxi_occupancy(w.d, w.add, w.add_f, 1024, 0, &n), PTXI_OK);
	cr_assert_eq(n, 2);
	cr_assert_eq(ptxi_occupancy(w.d, w.add, w.add_f, 33, 0, &n), PTXI_OK);
	cr_assert_eq(n, 32);
	cr_assert_eq(ptxi_occupancy(w.d, w.add, w.add_f, 32, 75 << 10, &n), PTXI_OK);
	cr_assert_eq(n, 3);
	cr_assert_eq(ptxi_occupancy(w.d, w.add, w.add_f, 32, 228 << 10, &n), PTXI_OK);
	cr_assert_eq(n, 0);
	cr_assert_eq(ptxi_occupancy(w.d, w.add, w.add_f, 2000, 0, &n), PTXI_OK);
	cr_assert_eq(n, 0);
	cr_assert_eq(ptxi_occupancy(w.d, w.add, 77, 32, 0, &n), PTXI_USAGE);
	ptxi_device_free(w.d);
}

struct thread {
	struct world *w;
	uint64_t a;
};

static void *work_of_a_thread(void *arg)
{
	struct thread *t = arg;
	ptxi_stream s;

	if (ptxi_stream_new(t->w->d, 0, &s) ||
		ptxi_alloc(t->w->d, 128, PTXI_INITIALISED, NULL, NULL, &t->a))
		return NULL;
	for (unsigned k = 0; k < 100; k++) {
		uint64_t b;

		if (start_add(t->w, s, t->a, 1) || (k % 10 == 0 && ptxi_sync_stream(t->w->d, s)) ||
			ptxi_alloc(t->w->d, 64, 0, NULL, NULL, &b) ||
			ptxi_dealloc(t->w->d, b, NULL))
			return NULL;
	}
	return arg;
}

Test(device, threads_use_one_device)
{
	enum { THREADS = 4 };
	struct world w = begin(all_checks);
	struct thread t[THREADS];
	pthread_t id[THREADS];
	void *done;

	for (unsigned k = 0; k < THREADS; k++) {
		t[k].w = &w;
		cr_assert_eq(pthread_create(&id[k], NULL, work_of_a_thread, &t[k]), 0);
	}
	for (unsigned k = 0; k < THREADS; k++) {
		pthread_join(id[k], &done);
		cr_assert_not_null(done);
	}
	for (unsigned k = 0; k < THREADS; k++) {
		w.a = t[k].a;
		cr_assert_eq(word(&w, 5), 100);
	}
	cr_assert_str_eq(codes(&w), "");
	ptxi_device_free(w.d);
}

/* With LEFT allocations from the first call on. Whether none failed. */
static bool attempt(uint64_t left, unsigned jobs)
{
	_Atomic uint64_t allowed = left;
	struct ptxi_device_options options = {.settings = all_checks, .jobs = jobs};
	struct world w = {0};
	struct ptxi_report *r = NULL;
	enum ptxi_exit end = PTXI_NO_MEMORY;
	unsigned value[32];
	struct ptxi_copy copy = {.to_host = value, .size = sizeof value};
	ptxi_stream s;
	uint64_t b;

	guard_allowance(&allowed);
	w.d = ptxi_device_new(&options);
	if (w.d) {
		end = ptxi_device_load(w.d, "add.ptx", add, strlen(add), &w.add);
		end = end ? end : ptxi_module_function(w.d, w.add, "add", &w.add_f);
		end = end ? end : ptxi_alloc(w.d, 128, PTXI_INITIALISED, "a", NULL, &w.a);
		end = end ? end : ptxi_stream_new(w.d, 0, &s);
		end = end ? end : ptxi_alloc(w.d, 4, PTXI_HOST_VISIBLE, "b", NULL, &b);
		end = end ? end : start_add(&w, s, w.a, 7);
		end = end ? end : start_add(&w, 0, w.a, 7);
		copy.from = w.a;
		end = end ? end : ptxi_copy(w.d, 0, &copy, NULL);
		end = end ? end : ptxi_sync(w.d);
		r = ptxi_take_findings(w.d);
		end = end ? end : ptxi_dealloc(w.d, w.a, NULL);
	}
	guard_allowance(NULL);
	/* an allocation on the device may fail without losing it */
	cr_assert(end == PTXI_OK || end == PTXI_NO_MEMORY || end == PTXI_UNDECIDED, "%d", end);
	cr_assert(end || value[31] == 14);
	ptxi_report_free(r);
	ptxi_device_free(w.d);
	return !end && r;
}

Test(device, every_allocation_fails, .timeout = 120)
{
	for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
		uint64_t n = 0;

		while (!attempt(n, jobs))
			cr_assert_lt(++n, 1 << 20);
		cr_assert_gt(n, 50);
	}
}

/* --- progress --- */

struct heard {
	_Atomic unsigned asked, told;
	char kernel[40];
	uint64_t blocks, most_done;
};

static int is_due(void *self)
{
	struct heard *h = self;

	return ++h->asked > 3;
}

static void hear(void *self, const struct ptxi_progress *p)
{
	struct heard *h = self;

	h->told++;
	snprintf(h->kernel, sizeof h->kernel, "%s", p->kernel);
	h->blocks = p->blocks;
	h->most_done = p->blocks_done > h->most_done ? p->blocks_done : h->most_done;
}

Test(device, progress)
{
	static const char spin[] = HEAD
		".visible .entry spin()\n{\n.reg .b32 %r;\n.reg .pred %p;\nmov.u32 %r, 0;\n"
		"more:\nadd.u32 %r, %r, 1;\nsetp.lt.u32 %p, %r, 20000;\n@%p bra more;\nret;\n}\n";
	struct heard h = {0};
	struct ptxi_device_options options = {.jobs = 1, .self = &h, .due = is_due, .hear = hear};
	struct ptxi_device *d = ptxi_device_new(&options);
	struct ptxi_module *m;
	unsigned f;

	cr_assert_eq(ptxi_device_load(d, "spin.ptx", spin, strlen(spin), &m), PTXI_OK);
	cr_assert_eq(ptxi_module_function(d, m, "spin", &f), PTXI_OK);
	cr_assert_eq(ptxi_start(d, 0, m, f, &(struct ptxi_grid){.grid = {8}}), PTXI_OK);
	cr_assert_eq(h.asked, 0, "it has not run yet");
	cr_assert_eq(ptxi_sync(d), PTXI_OK);
	cr_assert_gt(h.told, 0);
	cr_assert_eq(h.told + 3, h.asked);
	cr_assert_str_eq(h.kernel, "spin");
	cr_assert_eq(h.blocks, 8);
	cr_assert_geq(h.most_done, 1);
	cr_assert_lt(h.most_done, 8);
	ptxi_device_free(d);
}
