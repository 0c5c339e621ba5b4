/* Evaluates expressions: exact integers with C's truncating division, doubles, elements of
 * buffers. */
#include "script/lang/expr.h"
#include <math.h>
#include <string.h>

enum { MAX_STEPS = 1u << 30 };

static bool eval_fail(struct eval *e, const struct expr *x, const char *message)
{
	if (!e->error.message)
		e->error = (struct eval_error){x->source, x->span, message, false};
	return false;
}

static bool eval_number(struct eval *e, const struct expr *x, struct value *out, double *f)
{
	if (!expr_eval(e, x, out))
		return false;
	*f = value_double(*out);
	return true;
}

/* The element of object O that name X refers to at the current index. */
static bool element_of(
	struct eval *e, const struct expr *x, const struct object *o, uint64_t *element)
{
	struct value v;

	if (x->range == RANGE_SPAN) {
		*element = x->low + e->offset;
		return true;
	}
	if (x->range == RANGE_NONE) {
		*element = 0;
		return true;
	}
	if (!expr_eval(e, x->sub[0], &v))
		return false;
	if (v.is_float)
		return eval_fail(e, x->sub[0], "the index is a floating-point value");
	if (v.i < 0 || v.i >= (__int128)o->count) {
		struct text t = {0};

		text_printf(&t, "index ");
		int128_print(v.i, &t);
		text_printf(&t, " is outside %s, which has %llu element%s", object_shown(o),
			(unsigned long long)o->count, o->count == 1 ? "" : "s");
		eval_fail(e, x, arena_text(e->arena, text_str(&t), t.len));
		text_free(&t);
		return false;
	}
	*element = (uint64_t)v.i;
	return true;
}

static bool eval_name(struct eval *e, const struct expr *x, struct value *out)
{
	unsigned char bytes[16];
	const struct object *o;
	uint64_t element;
	bool undefined = false;

	if (x->object == OBJECT_THE_INDEX) {
		*out = value_int(e->index);
		return true;
	}
	if (x->object < 0 || !e->element)
		return eval_fail(e, x, "not a constant");
	o = &e->object[x->object];
	if (!element_of(e, x, o, &element))
		return false;
	if (!e->element(e->self, x->object, element, bytes, &undefined)) {
		eval_fail(e, x,
			undefined ? arena_printf(e->arena, "%s[%llu] was never written",
					    object_shown(o), (unsigned long long)element)
				  : "this memory cannot be read");
		e->error.undefined = undefined;
		return false;
	}
	*out = scalar_load((enum type)o->type, bytes);
	return true;
}

static bool eval_register(struct eval *e, const struct expr *x, struct value *out)
{
	uint64_t v;
	bool defined;

	if (!e->reg || !e->reg(e->self, x->thread, x->reg, &v, &defined))
		return eval_fail(e, x,
			"this register's final value is unknown: there is no such thread, or it did not exit");
	if (!defined) {
		eval_fail(e, x, "the register was never written");
		e->error.undefined = true;
		return false;
	}
	*out = scalar_load(x->type ? (enum type)x->type : TYPE_u64, &v);
	return true;
}

static bool eval_unary(struct eval *e, const struct expr *x, struct value *out)
{
	struct value v;

	if (x->op == '&')
		return eval_fail(e, x, "an address can only be an argument or in an initialiser");
	if (!expr_eval(e, x->sub[0], &v))
		return false;
	*out = v;
	switch (x->op) {
	case '-':
		if (v.is_float)
			out->f = -v.f;
		else if (__builtin_sub_overflow((__int128)0, v.i, &out->i))
			return eval_fail(e, x, "the result does not fit in 128 bits");
		return true;
	case '!': *out = value_int(!value_true(v)); return true;
	case '~':
		if (v.is_float)
			return eval_fail(e, x, "~ applied to a floating-point value");
		out->i = ~v.i;
		return true;
	default: return true;
	}
}

static int compare_sign(double a, double b) { return (a > b) - (a < b); }

