/* add, sub, mul and fma between packed formats, lane by lane through soft.c: forms too rare for
 * loops of their own. (PTX ISA 9.7.5, 9.7.6) */
#include "arith/mixed.h"
#include "arith/element.h"
#include "arith/rounding.h"

uint64_t mixed_control(const struct mixed *m)
{
	uint64_t x = m->op | (uint64_t)m->mode << 8 | (uint64_t)m->ftz << 16 |
		(uint64_t)m->satfinite << 17;
	for (unsigned i = 0; i < 4; i++)
		x |= (uint64_t)m->type[i] << (24 + 8 * i);
	return x;
}

static struct mixed control_read(const void *word)
{
	const uint64_t x = *(const uint64_t *)word;
	struct mixed m = {.op = (uint8_t)x,
		.mode = (uint8_t)(x >> 8),
		.ftz = x >> 16 & 1,
		.satfinite = x >> 17 & 1};
	for (unsigned i = 0; i < 4; i++)
		m.type[i] = (uint8_t)(x >> (24 + 8 * i));
	return m;
}

/* Whether the second factor becomes an element of the result's type first: f16 times bf16. */
static bool converts(const struct mixed *m, const struct elements *e)
{
	return m->op == MIXED_MUL && e[0].type != e[2].type &&
		(e[0].type == TYPE_f16 || e[0].type == TYPE_bf16) && e[0].type == e[1].type;
}

/* The result for one element. BITS: the sources, as many as the operation has. */
static uint64_t mixed_element(
	const struct mixed *m, const struct elements *e, const uint64_t bits[3])
{
	const unsigned sources = m->op == MIXED_FMA ? 3 : 2;
	const enum soft_round mode = (enum soft_round)m->mode;
	struct soft x[3], r = {0};
	for (unsigned i = 0; i < sources; i++) {
		const enum type type = e[1 + i].type;
		const uint64_t one = bits[i] & (((uint64_t)1 << type_info[type].bits) - 1);
		x[i] = soft_from_float(type, m->ftz ? soft_flush(type, one) : one);
	}
	if (converts(m, e))
		x[1] = soft_from_float(
			e[0].type, soft_to_float(e[0].type, x[1], (struct soft_rounding){0}));
	switch ((enum mixed_op)m->op) {
	case MIXED_SUB: x[1].negative = !x[1].negative; /* fall through */
	case MIXED_ADD: r = soft_sum(x[0], x[1], mode); break;
	case MIXED_MUL: r = soft_product(x[0], x[1]); break;
	case MIXED_FMA: r = soft_fused(x[0], x[1], x[2], mode); break;
	}
	const uint64_t d = soft_to_float(
		e[0].type, r, (struct soft_rounding){.mode = mode, .satfinite = m->satfinite});
	return m->ftz ? soft_flush(e[0].type, d) : d;
}

static inline void mixed_lanes(void *const *v, uint32_t mask, unsigned sources)
{
	const struct mixed m = control_read(v[1 + sources]);
	struct elements e[4];
	unsigned bytes[4];
	for (unsigned i = 0; i <= sources; i++) {
		e[i] = elements_of((enum type)m.type[i]);
		bytes[i] = type_bytes((enum type)m.type[i]);
	}
	for (unsigned lane = 0; lane < 32; lane++) {
		uint64_t result = 0;
		if (!(mask >> lane & 1))
			continue;
		for (unsigned k = 0; k < e[0].count; k++) {
			uint64_t bits[3] = {0};
			for (unsigned i = 0; i < sources; i++)
				bits[i] = lane_load(v[1 + i], bytes[1 + i], lane) >>
					k * e[1 + i].stride;
			result |= mixed_element(&m, e, bits) << k * e[0].stride;
		}
		lane_store(v[0], bytes[0], lane, result);
	}
}
void arith_mixed2(void *const *v, uint32_t mask) { mixed_lanes(v, mask, 2); }
void arith_mixed3(void *const *v, uint32_t mask) { mixed_lanes(v, mask, 3); }
