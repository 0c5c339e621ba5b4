/* Which registers of a function become variables of a unit, and where their values must also be in
 * the frame: everything that reads it, an executor or the execution loop after an exit, must find
 * there what the variables have. */
#include "native/places.h"
#include "base/memory.h"
#include "code/loose.h"
#include "isa/order.h"
#include "isa/isa.h"

/* --- registers --- */

static bool place_add(struct writer *u, uint32_t at, unsigned width)
{
	if (at & 1)
		return true;
	for (uint32_t k = 0; k < u->place.count; k++) {
		struct place *p = &u->place.data[k];

		if (p->at == at) {
			if (p->width != width && (!p->width || !width))
				return false;
			p->width = p->width > width ? p->width : (uint8_t)width;
			return true;
		}
	}
	*vec_push(&u->place) = (struct place){.at = at, .width = (uint8_t)width};
	return u->place.count <= MOST_REGISTERS;
}

static uint32_t place_end(const struct place *p)
{
	return p->at + (p->width ? (uint32_t)((LANES * p->width + 63) / 64 * 64) : 4);
}

/* Whether no register begins inside another. */
static bool places_apart(const struct writer *u)
{
	for (uint32_t k = 0; k < u->place.count; k++)
		for (uint32_t j = 0; j < u->place.count; j++)
			if (j != k && u->place.data[j].at >= u->place.data[k].at &&
				u->place.data[j].at < place_end(&u->place.data[k]))
				return false;
	return true;
}

bool leaves(const struct writer *u, uint32_t at)
{
	return u->way[at] == WAY_LEAVE || u->way[at] == WAY_BARRIER;
}

bool find_places(struct writer *u)
{
	for (uint32_t k = 0; k < u->c->nops; k++) {
		const struct op *op = &u->c->op[k];

		if (op_is_guarded(op) && ((op->guard & 1) || !place_add(u, op->guard, 0)))
			return false;
		if (leaves(u, k) || u->way[k] == WAY_CALL || u->way[k] == WAY_KERNEL)
			continue;
		for (unsigned i = u->way[k] == WAY_ATOMIC && op->access.unread; i < op->noperands;
			i++)
			if (!place_add(u, op->at[i], op->width[i]))
				return false;
	}
	for (uint32_t k = 0; k < u->place.count; k++)
		if (u->place.data[k].width &&
			(u->place.data[k].width == 1 || u->place.data[k].width > 8))
			return false;
	return places_apart(u);
}

void named(const struct writer *u, const struct op *op, struct set *out)
{
	const struct op_vector *v = op_accesses(op) ? op->access.vector_at : NULL;

	for (unsigned k = 0; k < op->noperands; k++)
		if (place_find(u, op->at[k]) != NO_PLACE)
			set_put(out, place_find(u, op->at[k]));
	for (unsigned c = 0; v && c < 3; c++)
		for (unsigned e = 0; e < op->access.vector; e++)
			if (v->place[c][e] && place_find(u, v->place[c][e]) != NO_PLACE)
				set_put(out, place_find(u, v->place[c][e]));
}

bool is_masked(const struct writer *u, const struct op *op)
{
	return !u->full || op_is_guarded(op);
}

void uses(const struct writer *u, uint32_t at, struct set *reads, struct set *writes)
{
	const struct op *op = &u->c->op[at];
	enum way way = (enum way)u->way[at];

	*reads = *writes = (struct set){{0}};
	if (op_is_guarded(op))
		set_put(reads, place_find(u, op->guard));
	if (way == WAY_CALL || way == WAY_KERNEL) {
		named(u, op, reads);
		named(u, op, writes);
		return;
	}
	if (leaves(u, at) || way == WAY_BRANCH || way == WAY_NOTHING)
		return;
	for (unsigned k = 0; k < op->noperands; k++) {
		uint32_t place = place_find(u, op->at[k]);

		if (place == NO_PLACE)
			continue;
		if (k < op->ndests) {
			set_put(writes, place);
			if (is_masked(u, op)) /* the other lanes keep theirs */
				set_put(reads, place);
		}
	}
	for (unsigned k = op->ndests; k < op->noperands; k++)
		if (place_find(u, op->at[k]) != NO_PLACE)
			set_put(reads, place_find(u, op->at[k]));
}

bool is_exit(const struct writer *u, uint32_t at)
{
	return leaves(u, at) || u->way[at] == WAY_BRANCH;
}

