/* The entries of module scope, in file order: each is offered to whoever parses the file as soon as
 * it has been read, so that no more than one function's tree need be in memory. */
#include "parser/front.h"

struct ast_top *top_new(struct front *f, enum ast_top_kind kind, struct span span)
{
	struct ast_top *t = ARENA_NEW(&f->module->arena, struct ast_top);

	t->kind = (uint8_t)kind;
	t->span = span;
	*f->next_top = t;
	f->next_top = &t->next;
	return t;
}

void top_done(struct front *f)
{
	struct ast_module *m = f->module;

	f->arena = &m->arena;
	if (!f->take)
		return;
	while (*f->entry && f->take(f->client, m, *f->entry))
		*f->entry = (*f->entry)->next;
	if (*f->entry) { /* it and all that follow are part of the module */
		f->take = NULL;
		return;
	}
	f->next_top = f->entry;
	arena_clear(&m->code);
	if (f->keep)
		f->mark = arena_mark(&m->arena);
	else
		arena_rewind(&m->arena, f->mark);
	f->keep = false;
}
