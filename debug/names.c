/* Names of memory and threads as the user writes them. */
#include "debug/names.h"
#include "interp/memory/access.h"
#include "interp/memory/memory.h"
#include "interp/memory/name.h"
#include "interp/state/where.h"
#include "script/lang/scalar.h"
#include <string.h>

struct cta *names_cta(const struct engine *e, const struct turn *t)
{
	for (uint32_t k = 0; k < e->ctas.count; k++)
		if (e->ctas.data[k]->linear == t->cta &&
			e->ctas.data[k]->launch->number == t->launch)
			return e->ctas.data[k];
	return NULL;
}

struct warp *names_warp(const struct engine *e, const struct turn *t)
{
	struct cta *c = names_cta(e, t);

	return c && t->warp < c->nwarps ? &c->warp[t->warp] : NULL;
}

uint32_t names_group(const struct engine *e, const struct warp *w, const struct turn *t)
{
	if (t->lane < LANES)
		for (uint32_t k = w->ngroups; k-- > 0;)
			if (w->group[k].mask >> t->lane & 1)
				return k;
	return w == e->w && w->current < w->ngroups ? w->current : 0;
}

uint32_t names_insn(const struct engine *e, const struct warp *w, uint32_t k)
{
	const struct group *g = &w->group[k];

	if (w == e->w && k == w->current && e->op)
		return e->op->insn;
	return g->frame && g->pc < g->frame->code->nops ? g->frame->code->op[g->pc].insn : IR_NONE;
}

struct frame *names_frame(const struct engine *e, const struct warp *w, uint32_t k)
{
	return w == e->w && k == w->current && e->op ? w->frame : w->group[k].frame;
}

struct frame *names_focus(const struct engine *e, uint32_t *insn)
{
	const struct turn *t = &e->s->focus;
	const struct warp *w = names_warp(e, t);
	struct frame *f;
	uint32_t k;

	if (!w || !w->live)
		return NULL;
	k = names_group(e, w, t);
	f = names_frame(e, w, k);
	*insn = names_insn(e, w, k);
	for (uint32_t n = 0; n < e->s->calls && f->caller; n++) {
		*insn = f->caller->code->op[f->call_pc].insn;
		f = f->caller;
	}
	return f;
}

uint32_t names_line(const struct engine *e, uint32_t insn)
{
	const struct ir_module *m = e->s->request->module;
	uint32_t line = 0, column = 0;

	if (insn != IR_NONE)
		source_place(m->source, m->insn[insn].span.off, &line, &column);
	return line;
}

struct source *names_source(const struct engine *e, uint32_t insn)
{
	const struct ir_module *m = e->s->request->module;
	uint32_t off = insn == IR_NONE ? 0 : m->insn[insn].span.off;

	return source_part(m->source, &off);
}

const struct origin *names_origin(const struct engine *e, uint32_t insn)
{
	const struct ir_module *m = e->s->request->module;

	return insn == IR_NONE ? NULL
			       : origin_users(source_origin(m->source, m->insn[insn].span.off));
}

/* --- memory --- */

static bool find_object(const struct engine *e, const char *name, struct place *p, struct text *why)
{
	const struct script_case *in = e->s->request->in;

	for (uint32_t k = 0; k < in->nobjects; k++) {
		const struct object *o = &in->object[k];

		if (strcmp(o->name, name) != 0 && strcmp(object_shown(o), name) != 0)
			continue;
		if (!o->address) {
			text_printf(why, "%.80s is not allocated yet", name);
			return true;
		}
		*p = (struct place){.name = o->name,
			.shown = o->shown,
			.space = W_global,
			.address = o->address,
			.type = o->type,
			.count = o->count};
		return true;
	}
	return false;
}

static bool is_shared(const struct ir_var *v)
{
	return v->space == W_shared || v->space == W_shared__cta || v->space == W_shared__cluster;
}

/* A type that values can have: packed ones are bits. */
static uint8_t type_of(enum type t)
{
	static const enum type bits[] = {
		[1] = TYPE_b8, [2] = TYPE_b16, [4] = TYPE_b32, [8] = TYPE_b64, [16] = TYPE_b128};
	unsigned n = type_bytes(t);

	if (scalar_usable(t))
		return (uint8_t)t;
	return (uint8_t)(n <= 16 && bits[n] ? bits[n] : TYPE_b8);
}

