/* The IR: a validated and resolved module as plain arrays that refer to each other by index. It is
 * the common input for running, exploring, printing and storing, and independent of the syntax
 * tree. */
#ifndef PTXI_IR_IR_H
#define PTXI_IR_IR_H
#include "base/arena.h"
#include "base/symbol.h"
#include "diag/source.h"
#include "isa/isa.h"

#define IR_NONE UINT32_MAX

enum ir_operand_kind {
	/* index = register of the function; aux = 0 for the whole register, 1 + component (x y z
	 * w), or IR_SELECTOR: count = the word .b0, .h1, ... (video instructions) */
	IR_REG,
	IR_SREG, /* index = enum sreg, aux = 0 or 1 + component */
	/* value = the bits, converted to the type that the instruction requires; type = that type;
	 * aux = 1 if written as a negative integer */
	IR_IMM,
	IR_VAR,  /* the address of variable index, plus value (signed): mov %r, var+4 */
	IR_FUNC, /* the address or name of function index */
	/* index = instruction of the function; more = label of the function (an instruction may
	 * have several labels) */
	IR_LABEL,
	IR_TABLE, /* index = ir_module.table */
	IR_ADDR,  /* [base + value]; aux = enum ir_base */
	IR_VEC,   /* elements: operand[index .. index + count) */
	IR_PAIR,  /* as IR_VEC, two elements: d|p */
	IR_LIST,  /* as IR_VEC: arguments or results of a call */
	IR_SINK,  /* _ */
};
#define IR_SELECTOR 5
/* NONE: value is the address; REG: index = register; VAR: index = variable */
enum ir_base { IR_BASE_NONE, IR_BASE_REG, IR_BASE_VAR };

/* Registers and labels are numbered within the function, everything else within the module.
 *
 * A call has three or four operands: results (IR_LIST, possibly empty), target (IR_FUNC or IR_REG),
 * arguments (IR_LIST), and, if the target is a register, the prototype or list of targets
 * (IR_TABLE, or IR_VAR for an array of function addresses). List elements are registers, immediates
 * in the formal parameter's type, .param variables (IR_VAR) and IR_SINK. */
struct ir_operand {
	uint8_t kind; /* enum ir_operand_kind */
	uint8_t type; /* enum type: of the register (as declared), of the constant, ... */
	/* !p or -r; IR_ADDR: an offset of 0 is written, [a+0] (without optimisation ptxas generates
	 * different code for it) */
	uint8_t negated : 1;
	/* IR_ADDR with further elements, such as tensor coordinates: so many operands after it is
	 * an IR_LIST of them (ir_further) */
	uint8_t further : 7;
	uint8_t aux;
	uint32_t index;
	union {
		uint64_t value; /* IR_IMM, IR_VAR, IR_ADDR */
		struct {
			uint32_t count; /* IR_VEC, IR_PAIR, IR_LIST: number of elements */
			uint32_t more;  /* IR_LABEL */
		};
	};
};
/* the most of ir_operand.further and ir_insn.form */
#define IR_FURTHER 127u
#define IR_FORM 16383u

struct ir_insn {
	uint16_t form : 14; /* index into isa_form */
	uint16_t guard_negated : 1;
	/* a .pragma "used_bytes_mask" precedes it: ir_used_bytes */
	uint16_t pragma_bytes_set : 1;
	uint8_t nwords;
	uint8_t noperands;
	uint32_t word;    /* first of nwords in ir_module.word, in canonical order */
	uint32_t operand; /* first of noperands in ir_module.operand */
	uint32_t guard;   /* register, or IR_NONE */
	struct span span; /* the whole instruction in the source */
};

struct ir_register {
	uint32_t name;  /* symbol */
	uint8_t type;   /* enum type */
	uint8_t vector; /* 0, 2 or 4 */
};

enum ir_linkage { IR_LOCAL_LINKAGE, IR_VISIBLE = 1, IR_EXTERN = 2, IR_WEAK = 4, IR_COMMON = 8 };

/* An address inside an initialiser: `size` bytes at byte `at` of the variable's data are the
 * address of a variable or function plus addend, converted by generic() or not, shifted right by
 * `shift` and truncated (mask()). */
struct ir_reloc {
	uint32_t at;
	uint8_t size, shift, is_func, generic;
	uint32_t index; /* variable or function */
	int64_t addend;
};

