/* A machine: devices, memory, streams and one loaded module, which may grow; runs kernels on host
 * threads. This is the interface of interp/ to the layers above. */
#ifndef PTXI_INTERP_MACHINE_H
#define PTXI_INTERP_MACHINE_H
#include "diag/diag.h"
#include "ir/ir.h"

struct machine;
struct texture;
struct trace;
struct director;

enum machine_schedule { SCHEDULE_FAIR, SCHEDULE_LOCKSTEP, SCHEDULE_RANDOM };
enum machine_memory { MEMORY_FAST, MEMORY_WEAK };
/* What executes plain runs: the interpreter; pieces of machine code; code translated by a compiler
 * before the launch; that of functions that have executed many instructions. (backend/native.h) */
enum machine_engine { ENGINE_INTERPRETER, ENGINE_STENCILS, ENGINE_NATIVE, ENGINE_AUTO };
enum machine_check { CHECK_RACE = 1, CHECK_INIT = 2, CHECK_BOUNDS = 4, CHECK_SYNC = 8 };

/* Limits of a thread and of the device. The stack: .local variables, call parameters, alloca,
 * and the registers of each call as if a compiler spilled them. (CUDA's default is 1 KiB, and
 * compiled code keeps most values in registers; this limit is larger, so that only runaway
 * recursion reaches it.) The heap: memory for malloc on the device. (CUDA's default is 8 MiB;
 * here the gaps between blocks also take space.) The output: text printed by kernels, unless
 * max_output says otherwise. */
enum { MACHINE_STACK_BYTES = 64 << 10, MACHINE_HEAP_BYTES = 32 << 20, MACHINE_OUTPUT = 16 << 20 };

/* How far a running machine is, in the words of reports. */
struct machine_progress {
	const char *kernel;
	uint32_t launch, launches; /* the launch that runs, from 0; those that were queued so far */
	uint64_t ctas, ctas_done;  /* of this launch */
	uint64_t all_done;         /* CTAs of all launches */
	uint64_t steps;            /* warp instructions of the machine */
	char place[200];           /* "threads 0 to 31 of CTA 2 are at line 12" */
};
/* Who wants to know. Both are called by workers, at the same time, while kernels run. */
struct machine_listener {
	bool (*due)(void *self); /* asked every some thousand instructions */
	void (*hear)(void *self, const struct machine_progress *p); /* after due returned true */
	void *self;
};

struct machine_options {
	/* MEMORY_WEAK: requires sampler_attach() (weak/sampler.h) */
	uint8_t schedule, memory;
	uint8_t engine; /* enum machine_engine */
	bool no_cache;  /* translated code is not kept for later runs */
	uint8_t checks; /* set of enum machine_check */
	unsigned jobs;  /* host threads; 0: all processors */
	uint64_t seed;
	uint64_t max_steps; /* warp instructions in total; 0: unlimited */
	/* seconds of wall time in total; 0: unlimited. Sets `deadline` unless that is given */
	double timeout;
	double deadline; /* CLOCK_MONOTONIC time in seconds at which the run is stopped; 0: none */
	/* bytes of memory for the program; 0: half of the host's memory */
	uint64_t max_memory;
	uint64_t max_output; /* bytes that kernels may print; 0: MACHINE_OUTPUT */
	/* NULL, or a flag that is set when the user interrupts the run */
	const _Atomic int *interrupted;
	const struct machine_listener *listener; /* or NULL */
	/* NULL, or receives text as kernels print it; calls do not overlap */
	void (*print)(void *self, const char *text, size_t n);
	void *print_self;
	unsigned devices; /* 0: one device */
	/* NULL, or receives every synchronisation event: trace_install() (trace/trace.h) */
	struct trace *trace;
	bool shares_managed; /* .managed variables are at the same address for the host */
	/* NULL, or decides which threads run next (interp/director.h) */
	struct director *director;
	/* checks take every access lane by lane: slow, and the same findings */
	bool lane_by_lane;
	bool profile; /* count what each instruction costs: profile_attach() (profile/profile.h) */
};

