/* Judges one submission: assembles it, counts what the requirements name, and runs the cases. Its
 * results depend on the submission and the suite only: nothing here looks at the clock, the number
 * of processors or the environment. */
#include "grade/inside.h"
#include "backend/whole.h"
#include "ir/object.h"
#include "script/litmus/explorer.h"
#include "script/verdict/judge.h"
#include <ptxi/status.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct inside {
	const struct inside_request *q;
	struct program p;
	struct diags *errors; /* [cases]: of resolving their directives */
};

/* At most MAX bytes of S, cut between characters. */
static uint32_t cut(const char *s, size_t max)
{
	size_t n = strlen(s);

	if (n <= max)
		return (uint32_t)n;
	for (n = max; n && ((unsigned char)s[n] & 0xc0) == 0x80;)
		n--;
	return (uint32_t)n;
}

static void put_record(
	const struct inside *in, struct record r, const char *reason, const char *detail)
{
	r.magic = RECORD_MAGIC;
	r.nreason = cut(reason, MAX_REASON);
	r.ndetail = cut(detail, MAX_DETAIL);
	if (!whole_write(in->q->out, &r, sizeof r) || !whole_write(in->q->out, reason, r.nreason) ||
		!whole_write(in->q->out, detail, r.ndetail))
		_exit(1); /* the grader is gone */
}

static const char *first_message(struct inside *in, const struct diags *d)
{
	const struct diag *at = d->first;

	while (at && diag_is_warning(at->code))
		at = at->next;
	return at
		? arena_printf(&in->p.arena, "%s [%s]", at->message, diag_code_info(at->code).code)
		: "";
}

static void put_diags(struct inside *in, struct record r, const char *reason, struct diags *d)
{
	struct text t = {0};

	diag_render(d, &t, false);
	put_record(in, r, reason, text_str(&t));
	text_free(&t);
}

enum { MAX_FINDINGS = 10 }; /* that the report shows for one case */

static bool load(struct inside *in)
{
	const struct inside_request *q = in->q;
	struct program_request r = {.path = q->name,
		.text = q->text,
		.size = q->size,
		.no_script = true,
		.no_warnings = true};
	struct script_lines ignored = {0};

	if (ir_object_is(q->text, (uint32_t)q->size)) {
		put_record(in, (struct record){.kind = RECORD_REJECTED},
			"is an object file of ptxi; the exercise takes PTX text", "");
		return false;
	}
	program_load(&in->p, &r);
	if (in->p.kind == PROGRAM_LITMUS) {
		put_record(in, (struct record){.kind = RECORD_REJECTED},
			"is a litmus test; the exercise takes PTX", "");
		return false;
	}
	if (in->p.source)
		script_scan(in->p.source, &ignored);
	if (ignored.line.count)
		put_record(in,
			(struct record){.kind = RECORD_IGNORED, .amount = ignored.line.count}, "",
			"");
	script_lines_free(&ignored);
	if (in->p.module)
		return true;
	put_diags(in, (struct record){.kind = RECORD_REJECTED}, first_message(in, &in->p.diags),
		&in->p.diags);
	return false;
}

/* Resolves the directives of the suite against the submission's module, each case for itself: a
 * kernel that the file lacks costs only the cases that launch it. */
static void resolve(struct inside *in)
{
	const struct exercise *e = in->q->exercise;

	in->errors = ARENA_ARRAY(&in->p.arena, struct diags, e->cases.count + 1u);
	for (uint32_t u = 0; u < e->units.count; u++)
		for (uint32_t k = 0; k < e->units.data[u].ncases; k++) {
			struct script *all = &e->units.data[u].script, one = *all;
			struct diags *errors = &in->errors[e->units.data[u].first + k];

			one.cases.data = &all->cases.data[k];
			one.cases.count = 1;
			errors->no_warnings = true;
			script_resolve(&one, in->p.module, errors);
			all->arena = one.arena;
		}
}

/* --- requirements --- */

struct kernels {
	VEC(uint32_t) func;
};

/* The kernels that the cases launch. A unit with an error, such as a kernel that the file lacks,
 * may still name others. */
static void launched(struct inside *in, struct kernels *out)
{
	const struct exercise *e = in->q->exercise;

	for (uint32_t u = 0; u < e->units.count; u++)
		for (uint32_t k = 0; k < e->units.data[u].ncases; k++) {
			const struct script_case *c = &e->units.data[u].script.cases.data[k];

			if (in->errors[e->units.data[u].first + k].errors)
				continue;
			for (const struct stmt *t = c->first; t; t = t->next)
				if (t->kind == STMT_LAUNCH)
					*vec_push(&out->func) = t->func;
		}
}