struct ir_var {
	uint32_t name;
	uint16_t space;  /* enum word: W_global, W_const, W_shared, W_local, W_param, W_tex... */
	uint8_t type;    /* enum type of an element */
	uint8_t vector;  /* 0, 2, 4, 8 */
	uint8_t linkage; /* set of enum ir_linkage */
	uint8_t ptr_space_known;
	uint16_t ptr_space; /* kernel parameter with .ptr: enum word */
	uint32_t align;     /* bytes */
	uint32_t ptr_align;
	uint32_t func; /* owning function, or IR_NONE for module scope */
	uint64_t size; /* bytes; 0 for an extern array without a length */
	/* .param of a kernel: in the parameter buffer; .param and .local of a function: in the
	 * frame; .shared: among its owner's shared variables; .reg parameters: index of the
	 * register */
	uint64_t offset;
	uint32_t dims, ndims; /* lengths as declared: ir_module.dim[dims..] */
	/* first byte in ir_module.data, or IR_NONE without an initialiser; bytes from ndata on are
	 * zero */
	uint32_t data;
	uint32_t ndata;
	uint32_t reloc, nrelocs;
	struct span span;
	/* .attribute(.managed), .attribute(.unified(id0, id1)), with the numbers in ir_module.dim
	 */
	uint8_t managed, unified;
	uint32_t unified_id;
};

struct ir_label {
	uint32_t name, insn; /* insn may equal the number of instructions: a label at the end */
	struct span span;
};

enum ir_table_kind { IR_BRANCH_TARGETS, IR_CALL_TARGETS, IR_PROTOTYPE };
struct ir_table {
	uint8_t kind;
	uint32_t name, func;
	uint32_t target, ntargets; /* IR_LABEL or IR_FUNC operands in operand[] */
	/* prototypes: variables (.param or .reg) that describe the signature */
	uint32_t ret, nrets, param, nparams;
	uint8_t noreturn;
	uint32_t insn; /* it precedes this instruction of the function */
	struct span span;
};

struct ir_func {
	uint32_t name;
	uint8_t is_entry, linkage, has_body, noreturn;
	/* variables in order; a .reg result or parameter is a variable of space W_reg with the
	 * index of the register in offset */
	uint32_t ret, nrets;
	uint32_t param, nparams; /* variables */
	uint32_t reg, nregs;     /* ir_module.reg */
	uint32_t insn, ninsns;   /* ir_module.insn */
	uint32_t label, nlabels;
	uint32_t loc, nlocs; /* ir_module.loc, in instruction order */
	/* variables declared inside: .local, .shared, .param of calls, .global, .const */
	uint32_t var, nvars;
	uint32_t param_bytes;  /* kernels: the parameter buffer */
	uint32_t local_bytes;  /* a frame's .local and call .param variables */
	uint32_t shared_bytes; /* its own static .shared variables */
	uint32_t reqntid[3], maxntid[3], reqnctapercluster[3]; /* 0 = not given */
	uint32_t maxnreg, minnctapersm, maxclusterrank;
	/* value + 1; 0 = not given */
	uint32_t abi_preserve, abi_preserve_control, minperctamemory;
	uint8_t explicitcluster, blocksareclusters;
	/* there is a separate declaration, or an initial value names the function */
	uint8_t declared;
	uint32_t alias_of; /* function, or IR_NONE */
	struct span span;  /* of the name */
};

/* A .loc directive before instruction `insn` of its function. */
struct ir_loc {
	uint32_t insn; /* may equal the number of instructions: at the end */
	uint32_t file, line, column;
	/* inlined functions: symbol in .debug_str and byte offset from it; 0 = not inlined */
	uint32_t function_name, function_offset;
	uint32_t at_file, at_line, at_column; /* location of the inlined call */
};
struct ir_file {
	uint32_t number, name;
	uint64_t mtime, size;
	uint8_t has_mtime;
};
/* A .pragma other than used_bytes_mask. It precedes instruction `insn` of `func`; insn IR_NONE:
 * between head and body; func IR_NONE: at module scope. */
struct ir_pragma {
	uint32_t func, insn, text;
	struct span span; /* not stored in object files */
};
/* A .section (DWARF), kept as text. */
struct ir_section {
	uint32_t name, len;
	const char *text; /* in the arena, NUL-terminated */
};

