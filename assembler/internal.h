/* The state of one assembly, shared by the files of assembler/ and not visible outside. */
#ifndef PTXI_ASSEMBLER_INTERNAL_H
#define PTXI_ASSEMBLER_INTERNAL_H
#include "assembler/assembler.h"
#include "base/map.h"
#include "base/vec.h"
#include "parser/ast.h"

/* What a name denotes. */
enum name_kind {
	NAME_NONE,
	NAME_REG,   /* register, index within the function */
	NAME_VAR,   /* ir_module.var */
	NAME_FUNC,  /* ir_module.func */
	NAME_LABEL, /* label of the function being assembled, index within it */
	NAME_TABLE, /* ir_module.table */
	NAME_SREG,  /* enum sreg */
	NAME_WARP_SZ,
	/* assembler.decl: a register, or a range of registers or variables, created at the first
	 * use of a name */
	NAME_DECL,
	NAME_BAD, /* an error has been reported for it */
};

/* A declaration in scope. Bindings form a stack; each records the binding that it hides. */
struct binding {
	uint32_t symbol, index, hidden, depth;
	uint8_t kind;
	uint8_t is_range; /* bound in slot.range: the prefix of a range x<100> */
	struct span span;
};

/* One per symbol. `kind` and `index` cache the last lookup; they are valid while gen equals
 * assembler.gen. */
struct name_slot {
	uint32_t bind, range; /* innermost bindings, 0 = none */
	uint32_t gen, index;
	/* assembler.mark of the function that uses the name, either for something of its own
	 * (MARK_LOCAL) or for something outside */
	uint32_t mark_func;
	/* the last member created from a range: its decl + 1, and the register or variable */
	uint32_t made_of, made;
	uint16_t opcode; /* enum opcode of the name, or NOT_OPCODE */
	uint8_t kind, mark;
};
enum { MARK_LOCAL, MARK_OUTER };
#define NOT_OPCODE UINT16_MAX

/* A declared register or range whose registers or variables are created on demand. */
struct decl {
	const struct ast_var *var;
	uint32_t reg;  /* the register created for it, or IR_NONE */
	uint32_t mark; /* assembler.mark of its function, 0 at module scope */
};

/* A label operand, replaced by an instruction number at the end of the function. */
struct fixup {
	uint32_t operand, label;
};

struct sum { /* a constant added to a register operand of the current instruction */
	uint32_t operand;
	/* the register for the sum; created before the instruction's other registers, as if the sum
	 * were written as an instruction of its own */
	uint32_t reg;
	uint64_t addend;
};

struct wanted_file {
	uint64_t number;
	struct span span;
};

struct named_place {
	uint32_t symbol;
	struct span span;
};

struct pending_label {
	uint32_t next; /* next label of the same block, 0 = end */
	uint32_t index;
	struct span span;
};

enum { KNOWN_TYPES = 8 };

/* The cached result of isa_match for instructions of one shape. */
struct known_form {
	uint32_t next, hash;
	uint32_t key, nkey; /* the shape: key[key .. key + nkey) */
	uint32_t word;
	uint16_t form;
	uint8_t nwords;
	bool lax;                  /* ptxas accepts it although the manual does not list it */
	uint32_t single;           /* as in struct isa_match */
	uint8_t type[KNOWN_TYPES]; /* enum type that the table row gives each operand */
};

enum var_group { GROUP_MODULE, GROUP_SIGNATURE, GROUP_LOCAL, GROUP_PROTOTYPE };

struct assembler;
/* Creates a variable from its declaration; IR_NONE after an error. */
typedef uint32_t variable_maker(struct assembler *as, const struct ast_var *v, uint32_t name);

struct assembler {
	const struct assemble_options *options; /* or NULL */
	struct source *source;
	struct diags *diags;
	struct ast_module *ast;
	struct ir_module *m;
	struct symbols *symbols;
	struct arena scratch; /* freed at the end of the assembly */
	unsigned syntax_errors;
	/* the entry at hand is not needed any more when it has been assembled */
	bool taking;
	bool expects;        /* the arrays have room for what is expected of the whole text */
	unsigned reported;   /* records in diags after the last entry that was assembled */
	struct span ast_end; /* the location of errors that concern the whole file */

	/* names */
	struct name_slot *slot;
	uint32_t nslots;
	uint32_t gen, depth;
	uint32_t sym_warp_sz, sym_generic;
	VEC(struct binding) binding;
	VEC(uint32_t) scope; /* binding.count where each open scope began */
	VEC(struct decl) decl;
	/* variable_make, for ranges, whose variables are created on first use; a pointer because
	 * variable_make itself looks up names */
	variable_maker *make_variable;
	/* by hash: prefixes that occur in the file, and their symbols */
	struct {
		uint64_t text;
		uint32_t symbol;
	} prefix[16];
	/* members created from ranges earlier: decl << 32 | symbol -> register or variable */
	struct map made;
	/* how many copies of a name a function has: mark << 32 | symbol -> number */
	struct map copies;

