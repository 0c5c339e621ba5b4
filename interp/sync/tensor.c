/* Copies through tensor maps: the map is read and the boxes are cut into pieces that are contiguous
 * on both sides when the instruction executes; async.c lands the pieces. (PTX ISA 9.7.10.28.5) */
#include "arith/tensor_map.h"
#include "base/memory.h"
#include "code/valid.h"
#include "code/window.h"
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"
#include "interp/sync/async.h"
#include "interp/sync/tensor.h"
#include <string.h>

/* A larger box is in no shared memory. */
enum { MOST_BYTES = 1 << 20 };

/* A piece of a box: BYTES at SHARED, from the place in shared memory that the instruction names; of
 * these INSIDE are at ADDRESS in global memory, the others outside of the tensor. */
struct piece {
	uint64_t address;
	uint32_t shared, bytes, inside;
};
struct pieces {
	struct piece *piece;
	uint32_t n, room;
};

/* --- the map --- */

/* Reports the 128 bytes of an image as accessed by lane LANE. */
void tensor_report(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p, bool writes)
{
	uint64_t address[LANES];
	struct access_event e = {.warp = w,
		.op = op,
		.mask = 1u << lane,
		.address = address,
		.space = p->space,
		.bytes = 8,
		.reads = !writes,
		.writes = writes};

	for (unsigned k = 0; w->machine->interest & INTEREST_ACCESS && k < TENSOR_IMAGE; k += 8) {
		address[lane] = sync_window_address(p) + k;
		observers_access(w->machine, &e);
	}
}

/* Reads the image at the generic address ADDRESS. */
static bool image_fetch(struct warp *w, const struct op *op, unsigned lane, uint16_t space,
	uint64_t address, unsigned char *image)
{
	for (unsigned k = 0; k < TENSOR_IMAGE; k += TENSOR_ALIGN) {
		struct access a;

		if (!access_one(w, lane, address + k, TENSOR_ALIGN, ACCESS_READ, &a)) {
			access_fault(w, op, lane, space, address + k, TENSOR_ALIGN, TENSOR_ALIGN,
				ACCESS_READ);
			return false;
		}
		if (a.space[lane] == W_shared || a.space[lane] == W_local) {
			fault(w, op, lane, DIAG_S0312,
				"the tensor map at 0x%llx is not in global memory, a constant or a kernel parameter",
				(unsigned long long)address);
			return false;
		}
		for (unsigned i = 0; i < TENSOR_ALIGN; i += 8) {
			uint64_t v = element_load(a.host[lane] + i, 8, __ATOMIC_RELAXED);

			memcpy(image + k + i, &v, 8);
		}
	}
	return true;
}

static bool map_fetch(
	struct warp *w, const struct op *op, unsigned lane, struct tensor_map *m, uint64_t *address)
{
	const struct op_tensor *t = op->async.operands->tensor;
	uint64_t offset;
	unsigned char image[TENSOR_IMAGE];

	*address = sync_address_of(w, &t->map, lane);
	if (!image_fetch(w, op, lane, t->map.space, *address, image))
		return false;
	if (!tensor_map_read(image, m)) {
		fault(w, op, lane, DIAG_S0312, "the 128 bytes at 0x%llx are not a tensor map",
			(unsigned long long)*address);
		return false;
	}
	if (window_space(*address, &offset) == W_global)
		tensor_report(w, op, lane,
			&(struct sync_place){.space = W_global, .address = *address}, false);
	return true;
}

/* --- what the copy moves --- */

/* Whether reduction A has elements of type T. (PTX ISA 9.7.10.28.5.4) */
static bool reduces(enum atomic a, enum tensor_type t)
{
	static const uint16_t add = 1 << TENSOR_U32 | 1 << TENSOR_S32 | 1 << TENSOR_U64 |
		1 << TENSOR_F32 | 1 << TENSOR_F32_FTZ | 1 << TENSOR_F16 | 1 << TENSOR_BF16,
			      order = 1 << TENSOR_U32 | 1 << TENSOR_S32 | 1 << TENSOR_U64 |
		1 << TENSOR_S64 | 1 << TENSOR_F16 | 1 << TENSOR_BF16,
			      bits = 1 << TENSOR_U32 | 1 << TENSOR_S32 | 1 << TENSOR_U64;

	switch ((int)a) {
	case ATOMIC_NONE: return true;
	case ATOMIC_ADD: return add >> t & 1;
	case ATOMIC_MIN:
	case ATOMIC_MAX: return order >> t & 1;
	case ATOMIC_INC:
	case ATOMIC_DEC: return t == TENSOR_U32;
	default: return bits >> t & 1;
	}
}

