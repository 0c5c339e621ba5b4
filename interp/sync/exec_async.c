/* The instructions that start or wait for asynchronous copies: operands are checked and the
 * operation is queued; async.c lands it. (PTX ISA 9.7.10.28) */
#include "code/valid.h"
#include "interp/sync/async.h"
#include "interp/state/exec.h"
#include "interp/state/limits.h"
#include "interp/sync/mbarrier_table.h"
#include "interp/memory/undefined.h"
#include "interp/state/weak_memory.h"
#include <string.h>

static bool copy_reach(struct warp *w, const struct op *op, unsigned lane,
	const struct op_address *a, uint64_t n, unsigned align, unsigned how, struct sync_place *p)
{
	if (!sync_reach(
		    w, op, lane, a->space, sync_address_of(w, a, lane), n ? n : 1, align, how, p))
		return false;
	if (!a->own || !p->cta || p->cta == w->cta)
		return true;
	fault(w, op, lane, DIAG_S0410,
		"0x%llx is in the shared memory of the CTA of rank %u of the cluster",
		(unsigned long long)p->address, p->cta->cluster_rank);
	return false;
}

/* --check=init: undefined registers used as addresses, sizes or masks. */
static void copy_check_defined(struct warp *w, const struct op *op, uint32_t mask)
{
	if (!w->frame->defined)
		return;
	const struct op_address *const address[] = {
		&op->async.operands->to, &op->async.operands->from, &op->async.operands->bar};

	for (unsigned k = 0; k < 3; k++)
		if (address[k]->width)
			undefined_use(w, op, mask, address[k]->place,
				"used in the address of an asynchronous copy");
	for (unsigned k = op->ndests; k < op->noperands; k++)
		undefined_use(w, op, mask, op->at[k], "given to an asynchronous copy");
}

void async_cancel(struct copy *c)
{
	for (uint32_t k = 0; k < c->nparts; k++)
		c->part[k].landed = true;
	c->left = 0;
}

static enum flow copy_cancel(struct copy *c)
{
	async_cancel(c);
	return FLOW_STOP;
}

/* --- cp.async --- */

enum flow exec_cp_async(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint32_t *filling = async_filling(w, 0);
	struct copy *c;
	uint32_t n = 0;

	copy_check_defined(w, op, mask);
	c = async_issue(w, op, COPY_CP, lanes_of(mask));
	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask) {
		struct copy_part *p = &c->part[n++];

		p->lane = (uint8_t)lane;
		p->bytes = p->take = op->async.bytes;
		p->group = filling[lane];
		if (op->async.source == CP_SIZE) {
			p->take = sync_value(w, op, 0, lane);
			if (valid_cp_source(p->take, p->bytes)) {
				fault(w, op, lane, DIAG_S0308,
					"src-size %u of a copy of %u bytes: src-size must not be larger than the copy",
					p->take, p->bytes);
				return copy_cancel(c);
			}
		} else if (op->async.source == CP_IGNORE && sync_value(w, op, 0, lane)) {
			p->take = 0;
		}
		if (!copy_reach(w, op, lane, &op->async.operands->to, op->async.bytes,
			    op->async.bytes, ACCESS_WRITE, &p->to))
			return copy_cancel(c);
		if (p->take ? !copy_reach(w, op, lane, &op->async.operands->from, p->take,
				      op->async.bytes, ACCESS_READ, &p->from)
			    : false)
			return copy_cancel(c);
	}
	async_issued(c);
	return FLOW_NEXT;
}

enum flow exec_commit_group(struct warp *w, const struct op *op, uint32_t mask)
{
	async_commit(w, op->group.bulk, mask);
	return FLOW_NEXT;
}

enum flow exec_wait_group(struct warp *w, const struct op *op, uint32_t mask)
{
	return async_wait(
		       w, op, mask, op->group.bulk, op->group.keep, op->group.all, op->group.read)
		? FLOW_NEXT
		: FLOW_STOP;
}

enum flow exec_cp_async_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	struct copy *c = async_issue(w, op, COPY_ARRIVE, lanes_of(mask));
	uint32_t n = 0;

	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask) {
		struct copy_part *p = &c->part[n++];

		p->lane = (uint8_t)lane;
		if (!copy_reach(w, op, lane, &op->async.operands->bar, 8, 8,
			    ACCESS_READ | ACCESS_WRITE, &p->bar) ||
			(!op->async.noinc && !mbarrier_do_raise(w, op, lane, &p->bar)))
			return copy_cancel(c);
	}
	async_issued(c);
	return FLOW_NEXT;
}

/* --- bulk copies --- */

