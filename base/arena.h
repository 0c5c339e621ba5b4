/* Arena: memory that is freed as a whole. One arena per module, launch, worker or exploration node;
 * hardly anything in it is freed individually. */
#ifndef PTXI_BASE_ARENA_H
#define PTXI_BASE_ARENA_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

/* Zero-initialise before use ({0}). */
struct arena {
	struct arena_chunk *chunk; /* list of chunks, newest first */
	char *next, *end;          /* free bytes of the newest chunk */
	size_t total;              /* bytes of all chunks */
	size_t regular;            /* of those that are not for one large piece */
};

/* What an arena held at some time. */
struct arena_mark {
	struct arena_chunk *chunk;
	char *next;
};

/* arena_alloc when the newest chunk is full. */
void *arena_more(struct arena *a, uint64_t size, size_t align);
/* Allocates SIZE uninitialised bytes at alignment ALIGN (a power of two). Never NULL: if memory is
 * exhausted, the call ends (base/guard.h). */
static inline void *arena_alloc(struct arena *a, uint64_t size, size_t align)
{
	size_t skip = (size_t)(-(uintptr_t)a->next & (align - 1)),
	       room = (size_t)(a->end - a->next);

	if (!a->chunk || skip > room || size > room - skip)
		return arena_more(a, size, align);
	char *p = a->next + skip;
	a->next = p + (size_t)size;
	return p;
}
/* The next allocations, of SIZE bytes together, are in one chunk. */
void arena_expect(struct arena *a, uint64_t size);
/* As arena_alloc, zeroed. */
void *arena_zalloc(struct arena *a, uint64_t size, size_t align);
/* Returns a copy of N bytes. */
void *arena_copy(struct arena *a, const void *src, uint64_t n, size_t align);
/* Returns a NUL-terminated copy of N bytes of text. */
char *arena_text(struct arena *a, const char *text, size_t n);
/* printf into the arena. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Frees P at once, if it was large and so has a chunk of its own, and is not the newest. */
bool arena_drop(struct arena *a, const void *p);
/* Frees everything; the arena is empty and can be used again. */
void arena_free(struct arena *a);
static inline struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){a->chunk, a->next};
}
/* Frees what was allocated after MARK. */
void arena_rewind(struct arena *a, struct arena_mark mark);
/* Empties the arena, but keeps its newest chunk for the next use. */
void arena_clear(struct arena *a);
/* Frees what was allocated long before P, which is in the arena: all older chunks. */
void arena_free_before(struct arena *a, const void *p);

#define ARENA_NEW(a, type) ((type *)arena_zalloc((a), sizeof(type), _Alignof(type)))
#define ARENA_ARRAY(a, type, n) \
	((type *)arena_zalloc((a), sizeof(type) * (uint64_t)(n), _Alignof(type)))

#endif
