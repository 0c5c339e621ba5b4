/* ptxi as a device: what a host program does with a GPU, one call at a time. It allocates memory,
 * loads modules, copies, launches kernels in streams and waits; findings and output are handed over
 * whenever it has waited.
 *
 * Handles are opaque and may be used by several threads at once: a device has one lock. No call
 * ends the process (see ptxi.h): if memory is exhausted, or ptxi has a bug, the device is lost. A
 * device that has ended with a fault, a deadlock or a limit is lost, too; each later call returns
 * why. Queued work runs when the host waits, or when much is queued. Link as described in ptxi.h;
 * docs/ DEVICE.md has the rest. */
#ifndef PTXI_DEVICE_H
#define PTXI_DEVICE_H
#include <ptxi/ptxi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ptxi_device;
struct ptxi_module;

/* Where the host program makes a call, for messages. All members may be NULL or 0. */
struct ptxi_at {
	const char *file;
	unsigned line;
	const char *function; /* that makes the call: "main" */
};

/* How far a kernel is. */
struct ptxi_progress {
	const char *kernel, *place; /* "threads 0 to 31 of CTA 2 are at line 12" */
	uint64_t blocks, blocks_done;
	uint64_t instructions; /* of warps, of all kernels */
};

struct ptxi_device_options {
	/* as in ptxi_options */
	const char *const *settings;
	unsigned jobs;
	/* receives what kernels have printed, at the end of calls that wait; NULL: it is discarded.
	 * Called with the device locked */
	void (*output)(void *self, const char *text, size_t n);
	void *self;
	/* due() is asked every some thousand instructions while kernels run, by threads of the
	 * device; hear() is called when it returns other than 0. Or NULL, both */
	int (*due)(void *self);
	void (*hear)(void *self, const struct ptxi_progress *p);
};

/* OPTIONS may be NULL. A wrong setting is a finding, and the device is lost with PTXI_USAGE. NULL
 * only if there is no memory for the handle. Free with ptxi_device_free, once no other thread uses
 * it; this does not wait for queued work. */
PTXI_API struct ptxi_device *ptxi_device_new(const struct ptxi_device_options *options);
PTXI_API void ptxi_device_free(struct ptxi_device *d);
/* PTXI_OK: the device can be used; otherwise why it is lost. */
PTXI_API enum ptxi_exit ptxi_device_status(struct ptxi_device *d);
/* Writes why the last call of any thread that failed did so, at most ROOM bytes with the NUL. */
PTXI_API void ptxi_device_error(struct ptxi_device *d, char *text, size_t room);

/* All functions below return PTXI_OK; PTXI_USAGE for a wrong argument (then nothing is done);
 * PTXI_UNDECIDED if the memory limit (max-memory) is reached; or why the device is lost. AT may be
 * NULL. */

/* --- modules --- */

/* Loads the N bytes of TEXT (PTX, or an object file of `ptxi as`), NAME is for messages. Its
 * variables exist, with their initial values, until it is unloaded; the
 * host has those that are .managed at the same address. PTXI_REJECTED or
 * PTXI_UNSUPPORTED: *MODULE is NULL, and findings say why. */
PTXI_API enum ptxi_exit ptxi_device_load(struct ptxi_device *d, const char *name, const char *text,
	size_t n, struct ptxi_module **module);
/* The same for several images (text or objects), which are linked: what one declares .extern is
 * what another defines with .visible or .weak; other names are each image's own. Each name must
 * have a definition, unless FLAGS has PTXI_LINK_OPEN: then a call of what is missing is reported
 * when a kernel that may reach it is launched. MODULE may be NULL: the images are only checked. */
struct ptxi_image {
	const char *name, *bytes;
	size_t size;
};
enum { PTXI_LINK_OPEN = 1 };
PTXI_API enum ptxi_exit ptxi_device_link(struct ptxi_device *d, const struct ptxi_image *images,
	unsigned n, unsigned flags, struct ptxi_module **module);
