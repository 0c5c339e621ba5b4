/* Turns a kernel and its launch into roles of the harness. Each thread gets a warp of its own,
 * which changes nothing because the memory model has no warp scope. */
#include "script/litmus/harness_case.h"
#include "assembler/assembler.h"
#include "gpu/backend.h"
#include "script/lang/expr.h"
#include "script/litmus/harness.h"
#include "script/verdict/judge.h"
#include <ptxi/status.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_ROLES = 64, MAX_CTA_WARPS = 16, CASE_RUNS = 100000 };

/* A case and its translation for the harness. */
struct whole_case {
	struct program *program;
	const struct script_case *in;
	const struct stmt *launch;
	const struct ir_func *func;
	uint32_t *location; /* [nvars] for each module variable: number of its location + 1, or 0 */
	uint32_t nlocations;
	bool loops;
	uint32_t thread; /* the thread whose body is being printed */
	const char *why;
};

/* --- what fits --- */

static bool case_refuse(struct whole_case *x, const char *why)
{
	if (!x->why)
		x->why = why;
	return false;
}

static bool accepts_opcode(enum opcode op)
{
	switch ((int)op) {
	case OP_ld:
	case OP_st:
	case OP_atom:
	case OP_red:
	case OP_fence:
	case OP_membar:
	case OP_mov:
	case OP_add:
	case OP_sub:
	case OP_mul:
	case OP_mad:
	case OP_min:
	case OP_max:
	case OP_neg:
	case OP_and:
	case OP_or:
	case OP_xor:
	case OP_not:
	case OP_shl:
	case OP_shr:
	case OP_setp:
	case OP_selp:
	case OP_cvt:
	case OP_cvta:
	case OP_bra:
	case OP_ret:
	case OP_exit: return true;
	default: return false;
	}
}

static bool accepts_special(unsigned sreg)
{
	return sreg == SREG_tid || sreg == SREG_ntid || sreg == SREG_ctaid || sreg == SREG_nctaid;
}

static bool accept_variable(struct whole_case *x, uint32_t var)
{
	const struct ir_var *v = &x->program->module->var[var];
	if (v->func != IR_NONE || v->space != W_global || v->size != 4 || v->vector || v->nrelocs)
		return case_refuse(
			x, "the harness accepts variables of 4 bytes in .global at module scope");
	if (!x->location[var])
		x->location[var] = ++x->nlocations;
	return true;
}

static bool accept_operand(struct whole_case *x, const struct ir_operand *o)
{
	const struct ir_module *m = x->program->module;
	switch (o->kind) {
	case IR_SREG:
		return accepts_special(o->index) ||
			case_refuse(x,
				"the harness accepts %tid, %ntid, %ctaid and %nctaid, no other special register");
	case IR_VAR:
		return o->value
			? case_refuse(x, "the harness does not accept an address plus a number")
			: accept_variable(x, o->index);
	case IR_ADDR:
		if (o->aux == IR_BASE_NONE || ir_further(o))
			return case_refuse(x, "the harness accepts only addresses of variables");
		return o->aux == IR_BASE_REG || accept_variable(x, o->index);
	case IR_VEC:
	case IR_LIST:
	case IR_PAIR:
		for (uint32_t k = 0; k < o->count; k++) {
			if (!accept_operand(x, &m->operand[o->index + k]))
				return false;
		}
		return true;
	case IR_FUNC:
	case IR_TABLE: return case_refuse(x, "the harness does not accept calls");
	default: return true;
	}
}

static bool accept_function(struct whole_case *x)
{
	const struct ir_module *m = x->program->module;
	const struct ir_func *f = x->func;
	if (f->nparams || f->nvars)
		return case_refuse(
			x, "the harness accepts kernels without parameters and local variables");
	for (uint32_t i = 0; i < f->ninsns; i++) {
		const struct ir_insn *in = &m->insn[f->insn + i];
		if (!accepts_opcode(ir_form(in)->opcode))
			return case_refuse(x,
				"the harness accepts loads, stores, atomics, fences, integer arithmetic and branches");
		for (unsigned k = 0; k < in->noperands; k++) {
			const struct ir_operand *o = &m->operand[in->operand + k];
			if (!accept_operand(x, o))
				return false;
			x->loops |= o->kind == IR_LABEL && m->label[f->label + o->more].insn <= i;
		}
	}
	return true;
}

