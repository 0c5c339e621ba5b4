/* The state of each mbarrier that threads wait on when a program hangs: its phase, which threads
 * arrived where, what is missing, where the missing threads are, and the most likely mistake;
 * and the same for the barrier of a cluster. */
#include "interp/stuck/ledger.h"
#include "interp/memory/mbarrier_wait.h"
#include "interp/sync/cluster_barrier.h"
#include "interp/sync/mbarrier.h"
#include "interp/sync/mbarrier_table.h"
#include "interp/memory/name.h"
#include "interp/stuck/report.h"

/* The threads that wait on one mbarrier. */
struct waiting {
	struct cta *cta; /* the CTA whose shared memory holds the mbarrier */
	uint32_t offset, insn, user_call;
	uint32_t lanes[MAX_WARPS]; /* of that CTA, per warp: only its own threads can wait */
};

/* The lanes of W that spin or sleep: they wait for what their last mbarrier wait named. */
static uint32_t lanes_looping(const struct warp *w)
{
	uint32_t mask = 0;

	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->group[k].state == GROUP_READY || w->group[k].state == GROUP_SLEEP)
			mask |= w->group[k].mask;
	return mask & w->live;
}

static uint32_t ledger_collect(struct cluster *k, struct waiting *out, uint32_t most)
{
	uint32_t n = 0;

	for (uint32_t rank = 0; rank < k->n; rank++)
		for (uint32_t i = 0; i < k->member[rank]->nwarps; i++) {
			struct warp *w = &k->member[rank]->warp[i];
			uint32_t lanes = lanes_looping(w), j;

			FOR_LANES(lane, lanes) {
				const struct mbarrier_wait *wait = mbarrier_waiting(w, lane);

				if (!wait)
					continue;
				for (j = 0; j < n; j++)
					if (out[j].cta == w->cta && out[j].offset == wait->offset)
						break;
				if (j == n && n == most)
					continue;
				if (j == n)
					out[n++] = (struct waiting){.cta = w->cta,
						.offset = wait->offset,
						.insn = wait->insn,
						.user_call = wait->user_call};
				out[j].lanes[i] |= 1u << lane;
			}
		}
	return n;
}

/* --- texts --- */

static void add_set(struct text *t, const struct cta *c, const uint32_t *lanes)
{
	uint32_t first = UINT32_MAX, total = c->nwarps * LANES;
	bool any = false;

	for (uint32_t k = 0; k <= total; k++) {
		bool in = k < total && lanes[k / LANES] >> (k % LANES) & 1;

		if (in && first == UINT32_MAX)
			first = k;
		if (in || first == UINT32_MAX)
			continue;
		text_printf(t, any ? ", %u" : "%u", first);
		if (k - first > 1)
			text_printf(t, k - first == 2 ? ", %u" : " to %u", k - 1);
		any = true;
		first = UINT32_MAX;
	}
}

static uint32_t count_set(const struct cta *c, const uint32_t *lanes)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < c->nwarps; k++)
		n += (uint32_t)__builtin_popcount(lanes[k]);
	return n;
}

static const char *threads_word(uint32_t n) { return n == 1 ? "thread " : "threads "; }

static void ledger_note(struct machine *m, struct diag *r, struct text *t)
{
	diag_note(m->findings, r, "%s", text_str(t));
	text_free(t);
}

/* Whether the wait names a parity rather than the state of an arrival. */
static bool waits_by_parity(const struct machine *m, const struct waiting *w)
{
	return ir_has(m->module, &m->module->insn[w->insn], W_parity);
}

static void note_state(
	struct machine *m, struct diag *r, const struct waiting *w, const struct mbarrier_record *b)
{
	uint64_t word = b->word;
	struct text t = {0};

	text_printf(&t,
		"mbarrier %s, phase %llu: %u arrival%s pending (it expects %u), tx-count %d; ",
		name_mbarrier(m, w->cta, w->offset).text, (unsigned long long)b->phase,
		mbarrier_pending(word), mbarrier_pending(word) == 1 ? " is" : "s are",
		mbarrier_expected(word), mbarrier_tx(word));
	text_puts(&t, threads_word(count_set(w->cta, w->lanes)));
	add_set(&t, w->cta, w->lanes);
	text_printf(&t, " wait%s at %s for phase %llu", count_set(w->cta, w->lanes) == 1 ? "s" : "",
		where_line_from(m, w->insn, w->user_call).text, (unsigned long long)b->phase);
	if (waits_by_parity(m, w))
		text_printf(&t, ", parity %llu,", (unsigned long long)b->phase & 1);
	text_puts(&t, " to complete");
	ledger_note(m, r, &t);
}

static void note_arrivals(
	struct machine *m, struct diag *r, const struct waiting *w, const struct mbarrier_record *b)
{
	struct text t = {0};

