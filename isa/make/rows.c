/* Compiles the rows of isa.def: parses the notation described in isa.def's first comment, reports
 * errors with the row, and writes the tables. */
#include "isa/make/make.h"
#include "isa/table.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct source_row {
	const char *op, *sm, *modifiers, *operands, *rules, *handler;
	unsigned ptx, traits, opcode;
};
enum {
	ALU = 0,
	LOAD = TRAIT_LOAD,
	STORE = TRAIT_STORE,
	STRONG = TRAIT_STRONG,
	ATOMIC = TRAIT_ATOMIC,
	FENCE = TRAIT_FENCE,
	BARRIER = TRAIT_BARRIER,
	FLOW = TRAIT_FLOW,
	CONVERGENT = TRAIT_CONVERGENT,
	ASYNC = TRAIT_ASYNC,
	VOLATILE = TRAIT_VOLATILE,
	LAX = TRAIT_LAX
};
static const struct source_row unsorted[] = {
#define FORM(op, ptx, sm, modifiers, operands, rules, traits, handler) \
	{#op, #sm, modifiers, operands, rules, #handler, ptx, traits, OP_##op},
#include "isa/isa.def"
};
enum { NROWS = sizeof unsorted / sizeof *unsorted };
static struct source_row rows[NROWS]; /* sorted by opcode; the rows of each in the order written */

static const struct {
	const char *name, *words;
} groups[] = {
#define GROUP(name, words) {#name, words},
#include "isa/group.def"
};
static const char *const rules[] = {
#define RULE(name, values) #name,
#include "isa/rule.def"
};
static const bool rule_values[] = {
#define RULE(name, values) values,
#include "isa/rule.def"
};
static const char *const archs[] = {
	"any",
#define ARCH(name, text, list) #name,
#include "isa/arch.def"
};
static const char *const handlers[] = {
#define HANDLER(name) #name,
#include "isa/handler.def"
};
static const uint8_t categories[] = {
	CAT_mod,
#define TYPE(name, class, bits) CAT_type,
#include "isa/type.def"
#define WORD(id, text, token, category) CAT_##category,
#include "isa/word.def"
};

static const char *const *word_texts;
static const struct source_row *at; /* the row being read, for error messages */

static struct word_set sets[4096];
static unsigned nsets;
static struct slot slots[16384];
static unsigned nslots;
static struct spec specs[16384];
static unsigned nspecs;
static struct need needs[8192];
static unsigned nneeds;
static uint8_t row_rules[8192];
static unsigned nrow_rules;
static struct row out[NROWS];
static uint8_t ndest[NROWS]; /* by row: number of destinations, which are the first operands */

static _Noreturn void fail_row(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fprintf(stderr, "isa.def: %s \"%s\" \"%s\" \"%s\": ", at->op, at->modifiers, at->operands,
		at->rules);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static unsigned find_word(const char *s, size_t n)
{
	for (unsigned i = 1; i < WORD_COUNT; i++)
		if (strlen(word_texts[i]) == n && !memcmp(word_texts[i], s, n))
			return i;
	return 0;
}

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '_' || c == ':'; }

static void set_add(struct word_set *s, unsigned w) { s->bits[w >> 6] |= UINT64_C(1) << (w & 63); }

/* Adds the word or the group at P, which follows its dot; returns the end. */
static const char *add_word(const char *p, struct word_set *s)
{
	const char *e = p;
	while (word_char(*e))
		e++;
	unsigned w = find_word(p, (size_t)(e - p));
	if (w) {
		set_add(s, w);
		return e;
	}
	for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
		if (strlen(groups[i].name) == (size_t)(e - p) &&
			!memcmp(groups[i].name, p, (size_t)(e - p))) {
			for (const char *q = groups[i].words; *q;) {
				size_t n = strcspn(q, " ");
				if (!(w = find_word(q, n)))
					fail_row("group %s: no word '%.*s'", groups[i].name, (int)n,
						q);
				set_add(s, w);
				q += n + (q[n] == ' ');
			}
			return e;
		}
	fail_row("no word and no group '%.*s'", (int)(e - p), p);
}

static uint16_t share_set(const struct word_set *s)
{
	for (unsigned i = 0; i < nsets; i++)
		if (!memcmp(&sets[i], s, sizeof *s))
			return (uint16_t)i;
	if (nsets == sizeof sets / sizeof *sets)
		fail_row("too many sets");
	sets[nsets] = *s;
	return (uint16_t)nsets++;
}

static void new_slot(const struct word_set *s)
{
	if (nslots == sizeof slots / sizeof *slots)
		fail_row("too many slots");
	struct slot *t = &slots[nslots++];
	t->set = share_set(s);
	unsigned n = 0, first = 0, category = CAT_COUNT;
	for (unsigned w = 1; w < WORD_COUNT; w++)
		if (set_has(s, w)) {
			if (!n++)
				first = w;
			category = category == CAT_COUNT || category == categories[w]
				? categories[w]
				: CAT_mod;
		}
	t->word = (uint16_t)(n == 1 ? first : W_NONE);
	t->category = (uint8_t)category;
}

static void read_modifiers(struct row *r)
{
	const char *p = at->modifiers;
	struct word_set allowed = {{0}};
	bool head = strchr(p, '~') != NULL;
	unsigned group = 0, braces = 0, inside = 0, first_inside = 0;
	r->slot = (uint16_t)nslots;
	while (*p) {
		if (*p == '~') {
			r->nheads = (uint8_t)(nslots - r->slot);
			for (unsigned i = r->slot; i < nslots; i++)
				slots[i].flags |= SLOT_HEAD;
			head = false;
			p++;
		} else if (*p == '{') {
			if (braces++)
				fail_row("{ in {");
			inside = 0;
			first_inside = nslots;
			p++;
		} else if (*p == '}') {
			if (!braces--)
				fail_row("} without {");
			group += inside > 1;
			for (unsigned i = first_inside; i < nslots; i++) {
				slots[i].flags |= SLOT_OPTIONAL;
				slots[i].group = (uint8_t)(inside > 1 ? group : 0);
			}
			p++;
		} else if (*p == '(' || *p == '.') {
			struct word_set s = {{0}};
			bool paren = *p == '(';
			p += paren;
			for (;;) {
				if (*p++ != '.')
					fail_row("a dot is missing before '%s'", p - 1);
				p = add_word(p, &s);
				if (*p != '|' || !(paren || braces))
					break;
				p++;
			}
			if (paren && *p++ != ')')
				fail_row("( without )");
			new_slot(&s);
			for (unsigned i = 0; i < SET_LONGS; i++)
				allowed.bits[i] |= s.bits[i];
			inside++;
		} else {
			fail_row("unexpected '%s'", p);
		}
	}
	if (head || braces)
		fail_row("{ without }");
	r->nslots = (uint8_t)(nslots - r->slot);
	if (r->nslots > ISA_MAX_WORDS)
		fail_row("too many modifiers");
	r->allowed = share_set(&allowed);
	unsigned t = 0, sp = 0;
	for (unsigned i = 0; i < r->nslots; i++) {
		unsigned c = slots[r->slot + i].category;
		if (c == CAT_type && t < ROW_TYPES)
			r->type[t++] = (uint8_t)(i + 1);
		else if (c == CAT_space && sp < 2)
			r->space[sp++] = (uint8_t)(i + 1);
		else if (c == CAT_vec)
			r->vec = (uint8_t)(i + 1);
	}
}

static uint8_t read_type(const char *s, size_t n)
{
	static const char *const names[] = {"T", "T2", "T3", "T4", "W", "."};
	static const uint8_t refs[] = {REF_T1, REF_T2, REF_T3, REF_T4, REF_WIDE, REF_ANY};
	for (unsigned i = 0; i < 6; i++)
		if (strlen(names[i]) == n && !memcmp(names[i], s, n))
			return refs[i];
	unsigned w = find_word(s, n);
	if (!w || w >= TYPE_COUNT)
		fail_row("no type '%.*s'", (int)n, s);
	return (uint8_t)w;
}

/* Reads one operand, from P to E. */
static void read_operand(const char *p, const char *e, bool optional, unsigned when)
{
	struct spec *s = &specs[nspecs++];
	*s = (struct spec){.type = REF_T1,
		.kind = SPEC_SOURCE,
		.when = (uint16_t)when,
		.flags = optional ? SPEC_OPTIONAL : 0};
	for (bool more = true; more && p < e;) {
		switch (*p) {
		case '%':
			s->kind = SPEC_REG;
			p++;
			break;
		case '#':
			s->kind = SPEC_CONST;
			p++;
			break;
		case '!':
			s->flags |= SPEC_NEG;
			p++;
			break;
		case '-':
			s->flags |= SPEC_MINUS;
			p++;
			break;
		case '@':
			s->kind = SPEC_LABEL;
			p++;
			break;
		case '*':
			s->kind = SPEC_ANY;
			memcpy(s->name, "x", 2);
			return;
		case '_':
			s->kind = SPEC_ONLY_SINK;
			memcpy(s->name, "_", 2);
			return;
		default: more = false;
		}
	}
	bool bracket = p < e && *p == '[';
	if (bracket) {
		s->kind = SPEC_ADDRESS;
		s->space = SPACE_FIRST;
		s->type = REF_ANY;
		p++;
	}
	unsigned n = 0;
	while (p < e && (isalnum((unsigned char)*p)) && n < 6)
		s->name[n++] = *p++;
	if (!n)
		fail_row("an operand without a name");
	if (s->kind == SPEC_LABEL && s->name[0] == 't')
		s->kind = SPEC_TABLE;
	if (s->kind == SPEC_SOURCE &&
		(s->name[0] == 'd' || (s->name[0] == 'p' && !n) || (s->name[0] == 'p' && n == 1)))
		s->kind = SPEC_DEST;
	if (p < e && *p == '|') {
		s->flags |= SPEC_PAIR;
		p += 2;
	} else if (p + 3 < e && p[0] == '{' && p[1] == '|') {
		s->flags |= SPEC_PAIR_OK;
		p += 4;
	}
	while (p < e) {
		char c = *p++;
		if (c == '+') {
			s->flags |= SPEC_WIDER;
		} else if (c == '^') {
			s->flags |= SPEC_SELECT;
		} else if (c == '_') {
			s->flags |= SPEC_SINK;
		} else if (c == ']' && bracket) {
			bracket = false;
		} else if (c == ',' && bracket) {
			s->flags |= SPEC_TENSOR;
			while (p < e && *p != ']')
				p++;
		} else if (c == '/' && bracket) {
			const char *b = p;
			while (p < e && *p != ']' && *p != ',')
				p++;
			bool maybe = p > b && p[-1] == '?';
			unsigned w = find_word(b, (size_t)(p - b) - maybe);
			s->flags |= maybe ? SPEC_MAYBE : 0;
			s->space = (uint16_t)(p == b              ? SPACE_ANY
					: p - b == 1 && *b == '2' ? SPACE_SECOND
								  : w);
			if (!s->space)
				fail_row("no space '%.*s'", (int)(p - b), b);
		} else if (c == '*' && p < e) {
			if (*p == 'V') {
				s->vector = VEC_WORD;
				p++;
			} else {
				char *end;
				s->vector = s->vector_hi = (uint8_t)strtoul(p, &end, 10);
				if (end[0] == '.' && end[1] == '.')
					s->vector_hi = (uint8_t)strtoul(end + 2, &end, 10);
				if (end == p || !s->vector)
					fail_row("a number of elements must follow *");
				p = end;
			}
		} else if (c == ':') {
			const char *b = p;
			while (p < e &&
				(isalnum((unsigned char)*p) || *p == '_' || (*p == '.' && p == b)))
				p++;
			if (p[-1] == '_')
				p--, s->flags |= SPEC_SINK;
			s->type = read_type(b, (size_t)(p - b));
			if (*p == '_')
				p++;
		} else if (c == '<') {
			char *end = (char *)p;
			s->flags |= SPEC_RANGE;
			s->lo = INT64_MIN;
			s->hi = INT64_MAX;
			s->multiple = 1;
			if (*p != '/') {
				s->lo = strtoll(p, &end, 10);
				if (end[0] != '.' || end[1] != '.')
					fail_row("a range is <lo..hi>");
				s->hi = strtoll(end + 2, &end, 10);
			}
			if (*end == '/')
				s->multiple = (uint32_t)strtoul(end + 1, &end, 10);
			if (*end != '>' || !s->multiple)
				fail_row("a range is <lo..hi/multiple>");
			p = end + 1;
		} else {
			fail_row("unexpected '%c' in an operand", c);
		}
	}
}

static void read_operands(struct row *r)
{
	const char *p = at->operands;
	bool braces = false;
	unsigned when = 0;
	r->spec = (uint16_t)nspecs;
	while (*p) {
		const char *e = p;
		int brackets = 0, range = 0, pair = 0;
		if (*p == '{' && (p[1] == ',' || p[1] == '.')) {
			braces = true;
			p++;
			when = 0;
			if (*p == '.') {
				const char *b = ++p;
				while (word_char(*p))
					p++;
				if (!(when = find_word(b, (size_t)(p - b))))
					fail_row("no word '%.*s'", (int)(p - b), b);
			}
			if (*p++ != ',')
				fail_row("a comma is missing before '%s'", p - 1);
			continue;
		}
		if (*p == '}' && braces) {
			braces = false;
			when = 0;
			p++;
			continue;
		}
		if (*p == ',') {
			p++;
			continue;
		}
		for (; *e; e++) {
			if (*e == '[')
				brackets++;
			else if (*e == ']')
				brackets--;
			else if (*e == '<')
				range++;
			else if (*e == '>')
				range--;
			else if (*e == '{' && e[1] == '|')
				pair++;
			else if (*e == '}' && pair)
				pair--;
			else if (!brackets && !range && !pair &&
				(*e == ',' || *e == '{' || *e == '}'))
				break;
		}
		read_operand(p, e, braces && !when, when);
		r->nrequired = (uint8_t)(r->nrequired + !braces);
		p = e;
	}
	r->nspecs = (uint8_t)(nspecs - r->spec);
	for (unsigned i = r->spec; i < nspecs; i++)
		r->selects |= (specs[i].flags & SPEC_SELECT) != 0;
	while (ndest[r - out] < r->nspecs && specs[r->spec + ndest[r - out]].kind == SPEC_DEST)
		ndest[r - out]++;
}

static unsigned find_text(const char *const *table, unsigned n, const char *what)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(table[i], what))
			return i;
	fail_row("unknown '%s'", what);
}

