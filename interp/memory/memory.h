/* The address space of a machine: every buffer and every module variable is an allocation of its
 * own, so that one byte past its end is nobody's byte.
 *
 * Generic addresses have 47 bits. The high bits name a slot of 4 GiB, an allocation takes one or
 * more slots, and its first byte lies MEMORY_BIAS bytes into the first of them, so that small
 * negative offsets still name the same allocation. A look-up is one table access. .const variables
 * lie in a window of 32-bit offsets (PTX lets a .const address be held in 32 bits), each on pages
 * of its own. Shared and local memory are windows too (PTX ISA 5.1): their bytes belong to CTAs and
 * threads, and are found by who executes. The tables change only between launches; while kernels
 * run they are const. */
#ifndef PTXI_INTERP_MEMORY_H
#define PTXI_INTERP_MEMORY_H
#include "base/arena.h"
#include "base/text.h"
#include "code/window.h"
#include <stdbool.h>
#include <stdint.h>

#define MEMORY_SLOTS 0x8000u /* 47 bits */
#define MEMORY_BIAS ((uint64_t)1 << 20)
#define MEMORY_FIRST_SLOT 0x0100u /* allocations from here: some 32,000 */

/* Below the windows (code/window.h). */
#define MEMORY_END_SLOT 0x7ff0u
#define MEMORY_CONST_PAGE 256u
#define MEMORY_CONST_PAGES 32768u /* 8 MiB of window: gaps included */
/* The first .const variable does not lie at offset 0, so that a null .const pointer is a fault. */
#define MEMORY_CONST_FIRST 1u

enum memory_kind {
	MEMORY_NOTHING,
	MEMORY_BUFFER,   /* made by the host */
	MEMORY_VARIABLE, /* .global of the module */
	MEMORY_CONSTANT, /* .const of the module: a kernel may not write it */
	/* what malloc on the device hands out; blocks inside have bounds of their own */
	MEMORY_HEAP,
	MEMORY_WORKSPACE, /* behind %envreg1 and %envreg2 of a cooperative launch */
};

struct heap;

struct memory_block {
	uint64_t base; /* generic address of the first byte */
	uint64_t size; /* bytes */
	/* bytes that the block paths may read, write without a further question: size or 0 (device
	 * heap; .const) */
	uint64_t readable, writable;
	uint8_t *host;    /* [size], aligned to 256 */
	uint8_t *defined; /* [size] a set bit = it was written; NULL when nobody watches */
	uint8_t kind;     /* enum memory_kind */
	bool readonly;
	const char *name;
	uint32_t element;                 /* bytes of one, for messages; 0: not known */
	struct heap *heap;                /* of a MEMORY_HEAP */
	void *freed_host, *freed_defined; /* what free() gets */
};

/* The block where there is none, of size 0. */
extern const struct memory_block memory_nothing;

struct memory_table {
	struct memory_block *slot[MEMORY_SLOTS];             /* NULL where there is none */
	struct memory_block *const_page[MEMORY_CONST_PAGES]; /* the same */
};

struct memory {
	struct memory_block **slot, **const_page; /* of the table */
	struct memory_table *table;
	struct memory_block **block; /* [nblocks] all of them, in the order made */
	uint32_t nblocks, cap;
	uint32_t next_slot, next_page;
	uint64_t total, limit; /* bytes in use; at most this */
	bool watch;            /* new blocks get a shadow of defined bytes */
	struct arena arena;
	/* what malloc on the device hands out; NULL when the program has no malloc */
	struct memory_block *heap;
};

/* WATCH: keep the shadow of defined bytes (--check=init). */
void memory_begin(struct memory *m, bool watch);
void memory_end(struct memory *m);

/* A new zeroed allocation of SIZE bytes (0 is one that has no byte); its block, or NULL when there
 * is no room. INITIALISED: its bytes count as written. */
struct memory_block *memory_add(
	struct memory *m, enum memory_kind kind, uint64_t size, const char *name, bool initialised);

/* The allocation that ADDRESS lies in or names by its slot; the block memory_nothing (kind
 * MEMORY_NOTHING, size 0) when there is none. */
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

/* Host access while nothing runs; false unless all bytes are of one allocation. DEFINED (or NULL)
 * gets 1 for each byte that was ever written (always without WATCH). */
bool memory_copy_in(struct memory *m, uint64_t address, const void *data, uint64_t size);
bool memory_copy_out(
	struct memory *m, uint64_t address, void *data, uint64_t size, uint8_t *defined);

#endif
