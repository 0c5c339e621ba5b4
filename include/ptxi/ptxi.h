/* ptxi as a library: a program in memory is assembled, run and judged; results come as text and
 * JSON. Opaque handles, no globals, no stdio; thread-safe as long as one handle is used by one
 * thread at a time. Link libptxi.a, libm, pthreads and libdl. */
#ifndef PTXI_PTXI_H
#define PTXI_PTXI_H
#include <ptxi/status.h>
#include <stddef.h>

/* "0.2.0" */
const char *ptxi_version(void);

/* A PTX program with the //@ lines in its comments. */
struct ptxi_program;

struct ptxi_options {
	/* further //@ lines, without the //@; NULL-terminated, or NULL */
	const char *const *lines;
	/* "schedule=lockstep", "seed=7", "check=all", as in a set line; NULL-terminated, or NULL */
	const char *const *settings;
	const char *target; /* "sm_90a", or NULL: as the file says */
	unsigned jobs;      /* host threads; 0 = all processors */
};

/* Assembles the N bytes of TEXT; NAME is for messages. Never NULL: what is wrong with the text is
 * in the diagnostics. OPTIONS may be NULL. */
struct ptxi_program *ptxi_load(
	const char *name, const char *text, size_t n, const struct ptxi_options *options);
void ptxi_free(struct ptxi_program *p);
/* PTXI_OK: ready to run; PTXI_USAGE: mistakes in //@ lines; PTXI_REJECTED. */
int ptxi_status(const struct ptxi_program *p);
/* Errors and warnings about the text, as for a terminal without colours, or as a JSON array. Valid
 * until ptxi_free. */
const char *ptxi_diagnostics(struct ptxi_program *p);
const char *ptxi_diagnostics_json(struct ptxi_program *p);
/* Canonical PTX, or NULL when the program was rejected. Valid until ptxi_free. */
const char *ptxi_disassemble(struct ptxi_program *p);

/* Number of cases (//@ case) that can be run. */
size_t ptxi_cases(const struct ptxi_program *p);
/* What came of one case. */
struct ptxi_result;
/* Runs case K (0 is the first). NULL when the program is not ready or has no such case. */
struct ptxi_result *ptxi_run(struct ptxi_program *p, size_t k);
void ptxi_result_free(struct ptxi_result *r);
/* The exit status (enum ptxi_exit) that `ptxi run` would have. */
int ptxi_result_status(const struct ptxi_result *r);
/* 0 passed, 1 failed, 2 skipped, as `ptxi check` judges; the reason is "" for a pass. */
int ptxi_result_verdict(const struct ptxi_result *r);
const char *ptxi_result_reason(const struct ptxi_result *r);
/* What kernels printed, and how long it is. */
const char *ptxi_result_output(const struct ptxi_result *r, size_t *n);
/* The object that `ptxi run --format=json` prints. */
const char *ptxi_result_json(const struct ptxi_result *r);

#endif
