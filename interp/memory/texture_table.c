/* The textures and surfaces of a machine, by handle. */
#include "base/memory.h"
#include "interp/memory/memory.h"
#include <string.h>

/* They are sorted. The first whose handle is not less than HANDLE. */
static uint32_t place_of(const struct memory *m, uint64_t handle)
{
	uint32_t low = 0, high = m->ntextures;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (m->texture[middle].handle < handle)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct memory *m, uint32_t k, uint64_t handle)
{
	return k < m->ntextures && m->texture[k].handle == handle;
}

uint64_t memory_texture_put(struct memory *m, uint64_t handle, const struct texture *t)
{
	if (!handle)
		handle = MEMORY_FIRST_TEXTURE + m->next_texture++;
	const uint32_t k = place_of(m, handle);

	if (!is_at(m, k, handle)) {
		if (m->ntextures == m->texture_cap) {
			m->texture_cap = m->texture_cap ? 2 * m->texture_cap : 8;
			m->texture = memory_resize(m->texture, m->texture_cap * sizeof *m->texture);
		}
		memmove(m->texture + k + 1, m->texture + k,
			(m->ntextures++ - k) * sizeof *m->texture);
	}
	m->texture[k] = (struct memory_texture){handle, *t};
	return handle;
}

const struct texture *memory_texture_find(const struct memory *m, uint64_t handle)
{
	const uint32_t k = place_of(m, handle);

	return is_at(m, k, handle) ? &m->texture[k].texture : NULL;
}

bool memory_texture_was(const struct memory *m, uint64_t handle)
{
	return handle - MEMORY_FIRST_TEXTURE < m->next_texture;
}

bool memory_texture_drop(struct memory *m, uint64_t handle)
{
	const uint32_t k = place_of(m, handle);

	if (!is_at(m, k, handle))
		return false;
	memmove(m->texture + k, m->texture + k + 1, (--m->ntextures - k) * sizeof *m->texture);
	return true;
}
