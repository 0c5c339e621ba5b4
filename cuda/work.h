/* What a stream is given to do: it is done in its turn, or becomes a node of a graph while the
 * stream is capturing. */
#ifndef PTXI_CUDA_WORK_H
#define PTXI_CUDA_WORK_H
#include "cuda/driver.h"

enum work_kind { WORK_KERNEL, WORK_COPY, WORK_FILL, WORK_HOST, WORK_RECORD, WORK_WAIT, WORK_EMPTY };

/* WIDTH bytes each of HEIGHT rows of DEPTH slices. Of each side either the device address or the
 * host's is given. */
struct work_copy {
	uint64_t to, from;
	char *to_host;
	const char *from_host;
	size_t to_pitch, to_slice, from_pitch, from_slice;
	size_t width, height, depth;
	bool staged;
	bool waited; /* the host waits for it at once */
};

struct work {
	enum work_kind kind;
	const char *caller; /* the function of the driver, for messages */
	call_place place;   /* where the program calls it */
	/* WORK_KERNEL: arguments are pointers to values, or a buffer, which `own` holds in a graph
	 */
	CUfunction function;
	struct ptxi_grid grid;
	void *own;
	struct work_copy copy;
	/* WORK_FILL: HEIGHT rows of WIDTH elements of ELEMENT bytes */
	uint64_t address;
	size_t pitch, width, height;
	unsigned value, element;
	/* WORK_HOST */
	CUhostFn host;
	void *self;
	CUevent event; /* WORK_RECORD, WORK_WAIT */
};

struct CUgraphNode_st {
	struct handle handle;
	CUgraphNode next; /* of its graph */
	CUgraph graph;
	struct work work;
	CUgraphNode *after; /* [nafter] nodes that must be done before */
	size_t nafter;
	unsigned number;   /* in order of creation */
	bool placed;       /* while the graph is sorted */
	unsigned position; /* then */
};

struct CUgraph_st {
	struct handle handle;
	CUgraphNode first, *last;
	unsigned count;
	uint64_t capture; /* while streams capture into it: the number of the capture, from 1 */
};

/* The device's number of stream S, which may be NULL or one of the streams that always exist. */
CUresult stream_number(CUstream s, ptxi_stream *number);
/* The graph that S captures, or NULL. */
CUgraph stream_captures(CUstream s);
/* Destroys an event, at once or when what was recorded has run; whether some has not. */
void event_end(CUevent e);
bool event_pending(CUevent e);
/* Does W in S, or adds it to the graph that S captures. */
CUresult work_submit(CUstream s, struct work *w);
CUresult work_perform(ptxi_stream stream, const struct work *w);
/* The arguments of a launch as W; CUDA_SUCCESS, or why they are refused. (stream.c) */
struct kernel_call {
	CUfunction function;
	unsigned grid[3], block[3], shared;
	void **args, **extra;
};
CUresult kernel_work(const struct kernel_call *c, struct work *w);
/* COPY as work. (copy.c) */
CUresult copy_work(const CUDA_MEMCPY3D *copy, bool async, struct work *w);
/* N follows the nodes AFTER, too. False: no memory. */
bool node_follows(CUgraphNode n, const CUgraphNode *after, size_t nafter);
/* A stream or event captures no more. */
void tail_clear(struct tail *t);
/* Adds a copy of W, with its arguments, as the last node of G. NULL: no memory, or wrong
 * arguments. */
CUgraphNode graph_add(CUgraph g, const struct work *w, const CUgraphNode *after, size_t nafter);
/* Copies the arguments of a kernel, so that they are W's own. */
CUresult work_own(struct work *w);

#endif
