/* The explorer's door. There is no explorer in this version: every request is answered so, with status 8. */
#include "script/explorer.h"

void explorer_run(const struct explorer_request *r, struct report *out)
{
	*out = (struct report){.status = 8, .verdict = VERDICT_SKIP, .reason = "explore is not built yet"};
	diag_report(&out->findings, DIAG_L0403, NULL, (struct span){0, 0}, "%s%s%s: explore is not built yet", r->program->path, r->in && r->in->name ? ":" : "",
		    r->in && r->in->name ? r->in->name : "");
}
