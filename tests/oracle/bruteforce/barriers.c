/* Barriers: every thread runs as long as it can; threads of one CTA that arrive at the same barrier
 * equally often synchronise. */
#include "tests/oracle/bruteforce/state.h"
#include <string.h>

bool bf_contains_site(const struct bf *f, int t, int site)
{
	const struct litmus_thread *h = &f->test->thread[t];
	for (uint32_t k = 0; k < h->ninsns; k++) {
		if ((h->insn[k].op == LITMUS_SYNC || h->insn[k].op == LITMUS_ARRIVE) &&
			h->insn[k].a.value == site)
			return true;
	}
	return false;
}

bool bf_share_cta(const struct bf *f, int s, int t)
{
	const struct litmus_thread *a = &f->test->thread[s], *b = &f->test->thread[t];
	return a->cta == b->cta && a->cluster == b->cluster && a->gpu == b->gpu;
}

bool bf_run_barriers(struct bf *f)
{
	int nthreads = (int)f->test->nthreads, at[MOST_THREADS];
	bool done[MOST_EVENTS] = {false}, arrived[MOST_EVENTS] = {false};
	memset(f->syncbar, 0, sizeof f->syncbar);
	for (int t = 0; t < nthreads; t++) {
		at[t] = 0;
	}
	for (bool moved = true; moved;) {
		moved = false;
		for (int t = 0; t < nthreads; t++) {
			while (at[t] < f->n &&
				(f->event[at[t]].thread != t || f->event[at[t]].kind != K_BARRIER ||
					done[at[t]] ||
					(f->event[at[t]].arrive_only && arrived[at[t]]))) {
				at[t]++;
				moved = true;
			}
			if (at[t] < f->n && !arrived[at[t]]) {
				arrived[at[t]] = true;
				moved = true;
			}
		}
		for (int i = 0; i < f->n; i++) {
			const struct bf_event *a = &f->event[i];
			if (a->kind != K_BARRIER || !arrived[i] || done[i])
				continue;
			bool all = true;
			for (int t = 0; t < nthreads && all; t++) {
				if (!bf_share_cta(f, a->thread, t) ||
					!bf_contains_site(f, t, a->site) || at[t] == f->n)
					continue;
				bool here = false;
				for (int j = 0; j < f->n; j++) {
					const struct bf_event *b = &f->event[j];
					here |= b->kind == K_BARRIER && b->thread == t &&
						b->site == a->site &&
						b->occurrence == a->occurrence && arrived[j];
				}
				all = here;
			}
			if (!all)
				continue;
			for (int j = 0; j < f->n; j++) {
				const struct bf_event *b = &f->event[j];
				if (b->kind != K_BARRIER || !arrived[j] || b->site != a->site ||
					b->occurrence != a->occurrence ||
					!bf_share_cta(f, a->thread, b->thread))
					continue;
				done[j] = true;
				for (int k = 0; k < f->n; k++) {
					const struct bf_event *c = &f->event[k];
					if (c->kind == K_BARRIER && arrived[k] &&
						c->site == a->site &&
						c->occurrence == a->occurrence &&
						c->thread != b->thread &&
						bf_share_cta(f, a->thread, c->thread) &&
						b->number == c->number && !c->arrive_only)
						f->syncbar[j] |= (bits)1 << k;
				}
			}
			moved = true;
		}
	}
	for (int t = 0; t < nthreads; t++) {
		if (at[t] != f->n)
			return false;
	}
	return true;
}
