/* How an instruction accesses memory: the lanes' addresses, the host memory that each of them
 * denotes, and element and register accesses. Internal to exec_mem.c, exec_atom.c and their
 * helpers.
 *
 * Global memory is shared between host threads: its bytes are read and written by relaxed
 * atomics of the natural size. The block paths move whole rows at a time, which x86-64 splits
 * into accesses no smaller than an aligned 8 bytes; they are off under ThreadSanitizer. */
#ifndef PTXI_INTERP_ACCESS_H
#define PTXI_INTERP_ACCESS_H
#include "interp/memory/memory.h"
#include "interp/state/keeper.h"
#include "interp/state/state.h"
#include <string.h>

#if defined(__SANITIZE_THREAD__)
#define ACCESS_BLOCKS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ACCESS_BLOCKS 0
#endif
#endif
#ifndef ACCESS_BLOCKS
#define ACCESS_BLOCKS 1
#endif

/* The part of an address that is not in a register. */
static inline uint64_t access_constant(const struct warp *w, const struct op *op)
{
	uint64_t add = (uint64_t)op->access.add;

	switch ((enum op_base)op->access.base) {
	case BASE_PLAIN: return add;
	case BASE_FRAME: return add + w->frame->local_base;
	case BASE_DYNAMIC: return add + w->cta->launch->code->shared_end;
	}
	return add;
}

/* Index into machine_stats.bytes_*. */
static inline unsigned access_space_index(uint16_t space)
{
	switch (space) {
	case W_global: return 0;
	case W_shared: return 1;
	case W_local: return 2;
	case W_const: return 3;
	case W_param: return 4;
	default: return 5;
	}
}

/* The memory that the lanes of an instruction access. */
struct access {
	uint64_t address[LANES]; /* as computed, in the instruction's state space */
	uint64_t offset[LANES];  /* after generic resolution: as observers get it */
	uint8_t *host[LANES];
	uint8_t *defined[LANES]; /* shadow bytes, or NULL */
	uint16_t space[LANES];   /* W_global, W_shared, W_local, W_const, W_param */
};

enum access_how { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_ATOMIC = 4 };

/* ADDRESS[LANES]: the address of each lane. Fills all lanes, not only those of MASK. */
void access_addresses(const struct warp *w, const struct op *op, uint32_t mask, uint64_t *address);
/* Resolves the addresses of the lanes of MASK for accesses of N bytes, whose alignment is the
 * largest power of two that divides N. HOW: a set of enum access_how. False after a fault. */
bool access_resolve(struct warp *w, const struct op *op, uint32_t mask, unsigned n, unsigned how,
	struct access *a);
/* Resolves one lane's N bytes at a generic address, for functions that ptxi provides. False,
 * without a fault, when they cannot be accessed. */
bool access_one(struct warp *w, unsigned lane, uint64_t address, unsigned n, unsigned how,
	struct access *a);
/* Raises the fault for an access by lane LANE of N bytes at ADDRESS in SPACE, of required
 * alignment ALIGN. */
void access_fault(struct warp *w, const struct op *op, unsigned lane, uint16_t space,
	uint64_t address, uint64_t n, unsigned align, unsigned how);
/* Reports the accesses to observers, one event per state space. */
void access_observe(struct warp *w, const struct op *op, uint32_t mask, unsigned n, unsigned how,
	const struct access *a);
/* Adds the bytes of the lanes of MASK to the statistics. */
void access_count(struct warp *w, uint32_t mask, unsigned n, unsigned how, const struct access *a);

/* One element of N = 1, 2, 4, 8 bytes. ORDER is an __ATOMIC constant. */
static inline __attribute__((always_inline)) uint64_t element_load(
	const uint8_t *p, unsigned n, int order)
{
	switch (n) {
	case 1: return __atomic_load_n(p, order);
	case 2: return __atomic_load_n((const uint16_t *)(const void *)p, order);
	case 4: return __atomic_load_n((const uint32_t *)(const void *)p, order);
	default: return __atomic_load_n((const uint64_t *)(const void *)p, order);
	}
}

static inline __attribute__((always_inline)) void element_store(
	uint8_t *p, uint64_t v, unsigned n, int order)
{
	switch (n) {
	case 1: __atomic_store_n(p, (uint8_t)v, order); break;
	case 2: __atomic_store_n((uint16_t *)(void *)p, (uint16_t)v, order); break;
	case 4: __atomic_store_n((uint32_t *)(void *)p, (uint32_t)v, order); break;
	default: __atomic_store_n((uint64_t *)(void *)p, v, order); break;
	}
}

/* Stores NOW at AT if OLD is there, in one step; returns what was there. 2, 4 or 8 bytes. */
static inline uint64_t element_swap(uint8_t *at, unsigned n, uint64_t old, uint64_t now)
{
	uint16_t h = (uint16_t)old;
	uint32_t w = (uint32_t)old;

	switch (n) {
	case 2:
		__atomic_compare_exchange_n((uint16_t *)(void *)at, &h, (uint16_t)now, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return h;
	case 4:
		__atomic_compare_exchange_n((uint32_t *)(void *)at, &w, (uint32_t)now, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return w;
	default:
		__atomic_compare_exchange_n((uint64_t *)(void *)at, &old, now, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return old;
	}
}

/* Lane LANE of a register of N bytes per lane; N = 0: a predicate. */
static inline uint64_t register_get(const void *lanes, unsigned lane, unsigned n)
{
	const unsigned char *p = (const unsigned char *)lanes + lane * n;
	uint64_t v = 0;

	switch (n) {
	case 0: return *(const uint32_t *)lanes >> lane & 1;
	case 1: return *p;
	case 2: return *(const uint16_t *)(const void *)p;
	case 4: return *(const uint32_t *)(const void *)p;
	default: memcpy(&v, p, 8); return v;
	}
}

static inline void register_set(void *lanes, unsigned lane, unsigned n, uint64_t v)
{
	unsigned char *p = (unsigned char *)lanes + lane * n;

	switch (n) {
	case 0:
		*(uint32_t *)lanes = (*(uint32_t *)lanes & ~(1u << lane)) |
			(uint32_t)(v & 1) << lane;
		break;
	case 1: *p = (uint8_t)v; break;
	case 2: *(uint16_t *)(void *)p = (uint16_t)v; break;
	case 4: *(uint32_t *)(void *)p = (uint32_t)v; break;
	case 16:
		memset(p + 8, 0, 8);
		memcpy(p, &v, 8);
		break;
	default: memcpy(p, &v, 8); break;
	}
}

static inline uint64_t sign_extend(uint64_t v, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (uint64_t)((int64_t)(v << shift) >> shift);
}

static inline unsigned lanes_of(uint32_t mask)
{
	return mask == UINT32_MAX ? 32u : (unsigned)__builtin_popcount(mask);
}

/* Each thread's local memory is contiguous. With --check=init, the shadows of the 32 threads
 * follow their memories: a nonzero byte was written. */
static inline uint8_t *memory_local_at(const struct warp *w, unsigned lane)
{
	return w->local + (size_t)lane * w->local_bytes;
}
static inline uint8_t *memory_local_defined(const struct warp *w, unsigned lane)
{
	return (w->machine->options.checks & CHECK_INIT) && w->local
		? w->local + (size_t)(LANES + lane) * w->local_bytes
		: NULL;
}

extern const struct keeper memory_local_keeper;

/* Whether no other worker can access global memory. */
static inline bool machine_alone(const struct machine *m) { return m->nworkers <= 1; }

#endif
