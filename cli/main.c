/* ptxi: reads the command line and runs the command. */
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/put.h"
#include "base/guard.h"
#include "base/memory.h"
#include "base/platform.h"
#include "ptxi/ptxi.h"
#include <errno.h>
#include <ptxi/status.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A crash of ptxi ends with status 70 and asks the user to report it. */
static void report_bug(int sig)
{
	static const char message[] =
		"\nptxi: internal error; please report it together with the file and the command line\n";
	ssize_t n;

	progress_leave();
	n = write(2, message, sizeof message - 1);
	(void)n;
	(void)sig;
	_exit(PTXI_BUG);
}

static void watch_for_bugs(void)
{
	static char stack[64 << 10];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction a = {.sa_handler = report_bug, .sa_flags = SA_ONSTACK};
	static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

	sigemptyset(&a.sa_mask);
	sigaltstack(&alternate, NULL);
	for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
		sigaction(signals[k], &a, NULL);
}

/* A command that runs out of memory ends at once, whatever its threads do. A bug ends as other
 * crashes do (report_bug). */
static void command_ends(enum failure why, const char *what)
{
	static const char out[] =
		"ptxi: out of memory: --max-memory=BYTES sets the limit, by default half of the machine's memory\n";
	ssize_t n;

	progress_leave();
	if (why == FAILURE_MEMORY) {
		n = write(2, out, sizeof out - 1);
		(void)n;
		_exit(MEMORY_STATUS);
	}
	n = write(2, what, strlen(what));
	(void)n;
	abort();
}

/* Limits the memory of the process. The program has its own limit (interp/memory/memory.c);
 * assembling, checking and exploring need memory besides that. */
static void bound_memory(struct cli *c)
{
	enum { OWN_MEMORY = 512 << 20 };
	uint64_t max = c->options.machine.max_memory;

	if (!c->options.on_gpu)
		memory_bound(max ? max * 2 + OWN_MEMORY : memory_physical() / 4 * 3);
}

/* Checks that the command accepts this number of files. */
static bool files_fit(struct cli *c)
{
	const char *name = command_name(c->command);

	if (c->linked.count && c->dap) {
		diag_plain(&c->diags, DIAG_L0303, "--dap debugs one file, which the editor names");
		return false;
	}
	if (c->command == COMMAND_EXPLAIN || c->command == COMMAND_LEARN || c->dap)
		return true;
	if (c->command == COMMAND_GRADE && c->files.count != 2) {
		diag_help(&c->diags,
			diag_plain(&c->diags, DIAG_L0304,
				"'ptxi grade' needs a suite and the folder of the submissions"),
			"ptxi grade SUITE DIR");
		return false;
	}
	if (c->command == COMMAND_EXEC) {
		if (c->files.count)
			return true;
		diag_help(&c->diags,
			diag_plain(&c->diags, DIAG_L0304, "'ptxi exec' needs a program"),
			"ptxi exec [OPTION]... PROGRAM [ARGUMENT]...");
		return false;
	}
	if (c->command == COMMAND_CC && c->files.count)
		return true;
	if (c->files.count == 0) {
		struct diag *d = diag_plain(&c->diags, DIAG_L0304, "'ptxi %s' needs a file%s", name,
			c->command == COMMAND_CHECK ? " or a directory" : "");

		diag_help(&c->diags, d, "type 'ptxi %s FILE%s'; '-' is standard input", name,
			c->command == COMMAND_CHECK ? "' or 'ptxi check DIR" : "");
		return false;
	}
	if ((c->command == COMMAND_AS || c->command == COMMAND_DIS) && c->files.count > 1) {
		struct diag *d = diag_plain(&c->diags, DIAG_L0304,
			"'ptxi %s' takes one file; '%.80s' is a second one", name,
			c->files.data[1]);

		diag_help(&c->diags, d, "'ptxi check' takes several files; 'ptxi run' links them");
		return false;
	}
	if (c->linked.count && (c->repair || c->slack)) {
		diag_plain(&c->diags, DIAG_L0303,
			"--repair and --slack change one file; '%.80s' is linked with it",
			c->linked.data[0]);
		return false;
	}
	if (c->linked.count && c->options.on_gpu) {
		diag_plain(&c->diags, DIAG_L0303,
			"--on=gpu runs one file; files are linked for the interpreter");
		return false;
	}
	return true;
}

/* (check reads its files in other processes) */
static void expect_file(const struct cli *c)
{
	bool here = c->files.count == 1 && c->command != COMMAND_CHECK;
	uint64_t bytes = here ? file_bytes(c->files.data[0]) : 0;

	if (bytes)
		memory_expect(bytes);
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
		return PTXI_USAGE;
	} else {
		if (!files_fit(c))
			return PTXI_USAGE;
		if (c->command != COMMAND_CHECK && c->command != COMMAND_GRADE &&
			c->command != COMMAND_EXEC && c->command != COMMAND_CC)
			bound_memory(c);
		expect_file(c);
		switch (c->command) {
		case COMMAND_RUN: return command_run(c);
		case COMMAND_CHECK: return command_check(c);
		case COMMAND_EXPLORE: return command_explore(c);
		case COMMAND_AS: return command_as(c);
		case COMMAND_DIS: return command_dis(c);
		case COMMAND_GRADE: return command_grade(c);
		case COMMAND_DEBUG: return command_debug(c);
		case COMMAND_EXEC: return command_exec(c);
		case COMMAND_CC: return command_cc(c);
		case COMMAND_MERGE: return command_merge(c);
		case COMMAND_LEARN: return command_learn(c);
		case COMMAND_EXPLAIN:
		case COMMAND_ALL:
		default: return command_explain(c);
		}
	}
	text_free(&t);
	return 0;
}

/* --generate KIND [COMMAND]: for `make install`, not for users. */
static int generate_file(const char *kind, const char *command)
{
	struct text t = {0};
	int status = generate(kind, command, &t) ? PTXI_OK : PTXI_USAGE;

	put(&t);
	text_free(&t);
	return status;
}

int main(int argc, char **argv)
{
	struct cli c = {0};
	int status;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	if (PLATFORM_SIGNALS)
		watch_for_bugs();
#else
	(void)watch_for_bugs;
#endif
	guard_enter(guard_new(command_ends));
	if (argc > 2 && strcmp(argv[1], "--generate") == 0)
		return generate_file(argv[2], argv[3]);
	c.options.machine.seed = 1;
	status = options_read(&c, argc, argv) ? interrupts_status(dispatch(&c)) : PTXI_USAGE;
	if (put_lost() == EPIPE) {
		/* The reader of a pipe, such as head, closed it: as if by SIGPIPE, which was
		 * ignored. */
		status = PTXI_SIGNAL + SIGPIPE;
	} else if (put_lost()) {
		diag_plain(&c.diags, DIAG_L0207, "standard output: %s", strerror(put_lost()));
		status = status ? status : PTXI_USAGE;
	}
	put_diags(&c, &c.diags);
	cli_free(&c);
	return status;
}
