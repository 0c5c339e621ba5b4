/* Values in //@ expressions, and their conversion from and to elements of buffers: every scalar PTX
 * type, as bytes in little-endian memory. */
#ifndef PTXI_SCRIPT_SCALAR_H
#define PTXI_SCRIPT_SCALAR_H
#include "base/text.h"
#include "isa/vocab.h"
#include <stdbool.h>

/* An exact integer of 128 bits, or a double. */
struct value {
	bool is_float;
	__int128 i;
	double f;
};
struct value value_int(__int128 i);
struct value value_float(double f);
double value_double(struct value v);
bool value_true(struct value v);
/* Appends V as a JSON number, or as nan, inf or -inf, quoted if JSON is set. */
void value_print(struct value v, bool json, struct text *out);
/* Appends a 128-bit integer in decimal. */
void int128_print(__int128 i, struct text *out);

/* Whether a buffer, field or cast may have type T: every scalar of 8 to 128 bits; a packed type
 * counts as untyped bits of its size. */
bool scalar_usable(enum type t);
/* Whether elements of type T are read as doubles: f16 bf16 tf32 f32 f64 e4m3 e5m2. */
bool scalar_is_float(enum type t);
/* The usable type called NAME, without the dot ("u32"), or TYPE_NONE. */
enum type scalar_find(const char *name, size_t len);
/* The usable type whose name is nearest, for "did you mean"; NULL if none is near. */
const char *scalar_nearest(const char *name, size_t len);

struct value scalar_load(enum type t, const void *bytes);
/* Of N integers. */
struct scalar_survey {
	int64_t least, most, sum;
	uint64_t others; /* that are not 0 */
};
/* Looks at N > 0 integers of type T at BYTES; false: they have more than 4 bytes, are no integers,
 * or are so many that the sum might not fit. */
bool scalar_look(enum type t, const void *bytes, uint64_t n, struct scalar_survey *out);
enum scalar_fit {
	SCALAR_FITS,
	SCALAR_RANGE,    /* outside the type's range */
	SCALAR_FRACTION, /* a floating-point value for an integer type */
};
/* Unsigned and untyped integers accept -2^(n-1) to 2^n-1 (as an assembler does), signed ones
 * -2^(n-1) to 2^(n-1)-1. Floats round to nearest even and accept every value except a finite one
 * that overflows. A floating-point value for .b16, .b32 or .b64 is stored as f16, f32 or f64. BYTES
 * is written only if the value fits. */
enum scalar_fit scalar_store(enum type t, struct value v, void *bytes);
/* Converts as a C cast does: integers wrap, floats are truncated to integers. Out-of-range floats
 * saturate, and NaN gives 0. */
void scalar_cast(enum type t, struct value v, void *bytes);
/* Appends the type's range, such as "0 to 255", for messages. */
void scalar_range(enum type t, struct text *out);
/* Appends the shortest decimal that reads back as the same element. */
void scalar_print(enum type t, const void *bytes, bool json, struct text *out);

#endif
