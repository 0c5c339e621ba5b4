/* Asynchronous operations under way: issued by an instruction, landed later, when somebody waits
 * for them, when nobody else gets on, or when the chooser says so; never at once, so that a program
 * that forgets to wait sees stale bytes. With the default chooser they land as late as they can,
 * all together, oldest first. (PTX ISA 9.7.9.25)
 *
 * Addresses are checked when the instruction executes; source bytes are read when the operation
 * lands (or when .read is waited for), so writing them too early shows. */
#ifndef PTXI_INTERP_ASYNC_H
#define PTXI_INTERP_ASYNC_H
#include "interp/sync/sync.h"

enum copy_kind {
	COPY_CP,     /* cp.async: of the thread's groups */
	COPY_ARRIVE, /* cp.async.mbarrier.arrive: after all earlier COPY_CP of its lane */
	/* cp.async.bulk, cp.reduce.async.bulk, that completes transactions of an mbarrier */
	COPY_BULK,
	COPY_GROUP,  /* the same, of the thread's bulk groups */
	COPY_VALUE,  /* st.async, red.async: of a value; with an mbarrier, or .global without one */
	COPY_CANCEL, /* clusterlaunchcontrol.try_cancel: a 16-byte answer */
};

/* What one lane asked for; a multicast copy has one for each destination. */
struct copy_part {
	uint8_t lane;
	bool landed, fetched;
	bool signals;       /* completes `bytes` transactions of `bar` */
	uint16_t byte_mask; /* cp_mask: of each 16 bytes, those that are copied */
	uint32_t bytes;     /* written */
	uint32_t take;      /* of these from the source, the rest is zero (cp.async) */
	uint32_t group;
	struct sync_place to, from, bar;
	uint64_t value[4];
	unsigned char *data;    /* source bytes read already; NULL */
	struct weak_view *view; /* the sampler's own: what it may read; NULL */
};

struct copy {
	struct copy *next;
	struct warp *warp;
	/* operation and type of reductions are its */
	const struct op *op;
	uint64_t number;       /* in the cluster, from 0 */
	uint8_t kind;          /* enum copy_kind */
	uint32_t nparts, left; /* left: parts not landed */
	/* what destinations and sources lie between */
	const uint8_t *low, *high, *from_low, *from_high;
	struct copy_part part[];
};

/* A new operation of N parts at the end of W's cluster's queue; the caller fills the parts, then
 * calls async_issued(). NULL: too many are under way and a fault arose when some were landed to
 * make room. */
struct copy *async_issue(struct warp *w, const struct op *op, enum copy_kind kind, uint32_t n);
void async_issued(struct copy *c);
/* One operation lands, or all, as the chooser says. False: there is none, or a fault arose. */
bool async_progress(struct machine *m, struct cluster *k);
/* The chooser may let one land. */
void async_chance(struct machine *m, struct cluster *k);
/* All that the lanes of MASK have in groups of WHICH (0: cp.async, 1: bulk) that are older than the
 * KEEP last committed ones land; ALL: those not committed too. READ: only their sources need be
 * read. False after a fault. */
bool async_wait(struct warp *w, const struct op *op, uint32_t mask, unsigned which, uint64_t keep,
	bool all, bool read);
/* Whether C completes transactions of the mbarrier at OFFSET of T. */
bool async_completes(const struct copy *c, const struct cta *t, uint32_t offset);
/* Everything lands: the cluster has ended. */
void async_drain(struct machine *m, struct cluster *k);
/* The source line of OP. */
uint32_t async_line(struct machine *m, const struct op *op);
/* Frees what is left of a cluster after a fault, with which it ends. */
void async_free(struct cluster *k);

#endif
