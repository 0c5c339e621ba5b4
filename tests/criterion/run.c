/* Runs the tests that Criterion's macros have declared: those of a suite in one fork of this
 * process, where Criterion's own runner loads and links the whole program again for each test,
 * which takes longer than most of them. Of the library they need only the texts of its messages.
 *
 *   unit/all [-jN] [--filter GLOB] [--fail-fast] [--list] [--verbose]
 *
 * GLOB is compared with suite/name and may have ?(a|b), *(), +(), @() and !(). A test fails if an
 * assertion does, or if it ends its process, by a signal or after .timeout seconds; the next tests
 * of its suite then have another process. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <criterion/event.h>
#include <fnmatch.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The linker's names for the section in which the macros put the tests. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];

enum { MOST_JOBS = 256 };

/* Tests of a suite, from AT to END, and how those before AT did: shared with their process. */
struct run {
	struct criterion_test **at, **end;
	pid_t pid;
	bool inside; /* a test runs: AT */
	size_t passed, failed, crashed;
};

static struct run *runs;
static const char *filter;
static bool verbose;

/* In the process of a suite: the test that runs, and its assertions that failed. */
static const struct criterion_test *current;
static size_t failures;
static jmp_buf out;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say(const char *what, const struct criterion_test *t, const char *why)
{
	fprintf(stderr, "[%s] %s::%s: %s\n", what, t->category, t->name, why);
}

/* What the macros call in a test. */

void criterion_internal_test_setup(void)
{
	if (current->data->init)
		current->data->init();
}

void criterion_internal_test_main(void (*test)(void))
{
	if (!setjmp(out))
		test();
}

void criterion_internal_test_teardown(void)
{
	if (current->data->fini)
		current->data->fini();
}

void criterion_abort_test(void) { longjmp(out, 1); }

void criterion_continue_test(void) {}

void criterion_skip_test(const char *format, ...)
{
	char why[512] = "";
	va_list args;

	va_start(args, format);
	if (format)
		vsnprintf(why, sizeof why, format, args);
	va_end(args);
	say("SKIP", current, why);
	longjmp(out, 1);
}

void cri_asserts_passed_incr(void) {}

void criterion_send_assert(struct criterion_assert_stats *a)
{
	if (a->passed)
		return;
	failures++;
	fprintf(stderr, "[----] %s:%u: %s\n", a->file, a->line, a->message);
}

void cr_log(enum criterion_severity severity, const char *format, ...)
{
	va_list args;

	if (severity == CR_LOG_INFO && !verbose)
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static bool chosen(const struct criterion_test *t)
{
	char name[256];

	/* the linker may leave gaps in the section */
	if (!t || t->data->disabled)
		return false;
	snprintf(name, sizeof name, "%s/%s", t->category, t->name);
	return !filter || !fnmatch(filter, name, FNM_EXTMATCH);
}

/* In the process of a suite: its tests until one fails, which may leave anything behind. */
static void run(struct run *r)
{
	for (; r->at < r->end && !failures; r->at++) {
		current = *r->at;
		if (!chosen(current))
			continue;
		double begin = now();
		char why[64];

		r->inside = true;
		alarm((unsigned)ceil(current->data->timeout));
		current->test();
		alarm(0);
		r->inside = false;
		*(failures ? &r->failed : &r->passed) += 1;
		snprintf(why, sizeof why, "%zu assertions failed, %.2f s", failures, now() - begin);
		if (failures || verbose)
			say(failures ? "FAIL" : "PASS", current, why);
	}
	exit(0);
}

static void start(struct run *r)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(2);
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(r);
	}
	r->pid = pid;
}

/* Waits until a process ends: its run, which has tests left if one of them failed. */
static struct run *finish(void)
{
	struct run *r = runs;
	char why[64];
	int status;
	pid_t pid = wait(&status);

	if (pid < 0) {
		perror("wait");
		exit(2);
	}
	while (r->pid != pid)
		r++;
	r->pid = 0;
	if (!r->inside && !status)
		return r;
	if (WIFEXITED(status))
		snprintf(why, sizeof why, "ended with status %d", WEXITSTATUS(status));
	else if (WTERMSIG(status) == SIGALRM)
		snprintf(why, sizeof why, "takes longer than its .timeout");
	else
		snprintf(why, sizeof why, "%s", strsignal(WTERMSIG(status)));
	/* not in a test: at the end of the process, as where leaks are found */
	say("FAIL", r->at[r->inside ? 0 : -1], why);
	r->crashed++;
	r->at += r->inside;
	r->inside = false;
	return r;
}

static void usage(const char *program)
{
	fprintf(stderr, "usage: %s [-jN] [--filter GLOB] [--fail-fast] [--list] [--verbose]\n",
		program);
	exit(2);
}

int main(int argc, char **argv)
{
	long jobs = sysconf(_SC_NPROCESSORS_ONLN);
	bool fail_fast = false, list = false;
	struct criterion_test **next = __start_cr_tst, **end = __stop_cr_tst;
	size_t passed = 0, failed = 0, crashed = 0, running = 0;

	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "-j", 2))
			jobs = atol(argv[i] + 2);
		else if (!strcmp(argv[i], "--filter") && i + 1 < argc)
			filter = argv[++i];
		else if (!strcmp(argv[i], "--fail-fast"))
			fail_fast = true;
		else if (!strcmp(argv[i], "--list"))
			list = true;
		else if (!strcmp(argv[i], "--verbose"))
			verbose = true;
		else
			usage(argv[0]);
	}
	jobs = jobs < 1 ? 1 : jobs > MOST_JOBS ? MOST_JOBS : jobs;
	runs = mmap(NULL, sizeof *runs * MOST_JOBS, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (runs == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	for (; list && next < end; next++)
		if (chosen(*next))
			printf("%s/%s\n", (*next)->category, (*next)->name);
	while (next < end || running) {
		struct run *r = runs;

		if (next < end && running < (size_t)jobs) {
			const char *suite;

			while (next < end && !chosen(*next))
				next++;
			if (next == end)
				continue;
			while (r->pid)
				r++;
			*r = (struct run){.at = next};
			suite = (*next)->category;
			while (next < end && (!chosen(*next) || !strcmp((*next)->category, suite)))
				next++;
			r->end = next;
			start(r);
			running++;
			continue;
		}
		r = finish();
		if (fail_fast && r->failed + r->crashed)
			r->at = r->end, next = end;
		if (r->at < r->end) {
			start(r);
			continue;
		}
		running--;
		passed += r->passed, failed += r->failed, crashed += r->crashed;
	}
	if (!list)
		fprintf(stderr,
			"[====] Synthesis: Tested: %zu | Passing: %zu | Failing: %zu | Crashing: %zu\n",
			passed + failed + crashed, passed, failed, crashed);
	return failed || crashed || (!list && !passed);
}
