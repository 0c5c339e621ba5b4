/* ptxi as a library: assembles a program in memory, runs it and judges it; results are returned as
 * text and JSON. Handles are opaque; there are no globals and no stdio. Different threads may use
 * different handles at the same time. Link with libptxi.a, libm, pthreads and libdl. */
#ifndef PTXI_PTXI_H
#define PTXI_PTXI_H
#include <ptxi/status.h>
#include <stddef.h>

/* The version, such as "0.2.0". */
const char *ptxi_version(void);

/* A PTX program with the //@ directives in its comments. */
struct ptxi_program;

struct ptxi_options {
	/* further //@ directives, without the //@; NULL-terminated, or NULL */
	const char *const *lines;
	/* settings as in a set directive: "schedule=lockstep", "seed=7", "check=all";
	 * NULL-terminated, or NULL */
	const char *const *settings;
	const char *target; /* "sm_90a", or NULL: as specified in the file */
	unsigned jobs;      /* host threads; 0 = all processors */
};

/* Assembles the N bytes of TEXT; NAME is used in messages. OPTIONS may be NULL. Never returns NULL:
 * errors are in the diagnostics. Free with ptxi_free. */
struct ptxi_program *ptxi_load(
	const char *name, const char *text, size_t n, const struct ptxi_options *options);
void ptxi_free(struct ptxi_program *p);
/* PTXI_OK: ready to run; PTXI_USAGE: errors in //@ directives; PTXI_REJECTED: the PTX is
 * rejected. */
int ptxi_status(const struct ptxi_program *p);
/* Errors and warnings about the text, formatted as for a terminal without colours, or as a JSON
 * array. Valid until ptxi_free. */
const char *ptxi_diagnostics(struct ptxi_program *p);
const char *ptxi_diagnostics_json(struct ptxi_program *p);
/* Canonical PTX, or NULL if the program was rejected. Valid until ptxi_free. */
const char *ptxi_disassemble(struct ptxi_program *p);

/* The number of cases (//@ case) that can be run. */
size_t ptxi_cases(const struct ptxi_program *p);
/* The result of one case. */
struct ptxi_result;
/* Runs case K, counted from 0. NULL if the program is not ready or has no such case. Free with
 * ptxi_result_free. */
struct ptxi_result *ptxi_run(struct ptxi_program *p, size_t k);
void ptxi_result_free(struct ptxi_result *r);
/* The exit status (enum ptxi_exit) that `ptxi run` would return. */
int ptxi_result_status(const struct ptxi_result *r);
/* The verdict of `ptxi check`: 0 passed, 1 failed, 2 skipped; the reason is "" for a pass. */
int ptxi_result_verdict(const struct ptxi_result *r);
const char *ptxi_result_reason(const struct ptxi_result *r);
/* The output of the kernels; *N is its length. */
const char *ptxi_result_output(const struct ptxi_result *r, size_t *n);
/* The JSON object that `ptxi run --format=json` prints. */
const char *ptxi_result_json(const struct ptxi_result *r);

#endif
