/* libFuzzer target of the //@ lines: a .ptx file is loaded as by `ptxi check`, and each of its
 * cases is run and judged within a limit on steps. Most mutations stay in the //@ lines. Cases that
 * allocate much memory are skipped. */
#include "script/host/host.h"
#include "script/lang/program.h"
#include "script/verdict/show.h"
#include "tests/fuzz/tokens.h"
#include <string.h>

FUZZ_TARGET(token_mutate_script)

static bool small(const struct script_case *k)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < k->nobjects; i++)
		bytes += k->object[i].count > 1 << 20 ? 1 << 24 : k->object[i].count * 8;
	return bytes < 1 << 22;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program p;
	struct program_request r = {.path = "fuzz.ptx", .text = (const char *)data, .size = size};
	struct text out = {0};

	if (size > 1 << 20 || (size > 4 && memcmp(data, "PTX ", 4) == 0))
		return 0;
	program_load(&p, &r);
	for (uint32_t k = 0; !p.status && k < p.script.cases.count && k < 4; k++) {
		struct host_request h = {
			.module = p.module, .in = &p.script.cases.data[k], .judge = true};
		struct report report;

		if (!small(h.in))
			continue;
		h.options.machine = (struct machine_options){.checks = size & 1 ? 15 : 0,
			.jobs = 1,
			.seed = 1,
			.max_steps = 20000,
			.timeout = 2};
		h.options.given = RUN_MAX_STEPS | RUN_TIMEOUT | RUN_RUNS;
		host_run(&h, &report);
		json_report(&p, h.in, &report, NULL, &out);
		diag_render(&report.findings, &out, false);
		report_free(&report);
	}
	diag_render(&p.diags, &out, false);
	text_free(&out);
	program_free(&p);
	return 0;
}
