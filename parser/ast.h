/* The syntax tree: the file as written, with byte spans, interned names and words as numbers. Names
 * are not resolved, and nothing is checked against the table. */
#ifndef PTXI_PARSER_AST_H
#define PTXI_PARSER_AST_H
#include "base/symbol.h"
#include "diag/diag.h"
#include "isa/vocab.h"

enum ast_operand_kind {
	AST_NAME, /* symbol; word = component (.x .y ...) or W_NONE */
	AST_INT,  /* value; flag = has the suffix U */
	/* flag: 0 decimal (value = bits of a double), NUMBER_SINGLE for 0f (value = bits of the
	 * float), NUMBER_DOUBLE for 0d */
	AST_FLOAT,
	AST_SINK,    /* _ */
	AST_STRING,  /* symbol */
	AST_ADDRESS, /* [a, b, ...]: sub list; name[...] has symbol != 0 */
	AST_VECTOR,  /* {a, b}: sub list; also an initialiser list */
	AST_LIST,    /* (a, b) or (): sub list */
	AST_UNARY,   /* op: '-' '!' '~' '+'; sub */
	/* op: '+' '-' '*' '/' '%' '&' '|' '^' '<' '>' '=' (field = value) and the two-letter ones
	   below; sub, sub->next. a|b may be a destination */
	AST_BINARY,
	AST_TERNARY, /* sub ? next : next */
	AST_CAST,    /* (.s64) or (.u64): word = the type; sub */
	AST_CALL,    /* generic(x): symbol; sub. mask(x), without a symbol: sub = mask, x */
};
enum { AST_SHL = 256, AST_SHR, AST_LE, AST_GE, AST_EQ, AST_NE, AST_AND, AST_OR };

struct ast_operand {
	uint16_t kind : 4, flag : 2;
	/* levels of operands below, at most 1000, so that code may recurse over the tree */
	uint16_t depth : 10;
	union {
		uint16_t op, word;
	};
	uint32_t symbol;
	struct span span;
	union {
		uint64_t value;          /* AST_INT, AST_FLOAT */
		struct ast_operand *sub; /* other kinds: a list, or NULL */
	};
	struct ast_operand *next;
};

/* The list below O, of any kind. */
static inline const struct ast_operand *ast_sub(const struct ast_operand *o)
{
	return o->kind == AST_INT || o->kind == AST_FLOAT ? NULL : o->sub;
}

enum ast_stmt_kind {
	AST_INSN,
	AST_LABEL,
	AST_DECL,
	AST_BLOCK_BEGIN,
	AST_BLOCK_END,
	AST_LOC,
	AST_PRAGMA,
	AST_TABLE
};

/* A declared variable, parameter or register. */
struct ast_var {
	uint32_t name;
	uint16_t space;       /* word: W_reg, W_global, ... */
	uint8_t type, vector; /* enum type; 0, 2, 4, 8 */
	/* bits as in enum ir_linkage: 1 visible, 2 extern, 4 weak, 8 common */
	uint8_t linkage;
	uint8_t has_ptr, has_attribute, align_late; /* align_late: .align after the type */
	uint16_t ptr_space;
	uint64_t align, ptr_align; /* 0 = not given */
	struct span align_span;
	uint64_t range; /* %r<100>: 100; 0 = none */
	bool has_range;
	struct ast_operand *dims;      /* list of constant expressions, kind AST_SINK for [] */
	struct ast_operand *init;      /* or NULL */
	struct ast_operand *attribute; /* .attribute(...) words, or NULL */
	struct span span, type_span;
	struct ast_var *next;
};

struct ast_table { /* .branchtargets, .calltargets, .callprototype; its label is the name */
	uint16_t word;
	uint32_t name;
	struct ast_operand *targets;
	struct ast_var *rets, *params;
	struct ast_directive *directives;
	struct span span;
};

struct ast_loc {
	uint64_t file, line, column;
	bool inlined, intermediate;
	uint32_t function_name;
	uint64_t function_offset;
	uint64_t at_file, at_line, at_column;
};

