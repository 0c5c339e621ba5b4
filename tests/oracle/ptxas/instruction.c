/* See instruction.h. */
#include "tests/oracle/ptxas/instruction.h"
#include "isa/table.h"
#include "tests/oracle/ptxas/kernel.h"
#include <stdio.h>
#include <string.h>

const struct instruction_target instruction_targets[INSTRUCTION_TARGETS] = {
	{"sm_20", "sm_75", 20, 20},
	{"sm_30", "sm_75", 30, 30},
	{"sm_35", "sm_75", 35, 31},
	{"sm_50", "sm_75", 50, 40},
	{"sm_53", "sm_75", 53, 42},
	{"sm_60", "sm_75", 60, 50},
	{"sm_61", "sm_75", 61, 50},
	{"sm_70", "sm_75", 70, 60},
	{"sm_72", "sm_75", 72, 61},
	{"sm_75", "sm_75", 75, 63},
	{"sm_80", "sm_80", 80, 70},
	{"sm_86", "sm_86", 86, 71},
	{"sm_89", "sm_89", 89, 78},
	{"sm_90", "sm_90", 90, 78},
	{"sm_90a", "sm_90a", 90, 80},
	{"sm_100", "sm_100", 100, 86},
	{"sm_100a", "sm_100a", 100, 86},
	{"sm_100f", "sm_100f", 100, 88},
	{"sm_103a", "sm_103a", 103, 88},
	{"sm_110a", "sm_110a", 110, 90},
	{"sm_110f", "sm_110f", 110, 90},
	{"sm_120", "sm_120", 120, 87},
	{"sm_120a", "sm_120a", 120, 87},
	{"sm_121f", "sm_121f", 121, 88},
};
const unsigned instruction_versions[INSTRUCTION_VERSIONS] = {40, 41, 42, 43, 50, 60, 61, 62, 63, 64,
	65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

static uint64_t state;
static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return n ? (unsigned)((state >> 33) % n) : 0;
}
static bool chance(unsigned percent) { return below(100) < percent; }

static const struct {
	const char *prefix;
	uint8_t type;
} registers[] = {{"%p", TYPE_pred}, {"%b", TYPE_b8}, {"%h", TYPE_b16}, {"%hu", TYPE_u16},
	{"%hs", TYPE_s16}, {"%hf", TYPE_f16}, {"%r", TYPE_b32}, {"%u", TYPE_u32}, {"%s", TYPE_s32},
	{"%f", TYPE_f32}, {"%x", TYPE_f16x2}, {"%rd", TYPE_b64}, {"%ud", TYPE_u64},
	{"%sd", TYPE_s64}, {"%fd", TYPE_f64}, {"%q", TYPE_b128}};
enum { REGISTERS = sizeof registers / sizeof *registers };

struct making {
	const struct row *row;
	uint16_t word[64]; /* per slot */
	unsigned spoil;    /* which operand gets a random type; ~0: none */
	unsigned target, version;
};

static enum type type_of(const struct making *m, unsigned n)
{
	return m->row->type[n] ? word_type((enum word)m->word[m->row->type[n] - 1]) : TYPE_NONE;
}
static unsigned space_of(const struct making *m, unsigned n)
{
	return m->row->space[n] ? m->word[m->row->space[n] - 1] : W_NONE;
}
static bool has(const struct making *m, unsigned w)
{
	for (unsigned i = 0; i < m->row->nslots; i++)
		if (m->word[i] == w)
			return true;
	return false;
}

static void put_register(struct text *t, const struct making *m, enum type type, bool wider)
{
	unsigned fits[REGISTERS], n = 0;

	for (unsigned i = 0; i < REGISTERS; i++) {
		if ((registers[i].type == TYPE_b128 &&
			    (instruction_versions[m->version] < 83 ||
				    instruction_targets[m->target].sm < 70)) ||
			(registers[i].type == TYPE_f16x2 &&
				(instruction_versions[m->version] < 42 ||
					instruction_targets[m->target].sm < 53)))
			continue;
		if (type == TYPE_NONE
				? registers[i].type == TYPE_b32 || registers[i].type == TYPE_b64
				: type_agrees(type, (enum type)registers[i].type, wider))
			fits[n++] = i;
	}
	text_printf(t, "%s%u",
		registers[n ? fits[chance(70) ? 0 : below(n)] : below(REGISTERS)].prefix,
		1 + below(3));
}

