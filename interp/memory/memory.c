/* The machine's address space: allocations and host access. */
#include "interp/memory/memory.h"
#include "base/guard.h"
#include "base/memory.h"
#include "interp/memory/runtime_heap.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MEMORY_ALIGN 256u

const struct memory_block memory_nothing = {.name = (char[]){""}};

void memory_begin(struct memory *m, bool watch)
{
	memset(m, 0, sizeof *m);
	m->table = memory_zeroed(1, sizeof *m->table);
	m->slot = m->table->slot;
	m->const_page = m->table->const_page;
	m->next_slot = MEMORY_FIRST_SLOT;
	m->next_page = MEMORY_CONST_FIRST;
	m->limit = memory_physical() / 2;
	m->watch = watch;
}

static void unmap(void *block)
{
	const struct memory_block *b = block;

	munmap((void *)(uintptr_t)b->base, (size_t)b->size);
}

static void drop_bytes(struct memory_block *b)
{
	if (b->mapped) {
		unmap(b);
		guard_forget(b);
		b->mapped = false;
	}
	memory_drop(b->freed_host);
	memory_drop(b->freed_defined);
	b->freed_host = b->freed_defined = NULL;
	b->host = b->defined = NULL;
	b->size = b->readable = b->writable = 0;
}

void memory_end(struct memory *m)
{
	memory_drop(m->texture);
	for (uint32_t i = 0; i < m->nblocks; i++) {
		drop_bytes(m->block[i]);
		memory_drop(m->block[i]->name);
		memory_drop(m->block[i]->freed);
		heap_free(m->block[i]->heap);
	}
	memory_drop(m->block);
	memory_drop(m->table);
	arena_free(&m->arena);
	memset(m, 0, sizeof *m);
}

/* calloc: large blocks are zero pages that the system provides on first access. */
static uint8_t *memory_pages(uint64_t size, void **freed)
{
	const size_t align = size < HUGE_PAGE ? MEMORY_ALIGN : HUGE_PAGE;

	if (size > SIZE_MAX - align)
		return NULL;
	*freed = memory_try_zeroed(1, (size_t)size + align);
	if (!*freed)
		return NULL;
	return (uint8_t *)(((uintptr_t)*freed + align - 1) & ~(uintptr_t)(align - 1));
}

/* What an allocation occupies: N entries of a table from FIRST on. */
struct range {
	struct memory_block **table;
	uint32_t first, begin, end; /* entries of the table that may be used */
	uint64_t n;
};

/* For SIZE bytes at BASE, which may be 0: not known yet. */
static struct range range_of(const struct memory *m, unsigned kind, uint64_t base, uint64_t size)
{
	if (kind == MEMORY_CONSTANT) /* at least one byte of gap */
		return (struct range){m->const_page, (uint32_t)base / MEMORY_CONST_PAGE,
			MEMORY_CONST_FIRST, MEMORY_CONST_PAGES, size / MEMORY_CONST_PAGE + 1};
	return (struct range){m->slot, (uint32_t)(base >> MEMORY_SLOT_SHIFT), MEMORY_FIRST_SLOT,
		MEMORY_END_SLOT, ((size + 2 * MEMORY_BIAS - 1) >> MEMORY_SLOT_SHIFT) + 1};
}

static void range_clear(const struct range *r)
{
	for (uint64_t k = r->n; k-- > 0;)
		r->table[r->first + k] = NULL;
}

/* Finds R->n adjacent entries without a live owner, from FROM on in a circle: entries that were
 * freed last are used last. */
static bool range_find(struct range *r, uint32_t from)
{
	uint32_t at = from;
	uint64_t run = 0;

	for (uint64_t k = 0; k < r->end - r->begin + r->n; k++) {
		if (at == r->end) {
			at = r->begin;
			run = 0;
		}
		run = !r->table[at] || r->table[at]->freed ? run + 1 : 0;
		at++;
		if (run == r->n) {
			r->first = at - (uint32_t)r->n;
			return true;
		}
	}
	return false;
}

