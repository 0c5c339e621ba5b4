/* Evaluating constant expressions: 64-bit integers, signed or unsigned, and doubles (PTX ISA 4.5.4
 * to 4.5.6; where the manual is silent, as ptxas computes). Recursive: the parser bounds the
 * depth. */
#include "base/assert.h"
#include "assembler/internal.h"
#include "lexer/lexer.h"
#include <math.h>
#include <string.h>

static double as_double(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof d);
	return d;
}

static uint64_t double_bits(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);
	return bits;
}

static uint32_t float_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

double constant_double(const struct constant *c)
{
	uint32_t low = (uint32_t)c->bits;
	float f;

	if (c->hex != 'f')
		return as_double(c->bits);
	memcpy(&f, &low, sizeof f);
	return (double)f;
}

static bool eval_constant(struct assembler *as, const struct ast_operand *o, struct constant *out);

static bool constant_mismatch(struct assembler *as, const struct ast_operand *o, const char *why)
{
	as->bad = true;
	REPORT(as, E0212, o->span, "%s", why);
	return false;
}

static bool require_integer(
	struct assembler *as, const struct ast_operand *o, const struct constant *a)
{
	return a->kind != CONST_F64 ||
		constant_mismatch(as, o,
			"this operator takes integers, and the operand is a floating-point constant");
}

static bool eval_unary(struct assembler *as, const struct ast_operand *o, struct constant *out)
{
	if (!eval_constant(as, o->sub, out))
		return false;
	switch (o->op) {
	case '+': return true;
	case '-':
		if (out->kind == CONST_F64)
			out->bits ^= out->hex == 'f' ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
		else
			out->bits = 0 - out->bits;
		return true;
	case '~':
		if (!require_integer(as, o->sub, out))
			return false;
		*out = (struct constant){.kind = CONST_U64, .bits = ~out->bits};
		return true;
	default:
		if (!require_integer(as, o->sub, out))
			return false;
		*out = (struct constant){.kind = CONST_S64, .bits = !out->bits};
		return true;
	}
}

static bool float_binary(struct assembler *as, const struct ast_operand *o,
	const struct constant *a, const struct constant *b, struct constant *out)
{
	double x = constant_double(a), y = constant_double(b);
	bool truth;

	*out = (struct constant){.kind = CONST_F64};
	switch (o->op) {
	case '+': out->bits = double_bits(x + y); return true;
	case '-': out->bits = double_bits(x - y); return true;
	case '*': out->bits = double_bits(x * y); return true;
	case '/':
		out->bits = double_bits(x / y);
		if (y != 0)
			return true;
		as->bad = true;
		REPORT(as, E0210, o->span, "division by zero in a constant expression");
		return false;
	case '<': truth = x < y; break;
	case '>': truth = x > y; break;
	case AST_LE: truth = x <= y; break;
	case AST_GE: truth = x >= y; break;
	case AST_EQ: truth = x == y; break;
	case AST_NE: truth = x != y; break;
	default:
		return constant_mismatch(as, o,
			"this operator takes integers, and the operands are floating-point constants");
	}
	*out = (struct constant){.kind = CONST_S64, .bits = truth};
	return true;
}

static bool compare_integers(
	uint16_t op, const struct constant *a, const struct constant *b, bool is_signed)
{
	bool less = is_signed ? (int64_t)a->bits < (int64_t)b->bits : a->bits < b->bits,
	     equal = a->bits == b->bits;

	switch (op) {
	case '<': return less;
	case '>': return !less && !equal;
	case AST_LE: return less || equal;
	case AST_GE: return !less;
	case AST_EQ: return equal;
	default: return !equal;
	}
}

