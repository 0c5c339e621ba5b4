/* What is known of a function's registers before it is written: which are variables, what each op
 * does with them, and where their values must also be in the frame (places.c). */
#ifndef PTXI_NATIVE_PLACES_H
#define PTXI_NATIVE_PLACES_H
#include "native/writer.h"

/* --- sets of variables --- */

static inline bool set_has(const struct set *s, uint32_t k)
{
	return s->word[k / 64] >> k % 64 & 1;
}
static inline void set_put(struct set *s, uint32_t k) { s->word[k / 64] |= UINT64_C(1) << k % 64; }
/* Whether S changes. */
static inline bool set_join(struct set *s, const struct set *with)
{
	bool changed = false;

	for (unsigned k = 0; k < SET_WORDS; k++) {
		changed = changed || (with->word[k] & ~s->word[k]);
		s->word[k] |= with->word[k];
	}
	return changed;
}

/* Adds what A and B have in common. */
static inline void set_join_both(struct set *s, const struct set *a, const struct set *b)
{
	for (unsigned k = 0; k < SET_WORDS; k++)
		s->word[k] |= a->word[k] & b->word[k];
}

/* --- ops --- */

/* Finds the registers that are variables. False: one of them has no fixed width, or overlaps
 * another, or they are too many. */
bool find_places(struct writer *u);
/* All variables that OP names. */
void named(const struct writer *u, const struct op *op, struct set *out);
/* Whether only some of the lanes of this copy may execute OP. */
bool is_masked(const struct writer *u, const struct op *op);
/* What op AT does with variables: READS those whose value it needs, WRITES those that it changes;
 * what it writes without reading had no use before. */
void uses(const struct writer *u, uint32_t at, struct set *reads, struct set *writes);
/* Whether what op AT of WAY_LEAVE writes, if control goes on, are the operands that it names. */
bool writes_operands(const struct op *op);

/* --- control --- */

/* Whether the function is always left at op AT, unless its guard is false in all lanes. */
bool leaves(const struct writer *u, uint32_t at);
/* Whether the function can be left at op AT itself, with all registers in the frame. */
bool is_exit(const struct writer *u, uint32_t at);
bool checks_before(const struct writer *u, uint32_t at);
/* Whether control leads from the last op of a block to the next op. */
bool falls_on(const struct writer *u, uint32_t last);
/* Whether the variables that differ are stored on the way from op FROM to the block at TO: where a
 * loop begins or ends, so that inside it only its own differ. */
bool flushes(const struct writer *u, uint32_t from, uint32_t to);
/* Loops as the ops between the target of a branch and the branch: only where registers are stored
 * depends on it. */
void find_loops(struct writer *u);

/* --- flow of values --- */

/* Whether the kinds of ops are among those that neither poll nor read registers that they do not
 * name. */
bool is_quiet(const struct code_func *c);
/* Whether nobody reads the registers of lanes that are not there, of a quiet function. */
bool is_loose(const struct code_func *c);
/* OUT: the variables that a lane may read before it writes them. False: other registers may be
 * such, too. */
bool find_unset(struct writer *u, struct set *out);
/* DIRTY: forwards. Every entry may be the first, when nothing differs. */
void find_dirty(struct writer *u);
/* USEFUL: what is read later, without the exits; LIVE: with them. */
void find_live(struct writer *u, bool useful);
/* NEED: what must be lines at an entry of the copy `lined`, until it looks again: barriers, and ops
 * that write nothing but what they name, do not end that. */
void find_need(struct writer *u);

#endif
