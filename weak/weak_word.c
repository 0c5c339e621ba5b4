/* The messages of a word. Rings are kept in blocks of 16 bytes, found by host address. A location
 * without a ring has one message, which every thread may read: what memory holds. At most
 * MAX_BLOCKS blocks exist; beyond that, the existing ones lose their rings in turn, so that only
 * their latest values can still be read. What was released there is kept for all threads
 * (weak.lost). Both remove behaviours; neither adds one. */
#include "base/assert.h"
#include "base/memory.h"
#include "weak/weak.h"
#include <stdlib.h>

enum { MAX_BLOCKS = 1 << 15, FIRST_SLOTS = 1 << 10, LOOK = 64 };

void weak_host_load(const uint8_t *host, unsigned n, uint64_t value[2])
{
	value[0] = value[1] = 0;
	memcpy(value, host, n);
}

void weak_host_store(uint8_t *host, unsigned n, const uint64_t value[2]) { memcpy(host, value, n); }

/* --- messages --- */

static void message_clear(struct weak_message *m)
{
	weak_heads_unref(m->heads);
	memory_drop(m->reader);
	m->heads = NULL;
	m->reader = NULL;
	m->nreaders = 0;
}

static void ring_drop_first(struct weak_ring *r, unsigned n)
{
	assert(n <= r->count);
	for (unsigned i = 0; i < n; i++)
		message_clear(&r->message[i]);
	r->count = (uint8_t)(r->count - n);
	memmove(r->message, r->message + n, r->count * sizeof *r->message);
	for (unsigned i = 0; n && i < r->count; i++)
		r->message[i].before = (uint16_t)(r->message[i].before >> n);
}

static void ring_free(struct weak *k, struct weak_ring *r)
{
	ring_drop_first(r, r->count);
	r->next = k->spare;
	k->spare = r;
}

static struct weak_ring *ring_new(struct weak *k)
{
	struct weak_ring *r = k->spare;

	if (r) {
		k->spare = r->next;
	} else {
		r = memory_resize(NULL, sizeof *r);
		r->cap = 2;
		r->message = memory_resize(NULL, r->cap * sizeof *r->message);
	}
	r->count = 1;
	r->message[0] = (struct weak_message){0};
	return r;
}

void weak_value(const struct weak_ring *r, unsigned i, uint64_t value[2])
{
	if (i + 1u == r->count)
		weak_host_load(r->host, r->bytes, value);
	else
		memcpy(value, r->message[i].value, sizeof r->message[i].value);
}

struct weak_message *weak_insert(
	struct weak_ring *r, unsigned at, uint32_t before, uint32_t after, const uint64_t value[2])
{
	const uint32_t low = (1u << at) - 1;
	struct weak_message *m;

	assert(r->count && r->count <= WEAK_RING && at <= r->count);
	assert(at || r->count < WEAK_RING);
	assert(!(before & ~low) && !(after & low) && !(after >> r->count));
	if (r->count == r->cap) {
		r->cap = (uint8_t)(2 * r->cap);
		r->message = memory_resize(r->message, r->cap * sizeof *r->message);
	}
	if (at == r->count) { /* it is the last, so memory now holds it */
		weak_host_load(r->host, r->bytes, r->message[r->count - 1].value);
		weak_host_store(r->host, r->bytes, value);
	} else {
		memmove(&r->message[at + 1], &r->message[at], (r->count - at) * sizeof *r->message);
	}
	m = &r->message[at];
	*m = (struct weak_message){.value = {value[0], value[1]}, .before = (uint16_t)before};
	r->count++;
	/* BEFORE and AFTER use the numbering before the insertion */
	for (unsigned i = at + 1; i < r->count; i++) {
		struct weak_message *x = &r->message[i];

		x->before = (uint16_t)((x->before & low) | (x->before & ~low) << 1 |
			(after >> (i - 1) & 1) << at);
	}
	if (r->count > WEAK_RING) {
		ring_drop_first(r, 1);
		m = &r->message[at - 1];
	}
	return m;
}

void weak_read_by(struct weak_ring *r, unsigned i, const struct weak_who *who, uint64_t stamp)
{
	struct weak_message *m = &r->message[i];

	for (unsigned k = 0; k < m->nreaders; k++)
		if (weak_same(&m->reader[k].who, who))
			return;
	if (m->known_to_all)
		return;
	if (m->nreaders == WEAK_READERS) {
		m->known_to_all = 1;
		m->nreaders = 0;
		ring_drop_first(r, i);
		return;
	}
	if (!m->reader)
		m->reader = memory_resize(NULL, WEAK_READERS * sizeof *m->reader);
	m->reader[m->nreaders++] = (struct weak_reader){*who, stamp};
}

/* Only global memory needs its final values: shared memory may have been freed, and is not read any
 * more. */
static bool is_global(const struct weak *k, const uint8_t *host)
{
	const struct memory *m = k->machine->memory;

	for (uint32_t i = 0; i < m->nblocks; i++)
		if (host >= m->block[i]->host && host < m->block[i]->host + m->block[i]->size)
			return true;
	return false;
}

