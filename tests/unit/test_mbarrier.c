/* Compares the mbarrier's 64 bits with a reference that keeps each number in a variable of its own,
 * over 10^6 random operations. */
#include "base/rng.h"
#include "interp/sync/mbarrier.h"
#include <criterion/criterion.h>

struct reference {
	int64_t expected, pending, tx, phase;
};

enum { MOST = (1 << 20) - 1 };

static void reference_settle(struct reference *r, bool *flipped)
{
	*flipped = r->pending == 0 && r->tx == 0;
	if (*flipped) {
		r->phase++;
		r->pending = r->expected;
	}
}

static void same(uint64_t w, const struct reference *r, uint64_t step)
{
	cr_assert(mbarrier_marked(w));
	cr_assert_eq(mbarrier_expected(w), r->expected, "step %lu", (unsigned long)step);
	cr_assert_eq(mbarrier_pending(w), r->pending, "step %lu: %u, expected %ld",
		(unsigned long)step, mbarrier_pending(w), (long)r->pending);
	cr_assert_eq(mbarrier_tx(w), r->tx, "step %lu: %d, expected %ld", (unsigned long)step,
		mbarrier_tx(w), (long)r->tx);
	cr_assert_eq(mbarrier_parity(w), r->phase & 1, "step %lu", (unsigned long)step);
}

/* A count that is often small, and sometimes near the limits of its range. */
static uint32_t number(struct rng *g)
{
	switch (rng_below(g, 8)) {
	case 0: return MOST;
	case 1: return MOST + 1 + rng_below(g, 3);
	case 2: return rng_below(g, MOST);
	case 3: return 0;
	default: return 1 + rng_below(g, 4);
	}
}

static enum mbarrier_trouble step(struct rng *g, uint64_t *w, struct reference *r)
{
	uint32_t n = number(g);
	bool flipped = false, want = false;
	enum mbarrier_trouble t;

	switch (rng_below(g, 16)) {
	case 0: /* a fresh object */
		t = mbarrier_init(w, n, false);
		cr_assert_eq(t != MBARRIER_FINE, n == 0 || n > MOST);
		if (!t)
			*r = (struct reference){n, n, 0, 0};
		return t;
	case 1:
	case 2:
		t = mbarrier_expect_tx(w, n, &flipped);
		cr_assert_eq(t != MBARRIER_FINE, n > MOST || r->tx + n > MOST);
		if (t)
			return t;
		r->tx += n;
		reference_settle(r, &want);
		cr_assert_eq(flipped, want);
		return t;
	case 3:
	case 4:
	case 5:
		if (r->tx > 0 && rng_below(g, 2))
			n = (uint32_t)r->tx;
		t = mbarrier_complete_tx(w, n, &flipped);
		cr_assert_eq(t != MBARRIER_FINE, n > MOST || r->tx - n < -MOST);
		if (t)
			return t;
		r->tx -= n;
		reference_settle(r, &want);
		cr_assert_eq(flipped, want);
		return t;
	case 6:
		t = mbarrier_drop(w, n);
		cr_assert_eq(t != MBARRIER_FINE, n > r->expected);
		r->expected -= t ? 0 : n;
		return t;
	case 7:
		t = mbarrier_raise(w);
		cr_assert_eq(t != MBARRIER_FINE, r->pending == MOST);
		r->pending += t ? 0 : 1;
		return t;
	default:
		if (rng_below(g, 3) == 0)
			n = (uint32_t)r->pending;
		t = mbarrier_arrive(w, n, &flipped);
		cr_assert_eq(t != MBARRIER_FINE, n > r->pending);
		if (t)
			return t;
		r->pending -= n;
		reference_settle(r, &want);
		cr_assert_eq(flipped, want);
		return t;
	}
}

Test(mbarrier, against_reference)
{
	struct rng g;
	struct reference r = {3, 3, 0, 0};
	uint64_t w, troubles = 0;

	g.state = 12345;
	cr_assert_eq(mbarrier_init(&w, 3, false), MBARRIER_FINE);
	for (uint64_t k = 0; k < 1000000; k++) {
		uint64_t before = w;
		enum mbarrier_trouble t = step(&g, &w, &r);

		if (t) {
			cr_assert_eq(before, w, "an operation that is refused changes nothing");
			troubles++;
		}
		same(w, &r, k);
	}
	cr_assert_gt(troubles, 1000);
}

/* Phases of .layout::v1, of which some end with a report. */
Test(mbarrier, reports)
{
	static const bool report[] = {false, true, true, false, true, false, false};
	unsigned conditional = 0;
	uint64_t w;
	bool flipped;

	cr_assert_eq(mbarrier_init(&w, MBARRIER_V1_MAX, true), MBARRIER_FINE);
	for (unsigned k = 0; k < sizeof report; k++) {
		cr_assert_eq(mbarrier_expect_tx(&w, MBARRIER_MAX, &flipped), MBARRIER_FINE);
		cr_assert_eq(mbarrier_arrive(&w, MBARRIER_V1_MAX, &flipped), MBARRIER_FINE);
		cr_assert_not(flipped);
		if (report[k]) {
			cr_assert(mbarrier_report_on(&w));
			cr_assert(mbarrier_report_on(&w), "once more");
		}
		cr_assert_eq(mbarrier_payload(w), k && report[k - 1], "of the phase before");
		cr_assert_eq(mbarrier_tx(w), MBARRIER_MAX);
		cr_assert_eq(mbarrier_pending(w), 0);
		cr_assert_eq(mbarrier_complete_tx(&w, MBARRIER_MAX, &flipped), MBARRIER_FINE);
		cr_assert(flipped);
		conditional += !report[k];
		cr_assert_eq(mbarrier_payload(w), report[k], "phase %u", k);
		cr_assert_eq(mbarrier_conditional(w), conditional & 1, "phase %u", k);
		cr_assert_eq(mbarrier_parity(w), (k + 1) & 1);
		cr_assert_eq(mbarrier_expected(w), MBARRIER_V1_MAX);
		cr_assert_eq(mbarrier_pending(w), MBARRIER_V1_MAX);
		cr_assert_eq(mbarrier_pending(mbarrier_token(w, k)), MBARRIER_V1_MAX);
		cr_assert(mbarrier_is_v1(w));
	}
	uint64_t before;

	cr_assert_eq(mbarrier_init(&w, 1, false), MBARRIER_FINE);
	before = w;
	cr_assert_not(mbarrier_report_on(&w));
	cr_assert_eq(w, before);
	cr_assert_eq(mbarrier_arrive(&w, 1, &flipped), MBARRIER_FINE);
	cr_assert_eq(mbarrier_conditional(w), 1, ".layout::v0: both phases are one");
}

Test(mbarrier, tokens)
{
	uint64_t w, token;
	bool flipped;

	cr_assert_eq(mbarrier_init(&w, 5, false), MBARRIER_FINE);
	cr_assert_eq(mbarrier_arrive(&w, 2, &flipped), MBARRIER_FINE);
	token = mbarrier_token(w, 6);
	cr_assert_eq(mbarrier_pending(token), 3);
	cr_assert_eq(mbarrier_token_phase(token), 6);
	cr_assert_eq(mbarrier_parity(token), 0);
	cr_assert_eq(mbarrier_arrive(&w, 3, &flipped), MBARRIER_FINE);
	cr_assert(flipped);
	cr_assert_eq(mbarrier_token(w, 7) >> 63, 1, "bit 63 is the parity, as on hardware");
	cr_assert_not(mbarrier_marked(0), "zeroed memory is no object");
}
