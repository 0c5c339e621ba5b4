/* Shared by the tests of arith: an instruction is given by its text and the types of its operands,
 * and a kernel's lanes are compared with a reference written for the tests, at every processor
 * level, with full and partial masks and with the destination in the place of a source. */
#ifndef TEST_ARITH_H
#define TEST_ARITH_H
#include "arith/arith.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* IN: the sources of a lane, as wide as their types. Returns the destination's bits. */
typedef uint64_t reference(const uint64_t *in, const void *context);

static uint64_t random_state = 0x9e3779b97f4a7c15u;
static inline uint64_t random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* The variant of the kernels that read_instruction requests (arith_query.level). */
static uint8_t test_level __attribute__((unused));

static inline bool level_here(int level)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	return level <= 2 ||
		(level == 3 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) ||
		(level == 4 && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
#else
	return level <= 2;
#endif
}

static const uint64_t edge_f64[] = {0, 0x8000000000000000, 1, 0x8000000000000001,
	0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x3fe0000000000000,
	0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
	0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
	0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x7ff8123456789abc,
	0xfff4000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000,
	0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000, 0x43e0000000000000,
	0xc3e0000000000000, 0x43f0000000000000, 0x43dfffffffffffff, 0x3690000000000000,
	0x36a0000000000000, 0x3810000000000000, 0x380fffffffffffff, 0x380ffffff0000000,
	0x380fffffe0000000, 0x380fffffefffffff, 0x47efffffe0000000, 0x47efffffefffffff,
	0x47effffff0000000, 0x47f0000000000000, 0x40effc0000000000, 0x40effe0000000000,
	0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0020000000000, 0x3ff0060000000000,
	0x3ff0100000000000, 0x3fd5555555555555, 0x3f00000000000000, 0x3f0ffc0000000000,
	0x3f0ffdffffffffff, 0x3e60000000000000, 0x4330000000000001, 0x4340000000000001};
static const uint32_t edge_f32[] = {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff,
	0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000,
	0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
	0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff, 0x7fd23456, 0xffa00000,
	0x4f000000, 0xcf000000, 0x4effffff, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5f000000,
	0xdf000000, 0x5effffff, 0x5f800000, 0x5f7fffff, 0x477fe000, 0x477ff000, 0x477fefff,
	0x477fffff, 0x47800000, 0x38800000, 0x387fc000, 0x387fe000, 0x33800000, 0x33000000,
	0x33000001, 0x3f801000, 0x3f803000, 0x3f802000, 0x3f808000, 0x3f818000, 0x7f7f7fff,
	0x7f7f8000, 0x437f0000, 0x437f8000, 0x43000000, 0xc3000000, 0xc3010000, 0x46fffe00,
	0x43e00000, 0x43e80000, 0x43f00000, 0x3b000000, 0x7e800000, 0x7f000000, 0x00400000,
	0x00200000};
static const uint16_t edge_f16[] = {0, 0x8000, 1, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00,
	0xbc00, 0x3c01, 0x3bff, 0x3800, 0x3e00, 0x4100, 0xc100, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
	0x7e00, 0xfe00, 0x7c01, 0x7fff, 0x7ff7, 0xfff7, 0xffff, 0x1000, 0x0010, 0x57ff, 0x5800,
	0x5bf0, 0x77ff, 0xf800, 0x2c00, 0x2010};
static const uint16_t edge_bf16[] = {0, 0x8000, 1, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x3f80,
	0xbf80, 0x3f81, 0x3f7f, 0x3f00, 0x3fc0, 0x4020, 0xc020, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
	0x7fc0, 0xffc0, 0x7f81, 0x7fff, 0x7ff7, 0xfff7, 0x4f00, 0xcf00, 0x5f00, 0x0100, 0x2000,
	0x1f80, 0x6000, 0x0040, 0x4380, 0x3b80};
