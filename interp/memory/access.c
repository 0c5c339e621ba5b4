/* Resolves lanes' addresses to host memory, state space by state space, and reports the faults. */
#include "interp/memory/access.h"
#include "interp/state/cluster.h"
#include "interp/memory/combine.h"
#include "interp/memory/name.h"
#include "interp/memory/order.h"
#include "interp/state/where.h"
#include "interp/memory/runtime_heap.h"
#include <inttypes.h>

void access_addresses(const struct warp *w, const struct op *op, uint32_t mask, uint64_t *address)
{
	unsigned k = op->access.base_operand;
	const void *base = op_lanes(w, op, k);
	uint64_t add = access_constant(w, op);

	(void)mask;
	if (op->width[k] == 8) {
		const uint64_t *a = base;

		EVERY_LANE(i)
			address[i] = a[i] + add;
	} else {
		EVERY_LANE(i)
			address[i] = (uint32_t)(register_get(base, i, op->width[k]) + add);
	}
}

/* --- one lane --- */

static bool block_inside(const struct memory_block *b, uint64_t address, unsigned n, unsigned how)
{
	if (how & ACCESS_WRITE ? b->writable : b->readable)
		return memory_inside(b, address, n);
	return b->heap && heap_inside(b->heap, address, n);
}

static bool reach_block(
	struct warp *w, unsigned lane, uint64_t address, unsigned n, unsigned how, struct access *a)
{
	const struct memory_block *b = memory_find(w->machine->memory, address);

	if (!block_inside(b, address, n, how))
		return false;
	if (b == w->worker->combining)
		combine_apply(w->worker);
	a->host[lane] = b->host + (address - b->base);
	a->defined[lane] = b->defined ? b->defined + (address - b->base) : NULL;
	return true;
}

static bool reach_shared(
	struct warp *w, unsigned lane, uint64_t offset, unsigned n, struct access *a)
{
	struct cta *c = offset >> MEMORY_SLOT_SHIFT ? NULL : cluster_at(w->cta, offset);

	offset = cluster_offset(offset);
	if (!c || offset >= c->shared_bytes || c->shared_bytes - offset < n)
		return false;
	a->host[lane] = c->shared + offset;
	a->defined[lane] = c->shared_defined ? c->shared_defined + offset : NULL;
	return true;
}

static bool reach_local(
	struct warp *w, unsigned lane, uint64_t offset, unsigned n, struct access *a)
{
	uint32_t top = w->frame->local_top < w->local_bytes ? w->frame->local_top : w->local_bytes;

	if (offset >= top || top - offset < n)
		return false;
	a->host[lane] = memory_local_at(w, lane) + offset;
	a->defined[lane] = memory_local_defined(w, lane);
	if (a->defined[lane])
		a->defined[lane] += offset;
	return true;
}

static bool reach_param(
	struct warp *w, unsigned lane, uint64_t offset, unsigned n, unsigned how, struct access *a)
{
	const struct launch *l = w->cta->launch;
	uint32_t bytes = w->machine->module->func[l->ask.func].param_bytes;

	if (how & ACCESS_WRITE || offset >= bytes || bytes - offset < n)
		return false;
	a->host[lane] = (uint8_t *)(uintptr_t)l->ask.params + offset;
	a->defined[lane] = NULL;
	return true;
}

static bool access_reach(
	struct warp *w, uint16_t space, unsigned lane, unsigned n, unsigned how, struct access *a)
{
	uint64_t offset = a->address[lane];

	if (space == W_NONE)
		space = window_space(offset, &offset);
	if (how & ACCESS_ATOMIC && space != W_global && space != W_shared)
		return false;
	a->space[lane] = space;
	a->offset[lane] = offset;
	if (a->address[lane] & ((n & -n) - 1))
		return false;
	switch (space) {
	case W_shared: return reach_shared(w, lane, offset, n, a);
	case W_local: return reach_local(w, lane, offset, n, a);
	case W_param: return reach_param(w, lane, offset, n, how, a);
	case W_const:
		if (how & ACCESS_WRITE || offset > UINT32_MAX)
			return false;
		a->offset[lane] = MEMORY_CONST_WINDOW + offset;
		return reach_block(w, lane, a->offset[lane], n, how, a);
	default: return reach_block(w, lane, offset, n, how, a);
	}
}

