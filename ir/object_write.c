/* Writing objects: strings first, then declarations, shapes of instructions, instructions, places. The order is the module's canonical one, so that two
 * modules that say the same give the same bytes. */
#include "ir/object_format.h"
#include "base/memory.h"
#include "base/vec.h"
#include <stdlib.h>

struct writer {
	const struct ir_module *m;
	struct text body, strings;
	uint32_t *number; /* of each symbol: 1 + its place among the strings, 0 = not written yet */
	uint32_t nstrings;
	uint32_t last_string;
	uint32_t var; /* the next variable in order: a module that is not in order is our own mistake */
	struct text shapes;
	VEC(uint32_t) shape_at; /* where each shape begins in `shapes`; one more entry for the end */
	uint32_t *shape_slot, shape_slots;
};

uint64_t object_table(void)
{
	uint64_t h = OBJECT_VERSION;

	for (unsigned i = 0; i < isa_forms; i++) {
		const struct form *f = &isa_form[i];

		h = hash_bytes(opcode_text(f->opcode), strlen(opcode_text(f->opcode)), h);
		h = hash_bytes(f->modifiers, strlen(f->modifiers), h);
		h = hash_bytes(f->operands, strlen(f->operands), h);
	}
	for (unsigned w = 1; w < WORD_COUNT; w++)
		h = hash_bytes(word_text((enum word)w), strlen(word_text((enum word)w)), h);
	for (unsigned s = 1; s < SREG_COUNT; s++)
		h = hash_bytes(sreg_info[s].text, strlen(sreg_info[s].text), h);
	return h;
}

static void put(struct text *t, uint64_t v)
{
	char buf[10];
	unsigned n = 0;

	for (; v >= 0x80; v >>= 7)
		buf[n++] = (char)(v | 0x80);
	buf[n++] = (char)v;
	text_add(t, buf, n);
}

static void put_u64(struct text *t, uint64_t v)
{
	char buf[8];

	for (unsigned i = 0; i < 8; i++)
		buf[i] = (char)(v >> (8 * i));
	text_add(t, buf, 8);
}

static void put_bytes(struct text *t, const void *p, size_t n)
{
	if (n)
		text_add(t, p, n);
}

/* The string's number; a new one is written with what it shares with the one before. */
static void put_name(struct writer *w, struct text *to, uint32_t symbol)
{
	const struct symbol_entry *e = &w->m->symbols.entry[symbol], *last = &w->m->symbols.entry[w->last_string];
	uint32_t shared = 0;

	if (!symbol) {
		put(to, 0);
		return;
	}
	if (!w->number[symbol]) {
		while (w->last_string && shared < e->len && shared < last->len && e->text[shared] == last->text[shared])
			shared++;
		put(&w->strings, shared);
		put(&w->strings, e->len - shared);
		put_bytes(&w->strings, e->text + shared, e->len - shared);
		w->last_string = symbol;
		w->number[symbol] = ++w->nstrings;
	}
	put(to, w->number[symbol]);
}

static void put_variable(struct writer *w, const struct ir_var *v)
{
	struct text *t = &w->body;
	uint32_t at = 0;

	put_name(w, t, v->name);
	put(t, v->space);
	put(t, v->type);
	put(t, v->vector);
	put(t, v->linkage);
	put(t, (uint64_t)v->ptr_space_known | (uint64_t)v->managed << 1 | (uint64_t)v->unified << 2);
	if (v->ptr_space_known) {
		put(t, v->ptr_space);
		put(t, v->ptr_align);
	}
	if (v->unified) {
		put(t, v->unified_id[0]);
		put(t, v->unified_id[1]);
	}
	put(t, v->align);
	put(t, v->ndims);
	for (uint32_t i = 0; i < v->ndims; i++)
		put(t, w->m->dim[v->dims + i]);
	if (v->space == W_reg)
		put(t, v->offset);
	put(t, v->data == IR_NONE ? 0 : 1 + (uint64_t)v->ndata);
	if (v->data == IR_NONE)
		return;
	put_bytes(t, w->m->data + v->data, v->ndata);
	put(t, v->nrelocs);
	for (uint32_t i = 0; i < v->nrelocs; i++) {
		const struct ir_reloc *r = &w->m->reloc[v->reloc + i];

		put(t, r->at - at);
		at = r->at;
		put(t, r->size);
		put(t, r->shift);
		put(t, (uint64_t)r->is_func | (uint64_t)r->generic << 1);
		put(t, r->index);
		put(t, object_zigzag((uint64_t)r->addend));
	}
}