struct ast_stmt {
	uint8_t kind;
	/* glued: number of leading words that follow the opcode and each other without a blank */
	uint8_t nwords, glued;
	uint8_t guard_negated;
	uint32_t symbol;       /* INSN: opcode name as written; LABEL: name; PRAGMA: string */
	uint32_t guard;        /* symbol of the guard predicate, 0 = none */
	uint32_t guard_len;    /* bytes of the guard, with which the statement begins */
	struct span span;      /* whole statement, without the ; */
	struct span name_span; /* opcode or label */
	union {
		struct ast_var *decl;
		struct ast_table *table;
		struct ast_loc *loc;
		/* INSN: or NULL, then they follow the words as bytes; ast_operands knows both */
		struct ast_operand *operands;
	};
	struct ast_stmt *next;
	/* in the order written; ast_word_span computes the location of a word */
	uint16_t words[];
};

/* A directive such as .reqntid 1, 2, 3 between the parameter list and the body. */
struct ast_directive {
	uint16_t word;
	struct ast_operand *args; /* AST_INT, AST_NAME or AST_STRING list */
	struct span span;
	struct ast_directive *next;
};

struct ast_func {
	uint32_t name;
	uint8_t is_entry, linkage, has_body;
	struct ast_var *rets, *params;
	struct ast_directive *directives;
	struct ast_stmt *body;
	struct span span, name_span;
};

enum ast_top_kind {
	AST_TOP_FUNC,
	AST_TOP_VAR,
	AST_TOP_FILE,
	AST_TOP_SECTION,
	AST_TOP_CODE_BLOCK,
	AST_TOP_PRAGMA,
	AST_TOP_ALIAS
};
struct ast_top {
	uint8_t kind;
	struct span span;
	union {
		struct ast_func *func;
		struct ast_var *var;
		struct {
			uint64_t number;
			uint32_t name;
			uint64_t mtime, size;
			bool has_mtime;
		} file;
		struct {
			uint32_t name;
			struct span body; /* kept as text: DWARF is not interpreted */
		} section;
		uint32_t pragma; /* string */
		struct {
			uint32_t name, target;
		} alias;
	};
	struct ast_top *next;
};

struct ast_module {
	struct arena arena, code; /* code: the statements of bodies; arena: everything else */
	struct arena operands;    /* those of the instruction that was asked for last */
	struct source *source;
	uint16_t version_major, version_minor;
	struct span version_span, target_span;
	struct ast_operand *targets; /* names of .target, in order */
	bool late_target;            /* some of them are in a .target inside a body */
	uint64_t address_size;       /* 0 = not given */
	/* labels defined in .section directives, in any order */
	struct ast_operand *section_labels;
	struct ast_top *first;
	uint32_t ninsns; /* number of instructions, for sizing arrays */
};

/* Parses SOURCE. All syntax errors of the file are reported to DIAGS; everything that could be
 * parsed is returned anyway. Names are interned in SYMBOLS. Free with ast_free. */
struct ast_module *ast_parse(struct source *source, struct symbols *symbols, struct diags *diags);
/* Is given entry T of module scope as soon as it has been read. True: T has been used, and will not
 * be part of M; it is freed, except that ranges of variables remain. False: T becomes part of M,
 * and so must all entries after it. */
typedef bool ast_taker(void *client, struct ast_module *m, const struct ast_top *t);
/* As ast_parse, but offers every entry to TAKE. */
struct ast_module *ast_parse_each(struct source *source, struct symbols *symbols,
	struct diags *diags, ast_taker *take, void *client);
/* Frees the statements long before S in the body that is being taken. */
void ast_free_before(struct ast_module *m, const struct ast_stmt *s);
void ast_free(struct ast_module *m);
/* The operands of instruction S of M, until the next call. */
const struct ast_operand *ast_operands(struct ast_module *m, const struct ast_stmt *s);
static inline struct span ast_guard_span(const struct ast_stmt *s)
{
	return (struct span){s->span.off, s->guard_len};
}
/* The location of the K-th dotted word of an instruction, counted from 0. */
struct span ast_word_span(const struct source *source, const struct ast_stmt *s, unsigned k);

#endif
