/* A script: the //@ directives of a file as a syntax tree, grouped into cases. The "resolved"
 * fields are filled in once the module is assembled. */
#ifndef PTXI_SCRIPT_SCRIPT_H
#define PTXI_SCRIPT_SCRIPT_H
#include "base/vec.h"
#include "diag/diag.h"
#include "ir/ir.h"
#include "script/lang/scalar.h"

struct script_lines;

enum expr_kind {
	EXPR_INT,
	EXPR_FLOAT,
	EXPR_NAME,     /* name, name[a], name[a..b], name[..]: sub[0], sub[1] */
	EXPR_REGISTER, /* P1:%r2: thread, name; reg once resolved */
	EXPR_UNARY,    /* op '-' '+' '!' '~' '&' (address of a name): sub[0] */
	EXPR_BINARY,   /* op: a token */
	EXPR_TERNARY,  /* sub[0] ? sub[1] : sub[2] */
	EXPR_CALL,     /* function: arguments in sub[0] through next */
	EXPR_PRINTED,  /* the kernels' printed output, as part of an outcome */
	/* {a, b, u32:c}: list in sub[0] through next; arguments and initialisers only */
	EXPR_FIELDS,
};
enum object_special { OBJECT_UNRESOLVED = -1, OBJECT_THE_INDEX = -2, OBJECT_FUNCTION = -3 };
enum range_kind { RANGE_NONE, RANGE_INDEX, RANGE_SPAN, RANGE_ALL };

struct expr {
	uint8_t kind, range;
	uint8_t type;       /* CALL of a type: that type; REGISTER: its type */
	uint8_t field_type; /* u32:x: the type, otherwise TYPE_NONE */
	int16_t op;
	uint16_t function; /* enum function */
	uint16_t depth;    /* of the tree; limits every recursion over it */
	struct span span;  /* of the whole expression, in source */
	struct span name_span;
	struct source *source;
	const char *name; /* NAME; REGISTER: "%r2" */
	/* NAME: index into script_case.object once resolved, or one of enum object_special */
	int object;
	uint32_t func;        /* OBJECT_FUNCTION: index into the module's functions */
	uint32_t thread, reg; /* REGISTER */
	__int128 i;
	double f;
	struct expr *sub[3];
	struct expr *next;
	uint64_t low, high;     /* NAME with a span: its bounds, once evaluated */
	struct expr *tolerance; /* ~= */
};

enum stmt_kind {
	STMT_BUFFER,
	STMT_TENSOR_MAP,
	STMT_TEXTURE, /* or surface */
	STMT_WRITE,
	STMT_LAUNCH,
	STMT_RECORD,
	STMT_WAIT,
	STMT_SYNC,
	STMT_SET,
	STMT_PRINT,
	STMT_EXPECT,        /* expr */
	STMT_EXPECT_PRINTS, /* text, or count lines */
	STMT_EXPECT_FINDING,
	STMT_CONDITION, /* allow, forbid, always */
	STMT_OBSERVE,
	STMT_ERROR,
	STMT_NEEDS,
};
enum init_kind { INIT_NONE, INIT_VALUE, INIT_LIST, INIT_IOTA, INIT_RANDOM, INIT_FILE };
enum finding_kind {
	FINDING_CLEAN,
	FINDING_RACE,
	FINDING_DEADLOCK,
	FINDING_FAULT,
	FINDING_MISUSE,
	FINDING_UNINITIALISED
};
enum condition_kind { CONDITION_ALLOW, CONDITION_FORBID, CONDITION_ALWAYS };

struct script_option {
	const char *name, *value;
	struct span name_span, value_span;
	struct script_option *next;
};

