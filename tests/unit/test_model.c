/* The memory model on executions made by hand: moral strength, patterns, proxies, and what
 * saturation derives or rejects. */
#include "model/execution.h"
#include <criterion/criterion.h>
#include <string.h>

/* Four threads: 0 and 1 in one CTA, 2 in another of the same cluster and GPU, 3 on another GPU. */
static const struct placement places[] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 1, 1}};
static const struct model model = {.place = places, .nthreads = 4};

static struct event access(
	enum event_kind kind, uint16_t thread, enum sem sem, enum scope scope, uint32_t location)
{
	return (struct event){.kind = (uint8_t)kind,
		.sem = (uint8_t)sem,
		.scope = (uint8_t)scope,
		.thread = thread,
		.size = 4,
		.virt = location,
		.phys = location,
		.rf = MODEL_NONE,
		.partner = MODEL_NONE,
		.group = MODEL_NONE,
		.flags = kind == EVENT_WRITE ? EVENT_KNOWN : 0};
}

static uint32_t add(struct execution *x, struct event e) { return execution_add(x, &e); }

static uint32_t add_initial(struct execution *x, uint32_t location)
{
	struct event e = access(EVENT_WRITE, UINT16_MAX, SEM_WEAK, SCOPE_SYS, location);
	e.flags |= EVENT_INITIAL;
	e.virt = MODEL_NONE;
	return add(x, e);
}

static uint32_t add_fence(struct execution *x, uint16_t thread, enum sem sem, enum scope scope)
{
	struct event e = access(EVENT_FENCE, thread, sem, scope, MODEL_NONE);
	return add(x, e);
}

Test(model, moral_strength)
{
	struct execution x;
	execution_init(&x, &model);
	add_initial(&x, 0);
	uint32_t cta0 = add(&x, access(EVENT_WRITE, 0, SEM_RELAXED, SCOPE_CTA, 0)),
		 cta1 = add(&x, access(EVENT_WRITE, 1, SEM_RELAXED, SCOPE_CTA, 0));
	uint32_t gpu2 = add(&x, access(EVENT_WRITE, 2, SEM_RELAXED, SCOPE_GPU, 0)),
		 sys3 = add(&x, access(EVENT_READ, 3, SEM_RELAXED, SCOPE_SYS, 0));
	uint32_t weak0 = add(&x, access(EVENT_READ, 0, SEM_WEAK, SCOPE_SYS, 0)),
		 gpu0 = add(&x, access(EVENT_WRITE, 0, SEM_RELEASE, SCOPE_CLUSTER, 0));
	cr_expect(row_has(RARE(&x, ms, cta0), cta1), "one CTA");
	cr_expect(!row_has(RARE(&x, ms, cta0), gpu2),
		"scope cta does not reach another CTA, whatever the other's scope");
	cr_expect(row_has(RARE(&x, ms, gpu0), gpu2), "scope cluster reaches a CTA of the cluster");
	cr_expect(!row_has(RARE(&x, ms, gpu2), sys3), "scope gpu does not reach another GPU");
	cr_expect(row_has(RARE(&x, ms, cta0), weak0),
		"program order makes weak accesses morally strong");
	cr_expect(!row_has(RARE(&x, ms, cta1), weak0), "otherwise weak accesses never are");
	execution_free(&x);
}

/* Message passing from thread 0 to thread READER; true: the stale read is consistent. */
static bool message_passing(uint16_t reader, enum sem release, enum sem acquire, enum scope scope)
{
	struct execution x;
	execution_init(&x, &model);
	uint32_t ix = add_initial(&x, 0);
	add(&x, access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0));
	add_initial(&x, 1);
	uint32_t flag = add(&x, access(EVENT_WRITE, 0, release, scope, 1));
	uint32_t rf = add(&x, access(EVENT_READ, reader, acquire, scope, 1)),
		 rx = add(&x, access(EVENT_READ, reader, SEM_WEAK, SCOPE_SYS, 0));
	execution_read_from(&x, flag, rf);
	execution_read_from(&x, ix, rx);
	bool ok = execution_saturate(&x);
	if (!ok) {
		cr_expect(x.conflict.axiom == AXIOM_CAUSALITY && x.conflict.b == rx);
	} else {
		ok = execution_orient(&x, NULL);
		cr_expect(ok && execution_violates(&x, NULL, NULL) == AXIOM_NONE);
	}
	execution_free(&x);
	return ok;
}

