/* Output to stdout and stderr. Each text is written in one piece, and the first write error on
 * stdout is kept. */
#include "cli/put.h"
#include "cli/progress.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int lost;       /* errno of the first failed write to stdout */
static bool open_line; /* what was written to stdout, a terminal, does not end with a newline */

int put_lost(void) { return lost; }

void put_bytes(const char *bytes, size_t n)
{
	progress_hide();
	if ((fwrite(bytes, 1, n, stdout) != n || fflush(stdout) != 0) && !lost)
		lost = errno;
	if (n)
		open_line = bytes[n - 1] != '\n' && isatty(1);
	progress_hidden(open_line);
}

void put(const struct text *t) { put_bytes(text_str(t), t->len); }

void put_err_bytes(const char *bytes, size_t n)
{
	progress_hide();
	fflush(stdout);
	fwrite(bytes, 1, n, stderr);
	progress_hidden(open_line);
}

void put_err(const struct text *t) { put_err_bytes(text_str(t), t->len); }

void put_diags(const struct cli *c, struct diags *d)
{
	struct text t = {0};

	diag_render(d, &t, c->color_err);
	put_err(&t);
	text_free(&t);
}
