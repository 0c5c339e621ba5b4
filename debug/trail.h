/* Trails: a schedule made by hand, as a text file that repeats it. */
#ifndef PTXI_DEBUG_TRAIL_H
#define PTXI_DEBUG_TRAIL_H
#include "interp/director.h"
#include "ir/ir.h"
#include "script/lang/options.h"
#include "script/lang/script.h"

enum { TRAIL_MAX = 1 << 15 };

/* From step STEP on TURN runs, as long as the machine's own schedule leaves it there. */
struct trail_entry {
	uint64_t step;
	struct turn turn;
	uint32_t line; /* of the file */
};

struct trail {
	const char *path;
	const char *name; /* of the case; NULL: the unnamed one */
	uint64_t program; /* trail_program() of the recorded program; 0: not given */
	uint32_t n;
	struct trail_entry *entry; /* [TRAIL_MAX] */
	/* of the run that follows it */
	struct director director;
	uint64_t step;
	uint32_t next;
	struct text said; /* why it could not be followed, or empty */
};

/* A number for the instructions of M: another program has another one. */
uint64_t trail_program(const struct ir_module *m);
/* Appends the trail as text; TO_STEP: a comment says that the trail was saved there. */
void trail_print(const struct trail *t, const struct run_options *o, struct text *out);
/* Reads a trail and sets in O what it says about the schedule. On failure reports to DIAGS and
 * returns false. */
bool trail_read(struct trail *t, const char *path, struct run_options *o, struct arena *a,
	struct diags *diags);
/* Makes O's machine follow T, once. */
void trail_follow(struct trail *t, struct run_options *o);
/* Whether W's running group is the one that T names. */
bool trail_is(const struct turn *t, const struct warp *w);
/* Appends "warp 1", "cta 2 warp 1 lane 5". */
void trail_turn(const struct turn *t, struct text *out);

#endif
