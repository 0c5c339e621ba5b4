/* Counted barriers of random kernels: compares `explore` with all interleavings of the warps.
 * bar.red tells each warp which others it synchronised with; barriers of other numbers, with
 * arrivals that do not wait, delay some warps. PTXI_RANDOM_PROGRAMS (default 200) is the number of
 * kernels, PTXI_SEED the first seed. */
#include "base/rng.h"
#include "base/text.h"
#include "script/litmus/explorer.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 4, OPS = 3, BARRIERS = 3, MOST_SETS = 512 };
enum kind { SYNC, ARRIVE, POPC };

/* One barrier instruction; SAYS: the predicate of bar.red. */
struct step {
	enum kind kind;
	unsigned barrier;
	bool says;
};

struct kernel {
	unsigned warps, lanes;    /* number of lanes of a warp that do not exit at once */
	unsigned count[BARRIERS]; /* in warps */
	struct step step[WARPS][OPS];
	unsigned steps[WARPS];
};

/* What each bar.red returned, or -1. */
struct outcome_of {
	int result[WARPS][OPS];
};

struct found {
	struct outcome_of set[MOST_SETS];
	unsigned count;
	bool deadlock;
	bool again; /* a warp may arrive twice in one phase */
};

/* A state of one interleaving. */
struct moment {
	unsigned at[WARPS];
	bool waits[WARPS];
	unsigned come[BARRIERS];
	bool came[BARRIERS][WARPS];
	int trues[BARRIERS];
	struct outcome_of outcome;
};

static void add(struct found *f, const struct outcome_of *o)
{
	for (unsigned k = 0; k < f->count; k++) {
		if (!memcmp(&f->set[k], o, sizeof *o))
			return;
	}
	cr_assert(f->count < MOST_SETS);
	f->set[f->count++] = *o;
}

/* Warp W executes its next instruction; if it completes a barrier, the waiting warps continue. */
static void execute(const struct kernel *k, struct moment *m, unsigned w, struct found *f)
{
	const struct step *s = &k->step[w][m->at[w]];
	unsigned b = s->barrier;
	m->come[b]++;
	f->again = f->again || m->came[b][w];
	m->came[b][w] = true;
	m->trues[b] += s->kind == POPC && s->says ? (int)k->lanes : 0;
	if (s->kind == ARRIVE)
		m->at[w]++;
	else
		m->waits[w] = true;
	if (m->come[b] < k->count[b])
		return;
	for (unsigned v = 0; v < k->warps; v++) {
		const struct step *t = &k->step[v][m->at[v]];
		if (!m->waits[v] || t->barrier != b)
			continue;
		if (t->kind == POPC)
			m->outcome.result[v][m->at[v]] = m->trues[b];
		m->waits[v] = false;
		m->at[v]++;
	}
	m->come[b] = 0;
	memset(m->came[b], 0, sizeof m->came[b]);
	m->trues[b] = 0;
}

static void interleave(const struct kernel *k, const struct moment *m, struct found *f)
{
	bool done = true, moves = false;
	for (unsigned w = 0; w < k->warps; w++) {
		done = done && m->at[w] == k->steps[w];
		if (m->at[w] == k->steps[w] || m->waits[w])
			continue;
		struct moment next = *m;
		moves = true;
		execute(k, &next, w, f);
		interleave(k, &next, f);
	}
	if (done)
		add(f, &m->outcome);
	else if (!moves)
		f->deadlock = true;
}

/* A number of warps; in three of four cases TOTAL arrivals fill its phases exactly. */
static unsigned draw_count(struct rng *r, unsigned total)
{
	unsigned count = 1 + rng_below(r, 3);
	if (rng_below(r, 4)) {
		while (total % count)
			count = 1 + rng_below(r, 3);
	}
	return count;
}

static void draw(struct rng *r, struct kernel *k)
{
	unsigned total[BARRIERS] = {0};
	*k = (struct kernel){.warps = 2 + rng_below(r, WARPS - 1), .lanes = 1 + rng_below(r, 2)};
	for (unsigned w = 0; w < k->warps; w++) {
		k->steps[w] = 1 + rng_below(r, OPS);
		for (unsigned i = 0; i < k->steps[w]; i++) {
			/* bar.red is not mixed with others */
			unsigned b = rng_below(r, 5) < 3 ? 0 : 1 + rng_below(r, BARRIERS - 1);
			total[b]++;
			k->step[w][i] = (struct step){.kind = !b ? POPC
					: rng_below(r, 2)        ? ARRIVE
								 : SYNC,
				.barrier = b,
				.says = rng_below(r, 2)};
		}
	}
	for (unsigned b = 0; b < BARRIERS; b++)
		k->count[b] = draw_count(r, total[b]);
}

static void write_warp(const struct kernel *k, unsigned w, struct text *out)
{
	static const char *const name[] = {"sync", "arrive"};
	text_printf(out, "L%u:\n", w);
	for (unsigned i = 0; i < k->steps[w]; i++) {
		const struct step *s = &k->step[w][i];
		if (s->kind == POPC)
			text_printf(out,
				"setp.eq.u32 %%q, %u, 1;\nbarrier.red.popc.u32 %%r%u, %u, %u, %%q;\n",
				s->says, i + 1, s->barrier + 1, 32 * k->count[s->barrier]);
		else
			text_printf(out, "barrier.%s %u, %u;\n", name[s->kind], s->barrier + 1,
				32 * k->count[s->barrier]);
	}
	text_puts(out, "ret;\n");
}

