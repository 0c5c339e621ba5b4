/* The host program makes buffers and launches against a backend that never runs: when it waits for them, they are explored. Then every outcome is memory and
 * registers over which conditions are evaluated. */
#include "script/explorer_case.h"
#include "base/memory.h"
#include "explore/ptx.h"
#include "script/launch_order.h"
#include "script/expr.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OBSERVED_MOST = 16384, OBSERVED_UNASKED = 64 };

struct allocation {
	uint64_t address, size;
	uint32_t launches; /* that came before it */
};

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
	bool unasked; /* outcomes show what expect and print lines name, since no condition and no observe line says anything else */
	struct launch_order order;
	VEC(struct explore_write) write; /* of the host, after a launch */
	VEC(struct allocation) allocation;
	bool *found;   /* [conditions] while exploring: what is decided */
	bool *decided; /* by condition; the report learns it when the host program is over, so that nobody else judges them */
};

static struct span nowhere(void) { return (struct span){0, 0}; }

static void refuse(struct exploration *e, const char *what)
{
	e->refused = true;
	diag_report(&e->report->findings, DIAG_U0150, NULL, nowhere(), "%s", what);
}

/* ---- what outcomes show ---- */

static void observe(struct exploration *e, struct observable o)
{
	if (e->refused)
		return;
	for (uint32_t k = 0; k < e->nobservables; k++) {
		const struct observable *p = &e->observable[k];
		if (p->kind == o.kind && (o.kind == OBSERVE_MEMORY ? p->phys == o.phys : p->thread == o.thread && p->reg == o.reg))
			return;
	}
	if (e->nobservables % 64 == 0) {
		struct observable *old = e->observable;
		e->observable = ARENA_ARRAY(&e->report->arena, struct observable, e->nobservables + 64);
		if (e->nobservables)
			memcpy(e->observable, old, e->nobservables * sizeof *old);
	}
	e->observable[e->nobservables++] = o;
}

/* Elements of 16 bytes are looked at in halves. */
static void observe_elements(struct exploration *e, const struct expr *x, uint64_t low, uint64_t high)
{
	const struct object *o = &e->in.object[x->object];
	unsigned size = type_bytes((enum type)o->type), half = size > 8 ? 8 : size;
	if (!o->address)
		return; /* not made yet */
	for (uint64_t k = low; k <= high && k < o->count; k++) {
		const char *name = o->count == 1 ? o->name : arena_printf(&e->report->arena, "%s[%" PRIu64 "]", o->name, k);
		if (e->unasked && e->nobservables >= OBSERVED_UNASKED)
			return;
		if (e->nobservables > OBSERVED_MOST) {
			refuse(e, "conditions over more than 16384 elements, which the explorer does not take");
			return;
		}
		for (unsigned at = 0; at < size; at += half)
			observe(e, (struct observable){.name = name, .kind = OBSERVE_MEMORY, .size = (uint8_t)half, .phys = o->address + k * size + at});
	}
}

