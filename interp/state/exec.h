/* The functions that execute ops: one for each kind of code/op_kind.def, and faster ones for
 * common cases. bind.c selects. */
#ifndef PTXI_INTERP_EXEC_H
#define PTXI_INTERP_EXEC_H
#include "interp/state/state.h"

#define IN_LOOP(NAME, leads)
#define KIND(NAME, executor, leads) exec_fn exec_##executor;
#include "code/op_kind.def"

/* ld, st, atom for watched runs, and the same lane by lane. */
exec_fn exec_ld_watched, exec_st_watched, exec_atom_watched;
exec_fn exec_ld_lanes, exec_st_lanes, exec_atom_lanes;
/* Elements of 1, 2, 4 or 8 bytes with a base register (or constant) of 4 or 8 bytes, weak or
 * relaxed, in any state space except .param: the block path first, else exec_ld, exec_st. */
exec_fn exec_ld_1, exec_ld_2, exec_ld_4, exec_ld_8, exec_st_1, exec_st_2, exec_st_4, exec_st_8;
/* The same for vectors of 2, 4 or 8 elements, by the bytes of a lane's access; those of 16 and 32
 * bytes have elements of 4 or 8. */
exec_fn exec_ld_word2, exec_ld_word4, exec_ld_word8, exec_ld_part16, exec_ld_part32;
exec_fn exec_st_word2, exec_st_word4, exec_st_word8, exec_st_part16, exec_st_part32;
exec_fn exec_ld_param;
/* The one of these for OP; NULL: none. */
exec_fn *exec_ld_block(const struct op *op);
exec_fn *exec_st_block(const struct op *op);
/* Whether exec_atom() tries a block path for OP. */
bool exec_atom_has_block(const struct op *op);
/* A relaxed reduction of 4 or 8 bytes whose result is not read: integer add, and, or, xor, min,
 * max. (combine.h) */
exec_fn exec_combine;
exec_fn exec_pack2, exec_unpack2, exec_cvta_same;

/* Single accesses of 16 bytes: other host threads never observe half of one. exec_store16()
 * returns whether memory changed. */
void exec_load16(uint8_t *from, void *to);
bool exec_store16(uint8_t *to, const void *value);

/* Sets the functions that execute the ops of M's decoded functions. (bind.c) */
void bind_code(struct machine *m);
/* The next bind_code() chooses again for all functions: there are other observers. */
void bind_again(struct machine *m);

#endif
