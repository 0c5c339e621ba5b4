/* The seam between a host program and what executes it: the interpreter, or a GPU behind the CUDA
 * driver. One backend runs one case: opened, used from one thread, closed. The types of launches,
 * statistics and statuses are interp/machine.h's; findings are diagnostic records as everywhere.
 *
 * To add a backend: fill in the function pointers in a backend_open_X of your own, as
 * backend/interp.c does, and name it in backend_open (script/host/backends.c). What a machine
 * cannot do stays NULL where the comment says so. */
#ifndef PTXI_BACKEND_BACKEND_H
#define PTXI_BACKEND_BACKEND_H
#include "interp/machine.h"

struct backend {
	void *self;
	/* SIZE bytes of global memory aligned to 256, zero when INITIALISED; 0 when there is no
	 * room. NAME is for messages. */
	uint64_t (*alloc)(void *self, uint64_t size, const char *name, bool initialised);
	/* What was allocated at ADDRESS has elements of BYTES bytes: for messages. NULL: none name
	 * them. */
	void (*element)(void *self, uint64_t address, uint32_t bytes);
	/* Host access while nothing runs; false: the range is not one allocation or variable.
	 * DEFINED (may be NULL) gets 1 for each byte that was ever written, or all ones where that
	 * is not known. */
	bool (*write)(void *self, uint64_t address, const void *data, uint64_t size);
	bool (*read)(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined);
	/* A .global or .const variable of the module. */
	bool (*symbol)(void *self, const char *name, uint64_t *address, uint64_t *size);
	/* The value that a function's name has. NULL: functions have no address here. */
	uint64_t (*function)(void *self, uint32_t func);
	/* Queues; false after a finding. */
	bool (*launch)(void *self, const struct machine_launch *launch);
	void (*record)(void *self, uint32_t event, uint32_t stream);
	void (*wait)(void *self, uint32_t event, uint32_t stream);
	/* Runs all that is queued. After anything but MACHINE_DONE nothing more is launched; memory
	 * is still read. */
	enum machine_status (*sync)(void *self);
	/* Whether the machine has ended with a finding that says why: what failed since needs no
	 * word of its own. NULL: sync alone can end it. */
	bool (*lost)(void *self);
	/* Everything printed so far. */
	const char *(*output)(void *self, size_t *len);
	/* How many CTAs of THREADS threads of KERNEL can be resident at once; 0: not known. NULL
	 * likewise. */
	uint32_t (*resident)(void *self, const char *kernel, uint32_t threads);
	/* False: nothing is counted here. NULL likewise. */
	bool (*stats)(void *self, struct machine_stats *out);
	/* Register REG of linear thread THREAD of the first launch at its exit. NULL: not known
	 * here. keep is called before the first launch. */
	void (*keep_registers)(void *self, bool on);
	bool (*reg)(void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined);
	void (*close)(void *self);
};

enum backend_kind { BACKEND_INTERP, BACKEND_GPU };
struct backend_request {
	enum backend_kind kind;
	/* outlives the backend; module->source has the text for a driver that compiles it itself */
	const struct ir_module *module;
	const struct machine_options *options;
	/* outlives the backend; takes every record of the run */
	struct diags *findings;
};

#endif
