/* Growing typed arrays: capacity doubles, up to 2^31 elements. */
#include "base/vec.h"
#include "base/memory.h"
#include <string.h>

void *vec_new_place(void *data, uint32_t count, uint32_t *cap, uint32_t want, size_t size)
{
	void *place = memory_resize(NULL, (uint64_t)want * size);

	if (count)
		memcpy(place, data, count * size);
	memory_drop(data);
	*cap = want;
	return place;
}

void *vec_grow(void *data, uint32_t count, uint32_t *cap, uint64_t extra, size_t size)
{
	uint64_t most = (uint64_t)1 << 31, need = count + extra;
	uint64_t want = *cap < 8 ? 8 : (uint64_t)*cap * 2;

	if (extra > most || need > most)
		memory_out();
	if (want < need)
		want = need;
	if (want > most)
		want = most;
	if (size && want > SIZE_MAX / size)
		memory_out();
	data = memory_resize(data, (size_t)want * size);
	*cap = (uint32_t)want;
	return data;
}
