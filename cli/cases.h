/* Shared by the commands that work on the cases of a file. */
#ifndef PTXI_CLI_CASES_H
#define PTXI_CLI_CASES_H
#include "cli/cli.h"

/* The request to load the program that the command line names, alive as long as C. */
struct program_request cli_request(struct cli *c);
/* The exit status for two cases that ended with A and B: the graver of the two, that is the one
 * that makes other results least trustworthy. */
int cli_worse(int a, int b);
/* Calls ONE for every case of P. With several cases, the objects that it appends to JSON become a
 * list inside one object. Returns the exit status of all cases. */
int cli_each_case(struct cli *c, struct program *p,
	int (*one)(struct cli *c, struct program *p, struct script_case *in, struct text *json),
	struct text *json);
/* What names the case IN, which may be NULL, among all that the command works on; NULL: it is the
 * only one. */
const char *cli_title(struct cli *c, const struct program *p, const struct script_case *in);
/* The file has no launch: prints its kernels and how to launch one. Returns the exit status. */
int cli_idle(struct cli *c, struct program *p, struct text *json);

#endif
