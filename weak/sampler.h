/* The sampler, --memory=weak, as those see it who make machines (docs/SAMPLER.md). */
#ifndef PTXI_WEAK_SAMPLER_H
#define PTXI_WEAK_SAMPLER_H

struct machine;

/* Gives M, which has not launched anything yet, weak memory when its options say so. */
void sampler_attach(struct machine *m);
/* Gives back what sampler_attach took, if anything; before machine_free(). M must run nothing
 * afterwards. */
void sampler_detach(struct machine *m);

#endif
