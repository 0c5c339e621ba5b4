/* Matches `expect race`, `expect fault KIND` and similar directives with the findings of a run. */
#include "script/lang/finding.h"
#include <string.h>

bool script_fault_is(enum diag_code code, const char *kind)
{
	static const struct {
		const char *word, *name;
	} also[] = {{"alignment", "misaligned"}, {"misalignment", "misaligned"},
		{"assert", "assertion"}, {"null", "null_pointer"}, {"launch", "launch_shape"}};
	const struct diag_code_info info = diag_code_info(code);
	char word[64];
	size_t n = strlen(kind);

	if (n >= sizeof word)
		return false;
	for (size_t k = 0; k <= n; k++)
		word[k] = kind[k] == '-' ? '_' : kind[k];
	kind = word;
	for (size_t k = 0; k < sizeof also / sizeof also[0]; k++)
		if (strcmp(also[k].word, kind) == 0 && strcmp(also[k].name, info.name) == 0)
			return true;
	if (strcmp(info.code, kind) == 0 || strcmp(info.name, kind) == 0)
		return true;
	for (const char *s = info.name; (s = strstr(s, kind)); s++)
		if (n && (s == info.name || s[-1] == '_') && (s[n] == 0 || s[n] == '_'))
			return true;
	return false;
}

/* Whether T's KIND may name this code: `fault` takes codes of class F or S, `misuse` of class S. */
static bool is_kind_of(const struct stmt *t, enum diag_code code)
{
	char letter = diag_code_info(code).code[0];

	return letter == 'S' || (letter == 'F' && t->finding == FINDING_FAULT);
}

bool resolve_finding(struct resolver *r, struct stmt *t)
{
	if ((t->finding != FINDING_FAULT && t->finding != FINDING_MISUSE) || !t->name)
		return true;
	for (unsigned k = 1; k < DIAG_COUNT; k++)
		if (is_kind_of(t, (enum diag_code)k) && script_fault_is((enum diag_code)k, t->name))
			return true;
	{
		struct diag *d = diag_report(r->diags, DIAG_L0127, t->source, t->name_span,
			"unknown %s '%.60s'", finding_name(t), t->name);
		struct nearest best = {0};

		for (unsigned k = 1; k < DIAG_COUNT; k++) {
			if (is_kind_of(t, (enum diag_code)k))
				nearest_consider(
					&best, t->name, diag_code_info((enum diag_code)k).name);
		}
		if (best.name)
			diag_help(r->diags, d, "did you mean %s?", best.name);
		else
			diag_help(r->diags, d, "'ptxi explain codes' lists the codes; %s",
				t->finding == FINDING_FAULT ? "classes F and S are faults"
							    : "class S is misuse");
	}
	return false;
}

bool resolve_misspelt_finding(struct resolver *r, const struct stmt *t)
{
	static const char *const findings[] = {"clean", "race", "deadlock", "livelock",
		"uninitialised", "fault", "misuse", "prints"};
	const struct expr *x = t->expr;
	struct nearest best = {0};

	if (t->kind != STMT_EXPECT || x->kind != EXPR_NAME || x->range != RANGE_NONE ||
		resolve_object(r, x->name) >= 0 || ir_find_var(r->m, x->name) != IR_NONE)
		return false;
	for (size_t k = 0; k < sizeof findings / sizeof findings[0]; k++)
		nearest_consider(&best, x->name, findings[k]);
	if (best.name)
		diag_help(r->diags,
			diag_report(r->diags, DIAG_L0127, x->source, x->span,
				"'%.60s' is neither a finding nor a known name", x->name),
			"did you mean %s?", best.name);
	return best.name != NULL;
}

/* Whether D is a launch that the driver rejected and T expects such a fault. The driver does not
 * say which of the interpreter's reasons applied. */
static bool is_rejected_launch(const struct stmt *t, const struct diag *d)
{
	for (unsigned k = 1; d->code == DIAG_F0902 && k < DIAG_COUNT; k++)
		if (!strncmp(diag_code_info((enum diag_code)k).name, "launch_", 7) &&
			(!t->name || script_fault_is((enum diag_code)k, t->name)))
			return true;
	return false;
}

bool finding_expected(const struct stmt *t, const struct diag *d)
{
	char letter = diag_code_info(d->code).code[0];

	if (t->kind != STMT_EXPECT_FINDING)
		return false;
	switch (t->finding) {
	case FINDING_RACE: return letter == 'R' && d->code != DIAG_R0201;
	/* B0901: a GPU that hangs cannot say why */
	case FINDING_DEADLOCK: return letter == 'D' || d->code == DIAG_B0901;
	case FINDING_FAULT:
		return d->code == DIAG_F0901 || is_rejected_launch(t, d) ||
			(is_kind_of(t, d->code) &&
				(t->name ? script_fault_is(d->code, t->name)
					 : !diag_is_warning(d->code)));
	case FINDING_MISUSE:
		return letter == 'S' && (!t->name || script_fault_is(d->code, t->name));
	case FINDING_UNINITIALISED: return d->code == DIAG_R0201;
	default: return false;
	}
}

const char *finding_name(const struct stmt *t)
{
	static const char *const names[] = {
		"", "race", "deadlock", "fault", "misuse", "uninitialised read"};

	return names[t->finding];
}
