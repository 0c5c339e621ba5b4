/* What a stopped program looks like: places, warps, lines, registers, memory, barriers. All append
 * to e->out. */
#ifndef PTXI_DEBUG_SHOW_H
#define PTXI_DEBUG_SHOW_H
#include "debug/state.h"

/* One or two lines about where the step is: printed at every stop. */
void show_stop(struct engine *e);
/* The warp in focus: its place, its groups of lanes, the calls on the way there. */
void show_where(struct engine *e);
/* Every CTA that runs, and the warps of that in focus; ALL: of all. */
void show_warps(struct engine *e, bool all);
/* The call in focus, and its line. */
void show_frame(struct engine *e);
/* What each thread may still read of the memory that WORD names. False: said what is wrong. */
bool show_views(struct engine *e, const char *word);
/* Lines of the PTX around LINE (0: the place in focus, or where the last list ended). */
void show_list(struct engine *e, const char *words);
/* Registers and memory. FORMAT: 0, or x for hexadecimal. False: said what is wrong. */
bool show_print(struct engine *e, const char *words, char format);
void show_registers(struct engine *e);
/* Those that changed since the last command ran on; show_remember() is called then. */
void show_changed(struct engine *e);
void show_remember(struct engine *e);
void show_findings(struct engine *e);
/* The barriers and mbarriers of the CTA in focus. */
void show_barriers(struct engine *e);
/* What the CTA in focus waits for, in the words of a deadlock report. */
void show_why(struct engine *e);

#endif
