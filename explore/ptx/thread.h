/* One thread of a PTX program: its state, and running it to its next event. */
#ifndef PTXI_EXPLORE_PTX_THREAD_H
#define PTXI_EXPLORE_PTX_THREAD_H
#include "explore/ptx/code.h"
#include "interp/state/cluster.h"

/* Shared memory of CTA number C (over all launches) lies at PTX_SHARED + C * PTX_SHARED_STEP in the
 * explorer's physical addresses. */
#define PTX_SHARED (UINT64_C(1) << 50)
#define PTX_SHARED_STEP (UINT64_C(1) << 24)
enum {
	PTX_MOST_VISITS = 8,
	PTX_MOST_THREADS = 1024,
	PTX_MOST_ASYNC = 64,
	PTX_MOST_HELPERS = 512,
	PTX_COPY_KEPT = 64
};

struct ptx_launch {
	struct launch *launch; /* NULL: writes of the host */
	struct ptx_code *code;
	uint32_t first_thread, nthreads, first_cta;
	uint32_t after;                /* set of launches that must be over before */
	bool awaited;                  /* some launch comes after it */
	uint32_t first_write, nwrites; /* the host's */
};

struct ptx_thread_info {
	uint32_t launch, cta, tid, warp, cluster; /* cta, warp, cluster: over all launches */
	uint32_t first_helper, nhelpers;          /* its asynchronous operations */
	uint32_t owner;                           /* of a helper: who issues it; else UINT32_MAX */
	struct ptx_state *fixed; /* registers that have one definition and depend on no memory */
	/* [code->nsites] where a store goes when that is known without running, else UINT64_MAX */
	uint64_t *site_address;
};

/* An asynchronous operation. What it copies lies in N pieces of SIZE bytes, from byte take_bytes on
 * it is zeros. */
struct ptx_copy {
	uint32_t op, owner;
	uint8_t size, proxy, sem, scope;
	bool values; /* the source is kept[] (st.async, red.async) */
	bool reduces, signals, arrives;
	bool halves; /* reads everything, then writes */
	uint32_t n, take_bytes, tx;
	uint64_t awaits; /* ARRIVES: the issuer's operations that come before */
	uint16_t mask;   /* of each 16 bytes, those that are copied */
	uint64_t to, from, bar;
	/* how far it is */
	bool begun, old_known;
	uint8_t stage;
	uint32_t i, first; /* the piece that it is at; the first that is copied */
	uint64_t old, known, kept[PTX_COPY_KEPT];
};

struct ptx_client {
	struct machine *machine;
	const struct explore_options *options;
	/* launches and what the host writes between them */
	struct ptx_launch launch[2 * PTX_MOST_LAUNCHES + 1];
	const struct explore_write *write;
	uint32_t nwrites;
	uint32_t nlaunches;
	struct ptx_thread_info *thread;
	size_t regs_bytes; /* the largest */
	/* bytes that copies are cut into: the least that other instructions access */
	uint32_t granule;
	uint32_t nmain; /* threads that are no helpers */
};

struct ptx_visit {
	uint64_t state;
	uint32_t events;
};

struct ptx_state {
	uint32_t pc, events, nvisits;
	uint32_t element; /* of a vector access, a packed atom or st.bulk: done so far */
	bool half_done;   /* an atom's read is out */
	bool low_known;   /* of a packed atom: what its low half read */
	uint16_t low;
	bool old_known, over;
	uint8_t open;     /* set of enum ptx_open: where values came from that may be anything */
	uint32_t waited;  /* launches waited for */
	uint32_t choices; /* reads so far that had several writes to read from */
	/* proxies that were made to see what came before the launch; whose accesses what comes
	 * after it sees */
	uint8_t entered, left;
	/* own asynchronous operations waited for; whose reading was waited for */
	uint64_t landed, fetched;
	uint16_t group[2], group_of[PTX_MOST_ASYNC]; /* groups committed; of each operation */
	uint8_t issued, kind_of[PTX_MOST_ASYNC];
	uint64_t old[2];
	struct ptx_visit visit[PTX_MOST_VISITS];
	uint64_t word[]; /* values; known slots; slots that come from reads; rounds of loops; known
			  * local bytes; local bytes; where there are such, slots and local bytes
			  * that may be anything (they count as known, and are 0) */
};

/* What a step works with, in the explorer's scratch: the interpreter's structures, set up for one
 * thread. */