static enum type operand_type(const struct making *m, const struct spec *s)
{
	switch (s->type) {
	case REF_T1:
	case REF_T2:
	case REF_T3:
	case REF_T4: return type_of(m, s->type - REF_T1);
	case REF_WIDE:
		switch ((int)type_of(m, 0)) {
		case TYPE_u16: return TYPE_u32;
		case TYPE_s16: return TYPE_s32;
		case TYPE_u32: return TYPE_u64;
		default: return TYPE_s64;
		}
	case REF_ANY: return TYPE_NONE;
	default: return (enum type)s->type;
	}
}

static void put_constant(struct text *t, const struct spec *s, enum type type)
{
	int64_t lo = 0, hi = 40, step = s->multiple ? s->multiple : 1;

	if (type == TYPE_f32 || type == TYPE_f64) {
		text_puts(t,
			type == TYPE_f64     ? "0d3FF0000000000000"
				: chance(50) ? "0f3F800000"
					     : "1.5");
		return;
	}
	if (s->flags & SPEC_RANGE && chance(90)) {
		lo = s->lo == INT64_MIN ? 0 : s->lo;
		hi = s->hi == INT64_MAX ? lo + 64 * step : s->hi;
	}
	if (chance(5))
		text_puts(t, "-1");
	else
		text_printf(t, "%lld",
			(long long)(lo + (int64_t)below((unsigned)((hi - lo) / step + 1)) * step));
}

static void put_scalar(struct text *t, const struct making *m, const struct spec *s, enum type type)
{
	bool constant = s->kind == SPEC_CONST ||
		(s->kind == SPEC_SOURCE && chance(15) && type != TYPE_f16 && type != TYPE_bf16);

	if (s->flags & SPEC_NEG && type == TYPE_pred && chance(20) && !constant)
		text_putc(t, '!');
	if (s->flags & SPEC_SINK && chance(10))
		text_putc(t, '_');
	else if (constant)
		put_constant(t, s, type);
	else if (s->kind == SPEC_SOURCE && chance(2))
		text_puts(t, chance(50) ? "%tid.x" : "%clock64");
	else if (s->kind == SPEC_SOURCE && chance(2) &&
		(type_info[type].class == CLASS_UNSIGNED || type_info[type].class == CLASS_SIGNED ||
			type_info[type].class == CLASS_BITS) &&
		type_info[type].bits >= 16 && type_info[type].bits <= 64)
		text_printf(t, "%s%u+%u",
			type_info[type].bits == 16           ? "%h"
				: type_info[type].bits == 32 ? "%r"
							     : "%rd",
			1 + below(3), below(9));
	else
		put_register(t, m, type, s->flags & SPEC_WIDER);
}

static void put_list(
	struct text *t, const struct making *m, const struct spec *s, enum type type, unsigned n)
{
	text_putc(t, '{');
	for (unsigned i = 0; i < n; i++) {
		text_puts(t, i ? "," : "");
		if (s->kind == SPEC_DEST && n > 1 && chance(4))
			text_putc(t, '_');
		else
			put_register(t, m, type, s->flags & SPEC_WIDER && chance(20));
	}
	text_putc(t, '}');
}

static unsigned dimensions(const struct making *m)
{
	static const uint16_t geometry[] = {
		W_1d, W_2d, W_3d, W_4d, W_5d, W_a1d, W_a2d, W_cube, W_acube, W_2dms, W_a2dms};
	static const uint8_t count[] = {1, 2, 3, 4, 5, 2, 3, 3, 4, 3, 4};

	for (unsigned i = 0; i < sizeof count; i++)
		if (has(m, geometry[i]))
			return count[i];
	return 2;
}

