/* Classes of ops, slots of values, and the backward data flow over a kernel: live slots and
 * reachable stores. */
#include "explore/ptx/call.h"
#include <string.h>

static const struct ir_insn *code_insn(const struct ptx_code *c, const struct op *op)
{
	return &c->module->insn[op->insn];
}

/* Whether a special register changes with time. */
static bool is_clock(enum sreg which)
{
	switch ((int)which) {
	case SREG_clock:
	case SREG_clock_hi:
	case SREG_clock64:
	case SREG_globaltimer:
	case SREG_globaltimer_lo:
	case SREG_globaltimer_hi: return true;
	default: return false;
	}
}

/* The classes of memory that a restricted fence covers; 0: all. */
static uint8_t where_of(const struct op *op)
{
	const struct op_fence *f = &op->fence;
	if (op->kind == KIND_FENCE)
		return f->init ? WHERE_INIT : 0;
	if (op->kind != KIND_PROXY_FENCE || f->covers == (PROXY_GLOBAL | PROXY_SHARED))
		return 0;
	return f->covers & PROXY_GLOBAL ? WHERE_GLOBAL
		: f->covers & PROXY_SHARED
		? (uint8_t)(WHERE_OWN_SHARED | (f->clusters ? WHERE_OTHER_SHARED : 0))
		: 0;
}

/* multimem instructions are unsupported: the explorer has one replica of every address. */
static bool is_multimem(const struct ptx_code *c, const struct op *op)
{
	return ir_form(code_insn(c, op))->handler == HANDLER_multimem;
}

static enum ptx_class class_of(const struct ptx_code *c, const struct op *op)
{
	const struct ptx_op *call;
	switch ((enum op_kind)op->kind) {
	case KIND_ALU:
	case KIND_RESIZE:
	case KIND_REGROUP:
	case KIND_COMPLEMENT:
	case KIND_ADDRESS:
	case KIND_CVTA:
	case KIND_ISSPACEP:
	case KIND_POLICY:
	case KIND_MAPA:
	case KIND_GETCTARANK:
	case KIND_PENDING_COUNT: return PTX_REGISTERS;
	case KIND_SREG: return is_clock((enum sreg)op->sreg.which) ? PTX_OPEN : PTX_REGISTERS;
	case KIND_BRANCH: return PTX_BRANCH;
	case KIND_BRANCH_INDEX: return PTX_BRANCH_INDEX;
	case KIND_CALL:
		call = &c->op[op - c->ops];
		return call->class == PTX_CALL && !call->ncallees && call->refusal
			? PTX_UNSUPPORTED
			: (enum ptx_class)call->class;
	case KIND_RETURN: return c->part_of[op - c->ops] ? PTX_RETURN : PTX_EXIT;
	case KIND_EXIT: return PTX_EXIT;
	case KIND_TRAP:
	case KIND_BREAKPOINT: return PTX_TRAP;
	case KIND_SLEEP:
	case KIND_NOTHING:
	case KIND_SETMAXNREG: return PTX_NOTHING;
	case KIND_LOAD: return is_multimem(c, op) ? PTX_UNSUPPORTED : PTX_LOAD;
	case KIND_STORE: return is_multimem(c, op) ? PTX_UNSUPPORTED : PTX_STORE;
	case KIND_ATOM: return PTX_ATOM;
	case KIND_RED: return is_multimem(c, op) ? PTX_UNSUPPORTED : PTX_RED;
	/* One-way proxy fences and fences with .sync_restrict are not supported. */
	case KIND_FENCE: return op->fence.one_way ? PTX_UNSUPPORTED : PTX_FENCE;
	case KIND_PROXY_FENCE: return op->fence.one_way ? PTX_UNSUPPORTED : PTX_PROXY_FENCE;
	case KIND_ACTIVEMASK: return PTX_TOGETHER;
	case KIND_VOTE:
	case KIND_SHFL: return op->collective.sync ? PTX_COLLECTIVE : PTX_TOGETHER;
	case KIND_MATCH:
	case KIND_REDUX:
	case KIND_ELECT: return PTX_COLLECTIVE;
	case KIND_WARP_BARRIER: return PTX_WARP_BARRIER;
	case KIND_BARRIER: return PTX_BARRIER;
	case KIND_CLUSTER_ARRIVE:
	case KIND_CLUSTER_WAIT: return PTX_CLUSTER_BARRIER;
	case KIND_MBARRIER: return op->mbarrier.multicast ? PTX_UNSUPPORTED : PTX_MBARRIER;
	case KIND_CP_ASYNC:
	case KIND_CP_ASYNC_ARRIVE:
	case KIND_ASYNC_VALUE: return PTX_ASYNC;
	case KIND_BULK:
		return op->async.strong || op->async.ignores || op->async.reports ? PTX_UNSUPPORTED
										  : PTX_ASYNC;
	case KIND_ST_BULK: return PTX_BULK_STORE;
	case KIND_COMMIT_GROUP: return PTX_ASYNC_COMMIT;
	case KIND_WAIT_GROUP: return PTX_ASYNC_WAIT;
	case KIND_ALLOCA:
	case KIND_STACKSAVE:
	case KIND_STACKRESTORE:
	case KIND_DISCARD:
	case KIND_TEXTURE:
	case KIND_TRY_CANCEL:
	case KIND_QUERY_CANCEL:
	case KIND_ROW_ADDRESS:
	case KIND_FRAGMENT_ADDRESS:
	case KIND_MOVMATRIX:
	case KIND_MMA:
	case KIND_WGMMA:
	case KIND_WGMMA_FENCE:
	case KIND_WGMMA_COMMIT:
	case KIND_WGMMA_WAIT:
	case KIND_TCGEN:
	case KIND_TENSOR:
	case KIND_TENSOR_REPLACE:
	case KIND_TENSOR_PUBLISH:
	case KIND_UNSUPPORTED:
	case KIND_COUNT: return PTX_UNSUPPORTED;
	}
	return PTX_UNSUPPORTED;
}

