/* One kernel after another: random kernels that race for the same memory, launched two or three
 * times, explored launch by launch, each from every memory that the earlier ones leave, and as a
 * whole. Outcomes, numbers of executions, races and threads that wait forever are the same, and
 * every outcome leads to an execution. PTXI_RANDOM_PROGRAMS (default 30) is the number of
 * programs, PTXI_SEED the first seed. */
#include "base/rng.h"
#include "explore/search/witness.h"
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
	uint32_t threads, launches, labels, loads;
	bool cta; /* the threads are one CTA */
};

static uint32_t below(struct maker *m, uint32_t n) { return rng_below(&m->rng, n); }

#define PICK(m, words) ((words)[below(m, sizeof(words) / sizeof *(words))])

/* Stores %r2 where it is observed. */
static void show(struct maker *m)
{
	if (m->loads < 4)
		text_printf(m->out, "st.global.u32 [o%u], %%r2;\n", m->loads++);
}

static void add_access(struct maker *m)
{
	static const char *const load[] = {"ld.global.u32", "ld.global.u32",
		"ld.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32", "ld.global.nc.u32"};
	static const char *const store[] = {"st.global.u32", "st.relaxed.gpu.global.u32",
		"st.relaxed.gpu.global.u32", "st.release.gpu.global.u32"};
	static const char *const at[] = {"x", "x", "y", "z", "z+4", "c"};
	if (below(m, 2)) {
		text_printf(m->out, "%s %%r2, [%s];\n", PICK(m, load), PICK(m, at));
		show(m);
	} else {
		text_printf(m->out, "%s [%s], %u;\n", PICK(m, store), PICK(m, at), below(m, 4));
	}
}

static void add_atom(struct maker *m)
{
	static const char *const red[] = {"red.global.add.u32 [c], 1",
		"red.release.gpu.global.add.u32 [c], 2", "red.global.min.u32 [x], 1",
		"red.global.max.u32 [y], 2", "red.global.inc.u32 [c], 2"};
	static const char *const atom[] = {"atom.acq_rel.gpu.global.add.u32 %r2, [c], 1",
		"atom.global.inc.u32 %r2, [c], 1", "atom.global.exch.b32 %r2, [x], 3",
		"atom.global.cas.b32 %r2, [l], 0, %r1", "atom.global.cas.b32 %r2, [l], %r1, 7",
		"atom.acquire.gpu.global.cas.b32 %r2, [l], 0, 1"};
	if (below(m, 3) == 0) {
		text_printf(m->out, "%s;\n", PICK(m, red));
		return;
	}
	text_printf(m->out, "%s;\n", PICK(m, atom));
	if (below(m, 2)) {
		show(m);
		return;
	}
	uint32_t k = m->labels++;
	text_printf(m->out, "setp.ne.u32 %%p1, %%r2, %u;\n@%%p1 bra S%u;\n", below(m, 3), k);
	add_access(m);
	text_printf(m->out, "S%u:\n", k);
}

static void add_wait(struct maker *m)
{
	static const char *const wait[] = {"ld.acquire.gpu.global.u32 %r2, [x]",
		"ld.relaxed.gpu.global.u32 %r2, [c]", "atom.global.cas.b32 %r2, [l], 1, 0"};
	uint32_t k = m->labels++;
	text_printf(m->out, "W%u: %s;\nsetp.eq.u32 %%p1, %%r2, %u;\n@%%p1 bra W%u;\n", k,
		PICK(m, wait), below(m, 3), k);
}

static void add_other(struct maker *m)
{
	static const char *const other[] = {"membar.gl", "fence.acq_rel.gpu", "fence.acq_rel.gpu",
		"st.global.u64 [z], 4294967298", "atom.shared.add.u32 %r2, [g], 1"};
	uint32_t k = below(m, 5);
	text_printf(m->out, "%s;\n", other[k]);
	if (k == 4)
		show(m);
}

static void make_kernel(struct maker *m, uint32_t number)
{
	text_printf(m->out, ".visible .entry k%.*s()\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<4>;\n",
		number > 0, &"123"[number]);
	text_printf(
		m->out, "mov.u32 %%r2, 0;\nmov.u32 %%r1, %s;\n", m->cta ? "%tid.x" : "%ctaid.x");
	m->loads = 0;
	for (uint32_t t = 0; t < m->threads; t++) {
		text_printf(
			m->out, "setp.ne.u32 %%p1, %%r1, %u;\n@%%p1 bra T%u_%u;\n", t, number, t);
		for (uint32_t k = below(m, m->launches == 2 ? 5 : 4); k; k--) {
			uint32_t kind = below(m, 16);
			if (kind < 6)
				add_access(m);
			else if (kind < 12)
				add_atom(m);
			else if (kind < 13)
				add_wait(m);
			else
				add_other(m);
		}
		text_printf(m->out, "ret;\nT%u_%u:\n", number, t);
	}
	text_puts(m->out, "ret;\n}\n");
}

