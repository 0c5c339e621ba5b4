/* What a machine with --memory=weak asks of the sampler (weak/), which stands above it and hands this table in. Nothing of it is touched by a machine with --memory=fast:
 * decode picks other handlers, and warp_loop() another loop. */
#ifndef PTXI_INTERP_WEAK_MEMORY_H
#define PTXI_INTERP_WEAK_MEMORY_H
#include "interp/state.h"

struct weak_memory {
	exec_fn *ld, *st, *atom, *red; /* of memory that other threads may see: .shared, .global and generic addresses */
	enum flow (*run)(struct warp *w, uint32_t *left); /* as run_plain (warp.h) */
	/* Something that keeps no messages has written N bytes at HOST. */
	void (*overwritten)(struct weak *k, uint8_t *host, uint64_t n);
	/* N bytes at HOST begin anew: nothing of a former owner is left to be read. */
	void (*forget)(struct weak *k, uint8_t *host, uint64_t n);
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

#endif
