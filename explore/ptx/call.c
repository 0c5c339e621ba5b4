/* Calls: every call of a function gets its own copy of the function's code, a part. So every
 * activation has its own register slots, and a thread's state stays flat. */
#include "explore/ptx/call.h"
#include "explore/ptx/open.h"
#include "code/window.h"
#include <string.h>

/* MAX_NESTED: nested activations of one function. MAX_OPS_AGAIN: above this total number of ops,
 * a function is not inlined within itself any more. */
enum { MAX_PARTS = 256, MAX_OPS = 1 << 16, MAX_NESTED = 16, MAX_OPS_AGAIN = 1 << 13 };

const struct call_site *ptx_call_site(const struct op *op)
{
	return op->kind == KIND_CALL ? op->call : NULL;
}

/* --- inlining --- */

/* The analysis of a call, before its op exists. */
struct call_plan {
	uint32_t *callee, ncallees;
	const char *refusal;
	uint8_t class; /* enum ptx_class */
};

/* The number of activations of CODE among PART and its callers. */
static uint32_t nesting_of(const struct ptx_code *c, uint32_t part, const struct code_func *code)
{
	uint32_t n = c->part[part].code == code;
	for (; part; part = c->part[part].caller)
		n += c->part[c->part[part].caller].code == code;
	return n;
}

static uint32_t add_part(
	struct ptx_code *c, const struct code_func *code, uint32_t caller, uint32_t call)
{
	struct ptx_part *p = &c->part[c->nparts];
	*p = (struct ptx_part){.code = code,
		.first = c->nops,
		.regs_at = c->regs_bytes,
		.local_at = c->local_bytes,
		.caller = caller,
		.call = call};
	c->nops += code->nops;
	c->regs_bytes += (code->frame_bytes + 63) / 64 * 64;
	c->local_bytes += (code->local_bytes + 15) / 16 * 16;
	return c->nparts++;
}

/* Inlines CODE for the call at CALL in part CALLER, or sets plan->refusal. */
static void add_callee(struct ptx_code *c, const struct code_func *code, uint32_t caller,
	uint32_t call, struct call_plan *plan)
{
	uint32_t times = nesting_of(c, caller, code);
	if (times >= MAX_NESTED)
		plan->refusal =
			"a recursive call beyond the 16 activations of a function that the explorer follows";
	else if (times && c->nops + code->nops > MAX_OPS_AGAIN)
		plan->refusal =
			"a recursive call that would make the kernel's code, with its calls inlined, larger than the explorer accepts";
	else if (c->nparts == MAX_PARTS || c->nops + code->nops > MAX_OPS)
		plan->refusal =
			"a call that would make the kernel's code, with its calls inlined, larger than the explorer accepts";
	else
		plan->callee[plan->ncallees++] = add_part(c, code, caller, call);
}

/* Whether the indirect call SITE may call F, judged by signature; TARGETS: the call's list of
 * targets, or NULL. */
static bool may_be_called(const struct machine *m, const struct call_site *site, uint32_t f,
	const struct ir_table *targets)
{
	const struct ir_func *func = &m->module->func[f];
	if (!func->has_body || func->is_entry || !m->code.func[f].decoded ||
		func->nparams != site->nargs || func->nrets != site->nrets)
		return false;
	for (uint32_t k = 0; targets && k < targets->ntargets; k++) {
		if (code_resolve(m->module, m->module->operand[targets->target + k].index) == f)
			return true;
	}
	return !targets;
}

static void plan_indirect(struct ptx_code *c, const struct machine *m, const struct op *op,
	uint32_t part, uint32_t at, struct call_plan *plan, struct arena *arena)
{
	const struct ir_insn *insn = &m->module->insn[op->insn];
	const struct ir_operand *list = insn->noperands > 3 ? &m->module->operand[insn->operand + 3]
							    : NULL;
	const struct ir_table *targets = list && list->kind == IR_TABLE &&
			m->module->table[list->index].kind == IR_CALL_TARGETS
		? &m->module->table[list->index]
		: NULL;
	plan->callee = ARENA_ARRAY(arena, uint32_t, m->module->nfuncs + 1);
	for (uint32_t f = 0; f < m->module->nfuncs; f++) {
		if (may_be_called(m, ptx_call_site(op), f, targets))
			add_callee(c, &m->code.func[f], part, at, plan);
	}
}

