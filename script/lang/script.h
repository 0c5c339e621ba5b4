/* A script: the //@ lines as a tree, case by case, before and after its names are resolved against
 * a module. */
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
	EXPR_CALL,     /* function: sub list through next */
	EXPR_PRINTED,  /* what kernels printed, as a part of an outcome */
	EXPR_FIELDS,   /* {a, b, u32:c}: sub[0] and next; arguments and initialisers only */
};
enum object_special { OBJECT_UNRESOLVED = -1, OBJECT_THE_INDEX = -2, OBJECT_FUNCTION = -3 };
enum range_kind { RANGE_NONE, RANGE_INDEX, RANGE_SPAN, RANGE_ALL };

struct expr {
	uint8_t kind, range;
	uint8_t type;       /* CALL of a type: that type; REGISTER: its type */
	uint8_t field_type; /* u32:x: the type, otherwise TYPE_NONE */
	int16_t op;
	uint16_t function; /* enum function */
	uint16_t depth;    /* of the tree: bounds every recursion over it */
	struct span span;  /* of the whole expression, in source */
	struct span name_span;
	struct source *source;
	const char *name; /* NAME; REGISTER: "%r2" */
	/* NAME: index into script_case.object once resolved, or one of enum object_special */
	int object;
	uint32_t func;        /* OBJECT_FUNCTION: of the module */
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
	bool cooperative, broken; /* broken: could not be read; only its name is known */
	struct source *source;
	struct span span; /* of the words of the line, without what follows */
	struct span name_span;
	uint32_t line;
	/* BUFFER, LAUNCH: the kernel; RECORD, WAIT: the event; PRINTS: the text; ERROR: the code;
	 * NEEDS: the word; FINDING: the kind */
	const char *name;
	const char *stream; /* NULL: the default one */
	struct span stream_span;
	uint32_t event_number, stream_number;
	uint32_t name_len;  /* PRINTS */
	struct expr *count; /* BUFFER: elements; PRINTS lines */
	struct expr *expr;  /* EXPECT, PRINT, CONDITION, OBSERVE (list), WRITE (target) */
	/* init: value, list, iota's start, random's seed; file: name in text */
	struct expr *value;
	struct expr *step;
	const char *file;
	const char *path; /* of file, once resolved: absolute, without symbolic links */
	struct span value_span;
	struct expr *grid, *block, *cluster; /* lists of one to three */
	struct expr *shared, *args;
	struct span args_span;
	uint32_t nargs, device;
	struct expr *device_expr;
	struct script_option *options;
	/* resolved */
	int object;                  /* BUFFER, WRITE */
	uint32_t func, dims[3][3];   /* LAUNCH: grid, block, cluster */
	uint32_t shared_bytes, code; /* ERROR: enum diag_code */
	struct stmt *next, *next_error;
};

/* What a name of a case stands for. */
struct object {
	const char *name;
	uint8_t type;      /* of an element */
	bool is_buffer;    /* otherwise a module variable */
	uint64_t count;    /* elements */
	uint64_t address;  /* while running */
	struct stmt *stmt; /* of the buffer */
	bool broken;       /* something is wrong with its line, and was said there */
};

struct script_case {
	const char *name; /* NULL: the unnamed first case */
	struct span name_span;
	struct source *source;
	uint32_t line;
	struct stmt *first, **last;
	uint32_t conditions; /* allow, forbid and always lines */
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
	struct stmt *errors; /* //@ error lines of all cases */
	/* [nallow] folders that file() may read, beside the one of the file that the line stands
	 * in */
	const char *const *allow;
	unsigned nallow;
	uint32_t nerrors, expectations; /* lines that expect something, error lines among them */
};

/* Parses LINES; mistakes are records in DIAGS. Options and needs before the first case line hold
 * for every case when nothing else stands there. */
void script_parse(struct script *s, const struct script_lines *lines, struct diags *diags);
/* Resolves names against M and computes sizes, launch shapes and constants. */
void script_resolve(struct script *s, const struct ir_module *m, struct diags *diags);
/* Looks up the codes of error lines; needs no module. */
void script_resolve_errors(struct script *s, struct diags *diags);
void script_free(struct script *s);
/* Whether a fault with this code is what `expect fault KIND` means: KIND is the code, its name, or
 * a word of its name. */
bool script_fault_is(enum diag_code code, const char *kind);

/* The words that a //@ line may begin with, for `ptxi explain`; NULL past the last. */
struct script_word {
	const char *word, *form, *text;
};
const struct script_word *script_word(unsigned k);

#endif
