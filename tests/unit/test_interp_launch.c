/* Launches: streams and events, shapes, budgets, statistics, registers at exit, observers. */
#include "interp/observer.h"
#include "tests/unit/world.h"

/* --- launches, streams, budgets --- */

#define WAITER \
	KERNEL(waiter, \
		"again: ld.acquire.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p0, %r5, 0; @%p0 bra again; st.global.u32 [%rd1+4], %r5; ret;")
#define SETTER KERNEL(setter, "st.release.gpu.global.u32 [%rd1], 7; ret;")
#define ADDER \
	KERNEL(adder, \
		"ld.global.u32 %r5, [%rd1+8]; mad.lo.u32 %r5, %r5, 10, 1; st.global.u32 [%rd1+8], %r5; ret;")
#define TRIPLER \
	KERNEL(tripler, \
		"ld.global.u32 %r5, [%rd1+8]; mad.lo.u32 %r5, %r5, 10, 2; st.global.u32 [%rd1+8], %r5; ret;")

Test(streams, a_kernel_waits_for_another_stream)
{
	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		struct world *w = load(HEAD WAITER SETTER, &(struct machine_options){.jobs = jobs});

		cr_assert(queue(w, "waiter", 40, 64, 1));
		cr_assert(queue(w, "setter", 1, 1, 2));
		cr_assert_eq(sync_all(w), MACHINE_DONE);
		cr_assert_eq(w->word[1], 7);
		done(w);
	}
}

Test(streams, the_same_stream_never_gets_there)
{
	struct world *w = load(HEAD WAITER SETTER, NULL);

	cr_assert(queue(w, "waiter", 1, 32, 1));
	cr_assert(queue(w, "setter", 1, 1, 1));
	cr_assert_eq(sync_all(w), MACHINE_DEADLOCK);
	done(w);
}

Test(streams, the_default_stream_orders_with_all)
{
	struct world *w = load(HEAD WAITER SETTER, NULL);

	cr_assert(queue(w, "waiter", 1, 32, 1));
	cr_assert(queue(w, "setter", 1, 1, 0));
	cr_assert_eq(sync_all(w), MACHINE_DEADLOCK);
	done(w);
}

Test(streams, order_within_a_stream_and_by_event)
{
	struct world *w = load(HEAD ADDER TRIPLER, NULL);

	cr_assert(queue(w, "adder", 1, 1, 1));
	cr_assert(queue(w, "tripler", 1, 1, 1));
	machine_record(w->machine, 5, 1);
	machine_wait(w->machine, 5, 2);
	machine_wait(w->machine, 6, 2); /* never recorded */
	cr_assert(queue(w, "adder", 1, 1, 2));
	cr_assert(queue(w, "tripler", 1, 1, 0));
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	cr_assert_eq(w->word[2], 1212);
	cr_assert(queue(w, "adder", 1, 1, 3));
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	cr_assert_eq(w->word[2], 12121);
	done(w);
}

Test(launch, impossible_shapes)
{
	struct world *w = load(HEAD
		".visible .entry k() .reqntid 64 { ret; }\n.visible .entry m() .maxntid 32 { ret; }\n",
		NULL);

	cr_assert_not(queue(w, "k", 1, 32, 0));
	cr_assert(found(w, DIAG_F0102));
	cr_assert(queue(w, "k", 1, 64, 0));
	cr_assert_not(queue(w, "m", 1, 33, 0));
	cr_assert_not(queue(w, "m", 0, 32, 0));
	cr_assert(found(w, DIAG_F0101));
	cr_assert_not(queue(w, "m", 1, 2048, 0));
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	done(w);
}

/* Each CTA waits for all others. All CTAs of a cooperative launch run at the same time; of another
 * launch those for which there is room, 132 * 32 CTAs of one warp. */
