/* The sampler, --memory=weak: its interface for modules that create machines (docs/SAMPLER.md). */
#ifndef PTXI_WEAK_SAMPLER_H
#define PTXI_WEAK_SAMPLER_H

struct machine;

/* Attaches weak memory to M, before its first launch, if its options ask for it. */
void sampler_attach(struct machine *m);
/* Frees what sampler_attach() allocated, if anything. Call it before machine_free(); M must not
 * execute anything afterwards. */
void sampler_detach(struct machine *m);

#endif