static bool bulk_check_size(struct warp *w, const struct op *op, unsigned lane, uint32_t bytes)
{
	if (!valid_bulk_size(bytes))
		return true;
	fault(w, op, lane, DIAG_S0307,
		"bulk copy of %u bytes: the size must be a multiple of 16 up to 1048560", bytes);
	return false;
}

/* .ignore_oob: resolves the bytes of the source that are not ignored. (PTX ISA 9.7.10.28.4.1) */
static bool bulk_reach_inner(
	struct warp *w, const struct op *op, unsigned lane, struct copy_part *p)
{
	uint32_t left = sync_value(w, op, 1, lane), right = sync_value(w, op, 2, lane);
	uint64_t from = sync_address_of(w, &op->async.operands->from, lane);

	if (valid_ignored(left, right, p->bytes)) {
		fault(w, op, lane, DIAG_S0307,
			"ignoreBytesLeft is %u and ignoreBytesRight is %u, of %u bytes: each must be 0 to 15, and both together at most the size",
			left, right, p->bytes);
		return false;
	}
	p->left = (uint8_t)left;
	p->right = (uint8_t)right;
	p->take = p->bytes - left - right;
	if (from % 16) {
		fault(w, op, lane, DIAG_F0202, "cp at 0x%llx, which is not a multiple of 16",
			(unsigned long long)from);
		return false;
	}
	return !p->take ||
		sync_reach(w, op, lane, op->async.operands->from.space, from + left, p->take, 1,
			ACCESS_READ, &p->from);
}

/* Whether the mbarrier is where it may be: with the destination; of .cta_group::2 also in the other
 * CTA of the pair. */
static bool async_may_signal(const struct op *op, const struct copy_part *p)
{
	const struct op_tensor *t = op->async.operands->tensor;

	return p->bar.cta == p->to.cta ||
		(t && t->pair && (p->bar.cta->cluster_rank ^ p->to.cta->cluster_rank) == 1);
}

void async_check_bar(struct warp *w, const struct op *op, unsigned lane, const struct copy_part *p)
{
	struct mbarrier_record *r = p->bar.cta != w->cta && sync_checks(w)
		? mbarrier_find(p->bar.cta, p->bar.offset)
		: NULL;

	if (r)
		mbarrier_check_order(w, op, lane, p->bar.cta, r);
	if (!async_may_signal(op, p) && sync_checks(w))
		finding(w, op, lane, DIAG_S0311,
			"the destination is in the CTA of rank %u, but the mbarrier is in the one of rank %u",
			p->to.cta->cluster_rank, p->bar.cta->cluster_rank);
}

bool async_to_cta(struct warp *w, const struct op *op, unsigned lane, struct copy_part *p,
	uint32_t n, uint32_t rank)
{
	const struct op_tensor *t = op->async.operands->tensor;
	/* of a pair, the one as even or odd as that of the mbarrier */
	const uint32_t signalled = t && t->pair && p->bar.cta
		? (rank & ~1u) | (p->bar.cta->cluster_rank & 1)
		: rank;

	for (uint32_t k = 0; k < n; k++) {
		struct sync_place to = p[k].to, bar = p[k].bar;

		if (!sync_reach_in_cta(w, op, lane, &to, rank, p[k].bytes, &p[k].to) ||
			!sync_reach_in_cta(w, op, lane, &bar, signalled, 8, &p[k].bar))
			return false;
		if (p[k].signals)
			async_check_bar(w, op, lane, &p[k]);
	}
	return true;
}

static bool fill_multicast(struct warp *w, const struct op *op, unsigned lane, struct copy *c,
	uint32_t *n, const struct copy_part *like, uint32_t ranks)
{
	FOR_LANES(rank, ranks) {
		struct copy_part *p = &c->part[(*n)++];

		*p = *like;
		if (!sync_reach_in_cta(w, op, lane, &like->to, rank, like->bytes, &p->to) ||
			!sync_reach_in_cta(w, op, lane, &like->bar, rank, 8, &p->bar))
			return false;
		async_check_bar(w, op, lane, p);
	}
	return true;
}

/* The ranks that lane LANE's ctaMask names. False after a fault: some do not exist. */
static bool multicast_ranks(struct warp *w, const struct op *op, unsigned lane, uint32_t *ranks)
{
	*ranks = sync_value(w, op, 1, lane) & (op->async.wide ? UINT32_MAX : 0xffff);
	return sync_ranks_exist(w, op, lane, *ranks);
}

static uint32_t parts_of(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t n = 0, ranks;

	if (!op->async.multicast)
		return lanes_of(mask);
	FOR_LANES(lane, mask) {
		if (!multicast_ranks(w, op, lane, &ranks))
			return UINT32_MAX;
		n += (uint32_t)__builtin_popcount(ranks);
	}
	return n;
}

