/* `explore --verify`: each execution that the search finds must satisfy the axioms as
 * model/axioms.c states them, with some order of its fences and writes for each of its outcomes.
 * The search provides that order; whether it satisfies the axioms is judged independently. */
#include "explore/search/verify.h"
#include "explore/search/trail.h"
#include "base/memory.h"
#include "explore/search/depend.h"
#include "explore/search/final.h"
#include "explore/search/witness.h"
#include <inttypes.h>
#include <stdlib.h>

void verify_init(struct verify *v, const struct model *model)
{
	*v = (struct verify){.too_large = false};
	execution_init(&v->completion, model);
}

void verify_free(struct verify *v)
{
	execution_free(&v->completion);
	memory_drop(v->dep);
	vec_free(&v->breach.event);
	vec_free(&v->event);
	vec_free(&v->value);
	vec_free(&v->trail);
}

void verify_begin(struct verify *v, const struct node *n, struct grower *g)
{
	const struct execution *x = &n->x;
	memory_drop(v->dep);
	v->dep = NULL;
	v->too_large = x->n > VERIFY_EVENTS;
	if (v->too_large)
		return;
	v->dep = memory_zeroed((size_t)x->n * x->words, sizeof *v->dep);
	depend_find(n, g, v->dep);
}

/* Records that the execution at the end of TRAIL violates the axiom of v->breach (NONE: has no
 * order that ends in VALUE), if it is the failure with the least trail. */
static void record_failure(struct verify *v, const uint64_t *value, uint32_t width,
	const uint16_t *trail, uint32_t ntrail)
{
	if (v->count.broken && !trail_less(trail, ntrail, v->trail.data, v->trail.count))
		return;
	v->count.broken = true;
	v->count.axiom = v->breach.axiom;
	v->count.stuck = !value;
	v->value.count = v->trail.count = v->event.count = 0;
	for (uint32_t k = 0; k < v->breach.event.count; k++)
		*vec_push(&v->event) = v->breach.event.data[k];
	for (uint32_t k = 0; value && k < width; k++)
		*vec_push(&v->value) = value[k];
	for (uint32_t k = 0; k < ntrail; k++)
		*vec_push(&v->trail) = trail[k];
}

void verify_outcome(struct verify *v, const struct node *n, struct grower *g, const uint64_t *value,
	const uint16_t *trail, uint32_t ntrail)
{
	if (v->too_large)
		return;
	v->breach.axiom = AXIOM_NONE;
	v->breach.event.count = 0;
	bool found = final_completion(n, g, value, &v->completion);
	if (!found && model_stopped(&g->model))
		return;
	if (!found || execution_violates(&v->completion, v->dep, &v->breach) != AXIOM_NONE)
		record_failure(v, value, g->program->nobservables, trail, ntrail);
}

void verify_stuck(
	struct verify *v, const struct execution *x, const uint16_t *trail, uint32_t ntrail)
{
	if (!v->too_large && execution_violates(x, v->dep, &v->breach) != AXIOM_NONE)
		record_failure(v, NULL, 0, trail, ntrail);
}

void verify_end(struct verify *v, bool exists)
{
	v->count.unverified += exists && v->too_large;
	v->count.executions += exists && !v->too_large;
}

void verify_collect(const struct verify *v, struct explore_result *r)
{
	struct explore_verified *to = &r->verified;
	to->executions += v->count.executions;
	to->unverified += v->count.unverified;
	if (!v->count.broken ||
		(to->broken &&
			!trail_less(
				v->trail.data, v->trail.count, to->first.trail, to->first.ntrail)))
		return;
	to->broken = true;
	to->axiom = v->count.axiom;
	to->stuck = v->count.stuck;
	to->event = arena_copy(
		&r->arena, v->event.data, v->event.count * sizeof *to->event, sizeof *to->event);
	to->nevents = v->event.count;
	to->first.trail = arena_copy(
		&r->arena, v->trail.data, v->trail.count * sizeof *to->first.trail, 2);
	to->first.ntrail = v->trail.count;
	to->first.value = v->count.stuck
		? NULL
		: arena_copy(&r->arena, v->value.data, v->value.count * sizeof *to->first.value, 8);
}

const char *explore_verified_axiom(const struct explore_result *r)
{
	return r->verified.axiom == AXIOM_NONE ? NULL : axiom_name(r->verified.axiom);
}

/* Rebuilds the execution, because the same choices make the same events. */
const char **explore_verified_events(
	const struct explore_result *r, const struct explore_names *names, struct arena *arena)
{
	const struct explore_verified *v = &r->verified;
	const char **event = ARENA_ARRAY(arena, const char *, v->nevents + 1);
	struct text said = {0};
	struct witness w;
	if (!v->nevents)
		return event;
	bool found = witness_build(
		&w, r, v->first.trail, v->first.ntrail, v->first.value, v->stuck);
	for (uint32_t k = 0; found && k < v->nevents; k++) {
		text_clear(&said);
		event_say(&w.x, v->event[k], &w.worker.grower, names, &said);
		event[k] = arena_text(arena, text_str(&said), said.len);
	}
	witness_free(&w);
	text_free(&said);
	return event;
}

void explore_verified_print(
	const struct explore_result *r, const char *const *event, struct text *out)
{
	const struct explore_verified *v = &r->verified;
	if (v->broken && explore_verified_axiom(r)) {
		text_printf(out,
			"internal error: an execution that the search found breaks the axiom %s; please report it together with the file. The events, each before the next and the last before the first:",
			explore_verified_axiom(r));
		for (; *event; event++)
			text_printf(out, "\n  %s", *event);
		text_puts(out, "\n");
	} else if (v->broken) {
		text_puts(out,
			"internal error: no order of the writes and fences of an execution that the search found ends in the outcome that it has; please report it together with the file\n");
	}
	text_printf(out, "verified: %" PRIu64 " executions against the axioms", v->executions);
	if (v->unverified)
		text_printf(out, " (%" PRIu64 " not: too many events)", v->unverified);
	text_puts(out, "\n");
}