/* N variables from FIRST, which must be the next in order. */
static void put_variables(struct writer *w, uint32_t first, uint32_t n)
{
	if (n && first != w->var)
		abort();
	put(&w->body, n);
	for (uint32_t i = 0; i < n; i++)
		put_variable(w, &w->m->var[w->var++]);
}

static void put_three(struct writer *w, const uint32_t *v)
{
	for (unsigned i = 0; i < 3; i++)
		put(&w->body, v[i]);
}

static void put_function(struct writer *w, uint32_t index)
{
	const struct ir_module *m = w->m;
	const struct ir_func *f = &m->func[index];
	struct text *t = &w->body;
	uint32_t last = 0;

	put_name(w, t, f->name);
	put(t, (uint64_t)f->is_entry | (uint64_t)f->has_body << 1 | (uint64_t)f->noreturn << 2 | (uint64_t)f->explicitcluster << 3 | (uint64_t)f->blocksareclusters << 4 |
		(uint64_t)f->declared << 5);
	put(t, f->linkage);
	put(t, f->alias_of == IR_NONE ? 0 : 1 + (uint64_t)f->alias_of);
	put_three(w, f->reqntid);
	put_three(w, f->maxntid);
	put_three(w, f->reqnctapercluster);
	put(t, f->maxnreg);
	put(t, f->minnctapersm);
	put(t, f->maxclusterrank);
	put(t, f->abi_preserve);
	put(t, f->abi_preserve_control);
	put_variables(w, f->ret, f->nrets);
	put_variables(w, f->param, f->nparams);
	put_variables(w, f->var, f->nvars);
	put(t, f->nregs);
	for (uint32_t i = 0; i < f->nregs; i++) {
		put_name(w, t, m->reg[f->reg + i].name);
		put(t, (uint64_t)m->reg[f->reg + i].type << 3 | m->reg[f->reg + i].vector);
	}
	put(t, f->nlabels);
	for (uint32_t i = 0; i < f->nlabels; i++) {
		put_name(w, t, m->label[f->label + i].name);
		put(t, m->label[f->label + i].insn - last);
		last = m->label[f->label + i].insn;
	}
	put(t, f->ninsns);
}

static void put_tables(struct writer *w, uint32_t func)
{
	const struct ir_module *m = w->m;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->ntables; i++)
		n += m->table[i].func == func;
	put(&w->body, n);
	for (uint32_t i = 0; i < m->ntables; i++) {
		const struct ir_table *t = &m->table[i];

		if (t->func != func)
			continue;
		put(&w->body, t->kind);
		put_name(w, &w->body, t->name);
		put(&w->body, t->noreturn);
		put(&w->body, t->insn);
		if (t->kind == IR_PROTOTYPE) {
			put_variables(w, t->ret, t->nrets);
			put_variables(w, t->param, t->nparams);
			continue;
		}
		put(&w->body, t->ntargets);
		for (uint32_t k = 0; k < t->ntargets; k++)
			put(&w->body, t->kind == IR_CALL_TARGETS ? m->operand[t->target + k].index : m->operand[t->target + k].more);
	}
}

