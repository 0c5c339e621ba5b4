/* ptxi: reads the command line and hands over to the command. */
#include "cli/cli.h"
#include "base/memory.h"
#include "base/time.h"
#include "ptxi/ptxi.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int lost; /* errno of the first write to standard output that failed */

void put_bytes(const char *bytes, size_t n)
{
	if ((fwrite(bytes, 1, n, stdout) != n || fflush(stdout) != 0) && !lost)
		lost = errno;
}

void put(const struct text *t)
{
	put_bytes(text_str(t), t->len);
}

void put_err(const struct text *t)
{
	fflush(stdout);
	fwrite(text_str(t), 1, t->len, stderr);
}

void put_diags(const struct cli *c, struct diags *d)
{
	struct text t = {0};

	diag_render(d, &t, c->color_err);
	put_err(&t);
	text_free(&t);
}

int cli_worse(int a, int b)
{
	static const int order[] = {70, 3, 2, 8, 7, 6, 4, 5, 1, 0};

	for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
		if (a == order[k] || b == order[k])
			return order[k];
	return a;
}

int cli_each_case(struct cli *c, struct program *p, int (*one)(struct cli *c, struct program *p, struct script_case *k, struct text *json), struct text *json)
{
	bool list = p->script.cases.count > 1 && c->format == FORMAT_JSON;
	int status = 0;

	text_puts(json, list ? "{\"schema\": 1, \"cases\": [" : "");
	for (uint32_t k = 0; k < p->script.cases.count && !interrupts_status(0); k++) {
		text_puts(json, k && list ? ",\n" : "");
		status = cli_worse(status, one(c, p, &p->script.cases.data[k], json));
	}
	text_puts(json, list ? "]}" : "");
	return status;
}

int cli_idle(struct cli *c, struct program *p, struct text *json)
{
	struct text t = {0};

	if (c->format == FORMAT_JSON) {
		json_report(p, NULL, NULL, NULL, json);
	} else {
		show_kernels(p, &t);
		put_err(&t);
	}
	text_free(&t);
	return 2;
}

struct program_request cli_request(const struct cli *c)
{
	return (struct program_request){
		.path = c->files.count ? c->files.data[0] : NULL,
		.lines = c->lines.data,
		.nlines = c->lines.count,
		.script = c->script,
		.allow = c->allow.data,
		.nallow = c->allow.count,
		.assemble = c->assemble,
		.off = c->off,
		.no_warnings = c->no_warnings || (c->quiet && c->command != COMMAND_CHECK), /* check judges them */
	};
}

/* Our own mistakes end with status 70 and ask to be reported. */
static void bug(int sig)
{
	static const char message[] = "\nptxi: internal error; please report it together with the file and the command line\n";
	ssize_t n = write(2, message, sizeof message - 1);

	(void)n;
	(void)sig;
	_exit(70);
}

static void watch_for_bugs(void)
{
	static char stack[64 << 10];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction a = {.sa_handler = bug, .sa_flags = SA_ONSTACK};
	static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

	sigemptyset(&a.sa_mask);
	sigaltstack(&alternate, NULL);
	for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
		sigaction(signals[k], &a, NULL);
}

static volatile int interrupted; /* the signal */

static void interrupt(int sig)
{
	interrupted = sig;
}

void interrupts_watch(struct cli *c)
{
	struct sigaction a = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&a.sa_mask);
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	c->options.machine.interrupted = &interrupted;
}

int interrupts_status(int status)
{
	return interrupted ? 128 + interrupted : status;
}

static bool load_as_json;

static void load_over(int sig)
{
	static const char message[] = "ptxi: the time limit (--timeout) was reached while the file was read\n";
	static const char object[] = "{\"schema\": 1, \"status\": 7, \"complete\": false, \"executions\": 0, \"outcomes\": [], \"conditions\": [], \"findings\": [], \"buffers\": {}, \"output\": \"\"}\n";
	ssize_t n = write(2, message, sizeof message - 1);

	if (load_as_json)
		n = write(1, object, sizeof object - 1);
	(void)n;
	(void)sig;
	_exit(7);
}

static void load_timer(double seconds)
{
	struct itimerval t = {.it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};

	setitimer(ITIMER_REAL, &t, NULL);
}

