/* SIGINT and SIGTERM. */
#ifndef PTXI_CLI_INTERRUPT_H
#define PTXI_CLI_INTERRUPT_H
#include "cli/cli.h"

/* From now on SIGINT and SIGTERM are noted and not obeyed: what runs sees
 * c->options.machine.interrupted, ends and reports; a second one ends the process. */
void interrupts_watch(struct cli *c);
/* STATUS, or 128 and the signal that came. */
int interrupts_status(int status);

#endif
