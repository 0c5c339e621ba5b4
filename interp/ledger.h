/* Who waits for what at mbarriers and cluster barriers when nobody gets on: notes and help for the report. */
#ifndef PTXI_INTERP_LEDGER_H
#define PTXI_INTERP_LEDGER_H
#include "interp/state.h"

/* The .shared variable that OFFSET lies in, in the CTAs of L, *AT bytes from its beginning; NULL when there is none. */
const struct ir_var *ledger_variable(const struct machine *m, const struct launch *l, uint32_t offset, uint64_t *at);
/* Adds to R what the threads of C's cluster wait for; whether anybody waits so. */
bool ledger_mbarriers(struct machine *m, struct cta *c, struct diag *r);
/* The name of what lies at OFFSET of C's shared memory. */
const char *ledger_place(struct machine *m, const struct cta *c, uint32_t offset);
bool ledger_cluster(struct machine *m, struct cta *c, struct diag *r);

#endif
