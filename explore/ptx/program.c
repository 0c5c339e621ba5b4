/* The launches of a machine as one program: its threads, their placement, and what they may write.
 */
#include "explore/ptx/async.h"
#include "explore/ptx/host.h"
#include "explore/ptx/reach.h"
#include "base/memory.h"
#include "interp/memory/memory.h"
#include "interp/sync/sync.h"
#include <stdlib.h>
#include <string.h>

static const struct ptx_client *program_client_of(const struct explore_program *p)
{
	return p->client;
}

/* Whether asynchronous operation OP may write at PHYS: operations with an mbarrier and cp.async
 * write shared memory, others global memory. */
static bool async_touches(const struct op *op, uint64_t phys)
{
	const struct op_async_operands *x = op->async.operands;
	bool signals = x->bar.space == W_shared || x->bar.width || x->to.space == W_shared;
	return signals == (phys >= PTX_SHARED);
}

/* Whether store number K may write to SIZE bytes at PHYS. */
static bool site_may_touch(const struct ptx_thread_info *t, const struct ptx_code *o, uint32_t k,
	uint64_t phys, uint32_t size)
{
	const struct op *op = &o->ops[o->site_op[k]];
	uint8_t class = o->op[o->site_op[k]].class;
	bool object = class == PTX_MBARRIER, shared = phys >= PTX_SHARED;
	if (class == PTX_ASYNC)
		return async_touches(op, phys);
	if (class == PTX_BULK_STORE)
		return shared;
	uint64_t at = t->site_address[k],
		 bytes = object ? 8 : (uint64_t)op->access.bytes * op->access.vector;
	if (at != UINT64_MAX)
		return at < phys + size && phys < at + bytes;
	return object ? shared
		      : op->access.space == W_NONE || (op->access.space == W_shared) == shared;
}

static bool ptx_may_write(const struct explore_program *p, uint32_t thread, uint32_t place,
	uint64_t phys, uint32_t size)
{
	const struct ptx_client *c = program_client_of(p);
	const struct ptx_thread_info *t = &c->thread[thread];
	const struct ptx_code *o = c->launch[t->launch].code;
	if (t->owner != UINT32_MAX)
		return async_touches(&o->ops[place], phys);
	if (!c->launch[t->launch].launch)
		return ptx_host_writes(c, t->launch, phys, size);
	ROW_EACH(o->op[place].sites, o->site_words, k) {
		if (site_may_touch(t, o, k, phys, size))
			return true;
	}
	return false;
}

static bool ptx_may_touch(const struct explore_program *p, uint32_t thread, uint32_t place,
	uint64_t phys, uint32_t size)
{
	const struct ptx_client *c = program_client_of(p);
	const struct ptx_thread_info *t = &c->thread[thread];
	const struct ptx_code *o = c->launch[t->launch].code;
	return t->owner != UINT32_MAX ||
		(o->op[place].site == UINT32_MAX
				? o->op[place].class != PTX_LOAD
				: site_may_touch(t, o, o->op[place].site, phys, size));
}

static bool ptx_may_race(const struct explore_program *p, uint32_t thread, uint8_t scope,
	uint64_t phys, uint32_t size)
{
	const struct ptx_client *c = program_client_of(p);
	for (uint32_t t = 0; t < c->nmain; t++) {
		const struct ptx_thread_info *info = &c->thread[t];
		const struct ptx_code *o = c->launch[info->launch].code;
		for (uint32_t k = 0; t != thread && k < o->nsites; k++) {
			const struct ptx_op *x = &o->op[o->site_op[k]];
			bool strong = x->class != PTX_ASYNC && x->class != PTX_BULK_STORE &&
				(x->class != PTX_STORE || x->sem != SEM_WEAK) &&
				scope_includes(scope, &p->place[thread], &p->place[t]) &&
				scope_includes(
					(enum scope)x->scope, &p->place[t], &p->place[thread]);
			if (!strong && site_may_touch(info, o, k, phys, size))
				return true;
		}
	}
	return false;
}

