/* How strong the order and the scope of an instruction are: what `explore --repair` may strengthen
 * and `--slack` may weaken. A weaker instruction in the same place allows every outcome that a
 * stronger one allows. */
#ifndef PTXI_MODEL_STRENGTH_H
#define PTXI_MODEL_STRENGTH_H
#include "isa/order.h"

/* What has an order and a scope, or could be there or not. */
enum strength_kind {
	STRENGTH_LOAD,
	STRENGTH_STORE,
	STRENGTH_ATOM,
	STRENGTH_RED,
	STRENGTH_FENCE,
	STRENGTH_ARRIVE,         /* mbarrier.arrive */
	STRENGTH_WAIT,           /* mbarrier.test_wait, mbarrier.try_wait */
	STRENGTH_CLUSTER_ARRIVE, /* barrier.cluster.arrive, which has no scope */
	/* there or not */
	STRENGTH_PROXY_FENCE,
	STRENGTH_WARP_BARRIER,
	STRENGTH_BARRIER
};
/* The scope of a weak access, and of what has none, is SCOPE_CTA. */
struct strength {
	bool absent; /* fences and barriers: there is none */
	enum sem sem;
	enum scope scope;
};
enum { STRENGTH_MOST = 24 };

/* Every strength of KIND, the weakest first, with the scopes in the set SCOPES (bit = enum scope).
 * Returns how many. */
uint32_t strengths(enum strength_kind kind, unsigned scopes, struct strength out[STRENGTH_MOST]);
/* Whether A is as weak as B or weaker. */
bool strength_within(struct strength a, struct strength b);
/* A number that is greater for a stronger instruction: in which order changes are named. */
unsigned strength_rank(enum strength_kind kind, struct strength s);

#endif
