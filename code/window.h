/* The generic address space: which state space an address is in. Shared, local, parameter and
 * constant memory and functions have windows of 4 GiB; everything else is global memory. (PTX ISA
 * 5.1, 9.7.10.23 cvta) */
#ifndef PTXI_CODE_WINDOW_H
#define PTXI_CODE_WINDOW_H
#include "ir/ir.h"
#include <stdint.h>

#define MEMORY_SLOT_SHIFT 32

/* In the shared window bits 24..31 are the rank of a CTA in its cluster, also for a CTA's own
 * variables: programs clear and set these bits, as those of hardware. (PTX ISA 5.1.7) */
#define MEMORY_SHARED_WINDOW ((uint64_t)0x7ff0 << MEMORY_SLOT_SHIFT)
#define MEMORY_LOCAL_WINDOW ((uint64_t)0x7ff1 << MEMORY_SLOT_SHIFT)
#define MEMORY_PARAM_WINDOW ((uint64_t)0x7ff2 << MEMORY_SLOT_SHIFT)
#define MEMORY_CONST_WINDOW ((uint64_t)0x7ff3 << MEMORY_SLOT_SHIFT)
#define MEMORY_CODE_WINDOW ((uint64_t)0x7ff4 << MEMORY_SLOT_SHIFT)
#define MEMORY_RANK_SHIFT 24
#define MEMORY_RANK_NONE 0xffu
#define MEMORY_RANK_BITS(rank) ((uint64_t)(rank) << MEMORY_RANK_SHIFT)
/* CTAs of a cluster: 8 on every device, 16 for kernels that allow the non-portable size */
enum { CLUSTER_MAX = 16 };

/* The state space of ADDRESS (enum word) and its offset in that window; outside the windows
 * W_global and the address itself. */
static inline uint16_t window_space(uint64_t address, uint64_t *offset)
{
	*offset = address & UINT32_MAX;
	switch (address >> MEMORY_SLOT_SHIFT) {
	case MEMORY_SHARED_WINDOW >> MEMORY_SLOT_SHIFT: return W_shared;
	case MEMORY_LOCAL_WINDOW >> MEMORY_SLOT_SHIFT: return W_local;
	case MEMORY_PARAM_WINDOW >> MEMORY_SLOT_SHIFT: return W_param;
	case MEMORY_CONST_WINDOW >> MEMORY_SLOT_SHIFT: return W_const;
	default: *offset = address; return W_global;
	}
}
/* The address of function FUNC, and its inverse: IR_NONE when VALUE is not the address of a
 * function. */
uint64_t window_function(const struct ir_module *m, uint32_t func);
uint32_t window_function_at(const struct ir_module *m, uint64_t value);

#endif
