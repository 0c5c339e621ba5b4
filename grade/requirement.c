/* Counts instructions of a kind. The words are those of the table of instructions (isa.def,
 * word.def); the groups combine its rows by handler and trait, so a new instruction belongs to its
 * groups without a change here. */
#include "grade/requirement.h"
#include "ir/cfg.h"
#include <stdlib.h>
#include <string.h>

struct instruction_group {
	const char *name;
	uint8_t handler[4]; /* any of these, until HANDLER_unsupported */
	uint32_t traits;    /* or any of these; 0 and no handler: every instruction */
};
static const struct instruction_group groups[] = {
	{"instructions", {0}, 0},
	{"atoms", {HANDLER_atom, HANDLER_red, HANDLER_red_async}, 0},
	{"barriers", {HANDLER_bar, HANDLER_barrier_cluster}, 0},
	{"fences", {HANDLER_fence}, 0},
	{"loads", {0}, TRAIT_LOAD},
	{"stores", {0}, TRAIT_STORE},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

void instruction_groups(struct text *out)
{
	for (unsigned k = 0; k < GROUPS; k++)
		text_printf(out, "%s%s", k ? ", " : "", groups[k].name);
}

static const char *nearer(const char *text, const char *best, const char *name, unsigned *least)
{
	unsigned n = text_distance(text, strlen(text), name, strlen(name), 3);

	if (n >= *least || n >= strlen(text))
		return best;
	*least = n;
	return name;
}

static const char *nearest_word(const char *text)
{
	const char *best = NULL;
	unsigned least = 3;

	for (unsigned k = 0; k < GROUPS; k++)
		best = nearer(text, best, groups[k].name, &least);
	for (unsigned k = OP_NONE + 1; k < OPCODE_COUNT; k++)
		best = nearer(text, best, opcode_text((enum opcode)k), &least);
	for (unsigned k = W_NONE + 1; k < WORD_COUNT; k++)
		best = nearer(text, best, word_text((enum word)k), &least);
	return best;
}

bool instruction_kind_parse(const char *text, struct instruction_kind *out, const char **nearest)
{
	*out = (struct instruction_kind){0};
	*nearest = NULL;
	for (unsigned k = 0; k < GROUPS; k++)
		if (strcmp(groups[k].name, text) == 0) {
			out->group = &groups[k];
			return true;
		}
	for (const char *s = text; *s;) {
		size_t n = strcspn(s + (*s == '.'), ".");
		enum opcode op = s == text ? opcode_find(s, n) : OP_NONE;
		enum word w;

		if (op != OP_NONE && *s != '.') {
			out->opcode = (uint16_t)op;
			s += n;
			continue;
		}
		s += *s == '.';
		w = n ? word_find(s, n) : W_NONE;
		if (w == W_NONE || out->nwords == MAX_REQUIREMENT_WORDS) {
			*nearest = nearest_word(text);
			return false;
		}
		out->word[out->nwords++] = (uint16_t)w;
		s += n;
	}
	return *text != 0;
}

bool relation_parse(const char *text, enum relation *out)
{
	static const char *const relations[] = {[RELATION_EQ] = "==",
		[RELATION_NE] = "!=",
		[RELATION_LT] = "<",
		[RELATION_LE] = "<=",
		[RELATION_GT] = ">",
		[RELATION_GE] = ">="};

	for (unsigned k = 0; k < sizeof relations / sizeof relations[0]; k++)
		if (strcmp(relations[k], text) == 0) {
			*out = (enum relation)k;
			return true;
		}
	return false;
}

bool relation_holds(enum relation r, uint64_t count, uint64_t bound)
{
	switch (r) {
	case RELATION_EQ: return count == bound;
	case RELATION_NE: return count != bound;
	case RELATION_LT: return count < bound;
	case RELATION_LE: return count <= bound;
	case RELATION_GT: return count > bound;
	case RELATION_GE:
	default: return count >= bound;
	}
}

/* --- what can be reached --- */

struct walk {
	const struct ir_module *m;
	uint8_t *seen; /* [nfuncs] */
	VEC(uint32_t) todo;
};

static void walk_function(struct walk *w, uint32_t func)
{
	for (unsigned k = 0; k < 64 && w->m->func[func].alias_of != IR_NONE; k++)
		func = w->m->func[func].alias_of;
	if (w->seen[func])
		return;
	w->seen[func] = 1;
	*vec_push(&w->todo) = func;
}

/* A function whose address an instruction or a variable that it names contains may be called. */
static void walk_operand(struct walk *w, const struct ir_operand *o, unsigned depth)
{
	const struct ir_module *m = w->m;

	if (o->kind == IR_FUNC) {
		walk_function(w, o->index);
	} else if (o->kind == IR_VAR || (o->kind == IR_ADDR && o->aux == IR_BASE_VAR)) {
		const struct ir_var *v = &m->var[o->index];

		for (uint32_t k = 0; k < v->nrelocs; k++)
			if (m->reloc[v->reloc + k].is_func)
				walk_function(w, m->reloc[v->reloc + k].index);
	} else if (o->kind == IR_TABLE && m->table[o->index].kind == IR_CALL_TARGETS) {
		for (uint32_t k = 0; k < m->table[o->index].ntargets; k++)
			walk_operand(w, &m->operand[m->table[o->index].target + k], depth);
	} else if ((o->kind == IR_VEC || o->kind == IR_PAIR || o->kind == IR_LIST) && depth < 4) {
		for (uint32_t k = 0; k < o->count; k++)
			walk_operand(w, &m->operand[o->index + k], depth + 1);
	}
}

static void walk_body(struct walk *w, uint32_t func, struct reached *r)
{
	const struct ir_module *m = w->m;
	const struct ir_func *f = &m->func[func];
	struct ir_cfg c;

	if (!f->has_body || !f->ninsns)
		return;
	ir_cfg_build(&c, m, func);
	for (uint32_t b = 0; b < c.nblocks; b++)
		for (uint32_t k = 0; k < c.block[b].count && c.block[b].reachable; k++) {
			uint32_t at = f->insn + c.block[b].first + k;

			*vec_push(&r->insn) = at;
			for (uint32_t n = 0; n < m->insn[at].noperands; n++)
				walk_operand(w, &m->operand[m->insn[at].operand + n], 0);
		}
	ir_cfg_free(&c);
}

void reached_find(struct reached *r, const struct ir_module *m, const uint32_t *kernels, uint32_t n)
{
	struct arena arena = {0};
	struct walk w = {.m = m, .seen = ARENA_ARRAY(&arena, uint8_t, m->nfuncs + 1u)};

	for (uint32_t k = 0; k < n; k++)
		walk_function(&w, kernels[k]);
	while (w.todo.count)
		walk_body(&w, w.todo.data[--w.todo.count], r);
	vec_free(&w.todo);
	arena_free(&arena);
}

void reached_free(struct reached *r) { vec_free(&r->insn); }

/* --- counting --- */

/* `shared` also stands for shared::cta and shared::cluster. */
static bool word_covers(enum word wanted, enum word is)
{
	const char *a = word_text(wanted), *b = word_text(is);
	size_t n = strlen(a);

	return wanted == is || (strncmp(a, b, n) == 0 && b[n] == ':');
}

/* Whether the instruction names a variable of this state space, as `mov` of its address does. */
static bool names_space(const struct ir_module *m, const struct ir_insn *i, enum word space)
{
	for (uint32_t k = 0; k < i->noperands; k++) {
		const struct ir_operand *o = &m->operand[i->operand + k];

		if ((o->kind == IR_VAR || (o->kind == IR_ADDR && o->aux == IR_BASE_VAR)) &&
			word_covers(space, (enum word)m->var[o->index].space))
			return true;
	}
	return false;
}

static bool has_word(const struct ir_module *m, const struct ir_insn *i, enum word wanted)
{
	for (unsigned k = 0; k < i->nwords; k++)
		if (word_covers(wanted, (enum word)m->word[i->word + k]))
			return true;
	return word_token(wanted) == TOKEN_SPACE && names_space(m, i, wanted);
}

static bool in_group(const struct instruction_group *g, const struct form *form)
{
	if (!g->traits && g->handler[0] == HANDLER_unsupported)
		return true;
	for (unsigned k = 0; k < sizeof g->handler && g->handler[k] != HANDLER_unsupported; k++)
		if (form->handler == g->handler[k])
			return true;
	return (form->traits & g->traits) != 0;
}

static bool is_kind(
	const struct ir_module *m, const struct ir_insn *i, const struct instruction_kind *kind)
{
	if (kind->group)
		return in_group(kind->group, ir_form(i));
	if (kind->opcode != OP_NONE && kind->opcode != ir_form(i)->opcode)
		return false;
	for (unsigned k = 0; k < kind->nwords; k++)
		if (!has_word(m, i, (enum word)kind->word[k]))
			return false;
	return true;
}

uint64_t reached_count(
	const struct reached *r, const struct ir_module *m, const struct instruction_kind *kind)
{
	uint64_t n = 0;

	for (uint32_t k = 0; k < r->insn.count; k++)
		n += is_kind(m, &m->insn[r->insn.data[k]], kind);
	return n;
}
