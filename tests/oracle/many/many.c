/* `many [SECONDS] <LIST`: what many commands of ptxi print. A line of LIST has, separated by tabs,
 * the folder to run in, the file for both outputs and the status ("status 0" on a line of its own,
 * 124 after SECONDS, 128 and the signal of a crash), and the arguments, the first of which is the
 * command. This program is ptxi itself: each command runs in a child that need not be loaded and
 * linked again, which takes longer than most commands of the tests. */
int ptxi_main(int argc, char **argv);
#define main ptxi_main
#include "cli/main.c"
#undef main

#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum { MOST_ARGUMENTS = 64 };

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void child(const char *folder, const char *out, int argc, char **argv, sigset_t *mask)
{
	int from = open("/dev/null", O_RDONLY);
	int to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (from < 0 || to < 0 || dup2(from, 0) < 0 || dup2(to, 1) < 0 || dup2(to, 2) < 0)
		die(out);
	close(from);
	close(to);
	if (chdir(folder))
		die(folder);
	sigprocmask(SIG_SETMASK, mask, NULL);
	exit(ptxi_main(argc, argv));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The status of the child as a shell gives it; 124 if it has to be killed after SECONDS. */
static int status_of(pid_t pid, double seconds, const sigset_t *ended)
{
	double end = now() + seconds, left;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		left = end - now();
		if (left <= 0) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return 124;
		}
		sigtimedwait(ended, NULL,
			&(struct timespec){
				(time_t)left, (long)((left - (double)(time_t)left) * 1e9)});
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 60;
	sigset_t ended, before;
	char *text = NULL, *after;
	size_t room = 0;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, &before);
	/* All of it, and closed: a child that ends would put the file back to what it has read. */
	if (getdelim(&text, &room, 0, stdin) < 0)
		return ferror(stdin) ? 2 : 0;
	fclose(stdin);
	for (char *line = text; (after = strchr(line, '\n')); line = after + 1) {
		char *word[MOST_ARGUMENTS + 1], *rest = line;
		int n = 2;

		*after = 0;
		word[0] = strsep(&rest, "\t");
		word[1] = strsep(&rest, "\t");
		/* before the arguments stands the name of the program, in place of the file's */
		while (n < MOST_ARGUMENTS && rest)
			word[n++] = strsep(&rest, "\t");
		if (n < 3 || rest) {
			fprintf(stderr, "many: not a command: %s\n", line);
			return 2;
		}
		word[n] = NULL;
		const char *folder = word[0], *out = word[1];
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			word[1] = (char[]){"ptxi"};
			child(folder, out, n - 1, word + 1, &before);
		}
		int status = status_of(pid, seconds, &ended);
		FILE *f = fopen(out, "a");

		if (!f || fprintf(f, "status %d\n", status) < 0 || fclose(f))
			die(out);
	}
	free(text);
	return 0;
}