static bool eval_compare(const struct expr *x, struct value a, struct value b, struct value *out)
{
	bool floats = a.is_float || b.is_float;
	bool unordered = floats && (isnan(value_double(a)) || isnan(value_double(b)));
	int sign = floats ? compare_sign(value_double(a), value_double(b))
			  : (a.i > b.i) - (a.i < b.i);
	bool holds;

	switch (x->op) {
	case T_EQ: holds = !unordered && sign == 0; break;
	case T_NE: holds = unordered || sign != 0; break;
	case '<': holds = !unordered && sign < 0; break;
	case '>': holds = !unordered && sign > 0; break;
	case T_LE: holds = !unordered && sign <= 0; break;
	default: holds = !unordered && sign >= 0; break;
	}
	*out = value_int(holds);
	return true;
}

static bool eval_near(
	struct eval *e, const struct expr *x, struct value a, struct value b, struct value *out)
{
	double t = 1e-6, f = value_double(a), g = value_double(b);
	struct value v;

	if (x->tolerance && !eval_number(e, x->tolerance, &v, &t))
		return false;
	*out = value_int(f == g || fabs(f - g) <= t * fmax(1, fabs(g)));
	return true;
}

static bool eval_float(struct eval *e, const struct expr *x, double a, double b, struct value *out)
{
	switch (x->op) {
	case '+': *out = value_float(a + b); return true;
	case '-': *out = value_float(a - b); return true;
	case '*': *out = value_float(a * b); return true;
	case '/': *out = value_float(a / b); return true;
	case '%': *out = value_float(fmod(a, b)); return true;
	default: return eval_fail(e, x, "an integer operation on a floating-point value");
	}
}

static bool eval_integer(
	struct eval *e, const struct expr *x, __int128 a, __int128 b, struct value *out)
{
	__int128 r = 0;
	bool over = false;

	switch (x->op) {
	case '+': over = __builtin_add_overflow(a, b, &r); break;
	case '-': over = __builtin_sub_overflow(a, b, &r); break;
	case '*': over = __builtin_mul_overflow(a, b, &r); break;
	case '/':
	case '%':
		if (b == 0)
			return eval_fail(e, x, "division by zero");
		if (b == -1)
			over = x->op == '/' && __builtin_sub_overflow((__int128)0, a, &r);
		else
			r = x->op == '/' ? a / b : a % b;
		break;
	case '&': r = a & b; break;
	case '|': r = a | b; break;
	case '^': r = a ^ b; break;
	case T_SHL:
	case T_SHR:
		if (b < 0 || b > 127)
			return eval_fail(e, x, "the shift amount is not in 0 to 127");
		r = x->op == T_SHR ? a >> (int)b : (__int128)((unsigned __int128)a << (int)b);
		over = x->op == T_SHL && r >> (int)b != a;
		break;
	default: return eval_fail(e, x, "no such operation");
	}
	*out = value_int(r);
	return !over || eval_fail(e, x, "the result does not fit in 128 bits");
}

static bool eval_binary(struct eval *e, const struct expr *x, struct value *out)
{
	struct value a, b;

	if (!expr_eval(e, x->sub[0], &a))
		return false;
	if (x->op == T_AND || x->op == T_OR) {
		bool truth = value_true(a);

		if (truth == (x->op == T_AND)) {
			if (!expr_eval(e, x->sub[1], &b))
				return false;
			truth = value_true(b);
		}
		*out = value_int(truth);
		return true;
	}
	if (!expr_eval(e, x->sub[1], &b))
		return false;
	if (x->op == T_NEAR)
		return eval_near(e, x, a, b, out);
	if (x->op == T_EQ || x->op == T_NE || x->op == '<' || x->op == '>' || x->op == T_LE ||
		x->op == T_GE)
		return eval_compare(x, a, b, out);
	if (a.is_float || b.is_float)
		return eval_float(e, x, value_double(a), value_double(b), out);
	return eval_integer(e, x, a.i, b.i, out);
}

static bool value_less(struct value a, struct value b)
{
	return a.is_float || b.is_float ? value_double(a) < value_double(b) : a.i < b.i;
}

