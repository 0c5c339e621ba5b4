/* Asynchronous operations in flight: issued by an instruction, completed ("landed") later: when
 * a thread waits for them, when no thread can make progress, or when the chooser decides so. They
 * never land at once, so a program that forgets to wait sees stale bytes. With the default
 * chooser they land as late as possible, all together, oldest first. (PTX ISA 9.7.10.28)
 *
 * Addresses are checked when the instruction executes. Source bytes are read when the operation
 * lands (or on a wait with .read), so a source that is overwritten too early shows. */
#ifndef PTXI_INTERP_ASYNC_H
#define PTXI_INTERP_ASYNC_H
#include "interp/state/keeper.h"
#include "interp/sync/sync.h"

enum copy_kind {
	COPY_CP,     /* cp.async: in the thread's cp.async groups */
	COPY_ARRIVE, /* cp.async.mbarrier.arrive: after all earlier COPY_CP of its lane */
	/* cp.async.bulk, cp.reduce.async.bulk with an mbarrier that counts their bytes */
	COPY_BULK,
	COPY_GROUP, /* the same, in the thread's bulk groups */
	/* st.async, red.async: a register value; with an mbarrier, or to .global without one */
	COPY_VALUE,
	COPY_CANCEL, /* clusterlaunchcontrol.try_cancel: a 16-byte response */
	/* wgmma.mma_async: what it reads, which it has read already; in the warp's groups of wgmma
	 */
	COPY_WGMMA,
	/* tcgen05.mma, .cp: what it has read already; it lands with a COPY_COMMIT */
	COPY_TENSOR,
	COPY_COMMIT, /* tcgen05.commit: after all earlier COPY_TENSOR of its lane */
};
enum groups { GROUPS_CP, GROUPS_BULK, GROUPS_WGMMA, GROUPS_COUNT };

/* The operation of one lane; a multicast copy has one part per destination. */
struct copy_part {
	uint8_t lane;
	bool landed, fetched;
	bool signals;        /* completes transactions of `bar` */
	uint8_t left, right; /* .ignore_oob: bytes at the two ends that are not read */
	uint16_t byte_mask;  /* .cp_mask: which of each 16 bytes are copied */
	uint32_t bytes;      /* written */
	uint32_t completes;  /* transactions; 0: as many as bytes */
	uint16_t fill;       /* tensor copies: what the bytes after `take` become */
	/* bytes read from the source, after `left`; those that follow are filled, up to `right`
	 * (cp.async: with zero) */
	uint32_t take;
	uint32_t group;
	struct sync_place to, from, bar;
	uint64_t value[4];
	unsigned char *data;    /* source bytes that were read before landing, or NULL */
	struct weak_view *view; /* owned by the sampler: what the copy may read; or NULL */
};

struct copy {
	struct copy *next;
	struct warp *warp;
	const struct op *op;   /* has the operation of a reduction */
	uint8_t type, element; /* of a reduction: enum type, its bytes */
	/* tensor copies: to tf32; subnormals of a reduction count as zero */
	bool rounds, flushes;
	uint64_t map;          /* tensor copies: the address of the tensor map */
	uint32_t user_call;    /* of the frame that issued it */
	uint64_t number;       /* in the cluster, in order of issue from 0 */
	uint8_t kind;          /* enum copy_kind */
	uint32_t nparts, left; /* left: parts that have not landed */
	/* host address ranges that enclose all destinations and all sources */
	const uint8_t *low, *high, *from_low, *from_high;
	struct copy_part part[];
};

/* Appends an operation of N parts to the queue of W's cluster; the caller fills the parts, then
 * calls async_issued(). NULL after a fault: too many operations were in flight, and landing the
 * oldest failed. */
struct copy *async_issue(struct warp *w, const struct op *op, enum copy_kind kind, uint32_t n);
void async_issued(struct copy *c);
/* Cancels C after a fault: none of it will land. */
void async_cancel(struct copy *c);
/* Checks that part P of a copy may use its mbarrier. */
void async_check_bar(struct warp *w, const struct op *op, unsigned lane, const struct copy_part *p);
/* Turns N parts of a multicast into those for the CTA of rank RANK. False after a fault. */
bool async_to_cta(struct warp *w, const struct op *op, unsigned lane, struct copy_part *p,
	uint32_t n, uint32_t rank);
/* [LANES] the number of the group that each lane of W is filling, of kind WHICH (enum
 * groups). async_commit() closes it for the lanes of MASK. */
const uint32_t *async_filling(struct warp *w, unsigned which);
void async_commit(struct warp *w, unsigned which, uint32_t mask);
/* [LANES] each lane has waited for its groups of WHICH below this number. Valid only after W's
 * first wait. */
const uint32_t *async_waited(const struct warp *w, unsigned which);
/* The oldest operation in flight; the others follow by `next`. NULL: none. */
const struct copy *async_first(const struct cluster *k);
/* The operation that is landing now: events reported meanwhile are its effects. NULL: none. */
const struct copy *async_landing(const struct cluster *k);
/* Lands one operation or all, as the chooser decides. False when there is none, or after a fault.
 */
bool async_progress(struct machine *m, struct cluster *k);
/* Lands an operation if the chooser decides so. */
void async_maybe_land(struct machine *m, struct cluster *k);
/* Waits, for the lanes of MASK, for all groups of WHICH but the KEEP most recently committed
 * ones; ALL: for uncommitted operations too. READ: only until the sources have been read. False
 * after a fault. */
bool async_wait(struct warp *w, const struct op *op, uint32_t mask, unsigned which, uint64_t keep,
	bool all, bool read);
/* Whether C completes transactions of the mbarrier at OFFSET in T's shared memory. */
bool async_completes(const struct copy *c, const struct cta *t, uint32_t offset);
/* Lands everything: the cluster has exited. */
void async_drain(struct machine *m, struct cluster *k);

extern const struct keeper async_keeper;

#endif
