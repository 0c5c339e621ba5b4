/* The decoded code of a module: every function as an array of ops. All engines and analyses read
 * it. Decoding needs no machine; afterwards the code is read-only and shared by all host threads,
 * except that the engine that executes it stores its executor functions in op.run.exec once a
 * function is decoded (interp/machine/bind.c). */
#ifndef PTXI_CODE_CODE_H
#define PTXI_CODE_CODE_H
#include "base/arena.h"
#include "code/op.h"
#include "ir/ir.h"

enum { MAX_BARRIERS = 16 }; /* barriers per CTA (PTX ISA 9.7.15.1) */

struct code_func {
	struct op *op; /* [nops]; the last one never falls through */
	uint32_t nops;
	uint32_t func;       /* index in ir_module.func */
	uint32_t count_base; /* index of op[0] in the module's counters */
	/* size of a warp's register file: condition code (place 0), predicates, 32 lanes of all
	 * registers and temporaries; a multiple of 64 */
	uint32_t frame_bytes;
	/* bytes per thread of a frame's .local, formal .param and call .param variables; a multiple
	 * of 16 */
	uint32_t local_bytes;
	/* bytes per thread that a call takes from the bounded stack: local_bytes and the
	 * registers */
	uint32_t stack_bytes;
	/* entries: bytes of static shared memory; dynamic shared memory begins at this offset */
	uint32_t shared_end;
	/* bank 1: constants, each repeated for 32 lanes, 64-byte aligned; constant[0..3] = ~0 (the
	 * guard of an unguarded instruction) */
	unsigned char *constant;
	/* bank 1 by rank, with the rank in the addresses of .shared variables; NULL until a launch
	 * has clusters, and if the function names none. Use code_constants(). */
	unsigned char **constant_of;
	uint32_t *own; /* [nown] those addresses: their offsets in the bank plus their widths */
	uint32_t nown;
	uint32_t constant_bytes;
	/* [ir_func.nregs] place of each register; component c of a vector register is c times
	 * reg_stride further */
	uint32_t *reg_at;
	uint32_t *reg_stride; /* [ir_func.nregs] distance between components, in bytes */
	uint32_t scope;       /* in code.scope */
	bool decoded;
	bool loose; /* a kernel for which code_is_loose() (loose.h) */
	bool bound; /* set by the engine once it has filled run.exec */
	/* of an engine that translates: what it made of the function, or NULL
	 * (interp/state/engine.h); warp instructions that were interpreted. Both are atomic:
	 * workers use them */
	const struct engine_code *translated;
	uint64_t heat;
};

/* What was laid out together: a module, or those of a joined one that were linked at the same time.
 * Each has .shared variables of its own, which begin at offset 0 of the window. */
struct code_scope {
	uint32_t func, nfuncs, var, nvars;
	/* bytes of static shared memory of module scope and of all device functions; an entry's own
	 * variables follow */
	uint32_t device_shared;
	uint32_t first_count; /* code.ncounts before it */
	bool gone;            /* unloaded */
	struct arena arena;   /* its decoded functions */
};

struct code {
	const struct ir_module *module;
	struct diags *findings;
	struct arena *arena;
	/* the host reads registers after a thread has ended, so every register counts as read */
	bool keeps_registers;
	bool reconverges;         /* fill op.reconverge (lockstep scheduling) */
	struct code_func *func;   /* [module->nfuncs], after code_layout() */
	struct code_scope *scope; /* [nscopes] */
	uint32_t nscopes, room_funcs, room_vars, room_scopes;
	uint32_t ncounts; /* ops decoded so far */
	/* [module->nvars] .shared: offset in the window; .local and .param: offset in the frame or
	 * parameter buffer; .global and .const: filled by the engine that allocates them, before
	 * any function is decoded */
	uint64_t *var_at;
};

/* Lays out the variables of C->module, or of what was added to it since the last call: fills func,
 * var_at (except for .global and .const), and the next scope. MODULE, FINDINGS and ARENA must be
 * set. What refers to elements of `func` stays valid: an array that is replaced remains. */
void code_layout(struct code *c);
/* SCOPE is not used any more. The last scopes that are not are forgotten: their numbers, and those
 * of their functions, variables and ops, are used again. */
void code_unload(struct code *c, uint32_t scope);
/* Frees what is not in the arena. */
void code_free(struct code *c);
/* Decodes FUNC and every function it may call. Returns false and reports a diagnostic when
 * something cannot run. */
bool code_decode(struct code *c, uint32_t func);

/* Gives each decoded function that names .shared variables its constants for the CTAs of a cluster.
 * Call it before a launch with clusters. */
void code_prepare_clusters(struct code *c);
/* Bank 1 of F in the CTA of rank RANK of its cluster. */
static inline unsigned char *code_constants(const struct code_func *f, uint32_t rank)
{
	return rank && f->constant_of ? f->constant_of[rank] : f->constant;
}

/* The function that FUNC is an alias of, or FUNC itself. */
uint32_t code_resolve(const struct ir_module *m, uint32_t func);
/* The index in provided.def of a function that ptxi itself provides, or -1. */
int code_provided(const char *name);

/* Whether some path from op FROM of C, FROM included, reaches an op for which TEST holds.
 * (reconverge.c) */
bool code_reaches(const struct code_func *c, uint32_t from, bool (*test)(const struct op *op));

#endif
