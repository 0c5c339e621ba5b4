/* The one device of the process: its settings, and where its findings go. */
#include "cuda/driver.h"
#include "diag/diag.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SETTINGS = 32, MAX_CODES = 64 };

struct driver {
	pthread_mutex_t lock;
	struct ptxi_device *device; /* NULL: cuInit was not called, or failed */
	FILE *report;               /* stderr, or the file of report=FILE */
	CUresult fault;             /* what a lost device returns */
	unsigned findings;          /* printed */
	int status;                 /* of the first that is no warning */
	struct {
		char code[8];
		unsigned count;
	} code[MAX_CODES];
	unsigned ncodes;
};

static struct driver driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct ptxi_device *driver_device(void) { return driver.device; }

/* --- findings --- */

/* What hardware would say of a finding that stops a kernel. */
static CUresult fault_of(const char *code)
{
	static const struct {
		const char *code;
		CUresult result;
	} rows[] = {
		{"F0105", CUDA_ERROR_LAUNCH_FAILED},
		{"F0107", CUDA_ERROR_INVALID_PC},
		{"F0108", CUDA_ERROR_INVALID_PC},
		{"F0110", CUDA_ERROR_HARDWARE_STACK_ERROR},
		{"F0111", CUDA_ERROR_OUT_OF_MEMORY},
		{"F0201", CUDA_ERROR_ILLEGAL_ADDRESS},
		{"F0202", CUDA_ERROR_MISALIGNED_ADDRESS},
		{"F0203", CUDA_ERROR_ILLEGAL_ADDRESS},
		{"F0204", CUDA_ERROR_ILLEGAL_ADDRESS},
		{"F0205", CUDA_ERROR_ILLEGAL_ADDRESS},
		{"F0206", CUDA_ERROR_INVALID_ADDRESS_SPACE},
		{"F0207", CUDA_ERROR_ILLEGAL_ADDRESS},
		{"F0210", CUDA_ERROR_ASSERT},
		{"F0212", CUDA_ERROR_HARDWARE_STACK_ERROR},
		{"F0213", CUDA_ERROR_HARDWARE_STACK_ERROR},
	};

	for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
		if (strcmp(rows[k].code, code) == 0)
			return rows[k].result;
	return CUDA_ERROR_LAUNCH_FAILED;
}

static void count(const struct ptxi_finding *f)
{
	unsigned k = 0;

	driver.findings++;
	if (!f->is_warning && !driver.status)
		driver.status = diag_status(diag_code_find(f->code));
	while (k < driver.ncodes && strcmp(driver.code[k].code, f->code) != 0)
		k++;
	if (k == MAX_CODES)
		return;
	if (k == driver.ncodes)
		snprintf(driver.code[driver.ncodes++].code, sizeof driver.code[0].code, "%s",
			f->code);
	driver.code[k].count++;
}

void driver_print(char *log, size_t room)
{
	struct ptxi_report *r;

	if (log && room)
		*log = '\0';
	pthread_mutex_lock(&driver.lock);
	r = driver.device ? ptxi_take_findings(driver.device) : NULL;
	if (r && ptxi_report_count(r) && log) {
		snprintf(log, room, "%s", ptxi_report_text(r));
	} else if (r && ptxi_report_count(r)) {
		for (size_t k = 0; k < ptxi_report_count(r); k++) {
			const struct ptxi_finding *f = ptxi_report_finding(r, k);

			count(f);
			if (!f->is_warning && !driver.fault)
				driver.fault = fault_of(f->code);
		}
		fflush(stdout);
		fputs(ptxi_report_text(r), driver.report);
		fflush(driver.report);
	}
	if (r)
		ptxi_report_free(r);
	pthread_mutex_unlock(&driver.lock);
}

/* Appends the status of what was found to the file that PTXI_STATUS names, for `ptxi exec`. */
static void note_status(void)
{
	const char *path = getenv("PTXI_STATUS");
	FILE *f = path && driver.status ? fopen(path, "ab") : NULL;

	if (f) {
		fputc(driver.status, f);
		fclose(f);
	}
}

