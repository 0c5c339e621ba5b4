/* The harness's host program: repeats the test with varying placement and stress until enough
 * instances have run, and counts their outcomes. */
#include "script/litmus/harness.h"
#include "assembler/assembler.h"
#include "base/memory.h"
#include "base/rng.h"
#include "script/host/backends.h"
#include "script/lang/options.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	STRESS_WARPS = 1,
	GPU_MEMORY = 256 << 20,
	INTERP_MEMORY = 1 << 20,
	GPU_LOOKS = 4000,
	INTERP_LOOKS = 300,
	INTERP_TEAMS = 3,
	MAX_GROUPS = 4096,
	MAX_ROUNDS = 4096,
	MAX_STRESS = 1 << 14, /* accesses per warp */
	/* bytes between copies of a location, or between locations of an instance */
	MAX_STEP = 512
};
_Static_assert(sizeof(struct harness_params) == 120, "must match the kernels' .param lists");

struct harness_host {
	const struct harness *h;
	const struct harness_request *request;
	struct harness_result *out;
	struct diags *findings;
	struct ir_module *module;
	struct backend backend;
	struct harness_params params;
	struct rng rng;
	uint32_t max_groups;    /* clusters that can be resident at once */
	uint32_t max_instances; /* per launch */
	uint64_t memory_bytes;
	int32_t *row; /* observed values of one launch */
};

static uint32_t row_width(const struct harness *h) { return h->nobserved ? h->nobserved : 1; }

