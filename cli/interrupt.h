/* Handling of SIGINT and SIGTERM. */
#ifndef PTXI_CLI_INTERRUPT_H
#define PTXI_CLI_INTERRUPT_H
#include "cli/cli.h"

/* From now on, SIGINT and SIGTERM only set c->options.machine.interrupted, so that the current work
 * can stop and report. The same signal a second time ends the process. */
void interrupts_watch(struct cli *c);
/* STATUS, or 128 plus the number of the signal that was received. */
int interrupts_status(int status);

#endif
