/* Addresses of functions. */
#include "code/window.h"
#include "code/code.h"

enum { FUNCTION_STEP = 16 }; /* function k is at (k + 1) steps into the window */

uint64_t window_function(const struct ir_module *m, uint32_t func)
{
	return MEMORY_CODE_WINDOW + ((uint64_t)code_resolve(m, func) + 1) * FUNCTION_STEP;
}

uint32_t window_function_at(const struct ir_module *m, uint64_t value)
{
	uint64_t k = value - MEMORY_CODE_WINDOW;

	if (value < MEMORY_CODE_WINDOW || k % FUNCTION_STEP || k == 0 ||
		k / FUNCTION_STEP > m->nfuncs)
		return IR_NONE;
	return (uint32_t)(k / FUNCTION_STEP - 1);
}
