/* Printing declarations: variables with their initial values, parameters, and registers, as ranges
 * where possible. */
#include "assembler/print.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t natural_align(const struct ir_var *v)
{
	if (type_info[v->type].class == CLASS_OPAQUE)
		return 8;
	return (uint64_t)type_bytes((enum type)v->type) * (v->vector ? v->vector : 1u);
}

static void print_type(struct printer *p, const struct ir_var *v)
{
	if (v->align != natural_align(v))
		text_printf(p->out, " .align %u", v->align);
	if (v->vector)
		text_printf(p->out, " .v%u", v->vector);
	text_printf(p->out, " .%s", type_info[v->type].name);
}

static void print_dims(struct printer *p, const struct ir_var *v)
{
	for (uint32_t i = 0; i < v->ndims; i++) {
		uint64_t n = p->m->dim[v->dims + i];

		if (n)
			text_printf(p->out, "[%" PRIu64 "]", n);
		else
			text_puts(p->out, "[]");
	}
}

/* A traversal of a variable's initial values. */
struct values {
	struct printer *p;
	const struct ir_var *v;
	uint64_t dim[34];
	unsigned ndims, reloc; /* reloc: index of the next relocation */
};

static void print_reloc(struct printer *p, const struct ir_reloc *r)
{
	const char *name = print_name(
		p, r->is_func ? p->m->func[r->index].name : p->m->var[r->index].name);

	if (r->size == 1)
		text_printf(p->out, "0x%" PRIx64 "(", UINT64_C(0xff) << r->shift);
	text_printf(p->out, r->generic ? "generic(%s)" : "%s", name);
	if (r->addend)
		text_printf(p->out, "+%" PRId64, r->addend);
	if (r->size == 1)
		text_putc(p->out, ')');
}

static void print_value(struct values *w, uint64_t at)
{
	unsigned size = type_bytes((enum type)w->v->type);
	uint64_t bits = 0;

	while (w->reloc < w->v->nrelocs && w->p->m->reloc[w->v->reloc + w->reloc].at < at)
		w->reloc++;
	if (w->reloc < w->v->nrelocs && w->p->m->reloc[w->v->reloc + w->reloc].at == at) {
		print_reloc(w->p, &w->p->m->reloc[w->v->reloc + w->reloc]);
		return;
	}
	for (unsigned i = 0; i < size && i < 8; i++)
		if (at + i < w->v->ndata)
			bits |= (uint64_t)w->p->m->data[w->v->data + at + i] << (8 * i);
	if (w->v->type == TYPE_f32)
		text_printf(w->p->out, "0f%08" PRIX64, bits);
	else if (w->v->type == TYPE_f64)
		text_printf(w->p->out, "0d%016" PRIX64, bits);
	else
		text_printf(w->p->out, "%" PRIu64, bits);
}

static void print_level(struct values *w, unsigned k, uint64_t at, uint64_t stride)
{
	uint64_t n = w->dim[k];
	bool components = w->v->vector && k + 1 == w->ndims;

	if (k == w->ndims) {
		print_value(w, at);
		return;
	}
	text_putc(w->p->out, '{');
	for (uint64_t i = 0; i < n && (components || at < w->v->ndata); i++, at += stride) {
		if (i)
			text_puts(w->p->out, ", ");
		print_level(w, k + 1, at,
			k + 1 < w->ndims && w->dim[k + 1] ? stride / w->dim[k + 1] : stride);
	}
	text_putc(w->p->out, '}');
}

static void print_values(struct printer *p, const struct ir_var *v)
{
	struct values w = {.p = p, .v = v};
	uint64_t stride = type_bytes((enum type)v->type);

	for (uint32_t i = 0; i < v->ndims; i++)
		w.dim[w.ndims++] = p->m->dim[v->dims + i];
	if (v->vector)
		w.dim[w.ndims++] = v->vector;
	for (unsigned i = 1; i < w.ndims; i++)
		stride *= w.dim[i];
	text_puts(p->out, " = ");
	print_level(&w, 0, 0, stride);
}

static void print_linkage(struct printer *p, unsigned linkage)
{
	static const char *const names[] = {".visible ", ".extern ", ".weak ", ".common "};

	for (unsigned i = 0; i < 4; i++)
		if (linkage & 1u << i)
			text_puts(p->out, names[i]);
}

void print_variable(struct printer *p, const struct ir_var *v)
{
	print_linkage(p, v->linkage);
	text_printf(p->out, ".%s", word_text((enum word)v->space));
	if (v->managed || v->unified)
		text_printf(p->out, " .attribute(%s%s", v->managed ? ".managed" : "",
			v->managed && v->unified ? ", " : "");
	if (v->unified)
		text_printf(p->out, ".unified(%" PRIu64 ", %" PRIu64 ")", p->m->dim[v->unified_id],
			p->m->dim[v->unified_id + 1]);
	if (v->managed || v->unified)
		text_putc(p->out, ')');
	print_type(p, v);
	text_printf(p->out, " %s", print_name(p, v->name));
	print_dims(p, v);
	if (v->data != IR_NONE)
		print_values(p, v);
	text_puts(p->out, ";\n");
}

