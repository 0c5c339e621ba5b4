/* Fresh instructions of every opcode, target and version, made from the instruction table and half
 * of them spoilt: ptxi's verdict beside that of ptxas 13.0. fresh N SEED PTXAS: the summary; what
 * differs and no pattern of fresh.tsv explains, one a line. fresh --record N SEED PTXAS: every
 * verdict of ptxas, as lines.tsv has them. */
#include "tests/oracle/ptxas/kernel.h"
#include "assembler/assembler.h"
#include "base/memory.h"
#include "base/vec.h"
#include "isa/table.h"
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum verdict { UNKNOWN, ACCEPT, REJECT };
struct snippet {
	char *text, why[200], said[160]; /* why: ptxi's reason; said: that of ptxas */
	uint8_t target, version, ptxas, ptxi;
	bool duplicate;
};
struct target {
	const char *name, *arch;
	unsigned sm, ptx; /* first version */
};
static const struct target targets[] = {
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
enum { TARGETS = sizeof targets / sizeof *targets };
static const unsigned versions[] = {40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74,
	75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};
enum { VERSIONS = sizeof versions / sizeof *versions };

static uint64_t state;
static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return n ? (unsigned)((state >> 33) % n) : 0;
}
static bool chance(unsigned percent) { return below(100) < percent; }

/* --- an instruction --- */

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
	uint16_t word[64]; /* by slot */
	unsigned spoil;    /* which operand is of any type; ~0 none */
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
			    (versions[m->version] < 83 || targets[m->target].sm < 70)) ||
			(registers[i].type == TYPE_f16x2 &&
				(versions[m->version] < 42 || targets[m->target].sm < 53)))
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

/* What the rule of the row looks at. */
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
		m->target = below(TARGETS);
		m->version = chance(60) ? VERSIONS - 1 : below(VERSIONS);
		if (versions[m->version] < targets[m->target].ptx)
			continue;
		if (chance(8) ||
			(targets[m->target].sm >= f->sm && versions[m->version] >= f->ptx &&
				(!f->arch || try > 40 ||
					strchr("af",
						targets[m->target]
							.name[strlen(targets[m->target].name) -
								1]))))
			return;
	}
	m->target = TARGETS - 1;
	m->version = VERSIONS - 1;
}

/* One instruction of a random row of opcode OP; MISTAKE: 0 as the row says, otherwise which way it
 * is spoilt. */
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

/* --- verdicts --- */

static void put_kernel(struct text *t, const struct snippet *s, unsigned number)
{
	const char *k = strstr(kernel_head, ".visible .entry k") + strlen(".visible .entry k");
	char version[16];

	snprintf(version, sizeof version, "%u.%u", versions[s->version] / 10,
		versions[s->version] % 10);
	text_printf(t, ".visible .entry k%u", number);
	for (; *k; k++)
		text_putc(t, *k == '\n' ? ' ' : *k);
	struct text more = {0};
	kernel_registers(&more, targets[s->target].name, version);
	for (const char *p = text_str(&more); *p; p++)
		text_putc(t, *p == '\n' ? ' ' : *p);
	text_free(&more);
	text_printf(t, "%s; LBL: ret; }\n", s->text);
}

static void put_head(struct text *t, const struct snippet *s)
{
	text_printf(t, ".version %u.%u\n.target %s\n.address_size 64\n", versions[s->version] / 10,
		versions[s->version] % 10, targets[s->target].name);
	text_add(t, kernel_head, (size_t)(strstr(kernel_head, ".visible .entry") - kernel_head));
}

