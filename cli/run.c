/* ptxi run: executes the //@ directives, and prints results, the kernels' output and findings. */
#include "cli/cases.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/put.h"
#include "debug/trail.h"
#include "script/litmus/harness_case.h"
#include "script/litmus/litmus_run.h"
#include "script/files/trace_file.h"
#include <ptxi/status.h>
#include <string.h>

struct shower {
	struct cli *c;
	bool open_line; /* the kernels' output does not end with a newline */
};

static void put_output(void *self, const char *text, size_t n)
{
	struct shower *s = self;
	struct text t = {0};

	if (n == 0)
		return;
	text_add(&t, text, n);
	s->open_line = text[n - 1] != '\n';
	put(&t);
	text_free(&t);
}

static void put_printed(void *self, const struct printed *p)
{
	struct shower *s = self;
	struct text t = {0};

	if (s->open_line)
		text_putc(&t, '\n');
	s->open_line = false;
	show_printed(p, &t);
	put(&t);
	text_free(&t);
}

static void put_case(struct cli *c, const struct program *p, const struct script_case *in)
{
	struct text t = {0};

	if (p->script.cases.count > 1 && !c->quiet) {
		text_printf(&t, "case %s:\n", in->name ? in->name : "1");
		put(&t);
	}
	if (c->verbose)
		for (const struct stmt *s = in->first; s; s = s->next)
			if (s->kind == STMT_LAUNCH) {
				text_clear(&t);
				text_printf(&t, "%.*s\n", (int)s->span.len,
					s->source->text + s->span.off);
				put_err(&t);
			}
	text_free(&t);
}

/* Prints the findings of a case; if an earlier case had the same ones, only refers to it. */
static void put_findings(struct cli *c, const struct script_case *in, struct diags *d)
{
	const char *name = in->name ? in->name : "1";
	struct text t = {0}, again = {0};

	for (struct diag *r = d->first, *next; r; r = next) {
		next = r->next;
		if (c->quiet && diag_is_warning(r->code))
			diag_drop(d, r);
	}
	diag_render(d, &t, c->color_err);
	for (uint32_t n = 0; n < c->shown.count && t.len; n++)
		if (strcmp(c->shown.data[n].text, text_str(&t)) == 0) {
			text_printf(
				&again, "case %s: as in case %s\n", name, c->shown.data[n].name);
			break;
		}
	if (t.len && !again.len)
		*vec_push(&c->shown) = (struct shown_findings){arena_printf(&c->arena, "%s", name),
			arena_text(&c->arena, text_str(&t), t.len)};
	put_err(again.len ? &again : &t);
	text_free(&again);
	text_free(&t);
}

/* Whether several threads ran and any of them wrote memory that they share. */
static bool could_race(const struct report *r)
{
	return r->stats.threads > 1 && r->stats.bytes_stored[0] + r->stats.bytes_stored[1] > 0;
}

/* By default, run does not check for races. A short program is therefore run again with all checks,
 * which costs next to nothing; for a longer one, a note says that races were not checked. */
static void remark_on_races(struct cli *c, const struct host_request *h,
	const struct run_options *options, const struct report *r)
{
	enum { CHEAP = 100000 }; /* warp instructions */
	const char *file = c->files.data[0];
	const struct diag *d = NULL;
	struct host_request again = *h;
	struct report looked = {0};
	struct text t = {0};

	if (c->quiet || c->trail || c->options.given & RUN_CHECK ||
		options->machine.checks & CHECK_RACE || options->on_gpu || options->runs ||
		r->status || !could_race(r))
		return;
	if (r->stats.warp_instructions > CHEAP) {
		text_printf(
			&t, "ptxi: no check for races; use 'ptxi check %s' or --check=all\n", file);
	} else {
		again.output = NULL;
		again.show = NULL;
		again.options.machine.trace = NULL;
		again.options.machine.listener = NULL;
		again.options.machine.checks = CHECK_RACE | CHECK_INIT | CHECK_BOUNDS | CHECK_SYNC;
		again.options.given |= RUN_CHECK;
		host_run(&again, &looked);
		for (d = looked.findings.first; d && diag_code_info(d->code).code[0] != 'R';
			d = d->next)
			;
		if (d)
			text_printf(&t, "ptxi: with --check=all, this run has a finding: %s [%s]\n",
				d->message, diag_code_info(d->code).code);
		report_free(&looked);
	}
	put_err(&t);
	text_free(&t);
}

