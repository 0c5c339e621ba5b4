/* Typed growable arrays: VEC(struct x) v = {0}; *vec_push(&v) = x; v.data[i], v.count. Free with
 * vec_free. */
#ifndef PTXI_BASE_VEC_H
#define PTXI_BASE_VEC_H
#include "base/memory.h"
#include <stddef.h>
#include <stdint.h>

#define VEC(type) \
	struct { \
		type *data; \
		uint32_t count, cap; \
	}

/* Reserves space for EXTRA more elements of SIZE bytes; ends the call (base/guard.h) if memory is
 * exhausted or 2^31 elements are exceeded. */
void *vec_grow(void *data, uint32_t count, uint32_t *cap, uint64_t extra, size_t size);

#define vec_reserve(v, extra) \
	((extra) > (v)->cap - (v)->count ? (void)((v)->data = vec_grow((v)->data, (v)->count, \
							  &(v)->cap, (extra), sizeof *(v)->data)) \
					 : (void)0)
/* Moves a vector to where there is room for N elements in all, if it has less. */
void *vec_new_place(void *data, uint32_t count, uint32_t *cap, uint32_t want, size_t size);
#define vec_move(v, n) \
	((n) > (v)->cap ? (void)((v)->data = vec_new_place((v)->data, (v)->count, &(v)->cap, (n), \
					 sizeof *(v)->data)) \
			: (void)0)
/* The address of a new last element (uninitialised). */
#define vec_push(v) (vec_reserve(v, 1), &(v)->data[(v)->count++])
#define vec_free(v) (memory_drop((v)->data), (v)->data = NULL, (v)->count = (v)->cap = 0)

#endif
