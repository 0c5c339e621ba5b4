/* libFuzzer target of the assembler: any bytes are assembled and checked for warnings, and every
 * diagnostic is rendered, as text and as JSON. */
#include "assembler/assembler.h"
#include "tests/fuzz/tokens.h"

FUZZ_TARGET(token_mutate)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct text out = {0};
	struct ir_module *m;

	if (size > 1 << 20)
		return 0;
	m = assemble(source_new(&arena, "fuzz.ptx", (const char *)data, size), NULL, &diags);
	if (m)
		assembler_lint(m, &diags);
	diag_render(&diags, &out, true);
	text_clear(&out);
	diag_render_json(&diags, &out);
	text_free(&out);
	ir_module_free(m);
	diags_free(&diags);
	arena_free(&arena);
	return 0;
}
