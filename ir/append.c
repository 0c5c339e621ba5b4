/* Copying a module to the end of another one: indices are shifted, or replaced where another
 * function or variable takes the place of one that is not copied. */
#include "ir/append.h"
#include "base/memory.h"
#include <string.h>

/* An array of N elements has room for the next power of two, so that no capacity is stored. */
static uint64_t room_of(uint64_t n)
{
	uint64_t room = 1;

	while (room < n)
		room *= 2;
	return n ? room : 0;
}

void *ir_room(void *array, uint32_t n, uint64_t extra, size_t size)
{
	if (n + extra > INT32_MAX)
		memory_out();
	return room_of(n + extra) == room_of(n) ? array
						: memory_resize(array, room_of(n + extra) * size);
}

struct copy {
	struct ir_module *to;
	const struct ir_module *from;
	const struct ir_renumbering *by;
	uint32_t at;          /* of the source */
	struct ir_module was; /* the numbers of elements that TO had */
};

/* Copies all elements of ARRAY as they are. */
#define COPY_ALL(c, array, number) \
	do { \
		(c)->to->array = ir_room((c)->to->array, (c)->to->number, (c)->from->number, \
			sizeof *(c)->to->array); \
		if ((c)->from->number) \
			memcpy((c)->to->array + (c)->to->number, (c)->from->array, \
				(c)->from->number * sizeof *(c)->to->array); \
		(c)->to->number += (c)->from->number; \
	} while (0)

static void move_span(const struct copy *c, struct span *s) { s->off += c->at; }

static uint32_t new_func(const struct copy *c, uint32_t f)
{
	return f == IR_NONE ? IR_NONE : c->by->func[f];
}

/* The first of N variables or functions, which are adjacent in both modules. */
static uint32_t new_first(const uint32_t *map, uint32_t first, uint32_t n)
{
	return n ? map[first] : 0;
}

static void copy_operands(struct copy *c)
{
	COPY_ALL(c, operand, noperands);
	for (uint32_t k = c->was.noperands; k < c->to->noperands; k++) {
		struct ir_operand *o = &c->to->operand[k];

		switch ((enum ir_operand_kind)o->kind) {
		case IR_VAR: o->index = c->by->var[o->index]; break;
		case IR_FUNC: o->index = c->by->func[o->index]; break;
		case IR_TABLE: o->index += c->was.ntables; break;
		case IR_ADDR:
			if (o->aux == IR_BASE_VAR)
				o->index = c->by->var[o->index];
			break;
		case IR_VEC:
		case IR_PAIR:
		case IR_LIST: o->index += c->was.noperands; break;
		case IR_REG:
		case IR_SREG:
		case IR_IMM:
		case IR_LABEL:
		case IR_SINK:
		default: break;
		}
	}
}

static void copy_code(struct copy *c)
{
	struct ir_module *to = c->to;

	COPY_ALL(c, word, nwords);
	COPY_ALL(c, insn, ninsns);
	for (uint32_t k = c->was.ninsns; k < to->ninsns; k++) {
		to->insn[k].word += c->was.nwords;
		to->insn[k].operand += c->was.noperands;
		move_span(c, &to->insn[k].span);
	}
	COPY_ALL(c, reg, nregs);
	for (uint32_t k = c->was.nregs; k < to->nregs; k++)
		to->reg[k].name = c->by->symbol[to->reg[k].name];
	COPY_ALL(c, label, nlabels);
	for (uint32_t k = c->was.nlabels; k < to->nlabels; k++) {
		to->label[k].name = c->by->symbol[to->label[k].name];
		move_span(c, &to->label[k].span);
	}
	COPY_ALL(c, table, ntables);
	for (uint32_t k = c->was.ntables; k < to->ntables; k++) {
		struct ir_table *t = &to->table[k];

		t->name = c->by->symbol[t->name];
		t->func = new_func(c, t->func);
		t->target += c->was.noperands;
		t->ret = new_first(c->by->var, t->ret, t->nrets);
		t->param = new_first(c->by->var, t->param, t->nparams);
		move_span(c, &t->span);
	}
}

static void copy_variables(struct copy *c)
{
	struct ir_module *to = c->to;

	COPY_ALL(c, data, ndata);
	COPY_ALL(c, dim, ndims);
	COPY_ALL(c, reloc, nrelocs);
	for (uint32_t k = c->was.nrelocs; k < to->nrelocs; k++)
		to->reloc[k].index = (to->reloc[k].is_func ? c->by->func
							   : c->by->var)[to->reloc[k].index];
	to->var = ir_room(to->var, to->nvars, c->from->nvars, sizeof *to->var);
	for (uint32_t k = 0; k < c->from->nvars; k++) {
		struct ir_var *v = &to->var[to->nvars];

		if (!c->by->has_var[k])
			continue;
		*v = c->from->var[k];
		v->name = c->by->symbol[v->name];
		v->func = new_func(c, v->func);
		v->dims += c->was.ndims;
		v->unified_id += c->was.ndims;
		v->data = v->data == IR_NONE ? IR_NONE : v->data + c->was.ndata;
		v->reloc += c->was.nrelocs;
		move_span(c, &v->span);
		to->nvars++;
	}
}

static void copy_functions(struct copy *c)
{
	struct ir_module *to = c->to;

	to->func = ir_room(to->func, to->nfuncs, c->from->nfuncs, sizeof *to->func);
	for (uint32_t k = 0; k < c->from->nfuncs; k++) {
		struct ir_func *f = &to->func[to->nfuncs];

		if (!c->by->has_func[k])
			continue;
		*f = c->from->func[k];
		f->name = c->by->symbol[f->name];
		f->ret = new_first(c->by->var, f->ret, f->nrets);
		f->param = new_first(c->by->var, f->param, f->nparams);
		f->var = new_first(c->by->var, f->var, f->nvars);
		f->reg += c->was.nregs;
		f->insn += c->was.ninsns;
		f->label += c->was.nlabels;
		f->loc = f->nlocs = 0;
		f->alias_of = new_func(c, f->alias_of);
		move_span(c, &f->span);
		to->nfuncs++;
	}
}

void ir_append(struct ir_module *to, const struct ir_module *from, const struct ir_renumbering *by,
	uint32_t at)
{
	struct copy c = {to, from, by, at, *to};

	copy_operands(&c);
	copy_code(&c);
	copy_variables(&c);
	copy_functions(&c);
}