/* Takes the addresses of B away, which has not been used. */
static void memory_retire_unused(struct memory *m, const struct memory_block *b)
{
	struct range r = range_of(m, b->kind, b->base, b->size);

	range_clear(&r);
}

/* Forgets the freed block B, some addresses of which get another owner. */
static void memory_retire(struct memory *m, struct memory_block *b)
{
	struct range r = range_of(m, b->kind, b->base, b->had);

	range_clear(&r);
	b->next = m->spare;
	m->spare = b;
}

static bool memory_place(struct memory *m, struct memory_block *b)
{
	bool constant = b->kind == MEMORY_CONSTANT;
	uint32_t *next = constant ? &m->next_page : &m->next_slot;
	struct range r = range_of(m, b->kind, 0, b->size);

	if (!range_find(&r, *next))
		return false;
	for (uint64_t k = 0; k < r.n; k++) {
		if (r.table[r.first + k])
			memory_retire(m, r.table[r.first + k]);
		r.table[r.first + k] = b;
	}
	*next = r.first + (uint32_t)r.n;
	b->base = constant ? MEMORY_CONST_WINDOW + (uint64_t)r.first * MEMORY_CONST_PAGE
			   : ((uint64_t)r.first << MEMORY_SLOT_SHIFT) + MEMORY_BIAS;
	return true;
}

/* A zeroed block, which is in the list of all. */
static struct memory_block *new_block(struct memory *m)
{
	struct memory_block *b = m->spare;

	if (b) {
		m->spare = b->next;
		memory_drop(b->name);
		memory_drop(b->freed);
		*b = (struct memory_block){0};
		return b;
	}
	b = ARENA_NEW(&m->arena, struct memory_block);
	if (m->nblocks == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 16;
		m->block = memory_resize(m->block, m->cap * sizeof *m->block);
	}
	m->block[m->nblocks++] = b;
	return b;
}

static char *own_text(const char *text)
{
	size_t n = strlen(text) + 1;

	return memcpy(memory_resize(NULL, n), text, n);
}

/* A block that has no bytes yet; NULL: COST, or its shadow, exceeds the limit. */
static struct memory_block *begin_block(
	struct memory *m, enum memory_kind kind, uint64_t size, uint64_t cost, const char *name)
{
	struct memory_block *b;

	if (size > (uint64_t)1 << 46)
		return NULL;
	cost += m->watch ? size : 0;
	if (cost > m->limit - m->total)
		return NULL;
	b = new_block(m);
	b->kind = (uint8_t)kind;
	b->readonly = kind == MEMORY_CONSTANT;
	b->size = size;
	b->readable = kind == MEMORY_HEAP ? 0 : size;
	b->writable = b->readonly ? 0 : b->readable;
	b->name = own_text(name);
	b->cost = cost;
	return b;
}

/* Gives B its shadow. On failure, also where PLACED is false, B is not used, and NULL is
 * returned. */
static struct memory_block *end_block(
	struct memory *m, struct memory_block *b, bool placed, bool initialised)
{
	if (placed && m->watch) {
		b->defined = memory_pages(b->size, &b->freed_defined);
		placed = b->defined != NULL;
		if (!placed)
			memory_retire_unused(m, b);
	}
	if (!placed) {
		drop_bytes(b);
		b->next = m->spare;
		m->spare = b;
		return NULL;
	}
	if (b->defined && initialised)
		memset(b->defined, 0xff, (size_t)b->size);
	m->total += b->cost;
	return b;
}

struct memory_block *memory_add(
	struct memory *m, enum memory_kind kind, uint64_t size, const char *name, bool initialised)
{
	struct memory_block *b = begin_block(m, kind, size, size, name);

	if (!b)
		return NULL;
	b->host = memory_pages(size, &b->freed_host);
	return end_block(m, b, b->host && memory_place(m, b), initialised);
}

