/* Reading objects: strings, files, variables, functions, tables. Every number is checked before
 * use. */
#include "ir/object_reader.h"
#include "base/memory.h"
#include <stdlib.h>

/* A string may share its beginning with the preceding one; their total size is bounded in
 * proportion to the file. */
void object_read_names(struct object_reader *r)
{
	uint32_t n = object_count(r), cap = 256, last = 0;
	uint64_t bytes = object_get(r), total = 0, most = (uint64_t)(r->end - r->p) * 256 + 65536;
	const uint8_t *end;
	char *buf = memory_resize(NULL, cap);

	if (bytes > (uint64_t)(r->end - r->p)) {
		object_fail(r, "its strings are longer than the file");
		n = 0;
		bytes = 0;
	}
	end = r->p + bytes;
	r->name = memory_zeroed(n + 1u, sizeof *r->name);
	for (uint32_t i = 1; i <= n && !r->why; i++) {
		uint32_t shared = object_below(
				 r, (uint64_t)last + 1, "a string in it is malformed"),
			 rest = object_count(r);

		if (shared + rest > cap) {
			cap = (shared + rest) * 2;
			buf = memory_resize(buf, cap);
		}
		if (r->why || rest > (size_t)(r->end - r->p) || memchr(r->p, 0, rest) ||
			(total += shared + rest) > most) {
			object_fail(r, "a string in it is malformed");
			break;
		}
		memcpy(buf + shared, r->p, rest);
		r->p += rest;
		last = shared + rest;
		r->name[i] = symbol_intern(&r->m->symbols, buf, last);
	}
	r->nnames = n;
	if (!r->why && r->p != end)
		object_fail(r, "its strings do not have the declared length");
	memory_drop(buf);
}

static uint32_t get_name(struct object_reader *r)
{
	return r->name[object_below(
		r, (uint64_t)r->nnames + 1, "it names a string that it does not have")];
}

static bool get_flag(struct object_reader *r)
{
	return object_below(r, 2, "a flag in it is neither 0 nor 1") != 0;
}

static uint32_t get_u32(struct object_reader *r)
{
	return object_below(r, UINT64_C(1) << 32, "a number in it is too large");
}

static void read_files(struct object_reader *r)
{
	for (uint32_t n = object_count(r); n && !r->why; n--) {
		struct ir_file f = {.number = get_u32(r), .name = get_name(r)};

		f.has_mtime = get_flag(r);
		if (f.has_mtime) {
			f.mtime = object_get(r);
			f.size = object_get(r);
		}
		*vec_push(&r->file_v) = f;
	}
	for (uint32_t n = object_count(r); n && !r->why; n--) {
		uint32_t name = get_name(r), len = object_count(r);

		if (r->why)
			break;
		*vec_push(&r->section_v) = (struct ir_section){
			name, len, arena_text(&r->m->arena, (const char *)r->p, len)};
		r->p += len;
	}
}

static void read_pragmas(struct object_reader *r)
{
	for (uint32_t n = object_count(r); n && !r->why; n--) {
		uint32_t func = get_u32(r), insn = get_u32(r);

		*vec_push(&r->pragma_v) = (struct ir_pragma){
			.func = func - 1, .insn = insn - 1, .text = get_name(r)};
	}
}

static bool space_allowed(enum word space, bool module)
{
	return space == W_global || space == W_const || space == W_shared ||
		(!module && (space == W_reg || space == W_local || space == W_param));
}

static void read_relocs(struct object_reader *r, struct ir_var *v)
{
	uint64_t at = 0;

	v->reloc = r->reloc_v.count;
	v->nrelocs = object_count(r);
	for (uint32_t i = 0; i < v->nrelocs && !r->why; i++) {
		struct ir_reloc rel = {0};
		uint32_t flags;

		at += object_get(r);
		rel.size = (uint8_t)object_below(r, 9, "an address in it has the wrong size");
		rel.shift = (uint8_t)object_below(r, 64, "an address in it is shifted too far");
		flags = object_below(r, 4, "an address in it is malformed");
		rel.is_func = flags & 1;
		rel.generic = flags >> 1 & 1;
		rel.index = get_u32(r);
		rel.addend = (int64_t)object_unzigzag(object_get(r));
		if ((rel.size != 1 && rel.size != 4 && rel.size != 8) || at > v->ndata ||
			rel.size > v->ndata - at || rel.size > type_bytes((enum type)v->type))
			object_fail(r, "an address in it is outside its variable");
		rel.at = (uint32_t)at;
		*vec_push(&r->reloc_v) = rel;
	}
}

