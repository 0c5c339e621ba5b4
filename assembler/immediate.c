/* The types of immediates: which type the table row gives each operand (in the notation of
 * isa.def), and the bits of a constant in that type. */
#include "assembler/internal.h"
#include <ctype.h>
#include <string.h>

static enum type bits_type(unsigned bits)
{
	return bits >= 64 ? TYPE_b64 : bits >= 32 ? TYPE_b32 : bits >= 16 ? TYPE_b16 : TYPE_b8;
}

static enum type widened(enum type t)
{
	switch ((int)t) {
	case TYPE_u16: return TYPE_u32;
	case TYPE_s16: return TYPE_s32;
	case TYPE_u32: return TYPE_u64;
	case TYPE_s32: return TYPE_s64;
	default: return t;
	}
}

static enum type nth_type(const uint16_t *words, unsigned nwords, unsigned n)
{
	enum type t = TYPE_NONE;

	for (unsigned i = 0; i < nwords && n; i++)
		if (word_type(words[i])) {
			t = word_type(words[i]);
			n--;
		}
	return n ? TYPE_NONE : t;
}

static bool has_word(const uint16_t *words, unsigned nwords, const char *text, size_t len)
{
	enum word w = word_find(text, len);

	for (unsigned i = 0; i < nwords; i++)
		if (w && words[i] == w)
			return true;
	return false;
}

/* The type named at P, after the colon. */
static enum type named_type(const char *p, const uint16_t *words, unsigned nwords)
{
	size_t len = 0;

	while (isalnum((unsigned char)p[len]))
		len++;
	if (len && p[0] == 'T')
		return nth_type(words, nwords, len > 1 ? (unsigned)(p[1] - '0') : 1);
	if (len == 1 && p[0] == 'W')
		return widened(nth_type(words, nwords, 1));
	return word_type(word_find(p, len));
}

/* Reads one operand of the notation at P and returns its end. */
static const char *read_operand(
	const char *p, const uint16_t *words, unsigned nwords, enum type *type)
{
	unsigned depth = 0;

	*type = nth_type(words, nwords, 1);
	for (; *p; p++) {
		if (*p == '[')
			depth++;
		else if (*p == ']')
			depth--;
		else if (depth)
			continue;
		else if (*p == '{' && p[1] == '|')
			p += strcspn(p, "}");
		else if (*p == ',' || *p == '{' || *p == '}')
			break;
		else if (*p == ':')
			*type = named_type(p + 1, words, nwords);
		if (!*p)
			break;
	}
	return p;
}

void immediate_types(
	const struct form *form, const uint16_t *words, unsigned nwords, uint8_t *types, unsigned n)
{
	const char *p = isa_operands(form);
	enum type type, rest = nth_type(words, nwords, 1);
	unsigned k = 0;

	while (*p && k < n) {
		if (*p == ',' || *p == '}') {
			p++;
		} else if (*p == '{' && p[1] == '.') {
			size_t len = strcspn(p + 2, ",");

			p += has_word(words, nwords, p + 2, len) ? len + 2 : strcspn(p, "}");
		} else if (*p == '{') {
			p++;
		} else {
			p = read_operand(p, words, nwords, &type);
			types[k++] = (uint8_t)type;
		}
	}
	for (; k < n; k++)
		types[k] = (uint8_t)rest;
}

bool immediate_convert(struct ir_operand *o, enum type type)
{
	struct constant c = {.kind = o->type == TYPE_f64 || o->type == TYPE_f32 ? CONST_F64
			: o->type == TYPE_u64                                   ? CONST_U64
										: CONST_S64,
		.bits = o->value};
	uint64_t bits;

	c.hex = o->type == TYPE_f32 ? 'f' : 0;
	if (type == TYPE_NONE)
		type = c.kind == CONST_F64 ? TYPE_f32 : TYPE_u32;
	if (type == TYPE_pred)
		bits = c.bits != 0;
	else if (!constant_convert(&c, type, &bits))
		return false;
	o->value = bits;
	o->type = (uint8_t)type;
	unsigned width = type_info[type].bits;
	if (type == TYPE_pred || (width > 0 && width <= 64 && !(bits >> (width - 1) & 1)))
		/* -0, or a negative number truncated to a positive one: as if written as such */
		o->aux = 0;
	return true;
}

static void convert_tree(struct assembler *as, uint32_t at, enum type type, bool packs)
{
	struct ir_operand o = as->operand_v.data[at];

	switch (o.kind) {
	case IR_IMM: immediate_convert(&as->operand_v.data[at], type); break;
	case IR_VEC:
		if (packs && o.count)
			type = bits_type(type_info[type].bits / o.count);
		for (uint32_t i = 0; i < o.count; i++)
			convert_tree(as, o.index + i, type, false);
		break;
	case IR_ADDR: /* coordinates of textures and tensors are .s32 */
		for (uint32_t i = 0, list = at + o.further; i < as->operand_v.data[list].count; i++)
			convert_tree(as, as->operand_v.data[list].index + i, TYPE_s32, false);
		break;
	default: break;
	}
}

void immediates_convert(
	struct assembler *as, enum opcode op, const struct known_form *k, uint32_t base, unsigned n)
{
	const uint16_t *words = as->word_v.data + k->word;
	bool packs = op == OP_mov;

	for (unsigned i = 0; i < k->nwords; i++)
		packs = packs && words[i] != W_v2 && words[i] != W_v4;
	for (unsigned i = 0; i < n; i++) {
		const struct ir_operand *o = &as->operand_v.data[base + i];

		if (o->kind == IR_IMM || o->kind == IR_VEC || ir_further(o))
			convert_tree(
				as, base + i, i < KNOWN_TYPES ? k->type[i] : k->type[0], packs);
	}
}