/* A module of which a joined one consists (link.h). */
struct ir_unit {
	struct isa_target target;
	uint32_t func, nfuncs, var, nvars; /* its own */
	/* those of one link are one program: names and .shared variables are common to them */
	uint32_t scope;
	/* the numbers of elements that the joined module had before it */
	uint32_t ninsns, noperands, nregs, nlabels, ntables, nrelocs, nwords, ndata, ndims;
};

/* A module; free it with ir_module_free. Functions are ordered: non-entries first, and within each
 * kind the declared ones first. Variables of module scope precede those of each function in
 * turn. */
struct ir_module {
	struct arena arena;
	struct symbols symbols;
	/* the text that spans refer to; blank when loaded from an object, empty when that has no
	 * locations */
	struct source *source;
	struct isa_target target;
	uint8_t texmode_independent, debug;
	struct ir_func *func;
	struct ir_var *var;
	struct ir_insn *insn;
	struct ir_operand *operand;
	struct ir_register *reg;
	struct ir_label *label;
	struct ir_table *table;
	struct ir_reloc *reloc;
	struct ir_loc *loc;
	struct ir_file *file;
	struct ir_pragma *pragma;
	struct ir_section *section;
	uint16_t *word;
	uint8_t *data;
	uint64_t *dim;
	uint32_t nfuncs, nvars, ninsns, noperands, nregs, nlabels, ntables, nrelocs, nlocs, nfiles,
		nwords, ndata, ndims;
	uint32_t npragmas, nsections;
	struct ir_unit *unit; /* [nunits]; 0: no joined module */
	uint32_t nunits;
	/* module-scope static .shared variables, which come first in every CTA's window */
	uint32_t shared_bytes;
};

void ir_module_free(struct ir_module *m);
/* Computes the offsets of all .param, .local and .shared variables and the totals in ir_func and
 * ir_module (layout.c). Returns false if a total exceeds 32 bits, with the function (or IR_NONE:
 * module scope) in *FUNC. .param variables of different calls may share bytes. */
bool ir_layout(struct ir_module *m, uint32_t *func);
/* What function FUNC was compiled for. */
const struct isa_target *ir_target(const struct ir_module *m, uint32_t func);
/* Index of a function or module variable by name, IR_NONE if there is none. */
uint32_t ir_find_func(const struct ir_module *m, const char *name);
uint32_t ir_find_var(const struct ir_module *m, const char *name);
/* Index of a register of a function by name ("%r1"), IR_NONE if there is none. */
uint32_t ir_find_reg(const struct ir_module *m, uint32_t func, const char *name);
/* The further elements of an address of the module, which are an IR_LIST; NULL: none. */
static inline const struct ir_operand *ir_further(const struct ir_operand *o)
{
	return o->kind == IR_ADDR && o->further ? o + o->further : NULL;
}
/* The mask of the .pragma "used_bytes_mask" before an instruction that has one: it follows the
 * instruction's words, low half first. */
enum { IR_MASK_WORDS = 2 };
static inline uint32_t ir_used_bytes(const struct ir_module *m, const struct ir_insn *i)
{
	const uint16_t *mask = m->word + i->word + i->nwords;

	return mask[0] | (uint32_t)mask[1] << 16;
}
/* Writes N words FROM, followed by MASK, to TO: N + IR_MASK_WORDS words. */
static inline void ir_put_words(uint16_t *to, const uint16_t *from, unsigned n, uint32_t mask)
{
	for (unsigned k = 0; k < n; k++)
		to[k] = from[k];
	to[n] = (uint16_t)mask;
	to[n + 1] = (uint16_t)(mask >> 16);
}
static inline const struct form *ir_form(const struct ir_insn *i) { return &isa_form[i->form]; }
/* The operands that an instruction writes: bit k = operand k (all elements of a pair or vector); a
 * call's result list is operand 0. Bits of addresses are never set. */
uint32_t ir_written(const struct ir_module *m, const struct ir_insn *i);
/* Calls VISIT for every register that the instruction names: guard, operands, elements, address
 * bases; reads before writes. */
void ir_each_register(const struct ir_module *m, const struct ir_insn *i,
	void (*visit)(void *arg, const struct ir_operand *reg, bool written), void *arg);
/* Calls VISIT only for the registers named in the operands that the instruction writes. */
void ir_each_written(const struct ir_module *m, const struct ir_insn *i,
	void (*visit)(void *arg, const struct ir_operand *reg, bool written), void *arg);
/* Whether instruction I has word W. */
bool ir_has(const struct ir_module *m, const struct ir_insn *i, enum word w);

#endif
