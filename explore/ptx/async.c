/* The issuer's side of asynchronous copies: starts helpers, counts their groups and waits for them.
 * (PTX ISA 9.7.10.28; docs/MEMORY-MODEL.md)
 *
 * A helper ends with a barrier arrival, which its issuer's waits follow; other threads can observe
 * its completion only through an mbarrier. */
#include "base/assert.h"
#include "code/valid.h"
#include "explore/ptx/async_copy.h"
#include "interp/memory/access.h"
#include "interp/state/cluster.h"
#include "interp/sync/sync.h"
#include <string.h>

static bool async_fault(struct action *a, const char *text)
{
	a->kind = ACTION_FAULT;
	a->text = text;
	return false;
}

static bool async_refuse(struct action *a, const char *text)
{
	a->unsupported = true;
	return async_fault(a, text);
}

uint32_t ptx_async_count(const struct ptx_launch *l, bool *again)
{
	const struct ptx_code *c = l->code;
	uint32_t n = 0, ctas = l->launch ? l->launch->cluster_ctas : 1;
	*again = false;
	for (uint32_t i = 0; i < c->nops; i++) {
		if (c->op[i].class != PTX_ASYNC)
			continue;
		*again |= row_has(c->op[i + 1].sites, c->op[i].site);
		n += c->ops[i].async.multicast ? ctas : 1;
	}
	return n;
}

/* --- issuing --- */

/* Resolves AT, which is known, to *VIRT and *PHYS; false with a fault in A. */
static bool resolve_address(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op_address *at, uint64_t bytes, unsigned align,
	bool write, struct action *a, uint64_t *virt, uint64_t *phys)
{
	uint64_t last;
	uint16_t where;
	assert(!at->width || ptx_place_known(b, s, at->place)); /* all_known() */
	*virt = sync_address_of(&b->warp, at, b->lane);
	if (*virt % align)
		return async_fault(a, "a misaligned address of an asynchronous copy");
	if (!bytes)
		return true;
	if (!ptx_resolve(c, thread, at->space, *virt, 1, write, &where, phys) ||
		(where != W_shared && where != W_global) ||
		!ptx_resolve(c, thread, at->space, *virt + bytes - 1, 1, write, &where, &last) ||
		last - *phys != bytes - 1)
		return async_fault(a, "an asynchronous copy outside all buffers and variables");
	if (at->own && where == W_shared && !ptx_is_own(c, thread, *phys))
		return async_fault(a, PTX_NOT_OWN);
	return true;
}

static uint64_t operand_value(const struct ptx_bench *b, const struct op *op, unsigned k)
{
	return register_get(op_lanes(&b->warp, op, k), b->lane, op->width[k]);
}

/* Whether MASK, for 16 bytes, is uniform in each aligned group of N bytes. */
static bool mask_is_uniform(uint16_t mask, uint32_t n)
{
	for (uint32_t at = 0; n < 16 && at < 16; at += n) {
		uint32_t piece = (uint32_t)mask >> at & ((1u << n) - 1);
		if (piece && piece != (1u << n) - 1)
			return false;
	}
	return n < 16 || mask == 0xffff || !mask;
}

/* The size of the pieces of a copy: at most the granule, and small enough that they are aligned and
 * uniformly masked. */
static uint32_t piece_size(const struct ptx_client *c, const struct ptx_copy *d, uint32_t bytes)
{
	uint32_t n = c->granule;
	while (n > 1 &&
		(bytes % n || d->to % n || d->from % n || d->take_bytes % n ||
			!mask_is_uniform(d->mask, n)))
		n /= 2;
	return n;
}

/* Describes a cp.async in D; false with a fault in A. */
static bool describe_cp(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, struct action *a, struct ptx_copy *d)
{
	uint64_t virt;
	uint32_t bytes = op->async.bytes;
	d->take_bytes = bytes;
	if (op->async.source == CP_SIZE)
		d->take_bytes = (uint32_t)operand_value(b, op, 0);
	else if (op->async.source == CP_IGNORE && operand_value(b, op, 0))
		d->take_bytes = 0;
	if (valid_cp_source(d->take_bytes, bytes))
		return async_fault(a, "a src-size above the size of the copy");
	d->proxy = PROXY_GENERIC;
	if (!resolve_address(c, thread, b, s, &op->async.operands->to, bytes, bytes, true, a, &virt,
		    &d->to) ||
		!resolve_address(c, thread, b, s, &op->async.operands->from, d->take_bytes, bytes,
			false, a, &virt, &d->from))
		return false;
	d->size = (uint8_t)piece_size(c, d, bytes);
	d->n = bytes / d->size;
	return true;
}

