/* Events of the PTX memory model: reads, writes, fences, proxy fences and barriers, free of
 * instructions. PTX ISA, chapter "Memory Consistency Model": operation types, scope, proxies. */
#ifndef PTXI_MODEL_EVENT_H
#define PTXI_MODEL_EVENT_H
#include "isa/order.h"
#include <stdbool.h>
#include <stdint.h>

#define MODEL_NONE UINT32_MAX

enum event_kind {
	/* holds a place in program order: an access whose address is not known yet, or the write of
	   a cas that failed */
	EVENT_VOID,
	EVENT_READ,
	EVENT_WRITE,
	EVENT_FENCE,
	EVENT_PROXY_FENCE,
	EVENT_BARRIER
};

enum event_proxy {
	PROXY_GENERIC,
	PROXY_SURFACE,
	PROXY_TEXTURE,
	PROXY_CONSTANT,
	PROXY_ASYNC,
	PROXY_ALIAS,
	PROXY_COUNT
};

enum event_flag {
	EVENT_INITIAL = 1,   /* the write that a location begins with; of no thread */
	EVENT_REDUCTION = 2, /* the read of a red: it never takes part in an acquire pattern */
	EVENT_KNOWN = 4,     /* a write whose value is known, so that it may be read */
	EVENT_MAYBE = 8,     /* VOID for now, but may still become an access */
	EVENT_RMW = 16,      /* half of an atom; partner is the other half */
	EVENT_DONE = 32,     /* a barrier whose participants have all come */
	/* of one vector access with the event before it in its thread: no program order between
	   them */
	EVENT_ELEMENT = 64,
	/* an ELEMENT that comes after the event just before it all the same (in pieces: after all
	   of them): an atom's or copy's write after its read */
	EVENT_PAIRED = 128,
	EVENT_ONLY = 256, /* a read that had one write to read from */
	/* of a copy, whose accesses have no size that the manual names: they may be torn */
	EVENT_SIZELESS = 512
};

/* Where a thread runs; numbers are compared, nothing else. CTA 0 of one cluster is another than CTA
 * 0 of the next, and so are clusters of two GPUs. */
struct placement {
	uint32_t cta, cluster, gpu;
};

static inline bool same_cta(const struct placement *a, const struct placement *b)
{
	return a->cta == b->cta && a->cluster == b->cluster && a->gpu == b->gpu;
}

/* What some fences are restricted to: the memory that an access touches, and mbarrier.init. */
enum event_where {
	WHERE_GLOBAL = 1,
	WHERE_OWN_SHARED = 2 /* of its thread's CTA */,
	WHERE_OTHER_SHARED = 4,
	WHERE_INIT = 8
};

struct event {
	uint8_t kind, sem, scope, proxy;
	uint16_t flags;
	/* set of enum event_where: of an access, what it is; of a fence, what alone it covers, or
	 * 0: everything */
	uint8_t where;
	uint8_t size;        /* bytes of an access, or of this piece of one */
	uint8_t part, whole; /* the piece begins at byte PART of an access of WHOLE bytes */
	uint16_t thread;     /* UINT16_MAX for initial writes */
	uint8_t quiet;       /* of a read: the client's, 0: nothing special */
	uint8_t asks;        /* of a read that waits: the client's */
	uint32_t virt;       /* number of the virtual location (address and size), or MODEL_NONE */
	uint32_t phys;       /* number of the physical location, or MODEL_NONE */
	uint32_t rf;         /* a read's write, or MODEL_NONE */
	uint32_t partner;    /* the other half of an atom, or MODEL_NONE */
	/* of a piece: the first event of its access (an atom's reads and writes are one), or
	 * MODEL_NONE */
	uint32_t group;
	uint32_t place; /* the client's instruction */
	uint64_t value[2];
};

static inline bool event_access(const struct event *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_WRITE;
}
/* Of two accesses of one location, or pieces of them: whether they overlap completely (PTX
 * ISA 8.2.1). */
static inline bool event_overlaps_all(const struct event *a, const struct event *b)
{
	return a->part == b->part && a->whole == b->whole;
}
static inline bool event_strong(const struct event *e) { return e->sem != SEM_WEAK; }
static inline bool event_releases(const struct event *e) { return sem_releases((enum sem)e->sem); }
static inline bool event_acquires(const struct event *e) { return sem_acquires((enum sem)e->sem); }

/* Whether a thread at B is inside SCOPE as seen from A. */
static inline bool scope_includes(
	enum scope scope, const struct placement *a, const struct placement *b)
{
	switch (scope) {
	case SCOPE_CTA: return same_cta(a, b);
	case SCOPE_CLUSTER: return a->cluster == b->cluster && a->gpu == b->gpu;
	case SCOPE_GPU: return a->gpu == b->gpu;
	case SCOPE_SYS:
	case SCOPE_ANY: return true;
	}
	return false;
}

/* Whether fence F concerns access E. */
static inline bool event_covers(const struct event *f, const struct event *e)
{
	return !f->where || f->where & e->where;
}

const char *event_scope_name(enum scope scope);

#endif
