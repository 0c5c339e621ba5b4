/* Integer, bit, carry and packed arithmetic against references in 128-bit integers and single
 * bits. */
#include "tests/unit/test_arith.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

struct kind {
	char op; /* + - * / % m M a n s h l w ... */
	unsigned bits;
	bool is_signed, second_signed, sat, high, relu, wrap, left, flag;
	unsigned extra;
};

static wide value(uint64_t x, unsigned bits, bool is_signed)
{
	wide v = 0;
	for (unsigned i = 0; i < bits; i++)
		if (x >> i & 1)
			v += is_signed && i + 1 == bits ? -((wide)1 << i) : (wide)1 << i;
	return v;
}
static wide limit(wide x, unsigned bits, bool is_signed)
{
	const wide high = ((wide)1 << (is_signed ? bits - 1 : bits)) - 1,
		   low = is_signed ? -((wide)1 << (bits - 1)) : 0;
	return x > high ? high : x < low ? low : x;
}
static uint64_t low_bits(wide x, unsigned bits)
{
	return (uint64_t)x & (bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX);
}

static uint64_t ref_arith(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	const wide a = value(in[0], k->bits, k->is_signed), b = value(in[1], k->bits, k->is_signed),
		   c = value(in[2], k->bits, k->is_signed);
	const wide all_ones = k->is_signed ? -1 : (wide)low_bits(-1, k->bits);
	wide r = 0;
	switch (k->op) {
	case '+': r = a + b; break;
	case '-': r = a - b; break;
	case '*': r = a * b; break;
	case '/': r = b == 0 ? all_ones : a / b; break;
	case '%': r = b == 0 ? all_ones : a % b; break;
	case 'm': r = a < b ? a : b; break;
	case 'M': r = a > b ? a : b; break;
	case 'a': r = a < 0 ? -a : a; break;
	case 'n': r = -a; break;
	case 's': r = c + (a > b ? a - b : b - a); break;
	default: cr_assert(false);
	}
	if (k->relu && r < 0)
		r = 0;
	if (k->sat)
		r = limit(r, k->bits, k->is_signed);
	return low_bits(r, k->bits);
}

/* Products have 2 * bits bits, 64-bit ones in two halves. */
static uint64_t ref_product(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	const wide a = value(in[0], k->bits, k->is_signed), b = value(in[1], k->bits, k->is_signed);
	const uwide product = (uwide)a * (uwide)b; /* modulo 2^128, enough for 2 * bits */
	const wide c = k->flag ? value(in[2], k->op == 'w' ? 2 * k->bits : k->bits, k->is_signed)
			       : 0;
	if (k->op == 'w')
		return low_bits((wide)product + c, 2 * k->bits);
	if (k->op == 'l')
		return low_bits((wide)product + c, k->bits);
	wide high = (wide)(product >> k->bits);
	if (k->sat)
		high = limit(value((uint64_t)high, k->bits, true) + c, k->bits, true);
	else
		high += c;
	return low_bits(high, k->bits);
}

static const unsigned widths[] = {16, 32, 64};

Test(arith_integer, arithmetic)
{
	static const struct {
		const char *name;
		char op;
		unsigned sources;
	} ops[] = {{"add", '+', 2}, {"sub", '-', 2}, {"div", '/', 2}, {"rem", '%', 2},
		{"min", 'm', 2}, {"max", 'M', 2}, {"sad", 's', 3}, {"abs", 'a', 1},
		{"neg", 'n', 1}};
	for (unsigned o = 0; o < sizeof ops / sizeof *ops; o++)
		for (unsigned w = 0; w < 3; w++)
			for (int s = ops[o].sources == 1; s < 2; s++) {
				const struct kind k = {
					.op = ops[o].op, .bits = widths[w], .is_signed = s};
				const char *t = fmt("%c%u", s ? 's' : 'u', widths[w]);
				check(fmt("%s.%s", ops[o].name, t),
					ops[o].sources == 1 ? fmt("%s=%s", t, t)
						: ops[o].sources == 2
						? fmt("%s=%s,%s", t, t, t)
						: fmt("%s=%s,%s,%s", t, t, t, t),
					ref_arith, &k);
			}
	const struct kind sat[] = {{.op = '+', .bits = 32, .is_signed = true, .sat = true},
		{.op = '-', .bits = 32, .is_signed = true, .sat = true},
		{.op = 'm', .bits = 32, .is_signed = true, .relu = true},
		{.op = 'M', .bits = 32, .is_signed = true, .relu = true}};
	check("add.sat.s32", "s32=s32,s32", ref_arith, &sat[0]);
	check("sub.sat.s32", "s32=s32,s32", ref_arith, &sat[1]);
	check("min.relu.s32", "s32=s32,s32", ref_arith, &sat[2]);
	check("max.relu.s32", "s32=s32,s32", ref_arith, &sat[3]);
}

