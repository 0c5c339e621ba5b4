/* Memory and registers as the current outcome leaves them. */
#include "script/litmus/explorer_judge.h"
#include <string.h>

bool exploration_read(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	struct exploration *e = self;
	if (!e->inner.read(e->inner.self, address, data, size, defined))
		return false;
	if (defined)
		memset(defined, 1, (size_t)size);
	for (uint32_t k = 0; e->value && k < e->nobservables; k++) {
		const struct observable *o = &e->observable[k];
		unsigned char bytes[8];
		memcpy(bytes, &e->value[k], sizeof bytes);
		for (uint32_t i = 0; o->kind == OBSERVE_MEMORY && i < o->size; i++) {
			if (o->phys + i >= address && o->phys + i < address + size)
				((unsigned char *)data)[o->phys + i - address] = bytes[i];
		}
	}
	return true;
}

bool exploration_register(void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined)
{
	const struct exploration *e = self;
	for (uint32_t k = 0; k < e->nobservables; k++) {
		const struct observable *o = &e->observable[k];
		if (o->kind == OBSERVE_REGISTER && o->thread == thread && o->reg == reg) {
			*value = e->value ? e->value[k] : 0;
			*defined = true;
			return true;
		}
	}
	return false;
}
