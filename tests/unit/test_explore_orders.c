/* Omitting orders loses nothing: random kernels with fences of all kinds, commuting additions,
 * polls of a counter, and arrivals on an mbarrier and waits for its phases, explored in canonical
 * orders and in all orders. PTXI_RANDOM_PROGRAMS (default 150) is the number of kernels of each
 * kind, PTXI_SEED the first seed. */
#include "base/rng.h"
#include "tests/unit/explore_ptx.h"
#include <stdlib.h>

static uint64_t setting(const char *name, uint64_t value)
{
	const char *s = getenv(name);
	return s ? strtoull(s, NULL, 0) : value;
}

struct maker {
	struct rng rng;
	struct text *out;
	uint32_t threads, loads, waits, arrivals, copies, expected, labels;
};

static uint32_t below(struct maker *m, uint32_t n) { return rng_below(&m->rng, n); }

#define PICK(m, words) ((words)[below(m, sizeof(words) / sizeof *(words))])

static void add_fence(struct maker *m)
{
	static const char *const fence[] = {
		"membar.gl", "membar.gl", "membar.cta", "fence.sc.sys", "fence.acq_rel.gpu"};
	text_printf(m->out, "%s;\n", PICK(m, fence));
}

/* A load, whose value is stored where it can be observed. */
static void add_load(struct maker *m)
{
	static const char *const order[] = {"", ".relaxed.gpu", ".relaxed.cta", ".acquire.gpu"};
	if (m->loads == 4)
		return;
	text_printf(m->out, "ld%s.global.u32 %%r2, [%c];\nst.global.u32 [o%u], %%r2;\n",
		PICK(m, order), "xy"[below(m, 2)], m -> loads++);
}

static void add_store(struct maker *m)
{
	static const char *const order[] = {"", ".relaxed.gpu", ".relaxed.cta", ".release.gpu"};
	text_printf(m->out, "st%s.global.u32 [%c], %u;\n", PICK(m, order), "xy"[below(m, 2)],
		1 + below(m, 3));
}

/* Whether what follows happens depends on a load. */
static void add_branch(struct maker *m, void (*body)(struct maker *m))
{
	uint32_t label = m->labels++;
	text_printf(m->out,
		"ld.relaxed.gpu.global.u32 %%r3, [%c];\nsetp.eq.u32 %%p1, %%r3, %u;\n@%%p1 bra S%u;\n",
		"xy"[below(m, 2)], below(m, 3), label);
	add_fence(m);
	if (!below(m, 3))
		body(m);
	text_printf(m->out, "S%u:\n", label);
}

static void add_addition(struct maker *m)
{
	static const char *const order[] = {"relaxed", "relaxed", "release"};
	text_printf(
		m->out, "red.%s.gpu.global.add.u32 [c], %u;\n", PICK(m, order), 1 + !below(m, 4));
}

static void add_poll(struct maker *m)
{
	if (m->waits++ >= 2)
		return;
	text_printf(m->out,
		"W%u: ld.%s.gpu.global.u32 %%r3, [c];\nsetp.lt.u32 %%p1, %%r3, %u;\n@%%p1 bra W%u;\n",
		m->labels, below(m, 2) ? "relaxed" : "acquire", 1 + below(m, m->threads),
		m->labels);
	m->labels++;
}

static void add_arrival(struct maker *m)
{
	if (m->arrivals++ < 2 * m->expected)
		text_puts(m->out, "mbarrier.arrive.shared.b64 _, [b];\n");
}

/* An arrival of copies that first raises the count, or does not. */
static void add_raise(struct maker *m)
{
	if (m->arrivals++ >= 3)
		return;
	if (below(m, 3) == 0) {
		text_puts(m->out, "mbarrier.arrive.shared.b64 _, [b];\n");
		return;
	}
	if (!m->copies++)
		text_puts(m->out, "cp.async.ca.shared.global [s], [one], 4;\n");
	text_printf(m->out, "cp.async.mbarrier.arrive%s.shared.b64 [b];\n",
		below(m, 4) ? "" : ".noinc");
	if (below(m, 2) && m->arrivals++ < 3)
		text_puts(m->out, "mbarrier.arrive.shared.b64 _, [b];\n");
}

static void add_wait(struct maker *m)
{
	if (m->waits++ >= 3)
		return;
	text_printf(m->out,
		"W%u: mbarrier.test_wait.parity.shared.b64 %%p1, [b], %u;\n@!%%p1 bra W%u;\n",
		m->labels, !below(m, 4), m->labels);
	m->labels++;
}

/* A wait, after which the copy may be there. */
static void add_wait_for_copy(struct maker *m)
{
	add_wait(m);
	if (m->loads < 4)
		text_printf(m->out, "ld.shared.u32 %%r2, [s];\nst.global.u32 [o%u], %%r2;\n",
			m->loads++);
}