static void make_program(struct maker *m)
{
	m->launches = 2 + below(m, 2);
	m->threads = 2 + below(m, 2);
	m->cta = below(m, 3) == 0;
	text_puts(m->out,
		HEAD
		".global .align 8 .u32 z[2];\n.global .u32 c;\n.global .u32 l;\n.global .u32 o0;\n.global .u32 o1;\n.global .u32 o2;\n.global .u32 o3;\n.shared .u32 g;\n");
	for (uint32_t k = 0; k < m->launches; k++)
		make_kernel(m, k);
}

struct way {
	bool orders, branches, divide, parts;
	unsigned jobs;
	uint64_t room;
};

static void explore_as(struct ptx_test *t, const struct maker *m, const struct way *w)
{
	all_orders = w->orders;
	all_branches = w->branches;
	max_branch = w->room;
	divide = w->divide;
	in_parts = w->parts;
	max_executions = 4000;
	explore(t, text_str(m->out), m->cta ? 1 : m->threads, m->cta ? m->threads : 1,
		(const char *const[]){
			"o0", "o1", "o2", "o3", "c", "x", "y", "l", "z", "P0:%r2", NULL},
		w->jobs);
	all_orders = all_branches = divide = in_parts = false;
	max_branch = max_executions = 0;
}

static bool same_rows(
	const struct explore_outcomes *a, const struct explore_outcomes *b, bool counts)
{
	bool same = a->list.count == b->list.count;
	for (uint32_t i = 0; same && i < a->list.count; i++)
		same = !memcmp(a->list.data[i].value, b->list.data[i].value,
			       a->width * sizeof(uint64_t)) &&
			(!counts || a->list.data[i].count == b->list.data[i].count);
	return same;
}

static bool same_trails(const struct explore_outcomes *a, const struct explore_outcomes *b)
{
	for (uint32_t i = 0; i < a->list.count; i++) {
		const struct explore_outcome *o = &a->list.data[i], *p = &b->list.data[i];
		if (o->ntrail != p->ntrail ||
			memcmp(o->trail, p->trail, o->ntrail * sizeof *o->trail))
			return false;
	}
	return true;
}

static bool same_races(const struct explore_result *a, const struct explore_result *b)
{
	bool same = a->nraces == b->nraces;
	for (uint32_t i = 0; same && i < a->nraces; i++)
		same = !memcmp(a->race[i].thread, b->race[i].thread, sizeof a->race[i].thread) &&
			!memcmp(a->race[i].place, b->race[i].place, sizeof a->race[i].place);
	return same;
}

/* Whether the trails of R lead to executions. */
static bool trails_lead(const struct explore_result *r)
{
	bool all = true;
	struct witness w;
	for (uint32_t i = 0; all && i < r->outcomes.list.count && i < 8; i++) {
		const struct explore_outcome *o = &r->outcomes.list.data[i];
		all = witness_build(&w, r, o->trail, o->ntrail, o->value, false);
		witness_free(&w);
	}
	for (uint32_t i = 0; all && i < r->stuck.list.count && i < 4; i++) {
		const struct explore_outcome *o = &r->stuck.list.data[i];
		all = witness_build(&w, r, o->trail, o->ntrail, NULL, true);
		witness_free(&w);
	}
	for (uint32_t i = 0; all && i < r->nraces && i < 4; i++) {
		all = witness_build(&w, r, r->race[i].trail, r->race[i].ntrail, NULL, false);
		witness_free(&w);
	}
	return all;
}

/* The fences of the first launch keep no order, and the second one's addition is not the last write
 * of its location: it has its place there, whether or not the events of the first launch are kept,
 * before the choices of the third launch. */
Test(explore_stages, trails_after_open_fences)
{
	static const char text[] = HEAD
		".global .u32 c;\n.global .u32 o;\n"
		".visible .entry k()\n{\nmembar.gl;\nret;\n}\n"
		".visible .entry k2()\n{\n.reg .pred %p;\n.reg .b32 %r<2>;\nmov.u32 %r1, %ctaid.x;\n"
		"setp.ne.u32 %p, %r1, 0;\n@%p ret;\n"
		"red.global.add.u32 [c], 2;\nst.global.u32 [c], 3;\nret;\n}\n"
		".visible .entry k3()\n{\n.reg .pred %p;\n.reg .b32 %r<3>;\nmov.u32 %r1, %ctaid.x;\n"
		"setp.ne.u32 %p, %r1, 0;\n@%p bra B;\n"
		"atom.global.add.u32 %r2, [c], 1;\nst.global.u32 [y], %r2;\nld.global.u32 %r2, [x];\nst.global.u32 [o], %r2;\nret;\n"
		"B: st.global.u32 [x], 1;\nret;\n}\n";
	struct ptx_test t;
	explore(&t, text, 2, 1, (const char *const[]){"c", "o", NULL}, 1);
	cr_expect(explore_complete(t.result));
	cr_expect_eq(t.result->outcomes.list.count, 2);
	cr_expect(trails_lead(t.result));
	ptx_test_free(&t);
}

