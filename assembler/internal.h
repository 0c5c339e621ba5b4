/* Shared by the files of this module: the state of one assembly. Not visible outside assembler/. */
#ifndef PTXI_ASSEMBLER_INTERNAL_H
#define PTXI_ASSEMBLER_INTERNAL_H
#include "assembler/assembler.h"
#include "base/map.h"
#include "base/vec.h"
#include "parser/ast.h"

/* What a name stands for. */
enum name_kind {
	NAME_NONE,
	NAME_REG,   /* register, index within the function */
	NAME_VAR,   /* ir_module.var */
	NAME_FUNC,  /* ir_module.func */
	NAME_LABEL, /* label of the function being assembled, index within it */
	NAME_TABLE, /* ir_module.table */
	NAME_SREG,  /* enum sreg */
	NAME_WARP_SZ,
	/* assembler.decl: a register, or a range of registers or variables, made when it is named
	   first */
	NAME_DECL,
	NAME_BAD, /* an error was reported already */
};

/* A declaration in force: bindings form a stack, each remembers what it hides. */
struct binding {
	uint32_t symbol, index, hidden, depth;
	uint8_t kind;
	uint8_t is_range; /* bound in slot.range: the prefix of x<100> */
	struct span span;
};

/* One for each symbol; `kind` and `index` are the answer found last, good while gen is
 * assembler.gen. */
struct name_slot {
	uint32_t bind, range; /* innermost bindings, 0 = none */
	uint32_t gen, index;
	/* assembler.mark of the function that uses the name: as its own (MARK_LOCAL), or for
	 * something outside */
	uint32_t mark_func;
	/* what was made of a range last: its decl + 1, and the register or variable */
	uint32_t made_of, made;
	uint32_t copies; /* others of this name so far, in that function */
	uint16_t opcode; /* enum opcode of the name, or NOT_OPCODE */
	uint8_t kind, mark;
};
enum { MARK_LOCAL, MARK_OUTER };
#define NOT_OPCODE UINT16_MAX

/* A declared register (count 1) or range, not yet made. */
struct decl {
	const struct ast_var *var;
	uint32_t reg;  /* made as this register, or IR_NONE */
	uint32_t mark; /* assembler.mark of its function, 0 at module scope */
};

/* a label operand, to be turned into an instruction number at the end of the function */
struct fixup {
	uint32_t operand, label;
};

struct sum { /* a constant added to a register operand of the instruction being assembled */
	uint32_t operand;
	/* that gets the sum: made before the registers of the instruction, as in the text that says
	 * the same in two instructions */
	uint32_t reg;
	uint64_t addend;
};

struct named_place {
	uint32_t symbol;
	struct span span;
};

struct pending_label {
	uint32_t next; /* of the same block, 0 = end */
	uint32_t index;
	struct span span;
};

enum { KNOWN_TYPES = 8 };

/* What isa_match said about an instruction, remembered by its shape. */
struct known_form {
	uint32_t next, hash;
	uint32_t key, nkey; /* in assembler.key */
	uint32_t word;
	uint16_t form;
	uint8_t nwords;
	bool lax;                  /* taken as ptxas takes it, though the manual does not list it */
	uint32_t single;           /* struct isa_match */
	uint8_t type[KNOWN_TYPES]; /* enum type that the row gives each operand */
};

enum var_group { GROUP_MODULE, GROUP_SIGNATURE, GROUP_LOCAL, GROUP_PROTOTYPE };

struct assembler;
/* Makes a variable from its declaration; IR_NONE after an error. */
typedef uint32_t variable_maker(struct assembler *as, const struct ast_var *v, uint32_t name);

struct assembler {
	struct source *source;
	struct diags *diags;
	struct ast_module *ast;
	struct ir_module *m;
	struct symbols *symbols;
	struct arena scratch; /* of the whole assembly */
	unsigned syntax_errors;
	struct span ast_end; /* the place of what concerns the whole file */

