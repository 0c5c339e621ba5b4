/* Finding an instruction's kernel: its words are turned into a key, which is looked up in a hash
 * table of the rows of all kernel files. */
#include "base/assert.h"
#include "arith/control.h"
#include "arith/convert.h"
#include "arith/mixed.h"
#include "arith/rounding.h"
#include "arith/slots.h"
#include "arith/soft.h"
#include "arith/text.h"
#include "arith/video.h"
#include <string.h>

extern const struct arith_level arith_level_v1; /* rounds by integer arithmetic */
#if defined(__x86_64__)
extern const struct arith_level arith_level_v2, arith_level_v3, arith_level_v4;
#else
extern const struct arith_level arith_level_v0;
#endif

static const struct arith_level *level_of(int wanted)
{
#if defined(ARITH_SOFT_ROUNDING)
	wanted = wanted ? wanted : 1;
#endif
	if (wanted == 1)
		return &arith_level_v1;
#if defined(__x86_64__)
	__builtin_cpu_init();
	const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		__builtin_cpu_supports("bmi2");
	const bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
	if (wanted == 2 || !v3)
		return &arith_level_v2;
	return wanted == 3 || !v4 ? &arith_level_v3 : &arith_level_v4;
#else
	return rounding_needed() ? &arith_level_v1 : &arith_level_v0;
#endif
}

static const struct arith_row *row_at(uint16_t number)
{
	return &arith_rows[number >> 12].row[number & 0xfff];
}

static arith_kernel *kernel_at(const struct arith_level *level, uint16_t number)
{
	return level->run[number >> 12][number & 0xfff];
}

arith_kernel *arith_kernel_of(unsigned file, unsigned row)
{
	assert(row < arith_rows[file].count);
	return level_of(0)->run[file][row];
}

bool arith_row_at(arith_kernel *run, unsigned *file, unsigned *row, unsigned after)
{
	const struct arith_level *level = level_of(0);

	for (*file = after >> 12, *row = after & 0xfff; *file < ARITH_FILE_COUNT; ++*file, *row = 0)
		for (; *row < arith_rows[*file].count; ++*row)
			if (level->run[*file][*row] == run)
				return true;
	return false;
}

int arith_processor(void)
{
	const struct arith_level *level = level_of(0);

#if defined(__x86_64__)
	return level == &arith_level_v4    ? 4
		: level == &arith_level_v3 ? 3
		: level == &arith_level_v2 ? 2
					   : 0;
#else
	(void)level;
	return 0;
#endif
}

static bool look_up_row(const struct arith_key *key, uint16_t *number)
{
	for (uint32_t h = arith_hash(key); arith_slot[h] != ARITH_FREE_SLOT;
		h = (h + 1) & (ARITH_SLOTS - 1)) {
		if (memcmp(&row_at(arith_slot[h])->key, key, sizeof *key) == 0) {
			*number = arith_slot[h];
			return true;
		}
	}
	return false;
}

/* The words of an instruction, sorted by meaning. */
struct words {
	const struct arith_level *level; /* the version of the kernels */
	struct arith_key key;
	unsigned ntypes;
	enum boolop boolop;
};

static bool read_words(const struct arith_query *q, struct words *w)
{
	*w = (struct words){.level = level_of(q->level), .key.op = q->opcode};
	for (unsigned i = 0; i < q->nwords; i++) {
		const enum word x = (enum word)q->word[i];
		if (word_type(x) != TYPE_NONE) {
			if (w->ntypes < 3)
				w->key.t[w->ntypes] = (uint8_t)x;
			w->ntypes++;
			continue;
		}
		switch ((int)x) {
		case W_rn:
		case W_rz:
		case W_rm:
		case W_rp:
		case W_rna:
		case W_rs:
		case W_rni:
		case W_rzi:
		case W_rmi:
		case W_rpi: w->key.round = (uint16_t)x; break;
		case W_ftz: w->key.flags |= FLAG_FTZ; break;
		case W_sat: w->key.flags |= FLAG_SAT; break;
		case W_relu: w->key.flags |= FLAG_RELU; break;
		case W_NaN: w->key.flags |= FLAG_NAN; break;
		case W_abs: w->key.flags |= FLAG_ABS; break;
		case W_xorsign: break; /* always with .abs */
		case W_cc: w->key.flags |= FLAG_CC; break;
		case W_satfinite: w->key.flags |= FLAG_SATFINITE; break;
		case W_and: w->boolop = BOOL_AND; break;
		case W_or: w->boolop = BOOL_OR; break;
		case W_xor: w->boolop = BOOL_XOR; break;
		default:
			if (w->key.variant == 0)
				w->key.variant = (uint16_t)x;
			else if (w->key.second == 0)
				w->key.second = (uint16_t)x;
			else
				return false;
		}
	}
	return true;
}

