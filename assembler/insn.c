/* Assembling one instruction: guard, operands, the matching table row (cached by shape, since
 * programs repeat instructions), and the IR record. */
#include "base/assert.h"
#include "assembler/internal.h"
#include "base/hash.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* An upper bound on the shapes needed to lower O: two for an address. */
static unsigned count_shapes(const struct ast_operand *o)
{
	unsigned n = 0;

	for (; o; o = o->next) {
		n += 2;
		if (ast_sub(o) &&
			(o->kind == AST_ADDRESS || o->kind == AST_VECTOR || o->kind == AST_LIST ||
				o->kind == AST_BINARY))
			n += count_shapes(o->sub);
	}
	return n;
}

static uint32_t lower_guard(struct assembler *as, const struct ast_stmt *s)
{
	uint32_t index;
	enum name_kind kind;
	struct span span;
	struct diag *d;

	if (!s->guard)
		return IR_NONE;
	kind = name_find(as, s->guard, &index);
	if (kind == NAME_REG && as->reg_v.data[as->func_reg + index].type == TYPE_pred)
		return index;
	as->bad = true;
	if (kind == NAME_BAD)
		return IR_NONE;
	if (kind == NAME_NONE) {
		name_unknown(as, s->guard, ast_guard_span(s), "predicate");
		return IR_NONE;
	}
	d = kind == NAME_REG
		? REPORT(as, E0208, ast_guard_span(s), "a guard is a .pred register; '%s' is .%s",
			  NAME(as, s->guard),
			  type_info[as->reg_v.data[as->func_reg + index].type].name)
		: REPORT(as, E0208, ast_guard_span(s), "a guard is a .pred register; '%s' is not",
			  NAME(as, s->guard));
	if (name_place(as, s->guard, &span))
		diag_label(as->diags, d, as->source, span, "declared here");
	if (kind == NAME_REG)
		diag_help(as->diags, d, "compute a predicate first: setp.ne.u32 %%p, %s, 0;",
			NAME(as, s->guard));
	return IR_NONE;
}

static void unknown_opcode(struct assembler *as, const struct ast_stmt *s)
{
	const struct symbol_entry *e = &as->symbols->entry[s->symbol];
	unsigned best = e->len < 4 ? 2 : 3, found = 0, d;
	struct diag *r = REPORT(
		as, E0207, s->name_span, "'%s' is not an instruction", NAME(as, s->symbol));

	as->bad = true;
	for (unsigned op = 1; op < OPCODE_COUNT; op++) {
		const char *text = opcode_text((enum opcode)op);

		d = text_distance(text, strlen(text), e->text, e->len, best);
		if (d < best) {
			best = d;
			found = op;
		}
	}
	if (strcmp(e->text, "jmp") == 0 || strcmp(e->text, "goto") == 0)
		found = OP_bra;
	if (found)
		diag_help(as->diags, r, "did you mean '%s'?", opcode_text((enum opcode)found));
}

/* The shape of an instruction as numbers: everything that isa_match may depend on. At most
 * SIGN_OPERAND of each operand. Returns the end. */
enum { SIGN_OPERAND = 4 };
static uint64_t *sign_operands(uint64_t *to, const struct isa_operand *o, unsigned n, bool values)
{
	for (; n; n--, o++) {
		/* kind to space */
		_Static_assert(offsetof(struct isa_operand, value) == sizeof *to, "one number");
		memcpy(to++, o, sizeof *to);
		if (o->kind == OPERAND_SREG ||
			(values && (o->kind == OPERAND_INT || o->kind == OPERAND_FLOAT))) {
			*to++ = o->value;
			*to++ = o->value_signed;
		}
		if (o->nsub) {
			*to++ = o->nsub;
			to = sign_operands(to, o->sub, o->nsub, values);
		}
	}
	return to;
}

static uint64_t *sign_words(uint64_t *to, const uint16_t *words, unsigned n)
{
	enum { EACH = sizeof *to / sizeof *words };

	for (; n; to++) {
		unsigned some = n < EACH ? n : EACH;

		*to = 0;
		for (unsigned i = 0; i < some; i++)
			*to = *to << 16 | *words++;
		n -= some;
	}
	return to;
}

/* Writes all of it to as->sign. */
static void sign_insn(struct assembler *as, enum opcode op, const uint16_t *words, unsigned nwords,
	const struct isa_operand *shape, unsigned n)
{
	uint32_t operands = as->shape.count > n ? as->shape.count : n;
	uint64_t *to;

	as->sign.count = 0;
	vec_reserve(&as->sign, 1u + nwords + (uint64_t)operands * SIGN_OPERAND);
	to = as->sign.data;
	*to++ = (uint64_t)n << 32 | nwords << 16 | op;
	to = sign_words(to, words, nwords);
	to = sign_operands(to, shape, n, isa_values_matter(op));
	as->sign.count = (uint32_t)(to - as->sign.data);
}

