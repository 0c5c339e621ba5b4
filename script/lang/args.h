/* The parameter buffer of a launch, from its arguments. */
#ifndef PTXI_SCRIPT_ARGS_H
#define PTXI_SCRIPT_ARGS_H
#include "ir/ir.h"
#include "script/lang/script.h"

/* Where names lie; addresses are 0 while only checking. */
struct args_context {
	const struct ir_module *module;
	const struct script_case *in;
	struct diags *diags;
	struct arena *arena;
	uint64_t (*function)(void *self, uint32_t func); /* NULL while checking */
	void *self;
};

/* Lays out T's arguments into OUT, zeroed, of the kernel's param_bytes. False after a report. */
bool args_build(const struct args_context *c, const struct stmt *t, unsigned char *out);
/* Stores one value X as type TYPE: a number, or where the type is 64 bits wide the address of a
 * name. WHAT names the target in messages. */
bool args_store(const struct args_context *c, const struct expr *x, enum type type,
	const char *what, unsigned char *out);

#endif
