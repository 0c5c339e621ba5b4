/* The places of a program where its synchronisation could be stronger or weaker: accesses with
 * their order and scope, fences, barriers, and gaps between instructions in which a fence or a
 * barrier could stand. A change of one is a change of the text. */
#ifndef PTXI_SCRIPT_SITES_H
#define PTXI_SCRIPT_SITES_H
#include "base/vec.h"
#include "ir/ir.h"
#include "model/strength.h"
#include "parser/litmus.h"
#include "script/litmus/patch.h"

struct site {
	enum strength_kind kind;
	bool gap; /* nothing is here yet: an insertion before the instruction at `whole` */
	/* it must not be weaker: it may order mbarrier.init before other operations, and using an
	 * mbarrier without that is not an outcome */
	bool kept;
	struct strength now; /* as written */
	struct span name;    /* the instruction's dotted name; none in a gap */
	struct span whole;   /* the instruction with its guard and semicolon */
	const char *text;    /* PROXY_FENCE and BARRIER: what is inserted */
	uint32_t func;       /* PTX: of the module */
	uint32_t thread;     /* litmus: the column, and its name */
	const char *thread_name;
	struct strength option[STRENGTH_MOST]; /* what it could be, the weakest first */
	uint32_t noptions;
};

struct sites {
	const struct source *source;
	bool litmus;
	bool membar; /* the target has membar, but not fence */
	VEC(struct site) list;
};

/* What the launches of the functions need. */
struct sites_use {
	const bool *func; /* [nfuncs] functions that run */
	bool clusters, devices;
	bool ctas; /* some CTA has several threads */
};
/* Finds the sites of a module or a test; free them with sites_free. */
void sites_of_module(const struct ir_module *m, const struct sites_use *use, struct sites *out);
void sites_of_litmus(const struct litmus_test *test, struct sites *out);
void sites_free(struct sites *s);

/* The change that gives site S the strength TO, which it does not have yet; false if the text does
 * not allow it. */
bool site_patch(const struct sites *all, const struct site *s, struct strength to,
	struct arena *arena, struct patch *out);
/* In one line: "line 12: ld.global.u32 becomes ld.acquire.gpu.global.u32". */
void site_words(
	const struct sites *all, const struct site *s, struct strength to, struct text *out);

#endif
