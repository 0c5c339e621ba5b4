/* An observer of --check=sync for modules with wgmma: between a product and the wait_group that
 * waits for it, no thread may access its registers; and before a product may access registers that
 * a thread accessed, the warps execute wgmma.fence. All four warps execute the same products.
 *
 * Registers are watched in the frame that last executed a wgmma.fence: those that some product of
 * its function uses. */
#include "interp/sync/wgmma_check.h"
#include "interp/memory/undefined.h"
#include "interp/state/cluster.h"
#include "interp/state/where.h"
#include "interp/sync/async.h"
#include <string.h>

enum { UNIT = 64 /* bytes to which the places of registers are aligned */, LOG = 32 };

/* What is known of a register. */
struct use {
	const struct op *by; /* a product that has not been waited for, or NULL */
	uint32_t group;      /* of that product */
	bool watched;        /* some product of the function uses it */
	bool accumulates;    /* in `by` */
	bool touched;        /* a thread accessed it since the last fence */
	/* the last product that accumulated in it since the last fence, or NULL */
	const struct op *shape;
};

/* One product that a warp has executed. */
struct executed {
	const struct op *op;
	uint64_t descriptor[2];
};

struct wgmma_warp {
	const unsigned char *regs; /* of the frame; NULL: no fence was executed */
	const struct code_func *code;
	struct use *use; /* [cap], by place / UNIT */
	uint32_t cap, n;
	uint32_t count; /* products executed */
	struct executed log[LOG];
};

static void states_begin(struct cluster *k)
{
	EVERY_CTA(c, k)
		for (uint32_t i = 0; i < c->nwarps; i++)
			if (c->warp[i].wgmma) {
				struct wgmma_warp *s = c->warp[i].wgmma;
				struct use *use = s->use;
				uint32_t cap = s->cap;

				*s = (struct wgmma_warp){.use = use, .cap = cap};
			}
}
const struct keeper wgmma_keeper = {.begin = states_begin};

static struct wgmma_warp *state_of(struct warp *w)
{
	if (!w->wgmma)
		w->wgmma = ARENA_NEW(&w->cta->arena, struct wgmma_warp);
	return w->wgmma;
}

/* --- registers --- */

static struct use *use_of(struct wgmma_warp *s, uint32_t place) { return &s->use[place / UNIT]; }

static void watch(struct wgmma_warp *s, const uint32_t *place, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		if (!(place[k] & 1))
			use_of(s, place[k])->watched = true;
}

/* wgmma.fence: begins to watch the registers of the running frame. */
static void fence(struct warp *w)
{
	struct wgmma_warp *s = state_of(w);
	const struct code_func *code = w->frame->code;

	if (s->regs == w->frame->regs && s->code == code) {
		for (uint32_t k = 0; k < s->n; k++) {
			s->use[k].touched = false;
			s->use[k].shape = NULL;
		}
		return;
	}
	s->regs = w->frame->regs;
	s->code = code;
	s->n = code->frame_bytes / UNIT + 1;
	if (s->n > s->cap) {
		s->use = ARENA_ARRAY(&w->cta->arena, struct use, s->n);
		s->cap = s->n;
	}
	memset(s->use, 0, s->n * sizeof *s->use);
	for (uint32_t k = 0; k < code->nops; k++)
		if (code->op[k].kind == KIND_WGMMA) {
			const struct op_wgmma *m = code->op[k].async.operands->wgmma;

			watch(s, m->d, m->registers);
			watch(s, m->a, m->product->form.registers ? 4 : 0);
		}
}

static bool in_frame(const struct wgmma_warp *s, const struct warp *w)
{
	return s && s->regs == w->frame->regs && s->code == w->frame->code;
}

static void report_use(
	struct warp *w, const struct op *op, unsigned lane, uint32_t place, const struct use *u)
{
	const char *name = undefined_register(w, place);

	finding(w, op, lane, DIAG_S0501,
		"%s belongs to %s of the wgmma.mma_async at %s, which was not waited for",
		name ? name : "a register", u->accumulates ? "the accumulator" : "matrix A",
		where_line(w->machine, u->by->insn).text);
}

/* A thread accesses the register at PLACE. */
static void touch(struct warp *w, const struct op *op, uint32_t mask, uint32_t place)
{
	struct use *u = place & 1 ? NULL : use_of(w->wgmma, place);

	if (!u || !u->watched)
		return;
	if (u->by)
		report_use(w, op, lane_first(mask), place, u);
	u->by = NULL;
	u->touched = true;
}

