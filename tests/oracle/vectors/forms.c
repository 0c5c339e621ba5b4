/* The forms, generated from the instruction table: every row's words in every combination that the
 * matcher accepts. */
#include "isa/table.h"
#include "vectors.h"
#include <string.h>

enum { MOST_OF_A_ROW = 1500, SAMPLE = 220 };

/* The register that holds a value of TYPE. */
static enum type register_type(enum type t)
{
	if (t == TYPE_pred || t == TYPE_f32 || t == TYPE_f64)
		return t;
	return type_info[t].bits <= 16 ? TYPE_b16 : type_info[t].bits <= 32 ? TYPE_b32 : TYPE_b64;
}

static enum pool pool_of(enum type t)
{
	switch ((int)t) {
	case TYPE_f32:
	case TYPE_tf32: return POOL_F32;
	case TYPE_f64: return POOL_F64;
	case TYPE_f16:
	case TYPE_f16x2: return POOL_F16;
	case TYPE_bf16:
	case TYPE_bf16x2: return POOL_BF16;
	default: return POOL_INT;
	}
}

/* The type an operand has, given the type words of the instruction. */
static enum type spec_type(const struct spec *s, const enum type *t)
{
	if (s->type >= REF_T1 && s->type <= REF_T4)
		return t[s->type - REF_T1];
	if (s->type == REF_WIDE) {
		static const struct {
			uint8_t narrow, wide;
		} w[] = {{TYPE_u16, TYPE_u32}, {TYPE_s16, TYPE_s32}, {TYPE_u32, TYPE_u64},
			{TYPE_s32, TYPE_s64}};
		for (unsigned i = 0; i < 4; i++)
			if (w[i].narrow == t[0])
				return (enum type)w[i].wide;
	}
	return s->type < TYPE_COUNT ? (enum type)s->type : TYPE_NONE;
}

/* Fills operands from the row's specs; false: vectors do not cover this shape. */
static bool shape(struct vector_form *f, const struct row *r, struct isa_operand *o,
	struct isa_operand *sub, unsigned *n)
{
	enum type t[4] = {TYPE_NONE, TYPE_NONE, TYPE_NONE, TYPE_NONE};
	unsigned nt = 0;

	for (unsigned i = 0; i < f->nwords && nt < 4; i++)
		if (word_type(f->word[i]) != TYPE_NONE)
			t[nt++] = word_type(f->word[i]);
	*n = 0;
	for (unsigned k = 0; k < r->nspecs; k++) {
		const struct spec *s = &isa_spec[r->spec + k];
		enum type type = spec_type(s, t);
		if (s->when != W_NONE || (s->flags & SPEC_OPTIONAL))
			continue; /* impossible with the chosen words, or omitted */
		if (s->vector != VEC_NONE || (s->flags & SPEC_TENSOR))
			return false;
		if (s->kind == SPEC_ADDRESS) {
			sub[0] = (struct isa_operand){.kind = OPERAND_REG, .type = TYPE_b64};
			o[(*n)++] = (struct isa_operand){
				.kind = OPERAND_ADDRESS, .sub = &sub[0], .nsub = 1};
			f->atomic = 1;
			continue;
		}
		if (type == TYPE_NONE || type_info[type].bits > 64)
			return false;
		struct isa_operand reg = {
			.kind = OPERAND_REG, .type = (uint8_t)register_type(type)};
		if (s->kind == SPEC_DEST) {
			f->dest = reg.type;
			if (s->flags & (SPEC_PAIR | SPEC_PAIR_OK)) {
				f->second = TYPE_pred;
				sub[1] = reg;
				sub[2] = (struct isa_operand){
					.kind = OPERAND_REG, .type = TYPE_pred};
				reg = (struct isa_operand){
					.kind = OPERAND_PAIR, .sub = &sub[1], .nsub = 2};
			}
			o[(*n)++] = reg;
			continue;
		}
		if (f->nsources == MAX_SOURCES ||
			(s->kind != SPEC_SOURCE && s->kind != SPEC_REG && s->kind != SPEC_CONST))
			return false;
		struct vector_operand *v = &f->source[f->nsources++];
		v->type = reg.type;
		v->pool = (uint8_t)pool_of(type);
		if (s->kind == SPEC_CONST || strcmp(s->name, "m") == 0) {
			v->constant = 1;
			/* lop3's table; a whole warp */
			v->value = s->kind == SPEC_CONST ? 0x9bu : 0xffffffffu;
			reg = (struct isa_operand){.kind = OPERAND_INT, .value = v->value};
		}
		o[(*n)++] = reg;
	}
	return true;
}

