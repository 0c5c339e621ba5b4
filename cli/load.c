/* The time limit while a file is being loaded: a timer signal enforces it, because loading does not
 * check the clock. */
#include "cli/load.h"
#include "base/time.h"
#include "cli/interrupt.h"
#include <ptxi/status.h>
#include <signal.h>
#include <sys/time.h>

static void load_timed_out(int sig)
{
	(void)sig;
	interrupts_end(PTXI_UNDECIDED,
		"ptxi: the time limit (--timeout) was reached while the file was read\n",
		"{\"schema\": 1, \"status\": 7, \"complete\": false, \"executions\": 0, \"outcomes\": [], \"conditions\": [], \"findings\": [], \"buffers\": {}, \"output\": \"\"}\n");
}

static void load_timer(double seconds)
{
	struct itimerval t = {
		.it_value = {.tv_sec = (time_t)seconds,
			.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};

	setitimer(ITIMER_REAL, &t, NULL);
}

void load_begin(struct cli *c, struct program_request *r)
{
	struct sigaction a = {.sa_handler = load_timed_out};
	double limit = c->options.machine.timeout;

	if (limit <= 0 || limit > 1e9)
		return;
	c->options.machine.deadline = time_now() + limit;
	r->deadline = c->options.machine.deadline;
	sigemptyset(&a.sa_mask);
	sigaction(SIGALRM, &a, NULL);
	load_timer(limit < 1e-3 ? 1e-3 : limit);
}

struct run_options options_left(const struct cli *c)
{
	struct run_options o = c->options;

	if (o.machine.deadline > 0)
		o.machine.timeout = option_time_left(&o);
	return o;
}

void load_end(void) { load_timer(0); }
