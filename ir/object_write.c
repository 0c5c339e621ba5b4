/* Writing objects: strings, declarations, shapes of instructions, instructions, source locations.
 * The order is the canonical order of the module, so that equal modules have equal bytes. */
#include "base/assert.h"
#include "ir/object_writer.h"
#include "base/memory.h"
#include <stdlib.h>

uint64_t object_table(void)
{
	uint64_t h = OBJECT_VERSION;

	for (unsigned i = 0; i < isa_forms; i++) {
		const struct form *f = &isa_form[i];

		h = hash_bytes(opcode_text(f->opcode), strlen(opcode_text(f->opcode)), h);
		h = hash_bytes(isa_modifiers(f), strlen(isa_modifiers(f)), h);
		h = hash_bytes(isa_operands(f), strlen(isa_operands(f)), h);
	}
	for (unsigned w = 1; w < WORD_COUNT; w++)
		h = hash_bytes(word_text((enum word)w), strlen(word_text((enum word)w)), h);
	for (unsigned s = 1; s < SREG_COUNT; s++)
		h = hash_bytes(sreg_text(s), strlen(sreg_text(s)), h);
	return h;
}

/* Writes the number of a string to TO. A new string is added without the beginning that it shares
 * with the preceding one. */
static void put_name(struct object_writer *w, struct text *to, uint32_t symbol)
{
	const struct symbol_entry *e = &w->m->symbols.entry[symbol],
				  *last = &w->m->symbols.entry[w->last_string];
	uint32_t shared = 0;

	if (!symbol) {
		object_put(to, 0);
		return;
	}
	if (!w->number[symbol]) {
		while (w->last_string && shared < e->len && shared < last->len &&
			e->text[shared] == last->text[shared])
			shared++;
		object_put(&w->strings, shared);
		object_put(&w->strings, e->len - shared);
		object_put_bytes(&w->strings, e->text + shared, e->len - shared);
		w->last_string = symbol;
		w->number[symbol] = ++w->nstrings;
	}
	object_put(to, w->number[symbol]);
}

static void put_variable(struct object_writer *w, const struct ir_var *v)
{
	struct text *t = &w->body;
	uint32_t at = 0;

	put_name(w, t, v->name);
	object_put(t, v->space);
	object_put(t, v->type);
	object_put(t, v->vector);
	object_put(t, v->linkage);
	object_put(t,
		(uint64_t)v->ptr_space_known | (uint64_t)v->managed << 1 |
			(uint64_t)v->unified << 2);
	if (v->ptr_space_known) {
		object_put(t, v->ptr_space);
		object_put(t, v->ptr_align);
	}
	if (v->unified) {
		object_put(t, w->m->dim[v->unified_id]);
		object_put(t, w->m->dim[v->unified_id + 1]);
	}
	object_put(t, v->align);
	object_put(t, v->ndims);
	for (uint32_t i = 0; i < v->ndims; i++)
		object_put(t, w->m->dim[v->dims + i]);
	if (v->space == W_reg)
		object_put(t, v->offset);
	object_put(t, v->data == IR_NONE ? 0 : 1 + (uint64_t)v->ndata);
	if (v->data == IR_NONE)
		return;
	object_put_bytes(t, w->m->data + v->data, v->ndata);
	object_put(t, v->nrelocs);
	for (uint32_t i = 0; i < v->nrelocs; i++) {
		const struct ir_reloc *r = &w->m->reloc[v->reloc + i];

		object_put(t, r->at - at);
		at = r->at;
		object_put(t, r->size);
		object_put(t, r->shift);
		object_put(t, (uint64_t)r->is_func | (uint64_t)r->generic << 1);
		object_put(t, r->index);
		object_put(t, object_zigzag((uint64_t)r->addend));
	}
}

/* Writes N variables from FIRST, which must be the next in order. */
static void put_variables(struct object_writer *w, uint32_t first, uint32_t n)
{
	if (n && first != w->var)
		never();
	object_put(&w->body, n);
	for (uint32_t i = 0; i < n; i++)
		put_variable(w, &w->m->var[w->var++]);
}

static void put_three(struct object_writer *w, const uint32_t *v)
{
	for (unsigned i = 0; i < 3; i++)
		object_put(&w->body, v[i]);
}

