/* Decides the verdict of a case: whether the findings it expects occurred, whether its conditions
 * hold, and if it fails, why. */
#include "script/verdict/judge.h"
#include "script/lang/finding.h"
#include <ptxi/status.h>
#include <string.h>

static bool is_finding(const struct diag *d)
{
	return strchr("FSRDB", diag_code_info(d->code).code[0]) != NULL;
}

const struct diag *judge_first(const struct report *r, const char *letters)
{
	for (const struct diag *d = r->findings.first; d; d = d->next)
		if (strchr(letters, diag_code_info(d->code).code[0]) && !diag_is_warning(d->code))
			return d;
	return NULL;
}

static const char *article(const struct stmt *t)
{
	return t->finding == FINDING_MISUSE           ? ""
		: t->finding == FINDING_UNINITIALISED ? "an "
						      : "a ";
}

static uint8_t checks_of(const struct stmt *t)
{
	switch (t->finding) {
	case FINDING_RACE: return CHECK_RACE;
	case FINDING_UNINITIALISED: return CHECK_INIT;
	case FINDING_MISUSE: return CHECK_SYNC;
	case FINDING_FAULT:
		for (unsigned k = 1; t->name && k < DIAG_COUNT; k++)
			if (diag_code_info((enum diag_code)k).code[0] == 'S' &&
				script_fault_is((enum diag_code)k, t->name))
				return CHECK_SYNC;
		return t->name && script_fault_is(DIAG_F0201, t->name) ? CHECK_BOUNDS : 0;
	default: return 0;
	}
}

static bool was_found(const struct evidence *e, const struct stmt *t)
{
	for (const struct diag *d = e->report->findings.first; d; d = d->next)
		if (finding_expected(t, d))
			return true;
	/* a deadlock may be reported only through the finding of its cause */
	return t->finding == FINDING_DEADLOCK && e->report->ended == MACHINE_DEADLOCK;
}

const struct stmt *judge_missing(const struct evidence *e)
{
	for (const struct stmt *t = e->in->first; t; t = t->next)
		if (t->kind == STMT_EXPECT_FINDING && t->finding != FINDING_CLEAN &&
			!was_found(e, t))
			return t;
	return NULL;
}

/* Whether T expects a finding that -W turns off. */
static bool is_off(const struct evidence *e, const struct stmt *t)
{
	bool named = t->name && (t->finding == FINDING_MISUSE || t->finding == FINDING_FAULT);

	for (unsigned k = 1; named && k < DIAG_COUNT; k++)
		if (diag_is_off(&e->report->findings, (enum diag_code)k) &&
			script_fault_is((enum diag_code)k, t->name))
			return true;
	return false;
}

/* Whether only a run could decide T: an exploration finds that a thread faults, but not which kind
 * of fault it is. */
static bool is_unexplored(const struct evidence *e, const struct stmt *t)
{
	return e->explored && t->finding == FINDING_FAULT && t->name;
}

const struct stmt *judge_unchecked(const struct evidence *e)
{
	for (const struct stmt *t = e->in->first; t; t = t->next)
		if (t->kind == STMT_EXPECT_FINDING &&
			(checks_of(t) & e->unchecked || is_off(e, t) || is_unexplored(e, t)) &&
			!was_found(e, t))
			return t;
	return NULL;
}

/* The first finding that violates `expect clean`, or NULL. In a run, warnings count too. In an
 * exploration, only data races count here: everything else fails the case anyway. */
static const struct diag *unclean(const struct evidence *e)
{
	const struct diag *d = judge_first(e->report, e->explored ? "R" : "FSRDB");

	for (const struct diag *w = e->explored ? NULL : e->report->findings.first; w && !d;
		w = w->next)
		d = is_finding(w) ? w : NULL;
	return d;
}

const char *judge_wanted(struct report *r, const struct stmt *t)
{
	return arena_printf(&r->arena, "%s%s%s%s", article(t), finding_name(t), t->name ? " " : "",
		t->name ? t->name : "");
}

const struct diag *judge_findings(const struct evidence *e)
{
	struct report *r = e->report;
	const struct diag *bad = unclean(e), *first = NULL;
	bool unchecked = judge_unchecked(e) != NULL;

	for (const struct stmt *t = e->in->first; t; t = t->next) {
		const struct diag *d = NULL;

		if (t->kind != STMT_EXPECT_FINDING)
			continue;
		if (t->finding == FINDING_CLEAN && bad)
			d = diag_report(&r->findings, DIAG_X0109, t->source, t->span, "%s: %s",
				e->explored ? "some execution is not clean"
					    : "the run was not clean",
				bad->message);
		else if (t->finding != FINDING_CLEAN && !e->open && !unchecked && !was_found(e, t))
			d = diag_report(&r->findings, DIAG_X0102, t->source, t->span,
				"expected %s, but %s%s%s", judge_wanted(r, t),
				e->explored ? "no execution has one" : "the run had none",
				bad ? "; instead: " : "", bad ? bad->message : "");
		first = first ? first : d;
	}
	return first;
}

