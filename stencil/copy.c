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

/* The displacement at AT is that of P, in step STEP: the byte before says which register is the
 * base. */
static void put_place(struct copier *c, uint8_t *at, const struct spot *p, unsigned step)
{
	static const uint8_t base[] = {3, 5, 7}; /* %rbx, %rbp, %rdi */
	uint64_t v = (uint64_t)p->at + (uint64_t)p->step * step + get32(at);

	c->failed = c->failed || v > INT32_MAX || p->bank > BANK_SCRATCH;
	if (c->failed)
		return;
	at[-1] = (uint8_t)((at[-1] & ~7u) | base[p->bank]);
	add32(at, p->at + p->step * step);
}

static void put_jump(struct copier *c, uint32_t at, uint32_t label)
{
	if (c->njumps == c->jump_room) {
		c->jump_room = 2 * c->jump_room + 64;
		c->jump = memory_resize(c->jump, c->jump_room * sizeof *c->jump);
	}
	c->jump[c->njumps++] = (struct jump){at, label};
}

static void copy_once(struct copier *c, const struct piece *p, unsigned step, const struct fill *f)
{
	uint8_t *to = c->bytes + c->size;
	uint32_t from = (uint32_t)c->size;

	for (uint32_t k = 0; k < p->bytes; k += PIECE_BLOCK)
		memcpy(to + k, piece_code + p->code + k, PIECE_BLOCK);
	c->size += p->bytes;
	for (unsigned k = 0; k < p->holes; k++) {
		uint16_t h = piece_hole[p->hole + k];
		uint32_t at = h & ((1u << HOLE_SHIFT) - 1);
		enum hole what = (enum hole)(h >> HOLE_SHIFT);

		switch (what) {
		case HOLE_at0:
		case HOLE_at1:
		case HOLE_at2:
		case HOLE_at3:
		case HOLE_at4: put_place(c, to + at, &f->place[what - HOLE_at0], step); break;
		case HOLE_n0:
		case HOLE_n1: add32(to + at, f->number[what - HOLE_n0]); break;
		case HOLE_p0:
		case HOLE_p1: memcpy(to + at, &f->pointer[what - HOLE_p0], 8); break;
		case HOLE_next: add32(to + at, p->bytes - at); break;
		case HOLE_other: put_jump(c, from + at, f->other); break;
		case HOLE_pool: add32(to + at, 0 - (from + at)); break;
		case HOLE_COUNT: break;
		}
	}
}

void copier_put(struct copier *c, unsigned number, unsigned steps, const struct fill *f)
{
	const struct piece *p = &piece_table[number];

	/* also for what is copied after the last piece */
	c->failed = c->failed || !p->bytes ||
		c->room - c->size < (size_t)p->bytes * steps + PIECE_BLOCK;
	for (unsigned k = 0; k < steps && !c->failed; k++)
		copy_once(c, p, k, f);
}

void copier_end(struct copier *c, const uint32_t *label)
{
	for (uint32_t k = 0; k < c->njumps && !c->failed; k++)
		add32(c->bytes + c->jump[k].at, label[c->jump[k].label] - c->jump[k].at);
}

void copier_free(struct copier *c) { memory_drop(c->jump); }
