/* The processes of a session: the front, the runner, and the checkpoints, which are copies of
 * earlier runners. A checkpoint that is woken makes a copy of itself, which becomes the runner. */
#ifndef PTXI_DEBUG_PROCESSES_H
#define PTXI_DEBUG_PROCESSES_H
#include "debug/state.h"

/* --- in the front --- */

/* Starts the engine, asleep before the run's beginning in slot 0. False: no process can be made. */
bool processes_begin(struct session *s, void (*engine)(struct session *s));
void processes_end(struct session *s);
/* Gives the session's order to the runner, and waits until it is done. False: the runner is gone.
 */
bool processes_ask(struct session *s);
/* Gives the order to a copy of checkpoint SLOT, which becomes the runner. The runner before ends,
 * unless KEEP. */
bool processes_wake(struct session *s, uint32_t slot, bool keep);
/* Ends the process of SLOT. */
void processes_drop(struct session *s, uint32_t slot);
/* The last checkpoint before STEP, or at it. */
uint32_t processes_nearest(const struct session *s, uint64_t step);

/* --- in an engine --- */

/* Sleeps as a checkpoint. Returns in the new runner, with its slot; its order is in the session. */
uint32_t processes_sleep(struct session *s, uint32_t slot);
/* Makes a checkpoint before STEP, one of at most MOST. Returns true in a runner that was woken from
 * it. */
bool processes_copy(struct session *s, uint32_t *slot, uint64_t step, uint32_t most);
/* Tells the front that the order is done, and waits for the next. */
void processes_done(struct session *s, uint32_t slot);

#endif
