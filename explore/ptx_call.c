/* Calls: a function is put into the code once for every call of it, so that its registers have places of their own and a thread's state stays flat. */
#include "explore/ptx_call.h"
#include "interp/exec.h"
#include <string.h>

enum { MOST_PARTS = 256, MOST_OPS = 1 << 16 };

const struct call_site *ptx_call_site(const struct op *op) { return op->run.exec == exec_call ? op->extra : NULL; }

/* ---- putting together ---- */

static bool recursive(const struct ptx_code *c, uint32_t part, const struct code_func *code)
{
	for (; c->part[part].code != code; part = c->part[part].caller) {
		if (!part)
			return false;
	}
	return true;
}

/* What a call enters, or NULL with the reason why it is not followed. */
static const struct code_func *callee_of(const struct machine *m, const struct op *op, const char **refusal)
{
	const struct call_site *s = ptx_call_site(op);
	*refusal = s->func == IR_NONE ? "a call through a register" : s->runtime >= 0 ? "a call of a function of the runtime library" : !m->code[s->func].decoded ? "a call of a function without a body" : NULL;
	return *refusal ? NULL : &m->code[s->func];
}

static uint32_t add_part(struct ptx_code *c, const struct code_func *code, uint32_t caller, uint32_t call)
{
	struct ptx_part *p = &c->part[c->nparts];
	*p = (struct ptx_part){.code = code, .first = c->nops, .regs_at = c->regs_bytes, .local_at = c->local_bytes, .caller = caller, .call = call};
	c->nops += code->nops;
	c->regs_bytes += (code->frame_bytes + 63) / 64 * 64;
	c->local_bytes += (code->local_bytes + 15) / 16 * 16;
	return c->nparts++;
}

struct ptx_call_plan {
	uint32_t callee;
	const char *refusal;
};

void ptx_code_join(struct ptx_code *c, const struct machine *m, const struct code_func *kernel, struct arena *arena)
{
	struct ptx_call_plan *plan = NULL;
	uint32_t done = 0, cap = 0;
	c->part = ARENA_ARRAY(arena, struct ptx_part, MOST_PARTS);
	add_part(c, kernel, 0, 0);
	for (; done < c->nparts; done++) {
		const struct ptx_part *p = &c->part[done];
		if (c->nops > cap) {
			struct ptx_call_plan *old = plan;
			plan = ARENA_ARRAY(arena, struct ptx_call_plan, c->nops * 2);
			if (cap)
				memcpy(plan, old, cap * sizeof *plan);
			cap = c->nops * 2;
		}
		for (uint32_t i = 0; i < p->code->nops; i++) {
			struct ptx_call_plan *at = &plan[p->first + i];
			*at = (struct ptx_call_plan){0};
			if (!ptx_call_site(&p->code->op[i]))
				continue;
			const struct code_func *callee = callee_of(m, &p->code->op[i], &at->refusal);
			if (callee && recursive(c, done, callee))
				at->refusal = "a recursive call";
			else if (callee && (c->nparts == MOST_PARTS || c->nops + callee->nops > MOST_OPS))
				at->refusal = "a call, where there are too many to follow";
			else if (callee)
				at->callee = add_part(c, callee, done, p->first + i);
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
			if (c->ops[at].kind == OP_KIND_BRANCH)
				c->ops[at].target += p->first;
			c->part_of[at] = (uint16_t)k;
			c->op[at].callee = plan[at].callee;
			c->op[at].refusal = plan[at].refusal;
		}
	}
}

/* ---- passing ---- */

static struct ptx_side caller_side(const struct ptx_part *p, const struct argument *a)
{
	if (a->kind == ARGUMENT_LOCAL)
		return (struct ptx_side){.local = true, .at = p->local_at + a->place, .width = a->bytes};
	return (struct ptx_side){.none = a->kind == ARGUMENT_NONE, .part = p, .at = a->place, .width = a->width};
}

