/* Completes an assembly: orders functions and variables, updates references, and moves the arrays
 * to the module. */
#include "assembler/internal.h"
#include "base/memory.h"
#include "ir/origins.h"
#include <stdlib.h>
#include <string.h>

struct order {
	uint32_t *func, *var; /* new index of each */
};

static void order_functions(struct assembler *as, uint32_t *new)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < as->reloc_v.count; i++)
		if (as->reloc_v.data[i].is_func)
			as->func_v.data[as->reloc_v.data[i].index].declared = 1;
	for (unsigned kind = 0; kind < 4; kind++)
		for (uint32_t i = 0; i < as->func_v.count; i++)
			if (as->func_v.data[i].is_entry * 2u + !as->func_v.data[i].declared == kind)
				new[i] = n++;
}

/* Order: module variables, then for each function its signature, local variables and prototypes;
 * otherwise the order of creation. */
static void order_variables(struct assembler *as, const uint32_t *func, uint32_t *new)
{
	uint32_t keys = as->func_v.count * 3 + 1, n = 0;
	uint32_t *start = memory_zeroed(keys + 1u, sizeof *start);

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < as->var_v.count; i++) {
			uint32_t owner = as->var_v.data[i].func,
				 key = owner == IR_NONE ? 0 : func[owner] * 3 + as->group_v.data[i];

			if (pass)
				new[i] = start[key]++;
			else
				start[key + 1]++;
		}
		for (uint32_t k = 0; !pass && k <= keys; k++)
			n = start[k] += n;
	}
	memory_drop(start);
}

static bool is_identity(const uint32_t *map, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (map[i] != i)
			return false;
	return true;
}

#define SWAP(type, a, b) \
	do { \
		type swapped = (a); \
		(a) = (b); \
		(b) = swapped; \
	} while (0)

/* Moves functions and variables to their places, which it then forgets: another copy of the arrays
 * would be new memory, which costs more than the moves. */
static void move_both(struct assembler *as, struct order *o)
{
	for (uint32_t i = 0; i < as->func_v.count; i++)
		for (uint32_t k; (k = o->func[i]) != i;) {
			SWAP(struct ir_func, as->func_v.data[i], as->func_v.data[k]);
			SWAP(uint32_t, o->func[i], o->func[k]);
		}
	for (uint32_t i = 0; i < as->var_v.count; i++)
		for (uint32_t k; (k = o->var[i]) != i;) {
			SWAP(struct ir_var, as->var_v.data[i], as->var_v.data[k]);
			SWAP(uint8_t, as->group_v.data[i], as->group_v.data[k]);
			SWAP(uint32_t, o->var[i], o->var[k]);
		}
}

static void move_references(struct assembler *as, const struct order *o)
{
	for (uint32_t i = 0; i < as->func_v.count; i++) {
		struct ir_func *f = &as->func_v.data[i];

		if (f->alias_of != IR_NONE)
			f->alias_of = o->func[f->alias_of];
		f->ret = f->nrets ? o->var[f->ret] : 0;
		f->param = f->nparams ? o->var[f->param] : 0;
	}
	for (uint32_t i = 0; i < as->var_v.count; i++) {
		struct ir_var *v = &as->var_v.data[i];

		if (v->func != IR_NONE)
			v->func = o->func[v->func];
	}
	for (uint32_t i = 0; i < as->operand_v.count; i++) {
		struct ir_operand *op = &as->operand_v.data[i];

		if (op->kind == IR_VAR || (op->kind == IR_ADDR && op->aux == IR_BASE_VAR))
			op->index = o->var[op->index];
		else if (op->kind == IR_FUNC)
			op->index = o->func[op->index];
	}
	for (uint32_t i = 0; i < as->reloc_v.count; i++)
		as->reloc_v.data[i].index =
			(as->reloc_v.data[i].is_func ? o->func : o->var)[as->reloc_v.data[i].index];
	for (uint32_t i = 0; i < as->table_v.count; i++) {
		struct ir_table *t = &as->table_v.data[i];

		t->func = o->func[t->func];
		t->ret = t->nrets ? o->var[t->ret] : 0;
		t->param = t->nparams ? o->var[t->param] : 0;
	}
	for (uint32_t i = 0; i < as->pragma_v.count; i++)
		if (as->pragma_v.data[i].func != IR_NONE)
			as->pragma_v.data[i].func = o->func[as->pragma_v.data[i].func];
}

/* Sorts tables by function. */
static void move_tables(struct assembler *as)
{
	uint32_t n = as->table_v.count,
		 *start = memory_zeroed(as->func_v.count + 2u, sizeof *start),
		 *new = memory_zeroed(n + 1u, sizeof *new);
	struct ir_table *to = memory_zeroed(n + 1u, sizeof *to);

	for (uint32_t i = 0; i < n; i++)
		start[as->table_v.data[i].func + 1]++;
	for (uint32_t i = 0; i < as->func_v.count; i++)
		start[i + 1] += start[i];
	for (uint32_t i = 0; i < n; i++) {
		new[i] = start[as->table_v.data[i].func]++;
		to[new[i]] = as->table_v.data[i];
	}
	for (uint32_t i = 0; i < as->operand_v.count; i++)
		if (as->operand_v.data[i].kind == IR_TABLE)
			as->operand_v.data[i].index = new[as->operand_v.data[i].index];
	memory_drop(as->table_v.data);
	as->table_v.data = to;
	memory_drop(start);
	memory_drop(new);
}

