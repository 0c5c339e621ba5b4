/* Which function a name denotes: resolving aliases, and recognising the functions that ptxi
 * provides. */
#include "code/code.h"
#include <string.h>

uint32_t code_resolve(const struct ir_module *m, uint32_t func)
{
	for (unsigned hops = 0; m->func[func].alias_of != IR_NONE && hops < 64; hops++)
		func = m->func[func].alias_of;
	return func;
}

int code_provided(const char *name)
{
	static const char *const names[] = {
#define PROVIDED(NAME, name, arguments) #name,
#include "code/provided.def"
	};

	for (int k = 0; k < (int)(sizeof names / sizeof *names); k++)
		if (strcmp(names[k], name) == 0)
			return k;
	return -1;
}
