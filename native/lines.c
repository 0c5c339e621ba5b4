/* What 32 lanes that run together have in common. Inside a unit no lane goes another way than the
 * rest, so that a register is a line (writer.h) in all of a function if every instruction that
 * writes it makes a line with the same step of lines; registers are as they must be where the unit
 * begins, which is looked at then. */
#include "isa/order.h"
#include "isa/isa.h"
#include "native/writer.h"

static const struct line none = {SHAPE_LANES, 0}, same = {SHAPE_LINE, 0};

static bool has_text(const struct arith_text *t, const char *text)
{
	return strlen(text) == t->length && memcmp(t->expression, text, t->length) == 0;
}

static bool is_integer(const struct arith_text *t, unsigned k)
{
	return t->type[k][0] == 'u' || t->type[k][0] == 's';
}

struct line line_of(const struct writer *u, const struct op *op, unsigned k)
{
	uint64_t value;
	uint32_t place;

	if (op->at[k] & 1)
		return op->width[k] && constant_value(u->c, op->at[k], op->width[k], &value) ? same
											     : none;
	place = place_find(u, op->at[k]);
	if (place == NO_PLACE || u->place.data[place].width != op->width[k])
		return none;
	return u->place.data[place].line;
}

/* Whether operand K of OP is a constant; then *VALUE has it, of WIDTH bytes as an integer. */
static bool factor(
	const struct writer *u, const struct op *op, unsigned k, bool is_signed, int64_t *value)
{
	uint64_t bits;

	if (!(op->at[k] & 1) || !constant_value(u->c, op->at[k], op->width[k], &bits))
		return false;
	*value = is_signed && op->width[k] == 4 ? (int32_t)bits : (int64_t)bits;
	return true;
}

/* The step of the product of operands 1 and 2, one of which is the same in all lanes. */
static bool product(const struct writer *u, const struct op *op, const struct arith_text *t,
	const int64_t *step, int64_t *out)
{
	int64_t by;

	if (step[0] && step[1])
		return false;
	if (!step[0] && !step[1])
		*out = 0;
	else if (factor(u, op, step[0] ? 2 : 1, t->type[step[0] ? 2 : 1][0] == 's', &by))
		*out = (int64_t)((uint64_t)(step[0] ? step[0] : step[1]) * (uint64_t)by);
	else
		return false;
	return true;
}

/* Whether T, of 4 or 8 bytes, is the text SHORT for 4 and LONG for 8. */
static bool has_either(
	const struct arith_text *t, unsigned width, const char *shorter, const char *longer)
{
	return has_text(t, width == 4 ? shorter : longer);
}

enum linear lines_linear(const struct op *op, const struct arith_text *t)
{
	bool wide = op->width[0] == 8 && op->width[1] == 4, whole = op->width[0] == op->width[1];
	unsigned width = op->width[0];

	for (unsigned i = 0; i + '0' <= (unsigned)t->form; i++)
		if (!is_integer(t, i))
			return LINEAR_NONE;
	if (width != 4 && width != 8)
		return LINEAR_NONE;
	switch (t->form) {
	case '1':
		return (whole ? has_text(t, "a") || has_either(t, width, "(u32)a", "(u64)a")
			      : has_text(t, "(u32)a") || (wide && has_text(t, "(s32)a")))
			? LINEAR_COPY
			: LINEAR_NONE;
	case '2':
		if (whole && has_either(t, width, "lane_shl32(a, b)", "lane_shl64(a, b)"))
			return LINEAR_SHIFT;
		if (whole && op->width[1] == op->width[2] && has_text(t, "a + b"))
			return LINEAR_ADD;
		if (whole && op->width[1] == op->width[2] && has_text(t, "a - b"))
			return LINEAR_SUB;
		if (whole ? has_either(t, width, "(u32)a * b", "(u64)a * b")
			  : wide && has_text(t, t->type[1][0] == 's' ? "(s64)a * b" : "(u64)a * b"))
			return LINEAR_MUL;
		return LINEAR_NONE;
	case '3':
		if (op->width[3] == op->width[0] &&
			(whole ? has_either(
					 t, width, "(u32)((u32)a * b) + c", "(u64)((u64)a * b) + c")
			       : wide &&
						has_text(t,
							t->type[1][0] == 's'
								? "(u64)((s64)a * b) + c"
								: "(u64)((u64)a * b) + c")))
			return LINEAR_MAD;
		return LINEAR_NONE;
	default: return LINEAR_NONE;
	}
}

