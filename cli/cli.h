/* The command line: one table of options, one source file per command. */
#ifndef PTXI_CLI_CLI_H
#define PTXI_CLI_CLI_H
#include "script/files/check.h"
#include "script/files/picture_file.h"
#include "script/verdict/show.h"

enum command {
	COMMAND_RUN = 1,
	COMMAND_CHECK = 2,
	COMMAND_EXPLORE = 4,
	COMMAND_AS = 8,
	COMMAND_DIS = 16,
	COMMAND_EXPLAIN = 32,
	COMMAND_GRADE = 64,
	COMMAND_MERGE = 128,
	COMMAND_LEARN = 256,
	COMMAND_DEBUG = 512,
	COMMAND_EXEC = 1024,
	COMMAND_CC = 2048,
	COMMAND_ALL = 4095
};
enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_TSV,
	FORMAT_JUNIT,
	FORMAT_TAP,
	FORMAT_CSV,
	FORMAT_HTML
};

/* The findings of a case, as printed. */
struct shown_findings {
	const char *name, *text;
};

struct cli {
	enum command command;
	struct arena arena;
	struct diags diags;       /* errors in the command line itself */
	VEC(const char *) files;  /* exec: the program and its arguments */
	VEC(const char *) linked; /* with the file, or with each file of check */
	VEC(const char *) lines;  /* given with -e */
	VEC(const char *) allow;  /* given with --allow-files */
	VEC(const char *) source_path;
	VEC(const char *) passed; /* exec: settings for the driver, "seed=7" */
	VEC(const char *) flags;  /* cc: options that are the compiler's */
	const char *clang;        /* --clang=PROGRAM */
	bool nvcc;                /* --nvcc */
	struct program_compiler compiler;
	bool ptx_only; /* cc -S */
	VEC(struct shown_findings) shown;
	/* explore --shard: the command line without what only this run is about */
	VEC(const char *) words;
	struct parts *parts; /* merge: what is joined instead of exploring, or NULL */
	const char *script, *output, *graph, *picture, *why, *trace;
	struct picture_file drawn;    /* of --picture */
	const char *commands, *trail; /* debug -x FILE; --trail=FILE */
	const char *case_name;        /* debug --case=NAME */
	bool dap;                     /* debug --dap */
	bool engine_given;            /* --engine */
	const char *earlier;          /* grade --continue */
	struct run_options options;
	struct assemble_options assemble;
	unsigned jobs;
	bool leaks;             /* exec: report memory that is never freed */
	uint32_t shard, shards; /* grade, explore --shard=K/N; 0: not given */
	bool for_students;      /* grade, merge: --for=students */
	uint8_t off[sizeof((struct diags *)0)->off];
	enum format format;
	bool semantic_deps; /* explore --deps=semantic */
	bool verify;        /* explore --verify */
	bool slack;         /* explore --slack */
	bool any_grid;      /* explore --any-grid */
	const char *repair; /* explore --repair[=COND]; "" without a condition, NULL: not given */
	unsigned since;     /* of --coverage: 91 for PTX 9.1, 0 for every version */
	bool no_warnings, quiet, verbose, stats, stats_lines, trace_atomics, coverage, help,
		version;
	bool color;     /* of stdout */
	bool color_err; /* of stderr */
	/* 0 auto, 1 always, -1 never */
	int color_choice, progress_choice;
};

void cli_free(struct cli *c);
/* Reads ARGV from index 1. On failure reports to c->diags and returns false. */
bool options_read(struct cli *c, int argc, char **argv);
/* Appends the text of --help for one command, or for all if COMMAND is 0. */
void options_help(unsigned command, struct text *out);
const char *command_name(unsigned command);
/* The command nearest to WORD, or NULL if none is near. */
const char *command_nearest(const char *word);

/* The rows of the tables of options and commands, for what is generated from them; false past the
 * last. Command K is bit K of an option's set. */
struct shown_option {
	const char *name, *letter, *argument, *help; /* as in struct option_row; may be NULL */
	unsigned commands;
	bool attached; /* the argument follows the letter without a space: -Wno-NAME */
};
bool option_shown(unsigned k, struct shown_option *out);
struct shown_command {
	const char *name, *synopsis, *help;
};
bool command_shown(unsigned k, struct shown_command *out);
extern const char options_statuses[];
/* Appends a file for other programs, KIND: commands, man COMMAND, bash, zsh, vim, vscode
 * or lessons. False: there is no such file. */
bool generate(const char *kind, const char *command, struct text *out);

int command_run(struct cli *c);
int command_check(struct cli *c);
int command_explore(struct cli *c);
int command_as(struct cli *c);
int command_dis(struct cli *c);
int command_explain(struct cli *c);
int command_grade(struct cli *c);
int command_merge(struct cli *c);
int command_learn(struct cli *c);
int command_debug(struct cli *c);
int command_exec(struct cli *c);
int command_cc(struct cli *c);

#endif
