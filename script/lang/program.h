/* The input file of a command: read and assembled, with its //@ directives parsed and resolved. All
 * errors are in diags. */
#ifndef PTXI_SCRIPT_PROGRAM_H
#define PTXI_SCRIPT_PROGRAM_H
#include "assembler/assembler.h"
#include "script/lang/lex.h"
#include "script/lang/script.h"

enum program_kind { PROGRAM_PTX, PROGRAM_OBJECT, PROGRAM_LITMUS };

struct program {
	struct arena arena;
	const char *path;
	enum program_kind kind;
	struct source *source; /* of PATH: PTX, also of a CUDA source; NULL: it could not be read */
	uint64_t texts;        /* hash of all files */
	struct ir_module *module; /* NULL if it was rejected or not assembled */
	struct script script;
	struct script_lines lines;
	struct diags diags;
	VEC(struct ir_module *) parts; /* objects of which the module is linked */
	bool is_cuda;                  /* PATH is a CUDA source */
	bool assembled;                /* there is a module */
	bool script_ok;                /* no error in the //@ directives */
	/* exit status: 0, 2 unreadable or an error in a directive, 3 rejected, 8 unsupported */
	int status;
};

/* Makes PTX of CUDA sources. */
struct program_compiler {
	/* Appends the PTX of the file PATH, whose text is SOURCE, to OUT until DEADLINE (0: none).
	 * LINKED: it is linked with others. Returns 0, or the exit status; DIAGS say why, unless a
	 * signal or the deadline ended it. */
	int (*ptx)(void *self, struct source *source, const char *path, bool linked,
		double deadline, struct text *out, struct diags *diags);
	void *self;
};

struct program_request {
	const char *path; /* "-" is standard input */
	/* further files, linked with this one. The //@ lines are those of the first that has any */
	const char *const *linked;
	unsigned nlinked;
	const struct program_compiler *compiler; /* NULL: files are PTX, objects or litmus tests */
	double deadline;                         /* of the compiler; 0: none */
	/* the input's bytes if it is not a file (path then only names it); otherwise NULL */
	const char *text;
	size_t size;
	const char *const *lines; /* the directives given with -e, in order */
	unsigned nlines;
	const char *script;       /* --script=FILE, or NULL */
	const char *const *allow; /* [nallow] folders given with --allow-files */
	unsigned nallow;
	const char *const *source_path; /* [nsource_path] folders given with --source-path */
	unsigned nsource_path;
	struct assemble_options assemble;
	const uint8_t *off; /* warnings turned off, as in struct diags; NULL: none */
	bool no_warnings;
	bool no_script; /* as and dis: //@ directives are plain comments */
	bool lint;      /* also warn about code that is legal but suspicious */
};

/* Reads and prepares a file. P is filled in even on failure; free it with program_free. */
void program_load(struct program *p, const struct program_request *r);
void program_free(struct program *p);
/* Appends the module to OUT as the bytes of an object file. */
void program_object(const struct program *p, struct text *out);

/* The size of the regular file at PATH; 0: there is none. */
uint64_t file_bytes(const char *path);
/* Reads a whole file, or standard input for "-"; the bytes may be anything. On failure reports to
 * DIAGS and returns NULL. */
struct source *file_read(const char *path, struct arena *arena, struct diags *diags);
/* Writes a whole file, or standard output for "-". On failure reports to DIAGS and returns
 * false. */
bool file_write(const char *path, const void *data, size_t n, struct diags *diags);

#endif