	/* the function being assembled */
	uint32_t func; /* IR_NONE at module scope */
	uint32_t mark; /* number of functions opened so far */
	uint32_t func_reg, func_insn, func_label, func_loc;
	VEC(struct fixup) fixup;
	VEC(struct sum) sum;
	VEC(struct pending_label) pending;
	VEC(uint32_t) block_label; /* first pending label of each block, in order of { */
	uint32_t block;            /* blocks entered so far */
	VEC(uint32_t) local;       /* the function's variables, parameters included */
	uint32_t next_label;       /* index in label_v of the next label */
	struct map places;         /* every .loc so far, by place_key() */
	/* names of inlined functions: 1, or 2 when a .section defines them */
	struct map inlined;
	VEC(struct named_place) inlined_name;
	VEC(struct wanted_file) file_wanted;
	bool loc_is_intermediate; /* the last .loc already has its .loc_intermediate */
	uint8_t texmode;          /* 0: not specified; 1: unified; 2: independent */
	uint32_t used_bytes;
	bool used_bytes_set;
	struct span used_bytes_span;

	/* the instruction being assembled */
	bool bad;                           /* an error has been reported for it */
	const struct ast_operand *operands; /* as written */
	enum opcode op;
	VEC(struct isa_operand) shape;
	/* the shape of the current instruction as numbers, used as the lookup key */
	VEC(uint64_t) sign;
	VEC(uint64_t) key;
	VEC(struct known_form) known;
	uint32_t *known_slot;
	uint32_t known_slots;
	/* whether an opcode's rows depend on the values of constants: 0 not determined, 1 no, 2
	 * yes */
	uint8_t values[OPCODE_COUNT];

	/* group of the variables that variable_make creates: enum var_group */
	uint8_t var_group;
	VEC(uint8_t) group_v; /* enum var_group of each variable */
	VEC(struct ir_func) func_v;
	VEC(uint32_t) loc_end;  /* where each .loc ends in the text */
	VEC(uint32_t) func_end; /* likewise each function */
#define ARRAY(array, number, type) VEC(type) array##_v;
#include "ir/array.def"
};

/* The number of elements for the whole text, if there are COUNT for the part up to AT. Arrays that
 * get such room are moved once, and leave few holes. */
static inline uint32_t expected(const struct assembler *as, uint32_t count, uint32_t at)
{
	uint64_t all = (uint64_t)count * as->source->len / (at + 1u);

	return (uint32_t)(all + all / 32 < INT32_MAX ? all + all / 32 : INT32_MAX);
}

/* scope.c: names */
void names_open(struct assembler *as, variable_maker *make);
void names_close(struct assembler *as);
/* Makes room for the names of the whole text, if there are as many as up to AT. */
void names_expect(struct assembler *as, uint32_t at);
void scope_push(struct assembler *as);
void scope_pop(struct assembler *as);
/* Adds a declaration of registers or of a range and returns its index in decl. REG: the register
 * created for it, or IR_NONE. */
uint32_t decl_add(struct assembler *as, const struct ast_var *v, uint32_t reg);
/* Declares SYMBOL in the innermost scope. Returns false and reports an error when it is already
 * declared there. */
bool scope_declare(struct assembler *as, uint32_t symbol, enum name_kind kind, uint32_t index,
	struct span span, bool range);
/* The binding of SYMBOL in the innermost scope only, or NULL. */
struct binding *scope_here(struct assembler *as, uint32_t symbol);
/* What SYMBOL denotes here, NAME_NONE if nothing. Creates registers and members of ranges on first
 * use. */
enum name_kind name_find(struct assembler *as, uint32_t symbol, uint32_t *index);
/* Whether SYMBOL denotes a register; creates nothing. */
bool name_is_register(struct assembler *as, uint32_t symbol);
/* The location of SYMBOL's declaration; false when it has none (a special register). */
bool name_place(struct assembler *as, uint32_t symbol, struct span *span);
/* Reports SYMBOL as undeclared, suggesting the nearest name or the range's bounds, once per
 * function. WHAT: "register", "label", ... */
void name_unknown(struct assembler *as, uint32_t symbol, struct span span, const char *what);
/* A name unique in the current function of the IR, although blocks of the source may reuse names:
 * SYMBOL itself if the function does not use it yet, otherwise with $2, $3, ... appended. */
uint32_t name_unique(struct assembler *as, uint32_t symbol);