/* The bytes of an image in memory, at most MOST (0: any number): text up to a NUL, which does not
 * count, or an object. */
PTXI_API size_t ptxi_image_size(const void *image, size_t most);
/* Waits for all work, and frees the module's variables; later accesses to them are reported as
 * those to freed memory. M is no module of the device any more. */
PTXI_API enum ptxi_exit ptxi_unload(
	struct ptxi_device *d, struct ptxi_module *m, const struct ptxi_at *at);
/* Finds a kernel by its symbol or C++ name. */
PTXI_API enum ptxi_exit ptxi_module_function(
	struct ptxi_device *d, const struct ptxi_module *m, const char *name, unsigned *function);
/* The number of parameters; the offset and size of parameter K in a buffer of *BYTES bytes. */
PTXI_API enum ptxi_exit ptxi_function_parameters(struct ptxi_device *d, const struct ptxi_module *m,
	unsigned function, unsigned *count, size_t *bytes);
PTXI_API enum ptxi_exit ptxi_function_parameter(struct ptxi_device *d, const struct ptxi_module *m,
	unsigned function, unsigned k, size_t *offset, size_t *size);
struct ptxi_function_info {
	unsigned shared_bytes, local_bytes; /* static shared memory; .local memory of a thread */
	unsigned threads;                   /* the most in a block: .maxntid, .reqntid, or 1024 */
	unsigned target, version;           /* of its module: 90 for sm_90, 80 for .version 8.0 */
	int cluster_required;               /* .reqnctapercluster or .explicitcluster */
	unsigned cluster[3];                /* .reqnctapercluster, or 0 */
};
PTXI_API enum ptxi_exit ptxi_get_function_info(struct ptxi_device *d, const struct ptxi_module *m,
	unsigned function, struct ptxi_function_info *out);
/* A .global or .const variable. */
PTXI_API enum ptxi_exit ptxi_module_symbol(struct ptxi_device *d, const struct ptxi_module *m,
	const char *name, uint64_t *address, uint64_t *size);

/* --- memory --- */

enum {
	PTXI_INITIALISED = 1,  /* zeroed, and not undefined to check=init */
	PTXI_HOST_VISIBLE = 2, /* the host has it at the same address; SIZE is not 0 */
	PTXI_ARRAY = 4,        /* messages call it an array: kernels reach it by textures */
};

/* Allocates SIZE bytes, aligned to 256. NAME (NULL: where it was allocated) and AT are for
 * messages. */
PTXI_API enum ptxi_exit ptxi_alloc(struct ptxi_device *d, uint64_t size, unsigned flags,
	const char *name, const struct ptxi_at *at, uint64_t *address);
/* An allocation whose bytes are the SIZE bytes at HOST. They must exist until it is freed. */
PTXI_API enum ptxi_exit ptxi_adopt(struct ptxi_device *d, void *host, uint64_t size,
	const char *name, const struct ptxi_at *at, uint64_t *address);
/* Waits for all work, and frees the allocation that begins at ADDRESS (0: does nothing). An access
 * to it afterwards is reported (F0207), with its name and AT, until its addresses are used again,
 * which takes some 32,000 allocations. */
PTXI_API enum ptxi_exit ptxi_dealloc(
	struct ptxi_device *d, uint64_t address, const struct ptxi_at *at);
/* The allocation or variable that contains ADDRESS; PTXI_USAGE: there is none. */
struct ptxi_allocation {
	uint64_t address, size;
	int variable, host_visible;
};
PTXI_API enum ptxi_exit ptxi_find(
	struct ptxi_device *d, uint64_t address, struct ptxi_allocation *out);
