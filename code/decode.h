/* Decoding: from IR instructions to ops. Each handler of isa/handler.def has a decode_<handler>
 * function; the table in decode.c is generated from that list, so a missing function is a link
 * error.
 *
 * A decode function obtains the places of its sources and destinations (which may emit auxiliary
 * ops, such as reading a special register or computing the address of a local variable), then emits
 * its op. Places are encoded as in struct op.at. Decoding is complete before a kernel runs. */
#ifndef PTXI_CODE_DECODE_H
#define PTXI_CODE_DECODE_H
#include "base/map.h"
#include "base/vec.h"
#include "code/code.h"

struct decoder {
	struct code *all;
	const struct ir_module *module;
	struct arena *arena; /* for what is decoded */
	const struct ir_func *func;
	struct code_func *code;
	const struct ir_insn *insn; /* being decoded */
	uint32_t nops, cap;
	struct op *op;                    /* [cap] */
	uint32_t constants, constant_cap; /* bytes */
	unsigned char *constant;
	uint32_t frame;       /* bytes of the register file so far */
	bool first;           /* the next op is the first of its instruction */
	struct map known[6];  /* constants by value, one map per width class */
	struct map shared[2]; /* addresses of .shared variables by value: of 4 and of 8 bytes */
	VEC(uint32_t) own;    /* see code_func.own */
	/* [func->nregs] 1: some instruction reads the register; NULL until decode_unread needs
	 * it */
	uint8_t *read;
};

/* One function per handler. */
#define HANDLER(name) void decode_##name(struct decoder *d, const struct ir_insn *i);
#include "isa/handler.def"

/* IR operand K of instruction I. */
static inline const struct ir_operand *decode_operand(
	const struct decoder *d, const struct ir_insn *i, unsigned k)
{
	return &d->module->operand[i->operand + k];
}
/* Appends an op of kind KIND for the current instruction, with its guard. The pointer is valid
 * until the next decode_emit. */
struct op *decode_emit(struct decoder *d, enum op_kind kind);
/* Appends an operand to OP: its place and its width in bytes per lane. */
void decode_add(struct op *op, uint32_t place, unsigned width);

/* The place of a source: register (or vector component), immediate (repeated for 32 lanes; width 0:
 * a predicate word), special register, address of a variable, or function. *WIDTH: on entry the
 * bytes wanted of an immediate, on return the bytes per lane of the place. May emit ops first; a
 * negated predicate gets a temporary. */
uint32_t decode_source(struct decoder *d, const struct ir_operand *o, unsigned *width);
/* The place of a destination register; for IR_SINK a scratch place of *WIDTH bytes per lane. */
uint32_t decode_dest(struct decoder *d, const struct ir_operand *o, unsigned *width);
/* A scratch place in the frame: 32 lanes of WIDTH bytes, or a predicate word (WIDTH 0). */
uint32_t decode_scratch(struct decoder *d, unsigned width);
/* A constant repeated for 32 lanes of WIDTH bytes (1..8; 16: value in the low half), or a predicate
 * word (WIDTH 0: all ones when VALUE is nonzero). */
uint32_t decode_constant(struct decoder *d, uint64_t value, unsigned width);
/* Address VALUE in the executing CTA's shared memory, of WIDTH (4 or 8) bytes. */
uint32_t decode_shared(struct decoder *d, uint64_t value, unsigned width);

/* Whether no instruction reads the value written to destination O. */
bool decode_unread(struct decoder *d, const struct ir_operand *o);

/* An address operand [base + offset]. */
struct decode_address {
	/* base register: lanes of `width` bytes at `place`; if false, the address is `offset`
	 * alone */
	bool has_base;
	/* .local, or .param of a device function or call: add frame->local_base (the same for all
	 * lanes) */
	bool frame_base;
	bool dynamic_shared; /* extern .shared: add the launched entry's shared_end */
	uint32_t place;
	unsigned width;
	int64_t offset;
	/* state space of the variable, W_NONE when the base is a register or a number; entry
	 * parameters: W_param with frame_base false */
	uint16_t space;
	uint32_t var; /* index in ir_module.var, or IR_NONE */
};
void decode_addressing(struct decoder *d, const struct ir_operand *o, struct decode_address *a);

/* Whether the current instruction has the dotted word W. */
bool decode_has(const struct decoder *d, enum word w);
/* The first word of the instruction among the N given, or W_NONE. */
enum word decode_which(const struct decoder *d, const uint16_t *words, unsigned n);
/* The type named by the last type word, or TYPE_NONE. */
enum type decode_type(const struct decoder *d);

/* The address operand O in state space SPACE (W_NONE: generic unless it names a variable), for
 * instructions with several address operands. */
struct op_address decode_op_address(struct decoder *d, const struct ir_operand *o, enum word space);
/* The order or scope that the instruction names, or OTHERWISE. */
enum sem decode_sem(const struct decoder *d, enum sem otherwise);
enum scope decode_scope(const struct decoder *d, enum scope otherwise);
/* The atomic operation that the instruction names, or ATOMIC_NONE. */
enum atomic decode_atomic_operation(const struct decoder *d);
/* What the words .mbarrier::report::validity ask for. */
enum validity decode_validity(const struct decoder *d);

/* Bytes per lane of register REG of the function, 0 for a predicate. */
unsigned decode_reg_width(const struct decoder *d, uint32_t reg);
/* The place of component COMPONENT (counted from 0) of the register that O names. */
uint32_t decode_register(
	struct decoder *d, const struct ir_operand *o, unsigned component, unsigned *width);
/* Emits the read of special register O into TO. */
void decode_sreg(struct decoder *d, const struct ir_operand *o, uint32_t to, unsigned width);
/* Emits a copy that zero-extends or truncates. */
void decode_resize(
	struct decoder *d, uint32_t to, unsigned to_width, uint32_t from, unsigned from_width);
/* Whether V is a formal parameter or result of its function rather than a variable declared in the
 * body. */
bool decode_is_formal(const struct ir_module *m, const struct ir_var *v);

#endif