	text_puts(&t,
		b->arrivals ? "arrived in this phase: " : "no thread has arrived in this phase");
	for (uint32_t k = 0; k < b->arrivals;) {
		const struct mbarrier_arrival *a = &b->arrival[k];
		uint32_t lanes[MAX_WARPS] = {0}, insn = a->insn, count = 0, j = k;

		/* the warps of one CTA that arrived at one instruction, together */
		for (; j < b->arrivals && b->arrival[j].insn == insn &&
			b->arrival[j].user_call == a->user_call && b->arrival[j].cta == a->cta &&
			b->arrival[j].async == a->async;
			j++) {
			lanes[b->arrival[j].warp] |= b->arrival[j].mask;
			count += b->arrival[j].count;
		}
		text_printf(&t, "%s%s", k ? "; " : "", threads_word(count_set(a->cta, lanes)));
		add_set(&t, a->cta, lanes);
		if (a->cta != w->cta)
			text_printf(&t, " of the CTA of rank %u", a->cta->cluster_rank);
		text_printf(&t, " (%s%s%s)", where_line_from(m, insn, a->user_call).text,
			a->async ? ", by cp.async" : "",
			count != count_set(a->cta, lanes)
				? arena_printf(&m->findings->arena, ", %u in all", count)
				: "");
		k = j;
	}
	if (b->more)
		text_printf(&t, "; and %u more", b->more);
	ledger_note(m, r, &t);
}

/* The threads of the CTA that could have arrived but did not, in a later phase those that
 * arrived before, in the first phase all: GONE gets those that have exited, HERE the others. */
static void ledger_absent(
	const struct waiting *w, const struct mbarrier_record *b, uint32_t *gone, uint32_t *here)
{
	for (uint32_t k = 0; k < w->cta->nwarps; k++) {
		const struct warp *q = &w->cta->warp[k];
		uint32_t could = (b->phase ? b->ever[k] : q->lanes) & ~b->now[k] & ~b->dropped[k];

		gone[k] = could & ~q->live;
		here[k] = could & q->live;
	}
}

static void note_absent(
	struct machine *m, struct diag *r, const struct waiting *w, const struct mbarrier_record *b)
{
	uint32_t gone[MAX_WARPS] = {0}, here[MAX_WARPS] = {0}, left = 0;
	struct text t = {0};

	if (!mbarrier_pending(b->word))
		return;
	ledger_absent(w, b, gone, here);
	if (count_set(w->cta, gone)) {
		text_puts(&t, threads_word(count_set(w->cta, gone)));
		add_set(&t, w->cta, gone);
		text_puts(&t, " exited without arriving");
		left++;
	}
	for (uint32_t k = 0; k < w->cta->nwarps && left < 4; k++)
		for (uint32_t j = 0; j < w->cta->warp[k].ngroups && left < 4; j++) {
			const struct group *g = &w->cta->warp[k].group[j];
			uint32_t lanes[MAX_WARPS] = {0}, n;

			lanes[k] = g->mask & here[k];
			n = count_set(w->cta, lanes);
			if (!n)
				continue;
			text_printf(&t, "%s%s", left++ ? "; " : "", threads_word(n));
			add_set(&t, w->cta, lanes);
			text_printf(&t,
				n == 1 ? " has not arrived and is " : " have not arrived and are ");
			where_group(m, &t, g);
		}
	if (left)
		ledger_note(m, r, &t);
	text_free(&t);
}

/* --- the likely mistake --- */

/* Where the first arrival by cp.async.mbarrier.arrive is. */
static struct line_text async_line(struct machine *m, const struct mbarrier_record *b)
{
	for (uint32_t k = 0; k < b->arrivals; k++)
		if (b->arrival[k].async)
			return where_line_from(m, b->arrival[k].insn, b->arrival[k].user_call);
	return where_line(m, IR_NONE);
}

/* The number of arrivals by cp.async.mbarrier.arrive without .noinc. */
static uint32_t uncounted_arrivals(struct machine *m, const struct mbarrier_record *b)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < b->arrivals; k++)
		if (b->arrival[k].async &&
			!ir_has(m->module, &m->module->insn[b->arrival[k].insn], W_noinc))
			n += b->arrival[k].count;
	return n;
}

static void ledger_guess(
	struct machine *m, struct diag *r, const struct waiting *w, const struct mbarrier_record *b)
{
	uint32_t pending = mbarrier_pending(b->word), expected = mbarrier_expected(b->word),
		 gone[MAX_WARPS] = {0}, here[MAX_WARPS] = {0};
	int32_t tx = mbarrier_tx(b->word);
	uint32_t came = expected > pending ? expected - pending : 0;

