/* What each kind of fence forbids: explores the same program again with its fences replaced, and
 * without fences. */
#include "explore/explain/fences.h"
#include "explore/explain/why_gap.h"

/* The first fence on a line after AFTER, which becomes its line; UINT32_MAX if there is none. */
static uint32_t next_fence(
	const struct execution *x, const struct explore_names *names, uint32_t *after)
{
	uint32_t next = UINT32_MAX, least = 0;
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t line = x->event[i].kind == EVENT_FENCE ? event_line(x, i, names) : 0;
		if (line > *after && (next == UINT32_MAX || line < least)) {
			next = i;
			least = line;
		}
	}
	*after = least;
	return next;
}

static void say_lines(
	const struct execution *x, const struct explore_names *names, struct text *out)
{
	uint32_t line = 0, fence = next_fence(x, names, &line), second = line;
	if (fence == UINT32_MAX)
		return;
	text_puts(out, " (");
	if (!names->place && next_fence(x, names, &second) != UINT32_MAX) {
		text_printf(out, "lines %u", line);
		while (next_fence(x, names, &line) != UINT32_MAX)
			text_printf(out, ", %u", line);
	} else {
		event_say_place(x, fence, line, names, out);
		while ((fence = next_fence(x, names, &line)) != UINT32_MAX) {
			text_puts(out, ", ");
			event_say_place(x, fence, line, names, out);
		}
	}
	text_puts(out, ")");
}

static const char *verdict_word(bool possible) { return possible ? "possible" : "impossible"; }

static void say_variant(const struct explore_result *r, enum explore_fences fences,
	const char *what, const struct explore_condition *condition,
	const struct explore_names *names, struct text *out)
{
	struct explore_options o = r->options;
	o.fences = (uint8_t)fences;
	o.jobs = 1;
	o.max_executions = 200000;
	o.progress = NULL;
	struct explore_result *other = explore_run(r->program, &o);
	const struct explore_outcome *found = NULL;
	for (uint32_t i = 0; i < other->outcomes.list.count && !found; i++) {
		if (condition->holds(condition->client, other->outcomes.list.data[i].value))
			found = &other->outcomes.list.data[i];
	}
	text_printf(out, "    %s: %s\n", what,
		found || explore_complete(other) ? verdict_word(found)
						 : "undecided: the exploration is not complete");
	if (found && fences != FENCES_NONE)
		why_gaps(other, found, names, out);
	explore_free(other);
}

void fences_compare(const struct explore_result *r, const struct execution *x,
	const struct explore_condition *condition, bool possible, const struct explore_names *names,
	struct text *out)
{
	bool sc = false, other = false;
	for (uint32_t i = 0; i < x->n; i++) {
		sc |= x->event[i].kind == EVENT_FENCE && x->event[i].sem == SEM_SC;
		other |= x->event[i].kind == EVENT_FENCE && x->event[i].sem != SEM_SC;
	}
	if (!sc && !other)
		return;
	text_puts(out, "  What its fences");
	say_lines(x, names, out);
	text_printf(out, " forbid:\n    as written%s: %s\n", !other ? ", fence.sc" : "",
		verdict_word(possible));
	if (other)
		say_variant(r, FENCES_SC, "fence.sc instead", condition, names, out);
	if (sc)
		say_variant(r, FENCES_ACQ_REL,
			other ? "fence.acq_rel in place of fence.sc" : "fence.acq_rel instead",
			condition, names, out);
	say_variant(r, FENCES_NONE, "no fences", condition, names, out);
}
