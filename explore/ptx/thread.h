/* One thread of a PTX program: its state, and how it runs to its next event. */
#ifndef PTXI_EXPLORE_PTX_THREAD_H
#define PTXI_EXPLORE_PTX_THREAD_H
#include "explore/ptx/code.h"
#include "interp/state/cluster.h"

/* In the explorer's physical addresses, shared memory of CTA C, counted over all launches, is at
 * PTX_SHARED + C * PTX_SHARED_STEP. */
#define PTX_SHARED (UINT64_C(1) << 50)
#define PTX_SHARED_STEP (UINT64_C(1) << 24)
enum {
	PTX_MAX_VISITS = 8,
	PTX_MAX_THREADS = 1 << 15,
	PTX_MAX_ASYNC = 64,
	PTX_MAX_HELPERS = 512,
	PTX_COPY_KEPT = 64
};

struct ptx_launch {
	struct launch *launch; /* NULL: writes of the host */
	struct ptx_code *code;
	uint32_t first_thread, nthreads, first_cta;
	/* the launches that must end before it, except those that must end before one of them */
	const uint32_t *after;
	uint32_t nafter;
	bool awaited;                  /* some launch waits for it */
	uint32_t first_write, nwrites; /* of the host */
};

struct ptx_thread_info {
	/* cta, warp, cluster: counted over all launches */
	uint32_t launch, cta, tid, warp, cluster;
	uint32_t first_helper, nhelpers; /* its asynchronous operations */
	uint32_t owner; /* of a helper: the thread that issues it; otherwise UINT32_MAX */
	/* values of registers with one definition that depend on no memory */
	struct ptx_state *fixed;
	/* [code->nsites] the address of a store if it is known statically, otherwise UINT64_MAX */
	uint64_t *site_address;
};

/* An asynchronous operation. It copies N pieces of SIZE bytes; bytes from take_bytes on are zeros.
 */
struct ptx_copy {
	uint32_t op, owner;
	uint8_t size, proxy, sem, scope;
	bool values; /* the source is kept[] (st.async, red.async) */
	bool reduces, signals, arrives;
	bool halves; /* reads the whole source before it writes */
	uint32_t n, take_bytes, tx;
	uint64_t awaits; /* ARRIVES: the issuer's operations that it waits for */
	uint16_t mask;   /* bytes to be copied of each 16 */
	uint64_t to, from, bar;
	/* progress */
	bool begun, old_known;
	uint8_t stage;
	uint32_t i, first; /* the current piece; the first one that is copied */
	uint64_t old, known, kept[PTX_COPY_KEPT];
};

struct ptx_client {
	struct machine *machine;
	const struct explore_options *options;
	/* launches, and writes of the host between them */
	struct ptx_launch launch[2 * PTX_MAX_LAUNCHES + 1];
	const struct explore_write *write;
	uint32_t nwrites;
	uint32_t nlaunches;
	struct ptx_thread_info *thread;
	size_t regs_bytes; /* the largest */
	/* size in bytes of the pieces of copies: the smallest access of other instructions */
	uint32_t granule;
	uint32_t nmain; /* threads that are not helpers */
	/* all that the threads may write, if it is known (ptx_find_written) */
	const struct range *written;
	uint32_t nwritten;
	bool written_known;
};

struct ptx_visit {
	uint64_t state;
	uint32_t events;
};

struct ptx_state {
	uint32_t pc, events, nvisits;
	uint32_t element; /* elements done so far of a vector access, a packed atom or st.bulk */
	bool half_done;   /* an atom's read has been returned; its write is next */
	bool low_known;   /* of a packed atom: the value that its low half read */
	uint16_t low;
	bool old_known, over;
	uint8_t open;     /* set of enum ptx_open: the sources of open values so far */
	uint32_t waited;  /* number of launches waited for */
	uint32_t choices; /* number of reads so far that had several candidates */
	/* proxies already fenced at the start of the launch; at its end */
	uint8_t entered, left;
	/* own asynchronous operations whose completion was waited for; whose reads were waited for
	 */
	uint64_t landed, fetched;
	/* number of committed groups; group of each operation */
	uint16_t group[2], group_of[PTX_MAX_ASYNC];
	uint8_t issued, kind_of[PTX_MAX_ASYNC];
	uint64_t old[2];
	struct ptx_visit visit[PTX_MAX_VISITS];
	uint64_t word[]; /* values; rows: known slots, slots that depend on reads; rounds of loops;
			  * row: known local bytes; local bytes; with has_open, rows: open slots,
			  * open local bytes (open values count as known, and are 0) */
};

