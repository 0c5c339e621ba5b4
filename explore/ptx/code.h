/* A kernel's decoded code as the explorer runs it, with called functions inlined at every call:
 * which ops only touch registers and which make events, slots of values, live slots, and reachable
 * writes. */
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
	PTX_COLLECTIVE, /* lanes of a warp exchange values: .sync forms */
	/* the same without .sync, and activemask: any subset of the lanes may take part */
	PTX_TOGETHER,
	PTX_ASYNC, /* issues an asynchronous operation */
	PTX_ASYNC_COMMIT,
	PTX_ASYNC_WAIT,
	PTX_BULK_STORE, /* st.bulk */
	PTX_OPEN,       /* its result may be any value: a clock */
	PTX_PRINT,      /* vprintf: the output is not observed; its result may be any value */
	PTX_EXIT,
	PTX_TRAP,
	PTX_NOTHING,
	PTX_UNSUPPORTED
};

/* Why a value is open, that is, may be any value. No thread can be followed where an open value
 * decides what it does. A set. */
enum ptx_open { PTX_OPEN_CLOCK = 1, PTX_OPEN_PRINT = 2, PTX_OPEN_LANE = 4 };

/* A value of a thread: a register, a temporary, a predicate. */
struct ptx_slot {
	uint32_t at;         /* byte offset in the bench's registers */
	uint32_t word;       /* index in the thread's state */
	uint8_t width;       /* bytes; 0: a predicate */
	uint8_t definitions; /* number of ops that write it; 2: two or more */
};

struct ptx_op {
	uint8_t class, sem, scope, proxy;
	uint8_t where;  /* fences: set of enum event_where */
	uint8_t quiet;  /* enum quiet */
	uint8_t packed; /* atoms: scalars in an element (PTX ISA 8.2.5) */
	bool own;       /* loads, stores, atoms: .shared::cta, of the executing CTA only */
	bool loop_head;
	uint32_t head;           /* of a loop head: its number */
	uint32_t site;           /* of a store or atom: its number among them */
	uint16_t *source, *dest; /* slots, ending with PTX_NO_SLOT; the guard is a source */
	/* sets of loops, by head: those that it lies in; those that it may leave */
	uint64_t *inside, *leaves;
	uint64_t *live;  /* slots live before it */
	uint64_t *sites; /* stores and atoms reachable from it */
	/* CALL: [ncallees] the parts that it may enter: one or, for an indirect call, one per
	 * possible function */
	uint32_t *callee;
	uint32_t ncallees;
	/* BRANCH: in either direction, nothing relevant happens before MEET_AT, where both paths
	 * meet */
	bool idle;
	uint32_t meet_at;
	/* BRANCH that is not idle: the slots computed before MEET_AT, if nothing else is done;
	 * otherwise NULL */
	uint16_t *meets;
	const char *refusal; /* UNSUPPORTED: a description; TRAP: the message */
};
#define PTX_NO_SLOT UINT16_MAX

/* One activation of a function: part 0 is the kernel; every call has a part of its own. */
struct ptx_part {
	const struct code_func *code;
	uint32_t first;             /* index of its first op */
	uint32_t regs_at, local_at; /* offsets of its registers and local memory */
	uint32_t caller, call;      /* the calling part and op */
	uint16_t *slot_at;          /* [code->frame_bytes / 4] slot by place / 4 */
};

struct ptx_code {
	const struct code_func *code; /* the kernel's */
	struct op *ops;               /* [nops] ops of all parts; branch targets are indices here */
	uint32_t nops, nparts;
	struct ptx_part *part;            /* [nparts] */
	uint16_t *part_of;                /* [nops] */
	uint32_t regs_bytes, local_bytes; /* of all parts */
	const struct ir_module *module;
	struct ptx_op *op; /* [nops + 1]; the last one represents the end */
	struct ptx_slot *slot;
	uint32_t nslots, slot_words, head_words, state_words; /* state_words: words of all values */
	uint32_t nsites, site_words, nheads;
	uint32_t *site_op; /* [nsites] */
	/* some value may be open, so states have rows for that; some because of a clock */
	bool has_open, has_clock;
	uint8_t proxies; /* set of the proxies that it uses besides the generic one */
	bool too_many;   /* more than 65,535 values */
	/* the order of its mbarrier operations matters only for which one completes a phase */
	bool quiet_mbarriers;
};

/* Analyses CODE. KEEP: indices of the NKEEP registers of the function that are observed at the end.
 */
struct ptx_code *ptx_code_new(struct machine *m, const struct code_func *code, const uint32_t *keep,
	uint32_t nkeep, struct arena *arena);
/* Finds loop heads, and which ops lie in or may leave which loop. */
void ptx_find_loops(struct ptx_code *c, struct arena *arena);
/* Whether an op of CLASS is reachable from op FROM. */
bool ptx_leads_to(
	const struct ptx_code *c, uint32_t from, enum ptx_class class, struct arena *arena);
/* Empty code: no ops, no values. */
struct ptx_code *ptx_code_none(struct arena *arena);
/* Finds idle branches, which decide only how long a thread waits, and sets RELEVANT to the slots
 * that are needed for anything else. (idle.c) */
void ptx_find_idle(struct ptx_code *c, uint64_t *relevant, struct arena *arena);
/* The slot of a place, or PTX_NO_SLOT (constants). */
static inline uint16_t ptx_slot_at(const struct ptx_part *p, uint32_t place)
{
	return place & 1 ? PTX_NO_SLOT : p->slot_at[place / 4];
}
/* The enum quiet of an atomic operation on memory, as determined by operation and type. */
uint8_t ptx_commutes(enum atomic atomic, enum type type);

#endif
