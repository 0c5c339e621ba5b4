/* libFuzzer target of printing and of objects: text that assembles is printed and assembled again,
 * and written as an object and read again. All three must be the same program, and the second
 * printed text must equal the first. */
#include "assembler/assembler.h"
#include "ir/object.h"
#include "tests/fuzz/tokens.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FUZZ_TARGET(token_mutate)

static void must(bool ok, const char *what, struct diags *diags, const struct text *printed)
{
	struct text why = {0};

	if (ok)
		return;
	diag_render(diags, &why, false);
	fprintf(stderr, "%s\n%s%s\n", what, text_str(&why), text_str(printed));
	abort();
}

static bool same(const struct text *a, const struct text *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static void round_trip(const struct ir_module *m, struct arena *arena, struct diags *diags)
{
	struct text printed = {0}, twice = {0}, object = {0}, other = {0};
	struct ir_module *again;

	assembler_print(m, &printed);
	ir_object_write(m, false, &object);
	again = assemble(
		source_new(arena, "printed.ptx", text_str(&printed), printed.len), NULL, diags);
	must(again, "what is printed is rejected", diags, &printed);
	ir_object_write(again, false, &other);
	must(same(&object, &other), "what is printed is another program", diags, &printed);
	assembler_print(again, &twice);
	must(same(&printed, &twice), "printed twice, it differs", diags, &printed);
	ir_module_free(again);

	text_clear(&object);
	ir_object_write(m, true, &object);
	again = ir_object_read(source_new(arena, "object.ptxo", object.data, object.len), diags);
	must(again, "the object is rejected", diags, &printed);
	text_clear(&other);
	ir_object_write(again, true, &other);
	must(same(&object, &other), "the object read and written again differs", diags, &printed);
	ir_module_free(again);
	text_free(&printed);
	text_free(&twice);
	text_free(&object);
	text_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct ir_module *m;

	if (size > 1 << 20)
		return 0;
	m = assemble(source_new(&arena, "fuzz.ptx", (const char *)data, size), NULL, &diags);
	if (m)
		round_trip(m, &arena, &diags);
	ir_module_free(m);
	diags_free(&diags);
	arena_free(&arena);
	return 0;
}