/* The GPU that is modelled. */
struct machine_properties {
	unsigned sm; /* 90 */
	unsigned multiprocessors, threads_per_multiprocessor, ctas_per_multiprocessor;
	unsigned threads_per_cta;
	unsigned shared_per_cta; /* bytes, static and dynamic */
	unsigned shared_per_multiprocessor;
	unsigned block[3], grid[3]; /* the most in each dimension */
};
struct machine_stats {
	uint64_t thread_instructions, warp_instructions, threads, warps, ctas, launches;
	/* completed phases of CTA barriers, cluster barriers and mbarriers */
	uint64_t barriers;
	uint64_t atomics; /* per thread: atom, red, and operations on mbarriers except waits */
	uint64_t divergent_branches; /* per warp */
	/* by resolved state space: global, shared, local, const, param, other */
	uint64_t bytes_loaded[6], bytes_stored[6];
	const uint64_t *by_form; /* [isa_forms] thread instructions */
	/* [module->ninsns] thread instructions, by instruction of the module */
	const uint64_t *by_insn;
	const uint64_t *warps_by_insn; /* the same, warp instructions */
	double seconds;                /* time during which kernels ran */
	char engine[120]; /* which one ran, in words; "": the interpreter was asked for */
};

/* Creates a machine and allocates the module's variables. NULL with a record in FINDINGS when
 * the module cannot run here (for example, an unresolved .extern function). MODULE must outlive
 * the machine. */
struct machine *machine_new(const struct ir_module *module, const struct machine_options *options,
	struct diags *findings);
void machine_free(struct machine *m);
/* After a module was added to the machine's, which is a joined one (ir/link.h): allocates its
 * variables. No kernel runs, but some may be queued. False with a finding: there is no room. */
bool machine_load(struct machine *m);
/* How often that was done; the module that the machine was made with counts as the first. */
uint32_t machine_scopes(const struct machine *m);
/* Whether the machine itself has the function of that name: vprintf, malloc ... */
bool machine_provides(const char *name);
/* Frees the variables of what machine_load() loaded as number SCOPE while nothing
 * is queued. Its kernels are not launched again; a call of its functions is a fault. WHERE as in
 * machine_release(). */
void machine_unload(struct machine *m, uint32_t scope, const char *where);

/* Allocates SIZE bytes of global memory, zeroed, aligned to 256; unless INITIALISED, undefined
 * for --check=init. NAME is for messages. 0 when it does not fit. */
uint64_t machine_alloc(struct machine *m, uint64_t size, const char *name, bool initialised);
/* The same; with the bytes at HOST, which stay the caller's; with bytes that the host has at the
 * same address. */
uint64_t machine_adopt(struct machine *m, void *host, uint64_t size, const char *name);
uint64_t machine_alloc_mapped(struct machine *m, uint64_t size, const char *name, bool initialised);
/* Frees the allocation that begins at ADDRESS, while no kernel runs or is queued. WHERE, in words
 * ("main at a.cu:7") or "", is for messages about later accesses. Its addresses are used again
 * once no others are left. */
enum machine_release { MACHINE_RELEASED, RELEASE_OF_NOTHING, RELEASE_INSIDE, RELEASE_TWICE };
enum machine_release machine_release(struct machine *m, uint64_t address, const char *where);
void machine_properties(const struct machine *m, struct machine_properties *out);
/* How many CTAs of THREADS threads and DYNAMIC bytes of dynamic shared memory of kernel FUNC a
 * multiprocessor holds at once. (Registers do not count: they are those of a compiler.) */
unsigned machine_occupancy(
	const struct machine *m, uint32_t func, uint32_t threads, uint32_t dynamic);
/* Bytes of static shared memory of kernel FUNC, and of .local memory a thread. */
void machine_kernel(const struct machine *m, uint32_t func, uint32_t *shared, uint32_t *local);
/* Declares the allocation at ADDRESS to be an array with elements of BYTES bytes, for messages. */
void machine_element(struct machine *m, uint64_t address, uint32_t bytes);
/* Messages call the allocation at ADDRESS an array (of texels). */
void machine_array(struct machine *m, uint64_t address);
/* Host access, only while no kernel runs. False unless all bytes are in one allocation. DEFINED
 * (or NULL) gets 1 for each byte that was ever written. */
bool machine_write(struct machine *m, uint64_t address, const void *data, uint64_t size);
bool machine_read(struct machine *m, uint64_t address, void *data, uint64_t size, uint8_t *defined);
/* Copies SIZE bytes, which may overlap; writes VALUE, of WIDTH bytes, COUNT times. False as above.
 */
bool machine_copy(struct machine *m, uint64_t to, uint64_t from, uint64_t size);
bool machine_fill(
	struct machine *m, uint64_t address, const void *value, unsigned width, uint64_t count);