static void plan_call(struct ptx_code *c, const struct machine *m, const struct op *op,
	uint32_t part, uint32_t at, struct call_plan *plan, struct arena *arena)
{
	const struct call_site *s = ptx_call_site(op);
	plan->class = PTX_CALL;
	if (s->func == IR_NONE) {
		plan_indirect(c, m, op, part, at, plan, arena);
		return;
	}
	const char *name = symbol_text(&m->module->symbols, m->module->func[s->func].name);
	plan->callee = ARENA_ARRAY(arena, uint32_t, 1);
	if (s->provided >= 0 && strcmp(name, "vprintf") == 0) {
		plan->class = PTX_PRINT;
	} else if (s->provided >= 0 && strcmp(name, "__assertfail") == 0) {
		plan->class = PTX_TRAP;
		plan->refusal = "an assertion that fails";
	} else if (s->provided >= 0) {
		plan->class = PTX_UNSUPPORTED;
		plan->refusal = arena_printf(arena,
			"a call of %s, whose result depends on the order in which threads call it",
			name);
	} else if (!m->code.func[s->func].decoded) {
		plan->class = PTX_UNSUPPORTED;
		plan->refusal = arena_printf(arena, "a call of %s, which has no body here", name);
	} else {
		add_callee(c, &m->code.func[s->func], part, at, plan);
	}
}

void ptx_code_join(struct ptx_code *c, const struct machine *m, const struct code_func *kernel,
	struct arena *arena)
{
	struct call_plan *plan = NULL;
	uint32_t cap = 0;
	c->part = ARENA_ARRAY(arena, struct ptx_part, MAX_PARTS);
	add_part(c, kernel, 0, 0);
	for (uint32_t done = 0; done < c->nparts; done++) {
		const struct ptx_part *p = &c->part[done];
		if (p->first + p->code->nops > cap) {
			struct call_plan *old = plan;
			uint32_t n = (p->first + p->code->nops) * 2;
			plan = ARENA_ARRAY(arena, struct call_plan, n);
			if (cap)
				memcpy(plan, old, cap * sizeof *plan);
			cap = n;
		}
		for (uint32_t i = 0; i < p->code->nops; i++) {
			plan[p->first + i] = (struct call_plan){0};
			if (ptx_call_site(&p->code->op[i]))
				plan_call(c, m, &p->code->op[i], done, p->first + i,
					&plan[p->first + i], arena);
		}
	}
	c->ops = ARENA_ARRAY(arena, struct op, c->nops);
	c->op = ARENA_ARRAY(arena, struct ptx_op, c->nops + 1);
	c->part_of = ARENA_ARRAY(arena, uint16_t, c->nops + 1);
	for (uint32_t k = 0; k < c->nparts; k++) {
		struct ptx_part *p = &c->part[k];
		p->slot_at = ARENA_ARRAY(arena, uint16_t, p->code->frame_bytes / 4 + 1);
		memset(p->slot_at, 255, (p->code->frame_bytes / 4 + 1) * sizeof *p->slot_at);
		for (uint32_t i = 0; i < p->code->nops; i++) {
			uint32_t at = p->first + i;
			c->ops[at] = p->code->op[i];
			if (c->ops[at].kind == KIND_BRANCH)
				c->ops[at].branch.target += p->first;
			c->part_of[at] = (uint16_t)k;
			c->op[at].callee = plan[at].callee;
			c->op[at].ncallees = plan[at].ncallees;
			c->op[at].refusal = plan[at].refusal;
			c->op[at].class = plan[at].class;
		}
	}
}

/* --- passing values --- */