static void read_data(struct object_reader *r, struct ir_var *v)
{
	uint32_t n = object_count(r);

	if (!n || r->why)
		return;
	n--;
	if (n > v->size || n > (size_t)(r->end - r->p) ||
		(v->space != W_global && v->space != W_const)) {
		object_fail(r, "an initial value in it is larger than its variable");
		return;
	}
	v->data = r->data_v.count;
	v->ndata = n;
	vec_reserve(&r->data_v, n);
	if (n)
		memcpy(r->data_v.data + r->data_v.count, r->p, n);
	r->data_v.count += n;
	r->p += n;
	read_relocs(r, v);
}

static void read_dims(struct object_reader *r, struct ir_var *v)
{
	uint64_t bytes = (uint64_t)type_bytes((enum type)v->type) * (v->vector ? v->vector : 1u),
		 most = UINT64_C(1) << 48;

	v->dims = r->dim_v.count;
	v->ndims = object_below(r, 33, "an array in it has too many dimensions");
	for (uint32_t i = 0; i < v->ndims && !r->why; i++) {
		uint64_t n = object_get(r);

		if (n && bytes > most / n)
			object_fail(r, "a variable in it is larger than the address space");
		bytes *= n;
		*vec_push(&r->dim_v) = n;
	}
	v->size = bytes;
}

static void read_variable(struct object_reader *r, uint32_t func)
{
	struct ir_var v = {.name = get_name(r), .func = func, .data = IR_NONE};
	uint32_t flags;

	v.space = (uint16_t)object_below(r, WORD_COUNT, "a state space in it does not exist");
	v.type = (uint8_t)object_below(r, TYPE_COUNT, "a type in it does not exist");
	v.vector = (uint8_t)object_below(r, 9, "a vector in it is too wide");
	v.linkage = (uint8_t)object_below(r, 16, "a linkage in it does not exist");
	flags = object_below(r, 8, "a variable in it is malformed");
	v.ptr_space_known = flags & 1;
	v.managed = flags >> 1 & 1;
	v.unified = flags >> 2 & 1;
	if (v.ptr_space_known) {
		v.ptr_space = (uint16_t)object_below(
			r, WORD_COUNT, "a state space in it does not exist");
		v.ptr_align = get_u32(r);
	}
	if (v.unified) {
		v.unified_id = r->dim_v.count;
		*vec_push(&r->dim_v) = object_get(r);
		*vec_push(&r->dim_v) = object_get(r);
	}
	v.align = get_u32(r);
	if (!v.type || !v.align || v.align > 1u << 30 || v.align & (v.align - 1) ||
		(v.vector != 0 && v.vector != 2 && v.vector != 4 && v.vector != 8) ||
		!space_allowed((enum word)v.space, func == IR_NONE))
		object_fail(r, "a variable in it is malformed");
	read_dims(r, &v);
	if (v.space == W_reg)
		v.offset = get_u32(r);
	read_data(r, &v);
	*vec_push(&r->var_v) = v;
}

static uint32_t read_variables(struct object_reader *r, uint32_t func, uint32_t *first)
{
	uint32_t n = object_count(r);

	*first = n ? r->var_v.count : 0;
	for (uint32_t i = 0; i < n && !r->why; i++)
		read_variable(r, func);
	return n;
}

static void read_three(struct object_reader *r, uint32_t *v)
{
	for (unsigned i = 0; i < 3; i++)
		v[i] = get_u32(r);
}

static void read_registers(struct object_reader *r, struct ir_func *f)
{
	f->reg = r->reg_v.count;
	f->nregs = object_count(r);
	for (uint32_t i = 0; i < f->nregs && !r->why; i++) {
		uint32_t name = get_name(r),
			 type = object_below(
				 r, (uint64_t)TYPE_COUNT << 3, "a register in it has no type"),
			 vector = type & 7;

		if (type < 8 || (vector != 0 && vector != 2 && vector != 4))
			object_fail(r, "a register in it has no type");
		*vec_push(&r->reg_v) = (struct ir_register){
			name, (uint8_t)(type >> 3), (uint8_t)vector};
	}
}