	/* names */
	struct name_slot *slot;
	uint32_t nslots;
	uint32_t gen, depth;
	uint32_t sym_warp_sz, sym_generic;
	VEC(struct binding) binding;
	VEC(uint32_t) scope; /* binding.count where each open scope began */
	VEC(struct decl) decl;
	/* of ranges, whose variables are made when they are named: variable_make, which itself
	 * looks up names in the lengths of arrays */
	variable_maker *make_variable;
	/* what was made of ranges before that: decl << 32 | symbol -> register or variable */
	struct map made;

	/* the function being assembled */
	uint32_t func; /* IR_NONE at module scope */
	uint32_t mark; /* counts functions opened */
	uint32_t func_reg, func_insn, func_label, func_loc;
	VEC(struct fixup) fixup;
	VEC(struct sum) sum;
	VEC(struct pending_label) pending;
	VEC(uint32_t) block_label; /* first pending label of each block, in order of { */
	uint32_t block;            /* blocks entered so far */
	VEC(uint32_t) local;       /* its variables, parameters included */
	uint32_t next_label;       /* label_v: the next one to be met */
	struct map places;         /* every .loc so far; see place_key() */
	/* names of inlined functions: 1, or 2 when a .section defines them */
	struct map inlined;
	VEC(struct named_place) inlined_name;
	uint8_t texmode; /* 1 + whether independent; 0: not said */
	uint32_t used_bytes;
	bool used_bytes_set;
	struct span used_bytes_span;

	/* the instruction being assembled */
	bool bad; /* an error was reported for it */
	enum opcode op;
	VEC(struct isa_operand) shape;
	VEC(uint8_t) sign; /* the key being built */
	VEC(uint8_t) key;
	VEC(struct known_form) known;
	uint32_t *known_slot;
	uint32_t known_slots;
	/* whether an opcode's rows look at the values of constants: 0 not asked yet, 1 no, 2 yes */
	uint8_t values[OPCODE_COUNT];

	uint8_t var_group;    /* what variable_make makes: enum var_group */
	VEC(uint8_t) group_v; /* of each variable */
	VEC(struct ir_func) func_v;
#define ARRAY(array, number, type) VEC(type) array##_v;
#include "ir/array.def"
};

/* scope.c: names */
void names_open(struct assembler *as, variable_maker *make);
void names_close(struct assembler *as);
void scope_push(struct assembler *as);
void scope_pop(struct assembler *as);
/* Keeps a declaration of registers or of a range; its index in decl. REG: the register it was made
 * as, or IR_NONE. */
uint32_t decl_add(struct assembler *as, const struct ast_var *v, uint32_t reg);
/* Declares SYMBOL in the innermost scope; false, with a record, when it is there already. */
bool scope_declare(struct assembler *as, uint32_t symbol, enum name_kind kind, uint32_t index,
	struct span span, bool range);
/* The binding of SYMBOL in the innermost scope only, or NULL. */
struct binding *scope_here(struct assembler *as, uint32_t symbol);
/* What SYMBOL stands for at this place; NAME_NONE when nothing. Registers and ranged variables are
 * made here when named first. */
enum name_kind name_find(struct assembler *as, uint32_t symbol, uint32_t *index);
/* Whether it stands for a register; makes nothing. */
bool name_is_register(struct assembler *as, uint32_t symbol);
/* The declaration's place, when the name is bound (not a special register). */
bool name_place(struct assembler *as, uint32_t symbol, struct span *span);
/* Reports SYMBOL as unknown (nearest name, range of registers), once in a function; what:
 * "register", "label", ... */
void name_unknown(struct assembler *as, uint32_t symbol, struct span span, const char *what);
/* Names of registers, labels and variables of one function differ in the IR, though blocks of the
 * source may reuse them: SYMBOL itself when this function does not use it yet, otherwise with $2,
 * $3... appended. */
uint32_t name_unique(struct assembler *as, uint32_t symbol);

/* constant.c: constant expressions (PTX ISA 4.5) */
struct constant {
	enum { CONST_S64, CONST_U64, CONST_F64 } kind;
	uint8_t hex;   /* 'f': bits are a float's; 'd': written as 0d...; 0 otherwise */
	uint64_t bits; /* two's complement, or the bits of a double (of a float when hex is 'f') */
};
/* False, with a record, when O is not a constant. */
bool constant_eval(struct assembler *as, const struct ast_operand *o, struct constant *out);
/* The bits that the constant has in TYPE (integers cut, floats rounded); false when the kinds do
 * not agree. */
