/* Options of a run, which the command line and set directives spell the same way. */
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
	/* set of enum run_option: given on the command line, which overrides set directives */
	unsigned given;
	unsigned set;  /* set of enum run_option: given by a set directive */
	uint64_t runs; /* 0: not requested */
	/* if RUN_SEEDS is in given or set: how many more times check runs a case
	 * (script/host/seeds.c) */
	uint64_t seeds;
	/* explore: maximum rounds of a loop whose reads have a choice; 0: not requested */
	uint64_t rounds;
	bool on_gpu;
	bool no_warnings;   /* -w */
	const uint8_t *off; /* -Wno-NAME: codes turned off, as in diags.off; NULL: none */
	uint8_t insisted;   /* checks named individually: the backend must support all of them */
};

enum option_fit { OPTION_FITS, OPTION_UNKNOWN, OPTION_BAD_VALUE };
/* Applies NAME=VALUE (schedule, seed, memory, max-steps, max-memory, max-output, timeout, check,
 * runs, seeds, rounds), unless the command line gave it and OVERRIDE is false. If the value is
 * invalid, WHY says which values are valid. */
enum option_fit option_apply(struct run_options *o, const char *name, const char *value,
	bool override, struct text *why);
/* A set of enum machine_check as --check takes it: "race,init", "all" or "none". */
const char *option_checks(unsigned set, struct arena *arena);
/* Seconds left of O's time limit: 0 if there is no limit, always positive if there is one. */
double option_time_left(const struct run_options *o);
/* The option whose name is nearest to NAME, or NULL if none is near. */
const char *option_nearest(const char *name);
/* The names of all options, for messages. */
#define OPTION_NAMES \
	"schedule, seed, memory, max-steps, max-memory, max-output, timeout, check, runs, seeds and rounds"
/* Parses an integer, decimal or with 0x; false if TEXT is not one or it exceeds MAX. */
bool option_number(const char *text, uint64_t max, uint64_t *out);

#endif