static void put_module_parts(struct writer *w)
{
	const struct ir_module *m = w->m;
	struct text *t = &w->body;

	put(t, m->target.ptx);
	put(t, m->target.sm);
	put(t, (unsigned char)m->target.suffix);
	put(t, m->target.address_size);
	put(t, (uint64_t)m->texmode_independent | (uint64_t)m->debug << 1);
	put(t, m->nfiles);
	for (uint32_t i = 0; i < m->nfiles; i++) {
		put(t, m->file[i].number);
		put_name(w, t, m->file[i].name);
		put(t, m->file[i].has_mtime);
		if (m->file[i].has_mtime) {
			put(t, m->file[i].mtime);
			put(t, m->file[i].size);
		}
	}
	put(t, m->nsections);
	for (uint32_t i = 0; i < m->nsections; i++) {
		put_name(w, t, m->section[i].name);
		put(t, m->section[i].len);
		put_bytes(t, m->section[i].text, m->section[i].len);
	}
	put(t, m->npragmas);
	for (uint32_t i = 0; i < m->npragmas; i++) {
		put(t, m->pragma[i].func == IR_NONE ? 0 : 1 + (uint64_t)m->pragma[i].func);
		put(t, m->pragma[i].insn == IR_NONE ? 0 : 1 + (uint64_t)m->pragma[i].insn);
		put_name(w, t, m->pragma[i].text);
	}
	put(t, m->nlocs);
	for (uint32_t i = 0; i < m->nlocs; i++) {
		const struct ir_loc *l = &m->loc[i];

		put(t, l->file);
		put(t, object_zigzag((uint64_t)l->line - (i ? m->loc[i - 1].line : 0)));
		put(t, l->column);
		put(t, l->inlined_at == IR_NONE ? 0 : i - l->inlined_at);
		put_name(w, t, l->function_name);
		put(t, l->function_offset);
	}
}

/* A node of a shape: all of an operand that is not a number of its own. */
static void shape_node(struct text *t, const struct ir_module *m, const struct ir_func *f, const struct ir_operand *o)
{
	put(t, o->kind);
	put(t, o->type);
	switch (o->kind) {
	case IR_REG:
		put(t, (uint64_t)m->reg[f->reg + o->index].vector << 4 | (uint64_t)o->aux << 1 | o->negated);
		if (o->aux == IR_SELECTOR)
			put(t, o->count);
		break;
	case IR_IMM:
		put(t, o->aux);
		break;
	case IR_SREG:
		put(t, (uint64_t)o->aux << 1 | o->negated);
		put(t, o->index);
		break;
	case IR_VAR:
		put(t, m->var[o->index].space);
		break;
	case IR_ADDR:
		put(t, (uint64_t)o->aux << 1 | o->negated);
		put(t, o->count);
		if (o->aux == IR_BASE_VAR)
			put(t, m->var[o->index].space);
		for (uint32_t i = 0; i < o->count; i++)
			shape_node(t, m, f, &m->operand[o->more + i]);
		break;
	default:
		if (!object_has_elements(o->kind))
			break;
		put(t, o->count);
		for (uint32_t i = 0; i < o->count; i++)
			shape_node(t, m, f, &m->operand[o->index + i]);
	}
}

static void grow_shape_slots(struct writer *w)
{
	w->shape_slots = w->shape_slots ? w->shape_slots * 2 : 1024;
	free(w->shape_slot);
	w->shape_slot = memory_zeroed(w->shape_slots, sizeof *w->shape_slot);
	for (uint32_t i = 0; i + 1 < w->shape_at.count; i++) {
		uint32_t a = w->shape_at.data[i], slot = (uint32_t)hash_bytes(w->shapes.data + a, w->shape_at.data[i + 1] - a, 0) & (w->shape_slots - 1);

		while (w->shape_slot[slot])
			slot = (slot + 1) & (w->shape_slots - 1);
		w->shape_slot[slot] = i + 1;
	}
}

/* The number of the shape in T. */
static uint32_t share_shape(struct writer *w, const struct text *t)
{
	uint32_t slot, i;

	if (w->shape_at.count >= w->shape_slots / 2)
		grow_shape_slots(w);
	slot = (uint32_t)hash_bytes(t->data, t->len, 0) & (w->shape_slots - 1);
	for (; (i = w->shape_slot[slot]) != 0; slot = (slot + 1) & (w->shape_slots - 1)) {
		uint32_t a = w->shape_at.data[i - 1];

		if (w->shape_at.data[i] - a == t->len && memcmp(w->shapes.data + a, t->data, t->len) == 0)
			return i - 1;
	}
	text_add(&w->shapes, t->data, t->len);
	w->shape_slot[slot] = w->shape_at.count;
	*vec_push(&w->shape_at) = (uint32_t)w->shapes.len;
	return w->shape_at.count - 2;
}

