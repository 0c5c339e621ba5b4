/* Shared by the files that explore a case: the exploration, the memory and registers of its
 * outcomes, and how they are judged. */
#ifndef PTXI_SCRIPT_EXPLORER_JUDGE_H
#define PTXI_SCRIPT_EXPLORER_JUDGE_H
#include "explore/explain/why.h"
#include "explore/ptx/ptx.h"
#include "script/litmus/explorer_case.h"
#include "script/verdict/judge.h"
#include "script/litmus/launch_order.h"

struct allocation {
	uint64_t address, size;
	uint32_t launches; /* number of launches before it */
};

/* A case being explored. The host program runs on a backend that only records what it does; each
 * outcome gives final values of memory and registers. */
struct exploration {
	const struct explorer_request *request;
	const struct explore_options *options;
	struct report *report;
	struct script_case in; /* the case without its expectations */
	struct backend inner;
	struct machine *machine;
	struct observable *observable;
	uint32_t nobservables;
	struct explore_region *region;
	uint32_t nregions;
	const struct explore_program *program;
	struct explore_result *result;
	struct explore_names names;
	struct graph graph;    /* of the last explanation */
	const uint64_t *value; /* the current outcome */
	bool refused;
	/* the case has neither conditions nor observe directives, so outcomes consist of what
	 * expect and print directives name */
	bool default_values;
	struct launch_order order;
	VEC(struct explore_write) write; /* writes by the host after a launch */
	VEC(struct allocation) allocation;
	uint32_t races; /* pairs of instructions */
	bool *found;    /* [conditions] whether each is already decided, while exploring */
	/* the case has conditions, so check does not run it; expect directives are judged here
	 * instead */
	bool judges_expect;
	bool lockstep; /* the case chooses schedule=lockstep */
};

/* Read memory, or a register, as the current outcome leaves it; same interface as struct backend's
 * read and reg. */
bool exploration_read(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined);
bool exploration_register(
	void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined);

/* Whether all conditions are decided by outcome VALUE and those passed earlier. */
bool exploration_decided(void *self, const uint64_t *value);
/* Whether the request's `enough` ends the exploration after outcome VALUE. */
bool exploration_is_enough(void *self, const uint64_t *value);
/* Whether exploring may end as soon as all conditions are decided: true for check, unless outcomes
 * are listed or the case has expect directives. */
bool exploration_wants_conditions_only(const struct exploration *e);
/* Lists the outcomes, evaluates the conditions for them, and adds findings to the report. */
void exploration_judge(struct exploration *e);
/* Sets the verdict, status and reason after the host program has ended. */
void exploration_verdict(struct exploration *e);

#endif
