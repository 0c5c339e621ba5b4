/* Appends an entry to the module's list, in file order. */
#include "parser/front.h"

struct ast_top *top_new(struct front *f, enum ast_top_kind kind, struct span span)
{
	struct ast_top *t = ARENA_NEW(f->arena, struct ast_top);

	t->kind = (uint8_t)kind;
	t->span = span;
	*f->next_top = t;
	f->next_top = &t->next;
	return t;
}
