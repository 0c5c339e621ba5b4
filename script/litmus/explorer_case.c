/* Runs a case's host program on a backend that only records allocations, writes and launches. When
 * the host program ends, the launches are explored; each outcome gives final values of memory and
 * registers, on which the conditions are judged (explorer_judge.c). */
#include "base/assert.h"
#include "script/litmus/explorer_judge.h"
#include "script/litmus/explorer_picture.h"
#include "backend/interp.h"
#include "explore/ptx/any_grid.h"
#include "script/lang/expr.h"
#include <ptxi/status.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OBSERVED = 16384, MAX_OBSERVED_BY_DEFAULT = 64 };

static void exploration_refuse(struct exploration *e, const char *what)
{
	e->refused = true;
	diag_plain(&e->report->findings, DIAG_U0150, "%s", what);
}

/* --- the values of an outcome --- */

static void exploration_observe(struct exploration *e, struct observable o)
{
	if (e->refused)
		return;
	for (uint32_t k = 0; k < e->nobservables; k++) {
		const struct observable *p = &e->observable[k];
		if (p->kind == o.kind &&
			(o.kind == OBSERVE_MEMORY ? p->phys == o.phys
						  : p->thread == o.thread && p->reg == o.reg))
			return;
	}
	if (e->nobservables % 64 == 0) {
		struct observable *old = e->observable;
		e->observable = ARENA_ARRAY(
			&e->report->arena, struct observable, e->nobservables + 64);
		if (e->nobservables)
			memcpy(e->observable, old, e->nobservables * sizeof *old);
	}
	e->observable[e->nobservables++] = o;
}

/* Observes elements LOW to HIGH of a name. Elements of 16 bytes are observed in halves. */
static void observe_elements(
	struct exploration *e, const struct expr *x, uint64_t low, uint64_t high)
{
	const struct object *o = &e->in.object[x->object];
	unsigned size = type_bytes((enum type)o->type), half = size > 8 ? 8 : size;
	if (!o->address)
		return; /* not allocated yet */
	for (uint64_t k = low; k <= high && k < o->count; k++) {
		const char *name = o->count == 1
			? o->name
			: arena_printf(&e->report->arena, "%s[%" PRIu64 "]", o->name, k);
		if (e->default_values && e->nobservables >= MAX_OBSERVED_BY_DEFAULT)
			return;
		if (e->nobservables > MAX_OBSERVED) {
			exploration_refuse(e,
				"conditions over more than 16384 elements, the explorer's limit");
			return;
		}
		for (unsigned at = 0; at < size; at += half)
			exploration_observe(e,
				(struct observable){.name = name,
					.kind = OBSERVE_MEMORY,
					.size = (uint8_t)half,
					.phys = o->address + k * size + at});
	}
}

/* Observes everything that the value of X depends on. */
static void observe_part(struct exploration *e, const struct expr *x)
{
	struct value v;
	struct diags unused = {0};
	for (; x && !e->refused; x = x->next) {
		for (unsigned k = 0; k < 3; k++)
			observe_part(e, x->sub[k]);
		observe_part(e, x->tolerance);
		if (x->kind == EXPR_REGISTER && type_bytes((enum type)x->type) > 8) {
			exploration_refuse(e, "a register of 128 bits in a condition");
		} else if (x->kind == EXPR_REGISTER) {
			exploration_observe(e,
				(struct observable){.name = expr_text(x, &e->report->arena),
					.kind = OBSERVE_REGISTER,
					.size = 8,
					.thread = x->thread,
					.reg = x->reg});
		} else if (x->kind == EXPR_NAME && x->object >= 0) {
			uint64_t last = e->in.object[x->object].count - 1;
			if (x->range == RANGE_SPAN)
				observe_elements(e, x, x->low, x->high);
			else if (x->range == RANGE_NONE)
				observe_elements(e, x, 0, 0);
			else if (x->range == RANGE_INDEX &&
				expr_constant(x->sub[0], &v, &e->report->arena, &unused) &&
				!v.is_float && v.i >= 0 && v.i <= (__int128)last)
				observe_elements(e, x, (uint64_t)v.i, (uint64_t)v.i);
			else
				observe_elements(e, x, 0, last);
		}
	}
	diags_free(&unused);
}

