/* Linking: which definition a name denotes, and the rules that definitions and declarations of one
 * name must meet. What is rejected is what the vendor's linker rejects. */
#include "ir/link.h"
#include "base/memory.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/append.h"
#include <string.h>

struct ir_module *ir_joined(struct arena *a, const char *name)
{
	struct ir_module *m = memory_zeroed(1, sizeof *m);

	m->source = source_joined(a, name);
	return m;
}

/* What a name denotes in one part, from the weakest to the strongest. */
enum strength { DECLARED, COMMON, WEAK, STRONG };

/* A function or variable with linkage. */
struct entity {
	uint32_t part, index;
	bool is_func;
	enum strength strength;
	uint32_t align; /* of a variable: the largest of all that are merged */
	bool missing;   /* that nothing defines it has been reported */
};

struct part {
	const struct ir_module *m;
	uint32_t *symbol; /* [symbols.count] the same name in the joined module */
	struct ir_renumbering by;
	uint32_t at; /* in the joined source */
};

struct linker {
	const struct ir_linking *what;
	struct ir_module *to;
	struct part *part;
	struct map known; /* symbol of the joined module -> entity */
	VEC(struct entity) entity;
	bool failed;
};

static const struct ir_func *func_of(const struct linker *l, const struct entity *e)
{
	return &l->part[e->part].m->func[e->index];
}

static const struct ir_var *var_of(const struct linker *l, const struct entity *e)
{
	return &l->part[e->part].m->var[e->index];
}

static struct span span_of(const struct linker *l, const struct entity *e)
{
	return e->is_func ? func_of(l, e)->span : var_of(l, e)->span;
}

static const char *name_of(const struct linker *l, const struct entity *e)
{
	return symbol_shown(&l->part[e->part].m->symbols,
		e->is_func ? func_of(l, e)->name : var_of(l, e)->name);
}

/* --- rules --- */

/* E cannot be what FIRST is, for the reason WHY. */
static void disagree(struct linker *l, enum diag_code code, const struct entity *e,
	const struct entity *first, const char *why)
{
	struct diags *d = l->what->diags;
	struct diag *r = diag_report(
		d, code, l->part[e->part].m->source, span_of(l, e), "'%s' %s", name_of(l, e), why);

	diag_label(d, r, l->part[first->part].m->source, span_of(l, first), "%s",
		first->strength == DECLARED ? "declared here" : "defined here");
	l->failed = true;
}

static bool is_float(const struct ir_var *v) { return type_info[v->type].class == CLASS_FLOAT; }

/* Whether callers and the function agree about parameter or result A and B. */
static bool passes_alike(const struct ir_var *a, const struct ir_var *b)
{
	return is_float(a) == is_float(b) && !a->ndims == !b->ndims && a->size == b->size &&
		type_bytes((enum type)a->type) == type_bytes((enum type)b->type);
}

static bool same_prototype(const struct linker *l, const struct entity *a, const struct entity *b)
{
	const struct ir_func *f = func_of(l, a), *g = func_of(l, b);
	const struct ir_var *v = l->part[a->part].m->var, *w = l->part[b->part].m->var;

	if (f->nparams != g->nparams || f->nrets != g->nrets)
		return false;
	for (uint32_t k = 0; k < f->nparams; k++)
		if (!passes_alike(&v[f->param + k], &w[g->param + k]))
			return false;
	for (uint32_t k = 0; k < f->nrets; k++)
		if (!passes_alike(&v[f->ret + k], &w[g->ret + k]))
			return false;
	return true;
}