/* A .local variable of the frame in focus, or of the parameters that it passes and gets. */
static bool find_local(
	const struct engine *e, const char *name, const struct turn *t, struct place *p)
{
	const struct ir_module *m = e->machine->module;
	uint32_t insn;
	const struct frame *f = names_focus(e, &insn);

	for (uint32_t k = 0; f && k < m->nvars; k++) {
		const struct ir_var *v = &m->var[k];

		if ((v->space != W_local &&
			    (v->space != W_param || m->func[f->code->func].is_entry)) ||
			v->func != f->code->func ||
			strcmp(symbol_text(&m->symbols, v->name), name) != 0)
			continue;
		*p = (struct place){.name = symbol_text(&m->symbols, v->name),
			.space = W_local,
			.address = f->local_base + e->machine->code.var_at[k],
			.launch = t->launch,
			.cta = t->cta,
			.warp = t->warp,
			.lanes = t->lane < LANES ? 1u << t->lane : f->lanes,
			.lane = t->lane < LANES ? t->lane
				: f->lanes      ? lane_first(f->lanes)
						: 0,
			.type = type_of(v->type)};
		p->count = v->size / type_bytes((enum type)p->type);
		return true;
	}
	return false;
}

/* A parameter of the kernel in focus. */
static bool find_parameter(
	const struct engine *e, const char *name, const struct turn *t, struct place *p)
{
	const struct ir_module *m = e->machine->module;
	const struct launch *l = t->launch < e->machine->launches.count
		? e->machine->launches.data[t->launch]
		: NULL;
	const struct ir_func *f = l ? &m->func[l->ask.func] : NULL;

	for (uint32_t k = 0; f && k < f->nparams; k++) {
		const struct ir_var *v = &m->var[f->param + k];

		if (strcmp(symbol_text(&m->symbols, v->name), name) != 0)
			continue;
		*p = (struct place){.name = symbol_text(&m->symbols, v->name),
			.space = W_param,
			.address = e->machine->code.var_at[f->param + k],
			.launch = t->launch,
			.type = type_of(v->type)};
		p->count = v->size / type_bytes((enum type)p->type);
		return true;
	}
	return false;
}

static bool find_variable(const struct engine *e, const char *name, const struct turn *t,
	struct place *p, struct text *why)
{
	const struct ir_module *m = e->machine->module;

	for (uint32_t k = 0; k < m->nvars; k++) {
		const struct ir_var *v = &m->var[k];
		const char *symbol = symbol_text(&m->symbols, v->name);
		uint64_t bytes = v->size;

		if (!is_shared(v) && v->space != W_global && v->space != W_const)
			continue;
		if (strcmp(symbol, name) != 0 && strcmp(name_plain(symbol), name) != 0 &&
			strcmp(symbol_shown(&m->symbols, v->name), name) != 0)
			continue;
		*p = (struct place){.name = name_plain(symbol), .type = type_of(v->type)};
		if (is_shared(v)) {
			const struct launch *l = t->launch < e->machine->launches.count
				? e->machine->launches.data[t->launch]
				: NULL;

			if (l && v->func != IR_NONE && m->func[v->func].is_entry &&
				v->func != l->ask.func)
				continue;
			if (!l) {
				text_printf(
					why, "there is no launch whose %.80s it could be", name);
				return true;
			}
			p->space = W_shared;
			p->address = e->machine->code.var_at[k];
			if (!v->size) { /* dynamic shared memory */
				p->address += l->code->shared_end;
				bytes = l->shared_bytes > p->address ? l->shared_bytes - p->address
								     : 0;
			}
			p->launch = t->launch;
			p->cta = t->cta;
		} else {
			p->space = W_global;
			p->address = memory_var_address(e->machine, k);
		}
		p->count = bytes / type_bytes((enum type)p->type);
		return true;
	}
	return false;
}

static const char *read_number(const char *at, uint64_t *n)
{
	uint64_t value = 0;
	unsigned digits = 0;

	for (; *at >= '0' && *at <= '9' && digits < 18; digits++)
		value = value * 10 + (uint64_t)(*at++ - '0');
	*n = value;
	return digits ? at : NULL;
}

static bool read_range(const char *at, struct place *p, struct text *why)
{
	const char *range = at;

	p->low = 0;
	p->high = p->count ? p->count - 1 : 0;
	if (!*at)
		return true;
	if (strncmp(at, "[..]", 4) == 0 && !at[4])
		return true;
	at = read_number(at + 1, &p->low);
	p->high = p->low;
	if (at && strncmp(at, "..", 2) == 0)
		at = read_number(at + 2, &p->high);
	if (!at || strcmp(at, "]") != 0) {
		text_printf(why, "'%.40s' is no index: [3] or [0..7], with whole numbers", range);
		return false;
	}
	if (p->high < p->low || p->high >= p->count) {
		text_printf(why, "%.80s has the elements 0 to %llu", p->name,
			(unsigned long long)p->count - 1);
		return false;
	}
	return true;
}