static void ask_ptxi(struct snippet *s)
{
	struct text t = {0};
	struct arena arena = {0};
	struct diags diags = {0};

	put_head(&t, s);
	put_kernel(&t, s, 0);
	struct ir_module *m = assemble(
		source_new(&arena, "fresh.ptx", text_str(&t), t.len), NULL, &diags);
	s->ptxi = m && !diags.errors ? ACCEPT : REJECT;
	for (const struct diag *d = diags.first; d && !s->why[0]; d = d->next)
		if (diag_code_info(d->code)->code[0] != 'W')
			snprintf(s->why, sizeof s->why, "%s: %s", diag_code_info(d->code)->code,
				d->message);
	if (m)
		ir_module_free(m);
	diags_free(&diags);
	arena_free(&arena);
	text_free(&t);
}

/* Runs ptxas over the text; its exit status, and what it says. */
static int run(const char *ptxas, const char *arch, const struct text *t, struct text *said)
{
	char name[64], command[512], line[1024];

	snprintf(name, sizeof name, "/tmp/ptxi-fresh-%d.ptx", (int)getpid());
	FILE *f = fopen(name, "wb");
	if (!f || fwrite(t->data, 1, t->len, f) != t->len)
		abort();
	fclose(f);
	snprintf(command, sizeof command, "timeout 60 '%s' -arch %s -o /dev/null '%s' 2>&1", ptxas,
		arch, name);
	f = popen(command, "r");
	while (f && fgets(line, sizeof line, f))
		text_puts(said, line);
	int status = f ? pclose(f) : -1;
	unlink(name);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The message of an error at line P, or NULL. */
static const char *error_at(const char *p)
{
	p += strspn(p, "0123456789");
	return strncmp(p, "; error", 7) == 0 || strncmp(p, "; fatal", 7) == 0
		? p + 7 + strspn(p + 7, " :")
		: NULL;
}

/* Verdicts of snippets of one target and version, together: ptxas names the line of each error; the
 * rest is asked again without them, halved when no line is named. */
static void ask_ptxas(const char *ptxas, struct snippet **s, unsigned n)
{
	while (n) {
		struct text t = {0}, said = {0};
		unsigned left = 0, head = 0, bad = 0;

		put_head(&t, s[0]);
		for (size_t i = 0; i < t.len; i++)
			head += t.data[i] == '\n';
		for (unsigned i = 0; i < n; i++)
			put_kernel(&t, s[i], i);
		int status = run(ptxas, targets[s[0]->target].arch, &t, &said);
		/* not those of its own text, <builtin> */
		for (const char *p = text_str(&said); status && (p = strstr(p, ".ptx, line "));
			p += 11) {
			unsigned at = (unsigned)atoi(p + 11) - head - 1;

			const char *error = error_at(p + 11);

			if (at < n && error && s[at]->ptxas == UNKNOWN) {
				bad++;
				s[at]->ptxas = REJECT;
				snprintf(s[at]->said, sizeof s[at]->said, "%.*s",
					(int)strcspn(error, "\n"), error);
			}
		}
		for (unsigned i = 0; i < n && !status; i++)
			s[i]->ptxas = ACCEPT;
		text_free(&t);
		text_free(&said);
		if (!status)
			return;
		if (!bad) {
			if (n == 1) {
				if (status > 0 && status != 124 && status < 128)
					s[0]->ptxas = status == 255 ? UNKNOWN : REJECT;
				return;
			}
			ask_ptxas(ptxas, s, n / 2);
			s += n / 2;
			n -= n / 2;
			continue;
		}
		for (unsigned i = 0; i < n; i++)
			if (s[i]->ptxas == UNKNOWN) {
				struct snippet *keep = s[i];
				s[i] = s[left];
				s[left++] = keep;
			}
		n = left;
	}
}

/* --- the comparison --- */

struct pattern {
	regex_t regex;
	const char *text;
	bool used;
};
static VEC(struct pattern) patterns;

static void read_patterns(const char *name)
{
	FILE *f = fopen(name, "r");
	char line[1024];

	while (f && fgets(line, sizeof line, f)) {
		char *tab = strchr(line, '\t');
		struct pattern p = {0};

		if (line[0] == '#' || !tab)
			continue;
		*tab = 0;
		if (regcomp(&p.regex, line, REG_EXTENDED | REG_NOSUB)) {
			fprintf(stderr, "fresh.tsv: no pattern: %s\n", line);
			exit(2);
		}
		p.text = strdup(line);
		*vec_push(&patterns) = p;
	}
	if (f)
		fclose(f);
}

static bool explained(const char *line)
{
	for (uint32_t i = 0; i < patterns.count; i++)
		if (!regexec(&patterns.data[i].regex, line, 0, NULL, 0))
			return patterns.data[i].used = true;
	return false;
}

int main(int argc, char **argv)
{
	bool record = argc > 1 && strcmp(argv[1], "--record") == 0;
	unsigned n, ops[OPCODE_COUNT], nops = 0, wide = TARGETS * VERSIONS, accepted = 0,
				       differ = 0, known = 0, lost = 0;

	if (argc < 4 + record) {
		fprintf(stderr, "fresh [--record] N SEED PTXAS\n");
		return 2;
	}
	n = (unsigned)atoi(argv[1 + record]);
	state = strtoull(argv[2 + record], NULL, 0) * 0x9e3779b97f4a7c15u + 1;
	read_patterns("tests/oracle/ptxas/fresh.tsv");
	for (unsigned op = 1; op < OPCODE_COUNT; op++)
		if (op != OP_call && op != OP_brx)
			ops[nops++] = op;
	struct snippet *s = mmap(NULL, (n + 1) * sizeof *s, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct snippet **order = memory_zeroed(n + 1, sizeof *order);
	for (unsigned i = 0; i < n; i++) {
		struct making m = {0};
		struct text t = {0};

		make(&t, &m, (enum opcode)ops[i % nops], chance(50) ? 0 : 1 + below(7));
		s[i].text = strdup(text_str(&t));
		s[i].target = (uint8_t)m.target;
		s[i].version = (uint8_t)m.version;
		text_free(&t);
		ask_ptxi(&s[i]);
	}
	for (unsigned worker = 0; worker < 2; worker++)
		if (fork() == 0) {
			for (unsigned place = worker; place < wide; place += 2) {
				unsigned k = 0;

				for (unsigned i = 0; i < n; i++)
					if ((unsigned)s[i].target * VERSIONS + s[i].version ==
						place)
						order[k++] = &s[i];
				for (unsigned i = 0; i < k; i += 100)
					ask_ptxas(argv[3 + record], order + i,
						k - i < 100 ? k - i : 100);
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	for (unsigned i = 0; i < n; i++) {
		struct text t = {0};

		lost += s[i].ptxas == UNKNOWN;
		if (s[i].ptxas == UNKNOWN)
			continue;
		accepted += s[i].ptxas == ACCEPT;
		if (record)
			printf("%s\t%s\t%u.%u\t%s\n", s[i].ptxas == ACCEPT ? "accept" : "reject",
				targets[s[i].target].name, versions[s[i].version] / 10,
				versions[s[i].version] % 10, s[i].text);
		text_printf(&t, "%s %s %u.%u %s", s[i].ptxas == ACCEPT ? "accept" : "reject",
			targets[s[i].target].name, versions[s[i].version] / 10,
			versions[s[i].version] % 10, s[i].text);
		if (s[i].ptxas != s[i].ptxi) {
			bool listed = explained(text_str(&t));

			differ++;
			known += listed;
			if (!listed && !record)
				printf("ptxas %s\n    %s: %s\n", text_str(&t),
					s[i].ptxi == ACCEPT ? "ptxas" : "ptxi",
					s[i].ptxi == ACCEPT ? s[i].said : s[i].why);
		}
		text_free(&t);
	}
	fprintf(record ? stderr : stdout,
		"%u snippets with a verdict, %u accepted; %u differ (%.2f %% agree), %u of them listed in fresh.tsv; no verdict of %u\n",
		n - lost, accepted, differ, 100.0 * (n - lost - differ) / (n - lost ? n - lost : 1),
		known, lost);
	return differ > known;
}