/* The title of a case's picture. */
static const char *picture_name(
	struct cli *c, const struct program *p, const struct script_case *in)
{
	return in && in->name ? arena_printf(&c->arena, "%s, case %s", p->path, in->name) : p->path;
}

static int run_case(struct cli *c, struct program *p, struct script_case *in, struct text *json)
{
	struct shower s = {.c = c};
	struct host_request h = {.module = p->module, .in = in, .options = c->options, .self = &s};
	struct run_options options;
	struct report r;
	struct text t = {0};
	int status;

	interrupts_work();
	host_options(&h, &options);
	if (c->format == FORMAT_TEXT) {
		/* with several runs, printed values are part of the outcomes */
		if (!options.runs) {
			h.output = put_output;
			h.show = put_printed;
		}
		put_case(c, p, in);
	}
	progress_begin(c, cli_title(c, p, in), options.runs, &options);
	h.options.machine.listener = progress_listener();
	h.ran = options.runs ? progress_ran : NULL;
	if (c->picture)
		picture_file_begins(&c->drawn, picture_name(c, p, in), options.runs);
	/* Small launches whose outcomes are observed run in the harness, many at a time. */
	if (c->options.on_gpu && c->options.runs && harness_case_fits(p, in, NULL)) {
		struct explorer_request e = {
			.program = p, .in = in, .options = c->options, .jobs = c->jobs};

		harness_case(&e, &r);
	} else {
		host_run(&h, &r);
	}
	progress_end();
	interrupts_report();
	if (c->picture)
		picture_file_ends(&c->drawn);
	if (c->format == FORMAT_JSON) {
		json_report(p, in, &r, NULL, json);
	} else if (c->format == FORMAT_TSV) {
		litmus_tsv(in->name ? arena_printf(&c->arena, "%s:%s", p->path, in->name) : p->path,
			&r, &t);
		put(&t);
		if (c->verbose)
			put_err(&r.listing);
		put_diags(c, &r.findings);
	} else {
		if (s.open_line)
			text_putc(&t, '\n');
		if (options.runs || (r.conditions.count && !c->quiet))
			show_outcomes(&r, &t);
		if (c->stats)
			show_stats(&r, &t);
		if (c->options.machine.profile)
			show_profile(p, &r, &t);
		put(&t);
		put_findings(c, in, &r.findings);
		remark_on_races(c, &h, &options, &r);
	}
	status = r.status;
	text_free(&t);
	report_free(&r);
	return status;
}

/* --trail: runs only the case of the trail, and says where it could not be followed. */
static int run_trail(struct cli *c, struct program *p, struct text *json)
{
	struct trail trail;

	if (!trail_read(&trail, c->trail, &c->options, &c->arena, &c->diags))
		return PTXI_USAGE;
	if (trail.program && trail.program != trail_program(p->module))
		text_printf(&trail.said,
			"ptxi: %s was recorded with other instructions than those of %s\n",
			c->trail, p->path);
	for (uint32_t k = 0; k < p->script.cases.count; k++) {
		struct script_case *in = &p->script.cases.data[k];
		int status;

		if (trail.name ? !in->name || strcmp(in->name, trail.name) != 0 : !in->first_launch)
			continue;
		trail_follow(&trail, &c->options);
		status = run_case(c, p, in, json);
		c->options.machine.director = NULL;
		put_err(&trail.said);
		text_free(&trail.said);
		return status;
	}
	text_free(&trail.said);
	diag_plain(&c->diags, DIAG_L0303, "%s has no case %.80s, which the trail names", p->path,
		trail.name ? trail.name : "1");
	return PTXI_USAGE;
}

static bool has_work(const struct program *p)
{
	for (uint32_t k = 0; k < p->script.cases.count; k++)
		for (const struct stmt *t = p->script.cases.data[k].first; t; t = t->next)
			if (t->kind != STMT_SET && t->kind != STMT_NEEDS)
				return true;
	return false;
}

