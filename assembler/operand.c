/* Lowering operands from the syntax tree to the form that the matcher reads (struct isa_operand)
 * and to the IR (struct ir_operand). */
#include "base/assert.h"
#include "assembler/internal.h"
#include <string.h>

unsigned operand_count(const struct ast_operand *o)
{
	unsigned n = 0;

	for (; o; o = o->next)
		n++;
	return n;
}

uint32_t operand_reserve(struct assembler *as, uint32_t n)
{
	uint32_t first = as->operand_v.count;

	vec_reserve(&as->operand_v, n);
	memset(as->operand_v.data + first, 0, n * sizeof *as->operand_v.data);
	as->operand_v.count += n;
	return first;
}

/* insn.c reserved space for all shapes of the instruction, so that pointers to them stay valid. */
struct isa_operand *shape_reserve(struct assembler *as, uint32_t n)
{
	struct isa_operand *first;

	if (!n) /* there may be no array yet */
		return NULL;
	first = as->shape.data + as->shape.count;
	memset(first, 0, n * sizeof *first);
	as->shape.count += n;
	return first;
}

static void lower_constant(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	struct constant c;
	struct ir_operand *ir;
	double d;

	if (!constant_eval(as, o, &c))
		return;
	ir = &as->operand_v.data[at];
	ir->kind = IR_IMM;
	ir->value = c.bits;
	if (c.kind == CONST_F64) {
		d = constant_double(&c);
		shape->kind = OPERAND_FLOAT;
		shape->type = c.hex == 'f' ? TYPE_f32 : TYPE_f64;
		memcpy(&shape->value, &d, sizeof d);
	} else {
		shape->kind = OPERAND_INT;
		shape->value = c.bits;
		shape->value_signed = c.kind == CONST_S64 && (int64_t)c.bits < 0;
	}
	ir->aux = shape->value_signed ||
		(shape->kind == OPERAND_INT && o->kind == AST_UNARY && o->op == '-');
	ir->type = c.kind == CONST_F64 ? shape->type : c.kind == CONST_U64 ? TYPE_u64 : TYPE_s64;
}

static bool parse_component(
	struct assembler *as, const struct ast_operand *o, unsigned vector, uint8_t *out)
{
	const char *text;
	unsigned k;

	*out = 0;
	if (o->word >= WORD_COUNT) { /* a packed selector */
		*out = IR_SELECTOR;
		return true;
	}
	text = word_text((enum word)o->word);
	if (strlen(text) == 1 && strchr("xyzwrgba", text[0])) {
		k = (unsigned)(strchr("xyzwrgba", text[0]) - "xyzwrgba") % 4;
		if (k < vector) {
			*out = (uint8_t)(1 + k);
			return true;
		}
	} else if (strlen(text) >= 2 && strchr("bh", text[0]) && text[1] >= '0' && text[1] <= '9' &&
		(strlen(text) == 2 || !word_type((enum word)o->word))) {
		*out = IR_SELECTOR;
		return true;
	}
	as->bad = true;
	if (vector)
		REPORT(as, E0209, o->span, "'%s' has no component .%s: it has %u, from .x",
			NAME(as, o->symbol), text, vector);
	else
		REPORT(as, E0209, o->span, "'%s' is not a vector, so it has no .%s",
			NAME(as, o->symbol), text);
	return false;
}

static void lower_register(struct assembler *as, const struct ast_operand *o, uint32_t index,
	struct isa_operand *shape, uint32_t at)
{
	const struct ir_register *r = &as->reg_v.data[as->func_reg + index];
	struct ir_operand *ir = &as->operand_v.data[at];
	uint8_t c = 0;

	if (o->word && !parse_component(as, o, r->vector, &c))
		return;
	*shape = (struct isa_operand){.kind = OPERAND_REG,
		.type = r->type,
		.component = c,
		.vector = r->vector,
		.space = c == IR_SELECTOR ? o->word : 0};
	*ir = (struct ir_operand){.kind = IR_REG,
		.type = r->type,
		.aux = c,
		.index = index,
		.count = c == IR_SELECTOR ? o->word : 0};
}