/* All that the value of X depends on. */
static void observe_part(struct exploration *e, const struct expr *x)
{
	struct value v;
	struct diags unused = {0};
	for (; x && !e->refused; x = x->next) {
		for (unsigned k = 0; k < 3; k++)
			observe_part(e, x->sub[k]);
		observe_part(e, x->tolerance);
		if (x->kind == EXPR_REGISTER && type_bytes((enum type)x->type) > 8) {
			refuse(e, "a register of 128 bits in a condition");
		} else if (x->kind == EXPR_REGISTER) {
			observe(e, (struct observable){.name = expr_text(x, &e->report->arena), .kind = OBSERVE_REGISTER, .size = 8, .thread = x->thread, .reg = x->reg});
		} else if (x->kind == EXPR_NAME && x->object >= 0) {
			uint64_t last = e->in.object[x->object].count - 1;
			if (x->range == RANGE_SPAN)
				observe_elements(e, x, x->low, x->high);
			else if (x->range == RANGE_NONE)
				observe_elements(e, x, 0, 0);
			else if (x->range == RANGE_INDEX && expr_constant(x->sub[0], &v, &e->report->arena, &unused) && !v.is_float && v.i >= 0 && v.i <= (__int128)last)
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
			e->region[e->nregions++] = (struct explore_region){o->name, o->address, o->count * size, size};
	}
}

/* ---- the backend ---- */

static uint64_t do_alloc(void *self, uint64_t size, const char *name, bool initialised)
{
	struct exploration *e = self;
	uint64_t address = e->inner.alloc(e->inner.self, size, name, initialised);
	*vec_push(&e->allocation) = (struct allocation){address, size, e->order.count};
	return address;
}

/* Whether no kernel that was launched can have seen what lies at ADDRESS. */
static bool unseen(const struct exploration *e, uint64_t address)
{
	for (uint32_t k = 0; k < e->allocation.count; k++) {
		const struct allocation *a = &e->allocation.data[k];
		if (address - a->address < a->size)
			return a->launches == e->order.count;
	}
	return e->order.count == 0;
}

/* In how large pieces kernels will look at ADDRESS: the elements of its buffer or variable. */
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

static bool do_write(void *self, uint64_t address, const void *data, uint64_t size)
{
	struct exploration *e = self;
	if (unseen(e, address))
		return e->inner.write(e->inner.self, address, data, size);
	*vec_push(&e->write) = (struct explore_write){.before = e->order.count, .element = element_at(e, address), .address = address, .size = size, .bytes = arena_copy(&e->report->arena, data, size, 8)};
	return true;
}

/* Memory as the outcome that is looked at leaves it. */
static bool do_read(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	struct exploration *e = self;
	if (!e->inner.read(e->inner.self, address, data, size, defined))
		return false;
	if (defined)
		memset(defined, 1, (size_t)size);
	for (uint32_t k = 0; e->value && k < e->nobservables; k++) {
		const struct observable *o = &e->observable[k];
		unsigned char bytes[8];
		memcpy(bytes, &e->value[k], sizeof bytes);
		for (uint32_t i = 0; o->kind == OBSERVE_MEMORY && i < o->size; i++) { /* at most 8 */
			if (o->phys + i >= address && o->phys + i < address + size)
				((unsigned char *)data)[o->phys + i - address] = bytes[i];
		}
	}
	return true;
}

static bool do_symbol(void *self, const char *name, uint64_t *address, uint64_t *size)
{
	struct exploration *e = self;
	return e->inner.symbol(e->inner.self, name, address, size);
}

static uint64_t do_function(void *self, uint32_t func)
{
	struct exploration *e = self;
	return e->inner.function(e->inner.self, func);
}

static bool do_launch(void *self, const struct machine_launch *launch)
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

static void do_record(void *self, uint32_t event, uint32_t stream)
{
	struct exploration *e = self;
	if (!order_record(&e->order, event, stream))
		refuse(e, "the explorer takes at most 64 events");
}

static void do_wait(void *self, uint32_t event, uint32_t stream)
{
	struct exploration *e = self;
	if (!order_wait(&e->order, event, stream))
		refuse(e, "the explorer takes at most 64 waits for events");
}

/* What is queued is explored when the host program is over; until then a wait for it only orders it before what comes later. */
static enum machine_status do_sync(void *self)
{
	struct exploration *e = self;
	for (const struct stmt *t = e->in.first; t; t = t->next) {
		if (t->kind == STMT_CONDITION || t->kind == STMT_OBSERVE)
			observe_part(e, t->expr);
	}
	order_sync(&e->order);
	return e->refused ? MACHINE_UNSUPPORTED : MACHINE_DONE;
}

static bool condition_true(struct exploration *e, const struct expr *x, bool *known);
static bool expects(const struct script_case *in, enum finding_kind kind);

/* Whether outcome VALUE and those before it decide all conditions. */
static bool all_decided(void *self, const uint64_t *value)
{
	struct exploration *e = self;
	const struct report *r = e->report;
	bool all = true;
	e->value = value;
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct stmt *s = r->conditions.data[k].stmt;
		bool known = true;
		if (!e->found[k] && condition_true(e, s->expr, &known) == (s->condition != CONDITION_ALWAYS) && known)
			e->found[k] = true;
		all &= e->found[k];
	}
	e->value = NULL;
	return all;
}

