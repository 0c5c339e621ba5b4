/* Writes the results of a class, for grade and merge. */
#ifndef PTXI_CLI_REPORT_H
#define PTXI_CLI_REPORT_H
#include "cli/cli.h"
#include "grade/grade.h"

/* Whether the report can be written where the command line says; reports it if not. For the start
 * of a command that works for an hour. */
bool report_possible(struct cli *c);
/* Writes the report that the command line asks for; returns the exit status. */
int report_write(struct cli *c, struct graded *g);

#endif