/* Accumulates B in *A for min, max, count or sum. */
static bool eval_fold(
	struct eval *e, const struct expr *x, unsigned function, struct value *a, struct value b)
{
	switch (function) {
	case FUNCTION_MIN:
		if (value_less(b, *a))
			*a = b;
		return true;
	case FUNCTION_MAX:
		if (value_less(*a, b))
			*a = b;
		return true;
	case FUNCTION_COUNT: a->i += value_true(b); return true;
	default:
		if (a->is_float || b.is_float)
			*a = value_float(value_double(*a) + value_double(b));
		else if (__builtin_add_overflow(a->i, b.i, &a->i))
			return eval_fail(e, x, "the result does not fit in 128 bits");
		return true;
	}
}

/* The same for elements of a range, argument X->sub[0], from its Kth of N on: as many as can be
 * read at once. False: sums that do not fit. */
static bool eval_span(
	struct eval *e, const struct expr *x, uint64_t n, uint64_t *k, struct value *out)
{
	const struct expr *a = x->sub[0];
	enum type type = (enum type)e->object[a->object].type;
	const void *bytes;
	uint64_t got = e->span(e->self, a->object, a->low + *k, n - *k, &bytes);
	struct scalar_survey s;

	if (got && scalar_look(type, bytes, got, &s)) {
		*k += got;
		e->steps += got;
		if (x->function == FUNCTION_COUNT) {
			out->i += s.others;
			return true;
		}
		return eval_fold(e, x, x->function, out,
			value_int(x->function == FUNCTION_MIN         ? s.least
					: x->function == FUNCTION_MAX ? s.most
								      : s.sum));
	}
	for (uint64_t i = 0; i < got; i++)
		if (!eval_fold(e, x, x->function, out,
			    scalar_load(type, (const char *)bytes + i * type_bytes(type))))
			return false;
	*k += got;
	e->steps += got;
	return true;
}

/* sum, count, min or max of one argument over its ranges. */
static bool eval_reduction(struct eval *e, const struct expr *x, uint64_t n,
	const struct expr *first, struct value *out)
{
	const struct expr *a = x->sub[0];
	bool spans = a->kind == EXPR_NAME && a->range == RANGE_SPAN && a->object >= 0 && e->span &&
		e->steps + n <= MAX_STEPS;
	struct eval inner = *e;
	struct value v;

	inner.error.message = NULL;
	inner.has_index = true;
	*out = value_int(0);
	for (uint64_t k = 0; k < n; k++) {
		if (k && spans && !eval_span(&inner, x, n, &k, out))
			break;
		if (k == n)
			break;
		inner.offset = k;
		inner.index = (__int128)first->low + k;
		if (++inner.steps > MAX_STEPS) {
			eval_fail(&inner, x, "too many elements");
			break;
		}
		if (!expr_eval(&inner, x->sub[0], &v))
			break;
		if (k == 0 && (x->function == FUNCTION_MIN || x->function == FUNCTION_MAX))
			*out = v;
		else if (!eval_fold(&inner, x, x->function, out, v))
			break;
	}
	e->steps = inner.steps;
	if (inner.error.message && !e->error.message)
		e->error = inner.error;
	return !inner.error.message;
}

static bool eval_bits(struct eval *e, const struct expr *x, struct value *out)
{
	const struct expr *a = x->sub[0];
	unsigned char bytes[16];
	struct value v;
	enum type t = TYPE_f64;
	__int128 r = 0;

	if (!expr_eval(e, a, &v))
		return false;
	if (!v.is_float) {
		*out = v;
		return true;
	}
	/* read the bytes directly, so that NaNs keep their payload */
	if (a->kind == EXPR_NAME && a->object >= 0) {
		bool undefined;
		uint64_t element;

		t = (enum type)e->object[a->object].type;
		if (!element_of(e, a, &e->object[a->object], &element) ||
			!e->element(e->self, a->object, element, bytes, &undefined))
			return eval_fail(e, x, "this memory cannot be read");
	} else {
		t = a->kind == EXPR_CALL && a->function == FUNCTION_TYPE ? (enum type)a->type
			: a->kind == EXPR_REGISTER && a->type            ? (enum type)a->type
									 : TYPE_f64;
		scalar_cast(t, v, bytes);
	}
	for (unsigned k = type_bytes(t); k-- > 0;)
		r = r << 8 | bytes[k];
	*out = value_int(r);
	return true;
}

