/* A warp that parts and soon meets again, without the scheduler: the fair schedule runs the lanes
 * that are furthest behind until they have caught up with the next (warp_run.c), so that between a
 * branch and the place where all have met each op is executed once, in the order of the text, by
 * all lanes that come to it. Those are the word `some`; w<label> waits at a label for the others to
 * come that far; the rest waits where all meet. Ops that nobody comes to are skipped.
 *
 * What is special about one of these ops is the interpreter's: then its groups of lanes become what
 * they would be (label D<at>). */
#include "native/parting.h"
#include "native/values.h"

/* Whether OP can be executed while other lanes wait. */
static bool is_inside(enum way way)
{
	switch (way) {
	case WAY_KERNEL:
	case WAY_LANES:
	case WAY_COPY:
	case WAY_PACK:
	case WAY_UNPACK:
	case WAY_NOT:
	case WAY_PARAM:
	case WAY_SREG:
	case WAY_LOAD:
	case WAY_STORE:
	case WAY_ATOMIC:
	case WAY_BRANCH:
	case WAY_NOTHING: return true;
	case WAY_LEAVE:
	case WAY_CALL:
	case WAY_BARRIER: break;
	}
	return false;
}

/* Where the lanes that part at branch AT have met again: after the last target of the branches in
 * between, all of which lead on. 0: further than MOST_PARTED ops, or after one that is not so. */
static uint32_t meeting_of(const struct writer *u, uint32_t at)
{
	const struct op *op = &u->c->op[at];
	uint32_t meet = op->branch.target;

	if (op->kind != KIND_BRANCH || !op_is_guarded(op) || meet <= at + 1)
		return 0;
	for (uint32_t k = at + 1; k < meet; k++) {
		op = &u->c->op[k];
		if (meet - at > MOST_PARTED || !is_inside((enum way)u->way[k]) ||
			(op->kind == KIND_BRANCH && op->branch.target <= k))
			return 0;
		if (op->kind == KIND_BRANCH && op->branch.target > meet)
			meet = op->branch.target;
	}
	return meet - at > MOST_PARTED ? 0 : meet;
}

/* Whether lanes that part at AT may wait at op K. */
static bool is_label(const struct writer *u, uint32_t at, uint32_t k)
{
	for (uint32_t j = at; j < k; j++)
		if (u->c->op[j].kind == KIND_BRANCH && u->c->op[j].branch.target == k)
			return true;
	return false;
}

/* What those that wait while op K is executed use later. */
static struct set used_later(const struct writer *u, uint32_t at, uint32_t k)
{
	struct set later = u->useful[u->meeting[at]];

	for (uint32_t j = k + 1; j < u->meeting[at]; j++)
		if (is_label(u, at, j))
			set_join(&later, &u->useful[j]);
	return later;
}

/* The variables that op K writes while others wait that use them later. */
static struct set written_apart(const struct writer *u, uint32_t at, uint32_t k)
{
	struct set later = used_later(u, at, k), reads, writes, both = {{0}};

	uses(u, k, &reads, &writes);
	set_join_both(&both, &later, &writes);
	return both;
}

void parting_find(struct writer *u)
{
	uint32_t room = MOST_PARTED + 2 * u->c->nops; /* ops that are written again */

	for (uint32_t at = 0; at < u->c->nops; at++) {
		uint32_t meet = meeting_of(u, at);

		if (!meet || meet - at > room)
			continue;
		room -= meet - at;
		u->meeting[at] = meet;
		for (uint32_t k = at + 1; u->quiet && k < meet; k++) {
			struct set apart = written_apart(u, at, k);

			for (uint32_t j = 0; j < u->place.count; j++)
				if (set_has(&apart, j))
					u->place.data[j].parted = true;
		}
	}
}

bool parting_fits(const struct writer *u, uint32_t at)
{
	if (u->framed || !u->meeting[at])
		return false;
	for (uint32_t k = at + 1; u->lined && k < u->meeting[at]; k++) {
		struct set apart = written_apart(u, at, k);

		for (uint32_t j = 0; j < u->place.count; j++)
			if (set_has(&apart, j) && u->place.data[j].line.shape == SHAPE_LINE)
				return false;
	}
	return true;
}

/* The lanes of m wait at op TO, having left at FROM. */
static void put_away(struct writer *u, uint32_t from, uint32_t to)
{
	text_printf(u->out, "count_away(s, %u, %u, m);", from, to);
	if (to < u->meeting[u->parting - 1])
		text_printf(u->out, " w%u |= m;", to);
	text_puts(u->out, "\n");
}

void put_branch_inside(struct writer *u, const struct op *op, uint32_t at)
{
	text_printf(u->out, "taken[%u] = m;\n", at - (u->parting - 1));
	if (op_is_guarded(op))
		text_puts(u->out, "if (m) {\n*s->divergent += m != some;\n");
	text_puts(u->out, "some &= ~m;\n");
	put_away(u, at + 1, op->branch.target);
	if (op_is_guarded(op))
		text_puts(u->out, "}\n");
}

/* Ops FROM to TO - 1, which follow each other. */
static void put_straight(struct writer *u, uint32_t at, uint32_t from, uint32_t to,
	void (*put)(struct writer *u, uint32_t at))
{
	struct set reads, writes;

	if (is_label(u, at, from))
		text_printf(u->out, "some |= w%1$u; w%1$u = 0;\n", from);
	text_puts(u->out, "if (some) {\n");
	for (uint32_t k = from; k < to; k++) {
		u->later = used_later(u, at, k);
		put(u, k);
		uses(u, k, &reads, &writes);
		set_join(&u->now, &writes);
	}
	text_printf(
		u->out, "} else { count_skip(s, %1$u, %2$u); end += %2$u - %1$u; }\n", from, to);
}

/* Before op pc, the interpreter goes on. Lanes that wait have been counted as if they had not. */
static void put_divide(struct writer *u, uint32_t at)
{
	uint32_t meet = u->meeting[at];

	text_printf(u->out, "D%u: m = active & ~some;\n", at);
	for (uint32_t k = at + 1; k < meet; k++)
		if (is_label(u, at, k))
			text_printf(u->out, "m &= ~w%1$u; count_away(s, %1$u, pc, w%1$u);\n", k);
	text_printf(u->out,
		"count_away(s, %u, pc, m); s->divide(s->warp, %u, pc, taken); start = pc; what = LEAVE; goto end;\n",
		meet, at);
}

void put_parting(struct writer *u, uint32_t at, void (*put)(struct writer *u, uint32_t at))
{
	uint32_t meet = u->meeting[at];
	struct text *out = u->out;
	struct set now = u->now;

	u->out = &u->exits;
	u->parting = at + 1;
	text_printf(u->out, "T%u:;\n{ u32 taken[%u] = {m}; ++*s->divergent; some = active & ~m;\n",
		at, meet - at);
	for (uint32_t k = at + 1; k < meet; k++)
		if (is_label(u, at, k))
			text_printf(u->out, "u32 w%u = 0;\n", k);
	put_away(u, at + 1, u->c->op[at].branch.target);
	for (uint32_t from = at + 1, to; from < meet; from = to) {
		for (to = from + 1;
			to < meet && !is_label(u, at, to) && u->c->op[to - 1].kind != KIND_BRANCH;)
			to++;
		put_straight(u, at, from, to, put);
	}
	if (flushes(u, at, meet))
		put_operands(u, &u->now, &u->useful[meet], true);
	text_printf(u->out, "start = %1$u; goto L%1$u;\n", meet);
	put_divide(u, at);
	text_puts(u->out, "}\n");
	u->now = now;
	u->parting = 0;
	u->out = out;
}
