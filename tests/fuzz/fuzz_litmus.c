/* libFuzzer target of .litmus files: any bytes are parsed, and a valid litmus test is explored
 * within small bounds and its outcomes printed. It must not crash, leak or hang. */
#include "explore/litmus/litmus.h"
#include "tests/fuzz/tokens.h"

FUZZ_TARGET(token_mutate)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct text out = {0};
	struct explore_options options = {.jobs = 1,
		.timeout = 2,
		.max_executions = 2000,
		.loop_bound = 2,
		.max_events = 128};
	struct litmus_test *test;

	if (size > 1 << 16)
		return 0;
	test = litmus_parse(
		source_new(&arena, "fuzz.litmus", (const char *)data, size), &arena, &diags);
	if (test) {
		struct explore_litmus l;

		explore_litmus(test, &options, &arena, &l);
		explore_litmus_print(&l, size & 1, &out);
		explore_free(l.result);
	}
	diag_render(&diags, &out, false);
	text_clear(&out);
	diag_render_json(&diags, &out);
	text_free(&out);
	diags_free(&diags);
	arena_free(&arena);
	return 0;
}