static void put_address(
	struct text *t, const struct making *m, const struct spec *s, enum opcode op)
{
	static const struct spec coordinate = {.kind = SPEC_REG};
	unsigned space = s->space == SPACE_SECOND ? space_of(m, 1)
		: s->space == SPACE_FIRST         ? space_of(m, 0)
						  : s->space;
	unsigned offset = chance(30) ? 16 * below(4) : 0, n = dimensions(m);

	if (s->flags & SPEC_TENSOR) {
		bool texture = op == OP_tex || op == OP_tld4,
		     surface = op == OP_suld || op == OP_sust || op == OP_sured;

		n = (texture || surface) && n == 3 ? 4 : n;
		n = chance(5) ? 1 + below(5) : n;
		text_printf(t, "[%s,", texture ? "tx" : surface ? "sf" : "%rd1");
		put_list(t, m, &coordinate,
			texture && type_of(m, 1) == TYPE_f32 ? TYPE_f32 : TYPE_s32, n);
		text_putc(t, ']');
		return;
	}
	text_putc(t, '[');
	if (space == SPACE_ANY) {
		text_puts(t,
			op == OP_txq               ? "tx"
				: op == OP_suq     ? "sf"
				: op == OP_tcgen05 ? "%r1"
						   : "%rd1");
	} else if (chance(60)) {
		bool narrow = space == W_shared || space == W_shared__cta ||
			space == W_shared__cluster || space == W_local;

		text_printf(t, "%s%u", narrow && chance(50) ? "%r" : "%rd", 1 + below(3));
	} else {
		text_puts(t,
			space == W_shared || space == W_shared__cta || space == W_shared__cluster
				? "sbuf"
				: space == W_const                            ? "cbuf"
				: space == W_local                            ? "lbuf"
				: space == W_param || space == W_param__entry ? "p0"
									      : "gbuf");
	}
	if (offset && space != SPACE_ANY)
		text_printf(t, "+%u", offset);
	text_putc(t, ']');
}

/* Writes an operand that the row leaves to its rule (SPEC_ANY). */
static void put_any(struct text *t, const struct making *m, enum opcode op, unsigned k)
{
	static const struct spec any = {.kind = SPEC_SOURCE}, dest = {.kind = SPEC_DEST};
	enum type type = type_of(m, 0);
	unsigned n = m->row->vec ? m->word[m->row->vec - 1] == W_v2 ? 2
			: m->word[m->row->vec - 1] == W_v4          ? 4
								    : 0
				 : 0;

	if (op == OP_mov && n) {
		if (k && chance(20))
			text_puts(t, "%tid");
		else
			put_list(t, m, k ? &any : &dest, type, n);
	} else if (op == OP_mov && type_info[type].class == CLASS_BITS &&
		type_info[type].bits >= 32 && chance(25)) {
		unsigned bits = type_info[type].bits, parts = bits > 32 && chance(40) ? 4 : 2;

		put_list(t, m, k ? &any : &dest,
			bits / parts == 16           ? TYPE_b16
				: bits / parts == 64 ? TYPE_b64
						     : TYPE_b32,
			parts);
	} else if (op == OP_mov && k && chance(15)) {
		text_puts(t, chance(50) ? "gbuf+4" : chance(50) ? "%laneid" : "sbuf");
	} else if (op == OP_mov || op == OP_cvta || op == OP_mapa || op == OP_getctarank) {
		put_scalar(t, m, k ? &any : &dest, type);
	} else if (op == OP_wgmma) {
		if (k == 1 && chance(50))
			put_list(t, m, &any, TYPE_b32, 4);
		else
			text_puts(t, k == 1 ? "%rd1" : "%p1");
	} else if (op == OP_mma) {
		text_printf(t, chance(10) ? "{%%h%u,%u}" : "{%u,%u}", below(3),
			below(chance(20) ? 5 : 2));
	} else if (chance(40)) {
		text_puts(t, k == 1 ? chance(50) ? "%rd1" : "[%r2]" : "%p1");
	} else {
		put_list(t, m, &any, type_of(m, 1) == TYPE_f32 ? TYPE_f32 : TYPE_b32,
			chance(50) ? 4 : 2);
	}
}