static const uint64_t edge_int[] = {0, 1, 2, 3, 5, 7, 10, 24, 31, 32, 33, 63, 64, 65, 0x7f, 0x80,
	0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x1000000,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
	0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff,
	0xffffffff80000000, 0xffffffff7fffffff, 0x55555555aaaaaaaa, 0x0123456789abcdef,
	0x00010001ffff8000};

#define PICK(table) table[random64() % (sizeof table / sizeof *table)]

/* A value of TYPE: edge values and random ones, often close to each other, so that sums cancel and
 * results are halfway points. */
static inline uint64_t random_value(const char *type)
{
	const uint64_t r = random64();
	const unsigned how = (unsigned)(random64() % 8);
	if (strcmp(type, "f64") == 0) {
		if (how < 4)
			return PICK(edge_f64);
		return how == 4    ? r
			: how == 5 ? (r & 0x800fffffffffffff) | (0x3fd + random64() % 6) << 52
			: how == 6 ? (r & 0x800fffffffffffff) | (1023 - 40 + random64() % 110) << 52
				   : (r & 0x8000000000000000) | (0x3f0 + random64() % 40) << 52 |
				(random64() % 16) << 48 | (random64() % 3) << random64() % 45;
	}
	if (strcmp(type, "f32") == 0) {
		if (how < 4)
			return PICK(edge_f32);
		return how == 4    ? r & 0xffffffff
			: how == 5 ? (r & 0x807fffff) | (0x7d + random64() % 6) << 23
			: how == 6 ? (r & 0x807fffff) | (127 - 24 + random64() % 60) << 23
				   : (r & 0x80000000) | (0x70 + random64() % 40) << 23 |
				(random64() % 16) << 19 | (random64() % 3) << random64() % 18;
	}
	if (strcmp(type, "f16") == 0)
		return how < 3    ? PICK(edge_f16)
			: how < 6 ? r & 0xffff
				  : (r & 0x83ff) | (13 + random64() % 5) << 10;
	if (strcmp(type, "bf16") == 0)
		return how < 3    ? PICK(edge_bf16)
			: how < 6 ? r & 0xffff
				  : (r & 0x807f) | (125 + random64() % 5) << 7;
	if (strcmp(type, "f16x2") == 0 || strcmp(type, "bf16x2") == 0) {
		const char *half = type[0] == 'f' ? "f16" : "bf16";
		return random_value(half) << 16 | random_value(half);
	}
	if (strcmp(type, "f32x2") == 0)
		return random_value("f32") << 32 | random_value("f32");
	if (strcmp(type, "small") == 0) /* shift amounts and similar */
		return how < 6 ? r % 70 : how == 6 ? r % 300 : r;
	return how < 4     ? PICK(edge_int)
		: how < 6  ? r
		: how == 6 ? r >> random64() % 64
			   : (uint64_t)((int64_t)r >> random64() % 64);
}

static inline unsigned operand_bytes(const char *type)
{
	static const struct {
		const char *name;
		unsigned bytes;
	} odd[] = {{"pred", 0}, {"small", 4}, {"f16x2", 4}, {"bf16x2", 4}, {"u16x2", 4},
		{"s16x2", 4}, {"f32x2", 8}, {"e4m3x2", 2}, {"e5m2x2", 2}, {"e2m1x2", 1},
		{"e2m3x2", 2}, {"e3m2x2", 2}, {"ue8m0x2", 2}, {"e4m3x4", 4}, {"e5m2x4", 4},
		{"e2m1x4", 2}, {"e2m3x4", 4}, {"e3m2x4", 4}, {"tf32", 4}, {"ue5m3x2", 2},
		{"s2f6x2", 2}, {"e2m1p4x4", 4}, {"ue8m0x4", 4}};
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		if (strcmp(odd[i].name, type) == 0)
			return odd[i].bytes;
	const size_t n = strlen(type);
	return n > 1 && type[n - 1] == '4'    ? 8
		: n > 1 && type[n - 1] == '2' ? 4
		: type[n - 1] == '6'          ? 2
					      : 1;
}

