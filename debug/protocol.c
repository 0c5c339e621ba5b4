/* What a stopped program looks like, in lines for dap.c: threads, calls, variables with the number
 * of their children, instructions. Fields are separated by tabs. */
#include "debug/protocol.h"
#include "debug/names.h"
#include "debug/values.h"
#include "interp/state/where.h"
#include "script/lang/scalar.h"
#include <stdio.h>
#include <string.h>

enum { MOST_VARIABLES = 1024, MOST_CHILDREN = 4096, FEW = 16 /* elements in one line */ };

static const struct ir_module *module_of(const struct engine *e) { return e->s->request->module; }

/* --- threads, calls, stops --- */

static void show_threads(struct engine *e)
{
	for (uint32_t i = 0; i < e->ctas.count && i < 1000; i++)
		for (uint32_t k = 0; k < e->ctas.data[i]->nwarps; k++) {
			const struct cta *c = e->ctas.data[i];
			const struct turn t = {c->launch->number, c->linear, k, TURN_ANY_LANE};

			if (!c->warp[k].live)
				continue;
			text_printf(&e->out, "%u %llu %u ", t.launch, (unsigned long long)t.cta, k);
			names_turn(e, &t, &e->out);
			text_putc(&e->out, '\n');
		}
	if (!e->ctas.count)
		text_puts(&e->out, "0 0 0 the run has ended\n");
}

/* An instruction: number, line of the PTX, line of the source or 0, its file or -. */
static void add_insn(struct engine *e, uint32_t insn)
{
	const struct origin *o = names_origin(e, insn);
	struct source *text = o ? origin_text(module_of(e)->source, o) : NULL;

	text_printf(&e->out, "%u\t%u\t%u\t%s", insn, names_line(e, insn), text ? o->line : 0,
		text ? text->name : "-");
}

static void add_call(struct engine *e, uint32_t insn, uint32_t func)
{
	add_insn(e, insn);
	text_printf(&e->out, "\t%s\n",
		symbol_shown(&module_of(e)->symbols, module_of(e)->func[func].name));
}

static void show_stack(struct engine *e)
{
	const struct warp *w = names_warp(e, &e->s->focus);
	uint32_t k, depth = 0;

	if (!w || !w->live)
		return;
	k = names_group(e, w, &e->s->focus);
	const struct frame *f = names_frame(e, w, k);

	add_call(e, names_insn(e, w, k), f->code->func);
	for (; f->caller && depth < 63; f = f->caller, depth++)
		add_call(e, f->caller->code->op[f->call_pc].insn, f->caller->code->func);
}

/* Where stop NUMBER is; nothing if it is at no instruction. */
static void show_stop_place(struct engine *e, uint64_t number)
{
	for (uint32_t k = 0; k < e->s->nstops; k++)
		if (e->s->stop[k].number == number && e->s->stop[k].ninsns)
			add_insn(e, e->s->stop[k].insn[0]);
}

/* --- variables: name, how a command names it, type, number of children, value --- */

static void add_lanes(struct engine *e, const struct lane_values *v)
{
	text_printf(&e->out, "%s\t%s\t%s%s\t%u\t", v->name, v->name,
		v->predicate ? "pred" : word_text((enum word)v->type),
		v->one ? "" : " of each lane", v->one ? 0u : (unsigned)LANES);
	values_line(v, &e->out);
	text_putc(&e->out, '\n');
}

static void show_registers(struct engine *e)
{
	uint32_t insn;
	const struct frame *f = names_focus(e, &insn);
	uint32_t n = f ? module_of(e)->func[f->code->func].nregs : 0;
	struct lane_values v;

	for (uint32_t k = 0; k < n && k < MOST_VARIABLES; k++)
		for (unsigned c = 0; c < values_components(e, f, k); c++) {
			values_register(e, f, k, c, &v);
			add_lanes(e, &v);
		}
}

static void show_special(struct engine *e)
{
	struct lane_values v;

	for (unsigned k = 0; values_special(e, k, &v); k++)
		add_lanes(e, &v);
}

