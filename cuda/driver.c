/* The one device of the process: its settings, and where its findings go. */
#include "cuda/driver.h"
#include "base/demangle.h"
#include "cuda/host.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SETTINGS = 32, PATIENCE = 10000, GAP = 2000 };

static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;
static unsigned devices = 1;
static bool leaks; /* memory that is never freed is reported */

int driver_devices(void) { return (int)devices; }

/* --- the end --- */

/* Work that is queued does not run: what it reads and writes may be gone. */
static void driver_ends(void)
{
	static atomic_flag over = ATOMIC_FLAG_INIT;
	unsigned queued = 0;

	if (!driver_device() || atomic_flag_test_and_set(&over))
		return;
	driver_print(NULL, 0);
	if (ptxi_queued(driver_device(), &queued))
		queued = 0;
	touch_ran();
	host_ends(queued);
	if (leaks)
		owned_leaks();
	findings_end();
}

/* --- results --- */

static CUresult lost(void)
{
	driver_print(NULL, 0);
	return findings_fault();
}

CUresult driver_result(enum ptxi_exit e)
{
	switch (e) {
	case PTXI_OK: return CUDA_SUCCESS;
	case PTXI_USAGE: return CUDA_ERROR_INVALID_VALUE;
	case PTXI_REJECTED: return CUDA_ERROR_INVALID_PTX;
	case PTXI_FAILED:
	case PTXI_RACE:
	case PTXI_FAULT: return lost();
	case PTXI_DEADLOCK:
	case PTXI_UNDECIDED: driver_print(NULL, 0); return CUDA_ERROR_LAUNCH_TIMEOUT;
	case PTXI_UNSUPPORTED: driver_print(NULL, 0); return CUDA_ERROR_NOT_SUPPORTED;
	case PTXI_NO_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
	case PTXI_BUG:
	case PTXI_SIGNAL:
	default: return CUDA_ERROR_UNKNOWN;
	}
}

/* Kernels that run for long: said after 10 seconds, and whenever it has been twice as long. */
static _Atomic long long began, heard, patience; /* milliseconds */

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int is_long(void *self)
{
	long long limit = patience, t = now(), before = atomic_exchange(&heard, t);

	(void)self;
	/* asked all the time while something runs: this is the first time */
	if (t - before > GAP) {
		began = t;
		patience = PATIENCE;
		return false;
	}
	return t - began >= limit && atomic_compare_exchange_strong(&patience, &limit, 2 * limit);
}

static void say_long(void *self, const struct ptxi_progress *p)
{
	struct text t = {0};

	(void)self;
	if (!demangle(&t, p->kernel, NULL))
		text_puts(&t, p->kernel);
	fprintf(findings_file(),
		"ptxi: kernel '%s' has run for %lld s: %.2g instructions of warps, %llu of %llu blocks are done; make the problem smaller, or wait\n",
		text_str(&t), (now() - began) / 1000, (double)p->instructions,
		(unsigned long long)p->blocks_done, (unsigned long long)p->blocks);
	fflush(findings_file());
	text_free(&t);
}

void driver_runs(void)
{
	touch_runs();
	heard = 0;
}

CUresult driver_ran(enum ptxi_exit e)
{
	driver_print(NULL, 0);
	touch_ran();
	host_waited();
	return driver_result(e);
}

CUresult driver_refused(enum diag_code code, call_place at, const char *function, enum ptxi_exit e)
{
	char why[300];
	struct text t = {0};
	unsigned before = findings_count();

	driver_print(NULL, 0);
	if (e == PTXI_USAGE && findings_count() != before) {
		/* the finding that was printed says why */
		place_text_of(at, &t);
		if (t.len)
			fprintf(findings_file(), "      note: launched by %s\n", text_str(&t));
	} else if (e == PTXI_USAGE) {
		ptxi_device_error(driver_device(), why, sizeof why);
		text_printf(&t, "%s: %s", place_api(at, function), why);
		host_finding(code, at, text_str(&t), NULL);
	}
	text_free(&t);
	return driver_result(e);
}

CUresult driver_ready(void) { return driver_device() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED; }

/* --- creation --- */

static void print_output(void *self, const char *text, size_t n)
{
	(void)self;
	fwrite(text, 1, n, stdout);
}

/* Splits TEXT at blanks; report=FILE and jobs=N are not settings of a device. */
static FILE *read_options(char *text, struct ptxi_device_options *o, const char **settings)
{
	FILE *report = stderr;
	unsigned n = 0;

	for (char *rest, *word = strtok_r(text, " \t\n", &rest); word;
		word = strtok_r(NULL, " \t\n", &rest)) {
		if (strncmp(word, "report=", 7) == 0) {
			FILE *f = fopen(word + 7, "a");

			if (f)
				report = f;
			else
				perror(word);
		} else if (strncmp(word, "devices=", 8) == 0 && strtoul(word + 8, NULL, 10) >= 1 &&
			strtoul(word + 8, NULL, 10) <= MOST_DEVICES) {
			devices = (unsigned)strtoul(word + 8, NULL, 10);
		} else if (strcmp(word, "leaks") == 0) {
			leaks = true;
		} else if (strncmp(word, "jobs=", 5) == 0) {
			o->jobs = (unsigned)strtoul(word + 5, NULL, 10);
		} else if (n < MAX_SETTINGS) {
			settings[n++] = word;
		}
	}
	settings[n] = NULL;
	return report;
}

static CUresult begin(void)
{
	const char *given = getenv("PTXI_OPTIONS"), *settings[MAX_SETTINGS + 1];
	struct ptxi_device_options o = {
		.settings = settings, .output = print_output, .due = is_long, .hear = say_long};
	char *text = strdup(given ? given : "");
	struct ptxi_device *d;
	FILE *report;

	if (!text)
		return CUDA_ERROR_OUT_OF_MEMORY;
	report = read_options(text, &o, settings);
	d = ptxi_device_new(&o);
	free(text);
	if (!d)
		return CUDA_ERROR_OUT_OF_MEMORY;
	findings_of(d, report);
	if (ptxi_device_status(d) == PTXI_OK) {
		atexit(driver_ends);
		touch_begin(driver_ends);
		return CUDA_SUCCESS;
	}
	fputs("ptxi: PTXI_OPTIONS is wrong:\n", report);
	driver_print(NULL, 0);
	findings_of(NULL, report);
	ptxi_device_free(d);
	return CUDA_ERROR_SYSTEM_NOT_READY;
}

CUresult driver_begin(void)
{
	CUresult r = CUDA_SUCCESS;

	pthread_mutex_lock(&beginning);
	if (!driver_device())
		r = begin();
	pthread_mutex_unlock(&beginning);
	return r;
}
