/* Finds the versions of registers by searching backward from each block that reads a register
 * before writing it to the blocks that write it. Each block is visited once per register, and only
 * if it is on a path from a write to a read. */
#include "assembler/lint_versions.h"
#include "base/memory.h"

struct place {                /* a block that reads or writes a register */
	uint32_t block, next; /* next: 1 + index, 0 = none */
};

struct use { /* one register; blocks are stored as 1 + number */
	/* lists of places (1 + index): blocks that read it before writing it, blocks that write
	 * it */
	uint32_t read, written;
	/* the last block that is in the list of those that read it, or whose reads do not matter,
	 * because it writes all of it unconditionally; the last block that writes it */
	uint32_t read_in, written_in;
};

/* a block, while one register is processed; valid where the number is 1 + that register */
struct mark {
	uint32_t written, reaches, leaves;
	uint32_t reaching, leaving; /* versions */
};

struct finder {
	const struct lint *l;
	struct versions *v;
	/* by register: its index in `use` if it is written more than once, or how often */
	uint32_t *number;
	struct use *use; /* [nuses] from SEVERAL */
	uint32_t nuses;
	struct mark *mark;
	uint32_t block, reg;
	uint64_t steps;
	VEC(struct place) places;
	VEC(uint32_t) todo; /* versions at the start of blocks whose inputs are still to be found */
};

enum { NEVER, ONCE, SEVERAL }; /* is a register written */
enum { STEPS_PER_INSN = 32, STEPS = 4096 };

static void add_place(struct finder *w, uint32_t *list)
{
	*vec_push(&w->places) = (struct place){w->block, *list};
	*list = w->places.count;
}

static void note_block_read(struct finder *w, struct use *u)
{
	if (u->read_in == w->block + 1)
		return;
	u->read_in = w->block + 1;
	add_place(w, &u->read);
}

/* A guarded write, or a write to one component, keeps part of the old value, so it counts as a read
 * too. */
static void note_use(struct finder *w, const struct lint_use *at, bool guarded)
{
	struct use *u = &w->use[w->number[at->reg]];

	if (!at->written || guarded || at->part)
		note_block_read(w, u);
	if (!at->written)
		return;
	if (u->written_in != w->block + 1) {
		u->written_in = w->block + 1;
		add_place(w, &u->written);
	}
	if (!guarded && !at->part)
		u->read_in = w->block + 1;
}

static uint32_t new_version(struct finder *w, uint32_t block, bool leaves)
{
	*vec_push(&w->v->all) = (struct version){
		.reg = w->reg, .block = block, .leaves = leaves, .enough = BY_LANE};
	return w->v->all.count - 1;
}

static uint32_t reaching_version(struct finder *w, uint32_t block)
{
	struct mark *k = &w->mark[block];

	if (k->reaches != w->reg + 1) {
		k->reaches = w->reg + 1;
		k->reaching = new_version(w, block, false);
		*vec_push(&w->todo) = k->reaching;
	}
	return k->reaching;
}

static uint32_t leaving_version(struct finder *w, uint32_t block)
{
	struct mark *k = &w->mark[block];

	if (k->written != w->reg + 1)
		return reaching_version(w, block);
	if (k->leaves != w->reg + 1) {
		k->leaves = w->reg + 1;
		k->leaving = new_version(w, block, true);
	}
	return k->leaving;
}

/* Finds the inputs of version N. Returns false when the step limit is reached. */
static bool find_inputs(struct finder *w, uint32_t n)
{
	const struct ir_cfg *c = &w->l->cfg;
	const struct ir_block *b = &c->block[w->v->all.data[n].block];
	uint32_t input = w->v->input.count;

	if (w->steps <= b->npreds)
		return false;
	w->steps -= b->npreds + 1;
	for (uint32_t i = 0; i < b->npreds; i++) {
		uint32_t p = c->pred[b->pred + i];

		if (c->block[p].reachable)
			*vec_push(&w->v->input) = leaving_version(w, p);
	}
	w->v->all.data[n].input = input;
	w->v->all.data[n].ninputs = w->v->input.count - input;
	return true;
}

/* Finds all versions of one register. Returns false and adds none when the step limit is
 * reached. */
static bool find_register(struct finder *w, const struct use *u)
{
	uint32_t versions = w->v->all.count, inputs = w->v->input.count;

	for (uint32_t i = u->written; i; i = w->places.data[i - 1].next)
		w->mark[w->places.data[i - 1].block].written = w->reg + 1;
	w->todo.count = 0;
	for (uint32_t i = u->read; i; i = w->places.data[i - 1].next)
		reaching_version(w, w->places.data[i - 1].block);
	while (w->todo.count)
		if (!find_inputs(w, w->todo.data[--w->todo.count])) {
			w->v->all.count = versions;
			w->v->input.count = inputs;
			return false;
		}
	return true;
}

static void link_versions(struct versions *v)
{
	for (uint32_t i = 0; i < v->all.count; i++) {
		struct version *a = &v->all.data[i];
		uint32_t *list = a->leaves ? &v->leaves[a->block] : &v->reaches[a->block];

		a->next = *list;
		*list = i + 1;
	}
}

static void note_uses(struct finder *w)
{
	const struct lint *l = w->l;

	for (uint32_t k = 0; k < l->uses.count; k++) {
		uint32_t *number = &w->number[l->uses.data[k].reg];

		if (!l->uses.data[k].written || *number >= SEVERAL)
			continue;
		*number = *number == NEVER ? ONCE : w->nuses++;
	}
	w->use = memory_zeroed(w->nuses, sizeof *w->use);

	for (w->block = 0; w->block < l->cfg.nblocks; w->block++) {
		const struct ir_block *b = &l->cfg.block[w->block];

		for (uint32_t i = 0; i < b->count; i++) {
			bool guarded = lint_insn(l, b->first + i)->guard != IR_NONE;

			for (const struct lint_use *u = lint_uses(l, b->first + i),
						   *end = lint_uses(l, b->first + i + 1);
				u < end; u++)
				if (w->number[u->reg] >= SEVERAL)
					note_use(w, u, guarded);
		}
	}
}

void lint_versions_find(struct versions *v, struct lint *l)
{
	struct finder w = {.l = l, .v = v, .nuses = SEVERAL};

	*v = (struct versions){0};
	v->reaches = LINT_ARRAY(l, uint32_t, l->cfg.nblocks);
	v->leaves = LINT_ARRAY(l, uint32_t, l->cfg.nblocks);
	w.number = memory_zeroed(l->f->nregs + 1u, sizeof *w.number);
	w.mark = LINT_ARRAY(l, struct mark, l->cfg.nblocks);
	w.steps = STEPS + (uint64_t)l->f->ninsns * STEPS_PER_INSN;
	note_uses(&w);
	for (w.reg = 0; w.reg < l->f->nregs; w.reg++)
		if (w.number[w.reg] >= SEVERAL && !find_register(&w, &w.use[w.number[w.reg]]))
			break;
	link_versions(v);
	memory_drop(w.number);
	memory_drop(w.use);
	vec_free(&w.places);
	vec_free(&w.todo);
}

void lint_versions_free(struct versions *v)
{
	vec_free(&v->all);
	vec_free(&v->input);
}
