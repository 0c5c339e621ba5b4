/* Describes places in text: threads, lines, and what groups wait at. */
#ifndef PTXI_INTERP_WHERE_H
#define PTXI_INTERP_WHERE_H
#include "interp/state/state.h"

/* V as "3", "(3, 1)" or "(3, 1, 2)", depending on the number of dimensions of OF. */
const char *where_dim(struct arena *a, const uint32_t v[3], const uint32_t of[3]);
/* NAME, or where it is long, without its template arguments, in A: "gemm<...>(float *)". */
const char *where_brief(struct arena *a, const char *name);
/* The kernel's name for messages, which is brief; and as c++filt shows it. */
const char *where_kernel(const struct launch *l);
const char *where_kernel_whole(const struct launch *l, const struct machine *m);
/* Its symbol, which differs for a C++ kernel. */
const char *where_symbol(const struct launch *l, const struct machine *m);
/* Adds kernel, CTA and thread to R. */
void where_thread(struct machine *m, struct diag *r, const struct warp *w, unsigned lane);
/* The place of an instruction: "line 12", or "reduce.cu:5 [line 12]" if its source is known. */
struct line_text where_line(struct machine *m, uint32_t insn);
/* Its line in the PTX, 0 for IR_NONE. */
uint32_t where_ptx_line(struct machine *m, uint32_t insn);
/* The same of an instruction that ran in a frame with this user_call: the place of that call if the
 * instruction is a library's. */
struct line_text where_line_from(struct machine *m, uint32_t insn, uint32_t user_call);
/* The value of user_call for F, whose caller and call_pc are known. */
uint32_t where_user_call(struct machine *m, const struct frame *f);
/* The call that USER_CALL names; len 0: none. */
struct span where_call(struct machine *m, uint32_t user_call);
/* Appends the threads of the lanes of MASK in W by linear number, "threads 32 to 63", at most
 * MOST ranges. */
void where_threads(struct text *t, const struct warp *w, uint32_t mask, unsigned most);
/* Appends what group G is doing: "at barrier 0, line 12". */
void where_group(struct machine *m, struct text *t, const struct group *g);

#endif
