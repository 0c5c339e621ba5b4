/* Memory that a thread of a kernel may still write (explore_program.reach). */
#ifndef PTXI_EXPLORE_PTX_REACH_H
#define PTXI_EXPLORE_PTX_REACH_H
#include "explore/ptx/thread.h"

uint64_t ptx_reach_key(const struct explore_program *p, uint32_t thread, void *state);
void ptx_reach(const struct explore_program *p, uint32_t thread, const void *state, void *scratch,
	struct reach *out);

/* Finds client.written: memory that is in none of its ranges keeps its initial value. */
void ptx_find_written(const struct explore_program *p, struct ptx_client *c, struct arena *arena);
/* Finds the program's refusal. Needs what ptx_find_written() found. */
void ptx_find_refusal(struct explore_program *p, const struct ptx_client *c);
/* explore_program.is_constant. */
bool ptx_is_constant(const struct explore_program *p, uint64_t phys, uint32_t size);

#endif
