/* Arena: chunks from malloc that grow in size, with bump allocation in the newest. */
#include "base/arena.h"
#include "base/assert.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_FIRST = 4096, CHUNK_MAX = 1 << 23 };

struct arena_chunk {
	struct arena_chunk *before;
	size_t size;
	bool single; /* for one piece, which says little about those to come */
};

/* Makes all of chunk C free, as the newest. */
static void open_chunk(struct arena *a, struct arena_chunk *c)
{
	a->chunk = c;
	a->next = (char *)(c + 1);
	a->end = (char *)c + c->size;
}

static void add_chunk(struct arena *a, size_t need)
{
	size_t size = a->regular / 4 < CHUNK_FIRST ? CHUNK_FIRST
		: a->regular / 4 < CHUNK_MAX       ? a->regular / 4
						   : CHUNK_MAX;
	struct arena_chunk *c;
	bool single;

	if (need > SIZE_MAX / 2)
		memory_out();
	single = size < need + sizeof *c;
	if (single)
		size = need + sizeof *c;
	c = memory_resize(NULL, size);
	c->before = a->chunk;
	c->size = size;
	c->single = single;
	a->total += size;
	a->regular += single ? 0 : size;
	open_chunk(a, c);
}

void *arena_more(struct arena *a, uint64_t size, size_t align)
{
	if (size > SIZE_MAX / 2 - align)
		memory_out();
	add_chunk(a, (size_t)size + align);
	a->next += (size_t)(-(uintptr_t)a->next & (align - 1));
	a->next += (size_t)size;
	if (a->chunk->single)
		a->end = a->next; /* nothing else is in it */
	return a->next - (size_t)size;
}

void arena_expect(struct arena *a, uint64_t size)
{
	if (!a->chunk || size > (size_t)(a->end - a->next))
		add_chunk(a, size < SIZE_MAX ? (size_t)size : SIZE_MAX);
}

void *arena_zalloc(struct arena *a, uint64_t size, size_t align)
{
	return memset(arena_alloc(a, size, align), 0, (size_t)size);
}

void *arena_copy(struct arena *a, const void *src, uint64_t n, size_t align)
{
	void *p = arena_alloc(a, n, align);

	if (n)
		memcpy(p, src, (size_t)n);
	return p;
}

char *arena_text(struct arena *a, const char *text, size_t n)
{
	char *p = arena_alloc(a, n + 1, 1);

	if (n)
		memcpy(p, text, n);
	p[n] = '\0';
	return p;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof small, fmt, ap);
	if (n < 0)
		never();
	p = arena_alloc(a, (size_t)n + 1, 1);
	if ((size_t)n < sizeof small)
		memcpy(p, small, (size_t)n + 1);
	else
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

/* Frees C and the chunks before it, up to but not including LAST. */
static void free_chunks(struct arena *a, struct arena_chunk *c, const struct arena_chunk *last)
{
	while (c != last) {
		struct arena_chunk *before = c->before;

		a->total -= c->size;
		a->regular -= c->single ? 0 : c->size;
		memory_drop(c);
		c = before;
	}
}

bool arena_drop(struct arena *a, const void *p)
{
	struct arena_chunk *after = a->chunk;

	for (struct arena_chunk *c; after && (c = after->before); after = c) {
		if (!c->single || p != (const void *)(c + 1))
			continue;
		after->before = c->before;
		a->total -= c->size;
		memory_drop(c);
		return true;
	}
	return false;
}

void arena_free(struct arena *a)
{
	free_chunks(a, a->chunk, NULL);
	*a = (struct arena){0};
}

void arena_rewind(struct arena *a, struct arena_mark mark)
{
	if (!mark.chunk) {
		arena_free(a);
		return;
	}
	free_chunks(a, a->chunk, mark.chunk);
	a->chunk = mark.chunk;
	a->next = mark.next;
	a->end = (char *)mark.chunk + mark.chunk->size;
}

void arena_clear(struct arena *a)
{
	if (!a->chunk)
		return;
	free_chunks(a, a->chunk->before, NULL);
	a->chunk->before = NULL;
	open_chunk(a, a->chunk);
}

void arena_free_before(struct arena *a, const void *p)
{
	struct arena_chunk *c = a->chunk;

	while (c && !((uintptr_t)p >= (uintptr_t)c && (uintptr_t)p < (uintptr_t)c + c->size))
		c = c->before;
	if (!c)
		never();
	free_chunks(a, c->before, NULL);
	c->before = NULL;
}