static struct ptx_side caller_side(const struct ptx_part *p, const struct argument *a)
{
	if (a->kind == ARGUMENT_LOCAL)
		return (struct ptx_side){
			.local = true, .at = p->local_at + a->place, .width = a->bytes};
	return (struct ptx_side){
		.none = a->kind == ARGUMENT_NONE, .part = p, .at = a->place, .width = a->width};
}

static struct ptx_side callee_side(const struct machine *m, const struct ptx_part *p, uint32_t var)
{
	const struct ir_var *v = &m->module->var[var];
	if (v->space != W_reg)
		return (struct ptx_side){.local = true,
			.at = p->local_at + (uint32_t)m->code.var_at[var],
			.width = (uint32_t)v->size};
	return (struct ptx_side){.part = p,
		.at = p->code->reg_at[v->offset],
		.width = v->type == TYPE_pred ? 0 : type_bytes(v->type)};
}

bool ptx_passes(const struct machine *m, const struct ptx_code *c, uint32_t pc, uint32_t which,
	uint32_t k, struct ptx_side *to, struct ptx_side *from)
{
	bool calls = c->op[pc].class == PTX_CALL;
	const struct ptx_part *callee = &c->part[calls ? which : c->part_of[pc]],
			      *caller = &c->part[callee->caller];
	const struct call_site *s = ptx_call_site(&c->ops[callee->call]);
	const struct ir_func *f = &m->module->func[callee->code->func];
	uint32_t n = calls ? s->nargs : s->nrets, theirs = calls ? f->nparams : f->nrets;
	if (k >= n || k >= theirs)
		return false;
	*to = calls ? callee_side(m, callee, f->param + k) : caller_side(caller, &s->ret[k]);
	*from = calls ? caller_side(caller, &s->arg[k]) : callee_side(m, callee, f->ret + k);
	return true;
}

bool ptx_print_result(const struct ptx_code *c, uint32_t pc, struct ptx_side *to)
{
	const struct call_site *s = ptx_call_site(&c->ops[pc]);
	if (!s->nrets)
		return false;
	*to = caller_side(&c->part[c->part_of[pc]], &s->ret[0]);
	return true;
}

/* A value being passed. */
struct passing {
	unsigned char bytes[16];
	bool known, read, open;
};

/* Reads N bytes, at most 16, at byte AT of a side. */
static void get_passed(struct ptx_bench *b, struct ptx_state *s, const struct ptx_side *from,
	uint32_t at, uint32_t n, struct passing *v)
{
	*v = (struct passing){.known = true};
	if (from->none)
		return;
	if (from->local) {
		memcpy(v->bytes, ptx_local(b->code, s) + from->at + at, n);
		for (uint32_t k = 0; k < n; k++) {
			v->known &= row_has(ptx_local_known(b->code, s), from->at + at + k);
			v->open |= b->code->has_open &&
				row_has(ptx_local_open(b->code, s), from->at + at + k);
		}
		v->read = true;
		return;
	}
	ptx_enter(b, from->part);
	const void *lanes = op_place(&b->warp, from->at);
	if (from->width == 16) {
		memcpy(v->bytes, (const char *)lanes + b->lane * 16u, 16);
	} else {
		uint64_t value = register_get(lanes, b->lane, from->width);
		memcpy(v->bytes, &value, sizeof value);
	}
	v->known = ptx_place_known(b, s, from->at);
	v->open = ptx_place_open(b, s, from->at);
	v->read = ptx_place_read(b, s, from->at);
}

static void put_passed(struct ptx_bench *b, struct ptx_state *s, const struct ptx_side *to,
	uint32_t at, uint32_t n, const struct passing *v)
{
	if (to->none)
		return;
	if (to->local) {
		ptx_local_put(b, s, to->at + at, v->bytes, n, v->known, v->open);
		return;
	}
	ptx_enter(b, to->part);
	void *lanes = op_place(&b->warp, to->at);
	uint64_t value;
	memcpy(&value, v->bytes, sizeof value);
	if (to->width == 16)
		memcpy((char *)lanes + b->lane * 16u, v->bytes, 16);
	else
		register_set(lanes, b->lane, to->width, value);
	ptx_mark(b, s, to->at, v->known, v->read);
	if (v->open && ptx_slot_at(to->part, to->at) != PTX_NO_SLOT)
		ptx_mark_open(b, s, ptx_slot_at(to->part, to->at), 0);
}

