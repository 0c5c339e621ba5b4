/* Facts about a kernel's threads determined before exploration: addresses of stores, and waits on
 * mbarriers that do nothing but wait. */
#include "explore/ptx/thread.h"
#include "interp/memory/memory.h"
#include "interp/sync/sync.h"
#include <string.h>

/* --- addresses of stores --- */

void ptx_find_sites(const struct ptx_client *c, uint32_t thread, void *scratch, struct arena *arena)
{
	const struct ptx_code *o = c->launch[c->thread[thread].launch].code;
	struct ptx_thread_info *t = &c->thread[thread];
	struct ptx_bench *b = scratch;
	struct ptx_state *s = arena_zalloc(arena, ptx_state_size(c), 8);
	uint64_t address[LANES];
	t->site_address = ARENA_ARRAY(arena, uint64_t, o->nsites + 1);
	ptx_set_up(c, thread, b);
	ptx_unpack(b, s);
	/* Runs ops in code order, regardless of control flow: a register with a single definition
	 * that depends on no memory has the same value wherever it is used. */
	for (uint32_t i = 0; i < o->nops; i++) {
		const struct op *op = &o->ops[i];
		const struct ptx_op *x = &o->op[i];
		uint16_t where;
		bool known = true;
		ptx_enter(b, &o->part[o->part_of[i]]);
		for (const uint16_t *k = x->source; *k != PTX_NO_SLOT; k++)
			known &= row_has(ptx_known(o, s), *k);
		if (x->site != UINT32_MAX) {
			t->site_address[x->site] = UINT64_MAX;
			uint64_t phys;
			if (x->class == PTX_ASYNC || x->class == PTX_BULK_STORE)
				continue; /* address unknown */
			if (x->class == PTX_MBARRIER) {
				const struct op_address *at = op->mbarrier.address;
				if ((!at->width || ptx_place_known(b, s, at->place)) &&
					ptx_resolve(c, thread, at->space,
						sync_address_of(&b->warp, at, b->lane), 8, true,
						&where, &phys))
					t->site_address[x->site] = phys;
				continue;
			}
			uint16_t base = ptx_slot_at(b->part, op->at[op->access.base_operand]);
			if (base == PTX_NO_SLOT || row_has(ptx_known(o, s), base)) {
				access_addresses(&b->warp, op, b->mask, address);
				if (ptx_resolve(c, thread, op->access.space, address[b->lane],
					    op->access.bytes, true, &where, &phys))
					t->site_address[x->site] = phys;
			}
			continue;
		}
		bool param = x->class == PTX_LOAD && op->access.space == W_param &&
			op->access.vector == 1 && op->access.bytes <= 8;
		if ((x->class != PTX_REGISTERS && !param) || !known || !(op->guard & 1))
			continue;
		bool single = true;
		for (const uint16_t *k = x->dest; *k != PTX_NO_SLOT; k++)
			single &= o->slot[*k].definitions == 1;
		if (!single)
			continue;
		if (param) {
			struct action a = {.scratch = scratch};
			s->pc = i;
			if (!ptx_memory(c, thread, b, s, &a))
				continue;
		} else {
			ptx_compute(b, op);
		}
		for (const uint16_t *k = x->dest; *k != PTX_NO_SLOT; k++)
			row_put(ptx_known(o, s), *k);
	}
	ptx_pack(b, s);
	t->fixed = s;
}

/* --- waits --- */

/* Whether the thread, which is just after wait I, returns to it by computing registers only.
 * *TRACE: a live register may have changed. A register of FIXED has one value all the time. */
