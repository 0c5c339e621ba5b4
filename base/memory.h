/* Memory from the system. If it is exhausted the call ends (base/guard.h), so callers never check
 * for NULL. */
#ifndef PTXI_BASE_MEMORY_H
#define PTXI_BASE_MEMORY_H
#include <ptxi/status.h>
#include <stddef.h>
#include <stdint.h>

/* Exit status of a command that runs out of memory. */
enum { MEMORY_STATUS = PTXI_UNDECIDED };
/* What the system gives at once for memory that is aligned to it: the first access to a page, of
 * whatever size, costs more than writing 4 KiB. */
enum { HUGE_PAGE = 1 << 21 };
/* Ends the call because memory is exhausted. */
_Noreturn void memory_out(void);
/* realloc that never returns NULL (size 0 is treated as 1). Free with memory_drop. Sizes are 64
 * bits wide on all machines: one that does not fit into the address space is memory that there is
 * not. */
void *memory_resize(void *old, uint64_t size);
/* Allocates COUNT zeroed elements of SIZE bytes; overflow is checked. Free with
 * memory_drop. */
void *memory_zeroed(uint64_t count, uint64_t size);
/* As memory_zeroed, but NULL if there is not enough memory. */
void *memory_try_zeroed(uint64_t count, uint64_t size);
/* Frees a block of memory_resize or memory_zeroed, or NULL. Every module below backend/ frees with
 * this function, because a guard keeps a list of blocks. */
void memory_drop(void *p);
/* Bytes of physical memory of this machine. */
uint64_t memory_physical(void);
/* Limits this process to BYTES of data (where the system supports it; not with a sanitizer, which
 * reserves terabytes). */
void memory_bound(uint64_t bytes);
/* A text of so many bytes will be read and what is made of it kept, by a process with nothing else
 * to do: blocks that together are large are in huge pages together. */
void memory_expect(uint64_t bytes);
/* All that is large has been allocated but BYTES more: the last page that this reaches is no huge
 * one if it is hardly used. */
void memory_settle(uint64_t bytes);
/* Returns freed blocks to the system, as far as it can. */
void memory_return(void);
/* Keeps freed blocks of ordinary size for reuse instead of returning them to the system, for
 * processes that create and free the same things thousands of times. */
void memory_keep(void);

#endif
