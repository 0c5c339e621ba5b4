/* Barriers, and what threads wait for. */
#include "debug/show.h"
#include "debug/names.h"
#include "interp/memory/mbarrier_record.h"
#include "interp/memory/name.h"
#include "interp/state/where.h"
#include "interp/stuck/report.h"
#include "interp/sync/barrier.h"
#include "interp/sync/cluster_barrier.h"
#include "interp/sync/mbarrier.h"

/* The threads of C that wait at barrier NUMBER of the CTA. */
static void add_waiting(struct engine *e, struct cta *c, unsigned number)
{
	const char *word = "; waiting: ";

	for (uint32_t k = 0; k < c->nwarps; k++) {
		uint32_t mask = 0;

		for (uint32_t j = 0; j < c->warp[k].ngroups; j++)
			if (c->warp[k].group[j].state == GROUP_BARRIER &&
				c->warp[k].group[j].wait == number)
				mask |= c->warp[k].group[j].mask;
		if (!mask)
			continue;
		text_puts(&e->out, word);
		where_threads(&e->out, &c->warp[k], mask, 4);
		word = ", ";
	}
}

static bool is_waited_for(const struct cta *c, unsigned number)
{
	for (uint32_t k = 0; k < c->nwarps; k++)
		for (uint32_t j = 0; j < c->warp[k].ngroups; j++)
			if (c->warp[k].group[j].state == GROUP_BARRIER &&
				c->warp[k].group[j].wait == number)
				return true;
	return false;
}

static bool show_cta_barriers(struct engine *e, struct cta *c)
{
	bool any = false;

	for (unsigned k = 0; k < MAX_BARRIERS; k++) {
		struct barrier_state b = barrier_state(c, k);

		if (!b.phase && !b.warps && !is_waited_for(c, k))
			continue;
		any = true;
		text_printf(&e->out, "barrier %u: phase %u, %u threads have arrived", k, b.phase,
			b.arrived);
		if (b.warps)
			text_printf(&e->out, " of %u", b.expected);
		add_waiting(e, c, k);
		text_putc(&e->out, '\n');
	}
	return any;
}

static bool show_mbarriers(struct engine *e, struct cta *c)
{
	uint32_t n = 0;
	const struct mbarrier_record *r = mbarrier_all(c, &n);

	for (uint32_t k = 0; k < n; k++) {
		text_printf(
			&e->out, "mbarrier %s: ", name_mbarrier(e->machine, c, r[k].offset).text);
		if (!r[k].live)
			text_puts(&e->out, "invalidated\n");
		else
			text_printf(&e->out,
				"phase %llu (parity %u), %u of %u arrivals pending, tx-count %d\n",
				(unsigned long long)r[k].phase, mbarrier_parity(r[k].word),
				mbarrier_pending(r[k].word), mbarrier_expected(r[k].word),
				mbarrier_tx(r[k].word));
	}
	return n > 0;
}

void show_barriers(struct engine *e)
{
	struct cta *c = names_cta(e, &e->s->focus);
	bool any;

	if (!c) {
		text_puts(&e->out, "the CTA in focus does not run\n");
		e->s->failed = true;
		return;
	}
	any = show_cta_barriers(e, c);
	any = show_mbarriers(e, c) || any;
	struct cluster_barrier_state b = cluster_barrier_state(c->cluster);

	if (b.phase || b.insn != IR_NONE) {
		any = true;
		text_printf(&e->out, "the cluster's barrier: phase %u, %u threads are missing\n",
			b.phase, b.missing);
	}
	if (!any)
		text_printf(&e->out, "CTA %llu has used no barrier so far\n",
			(unsigned long long)c->linear);
}

void show_why(struct engine *e)
{
	struct warp *w = names_warp(e, &e->s->focus);
	struct diag r = {.code = DIAG_D0101, .cta = -1, .thread = -1};
	struct text doing = {0};

	if (!w || !w->live) {
		text_puts(&e->out, "the warp in focus has exited\n");
		return;
	}
	for (uint32_t k = 0; k < w->ngroups; k++) {
		const struct group *g = &w->group[k];

		where_threads(&doing, w, g->mask, 4);
		if (g->state == GROUP_READY) {
			text_puts(&doing, " can run");
		} else {
			text_puts(&doing, " wait ");
			where_group(e->machine, &doing, g);
		}
		text_printf(&e->out, "%s\n", text_str(&doing));
		text_clear(&doing);
	}
	text_free(&doing);
	report_waits(e->machine, w->cta, &r);
	for (unsigned k = 0; k < r.nnotes; k++)
		text_printf(&e->out, "  %s\n", r.notes[k]);
	if (r.help)
		text_printf(&e->out, "  help: %s\n", r.help);
}
