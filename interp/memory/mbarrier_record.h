/* The mbarriers in a CTA's shared memory: state beyond their 64 bits, and which threads arrived,
 * for findings and for the report of a deadlock.
 *
 * A wait for a parity is stale when it returns true at once, for a phase that the thread had
 * already waited for, or before the first phase completes: the thread did not wait for what the
 * program meant. */
#ifndef PTXI_INTERP_MBARRIER_RECORD_H
#define PTXI_INTERP_MBARRIER_RECORD_H
#include "interp/state/keeper.h"
#include "interp/state/state.h"

enum { MBARRIER_ARRIVALS = 12 };
#define MBARRIER_ORDERED UINT32_MAX

/* The lanes of one warp that arrived at one instruction in the current phase. */
struct mbarrier_arrival {
	const struct cta *cta;
	uint32_t warp, mask, insn, count;
	uint32_t user_call; /* of the frame (state.h), as below */
	uint8_t async;      /* arrived when cp.async operations completed */
};

struct mbarrier_record {
	uint32_t offset;
	bool live;     /* initialised and not invalidated */
	bool was_live; /* at any time */
	uint32_t init_insn, init_call, init_count, inval_insn;
	/* the thread that initialised it, and the CTA's order_epoch() at that time;
	 * MBARRIER_ORDERED: the CTA has synchronised since */
	uint32_t init_thread, init_epoch;
	/* number (order_next) of the first release beyond the CTA after the initialisation; 0:
	 * none */
	uint32_t init_released;
	uint64_t phase;
	/* some wait has found all phases below this number complete */
	uint64_t seen;
	uint64_t word;                      /* the object as the last operation left it */
	uint64_t expected_tx, delivered_tx; /* in the current phase */
	uint32_t expect_insn, expect_call;
	/* the finding that its phases are out of step, or NULL: it explains a later hang */
	struct diag *skewed;
	/* a stale wait; IR_NONE: none */
	uint32_t stale_insn, stale_call, stale_thread;
	/* the diagnostic that names the stale wait, or NULL: consequences are added to it */
	struct diag *told;
	uint64_t stale_phase;    /* UINT64_MAX: before the first phase */
	bool twice;              /* some thread arrived twice in one phase */
	uint32_t arrivals, more; /* entries of arrival[] in use; arrivals beyond its size */
	struct mbarrier_arrival arrival[MBARRIER_ARRIVALS];
	/* per warp of the CTA: lanes that arrived in this phase, and in any */
	uint32_t now[MAX_WARPS], ever[MAX_WARPS];
	uint32_t dropped[MAX_WARPS]; /* per warp: lanes that arrived by arrive_drop */
};

/* The record of the object at OFFSET of C, or NULL. Valid until the next one is made. */
struct mbarrier_record *mbarrier_find(struct cta *c, uint32_t offset);
/* The same; the record must exist. */
struct mbarrier_record *mbarrier_known(struct cta *c, uint32_t offset);
/* The same; creates the record if there is none. */
struct mbarrier_record *mbarrier_make(struct cta *c, uint32_t offset);
/* All records of C; *N gets their number. */
struct mbarrier_record *mbarrier_all(struct cta *c, uint32_t *n);
/* The object of the last successful wait of lane LANE of W if that wait was stale, else NULL. */
struct mbarrier_record *mbarrier_stale(const struct warp *w, unsigned lane);
/* Requires machine.fault_lock. Adds the stale wait on R to D, a diagnostic about W that follows
 * from it. */
void mbarrier_tell(const struct warp *w, struct mbarrier_record *r, struct diag *d);
/* Requires machine.fault_lock. Notes in D that CODE at instruction INSN has the same cause. */
void mbarrier_tell_more(struct machine *m, struct diag *d, enum diag_code code, uint32_t insn);
/* A finding that may follow from a stale wait on R: the first for each such wait names it,
 * further ones become notes there. R NULL: an ordinary finding. */
void mbarrier_finding(struct warp *w, const struct op *op, unsigned lane, struct mbarrier_record *r,
	enum diag_code code, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Appends to T the stale wait on R. */
void mbarrier_describe_stale(const struct warp *w, const struct mbarrier_record *r, struct text *t);

extern const struct keeper mbarrier_keeper;

#endif
