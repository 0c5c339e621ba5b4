/* Helpers for tests of the explorer on PTX: a launch of a kernel `k`, and of `k2` and `k3` if there
 * are such, one after another, explored. */
#ifndef PTXI_TESTS_EXPLORE_PTX_H
#define PTXI_TESTS_EXPLORE_PTX_H
#include "assembler/assembler.h"
#include "explore/ptx/ptx.h"
#include "explore/search/part.h"
#include "model/execution.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD \
	".version 8.6\n.target sm_90\n.address_size 64\n.global .align 8 .u32 x;\n.global .align 8 .u32 y;\n"

/* A launch of the kernel `k` of TEXT, and what is observed: "x" and "y", or "P1:%r2". */
struct ptx_test {
	struct arena arena;
	struct diags diags;
	struct ir_module *module;
	struct machine *machine;
	struct explore_result *result;
	const struct explore_program *program;
	struct observable observable[16];
	uint32_t nobservables;
};

static inline void observe(struct ptx_test *t, const char *name)
{
	struct observable o = {.name = name, .kind = OBSERVE_MEMORY, .size = 4};
	uint64_t size;
	if (name[0] == 'P') {
		o.kind = OBSERVE_REGISTER;
		o.thread = (uint32_t)(name[1] - '0');
		o.reg = ir_find_reg(t->module, ir_find_func(t->module, "k"), name + 3);
		cr_assert(o.reg != IR_NONE, "no register %s", name);
	} else {
		cr_assert(machine_symbol(t->machine, name, &o.phys, &size), "no variable %s", name);
	}
	t->observable[t->nobservables++] = o;
}

static uint32_t taken_away; /* set of enum model_off */
/* Explore every order of commuting atoms, and every order of symmetric threads. */
static bool all_orders;
/* Also the branches of reads that are only repeated, or without hope. */
static bool all_branches;
static uint64_t max_executions; /* 0: no bound */
static uint64_t max_branch;     /* 0: EXPLORE_BYTES */
static bool divide;             /* branches go from worker to worker as often as possible */
static bool in_parts;           /* explore three parts one by one and join them */

static inline struct explore_result *explore_parts(
	const struct explore_program *program, const struct explore_options *options)
{
	enum { PARTS = 3 };
	struct explore_options o = *options;
	struct text text[PARTS] = {0};
	const char *written[PARTS];
	struct explore_parts parts = {written, PARTS, false};
	o.shards = PARTS;
	for (uint32_t k = 0; k < PARTS; k++) {
		o.shard = k + 1;
		o.part = &text[k];
		explore_free(explore_run(program, &o));
		written[k] = text_str(&text[k]);
	}
	o.shards = o.shard = 0;
	o.part = NULL;
	o.parts = &parts;
	struct explore_result *r = explore_run(program, &o);
	cr_expect(!parts.bad);
	for (uint32_t k = 0; k < PARTS; k++)
		text_free(&text[k]);
	return r;
}

static inline void explore(struct ptx_test *t, const char *text, uint32_t grid, uint32_t block,
	const char *const *names, unsigned jobs)
{
	*t = (struct ptx_test){0};
	struct assemble_options a = {0};
	struct machine_options m = {.jobs = 1, .devices = 1};
	struct explore_options o = {.jobs = jobs,
		.off = taken_away,
		.all_orders = all_orders,
		.all_branches = all_branches,
		.max_executions = max_executions,
		.max_branch = max_branch,
		.divide = divide};
	struct text out = {0};
	t->module = assemble(source_new(&t->arena, "test.ptx", text, strlen(text)), &a, &t->diags);
	diag_render(&t->diags, &out, false);
	cr_assert(t->module != NULL, "%s", text_str(&out));
	t->machine = machine_new(t->module, &m, &t->diags);
	static const char *const kernel[] = {"k", "k2", "k3"};
	for (unsigned k = 0; k < sizeof kernel / sizeof *kernel; k++) {
		struct machine_launch l = {.func = ir_find_func(t->module, kernel[k]),
			.grid = {grid, 1, 1},
			.block = {block, 1, 1},
			.params = ""};
		cr_assert(k ? l.func == IR_NONE || machine_launch(t->machine, &l)
			    : machine_launch(t->machine, &l));
	}
	for (; *names; names++)
		observe(t, *names);
	t->program = ptx_program(
		t->machine, NULL, t->observable, t->nobservables, &o, &t->arena, &t->diags);
	cr_assert(t->program != NULL);
	t->result = in_parts ? explore_parts(t->program, &o) : explore_run(t->program, &o);
	text_free(&out);
}

static inline void ptx_test_free(struct ptx_test *t)
{
	explore_free(t->result);
	machine_free(t->machine);
	ir_module_free(t->module);
	arena_free(&t->arena);
	diags_free(&t->diags);
}

static inline bool has(const struct ptx_test *t, uint64_t a, uint64_t b)
{
	for (uint32_t i = 0; i < t->result->outcomes.list.count; i++) {
		const uint64_t *v = t->result->outcomes.list.data[i].value;
		if (v[0] == a && (t->nobservables < 2 || v[1] == b))
			return true;
	}
	return false;
}

/* Two CTAs of one thread: CTA 0 does A, CTA 1 does B. */
static inline void two_incomplete(
	struct ptx_test *t, const char *a, const char *b, const char *first, const char *second)
{
	char text[4096];
	snprintf(text, sizeof text,
		HEAD
		".visible .entry k()\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<16>;\n.reg .b64 %%rd<8>;\nmov.u32 %%r15, %%ctaid.x;\nsetp.ne.u32 %%p1, %%r15, 0;\n@%%p1 bra B;\n%s\nret;\nB:\n%s\nret;\n}\n",
		a, b);
	explore(t, text, 2, 1, (const char *const[]){first, second, NULL}, 1);
}

static inline void two(
	struct ptx_test *t, const char *a, const char *b, const char *first, const char *second)
{
	two_incomplete(t, a, b, first, second);
	cr_assert(explore_complete(t->result), "%s", t->result->fault ? t->result->fault : "bound");
}

/* Omitting orders of commuting atoms in the kernel TEXT loses no outcome, and no thread that waits
 * forever. Returns the number of executions that it saves. */
static inline uint64_t compare_orders(
	const char *text, uint32_t grid, uint32_t block, const char *const *names, const char *what)
{
	struct ptx_test few, all;
	all_orders = false;
	explore(&few, text, grid, block, names, 1);
	all_orders = true;
	explore(&all, text, grid, block, names, 1);
	all_orders = false;
	const struct explore_result *a = few.result, *b = all.result;
	cr_expect(explore_complete(a) && explore_complete(b), "%s is not complete", what);
	cr_expect(a->executions <= b->executions, "%s: %llu and %llu executions", what,
		(unsigned long long)a->executions, (unsigned long long)b->executions);
	bool same = a->outcomes.list.count == b->outcomes.list.count &&
		a->stuck.list.count <= b->stuck.list.count &&
		!a->stuck.list.count == !b->stuck.list.count && !a->nraces == !b->nraces;
	for (uint32_t i = 0; same && i < a->outcomes.list.count; i++)
		same = !memcmp(a->outcomes.list.data[i].value, b->outcomes.list.data[i].value,
			few.nobservables * sizeof(uint64_t));
	cr_expect(same, "%s: %u of %u outcomes, %u of %u ways to wait forever\n%s", what,
		a->outcomes.list.count, b->outcomes.list.count, a->stuck.list.count,
		b->stuck.list.count, text);
	uint64_t saved = b->executions - a->executions;
	ptx_test_free(&few);
	ptx_test_free(&all);
	return saved;
}

#endif