bool access_resolve(struct warp *w, const struct op *op, uint32_t mask, unsigned n, unsigned how,
	struct access *a)
{
	assert(n);
	FOR_LANES(lane, mask) {
		if (!access_reach(w, op->access.space, lane, n, how, a)) {
			access_fault(
				w, op, lane, op->access.space, a->address[lane], n, n & -n, how);
			return false;
		}
		if (a->space[lane] == W_shared && w->cta->cluster->n > 1 &&
			!cluster_check_access(w, op, lane, a->offset[lane]))
			return false;
	}
	return true;
}

bool access_one(
	struct warp *w, unsigned lane, uint64_t address, unsigned n, unsigned how, struct access *a)
{
	assert(n && lane < LANES);
	a->address[lane] = address;
	return access_reach(w, W_NONE, lane, n, how, a);
}

/* --- faults --- */

static void describe_shared(const struct warp *w, uint64_t address, uint64_t n, struct text *t)
{
	uint32_t bytes = w->cta->shared_bytes, ctas = w->cta->cluster->n;
	uint64_t offset = address, rank = address >> MEMORY_RANK_SHIFT;

	if (ctas > 1) {
		if (rank >= ctas) {
			text_printf(t,
				"where bits 24 up are rank %" PRIu64
				", but the cluster has %u CTAs",
				rank, ctas);
			return;
		}
		if (rank != w->cta->cluster_rank)
			text_printf(t, "in the CTA of rank %" PRIu64 ": ", rank);
		offset = cluster_offset(address);
	}
	if (!bytes) {
		text_puts(t, "the CTA has no shared memory");
	} else if (offset >= bytes) {
		if (offset == bytes)
			text_puts(t, "just");
		else
			text_printf(t, "%" PRIu64 " bytes", offset - bytes);
		text_printf(t, " past the CTA's shared memory, which has %u bytes", bytes);
		if (offset >> MEMORY_RANK_SHIFT == 0)
			name_past(w->machine, w->cta->launch, (uint32_t)offset, bytes, t);
	} else {
		text_printf(t,
			"the last %" PRIu64 " of %" PRIu64
			" bytes are past the CTA's shared memory, which has %u bytes",
			n - (bytes - offset), n, bytes);
	}
}

static void describe_local(const struct warp *w, struct text *t)
{
	if (w->frame->local_top)
		text_printf(t, "past the thread's local memory, of which %u bytes are in use",
			w->frame->local_top);
	else
		text_puts(t, "the function has no local memory");
}

static void describe_param(const struct warp *w, struct text *t)
{
	const struct launch *l = w->cta->launch;

	text_printf(t, "the parameters of kernel '%s' have %u bytes", where_kernel(l),
		w->machine->module->func[l->ask.func].param_bytes);
}

static enum diag_code block_code(const struct warp *w, uint64_t address, unsigned how)
{
	const struct memory_block *b = memory_find(w->machine->memory, address);

	if (b->kind == MEMORY_NOTHING)
		return address < MEMORY_BIAS || address > UINT64_MAX - MEMORY_BIAS ? DIAG_F0203
										   : DIAG_F0205;
	if (b->freed || (b->heap && heap_was_freed(b->heap, address)))
		return DIAG_F0207;
	if (how & ACCESS_WRITE && b->readonly && memory_inside(b, address, 1))
		return DIAG_F0204;
	return DIAG_F0201;
}

