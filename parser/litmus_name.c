/* The names of a litmus test: deciding between registers and locations, numbering them, and
 * reporting wrong ones. */
#include "parser/litmus_resolve.h"
#include <string.h>

void litmus_wrong(struct litmus_parse *p, enum diag_code code, struct span span, const char *what,
	const char *name)
{
	diag_report(p->diags, code, p->source, span, "%s%s%s%s", what, name ? " '" : "",
		name ? name : "", name ? "'" : "");
	p->failed = true;
}

uint32_t litmus_find_location(const struct litmus_test *t, const char *name)
{
	for (uint32_t i = 0; i < t->nlocations; i++) {
		if (!strcmp(t->location[i].name, name))
			return i;
	}
	return UINT32_MAX;
}

uint32_t litmus_location(struct litmus_resolver *r, const struct litmus_text *name)
{
	struct litmus_test *t = r->test;
	uint32_t i = litmus_find_location(t, name->text);
	if (i != UINT32_MAX)
		return i;
	if (t->nlocations == MAX_LOCATIONS) {
		if (!r->p->failed)
			litmus_wrong(
				r->p, DIAG_E0154, name->span, "more than 1024 locations", NULL);
		return 0;
	}
	i = t->nlocations++;
	t->location[i] = (struct litmus_location){.name = name->text, .phys = i, .virt = i};
	return i;
}

uint32_t litmus_find_register(const struct litmus_thread *t, const char *name)
{
	name += *name == '%';
	for (uint32_t i = 0; i < t->nregs; i++) {
		if (!strcmp(t->reg[i], name))
			return i;
	}
	return UINT32_MAX;
}

uint32_t litmus_register(
	struct litmus_resolver *r, struct litmus_thread *t, const struct litmus_text *name)
{
	uint32_t i = litmus_find_register(t, name->text);
	if (i != UINT32_MAX)
		return i;
	if (t->nregs == MAX_REGISTERS) {
		if (!r->p->failed)
			litmus_wrong(
				r->p, DIAG_E0154, name->span, "more than 1024 registers", NULL);
		return 0;
	}
	t->reg[t->nregs] = name->text + (*name->text == '%');
	return t->nregs++;
}

bool litmus_is_register(
	const struct litmus_resolver *r, const struct litmus_thread *t, const char *name)
{
	if (*name == '%' || litmus_find_register(t, name) != UINT32_MAX)
		return true;
	if (litmus_find_location(r->test, name) != UINT32_MAX || *name != 'r')
		return false;
	for (const char *c = name + 1; *c; c++) {
		if (*c < '0' || *c > '9')
			return false;
	}
	return name[1] != 0;
}

struct litmus_value litmus_operand_value(
	struct litmus_resolver *r, struct litmus_thread *t, const struct litmus_operand *o)
{
	if (o->text.is_integer)
		return (struct litmus_value){.value = o->text.value};
	if (!litmus_is_register(r, t, o->text.text))
		litmus_wrong(r->p, DIAG_E0152, o->text.span,
			"expected a register or an integer, not", o->text.text);
	return (struct litmus_value){.is_register = true, .index = litmus_register(r, t, &o->text)};
}
