/* Checks one file: its cases, and the diagnostics that its error directives expect. */
#include "script/files/checked.h"
#include "base/memory.h"
#include "base/time.h"
#include "script/litmus/explorer.h"
#include "script/verdict/judge.h"
#include "script/verdict/show.h"
#include <ptxi/status.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN = 10 }; /* maximum findings shown for one case */

struct checker {
	const struct check_request *q;
	struct program *p;
	const struct checked_watch *watch;
	struct run_options options; /* the request's, with this file's deadline */
	unsigned cases_left;
	uint8_t *met;        /* by error directive: whether its diagnostic occurred */
	struct diags others; /* failed error directives and unexpected diagnostics */
};

static char *copied(const char *s)
{
	char *c = memory_resize(NULL, strlen(s) + 1);

	return strcpy(c, s);
}

/* Renders the first MAX findings, followed by a line with the number of the others. */
static void render_first(struct diags *d, unsigned max, struct text *out, bool color)
{
	struct diag *last = d->first, *rest;

	for (unsigned k = 1; last && k < max; k++)
		last = last->next;
	if (!last || !last->next) {
		diag_render(d, out, color);
		return;
	}
	{
		struct diags few = *d;
		unsigned more = 0;

		rest = last->next;
		last->next = NULL;
		few.dropped = 0;
		diag_render(&few, out, color);
		d->arena = few.arena; /* rendering allocates line tables there */
		last->next = rest;
		for (; rest; rest = rest->next)
			more++;
		text_printf(out, "%u more (-v shows all)\n", more + (unsigned)d->dropped);
	}
}

static char *rendered(struct diags *d, unsigned max, bool color)
{
	struct text t = {0};
	char *s;

	render_first(d, max, &t, color);
	s = copied(text_str(&t));
	text_free(&t);
	return s;
}

static const char *first_line(const char *s, struct arena *arena)
{
	return arena_text(arena, s, strcspn(s, "\n"));
}

static const char *case_name(struct checker *checker, const struct script_case *c)
{
	return c && c->name ? arena_printf(&checker->p->arena, "%s:%s", checker->p->path, c->name)
			    : checker->p->path;
}

void checked_case_free(struct checked_case *c)
{
	free(c->name);
	free(c->reason);
	free(c->detail);
	free(c->json);
}

static char *as_json(struct program *p, const struct script_case *c, struct report *r,
	const struct checked_case *one)
{
	static const char *const verdicts[] = {"pass", "fail", "skip"};
	struct text extra = {0}, json = {0};
	char *s;

	text_printf(&extra, ", \"verdict\": \"%s\", \"reason\": ", verdicts[one->verdict]);
	text_json(&extra, one->reason, strlen(one->reason));
	text_printf(&extra, ", \"seconds\": %.6f", one->seconds);
	json_report(p, c, r, text_str(&extra), &json);
	s = copied(text_str(&json));
	text_free(&extra);
	text_free(&json);
	return s;
}

void checked_lost(const struct check_request *q, const char *name, const char *reason, int fold,
	struct checked_case *out)
{
	struct program p = {.path = name};
	struct report r = {.status = fold == PTXI_BUG ? PTXI_BUG : PTXI_UNDECIDED};

	*out = (struct checked_case){.name = copied(name),
		.reason = copied(reason),
		.detail = copied(""),
		.verdict = VERDICT_FAIL,
		.fold = fold};
	if (q->format == CHECK_JSON)
		out->json = as_json(&p, NULL, &r, out);
}

/* Adds the result of a case. R NULL: nothing ran, and the diagnostics are those of the program or
 * the checker. */
static void checked_add(struct checker *checker, const struct script_case *c, struct report *r,
	enum verdict verdict, const char *reason, int fold)
{
	struct checked_case made, *one = &made;