/* Why E does not fit FIRST, which has the same name; NULL: it does. */
static const char *misfit(
	const struct linker *l, const struct entity *e, const struct entity *first)
{
	const struct ir_var *v, *w;

	if (e->is_func != first->is_func)
		return "is a function in one module and a variable in another";
	if (e->is_func && func_of(l, e)->is_entry != func_of(l, first)->is_entry)
		return "is a kernel in one module and a .func in another";
	if (e->is_func)
		return same_prototype(l, e, first)
			? NULL
			: "has other parameters or results in another module";
	v = var_of(l, e);
	w = var_of(l, first);
	if (v->space != w->space)
		return "is in another state space in another module";
	if (e->strength == COMMON && first->strength == COMMON)
		return NULL;
	if ((e->strength == COMMON && first->strength > COMMON && v->size > w->size) ||
		(first->strength == COMMON && e->strength > COMMON && w->size > v->size))
		return "is .common in one module, with more bytes than its definition in another";
	if (e->strength == COMMON || first->strength == COMMON || v->size == w->size ||
		(e->strength == DECLARED && !v->size) || (first->strength == DECLARED && !w->size))
		return NULL;
	return "has another size in another module";
}

/* --- which definition --- */

static enum strength strength_of(unsigned linkage, bool defined)
{
	if (!defined)
		return DECLARED;
	return linkage & IR_COMMON ? COMMON : linkage & IR_WEAK ? WEAK : STRONG;
}

/* Whether the definition E is to be taken rather than FIRST. */
static bool prevails(const struct linker *l, const struct entity *e, const struct entity *first)
{
	if (e->strength == first->strength && !e->is_func &&
		(e->strength == COMMON || e->strength == DECLARED))
		return var_of(l, e)->size > var_of(l, first)->size;
	return e->strength > first->strength;
}

static void add_entity(struct linker *l, uint32_t symbol, struct entity e)
{
	uint32_t at = map_get(&l->known, symbol, IR_NONE);
	struct entity *first;
	const char *why;

	if (at == IR_NONE) {
		map_add(&l->known, symbol, l->entity.count);
		*vec_push(&l->entity) = e;
		return;
	}
	first = &l->entity.data[at];
	why = misfit(l, &e, first);
	if (e.strength == STRONG && first->strength == STRONG)
		disagree(l, DIAG_E0461, &e, first, "is defined in more than one module");
	else if (why)
		disagree(l, DIAG_E0462, &e, first, why);
	e.align = first->align = e.align > first->align ? e.align : first->align;
	if (prevails(l, &e, first))
		*first = e;
}

/* Whether each module has a V of its own in spite of its linkage: an array of dynamic shared
 * memory, which is the same for all. */
static bool is_dynamic(const struct ir_var *v)
{
	return (v->linkage & IR_EXTERN) && !v->size &&
		(v->space == W_shared || v->space == W_shared__cta);
}

static bool is_linked_func(const struct ir_func *f) { return f->linkage != IR_LOCAL_LINKAGE; }

static bool is_linked_var(const struct ir_var *v)
{
	return v->func == IR_NONE && v->linkage != IR_LOCAL_LINKAGE && !is_dynamic(v);
}

static void find_entities(struct linker *l, uint32_t p)
{
	const struct part *part = &l->part[p];
	const struct ir_module *m = part->m;

	for (uint32_t k = 0; k < m->nfuncs; k++) {
		const struct ir_func *f = &m->func[k];

		if (is_linked_func(f))
			add_entity(l, part->symbol[f->name],
				(struct entity){.part = p,
					.index = k,
					.is_func = true,
					.strength = strength_of(f->linkage,
						f->has_body || f->alias_of != IR_NONE)});
	}
	for (uint32_t k = 0; k < m->nvars; k++) {
		const struct ir_var *v = &m->var[k];

		if (is_linked_var(v))
			add_entity(l, part->symbol[v->name],
				(struct entity){.part = p,
					.index = k,
					.strength = strength_of(
						v->linkage, !(v->linkage & IR_EXTERN)),
					.align = v->align});
	}
}

static struct entity *entity_of(const struct linker *l, uint32_t p, uint32_t name)
{
	return &l->entity.data[map_get(&l->known, l->part[p].symbol[name], 0)];
}

/* --- names without a definition --- */

static void report_missing(struct linker *l, uint32_t p, struct entity *e, struct span at)
{
	struct diags *d = l->what->diags;
	struct diag *r;

	if (e->missing)
		return;
	e->missing = l->failed = true;
	r = diag_report(d, DIAG_E0460, l->part[p].m->source, at,
		"%s '%s' is defined in none of the modules that are linked",
		e->is_func ? "function" : "variable", name_of(l, e));
	if (e->is_func)
		diag_label(d, r, l->part[e->part].m->source, span_of(l, e), "declared here");
}