/* Bytes of the memory limit (max-memory), and how many of them are left. */
PTXI_API enum ptxi_exit ptxi_memory(struct ptxi_device *d, uint64_t *left, uint64_t *limit);
/* Writes what is at ADDRESS, in words: "buffer `in+8`". */
PTXI_API enum ptxi_exit ptxi_describe(
	struct ptxi_device *d, uint64_t address, char *text, size_t room);

/* --- textures and surfaces --- */

/* A texture or surface is a view of texels in memory, which kernels read by coordinates (tex, tld4,
 * suld), and write (sust). What kernels get is what an H100 gives. Zero-initialise it. */
enum { PTXI_TEXEL_UNSIGNED, PTXI_TEXEL_SIGNED, PTXI_TEXEL_FLOAT };
enum { PTXI_WRAP, PTXI_CLAMP, PTXI_MIRROR, PTXI_BORDER }; /* border: zeros */
struct ptxi_texture {
	uint64_t address;        /* of the first texel */
	unsigned size[3];        /* in texels; 0: it does not have this dimension */
	unsigned layers;         /* 0: it is no array of textures */
	uint64_t pitch, slice;   /* bytes from row to row, from slice or layer to the next; 0: no
				  * gaps */
	unsigned kind;           /* of a channel: PTXI_TEXEL_... */
	unsigned bits, channels; /* of a channel: 8, 16 or 32; 1, 2 or 4 */
	int linear;              /* a row of memory, read by index (tex1Dfetch): no sampler */
	unsigned outside[3];     /* by dimension: PTXI_WRAP ... */
	int filters;             /* linear interpolation; else the nearest texel */
	int normalized;          /* coordinates go from 0 to 1 */
	int unit_range;          /* integers are read as numbers from 0 (or -1) to 1 */
	int surface;             /* what istypep finds: a surface, no texture */
};
/* Bytes from the first texel to the end of the last one: what an allocation for them needs. 0:
 * there is no such texture. */
PTXI_API uint64_t ptxi_texture_bytes(const struct ptxi_texture *t);
/* Makes one. *HANDLE is what kernels are given, in a parameter or in memory. Its bytes need not be
 * in an allocation: each access of a kernel is checked, as other accesses are. */
PTXI_API enum ptxi_exit ptxi_texture_new(
	struct ptxi_device *d, const struct ptxi_texture *t, uint64_t *handle);
/* Waits for all work, and ends HANDLE, which stands for nothing afterwards. */
PTXI_API enum ptxi_exit ptxi_texture_free(struct ptxi_device *d, uint64_t handle);

/* --- streams and events --- */

typedef uint32_t ptxi_stream;
typedef uint32_t ptxi_event;
/* The default stream: it follows what was queued in other streams before, and they follow it,
 * except non-blocking streams. (A per-thread default stream is a stream that its thread makes.) */
#define PTXI_DEFAULT_STREAM 0u
enum { PTXI_NON_BLOCKING = 1 };

PTXI_API enum ptxi_exit ptxi_stream_new(struct ptxi_device *d, unsigned flags, ptxi_stream *stream);
PTXI_API enum ptxi_exit ptxi_event_new(struct ptxi_device *d, ptxi_event *event);
/* EVENT stands for what STREAM has been given so far. */
PTXI_API enum ptxi_exit ptxi_record(struct ptxi_device *d, ptxi_event event, ptxi_stream stream);
/* What STREAM is given from now on waits for EVENT, as it was last recorded. */
PTXI_API enum ptxi_exit ptxi_wait(struct ptxi_device *d, ptxi_stream stream, ptxi_event event);

/* --- work --- */

/* Copies SIZE bytes when their turn in STREAM comes. Of TO and FROM each, one of the two is given.
 * Host memory is read and written then, too, and must exist until the host has waited; with STAGED
 * it is read at once. */
struct ptxi_copy {
	uint64_t to, from;     /* device addresses, or 0 */
	void *to_host;         /* or NULL */
	const void *from_host; /* or NULL */
	size_t size;
	int staged;
};
PTXI_API enum ptxi_exit ptxi_copy(struct ptxi_device *d, ptxi_stream stream,
	const struct ptxi_copy *copy, const struct ptxi_at *at);
