/* Messages for instructions that match no row: which word or operand is wrong, and what would be
 * valid. */
#include "isa/check.h"
#include "diag/diag.h"
#include <string.h>

/* maximum words in a message's list */
enum { LIST_MAX = 24 };

static void put_words(struct text *t, const struct word_set *set)
{
	unsigned n = 0;
	for (unsigned w = 1; w < WORD_COUNT; w++)
		if (set_has(set, w)) {
			if (n == LIST_MAX) {
				text_puts(t, " ...");
				return;
			}
			text_printf(t, "%s.%s", n++ ? " " : "", word_text((enum word)w));
		}
}

static bool set_single(const struct word_set *set)
{
	unsigned n = 0;
	for (unsigned w = 1; w < WORD_COUNT; w++)
		n += set_has(set, w);
	return n == 1;
}

static const char *keep_text(struct arena *a, struct text *t)
{
	const char *s = arena_text(a, text_str(t), t->len);
	text_free(t);
	return s;
}

/* Appends the opcode with the head words that are present: "mbarrier.try_wait". */
static void put_head(struct text *t, const struct view *v)
{
	text_puts(t, opcode_text(v->op));
	for (unsigned i = 0; i < v->row->nheads && i < v->nwords; i++)
		if (v->words[i] && v->slot_word[i] == v->words[i])
			text_printf(t, ".%s", word_text((enum word)v->words[i]));
}

/* The form of the nearest row in the manual's notation. */
static const char *form_text(struct arena *a, const struct view *v)
{
	struct text t = {0};
	text_puts(&t, "the form is ");
	form_short(&t, v->row, v->op);
	return keep_text(a, &t);
}

static const char *what_fits(enum type t)
{
	switch (type_info[t].class) {
	case CLASS_PRED: return "a predicate";
	case CLASS_BITS:
		switch (type_info[t].bits) {
		case 8: return "an 8-bit register";
		case 16: return "a 16-bit register";
		case 32: return "a 32-bit register";
		case 64: return "a 64-bit register";
		default: return "a 128-bit register";
		}
	case CLASS_UNSIGNED:
	case CLASS_SIGNED:
		switch (type_info[t].bits) {
		case 8: return "an integer register of 8 bits or more";
		case 16: return "a 16-bit integer register";
		case 32: return "a 32-bit integer register";
		default: return "a 64-bit integer register";
		}
	case CLASS_FLOAT:
		return t == TYPE_f16    ? "a .f16 or .b16 register"
			: t == TYPE_f32 ? "a .f32 or .b32 register"
					: "a .f64 or .b64 register";
	default:
		if (type_info[t].bits <= 16)
			return "a .b16 register";
		return type_info[t].bits <= 32    ? "a .b32 register"
			: type_info[t].bits <= 64 ? "a .b64 register"
						  : "a .b128 register";
	}
}

static const char *type_help(struct arena *a, enum type want, enum type have)
{
	const struct type_info *w = &type_info[want], *h = &type_info[have];
	bool wi = w->class == CLASS_UNSIGNED || w->class == CLASS_SIGNED || w->class == CLASS_BITS;
	bool hi = h->class == CLASS_UNSIGNED || h->class == CLASS_SIGNED || h->class == CLASS_BITS;
	if (have == TYPE_pred)
		return "selp turns a predicate into a value";
	if (want == TYPE_pred)
		return "setp.ne turns a value into a predicate";
	if (wi && hi && w->bits > h->bits && w->bits <= 64)
		return arena_printf(a, "widen it first: cvt.%c%u.%c%u%s",
			w->class == CLASS_SIGNED ? 's' : 'u', w->bits,
			w->class == CLASS_SIGNED ? 's' : 'u', h->bits,
			w->bits == 64 && h->bits == 32 ? ", or mul.wide" : "");
	if (wi && hi && w->bits < h->bits)
		return arena_printf(a, "narrow it first: cvt.u%u.u%u", w->bits, h->bits);
	if (w->bits == h->bits)
		return arena_printf(a, "mov.b%u moves the bits, cvt converts the value", w->bits);
	return "cvt converts the value";
}

