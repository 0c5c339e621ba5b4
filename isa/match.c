/* Finding the row of an instruction: words are assigned to slots, then operands, rules, version and
 * target are checked. If no row fits, the nearest one is explained. */
#include "isa/check.h"
#include <string.h>

/* Records the first mismatch; WEIGHT says how far it moves the row from what the user probably
 * meant. */
static void note_miss(struct miss *m, enum miss_kind kind, int word, int slot, unsigned weight)
{
	if (!m->count) {
		m->kind = (uint8_t)kind;
		m->word = word;
		m->slot = slot;
	}
	m->count += weight;
}
enum { FAR = 4, TYPE_FAR = 3, NEAR = 2, HEAD = 3 };

/* Whether ptxas ignores word W where it is not allowed (tested with every kind of instruction): the
 * properties of testp, the fields of a tensor map, .acc, and two packed types. */
static bool is_ignored_by_ptxas(const struct view *v, unsigned w)
{
	if (v->op == OP_testp || v->op == OP_tensormap || v->op == OP_fabric ||
		(v->op == OP_multimem && view_has(v, W_ld_reduce)))
		return false;
	switch (w) {
	case W_finite:
	case W_infinite:
	case W_number:
	case W_notanumber:
	case W_normal:
	case W_subnormal:
	case W_global_address:
	case W_rank:
	case W_box_dim:
	case W_global_dim:
	case W_global_stride:
	case W_element_stride:
	case W_elemtype:
	case W_interleave_layout:
	case W_swizzle_mode:
	case W_swizzle_atomicity:
	case W_fill_mode:
	case W_acc__f16:
	case W_acc__f32:
	case W_b8x16:
	case W_b6x16_p32: return true;
	default: return false;
	}
}

/* Whether ptxas accepts the word repeatedly. */
static bool may_repeat(unsigned w)
{
	return w == W_sync || w == W_sat || w == W_uni || w == W_cc || w == W_approx ||
		w == W_shiftamt || w == W_satfinite || w == W_relu;
}

/* Assigns the words to the row's slots. Heads come first, in order; every other word takes the
 * first free slot that accepts it, and words of one category (types, spaces) keep the order of the
 * slots. Stops at the first mismatch unless ALL is set. */
static bool words_fit(struct view *v, struct miss *m, bool all)
{
	const struct row *r = v->row;
	const struct slot *slot = &isa_slot[r->slot];
	int last[CAT_COUNT];
	uint32_t full = 0, skip = 0;
	unsigned i = 0, s = 0;
	for (; s < r->nheads; s++) {
		if (i < v->nwords && v->words[i] < WORD_COUNT &&
			set_has(&isa_set[slot[s].set], v->words[i])) {
			v->slot_word[s] = v->words[i];
			v->slot_from[s] = (uint8_t)i++;
			full |= 1u << s;
		} else if (slot[s].flags & SLOT_OPTIONAL) {
			v->slot_word[s] = W_NONE;
		} else {
			if (!all) {
				m->count = 1;
				return false;
			}
			/* if the head word appears later, only the order is wrong */
			v->slot_word[s] = W_NONE;
			int at = -1;
			for (unsigned k = i; k < v->nwords; k++)
				if (v->words[k] < WORD_COUNT &&
					set_has(&isa_set[slot[s].set], v->words[k]) &&
					!(skip >> k & 1))
					at = (int)k;
			note_miss(m, at >= 0 ? MISS_ORDER : MISS_MISSING, at >= 0 ? at : -1, (int)s,
				at >= 0 ? NEAR : HEAD);
			if (at >= 0)
				skip |= 1u << at;
		}
	}
	memset(&v->slot_word[r->nheads], 0,
		sizeof v->slot_word[0] * (size_t)(r->nslots - r->nheads));
	memset(last, -1, sizeof last);
	for (; i < v->nwords; i++) {
		unsigned w = v->words[i];
		if (skip >> i & 1)
			continue;
		int found = -1, taken = -1;
		if (w < WORD_COUNT && set_has(&isa_set[r->allowed], w))
			for (s = r->nheads; s < r->nslots; s++)
				if (set_has(&isa_set[slot[s].set], w)) {
					if (!(full >> s & 1)) {
						found = (int)s;
						break;
					}
					taken = (int)s;
				}
		if (found < 0 && may_repeat(w) && view_find(v, (enum word)w) < (int)i)
			continue;
		if (found < 0 && taken < 0 && is_ignored_by_ptxas(v, w)) {
			m->lax = true;
			continue;
		}
		if (found < 0) {
			note_miss(m, taken >= 0 ? MISS_REPEATED : MISS_UNKNOWN, (int)i, taken,
				w < TYPE_COUNT ? TYPE_FAR : FAR);
			if (!all)
				return false;
			continue;
		}
		unsigned c = isa_word_info[w].category;
		if (c != CAT_mod && last[c] > found) {
			note_miss(m, MISS_ORDER, (int)i, found, NEAR);
			if (!all)
				return false;
		}
		last[c] = found;
		full |= 1u << found;
		v->slot_word[found] = (uint16_t)w;
		v->slot_from[found] = (uint8_t)i;
	}
	for (s = r->nheads; s < r->nslots; s++) {
		if (full >> s & 1)
			continue;
		if (!(slot[s].flags & SLOT_OPTIONAL)) {
			note_miss(m, MISS_MISSING, -1, (int)s, NEAR);
			if (!all)
				return false;
		} else if (slot[s].group) {
			for (unsigned k = 0; k < r->nslots; k++)
				if (k != s && slot[k].group == slot[s].group && full >> k & 1) {
					note_miss(m, MISS_ALONE, v->slot_from[k], (int)s, NEAR);
					if (!all)
						return false;
					break;
				}
		}
	}
	return !m->count;
}