static void put_locs(struct object_writer *w, const struct ir_func *f)
{
	struct text *t = &w->body;
	struct ir_loc last = {0};

	object_put(t, f->nlocs);
	for (uint32_t i = 0; i < f->nlocs; i++) {
		const struct ir_loc *l = &w->m->loc[f->loc + i];

		object_put(t, l->insn - last.insn);
		object_put(t, l->file);
		object_put(t, object_zigzag((uint64_t)l->line - last.line));
		object_put(t, l->column);
		put_name(w, t, l->function_name);
		last.insn = l->insn;
		last.line = l->line;
		if (!l->function_name)
			continue;
		object_put(t, l->function_offset);
		object_put(t, l->at_file);
		object_put(t, object_zigzag((uint64_t)l->at_line - last.at_line));
		object_put(t, l->at_column);
		last.at_line = l->at_line;
	}
}

static void put_function(struct object_writer *w, uint32_t index)
{
	const struct ir_module *m = w->m;
	const struct ir_func *f = &m->func[index];
	struct text *t = &w->body;
	uint32_t last = 0;

	put_name(w, t, f->name);
	object_put(t,
		(uint64_t)f->is_entry | (uint64_t)f->has_body << 1 | (uint64_t)f->noreturn << 2 |
			(uint64_t)f->explicitcluster << 3 | (uint64_t)f->blocksareclusters << 4 |
			(uint64_t)f->declared << 5);
	object_put(t, f->linkage);
	object_put(t, f->alias_of == IR_NONE ? 0 : 1 + (uint64_t)f->alias_of);
	put_three(w, f->reqntid);
	put_three(w, f->maxntid);
	put_three(w, f->reqnctapercluster);
	object_put(t, f->maxnreg);
	object_put(t, f->minnctapersm);
	object_put(t, f->maxclusterrank);
	object_put(t, f->abi_preserve);
	object_put(t, f->abi_preserve_control);
	object_put(t, f->minperctamemory);
	put_variables(w, f->ret, f->nrets);
	put_variables(w, f->param, f->nparams);
	put_variables(w, f->var, f->nvars);
	object_put(t, f->nregs);
	for (uint32_t i = 0; i < f->nregs; i++) {
		put_name(w, t, m->reg[f->reg + i].name);
		object_put(t, (uint64_t)m->reg[f->reg + i].type << 3 | m->reg[f->reg + i].vector);
	}
	object_put(t, f->nlabels);
	for (uint32_t i = 0; i < f->nlabels; i++) {
		put_name(w, t, m->label[f->label + i].name);
		object_put(t, m->label[f->label + i].insn - last);
		last = m->label[f->label + i].insn;
	}
	object_put(t, f->ninsns);
	put_locs(w, f);
}

static void put_tables(struct object_writer *w, uint32_t func)
{
	const struct ir_module *m = w->m;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->ntables; i++)
		n += m->table[i].func == func;
	object_put(&w->body, n);
	for (uint32_t i = 0; i < m->ntables; i++) {
		const struct ir_table *t = &m->table[i];

		if (t->func != func)
			continue;
		object_put(&w->body, t->kind);
		put_name(w, &w->body, t->name);
		object_put(&w->body, t->noreturn);
		object_put(&w->body, t->insn);
		if (t->kind == IR_PROTOTYPE) {
			put_variables(w, t->ret, t->nrets);
			put_variables(w, t->param, t->nparams);
			continue;
		}
		object_put(&w->body, t->ntargets);
		for (uint32_t k = 0; k < t->ntargets; k++)
			object_put(&w->body,
				t->kind == IR_CALL_TARGETS ? m->operand[t->target + k].index
							   : m->operand[t->target + k].more);
	}
}