static const struct known_form *find_known(struct assembler *as, uint32_t hash)
{
	uint32_t i = as->known_slots ? as->known_slot[hash & (as->known_slots - 1)] : 0;

	for (; i; i = as->known.data[i - 1].next) {
		const struct known_form *k = &as->known.data[i - 1];

		if (k->hash == hash && k->nkey == as->sign.count &&
			memcmp(as->key.data + k->key, as->sign.data,
				k->nkey * sizeof *as->key.data) == 0)
			return k;
	}
	return NULL;
}

static void rehash_known(struct assembler *as)
{
	uint32_t slots = as->known_slots ? as->known_slots * 2 : 1024;

	memory_drop(as->known_slot);
	as->known_slot = memory_zeroed(slots, sizeof *as->known_slot);
	as->known_slots = slots;
	for (uint32_t i = 0; i < as->known.count; i++) {
		uint32_t *head = &as->known_slot[as->known.data[i].hash & (slots - 1)];

		as->known.data[i].next = *head;
		*head = i + 1;
	}
}

static const struct known_form *remember_form(
	struct assembler *as, uint32_t hash, const struct isa_match *m)
{
	struct known_form k = {.hash = hash,
		.key = as->key.count,
		.nkey = as->sign.count,
		.word = as->word_v.count,
		.form = (uint16_t)(m->form - isa_form),
		.nwords = m->nwords,
		.lax = m->lax,
		.single = m->single};

	immediate_types(m->form, m->word, m->nwords, k.type, KNOWN_TYPES);
	vec_reserve(&as->word_v, m->nwords + 1u);
	memcpy(as->word_v.data + as->word_v.count, m->word, m->nwords * sizeof *m->word);
	as->word_v.count += m->nwords;
	vec_reserve(&as->key, k.nkey);
	memcpy(as->key.data + as->key.count, as->sign.data, k.nkey * sizeof *as->key.data);
	as->key.count += k.nkey;
	*vec_push(&as->known) = k;
	if (as->known.count > as->known_slots / 2) {
		rehash_known(as);
	} else {
		uint32_t *head = &as->known_slot[hash & (as->known_slots - 1)];

		as->known.data[as->known.count - 1].next = *head;
		*head = as->known.count;
	}
	return &as->known.data[as->known.count - 1];
}

static const struct ast_operand *nth_operand(const struct ast_operand *o, int n)
{
	while (o && n-- > 0)
		o = o->next;
	return o;
}

/* The location of a matcher's error: an operand, part of one, a word, or the opcode. */
static struct span error_span(struct assembler *as, const struct ast_stmt *s,
	const struct isa_error *e, const struct ast_operand **operand)
{
	const struct ast_operand *o = e->operand >= 0 ? nth_operand(as->operands, e->operand)
						      : NULL;

	*operand = NULL;
	if (o && e->sub >= 0 && nth_operand(ast_sub(o), e->sub))
		o = nth_operand(ast_sub(o), e->sub);
	if (o) {
		*operand = o;
		return o->span;
	}
	if (e->word >= 0 && e->word < s->nwords)
		return ast_word_span(as->source, s, (unsigned)e->word);
	return s->name_span;
}

static void report_mismatch(
	struct assembler *as, const struct ast_stmt *s, const struct isa_error *e)
{
	const struct ast_operand *o;
	struct span span = error_span(as, s, e, &o), place;
	struct text message = {0};
	struct diag *d;

	/* every \1 in the message is replaced by the source text at the location */
	for (const char *c = e->message ? e->message : "no form of this instruction matches"; *c;
		c++)
		*c == '\1' ? text_printf(
				     &message, "'%.*s'", (int)span.len, as->source->text + span.off)
			   : text_putc(&message, *c);
	d = diag_report(
		as->diags, (enum diag_code)e->code, as->source, span, "%s", text_str(&message));
	text_free(&message);

	as->bad = true;
	while (o && ast_sub(o) &&
		(o->kind == AST_ADDRESS || o->kind == AST_UNARY || o->kind == AST_BINARY))
		o = o->sub;
	if (o && o->kind == AST_NAME && name_place(as, o->symbol, &place))
		diag_label(as->diags, d, as->source, place, "'%s' is declared here",
			NAME(as, o->symbol));
	if (e->help)
		diag_help(as->diags, d, "%s", e->help);
}

/* The table row of an instruction with opcode OP, the S->nwords WORDS, the operands SHAPE, and the
 * location of S; NULL after an error. */
static const struct known_form *match_row(struct assembler *as, const struct ast_stmt *s,
	enum opcode op, const uint16_t *words, const struct isa_operand *shape, unsigned n)
{
	struct isa_match m;
	const struct known_form *k;
	uint32_t hash;

