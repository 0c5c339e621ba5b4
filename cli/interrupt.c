/* Records SIGINT and SIGTERM, so that the current work can stop and report. */
#include "cli/interrupt.h"
#include <ptxi/status.h>
#include <signal.h>

static volatile int interrupted; /* number of the signal */

static void record_signal(int sig) { interrupted = sig; }

void interrupts_watch(struct cli *c)
{
	struct sigaction a = {.sa_handler = record_signal, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&a.sa_mask);
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	c->options.machine.interrupted = &interrupted;
}

int interrupts_status(int status) { return interrupted ? PTXI_SIGNAL + interrupted : status; }
