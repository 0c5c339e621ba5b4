/* Branches and orders left out lose nothing: random kernels whose threads take tickets and locks,
 * wait for flags and counters, and ask which of them was the last, explored with every reduction,
 * without canonical orders, and without any. PTXI_RANDOM_PROGRAMS (default 50; 3 of the last
 * kind) is the number of kernels of each kind, PTXI_SEED the first seed. */
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
	uint32_t threads, loads, waits, atoms, labels;
	bool alike;   /* the threads have much the same code */
	bool cta;     /* they are one CTA, in which one of them initialises the counter */
	bool pairs;   /* they are CTAs of two, of which one asks and tells the other */
	bool contest; /* they compete for a word by compare-and-swap */
};

static uint32_t below(struct maker *m, uint32_t n) { return rng_below(&m->rng, n); }

#define PICK(m, words) ((words)[below(m, sizeof(words) / sizeof *(words))])

static void add_fence(struct maker *m)
{
	static const char *const fence[] = {
		"membar.gl", "fence.acq_rel.gpu", "fence.acq_rel.gpu", "membar.cta"};
	text_printf(m->out, "%s;\n", PICK(m, fence));
}

/* A load, whose value is stored where it can be observed. */
static void add_load(struct maker *m)
{
	static const char *const order[] = {"", "", ".relaxed.gpu", ".acquire.gpu"};
	static const char *const from[] = {"x", "x", "y", "c", "l"};
	if (m->loads == 4)
		return;
	text_printf(m->out, "ld%s.global.u32 %%r2, [%s];\nst.global.u32 [o%u], %%r2;\n",
		PICK(m, order), from[below(m, m->alike ? 3 : 5)], m->loads++);
}

static void add_store(struct maker *m)
{
	static const char *const order[] = {"", "", ".relaxed.gpu", ".release.gpu"};
	static const char *const to[] = {"x", "x", "y", "y", "l", "c"};
	text_printf(m->out, "st%s.global.u32 [%s], %u;\n", PICK(m, order),
		to[below(m,
			m->alike              ? 4
				: below(m, 2) ? 5
					      : 6)],
		1 + below(m, 3));
}

static const char *const atom_order[] = {"relaxed", "relaxed", "acquire", "release", "acq_rel"};

/* Whether this thread is the last, the first or another one that counts: then it does more. */
static void add_last(struct maker *m)
{
	static const char *const op[] = {"add", "add", "add", "inc", "exch", "max"};
	static const char *const test[] = {"eq", "ne", "ne", "ge", "lt"};
	const char *what = m->alike && below(m, 4) ? "add" : PICK(m, op);
	uint32_t label = m->labels++,
		 value = *what == 'i'     ? 1 + below(m, 3)
		: m->alike && below(m, 5) ? 1
					  : 1 + below(m, 2);
	if (m->atoms++ >= 5)
		return;
	uint32_t sum = below(m, 5); /* with what is read before or after */
	const char *from = below(m, 2) ? "x" : "y";
	if (sum == 0)
		text_printf(m->out, "ld.relaxed.gpu.global.u32 %%r7, [%s];\n", from);
	text_printf(m->out, "atom.%s.gpu.global.%s.%s32 %%r4, [c], %u;\n", PICK(m, atom_order),
		what, *what == 'e' ? "b" : "u", value);
	if (sum == 1)
		text_printf(m->out, "ld.relaxed.gpu.global.u32 %%r7, [%s];\n", from);
	if (sum < 2)
		text_puts(m->out, "mad.lo.u32 %r4, %r7, 5, %r4;\n");
	if (sum < 2 || below(m, 6) == 0) { /* the result itself */
		if (m->loads < 4)
			text_printf(m->out, "st.global.u32 [o%u], %%r4;\n", m->loads++);
		return;
	}
	if (below(m, 4) == 0)
		add_fence(m);
	text_printf(m->out, "setp.%s.u32 %%p1, %%r4, %u;\n", PICK(m, test),
		m->alike && below(m, 4) ? m->threads - 1 : below(m, m->threads));
	if (below(m, 3) == 0 && m->loads < 4) {
		text_printf(m->out, "selp.u32 %%r5, 1, 2, %%p1;\nst.global.u32 [o%u], %%r5;\n",
			m->loads++);
		return;
	}
	text_printf(m->out, "@%%p1 bra S%u;\n", label);
	if (below(m, 2))
		add_fence(m);
	add_load(m);
	if (below(m, 4) == 0)
		text_puts(m->out, "st.relaxed.gpu.global.u32 [c], 0;\n");
	text_printf(m->out, "S%u:\n", label);
}

