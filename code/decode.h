/* From IR instructions to ops, for the files that decode. Each handler of isa/handler.def has a
 * decode_<handler> function; the table in decode.c is made from that list, so a handler without one
 * does not link.
 *
 * A decode function gets its sources' and destinations' places (which may emit helping ops: reading
 * a special register, the address of a local variable), then emits its op. Places are numbers as in
 * struct op.at. Nothing is decoded while a kernel runs. */
#ifndef PTXI_CODE_DECODE_H
#define PTXI_CODE_DECODE_H
#include "base/map.h"
#include "code/code.h"

struct decoder {
	struct code *all;
	const struct ir_module *module;
	const struct ir_func *func;
	struct code_func *code;
	const struct ir_insn *insn; /* being decoded */
	uint32_t nops, cap;
	struct op *op;                    /* growing */
	uint32_t constants, constant_cap; /* bytes */
	unsigned char *constant;
	uint32_t frame;      /* bytes of the register file so far */
	bool first;          /* the next op is the first of its instruction */
	struct map known[6]; /* constants by value, a map for each width */
	/* [func->nregs] 1: some instruction reads the register; NULL until somebody asks */
	uint8_t *read;
};

/* One per handler. */
#define HANDLER(name) void decode_##name(struct decoder *d, const struct ir_insn *i);
#include "isa/handler.def"

/* Operand K of instruction I as the IR has it. */
static inline const struct ir_operand *decode_operand(
	const struct decoder *d, const struct ir_insn *i, unsigned k)
{
	return &d->module->operand[i->operand + k];
}
/* A new op of kind KIND for the present instruction, with its guard; the pointer is good until the
 * next op is emitted. */
struct op *decode_emit(struct decoder *d, enum op_kind kind);
/* Adds an operand: places[] and width[] of OP. */
void decode_add(struct op *op, uint32_t place, unsigned width);

/* The place of a source: register (or vector component), immediate (over 32 lanes of WIDTH bytes;
 * WIDTH 0: a predicate word), special register, address of a variable, function. *WIDTH: in: bytes
 * wanted of an immediate, out: bytes a lane of the place. May emit ops before. Negated predicates
 * get a temporary. */
uint32_t decode_source(struct decoder *d, const struct ir_operand *o, unsigned *width);
/* The place of a destination register; IR_SINK: a scratch place of *WIDTH bytes. */
uint32_t decode_dest(struct decoder *d, const struct ir_operand *o, unsigned *width);
/* A scratch place of the frame: 32 lanes of WIDTH bytes, or a predicate word (WIDTH 0). */
uint32_t decode_scratch(struct decoder *d, unsigned width);
/* A constant over 32 lanes of WIDTH bytes (1..8; 16: value in the low half), or a predicate word
 * (WIDTH 0: VALUE != 0 is all ones). */
uint32_t decode_constant(struct decoder *d, uint64_t value, unsigned width);

/* Whether nothing ever looks at what destination O gets. */
bool decode_unread(struct decoder *d, const struct ir_operand *o);

/* An address operand [base + offset]. */
struct decode_address {
	/* base register: lanes of `width` bytes at `place`; otherwise the address is `offset`
	 * alone */
	bool has_base;
	/* .local, or .param of a device function or call: frame->local_base is to be added (uniform
	 * over the lanes) */
	bool frame_base;
	bool dynamic_shared; /* extern .shared: launch code->shared_end is to be added */
	uint32_t place;
	unsigned width;
	int64_t offset;
	/* of the variable, W_NONE when the base is a register or a number; entry parameters:
	 * W_param with frame_base false */
	uint16_t space;
	uint32_t var; /* or IR_NONE */
};
void decode_addressing(struct decoder *d, const struct ir_operand *o, struct decode_address *a);

/* Words of the instruction. */
bool decode_has(const struct decoder *d, enum word w);
/* The first word of the instruction among the N given, or W_NONE. */
enum word decode_which(const struct decoder *d, const uint16_t *words, unsigned n);
/* The last type word, TYPE_NONE when there is none. */
enum type decode_type(const struct decoder *d);

/* The address operand O of SPACE (W_NONE: generic unless it names a variable), for instructions
 * with several. */
struct op_address decode_op_address(struct decoder *d, const struct ir_operand *o, enum word space);
/* The order and scope that the instruction names, or those given. */
enum sem decode_sem(const struct decoder *d, enum sem otherwise);
enum scope decode_scope(const struct decoder *d, enum scope otherwise);
/* The atomic operation that it names, or ATOMIC_NONE. */
enum atomic decode_atomic_operation(const struct decoder *d);

/* Bytes a lane of register REG of the function, 0 for a predicate. */
unsigned decode_reg_width(const struct decoder *d, uint32_t reg);
/* The place of component COMPONENT (0, ..) of the register operand O names. */
uint32_t decode_register(
	struct decoder *d, const struct ir_operand *o, unsigned component, unsigned *width);
/* Emits the read of special register O into TO. */
void decode_sreg(struct decoder *d, const struct ir_operand *o, uint32_t to, unsigned width);
/* Emits a copy that zero-extends or cuts. */
void decode_resize(
	struct decoder *d, uint32_t to, unsigned to_width, uint32_t from, unsigned from_width);
/* Whether V is a formal parameter or result of its function, not a variable declared inside. */
bool decode_is_formal(const struct ir_module *m, const struct ir_var *v);

#endif