static const char *kind_wanted(const struct spec *s)
{
	switch (s ? s->kind : SPEC_ANY) {
	case SPEC_DEST: return "a destination register";
	case SPEC_SOURCE: return "a register or a constant";
	case SPEC_REG: return "a register";
	case SPEC_CONST: return "a constant";
	case SPEC_ADDRESS: return "an address in [ ]";
	case SPEC_LABEL: return "a label";
	case SPEC_ONLY_SINK: return "_, because there is no result";
	case SPEC_TABLE: return "a list of labels (.branchtargets)";
	default: return "something else";
	}
}

static void word_errors(
	struct arena *a, const struct view *v, const struct miss *m, struct isa_error *e)
{
	struct text t = {0}, h = {0};
	const struct slot *s = m->slot >= 0 ? &isa_slot[v->row->slot + m->slot] : NULL;
	const char *w = m->word >= 0 && m->word < (int)v->nwords
		? word_text((enum word)v->words[m->word])
		: "";
	switch (m->kind) {
	case MISS_REPEATED: {
		const char *other = word_text((enum word)v->slot_word[m->slot]);
		if (!strcmp(other, w))
			text_printf(&t, "'.%s' is repeated", w);
		else
			text_printf(&t, "'.%s' contradicts '.%s'", w, other);
		text_puts(&h, "keep one of ");
		put_words(&h, &isa_set[s->set]);
		e->code = DIAG_E0303;
		break;
	}
	case MISS_ORDER:
		if (s && s->flags & SLOT_HEAD) {
			text_printf(&t,
				"'.%s' is part of the instruction's name and must directly follow %s",
				w, opcode_text(v->op));
		} else {
			text_printf(
				&t, "'.%s' is misplaced: the order of these modifiers matters", w);
		}
		e->code = DIAG_E0304;
		break;
	case MISS_ALONE:
		text_printf(&t, "'.%s' is incomplete here: one of ", w);
		put_words(&t, &isa_set[s->set]);
		text_puts(&t, " is required with it");
		e->code = DIAG_E0322;
		break;
	default:
		put_head(&t, v);
		if (set_single(m->others)) {
			text_puts(&t, " needs ");
			put_words(&t, m->others);
			text_puts(&t, " here");
		} else {
			text_puts(&t, " needs one of ");
			put_words(&t, m->others);
		}
		e->code = DIAG_E0302;
		if (s->category == CAT_scope) {
			e->code = DIAG_E0322;
			text_puts(&t, " with the memory order");
		}
		break;
	}
	e->message = keep_text(a, &t);
	e->help = h.len ? keep_text(a, &h) : form_text(a, v);
}

static void nearest_word(struct text *t, const struct word_set *set, const char *w)
{
	unsigned best = 3, found = 0;
	size_t n = strlen(w);
	for (unsigned i = 1; i < WORD_COUNT; i++)
		if (set_has(set, i)) {
			unsigned d = text_distance(w, n, word_text((enum word)i),
				strlen(word_text((enum word)i)), best);
			if (d < best && d < n) {
				best = d;
				found = i;
			}
		}
	if (found)
		text_printf(t, "did you mean '.%s'? ", word_text((enum word)found));
}

/* "atom.min takes .u32 .s32 here, not '.f32'": the word has the right category, but the row
 * requires another. Returns false if no slot of that category is empty. */