static double real_function(unsigned function, const double *a)
{
	switch (function) {
	case FUNCTION_SQRT: return sqrt(a[0]);
	case FUNCTION_RSQRT: return 1 / sqrt(a[0]);
	case FUNCTION_EXP: return exp(a[0]);
	case FUNCTION_EXP2: return exp2(a[0]);
	case FUNCTION_LOG: return log(a[0]);
	case FUNCTION_LOG2: return log2(a[0]);
	case FUNCTION_SIN: return sin(a[0]);
	case FUNCTION_COS: return cos(a[0]);
	case FUNCTION_TANH: return tanh(a[0]);
	case FUNCTION_POW: return pow(a[0], a[1]);
	case FUNCTION_FMA: return fma(a[0], a[1], a[2]);
	case FUNCTION_FLOOR: return floor(a[0]);
	case FUNCTION_CEIL: return ceil(a[0]);
	case FUNCTION_ROUND: return round(a[0]);
	default: return trunc(a[0]);
	}
}

static unsigned arguments_wanted(unsigned function)
{
	return function == FUNCTION_POW ? 2 : function == FUNCTION_FMA ? 3 : 1;
}

static bool eval_one(struct eval *e, const struct expr *x, struct value v, struct value *out)
{
	unsigned char bytes[16];

	switch (x->function) {
	case FUNCTION_TYPE:
		scalar_cast((enum type)x->type, v, bytes);
		*out = scalar_load((enum type)x->type, bytes);
		return true;
	case FUNCTION_ABS:
		*out = v.is_float ? value_float(fabs(v.f))
				  : value_int(v.i < 0 ? (__int128)(-(unsigned __int128)v.i) : v.i);
		return true;
	case FUNCTION_ISNAN: *out = value_int(v.is_float && isnan(v.f)); return true;
	case FUNCTION_ISINF: *out = value_int(v.is_float && isinf(v.f)); return true;
	case FUNCTION_POPC:
		if (v.is_float)
			return eval_fail(e, x, "an integer operation on a floating-point value");
		*out = value_int(__builtin_popcountll((unsigned long long)v.i) +
			__builtin_popcountll((unsigned long long)((unsigned __int128)v.i >> 64)));
		return true;
	default: return eval_fail(e, x, "no such function");
	}
}

static bool eval_call(struct eval *e, const struct expr *x, struct value *out)
{
	const struct expr *first = NULL;
	double f[3];
	struct value v = {0};
	unsigned n = 0;
	bool ok = true;

	if (x->function == FUNCTION_BITS)
		return eval_bits(e, x, out);
	if (x->function >= FUNCTION_MIN && x->function <= FUNCTION_COUNT && !x->sub[0]->next) {
		uint64_t elements = expr_ranges(x->sub[0], &ok, &first, NULL);

		if (!ok)
			return eval_fail(e, x, "its ranges have different lengths");
		if (elements)
			return eval_reduction(e, x, elements, first, out);
	}
	for (const struct expr *a = x->sub[0]; a; a = a->next, n++) {
		if (!expr_eval(e, a, &v))
			return false;
		if (n < 3)
			f[n] = value_double(v);
		if (x->function == FUNCTION_MIN || x->function == FUNCTION_MAX ||
			x->function == FUNCTION_SUM || x->function == FUNCTION_COUNT) {
			if (n == 0)
				*out = x->function == FUNCTION_COUNT ? value_int(value_true(v)) : v;
			else if (!eval_fold(e, x, x->function, out, v))
				return false;
		}
	}
	if (x->function >= FUNCTION_MIN && x->function <= FUNCTION_COUNT)
		return true;
	if (n != arguments_wanted(x->function))
		return eval_fail(e, x, "the wrong number of arguments for this function");
	if (x->function >= FUNCTION_SQRT && x->function <= FUNCTION_TRUNC) {
		*out = value_float(real_function(x->function, f));
		return true;
	}
	return eval_one(e, x, v, out);
}

