/* Reference text generated from the table: the forms of an instruction, the meaning of a modifier
 * or special register, the forms not executed, and docs/ISA.md. */
#include "isa/check.h"
#include <string.h>

static const char *const arch_text[] = {
	"",
#define ARCH(name, text, list) text,
#include "isa/arch.def"
};

/* Whether the row has WORDS[0..N) in this order, each in a slot of its own. */
static bool row_has(const struct row *r, const uint16_t *words, unsigned n)
{
	unsigned s = 0;
	for (unsigned i = 0; i < n; i++) {
		bool found = false;
		for (; s < r->nslots && !found; s++)
			found = set_has(&isa_set[isa_slot[r->slot + s].set], words[i]);
		if (!found)
			return false;
	}
	return true;
}

static void form_modifiers(struct text *t, const struct form *f)
{
	for (const char *p = isa_modifiers(f); *p; p++)
		if (*p != '~')
			text_putc(t, *p);
}

/* --- groups of words for the reader: small groups are written out, large ones named by category
 * --- */

static const struct group {
	const char *name, *words;
} groups[] = {
#define GROUP(name, words) {#name, words},
#include "isa/group.def"
};

enum { FEW = 4, MAX_PLACEHOLDERS = 8 };
/* The groups for which a form has placeholders. */
struct placeholders {
	const struct group *group[MAX_PLACEHOLDERS];
	unsigned n;
};

static const struct group *group_at(const char *s, size_t n)
{
	for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
		if (strlen(groups[k].name) == n && memcmp(groups[k].name, s, n) == 0)
			return &groups[k];
	return NULL;
}

/* Appends the words of G, such as ".v2|.v4" with SEPARATOR '|'. Returns their number; T may be
 * NULL. */
static unsigned put_words(struct text *t, const struct group *g, char separator)
{
	unsigned n = 0;

	for (const char *s = g->words; *s; n++) {
		size_t len = strcspn(s, " ");

		if (t) {
			if (n)
				text_putc(t, separator);
			text_putc(t, '.');
			text_add(t, s, len);
		}
		s += len + (s[len] == ' ');
	}
	return n;
}

static const char *group_category(const struct group *g)
{
	static const char *const name[CAT_COUNT] = {
		[CAT_type] = "type",
		[CAT_space] = "space",
		[CAT_scope] = "scope",
		[CAT_vec] = "vec",
		[CAT_round] = "rnd",
		[CAT_iround] = "irnd",
		[CAT_cmp] = "cmp",
		[CAT_op] = "op",
		[CAT_cop] = "cop",
		[CAT_l1] = "L1::eviction",
		[CAT_shape] = "shape",
	};
	enum word first = word_find(g->words, strcspn(g->words, " "));

	return first && name[isa_word_info[first].category] ? name[isa_word_info[first].category]
							    : "modifier";
}

/* Appends ".type", or ".type2" for another group of types in the same form. */
static void put_placeholder(struct text *t, struct placeholders *all, const struct group *g)
{
	unsigned same = 1, k;

	for (k = 0; k < all->n && all->group[k] != g; k++)
		same += strcmp(group_category(all->group[k]), group_category(g)) == 0;
	if (k == all->n && k < MAX_PLACEHOLDERS)
		all->group[all->n++] = g;
	text_printf(t, same > 1 ? ".%s%u" : ".%s", group_category(g), same);
}

static void put_group(
	struct text *t, struct placeholders *all, const struct group *g, char before, char after)
{
	bool bare = strchr("({|", before) && after && strchr(")}|", after);

	if (put_words(NULL, g, 0) > FEW) {
		put_placeholder(t, all, g);
		return;
	}
	text_puts(t, bare ? "" : "(");
	put_words(t, g, '|');
	text_puts(t, bare ? "" : ")");
}

