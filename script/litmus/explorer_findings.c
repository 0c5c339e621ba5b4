/* Reports the findings of an exploration: stuck threads, races, and limits that were reached. */
#include "script/litmus/explorer_findings.h"
#include "base/memory.h"
#include "model/relation.h"
#include <string.h>

enum { MAX_STUCK = 8 };

const char *explorer_thread(const struct explored_threads *t, uint32_t thread)
{
	uint32_t cta, tid;

	if (t->test)
		return t->test->thread[thread].name;
	if (!ptx_launch_of(t->result->program, thread))
		return "the host";
	ptx_thread(t->result->program, thread, &cta, &tid);
	const char *words = arena_printf(t->arena, "CTA %u thread %u", cta, tid);
	return t->launches > 1 ? arena_printf(t->arena, "%s of launch %u", words,
					 ptx_launch_of(t->result->program, thread))
			       : words;
}

static void set_thread(const struct explored_threads *t, uint32_t thread, struct diag *d)
{
	uint32_t cta, tid;

	if (t->test)
		return;
	ptx_thread(t->result->program, thread, &cta, &tid);
	d->cta = cta;
	d->thread = tid;
}

static struct span span_of(const struct explored_threads *t, uint32_t thread, uint32_t place)
{
	const struct litmus_thread *h = t->test ? &t->test->thread[thread] : NULL;

	return !h                   ? ptx_span(t->result->program, thread, place)
		: place < h->ninsns ? h->insn[place].span
				    : (struct span){t->test->cond_off, 0};
}

/* The user's call that leads there; part of a label. */
static struct span call_of(const struct explored_threads *t, uint32_t thread, uint32_t place)
{
	return t->test ? (struct span){0, 0} : ptx_call_span(t->result->program, thread, place);
}

static void label_other(const struct explored_threads *t, struct diags *findings, struct diag *d,
	struct span span, struct span call)
{
	if (diag_label(findings, d, t->source, span, "the other access"))
		d->label[1].call = call;
}

void explorer_stuck(const struct explored_threads *t, struct diags *findings)
{
	const struct explore_result *x = t->result;

	for (uint32_t i = 0; i < x->stuck.list.count && i < MAX_STUCK; i++) {
		const uint64_t *row = x->stuck.list.data[i].value;
		struct diag *d = NULL;

		for (uint32_t k = 0; k < x->program->nthreads; k++) {
			bool spins = row[STUCK_STATUS(k)] == EXPLORE_SPINS;

			if (row[STUCK_STATUS(k)] != EXPLORE_BLOCKED && !spins)
				continue;
			if (!d) {
				d = diag_report(findings,
					row[STUCK_KIND] == STUCK_DEADLOCK ? DIAG_D0150 : DIAG_D0151,
					t->source, span_of(t, k, (uint32_t)row[STUCK_PLACE(k)]),
					"%s may %s here forever", explorer_thread(t, k),
					spins ? "spin" : "wait");
				d->label[0].call = call_of(t, k, (uint32_t)row[STUCK_PLACE(k)]);
				set_thread(t, k, d);
			} else if (d->nnotes < 7) {
				diag_note(findings, d, "%s also %s", explorer_thread(t, k),
					spins ? "spins" : "waits");
			}
		}
	}
}

/* The races between one pair of instructions, which are reported once for all threads and for both
 * halves of an atom. */
struct reported_race {
	const struct explore_race *first, *last;
	struct span span[2], call[2];
	uint32_t pairs; /* of threads */
};

static struct reported_race *reported_race(const struct explored_threads *t,
	struct reported_race *reported, uint32_t *nreported, const struct explore_race *c)
{
	struct span span[2] = {span_of(t, c->thread[0], c->place[0]),
		span_of(t, c->thread[1], c->place[1])},
		    call[2] = {call_of(t, c->thread[0], c->place[0]),
			    call_of(t, c->thread[1], c->place[1])};

	for (uint32_t k = 0; k < *nreported; k++)
		if (reported[k].span[0].off == span[0].off &&
			reported[k].span[1].off == span[1].off &&
			reported[k].call[0].off == call[0].off &&
			reported[k].call[1].off == call[1].off)
			return &reported[k];
	reported[*nreported] = (struct reported_race){
		.first = c, .span = {span[0], span[1]}, .call = {call[0], call[1]}};
	return &reported[(*nreported)++];
}