enum flow exec_bulk(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint32_t *filling = async_filling(w, 1);
	uint32_t n = 0, parts = parts_of(w, op, mask), ranks = 0;
	struct copy *c;

	copy_check_defined(w, op, mask);
	if (parts == UINT32_MAX)
		return FLOW_STOP;
	c = async_issue(w, op, op->async.signals ? COPY_BULK : COPY_GROUP, parts);
	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask) {
		struct copy_part p = {.lane = (uint8_t)lane,
			.byte_mask = 0xffff,
			.group = filling[lane],
			.signals = op->async.signals};

		p.bytes = p.take = sync_value(w, op, 0, lane);
		if (!bulk_check_size(w, op, lane, p.bytes))
			return copy_cancel(c);
		if (op->async.masked)
			p.byte_mask = (uint16_t)sync_value(w, op, 1, lane);
		if (!copy_reach(w, op, lane, &op->async.operands->to, p.bytes, 16, ACCESS_WRITE,
			    &p.to) ||
			!(op->async.ignores ? bulk_reach_inner(w, op, lane, &p)
					    : copy_reach(w, op, lane, &op->async.operands->from,
						      p.bytes, 16, ACCESS_READ, &p.from)))
			return copy_cancel(c);
		if (p.signals) {
			if (!copy_reach(w, op, lane, &op->async.operands->bar, 8, 8,
				    ACCESS_READ | ACCESS_WRITE, &p.bar))
				return copy_cancel(c);
			async_check_bar(w, op, lane, &p);
		}
		if (!op->async.multicast)
			c->part[n++] = p;
		else if (!multicast_ranks(w, op, lane, &ranks) ||
			!fill_multicast(w, op, lane, c, &n, &p, ranks))
			return copy_cancel(c);
	}
	async_issued(c);
	return FLOW_NEXT;
}

/* st.bulk completes at once: its completion is not waited for. */
enum flow exec_st_bulk(struct warp *w, const struct op *op, uint32_t mask)
{
	copy_check_defined(w, op, mask);
	FOR_LANES(lane, mask) {
		uint64_t n = op_value(w, op, 0, lane);
		struct sync_place p;

		if (limits_reached(w->machine))
			return FLOW_STOP;
		if (valid_st_bulk_size(n))
			return fault(w, op, lane, DIAG_S0307,
				"st.bulk of %llu bytes: the size must be a multiple of 8",
				(unsigned long long)n);
		if (!copy_reach(w, op, lane, &op->async.operands->to, n, 8, ACCESS_WRITE, &p))
			return FLOW_STOP;
		for (uint64_t k = 0; k < n; k++)
			w->effect |= p.host[k] != 0;
		memset(p.host, 0, (size_t)n);
		weak_memory_overwritten(w->machine, p.host, n);
		if (p.defined)
			memset(p.defined, 0xff, (size_t)n);
		w->worker->stats.bytes_stored[1] += n;
		sync_written(w, op, lane, &p, n, 8);
	}
	return FLOW_NEXT;
}

/* --- st.async, red.async --- */

enum flow exec_async_value(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_async_operands *x = op->async.operands;
	uint32_t n = 0, bytes = (uint32_t)op->async.bytes * op->async.vector;
	struct copy *c;

	copy_check_defined(w, op, mask);
	c = async_issue(w, op, COPY_VALUE, lanes_of(mask));
	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask) {
		struct copy_part *p = &c->part[n++];

		p->lane = (uint8_t)lane;
		p->bytes = bytes;
		p->signals = op->async.signals;
		for (unsigned e = 0; e < op->async.vector; e++) {
			const unsigned char *from = op_place(w, x->place[e]);
			uint64_t v;

			if (x->width[e] == 16) { /* .b128 */
				memcpy(p->value, from + lane * 16, 16);
				break;
			}
			v = register_get(from, lane, x->width[e]);
			memcpy((unsigned char *)p->value + e * op->async.bytes, &v,
				op->async.bytes);
		}
		if (!copy_reach(w, op, lane, &op->async.operands->to, bytes, bytes, ACCESS_WRITE,
			    &p->to))
			return copy_cancel(c);
		if (!p->signals)
			continue;
		if (!copy_reach(w, op, lane, &op->async.operands->bar, 8, 8,
			    ACCESS_READ | ACCESS_WRITE, &p->bar))
			return copy_cancel(c);
		async_check_bar(w, op, lane, p);
	}
	async_issued(c);
	return FLOW_NEXT;
}