/* The result of OP, which computes T of lines with STEPs, if that is a line. */
static struct line linear(const struct writer *u, const struct op *op, const struct arith_text *t,
	const int64_t *step)
{
	int64_t k = 0;
	uint64_t by;

	switch (lines_linear(op, t)) {
	case LINEAR_NONE: break;
	case LINEAR_COPY: return (struct line){SHAPE_LINE, step[0]};
	case LINEAR_ADD:
		return (struct line){SHAPE_LINE, (int64_t)((uint64_t)step[0] + (uint64_t)step[1])};
	case LINEAR_SUB:
		return (struct line){SHAPE_LINE, (int64_t)((uint64_t)step[0] - (uint64_t)step[1])};
	case LINEAR_SHIFT:
		if (!step[1] && (op->at[2] & 1) &&
			constant_value(u->c, op->at[2], op->width[2], &by) &&
			by < 8u * op->width[0])
			return (struct line){SHAPE_LINE, (int64_t)((uint64_t)step[0] << by)};
		break;
	case LINEAR_MUL:
		if (product(u, op, t, step, &k))
			return (struct line){SHAPE_LINE, k};
		break;
	case LINEAR_MAD:
		if (product(u, op, t, step, &k))
			return (struct line){
				SHAPE_LINE, (int64_t)((uint64_t)k + (uint64_t)step[2])};
		break;
	}
	return none;
}

/* The result of an expression. */
static struct line computed(const struct writer *u, const struct op *op)
{
	struct arith_text t;
	int64_t step[4] = {0};
	bool open = false, steps = false;

	if (!arith_text(op->run.kernel, &t) || t.elements != 1 || t.form < '1' || t.form > '4')
		return none;
	for (unsigned k = 1; k < op->noperands; k++) {
		struct line l = line_of(u, op, k);

		if (l.shape == SHAPE_LANES)
			return none;
		open = open || l.shape == SHAPE_OPEN;
		steps = steps || l.step;
		step[k - 1] = l.step;
	}
	return open ? (struct line){SHAPE_OPEN, 0} : steps ? linear(u, op, &t, step) : same;
}

/* What op AT makes of its destinations. */
static struct line result(const struct writer *u, uint32_t at)
{
	const struct op *op = &u->c->op[at];
	struct line l;

	if (op_is_guarded(op))
		return none;
	switch ((enum way)u->way[at]) {
	case WAY_PARAM: return same;
	case WAY_SREG:
		return op->sreg.which == SREG_laneid ||
				(op->sreg.which == SREG_tid && op->sreg.component <= 1)
			? (struct line){SHAPE_LINE, 1}
			: same;
	case WAY_COPY: return line_of(u, op, 1);
	case WAY_LOAD: l = line_of(u, op, op->access.base_operand); return l.step ? none : l;
	case WAY_LANES: return computed(u, op);
	case WAY_LEAVE:
	case WAY_CALL:
	case WAY_KERNEL:
	case WAY_PACK:
	case WAY_UNPACK:
	case WAY_NOT:
	case WAY_STORE:
	case WAY_ATOMIC:
	case WAY_BRANCH:
	case WAY_BARRIER:
	case WAY_NOTHING: break;
	}
	return none;
}

/* A place of PLACES gets L. */
static bool meet(struct writer *u, uint32_t at, struct line l)
{
	uint32_t k = place_find(u, at);
	struct place *p = k == NO_PLACE ? NULL : &u->place.data[k];

	if (!p || l.shape == SHAPE_OPEN || p->line.shape == SHAPE_LANES)
		return false;
	if (p->width == 4)
		l.step = (int32_t)l.step;
	if (p->line.shape == SHAPE_OPEN)
		p->line = l;
	else if (l.shape == SHAPE_LINE && l.step == p->line.step)
		return false;
	else
		p->line = none;
	return true;
}

/* What op AT writes gets L. */
static bool meet_op(struct writer *u, uint32_t at, struct line l)
{
	const struct op *op = &u->c->op[at];
	const struct op_vector *v = op_accesses(op) ? op->access.vector_at : NULL;
	bool changed = false;

	for (unsigned k = 0; k < op->ndests; k++) {
		uint32_t place = place_find(u, op->at[k]);

		if (place != NO_PLACE)
			changed = meet(u, op->at[k],
					  u->place.data[place].width == op->width[k] ? l : none) ||
				changed;
	}
	if (u->way[at] == WAY_LOAD) /* its elements are its operands */
		return changed;
	for (unsigned e = 0; v && op->kind != KIND_TEXTURE && e < op->access.vector; e++)
		changed = (v->place[0][e] && meet(u, v->place[0][e], none)) || changed;
	return changed;
}

