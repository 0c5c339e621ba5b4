/* The operands of an instruction as bytes, some 6 for each instead of a node's 32: a long body has
 * to be in memory as a whole before its first instruction can be assembled, because branches name
 * labels further down. (Those near the beginning of a body remain nodes.) */
#include "base/assert.h"
#include "parser/front.h"
#include <string.h>

/* The first byte of an operand: kind, flag, and whether a number for op, or word, and one for
 * symbol follow. */
enum { PACK_FLAG = 4, PACK_OP = 1 << 6, PACK_SYMBOL = 1 << 7 };

/* Most bytes of an operand without those below it: the first one and five numbers. */
enum { PACK_MOST = 1 + 5 * 10 };

/* Writes a number: seven bits per byte, least significant first. Returns the end. */
static uint8_t *put_number(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static uint64_t get_number(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; **p & 0x80; shift += 7)
		v |= (uint64_t)(*(*p)++ & 0x7f) << shift;
	return v | (uint64_t) * (*p)++ << shift;
}

static bool has_value(const struct ast_operand *o)
{
	return o->kind == AST_INT || o->kind == AST_FLOAT;
}

static bool has_list(const struct ast_operand *o)
{
	return !has_value(o) && o->kind != AST_NAME && o->kind != AST_SINK && o->kind != AST_STRING;
}

/* *AT: where the operand before begins, so that the distance is a small number. */
static void pack_list(struct front *f, const struct ast_operand *o, uint32_t *at)
{
	uint32_t n = 0;
	uint8_t *p;

	for (const struct ast_operand *k = o; k; k = k->next)
		n++;
	vec_reserve(&f->packed, PACK_MOST);
	p = put_number(f->packed.data + f->packed.count, n);
	f->packed.count = (uint32_t)(p - f->packed.data);
	for (; o; o = o->next) {
		uint32_t forward = o->span.off - *at, back = *at - o->span.off;

		vec_reserve(&f->packed, PACK_MOST);
		p = f->packed.data + f->packed.count;
		*p++ = (uint8_t)(o->kind | o->flag << PACK_FLAG | (o->op ? PACK_OP : 0) |
			(o->symbol ? PACK_SYMBOL : 0));
		if (o->op)
			p = put_number(p, o->op);
		if (o->symbol)
			p = put_number(p, o->symbol);
		p = put_number(
			p, *at <= o->span.off ? (uint64_t)forward * 2 : (uint64_t)back * 2 + 1);
		p = put_number(p, o->span.len);
		*at = o->span.off;
		if (has_value(o))
			p = put_number(p, o->value);
		f->packed.count = (uint32_t)(p - f->packed.data);
		if (has_list(o))
			pack_list(f, o->sub, at);
		else
			assert(has_value(o) || !o->sub);
	}
}

void operands_pack(struct front *f, const struct ast_operand *o, uint32_t at)
{
	f->packed.count = 0;
	pack_list(f, o, &at);
}

static struct ast_operand *unpack_list(struct arena *a, const uint8_t **p, uint32_t *at)
{
	struct ast_operand *first = NULL, **link = &first;

	for (uint64_t n = get_number(p); n; n--) {
		struct ast_operand *o = arena_alloc(a, sizeof *o, _Alignof(struct ast_operand));
		unsigned head = *(*p)++;
		uint64_t far;

		*o = (struct ast_operand){.kind = head & 15u, .flag = head >> PACK_FLAG & 3u};
		if (head & PACK_OP)
			o->op = (uint16_t)get_number(p);
		if (head & PACK_SYMBOL)
			o->symbol = (uint32_t)get_number(p);
		far = get_number(p);
		*at = far & 1 ? *at - (uint32_t)(far / 2) : *at + (uint32_t)(far / 2);
		o->span = (struct span){*at, (uint32_t)get_number(p)};
		if (has_value(o))
			o->value = get_number(p);
		else if (has_list(o))
			o->sub = unpack_list(a, p, at);
		*link = o;
		link = &o->next;
	}
	return first;
}

const struct ast_operand *ast_operands(struct ast_module *m, const struct ast_stmt *s)
{
	const uint8_t *packed = (const uint8_t *)(s->words + s->nwords);
	uint32_t at = s->span.off;

	if (s->operands)
		return s->operands;
	arena_clear(&m->operands);
	return unpack_list(&m->operands, &packed, &at);
}
