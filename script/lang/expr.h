/* Expressions of //@ lines: reading them and computing their values. */
#ifndef PTXI_SCRIPT_EXPR_H
#define PTXI_SCRIPT_EXPR_H
#include "script/lang/lex.h"
#include "script/lang/script.h"

enum function {
	FUNCTION_NONE,
	FUNCTION_TYPE, /* u32(x): C's conversion */
	FUNCTION_ABS,
	FUNCTION_MIN,
	FUNCTION_MAX,
	FUNCTION_SUM,
	FUNCTION_COUNT,
	FUNCTION_SQRT,
	FUNCTION_RSQRT,
	FUNCTION_EXP,
	FUNCTION_EXP2,
	FUNCTION_LOG,
	FUNCTION_LOG2,
	FUNCTION_SIN,
	FUNCTION_COS,
	FUNCTION_TANH,
	FUNCTION_POW,
	FUNCTION_FMA,
	FUNCTION_FLOOR,
	FUNCTION_CEIL,
	FUNCTION_ROUND,
	FUNCTION_TRUNC,
	FUNCTION_ISNAN,
	FUNCTION_ISINF,
	FUNCTION_BITS,
	FUNCTION_POPC,
	FUNCTION_NUMBERS
};

/* Reads an expression whose first token is current; NULL after an error, which is reported. */
struct expr *expr_parse(struct lexer *x);
/* An argument or list element: an expression, a list in braces, or TYPE:value. */
struct expr *expr_parse_argument(struct lexer *x);
/* A list of one to three numbers: 4 or (4, 2, 1). */
struct expr *expr_parse_dims(struct lexer *x);
struct expr *expr_new(struct lexer *x, enum expr_kind kind, struct span span);
/* Reports that something else was expected where the current token stands. Always NULL. */
struct expr *expr_wanted(struct lexer *x, const char *what);

/* Why an expression has no value. */
struct eval_error {
	struct source *source;
	struct span span;
	const char *message; /* in the arena */
	bool undefined;      /* it reads memory never written */
};

/* Where values come from. */
struct eval {
	struct arena *arena;
	const struct object *object; /* of the case; NULL: constants only */
	__int128 index;              /* i */
	uint64_t offset;             /* how far the ranges have come */
	bool has_index;
	/* Bytes of element ELEMENT of object OBJECT; false, with *undefined, when it was never
	 * written. NULL: constants only. */
	bool (*element)(void *self, int object, uint64_t element, void *bytes, bool *undefined);
	bool (*reg)(void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined);
	void *self;
	struct eval_error error;
	uint64_t steps; /* elements visited by sum and the like */
};
/* The value of E for the current index; false with e->error. */
bool expr_eval(struct eval *e, const struct expr *x, struct value *out);
/* Constant expressions; a report with code L0125 when it is none. */
bool expr_constant(
	const struct expr *x, struct value *out, struct arena *arena, struct diags *diags);
/* The same as a whole number from LOW to HIGH; WHAT names it. */
bool expr_whole(const struct expr *x, uint64_t low, uint64_t high, const char *what, uint64_t *out,
	struct arena *arena, struct diags *diags);
/* The ranges that E runs over: the number of elements, 0 when it has none. *ok false: they differ
 * (reported to DIAGS). */
uint64_t expr_ranges(
	const struct expr *x, bool *ok, const struct expr **first, struct diags *diags);
/* The text of an expression as written. */
const char *expr_text(const struct expr *x, struct arena *arena);

#endif
