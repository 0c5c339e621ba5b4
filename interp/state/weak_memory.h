/* The functions that a machine with --memory=weak calls in the sampler (weak/), a higher layer
 * that passes in this table. A machine with --memory=fast uses none of them: bind.c selects
 * other functions, and warp_loop() another loop. */
#ifndef PTXI_INTERP_WEAK_MEMORY_H
#define PTXI_INTERP_WEAK_MEMORY_H
#include "interp/state/state.h"

struct copy_part;
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
