/* Verdicts of litmus tests, printed in herd7's form. */
#include "base/assert.h"
#include "explore/litmus/litmus.h"
#include "explore/litmus/program.h"
#include <inttypes.h>
#include <string.h>

void explore_litmus(const struct litmus_test *test, const struct explore_options *options,
	struct arena *arena, struct explore_litmus *out)
{
	const struct explore_program *p = litmus_program(test, options, arena);
	struct explore_result *r = explore_run(p, options);
	*out = (struct explore_litmus){.test = test, .result = r};
	for (uint32_t i = 0; i < r->outcomes.list.count; i++) {
		const struct explore_outcome *o = &r->outcomes.list.data[i];
		*(litmus_condition_holds(test, test->cond, o->value) ? &out->positive
								     : &out->negative) += o->count;
	}
	bool forall = test->quantifier == LITMUS_FORALL;
	/* by a witness, even if exploration is incomplete */
	bool decided = forall ? out->negative > 0 : out->positive > 0;
	out->condition_holds = test->quantifier == LITMUS_EXISTS ? out->positive > 0
		: forall                                         ? !out->negative
								 : !out->positive;
	out->verdict = !r->mixed.some && !r->fault && (decided || explore_complete(r));
	out->terminates = !r->stuck.list.count;
}

static const char *frequency(const struct explore_litmus *l)
{
	return !l->positive ? "Never" : !l->negative ? "Always" : "Sometimes";
}

static void print_state(
	const struct explore_result *r, const struct explore_outcome *o, struct text *out)
{
	for (uint32_t k = 0; k < r->program->nobservables; k++) {
		if (k)
			text_putc(out, ' ');
		text_puts(out, r->program->observable[k].name);
		text_putc(out, '=');
		if (o->value[k] < 10) /* nearly always; printf takes as long as the search */
			text_putc(out, (char)('0' + o->value[k]));
		else
			text_printf(out, "%" PRId64, (int64_t)o->value[k]);
		text_putc(out, ';');
	}
}

static void print_instruction(
	const struct litmus_test *t, uint32_t thread, uint32_t place, struct text *out)
{
	const struct litmus_thread *h = &t->thread[thread];
	if (place >= h->ninsns) { /* only in the result of a part from a file */
		text_printf(out, "%s: after its end", h->name);
		return;
	}
	struct span span = h->insn[place].span;
	uint32_t line, column;
	source_place(t->source, span.off, &line, &column);
	text_printf(out, "%s: %.*s (line %u)", h->name, (int)span.len, t->source->text + span.off,
		line);
}

static void print_stuck(const struct explore_litmus *l, struct text *out)
{
	const struct explore_result *r = l->result;
	for (uint32_t i = 0; i < r->stuck.list.count; i++) {
		const uint64_t *row = r->stuck.list.data[i].value;
		text_printf(out, "%s:",
			row[STUCK_KIND] == STUCK_DEADLOCK ? "Deadlock" : "Does not terminate");
		for (uint32_t t = 0; t < l->test->nthreads; t++) {
			if (l->test->thread[t].ninsns <= row[STUCK_PLACE(t)])
				continue;
			text_puts(out, " ");
			print_instruction(l->test, t, (uint32_t)row[STUCK_PLACE(t)], out);
			text_puts(out, ";");
		}
		text_puts(out, "\n");
	}
}

static void print_races(const struct explore_litmus *l, struct text *out)
{
	const struct explore_result *r = l->result;
	for (uint32_t i = 0; i < r->nraces; i++) {
		const struct explore_race *c = &r->race[i];
		text_puts(out, "Data race: ");
		print_instruction(l->test, c->thread[0], c->place[0], out);
		text_puts(out, " and ");
		print_instruction(l->test, c->thread[1], c->place[1], out);
		text_printf(out, ": %s\n", c->why);
	}
}

static void print_limits(const struct explore_result *r, struct text *out)
{
	if (r->bound_reached)
		text_printf(out, "Bound reached: loops were followed for %u rounds\n",
			explore_rounds(&r->options));
	if (r->lost_spin)
		text_puts(out,
			"Bound reached: a thread may spin forever in an execution that the search does not reach\n");
	if (r->too_large)
		text_puts(out, "Bound reached: an execution has too many events\n");
	if (r->timed_out)
		text_puts(out, "Bound reached: the time or the number of executions ran out\n");
	if (r->interrupted)
		text_puts(out, "Interrupted: these are the outcomes found so far\n");
	if (r->options.semantic_deps)
		text_puts(out, "Dependencies: semantic\n");
}

void explore_litmus_print(const struct explore_litmus *l, bool verbose, struct text *out)
{
	static const char *const kind[] = {"Allowed", "Forbidden", "Required"};
	const struct explore_result *r = l->result;
	struct arena arena = {0};
	struct explore_names names;
	explore_litmus_names(l->test, &arena, &names);
	text_printf(out, "Test %s %s\nStates %u\n", l->test->name, kind[l->test->quantifier],
		r->outcomes.list.count);
	for (uint32_t i = 0; i < r->outcomes.list.count; i++) {
		const struct explore_outcome *o = &r->outcomes.list.data[i];
		text_printf(out, "%-8" PRIu64 "%c>", o->count,
			litmus_condition_holds(l->test, l->test->cond, o->value) ? '*' : ':');
		print_state(r, o, out);
		text_puts(out, "\n");
		if (verbose)
			explore_print_execution(r, i, &names, out);
	}
	print_stuck(l, out);
	print_races(l, out);
	print_limits(r, out);
	text_printf(out,
		"%s\nWitnesses\nPositive: %" PRIu64 " Negative: %" PRIu64 "\nCondition %s %s\n",
		l->verdict ? l->condition_holds ? "Ok" : "No" : "Undecided", l->positive,
		l->negative, litmus_quantifier_text(l->test), l->test->cond_text);
	text_printf(out, "Observation %s %s %" PRIu64 " %" PRIu64 "\n", l->test->name, frequency(l),
		l->positive, l->negative);
	arena_free(&arena);
}
