/* A module's functions as ops: what everything that executes or analyses PTX reads. Decoding needs
 * no machine; code is const afterwards and shared by all host threads.
 *
 * The engine puts the functions that execute ops into op.run.exec itself, once a function is
 * decoded (interp/machine/bind.c). */
#ifndef PTXI_CODE_CODE_H
#define PTXI_CODE_CODE_H
#include "base/arena.h"
#include "code/op.h"
#include "ir/ir.h"

enum { MAX_BARRIERS = 16 }; /* of a CTA */

struct code_func {
	struct op *op; /* [nops]; the last one never falls through */
	uint32_t nops;
	uint32_t func;       /* index in ir_module.func */
	uint32_t count_base; /* index of op[0] in the module's counters */
	/* of the register file: condition code (place 0), predicates, 32 lanes of all registers and
	 * temporaries; multiple of 64 */
	uint32_t frame_bytes;
	/* .local, formal .param and call .param variables of a frame, a thread; multiple of 16 */
	uint32_t local_bytes;
	/* what a call costs of the bounded stack, a thread: local_bytes and the registers */
	uint32_t stack_bytes;
	/* entries: bytes of static shared memory; dynamic shared memory begins there */
	uint32_t shared_end;
	/* bank 1: immediates over 32 lanes, 64-byte aligned; constant[0..3] = ~0 (the guard that
	 * always holds) */
	unsigned char *constant;
	/* [ir_func.nregs] place of each register; component c of a vector register: + c * stride of
	 * its element (reg_stride) */
	uint32_t *reg_at;
	uint32_t *reg_stride; /* [ir_func.nregs] bytes that one component takes */
	bool decoded;
	bool bound; /* the engine's: it has filled run.exec */
};

struct code {
	const struct ir_module *module;
	struct diags *findings;
	struct arena *arena;
	/* the host reads registers when a thread has ended, so none is unread */
	bool keeps_registers;
	bool reconverges;       /* op.reconverge is wanted (lockstep) */
	struct code_func *func; /* [module->nfuncs] */
	uint32_t ncounts;       /* ops decoded so far */
	uint64_t *var_at;       /* [module->nvars] .shared: offset in the window; .local and .param:
				 * offset in the frame or parameter buffer; .global and .const: filled by
				 * who       allocates them, before anything is decoded */
	/* static shared memory of module scope and of all device functions; the entries' own begins
	 * there */
	uint32_t device_shared;
};

/* Lays out the variables of C->module: fills func, var_at (but .global and .const), device_shared.
 * MODULE, FINDINGS and ARENA are set. */
void code_layout(struct code *c);
/* Decodes FUNC and all it may call; false with a finding when something cannot run. */
bool code_decode(struct code *c, uint32_t func);

/* The function that an alias stands for; others are themselves. */
uint32_t code_resolve(const struct ir_module *m, uint32_t func);
/* Functions that ptxi itself provides (provided.def): a number >= 0, or -1. */
int code_provided(const char *name);

/* Whether a path leads from op FROM of C to one for which TEST holds, FROM itself included.
 * (reconverge.c) */
bool code_reaches(const struct code_func *c, uint32_t from, bool (*test)(const struct op *op));

#endif
