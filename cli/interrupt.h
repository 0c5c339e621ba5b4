/* Handling of SIGINT and SIGTERM. */
#ifndef PTXI_CLI_INTERRUPT_H
#define PTXI_CLI_INTERRUPT_H
#include "cli/cli.h"
#include "script/files/trace_file.h"

/* From now on, SIGINT and SIGTERM only set c->options.machine.interrupted, so that the current work
 * can stop and report. A second signal ends the process at once. */
void interrupts_watch(struct cli *c);
/* A file is being loaded, which a signal ends at once, with an object for --format=json, and with
 * the trace T, which may be NULL, complete. */
void interrupts_load(const struct cli *c, struct trace_file *t);
/* The work begins: unless interrupts_report() follows a signal within two seconds, the process
 * ends. */
void interrupts_work(void);
/* The work is over, and its report is printed however long that takes. */
void interrupts_report(void);
/* STATUS, or 128 plus the number of the signal that was received. */
int interrupts_status(int status);
/* For handlers of signals: ends the process with MESSAGE, OBJECT for --format=json, and a complete
 * trace. */
_Noreturn void interrupts_end(int status, const char *message, const char *object);

#endif
