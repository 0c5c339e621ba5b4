/* The device heap: a next-fit allocator over granules of 16 bytes. Its state is in host arrays
 * outside the heap, so stray writes of a program cannot corrupt it. Between any two blocks there
 * is a granule that belongs to neither. */
#include "interp/memory/runtime_heap.h"
#include "base/assert.h"
#include "base/lock.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>

enum { GRANULE = 16 };
/* of the first granule of a run; FREED: free, and once a block of malloc */
enum granule_state { INSIDE, LIVE, FREE, FREED };

struct heap {
	pthread_mutex_t lock;
	uint64_t base;
	uint32_t granules;
	/* [granules] accessible bytes, 0 to 16; read without the lock */
	uint8_t *valid;
	uint8_t *state; /* [granules] enum granule_state */
	/* [granules] length of the run that begins here; not valid for INSIDE */
	uint32_t *run;
	uint64_t *bytes; /* [granules] requested size, at the first granule of a block */
	uint32_t rover;
	uint32_t free; /* granules in free runs */
	/* a request for this many granules has failed since the last free; UINT32_MAX: none */
	uint32_t hopeless;
};

struct heap *heap_new(uint64_t base, uint64_t size)
{
	struct heap *h = memory_zeroed(1, sizeof *h);

	lock_new(&h->lock);
	h->base = base;
	h->granules = size / GRANULE > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)(size / GRANULE);
	h->valid = memory_zeroed(h->granules, sizeof *h->valid);
	h->state = memory_zeroed(h->granules, sizeof *h->state);
	h->run = memory_zeroed(h->granules, sizeof *h->run);
	h->bytes = memory_zeroed(h->granules, sizeof *h->bytes);
	if (h->granules) {
		h->state[0] = FREE;
		h->run[0] = h->granules;
	}
	h->free = h->granules;
	h->hopeless = UINT32_MAX;
	return h;
}

void heap_free(struct heap *h)
{
	if (!h)
		return;
	pthread_mutex_destroy(&h->lock);
	memory_drop(h->valid);
	memory_drop(h->state);
	memory_drop(h->run);
	memory_drop(h->bytes);
	memory_drop(h);
}

static bool heap_is_free(const struct heap *h, uint32_t g)
{
	return h->state[g] == FREE || h->state[g] == FREED;
}

/* Merges the free run at G with the free runs after it. */
static void heap_merge(struct heap *h, uint32_t g)
{
	uint32_t next = g + h->run[g];

	while (next < h->granules && heap_is_free(h, next)) {
		uint32_t more = h->run[next];

		/* the start of a merged run stays FREED, so that a second free of it is still
		 * recognised */
		if (h->state[next] == FREE)
			h->state[next] = INSIDE;
		h->run[g] += more;
		next += more;
		if (h->rover > g && h->rover < next)
			h->rover = g;
	}
}

static void heap_set_valid(struct heap *h, uint32_t first, uint32_t granules, uint64_t bytes)
{
	for (uint32_t k = 0; k < granules; k++) {
		uint8_t v = bytes >= GRANULE ? GRANULE : (uint8_t)bytes;

		__atomic_store_n(&h->valid[first + k], v, __ATOMIC_RELAXED);
		bytes -= v;
	}
}

/* Takes NEED granules from the free run at G, for a block of N bytes. */
static void heap_cut(struct heap *h, uint32_t g, uint32_t need, uint64_t n)
{
	uint32_t rest = h->run[g] - need;

	assert(heap_is_free(h, g) && h->run[g] >= need && h->free >= need);
	for (uint32_t k = 1; k < need; k++) /* starts of freed blocks inside are forgotten */
		h->state[g + k] = INSIDE;
	if (rest) {
		if (h->state[g + need] != FREED)
			h->state[g + need] = FREE;
		h->run[g + need] = rest;
	}
	h->state[g] = LIVE;
	h->run[g] = need;
	h->bytes[g] = n;
	h->free -= need;
	h->rover = rest ? g + need : g;
	heap_set_valid(h, g, need, n);
}

/* The first free run of NEED granules from the rover on, wrapping around once; UINT32_MAX: none. */
static uint32_t heap_search(struct heap *h, uint32_t need)
{
	uint32_t start = h->rover, g = start;
	bool wrapped = false;

	if (h->free < need || need >= h->hopeless)
		return UINT32_MAX;
	while (!wrapped || g < start) {
		if (heap_is_free(h, g)) {
			heap_merge(h, g);
			if (h->run[g] >= need)
				return g;
		}
		g += h->run[g];
		if (g >= h->granules) {
			if (wrapped)
				break;
			wrapped = true;
			g = 0;
		}
	}
	h->hopeless = need;
	return UINT32_MAX;
}

