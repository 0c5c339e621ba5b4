/* State and helpers shared by the files that resolve a script: the current case and its names. */
#ifndef PTXI_SCRIPT_RESOLVE_H
#define PTXI_SCRIPT_RESOLVE_H
#include "script/lang/expr.h"

struct resolver {
	struct script *s;
	const struct ir_module *m;
	struct diags *diags;
	struct script_case *c;
	VEC(struct object) object; /* every name seen so far */
	bool launched;             /* a launch directive came earlier */
};

/* The best candidate so far for "did you mean". */
struct nearest {
	const char *name;
	unsigned distance;
};
/* Makes CANDIDATE the best if it is nearer to WRONG than the current best and near enough to
 * suggest. */
void nearest_consider(struct nearest *best, const char *wrong, const char *candidate);

/* The text of one of the module's symbols. */
const char *resolver_symbol(const struct resolver *r, uint32_t name);
/* Index of the case's object called NAME, or -1. A module variable becomes an object when a
 * directive first names it. */
int resolve_object(const struct resolver *r, const char *name);
/* The functions (KERNELS: only those) or variables that the host can access whose names fit NAME
 * best; N of them, the first at AT, or IR_NONE. A symbol, and its C++ name with fewer parts. */
struct named {
	uint32_t at, n;
};
struct named resolve_func_named(const struct resolver *r, const char *name, bool kernels);
struct named resolve_var_named(const struct resolver *r, const char *name);
/* The kernel that NAME at SPAN of SOURCE (NULL: no place) fits. If there is none, or several,
 * reports it and returns IR_NONE. */
uint32_t resolve_kernel(
	struct resolver *r, struct source *source, struct span span, const char *name);
/* Reports that NAME at SPAN fits several functions (or VARIABLES). */
void resolve_ambiguous(struct resolver *r, struct source *source, struct span span,
	const char *name, bool variables, bool kernels);
/* The text of a symbol for messages: its C++ name if it has one. */
const char *resolver_shown(const struct resolver *r, uint32_t name);
/* Makes the name of SYMBOL, or the part of its C++ name that one would write, the best if it is
 * nearest to WRONG. */
void nearest_symbol(struct resolver *r, struct nearest *best, const char *wrong, uint32_t name);
/* Whether the host may read and write V: it is .global or .const, at module scope. */
bool is_host_visible(const struct ir_var *v);

/* Reports TEXT about the line T, at its name. Always returns false. */
bool resolve_wrong(struct resolver *r, const struct stmt *t, enum diag_code code, const char *text);

/* What names may mean in an expression, which depends on its context. */
struct name_use {
	bool index; /* i is the current index */
	/* an argument or initialiser: names are addresses, and function names are allowed */
	bool address;
};
/* Resolves the names in X. On failure reports it and returns false. */
bool resolve_expr(struct resolver *r, struct expr *x, struct name_use use);
/* The same for an expression that is judged over its ranges. */
bool resolve_judged(struct resolver *r, struct expr *x);
/* The same for a constant expression; X may be NULL. */
bool resolve_constant(struct resolver *r, struct expr *x);
/* Evaluates the grid, block and cluster of a launch. Only the first call for a launch does so: the
 * launch itself, or the first directive that names one of its threads. */
bool resolve_sizes(struct resolver *r, struct stmt *launch);

#endif