static void name_regions(struct exploration *e)
{
	e->region = ARENA_ARRAY(&e->report->arena, struct explore_region, e->in.nobjects + 1);
	for (uint32_t k = 0; k < e->in.nobjects; k++) {
		const struct object *o = &e->in.object[k];
		uint32_t size = type_bytes((enum type)o->type);
		if (o->address)
			e->region[e->nregions++] = (struct explore_region){
				object_shown(o), o->address, o->count * size, size};
	}
}

/* --- the backend --- */

static uint64_t recorder_alloc(void *self, uint64_t size, const char *name, bool initialised)
{
	struct exploration *e = self;
	uint64_t address = e->inner.alloc(e->inner.self, size, name, initialised);
	*vec_push(&e->allocation) = (struct allocation){address, size, e->order.count};
	return address;
}

/* Whether no kernel launched so far can access ADDRESS: nothing was launched since its buffer was
 * allocated or, for a variable, at all. */
static bool is_unshared(const struct exploration *e, uint64_t address)
{
	for (uint32_t k = 0; k < e->allocation.count; k++) {
		const struct allocation *a = &e->allocation.data[k];
		if (address - a->address < a->size)
			return a->launches == e->order.count;
	}
	return e->order.count == 0;
}

/* The element size of the buffer or variable at ADDRESS, in which kernels are expected to access
 * it. */
static uint8_t element_at(const struct exploration *e, uint64_t address)
{
	for (uint32_t k = 0; k < e->in.nobjects; k++) {
		const struct object *o = &e->in.object[k];
		unsigned size = type_bytes((enum type)o->type);
		if (o->address && address - o->address < o->count * size)
			return (uint8_t)size;
	}
	return 1;
}

static bool recorder_write(void *self, uint64_t address, const void *data, uint64_t size)
{
	struct exploration *e = self;
	if (is_unshared(e, address))
		return e->inner.write(e->inner.self, address, data, size);
	*vec_push(&e->write) = (struct explore_write){.before = e->order.count,
		.element = element_at(e, address),
		.address = address,
		.size = size,
		.bytes = arena_copy(&e->report->arena, data, size, 8)};
	return true;
}

static bool recorder_symbol(void *self, const char *name, uint64_t *address, uint64_t *size)
{
	struct exploration *e = self;
	return e->inner.symbol(e->inner.self, name, address, size);
}

static uint64_t recorder_function(void *self, uint32_t func)
{
	struct exploration *e = self;
	return e->inner.function(e->inner.self, func);
}

static bool recorder_launch(void *self, const struct machine_launch *launch)
{
	struct exploration *e = self;
	struct launch_order *o = &e->order;
	if (e->refused)
		return false;
	if (!e->inner.launch(e->inner.self, launch)) {
		e->refused = true;
		return false;
	}
	order_launch(o, launch->stream);
	return true;
}

static void recorder_record(void *self, uint32_t event, uint32_t stream)
{
	struct exploration *e = self;
	if (!order_record(&e->order, event, stream))
		exploration_refuse(e, "the explorer accepts at most 64 events");
}

static void recorder_wait(void *self, uint32_t event, uint32_t stream)
{
	struct exploration *e = self;
	if (!order_wait(&e->order, event, stream))
		exploration_refuse(e, "the explorer accepts at most 64 waits for events");
}

/* A sync only orders the launches before it ahead of those after it: they are explored when the
 * host program ends. */
static enum machine_status recorder_sync(void *self)
{
	struct exploration *e = self;
	for (const struct stmt *t = e->in.first; t; t = t->next) {
		if (t->kind == STMT_CONDITION || t->kind == STMT_OBSERVE)
			observe_part(e, t->expr);
	}
	order_sync(&e->order);
	return e->refused ? MACHINE_UNSUPPORTED : MACHINE_DONE;
}

/* "any number of CTAs", or the bounds of proof A in as many dimensions as it has. */
static const char *proved_for(const struct any_grid *a, struct arena *arena)
{
	if (a->most[0] == INT32_MAX)
		return "any number of CTAs";
	if (a->most[2] > 1)
		return arena_printf(arena,
			"grids of up to %" PRIu64 " x %" PRIu64 " x %" PRIu64 " CTAs", a->most[0],
			a->most[1], a->most[2]);
	if (a->most[1] > 1)
		return arena_printf(arena, "grids of up to %" PRIu64 " x %" PRIu64 " CTAs",
			a->most[0], a->most[1]);
	return arena_printf(arena, "up to %" PRIu64 " CTAs", a->most[0]);
}

