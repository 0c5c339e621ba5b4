/* What a user who waits sees on stderr: on a terminal one line that says how far the work is,
 * rewritten at most five times a second and erased before anything else is printed; anywhere, once,
 * a note on work that goes on for ten seconds without a bound. */
#ifndef PTXI_CLI_PROGRESS_H
#define PTXI_CLI_PROGRESS_H
#include "cli/cli.h"
#include "script/files/check.h"

/* Work begins. TITLE: printed before what it does, or NULL. RUNS: of how many runs it consists, or
 * 0. OPTIONS: those in effect, whose limits bound it. */
void progress_begin(
	const struct cli *c, const char *title, uint64_t runs, const struct run_options *options);
/* The line is erased, and nothing is drawn until the next beginning. */
void progress_end(void);

/* What tells how far the work is, from any host thread. */
const struct machine_listener *progress_listener(void);
void progress_ran(void *self);
void progress_explored(void *self, uint64_t executions, uint64_t outcomes, double part);
void progress_checking(void *self, const struct check_running *r);
void progress_graded(void *self, uint32_t done, uint32_t of);

/* Around output to stdout or stderr: erases the line, and lets no other be drawn meanwhile.
 * OPEN_LINE: what was printed does not end with a newline, so that a line would be drawn over it.
 */
void progress_hide(void);
void progress_hidden(bool open_line);
/* For handlers of signals, before the process ends: erases the line without a lock. */
void progress_leave(void);

#endif
