/* Launches one kernel without directives. */
#ifndef PTXI_SCRIPT_LAUNCH_H
#define PTXI_SCRIPT_LAUNCH_H
#include "script/host/host.h"
#include <ptxi/ptxi.h>

/* One launch on a machine of its own. ADDRESS has room for ask->nargs values. */
struct kernel_run {
	const struct ir_module *module;
	const struct ptxi_launch *ask;
	struct run_options options;
	struct backend backend;
	uint64_t *address;
	struct report *report;
};
/* Runs the kernel and judges it. The machine then still exists, with its memory. */
void kernel_run(struct kernel_run *k);
/* Copies buffers back to the caller, and ends the machine. */
void kernel_end(struct kernel_run *k);

#endif