struct ptx_bench {
	struct warp warp;
	struct frame frame;
	struct cta cta;
	struct cluster cluster;
	uint32_t lane, mask;
	const struct ptx_code *code;
	const struct ptx_part *part; /* of the op that runs */
	struct ptx_copy copy;        /* what is being issued */
	_Alignas(64) unsigned char regs[];
};

/* Makes PART the one whose registers and constants the bench's structures show. */
static inline void ptx_enter(struct ptx_bench *b, const struct ptx_part *part)
{
	b->part = part;
	b->warp.bank[0] = b->frame.regs = b->regs + part->regs_at;
	b->warp.bank[1] = part->code->constant;
	b->frame.code = part->code;
	b->frame.local_base = part->local_at;
}
size_t ptx_state_size(const struct ptx_client *c);
void ptx_begin(const struct explore_program *p, uint32_t thread, void *state);
void ptx_step(const struct explore_program *p, uint32_t thread, void *state, struct action *a);
void ptx_answer(const struct explore_program *p, uint32_t thread, void *state, struct action *a);
uint64_t ptx_register(
	const struct explore_program *p, uint32_t thread, const void *state, uint32_t reg);
/* Fills thread.site_address by running what does not depend on memory. SCRATCH as for ptx_step. */
void ptx_find_sites(
	const struct ptx_client *c, uint32_t thread, void *scratch, struct arena *arena);

/* Of a launch: unless every wait of an mbarrier does nothing but wait, the order of arrivals
 * matters (quiet_mbarriers, ptx_op.quiet). */
void ptx_check_waits(
	const struct ptx_client *c, uint32_t launch, void *scratch, struct arena *arena);

/* explore_program.asks_again. */
bool ptx_asks_again(const struct explore_program *p, uint32_t thread, uint32_t place,
	const uint64_t value[2], void *scratch);

/* Parts of a step: the bench for THREAD; the values of S into it and back; an op of class
 * PTX_REGISTERS, in any case or with what is known of its inputs; the guard. */
void ptx_set_up(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b);
void ptx_unpack(struct ptx_bench *b, const struct ptx_state *s);
void ptx_pack(const struct ptx_bench *b, struct ptx_state *s);
void ptx_compute(struct ptx_bench *b, const struct op *op);
void ptx_registers(const struct ptx_client *c, struct ptx_bench *b, struct ptx_state *s,
	const struct op *op, const struct ptx_op *o, bool guard_known);
bool ptx_guard_holds(const struct ptx_bench *b, const struct op *op);

/* ptx_memory.c: the memory op at s->pc: the next event of it, or moves on (true: go on
 * stepping). */
bool ptx_memory(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a);
void ptx_memory_answer(struct ptx_bench *b, struct ptx_state *s, const struct action *a);
/* Where an address of SPACE leads: W_global, W_shared (PHYS is the explorer's address), W_local,
 * W_param, W_const (PHYS: offset or address). False: nowhere. */
bool ptx_resolve(const struct ptx_client *c, uint32_t thread, uint16_t space, uint64_t address,
	unsigned bytes, bool write, uint16_t *where, uint64_t *phys);

/* N bytes of the thread's local memory at AT. */
void ptx_local_put(struct ptx_bench *b, struct ptx_state *s, uint32_t at, const void *bytes,
	uint32_t n, bool known, bool open);
/* st.bulk at s->pc: its next write, or a stop; true: it has none left. */
bool ptx_bulk_store(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a);

/* ptx_sync.c: mbarrier, barrier.cluster and lanes together: false when the thread stops there. */
bool ptx_synchronise(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a);
void ptx_mbarrier_answer(struct ptx_bench *b, struct ptx_state *s, struct action *a);
void ptx_collective_answer(struct ptx_bench *b, struct ptx_state *s, const struct action *a);

/* Barrier objects: what kind, which CTA, warp, launch or cluster, and a number, membermask or
 * instruction. */
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

/* Rows behind the values of a state. */
static inline uint64_t *ptx_known(const struct ptx_code *c, struct ptx_state *s)
{
	return s->word + c->state_words;
}
static inline uint64_t *ptx_read(const struct ptx_code *c, struct ptx_state *s)
{
	return ptx_known(c, s) + c->slot_words;
}
/* A loop's rounds: those that a read decided and in which a read had a choice; those that a read
 * decided, but none had; the state's choices at its head; and whether since then a read has decided
 * to stay. */
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

/* Goes on with hash H. */
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