/* The address that corresponds to PHYS in the cluster's CTA of rank RANK. */
static uint64_t address_in_rank(
	const struct ptx_client *c, uint32_t thread, uint32_t rank, uint64_t phys)
{
	uint16_t where;
	uint64_t there;
	bool found = ptx_resolve(c, thread, W_shared,
		MEMORY_RANK_BITS(rank) + (phys - PTX_SHARED) % PTX_SHARED_STEP, 1, true, &where,
		&there);
	assert(found); /* the CTAs of a cluster have the same shared memory */
	(void)found;
	return there;
}

/* A multicast copy is one operation per destination, issued one after another; s->element counts
 * them. Fills in the next destination. False: none is left, or a fault. */
static bool next_rank(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, struct action *a, struct ptx_copy *d)
{
	uint32_t ranks = (uint32_t)operand_value(b, op, 1) & (op->async.wide ? UINT32_MAX : 0xffff);
	if (valid_cta_mask(ranks, b->cluster.n))
		return async_fault(a, "a ctaMask that names CTAs which the cluster does not have");
	for (uint32_t k = 0; k < s->element && ranks; k++)
		ranks &= ranks - 1;
	if (!ranks)
		return false;
	uint32_t rank = (uint32_t)__builtin_ctz(ranks);
	d->to = address_in_rank(c, thread, rank, d->to);
	d->bar = address_in_rank(c, thread, rank, d->bar);
	return true;
}

static bool describe_bulk(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, struct action *a, struct ptx_copy *d)
{
	uint64_t virt, bytes = operand_value(b, op, 0);
	d->proxy = PROXY_ASYNC;
	d->signals = op->async.signals;
	d->halves = !d->signals;
	d->take_bytes = (uint32_t)bytes;
	if (op->async.masked)
		d->mask = (uint16_t)operand_value(b, op, 1);
	if (valid_bulk_size(bytes))
		return async_fault(
			a, "a bulk copy whose size is not a multiple of 16 or is too large");
	if (!resolve_address(
		    c, thread, b, s, &op->async.operands->to, bytes, 16, true, a, &virt, &d->to) ||
		!resolve_address(c, thread, b, s, &op->async.operands->from, bytes, 16, false, a,
			&virt, &d->from) ||
		(d->signals &&
			!resolve_address(c, thread, b, s, &op->async.operands->bar, 8, 8, true, a,
				&virt, &d->bar)))
		return false;
	if (op->async.multicast && !next_rank(c, thread, b, s, op, a, d))
		return false;
	d->reduces = op->async.atomic != ATOMIC_NONE;
	d->scope = op->async.data_scope;
	d->size = d->reduces ? op->async.bytes : (uint8_t)piece_size(c, d, (uint32_t)bytes);
	d->n = (uint32_t)bytes / d->size;
	d->tx = (uint32_t)bytes;
	if (d->n > (d->halves ? PTX_COPY_KEPT : 1024u))
		return async_refuse(a,
			d->halves
				? "a bulk copy of more than 64 elements to global memory, which the explorer does not follow"
				: "a bulk copy of more than 1024 elements, which the explorer does not follow");
	return true;
}

static bool describe_value(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, struct action *a, struct ptx_copy *d)
{
	const struct op_async_operands *x = op->async.operands;
	uint64_t virt;
	d->proxy = PROXY_GENERIC;
	d->values = true;
	d->signals = op->async.signals;
	d->reduces = op->async.atomic != ATOMIC_NONE;
	d->sem = op->async.sem == SEM_RELEASE ? SEM_RELEASE : d->reduces ? SEM_RELAXED : SEM_WEAK;
	d->scope = op->async.scope;
	d->size = op->async.bytes;
	d->n = op->async.vector;
	d->tx = (uint32_t)op->async.bytes * op->async.vector;
	for (unsigned e = 0; e < op->async.vector && d->size <= 8; e++)
		d->kept[e] = register_get(op_place(&b->warp, x->place[e]), b->lane, x->width[e]);
	if (d->size == 16) { /* .b128: two elements of 8 bytes */
		const unsigned char *from = op_place(&b->warp, x->place[0]);

		memcpy(d->kept, from + b->lane * 16u, 16);
		d->size = 8;
		d->n = 2;
	}
	return resolve_address(c, thread, b, s, &op->async.operands->to, d->tx, d->tx, true, a,
		       &virt, &d->to) &&
		(!d->signals ||
			resolve_address(c, thread, b, s, &op->async.operands->bar, 8, 8, true, a,
				&virt, &d->bar));
}