static bool is_float(uint8_t t)
{
	return type_info[t].class == CLASS_FLOAT || t == TYPE_bf16 || t == TYPE_f16x2 ||
		t == TYPE_bf16x2 || t == TYPE_f32x2;
}
static bool is_integer_key(uint8_t t)
{
	return type_info[t].class == CLASS_UNSIGNED || type_info[t].class == CLASS_SIGNED;
}
static uint8_t bits_type(unsigned bits)
{
	return (uint8_t)(bits == 8    ? TYPE_b8
			: bits == 16  ? TYPE_b16
			: bits == 32  ? TYPE_b32
			: bits == 64  ? TYPE_b64
			: bits == 128 ? TYPE_b128
				      : TYPE_pred);
}

/* Fills in defaults from the manual, and unifies types that are equivalent for a copy. */
static void normalise(const struct arith_query *q, struct words *w)
{
	struct arith_key *k = &w->key;
	switch (q->opcode) {
	case OP_add:
	case OP_sub:
	case OP_mul:
	case OP_fma:
	case OP_mad:
		if (is_float(k->t[0]) && !k->round)
			k->round = W_rn;
		break;
	case OP_div:
	case OP_rcp:
	case OP_sqrt:
	case OP_rsqrt:
	case OP_sin:
	case OP_cos:
	case OP_lg2:
	case OP_ex2:
	case OP_tanh:
		if (is_float(k->t[0]) && !k->round && !k->variant) {
			if (k->t[0] == TYPE_f64)
				k->round = W_rn;
			else
				k->variant = W_approx;
		}
		break;
	case OP_min:
	case OP_max:
		if (q->noperands == 4)
			k->flags |= FLAG_THIRD;
		break;
	case OP_mov:
	case OP_selp:
	case OP_slct: k->t[0] = bits_type(type_info[k->t[0]].bits); break;
	default: break;
	}
}

static uint64_t log2_bytes(unsigned bytes)
{
	return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
}

/* Completes OP from a row, on registers of the row's widths; complemented predicates are handled by
 * a wrapping kernel. */
static bool use_row(const struct arith_level *level, const struct arith_query *q, uint16_t number,
	struct arith_op *op)
{
	const struct arith_row *row = row_at(number);
	const unsigned written = row->noperands - (row->cc ? 1u : 0u);
	uint64_t negated = 0;
	if (q->noperands != written)
		return false;
	*op = (struct arith_op){.run = kernel_at(level, number),
		.noperands = row->noperands,
		.ndests = row->ndests};
	op->reads_cc = row->cc & 1;
	op->writes_cc = row->cc & 2;
	memcpy(op->width, row->width, row->noperands);
	for (unsigned i = 0; i < written; i++) {
		if (q->reg_bytes[i] != 0xff && q->reg_bytes[i] != row->width[i])
			return false;
		if (q->negated[i]) {
			if (row->width[i] != 0 || i < row->ndests)
				return false;
			negated |= CONTROL_NEGATED_PUT(i);
		}
	}
	if (!negated)
		return true;
	assert(row->noperands >= 2 && row->noperands <= CONTROL_OPERANDS);
	arith_kernel *const around[] = {
		level->general->negated2, level->general->negated3, level->general->negated4};
	op->run = around[row->noperands - 2];
	op->width[op->noperands++] = 8;
	op->has_control = true;
	op->control = number | negated;
	return true;
}

