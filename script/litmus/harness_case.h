/* A case of a .ptx file through the hardware harness: every thread of its one launch becomes a
 * role, every module variable a location. */
#ifndef PTXI_SCRIPT_HARNESS_CASE_H
#define PTXI_SCRIPT_HARNESS_CASE_H
#include "script/litmus/explorer.h"

/* Whether the case asks for outcomes of a small launch, which the harness knows how to repeat
 * better than launches one by one. WHY (or NULL) is set to what is in the way: in the arena of
 * P. */
bool harness_case_fits(struct program *p, const struct script_case *in, const char **why);
/* Fills OUT as litmus_run does: outcomes with counts, compared with what the explorer allows;
 * conditions as seen. The case fits. */
void harness_case(const struct explorer_request *request, struct report *out);

#endif
