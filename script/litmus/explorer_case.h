/* Explores a case of a PTX file. */
#ifndef PTXI_SCRIPT_EXPLORER_CASE_H
#define PTXI_SCRIPT_EXPLORER_CASE_H
#include "explore/search/explore.h"
#include "script/litmus/explorer.h"

/* If there are at most this many outcomes, each is listed with an execution. */
enum { EXPLORER_MAX_LISTED = 16 };

void explorer_case(
	const struct explorer_request *r, const struct explore_options *o, struct report *out);

#endif
