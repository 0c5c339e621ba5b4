/* CUDA programs compiled by clang with ptxi's own headers, or by nvcc: PTX for the device, objects
 * for the host. */
#ifndef PTXI_CLI_COMPILE_H
#define PTXI_CLI_COMPILE_H
#include "cli/cli.h"
#include <signal.h>

/* One compilation: the compiler, and the folder of its temporary files. */
struct compiler {
	struct cli *c;
	struct diags *diags; /* where it reports */
	const char *program; /* clang or nvcc */
	const char *headers; /* ptxi's; NULL with nvcc */
	char folder[4096];
	unsigned files;  /* in the folder: 1, 2 ... */
	int signal;      /* that ended the compiler, or 0 */
	double deadline; /* of each step, which SIGALRM then ends; 0: none */
	bool linked;     /* with others: what is declared is defined there */
	struct sigaction old[2];
	sigset_t mask;
};

/* Finds the compiler that the command line asks for. On failure reports and returns false;
 * otherwise end with compiler_end. */
bool compiler_begin(struct compiler *k, struct cli *c, struct diags *diags);
void compiler_end(struct compiler *k);
/* Appends the PTX of the device code of SOURCE. Returns 0, or the exit status. What the compiler
 * says is appended to SAID, or printed if that is NULL. */
int compiler_ptx(struct compiler *k, const char *source, struct text *out, struct text *said);
/* The object of SOURCE, with its device code as a fat binary. *OUT: its path. (clang only) */
int compiler_object(struct compiler *k, const char *source, const char **out);
/* Links OBJECTS with the runtime into OUTPUT. (clang only) */
int compiler_link(struct compiler *k, const char *const *objects, unsigned n, const char *output);

bool is_cuda_source(const char *path);
/* What compiles the .cu files that a command takes (cli/cuda_source.c). It lives as long as C. */
const struct program_compiler *cuda_compiler(struct cli *c);
/* The folder where FILE is, beside ptxi, or below its folder at one of PLACES (patterns); NULL: in
 * none of them. */
const char *installed_folder(
	struct cli *c, const char *const *places, unsigned n, const char *file);
/* The folder of libcuda.so.1 and libcudart.so.13, or NULL. */
const char *driver_folder(struct cli *c);

#endif
