/* Shared by the commands that work on the cases of a file: the request to load it, the loop over
 * its cases, and their combined exit status. */
#include "cli/cases.h"
#include "cli/compile.h"
#include "cli/interrupt.h"
#include "cli/put.h"
#include <ptxi/status.h>

int cli_worse(int a, int b)
{
	static const int order[] = {PTXI_BUG, PTXI_REJECTED, PTXI_USAGE, PTXI_UNSUPPORTED,
		PTXI_UNDECIDED, PTXI_DEADLOCK, PTXI_FAULT, PTXI_RACE, PTXI_FAILED, PTXI_OK};

	for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
		if (a == order[k] || b == order[k])
			return order[k];
	return a;
}

int cli_each_case(struct cli *c, struct program *p,
	int (*one)(struct cli *c, struct program *p, struct script_case *in, struct text *json),
	struct text *json)
{
	bool list = p->script.cases.count > 1 && c->format == FORMAT_JSON && !c->shards;
	int status = 0;

	text_puts(json, list ? "{\"schema\": 1, \"cases\": [" : "");
	for (uint32_t k = 0; k < p->script.cases.count && !interrupts_status(0); k++) {
		text_puts(json, k && list ? ",\n" : "");
		status = cli_worse(status, one(c, p, &p->script.cases.data[k], json));
	}
	text_puts(json, list ? "]}" : "");
	return status;
}

const char *cli_title(struct cli *c, const struct program *p, const struct script_case *in)
{
	const char *name = in && in->name ? in->name : "1";
	bool files = c->files.count > 1, cases = in && p->script.cases.count > 1;

	return files && cases ? arena_printf(&c->arena, "%s:%s", p->path, name)
		: files       ? p->path
		: cases       ? arena_printf(&c->arena, "case %s", name)
			      : NULL;
}

int cli_idle(struct cli *c, struct program *p, struct text *json)
{
	struct text t = {0};

	if (c->format == FORMAT_JSON) {
		json_report(p, NULL, NULL, NULL, json);
	} else {
		show_kernels(p, &t);
		put_err(&t);
	}
	text_free(&t);
	return PTXI_USAGE;
}

struct program_request cli_request(struct cli *c)
{
	return (struct program_request){
		.path = c->files.count ? c->files.data[0] : NULL,
		.linked = c->linked.data,
		.nlinked = c->linked.count,
		.compiler = cuda_compiler(c),
		.lines = c->lines.data,
		.nlines = c->lines.count,
		.script = c->script,
		.allow = c->allow.data,
		.nallow = c->allow.count,
		.source_path = c->source_path.data,
		.nsource_path = c->source_path.count,
		.assemble = c->assemble,
		.off = c->off,
		/* check needs warnings for its verdicts */
		.no_warnings = c->no_warnings || (c->quiet && c->command != COMMAND_CHECK),
	};
}
