/* The format rules of device printf (CUDA C++ Programming Guide, "Formatted Output"),
 * independent of a machine. */
#ifndef PTXI_INTERP_RUNTIME_PRINTF_H
#define PTXI_INTERP_RUNTIME_PRINTF_H
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* Source of the arguments. The functions return false when the bytes cannot be read;
 * printf_format() then stops and returns -1. */
struct printf_source {
	void *self;
	/* Stores the next N (4 or 8) bytes of the packed argument struct, at an offset aligned
	 * to N, in *VALUE. */
	bool (*argument)(void *self, unsigned offset, unsigned n, uint64_t *value);
	/* One byte of a string that a %s argument points to. */
	bool (*byte)(void *self, uint64_t address, char *value);
};

/* Maximum number of arguments per call (CUDA's limit); further conversions are printed as
 * written. */
enum { PRINTF_MAX_ARGUMENTS = 32 };

/* Appends FORMAT (N bytes without NUL) with its arguments to OUT. Conversions that do not exist
 * (%n, %y, an incomplete %) are printed as written and take no argument. Returns the number of
 * arguments taken, or -1. */
int printf_format(
	struct text *out, const char *format, size_t n, const struct printf_source *source);

#endif