static void read_rules(struct row *r)
{
	r->need = (uint16_t)nneeds;
	r->rule = (uint16_t)nrow_rules;
	for (const char *p = at->rules; *p;) {
		size_t n = strcspn(p, " ");
		if (*p == '.') {
			size_t w = strcspn(p, "@");
			unsigned ptx, sm;
			struct need *d = &needs[nneeds++];
			if (w >= n || !(d->word = (uint16_t)find_word(p + 1, w - 1)))
				fail_row("a need is .word@ptx/sm or .word@arch, not '%.*s'", (int)n,
					p);
			if (sscanf(p + w, "@%u/%u", &ptx, &sm) == 2) {
				d->ptx = (uint16_t)ptx;
				d->sm = (uint16_t)sm;
			} else {
				char name[32];
				snprintf(name, sizeof name, "%.*s", (int)(n - w - 1), p + w + 1);
				d->sm = (uint16_t)(NEED_ARCH + find_text(archs, ARCH_COUNT, name));
			}
			r->nneeds++;
		} else if (n) {
			unsigned k = 0;
			while (k < RULE_COUNT && (strlen(rules[k]) != n || memcmp(rules[k], p, n)))
				k++;
			if (k == RULE_COUNT)
				fail_row("no rule '%.*s'", (int)n, p);
			row_rules[nrow_rules++] = (uint8_t)k;
			r->nrules++;
		}
		p += n;
		p += *p == ' ';
	}
}

