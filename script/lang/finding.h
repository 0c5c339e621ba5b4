/* Findings as expect directives name them: a race, a deadlock, a fault of some kind, an
 * uninitialised read. */
#ifndef PTXI_SCRIPT_FINDING_H
#define PTXI_SCRIPT_FINDING_H
#include "script/lang/resolve.h"

/* Whether finding D is the one that the expect directive T names; false if T is another kind of
 * directive. */
bool finding_expected(const struct stmt *t, const struct diag *d);
/* "deadlock", for messages; "" for clean. */
const char *finding_name(const struct stmt *t);
/* Checks that KIND of `expect fault KIND` exists; otherwise reports it and returns false. */
bool resolve_finding(struct resolver *r, struct stmt *t);
/* As in `expect dedlock`: if T expects a single word that is not a name but resembles a finding,
 * reports it and returns true. */
bool resolve_misspelt_finding(struct resolver *r, const struct stmt *t);

#endif