static bool ptx_may_arrive(
	const struct explore_program *p, uint32_t thread, uint8_t rule, uint64_t object)
{
	const struct ptx_thread_info *t = &program_client_of(p)->thread[thread];
	uint32_t which = ptx_object_which(object);
	(void)rule;
	if (t->owner != UINT32_MAX)
		return false;
	switch (ptx_object_kind(object)) {
	case OBJECT_BARRIER: return t->cta == which;
	case OBJECT_TOGETHER: return t->warp == which;
	case OBJECT_WARP:
	case OBJECT_EXCHANGE: return t->warp == which && (uint32_t)object >> t->tid % LANES & 1;
	case OBJECT_CLUSTER: return t->cluster == which;
	case OBJECT_LAUNCH:
	case OBJECT_COPY:
	default: return t->launch == which;
	}
}

/* Whether every launch waits for the one before it. */
static bool launches_in_sequence(const struct ptx_client *c)
{
	for (uint32_t k = 1; k < c->nlaunches; k++) {
		if (c->launch[k].nafter != 1 || c->launch[k].after[0] != k - 1)
			return false;
	}
	return true;
}

static const uint32_t *find_stages(
	const struct ptx_client *c, uint32_t nthreads, struct arena *arena)
{
	if (c->nlaunches < 2 || !launches_in_sequence(c))
		return NULL;
	uint32_t *stage = ARENA_ARRAY(arena, uint32_t, nthreads);
	for (uint32_t t = 0; t < nthreads; t++)
		stage[t] = c->thread[t].launch;
	return stage;
}

/* Shared memory ends with its launch. */
static bool ptx_lasts(const struct explore_program *p, uint64_t phys)
{
	(void)p;
	return phys < PTX_SHARED;
}

static bool ptx_is_inside(
	const struct explore_program *p, uint32_t thread, uint64_t at, uint32_t size)
{
	const struct ptx_client *c = program_client_of(p);
	const struct ptx_thread_info *t = &c->thread[thread];
	const struct ptx_launch *l = &c->launch[t->launch];
	if (t->owner != UINT32_MAX || !l->launch)
		return false;
	for (unsigned k = 0; k < 3; k++) {
		if (l->launch->ask.cluster[k] > 1)
			return false;
	}
	if (size)
		return at >= PTX_SHARED && (at - PTX_SHARED) / PTX_SHARED_STEP == t->cta;
	switch (ptx_object_kind(at)) {
	case OBJECT_BARRIER:
	case OBJECT_WARP:
	case OBJECT_EXCHANGE:
	case OBJECT_TOGETHER: return true;
	case OBJECT_LAUNCH: return launches_in_sequence(c);
	case OBJECT_CLUSTER:
	case OBJECT_COPY:
	default: return false;
	}
}

static void ptx_initial(
	const struct explore_program *p, uint64_t phys, uint32_t size, uint64_t value[2])
{
	const struct memory_block *m = memory_find(program_client_of(p)->machine->memory, phys);
	value[0] = value[1] = 0;
	if (phys < PTX_SHARED && m->kind != MEMORY_NOTHING && memory_inside(m, phys, size))
		memcpy(value, m->host + (phys - m->base), size);
}

/* --- building --- */

static void refuse_launch(struct diags *findings, const struct launch *l, const char *text)
{
	struct span nowhere = {0, 0};
	diag_report(findings, DIAG_U0150, l ? l->ask.source : NULL, l ? l->ask.span : nowhere, "%s",
		text);
}

/* A launch waits for earlier ones in its stream; the default stream is ordered with all streams.
 * Before it writes, the host waits for all earlier launches, and later launches wait for the host.
 */