struct memory_block *memory_adopt(struct memory *m, void *host, uint64_t size, const char *name)
{
	struct memory_block *b = begin_block(m, MEMORY_BUFFER, size, 0, name);

	if (!b)
		return NULL;
	b->host = host;
	return end_block(m, b, memory_place(m, b), true);
}

/* Whether the system gives B's addresses to the host, too. */
static bool map_block(struct memory_block *b)
{
	void *at = (void *)(uintptr_t)b->base,
	     *got = mmap(at, (size_t)b->size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (got == MAP_FAILED)
		return false;
	if (got != at) { /* a kernel that does not know MAP_FIXED_NOREPLACE */
		munmap(got, (size_t)b->size);
		return false;
	}
	b->host = got;
	b->mapped = true;
	guard_keep(unmap, b);
	return true;
}

struct memory_block *memory_add_mapped(
	struct memory *m, enum memory_kind kind, uint64_t size, const char *name, bool initialised)
{
	enum { TRIES = 32, STRIDE = MEMORY_END_SLOT / TRIES };
	struct memory_block *b = size ? begin_block(m, kind, size, size, name) : NULL;
	bool placed = false;

	if (!b)
		return NULL;
	/* the program itself, or a sanitizer, may have something at these addresses */
	for (unsigned k = 0; k < TRIES && !placed && memory_place(m, b); k++) {
		placed = map_block(b);
		if (placed)
			break;
		memory_retire_unused(m, b);
		m->next_slot = m->next_slot + STRIDE < MEMORY_END_SLOT ? m->next_slot + STRIDE
								       : MEMORY_FIRST_SLOT;
	}
	return end_block(m, b, placed, initialised);
}

void memory_remove(struct memory *m, struct memory_block *b, const char *where)
{
	b->freed = own_text(where);
	b->had = b->size;
	m->total -= b->cost;
	heap_free(b->heap);
	b->heap = NULL;
	drop_bytes(b);
}

bool memory_copy_in(struct memory *m, uint64_t address, const void *data, uint64_t size)
{
	struct memory_block *b = memory_find(m, address);

	if (!size)
		return true;
	if (!memory_inside(b, address, size))
		return false;
	memcpy(b->host + (address - b->base), data, (size_t)size);
	if (b->defined)
		memset(b->defined + (address - b->base), 0xff, (size_t)size);
	return true;
}

bool memory_copy_out(
	struct memory *m, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	struct memory_block *b = memory_find(m, address);

	if (!size)
		return true;
	if (!memory_inside(b, address, size))
		return false;
	memcpy(data, b->host + (address - b->base), (size_t)size);
	if (defined && !b->defined)
		memset(defined, 1, (size_t)size);
	for (uint64_t i = 0; defined && b->defined && i < size; i++)
		defined[i] = b->defined[address - b->base + i] != 0;
	return true;
}

bool memory_copy_within(struct memory *m, uint64_t to, uint64_t from, uint64_t size)
{
	struct memory_block *a = memory_find(m, to), *b = memory_find(m, from);

	if (!size)
		return true;
	if (!memory_inside(a, to, size) || !memory_inside(b, from, size))
		return false;
	memmove(a->host + (to - a->base), b->host + (from - b->base), (size_t)size);
	if (a->defined && b->defined)
		memmove(a->defined + (to - a->base), b->defined + (from - b->base), (size_t)size);
	return true;
}

bool memory_fill(
	struct memory *m, uint64_t address, const void *value, unsigned width, uint64_t count)
{
	struct memory_block *b = memory_find(m, address);
	uint8_t *at;

	if (!count)
		return true;
	if (count > UINT64_MAX / width || !memory_inside(b, address, count * width))
		return false;
	at = b->host + (address - b->base);
	for (uint64_t k = 0; k < count; k++)
		memcpy(at + k * width, value, width);
	if (b->defined)
		memset(b->defined + (address - b->base), 0xff, (size_t)(count * width));
	return true;
}
