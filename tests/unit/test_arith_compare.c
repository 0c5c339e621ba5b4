/* setp and set in every comparison, type, combination and destination; selp and slct; lop3 with a
 * predicate; what arith_find rejects. */
#include "tests/unit/test_arith.h"
#include <math.h>

enum relation { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const struct {
	const char *name;
	unsigned integer, floating; /* relations for which it holds; 0: not defined */
	char only;                  /* integers: 'u' unsigned only, 'a' all */
} comparisons[] = {{"eq", EQUAL, EQUAL, 'a'}, {"ne", LESS | GREATER, LESS | GREATER, 'a'},
	{"lt", LESS, LESS, 's'}, {"le", LESS | EQUAL, LESS | EQUAL, 's'},
	{"gt", GREATER, GREATER, 's'}, {"ge", GREATER | EQUAL, GREATER | EQUAL, 's'},
	{"lo", LESS, 0, 'u'}, {"ls", LESS | EQUAL, 0, 'u'}, {"hi", GREATER, 0, 'u'},
	{"hs", GREATER | EQUAL, 0, 'u'}, {"equ", 0, EQUAL | UNORDERED, 0},
	{"neu", 0, LESS | GREATER | UNORDERED, 0}, {"ltu", 0, LESS | UNORDERED, 0},
	{"leu", 0, LESS | EQUAL | UNORDERED, 0}, {"gtu", 0, GREATER | UNORDERED, 0},
	{"geu", 0, GREATER | EQUAL | UNORDERED, 0}, {"num", 0, LESS | EQUAL | GREATER, 0},
	{"nan", 0, UNORDERED, 0}};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

static const char *const types[] = {
	"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f16", "bf16", "f32", "f64"};
enum { TYPES = sizeof types / sizeof *types };

struct test {
	const char *type;
	unsigned holds;
	char boolop; /* 0 & | ^ */
	bool complement, ftz, negate_c, halves;
	uint64_t yes;
	unsigned result_bits;
};

static double decode(const char *type, uint64_t x, bool ftz)
{
	const unsigned fraction = strcmp(type, "f16") == 0 ? 10
		: strcmp(type, "bf16") == 0                ? 7
		: strcmp(type, "f32") == 0                 ? 23
							   : 52;
	const unsigned bits = fraction == 52 ? 64
		: fraction == 23             ? 32
					     : 16,
		       width = bits - 1 - fraction;
	const int bias = (1 << (width - 1)) - 1,
		  exponent = (int)(x >> fraction & (((uint64_t)1 << width) - 1));
	const uint64_t f = x & (((uint64_t)1 << fraction) - 1);
	const double sign = x >> (bits - 1) & 1 ? -1 : 1;
	if (exponent == 2 * bias + 1)
		return f ? NAN : sign * INFINITY;
	if (exponent == 0)
		return ftz ? 0 : sign * ldexp((double)f, 1 - bias - (int)fraction);
	return sign * ldexp((double)(f | (uint64_t)1 << fraction), exponent - bias - (int)fraction);
}

static unsigned relation(const struct test *k, uint64_t a, uint64_t b)
{
	if (strchr(k->type, 'f')) {
		const double x = decode(k->type, a, k->ftz), y = decode(k->type, b, k->ftz);
		return isnan(x) || isnan(y) ? UNORDERED : x < y ? LESS : x > y ? GREATER : EQUAL;
	}
	const unsigned bits = 8 * operand_bytes(k->type);
	const uint64_t flip = k->type[0] == 's' ? (uint64_t)1 << (bits - 1) : 0;
	return (a ^ flip) < (b ^ flip) ? LESS : (a ^ flip) > (b ^ flip) ? GREATER : EQUAL;
}
static bool combined(const struct test *k, bool t, uint64_t c)
{
	const bool third = k->negate_c ? !(c & 1) : c & 1;
	return k->boolop == '&'    ? t && third
		: k->boolop == '|' ? t || third
		: k->boolop == '^' ? t != third
				   : t;
}
static uint64_t ref_setp(const uint64_t *in, const void *context)
{
	const struct test *k = context;
	const bool t = relation(k, in[0], in[1]) & k->holds;
	return combined(k, k->complement ? !t : t, in[2]);
}
static uint64_t ref_set(const uint64_t *in, const void *context)
{
	const struct test *k = context;
	if (!k->halves)
		return combined(k, relation(k, in[0], in[1]) & k->holds, in[2]) ? k->yes : 0;
	uint64_t r = 0;
	for (unsigned h = 0; h < 2; h++)
		if (combined(k,
			    relation(k, in[0] >> 16 * h & 0xffff, in[1] >> 16 * h & 0xffff) &
				    k->holds,
			    in[2]))
			r |= (k->yes & 0xffff) << 16 * h;
	return r;
}

static bool defined(unsigned c, const char *type)
{
	if (strchr(type, 'f'))
		return comparisons[c].floating;
	return comparisons[c].integer &&
		(comparisons[c].only == 'a' || (type[0] == 'u') ||
			(comparisons[c].only == 's' && type[0] == 's'));
}
static unsigned holds(unsigned c, const char *type)
{
	return strchr(type, 'f') ? comparisons[c].floating : comparisons[c].integer;
}

static const struct {
	const char *name;
	char op;
} booleans[] = {{"", 0}, {".and", '&'}, {".or", '|'}, {".xor", '^'}};

Test(arith_compare, setp)
{
	for (unsigned t = 0; t < TYPES; t++)
		for (unsigned c = 0; c < COMPARISONS; c++)
			for (int ftz = 0; defined(c, types[t]) && ftz < 2; ftz++)
				for (unsigned b = 0; b < 4; b++) {
					const char *type = types[t], *third = b ? ",pred" : "";
					struct test k = {.type = type,
						.holds = holds(c, type),
						.boolop = booleans[b].op,
						.ftz = ftz};
					if (ftz && strcmp(type, "f32") != 0 &&
						strcmp(type, "f16") != 0)
						continue;
					const char *text = fmt("setp.%s%s%s.%s",
						comparisons[c].name, booleans[b].name,
						ftz ? ".ftz" : "", type);
					check_times(text, fmt("pred=%s,%s%s", type, type, third),
						ref_setp, &k, 12);
					if (b) {
						k.negate_c = true;
						check_times(text,
							fmt("pred=%s,%s,!pred", type, type),
							ref_setp, &k, 6);
					}
				}
}

/* p|q: tests both destinations of one run. */
static void check_pair(const char *text, const char *list, struct test *k, bool halves)
{
	static _Alignas(64) uint64_t a[32], b[32];
	for (int level = 1; level <= 4; level++) {
		struct instruction in;
		if (!level_here(level))
			continue;
		test_level = (uint8_t)level;
		read_instruction(text, list, &in);
		for (unsigned n = 0; n < 12; n++) {
			const uint32_t mask = n < 6 ? UINT32_MAX : (uint32_t)random64(),
				       c = (uint32_t)random64();
			uint32_t p = 0xa5a5a5a5, q = 0x5a5a5a5a, third = c;
			for (unsigned i = 0; i < 32; i++) {
				lane_put(a, in.bytes[2], i, random_value(in.type[2]));
				lane_put(b, in.bytes[2], i, random_value(in.type[2]));
			}
			void *v[] = {&p, &q, a, b, k->boolop ? (void *)&third : &in.op.control,
				&in.op.control};
			in.op.run(v, mask);
			for (unsigned i = 0; i < 32; i++) {
				const uint64_t x = lane_get(a, in.bytes[2], i),
					       y = lane_get(b, in.bytes[2], i);
				bool first = relation(k, halves ? x & 0xffff : x,
						     halves ? y & 0xffff : y) &
					k->holds;
				bool second = halves
					? (relation(k, x >> 16, y >> 16) & k->holds) != 0
					: !first;
				first = combined(k, first, c >> i);
				second = combined(k, second, c >> i);
				if (!(mask >> i & 1)) {
					first = 0xa5a5a5a5 >> i & 1;
					second = 0x5a5a5a5a >> i & 1;
				}
				cr_assert((p >> i & 1) == first && (q >> i & 1) == second,
					"%s lane %u", text, i);
			}
		}
	}
}

Test(arith_compare, two_destinations)
{
	for (unsigned c = 0; c < COMPARISONS; c++)
		for (unsigned b = 0; b < 4; b++) {
			for (unsigned t = 0; t < TYPES; t++) {
				struct test k = {.type = types[t],
					.holds = holds(c, types[t]),
					.boolop = booleans[b].op};
				if (defined(c, types[t]))
					check_pair(fmt("setp.%s%s.%s", comparisons[c].name,
							   booleans[b].name, types[t]),
						fmt("pred,pred=%s,%s%s", types[t], types[t],
							b ? ",pred" : ""),
						&k, false);
			}
			for (int bf = 0; bf < 2 && comparisons[c].floating; bf++) {
				const char *type = bf ? "bf16x2" : "f16x2";
				struct test k = {.type = bf ? "bf16" : "f16",
					.holds = comparisons[c].floating,
					.boolop = booleans[b].op};
				check_pair(fmt("setp.%s%s.%s", comparisons[c].name,
						   booleans[b].name, type),
					fmt("pred,pred=%s,%s%s", type, type, b ? ",pred" : ""), &k,
					true);
			}
		}
}

Test(arith_compare, set)
{
	static const struct {
		const char *type;
		uint64_t yes;
	} results[] = {{"u32", 0xffffffff}, {"s32", 0xffffffff}, {"f32", 0x3f800000},
		{"u16", 0xffff}, {"s16", 0xffff}, {"f16", 0x3c00}, {"bf16", 0x3f80}};
	for (unsigned t = 0; t < TYPES; t++)
		for (unsigned c = 0; c < COMPARISONS; c++)
			for (unsigned d = 0; defined(c, types[t]) && d < 7; d++)
				for (unsigned b = 0; b < 4; b++) {
					const struct test k = {.type = types[t],
						.holds = holds(c, types[t]),
						.boolop = booleans[b].op,
						.yes = results[d].yes};
					check_times(fmt("set.%s%s.%s.%s", comparisons[c].name,
							    booleans[b].name, results[d].type,
							    types[t]),
						fmt("%s=%s,%s%s", results[d].type, types[t],
							types[t], b ? ",pred" : ""),
						ref_set, &k, 3);
				}
	for (unsigned c = 0; c < COMPARISONS; c++)
		for (int bf = 0; bf < 2 && comparisons[c].floating; bf++)
			for (unsigned b = 0; b < 4; b++) {
				const char *type = bf ? "bf16x2" : "f16x2";
				const struct test k = {.type = bf ? "bf16" : "f16",
							  .holds = comparisons[c].floating,
							  .boolop = booleans[b].op,
							  .halves = true,
							  .yes = bf ? 0x3f80 : 0x3c00},
						  all = {.type = k.type,
							  .holds = k.holds,
							  .boolop = k.boolop,
							  .halves = true,
							  .yes = 0xffff};
				check_times(fmt("set.%s%s.%s.%s", comparisons[c].name,
						    booleans[b].name, type, type),
					fmt("%s=%s,%s%s", type, type, type, b ? ",pred" : ""),
					ref_set, &k, 6);
				check_times(fmt("set.%s%s.u32.%s", comparisons[c].name,
						    booleans[b].name, type),
					fmt("u32=%s,%s%s", type, type, b ? ",pred" : ""), ref_set,
					&all, 6);
			}
}

static uint64_t ref_selp(const uint64_t *in, const void *context)
{
	return (in[2] & 1) != (context != NULL) ? in[0] : in[1];
}
static uint64_t ref_slct(const uint64_t *in, const void *context)
{
	const char *type = context;
	if (type[0] == 's')
		return (int32_t)in[2] >= 0 ? in[0] : in[1];
	return decode("f32", in[2], type[1] == 'z') >= 0 ? in[0] : in[1];
}

Test(arith_compare, selection)
{
	static const char *const wide[] = {"b16", "u32", "s64", "f32", "f64", "b32", "b64", "u16"};
	for (unsigned i = 0; i < 8; i++) {
		const char *t = wide[i];
		check(fmt("selp.%s", t), fmt("%s=%s,%s,pred", t, t, t), ref_selp, NULL);
		check(fmt("selp.%s", t), fmt("%s=%s,%s,!pred", t, t, t), ref_selp, "negated");
		check(fmt("slct.%s.s32", t), fmt("%s=%s,%s,s32", t, t, t), ref_slct, "s32");
		check(fmt("slct.%s.f32", t), fmt("%s=%s,%s,f32", t, t, t), ref_slct, "f32");
		check(fmt("slct.ftz.%s.f32", t), fmt("%s=%s,%s,f32", t, t, t), ref_slct, "fz");
	}
}

Test(arith_compare, lop3_with_predicate)
{
	static _Alignas(64) uint32_t a[32], b[32], c[32], table[32], d[32];
	for (int or = 0; or < 2; or ++) {
		struct instruction in;
		test_level = 0;
		read_instruction(
			or ? "lop3.or.b32" : "lop3.and.b32", "b32,pred=b32,b32,b32,#128,pred", &in);
		for (unsigned n = 0; n < 20; n++) {
			const uint32_t q = (uint32_t)random64(),
				       mask = n < 10 ? UINT32_MAX : (uint32_t)random64();
			uint32_t p = 0, third = q;
			for (unsigned i = 0; i < 32; i++) {
				a[i] = (uint32_t)random64() & 3;
				b[i] = (uint32_t)random64() & 3;
				c[i] = (uint32_t)random64() & 3;
				table[i] = 0x80;
				d[i] = 77;
			}
			in.op.run((void *[]){d, &p, a, b, c, table, &third, &in.op.control}, mask);
			for (unsigned i = 0; i < 32; i++) {
				const bool live = mask >> i & 1, some = (a[i] & b[i] & c[i]) != 0,
					   with = q >> i & 1;
				cr_assert_eq(d[i], live ? a[i] & b[i] & c[i] : 77);
				cr_assert_eq(
					p >> i & 1, live && (or ? some || with : some && with));
			}
		}
	}
}

Test(arith_compare, refused)
{
	struct arith_op op;
	const uint16_t nothing[] = {W_b32}, four[] = {W_v4, W_b32}, set[] = {W_eq, W_u32, W_u32},
		       strange[] = {W_lo, W_hi, W_wide, W_u32};
	struct arith_query q = {.opcode = OP_bra,
		.nwords = 1,
		.noperands = 3,
		.word = nothing,
		.reg_bytes = {4, 4, 4}};
	cr_assert_not(arith_find(&q, &op));
	q.opcode = OP_add; /* add.b32 */
	cr_assert_not(arith_find(&q, &op));
	q.opcode = OP_mul;
	q.word = strange;
	q.nwords = 4;
	cr_assert_not(arith_find(&q, &op));
	q = (struct arith_query){.opcode = OP_and,
		.nwords = 1,
		.noperands = 2,
		.word = nothing,
		.reg_bytes = {4, 4}};
	cr_assert_not(arith_find(&q, &op), "too few operands");
	q.noperands = 3;
	q.reg_bytes[2] = 0;
	cr_assert_not(arith_find(&q, &op), "a predicate for a register");
	q.negated[2] = 1;
	q.reg_bytes[2] = 4;
	cr_assert_not(arith_find(&q, &op), "a complement of what is no predicate");
	q.negated[2] = 0;
	cr_assert(arith_find(&q, &op));
	for (unsigned k = 0; k < 3; k++) {
		q.reg_bytes[k] = 8;
		cr_assert_not(arith_find(&q, &op), "operand %u has another width", k);
		q.reg_bytes[k] = 4;
	}
	q.negated[0] = 1;
	cr_assert_not(arith_find(&q, &op), "a complemented destination");
	q = (struct arith_query){.opcode = OP_mov,
		.nwords = 2,
		.noperands = 8,
		.word = four,
		.reg_bytes = {4, 4, 4, 4, 4, 4, 4, 4}};
	cr_assert_not(arith_find(&q, &op), "vectors are moved without arithmetic");
	q = (struct arith_query){
		.opcode = OP_set, .nwords = 3, .noperands = 3, .word = set, .reg_bytes = {4, 4, 4}};
	cr_assert(arith_find(&q, &op));
	for (unsigned k = 0; k < 3; k++) {
		q.reg_bytes[k] = 8;
		cr_assert_not(arith_find(&q, &op),
			"operand %u of a general operation has another width", k);
		q.reg_bytes[k] = 4;
	}
	q.opcode = OP_setp;
	q.noperands = 1;
	cr_assert_not(arith_find(&q, &op));
	q.opcode = OP_cvt;
	q.nwords = 0;
	cr_assert_not(arith_find(&q, &op));
	q.opcode = OP_mov;
	q.noperands = 0;
	cr_assert_not(arith_find(&q, &op));
}
