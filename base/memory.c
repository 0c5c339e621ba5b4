/* Blocks from malloc. If there is none left, the call of the library or the command ends
 * (base/guard.h). */
#include "base/memory.h"
#include "base/guard.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define HEAP_KNOWN 1 /* mallinfo2() */
#endif
#endif
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

_Noreturn void memory_out(void) { guard_fail(FAILURE_MEMORY, "out of memory"); }

/* Requests huge pages for the aligned part of the SIZE bytes at P. */
static void *in_huge_pages(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t begin = ((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1),
		  end = ((uintptr_t)p + size) & ~(uintptr_t)(HUGE_PAGE - 1);

	if (p && end > begin)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#endif
	return p;
}

/* What a block has room for, if that is known. */
static size_t room_of(void *p)
{
#ifdef __GLIBC__
	return p ? malloc_usable_size(p) : 0;
#else
	return p ? SIZE_MAX : 0;
#endif
}

/* A new block consists of huge pages only (the unused rest of the last one is lost). One that grows
 * becomes a new one: the system does not move blocks that are partly in huge pages. */
static void *resize_large(void *old, size_t size)
{
	size_t whole = (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1), room = room_of(old);
	void *p;

	if (whole < size || size <= room)
		return in_huge_pages(realloc(old, size), size);
	p = in_huge_pages(aligned_alloc(HUGE_PAGE, whole), whole);
	if (p && old) {
		memcpy(p, old, room);
		free(old);
	}
	return p;
}

static void *zeroed(size_t count, size_t size)
{
	return in_huge_pages(calloc(count, size), count * size);
}

/* The least size of blocks that are aligned to huge pages, if it is not that of such a page: the
 * heap of this thread consists of them (memory_expect). */
static _Thread_local size_t least_aligned;

static void *resize(void *old, size_t size)
{
	return size >= HUGE_PAGE && size >= least_aligned ? resize_large(old, size)
							  : realloc(old, size ? size : 1);
}

static void *resize_watched(void *old, size_t size)
{
	void *p = NULL;

	guard_check();
	/* the list is changed while OLD still exists: another thread may get its address next */
	if (guard_allows() && guard_note(old, NULL))
		p = resize(old, size);
	if (!p) {
		if (old)
			guard_note(NULL, old);
		return NULL;
	}
	if (guard_note(NULL, p))
		return p;
	free(p);
	return NULL;
}

void *memory_resize(void *old, uint64_t size)
{
	void *p = NULL;

	if (size <= SIZE_MAX)
		p = guard_watches ? resize_watched(old, (size_t)size) : resize(old, (size_t)size);
	if (!p)
		memory_out();
	return p;
}

static void *zeroed_watched(size_t count, size_t size)
{
	void *p;

	guard_check();
	p = guard_allows() ? zeroed(count, size) : NULL;
	if (!p || guard_note(NULL, p))
		return p;
	free(p);
	return NULL;
}

void *memory_try_zeroed(uint64_t count, uint64_t size)
{
	count = count ? count : 1;
	size = size ? size : 1;
	if (count > SIZE_MAX / size)
		return NULL;
	return guard_watches ? zeroed_watched((size_t)count, (size_t)size)
			     : zeroed((size_t)count, (size_t)size);
}

void *memory_zeroed(uint64_t count, uint64_t size)
{
	void *p = memory_try_zeroed(count, size);

	if (!p)
		memory_out();
	return p;
}

void memory_drop(void *p)
{
	if (guard_watches && p)
		guard_note(p, NULL);
	free(p);
}

void memory_keep(void)
{
#ifdef __GLIBC__
	enum { KEEP = 64 << 20, LARGE = 4 << 20 };

	mallopt(M_TRIM_THRESHOLD, KEEP);
	mallopt(M_MMAP_THRESHOLD, LARGE);
#endif
}

void memory_expect(uint64_t bytes)
{
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE) && !defined(SANITIZED)
	/* The heap is extended once, by more than the text needs: pages that are not used cost
	 * nothing. Blocks that grow to many pages are better moved by the system. */
	enum { ROOM = 8, LEAST = 4 << 20, FEW = 16 << 20, MORE = 256 << 10 };
	size_t most = bytes < FEW ? (size_t)bytes * 2 : HUGE_PAGE,
	       room = bytes < LEAST / ROOM ? LEAST
		: bytes < FEW              ? (size_t)bytes * ROOM
					   : FEW;
	uintptr_t at, huge, end;
	void *gap;

	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	mallopt(M_MMAP_THRESHOLD, most < HUGE_PAGE ? HUGE_PAGE : (int)most);
	mallopt(M_TOP_PAD, (int)room);
	gap = malloc(MORE); /* extends it */
	at = (uintptr_t)gap;
	end = (uintptr_t)sbrk(0);
	huge = (at + MORE + HUGE_PAGE) & ~(uintptr_t)(HUGE_PAGE - 1);
	if (!gap || at > end || huge > end)
		return;
	/* what is free before the first huge page is not used */
	gap = realloc(gap, huge - at - 64);
	in_huge_pages((void *)huge, end - huge);
	least_aligned = gap ? most : 0;
#else
	(void)bytes;
#endif
}

void memory_settle(uint64_t bytes)
{
#if defined(HEAP_KNOWN) && defined(MADV_NOHUGEPAGE) && !defined(SANITIZED)
	/* so much in small pages costs little: less if the system provides them at once */
	enum { HARDLY = HUGE_PAGE / 5 * 2, SMALL = 4096 };
	uintptr_t top, used;

	if (!least_aligned || bytes > INT32_MAX)
		return;
	top = (uintptr_t)sbrk(0) - mallinfo2().keepcost + (uintptr_t)bytes;
	used = top & (HUGE_PAGE - 1);
	if (used >= HARDLY)
		return;
	madvise((void *)(top - used), HUGE_PAGE, MADV_NOHUGEPAGE);
#ifdef MADV_POPULATE_WRITE
	madvise((void *)(top - used), used / SMALL * SMALL, MADV_POPULATE_WRITE);
#endif
#else
	(void)bytes;
#endif
}

void memory_return(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

uint64_t memory_physical(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || size <= 0)
		return (uint64_t)1 << 30;
	return (uint64_t)pages * (uint64_t)size;
}

void memory_bound(uint64_t bytes)
{
#if defined(RLIMIT_DATA) && !defined(SANITIZED)
	struct rlimit r;

	if (getrlimit(RLIMIT_DATA, &r) != 0 || (r.rlim_cur != RLIM_INFINITY && r.rlim_cur <= bytes))
		return;
	r.rlim_cur = bytes;
	setrlimit(RLIMIT_DATA, &r);
#else
	(void)bytes;
#endif
}