static bool has(const struct vector_form *f, enum word w)
{
	for (unsigned i = 0; i < f->nwords; i++)
		if (f->word[i] == w)
			return true;
	return false;
}

/* Adds the form of row NUMBER with the words in CHOICE, if the matcher accepts it. */
static bool enter(struct arena *a, unsigned number, const uint16_t *choice, struct vector_form *f)
{
	static const struct isa_target target = {.ptx = 90, .sm = 90, .address_size = 64};
	const struct row *r = &isa_row[number];
	struct isa_operand operand[10], sub[3];
	struct isa_match m;
	struct text name = {0};
	unsigned n;

	*f = (struct vector_form){.opcode = isa_form[number].opcode};
	for (unsigned s = 0; s < r->nslots; s++)
		if (choice[s] != W_NONE)
			f->word[f->nwords++] = choice[s];
	if (!shape(f, r, operand, sub, &n) ||
		!isa_match(
			a, (enum opcode)f->opcode, f->word, f->nwords, operand, n, &target, &m) ||
		m.form != &isa_form[number])
		return false;
	enum opcode op = (enum opcode)f->opcode;
	f->carries = has(f, W_cc) || op == OP_addc || op == OP_subc || op == OP_madc;
	f->approximate = has(f, W_approx) || has(f, W_full);
	text_puts(&name, opcode_text(op));
	for (unsigned i = 0; i < f->nwords; i++)
		text_printf(&name, ".%s", word_text((enum word)f->word[i]));
	f->name = arena_text(a, text_str(&name), name.len);
	text_free(&name);
	return true;
}

static bool wanted(unsigned number)
{
	const struct form *f = &isa_form[number];

	if (f->sm > 90 || f->arch != 0)
		return false;
	switch ((int)f->handler) {
	case HANDLER_alu:
	case HANDLER_redux:
	case HANDLER_match:
	case HANDLER_shfl:
	case HANDLER_atom: return true;
	case HANDLER_vote: return true;
	default: return false;
	}
}

/* The words allowed in a slot. Of memory orders, scopes, spaces and hints one choice is enough,
 * since they do not change a lane's result. */
static unsigned options(const struct slot *s, uint16_t *out)
{
	unsigned n = 0;

	switch (s->category) {
	case CAT_sem:
	case CAT_scope:
	case CAT_hint:
	case CAT_cop:
	case CAT_l1:
	case CAT_l2:
	case CAT_l2fetch:
		if (s->flags & SLOT_OPTIONAL)
			out[n++] = W_NONE;
		if (n)
			return n;
		break;
	case CAT_space: out[n++] = W_global; return n;
	default: break;
	}
	if (s->flags & SLOT_OPTIONAL)
		out[n++] = W_NONE;
	for (unsigned w = 1; w < WORD_COUNT; w++)
		if (set_has(&isa_set[s->set], w))
			out[n++] = (uint16_t)w;
	return n;
}

struct vector_form *vector_forms(struct arena *a, unsigned *count)
{
	struct arena scratch = {0};
	struct vector_form *all = NULL;
	unsigned n = 0, cap = 0;

	for (unsigned number = 0; number < isa_forms; number++) {
		if (!wanted(number))
			continue;
		const struct row *r = &isa_row[number];
		static uint16_t option[32][WORD_COUNT];
		unsigned size[32];
		uint64_t combinations = 1;
		for (unsigned s = 0; s < r->nslots; s++) {
			size[s] = options(&isa_slot[r->slot + s], option[s]);
			combinations *= size[s];
		}
		/* Comparisons with a Boolean operation would be thousands: every 13th of those. */
		uint64_t step = combinations > 20000 ? 1
			: combinations > MOST_OF_A_ROW && isa_form[number].opcode != OP_cvt
			? combinations / SAMPLE | 1
			: 1;
		for (uint64_t c = 0; c < combinations; c += step) {
			uint16_t choice[32];
			uint64_t rest = c;
			for (unsigned s = 0; s < r->nslots; s++) {
				choice[s] = option[s][rest % size[s]];
				rest /= size[s];
			}
			if (n == cap) {
				struct vector_form *more = ARENA_ARRAY(
					a, struct vector_form, cap = cap ? 2 * cap : 256);
				if (n)
					memcpy(more, all, n * sizeof *all);
				all = more;
			}
			if (enter(&scratch, number, choice, &all[n])) {
				all[n].name = arena_text(a, all[n].name, strlen(all[n].name));
				n++;
			}
		}
	}
	arena_free(&scratch);
	*count = n;
	return all;
}
