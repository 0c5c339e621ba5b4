/* The instructions that PTX 9.1 to 9.4 added (texts/since.txt): accepted from the version and on
 * the targets that the manual names, and on no others. */
#include "assemble.h"
#include "base/memory.h"
#include <stdio.h>

enum { MOST_TARGETS = 32, MOST_LISTS = 16, LINE = 512 };

static const char *const registers =
	"\t.reg .pred %p<4>;\n\t.reg .b8 %b<4>;\n\t.reg .b16 %h<4>;\n\t.reg .b32 %r<16>;\n"
	"\t.reg .b64 %rd<8>;\n\t.reg .b128 %q<4>;\n\t.reg .f32 %f<8>;\n\t.reg .f64 %fd<4>;\n";

/* The first version of a target, for those that PTX 9.0 lacks. */
static unsigned target_since(const char *target)
{
	return strncmp(target, "sm_107", 6) == 0 ? 94 : 90;
}

static bool named_in(const char *target, char *const *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(list[i], target) == 0)
			return true;
	return false;
}

struct lists {
	char *target[MOST_TARGETS];
	unsigned targets;
	char *name[MOST_LISTS], *member[MOST_LISTS][MOST_TARGETS];
	unsigned members[MOST_LISTS], lists;
};

static bool on_target(const struct lists *l, const char *where, const char *target)
{
	if (where[strlen(where) - 1] == '+')
		return strtol(target + 3, NULL, 10) >= strtol(where + 3, NULL, 10);
	for (unsigned k = 0; k < l->lists; k++)
		if (strcmp(l->name[k], where) == 0)
			return named_in(target, l->member[k], l->members[k]);
	cr_assert(false, "no list '%s'", where);
	return false;
}

static bool accepts(unsigned version, const char *target, const char *insn)
{
	struct text t = {0};
	struct assembled a;
	bool yes;

	text_printf(&t,
		".version %u.%u\n.target %s\n.address_size 64\n.entry k()\n{\n%s\t%s;\n\tret;\n}\n",
		version / 10, version % 10, target, registers, insn);
	a = test_assemble(text_str(&t));
	yes = !a.diags.errors;
	test_free(&a);
	text_free(&t);
	return yes;
}

static void one_line(struct lists *l, char *line)
{
	char *save = NULL, *first = strtok_r(line, " ", &save), *where, *insn;
	unsigned since;

	if (strcmp(first, "targets") == 0 || strcmp(first, "list") == 0) {
		bool all = first[0] == 't';
		char **to = all ? l->target : l->member[l->lists], *word;
		unsigned n = 0;

		if (!all)
			l->name[l->lists] = strdup(strtok_r(NULL, " ", &save));
		while ((word = strtok_r(NULL, " ", &save)))
			to[n++] = strdup(word);
		if (all)
			l->targets = n;
		else
			l->members[l->lists++] = n;
		return;
	}
	where = strcmp(first, "never") == 0 ? NULL : strtok_r(NULL, " ", &save);
	insn = save;
	since = (unsigned)(strtod(first, NULL) * 10 + 0.5);
	for (unsigned k = 0; k < l->targets; k++)
		for (unsigned v = 90; v <= 94; v++) {
			const char *t = l->target[k];
			bool want = where && v >= since && on_target(l, where, t);

			if (v >= target_since(t))
				cr_expect_eq(accepts(v, t, insn), want, "PTX %u.%u, %s: %s", v / 10,
					v % 10, t, insn);
		}
}

Test(isa_since, versions_and_targets, .timeout = 300)
{
	static struct lists l;
	char line[LINE];
	unsigned n = 0;
	FILE *f = fopen("tests/unit/texts/since.txt", "r");

	cr_assert(f);
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] && line[0] != '#') {
			one_line(&l, line);
			n++;
		}
	}
	fclose(f);
	cr_expect_gt(n, 200);
}