static void add_wait(struct maker *m)
{
	static const char *const order[] = {"relaxed", "acquire", "acquire"};
	uint32_t k = m->labels++;
	if (m->waits++ >= (m->threads > 2 ? 2 : 3))
		return;
	switch (below(m, 6)) {
	case 0: /* a ticket */
		text_printf(m->out,
			"atom.relaxed.gpu.global.add.u32 %%r6, [t], 1;\nW%u: ld.%s.gpu.global.u32 %%r3, [s];\n"
			"setp.ne.u32 %%p1, %%r3, %%r6;\n@%%p1 bra W%u;\n",
			k, PICK(m, order), k);
		add_load(m);
		add_store(m);
		text_puts(m->out, "red.release.gpu.global.add.u32 [s], 1;\n");
		break;
	case 1: /* a lock */
		text_printf(m->out,
			"W%u: atom.%s.gpu.global.cas.b32 %%r3, [l], 0, 1;\nsetp.ne.u32 %%p1, %%r3, 0;\n@%%p1 bra W%u;\n",
			k, PICK(m, atom_order), k);
		add_load(m);
		if (below(m, 4))
			text_puts(m->out, "st.release.gpu.global.u32 [l], 0;\n");
		break;
	case 2:
		text_printf(m->out,
			"W%u: atom.%s.gpu.global.exch.b32 %%r3, [l], 1;\nsetp.ne.u32 %%p1, %%r3, 0;\n@%%p1 bra W%u;\n",
			k, PICK(m, atom_order), k);
		add_store(m);
		if (below(m, 4))
			text_puts(m->out, "atom.release.gpu.global.exch.b32 %r3, [l], 0;\n");
		break;
	case 3: /* a flag */
		text_printf(m->out,
			"W%u: ld.%s.gpu.global.u32 %%r3, [%c];\nsetp.ne.u32 %%p1, %%r3, %u;\n@%%p1 bra W%u;\n",
			k, PICK(m, order), "xy"[below(m, 2)], below(m, 3), k);
		break;
	case 4: /* a counter */
		text_printf(m->out,
			"W%u: ld.%s.gpu.global.u32 %%r3, [c];\nsetp.lt.u32 %%p1, %%r3, %u;\n@%%p1 bra W%u;\n",
			k, PICK(m, order), 1 + below(m, m->threads), k);
		break;
	default: /* a flag, beside a load that does not decide */
		text_printf(m->out,
			"W%u: ld.relaxed.gpu.global.u32 %%r3, [%c];\nld.global.u32 %%r5, [x];\n"
			"setp.eq.u32 %%p1, %%r3, 0;\n@%%p1 bra W%u;\n",
			k, "xyl"[below(m, 3)], k);
	}
}

static void make_thread(struct maker *m)
{
	for (uint32_t k = 2 + below(m, m->threads == 2 ? 4 : 2); k; k--) {
		uint32_t kind = below(m, 20);
		if (kind < 4)
			add_fence(m);
		else if (kind < 8)
			add_store(m);
		else if (kind < 10)
			add_load(m);
		else if (kind < (m->alike ? 18 : 15))
			add_last(m);
		else
			add_wait(m);
	}
}

/* A kernel of threads with code of their own; or, ALIKE, of threads of which all store something,
 * ask which of them is the last, and go on with code of their own. In a CTA they do so after a
 * barrier, before which one of them stores the counter. */