static uint64_t immediate(const struct ir_operand *o)
{
	const struct type_info *t = &type_info[o->type];
	uint64_t v = o->value;

	if (!o->aux)
		return v;
	if (t->bits < 64 && v >> (t->bits - 1) & 1)
		v |= UINT64_MAX << t->bits;
	return object_zigzag(v);
}

/* LABEL: how many labels stand before or at the instruction. */
static void put_numbers(struct text *t, const struct ir_module *m, const struct ir_operand *o, uint32_t label)
{
	switch (o->kind) {
	case IR_REG:
	case IR_FUNC:
	case IR_TABLE:
		put(t, o->index);
		break;
	case IR_IMM:
		put(t, immediate(o));
		break;
	case IR_LABEL:
		put(t, object_zigzag((uint64_t)o->more - label));
		break;
	case IR_VAR:
		put(t, o->index);
		put(t, object_zigzag(o->value));
		break;
	case IR_ADDR:
		if (o->aux != IR_BASE_NONE)
			put(t, o->index);
		put(t, object_zigzag(o->value));
		for (uint32_t i = 0; i < o->count; i++)
			put_numbers(t, m, &m->operand[o->more + i], label);
		break;
	default:
		for (uint32_t i = 0; object_has_elements(o->kind) && i < o->count; i++)
			put_numbers(t, m, &m->operand[o->index + i], label);
	}
}

static void put_instruction(struct writer *w, struct text *to, struct text *shape, const struct ir_func *f, uint32_t i, uint32_t label)
{
	const struct ir_module *m = w->m;
	const struct ir_insn *in = &m->insn[f->insn + i];

	shape->len = 0;
	put(shape, in->form);
	put(shape, (in->guard != IR_NONE ? SHAPE_GUARD : 0u) | (in->guard_negated ? SHAPE_NEGATED : 0u) | (in->pragma_bytes_set ? SHAPE_BYTES : 0u));
	put(shape, in->nwords);
	for (unsigned k = 0; k < in->nwords; k++)
		put(shape, m->word[in->word + k]);
	put(shape, in->noperands);
	for (unsigned k = 0; k < in->noperands; k++)
		shape_node(shape, m, f, &m->operand[in->operand + k]);
	put(to, share_shape(w, shape));
	if (in->guard != IR_NONE)
		put(to, in->guard);
	if (in->pragma_bytes_set)
		put(to, in->used_bytes);
	for (unsigned k = 0; k < in->noperands; k++)
		put_numbers(to, m, &m->operand[in->operand + k], label);
}

/* Functions with a body, in the order of their instructions. */
static uint32_t order_bodies(const struct ir_module *m, uint32_t *list)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nfuncs; i++) {
		uint32_t k = n;

		if (!m->func[i].has_body)
			continue;
		while (k && (m->func[list[k - 1]].insn > m->func[i].insn || (m->func[list[k - 1]].insn == m->func[i].insn && m->func[list[k - 1]].ninsns && !m->func[i].ninsns))) {
			list[k] = list[k - 1];
			k--;
		}
		list[k] = i;
		n++;
	}
	return n;
}