/* The first lane of each warp observes what its bar.red return; *OBSERVED: how many there are. */
static void write_kernel(const struct kernel *k, struct text *out, unsigned *observed)
{
	*observed = 0;
	text_puts(out, ".version 8.6\n.target sm_90\n.address_size 64\n");
	text_printf(out, "//@ launch k<<<1, %u>>>()\n", 32 * k->warps);
	for (unsigned w = 0; w < k->warps; w++) {
		for (unsigned i = 0; i < k->steps[w]; i++) {
			if (k->step[w][i].kind == POPC)
				text_printf(out, "%sP%u:%%r%u",
					(*observed)++ ? ", " : "//@ observe ", 32 * w, i + 1);
		}
	}
	text_puts(out,
		"\n.visible .entry k()\n{\n.reg .pred %p, %q;\n.reg .b32 %r<10>;\nmov.u32 %r8, %tid.x;\nand.b32 %r9, %r8, 31;\n");
	text_printf(out, "setp.ge.u32 %%p, %%r9, %u;\n@%%p ret;\n", k->lanes);
	for (unsigned w = 1; w < k->warps; w++)
		text_printf(out, "setp.ge.u32 %%p, %%r8, %u;\n@%%p bra L%u;\n", 32 * (k->warps - w),
			k->warps - w);
	for (unsigned w = 0; w < k->warps; w++)
		write_warp(k, w, out);
	text_puts(out, "}\n");
}

/* Whether outcome number AT of R is O. */
static bool is_outcome(
	const struct kernel *k, const struct report *r, uint32_t at, const struct outcome_of *o)
{
	uint32_t n = 0;
	for (unsigned w = 0; w < k->warps; w++) {
		for (unsigned i = 0; i < k->steps[w]; i++) {
			if (k->step[w][i].kind == POPC &&
				strtol(r->outcomes.data[at].text[n++], NULL, 10) != o->result[w][i])
				return false;
		}
	}
	return true;
}

static bool may_wait_for_ever(const struct report *r)
{
	for (const struct diag *d = r->findings.first; d; d = d->next) {
		if (d->code == DIAG_D0150)
			return true;
	}
	return false;
}

static bool is_among(
	const struct kernel *k, const struct report *r, uint32_t at, const struct found *f)
{
	for (unsigned i = 0; i < f->count; i++) {
		if (is_outcome(k, r, at, &f->set[i]))
			return true;
	}
	return false;
}

/* Whether both have the same outcomes, and a deadlock if there is one. For a kernel in which a warp
 * may arrive again before the barrier completes, which PTX forbids, the explorer counts every
 * arrival, but does not try all orders. */
static bool agrees(const struct kernel *k, const struct found *f, const struct report *r)
{
	bool stuck = may_wait_for_ever(r);
	for (uint32_t at = 0; at < r->outcomes.count; at++) {
		if (!is_among(k, r, at, f))
			return false;
	}
	if (f->again)
		return (r->outcomes.count || stuck) && (f->deadlock || !stuck);
	return r->outcomes.count == f->count && stuck == f->deadlock;
}

static uint64_t setting(const char *name, uint64_t value)
{
	const char *s = getenv(name);
	return s ? strtoull(s, NULL, 0) : value;
}

Test(explore_barriers, random_programs)
{
	uint64_t n = setting("PTXI_RANDOM_PROGRAMS", 200), seed = setting("PTXI_SEED", 1), bad = 0,
		 outcomes = 0, deadlocks = 0, again = 0, compared = 0;
	static struct found f;
	for (uint64_t i = 0; compared < n; i++) {
		struct rng rng = {seed + i * 1000003};
		struct kernel k;
		struct moment begin = {.outcome = {{{0}}}};
		struct text text = {0};
		struct program p;
		struct report r;
		unsigned observed;
		draw(&rng, &k);
		write_kernel(&k, &text, &observed);
		if (observed) {
			memset(&begin.outcome, 255, sizeof begin.outcome);
			f.count = 0;
			f.deadlock = f.again = false;
			interleave(&k, &begin, &f);
			program_load(&p,
				&(struct program_request){.path = "random.ptx",
					.text = text_str(&text),
					.size = text.len});
			cr_assert(p.module && p.script_ok, "%s", text_str(&text));
			explorer_run(
				&(struct explorer_request){
					.program = &p, .in = &p.script.cases.data[0], .jobs = 1},
				&r);
			bool same = agrees(&k, &f, &r);
			if (!same)
				cr_log_error("seed %llu: explorer %u outcomes%s, not %u%s\n%s",
					(unsigned long long)(seed + i * 1000003), r.outcomes.count,
					may_wait_for_ever(&r) ? " and a deadlock" : "", f.count,
					f.deadlock ? " and a deadlock" : "", text_str(&text));
			bad += !same;
			outcomes += f.count;
			deadlocks += f.deadlock;
			again += f.again;
			compared++;
			report_free(&r);
			program_free(&p);
		}
		text_free(&text);
	}
	printf("explore and interleaving: %llu of %llu random kernels with counted barriers have the same outcomes (%llu outcomes; %llu may wait forever, in %llu a warp may arrive twice)\n",
		(unsigned long long)(n - bad), (unsigned long long)n, (unsigned long long)outcomes,
		(unsigned long long)deadlocks, (unsigned long long)again);
	fflush(stdout);
	cr_expect(bad == 0, "%llu programs differ", (unsigned long long)bad);
	cr_expect(outcomes > n / 2 && deadlocks > n / 10 && again > n / 40 && again < n / 2);
}
