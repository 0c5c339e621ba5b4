/* Loads and stores of shared memory from the same first address on, as in unrolled loops over a
 * tile: the first of them checks whether all are inside and aligned, and counts their bytes; then
 * the others are nothing but the accesses. They are in a straight run between two places where the
 * unit may be left, and the register of the address does not change. */
#include "native/together.h"
#include "isa/isa.h"
#include "isa/order.h"

bool is_near(const struct op *op)
{
	return op->access.space == W_shared && op->access.sem == SEM_WEAK;
}

unsigned lane_bytes(const struct op *op) { return (unsigned)op->access.bytes * op->access.vector; }

bool is_lined(const struct writer *u, const struct op *op)
{
	unsigned k = op->access.base_operand;
	int64_t step;

	if (!u->lined || line_of(u, op, k).shape != SHAPE_LINE)
		return false;
	step = line_of(u, op, k).step;
	return step == (int64_t)lane_bytes(op) || (op->kind == KIND_LOAD && step == 0);
}

unsigned line_bytes(const struct writer *u, const struct op *op)
{
	bool row = line_of(u, op, op->access.base_operand).step != 0;

	return row ? LANES / u->lined * lane_bytes(op) : lane_bytes(op);
}

/* --- which --- */

static bool can_join(const struct writer *u, uint32_t at)
{
	const struct op *op = &u->c->op[at];

	return (u->way[at] == WAY_LOAD || u->way[at] == WAY_STORE) && !op_is_guarded(op) &&
		is_near(op) && is_lined(u, op);
}

/* Whether accesses A and B begin at the same line. */
static bool same_base(const struct op *a, const struct op *b)
{
	unsigned k = a->access.base_operand, j = b->access.base_operand;

	return a->at[k] == b->at[j] && a->width[k] == b->width[j] &&
		a->access.base == b->access.base;
}

/* Whether access AT can be checked with those that begin at op FIRST; then they contain it. */
static bool join(struct writer *u, uint32_t first, uint32_t at)
{
	enum { FAR = 1 << 20 };
	struct together *t = &u->together[first];
	const struct op *op = &u->c->op[at];
	unsigned bytes = lane_bytes(op), align = bytes > t->align ? bytes : t->align;
	int64_t add = op->access.add, low = add < t->low ? add : t->low,
		end = add + line_bytes(u, op), high = end > t->high ? end : t->high;

	if (add < -FAR || add > FAR || high - low > FAR || ((add - low) & (bytes - 1)))
		return false;
	for (uint32_t k = first; k < at; k++)
		if (u->together[k].first == first &&
			((u->c->op[k].access.add - low) & (lane_bytes(&u->c->op[k]) - 1)))
			return false;
	t->low = low;
	t->high = high;
	t->align = align;
	t->last = at;
	u->together[at].first = first;
	return true;
}

static void find_first(struct writer *u, uint32_t from, uint32_t at, const struct set *changed)
{
	const struct op *op = &u->c->op[at];

	u->together[at].low = op->access.add;
	u->together[at].high = op->access.add + line_bytes(u, op);
	u->together[at].align = lane_bytes(op);
	for (uint32_t k = from; k < at; k++) {
		uint32_t place = place_find(u, op->at[op->access.base_operand]);

		if (u->together[k].first == k && u->together[k].align &&
			same_base(&u->c->op[k], op) &&
			(place == NO_PLACE || !set_has(&changed[k], place)) && join(u, k, at))
			return;
	}
}

void together_find(struct writer *u)
{
	const struct code_func *c = u->c;
	/* what has been written since op k of the straight run from op `from` on */
	struct set *changed = memory_zeroed(c->nops + 1, sizeof *changed), reads, writes;
	uint32_t from = 0;

	for (uint32_t at = 0; at < c->nops; at++)
		u->together[at] = (struct together){.first = at, .last = at};
	for (uint32_t at = 0; u->lined && at < c->nops; at++) {
		if (checks_before(u, at))
			from = at;
		if (can_join(u, at))
			find_first(u, from, at, changed);
		uses(u, at, &reads, &writes);
		for (uint32_t k = from; k <= at; k++)
			set_join(&changed[k], &writes);
		if (is_exit(u, at) || u->way[at] == WAY_BARRIER)
			from = at + 1;
		lines_pass(u, at);
	}
	memory_drop(changed);
}

/* --- what is written --- */

void put_together_flags(struct writer *u)
{
	for (uint32_t at = 0; at < u->c->nops; at++)
		if (together_begins(u, at))
			text_printf(u->out, "bool fit%u = false;\n", at);
}

void put_together_bytes(struct writer *u, uint32_t first, uint32_t at, const char *change)
{
	unsigned bytes[2] = {0, 0};

	for (uint32_t k = at; k <= u->together[first].last; k++)
		if (u->together[k].first == first)
			bytes[u->c->op[k].kind == KIND_STORE] += lane_bytes(&u->c->op[k]);
	for (unsigned k = 0; k < 2; k++)
		if (bytes[k])
			text_printf(u->out, " s->%s[1] %s (u64)%s * %u;", k ? "stored" : "loaded",
				change, u->loose ? "lanes" : "LANES", bytes[k]);
}

void put_together_undo(struct writer *u, uint32_t at)
{
	for (uint32_t first = 0; !u->parting && first <= at; first++)
		if (together_begins(u, first) && u->together[first].last > at) {
			text_printf(u->out, "if (fit%u) {", first);
			put_together_bytes(u, first, at + 1, "-=");
			text_puts(u->out, " } ");
		}
}
