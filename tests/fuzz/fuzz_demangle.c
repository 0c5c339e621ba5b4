/* libFuzzer target of the demangler: any bytes are read as a symbol. The result is bounded and
 * within its own text, and the same name is matched as a user might write it. It must not crash,
 * leak or hang. */
#include "base/assert.h"
#include "base/demangle.h"
#include "script/lang/cpp_name.h"
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text symbol = {0}, out = {0}, part = {0};
	struct demangled at;

	if (size > 1 << 14)
		return 0;
	text_puts(&symbol, "_Z");
	for (size_t k = 0; k < size && data[k]; k++)
		text_putc(&symbol, (char)data[k]);
	text_puts(&out, "before ");
	if (demangle(&out, text_str(&symbol), &at)) {
		assert(out.len <= 7 + DEMANGLE_NAME);
		assert(at.at + at.len <= out.len - 7);
		cpp_short(text_str(&symbol), size & 1, &part);
		cpp_fit(text_str(&part), text_str(&symbol));
		cpp_fit(text_str(&out) + 7, text_str(&symbol));
	} else {
		assert(out.len == 7);
	}
	text_free(&symbol);
	text_free(&out);
	text_free(&part);
	return 0;
}
