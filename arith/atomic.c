/* The scalar parts of arithmetic: the new value of an atomic operation, and redux.sync. (PTX ISA
 * 9.7.15.5, 9.7.15.13) */
#include "arith/arith.h"
#include "arith/atomic.h"
#include "arith/fp.h"

static uint32_t half_operation(enum atomic op, bool bf16, uint32_t a, uint32_t b)
{
	const uint16_t x = (uint16_t)a, y = (uint16_t)b;
	if (op == ATOMIC_MIN || op == ATOMIC_MAX)
		return f16_min_max(x, y, op == ATOMIC_MAX, false, bf16 ? 0x7f80 : 0x7c00);
	/* summing in float and rounding again equals rounding the exact sum once, because 24 bits
	 * are at least 2 * 11 + 2 */
	return bf16 ? f32_to_bf16(bf16_to_f32(x) + bf16_to_f32(y))
		    : f32_to_f16(f16_to_f32(x) + f16_to_f32(y));
}

static uint32_t add_f32(bool ftz, uint32_t a, uint32_t b)
{
	return f32_bits(
		f32_done(f32_ftz(f32_from(a), ftz) + f32_ftz(f32_from(b), ftz), ftz, false));
}

/* The memory's adder passes a NaN on unchanged, preferring the operand's over the one in memory
 * (measured). */
static uint64_t add_f64(uint64_t old, uint64_t b)
{
	if (f64_isnan_bits(b))
		return b;
	if (f64_isnan_bits(old))
		return old;
	const double x = f64_from(old), y = f64_from(b);
	return f64_bits(f64_done2(x + y, y, x));
}

uint64_t arith_atomic(
	enum atomic op, enum type type, bool ftz, uint64_t old, uint64_t b, uint64_t c)
{
	const unsigned bits = type_info[type].bits;
	const uint64_t ones = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	old &= ones;
	b &= ones;
	if (op == ATOMIC_CAS)
		return old == b ? c & ones : old;
	if (op == ATOMIC_EXCH)
		return b;
	switch ((int)type) {
	case TYPE_f16:
	case TYPE_bf16: return half_operation(op, type == TYPE_bf16, (uint32_t)old, (uint32_t)b);
	case TYPE_f16x2:
	case TYPE_bf16x2:
		return half_operation(op, type == TYPE_bf16x2, (uint32_t)old, (uint32_t)b) |
			(uint64_t)half_operation(
				op, type == TYPE_bf16x2, (uint32_t)old >> 16, (uint32_t)b >> 16)
			<< 16;
	case TYPE_f32:
		return op == ATOMIC_ADD    ? add_f32(ftz, (uint32_t)old, (uint32_t)b)
			: op == ATOMIC_MIN ? f32_min_bits((uint32_t)old, (uint32_t)b, false)
					   : f32_max_bits((uint32_t)old, (uint32_t)b, false);
	case TYPE_f64:
		return op == ATOMIC_ADD    ? add_f64(old, b)
			: op == ATOMIC_MIN ? f64_min_bits(old, b)
					   : f64_max_bits(old, b);
	default:
		return atomic_integer(op,
			type_info[type].class == CLASS_SIGNED ? (ones >> 1) + 1 : 0, ones, old, b,
			0);
	}
}

/* Over all lanes as a loop of one operation, which the compiler vectorises. */
#define REDUX(T, r, expression) \
	{ \
		T r = (T)lanes[0]; \
		for (unsigned i = 1; i < 32; i++) { \
			const T x = (T)lanes[i]; \
			r = expression; \
		} \
		*result = (uint32_t)r; \
		return true; \
	}
static bool redux_all(enum atomic op, bool is_signed, const uint32_t *lanes, uint32_t *result)
{
	if (op == ATOMIC_ADD)
		REDUX(uint32_t, r, r + x)
	if (op == ATOMIC_AND)
		REDUX(uint32_t, r, r & x)
	if (op == ATOMIC_OR)
		REDUX(uint32_t, r, r | x)
	if (op == ATOMIC_XOR)
		REDUX(uint32_t, r, r ^ x)
	if (op == ATOMIC_MIN && is_signed)
		REDUX(int32_t, r, x < r ? x : r)
	if (op == ATOMIC_MAX && is_signed)
		REDUX(int32_t, r, x > r ? x : r)
	if (op == ATOMIC_MIN)
		REDUX(uint32_t, r, x < r ? x : r)
	if (op == ATOMIC_MAX)
		REDUX(uint32_t, r, x > r ? x : r)
	return false;
}

uint32_t arith_redux(
	enum atomic op, enum type type, bool abs, bool nan, const uint32_t *lanes, uint32_t mask)
{
	uint32_t sum = 0;
	bool first = true;
	if (mask == UINT32_MAX && type != TYPE_f32 && !abs &&
		redux_all(op, type == TYPE_s32, lanes, &sum))
		return sum;
	for (unsigned i = 0; i < 32; i++) {
		const uint32_t x = abs ? lanes[i] & 0x7fffffffu : lanes[i];
		if (!(mask >> i & 1))
			continue;
		if (first)
			sum = x;
		else if (type == TYPE_f32)
			sum = op == ATOMIC_MIN ? f32_min_bits(sum, x, nan)
					       : f32_max_bits(sum, x, nan);
		else
			sum = (uint32_t)atomic_integer(
				op, type == TYPE_s32 ? 0x80000000u : 0, UINT32_MAX, sum, x, 0);
		first = false;
	}
	if (type == TYPE_f32 && f32_isnan_bits(sum))
		sum = F32_NAN;
	return sum;
}
