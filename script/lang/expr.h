/* Expressions in //@ directives: parsing and evaluation. */
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

/* Parses an expression that starts at the current token. On failure reports it and returns NULL. */
struct expr *expr_parse(struct lexer *x);
/* An argument or list element: an expression, a list in braces, or TYPE:value. */
struct expr *expr_parse_argument(struct lexer *x);
/* A list of one to three numbers: 4 or (4, 2, 1). */
struct expr *expr_parse_dims(struct lexer *x);
struct expr *expr_new(struct lexer *x, enum expr_kind kind, struct span span);
/* Reports that WHAT was expected instead of the current token. Always returns NULL. */
struct expr *expr_expected(struct lexer *x, const char *what);
/* Goes past the current token if it is KIND; otherwise reports that WHAT was expected. */
bool expr_accept(struct lexer *x, int kind, const char *what);
/* Expressions with commas between them, up to the token CLOSE, which it goes past; at most MOST,
 * which TOO_MANY says. */
bool expr_parse_list(
	struct lexer *x, int close, unsigned most, const char *too_many, struct expr **list);

/* Why an expression has no value. */
struct eval_error {
	struct source *source;
	struct span span;
	const char *message; /* in the arena */
	bool undefined;      /* it reads memory or a register that was never written */
};

/* The state in which an expression is evaluated. */
struct eval {
	struct arena *arena;
	const struct object *object; /* of the case; NULL: constants only */
	__int128 index;              /* i */
	uint64_t offset;             /* current position in the ranges */
	bool has_index;
	/* Reads element ELEMENT of object OBJECT into BYTES. Returns false if it cannot be read,
	 * and sets *undefined if that is because it was never written. NULL: constants only. */
	bool (*element)(void *self, int object, uint64_t element, void *bytes, bool *undefined);
	/* How many elements from ELEMENT on, at most MOST, can be read at *BYTES, where they lie
	 * one after the other; 0: ask for each. NULL: always so. */
	uint64_t (*span)(
		void *self, int object, uint64_t element, uint64_t most, const void **bytes);
	bool (*reg)(void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined);
	void *self;
	struct eval_error error;
	uint64_t steps; /* elements visited by sum, count, min and max */
};
/* Evaluates X at the current index. On failure sets e->error and returns false. */
bool expr_eval(struct eval *e, const struct expr *x, struct value *out);
/* Evaluates a constant expression; if it is not constant, reports L0125 and returns false. */
bool expr_constant(
	const struct expr *x, struct value *out, struct arena *arena, struct diags *diags);
/* The same for an integer from LOW to HIGH; WHAT names it in messages. */
bool expr_whole(const struct expr *x, uint64_t low, uint64_t high, const char *what, uint64_t *out,
	struct arena *arena, struct diags *diags);
/* The length of the ranges that X runs over, 0 if it has none; *first is the first of them. *ok is
 * false if their lengths differ, which is reported to DIAGS unless that is NULL. */
uint64_t expr_ranges(
	const struct expr *x, bool *ok, const struct expr **first, struct diags *diags);
/* The text of an expression as written. */
const char *expr_text(const struct expr *x, struct arena *arena);

#endif
