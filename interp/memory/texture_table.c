/* The textures and surfaces of a machine, by handle. */
#include "base/memory.h"
#include "interp/machine.h"
#include "interp/state/state.h"
#include "interp/memory/memory.h"

static struct memory_texture *place_of(const struct memory *m, uint64_t handle)
{
	for (uint32_t k = 0; k < m->ntextures; k++)
		if (m->texture[k].handle == handle)
			return &m->texture[k];
	return NULL;
}

uint64_t memory_texture_put(struct memory *m, uint64_t handle, const struct texture *t)
{
	struct memory_texture *old = handle ? place_of(m, handle) : NULL;

	if (!handle)
		handle = MEMORY_FIRST_TEXTURE + m->next_texture++;
	if (!old && m->ntextures == m->texture_cap) {
		m->texture_cap = m->texture_cap ? 2 * m->texture_cap : 8;
		m->texture = memory_resize(m->texture, m->texture_cap * sizeof *m->texture);
	}
	*(old ? old : &m->texture[m->ntextures++]) = (struct memory_texture){handle, *t};
	return handle;
}

const struct texture *memory_texture_find(const struct memory *m, uint64_t handle)
{
	const struct memory_texture *t = place_of(m, handle);

	return t ? &t->texture : NULL;
}

bool memory_texture_drop(struct memory *m, uint64_t handle)
{
	struct memory_texture *t = place_of(m, handle);

	if (t)
		*t = m->texture[--m->ntextures];
	return t != NULL;
}

uint64_t machine_texture(struct machine *m, uint64_t handle, const struct texture *t)
{
	const struct memory_block *b = memory_find(m->memory, t->address);

	return memory_inside(b, t->address, texture_bytes(t))
		? memory_texture_put(m->memory, handle, t)
		: 0;
}

bool machine_drop_texture(struct machine *m, uint64_t handle)
{
	return memory_texture_drop(m->memory, handle);
}
