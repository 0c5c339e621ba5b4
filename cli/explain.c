/* ptxi explain: the meaning of a code, a concept, an instruction, a modifier, a register or a //@
 * directive. */
#include "cli/put.h"
#include <ptxi/status.h>
#include <string.h>

static void put_paragraph(struct text *out, const char *title, const char *text)
{
	if (!text[0])
		return;
	text_printf(out, "%s\n", title);
	while (*text) {
		size_t n = strcspn(text, "\n");

		text_puts(out, "    ");
		text_add(out, text, n);
		text_putc(out, '\n');
		text += n + (text[n] == '\n');
	}
}

static const char *class_of(enum diag_code code)
{
	char letter = diag_code_info(code).code[0];

	if (letter == 'S' && diag_is_warning(code))
		return "misused synchronisation, a warning";
	switch (letter) {
	case 'E': return "the PTX is rejected";
	case 'W': return "a warning";
	case 'L': return "an error in a //@ directive or on the command line";
	case 'F': return "a fault of the program";
	case 'S': return "misused synchronisation";
	case 'R': return "a race or an uninitialised read";
	case 'D': return "a deadlock or livelock";
	case 'H':
		return diag_is_warning(code) ? "a mistake of the host program, a warning"
					     : "a mistake of the host program";
	case 'B': return "a limit was reached, nothing is proved";
	case 'U': return "valid PTX that ptxi does not execute";
	default: return "an expectation failed";
	}
}

static void explain_code(enum diag_code code, struct text *out)
{
	const struct diag_code_info i = diag_code_info(code);

	text_printf(out, "%s %s: %s\n%s", i.code, i.name, i.title, class_of(code));
	if (diag_status(code))
		text_printf(out, " (exit status %d)", diag_status(code));
	text_putc(out, '\n');
	put_paragraph(out, "rule", i.rule);
	put_paragraph(out, "wrong", i.wrong);
	put_paragraph(out, "right", i.right);
	text_printf(out, "%s: %s\n",
		i.section[0] >= '0' && i.section[0] <= '9' ? "PTX manual" : "see", i.section);
}

static void explain_codes(struct text *out)
{
	for (unsigned k = 1; k < DIAG_COUNT; k++) {
		const struct diag_code_info i = diag_code_info((enum diag_code)k);

		text_printf(out, "%s  %-34s %s\n", i.code, i.name, i.title);
	}
}

static bool explain_directive(const char *word, struct text *out)
{
	const struct script_word *w;

	for (unsigned k = 0; (w = script_word(k)); k++)
		if (strcmp(w->word, word) == 0) {
			text_printf(out, "//@ %s\n    %s\n", w->form, w->text);
			return true;
		}
	return false;
}

static const struct {
	const char *word, *also, *text, *example, *see;
} concepts[] = {
#define CONCEPT(word, also, text, example, see) {word, also, text, example, see},
#include "cli/concepts.def"
#undef CONCEPT
};
enum { CONCEPTS = sizeof concepts / sizeof concepts[0] };

static bool explain_concept(const char *word, struct text *out)
{
	for (unsigned k = 0; k < CONCEPTS; k++)
		if (strcmp(concepts[k].word, word) == 0 || strcmp(concepts[k].also, word) == 0) {
			put_paragraph(out, concepts[k].word, concepts[k].text);
			put_paragraph(out, "example", concepts[k].example);
			text_printf(out, "see: ptxi explain %s\n", concepts[k].see);
			return true;
		}
	return false;
}

/* Finds a code by its number in either case (E0101, e0101) or by its name, which may contain
 * dashes. */
static enum diag_code find_code(const char *word)
{
	char name[80];
	enum diag_code code = diag_code_find(word);

	if (code != DIAG_NONE || strlen(word) >= sizeof name)
		return code;
	strcpy(name, word);
	for (char *s = name; *s; s++)
		*s = *s == '-' ? '_' : *s;
	code = diag_code_find(name);
	if (code == DIAG_NONE && name[0] >= 'a' && name[0] <= 'z') {
		name[0] = (char)(name[0] - 'a' + 'A');
		code = diag_code_find(name);
	}
	return code;
}

static void suggest_word(struct cli *c, const char *word)
{
	struct diag *d = diag_plain(&c->diags, DIAG_L0305, "no entry for '%.80s'", word);
	const char *best = NULL;
	unsigned least = 3, n;
	const struct script_word *w;

	for (unsigned k = 0; k < CONCEPTS; k++) {
		n = text_distance(
			word, strlen(word), concepts[k].word, strlen(concepts[k].word), 2);
		if (n < least) {
			least = n;
			best = concepts[k].word;
		}
	}
	for (unsigned k = 1; k < OPCODE_COUNT; k++) {
		const char *name = opcode_text((enum opcode)k);

		n = text_distance(word, strlen(word), name, strlen(name), 2);
		if (n < least) {
			least = n;
			best = name;
		}
	}
	for (unsigned k = 0; (w = script_word(k)); k++) {
		n = text_distance(word, strlen(word), w->word, strlen(w->word), 2);
		if (n < least) {
			least = n;
			best = w->word;
		}
	}
	for (unsigned k = 1; k < DIAG_COUNT; k++) {
		const char *name = diag_code_info((enum diag_code)k).name;

		n = text_distance(word, strlen(word), name, strlen(name), 2);
		if (n < least) {
			least = n;
			best = name;
		}
		/* D101 for D0101 */
		name = diag_code_info((enum diag_code)k).code;
		n = text_distance(word, strlen(word), name, strlen(name), 1);
		if (n <= 1 && n < least) {
			least = n;
			best = name;
		}
	}
	if (strcmp(word, "coverage") == 0)
		best = "--coverage";
	if (best)
		diag_help(&c->diags, d, "did you mean %s?", best);
	else
		diag_help(&c->diags, d,
			"ptxi explain takes a code (E0101), a concept (race, parity), an instruction (mbarrier.try_wait), a modifier, a special register, a //@ directive, or 'codes'");
}

static bool explain_word(const char *word, struct text *out)
{
	enum diag_code code = find_code(word);
	bool known = code != DIAG_NONE;

	known |= explain_concept(word, out);
	if (code != DIAG_NONE)
		explain_code(code, out);
	if (strcmp(word, "codes") == 0) {
		explain_codes(out);
		known = true;
	}
	known |= explain_directive(
		strncmp(word, "//@", 3) == 0 ? word + 3 + strspn(word + 3, " ") : word, out);
	known |= isa_explain(word, out);
	return known;
}

int command_explain(struct cli *c)
{
	struct text t = {0};
	int status = PTXI_OK;

	if (c->coverage)
		isa_coverage(&t, c->since);
	if (c->files.count == 0 && !c->coverage) {
		struct diag *d = diag_plain(&c->diags, DIAG_L0304, "'ptxi explain' needs a word");

		diag_help(&c->diags, d,
			"type 'ptxi explain race', or another word: a code (E0101), an instruction (mbarrier.try_wait), a //@ directive (launch), codes, --coverage");
		return PTXI_USAGE;
	}
	for (uint32_t k = 0; k < c->files.count; k++) {
		if (t.len)
			text_putc(&t, '\n');
		if (!explain_word(c->files.data[k], &t)) {
			suggest_word(c, c->files.data[k]);
			status = PTXI_USAGE;
		}
	}
	put(&t);
	text_free(&t);
	return status;
}
