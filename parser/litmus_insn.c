/* Reading one instruction of a litmus test: its words, its operands, and errors in them. */
#include "parser/litmus_resolve.h"
#include <string.h>

enum { MAX_WORDS = 8 };

struct words {
	char text[128];
	const char *word[MAX_WORDS];
	uint32_t n;
	bool used[MAX_WORDS];
};

static bool split_words(struct words *w, const char *name)
{
	*w = (struct words){0};
	if (strlen(name) >= sizeof w->text)
		return false;
	strcpy(w->text, name);
	for (char *c = w->text; c;) {
		if (w->n == MAX_WORDS)
			return false;
		w->word[w->n++] = c;
		c = strchr(c, '.');
		if (c)
			*c++ = 0;
	}
	w->used[0] = true;
	return true;
}

/* Marks the first word that is one of NAMES (NULL-terminated) as used and returns its index in
 * NAMES, or ABSENT. */
static uint8_t pick_word(struct words *w, const char *const *names, uint8_t absent)
{
	for (uint32_t i = 1; i < w->n; i++) {
		for (uint8_t k = 0; names[k]; k++) {
			if (!w->used[i] && !strcmp(w->word[i], names[k])) {
				w->used[i] = true;
				return k;
			}
		}
	}
	return absent;
}

static bool all_used(const struct words *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		if (!w->used[i])
			return false;
	}
	return true;
}