/* cp.async.mbarrier.arrive: arrives after all earlier cp.async of the thread. */
static bool describe_arrive(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, struct action *a, struct ptx_copy *d)
{
	uint64_t virt;
	d->arrives = true;
	d->scope = SCOPE_CTA;
	d->proxy = PROXY_GENERIC;
	for (uint32_t k = 0; k < s->issued; k++)
		d->awaits |= s->kind_of[k] == PTX_ASYNC_CP ? UINT64_C(1) << k : 0;
	return resolve_address(
		c, thread, b, s, &op->async.operands->bar, 8, 8, true, a, &virt, &d->bar);
}

static bool all_known(const struct ptx_bench *b, struct ptx_state *s)
{
	for (const uint16_t *k = b->code->op[s->pc].source; *k != PTX_NO_SLOT; k++) {
		if (!row_has(ptx_known(b->code, s), *k))
			return false;
	}
	return true;
}

static bool issue_operation(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, struct action *a)
{
	struct ptx_copy *d = &b->copy;
	bool multicast = op->async.multicast, fine = false;
	uint8_t kind = PTX_ASYNC_OTHER;
	*d = (struct ptx_copy){
		.op = s->pc, .owner = thread, .sem = SEM_WEAK, .scope = SCOPE_SYS, .mask = 0xffff};
	switch (op->kind) {
	case KIND_CP_ASYNC_ARRIVE: fine = describe_arrive(c, thread, b, s, op, a, d); break;
	case KIND_CP_ASYNC:
		kind = PTX_ASYNC_CP;
		fine = describe_cp(c, thread, b, s, op, a, d);
		break;
	case KIND_BULK:
		fine = describe_bulk(c, thread, b, s, op, a, d);
		kind = d->signals ? PTX_ASYNC_OTHER : PTX_ASYNC_GROUP;
		break;
	default: fine = describe_value(c, thread, b, s, op, a, d); break;
	}
	/* all destinations are issued */
	if (!fine && multicast && a->kind != ACTION_FAULT) {
		s->element = 0;
		s->pc++;
		return true;
	}
	if (!fine)
		return false;
	if (s->issued >= c->thread[thread].nhelpers)
		return async_refuse(a,
			"more asynchronous operations of one thread than the explorer follows (64 per thread, 512 in all)");
	a->kind = ACTION_ISSUE;
	a->helper = c->thread[thread].first_helper + s->issued;
	a->payload = d;
	a->releases = d->sem == SEM_RELEASE;
	s->kind_of[s->issued] = kind;
	s->group_of[s->issued] = kind < PTX_ASYNC_OTHER ? s->group[kind] : 0;
	s->issued++;
	s->half_done = false;
	s->element = multicast ? s->element + 1 : 0;
	s->pc += !multicast;
	return false;
}

/* Whether OP first raises the pending count: cp.async.mbarrier.arrive without .noinc, by a read and
 * a write. */
static bool raises_count(const struct op *op)
{
	return op->kind == KIND_CP_ASYNC_ARRIVE && !op->async.noinc;
}

static bool raise_count(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, struct action *a)
{
	uint64_t virt, phys, word = s->old[0];
	if (!resolve_address(
		    c, thread, b, s, &op->async.operands->bar, 8, 8, true, a, &virt, &phys))
		return false;
	*a = (struct action){.scratch = a->scratch,
		.place = s->pc,
		.kind = ACTION_READ,
		.sem = SEM_RELAXED,
		.scope = SCOPE_CTA,
		.size = 8,
		.rmw = true,
		.reduction = true,
		.quiet = b->code->quiet_mbarriers ? QUIET_MBARRIER : QUIET_NOT,
		.address_known = true,
		.virt = phys,
		.phys = phys};
	a->value[0] = UINT64_MAX;
	if (!s->half_done) {
		s->half_done = true;
		return false;
	}
	a->kind = ACTION_WRITE;
	a->value_known = s->old_known;
	if (s->old_known && (!mbarrier_marked(word) || mbarrier_raise(&word) != MBARRIER_FINE))
		return async_fault(a,
			mbarrier_marked(s->old[0]) ? "an mbarrier operation beyond its counts"
						   : "an mbarrier that was not initialised");
	a->value[0] = word;
	s->half_done = false;
	s->element = 1; /* the arrival is issued next */
	return false;
}