static const char *refused(const struct op *op, const struct tensor_copy *c)
{
	if (op->async.operands->tensor->dims != c->map->rank)
		return "the map and the instruction differ in the number of dimensions";
	if (!reduces((enum atomic)op->async.atomic, (enum tensor_type)c->map->type))
		return "this reduction is not for elements of the map's type";
	for (unsigned k = 0; op->async.operands->tensor->overrides == 2 && k < c->map->rank; k++)
		if (c->at[k])
			return "overriding the sizes of a tensor requires coordinates that are zero";
	if (tensor_rows(c) > MOST_BYTES || tensor_rows(c) * tensor_pitch(c) > MOST_BYTES)
		return "the box is larger than shared memory";
	return tensor_copy_refused(c);
}

static void add_piece(struct pieces *p, struct piece x)
{
	if (p->n == p->room)
		p->piece = memory_resize(p->piece, (p->room = p->room * 2 + 16) * sizeof *p->piece);
	p->piece[p->n++] = x;
}

/* Cuts BYTES of a row into the parts that stay together. BASE: the address in shared memory. */
static void cut(struct pieces *p, const struct tensor_copy *c, uint32_t base, struct piece x)
{
	const struct tensor_map *m = c->map;
	const uint32_t packed = tensor_packed(m),
		       most = packed < 16 ? packed
		: m->swizzle              ? tensor_piece(m)
					  : x.bytes,
		       apart = packed < 16 ? 16 : most; /* in shared memory */

	while (x.bytes) {
		struct piece part = x;

		part.bytes = x.bytes < most ? x.bytes : most;
		part.inside = x.inside < part.bytes ? x.inside : part.bytes;
		part.shared = tensor_place(m, base + x.shared) - base;
		if (!c->store)
			add_piece(p, part);
		else if (part.inside) {
			part.bytes = part.inside;
			add_piece(p, part);
		}
		x.bytes -= x.bytes < most ? x.bytes : most;
		x.shared += apart;
		x.address += most;
		x.inside -= x.inside < most ? x.inside : most;
	}
}

/* The bytes that a store writes of row R: the padding only where the tensor's memory has it. */
static uint32_t stored(struct warp *w, unsigned lane, const struct tensor_row *r)
{
	struct access first, last;
	uint64_t end = r->address + r->padded - 1;

	if (r->padded == r->inside || !r->inside)
		return r->inside;
	return access_one(w, lane, r->address, 1, ACCESS_WRITE, &first) &&
			access_one(w, lane, end, 1, ACCESS_WRITE, &last) &&
			(uint64_t)(last.host[lane] - first.host[lane]) == r->padded - 1
		? r->padded
		: r->inside;
}

static void cut_box(
	struct warp *w, unsigned lane, struct pieces *p, const struct tensor_copy *c, uint32_t base)
{
	struct tensor_walk walk;
	struct tensor_row r;
	uint32_t at = 0, pitch = tensor_pitch(c);

	p->n = 0;
	tensor_begin(&walk, c);
	for (; tensor_next(&walk, &r); at += pitch) {
		const uint32_t before = r.before / tensor_packed(c->map) * 16;

		if (r.before)
			cut(p, c, base, (struct piece){0, at, r.before, 0});
		if (c->store)
			cut(p, c, base,
				(struct piece){r.address, at + before, r.inside + r.after,
					stored(w, lane, &r)});
		else if (r.inside + r.after)
			cut(p, c, base,
				(struct piece){
					r.address, at + before, r.inside + r.after, r.inside});
	}
}

static void check_defined(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_async_operands *x = op->async.operands;
	const struct op_tensor *t = x->tensor;
	const struct op_address *const address[] = {&x->to, &x->from, &x->bar, &t->map};

	if (!w->frame->defined)
		return;
	for (unsigned k = 0; k < 4; k++)
		if (address[k]->width)
			undefined_use(w, op, mask, address[k]->place,
				"used in the address of an asynchronous copy");
	for (unsigned k = 0; k < t->nat; k++)
		undefined_use(w, op, mask, t->at[k], "used as a coordinate of a tensor");
	for (unsigned k = 0; k < t->noffset; k++)
		undefined_use(w, op, mask, t->offset[k], "used as an offset in a tensor");
	if (t->overrides)
		undefined_use(w, op, mask, t->address, "used as the address of a tensor");
	for (unsigned k = 0; t->overrides == 2 && k < t->dims; k++)
		undefined_use(w, op, mask, t->size[k], "used as a size of a tensor");
	for (unsigned k = 0; t->overrides == 2 && k + 1 < t->dims; k++)
		undefined_use(w, op, mask, t->stride[k], "used as a stride of a tensor");
	if (t->overrides == 2 && t->dims > 1)
		undefined_use(w, op, mask, t->upper_strides, "used as strides of a tensor");
	for (unsigned k = 0; k < op->noperands; k++)
		undefined_use(w, op, mask, op->at[k], "given to an asynchronous copy");
}