/* Completes OP for a general kernel; the widths are those of the registers. */
static bool use_general(const struct arith_query *q, arith_kernel *run, unsigned ndests,
	uint64_t control, const uint8_t *width, struct arith_op *op)
{
	*op = (struct arith_op){.run = run,
		.noperands = (uint8_t)(q->noperands + 1),
		.ndests = (uint8_t)ndests,
		.has_control = true,
		.control = control};
	for (unsigned i = 0; i < q->noperands; i++) {
		op->width[i] = width[i];
		if (q->reg_bytes[i] != 0xff && q->reg_bytes[i] != width[i])
			return false;
	}
	op->width[q->noperands] = 8;
	return true;
}

/* The control word of a comparison; a packed pair is compared as its halves. */
static bool comparison_control(struct words *w, uint8_t source, uint64_t *control)
{
	uint16_t number;
	struct arith_key key = w->key;
	key.op = OP_setp;
	key.t[0] = source == TYPE_f16x2 ? TYPE_f16 : source == TYPE_bf16x2 ? TYPE_bf16 : source;
	key.t[1] = 0;
	if (!look_up_row(&key, &number))
		return false;
	*control = number | CONTROL_BOOL_PUT(w->boolop) | (key.t[0] != source ? CONTROL_HALVES : 0);
	return true;
}

static bool find_setp(const struct arith_query *q, struct words *w, struct arith_op *op)
{
	const bool halves = w->key.t[0] == TYPE_f16x2 || w->key.t[0] == TYPE_bf16x2,
		   c = w->boolop != BOOL_NONE;
	const unsigned two = q->noperands - 3u - c;
	uint64_t control;
	uint16_t number;
	if (two > 1 || q->noperands < 3)
		return false;
	if (!halves && !c && !two)
		return look_up_row(&w->key, &number) && use_row(w->level, q, number, op);
	if (!comparison_control(w, w->key.t[0], &control))
		return false;
	const uint8_t bytes = (uint8_t)type_bytes((enum type)w->key.t[0]);
	const uint8_t width[2][6] = {{0, bytes, bytes, 0, 0, 0}, {0, 0, bytes, bytes, 0, 0}};
	if (c && q->negated[q->noperands - 1])
		control |= CONTROL_NEGATE_C;
	const struct arith_general *g = w->level->general;
	return (two || !halves) &&
		use_general(q,
			!two        ? g->setp_pc
				: c ? g->setp_pqc
				    : g->setp_pq,
			1 + two, control, width[two], op);
}

static bool find_set(const struct arith_query *q, struct words *w, struct arith_op *op)
{
	const uint8_t d = w->key.t[0], s = w->key.t[1];
	const bool c = w->boolop != BOOL_NONE;
	const uint8_t bytes = (uint8_t)type_bytes((enum type)s),
		      wide = (uint8_t)type_bytes((enum type)d);
	const uint8_t width[] = {wide, bytes, bytes, 0};
	const enum set_result kind = d == TYPE_f32   ? SET_F32
		: d == TYPE_f16 || d == TYPE_f16x2   ? SET_F16
		: d == TYPE_bf16 || d == TYPE_bf16x2 ? SET_BF16
						     : SET_ONES;
	uint64_t control;
	if (q->noperands != 3u + c || wide > 4 || !comparison_control(w, s, &control))
		return false;
	control |= CONTROL_RESULT_PUT(kind) | CONTROL_BYTES_PUT(log2_bytes(wide));
	if (c && q->negated[3])
		control |= CONTROL_NEGATE_C;
	return use_general(
		q, c ? w->level->general->set_c : w->level->general->set, 1, control, width, op);
}

static bool find_lop3(const struct arith_query *q, struct words *w, struct arith_op *op)
{
	static const uint8_t width[] = {4, 0, 4, 4, 4, 4, 0};
	uint16_t number;
	if (!look_up_row(&w->key, &number))
		return false;
	if (w->boolop == BOOL_NONE)
		return use_row(w->level, q, number, op);
	return q->noperands == 7 &&
		use_general(q, w->level->general->lop3, 2,
			number | CONTROL_BOOL_PUT(w->boolop) |
				(q->negated[6] ? CONTROL_NEGATE_C : 0),
			width, op);
}

/* Folds two integer types and two register widths into one operation: the low bits, extended.
 * Returns false if two successive extensions are needed (cvt.u16.s8 into 32 bits). */
