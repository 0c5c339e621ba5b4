/* Records SIGINT and SIGTERM, so that the current work can stop and report. Work that does not look
 * at the record, such as reading a file, is ended by the handler itself: at once while a file is
 * loaded, otherwise after two seconds. */
#include "cli/interrupt.h"
#include <ptxi/status.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { GRACE = 2 }; /* seconds */

static volatile int interrupted; /* number of the signal */
static volatile int loading;     /* nothing is printed yet, and the work does not stop itself */
static volatile int as_json;

static void end_now(const char *message)
{
	static const char object[] =
		"{\"schema\": 1, \"status\": 7, \"complete\": false, \"executions\": 0, \"outcomes\": [], \"conditions\": [], \"findings\": [], \"buffers\": {}, \"output\": \"\", \"interrupted\": true}\n";
	ssize_t n = write(2, message, strlen(message));

	if (as_json)
		n = write(1, object, sizeof object - 1);
	(void)n;
	_exit(PTXI_SIGNAL + interrupted);
}

static void record_signal(int sig)
{
	if (interrupted)
		_exit(PTXI_SIGNAL + interrupted);
	interrupted = sig;
	if (loading)
		end_now("ptxi: interrupted while the file was read\n");
	alarm(GRACE);
}

static void grace_over(int sig)
{
	(void)sig;
	end_now("ptxi: interrupted; what it was doing could not report in time\n");
}

static void handle(int sig, void (*handler)(int))
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigemptyset(&a.sa_mask);
	sigaction(sig, &a, NULL);
}

void interrupts_watch(struct cli *c)
{
	handle(SIGINT, record_signal);
	handle(SIGTERM, record_signal);
	c->options.machine.interrupted = &interrupted;
}

void interrupts_load(const struct cli *c)
{
	as_json = c->format == FORMAT_JSON;
	loading = 1;
}

void interrupts_work(void)
{
	loading = 0;
	handle(SIGALRM, grace_over);
}

void interrupts_report(void)
{
	signal(SIGALRM, SIG_IGN);
	alarm(0);
}

int interrupts_status(int status) { return interrupted ? PTXI_SIGNAL + interrupted : status; }
