/* Records SIGINT and SIGTERM, so that the current work can stop and report. Work that does not look
 * at the record, such as reading a file, is ended by the handler itself: at once while a file is
 * loaded, otherwise after two seconds. */
#include "cli/interrupt.h"
#include "cli/progress.h"
#include <ptxi/status.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { GRACE = 2 }; /* seconds */

/* The handlers share these with the host threads. */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may not wait for a lock");
_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "a signal handler may not wait for a lock");
static _Atomic int interrupted; /* number of the signal */
static _Atomic int loading;     /* nothing is printed yet, and the work does not stop itself */
static _Atomic int as_json;
/* While a file is loaded: the file of --trace, or -1, and the text that completes it. */
static _Atomic int trace = -1;
static const char *_Atomic trace_ending;

/* Appends TEXT to a file that may not take it, which changes nothing. */
static void write_text(int file, const char *text)
{
	ssize_t n = write(file, text, strlen(text));

	(void)n;
}

void interrupts_end(int status, const char *message, const char *object)
{
	progress_leave();
	if (trace >= 0)
		write_text(trace, trace_ending);
	write_text(2, message);
	if (as_json)
		write_text(1, object);
	_exit(status);
}

static void end_now(const char *message)
{
	interrupts_end(PTXI_SIGNAL + interrupted, message,
		"{\"schema\": 1, \"status\": 7, \"complete\": false, \"executions\": 0, \"outcomes\": [], \"conditions\": [], \"findings\": [], \"buffers\": {}, \"output\": \"\", \"interrupted\": true}\n");
}

static void record_signal(int sig)
{
	int before = 0, error = errno;

	if (!atomic_compare_exchange_strong(&interrupted, &before, sig)) {
		progress_leave();
		_exit(PTXI_SIGNAL + before);
	}
	if (loading)
		end_now("ptxi: interrupted while the file was read\n");
	alarm(GRACE);
	errno = error;
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
	handle(SIGALRM, grace_over);
	handle(SIGINT, record_signal);
	handle(SIGTERM, record_signal);
	c->options.machine.interrupted = &interrupted;
}

void interrupts_load(const struct cli *c, struct trace_file *t)
{
	const char *ending = "";

	trace = t ? trace_file_pause(t, &ending) : -1;
	trace_ending = ending;
	as_json = c->format == FORMAT_JSON;
	loading = 1;
}

void interrupts_work(void)
{
	loading = 0;
	trace = -1;
	handle(SIGALRM, grace_over);
}

void interrupts_report(void)
{
	signal(SIGALRM, SIG_IGN);
	alarm(0);
}

int interrupts_status(int status) { return interrupted ? PTXI_SIGNAL + interrupted : status; }
