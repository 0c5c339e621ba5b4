/* What a machine with --memory=weak asks of the sampler (weak/), which stands above it and hands
 * this table in. Nothing of it is touched by a machine with --memory=fast: bind.c picks other
 * functions, and warp_loop() another loop. */
#ifndef PTXI_INTERP_WEAK_MEMORY_H
#define PTXI_INTERP_WEAK_MEMORY_H
#include "interp/state/state.h"

struct copy_part;
struct weak_memory {
	/* of memory that other threads may see: .shared, .global and generic addresses */
	exec_fn *ld, *st, *atom;
	enum flow (*run)(struct warp *w, uint32_t *left); /* as run_plain (warp.h) */
	/* Something that keeps no messages has written N bytes at HOST. */
	void (*overwritten)(struct weak *k, uint8_t *host, uint64_t n);
	/* N bytes at HOST begin anew: nothing of a former owner is left to be read. */
	void (*forget)(struct weak *k, uint8_t *host, uint64_t n);
	/* P has read its source's newest bytes into p->data, or never will. */
	void (*fetched)(struct weak *k, struct copy_part *p);
	void (*dropped)(struct copy_part *p);
	/* The host has waited for all that ran. */
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
	if (m->weak_memory) /* the sampler may have been detached */
		m->weak_memory->dropped(p);
}

#endif