Test(arith_integer, products)
{
	for (unsigned w = 0; w < 3; w++)
		for (int s = 0; s < 2; s++) {
			const char *t = fmt("%c%u", s ? 's' : 'u', widths[w]),
				   *d = fmt("%c%u", s ? 's' : 'u', 2 * widths[w]);
			for (int add = 0; add < 2; add++) {
				const char *name = add ? "mad" : "mul";
				const struct kind lo = {.op = 'l',
							  .bits = widths[w],
							  .is_signed = s,
							  .flag = add},
						  hi = {.op = 'h',
							  .bits = widths[w],
							  .is_signed = s,
							  .flag = add},
						  wd = {.op = 'w',
							  .bits = widths[w],
							  .is_signed = s,
							  .flag = add};
				check(fmt("%s.lo.%s", name, t),
					add ? fmt("%s=%s,%s,%s", t, t, t, t)
					    : fmt("%s=%s,%s", t, t, t),
					ref_product, &lo);
				check(fmt("%s.hi.%s", name, t),
					add ? fmt("%s=%s,%s,%s", t, t, t, t)
					    : fmt("%s=%s,%s", t, t, t),
					ref_product, &hi);
				if (widths[w] < 64)
					check(fmt("%s.wide.%s", name, t),
						add ? fmt("%s=%s,%s,%s", d, t, t, d)
						    : fmt("%s=%s,%s", d, t, t),
						ref_product, &wd);
			}
		}
	const struct kind sat = {
		.op = 'h', .bits = 32, .is_signed = true, .sat = true, .flag = true};
	check("mad.hi.sat.s32", "s32=s32,s32,s32", ref_product, &sat);
}

static uint64_t ref_24(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	const wide product = value(in[0], 24, k->is_signed) * value(in[1], 24, k->is_signed);
	const wide part = k->high ? product >> 16 : product,
		   c = k->flag ? value(in[2], 32, k->is_signed) : 0;
	if (k->sat)
		return low_bits(limit(value((uint64_t)part, 32, true) + c, 32, true), 32);
	return low_bits(part + c, 32);
}

Test(arith_integer, products_of_24_bits)
{
	for (int s = 0; s < 2; s++)
		for (int h = 0; h < 2; h++)
			for (int add = 0; add < 2; add++) {
				const struct kind k = {.is_signed = s, .high = h, .flag = add};
				const char *t = s ? "s32" : "u32";
				check(fmt("%s.%s.%s", add ? "mad24" : "mul24", h ? "hi" : "lo", t),
					add ? fmt("%s=%s,%s,%s", t, t, t, t)
					    : fmt("%s=%s,%s", t, t, t),
					ref_24, &k);
			}
	const struct kind k = {.is_signed = true, .high = true, .flag = true, .sat = true};
	check("mad24.hi.sat.s32", "s32=s32,s32,s32", ref_24, &k);
}

/* Two halves, each like a 16-bit operation. */
static uint64_t ref_halves(const uint64_t *in, const void *context)
{
	uint64_t r = 0;
	for (unsigned h = 0; h < 2; h++) {
		const uint64_t half[] = {in[0] >> 16 * h & 0xffff, in[1] >> 16 * h & 0xffff,
			in[2] >> 16 * h & 0xffff};
		const struct kind *k = context;
		r |= (k->op == 'l' ? ref_product(half, context) : ref_arith(half, context))
			<< 16 * h;
	}
	return r;
}

