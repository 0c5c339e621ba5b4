/* Writing objects: the shapes of instructions, each once, then the instructions as a shape and the
 * numbers that fill it, and the source locations. */
#include "ir/object_writer.h"
#include "base/memory.h"
#include <stdlib.h>

enum { NODE_NUMBERS = 5 }; /* of one operand, at most, in its shape or filling it */

/* The N elements or further elements of an operand. */
static const struct ir_operand *elements(
	const struct ir_module *m, const struct ir_operand *o, uint32_t *n)
{
	const struct ir_operand *list = object_has_elements(o->kind) ? o : ir_further(o);

	*n = list ? list->count : 0;
	return list ? &m->operand[list->index] : NULL;
}

/* Writes a node of a shape: everything of an operand except the numbers of the single
 * instruction. */
static void shape_node(struct text *t, const struct ir_module *m, const struct ir_func *f,
	const struct ir_operand *o)
{
	char *p = object_room(t, NODE_NUMBERS);
	uint32_t n;
	const struct ir_operand *e = elements(m, o, &n);

	p = object_number(p, o->kind);
	p = object_number(p, o->type);
	switch (o->kind) {
	case IR_REG:
		p = object_number(p,
			(uint64_t)m->reg[f->reg + o->index].vector << 4 | (uint64_t)o->aux << 1 |
				o->negated);
		if (o->aux == IR_SELECTOR)
			p = object_number(p, o->count);
		break;
	case IR_IMM: p = object_number(p, o->aux); break;
	case IR_SREG:
		p = object_number(p, (uint64_t)o->aux << 1 | o->negated);
		p = object_number(p, o->index);
		break;
	case IR_VAR: p = object_number(p, m->var[o->index].space); break;
	case IR_ADDR:
		p = object_number(p, (uint64_t)o->aux << 1 | o->negated);
		p = object_number(p, n);
		if (o->aux == IR_BASE_VAR)
			p = object_number(p, m->var[o->index].space);
		break;
	default:
		if (object_has_elements(o->kind))
			p = object_number(p, n);
	}
	object_end(t, p);
	for (uint32_t i = 0; i < n; i++)
		shape_node(t, m, f, &e[i]);
}

/* The slot where probing for the shape of LEN bytes at S starts. */
static uint32_t shape_slot(const struct object_writer *w, const char *s, size_t len)
{
	return (uint32_t)hash_bytes(s, len, 0) & (w->shape_slots - 1);
}

static void grow_shape_slots(struct object_writer *w)
{
	w->shape_slots = w->shape_slots ? w->shape_slots * 2 : 1024;
	memory_drop(w->shape_slot);
	w->shape_slot = memory_zeroed(w->shape_slots, sizeof *w->shape_slot);
	for (uint32_t i = 0; i + 1 < w->shape_at.count; i++) {
		uint32_t a = w->shape_at.data[i],
			 slot = shape_slot(w, w->shapes.data + a, w->shape_at.data[i + 1] - a);

		while (w->shape_slot[slot])
			slot = (slot + 1) & (w->shape_slots - 1);
		w->shape_slot[slot] = i + 1;
	}
}

/* The number of shape T, which is added if it is new. */
static uint32_t share_shape(struct object_writer *w, const struct text *t)
{
	uint32_t slot, i;

	if (w->shape_at.count >= w->shape_slots / 2)
		grow_shape_slots(w);
	slot = shape_slot(w, t->data, t->len);
	for (; (i = w->shape_slot[slot]) != 0; slot = (slot + 1) & (w->shape_slots - 1)) {
		uint32_t a = w->shape_at.data[i - 1];

		if (w->shape_at.data[i] - a == t->len &&
			memcmp(w->shapes.data + a, t->data, t->len) == 0)
			return i - 1;
	}
	text_add(&w->shapes, t->data, t->len);
	w->shape_slot[slot] = w->shape_at.count;
	*vec_push(&w->shape_at) = (uint32_t)w->shapes.len;
	return w->shape_at.count - 2;
}

static uint64_t encoded_immediate(const struct ir_operand *o)
{
	const struct type_info *t = &type_info[o->type];
	uint64_t v = o->value;

	if (!o->aux)
		return v;
	if (t->bits < 64 && v >> (t->bits - 1) & 1)
		v |= UINT64_MAX << t->bits;
	return object_zigzag(v);
}