static void put_operand(
	struct text *t, const struct making *m, const struct spec *s, enum opcode op, unsigned k)
{
	enum type type = operand_type(m, s);
	unsigned n = s->vector == VEC_WORD && m->row->vec ? m->word[m->row->vec - 1] : s->vector;

	if (k == m->spoil) {
		type = (enum type)registers[below(REGISTERS)].type;
		if (chance(10)) {
			put_constant(t, s, type);
			return;
		}
	}
	n = s->vector == VEC_WORD ? n == W_v2 ? 2 : n == W_v4 ? 4 : n == W_v8 ? 8 : 0 : n;
	if (n && s->vector != VEC_WORD && s->vector_hi > n) { /* a power of two within the range */
		unsigned most = 0;

		while (n << (most + 1) <= s->vector_hi)
			most++;
		n <<= below(most + 1);
	}
	switch (s->kind) {
	case SPEC_ADDRESS: put_address(t, m, s, op); return;
	case SPEC_LABEL: text_puts(t, "LBL"); return;
	case SPEC_TABLE: text_puts(t, "LBL"); return;
	case SPEC_ONLY_SINK: text_putc(t, '_'); return;
	case SPEC_ANY: put_any(t, m, op, k); return;
	default: break;
	}
	if (n) {
		put_list(t, m, s, type, n);
	} else if (s->vector == VEC_WORD && chance(4)) {
		put_list(t, m, s, type, 1);
	} else if (s->flags & SPEC_PAIR || (s->flags & SPEC_PAIR_OK && chance(30))) {
		put_scalar(t, m, s, type);
		text_printf(t, "|%s", chance(15) ? "_" : "%p3");
	} else {
		put_scalar(t, m, s, type);
	}
	if (s->flags & SPEC_SELECT && chance(20))
		text_printf(t, ".%c%u", chance(50) ? 'b' : 'h', below(3));
}

static void choose_words(struct making *m)
{
	const struct slot *slot = &isa_slot[m->row->slot];
	bool group[256];

	for (unsigned i = 0; i < 256; i++)
		group[i] = chance(40);
	for (unsigned s = 0; s < m->row->nslots; s++) {
		uint16_t words[WORD_COUNT];
		unsigned n = 0;

		m->word[s] = W_NONE;
		if (slot[s].flags & SLOT_OPTIONAL &&
			!(slot[s].group ? group[slot[s].group] : chance(30)))
			continue;
		for (unsigned w = 1; w < WORD_COUNT; w++)
			if (set_has(&isa_set[slot[s].set], w))
				words[n++] = (uint16_t)w;
		m->word[s] = words[below(n)];
	}
}

static void choose_place(struct making *m, const struct form *f)
{
	for (unsigned try = 0; try < 200; try++) {
		m->target = below(INSTRUCTION_TARGETS);
		m->version = chance(60) ? INSTRUCTION_VERSIONS - 1 : below(INSTRUCTION_VERSIONS);
		if (instruction_versions[m->version] < instruction_targets[m->target].ptx)
			continue;
		if (chance(8) ||
			(instruction_targets[m->target].sm >= f->sm &&
				instruction_versions[m->version] >= f->ptx &&
				(!f->arch || try > 40 ||
					strchr("af",
						instruction_targets[m->target]
							.name[strlen(instruction_targets[m->target]
									      .name) -
								1]))))
			return;
	}
	m->target = INSTRUCTION_TARGETS - 1;
	m->version = INSTRUCTION_VERSIONS - 1;
}