static void put_code(struct writer *w, struct text *code)
{
	const struct ir_module *m = w->m;
	struct text shape = {0}, locs = {0};
	uint32_t *list = memory_zeroed(m->nfuncs + 1u, sizeof *list), n = order_bodies(m, list), loc = IR_NONE, since = 0, nlocs = 0;

	*vec_push(&w->shape_at) = 0;
	put(code, n);
	for (uint32_t i = 0; i < n; i++)
		put(code, list[i]);
	for (uint32_t i = 0; i < n; i++) {
		const struct ir_func *f = &m->func[list[i]];
		uint32_t label = 0;

		for (uint32_t k = 0; k < f->ninsns; k++, since++) {
			while (label < f->nlabels && m->label[f->label + label].insn <= k)
				label++;
			put_instruction(w, code, &shape, f, k, label);
			if (m->insn[f->insn + k].loc == loc)
				continue;
			loc = m->insn[f->insn + k].loc;
			put(&locs, since);
			put(&locs, loc == IR_NONE ? 0 : 1 + (uint64_t)loc);
			since = 0;
			nlocs++;
		}
	}
	put(code, nlocs);
	put_bytes(code, locs.data, locs.len);
	text_free(&shape);
	text_free(&locs);
	free(list);
}

static void put_span(struct text *t, struct span s, uint32_t *last)
{
	put(t, object_zigzag((uint64_t)s.off - *last));
	put(t, s.len);
	*last = s.off + s.len;
}

static void put_places(const struct ir_module *m, struct text *t)
{
	uint32_t last = 0, line = 0, *list = memory_zeroed(m->nfuncs + 1u, sizeof *list), n = order_bodies(m, list), nlines = 1;
	const char *text = m->source->text, *end = text + m->source->len;

	put(t, strlen(m->source->name));
	put_bytes(t, m->source->name, strlen(m->source->name));
	put(t, m->source->len);
	for (const char *p = text; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
		nlines++;
	if (m->source->line_off)
		nlines = m->source->nlines;
	put(t, nlines - 1);
	if (m->source->line_off) {
		for (uint32_t i = 1; i < nlines; i++)
			put(t, m->source->line_off[i] - m->source->line_off[i - 1]);
	} else {
		for (const char *p = text; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++) {
			put(t, (uint32_t)(p + 1 - text) - line);
			line = (uint32_t)(p + 1 - text);
		}
	}
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
	free(list);
}

static void put_content(struct writer *w, struct text *content)
{
	struct text code = {0};
	uint32_t nmodule = 0;

	put_module_parts(w);
	while (nmodule < w->m->nvars && w->m->var[nmodule].func == IR_NONE)
		nmodule++;
	put(&w->body, w->m->nfuncs);
	put_variables(w, 0, nmodule);
	for (uint32_t i = 0; i < w->m->nfuncs; i++) {
		put_function(w, i);
		put_tables(w, i);
	}
	put_code(w, &code);
	put(content, w->nstrings);
	put(content, w->strings.len);
	put_bytes(content, w->strings.data, w->strings.len);
	put(content, w->body.len);
	put_bytes(content, w->body.data, w->body.len);
	put(content, w->shape_at.count - 1);
	put_bytes(content, w->shapes.data, w->shapes.len);
	put(content, w->m->ninsns);
	put_bytes(content, code.data, code.len);
	text_free(&code);
}

void ir_object_write(const struct ir_module *m, bool places, struct text *out)
{
	struct writer w = {.m = m};
	struct text content = {0}, where = {0}, head = {0};
	uint64_t sum;

	w.number = memory_zeroed(m->symbols.count + 1u, sizeof *w.number);
	put_content(&w, &content);
	if (places)
		put_places(m, &where);
	text_add(&head, OBJECT_MAGIC, 8);
	put_u64(&head, OBJECT_VERSION);
	put_u64(&head, object_table());
	put_u64(&head, content.len);
	put_u64(&head, where.len);
	sum = hash_bytes(head.data, head.len, 0);
	sum = hash_bytes(content.data, content.len, sum);
	sum = hash_bytes(where.data, where.len, sum);
	put_u64(&head, sum);
	text_add(out, head.data, head.len);
	put_bytes(out, content.data, content.len);
	put_bytes(out, where.data, where.len);
	text_free(&head);
	text_free(&content);
	text_free(&where);
	text_free(&w.body);
	text_free(&w.strings);
	text_free(&w.shapes);
	vec_free(&w.shape_at);
	free(w.shape_slot);
	free(w.number);
}