static void order_launches(struct ptx_client *c, const uint64_t *after, struct arena *arena)
{
	uint32_t n = c->nlaunches;
	bool *before = ARENA_ARRAY(arena, bool, (size_t)n *n + 1); /* [k][i]: I before K */
	for (uint32_t k = 0; k < n; k++) {
		uint32_t *list = ARENA_ARRAY(arena, uint32_t, n);
		for (uint32_t i = k; i-- > 0;) {
			const struct launch *first = c->launch[i].launch,
					    *then = c->launch[k].launch;
			bool direct = !before[k * n + i];
			if (first && then && first->ask.stream && then->ask.stream &&
				first->ask.stream != then->ask.stream &&
				!(after && after[then->number] >> first->number & 1))
				continue;
			before[k * n + i] = true;
			for (uint32_t h = 0; h < i; h++)
				before[k * n + h] |= before[i * n + h];
			if (!direct)
				continue;
			list[c->launch[k].nafter++] = i;
			c->launch[i].awaited = true;
		}
		c->launch[k].after = list;
	}
}

static uint32_t clusters_of(const struct machine_launch *l, uint32_t linear)
{
	uint32_t at[3] = {linear % l->grid[0], linear / l->grid[0] % l->grid[1],
		linear / l->grid[0] / l->grid[1]},
		 number = 0;
	for (unsigned k = 3; k-- > 0;) {
		uint32_t dim = l->cluster[k] ? l->cluster[k] : 1;
		number = number * ((l->grid[k] + dim - 1) / dim) + at[k] / dim;
	}
	return number;
}

/* Adds the host's writes before launch BEFORE as a launch of one thread. */
static void add_host(struct ptx_client *c, uint32_t before, uint32_t *nthreads, uint32_t *nctas,
	struct arena *arena)
{
	struct ptx_launch *n = &c->launch[c->nlaunches];
	uint32_t first = 0, end;
	while (first < c->nwrites && c->write[first].before < before)
		first++;
	for (end = first; end < c->nwrites && c->write[end].before == before; end++) {
	}
	if (first == end)
		return;
	*n = (struct ptx_launch){.first_thread = *nthreads,
		.nthreads = 1,
		.first_cta = *nctas,
		.code = ptx_code_none(arena),
		.first_write = first,
		.nwrites = end - first};
	c->nlaunches++;
	++*nthreads;
	++*nctas;
}

static bool add_launch(struct ptx_client *c, struct launch *l, uint32_t *nthreads, uint32_t *nctas,
	const uint32_t *keep, uint32_t nkeep, struct arena *arena, struct diags *findings)
{
	struct ptx_launch *n = &c->launch[c->nlaunches];
	uint64_t threads = l->nctas * l->threads;
	if (l->number >= PTX_MAX_LAUNCHES || threads + *nthreads > PTX_MAX_THREADS) {
		refuse_launch(findings, l,
			"the explorer accepts at most 32768 threads in at most 64 launches: make the test smaller, or sample it with --memory=weak --runs=N");
		return false;
	}
	*n = (struct ptx_launch){.launch = l,
		.first_thread = *nthreads,
		.nthreads = (uint32_t)threads,
		.first_cta = *nctas};
	n->code = ptx_code_new(c->machine, l->code, keep, nkeep, arena);
	if (n->code->too_many) {
		refuse_launch(
			findings, l, "the kernel has more registers than the explorer accepts");
		return false;
	}
	if (n->code->regs_bytes > c->regs_bytes)
		c->regs_bytes = n->code->regs_bytes;
	c->nlaunches++;
	*nthreads += (uint32_t)threads;
	*nctas += (uint32_t)l->nctas;
	return true;
}

