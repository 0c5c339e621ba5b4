/* Sets and relations over events as rows of bits: a set is one row, a relation one row per event.
 */
#ifndef PTXI_MODEL_RELATION_H
#define PTXI_MODEL_RELATION_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ROW_END UINT32_MAX

static inline bool row_has(const uint64_t *r, uint32_t i) { return r[i >> 6] >> (i & 63) & 1; }
static inline void row_put(uint64_t *r, uint32_t i) { r[i >> 6] |= UINT64_C(1) << (i & 63); }
static inline void row_drop(uint64_t *r, uint32_t i) { r[i >> 6] &= ~(UINT64_C(1) << (i & 63)); }
static inline void row_clear(uint64_t *r, uint32_t words) { memset(r, 0, words * sizeof *r); }

static inline void row_or(uint64_t *r, const uint64_t *a, uint32_t words)
{
	for (uint32_t k = 0; k < words; k++)
		r[k] |= a[k];
}

static inline bool row_empty(const uint64_t *r, uint32_t words)
{
	for (uint32_t k = 0; k < words; k++)
		if (r[k])
			return false;
	return true;
}

static inline bool row_meets(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t k = 0; k < words; k++)
		if (a[k] & b[k])
			return true;
	return false;
}

static inline uint32_t row_count(const uint64_t *r, uint32_t words)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < words; k++)
		n += (uint32_t)__builtin_popcountll(r[k]);
	return n;
}

/* The least member at or above FROM, or ROW_END. */
static inline uint32_t row_next(const uint64_t *r, uint32_t words, uint32_t from)
{
	uint32_t k = from >> 6;
	if (k >= words)
		return ROW_END;
	uint64_t m = r[k] >> (from & 63) << (from & 63);
	while (!m) {
		if (++k >= words)
			return ROW_END;
		m = r[k];
	}
	return k * 64 + (uint32_t)__builtin_ctzll(m);
}

/* The greatest member, or ROW_END. */
static inline uint32_t row_last(const uint64_t *r, uint32_t words)
{
	for (uint32_t k = words; k-- > 0;)
		if (r[k])
			return k * 64 + 63 - (uint32_t)__builtin_clzll(r[k]);
	return ROW_END;
}

/* The greatest member below I, or ROW_END. */
static inline uint32_t row_before(const uint64_t *r, uint32_t i)
{
	uint32_t k = i >> 6;
	uint64_t m = r[k] & ((UINT64_C(1) << (i & 63)) - 1);
	while (!m && k)
		m = r[--k];
	return m ? k * 64 + 63 - (uint32_t)__builtin_clzll(m) : ROW_END;
}

/* A relation in which most events have no row of their own: row AT[event] of ROW. Row 0 stays
 * empty. */
struct rare {
	uint64_t *row;
	uint32_t *at;
	uint32_t used, cap; /* rows */
};

/* The same of the members that A and B share. */
static inline uint32_t row_next_shared(
	const uint64_t *a, const uint64_t *b, uint32_t words, uint32_t from)
{
	uint32_t k = from >> 6;
	if (k >= words)
		return ROW_END;
	uint64_t m = (a[k] & b[k]) >> (from & 63) << (from & 63);
	while (!m) {
		if (++k >= words)
			return ROW_END;
		m = a[k] & b[k];
	}
	return k * 64 + (uint32_t)__builtin_ctzll(m);
}

#define ROW_EACH(row, words, i) \
	for (uint32_t i = row_next(row, words, 0); i != ROW_END; i = row_next(row, words, i + 1))
#define ROW_EACH_SHARED(a, b, words, i) \
	for (uint32_t i = row_next_shared(a, b, words, 0); i != ROW_END; \
		i = row_next_shared(a, b, words, i + 1))

#endif
