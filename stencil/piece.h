/* The pieces of machine code that functions are made of (unit.c): what each computes is written in
 * C (pieces/), compiled when ptxi is built, and taken out of the object files by make/pieces.c,
 * which writes the tables declared here. */
#ifndef PTXI_STENCIL_PIECE_H
#define PTXI_STENCIL_PIECE_H
#include <stdint.h>

/* Arithmetic on the 32 lanes of a warp is one piece, copied for each step of 8 lanes. */
enum { PIECE_STEPS = 4 };
/* Pieces are copied in blocks of so many bytes, which also follow the last one. */
enum { PIECE_BLOCK = 32 };

enum hole {
#define HOLE(name) HOLE_##name,
#define TARGET(name) HOLE_##name,
#include "stencil/hole.def"
	HOLE_pool, /* the distance to a constant of the pool */
	HOLE_COUNT
};
/* Where a piece has a hole, and which: the offset of its 4 bytes (of a pointer: 8), and an enum
 * hole in the upper bits. */
enum { HOLE_SHIFT = 12 };
_Static_assert(HOLE_COUNT <= 1 << (16 - HOLE_SHIFT), "a hole is 16 bits");

struct piece {
	uint32_t code; /* where its bytes begin in piece_code; what holes add to is there already */
	uint32_t hole; /* its first hole in piece_hole */
	uint16_t bytes; /* 0: there is no such piece */
	uint16_t holes;
};

/* Pieces that belong to no row of a .def file. */
enum piece_number {
	PIECE_NONE,
#define FLOW(name) PIECE_##name,
#define EXTRA(name) PIECE_##name,
#include "stencil/flow.def"
	PIECE_FIXED
};

extern const struct piece piece_table[];
extern const uint8_t piece_code[], piece_pool[];
extern const uint16_t piece_hole[];
extern const uint32_t piece_pool_bytes, piece_count;
/* The piece of each row of each file of arith/kernel/ (arith/table.h), or PIECE_NONE. */
extern const uint16_t *const piece_of_row[];
extern const uint16_t piece_rows_of_file[];

#endif
