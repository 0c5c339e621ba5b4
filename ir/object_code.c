/* Reading objects: the shapes of instructions, then each instruction as a shape and the numbers
 * that fill it. */
#include "ir/object_reader.h"
#include "base/memory.h"
#include <stdlib.h>

static void read_node(struct object_reader *r, unsigned depth, uint32_t *budget)
{
	struct object_node n = {
		.kind = (uint8_t)object_below(r, IR_SINK + 1, "an operand in it does not exist"),
		.type = (uint8_t)object_below(r, TYPE_COUNT, "a type in it does not exist")};
	uint32_t bits;

	if (!*budget || depth > OBJECT_DEPTH)
		object_fail(r, "an instruction in it has too many operands");
	else
		--*budget;
	switch (n.kind) {
	case IR_REG:
		bits = object_below(r, 128, "a register in it is malformed");
		n.vector = (uint8_t)(bits >> 4);
		n.aux = bits >> 1 & 7;
		n.negated = bits & 1;
		if (n.aux > IR_SELECTOR || (n.aux && n.aux < IR_SELECTOR && n.aux > n.vector))
			object_fail(r, "a register in it has no such component");
		if (n.aux == IR_SELECTOR)
			n.index = object_below(r, W_SELECT_END, "a selector in it does not exist");
		if (n.index >= WORD_COUNT && n.index < W_SELECT)
			object_fail(r, "a selector in it does not exist");
		break;
	case IR_IMM:
		n.aux = (uint8_t)object_below(r, 2, "a constant in it is malformed");
		if (!type_info[n.type].bits || type_info[n.type].class == CLASS_OPAQUE)
			object_fail(r, "a constant in it has no type");
		break;
	case IR_SREG:
		bits = object_below(r, 10, "a special register in it is malformed");
		n.aux = (uint8_t)(bits >> 1);
		n.negated = bits & 1;
		n.index = object_below(r, SREG_COUNT, "a special register in it does not exist");
		if (!n.index || n.type != sreg_info[n.index].type ||
			n.aux > sreg_info[n.index].vector)
			object_fail(r, "a special register in it is malformed");
		break;
	case IR_VAR:
		n.space = (uint16_t)object_below(
			r, WORD_COUNT, "a state space in it does not exist");
		break;
	case IR_ADDR:
		bits = object_below(r, 6, "an address in it is malformed");
		n.aux = (uint8_t)(bits >> 1);
		n.negated = bits & 1;
		n.count = object_count(r);
		if (n.aux == IR_BASE_VAR)
			n.space = (uint16_t)object_below(
				r, WORD_COUNT, "a state space in it does not exist");
		break;
	default:
		if (object_has_elements(n.kind))
			n.count = object_count(r);
		if (n.kind == IR_PAIR && n.count != 2)
			object_fail(r, "a pair in it does not have two elements");
	}
	*vec_push(&r->node) = n;
	for (uint32_t i = 0; i < n.count && !r->why; i++)
		read_node(r, depth + 1, budget);
}

/* Whether the opcode's rows have ranges, or rules that may depend on constants. */
static bool shape_values_matter(unsigned opcode)
{
	for (unsigned i = 0; i < isa_forms; i++)
		if (isa_form[i].opcode == opcode &&
			(strchr(isa_operands(&isa_form[i]), '<') ||
				strstr(isa_rules(&isa_form[i]), "nonzero") ||
				strstr(isa_rules(&isa_form[i]), "alloca")))
			return true;
	return false;
}

static void read_shape(struct object_reader *r)
{
	struct object_shape s = {.form = (uint16_t)object_below(
					 r, isa_forms, "an instruction in it does not exist")};
	uint32_t budget = OBJECT_NODES;

	s.flags = (uint8_t)object_below(r, 8, "an instruction in it is malformed");
	s.nwords = (uint8_t)object_below(
		r, ISA_MAX_WORDS + 8, "an instruction in it has too many modifiers");
	s.word = r->word_v.count;
	for (unsigned i = 0; i < s.nwords && !r->why; i++) {
		uint32_t w = object_below(r, W_SELECT_END, "a modifier in it does not exist");

		if (!w || (w >= WORD_COUNT && w < W_SELECT))
			object_fail(r, "a modifier in it does not exist");
		*vec_push(&r->word_v) = (uint16_t)w;
	}
	s.noperands = (uint8_t)object_below(r, 256, "an instruction in it has too many operands");
	s.node = r->node.count;
	for (unsigned i = 0; i < s.noperands && !r->why; i++)
		read_node(r, 0, &budget);
	s.values = shape_values_matter(isa_form[s.form].opcode);
	*vec_push(&r->shape) = s;
}