static int run_litmus(struct cli *c, struct program *p, struct text *json)
{
	struct litmus_request q = {
		.program = p, .options = options_left(c), .jobs = c->jobs, .verbose = c->verbose};
	struct report r;
	struct text t = {0};

	progress_begin(c, cli_title(c, p, NULL), q.options.runs, &q.options);
	q.options.machine.listener = progress_listener();
	q.ran = q.options.runs ? progress_ran : NULL;
	if (c->picture)
		picture_file_begins(&c->drawn, picture_name(c, p, NULL), q.options.runs);
	interrupts_work();
	litmus_run(&q, &r);
	if (c->picture)
		picture_file_ends(&c->drawn);
	progress_end();
	interrupts_report();
	if (c->format == FORMAT_JSON) {
		json_report(p, NULL, &r, NULL, json);
	} else {
		if (c->format == FORMAT_TSV)
			litmus_tsv(p->path, &r, &t);
		else if (!c->quiet)
			text_add(&t, text_str(&r.listing), r.listing.len);
		put(&t);
		if (c->format == FORMAT_TSV && c->verbose)
			put_err(&r.listing);
		put_diags(c, &r.findings);
	}
	int status = r.status;
	text_free(&t);
	report_free(&r);
	return status;
}

static int run_program(struct cli *c, struct program *p, struct text *json)
{
	if (c->format == FORMAT_TEXT)
		put_diags(c, &p->diags);
	if (p->kind == PROGRAM_LITMUS)
		return run_litmus(c, p, json);
	if (p->status) {
		if (c->format == FORMAT_JSON)
			json_report(p, NULL, NULL, NULL, json);
		return p->status;
	}
	if (!has_work(p))
		return cli_idle(c, p, json);
	if (c->trail)
		return run_trail(c, p, json);
	return cli_each_case(c, p, run_case, json);
}

static int run_file(struct cli *c, const char *path, struct trace_file *trace)
{
	struct program_request r = cli_request(c);
	struct program p;
	struct text json = {0};
	int status = 0;

	r.path = path;
	interrupts_load(c, trace);
	load_begin(c, &r);
	program_load(&p, &r);
	load_end();
	interrupts_work();
	status = run_program(c, &p, &json);
	if (json.len) {
		text_putc(&json, '\n');
		put(&json);
	}
	text_free(&json);
	program_free(&p);
	return status;
}

int command_run(struct cli *c)
{
	struct trace_file trace;
	int status = 0;

	if (c->trail && (c->options.runs || c->options.on_gpu)) {
		diag_plain(&c->diags, DIAG_L0303, "--trail is one run of the interpreter");
		return PTXI_USAGE;
	}

	if (c->trace_atomics && !c->trace) {
		diag_plain(&c->diags, DIAG_L0303, "--trace-atomics requires --trace=FILE");
		return PTXI_USAGE;
	}
	if (!(c->options.given & RUN_CHECK))
		c->options.machine.checks = CHECK_BOUNDS | CHECK_SYNC;
	/* many runs of one program, mostly of small ones, would each make its code */
	if (!c->engine_given && !c->options.runs)
		c->options.machine.engine = ENGINE_STENCILS;
	c->options.machine.jobs = c->jobs;
	interrupts_watch(c); /* also while the trace exists, but has no end */
	if (c->picture &&
		(!picture_file_open(&c->drawn, c->picture, &c->diags) ||
			!picture_file_record(&c->drawn, &c->options, &c->diags)))
		return PTXI_USAGE;
	if (c->trace &&
		!trace_file_open(&trace, c->trace, c->trace_atomics, c->files.data, c->files.count,
			&c->options, &c->diags))
		return PTXI_USAGE;
	for (uint32_t k = 0; k < c->files.count && (k == 0 || !interrupts_status(0)); k++)
		status = cli_worse(status, run_file(c, c->files.data[k], c->trace ? &trace : NULL));
	if (c->trace && !trace_file_close(&trace, &c->diags))
		status = cli_worse(status, PTXI_USAGE);
	if (c->picture && !picture_file_close(&c->drawn, c->files.data[0], &c->diags))
		status = cli_worse(status, PTXI_USAGE);
	return status;
}
