/* The one place where the process ends for want of memory. */
#include "base/memory.h"
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void memory_out(void)
{
	static const char message[] = "ptxi: out of memory\n";
	ssize_t written = write(2, message, sizeof message - 1);

	(void)written;
	_exit(70);
}

enum { HUGE_PAGE = 1 << 21 };

/* The first touch of each page of 4 kB costs more than what is written there: whole huge pages inside a large block are asked for. */
static void *large(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t begin = ((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1), end = ((uintptr_t)p + size) & ~(uintptr_t)(HUGE_PAGE - 1);

	if (end > begin)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#endif
	return p;
}

void *memory_resize(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		memory_out();
	return size >= 2 * HUGE_PAGE ? large(p, size) : p;
}

void *memory_zeroed(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		memory_out();
	return p;
}
