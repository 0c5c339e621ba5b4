/* Declarations shared by the files of the build tool. */
#ifndef PTXI_ISA_MAKE_MAKE_H
#define PTXI_ISA_MAKE_MAKE_H

/* Reads every row of isa.def and writes the compiled patterns as C to standard output; returns the
 * exit status. */
int make_rows(const char *const *words, const char *const *opcodes);

#endif