static bool other_word(
	struct arena *a, const struct view *v, const struct miss *m, struct isa_error *e)
{
	unsigned w = v->words[m->word], c = w < WORD_COUNT ? isa_word_info[w].category : CAT_mod;
	struct text t = {0};
	if (c != CAT_type && c != CAT_scope && c != CAT_space && c != CAT_vec && c != CAT_shape)
		return false;
	for (unsigned i = 0; i < v->row->nslots; i++) {
		const struct slot *s = &isa_slot[v->row->slot + i];
		if (s->category != c || v->slot_word[i])
			continue;
		text_puts(&t, opcode_text(v->op));
		for (unsigned k = 0; k < v->row->nslots; k++)
			if (v->slot_word[k] &&
				(k < v->row->nheads ||
					isa_word_info[v->slot_word[k]].category == CAT_op ||
					isa_word_info[v->slot_word[k]].category == CAT_type))
				text_printf(&t, ".%s", word_text((enum word)v->slot_word[k]));
		text_puts(&t, " takes ");
		put_words(&t, &isa_set[s->set]);
		text_printf(&t, " here, not '.%s'", word_text((enum word)w));
		e->code = DIAG_E0301;
		e->message = keep_text(a, &t);
		e->help = form_text(a, v);
		return true;
	}
	return false;
}

void miss_unknown_word(struct arena *a, enum opcode op, int word, enum word w, struct isa_error *e)
{
	e->code = DIAG_E0301;
	e->word = word;
	e->message = arena_printf(a, "%s does not take '.%s'", opcode_text(op), word_text(w));
}

static void need_errors(
	struct arena *a, const struct view *v, const struct miss *m, struct isa_error *e)
{
	static const char *const arch_text[] = {
		"",
#define ARCH(name, text, list) text,
#include "isa/arch.def"
	};
	struct text what = {0};
	if (m->operand >= 0) {
		text_puts(&what, "\1");
	} else if (m->word >= 0) {
		text_printf(&what, "'.%s'", word_text((enum word)v->words[m->word]));
	} else {
		text_puts(&what, opcode_text(v->op));
		for (unsigned i = 0; i < v->nwords && i < 4; i++)
			text_printf(&what, ".%s", word_text((enum word)v->words[i]));
	}
	const char *suffix = v->target->suffix == 'a' ? "a" : v->target->suffix == 'f' ? "f" : "";
	switch (m->kind) {
	case MISS_ARCH:
		e->code = DIAG_E0314;
		e->message = arena_printf(a, "%s exists on %s only; the target is sm_%u%s",
			text_str(&what), arch_text[m->arch], v->target->sm, suffix);
		break;
	case MISS_SM:
		e->code = DIAG_E0313;
		e->message = arena_printf(a,
			"%s requires .target sm_%u or later; the file says sm_%u%s",
			text_str(&what), m->sm, v->target->sm, suffix);
		e->help = arena_printf(a, "it requires .version %u.%u and .target sm_%u",
			m->ptx / 10, m->ptx % 10, m->sm);
		break;
	default:
		e->code = DIAG_E0312;
		e->message = arena_printf(a,
			"%s requires .version %u.%u or later; the file says %u.%u", text_str(&what),
			m->ptx / 10, m->ptx % 10, v->target->ptx / 10, v->target->ptx % 10);
		break;
	}
	text_free(&what);
}

/* For ldmatrix and stmatrix the number of registers depends on the words; for others the row has a
 * range. */
static const char *vector_wanted(struct arena *a, const struct view *v, const struct miss *m)
{
	unsigned lo = m->expected,
		 hi = m->spec && m->spec->vector != VEC_WORD && m->spec->vector_hi > lo
		? m->spec->vector_hi
		: lo;

	for (unsigned i = 0; (v->op == OP_ldmatrix || v->op == OP_stmatrix) && i < v->nwords; i++)
		if (v->words[i] >= W_x1 && v->words[i] <= W_x4)
			lo = hi = (1u << (v->words[i] - W_x1)) * (view_has(v, W_m16n16) ? 2 : 1);
	return lo < hi
		? arena_printf(a, "\1 should be a vector of %u to %u elements", lo, hi)
		: arena_printf(a, "\1 should be a vector of %u element%s", lo, lo == 1 ? "" : "s");
}