static uint64_t divide_integers(uint64_t a, uint64_t b, bool is_signed)
{
	if (!is_signed)
		return a / b;
	return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

/* Shift counts are taken modulo 64 and the result has the left operand's type; % is always
 * unsigned. */
static bool integer_binary(struct assembler *as, const struct ast_operand *o,
	const struct constant *a, const struct constant *b, struct constant *out)
{
	bool is_signed = a->kind == CONST_S64 && b->kind == CONST_S64;
	uint64_t x = a->bits, y = b->bits;

	if ((o->op == '/' || o->op == '%') && !y) {
		as->bad = true;
		REPORT(as, E0210, o->span, "division by zero in a constant expression");
		return false;
	}
	*out = (struct constant){.kind = is_signed ? CONST_S64 : CONST_U64};
	switch (o->op) {
	case '+': out->bits = x + y; return true;
	case '-': out->bits = x - y; return true;
	case '*': out->bits = x * y; return true;
	case '/': out->bits = divide_integers(x, y, is_signed); return true;
	case '%': out->bits = x % y; return true;
	case '&': out->bits = x & y; return true;
	case '|': out->bits = x | y; return true;
	case '^': out->bits = x ^ y; return true;
	case AST_SHL: *out = (struct constant){.kind = a->kind, .bits = x << (y & 63)}; return true;
	case AST_SHR:
		*out = (struct constant){.kind = a->kind, .bits = x >> (y & 63)};
		if (a->kind == CONST_S64 && (int64_t)x < 0 && (y & 63))
			out->bits |= ~(UINT64_MAX >> (y & 63));
		return true;
	case AST_AND: *out = (struct constant){.kind = CONST_S64, .bits = x && y}; return true;
	case AST_OR: *out = (struct constant){.kind = CONST_S64, .bits = x || y}; return true;
	default:
		*out = (struct constant){
			.kind = CONST_S64, .bits = compare_integers(o->op, a, b, is_signed)};
		return true;
	}
}

static bool eval_binary(struct assembler *as, const struct ast_operand *o, struct constant *out)
{
	struct constant a, b;

	if (!eval_constant(as, o->sub, &a) || !eval_constant(as, o->sub->next, &b))
		return false;
	if ((a.kind == CONST_F64) != (b.kind == CONST_F64))
		return constant_mismatch(
			as, o, "one operand is an integer and the other a floating-point constant");
	return a.kind == CONST_F64 ? float_binary(as, o, &a, &b, out)
				   : integer_binary(as, o, &a, &b, out);
}

static bool eval_ternary(struct assembler *as, const struct ast_operand *o, struct constant *out)
{
	const struct ast_operand *yes = o->sub->next, *no = yes->next;
	struct constant c, a, b;

	if (!eval_constant(as, o->sub, &c) || !eval_constant(as, yes, &a) ||
		!eval_constant(as, no, &b))
		return false;
	if (!require_integer(as, o->sub, &c) || !require_integer(as, yes, &a) ||
		!require_integer(as, no, &b))
		return false;
	*out = c.bits ? a : b;
	if (a.kind == CONST_U64 || b.kind == CONST_U64)
		out->kind = CONST_U64;
	return true;
}

static bool eval_cast(struct assembler *as, const struct ast_operand *o, struct constant *out)
{
	assert(o->word == W_s64 || o->word == W_u64);
	if (!eval_constant(as, o->sub, out))
		return false;
	if (!require_integer(as, o->sub, out))
		return false;
	out->kind = o->word == W_s64 ? CONST_S64 : CONST_U64;
	return true;
}

static bool eval_name(struct assembler *as, const struct ast_operand *o, struct constant *out)
{
	uint32_t index;
	enum name_kind kind = name_find(as, o->symbol, &index);
	struct span span;
	struct diag *d;

	if (kind == NAME_WARP_SZ) {
		*out = (struct constant){.kind = CONST_S64, .bits = 32};
		return true;
	}
	as->bad = true;
	if (kind == NAME_BAD)
		return false;
	if (kind == NAME_NONE) {
		name_unknown(as, o->symbol, o->span, "constant");
		return false;
	}
	d = REPORT(as, E0214, o->span, "'%s' is not a constant", NAME(as, o->symbol));
	if (name_place(as, o->symbol, &span))
		diag_label(as->diags, d, as->source, span, "declared here");
	return false;
}

/* A floating-point literal. A decimal number that overflows or underflows a double is an error. */
static bool eval_float(struct assembler *as, const struct ast_operand *o, struct constant *out)
{
	const char *p = as->source->text + o->span.off, *end = p + o->span.len;
	double d = as_double(o->value);
	bool lost = isinf(d);

	*out = (struct constant){.kind = CONST_F64,
		.hex = o->flag == NUMBER_SINGLE ? 'f'
			: o->flag               ? 'd'
						: 0,
		.bits = o->value};
	if (o->flag)
		return true;
	for (; d == 0 && p < end && *p != 'e' && *p != 'E'; p++)
		lost |= *p >= '1' && *p <= '9';
	if (!lost)
		return true;
	as->bad = true;
	diag_help(as->diags,
		REPORT(as, E0211, o->span, "this number is too %s for a double",
			d == 0 ? "small" : "large"),
		"%s",
		d == 0 ? "write 0.0" : "infinity is 0d7FF0000000000000, or 0f7F800000 for .f32");
	return false;
}

static bool eval_constant(struct assembler *as, const struct ast_operand *o, struct constant *out)
{
	switch (o->kind) {
	case AST_INT:
		*out = (struct constant){.kind = o->flag || o->value >> 63 ? CONST_U64 : CONST_S64,
			.bits = o->value};
		return true;
	case AST_FLOAT: return eval_float(as, o, out);
	case AST_NAME: return eval_name(as, o, out);
	case AST_UNARY: return eval_unary(as, o, out);
	case AST_BINARY: return eval_binary(as, o, out);
	case AST_TERNARY: return eval_ternary(as, o, out);
	case AST_CAST: return eval_cast(as, o, out);
	default:
		as->bad = true;
		REPORT(as, E0214, o->span, "a constant is expected here");
		return false;
	}
}

bool constant_eval(struct assembler *as, const struct ast_operand *o, struct constant *out)
{
	return eval_constant(as, o, out);
}

/* The bits of D in half precision, rounded to nearest even. */
static uint64_t half_bits(double d)
{
	enum { MANTISSA = 10, BIAS = 15, INFINITE = 0x7c00 };
	uint64_t sign = (uint64_t)(signbit(d) != 0) << 15, body;
	double m = fabs(d), scaled;
	int exponent;

	if (isnan(d))
		return 0x7fff;
	if (m >= 65536)
		return sign | INFINITE;
	(void)frexp(m, &exponent);
	exponent -= 1;
	if (exponent < 1 - BIAS)
		exponent = 1 - BIAS;
	scaled = nearbyint(ldexp(m, MANTISSA - exponent));
	/* a carry out of the mantissa correctly increments the exponent, up to infinity */
	body = (uint64_t)scaled;
	if (scaled >= 1 << MANTISSA)
		body += (uint64_t)(exponent + BIAS - 1) << MANTISSA;
	return sign | body;
}

bool constant_convert(const struct constant *c, enum type type, uint64_t *bits)
{
	unsigned width = type_info[type].bits;
	bool is_float = type_info[type].class == CLASS_FLOAT;

	if (c->kind != CONST_F64) {
		*bits = width >= 64 ? c->bits : c->bits & ((UINT64_C(1) << width) - 1);
		return !is_float;
	}
	if (!is_float && type_info[type].class != CLASS_BITS)
		return false;
	if (width == 64)
		/* 0f... for a double: ptxas and the hardware take the float's bits unchanged */
		*bits = c->bits;
	else if (width == 32)
		*bits = c->hex == 'f' ? c->bits : float_bits((float)constant_double(c));
	else if (width == 16 && is_float)
		*bits = half_bits(constant_double(c));
	else
		return false;
	return true;
}