static void put_semantics(const struct op *op, struct ptx_op *o)
{
	o->sem = SEM_WEAK;
	o->scope = SCOPE_SYS;
	if (op_accesses(op)) {
		o->sem = op->access.sem;
		o->scope = op->access.scope;
	} else if (op->kind == KIND_FENCE) {
		o->sem = op->fence.sem;
		o->scope = op->fence.scope;
	} else if (op->kind == KIND_MBARRIER) {
		o->sem = op->mbarrier.sem;
		o->scope = op->mbarrier.scope;
	}
}

/* --- slots --- */

static uint16_t slot_for(struct ptx_code *c, const struct ptx_part *p, uint32_t place,
	unsigned width, struct arena *arena, uint32_t *cap)
{
	if (place & 1)
		return PTX_NO_SLOT;
	if (p->slot_at[place / 4] != PTX_NO_SLOT)
		return p->slot_at[place / 4];
	if (c->nslots == PTX_NO_SLOT) {
		c->too_many = true;
		return 0;
	}
	if (c->nslots == *cap) {
		struct ptx_slot *old = c->slot;
		*cap = *cap ? *cap * 2 : 64;
		c->slot = ARENA_ARRAY(arena, struct ptx_slot, *cap);
		if (c->nslots)
			memcpy(c->slot, old, c->nslots * sizeof *old);
	}
	c->slot[c->nslots] = (struct ptx_slot){
		.at = p->regs_at + place, .word = c->state_words, .width = (uint8_t)width};
	c->state_words += width > 8 ? 2 : 1;
	p->slot_at[place / 4] = (uint16_t)c->nslots;
	return (uint16_t)c->nslots++;
}

/* A call has at most 255 arguments; an indirect call may pass them to several functions. */
enum { MAX_SOURCES = 4096, MAX_DESTS = 4096 };
struct slot_lists {
	uint16_t source[MAX_SOURCES], dest[MAX_DESTS];
	uint32_t nsource, ndest;
	bool full;
};

