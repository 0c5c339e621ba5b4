/* The library's interface: a call that runs out of memory, at whichever allocation, ends with an
 * error value, releases what it held, and the program works again. */
#include "base/assert.h"
#include "base/guard.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/pool.h"
#include <criterion/criterion.h>
#include <ptxi/ptxi.h>
#include <stdio.h>
#include <string.h>

/* Adds N to each element; thread 0 of each CTA waits at a barrier and prints nothing. */
static const char kernel[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry add(.param .u64 a, .param .u32 n)\n{\n"
	".reg .b64 %d<3>;\n.reg .b32 %r<5>;\n.shared .align 4 .b8 s[128];\n"
	"ld.param.u64 %d0, [a];\nld.param.u32 %r0, [n];\n"
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
	"mad.lo.u32 %r1, %r1, %r2, %r3;\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d0, %d0, %d1;\n"
	"bar.sync 0;\nld.global.u32 %r4, [%d0];\nadd.u32 %r4, %r4, %r0;\nst.global.u32 [%d0], %r4;\n"
	"ret;\n}\n";
static const char cases[] =
	"//@ buffer a : u32[256] = iota(0)\n//@ launch add<<<8, 32>>>(a, 7)\n//@ expect a[0..255] == i + 7\n";

static struct ptxi_program *load(const char *lines, const struct ptxi_options *options)
{
	char text[2000];

	snprintf(text, sizeof text, "%s%s", lines, kernel);
	return ptxi_load("add.ptx", text, strlen(text), options);
}

static struct ptxi_result *launch(struct ptxi_program *p, unsigned *data, size_t n, unsigned plus)
{
	struct ptxi_arg args[] = {{.kind = PTXI_BUFFER, .data = data, .size = n * 4, .element = 4},
		{.kind = PTXI_VALUE, .data = &plus, .size = 4}};
	struct ptxi_launch l = {.kernel = "add",
		.grid = {(unsigned)n / 32},
		.block = {32},
		.args = args,
		.nargs = 2};

	return ptxi_launch(p, &l);
}

Test(library, versions)
{
	char text[32];

	snprintf(text, sizeof text, "%d.%d.%d", PTXI_VERSION_MAJOR, PTXI_VERSION_MINOR,
		PTXI_VERSION_PATCH);
	cr_assert_str_eq(text, PTXI_VERSION);
	cr_assert_str_eq(ptxi_version(), PTXI_VERSION);
}

Test(library, buffers_of_a_case)
{
	struct ptxi_program *p = load(cases, NULL);
	unsigned in[257] = {0};
	const unsigned *out;
	struct ptxi_result *r;
	size_t size;

	for (unsigned k = 0; k < 256; k++)
		in[k] = 1000 * k;
	cr_assert_eq(ptxi_set_buffer(p, "a", in, 128 * 4), PTXI_OK);
	r = ptxi_run(p, 0);
	out = ptxi_result_buffer(r, "a", &size);
	cr_assert(out);
	cr_assert_eq(size, 1024);
	cr_assert_eq(out[2], 2007);
	cr_assert_eq(out[200], 207); /* beyond the bytes given, the directive's value */
	cr_assert_eq(ptxi_result_verdict(r), PTXI_FAIL);
	cr_assert_null(ptxi_result_buffer(r, "b", &size));
	cr_assert_eq(ptxi_result_findings(r), 1);
	cr_assert_str_eq(ptxi_result_finding(r, 0)->code, "X0101");
	cr_assert_eq(ptxi_result_finding(r, 0)->places[0].line, 3);
	cr_assert_null(ptxi_result_finding(r, 1));
	ptxi_result_free(r);
	cr_assert_eq(ptxi_set_buffer(p, "a", in, 1028), PTXI_OK); /* larger than the buffer */
	r = ptxi_run(p, 0);
	cr_assert_eq(ptxi_result_status(r), PTXI_USAGE);
	ptxi_result_free(r);
	cr_assert_eq(ptxi_set_buffer(p, "a", NULL, 0), PTXI_OK);
	r = ptxi_run(p, 0);
	ptxi_free(p); /* the result outlives the program */
	cr_assert_eq(ptxi_result_verdict(r), PTXI_PASS);
	ptxi_result_free(r);
}

Test(library, launches)
{
	struct ptxi_program *p = load("", NULL);
	unsigned data[64] = {1, 2, 3};
	struct ptxi_result *r = launch(p, data, 64, 5);

	cr_assert_eq(ptxi_result_status(r), PTXI_OK, "%s", ptxi_result_json(r));
	cr_assert_eq(ptxi_result_verdict(r), PTXI_PASS);
	cr_assert_eq(data[0] + data[63], 6 + 5);
	ptxi_result_free(r);
	struct ptxi_launch wrong = {.kernel = "sub"};
	r = ptxi_launch(p, &wrong);
	cr_assert_eq(ptxi_result_status(r), PTXI_USAGE);
	cr_assert(strstr(ptxi_result_reason(r), "no kernel 'sub'"));
	ptxi_result_free(r);
	wrong.kernel = "add";
	r = ptxi_launch(p, &wrong);
	cr_assert(strstr(ptxi_result_reason(r), "2 parameters"));
	ptxi_result_free(r);
	struct ptxi_arg args[] = {{.kind = PTXI_BUFFER, .data = data, .size = 8},
		{.kind = PTXI_VALUE, .data = data, .size = 4}};
	wrong.args = args;
	wrong.nargs = 2;
	wrong.block[0] = 32;
	r = ptxi_launch(p, &wrong);
	cr_assert_eq(ptxi_result_status(r), PTXI_FAULT);
	cr_assert_eq(ptxi_result_verdict(r), PTXI_FAIL);
	cr_assert_gt(ptxi_result_finding(r, 0)->nplaces, 0);
	ptxi_result_free(r);
	args[1].size = 3;
	r = ptxi_launch(p, &wrong);
	cr_assert_eq(ptxi_result_status(r), PTXI_USAGE);
	ptxi_result_free(r);
	wrong.block[0] = 2000000000;
	args[1].size = 4;
	r = ptxi_launch(p, &wrong);
	cr_assert_neq(ptxi_result_status(r), PTXI_OK);
	ptxi_result_free(r);
	ptxi_free(p);
}

/* One call of each function that can fail, with LEFT allocations allowed in each. Whether none
 * failed. */
static bool attempt(uint64_t left, const struct ptxi_options *options)
{
	_Atomic uint64_t allowed = left;
	unsigned data[1024] = {0};
	struct ptxi_program *p;
	struct ptxi_result *r;
	bool whole = true;

	guard_allowance(&allowed);
	p = load(cases, options);
	guard_allowance(NULL);
	if (!p)
		return false;
	whole &= ptxi_status(p) == PTXI_OK;
	if (!whole)
		cr_assert_eq(ptxi_status(p), PTXI_NO_MEMORY);
	allowed = left;
	guard_allowance(&allowed);
	r = ptxi_run(p, 0);
	guard_allowance(NULL);
	if (r && ptxi_result_status(r) == PTXI_NO_MEMORY) {
		cr_assert_str_eq(ptxi_result_reason(r), "out of memory");
		cr_assert_eq(ptxi_status(p), PTXI_NO_MEMORY);
		whole = false;
	} else if (r && ptxi_result_verdict(r) != PTXI_PASS) { /* memory of the device */
		whole = false;
	}
	whole &= r != NULL;
	ptxi_result_free(r);
	allowed = left;
	guard_allowance(&allowed);
	r = launch(p, data, 1024, 3);
	guard_allowance(NULL);
	if (!r || ptxi_result_verdict(r) != PTXI_PASS) {
		whole = false;
		cr_assert(!r || ptxi_result_status(r) != PTXI_NO_MEMORY || data[7] == 0);
	}
	ptxi_result_free(r);
	allowed = left;
	guard_allowance(&allowed);
	whole &= ptxi_diagnostics_json(p) && ptxi_disassemble(p);
	guard_allowance(NULL);
	/* with memory, the same program works */
	data[7] = 0;
	r = launch(p, data, 1024, 3);
	cr_assert(r && ptxi_result_verdict(r) == PTXI_PASS, "after failure %llu: %s",
		(unsigned long long)left, r ? ptxi_result_reason(r) : ptxi_error(p));
	cr_assert_eq(data[7], 3);
	ptxi_result_free(r);
	ptxi_free(p);
	return whole;
}

/* SKIP 1: each allocation; larger: fewer of the later ones. */
static void every_allocation(const struct ptxi_options *options, unsigned skip)
{
	uint64_t n = 0, many = 1 << 20;

	while (!attempt(n, options)) {
		n += skip > 1 ? 1 + n / skip : 1;
		cr_assert_lt(n, many);
	}
	cr_assert_gt(n, 50); /* the failures were real */
}

Test(library, every_allocation_fails, .timeout = 120)
{
	every_allocation(&(struct ptxi_options){.jobs = 1}, 1);
}

Test(library, every_allocation_fails_in_threads, .timeout = 120)
{
	static const char *const settings[] = {"check=all", NULL};

	every_allocation(&(struct ptxi_options){.jobs = 4, .settings = settings}, 1);
}

Test(library, every_allocation_fails_in_many_runs, .timeout = 120)
{
	static const char *const settings[] = {"runs=300", "memory=weak", NULL};

	every_allocation(&(struct ptxi_options){.jobs = 3, .settings = settings}, 4);
}

/* A launch that is long enough for several host threads. All of the last allocations fail, which
 * are those of the threads. */
Test(library, allocations_of_threads_fail, .timeout = 120)
{
	enum { ELEMENTS = 1 << 17, LAST = 60 };
	static const char *const settings[] = {"check=all", NULL};
	struct ptxi_program *p = load("", &(struct ptxi_options){.jobs = 4, .settings = settings});
	unsigned *data = memory_zeroed(ELEMENTS, sizeof *data);
	_Atomic uint64_t left = UINT32_MAX;
	unsigned failed = 0;
	uint64_t all;

	guard_allowance(&left);
	ptxi_result_free(launch(p, data, ELEMENTS, 1));
	all = UINT32_MAX - left;
	for (uint64_t k = all > LAST ? all - LAST : 0; k <= all; k++) {
		left = k;
		struct ptxi_result *r = launch(p, data, ELEMENTS, 1);
		failed += !r || ptxi_result_status(r) == PTXI_NO_MEMORY;
		ptxi_result_free(r);
	}
	guard_allowance(NULL);
	cr_assert_gt(failed, LAST / 2);
	ptxi_free(p);
	memory_drop(data);
}

/* --- guards --- */

static void fail_bug(void *arg)
{
	memory_zeroed(1, 100);
	assert(arg == NULL);
	never();
}

Test(library, bugs_are_error_values)
{
	struct guard *g = guard_new(NULL);

	cr_assert_eq(guard_run(g, fail_bug, g), FAILURE_BUG);
	cr_assert(strstr(guard_what(g), "arg == NULL"));
	cr_assert_eq(guard_blocks(g), 0);
	cr_assert_eq(guard_run(g, fail_bug, NULL), FAILURE_BUG);
	cr_assert(strstr(guard_what(g), "unreachable"));
	guard_free(g);
}

struct meeting {
	pthread_mutex_t lock;
	struct pool *pool;
	_Atomic unsigned woken;
};

/* Worker 2 fails while it holds the lock that the others wait for. */
static void meet(void *arg, unsigned worker)
{
	struct meeting *m = arg;

	for (unsigned k = 0; k < 1000; k++) {
		lock_take(&m->lock);
		memory_drop(memory_zeroed(1, 16));
		if (worker == 2 && k == 500)
			memory_out();
		lock_give(&m->lock);
	}
}

static void wake(void *arg) { ((struct meeting *)arg)->woken++; }

static void hold_meeting(void *arg)
{
	struct meeting *m = arg;

	m->pool = pool_new(4);
	pool_run(m->pool, meet, wake, m);
	pool_free(m->pool);
}

Test(library, a_worker_fails_with_a_lock, .timeout = 20)
{
	struct guard *g = guard_new(NULL);

	for (unsigned k = 0; k < 50; k++) {
		struct meeting m = {.woken = 0};

		lock_new(&m.lock);
		cr_assert_eq(guard_run(g, hold_meeting, &m), FAILURE_MEMORY);
		cr_assert_gt(m.woken, 0);
		cr_assert_eq(guard_blocks(g), 0);
		cr_assert_eq(pthread_mutex_lock(&m.lock), 0);
		pthread_mutex_unlock(&m.lock);
		pthread_mutex_destroy(&m.lock);
	}
	guard_free(g);
}

static void shuffle(void *arg)
{
	static void *block[500];
	uint32_t random = 1;

	for (unsigned k = 0; k < 200000; k++) {
		unsigned at = (random = random * 1664525 + 1013904223) >> 8;

		at %= 500;
		if (k % 3 == 0) {
			memory_drop(block[at]);
			block[at] = NULL;
		} else {
			block[at] = memory_resize(block[at], 1 + random % 300);
		}
	}
	*(unsigned *)arg = 0;
	for (unsigned k = 0; k < 500; k++)
		*(unsigned *)arg += block[k] != NULL;
}

Test(library, the_list_of_blocks)
{
	struct guard *g = guard_new(NULL);
	unsigned live;

	cr_assert_eq(guard_run(g, shuffle, &live), FAILURE_NONE);
	cr_assert_eq(guard_blocks(g), live);
	guard_free(g); /* a sanitizer reports what is lost */
}