/* --- waiting --- */

/* Makes A a wait for the next helper in SET whose completion (with READ: whose reads) was not
 * waited for. False: there is none. */
static bool wait_next(const struct ptx_client *c, uint32_t thread, struct ptx_state *s,
	uint64_t set, bool read, struct action *a)
{
	uint64_t left = set & ~s->landed & ~(read ? s->fetched : 0);
	if (!left)
		return false;
	uint32_t k = (uint32_t)__builtin_ctzll(left);
	if (read)
		s->fetched |= UINT64_C(1) << k;
	else
		s->landed |= UINT64_C(1) << k;
	ptx_copy_end(a, c->thread[thread].first_helper + k, read);
	a->wait_only = true;
	a->count = 1;
	s->events++;
	return true;
}

static bool wait_groups(const struct ptx_client *c, uint32_t thread, struct ptx_state *s,
	const struct op *op, struct action *a)
{
	uint64_t set = 0;
	uint32_t which = op->group.bulk;
	bool all = op->group.all, read = op->group.read;
	for (uint32_t k = 0; k < s->issued; k++) {
		if (s->kind_of[k] == which &&
			(all || (uint64_t)s->group_of[k] + op->group.keep < s->group[which]))
			set |= UINT64_C(1) << k;
	}
	if (wait_next(c, thread, s, set, read, a))
		return false;
	s->pc++;
	return true;
}

bool ptx_async_drain(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a)
{
	return !wait_next(c, thread, s,
		s->issued < 64 ? (UINT64_C(1) << s->issued) - 1 : UINT64_MAX, false, a);
}

/* st.bulk writes zeros in pieces of at most the granule: weak, synchronous, and unordered among
 * themselves. */
bool ptx_bulk_store(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a)
{
	const struct op *op = &b->code->ops[s->pc];
	uint64_t virt, phys;
	if (!all_known(b, s)) {
		a->kind = ACTION_STALL;
		return false;
	}
	uint64_t bytes = operand_value(b, op, 0), piece = c->granule < 8 ? c->granule : 8;
	if (valid_st_bulk_size(bytes))
		return async_fault(a, "st.bulk of a size that is not a multiple of 8");
	if (!resolve_address(
		    c, thread, b, s, &op->async.operands->to, bytes, 8, true, a, &virt, &phys))
		return false;
	if (s->element * piece >= bytes) {
		s->element = 0;
		s->pc++;
		return true;
	}
	if (phys < PTX_SHARED)
		return async_fault(a, "st.bulk outside shared memory");
	phys += s->element * piece;
	*a = (struct action){.scratch = a->scratch,
		.place = s->pc,
		.kind = ACTION_WRITE,
		.sem = SEM_WEAK,
		.scope = SCOPE_SYS,
		.proxy = PROXY_GENERIC,
		.size = (uint8_t)piece,
		.address_known = true,
		.value_known = true,
		.element = s->element > 0,
		.sizeless = true,
		.virt = phys,
		.phys = phys};
	s->element++;
	s->events++;
	s->nvisits = 0;
	return false;
}

bool ptx_async(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a)
{
	const struct op *op = &b->code->ops[s->pc];
	if (b->code->op[s->pc].class == PTX_ASYNC_COMMIT) {
		s->group[ir_form(&b->code->module->insn[op->insn])->handler == HANDLER_bulk]++;
		s->pc++;
		return true;
	}
	if (b->code->op[s->pc].class == PTX_ASYNC_WAIT)
		return wait_groups(c, thread, s, op, a);
	if (!all_known(b, s)) {
		a->kind = ACTION_STALL;
		return false;
	}
	s->events++;
	s->nvisits = 0;
	if (raises_count(op) && !s->element)
		return raise_count(c, thread, b, s, op, a);
	return issue_operation(c, thread, b, s, op, a);
}
