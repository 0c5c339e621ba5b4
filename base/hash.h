/* A hash of bytes, eight at a time. It must not change: object files use it as a checksum. */
#ifndef PTXI_BASE_HASH_H
#define PTXI_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Hashes N bytes. H: the hash of the preceding bytes, or 0. */
static inline uint64_t hash_bytes(const void *bytes, size_t n, uint64_t h)
{
	const unsigned char *p = bytes;
	uint64_t w;

	h ^= 0x9e3779b97f4a7c15u + n;
	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	for (w = 0; n; n--)
		w = w << 8 | *p++;
	h = (h ^ w) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
}

#endif
