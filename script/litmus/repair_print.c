/* Prints what a search for changes found. */
#include "script/litmus/repair.h"
#include <stdio.h>
#include <string.h>

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* What the search does not say, because it was not complete. */
static void print_limits(const struct repair *found, struct text *out)
{
	if (found->ended)
		text_puts(out,
			"The search ended before all changes were tried (--timeout, 5,000 programs or Control-C): there may be others.\n");
	if (found->open)
		text_puts(out,
			"Some programs could not be explored completely; changes that need them are not named.\n");
}

static void print_set(const char *first, const struct repair_set *set, struct text *out)
{
	for (uint32_t k = 0; k < set->nchanges; k++)
		text_printf(out, "%s%s\n", k ? "   " : first, set->change[k].words);
}

static void print_repair(
	const struct repair_request *r, const struct repair *found, struct text *out)
{
	static const char *const proof[] = {
		"   right in the schedules that were run; not explored completely\n",
		"   explored: right in every execution that the memory model allows\n",
		"   right in the schedules that were run, but not in every execution that the memory model allows\n"};
	uint32_t n = found->sets.count;

	if (!found->asked) {
		text_puts(out,
			found->ended || found->open
				? "Repair: nothing that fails was found, but not everything was explored\n"
				: "Repair: nothing to repair: no condition or expectation fails, and no data race was found\n");
		print_limits(found, out);
		return;
	}
	text_printf(out, "Repair: ");
	if (!n)
		text_printf(out, "%s",
			found->largest
				? "none found: even with every order, scope and fence as strong as it can be, what fails still fails"
				: "none found");
	else if (found->sets.data[0].nchanges == 1)
		text_printf(out, "%u change%s, each enough alone, the weakest first", n, plural(n));
	else
		text_printf(out,
			"%u set%s of %u changes that are enough only together, the weakest first",
			n, plural(n), found->sets.data[0].nchanges);
	text_printf(out, " (%llu changed program%s %s)\n", (unsigned long long)found->programs,
		plural(found->programs), r->runs ? "run or explored" : "explored");
	for (uint32_t k = 0; k < n && k < REPAIR_SHOWN; k++) {
		char number[16];

		snprintf(number, sizeof number, "%u. ", k + 1);
		print_set(number, &found->sets.data[k], out);
		if (r->runs)
			text_puts(out, proof[found->sets.data[k].proof]);
		text_puts(out, found->sets.data[k].diff);
	}
	if (n > REPAIR_SHOWN)
		text_printf(out, "... and %u more (--format=json lists all)\n", n - REPAIR_SHOWN);
	print_limits(found, out);
}

static void print_slack(const struct repair *found, struct text *out)
{
	const struct repair_set *all = found->together ? &found->sets.data[0] : NULL;
	uint32_t alone = found->sets.count - found->together;

	text_printf(out, "Slack: ");
	if (all)
		text_printf(out, "%u place%s can be weaker%s without a new outcome or data race",
			all->nchanges, plural(all->nchanges),
			all->nchanges > 1 ? ", all together," : "");
	else if (alone)
		text_printf(out,
			"%u place%s can be weaker without a new outcome or data race, each alone",
			alone, plural(alone));
	else
		text_puts(out,
			found->ended || found->open ? "none found"
				: !found->programs
				? "none: there is no order, scope, fence or barrier that may be weaker"
				: "none: any weaker order, scope or fence adds an outcome, a data race or a thread that waits forever");
	text_printf(out, " (%llu changed program%s explored)\n",
		(unsigned long long)found->programs, plural(found->programs));
	if (all) {
		print_set("   ", all, out);
		text_puts(out, all->diff);
	}
	if (all && alone)
		text_puts(
			out, "Each of these can be weaker alone, but not all of them together:\n");
	for (uint32_t k = found->together; k < found->sets.count; k++)
		print_set("   ", &found->sets.data[k], out);
	print_limits(found, out);
}

void repair_print(const struct repair_request *r, const struct repair *found, struct text *out)
{
	if (r->slack)
		print_slack(found, out);
	else
		print_repair(r, found, out);
}

static void json_text(struct text *out, const char *key, const char *value)
{
	text_printf(out, "\"%s\": ", key);
	text_json(out, value, strlen(value));
}

void repair_json(const struct repair_request *r, const struct repair *found, struct text *out)
{
	text_printf(out, "\"%s\": {\"programs\": %llu, \"complete\": %s, \"sets\": [",
		r->slack ? "slack" : "repair", (unsigned long long)found->programs,
		found->ended || found->open ? "false" : "true");
	for (uint32_t k = 0; k < found->sets.count; k++) {
		const struct repair_set *set = &found->sets.data[k];

		text_puts(out, k ? ", {\"changes\": [" : "{\"changes\": [");
		for (uint32_t c = 0; c < set->nchanges; c++) {
			text_printf(out, "%s{\"line\": %u, ", c ? ", " : "", set->change[c].line);
			json_text(out, "text", set->change[c].words);
			text_puts(out, "}");
		}
		text_puts(out, "], ");
		json_text(out, "diff", set->diff);
		text_puts(out, "}");
	}
	text_puts(out, "]}");
}
