/* libFuzzer target of the object reader: the input is the content of an object (its first four bytes say how much of it is places); header and checksum are made to
 * fit, so that the reader gets past them. What is accepted is printed, checked for warnings, written and read again. */
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

static char *with_header(const uint8_t *data, size_t size, uint32_t places)
{
	char *b = malloc(size + OBJECT_HEADER);
	uint64_t sum;

	if (!b)
		abort();
	memcpy(b, OBJECT_MAGIC, 8);
	put_u64(b + 8, OBJECT_VERSION);
	put_u64(b + 16, object_table());
	put_u64(b + 24, size - places);
	put_u64(b + 32, places);
	memcpy(b + OBJECT_HEADER, data, size);
	sum = hash_bytes(b, OBJECT_HEADER - 8, 0);
	sum = hash_bytes(b + OBJECT_HEADER, size - places, sum);
	sum = hash_bytes(b + OBJECT_HEADER + size - places, places, sum);
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
	uint32_t places;
	char *bytes;

	if (size < 4 || size > 1 << 20)
		return 0;
	memcpy(&places, data, 4);
	size -= 4;
	if (places > size)
		places %= (uint32_t)(size + 1);
	bytes = with_header(data + 4, size, places);
	m = ir_object_read(source_new(&arena, "fuzz.ptxo", bytes, size + OBJECT_HEADER), &diags);
	if (m)
		use(m, &arena, &diags);
	ir_module_free(m);
	free(bytes);
	diags_free(&diags);
	arena_free(&arena);
	return 0;
}
