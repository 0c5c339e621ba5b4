/* Loops: their heads, which are the targets of backward jumps, their bodies, and the ops that may
 * leave them. Only rounds in which a read decided to stay count towards the loop bound. */
#include "explore/ptx/call.h"

/* The K-th successor of op I, or UINT32_MAX past the last. */
static uint32_t successor(const struct ptx_code *c, uint32_t i, uint32_t k)
{
	const struct ptx_op *o = &c->op[i];
	const struct op *op = &c->ops[i];
	const struct branch_table *t = op->kind == KIND_BRANCH_INDEX ? op->table : NULL;
	bool ends = o->class == PTX_EXIT || o->class == PTX_TRAP,
	     stays = (o->class < PTX_BRANCH || o->class > PTX_RETURN) && !ends;
	if (stays || !(op->guard & 1)) {
		if (!k)
			return i + 1;
		k--;
	}
	switch (o->class) {
	case PTX_BRANCH: return k ? UINT32_MAX : op->branch.target;
	case PTX_CALL: return k < o->ncallees ? c->part[o->callee[k]].first : UINT32_MAX;
	case PTX_RETURN: return k ? UINT32_MAX : c->part[c->part_of[i]].call + 1;
	case PTX_BRANCH_INDEX:
		return k < t->count ? c->part[c->part_of[i]].first + t->target[k] : UINT32_MAX;
	default: return UINT32_MAX;
	}
}

static void mark_heads(struct ptx_code *c)
{
	for (uint32_t i = 0; i < c->nops; i++) {
		if (c->op[i].class != PTX_BRANCH && c->op[i].class != PTX_BRANCH_INDEX)
			continue;
		for (uint32_t k = 0, to; (to = successor(c, i, k)) != UINT32_MAX; k++) {
			if (to <= i && !c->op[to].loop_head) {
				c->op[to].loop_head = true;
				c->op[to].head = c->nheads++;
			}
		}
	}
}

/* Fills BODY with the ops that reach a jump back to HEAD without passing HEAD. */
static void find_body(const struct ptx_code *c, uint32_t head, uint64_t *body, uint32_t words)
{
	row_clear(body, words);
	for (uint32_t i = head; i < c->nops; i++) {
		for (uint32_t k = 0, to;
			c->op[i].class >= PTX_BRANCH && (to = successor(c, i, k)) != UINT32_MAX;
			k++) {
			if (to == head)
				row_put(body, i);
		}
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = c->nops; i-- > 0;) {
			bool inside = false;
			for (uint32_t k = 0, to;
				!row_has(body, i) && (to = successor(c, i, k)) != UINT32_MAX; k++)
				inside |= to != head && to < c->nops && row_has(body, to);
			if (inside) {
				row_put(body, i);
				changed = true;
			}
		}
	}
}

static bool may_leave(const struct ptx_code *c, uint32_t i, const uint64_t *body)
{
	uint8_t class = c->op[i].class;
	if (class == PTX_EXIT || class == PTX_TRAP)
		return true;
	for (uint32_t k = 0, to; (to = successor(c, i, k)) != UINT32_MAX; k++) {
		if (to >= c->nops || !row_has(body, to))
			return true;
	}
	return false;
}

bool ptx_leads_to(
	const struct ptx_code *c, uint32_t from, enum ptx_class class, struct arena *arena)
{
	uint64_t *seen = ARENA_ARRAY(arena, uint64_t, c->nops / 64 + 1);
	uint32_t *open = ARENA_ARRAY(arena, uint32_t, c->nops + 1), n = 0;
	open[n++] = from;
	while (n) {
		uint32_t i = open[--n];
		for (uint32_t k = 0, to; (to = successor(c, i, k)) != UINT32_MAX; k++) {
			if (to >= c->nops || row_has(seen, to))
				continue;
			if (c->op[to].class == class)
				return true;
			row_put(seen, to);
			open[n++] = to;
		}
	}
	return false;
}

void ptx_find_loops(struct ptx_code *c, struct arena *arena)
{
	uint32_t words = c->nops / 64 + 1;
	uint64_t *body = ARENA_ARRAY(arena, uint64_t, words);
	mark_heads(c);
	c->head_words = c->nheads / 64 + 1;
	for (uint32_t i = 0; i <= c->nops; i++) {
		c->op[i].inside = ARENA_ARRAY(arena, uint64_t, c->head_words);
		c->op[i].leaves = ARENA_ARRAY(arena, uint64_t, c->head_words);
	}
	for (uint32_t h = 0; h < c->nops; h++) {
		if (!c->op[h].loop_head)
			continue;
		find_body(c, h, body, words);
		ROW_EACH(body, words, i) {
			row_put(c->op[i].inside, c->op[h].head);
			if (may_leave(c, i, body))
				row_put(c->op[i].leaves, c->op[h].head);
		}
	}
}
