/* Shared by the files that resolve a script: the current case and its names. */
#ifndef PTXI_SCRIPT_RESOLVE_H
#define PTXI_SCRIPT_RESOLVE_H
#include "script/lang/expr.h"

struct resolver {
	struct script *s;
	const struct ir_module *m;
	struct diags *diags;
	struct script_case *c;
	VEC(struct object) object; /* named so far */
	bool launched;             /* a launch line stands before */
};

/* The nearest of several names. */
struct nearest {
	const char *name;
	unsigned distance;
};
/* Makes CANDIDATE the best when it is nearer to WRONG, and near enough for "did you mean". */
void nearest_consider(struct nearest *best, const char *wrong, const char *candidate);

/* The text of a name of the module. */
const char *resolver_symbol(const struct resolver *r, uint32_t name);
/* The object of the case called NAME, or -1; variables of the module are objects once a line has
 * named them. */
int resolve_object(const struct resolver *r, const char *name);
/* Whether the host may read and write V: .global and .const at module scope. */
bool is_host_visible(const struct ir_var *v);

/* Where an expression stands. */
struct name_use {
	bool index; /* i has a meaning here */
	/* an argument or initialiser: names are addresses, and functions are allowed */
	bool address;
};
/* Resolves the names of X; false after a report. */
bool resolve_expr(struct resolver *r, struct expr *x, struct name_use use);
/* The same for an expression judged over its ranges. */
bool resolve_judged(struct resolver *r, struct expr *x);
/* The same for a constant expression, or NULL. */
bool resolve_constant(struct resolver *r, struct expr *x);
/* The grid, block and cluster of a launch: once for each, when it or one of its threads is first
 * named. */
bool resolve_sizes(struct resolver *r, struct stmt *launch);

#endif