static void check_function(struct linker *l, uint32_t p, uint32_t func, struct span at)
{
	const struct ir_module *m = l->part[p].m;
	const struct ir_func *f = &m->func[func];
	struct entity *e = is_linked_func(f) ? entity_of(l, p, f->name) : NULL;

	if (e && e->strength == DECLARED && !l->what->provided(symbol_text(&m->symbols, f->name)))
		report_missing(l, p, e, at);
}

/* Functions must be defined if an instruction or initial value names them, variables always. */
static void find_missing(struct linker *l, uint32_t p)
{
	const struct ir_module *m = l->part[p].m;

	for (uint32_t k = 0; k < m->ninsns; k++)
		for (unsigned j = 0; j < m->insn[k].noperands; j++) {
			const struct ir_operand *o = &m->operand[m->insn[k].operand + j];

			if (o->kind == IR_FUNC)
				check_function(l, p, o->index, m->insn[k].span);
		}
	for (uint32_t k = 0; k < m->ntables; k++)
		for (uint32_t j = 0;
			m->table[k].kind == IR_CALL_TARGETS && j < m->table[k].ntargets; j++)
			check_function(
				l, p, m->operand[m->table[k].target + j].index, m->table[k].span);
	for (uint32_t k = 0; k < m->nvars; k++) {
		const struct ir_var *v = &m->var[k];

		for (uint32_t j = 0; j < v->nrelocs; j++)
			if (m->reloc[v->reloc + j].is_func)
				check_function(l, p, m->reloc[v->reloc + j].index, v->span);
		if (is_linked_var(v) && entity_of(l, p, v->name)->strength == DECLARED)
			report_missing(l, p, entity_of(l, p, v->name), v->span);
	}
}

/* --- numbers in the joined module --- */

static void choose_copied(struct linker *l, uint32_t p)
{
	struct part *part = &l->part[p];
	const struct ir_module *m = part->m;
	struct ir_renumbering *by = &part->by;

	for (uint32_t k = 0; k < m->nfuncs; k++) {
		const struct entity *e = is_linked_func(&m->func[k])
			? entity_of(l, p, m->func[k].name)
			: NULL;

		by->has_func[k] = !e || e->strength == DECLARED || (e->part == p && e->index == k);
	}
	for (uint32_t k = 0; k < m->nvars; k++) {
		const struct ir_var *v = &m->var[k];
		const struct entity *e = is_linked_var(v) ? entity_of(l, p, v->name) : NULL;

		by->has_var[k] = v->func != IR_NONE
			? by->has_func[v->func]
			: !e || e->strength == DECLARED || (e->part == p && e->index == k);
	}
}

/* First what is copied, then what another part's definition stands for. */
static void number_all(struct linker *l)
{
	uint32_t func = l->to->nfuncs, var = l->to->nvars;

	for (uint32_t p = 0; p < l->what->n; p++) {
		const struct part *part = &l->part[p];

		for (uint32_t k = 0; k < part->m->nfuncs; k++)
			part->by.func[k] = part->by.has_func[k] ? func++ : 0;
		for (uint32_t k = 0; k < part->m->nvars; k++)
			part->by.var[k] = part->by.has_var[k] ? var++ : 0;
	}
	for (uint32_t p = 0; p < l->what->n; p++) {
		const struct part *part = &l->part[p];
		const struct entity *e;

		for (uint32_t k = 0; k < part->m->nfuncs; k++)
			if (!part->by.has_func[k]) {
				e = entity_of(l, p, part->m->func[k].name);
				part->by.func[k] = l->part[e->part].by.func[e->index];
			}
		for (uint32_t k = 0; k < part->m->nvars; k++)
			if (!part->by.has_var[k] && part->m->var[k].func == IR_NONE) {
				e = entity_of(l, p, part->m->var[k].name);
				part->by.var[k] = l->part[e->part].by.var[e->index];
			}
	}
}

