/* The time limit while a file is being loaded. */
#ifndef PTXI_CLI_LOAD_H
#define PTXI_CLI_LOAD_H
#include "cli/cli.h"

/* Starts the time limit of a file that R asks for, after interrupts_load(). Loading does not check
 * the clock, so a timer signal ends the process with status 7 if it takes too long. */
void load_begin(struct cli *c, struct program_request *r);
/* Stops the timer. */
void load_end(void);
/* The options, with the rest of the file's time as the time limit. */
struct run_options options_left(const struct cli *c);

#endif
