/* Reading matrices in shared memory, which descriptors describe; and the operations in flight that
 * read them. */
#include "interp/sync/matrix_tile.h"
#include "interp/memory/access.h"
#include <string.h>

enum { CHUNK = WARPGROUP_CHUNK };

static bool is_undefined(const uint8_t *defined)
{
	for (unsigned k = 0; k < CHUNK; k++)
		if (defined[k] != 0xff)
			return true;
	return false;
}

static void put_chunk(struct tile_rows *to, const struct tile *t, unsigned i, unsigned column,
	unsigned first, const uint8_t *from, const uint8_t *defined)
{
	bool undefined = defined && is_undefined(defined);
	unsigned size = t->element, n = CHUNK / size;

	if (!t->transposed) {
		memcpy(&to->row[i - first][column * CHUNK], from, CHUNK);
		to->undefined[i - first] |= undefined;
		return;
	}
	for (unsigned e = 0; e < n; e++) {
		memcpy(&to->row[column * n + e - first][i * size], from + e * size, size);
		to->undefined[column * n + e - first] |= undefined;
	}
}

bool tile_read(struct warp *w, const struct op *op, unsigned lane, const struct cta *c,
	const struct tile *t, unsigned first, unsigned rows, unsigned bytes, struct tile_rows *to,
	struct tile_chunks *read)
{
	unsigned n = CHUNK / t->element, begin = t->transposed ? 0 : first,
		 end = t->transposed ? bytes / t->element : first + rows,
		 left = t->transposed ? first / n : 0,
		 right = t->transposed ? (first + rows) / n : bytes / CHUNK;

	memset(to->undefined, 0, sizeof to->undefined);
	for (unsigned i = begin; i < end; i++)
		for (unsigned k = left; k < right; k++) {
			uint32_t at = tile_chunk(t, i, k);

			if (at >= TILE_CHUNKS * CHUNK || at > c->shared_bytes ||
				c->shared_bytes - at < CHUNK) {
				access_fault(w, op, lane, W_shared, at, CHUNK, CHUNK, ACCESS_READ);
				return false;
			}
			put_chunk(to, t, i, k, first, c->shared + at,
				c->shared_defined ? c->shared_defined + at : NULL);
			read->bit[at / CHUNK / 64] |= UINT64_C(1) << (at / CHUNK % 64);
		}
	return true;
}

static bool has(const struct tile_chunks *read, uint32_t k)
{
	return read->bit[k / 64] >> k % 64 & 1;
}

bool tile_queue(struct warp *w, const struct op *op, enum copy_kind kind, unsigned lane,
	uint32_t group, struct cta *c, const struct tile_chunks *read)
{
	uint32_t limit = c->shared_bytes / CHUNK, n = 0;
	struct copy *copy;

	if (limit > TILE_CHUNKS)
		limit = TILE_CHUNKS;
	for (uint32_t k = 0; k < limit; k++)
		n += has(read, k) && !(k && has(read, k - 1));
	copy = async_issue(w, op, kind, n ? n : 1);
	if (!copy)
		return false;
	copy->part[0].lane = (uint8_t)lane;
	copy->part[0].group = group;
	n = 0;
	for (uint32_t k = 0; k < limit; k++) {
		uint32_t begin = k;

		while (k < limit && has(read, k))
			k++;
		if (k == begin)
			continue;
		struct copy_part *p = &copy->part[n++];

		p->lane = (uint8_t)lane;
		p->take = (k - begin) * CHUNK;
		p->group = group;
		p->from = (struct sync_place){.space = W_shared,
			.cta = c,
			.offset = begin * CHUNK,
			.address = begin * CHUNK,
			.host = c->shared + begin * CHUNK,
			.defined = c->shared_defined ? c->shared_defined + begin * CHUNK : NULL};
	}
	async_issued(copy);
	return true;
}