/* The memory that WORD names, as NAME. Local memory of several lanes: the children of an element
 * are its lanes. */
static bool add_memory(struct engine *e, const char *word, const char *name)
{
	struct text why = {0};
	struct place p;
	bool ok = names_place(e, word, &e->s->focus, &p, &why);

	text_free(&why);
	if (!ok)
		return false;
	uint64_t n = p.high - p.low + 1;

	if (p.space == W_local && e->s->focus.lane >= LANES && n == 1) {
		struct lane_values v;

		values_local(e, &p, 0, &v);
		add_lanes(e, &v);
		return true;
	}
	text_printf(&e->out, "%s\t%s\t%s", name, word, word_text((enum word)p.type));
	if (n > 1)
		text_printf(&e->out, "[%llu]", (unsigned long long)n);
	text_printf(&e->out, "\t%llu\t", n > 1 ? (unsigned long long)n : 0ull);
	if (p.space == W_local && e->s->focus.lane >= LANES)
		text_puts(&e->out, "of each lane");
	else
		for (uint64_t k = 0; k < n && k < FEW; k++) {
			if (k)
				text_putc(&e->out, ' ');
			names_element(e, &p, k, &e->out);
		}
	text_puts(&e->out, n > FEW ? " ...\n" : "\n");
	return true;
}

static void show_memory(struct engine *e, bool local, bool shared)
{
	const struct script_case *in = e->s->request->in;
	const struct ir_module *m = module_of(e);
	uint32_t insn;
	const struct frame *f = names_focus(e, &insn);
	char word[LINE];

	for (uint32_t k = 0; !local && !shared && k < in->nobjects; k++)
		add_memory(e, in->object[k].name, object_shown(&in->object[k]));
	for (uint32_t k = 0; k < m->nvars && k < MOST_VARIABLES; k++) {
		const struct ir_var *v = &m->var[k];
		bool is_shared = v->space == W_shared || v->space == W_shared__cta ||
			v->space == W_shared__cluster;
		bool is_local = v->space == W_local || v->space == W_param;

		if (is_local != local || is_shared != shared || v->space == W_reg ||
			(is_local && (!f || v->func != f->code->func)))
			continue;
		bool parameter = v->space == W_param && m->func[v->func].is_entry;

		snprintf(word, sizeof word, "%s%s", parameter ? "param." : "",
			symbol_text(&m->symbols, v->name));
		add_memory(e, word, parameter ? word : symbol_shown(&m->symbols, v->name));
	}
}

/* What WORD names: a register or memory; a hover may lack the %. */
static void show_value(struct engine *e, const char *word)
{
	char with[LINE + 1];
	uint32_t insn;
	const struct frame *f = names_focus(e, &insn);
	struct lane_values v;

	snprintf(with, sizeof with, "%%%s", word);
	if (word[0] == '%' && values_find(e, f, word, &v))
		add_lanes(e, &v);
	else if (!add_memory(e, word, word)) {
		if (values_find(e, f, word, &v) || values_find(e, f, with, &v))
			add_lanes(e, &v);
		else
			e->s->failed = true;
	}
}

/* The children FROM to FROM + N of what WORD names. */
static void show_children(struct engine *e, const char *word, uint64_t from, uint64_t n)
{
	struct text why = {0};
	uint32_t insn;
	const struct frame *f = names_focus(e, &insn);
	struct lane_values v;
	struct place p;

	if (n > MOST_CHILDREN)
		n = MOST_CHILDREN;
	bool memory = word[0] != '%' && names_place(e, word, &e->s->focus, &p, &why);

	text_free(&why);
	if (!memory && !values_find(e, f, word, &v)) {
		e->s->failed = true;
		return;
	}
	if (memory && p.space == W_local && p.low == p.high)
		values_local(e, &p, 0, &v);
	else if (memory) {
		for (uint64_t k = from; k < from + n && k <= p.high - p.low; k++) {
			char element[LINE + 32];

			snprintf(element, sizeof element, "%.*s[%llu]", (int)strcspn(word, "["),
				word, (unsigned long long)(p.low + k));
			add_memory(e, element, strchr(element, '['));
		}
		return;
	}
	for (uint64_t k = from; k < from + n && k < LANES; k++) {
		if (!(v.lanes >> k & 1))
			continue;
		text_printf(
			&e->out, "lane %u\t\t%s\t0\t", (unsigned)k, word_text((enum word)v.type));
		values_lane(&v, (unsigned)k, &e->out);
		text_putc(&e->out, '\n');
	}
}

