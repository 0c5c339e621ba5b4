/* A launch: checked against the limits of hardware and the kernel's directives before it is
 * queued. */
#include "interp/state/cluster.h"
#include "interp/state/engine.h"
#include "interp/state/exec.h"
#include "interp/state/where.h"
#include "interp/stuck/report.h"
#include "interp/machine/registers.h"
#include "interp/machine/schedule.h"
#include <string.h>

enum {
	MAX_THREADS = 1024,
	MAX_GRID_YZ = 65535,
	MAX_SHARED = 227 << 10, /* bytes: maximum per CTA on the largest devices (sm_90, sm_100) */
	/* the GPU whose occupancy bounds the number of CTAs in flight: 132 multiprocessors of
	 * 2048 threads and 32 CTAs */
	MODEL_SM = 90,
	MODEL_SMS = 132,
	MODEL_THREADS = 2048,
	MODEL_CTAS = 32,
	MODEL_SHARED = 228 << 10, /* of a multiprocessor */
	MODEL_RESERVED = 1 << 10, /* of these, for each CTA */
	WORKSPACE_BYTES = 1024,   /* of a cooperative launch */
};

static struct diag *launch_fails(
	struct machine *m, const struct machine_launch *l, enum diag_code code, const char *text)
{
	return diag_report(m->findings, code, l->source, l->span, "%s", text);
}

static const uint32_t most_block[3] = {1024, 1024, 64},
		      most_grid[3] = {INT32_MAX, MAX_GRID_YZ, MAX_GRID_YZ};

void machine_properties(const struct machine *m, struct machine_properties *out)
{
	(void)m;
	*out = (struct machine_properties){
		.sm = MODEL_SM,
		.multiprocessors = MODEL_SMS,
		.threads_per_multiprocessor = MODEL_THREADS,
		.ctas_per_multiprocessor = MODEL_CTAS,
		.threads_per_cta = MAX_THREADS,
		.shared_per_cta = MAX_SHARED,
		.shared_per_multiprocessor = MODEL_SHARED,
	};
	memcpy(out->block, most_block, sizeof out->block);
	memcpy(out->grid, most_grid, sizeof out->grid);
}

unsigned machine_occupancy(
	const struct machine *m, uint32_t func, uint32_t threads, uint32_t dynamic)
{
	uint64_t shared = (uint64_t)m->code.func[func].shared_end + dynamic,
		 ctas = MODEL_SHARED / (shared + MODEL_RESERVED),
		 warps = (threads + LANES - 1) / LANES;

	if (!threads || threads > MAX_THREADS || shared > MAX_SHARED)
		return 0;
	if (ctas > MODEL_THREADS / (warps * LANES))
		ctas = MODEL_THREADS / (warps * LANES);
	return ctas < MODEL_CTAS ? (unsigned)ctas : MODEL_CTAS;
}

void machine_kernel(const struct machine *m, uint32_t func, uint32_t *shared, uint32_t *local)
{
	*shared = m->code.func[func].shared_end;
	*local = m->code.func[func].local_bytes;
}

static bool shape_fits(struct machine *m, const struct machine_launch *l)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1];
	struct arena *a = &m->findings->arena;

	for (unsigned k = 0; k < 3; k++) {
		if (l->block[k] < 1 || l->block[k] > most_block[k] || l->grid[k] < 1 ||
			l->grid[k] > most_grid[k]) {
			bool grid = l->grid[k] < 1 || l->grid[k] > most_grid[k];

			launch_fails(m, l, DIAG_F0101,
				arena_printf(a, "%s dimension %c is %u; it must be 1 to %u",
					grid ? "grid" : "block", "xyz"[k],
					grid ? l->grid[k] : l->block[k],
					grid ? most_grid[k] : most_block[k]));
			return false;
		}
	}
	if (threads * l->block[2] > MAX_THREADS) {
		launch_fails(m, l, DIAG_F0101,
			arena_printf(a, "block of %u x %u x %u threads: a CTA has at most 1024",
				l->block[0], l->block[1], l->block[2]));
		return false;
	}
	return true;
}

