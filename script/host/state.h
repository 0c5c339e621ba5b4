/* The state of a running case, shared by the files that execute and judge it. */
#ifndef PTXI_SCRIPT_HOST_STATE_H
#define PTXI_SCRIPT_HOST_STATE_H
#include "script/lang/args.h"
#include "script/host/host.h"
#include "script/verdict/judge.h"

/* Memory of one object as last read by the host: SIZE bytes starting at byte FIRST. */
struct snapshot {
	unsigned char *bytes, *defined;
	uint64_t first, size;
	bool unreadable;
};

struct host {
	const struct host_request *request;
	struct report *report;
	/* where outcomes and conditions are collected: this report, or that of all runs */
	struct report *outcomes;
	struct run_options options;
	struct backend backend;
	struct args_context args;
	struct snapshot *snapshot; /* by object */
	bool queued;               /* work is queued that has not been waited for */
	bool stopped;              /* nothing more runs on the machine */
	bool broken;               /* a directive could not be executed */
	uint64_t looks;            /* elements read */
	bool late; /* the time limit passed outside of kernels, or the user interrupted */
	const struct stmt *at; /* the directive being executed */
};

/* --- the machine (machine.c) --- */

/* Waits for all queued work. False if the machine has stopped, now or earlier. */
bool host_sync(struct host *h);
/* Whether the machine has ended with a finding and its memory can no longer be read. The host then
 * reports no error of its own. */
bool host_lost(struct host *h);
/* Discards the snapshots, because memory may have changed. */
void host_drop_snapshots(struct host *h);
/* Whether the time limit has passed or the user has interrupted; reports it the first time. */
bool host_late(struct host *h);

/* The findings and output so far, with the current state of memory. */
struct evidence host_evidence(struct host *h);

/* --- executions (execute.c, many.c, seeds.c) --- */

/* One execution. OUTCOME: also record its final state as an outcome. */
void host_execute(struct host *h, bool outcome);
/* RUNS executions with consecutive seeds. The report gets the findings of the first execution that
 * has any. */
void host_execute_many(struct host *h, uint64_t runs);
/* Runs the case again under other schedules and memory modes, unless the case chooses one itself,
 * and adds what only these runs find to the report. */
void host_execute_seeds(struct host *h);

#endif