/* Sets f->var and f->nvars: a function's local variables are contiguous now. */
static void find_locals(struct assembler *as)
{
	for (uint32_t i = 0; i < as->var_v.count; i++) {
		struct ir_func *f;

		if (as->group_v.data[i] != GROUP_LOCAL)
			continue;
		f = &as->func_v.data[as->var_v.data[i].func];
		if (!f->nvars++)
			f->var = i;
	}
}

static void reorder_module(struct assembler *as)
{
	struct order o = {memory_zeroed(as->func_v.count + 1u, sizeof *o.func),
		memory_zeroed(as->var_v.count + 1u, sizeof *o.var)};

	order_functions(as, o.func);
	order_variables(as, o.func, o.var);
	if (!is_identity(o.func, as->func_v.count) || !is_identity(o.var, as->var_v.count)) {
		move_references(as, &o);
		move_both(as, &o);
	}
	if (as->table_v.count)
		move_tables(as);
	find_locals(as);
	memory_drop(o.func);
	memory_drop(o.var);
}

enum { CONST_BYTES = 64 << 10, SHARED_BYTES = 48 << 10 };

/* Bytes of the module-scope .shared variables that function F names, laid out in order and
 * aligned. */
static uint64_t shared_named(const struct ir_module *m, const struct ir_func *f, uint8_t *named)
{
	uint64_t bytes = 0;

	memset(named, 0, m->nvars);
	for (uint32_t i = 0; i < f->ninsns; i++) {
		const struct ir_insn *in = &m->insn[f->insn + i];

		for (unsigned k = 0; k < in->noperands; k++) {
			const struct ir_operand *o = &m->operand[in->operand + k];

			if ((o->kind == IR_VAR || (o->kind == IR_ADDR && o->aux == IR_BASE_VAR)) &&
				m->var[o->index].space == W_shared &&
				m->var[o->index].func == IR_NONE)
				named[o->index] = 1;
		}
	}
	for (uint32_t i = 0; i < m->nvars; i++)
		if (named[i])
			bytes = ((bytes + m->var[i].align - 1) & ~(uint64_t)(m->var[i].align - 1)) +
				m->var[i].size;
	return bytes;
}

/* The limits of static memory: 64 KiB for all .const variables, and 48 KiB for the .shared
 * variables of a kernel (more is possible only as dynamic shared memory). */
static void check_sizes(struct assembler *as)
{
	const struct ir_module *m = as->m;
	uint64_t bytes = 0, least = m->shared_bytes;
	uint8_t *named = NULL;

	for (uint32_t i = 0; i < m->nvars; i++)
		if (m->var[i].space == W_const)
			bytes = ((bytes + m->var[i].align - 1) & ~(uint64_t)(m->var[i].align - 1)) +
				m->var[i].size;
	if (bytes > CONST_BYTES)
		REPORT(as, E0434, as->ast_end,
			"the module's .const variables take %llu bytes; the maximum is %u",
			(unsigned long long)bytes, CONST_BYTES);
	for (uint32_t i = 0; i < m->nfuncs; i++) {
		const struct ir_func *f = &m->func[i];

		if (!f->is_entry || f->shared_bytes + least <= SHARED_BYTES)
			continue;
		if (!named)
			named = memory_zeroed(m->nvars + 1u, 1);
		bytes = shared_named(m, f, named) + f->shared_bytes;
		if (bytes > SHARED_BYTES)
			diag_help(as->diags,
				REPORT(as, E0434, f->span,
					"the .shared variables of kernel '%s' take %llu bytes; the maximum is %u",
					symbol_shown(&m->symbols, m->func[i].name),
					(unsigned long long)bytes, SHARED_BYTES),
				"declare .extern .shared .align 16 .b8 name[]; and specify the size at the launch");
	}
	memory_drop(named);
}

/* Moves an array to the module. No array is NULL, even when empty. */
#define HAND_OVER(array, number, vec) \
	(vec_reserve(&as->vec, 1), \
		m->array = memory_resize( \
			as->vec.data, (as->vec.count + 1u) * sizeof *as->vec.data), \
		m->number = as->vec.count, as->vec.data = NULL, as->vec.count = 0)

static void hand_over_arrays(struct assembler *as)
{
	struct ir_module *m = as->m;

	HAND_OVER(func, nfuncs, func_v);
#define ARRAY(array, number, type) HAND_OVER(array, number, array##_v);
#include "ir/array.def"
}

void module_reject(struct assembler *as)
{
	struct ir_loc_text ends;

	while (as->func_end.count < as->func_v.count)
		*vec_push(&as->func_end) = 0;
	ends = (struct ir_loc_text){as->loc_end.data, as->func_end.data};
	hand_over_arrays(as);
	ir_origins(as->m, &ends);
}

void module_finish(struct assembler *as)
{
	struct ir_module *m = as->m;
	uint32_t func;

	reorder_module(as);
	hand_over_arrays(as);
	ir_origins(m, NULL);
	if (ir_layout(m, &func)) {
		check_sizes(as);
		return;
	}
	if (func == IR_NONE)
		REPORT(as, E0434, as->ast_end,
			"the module's .shared variables take more than 4 GiB");
	else
		REPORT(as, E0434, m->func[func].span, "the variables of '%s' take more than 4 GiB",
			symbol_shown(&m->symbols, m->func[func].name));
}
