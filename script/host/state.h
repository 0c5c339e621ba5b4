/* A case that is running: what the files share that carry it out and judge it. */
#ifndef PTXI_SCRIPT_HOST_STATE_H
#define PTXI_SCRIPT_HOST_STATE_H
#include "script/lang/args.h"
#include "script/host/host.h"
#include "script/verdict/judge.h"

/* Memory of one object as the host last read it: SIZE bytes from FIRST on. */
struct snapshot {
	unsigned char *bytes, *defined;
	uint64_t first, size;
	bool unreadable;
};

/* A case that is running. */
struct host {
	const struct host_request *request;
	struct report *report;
	/* where outcomes and conditions are gathered: the report, or the one of all runs */
	struct report *outcomes;
	struct run_options options;
	struct backend backend;
	struct args_context args;
	struct snapshot *snapshot; /* by object */
	bool queued;               /* something is not waited for yet */
	bool stopped;              /* nothing more is launched */
	bool broken;               /* a line could not be carried out */
	uint64_t looks;            /* elements read */
	bool late;                 /* time was over outside of kernels, or the user interrupted */
	const struct stmt *at;     /* the line that is carried out */
};

/* --- the machine under it (host_machine.c) --- */

/* Waits for all that is queued; false when the machine has stopped, now or before. */
bool host_sync(struct host *h);
/* Whether the machine has ended with a finding that says why, so that its memory cannot be read:
 * the host has then no more to say. */
bool host_lost(struct host *h);
/* What was read of objects holds no longer. */
void host_forget(struct host *h);
/* Whether the time is over or the user wants an end; says so the first time. */
bool host_late(struct host *h);

/* What came until now, with memory as it is now. */
struct evidence host_evidence(struct host *h);

/* --- executions (host.c, many.c, seeds.c) --- */

/* One execution. OUTCOME: the state at its end is an outcome, too. */
void host_execute(struct host *h, bool outcome);
/* RUNS executions with seeds one after another; the first with findings lends them to the
 * report. */
void host_execute_many(struct host *h, uint64_t runs);
/* The case again under other schedules and memories, unless it asks for one itself; what only these
 * find goes to the report. */
void host_execute_seeds(struct host *h);

#endif