static void plain_modifiers(struct text *t, const struct form *f, struct placeholders *all)
{
	char before = '.';

	for (const char *p = isa_modifiers(f); *p;) {
		size_t n = *p == '.' ? strspn(p + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
		const struct group *g = n ? group_at(p + 1, n) : NULL;

		if (g && !strchr("abcdefghijklmnopqrstuvwxyz:", p[1 + n] ? p[1 + n] : '.')) {
			put_group(t, all, g, before, p[1 + n]);
			before = p[n];
			p += 1 + n;
			continue;
		}
		if (*p != '~')
			text_putc(t, *p);
		before = *p++;
	}
}

void isa_form_name(unsigned form, struct text *out)
{
	struct placeholders all = {0};

	text_puts(out, opcode_text((enum opcode)isa_form[form].opcode));
	plain_modifiers(out, &isa_form[form], &all);
}

static void spec_text(struct text *t, const struct spec *s)
{
	const char *name = s->name;
	if (s->flags & SPEC_NEG && s->kind != SPEC_ADDRESS)
		text_puts(t, "{!}");
	if (s->kind == SPEC_ADDRESS)
		text_printf(t, s->flags & SPEC_TENSOR ? "[%s, ...]" : "[%s]", name);
	else
		text_puts(t, s->kind == SPEC_ANY ? "..." : name);
	if (s->flags & SPEC_PAIR)
		text_puts(t, "|p");
	if (s->flags & SPEC_PAIR_OK)
		text_puts(t, "{|p}");
	if (s->kind == SPEC_CONST)
		text_puts(t, "(constant)");
	if (s->flags & SPEC_RANGE) {
		if (s->lo == s->hi)
			text_printf(t, " = %lld", (long long)s->lo);
		else if (s->lo != INT64_MIN)
			text_printf(t, " %lld..%lld", (long long)s->lo, (long long)s->hi);
		if (s->multiple > 1)
			text_printf(t, " in steps of %u", s->multiple);
	}
}

static void form_operands(struct text *t, const struct row *r)
{
	for (unsigned i = 0; i < r->nspecs; i++) {
		const struct spec *s = &isa_spec[r->spec + i];
		bool maybe = s->flags & SPEC_OPTIONAL || s->when;
		text_puts(t, maybe ? "{" : "");
		text_puts(t, i ? ", " : "");
		/* mov, whose rule defines its operands */
		if (s->kind == SPEC_ANY && r->nspecs == 2)
			text_puts(t, i ? "a" : "d");
		else
			spec_text(t, s);
		text_puts(t, maybe ? "}" : "");
	}
}

/* Appends what a slot accepts: its words if they are few, otherwise their category. */
static void slot_text(struct text *t, const struct slot *s)
{
	static const char *const name[CAT_COUNT] = {
		[CAT_type] = "type",
		[CAT_space] = "space",
		[CAT_scope] = "scope",
		[CAT_round] = "rnd",
		[CAT_cmp] = "cmp",
		[CAT_cop] = "cop",
		[CAT_l1] = "L1::eviction",
		[CAT_l2] = "L2::eviction",
		[CAT_l2fetch] = "L2::size",
		[CAT_shape] = "shape",
	};
	unsigned n = 0;
	for (unsigned w = 1; w < WORD_COUNT; w++)
		n += set_has(&isa_set[s->set], w);
	if (n > 4 && name[s->category]) {
		text_printf(t, ".%s", name[s->category]);
		return;
	}
	text_puts(t, n > 1 && !(s->flags & SLOT_OPTIONAL && !s->group) ? "(" : "");
	unsigned k = 0;
	for (unsigned w = 1; w < WORD_COUNT; w++)
		if (set_has(&isa_set[s->set], w))
			text_printf(t, "%s.%s", k++ ? "|" : "", word_text((enum word)w));
	text_puts(t, n > 1 && !(s->flags & SLOT_OPTIONAL && !s->group) ? ")" : "");
}

void form_short(struct text *t, const struct row *r, enum opcode op)
{
	text_puts(t, opcode_text(op));
	unsigned group = 0;
	for (unsigned i = 0; i < r->nslots; i++) {
		const struct slot *s = &isa_slot[r->slot + i];
		if (group && s->group != group) {
			text_putc(t, '}');
			group = 0;
		}
		bool optional = s->flags & SLOT_OPTIONAL;
		if (optional && s->group != group)
			text_putc(t, '{');
		else if (optional && !s->group)
			text_putc(t, '{');
		slot_text(t, s);
		group = s->group;
		if (optional && !s->group)
			text_putc(t, '}');
	}
	if (group)
		text_putc(t, '}');
	if (r->nspecs)
		text_putc(t, ' ');
	form_operands(t, r);
}

static void form_rest(struct text *t, unsigned row)
{
	if (isa_row[row].nspecs)
		text_putc(t, ' ');
	form_operands(t, &isa_row[row]);
	text_putc(t, ';');
}

/* The form in the table's notation. */
static void form_line(struct text *t, unsigned row)
{
	text_puts(t, opcode_text((enum opcode)isa_form[row].opcode));
	form_modifiers(t, &isa_form[row]);
	form_rest(t, row);
}

void isa_form_text(unsigned form, struct text *out)
{
	isa_form_name(form, out);
	form_rest(out, form);
}

static void form_needs(struct text *t, unsigned row)
{
	const struct form *f = &isa_form[row];
	text_printf(t, "PTX %u.%u, ", f->ptx / 10, f->ptx % 10);
	if (f->arch)
		text_puts(t, arch_text[f->arch]);
	else
		text_printf(t, "sm_%u", f->sm);
	for (unsigned i = 0; i < isa_row[row].nneeds; i++) {
		const struct need *n = &isa_need[isa_row[row].need + i];
		text_printf(t, "; .%s: ", word_text((enum word)n->word));
		if (n->sm > NEED_ARCH)
			text_puts(t, arch_text[n->sm - NEED_ARCH]);
		else
			text_printf(t, "PTX %u.%u, sm_%u", n->ptx / 10, n->ptx % 10, n->sm);
	}
}

static const struct {
	enum trait trait;
	const char *text;
} trait_text[] = {
	{TRAIT_LOAD, "reads memory"},
	{TRAIT_STORE, "writes memory"},
	{TRAIT_STRONG, "strong"},
	{TRAIT_ATOMIC, "atomic"},
	{TRAIT_FENCE, "fence"},
	{TRAIT_BARRIER, "may block"},
	{TRAIT_FLOW, "control flow"},
	{TRAIT_CONVERGENT, "depends on the warp"},
	{TRAIT_ASYNC, "asynchronous"},
	{TRAIT_VOLATILE, "reads a changing value"},
	{TRAIT_LAX, "accepted by ptxas, but not in the manual"},
};

static void form_entry(struct text *t, unsigned row)
{
	struct placeholders all = {0};

	text_printf(t, "  %s", opcode_text((enum opcode)isa_form[row].opcode));
	plain_modifiers(t, &isa_form[row], &all);
	form_rest(t, row);
	for (unsigned k = 0; k < all.n; k++) {
		struct placeholders before = {.n = k};

		memcpy(before.group, all.group, k * sizeof *all.group);
		text_puts(t, "\n      ");
		put_placeholder(t, &before, all.group[k]);
		text_puts(t, ": ");
		put_words(t, all.group[k], ' ');
	}
	text_puts(t, "\n      ");
	form_needs(t, row);
	for (unsigned i = 0; i < sizeof trait_text / sizeof *trait_text; i++)
		if (isa_form[row].traits & trait_text[i].trait)
			text_printf(t, "; %s", trait_text[i].text);
	if (isa_form[row].handler == HANDLER_unsupported)
		text_puts(t, "; not executed");
	text_putc(t, '\n');
}

static const char *opcode_note(enum opcode op)
{
	switch ((int)op) {
/* clang-format off */
#define NOTE(op, text) case OP_##op: return text;
#include "isa/note.def"
		/* clang-format on */
	default: return NULL;
	}
}

/* WORD is an opcode with any number of words, as in "mbarrier.try_wait.shared"; shows the forms
 * that have all of them. */
static bool explain_instruction(const char *word, struct text *out)
{
	const char *dot = strchr(word, '.');
	enum opcode op = opcode_find(word, dot ? (size_t)(dot - word) : strlen(word));
	uint16_t words[ISA_MAX_WORDS];
	unsigned n = 0, shown = 0;
	if (!op)
		return false;
	while (dot) {
		const char *p = dot + 1;
		dot = strchr(p, '.');
		enum word w = word_find(p, dot ? (size_t)(dot - p) : strlen(p));
		if (!w || n == ISA_MAX_WORDS)
			return false;
		words[n++] = (uint16_t)w;
	}
	for (unsigned r = isa_op_row[op]; r < isa_op_row[op + 1]; r++)
		if (row_has(&isa_row[r], words, n)) {
			if (!shown++)
				text_printf(out, "%s\n", word);
			form_entry(out, r);
		}
	if (shown && opcode_note(op))
		text_printf(out, "%s\n", opcode_note(op));
	return shown > 0;
}

static const char *const category_text[CAT_COUNT] = {
	[CAT_mod] = "modifier",
	[CAT_type] = "type",
	[CAT_space] = "state space",
	[CAT_vec] = "vector width",
	[CAT_linkage] = "linkage",
	[CAT_directive] = "directive",
	[CAT_sem] = "memory order",
	[CAT_scope] = "scope",
	[CAT_cop] = "cache operator",
	[CAT_l1] = "L1 eviction priority",
	[CAT_l2] = "L2 eviction priority",
	[CAT_hint] = "cache hint",
	[CAT_l2fetch] = "L2 prefetch size",
	[CAT_level] = "cache level",
	[CAT_round] = "rounding",
	[CAT_iround] = "rounding to an integral value",
	[CAT_cmp] = "comparison",
	[CAT_op] = "operation",
	[CAT_component] = "component or selector",
	[CAT_geom] = "texture or tensor geometry",
	[CAT_num_] = "repetition",
	[CAT_shape] = "matrix shape",
	[CAT_layout] = "matrix layout",
};

static bool explain_word(const char *word, struct text *out)
{
	word += *word == '.';
	enum word w = word_find(word, strlen(word));
	if (!w || w >= WORD_COUNT)
		return false;
	text_printf(out, ".%s: %s", word, category_text[isa_word_info[w].category]);
	if (word_type(w))
		text_printf(out, ", %u bits", type_info[w].bits);
	if (isa_word_need[w].ptx) {
		text_printf(
			out, "; PTX %u.%u", isa_word_need[w].ptx / 10, isa_word_need[w].ptx % 10);
		if (isa_word_need[w].sm)
			text_printf(out, ", sm_%u", isa_word_need[w].sm);
	}
	text_putc(out, '\n');
	unsigned n = 0;
	for (unsigned op = 1; op < OPCODE_COUNT; op++)
		for (unsigned r = isa_op_row[op]; r < isa_op_row[op + 1]; r++)
			if (set_has(&isa_set[isa_row[r].allowed], w)) {
				text_printf(out, "%s%s",
					n++ ? " " : "  used by: ", opcode_text((enum opcode)op));
				break;
			}
	if (n)
		text_putc(out, '\n');
	return true;
}

static bool explain_sreg(const char *word, struct text *out)
{
	enum sreg s = sreg_find(word, strlen(word));
	if (!s)
		return false;
	const struct sreg_info *i = &sreg_info[s];
	text_printf(out, "%s: special register, .%s%s; PTX %u.%u, sm_%u; read with mov or cvt\n",
		sreg_text(s), type_info[i->type].name,
		i->vector ? " with the components .x .y .z .w" : "", i->ptx / 10, i->ptx % 10,
		i->sm);
	return true;
}

bool isa_explain(const char *word, struct text *out)
{
	return explain_instruction(word, out) || explain_sreg(word, out) || explain_word(word, out);
}

/* Forms that only ptxas accepts, for which there is no meaning, do not count. */
void isa_coverage(struct text *out, unsigned since)
{
	unsigned listed = 0, executed = 0, meaningless = 0;
	for (unsigned r = 0; r < isa_forms; r++) {
		bool runs = isa_form[r].handler != HANDLER_unsupported;

		if (isa_form[r].ptx < since)
			continue;
		if (!runs && isa_form[r].traits & TRAIT_LAX) {
			meaningless++;
			continue;
		}
		listed++;
		executed += runs;
		if (runs && !since)
			continue;
		if (since)
			text_printf(out, "%u.%u %s ", isa_form[r].ptx / 10, isa_form[r].ptx % 10,
				runs ? "executed    " : "not executed");
		isa_form_text(r, out);
		text_putc(out, '\n');
	}
	text_printf(out, "%u of %u forms are executed\n", executed, listed);
	if (meaningless)
		text_printf(out,
			"and ptxas accepts %u more that the manual does not have: they are assembled, but have no meaning\n",
			meaningless);
}

void isa_reference(struct text *out)
{
	text_puts(out,
		"# The instructions\n\nGenerated from isa/isa.def by the test isa/reference_is_current with PTXI_UPDATE=1; do not edit.\n"
		"`{ }` optional, `( | )` alternatives; names in capitals are groups, listed at the end. Modifiers may be in any order, except the words\n"
		"that are part of the instruction's name.\n\n");
	for (unsigned op = 1; op < OPCODE_COUNT; op++) {
		text_printf(out, "## %s\n\n", opcode_text((enum opcode)op));
		if (opcode_note((enum opcode)op))
			text_printf(out, "%s\n\n", opcode_note((enum opcode)op));
		text_puts(out, "| form | since | |\n|---|---|---|\n");
		for (unsigned r = isa_op_row[op]; r < isa_op_row[op + 1]; r++) {
			struct text line = {0};
			form_line(&line, r);
			text_puts(out, "| `");
			for (const char *p = text_str(&line); *p; p++)
				*p == '|' ? text_puts(out, "\\|") : text_putc(out, *p);
			text_puts(out, "` | ");
			form_needs(out, r);
			text_puts(out,
				isa_form[r].traits & TRAIT_LAX
					? (isa_form[r].handler == HANDLER_unsupported
							  ? " | ptxas only, no meaning |\n"
							  : " | ptxas only |\n")
					: isa_form[r].handler == HANDLER_unsupported
					? " | not executed |\n"
					: " | |\n");
			text_free(&line);
		}
		text_putc(out, '\n');
	}
	text_puts(out, "## Groups\n\n| group | words |\n|---|---|\n");
#define GROUP(name, words) text_puts(out, "| " #name " | " words " |\n");
#include "isa/group.def"
	text_puts(out, "\n## Special registers\n\n| register | type | since |\n|---|---|---|\n");
	for (unsigned s = 1; s < SREG_COUNT; s++)
		text_printf(out, "| %s | %s%s | PTX %u.%u, sm_%u |\n", sreg_text(s),
			sreg_info[s].vector ? ".v4 ." : ".", type_info[sreg_info[s].type].name,
			sreg_info[s].ptx / 10, sreg_info[s].ptx % 10, sreg_info[s].sm);
}