bool checks_before(const struct writer *u, uint32_t at)
{
	return u->entry[at] || at % CHECK_EVERY == 0;
}

static uint32_t block_end(const struct writer *u, uint32_t at)
{
	do
		at++;
	while (at < u->c->nops && !u->entry[at]);
	return at;
}

/* --- flow of values --- */

void find_loops(struct writer *u)
{
	uint32_t *size = memory_zeroed(u->c->nops + 1, sizeof *size);

	for (uint32_t k = 0; k < u->c->nops; k++)
		u->loop[k] = NO_LOOP;
	for (uint32_t k = 0; k < u->c->nops; k++) {
		const struct op *op = &u->c->op[k];
		uint32_t length = k + 1 - op->branch.target;

		if (op->kind != KIND_BRANCH || op->branch.target > k)
			continue;
		u->loop_end[op->branch.target] = k;
		for (uint32_t j = op->branch.target; j <= k; j++)
			if (!size[j] || size[j] > length) {
				size[j] = length;
				u->loop[j] = op->branch.target;
			}
	}
	memory_drop(size);
}

bool is_quiet(const struct code_func *c)
{
	/* what is useful at the targets of a table is not followed */
	return code_is_quiet(c) && !code_has(c, KIND_BRANCH_INDEX);
}

bool is_loose(const struct code_func *c) { return !code_has(c, KIND_SHFL); }

bool falls_on(const struct writer *u, uint32_t last)
{
	const struct op *op = &u->c->op[last];

	return last + 1 < u->c->nops && (op_is_guarded(op) || !is_exit(u, last));
}

bool flushes(const struct writer *u, uint32_t from, uint32_t to)
{
	return u->loop[from] != u->loop[to];
}

void find_dirty(struct writer *u)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t at = 0, end; at < u->c->nops; at = end) {
			struct set now = u->dirty[at], reads, writes;
			const struct op *last;

			end = block_end(u, at);
			last = &u->c->op[end - 1];
			for (uint32_t k = at; k < end; k++) {
				uses(u, k, &reads, &writes);
				set_join(&now, &writes);
			}
			if (falls_on(u, end - 1) && !flushes(u, end - 1, end))
				changed = set_join(&u->dirty[end], &now) || changed;
			if (last->kind == KIND_BRANCH && !flushes(u, end - 1, last->branch.target))
				changed = set_join(&u->dirty[last->branch.target], &now) || changed;
		}
	}
}

/* What op AT may read of the frame. */
static void read_by_leaving(const struct writer *u, uint32_t at, struct set *live)
{
	const struct op *op = &u->c->op[at];

	if (u->quiet && (op->kind == KIND_EXIT || op->kind == KIND_RETURN))
		return; /* of a kernel */
	named(u, op, live);
	if (!u->quiet)
		memset(live, 0xff, sizeof *live);
}

/* Backwards through the block at AT: what is read later, without the exits (USEFUL), or with them:
 * what is stored there must have been loaded. */
static struct set needed(struct writer *u, uint32_t at, uint32_t end, bool useful)
{
	const struct op *last = &u->c->op[end - 1];
	struct set live = {{0}}, *dirty = memory_zeroed(end - at + 1, sizeof *dirty), reads, writes;
	struct set *later = useful ? u->useful : u->live;

	dirty[0] = u->dirty[at];
	for (uint32_t k = at; k < end; k++) {
		uses(u, k, &reads, &writes);
		dirty[k - at + 1] = dirty[k - at];
		set_join(&dirty[k - at + 1], &writes);
	}
	/* what is left is entered again at the next op: by then the frame is what it reads */
	if (falls_on(u, end - 1) || (useful && leaves(u, end - 1) && end < u->c->nops)) {
		set_join(&live, &later[end]);
		if (!useful && flushes(u, end - 1, end))
			set_join_both(&live, &dirty[end - at], &u->useful[end]);
	}
	if (last->kind == KIND_BRANCH) {
		set_join(&live, &later[last->branch.target]);
		if (!useful && flushes(u, end - 1, last->branch.target))
			set_join_both(&live, &dirty[end - at], &u->useful[last->branch.target]);
	}
	for (uint32_t k = end; k-- > at;) {
		uses(u, k, &reads, &writes);
		for (unsigned j = 0; j < SET_WORDS; j++)
			live.word[j] &= ~writes.word[j];
		set_join(&live, &reads);
		if (useful && leaves(u, k)) {
			read_by_leaving(u, k, &live);
		} else if (!useful && is_exit(u, k)) {
			set_join_both(&live, &dirty[k - at], &u->useful[k]);
		}
		if (useful)
			u->useful[k] = live;
		else if (checks_before(u, k))
			set_join_both(&live, &dirty[k - at], &u->useful[k]);
	}
	memory_drop(dirty);
	return live;
}