/* Writes VALUE, of WIDTH bytes (1, 2, 4, 8 or 16), COUNT times. */
PTXI_API enum ptxi_exit ptxi_fill(struct ptxi_device *d, ptxi_stream stream, uint64_t address,
	const void *value, unsigned width, uint64_t count, const struct ptxi_at *at);
/* Calls WORK(SELF), by some thread, with the device locked: it may not use the device. */
PTXI_API enum ptxi_exit ptxi_host_function(
	struct ptxi_device *d, ptxi_stream stream, void (*work)(void *self), void *self);

/* Zero-initialise it: dimensions that are 0 count as 1. */
struct ptxi_grid {
	unsigned grid[3], block[3];
	unsigned cluster[3]; /* 0: not given */
	unsigned shared_bytes;
	int cooperative;
	/* either pointers to the values of the parameters, one each; or their buffer, SIZE bytes,
	 * laid out as ptxi_function_parameter says */
	void *const *args;
	const void *buffer;
	size_t size;
	const struct ptxi_at *at; /* where it is launched, for messages; or NULL */
};
/* A grid that hardware would reject is PTXI_USAGE, and a finding. */
PTXI_API enum ptxi_exit ptxi_start(struct ptxi_device *d, ptxi_stream stream,
	const struct ptxi_module *m, unsigned function, const struct ptxi_grid *grid);

/* Runs all queued work, and waits for all of it, for STREAM's, or for what EVENT stands for. What
 * is not waited for is not ordered before later work, except by streams and events: races with it
 * are found. */
PTXI_API enum ptxi_exit ptxi_sync(struct ptxi_device *d);
PTXI_API enum ptxi_exit ptxi_sync_stream(struct ptxi_device *d, ptxi_stream stream);
PTXI_API enum ptxi_exit ptxi_sync_event(struct ptxi_device *d, ptxi_event event);
/* How many items are queued, and have not run. */
PTXI_API enum ptxi_exit ptxi_queued(struct ptxi_device *d, unsigned *count);

/* --- the GPU that is modelled --- */

struct ptxi_properties {
	unsigned major, minor; /* compute capability */
	unsigned multiprocessors, threads_per_multiprocessor, blocks_per_multiprocessor;
	unsigned threads_per_block, warp;
	unsigned shared_per_block, shared_per_multiprocessor; /* bytes */
	unsigned block[3], grid[3];                           /* the most in each dimension */
};
PTXI_API enum ptxi_exit ptxi_get_properties(struct ptxi_device *d, struct ptxi_properties *out);
/* How many blocks of THREADS threads with SHARED_BYTES of dynamic shared memory a multiprocessor
 * holds at once: 0 if none fits. Registers do not count. */
PTXI_API enum ptxi_exit ptxi_occupancy(struct ptxi_device *d, const struct ptxi_module *m,
	unsigned function, unsigned threads, unsigned shared_bytes, unsigned *blocks);

/* --- findings --- */

/* Findings since the last call. NULL: there is no memory. A loss for lack of memory has none. */
struct ptxi_report;
PTXI_API struct ptxi_report *ptxi_take_findings(struct ptxi_device *d);
PTXI_API void ptxi_report_free(struct ptxi_report *r); /* R may be NULL */
/* K counts from 0; NULL past the last. */
PTXI_API size_t ptxi_report_count(const struct ptxi_report *r);
PTXI_API const struct ptxi_finding *ptxi_report_finding(const struct ptxi_report *r, size_t k);
/* As for a terminal without colours; as a JSON array. */
PTXI_API const char *ptxi_report_text(const struct ptxi_report *r);
PTXI_API const char *ptxi_report_json(const struct ptxi_report *r);

#ifdef __cplusplus
}
#endif
#endif
