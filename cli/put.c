/* Output to stdout and stderr. Each text is written in one piece, and the first write error on
 * stdout is kept. */
#include "cli/put.h"
#include <errno.h>
#include <stdio.h>

static int lost; /* errno of the first failed write to stdout */

int put_lost(void) { return lost; }

void put_bytes(const char *bytes, size_t n)
{
	if ((fwrite(bytes, 1, n, stdout) != n || fflush(stdout) != 0) && !lost)
		lost = errno;
}

void put(const struct text *t) { put_bytes(text_str(t), t->len); }

void put_err(const struct text *t)
{
	fflush(stdout);
	fwrite(text_str(t), 1, t->len, stderr);
}

void put_diags(const struct cli *c, struct diags *d)
{
	struct text t = {0};

	diag_render(d, &t, c->color_err);
	put_err(&t);
	text_free(&t);
}
