/* Map: open addressing with linear probing, at most three quarters full; entries are never removed
 * individually. */
#include "base/map.h"
#include "base/assert.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static uint32_t home_slot(uint64_t key, uint32_t slots)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccdu;
	key ^= key >> 33;
	key *= 0xc4ceb9fe1a85ec53u;
	return (uint32_t)(key >> 32) & (slots - 1);
}

/* The slot of KEY, or the free slot where it belongs. */
static uint32_t probe_map(const struct map *m, uint64_t key)
{
	uint32_t i = home_slot(key, m->slots);

	while (m->key[i] && m->key[i] != key + 1)
		i = (i + 1) & (m->slots - 1);
	return i;
}

static void grow_map(struct map *m)
{
	struct map bigger = {.count = m->count, .slots = m->slots ? m->slots * 2 : 16};

	if (bigger.slots < m->slots)
		memory_out();
	bigger.key = memory_zeroed(bigger.slots, sizeof *bigger.key);
	bigger.value = memory_zeroed(bigger.slots, sizeof *bigger.value);
	for (uint32_t i = 0; i < m->slots; i++) {
		if (m->key[i]) {
			uint32_t at = probe_map(&bigger, m->key[i] - 1);

			bigger.key[at] = m->key[i];
			bigger.value[at] = m->value[i];
		}
	}
	memory_drop(m->key);
	memory_drop(m->value);
	*m = bigger;
}

/* The slot of KEY, which is added if it is not present. */
static uint32_t enter_key(struct map *m, uint64_t key, bool *was_there)
{
	uint32_t i;

	if (key == UINT64_MAX)
		never();
	if (m->count >= m->slots / 4 * 3)
		grow_map(m);
	i = probe_map(m, key);
	*was_there = m->key[i] != 0;
	if (!*was_there) {
		m->key[i] = key + 1;
		m->count++;
	}
	return i;
}

bool map_add(struct map *m, uint64_t key, uint32_t value)
{
	bool was_there;
	uint32_t i = enter_key(m, key, &was_there);

	if (!was_there)
		m->value[i] = value;
	return !was_there;
}

uint32_t map_get(const struct map *m, uint64_t key, uint32_t not_found)
{
	uint32_t i;

	if (m->slots == 0 || key == UINT64_MAX)
		return not_found;
	i = probe_map(m, key);
	return m->key[i] ? m->value[i] : not_found;
}

void map_set(struct map *m, uint64_t key, uint32_t value)
{
	bool was_there;
	uint32_t i = enter_key(m, key, &was_there);

	m->value[i] = value;
}

void map_clear(struct map *m)
{
	if (m->count)
		memset(m->key, 0, m->slots * sizeof *m->key);
	m->count = 0;
}

void map_free(struct map *m)
{
	memory_drop(m->key);
	memory_drop(m->value);
	*m = (struct map){0};
}
