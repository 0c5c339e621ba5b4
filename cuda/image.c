/* What is in a module that a program hands to the driver. The result of linking is the images that
 * were linked, one after another: they are linked again when it is loaded. */
#include "cuda/image.h"
#include "cuda/fatbin.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACK_MAGIC "\177PTXL\r\n\032"
enum {
	MAGIC = 8,
	PACK_HEADER = MAGIC + 16, /* then u64 bytes in all, u64 images; of each name and bytes */
	MOST = 1 << 30,
	MOST_IMAGES = 1 << 16,
};

/* Memory of images. */
struct owned {
	struct owned *next;
	_Alignas(16) char bytes[];
};

/* N bytes at BYTES and a NUL; NULL: no memory. */
static char *own(struct images *i, const void *bytes, size_t n)
{
	struct owned *o = malloc(sizeof *o + n + 1);

	if (!o)
		return NULL;
	o->next = i->owned;
	i->owned = o;
	if (n)
		memcpy(o->bytes, bytes, n);
	o->bytes[n] = '\0';
	return o->bytes;
}

void images_free(struct images *i)
{
	struct owned *next;

	for (; i->owned; i->owned = next) {
		next = i->owned->next;
		free(i->owned);
	}
	free(i->of);
	*i = (struct images){0};
}

static CUresult refuse(CUresult r, const char *why)
{
	fprintf(stderr, "ptxi: the module cannot be loaded: %s\n", why);
	return r;
}

static CUresult add(struct images *i, const void *bytes, size_t n, const char *name, bool copy)
{
	if (i->n == MOST_IMAGES)
		return refuse(CUDA_ERROR_INVALID_IMAGE, "it has too many parts");
	if (i->n == i->room) {
		unsigned room = i->room ? 2 * i->room : 4;
		struct ptxi_image *more = realloc(i->of, room * sizeof *more);

		if (!more)
			return CUDA_ERROR_OUT_OF_MEMORY;
		i->of = more;
		i->room = room;
	}
	name = own(i, name, strlen(name));
	bytes = copy ? own(i, bytes, n) : bytes;
	if (!name || !bytes)
		return CUDA_ERROR_OUT_OF_MEMORY;
	i->of[i->n++] = (struct ptxi_image){name, bytes, n};
	return CUDA_SUCCESS;
}

/* --- fat binaries --- */

