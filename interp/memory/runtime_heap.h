/* The device heap: what malloc and free hand out inside one allocation, each block with bounds of
 * its own. */
#ifndef PTXI_INTERP_RUNTIME_HEAP_H
#define PTXI_INTERP_RUNTIME_HEAP_H
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

struct heap;

enum heap_status { HEAP_OK, HEAP_NOT_A_BLOCK, HEAP_FREED_BEFORE };

/* A heap over the SIZE bytes that begin at address BASE. Nothing is stored in those bytes
 * themselves. Thread-safe from here on. */
struct heap *heap_new(uint64_t base, uint64_t size);
void heap_free(struct heap *h); /* NULL is fine */
/* A block of N bytes (0 counts as 1) aligned to 16, or 0 when the heap is exhausted. The same calls
 * in the same order give the same addresses. */
uint64_t heap_take(struct heap *h, uint64_t n);
/* Gives the block at ADDRESS back. */
enum heap_status heap_give(struct heap *h, uint64_t address);
/* Whether the N >= 1 bytes at ADDRESS all lie in one live block. */
bool heap_inside(const struct heap *h, uint64_t address, uint64_t n);
/* Whether ADDRESS lies in a block that was freed and not handed out again. */
bool heap_was_freed(struct heap *h, uint64_t address);
/* What lies at ADDRESS, as the end of a sentence. */
void heap_describe(struct heap *h, uint64_t address, uint64_t n, struct text *out);

#endif
