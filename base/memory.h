/* Memory from the system; ends the process when there is none, so no caller checks for NULL. */
#ifndef PTXI_BASE_MEMORY_H
#define PTXI_BASE_MEMORY_H
#include <ptxi/status.h>
#include <stddef.h>
#include <stdint.h>

/* Status of a process that has no more memory. */
enum { MEMORY_STATUS = PTXI_UNDECIDED };
/* Says so on stderr and ends the process with that status. */
_Noreturn void memory_out(void);
/* realloc that never returns NULL (a size of 0 is taken as 1). */
void *memory_resize(void *old, size_t size);
/* COUNT zeroed elements of SIZE bytes; the product is checked. */
void *memory_zeroed(size_t count, size_t size);
/* Bytes of memory that this machine has. */
uint64_t memory_physical(void);
/* From now on this process has BYTES at most for its data (where the system can tell; not under a
 * sanitizer, which takes terabytes for itself). */
void memory_bound(uint64_t bytes);
/* Freed memory of ordinary size is kept for the next that asks, and not given back to the system:
 * for who makes and unmakes the same thing thousands of times. */
void memory_keep(void);

#endif
