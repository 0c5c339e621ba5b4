/* Runs a thread of a kernel: ops on registers use the interpreter's own kernels and handlers on one
 * lane; everything else becomes events. A register is known or unknown, and an op with an unknown
 * input has unknown outputs. An unknown guard or branch stops the thread until the read that it
 * depends on is resolved. */
#include "base/assert.h"
#include "code/valid.h"
#include "explore/ptx/async.h"
#include "explore/ptx/call.h"
#include "explore/ptx/host.h"
#include "explore/ptx/open.h"
#include "model/execution.h"
#include <string.h>

static const struct ptx_client *thread_client_of(const struct explore_program *p)
{
	return p->client;
}

size_t ptx_state_size(const struct ptx_client *c)
{
	size_t most = 0;
	for (uint32_t k = 0; k < c->nlaunches; k++) {
		const struct ptx_code *o = c->launch[k].code;
		size_t words = o->state_words + 2 * (size_t)o->slot_words + o->nheads +
			o->local_bytes / 64 + 1 + o->local_bytes / 8 + 1;
		words += o->has_open ? o->slot_words + o->local_bytes / 64 + 1 : 0;
		most = words > most ? words : most;
	}
	size_t bytes = sizeof(struct ptx_state) + most * sizeof(uint64_t),
	       helper = (ptx_async_state_size() + 7) / 8 * 8;
	return c->thread &&
			c->thread[c->nmain - 1].first_helper + c->thread[c->nmain - 1].nhelpers >
				c->nmain &&
			helper > bytes
		? helper
		: bytes;
}

static const struct ptx_code *code_of(const struct ptx_client *c, uint32_t thread)
{
	return c->launch[c->thread[thread].launch].code;
}

void ptx_begin(const struct explore_program *p, uint32_t thread, void *state)
{
	const struct ptx_client *c = thread_client_of(p);
	const struct ptx_code *o = code_of(c, thread);
	struct ptx_state *s = state;
	/* registers and local memory start as zero, as in the interpreter */
	memset(ptx_known(o, s), 255, o->slot_words * sizeof(uint64_t));
	memset(ptx_local_known(o, s), 255, (o->local_bytes / 64 + 1) * sizeof(uint64_t));
}

void ptx_resume(const struct explore_program *p, uint32_t thread, void *state)
{
	const struct ptx_client *c = thread_client_of(p);
	struct ptx_state *s = state;
	ptx_begin(p, thread, state);
	s->waited = c->launch[c->thread[thread].launch].nafter;
}

/* --- the bench --- */

void ptx_set_up(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b)
{
	const struct ptx_thread_info *t = &c->thread[thread];
	const struct ptx_launch *l = &c->launch[t->launch];
	const uint32_t *block = l->launch->ask.block, *grid = l->launch->ask.grid;
	uint64_t linear = t->cta - l->first_cta;
	b->code = l->code;
	b->lane = t->tid % LANES;
	b->mask = 1u << b->lane;
	b->warp.frame = &b->frame;
	b->warp.cta = &b->cta;
	b->warp.machine = c->machine;
	b->warp.index = t->tid / LANES;
	b->warp.tid[0][b->lane] = t->tid % block[0];
	b->warp.tid[1][b->lane] = t->tid / block[0] % block[1];
	b->warp.tid[2][b->lane] = t->tid / block[0] / block[1];
	b->cta.launch = l->launch;
	b->cta.linear = linear;
	b->cta.ctaid[0] = (uint32_t)(linear % grid[0]);
	b->cta.ctaid[1] = (uint32_t)(linear / grid[0] % grid[1]);
	b->cta.ctaid[2] = (uint32_t)(linear / grid[0] / grid[1]);
	b->cta.shared_bytes = l->launch->shared_bytes;
	b->cta.cluster = &b->cluster;
	b->cluster.n = 1;
	b->cta.cluster_rank = 0;
	for (unsigned k = 3; k-- > 0;) {
		uint32_t dim = l->launch->ask.cluster[k] ? l->launch->ask.cluster[k] : 1;
		b->cluster.n *= dim;
		b->cta.cluster_rank = b->cta.cluster_rank * dim + b->cta.ctaid[k] % dim;
	}
	ptx_enter(b, &l->code->part[0]);
}

