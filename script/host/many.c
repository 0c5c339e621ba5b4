/* Many runs of a case with consecutive seeds, spread over host threads. Each thread takes chunks of
 * runs; the chunks' reports are joined in order, so that the result does not depend on the number
 * of threads. Each run then uses one host thread. */
#include "base/lock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "script/host/state.h"
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16, KEPT = 16 << 20, CHUNK_KEPT = 1 << 20, KEEPING = 64 };

struct chunk {
	struct report report; /* unused in the first chunk, which writes to the host's report */
	bool made, broken;
};

struct many {
	struct host *host;
	uint64_t runs, chunks, next;
	uint64_t last; /* chunks after this one are not needed: one of its runs ended early */
	struct chunk *chunk;
	pthread_mutex_t lock;
};

static bool many_interrupted(const struct host *h)
{
	const _Atomic int *flag = h->options.machine.interrupted;

	return flag && *flag;
}

/* Runs FIRST to END - 1 and collects their results in WHOLE. False after a run that ended early. */
static bool many_run_some(
	const struct host *h, struct report *whole, uint64_t first, uint64_t end, bool *broken)
{
	for (uint64_t k = first; k < end; k++) {
		struct host one = *h;
		struct report *r = k == first ? whole : memory_zeroed(1, sizeof *r);

		one.report = r;
		one.options.machine.seed += k;
		one.outcomes = whole;
		host_execute(&one, true);
		*broken |= one.broken;
		if (h->request->ran)
			h->request->ran(h->request->self);
		/* a run that the user interrupted has no outcome, and is not one of the runs */
		whole->executions += !(many_interrupted(h) && r->ended == MACHINE_BUDGET);
		if (r != whole) {
			report_merge(whole, r);
			report_free(r);
			memory_drop(r);
		}
		if (one.broken || whole->ended != MACHINE_DONE)
			return false;
	}
	return true;
}

/* Runs one chunk with its own copy of the objects, whose addresses a run stores, and its own
 * outcomes and conditions. */
static void many_run_chunk(struct many *m, uint64_t number)
{
	struct chunk *c = &m->chunk[number];
	struct host h = *m->host;
	struct host_request request = *h.request;
	struct script_case in = *request.in;
	struct report *r = number ? &c->report : m->host->report;
	uint64_t first = number * CHUNK, end = first + CHUNK < m->runs ? first + CHUNK : m->runs;
	bool all;

	/* printed texts are kept until the end, so only the first chunks keep any */
	r->keep = !number ? KEPT : number < KEEPING ? CHUNK_KEPT : 0;
	if (number) {
		const struct report *like = m->host->report;

		r->state = like->state;
		r->state_part = like->state_part;
		r->nstate = like->nstate;
		for (uint32_t k = 0; k < like->conditions.count; k++) {
			struct judged_condition *to = vec_push(&r->conditions);

			*to = like->conditions.data[k];
			to->holds = to->stmt->condition != CONDITION_ALLOW;
			to->decided = false;
		}
	}
	/* The first chunk also works on a copy, since the others copy from the original. */
	in.object = ARENA_ARRAY(&r->arena, struct object, in.nobjects + 1);
	if (in.nobjects)
		memcpy(in.object, request.in->object, in.nobjects * sizeof *in.object);
	request.in = &in;
	h.request = &request;
	all = many_run_some(&h, r, first, end, &c->broken);
	lock_take(&m->lock);
	c->made = true;
	/* after an interrupt, the other chunks' complete runs still count */
	if (!all && number < m->last && !many_interrupted(&h))
		m->last = number;
	lock_give(&m->lock);
}

static void many_work(void *arg, unsigned worker)
{
	struct many *m = arg;

	(void)worker;
	for (;;) {
		uint64_t number;

		lock_take(&m->lock);
		number = m->next;
		if (number < m->chunks && number <= m->last && !many_interrupted(m->host))
			m->next++;
		else
			number = UINT64_MAX;
		lock_give(&m->lock);
		if (number == UINT64_MAX)
			return;
		many_run_chunk(m, number);
	}
}

/* Of a signal, every report has a finding: also if it came between two runs and so stopped neither,
 * or if an earlier run's findings were kept instead of those of the run that it stopped. */
static void many_remark(struct host *h, uint64_t runs)
{
	struct report *r = h->report;
	const struct diag *d = r->findings.first;

	while (d && d->code != DIAG_B0005)
		d = d->next;
	if (d || !many_interrupted(h) || r->executions >= runs)
		return;
	r->ended = MACHINE_BUDGET;
	diag_plain(&r->findings, DIAG_B0005, "interrupted after %llu of %llu runs",
		(unsigned long long)r->executions, (unsigned long long)runs);
}

/* Whether the runs print as they go; in parallel, their output would be interleaved. */
static bool many_prints(const struct host *h)
{
	return h->request->show || h->request->output || h->options.machine.trace;
}

void host_execute_many(struct host *h, uint64_t runs)
{
	struct many m = {
		.host = h, .runs = runs, .chunks = (runs + CHUNK - 1) / CHUNK, .last = UINT64_MAX};
	unsigned jobs = h->options.machine.jobs ? h->options.machine.jobs : pool_processors();
	struct pool *pool;

	memory_keep();
	if (jobs > m.chunks)
		jobs = (unsigned)m.chunks;
	if (jobs <= 1 || h->options.on_gpu || many_prints(h)) {
		h->report->keep = KEPT;
		many_run_some(h, h->report, 0, runs, &h->broken);
		many_remark(h, runs);
		return;
	}
	h->options.machine.jobs = 1;
	m.chunk = memory_zeroed(m.chunks, sizeof *m.chunk);
	lock_new(&m.lock);
	pool = pool_new(jobs);
	pool_run(pool, many_work, NULL, &m);
	pool_free(pool);
	pthread_mutex_destroy(&m.lock);
	/* the others were not taken, and their memory has not been touched */
	for (uint64_t k = 0; k < m.next; k++) {
		struct chunk *c = &m.chunk[k];

		if (c->made && k <= m.last) {
			h->broken |= c->broken;
			if (k)
				report_join(h->report, &c->report);
		}
		report_free(&c->report);
	}
	memory_drop(m.chunk);
	many_remark(h, runs);
}
