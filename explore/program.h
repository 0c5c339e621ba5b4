/* What the explorer asks of a program: a fixed number of threads, each a deterministic function of the values that its reads return.
 * The explorer advances a thread until it ends or needs a value; registers hold a value or are unknown, and an instruction with an unknown input gives an unknown
 * result. A thread is replayed from its first unresolved read when that read is resolved, so a state is plain bytes that may be copied. */
#ifndef PTXI_EXPLORE_PROGRAM_H
#define PTXI_EXPLORE_PROGRAM_H
#include "model/event.h"
#include <stddef.h>

enum action_kind {
	ACTION_READ,
	ACTION_WRITE,
	ACTION_FENCE,
	ACTION_PROXY_FENCE,
	ACTION_BARRIER,
	/* The remaining ones make no event; the thread stops. */
	ACTION_STALL, /* needs a value that is not known: a branch, a guard */
	ACTION_END,
	ACTION_SPIN,  /* came back to an earlier state since which it wrote nothing */
	ACTION_BOUND, /* a loop went round too often */
	ACTION_FAULT  /* the program did something that has no meaning; text says what */
};

enum barrier_rule {
	BARRIER_SITE,  /* .litmus: SITE is a static place; uncounted: all threads of the CTA that contain it; counted: opens when COUNT have come, and stays open */
	BARRIER_NUMBER /* PTX: NUMBER is a barrier of the CTA with phases; uncounted: all threads of the CTA that have not ended */
};

/* Filled by the program; a read's value_known and value are filled by the explorer for `answer`. */
struct action {
	uint8_t kind, sem, scope, proxy, size;
	bool address_known;
	bool value_known;   /* of a write: value holds. of a read, answered: value holds */
	bool reduction;     /* the read of a red */
	bool rmw;           /* a write that belongs to the thread's last read */
	bool none;          /* a write that does not happen after all (failed cas) */
	bool maybe;         /* a write of which it is not known yet whether it happens */
	bool arrive_only;   /* a barrier that does not wait */
	uint8_t rule;       /* enum barrier_rule */
	uint32_t site, number, count; /* barrier; count 0: uncounted */
	uint32_t spin_events; /* SPIN: events since the earlier state */
	uint32_t place;     /* instruction, for messages and may_write */
	uint64_t virt, phys; /* addresses */
	uint64_t value[2];
	const char *text;
};

enum observable_kind { OBSERVE_REGISTER, OBSERVE_MEMORY };
struct observable {
	const char *name;  /* as outcomes print it: "P1:r1", "x" */
	uint8_t kind, size;
	uint32_t thread, reg;
	uint64_t phys;
};

struct explore_program {
	uint32_t nthreads;
	const struct placement *place; /* [nthreads] */
	size_t state_size;             /* bytes of a thread's state, a multiple of 8 */
	const struct observable *observable;
	uint32_t nobservables;
	bool aliases;                  /* some memory is reached through several virtual addresses or proxies */
	const void *client;
	/* All callbacks are called from several host threads at once; they change nothing but STATE. */
	void (*begin)(const struct explore_program *p, uint32_t thread, void *state);
	/* Runs THREAD up to its next event or stop, and says what that is; A comes zeroed. */
	void (*step)(const struct explore_program *p, uint32_t thread, void *state, struct action *a);
	/* After a read: A as step filled it, with value_known and value. */
	void (*answer)(const struct explore_program *p, uint32_t thread, void *state, const struct action *a);
	/* Whether THREAD, stopped at PLACE, may still write to SIZE bytes at PHYS; true when in doubt. */
	bool (*may_write)(const struct explore_program *p, uint32_t thread, uint32_t place, uint64_t phys, uint32_t size);
	/* Whether THREAD contains barrier SITE. */
	bool (*has_site)(const struct explore_program *p, uint32_t thread, uint32_t site);
	void (*initial)(const struct explore_program *p, uint64_t phys, uint32_t size, uint64_t value[2]);
	uint64_t (*reg)(const struct explore_program *p, uint32_t thread, const void *state, uint32_t reg);
};

#endif