static struct ptx_side callee_side(const struct machine *m, const struct ptx_part *p, uint32_t var)
{
	const struct ir_var *v = &m->module->var[var];
	if (v->space != W_reg)
		return (struct ptx_side){.local = true, .at = p->local_at + (uint32_t)m->var_at[var], .width = (uint32_t)v->size};
	return (struct ptx_side){.part = p, .at = p->code->reg_at[v->offset], .width = v->type == TYPE_pred ? 0 : type_bytes(v->type)};
}

bool ptx_passes(const struct machine *m, const struct ptx_code *c, uint32_t pc, uint32_t k, struct ptx_side *to, struct ptx_side *from)
{
	bool calls = c->op[pc].class == PTX_CALL;
	const struct ptx_part *callee = calls ? &c->part[c->op[pc].callee] : &c->part[c->part_of[pc]], *caller = &c->part[callee->caller];
	const struct call_site *s = ptx_call_site(&c->ops[callee->call]);
	const struct ir_func *f = &m->module->func[callee->code->func];
	uint32_t n = calls ? s->nargs : s->nrets, theirs = calls ? f->nparams : f->nrets;
	if (k >= n || k >= theirs)
		return false;
	*to = calls ? callee_side(m, callee, f->param + k) : caller_side(caller, &s->ret[k]);
	*from = calls ? caller_side(caller, &s->arg[k]) : callee_side(m, callee, f->ret + k);
	return true;
}

/* A value on its way. */
struct passing {
	unsigned char bytes[16];
	bool known, read;
};

/* One value of up to 16 bytes: PART of a side from byte AT on. */
static void take(struct ptx_bench *b, struct ptx_state *s, const struct ptx_side *from, uint32_t at, uint32_t n, struct passing *v)
{
	*v = (struct passing){.known = true};
	if (from->none)
		return;
	if (from->local) {
		memcpy(v->bytes, ptx_local(b->code, s) + from->at + at, n);
		for (uint32_t k = 0; k < n; k++)
			v->known &= row_has(ptx_local_known(b->code, s), from->at + at + k);
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
	v->read = ptx_place_read(b, s, from->at);
}

static void give(struct ptx_bench *b, struct ptx_state *s, const struct ptx_side *to, uint32_t at, uint32_t n, const struct passing *v)
{
	if (to->none)
		return;
	if (to->local) {
		memcpy(ptx_local(b->code, s) + to->at + at, v->bytes, n);
		for (uint32_t k = 0; k < n; k++) {
			if (v->known)
				row_put(ptx_local_known(b->code, s), to->at + at + k);
			else
				row_drop(ptx_local_known(b->code, s), to->at + at + k);
		}
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
}

static void pass_all(const struct machine *m, struct ptx_bench *b, struct ptx_state *s)
{
	struct ptx_side to, from;
	for (uint32_t k = 0; ptx_passes(m, b->code, s->pc, k, &to, &from); k++) {
		uint32_t a = to.local ? to.width : 16, n = from.local ? from.width : from.width ? from.width : 8, size = a < n ? a : n;
		for (uint32_t at = 0; at < size; at += 16) {
			struct passing v;
			uint32_t piece = size - at < 16 ? size - at : 16;
			take(b, s, &from, at, piece, &v);
			give(b, s, &to, at, piece, &v);
		}
	}
}

void ptx_call(const struct machine *m, struct ptx_bench *b, struct ptx_state *s)
{
	const struct ptx_code *c = b->code;
	const struct ptx_part *p = &c->part[c->op[s->pc].callee];
	/* A new activation has zeroed registers. */
	memset(b->regs + p->regs_at, 0, p->code->frame_bytes);
	for (uint32_t k = 0; k <= p->code->frame_bytes / 4; k++) {
		if (p->slot_at[k] == PTX_NO_SLOT)
			continue;
		row_put(ptx_known(c, s), p->slot_at[k]);
		row_drop(ptx_read(c, s), p->slot_at[k]);
	}
	pass_all(m, b, s);
	s->pc = p->first;
}

void ptx_return(const struct machine *m, struct ptx_bench *b, struct ptx_state *s)
{
	const struct ptx_part *p = &b->code->part[b->code->part_of[s->pc]];
	pass_all(m, b, s);
	s->pc = p->call + 1;
}