static bool accept_directives(struct whole_case *x)
{
	for (const struct stmt *t = x->in->first; t; t = t->next) {
		if (t->kind == STMT_LAUNCH && !x->launch)
			x->launch = t;
		else if (t->kind != STMT_CONDITION && t->kind != STMT_OBSERVE &&
			!(t->kind == STMT_EXPECT_FINDING && t->finding == FINDING_RACE))
			return case_refuse(x,
				"the harness accepts one launch, and conditions over its outcomes");
	}
	if (!x->launch || !x->in->conditions)
		return case_refuse(
			x, "the harness accepts one launch, and conditions over its outcomes");
	const uint32_t(*d)[3] = x->launch->dims;
	if (d[0][1] != 1 || d[0][2] != 1 || d[1][1] != 1 || d[1][2] != 1 || d[2][1] > 1 ||
		d[2][2] > 1)
		return case_refuse(x, "the harness accepts launches of one dimension");
	if (x->launch->shared_bytes || (uint64_t)d[0][0] * d[1][0] > MAX_ROLES ||
		d[1][0] > MAX_CTA_WARPS || d[2][0] > 8)
		return case_refuse(x,
			"the harness accepts at most 64 threads, 16 per CTA, 8 CTAs per cluster, and no shared memory");
	x->func = &x->program->module->func[x->launch->func];
	return true;
}

static bool case_fits(struct whole_case *x, struct program *p, const struct script_case *in)
{
	*x = (struct whole_case){.program = p, .in = in};
	if (!p->module || p->kind != PROGRAM_PTX || !accept_directives(x))
		return false;
	x->location = ARENA_ARRAY(&p->arena, uint32_t, p->module->nvars + 1);
	return accept_function(x);
}

bool harness_case_fits(struct program *p, const struct script_case *in, const char **why)
{
	struct whole_case x;
	bool ok = case_fits(&x, p, in);
	if (why)
		*why = x.why;
	return ok;
}

/* --- bodies --- */

static const char *body_variable(void *client, uint32_t var)
{
	struct whole_case *x = client;
	return arena_printf(&x->program->arena, "%%loc%u", x->location[var] - 1);
}

/* The values of %tid, %ntid, %ctaid and %nctaid for the thread. */
static const char *body_special(void *client, unsigned sreg, unsigned component)
{
	struct whole_case *x = client;
	const uint32_t(*d)[3] = x->launch->dims;
	uint32_t v = sreg == SREG_ntid || sreg == SREG_nctaid ? 1 : 0;
	if (component == 1)
		v = sreg == SREG_tid         ? x->thread % d[1][0]
			: sreg == SREG_ntid  ? d[1][0]
			: sreg == SREG_ctaid ? x->thread / d[1][0]
					     : d[0][0];
	return arena_printf(&x->program->arena, "%u", v);
}

static uint32_t location_of(struct whole_case *x, const char *name)
{
	const struct ir_module *m = x->program->module;
	for (uint32_t k = 0; k < m->nvars; k++) {
		if (m->var[k].func == IR_NONE &&
			strcmp(symbol_text(&m->symbols, m->var[k].name), name) == 0)
			return accept_variable(x, k) ? x->location[k] : 0;
	}
	return 0;
}

static const char *case_body(struct whole_case *x, uint32_t thread, const struct report *r)
{
	const struct ir_module *m = x->program->module;
	struct assembler_names names = {x, body_variable, body_special, "PTXI_END"};
	struct text t = {0};
	x->thread = thread;
	text_puts(&t, "\t{\n");
	assembler_print_body(m, x->func, &names, &t);
	text_puts(&t, "PTXI_END:\n");
	for (uint32_t k = 0; k < r->nstate; k++) {
		const struct expr *e = r->state_part[k];
		if (e->kind == EXPR_REGISTER && e->thread == thread)
			text_printf(&t, "\tst.global.b32 [%%out+%u], %s;\n", 4 * k,
				symbol_text(&m->symbols, m->reg[x->func->reg + e->reg].name));
	}
	text_puts(&t, "\t}\n");
	const char *out = arena_text(&x->program->arena, text_str(&t), t.len);
	text_free(&t);
	return out;
}

static int32_t initial_value(const struct ir_module *m, const struct ir_var *v)
{
	unsigned char bytes[4] = {0};
	int32_t out;
	if (v->data != IR_NONE)
		memcpy(bytes, m->data + v->data, v->ndata < 4 ? v->ndata : 4);
	memcpy(&out, bytes, sizeof out);
	return out;
}

/* Fills in H. False, with the reason in x->why, if the harness cannot observe the values of an
 * outcome. */
