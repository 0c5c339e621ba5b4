/* Changes to a source text, and how they read as a diff. */
#ifndef PTXI_SCRIPT_PATCH_H
#define PTXI_SCRIPT_PATCH_H
#include "base/text.h"
#include "diag/source.h"

/* TEXT replaces LEN bytes at OFF. */
struct patch {
	uint32_t off, len;
	const char *text;
};
/* Sorts PATCHES, which do not overlap, as the functions below require. */
void patches_sort(struct patch *patch, uint32_t n);
/* Appends the changed text. */
void patches_apply(const struct source *s, const struct patch *patch, uint32_t n, struct text *out);
/* Appends the changes as a unified diff without context, which patch and git apply
 * --unidiff-zero accept. */
void patches_diff(const struct source *s, const struct patch *patch, uint32_t n, struct text *out);

#endif
