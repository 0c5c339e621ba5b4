/* The synchronisation that is missing between two threads: a scope, a release, an acquire, or a
 * common proxy. */
#include "explore/explain/why_gap.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static const char *gap_strength(const struct event *v)
{
	return event_strong(v) ? "" : " is weak, and weak accesses do not synchronise";
}

void gap_scope(struct explain *e, uint32_t a, uint32_t b)
{
	const struct execution *x = e->x;
	const struct event *v = &x->event[a], *w = &x->event[b];
	const struct placement *p = &x->model->place[v->thread], *q = &x->model->place[w->thread];
	uint32_t narrow = scope_includes(v->scope, p, q) ? b : a;
	enum scope need = SCOPE_CTA;
	while (need < SCOPE_SYS && !scope_includes(need, p, q))
		need++;
	text_puts(e->out, "      the scope ");
	text_printf(e->out, ".%s of ", event_scope_name(x->event[narrow].scope));
	explain_event(e, narrow);
	text_printf(
		e->out, " does not include the other thread: use .%s\n", event_scope_name(need));
}

void gap_sync(struct explain *e, uint32_t w, uint32_t r)
{
	const struct execution *x = e->x;
	uint64_t *firsts = memory_zeroed(x->words, sizeof *firsts),
		 *lasts = memory_zeroed(x->words, sizeof *lasts);
	const struct event *v = &x->event[w], *u = &x->event[r];
	execution_release_firsts(x, w, firsts);
	execution_acquire_lasts(x, r, lasts);
	bool strong = event_strong(v) && event_strong(u);
	if (!strong) {
		text_puts(e->out, "      ");
		explain_event(e, event_strong(v) ? r : w);
		text_printf(e->out, "%s: use .relaxed with fences, or %s\n",
			gap_strength(&x->event[event_strong(v) ? r : w]),
			event_strong(v) ? "ld.acquire" : "st.release");
	} else if (v->proxy != u->proxy || v->virt != u->virt) {
		text_puts(e->out, "      they go through different proxies or virtual addresses\n");
	} else if (!row_has(RARE(x, ms, w), r)) {
		gap_scope(e, w, r);
	}
	if (event_strong(v) && row_empty(firsts, x->words)) {
		text_puts(e->out, "      nothing releases at or before ");
		explain_event(e, w);
		text_puts(e->out, ": use .release, or a fence.acq_rel before it\n");
	}
	if (event_strong(u) && row_empty(lasts, x->words)) {
		text_puts(e->out, "      nothing acquires at or after ");
		explain_event(e, r);
		text_puts(e->out,
			(u->flags & EVENT_REDUCTION)
				? ": the read of a red never acquires\n"
				: ": use .acquire, or a fence.acq_rel after it\n");
	}
	uint32_t a = row_next(firsts, x->words, 0), b = row_next(lasts, x->words, 0);
	if (strong && row_has(RARE(x, ms, w), r) && a != ROW_END && b != ROW_END &&
		!row_has(RARE(x, ms, a), b))
		gap_scope(e, a, b);
	memory_drop(firsts);
	memory_drop(lasts);
}

void why_gaps(const struct explore_result *r, const struct explore_outcome *o,
	const struct explore_names *names, struct text *out)
{
	struct witness w;
	if (witness_build(&w, r, o->trail, o->ntrail, o->value, false)) {
		struct explain e;
		explain_begin(&e, &w.x, &w.worker.grower, names, out);
		uint32_t *path = memory_zeroed(e.x->n + 1, sizeof *path),
			 length = explain_cycle(&e, explain_interleaving_edge, path);
		for (uint32_t i = 0; i + 1 < length; i++) {
			const char *kind = explain_interleaving_edge(&e, path[i], path[i + 1]);
			if (!strcmp(kind, "rf") &&
				w.x.event[path[i]].thread != w.x.event[path[i + 1]].thread &&
				!row_has(ROW(e.x, cb, path[i]), path[i + 1]))
				gap_sync(&e, path[i], path[i + 1]);
		}
		memory_drop(path);
		explain_end(&e);
	}
	witness_free(&w);
}