static void make_kernel(struct maker *m)
{
	m->threads = 2 + below(m, m->alike ? 3 : 2);
	text_puts(m->out,
		HEAD
		".global .u32 c;\n.global .u32 l;\n.global .u32 t;\n.global .u32 s;\n.global .u32 o0;\n.global .u32 o1;\n.global .u32 o2;\n.global .u32 o3;\n"
		".visible .entry k()\n{\n.reg .pred %p<3>;\n.reg .b32 %r<8>;\n");
	text_printf(m->out, "mov.u32 %%r1, %s;\n", m->cta ? "%tid.x" : "%ctaid.x");
	if (m->cta)
		text_printf(m->out,
			"setp.eq.u32 %%p1, %%r1, %u;\n@%%p1 st.global.u32 [c], 0;\nbar.sync 0;\n",
			below(m, m->threads));
	if (m->alike) {
		if (below(m, 2))
			add_store(m);
		if (below(m, 2))
			add_fence(m);
		add_last(m);
	}
	for (uint32_t t = 0; t < m->threads; t++) {
		text_printf(m->out, "setp.ne.u32 %%p1, %%r1, %u;\n@%%p1 bra T%u;\n", t, t);
		if (!m->alike || below(m, 5) == 0)
			make_thread(m);
		text_printf(m->out, "ret;\nT%u:\n", t);
	}
	text_puts(m->out, "ret;\n}\n");
}

/* CTAs of two threads: the first stores something, asks with an atom and a fence which of them is
 * the last, and tells the second by shared memory; then all CTAs, or those that are not the last,
 * or only the last one, do something that others may notice. */
static void make_pairs(struct maker *m)
{
	static const char *const op[] = {"add", "inc", "inc", "exch"};
	static const char *const test[] = {"ge", "eq", "ge", "lt"};
	const char *what = PICK(m, op);
	m->threads = 2 + below(m, 3);
	text_puts(m->out,
		HEAD
		".global .u32 c;\n.global .u32 l;\n.global .u32 o0;\n.global .u32 o1;\n.global .u32 o2;\n.global .u32 o3;\n.shared .u32 f;\n.shared .u32 g;\n"
		".visible .entry k()\n{\n.reg .pred %p<3>;\n.reg .b32 %r<8>;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra B;\n");
	text_puts(m->out, "mov.u32 %r6, %ctaid.x;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra X;\n");
	add_store(m);
	text_puts(m->out, "bra Y;\nX:\n");
	if (below(m, 2))
		add_store(m);
	text_puts(m->out, "Y:\n");
	if (below(m, 4))
		add_fence(m);
	text_printf(m->out, "atom.%s.gpu.global.%s.%s32 %%r4, [c], %u;\n", PICK(m, atom_order),
		what, *what == 'e' ? "b" : "u",
		*what == 'i' ? m->threads - 1 : 1 + below(m, 2) * (*what == 'e'));
	if (below(m, 3))
		text_puts(m->out, below(m, 4) ? "fence.acq_rel.gpu;\n" : "fence.acq_rel.cta;\n");
	if (below(m, 5) == 0)
		add_load(m);
	text_printf(m->out, "setp.%s.u32 %%p1, %%r4, %u;\nselp.u32 %%r5, 1, 0, %%p1;\n",
		PICK(m, test), m->threads - 1);
	if (below(m, 3) == 0)
		text_puts(m->out, "atom.shared.add.u32 %r7, [g], 1;\n");
	text_puts(m->out, "st.shared.u32 [f], %r5;\nB: bar.sync 0;\nld.shared.u32 %r5, [f];\n");
	if (below(m, 4) == 0)
		add_load(m);
	text_printf(m->out, "setp.%s.u32 %%p1, %%r5, 0;\n@%%p1 ret;\n", below(m, 4) ? "eq" : "ne");
	if (below(m, 2))
		text_puts(m->out, "setp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\n");
	add_load(m);
	if (below(m, 2))
		add_load(m);
	if (below(m, 3) == 0)
		add_store(m);
	text_puts(m->out, "ret;\n}\n");
}