/* The bench on which a step runs, in the explorer's scratch memory: the interpreter's structures,
 * set up for one thread. */
struct ptx_bench {
	struct warp warp;
	struct frame frame;
	struct cta cta;
	struct cluster cluster;
	uint32_t lane, mask;
	const struct ptx_code *code;
	const struct ptx_part *part; /* of the op that runs */
	struct ptx_copy copy;        /* the operation being issued */
	_Alignas(64) unsigned char regs[];
};

/* Makes the bench's structures refer to the registers and constants of PART. */
static inline void ptx_enter(struct ptx_bench *b, const struct ptx_part *part)
{
	b->part = part;
	b->warp.bank[0] = b->frame.regs = b->regs + part->regs_at;
	b->warp.bank[1] = code_constants(part->code, b->cta.cluster_rank);
	b->frame.code = part->code;
	b->frame.local_base = part->local_at;
}
size_t ptx_state_size(const struct ptx_client *c);
void ptx_begin(const struct explore_program *p, uint32_t thread, void *state);
/* explore_program.resume. */
void ptx_resume(const struct explore_program *p, uint32_t thread, void *state);
void ptx_step(const struct explore_program *p, uint32_t thread, void *state, struct action *a);
void ptx_answer(const struct explore_program *p, uint32_t thread, void *state, struct action *a);
uint64_t ptx_register(
	const struct explore_program *p, uint32_t thread, const void *state, uint32_t reg);
/* Fills thread.site_address and thread.fixed by running the ops that do not depend on memory.
 * SCRATCH as for ptx_step. */
void ptx_find_sites(
	const struct ptx_client *c, uint32_t thread, void *scratch, struct arena *arena);

/* Adjusts quiet_mbarriers and ptx_op.quiet of a launch: the order of arrivals on mbarriers matters
 * unless every wait on an mbarrier does nothing but wait. */
void ptx_check_waits(
	const struct ptx_client *c, uint32_t launch, void *scratch, struct arena *arena);

/* explore_program.asks_again. */
bool ptx_asks_again(const struct explore_program *p, uint32_t thread, uint32_t place,
	const uint64_t value[2], void *scratch);

/* Parts of a step: sets up the bench for THREAD; copies the values of S into it and back; runs an
 * op of class PTX_REGISTERS unconditionally, or according to which inputs are known; whether the
 * guard holds. */
void ptx_set_up(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b);
void ptx_unpack(struct ptx_bench *b, const struct ptx_state *s);
void ptx_pack(const struct ptx_bench *b, struct ptx_state *s);
void ptx_compute(struct ptx_bench *b, const struct op *op);
void ptx_registers(const struct ptx_client *c, struct ptx_bench *b, struct ptx_state *s,
	const struct op *op, const struct ptx_op *o, bool guard_known);
bool ptx_guard_holds(const struct ptx_bench *b, const struct op *op);

/* memory.c: the memory op at s->pc. False: A is its next event or a stop; true: it made no event,
 * continue stepping. */
bool ptx_memory(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a);
void ptx_memory_answer(struct ptx_bench *b, struct ptx_state *s, const struct action *a);
/* Resolves an address in SPACE: *WHERE is W_global or W_shared (*PHYS: the explorer's address), or
 * W_local, W_param or W_const (*PHYS: offset or address). False: it is invalid. */
bool ptx_resolve(const struct ptx_client *c, uint32_t thread, uint16_t space, uint64_t address,
	unsigned bytes, bool write, uint16_t *where, uint64_t *phys);
/* Whether PHYS, in shared memory, is in that of the thread's own CTA: the only one that an
 * instruction with .shared or .shared::cta may access (PTX ISA 5.1.7). */
bool ptx_is_own(const struct ptx_client *c, uint32_t thread, uint64_t phys);
/* What a thread does that accesses another one. */
#define PTX_NOT_OWN "an address of another CTA in an instruction with .shared"

/* Writes N bytes at AT in the thread's local memory. */
void ptx_local_put(struct ptx_bench *b, struct ptx_state *s, uint32_t at, const void *bytes,
	uint32_t n, bool known, bool open);
/* st.bulk at s->pc. False: A is its next write or a stop; true: it is complete. */
bool ptx_bulk_store(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a);

/* sync.c: mbarrier, barrier.cluster and exchanges between lanes. False: the thread stops. */
bool ptx_synchronise(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a);
void ptx_mbarrier_answer(
	const struct ptx_client *c, struct ptx_bench *b, struct ptx_state *s, struct action *a);