Test(arith_integer, packed)
{
	for (int s = 0; s < 2; s++) {
		const char *t = s ? "s16x2" : "u16x2", *two = fmt("%s=%s,%s", t, t, t),
			   *three = fmt("%s=%s,%s,%s", t, t, t, t);
		const struct kind add = {.op = '+', .bits = 16, .is_signed = s},
				  sub = {.op = '-', .bits = 16, .is_signed = s},
				  adds = {.op = '+', .bits = 16, .is_signed = s, .sat = true},
				  subs = {.op = '-', .bits = 16, .is_signed = s, .sat = true},
				  min = {.op = 'm', .bits = 16, .is_signed = s},
				  max = {.op = 'M', .bits = 16, .is_signed = s},
				  mul = {.op = 'l', .bits = 16, .is_signed = s},
				  mad = {.op = 'l', .bits = 16, .is_signed = s, .flag = true};
		check(fmt("add.%s", t), two, ref_halves, &add);
		check(fmt("sub.%s", t), two, ref_halves, &sub);
		check(fmt("add.sat.%s", t), two, ref_halves, &adds);
		check(fmt("sub.sat.%s", t), two, ref_halves, &subs);
		check(fmt("min.%s", t), two, ref_halves, &min);
		check(fmt("max.%s", t), two, ref_halves, &max);
		check(fmt("mul.lo.%s", t), two, ref_halves, &mul);
		check(fmt("mad.lo.%s", t), three, ref_halves, &mad);
	}
	const struct kind min = {.op = 'm', .bits = 16, .is_signed = true, .relu = true},
			  max = {.op = 'M', .bits = 16, .is_signed = true, .relu = true};
	check("min.relu.s16x2", "s16x2=s16x2,s16x2", ref_halves, &min);
	check("max.relu.s16x2", "s16x2=s16x2,s16x2", ref_halves, &max);
}

static bool bit(uint64_t x, int i, unsigned bits) { return i >= 0 && i < (int)bits && x >> i & 1; }

static uint64_t ref_count(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	const uint64_t a = in[0];
	const bool sign = k->is_signed && bit(a, (int)k->bits - 1, k->bits);
	uint64_t n = 0;
	switch (k->op) {
	case 'p':
		for (int i = 0; i < (int)k->bits; i++)
			n += bit(a, i, k->bits);
		return n;
	case 'c':
		for (int i = (int)k->bits - 1; i >= 0 && !bit(a, i, k->bits); i--)
			n++;
		return n;
	case 'r':
		for (int i = 0; i < (int)k->bits; i++)
			n |= (uint64_t)bit(a, i, k->bits) << ((int)k->bits - 1 - i);
		return n;
	default:
		for (int i = (int)k->bits - 1; i >= 0; i--)
			if (bit(a, i, k->bits) != sign)
				return (uint64_t)(k->flag ? (int)k->bits - 1 - i : i);
		return 0xffffffff;
	}
}

Test(arith_integer, counting)
{
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		const struct kind popc = {.op = 'p', .bits = bits}, clz = {.op = 'c', .bits = bits},
				  brev = {.op = 'r', .bits = bits};
		check(fmt("popc.b%u", bits), fmt("u32=b%u", bits), ref_count, &popc);
		check(fmt("clz.b%u", bits), fmt("u32=b%u", bits), ref_count, &clz);
		check(fmt("brev.b%u", bits), fmt("b%u=b%u", bits, bits), ref_count, &brev);
		for (int s = 0; s < 2; s++)
			for (int shift = 0; shift < 2; shift++) {
				const struct kind find = {
					.op = 'f', .bits = bits, .is_signed = s, .flag = shift};
				check(fmt("bfind%s.%c%u", shift ? ".shiftamt" : "", s ? 's' : 'u',
					      bits),
					fmt("u32=b%u", bits), ref_count, &find);
			}
	}
}

/* The manual's loops over bits; 32-bit forms use eight bits of position and length, 64-bit ones
 * 32. */
