/* Freeing a module, and lookups by name. */
#include "ir/ir.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

void ir_module_free(struct ir_module *m)
{
	if (!m)
		return;
	memory_drop(m->func);
	memory_drop(m->unit);
#define ARRAY(array, number, type) memory_drop(m->array);
#include "ir/array.def"
	symbols_free(&m->symbols);
	arena_free(&m->arena);
	memory_drop(m);
}

const struct isa_target *ir_target(const struct ir_module *m, uint32_t func)
{
	uint32_t low = 0, high = m->nunits;

	if (!high)
		return &m->target;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (m->unit[middle].func <= func)
			low = middle;
		else
			high = middle;
	}
	return &m->unit[low].target;
}

uint32_t ir_find_func(const struct ir_module *m, const char *name)
{
	uint32_t symbol = symbol_find(&m->symbols, name, strlen(name));

	if (symbol)
		for (uint32_t i = 0; i < m->nfuncs; i++)
			if (m->func[i].name == symbol)
				return i;
	return IR_NONE;
}

uint32_t ir_find_var(const struct ir_module *m, const char *name)
{
	uint32_t symbol = symbol_find(&m->symbols, name, strlen(name));

	if (symbol)
		for (uint32_t i = 0; i < m->nvars; i++)
			if (m->var[i].name == symbol && m->var[i].func == IR_NONE)
				return i;
	return IR_NONE;
}

uint32_t ir_find_reg(const struct ir_module *m, uint32_t func, const char *name)
{
	const struct ir_func *f = &m->func[func];
	uint32_t symbol = symbol_find(&m->symbols, name, strlen(name));

	if (symbol)
		for (uint32_t i = 0; i < f->nregs; i++)
			if (m->reg[f->reg + i].name == symbol)
				return i;
	return IR_NONE;
}

bool ir_has(const struct ir_module *m, const struct ir_insn *i, enum word w)
{
	for (unsigned k = 0; k < i->nwords; k++)
		if (m->word[i->word + k] == w)
			return true;
	return false;
}
