/* The parameter buffer of a launch, from its arguments. */
#ifndef PTXI_SCRIPT_ARGS_H
#define PTXI_SCRIPT_ARGS_H
#include "ir/ir.h"
#include "script/lang/script.h"

/* How names in arguments are resolved to addresses. While a script is only being checked, all
 * addresses are 0. */
struct args_context {
	const struct ir_module *module;
	const struct script_case *in;
	struct diags *diags;
	struct arena *arena;
	uint64_t (*function)(void *self, uint32_t func); /* NULL while checking */
	void *self;
};

/* Stores T's arguments in OUT, a zeroed buffer of the kernel's param_bytes. On failure reports it
 * and returns false. */
bool args_build(const struct args_context *c, const struct stmt *t, unsigned char *out);
/* Stores the value of X as TYPE: a number, or, if TYPE is 64 bits wide, the address of a name. WHAT
 * names the target in messages. */
bool args_store(const struct args_context *c, const struct expr *x, enum type type,
	const char *what, unsigned char *out);

#endif