static bool case_harness(struct whole_case *x, const struct report *r, struct harness *h)
{
	const struct ir_module *m = x->program->module;
	struct arena *arena = &x->program->arena;
	const uint32_t(*d)[3] = x->launch->dims;
	uint32_t cluster = d[2][0] ? d[2][0] : 1, n = d[0][0] * d[1][0];
	int32_t *final = ARENA_ARRAY(arena, int32_t, r->nstate + 1);
	for (uint32_t k = 0; k < r->nstate; k++) {
		const struct expr *e = r->state_part[k];
		final[k] = -1;
		if (e->kind == EXPR_REGISTER) {
			if (type_info[m->reg[x->func->reg + e->reg].type].bits != 32)
				return case_refuse(x, "the harness shows registers of 32 bits");
		} else if (e->kind != EXPR_NAME || e->object < 0 || e->range != RANGE_NONE ||
			!(final[k] = (int32_t)location_of(x, x->in->object[e->object].name))) {
			return case_refuse(
				x, "the harness shows registers and variables of 32 bits");
		} else {
			final[k]--;
		}
	}
	struct harness_role *role = ARENA_ARRAY(arena, struct harness_role, n + 1);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t cta = k / d[1][0];
		role[k] = (struct harness_role){
			cta / cluster, cta % cluster, k % d[1][0], case_body(x, k, r)};
	}
	int32_t *init = ARENA_ARRAY(arena, int32_t, x->nlocations + 1);
	for (uint32_t k = 0; k < m->nvars; k++) {
		if (x->location[k])
			init[x->location[k] - 1] = initial_value(m, &m->var[k]);
	}
	*h = (struct harness){.role = role,
		.nroles = n,
		.clusters = d[0][0] / cluster,
		.ranks = cluster,
		.warps = d[1][0],
		.init = init,
		.nlocations = x->nlocations,
		.final = final,
		.nobserved = r->nstate,
		.loops = x->loops,
		.version = m->target.ptx > 60 ? m->target.ptx : 60,
		.target = m->target.sm > 70 ? m->target.sm : 70};
	return true;
}

/* --- outcomes --- */

struct row {
	struct whole_case *piece;
	const struct report *report;
	const uint64_t *value;
};

static bool row_element(void *self, int object, uint64_t index, void *bytes, bool *undefined)
{
	const struct row *row = self;
	*undefined = true;
	for (uint32_t k = 0; k < row->report->nstate && index == 0; k++) {
		const struct expr *e = row->report->state_part[k];
		uint32_t v = (uint32_t)row->value[k];
		if (e->kind == EXPR_NAME && e->object == object) {
			memcpy(bytes, &v, sizeof v);
			*undefined = false;
		}
	}
	return !*undefined;
}

static bool row_register(void *self, uint32_t thread, uint32_t r, uint64_t *value, bool *defined)
{
	const struct row *row = self;
	*defined = false;
	for (uint32_t k = 0; k < row->report->nstate; k++) {
		const struct expr *e = row->report->state_part[k];
		if (e->kind == EXPR_REGISTER && e->thread == thread && e->reg == r) {
			*value = (uint32_t)row->value[k];
			*defined = true;
		}
	}
	return *defined;
}

static bool same_state(const struct report *r, const struct outcome *a, const struct outcome *b)
{
	for (uint32_t k = 0; k < r->nstate; k++) {
		if (strcmp(a->text[k], b->text[k]) != 0)
			return false;
	}
	return true;
}

/* Puts the observed outcomes in the report and compares them with the NALLOWED outcomes that the
 * explorer found. */
static void case_judge(struct whole_case *x, struct report *r, const struct explore_outcomes *seen,
	const struct outcome *allowed, uint32_t nallowed, bool complete)
{
	struct text t = {0};
	for (uint32_t n = 0; n < seen->list.count; n++) {
		struct row row = {x, r, seen->list.data[n].value};
		struct evidence e = {.in = x->in,
			.report = r,
			.eval = {.arena = &r->arena,
				.object = x->in->object,
				.element = row_element,
				.reg = row_register,
				.self = &row}};
		struct outcome o = {
			.text = judge_state(r, &e.eval), .count = seen->list.data[n].count};
		o.allowed = complete ? ALLOWED_NO : ALLOWED_UNKNOWN;
		for (uint32_t k = 0; k < nallowed; k++)
			o.allowed = same_state(r, &o, &allowed[k]) ? ALLOWED_YES : o.allowed;
		judge_seen(&e, r, &o, o.count);
		if (o.allowed == ALLOWED_NO) {
			o.forbidden = true;
			text_clear(&t);
			report_put_outcome(r, &o, &t);
			diag_report(&r->findings, DIAG_X0110, x->launch->source, x->launch->span,
				"%s was seen %" PRIu64
				" times, but the memory model does not allow it",
				text_str(&t), o.count);
		}
		*vec_push(&r->outcomes) = o;
	}
	text_free(&t);
}

