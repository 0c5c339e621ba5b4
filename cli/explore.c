/* ptxi explore: finds every outcome of a case. */
#include "cli/cases.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/parts.h"
#include "cli/progress.h"
#include "cli/put.h"
#include "script/litmus/explorer.h"
#include "script/litmus/repair.h"
#include <ptxi/status.h>
#include <string.h>

/* Which case IN is, counted from 0. */
static uint32_t case_index(const struct program *p, const struct script_case *in)
{
	return in ? (uint32_t)(in - p->script.cases.data) : 0;
}

static int explore_case(struct cli *c, struct program *p, struct script_case *in, struct text *json)
{
	struct explorer_request e = {.program = p,
		.in = in,
		.options = options_left(c),
		.jobs = c->jobs,
		.graph = c->graph,
		.picture = c->picture ? &c->drawn.picture : NULL,
		.why = c->why,
		.semantic_deps = c->semantic_deps,
		.verify = c->verify,
		.stats = c->stats,
		.any_grid = c->any_grid,
		.verbose = c->verbose,
		.records = c->format == FORMAT_JSON,
		.shard = c->shard,
		.shards = c->shards};
	struct explore_parts parts = {0};
	struct text part = {0};
	struct report r;
	int status;

	if (c->parts) {
		parts.text = c->parts->text + (size_t)case_index(p, in) * c->parts->shards;
		parts.n = c->parts->shards;
		e.parts = *parts.text[0] ? &parts : NULL;
	}
	e.part = c->shards ? &part : NULL;
	progress_begin(c, cli_title(c, p, in), 0, &e.options);
	e.progress = progress_listener() ? progress_explored : NULL;
	interrupts_work();
	explorer_run(&e, &r);
	progress_end();
	interrupts_report();
	status = r.status;
	if (parts.bad) {
		diag_plain(&c->diags, DIAG_L0506, "a part is not a result of this program");
		status = PTXI_USAGE;
	} else if (c->shards) {
		parts_case(&part, json);
		status = PTXI_OK; /* what the part found is in it */
	} else if (c->format == FORMAT_JSON) {
		json_report(p, in, &r, NULL, json);
	} else {
		put(c->quiet ? &r.why : &r.listing);
		put_diags(c, &r.findings);
	}
	text_free(&part);
	report_free(&r);
	return status;
}

/* --shard: the result is not for readers, and joined to what a run without it prints; so it
 * excludes what explores more than once or is about how this run searched. */
static bool shard_is_possible(struct cli *c, const char *file)
{
	const char *other = c->why ? "--why"
		: c->graph         ? "--graph"
		: c->picture       ? "--picture"
		: c->repair        ? "--repair"
		: c->slack         ? "--slack"
		: c->any_grid      ? "--any-grid"
		: c->verify        ? "--verify"
		: c->stats         ? "--stats"
				   : NULL;

	if (other)
		diag_plain(&c->diags, DIAG_L0303, "--shard and %s exclude each other", other);
	else if (strcmp(file, "-") == 0)
		diag_plain(
			&c->diags, DIAG_L0304, "--shard needs a file: 'ptxi merge' reads it again");
	return !c->diags.errors;
}

/* Whether the file is the one of which the parts are; reports if it is not. */
static bool parts_fit(struct cli *c, const struct program *p, uint32_t cases)
{
	if (!p->source || p->texts != c->parts->source || cases != c->parts->cases)
		diag_plain(&c->diags, DIAG_L0506, "%s has changed since its parts were explored",
			p->path);
	return !c->diags.errors;
}

