/* Reports of deadlocks, livelocks and limits: which threads wait where and for what, how many
 * arrived and how many were expected, and where the missing threads are. */
#include "interp/stuck/report.h"
#include "interp/state/cluster.h"
#include "interp/stuck/ledger.h"
#include "interp/stuck/poll.h"
#include "interp/stuck/wait_cycle.h"
#include "interp/state/warp.h"
#include "interp/sync/barrier.h"
#include "interp/state/where.h"

enum { MAX_PLACES = 3, MAX_NOTES = 7 };

static const struct op *group_op(const struct group *g)
{
	return g->pc < g->frame->code->nops ? &g->frame->code->op[g->pc] : NULL;
}

/* The lanes of group J that are not also in a group above it: in lockstep, the groups above it
 * in the stack are subsets of its lanes. */
static uint32_t own_lanes(const struct warp *w, uint32_t j)
{
	uint32_t mask = w->group[j].mask;

	if (w->lockstep)
		for (uint32_t k = j + 1; k < w->ngroups; k++)
			mask &= ~w->group[k].mask;
	return mask;
}

static uint32_t group_insn(const struct group *g)
{
	const struct op *op = group_op(g);

	return op ? op->insn : IR_NONE;
}

static void add_threads(struct text *t, const struct warp *w, uint32_t mask)
{
	where_threads(t, w, mask, LANES);
}

/* Appends the warps of SET: "warps 0, 2 to 7". */
static void add_warps(struct text *t, uint32_t set)
{
	bool any = false;

	text_puts(t, (set & (set - 1)) == 0 ? "warp " : "warps ");
	for (uint32_t k = 0; k < 32;) {
		uint32_t end = k;

		if (!(set >> k & 1)) {
			k++;
			continue;
		}
		while (end + 1 < 32 && set >> (end + 1) & 1)
			end++;
		text_printf(t, any ? ", %u" : "%u", k);
		if (end > k)
			text_printf(t, end == k + 1 ? ", %u" : " to %u", end);
		any = true;
		k = end + 1;
	}
}

static void report_note(struct machine *m, struct diag *r, const struct text *t)
{
	if (r->nnotes < MAX_NOTES)
		diag_note(m->findings, r, "%s", text_str(t));
	else if (r->nnotes == MAX_NOTES)
		diag_note(m->findings, r, "and more");
}

/* --- deadlock --- */

/* RUNS: a warp that does not wait can run; in a livelock it waits in its loop. */
static void note_missing(
	struct machine *m, struct cta *c, struct diag *r, unsigned number, bool runs)
{
	uint32_t came = barrier_state(c, number).warps, exited = 0;

	for (uint32_t k = 0; k < c->nwarps; k++) {
		const struct warp *w = &c->warp[k];
		struct text t = {0};

		if (came >> k & 1)
			continue;
		if (!w->live) {
			exited |= 1u << k;
			continue;
		}
		text_printf(&t, "warp %u has not reached barrier %u: ", k, number);
		for (uint32_t j = 0, said = 0; j < w->ngroups; j++) {
			uint32_t lanes = own_lanes(w, j);

			if (!lanes)
				continue;
			text_puts(&t, said++ ? "; " : "");
			add_threads(&t, w, lanes);
			if (runs && w->group[j].state == GROUP_READY)
				text_puts(&t, " can run, ");
			else
				text_puts(&t, (lanes & (lanes - 1)) == 0 ? " waits " : " wait ");
			where_group(m, &t, &w->group[j]);
		}
		report_note(m, r, &t);
		text_free(&t);
	}
	if (exited) {
		struct text t = {0};

		add_warps(&t, exited);
		text_printf(&t, " %s exited without reaching barrier %u",
			exited & (exited - 1) ? "have" : "has", number);
		report_note(m, r, &t);
		text_free(&t);
	}
}

