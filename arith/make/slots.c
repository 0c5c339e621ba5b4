/* Build tool: generates the hash table of arith/slots.h from the keys of all rows, as C on standard
 * output. */
#include "arith/slots.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	static uint16_t slot[ARITH_SLOTS];
	unsigned rows = 0;

	memset(slot, 0xff, sizeof slot);
	for (unsigned f = 0; f < ARITH_FILE_COUNT; f++) {
		rows += arith_rows[f].count;
		if (arith_rows[f].count > 0x1000 || f > 0xe || 2 * rows > ARITH_SLOTS)
			return fputs("arith: a row's number has 12 bits and a file's 4, and the hash table must stay half empty\n",
				       stderr),
			       1;
		for (unsigned r = 0; r < arith_rows[f].count; r++) {
			uint32_t h = arith_hash(&arith_rows[f].row[r].key);

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