static void lower_sreg(struct assembler *as, const struct ast_operand *o, uint32_t index,
	struct isa_operand *shape, uint32_t at)
{
	const struct sreg_info *s = &sreg_info[index];
	struct ir_operand *ir = &as->operand_v.data[at];
	uint8_t c = 0;

	if (o->word && !parse_component(as, o, s->vector, &c))
		return;
	if ((index == SREG_perctamemoryoffset || index == SREG_perctamemorysize) &&
		(as->func == IR_NONE || !as->func_v.data[as->func].minperctamemory))
		REPORT(as, E0429, o->span, "%s is for kernels with .minperctamemory",
			sreg_text(index));
	*shape = (struct isa_operand){.kind = OPERAND_SREG,
		.type = s->type,
		.component = c,
		.vector = s->vector,
		.value = index};
	*ir = (struct ir_operand){.kind = IR_SREG, .type = s->type, .aux = c, .index = index};
}

static void lower_variable(
	struct assembler *as, uint32_t index, struct isa_operand *shape, uint32_t at)
{
	const struct ir_var *v = &as->var_v.data[index];

	*shape = (struct isa_operand){
		.kind = OPERAND_VAR, .type = v->type, .vector = v->vector, .space = v->space};
	as->operand_v.data[at] = (struct ir_operand){
		.kind = IR_VAR, .type = v->type, .index = index};
}

static void lower_name(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	uint32_t index;
	enum name_kind kind = name_find(as, o->symbol, &index);
	struct ir_operand *ir = &as->operand_v.data[at];

	switch (kind) {
	case NAME_REG: lower_register(as, o, index, shape, at); return;
	case NAME_SREG: lower_sreg(as, o, index, shape, at); return;
	case NAME_VAR: lower_variable(as, index, shape, at); break;
	case NAME_FUNC:
		shape->kind = OPERAND_FUNC;
		*ir = (struct ir_operand){.kind = IR_FUNC, .index = index};
		break;
	case NAME_LABEL:
		shape->kind = OPERAND_LABEL;
		*ir = (struct ir_operand){.kind = IR_LABEL};
		*vec_push(&as->fixup) = (struct fixup){at, index};
		break;
	case NAME_TABLE:
		shape->kind = OPERAND_TABLE;
		*ir = (struct ir_operand){.kind = IR_TABLE, .index = index};
		break;
	case NAME_WARP_SZ: lower_constant(as, o, shape, at); break;
	case NAME_NONE:
		name_unknown(as, o->symbol, o->span,
			NAME(as, o->symbol)[0] == '%' ? "register"
				: as->op == OP_bra    ? "label"
				: as->op == OP_brx    ? "list of targets"
						      : "name");
		return;
	case NAME_DECL:
	case NAME_BAD:
	default: as->bad = true; return;
	}
	if (o->word) {
		as->bad = true;
		REPORT(as, E0209, o->span, "'%s' is not a register, so it has no .%s",
			NAME(as, o->symbol), word_text((enum word)o->word));
	}
}

/* Whether the expression is a name, or constants added to one: the parser allows nothing else after
 * a name. */
static bool begins_with_name(const struct assembler *as, const struct ast_operand *o)
{
	while (o->kind == AST_BINARY)
		o = o->sub;
	return o->kind == AST_NAME && o->symbol != as->sym_warp_sz;
}

/* Splits base + 4 + 8 into the base, which is returned, and the sum of the constants. NULL after an
 * error; O itself when nothing is added. */
static const struct ast_operand *split_sum(
	struct assembler *as, const struct ast_operand *o, uint64_t *addend)
{
	struct constant c;

	*addend = 0;
	/* what is not a sum is a pair of destinations, p|q */
	while (o->kind == AST_BINARY && o->op == '+' && begins_with_name(as, o)) {
		if (!constant_eval(as, o->sub->next, &c))
			return NULL;
		if (c.kind == CONST_F64) {
			as->bad = true;
			REPORT(as, E0212, o->sub->next->span, "an address offset is an integer");
			return NULL;
		}
		*addend += c.bits;
		o = o->sub;
	}
	return o;
}

static uint64_t element_bytes(const struct ir_var *v)
{
	return (uint64_t)type_bytes((enum type)v->type) * (v->vector ? v->vector : 1u);
}