/* Whether the file's target is in a list like "90a@80 100f@88"; then *PTX is the version that it
 * requires. */
static bool arch_has(const char *list, const struct isa_target *t, unsigned *ptx)
{
	while (*list) {
		unsigned sm = 0, since = 0;
		char suffix = 0;
		while (*list >= '0' && *list <= '9')
			sm = sm * 10 + (unsigned)(*list++ - '0');
		if (*list != '@')
			suffix = *list++;
		for (list++; *list >= '0' && *list <= '9'; list++)
			since = since * 10 + (unsigned)(*list - '0');
		if (*list == ' ')
			list++;
		if (sm == t->sm && suffix == t->suffix) {
			*ptx = since;
			return true;
		}
	}
	return false;
}

static const char *const arch_list[] = {
	"",
#define ARCH(name, text, list) list,
#include "isa/arch.def"
};

static bool need_fits(const struct view *v, struct miss *m, int word, unsigned ptx, unsigned sm)
{
	if (sm > NEED_ARCH) {
		m->arch = (uint8_t)(sm - NEED_ARCH);
		if (!arch_has(arch_list[m->arch], v->target, &ptx)) {
			note_miss(m, MISS_ARCH, word, -1, 1);
			return false;
		}
		sm = 0;
	}
	if (v->target->ptx >= ptx && v->target->sm >= sm)
		return true;
	note_miss(m, v->target->sm < sm ? MISS_SM : MISS_PTX, word, -1, 1);
	m->ptx = (uint16_t)ptx;
	m->sm = (uint16_t)sm;
	return false;
}

/* Whether the row has its own requirement for word W, which replaces that of need.def. */
static bool row_has_need(const struct view *v, unsigned w)
{
	for (unsigned k = 0; k < v->row->nneeds; k++)
		if (isa_need[v->row->need + k].word == w)
			return true;
	return false;
}

static bool sreg_since(const struct view *v, const struct isa_operand *o, struct miss *m)
{
	if (o->kind != OPERAND_SREG || o->value >= SREG_COUNT)
		return true;
	return need_fits(v, m, -1, sreg_info[o->value].ptx, sreg_info[o->value].sm);
}

bool needs_fit(const struct view *v, struct miss *m)
{
	const struct form *f = v->form;
	if (!need_fits(v, m, -1, f->ptx, f->arch ? NEED_ARCH + f->arch : f->sm))
		return false;
	for (unsigned i = 0; i < v->nwords; i++) {
		const struct need *n = &isa_word_need[v->words[i] < WORD_COUNT ? v->words[i] : 0];
		if (row_has_need(v, v->words[i]))
			continue;
		if (n->ptx && !need_fits(v, m, (int)i, n->ptx, n->sm))
			return false;
	}
	for (unsigned k = 0; k < v->row->nneeds; k++) {
		const struct need *n = &isa_need[v->row->need + k];
		int at = view_find(v, (enum word)n->word);
		if (at >= 0 && !need_fits(v, m, at, n->ptx, n->sm))
			return false;
	}
	if (v->op == OP_mov || v->op == OP_cvt)
		for (unsigned i = 1; i < v->noperands; i++) {
			const struct isa_operand *o = &v->operands[i];
			bool vector = o->kind == OPERAND_VECTOR;
			for (unsigned k = 0; k < (vector ? o->nsub : 1); k++)
				if (!sreg_since(v, vector ? &o->sub[k] : o, m)) {
					m->operand = (int)i;
					m->sub = vector ? (int)k : -1;
					return false;
				}
		}
	return true;
}

