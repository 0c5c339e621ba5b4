/* Findings as the structs of the library's interface. */
#ifndef PTXI_SCRIPT_FINDINGS_H
#define PTXI_SCRIPT_FINDINGS_H
#include "diag/diag.h"
#include <ptxi/ptxi.h>

struct findings {
	struct ptxi_finding *data;
	size_t count;
};
/* Copies the records of D into arena A. */
struct findings findings_copy(struct diags *d, struct arena *a);

#endif
