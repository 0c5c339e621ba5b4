/* The command line: one table of options, one file a command. */
#ifndef PTXI_CLI_CLI_H
#define PTXI_CLI_CLI_H
#include "script/check.h"
#include "script/show.h"

enum command { COMMAND_RUN = 1, COMMAND_CHECK = 2, COMMAND_EXPLORE = 4, COMMAND_AS = 8, COMMAND_DIS = 16, COMMAND_EXPLAIN = 32, COMMAND_ALL = 63 };
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV, FORMAT_JUNIT, FORMAT_TAP };

/* The records of a case, as they were printed. */
struct said {
	const char *name, *text;
};

struct cli {
	enum command command;
	struct arena arena;
	struct diags diags;             /* of the command line itself */
	VEC(const char *) files;
	VEC(const char *) lines;        /* of -e */
	VEC(const char *) allow;        /* of --allow-files */
	VEC(struct said) said;
	const char *script, *output, *graph, *why, *trace;
	struct run_options options;
	struct assemble_options assemble;
	unsigned jobs;
	uint8_t off[sizeof((struct diags *)0)->off];
	enum format format;
	bool semantic_deps;             /* explore --deps=semantic */
	bool no_warnings, quiet, verbose, stats, trace_atomics, coverage, help, version;
	bool color;                     /* of stdout */
	bool color_err;                 /* of stderr */
	int color_choice;               /* 0 auto, 1 always, -1 never */
};

/* Reads ARGV from index 1; false after reports in c->diags. */
bool options_read(struct cli *c, int argc, char **argv);
/* The text of --help, of one command or (0) of all. */
void options_help(unsigned command, struct text *out);
const char *command_name(unsigned command);
/* "", or the option or command nearest to WORD. */
const char *command_nearest(const char *word);

/* From now on SIGINT and SIGTERM are noted and not obeyed: what runs sees c->options.machine.interrupted, ends and reports; a second one ends the process. */
void interrupts_watch(struct cli *c);
/* STATUS, or 128 and the signal that came. */
int interrupts_status(int status);
/* The time for a file begins. While it is loaded, nobody looks at the clock: a signal does, and ends the process with status 7. */
void load_begin(struct cli *c);
void load_end(void);
/* The options, with what is left of the file's time as the limit. */
struct run_options options_left(const struct cli *c);

int command_run(struct cli *c);
int command_check(struct cli *c);
int command_explore(struct cli *c);
int command_as(struct cli *c);
int command_dis(struct cli *c);
int command_explain(struct cli *c);

/* To stdout and stderr; a text is written in one piece. */
void put(const struct text *t);
void put_bytes(const char *bytes, size_t n);
void put_err(const struct text *t);
/* Renders records on stderr. */
void put_diags(const struct cli *c, struct diags *d);
struct program_request cli_request(const struct cli *c);
/* The exit status of two cases that ended with A and B: the one that says most against trusting the rest. */
int cli_worse(int a, int b);
/* Does ONE with every case of P; the objects that it adds to JSON become one, a list when there are several. Returns the exit status of all. */
int cli_each_case(struct cli *c, struct program *p, int (*one)(struct cli *c, struct program *p, struct script_case *k, struct text *json), struct text *json);
/* Nothing to do: says what could be done. Returns the exit status. */
int cli_idle(struct cli *c, struct program *p, struct text *json);

#endif
