/* The helper's side of asynchronous copies: it reads the source piece by piece, writes the
 * destination, and completes transactions of an mbarrier or arrives on it. The pieces are unordered
 * among themselves, except that a bulk copy to global memory reads its whole source first, because
 * a thread can wait for the reads alone. Bulk copies use the async proxy and end with a proxy
 * fence. (PTX ISA 9.7.10.28; docs/MEMORY-MODEL.md) */
#include "explore/ptx/async_copy.h"
#include "arith/arith.h"
#include <string.h>

enum stage {
	STAGE_AWAIT,
	STAGE_READ,
	STAGE_OLD,
	STAGE_WRITE,
	STAGE_READ_FENCE,
	STAGE_FETCHED,
	STAGE_FENCE,
	STAGE_LANDED,
	STAGE_BAR_READ,
	STAGE_BAR_WRITE,
	STAGE_END
};

size_t ptx_async_state_size(void) { return sizeof(struct ptx_copy); }

void ptx_async_start(
	const struct explore_program *p, uint32_t helper, void *state, const void *payload)
{
	(void)p;
	(void)helper;
	memcpy(state, payload, sizeof(struct ptx_copy));
}

static const struct op *copy_op(const struct ptx_client *c, const struct ptx_copy *d)
{
	return &c->launch[c->thread[d->owner].launch].code->ops[d->op];
}

static bool from_source(const struct ptx_copy *d)
{
	return !d->values && d->i * d->size < d->take_bytes;
}

/* Advances from piece I to the next one that is copied. */
static void skip_masked(struct ptx_copy *d)
{
	while (d->i < d->n && !(d->mask >> (d->to + d->i * d->size) % 16 & 1))
		d->i++;
}

/* Advances to the next piece that is copied and returns its first stage. */
static uint8_t first_stage(struct ptx_copy *d)
{
	skip_masked(d);
	if (d->i == d->n)
		return STAGE_FENCE;
	return from_source(d) ? STAGE_READ : d->reduces ? STAGE_OLD : STAGE_WRITE;
}

static void copy_access(struct action *a, const struct ptx_copy *d, uint8_t kind, uint64_t at)
{
	a->kind = kind;
	a->size = d->size;
	a->sem = SEM_WEAK;
	a->scope = SCOPE_SYS;
	a->proxy = d->proxy;
	a->address_known = true;
	a->virt = a->phys = at + (uint64_t)d->i * d->size;
	a->element = d->i > d->first;
	a->sizeless = !d->values && !d->reduces;
}

/* Stores the value of piece I of the source. */
static void keep_piece(struct ptx_copy *d, bool known, uint64_t value)
{
	uint32_t at = d->halves ? d->i : 0;
	d->kept[at] = value;
	if (known)
		d->known |= UINT64_C(1) << at;
	else
		d->known &= ~(UINT64_C(1) << at);
}

static void write_piece(const struct ptx_client *c, struct ptx_copy *d, struct action *a)
{
	bool source = !d->values && (d->i * d->size < d->take_bytes);
	uint32_t at = d->values || d->halves ? d->i : 0;
	bool known = d->values || !source || d->known >> at & 1;
	uint64_t value = d->values || source ? d->kept[at] : 0;
	copy_access(a, d, ACTION_WRITE, d->to);
	a->sem = d->sem;
	a->scope = d->scope;
	a->element = d->i > d->first || (source && !d->halves) || d->reduces;
	a->paired = (source && !d->halves) || d->reduces;
	a->value_known = known;
	a->value[0] = value;
	if (d->reduces) {
		const struct op *op = copy_op(c, d);
		a->rmw = true;
		a->value_known = known && d->old_known;
		if (a->value_known)
			a->value[0] = arith_atomic((enum atomic)op->async.atomic,
				(enum type)op->async.type, d->to < PTX_SHARED, d->old, value, 0);
	}
	d->i++;
	skip_masked(d);
	d->stage = d->halves && d->i < d->n ? (d->reduces ? STAGE_OLD : STAGE_WRITE)
					    : first_stage(d);
}

static void read_piece(struct ptx_copy *d, struct action *a)
{
	copy_access(a, d, ACTION_READ, d->from);
}

/* The read of an element's reduction: relaxed, of the instruction's scope. */
static void read_old(const struct ptx_client *c, struct ptx_copy *d, struct action *a)
{
	copy_access(a, d, ACTION_READ, d->to);
	a->element = d->i > d->first || (!d->values && !d->halves);
	a->paired = !d->values && !d->halves;
	a->sem = SEM_RELAXED;
	a->scope = d->scope;
	a->rmw = a->reduction = true;
	if (d->values || (d->halves ? d->known >> d->i & 1 : d->known & 1))
		a->quiet = ptx_commutes((enum atomic)copy_op(c, d)->async.atomic,
			(enum type)copy_op(c, d)->async.type);
}