Test(launch, all_of_a_cooperative_launch_are_resident)
{
	static const char text[] = HEAD KERNEL(k,
		"mov.u32 %r4, %nctaid.x; red.relaxed.gpu.global.add.u32 [%rd1], 1; again: ld.relaxed.gpu.global.u32 %r5, [%rd1]; setp.ne.u32 %p0, %r5, %r4; @%p0 bra again; ret;");
	static const struct {
		uint32_t ctas;
		bool cooperative;
		enum machine_status status;
	} rows[] = {{4224, false, MACHINE_DONE}, {4225, false, MACHINE_DEADLOCK},
		{4300, true, MACHINE_DONE}};

	for (unsigned k = 0; k < 3; k++) {
		struct world *w = load(text, NULL);
		struct machine_launch l = {.func = ir_find_func(w->module, "k"),
			.grid = {rows[k].ctas, 1, 1},
			.block = {1, 1, 1},
			.cooperative = rows[k].cooperative,
			.params = &w->out,
			.source = w->source};

		cr_assert(machine_launch(w->machine, &l));
		cr_assert_eq(sync_all(w), rows[k].status, "row %u", k);
		done(w);
	}
}

Test(launch, a_bound_on_steps)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"mov.u32 %r5, 0;\nagain: add.u32 %r5, %r5, 1; setp.ne.u32 %p0, %r5, 0; @%p0 bra again; ret;"),
		&(struct machine_options){.max_steps = 100000, .jobs = 1});
	struct machine_stats s;

	cr_assert_eq(run(w, "k", 4, 64), MACHINE_BUDGET);
	cr_assert(found(w, DIAG_B0001));
	machine_stats(w->machine, &s);
	cr_assert_eq(s.warp_instructions, 100000);
	done(w);
}

Test(launch, a_bound_on_time)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"mov.u64 %rd5, 0;\nagain: add.u64 %rd5, %rd5, 1; setp.ne.u64 %p0, %rd5, 0; @%p0 bra again; ret;"),
		&(struct machine_options){.timeout = 0.2, .jobs = 1});

	cr_assert_eq(run(w, "k", 4, 64), MACHINE_BUDGET);
	cr_assert(found(w, DIAG_B0002));
	done(w);
}

Test(launch, statistics_count_threads)
{
	struct world *w = load(HEAD
		".visible .entry k() { .reg .pred %p; .reg .b32 %r<2>; mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 8; @%p bra a; add.u32 %r1, %r0, 1; a: ret; }\n",
		NULL);
	struct machine_stats s;

	cr_assert_eq(run(w, "k", 3, 48), MACHINE_DONE);
	machine_stats(w->machine, &s);
	cr_assert_eq(s.thread_instructions, 3u * (48 * 4 + 40));
	cr_assert_eq(s.divergent_branches, 3);
	cr_assert_eq(s.launches, 1);
	cr_assert_eq(s.threads, 144);
	cr_assert_eq(s.warps, 6);
	cr_assert_eq(s.ctas, 3);
	done(w);
}

Test(launch, registers_at_exit)
{
	struct world *w = load(
		HEAD KERNEL(k, "setp.gt.u32 %p3, %r3, 20; mul.lo.u32 %r9, %r3, 3; ret;"), NULL);
	uint64_t value;
	bool defined;

	machine_keep_registers(w->machine, true);
	cr_assert_eq(run(w, "k", 2, 32), MACHINE_DONE);
	cr_assert(machine_register(w->machine, 40,
		ir_find_reg(w->module, ir_find_func(w->module, "k"), "%r9"), &value, &defined));
	cr_assert_eq(value, 120);
	cr_assert(machine_register(w->machine, 40,
		ir_find_reg(w->module, ir_find_func(w->module, "k"), "%p3"), &value, &defined));
	cr_assert_eq(value, 1);
	cr_assert_not(machine_register(w->machine, 64, 0, &value, &defined));
	done(w);
}

Test(launch, many_small_ctas_on_two_threads)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"and.b32 %r5, %r1, 1023; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd4, %rd1, %rd4; atom.global.add.u32 %r6, [%rd4], 1; ret;"),
		&(struct machine_options){.jobs = 2});

	cr_assert_eq(run(w, "k", 20480, 32), MACHINE_DONE);
	for (unsigned k = 0; k < WORDS; k++)
		cr_assert_eq(w->word[k], 640);
	done(w);
}

Test(launch, what_does_not_fit_is_refused)
{
	struct world *w = load(HEAD
		".shared .align 16 .b8 big[40960];\n" KERNEL(k, "st.shared.u32 [big], %r0; ret;"),
		NULL);
	struct machine_launch l = {.grid = {1, 1, 1},
		.block = {32, 1, 1},
		.params = &w->out,
		.func = ir_find_func(w->module, "k"),
		.dynamic_shared = 200000};

	cr_assert_not(machine_launch(w->machine, &l));
	cr_assert(found(w, DIAG_F0103));
	l.dynamic_shared = 100000;
	l.device = 1;
	cr_assert_not(machine_launch(w->machine, &l));
	cr_assert(found(w, DIAG_F0104));
	l.device = 0;
	cr_assert(machine_launch(w->machine, &l));
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	done(w);
}