struct instruction {
	char type[8][12];  /* destinations first */
	unsigned bytes[8]; /* of the registers */
	unsigned count, dests;
	struct arith_op op;
};

/* Parses TEXT as in PTX, with TYPES such as "s32=s32,s32": destinations = sources; "u8/2" is a type
 * in a register of two bytes, "!pred" a complemented predicate, "u32.b3" a selected part, "#5" a
 * constant. */
static inline void read_instruction(const char *text, const char *types, struct instruction *in)
{
	static uint16_t words[32];
	struct arith_query q = {.word = words};
	char copy[128], *save = NULL;
	snprintf(copy, sizeof copy, "%s", text);
	char *word = strtok_r(copy, ".", &save);
	q.opcode = (uint16_t)opcode_find(word, strlen(word));
	cr_assert_neq(q.opcode, OP_NONE, "%s: no such opcode", text);
	while ((word = strtok_r(NULL, ".", &save)) != NULL) {
		words[q.nwords] = (uint16_t)word_find(word, strlen(word));
		cr_assert_neq(words[q.nwords], W_NONE, "%s: no word %s", text, word);
		q.nwords++;
	}
	*in = (struct instruction){0};
	snprintf(copy, sizeof copy, "%s", types);
	for (char *t = copy, *next; t; t = next) {
		const size_t len = strcspn(t, "=,");
		const char end = t[len];
		const unsigned k = in->count++;
		next = end ? t + len + 1 : NULL;
		t[len] = 0;
		if (end == '=')
			in->dests = in->count;
		q.negated[k] = *t == '!' || *t == '-';
		t += q.negated[k];
		char *part = strchr(t, '.'), *wide = strchr(t, '/');
		if (part) {
			*part++ = 0;
			q.selector[k] = (uint16_t)word_find(part, strlen(part));
			cr_assert_neq(q.selector[k], W_NONE);
		}
		if (wide)
			*wide++ = 0;
		snprintf(in->type[k], sizeof in->type[k], "%s", t);
		in->bytes[k] = *t == '#' ? 4 : wide ? (unsigned)(*wide - '0') : operand_bytes(t);
		q.reg_bytes[k] = (uint8_t)(*t == '#' ? 0xff : in->bytes[k]);
	}
	q.noperands = (uint8_t)in->count;
	q.level = test_level;
	cr_assert(arith_find(&q, &in->op), "%s %s: not found", text, types);
	for (unsigned k = 0; k < in->count; k++)
		cr_assert_eq(in->op.width[k], in->bytes[k],
			"%s %s: operand %u is %u bytes wide, not %u", text, types, k,
			in->op.width[k], in->bytes[k]);
	cr_assert_eq(in->op.ndests, in->dests, "%s: destinations", text);
}

static inline uint64_t lane_get(const void *lanes, unsigned bytes, unsigned i)
{
	switch (bytes) {
	case 0: return *(const uint32_t *)lanes >> i & 1;
	case 1: return ((const uint8_t *)lanes)[i];
	case 2: return ((const uint16_t *)lanes)[i];
	case 4: return ((const uint32_t *)lanes)[i];
	default: return ((const uint64_t *)lanes)[i];
	}
}
static inline void lane_put(void *lanes, unsigned bytes, unsigned i, uint64_t x)
{
	switch (bytes) {
	case 0:
		*(uint32_t *)lanes = (*(uint32_t *)lanes & ~(1u << i)) | (uint32_t)(x & 1) << i;
		break;
	case 1: ((uint8_t *)lanes)[i] = (uint8_t)x; break;
	case 2: ((uint16_t *)lanes)[i] = (uint16_t)x; break;
	case 4: ((uint32_t *)lanes)[i] = (uint32_t)x; break;
	default: ((uint64_t *)lanes)[i] = x; break;
	}
}
static inline uint64_t cut(uint64_t x, unsigned bytes)
{
	return bytes == 0 ? x & 1 : bytes < 8 ? x & (((uint64_t)1 << 8 * bytes) - 1) : x;
}

