/* The one place where the process ends for want of memory. */
#include "base/memory.h"
#include <stdlib.h>
#include <unistd.h>

_Noreturn void memory_out(void)
{
	static const char message[] = "ptxi: out of memory\n";
	ssize_t written = write(2, message, sizeof message - 1);

	(void)written;
	_exit(70);
}

void *memory_resize(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		memory_out();
	return p;
}

void *memory_zeroed(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		memory_out();
	return p;
}