static bool directives_met(
	struct machine *m, const struct machine_launch *l, const struct ir_func *f)
{
	struct arena *a = &m->findings->arena;
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2], most = 1;
	bool limited = false, required = false;

	for (unsigned k = 0; k < 3; k++) {
		limited = limited || f->maxntid[k];
		required = required || f->reqntid[k];
		most *= f->maxntid[k] ? f->maxntid[k] : 1;
	}
	if (required)
		for (unsigned k = 0; k < 3; k++)
			if (l->block[k] != (f->reqntid[k] ? f->reqntid[k] : 1)) {
				launch_fails(m, l, DIAG_F0102,
					arena_printf(a,
						"the kernel has .reqntid %u, %u, %u, but the launch has a block of %u x %u x %u",
						f->reqntid[0] ? f->reqntid[0] : 1,
						f->reqntid[1] ? f->reqntid[1] : 1,
						f->reqntid[2] ? f->reqntid[2] : 1, l->block[0],
						l->block[1], l->block[2]));
				return false;
			}
	if (limited && threads > most) {
		launch_fails(m, l, DIAG_F0102,
			arena_printf(a,
				"the kernel has .maxntid for %llu threads, but the launch has blocks of %llu",
				(unsigned long long)most, (unsigned long long)threads));
		return false;
	}
	return true;
}

static bool memory_fits(
	struct machine *m, const struct machine_launch *l, const struct code_func *code)
{
	struct arena *a = &m->findings->arena;
	uint64_t shared = (uint64_t)code->shared_end + l->dynamic_shared;

	if (shared > MAX_SHARED) {
		launch_fails(m, l, DIAG_F0103,
			arena_printf(a,
				"%llu bytes of shared memory per CTA (%u of the kernel, %u of the launch); the maximum is %u",
				(unsigned long long)shared, code->shared_end, l->dynamic_shared,
				MAX_SHARED));
		return false;
	}
	if (code->local_bytes > LOCAL_BYTES) {
		launch_fails(m, l, DIAG_F0103,
			arena_printf(a, "%u bytes of local memory per thread; the maximum is %u",
				code->local_bytes, LOCAL_BYTES));
		return false;
	}
	return true;
}

static bool can_run(struct machine *m, const struct machine_launch *l)
{
	if (l->device >= (m->options.devices ? m->options.devices : 1)) {
		launch_fails(m, l, DIAG_F0104,
			arena_printf(&m->findings->arena, "device %u does not exist", l->device));
		return false;
	}
	return true;
}

static uint64_t resident_limit(const struct launch *l)
{
	uint64_t by_threads = MODEL_SMS * (MODEL_THREADS / (uint64_t)(l->nwarps * LANES));

	if (l->ask.cooperative)
		return UINT64_MAX;
	return by_threads < MODEL_SMS * MODEL_CTAS ? by_threads : MODEL_SMS * MODEL_CTAS;
}

bool machine_launch(struct machine *m, const struct machine_launch *given)
{
	const struct ir_func *f = &m->module->func[given->func];
	struct machine_launch clustered = *given;
	const struct machine_launch *ask = &clustered;
	struct launch *l;
	void *params;

	if (atomic_load(&m->stop) || !f->is_entry)
		return false;
	if (!cluster_shape(m, &clustered, f) || !shape_fits(m, ask) || !directives_met(m, ask, f) ||
		!can_run(m, ask) || !memory_fits(m, ask, &m->code.func[ask->func]) ||
		!code_decode(&m->code, ask->func))
		return false;
	if (ask->cluster[0])
		code_prepare_clusters(&m->code);
	bind_code(m);
	if (m->engine)
		m->engine->decoded(m->engine, m);
	l = ARENA_NEW(&m->launch_arena, struct launch);
	l->ask = *ask;
	/* a wide load of the last parameter may read beyond it */
	params = arena_zalloc(&m->launch_arena, (size_t)f->param_bytes + 16, 16);
	if (f->param_bytes)
		memcpy(params, ask->params, f->param_bytes);
	l->ask.params = params;
	if (ask->place)
		l->ask.place = arena_text(&m->launch_arena, ask->place, strlen(ask->place));
	l->code = &m->code.func[ask->func];
	l->number = m->settled + m->launches.count;
	l->order = m->next_order++;
	l->name = where_brief(&m->launch_arena, symbol_shown(&m->module->symbols, f->name));
	l->nctas = (uint64_t)ask->grid[0] * ask->grid[1] * ask->grid[2];
	l->cluster_ctas = ask->cluster[0] ? ask->cluster[0] * ask->cluster[1] * ask->cluster[2] : 1;
	l->nunits = l->nctas / l->cluster_ctas;
	l->threads = ask->block[0] * ask->block[1] * ask->block[2];
	l->nwarps = (l->threads + LANES - 1) / LANES;
	l->shared_bytes = l->code->shared_end + ask->dynamic_shared;
	l->resident_limit = resident_limit(l);
	if (ask->cooperative &&
		!(l->workspace = memory_alloc(m, WORKSPACE_BYTES, "the grid's workspace", true))) {
		launch_fails(m, ask, DIAG_F0111,
			"not enough memory for the workspace of a cooperative launch");
		return false;
	}
	registers_launch(m, l);
	*vec_push(&m->launches) = l;
	schedule_launch(m->schedule, l);
	return true;
}