/* Sets what the instruction gives in place of the map's values. (PTX ISA 9.7.10.28.5.2) */
static void override(
	const struct warp *w, const struct op_tensor *t, unsigned lane, struct tensor_map *m)
{
	uint64_t upper;

	if (!t->overrides)
		return;
	m->address = register_get(op_place(w, t->address), lane, t->address_width);
	if (t->overrides < 2)
		return;
	for (unsigned k = 0; k < t->dims; k++)
		m->dim[k] = register_get(op_place(w, t->size[k]), lane, t->size_width[k]) & 0xff;
	upper = t->dims > 1 ? register_get(op_place(w, t->upper_strides), lane, t->upper_width) : 0;
	for (unsigned k = 0; k + 1 < t->dims; k++)
		m->stride[k] = (register_get(op_place(w, t->stride[k]), lane, t->stride_width[k]) |
				       (upper >> 4 * k & 0xf) << 32)
			<< 4;
}

/* The copy of lane LANE, all but its pieces. False after a fault. */
static bool describe(struct warp *w, const struct op *op, unsigned lane, struct tensor_map *m,
	struct tensor_copy *c, uint64_t *address)
{
	const struct op_tensor *t = op->async.operands->tensor;
	const char *why;

	*c = (struct tensor_copy){.map = m, .mode = (enum tensor_mode)t->mode, .store = t->store};
	if (!map_fetch(w, op, lane, m, address))
		return false;
	for (unsigned k = 0; k < t->nat; k++)
		c->at[k] = (int32_t)register_get(op_place(w, t->at[k]), lane, t->at_width[k]);
	for (unsigned k = 0; k < t->noffset; k++)
		c->offset[k] = (uint16_t)register_get(
			op_place(w, t->offset[k]), lane, t->offset_width[k]);
	override(w, t, lane, m);
	why = refused(op, c);
	if (why)
		fault(w, op, lane, DIAG_S0312, "%s", why);
	else if (c->store && m->type == TENSOR_B6X16_P32)
		return fault(w, op, lane, DIAG_U0001,
			       "ptxi does not pack elements of 6 bits (b6p2x16) on their way to global memory"),
		       false;
	return !why;
}

/* --- parts --- */

static bool place_in_shared(struct warp *w, const struct op *op, unsigned lane,
	const struct op_address *a, uint64_t from, const struct piece *x, unsigned how,
	struct sync_place *p)
{
	if (!sync_reach(w, op, lane, a->space, from + x->shared, x->bytes, 1, how, p))
		return false;
	if (!a->own || p->cta == w->cta)
		return true;
	fault(w, op, lane, DIAG_S0410,
		"0x%llx is in the shared memory of the CTA of rank %u of the cluster",
		(unsigned long long)p->address, p->cta->cluster_rank);
	return false;
}

static bool place_part(struct warp *w, const struct op *op, unsigned lane,
	const struct tensor_copy *c, uint64_t from, const struct piece *x, struct copy_part *p)
{
	const struct op_async_operands *o = op->async.operands;

	p->bytes = x->bytes;
	p->take = x->inside;
	p->fill = c->map->nan ? 0x7ff7 : 0;
	if (c->store)
		return place_in_shared(w, op, lane, &o->from, from, x, ACCESS_READ, &p->from) &&
			sync_reach(w, op, lane, W_global, x->address, x->inside, 1, ACCESS_WRITE,
				&p->to);
	return place_in_shared(w, op, lane, &o->to, from, x, ACCESS_WRITE, &p->to) &&
		(!x->inside ||
			sync_reach(w, op, lane, W_global, x->address, x->inside, 1, ACCESS_READ,
				&p->from));
}