/* Writes the numbers of an operand. LABEL: number of labels before or at the instruction. */
static void put_numbers(
	struct text *t, const struct ir_module *m, const struct ir_operand *o, uint32_t label)
{
	char *p = object_room(t, NODE_NUMBERS);
	uint32_t n;
	const struct ir_operand *e = elements(m, o, &n);

	switch (o->kind) {
	case IR_REG:
	case IR_FUNC:
	case IR_TABLE: p = object_number(p, o->index); break;
	case IR_IMM: p = object_number(p, encoded_immediate(o)); break;
	case IR_LABEL: p = object_number(p, object_zigzag((uint64_t)o->more - label)); break;
	case IR_VAR:
		p = object_number(p, o->index);
		p = object_number(p, object_zigzag(o->value));
		break;
	case IR_ADDR:
		if (o->aux != IR_BASE_NONE)
			p = object_number(p, o->index);
		p = object_number(p, object_zigzag(o->value));
		break;
	default: break;
	}
	object_end(t, p);
	for (uint32_t i = 0; i < n; i++)
		put_numbers(t, m, &e[i], label);
}

/* What the shape of an instruction depends on, if its operands have no elements. */
enum { KNOWN_OPERANDS = 6, KNOWN_SHAPES = 512 };
struct known_shape {
	uint64_t key[1 + KNOWN_OPERANDS];
	uint32_t shape; /* 1 + its number, 0: none */
};

/* Fills KEY; false: the instruction has another shape. */
static bool make_key(const struct ir_module *m, const struct ir_func *f, const struct ir_insn *in,
	uint64_t key[1 + KNOWN_OPERANDS])
{
	const struct ir_operand *o = &m->operand[in->operand];

	if (in->noperands > KNOWN_OPERANDS || in->word >> 30)
		return false;
	key[0] = (uint64_t)in->form << 48 | (uint64_t)in->nwords << 40 |
		(uint64_t)in->noperands << 32 | in->word << 2 | (in->guard != IR_NONE ? 2u : 0u) |
		in->guard_negated;
	if (in->pragma_bytes_set)
		return false;
	for (unsigned k = 0; k < in->noperands; k++, o++) {
		uint32_t more = 0;

		switch (o->kind) {
		case IR_REG:
			more = (uint32_t)m->reg[f->reg + o->index].vector << 24;
			if (o->aux == IR_SELECTOR)
				more |= o->count;
			break;
		case IR_SREG: more = o->index; break;
		case IR_VAR: more = m->var[o->index].space; break;
		case IR_ADDR:
			if (o->further)
				return false;
			more = o->aux == IR_BASE_VAR ? m->var[o->index].space : 0;
			break;
		default:
			if (object_has_elements(o->kind))
				return false;
		}
		key[1 + k] = (uint64_t)more << 32 | (uint32_t)o->kind << 24 |
			(uint32_t)o->type << 16 | (uint32_t)o->negated << 8 | o->aux;
	}
	return true;
}

static uint32_t make_shape(struct object_writer *w, struct text *shape, const struct ir_func *f,
	const struct ir_insn *in)
{
	const struct ir_module *m = w->m;
	char *p;

	shape->len = 0;
	p = object_room(shape, 4u + in->nwords);
	p = object_number(p, in->form);
	p = object_number(p,
		(in->guard != IR_NONE ? SHAPE_GUARD : 0u) |
			(in->guard_negated ? SHAPE_NEGATED : 0u) |
			(in->pragma_bytes_set ? SHAPE_BYTES : 0u));
	p = object_number(p, in->nwords);
	for (unsigned k = 0; k < in->nwords; k++)
		p = object_number(p, m->word[in->word + k]);
	object_end(shape, object_number(p, in->noperands));
	for (unsigned k = 0; k < in->noperands; k++)
		shape_node(shape, m, f, &m->operand[in->operand + k]);
	return share_shape(w, shape);
}

