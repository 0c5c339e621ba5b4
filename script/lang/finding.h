/* Findings as expect lines name them: a race, a deadlock, a fault of some kind, an uninitialised
 * read. */
#ifndef PTXI_SCRIPT_FINDING_H
#define PTXI_SCRIPT_FINDING_H
#include "script/lang/resolve.h"

/* Whether a record is what the expect line T waits for; false for every other kind of line. */
bool finding_expected(const struct stmt *t, const struct diag *d);
/* "deadlock", for messages; "" for clean. */
const char *finding_name(const struct stmt *t);
/* Whether the kind of an `expect fault KIND` exists; false after a report. */
bool resolve_finding(struct resolver *r, struct stmt *t);
/* expect dedlock: whether T expects one word that is no name and most likely a misspelt finding,
 * which is reported then. */
bool resolve_misspelt_finding(struct resolver *r, const struct stmt *t);

#endif