static void ring_finish(struct weak *k, struct weak_ring *r)
{
	uint32_t last = (1u << r->count) - 1;
	uint64_t value[2];

	for (unsigned i = 0; i < r->count; i++)
		last &= ~(uint32_t)r->message[i].before;
	if (!(last & (last - 1)) || !is_global(k, r->host)) /* a single one is in memory already */
		return;
	for (uint32_t n = choose(
		     k->machine->chooser, CHOICE_ORDER, (uint32_t)__builtin_popcount(last));
		n; n--)
		last &= last - 1;
	weak_value(r, (unsigned)__builtin_ctz(last), value);
	weak_host_store(r->host, r->bytes, value);
}

/* --- blocks --- */

static uint32_t block_hash(uintptr_t at)
{
	return (uint32_t)((uint64_t)at * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t *page_of(struct weak *k, uintptr_t at)
{
	return &k->page[at >> (WEAK_PAGE_SHIFT - 4) & (WEAK_PAGES - 1)];
}

static struct weak_block *block_find(const struct weak *k, uintptr_t at)
{
	if (!weak_may_have_ring(k, (const uint8_t *)(at << 4)))
		return NULL;
	for (uint32_t b = k->slot[block_hash(at) & (k->slots - 1)]; b; b = k->block[b - 1].next)
		if (k->block[b - 1].at == at)
			return &k->block[b - 1];
	return NULL;
}

static void link_block(struct weak *k, uint32_t b)
{
	uint32_t *slot = &k->slot[block_hash(k->block[b].at) & (k->slots - 1)];

	k->block[b].next = *slot;
	*slot = b + 1;
}

static void block_grow_slots(struct weak *k)
{
	memory_drop(k->slot);
	k->slots = k->slots ? 4 * k->slots : FIRST_SLOTS;
	k->slot = memory_zeroed(k->slots, sizeof *k->slot);
	for (uint32_t b = 0; b < k->nblocks; b++)
		if (k->block[b].first)
			link_block(k, b);
}

/* Frees a block without rings. */
static void block_release(struct weak *k, struct weak_block *b)
{
	uint32_t number = (uint32_t)(b - k->block),
		 *at = &k->slot[block_hash(b->at) & (k->slots - 1)];

	assert(!b->first && k->used && *page_of(k, b->at));
	while (*at != number + 1)
		at = &k->block[*at - 1].next;
	*at = b->next;
	b->next = k->free;
	k->free = number + 1;
	k->used--;
	--*page_of(k, b->at);
}

static void heads_lose(struct weak *k, const struct weak_heads *h)
{
	for (uint32_t i = 0; h && i < h->count; i++)
		weak_clock_add(&k->lost, h->head[i].clock);
}

static bool block_has_heads(const struct weak_block *b)
{
	for (const struct weak_ring *r = b->first; r; r = r->next)
		if (r->message[r->count - 1].heads)
			return true;
	return false;
}

/* Makes room for another block by evicting one, preferably one that no release has written to. */
static void block_evict(struct weak *k)
{
	struct weak_block *b = NULL;

	for (unsigned n = 0; n < LOOK; n++) {
		struct weak_block *x = &k->block[k->hand++ % k->nblocks];

		if (!x->first)
			continue;
		b = x;
		if (!block_has_heads(x))
			break;
	}
	if (!b)
		return;
	for (struct weak_ring *r = b->first, *next; r; r = next) {
		next = r->next;
		heads_lose(k, r->message[r->count - 1].heads);
		ring_free(k, r);
	}
	b->first = NULL;
	block_release(k, b);
}

static struct weak_block *block_get(struct weak *k, uintptr_t at, bool make)
{
	struct weak_block *b = block_find(k, at);
	uint32_t number;

	if (b || !make)
		return b;
	while (k->used >= MAX_BLOCKS)
		block_evict(k);
	if (k->free) {
		number = k->free - 1;
		k->free = k->block[number].next;
	} else {
		/* when nblocks is 0 or a power of two, the capacity is exhausted */
		if ((k->nblocks & (k->nblocks - 1)) == 0)
			k->block = memory_resize(k->block,
				(k->nblocks ? 2 * (size_t)k->nblocks : 1) * sizeof *k->block);
		number = k->nblocks++;
	}
	k->block[number] = (struct weak_block){.at = at};
	++*page_of(k, at);
	if (k->used >= k->slots) {
		k->used++;
		block_grow_slots(k);
		link_block(k, number); /* block_grow_slots skips it, since it has no ring yet */
	} else {
		k->used++;
		link_block(k, number);
	}
	return &k->block[number];
}

/* --- rings --- */

static bool ring_overlaps(const struct weak_ring *r, const uint8_t *host, unsigned n)
{
	return r->host < host + n && host < r->host + r->bytes;
}

struct weak_ring *weak_ring_at(struct weak *k, uint8_t *host, unsigned n, bool make, bool overwrite)
{
	struct weak_block *b = block_get(k, (uintptr_t)host >> 4, make);
	struct weak_ring *found = NULL, **at, *r;

	if (!b)
		return NULL;
	for (at = &b->first; (r = *at);) {
		if (r->host == host && r->bytes == n) {
			found = r;
			if (!overwrite)
				return r;
		} else if (overwrite && ring_overlaps(r, host, n)) {
			*at = r->next;
			ring_free(k, r);
			continue;
		}
		at = &r->next;
	}
	if (!found && make) {
		found = ring_new(k);
		found->host = host;
		found->bytes = (uint8_t)n;
		found->next = b->first;
		b->first = found;
	}
	if (!b->first)
		block_release(k, b);
	return found;
}

void weak_finish(struct weak *k)
{
	for (uint32_t b = 0; b < k->nblocks; b++)
		for (struct weak_ring *r = k->block[b].first; r; r = r->next)
			ring_finish(k, r);
}

/* Visits the blocks of the N bytes at HOST: by address, or, if that is less work, by going through
 * all blocks. */
static void block_each(struct weak *k, const uint8_t *host, uint64_t n,
	void (*visit)(struct weak *k, struct weak_block *b, const uint8_t *host, uint64_t n))
{
	uintptr_t first = (uintptr_t)host >> 4, last = ((uintptr_t)host + (size_t)n - 1) >> 4;

	if (!n || !k->used)
		return;
	if (last - first < k->nblocks) {
		for (uintptr_t at = first; at <= last; at++) {
			struct weak_block *b = block_find(k, at);

			if (b)
				visit(k, b, host, n);
		}
		return;
	}
	for (uint32_t b = 0; b < k->nblocks; b++)
		if (k->block[b].first && k->block[b].at >= first && k->block[b].at <= last)
			visit(k, &k->block[b], host, n);
}

void weak_rings_in(struct weak *k, const uint8_t *host, uint64_t n,
	void (*visit)(void *arg, struct weak_ring *r), void *arg)
{
	for (uintptr_t at = (uintptr_t)host >> 4;
		n && k->used && at <= ((uintptr_t)host + (size_t)n - 1) >> 4; at++) {
		struct weak_block *b = block_find(k, at);

		for (struct weak_ring *r = b ? b->first : NULL; r; r = r->next)
			if (r->host >= host && r->host + r->bytes <= host + n)
				visit(arg, r);
	}
}

static void block_overwrite(struct weak *k, struct weak_block *b, const uint8_t *host, uint64_t n)
{
	(void)k;
	for (struct weak_ring *r = b->first; r; r = r->next)
		if (r->host < host + n && host < r->host + r->bytes)
			ring_drop_first(r, r->count - 1u);
}

void weak_word_free(struct weak *k)
{
	weak_forget_all(k);
	for (struct weak_ring *r = k->spare, *next; r; r = next) {
		next = r->next;
		memory_drop(r->message);
		memory_drop(r);
	}
	memory_drop(k->slot);
	memory_drop(k->block);
}

static void block_forget(struct weak *k, struct weak_block *b, const uint8_t *host, uint64_t n)
{
	struct weak_ring **at = &b->first, *r;

	while ((r = *at)) {
		if (r->host < host + n && host < r->host + r->bytes) {
			*at = r->next;
			ring_free(k, r);
		} else {
			at = &r->next;
		}
	}
	if (!b->first)
		block_release(k, b);
}

static void block_agree(struct weak *k, struct weak_block *b, const uint8_t *host, uint64_t n)
{
	struct weak_ring **at = &b->first, *r;

	while ((r = *at)) {
		uint32_t others = (1u << (r->count - 1)) - 1;

		if (r->host >= host && r->host < host + n &&
			(r->message[r->count - 1].before & others) == others) {
			*at = r->next;
			ring_free(k, r);
		} else {
			at = &r->next;
		}
	}
	if (!b->first)
		block_release(k, b);
}

void weak_agreed(struct weak *k, uint8_t *host, uint64_t n) { block_each(k, host, n, block_agree); }

void weak_overwritten(struct weak *k, uint8_t *host, uint64_t n)
{
	block_each(k, host, n, block_overwrite);
}

void weak_forget(struct weak *k, uint8_t *host, uint64_t n)
{
	block_each(k, host, n, block_forget);
}

void weak_forget_all(struct weak *k)
{
	for (uint32_t b = 0; b < k->nblocks; b++)
		for (struct weak_ring *r = k->block[b].first, *next; r; r = next) {
			next = r->next;
			ring_free(k, r);
		}
	if (k->used)
		memset(k->page, 0, sizeof k->page);
	k->nblocks = k->used = k->free = k->hand = 0;
	if (k->slots)
		memset(k->slot, 0, k->slots * sizeof *k->slot);
	weak_clock_unref(k->lost);
	k->lost = NULL;
	clock_joins_free(&k->joins);
}
