/* Findings that a device hands over. */
#ifndef PTXI_DEVICE_DEVICE_H
#define PTXI_DEVICE_DEVICE_H
#include "diag/diag.h"
#include <ptxi/device.h>

/* An empty report; NULL: there is no memory. */
struct ptxi_report *report_new(void);
/* Copies the records of FROM after the first TAKEN into R, which owns the copies and not the guard
 * of this call. Returns the number of records of FROM. */
unsigned report_take(struct ptxi_report *r, struct diags *from, unsigned taken);

#endif