void find_live(struct writer *u, bool useful)
{
	struct set *out = useful ? u->useful : u->live;

	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t at = 0, end; at < u->c->nops; at = end) {
			struct set before = out[at], live;

			end = block_end(u, at);
			live = needed(u, at, end, useful);
			set_join(&live, &before);
			changed = memcmp(&live, &before, sizeof live) != 0 || changed;
			out[at] = live;
		}
	}
}

bool writes_operands(const struct op *op)
{
	switch ((int)op->kind) {
	case KIND_VOTE:
	case KIND_SHFL:
	case KIND_MATCH:
	case KIND_REDUX:
	case KIND_ELECT:
	case KIND_ACTIVEMASK:
	case KIND_WARP_BARRIER:
	case KIND_BARRIER:
	case KIND_FENCE: return true;
	default: return false;
	}
}

void find_need(struct writer *u)
{
	memcpy(u->need, u->live, (u->c->nops + 1) * sizeof *u->need);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t at = 0, end; at < u->c->nops; at = end) {
			struct set need = {{0}}, reads, writes;
			const struct op *last;

			end = block_end(u, at);
			last = &u->c->op[end - 1];
			if (end < u->c->nops &&
				(falls_on(u, end - 1) || u->way[end - 1] == WAY_BARRIER ||
					(u->way[end - 1] == WAY_LEAVE && writes_operands(last))))
				set_join(&need, &u->need[end]);
			if (last->kind == KIND_BRANCH)
				set_join(&need, &u->need[last->branch.target]);
			for (uint32_t k = end; k-- > at;) {
				uses(u, k, &reads, &writes);
				for (unsigned j = 0; j < SET_WORDS; j++)
					need.word[j] &= ~writes.word[j];
				set_join(&need, &reads);
			}
			changed = set_join(&u->need[at], &need) || changed;
		}
	}
}

/* --- what is read before it is written --- */

/* Whether OP reads no registers but variables. */
static bool reads_variables(const struct writer *u, const struct op *op)
{
	switch ((int)op->kind) {
	case KIND_ALU:
	case KIND_BRANCH:
	case KIND_NOTHING:
	case KIND_RESIZE:
	case KIND_REGROUP:
	case KIND_COMPLEMENT:
	case KIND_ADDRESS:
	case KIND_CVTA:
	case KIND_RETURN:
	case KIND_EXIT:
	case KIND_BARRIER:
	case KIND_SREG:
	case KIND_FENCE: break;
	case KIND_LOAD:
	case KIND_STORE:
	case KIND_ATOM:
	case KIND_RED:
		if (op->access.vector > 1 && op->noperands != op->access.vector + 1u)
			return false;
		break;
	default: return false;
	}
	for (unsigned k = op->ndests; k < op->noperands; k++)
		if (!(op->at[k] & 1) && place_find(u, op->at[k]) == NO_PLACE)
			return false;
	return true;
}

bool find_unset(struct writer *u, struct set *out)
{
	struct set *live = memory_zeroed(u->c->nops + 1, sizeof *live);
	bool changed = true, known = true;

	for (uint32_t k = 0; k < u->c->nops; k++)
		known = known && reads_variables(u, &u->c->op[k]);
	while (known && changed) {
		changed = false;
		for (uint32_t k = u->c->nops; k-- > 0;) {
			const struct op *op = &u->c->op[k];
			bool ends = op->kind == KIND_RETURN || op->kind == KIND_EXIT;
			struct set now = {{0}}, reads, writes;

			if (op_is_guarded(op) || (!ends && op->kind != KIND_BRANCH))
				set_join(&now, &live[k + 1]);
			if (op->kind == KIND_BRANCH)
				set_join(&now, &live[op->branch.target]);
			uses(u, k, &reads, &writes);
			if (leaves(u, k) && !ends)
				named(u, op, &reads);
			for (unsigned j = 0; j < SET_WORDS; j++)
				now.word[j] &= ~writes.word[j];
			set_join(&now, &reads);
			changed = set_join(&live[k], &now) || changed;
		}
	}
	*out = live[0];
	memory_drop(live);
	return known;
}