static void touch_operands(struct warp *w, const struct op *op, uint32_t mask)
{
	for (unsigned k = 0; k < op->noperands; k++)
		touch(w, op, mask, op->at[k]);
	if (op_accesses(op) && op->access.vector_at)
		for (unsigned c = 0; c < 3; c++)
			for (unsigned e = 0; e < op->access.vector; e++)
				touch(w, op, mask, op->access.vector_at->place[c][e]);
	if (op->kind == KIND_MMA) {
		for (unsigned c = 0; c < 3; c++)
			for (unsigned k = 0; k < MATRIX_REGISTERS; k++)
				touch(w, op, mask, op->mma->place[c][k]);
		touch(w, op, mask, op->mma->metadata);
		for (unsigned side = 0; side < 2; side++) {
			touch(w, op, mask, op->mma->scale[side]);
			for (unsigned k = 0; k < 2; k++)
				touch(w, op, mask, op->mma->selector[side][k]);
		}
	}
	if (op->kind == KIND_ASYNC_VALUE)
		for (unsigned k = 0; k < op->async.vector; k++)
			touch(w, op, mask, op->async.operands->place[k]);
	if (op->kind != KIND_CALL)
		return;
	for (uint32_t k = 0; k < op->call->nargs; k++)
		if (op->call->arg[k].kind == ARGUMENT_PLACE)
			touch(w, op, mask, op->call->arg[k].place);
	for (uint32_t k = 0; k < op->call->nrets; k++)
		if (op->call->ret[k].kind == ARGUMENT_PLACE)
			touch(w, op, mask, op->call->ret[k].place);
}

/* --- products --- */

static bool same_shape(const struct op *a, const struct op *b)
{
	const struct warpgroup_form *f = &a->async.operands->wgmma->product->form,
				    *g = &b->async.operands->wgmma->product->form;

	return f->n == g->n && f->part.k == g->part.k && f->part.a == g->part.a &&
		f->part.b == g->part.b && f->part.d == g->part.d &&
		f->part.sparse == g->part.sparse;
}

static void missing_fence(
	struct warp *w, const struct op *op, uint32_t place, const char *matrix, const char *why)
{
	const char *name = undefined_register(w, place);

	finding(w, op, lane_first(w->active), DIAG_S0502,
		"%s of %s %s: wgmma.fence must come between", name ? name : "a register", matrix,
		why);
}

/* The product OP uses its registers; each kind of error is reported once. */
static void product_registers(struct warp *w, const struct op *op, uint32_t group)
{
	const struct op_wgmma *m = op->async.operands->wgmma;
	struct wgmma_warp *s = w->wgmma;
	bool late = false;

	for (unsigned k = 0; k < m->registers + (m->product->form.registers ? 4u : 0); k++) {
		bool d = k < m->registers;
		uint32_t place = d ? m->d[k] : m->a[k - m->registers];
		struct use *u = place & 1 ? NULL : use_of(s, place);

		if (!u)
			continue;
		if (u->by && u->accumulates != d && !late) {
			report_use(w, op, lane_first(w->active), place, u);
			late = true;
		}
		if (u->touched && !late) {
			missing_fence(w, op, place, d ? "the accumulator" : "matrix A",
				"was accessed since the last wgmma.fence");
			late = true;
		} else if (d && u->shape && !same_shape(u->shape, op) && !late) {
			missing_fence(w, op, place, "the accumulator",
				"was accessed by a product of another shape");
			late = true;
		}
		u->by = op;
		u->group = group;
		u->accumulates = d;
		u->touched = false;
		u->shape = d ? op : NULL;
	}
}

static bool lanes_agree(struct warp *w, const struct op *op, uint64_t *descriptor)
{
	const struct op_wgmma *m = op->async.operands->wgmma;

	for (unsigned x = 0; x < 2; x++) {
		const uint64_t *lanes = op_place(w, m->descriptor[x]);

		if (!x && m->product->form.registers)
			continue;
		descriptor[x] = lanes[lane_first(w->active)];
		FOR_LANES(lane, w->active)
			if (lanes[lane] != descriptor[x]) {
				finding(w, op, lane, DIAG_S0504,
					"lane %u gives 0x%llx as the descriptor of %c, lane %u 0x%llx",
					lane, (unsigned long long)lanes[lane], x ? 'B' : 'A',
					lane_first(w->active), (unsigned long long)descriptor[x]);
				return false;
			}
	}
	return true;
}