/* check needs no more than the conditions; who is shown outcomes or asks for findings wants them all. */
static bool only_conditions(const struct exploration *e)
{
	const struct explorer_request *q = e->request;
	bool findings = expects(q->in, FINDING_DEADLOCK) || expects(q->in, FINDING_CLEAN) || expects(q->in, FINDING_RACE);
	return q->judge && !q->verbose && !q->why && !q->graph && !findings && e->report->conditions.count;
}

static void run_explorer(struct exploration *e)
{
	struct explore_options options = *e->options;
	if (!e->order.count && !e->refused)
		refuse(e, "nothing is launched, and so there is nothing to explore");
	if (e->refused)
		return;
	name_regions(e);
	struct ptx_host host = {.after = e->order.after, .write = e->write.data, .nwrites = e->write.count};
	e->program = ptx_program(e->machine, &host, e->observable, e->nobservables, e->options, &e->report->arena, &e->report->findings);
	if (!e->program)
		return;
	e->found = ARENA_ARRAY(&e->report->arena, bool, e->report->conditions.count + 1);
	if (only_conditions(e)) {
		options.enough = all_decided;
		options.enough_arg = e;
	}
	e->result = explore_run(e->program, &options);
	ptx_names(e->program, e->region, e->nregions, &e->report->arena, &e->names);
}

static const char *do_output(void *self, size_t *len)
{
	(void)self;
	*len = 0;
	return "";
}

static bool do_reg(void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined)
{
	const struct exploration *e = self;
	for (uint32_t k = 0; k < e->nobservables; k++) {
		const struct observable *o = &e->observable[k];
		if (o->kind == OBSERVE_REGISTER && o->thread == thread && o->reg == reg) {
			*value = e->value ? e->value[k] : 0;
			*defined = true;
			return true;
		}
	}
	return false;
}

static void judge(struct exploration *e);

static void do_close(void *self)
{
	struct exploration *e = self;
	run_explorer(e);
	if (e->result)
		judge(e);
	e->inner.close(e->inner.self);
}

static bool open_backend(void *self, const struct backend_request *r, struct backend *out)
{
	struct exploration *e = self;
	struct machine_options plain = *r->options; /* nothing runs on the machine: its handlers are the plain ones */
	struct backend_request request = *r;
	plain.memory = MEMORY_FAST;
	request.options = &plain;
	if (!backend_open_interp(&request, &e->inner))
		return false;
	e->machine = e->inner.self;
	*out = (struct backend){.self = e,
				.alloc = do_alloc,
				.write = do_write,
				.read = do_read,
				.symbol = do_symbol,
				.function = do_function,
				.launch = do_launch,
				.record = do_record,
				.wait = do_wait,
				.sync = do_sync,
				.output = do_output,
				.reg = do_reg,
				.close = do_close};
	return true;
}

/* ---- judging ---- */

static bool element(void *self, int object, uint64_t index, void *bytes, bool *undefined)
{
	struct exploration *e = self;
	const struct object *o = &e->in.object[object];
	unsigned size = type_bytes((enum type)o->type);
	*undefined = false;
	return do_read(e, o->address + index * size, bytes, size, NULL);
}

static struct eval eval_of(struct exploration *e) { return (struct eval){.arena = &e->report->arena, .object = e->in.object, .element = element, .reg = do_reg, .self = e}; }

