/* Runs a case of a .ptx file in the hardware harness: each thread of its only launch becomes a
 * role, each module variable a location. */
#ifndef PTXI_SCRIPT_HARNESS_CASE_H
#define PTXI_SCRIPT_HARNESS_CASE_H
#include "script/litmus/explorer.h"

/* Whether the harness can run the case: it must observe the outcomes of one small launch. Otherwise
 * *WHY, unless WHY is NULL, is set to the reason, in the arena of P. */
bool harness_case_fits(struct program *p, const struct script_case *in, const char **why);
/* Fills OUT as litmus_run does: outcomes with counts, compared with those that the explorer finds,
 * and conditions judged on the observed outcomes. */
void harness_case(const struct explorer_request *request, struct report *out);

#endif
