/* What the functions of the driver have in common: the one device, handles, the current context of
 * a thread, and what becomes of findings. */
#ifndef PTXI_CUDA_DRIVER_H
#define PTXI_CUDA_DRIVER_H
#include "cuda/api.h"
#include "cuda/place.h"
#include "diag/diag.h"
#include <ptxi/device.h>
#include <stdbool.h>
#include <stdio.h>

/* --- handles --- */

enum handle_kind {
	HANDLE_ENDED,
	HANDLE_CONTEXT,
	HANDLE_MODULE,
	HANDLE_FUNCTION,
	HANDLE_STREAM,
	HANDLE_EVENT,
	HANDLE_GRAPH,
	HANDLE_NODE,
	HANDLE_EXEC,
	HANDLE_LINK,
	HANDLE_POOL,
	HANDLE_KINDS
};

/* Begins every object that a handle stands for. The memory of ended ones is used again for the same
 * kind, and never freed, so that the handle of an ended object can be recognised. */
struct handle {
	enum handle_kind kind;
	struct handle *next;
};

/* Zeroed, of BYTES bytes, which is the same for all of a kind. NULL: no memory. */
void *handle_new(enum handle_kind kind, size_t bytes);
void handle_end(void *object, enum handle_kind kind);
bool handle_is(const void *object, enum handle_kind kind);

struct CUctx_st {
	struct handle handle;
	unsigned flags;
	bool primary;
	unsigned retained; /* of the primary context */
	CUdevice device;
	uint64_t peers; /* devices whose memory it may use: bit K is device K */
};

struct CUmod_st {
	struct handle handle;
	struct ptxi_module *module;
	CUfunction functions;
};

struct CUfunc_st {
	struct handle handle;
	CUmodule module;
	CUfunction next; /* of its module */
	unsigned function;
	unsigned dynamic; /* the most dynamic shared memory that launches may have */
	int carveout;
	bool non_portable; /* clusters of 9 to 16 blocks were asked for */
	char *name;
};

/* Nodes that what is captured next follows. */
struct tail {
	CUgraphNode *node;
	size_t n;
};

struct CUstream_st {
	struct handle handle;
	ptxi_stream stream;
	unsigned flags;
	int priority;
	CUgraph capture; /* or NULL; it counts while `captured` is the graph's number */
	uint64_t captured;
	bool began; /* the capture began here */
	struct tail tail;
};

struct CUevent_st {
	struct handle handle;
	ptxi_event event;
	unsigned flags;
	bool recorded;
	unsigned pending; /* records that have not run */
	bool ended;       /* destroyed while some were pending */
	double time;      /* of the last record that ran, in milliseconds */
	CUgraph capture;  /* recorded while its stream was capturing, as in CUstream_st */
	uint64_t captured;
	struct tail tail; /* of its stream then */
};

/* --- the device --- */

/* Makes the device, with the settings of PTXI_OPTIONS. */
CUresult driver_begin(void);
/* How many devices the program sees (devices=N); they share one memory. */
enum { MOST_DEVICES = 16 };
int driver_devices(void);
/* What each function that needs a device begins with: CUDA_SUCCESS, or why it fails. */
CUresult driver_ready(void);
struct ptxi_device *driver_device(void);
/* The result of a call of the device. */
CUresult driver_result(enum ptxi_exit e);
/* The same of CALL, which runs work: findings are printed. */
#define driver_waited(call) (driver_runs(), driver_ran(call))
void driver_runs(void);
CUresult driver_ran(enum ptxi_exit e);
/* The result of a call by FUNCTION at AT that refused an argument; what was wrong with it is a
 * finding of CODE. */
CUresult driver_refused(enum diag_code code, call_place at, const char *function, enum ptxi_exit e);

/* --- findings (findings.c) --- */

/* Findings are those of D, and are printed TO. */
void findings_of(struct ptxi_device *d, FILE *to);
FILE *findings_file(void);
unsigned findings_count(void); /* that were printed */
/* What a device that is lost because of them returns. */
CUresult findings_fault(void);
/* Prints findings that have not been printed; into LOG if that is not NULL. */
void driver_print(char *log, size_t room);
/* A finding of the host program: counts it, and prints TEXT, if it is not NULL. */
void driver_said(enum diag_code code, const char *text);
/* Their number by code; and their status, for ptxi exec. */
void findings_end(void);

/* --- memory (memory.c) --- */

/* Whether the host has memory at P; whether what it has there is pinned or managed. */
bool memory_is_mapped(const void *p);
bool memory_is_pinned(const void *host);

/* --- contexts (context.c) --- */

CUcontext context_current(void);
/* As driver_ready(), where a context must be current. */
CUresult context_enter(void);

#endif
