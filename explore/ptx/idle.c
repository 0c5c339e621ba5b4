/* Waits that use the clock: code that nvcc generates for a wait sleeps longer the longer it has
 * waited. Its branches, and the register that counts rounds, affect nothing else. Both are ignored,
 * so a waiting thread returns to a previous state.
 *
 * A slot is relevant if it is an input of an op that does more than compute registers, of an op
 * that computes a relevant slot, or of a branch that is not idle. A branch is idle if everything
 * between it and the place where its paths meet computes irrelevant slots or does nothing, and
 * contains no loop.
 *
 * A branch that is not idle, but that a clock decides, may go either way any number of times. If
 * everything between it and that place computes registers, every path gets there, since time
 * passes; the registers computed on the way are then open. */
#include "explore/ptx/code.h"
#include "code/reconverge.h"
#include <string.h>

static bool computes(uint8_t class) { return class == PTX_REGISTERS || class == PTX_OPEN; }

static bool any_relevant(const uint16_t *list, const uint64_t *relevant)
{
	for (; *list != PTX_NO_SLOT; list++) {
		if (row_has(relevant, *list))
			return true;
	}
	return false;
}

enum { NEW, OPEN, DONE }; /* states of an op in a walk */
enum { MAX_STEPS = 1000 };

/* Whether all paths from K reach END without a loop and do nothing relevant before it. VISITED: by
 * op. */
static bool all_paths_idle(const struct ptx_code *c, uint32_t k, uint32_t end,
	const uint64_t *relevant, uint8_t *visited, uint32_t depth)
{
	if (k == end || (k < c->nops && visited[k] == DONE))
		return true;
	if (k >= c->nops || visited[k] == OPEN || depth == MAX_STEPS)
		return false;
	const struct ptx_op *o = &c->op[k];
	bool branch = o->class == PTX_BRANCH,
	     fine = branch || o->class == PTX_NOTHING ||
		(computes(o->class) && !any_relevant(o->dest, relevant));
	visited[k] = OPEN;
	if (fine && branch)
		fine = all_paths_idle(
			c, c->ops[k].branch.target, end, relevant, visited, depth + 1);
	if (fine && (!branch || !(c->ops[k].guard & 1)))
		fine = all_paths_idle(c, k + 1, end, relevant, visited, depth + 1);
	visited[k] = DONE;
	return fine;
}

static bool branch_is_idle(
	const struct ptx_code *c, uint32_t i, const uint64_t *relevant, uint8_t *visited)
{
	const struct op *op = &c->ops[i];
	if (c->op[i].class != PTX_BRANCH || op->guard & 1 || op->reconverge == NO_PC)
		return false;
	memset(visited, NEW, c->nops + 1);
	return all_paths_idle(
		c, i, op->reconverge + c->part[c->part_of[i]].first, relevant, visited, 0);
}

/* Whether everything between branch I and the place where its paths meet computes registers only;
 * COMPUTED gets their slots. The list of work has room for 2 * nops + 2 entries. */
static bool branch_meets(
	const struct ptx_code *c, uint32_t i, uint8_t *visited, uint32_t *todo, uint64_t *computed)
{
	uint32_t n = 0, end = c->ops[i].reconverge;
	if (c->op[i].class != PTX_BRANCH || c->ops[i].guard & 1 || end == NO_PC)
		return false;
	end += c->part[c->part_of[i]].first;
	row_clear(computed, c->slot_words);
	memset(visited, NEW, c->nops + 1);
	bool fine = true;
	for (todo[n++] = i; n && fine;) {
		uint32_t k = todo[--n];
		const struct ptx_op *o = &c->op[k];
		if (k == end || (k < c->nops && visited[k] == DONE))
			continue;
		visited[k < c->nops ? k : c->nops] = DONE;
		fine = k < c->nops &&
			(o->class == PTX_BRANCH || o->class == PTX_NOTHING || computes(o->class));
		for (const uint16_t *s = o->dest; fine && *s != PTX_NO_SLOT; s++)
			row_put(computed, *s);
		if (fine && (o->class != PTX_BRANCH || !(c->ops[k].guard & 1)))
			todo[n++] = k + 1;
		if (fine && o->class == PTX_BRANCH)
			todo[n++] = c->ops[k].branch.target;
	}
	return fine;
}

static uint16_t *slots_of(const uint64_t *row, uint32_t words, struct arena *arena)
{
	uint16_t *out = ARENA_ARRAY(arena, uint16_t, row_count(row, words) + 1);
	uint32_t n = 0;
	ROW_EACH(row, words, k)
		out[n++] = (uint16_t)k;
	out[n] = PTX_NO_SLOT;
	return out;
}

/* Fills in where the paths of each branch meet, which code for machines with a fair schedule lacks.
 */
static void find_meetings(struct ptx_code *c, struct arena *arena)
{
	for (uint32_t k = 0; k < c->nparts; k++) {
		struct code_func copy = *c->part[k].code;
		copy.op = arena_copy(
			arena, copy.op, copy.nops * sizeof *copy.op, _Alignof(struct op));
		code_reconverge(&copy);
		for (uint32_t i = 0; i < copy.nops; i++)
			c->ops[c->part[k].first + i].reconverge = copy.op[i].reconverge;
	}
}

void ptx_find_idle(struct ptx_code *c, uint64_t *relevant, struct arena *arena)
{
	find_meetings(c, arena);
	uint8_t *visited = ARENA_ARRAY(arena, uint8_t, c->nops + 1);
	row_or(relevant, c->op[c->nops].live, c->slot_words);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = c->nops; i-- > 0;) {
			const struct ptx_op *o = &c->op[i];
			if (o->class == PTX_NOTHING ||
				(computes(o->class) && !any_relevant(o->dest, relevant)) ||
				branch_is_idle(c, i, relevant, visited))
				continue;
			for (const uint16_t *s = o->source; *s != PTX_NO_SLOT; s++) {
				changed |= !row_has(relevant, *s);
				row_put(relevant, *s);
			}
		}
	}
	uint32_t *todo = ARENA_ARRAY(arena, uint32_t, 2 * c->nops + 2);
	uint64_t *computed = ARENA_ARRAY(arena, uint64_t, c->slot_words);
	for (uint32_t i = 0; i < c->nops; i++) {
		struct ptx_op *o = &c->op[i];
		o->idle = branch_is_idle(c, i, relevant, visited);
		if (!o->idle && branch_meets(c, i, visited, todo, computed))
			o->meets = slots_of(computed, c->slot_words, arena);
		if (o->idle || o->meets)
			o->meet_at = c->ops[i].reconverge + c->part[c->part_of[i]].first;
	}
}
