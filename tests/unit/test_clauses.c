/* docs/SYNC.md's table of undefined behaviour: every clause names a code and a golden case; the
 * case must expect that code, and no code of class S may be missing from the table. */
#include "base/memory.h"
#include "diag/diag.h"
#include "script/lang/script.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *slurp(const char *name)
{
	FILE *f = fopen(name, "rb");
	char *text = memory_resize(NULL, 1 << 20);
	size_t n = f ? fread(text, 1, (1 << 20) - 1, f) : 0;

	cr_assert(f, "%s is missing: run the tests from the root of the repository", name);
	fclose(f);
	text[n] = 0;
	return text;
}

static bool is_covered(const char *code, const char *words)
{
	enum diag_code c = DIAG_COUNT;

	for (unsigned k = 1; k < DIAG_COUNT; k++)
		if (strcmp(diag_code_info((enum diag_code)k).code, code) == 0)
			c = (enum diag_code)k;
	cr_assert_neq(c, DIAG_COUNT, "%s is no code", code);
	if (code[0] == 'D')
		return strncmp(words, "deadlock", 8) == 0;
	words += strncmp(words, "fault ", 6) == 0   ? 6
		: strncmp(words, "misuse ", 7) == 0 ? 7
						    : strlen(words);
	return *words && script_fault_is(c, words);
}

/* Whether case NAME of the golden file expects CODE. */
static bool expects(const char *file, const char *name, const char *code)
{
	char path[256], word[64], *save = NULL, *text;
	bool in = false, found = false;

	snprintf(path, sizeof path, "tests/ptx/%s.ptx", file);
	text = slurp(path);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "//@ case %63s", word) == 1)
			in = strcmp(word, name) == 0;
		if (!in || strncmp(line, "//@ expect ", 11) != 0)
			continue;
		line[strcspn(line, "#")] = 0;
		for (size_t n = strlen(line); n && line[n - 1] == ' '; n--)
			line[n - 1] = 0;
		found = found || is_covered(code, line + 11);
	}
	free(text);
	return found;
}

Test(clauses, each_has_a_code_and_a_case)
{
	char *text = slurp("docs/SYNC.md"), *save = NULL, *all = slurp("docs/SYNC.md");
	unsigned rows = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char code[16], file[64], name[64];
		char *last = strrchr(line, '|'), *second;

		if (line[0] != '|' || !last || last == line)
			continue;
		*last = 0;
		second = strrchr(line, '|');
		if (!second || sscanf(second, "| %63[^: ]:%63s", file, name) != 2)
			continue;
		*second = 0;
		second = strrchr(line, '|');
		cr_assert_eq(sscanf(second, "| %15s", code), 1);
		cr_expect(expects(file, name, code),
			"%s: case %s of tests/ptx/%s.ptx does not expect it", code, name, file);
		rows++;
	}
	cr_assert_gt(rows, 45);
	for (unsigned k = 1; k < DIAG_COUNT; k++) {
		const char *code = diag_code_info((enum diag_code)k).code;

		if (code[0] == 'S')
			cr_expect(strstr(all, code), "%s is in no clause of docs/SYNC.md", code);
	}
	free(text);
	free(all);
}
