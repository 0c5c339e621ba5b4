/* Which changes of its synchronisation make a program right, and which a right program can do
 * without: for `ptxi explore --repair` and `--slack`, and `ptxi check --repair`. Each change that
 * is named was verified: the changed program was explored, or run like a case of check. */
#ifndef PTXI_SCRIPT_REPAIR_H
#define PTXI_SCRIPT_REPAIR_H
#include "script/litmus/explorer.h"

enum {
	REPAIR_PROGRAMS = 5000, /* as many changed programs are explored at most */
	REPAIR_SHOWN = 8        /* as many sets of changes are printed */
};

struct repair_request {
	struct program *program;              /* loaded, and accepted */
	const struct program_request *loaded; /* how: changed texts are loaded alike */
	struct run_options options; /* its deadline or time limit bounds the whole search */
	unsigned jobs;
	bool semantic_deps;
	/* false: names the weakest changes with which every condition and expectation holds; true:
	 * what can be weakened without a new outcome */
	bool slack;
	/* cases that name no condition are run as `check` runs them, and what passes is then
	 * explored if that is possible */
	bool runs;
	/* --repair=COND: what must be impossible, or NULL; in PTX, a directive says so, too */
	const char *forbid;
	/* or NULL; called after each changed program */
	void (*progress)(void *self, uint64_t programs, uint64_t repairs, double part);
	void *self;
};
struct repair_change {
	uint32_t line;
	const char *words; /* "line 12: ld.global.u32 becomes ld.acquire.gpu.global.u32" */
};
enum repair_proof { REPAIR_RUN, REPAIR_RIGHT, REPAIR_WRONG };
/* Changes that are to be made together. */
struct repair_set {
	struct repair_change *change;
	uint32_t nchanges;
	uint32_t rank;    /* greater for stronger changes */
	const char *diff; /* of the file */
	const char *text; /* the changed file */
	/* the changed program was only run, or explored: right, or still wrong in some execution */
	enum repair_proof proof;
};
struct repair {
	struct arena arena;
	bool asked;        /* there is something to repair */
	bool ended;        /* the time, the number of programs or the user ended the search */
	bool open;         /* some programs could not be explored completely */
	bool largest;      /* --repair: all changes together are not enough */
	bool together;     /* --slack: the first set is all that can be weakened together */
	uint64_t programs; /* explored */
	uint32_t sites;    /* places that could be changed */
	/* --repair: each is enough, the weakest first; --slack: each is possible alone */
	VEC(struct repair_set) sets;
	int status;         /* PTXI_USAGE if the condition cannot be read */
	struct diags diags; /* why nothing could be done */
};
/* Searches. Free OUT with repair_free. */
void repair_run(const struct repair_request *r, struct repair *out);
/* Appends the result as text, or as a member "repair" or "slack" of a JSON object. */
void repair_print(const struct repair_request *r, const struct repair *found, struct text *out);
void repair_json(const struct repair_request *r, const struct repair *found, struct text *out);
void repair_free(struct repair *r);

#endif
