/* Local memory of a warp's threads: contiguous per thread, so that a frame is an offset. */
#include "base/memory.h"
#include "interp/memory/access.h"
#include "interp/state/cluster.h"
#include <stdlib.h>

enum { LOCAL_MIN = 256, LOCAL_MAX = 64 << 20 };

bool memory_local_reserve(struct warp *w, uint32_t bytes)
{
	unsigned parts = w->machine->options.checks & CHECK_INIT ? 2 * LANES : LANES;
	uint32_t size = LOCAL_MIN;
	unsigned char *fresh;

	if (bytes <= w->local_bytes)
		return true;
	if (bytes > LOCAL_MAX)
		return false;
	while (size < bytes)
		size *= 2;
	if (posix_memalign((void **)&fresh, 64, (size_t)size * parts) != 0)
		return false;
	for (unsigned part = 0; part < parts; part++) {
		if (w->local_bytes)
			memcpy(fresh + (size_t)part * size,
				w->local + (size_t)part * w->local_bytes, w->local_bytes);
		memset(fresh + (size_t)part * size + w->local_bytes, 0, size - w->local_bytes);
	}
	memory_drop(w->local);
	w->local = fresh;
	w->local_bytes = size;
	return true;
}

static void local_free(struct cluster *k)
{
	EVERY_CTA(c, k)
		for (uint32_t i = 0; i < c->nwarps; i++)
			memory_drop(c->warp[i].local);
}
const struct keeper memory_local_keeper = {.free = local_free};

void memory_local_copy(struct warp *w, uint32_t mask, uint32_t to, uint32_t from, uint32_t bytes)
{
	FOR_LANES(lane, mask) {
		uint8_t *local = memory_local_at(w, lane), *defined = memory_local_defined(w, lane);

		memmove(local + to, local + from, bytes);
		if (defined)
			memmove(defined + to, defined + from, bytes);
	}
}

void memory_local_read(struct warp *w, unsigned lane, uint32_t from, void *data, uint32_t bytes)
{
	memcpy(data, memory_local_at(w, lane) + from, bytes);
}

void memory_local_write(
	struct warp *w, unsigned lane, uint32_t to, const void *data, uint32_t bytes)
{
	uint8_t *defined = memory_local_defined(w, lane);

	memcpy(memory_local_at(w, lane) + to, data, bytes);
	if (defined)
		memset(defined + to, 0xff, bytes);
}