/* Lowers the base of an address. */
static void lower_base(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	struct isa_operand *base = shape_reserve(as, 1);
	struct ir_operand *ir;
	uint64_t addend;
	const struct ast_operand *left = split_sum(as, o, &addend);
	uint8_t aux = IR_BASE_NONE;

	shape->sub = base;
	shape->sum = left != o;
	if (!left)
		return;
	operand_lower(as, left, base, at);
	if (as->bad)
		return;
	ir = &as->operand_v.data[at];
	switch (base->kind) {
	case OPERAND_REG: aux = IR_BASE_REG; break;
	case OPERAND_VAR:
		aux = IR_BASE_VAR;
		shape->space = base->space;
		break;
	case OPERAND_INT: ir->index = IR_NONE; break;
	default:
		as->bad = true;
		REPORT(as, E0215, left->span,
			"an address begins with a register, a variable or a number");
		return;
	}
	if (aux == IR_BASE_REG)
		ir->value = 0; /* not the selector of a component */
	ir->kind = IR_ADDR;
	ir->aux = aux;
	ir->value += addend;
	ir->negated = left != o && !ir->value && aux != IR_BASE_NONE;
}

static void lower_elements(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	for (; o; o = o->next, shape++, at++)
		operand_lower(as, o, shape, at);
}

static void lower_address(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	unsigned n = operand_count(o->sub);
	struct isa_operand *sub = shape_reserve(as, n), *base;
	uint32_t list;

	shape->kind = OPERAND_ADDRESS;
	assert(n);
	lower_base(as, o->sub, shape, at);
	if (as->bad)
		return;
	base = (struct isa_operand *)shape->sub;
	sub[0] = *base;
	shape->sub = sub;
	shape->nsub = n;
	if (n > 1) {
		list = operand_reserve(as, n);
		as->operand_v.data[list] = (struct ir_operand){
			.kind = IR_LIST, .index = list + 1, .count = n - 1};
		/* no row of the table has an address so far from its elements */
		as->operand_v.data[at].further = list - at <= IR_FURTHER ? (list - at) & IR_FURTHER
									 : 0;
		lower_elements(as, o->sub->next, sub + 1, list + 1);
	}
}

/* Lowers name[index]: the address of element INDEX of an array. */
static void lower_indexed(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	uint32_t index;
	enum name_kind kind = name_find(as, o->symbol, &index);
	struct isa_operand *base = shape_reserve(as, 1);
	const struct ir_var *v;
	struct constant c;
	uint64_t offset;

	if (kind == NAME_NONE)
		name_unknown(as, o->symbol, o->span, "variable");
	if (kind == NAME_NONE || kind == NAME_BAD) {
		as->bad = true;
		return;
	}
	v = kind == NAME_VAR ? &as->var_v.data[index] : NULL;
	if (!v || !v->ndims) {
		as->bad = true;
		REPORT(as, E0215, o->span, "'%s' is not an array, so it cannot be indexed",
			NAME(as, o->symbol));
		return;
	}
	if (!constant_eval(as, o->sub, &c))
		return;
	if (c.kind == CONST_F64) {
		as->bad = true;
		REPORT(as, E0212, o->sub->span, "the index of an array is an integer");
		return;
	}
	offset = c.bits * element_bytes(v);
	*base = (struct isa_operand){
		.kind = OPERAND_VAR, .type = v->type, .vector = v->vector, .space = v->space};
	if (as->op == OP_mov) { /* the address itself */
		*shape = *base;
		as->operand_v.data[at] = (struct ir_operand){
			.kind = IR_VAR, .type = v->type, .index = index, .value = offset};
		return;
	}
	*shape = (struct isa_operand){
		.kind = OPERAND_ADDRESS, .component = 1, .space = v->space, .sub = base, .nsub = 1};
	as->operand_v.data[at] = (struct ir_operand){.kind = IR_ADDR,
		.aux = IR_BASE_VAR,
		.type = v->type,
		.index = index,
		.value = offset};
}