static bool condition_true(struct exploration *e, const struct expr *x, bool *known)
{
	struct eval v = eval_of(e);
	const struct expr *first;
	struct value value;
	bool ok;
	uint64_t n = expr_ranges(x, &ok, &first, NULL);
	*known = true;
	for (uint64_t k = 0; k < (n ? n : 1); k++) {
		v.offset = k;
		v.index = first ? (__int128)first->low + k : 0;
		if (!expr_eval(&v, x, &value)) {
			*known = false;
			return false;
		}
		if (!value_true(value))
			return false;
	}
	return true;
}

struct why {
	struct exploration *e;
	const struct expr *expr;
	bool negated;
};

static bool why_holds(void *client, const uint64_t *value)
{
	struct why *w = client;
	bool known;
	w->e->value = value;
	bool truth = condition_true(w->e, w->expr, &known);
	return known && truth != w->negated;
}

static void show_state(struct exploration *e, const struct explore_outcome *o, const char *mark)
{
	struct report *r = e->report;
	struct outcome *shown = vec_push(&r->outcomes);
	struct eval v = eval_of(e);
	struct text t = {0};
	*shown = (struct outcome){.text = ARENA_ARRAY(&r->arena, const char *, r->nstate + 1), .count = 1, .forbidden = *mark == '*'};
	text_printf(&r->listing, "%-8" PRIu64 "%s", o->count, mark);
	for (uint32_t k = 0; k < r->nstate; k++) {
		struct value value;
		text_clear(&t);
		v.error.message = NULL;
		if (expr_eval(&v, r->state_part[k], &value))
			value_print(value, true, &t);
		else
			text_puts(&t, "null");
		shown->text[k] = arena_text(&r->arena, text_str(&t), t.len);
		text_printf(&r->listing, "%s%s=%s;", k ? " " : "", r->state[k], shown->text[k]);
	}
	text_puts(&r->listing, "\n");
	text_free(&t);
}

/* One outcome: its state, its effect on every condition. */
static void judge_outcome_row(struct exploration *e, uint32_t index, uint64_t *positive)
{
	struct report *r = e->report;
	const struct explore_outcome *o = &e->result->outcomes.list.data[index];
	bool forbidden = false, marked = false;
	e->value = o->value;
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		struct judged_condition *c = &r->conditions.data[k];
		bool known, truth = condition_true(e, c->stmt->expr, &known);
		if (!known)
			continue;
		positive[k] += truth ? o->count : 0;
		marked |= truth && c->stmt->condition != CONDITION_ALWAYS;
		if (c->stmt->condition == CONDITION_ALLOW && truth) {
			c->holds = e->decided[k] = true;
		} else if (c->stmt->condition != CONDITION_ALLOW && truth == (c->stmt->condition == CONDITION_FORBID)) {
			c->holds = false;
			e->decided[k] = forbidden = true;
		}
	}
	show_state(e, o, forbidden || marked ? "*> " : ":> ");
	if (e->request->verbose || e->result->outcomes.list.count <= EXPLORER_FEW)
		explore_print_execution(e->result, index, &e->names, &r->listing);
}

static struct span span_of(const struct exploration *e, uint32_t thread, uint32_t place) { return ptx_span(e->program, thread, place); }

/* "CTA 0 thread 1", and of which launch when there are several. */
static const char *who(struct exploration *e, uint32_t thread)
{
	struct arena *arena = &e->report->arena;
	uint32_t cta, tid;
	if (!ptx_launch_of(e->program, thread))
		return "the host";
	ptx_thread(e->program, thread, &cta, &tid);
	const char *words = arena_printf(arena, "CTA %u thread %u", cta, tid);
	return e->order.count > 1 ? arena_printf(arena, "%s of launch %u", words, ptx_launch_of(e->program, thread)) : words;
}

