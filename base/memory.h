/* Memory from the system, or the end of the process: no caller checks for NULL. */
#ifndef PTXI_BASE_MEMORY_H
#define PTXI_BASE_MEMORY_H
#include <stddef.h>

/* Says so on stderr and ends the process with status 70. */
_Noreturn void memory_out(void);
/* realloc that never returns NULL (a size of 0 is taken as 1). */
void *memory_resize(void *old, size_t size);
/* COUNT zeroed elements of SIZE bytes; the product is checked. */
void *memory_zeroed(size_t count, size_t size);
/* Freed memory of ordinary size is kept for the next that asks, and not given back to the system: for who makes and unmakes the same thing thousands of times. */
void memory_keep(void);

#endif