static uint64_t ref_field(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	const bool insert = k->op == 'i';
	const uint64_t p = in[insert ? 2 : 1], l = in[insert ? 3 : 2],
		       pos = k->bits == 32 ? p & 0xff : p, len = k->bits == 32 ? l & 0xff : l;
	uint64_t r = insert ? in[1] : 0;
	for (uint64_t i = 0; i < k->bits; i++) {
		if (insert) {
			if (i < len && pos + i < k->bits)
				r = (r & ~((uint64_t)1 << (pos + i))) |
					(in[0] >> i & 1) << (pos + i);
		} else {
			const uint64_t top = pos + len - 1 < k->bits - 1 ? pos + len - 1
									 : k->bits - 1;
			const bool sign = k->is_signed && len && in[0] >> top & 1;
			r |= (uint64_t)(i < len && pos + i < k->bits ? in[0] >> (pos + i) & 1
								     : sign)
				<< i;
		}
	}
	return r;
}
static uint64_t ref_mask(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	const uint64_t a = k->wrap ? in[0] & 31 : in[0], b = k->wrap ? in[1] & 31 : in[1];
	uint64_t r = 0;
	for (uint64_t i = 0; i < 32; i++)
		r |= (uint64_t)(i >= a && i - a < b) << i;
	return r;
}
static uint64_t ref_szext(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	const uint64_t n = k->wrap ? in[1] & 31 : in[1];
	uint64_t r = 0;
	for (uint64_t i = 0; i < 32; i++)
		r |= (i < n ? in[0] >> i & 1 : k->is_signed && n ? in[0] >> (n - 1) & 1 : 0) << i;
	return r;
}
static uint64_t ref_fns(const uint64_t *in, const void *context)
{
	(void)context;
	const int32_t offset = (int32_t)in[2];
	if (in[1] > 31)
		return 0xffffffff;
	if (offset == 0)
		return in[0] >> in[1] & 1 ? in[1] : 0xffffffff;
	int64_t left = offset < 0 ? -(int64_t)offset : offset;
	for (int64_t i = (int64_t)in[1]; i >= 0 && i < 32; i += offset < 0 ? -1 : 1)
		if (in[0] >> i & 1 && --left == 0)
			return (uint64_t)i;
	return 0xffffffff;
}

Test(arith_integer, fields)
{
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		const struct kind insert = {.op = 'i', .bits = bits};
		check(fmt("bfi.b%u", bits), fmt("b%u=b%u,b%u,small,small", bits, bits, bits),
			ref_field, &insert);
		for (int s = 0; s < 2; s++) {
			const struct kind extract = {.op = 'e', .bits = bits, .is_signed = s};
			check(fmt("bfe.%c%u", s ? 's' : 'u', bits),
				fmt("b%u=b%u,small,small", bits, bits), ref_field, &extract);
		}
	}
	for (int wrap = 0; wrap < 2; wrap++) {
		const struct kind k = {.wrap = wrap}, s = {.wrap = wrap, .is_signed = true};
		const char *mode = wrap ? "wrap" : "clamp";
		check(fmt("bmsk.%s.b32", mode), "b32=small,small", ref_mask, &k);
		check(fmt("szext.%s.u32", mode), "u32=u32,small", ref_szext, &k);
		check(fmt("szext.%s.s32", mode), "s32=s32,small", ref_szext, &s);
	}
	check_times("fns.b32", "b32=b32,small,s32", ref_fns, NULL, 200);
}

static uint64_t ref_shift(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	uint64_t r = 0;
	for (uint64_t i = 0; i < k->bits; i++) {
		const uint64_t from = k->left ? i - in[1] : i + in[1];
		const bool inside = k->left ? i >= in[1] : from < k->bits;
		r |= (uint64_t)(inside ? in[0] >> from & 1
				       : k->is_signed && in[0] >> (k->bits - 1) & 1)
			<< i;
	}
	return r;
}
static uint64_t ref_funnel(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	const uint64_t n = k->wrap ? in[2] % 32 : in[2] > 32 ? 32 : in[2];
	uint64_t r = 0;
	for (uint64_t i = 0; i < 32; i++) {
		const uint64_t at = k->left ? i + 32 - n : i + n; /* bit of b:a */
		r |= (at < 32 ? in[0] >> at & 1 : in[1] >> (at - 32) & 1) << i;
	}
	return r;
}

Test(arith_integer, shifts)
{
	for (unsigned w = 0; w < 3; w++) {
		const unsigned bits = widths[w];
		const struct kind left = {.bits = bits, .left = true}, right = {.bits = bits},
				  arithmetic = {.bits = bits, .is_signed = true};
		check(fmt("shl.b%u", bits), fmt("b%u=b%u,small", bits, bits), ref_shift, &left);
		check(fmt("shr.b%u", bits), fmt("b%u=b%u,small", bits, bits), ref_shift, &right);
		check(fmt("shr.u%u", bits), fmt("b%u=b%u,small", bits, bits), ref_shift, &right);
		check(fmt("shr.s%u", bits), fmt("b%u=b%u,small", bits, bits), ref_shift,
			&arithmetic);
	}
	for (int wrap = 0; wrap < 2; wrap++)
		for (int left = 0; left < 2; left++) {
			const struct kind k = {.wrap = wrap, .left = left};
			check(fmt("shf.%c.%s.b32", left ? 'l' : 'r', wrap ? "wrap" : "clamp"),
				"b32=b32,b32,small", ref_funnel, &k);
		}
}

