/* --check=race: reports every pair of accesses to shared or global memory that the PTX memory model
 * calls a data race in the observed execution. (PTX ISA 8) */
#ifndef PTXI_CHECK_RACE_H
#define PTXI_CHECK_RACE_H

struct machine;

/* Attaches the checker to M, before its first launch. Races are added to M's findings. */
void race_attach(struct machine *m);
/* Frees what race_attach() allocated, if it was called. Call it before machine_free(); M must not
 * execute anything afterwards. */
void race_detach(struct machine *m);

#endif