void judge_conditions(const struct evidence *e)
{
	static const char *const message[][2] = {
		[CONDITION_ALLOW] = {"no execution that the memory model allows has this outcome",
			"no execution that the memory model allows has this outcome"},
		[CONDITION_FORBID] = {"this outcome is forbidden but was seen",
			"the memory model allows this outcome"},
		[CONDITION_ALWAYS] = {"an outcome was seen for which this is false",
			"the memory model allows an outcome for which this is false"}};
	struct report *r = e->report;

	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];

		if (c->decided && !c->holds)
			diag_report(&r->findings, DIAG_X0106, c->stmt->source, c->stmt->expr->span,
				"%s", message[c->stmt->condition][e->explored]);
	}
}

bool judge_is_expected(const struct script_case *in, const struct diag *d)
{
	for (const struct stmt *t = in->first; t; t = t->next)
		if (finding_expected(t, d))
			return true;
	return false;
}

bool judge_is_failure(const struct script_case *in, const struct diag *d)
{
	char letter = diag_code_info(d->code).code[0];

	return letter == 'X' || letter == 'L' || letter == 'E' ||
		(is_finding(d) && !diag_is_warning(d->code) && !judge_is_expected(in, d));
}

bool judge_warned(const struct report *r, const struct script_case *in)
{
	for (const struct diag *d = r->findings.first; d; d = d->next)
		if (diag_is_warning(d->code) && !judge_is_expected(in, d))
			return true;
	return false;
}

/* The exit status of `run`: that of the gravest finding, otherwise how the machine ended, otherwise
 * whether an expectation failed. */
static int status_of(const struct report *r)
{
	static const char order[] = "UBDFSREL";
	const struct diag *d;

	for (const char *s = order; *s; s++) {
		const char letter[2] = {*s, 0};

		if (*s == 'D' && r->ended == MACHINE_DEADLOCK)
			return PTXI_DEADLOCK;

		d = judge_first(r, letter);
		if (d)
			return diag_status(d->code);
	}
	switch (r->ended) {
	case MACHINE_FAULT: return PTXI_FAULT;
	case MACHINE_DEADLOCK: return PTXI_DEADLOCK;
	case MACHINE_BUDGET: return PTXI_UNDECIDED;
	case MACHINE_UNSUPPORTED: return PTXI_UNSUPPORTED;
	case MACHINE_DONE:
	default: return judge_first(r, "X") ? PTXI_FAILED : PTXI_OK;
	}
}

void judge_fail(struct report *r, const char *reason)
{
	if (r->verdict == VERDICT_PASS) {
		r->verdict = VERDICT_FAIL;
		r->reason = reason;
	}
}

void judge_case(const struct evidence *e, bool broken)
{
	struct report *r = e->report;
	const struct stmt *unchecked = judge_unchecked(e);
	const struct diag *d;

	judge_findings(e);
	judge_conditions(e);
	r->status = status_of(r);
	d = judge_first(r, "U");
	if (d || r->ended == MACHINE_UNSUPPORTED) {
		r->verdict = VERDICT_SKIP;
		r->reason = arena_printf(
			&r->arena, "not executed: %s", d ? d->message : "this part of PTX");
		return;
	}
	/* a program whose mistake is not looked for may hang because of it */
	for (d = r->findings.first; d; d = d->next)
		if (judge_is_failure(e->in, d) &&
			!(unchecked && diag_code_info(d->code).code[0] == 'D'))
			judge_fail(r,
				r->how ? arena_printf(&r->arena, "%s (%s)", d->message, r->how)
				       : d->message);
	d = judge_first(r, "B");
	if (r->ended == MACHINE_BUDGET && !(d && judge_is_expected(e->in, d)))
		judge_fail(r, "a limit was reached before the case ended");
	if (broken)
		judge_fail(r, "a line could not be executed");
	if (r->verdict == VERDICT_PASS && unchecked) {
		r->verdict = VERDICT_SKIP;
		r->reason = arena_printf(&r->arena, "it expects %s, which %s",
			judge_wanted(r, unchecked),
			is_off(e, unchecked) ? "-W disables" : "--check does not enable");
	}
}
