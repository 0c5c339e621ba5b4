/* Encoding numbers and bytes of an object. */
#include "ir/object_writer.h"

void object_put(struct text *t, uint64_t v)
{
	char *p = t->cap - t->len > 10 ? t->data + t->len : text_room(t, 10);
	unsigned n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (char)(v | 0x80);
	p[n++] = (char)v;
	p[n] = '\0';
	t->len += n;
}

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