void ptx_unpack(struct ptx_bench *b, const struct ptx_state *s)
{
	for (uint32_t k = 0; k < b->code->nslots; k++) {
		const struct ptx_slot *o = &b->code->slot[k];
		void *lanes = b->regs + o->at;
		if (o->width == 16)
			memcpy((char *)lanes + b->lane * 16u, &s->word[o->word], 16);
		else
			register_set(lanes, b->lane, o->width, s->word[o->word]);
	}
}

void ptx_pack(const struct ptx_bench *b, struct ptx_state *s)
{
	for (uint32_t k = 0; k < b->code->nslots; k++) {
		const struct ptx_slot *o = &b->code->slot[k];
		const void *lanes = b->regs + o->at;
		if (o->width == 16)
			memcpy(&s->word[o->word], (const char *)lanes + b->lane * 16u, 16);
		else
			s->word[o->word] = register_get(lanes, b->lane, o->width);
	}
}

/* --- registers --- */

void ptx_compute(struct ptx_bench *b, const struct op *op)
{
	if (op->kind == KIND_ALU) {
		void *v[OP_MAX_OPERANDS];
		for (unsigned i = 0; i < OP_MAX_OPERANDS; i++)
			v[i] = op_place(&b->warp, op->at[i]);
		op->run.kernel(v, b->mask);
	} else {
		op->run.exec(&b->warp, op, b->mask);
	}
}

/* For --deps=semantic: whether the result is independent of an unknown x: x^x, x-x, x&0, x*0. */
static bool is_fixed(const struct ptx_bench *b, struct ptx_state *s, const struct op *op)
{
	if (op->insn == IR_NONE || op->kind != KIND_ALU || op->noperands < 3)
		return false;
	switch (ir_form(&b->code->module->insn[op->insn])->opcode) {
	case OP_xor:
	case OP_sub: return op->at[1] == op->at[2];
	case OP_and:
	case OP_mul:
		for (unsigned k = 1; k <= 2; k++) {
			if (op->width[k] && ptx_place_known(b, s, op->at[k]) &&
				register_get(op_lanes(&b->warp, op, k), b->lane, op->width[k]) == 0)
				return true;
		}
		return false;
	default: return false;
	}
}

void ptx_registers(const struct ptx_client *c, struct ptx_bench *b, struct ptx_state *s,
	const struct op *op, const struct ptx_op *o, bool guard_known)
{
	bool known = true, read = false, open = false;
	for (const uint16_t *k = o->source; *k != PTX_NO_SLOT; k++) {
		known &= row_has(ptx_known(b->code, s), *k);
		read |= row_has(ptx_read(b->code, s), *k);
		open |= b->code->has_open && row_has(ptx_open(b->code, s), *k);
	}
	if (open && !ptx_selects_closed(b, s, op)) {
		for (const uint16_t *k = o->dest; *k != PTX_NO_SLOT; k++)
			ptx_mark_open(b, s, *k, 0);
		return;
	}
	if (!known && guard_known && c->options->semantic_deps && is_fixed(b, s, op)) {
		known = true;
		read = false;
	}
	if (known)
		ptx_compute(b, op);
	for (const uint16_t *k = o->dest; *k != PTX_NO_SLOT; k++)
		ptx_mark_slot(b, s, *k, known, read);
}

/* --- loops --- */

/* At a loop head: whether the thread spins, since it was here in the same live state after its last
 * write, or has exceeded a bound. */
static bool stops_at_head(const struct ptx_client *c, struct ptx_bench *b, struct ptx_state *s,
	const struct ptx_op *o, struct action *a)
{
	struct ptx_rounds *rounds = &ptx_rounds(b->code, s)[o->head];
	if (rounds->decided) {
		bool chosen = rounds->choices != (s->choices & INT32_MAX);
		rounds->chosen = (uint16_t)(rounds->chosen + chosen);
		rounds->forced = (uint16_t)(rounds->forced + !chosen);
		rounds->decided = false;
		if (rounds->chosen > explore_rounds(c->options) + 1 ||
			rounds->forced > explore_forced_rounds(c->options)) {
			a->kind = ACTION_BOUND;
			return true;
		}
	}
	rounds->choices = s->choices & INT32_MAX;
	ptx_pack(b, s);
	uint64_t hash = ptx_mix(s->pc, 0x9e37);
	ROW_EACH(o->live, b->code->slot_words, k) {
		const struct ptx_slot *slot = &b->code->slot[k];
		if (!row_has(ptx_known(b->code, s), k))
			return false;
		hash = ptx_mix(hash, s->word[slot->word] + k);
		if (slot->width == 16)
			hash = ptx_mix(hash, s->word[slot->word + 1]);
	}
	for (uint32_t k = 0; k < s->nvisits; k++) {
		if (s->visit[k].state == hash) {
			a->kind = ACTION_SPIN;
			a->spin_events = s->events - s->visit[k].events;
			return true;
		}
	}
	if (s->nvisits == PTX_MAX_VISITS) {
		memmove(s->visit, s->visit + 1, (PTX_MAX_VISITS - 1) * sizeof *s->visit);
		s->nvisits--;
	}
	s->visit[s->nvisits++] = (struct ptx_visit){hash, s->events};
	return false;
}

