/* Fat binaries: what compilers put into programs, modules of several kinds and targets in one. */
#ifndef PTXI_CUDA_FATBIN_H
#define PTXI_CUDA_FATBIN_H
#include <stdbool.h>
#include <stddef.h>

/* Whether IMAGE begins as a fat binary, or as the wrapper of one. */
bool fatbin_is(const void *image);
/* The fat binaries that the wrapper IMAGE lists, up to NULL: they are to be linked. NULL: it is no
 * such wrapper. */
const void *const *fatbin_parts(const void *image);
/* The PTX for a device of compute capability SM (90): that for the highest target up to it, else
 * for the lowest above. IMAGE has ROOM bytes (0: as many as it says). The result ends with a NUL,
 * *N bytes before; free() it. NULL: WHY says why there is none. */
char *fatbin_ptx(const void *image, size_t room, unsigned sm, size_t *n, const char **why);

#endif
