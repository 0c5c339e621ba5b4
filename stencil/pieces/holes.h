/* What pieces are written with. A piece is a function that ends by returning next(), a tail call:
 * the copier puts the next piece there. Operands and numbers are addresses of symbols that do not
 * exist; what the compiler makes of them are relocations, which say where the copier writes
 * (stencil/hole.def). A piece that returns anything else ends the unit's run, with an enum
 * stencil_exit.
 *
 * While pieces run, some registers of the processor have a meaning, and no piece uses them for
 * anything else (the -ffixed options of stencil/module.mk). */
#ifndef PTXI_STENCIL_HOLES_H
#define PTXI_STENCIL_HOLES_H
#include "stencil/piece.h"

typedef int piece(void);
#define PIECE(name) static __attribute__((used)) int name(void)

/* The base of operands: bank 0 of the frame. The copier makes it %rbp for bank 1, and for scratch
 * memory %rdi, which has the address of stencil_run.scratch then. */
register unsigned char *frame __asm__("rbx");
/* The results of a comparison in all lanes, the last ones in the upper bits. */
register uint32_t results __asm__("r11");

#define HOLE(name) extern char name[] __attribute__((visibility("hidden")));
#define TARGET(name) extern piece name __attribute__((visibility("hidden")));
#include "stencil/hole.def"

#define PLACE(k) ((void *)(frame + (uintptr_t)at##k))
#define WORD(k) (*(uint32_t *)PLACE(k))

#endif