static void lower_group(struct assembler *as, const struct ast_operand *sub, uint8_t shape_kind,
	uint8_t ir_kind, struct isa_operand *shape, uint32_t at)
{
	unsigned n = operand_count(sub);
	uint32_t first = operand_reserve(as, n);

	*shape = (struct isa_operand){.kind = shape_kind, .sub = shape_reserve(as, n), .nsub = n};
	as->operand_v.data[at] = (struct ir_operand){.kind = ir_kind, .index = first, .count = n};
	lower_elements(as, sub, (struct isa_operand *)shape->sub, first);
}

/* Lowers !p and -r: the parser allows no other operator before a name. */
static void lower_negated(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	bool not = o->op == '!';

	assert(not || o->op == '-');
	lower_name(as, o->sub, shape, at);
	if (as->bad)
		return;
	as->bad = true;
	if (shape->kind != OPERAND_REG && shape->kind != OPERAND_SREG) {
		REPORT(as, E0214, o->span, "'%c' precedes '%s', which is not a constant",
			(char)o->op, NAME(as, o->sub->symbol));
		return;
	}
	if (not != (shape->type == TYPE_pred)) {
		diag_help(as->diags,
			REPORT(as, E0318, o->span,
				not ? "'!' precedes '%s', which is not a predicate"
				    : "'-' precedes '%s', which is a predicate",
				NAME(as, o->sub->symbol)),
			not ? "not computes the complement, neg the negative" : "write !");
		return;
	}
	as->bad = false;
	shape->negated = 1;
	as->operand_v.data[at].negated = 1;
}

static bool names_something(const struct assembler *as, const struct ast_operand *o)
{
	return o->kind == AST_SINK || (o->kind == AST_NAME && o->symbol != as->sym_warp_sz);
}

static bool is_addable_integer(enum type t)
{
	unsigned c = type_info[t].class;

	return (c == CLASS_BITS || c == CLASS_UNSIGNED || c == CLASS_SIGNED) &&
		type_info[t].bits >= 16 && type_info[t].bits <= 64;
}

static void lower_binary(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	const struct ast_operand *left;
	uint64_t addend;

	if (o->op == '|' && (names_something(as, o->sub) || names_something(as, o->sub->next))) {
		lower_group(as, o->sub, OPERAND_PAIR, IR_PAIR, shape, at);
		return;
	}
	left = split_sum(as, o, &addend);
	if (!left)
		return;
	if (left == o) {
		lower_constant(as, o, shape, at);
		return;
	}
	lower_name(as, left, shape, at);
	if (as->bad)
		return;
	shape->sum = shape->kind != OPERAND_VAR || addend;
	if (shape->kind == OPERAND_VAR) {
		as->operand_v.data[at].value = addend;
		return;
	}
	if (shape->kind == OPERAND_REG && is_addable_integer((enum type)shape->type) &&
		!shape->vector && !shape->component)
		for (uint32_t i = 0; i < as->sum.count; i++)
			if (as->sum.data[i].operand == at) {
				as->sum.data[i].addend = addend;
				return;
			}
	as->bad = true;
	REPORT(as, E0214, o->span,
		"a sum with '%s' is not an operand: constants are added to addresses of variables and to integer registers with +",
		NAME(as, left->symbol));
}

bool operand_lower(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	switch (o->kind) {
	case AST_NAME: lower_name(as, o, shape, at); break;
	case AST_ADDRESS:
		if (o->symbol)
			lower_indexed(as, o, shape, at);
		else
			lower_address(as, o, shape, at);
		break;
	case AST_VECTOR: lower_group(as, o->sub, OPERAND_VECTOR, IR_VEC, shape, at); break;
	case AST_LIST: lower_group(as, o->sub, OPERAND_LIST, IR_LIST, shape, at); break;
	case AST_SINK:
		shape->kind = OPERAND_SINK;
		as->operand_v.data[at].kind = IR_SINK;
		break;
	case AST_BINARY: lower_binary(as, o, shape, at); break;
	case AST_UNARY:
		if (o->sub->kind == AST_NAME && o->sub->symbol != as->sym_warp_sz)
			lower_negated(as, o, shape, at);
		else
			lower_constant(as, o, shape, at);
		break;
	default: lower_constant(as, o, shape, at);
	}
	return !as->bad;
}
