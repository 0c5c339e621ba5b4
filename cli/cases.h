/* What the commands share that take a file with its cases. */
#ifndef PTXI_CLI_CASES_H
#define PTXI_CLI_CASES_H
#include "cli/cli.h"

/* The program that C names, before it is loaded. */
struct program_request cli_request(const struct cli *c);
/* The exit status of two cases that ended with A and B: the one that says most against trusting the
 * rest. */
int cli_worse(int a, int b);
/* Does ONE with every case of P; the objects that it adds to JSON become one, a list when there are
 * several. Returns the exit status of all. */
int cli_each_case(struct cli *c, struct program *p,
	int (*one)(struct cli *c, struct program *p, struct script_case *k, struct text *json),
	struct text *json);
/* Nothing to do: says what could be done. Returns the exit status. */
int cli_idle(struct cli *c, struct program *p, struct text *json);

#endif