/* --repair and --slack work on the whole file, since its cases share kernels. */
static int change_program(struct cli *c, struct program *p, const struct program_request *loaded,
	bool slack, struct text *json)
{
	struct repair_request r = {.program = p,
		.loaded = loaded,
		.options = options_left(c),
		.jobs = c->jobs,
		.semantic_deps = c->semantic_deps,
		.slack = slack,
		.forbid = !slack && *c->repair ? c->repair : NULL};
	struct repair found;
	struct text text = {0};
	int status;

	progress_begin(c, slack ? "slack" : "repair", 0, &r.options);
	r.progress = progress_listener() ? progress_explored : NULL;
	interrupts_work();
	repair_run(&r, &found);
	progress_end();
	interrupts_report();
	if (c->format == FORMAT_JSON)
		repair_json(&r, &found, json);
	else if (!c->quiet)
		repair_print(&r, &found, &text);
	put(&text);
	if (r.forbid)
		put_diags(c, &found.diags);
	text_free(&text);
	status = found.status;
	repair_free(&found);
	return status;
}

/* The two of them; as members of JSON's outermost object, which is complete but for its end. */
static int change_programs(
	struct cli *c, struct program *p, const struct program_request *loaded, struct text *json)
{
	bool object = json->len && json->data[json->len - 1] == '}';

	int status = PTXI_OK;

	if (!c->slack && !c->repair)
		return status;
	json->len -= object;
	for (int slack = 0; slack < 2; slack++) {
		if (slack ? !c->slack : !c->repair)
			continue;
		text_puts(json, object ? ", " : "");
		status = cli_worse(status, change_program(c, p, loaded, slack, json));
	}
	text_puts(json, object ? "}" : "");
	return status;
}

int command_explore(struct cli *c)
{
	const char *file = c->files.count ? c->files.data[0] : "", *dot = strrchr(file, '.');
	/* The condition to explain becomes the last directive of the case, which explorer_run()
	 * does not judge. */
	if (c->why && *c->why && !(dot && strcmp(dot, ".litmus") == 0))
		*vec_push(&c->lines) = arena_printf(&c->arena, "allow %s", c->why);
	if (c->repair && *c->repair && !(dot && strcmp(dot, ".litmus") == 0))
		*vec_push(&c->lines) = arena_printf(&c->arena, "forbid %s", c->repair);
	struct program_request r = cli_request(c);
	struct program p;
	struct text json = {0};
	uint32_t cases;
	int status = 0;

	if ((c->shards || c->parts) && !shard_is_possible(c, file))
		return PTXI_USAGE;

	interrupts_watch(c);
	if (c->picture && !picture_file_open(&c->drawn, c->picture, &c->diags))
		return PTXI_USAGE;
	interrupts_load(c, NULL);
	load_begin(c, &r);
	program_load(&p, &r);
	load_end();
	interrupts_work();
	if (c->format == FORMAT_TEXT && !(c->shards && !p.status))
		put_diags(c, &p.diags);
	cases = p.kind == PROGRAM_LITMUS ? 1 : p.script.cases.count;
	if (c->parts && !parts_fit(c, &p, cases)) {
		program_free(&p);
		return PTXI_USAGE;
	}
	if (c->shards && p.source)
		parts_head(c, p.texts, cases, &json);
	if (p.kind == PROGRAM_LITMUS && c->any_grid) {
		diag_plain(&c->diags, DIAG_L0303, "--any-grid is about launches of PTX kernels");
		status = PTXI_USAGE;
	} else if (p.kind == PROGRAM_LITMUS) {
		status = explore_case(c, &p, NULL, &json);
	} else if (p.status) {
		status = p.status;
		if (c->format == FORMAT_JSON)
			json_report(&p, NULL, NULL, NULL, &json);
	} else {
		status = p.script.cases.count ? cli_each_case(c, &p, explore_case, &json)
					      : cli_idle(c, &p, &json);
	}
	if (p.kind == PROGRAM_LITMUS || (!p.status && p.script.cases.count))
		status = cli_worse(status, change_programs(c, &p, &r, &json));
	interrupts_report();
	if (c->shards && (p.status && p.kind != PROGRAM_LITMUS))
		text_clear(&json); /* a program that cannot be explored has no parts */
	if (json.len && !c->shards)
		text_putc(&json, '\n');
	put(&json);
	text_free(&json);
	program_free(&p);
	if (c->picture && !picture_file_close(&c->drawn, file, &c->diags))
		status = cli_worse(status, PTXI_USAGE);
	return status;
}