static void note_barriers(struct machine *m, struct cta *c, struct diag *r, bool runs)
{
	for (unsigned n = 0; n < MAX_BARRIERS; n++) {
		struct barrier_state b = barrier_state(c, n);
		struct text t = {0};

		if (!b.warps)
			continue;
		text_printf(&t, "barrier %u, phase %u: %u of %u threads have arrived (", n, b.phase,
			b.arrived, b.expected);
		add_warps(&t, b.warps);
		text_printf(&t, ", %s)", where_line_from(m, b.insn, b.user_call).text);
		report_note(m, r, &t);
		text_free(&t);
		note_missing(m, c, r, n, runs);
	}
}

static void note_gathers(struct machine *m, struct cta *c, struct diag *r)
{
	for (uint32_t k = 0; k < c->nwarps; k++) {
		const struct warp *w = &c->warp[k];

		for (uint32_t j = 0; j < w->ngroups; j++) {
			const struct group *g = &w->group[j];
			struct text t = {0};
			uint32_t missing = g->wait & w->live & ~g->mask;

			if (g->state != GROUP_GATHER)
				continue;
			add_threads(&t, w, g->mask);
			text_printf(&t, " at %s waiting for ",
				where_line_from(m, group_insn(g), g->frame->user_call).text);
			add_threads(&t, w, missing ? missing : g->wait);
			for (uint32_t i = 0; i < w->ngroups; i++)
				if (i != j && w->group[i].mask & missing) {
					text_puts(&t,
						(missing & (missing - 1)) == 0 ? ", which waits "
									       : ", which wait ");
					where_group(m, &t, &w->group[i]);
					break;
				}
			report_note(m, r, &t);
			text_free(&t);
		}
	}
}

/* Labels the places where groups wait, each once. */
static void label_places(struct machine *m, struct cta *c, struct diag *r)
{
	uint32_t seen[MAX_PLACES];
	unsigned n = r->nlabels;

	for (unsigned k = 0; k < n; k++)
		seen[k] = r->label[k].given_off;
	for (uint32_t k = 0; k < c->nwarps; k++)
		for (uint32_t j = 0; j < c->warp[k].ngroups && n < MAX_PLACES; j++) {
			const struct group *g = &c->warp[k].group[j];
			uint32_t insn = group_insn(g);
			bool known = false;
			struct text t = {0};

			if (insn == IR_NONE || g->state == GROUP_REJOIN)
				continue;
			for (unsigned i = 0; i < n; i++)
				known = known || seen[i] == m->module->insn[insn].span.off;
			if (known)
				continue;
			seen[n++] = m->module->insn[insn].span.off;
			add_threads(&t, &c->warp[k], g->mask);
			text_puts(&t,
				g->state == GROUP_READY                  ? " here"
					: (g->mask & (g->mask - 1)) == 0 ? " waits here"
									 : " wait here");
			if (diag_label(m->findings, r, m->module->source,
				    m->module->insn[insn].span, "%s", text_str(&t)))
				r->label[r->nlabels - 1].call = where_call(m, g->frame->user_call);
			text_free(&t);
		}
}

static const struct group *first_waiting(const struct cta *c, uint32_t *warp)
{
	for (uint32_t k = 0; k < c->nwarps; k++)
		for (uint32_t j = 0; j < c->warp[k].ngroups; j++)
			if (group_insn(&c->warp[k].group[j]) != IR_NONE &&
				c->warp[k].group[j].state != GROUP_REJOIN) {
				*warp = k;
				return &c->warp[k].group[j];
			}
	return NULL;
}

static void first_label(
	struct machine *m, struct diag *r, const struct warp *w, const struct group *g)
{
	struct text t = {0};

	if (!r->nlabels)
		return;
	add_threads(&t, w, g->mask);
	text_puts(&t,
		g->state == GROUP_READY                  ? " here"
			: (g->mask & (g->mask - 1)) == 0 ? " waits here"
							 : " wait here");
	r->label[0].text = arena_text(&m->findings->arena, text_str(&t), t.len);
	r->label[0].call = where_call(m, g->frame->user_call);
	text_free(&t);
}

/* When an earlier finding explains why C hangs, merges the report R into it: one cause is one
 * finding. */