/* The shape of IN: most are like one of the last, which is faster to find out than to write it. */
static uint32_t shape_of(struct object_writer *w, struct text *shape, struct known_shape *known,
	const struct ir_func *f, const struct ir_insn *in)
{
	uint64_t key[1 + KNOWN_OPERANDS], hash = 0;
	struct known_shape *k;

	if (!make_key(w->m, f, in, key))
		return make_shape(w, shape, f, in);
	for (unsigned i = 0; i <= in->noperands; i++)
		hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15u;
	k = &known[hash >> 32 & (KNOWN_SHAPES - 1)];
	if (k->shape) {
		unsigned i = 0;

		while (i <= in->noperands && k->key[i] == key[i])
			i++;
		if (i > in->noperands)
			return k->shape - 1;
	}
	memcpy(k->key, key, (1u + in->noperands) * sizeof *key);
	k->shape = make_shape(w, shape, f, in) + 1;
	return k->shape - 1;
}

static void put_instruction(struct object_writer *w, struct text *to, uint32_t shape,
	const struct ir_insn *in, uint32_t label)
{
	const struct ir_module *m = w->m;

	object_put(to, shape);
	if (in->guard != IR_NONE)
		object_put(to, in->guard);
	if (in->pragma_bytes_set)
		object_put(to, ir_used_bytes(m, in));
	for (unsigned k = 0; k < in->noperands; k++)
		put_numbers(to, m, &m->operand[in->operand + k], label);
}

struct body {
	uint32_t insn, func;
	/* it has instructions; of bodies at the same position, empty ones come first */
	bool filled;
};

static int by_position(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	return x->filled != y->filled ? x->filled - y->filled
				      : (x->func > y->func) - (x->func < y->func);
}

/* Fills LIST with the functions that have a body, in instruction order. Returns their number. */
static uint32_t order_bodies(const struct ir_module *m, uint32_t *list)
{
	struct body *body = memory_zeroed(m->nfuncs + 1u, sizeof *body);
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nfuncs; i++)
		if (m->func[i].has_body)
			body[n++] = (struct body){m->func[i].insn, i, m->func[i].ninsns > 0};
	qsort(body, n, sizeof *body, by_position);
	for (uint32_t i = 0; i < n; i++)
		list[i] = body[i].func;
	memory_drop(body);
	return n;
}

void object_put_code(struct object_writer *w, struct text *code)
{
	const struct ir_module *m = w->m;
	struct text shape = {0};
	uint32_t *list = memory_zeroed(m->nfuncs + 1u, sizeof *list), n = order_bodies(m, list);
	struct known_shape *known = memory_zeroed(KNOWN_SHAPES, sizeof *known);

	*vec_push(&w->shape_at) = 0;
	object_put(code, n);
	for (uint32_t i = 0; i < n; i++)
		object_put(code, list[i]);
	for (uint32_t i = 0; i < n; i++) {
		const struct ir_func *f = &m->func[list[i]];
		uint32_t label = 0;

		for (uint32_t k = 0; k < f->ninsns; k++) {
			while (label < f->nlabels && m->label[f->label + label].insn <= k)
				label++;
			put_instruction(w, code,
				shape_of(w, &shape, known, f, &m->insn[f->insn + k]),
				&m->insn[f->insn + k], label);
		}
	}
	text_free(&shape);
	memory_drop(known);
	memory_drop(list);
}

static void put_span(struct text *t, struct span s, uint32_t *last)
{
	char *p = object_number(object_room(t, 2), object_zigzag((uint64_t)s.off - *last));

	object_end(t, object_number(p, s.len));
	*last = s.off + s.len;
}

void object_put_places(const struct ir_module *m, struct text *t)
{
	uint32_t last = 0, *list = memory_zeroed(m->nfuncs + 1u, sizeof *list),
		 n = order_bodies(m, list);
	const struct source *s = m->source;

	object_put(t, strlen(s->name));
	object_put_bytes(t, s->name, strlen(s->name));
	object_put(t, s->len);
	object_put(t, s->nlines - 1);
	object_put_bytes(t, s->length, s->nlength);
	for (uint32_t i = 0; i < m->nfuncs; i++)
		put_span(t, m->func[i].span, &last);
	for (uint32_t i = 0; i < m->nvars; i++)
		put_span(t, m->var[i].span, &last);
	for (uint32_t i = 0; i < m->ntables; i++)
		put_span(t, m->table[i].span, &last);
	for (uint32_t i = 0; i < m->nfuncs; i++)
		for (uint32_t k = 0; k < m->func[i].nlabels; k++)
			put_span(t, m->label[m->func[i].label + k].span, &last);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < m->func[list[i]].ninsns; k++)
			put_span(t, m->insn[m->func[list[i]].insn + k].span, &last);
	memory_drop(list);
}
