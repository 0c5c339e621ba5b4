/* What is kept of a run for its picture. Internal to trace_record.c and
 * trace_picture.c. */
#ifndef PTXI_TRACE_TRACE_RECORD_H
#define PTXI_TRACE_TRACE_RECORD_H
#include "base/map.h"
#include "base/vec.h"
#include "picture/chart.h"
#include "trace/trace_state.h"

/* An event, without pointers into what a later event may change. */
struct shot {
	uint64_t seq; /* order */
	uint8_t kind; /* enum trace_kind */
	uint8_t outcome, sem, scope, object_kind;
	bool last;    /* WAIT_ENDS: of its lanes; EXIT: of the warp's lanes; LANDED: of the copy */
	bool by_copy; /* caused by a copy that landed */
	bool fault;   /* a finding's place where nothing was recorded */
	bool atomic;
	uint16_t space, rank;
	uint32_t cta, warp, insn, user_call, mask; /* CTA: its number in the trace */
	uint32_t object_cta, object_number, arrived, expected;
	uint32_t wait; /* WAIT_BEGINS, WAIT_ENDS: the wait */
	uint64_t linear, object_linear, phase, word, count, copy, bytes;
	uint32_t lane; /* whose address is shown */
	uint64_t address[LANES];
	struct launch *launch;
};

/* A finding of this run, and the events at its two places. */
struct found {
	const struct diag *diag;
	bool has[2];
	bool next; /* the first is the event that comes now */
	struct shot at[2];
};

enum { SHOTS_FIRST = 4096, SHOTS_LAST = 4096, FOUND = 8 };

struct recording {
	const char *name;   /* of the case */
	uint64_t runs, run; /* of the case; of them, the current one, from 0 */
	uint64_t seq;
	uint32_t waits;
	VEC(struct shot) first; /* the first events */
	VEC(struct shot) last;  /* a ring of the last ones; NEXT: the oldest of them */
	uint32_t next;
	uint64_t lost; /* between the two */
	/* the last weak access of each instruction of each warp: key -> index in WEAK */
	struct map weak_at;
	VEC(struct shot) weak;
	VEC(struct found) found;
	unsigned known; /* records of the machine that were there before, or are in FOUND */
	unsigned more;  /* findings that are not */
	struct drawing kept;
	bool has_kept, kept_findings;
};

/* A run begins. */
void record_begins(struct trace *t);
/* Notes the findings since the last call, and their places. E: the event that comes now. */
void record_findings(struct trace *t, const struct trace_event *e);
void record_add(struct trace *t, const struct trace_event *e);
/* All shots in order: [*N] pointers, to be freed by the caller. */
const struct shot **record_shots(const struct recording *r, uint32_t *n);

#endif
