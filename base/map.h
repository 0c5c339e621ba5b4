/* Map from uint64_t keys to uint32_t values; open addressing. Used for scopes and registers: key =
 * (scope << 32 | symbol). */
#ifndef PTXI_BASE_MAP_H
#define PTXI_BASE_MAP_H
#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise before use; free with map_free. */
struct map {
	uint64_t *key; /* key + 1; 0 = free */
	uint32_t *value;
	uint32_t count, slots;
};

/* Sets KEY to VALUE (KEY < UINT64_MAX). Returns false and changes nothing if the key is already
 * present. */
bool map_add(struct map *m, uint64_t key, uint32_t value);
/* The value of KEY, or NOT_FOUND. */
uint32_t map_get(const struct map *m, uint64_t key, uint32_t not_found);
/* Sets or replaces the value of KEY. */
void map_set(struct map *m, uint64_t key, uint32_t value);
void map_clear(struct map *m);
void map_free(struct map *m);

#endif
