/* The functions that a machine with --memory=weak calls in the sampler (weak/), a higher layer
 * that passes in this table. A machine with --memory=fast uses none of them: bind.c selects
 * other functions, and warp_loop() another loop. */
#ifndef PTXI_INTERP_WEAK_MEMORY_H
#define PTXI_INTERP_WEAK_MEMORY_H
#include "interp/state/state.h"

struct copy_part;
enum { WEAK_READABLE = 8 };
struct weak_memory {
	/* for memory that other threads may access: .shared, .global and generic addresses */
	exec_fn *ld, *st, *atom;
	enum flow (*run)(struct warp *w, uint32_t *left); /* like run_plain (warp.h) */
	/* N bytes at HOST were written without messages. */
	void (*overwritten)(struct weak *k, uint8_t *host, uint64_t n);
	/* N bytes at HOST are allocated anew: writes before that can no longer be read. */
	void (*forget)(struct weak *k, uint8_t *host, uint64_t n);
	/* P has read the newest bytes of its source into p->data; or P is discarded. */
	void (*fetched)(struct weak *k, struct copy_part *p);
	void (*dropped)(struct copy_part *p);
	/* The host has waited for all launches. */
	void (*settle)(struct weak *k);
	/* For a debugger; both change nothing. The values that lane LANE of W may read next in the
	 * N bytes at HOST (a power of two, aligned), from the oldest to the newest: how many.
	 * *UNDEFINED: set of those that were never written. */
	unsigned (*readable)(struct weak *k, const struct warp *w, unsigned lane, uint8_t *host,
		unsigned n, uint64_t value[WEAK_READABLE][2], uint32_t *undefined);
	/* The lanes whose register of WIDTH bytes (0: a predicate) at REG an operation will write
	 * that has been issued and not executed. */
	uint32_t (*unread)(const struct warp *w, unsigned char *reg, unsigned width);
};

static inline void weak_memory_overwritten(const struct machine *m, uint8_t *host, uint64_t n)
{
	if (m->weak)
		m->weak_memory->overwritten(m->weak, host, n);
}
static inline void weak_memory_forget(const struct machine *m, uint8_t *host, uint64_t n)
{
	if (m->weak)
		m->weak_memory->forget(m->weak, host, n);
}
static inline void weak_memory_fetched(const struct machine *m, struct copy_part *p)
{
	if (m->weak)
		m->weak_memory->fetched(m->weak, p);
}
static inline void weak_memory_dropped(const struct machine *m, struct copy_part *p)
{
	if (m->weak_memory) /* the sampler may be detached already */
		m->weak_memory->dropped(p);
}

#endif
