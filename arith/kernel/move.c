/* Kernels of move.def, and the vector forms of mov: several registers as one and one as several. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

/* N elements of type U: d, e0, e1 ... into one register, and d0, d1 ..., a out of it. The first is
 * the lowest. All sources are read before the first destination is written, since mov.b64 {x, y}, z
 * may name a register twice. */
#define VECTOR(n, bits, U) \
	static void pack##n##_b##bits(void *const *v, uint32_t mask) \
	{ \
		alignas(64) U temp[32 * (n)]; \
		U *d = ALIGNED(mask == ALL_LANES ? v[0] : (void *)temp); \
		for (unsigned k = 0; k < (n); k++) { \
			const U *e = ALIGNED(v[1 + k]); \
			LANES(32) \
				d[(n)*i + k] = e[i]; \
		} \
		if (mask != ALL_LANES) \
			blend(v[0], temp, mask, (unsigned)sizeof(U) * (n)); \
	} \
	static void unpack##n##_b##bits(void *const *v, uint32_t mask) \
	{ \
		const U *a = ALIGNED(v[n]); \
		alignas(64) U temp[n][32]; \
		for (unsigned k = 0; k < (n); k++) \
			LANES(32) \
				temp[k][i] = a[(n)*i + k]; \
		for (unsigned k = 0; k < (n); k++) \
			blend(v[k], temp[k], mask, (unsigned)sizeof(U)); \
	}
/* mov.vN of vector registers, element by element. */
#define COPIED(n, bits, U) \
	static void copy##n##_b##bits(void *const *v, uint32_t mask) \
	{ \
		alignas(64) U temp[n][32]; \
		for (unsigned k = 0; k < (n); k++) \
			memcpy(temp[k], v[(n) + k], sizeof temp[k]); \
		for (unsigned k = 0; k < (n); k++) \
			blend(v[k], temp[k], mask, (unsigned)sizeof(U)); \
	}
#include "arith/kernel/functions.h"
#include "arith/kernel/move.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/move.def"
};
const struct arith_rows SYM(move_rows) = {rows, sizeof rows / sizeof *rows};