/* Work that is queued does not run: what it reads and writes may be gone. */
static void at_exit(void)
{
	unsigned queued;

	if (!driver.device)
		return;
	driver_print(NULL, 0);
	if (!ptxi_queued(driver.device, &queued) && queued)
		fprintf(driver.report,
			queued == 1
				? "ptxi: %u launch, copy or other item was never waited for, and did not run\n"
				: "ptxi: %u launches, copies and other items were never waited for, and did not run\n",
			queued);
	if (driver.findings)
		fprintf(driver.report, "ptxi: %u finding%s:", driver.findings,
			driver.findings == 1 ? "" : "s");
	for (unsigned k = 0; k < driver.ncodes; k++)
		fprintf(driver.report, "%s %u %s", k ? "," : "", driver.code[k].count,
			driver.code[k].code);
	if (driver.findings)
		fputc('\n', driver.report);
	fflush(driver.report);
	note_status();
}

/* --- results --- */

static CUresult lost(void)
{
	driver_print(NULL, 0);
	return driver.fault ? driver.fault : CUDA_ERROR_LAUNCH_FAILED;
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

CUresult driver_waited(enum ptxi_exit e)
{
	driver_print(NULL, 0);
	return driver_result(e);
}

CUresult driver_refused(const char *function, enum ptxi_exit e)
{
	char why[300];

	driver_print(NULL, 0);
	if (e == PTXI_USAGE) {
		ptxi_device_error(driver.device, why, sizeof why);
		fprintf(driver.report, "ptxi: %s: %s\n", function, why);
		fflush(driver.report);
	}
	return driver_result(e);
}

CUresult driver_ready(void) { return driver.device ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED; }

/* --- creation --- */

static void print_output(void *self, const char *text, size_t n)
{
	(void)self;
	fwrite(text, 1, n, stdout);
}

/* Splits TEXT at blanks; report=FILE and jobs=N are not settings of a device. */
static void read_options(char *text, struct ptxi_device_options *o, const char **settings)
{
	unsigned n = 0;

	for (char *rest, *word = strtok_r(text, " \t\n", &rest); word;
		word = strtok_r(NULL, " \t\n", &rest)) {
		if (strncmp(word, "report=", 7) == 0) {
			FILE *f = fopen(word + 7, "a");

			if (f)
				driver.report = f;
			else
				perror(word);
		} else if (strncmp(word, "jobs=", 5) == 0) {
			o->jobs = (unsigned)strtoul(word + 5, NULL, 10);
		} else if (n < MAX_SETTINGS) {
			settings[n++] = word;
		}
	}
	settings[n] = NULL;
}

static CUresult begin(void)
{
	const char *given = getenv("PTXI_OPTIONS"), *settings[MAX_SETTINGS + 1];
	struct ptxi_device_options o = {.settings = settings, .output = print_output};
	char *text = strdup(given ? given : "");

	if (!text)
		return CUDA_ERROR_OUT_OF_MEMORY;
	driver.report = stderr;
	read_options(text, &o, settings);
	driver.device = ptxi_device_new(&o);
	free(text);
	if (!driver.device)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (ptxi_device_status(driver.device) == PTXI_OK) {
		atexit(at_exit);
		return CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&driver.lock);
	fputs("ptxi: PTXI_OPTIONS is wrong:\n", driver.report);
	driver_print(NULL, 0);
	pthread_mutex_lock(&driver.lock);
	ptxi_device_free(driver.device);
	driver.device = NULL;
	return CUDA_ERROR_SYSTEM_NOT_READY;
}

CUresult driver_begin(void)
{
	CUresult r = CUDA_SUCCESS;

	pthread_mutex_lock(&driver.lock);
	if (!driver.device)
		r = begin();
	pthread_mutex_unlock(&driver.lock);
	return r;
}