static uint64_t ref_logic(const uint64_t *in, const void *context)
{
	switch (*(const char *)context) {
	case '&': return in[0] & in[1];
	case '|': return in[0] | in[1];
	case '^': return in[0] ^ in[1];
	case '~': return ~in[0];
	default: return in[0] == 0;
	}
}
static uint64_t ref_lop3(const uint64_t *in, const void *context)
{
	const uint64_t table = in[3];
	uint64_t r = 0;
	(void)context;
	for (unsigned i = 0; i < 32; i++)
		r |= (table >> ((in[0] >> i & 1) << 2 | (in[1] >> i & 1) << 1 | (in[2] >> i & 1)) &
			     1)
			<< i;
	return r;
}

Test(arith_integer, logic)
{
	static const struct {
		const char *name, *op;
	} ops[] = {{"and", "&"}, {"or", "|"}, {"xor", "^"}, {"not", "~"}, {"cnot", "!"}};
	for (unsigned o = 0; o < 5; o++) {
		for (unsigned w = 0; w < 3; w++) {
			const unsigned bits = widths[w];
			check(fmt("%s.b%u", ops[o].name, bits),
				o < 3 ? fmt("b%u=b%u,b%u", bits, bits, bits)
				      : fmt("b%u=b%u", bits, bits),
				ref_logic, ops[o].op);
		}
		if (o < 4)
			check(fmt("%s.pred", ops[o].name), o < 3 ? "pred=pred,pred" : "pred=pred",
				ref_logic, ops[o].op);
	}
	for (unsigned t = 0; t < 256; t++)
		check_times("lop3.b32", fmt("b32=b32,b32,b32,#%u", t), ref_lop3, NULL, 2);
}

static uint64_t ref_prmt(const uint64_t *in, const void *context)
{
	const char *mode = context;
	uint8_t byte[8];
	unsigned pick[4];
	uint64_t r = 0;
	const unsigned s = (unsigned)in[2] & 3;
	for (unsigned i = 0; i < 8; i++)
		byte[i] = (uint8_t)(in[i / 4] >> 8 * (i % 4));
	for (unsigned i = 0; i < 4; i++) {
		if (*mode == 0)
			pick[i] = (unsigned)(in[2] >> 4 * i) & 15;
		else if (strcmp(mode, ".f4e") == 0)
			pick[i] = s + i;
		else if (strcmp(mode, ".b4e") == 0)
			pick[i] = (8 + s - i) % 8;
		else if (strcmp(mode, ".rc8") == 0)
			pick[i] = s;
		else if (strcmp(mode, ".ecl") == 0)
			pick[i] = i > s ? i : s;
		else if (strcmp(mode, ".ecr") == 0)
			pick[i] = i < s ? i : s;
		else
			pick[i] = (s & 1) * 2 + i % 2;
		const uint8_t b = byte[pick[i] & 7];
		r |= (uint64_t)(pick[i] & 8 ? (b & 0x80 ? 0xff : 0) : b) << 8 * i;
	}
	return r;
}

Test(arith_integer, permutes)
{
	static const char *const modes[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
	for (unsigned m = 0; m < 7; m++)
		check(fmt("prmt.b32%s", modes[m]), "b32=b32,b32,b32", ref_prmt, modes[m]);
}

static uint64_t ref_dot(const uint64_t *in, const void *context)
{
	const struct kind *k = context;
	wide sum = value(in[2], 32, false);
	for (unsigned i = 0; i < (k->op == '4' ? 4u : 2u); i++)
		sum += k->op == '4' ? value(in[0] >> 8 * i, 8, k->is_signed) *
				value(in[1] >> 8 * i, 8, k->second_signed)
				    : value(in[0] >> 16 * i, 16, k->is_signed) *
				value(in[1] >> 8 * (i + (k->high ? 2 : 0)), 8, k->second_signed);
	return low_bits(sum, 32);
}

Test(arith_integer, dot_products)
{
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++) {
			const char *ta = a ? "s32" : "u32", *tb = b ? "s32" : "u32";
			const struct kind four = {.op = '4', .is_signed = a, .second_signed = b},
					  low = {.op = '2', .is_signed = a, .second_signed = b},
					  high = {.op = '2',
						  .is_signed = a,
						  .second_signed = b,
						  .high = true};
			check(fmt("dp4a.%s.%s", ta, tb), "b32=b32,b32,b32", ref_dot, &four);
			check(fmt("dp2a.lo.%s.%s", ta, tb), "b32=b32,b32,b32", ref_dot, &low);
			check(fmt("dp2a.hi.%s.%s", ta, tb), "b32=b32,b32,b32", ref_dot, &high);
		}
}

