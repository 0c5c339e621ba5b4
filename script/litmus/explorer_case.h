/* A case of a PTX file, explored. */
#ifndef PTXI_SCRIPT_EXPLORER_CASE_H
#define PTXI_SCRIPT_EXPLORER_CASE_H
#include "explore/search/explore.h"
#include "script/litmus/explorer.h"

/* Outcomes up to this many are listed with one execution each. */
enum { EXPLORER_FEW = 16 };

void explorer_case(
	const struct explorer_request *r, const struct explore_options *o, struct report *out);

#endif