	sign_insn(as, op, words, s->nwords, shape, n);
	hash = (uint32_t)hash_bytes(as->sign.data, as->sign.count * sizeof *as->sign.data, 0);
	k = find_known(as, hash);
	if (k)
		return k;
	if (!isa_match(&as->scratch, op, words, s->nwords, shape, n, &as->m->target, &m)) {
		report_mismatch(as, s, &m.error);
		return NULL;
	}
	return remember_form(as, hash, &m);
}

/* Rejects a blank inside the instruction's name (mbarrier .init), which ptxas reads as another
 * instruction. */
static bool check_name(struct assembler *as, const struct ast_stmt *s, const struct known_form *k)
{
	if (s->glued >= isa_name_words(&isa_form[k->form], s->words, s->nwords))
		return true;
	as->bad = true;
	diag_help(as->diags,
		REPORT(as, E0304, ast_word_span(as->source, s, s->glued),
			"'.%s' is part of the instruction's name and cannot follow a blank",
			word_text((enum word)s->words[s->glued])),
		"write %s.%s... without the blank", NAME(as, s->symbol),
		word_text((enum word)s->words[0]));
	return false;
}

/* st.param writes to parameters of a call being set up and to results of this function; ld.param
 * must not read those results. */
static bool check_param(struct assembler *as, uint32_t base, bool store)
{
	const struct ir_operand *o = &as->operand_v.data[base];
	const struct ir_var *v = o->kind == IR_ADDR && o->aux == IR_BASE_VAR
		? &as->var_v.data[o->index]
		: NULL;
	const struct ir_func *f = &as->func_v.data[as->func];
	struct diag *d;

	if (!v || v->space != W_param || as->group_v.data[o->index] != GROUP_SIGNATURE ||
		(o->index >= f->ret && o->index < f->ret + f->nrets) == store)
		return true;
	as->bad = true;
	d = store ? REPORT(as, E0225, as->operands->span,
			    "'%s' is a parameter, and parameters are read-only", NAME(as, v->name))
		  : REPORT(as, E0225, as->operands->next->span,
			    "'%s' is a result, and results are write-only", NAME(as, v->name));
	diag_label(as->diags, d, as->source, v->span, "declared here");
	diag_help(as->diags, d,
		store ? "copy it into a register or a .local variable"
		      : "keep the value in a register");
	return false;
}

/* Creates a register for the sum when operand AT is written as %r1+4. */
static void reserve_sum(struct assembler *as, const struct ast_operand *o, uint32_t at)
{
	static const char name[] = "%sum";
	uint32_t index;

	if (o->kind != AST_BINARY || o->op != '+')
		return;
	while (o->kind == AST_BINARY)
		o = o->sub;
	if (o->kind != AST_NAME || !name_is_register(as, o->symbol))
		return;
	*vec_push(&as->reg_v) = (struct ir_register){
		.name = name_unique(as, symbol_intern(as->symbols, name, sizeof name - 1))};
	*vec_push(&as->sum) = (struct sum){
		.operand = at, .reg = as->reg_v.count - 1 - as->func_reg};
	name_find(as, o->symbol, &index);
}

static unsigned lower_operands(struct assembler *as, struct isa_operand **shape, uint32_t *base)
{
	unsigned n = operand_count(as->operands), k = 0;

	*base = operand_reserve(as, n);
	*shape = shape_reserve(as, n);
	for (const struct ast_operand *o = as->operands; o; o = o->next)
		reserve_sum(as, o, *base + k++);
	k = 0;
	for (const struct ast_operand *o = as->operands; o; o = o->next, k++)
		operand_lower(as, o, *shape + k, *base + k);
	return n;
}

/* A copy of the words of K, followed by the mask of a .pragma "used_bytes_mask". */
static uint32_t words_and_mask(struct assembler *as, const struct known_form *k)
{
	uint32_t first = as->word_v.count;

	vec_reserve(&as->word_v, k->nwords + (uint32_t)IR_MASK_WORDS);
	ir_put_words(as->word_v.data + first, as->word_v.data + k->word, k->nwords, as->used_bytes);
	as->word_v.count += k->nwords + (uint32_t)IR_MASK_WORDS;
	return first;
}

static void emit_insn(struct assembler *as, const struct ast_stmt *s, const struct known_form *k,
	uint32_t base, unsigned n, uint32_t guard)
{
	*vec_push(&as->insn_v) = (struct ir_insn){
		.form = k->form & IR_FORM,
		.guard_negated = s->guard_negated & 1u,
		.pragma_bytes_set = as->used_bytes_set,
		.nwords = k->nwords,
		.noperands = (uint8_t)n,
		.word = as->used_bytes_set ? words_and_mask(as, k) : k->word,
		.operand = base,
		.guard = guard,
		.span = s->span,
	};
}