static void list_source(struct slot_lists *l, uint16_t s)
{
	if (s != PTX_NO_SLOT && l->nsource < MAX_SOURCES)
		l->source[l->nsource++] = s;
	l->full |= l->nsource == MAX_SOURCES;
}

static void list_dest(struct slot_lists *l, uint16_t s)
{
	if (s != PTX_NO_SLOT && l->ndest < MAX_DESTS)
		l->dest[l->ndest++] = s;
	l->full |= l->ndest == MAX_DESTS;
}

/* Lists the slots that a call or return passes. */
static void list_passed(struct ptx_code *c, const struct machine *m, uint32_t pc, uint8_t class,
	struct slot_lists *l, struct arena *arena, uint32_t *cap)
{
	struct ptx_side to, from;
	for (uint32_t n = 0; n < (class == PTX_CALL ? c->op[pc].ncallees : 1); n++) {
		for (uint32_t k = 0; ptx_passes(
			     m, c, pc, class == PTX_CALL ? c->op[pc].callee[n] : 0, k, &to, &from);
			k++) {
			if (!to.local && !to.none)
				list_dest(l, slot_for(c, to.part, to.at, to.width, arena, cap));
			if (!from.local && !from.none)
				list_source(
					l, slot_for(c, from.part, from.at, from.width, arena, cap));
		}
	}
}

static void list_address(struct ptx_code *c, const struct ptx_part *p, const struct op_address *a,
	struct slot_lists *l, struct arena *arena, uint32_t *cap)
{
	if (a->width)
		list_source(l, slot_for(c, p, a->place, a->width, arena, cap));
}

/* Lists the slots that an op reads and writes. */
static void list_operands(struct ptx_code *c, const struct machine *m, const struct op *op,
	uint8_t class, struct slot_lists *l, struct arena *arena, uint32_t *cap)
{
	const struct op_vector *v = op_accesses(op) ? op->access.vector_at : NULL;
	const struct ptx_part *p = &c->part[c->part_of[op - c->ops]];
	l->nsource = l->ndest = 0;
	for (unsigned k = 0; k < op->noperands; k++) {
		uint16_t s = slot_for(c, p, op->at[k], op->width[k], arena, cap);
		bool condition_code = op->kind == KIND_ALU && k >= op->ndests && op->at[k] == 0 &&
			op->width[k] == 0;
		if (k < op->ndests || condition_code)
			list_dest(l, s);
		if (k >= op->ndests || condition_code)
			list_source(l, s);
	}
	for (unsigned e = 0; v && e < op->access.vector; e++) {
		if (class == PTX_LOAD || class == PTX_ATOM)
			list_dest(l, slot_for(c, p, v->place[0][e], v->width[0][e], arena, cap));
		if (class != PTX_LOAD)
			list_source(l, slot_for(c, p, v->place[1][e], v->width[1][e], arena, cap));
	}
	if (class == PTX_MBARRIER)
		list_address(c, p, op->mbarrier.address, l, arena, cap);
	if (op_is_async(op)) {
		const struct op_async_operands *x = op->async.operands;
		list_address(c, p, &x->to, l, arena, cap);
		list_address(c, p, &x->from, l, arena, cap);
		list_address(c, p, &x->bar, l, arena, cap);
		for (unsigned k = 0; op->kind == KIND_ASYNC_VALUE && k < op->async.vector; k++)
			list_source(l, slot_for(c, p, x->place[k], x->width[k], arena, cap));
	}
	if (class == PTX_CALL || class == PTX_RETURN)
		list_passed(c, m, (uint32_t)(op - c->ops), class, l, arena, cap);
	struct ptx_side result;
	if (class == PTX_PRINT && ptx_print_result(c, (uint32_t)(op - c->ops), &result) &&
		!result.local && !result.none)
		list_dest(l, slot_for(c, p, result.at, result.width, arena, cap));
	list_source(l, slot_for(c, p, op->guard, 0, arena, cap));
}

static uint16_t *ended_list(struct arena *arena, const uint16_t *s, uint32_t n)
{
	uint16_t *out = ARENA_ARRAY(arena, uint16_t, n + 1);
	if (n)
		memcpy(out, s, n * sizeof *s);
	out[n] = PTX_NO_SLOT;
	return out;
}