static void read_labels(struct object_reader *r, struct ir_func *f)
{
	uint64_t insn = 0;

	f->label = r->label_v.count;
	f->nlabels = object_count(r);
	for (uint32_t i = 0; i < f->nlabels && !r->why; i++) {
		uint32_t name = get_name(r);

		insn += get_u32(r);
		*vec_push(&r->label_v) = (struct ir_label){
			.name = name, .insn = (uint32_t)(insn < IR_NONE ? insn : IR_NONE)};
	}
	f->ninsns = object_count(r);
	if (insn > f->ninsns)
		object_fail(r, "a label in it is past the end of its function");
}

static void read_locs(struct object_reader *r, struct ir_func *f)
{
	uint32_t insn = 0, line = 0, at_line = 0;

	f->loc = r->loc_v.count;
	f->nlocs = object_count(r);
	for (uint32_t i = 0; i < f->nlocs && !r->why; i++) {
		struct ir_loc l = {.insn = insn += object_below(r, f->ninsns - insn + UINT64_C(1),
					   "a location in it is past the end of its function")};

		l.file = get_u32(r);
		l.line = line += (uint32_t)object_unzigzag(object_get(r));
		l.column = get_u32(r);
		l.function_name = get_name(r);
		if (l.function_name) {
			l.function_offset = get_u32(r);
			l.at_file = get_u32(r);
			l.at_line = at_line += (uint32_t)object_unzigzag(object_get(r));
			l.at_column = get_u32(r);
		}
		*vec_push(&r->loc_v) = l;
	}
}

/* Checks that .reg results and parameters refer to registers of the function. */
static void check_formals(struct object_reader *r, const struct ir_func *f)
{
	for (uint32_t i = 0; i < f->nrets + f->nparams && !r->why; i++) {
		const struct ir_var *v =
			&r->var_v.data[i < f->nrets ? f->ret + i : f->param + i - f->nrets];

		if (v->space == W_reg && f->has_body &&
			(v->offset >= f->nregs ||
				r->reg_v.data[f->reg + v->offset].type != v->type ||
				r->reg_v.data[f->reg + v->offset].vector != v->vector))
			object_fail(r, "a parameter in it is not a register of its function");
		if ((v->space != W_reg && v->space != W_param) ||
			(f->is_entry && v->space == W_reg) || (v->space == W_reg && v->ndims))
			object_fail(r, "a parameter in it is in the wrong state space");
	}
}

static void read_function(struct object_reader *r, uint32_t index)
{
	struct ir_func *f = &r->m->func[index];
	uint32_t flags, alias;

	f->name = get_name(r);
	flags = object_below(r, 64, "a function in it is malformed");
	f->is_entry = flags & 1;
	f->has_body = flags >> 1 & 1;
	f->noreturn = flags >> 2 & 1;
	f->explicitcluster = flags >> 3 & 1;
	f->blocksareclusters = flags >> 4 & 1;
	f->declared = flags >> 5 & 1;
	f->linkage = (uint8_t)object_below(r, 16, "a linkage in it does not exist");
	alias = object_below(r, (uint64_t)r->m->nfuncs + 1, "an alias in it has no target");
	f->alias_of = alias - 1;
	read_three(r, f->reqntid);
	read_three(r, f->maxntid);
	read_three(r, f->reqnctapercluster);
	f->maxnreg = get_u32(r);
	f->minnctapersm = get_u32(r);
	f->maxclusterrank = get_u32(r);
	f->abi_preserve = get_u32(r);
	f->abi_preserve_control = get_u32(r);
	f->minperctamemory = get_u32(r);
	f->nrets = read_variables(r, index, &f->ret);
	f->nparams = read_variables(r, index, &f->param);
	f->nvars = read_variables(r, index, &f->var);
	for (uint32_t i = 0; i < f->nvars && !r->why; i++)
		if (r->var_v.data[f->var + i].space == W_reg)
			object_fail(r, "a variable in it is in the wrong state space");
	read_registers(r, f);
	read_labels(r, f);
	read_locs(r, f);
	if (!r->why)
		check_formals(r, f);
	if (!f->has_body && (f->ninsns || f->nlocs))
		object_fail(r, "a function in it has instructions but no body");
}

