/* A kernel's decoded code as the explorer runs it: which ops only touch registers and which make events, where values live, what is live, what may be written. */
#ifndef PTXI_EXPLORE_PTX_CODE_H
#define PTXI_EXPLORE_PTX_CODE_H
#include "base/arena.h"
#include "explore/ptx.h"
#include "interp/access.h"
#include "interp/state.h"
#include "model/relation.h"

enum ptx_class {
	PTX_REGISTERS, /* computes registers from registers */
	PTX_CLOCK,     /* reads a clock or another thing that changes by itself: 0 here */
	PTX_BRANCH,
	PTX_LOAD,
	PTX_STORE,
	PTX_ATOM,
	PTX_RED,
	PTX_FENCE,
	PTX_PROXY_FENCE,
	PTX_BARRIER,
	PTX_WARP_BARRIER,
	PTX_MBARRIER,
	PTX_CLUSTER_BARRIER,
	PTX_COLLECTIVE, /* lanes of a warp look at each other */
	PTX_EXIT,
	PTX_TRAP,
	PTX_NOTHING,
	PTX_UNSUPPORTED
};

/* A value of a thread: a register, a temporary, a predicate. */
struct ptx_slot {
	uint32_t at;    /* place in the frame (bank 0) */
	uint32_t word;  /* of the thread's state */
	uint8_t width;  /* bytes; 0 a predicate */
	uint8_t definitions; /* ops that write it, at most 2 counted */
};

struct ptx_op {
	uint8_t class, sem, scope, proxy;
	bool loop_head;
	uint32_t head;       /* its number among the loop heads */
	uint32_t site;       /* stores and atoms: its number among them */
	uint16_t *source, *dest; /* slots, ends with PTX_NO_SLOT; the guard is a source */
	uint64_t *live;      /* slots live before it */
	uint64_t *sites;     /* stores and atoms that may be reached from it */
};
#define PTX_NO_SLOT UINT16_MAX

struct ptx_code {
	const struct code_func *code;
	const struct ir_module *module;
	struct ptx_op *op;       /* [code->nops + 1]; the last one stands for the end */
	struct ptx_slot *slot;
	uint16_t *slot_at;       /* [frame_bytes / 4] place / 4 -> slot */
	uint32_t nslots, slot_words, state_words; /* state_words: of all values */
	uint32_t nsites, site_words, nheads;
	uint32_t *site_op;       /* [nsites] */
	bool other_proxies;      /* uses another than the generic proxy */
	bool too_many;           /* values than 65,535 */
};

/* Analyses CODE. KEEP: registers of the function that are observed at the end (indices), NKEEP of them. */
struct ptx_code *ptx_code_new(struct machine *m, const struct code_func *code, const uint32_t *keep, uint32_t nkeep, struct arena *arena);
/* The slot of a place, or PTX_NO_SLOT (constants). */
static inline uint16_t ptx_slot_at(const struct ptx_code *c, uint32_t place) { return place & 1 ? PTX_NO_SLOT : c->slot_at[place / 4]; }
bool ptx_insn_has(const struct ptx_code *c, const struct op *op, enum word w);

#endif