/* --- barriers and fences --- */

static void barrier_action(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, struct action *a)
{
	enum barrier_kind kind = (enum barrier_kind)op->barrier.kind;
	bool red = barrier_reduces(kind);
	unsigned first = op->ndests;
	for (unsigned k = first; k < op->noperands; k++) {
		if (!ptx_place_known(b, s, op->at[k])) {
			a->kind = ACTION_STALL;
			return;
		}
	}
	uint64_t number = register_get(op_lanes(&b->warp, op, first), b->lane, op->width[first]);
	uint64_t count = op->barrier.counted
		? register_get(op_lanes(&b->warp, op, first + 1), b->lane, op->width[first + 1])
		: 0;
	if (valid_barrier_number(number) || valid_barrier_count(kind, count)) {
		a->kind = ACTION_FAULT;
		a->text = valid_barrier_number(number)
			? "a barrier number above 15"
			: "a barrier count that is not a multiple of 32";
		return;
	}
	a->kind = ACTION_BARRIER;
	a->rule = BARRIER_NUMBER;
	a->object = ptx_object(OBJECT_BARRIER, c->thread[thread].cta, (uint32_t)number);
	a->count = (uint32_t)count;
	a->arrive_only = kind == BARRIER_ARRIVE;
	a->value[1] = red ? register_get(op_lanes(&b->warp, op, op->noperands - 1u), b->lane, 0)
			  : 0;
}

static void warp_barrier_action(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, struct action *a)
{
	if (!ptx_place_known(b, s, op->at[0])) {
		a->kind = ACTION_STALL;
		return;
	}
	uint64_t members = register_get(op_lanes(&b->warp, op, 0), b->lane, op->width[0]);
	if (valid_member(members, b->lane)) {
		a->kind = ACTION_FAULT;
		a->text = "bar.warp.sync by a thread that is not in its membermask";
		return;
	}
	a->kind = ACTION_BARRIER;
	a->rule = BARRIER_WARP;
	a->object = ptx_object(OBJECT_WARP, c->thread[thread].warp, (uint32_t)members);
}

static void fence_action(const struct ptx_op *o, struct action *a)
{
	a->kind = o->class == PTX_FENCE ? ACTION_FENCE : ACTION_PROXY_FENCE;
	a->sem = o->sem;
	a->scope = o->scope;
	a->proxy = o->proxy;
	a->where = o->where;
}

/* --- the step --- */

bool ptx_guard_holds(const struct ptx_bench *b, const struct op *op)
{
	return (*(const uint32_t *)(const void *)op_place(&b->warp, op->guard) ^ op->guard_xor) &
		b->mask;
}

static void refuse_op(const struct ptx_op *o, struct action *a)
{
	a->kind = ACTION_FAULT;
	a->unsupported = o->class == PTX_UNSUPPORTED;
	a->text = o->refusal ? o->refusal : "trap";
}

/* Runs an op that may make an event. False: A is an event or a stop; true: there was none,
 * continue. */
