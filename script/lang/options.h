/* Options of a run: what the command line and set lines say in the same words. */
#ifndef PTXI_SCRIPT_OPTIONS_H
#define PTXI_SCRIPT_OPTIONS_H
#include "base/text.h"
#include "interp/machine.h"

enum run_option {
	RUN_SCHEDULE = 1,
	RUN_SEED = 2,
	RUN_MEMORY = 4,
	RUN_MAX_STEPS = 8,
	RUN_TIMEOUT = 16,
	RUN_CHECK = 32,
	RUN_RUNS = 64,
	RUN_SEEDS = 128,
	RUN_MAX_MEMORY = 256,
	RUN_MAX_OUTPUT = 512,
	RUN_ROUNDS = 1024
};

struct run_options {
	struct machine_options machine;
	/* set of enum run_option: said on the command line, and stronger than a set line */
	unsigned given;
	unsigned set;  /* set of enum run_option: said by a set line */
	uint64_t runs; /* 0: not asked for */
	/* RUN_SEEDS in given or set: check runs a case so often after the first time
	 * (script/host/seeds.c) */
	uint64_t seeds;
	uint64_t rounds; /* explore: of a loop whose reads have a choice; 0: not asked for */
	bool on_gpu;
	bool no_warnings;   /* -w */
	const uint8_t *off; /* -Wno-NAME: a set of codes, as diags.off; NULL: none */
	uint8_t insisted;   /* checks named one by one: the backend must have all of them */
};

enum option_fit { OPTION_FITS, OPTION_UNKNOWN, OPTION_BAD_VALUE };
/* Applies NAME=VALUE (schedule, seed, memory, max-steps, max-memory, max-output, timeout, check,
 * runs, seeds, rounds), unless the command line gave it and OVERRIDE is not set. WHY says what
 * would fit. */
enum option_fit option_apply(struct run_options *o, const char *name, const char *value,
	bool override, struct text *why);
/* A set of enum machine_check as --check takes it: "race,init", "all" or "none". */
const char *option_checks(unsigned set, struct arena *arena);
/* The part of O's time limit that is left, in seconds: 0 when there is none, and never 0 of one. */
double option_time_left(const struct run_options *o);
/* The option whose name is nearest, or NULL. */
const char *option_nearest(const char *name);
/* The names of all, for messages. */
#define OPTION_NAMES \
	"schedule, seed, memory, max-steps, max-memory, max-output, timeout, check, runs, seeds and rounds"
/* A whole decimal or 0x number; false when TEXT is none or more than MOST. */
bool option_number(const char *text, uint64_t most, uint64_t *out);

#endif
