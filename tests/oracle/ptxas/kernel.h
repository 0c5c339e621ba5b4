/* The kernel around a single instruction, the same for recorded verdicts
 * (tests/unit/test_isa_oracle.c) and new ones (fresh.c). */
#include "base/text.h"
#include <stdlib.h>

static const char *const kernel_head = ".extern .shared .align 16 .b8 dyn[];\n"
				       ".global .align 16 .b8 gbuf[1024];\n"
				       ".shared .align 16 .b8 sbuf[1024];\n"
				       ".const .align 16 .b8 cbuf[1024];\n"
				       ".global .texref tx;\n"
				       ".global .surfref sf;\n"
				       ".func foo() { ret; }\n"
				       ".visible .entry k(.param .u64 p0, .param .u32 p1)\n"
				       "{\n"
				       " .reg .pred %p<8>;\n"
				       " .reg .b16 %h<8>;\n"
				       " .reg .u16 %hu<4>;\n"
				       " .reg .s16 %hs<4>;\n"
				       " .reg .f16 %hf<4>;\n"
				       " .reg .b8 %b<4>;\n"
				       " .reg .b32 %r<16>;\n"
				       " .reg .u32 %u<4>;\n"
				       " .reg .s32 %s<4>;\n"
				       " .reg .f32 %f<16>;\n"
				       " .reg .b64 %rd<16>;\n"
				       " .reg .u64 %ud<4>;\n"
				       " .reg .s64 %sd<4>;\n"
				       " .reg .f64 %fd<8>;\n"
				       " .local .align 16 .b8 lbuf[64];\n";

/* Declares the registers that need a newer version and target. */
static inline void kernel_registers(struct text *t, const char *target, const char *version)
{
	if (atof(version) >= 8.3 && atoi(target + 3) >= 70)
		text_puts(t, " .reg .b128 %q<4>;\n");
	if (atof(version) >= 4.2 && atoi(target + 3) >= 53)
		text_puts(t, " .reg .f16x2 %x<4>;\n");
}
