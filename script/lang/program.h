/* The input file of a command: read, assembled, its //@ lines parsed and resolved. All its errors
 * are in diags. */
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
	struct source *source;    /* NULL: the file could not be read */
	struct ir_module *module; /* NULL: rejected, or not assembled */
	struct script script;
	struct script_lines lines;
	struct diags diags;
	bool assembled; /* the module is there */
	bool script_ok; /* no mistake in the //@ lines */
	int status;     /* 0, 2 unreadable or mistakes in //@ lines, 3 rejected, 8 */
};

struct program_request {
	const char *path; /* "-" is standard input */
	/* the file's bytes, when it is no file (path is its name then); otherwise NULL */
	const char *text;
	size_t size;
	const char *const *lines; /* of -e, in order */
	unsigned nlines;
	const char *script;       /* --script=FILE, or NULL */
	const char *const *allow; /* [nallow] folders of --allow-files */
	unsigned nallow;
	struct assemble_options assemble;
	const uint8_t *off; /* warnings turned off, as in struct diags; NULL: none */
	bool no_warnings;
	bool no_script; /* as and dis: //@ lines are comments */
	bool lint;      /* also look for what is legal but suspicious (warnings) */
};

/* Reads and prepares a file; P is filled in whatever happens. */
void program_load(struct program *p, const struct program_request *r);
void program_free(struct program *p);
/* The module as the bytes of an object file. */
void program_object(const struct program *p, struct text *out);

/* Reads a whole file, or standard input for "-", as text that may hold anything. NULL after a
 * report. */
struct source *file_read(const char *path, struct arena *arena, struct diags *diags);
/* Writes a whole file; false after a report. */
bool file_write(const char *path, const void *data, size_t n, struct diags *diags);

#endif
