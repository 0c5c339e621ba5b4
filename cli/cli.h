/* The command line: one table of options, one file a command. */
#ifndef PTXI_CLI_CLI_H
#define PTXI_CLI_CLI_H
#include "script/files/check.h"
#include "script/verdict/show.h"

enum command {
	COMMAND_RUN = 1,
	COMMAND_CHECK = 2,
	COMMAND_EXPLORE = 4,
	COMMAND_AS = 8,
	COMMAND_DIS = 16,
	COMMAND_EXPLAIN = 32,
	COMMAND_ALL = 63
};
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV, FORMAT_JUNIT, FORMAT_TAP };

/* The records of a case, as they were printed. */
struct said {
	const char *name, *text;
};

struct cli {
	enum command command;
	struct arena arena;
	struct diags diags; /* of the command line itself */
	VEC(const char *) files;
	VEC(const char *) lines; /* of -e */
	VEC(const char *) allow; /* of --allow-files */
	VEC(struct said) said;
	const char *script, *output, *graph, *why, *trace;
	struct run_options options;
	struct assemble_options assemble;
	unsigned jobs;
	uint8_t off[sizeof((struct diags *)0)->off];
	enum format format;
	bool semantic_deps; /* explore --deps=semantic */
	bool verify;        /* explore --verify */
	bool no_warnings, quiet, verbose, stats, trace_atomics, coverage, help, version;
	bool color;       /* of stdout */
	bool color_err;   /* of stderr */
	int color_choice; /* 0 auto, 1 always, -1 never */
};

/* Reads ARGV from index 1; false after reports in c->diags. */
bool options_read(struct cli *c, int argc, char **argv);
/* The text of --help, of one command or (0) of all. */
void options_help(unsigned command, struct text *out);
const char *command_name(unsigned command);
/* "", or the option or command nearest to WORD. */
const char *command_nearest(const char *word);

int command_run(struct cli *c);
int command_check(struct cli *c);
int command_explore(struct cli *c);
int command_as(struct cli *c);
int command_dis(struct cli *c);
int command_explain(struct cli *c);

#endif
