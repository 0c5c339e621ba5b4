/* --check=race: every pair of accesses to shared or global memory that the PTX memory model calls a
 * data race in the execution seen. (PTX ISA 8) */
#ifndef PTXI_CHECK_RACE_H
#define PTXI_CHECK_RACE_H

struct machine;

/* Watches M, which has not launched anything yet; findings go to M's findings. */
void race_attach(struct machine *m);
/* Gives back what race_attach took, if it was called; before machine_free(). M must run nothing
 * afterwards. */
void race_detach(struct machine *m);

#endif
