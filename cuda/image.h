/* What a program hands to the driver as a module: PTX, an object, a fat binary, or the result of
 * linking; each stands for one or several texts or objects. And the logs of the calls that take
 * them. */
#ifndef PTXI_CUDA_IMAGE_H
#define PTXI_CUDA_IMAGE_H
#include "cuda/driver.h"

struct images {
	struct ptxi_image *of; /* [n] */
	unsigned n, room;
	bool linked; /* all names must have a definition */
	struct owned *owned;
};

/* Adds what is in the N bytes at BYTES (0: as many as it says itself; text ends with a NUL). NAME
 * is for messages. Otherwise a result, after a line on stderr says why; what was added before
 * remains. COPY: the bytes need not remain. */
CUresult images_add(struct images *i, const void *bytes, size_t n, const char *name, bool copy);
/* The result of linking I, which images_add() reads. NULL: no memory; free() it. */
void *images_pack(const struct images *i, size_t *n);
void images_free(struct images *i);

/* The bytes of a file, and a NUL; NULL: it cannot be read. */
char *image_file(const char *path, size_t *n);

struct logs {
	char *info, *error; /* or NULL */
	size_t info_room, error_room;
	void **info_size, **error_size; /* get how much was written */
};
void logs_read(struct logs *l, unsigned count, const int *options, void **values);
/* Messages about a module go to the log that it comes with; otherwise to where findings go. */
void logs_write(struct logs *l, bool failed);

#endif