static bool fold_integers(const struct arith_query *q, struct words *w)
{
	struct arith_key *k = &w->key;
	const uint8_t d = k->t[0], s = k->t[1];
	const unsigned dbits = type_info[d].bits, sbits = type_info[s].bits;
	const unsigned dreg = q->reg_bytes[0] == 0xff ? dbits : 8u * q->reg_bytes[0],
		       sreg = q->reg_bytes[1] == 0xff ? sbits : 8u * q->reg_bytes[1];
	const bool narrow = dbits <= sbits;
	const bool is_signed = type_info[narrow ? d : s].class == CLASS_SIGNED;
	unsigned bits = narrow ? dbits : sbits;
	if (!narrow && is_signed && type_info[d].class != CLASS_SIGNED && dreg > dbits)
		return false;
	if (dreg < dbits || sreg < sbits)
		return false;
	if (bits > dreg)
		bits = dreg;
	k->t[0] = bits_type(dreg);
	k->t[1] = bits_type(sreg);
	const bool whole = bits == dreg;
	k->t[2] = (uint8_t)(is_signed && !whole ? bits == 8 ? TYPE_s8
				: bits == 16                ? TYPE_s16
				: bits == 32                ? TYPE_s32
							    : TYPE_s64
			: bits == 8             ? TYPE_u8
			: bits == 16            ? TYPE_u16
			: bits == 32            ? TYPE_u32
						: TYPE_u64);
	return true;
}

static bool has_variant(const struct arith_key *k, enum word word)
{
	return k->variant == word || k->second == word;
}

static enum soft_round rounding_of(uint16_t word)
{
	switch (word) {
	case W_NONE:
	case W_rn:
	case W_rni: return SOFT_RN;
	case W_rz:
	case W_rzi: return SOFT_RZ;
	case W_rm:
	case W_rmi: return SOFT_RM;
	case W_rp:
	case W_rpi: return SOFT_RP;
	case W_rna: return SOFT_RNA;
	default: return SOFT_RS;
	}
}

/* A conversion without a loop of its own, or with registers wider than the types. */
static bool find_convert(const struct arith_query *q, const struct words *w, struct arith_op *op)
{
	const struct arith_key *k = &w->key;
	struct convert c = {.to = k->t[0],
		.from = k->t[1],
		.ftz = k->flags & FLAG_FTZ,
		.sat = k->flags & FLAG_SAT,
		.relu = k->flags & FLAG_RELU,
		.satfinite = k->flags & FLAG_SATFINITE,
		.pzo = has_variant(k, W_pzo),
		.scales = has_variant(k, W_scaled__n1__ue8m0) ? 1
			: has_variant(k, W_scaled__n2__ue8m0) ? 2
							      : 0};
	uint8_t width[ARITH_MAX_OPERANDS];
	if (w->ntypes != 2 || (k->variant != 0) + (k->second != 0) != c.pzo + (c.scales != 0) ||
		w->boolop != BOOL_NONE || q->noperands < 2)
		return false;
	c.mode = (uint8_t)rounding_of(k->round);
	c.integral = k->round == W_rni || k->round == W_rzi || k->round == W_rmi ||
		k->round == W_rpi;
	c.to_bytes = q->reg_bytes[0] == 0xff ? (uint8_t)type_bytes((enum type)c.to)
					     : q->reg_bytes[0];
	c.from_bytes = q->reg_bytes[1] == 0xff ? (uint8_t)type_bytes((enum type)c.from)
					       : q->reg_bytes[1];
	if (c.to_bytes < type_bytes((enum type)c.to) ||
		c.from_bytes < type_bytes((enum type)c.from) || c.to_bytes > 8 || c.from_bytes > 8)
		return false;
	for (unsigned i = 0; i < q->noperands; i++)
		width[i] = i ? c.from_bytes : c.to_bytes;
	if (c.mode == SOFT_RS)
		width[q->noperands - 1] = 4;
	if (c.scales)
		width[q->noperands - 1] = c.scales;
	const unsigned sources = q->noperands - 1u;
	if (c.mode != SOFT_RS && !c.scales && sources > 2)
		return false;
	if (c.mode == SOFT_RS && sources != 3 && sources != 5)
		return false;
	arith_kernel *const run = c.scales ? sources == 2 ? arith_scale1
			: sources == 3                    ? arith_scale2
							  : NULL
		: sources == 1             ? arith_convert1
		: sources == 2             ? arith_convert2
		: sources == 3             ? arith_convert3
		: sources == 5             ? arith_convert5
					   : NULL;
	return run && use_general(q, run, 1, convert_control(&c), width, op);
}