bool constant_convert(const struct constant *c, enum type type, uint64_t *bits);
double constant_double(const struct constant *c);

/* variable.c, initialiser.c */
/* Makes a variable from its declaration (all checks, no name bound); IR_NONE after an error. */
uint32_t variable_make(struct assembler *as, const struct ast_var *v, uint32_t name);
/* A declaration statement, at module scope or inside a function: one variable, register or
 * range. */
void variable_declare(struct assembler *as, const struct ast_var *v);
/* Checks shared with parameters: alignment, type, vector. */
bool variable_check(struct assembler *as, const struct ast_var *v);
/* Whether an array without a length stands where only the last parameter of a .func may be one;
 * reports it. */
bool variable_is_open(struct assembler *as, const struct ast_var *v, bool entry, bool result);
/* A parameter or result, named into the open scope when it has a name. */
uint32_t variable_parameter(struct assembler *as, const struct ast_var *v, bool entry, bool result);
void variable_init(struct assembler *as, uint32_t index, const struct ast_var *v);
/* "b32", ".param", ... of a declared thing, for messages */
const char *space_text(uint16_t space);

/* function.c, directive.c */
void function_assemble(struct assembler *as, const struct ast_func *f);
void function_alias(struct assembler *as, uint32_t name, uint32_t target, struct span span);
void directive_header(struct assembler *as, const struct assemble_options *options);
void directive_function(struct assembler *as, struct ir_func *f, const struct ast_func *a);
void directive_loc(struct assembler *as, const struct ast_loc *l, struct span span);
/* What can be said when the whole file has been read: things that are declared and not defined,
 * names of inlined functions, .target debug. */
void directive_end(struct assembler *as);
void directive_pragma(struct assembler *as, uint32_t text, struct span span, uint32_t insn);
bool directive_require(
	struct assembler *as, struct span span, const char *what, unsigned ptx, unsigned sm);

/* body.c */
void body_assemble(struct assembler *as, const struct ast_stmt *first);

/* insn.c, operand.c, call.c */
void insn_assemble(struct assembler *as, const struct ast_stmt *s);
/* Lowers AST operand O to SHAPE and to operand_v[AT]. False after an error. */
bool operand_lower(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at);
/* The operands of a list; returns their number. */
unsigned operand_count(const struct ast_operand *o);
/* N zeroed operands, contiguous; the index of the first. */
uint32_t operand_reserve(struct assembler *as, uint32_t n);
struct isa_operand *shape_reserve(struct assembler *as, uint32_t n);
/* Lowers a call's operands: SHAPE as written, operand_v[*base..] in the IR's form. The number of
 * shapes, or 0 after an error. */
unsigned call_lower(struct assembler *as, const struct ast_stmt *s, struct isa_operand **shape,
	uint32_t *base, unsigned *noperands);
/* immediate.c: gives every immediate among operands [base, base + n) the type the instruction
 * wants. */
void immediates_convert(struct assembler *as, enum opcode op, const struct known_form *k,
	uint32_t base, unsigned n);
/* One immediate, its type as written (TYPE_f32: 0f..., f64, u64, s64); false, changing nothing,
 * when TYPE cannot hold it. */
bool immediate_convert(struct ir_operand *o, enum type type);
/* The types that FORM with the canonical WORDS gives its first N operands; TYPE_NONE where it says
 * nothing. */
void immediate_types(const struct form *form, const uint16_t *words, unsigned nwords,
	uint8_t *types, unsigned n);
enum opcode name_opcode(struct assembler *as, uint32_t symbol);
void table_declare(struct assembler *as, const struct ast_table *t);

/* finish.c */
void module_finish(struct assembler *as);

#define REPORT(as, code, span, ...) \
	diag_report((as)->diags, DIAG_##code, (as)->source, (span), __VA_ARGS__)
#define NAME(as, symbol) symbol_text((as)->symbols, (symbol))
#endif
