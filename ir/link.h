/* Linking: modules become part of one that can grow, in which names of the modules that are linked
 * at the same time denote each other's functions and variables (PTX ISA 11.6.1: .extern, .visible,
 * .weak, .common). Names without linkage stay apart.
 *
 * A device has one module that grows with all that is loaded; what was there keeps its indices. */
#ifndef PTXI_IR_LINK_H
#define PTXI_IR_LINK_H
#include "diag/diag.h"
#include "ir/ir.h"

/* An empty module that can grow. Its source is a joined one in arena A, for messages called NAME.
 */
struct ir_module *ir_joined(struct arena *a, const char *name);

struct ir_linking {
	struct ir_module *const *part; /* [n]; their sources must outlive the joined module */
	uint32_t n;
	/* whether an undefined function of that name is none: it is provided; NULL: undefined names
	 * are not looked for */
	bool (*provided)(const char *name);
	struct diags *diags;
};
/* Links the parts and adds them to TO, each as a unit. False, with a diagnostic and TO as it was:
 * the rules forbid it, or there is no room. */
bool ir_link(struct ir_module *to, const struct ir_linking *what);
/* Removes what was linked later than the first SCOPES times. The source keeps its parts: messages
 * name them. */
void ir_unlink(struct ir_module *m, uint32_t scopes);

#endif
