/* The machine's address space: allocations and host access. */
#include "interp/memory/memory.h"
#include "base/memory.h"
#include "interp/memory/runtime_heap.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_ALIGN 256u

const struct memory_block memory_nothing = {.name = ""};

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

void memory_end(struct memory *m)
{
	for (uint32_t i = 0; i < m->nblocks; i++) {
		memory_drop(m->block[i]->freed_host);
		memory_drop(m->block[i]->freed_defined);
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
	if (size > SIZE_MAX - MEMORY_ALIGN)
		return NULL;
	*freed = memory_try_zeroed(1, (size_t)size + MEMORY_ALIGN);
	if (!*freed)
		return NULL;
	return (uint8_t *)(((uintptr_t)*freed + MEMORY_ALIGN - 1) & ~(uintptr_t)(MEMORY_ALIGN - 1));
}

static bool memory_place_const(struct memory *m, struct memory_block *b)
{
	uint64_t pages = b->size / MEMORY_CONST_PAGE + 1; /* at least one byte of gap */

	if (pages > MEMORY_CONST_PAGES - m->next_page)
		return false;
	b->base = MEMORY_CONST_WINDOW + (uint64_t)m->next_page * MEMORY_CONST_PAGE;
	for (uint64_t i = 0; i < pages; i++)
		m->const_page[m->next_page++] = b;
	return true;
}

static bool memory_place(struct memory *m, struct memory_block *b)
{
	uint64_t slots = ((b->size + 2 * MEMORY_BIAS - 1) >> MEMORY_SLOT_SHIFT) + 1;

	if (b->kind == MEMORY_CONSTANT)
		return memory_place_const(m, b);
	if (slots > MEMORY_END_SLOT - m->next_slot)
		return false;
	b->base = ((uint64_t)m->next_slot << MEMORY_SLOT_SHIFT) + MEMORY_BIAS;
	for (uint64_t i = 0; i < slots; i++)
		m->slot[m->next_slot++] = b;
	return true;
}

struct memory_block *memory_add(
	struct memory *m, enum memory_kind kind, uint64_t size, const char *name, bool initialised)
{
	uint64_t cost = m->watch ? 2 * size : size;
	struct memory_block *b;

	if (size > (uint64_t)1 << 46 || cost > m->limit - m->total)
		return NULL;
	b = ARENA_NEW(&m->arena, struct memory_block);
	b->kind = (uint8_t)kind;
	b->readonly = kind == MEMORY_CONSTANT;
	b->size = size;
	b->readable = kind == MEMORY_HEAP ? 0 : size;
	b->writable = b->readonly ? 0 : b->readable;
	b->name = arena_text(&m->arena, name, strlen(name));
	b->host = memory_pages(size, &b->freed_host);
	if (b->host && m->watch)
		b->defined = memory_pages(size, &b->freed_defined);
	if (!b->host || (m->watch && !b->defined) || !memory_place(m, b)) {
		memory_drop(b->freed_host);
		memory_drop(b->freed_defined);
		return NULL;
	}
	if (b->defined && initialised)
		memset(b->defined, 0xff, (size_t)size);
	if (m->nblocks == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 16;
		m->block = memory_resize(m->block, m->cap * sizeof *m->block);
	}
	m->block[m->nblocks++] = b;
	m->total += cost;
	return b;
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
	for (uint64_t i = 0; defined && i < size; i++)
		defined[i] = b->defined ? b->defined[address - b->base + i] != 0 : 1;
	return true;
}
