/* A machine: devices, memory, streams and one loaded module; runs kernels on host threads.
 * Everything below script/ that executes is behind this page. */
#ifndef PTXI_INTERP_MACHINE_H
#define PTXI_INTERP_MACHINE_H
#include "diag/diag.h"
#include "ir/ir.h"

struct machine;
struct trace;

enum machine_schedule { SCHEDULE_FAIR, SCHEDULE_LOCKSTEP, SCHEDULE_RANDOM };
enum machine_memory { MEMORY_FAST, MEMORY_WEAK };
enum machine_check { CHECK_RACE = 1, CHECK_INIT = 2, CHECK_BOUNDS = 4, CHECK_SYNC = 8 };

/* What a thread and the device may use at most, here and, where it has the room, on a GPU.
 * The stack: .local variables, call parameters, alloca, and the registers of each call as a
 * compiler would spill them. (CUDA's default is 1 KiB and compiled code keeps most in registers;
 * this is generous so that only runaway recursion meets it.) The heap: what malloc on the device
 * hands out. (CUDA's default is 8 MiB; here the books between blocks take room too.) The output:
 * what kernels print, unless the command says otherwise. */
enum { MACHINE_STACK_BYTES = 64 << 10, MACHINE_HEAP_BYTES = 32 << 20, MACHINE_OUTPUT = 16 << 20 };

struct machine_options {
	/* MEMORY_WEAK: sampler_attach() gives the machine that memory (weak/sampler.h) */
	uint8_t schedule, memory;
	uint8_t checks; /* set of enum machine_check */
	unsigned jobs;  /* host threads, 0 = all processors */
	uint64_t seed;
	uint64_t max_steps; /* warp instructions in all, 0 = no bound */
	/* seconds of wall time in all, 0 = none: makes a deadline of its own when there is none */
	double timeout;
	double deadline; /* seconds of CLOCK_MONOTONIC at which time is over, 0 = none */
	/* bytes of memory that the program may have, 0 = half of what this machine has */
	uint64_t max_memory;
	uint64_t max_output;             /* bytes that kernels may print, 0 = MACHINE_OUTPUT */
	const volatile int *interrupted; /* NULL, or what becomes true when the user wants an end */
	/* NULL, or what takes text as kernels print it, one call at a time */
	void (*print)(void *self, const char *text, size_t n);
	void *print_self;
	unsigned devices; /* 0 = 1 */
	/* NULL, or what takes every synchronisation event: trace_install() (trace/trace.h) */
	struct trace *trace;
};

struct machine_stats {
	uint64_t thread_instructions, warp_instructions, threads, warps, ctas, launches;
	/* phases that completed, of CTA barriers, cluster barriers and mbarriers */
	uint64_t barriers;
	uint64_t atomics; /* a thread each: atom, red, operations on mbarriers but for waits */
	uint64_t divergent_branches; /* by warps */
	/* generic-resolved: global, shared, local, const, param, other */
	uint64_t bytes_loaded[6], bytes_stored[6];
	const uint64_t *by_form; /* [isa_forms] thread instructions */
	/* [module->ninsns] the same, of each instruction of the module */
	const uint64_t *by_insn;
	double seconds; /* running time of kernels */
};

/* Allocates the module's variables. NULL with a record in FINDINGS when the module cannot run here
 * (unresolved .extern function...). MODULE outlives the machine. */
struct machine *machine_new(const struct ir_module *module, const struct machine_options *options,
	struct diags *findings);
void machine_free(struct machine *m);

/* SIZE bytes of global memory, zero when INITIALISED, otherwise undefined to --check=init; NAME is
 * for messages. 0 when there is no room. Aligned to 256. */
uint64_t machine_alloc(struct machine *m, uint64_t size, const char *name, bool initialised);
/* The allocation at ADDRESS is an array with elements of BYTES bytes: for messages. */
void machine_element(struct machine *m, uint64_t address, uint32_t bytes);
/* Host access; only while nothing runs. False: not one allocation. DEFINED (or NULL) gets 1 for
 * each byte that was ever written. */
bool machine_write(struct machine *m, uint64_t address, const void *data, uint64_t size);
bool machine_read(struct machine *m, uint64_t address, void *data, uint64_t size, uint8_t *defined);
/* A module variable's address and size in global memory (also .const); false when there is none. */
bool machine_symbol(struct machine *m, const char *name, uint64_t *address, uint64_t *size);
/* The generic address that a function's name has as a value (for host-side tables). */
uint64_t machine_function_address(struct machine *m, uint32_t func);

struct machine_launch {
	uint32_t func;                          /* entry */
	uint32_t grid[3], block[3], cluster[3]; /* cluster 0 = none given */
	uint32_t dynamic_shared;
	uint32_t stream; /* 0 = the default stream, which orders with all others */
	uint32_t device;
	bool cooperative;
	/* the parameter buffer, laid out as ir_func says: param_bytes bytes */
	const void *params;
	struct source *source; /* the //@ line, for messages */
	struct span span;
};
/* Checks and queues; false with a record in findings (too many threads, .reqntid not met, too much
 * shared memory ...). */
bool machine_launch(struct machine *m, const struct machine_launch *launch);
/* Event EVENT marks what STREAM has queued so far; a wait makes what STREAM queues later come after
 * it. Events and streams are small numbers that the caller gives. */
void machine_record(struct machine *m, uint32_t event, uint32_t stream);
void machine_wait(struct machine *m, uint32_t event, uint32_t stream);

/* Runs all that is queued. After anything but MACHINE_DONE the findings say why and the machine
 * accepts no further launch. */
enum machine_status {
	MACHINE_DONE,
	MACHINE_FAULT,
	MACHINE_DEADLOCK,
	MACHINE_BUDGET,
	MACHINE_UNSUPPORTED
};
enum machine_status machine_sync(struct machine *m);

/* What kernels printed with vprintf so far, in the order of execution. */
const char *machine_output(struct machine *m, size_t *len);
void machine_stats(struct machine *m, struct machine_stats *out);
/* Register REG (index within the function) of linear thread THREAD of the first launch, at its
 * exit; needs machine_keep_registers before the launch. DEFINED: whether it was made from written
 * values; always without CHECK_INIT. */
void machine_keep_registers(struct machine *m, bool on);
bool machine_register(
	struct machine *m, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined);

#endif