static bool append_all(struct linker *l)
{
	struct ir_module *to = l->to;
	uint32_t scope = to->nunits ? to->unit[to->nunits - 1].scope + 1 : 0;

	to->unit = ir_room(to->unit, to->nunits, l->what->n, sizeof *to->unit);
	for (uint32_t p = 0; p < l->what->n; p++)
		if (!source_join(to->source, l->part[p].m->source, &l->part[p].at)) {
			diag_plain(l->what->diags, DIAG_F0111,
				"the texts of all modules together have more than 4 GiB");
			return false;
		}
	for (uint32_t p = 0; p < l->what->n; p++) {
		const struct part *part = &l->part[p];
		struct ir_unit *u = &to->unit[to->nunits];

		*u = (struct ir_unit){.target = part->m->target,
			.func = to->nfuncs,
			.var = to->nvars,
			.scope = scope,
			.ninsns = to->ninsns,
			.noperands = to->noperands,
			.nregs = to->nregs,
			.nlabels = to->nlabels,
			.ntables = to->ntables,
			.nrelocs = to->nrelocs,
			.nwords = to->nwords,
			.ndata = to->ndata,
			.ndims = to->ndims};
		ir_append(to, part->m, &part->by, part->at);
		u->nfuncs = to->nfuncs - u->func;
		u->nvars = to->nvars - u->var;
		to->nunits++;
	}
	for (uint32_t k = 0; k < l->entity.count; k++) {
		const struct entity *e = &l->entity.data[k];

		if (!e->is_func)
			to->var[l->part[e->part].by.var[e->index]].align = e->align;
	}
	return true;
}

void ir_unlink(struct ir_module *m, uint32_t scopes)
{
	while (m->nunits && m->unit[m->nunits - 1].scope >= scopes) {
		const struct ir_unit *u = &m->unit[--m->nunits];

		m->nfuncs = u->func;
		m->nvars = u->var;
		m->ninsns = u->ninsns;
		m->noperands = u->noperands;
		m->nregs = u->nregs;
		m->nlabels = u->nlabels;
		m->ntables = u->ntables;
		m->nrelocs = u->nrelocs;
		m->nwords = u->nwords;
		m->ndata = u->ndata;
		m->ndims = u->ndims;
	}
}

static void open_part(struct linker *l, uint32_t p)
{
	struct part *part = &l->part[p];
	const struct ir_module *m = l->what->part[p];

	part->m = m;
	part->symbol = memory_zeroed(m->symbols.count + 1, sizeof *part->symbol);
	for (uint32_t k = 1; k < m->symbols.count; k++)
		part->symbol[k] = symbol_intern(
			&l->to->symbols, m->symbols.entry[k].text, m->symbols.entry[k].len);
	part->by = (struct ir_renumbering){
		.symbol = part->symbol,
		.func = memory_zeroed(m->nfuncs + 1, sizeof *part->by.func),
		.var = memory_zeroed(m->nvars + 1, sizeof *part->by.var),
		.has_func = memory_zeroed(m->nfuncs + 1, 1),
		.has_var = memory_zeroed(m->nvars + 1, 1),
	};
}

static void close_part(struct part *part)
{
	memory_drop(part->symbol);
	memory_drop(part->by.func);
	memory_drop(part->by.var);
	memory_drop(part->by.has_func);
	memory_drop(part->by.has_var);
}

bool ir_link(struct ir_module *to, const struct ir_linking *what)
{
	struct linker l = {
		.what = what, .to = to, .part = memory_zeroed(what->n + 1, sizeof(struct part))};

	for (uint32_t p = 0; p < what->n; p++)
		open_part(&l, p);
	for (uint32_t p = 0; p < what->n; p++)
		find_entities(&l, p);
	for (uint32_t p = 0; p < what->n && what->provided && !l.failed; p++)
		find_missing(&l, p);
	if (!l.failed) {
		for (uint32_t p = 0; p < what->n; p++)
			choose_copied(&l, p);
		number_all(&l);
		l.failed = !append_all(&l);
	}
	for (uint32_t p = 0; p < what->n; p++)
		close_part(&l.part[p]);
	memory_drop(l.part);
	map_free(&l.known);
	vec_free(&l.entity);
	return !l.failed;
}