static void report_stuck(struct exploration *e)
{
	const struct explore_result *x = e->result;
	struct source *source = e->request->program->module->source;
	struct report *r = e->report;
	for (uint32_t i = 0; i < x->stuck.list.count && i < 8; i++) {
		const uint64_t *row = x->stuck.list.data[i].value;
		struct diag *d = NULL;
		for (uint32_t t = 0; t < e->program->nthreads; t++) {
			uint32_t cta, tid;
			struct span span = span_of(e, t, (uint32_t)row[2 + 2 * t]);
			ptx_thread(e->program, t, &cta, &tid);
			if (row[1 + 2 * t] != EXPLORE_BLOCKED && row[1 + 2 * t] != EXPLORE_SPINS)
				continue;
			if (!d) {
				d = diag_report(&r->findings, row[0] == STUCK_DEADLOCK ? DIAG_D0150 : DIAG_D0151, source, span, "%s may %s here for ever", who(e, t),
						row[1 + 2 * t] == EXPLORE_SPINS ? "spin" : "wait");
				d->cta = cta;
				d->thread = tid;
			} else if (d->nnotes < 7) {
				diag_note(&r->findings, d, "%s %s, too", who(e, t), row[1 + 2 * t] == EXPLORE_SPINS ? "spins" : "waits");
			}
		}
	}
}

/* Races of the same two instructions: told once, whichever threads and whichever halves of atoms race. */
struct told_race {
	const struct explore_race *first, *last;
	struct span span[2];
	uint32_t pairs; /* of threads */
};

static struct told_race *told_race(struct exploration *e, struct told_race *told, uint32_t *ntold, const struct explore_race *c)
{
	struct span span[2] = {span_of(e, c->thread[0], c->place[0]), span_of(e, c->thread[1], c->place[1])};
	for (uint32_t k = 0; k < *ntold; k++) {
		if (told[k].span[0].off == span[0].off && told[k].span[1].off == span[1].off)
			return &told[k];
	}
	told[*ntold] = (struct told_race){.first = c, .span = {span[0], span[1]}};
	return &told[(*ntold)++];
}

static void report_races(struct exploration *e)
{
	struct source *source = e->request->program->module->source;
	struct told_race *told = memory_zeroed(e->result->nraces + 1u, sizeof *told);
	uint32_t ntold = 0;
	for (uint32_t i = 0; i < e->result->nraces; i++) {
		const struct explore_race *c = &e->result->race[i];
		struct told_race *t = told_race(e, told, &ntold, c);
		t->pairs += !t->last || memcmp(t->last->thread, c->thread, sizeof c->thread) != 0;
		t->last = c;
	}
	for (uint32_t i = 0; i < ntold; i++) {
		const struct explore_race *c = told[i].first;
		uint32_t cta, tid;
		ptx_thread(e->program, c->thread[0], &cta, &tid);
		struct diag *d = diag_report(&e->report->findings, DIAG_R0150, source, told[i].span[0], "a data race: %s %s here, %s %s, and %s", who(e, c->thread[0]),
					     c->write[0] ? "writes" : "reads", who(e, c->thread[1]), c->write[1] ? "writes" : "reads", c->why);
		diag_label(&e->report->findings, d, source, told[i].span[1], "the other access");
		if (told[i].pairs > 1)
			diag_note(&e->report->findings, d, "%u pairs of threads race so", told[i].pairs);
		d->cta = cta;
		d->thread = tid;
	}
	free(told);
}

static void report_mixed(struct exploration *e)
{
	const struct explore_mixed *m = &e->result->mixed;
	struct source *source = e->request->program->module->source;
	if (!m->some)
		return;
	struct diag *d = diag_report(&e->report->findings, DIAG_B0150, source, span_of(e, m->thread[0], m->place[0]),
				     "accesses of different sizes overlap: the memory model says nothing of them, and neither does ptxi");
	diag_label(&e->report->findings, d, source, span_of(e, m->thread[1], m->place[1]), "the other access");
}

static const char *case_name(const struct exploration *e) { return e->in.name ? e->in.name : e->request->program->path; }

