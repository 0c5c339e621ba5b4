/* The state of mbarriers and cluster barriers when a program hangs: notes and help for the
 * report. */
#ifndef PTXI_INTERP_LEDGER_H
#define PTXI_INTERP_LEDGER_H
#include "interp/state/state.h"

/* Adds to R what the threads of C's cluster wait for. True when any thread waits so. */
bool ledger_mbarriers(struct machine *m, struct cta *c, struct diag *r);
bool ledger_cluster(struct machine *m, struct cta *c, struct diag *r);
/* The earlier finding that explains why threads of C's cluster wait forever at an mbarrier, or
 * NULL. */
struct diag *ledger_cause(struct cta *c);

#endif
