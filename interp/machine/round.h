/* A round: each warp of a CTA that can run has a turn. What cta.c, which gives the turns, and
 * round.c, which gives those of translated code, share; and what round.c needs of engine.c. */
#ifndef PTXI_INTERP_ROUND_H
#define PTXI_INTERP_ROUND_H
#include "interp/machine/cta.h"
#include "interp/state/cluster.h"
#include "interp/state/engine.h"
#include "interp/state/warp.h"

enum {
	WARP_BUDGET = WARP_RUN, /* instructions of a warp before the next warp runs */
};

struct turns_of_units;
struct round {
	struct cta *cta;
	uint64_t budget, *spent; /* of the CTA's slice */
	uint32_t todo;           /* set of warps that have not had their turn */
	bool changed;            /* a turn changed something that others can observe */
	bool *effect;            /* the same of earlier rounds of the slice */
};

/* Whether the order of turns is the fair one and nobody listens: then translated code may go from
 * barrier to barrier without asking. */
static inline bool round_is_plain(const struct machine *m)
{
	return m->engine && m->options.schedule == SCHEDULE_FAIR && !m->weak && !m->clock_frozen &&
		!is_directed(m) && !(m->interest & (INTEREST_INSN | INTEREST_SYNC)) &&
		!(m->options.checks & CHECK_INIT);
}

/* Memory changed: warps that only polled may now read something new. */
static inline void cluster_changed(struct cluster *k)
{
	for (uint32_t rank = 0; rank < k->n; rank++)
		k->member[rank]->turns->quiet = 0;
}

/* Ends the turn of W with R. False: the machine stops. */
bool round_turn_ended(struct round *t, struct warp *w, enum warp_result r);
/* Gives turns to warps of T by translated code, as long as they can have them; at least one, or
 * returns false. *STOPPED: the machine stops. */
bool round_translated(struct round *t, bool *stopped);

/* Translated code may not have counted warps that wait at a barrier (worker.waits): they arrive
 * now, before anything looks at barriers or at other warps. */
void round_settle(struct turns_of_units *x);

/* What a unit sees of W, whose group is entered. Kept from call to call, as most of it stays the
 * same. */
struct native_state *engine_state(struct warp *w);
/* UNIT returned R for W: goes on until the group must be scheduled. *LEFT gets the instructions
 * that are left. */
enum flow engine_rest(struct warp *w, uint32_t *left, const struct engine_code *unit, int r);

/* N more instructions of F were executed, and not by the fastest code that there could be. */
void engine_warm(struct machine *m, struct code_func *f, uint64_t n);

/* All lanes of W have executed the bar.sync at PC, of a number that is a constant. */
static inline void engine_wait(struct warp *w, uint32_t pc)
{
	struct group *g = w->group;

	g->pc = pc;
	g->state = GROUP_BARRIER;
	g->wait = *(const uint32_t *)op_lanes(w, &g->frame->code->op[pc], 0);
	g->arrived = 0;
}

#endif
