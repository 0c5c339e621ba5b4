/* What a module keeps of a CTA, a cluster or a warp. struct cta, struct cluster and struct warp
 * have a pointer for each, to a struct that its module alone defines, so that nobody else can reach
 * into it and a change of it compiles nothing but that module. It is made when it is first needed,
 * in the arena of the CTA; memory is used again by later CTAs of the launch, and the table of
 * interp/machine/cta.c says who must then be told. */
#ifndef PTXI_INTERP_KEEPER_H
#define PTXI_INTERP_KEEPER_H

struct cluster;
struct keeper {
	/* Other CTAs begin in the memory of K's: nothing is known of the last ones. NULL: need not
	 * be told */
	void (*begin)(struct cluster *k);
	/* K is given up: what is kept of it outside of the arenas goes. NULL: nothing is */
	void (*free)(struct cluster *k);
};

#endif