static void operand_errors(
	struct arena *a, const struct view *v, const struct miss *m, struct isa_error *e)
{
	const struct isa_operand *o = m->operand >= 0 && m->operand < (int)v->noperands
		? &v->operands[m->operand]
		: NULL;
	if (o && m->sub >= 0 && (uint32_t)m->sub < o->nsub)
		o = &o->sub[m->sub];
	struct text name = {0};
	text_puts(&name, opcode_text(v->op));
	for (unsigned i = 0; i < v->nwords; i++)
		if (i < v->row->nheads ||
			isa_word_info[v->words[i] < WORD_COUNT ? v->words[i] : 0].category ==
				CAT_type)
			text_printf(&name, ".%s", word_text((enum word)v->words[i]));
	const char *insn = keep_text(a, &name);
	switch (m->kind) {
	case MISS_COUNT:
		e->code = DIAG_E0305;
		e->message = m->operand >= 0
			? arena_printf(a, "%s does not take operand \1: that is one too many", insn)
			: arena_printf(a, "%s needs %u more operand%s", insn, m->count,
				  m->count == 1 ? "" : "s");
		e->help = form_text(a, v);
		break;
	case MISS_POLICY:
		e->code = DIAG_E0316;
		e->message = view_has(v, W_L2__cache_hint)
			? arena_printf(a, "%s.L2::cache_hint needs a cache policy as last operand",
				  opcode_text(v->op))
			: arena_printf(a, "a cache policy (\1) needs the modifier .L2::cache_hint");
		break;
	case MISS_SINK:
		e->code = DIAG_E0315;
		e->message = arena_printf(a, "the result of %s cannot be discarded", insn);
		e->help = "name a register";
		break;
	case MISS_NEGATED:
		e->code = DIAG_E0318;
		e->message = arena_printf(a, "%s does not take a negated operand: \1", insn);
		e->help = o && o->type == TYPE_pred ? NULL : "neg computes the negative";
		break;
	case MISS_SREG:
		e->code = DIAG_E0319;
		e->message = arena_printf(a, "%s does not read the special register \1", insn);
		e->help = "move it to a register with mov first";
		break;
	case MISS_PAIR:
		e->code = DIAG_E0321;
		e->message = arena_printf(
			a, "the destination of %s is a pair: register|predicate", insn);
		break;
	case MISS_SELECT:
		e->code = DIAG_E0324;
		e->message = arena_printf(
			a, "the selector of \1 does not match %s", opcode_text(v->op));
		e->help =
			"vadd and similar instructions take .b0 to .b3, .h0 and .h1; vadd2 .hxy, with masks .h0 .h1 .h10; vadd4 .bwxyz, with masks .b0 to .b3210";
		break;
	case MISS_VECTOR:
		e->code = DIAG_E0311;
		e->message = m->expected
			? vector_wanted(a, v, m)
			: arena_printf(
				  a, "%s takes a single register here, not the vector \1", insn);
		break;
	case MISS_ADDRESS:
		e->code = DIAG_E0320;
		if (m->type == TYPE_b64 && o)
			e->message = arena_printf(a,
				"\1 is .%s; a generic or .global address needs a 64-bit register",
				type_info[o->type].name);
		else if (o && o->kind == OPERAND_INT)
			e->message = "a constant address \1 is allowed in .local memory only";
		else
			e->message = arena_printf(
				a, "\1 is not an address that %s can use", opcode_text(v->op));
		break;
	case MISS_SPACE: {
		unsigned space = o ? o->space : W_NONE;
		enum word said = !m->spec || m->spec->space == SPACE_FIRST ? view_space(v, 0)
			: m->spec->space == SPACE_SECOND                   ? view_space(v, 1)
							 : (enum word)m->spec->space;
		e->code = DIAG_E0310;
		e->message = said
			? arena_printf(a, "\1 is in .%s, but the instruction says .%s",
				  word_text((enum word)space), word_text(said))
			: arena_printf(a, "\1 is in .%s, which generic addresses do not cover",
				  word_text((enum word)space));
		if (o && (o->space == W_const || o->space == W_param) && !view_space(v, 0))
			e->help = arena_printf(
				a, "%s.%s", opcode_text(v->op), word_text((enum word)o->space));
		break;
	}
	case MISS_CONST:
		e->code = DIAG_E0308;
		if (o && o->kind == OPERAND_FLOAT)
			e->message = arena_printf(a, "\1 is a floating-point constant; %s needs %s",
				insn,
				type_info[m->type].class == CLASS_FLOAT ||
						type_info[m->type].class == CLASS_ALT
					? "a register here"
					: "an integer");
		else if (m->type == TYPE_f32 || m->type == TYPE_f64)
			e->message = arena_printf(
				a, "\1 is an integer; %s needs a floating-point constant", insn);
		else
			e->message = arena_printf(a, "\1 is a constant; %s needs %s", insn,
				what_fits((enum type)m->type));
		if (o && o->kind == OPERAND_INT && (m->type == TYPE_f32 || m->type == TYPE_f64))
			e->help = o->value < 1000000
				? arena_printf(a, "write %llu.0", (unsigned long long)o->value)
				: "write it with a decimal point";
		break;
	case MISS_TYPE:
		e->code = DIAG_E0307;
		e->message = o && o->type
			? arena_printf(a, "\1 is .%s; %s needs %s", type_info[o->type].name, insn,
				  what_fits((enum type)m->type))
			: arena_printf(a, "an element of \1 has a different type; %s needs %s",
				  insn, what_fits((enum type)m->type));
		e->help = o && o->type ? type_help(a, (enum type)m->type, (enum type)o->type)
				       : NULL;
		break;
	case MISS_RANGE:
		e->code = DIAG_E0309;
		if (m->spec->lo == m->spec->hi)
			e->message = arena_printf(
				a, "\1 must be %lld here", (long long)m->spec->lo);
		else if (m->spec->lo == INT64_MIN)
			e->message = arena_printf(
				a, "\1 must be a multiple of %u", m->spec->multiple);
		else if (m->spec->multiple > 1)
			e->message = arena_printf(a,
				"\1 is out of range: multiples of %u from %lld to %lld",
				m->spec->multiple, (long long)m->spec->lo, (long long)m->spec->hi);
		else
			e->message = arena_printf(a, "\1 is out of range: %lld to %lld",
				(long long)m->spec->lo, (long long)m->spec->hi);
		break;
	default:
		e->code = DIAG_E0306;
		e->message = o && o->kind == OPERAND_SINK
			? arena_printf(a, "_ is used where %s needs %s", insn, kind_wanted(m->spec))
			: arena_printf(
				  a, "\1 is used where %s needs %s", insn, kind_wanted(m->spec));
		e->help = form_text(a, v);
		break;
	}
}

void miss_explain(struct arena *a, const struct view *v, const struct miss *m, struct isa_error *e)
{
	e->word = m->word;
	e->operand = m->operand;
	e->sub = m->sub;
	switch (m->kind) {
	case MISS_UNKNOWN: {
		struct text h = {0};
		if (other_word(a, v, m, e))
			break;
		miss_unknown_word(a, v->op, m->word, (enum word)v->words[m->word], e);
		nearest_word(
			&h, &isa_set[v->row->allowed], word_text((enum word)v->words[m->word]));
		text_puts(&h, form_text(a, v));
		e->help = keep_text(a, &h);
		break;
	}
	case MISS_REPEATED:
	case MISS_ORDER:
	case MISS_MISSING:
	case MISS_ALONE: word_errors(a, v, m, e); break;
	case MISS_PTX:
	case MISS_SM:
	case MISS_ARCH: need_errors(a, v, m, e); break;
	case MISS_RULE:
		e->code = DIAG_E0317;
		e->message = m->text;
		e->help = m->help;
		break;
	default: operand_errors(a, v, m, e); break;
	}
}