static void place_threads(struct ptx_client *c, struct placement *place, uint32_t *warp)
{
	uint32_t first_warp = 0, first_cluster = 0;
	for (uint32_t k = 0; k < c->nlaunches; k++) {
		const struct ptx_launch *l = &c->launch[k];
		if (!l->launch) {
			uint32_t t = l->first_thread;
			c->thread[t] = (struct ptx_thread_info){.launch = k,
				.cta = l->first_cta,
				.warp = first_warp,
				.cluster = first_cluster,
				.owner = UINT32_MAX,
				.first_helper = c->thread[t].first_helper};
			place[t] = (struct placement){
				.cta = l->first_cta, .cluster = first_cluster++, .gpu = UINT32_MAX};
			warp[t] = first_warp++;
			continue;
		}
		uint32_t per = l->launch->threads, warps = l->launch->nwarps;
		for (uint32_t i = 0; i < l->nthreads; i++) {
			uint32_t t = l->first_thread + i, cta = i / per, tid = i % per;
			c->thread[t] = (struct ptx_thread_info){.launch = k,
				.cta = l->first_cta + cta,
				.tid = tid,
				.warp = first_warp + cta * warps + tid / LANES,
				.cluster = first_cluster + clusters_of(&l->launch->ask, cta),
				.owner = UINT32_MAX,
				.first_helper = c->thread[t].first_helper,
				.nhelpers = c->thread[t].nhelpers};
			place[t] = (struct placement){.cta = l->first_cta + cta,
				.cluster = c->thread[t].cluster,
				.gpu = l->launch->ask.device};
			warp[t] = c->thread[t].warp;
		}
		first_warp += (uint32_t)l->launch->nctas * warps;
		first_cluster += (uint32_t)l->launch->nctas;
	}
}

/* Assigns helpers to every thread for its asynchronous operations. Threads that may issue one
 * repeatedly share the remaining ones. Returns the total number of threads, or 0: too many helpers.
 */
static uint32_t count_helpers(struct ptx_client *c, struct arena *arena)
{
	uint32_t next = c->nmain, need = 0, looping = 0;
	bool again;
	c->thread = ARENA_ARRAY(arena, struct ptx_thread_info, c->nmain);
	for (uint32_t k = 0; k < c->nlaunches; k++) {
		const struct ptx_launch *l = &c->launch[k];
		uint32_t each = ptx_async_count(l, &again);
		need += l->nthreads * (each < PTX_MAX_ASYNC ? each : PTX_MAX_ASYNC);
		looping += again ? l->nthreads : 0;
	}
	uint32_t more = looping && need < PTX_MAX_HELPERS ? (PTX_MAX_HELPERS - need) / looping : 0;
	for (uint32_t k = 0; k < c->nlaunches; k++) {
		const struct ptx_launch *l = &c->launch[k];
		uint32_t each = ptx_async_count(l, &again);
		each += again ? more : 0;
		for (uint32_t i = 0; i < l->nthreads; i++) {
			c->thread[l->first_thread + i].first_helper = next;
			c->thread[l->first_thread + i].nhelpers = each < PTX_MAX_ASYNC
				? each
				: PTX_MAX_ASYNC;
			next += c->thread[l->first_thread + i].nhelpers;
		}
	}
	struct ptx_thread_info *all = ARENA_ARRAY(arena, struct ptx_thread_info, next);
	memcpy(all, c->thread, c->nmain * sizeof *all);
	c->thread = all;
	return next - c->nmain <= PTX_MAX_HELPERS ? next : 0;
}

/* Places every helper where its issuer runs. */
static void place_helpers(struct ptx_client *c, struct placement *place, uint32_t *warp)
{
	for (uint32_t t = 0; t < c->nmain; t++) {
		for (uint32_t k = 0; k < c->thread[t].nhelpers; k++) {
			uint32_t h = c->thread[t].first_helper + k;
			c->thread[h] = c->thread[t];
			c->thread[h].owner = t;
			c->thread[h].warp = warp[h] = UINT32_MAX - h;
			c->thread[h].nhelpers = 0;
			place[h] = place[t];
		}
	}
}

/* The smallest access of an instruction to shared or global memory, in bytes. */
static uint32_t find_granule(const struct ptx_client *c)
{
	uint32_t least = 16;
	for (uint32_t k = 0; k < c->nlaunches; k++) {
		const struct ptx_code *o = c->launch[k].code;
		for (uint32_t i = 0; i < o->nops; i++) {
			bool memory = op_accesses(&o->ops[i]) &&
				o->ops[i].access.space != W_param &&
				o->ops[i].access.space != W_local &&
				o->ops[i].access.space != W_const;
			if (memory && o->ops[i].access.bytes < least)
				least = o->ops[i].access.bytes;
		}
	}
	return least == 16 ? 4 : least;
}

