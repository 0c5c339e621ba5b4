/* ptxi as a library: assembles a PTX program in memory, runs it and judges it.
 *
 * Handles are opaque. There is no input or output, and no state outside of handles; different
 * threads may use different handles at the same time. No function ends the process: if memory is
 * exhausted, or ptxi has a bug, the call ends with PTXI_NO_MEMORY or PTXI_BUG and everything that
 * it held is released (docs/LIBRARY.md). Sizes are in bytes. Text is UTF-8 and ends with a NUL.
 *
 * Link with `pkg-config --libs ptxi`; statically: libptxi.a -lm -lpthread -ldl. */
#ifndef PTXI_PTXI_H
#define PTXI_PTXI_H
#include <ptxi/status.h>
#include <stddef.h>

#define PTXI_VERSION_MAJOR 0
#define PTXI_VERSION_MINOR 2
#define PTXI_VERSION_PATCH 0
#define PTXI_VERSION "0.2.0"

#if defined(__GNUC__)
#define PTXI_API __attribute__((visibility("default")))
#else
#define PTXI_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* PTXI_VERSION of the library that runs, such as "0.2.0". */
PTXI_API const char *ptxi_version(void);

/* --- programs --- */

/* A PTX program, with the //@ directives in its comments. */
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

/* Assembles the N bytes of TEXT (PTX, or an object file of `ptxi as`); NAME is used in messages.
 * OPTIONS may be NULL. Everything is copied. Errors are in the diagnostics; NULL only if there is
 * no memory for the handle itself. Free with ptxi_free. */
PTXI_API struct ptxi_program *ptxi_load(
	const char *name, const char *text, size_t n, const struct ptxi_options *options);
/* P may be NULL. Results of P remain valid. */
PTXI_API void ptxi_free(struct ptxi_program *p);
/* PTXI_OK: ready to run; PTXI_USAGE: errors in //@ directives; PTXI_REJECTED: the PTX is rejected;
 * PTXI_UNSUPPORTED: a litmus test, or valid PTX that ptxi does not execute; PTXI_NO_MEMORY or
 * PTXI_BUG: the last call on P ended so. The next call on P assembles the program again. */
PTXI_API enum ptxi_exit ptxi_status(const struct ptxi_program *p);
/* Why the last call on P ended with PTXI_NO_MEMORY or PTXI_BUG; otherwise "". */
PTXI_API const char *ptxi_error(const struct ptxi_program *p);
/* Errors and warnings about the text, formatted as for a terminal without colours, or as a JSON
 * array. NULL: the call failed (ptxi_status). Valid until the same function is called again for P,
 * a call on P fails, or ptxi_free. */
PTXI_API const char *ptxi_diagnostics(struct ptxi_program *p);
PTXI_API const char *ptxi_diagnostics_json(struct ptxi_program *p);
/* Canonical PTX; NULL if the program was rejected or the call failed. Valid as above. */
PTXI_API const char *ptxi_disassemble(struct ptxi_program *p);

/* --- findings --- */

struct ptxi_place {
	const char *file;      /* NULL: no place, only text */
	unsigned line, column; /* counted from 1 */
	unsigned length;       /* bytes of the text meant */
	const char *text;      /* what is there: "this thread writes"; may be "" */
};

struct ptxi_finding {
	const char *code;    /* "R0101"; `ptxi explain R0101` has its rule. The letter is its kind:
			      * docs/DIAGNOSTICS.md */
	const char *name;    /* "data_race" */
	int is_warning;      /* does not by itself make a program fail */
	const char *message; /* one sentence */
	const struct ptxi_place *places; /* [nplaces]; the first is the main one */
	size_t nplaces;
	const char *const *notes; /* [nnotes] further lines */
	size_t nnotes;
	const char *help;      /* what to write instead, or NULL */
	unsigned count;        /* occurrences, at least 1 */
	long long cta, thread; /* linear index of the first occurrence, or -1 */
};

/* Errors and warnings about the text. K counts from 0; NULL past the last. Valid until a call on P
 * fails, or ptxi_free. */
PTXI_API size_t ptxi_findings(const struct ptxi_program *p);
PTXI_API const struct ptxi_finding *ptxi_finding(const struct ptxi_program *p, size_t k);

/* --- running a case --- */