Test(launch, a_function_without_a_body)
{
	struct world *w = load(HEAD ".extern .func elsewhere();\n" KERNEL(k, "call elsewhere; ret;")
				       KERNEL(m, "ret;"),
		NULL);

	cr_assert_not(queue(w, "k", 1, 32, 0));
	cr_assert(found(w, DIAG_U0002));
	cr_assert(queue(w, "m", 1, 32, 0), "a kernel that does not need it runs");
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	done(w);
}

Test(launch, the_same_results_on_one_thread_and_on_three)
{
	static uint32_t first[WORDS];

	for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
		struct world *w = load(
			HEAD KERNEL(k,
				"mov.u32 %r5, 0; mov.u32 %r6, %r3;\nagain: mad.lo.u32 %r6, %r6, 1664525, 1013904223; add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 3000;\n"
				"@%p0 bra again; bar.sync 0; st.global.u32 [%rd3], %r6; ret;"),
			&(struct machine_options){.jobs = jobs});

		cr_assert_eq(run(w, "k", 16, 64), MACHINE_DONE);
		if (jobs == 1)
			memcpy(first, w->word, sizeof first);
		cr_assert_arr_eq(w->word, first, sizeof first);
		done(w);
	}
}

Test(launch, registers_without_a_value)
{
	struct world *w = load(HEAD
		".visible .entry k() { .reg .b32 %r<3>; mov.u32 %r0, 5; add.u32 %r2, %r1, 1; ret; }\n",
		&(struct machine_options){.checks = CHECK_INIT, .jobs = 1});
	static const char *const name[] = {"%r0", "%r1", "%r2"};
	uint64_t value;
	bool defined;

	machine_keep_registers(w->machine, true);
	cr_assert_eq(run(w, "k", 1, 2), MACHINE_DONE);
	for (unsigned k = 0; k < 3; k++) {
		cr_assert(machine_register(w->machine, 1,
			ir_find_reg(w->module, ir_find_func(w->module, "k"), name[k]), &value,
			&defined));
		cr_assert_eq(defined, k == 0, "%s", name[k]);
	}
	done(w);
}

/* --- observers --- */

struct counts {
	uint64_t insns, arrivals, completions, begun, ended, exited;
};

static void count_insn(struct observer *o, struct warp *w, const struct op *op, uint32_t mask)
{
	(void)w;
	(void)op;
	((struct counts *)o->self)->insns += (unsigned)__builtin_popcount(mask);
}

static void count_sync(struct observer *o, const struct sync_event *e)
{
	struct counts *c = o->self;

	c->arrivals += e->kind == SYNC_ARRIVE;
	c->completions += e->kind == SYNC_COMPLETE;
}

static void count_life(struct observer *o, const struct life_event *e)
{
	struct counts *c = o->self;

	c->begun += e->kind == LIFE_CTA_BEGIN;
	c->ended += e->kind == LIFE_CTA_END;
	if (e->kind == LIFE_LANES_EXIT)
		c->exited += (unsigned)__builtin_popcount(e->mask);
}

Test(observer, sees_every_instruction_barrier_and_exit)
{
	struct world *w = load(HEAD ".visible .entry k() { bar.sync 0; ret; }\n", NULL);
	struct counts c = {0};
	struct observer o = {.interest = INTEREST_INSN | INTEREST_SYNC | INTEREST_LIFE,
		.serial = true,
		.self = &c,
		.insn = count_insn,
		.sync = count_sync,
		.life = count_life};

	machine_observe(w->machine, &o);
	cr_assert_eq(run(w, "k", 2, 96), MACHINE_DONE);
	cr_assert_eq(c.insns, 2 * 96 * 2);
	cr_assert_eq(c.arrivals, 6);
	cr_assert_eq(c.completions, 2);
	cr_assert_eq(c.begun, 2);
	cr_assert_eq(c.ended, 2);
	cr_assert_eq(c.exited, 192);
	done(w);
}