bool names_place(const struct engine *e, const char *word, const struct turn *t, struct place *out,
	struct text *why)
{
	char name[LINE];
	size_t n = strcspn(word, "[");

	if (!e->machine) {
		text_puts(why, "nothing runs");
		return false;
	}
	if (n >= sizeof name || n == 0) {
		text_puts(why, "it takes a name such as out or out[3]");
		return false;
	}
	memcpy(name, word, n);
	name[n] = 0;
	if (strncmp(name, "param.", 6) == 0 && find_parameter(e, name + 6, t, out))
		;
	else if (!find_local(e, name, t, out) && !find_object(e, name, out, why) &&
		!find_variable(e, name, t, out, why) && !find_parameter(e, name, t, out))
		text_printf(why, "there is no buffer or variable '%.80s'", name);
	if (why->len)
		return false;
	if (out->count == 0) {
		text_printf(why, "%.80s has no elements", name);
		return false;
	}
	return read_range(word + n, out, why);
}

static uint64_t param_bytes(const struct engine *e, const struct launch *l)
{
	return e->machine->module->func[l->ask.func].param_bytes;
}

bool names_read(const struct engine *e, const struct place *p, uint64_t at, uint64_t n, void *bytes,
	uint8_t *defined)
{
	const struct turn t = {.launch = p->launch, .cta = p->cta};
	struct cta *c;

	if (p->space == W_global) {
		const struct memory_block *b = memory_find(e->machine->memory, p->address + at);

		if (!memory_inside(b, p->address + at, n))
			return false;
		memcpy(bytes, b->host + (p->address + at - b->base), (size_t)n);
		if (defined)
			for (uint64_t k = 0; k < n; k++)
				defined[k] = !b->defined ||
					b->defined[p->address + at - b->base + k] != 0;
		return true;
	}
	if (p->space == W_param) {
		const struct launch *l = e->machine->launches.data[p->launch];

		if (!l->ask.params || p->address + at + n > param_bytes(e, l))
			return false;
		memcpy(bytes, (const char *)l->ask.params + p->address + at, (size_t)n);
		if (defined)
			memset(defined, 1, (size_t)n);
		return true;
	}
	c = names_cta(e, &t);
	if (p->space == W_local) {
		const struct warp *w = c && p->warp < c->nwarps ? &c->warp[p->warp] : NULL;

		if (!w || p->address + at + n > w->local_bytes)
			return false;
		memcpy(bytes, memory_local_at(w, p->lane) + p->address + at, (size_t)n);
		for (uint64_t k = 0; defined && k < n; k++)
			defined[k] = !memory_local_defined(w, p->lane) ||
				memory_local_defined(w, p->lane)[p->address + at + k] != 0;
		return true;
	}
	if (!c || p->address + at + n > c->shared_bytes)
		return false;
	memcpy(bytes, c->shared + p->address + at, (size_t)n);
	if (defined)
		for (uint64_t k = 0; k < n; k++)
			defined[k] = !c->shared_defined ||
				c->shared_defined[p->address + at + k] != 0;
	return true;
}

bool names_address(enum type type, const unsigned char *bytes)
{
	return (type == TYPE_b64 || type == TYPE_u64) && (bytes[4] || bytes[5]) && !bytes[6] &&
		!bytes[7];
}

void names_element(const struct engine *e, const struct place *p, uint64_t k, struct text *out)
{
	unsigned size = type_bytes((enum type)p->type);
	_Alignas(8) unsigned char bytes[16];
	uint8_t defined[16];

	if (!names_read(e, p, (p->low + k) * size, size, bytes, defined) || !defined[0])
		text_putc(out, '?');
	else if (p->space == W_param && names_address((enum type)p->type, bytes))
		text_printf(out, "0x%llx", *(unsigned long long *)(void *)bytes);
	else
		scalar_print((enum type)p->type, bytes, false, out);
}

void names_turn(const struct engine *e, const struct turn *t, struct text *out)
{
	if (e->machine && e->machine->launches.count > 1)
		text_printf(out, "launch %u, ", t->launch);
	text_printf(out, "CTA %llu, warp %u", (unsigned long long)t->cta, t->warp);
	if (t->lane < LANES)
		text_printf(out, ", thread %u", t->warp * LANES + t->lane);
}
