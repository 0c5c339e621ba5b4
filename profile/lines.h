/* A profile by lines of the source: of the .cu file where the PTX names one, otherwise of the PTX.
 */
#ifndef PTXI_PROFILE_LINES_H
#define PTXI_PROFILE_LINES_H
#include "base/text.h"
#include "ir/ir.h"
#include "profile/profile.h"

struct profile_line {
	const char *file;
	uint32_t line;
	const char *text; /* the source line, not NUL-terminated; NULL if it cannot be read */
	uint32_t len;
	bool hot; /* at least a tenth of all warp instructions */
	struct profile_count count;
};

/* The lines with executed instructions, by file and line; their number. In ARENA. */
uint32_t profile_lines(struct arena *arena, const struct ir_module *m,
	const struct profile_count *count, struct profile_line **out);
/* Appends the table for people. */
void profile_show(const struct ir_module *m, const struct profile_count *count, struct text *out);
/* Appends the array for programs. */
void profile_json(const struct ir_module *m, const struct profile_count *count, struct text *out);

#endif
