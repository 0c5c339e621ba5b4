/* The device heap: malloc and free inside one allocation, with bounds for each block. */
#ifndef PTXI_INTERP_RUNTIME_HEAP_H
#define PTXI_INTERP_RUNTIME_HEAP_H
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

struct heap;

enum heap_status { HEAP_OK, HEAP_NOT_A_BLOCK, HEAP_FREED_BEFORE };

/* A heap over the SIZE bytes at address BASE. Its state is not stored in those bytes.
 * Thread-safe. */
struct heap *heap_new(uint64_t base, uint64_t size);
void heap_free(struct heap *h); /* accepts NULL */
/* A block of N bytes (0 counts as 1) aligned to 16, or 0 when the heap is exhausted. The same
 * calls in the same order return the same addresses. */
uint64_t heap_alloc(struct heap *h, uint64_t n);
/* Frees the block at ADDRESS. */
enum heap_status heap_release(struct heap *h, uint64_t address);
/* Whether the N >= 1 bytes at ADDRESS all lie in one live block. */
bool heap_inside(const struct heap *h, uint64_t address, uint64_t n);
/* Whether ADDRESS is in a block that was freed and has not been reused. */
bool heap_was_freed(struct heap *h, uint64_t address);
/* Appends what is at ADDRESS, as the end of a sentence. */
void heap_describe(struct heap *h, uint64_t address, uint64_t n, struct text *out);

#endif
