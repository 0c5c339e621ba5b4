/* The table of options, from which the command line is parsed and --help is printed. */
#include "cli/cli.h"
#include "script/lang/file_help.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RUNNING = COMMAND_RUN | COMMAND_CHECK | COMMAND_EXPLORE,
	LOADING = RUNNING | COMMAND_DEBUG,
	STEPPING = COMMAND_RUN | COMMAND_DEBUG | COMMAND_EXEC,
	GRADING = COMMAND_GRADE | COMMAND_MERGE
};

enum option {
	O_E,
	O_SCRIPT,
	O_LINK,
	O_ALLOW,
	O_SOURCE_PATH,
	O_ON,
	O_RUN_OPTION,
	O_JOBS,
	O_LEAKS,
	O_DEVICES,
	O_STATS,
	O_ENGINE,
	O_NO_CACHE,
	O_TRACE,
	O_TRACE_ATOMICS,
	O_TRAIL,
	O_COMMANDS,
	O_CASE,
	O_DAP,
	O_FORMAT,
	O_PICTURE,
	O_GRAPH,
	O_WHY,
	O_DEPS,
	O_VERIFY,
	O_REPAIR,
	O_SLACK,
	O_ANY_GRID,
	O_OUTPUT,
	O_CLANG,
	O_NVCC,
	O_PTX_ONLY,
	O_SHARD,
	O_CONTINUE,
	O_FOR,
	O_TARGET,
	O_ARCH,
	O_PTX,
	O_WARNING,
	O_NO_WARNINGS,
	O_COVERAGE,
	O_SINCE,
	O_COLOR,
	O_PROGRESS,
	O_QUIET,
	O_VERBOSE,
	O_HELP,
	O_VERSION
};

struct option_row {
	enum option option;
	const char *name;     /* "--seed", or NULL */
	const char *letter;   /* "-j", or NULL */
	const char *argument; /* its name in --help; NULL: no argument */
	unsigned commands;
	const char *help;
};