/* The same product of another warp of the warpgroup differs from E. */
static void compare(struct warp *w, const struct warp *other, const struct executed *e)
{
	const struct wgmma_warp *s = other->wgmma;
	uint32_t at = w->wgmma->count;

	if (!s || s->count <= at || s->count - at > LOG)
		return;
	const struct executed *o = &s->log[at % LOG];

	if (o->op->insn != e->op->insn)
		finding(w, e->op, 0, DIAG_S0503,
			"warp %u executes this product where warp %u of the same warpgroup executes the one at %s",
			w->index, other->index, where_line(w->machine, o->op->insn).text);
	else if (memcmp(o->descriptor, e->descriptor, sizeof o->descriptor) != 0)
		finding(w, e->op, 0, DIAG_S0504,
			"warp %u gives other descriptors than warp %u of the same warpgroup (A 0x%llx and 0x%llx, B 0x%llx and 0x%llx)",
			w->index, other->index, (unsigned long long)e->descriptor[0],
			(unsigned long long)o->descriptor[0], (unsigned long long)e->descriptor[1],
			(unsigned long long)o->descriptor[1]);
}

static void product(struct warp *w, const struct op *op)
{
	struct cta *c = w->cta;
	uint32_t first = w->index / WARPGROUP_WARPS * WARPGROUP_WARPS;
	struct executed e = {.op = op};
	struct wgmma_warp *s = state_of(w);

	if (first + WARPGROUP_WARPS > c->nwarps || c->warp[first + 3].lanes != UINT32_MAX)
		finding(w, op, lane_first(w->active), DIAG_S0503,
			"warp %u belongs to a warpgroup of less than four whole warps: the CTA has %u threads",
			w->index, c->launch->threads);
	else if (lanes_agree(w, op, e.descriptor))
		for (uint32_t k = first; k < first + WARPGROUP_WARPS; k++)
			if (k != w->index)
				compare(w, &c->warp[k], &e);
	s->log[s->count++ % LOG] = e;
	if (!s->regs) {
		finding(w, op, lane_first(w->active), DIAG_S0502,
			"no wgmma.fence precedes the first product");
		return;
	}
	if (!in_frame(s, w)) /* a called function: its registers have not been accessed yet */
		fence(w);
	product_registers(w, op, async_filling(w, GROUPS_WGMMA)[lane_first(w->active)]);
}

static void on_insn(struct observer *o, struct warp *w, const struct op *op, uint32_t mask)
{
	(void)o;
	switch ((int)op->kind) {
	case KIND_WGMMA: /* when it is issued */
	case KIND_WGMMA_COMMIT:
	case KIND_WGMMA_WAIT: return;
	case KIND_WGMMA_FENCE: fence(w); return;
	default: break;
	}
	if (in_frame(w->wgmma, w))
		touch_operands(w, op, mask);
}

static void on_sync(struct observer *o, const struct sync_event *e)
{
	struct wgmma_warp *s = e->warp ? e->warp->wgmma : NULL;

	(void)o;
	if (e->kind == SYNC_COPY_ISSUED && e->copy->kind == COPY_WGMMA)
		product(e->copy->warp, e->copy->op);
	if (e->kind != SYNC_COPY_WAITED || e->number != GROUPS_WGMMA || !s)
		return;
	uint32_t before = async_waited(e->warp, GROUPS_WGMMA)[lane_first(e->mask)];

	for (uint32_t k = 0; k < s->n; k++)
		if (s->use[k].by && s->use[k].group < before)
			s->use[k].by = NULL;
}

/* The warps of each warpgroup have executed equally many products. */
static void on_life(struct observer *o, const struct life_event *e)
{
	(void)o;
	if (e->kind != LIFE_CTA_END)
		return;
	for (uint32_t k = 0; k < e->cta->nwarps; k++) {
		const struct warp *first = &e->cta->warp[k / WARPGROUP_WARPS * WARPGROUP_WARPS];
		struct warp *w = &e->cta->warp[k];
		uint32_t a = first->wgmma ? first->wgmma->count : 0,
			 b = w->wgmma ? w->wgmma->count : 0;

		if (a == b)
			continue;
		struct warp *more = &e->cta->warp[a > b ? first->index : k];
		struct frame nowhere = {0}, *f = sync_detach(more, &nowhere);

		finding(more, more->wgmma->log[(more->wgmma->count - 1) % LOG].op, 0, DIAG_S0503,
			"warp %u executed %u products, warp %u of the same warpgroup %u",
			first->index, a, k, b);
		sync_attach(more, f);
		return;
	}
}

void wgmma_check_install(struct machine *m)
{
	bool used = false;

	for (uint32_t k = 0; k < m->module->ninsns && !used; k++)
		used = ir_form(&m->module->insn[k])->handler == HANDLER_wgmma;
	if (!used || !(m->options.checks & CHECK_SYNC))
		return;
	struct observer *o = ARENA_NEW(&m->arena, struct observer);

	*o = (struct observer){.interest = INTEREST_INSN | INTEREST_SYNC | INTEREST_LIFE,
		.insn = on_insn,
		.sync = on_sync,
		.life = on_life};
	machine_observe(m, o);
}
