/* Random litmus tests: 2 to 4 threads with scopes, orders, fences, atoms, cas, branches, arithmetic
 * and barriers, and sometimes proxies and aliases. */
#ifndef PTXI_TESTS_RANDOM_LITMUS_H
#define PTXI_TESTS_RANDOM_LITMUS_H
#include "base/rng.h"
#include "base/text.h"

/* A whole .litmus file; it observes every register and every location. */
void random_litmus(struct rng *r, struct text *out);
/* The same without what LISA, herd7's language for user-defined models, cannot express: proxies,
 * cas, operations such as or and max, comparisons other than for equality. */
void random_litmus_lisa(struct rng *r, struct text *out);
/* Like random_litmus(), with many fence.sc of all scopes, and commuting atoms. */
void random_litmus_fences(struct rng *r, struct text *out);
/* The same with more and longer threads and up to five fences, whose orders depend on each other.
 */
void random_litmus_orders(struct rng *r, struct text *out);
/* Like random_litmus(), with many cas among releases, acquires and copies of values read: whether
 * an event occurs depends on what other threads have read. */
void random_litmus_cas(struct rng *r, struct text *out);
/* Like random_litmus(), with threads that compete for x by cas, few of whose results are observed.
 */
void random_litmus_contests(struct rng *r, struct text *out);

#endif
