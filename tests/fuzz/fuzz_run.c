/* libFuzzer target of the interpreter: text that assembles is run: every kernel once, with 2 CTAs
 * of 33 threads on one or two host threads, every 8 bytes of parameters the address of a buffer,
 * under all checks and a limit on steps. It must not crash, leak or hang. */
#include "assembler/assembler.h"
#include "interp/machine.h"
#include "tests/fuzz/tokens.h"
#include <stdlib.h>
#include <string.h>

FUZZ_TARGET(token_mutate)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diags diags = {0}, findings = {0};
	struct assemble_options as = {0};
	struct machine_options options = {
		.checks = CHECK_BOUNDS | CHECK_SYNC, .jobs = 1, .max_steps = 20000, .timeout = 2};

	options.checks |= size & 1 ? CHECK_INIT : 0;
	options.jobs = size & 2 ? 2 : 1;
	struct source *source = source_new(&arena, "fuzz.ptx", (const char *)data, size);
	struct ir_module *module = assemble(source, &as, &diags);
	for (uint32_t k = 0; module && k < module->nfuncs; k++) {
		const struct ir_func *f = &module->func[k];
		if (!f->is_entry || !f->has_body)
			continue;
		struct machine *m = machine_new(module, &options, &findings);
		if (!m)
			break;
		char *params = calloc(1, f->param_bytes + 1u);
		uint64_t buffer = machine_alloc(m, 4096, "buffer", size & 4);

		for (uint32_t at = 0; at + 8 <= f->param_bytes; at += 8)
			memcpy(params + at, &buffer, 8);
		struct machine_launch launch = {.func = k,
			.grid = {2, 1, 1},
			.block = {33, 1, 1},
			.params = params,
			.source = source};
		if (machine_launch(m, &launch))
			machine_sync(m);
		machine_free(m);
		free(params);
	}
	if (module)
		ir_module_free(module);
	struct text out = {0};
	diag_render(&diags, &out, false);
	diag_render(&findings, &out, false);
	text_free(&out);
	diags_free(&diags);
	diags_free(&findings);
	arena_free(&arena);
	return 0;
}
