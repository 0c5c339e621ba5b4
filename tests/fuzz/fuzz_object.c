/* libFuzzer target of the object reader: the input is an object file, read first unchanged and then
 * with a matching header and checksum, so that the reader gets past them (the field with the length
 * of the locations stays unchanged). Accepted objects are printed, checked for warnings, written
 * and read again. */
#include "assembler/assembler.h"
#include "ir/object_format.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_u64(char *to, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (char)(v >> (8 * i));
}

/* DATA with a matching header. */
static char *with_header(const uint8_t *data, size_t size)
{
	char *b = malloc(size);
	uint64_t places = 0, content = size - OBJECT_HEADER, sum;

	if (!b)
		abort();
	memcpy(b, data, size);
	for (unsigned i = 8; i--;)
		places = places << 8 | data[32 + i];
	places %= content + 1;
	content -= places;
	memcpy(b, OBJECT_MAGIC, 8);
	put_u64(b + 8, OBJECT_VERSION);
	put_u64(b + 16, object_table());
	put_u64(b + 24, content);
	put_u64(b + 32, places);
	sum = hash_bytes(b, OBJECT_HEADER - 8, 0);
	sum = hash_bytes(b + OBJECT_HEADER, content, sum);
	sum = hash_bytes(b + OBJECT_HEADER + content, places, sum);
	put_u64(b + 40, sum);
	return b;
}

static void use(const struct ir_module *m, struct arena *arena, struct diags *diags)
{
	struct text printed = {0}, object = {0};
	struct ir_module *again;

	assembler_print(m, &printed);
	assembler_lint(m, diags);
	ir_object_write(m, true, &object);
	again = ir_object_read(source_new(arena, "again.ptxo", object.data, object.len), diags);
	if (!again)
		abort();
	ir_module_free(again);
	text_free(&printed);
	text_free(&object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct ir_module *m;
	char *bytes;

	if (size < OBJECT_HEADER || size > 1 << 20)
		return 0;
	/* unchanged: tests the checks of header and checksum */
	m = ir_object_read(source_new(&arena, "raw.ptxo", (const char *)data, size), &diags);
	ir_module_free(m);
	bytes = with_header(data, size);
	m = ir_object_read(source_new(&arena, "fuzz.ptxo", bytes, size), &diags);
	if (m)
		use(m, &arena, &diags);
	ir_module_free(m);
	free(bytes);
	diags_free(&diags);
	arena_free(&arena);
	return 0;
}