static void write_forms(void)
{
	printf("const unsigned isa_forms = %u;\nconst struct form isa_form[] = {\n",
		(unsigned)NROWS);
	for (unsigned i = 0; i < NROWS; i++) {
		at = &rows[i];
		bool named = !isdigit((unsigned char)at->sm[0]);
		printf("\t{%u, %u, %s, %u, %u, %u, %u, %u, %u, %u},\n", at->opcode, at->ptx,
			named ? "0" : at->sm, find_text(handlers, HANDLER_COUNT, at->handler),
			named ? find_text(archs, ARCH_COUNT, at->sm) : 0u, at->traits, ndest[i],
			text_place(at->modifiers), text_place(at->operands), text_place(at->rules));
	}
	printf("};\nconst uint16_t isa_op_row[OPCODE_COUNT + 1] = {0");
	for (unsigned i = 0; i < NROWS; i++) {
		at = &rows[i];
		if (!i || rows[i].opcode != rows[i - 1].opcode)
			printf(", %u", i);
	}
	printf(", %u};\n", (unsigned)NROWS);
}

void make_rows(const char *const *words, const char *const *opcodes)
{
	(void)opcodes;
	word_texts = words;
	for (unsigned op = 1, n = 0; op < OPCODE_COUNT; op++)
		for (unsigned i = 0; i < NROWS; i++)
			if (unsorted[i].opcode == op)
				rows[n++] = unsorted[i];
	for (unsigned i = 0; i < NROWS; i++) {
		at = &rows[i];
		read_modifiers(&out[i]);
		read_operands(&out[i]);
		read_rules(&out[i]);
	}
	write_forms();
	printf("const struct row isa_row[] = {\n");
	for (unsigned i = 0; i < NROWS; i++) {
		const struct row *r = &out[i];
		printf("\t{%u, %u, %u, %u, %u, %u, %u, %u, {%u, %u, %u, %u}, {%u, %u}, %u, %u, %u, %u, %u},\n",
			r->slot, r->spec, r->need, r->nslots, r->nheads, r->nspecs, r->nneeds,
			r->nrequired, r->type[0], r->type[1], r->type[2], r->type[3], r->space[0],
			r->space[1], r->vec, r->selects, r->nrules, r->rule, r->allowed);
	}
	printf("};\nconst struct slot isa_slot[] = {\n");
	for (unsigned i = 0; i < nslots; i++)
		printf("\t{%u, %u, %u, %u, %u, 0},\n", slots[i].set, slots[i].word, slots[i].flags,
			slots[i].group, slots[i].category);
	printf("\t{0, 0, 0, 0, 0, 0}};\nconst struct word_set isa_set[] = {\n");
	for (unsigned i = 0; i < nsets; i++) {
		printf("\t{{");
		for (unsigned k = 0; k < SET_LONGS; k++)
			printf("%s0x%llx", k ? ", " : "", (unsigned long long)sets[i].bits[k]);
		printf("}},\n");
	}
	printf("};\nconst struct spec isa_spec[] = {\n");
	for (unsigned i = 0; i < nspecs; i++) {
		const struct spec *s = &specs[i];
		printf("\t{%u, %u, %u, %u, %u, \"%s\", %u, %u, %u, ", s->flags, s->kind, s->type,
			s->vector, s->vector_hi, s->name, s->when, s->space, s->multiple);
		if (s->lo == INT64_MIN)
			printf("INT64_MIN, INT64_MAX},\n");
		else
			printf("%lld, %lld},\n", (long long)s->lo, (long long)s->hi);
	}
	printf("\t{0, 0, 0, 0, 0, \"\", 0, 0, 0, 0, 0}};\nconst struct need isa_need[] = {\n");
	for (unsigned i = 0; i < nneeds; i++)
		printf("\t{%u, %u, %u},\n", needs[i].word, needs[i].ptx, needs[i].sm);
	printf("\t{0, 0, 0}};\nconst uint8_t isa_row_rule[] = {");
	for (unsigned i = 0; i < nrow_rules; i++)
		printf("%u, ", row_rules[i]);
	printf("0};\nconst bool isa_op_values[OPCODE_COUNT] = {0");
	for (unsigned op = 1; op < OPCODE_COUNT; op++) {
		bool values = false;
		for (unsigned i = 0; i < NROWS; i++) {
			if (rows[i].opcode != op)
				continue;
			for (unsigned k = 0; k < out[i].nspecs; k++)
				values |= (specs[out[i].spec + k].flags & SPEC_RANGE) != 0;
			for (unsigned k = 0; k < out[i].nrules; k++)
				values |= rule_values[row_rules[out[i].rule + k]];
		}
		printf(", %d", values);
	}
	printf("};\nconst struct need isa_word_need[WORD_COUNT] = {\n");
	printf("#define NEED(word, ptx, sm) [W_##word] = {W_##word, ptx, sm},\n#include \"isa/need.def\"\n};\n");
}