/* Reports why A is no proof for all grids. */
static void report_unproved(struct exploration *e, const struct any_grid *a)
{
	struct diags *findings = &e->report->findings;
	struct source *source = e->request->program->source;
	const char *what = a->most[0] ? "not known for other grids" : "not known";
	struct diag *d = a->nspans
		? diag_report(findings, DIAG_B0151, source, a->span[0], "%s: %s: %s", a->kernel,
			  what, a->reason)
		: diag_plain(findings, DIAG_B0151, "%s: %s: %s", a->kernel, what, a->reason);
	if (a->nspans > 1)
		diag_label(findings, d, source, a->span[1], "and here");
}

/* --any-grid: one line for each launch. */
static void prove_launches(struct exploration *e)
{
	struct report *r = e->report;
	struct any_grid a;
	uint32_t unknown = 0, k = 0;
	for (; ptx_any_grid(e->program, k, &r->arena, &a); k++) {
		text_printf(&r->listing, "%s, CTAs of %u x %u x %u threads: ", a.kernel, a.block[0],
			a.block[1], a.block[2]);
		if (!a.most[0])
			text_printf(&r->listing, "not known: %s\n", a.reason);
		else if (a.as_launched)
			text_puts(&r->listing,
				"no data race, but only known for the grid as launched\n");
		else
			text_printf(
				&r->listing, "no data race, for %s\n", proved_for(&a, &r->arena));
		if (!a.most[0] || a.as_launched) {
			unknown++;
			report_unproved(e, &a);
		}
	}
	r->incomplete = unknown;
	r->verdict = unknown ? VERDICT_FAIL : VERDICT_PASS;
	r->status = unknown ? PTXI_UNDECIDED : PTXI_OK;
	r->reason = unknown
		? arena_printf(&r->arena, "%u of %u launches: not known for all grids", unknown, k)
		: "no data race in any grid";
}

static void exploration_run(struct exploration *e)
{
	/* a limit may have ended the host program before its first launch */
	bool limited = judge_first(e->report, "B");
	if (!e->order.count && !e->refused && !limited)
		exploration_refuse(e, "nothing is launched, so there is nothing to explore");
	if (e->refused || !e->order.count)
		return;
	name_regions(e);
	struct explore_options options = *e->options;
	struct ptx_host host = {
		.after = e->order.after, .write = e->write.data, .nwrites = e->write.count};
	e->program = ptx_program(e->machine, &host, e->observable, e->nobservables, e->options,
		&e->report->arena, &e->report->findings);
	if (!e->program)
		return;
	if (e->request->any_grid) {
		prove_launches(e);
		return;
	}
	e->found = ARENA_ARRAY(&e->report->arena, bool, e->report->conditions.count + 1);
	if (e->request->enough) {
		options.enough = exploration_is_enough;
		options.enough_arg = e;
		options.at_once = true;
	} else if (exploration_wants_conditions_only(e)) {
		options.enough = exploration_decided;
		options.enough_arg = e;
	}
	e->result = explore_run(e->program, &options);
	ptx_names(e->program, e->region, e->nregions, &e->report->arena, &e->names);
}

static const char *recorder_output(void *self, size_t *len)
{
	(void)self;
	*len = 0;
	return "";
}

static void recorder_close(void *self)
{
	struct exploration *e = self;
	exploration_run(e);
	if (e->result)
		exploration_judge(e);
	e->inner.close(e->inner.self);
}

/* Why an exploration cannot judge the case's expect directives, or NULL. */
static const char *unanswerable(const struct exploration *e)
{
	bool judged = false;
	for (const struct stmt *t = e->request->in->first; t && e->lockstep; t = t->next) {
		if (t->kind == STMT_EXPECT_FINDING && t->finding == FINDING_DEADLOCK)
			return "the case expects a deadlock of lanes in lockstep (schedule=lockstep); in the memory model, every thread goes on by itself: run or check such a case";
	}
	for (const struct stmt *t = e->request->in->first; t && e->judges_expect; t = t->next) {
		judged |= t->kind == STMT_EXPECT;
		if (judged && (t->kind == STMT_LAUNCH || t->kind == STMT_WRITE))
			return "an explored case is judged by its final values, but an 'expect' directive precedes a launch or a write";
		if (t->kind == STMT_EXPECT_PRINTS)
			return "printed text is not explored, so 'expect prints' cannot be judged";
	}
	return NULL;
}