/* Carries: the condition code is checked with the sum. */
struct carry_case {
	const char *text;
	bool subtract, product, high, reads, writes;
};

static void check_carry(const struct carry_case *c, unsigned bits, bool is_signed, int level)
{
	static _Alignas(64) uint64_t reg[4][32];
	struct arith_op op;
	uint16_t words[4];
	struct arith_query q = {.word = words, .noperands = c->product ? 4 : 3};
	char name[32], *save = NULL;
	snprintf(name, sizeof name, "%s", c->text);
	char *word = strtok_r(name, ".", &save);
	q.opcode = (uint16_t)opcode_find(word, strlen(word));
	while ((word = strtok_r(NULL, ".", &save)) != NULL)
		words[q.nwords++] = (uint16_t)word_find(word, strlen(word));
	words[q.nwords++] = is_signed ? bits == 32 ? W_s32 : W_s64 : bits == 32 ? W_u32 : W_u64;
	memset(q.reg_bytes, (int)bits / 8, sizeof q.reg_bytes);
	q.level = (uint8_t)level;
	cr_assert(arith_find(&q, &op), "%s", c->text);
	cr_assert(op.reads_cc == c->reads && op.writes_cc == c->writes &&
		op.noperands == q.noperands + 1 && op.width[q.noperands] == 0);
	for (unsigned n = 0; n < 60; n++) {
		const uint32_t mask = n < 30 ? UINT32_MAX : (uint32_t)random64(),
			       old = (uint32_t)random64();
		uint32_t code = old;
		void *v[] = {reg[0], reg[1], reg[2], c->product ? (void *)reg[3] : &code, &code};
		for (unsigned k = 0; k < 4; k++)
			for (unsigned i = 0; i < 32; i++)
				lane_put(reg[k], bits / 8, i, random_value("b64"));
		uint64_t before[4][32];
		for (unsigned k = 0; k < 4; k++)
			for (unsigned i = 0; i < 32; i++)
				before[k][i] = lane_get(reg[k], bits / 8, i);
		op.run(v, mask);
		for (unsigned i = 0; i < 32; i++) {
			const bool in = c->reads ? old >> i & 1 : c->subtract;
			const uint64_t ones = (uint64_t)low_bits(-1, bits);
			uwide x = before[1][i],
			      y = c->subtract ? ~before[2][i] & ones : before[2][i];
			if (c->product) {
				const uwide p = (uwide)value(before[1][i], bits, is_signed) *
					(uwide)value(before[2][i], bits, is_signed);
				x = (c->high ? p >> bits : p) & ones;
				y = before[3][i];
			}
			const uwide sum = x + y + in;
			const bool live = mask >> i & 1;
			cr_assert_eq(lane_get(reg[0], bits / 8, i),
				live ? (uint64_t)(sum & ones) : before[0][i], "%s", c->text);
			cr_assert_eq(code >> i & 1,
				live && c->writes ? (uint32_t)(sum >> bits & 1) : old >> i & 1,
				"%s: carry", c->text);
		}
	}
}

Test(arith_integer, carries)
{
	static const struct carry_case cases[] = {
		{"add.cc", false, false, false, false, true},
		{"addc", false, false, false, true, false},
		{"addc.cc", false, false, false, true, true},
		{"sub.cc", true, false, false, false, true},
		{"subc", true, false, false, true, false},
		{"subc.cc", true, false, false, true, true},
		{"mad.lo.cc", false, true, false, false, true},
		{"madc.lo", false, true, false, true, false},
		{"madc.lo.cc", false, true, false, true, true},
		{"mad.hi.cc", false, true, true, false, true},
		{"madc.hi", false, true, true, true, false},
		{"madc.hi.cc", false, true, true, true, true},
	};
	for (int level = 1; level <= 4; level++)
		for (unsigned i = 0; level_here(level) && i < sizeof cases / sizeof *cases; i++)
			for (unsigned bits = 32; bits <= 64; bits += 32)
				for (int s = 0; s < 2; s++)
					check_carry(&cases[i], bits, s, level);
}
