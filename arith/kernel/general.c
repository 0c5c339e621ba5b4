/* Kernels for the many rare forms: each combines plain kernels as its control word specifies. */
#include "base/assert.h"
#include "arith/kernel/kernel.h"
#include "arith/control.h"

#ifdef ARITH_SOFT
#define PLAIN(name) ARITH_PASTE(name, ARITH_PLAIN)
#else
#define PLAIN(name) SYM(name)
#endif
#define F(name) extern arith_kernel *const PLAIN(name##_run)[];
#define R(name) extern arith_kernel *const SYM(name##_run)[];
ARITH_FILES(F, R)
#undef F
#undef R
#define F(name) PLAIN(name##_run),
#define R(name) SYM(name##_run),
static arith_kernel *const *const run[] = {ARITH_FILES(F, R)};
#undef F
#undef R

static arith_kernel *kernel_of(uint64_t control)
{
	const unsigned n = CONTROL_ROW(control);
	return run[n >> 12][n & 0xfff];
}

static inline const struct arith_row *row_of(uint64_t control)
{
	const unsigned n = CONTROL_ROW(control);
	return &arith_rows[n >> 12].row[n & 0xfff];
}

static uint64_t control_of(const void *word) { return *(const uint64_t *)word; }

static uint32_t boolop(unsigned op, uint32_t x, uint32_t c)
{
	return op == BOOL_AND ? x & c : op == BOOL_OR ? x | c : op == BOOL_XOR ? x ^ c : x;
}

/* Compares all lanes of A and B, or their low and high halves. */
static void general_compare(uint64_t control, void *a, void *b, uint32_t answer[2])
{
	arith_kernel *const plain = kernel_of(control);
	if (!(control & CONTROL_HALVES)) {
		plain((void *[]){&answer[0], a, b}, ALL_LANES);
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
	plain((void *[]){&answer[0], half[0], half[2]}, ALL_LANES);
	plain((void *[]){&answer[1], half[1], half[3]}, ALL_LANES);
}

/* Operands: p {,q}, a, b {,c}. q receives the complemented comparison, or that of the high halves.
 * (9.7.7.2) */
static inline void general_setp(uint64_t control, uint32_t mask, uint32_t *p, uint32_t *q, void *a,
	void *b, const uint32_t *third)
{
	uint32_t answer[2];
	const uint32_t c = third ? control & CONTROL_NEGATE_C ? ~*third : *third : 0;
	general_compare(control, a, b, answer);
	predicate_write(p, boolop(CONTROL_BOOL(control), answer[0], c), mask);
	if (q)
		predicate_write(q, boolop(CONTROL_BOOL(control), answer[1], c), mask);
}
static void general_setp_pc(void *const *v, uint32_t mask)
{
	general_setp(control_of(v[4]), mask, v[0], NULL, v[1], v[2], v[3]);
}
static void general_setp_pq(void *const *v, uint32_t mask)
{
	general_setp(control_of(v[4]), mask, v[0], v[1], v[2], v[3], NULL);
}
static void general_setp_pqc(void *const *v, uint32_t mask)
{
	general_setp(control_of(v[5]), mask, v[0], v[1], v[2], v[3], v[4]);
}

/* Operands: d, a, b {,c}. d is all ones or 1.0 where the comparison is true, otherwise 0.
 * (9.7.7.1) */
static inline void general_set_lanes(
	uint64_t control, uint32_t mask, void *d, void *a, void *b, const uint32_t *third)
{
	static const uint64_t one[] = {[SET_ONES] = UINT64_MAX,
		[SET_F32] = 0x3f800000u,
		[SET_F16] = 0x3c00,
		[SET_BF16] = 0x3f80};
	uint32_t answer[2];
	const uint32_t c = third ? control & CONTROL_NEGATE_C ? ~*third : *third : 0;
	const uint64_t yes = one[CONTROL_RESULT(control)];
	general_compare(control, a, b, answer);
	const uint32_t x = boolop(CONTROL_BOOL(control), answer[0], c),
		       y = boolop(CONTROL_BOOL(control), answer[1], c);
	alignas(64) uint32_t word[32];
	alignas(64) uint16_t half[32];
	if (CONTROL_BYTES(control) == 4 && control & CONTROL_HALVES)
		LANES(32)
			word[i] = (x & lane_bit[i] ? (uint32_t)yes & 0xffff : 0) |
				(y & lane_bit[i] ? (uint32_t)yes << 16 : 0);
	else
		LANES(32)
			word[i] = x & lane_bit[i] ? (uint32_t)yes : 0;
	if (CONTROL_BYTES(control) == 2) {
		LANES(32)
			half[i] = (uint16_t)word[i];
		blend2(d, half, mask);
	} else {
		blend4(d, word, mask);
	}
}
static void general_set(void *const *v, uint32_t mask)
{
	general_set_lanes(control_of(v[3]), mask, v[0], v[1], v[2], NULL);
}
static void general_set_c(void *const *v, uint32_t mask)
{
	general_set_lanes(control_of(v[4]), mask, v[0], v[1], v[2], v[3]);
}

/* Operands: d|p, a, b, c, table, q. The predicate is true for a nonzero result. (9.7.9.6) */
static void general_lop3(void *const *v, uint32_t mask)
{
	const uint64_t control = control_of(v[7]);
	const uint32_t q = control & CONTROL_NEGATE_C ? ~*(uint32_t *)v[6] : *(uint32_t *)v[6];
	alignas(64) uint32_t d[32];
	uint32_t bits = 0;
	kernel_of(control)((void *[]){d, v[2], v[3], v[4], v[5]}, ALL_LANES);
	LANES(32)
		bits |= d[i] ? lane_bit[i] : 0;
	blend4(v[0], d, mask);
	predicate_write(v[1], boolop(CONTROL_BOOL(control), bits, q), mask);
}

/* Runs a plain kernel with some predicate sources complemented. */
static inline void general_negated(void *const *v, uint32_t mask, unsigned n)
{
	const uint64_t control = control_of(v[n]);
	arith_kernel *const plain = kernel_of(control);
	uint32_t word[CONTROL_OPERANDS];
	void *inner[CONTROL_OPERANDS];
	assert(row_of(control)->noperands == n && n <= CONTROL_OPERANDS && !row_of(control)->cc);
	for (unsigned i = 0; i < n; i++) {
		inner[i] = v[i];
		if (CONTROL_NEGATED(control, i)) {
			word[i] = ~*(const uint32_t *)v[i];
			inner[i] = &word[i];
		}
	}
	plain(inner, mask);
}
static void general_negated2(void *const *v, uint32_t mask) { general_negated(v, mask, 2); }
static void general_negated3(void *const *v, uint32_t mask) { general_negated(v, mask, 3); }
static void general_negated4(void *const *v, uint32_t mask) { general_negated(v, mask, 4); }

#define G(name) .name = general_##name,
static const struct arith_general general = {ARITH_GENERAL(G)};
#undef G
const struct arith_level SYM(arith_level) = {run, &general};
