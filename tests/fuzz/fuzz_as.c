/* libFuzzer target of the assembler: any bytes are assembled, checked for warnings, printed, written as an object and read again; what was printed assembles to
 * the same object. */
#include "assembler/assembler.h"
#include "ir/object.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static bool same_program(const struct ir_module *a, const struct ir_module *b)
{
	struct text x = {0}, y = {0};
	bool same;

	ir_object_write(a, false, &x);
	ir_object_write(b, false, &y);
	same = x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
	text_free(&x);
	text_free(&y);
	return same;
}

static void round_trip(const struct ir_module *m, struct arena *arena, struct diags *diags)
{
	struct text printed = {0}, object = {0};
	struct ir_module *again;

	assembler_print(m, &printed);
	again = assemble(source_new(arena, "printed.ptx", text_str(&printed), printed.len), NULL, diags);
	must(again && same_program(m, again));
	ir_module_free(again);
	ir_object_write(m, true, &object);
	again = ir_object_read(source_new(arena, "object.ptxo", object.data, object.len), diags);
	must(again && same_program(m, again));
	ir_module_free(again);
	text_free(&printed);
	text_free(&object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct text out = {0};
	struct ir_module *m;

	if (size > 1 << 20)
		return 0;
	m = assemble(source_new(&arena, "fuzz.ptx", (const char *)data, size), NULL, &diags);
	if (m) {
		assembler_lint(m, &diags);
		round_trip(m, &arena, &diags);
	}
	diag_render(&diags, &out, false);
	text_free(&out);
	ir_module_free(m);
	diags_free(&diags);
	arena_free(&arena);
	return 0;
}
