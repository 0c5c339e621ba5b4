/* Encoding numbers and bytes of an object. */
#include "ir/object_writer.h"

char *object_number_long(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

void object_put(struct text *t, uint64_t v) { object_end(t, object_number(object_room(t, 1), v)); }

void object_put_u64(struct text *t, uint64_t v)
{
	char buf[8];

	for (unsigned i = 0; i < 8; i++)
		buf[i] = (char)(v >> (8 * i));
	text_add(t, buf, 8);
}

void object_put_bytes(struct text *t, const void *p, size_t n)
{
	if (n)
		text_add(t, p, n);
}
