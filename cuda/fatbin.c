/* Reads fat binaries. A container is a header of 16 bytes and entries, each with a header of its
 * own and a payload, which may be compressed. Numbers are little-endian. */
#include "cuda/fatbin.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u

enum {
	CONTAINER_HEADER = 16,
	ENTRY_HEADER = 64,
	KIND_PTX = 1,
	COMPRESSED_LZ4 = 0x2000,
	COMPRESSED_ZSTD = 0x8000,
	MOST = 1 << 30, /* bytes of a module */
};

struct entry {
	unsigned kind, sm;
	uint64_t flags;
	const unsigned char *payload;
	uint64_t room, compressed, raw; /* bytes of the payload, and of what is in it */
};

static uint64_t number(const unsigned char *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | at[bytes];
	return value;
}

bool fatbin_is(const void *image)
{
	/* text may be shorter than a magic number, and ends with a NUL */
	return strncmp(image, "\xb1\x43\x62\x46", 4) == 0 ||
		strncmp(image, "\x50\xed\x55\xba", 4) == 0;
}

/* The entry at AT, of which LEFT bytes are in the container; 0: it is damaged, otherwise its
 * size. */
static uint64_t read_entry(const unsigned char *at, uint64_t left, struct entry *e)
{
	uint64_t header;

	if (left < ENTRY_HEADER)
		return 0;
	header = number(at + 4, 4);
	*e = (struct entry){.kind = (unsigned)number(at, 2),
		.room = number(at + 8, 8),
		.compressed = number(at + 16, 4),
		.sm = (unsigned)number(at + 28, 4),
		.flags = number(at + 40, 8),
		.raw = number(at + 56, 8)};
	if (header < ENTRY_HEADER || header > left || e->room > left - header ||
		e->compressed > e->room)
		return 0;
	e->payload = at + header;
	return header + e->room;
}

/* Whether A is for SM rather than B. */
static bool suits_better(const struct entry *a, const struct entry *b, unsigned sm)
{
	if ((a->sm <= sm) != (b->sm <= sm))
		return a->sm <= sm;
	/* of those for one target the last: sm_90a follows sm_90 */
	return a->sm <= sm ? a->sm >= b->sm : a->sm < b->sm;
}

static void *find_function(const char *library, const char *name)
{
	void *l = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	return l ? dlsym(l, name) : NULL;
}

static bool unpack_zstd(const struct entry *e, char *to, const char **why)
{
	size_t (*decompress)(void *to, size_t room, const void *from, size_t n);
	void *f = find_function("libzstd.so.1", "ZSTD_decompress");

	if (!f) {
		*why = "it is compressed, and libzstd.so.1 is not installed";
		return false;
	}
	memcpy(&decompress, &f, sizeof f);
	*why = "its compressed PTX is damaged";
	return decompress(to, (size_t)e->raw, e->payload, (size_t)e->compressed) == e->raw;
}

static bool unpack_lz4(const struct entry *e, char *to, const char **why)
{
	int (*decompress)(const char *from, char *to, int n, int room);
	void *f = find_function("liblz4.so.1", "LZ4_decompress_safe");

	if (!f) {
		*why = "it is compressed, and liblz4.so.1 is not installed";
		return false;
	}
	memcpy(&decompress, &f, sizeof f);
	*why = "its compressed PTX is damaged";
	return e->compressed <= INT32_MAX &&
		decompress((const char *)e->payload, to, (int)e->compressed, (int)e->raw) ==
		(int)e->raw;
}

static char *unpack(const struct entry *e, size_t *n, const char **why)
{
	bool packed = (e->flags & (COMPRESSED_ZSTD | COMPRESSED_LZ4)) != 0;
	uint64_t size = packed ? e->raw : e->room;
	char *text;

	*why = "it is too large";
	text = size <= MOST ? calloc(1, (size_t)size + 1) : NULL;
	if (!text)
		return NULL;
	if (!packed)
		memcpy(text, e->payload, (size_t)size);
	if (packed &&
		!(e->flags & COMPRESSED_ZSTD ? unpack_zstd(e, text, why)
					     : unpack_lz4(e, text, why))) {
		free(text);
		return NULL;
	}
	*n = strlen(text); /* the text ends with a NUL, or is padded with them */
	return text;
}

const void *const *fatbin_parts(const void *image)
{
	const void *const *list;

	if (number(image, 4) != WRAPPER_MAGIC || number((const unsigned char *)image + 4, 4) != 2)
		return NULL;
	memcpy(&list, (const unsigned char *)image + 16, sizeof list);
	return list;
}

char *fatbin_ptx(const void *image, size_t room, unsigned sm, size_t *n, const char **why)
{
	const unsigned char *at = image;
	struct entry e, best = {0};
	uint64_t left, size;

	*why = "it is damaged";
	if (number(at, 4) == WRAPPER_MAGIC) {
		if (number(at + 4, 4) != 1 || room)
			return NULL; /* in a file, addresses mean nothing */
		memcpy(&at, at + 8, sizeof at);
	}
	if (number(at, 4) != CONTAINER_MAGIC || number(at + 6, 2) < CONTAINER_HEADER)
		return NULL;
	left = number(at + 8, 8);
	size = number(at + 6, 2);
	if (room && (size > room || left > room - size))
		return NULL;
	at += size;
	for (; left; at += size, left -= size) {
		size = read_entry(at, left, &e);
		if (!size)
			return NULL;
		if (e.kind == KIND_PTX && (!best.kind || suits_better(&e, &best, sm)))
			best = e;
	}
	*why = "it has machine code only; compile it with -arch=sm_NN, or with PTX: "
	       "code=[sm_NN,compute_NN]";
	return best.kind ? unpack(&best, n, why) : NULL;
}