/* The distance of a row from fitting. */
static unsigned miss_score(const struct miss *m)
{
	switch (m->kind) {
	case MISS_NONE: return 0;
	case MISS_PTX:
	case MISS_SM:
	case MISS_ARCH: return 1;
	case MISS_RULE:
	case MISS_RANGE:
	case MISS_POLICY: return 10;
	case MISS_COUNT: return 90 + m->count;
	case MISS_UNKNOWN:
	case MISS_REPEATED:
	case MISS_ORDER:
	case MISS_MISSING:
	case MISS_ALONE: return 1000 * m->count;
	default: return 10 + 10 * m->count;
	}
}

static void explain_mismatch(struct arena *arena, struct view *v, struct isa_match *out)
{
	struct miss best = {.kind = MISS_NONE, .count = 1u << 20};
	struct view nearest = *v;
	struct word_set others = {{0}};
	unsigned least = UINT32_MAX;
	for (unsigned r = isa_op_row[v->op]; r < isa_op_row[v->op + 1]; r++) {
		struct miss m = {.word = -1, .operand = -1, .sub = -1, .slot = -1};
		v->row = &isa_row[r];
		v->form = &isa_form[r];
		if (!words_fit(v, &m, true)) {
			/* of rows equally near in words, prefer the one with the right number of
			 * operands */
			if (v->noperands < v->row->nrequired || v->noperands > v->row->nspecs)
				m.count = m.count * 2 + 1;
			else
				m.count = m.count * 2;
		} else if (operands_fit(v, &m) && rules_fit(v, &m)) {
			needs_fit(v, &m);
		}
		unsigned d = miss_score(&m);
		if (d < least) {
			least = d;
			best = m;
			nearest = *v;
			memset(&others, 0, sizeof others);
		}
		if (d == least && m.kind == MISS_MISSING && best.kind == MISS_MISSING &&
			m.slot == best.slot)
			for (unsigned i = 0; i < SET_LONGS; i++)
				others.bits[i] |=
					isa_set[isa_slot[v->row->slot + m.slot].set].bits[i];
	}
	best.others = &others;
	miss_explain(arena, &nearest, &best, &out->error);
}

unsigned isa_name_words(const struct form *form, const uint16_t *words, unsigned nwords)
{
	const struct row *r = &isa_row[form - isa_form];
	unsigned n = 0;
	if (!nwords || (form->opcode == OP_membar && words[0] != W_proxy) ||
		form->opcode == OP_griddepcontrol)
		return 0;
	for (unsigned s = 0; s < r->nheads && n < nwords; s++)
		n += words[n] < WORD_COUNT &&
			set_has(&isa_set[isa_slot[r->slot + s].set], words[n]);
	return n + (form->opcode == OP_bar && n < nwords && words[n] == W_arrive);
}

bool isa_values_matter(enum opcode op) { return op < OPCODE_COUNT && isa_op_values[op]; }

bool isa_match(struct arena *arena, enum opcode op, const uint16_t *words, unsigned nwords,
	const struct isa_operand *operands, unsigned noperands, const struct isa_target *target,
	struct isa_match *out)
{
	struct view v = {.op = op,
		.words = words,
		.nwords = nwords,
		.operands = operands,
		.noperands = noperands,
		.target = target};
	struct miss m = {.word = -1, .operand = -1, .sub = -1, .slot = -1};
	out->form = NULL;
	out->nwords = 0;
	out->error = (struct isa_error){.word = -1, .operand = -1, .sub = -1};
	if (!op || op >= OPCODE_COUNT)
		return false;
	if (nwords > ISA_MAX_WORDS) {
		out->error.message = "too many modifiers";
		out->error.word = ISA_MAX_WORDS;
		miss_unknown_word(
			arena, op, ISA_MAX_WORDS, (enum word)words[ISA_MAX_WORDS], &out->error);
		return false;
	}
	for (unsigned r = isa_op_row[op]; r < isa_op_row[op + 1]; r++) {
		v.row = &isa_row[r];
		v.form = &isa_form[r];
		m.count = 0;
		m.kind = MISS_NONE;
		m.lax = false;
		m.singles = 0;
		if (!words_fit(&v, &m, false) || !operands_fit(&v, &m) || !rules_fit(&v, &m) ||
			!needs_fit(&v, &m))
			continue;
		out->form = v.form;
		out->single = m.singles;
		out->lax = m.lax || v.form->traits & TRAIT_LAX;
		for (unsigned s = 0; s < v.row->nslots; s++)
			if (v.slot_word[s])
				out->word[out->nwords++] = v.slot_word[s];
		return true;
	}
	explain_mismatch(arena, &v, out);
	return false;
}