struct filler {
	struct object_reader *r;
	const struct ir_func *f;
	uint32_t func, node; /* node: index of the next one */
	uint32_t label;      /* number of labels before or at the instruction */
};

static void check_register(struct filler *fl, uint64_t index, const struct object_node *n)
{
	const struct ir_register *reg = &fl->r->reg_v.data[fl->f->reg + index];

	if (index >= fl->f->nregs || reg->type != n->type || reg->vector != n->vector)
		object_fail(fl->r, "an instruction in it names a register of the wrong type");
}

static void check_variable(struct filler *fl, uint32_t index, const struct object_node *n)
{
	const struct ir_var *v = &fl->r->var_v.data[index];

	if (index >= fl->r->var_v.count || (v->func != IR_NONE && v->func != fl->func) ||
		v->space != n->space || v->type != n->type || v->space == W_reg)
		object_fail(fl->r, "an instruction in it names a variable of the wrong kind");
}

static uint32_t get_index(struct filler *fl)
{
	return object_below(fl->r, UINT32_MAX, "a number in it is too large");
}

static uint64_t get_immediate(struct object_reader *r, enum type type, bool negative)
{
	const struct type_info *t = &type_info[type];
	uint64_t v = object_get(r);

	if (negative)
		v = object_unzigzag(v);
	return t->bits && t->bits < 64 ? v & ((UINT64_C(1) << t->bits) - 1) : v;
}

static uint32_t reserve_operands(struct object_reader *r, uint32_t n)
{
	uint32_t first = r->operand_v.count;

	vec_reserve(&r->operand_v, n);
	r->operand_v.count += n;
	return first;
}

static void fill_operand(struct filler *fl, uint32_t at);

static void fill_elements(struct filler *fl, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		fill_operand(fl, first + i);
}

static void fill_address(struct filler *fl, const struct object_node *n, struct ir_operand *o)
{
	if (n->aux != IR_BASE_NONE)
		o->index = get_index(fl);
	else
		o->index = IR_NONE;
	if (n->aux == IR_BASE_REG)
		check_register(fl, o->index, n);
	else if (n->aux == IR_BASE_VAR)
		check_variable(fl, o->index, n);
	o->aux = n->aux;
	o->value = object_unzigzag(object_get(fl->r));
}

static void fill_operand(struct filler *fl, uint32_t at)
{
	struct object_reader *r = fl->r;
	const struct object_node n = r->node.data[fl->node++];
	struct ir_operand o = {.kind = n.kind, .type = n.type, .negated = n.negated & 1u};
	uint64_t target;
	uint32_t list;

	switch (n.kind) {
	case IR_REG:
		o.index = get_index(fl);
		check_register(fl, o.index, &n);
		o.aux = n.aux;
		o.count = n.aux == IR_SELECTOR ? n.index : 0;
		break;
	case IR_SREG:
		o.index = n.index;
		o.aux = n.aux;
		break;
	case IR_IMM:
		o.value = get_immediate(r, (enum type)n.type, n.aux);
		o.aux = n.aux;
		break;
	case IR_VAR:
		o.index = get_index(fl);
		o.value = object_unzigzag(object_get(r));
		check_variable(fl, o.index, &n);
		break;
	case IR_FUNC:
		o.index = object_below(r, r->m->nfuncs,
			"an instruction in it names a function that does not exist");
		break;
	case IR_TABLE:
		o.index = object_below(r, r->table_v.count,
			"an instruction in it names a table that does not exist");
		if (!r->why && r->table_v.data[o.index].func != fl->func)
			object_fail(r, "an instruction in it names a table of another function");
		break;
	case IR_LABEL:
		target = fl->label + object_unzigzag(object_get(r));
		if (target >= fl->f->nlabels) {
			object_fail(r, "a branch in it has no target");
			break;
		}
		o.more = (uint32_t)target;
		o.index = r->label_v.data[fl->f->label + target].insn;
		break;
	case IR_ADDR:
		fill_address(fl, &n, &o);
		list = n.count ? reserve_operands(r, n.count + 1) : at;
		if (list - at > IR_FURTHER)
			object_fail(r, "an instruction in it is not valid");
		o.further = (list - at) & IR_FURTHER;
		r->operand_v.data[at] = o;
		if (!n.count)
			return;
		r->operand_v.data[list] = (struct ir_operand){
			.kind = IR_LIST, .index = list + 1, .count = n.count};
		fill_elements(fl, list + 1, n.count);
		return;
	default:
		if (!object_has_elements(n.kind))
			break;
		o.count = n.count;
		o.index = reserve_operands(r, n.count);
		r->operand_v.data[at] = o;
		fill_elements(fl, o.index, n.count);
		return;
	}
	r->operand_v.data[at] = o;
}

