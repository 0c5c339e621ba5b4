/* A launch as a host program makes it: buffers are allocated and filled, the parameter buffer is
 * built from bytes, and the kernel runs. Every mistake of the caller is a finding. */
#include "script/files/launch.h"
#include "backend/interp.h"
#include "script/lang/resolve.h"
#include "script/verdict/judge.h"
#include <string.h>

static bool wrong(struct kernel_run *k, enum diag_code code, const char *message)
{
	diag_plain(&k->report->findings, code, "%s", message);
	return false;
}

static const char *param_name(const struct kernel_run *k, const struct ir_var *p)
{
	return symbol_text(&k->module->symbols, p->name);
}

/* Gets argument N onto the device, and its value into OUT, the place of parameter P. */
static bool argument(struct kernel_run *k, size_t n, const struct ir_var *p, unsigned char *out)
{
	const struct ptxi_arg *a = &k->ask->args[n];
	struct arena *arena = &k->report->arena;
	const struct backend *b = &k->backend;

	if (!a->data && a->size)
		return wrong(k, DIAG_L0110,
			arena_printf(arena, "argument %zu has a size but no data", n + 1));
	if (a->kind == PTXI_VALUE) {
		if (a->size != p->size)
			return wrong(k, DIAG_L0110,
				arena_printf(arena,
					"argument %zu has %zu bytes; parameter %.80s has %llu",
					n + 1, a->size, param_name(k, p),
					(unsigned long long)p->size));
		if (a->size)
			memcpy(out, a->data, a->size);
		return true;
	}
	if (a->kind != PTXI_BUFFER && a->kind != PTXI_INPUT)
		return wrong(k, DIAG_L0110,
			arena_printf(arena, "argument %zu has an unknown kind", n + 1));
	if (p->size != sizeof *k->address)
		return wrong(k, DIAG_L0110,
			arena_printf(arena,
				"argument %zu is a buffer, but parameter %.80s has %llu bytes; an address has 8",
				n + 1, param_name(k, p), (unsigned long long)p->size));
	k->address[n] = b->alloc(b->self, a->size ? a->size : 1,
		a->name ? arena_text(arena, a->name, strlen(a->name)) : param_name(k, p), false);
	if (!k->address[n])
		return wrong(k, DIAG_B0003,
			arena_printf(arena,
				"argument %zu: %zu bytes exceed what is left of the memory limit (max-memory)",
				n + 1, a->size));
	if (a->element && a->element <= a->size)
		b->element(b->self, k->address[n], a->element);
	if (a->size && !b->write(b->self, k->address[n], a->data, a->size))
		return wrong(k, DIAG_L0402, "a buffer cannot be written");
	memcpy(out, &k->address[n], sizeof *k->address);
	return true;
}

static bool arguments(struct kernel_run *k, const struct ir_func *f, unsigned char *params)
{
	if (k->ask->nargs != f->nparams || (k->ask->nargs && !k->ask->args))
		return wrong(k, DIAG_L0108,
			arena_printf(&k->report->arena,
				"%.80s has %u parameters; %zu arguments were given", k->ask->kernel,
				f->nparams, k->ask->args ? k->ask->nargs : 0));
	for (uint32_t n = 0; n < f->nparams; n++) {
		const struct ir_var *p = &k->module->var[f->param + n];

		if (!argument(k, n, p, params + p->offset))
			return false;
	}
	return true;
}

/* IR_NONE: none or several have the name, which is reported. */
static uint32_t kernel_named(struct kernel_run *k)
{
	struct script names = {0};
	struct resolver r = {.s = &names, .m = k->module, .diags = &k->report->findings};
	uint32_t func = resolve_kernel(
		&r, NULL, (struct span){0}, k->ask->kernel ? k->ask->kernel : "");

	arena_free(&names.arena);
	return func;
}

static bool launch(struct kernel_run *k)
{
	struct report *r = k->report;
	const struct backend *b = &k->backend;
	struct machine_launch l = {.dynamic_shared = k->ask->shared_bytes};
	const struct ir_func *f;
	unsigned char *params;
	const char *text;
	size_t n;

	l.func = kernel_named(k);
	if (l.func == IR_NONE)
		return false;
	f = &k->module->func[l.func];
	params = arena_zalloc(&r->arena, f->param_bytes + 16u, 16);
	if (!arguments(k, f, params))
		return false;
	l.params = params;
	l.source = k->module->source;
	l.span = f->span;
	for (unsigned d = 0; d < 3; d++) {
		l.grid[d] = k->ask->grid[d] ? k->ask->grid[d] : 1;
		l.block[d] = k->ask->block[d] ? k->ask->block[d] : 1;
		l.cluster[d] = k->ask->cluster[d];
	}
	for (unsigned d = 0; d < 3; d++)
		if (l.cluster[0] + l.cluster[1] + l.cluster[2] && !l.cluster[d])
			l.cluster[d] = 1;
	if (!b->launch(b->self, &l))
		return r->findings.errors > 0 ||
			wrong(k, DIAG_L0402, "the machine rejected this launch");
	r->ended = b->sync(b->self);
	text = b->output(b->self, &n);
	text_add(&r->output, text, n);
	return true;
}

void kernel_run(struct kernel_run *k)
{
	struct script_case empty = {0};
	struct host_request h = {.module = k->module, .in = &empty, .options = k->options};
	struct evidence e = {.in = &empty, .report = k->report};
	struct backend_request open = {.kind = BACKEND_INTERP, .module = k->module};

	*k->report = (struct report){0};
	host_options(&h, &k->options);
	open.options = &k->options.machine;
	open.findings = &k->report->findings;
	k->report->executions = 1;
	k->report->incomplete = !backend_open_interp(&open, &k->backend) || !launch(k);
	if (k->report->ended == MACHINE_DONE && k->report->incomplete)
		k->report->ended = MACHINE_FAULT;
	judge_case(&e, k->report->incomplete);
}

void kernel_end(struct kernel_run *k)
{
	const struct backend *b = &k->backend;

	if (!b->self)
		return;
	for (size_t n = 0; k->ask->args && n < k->ask->nargs; n++) {
		const struct ptxi_arg *a = &k->ask->args[n];

		if (k->address[n] && a->kind == PTXI_BUFFER && a->size)
			b->read(b->self, k->address[n], a->data, a->size, NULL);
	}
	b->close(b->self);
}