struct ptxi_result;

/* The number of cases (//@ case) that can be run. */
PTXI_API size_t ptxi_cases(const struct ptxi_program *p);
/* From the next ptxi_run on, the buffer NAME of a case begins with these SIZE bytes, as stored on
 * the device (little-endian), in place of its initial value; what follows them keeps that. A case
 * whose buffer is smaller fails. DATA NULL: as the directive says again. The bytes are copied.
 * Returns PTXI_OK or PTXI_NO_MEMORY. */
PTXI_API enum ptxi_exit ptxi_set_buffer(
	struct ptxi_program *p, const char *name, const void *data, size_t size);
/* Runs case K, counted from 0. NULL if the program is not ready, has no such case, or there is no
 * memory for the handle. Free with ptxi_result_free. */
PTXI_API struct ptxi_result *ptxi_run(struct ptxi_program *p, size_t k);

/* --- launching a kernel without directives --- */

enum ptxi_arg_kind {
	PTXI_VALUE,  /* the bytes of a parameter: an int, a float, a struct */
	PTXI_INPUT,  /* the kernel gets the address of a copy of the bytes */
	PTXI_BUFFER, /* the same, and afterwards the bytes are copied back to DATA */
};

struct ptxi_arg {
	enum ptxi_arg_kind kind;
	void *data;       /* only read for PTXI_VALUE and PTXI_INPUT */
	size_t size;      /* PTXI_VALUE: the parameter's size exactly */
	unsigned element; /* bytes of an element, for messages; 0: unknown */
	const char *name; /* for messages; NULL: the parameter's name */
};

/* Zero-initialise it: dimensions that are 0 count as 1. */
struct ptxi_launch {
	const char *kernel; /* its symbol, or its C++ name: reduce, ns::reduce<float> */
	unsigned grid[3], block[3];
	unsigned cluster[3];         /* 0: not given */
	unsigned shared_bytes;       /* dynamic shared memory */
	const struct ptxi_arg *args; /* [nargs], one for each parameter */
	size_t nargs;
};

/* Runs one kernel on a new device, with variables of the module as the module initialises them, and
 * waits for it. Directives of the text play no part. The verdict is PTXI_PASS if there is no
 * finding. Wrong arguments are findings with status PTXI_USAGE. NULL as for ptxi_run. If the call
 * fails, DATA of every PTXI_BUFFER is as before. */
PTXI_API struct ptxi_result *ptxi_launch(struct ptxi_program *p, const struct ptxi_launch *launch);

/* --- results --- */

enum ptxi_verdict { PTXI_PASS, PTXI_FAIL, PTXI_SKIP };

/* Everything that a result returns is valid until ptxi_result_free; R may be NULL there. */
PTXI_API void ptxi_result_free(struct ptxi_result *r);
/* The exit status that `ptxi run` would return; PTXI_NO_MEMORY or PTXI_BUG: the call failed, and
 * the result has only a reason. */
PTXI_API enum ptxi_exit ptxi_result_status(const struct ptxi_result *r);
/* The verdict of `ptxi check`, and in one line why it is not a pass ("" for a pass). */
PTXI_API enum ptxi_verdict ptxi_result_verdict(const struct ptxi_result *r);
PTXI_API const char *ptxi_result_reason(const struct ptxi_result *r);
/* The output of the kernels; *N (N may be NULL) is its length. */
PTXI_API const char *ptxi_result_output(const struct ptxi_result *r, size_t *n);
/* The JSON object that `ptxi run --format=json` prints; of ptxi_launch: an object with status,
 * verdict, output and findings. "" if the call failed. */
PTXI_API const char *ptxi_result_json(const struct ptxi_result *r);
/* The final bytes of the buffer or variable NAME that the directives of the case name, and *SIZE.
 * NULL: no such object, it was not allocated, or the case ran several times (runs=N). */
PTXI_API const void *ptxi_result_buffer(
	const struct ptxi_result *r, const char *name, size_t *size);
/* Findings of the run, including failed expectations. K counts from 0; NULL past the last. */
PTXI_API size_t ptxi_result_findings(const struct ptxi_result *r);
PTXI_API const struct ptxi_finding *ptxi_result_finding(const struct ptxi_result *r, size_t k);

#ifdef __cplusplus
}
#endif
#endif
