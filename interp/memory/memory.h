/* The address space of a machine: every buffer and every module variable is a separate
 * allocation, so an access one byte past its end is a fault.
 *
 * Generic addresses have 47 bits. The high bits name a slot of 4 GiB. An allocation occupies one
 * or more slots and begins MEMORY_BIAS bytes into the first, so that small negative offsets
 * still name the same allocation. A look-up is one table access. .const variables lie in a
 * window of 32-bit offsets (PTX allows a .const address to be held in 32 bits), each on its own
 * pages. Shared and local memory are windows as well (PTX ISA 5.1): their bytes belong to CTAs
 * and threads and depend on the accessing thread. The tables change only between launches; while
 * kernels run they are const.
 *
 * Slots and pages are used again, those that were freed first before others. Until then a freed
 * allocation keeps its name, size and place, so that an access to it can be reported as what it is.
 */
#ifndef PTXI_INTERP_MEMORY_H
#define PTXI_INTERP_MEMORY_H
#include "base/arena.h"
#include "base/text.h"
#include "code/window.h"
#include "texture/texture.h"
#include <stdbool.h>
#include <stdint.h>

#define MEMORY_SLOTS 0x8000u /* 47 bits */
#define MEMORY_BIAS ((uint64_t)1 << 20)
#define MEMORY_FIRST_SLOT 0x0100u /* first slot for allocations; about 32,000 slots */

/* The windows lie above this slot (code/window.h). */
#define MEMORY_END_SLOT 0x7ff0u
#define MEMORY_CONST_PAGE 256u
#define MEMORY_CONST_PAGES 32768u /* 8 MiB of window, gaps included */
/* The first .const variable is not at offset 0, so that a null .const pointer is a fault. */
#define MEMORY_CONST_FIRST 1u

enum memory_kind {
	MEMORY_NOTHING,
	MEMORY_BUFFER,   /* allocated by the host */
	MEMORY_VARIABLE, /* .global variable of the module */
	MEMORY_CONSTANT, /* .const variable of the module: kernels cannot write it */
	/* the heap of malloc on the device; each block inside has its own bounds */
	MEMORY_HEAP,
	MEMORY_WORKSPACE, /* the grid workspace of a cooperative launch (%envreg1, %envreg2) */
};

struct heap;

struct memory_block {
	uint64_t base; /* generic address of the first byte */
	uint64_t size; /* bytes */
	/* bytes that the block paths may read or write without further checks: size or 0 (device
	 * heap; .const) */
	uint64_t readable, writable;
	uint8_t *host;    /* [size], aligned to 256 */
	uint8_t *defined; /* [size] set bit: written; NULL without --check=init */
	uint8_t kind;     /* enum memory_kind */
	bool readonly;
	bool array; /* a buffer for texels, which messages call an array */
	char *name;
	uint32_t element;                 /* bytes of an array element, for messages; 0: unknown */
	struct heap *heap;                /* of a MEMORY_HEAP, else NULL */
	void *freed_host, *freed_defined; /* the pointers to pass to memory_drop() */
	/* NULL: it exists; otherwise, in words, where it was freed ("" if that is not known). Then
	 * its size is 0, and `had` is what it was */
	char *freed;
	uint64_t had;
	uint64_t cost;             /* bytes that count towards the limit */
	bool mapped;               /* the host has it at the same address: munmap() frees it */
	struct memory_block *next; /* of those that are not in use */
};

/* A texture or surface that kernels reach by HANDLE: a number that the machine chose, or the
 * address of a .texref or .surfref variable. */
struct memory_texture {
	uint64_t handle;
	struct texture texture;
};
/* Handles that the machine chooses are no addresses. */
#define MEMORY_FIRST_TEXTURE ((uint64_t)1 << 56)

/* Stands for "no allocation"; its size is 0. */
extern const struct memory_block memory_nothing;

struct memory_table {
	struct memory_block *slot[MEMORY_SLOTS];             /* NULL: no allocation */
	struct memory_block *const_page[MEMORY_CONST_PAGES]; /* the same */
};

