/* Build tool: generates the hash table of arith/slots.h from the keys of all rows, as C on standard
 * output. */
#include "arith/slots.h"
#include <stdio.h>
#include <stdlib.h>

#define ROW(name, keys, ...) {UNPAREN keys},
#include "arith/kernel/rows.h"
static const struct arith_key integer[] = {
#include "arith/kernel/integer.def"
};
static const struct arith_key bits[] = {
#include "arith/kernel/bits.def"
};
static const struct arith_key carry[] = {
#include "arith/kernel/carry.def"
};
static const struct arith_key compare[] = {
#include "arith/kernel/compare.def"
};
static const struct arith_key move[] = {
#include "arith/kernel/move.def"
};
static const struct arith_key float32[] = {
#include "arith/kernel/float32.def"
};
static const struct arith_key float64[] = {
#include "arith/kernel/float64.def"
};
static const struct arith_key directed[] = {
#include "arith/kernel/directed.def"
};
static const struct arith_key half[] = {
#include "arith/kernel/half.def"
};
static const struct arith_key convert[] = {
#include "arith/kernel/convert.def"
};
static const struct arith_key approx[] = {
#include "arith/kernel/approx.def"
};

#define F(name) {name, sizeof name / sizeof *name},
static const struct {
	const struct arith_key *key;
	unsigned count;
} file[] = {ARITH_FILES(F, F)};
enum { FILES = sizeof file / sizeof *file };

int main(void)
{
	static uint16_t slot[ARITH_SLOTS];
	unsigned rows = 0;

	memset(slot, 0xff, sizeof slot);
	for (unsigned f = 0; f < FILES; f++) {
		rows += file[f].count;
		if (file[f].count > 0x1000 || f > 0xe || 2 * rows > ARITH_SLOTS)
			return fputs("arith: a row's number has 12 bits and a file's 4, and the hash table must stay half empty\n",
				       stderr),
			       1;
		for (unsigned r = 0; r < file[f].count; r++) {
			uint32_t h = arith_hash(&file[f].key[r]);

			while (slot[h] != ARITH_FREE_SLOT)
				h = (h + 1) & (ARITH_SLOTS - 1);
			slot[h] = (uint16_t)(f << 12 | r);
		}
	}
	printf("#include \"arith/slots.h\"\n\nconst uint16_t arith_slot[ARITH_SLOTS] = {");
	for (unsigned k = 0; k < ARITH_SLOTS; k++)
		printf("%s%u,", k % 16 ? " " : "\n\t", slot[k]);
	printf("\n};\n");
	return 0;
}
