/* Values of the 32 lanes of a warp: of a register, of a special register, of an element of local
 * memory. */
#ifndef PTXI_DEBUG_VALUES_H
#define PTXI_DEBUG_VALUES_H
#include "debug/state.h"

struct lane_values {
	char name[96];
	uint8_t type; /* to print them as; a predicate is an u8 of 0 or 1 */
	bool predicate;
	unsigned size;         /* bytes of a value */
	uint32_t lanes, known; /* that exist; that have a value */
	bool one;              /* only FOCUS counts: one lane is in focus */
	uint32_t focus;
	unsigned char bytes[LANES * 16];
};

/* How many values register REG of the function of F has: the components of a vector. */
unsigned values_components(const struct engine *e, const struct frame *f, uint32_t reg);
/* Component C of register REG of frame F. */
void values_register(const struct engine *e, const struct frame *f, uint32_t reg, unsigned c,
	struct lane_values *out);
/* %tid.x and the like, in the warp in focus: the Kth of them, or false. */
bool values_special(const struct engine *e, unsigned k, struct lane_values *out);
/* A register of frame F, with its component if it has several (%v.x), or a special one. F NULL:
 * only a special one. */
bool values_find(
	const struct engine *e, const struct frame *f, const char *name, struct lane_values *out);
/* Element K, from p->low, of local memory. */
void values_local(
	const struct engine *e, const struct place *p, uint64_t k, struct lane_values *out);
/* Whether all lanes that exist have the same value, or none has one. */
bool values_same(const struct lane_values *v);
/* Appends the value of LANE, or "?". */
void values_lane(const struct lane_values *v, unsigned lane, struct text *out);
/* Appends one line: "5", "0 1 2 ... 31", "lanes 0 to 3, 7", or all values. */
void values_line(const struct lane_values *v, struct text *out);

#endif