void load_begin(struct cli *c)
{
	struct sigaction a = {.sa_handler = load_over};
	double limit = c->options.machine.timeout;

	if (limit <= 0 || limit > 1e9)
		return;
	c->options.machine.deadline = time_now() + limit;
	sigemptyset(&a.sa_mask);
	sigaction(SIGALRM, &a, NULL);
	load_as_json = c->format == FORMAT_JSON;
	load_timer(limit < 1e-3 ? 1e-3 : limit);
}

struct run_options options_left(const struct cli *c)
{
	struct run_options o = c->options;

	if (o.machine.deadline > 0) {
		o.machine.timeout = o.machine.deadline - time_now();
		o.machine.timeout = o.machine.timeout > 1e-3 ? o.machine.timeout : 1e-3; /* 0 would be no limit */
	}
	return o;
}

void load_end(void)
{
	load_timer(0);
}

/* The program may have what its own limit allows (interp/memory/memory.c); assembling, checking and exploring need memory beside it. */
static void bound_memory(struct cli *c)
{
	enum { OWN_MEMORY = 512 << 20 };
	uint64_t most = c->options.machine.max_memory;

	if (!c->options.on_gpu)
		memory_bound(most ? most * 2 + OWN_MEMORY : memory_physical() / 4 * 3);
}

/* How many files a command takes is its own. */
static bool files_fit(struct cli *c)
{
	const char *name = command_name(c->command);
	struct span nowhere = {0, 0};

	if (c->command == COMMAND_EXPLAIN)
		return true;
	if (c->files.count == 0) {
		struct diag *d = diag_report(&c->diags, DIAG_L0304, NULL, nowhere, "'ptxi %s' needs a file%s", name, c->command == COMMAND_CHECK ? " or a directory" : "");

		diag_help(&c->diags, d, "ptxi %s FILE; '-' is standard input", name);
		return false;
	}
	/* Histograms of several files make sense side by side; what several programs print does not. */
	if (c->command != COMMAND_CHECK && !(c->command == COMMAND_RUN && c->options.runs) && c->files.count > 1) {
		struct diag *d = diag_report(&c->diags, DIAG_L0304, NULL, nowhere, "'ptxi %s' takes one file, and '%.80s' is another", name, c->files.data[1]);

		if (c->command == COMMAND_RUN)
			diag_help(&c->diags, d, "with --runs=N it takes several");
		return false;
	}
	return true;
}

static int dispatch(struct cli *c)
{
	struct text t = {0};

	if (c->version) {
		text_printf(&t, "ptxi %s\n", ptxi_version());
		put(&t);
	} else if (c->help) {
		options_help(c->command, &t);
		put(&t);
	} else if (!c->command) {
		options_help(0, &t);
		put_err(&t);
		text_free(&t);
		return 2;
	} else {
		if (!files_fit(c))
			return 2;
		if (c->command != COMMAND_CHECK)
			bound_memory(c);
		switch (c->command) {
		case COMMAND_RUN: return command_run(c);
		case COMMAND_CHECK: return command_check(c);
		case COMMAND_EXPLORE: return command_explore(c);
		case COMMAND_AS: return command_as(c);
		case COMMAND_DIS: return command_dis(c);
		case COMMAND_EXPLAIN:
		case COMMAND_ALL:
		default: return command_explain(c);
		}
	}
	text_free(&t);
	return 0;
}

int main(int argc, char **argv)
{
	struct cli c = {0};
	int status;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	watch_for_bugs();
#else
	(void)watch_for_bugs;
#endif
	c.options.machine.seed = 1;
	status = options_read(&c, argc, argv) ? interrupts_status(dispatch(&c)) : 2;
	if (lost) {
		diag_report(&c.diags, DIAG_L0207, NULL, (struct span){0, 0}, "standard output: %s", strerror(lost));
		status = status ? status : 2;
	}
	put_diags(&c, &c.diags);
	vec_free(&c.files);
	vec_free(&c.lines);
	vec_free(&c.allow);
	vec_free(&c.said);
	diags_free(&c.diags);
	arena_free(&c.arena);
	return status;
}
