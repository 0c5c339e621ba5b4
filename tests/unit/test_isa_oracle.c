/* Compares the assembler's verdicts with those of ptxas 13.0 (tests/oracle/ptxas/README.md): every
 * difference is listed in differs.tsv with its reason. */
#include "assembler/assembler.h"
#include "tests/oracle/ptxas/kernel.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/oracle/ptxas/"

static char *slurp(const char *name)
{
	FILE *f = fopen(name, "rb");
	cr_assert(f, "%s is missing: run the tests from the root of the repository", name);
	char *text = NULL;
	size_t n = 0, cap = 0, got;
	do {
		cap = cap ? cap * 2 : 1 << 16;
		text = realloc(text, cap + 1);
		cr_assert(text);
		n += got = fread(text + n, 1, cap - n, f);
	} while (got);
	fclose(f);
	text[n] = 0;
	return text;
}

/* Whether the assembler accepts TEXT; if not, WHY receives the first message. */
static bool accepts(const char *text, size_t len, char *why, size_t why_size)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct source *source = source_new(&arena, "snippet.ptx", text, len);
	struct ir_module *m = assemble(source, NULL, &diags);
	bool ok = m && !diags.errors;
	why[0] = 0;
	for (const struct diag *d = diags.first; d && !ok && !why[0]; d = d->next)
		if (diag_code_info(d->code).code[0] != 'W')
			snprintf(why, why_size, "%s: %s", diag_code_info(d->code).code, d->message);
	if (m)
		ir_module_free(m);
	diags_free(&diags);
	arena_free(&arena);
	return ok;
}

/* The known differences: one per line, NAME <tab> reason; seen[] counts those that occurred. */
struct known {
	char *text;
	const char *name[1024];
	bool seen[1024];
	unsigned n;
};

static void read_known(struct known *k)
{
	k->text = slurp(FOLDER "differs.tsv");
	k->n = 0;
	for (char *line = strtok(k->text, "\n"); line; line = strtok(NULL, "\n")) {
		char *tab = strchr(line, '\t');
		if (line[0] == '#')
			continue;
		cr_assert(tab && tab[1], "%s has no reason", line);
		cr_assert_lt(k->n, 1024);
		*tab = 0;
		k->seen[k->n] = false;
		k->name[k->n++] = line;
	}
}

static bool known(struct known *k, const char *name)
{
	for (unsigned i = 0; i < k->n; i++)
		if (!strcmp(k->name[i], name))
			return k->seen[i] = true;
	return false;
}

static void all_seen(struct known *k, bool lines)
{
	for (unsigned i = 0; i < k->n; i++)
		if ((strchr(k->name[i], '.') && strchr(k->name[i], ' ') != NULL) == lines &&
			!k->seen[i])
			cr_expect(false, "differs.tsv lists '%s', but it does not differ any more",
				k->name[i]);
	free(k->text);
}

/* verdict <tab> target <tab> version <tab> instruction */
Test(isa_oracle, lines)
{
	char *text = slurp(FOLDER "lines.tsv"), why[512];
	struct known k;
	unsigned n = 0, wrong = 0;
	read_known(&k);
	for (char *p = text; *p;) {
		char *end = strchr(p, '\n'), *field[4] = {p};
		cr_assert(end);
		*end = 0;
		for (unsigned i = 1; i < 4; i++) {
			field[i] = strchr(field[i - 1], '\t');
			cr_assert(field[i], "%s", p);
			*field[i]++ = 0;
		}
		struct text t = {0};
		text_printf(&t, ".version %s\n.target %s\n.address_size 64\n%s", field[2], field[1],
			kernel_head);
		kernel_registers(&t, field[1], field[2]);
		text_printf(&t, " %s;\nLBL:\n ret;\n}\n", field[3]);
		bool want = !strcmp(field[0], "accept"),
		     got = accepts(text_str(&t), t.len, why, sizeof why);
		text_clear(&t);
		text_printf(&t, "%s %s %s", field[1], field[2], field[3]);
		n++;
		if (want != got && !known(&k, text_str(&t))) {
			wrong++;
			cr_log_error("%s\n    ptxas: %s, ptxi: %s %s", text_str(&t), field[0],
				got ? "accept" : "reject", why);
		}
		text_free(&t);
		p = end + 1;
	}
	free(text);
	all_seen(&k, true);
	cr_expect_geq(n, 3000);
	cr_expect_eq(wrong, 0, "%u of %u lines differ from ptxas", wrong, n);
}

/* Records "~= id verdict where", followed by the file, in which a line "~A" stands for the
 * template. */
Test(isa_oracle, snippets)
{
	char *text = slurp(FOLDER "snippets.txt"), why[512];
	const char *template = strstr(text, "~@A\n") + 4, *template_end = strstr(text, "~@end\n");
	struct known k;
	unsigned n = 0, differ = 0, unlisted = 0;
	cr_assert(template_end);
	read_known(&k);
	for (char *p = strstr(text, "\n~= "); p;) {
		char id[64], verdict[16], where[16];
		cr_assert_eq(sscanf(p, "\n~= %63s %15s %15s", id, verdict, where), 3);
		char *body = strchr(p + 1, '\n') + 1, *next = strstr(body - 1, "\n~= "),
		     *end = next ? next + 1 : body + strlen(body);
		struct text t = {0};
		for (char *line = body; line < end;) {
			char *stop = memchr(line, '\n', (size_t)(end - line));
			stop = stop ? stop + 1 : end;
			if (!strncmp(line, "~A\n", 3))
				text_add(&t, template, (size_t)(template_end - template));
			else if (!strncmp(line, "~no newline\n", 12))
				t.len--;
			else
				text_add(&t, line, (size_t)(stop - line));
			line = stop;
		}
		bool want = !strcmp(verdict, "accept"),
		     got = accepts(text_str(&t), t.len, why, sizeof why);
		bool counted = want || !strcmp(where, "instr");
		n += counted;
		if (want != got) {
			differ += counted;
			if (!known(&k, id)) {
				unlisted++;
				cr_log_error("%s\n    ptxas: %s, ptxi: %s %s", id, verdict,
					got ? "accept" : "reject", why);
			}
		}
		text_free(&t);
		p = next;
	}
	free(text);
	all_seen(&k, false);
	cr_expect_eq(unlisted, 0);
	cr_expect_geq(n, 2400);
	cr_expect_leq(differ * 1000, n * 5, "%u of %u differ: less than 99.5 %% agree", differ, n);
}

/* Forms that ptxas accepts beyond the manual are accepted with a warning. */
Test(isa_oracle, beyond_the_manual)
{
	static const char text[] =
		".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<3>;\nmapa.s32 %r1, %r2, 0;\nret;\n}\n";
	struct arena arena = {0};
	struct diags diags = {0};
	struct ir_module *m = assemble(
		source_new(&arena, "k.ptx", text, sizeof text - 1), NULL, &diags);
	unsigned n = 0;
	cr_assert(m);
	for (const struct diag *d = diags.first; d; d = d->next)
		n += d->code == DIAG_W0301;
	cr_expect_eq(n, 1);
	ir_module_free(m);
	diags_free(&diags);
	arena_free(&arena);
}