/* A kernel whose threads do ATOM and WAIT among fences, loads and stores. */
static void make_kernel(
	struct maker *m, void (*atom)(struct maker *m), void (*wait)(struct maker *m))
{
	m->threads = 2 + below(m, 2);
	m->expected = 1 + below(m, m->threads);
	text_printf(m->out,
		HEAD
		".global .u32 c;\n.global .u32 one = 1;\n.global .u32 o0;\n.global .u32 o1;\n.global .u32 o2;\n.global .u32 o3;\n.visible .entry k()\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<8>;\n"
		".shared .align 8 .b64 b;\n.shared .u32 s;\nmov.u32 %%r1, %%tid.x;\nsetp.eq.u32 %%p1, %%r1, 0;\n@%%p1 mbarrier.init.shared.b64 [b], %u;\nbar.sync 0;\n",
		m->expected);
	for (uint32_t t = 0; t < m->threads; t++) {
		text_printf(m->out, "setp.ne.u32 %%p1, %%r1, %u;\n@%%p1 bra T%u;\n", t, t);
		for (uint32_t k = 2 + below(m, m->threads == 2 ? 5 : 4); k; k--) {
			uint32_t kind = below(m, 20);
			if (kind < 5)
				add_fence(m);
			else if (kind < 10)
				atom(m);
			else if (kind < 13)
				add_store(m);
			else if (kind < 16)
				add_load(m);
			else if (kind < 18)
				wait(m);
			else
				add_branch(m, atom);
		}
		text_printf(m->out, "ret;\nT%u:\n", t);
	}
	text_puts(m->out, "ret;\n}\n");
}

static void compare_random(void (*atom)(struct maker *m), void (*wait)(struct maker *m))
{
	uint64_t n = setting("PTXI_RANDOM_PROGRAMS", 150), seed = setting("PTXI_SEED", 1),
		 saved = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct text text = {0};
		struct maker m = {.rng = {seed + i * 1000003}, .out = &text};
		char what[32];
		make_kernel(&m, atom, wait);
		snprintf(what, sizeof what, "seed %llu", (unsigned long long)(seed + i * 1000003));
		saved += compare_orders(text_str(&text), 1, m.threads,
			(const char *const[]){"o0", "o1", "o2", "o3", "c", "x", "y", NULL}, what);
		text_free(&text);
	}
	printf("explore: %llu random kernels compared with their exploration in all orders, %llu executions saved\n",
		(unsigned long long)n, (unsigned long long)saved);
	fflush(stdout);
	cr_expect_gt(saved, 0);
}

Test(explore_orders, additions) { compare_random(add_addition, add_poll); }
Test(explore_orders, arrivals) { compare_random(add_arrival, add_wait); }
Test(explore_orders, raises) { compare_random(add_raise, add_wait_for_copy); }

/* A wait that would succeed with an older write, too, must not decide the order of fence.sc. */
Test(explore_orders, wait_between_fences)
{
	static const char *const arrive[] = {"mbarrier.arrive.shared.b64 _, [b]",
		"cp.async.mbarrier.arrive.shared.b64 [b]",
		"cp.async.mbarrier.arrive.noinc.shared.b64 [b]"};
	for (uint32_t k = 0; k < sizeof arrive / sizeof *arrive; k++) {
		struct text text = {0};
		struct ptx_test t;
		text_printf(&text,
			HEAD
			".visible .entry k()\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<3>;\n.shared .align 8 .b64 b;\n"
			"mov.u32 %%r1, %%tid.x;\nsetp.eq.u32 %%p1, %%r1, 0;\n@%%p1 mbarrier.init.shared.b64 [b], 3;\nbar.sync 0;\n"
			"setp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra T;\n%s;\nmembar.gl;\n"
			"ld.relaxed.gpu.global.u32 %%r2, [y];\nst.global.u32 [x], %%r2;\nret;\n"
			"T: st.relaxed.gpu.global.u32 [y], 2;\nmembar.gl;\n"
			"W: mbarrier.test_wait.parity.shared.b64 %%p1, [b], 1;\n@!%%p1 bra W;\nret;\n}\n",
			arrive[k]);
		explore(&t, text_str(&text), 1, 2, (const char *const[]){"x", "y", NULL}, 1);
		cr_expect(explore_complete(t.result));
		cr_expect(t.result->outcomes.list.count == 2 && has(&t, 0, 2) && has(&t, 2, 2),
			"%s: %u outcomes", arrive[k], t.result->outcomes.list.count);
		ptx_test_free(&t);
		text_free(&text);
	}
}
