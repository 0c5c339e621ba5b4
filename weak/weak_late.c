/* Late loads: a weak or relaxed load may choose its message after later instructions of its thread have executed, so that it can read what others write in answer to
 * these (load buffering). It chooses when its register is needed or written, when the thread comes to that location again, or to anything that orders: a release,
 * a fence, a barrier, a call, an exit. It may read what the thread knew of when the load was issued, or newer; so every run is an execution without values out of
 * thin air: whatever needs the value executes after it. */
#include "weak/weak.h"

enum { FEW = 2, RARELY = 8, EACH = 2 };

bool weak_is_late(struct warp *w, const struct op *op, uint32_t mask)
{
	struct chooser *c = w->machine->chooser;

	if (op->flag[FLAG_STRONG] == ORDER_SYNC || w->machine->clock_frozen || w->weak->nlate + lanes_of(mask) * op->vector > WEAK_LATE)
		return false;
	return choose(c, CHOICE_READ, lanes_of(mask) <= FEW ? EACH : RARELY) == 1;
}

void weak_late_add(struct weak_access *a, struct warp *w, const struct op *op, const struct access *at, unsigned element, uint32_t place, unsigned width)
{
	struct weak_warp *ww = w->weak;

	ww->late[ww->nlate++] = (struct weak_late){
		.lane = (uint8_t)a->lane,
		.bytes = (uint8_t)a->n,
		.width = (uint8_t)width,
		.is_signed = op->flag[FLAG_SIGNED],
		.strong = a->sem != SEM_WEAK,
		.scope = a->scope,
		.place = place,
		.to = op_place(w, place),
		.host = a->host,
		.op = op,
		.offset = at->offset[a->lane] + (uint64_t)element * op->bytes,
		.space = at->space[a->lane],
		.clock = weak_clock_ref(ww->lane[a->lane].clock),
		.stamp = ++a->k->now,
	};
}

void weak_register_set(unsigned char *to, unsigned lane, unsigned width, unsigned n, bool is_signed, const uint64_t value[2])
{
	if (n == 16)
		memcpy(to + lane * 16, value, 16);
	else
		register_set(to, lane, width, is_signed ? sign_extend(value[0], n) : value[0]);
}

/* Number I chooses. */
static void settle(struct warp *w, uint32_t i)
{
	struct weak_warp *ww = w->weak;
	struct weak_late l = ww->late[i];
	struct weak_access a = {.k = w->machine->weak, .w = ww, .lane = l.lane, .n = l.bytes, .host = l.host, .sem = l.strong ? SEM_RELAXED : SEM_WEAK, .scope = l.scope};
	uint64_t value[2];

	if (w->machine->interest & INTEREST_ACCESS) {
		struct access at;

		at.offset[l.lane] = l.offset;
		at.space[l.lane] = l.space;
		access_observe(w, l.op, 1u << l.lane, l.bytes, ACCESS_READ, &at);
	}
	ww->nlate--;
	memmove(&ww->late[i], &ww->late[i + 1], (ww->nlate - i) * sizeof l);
	weak_read_late(&a, l.clock, l.stamp, value);
	weak_clock_unref(l.clock);
	weak_register_set(l.to, l.lane, l.width, l.bytes, l.is_signed, value);
}

void weak_late_all(struct warp *w, uint32_t mask)
{
	for (uint32_t i = 0; i < w->weak->nlate;)
		if (mask >> w->weak->late[i].lane & 1)
			settle(w, i);
		else
			i++;
}

void weak_late_at(struct warp *w, unsigned lane, const uint8_t *host, unsigned n)
{
	for (uint32_t i = 0; i < w->weak->nlate;) {
		const struct weak_late *l = &w->weak->late[i];

		if (l->lane == lane && l->host < host + n && host < l->host + l->bytes)
			settle(w, i);
		else
			i++;
	}
}

static void at_place(struct warp *w, uint32_t mask, uint32_t place, unsigned width)
{
	unsigned char *from = op_place(w, place), *end = from + (width ? width * LANES : 4);

	if (place & 1)
		return;
	for (uint32_t i = 0; i < w->weak->nlate;) {
		const struct weak_late *l = &w->weak->late[i];

		if (mask >> l->lane & 1 && l->to < end && from < l->to + l->width * LANES)
			settle(w, i);
		else
			i++;
	}
}

enum kind { ONLY_REGISTERS, ACCESSES, ORDERS };

static enum kind kind_of(const struct warp *w, const struct op *op)
{
	if (op->kind == OP_KIND_ALU || op->kind == OP_KIND_BRANCH)
		return ONLY_REGISTERS;
	if (op->insn == IR_NONE)
		return ORDERS;
	switch (ir_form(op_insn(w, op))->handler) {
	case HANDLER_alu:
	case HANDLER_mov:
	case HANDLER_cvta:
	case HANDLER_isspacep:
	case HANDLER_policy:
	case HANDLER_bra: return ONLY_REGISTERS;
	case HANDLER_ld:
	case HANDLER_st:
	case HANDLER_atom:
	case HANDLER_red: return op->sem == W_release || op->sem == W_acq_rel ? ORDERS : ACCESSES;
	default: return ORDERS;
	}
}

void weak_before(struct warp *w, const struct op *op, uint32_t mask)
{
	enum kind kind = w->machine->clock_frozen ? ORDERS : kind_of(w, op);
	const struct access_vector *v = kind == ACCESSES ? op->extra : NULL;

	if (kind == ORDERS) {
		weak_late_all(w, mask);
		return;
	}
	for (unsigned k = 0; k < op->noperands; k++)
		at_place(w, mask, op->at[k], op->width[k]);
	for (unsigned c = 0; v && op->bytes && c < 3; c++)
		for (unsigned e = 0; e < op->vector && e < 8; e++)
			if (v->width[c][e])
				at_place(w, mask, v->place[c][e], v->width[c][e]);
}