static const struct option_row rows[] = {
	{O_E, NULL, "-e", "LINE", LOADING,
		"add a //@ directive to those of the file; may be repeated"},
	{O_SCRIPT, "--script", NULL, "FILE", LOADING,
		"take the //@ directives from FILE instead of the .ptx file"},
	{O_LINK, "--link", NULL, "FILE", LOADING,
		"link FILE with the file, or with each file of check; may be repeated"},
	{O_ALLOW, "--allow-files", NULL, "DIR", LOADING,
		"let file() read files below DIR, too; may be repeated"},
	{O_SOURCE_PATH, "--source-path", NULL, "DIR|none", LOADING | COMMAND_AS,
		"also look below DIR for the files that .file names, to show their lines; none: show no lines"},
	{O_ON, "--on", NULL, "interp|gpu", COMMAND_RUN | COMMAND_CHECK,
		"what executes the kernels: the interpreter (default) or the CUDA driver"},
	{O_RUN_OPTION, "--memory", NULL, "fast|weak", STEPPING | COMMAND_CHECK,
		"fast: loads and stores take effect at once (default); weak: random samples of what the PTX memory model allows"},
	{O_RUN_OPTION, "--schedule", NULL, "fair|lockstep|random", STEPPING | COMMAND_CHECK,
		"fair: every lane makes progress (default); lockstep: as before Volta; random: by the seed"},
	{O_RUN_OPTION, "--seed", NULL, "N", STEPPING | COMMAND_CHECK, "random seed"},
	{O_RUN_OPTION, "--runs", NULL, "N", COMMAND_RUN | COMMAND_CHECK,
		"run N times with consecutive seeds from --seed, and show how often each outcome occurred"},
	{O_RUN_OPTION, "--seeds", NULL, "N", COMMAND_CHECK,
		"run a case N more times with random schedules and weak memory; 0: only once (default: as often as a step budget allows)"},
	{O_RUN_OPTION, "--check", NULL, "LIST|all|none", STEPPING | COMMAND_CHECK,
		"checks to enable: race, init, bounds, sync (run, exec: bounds,sync; check: all)"},
	{O_RUN_OPTION, "--max-steps", NULL, "N", STEPPING | COMMAND_CHECK,
		"stop after N warp instructions (status 7)"},
	{O_RUN_OPTION, "--max-memory", NULL, "BYTES", STEPPING | COMMAND_CHECK | COMMAND_EXPLORE,
		"stop when the program or its exploration needs more memory, such as 64K, 300M, 2G (default: half of the machine's)"},
	{O_RUN_OPTION, "--max-output", NULL, "BYTES", STEPPING | COMMAND_CHECK,
		"stop when kernels print more (default: 16M)"},
	{O_RUN_OPTION, "--timeout", NULL, "SECONDS", RUNNING | COMMAND_EXEC,
		"stop after this time (status 7)"},
	{O_RUN_OPTION, "--rounds", NULL, "N", COMMAND_CHECK | COMMAND_EXPLORE,
		"explore: follow a loop for at most N rounds in which a read could return different values (default: 4)"},
	{O_JOBS, "--jobs", "-j", "N", RUNNING | COMMAND_GRADE | COMMAND_EXEC,
		"host threads; grade: submissions at a time; default: all processors"},
	{O_ENGINE, "--engine", NULL, "interpreter|stencils|native|auto",
		COMMAND_RUN | COMMAND_CHECK,
		"what executes plain runs: the interpreter; stencils: pieces of machine code, put together before each launch (default of run, except with --runs); native: code that a C compiler makes before each launch; auto: pieces, and such code for functions that run long"},
	{O_NO_CACHE, "--no-cache", NULL, NULL, COMMAND_RUN | COMMAND_CHECK,
		"with --engine: neither use nor keep translated code of other runs"},
	{O_DEVICES, "--devices", NULL, "N", COMMAND_EXEC,
		"how many devices the program sees (default: 1, at most 16)"},
	{O_LEAKS, "--leaks", NULL, NULL, COMMAND_EXEC,
		"report memory of the device that the program never frees"},
	{O_STATS, "--stats", NULL, "[=lines]", COMMAND_RUN | COMMAND_EXPLORE,
		"lines: instructions, divergence, bank conflicts and sectors by source line; otherwise run: count instructions by form, threads, barriers, atomics, divergence, bytes; explore: statistics of the search"},
	{O_TRACE, "--trace", NULL, "FILE", COMMAND_RUN,
		"write every synchronisation event: JSON lines, or a Chrome/Perfetto trace when FILE ends in .json"},
	{O_TRACE_ATOMICS, "--trace-atomics", NULL, NULL, COMMAND_RUN,
		"with --trace: also record atomic operations, and loads and stores with a memory order"},
	{O_TRAIL, "--trail", NULL, "FILE", COMMAND_RUN | COMMAND_DEBUG,
		"repeat the schedule that 'trail save FILE' of debug wrote"},
	{O_COMMANDS, NULL, "-x", "FILE", COMMAND_DEBUG,
		"take the debugger's commands from FILE instead of standard input"},
	{O_CASE, "--case", NULL, "NAME", COMMAND_DEBUG,
		"the case to debug (default: the first that launches a kernel)"},
	{O_DAP, "--dap", NULL, NULL, COMMAND_DEBUG,
		"speak the Debug Adapter Protocol on standard input and output, for editors"},
	{O_PICTURE, "--picture", NULL, "FILE.svg", COMMAND_RUN | COMMAND_EXPLORE,
		"draw what happened: run: the synchronisation of the warps, and findings where they arose; explore: the executions that answer the conditions"},
	{O_GRAPH, "--graph", NULL, "FILE.dot", COMMAND_EXPLORE,
		"draw an execution with this outcome, or the cycle that forbids it"},
	{O_WHY, "--why", NULL, "COND", COMMAND_EXPLORE,
		"report which synchronisation makes COND impossible, or which is missing where COND is possible"},
	{O_DEPS, "--deps", NULL, "syntactic|semantic", COMMAND_EXPLORE,
		"semantic: x^x, x-x, x&0 and x*0 do not depend on x"},
	{O_VERIFY, "--verify", NULL, NULL, COMMAND_EXPLORE,
		"check every execution found against a second statement of the memory model's axioms (status 70 if one violates an axiom)"},
	{O_REPAIR, "--repair", NULL, "[=COND]", COMMAND_EXPLORE | COMMAND_CHECK,
		"name the weakest changes of fences, orders, scopes and barriers that make what fails hold, a data race disappear, or (explore) COND impossible; each is verified by exploring the changed program, or by running it as check does"},
	{O_SLACK, "--slack", NULL, NULL, COMMAND_EXPLORE,
		"name the fences, orders and scopes that could be weaker without a new outcome, each verified in the same way"},
	{O_ANY_GRID, "--any-grid", NULL, NULL, COMMAND_EXPLORE,
		"do not search: prove for every launch that it has no data race with any number of CTAs, or say why that is not known"},
	{O_SHARD, "--shard", NULL, "K/N", COMMAND_GRADE | COMMAND_EXPLORE,
		"only the K-th of N parts of the class, or of the search; 'ptxi merge' joins the results"},
	{O_CONTINUE, "--continue", NULL, "FILE.json", COMMAND_GRADE,
		"go on from the JSON report of an interrupted run: judge only what it lacks, and files that changed"},
	{O_FOR, "--for", NULL, "teacher|students", GRADING,
		"students: of hidden cases show only the name and whether they passed"},
	{O_OUTPUT, "--output", "-o", "FILE",
		COMMAND_AS | COMMAND_DIS | GRADING | COMMAND_EXEC | COMMAND_CC,
		"write the object, the text, the report, the findings or the program to FILE; html and json in a folder: one file for each student"},
	{O_CLANG, "--clang", NULL, "PROGRAM", LOADING | COMMAND_AS | COMMAND_DIS | COMMAND_CC,
		"the clang that compiles .cu files (default: $CLANG, or the newest that is installed)"},
	{O_NVCC, "--nvcc", NULL, NULL, LOADING | COMMAND_AS | COMMAND_DIS,
		"compile .cu files with nvcc instead of clang"},
	{O_PTX_ONLY, NULL, "-S", NULL, COMMAND_CC,
		"write the PTX of the device code instead of a program"},
	{O_TARGET, "--target", NULL, "sm_XX", LOADING | COMMAND_AS | COMMAND_DIS,
		"assemble by the rules of this target instead of the file's .target"},
	{O_ARCH, "--arch", NULL, "sm_XX", LOADING | COMMAND_AS | COMMAND_DIS,
		"like ptxas -arch: keep the rules of the file's .target, and check that the file runs on sm_XX"},
	{O_PTX, "--ptx", NULL, "X.Y", LOADING | COMMAND_AS | COMMAND_DIS,
		"assemble as this PTX version instead of the file's .version, older or newer"},
	{O_WARNING, NULL, "-W", "no-NAME", LOADING | COMMAND_AS | COMMAND_DIS,
		"disable a warning, by its name or code: -Wno-unreachable, -Wno-W0502"},
	{O_NO_WARNINGS, NULL, "-w", NULL, LOADING | COMMAND_AS | COMMAND_DIS, "no warnings"},
	{O_COVERAGE, "--coverage", NULL, NULL, COMMAND_EXPLAIN,
		"list the instruction forms that are not executed"},
	{O_SINCE, "--since", NULL, "X.Y", COMMAND_EXPLAIN,
		"with --coverage: list the forms of this PTX version and later, executed or not"},
	{O_FORMAT, "--format", NULL, "text|json|tsv|junit|tap|csv|html",
		RUNNING | COMMAND_AS | GRADING,
		"output format; tsv lists the outcomes of run; junit is for check, grade and merge, tap for check, csv and html for grade and merge"},
	{O_COLOR, "--color", NULL, "auto|always|never", COMMAND_ALL,
		"colours; auto: on a terminal, unless NO_COLOR is set"},
	{O_PROGRESS, "--progress", NULL, "auto|always|never", RUNNING | COMMAND_GRADE,
		"a line on stderr that says how far the work is; auto: on a terminal, unless CI is set or TERM is dumb"},
	{O_QUIET, "--quiet", "-q", NULL, COMMAND_ALL, "print errors, but no warnings"},
	{O_VERBOSE, "--verbose", "-v", NULL, COMMAND_ALL,
		"more output: launches, findings of passed cases; debug: show the commands"},
	{O_HELP, "--help", "-h", NULL, COMMAND_ALL, "this text"},
	{O_VERSION, "--version", NULL, NULL, COMMAND_ALL, "the version"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct {
	const char *name, *synopsis, *help;
} commands[] = {
	{"run", "FILE... [-e LINE]...",
		"execute FILE's //@ directives; print results and findings; several files are linked"},
	{"check", "FILE|DIR...", "run every file, and check its expectations"},
	{"explore", "FILE...", "list every outcome that the PTX memory model allows"},
	{"as", "FILE [-o OUT.ptxo]", "assemble: report what ptxas would reject, write an object"},
	{"dis", "FILE", "print an object or a source file as canonical PTX"},
	{"explain", "WORD",
		"explain a diagnostic code, a concept (race, parity ...), an instruction, a modifier, a special register or a //@ directive"},
	{"grade", "SUITE DIR", "grade the submissions in DIR by the exercises of SUITE"},
	{"merge", "FILE.json...", "join the results of grade or explore with --shard=K/N"},
	{"learn", "[N [start [DIR] | check FILE | hint | solution]]",
		"list the lessons; show lesson N, write its files, check a solution of its exercise, or help with it"},
	{"debug", "FILE...",
		"step through FILE, forwards and backwards; its command 'help' lists the others"},
	{"exec", "PROGRAM [ARGUMENT]...",
		"run a CUDA program without a GPU; report the findings of its kernels"},
	{"cc", "FILE.cu... [-o PROGRAM]",
		"compile a CUDA program with clang, for exec; other options are the compiler's"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

const char *command_name(unsigned command)
{
	for (unsigned k = 0; k < COMMANDS; k++)
		if (command == 1u << k)
			return commands[k].name;
	return "";
}

static const char *nearest_name(
	const char *word, const char *best, const char *candidate, unsigned *least)
{
	unsigned d = candidate ? text_distance(word, strlen(word), candidate, strlen(candidate), 3)
			       : 99;

	if (d < *least && d < strlen(word)) {
		*least = d;
		return candidate;
	}
	return best;
}

const char *command_nearest(const char *word)
{
	/* What other tools call it. */
	static const struct {
		const char *word, *command;
	} other[] = {
		{"test", "check"},
		{"verify", "check"},
		{"execute", "run"},
		{"gdb", "debug"},
		{"step", "debug"},
		{"start", "run"},
		{"assemble", "as"},
		{"compile", "as"},
		{"nvcc", "cc"},
		{"clang", "cc"},
		{"build", "as"},
		{"ptxas", "as"},
		{"disassemble", "dis"},
		{"disasm", "dis"},
		{"print", "dis"},
		{"model", "explore"},
		{"litmus", "explore"},
		{"lesson", "learn"},
		{"lessons", "learn"},
		{"tutorial", "learn"},
		{"course", "learn"},
		{"man", "help"},
		{"version", "--version"},
	};
	const char *best = NULL;
	unsigned least = 3;

	for (size_t k = 0; k < sizeof other / sizeof other[0]; k++)
		if (strcmp(other[k].word, word) == 0)
			return other[k].command;

	for (unsigned k = 0; k < COMMANDS; k++)
		best = nearest_name(word, best, commands[k].name, &least);
	return best;
}

static void unknown_option(struct cli *c, const char *word)
{
	char *name = arena_text(&c->arena, word, strcspn(word, "="));
	const char *best = NULL;
	unsigned least = 4;
	struct diag *d = diag_plain(&c->diags, DIAG_L0302, "unknown option '%.80s'", name);

	for (unsigned k = 0; k < ROWS; k++)
		if (!c->command || rows[k].commands & c->command)
			best = nearest_name(name, best, rows[k].name, &least);
	if (strcmp(name, "-V") == 0)
		best = "--version";
	if (best)
		diag_help(&c->diags, d, "did you mean %s%.80s?", best, word + strlen(name));
	else if (c->command)
		diag_help(
			&c->diags, d, "'ptxi help %s' lists its options", command_name(c->command));
	else
		diag_help(&c->diags, d, "'ptxi help' lists the commands");
}

static void bad_value(struct cli *c, const struct option_row *o, const char *value, const char *why)
{
	struct diag *d = diag_plain(&c->diags, DIAG_L0303, "invalid value '%.80s' of %s", value,
		o->name ? o->name : o->letter);

	diag_help(&c->diags, d, "%s", why);
}

static int option_pick(
	struct cli *c, const struct option_row *o, const char *value, const char *const *words)
{
	for (int k = 0; words[k]; k++)
		if (strcmp(words[k], value) == 0)
			return k;
	bad_value(c, o, value, arena_printf(&c->arena, "it takes %s", o->argument));
	return -1;
}

/* Handles -Wno-NAME, the only form of -W. */
static void disable_warning(struct cli *c, const struct option_row *o, const char *value)
{
	char name[64];
	enum diag_code code;

	if (strncmp(value, "no-", 3) != 0 || strlen(value) >= sizeof name) {
		bad_value(
			c, o, value, "warnings are enabled by default; disable one with -Wno-NAME");
		return;
	}
	strcpy(name, value + 3);
	code = diag_code_find(name);
	for (char *s = name; *s && code == DIAG_NONE; s++)
		*s = *s == '-' ? '_' : *s;
	code = code ? code : diag_code_find(name);
	if (code == DIAG_NONE || !diag_is_warning(code)) {
		bad_value(c, o, value,
			"unknown warning; 'ptxi explain codes' lists the codes, 'ptxi explain CODE' says which are warnings");
		return;
	}
	c->off[(unsigned)code / 8] |= (uint8_t)(1u << ((unsigned)code % 8));
	c->options.off = c->off;
}

static void read_ptx_version(
	struct cli *c, const struct option_row *o, const char *value, unsigned *to)
{
	unsigned major, minor;
	char rest;

	if (sscanf(value, "%2u.%1u%c", &major, &minor, &rest) == 2)
		*to = major * 10 + minor;
	else
		bad_value(c, o, value, "it takes a version such as 9.4");
}

static void read_shard(struct cli *c, const struct option_row *o, const char *value)
{
	const char *slash = strchr(value, '/');
	uint64_t k, n;

	if (slash &&
		option_number(arena_text(&c->arena, value, (size_t)(slash - value)), 1000000, &k) &&
		option_number(slash + 1, 1000000, &n) && k >= 1 && k <= n) {
		c->shard = (uint32_t)k;
		c->shards = (uint32_t)n;
	} else {
		bad_value(c, o, value, "it takes a part and the number of parts, such as 3/8");
	}
}

static void option_store(struct cli *c, const struct option_row *o, const char *value)
{
	static const char *const on[] = {"interp", "gpu", NULL},
				 *const formats[] = {"text", "json", "tsv", "junit", "tap", "csv",
					 "html", NULL},
				 *const whens[] = {"auto", "always", "never", NULL},
				 *const deps[] = {"syntactic", "semantic", NULL},
				 *const engines[] = {"interpreter", "stencils", "native", "auto",
					 NULL},
				 *const readers[] = {"teacher", "students", NULL};
	struct text why = {0};
	uint64_t n;
	int choice;

	switch (o->option) {
	case O_E: *vec_push(&c->lines) = value; break;
	case O_ALLOW: *vec_push(&c->allow) = value; break;
	case O_SOURCE_PATH: *vec_push(&c->source_path) = value; break;
	case O_SCRIPT: c->script = value; break;
	case O_ON: c->options.on_gpu = option_pick(c, o, value, on) == 1; break;
	case O_RUN_OPTION:
		if (option_apply(&c->options, o->name + 2, value, true, &why) != OPTION_FITS)
			bad_value(c, o, value, text_str(&why));
		*vec_push(&c->passed) = arena_printf(&c->arena, "%s=%s", o->name + 2, value);
		break;
	case O_DEVICES:
		if (option_number(value, 16, &n) && n > 0)
			*vec_push(&c->passed) = arena_printf(&c->arena, "devices=%s", value);
		else
			bad_value(c, o, value, "");
		break;
	case O_JOBS:
		if (option_number(value, 4096, &n) && n > 0)
			c->jobs = (unsigned)n;
		else
			bad_value(c, o, value, "it takes a number from 1 to 4096");
		break;
	case O_STATS:
		if (value && (strcmp(value, "lines") != 0 || c->command == COMMAND_EXPLORE))
			bad_value(c, o, value, "it takes no value, or lines with run");
		else if (value)
			c->options.machine.profile = true;
		else
			c->stats = true;
		break;
	case O_ENGINE:
		c->engine_given = true;
		choice = option_pick(c, o, value, engines);
		c->options.machine.engine = (uint8_t)(choice > 0 ? choice : ENGINE_INTERPRETER);
		break;
	case O_NO_CACHE: c->options.machine.no_cache = true; break;
	case O_TRACE: c->trace = value; break;
	case O_TRAIL: c->trail = value; break;
	case O_DAP: c->dap = true; break;
	case O_CASE: c->case_name = value; break;
	case O_COMMANDS: c->commands = value; break;
	case O_TRACE_ATOMICS: c->trace_atomics = true; break;
	case O_PICTURE: c->picture = value; break;
	case O_GRAPH: c->graph = value; break;
	case O_WHY: c->why = value; break;
	case O_DEPS: c->semantic_deps = option_pick(c, o, value, deps) == 1; break;
	case O_VERIFY: c->verify = true; break;
	case O_REPAIR: c->repair = value ? value : ""; break;
	case O_SLACK: c->slack = true; break;
	case O_ANY_GRID: c->any_grid = true; break;
	case O_SHARD: read_shard(c, o, value); break;
	case O_CONTINUE: c->earlier = value; break;
	case O_LEAKS: c->leaks = true; break;
	case O_FOR: c->for_students = option_pick(c, o, value, readers) == 1; break;
	case O_OUTPUT: c->output = value; break;
	case O_LINK: *vec_push(&c->linked) = value; break;
	case O_CLANG: c->clang = value; break;
	case O_NVCC: c->nvcc = true; break;
	case O_PTX_ONLY: c->ptx_only = true; break;
	case O_TARGET: c->assemble.target = value; break;
	case O_ARCH: c->assemble.arch = value; break;
	case O_PTX: read_ptx_version(c, o, value, &c->assemble.ptx); break;
	case O_WARNING: disable_warning(c, o, value); break;
	case O_NO_WARNINGS: c->no_warnings = c->options.no_warnings = true; break;
	case O_COVERAGE: c->coverage = true; break;
	case O_SINCE: read_ptx_version(c, o, value, &c->since); break;
	case O_FORMAT:
		choice = option_pick(c, o, value, formats);
		c->format = choice < 0 ? FORMAT_TEXT : (enum format)choice;
		if (choice == FORMAT_JUNIT && !(c->command & (COMMAND_CHECK | GRADING)))
			bad_value(c, o, value, "junit is for check, grade and merge");
		if (choice == FORMAT_TAP && c->command != COMMAND_CHECK)
			bad_value(c, o, value, "tap is for check");
		if (choice >= FORMAT_CSV && !(c->command & GRADING))
			bad_value(c, o, value, "csv and html are for grade and merge");
		if (choice == FORMAT_TSV && c->command != COMMAND_RUN)
			bad_value(c, o, value, "tsv is for run, and lists outcomes");
		break;
	case O_COLOR:
		choice = option_pick(c, o, value, whens);
		c->color_choice = choice == 1 ? 1 : choice == 2 ? -1 : 0;
		break;
	case O_PROGRESS:
		choice = option_pick(c, o, value, whens);
		c->progress_choice = choice == 1 ? 1 : choice == 2 ? -1 : 0;
		break;
	case O_QUIET: c->quiet = true; break;
	case O_VERBOSE: c->verbose = true; break;
	case O_HELP: c->help = true; break;
	case O_VERSION: c->version = true; break;
	}
	text_free(&why);
}

/* An argument in brackets may follow a =, but is never the next word. */
static bool may_have_argument(const struct option_row *o)
{
	return o->argument && o->argument[0] == '[';
}

static bool takes_argument(const struct option_row *o)
{
	return o->argument && !may_have_argument(o);
}

/* The row of an argument that begins with -, or NULL. *value is the value attached to the argument,
 * or NULL. */
static const struct option_row *option_find(const char *word, const char **value)
{
	const char *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : strlen(word);

	*value = NULL;
	for (unsigned k = 0; k < ROWS; k++) {
		const struct option_row *o = &rows[k];

		if (o->name && strlen(o->name) == n && memcmp(o->name, word, n) == 0) {
			*value = equals ? equals + 1 : NULL;
			return o;
		}
		if (o->letter && word[1] != '-' && strncmp(o->letter, word, 2) == 0 &&
			(o->argument || !word[2])) {
			*value = word[2] ? word + 2 + (word[2] == '=') : NULL;
			return o;
		}
	}
	return NULL;
}

static bool is_named_as_file(const char *word)
{
	static const char *const ends[] = {".ptx", ".ptxo", ".litmus", ".cu", ".cubin", ".fatbin"};
	const char *dot = strrchr(word, '.');

	for (size_t k = 0; dot && k < sizeof ends / sizeof ends[0]; k++)
		if (strcmp(dot, ends[k]) == 0)
			return true;
	return false;
}

/* Whether WORD is probably a file name rather than a command. */
static bool is_file(const char *word)
{
	return is_named_as_file(word) || strchr(word, '/') || access(word, F_OK) == 0;
}

/* "run, check and explore" */
static const char *commands_text(unsigned set, struct arena *arena)
{
	const char *list = "";
	unsigned left = 0;

	for (unsigned k = 0; k < COMMANDS; k++)
		left += (set >> k) & 1;
	for (unsigned k = 0; k < COMMANDS; k++)
		if (set >> k & 1) {
			left--;
			list = arena_printf(arena, "%s%s%s", list, commands[k].name,
				left > 1       ? ", "
					: left ? " and "
					       : "");
		}
	return list;
}

/* An option that takes something else than a file was followed by the input file. */
static bool lacks_value(struct cli *c, const struct option_row *o, const char *next)
{
	static const char *const files[] = {"FILE", "FILE.dot", "FILE.svg", "LINE", "DIR", "COND"};
	struct diag *d;
	const char *name = o->name ? o->name : o->letter;

	for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
		if (strcmp(o->argument, files[k]) == 0)
			return false;
	if (!is_named_as_file(next))
		return false;
	d = diag_plain(
		&c->diags, DIAG_L0303, "%s needs a value, and '%.80s' is a file", name, next);
	diag_help(&c->diags, d, "write %s%s%s", name, o->name ? "=" : " ", o->argument);
	return true;
}

/* What only nvcc has: left out, since it does not matter here; or passed on in clang's words. */
static bool is_of_nvcc(struct cli *c, char **argv, int argc, int *at)
{
	static const char *const ignored[] = {"-lineinfo", "--generate-line-info", "-G", "-lcudart",
		"-lcuda", "-lcudadevrt", "--expt-relaxed-constexpr", "--extended-lambda"};
	static const char *const ignored_pairs[] = {"-arch", "-gencode", "-cudart", "--cudart"};
	const char *word = argv[*at];

	for (size_t k = 0; k < sizeof ignored / sizeof ignored[0]; k++)
		if (strcmp(word, ignored[k]) == 0)
			return true;
	for (size_t k = 0; k < sizeof ignored_pairs / sizeof ignored_pairs[0]; k++) {
		size_t n = strlen(ignored_pairs[k]);

		if (strncmp(word, ignored_pairs[k], n) == 0 && (!word[n] || word[n] == '=')) {
			*at += !word[n] && *at + 1 < argc;
			return true;
		}
	}
	if (strcmp(word, "-Xcompiler") != 0 || *at + 1 >= argc)
		return false;
	for (const char *part = argv[++*at]; *part; part += *part == ',') {
		size_t n = strcspn(part, ",");

		*vec_push(&c->flags) = arena_text(&c->arena, part, n);
		part += n;
	}
	return true;
}

/* An option of cc that is the compiler's. */
static void pass_option(struct cli *c, char **argv, int argc, int *at)
{
	static const char *const pairs[] = {"-I", "-D", "-U", "-L", "-l", "-include", "-isystem",
		"-iquote", "-Xclang", "-Xlinker", "-MF", "-MT"};
	const char *word = argv[*at];

	if (is_of_nvcc(c, argv, argc, at))
		return;
	*vec_push(&c->flags) = word;
	for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
		if (strcmp(word, pairs[k]) == 0 && *at + 1 < argc)
			*vec_push(&c->flags) = argv[++*at];
}

static void read_option(struct cli *c, char **argv, int argc, int *at)
{
	const char *value;
	const struct option_row *o = option_find(argv[*at], &value);
	const char *name;

	if (c->command == COMMAND_CC && (!o || !(o->commands & COMMAND_CC))) {
		pass_option(c, argv, argc, at);
		return;
	}
	if (!o) {
		unknown_option(c, argv[*at]);
		return;
	}
	name = o->name ? o->name : o->letter;
	if (c->command && !(o->commands & c->command)) {
		struct diag *d = diag_plain(&c->diags, DIAG_L0306, "'ptxi %s' takes no %s",
			command_name(c->command), name);

		diag_help(&c->diags, d, "%s is an option of %s", name,
			commands_text(o->commands, &c->arena));
		if (takes_argument(o) && !value && *at + 1 < argc)
			++*at;
		return;
	}
	if (!o->argument && value) {
		diag_plain(&c->diags, DIAG_L0303, "%s takes no value", name);
		return;
	}
	if (takes_argument(o) && !value) {
		if (*at + 1 >= argc) {
			diag_plain(
				&c->diags, DIAG_L0303, "%s needs a value: %s", name, o->argument);
			return;
		}
		value = argv[++*at];
		if (lacks_value(c, o, value))
			return;
	}
	option_store(c, o, value);
}

static unsigned command_by_name(const char *word)
{
	for (unsigned k = 0; k < COMMANDS; k++)
		if (strcmp(commands[k].name, word) == 0)
			return 1u << k;
	return 0;
}

/* The words of ARGV from FIRST on, as one would type them. */
static const char *typed(struct arena *arena, char **argv, int argc, int first)
{
	const char *line = "";

	for (int k = first; k < argc && strlen(line) < 200; k++) {
		const char *quote = argv[k][strcspn(argv[k], " <>&|;()[]*?$'\"")] ? "'" : "";

		line = arena_printf(arena, "%s %s%.80s%s", line, quote, argv[k], quote);
	}
	return line;
}

static unsigned command_required(struct cli *c, int argc, char **argv, int at)
{
	const char *word = argv[at], *near;
	unsigned command = command_by_name(word);
	struct diag *d;

	if (command)
		return command;
	d = diag_plain(&c->diags, DIAG_L0301, "unknown command '%.60s'", word);
	near = command_nearest(word);
	if (near)
		diag_help(&c->diags, d, "did you mean 'ptxi %s%s'?", near,
			typed(&c->arena, argv, argc, at + 1));
	else
		file_help_missing(&c->diags, d, word);
	if (!d->help)
		diag_help(&c->diags, d,
			"the commands are run, check, explore, as, dis, explain, grade, merge, learn, debug, exec and cc; see 'ptxi help'");
	return 0;
}

/* Finds the command: the first argument that is not an option. A file name instead means `run`,
 * "help" means --help, and "help" followed by a word that is not a command means `explain`. Returns
 * the index of the argument to skip, or 0. */
static int find_command(struct cli *c, int argc, char **argv)
{
	static char help[] = "--help";
	int asked = 0;

	for (int k = 1; k < argc; k++) {
		const char *value;
		const struct option_row *o;

		if (argv[k][0] != '-' || !argv[k][1]) {
			unsigned command = command_by_name(argv[k]);

			if (!asked && strcmp(argv[k], "help") == 0) {
				asked = k;
				continue;
			}
			if (asked && !command) {
				c->command = COMMAND_EXPLAIN;
				return asked;
			}
			if (!command && is_file(argv[k])) {
				c->command = COMMAND_RUN;
				return 0;
			}
			if (asked)
				argv[asked] = help;
			c->command = (enum command)command_required(c, argc, argv, k);
			return k;
		}
		o = option_find(argv[k], &value);
		k += o && takes_argument(o) && !value;
	}
	if (asked)
		argv[asked] = help;
	return 0;
}

static void choose_colors(struct cli *c)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	bool may = !(no && *no) && !(term && strcmp(term, "dumb") == 0);

	c->color = c->color_choice > 0 || (c->color_choice == 0 && may && isatty(1));
	c->color_err = c->color_choice > 0 || (c->color_choice == 0 && may && isatty(2));
}

/* Reports a word that is not a file, but an option without its dashes (seed=7, or seed 7), or a
 * second command. Returns the number of words that it concerns, or 0. */
static int not_a_file(struct cli *c, int argc, char **argv, int at)
{
	const char *word = argv[at];
	const char *option, *value;
	const struct option_row *o;
	struct diag *d;

	if (c->command == COMMAND_EXPLAIN || c->command == COMMAND_LEARN || access(word, F_OK) == 0)
		return 0;
	if (command_by_name(word) && c->files.count) {
		d = diag_plain(&c->diags, DIAG_L0304, "'%.80s' is a second command", word);
		diag_help(&c->diags, d, "did you mean 'ptxi %s %.80s'?", word, c->files.data[0]);
		return 1;
	}
	option = arena_printf(&c->arena, "--%s", word);
	o = option_find(option, &value);
	if (!o)
		return 0;
	d = diag_plain(&c->diags, DIAG_L0302, "no such file: '%.80s'", word);
	if (o->argument && !value && at + 1 < argc && !is_named_as_file(argv[at + 1])) {
		diag_help(&c->diags, d, "did you mean %s=%.80s?", option, argv[at + 1]);
		return 2;
	}
	diag_help(&c->diags, d, "did you mean %s?", option);
	return 1;
}

/* Whether the file at K looks like the rest of a line after -e that lacks its quotes; if so,
 * reports it. */
static bool lacks_quotes(struct cli *c, char **argv, int k)
{
	const char *line = c->lines.count ? c->lines.data[c->lines.count - 1] : NULL;
	struct diag *d;

	if (!line || k < 2 || argv[k - 1] != line || is_file(argv[k]) || !c->files.count)
		return false;
	d = diag_plain(&c->diags, DIAG_L0304, "'%.80s' is not a file", argv[k]);
	diag_help(&c->diags, d, "if it belongs to -e, quote the whole line: -e '%.80s %.80s'", line,
		argv[k]);
	return true;
}

/* What follows the program that exec runs belongs to it, options too. */
static bool push_program(struct cli *c, const char *word)
{
	*vec_push(&c->files) = word;
	return true;
}

/* Whether an option concerns only this run, not what it finds. */
static bool is_own(const char *word)
{
	const char *value;
	const struct option_row *o = word[0] == '-' && word[1] ? option_find(word, &value) : NULL;

	return o &&
		(o->option == O_SHARD || o->option == O_JOBS || o->option == O_COLOR ||
			o->option == O_PROGRESS);
}

void cli_free(struct cli *c)
{
	vec_free(&c->files);
	vec_free(&c->linked);
	vec_free(&c->lines);
	vec_free(&c->allow);
	vec_free(&c->source_path);
	vec_free(&c->passed);
	vec_free(&c->flags);
	vec_free(&c->shown);
	vec_free(&c->words);
	diags_free(&c->diags);
	arena_free(&c->arena);
}

/* The files after the first are linked with it. (The histograms of several files are compared.) */
static void link_rest(struct cli *c)
{
	if ((c->command != COMMAND_RUN || c->options.runs) && c->command != COMMAND_EXPLORE &&
		c->command != COMMAND_DEBUG)
		return;
	for (uint32_t k = 1; k < c->files.count; k++)
		*vec_push(&c->linked) = c->files.data[k];
	c->files.count = c->files.count ? 1 : 0;
}

bool options_read(struct cli *c, int argc, char **argv)
{
	int command = find_command(c, argc, argv);
	bool only_files = false;
	int words;

	for (int k = 1; k < argc && !(command && !c->command); k++) {
		int first = k;

		if (k == command)
			continue;
		if (!only_files && strcmp(argv[k], "--") == 0)
			only_files = true;
		else if (!only_files && argv[k][0] == '-' && argv[k][1])
			read_option(c, argv, argc, &k);
		else if (c->command == COMMAND_EXEC)
			only_files = push_program(c, argv[k]);
		else if (!only_files && (words = not_a_file(c, argc, argv, k)) > 0)
			k += words - 1;
		else if (only_files || !lacks_quotes(c, argv, k))
			*vec_push(&c->files) = argv[k];
		if (!is_own(argv[first]))
			for (int i = first; i <= k && i < argc; i++)
				*vec_push(&c->words) = argv[i];
	}
	link_rest(c);
	choose_colors(c);
	return c->diags.errors == 0;
}

enum { HELP_LEFT = 26, HELP_WIDTH = 80 };

/* Appends WORDS, broken into lines that begin at column LEFT and end before HELP_WIDTH; the first
 * one begins at column AT. */
static void help_wrap(struct text *out, size_t at, size_t left, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, " ");

		if (at > left && at + 1 + n > HELP_WIDTH) {
			text_putc(out, '\n');
			at = 0;
		} else if (at > left) {
			text_putc(out, ' ');
			at++;
		}
		for (; at < left; at++)
			text_putc(out, ' ');
		text_printf(out, "%.*s", (int)n, words);
		at += n;
		words += n;
		words += strspn(words, " ");
	}
	text_putc(out, '\n');
}

const char options_statuses[] =
	"0 success, 1 an expectation failed, 2 usage, 3 the PTX is rejected, 4 a fault, "
	"5 a race or an uninitialised read, 6 a deadlock, 7 a limit was reached, 8 valid PTX that ptxi does not execute, 70 a bug in ptxi.";

bool option_shown(unsigned k, struct shown_option *out)
{
	if (k >= ROWS)
		return false;
	*out = (struct shown_option){rows[k].name, rows[k].letter, rows[k].argument, rows[k].help,
		rows[k].commands, rows[k].option == O_WARNING};
	return true;
}

bool command_shown(unsigned k, struct shown_command *out)
{
	if (k >= COMMANDS)
		return false;
	*out = (struct shown_command){commands[k].name, commands[k].synopsis, commands[k].help};
	return true;
}

static void help_row(const struct option_row *o, struct text *out)
{
	struct text left = {0};

	text_printf(&left, "  %s%s%s", o->letter ? o->letter : "", o->letter && o->name ? ", " : "",
		o->name ? o->name : "");
	if (o->argument)
		text_printf(&left, "%s%s",
			may_have_argument(o)                   ? ""
				: o->name                      ? "="
				: strcmp(o->letter, "-W") == 0 ? ""
							       : " ",
			o->argument);
	text_puts(out, text_str(&left));
	if (left.len + 1 >= HELP_LEFT) {
		text_putc(out, '\n');
		left.len = 0;
	}
	help_wrap(out, left.len, HELP_LEFT, o->help);
	text_free(&left);
}

/* The commands, and how to begin. */
static void help_commands(struct text *out)
{
	help_wrap(out, 0, 0,
		"ptxi runs, checks, explores and assembles PTX, the virtual instruction set of NVIDIA GPUs. No GPU is needed.");
	text_puts(out, "\nusage: ptxi COMMAND [OPTION]... FILE\n\n");
	for (unsigned k = 0; k < COMMANDS; k++) {
		struct text left = {0};

		text_printf(&left, "  %-8s%s", commands[k].name, commands[k].synopsis);
		text_puts(out, text_str(&left));
		if (left.len >= HELP_LEFT + 4) {
			text_putc(out, '\n');
			left.len = 0;
		}
		help_wrap(out, left.len, HELP_LEFT + 4, commands[k].help);
		text_free(&left);
	}
	text_puts(out,
		"\nbegin with\n"
		"  ptxi FILE               the same as 'ptxi run FILE'\n"
		"  ptxi check FILE         also looks for races and uninitialised reads\n"
		"  ptxi learn              lessons: a course in PTX to do alone\n"
		"  ptxi help COMMAND       the options of a command\n"
		"  ptxi help WORD          the same as 'ptxi explain WORD', such as race, D0101\n");
}

void options_help(unsigned command, struct text *out)
{
	struct text end = {0};

	if (!command)
		help_commands(out);
	for (unsigned k = 0; k < COMMANDS; k++)
		if (command == 1u << k) {
			struct text what = {0};

			text_printf(out, "usage: ptxi %s [OPTION]... %s\n", commands[k].name,
				commands[k].synopsis);
			text_printf(&what, "%s.", commands[k].help);
			help_wrap(out, 0, 0, text_str(&what));
			text_putc(out, '\n');
			text_free(&what);
		}
	for (unsigned k = 0; k < ROWS; k++)
		if (command ? rows[k].commands & command : rows[k].commands == COMMAND_ALL)
			help_row(&rows[k], out);
	text_putc(out, '\n');
	text_printf(&end, "FILE '-' is standard input. Exit status: %s", options_statuses);
	help_wrap(out, 0, 0, text_str(&end));
	text_free(&end);
}