static void footer(struct exploration *e, const uint64_t *positive)
{
	struct report *r = e->report;
	uint64_t all = 0;
	for (uint32_t i = 0; i < e->result->outcomes.list.count && !e->result->mixed.some; i++)
		all += e->result->outcomes.list.data[i].count;
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];
		text_printf(&r->listing, "%s\nCondition %s %s\nObservation %s %s %" PRIu64 " %" PRIu64 "\n", !e->decided[k] ? "Undecided" : c->holds ? "Ok" : "No", c->kind, c->text, case_name(e),
			    !positive[k] ? "Never" : positive[k] == all ? "Always" : "Sometimes", positive[k], all - positive[k]);
	}
}

static void explain(struct exploration *e)
{
	struct report *r = e->report;
	struct text words = {0};
	bool asked = e->request->why && *e->request->why; /* for the last one, which nobody judges */
	for (uint32_t k = asked && r->conditions.count ? r->conditions.count - 1 : 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];
		struct why w = {e, c->stmt->expr, c->stmt->condition == CONDITION_ALWAYS};
		struct explore_condition condition = {&w, why_holds};
		text_clear(&e->graph);
		text_printf(&words, "%s %s\n", c->kind, c->text);
		explore_why(e->result, &condition, &e->names, &words, &e->graph);
	}
	if (!r->conditions.count && e->result->outcomes.list.count)
		explore_graph(e->result, 0, &e->names, "the first outcome", &e->graph);
	if (e->request->why)
		text_add(&r->listing, text_str(&words), words.len);
	if (asked && r->conditions.count)
		r->conditions.count--;
	text_free(&words);
}

static bool expects(const struct script_case *in, enum finding_kind kind)
{
	for (const struct stmt *t = in->first; t; t = t->next) {
		if (t->kind == STMT_EXPECT_FINDING && t->finding == kind)
			return true;
	}
	return false;
}

static void judge(struct exploration *e)
{
	struct report *r = e->report;
	const struct explore_result *x = e->result;
	uint64_t *positive = memory_zeroed(r->conditions.count + 1u, sizeof *positive);
	/* The host program's own end, which saw memory before anything ran, does not count. */
	r->outcomes.count = 0;
	e->decided = ARENA_ARRAY(&r->arena, bool, r->conditions.count + 1);
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		r->conditions.data[k].holds = r->conditions.data[k].stmt->condition != CONDITION_ALLOW;
		r->conditions.data[k].decided = false;
	}
	uint32_t states = x->mixed.some ? 0 : x->outcomes.list.count; /* what was seen then is no outcome of the model's */
	text_printf(&r->listing, "Test %s\nStates %u\n", case_name(e), states);
	for (uint32_t i = 0; i < states; i++)
		judge_outcome_row(e, i, positive);
	for (uint32_t k = 0; k < r->conditions.count; k++)
		e->decided[k] |= explore_complete(x);
	footer(e, positive);
	if ((e->request->why || e->request->graph) && !x->mixed.some)
		explain(e);
	e->value = NULL;
	explorer_limits(x, r);
	report_mixed(e);
	if (x->fault) {
		diag_report(&r->findings, x->unsupported ? DIAG_U0150 : DIAG_F0150, e->request->program->module->source, span_of(e, x->fault_thread, x->fault_place),
			    "%s meets %s", who(e, x->fault_thread), x->fault);
	}
	report_stuck(e);
	if (!e->request->judge || expects(e->request->in, FINDING_CLEAN))
		report_races(e);
	free(positive);
}

static void fail(struct report *r, int status, const char *reason)
{
	r->verdict = VERDICT_FAIL;
	if (!r->reason)
		r->reason = reason;
	if (!r->status)
		r->status = status;
}

