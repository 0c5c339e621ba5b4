/* libFuzzer target of suites: each is read as by `ptxi grade`, and what is accepted is described as
 * JSON, which `ptxi merge` must read back. */
#include "grade/grade.h"
#include "grade/read.h"
#include "tests/fuzz/tokens.h"
#include <stdlib.h>
#include <string.h>

FUZZ_TARGET(token_mutate)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diags diags = {0};
	struct arena arena = {0};
	struct suite suite;
	struct text out = {0}, said = {0};
	struct source *source = source_new(&diags.arena, "fuzz.suite", (const char *)data, size);

	if (suite_parse(&suite, source, &diags)) {
		struct graded g = {.title = "", .shard = 1, .shards = 1}, back;
		struct source *json;

		graded_describe(&g, &suite);
		report_json(&g, &out);
		json = source_new(&diags.arena, "fuzz.json", text_str(&out), out.len);
		if (!graded_parse(&back, json, &arena, &diags))
			abort();
		graded_free(&g);
		graded_free(&back);
	}
	diag_render(&diags, &said, false);
	suite_free(&suite);
	text_free(&out);
	text_free(&said);
	arena_free(&arena);
	diags_free(&diags);
	return 0;
}