static CUresult add_container(struct images *i, const void *image, size_t n, const char *name)
{
	struct ptxi_properties p;
	const char *why;
	char *text;
	size_t length;
	CUresult r;

	ptxi_get_properties(driver_device(), &p);
	text = fatbin_ptx(image, n, p.major * 10 + p.minor, &length, &why);
	if (!text) {
		fprintf(stderr, "ptxi: the fat binary cannot be loaded: %s\n", why);
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	r = add(i, text, length, name, true);
	free(text);
	return r;
}

/* A program's own, or several that were compiled to be linked (-rdc=true). */
static CUresult add_fatbin(struct images *i, const void *image, size_t n, const char *name)
{
	/* what comes from a file has no addresses of others */
	const void *const *part = n ? NULL : fatbin_parts(image);
	CUresult r = CUDA_SUCCESS;
	char own_name[200];

	if (!part)
		return add_container(i, image, n, name);
	i->linked = true;
	for (unsigned k = 0; part[k] && !r; k++) {
		snprintf(own_name, sizeof own_name, "%s.%u", name, k + 1);
		r = add_container(i, part[k], 0, own_name);
	}
	return r;
}

/* --- the result of linking --- */

static void put(char **at, const void *bytes, uint64_t n)
{
	memcpy(*at, &n, sizeof n);
	memcpy(*at + sizeof n, bytes, (size_t)n);
	*at += sizeof n + n;
}

void *images_pack(const struct images *i, size_t *n)
{
	uint64_t size = PACK_HEADER, count = i->n;
	char *pack, *at;

	for (unsigned k = 0; k < i->n; k++)
		size += 16 + strlen(i->of[k].name) + i->of[k].size;
	pack = malloc((size_t)size);
	if (!pack)
		return NULL;
	memcpy(pack, PACK_MAGIC, MAGIC);
	memcpy(pack + MAGIC, &size, 8);
	memcpy(pack + MAGIC + 8, &count, 8);
	at = pack + PACK_HEADER;
	for (unsigned k = 0; k < i->n; k++) {
		put(&at, i->of[k].name, strlen(i->of[k].name));
		put(&at, i->of[k].bytes, i->of[k].size);
	}
	*n = (size_t)size;
	return pack;
}

/* The next item of a pack, of which LEFT bytes are left. NULL: it is damaged. */
static const char *take(const char **at, uint64_t *left, uint64_t *n)
{
	const char *item;

	if (*left < 8)
		return NULL;
	memcpy(n, *at, 8);
	if (*n > *left - 8)
		return NULL;
	item = *at + 8;
	*at += 8 + *n;
	*left -= 8 + *n;
	return item;
}

static CUresult add_pack(struct images *i, const char *pack, size_t n, bool copy)
{
	uint64_t left, count, name_size, size;
	const char *at = pack + PACK_HEADER, *name, *bytes;
	char own_name[200];
	CUresult r = CUDA_SUCCESS;

	if (n && n < PACK_HEADER)
		return refuse(CUDA_ERROR_INVALID_IMAGE, "it is damaged");
	memcpy(&left, pack + MAGIC, 8);
	memcpy(&count, pack + MAGIC + 8, 8);
	if (left < PACK_HEADER || (n && left > n))
		return refuse(CUDA_ERROR_INVALID_IMAGE, "it is damaged");
	left -= PACK_HEADER;
	i->linked = true;
	for (uint64_t k = 0; k < count && !r; k++) {
		name = take(&at, &left, &name_size);
		bytes = name ? take(&at, &left, &size) : NULL;
		if (!bytes)
			return refuse(CUDA_ERROR_INVALID_IMAGE, "it is damaged");
		snprintf(own_name, sizeof own_name, "%.*s",
			(int)(name_size < sizeof own_name ? name_size : sizeof own_name), name);
		r = add(i, bytes, (size_t)size, own_name, copy);
	}
	return r;
}

CUresult images_add(struct images *i, const void *bytes, size_t n, const char *name, bool copy)
{
	/* text may be shorter than a magic number, and ends with a NUL */
	size_t known = n ? n : SIZE_MAX;

	if (known >= 4 && strncmp(bytes, "\177ELF", 4) == 0) {
		fputs("ptxi: the module has machine code only; compile it to PTX (-ptx, or "
		      "code=[sm_NN,compute_NN])\n",
			stderr);
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	if (known >= MAGIC && strncmp(bytes, PACK_MAGIC, MAGIC) == 0)
		return add_pack(i, bytes, n, copy);
	if (known >= 24 && fatbin_is(bytes))
		return add_fatbin(i, bytes, n, name);
	if (!n || *(const char *)bytes == '\177')
		n = ptxi_image_size(bytes, n);
	else /* text of a known size may end with a NUL */
		while (n && !((const char *)bytes)[n - 1])
			n--;
	if (n > MOST)
		return refuse(CUDA_ERROR_INVALID_IMAGE, "it has more than 1 GiB");
	return add(i, bytes, n, name, copy);
}

char *image_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t room = 0;

	*n = 0;
	while (f && !feof(f) && !ferror(f)) {
		char *more;

		room = 2 * room + 4096;
		more = realloc(text, room);
		if (!more)
			break;
		text = more;
		*n += fread(text + *n, 1, room - *n - 1, f);
		text[*n] = '\0';
	}
	if (!f || ferror(f) || !feof(f)) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

/* --- logs --- */

void logs_read(struct logs *l, unsigned count, const int *options, void **values)
{
	*l = (struct logs){0};
	for (unsigned k = 0; k < count; k++) {
		size_t number = (uintptr_t)values[k] & UINT32_MAX;

		switch (options[k]) {
		case CU_JIT_INFO_LOG_BUFFER: l->info = values[k]; break;
		case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
			l->info_room = number;
			l->info_size = &values[k];
			break;
		case CU_JIT_ERROR_LOG_BUFFER: l->error = values[k]; break;
		case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
			l->error_room = number;
			l->error_size = &values[k];
			break;
		default: break; /* what a compiler does with registers or optimisation */
		}
	}
}

void logs_write(struct logs *l, bool failed)
{
	char *to = failed ? l->error : l->info;
	size_t room = failed ? l->error_room : l->info_room;

	if (l->info && l->info_room)
		*l->info = '\0';
	if (l->error && l->error_room)
		*l->error = '\0';
	if (to && room)
		driver_print(to, room);
	else
		driver_print(NULL, 0);
	if (l->info_size)
		*l->info_size = (void *)(l->info && l->info_room ? strlen(l->info) : 0);
	if (l->error_size)
		*l->error_size = (void *)(l->error && l->error_room ? strlen(l->error) : 0);
}