static const char *case_placement(const struct whole_case *x, struct arena *arena)
{
	const uint32_t(*d)[3] = x->launch->dims;
	uint32_t cluster = d[2][0] ? d[2][0] : 1;
	struct text t = {0};
	for (uint32_t k = 0; k < d[0][0] * d[1][0]; k++) {
		uint32_t cta = k / d[1][0], first = k % d[1][0] == 0,
			 opens = first && cluster > 1 && cta % cluster == 0;
		text_printf(&t, "%s%sP%u", k == 0 ? "" : first ? " " : "+", opens ? "(" : "", k);
		if (cluster > 1 && cta % cluster == cluster - 1 && k % d[1][0] == d[1][0] - 1)
			text_puts(&t, ")");
	}
	const char *out = arena_text(arena, text_str(&t), t.len);
	text_free(&t);
	return out;
}

static void case_skip(struct report *r, const char *why)
{
	r->outcomes.count = 0;
	r->verdict = VERDICT_SKIP;
	r->status = PTXI_UNSUPPORTED;
	r->reason = why;
	diag_plain(&r->findings, DIAG_U0151, "%s", why);
}

static void case_play(
	struct whole_case *x, const struct explorer_request *request, struct report *r)
{
	struct harness h;
	struct harness_request q = {.harness = &h,
		.options = &request->options,
		.runs = request->options.runs ? request->options.runs : CASE_RUNS};
	struct harness_result result;
	struct outcome *allowed = arena_copy(&r->arena, r->outcomes.data,
		r->outcomes.count * sizeof *allowed, _Alignof(struct outcome));
	uint32_t nallowed = r->outcomes.count;
	bool complete = true;
	if (!case_harness(x, r, &h)) {
		case_skip(r, x->why);
		return;
	}
	for (const struct diag *d = r->findings.first; d; d = d->next)
		complete &= d->code != DIAG_B0150;
	diags_free(&r->findings); /* findings of the exploration are not findings of this run */
	r->findings = (struct diags){0};
	uint32_t nth = 0;
	/* the explorer worked on copies of the directives, which no longer exist */
	for (const struct stmt *t = x->in->first; t; t = t->next) {
		if (t->kind != STMT_CONDITION || nth == r->conditions.count)
			continue;
		struct judged_condition *c = &r->conditions.data[nth++];
		c->stmt = t;
		c->holds = t->condition != CONDITION_ALLOW;
		c->decided = false;
		c->positive = 0;
	}
	r->outcomes.count = 0;
	bool ok = harness_run(&q, &r->findings, &result);
	r->executions = result.runs;
	r->ended = result.ended;
	if (ok)
		case_judge(x, r, &result.outcomes, allowed, nallowed, complete);
	outcomes_free(&result.outcomes);
	text_clear(&r->listing);
	harness_describe(&result, &r->listing);
	judge_conditions(&(struct evidence){.in = x->in, .report = r});
	r->status = r->findings.first ? diag_status(r->findings.first->code)
		: ok                  ? PTXI_OK
				      : PTXI_FAULT;
	r->verdict = r->status ? VERDICT_FAIL : VERDICT_PASS;
	r->reason = r->findings.first ? r->findings.first->message : NULL;
}

static bool may_hang(const struct report *r)
{
	for (const struct diag *d = r->findings.first; d; d = d->next) {
		if (d->code == DIAG_D0150 || d->code == DIAG_D0151)
			return true;
	}
	return false;
}

void harness_case(const struct explorer_request *request, struct report *out)
{
	struct explorer_request explore = *request;
	struct whole_case x;
	bool ok = case_fits(&x, request->program, request->in);
	const char *lacks = request->options.on_gpu ? gpu_lacks() : NULL;
	/* observed outcomes are compared with all outcomes, not only with those that decide the
	 * conditions */
	explore.judge = false;
	if (!(explore.options.machine.timeout > 0))
		explore.options.machine.timeout = EXPLORER_JUDGE_SECONDS;
	explore.semantic_deps = true; /* the driver's compiler may remove syntactic dependencies */
	explorer_run(&explore, out);
	out->placement = ok ? case_placement(&x, &out->arena) : "";
	if (out->verdict == VERDICT_SKIP)
		return;
	if (!ok || lacks || may_hang(out))
		case_skip(out,
			arena_printf(&out->arena, "%s",
				!ok             ? x.why
					: lacks ? lacks
						: "it may wait or spin forever"));
	else
		case_play(&x, request, out);
}
