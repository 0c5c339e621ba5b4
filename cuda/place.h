/* Where the program calls the driver or the runtime: noted at each call that a message may speak
 * of, looked up in the program's debug information when there is such a message. */
#ifndef PTXI_CUDA_PLACE_H
#define PTXI_CUDA_PLACE_H
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t call_place; /* 0: not known */

/* Where the program is now. The same place has the same number. */
call_place place_here(void);
/* The same for a thread that was interrupted at PC. */
call_place place_at(const void *pc);

struct place_info {
	char api[64];              /* the function that was called: "cudaMalloc", or empty */
	char function[128];        /* of the program */
	char path[512], name[512]; /* of its file, and as shown; empty: not known */
	unsigned line;
};
/* NULL: nothing is known. */
const struct place_info *place_find(call_place p);

/* The function that was called at P, or OTHERWISE. */
const char *place_api(call_place p, const char *otherwise);

/* "allocation 3 (call 17)": a name to which place_names() adds the place. */
void place_mark(char *to, size_t room, const char *name, call_place p);
/* "main at bugs.cu:14", or "main+0x1b"; empty: not known. */
void place_text_of(call_place p, struct text *out);
/* Appends TEXT, with places instead of marks: "`cudaMalloc` at bugs.cu:14". */
void place_names(const char *text, struct text *out);
/* Whether the code at PC is the library's, the runtime's, or what they use of the system. */
bool place_is_own(const void *pc);

#endif