static bool recorder_open(void *self, const struct backend_request *r, struct backend *out)
{
	struct exploration *e = self;
	/* nothing runs on the machine, so the fast memory mode suffices */
	struct machine_options plain = *r->options;
	struct backend_request request = *r;
	plain.memory = MEMORY_FAST;
	request.options = &plain;
	if (!backend_open_interp(&request, &e->inner))
		return false;
	e->machine = e->inner.self;
	if (unanswerable(e))
		exploration_refuse(e, unanswerable(e));
	*out = (struct backend){.self = e,
		.alloc = recorder_alloc,
		.write = recorder_write,
		.read = exploration_read,
		.symbol = recorder_symbol,
		.function = recorder_function,
		.launch = recorder_launch,
		.record = recorder_record,
		.wait = recorder_wait,
		.sync = recorder_sync,
		.output = recorder_output,
		.reg = exploration_register,
		.close = recorder_close};
	return true;
}

/* Removes expect and print directives from the case. Those that determine the values of an outcome
 * become observe directives: expect directives that are judged on outcomes and, if the case has
 * neither conditions nor observe directives, expect and print directives. */
static void without_expectations(struct exploration *e, struct arena *arena)
{
	struct script_case *in = &e->in;
	struct stmt *first = NULL, **last = &first;
	e->default_values = true;
	for (const struct stmt *t = in->first; t; t = t->next)
		e->default_values &= t->kind != STMT_CONDITION && t->kind != STMT_OBSERVE;
	for (const struct stmt *t = in->first; t; t = t->next) {
		bool shown = (e->default_values &&
				     (t->kind == STMT_EXPECT || t->kind == STMT_PRINT)) ||
			(e->judges_expect && t->kind == STMT_EXPECT);
		if (!shown &&
			(t->kind == STMT_EXPECT || t->kind == STMT_EXPECT_PRINTS ||
				t->kind == STMT_EXPECT_FINDING || t->kind == STMT_PRINT))
			continue;
		*last = arena_copy(arena, t, sizeof *t, _Alignof(struct stmt));
		(*last)->next = NULL;
		if (shown)
			(*last)->kind = STMT_OBSERVE;
		last = &(*last)->next;
	}
	in->first = first;
	in->last = last;
	in->wants_registers = false;
}

/* The report's conditions name the case's own lines, which live as long as the program, and not the
 * copies. */
static void name_own_lines(const struct script_case *in, struct report *r)
{
	uint32_t k = 0;

	for (const struct stmt *t = in->first; t; t = t->next)
		if (t->kind == STMT_CONDITION && k < r->conditions.count)
			r->conditions.data[k++].stmt = t;
	assert(k == r->conditions.count);
}

void explorer_case(
	const struct explorer_request *request, const struct explore_options *o, struct report *out)
{
	struct arena lines = {0};
	struct explore_options options = *o;
	struct run_options own = request->options;
	struct exploration e = {
		.request = request, .options = &options, .report = out, .in = *request->in};
	struct host_request h = {.module = request->program->module,
		.options = request->options,
		.open = recorder_open,
		.self = &e};
	/* a condition from --why is appended to the case, but not judged */
	e.judges_expect = request->in->conditions > (request->why && *request->why);
	without_expectations(&e, &lines);
	h.in = &e.in;
	host_set_options(request->in, &own);
	e.lockstep = own.machine.schedule == SCHEDULE_LOCKSTEP;
	options.loop_bound = (uint32_t)own.rounds;
	options.max_memory = own.machine.max_memory;
	h.options.on_gpu = false;
	h.options.runs = 0;
	h.options.machine.memory = MEMORY_FAST;
	h.options.machine.checks = 0;
	h.options.insisted = 0;
	host_run(&h, out);
	if (out->verdict != VERDICT_SKIP && !(request->any_grid && e.program))
		exploration_verdict(&e);
	explorer_graph(request, &e.graph, out);
	name_own_lines(request->in, out);
	graph_free(&e.graph);
	explore_free(e.result);
	vec_free(&e.write);
	vec_free(&e.allocation);
	arena_free(&lines);
}