/* Runs one warp with one destination, at each of LEVELS levels. IN_PLACE: the source that is also
 * the destination, or 0. */
static inline void run_warp(const char *text, const struct instruction *in, unsigned levels,
	reference *ref, const void *context, uint32_t mask, unsigned in_place)
{
	static _Alignas(64) uint8_t before[8][512], reg[8][512];
	static uint64_t source[32][8];
	void *v[10];
	uint64_t want[32];
	for (unsigned k = 0; k < in->count; k++) {
		v[k] = reg[k];
		for (unsigned i = 0; i < 32; i++) {
			const uint64_t x = in->type[k][0] == '#'
				? strtoull(in->type[k] + 1, NULL, 0)
				: random_value(in->type[k]);
			lane_put(before[k], in->bytes[k], i, x);
			if (k >= 1)
				source[i][k - 1] = cut(x, in->bytes[k]);
		}
	}
	if (in_place)
		v[0] = v[in_place];
	for (unsigned i = 0; i < 32; i++)
		want[i] = mask >> i & 1 ? cut(ref(source[i], context), in->bytes[0])
					: lane_get(before[in_place], in->bytes[0], i);
	for (unsigned l = 0; l < levels; l++, in++) {
		memcpy(reg, before, sizeof reg);
		if (in->op.has_control)
			v[in->op.noperands - 1] = (void *)(uintptr_t)&in->op.control;
		in->op.run(v, mask);
		for (unsigned i = 0; i < 32; i++) {
			const uint64_t got = lane_get(v[0], in->bytes[0], i);
			if (got == want[i])
				continue;
			cr_assert_fail(
				"%s, variant %u, lane %u of mask %#x, in place %u: %#llx %#llx %#llx %#llx -> %#llx, not %#llx",
				text, l, i, mask, in_place, (unsigned long long)source[i][0],
				(unsigned long long)source[i][1], (unsigned long long)source[i][2],
				(unsigned long long)source[i][3], (unsigned long long)got,
				(unsigned long long)want[i]);
		}
	}
}

/* Compares an instruction with one destination with its reference. */
static inline void check_times(
	const char *text, const char *types, reference *ref, const void *context, unsigned times)
{
	struct instruction in[4];
	unsigned levels = 0;
	for (uint8_t level = 1; level <= 4; level++)
		if (level_here(level)) {
			test_level = level;
			read_instruction(text, types, &in[levels++]);
		}
	random_state = 0x9e3779b97f4a7c15u;
	for (unsigned n = 0; n < times; n++)
		run_warp(text, in, levels, ref, context, UINT32_MAX, 0);
	for (unsigned n = 0; n < 8; n++)
		run_warp(text, in, levels, ref, context,
			n == 0           ? 0
				: n == 1 ? 0x80000001u
					 : (uint32_t)random64(),
			0);
	for (unsigned k = 1; k < in->count; k++) {
		if (in->bytes[k] != in->bytes[0] || in->type[k][0] == '#')
			continue;
		run_warp(text, in, levels, ref, context, UINT32_MAX, k);
		run_warp(text, in, levels, ref, context, (uint32_t)random64(), k);
	}
}
static inline void check(const char *text, const char *types, reference *ref, const void *context)
{
	check_times(text, types, ref, context, 40);
}

/* printf into one of a few buffers. */
__attribute__((format(printf, 1, 2))) static inline const char *fmt(const char *format, ...)
{
	static char buffer[64][128];
	static unsigned turn;
	char *b = buffer[turn++ % 64];
	__builtin_va_list list;
	__builtin_va_start(list, format);
	vsnprintf(b, sizeof buffer[0], format, list);
	__builtin_va_end(list);
	return b;
}
#endif
