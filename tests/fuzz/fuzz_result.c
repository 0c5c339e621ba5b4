/* libFuzzer target of the results that `ptxi merge` reads: what is accepted is printed in every
 * format, and its JSON is read back as the same bytes. */
#include "grade/grade.h"
#include "grade/read.h"
#include "tests/fuzz/tokens.h"
#include <stdlib.h>
#include <string.h>

FUZZ_TARGET(token_mutate)

static void print_all(const struct graded *g)
{
	static void (*const report[])(const struct graded *, struct text *) = {
		report_junit, report_csv, report_html};
	struct text out = {0};

	report_text(g, true, &out);
	for (size_t k = 0; k < sizeof report / sizeof report[0]; k++)
		report[k](g, &out);
	text_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diags diags = {0};
	struct arena arena = {0};
	struct graded g, back;
	struct text one = {0}, two = {0};
	struct source *source = source_new(&diags.arena, "fuzz.json", (const char *)data, size);

	if (graded_parse(&g, source, &arena, &diags)) {
		graded_sort(&g);
		report_json(&g, &one);
		source = source_new(&diags.arena, "again.json", text_str(&one), one.len);
		if (!graded_parse(&back, source, &arena, &diags))
			abort();
		report_json(&back, &two);
		if (one.len != two.len || memcmp(text_str(&one), text_str(&two), one.len) != 0)
			abort();
		print_all(&back);
		graded_redact(&back);
		print_all(&back);
		graded_free(&back);
	}
	graded_free(&g);
	diag_render(&diags, &one, false);
	text_free(&one);
	text_free(&two);
	arena_free(&arena);
	diags_free(&diags);
	return 0;
}