	ledger_absent(w, b, gone, here);
	if (b->stale_insn != IR_NONE && b->stale_phase != UINT64_MAX)
		diag_help(m->findings, r,
			"the wait for parity %llu at %s returned at once for thread %u: phase %llu had already completed, and the thread had waited for it before; the parity changes with every phase",
			(unsigned long long)b->stale_phase & 1,
			where_line_from(m, b->stale_insn, b->stale_call).text, b->stale_thread,
			(unsigned long long)b->stale_phase);
	else if (tx > 0 && pending == 0)
		diag_help(m->findings, r,
			"expect_tx announced %llu bytes (%s), %llu were delivered: the sizes of copies and expect_tx must agree",
			(unsigned long long)b->expected_tx,
			where_line_from(m, b->expect_insn, b->expect_call).text,
			(unsigned long long)b->delivered_tx);
	else if (tx < 0 && pending == 0)
		diag_help(m->findings, r,
			"%llu bytes were delivered, but expect_tx announced %llu: the sizes of copies and expect_tx must agree",
			(unsigned long long)b->delivered_tx, (unsigned long long)b->expected_tx);
	else if (pending && uncounted_arrivals(m, b) == pending)
		diag_help(m->findings, r,
			"cp.async.mbarrier.arrive without .noinc (%s) adds to the pending count: either use .noinc, or reduce the count of mbarrier.init (%s) by %u",
			async_line(m, b).text, where_line_from(m, b->init_insn, b->init_call).text,
			pending);
	else if (pending && count_set(w->cta, gone))
		diag_help(m->findings, r,
			"it was initialised with %u (%s): a thread that exits before the others must reduce the count with mbarrier.arrive_drop",
			expected, where_line_from(m, b->init_insn, b->init_call).text);
	else if (b->arrivals == 0 && b->phase && waits_by_parity(m, w))
		diag_help(m->findings, r,
			"phase %llu has completed, phase %llu has parity %llu: does the wait name the wrong parity, one phase too late?",
			(unsigned long long)b->phase - 1, (unsigned long long)b->phase,
			(unsigned long long)b->phase & 1);
	else if (pending && !count_set(w->cta, here) && !count_set(w->cta, gone))
		diag_help(m->findings, r,
			"it was initialised with %u (%s), but %u arrive%s: the expected count must be the number of arrivals per phase",
			expected, where_line_from(m, b->init_insn, b->init_call).text, came,
			came == 1 ? "s" : "");
	else if (pending && came)
		diag_help(m->findings, r,
			"it was initialised with %u (%s), but only %u arrived: the count is too large, or a thread never arrives",
			expected, where_line_from(m, b->init_insn, b->init_call).text, came);
}

bool ledger_mbarriers(struct machine *m, struct cta *c, struct diag *r)
{
	enum { MAX_WAITS = 3 };
	struct waiting w[MAX_WAITS];
	uint32_t n = ledger_collect(c->cluster, w, MAX_WAITS);

	for (uint32_t k = 0; k < n; k++) {
		const struct mbarrier_record *b = mbarrier_known(w[k].cta, w[k].offset);

		note_state(m, r, &w[k], b);
		note_arrivals(m, r, &w[k], b);
		note_absent(m, r, &w[k], b);
		if (!r->help)
			ledger_guess(m, r, &w[k], b);
	}
	return n > 0;
}

struct diag *ledger_cause(struct cta *c)
{
	enum { MAX_WAITS = 3 };
	struct waiting w[MAX_WAITS];
	uint32_t n = ledger_collect(c->cluster, w, MAX_WAITS);

	for (uint32_t k = 0; k < n; k++) {
		const struct mbarrier_record *b = mbarrier_known(w[k].cta, w[k].offset);
		struct diag *d = b->skewed ? b->skewed : b->told;

		if (d && d->nlabels) /* a finding beyond the limit of findings has no labels */
			return d;
	}
	return NULL;
}

/* --- the cluster's barrier --- */

bool ledger_cluster(struct machine *m, struct cta *c, struct diag *r)
{
	const struct cluster *k = c->cluster;
	struct cluster_barrier_state b = cluster_barrier_state(k);
	unsigned notes = 0;

	if (b.insn == IR_NONE)
		return false;
	diag_note(m->findings, r,
		"the cluster's barrier, phase %u: %u threads have not arrived (the first arrived at %s)",
		b.phase, b.missing, where_line_from(m, b.insn, b.user_call).text);
	for (uint32_t rank = 0; rank < k->n && notes < 3; rank++)
		for (uint32_t i = 0; i < k->member[rank]->nwarps && notes < 3; i++) {
			const struct warp *w = &k->member[rank]->warp[i];
			uint32_t missing = w->live & ~cluster_arrived(w);

			for (uint32_t j = 0; j < w->ngroups && notes < 3; j++) {
				uint32_t lanes[MAX_WARPS] = {0};
				struct text t = {0};

				lanes[i] = w->group[j].mask & missing;
				if (!lanes[i])
					continue;
				text_puts(&t, threads_word(count_set(w->cta, lanes)));
				add_set(&t, w->cta, lanes);
				text_printf(&t, " of the CTA of rank %u %s not arrived and %s ",
					rank, count_set(w->cta, lanes) == 1 ? "has" : "have",
					count_set(w->cta, lanes) == 1 ? "is" : "are");
				where_group(m, &t, &w->group[j]);
				ledger_note(m, r, &t);
				notes++;
			}
		}
	return true;
}
