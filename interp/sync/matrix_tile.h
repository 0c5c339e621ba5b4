/* Matrices in shared memory that products read: wgmma, tcgen05. */
#ifndef PTXI_INTERP_MATRIX_TILE_H
#define PTXI_INTERP_MATRIX_TILE_H
#include "arith/warpgroup.h"
#include "interp/sync/async.h"

/* The columns of B, or rows of A; and which of them have bytes that were never written. */
struct tile_rows {
	uint8_t row[WARPGROUP_COLUMNS][WARPGROUP_BYTES];
	bool undefined[WARPGROUP_COLUMNS];
};

/* The chunks of shared memory that an operation reads: a bit for each 16 bytes. */
enum { TILE_CHUNKS = 16384 };
struct tile_chunks {
	uint64_t bit[TILE_CHUNKS / 64];
};

/* Reads ROWS rows from FIRST on, of BYTES bytes each, in C's shared memory, for lane LANE. False
 * after a fault. */
bool tile_read(struct warp *w, const struct op *op, unsigned lane, const struct cta *c,
	const struct tile *t, unsigned first, unsigned rows, unsigned bytes, struct tile_rows *to,
	struct tile_chunks *read);
/* Queues an operation of lane LANE and group GROUP, with a part for each run of bytes of C that it
 * reads, and at least one. False after a fault. */
bool tile_queue(struct warp *w, const struct op *op, enum copy_kind kind, unsigned lane,
	uint32_t group, struct cta *c, const struct tile_chunks *read);

#endif