/* The ways to explore: as users do; in all orders; that as a whole; as users do, with two workers
 * that give each other branches all the time, without room for nodes, both, and in parts. */
enum { USUAL, ORDERS, WHOLE, WORKERS, ROOM, CROWD, PARTS, WAYS };
static const struct way way[WAYS] = {[USUAL] = {.jobs = 1},
	[ORDERS] = {.orders = true, .jobs = 1},
	[WHOLE] = {.orders = true, .branches = true, .jobs = 1},
	[WORKERS] = {.jobs = 2, .divide = true},
	[ROOM] = {.jobs = 1, .room = 1},
	[CROWD] = {.jobs = 1, .divide = true, .room = 20000},
	[PARTS] = {.jobs = 2, .divide = true, .parts = true}};
static const char *const way_name[WAYS] = {[WORKERS] = "workers",
	[ROOM] = "room",
	[CROWD] = "workers without room",
	[PARTS] = "parts"};

Test(explore_stages, random)
{
	uint64_t n = setting("PTXI_RANDOM_PROGRAMS", 30), seed = setting("PTXI_SEED", 1);
	uint64_t skipped = 0, stuck = 0, races = 0, branches[2] = {0}, executions = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct text text = {0};
		uint64_t own = seed + i * 1000003;
		struct maker m = {.rng = {own}, .out = &text};
		make_program(&m);
		struct ptx_test t[WAYS];
		uint32_t ways = i % 4 ? WHOLE + 1 : WAYS;
		const struct explore_result *r[WAYS];
		for (uint32_t k = 0; k < ways; k++) {
			explore_as(&t[k], &m, &way[k]);
			r[k] = t[k].result;
		}
#define WANT(condition, what) \
	cr_expect(condition, "seed %llu: %s: %llu, %llu, %llu executions\n%s", \
		(unsigned long long)own, what, (unsigned long long)r[USUAL]->executions, \
		(unsigned long long)r[ORDERS]->executions, \
		(unsigned long long)r[WHOLE]->executions, text_str(&text))
		if (explore_complete(r[WHOLE]) && explore_complete(r[USUAL]) &&
			explore_complete(r[ORDERS])) {
			WANT(same_rows(&r[USUAL]->outcomes, &r[WHOLE]->outcomes, false),
				"outcomes");
			WANT(same_rows(&r[ORDERS]->outcomes, &r[WHOLE]->outcomes, true),
				"counts of outcomes");
			WANT(r[ORDERS]->executions == r[WHOLE]->executions, "executions");
			WANT(same_rows(&r[ORDERS]->stuck, &r[WHOLE]->stuck, false), "waiting");
			WANT(!r[USUAL]->stuck.list.count == !r[WHOLE]->stuck.list.count, "waiting");
			WANT(same_races(r[ORDERS], r[WHOLE]), "races");
			WANT(!r[USUAL]->nraces == !r[WHOLE]->nraces, "races");
			WANT(trails_lead(r[USUAL]) && trails_lead(r[ORDERS]), "trails");
			for (uint32_t k = WORKERS; k < ways; k++)
				WANT(r[k]->executions == r[USUAL]->executions &&
						same_rows(&r[k]->outcomes, &r[USUAL]->outcomes,
							true) &&
						same_rows(&r[k]->stuck, &r[USUAL]->stuck, true) &&
						same_races(r[k], r[USUAL]) &&
						same_trails(&r[k]->outcomes, &r[USUAL]->outcomes),
					way_name[k]);
			stuck += r[WHOLE]->stuck.list.count > 0;
			races += r[WHOLE]->nraces > 0;
			executions += r[WHOLE]->executions;
			branches[0] += r[ORDERS]->work[WORK_BRANCHES];
			branches[1] += r[WHOLE]->work[WORK_BRANCHES];
		} else {
			skipped++;
		}
		for (uint32_t k = 0; k < ways; k++)
			ptx_test_free(&t[k]);
		text_free(&text);
	}
	printf("explore: %llu of %llu random programs of several launches have the same %llu executions launch by launch (%llu and %llu branches; %llu may wait forever, %llu have races; %llu reach a bound)\n",
		(unsigned long long)(n - skipped), (unsigned long long)(n - skipped),
		(unsigned long long)executions, (unsigned long long)branches[0],
		(unsigned long long)branches[1], (unsigned long long)stuck,
		(unsigned long long)races, (unsigned long long)skipped);
	fflush(stdout);
	cr_expect_lt(branches[0], branches[1]);
	cr_expect_lt(skipped, n / 2 + 1);
}