static bool comes_back(const struct ptx_client *c, const struct ptx_code *o, struct ptx_bench *b,
	struct ptx_state *s, uint32_t i, const struct ptx_state *fixed, bool *trace)
{
	enum { MAX_STEPS = 256 };
	s->pc = i + 1;
	for (uint32_t steps = 0; steps < MAX_STEPS && s->pc < o->nops; steps++) {
		const struct op *op = &o->ops[s->pc];
		const struct ptx_op *x = &o->op[s->pc];
		if (s->pc == i)
			return true;
		ptx_enter(b, &o->part[o->part_of[s->pc]]);
		bool known = ptx_place_known(b, s, op->guard);
		if (x->class == PTX_REGISTERS) {
			if (!known || ptx_guard_holds(b, op))
				ptx_registers(c, b, s, op, x, known);
			for (const uint16_t *k = x->dest; *k != PTX_NO_SLOT; k++)
				*trace |= row_has(o->op[i].live, *k) &&
					!row_has(ptx_known(o, (struct ptx_state *)(uintptr_t)fixed),
						*k);
			s->pc++;
		} else if (x->class == PTX_NOTHING) {
			s->pc++;
		} else if (x->idle) {
			s->pc = x->meet_at;
		} else if (x->class == PTX_OPEN) {
			ptx_mark(b, s, op->at[0], false, false);
			*trace |= row_has(o->op[i].live, x->dest[0]);
			s->pc++;
		} else if (x->class == PTX_BRANCH && known) {
			s->pc = ptx_guard_holds(b, op) ? op->branch.target : s->pc + 1;
		} else {
			return false;
		}
	}
	return false;
}

/* Whether an unsuccessful wait I is only repeated. */
static bool only_waits(const struct ptx_client *c, const struct ptx_code *o, struct ptx_bench *b,
	struct ptx_state *s, uint32_t i, const struct ptx_state *fixed, bool *trace)
{
	memset(ptx_known(o, s), 0, o->slot_words * sizeof(uint64_t));
	ptx_enter(b, &o->part[o->part_of[i]]);
	op_set(&b->warp, &o->ops[i], 0, b->lane, 0);
	ptx_mark(b, s, o->ops[i].at[0], true, true);
	return comes_back(c, o, b, s, i, fixed, trace);
}

bool ptx_asks_again(const struct explore_program *p, uint32_t thread, uint32_t place,
	const uint64_t value[2], void *scratch)
{
	const struct ptx_client *c = p->client;
	const struct ptx_code *o = c->launch[c->thread[thread].launch].code;
	struct ptx_bench *b = scratch;
	struct ptx_state *s = (void *)(b->regs + (c->regs_bytes + 63) / 64 * 64);
	struct action read = {.value_known = true, .value = {value[0], value[1]}};
	bool trace = false;
	memcpy(s, c->thread[thread].fixed, p->state_size);
	s->pc = place;
	ptx_set_up(c, thread, b);
	ptx_unpack(b, s);
	ptx_enter(b, &o->part[o->part_of[place]]);
	ptx_memory_answer(b, s, &read);
	return comes_back(c, o, b, s, place, c->thread[thread].fixed, &trace) && !trace;
}

void ptx_check_waits(
	const struct ptx_client *c, uint32_t launch, void *scratch, struct arena *arena)
{
	struct ptx_code *o = c->launch[launch].code;
	struct ptx_bench *b = scratch;
	struct ptx_state *s = arena_zalloc(arena, ptx_state_size(c), 8);
	ptx_set_up(c, c->launch[launch].first_thread, b);
	for (uint32_t i = 0; i < o->nops; i++) {
		bool trace = false;
		if (o->op[i].quiet != QUIET_WAIT)
			continue;
		if (only_waits(c, o, b, s, i, c->thread[c->launch[launch].first_thread].fixed,
			    &trace) &&
			!trace)
			continue;
		o->quiet_mbarriers = false;
		o->op[i].quiet = QUIET_NOT;
	}
	for (uint32_t i = 0; i < o->nops; i++) {
		const struct ptx_op *x = &o->op[i];
		if (x->class == PTX_LOAD && x->sem != SEM_WEAK && o->ops[i].access.vector == 1 &&
			o->ops[i].guard & 1 && !row_empty(x->inside, o->head_words))
			o->op[i].quiet = QUIET_POLL;
	}
	for (uint32_t i = 0; !o->quiet_mbarriers && i < o->nops; i++) {
		/* waits stay quiet: their results do not depend on the order of arrivals */
		if (o->op[i].quiet == QUIET_MBARRIER)
			o->op[i].quiet = QUIET_NOT;
	}
}