static const char *const SEM[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc", NULL};
static const char *const SCOPE[] = {"cta", "cluster", "gpu", "sys", "gl", NULL};
static const char *const PROXY[] = {
	"generic", "surface", "texture", "constant", "async", "alias", NULL};
static const char *const ALU[] = {"mov", "add", "sub", "mul", "and", "or", "xor", "min", "max",
	"inc", "dec", "exch", "cas", NULL};
static const char *const IGNORED[] = {"global", "u32", "s32", "b32", "u64", "s64", "b64", NULL};
static const char *const VOLATILE[] = {"volatile", NULL};

static void order_and_scope(struct words *w, struct litmus_insn *i, uint8_t sem, uint8_t scope)
{
	if (!pick_word(w, VOLATILE, 1)) {
		i->sem = LITMUS_RELAXED;
		i->scope = LITMUS_SYS;
		return;
	}
	i->sem = pick_word(w, SEM, sem);
	i->scope = pick_word(w, SCOPE, scope);
	if (i->scope == 4)
		i->scope = LITMUS_GPU;
}

static uint32_t count_operands(const struct litmus_operand *o)
{
	uint32_t n = 0;
	for (; o; o = o->next)
		n++;
	return n;
}

static bool register_operand(struct litmus_resolver *r, struct litmus_thread *t,
	const struct litmus_operand *o, uint32_t *dst)
{
	if (o->text.is_integer || !litmus_is_register(r, t, o->text.text)) {
		litmus_wrong(r->p, DIAG_E0152, o->text.span, "expected a register", NULL);
		return false;
	}
	*dst = litmus_register(r, t, &o->text);
	return true;
}

static bool location_operand(struct litmus_resolver *r, struct litmus_thread *t,
	const struct litmus_operand *o, uint32_t *where)
{
	if (o->text.is_integer || litmus_is_register(r, t, o->text.text)) {
		litmus_wrong(r->p, DIAG_E0152, o->text.span, "expected a location", NULL);
		return false;
	}
	*where = litmus_location(r, &o->text);
	return true;
}

static bool read_load(struct litmus_resolver *r, struct litmus_thread *t, struct words *w,
	const struct litmus_operand *o, struct litmus_insn *i)
{
	static const char *const opcode[] = {"ld", "suld", "tld", "cold", NULL};
	for (uint8_t k = 0; opcode[k]; k++) {
		if (!strcmp(w->word[0], opcode[k]))
			i->proxy = k;
	}
	order_and_scope(w, i, LITMUS_WEAK, LITMUS_SYS);
	if (count_operands(o) != 2 || !register_operand(r, t, o, &i->dst))
		return false;
	if (o->next->text.is_integer ||
		(w->n == 1 && litmus_is_register(r, t, o->next->text.text))) {
		i->op = LITMUS_ALU; /* ld r0, 1 loads a constant */
		i->alu = LITMUS_MOV;
		i->a = litmus_operand_value(r, t, o->next);
		return w->n == 1;
	}
	i->op = LITMUS_LOAD;
	return location_operand(r, t, o->next, &i->location) &&
		(i->sem == LITMUS_WEAK || i->sem == LITMUS_RELAXED || i->sem == LITMUS_ACQUIRE);
}

static bool read_store(struct litmus_resolver *r, struct litmus_thread *t, struct words *w,
	const struct litmus_operand *o, struct litmus_insn *i)
{
	i->op = LITMUS_STORE;
	i->proxy = !strcmp(w->word[0], "sust") ? LITMUS_SURFACE : LITMUS_GENERIC;
	order_and_scope(w, i, LITMUS_WEAK, LITMUS_SYS);
	if (count_operands(o) != 2 || !location_operand(r, t, o, &i->location))
		return false;
	i->a = litmus_operand_value(r, t, o->next);
	return i->sem == LITMUS_WEAK || i->sem == LITMUS_RELAXED || i->sem == LITMUS_RELEASE;
}

static bool read_atom(struct litmus_resolver *r, struct litmus_thread *t, struct words *w,
	const struct litmus_operand *o, struct litmus_insn *i)
{
	bool red = !strcmp(w->word[0], "red");
	i->op = red ? LITMUS_RED : LITMUS_ATOM;
	order_and_scope(w, i, LITMUS_RELAXED, LITMUS_GPU);
	i->alu = pick_word(w, ALU, 255);
	if (i->alu == 255 || i->alu == LITMUS_MOV || i->sem == LITMUS_WEAK || i->sem == LITMUS_SC ||
		(red && i->alu >= LITMUS_EXCH))
		return false;
	uint32_t want = (red ? 2u : 3u) + (i->alu == LITMUS_CAS);
	if (count_operands(o) != want || (!red && !register_operand(r, t, o, &i->dst)))
		return false;
	if (!red)
		o = o->next;
	if (!location_operand(r, t, o, &i->location))
		return false;
	i->a = litmus_operand_value(r, t, o->next);
	if (i->alu == LITMUS_CAS)
		i->b = litmus_operand_value(r, t, o->next->next);
	return true;
}

static bool read_fence(struct words *w, const struct litmus_operand *o, struct litmus_insn *i)
{
	static const char *const PROXY_WORD[] = {"proxy", NULL};
	i->op = LITMUS_FENCE;
	if (!pick_word(w, PROXY_WORD, 1)) {
		i->op = LITMUS_PROXY_FENCE;
		i->proxy = pick_word(w, PROXY, 255);
		return !o && i->proxy != 255 && i->proxy != LITMUS_GENERIC;
	}
	bool membar = !strcmp(w->word[0], "membar");
	order_and_scope(w, i, membar ? LITMUS_SC : LITMUS_ACQ_REL, 255);
	return !o && i->scope != 255 && i->sem >= LITMUS_ACQUIRE &&
		(!membar || i->sem == LITMUS_SC);
}

static bool read_barrier(struct litmus_resolver *r, struct litmus_thread *t, struct words *w,
	const struct litmus_operand *o, struct litmus_insn *i)
{
	static const char *const ACTION[] = {"sync", "arrive", NULL}, *const CTA[] = {"cta", NULL};
	uint8_t action = pick_word(w, ACTION, 255);
	pick_word(w, CTA, 0);
	uint32_t n = count_operands(o);
	if (action == 255 || n < 1 || n > 3 || !o->text.is_integer || o->text.value < 0 ||
		o->text.value > INT32_MAX)
		return false;
	i->op = action ? LITMUS_ARRIVE : LITMUS_SYNC;
	i->a = litmus_operand_value(r, t, o);
	if (n > 1)
		i->b = litmus_operand_value(r, t, o->next);
	if (n > 2)
		i->c = litmus_operand_value(r, t, o->next->next);
	i->counted = n > 2;
	return true;
}

static bool read_branch(struct litmus_resolver *r, struct litmus_thread *t, struct words *w,
	const struct litmus_operand *o, struct litmus_insn *i)
{
	static const char *const name[] = {"beq", "bne", "blt", "ble", "bgt", "bge"};
	bool jump = !strcmp(w->word[0], "goto") || !strcmp(w->word[0], "bra");
	if (count_operands(o) != (jump ? 1 : 3))
		return false;
	i->op = LITMUS_GOTO;
	const struct litmus_operand *target = o;
	if (!jump) {
		i->op = LITMUS_BRANCH;
		for (uint8_t k = 0; k < 6; k++) {
			if (!strcmp(w->word[0], name[k]))
				i->alu = k;
		}
		i->a = litmus_operand_value(r, t, o);
		i->b = litmus_operand_value(r, t, o->next);
		target = o->next->next;
	}
	for (uint32_t k = 0; k < r->nlabels; k++) {
		if (!target->text.is_integer && !strcmp(r->label[k], target->text.text)) {
			i->target = r->label_at[k];
			return true;
		}
	}
	litmus_wrong(r->p, DIAG_E0153, target->text.span, "this thread has no label",
		target->text.is_integer ? NULL : target->text.text);
	return true;
}

static bool read_alu(struct litmus_resolver *r, struct litmus_thread *t, struct words *w,
	const struct litmus_operand *o, struct litmus_insn *i)
{
	i->op = LITMUS_ALU;
	for (uint8_t k = 0; k < LITMUS_INC; k++) {
		if (!strcmp(w->word[0], ALU[k]))
			i->alu = k;
	}
	if (count_operands(o) != (i->alu == LITMUS_MOV ? 2 : 3) ||
		!register_operand(r, t, o, &i->dst))
		return false;
	i->a = litmus_operand_value(r, t, o->next);
	if (i->alu != LITMUS_MOV)
		i->b = litmus_operand_value(r, t, o->next->next);
	return true;
}

static bool one_of(const char *word, const char *const *names)
{
	for (; *names; names++) {
		if (!strcmp(word, *names))
			return true;
	}
	return false;
}

void litmus_instruction(
	struct litmus_resolver *r, struct litmus_thread *t, const struct litmus_cell *c)
{
	static const char *const
		LOADS[] = {"ld", "suld", "tld", "cold", NULL},
		*const STORES[] = {"st", "sust", NULL}, *const ATOMS[] = {"atom", "red", NULL},
		*const FENCES[] = {"fence", "membar", NULL},
		*const BARRIERS[] = {"bar", "barrier", NULL},
		*const BRANCHES[] = {"beq", "bne", "blt", "ble", "bgt", "bge", "goto", "bra", NULL},
		*const ALUS[] = {
			"mov", "add", "sub", "mul", "and", "or", "xor", "min", "max", NULL};
	struct words w;
	struct litmus_insn *i = &t->insn[t->ninsns];
	unsigned said = r->p->diags->count;
	*i = (struct litmus_insn){.span = c->name.span};
	for (const struct litmus_operand *o = c->operand; o; o = o->next)
		i->span.len = o->text.span.off + o->text.span.len - i->span.off;
	bool ok = split_words(&w, c->name.text), known = true;
	while (ok && pick_word(&w, IGNORED, 255) != 255) {
	}
	if (!ok)
		known = false;
	else if (one_of(w.word[0], LOADS))
		ok = read_load(r, t, &w, c->operand, i);
	else if (one_of(w.word[0], STORES))
		ok = read_store(r, t, &w, c->operand, i);
	else if (one_of(w.word[0], ATOMS))
		ok = read_atom(r, t, &w, c->operand, i);
	else if (one_of(w.word[0], FENCES))
		ok = read_fence(&w, c->operand, i);
	else if (one_of(w.word[0], BARRIERS))
		ok = read_barrier(r, t, &w, c->operand, i);
	else if (one_of(w.word[0], BRANCHES))
		ok = read_branch(r, t, &w, c->operand, i);
	else if (one_of(w.word[0], ALUS))
		ok = read_alu(r, t, &w, c->operand, i);
	else
		known = false;
	if (!known || !ok || !all_used(&w)) {
		if (r->p->diags->count == said)
			litmus_wrong(r->p,
				known && ok     ? DIAG_E0151
					: known ? DIAG_E0152
						: DIAG_E0151,
				c->name.span,
				known ? "wrong operands or modifiers of"
				      : "not a litmus instruction:",
				c->name.text);
		return;
	}
	t->ninsns++;
}
