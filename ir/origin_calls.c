/* Library functions that were not inlined (nvcc -G): if all calls that lead to one begin at a
 * single place of the user's code, that place is the caller of the function's places. */
#include "ir/origins.h"
#include "base/memory.h"
#include "diag/origin.h"

enum { ROUNDS = 64 }; /* depth of the library's calls that is followed */
enum seen { SEEN_NONE, SEEN_ONE, SEEN_MANY };

struct calls {
	const struct ir_module *m;
	uint8_t *seen; /* [nfuncs] enum seen: places of the user's code that lead here */
	const struct origin **from;
	bool changed;
};

static const struct origin *origin_of_insn(const struct ir_module *m, uint32_t insn)
{
	return source_origin(m->source, m->insn[insn].span.off);
}

/* Whether F is a function of the user's: where it has places, they are in the user's files. */
static bool is_users(const struct ir_module *m, const struct ir_func *f)
{
	for (uint32_t i = 0; i < f->ninsns; i++) {
		const struct origin *o = origin_of_insn(m, f->insn + i);

		if (!o)
			continue;
		while (o->caller)
			o = o->caller;
		return o->file->users;
	}
	return f->is_entry;
}

static bool same_place(const struct origin *a, const struct origin *b)
{
	a = origin_users(a);
	b = origin_users(b);
	return a == b ||
		(a && b && a->file == b->file && a->line == b->line && a->column == b->column);
}

static void merge(struct calls *c, uint32_t func, uint8_t seen, const struct origin *from)
{
	if (seen == SEEN_NONE || c->seen[func] == SEEN_MANY)
		return;
	if (seen == SEEN_ONE && (!from || !origin_users(from)->file->users))
		seen = SEEN_MANY;
	if (seen == SEEN_ONE && c->seen[func] == SEEN_ONE && same_place(from, c->from[func]))
		return;
	c->from[func] = c->seen[func] == SEEN_NONE ? from : NULL;
	c->seen[func] = c->seen[func] == SEEN_NONE ? seen : SEEN_MANY;
	c->changed = true;
}

/* What the calls of function FUNC tell about the functions they name. A function whose address is
 * taken may be called from anywhere. */
static void follow(struct calls *c, uint32_t func, bool users)
{
	const struct ir_module *m = c->m;
	const struct ir_func *f = &m->func[func];

	for (uint32_t i = f->insn; i < f->insn + f->ninsns; i++) {
		const struct ir_insn *in = &m->insn[i];
		bool call = ir_form(in)->opcode == OP_call;

		for (unsigned k = 0; k < in->noperands; k++) {
			const struct ir_operand *o = &m->operand[in->operand + k];

			if (o->kind != IR_FUNC)
				continue;
			if (!call)
				merge(c, o->index, SEEN_MANY, NULL);
			else if (users)
				merge(c, o->index, SEEN_ONE, origin_of_insn(m, i));
			else
				merge(c, o->index, c->seen[func], c->from[func]);
		}
	}
}

/* Gives the places of function F the caller FROM. */
static void extend(const struct ir_module *m, const struct ir_func *f, const struct origin *from)
{
	for (uint32_t i = 0; i < f->ninsns; i++) {
		const struct origin *o = origin_of_insn(m, f->insn + i);

		while (o && o != from && o->caller)
			o = o->caller;
		if (o && o != from && !o->file->users)
			((struct origin *)o)->caller = from; /* ours: in the source's arena */
	}
}

void ir_origin_calls(struct ir_module *m)
{
	struct calls c = {.m = m,
		.seen = memory_zeroed(m->nfuncs + 1u, 1),
		.from = memory_zeroed(m->nfuncs + 1u, sizeof(struct origin *)),
		.changed = true};
	bool *users = memory_zeroed(m->nfuncs + 1u, sizeof *users);
	unsigned rounds = 0;

	for (uint32_t i = 0; i < m->nfuncs; i++)
		users[i] = is_users(m, &m->func[i]);
	for (uint32_t i = 0; i < m->nrelocs; i++)
		if (m->reloc[i].is_func)
			c.seen[m->reloc[i].index] = SEEN_MANY;
	for (uint32_t i = 0; i < m->ntables; i++) /* calls through a register */
		for (uint32_t k = 0; k < m->table[i].ntargets; k++)
			if (m->operand[m->table[i].target + k].kind == IR_FUNC)
				c.seen[m->operand[m->table[i].target + k].index] = SEEN_MANY;
	while (c.changed && rounds++ < ROUNDS) {
		c.changed = false;
		for (uint32_t i = 0; i < m->nfuncs; i++)
			follow(&c, i, users[i]);
	}
	for (uint32_t i = 0; i < m->nfuncs && !c.changed; i++)
		if (!users[i] && c.seen[i] == SEEN_ONE && c.from[i])
			extend(m, &m->func[i], c.from[i]);
	memory_drop(c.seen);
	memory_drop(c.from);
	memory_drop(users);
}