static void report_merge_into_cause(struct machine *m, struct cta *c, struct diag *r)
{
	struct diag *cause = ledger_cause(c);

	if (!cause)
		return;
	for (unsigned k = 0; k < r->nlabels; k++)
		if (diag_label(m->findings, cause, NULL, (struct span){0}, "%s", r->label[k].text))
			cause->label[cause->nlabels - 1] = r->label[k];
	diag_note(m->findings, cause, "the program then hangs: %s (%s)", r->message,
		diag_code_info(r->code).code);
	for (unsigned k = 0; k < r->nnotes; k++)
		diag_note(m->findings, cause, "%s", r->notes[k]);
	diag_drop(m->findings, r);
}

void report_waits(struct machine *m, struct cta *c, struct diag *r)
{
	ledger_cluster(m, c, r);
	ledger_mbarriers(m, c, r);
	for (uint32_t rank = 0; rank < c->cluster->n; rank++) {
		note_barriers(m, c->cluster->member[rank], r, true);
		note_gathers(m, c->cluster->member[rank], r);
		wait_cycle_note(m, c->cluster->member[rank], r);
	}
}

void report_deadlock(struct machine *m, struct cta *c)
{
	const struct launch *l = c->launch;
	uint32_t warp = 0;
	const struct group *g = first_waiting(c, &warp);
	struct span none = {0, 0};
	struct diag *r = diag_report(m->findings, DIAG_D0101, g ? m->module->source : NULL,
		g ? m->module->insn[group_insn(g)].span : none,
		"deadlock: no thread in CTA %s of kernel '%s'%s%s%s can make progress",
		where_dim(&m->findings->arena, c->ctaid, l->ask.grid), where_kernel(l),
		l->ask.place ? ", " : "", l->ask.place ? l->ask.place : "",
		l->ask.place ? "," : "");

	r->cta = (int64_t)c->linear;
	if (g) {
		r->thread = (int64_t)warp * LANES + lane_first(g->mask);
		first_label(m, r, &c->warp[warp], g);
	}
	label_places(m, c, r);
	report_waits(m, c, r);
	report_merge_into_cause(m, c, r);
	machine_halt(m, MACHINE_DEADLOCK);
}

/* --- livelock --- */

static const struct group *first_running(const struct cta *c, uint32_t *warp)
{
	for (uint32_t k = 0; k < c->nwarps; k++)
		for (uint32_t j = 0; j < c->warp[k].ngroups; j++)
			if (c->warp[k].group[j].state == GROUP_READY &&
				group_insn(&c->warp[k].group[j]) != IR_NONE) {
				*warp = k;
				return &c->warp[k].group[j];
			}
	return first_waiting(c, warp);
}

/* The lanes of all groups that can run at the place of group J; 0: an earlier one is there, too.
 * Those that have met may still be apart (warp_run.c). */
static uint32_t lanes_together(const struct warp *w, uint32_t j)
{
	const struct group *g = &w->group[j];
	uint32_t lanes = own_lanes(w, j);

	for (uint32_t k = 0; k < w->ngroups && g->state == GROUP_READY; k++) {
		const struct group *o = &w->group[k];

		if (k == j || o->state != GROUP_READY || o->pc != g->pc || o->frame != g->frame)
			continue;
		if (k < j)
			return 0;
		lanes |= own_lanes(w, k);
	}
	return lanes;
}

static void note_cta(struct machine *m, const struct cta *c, struct diag *r, const char *running)
{
	for (uint32_t k = 0; k < c->nwarps && r->nnotes < MAX_NOTES; k++) {
		const struct warp *w = &c->warp[k];
		struct text t = {0};

		if (!w->live)
			continue;
		text_printf(&t, "CTA %s of '%s': ",
			where_dim(&m->findings->arena, c->ctaid, c->launch->ask.grid),
			where_kernel(c->launch));
		for (uint32_t j = 0, said = 0; j < w->ngroups; j++) {
			const struct group *g = &w->group[j];
			uint32_t lanes = lanes_together(w, j);

			if (!lanes)
				continue;
			text_puts(&t, said++ ? "; " : "");
			add_threads(&t, w, lanes);
			text_puts(&t, g->state == GROUP_READY ? running : " waiting ");
			where_group(m, &t, g);
			if (g->state == GROUP_READY || g->state == GROUP_SLEEP)
				poll_describe(m, w, lanes, &t);
		}
		report_note(m, r, &t);
		text_free(&t);
	}
}

