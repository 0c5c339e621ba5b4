/* The rare ends of reading a number of an object: several bytes of it, or none. */
#include "ir/object_reader.h"

void object_fail(struct object_reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	r->p = r->end;
}

uint64_t object_get_long(struct object_reader *r)
{
	uint64_t v = 0;

	if (r->p >= r->end) {
		object_fail(r, "it ends too early");
		return 0;
	}
	for (unsigned shift = 0;; shift += 7) {
		uint64_t b;

		if (r->p >= r->end || shift > 63) {
			object_fail(r, "a number in it is malformed");
			return 0;
		}
		b = *r->p++;
		v |= (b & 0x7f) << shift;
		if (b < 0x80)
			return v;
	}
}
