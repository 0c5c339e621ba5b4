/* Memory from the system. If it is exhausted the process exits, so callers never check for NULL. */
#ifndef PTXI_BASE_MEMORY_H
#define PTXI_BASE_MEMORY_H
#include <ptxi/status.h>
#include <stddef.h>
#include <stdint.h>

/* Exit status of a process that runs out of memory. */
enum { MEMORY_STATUS = PTXI_UNDECIDED };
/* Prints a message on stderr and exits with MEMORY_STATUS. */
_Noreturn void memory_out(void);
/* realloc that never returns NULL (size 0 is treated as 1). */
void *memory_resize(void *old, size_t size);
/* Allocates COUNT zeroed elements of SIZE bytes; overflow is checked. Free with free(). */
void *memory_zeroed(size_t count, size_t size);
/* Bytes of physical memory of this machine. */
uint64_t memory_physical(void);
/* Limits this process to BYTES of data (where the system supports it; not with a sanitizer, which
 * reserves terabytes). */
void memory_bound(uint64_t bytes);
/* Keeps freed blocks of ordinary size for reuse instead of returning them to the system, for
 * processes that create and free the same things thousands of times. */
void memory_keep(void);

#endif