static uint8_t proxy_of(const struct op *op)
{
	if (op->kind == KIND_PROXY_FENCE)
		return op->fence.proxy == FENCE_ALIAS ? PROXY_ALIAS : PROXY_ASYNC;
	if (op->kind == KIND_BULK)
		return PROXY_ASYNC;
	return op->kind == KIND_LOAD && op->access.texture_proxy ? PROXY_TEXTURE : PROXY_GENERIC;
}

/* The message for an unsupported op. */
static const char *refusal_text(const struct ptx_code *c, const struct op *op, struct arena *arena)
{
	if (op->insn == IR_NONE)
		return "an instruction that the explorer does not follow";
	const struct form *form = ir_form(code_insn(c, op));
	const char *why;
	switch (form->handler) {
	case HANDLER_unsupported: why = ", which ptxi does not execute"; break;
	case HANDLER_alloca:
		why = ": the explorer has room for variables of fixed size only";
		break;
	case HANDLER_prefetch: why = ", which makes memory undefined"; break;
	case HANDLER_clc:
		why = ": the memory model does not determine which CTAs have not begun";
		break;
	case HANDLER_multimem: why = ": the explorer has one copy of every address"; break;
	default: why = ", which the explorer does not follow"; break;
	}
	return arena_printf(arena, "%s%s", opcode_text((enum opcode)form->opcode), why);
}

static void describe_ops(struct ptx_code *c, const struct machine *m, struct arena *arena)
{
	struct slot_lists *l = ARENA_NEW(arena, struct slot_lists);
	uint32_t cap = 0;
	for (uint32_t i = 0; i < c->nops; i++) {
		const struct op *op = &c->ops[i];
		struct ptx_op *o = &c->op[i];
		o->class = (uint8_t)class_of(c, op);
		put_semantics(op, o);
		o->proxy = proxy_of(op);
		o->where = where_of(op);
		if (o->proxy != PROXY_GENERIC)
			c->proxies |= (uint8_t)(1u << o->proxy);
		c->has_clock |= o->class == PTX_OPEN;
		c->has_open |= o->class == PTX_OPEN || o->class == PTX_PRINT ||
			op->kind == KIND_SHFL;
		o->packed = (o->class == PTX_ATOM || o->class == PTX_RED) &&
				type_info[op->access.type].class == CLASS_PACKED
			? 2
			: 1;
		o->own = (o->class == PTX_LOAD || o->class == PTX_STORE || o->class == PTX_ATOM ||
				 o->class == PTX_RED) &&
			op->access.space == W_shared &&
			!ir_has(m->module, code_insn(c, op), W_shared__cluster);
		list_operands(c, m, op, o->class, l, arena, &cap);
		if (o->class == PTX_UNSUPPORTED && !o->refusal)
			o->refusal = refusal_text(c, op, arena);
		o->source = ended_list(arena, l->source, l->nsource);
		o->dest = ended_list(arena, l->dest, l->ndest);
		c->too_many |= l->full;
		for (uint32_t k = 0; k < l->ndest; k++) {
			struct ptx_slot *s = &c->slot[l->dest[k]];
			s->definitions = (uint8_t)(s->definitions + (s->definitions < 2));
		}
		o->site = UINT32_MAX;
		if (o->class == PTX_STORE || o->class == PTX_BULK_STORE || o->class == PTX_ATOM ||
			o->class == PTX_RED || o->class == PTX_ASYNC ||
			(o->class == PTX_MBARRIER &&
				mbarrier_writes((enum mbarrier_what)op->mbarrier.what)))
			o->site = c->nsites++;
	}
}

/* --- atoms that commute --- */

uint8_t ptx_commutes(enum atomic atomic, enum type type)
{
	bool integer = type == TYPE_u32 || type == TYPE_u64 || type == TYPE_s32 ||
		type == TYPE_s64 || type == TYPE_b32 || type == TYPE_b64;
	return integer && atomic_commutes(atomic)
		? (uint8_t)(QUIET_INTEGER + 2 * atomic + (type == TYPE_s32 || type == TYPE_s64))
		: QUIET_NOT;
}