/* Special registers that have the same value in every thread of a launch. */
static bool common_register(uint32_t sreg)
{
	switch (sreg) {
	case SREG_ntid:
	case SREG_nctaid:
	case SREG_nwarpid: return true;
	default: return false;
	}
}

/* Whether the threads of a warp of launch L are alike: no instruction depends on a thread's
 * identity. *EVERYWHERE: nor on its warp and CTA, so all threads are alike. */
static bool threads_are_alike(const struct ptx_launch *l, bool *everywhere)
{
	const struct ptx_code *o = l->code;
	*everywhere = true;
	for (uint32_t i = 0; i < o->nops; i++) {
		uint8_t class = o->op[i].class;
		bool strong = o->op[i].sem != SEM_WEAK || class == PTX_ATOM || class == PTX_RED ||
			class == PTX_FENCE;
		if ((o->ops[i].kind == KIND_SREG && class != PTX_OPEN &&
			    !common_register(o->ops[i].sreg.which)) ||
			class == PTX_WARP_BARRIER || class == PTX_COLLECTIVE ||
			class == PTX_TOGETHER || class == PTX_CLUSTER_BARRIER ||
			class == PTX_ASYNC || class == PTX_UNSUPPORTED)
			return false;
		if (class == PTX_BARRIER || class == PTX_MBARRIER || class == PTX_PROXY_FENCE ||
			class == PTX_BULK_STORE)
			*everywhere = false;
		if (class >= PTX_LOAD && class <= PTX_RED && o->ops[i].access.space != W_global &&
			o->ops[i].access.space != W_param && o->ops[i].access.space != W_local &&
			o->ops[i].access.space != W_const)
			*everywhere = false;
		if (strong && class >= PTX_LOAD && class <= PTX_FENCE && o->op[i].scope < SCOPE_GPU)
			*everywhere = false;
	}
	return true;
}

static const uint32_t *find_twins(const struct ptx_client *c, uint32_t nthreads,
	const struct observable *o, uint32_t nobservables, struct arena *arena)
{
	uint32_t *twin = ARENA_ARRAY(arena, uint32_t, nthreads);
	for (uint32_t t = 0; t < nthreads; t++) {
		const struct ptx_launch *l = &c->launch[c->thread[t].launch];
		bool everywhere;
		twin[t] = UINT32_MAX;
		if (t < c->nmain && l->launch && threads_are_alike(l, &everywhere))
			twin[t] = everywhere ? l->first_thread
					     : UINT32_C(0x80000000) + c->thread[t].warp;
	}
	for (uint32_t k = 0; k < nobservables; k++) {
		if (o[k].kind == OBSERVE_REGISTER && o[k].thread < nthreads)
			twin[o[k].thread] = UINT32_MAX;
	}
	return twin;
}

static void find_all_sites(
	struct ptx_client *c, uint32_t nthreads, size_t scratch_size, struct arena *arena)
{
	void *block = memory_zeroed(1, scratch_size + 64);
	void *scratch = (char *)block + (64 - (uintptr_t)block % 64);
	for (uint32_t t = 0; t < nthreads; t++) {
		if (c->launch[c->thread[t].launch].launch)
			ptx_find_sites(c, t, scratch, arena);
	}
	for (uint32_t k = 0; k < c->nlaunches; k++) {
		if (c->launch[k].launch)
			ptx_check_waits(c, k, scratch, arena);
	}
	memory_drop(block);
}

/* Runs a step and adds the class of memory to an access. */
static void ptx_program_step(
	const struct explore_program *p, uint32_t thread, void *state, struct action *a)
{
	ptx_step(p, thread, state, a);
	if ((a->kind != ACTION_READ && a->kind != ACTION_WRITE) || !a->address_known)
		return;
	bool own = a->phys >= PTX_SHARED &&
		(a->phys - PTX_SHARED) / PTX_SHARED_STEP ==
			program_client_of(p)->thread[thread].cta;
	a->where |= a->phys < PTX_SHARED ? WHERE_GLOBAL
		: own                    ? WHERE_OWN_SHARED
					 : WHERE_OTHER_SHARED;
}