struct stmt {
	uint8_t kind;
	uint8_t init;             /* enum init_kind: BUFFER, WRITE */
	uint8_t finding;          /* enum finding_kind */
	uint8_t condition;        /* enum condition_kind */
	uint8_t type;             /* BUFFER: enum type */
	bool cooperative, broken; /* broken: could not be parsed; only its name is known */
	struct source *source;
	struct span span; /* of the directive's tokens, without a trailing comment */
	struct span name_span;
	uint32_t line;
	/* BUFFER: its name; LAUNCH: the kernel; RECORD, WAIT: the event; PRINTS: the text; ERROR:
	 * the code; NEEDS: the requirement; FINDING: the kind */
	const char *name;
	const char *stream; /* NULL: the default stream */
	struct span stream_span;
	uint32_t event_number, stream_number;
	uint32_t name_len;  /* PRINTS */
	struct expr *count; /* BUFFER: elements; PRINTS: lines */
	struct expr *expr;  /* EXPECT, PRINT, CONDITION, OBSERVE (list), WRITE (target) */
	/* init: the value, the list, the start of iota or the seed of random */
	struct expr *value;
	struct expr *step;
	const char *file;
	const char *path; /* of file, once resolved: absolute and free of symbolic links */
	struct span value_span;
	struct expr *grid, *block, *cluster; /* lists of one to three */
	struct expr *shared, *args;
	struct span args_span;
	uint32_t nargs, device;
	struct expr *device_expr;
	struct script_option *options;
	struct tensor_line *tensor;   /* TENSOR_MAP; its address is `value` */
	struct texture_line *texture; /* TEXTURE; likewise */
	/* resolved */
	int object;                  /* BUFFER, TENSOR_MAP, TEXTURE, WRITE */
	uint32_t func, dims[3][3];   /* LAUNCH: grid, block, cluster */
	uint32_t shared_bytes, code; /* ERROR: enum diag_code */
	struct stmt *next, *next_error;
};

/* What a name in a case refers to. */
struct object {
	const char *name;
	const char *shown; /* NULL, or the C++ name of a variable whose symbol is NAME */
	uint8_t type;      /* of an element */
	bool is_buffer;    /* otherwise a module variable */
	uint64_t count;    /* elements */
	uint64_t address;  /* while running */
	struct stmt *stmt; /* of the buffer */
	bool broken;       /* its directive has an error, which was already reported */
};

/* The name of O for messages. */
static inline const char *object_shown(const struct object *o)
{
	return o->shown ? o->shown : o->name;
}

struct script_case {
	const char *name; /* NULL: the unnamed first case */
	struct span name_span;
	struct source *source;
	uint32_t line;
	struct stmt *first, **last;
	uint32_t conditions; /* number of allow, forbid and always directives */
	struct stmt *first_launch;
	/* resolved */
	struct object *object;
	uint32_t nobjects;
	uint32_t devices;
	bool wants_registers;
};

struct script {
	struct arena arena;
	VEC(struct script_case) cases;
	struct stmt *errors; /* //@ error directives of all cases */
	/* [nallow] folders that file() may read besides the folder of the file that contains the
	 * directive */
	const char *const *allow;
	unsigned nallow;
	/* directives that expect something, including error directives */
	uint32_t nerrors, expectations;
};

/* Parses LINES and reports errors to DIAGS. If only set and needs directives precede the first case
 * directive, they apply to every case. */
void script_parse(struct script *s, const struct script_lines *lines, struct diags *diags);
/* Resolves names against M and computes sizes, launch shapes and constants. */
void script_resolve(struct script *s, const struct ir_module *m, struct diags *diags);
/* Looks up the codes of error directives; needs no module. */
void script_resolve_errors(struct script *s, struct diags *diags);
void script_free(struct script *s);
/* Whether `expect fault KIND` means this code: KIND is the code, its name, or a word of its
 * name. */
bool script_fault_is(enum diag_code code, const char *kind);

/* The k-th directive, for `ptxi explain`; NULL past the last one. */
struct script_word {
	const char *word, *form, *text;
};
const struct script_word *script_word(unsigned k);

#endif
