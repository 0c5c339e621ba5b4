/* Who waits for what at mbarriers and cluster barriers when nobody gets on: notes and help for the
 * report. */
#ifndef PTXI_INTERP_LEDGER_H
#define PTXI_INTERP_LEDGER_H
#include "interp/state/state.h"

/* Adds to R what the threads of C's cluster wait for; whether anybody waits so. */
bool ledger_mbarriers(struct machine *m, struct cta *c, struct diag *r);
bool ledger_cluster(struct machine *m, struct cta *c, struct diag *r);
/* The finding that tells why the threads of C's cluster wait for ever at an mbarrier, or NULL. */
struct diag *ledger_cause(struct cta *c);

#endif
