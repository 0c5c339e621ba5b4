/* Follows the wait of each warp to a warp that it waits for, until a warp appears twice. */
#include "interp/stuck/wait_cycle.h"
#include "interp/state/cluster.h"
#include "interp/memory/name.h"
#include "interp/memory/mbarrier_wait.h"
#include "interp/sync/barrier.h"
#include "interp/sync/mbarrier_table.h"
#include "interp/stuck/report.h"

struct step {
	uint32_t warp;
	char kind; /* 'b' CTA barrier `number`, 'm' mbarrier at offset `number` */
	uint32_t number, insn, user_call, next;
};

/* The first warp of SET other than ITSELF; UINT32_MAX: none. */
static uint32_t first_other(uint32_t set, uint32_t itself)
{
	set &= ~(1u << itself);
	return set ? lane_first(set) : UINT32_MAX;
}

static bool step_at_barrier(const struct cta *c, uint32_t warp, struct step *s)
{
	const struct warp *w = &c->warp[warp];

	for (uint32_t j = 0; j < w->ngroups; j++) {
		const struct group *g = &w->group[j];

		if (g->state != GROUP_BARRIER)
			continue;
		*s = (struct step){warp, 'b', g->wait, g->frame->code->op[g->pc].insn,
			g->frame->user_call,
			first_other(c->live & ~barrier_state(c, g->wait).warps, warp)};
		return s->next != UINT32_MAX;
	}
	return false;
}

static bool step_at_mbarrier(struct cta *c, uint32_t warp, struct step *s)
{
	const struct warp *w = &c->warp[warp];

	for (uint32_t j = 0; j < w->ngroups; j++) {
		const struct mbarrier_wait *wait = mbarrier_waiting(
			w, lane_first(w->group[j].mask));
		const struct mbarrier_record *r;
		uint32_t missing = 0;

		if ((w->group[j].state != GROUP_READY && w->group[j].state != GROUP_SLEEP) ||
			!wait || wait->cta != c)
			continue;
		r = mbarrier_known(c, wait->offset);
		for (uint32_t k = 0; r->phase && k < c->nwarps; k++)
			missing |= r->ever[k] & ~r->now[k] & ~r->dropped[k] & c->warp[k].live
				? 1u << k
				: 0;
		*s = (struct step){warp, 'm', wait->offset, wait->insn, wait->user_call,
			first_other(missing, warp)};
		return s->next != UINT32_MAX;
	}
	return false;
}

static void step_describe(
	struct machine *m, const struct cta *c, const struct step *s, struct text *t)
{
	if (s->kind == 'b')
		text_printf(t, " at barrier %u (%s) for warp %u", s->number,
			where_line_from(m, s->insn, s->user_call).text, s->next);
	else
		text_printf(t, " for mbarrier %s (%s), where warp %u has not arrived",
			name_mbarrier(m, c, s->number).text,
			where_line_from(m, s->insn, s->user_call).text, s->next);
}

void wait_cycle_note(struct machine *m, struct cta *c, struct diag *r)
{
	for (uint32_t first = 0; first < c->nwarps; first++) {
		struct step step[MAX_WARPS];
		uint32_t n = 0, warp = first, seen = 0;
		struct text t = {0};

		while (n < MAX_WARPS && !(seen >> warp & 1) && c->warp[warp].live &&
			(step_at_barrier(c, warp, &step[n]) ||
				step_at_mbarrier(c, warp, &step[n]))) {
			seen |= 1u << warp;
			warp = step[n++].next;
		}
		if (n < 2 || warp != first)
			continue;
		text_printf(&t, "wait cycle: warp %u waits", first);
		for (uint32_t k = 0; k < n; k++) {
			text_puts(&t, k ? ", which waits" : "");
			step_describe(m, c, &step[k], &t);
		}
		diag_note(m->findings, r, "%s", text_str(&t));
		text_free(&t);
		return;
	}
}
