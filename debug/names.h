/* Names of memory and threads as the user writes them. */
#ifndef PTXI_DEBUG_NAMES_H
#define PTXI_DEBUG_NAMES_H
#include "debug/state.h"

/* The CTA of T if it runs, else NULL; the warp likewise. */
struct cta *names_cta(const struct engine *e, const struct turn *t);
struct warp *names_warp(const struct engine *e, const struct turn *t);
/* The group of W that has the lane of T, or the one that runs, or the first. */
uint32_t names_group(const struct engine *e, const struct warp *w, const struct turn *t);
/* The instruction that group K of W executes next, or IR_NONE; its frame. */
uint32_t names_insn(const struct engine *e, const struct warp *w, uint32_t k);
struct frame *names_frame(const struct engine *e, const struct warp *w, uint32_t k);
/* The frame in focus, and where it is; NULL: the warp in focus does not run. */
struct frame *names_focus(const struct engine *e, uint32_t *insn);
/* The line of the PTX of INSN (IR_NONE: 0), and its place in the user's source or NULL. */
uint32_t names_line(const struct engine *e, uint32_t insn);
/* The file of an instruction; for IR_NONE the first file. */
struct source *names_source(const struct engine *e, uint32_t insn);
const struct origin *names_origin(const struct engine *e, uint32_t insn);
/* Finds NAME, NAME[A] or NAME[A..B] at WORD: a buffer, a variable of the module, one of the
 * shared memory of T's CTA, one of the frame in focus, or a parameter of the kernel. False: WHY
 * says what is wrong. */
bool names_place(const struct engine *e, const char *word, const struct turn *t, struct place *out,
	struct text *why);
/* Reads N bytes from byte AT of the place. False: it is not there now. DEFINED may be NULL. */
bool names_read(const struct engine *e, const struct place *p, uint64_t at, uint64_t n, void *bytes,
	uint8_t *defined);
/* Whether a value of TYPE is of 64 bits and may be an address. */
bool names_address(enum type type, const unsigned char *bytes);
/* Appends element K of the place, counted from p->low. */
void names_element(const struct engine *e, const struct place *p, uint64_t k, struct text *out);
/* "CTA 2, warp 1"; with lane: ", thread 37". */
void names_turn(const struct engine *e, const struct turn *t, struct text *out);

#endif