/* --- instructions --- */

/* A label at instruction INSN, or the function that begins there; NULL: neither. */
static const char *label_at(const struct ir_module *m, uint32_t insn)
{
	for (uint32_t f = 0; f < m->nfuncs; f++) {
		const struct ir_func *func = &m->func[f];

		if (insn < func->insn || insn >= func->insn + func->ninsns)
			continue;
		if (insn == func->insn)
			return symbol_shown(&m->symbols, func->name);
		for (uint32_t k = 0; k < func->nlabels; k++)
			if (m->label[func->label + k].insn == insn - func->insn)
				return symbol_text(&m->symbols, m->label[func->label + k].name);
		return NULL;
	}
	return NULL;
}

/* Instructions FROM to FROM + N of the module: where, a label or -, text. */
static void show_code(struct engine *e, uint64_t from, uint64_t n)
{
	const struct ir_module *m = module_of(e);

	for (uint64_t k = from; k < from + n && k < m->ninsns; k++) {
		const struct span *s = &m->insn[k].span;
		const char *label = label_at(m, (uint32_t)k);
		const char *text = source_bytes(m->source, s->off, s->len);

		add_insn(e, (uint32_t)k);
		text_printf(&e->out, "\t%s\t", label ? label : "-");
		for (uint32_t i = 0; text && i < s->len && i < 200; i++) {
			unsigned char c = (unsigned char)text[i];

			if (c > ' ' || (i && text[i - 1] > ' '))
				text_putc(&e->out, c > ' ' ? (char)c : ' ');
		}
		text_putc(&e->out, '\n');
	}
}

static bool can_watch(const struct engine *e, const char *word)
{
	struct text why = {0};
	struct place p;
	bool ok = names_place(e, word, &e->s->focus, &p, &why) && p.space != W_param;

	text_free(&why);
	return ok;
}

void show_protocol(struct engine *e, const char *words)
{
	char what[16] = "", word[LINE] = "";
	unsigned long long from = 0, n = 0;

	sscanf(words, "%15s", what);
	if (strcmp(what, "code") == 0 && sscanf(words, "%*s %llu %llu", &from, &n) == 2)
		show_code(e, from, n);
	else if (strcmp(what, "stop") == 0 && sscanf(words, "%*s %llu", &n) == 1)
		show_stop_place(e, n);
	else if (strcmp(what, "value") == 0 && sscanf(words, "%*s %1000s", word) == 1)
		show_value(e, word);
	else if (strcmp(what, "watches") == 0 && sscanf(words, "%*s %1000s", word) == 1)
		e->s->failed = !can_watch(e, word);
	else if (strcmp(what, "children") == 0 &&
		sscanf(words, "%*s %1000s %llu %llu", word, &from, &n) == 3)
		show_children(e, word, from, n);
	else if (strcmp(what, "threads") == 0)
		show_threads(e);
	else if (strcmp(what, "stack") == 0)
		show_stack(e);
	else if (strcmp(what, "registers") == 0)
		show_registers(e);
	else if (strcmp(what, "special") == 0)
		show_special(e);
	else if (strcmp(what, "memory") == 0)
		show_memory(e, false, false);
	else if (strcmp(what, "shared") == 0)
		show_memory(e, false, true);
	else if (strcmp(what, "local") == 0)
		show_memory(e, true, false);
	else
		e->s->failed = true;
}