uint32_t explorer_races(const struct explored_threads *t, struct diags *findings)
{
	struct reported_race *reported = memory_zeroed(t->result->nraces + 1u, sizeof *reported);
	uint32_t nreported = 0;

	for (uint32_t i = 0; i < t->result->nraces; i++) {
		const struct explore_race *c = &t->result->race[i];
		struct reported_race *r = reported_race(t, reported, &nreported, c);

		r->pairs += !r->last || memcmp(r->last->thread, c->thread, sizeof c->thread) != 0;
		r->last = c;
	}
	for (uint32_t i = 0; i < nreported; i++) {
		const struct explore_race *c = reported[i].first;
		struct diag *d = diag_report(findings, DIAG_R0150, t->source, reported[i].span[0],
			"a data race: %s %s here, %s %s, and %s", explorer_thread(t, c->thread[0]),
			c->write[0] ? "writes" : "reads", explorer_thread(t, c->thread[1]),
			c->write[1] ? "writes" : "reads", c->why);

		d->label[0].call = reported[i].call[0];
		label_other(t, findings, d, reported[i].span[1], reported[i].call[1]);
		if (reported[i].pairs > 1)
			diag_note(findings, d, "%u pairs of threads race in this way",
				reported[i].pairs);
		set_thread(t, c->thread[0], d);
	}
	memory_drop(reported);
	return nreported;
}

const char *explorer_race_remark(uint32_t races, struct arena *arena)
{
	return !races        ? NULL
		: races == 1 ? "with a data race, R0150"
			     : arena_printf(arena, "with %u data races, R0150", races);
}

void explorer_mixed(const struct explored_threads *t, struct diags *findings)
{
	const struct explore_mixed *m = &t->result->mixed;
	struct diag *d;

	if (!m->some)
		return;
	d = diag_report(findings, DIAG_B0150, t->source, span_of(t, m->thread[0], m->place[0]),
		"accesses of different sizes race here: the axioms of the memory model do not apply to such a program, so its outcomes are unknown");
	d->label[0].call = call_of(t, m->thread[0], m->place[0]);
	label_other(t, findings, d, span_of(t, m->thread[1], m->place[1]),
		call_of(t, m->thread[1], m->place[1]));
}

void explorer_verified(
	const struct explore_result *x, const struct explore_names *names, struct report *out)
{
	struct report_verified *v = ARENA_NEW(&out->arena, struct report_verified);
	*v = (struct report_verified){.executions = x->verified.executions,
		.unverified = x->verified.unverified,
		.broken = x->verified.broken,
		.axiom = explore_verified_axiom(x),
		.event = explore_verified_events(x, names, &out->arena)};
	out->verified = v;
	explore_verified_print(x, v->event, &out->listing);
}

void explorer_unverified(const struct explore_result *x, struct report *out)
{
	if (!x->verified.broken)
		return;
	out->verdict = VERDICT_FAIL;
	out->status = PTXI_BUG;
	out->reason = "the search found an execution that violates an axiom of the memory model";
}

/* The choices of a branch that are at one instruction. */
struct busy {
	uint32_t first, threads, choices; /* the first choice */
};

/* A branch's choices that are looked at: they are compared with each other. */
enum { MAX_CHOICES = 2048 };
/* Executions from which all are estimated; estimates above the other are not told apart. */
#define ESTIMATE_FROM 100
#define ESTIMATE_MOST 1e30

/* Of the N first choices of T's branch, which are at the offsets AT: those at the instruction that
 * has the most of them after that of AFTER (NULL: of all). */
static struct busy busiest(
	const struct explored_threads *t, const uint32_t *at, uint32_t n, const struct busy *after)
{
	const struct explore_choice *chosen = t->result->chosen;
	uint32_t words = t->result->program->nthreads / 64 + 1;
	struct busy best = {.choices = 0};
	uint64_t *seen = memory_zeroed(words, sizeof *seen);
	for (uint32_t i = 0; i < n; i++) {
		struct busy b = {.first = i};
		row_clear(seen, words);
		for (uint32_t k = 0; k < n && chosen[i].place != MODEL_NONE; k++) {
			if (chosen[k].place == MODEL_NONE || at[k] != at[i])
				continue;
			if (k < i)
				break; /* an instruction that was counted */
			b.choices++;
			b.threads += !row_has(seen, chosen[k].thread);
			row_put(seen, chosen[k].thread);
		}
		bool later = !after || b.choices < after->choices ||
			(b.choices == after->choices && i > after->first);
		if (later && b.choices > best.choices)
			best = b;
	}
	memory_drop(seen);
	return best;
}

