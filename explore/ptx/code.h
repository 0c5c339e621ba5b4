/* A kernel's decoded code, with the functions that it calls put in at every call, as the explorer
 * runs it: which ops only touch registers and which make events, where values live, what is live,
 * what may be written. */
#ifndef PTXI_EXPLORE_PTX_CODE_H
#define PTXI_EXPLORE_PTX_CODE_H
#include "base/arena.h"
#include "explore/ptx/ptx.h"
#include "interp/memory/access.h"
#include "interp/state/state.h"
#include "model/relation.h"

enum ptx_class {
	PTX_REGISTERS, /* computes registers from registers */
	PTX_BRANCH,
	PTX_BRANCH_INDEX, /* brx.idx */
	PTX_CALL,
	PTX_RETURN, /* from a function */
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
	/* the same without .sync: those that happen to be there, and that may be any */
	PTX_TOGETHER,
	PTX_ASYNC, /* begins an asynchronous operation */
	PTX_ASYNC_COMMIT,
	PTX_ASYNC_WAIT,
	PTX_BULK_STORE, /* st.bulk */
	PTX_OPEN,       /* its result may be anything: a clock */
	PTX_PRINT,      /* vprintf: what it prints is no outcome, its result may be anything */
	PTX_EXIT,
	PTX_TRAP,
	PTX_NOTHING,
	PTX_UNSUPPORTED
};

/* Why a value may be anything, so that no thread can be followed where it goes on by it. A set. */
enum ptx_open { PTX_OPEN_CLOCK = 1, PTX_OPEN_PRINT = 2, PTX_OPEN_LANE = 4 };

/* A value of a thread: a register, a temporary, a predicate. */
struct ptx_slot {
	uint32_t at;         /* byte in the bench's registers */
	uint32_t word;       /* of the thread's state */
	uint8_t width;       /* bytes; 0 a predicate */
	uint8_t definitions; /* ops that write it, at most 2 counted */
};

struct ptx_op {
	uint8_t class, sem, scope, proxy;
	uint8_t where;  /* fences: set of enum event_where */
	uint8_t quiet;  /* enum quiet */
	uint8_t packed; /* atoms: scalars in an element (PTX ISA 8.2.5) */
	bool loop_head;
	uint32_t head;             /* its number among the loop heads */
	uint32_t site;             /* stores and atoms: its number among them */
	uint16_t *source, *dest;   /* slots, ends with PTX_NO_SLOT; the guard is a source */
	uint64_t *inside, *leaves; /* loops by their heads: that it is in; that it may leave */
	uint64_t *live;            /* slots live before it */
	uint64_t *sites;           /* stores and atoms that may be reached from it */
	/* CALL: [ncallees] the parts that it may enter: one, or those whose number its register may
	 * hold */
	uint32_t *callee;
	uint32_t ncallees;
	/* BRANCH: whichever way it goes, nothing that matters happens before MEET_AT, where both
	 * ways meet */
	bool idle;
	uint32_t meet_at;
	/* BRANCH that is not idle: what is computed before MEET_AT, when nothing else is done; else
	 * NULL */
	uint16_t *meets;
	const char *refusal; /* UNSUPPORTED: what it is; TRAP: what it says */
};
#define PTX_NO_SLOT UINT16_MAX

/* One activation of a function: the kernel is part 0, every call has a part of its own. */
struct ptx_part {
	const struct code_func *code;
	uint32_t first;             /* its first op among all */
	uint32_t regs_at, local_at; /* where its registers and local memory begin */
	uint32_t caller, call;      /* the part and op that call it */
	uint16_t *slot_at;          /* [code->frame_bytes / 4] place / 4 -> slot */
};

struct ptx_code {
	const struct code_func *code; /* the kernel's */
	struct op *ops;               /* [nops] of all parts, targets among these */
	uint32_t nops, nparts;
	struct ptx_part *part;            /* [nparts] */
	uint16_t *part_of;                /* [nops] */
	uint32_t regs_bytes, local_bytes; /* of all parts */
	const struct ir_module *module;
	struct ptx_op *op; /* [nops + 1]; the last one stands for the end */
	struct ptx_slot *slot;
	uint32_t nslots, slot_words, head_words, state_words; /* state_words: of all values */
	uint32_t nsites, site_words, nheads;
	uint32_t *site_op; /* [nsites] */
	/* some value may be anything: rows for that are kept; because of a clock */
	bool has_open, has_clock;
	uint8_t proxies; /* other than the generic one that it uses: a set */
	bool too_many;   /* values than 65,535 */
	/* of its mbarrier operations the order does not matter but for who completes a phase */
	bool quiet_mbarriers;
};

/* Analyses CODE. KEEP: registers of the function that are observed at the end (indices), NKEEP of
 * them. */
struct ptx_code *ptx_code_new(struct machine *m, const struct code_func *code, const uint32_t *keep,
	uint32_t nkeep, struct arena *arena);
/* Finds the heads of loops, and which ops may leave which. */
void ptx_find_loops(struct ptx_code *c, struct arena *arena);
/* Whether an op of CLASS may come after op FROM. */
bool ptx_leads_to(
	const struct ptx_code *c, uint32_t from, enum ptx_class class, struct arena *arena);
/* The code of nobody: no op, no value. */
struct ptx_code *ptx_code_none(struct arena *arena);
/* Finds branches that decide nothing but how long a thread waits, and slots that nothing else
 * needs: RELEVANT gets the others. (ptx_idle.c) */
void ptx_find_idle(struct ptx_code *c, uint64_t *relevant, struct arena *arena);
/* The slot of a place, or PTX_NO_SLOT (constants). */
static inline uint16_t ptx_slot_at(const struct ptx_part *p, uint32_t place)
{
	return place & 1 ? PTX_NO_SLOT : p->slot_at[place / 4];
}
/* The enum quiet of an atomic operation on memory, as far as its operation and type say. */
uint8_t ptx_commutes(enum atomic atomic, enum type type);

#endif
