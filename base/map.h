/* Map from uint64_t keys to uint32_t values; open addressing. Used for scopes and registers: key =
 * (scope << 32 | symbol). */
#ifndef PTXI_BASE_MAP_H
#define PTXI_BASE_MAP_H
#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise to begin. */
struct map {
	uint64_t *key; /* key + 1; 0 = free */
	uint32_t *value;
	uint32_t count, slots;
};

/* Sets KEY to VALUE (KEY < UINT64_MAX); returns false, changing nothing, when the key is there
 * already. */
bool map_add(struct map *m, uint64_t key, uint32_t value);
/* The value of KEY, or NOT_FOUND. */
uint32_t map_get(const struct map *m, uint64_t key, uint32_t not_found);
/* Sets or replaces. */
void map_set(struct map *m, uint64_t key, uint32_t value);
void map_clear(struct map *m);
void map_free(struct map *m);

#endif
