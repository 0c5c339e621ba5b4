/* SIGINT and SIGTERM: noted, so that what runs can end and report. */
#include "cli/interrupt.h"
#include <ptxi/status.h>
#include <signal.h>

static volatile int interrupted; /* the signal */

static void interrupt(int sig) { interrupted = sig; }

void interrupts_watch(struct cli *c)
{
	struct sigaction a = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&a.sa_mask);
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	c->options.machine.interrupted = &interrupted;
}

int interrupts_status(int status) { return interrupted ? PTXI_SIGNAL + interrupted : status; }
