/* The time that a file may take to load. */
#ifndef PTXI_CLI_LOAD_H
#define PTXI_CLI_LOAD_H
#include "cli/cli.h"

/* The time for a file begins. While it is loaded, nobody looks at the clock: a signal does, and
 * ends the process with status 7. */
void load_begin(struct cli *c);
void load_end(void);
/* The options, with what is left of the file's time as the limit. */
struct run_options options_left(const struct cli *c);

#endif
