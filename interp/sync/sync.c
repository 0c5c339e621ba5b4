/* Resolves the addresses of the synchronisation instructions: which CTA's shared memory, or
 * which allocation. */
#include "interp/sync/sync.h"
#include "code/valid.h"
#include "interp/memory/order.h"
#include "interp/state/where.h"

uint64_t sync_address_of(const struct warp *w, const struct op_address *a, unsigned lane)
{
	uint64_t v = (uint64_t)a->add;

	if (a->dynamic)
		v += w->cta->launch->code->shared_end;
	if (a->width)
		v += register_get(op_place(w, a->place), lane, a->width);
	return a->width == 4 || (!a->width && a->space == W_shared) ? (uint32_t)v : v;
}

static bool reach_shared(struct warp *w, const struct op *op, unsigned lane, uint64_t offset,
	uint64_t n, struct sync_place *p)
{
	struct cta *c = offset >> 32 ? NULL : cluster_at(w->cta, offset);
	uint32_t at = cluster_offset(offset);

	if (!c || at > c->shared_bytes || c->shared_bytes - at < n)
		return false;
	p->space = W_shared;
	p->cta = c;
	p->offset = at;
	p->host = c->shared + at;
	p->defined = c->shared_defined ? c->shared_defined + at : NULL;
	if (c != w->cta)
		cluster_check_life(w, op, lane, c, p->address);
	return true;
}

static bool reach_global(struct warp *w, unsigned lane, uint64_t address, uint64_t n, unsigned how,
	struct sync_place *p)
{
	struct access first, last;

	if (!access_one(w, lane, address, 1, how & ~(unsigned)ACCESS_ATOMIC, &first) ||
		first.space[lane] != W_global)
		return false;
	if (!access_one(w, lane, address + n - 1, 1, how & ~(unsigned)ACCESS_ATOMIC, &last) ||
		(uint64_t)(last.host[lane] - first.host[lane]) != n - 1)
		return false;
	p->space = W_global;
	p->host = first.host[lane];
	p->defined = first.defined[lane];
	return true;
}

bool sync_reach(struct warp *w, const struct op *op, unsigned lane, uint16_t space,
	uint64_t address, uint64_t n, unsigned align, unsigned how, struct sync_place *p)
{
	uint64_t offset = address;

	assert(align && !(align & (align - 1)) && n);
	*p = (struct sync_place){.address = address};
	if (address & (align - 1)) {
		fault(w, op, lane, DIAG_F0202, "%s at 0x%llx, which is not a multiple of %u",
			opcode_text((enum opcode)ir_form(op_insn(w, op))->opcode),
			(unsigned long long)address, align);
		return false;
	}
	if (space == W_NONE)
		space = window_space(address, &offset);
	if (space == W_shared ? reach_shared(w, op, lane, offset, n, p)
			      : reach_global(w, lane, address, n, how, p))
		return true;
	access_fault(w, op, lane, space == W_shared ? W_shared : W_global,
		space == W_shared ? offset : address, n, align, how & ~(unsigned)ACCESS_ATOMIC);
	return false;
}

bool sync_reach_in_cta(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t rank, uint64_t n, struct sync_place *out)
{
	return sync_reach(w, op, lane, W_shared, MEMORY_RANK_BITS(rank) + p->offset, n ? n : 1, 8,
		ACCESS_WRITE, out);
}

bool sync_ranks_exist(struct warp *w, const struct op *op, unsigned lane, uint32_t ranks)
{
	uint32_t n = w->cta->cluster->n;

	if (!valid_cta_mask(ranks, n))
		return true;
	fault(w, op, lane, DIAG_S0401,
		"ctaMask 0x%x names CTAs that do not exist: the cluster has %u", ranks, n);
	return false;
}

struct frame *sync_detach(struct warp *w, struct frame *nowhere)
{
	struct frame *was = w->frame;

	w->frame = nowhere;
	return was;
}

void sync_attach(struct warp *w, struct frame *f) { w->frame = f; }

void sync_written(struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p,
	uint64_t n, unsigned each)
{
	uint64_t address[LANES];
	struct access_event e = {.warp = w,
		.op = op,
		.mask = 1u << lane,
		.address = address,
		.space = W_shared,
		.bytes = (uint16_t)each,
		.writes = 1};

	for (uint64_t k = 0; w->machine->interest & INTEREST_ACCESS && k < n; k += each) {
		address[lane] = sync_window_address(p) + k;
		observers_access(w->machine, &e);
	}
}