	*one = (struct checked_case){.name = copied(case_name(checker, c)),
		.verdict = verdict,
		.fold = fold,
		.seconds = r ? r->seconds : 0};
	one->reason = copied(first_line(reason, &checker->p->arena));
	if (verdict == VERDICT_FAIL || checker->q->verbose || (r && c && judge_warned(r, c)))
		one->detail = r
			? rendered(&r->findings, checker->q->verbose ? UINT32_MAX : MAX_SHOWN,
				  checker->q->color && checker->q->format == CHECK_TEXT)
			: rendered(checker->others.first ? &checker->others : &checker->p->diags,
				  checker->q->verbose ? UINT32_MAX : MAX_SHOWN,
				  checker->q->color && checker->q->format == CHECK_TEXT);
	else
		one->detail = copied("");
	if (checker->q->format == CHECK_JSON)
		one->json = as_json(checker->p, c, r, one);
	if (verdict == VERDICT_FAIL && r && r->output.len && checker->q->verbose) {
		struct text t = {0};

		text_printf(&t, "%sprinted:\n%s%s", one->detail, text_str(&r->output),
			r->output.data[r->output.len - 1] == '\n' ? "" : "\n");
		free(one->detail);
		one->detail = copied(text_str(&t));
		text_free(&t);
	}
	checker->watch->end(checker->watch->self, one);
	checked_case_free(one);
}

/* Whether the first place of D is the line of T, also as what the PTX was compiled from. */
static bool is_at(const struct diag *d, const struct stmt *t)
{
	const struct diag_label *l = &d->label[0];
	uint32_t line, column;

	if (!d->nlabels)
		return false;
	if (l->source == t->source) {
		source_place(l->source, l->span.off, &line, &column);
		return line == t->line;
	}
	for (const struct origin *o = diag_origin(l); o; o = o->caller)
		if (o->line == t->line && strcmp(o->file->name, t->source->name) == 0)
			return true;
	return false;
}

/* Marks the error directives that expect D; false if there are none. */
static bool error_line_met(struct checker *checker, const struct diag *d)
{
	uint32_t n = 0;
	bool met = false;

	for (const struct stmt *t = checker->p->script.errors; t; t = t->next_error, n++)
		if (t->code == (uint32_t)d->code && is_at(d, t)) {
			checker->met[n] = 1;
			met = true;
		}
	return met;
}

static char letter_of(uint32_t code) { return diag_code_info((enum diag_code)code).code[0]; }

/* Compares the file's diagnostics with its error directives and reports differences to k->others.
 * FINAL: diagnostics that only a run can produce must have occurred too. */
static bool compare_errors(struct checker *checker, bool final)
{
	uint32_t n = 0;

	for (const struct diag *d = checker->p->diags.first; d && !final; d = d->next) {
		if (error_line_met(checker, d))
			continue;
		diag_report(&checker->others, DIAG_X0105, d->nlabels ? d->label[0].source : NULL,
			d->nlabels ? d->label[0].span : (struct span){0, 0}, "unexpected %s: %s",
			diag_code_info(d->code).code, d->message);
	}
	for (const struct stmt *t = checker->p->script.errors; t; t = t->next_error, n++) {
		bool runs = t->code != DIAG_NONE && strchr("EWL", letter_of(t->code)) == NULL;

		if (checker->met[n] || (runs && !final) || t->code == DIAG_NONE)
			continue;
		checker->met[n] = 1; /* report it only once */
		diag_report(&checker->others, DIAG_X0104, t->source, t->span,
			"this line did not produce %s (%s)",
			diag_code_info((enum diag_code)t->code).code,
			diag_code_info((enum diag_code)t->code).title);
	}
	return checker->others.errors == 0;
}

/* Whether the run has findings and error directives name all of them (for example a U code, not
 * executed). The case then passes instead of being skipped. */
static bool findings_met(struct checker *checker, const struct report *r)
{
	bool any = false, all = true;

	for (const struct diag *d = r->findings.first; d; d = d->next) {
		bool met = error_line_met(checker, d);

		any |= met;
		all &= met;
	}
	return any && all;
}