static const char *times(const struct explored_threads *t, uint32_t n, const char *unit)
{
	return arena_printf(t->arena, "%u %s%s", n, unit, n == 1 ? "" : "s");
}

/* The limit on time or executions was reached: where the choices are that make so many executions,
 * about how many there are, and what to do. */
static void report_choices(const struct explored_threads *t, struct diags *findings)
{
	static const char reached[] = "the limit on time or executions was reached";
	const struct explore_result *x = t->result;
	const struct explore_choice *chosen = x->chosen;
	uint32_t n = x->nchosen < MAX_CHOICES ? x->nchosen : MAX_CHOICES;
	uint32_t *at = memory_zeroed(n + 1u, sizeof *at);
	for (uint32_t k = 0; k < n; k++)
		at[k] = chosen[k].place == MODEL_NONE
			? 0
			: span_of(t, chosen[k].thread, chosen[k].place).off;
	struct busy one = busiest(t, at, n, NULL), two = busiest(t, at, n, &one);
	memory_drop(at);
	if (!one.choices) {
		diag_plain(findings, DIAG_B0150, "%s", reached);
		return;
	}
	const struct explore_choice *c = &chosen[one.first];
	struct diag *d = diag_report(findings, DIAG_B0150, t->source,
		span_of(t, c->thread, c->place),
		"%s; most choices of what to read are here: %s in one branch, by %s", reached,
		times(t, one.choices, "choice"), times(t, one.threads, "thread"));
	d->label[0].call = call_of(t, c->thread, c->place);
	c = &chosen[two.first];
	if (two.choices &&
		diag_label(findings, d, t->source, span_of(t, c->thread, c->place), "%s, by %s",
			times(t, two.choices, "choice"), times(t, two.threads, "thread")))
		d->label[1].call = call_of(t, c->thread, c->place);
	double all = x->part > 0 ? (double)x->executions / x->part : 0;
	if (x->executions >= ESTIMATE_FROM && all > (double)x->executions)
		diag_note(findings, d,
			all < ESTIMATE_MOST
				? "%llu executions were explored, of about %.1e if the others are like them"
				: "%llu executions were explored, of more than %.0e if the others are like them",
			(unsigned long long)x->executions,
			all < ESTIMATE_MOST ? all : ESTIMATE_MOST);
	diag_help(findings, d, "%s",
		t->test ? "use fewer threads or more time"
			: "use fewer threads or more time, or sample the outcomes: ptxi run --memory=weak --runs=N");
}

void explorer_limits(const struct explored_threads *t, struct diags *findings)
{
	const struct explore_result *x = t->result;

	if (x->bound_reached)
		diag_plain(findings, DIAG_B0150,
			"loops were followed for %u rounds (for %u where reads have one possible value): longer runs are not covered; --rounds=N follows more",
			explore_rounds(&x->options), explore_forced_rounds(&x->options));
	if (x->lost_spin)
		diag_plain(findings, DIAG_B0150,
			"a thread may spin forever in a way that the search does not follow: in a loop that reads more than what decides whether it repeats");
	if (x->too_large)
		diag_plain(findings, DIAG_B0150,
			"an execution has more than %u memory events: make the test smaller, or sample it with --memory=weak --runs=N",
			x->options.max_events ? x->options.max_events : EXPLORE_EVENTS);
	if (x->out_of_memory)
		diag_plain(findings, DIAG_B0150,
			x->options.max_memory
				? "the search needs more memory than its limit (1 GB per execution, --max-memory in all)"
				: "the search needs more memory than its limit (1 GB per execution)");
	if (x->timed_out)
		report_choices(t, findings);
	if (x->interrupted)
		diag_plain(findings, DIAG_B0005, "interrupted before all executions were explored");
	if (x->enough)
		diag_plain(findings, DIAG_B0150,
			"every condition was decided before all executions were explored");
}