static void bar_access(
	const struct ptx_client *c, struct ptx_copy *d, struct action *a, uint8_t kind)
{
	a->kind = kind;
	a->size = 8;
	a->rmw = true;
	a->address_known = true;
	a->virt = a->phys = d->bar;
	a->scope = d->arrives ? SCOPE_CTA : SCOPE_ANY;
	a->sem = kind == ACTION_READ ? SEM_RELAXED : SEM_RELEASE;
	a->reduction = kind == ACTION_READ;
	if (kind == ACTION_READ && c->launch[c->thread[d->owner].launch].code->quiet_mbarriers)
		a->quiet = QUIET_MBARRIER;
	a->value[0] = d->arrives;
}

static void bar_write(const struct ptx_client *c, struct ptx_copy *d, struct action *a)
{
	uint64_t word = d->old;
	bool flipped;
	bar_access(c, d, a, ACTION_WRITE);
	a->value_known = d->old_known;
	d->stage = STAGE_LANDED;
	if (!d->old_known)
		return;
	if (!mbarrier_marked(word) ||
		(d->arrives ? mbarrier_arrive(&word, 1, &flipped)
			    : mbarrier_complete_tx(&word, d->tx, &flipped)) != MBARRIER_FINE) {
		a->kind = ACTION_FAULT;
		a->text = mbarrier_marked(d->old) ? "an mbarrier operation beyond its counts"
						  : "an mbarrier that was not initialised";
	}
	a->value[0] = word;
}

void ptx_async_step(const struct ptx_client *c, uint32_t helper, void *state, struct action *a)
{
	struct ptx_copy *d = state;
	a->place = d->op;
	if (!d->begun) {
		d->begun = true;
		skip_masked(d);
		d->first = d->i;
		d->stage = d->arrives ? STAGE_AWAIT : first_stage(d);
		if (d->reduces && !d->values)
			d->sem = SEM_RELAXED;
	}
	if (d->stage == STAGE_AWAIT && d->awaits) {
		ptx_copy_end(a,
			c->thread[d->owner].first_helper + (uint32_t)__builtin_ctzll(d->awaits),
			false);
		d->awaits &= d->awaits - 1;
		a->wait_only = true;
		a->count = 1;
		return;
	}
	if (d->stage == STAGE_AWAIT)
		d->stage = STAGE_BAR_READ;
	if (d->stage == STAGE_FENCE) {
		d->stage = d->signals ? STAGE_BAR_READ : STAGE_LANDED;
		if (d->proxy == PROXY_ASYNC) {
			a->kind = ACTION_PROXY_FENCE;
			a->proxy = PROXY_ASYNC;
			return;
		}
	}
	if (d->stage == STAGE_READ_FENCE) {
		d->stage = STAGE_FETCHED;
		a->kind = ACTION_PROXY_FENCE;
		a->proxy = PROXY_ASYNC;
		return;
	}
	switch (d->stage) {
	case STAGE_READ: read_piece(d, a); return;
	case STAGE_OLD: read_old(c, d, a); return;
	case STAGE_WRITE: write_piece(c, d, a); return;
	case STAGE_FETCHED:
		ptx_copy_end(a, helper, true);
		a->arrive_only = true;
		d->i = 0;
		skip_masked(d);
		d->stage = d->i < d->n ? (d->reduces ? STAGE_OLD : STAGE_WRITE) : STAGE_FENCE;
		return;
	case STAGE_LANDED:
		ptx_copy_end(a, helper, false);
		a->arrive_only = true;
		d->stage = STAGE_END;
		return;
	case STAGE_BAR_READ: bar_access(c, d, a, ACTION_READ); return;
	case STAGE_BAR_WRITE: bar_write(c, d, a); return;
	default: a->kind = ACTION_END; return;
	}
}

void ptx_async_answer(const struct ptx_client *c, uint32_t helper, void *state, struct action *a)
{
	struct ptx_copy *d = state;
	(void)c;
	(void)helper;
	if (a->kind != ACTION_READ)
		return;
	uint64_t value = a->value_known ? a->value[0] : 0;
	if (d->stage == STAGE_READ) {
		keep_piece(d, a->value_known, value);
		if (!d->halves) {
			d->stage = d->reduces ? STAGE_OLD : STAGE_WRITE;
			return;
		}
		d->i++;
		skip_masked(d);
		d->stage = d->i < d->n ? STAGE_READ : STAGE_READ_FENCE;
		return;
	}
	d->old = value;
	d->old_known = a->value_known;
	d->stage = d->stage == STAGE_OLD ? STAGE_WRITE : STAGE_BAR_WRITE;
}