/* The parts of lane LANE, those for the CTAs RANKS one after the other if it is a multicast. */
static bool place_parts(struct warp *w, const struct op *op, unsigned lane,
	const struct tensor_copy *c, uint64_t from, const struct pieces *pieces, uint32_t ranks,
	struct copy_part *part)
{
	const struct op_async_operands *o = op->async.operands;
	struct copy_part like = {
		.lane = (uint8_t)lane, .byte_mask = 0xffff, .group = async_filling(w, 1)[lane]};
	uint32_t bytes = (uint32_t)tensor_rows(c) * tensor_row_bytes(c), n = pieces->n;

	if (op->async.signals &&
		!sync_reach(w, op, lane, o->bar.space, sync_address_of(w, &o->bar, lane), 8, 8,
			ACCESS_READ | ACCESS_WRITE, &like.bar))
		return false;
	if (op->async.signals && o->bar.own && like.bar.cta != w->cta)
		return fault(w, op, lane, DIAG_S0410,
			       "0x%llx is in the shared memory of the CTA of rank %u of the cluster",
			       (unsigned long long)like.bar.address, like.bar.cta->cluster_rank),
		       false;
	for (uint32_t k = 0; k < n; k++) {
		part[k] = like;
		if (!place_part(w, op, lane, c, from, &pieces->piece[k], &part[k]))
			return false;
	}
	if (!op->async.signals)
		return true;
	part[n - 1].signals = true;
	part[n - 1].completes = bytes;
	if (!op->async.multicast) {
		async_check_bar(w, op, lane, &part[n - 1]);
		return true;
	}
	struct copy_part *to = part + n;

	/* the first CTA's parts are made last: the others are made from them */
	for (uint32_t rest = ranks & (ranks - 1); rest; rest &= rest - 1, to += n) {
		memcpy(to, part, n * sizeof *to);
		if (!async_to_cta(w, op, lane, to, n, (uint32_t)__builtin_ctz(rest)))
			return false;
	}
	return async_to_cta(w, op, lane, part, n, (uint32_t)__builtin_ctz(ranks));
}

/* The CTAs that lane LANE copies to; for no multicast, one. False after a fault. */
static bool ranks_of(struct warp *w, const struct op *op, unsigned lane, uint32_t *ranks)
{
	*ranks = op->async.multicast
		? sync_value(w, op, 0, lane) & (op->async.wide ? UINT32_MAX : 0xffff)
		: 1;
	return !op->async.multicast || sync_ranks_exist(w, op, lane, *ranks);
}

static bool copy_lane(struct warp *w, const struct op *op, unsigned lane, struct pieces *pieces)
{
	const struct op_async_operands *o = op->async.operands;
	const struct op_address *at = o->tensor->store ? &o->from : &o->to;
	uint64_t from = sync_address_of(w, at, lane), address;
	struct tensor_map m;
	struct tensor_copy c;
	struct copy *copy;
	uint32_t ranks, n;

	if (from % 128) {
		fault(w, op, lane, DIAG_F0202, "cp at 0x%llx, which is not a multiple of 128",
			(unsigned long long)from);
		return false;
	}
	if (!describe(w, op, lane, &m, &c, &address) || !ranks_of(w, op, lane, &ranks))
		return false;
	cut_box(w, lane, pieces, &c, (uint32_t)from);
	n = pieces->n * (uint32_t)__builtin_popcount(ranks);
	if (!n)
		return true; /* nothing of a store is inside, or no CTA gets the box */
	copy = async_issue(w, op, op->async.signals ? COPY_BULK : COPY_GROUP, n);
	if (!copy)
		return false;
	copy->type = (uint8_t)tensor_type_plain((enum tensor_type)m.type);
	copy->element = (uint8_t)tensor_type_bytes((enum tensor_type)m.type);
	copy->rounds = !c.store && tensor_type_rounds((enum tensor_type)m.type);
	copy->flushes = m.type == TENSOR_F32_FTZ || m.type == TENSOR_TF32_FTZ;
	copy->map = address;
	if (!place_parts(w, op, lane, &c, from, pieces, ranks, copy->part)) {
		async_cancel(copy);
		return false;
	}
	async_issued(copy);
	return true;
}

enum flow exec_tensor(struct warp *w, const struct op *op, uint32_t mask)
{
	struct pieces pieces = {0};
	bool ok = true;

	check_defined(w, op, mask);
	FOR_LANES(lane, mask) {
		ok = copy_lane(w, op, lane, &pieces);
		if (!ok)
			break;
	}
	memory_drop(pieces.piece);
	return ok ? FLOW_NEXT : FLOW_STOP;
}
