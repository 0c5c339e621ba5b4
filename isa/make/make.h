/* Declarations shared by the files of the build tool. */
#ifndef PTXI_ISA_MAKE_MAKE_H
#define PTXI_ISA_MAKE_MAKE_H

#include <stdint.h>

/* The place of S in isa_text: the end of a longer text, or a text that is added. */
uint32_t text_place(const char *s);

/* Reads every row of isa.def and writes the compiled patterns as C to standard output. */
void make_rows(const char *const *words, const char *const *opcodes);

#endif