/* Makes one instruction of a random row of opcode OP. MISTAKE: 0: none, otherwise its kind. */
static void make(struct text *t, struct making *m, enum opcode op, unsigned mistake)
{
	unsigned first = isa_op_row[op], k = 0, words[80], n = 0, skip = ~0u, twice = ~0u,
		 swap = ~0u;
	const struct spec *spec;

	m->row = &isa_row[first + below(isa_op_row[op + 1] - first)];
	m->spoil = mistake == 1 ? below(m->row->nspecs) : ~0u;
	spec = &isa_spec[m->row->spec];
	choose_place(m, &isa_form[m->row - isa_row]);
	choose_words(m);
	for (unsigned s = 0; s < m->row->nslots; s++)
		if (m->word[s])
			words[n++] = m->word[s];
	if (mistake == 2 && n) /* any other word of the same category, or a type */
		words[below(n)] = chance(60) ? W_NONE + 1 + below(TYPE_COUNT - 1)
					     : 1 + below(WORD_COUNT - 1);
	if (mistake == 3)
		skip = below(n);
	if (mistake == 4)
		twice = below(n);
	if (mistake == 5 && n > 1)
		swap = below(n - 1);
	text_puts(t, opcode_text(op));
	for (unsigned i = 0; i < n; i++) {
		unsigned w = i == swap                 ? words[i + 1]
			: swap != ~0u && i == swap + 1 ? words[i - 1]
						       : words[i];

		if (i != skip)
			text_printf(t, ".%s", word_text((enum word)w));
		if (i == twice)
			text_printf(t, ".%s", word_text((enum word)w));
	}
	skip = mistake == 6 ? below(m->row->nspecs) : ~0u;
	for (unsigned i = 0; i < m->row->nspecs; i++) {
		if (spec[i].flags & SPEC_OPTIONAL ? chance(60)
						  : spec[i].when && !has(m, spec[i].when))
			continue;
		if (i == skip)
			continue;
		text_puts(t, k++ ? "," : " ");
		put_operand(t, m, &spec[i], op, i);
	}
	if (mistake == 7)
		text_printf(t, "%s%s", k ? "," : " ", chance(50) ? "%r1" : "3");
}

void instruction_seed(uint64_t seed) { state = seed * 0x9e3779b97f4a7c15u + 1; }

enum opcode instruction_opcode(unsigned k)
{
	unsigned op = OP_NONE;

	for (k = k % (OPCODE_COUNT - 3) + 1; k; k--) {
		op++;
		while (op == OP_call || op == OP_brx) /* they need a function, a table */
			op++;
	}
	return (enum opcode)op;
}

struct instruction_place instruction_make(struct text *t, enum opcode op)
{
	struct making m = {0};

	make(t, &m, op, chance(50) ? 0 : 1 + below(7));
	return (struct instruction_place){m.target, m.version};
}

static void put_line(struct text *t, const char *lines)
{
	for (; *lines; lines++)
		text_putc(t, *lines == '\n' ? ' ' : *lines);
}

void instruction_put_kernel(
	struct text *t, struct instruction_place place, const char *instruction, unsigned number)
{
	struct text more = {0};
	char version[16];

	snprintf(version, sizeof version, "%u.%u", instruction_versions[place.version] / 10,
		instruction_versions[place.version] % 10);
	kernel_registers(&more, instruction_targets[place.target].name, version);
	text_printf(t, ".visible .entry k%u", number);
	put_line(t, strstr(kernel_head, ".visible .entry k") + strlen(".visible .entry k"));
	put_line(t, text_str(&more));
	text_printf(t, "%s; LBL: ret; }\n", instruction);
	text_free(&more);
}

void instruction_put_head(struct text *t, struct instruction_place place)
{
	unsigned version = instruction_versions[place.version];

	text_printf(t, ".version %u.%u\n.target %s\n.address_size 64\n", version / 10, version % 10,
		instruction_targets[place.target].name);
	text_add(t, kernel_head, (size_t)(strstr(kernel_head, ".visible .entry") - kernel_head));
}
