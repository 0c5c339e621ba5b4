/* Implements the public interface, include/ptxi/ptxi.h, on top of programs and reports. */
#include "base/memory.h"
#include <ptxi/status.h>
#include <ptxi/ptxi.h>
#include "script/host/host.h"
#include "script/verdict/show.h"
#include <stdlib.h>
#include <string.h>

struct ptxi_program {
	struct program p;
	struct run_options options;
	struct text diagnostics, json, ptx;
};

struct ptxi_result {
	int status, verdict;
	struct text reason, output, json;
};

const char *ptxi_version(void) { return "0.2.0"; }

static void settings_apply(struct ptxi_program *p, const char *const *list)
{
	struct text why = {0};

	for (; list && *list; list++) {
		const char *equals = strchr(*list, '=');
		char *name = arena_text(
			&p->p.arena, *list, equals ? (size_t)(equals - *list) : strlen(*list));

		text_clear(&why);
		if (option_apply(&p->options, name, equals ? equals + 1 : "", true, &why) ==
			OPTION_FITS)
			continue;
		diag_plain(&p->p.diags, DIAG_L0115, "'%s' is not a setting%s%s", *list,
			why.len ? ": " : "", text_str(&why));
		p->p.status = p->p.status ? p->p.status : PTXI_USAGE;
	}
	text_free(&why);
}

struct ptxi_program *ptxi_load(
	const char *name, const char *text, size_t n, const struct ptxi_options *options)
{
	static const struct ptxi_options none = {0};
	struct ptxi_program *p = memory_zeroed(1, sizeof *p);
	const struct ptxi_options *o = options ? options : &none;
	struct program_request r = {.path = name,
		.text = text,
		.size = n,
		.lines = o->lines,
		.assemble = {.target = o->target}};

	while (o->lines && o->lines[r.nlines])
		r.nlines++;
	p->options.machine.checks = CHECK_BOUNDS | CHECK_SYNC;
	p->options.machine.jobs = o->jobs;
	p->options.machine.seed = 1;
	program_load(&p->p, &r);
	settings_apply(p, o->settings);
	return p;
}

void ptxi_free(struct ptxi_program *p)
{
	if (!p)
		return;
	text_free(&p->diagnostics);
	text_free(&p->json);
	text_free(&p->ptx);
	program_free(&p->p);
	free(p);
}

int ptxi_status(const struct ptxi_program *p) { return p->p.status; }

const char *ptxi_diagnostics(struct ptxi_program *p)
{
	text_clear(&p->diagnostics);
	diag_render(&p->p.diags, &p->diagnostics, false);
	return text_str(&p->diagnostics);
}

const char *ptxi_diagnostics_json(struct ptxi_program *p)
{
	text_clear(&p->json);
	diag_render_json(&p->p.diags, &p->json);
	return text_str(&p->json);
}

const char *ptxi_disassemble(struct ptxi_program *p)
{
	if (!p->p.module)
		return NULL;
	text_clear(&p->ptx);
	assembler_print(p->p.module, &p->ptx);
	return text_str(&p->ptx);
}

size_t ptxi_cases(const struct ptxi_program *p) { return p->p.script.cases.count; }

struct ptxi_result *ptxi_run(struct ptxi_program *p, size_t k)
{
	struct host_request h = {.module = p->p.module, .options = p->options};
	struct ptxi_result *out;
	struct report r;

	if (p->p.status || k >= p->p.script.cases.count)
		return NULL;
	h.in = &p->p.script.cases.data[k];
	host_run(&h, &r);
	out = memory_zeroed(1, sizeof *out);
	out->status = r.status;
	out->verdict = (int)r.verdict;
	text_puts(&out->reason, r.reason && r.verdict != VERDICT_PASS ? r.reason : "");
	text_add(&out->output, text_str(&r.output), r.output.len);
	json_report(&p->p, h.in, &r, NULL, &out->json);
	report_free(&r);
	return out;
}

void ptxi_result_free(struct ptxi_result *r)
{
	if (!r)
		return;
	text_free(&r->reason);
	text_free(&r->output);
	text_free(&r->json);
	free(r);
}

int ptxi_result_status(const struct ptxi_result *r) { return r->status; }

int ptxi_result_verdict(const struct ptxi_result *r) { return r->verdict; }

const char *ptxi_result_reason(const struct ptxi_result *r) { return text_str(&r->reason); }

const char *ptxi_result_output(const struct ptxi_result *r, size_t *n)
{
	if (n)
		*n = r->output.len;
	return text_str(&r->output);
}

const char *ptxi_result_json(const struct ptxi_result *r) { return text_str(&r->json); }
