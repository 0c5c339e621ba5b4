/* ptxi exec: runs a program with ptxi's libcuda.so.1 as the driver. */
#include "cli/compile.h"
#include "base/text.h"
#include <errno.h>
#include <ptxi/status.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* NAME becomes VALUE, in front of what it is already, if that is not empty. */
static void set_before(struct cli *c, const char *name, const char *value, const char *between)
{
	const char *old = getenv(name);

	setenv(name, old && *old ? arena_printf(&c->arena, "%s%s%s", value, between, old) : value,
		1);
}

/* What the command line says comes last, since later settings count. */
static bool set_options(struct cli *c)
{
	const char *old = getenv("PTXI_OPTIONS"), *all = old ? old : "";
	char folder[4096] = "";

	for (size_t k = 0; k < c->passed.count; k++)
		all = arena_printf(&c->arena, "%s %s", all, c->passed.data[k]);
	if (c->jobs)
		all = arena_printf(&c->arena, "%s jobs=%u", all, c->jobs);
	if (c->leaks)
		all = arena_printf(&c->arena, "%s leaks", all);
	if (c->output) {
		/* the program may change its folder */
		if (c->output[0] != '/' && !getcwd(folder, sizeof folder))
			return false;
		if (strpbrk(c->output, " \t\n") || strpbrk(folder, " \t\n")) {
			diag_plain(&c->diags, DIAG_L0303, "the path of --output has a blank");
			return false;
		}
		remove(c->output);
		all = arena_printf(
			&c->arena, "%s report=%s%s%s", all, folder, *folder ? "/" : "", c->output);
	}
	setenv("PTXI_OPTIONS", all, 1);
	return true;
}

/* A file to which each process of the program appends the status of what was found in it. */
static bool set_statuses(char *path, size_t room)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	snprintf(path, room, "%s/ptxi-XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return false;
	close(fd);
	setenv("PTXI_STATUS", path, 1);
	return true;
}

static int first_status(const char *path)
{
	FILE *f = fopen(path, "rb");
	int status = f ? fgetc(f) : EOF;

	if (f)
		fclose(f);
	return status == EOF ? 0 : status;
}

static _Noreturn void become(struct cli *c)
{
	const char *program = c->files.data[0];

	*vec_push(&c->files) = NULL;
	execvp(program, (char *const *)(uintptr_t)c->files.data);
	fprintf(stderr, "ptxi: %s: %s\n", program, strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Signals of the terminal are the program's. */
static int run_and_wait(struct cli *c)
{
	pid_t child = fork();
	int status;

	if (child < 0) {
		diag_plain(&c->diags, DIAG_L0304, "fork: %s", strerror(errno));
		return PTXI_USAGE;
	}
	if (child == 0)
		become(c);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return PTXI_BUG;
	return WIFSIGNALED(status) ? PTXI_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int command_exec(struct cli *c)
{
	const char *folder = driver_folder(c);
	char path[4096];
	int status, found;

	if (is_cuda_source(c->files.data[0])) {
		diag_help(&c->diags,
			diag_plain(&c->diags, DIAG_L0304, "%s is a source, not a program",
				c->files.data[0]),
			"ptxi cc -o PROGRAM %s && ptxi exec ./PROGRAM; with //@ lines: ptxi run %s",
			c->files.data[0], c->files.data[0]);
		return PTXI_USAGE;
	}
	if (!folder) {
		diag_plain(&c->diags, DIAG_L0304,
			"libcuda.so.1 is neither beside ptxi nor in the folder where it is installed");
		return PTXI_USAGE;
	}
	if (!set_options(c))
		return PTXI_USAGE;
	if (!set_statuses(path, sizeof path)) {
		diag_plain(&c->diags, DIAG_L0207, "%s: %s", path, strerror(errno));
		return PTXI_USAGE;
	}
	set_before(c, "LD_LIBRARY_PATH", folder, ":");
	status = run_and_wait(c);
	found = first_status(path);
	remove(path);
	return found ? found : status;
}