/* The fault code of an access; T gets a description of what is at the address. */
static enum diag_code access_diagnose(const struct warp *w, uint16_t space, uint64_t address,
	uint64_t n, unsigned align, unsigned how, struct text *t)
{
	uint64_t offset = address;
	bool generic = space == W_NONE;

	if (address & (align - 1)) {
		text_printf(t, "which is not a multiple of %u", align);
		return DIAG_F0202;
	}
	if (generic)
		space = window_space(address, &offset);
	if (how & ACCESS_ATOMIC && space != W_global && space != W_shared) {
		text_printf(t, "in .%s memory, where there are no atomic operations",
			word_text((enum word)space));
		return DIAG_F0206;
	}
	if (!generic && (space == W_shared || space == W_local) && offset >> MEMORY_SLOT_SHIFT) {
		text_printf(t, "which is not an offset in .%s memory", word_text((enum word)space));
		return DIAG_F0206;
	}
	switch (space) {
	case W_shared: describe_shared(w, offset, n, t); return DIAG_F0201;
	case W_local: describe_local(w, t); return DIAG_F0201;
	case W_param:
		if (how & ACCESS_WRITE) {
			text_puts(t, "which is a kernel parameter: these can only be read");
			return DIAG_F0204;
		}
		describe_param(w, t);
		return DIAG_F0201;
	case W_const:
		if (offset > UINT32_MAX) {
			text_puts(t, "which is not an offset in .const memory");
			return DIAG_F0206;
		}
		offset += MEMORY_CONST_WINDOW;
		break;
	default:
		if (!generic && address >> MEMORY_SLOT_SHIFT >= MEMORY_END_SLOT &&
			address >> MEMORY_SLOT_SHIFT < MEMORY_SLOTS) {
			name_memory(w->machine->memory, address, n, t);
			return DIAG_F0206;
		}
		break;
	}
	name_memory(w->machine->memory, offset, n, t);
	return block_code(w, offset, how);
}

void access_fault(struct warp *w, const struct op *op, unsigned lane, uint16_t space,
	uint64_t address, uint64_t n, unsigned align, unsigned how)
{
	const char *verb = how & ACCESS_ATOMIC ? "changes"
		: how & ACCESS_WRITE           ? "writes"
					       : "reads";
	const struct ir_insn *i = op_insn(w, op);
	struct text there = {0};
	enum diag_code code = access_diagnose(w, space, address, n, align, how, &there);
	struct diag *r;

	r = fault_begin(w, op, lane, code, "%s%s%s%s %s %" PRIu64 " byte%s at 0x%" PRIx64 ", %s",
		opcode_text(ir_form(i)->opcode),
		ir_has(w->machine->module, i, W_async)               ? ".async"
			: ir_has(w->machine->module, i, W_mma_async) ? ".mma_async"
								     : "",
		space && !ir_has(w->machine->module, i, W_mma_async) ? "." : "",
		space && !ir_has(w->machine->module, i, W_mma_async) ? word_text((enum word)space)
								     : "",
		verb, n, n == 1 ? "" : "s", address, text_str(&there));
	if (r) {
		if (code == DIAG_F0206)
			diag_help(w->machine->findings, r,
				"convert a generic address with cvta.to, or remove the state space from the instruction");
		fault_end(w);
	}
	text_free(&there);
}

/* --- observers and statistics --- */

void access_observe(struct warp *w, const struct op *op, uint32_t mask, unsigned n, unsigned how,
	const struct access *a)
{
	while (mask) {
		uint16_t space = a->space[lane_first(mask)];
		uint32_t same = 0;

		FOR_LANES(lane, mask)
			same |= (uint32_t)(a->space[lane] == space) << lane;
		struct access_event e = {.warp = w,
			.op = op,
			.mask = same,
			.address = a->offset,
			.space = space,
			.bytes = (uint16_t)n,
			.reads = (how & ACCESS_READ) != 0,
			.writes = (how & ACCESS_WRITE) != 0,
			.atomic = (how & ACCESS_ATOMIC) != 0,
			.sem = (enum sem)op->access.sem,
			.scope = (enum scope)op->access.scope};

		observers_access(w->machine, &e);
		mask &= ~same;
	}
}

void access_count(struct warp *w, uint32_t mask, unsigned n, unsigned how, const struct access *a)
{
	struct machine_stats *s = &w->worker->stats;

	FOR_LANES(lane, mask) {
		unsigned k = access_space_index(a->space[lane]);

		if (how & ACCESS_READ)
			s->bytes_loaded[k] += n;
		if (how & ACCESS_WRITE)
			s->bytes_stored[k] += n;
	}
}
