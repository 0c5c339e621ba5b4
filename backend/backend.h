/* The interface between a host program and what executes it: the interpreter, or a GPU through the
 * CUDA driver. One backend runs one case: it is opened, used from a single thread, and closed. The
 * types of launches, statistics and statuses are those of interp/machine.h; findings are diagnostic
 * records.
 *
 * To add a backend, write a backend_open_X that fills in the function pointers, as in
 * backend/interp.c, and call it in backend_open (script/host/backends.c). A function that the
 * machine cannot provide stays NULL where its comment allows that. */
#ifndef PTXI_BACKEND_BACKEND_H
#define PTXI_BACKEND_BACKEND_H
#include "interp/machine.h"

struct backend {
	void *self;
	/* Allocates SIZE bytes of global memory aligned to 256, zeroed if INITIALISED; returns 0 if
	 * there is not enough memory. NAME is used in messages. */
	uint64_t (*alloc)(void *self, uint64_t size, const char *name, bool initialised);
	/* Sets the element size of the allocation at ADDRESS to BYTES bytes, for messages. NULL:
	 * not used. */
	void (*element)(void *self, uint64_t address, uint32_t bytes);
	/* Host access while no kernel runs. Returns false if the range is not within one allocation
	 * or variable. DEFINED (may be NULL): 1 for each byte that has ever been written; all ones
	 * if that is not known. */
	bool (*write)(void *self, uint64_t address, const void *data, uint64_t size);
	bool (*read)(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined);
	/* The address and size of a .global or .const variable of the module; false if there is
	 * none. */
	bool (*symbol)(void *self, const char *name, uint64_t *address, uint64_t *size);
	/* As machine_texture(). NULL: there are no textures. */
	uint64_t (*texture)(void *self, uint64_t handle, const struct texture *t);
	/* The address of a function. NULL: functions have no addresses. */
	uint64_t (*function)(void *self, uint32_t func);
	/* Queue an operation. launch returns false after a finding. */
	bool (*launch)(void *self, const struct machine_launch *launch);
	void (*record)(void *self, uint32_t event, uint32_t stream);
	void (*wait)(void *self, uint32_t event, uint32_t stream);
	/* Runs everything queued. After any status other than MACHINE_DONE nothing more may be
	 * launched, but memory can still be read. */
	enum machine_status (*sync)(void *self);
	/* Whether the machine has ended with a finding that explains it, so that later failures
	 * need no report. NULL: only sync can end it. */
	bool (*lost)(void *self);
	/* Everything printed so far; *LEN is its length. */
	const char *(*output)(void *self, size_t *len);
	/* The number of CTAs of THREADS threads of KERNEL that can be resident at once; 0 or a NULL
	 * pointer: unknown. */
	uint32_t (*resident)(void *self, const char *kernel, uint32_t threads);
	/* Statistics. False or a NULL pointer: none are available. */
	bool (*stats)(void *self, struct machine_stats *out);
	/* NULL, or the counters of machine_options.profile by instruction, or NULL */
	const struct profile_count *(*profile)(void *self);
	/* reg: register REG of linear thread THREAD of the first launch, at its exit;
	 * keep_registers must be called before the first launch. NULL: not available. */
	void (*keep_registers)(void *self, bool on);
	bool (*reg)(void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined);
	void (*close)(void *self);
};

enum backend_kind { BACKEND_INTERP, BACKEND_GPU };
struct backend_request {
	enum backend_kind kind;
	/* must outlive the backend; module->source has the text for a driver that compiles it
	 * itself */
	const struct ir_module *module;
	const struct machine_options *options;
	/* must outlive the backend; receives all records of the run */
	struct diags *findings;
};

#endif