/* constant.c: constant expressions (PTX ISA 4.5) */
struct constant {
	enum { CONST_S64, CONST_U64, CONST_F64 } kind;
	uint8_t hex;   /* 'f': bits are those of a float; 'd': written as 0d...; 0 otherwise */
	uint64_t bits; /* two's complement, or the bits of a double (of a float if hex is 'f') */
};
/* Evaluates O. Returns false and reports an error when it is not a constant. */
bool constant_eval(struct assembler *as, const struct ast_operand *o, struct constant *out);
/* Converts constant C to TYPE (integers truncated, floats rounded). Returns false when their kinds
 * are incompatible. */
bool constant_convert(const struct constant *c, enum type type, uint64_t *bits);
double constant_double(const struct constant *c);

/* variable.c, initialiser.c */
/* Creates a variable from its checked declaration, without binding a name; IR_NONE after an
 * error. */
uint32_t variable_make(struct assembler *as, const struct ast_var *v, uint32_t name);
/* Processes a declaration statement at module scope or inside a function: one variable, register or
 * range. */
void variable_declare(struct assembler *as, const struct ast_var *v);
/* Checks shared with parameters: alignment, type and vector length. */
bool variable_check(struct assembler *as, const struct ast_var *v);
/* Whether V is an array without a length where that is not allowed (only the last parameter of a
 * .func may be one); reports it. */
bool variable_is_open(struct assembler *as, const struct ast_var *v, bool entry, bool result);
/* Creates a parameter or result and declares it in the open scope if it has a name. IR_NONE after
 * an error. */
uint32_t variable_parameter(struct assembler *as, const struct ast_var *v, bool entry, bool result);
void variable_init(struct assembler *as, uint32_t index, const struct ast_var *v);
/* The name of a state space, for messages. */
const char *space_text(uint16_t space);

/* function.c, directive.c */
void function_assemble(struct assembler *as, const struct ast_func *f);
void function_alias(struct assembler *as, uint32_t name, uint32_t target, struct span span);
void directive_header(struct assembler *as, const struct assemble_options *options);
void directive_function(struct assembler *as, struct ir_func *f, const struct ast_func *a);
/* Whether NUMBER must have a .file in this module, which may be after SPAN. */
void directive_file(struct assembler *as, uint64_t number, struct span span);
void directive_loc(struct assembler *as, const struct ast_loc *l, struct span span);
/* Checks that need the whole file: declarations without definitions, names of inlined functions,
 * .target debug. */
void directive_end(struct assembler *as);
void directive_pragma(struct assembler *as, uint32_t text, struct span span, uint32_t insn);
bool directive_require(
	struct assembler *as, struct span span, const char *what, unsigned ptx, unsigned sm);

/* body.c */
void body_assemble(struct assembler *as, const struct ast_stmt *first);

/* insn.c, operand.c, call.c */
void insn_assemble(struct assembler *as, const struct ast_stmt *s);
/* Lowers AST operand O to SHAPE and to operand_v[AT]. Returns false after an error. */
bool operand_lower(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at);
/* The number of operands in a list. */
unsigned operand_count(const struct ast_operand *o);
/* Appends N zeroed operands to operand_v and returns the index of the first. */
uint32_t operand_reserve(struct assembler *as, uint32_t n);
struct isa_operand *shape_reserve(struct assembler *as, uint32_t n);
/* Lowers a call's operands: SHAPE as written, operand_v[*base..] in the order of the IR. Returns
 * the number of shapes, or 0 after an error. */
unsigned call_lower(struct assembler *as, const struct ast_stmt *s, struct isa_operand **shape,
	uint32_t *base, unsigned *noperands);
/* immediate.c: converts every immediate among operands [base, base + n) to the type that the
 * instruction's row requires. */
void immediates_convert(struct assembler *as, enum opcode op, const struct known_form *k,
	uint32_t base, unsigned n);
/* Converts one immediate from its type as written (TYPE_f32: 0f..., f64, u64, s64). Returns false
 * and changes nothing when TYPE cannot hold it. */
bool immediate_convert(struct ir_operand *o, enum type type);
/* The types that FORM with the canonical WORDS gives its first N operands; TYPE_NONE where it gives
 * none. */
void immediate_types(const struct form *form, const uint16_t *words, unsigned nwords,
	uint8_t *types, unsigned n);
enum opcode name_opcode(struct assembler *as, uint32_t symbol);
void table_declare(struct assembler *as, const struct ast_table *t);

/* finish.c */
void module_finish(struct assembler *as);
/* Keeps the places of a module with errors, for the messages about them. */
void module_reject(struct assembler *as);

#define REPORT(as, code, span, ...) \
	diag_report((as)->diags, DIAG_##code, (as)->source, (span), __VA_ARGS__)
#define NAME(as, symbol) symbol_text((as)->symbols, (symbol))
#endif
