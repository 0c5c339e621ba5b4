/* Counts of synchronisation, and unordered accesses to another CTA's shared memory. */
#include "interp/memory/order.h"
#include "interp/state/cluster.h"

/* The counts of one CTA. */
struct order_counts {
	uint32_t epoch;
	uint32_t far;    /* number of its last synchronisation with other CTAs */
	uint32_t events; /* last number used in the cluster; valid in its first CTA */
};

static struct order_counts *order_counts_of(struct cta *c)
{
	if (!c->order)
		c->order = ARENA_NEW(&c->arena, struct order_counts);
	return c->order;
}

void order_begins(struct cta *c)
{
	struct order_counts *o = order_counts_of(c),
			    *first = order_counts_of(c->cluster->member[0]);

	o->epoch = 0;
	o->far = 1;
	if (first->events == 0)
		first->events = 1;
}

void order_synchronised(struct cta *c)
{
	if (c->order->epoch < ORDER_EPOCHS)
		c->order->epoch++;
}

uint32_t order_next(struct cta *c) { return ++c->cluster->member[0]->order->events; }

void order_synchronised_remote(struct cta *c) { c->order->far = order_next(c); }

uint32_t order_epoch(const struct cta *c) { return c->order ? c->order->epoch : 0; }

uint32_t order_last(const struct cta *c) { return c->order ? c->order->far : 0; }

/* --- another CTA's shared memory --- */

void cluster_check_life(
	struct warp *w, const struct op *op, unsigned lane, const struct cta *c, uint64_t address)
{
	if (!sync_checks(w))
		return;
	if (cluster_cta_exited(c))
		finding(w, op, lane, DIAG_S0402,
			"0x%llx is in the shared memory of the CTA of rank %u of the cluster, which has exited",
			(unsigned long long)address, c->cluster_rank);
	else if (order_last(w->cta) == 1)
		finding(w, op, lane, DIAG_S0409,
			"0x%llx is in the shared memory of the CTA of rank %u of the cluster, and this CTA has not synchronised with it, so it may not have started",
			(unsigned long long)address, c->cluster_rank);
}

bool cluster_check_access(struct warp *w, const struct op *op, unsigned lane, uint64_t offset)
{
	const struct cta *c = cluster_at(w->cta, offset);

	if (!c || c == w->cta)
		return true;
	if (op->access.space == W_shared &&
		!ir_has(w->machine->module, op_insn(w, op), W_shared__cluster)) {
		fault(w, op, lane, DIAG_S0410,
			"0x%llx is in the shared memory of the CTA of rank %u of the cluster; that of this CTA begins at 0x%llx",
			(unsigned long long)offset, c->cluster_rank,
			(unsigned long long)MEMORY_RANK_BITS(w->cta->cluster_rank));
		return false;
	}
	cluster_check_life(w, op, lane, c, offset);
	return true;
}