static void put_requirements(struct inside *in)
{
	const struct exercise *e = in->q->exercise;
	struct kernels kernels = {0};
	struct reached reached = {0};

	launched(in, &kernels);
	reached_find(&reached, in->p.module, kernels.func.data, kernels.func.count);
	for (uint32_t k = 0; k < e->requirements.count; k++) {
		const struct suite_requirement *q = &e->requirements.data[k];
		uint64_t n = reached_count(&reached, in->p.module, &q->kind);
		bool holds = kernels.func.count && relation_holds(q->relation, n, q->bound);
		const char *reason = holds ? ""
			: kernels.func.count
			? arena_printf(&in->p.arena, "the launched kernels have %llu",
				  (unsigned long long)n)
			: "the file has none of the kernels that the cases launch";

		put_record(in,
			(struct record){.kind = RECORD_REQUIREMENT,
				.index = k,
				.verdict = holds ? VERDICT_PASS : VERDICT_FAIL,
				.amount = n},
			reason, "");
	}
	reached_free(&reached);
	vec_free(&kernels.func);
}

/* --- cases --- */

static struct run_options options_of(const struct exercise *e)
{
	struct run_options o = {
		.machine = {.seed = 1,
			.jobs = 1,
			.checks = CHECK_RACE | CHECK_INIT | CHECK_BOUNDS | CHECK_SYNC,
			.max_steps = e->limits.steps,
			.max_memory = e->limits.memory,
			.max_output = e->limits.output},
		.no_warnings = !e->warnings};

	/* the suite's limits replace those of set lines; a case may bound its steps further */
	o.given = RUN_TIMEOUT | RUN_MAX_MEMORY | RUN_MAX_OUTPUT;
	return o;
}

/* The limit that ended the case, in the words of the report, or NULL. A variable larger than the
 * memory limit is refused before anything runs. */
static const char *limit_reached(
	struct inside *in, const struct report *r, const struct exercise *e)
{
	const struct diag *d = judge_first(r, "BF");
	struct text t = {0};
	const char *s = NULL;

	if (d && d->code == DIAG_B0001)
		text_puts(&t, "executed more instructions than 'steps' allows");
	else if (d && d->code == DIAG_F0111)
		text_puts(&t, "used more than "), bytes_put(&t, e->limits.memory),
			text_printf(&t, ": %s", d->message);
	else if (d && d->code == DIAG_B0003)
		text_puts(&t, "used more than "), bytes_put(&t, e->limits.memory);
	else if (d && d->code == DIAG_B0004)
		text_puts(&t, "printed more than "), bytes_put(&t, e->limits.output);
	if (t.len)
		s = arena_text(&in->p.arena, text_str(&t), t.len);
	text_free(&t);
	return s;
}

static void keep_first(struct diags *d, unsigned max)
{
	struct diag *last = d->first;

	for (unsigned k = 1; last && k < max; k++)
		last = last->next;
	if (last)
		last->next = NULL;
}

static void run_case(struct inside *in, struct script_case *c, uint32_t index)
{
	const struct exercise *e = in->q->exercise;
	struct record record = {.kind = RECORD_CASE, .index = index};
	struct report r;
	const char *reason;

	put_record(in, (struct record){.kind = RECORD_BEGIN, .index = index}, "", "");
	if (c->conditions) {
		struct explorer_request q = {.program = &in->p,
			.in = c,
			.options = options_of(e),
			.jobs = 1,
			.judge = true};

		explorer_run(&q, &r);
	} else {
		struct host_request q = {
			.module = in->p.module, .in = c, .options = options_of(e), .judge = true};

		host_run(&q, &r);
	}
	record.verdict = r.verdict;
	record.amount = r.stats.warp_instructions;
	reason = r.verdict == VERDICT_PASS ? NULL : limit_reached(in, &r, e);
	if (!reason)
		reason = r.reason ? r.reason : "";
	keep_first(&r.findings, MAX_FINDINGS);
	if (r.verdict == VERDICT_PASS)
		put_record(in, record, "", "");
	else
		put_diags(in, record, reason, &r.findings);
	report_free(&r);
}

static void run_unit(struct inside *in, struct suite_unit *u)
{
	in->p.script = u->script;
	in->p.lines = u->lines;
	for (uint32_t k = 0; k < u->ncases; k++) {
		struct record r = {
			.kind = RECORD_CASE, .index = u->first + k, .verdict = VERDICT_FAIL};
		struct diags *errors = &in->errors[u->first + k];

		if (u->first + k < in->q->from)
			continue;
		if (errors->errors)
			put_diags(in, r, first_message(in, errors), errors);
		else
			run_case(in, &u->script.cases.data[k], u->first + k);
	}
}

/* Messages name the suite without its folder, which differs between machines. */
static void shorten_names(struct exercise *e)
{
	for (uint32_t u = 0; u < e->units.count; u++)
		for (uint32_t k = 0; k < e->units.data[u].lines.line.count; k++) {
			struct source *s = e->units.data[u].lines.line.data[k].source;
			const char *slash = strrchr(s->name, '/');

			s->name = slash ? slash + 1 : s->name;
		}
}

void inside_run(const struct inside_request *q)
{
	struct inside in = {.q = q};

	shorten_names(q->exercise);
	if (load(&in)) {
		resolve(&in);
		put_requirements(&in);
		for (uint32_t k = 0; k < q->exercise->units.count; k++)
			run_unit(&in, &q->exercise->units.data[k]);
	}
	put_record(&in, (struct record){.kind = RECORD_END}, "", "");
}
