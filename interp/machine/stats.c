/* Counters: how often each op was executed, computed from the differences that straight runs
 * record. */
#include "base/memory.h"
#include "interp/memory/combine.h"
#include "interp/machine/schedule.h"
#include <stdlib.h>
#include <string.h>

void worker_counters(struct worker *k)
{
	uint32_t n = k->machine->code.ncounts;

	if (k->count && k->ncount >= n)
		return;
	/* the differences of earlier ops stay valid when ops are added after them */
	/* nothing of another worker's comes right after it */
	k->count = memory_resize(k->count, 2 * sizeof *k->count * ((size_t)n + 1) + APART);
	size_t had = k->ncount ? 2 * ((size_t)k->ncount + 1) : 0;

	memset(k->count + had, 0, sizeof *k->count * (2 * ((size_t)n + 1) - had));
	k->ncount = n;
}

void worker_uncount(struct worker *k)
{
	uint32_t n = k->machine->code.ncounts;

	if (k->count && k->ncount > n)
		memset(k->count + 2 * (size_t)n, 0,
			2 * ((size_t)k->ncount + 1 - n) * sizeof *k->count);
}

void worker_done(struct worker *k)
{
	memory_drop(k->count);
	combine_free(k);
}

static void add_func(struct machine *m, const struct code_func *code, const int64_t *sum,
	struct machine_stats *out)
{
	int64_t threads = 0, warps = 0;

	for (uint32_t k = 0; k < code->nops; k++) {
		const struct op *op = &code->op[k];

		threads += sum[2 * ((size_t)code->count_base + k)];
		warps += sum[2 * ((size_t)code->count_base + k) + 1];
		if (!op->first)
			continue;
		out->thread_instructions += (uint64_t)threads;
		out->warp_instructions += (uint64_t)warps;
		m->by_form[m->module->insn[op->insn].form] += (uint64_t)threads;
		m->by_insn[op->insn] += (uint64_t)threads;
		m->warps_by_insn[op->insn] += (uint64_t)warps;
	}
}

static void add_counts(struct machine *m, struct machine_stats *out)
{
	size_t n = 2 * ((size_t)m->code.ncounts + 1);
	int64_t *sum = memory_zeroed(n, sizeof *sum);

	for (unsigned k = 0; k < m->nworkers; k++) {
		const struct worker *w = &m->worker[k];

		if (w->count)
			for (size_t i = 0; i < 2 * ((size_t)w->ncount + 1) && i < n; i++)
				sum[i] += w->count[i];
	}
	for (uint32_t f = 0; f < m->module->nfuncs; f++)
		if (m->code.func[f].decoded)
			add_func(m, &m->code.func[f], sum, out);
	memory_drop(sum);
}

static void add_worker(struct machine_stats *out, const struct machine_stats *w)
{
	out->barriers += w->barriers;
	out->atomics += w->atomics;
	out->divergent_branches += w->divergent_branches;
	out->threads += w->threads;
	out->warps += w->warps;
	out->ctas += w->ctas;
	for (unsigned k = 0; k < 6; k++) {
		out->bytes_loaded[k] += w->bytes_loaded[k];
		out->bytes_stored[k] += w->bytes_stored[k];
	}
}

void machine_stats(struct machine *m, struct machine_stats *out)
{
	*out = (struct machine_stats){
		.seconds = m->seconds, .launches = m->settled + m->launches.count};
	if (!m->by_form) {
		m->by_form = ARENA_ARRAY(&m->arena, uint64_t, isa_forms);
		m->by_insn = ARENA_ARRAY(&m->arena, uint64_t, m->module->ninsns + 1);
		m->warps_by_insn = ARENA_ARRAY(&m->arena, uint64_t, m->module->ninsns + 1);
	}
	memset(m->by_form, 0, isa_forms * sizeof *m->by_form);
	memset(m->by_insn, 0, m->module->ninsns * sizeof *m->by_insn);
	memset(m->warps_by_insn, 0, m->module->ninsns * sizeof *m->warps_by_insn);
	for (unsigned k = 0; k < m->nworkers; k++)
		add_worker(out, &m->worker[k].stats);
	add_counts(m, out);
	out->by_form = m->by_form;
	out->by_insn = m->by_insn;
	out->warps_by_insn = m->warps_by_insn;
}
