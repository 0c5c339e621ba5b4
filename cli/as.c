/* ptxi as: validates a file as ptxas would, and writes an object. */
#include "cli/cases.h"
#include "cli/put.h"
#include <ptxi/status.h>

int command_as(struct cli *c)
{
	struct program_request r = cli_request(c);
	struct program p;
	struct text json = {0};
	int status;

	r.no_script = true;
	r.lint = true;
	program_load(&p, &r);
	status = p.status;
	if (p.kind == PROGRAM_LITMUS) {
		struct diag *d = diag_plain(
			&c->diags, DIAG_L0403, "%s: a .litmus file cannot be assembled", p.path);

		diag_help(&c->diags, d, "'ptxi explore %s' lists its outcomes", p.path);
		status = PTXI_USAGE;
	}
	if (c->format == FORMAT_JSON) {
		json_report(&p, NULL, NULL, NULL, &json);
		text_putc(&json, '\n');
		put(&json);
	} else {
		put_diags(c, &p.diags);
	}
	if (status == PTXI_OK && c->output) {
		struct text object = {0};

		source_drop_text(p.module->source);
		program_object(&p, &object);
		if (!file_write(c->output, text_str(&object), object.len, &c->diags))
			status = PTXI_USAGE;
		text_free(&object);
	}
	text_free(&json);
	program_free(&p);
	return status;
}
