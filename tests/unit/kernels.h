/* Helpers for tests of memory: a module made from one kernel's body, run on some threads, and the
 * words that it leaves in memory. */
#ifndef PTXI_TESTS_KERNELS_H
#define PTXI_TESTS_KERNELS_H
#include "assembler/assembler.h"
#include "interp/machine.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1024 };

struct kernel {
	struct arena arena;
	struct diags diags;
	struct source *source;
	struct ir_module *module;
	struct machine *machine;
	uint64_t out;
	union {
		uint32_t word[WORDS];
		uint64_t wide[WORDS / 2];
		uint8_t byte[WORDS * 4];
	};
	enum machine_status status;
	struct text text;
};

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"
/* %rd1: the words, %r0: tid, %r1: cta, %rd3: the thread's own word, %rd4: its own 8 bytes */
#define BEGIN \
	".visible .entry k(.param .u64 out)\n{\n" \
	".reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<40>; .reg .b64 %rd<24>; .reg .f32 %f<8>; .reg .f64 %fd<8>; .reg .b128 %q<8>;\n" \
	"ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 32, %r0;\n" \
	"mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd3, %rd2;\n"
#define END "\nret;\n}\n"

static inline struct kernel *kernel_open(
	const char *text, const struct machine_options *options, bool initialised)
{
	struct kernel *k = calloc(1, sizeof *k);

	k->source = source_new(&k->arena, "test.ptx", text, strlen(text));
	k->module = assemble(k->source, &(struct assemble_options){0}, &k->diags);
	if (!k->module) {
		diag_render(&k->diags, &k->text, false);
		cr_log_error("%s", text_str(&k->text));
	}
	cr_assert_not_null(k->module);
	k->machine = machine_new(k->module, options, &k->diags);
	cr_assert_not_null(k->machine);
	k->out = machine_alloc(k->machine, sizeof k->word, "out", initialised);
	cr_assert_neq(k->out, 0);
	return k;
}

static inline struct kernel *kernel_load(
	const char *text, uint8_t checks, unsigned jobs, bool initialised)
{
	return kernel_open(
		text, &(struct machine_options){.checks = checks, .jobs = jobs}, initialised);
}

static inline void kernel_run(struct kernel *k, uint32_t ctas, uint32_t threads, uint32_t dynamic)
{
	struct machine_launch l = {.grid = {ctas, 1, 1},
		.block = {threads, 1, 1},
		.params = &k->out,
		.source = k->source,
		.dynamic_shared = dynamic};

	l.func = ir_find_func(k->module, "k");
	cr_assert_neq(l.func, IR_NONE);
	cr_assert(machine_launch(k->machine, &l));
	k->status = machine_sync(k->machine);
	cr_assert(machine_read(k->machine, k->out, k->word, sizeof k->word, NULL));
	text_clear(&k->text);
	diag_render(&k->diags, &k->text, false);
}

/* TEXT is the whole file; one CTA. */
static inline struct kernel *kernel_file(const char *text, uint32_t threads)
{
	struct kernel *k = kernel_load(text, CHECK_BOUNDS | CHECK_SYNC, 1, true);

	kernel_run(k, 1, threads, 0);
	return k;
}

static inline void kernel_done(struct kernel *k)
{
	machine_free(k->machine);
	ir_module_free(k->module);
	diags_free(&k->diags);
	text_free(&k->text);
	arena_free(&k->arena);
	free(k);
}

#define kernel_ok(k) \
	do { \
		cr_assert_eq((k)->status, MACHINE_DONE, "%s", text_str(&(k)->text)); \
		cr_assert_eq((k)->diags.count, 0, "%s", text_str(&(k)->text)); \
	} while (0)

static inline bool kernel_found(const struct kernel *k, enum diag_code code)
{
	for (const struct diag *d = k->diags.first; d; d = d->next)
		if (d->code == code)
			return true;
	return false;
}
/* Expects a finding of CODE whose text contains PART. */
#define kernel_fault(k, code_, part) \
	do { \
		cr_assert(kernel_found(k, code_), "%s", text_str(&(k)->text)); \
		cr_assert_not_null( \
			strstr(text_str(&(k)->text), part), "%s", text_str(&(k)->text)); \
	} while (0)

#endif
