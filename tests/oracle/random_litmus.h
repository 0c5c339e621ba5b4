/* Random litmus tests: 2 to 4 threads with scopes, orders, fences, atoms, cas, branches,
 * arithmetic, barriers, now and then proxies and aliases. */
#ifndef PTXI_TESTS_RANDOM_LITMUS_H
#define PTXI_TESTS_RANDOM_LITMUS_H
#include "base/rng.h"
#include "base/text.h"

/* A whole .litmus file; it observes every register and every location. */
void random_litmus(struct rng *r, struct text *out);
/* The same without what LISA, herd7's language for models of one's own, has no words for: proxies,
 * cas, operations such as or and max, comparisons other than of equality. */
void random_litmus_lisa(struct rng *r, struct text *out);
/* Like the first, with many fence.sc of all scopes, and atoms that commute. */
void random_litmus_fences(struct rng *r, struct text *out);
/* Like the first, with many cas among releases, acquires and copies of what was read: whether an
 * event is there hangs on what others have read. */
void random_litmus_cas(struct rng *r, struct text *out);

#endif