static uint32_t harness_pick(struct harness_host *s, const uint32_t *list, uint32_t n)
{
	return list[rng_below(&s->rng, n)];
}
#define PICK(s, ...) \
	harness_pick((s), (const uint32_t[]){__VA_ARGS__}, \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

static uint32_t harness_function(const struct ir_module *m, const char *name)
{
	for (uint32_t k = 0; k < m->nfuncs; k++)
		if (strcmp(symbol_text(&m->symbols, m->func[k].name), name) == 0)
			return k;
	abort(); /* the module is ours and contains it */
}

static bool harness_launch(
	struct harness_host *s, const char *kernel, uint32_t ctas, uint32_t threads, bool together)
{
	struct machine_launch l = {.func = harness_function(s->module, kernel),
		.grid = {ctas, 1, 1},
		.block = {threads, 1, 1},
		.params = &s->params};

	if (together && s->h->ranks > 1)
		l.cluster[0] = s->h->ranks, l.cluster[1] = l.cluster[2] = 1;
	/* a cooperative launch fails unless all CTAs can be resident at once */
	l.cooperative = together && s->h->ranks == 1;
	return s->backend.launch(s->backend.self, &l);
}

/* Chooses the parameters of the next launch at random. */
static void harness_vary(struct harness_host *s)
{
	const struct harness *h = s->h;
	struct harness_params *p = &s->params;
	bool gpu = s->request->options->on_gpu;
	uint32_t teams = s->max_groups / h->clusters, slots = 1;

	teams = gpu ? teams / PICK(s, 1, 1, 2, 4, 16) : teams;
	teams = teams ? teams : 1;
	p->groups = teams * h->clusters;
	do
		p->multiplier = 1 + rng_below(&s->rng, p->groups);
	while (common_divisor(p->multiplier, p->groups) != 1);
	p->lanes = h->barriers ? 32
		: h->loops     ? 1
		: gpu          ? PICK(s, 32, 32, 32, 8, 1)
			       : PICK(s, 1, 2, 4);
	p->rounds = s->max_instances / (teams * p->lanes);
	p->rounds = p->rounds < 1 ? 1 : p->rounds > MAX_ROUNDS ? MAX_ROUNDS : p->rounds;
	p->instances = teams * p->lanes * p->rounds;
	while (slots < p->instances)
		slots *= 2;
	p->slot_mask = slots - 1;
	p->slot_multiplier = rng_below(&s->rng, 3) ? (uint32_t)rng_next(&s->rng) | 1 : 1;
	p->slot_add = (uint32_t)rng_next(&s->rng);
	/* Adjacent in memory: either the copies of a location, or the locations of an instance. */
	uint32_t locations = h->nlocations ? h->nlocations : 1,
		 step = PICK(s, 4, 16, 32, 64, 128, 256, MAX_STEP);
	while ((uint64_t)step * slots * locations > s->memory_bytes)
		step /= 2;
	if (rng_below(&s->rng, 2)) {
		p->slot_bytes = step;
		p->location_bytes = step * slots;
	} else {
		p->location_bytes = step;
		p->slot_bytes = step * locations;
	}
	p->together = gpu ? PICK(s, 0, 1000, 1500, 3000) : 0;
	p->delay_mask = gpu ? PICK(s, 0, 0, 63, 255, 1023) : PICK(s, 0, 7, 63);
	p->warm = PICK(s, 0, 4, 8, 16);
	p->evict = PICK(s, 0, 0, 4, 8);
	p->stress = gpu ? PICK(s, 0, 8, 32, 128) : PICK(s, 0, 2);
	/* should not take much longer than the test itself */
	if (p->stress > MAX_STRESS / p->rounds)
		p->stress = p->rounds < MAX_STRESS ? MAX_STRESS / p->rounds : 1;
	p->seed = (uint32_t)rng_next(&s->rng);
}

static bool harness_count(struct harness_host *s)
{
	const struct harness *h = s->h;
	uint32_t n = s->params.instances, w = row_width(h);
	static const uint16_t no_trail;
	uint64_t *value = memory_zeroed(w, sizeof *value);

	if (!s->backend.read(s->backend.self, s->params.out, s->row,
		    (uint64_t)n * w * sizeof *s->row, NULL)) {
		free(value);
		return false;
	}
	for (uint32_t k = 0; k < n;) {
		uint32_t same = 1;

		while (k + same < n &&
			(!h->nobserved ||
				memcmp(s->row + (size_t)k * w, s->row + (size_t)(k + same) * w,
					w * sizeof *s->row) == 0))
			same++;
		for (uint32_t i = 0; i < h->nobserved; i++)
			value[i] = (uint64_t)(int64_t)s->row[(size_t)k * w + i];
		outcomes_add(&s->out->outcomes, value, same, &no_trail, 0);
		k += same;
	}
	free(value);
	s->out->runs += n;
	return true;
}

static bool harness_launch_all(struct harness_host *s)
{
	const struct harness *h = s->h;
	uint32_t spread = s->request->options->on_gpu ? 512 : 1;

	harness_vary(s);
	s->out->launches++;
	if (!harness_launch(s, "prepare", spread, 128, false) ||
		!harness_launch(s, "test", s->params.groups * h->ranks,
			32 * (h->warps + STRESS_WARPS), true) ||
		!harness_launch(s, "collect", spread, 128, false))
		return false;
	s->out->ended = s->backend.sync(s->backend.self);
	return s->out->ended == MACHINE_DONE && harness_count(s);
}

static bool harness_allocate(struct harness_host *s)
{
	const struct harness *h = s->h;
	struct harness_params *p = &s->params;
	uint64_t n = s->max_instances;

	p->memory = s->backend.alloc(s->backend.self, s->memory_bytes, "locations", true);
	p->out = s->backend.alloc(s->backend.self, n * row_width(h) * 4, "outcomes", true);
	p->meet = s->backend.alloc(s->backend.self, n * HARNESS_MEET_BYTES, "counters", true);
	p->scratch = s->backend.alloc(s->backend.self, HARNESS_SCRATCH_BYTES, "other lines", true);
	p->count = s->backend.alloc(s->backend.self, 16, "statistics", true);
	s->row = memory_try_zeroed(n, row_width(h) * sizeof *s->row);
	if (p->memory && p->out && p->meet && p->scratch && p->count && s->row)
		return true;
	diag_plain(s->findings, DIAG_L0402, "cannot allocate memory for the harness");
	return false;
}

static void harness_size(struct harness_host *s)
{
	const struct harness *h = s->h;
	bool gpu = s->request->options->on_gpu;
	uint32_t ctas = s->backend.resident
		? s->backend.resident(s->backend.self, "test", 32 * (h->warps + STRESS_WARPS))
		: 0,
		 teams;

	if (h->ranks > 1)
		ctas /= 2; /* clusters do not fill a GPU as completely as single CTAs do */
	s->max_groups = gpu ? ctas / h->ranks : INTERP_TEAMS * h->clusters;
	s->max_groups = s->max_groups > MAX_GROUPS ? MAX_GROUPS : s->max_groups;
	teams = s->max_groups / h->clusters ? s->max_groups / h->clusters : 1;
	s->max_groups = teams * h->clusters;
	/* At least 16 launches, so that their parameters vary enough. */
	uint64_t budget = s->request->runs / 16, min = gpu ? 4096 : 16, max = gpu ? 1 << 17 : 256;
	budget = budget < min ? min : budget > max ? max : budget;
	s->max_instances = budget > teams * 32 ? (uint32_t)budget : teams * 32;
	uint64_t max_bytes = (uint64_t)s->max_instances * 2 * MAX_STEP *
		(h->nlocations ? h->nlocations : 1),
		 limit = gpu ? GPU_MEMORY : INTERP_MEMORY;
	s->memory_bytes = max_bytes < limit ? max_bytes : limit;
}

/* Reads the statistics, and checks that every role of every instance ran exactly once. */
static bool harness_statistics(struct harness_host *s)
{
	uint32_t counted[3] = {0};

	if (!s->backend.read(s->backend.self, s->params.count, counted, sizeof counted, NULL))
		return false;
	s->out->alone = counted[0];
	if (counted[1])
		diag_plain(s->findings, DIAG_L0402,
			"the harness did not run: %u instances were not executed by all their threads",
			counted[1]);
	return counted[1] == 0;
}

static bool harness_run_launches(struct harness_host *s)
{
	bool ok = true;

	harness_size(s);
	s->params.roles = s->h->nroles;
	s->params.looks = s->request->options->on_gpu ? GPU_LOOKS : INTERP_LOOKS;
	if (!harness_allocate(s))
		return false;
	while (ok && s->out->runs < s->request->runs)
		ok = harness_launch_all(s);
	return ok && harness_statistics(s);
}

static double harness_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void harness_describe(const struct harness_result *r, struct text *out)
{
	text_printf(out,
		"harness: %llu instances in %u launches, %.2f s; %llu threads gave up waiting for the other threads of their instance\n",
		(unsigned long long)r->runs, r->launches, r->seconds, (unsigned long long)r->alone);
}

bool harness_run(
	const struct harness_request *r, struct diags *findings, struct harness_result *out)
{
	struct harness_host s = {.h = r->harness,
		.request = r,
		.out = out,
		.findings = findings,
		.rng = {r->options->machine.seed}};
	struct machine_options options = r->options->machine;
	struct assemble_options assemble_options = {0};
	struct arena arena = {0};
	struct text t = {0};
	bool ok = false;
	double began = harness_clock();

	*out = (struct harness_result){0};
	outcomes_init(&out->outcomes, r->harness->nobserved);
	options.checks = 0;
	if (!r->options->on_gpu)
		/* short turns let threads that wait for each other meet */
		options.schedule = SCHEDULE_RANDOM;
	harness_ptx(r->harness, &t);
	s.module = assemble(
		source_new(&arena, "harness", text_str(&t), t.len), &assemble_options, findings);
	struct backend_request b = {.kind = r->options->on_gpu ? BACKEND_GPU : BACKEND_INTERP,
		.module = s.module,
		.options = &options,
		.findings = findings};
	if (s.module && backend_open(&b, &s.backend)) {
		ok = harness_run_launches(&s);
		s.backend.close(s.backend.self);
	}
	outcomes_sort(&out->outcomes);
	out->seconds = harness_clock() - began;
	if (s.module)
		ir_module_free(s.module);
	free(s.row);
	text_free(&t);
	arena_free(&arena);
	return ok;
}