uint64_t heap_alloc(struct heap *h, uint64_t n)
{
	uint64_t need, address = 0;
	uint32_t g;

	n = n ? n : 1;
	if (n > (uint64_t)h->granules * GRANULE)
		return 0;
	need = (n + GRANULE - 1) / GRANULE + 1; /* plus the granule between blocks */
	lock_take(&h->lock);
	g = need > h->granules ? UINT32_MAX : heap_search(h, (uint32_t)need);
	if (g != UINT32_MAX) {
		heap_cut(h, g, (uint32_t)need, n);
		address = h->base + (uint64_t)g * GRANULE;
	}
	lock_give(&h->lock);
	return address;
}

enum heap_status heap_release(struct heap *h, uint64_t address)
{
	uint64_t offset = address - h->base;
	uint32_t g = (uint32_t)(offset / GRANULE);
	enum heap_status status = HEAP_NOT_A_BLOCK;

	if (offset % GRANULE || offset / GRANULE >= h->granules)
		return status;
	lock_take(&h->lock);
	if (h->state[g] == LIVE) {
		assert(h->run[g] && h->run[g] <= h->granules - g);
		heap_set_valid(h, g, h->run[g], 0);
		h->state[g] = FREED;
		h->free += h->run[g];
		h->hopeless = UINT32_MAX;
		status = HEAP_OK;
	} else if (h->state[g] == FREED) {
		status = HEAP_FREED_BEFORE;
	}
	lock_give(&h->lock);
	return status;
}

bool heap_inside(const struct heap *h, uint64_t address, uint64_t n)
{
	uint64_t offset = address - h->base;

	if (offset / GRANULE >= h->granules)
		return false;
	while (n) {
		uint64_t g = offset / GRANULE, from = offset % GRANULE,
			 here = GRANULE - from < n ? GRANULE - from : n;

		if (g >= h->granules ||
			__atomic_load_n(&h->valid[g], __ATOMIC_RELAXED) < from + here)
			return false;
		offset += here;
		n -= here;
	}
	return true;
}

/* The block (live or freed) that contains G or precedes it; UINT32_MAX: none. */
static uint32_t block_before(const struct heap *h, uint32_t g)
{
	while (h->state[g] != LIVE && h->state[g] != FREED) {
		if (g == 0)
			return UINT32_MAX;
		g--;
	}
	return g;
}

bool heap_was_freed(struct heap *h, uint64_t address)
{
	uint64_t offset = address - h->base;
	uint32_t g;
	bool freed;

	lock_take(&h->lock);
	g = offset / GRANULE < h->granules ? block_before(h, (uint32_t)(offset / GRANULE))
					   : UINT32_MAX;
	freed = g != UINT32_MAX && h->state[g] == FREED &&
		offset - (uint64_t)g * GRANULE < h->bytes[g];
	lock_give(&h->lock);
	return freed;
}

static void block_describe(const struct heap *h, uint64_t address, uint64_t n, struct text *out)
{
	uint64_t offset = address - h->base, begin, end;
	uint32_t g = offset / GRANULE < h->granules ? block_before(h, (uint32_t)(offset / GRANULE))
						    : UINT32_MAX;

	if (g == UINT32_MAX) {
		text_puts(out, "inside the device heap, where malloc has allocated nothing");
		return;
	}
	begin = h->base + (uint64_t)g * GRANULE;
	end = begin + h->bytes[g];
	if (h->state[g] == FREED && address < end)
		text_printf(out,
			"byte %" PRIu64 " of a block of %" PRIu64
			" bytes from malloc that was freed",
			address - begin, h->bytes[g]);
	else if (address >= end)
		text_printf(out,
			"%" PRIu64 " byte%s past a block of %" PRIu64
			" bytes from malloc, which ends at 0x%" PRIx64,
			address - end, address - end == 1 ? "" : "s", h->bytes[g], end);
	else
		text_printf(out,
			"byte %" PRIu64 " of a block of %" PRIu64
			" bytes from malloc, of which %" PRIu64 " bytes would be accessed",
			address - begin, h->bytes[g], n);
}

void heap_describe(struct heap *h, uint64_t address, uint64_t n, struct text *out)
{
	lock_take(&h->lock);
	block_describe(h, address, n, out);
	lock_give(&h->lock);
}