bool expr_eval(struct eval *e, const struct expr *x, struct value *out)
{
	struct value v;

	*out = value_int(0);
	switch (x->kind) {
	case EXPR_INT: *out = value_int(x->i); return true;
	case EXPR_FLOAT: *out = value_float(x->f); return true;
	case EXPR_NAME: return eval_name(e, x, out);
	case EXPR_REGISTER: return eval_register(e, x, out);
	case EXPR_UNARY: return eval_unary(e, x, out);
	case EXPR_BINARY: return eval_binary(e, x, out);
	case EXPR_TERNARY:
		return expr_eval(e, x->sub[0], &v) &&
			expr_eval(e, x->sub[value_true(v) ? 1 : 2], out);
	case EXPR_CALL: return eval_call(e, x, out);
	default:
		return eval_fail(
			e, x, "a list in braces can only be an argument or an initialiser");
	}
}

bool expr_constant(
	const struct expr *x, struct value *out, struct arena *arena, struct diags *diags)
{
	struct eval e = {.arena = arena};

	if (expr_eval(&e, x, out))
		return true;
	diag_report(diags, DIAG_L0125, e.error.source, e.error.span, "expected a number: %s",
		e.error.message);
	return false;
}

bool expr_whole(const struct expr *x, uint64_t low, uint64_t high, const char *what, uint64_t *out,
	struct arena *arena, struct diags *diags)
{
	struct text t = {0};
	struct value v;

	if (!expr_constant(x, &v, arena, diags))
		return false;
	if (!v.is_float && v.i >= (__int128)low && v.i <= (__int128)high) {
		*out = (uint64_t)v.i;
		return true;
	}
	value_print(v, false, &t);
	diag_report(diags, DIAG_L0109, x->source, x->span,
		"%s is a whole number from %llu to %llu, not %s", what, (unsigned long long)low,
		(unsigned long long)high, text_str(&t));
	text_free(&t);
	return false;
}

/* Whether X is sum(a[..]) or a similar reduction, which consumes the ranges of its argument. */
static bool reduces(const struct expr *x)
{
	return x->kind == EXPR_CALL && x->function >= FUNCTION_MIN &&
		x->function <= FUNCTION_COUNT && !x->sub[0]->next;
}

static void find_ranges(
	const struct expr *x, bool *ok, const struct expr **first, uint64_t *n, struct diags *diags)
{
	if (!x || reduces(x))
		return;
	if (x->kind == EXPR_NAME && x->range == RANGE_SPAN) {
		uint64_t mine = x->high - x->low + 1;

		if (!*first) {
			*first = x;
			*n = mine;
		} else if (mine != *n) {
			*ok = false;
			if (diags) {
				struct diag *d = diag_report(diags, DIAG_L0119, x->source, x->span,
					"this range has %llu elements, but the expression's first range has %llu",
					(unsigned long long)mine, (unsigned long long)*n);

				diag_label(diags, d, (*first)->source, (*first)->span,
					"%llu elements", (unsigned long long)*n);
			}
		}
		return;
	}
	if (x->kind == EXPR_NAME)
		return;
	if (x->kind == EXPR_CALL || x->kind == EXPR_FIELDS) {
		for (const struct expr *a = x->sub[0]; a; a = a->next)
			find_ranges(a, ok, first, n, diags);
		return;
	}
	for (unsigned k = 0; k < 3; k++)
		find_ranges(x->sub[k], ok, first, n, diags);
}

uint64_t expr_ranges(const struct expr *x, bool *ok, const struct expr **first, struct diags *diags)
{
	uint64_t n = 0;

	*ok = true;
	*first = NULL;
	find_ranges(x, ok, first, &n, diags);
	return n;
}
