/* Breakpoints and watchpoints: what the user writes, and when it has happened. */
#ifndef PTXI_DEBUG_STOPS_H
#define PTXI_DEBUG_STOPS_H
#include "debug/state.h"

/* Adds the stop that WORDS, after "break" or "watch" (READS, WRITES: which accesses), describes,
 * and says so. False: said what is wrong. */
bool stops_break(struct engine *e, const char *words, bool once);
bool stops_watch(struct engine *e, const char *words, bool reads, bool writes);
/* Fills OUT for one search. */
bool stops_search(struct engine *e, const char *words, struct stop *out);
/* Removes stop NUMBER; 0: all. */
bool stops_delete(struct session *s, uint32_t number);
void stops_list(struct engine *e);

/* Prepares the stops of the order for comparing. */
void stops_prepare(struct engine *e);
/* Looks again for places that did not exist before. */
void stops_again(struct engine *e);
/* A stop at the instruction that the running warp executes next: fills HIT. */
bool stops_here(struct engine *e, struct hit *hit);
/* Events of the step that executes: they set e->s->hit. */
void stops_access(struct engine *e, const struct access_event *a);
void stops_sync(struct engine *e, const struct sync_event *y);
/* The step has executed: completes e->s->hit. */
void stops_after(struct engine *e);

#endif