static bool perform_op(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, const struct ptx_op *o, struct action *a)
{
	switch (o->class) {
	case PTX_LOAD:
	case PTX_STORE:
	case PTX_ATOM:
	case PTX_RED: return ptx_memory(c, thread, b, s, a);
	case PTX_FENCE:
	case PTX_PROXY_FENCE: fence_action(o, a); break;
	case PTX_BARRIER: barrier_action(c, thread, b, s, op, a); break;
	case PTX_WARP_BARRIER: warp_barrier_action(c, thread, b, s, op, a); break;
	case PTX_MBARRIER:
	case PTX_CLUSTER_BARRIER:
	case PTX_COLLECTIVE:
	case PTX_TOGETHER: ptx_synchronise(c, thread, b, s, a); return false;
	case PTX_ASYNC:
	case PTX_ASYNC_COMMIT:
	case PTX_ASYNC_WAIT: return ptx_async(c, thread, b, s, a);
	case PTX_BULK_STORE: return ptx_bulk_store(c, thread, b, s, a);
	case PTX_OPEN:
		ptx_mark_open(b, s, o->dest[0], PTX_OPEN_CLOCK);
		s->pc++;
		return true;
	case PTX_PRINT: ptx_print(b, s); return true;
	case PTX_EXIT: ptx_at_exit(c, thread, s, a); return false;
	default: refuse_op(o, a); return false;
	}
	if (a->kind < ACTION_STALL) {
		s->events++;
		if (a->kind == ACTION_BARRIER)
			s->nvisits = 0;
		if (o->class != PTX_BARRIER)
			s->pc++; /* a bar.red needs its answer first */
	}
	return false;
}

/* At O, a read decided that the next op is NEXT: records that it decided to stay in those loops
 * that O may leave and NEXT lies in, and resets the rounds of the loops that it left. */
static void record_decision(
	const struct ptx_bench *b, struct ptx_state *s, const struct ptx_op *o, uint32_t next)
{
	ROW_EACH(o->leaves, b->code->head_words, h) {
		if (row_has(b->code->op[next].inside, h))
			ptx_rounds(b->code, s)[h].decided = true;
		else
			ptx_rounds(b->code, s)[h] = (struct ptx_rounds){0};
	}
}

/* Executes jump, call or return OP; false if the target is not known yet or a fault occurs. */
static bool follow_jump(const struct ptx_client *c, struct ptx_bench *b, struct ptx_state *s,
	const struct op *op, const struct ptx_op *o, struct action *a)
{
	const struct branch_table *t = op->kind == KIND_BRANCH_INDEX ? op->table : NULL;
	uint64_t index;
	switch (o->class) {
	case PTX_BRANCH: s->pc = op->branch.target; return true;
	case PTX_CALL: return ptx_call(c->machine, b, s, a);
	case PTX_RETURN: ptx_return(c->machine, b, s); return true;
	default:
		if (!ptx_place_known(b, s, op->at[0])) {
			a->kind = ACTION_STALL;
			return false;
		}
		index = register_get(op_lanes(&b->warp, op, 0), b->lane, op->width[0]);
		if (index >= t->count) {
			a->kind = ACTION_FAULT;
			a->text = "brx.idx with an index past the end of its list";
			return false;
		}
		uint32_t next = b->code->part[b->code->part_of[s->pc]].first + t->target[index];
		if (ptx_place_read(b, s, op->at[0]))
			record_decision(b, s, o, next);
		s->pc = next;
		return true;
	}
}

/* Runs one op; false if the thread has an event or stops. */
static bool run_op(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a)
{
	assert(s->pc < b->code->nops); /* every function ends with an unguarded return */
	const struct ptx_op *o = &b->code->op[s->pc];
	const struct op *op = &b->code->ops[s->pc];
	a->place = s->pc;
	ptx_enter(b, &b->code->part[b->code->part_of[s->pc]]);
	if (o->loop_head && !s->half_done && !s->element && stops_at_head(c, b, s, o, a))
		return false;
	if (o->idle) {
		s->pc = o->meet_at;
		return true;
	}
	bool guard_known = ptx_place_known(b, s, op->guard),
	     guard_open = ptx_place_open(b, s, op->guard);
	if (o->class == PTX_REGISTERS) {
		if (!guard_known || guard_open || ptx_guard_holds(b, op))
			ptx_registers(c, b, s, op, o, guard_known);
		s->pc++;
		return true;
	}
	if (!guard_known) {
		a->kind = ACTION_STALL;
		return false;
	}
	bool holds = guard_open || ptx_guard_holds(b, op);
	if (guard_open && o->meets && s->open == PTX_OPEN_CLOCK) {
		for (const uint16_t *k = o->meets; *k != PTX_NO_SLOT; k++)
			ptx_mark_open(b, s, *k, 0);
		s->pc = o->meet_at;
		return true;
	}
	if (holds && ptx_open_decides(b, s, op, o)) {
		ptx_refuse_open(s, a);
		return false;
	}
	if ((o->class == PTX_BRANCH ||
		    (!holds && (o->class == PTX_EXIT || o->class == PTX_RETURN))) &&
		ptx_place_read(b, s, op->guard))
		record_decision(b, s, o, holds ? op->branch.target : s->pc + 1);
	if (holds && o->class >= PTX_BRANCH && o->class <= PTX_RETURN)
		return follow_jump(c, b, s, op, o, a);
	if (!holds || o->class == PTX_NOTHING) {
		s->pc++;
		return true;
	}
	return perform_op(c, thread, b, s, op, o, a);
}