Test(model, message_passing)
{
	cr_expect(!message_passing(1, SEM_RELEASE, SEM_ACQUIRE, SCOPE_CTA));
	cr_expect(message_passing(2, SEM_RELEASE, SEM_ACQUIRE, SCOPE_CTA));
	cr_expect(!message_passing(2, SEM_RELEASE, SEM_ACQUIRE, SCOPE_CLUSTER));
	cr_expect(message_passing(3, SEM_RELEASE, SEM_ACQUIRE, SCOPE_GPU));
	cr_expect(!message_passing(3, SEM_RELEASE, SEM_ACQUIRE, SCOPE_SYS));
	cr_expect(message_passing(2, SEM_RELAXED, SEM_ACQUIRE, SCOPE_GPU));
	cr_expect(message_passing(2, SEM_RELEASE, SEM_RELAXED, SCOPE_GPU));
}

/* Adds the next access of thread THREAD, of which nothing is known yet. */
static uint32_t add_unknown(struct execution *x, uint16_t thread)
{
	struct event e = access(EVENT_VOID, thread, SEM_WEAK, SCOPE_SYS, MODEL_NONE);
	e.flags = EVENT_MAYBE;
	return add(x, e);
}

/* Whether X, which is complete, is consistent; the axioms as written must agree. */
static bool consistent(struct execution *x)
{
	bool ok = execution_saturate(x);
	if (ok)
		cr_expect(execution_orient(x, NULL) &&
			execution_violates(x, NULL, NULL) == AXIOM_NONE);
	else
		cr_expect(x->conflict.axiom == AXIOM_CAUSALITY);
	return ok;
}

/* Message passing through location 1 from a release of LOCATION and a relaxed store after it. Only
 * after that store has been observed does the release become known. True: the stale read is
 * consistent. */
static bool late_release(uint32_t location)
{
	struct execution x;
	execution_init(&x, &model);
	uint32_t ix = add_initial(&x, 0);
	add_initial(&x, 1);
	add_initial(&x, 2);
	add(&x, access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0));
	uint32_t unknown = add_unknown(&x, 0),
		 flag = add(&x, access(EVENT_WRITE, 0, SEM_RELAXED, SCOPE_GPU, 1)),
		 rf = add(&x, access(EVENT_READ, 2, SEM_ACQUIRE, SCOPE_GPU, 1)),
		 rx = add(&x, access(EVENT_READ, 2, SEM_WEAK, SCOPE_SYS, 0));
	execution_read_from(&x, flag, rf);
	execution_read_from(&x, ix, rx);
	cr_assert(execution_saturate(&x), "nothing releases yet");
	struct event release = access(EVENT_WRITE, 0, SEM_RELEASE, SCOPE_GPU, location);
	execution_activate(&x, unknown, &release);
	bool ok = consistent(&x);
	execution_free(&x);
	return ok;
}

/* The same with a release of location 1, which a relaxed read observes, and an acquire of LOCATION
 * after that, which becomes known late. */
static bool late_acquire(uint32_t location)
{
	struct execution x;
	execution_init(&x, &model);
	uint32_t ix = add_initial(&x, 0);
	add_initial(&x, 1);
	uint32_t elsewhere = add_initial(&x, 2);
	add(&x, access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0));
	uint32_t flag = add(&x, access(EVENT_WRITE, 0, SEM_RELEASE, SCOPE_GPU, 1)),
		 rf = add(&x, access(EVENT_READ, 2, SEM_RELAXED, SCOPE_GPU, 1)),
		 unknown = add_unknown(&x, 2),
		 rx = add(&x, access(EVENT_READ, 2, SEM_WEAK, SCOPE_SYS, 0));
	execution_read_from(&x, flag, rf);
	execution_read_from(&x, ix, rx);
	cr_assert(execution_saturate(&x), "nothing acquires yet");
	struct event acquire = access(EVENT_READ, 2, SEM_ACQUIRE, SCOPE_GPU, location);
	execution_activate(&x, unknown, &acquire);
	if (location == 2)
		execution_read_from(&x, elsewhere, unknown);
	bool ok = consistent(&x);
	execution_free(&x);
	return ok;
}

Test(model, late_patterns)
{
	cr_expect(!late_release(1));
	cr_expect(late_release(2), "a release of another location is no part of the pattern");
	cr_expect(!late_acquire(1));
	cr_expect(late_acquire(2), "neither is an acquire");
}