struct memory {
	struct memory_block **slot, **const_page; /* point into `table` */
	struct memory_table *table;
	/* [nblocks] all blocks, in order of creation while none has been freed */
	struct memory_block **block;
	uint32_t nblocks, cap;
	struct memory_block *spare; /* blocks whose slots have other owners */
	uint32_t next_slot, next_page;
	uint64_t total, limit; /* bytes in use, and their limit */
	bool watch;            /* new blocks get a shadow of written bytes */
	struct arena arena;
	struct memory_texture *texture; /* [ntextures], sorted */
	uint32_t ntextures, texture_cap;
	uint64_t next_texture;
	/* the device heap; NULL when the program does not use malloc */
	struct memory_block *heap;
};

/* WATCH: keep shadows of written bytes (--check=init). */
void memory_begin(struct memory *m, bool watch);
void memory_end(struct memory *m);

/* A new zeroed allocation of SIZE bytes, which may be 0. NULL when it does not fit. INITIALISED:
 * its bytes count as written. */
struct memory_block *memory_add(
	struct memory *m, enum memory_kind kind, uint64_t size, const char *name, bool initialised);

/* As memory_add(). memory_adopt(): a buffer whose bytes are those at HOST, which stay the caller's.
 * memory_add_mapped(): the host has them at the same address; NULL also where the system does not
 * allow that. */
struct memory_block *memory_adopt(struct memory *m, void *host, uint64_t size, const char *name);
struct memory_block *memory_add_mapped(
	struct memory *m, enum memory_kind kind, uint64_t size, const char *name, bool initialised);
/* Frees B, which must exist. WHERE, in words ("main at a.cu:7"), is for messages. B remains what
 * memory_find() returns until its addresses are needed. */
void memory_remove(struct memory *m, struct memory_block *b, const char *where);

/* Makes T reachable by HANDLE, in place of what was; 0: by a new handle, which is returned. */
uint64_t memory_texture_put(struct memory *m, uint64_t handle, const struct texture *t);
/* The texture of HANDLE, or NULL. */
const struct texture *memory_texture_find(const struct memory *m, uint64_t handle);
/* Whether the machine has ever chosen HANDLE. */
bool memory_texture_was(const struct memory *m, uint64_t handle);
/* False: there was none. */
bool memory_texture_drop(struct memory *m, uint64_t handle);

/* The allocation that contains ADDRESS or owns its slot; &memory_nothing when there is none. */
static inline struct memory_block *memory_find(const struct memory *m, uint64_t address)
{
	uint64_t slot = address >> MEMORY_SLOT_SHIFT;

	struct memory_block *b = NULL;

	if (slot == MEMORY_CONST_WINDOW >> MEMORY_SLOT_SHIFT) {
		uint32_t page = (uint32_t)address / MEMORY_CONST_PAGE;

		b = m->const_page[page < MEMORY_CONST_PAGES ? page : 0];
	} else if (slot < MEMORY_SLOTS) {
		b = m->slot[slot];
	}
	return b ? b : (struct memory_block *)(uintptr_t)&memory_nothing;
}

/* Whether bytes [ADDRESS, ADDRESS + N) lie in B; N >= 1. */
static inline bool memory_inside(const struct memory_block *b, uint64_t address, uint64_t n)
{
	uint64_t offset = address - b->base;

	return offset < b->size && b->size - offset >= n;
}

/* Host access, only while no kernel runs. False unless all bytes are in one allocation. DEFINED
 * (or NULL) gets 1 for each byte that was ever written (always 1 without WATCH). */
bool memory_copy_in(struct memory *m, uint64_t address, const void *data, uint64_t size);
bool memory_copy_within(struct memory *m, uint64_t to, uint64_t from, uint64_t size);
bool memory_fill(
	struct memory *m, uint64_t address, const void *value, unsigned width, uint64_t count);
bool memory_copy_out(
	struct memory *m, uint64_t address, void *data, uint64_t size, uint8_t *defined);

#endif