void ptx_step(const struct explore_program *p, uint32_t thread, void *state, struct action *a)
{
	enum { MAX_STEPS = 1 << 20 };
	const struct ptx_client *c = thread_client_of(p);
	struct ptx_bench *b = a->scratch;
	struct ptx_state *s = state;
	if (c->thread[thread].owner != UINT32_MAX) {
		ptx_async_step(c, thread, state, a);
		return;
	}
	if (ptx_wait_for_launch(c, thread, s, a)) {
		s->events++;
		a->place = 0;
		return;
	}
	if (!c->launch[c->thread[thread].launch].launch) {
		if (!ptx_host_step(c, thread, s, a))
			ptx_at_exit(c, thread, s, a);
		return;
	}
	ptx_set_up(c, thread, b);
	ptx_unpack(b, s);
	for (uint32_t steps = 0; run_op(c, thread, b, s, a);) {
		if (++steps == MAX_STEPS) { /* no event in that many steps */
			a->kind = ACTION_BOUND;
			break;
		}
	}
	ptx_pack(b, s);
	if (a->kind == ACTION_END && b->code->has_open && ptx_open_observed(p, thread, b->code, s))
		ptx_refuse_open(s, a);
}

static void barrier_answer(
	struct ptx_bench *b, struct ptx_state *s, const struct op *op, const struct action *a)
{
	uint64_t v = 0;
	switch ((enum barrier_kind)op->barrier.kind) {
	case BARRIER_SYNC:
	case BARRIER_ARRIVE: return;
	case BARRIER_POPC: v = VOTES_TRUE(a->value[1]); break;
	case BARRIER_AND: v = VOTES_ALL(a->value[1]); break;
	case BARRIER_OR: v = VOTES_ANY(a->value[1]); break;
	}
	op_set(&b->warp, op, 0, b->lane, v);
	ptx_mark(b, s, op->at[0], true, true);
}

void ptx_answer(const struct explore_program *p, uint32_t thread, void *state, struct action *a)
{
	const struct ptx_client *c = thread_client_of(p);
	struct ptx_bench *b = a->scratch;
	struct ptx_state *s = state;
	if (c->thread[thread].owner != UINT32_MAX) {
		ptx_async_answer(c, thread, state, a);
		return;
	}
	s->choices += a->kind == ACTION_READ && a->value_known && !a->only;
	bool exchange = a->kind == ACTION_BARRIER &&
		((a->rule == BARRIER_WARP && ptx_object_kind(a->object) == OBJECT_EXCHANGE) ||
			a->rule == BARRIER_TOGETHER);
	if (a->kind == ACTION_BARRIER && a->rule != BARRIER_NUMBER && !exchange)
		return;
	ptx_set_up(c, thread, b);
	ptx_unpack(b, s);
	ptx_enter(b, &b->code->part[b->code->part_of[s->pc]]);
	if (exchange) {
		ptx_collective_answer(b, s, a);
	} else if (a->kind == ACTION_BARRIER) {
		barrier_answer(b, s, &b->code->ops[s->pc], a);
		s->pc++;
	} else if (b->code->op[s->pc].class == PTX_MBARRIER) {
		ptx_mbarrier_answer(c, b, s, a);
	} else if (b->code->op[s->pc].class == PTX_ASYNC) {
		s->old[0] = a->value_known ? a->value[0] : 0;
		s->old_known = a->value_known;
	} else {
		ptx_memory_answer(b, s, a);
	}
	ptx_pack(b, s);
}

uint64_t ptx_register(
	const struct explore_program *p, uint32_t thread, const void *state, uint32_t reg)
{
	const struct ptx_code *o = code_of(thread_client_of(p), thread);
	uint16_t slot = ptx_slot_at(&o->part[0], o->code->reg_at[reg]);
	return slot == PTX_NO_SLOT ? 0
				   : ((const struct ptx_state *)state)->word[o->slot[slot].word];
}