/* Store buffering with fence.sc: saturation alone finds that neither fence can come first. */
Test(model, fence_sc)
{
	struct execution x;
	execution_init(&x, &model);
	uint32_t ix = add_initial(&x, 0), iy = add_initial(&x, 1);
	add(&x, access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0));
	uint32_t f = add_fence(&x, 0, SEM_SC, SCOPE_GPU),
		 ry = add(&x, access(EVENT_READ, 0, SEM_WEAK, SCOPE_SYS, 1));
	add(&x, access(EVENT_WRITE, 2, SEM_WEAK, SCOPE_SYS, 1));
	uint32_t g = add_fence(&x, 2, SEM_SC, SCOPE_GPU),
		 rx = add(&x, access(EVENT_READ, 2, SEM_WEAK, SCOPE_SYS, 0));
	execution_read_from(&x, iy, ry);
	cr_expect(execution_saturate(&x) && row_has(ROW(&x, cb, f), g),
		"thread 0 read the old y: its fence comes first");
	execution_read_from(&x, ix, rx);
	cr_expect(!execution_saturate(&x), "and thread 2 the old x: no order is left");
	execution_free(&x);
}

Test(model, atomicity_and_coherence)
{
	struct execution x;
	execution_init(&x, &model);
	uint32_t init = add_initial(&x, 0);
	uint32_t r[2], w[2];
	for (uint16_t t = 0; t < 2; t++) {
		r[t] = add(&x, access(EVENT_READ, t, SEM_RELAXED, SCOPE_GPU, 0));
		struct event e = access(EVENT_WRITE, t, SEM_RELAXED, SCOPE_GPU, 0);
		e.partner = r[t];
		e.flags |= EVENT_RMW;
		w[t] = add(&x, e);
	}
	execution_read_from(&x, init, r[0]);
	cr_expect(execution_saturate(&x) && row_has(RARE(&x, co, w[0]), w[1]),
		"the atom that read the beginning writes first");
	execution_read_from(&x, init, r[1]);
	cr_expect(!execution_saturate(&x) && x.conflict.axiom == AXIOM_ATOMICITY);
	execution_free(&x);
}

/* Accesses of one location through another proxy need that proxy's fence before a generic read is
 * caused, and no other fence. fence.proxy.async is one of them. */
Test(model, proxies)
{
	for (int proxy = PROXY_SURFACE; proxy < PROXY_ALIAS; proxy++) {
		for (int fence = PROXY_GENERIC; fence < PROXY_ALIAS; fence++) { /* GENERIC: none */
			struct execution x;
			execution_init(&x, &model);
			uint32_t init = add_initial(&x, 0);
			struct event e = access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0);
			e.proxy = (uint8_t)proxy;
			uint32_t w = add(&x, e);
			if (fence != PROXY_GENERIC) {
				struct event f = access(
					EVENT_PROXY_FENCE, 0, SEM_WEAK, SCOPE_SYS, MODEL_NONE);
				f.proxy = (uint8_t)fence;
				add(&x, f);
			}
			uint32_t r = add(&x, access(EVENT_READ, 0, SEM_WEAK, SCOPE_SYS, 0));
			cr_expect(!row_has(RARE(&x, ms, w), r),
				"different proxies are never morally strong");
			execution_read_from(&x, init, r);
			cr_expect(execution_saturate(&x) == (fence != proxy), "proxy %d, fence %d",
				proxy, fence);
			execution_free(&x);
		}
	}
}

/* execution_violates() on executions that violate one axiom each, and on the same executions
 * without the violation. */