const struct explore_program *ptx_program(struct machine *machine, const struct ptx_host *host,
	const struct observable *observable, uint32_t nobservables,
	const struct explore_options *options, struct arena *arena, struct diags *findings)
{
	struct ptx_client *c = ARENA_NEW(arena, struct ptx_client);
	struct explore_program *p = ARENA_NEW(arena, struct explore_program);
	uint32_t nthreads = 0, nctas = 0, nkeep = 0,
		 *keep = ARENA_ARRAY(arena, uint32_t, nobservables + 1);
	bool aliases = false;
	for (uint32_t k = 0; k < nobservables; k++) {
		if (observable[k].kind == OBSERVE_REGISTER)
			keep[nkeep++] = observable[k].reg;
	}
	c->machine = machine;
	c->write = host ? host->write : NULL;
	c->nwrites = host ? host->nwrites : 0;
	c->options = arena_copy(arena, options, sizeof *options, _Alignof(struct explore_options));
	for (uint32_t k = 0; k < machine->launches.count; k++) {
		add_host(c, k, &nthreads, &nctas, arena);
		if (!add_launch(c, machine->launches.data[k], &nthreads, &nctas, keep,
			    k ? 0 : nkeep, arena, findings))
			return NULL;
		aliases |= c->launch[c->nlaunches - 1].code->proxies != 0;
	}
	for (uint32_t k = 0; k < c->nwrites; k++) {
		uint64_t offset;
		if (window_space(c->write[k].address, &offset) == W_const) {
			refuse_launch(findings, NULL,
				"constant memory that the host writes after a launch; the explorer uses its initial values");
			return NULL;
		}
	}
	if (nthreads)
		add_host(c, machine->launches.count, &nthreads, &nctas, arena);
	if (!nthreads) {
		refuse_launch(findings, NULL, "nothing is launched");
		return NULL;
	}
	order_launches(c, host ? host->after : NULL, arena);
	c->nmain = nthreads;
	c->granule = find_granule(c);
	uint32_t all = count_helpers(c, arena);
	if (!all) {
		refuse_launch(findings, c->launch[0].launch,
			"more asynchronous operations than the explorer follows: use fewer threads that issue them");
		return NULL;
	}
	struct placement *place = ARENA_ARRAY(arena, struct placement, all);
	uint32_t *warp = ARENA_ARRAY(arena, uint32_t, all);
	place_threads(c, place, warp);
	place_helpers(c, place, warp);
	*p = (struct explore_program){.nthreads = all,
		.nhelpers = all - nthreads,
		.start = ptx_async_start,
		.twin = find_twins(c, all, observable, nobservables, arena),
		.place = place,
		.warp = warp,
		.stage = find_stages(c, all, arena),
		.nstages = c->nlaunches,
		.resume = ptx_resume,
		.lasts = ptx_lasts,
		.state_size = ptx_state_size(c),
		/* the last part is for ptx_asks_again */
		.scratch_size = sizeof(struct ptx_bench) + c->regs_bytes + 64 + ptx_state_size(c),
		.observable = arena_copy(arena, observable, nobservables * sizeof *observable,
			_Alignof(struct observable)),
		.nobservables = nobservables,
		.aliases = aliases,
		.client = c,
		.begin = ptx_begin,
		.step = ptx_program_step,
		.answer = ptx_answer,
		.may_write = ptx_may_write,
		.asks_again = ptx_asks_again,
		.may_touch = ptx_may_touch,
		.reach_key = ptx_reach_key,
		.reach = ptx_reach,
		.is_constant = ptx_is_constant,
		.is_inside = ptx_is_inside,
		.may_race = ptx_may_race,
		.may_arrive = ptx_may_arrive,
		.initial = ptx_initial,
		.reg = ptx_register};
	find_all_sites(c, nthreads, p->scratch_size, arena);
	ptx_find_written(p, c, arena);
	ptx_find_refusal(p, c);
	return p;
}