static void pass_all(
	const struct machine *m, struct ptx_bench *b, struct ptx_state *s, uint32_t callee)
{
	struct ptx_side to, from;
	for (uint32_t k = 0; ptx_passes(m, b->code, s->pc, callee, k, &to, &from); k++) {
		uint32_t a = to.local ? to.width : 16,
			 n = from.local ? from.width
			: from.width    ? from.width
					: 8,
			 size = a < n ? a : n;
		for (uint32_t at = 0; at < size; at += 16) {
			struct passing v;
			uint32_t piece = size - at < 16 ? size - at : 16;
			get_passed(b, s, &from, at, piece, &v);
			put_passed(b, s, &to, at, piece, &v);
		}
	}
}

static bool call_fault(struct action *a, const char *text)
{
	a->kind = ACTION_FAULT;
	a->text = text;
	return false;
}

/* Finds the part that the call at s->pc enters; false with a stall or fault in A. */
static bool callee_of(struct machine *m, struct ptx_bench *b, struct ptx_state *s, struct action *a,
	uint32_t *part)
{
	const struct ptx_op *o = &b->code->op[s->pc];
	const struct op *op = &b->code->ops[s->pc];
	if (ptx_call_site(op)->func != IR_NONE) {
		*part = o->callee[0];
		return true;
	}
	if (!ptx_place_known(b, s, op->at[0])) {
		a->kind = ACTION_STALL;
		return false;
	}
	if (ptx_place_open(b, s, op->at[0])) {
		ptx_refuse_open(s, a);
		return false;
	}
	uint32_t f = window_function_at(
		m->module, register_get(op_lanes(&b->warp, op, 0), b->lane, op->width[0]));
	if (f != IR_NONE)
		f = code_resolve(m->module, f);
	for (uint32_t k = 0; f != IR_NONE && k < o->ncallees; k++) {
		*part = o->callee[k];
		if (b->code->part[*part].code == &m->code.func[f])
			return true;
	}
	if (f == IR_NONE)
		return call_fault(
			a, "a call through a value that is not the address of a function");
	a->unsupported = o->refusal || !m->module->func[f].has_body;
	if (a->unsupported)
		return call_fault(a,
			o->refusal
				? o->refusal
				: "a call through a register of a function that has no body here");
	return call_fault(a,
		"a call through a register of a function with another number of parameters or results, or that the call's list does not name");
}

bool ptx_call(struct machine *m, struct ptx_bench *b, struct ptx_state *s, struct action *a)
{
	const struct ptx_code *c = b->code;
	uint32_t part;
	if (!callee_of(m, b, s, a, &part))
		return false;
	const struct ptx_part *p = &c->part[part];
	/* registers of a new activation are zero */
	memset(b->regs + p->regs_at, 0, p->code->frame_bytes);
	for (uint32_t k = 0; k <= p->code->frame_bytes / 4; k++) {
		if (p->slot_at[k] != PTX_NO_SLOT)
			ptx_mark_slot(b, s, p->slot_at[k], true, false);
	}
	pass_all(m, b, s, part);
	s->pc = p->first;
	return true;
}

void ptx_return(const struct machine *m, struct ptx_bench *b, struct ptx_state *s)
{
	uint32_t part = b->code->part_of[s->pc];
	pass_all(m, b, s, part);
	s->pc = b->code->part[part].call + 1;
}

void ptx_print(struct ptx_bench *b, struct ptx_state *s)
{
	static const struct passing anything = {.known = true, .open = true};
	struct ptx_side to;
	s->open |= PTX_OPEN_PRINT;
	if (ptx_print_result(b->code, s->pc, &to))
		put_passed(b, s, &to, 0, to.local && to.width < 16 ? to.width : 4, &anything);
	s->pc++;
}
