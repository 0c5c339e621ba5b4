/* What the two files of an explored case share: the exploration, its memory and registers, and the
 * judging of its outcomes. */
#ifndef PTXI_SCRIPT_EXPLORER_JUDGE_H
#define PTXI_SCRIPT_EXPLORER_JUDGE_H
#include "explore/ptx/ptx.h"
#include "script/litmus/explorer_case.h"
#include "script/verdict/judge.h"
#include "script/litmus/launch_order.h"

struct allocation {
	uint64_t address, size;
	uint32_t launches; /* that came before it */
};

/* A case that is explored: the host program ran against a backend that only takes notes, and every
 * outcome is memory and registers as it leaves them. */
struct exploration {
	const struct explorer_request *request;
	const struct explore_options *options;
	struct report *report;
	struct script_case in; /* without expectations */
	struct backend inner;
	struct machine *machine;
	struct observable *observable;
	uint32_t nobservables;
	struct explore_region *region;
	uint32_t nregions;
	const struct explore_program *program;
	struct explore_result *result;
	struct explore_names names;
	struct text graph;
	const uint64_t *value; /* the outcome that is looked at */
	bool refused;
	/* outcomes show what expect and print lines name, since no condition and no observe line
	 * says anything else */
	bool unasked;
	struct launch_order order;
	VEC(struct explore_write) write; /* of the host, after a launch */
	VEC(struct allocation) allocation;
	uint32_t races; /* pairs of instructions */
	bool *found;    /* [conditions] while exploring: what is decided */
	/* the case has conditions, so that check does not run it: its expect lines are judged here
	 */
	bool judges_expect;
};

/* Memory as the outcome that is looked at leaves it, and a register: as struct backend's read and
 * reg. */
bool exploration_read(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined);
bool exploration_register(
	void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined);

/* Whether outcome VALUE and those before it decide all conditions. */
bool exploration_decided(void *self, const uint64_t *value);
/* check needs no more than the conditions; who is shown outcomes or asks for findings wants them
 * all. */
bool exploration_wants_conditions_only(const struct exploration *e);
/* Lists the outcomes, evaluates the conditions over them, and adds findings to the report. */
void exploration_judge(struct exploration *e);
/* The verdict, status and reason, once the host program is over. */
void exploration_verdict(struct exploration *e);

#endif