/* Whether SIZE bytes at ADDRESS are in one allocation; in words, what is there. */
bool machine_contains(const struct machine *m, uint64_t address, uint64_t size);
void machine_describe(const struct machine *m, uint64_t address, struct text *out);
/* A .global or .const variable's address and size; false when there is none of that name. */
bool machine_symbol(struct machine *m, const char *name, uint64_t *address, uint64_t *size);
/* The address of variable VAR of the module; 0: it is in another state space. */
uint64_t machine_variable(const struct machine *m, uint32_t var);
/* The allocation that contains ADDRESS: a buffer, or a variable. False: there is none. */
struct machine_allocation {
	uint64_t address, size;
	bool variable, host_visible;
};
bool machine_find(const struct machine *m, uint64_t address, struct machine_allocation *out);
/* Makes a texture or surface of bytes of one allocation and returns its handle, which kernels get
 * as a number; HANDLE: 0, or the address of a .texref or .surfref variable, which then stands for
 * it. 0: the bytes are not in one allocation, unless they may be ANYWHERE: accesses are checked. */
uint64_t machine_texture(
	struct machine *m, uint64_t handle, const struct texture *t, bool anywhere);
/* False: there was none. */
bool machine_drop_texture(struct machine *m, uint64_t handle);
/* Bytes that are in use, and how many may be. */
void machine_memory(const struct machine *m, uint64_t *used, uint64_t *limit);
/* The generic address of a function, as PTX code uses it (for host-side tables). */
uint64_t machine_function_address(struct machine *m, uint32_t func);

/* A bit of a stream's number: it is not ordered with the default stream (CUDA: non-blocking). */
#define STREAM_APART 0x80000000u
struct machine_launch {
	uint32_t func;                          /* index of the kernel */
	uint32_t grid[3], block[3], cluster[3]; /* cluster 0: not given */
	uint32_t dynamic_shared;
	uint32_t stream; /* 0: the default stream, ordered with all others but STREAM_APART */
	uint32_t device;
	bool cooperative;
	/* the parameter buffer: param_bytes bytes, laid out as in ir_func */
	const void *params;
	struct source *source; /* the //@ line, for messages */
	struct span span;
	/* where the host launches it, in words ("launched by main at a.cu:9"), or NULL */
	const char *place;
};
/* Checks a launch and queues it; false with a finding (too many threads, .reqntid not satisfied,
 * too much shared memory ...). */
bool machine_launch(struct machine *m, const struct machine_launch *launch);
/* Queues work of the host, WHAT in words ("the copy of main at a.cu:9"): WORK(SELF) is called
 * during a later machine_run or _sync, when its turn in STREAM has come; never by two threads at
 * once. It may read and write the machine's memory, and calls nothing else of the machine. */
void machine_work(
	struct machine *m, uint32_t stream, const char *what, void (*work)(void *self), void *self);
/* machine_record(): EVENT marks the work queued in STREAM so far. machine_wait(): work queued in
 * STREAM later waits for EVENT. The caller numbers events and streams. */
void machine_record(struct machine *m, uint32_t event, uint32_t stream);
void machine_wait(struct machine *m, uint32_t event, uint32_t stream);

/* Runs all queued work. After any status other than MACHINE_DONE, the findings give the reason,
 * and the machine accepts no further launches. */
enum machine_status {
	MACHINE_DONE,
	MACHINE_FAULT,
	MACHINE_DEADLOCK,
	MACHINE_BUDGET,
	MACHINE_UNSUPPORTED
};
enum machine_status machine_sync(struct machine *m);
/* The same, where the host knows less afterwards: nothing (it has not waited, and later work is not
 * ordered after what ran now except by streams and events), or that STREAM's work is done, or what
 * EVENT stands for. */
enum machine_status machine_run(struct machine *m);
enum machine_status machine_sync_stream(struct machine *m, uint32_t stream);
enum machine_status machine_sync_event(struct machine *m, uint32_t event);
/* The number of items that are queued and have not run. */
uint32_t machine_queued(const struct machine *m);

/* The text printed with vprintf so far, in order of execution. */
const char *machine_output(struct machine *m, size_t *len);
/* Forgets that text, once it has been handed over. */
void machine_clear_output(struct machine *m);
void machine_stats(struct machine *m, struct machine_stats *out);
/* The value of register REG (index within the function) of linear thread THREAD of the first
 * launch when the thread exited; requires machine_keep_registers() before the launch. DEFINED:
 * whether the value is defined; always true without CHECK_INIT. False: no such register. */
void machine_keep_registers(struct machine *m, bool on);
bool machine_register(
	struct machine *m, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined);

#endif