static void read_table(struct object_reader *r, uint32_t func)
{
	struct ir_table t = {
		.kind = (uint8_t)object_below(r, 3, "a table in it is malformed"), .func = func};

	t.name = get_name(r);
	t.noreturn = get_flag(r);
	t.insn = object_below(
		r, r->m->func[func].ninsns + UINT64_C(1), "a table in it belongs to no function");
	if (!r->why && r->table_v.count && r->table_v.data[r->table_v.count - 1].func == func &&
		r->table_v.data[r->table_v.count - 1].insn > t.insn)
		object_fail(r, "its tables are not in order");
	if (t.kind == IR_PROTOTYPE) {
		t.nrets = read_variables(r, func, &t.ret);
		t.nparams = read_variables(r, func, &t.param);
	} else {
		t.ntargets = object_count(r);
		t.target = r->operand_v.count;
		for (uint32_t i = 0; i < t.ntargets && !r->why; i++) {
			bool calls = t.kind == IR_CALL_TARGETS;
			const struct ir_func *f = &r->m->func[func];
			uint32_t n = object_below(r, calls ? r->m->nfuncs : f->nlabels,
				"a table in it has no target");

			if (r->why)
				break;
			*vec_push(&r->operand_v) = calls
				? (struct ir_operand){.kind = IR_FUNC, .index = n}
				: (struct ir_operand){.kind = IR_LABEL,
					  .index = r->label_v.data[f->label + n].insn,
					  .more = n};
		}
	}
	*vec_push(&r->table_v) = t;
}

/* Checks that need the whole module: references between variables, functions and tables. */
static void check_references(struct object_reader *r)
{
	const struct ir_module *m = r->m;

	for (uint32_t i = 0; i < r->reloc_v.count && !r->why; i++) {
		const struct ir_reloc *rel = &r->reloc_v.data[i];

		if (rel->index >= (rel->is_func ? m->nfuncs : r->var_v.count))
			object_fail(r, "an address in it has no variable or function");
		else if (!rel->is_func && r->var_v.data[rel->index].space != W_global &&
			r->var_v.data[rel->index].space != W_const)
			object_fail(r, "an address in it is not known before the program runs");
	}
	for (uint32_t i = 0; i < r->table_v.count && !r->why; i++)
		for (uint32_t k = 0; k < r->table_v.data[i].ntargets &&
			r->table_v.data[i].kind == IR_CALL_TARGETS;
			k++)
			if (m->func[r->operand_v.data[r->table_v.data[i].target + k].index]
					.is_entry)
				object_fail(r, "a table in it leads to a kernel");
	for (uint32_t i = 0; i < r->pragma_v.count && !r->why; i++) {
		const struct ir_pragma *p = &r->pragma_v.data[i];

		if (p->func != IR_NONE &&
			(p->func >= m->nfuncs ||
				(p->insn != IR_NONE && p->insn > m->func[p->func].ninsns)))
			object_fail(r, "a pragma in it belongs to no instruction");
	}
	for (uint32_t i = 0; i < m->nfuncs && !r->why; i++) {
		uint32_t a = m->func[i].alias_of;

		if (a != IR_NONE &&
			(m->func[i].has_body || !m->func[a].has_body || m->func[i].is_entry ||
				m->func[a].is_entry || m->func[i].nparams != m->func[a].nparams ||
				m->func[i].nrets != m->func[a].nrets))
			object_fail(r, "an alias in it is impossible");
	}
}

void object_read_declarations(struct object_reader *r)
{
	struct ir_module *m = r->m;
	const uint8_t *end;
	uint64_t len = object_get(r);
	uint32_t first;

	if (len > (uint64_t)(r->end - r->p))
		object_fail(r, "its declarations are longer than the file");
	end = r->p + (r->why ? 0 : len);
	m->target.ptx = (uint16_t)object_below(r, 1000, "its PTX version does not exist");
	m->target.sm = (uint16_t)object_below(r, 1000, "its target does not exist");
	m->target.suffix = (char)object_below(r, 128, "its target does not exist");
	m->target.address_size = (uint8_t)object_below(r, 65, "its addresses have the wrong size");
	if (m->target.address_size != 64 ||
		(m->target.suffix && m->target.suffix != 'a' && m->target.suffix != 'f'))
		object_fail(r, "its target does not exist");
	first = object_below(r, 4, "its options do not exist");
	m->texmode_independent = first & 1;
	m->debug = first >> 1 & 1;
	read_files(r);
	read_pragmas(r);
	m->nfuncs = object_count(r);
	m->func = memory_zeroed(m->nfuncs + 1u, sizeof *m->func);
	read_variables(r, IR_NONE, &first);
	for (uint32_t i = 0; i < m->nfuncs && !r->why; i++) {
		read_function(r, i);
		for (uint32_t n = object_count(r); n && !r->why; n--)
			read_table(r, i);
	}
	if (!r->why)
		check_references(r);
	if (!r->why && r->p != end)
		object_fail(r, "its declarations do not have the declared length");
}
