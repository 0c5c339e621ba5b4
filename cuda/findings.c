/* What is found, by the device and of the host program: where it is printed, and counted. */
#include "cuda/driver.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CODES = 64 };

static struct {
	pthread_mutex_t lock;
	struct ptxi_device *device;
	FILE *to;
	CUresult fault;    /* of a lost device */
	unsigned findings; /* printed */
	int status;        /* of the first that is no warning */
	struct {
		char code[8];
		unsigned count;
	} code[MAX_CODES];
	unsigned ncodes;
} found = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct ptxi_device *driver_device(void) { return found.device; }

void findings_of(struct ptxi_device *d, FILE *to)
{
	found.device = d;
	found.to = to;
}

FILE *findings_file(void) { return found.to; }

unsigned findings_count(void) { return found.findings; }

CUresult findings_fault(void) { return found.fault ? found.fault : CUDA_ERROR_LAUNCH_FAILED; }

/* What hardware would say of a finding that stops a kernel; CUDA_SUCCESS: it is none of these. */
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
	return CUDA_SUCCESS;
}

static void count(const char *code)
{
	unsigned k = 0;

	found.findings++;
	if (!found.status)
		found.status = diag_status(diag_code_find(code));
	while (k < found.ncodes && strcmp(found.code[k].code, code) != 0)
		k++;
	if (k == MAX_CODES)
		return;
	if (k == found.ncodes)
		snprintf(found.code[found.ncodes++].code, sizeof found.code[0].code, "%s", code);
	found.code[k].count++;
}

/* With places instead of marks. */
static void print_text(const char *text)
{
	struct text t = {0};

	place_names(text, &t);
	fflush(stdout);
	fputs(text_str(&t), found.to);
	fflush(found.to);
	text_free(&t);
}

void driver_said(enum diag_code code, const char *text)
{
	pthread_mutex_lock(&found.lock);
	count(diag_code_info(code).code);
	if (text)
		print_text(text);
	pthread_mutex_unlock(&found.lock);
}

void driver_print(char *log, size_t room)
{
	struct ptxi_report *r;

	if (log && room)
		*log = '\0';
	pthread_mutex_lock(&found.lock);
	r = found.device ? ptxi_take_findings(found.device) : NULL;
	if (r && ptxi_report_count(r) && log) {
		snprintf(log, room, "%s", ptxi_report_text(r));
	} else if (r && ptxi_report_count(r)) {
		for (size_t k = 0; k < ptxi_report_count(r); k++) {
			const struct ptxi_finding *f = ptxi_report_finding(r, k);

			count(f->code);
			if (!f->is_warning && !found.fault)
				found.fault = fault_of(f->code);
		}
		print_text(ptxi_report_text(r));
	}
	if (r)
		ptxi_report_free(r);
	pthread_mutex_unlock(&found.lock);
}

/* Appends the status of what was found to the file that PTXI_STATUS names, for `ptxi exec`. */
static void note_status(void)
{
	const char *path = getenv("PTXI_STATUS");
	FILE *f = path && found.status ? fopen(path, "ab") : NULL;

	if (f) {
		fputc(found.status, f);
		fclose(f);
	}
}

void findings_end(void)
{
	if (found.findings)
		fprintf(found.to, "ptxi: %u finding%s:", found.findings,
			found.findings == 1 ? "" : "s");
	for (unsigned k = 0; k < found.ncodes; k++)
		fprintf(found.to, "%s %u %s", k ? "," : "", found.code[k].count,
			found.code[k].code);
	if (found.findings)
		fputc('\n', found.to);
	fflush(found.to);
	note_status();
}