static bool in_list(const uint16_t *list, uint16_t s)
{
	while (*list != PTX_NO_SLOT && *list != s)
		list++;
	return *list == s && s != PTX_NO_SLOT;
}

/* --- flow --- */

/* Adds to SCRATCH what is live and reachable at op TO. */
static void join_flow(const struct ptx_code *c, uint32_t to, struct ptx_op *scratch)
{
	row_or(scratch->live, c->op[to].live, c->slot_words);
	row_or(scratch->sites, c->op[to].sites, c->site_words);
}

/* Computes in SCRATCH what is live before op I and reachable from it. RELEVANT: the relevant slots;
 * NULL: all. */
static void flow_back(
	const struct ptx_code *c, uint32_t i, const uint64_t *relevant, struct ptx_op *scratch)
{
	const struct op *op = &c->ops[i];
	const struct ptx_op *o = &c->op[i];
	bool guarded = !(op->guard & 1), stays = o->class < PTX_BRANCH || o->class > PTX_RETURN;
	row_clear(scratch->live, c->slot_words);
	row_clear(scratch->sites, c->site_words);
	if (o->idle) {
		join_flow(c, o->meet_at, scratch);
		return;
	}
	if (o->class == PTX_EXIT || o->class == PTX_TRAP) {
		row_or(scratch->live, c->op[c->nops].live, c->slot_words);
		stays = false;
	}
	if (stays || guarded)
		join_flow(c, i + 1, scratch);
	if (o->class == PTX_BRANCH)
		join_flow(c, op->branch.target, scratch);
	for (uint32_t k = 0; o->class == PTX_CALL && k < o->ncallees; k++)
		join_flow(c, c->part[o->callee[k]].first, scratch);
	if (o->class == PTX_RETURN)
		join_flow(c, c->part[c->part_of[i]].call + 1, scratch);
	if (o->class == PTX_BRANCH_INDEX) {
		const struct branch_table *t = op->table;
		for (uint32_t k = 0; k < t->count; k++)
			join_flow(c, c->part[c->part_of[i]].first + t->target[k], scratch);
	}
	for (const uint16_t *s = o->dest; !guarded && *s != PTX_NO_SLOT; s++)
		row_drop(scratch->live, *s);
	bool needed = !relevant || o->class != PTX_REGISTERS;
	for (const uint16_t *s = o->dest; !needed && *s != PTX_NO_SLOT; s++)
		needed = row_has(relevant, *s);
	for (const uint16_t *s = o->source; needed && *s != PTX_NO_SLOT; s++)
		row_put(scratch->live, *s);
	if (o->site != UINT32_MAX)
		row_put(scratch->sites, o->site);
}

static void analyse_flow(struct ptx_code *c, const uint64_t *relevant, struct arena *arena)
{
	struct ptx_op scratch = {.live = ARENA_ARRAY(arena, uint64_t, c->slot_words),
		.sites = ARENA_ARRAY(arena, uint64_t, c->site_words)};
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = c->nops; i-- > 0;) {
			struct ptx_op *o = &c->op[i];
			flow_back(c, i, relevant, &scratch);
			if (!memcmp(o->live, scratch.live, c->slot_words * sizeof *o->live) &&
				!memcmp(o->sites, scratch.sites, c->site_words * sizeof *o->sites))
				continue;
			memcpy(o->live, scratch.live, c->slot_words * sizeof *o->live);
			memcpy(o->sites, scratch.sites, c->site_words * sizeof *o->sites);
			changed = true;
		}
	}
	ptx_find_loops(c, arena);
}

