/* The rows that map the words of an instruction to a kernel: one table of rows for all processors,
 * and tables of functions in the same order for each level of processors. As only the latter have
 * pointers, little is relocated when ptxi starts. */
#ifndef PTXI_ARITH_TABLE_H
#define PTXI_ARITH_TABLE_H
#include "arith/arith.h"

/* Boolean modifiers of a key. */
enum arith_flag {
	FLAG_FTZ = 1,
	FLAG_SAT = 2,
	FLAG_RELU = 4,
	FLAG_NAN = 8,
	FLAG_ABS = 16, /* .xorsign.abs, and .abs of forms with three sources */
	FLAG_CC = 32,  /* .cc */
	FLAG_SATFINITE = 64,
	FLAG_THIRD = 128, /* min and max with three sources */
};

/* An instruction in canonical form: equal keys have the same kernel. Unused members are 0. */
struct arith_key {
	uint16_t op; /* enum opcode */
	/* enum word: lo hi wide, approx full, clamp wrap, shiftamt, prmt's mode, a comparison
	 * ... */
	uint16_t variant;
	uint16_t second; /* enum word: a second word of that sort (shf.l.wrap) */
	uint16_t round;  /* enum word: rn rz rm rp rna rs rni rzi rmi rpi */
	uint8_t t[3];    /* enum type, in the order written */
	uint8_t flags;   /* set of enum arith_flag */
};

struct arith_row {
	struct arith_key key;
	uint8_t noperands, ndests;
	uint8_t cc; /* set of 1: reads the condition code, 2: writes it */
	uint8_t width[8];
};

struct arith_rows {
	const struct arith_row *row;
	unsigned count;
};

/* The kernel files; each has a table NAME_run_v<level> of functions in each version. R: files that
 * differ with ARITH_SOFT; that version takes the other files from the lowest level. */
#define ARITH_FILES(F, R) \
	F(integer) \
	F(bits) \
	F(carry) F(compare) F(move) R(float32) R(float64) R(directed) F(half) F(convert) F(approx)
#define ARITH_FILE_ONE(name) +1
enum { ARITH_FILE_COUNT = 0 ARITH_FILES(ARITH_FILE_ONE, ARITH_FILE_ONE) };

/* In the order of ARITH_FILES. (rows.c) */
extern const struct arith_rows arith_rows[ARITH_FILE_COUNT];

/* The kernel of row ROW of file FILE, in the version for this processor. (find.c) */
arith_kernel *arith_kernel_of(unsigned file, unsigned row);

/* The first row from number AFTER (file << 12 | row) on whose kernel is RUN, in the version for
 * this processor; false: there is none. (find.c) */
bool arith_row_at(arith_kernel *run, unsigned *file, unsigned *row, unsigned after);

#endif
