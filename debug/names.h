/* Names of memory and threads as the user writes them. */
#ifndef PTXI_DEBUG_NAMES_H
#define PTXI_DEBUG_NAMES_H
#include "debug/state.h"

/* The CTA of T if it runs, else NULL; the warp likewise. */
struct cta *names_cta(const struct engine *e, const struct turn *t);
struct warp *names_warp(const struct engine *e, const struct turn *t);
/* Finds NAME, NAME[A] or NAME[A..B] at WORD: a buffer, a variable of the module, or one of the
 * shared memory of T's CTA. False: WHY says what is wrong. */
bool names_place(const struct engine *e, const char *word, const struct turn *t, struct place *out,
	struct text *why);
/* Reads N bytes from byte AT of the place. False: it is not there now. DEFINED may be NULL. */
bool names_read(const struct engine *e, const struct place *p, uint64_t at, uint64_t n, void *bytes,
	uint8_t *defined);
/* Appends element K of the place, counted from p->low. */
void names_element(const struct engine *e, const struct place *p, uint64_t k, struct text *out);
/* "CTA 2, warp 1"; with lane: ", thread 37". */
void names_turn(const struct engine *e, const struct turn *t, struct text *out);

#endif