/* Gives IN its words once more, followed by the mask. */
static void set_used_bytes(struct object_reader *r, struct ir_insn *in, uint32_t mask)
{
	uint32_t from = in->word;

	vec_reserve(&r->word_v, in->nwords + (uint32_t)IR_MASK_WORDS);
	in->word = r->word_v.count;
	ir_put_words(r->word_v.data + in->word, r->word_v.data + from, in->nwords, mask);
	r->word_v.count += in->nwords + (uint32_t)IR_MASK_WORDS;
}

static void read_insn(struct object_reader *r, struct filler *fl)
{
	uint32_t index = object_below(r, r->shape.count, "an instruction in it does not exist"),
		 mask = 0;
	struct object_shape *s = &r->shape.data[index];
	struct ir_insn in = {.form = s->form & IR_FORM,
		.nwords = s->nwords,
		.noperands = s->noperands,
		.word = s->word,
		.guard = IR_NONE};

	if (s->flags & SHAPE_GUARD) {
		static const struct object_node predicate = {.type = TYPE_pred};

		in.guard = get_index(fl);
		check_register(fl, in.guard, &predicate);
		in.guard_negated = (s->flags & SHAPE_NEGATED) != 0;
	}
	if (s->flags & SHAPE_BYTES) {
		mask = (uint32_t)object_below(r, UINT64_C(1) << 32, "a number in it is too large");
		in.pragma_bytes_set = 1;
	}
	if (r->why)
		return;
	if (in.pragma_bytes_set)
		set_used_bytes(r, &in, mask);
	in.operand = reserve_operands(r, s->noperands);
	fl->node = s->node;
	fill_elements(fl, in.operand, s->noperands);
	if (!r->why)
		object_check_insn(r, s, fl->f, &in);
	*vec_push(&r->insn_v) = in;
}

static void read_order(struct object_reader *r)
{
	uint32_t bodies = 0;

	for (uint32_t i = 0; i < r->m->nfuncs; i++)
		bodies += r->m->func[i].has_body;
	r->norder = object_count(r);
	if (r->norder != bodies)
		object_fail(r, "its functions are not in order");
	r->order = memory_zeroed(r->m->nfuncs + 1u, sizeof *r->order);
	for (uint32_t i = 0; i < r->norder && !r->why; i++) {
		uint32_t f = object_below(r, r->m->nfuncs, "its functions are not in order");

		if (!r->m->func[f].has_body || r->m->func[f].insn)
			object_fail(r, "its functions are not in order");
		r->m->func[f].insn = 1;
		r->order[i] = f;
	}
}

static void read_bodies(struct object_reader *r)
{
	for (uint32_t i = 0; i < r->norder && !r->why; i++) {
		struct ir_func *f = &r->m->func[r->order[i]];
		struct filler fl = {.r = r, .f = f, .func = r->order[i]};

		f->insn = r->insn_v.count;
		for (uint32_t k = 0; k < f->ninsns && !r->why; k++) {
			while (fl.label < f->nlabels &&
				r->label_v.data[f->label + fl.label].insn <= k)
				fl.label++;
			read_insn(r, &fl);
		}
	}
}

void object_read_code(struct object_reader *r)
{
	uint32_t n = object_count(r), total = 0, ninsns;

	for (uint32_t i = 0; i < n && !r->why; i++)
		read_shape(r);
	ninsns = object_count(r);
	for (uint32_t i = 0; i < r->m->nfuncs && !r->why; i++)
		total += r->m->func[i].ninsns;
	if (!r->why && total != ninsns)
		object_fail(r, "its functions do not have the declared number of instructions");
	if (r->why)
		return;
	vec_reserve(&r->insn_v, ninsns + 1);
	vec_reserve(&r->operand_v, ninsns * 3 + 16);
	read_order(r);
	read_bodies(r);
	if (!r->why && r->p != r->end)
		object_fail(r, "unexpected data follows its instructions");
}