Test(model, each_axiom_is_violated)
{
	struct execution x;
	uint32_t init, a, b, r;
	execution_init(&x, &model);
	add_initial(&x, 0);
	a = add(&x, access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0));
	b = add(&x, access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0));
	cr_expect(execution_violates(&x, NULL, NULL) == AXIOM_COHERENCE);
	cr_expect(execution_cohere(&x, a, b) && execution_violates(&x, NULL, NULL) == AXIOM_NONE);
	execution_reset(&x);
	a = add_fence(&x, 0, SEM_SC, SCOPE_GPU);
	b = add_fence(&x, 2, SEM_SC, SCOPE_GPU);
	cr_expect(execution_violates(&x, NULL, NULL) == AXIOM_FENCE_SC);
	execution_order(&x, b, a);
	cr_expect(execution_violates(&x, NULL, NULL) == AXIOM_NONE);
	for (int between = 0; between < 2; between++) {
		execution_reset(&x);
		init = add_initial(&x, 0);
		r = add(&x, access(EVENT_READ, 0, SEM_RELAXED, SCOPE_GPU, 0));
		struct event e = access(EVENT_WRITE, 0, SEM_RELAXED, SCOPE_GPU, 0);
		e.partner = r;
		e.flags |= EVENT_RMW;
		a = add(&x, e);
		b = add(&x, access(EVENT_WRITE, 2, SEM_RELAXED, SCOPE_GPU, 0));
		execution_read_from(&x, init, r);
		execution_cohere(&x, between ? b : a, between ? a : b);
		cr_expect(execution_violates(&x, NULL, NULL) ==
			(between ? AXIOM_ATOMICITY : AXIOM_NONE));
	}
	for (int old = 0; old < 2; old++) {
		execution_reset(&x);
		init = add_initial(&x, 0);
		a = add(&x, access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0));
		r = add(&x, access(EVENT_READ, 0, SEM_WEAK, SCOPE_SYS, 0));
		execution_read_from(&x, old ? init : a, r);
		cr_expect(execution_violates(&x, NULL, NULL) ==
			(old ? AXIOM_SC_PER_LOCATION : AXIOM_NONE));
	}
	/* Causality: an old write is read after a newer one (fr ; cause); a write that comes later
	 * is read (rf ; cause). */
	for (int old = 0; old < 2; old++) {
		execution_reset(&x);
		init = add_initial(&x, 0);
		a = add(&x, access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0));
		r = add(&x, access(EVENT_READ, 1, SEM_WEAK, SCOPE_SYS, 0));
		execution_meet_one(&x, a, r);
		execution_read_from(&x, old ? init : a, r);
		cr_expect(
			execution_violates(&x, NULL, NULL) == (old ? AXIOM_CAUSALITY : AXIOM_NONE));
	}
	for (int later = 0; later < 2; later++) {
		execution_reset(&x);
		init = add_initial(&x, 0);
		r = add(&x, access(EVENT_READ, 1, SEM_WEAK, SCOPE_SYS, 0));
		a = add(&x, access(EVENT_WRITE, 0, SEM_WEAK, SCOPE_SYS, 0));
		execution_meet_one(&x, r, a);
		execution_read_from(&x, later ? a : init, r);
		cr_expect(execution_violates(&x, NULL, NULL) ==
			(later ? AXIOM_CAUSALITY : AXIOM_NONE));
	}
	execution_free(&x);
}

/* More events than a word has bits, in copies. */
Test(model, grows)
{
	struct execution x, y;
	execution_init(&x, &model);
	execution_init(&y, &model);
	add_initial(&x, 0);
	uint32_t last = 0;
	for (int i = 0; i < 200; i++)
		last = add(&x, access(EVENT_WRITE, (uint16_t)(i % 2), SEM_WEAK, SCOPE_SYS, 0));
	cr_expect(execution_saturate(&x) && row_has(RARE(&x, co, last - 2), last) &&
		!row_has(RARE(&x, co, last - 1), last));
	execution_copy(&y, &x);
	cr_expect(y.n == 201 && row_has(ROW(&y, cb, 1), last - 1) && execution_last(&y, last) &&
		!execution_last(&y, last - 2));
	execution_free(&x);
	execution_free(&y);
}

/* What a row is written to ends with the row: one word for 64 events or fewer, two for more. */
Test(model, rows_end)
{
	struct execution x;
	uint64_t out[3];
	execution_init(&x, &model);
	add_initial(&x, 0);
	uint32_t release = add(&x, access(EVENT_WRITE, 0, SEM_RELEASE, SCOPE_GPU, 0)), acquire = 0;
	while (x.n < 70)
		acquire = add(&x, access(EVENT_READ, 1, SEM_ACQUIRE, SCOPE_GPU, 0));
	cr_assert_eq(x.words, 2);
	memset(out, 0xff, sizeof out);
	execution_release_firsts(&x, release, out);
	cr_expect(row_has(out, release));
	cr_expect_eq(out[2], UINT64_MAX);
	memset(out, 0xff, sizeof out);
	execution_acquire_lasts(&x, acquire, out);
	cr_expect(row_has(out, acquire));
	cr_expect_eq(out[2], UINT64_MAX);
	execution_free(&x);
}