static void note_rest(struct machine *m, struct diag *r, const struct cta *first, const char *why)
{
	uint64_t more = 0;

	for (const struct cta *c = first; c; c = c->next)
		more++;
	if (more)
		diag_note(m->findings, r, "and %llu more CTA%s", (unsigned long long)more,
			more == 1 ? "" : "s");
	for (uint32_t k = 0; k < m->launches.count; k++) {
		const struct launch *l = m->launches.data[k];

		if (l->running && l->next_cta < l->nunits && r->nnotes < 8) {
			diag_note(m->findings, r, "%llu CTAs of '%s' have not begun%s",
				(unsigned long long)(l->nunits - l->next_cta) * l->cluster_ctas,
				where_kernel(l), why);
			return;
		}
	}
}

void report_livelock(struct machine *m, struct cta *first)
{
	uint32_t warp = 0;
	const struct group *g = first_running(first, &warp);
	struct span none = {0, 0};
	struct diag *r = diag_report(m->findings, DIAG_D0201, g ? m->module->source : NULL,
		g ? m->module->insn[group_insn(g)].span : none,
		"livelock: all runnable threads are spinning in loops whose state no longer changes");
	const struct cta *c = first;

	r->cta = (int64_t)first->linear;
	if (g) {
		r->thread = (int64_t)warp * LANES + lane_first(g->mask);
		first_label(m, r, &first->warp[warp], g);
	}
	label_places(m, first, r);
	if (first->launch->ask.place)
		diag_note(m->findings, r, "in kernel '%s', %s", where_kernel(first->launch),
			first->launch->ask.place);
	for (struct cta *k = first; k && r->nnotes < 3; k = k->next) {
		ledger_cluster(m, k, r);
		ledger_mbarriers(m, k, r);
		for (uint32_t rank = 0; rank < k->cluster->n && r->nnotes < 3; rank++)
			note_barriers(m, k->cluster->member[rank], r, false);
		for (uint32_t rank = 0; rank < k->cluster->n && r->nnotes < MAX_NOTES; rank++)
			wait_cycle_note(m, k->cluster->member[rank], r);
	}
	for (; c && r->nnotes < MAX_NOTES - 1; c = c->next)
		note_cta(m, c, r, " in the loop ");
	note_rest(m, r, c == first ? first->next : c /* the notes above describe the first */,
		": a GPU holds no more at once, so threads that wait for them wait forever");
	report_merge_into_cause(m, first, r);
	machine_halt(m, MACHINE_DEADLOCK);
}

void report_stopped(struct machine *m, struct cta *first, struct diag *r)
{
	const struct cta *c = first;

	for (; c && r->nnotes < MAX_NOTES - 1; c = c->next)
		note_cta(m, c, r, " ");
	note_rest(m, r, c, "");
}

void report_limit(struct machine *m, struct cta *first, struct source *source, struct span span)
{
	enum diag_code code = (enum diag_code)atomic_exchange(&m->over, 0);
	struct diag *d;

	if (code == DIAG_NONE || atomic_load(&m->stop) != MACHINE_BUDGET + 1)
		return;
	switch ((int)code) {
	case DIAG_B0001:
		d = diag_report(m->findings, code, source, span,
			"the limit of %llu warp instruction%s (--max-steps) was reached before the kernels ended",
			(unsigned long long)m->options.max_steps,
			m->options.max_steps == 1 ? "" : "s");
		break;
	case DIAG_B0002:
		d = diag_report(m->findings, code, source, span,
			"the time limit (--timeout) was reached before the kernels ended");
		break;
	case DIAG_B0004:
		d = diag_report(m->findings, code, source, span,
			"the kernels printed more than %llu bytes (--max-output)",
			(unsigned long long)m->options.max_output);
		break;
	default:
		d = diag_report(
			m->findings, code, source, span, "interrupted before the kernels ended");
		break;
	}
	if (first)
		report_stopped(m, first, d);
}