/* Emits the addition for %r1+4 before the instruction, in the register's type, as ptxas does. */
static bool emit_sum(
	struct assembler *as, const struct ast_stmt *s, const struct sum *sum, uint32_t guard)
{
	struct ir_operand o = as->operand_v.data[sum->operand];
	unsigned bits = type_info[o.type].bits;
	uint16_t word = (uint16_t)(bits == 16 ? W_u16 : bits == 32 ? W_u32 : W_u64);
	struct ast_stmt add = *s;
	struct isa_operand shape[3] = {{.kind = OPERAND_REG, .type = (uint8_t)word},
		{.kind = OPERAND_REG, .type = o.type}, {.kind = OPERAND_INT, .value = sum->addend}};
	uint32_t base = operand_reserve(as, 3);
	const struct known_form *k;

	add.nwords = 1;
	k = match_row(as, &add, OP_add, &word, shape, 3);
	if (!k)
		return false;
	as->reg_v.data[as->func_reg + sum->reg].type = (uint8_t)word;
	as->operand_v.data[base] = (struct ir_operand){
		.kind = IR_REG, .type = (uint8_t)word, .index = sum->reg};
	as->operand_v.data[base + 1] = o;
	as->operand_v.data[base + 2] = (struct ir_operand){.kind = IR_IMM,
		.type = (uint8_t)word,
		.value = bits == 64 ? sum->addend : sum->addend & ((UINT64_C(1) << bits) - 1)};
	as->operand_v.data[sum->operand].index = sum->reg;
	as->operand_v.data[sum->operand].type = (uint8_t)word;
	emit_insn(as, &add, k, base, 3, guard);
	return true;
}

/* Replaces {%r1} by %r1 where the row has a scalar. */
static void unwrap_single(struct assembler *as, uint32_t single, uint32_t base)
{
	for (unsigned i = 0; single >> i && i < 31; i++)
		if (single >> i & 1)
			as->operand_v.data[base + i] =
				as->operand_v.data[as->operand_v.data[base + i].index];
}

/* Makes room for an instruction at AT and its operands. */
static void expect_insns(struct assembler *as, uint32_t at)
{
	enum { OPERANDS = 64, FIRST = 4096 }; /* of an instruction, nearly always; instructions */

	if (as->insn_v.count == as->insn_v.cap)
		vec_move(&as->insn_v, FIRST + expected(as, as->insn_v.count, at));
	if (as->operand_v.cap - as->operand_v.count < OPERANDS)
		vec_move(&as->operand_v, 3 * FIRST + expected(as, as->operand_v.count, at));
}

void insn_assemble(struct assembler *as, const struct ast_stmt *s)
{
	enum opcode op = name_opcode(as, s->symbol);
	uint32_t before = as->operand_v.count, fixups = as->fixup.count, guard, base = 0;
	struct isa_operand *shape = NULL;
	const struct known_form *k = NULL;
	unsigned n, noperands, room;

	expect_insns(as, s->span.off);
	as->bad = false;
	as->op = op;
	as->operands = ast_operands(as->ast, s);
	room = count_shapes(as->operands);
	as->shape.count = 0;
	as->sum.count = 0;
	vec_reserve(&as->shape, room);
	if (!op) {
		unknown_opcode(as, s);
	} else {
		guard = lower_guard(as, s);
		if (op == OP_call) {
			n = call_lower(as, s, &shape, &base, &noperands);
		} else {
			n = noperands = lower_operands(as, &shape, &base);
		}
		assert(as->shape.count <= room);
		if (n > 255) {
			as->bad = true;
			REPORT(as, E0216, s->span, "an instruction cannot have %u operands", n);
		}
		if (!as->bad)
			k = match_row(as, s, op, s->words, shape, n);
		if (k && s->glued < s->nwords && !check_name(as, s, k))
			k = NULL;
		if (k && (op == OP_st || op == OP_ld) &&
			!check_param(as, base + (op == OP_ld), op == OP_st))
			k = NULL;
		if (k) {
			bool lax = k->lax;

			unwrap_single(as, k->single, base);
			if (op != OP_call)
				immediates_convert(as, op, k, base, noperands);
			for (uint32_t i = 0; i < as->sum.count; i++) {
				uint32_t at = (uint32_t)(k - as->known.data);

				emit_sum(as, s, &as->sum.data[i], guard);
				k = &as->known.data[at];
			}
			emit_insn(as, s, k, base, noperands, guard);
			if (lax)
				diag_report(as->diags, DIAG_W0301, as->source, s->span,
					"the PTX manual does not list this form of %s",
					opcode_text(op));
		}
	}
	if (!k) {
		as->operand_v.count = before;
		as->fixup.count = fixups;
	}
	as->used_bytes_set = false;
	as->used_bytes = 0;
}