/* Whether the results of op I are unused or, with WAITS, used only as tokens of waits. */
static bool results_unused(
	const struct ptx_code *c, uint32_t i, const uint32_t *keep, uint32_t nkeep, bool waits)
{
	for (const uint16_t *d = c->op[i].dest; *d != PTX_NO_SLOT; d++) {
		if (c->ops[i].guard & 1 && !row_has(c->op[i + 1].live, *d))
			continue;
		for (uint32_t k = 0; k < c->nops; k++) {
			bool token = waits && c->op[k].class == PTX_MBARRIER &&
				c->ops[k].mbarrier.what == MBARRIER_WAIT;
			if (!token && in_list(c->op[k].source, *d))
				return false;
		}
		for (uint32_t k = 0; k < nkeep; k++) {
			if (ptx_slot_at(&c->part[0], c->code->reg_at[keep[k]]) == *d)
				return false;
		}
	}
	return true;
}

static void find_quiet(
	struct ptx_code *c, const uint32_t *keep, uint32_t nkeep, struct arena *arena)
{
	c->quiet_mbarriers = true;
	for (uint32_t i = 0; i < c->nops; i++) {
		struct ptx_op *o = &c->op[i];
		const struct op *op = &c->ops[i];
		bool arrives = o->class == PTX_MBARRIER && op->mbarrier.what == MBARRIER_ARRIVE;
		/* with a later fence, its read may acquire */
		bool quiet = (arrives ||
				     (o->class == PTX_ATOM && o->sem != SEM_ACQUIRE &&
					     o->sem != SEM_ACQ_REL)) &&
			results_unused(c, i, keep, nkeep, arrives) &&
			!ptx_leads_to(c, i, PTX_FENCE, arena);
		if (o->class == PTX_RED || (o->class == PTX_ATOM && quiet))
			o->quiet = ptx_commutes(
				(enum atomic)op->access.atomic, (enum type)op->access.type);
		else if (o->class == PTX_MBARRIER && op->mbarrier.what == MBARRIER_WAIT)
			o->quiet = QUIET_WAIT;
		else if (arrives && quiet && c->quiet_mbarriers)
			o->quiet = QUIET_MBARRIER;
	}
}

struct ptx_code *ptx_code_new(struct machine *m, const struct code_func *code, const uint32_t *keep,
	uint32_t nkeep, struct arena *arena)
{
	struct ptx_code *c = ARENA_NEW(arena, struct ptx_code);
	c->code = code;
	c->module = m->module;
	ptx_code_join(c, m, code, arena);
	describe_ops(c, m, arena);
	if (c->too_many)
		return c;
	c->slot_words = c->nslots / 64 + 1;
	c->site_words = c->nsites / 64 + 1;
	for (uint32_t i = 0; i <= c->nops; i++) {
		c->op[i].live = ARENA_ARRAY(arena, uint64_t, c->slot_words);
		c->op[i].sites = ARENA_ARRAY(arena, uint64_t, c->site_words);
	}
	c->op[c->nops].class = PTX_EXIT;
	for (uint32_t k = 0; k < nkeep; k++) {
		uint16_t s = ptx_slot_at(&c->part[0], code->reg_at[keep[k]]);
		if (s != PTX_NO_SLOT)
			row_put(c->op[c->nops].live, s);
	}
	c->site_op = ARENA_ARRAY(arena, uint32_t, c->nsites + 1);
	for (uint32_t i = 0; i < c->nops; i++) {
		if (c->op[i].site != UINT32_MAX)
			c->site_op[c->op[i].site] = i;
	}
	uint64_t *relevant = c->has_clock ? ARENA_ARRAY(arena, uint64_t, c->slot_words) : NULL;
	if (relevant)
		ptx_find_idle(c, relevant, arena);
	analyse_flow(c, relevant, arena);
	find_quiet(c, keep, nkeep, arena);
	return c;
}

struct ptx_code *ptx_code_none(struct arena *arena)
{
	struct ptx_code *c = ARENA_NEW(arena, struct ptx_code);
	c->slot_words = c->site_words = 1;
	c->op = ARENA_ARRAY(arena, struct ptx_op, 1);
	*c->op = (struct ptx_op){.class = PTX_EXIT,
		.live = ARENA_ARRAY(arena, uint64_t, 1),
		.sites = ARENA_ARRAY(arena, uint64_t, 1)};
	return c;
}
