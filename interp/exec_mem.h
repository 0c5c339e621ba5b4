/* The memory instructions' handlers, for decode_mem.c to choose among. */
#ifndef PTXI_INTERP_EXEC_MEM_H
#define PTXI_INTERP_EXEC_MEM_H
#include "interp/access.h"

/* Any ld, any st; plain and watched. */
exec_fn exec_ld, exec_ld_watched, exec_st, exec_st_watched;
/* Elements of 1, 2, 4, 8 bytes with a base register (or constant) of 4 or 8 bytes, weak or relaxed, anywhere but in .param: the block path first, then the above. */
exec_fn exec_ld_1, exec_ld_2, exec_ld_4, exec_ld_8, exec_st_1, exec_st_2, exec_st_4, exec_st_8;
exec_fn exec_ld_param;

/* Any atom or red; operands of the op: destination, address, b, c. */
exec_fn exec_atom, exec_atom_watched;
/* A relaxed reduction whose old value nobody reads, of 4 or 8 bytes: add, and, or, xor, min, max of integers. (combine.h) */
exec_fn exec_combine;

/* 16 bytes as one: no other host thread sees half of it. store: whether memory changed. */
void exec_load16(uint8_t *from, void *to);
bool exec_store16(uint8_t *to, const void *value);

exec_fn exec_cvta, exec_isspacep, exec_alloca, exec_stacksave, exec_stackrestore, exec_hint, exec_discard, exec_policy, exec_fence;
exec_fn exec_vote, exec_match, exec_activemask, exec_redux, exec_elect, exec_shfl;

#endif