/* A cas of the word for which all compete, and what depends on whether it fails, or with what. */
static void add_contest(struct maker *m)
{
	static const char *const order[] = {
		"relaxed", "relaxed", "relaxed", "acquire", "release", "acq_rel"};
	static const char *const over[] = {"0", "0", "0", "1", "2", "%r1"};
	static const char *const value[] = {"%r6", "%r6", "1", "2", "3", "0"};
	uint32_t label = m->labels++, kind = below(m, 24);
	const char *from = PICK(m, over);
	text_printf(m->out, "%s%u: atom.%s.%s.global.cas.b32 %%r4, [l], %s, %s;\n",
		kind == 0 ? "W" : "C", label, PICK(m, order), below(m, 12) ? "gpu" : "cta", from,
		PICK(m, value));
	if (kind == 0) {
		text_printf(m->out, "setp.eq.u32 %%p1, %%r4, %u;\n@%%p1 bra W%u;\n", below(m, 3),
			label);
		return;
	}
	if (below(m, 5) == 0)
		add_fence(m);
	if (kind < 3 && m->loads < 4) { /* the result itself */
		text_printf(m->out, "st.global.u32 [o%u], %%r4;\n", m->loads++);
		return;
	}
	if (kind < 5) /* nothing */
		return;
	if (kind < 7 && m->loads < 4) {
		text_printf(m->out,
			"setp.eq.u32 %%p1, %%r4, %s;\nselp.u32 %%r5, 1, 2, %%p1;\nst.global.u32 [o%u], %%r5;\n",
			from, m->loads++);
		return;
	}
	text_printf(m->out, "setp.%s.u32 %%p1, %%r4, %s;\n@%%p1 bra S%u;\n",
		below(m, 3) ? "ne" : "eq", below(m, 8) ? from : "1", label);
	if (below(m, 3))
		add_store(m);
	else
		add_load(m);
	text_printf(m->out, "S%u:\n", label);
}

/* Threads that compete for the word L, with much the same code or code of their own. */
static void make_contest(struct maker *m)
{
	m->threads = 2 + below(m, 3);
	text_puts(m->out,
		HEAD
		".global .u32 c;\n.global .u32 l;\n.global .u32 o0;\n.global .u32 o1;\n.global .u32 o2;\n.global .u32 o3;\n"
		".visible .entry k()\n{\n.reg .pred %p<3>;\n.reg .b32 %r<8>;\n");
	text_printf(m->out, "mov.u32 %%r1, %s;\nadd.u32 %%r6, %%r1, 1;\n",
		m->cta ? "%tid.x" : "%ctaid.x");
	bool same = below(m, 2);
	for (uint32_t t = 0; t < (same ? 1 : m->threads); t++) {
		if (!same)
			text_printf(m->out, "setp.ne.u32 %%p1, %%r1, %u;\n@%%p1 bra T%u;\n", t, t);
		for (uint32_t k = 1 +
				below(m,
					m->threads == 2           ? 4
						: m->threads == 3 ? 3
								  : 2);
			k; k--) {
			uint32_t kind = below(m, 24);
			if (kind < 18)
				add_contest(m);
			else if (kind < 19)
				add_fence(m);
			else if (kind < 21)
				add_store(m);
			else if (kind < 23)
				add_load(m);
			else
				text_puts(m->out,
					"ld.relaxed.gpu.global.u32 %r2, [l];\nst.global.u32 [c], %r2;\n");
		}
		text_printf(m->out, "ret;\nT%u:\n", t);
	}
	text_puts(m->out, "ret;\n}\n");
}

static void explore_as(struct ptx_test *t, const struct maker *m, bool orders, bool branches)
{
	all_orders = orders;
	all_branches = branches;
	max_executions = 500;
	explore(t, text_str(m->out), m->cta ? 1 : m->threads,
		m->cta             ? m->threads
			: m->pairs ? 2
				   : 1,
		(const char *const[]){"o0", "o1", "o2", "o3", "c", "x", "y", "l", NULL}, 1);
	all_orders = all_branches = false;
	max_executions = 0;
}

static bool same_rows(const struct explore_outcomes *a, const struct explore_outcomes *b)
{
	bool same = a->list.count == b->list.count;
	for (uint32_t i = 0; same && i < a->list.count; i++)
		same = !memcmp(
			a->list.data[i].value, b->list.data[i].value, a->width * sizeof(uint64_t));
	return same;
}

static uint64_t branches_of(const struct ptx_test *t) { return t->result->work[WORK_BRANCHES]; }

