/* Events of the PTX memory model: reads, writes, fences, proxy fences and barriers, independent of
 * instructions. PTX ISA, chapter "Memory Consistency Model": operation types, scope, proxies. */
#ifndef PTXI_MODEL_EVENT_H
#define PTXI_MODEL_EVENT_H
#include "isa/order.h"
#include <stdbool.h>
#include <stdint.h>

#define MODEL_NONE UINT32_MAX

enum event_kind {
	/* holds a position in program order: an access whose address is not known yet, or the write
	   of a cas that failed */
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
	EVENT_INITIAL = 1,   /* a location's initial write; belongs to no thread */
	EVENT_REDUCTION = 2, /* the read of a red: it never takes part in an acquire pattern */
	EVENT_KNOWN = 4,     /* a write whose value is known, so that it may be read */
	EVENT_MAYBE = 8,     /* VOID so far, but may still become an access */
	EVENT_RMW = 16,      /* half of an atom; partner is the other half */
	EVENT_DONE = 32,     /* a barrier whose participants have all arrived */
	/* belongs to the same vector access as the event before it in its thread: no program order
	   between them */
	EVENT_ELEMENT = 64,
	/* an ELEMENT that nevertheless follows the event just before it (in pieces: all pieces of
	   it): the write of an atom or copy, after its read */
	EVENT_PAIRED = 128,
	EVENT_ONLY = 256, /* a read that had only one write to read from */
	/* belongs to a copy, for whose accesses the manual names no size: they may be torn */
	EVENT_SIZELESS = 512,
	EVENT_LEFT = 1024, /* an initial write of what an earlier kernel wrote; the client's */
	/* The client's: MAYBE, the write of a cas, with what it writes and over which value; the
	   read of a cas that is in no loop. */
	EVENT_SWAPS = 2048,
	EVENT_ONCE = 4096
};

/* Where a thread runs. The numbers are only compared. CTA numbers are relative to the cluster, and
 * cluster numbers to the GPU. */
struct placement {
	uint32_t cta, cluster, gpu;
};

static inline bool same_cta(const struct placement *a, const struct placement *b)
{
	return a->cta == b->cta && a->cluster == b->cluster && a->gpu == b->gpu;
}

/* What a restricted fence covers: accesses by the memory that they touch, and mbarrier.init. */
enum event_where {
	WHERE_GLOBAL = 1,
	WHERE_OWN_SHARED = 2 /* of its thread's CTA */,
	WHERE_OTHER_SHARED = 4,
	WHERE_INIT = 8
};

struct event {
	uint8_t kind, sem, scope, proxy;
	uint16_t flags;
	/* set of enum event_where: of an access, its class; of a fence, the classes that it covers,
	 * or 0 for all */
	uint8_t where;
	uint8_t size;        /* bytes of an access, or of this piece of one */
	uint8_t part, whole; /* the piece begins at byte PART of an access of WHOLE bytes */
	uint16_t thread;     /* UINT16_MAX for initial writes */
	uint8_t quiet;       /* of a read: the client's; 0: not special */
	uint8_t asks;        /* of a waiting read: the client's */
	uint16_t unused;     /* 0: an event has no padding, for it is also packed as words */
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
