/* Explores a kernel in text and compares the outcomes with those of brute force. */
#ifndef PTXI_TESTS_UNIT_BRUTEFORCED_H
#define PTXI_TESTS_UNIT_BRUTEFORCED_H
#include "assembler/assembler.h"
#include "base/text.h"
#include "explore/ptx/ptx.h"
#include "model/execution.h"
#include "tests/oracle/bruteforce.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct explored {
	struct arena arena;
	struct machine *machine;
	struct ir_module *module;
	struct explore_result *result;
	struct diags diags;
};

static void explored_free(struct explored *e)
{
	explore_free(e->result);
	machine_free(e->machine);
	ir_module_free(e->module);
	diags_free(&e->diags);
	arena_free(&e->arena);
}

/* Explores kernel k of TEXT with all threads in one CTA, or each in its own. OBSERVED: of memory,
 * NAME is a variable and PHYS an offset. */
static void explore_kernel(struct explored *e, const char *text, uint32_t nthreads, bool ctas,
	const struct observable *observed, uint32_t nobserved, const struct explore_options *o)
{
	struct machine_options m = {.jobs = 1, .devices = 1};
	struct text out = {0};
	*e = (struct explored){0};
	e->module = assemble(source_new(&e->arena, "test.ptx", text, strlen(text)),
		&(struct assemble_options){0}, &e->diags);
	diag_render(&e->diags, &out, false);
	cr_assert(e->module != NULL, "%s\n%s", text_str(&out), text);
	text_free(&out);
	e->machine = machine_new(e->module, &m, &e->diags);
	struct machine_launch l = {.func = ir_find_func(e->module, "k"),
		.grid = {ctas ? nthreads : 1, 1, 1},
		.block = {ctas ? 1 : nthreads, 1, 1},
		.params = ""};
	cr_assert(machine_launch(e->machine, &l));
	struct observable *all = ARENA_ARRAY(&e->arena, struct observable, nobserved + 1);
	for (uint32_t k = 0; k < nobserved; k++) {
		uint64_t base, size;
		all[k] = observed[k];
		if (all[k].kind == OBSERVE_REGISTER) {
			all[k].reg = ir_find_reg(e->module, l.func, all[k].name);
			continue;
		}
		cr_assert(machine_symbol(e->machine, all[k].name, &base, &size));
		all[k].phys += base;
	}
	const struct explore_program *p = ptx_program(
		e->machine, NULL, all, nobserved, o, &e->arena, &e->diags);
	cr_assert(p != NULL);
	e->result = explore_run(p, o);
}

/* Whether brute force and the explorer agree. */
static bool same_outcomes(const struct bruteforce *b, const struct explore_result *r)
{
	if (b->mixed || r->mixed.some)
		return b->mixed == r->mixed.some;
	if (b->count != r->outcomes.list.count || !explore_complete(r) ||
		(r->options.all_orders && b->executions != r->executions))
		return false;
	for (uint32_t i = 0; i < b->count; i++) {
		if (memcmp(b->value + (size_t)i * b->width, r->outcomes.list.data[i].value,
			    b->width * sizeof *b->value))
			return false;
	}
	return true;
}

#endif
