/* Helpers for tests of launches: a module with any kernels on a machine with any options, queued in
 * streams, and the words that they leave in memory. */
#ifndef PTXI_TESTS_WORLD_H
#define PTXI_TESTS_WORLD_H
#include "assembler/assembler.h"
#include "interp/machine.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1024 };

struct world {
	struct arena arena;
	struct diags diags;
	struct source *source;
	struct ir_module *module;
	struct machine *machine;
	uint64_t out; /* WORDS zeroed u32 */
	uint32_t word[WORDS];
};

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* A kernel of one parameter: the address of the words. */
#define KERNEL(name, body) ".visible .entry " #name "(.param .u64 out)\n{\n" REGS body "\n}\n"
#define REGS \
	".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>;\n" \
	"ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd1, %rd0; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n" \
	"mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n"
/* %rd1: words, %r0: tid, %r1: cta, %r3: linear thread, %rd3: the thread's own word. */

static inline void show(struct world *w)
{
	struct text t = {0};

	diag_render(&w->diags, &t, false);
	cr_log_info("%s", text_str(&t));
	text_free(&t);
}

static inline struct world *load(const char *text, const struct machine_options *options)
{
	struct world *w = calloc(1, sizeof *w);
	static const struct machine_options plain = {
		.checks = CHECK_BOUNDS | CHECK_SYNC, .jobs = 1};

	w->source = source_new(&w->arena, "test.ptx", text, strlen(text));
	w->module = assemble(w->source, &(struct assemble_options){0}, &w->diags);
	if (!w->module)
		show(w);
	cr_assert_not_null(w->module);
	w->machine = machine_new(w->module, options ? options : &plain, &w->diags);
	cr_assert_not_null(w->machine);
	w->out = machine_alloc(w->machine, sizeof w->word, "out", true);
	cr_assert(machine_write(w->machine, w->out, w->word, sizeof w->word));
	return w;
}

static inline bool queue(
	struct world *w, const char *kernel, uint32_t ctas, uint32_t threads, uint32_t stream)
{
	struct machine_launch l = {.grid = {ctas, 1, 1},
		.block = {threads, 1, 1},
		.stream = stream,
		.params = &w->out,
		.source = w->source};

	l.func = ir_find_func(w->module, kernel);
	cr_assert_neq(l.func, IR_NONE);
	return machine_launch(w->machine, &l);
}

static inline enum machine_status sync_all(struct world *w)
{
	enum machine_status s = machine_sync(w->machine);

	show(w);
	cr_assert(machine_read(w->machine, w->out, w->word, sizeof w->word, NULL));
	return s;
}

static inline enum machine_status run(
	struct world *w, const char *kernel, uint32_t ctas, uint32_t threads)
{
	cr_assert(queue(w, kernel, ctas, threads, 0));
	return sync_all(w);
}

static inline void done(struct world *w)
{
	machine_free(w->machine);
	ir_module_free(w->module);
	diags_free(&w->diags);
	arena_free(&w->arena);
	free(w);
}

static inline bool found(const struct world *w, enum diag_code code)
{
	for (const struct diag *d = w->diags.first; d; d = d->next)
		if (d->code == code)
			return true;
	return false;
}

static inline bool noted(const struct world *w, const char *text)
{
	for (const struct diag *d = w->diags.first; d; d = d->next)
		for (unsigned k = 0; k < d->nnotes; k++)
			if (strstr(d->notes[k], text))
				return true;
	return false;
}

#endif
