/* The expressions of the kernels as text: the .def files included once more. */
#include "arith/text.h"
#include "arith/table.h"
#include <string.h>

/* short names of types: the texts are many */
#define uint8_t u8
#define uint16_t u16
#define uint32_t u32
#define uint64_t u64
#define int8_t s8
#define int16_t s16
#define int32_t s32
#define int64_t s64
#include "arith/kernel/texts.h"
static const char integer_text[] =
#include "arith/kernel/integer.def"
	;
static const char bits_text[] =
#include "arith/kernel/bits.def"
	;
static const char compare_text[] =
#include "arith/kernel/compare.def"
	;
static const char move_text[] =
#include "arith/kernel/move.def"
	;
static const char float32_text[] =
#include "arith/kernel/float32.def"
	;
static const char float64_text[] =
#include "arith/kernel/float64.def"
	;
static const char convert_text[] =
#include "arith/kernel/convert.def"
	;
#undef uint8_t
#undef uint16_t
#undef uint32_t
#undef uint64_t
#undef int8_t
#undef int16_t
#undef int32_t
#undef int64_t
/* f16 and the approximations, which call libm, stay calls of their kernels, as rounding and carries
 * do */
static const char half_text[] = "", approx_text[] = "", carry_text[] = "", directed_text[] = "";

#define FILE_TEXT(name) name##_text,
static const char *const text_of_file[] = {ARITH_FILES(FILE_TEXT, FILE_TEXT)};
#undef FILE_TEXT

static const char *line_at(const char *text, unsigned row)
{
	while (row-- && *text)
		text = strchr(text, '\n') + 1;
	return text;
}

/* The word at *AT, after which it moves. */
static size_t next_word(const char **at, const char **word)
{
	*word = *at;
	*at += strcspn(*at, " ");
	size_t n = (size_t)(*at - *word);

	*at += **at == ' ';
	return n;
}

static unsigned types_of(char form)
{
	switch (form) {
	case '1': return 2;
	case '2':
	case 'c': return 3;
	case '3': return 4;
	case '4': return 5;
	case 'l':
	case 'm': return 0;
	default: return 1;
	}
}

bool arith_text(arith_kernel *run, struct arith_text *out)
{
	unsigned file, row, from = 0;

	/* several rows may have one kernel, of which one has the text */
	while (arith_row_at(run, &file, &row, from)) {
		const char *at = line_at(text_of_file[file], row);

		from = (file << 12 | row) + 1;
		if (*at == '\n' || *at == 0)
			continue;
		*out = (struct arith_text){.form = at[0], .elements = (unsigned)(at[2] - '0')};
		at += 4;
		unsigned n = types_of(out->form);

		for (unsigned k = 0; k < n; k++)
			out->type_length[k] = next_word(&at, &out->type[k]);
		out->expression = at;
		out->length = strcspn(at, "\n");
		return true;
	}
	return false;
}