unsigned line_extended(const struct writer *u, uint32_t at, bool *is_signed)
{
	const struct op *op = &u->c->op[at];
	struct arith_text t;

	*is_signed = false;
	if (op_is_guarded(op) || op->noperands < 2 || op->width[0] != 8 || op->width[1] != 4)
		return 0;
	if (u->way[at] == WAY_COPY)
		return line_of(u, op, 1).step ? 1 : 0;
	if (u->way[at] != WAY_LANES || !arith_text(op->run.kernel, &t) ||
		computed(u, op).shape != SHAPE_LINE)
		return 0;
	*is_signed = t.type[1][0] == 's' || has_text(&t, "(s32)a");
	if (line_of(u, op, 1).step)
		return 1;
	return op->noperands > 2 && op->width[2] == 4 && line_of(u, op, 2).step ? 2 : 0;
}

/* --- short lives --- */

static bool writes_one(const struct writer *u, uint32_t at)
{
	const struct op *op = &u->c->op[at];
	enum way way = (enum way)u->way[at];
	uint32_t k = op->ndests == 1 ? place_find(u, op->at[0]) : NO_PLACE;

	return (way == WAY_LANES || way == WAY_COPY || way == WAY_PARAM || way == WAY_SREG) &&
		!op_is_guarded(op) && k != NO_PLACE && u->place.data[k].width == op->width[0] &&
		!u->place.data[k].parted;
}

/* Whether what op AT writes has a life that ends in the same straight run. Nothing in between is an
 * entry, or may become one (line_extended()), or leaves. */
static bool has_life(const struct writer *u, uint32_t at)
{
	uint32_t place = u->c->op[at].at[0];

	if (!writes_one(u, at))
		return false;
	for (uint32_t k = at + 1; k < u->c->nops; k++) {
		const struct op *op = &u->c->op[k];
		enum way way = (enum way)u->way[k];

		if (u->entry[k] || way == WAY_LEAVE || way == WAY_CALL || way == WAY_KERNEL ||
			way == WAY_BARRIER || way == WAY_BRANCH ||
			(op->noperands > 1 && op->width[0] == 8 && op->width[1] == 4))
			return false;
		for (unsigned d = 0; d < op->ndests; d++)
			if (op->at[d] == place)
				return writes_one(u, k);
	}
	return false;
}

/* P is L from here on, until its life ends. */
static void begin_life(struct place *p, struct line l)
{
	if (!p->inside)
		p->outside = p->line;
	p->inside = true;
	p->line = l;
}

static void end_life(struct place *p)
{
	if (p->inside)
		p->line = p->outside;
	p->inside = false;
}

void lines_pass(struct writer *u, uint32_t at)
{
	if (!writes_one(u, at))
		return;
	struct place *p = &u->place.data[place_find(u, u->c->op[at].at[0])];

	if (u->life[at].begins)
		begin_life(p, u->life[at].line);
	else
		end_life(p);
}

/* --- all --- */

static bool settle_op(struct writer *u, uint32_t at)
{
	if (u->life[at].begins) {
		u->life[at].line = result(u, at);
		lines_pass(u, at);
		return false;
	}
	struct line l = result(u, at);

	lines_pass(u, at);
	return meet_op(u, at, l);
}

static void settle(struct writer *u)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t at = 0; at < u->c->nops; at++)
			changed = settle_op(u, at) || changed;
	}
}

static void find_all(struct writer *u)
{
	for (uint32_t k = 0; k < u->place.count; k++) {
		struct place *p = &u->place.data[k];

		p->line = (p->width == 4 || p->width == 8) && !p->parted
			? (struct line){SHAPE_OPEN, 0}
			: none;
	}
	settle(u);
	/* what is left is zero where nothing has written it, or made of that */
	for (uint32_t k = 0; k < u->place.count; k++)
		if (u->place.data[k].line.shape == SHAPE_OPEN) {
			u->place.data[k].line = same;
			settle(u);
		}
}

/* A register is a line in a short life only if it is one outside, too: variables are the same.
 * False: this life is none. */
static bool is_life(const struct writer *u, uint32_t at)
{
	const struct place *p = &u->place.data[place_find(u, u->c->op[at].at[0])];

	return p->line.shape == SHAPE_LINE && u->life[at].line.shape == SHAPE_LINE;
}

bool lines_find(struct writer *u)
{
	bool any = false, is_signed, again = true;

	for (uint32_t at = 0; at < u->c->nops; at++)
		u->life[at].begins = has_life(u, at);
	while (again) {
		again = false;
		find_all(u);
		for (uint32_t at = 0; at < u->c->nops; at++)
			if (u->life[at].begins && !is_life(u, at)) {
				u->life[at].begins = false;
				again = true;
			}
	}
	for (uint32_t k = 0; k < u->place.count; k++)
		any = any || u->place.data[k].line.shape == SHAPE_LINE;
	for (uint32_t at = 0; any && at < u->c->nops; at++) {
		if (line_extended(u, at, &is_signed))
			u->entry[at] |= ENTRY_NEXT;
		lines_pass(u, at);
	}
	return any;
}