static bool find_cvt(const struct arith_query *q, struct words *w, struct arith_op *op)
{
	static const uint8_t width[] = {4, 4, 4, 4};
	struct words folded = *w;
	uint16_t number;
	bool exact = true;
	if (w->key.variant == W_pack) {
		const struct convert c = {.to = w->key.t[0]};
		return (q->noperands == 3 || q->noperands == 4) &&
			use_general(q, q->noperands == 3 ? arith_pack2 : arith_pack3, 1,
				convert_control(&c), width, op);
	}
	if (q->noperands == 2 && is_integer_key(w->key.t[0]) && is_integer_key(w->key.t[1]) &&
		!w->key.flags && !w->key.round) {
		if (fold_integers(q, &folded) && look_up_row(&folded.key, &number))
			return use_row(w->level, q, number, op);
	}
	if (is_float(w->key.t[0]) && is_float(w->key.t[1]) && !w->key.flags &&
		(w->key.round == W_rn || w->key.round == W_rz || w->key.round == W_rm ||
			w->key.round == W_rp) &&
		type_info[w->key.t[0]].bits > type_info[w->key.t[1]].bits)
		w->key.round = W_NONE; /* widening is exact */
	for (unsigned i = 0; i < q->noperands && i < 2; i++)
		exact &= q->reg_bytes[i] == 0xff ||
			q->reg_bytes[i] == type_bytes((enum type)w->key.t[i]);
	return exact && look_up_row(&w->key, &number) ? use_row(w->level, q, number, op)
						      : find_convert(q, w, op);
}

/* Arithmetic between packed formats. The types are those of d and the first source, then those of
 * the others; a last operand without one has the type of d. */
static bool find_mixed(const struct arith_query *q, const struct words *w, struct arith_op *op)
{
	static const struct {
		uint16_t opcode;
		uint8_t op, sources;
	} ops[] = {{OP_add, MIXED_ADD, 2}, {OP_sub, MIXED_SUB, 2}, {OP_mul, MIXED_MUL, 2},
		{OP_fma, MIXED_FMA, 3}};
	const struct arith_key *k = &w->key;
	struct mixed m = {.type = {k->t[0], k->t[1], w->ntypes > 2 ? k->t[2] : k->t[0], k->t[0]},
		.mode = (uint8_t)rounding_of(k->round),
		.ftz = k->flags & FLAG_FTZ,
		.satfinite = k->flags & FLAG_SATFINITE};
	for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
		uint8_t width[4];
		if (ops[i].opcode != q->opcode)
			continue;
		if (q->noperands != 1 + ops[i].sources || k->variant || w->boolop != BOOL_NONE)
			return false;
		m.op = ops[i].op;
		for (unsigned j = 0; j < 4; j++)
			width[j] = (uint8_t)type_bytes((enum type)m.type[j]);
		return use_general(q, m.op == MIXED_FMA ? arith_mixed3 : arith_mixed2, 1,
			mixed_control(&m), width, op);
	}
	return false;
}

bool arith_find(const struct arith_query *q, struct arith_op *op)
{
	struct words w;
	uint16_t number;
	if (opcode_text((enum opcode)q->opcode)[0] == 'v')
		return video_find(q, op);
	if (!read_words(q, &w))
		return false;
	normalise(q, &w);
	switch (q->opcode) {
	case OP_setp: return find_setp(q, &w, op);
	case OP_set:
		return w.ntypes == 1
			? look_up_row(&w.key, &number) && use_row(w.level, q, number, op)
			: find_set(q, &w, op);
	case OP_lop3: return find_lop3(q, &w, op);
	case OP_cvt: return find_cvt(q, &w, op);
	default:
		if (w.boolop == BOOL_NONE && look_up_row(&w.key, &number))
			return use_row(w.level, q, number, op);
		return w.ntypes > 1 && type_info[w.key.t[0]].class == CLASS_PACKED &&
			find_mixed(q, &w, op);
	}
}
