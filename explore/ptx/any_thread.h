/* A thread that stands for all: what its registers are while %tid and %ctaid are unknown, and what
 * its path requires of them. */
#ifndef PTXI_EXPLORE_PTX_ANY_THREAD_H
#define PTXI_EXPLORE_PTX_ANY_THREAD_H
#include "explore/ptx/any_grid.h"
#include "explore/ptx/linear.h"
#include "explore/ptx/thread.h"
#include "interp/memory/memory.h"

enum { MAX_REQUIRED = 40, MAX_PHASES = 1024, MAX_COMPARED = 4 };

/* What a register is, if it is not a number: in bytes WIDTH, EXPR modulo 2^(8 WIDTH). */
struct shadow {
	bool some;
	struct linear expr;
	/* the buffer that it points into; also of numbers */
	const struct memory_block *into;
	/* computed from several pointers: it may point anywhere; also of numbers */
	bool mixed;
};

enum relation { AT_MOST, EQUAL, UNEQUAL }; /* compared with 0 */
struct comparison {
	struct linear expr;
	enum relation relation;
};

/* A predicate: all of its comparisons, or, ANY, any of them. */
struct condition {
	uint32_t n;
	bool any;
	struct comparison at[MAX_COMPARED];
};

struct path {
	struct ptx_state *state;
	struct shadow *shadow;       /* [nslots] */
	struct condition *condition; /* [nslots] */
	struct linear required[MAX_REQUIRED];
	uint32_t nrequired, barriers;
	bool accessed; /* since the last barrier */
};

struct reached {
	uint32_t op, bytes, interval;
	bool write, shared, anywhere; /* ANYWHERE: the address is not known */
	bool other_proxy;
	const struct memory_block *into;
	struct linear at;
	const struct linear *required;
	uint32_t nrequired;
};

struct proof {
	const struct explore_program *program;
	const struct ptx_client *client;
	const struct ptx_launch *launch;
	const struct ptx_code *code;
	struct ptx_bench *bench;
	struct arena *arena;
	struct any_grid *out;
	uint64_t most[3];
	VEC(struct path) open;
	VEC(struct reached) reached;
	uint32_t steps, paths, calculations;
	uint64_t barrier[MAX_PHASES]; /* the number of each, in the order of every path */
	uint32_t barriers;            /* of the longest path so far */
	uint32_t shortest; /* of the paths that end after an access without a further barrier */
	bool failed;
	bool smaller; /* a smaller grid may make a difference */
};

static inline uint16_t slot_of(const struct proof *p, uint32_t place)
{
	return ptx_slot_at(p->bench->part, place);
}
/* Adds L <= 0 for the ranges of %tid and %ctaid, the variables from FIRST on. */
void any_require_thread(const struct proof *p, uint32_t first, struct linear_set *s);
bool any_impossible(struct proof *p, struct linear_set *s);
/* Whether EXPR, on path H, fits into an integer of BYTES bytes. */
bool any_fits(struct proof *p, const struct path *h, const struct linear *expr, unsigned bytes,
	bool is_signed);
/* Adds what follows from condition C being HOLDS. False: it cannot be. */
bool any_assume(struct proof *p, struct path *h, const struct condition *c, bool holds);
/* Operand K of OP as an expression, modulo its width. False: it may be anything. */
bool any_operand(const struct proof *p, const struct path *h, const struct op *op, unsigned k,
	struct shadow *out);
/* The results of O may be anything. */
void any_forget(struct proof *p, struct path *h, const struct ptx_op *o);
/* Executes OP, which touches registers only. */
void any_compute(struct proof *p, struct path *h, const struct op *op, const struct ptx_op *o);

#endif
