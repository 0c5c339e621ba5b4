/* The last load or atomic operation of each lane while no thread makes progress: its address,
 * and the value in memory there. */
#include "interp/stuck/poll.h"
#include "interp/memory/access.h"
#include "interp/state/cluster.h"
#include "interp/memory/name.h"
#include "interp/stuck/report.h"
#include <string.h>

/* Per warp of a CTA: the last read of each lane. */
struct polls {
	struct poll {
		const struct op *op; /* NULL: no read of memory that other threads may write */
		uint64_t address;
		uint32_t user_call;
	} last[LANES];
};

static struct poll *polls_of(struct warp *w)
{
	struct cta *c = w->cta;

	if (!c->polls)
		c->polls = ARENA_ARRAY(&c->arena, struct polls, c->nwarps);
	return c->polls[w->index].last;
}

static void polls_begin(struct cluster *k)
{
	EVERY_CTA(c, k)
		if (c->polls)
			memset(c->polls, 0, c->nwarps * sizeof *c->polls);
}
const struct keeper poll_keeper = {.begin = polls_begin};

static bool reads_memory(const struct op *op) { return op->kind == KIND_LOAD || op_is_atomic(op); }

void poll_record(struct warp *w, const struct op *op)
{
	struct poll *last;
	uint64_t address[LANES];

	if (!reads_memory(op) || op->access.space == W_local || op->access.space == W_param ||
		op->access.space == W_const)
		return;
	last = polls_of(w);
	access_addresses(w, op, w->active, address);
	FOR_LANES(lane, w->active)
		last[lane] = (struct poll){op, address[lane], w->frame->user_call};
}

void poll_clear(struct warp *w, uint32_t mask)
{
	FOR_LANES(lane, w->cta->polls ? mask : 0)
		polls_of(w)[lane].op = NULL;
}

/* The bytes that P polls, in host memory, or NULL. *SHARED: they are in shared memory; *OFFSET:
 * their offset there, or their global address. */
static const uint8_t *poll_bytes(struct machine *m, const struct warp *w, const struct poll *p,
	bool *shared, uint64_t *offset)
{
	const struct op *op = p->op;
	const struct memory_block *b;
	uint16_t space = op->access.space;

	*offset = p->address;
	if (space == W_NONE)
		space = window_space(*offset, offset);
	*shared = space == W_shared;
	if (*shared) {
		const struct cta *c = *offset >> 32 ? NULL : cluster_at(w->cta, *offset);

		return c && cluster_offset(*offset) + op->access.bytes <= c->shared_bytes
			? c->shared + cluster_offset(*offset)
			: NULL;
	}
	b = memory_find(m->memory, *offset);
	return space == W_global && b->host && memory_inside(b, *offset, op->access.bytes)
		? b->host + (*offset - b->base)
		: NULL;
}

void poll_describe(struct machine *m, const struct warp *w, uint32_t mask, struct text *t)
{
	unsigned lane = lane_first(mask), others = 0;
	const struct poll *last = w->cta->polls ? w->cta->polls[w->index].last : NULL;
	const struct op *op = last ? last[lane].op : NULL;
	const uint8_t *at;
	uint64_t offset;
	bool shared;

	if (!op || op->access.bytes > 8)
		return;
	at = poll_bytes(m, w, &last[lane], &shared, &offset);
	if (!at)
		return;
	FOR_LANES(k, mask)
		others += last[k].op == op && last[k].address != last[lane].address;
	text_puts(t, (mask & (mask - 1)) == 0 ? ", which polls " : ", which poll ");
	if (shared) {
		if (!name_shared(m, w->cta->launch, cluster_offset(offset), op->access.bytes, t))
			text_printf(t, "offset 0x%x", cluster_offset(offset));
		text_puts(t, " in shared memory");
	} else {
		name_memory(m->memory, offset, op->access.bytes, t);
	}
	if (others)
		text_printf(t, " and %u more", others);
	text_printf(t, " (%s), whose value is %llu",
		where_line_from(m, op->insn, last[lane].user_call).text,
		(unsigned long long)element_load(at, op->access.bytes, __ATOMIC_RELAXED));
}
