/* The state machine of an mbarrier object, as a function of its 64 bits. */
#include "interp/sync/mbarrier.h"

#define REPORTED (UINT64_C(1) << 21)
#define REPORTED_BEFORE (UINT64_C(1) << 20)
#define CONDITIONAL (UINT64_C(1) << 19)

/* The bits of W that are no counts. */
static uint64_t mbarrier_mark(uint64_t w)
{
	return w & (mbarrier_is_v1(w) ? 3 | REPORTED | REPORTED_BEFORE | CONDITIONAL : 3);
}

/* The same in the next phase. */
static uint64_t mbarrier_next_mark(uint64_t mark)
{
	if (!mbarrier_is_v1(mark))
		return mark;
	return mark & REPORTED ? (mark & (3 | CONDITIONAL)) | REPORTED_BEFORE
			       : (mark & (3 | CONDITIONAL)) ^ CONDITIONAL;
}

static uint64_t mbarrier_pack(
	uint64_t mark, unsigned parity, uint32_t pending, int32_t tx, uint32_t expected)
{
	return (uint64_t)parity << 63 | (uint64_t)pending << 43 |
		((uint64_t)(uint32_t)tx & 0x1fffff) << 22 | (uint64_t)expected << 2 | mark;
}

/* The object after an operation: in the next phase when pending count and tx-count are zero. */
static uint64_t mbarrier_after(uint64_t mark, unsigned parity, uint32_t pending, int32_t tx,
	uint32_t expected, bool *flipped)
{
	*flipped = pending == 0 && tx == 0;
	return *flipped ? mbarrier_pack(mbarrier_next_mark(mark), parity ^ 1, expected, 0, expected)
			: mbarrier_pack(mark, parity, pending, tx, expected);
}

enum mbarrier_trouble mbarrier_init(uint64_t *w, uint32_t count, bool v1)
{
	if (count == 0 || count > (v1 ? MBARRIER_V1_MAX : MBARRIER_MAX))
		return MBARRIER_COUNT;
	*w = mbarrier_pack(v1 ? 2 : 1, 0, count, 0, count);
	return MBARRIER_FINE;
}

enum mbarrier_trouble mbarrier_arrive(uint64_t *w, uint32_t count, bool *flipped)
{
	uint32_t pending = mbarrier_pending(*w);

	*flipped = false;
	if (count > pending)
		return MBARRIER_PENDING;
	*w = mbarrier_after(mbarrier_mark(*w), mbarrier_parity(*w), pending - count,
		mbarrier_tx(*w), mbarrier_expected(*w), flipped);
	return MBARRIER_FINE;
}

enum mbarrier_trouble mbarrier_drop(uint64_t *w, uint32_t count)
{
	uint32_t expected = mbarrier_expected(*w);

	if (count > expected)
		return MBARRIER_EXPECTED;
	*w = mbarrier_pack(mbarrier_mark(*w), mbarrier_parity(*w), mbarrier_pending(*w),
		mbarrier_tx(*w), expected - count);
	return MBARRIER_FINE;
}

/* Applies a transaction of BYTES; TX is the resulting tx-count. */
static enum mbarrier_trouble mbarrier_transact(
	uint64_t *w, uint32_t bytes, int64_t tx, bool *flipped)
{
	*flipped = false;
	if (bytes > MBARRIER_MAX)
		return MBARRIER_BYTES;
	if (tx > MBARRIER_MAX || tx < -MBARRIER_MAX)
		return MBARRIER_TX;
	*w = mbarrier_after(mbarrier_mark(*w), mbarrier_parity(*w), mbarrier_pending(*w),
		(int32_t)tx, mbarrier_expected(*w), flipped);
	return MBARRIER_FINE;
}

enum mbarrier_trouble mbarrier_expect_tx(uint64_t *w, uint32_t bytes, bool *flipped)
{
	return mbarrier_transact(w, bytes, (int64_t)mbarrier_tx(*w) + bytes, flipped);
}

enum mbarrier_trouble mbarrier_complete_tx(uint64_t *w, uint32_t bytes, bool *flipped)
{
	return mbarrier_transact(w, bytes, (int64_t)mbarrier_tx(*w) - bytes, flipped);
}

enum mbarrier_trouble mbarrier_raise(uint64_t *w)
{
	if (mbarrier_pending(*w) == (uint32_t)(mbarrier_is_v1(*w) ? MBARRIER_V1_MAX : MBARRIER_MAX))
		return MBARRIER_RAISED;
	*w = mbarrier_pack(mbarrier_mark(*w), mbarrier_parity(*w), mbarrier_pending(*w) + 1,
		mbarrier_tx(*w), mbarrier_expected(*w));
	return MBARRIER_FINE;
}

bool mbarrier_report_on(uint64_t *w)
{
	if (!mbarrier_is_v1(*w))
		return false;
	*w |= REPORTED;
	return true;
}

uint64_t mbarrier_token(uint64_t w, uint64_t phase)
{
	return (w & ((UINT64_C(0x1fffff)) << 43)) | (phase & ((UINT64_C(1) << 41) - 1)) << 2 | 1;
}
