/* Names of addresses in messages, as the source has them: "bar[2]", "s[16]", "in[5]+2". */
#ifndef PTXI_INTERP_NAME_H
#define PTXI_INTERP_NAME_H
#include "interp/state/state.h"

struct address_name {
	char text[128];
};

/* A variable inside a C++ function (_ZZ...E3bar) by the name that it has there. */
const char *name_plain(const char *symbol);
/* Byte AT of WHOLE bytes in elements of BYTES: "in[5]", "in[5]+2"; "s+64" where elements are bytes
 * (or 0: not known), and "s" for the one that there is. */
void name_element(struct text *t, const char *name, uint64_t at, uint32_t bytes, uint64_t whole);
/* OFFSET in the shared memory of a CTA of L, by its variable; false, adding nothing, when there is
 * none. UNIT: bytes of an object there, for variables declared as bytes. */
bool name_shared(const struct machine *m, const struct launch *l, uint32_t offset, uint32_t unit,
	struct text *t);
/* Byte AT is past the end of an array of WHOLE bytes: ": in[34] of 32 elements"; nothing for what
 * is no array. */
void name_index_past(struct text *t, const char *name, uint64_t at, uint32_t bytes, uint64_t whole);
/* The same for OFFSET past the WHOLE shared memory of a CTA of L, by the array at its end. */
void name_past(const struct machine *m, const struct launch *l, uint32_t offset, uint32_t whole,
	struct text *t);
/* "'tile[2]'", or "offset 0x40" where no variable lies. */
struct address_name name_in_shared(
	const struct machine *m, const struct cta *c, uint32_t offset, uint32_t unit);
/* "'bar[2]'", or "at offset 0x40" where no variable lies: what follows "mbarrier". */
struct address_name name_mbarrier(const struct machine *m, const struct cta *c, uint32_t offset);
/* What lies at [ADDRESS, ADDRESS + N), as the end of a sentence: "4 bytes past buffer `a`, which
 * ends at 0x..." */
void name_memory(const struct memory *m, uint64_t address, uint64_t n, struct text *out);
/* A generic address that W's threads may access, N bytes from there on: what lies there, or what is
 * near. */
void name_address(const struct warp *w, uint64_t address, uint64_t n, struct text *t);

#endif