/* Appends a word of a command line, quoted if a shell would change it. */
static void put_word(struct text *out, const char *word)
{
	if (*word &&
		word[strspn(word,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-@%")] ==
			0) {
		text_puts(out, word);
		return;
	}
	text_putc(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			text_puts(out, "'\\''");
		else
			text_putc(out, *word);
	text_putc(out, '\'');
}

/* The file and its options as arguments of `ptxi run`. */
static const char *arguments(struct checker *checker)
{
	const struct program_request *r = &checker->q->program;
	struct text t = {0};
	const char *s;

	if (r->assemble.target)
		text_printf(&t, "--target=%s ", r->assemble.target);
	if (r->assemble.ptx)
		text_printf(&t, "--ptx=%u.%u ", r->assemble.ptx / 10, r->assemble.ptx % 10);
	if (r->script) {
		text_puts(&t, "--script=");
		put_word(&t, r->script);
		text_putc(&t, ' ');
	}
	put_word(&t, checker->p->path);
	for (unsigned n = 0; n < r->nlines; n++) {
		text_puts(&t, " -e ");
		put_word(&t, r->lines[n]);
	}
	s = arena_text(&checker->p->arena, text_str(&t), t.len);
	text_free(&t);
	return s;
}

static void run_case(struct checker *checker, struct script_case *c)
{
	struct report r;
	int fold;

	if (c->conditions) {
		struct explorer_request e = {.program = checker->p,
			.in = c,
			.options = checker->options,
			.jobs = checker->options.machine.jobs,
			.judge = true};

		e.options.machine.timeout = option_time_left(&checker->options);
		explorer_run(&e, &r);
	} else {
		struct host_request h = {.module = checker->p->module,
			.in = c,
			.options = checker->options,
			.judge = true,
			.arguments = arguments(checker),
			.cases_left = checker->cases_left};

		host_run(&h, &r);
	}
	if (checker->p->script.nerrors && r.verdict != VERDICT_PASS && findings_met(checker, &r)) {
		r.verdict = VERDICT_PASS;
		r.status = PTXI_OK;
	}
	fold = r.verdict == VERDICT_FAIL ? PTXI_FAILED
		: r.verdict == VERDICT_SKIP && r.opened && r.status == PTXI_UNSUPPORTED
		? PTXI_UNSUPPORTED
		: PTXI_OK;
	checked_add(checker, c, &r, r.verdict, r.reason ? r.reason : "", fold);
	report_free(&r);
}

/* How long the case may take, in seconds; 0: no limit. */
static double case_limit(struct checker *checker, struct script_case *c)
{
	struct run_options o;

	host_options(&(struct host_request){.in = c, .options = checker->options}, &o);
	return o.machine.deadline > 0 ? option_time_left(&o) : o.machine.timeout;
}

static bool has_lines(const struct script_case *c) { return c->first != NULL; }

static unsigned cases_from(const struct program *p, uint32_t n)
{
	unsigned left = 0;

	for (; n < p->script.cases.count; n++)
		left += has_lines(&p->script.cases.data[n]);
	return left;
}

static const char *first_message(struct checker *checker, const char *what)
{
	const struct diag *d = checker->p->diags.first;

	while (d && diag_code_info(d->code).code[0] == 'W')
		d = d->next;
	return arena_printf(&checker->p->arena, "%s%s%s%s%s", what, d ? ": " : "",
		d ? d->message : "", d ? " " : "",
		d ? arena_printf(&checker->p->arena, "[%s]", diag_code_info(d->code).code) : "");
}

/* Reports a file that could not be loaded, unless its error directives expect that. False if its
 * cases can be run. */
static bool unprepared(struct checker *checker)
{
	struct program *p = checker->p;

	if (!p->source)
		checked_add(checker, NULL, NULL, VERDICT_FAIL,
			first_message(checker, "cannot be read"), PTXI_USAGE);
	else if (p->script.nerrors)
		return false;
	else if (p->diags.first && p->diags.first->code == DIAG_L0209)
		checked_add(checker, NULL, NULL, VERDICT_FAIL, first_message(checker, "not PTX"),
			PTXI_USAGE);
	else if (p->status == PTXI_UNSUPPORTED && !p->module && p->kind != PROGRAM_LITMUS)
		checked_add(checker, NULL, NULL, VERDICT_SKIP,
			first_message(checker, "not executed"), PTXI_UNSUPPORTED);
	else if (p->status == PTXI_REJECTED && !p->module && p->kind != PROGRAM_LITMUS)
		checked_add(checker, NULL, NULL, VERDICT_FAIL, first_message(checker, "rejected"),
			p->diags.first && letter_of(p->diags.first->code) == 'L' ? PTXI_USAGE
										 : PTXI_FAILED);
	else if (p->is_cuda && !p->module && p->status == PTXI_UNDECIDED)
		checked_add(checker, NULL, NULL, VERDICT_FAIL,
			"the time limit (--timeout) was reached while the file was compiled",
			PTXI_FAILED);
	else if (p->is_cuda && !p->module)
		checked_add(checker, NULL, NULL, VERDICT_FAIL,
			first_message(checker, "not compiled"), PTXI_USAGE);
	else if (!p->script_ok && p->kind != PROGRAM_LITMUS)
		checked_add(checker, NULL, NULL, VERDICT_FAIL,
			first_message(checker, "error in a //@ directive"), PTXI_USAGE);
	else
		return false;
	return true;
}

static void run_litmus(struct checker *checker)
{
	struct explorer_request e = {.program = checker->p,
		.options = checker->options,
		.jobs = checker->options.machine.jobs,
		.judge = true};
	struct report r;

	checker->watch->begin(
		checker->watch->self, 0, 1, checker->p->path, option_time_left(&checker->options));
	e.options.machine.timeout = option_time_left(&checker->options);
	explorer_run(&e, &r);
	checked_add(checker, NULL, &r, r.verdict, r.reason ? r.reason : "",
		r.verdict == VERDICT_FAIL ? PTXI_FAILED : PTXI_OK);
	report_free(&r);
}

static void run_cases(struct checker *checker)
{
	struct program *p = checker->p;
	const _Atomic int *interrupted = checker->options.machine.interrupted;
	bool judged = checker->watch->from > 0;

	if (p->script.nerrors && !compare_errors(checker, false)) {
		checked_add(checker, NULL, NULL, VERDICT_FAIL, checker->others.first->message,
			PTXI_FAILED);
		return;
	}
	for (uint32_t n = checker->watch->from; p->module && p->script_ok &&
		n < p->script.cases.count && !(interrupted && *interrupted);
		n++)
		if (has_lines(&p->script.cases.data[n])) {
			checker->watch->begin(checker->watch->self, n, p->script.cases.count,
				case_name(checker, &p->script.cases.data[n]),
				case_limit(checker, &p->script.cases.data[n]));
			checker->cases_left = cases_from(p, n);
			run_case(checker, &p->script.cases.data[n]);
			judged = true;
		}
	if (p->script.nerrors && !compare_errors(checker, true))
		checked_add(checker, NULL, NULL, VERDICT_FAIL, checker->others.first->message,
			PTXI_FAILED);
	else if (!judged)
		checked_add(checker, NULL, NULL, VERDICT_PASS, "", PTXI_OK);
}

void checked_run(
	const struct check_request *q, const char *path, bool named, const struct checked_watch *w)
{
	struct program p;
	struct program_request request = q->program;
	struct checker checker = {.q = q, .p = &p, .watch = w, .options = q->options};

	request.path = path;
	request.deadline = w->deadline;
	checker.options.machine.deadline = w->deadline;
	w->begin(w->self, CHECKED_FILE, 0, path, option_time_left(&checker.options));
	program_load(&p, &request);
	checker.met = memory_zeroed(p.script.nerrors + 1u, 1);
	if (unprepared(&checker))
		;
	else if (p.kind == PROGRAM_LITMUS)
		run_litmus(&checker);
	else if (p.script.expectations == 0)
		checked_add(&checker, NULL, NULL, VERDICT_SKIP, "no //@ directive expects anything",
			named ? PTXI_USAGE : PTXI_OK);
	else
		run_cases(&checker);
	free(checker.met);
	diags_free(&checker.others);
	program_free(&p);
}

void checked_free(struct checked *c)
{
	for (uint32_t k = 0; k < c->cases.count; k++)
		checked_case_free(&c->cases.data[k]);
	vec_free(&c->cases);
}

int checked_status(const struct check_totals *t)
{
	if (t->bug)
		return PTXI_BUG;
	if (t->usage)
		return PTXI_USAGE;
	if (t->failure)
		return PTXI_FAILED;
	return t->unsupported ? PTXI_UNSUPPORTED : PTXI_OK;
}
