/* Addresses in messages, in terms of the source: "bar[2]", "s[16]", "in[5]+2". */
#ifndef PTXI_INTERP_NAME_H
#define PTXI_INTERP_NAME_H
#include "interp/state/state.h"

struct address_name {
	char text[128];
};

/* The plain name of a variable inside a C++ function (_ZZ...E3bar), or SYMBOL itself. */
const char *name_plain(const char *symbol);
/* A variable as people write it: the plain name of one inside a C++ function (_ZZ...E3bar), the C++
 * name of another. */
const char *name_variable(const struct ir_module *m, const struct ir_var *v);
/* Appends byte AT of an array of WHOLE bytes with elements of BYTES: "in[5]", "in[5]+2"; "s+64"
 * when elements are single bytes (or BYTES is 0: unknown); "s" for a single element. */
void name_element(struct text *t, const char *name, uint64_t at, uint32_t bytes, uint64_t whole);
/* Appends OFFSET in the shared memory of a CTA of L by its variable; false, appending nothing,
 * when there is none. UNIT: bytes of an object there, used when the variable is declared as
 * bytes. */
bool name_shared(const struct machine *m, const struct launch *l, uint32_t offset, uint32_t unit,
	struct text *t);
/* Appends the index of byte AT, past the end of an array of WHOLE bytes: ": in[34] of 32
 * elements"; nothing when it is not an array. */
void name_index_past(struct text *t, const char *name, uint64_t at, uint32_t bytes, uint64_t whole);
/* The same for OFFSET past the shared memory of a CTA of L, of WHOLE bytes, by the array at its
 * end. */
void name_past(const struct machine *m, const struct launch *l, uint32_t offset, uint32_t whole,
	struct text *t);
/* "'tile[2]'", or "offset 0x40" when no variable is there. */
struct address_name name_in_shared(
	const struct machine *m, const struct cta *c, uint32_t offset, uint32_t unit);
/* "'bar[2]'", or "at offset 0x40" when no variable is there: follows "mbarrier" in a message. */
struct address_name name_mbarrier(const struct machine *m, const struct cta *c, uint32_t offset);
/* Appends what is at [ADDRESS, ADDRESS + N), as the end of a sentence: "4 bytes past buffer `a`,
 * which ends at 0x..." */
void name_memory(const struct memory *m, uint64_t address, uint64_t n, struct text *out);
/* The same for a generic address that W's threads may access: shared variables by name. */
void name_address(const struct warp *w, uint64_t address, uint64_t n, struct text *t);

#endif
