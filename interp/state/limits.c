/* Limits that stop a machine. Workers check the deadline within a slice, so that no instruction
 * exceeds it by much. */
#include "interp/state/limits.h"
#include "base/time.h"
#include "interp/state/where.h"
#include <stdio.h>

void limits_end(struct machine *m, enum diag_code code)
{
	int none = 0;

	atomic_compare_exchange_strong(&m->over, &none, (int)code);
	machine_halt(m, MACHINE_BUDGET);
}

bool limits_reached(struct machine *m)
{
	if (m->options.interrupted && *m->options.interrupted)
		limits_end(m, DIAG_B0005);
	else if (m->options.deadline > 0 && time_now() > m->options.deadline)
		limits_end(m, DIAG_B0002);
	return atomic_load_explicit(&m->stop, memory_order_relaxed) != 0;
}

/* Where one group of W is. The line table of the source is made under fault_lock. */
static void describe_place(struct warp *w, char *to, size_t room)
{
	struct machine *m = w->machine;
	struct text t = {0};

	lock_take(&m->fault_lock);
	EVERY_GROUP(k, w) {
		const struct group *g = &w->group[k];
		bool one = (g->mask & (g->mask - 1)) == 0;

		if (g->state != GROUP_READY)
			continue;
		where_threads(&t, w, g->mask, 1);
		text_printf(&t, " of CTA %llu %s ", (unsigned long long)w->cta->linear,
			one ? "is" : "are");
		where_group(m, &t, g);
		break;
	}
	lock_give(&m->fault_lock);
	snprintf(to, room, "%s", text_str(&t));
	text_free(&t);
}

static uint64_t ctas_ended(const struct launch *l)
{
	return atomic_load_explicit(&l->ended, memory_order_relaxed) * l->cluster_ctas;
}

bool limits_look(struct warp *w)
{
	struct machine *m = w->machine;
	const struct machine_listener *l = m->options.listener;

	if (l && l->due(l->self)) {
		const struct launch *of = w->cta->launch;
		struct machine_progress p = {.kernel = where_kernel(of),
			.launch = of->number,
			.launches = m->settled + m->launches.count,
			.all_done = m->settled_ctas,
			.ctas = of->nctas,
			.ctas_done = ctas_ended(of),
			.steps = atomic_load_explicit(&m->steps, memory_order_relaxed)};

		for (uint32_t k = 0; k < m->launches.count; k++)
			p.all_done += ctas_ended(m->launches.data[k]);
		describe_place(w, p.place, sizeof p.place);
		l->hear(l->self, &p);
	}
	return limits_reached(m);
}

void limits_pass_output(struct machine *m, bool all)
{
	const char *text = text_str(&m->output);
	size_t end = m->output.len;

	while (!all && end > m->passed && text[end - 1] != '\n')
		end--;
	if (m->options.print && end > m->passed)
		m->options.print(m->options.print_self, text + m->passed, end - m->passed);
	m->passed = end > m->passed ? end : m->passed;
}