void ptx_collective_answer(struct ptx_bench *b, struct ptx_state *s, const struct action *a);

/* Barrier objects: the kind; the number of the CTA, warp, launch, cluster or helper; a barrier
 * number, membermask or instruction. */
enum ptx_object_kind {
	OBJECT_BARRIER = 1,
	OBJECT_WARP,
	OBJECT_EXCHANGE,
	OBJECT_LAUNCH,
	OBJECT_CLUSTER,
	OBJECT_COPY,
	OBJECT_TOGETHER
};
static inline uint64_t ptx_object(enum ptx_object_kind kind, uint64_t which, uint32_t detail)
{
	return (uint64_t)kind << 60 | which << 32 | detail;
}
static inline enum ptx_object_kind ptx_object_kind(uint64_t object)
{
	return (enum ptx_object_kind)(object >> 60);
}
static inline uint32_t ptx_object_which(uint64_t object)
{
	return (uint32_t)(object >> 32) & 0x0fffffff;
}

/* The rows that follow the values in a state. */
static inline uint64_t *ptx_known(const struct ptx_code *c, struct ptx_state *s)
{
	return s->word + c->state_words;
}
static inline uint64_t *ptx_read(const struct ptx_code *c, struct ptx_state *s)
{
	return ptx_known(c, s) + c->slot_words;
}
/* Rounds of a loop that depended on a read: those in which some read had a choice, and those in
 * which none had; state.choices at the last visit of its head; whether a read has decided since
 * then to stay in the loop. */
struct ptx_rounds {
	uint16_t chosen, forced;
	uint32_t choices : 31, decided : 1;
};
static inline struct ptx_rounds *ptx_rounds(const struct ptx_code *c, struct ptx_state *s)
{
	return (struct ptx_rounds *)(void *)(ptx_read(c, s) + c->slot_words);
}
static inline uint64_t *ptx_local_known(const struct ptx_code *c, struct ptx_state *s)
{
	return (uint64_t *)(void *)(ptx_rounds(c, s) + c->nheads);
}
static inline uint8_t *ptx_local(const struct ptx_code *c, struct ptx_state *s)
{
	return (uint8_t *)(ptx_local_known(c, s) + c->local_bytes / 64 + 1);
}
static inline uint64_t *ptx_open(const struct ptx_code *c, struct ptx_state *s)
{
	return (uint64_t *)(void *)(ptx_local(c, s) + (c->local_bytes / 8 + 1) * 8);
}
static inline uint64_t *ptx_local_open(const struct ptx_code *c, struct ptx_state *s)
{
	return ptx_open(c, s) + c->slot_words;
}

/* Mixes V into hash H. */
static inline uint64_t ptx_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ h >> 29;
}

static inline bool ptx_place_known(const struct ptx_bench *b, struct ptx_state *s, uint32_t place)
{
	uint16_t slot = ptx_slot_at(b->part, place);
	return slot == PTX_NO_SLOT || row_has(ptx_known(b->code, s), slot);
}
static inline bool ptx_place_read(const struct ptx_bench *b, struct ptx_state *s, uint32_t place)
{
	uint16_t slot = ptx_slot_at(b->part, place);
	return slot != PTX_NO_SLOT && row_has(ptx_read(b->code, s), slot);
}
static inline bool ptx_place_open(const struct ptx_bench *b, struct ptx_state *s, uint32_t place)
{
	uint16_t slot = ptx_slot_at(b->part, place);
	return b->code->has_open && slot != PTX_NO_SLOT && row_has(ptx_open(b->code, s), slot);
}
static inline void ptx_mark_slot(
	const struct ptx_bench *b, struct ptx_state *s, uint16_t slot, bool known, bool read)
{
	row_drop(ptx_known(b->code, s), slot);
	row_drop(ptx_read(b->code, s), slot);
	if (b->code->has_open)
		row_drop(ptx_open(b->code, s), slot);
	if (known)
		row_put(ptx_known(b->code, s), slot);
	if (read)
		row_put(ptx_read(b->code, s), slot);
}
static inline void ptx_mark(
	const struct ptx_bench *b, struct ptx_state *s, uint32_t place, bool known, bool read)
{
	uint16_t slot = ptx_slot_at(b->part, place);
	if (slot != PTX_NO_SLOT)
		ptx_mark_slot(b, s, slot, known, read);
}

#endif
