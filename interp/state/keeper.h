/* Module-private state of a CTA, a cluster or a warp. struct cta, struct cluster and struct warp
 * have a pointer for each, to a struct that only its module defines: no other module can access
 * it, and changing it recompiles only that module. It is allocated when first needed, in the
 * arena of the CTA. Later CTAs of the launch reuse that memory; the table in
 * interp/machine/cta.c lists the modules to call then. */
#ifndef PTXI_INTERP_KEEPER_H
#define PTXI_INTERP_KEEPER_H

struct cluster;
struct keeper {
	/* A new unit begins in the memory of K: resets the state. NULL: nothing to do */
	void (*begin)(struct cluster *k);
	/* K is freed: frees state outside of the arenas. NULL: there is none */
	void (*free)(struct cluster *k);
};

#endif
