/* Copying and patching. */
#include "stencil/copy.h"
#include "base/memory.h"
#include <string.h>

static uint32_t get32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

static void add32(uint8_t *at, uint32_t v)
{
	v += get32(at);
	memcpy(at, &v, sizeof v);
}

void copier_begin(struct copier *c, uint8_t *bytes, size_t room)
{
	*c = (struct copier){.bytes = bytes, .room = room};
	c->failed = room < piece_pool_bytes || room > COPIER_MOST;
	if (c->failed)
		return;
	memcpy(bytes, piece_pool, piece_pool_bytes);
	c->size = piece_pool_bytes;
}

/* The displacement at AT is that of P, and so on in STEPS copies that are BYTES apart: the byte
 * before says which register is the base. The last step has the largest one. */
static void put_place(
	struct copier *c, uint8_t *at, const struct spot *p, unsigned steps, uint32_t bytes)
{
	static const uint8_t base[] = {3, 5, 7}; /* %rbx, %rbp, %rdi */
	uint32_t v = get32(at);
	const uint32_t step = p->step;
	uint8_t which;

	c->failed = c->failed || p->bank > BANK_SCRATCH ||
		(uint64_t)p->at + (uint64_t)step * (steps - 1) + v > INT32_MAX;
	if (c->failed)
		return;
	which = (uint8_t)((at[-1] & ~7u) | base[p->bank]);
	v += p->at;
	for (unsigned k = 0; k < steps; k++, at += bytes, v += step) {
		at[-1] = which;
		memcpy(at, &v, sizeof v);
	}
}

static void put_jump(struct copier *c, uint32_t at, uint32_t label)
{
	if (c->njumps == c->jump_room) {
		c->jump_room = 2 * c->jump_room + 64;
		c->jump = memory_resize(c->jump, c->jump_room * sizeof *c->jump);
	}
	c->jump[c->njumps++] = (struct jump){at, label};
}

/* Fills hole H of STEPS copies of P, the first of which is at offset FROM. */
static void fill_hole(struct copier *c, const struct piece *p, uint16_t h, uint32_t from,
	unsigned steps, const struct fill *f)
{
	const uint32_t bytes = p->bytes, in = h & ((1u << HOLE_SHIFT) - 1);
	const enum hole what = (enum hole)(h >> HOLE_SHIFT);
	uint32_t at = from + in;

	if (what <= HOLE_at4) {
		put_place(c, c->bytes + at, &f->place[what - HOLE_at0], steps, bytes);
		return;
	}
	for (unsigned k = 0; k < steps; k++, at += bytes) {
		uint8_t *to = c->bytes + at;

		switch (what) {
		case HOLE_n0:
		case HOLE_n1: add32(to, f->number[what - HOLE_n0]); break;
		case HOLE_p0:
		case HOLE_p1: memcpy(to, &f->pointer[what - HOLE_p0], 8); break;
		case HOLE_next: add32(to, bytes - in); break;
		case HOLE_other: put_jump(c, at, f->other); break;
		case HOLE_pool: add32(to, 0 - at); break;
		case HOLE_at0:
		case HOLE_at1:
		case HOLE_at2:
		case HOLE_at3:
		case HOLE_at4:
		case HOLE_COUNT: break;
		}
	}
}

/* What is copied after the end of a step is overwritten by the next one, so holes come later. */
static void copy_steps(
	struct copier *c, const struct piece *p, unsigned steps, const struct fill *f)
{
	const uint8_t *code = piece_code + p->code;
	const uint16_t *hole = piece_hole + p->hole;
	const uint32_t from = (uint32_t)c->size, bytes = p->bytes;
	uint8_t *to = c->bytes + from;

	for (unsigned step = 0; step < steps; step++, to += bytes)
		for (uint32_t k = 0; k < bytes; k += PIECE_BLOCK)
			memcpy(to + k, code + k, PIECE_BLOCK);
	c->size += bytes * steps;
	for (unsigned k = 0; k < p->holes && !c->failed; k++)
		fill_hole(c, p, hole[k], from, steps, f);
}

void copier_put(struct copier *c, unsigned number, unsigned steps, const struct fill *f)
{
	const struct piece *p = &piece_table[number];

	/* also for what is copied after the last piece */
	c->failed = c->failed || !p->bytes ||
		c->room - c->size < (size_t)p->bytes * steps + PIECE_BLOCK;
	if (!c->failed)
		copy_steps(c, p, steps, f);
}

void copier_end(struct copier *c, const uint32_t *label)
{
	for (uint32_t k = 0; k < c->njumps && !c->failed; k++)
		add32(c->bytes + c->jump[k].at, label[c->jump[k].label] - c->jump[k].at);
}

void copier_free(struct copier *c) { memory_drop(c->jump); }