static void put_module_parts(struct object_writer *w)
{
	const struct ir_module *m = w->m;
	struct text *t = &w->body;

	object_put(t, m->target.ptx);
	object_put(t, m->target.sm);
	object_put(t, (unsigned char)m->target.suffix);
	object_put(t, m->target.address_size);
	object_put(t, (uint64_t)m->texmode_independent | (uint64_t)m->debug << 1);
	object_put(t, m->nfiles);
	for (uint32_t i = 0; i < m->nfiles; i++) {
		object_put(t, m->file[i].number);
		put_name(w, t, m->file[i].name);
		object_put(t, m->file[i].has_mtime);
		if (m->file[i].has_mtime) {
			object_put(t, m->file[i].mtime);
			object_put(t, m->file[i].size);
		}
	}
	object_put(t, m->nsections);
	for (uint32_t i = 0; i < m->nsections; i++) {
		put_name(w, t, m->section[i].name);
		object_put(t, m->section[i].len);
		object_put_bytes(t, m->section[i].text, m->section[i].len);
	}
	object_put(t, m->npragmas);
	for (uint32_t i = 0; i < m->npragmas; i++) {
		object_put(t, m->pragma[i].func == IR_NONE ? 0 : 1 + (uint64_t)m->pragma[i].func);
		object_put(t, m->pragma[i].insn == IR_NONE ? 0 : 1 + (uint64_t)m->pragma[i].insn);
		put_name(w, t, m->pragma[i].text);
	}
}

/* Moves the bytes of PART to the end of TO. */
static void move_bytes(struct text *to, struct text *part)
{
	object_put_bytes(to, part->data, part->len);
	text_free(part);
}

/* Writes the instructions, and the shapes that they turn out to have before them. */
static void put_instructions(struct object_writer *w, struct text *out)
{
	struct text shapes = {0};
	size_t at = out->len;

	object_put_code(w, out);
	object_put(&shapes, w->shape_at.count - 1);
	move_bytes(&shapes, &w->shapes);
	object_put(&shapes, w->m->ninsns);
	text_room(out, shapes.len);
	memmove(out->data + at + shapes.len, out->data + at, out->len - at);
	memcpy(out->data + at, shapes.data, shapes.len);
	out->len += shapes.len;
	text_free(&shapes);
}

static void put_content(struct object_writer *w, struct text *out)
{
	uint32_t nmodule = 0;

	put_module_parts(w);
	while (nmodule < w->m->nvars && w->m->var[nmodule].func == IR_NONE)
		nmodule++;
	object_put(&w->body, w->m->nfuncs);
	put_variables(w, 0, nmodule);
	for (uint32_t i = 0; i < w->m->nfuncs; i++) {
		put_function(w, i);
		put_tables(w, i);
	}
	object_put(out, w->nstrings);
	object_put(out, w->strings.len);
	move_bytes(out, &w->strings);
	object_put(out, w->body.len);
	move_bytes(out, &w->body);
	put_instructions(w, out);
}

/* Bytes of an object for each instruction, nearly always: then its text need not grow. Pages that
 * are not used cost nothing, but beginnings of them in a small module's heap. */
enum { MANY_INSNS = 1 << 18, INSN_BYTES = 8, INSN_BYTES_AT_MOST = 24 };

void ir_object_write(const struct ir_module *m, bool places, struct text *out)
{
	struct object_writer w = {.m = m};
	struct text head = {0};
	size_t begin = out->len, content, where;
	uint64_t sum;

	w.number = memory_zeroed(m->symbols.count + 1u, sizeof *w.number);
	text_room(out,
		IR_OBJECT_HEADER +
			(size_t)m->ninsns *
				(m->ninsns < MANY_INSNS ? INSN_BYTES : INSN_BYTES_AT_MOST));
	memset(out->data + out->len, 0, IR_OBJECT_HEADER);
	out->len += IR_OBJECT_HEADER;
	content = out->len;
	put_content(&w, out);
	where = out->len;
	if (places)
		object_put_places(m, out);
	text_add(&head, OBJECT_MAGIC, 8);
	object_put_u64(&head, OBJECT_VERSION);
	object_put_u64(&head, object_table());
	object_put_u64(&head, where - content);
	object_put_u64(&head, out->len - where);
	sum = hash_bytes(head.data, head.len, 0);
	sum = hash_bytes(out->data + content, where - content, sum);
	sum = hash_bytes(out->data + where, out->len - where, sum);
	object_put_u64(&head, sum);
	assert(head.len == IR_OBJECT_HEADER);
	memcpy(out->data + begin, head.data, head.len);
	text_free(&head);
	vec_free(&w.shape_at);
	memory_drop(w.shape_slot);
	memory_drop(w.number);
}