static void verdict(struct exploration *e)
{
	struct report *r = e->report;
	const struct script_case *in = e->request->in;
	const struct explore_result *x = e->result;
	r->verdict = VERDICT_PASS;
	r->status = 0;
	r->reason = NULL;
	if (!x || x->unsupported) {
		const struct diag *d = r->findings.first;
		while (d && d->next && diag_code_info(d->code)->code[0] != 'U')
			d = d->next;
		r->verdict = d && diag_code_info(d->code)->code[0] != 'U' ? VERDICT_FAIL : VERDICT_SKIP;
		r->status = d ? diag_status(d->code) : 8;
		r->reason = d ? arena_printf(&r->arena, "not explored: %s", d->message) : "not explored";
		return;
	}
	r->executions = x->executions;
	for (uint32_t k = 0; k < r->conditions.count; k++)
		r->conditions.data[k].decided = e->decided[k];
	if (x->fault)
		fail(r, 4, "a thread may fault");
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];
		if (c->decided && !c->holds) {
			struct diag *d = diag_report(&r->findings, DIAG_X0106, c->stmt->source, c->stmt->expr->span, "%s",
						     c->stmt->condition == CONDITION_ALLOW    ? "no execution that the memory model allows gives this outcome"
						     : c->stmt->condition == CONDITION_FORBID ? "the memory model allows this outcome"
											      : "the memory model allows an outcome in which this is not so");
			fail(r, 1, d->message);
		} else if (!c->decided) {
			fail(r, 7, x->mixed.some ? "accesses of different sizes overlap" : "not all executions were seen, and those that were do not decide every condition");
		}
	}
	if (expects(in, FINDING_DEADLOCK) != (x->stuck.list.count > 0))
		fail(r, x->stuck.list.count ? 6 : 1, x->stuck.list.count ? "threads may wait or spin for ever" : "expected a deadlock, and no execution has one");
	if (expects(in, FINDING_CLEAN) && x->nraces)
		fail(r, 5, "expected no finding, and some execution has a data race");
	if (expects(in, FINDING_RACE) && !x->nraces)
		fail(r, 1, "expected a race, and no execution has one");
	if (!r->conditions.count && !explore_complete(x))
		fail(r, 7, "not all executions were seen");
}

/* The lines that make buffers and launches, and what is asked of outcomes; true when nothing is, and they show what is expected and printed. */
static bool without_expectations(struct script_case *in, struct arena *arena)
{
	struct stmt *first = NULL, **last = &first;
	bool unasked = true;
	for (const struct stmt *t = in->first; t; t = t->next)
		unasked = unasked && t->kind != STMT_CONDITION && t->kind != STMT_OBSERVE;
	for (const struct stmt *t = in->first; t; t = t->next) {
		bool shown = unasked && (t->kind == STMT_EXPECT || t->kind == STMT_PRINT);
		if (!shown && (t->kind == STMT_EXPECT || t->kind == STMT_EXPECT_PRINTS || t->kind == STMT_EXPECT_FINDING || t->kind == STMT_PRINT))
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
	return unasked;
}

void explorer_case(const struct explorer_request *request, const struct explore_options *o, struct report *out)
{
	struct arena lines = {0};
	struct exploration e = {.request = request, .options = o, .report = out, .in = *request->in};
	struct host_request h = {.module = request->program->module, .options = request->options, .open = open_backend, .self = &e};
	e.unasked = without_expectations(&e.in, &lines);
	h.in = &e.in;
	h.options.on_gpu = false;
	h.options.runs = 0;
	h.options.machine.memory = MEMORY_FAST;
	h.options.machine.checks = 0;
	h.options.insisted = 0;
	host_run(&h, out);
	if (out->verdict != VERDICT_SKIP || e.result)
		verdict(&e);
	if (request->graph && e.graph.len && !file_write(request->graph, text_str(&e.graph), e.graph.len, &out->findings) && !out->status)
		out->status = 2;
	text_free(&e.graph);
	explore_free(e.result);
	vec_free(&e.write);
	vec_free(&e.allocation);
	arena_free(&lines);
}
