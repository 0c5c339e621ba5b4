/* ptxi dis: prints canonical PTX. */
#include "cli/cases.h"
#include "cli/put.h"
#include <ptxi/status.h>

int command_dis(struct cli *c)
{
	struct program_request r = cli_request(c);
	struct program p;
	struct text t = {0};
	int status;

	r.no_script = true;
	r.no_warnings = true;
	program_load(&p, &r);
	status = p.status;
	put_diags(c, &p.diags);
	if (p.kind == PROGRAM_LITMUS) {
		struct diag *d = diag_plain(&c->diags, DIAG_L0403,
			"%s: a .litmus file cannot be printed as PTX", p.path);

		diag_help(&c->diags, d, "'ptxi explore %s' lists its outcomes", p.path);
		status = PTXI_USAGE;
	}
	if (status == PTXI_OK) {
		assembler_print(p.module, &t);
		if (!c->output)
			put(&t);
		else if (!file_write(c->output, text_str(&t), t.len, &c->diags))
			status = PTXI_USAGE;
	}
	text_free(&t);
	program_free(&p);
	return status;
}