static void compare(struct maker kind)
{
	uint64_t n = setting("PTXI_RANDOM_PROGRAMS", kind.pairs ? 3 : 50),
		 seed = setting("PTXI_SEED", 1);
	uint64_t executions[3] = {0}, branches[3] = {0}, stuck = 0, skipped = 0, compared = 0,
		 fewer = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct text text = {0};
		uint64_t own = seed + i * 1000003;
		struct maker m = kind;
		m.rng = (struct rng){own};
		m.out = &text;
		(m.pairs ? make_pairs : m.contest ? make_contest : make_kernel)(&m);
		struct ptx_test t[3], again;
		explore_as(&t[2], &m, true, true);
		explore_as(&t[1], &m, true, false);
		explore_as(&t[0], &m, false, false);
		const struct explore_result *r[3] = {t[0].result, t[1].result, t[2].result};
		/* where reads in a loop do not control it, how far the loop is followed depends on
		 * what is decided first; no outcome may be missing that the others have completely
		 */
		bool whole = explore_complete(r[0]) && explore_complete(r[1]) &&
			explore_complete(r[2]);
		skipped += !whole;
		compared += whole;
		fewer += whole && r[0]->executions < r[1]->executions;
		for (uint32_t k = 0; whole && k < 2; k++)
			cr_expect(same_rows(&r[k]->outcomes, &r[2]->outcomes),
				"seed %llu: %u of %u outcomes, way %u\n%s", (unsigned long long)own,
				r[k]->outcomes.list.count, r[2]->outcomes.list.count, k,
				text_str(&text));
		cr_expect(!whole ||
				(same_rows(&r[1]->stuck, &r[2]->stuck) &&
					!r[0]->stuck.list.count == !r[2]->stuck.list.count),
			"seed %llu: %u, %u and %u ways to wait forever\n%s",
			(unsigned long long)own, r[0]->stuck.list.count, r[1]->stuck.list.count,
			r[2]->stuck.list.count, text_str(&text));
		cr_expect(!whole || r[1]->executions == r[2]->executions,
			"seed %llu: %llu and %llu executions\n%s", (unsigned long long)own,
			(unsigned long long)r[1]->executions, (unsigned long long)r[2]->executions,
			text_str(&text));
		cr_expect(!whole ||
				(m.contest ? r[0]->nraces == r[2]->nraces
					   : !r[0]->nraces == !r[2]->nraces),
			"seed %llu: %u and %u races\n%s", (unsigned long long)own, r[0]->nraces,
			r[2]->nraces, text_str(&text));
		/* without room for nodes, each is made again by the choices that led to it; with
		 * little, it is packed; and branches that are given away are reached again */
		if (i % 4 == 0) {
			max_branch = i % 16 == 0 ? 1 : i % 8 == 0 ? 100000 : 0;
			divide = !max_branch;
			explore_as(&again, &m, false, false);
			max_branch = divide = 0;
			cr_expect(!whole ||
					(same_rows(&r[0]->outcomes, &again.result->outcomes) &&
						same_rows(&r[0]->stuck, &again.result->stuck) &&
						r[0]->executions == again.result->executions),
				"seed %llu: %llu of %llu executions %s\n%s",
				(unsigned long long)own,
				(unsigned long long)again.result->executions,
				(unsigned long long)r[0]->executions,
				i % 8 ? "divided" : "without copies", text_str(&text));
			ptx_test_free(&again);
		}
		stuck += whole && r[2]->stuck.list.count;
		for (uint32_t k = 0; k < 3; k++) {
			executions[k] += r[k]->executions;
			branches[k] += branches_of(&t[k]);
			ptx_test_free(&t[k]);
		}
		text_free(&text);
	}
	printf("explore: %llu of %llu random kernels explored with and without reductions have the same outcomes (%llu and %llu executions, fewer for %llu; %llu and %llu branches; %llu may wait forever; %llu reach a bound)\n",
		(unsigned long long)compared, (unsigned long long)(n - skipped),
		(unsigned long long)executions[0], (unsigned long long)executions[2],
		(unsigned long long)fewer, (unsigned long long)branches[0],
		(unsigned long long)branches[2], (unsigned long long)stuck,
		(unsigned long long)skipped);
	fflush(stdout);
	cr_expect_lt(branches[0], branches[2]);
	cr_expect_lt(skipped, n / 2 + 1);
}

