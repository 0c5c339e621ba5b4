/* How a rule reports a violation: as text, or as the PTX version and target that a part of the
 * instruction requires. */
#include "isa/rule.h"

bool rule_says(struct miss *m, int word, int operand, const char *text, const char *help)
{
	*m = (struct miss){.kind = MISS_RULE,
		.word = word,
		.operand = operand,
		.sub = -1,
		.slot = -1,
		.count = 1,
		.text = text,
		.help = help};
	return false;
}

bool rule_since(const struct view *v, struct miss *m, unsigned ptx, unsigned sm, int word)
{
	if (v->target->ptx >= ptx && v->target->sm >= sm)
		return true;
	*m = (struct miss){.word = word,
		.operand = -1,
		.sub = -1,
		.slot = -1,
		.count = 1,
		.ptx = (uint16_t)ptx,
		.sm = (uint16_t)sm};
	m->kind = v->target->sm < sm ? MISS_SM : MISS_PTX;
	return false;
}