void print_parameter(struct printer *p, const struct ir_var *v)
{
	text_printf(p->out, ".%s", word_text((enum word)v->space));
	print_type(p, v);
	if (v->ptr_space_known) {
		text_puts(p->out, " .ptr");
		if (v->ptr_space)
			text_printf(p->out, " .%s", word_text((enum word)v->ptr_space));
		if (v->ptr_align)
			text_printf(p->out, " .align %u", v->ptr_align);
	}
	text_printf(p->out, " %s", print_name(p, v->name));
	print_dims(p, v);
}

void print_parameters(struct printer *p, uint32_t first, uint32_t n, const char *separator)
{
	text_putc(p->out, '(');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			text_puts(p->out, separator);
		print_parameter(p, &p->m->var[first + i]);
	}
	text_putc(p->out, ')');
}

/* Registers of one type whose names are a common prefix and a number: candidates for a range. */
struct group {
	const char *prefix;
	uint32_t len, count;
	uint64_t most;
	uint8_t type, vector, mixed;
};

static uint32_t split_name(const char *name, uint64_t *number)
{
	uint32_t n = (uint32_t)strlen(name), end = n;

	*number = 0;
	while (n && name[n - 1] >= '0' && name[n - 1] <= '9' && end - n < 9)
		n--;
	if (n == end || n == 0 || (name[n] == '0' && end - n > 1) ||
		(name[n - 1] >= '0' && name[n - 1] <= '9'))
		return 0;
	if (n == 1 && name[0] == '_') /* `_` alone is not a name */
		return 0;
	*number = strtoull(name + n, NULL, 10);
	return n;
}

static struct group *find_group(struct group *g, uint32_t n, const char *name, uint32_t len)
{
	for (uint32_t i = n; i-- > 0;)
		if (g[i].len == len && memcmp(g[i].prefix, name, len) == 0)
			return &g[i];
	return NULL;
}

/* Whether NAME would be captured by the range. */
static bool name_in_group(const struct group *g, const char *name)
{
	uint64_t number;
	uint32_t len = split_name(name, &number);

	return len == g->len && memcmp(name, g->prefix, len) == 0 && number <= g->most;
}

static bool collides(struct printer *p, const struct group *g)
{
	uint32_t func = (uint32_t)(p->f - p->m->func);

	for (uint32_t i = 0; i < p->f->nlabels; i++)
		if (name_in_group(g, print_name(p, p->m->label[p->f->label + i].name)))
			return true;
	for (uint32_t i = 0; i < p->m->nvars && (p->percent_variables || g->prefix[0] != '%'); i++)
		if ((p->m->var[i].func == func || p->m->var[i].func == IR_NONE) &&
			name_in_group(g, print_name(p, p->m->var[i].name)))
			return true;
	return false;
}

static bool is_formal(const struct printer *p, uint32_t reg)
{
	const struct ir_func *f = p->f;

	for (uint32_t i = 0; i < f->nrets + f->nparams; i++) {
		const struct ir_var *v =
			&p->m->var[i < f->nrets ? f->ret + i : f->param + i - f->nrets];

		if (v->space == W_reg && v->offset == reg)
			return true;
	}
	return false;
}

enum { MAX_GROUPS = 64 };

static uint32_t make_groups(struct printer *p, struct group *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->f->nregs; i++) {
		const struct ir_register *r = &p->m->reg[p->f->reg + i];
		const char *name = print_name(p, r->name);
		uint64_t number;
		uint32_t len = split_name(name, &number);
		struct group *old = len ? find_group(g, n, name, len) : NULL;

		if (!len)
			continue;
		if (!old && n < MAX_GROUPS)
			g[n++] = (struct group){
				name, len, 1, number, r->type, r->vector, is_formal(p, i)};
		if (!old)
			continue;
		old->mixed |= old->type != r->type || old->vector != r->vector || is_formal(p, i);
		old->most = number > old->most ? number : old->most;
		old->count++;
	}
	for (uint32_t i = 0; i < n; i++)
		g[i].mixed |= g[i].most > (uint64_t)g[i].count * 16 + 64 || collides(p, &g[i]);
	return n;
}

static void print_register_type(struct printer *p, uint8_t type, uint8_t vector)
{
	text_puts(p->out, "\t.reg ");
	if (vector)
		text_printf(p->out, ".v%u ", vector);
	text_printf(p->out, ".%s ", type_info[type].name);
}

void print_registers(struct printer *p)
{
	struct group g[MAX_GROUPS];
	uint32_t n = make_groups(p, g);

	for (uint32_t i = 0; i < n; i++) {
		if (g[i].mixed)
			continue;
		print_register_type(p, g[i].type, g[i].vector);
		text_printf(
			p->out, "%.*s<%" PRIu64 ">;\n", (int)g[i].len, g[i].prefix, g[i].most + 1);
	}
	for (uint32_t i = 0; i < p->f->nregs; i++) {
		const struct ir_register *r = &p->m->reg[p->f->reg + i];
		const char *name = print_name(p, r->name);
		uint64_t number;
		uint32_t len = split_name(name, &number);
		const struct group *in = len ? find_group(g, n, name, len) : NULL;

		if ((in && !in->mixed) || is_formal(p, i))
			continue;
		print_register_type(p, r->type, r->vector);
		text_printf(p->out, "%s;\n", name);
	}
}