/* The nodes of the search are few for each execution, not only the executions few. */
Test(explore_reductions, few_branches)
{
	static const char ticket[] = HEAD
		".global .u32 t;\n.global .u32 s;\n.visible .entry k()\n{\n.reg .pred %p;\n.reg .b32 %r<4>;\n"
		"atom.relaxed.gpu.global.add.u32 %r2, [t], 1;\nW: ld.acquire.gpu.global.u32 %r1, [s];\n"
		"setp.ne.u32 %p, %r1, %r2;\n@%p bra W;\nld.global.u32 %r3, [x];\nadd.u32 %r3, %r3, 1;\n"
		"st.global.u32 [x], %r3;\nred.release.gpu.global.add.u32 [s], 1;\nret;\n}\n";
	static const char last[] = HEAD
		".global .u32 c;\n.visible .entry k()\n{\n.reg .pred %p;\n.reg .b32 %r<4>;\nmov.u32 %r1, %ctaid.x;\n"
		"atom.acq_rel.gpu.global.add.u32 %r2, [c], 1;\nsetp.ne.u32 %p, %r2, 11;\n@%p ret;\nst.global.u32 [x], %r1;\nret;\n}\n";
	static const char contest[] = HEAD
		".visible .entry k()\n{\n.reg .pred %p;\n.reg .b32 %r<4>;\nmov.u32 %r1, %ctaid.x;\nadd.u32 %r2, %r1, 1;\n"
		"atom.global.cas.b32 %r3, [x], 0, %r2;\nsetp.eq.u32 %p, %r3, 0;\n@%p st.global.u32 [y], %r2;\n"
		"atom.global.cas.b32 %r3, [x], 0, %r2;\nsetp.eq.u32 %p, %r3, 0;\n@%p st.global.u32 [y], 0;\n"
		"atom.global.cas.b32 %r3, [x], %r1, -1;\nret;\n}\n";
	static const struct {
		const char *text;
		uint32_t threads, outcomes;
		uint64_t executions, branches;
	} want[] = {{ticket, 5, 1, 120, 300}, {last, 12, 12, 12, 20}, {contest, 12, 2, 12, 30}};
	for (uint32_t k = 0; k < sizeof want / sizeof *want; k++) {
		struct ptx_test t;
		explore(&t, want[k].text, want[k].threads, 1, (const char *const[]){"x", NULL}, 1);
		const struct explore_result *r = t.result;
		cr_expect(explore_complete(r));
		cr_expect_eq(r->outcomes.list.count, want[k].outcomes, "%u: %u outcomes", k,
			r->outcomes.list.count);
		cr_expect_eq(r->executions, want[k].executions, "%u: %llu executions", k,
			(unsigned long long)r->executions);
		cr_expect_lt(branches_of(&t), want[k].branches, "%u: %llu branches", k,
			(unsigned long long)branches_of(&t));
		ptx_test_free(&t);
	}
}

/* What a thread computes from an atom's result and from a value that is not known yet, before or
 * after it, tells the results apart. */
Test(explore_reductions, sums)
{
	static const char head[] = HEAD
		".global .u32 c;\n.global .u32 z;\n.visible .entry k()\n{\n.reg .pred %p;\n.reg .b32 %r<5>;\nmov.u32 %r1, %ctaid.x;\n"
		"setp.eq.u32 %p, %r1, 2;\n@%p bra T2;\nsetp.eq.u32 %p, %r1, 1;\n";
	static const char atom
		[] = "atom.relaxed.gpu.global.add.u32 %r2, [c], 1;\n",
	    load[] = "ld.relaxed.gpu.global.u32 %r3, [z];\n",
	    tail[] =
		    "add.u32 %r4, %r2, %r3;\n@%p st.global.u32 [y], %r4;\n@!%p st.global.u32 [x], %r4;\nret;\n"
		    "T2: st.relaxed.gpu.global.u32 [z], 10;\nret;\n}\n";
	for (uint32_t k = 0; k < 2; k++) {
		struct text text = {0};
		struct ptx_test t;
		text_printf(&text, "%s%s%s%s", head, k ? load : atom, k ? atom : load, tail);
		explore(&t, text_str(&text), 3, 1, (const char *const[]){"x", "y", NULL}, 1);
		cr_expect(explore_complete(t.result));
		cr_expect_eq(t.result->outcomes.list.count, 8, "%u outcomes",
			t.result->outcomes.list.count);
		ptx_test_free(&t);
		text_free(&text);
	}
}

Test(explore_reductions, waits) { compare((struct maker){.alike = false}); }
Test(explore_reductions, last_ones) { compare((struct maker){.alike = true}); }
Test(explore_reductions, last_in_cta) { compare((struct maker){.alike = true, .cta = true}); }
Test(explore_reductions, last_cta) { compare((struct maker){.alike = true, .pairs = true}); }
Test(explore_reductions, contests) { compare((struct maker){.contest = true}); }
Test(explore_reductions, contests_in_cta) { compare((struct maker){.contest = true, .cta = true}); }
