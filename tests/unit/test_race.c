/* The race checker's clocks, and kernels whose races have a known kind and number. */
#include "base/rng.h"
#include "check/race.h"
#include "check/race_clock.h"
#include "tests/unit/kernels.h"

/* CTA 0 of launch 0: warps 0, 1; CTA 1 of launch 0: warp 2; CTA 2 of launch 1: warp 3. */
static struct family family(void)
{
	static const uint32_t cta[] = {0, 0, 1, 2}, launch[] = {0, 0, 1};
	struct family f = {0};

	for (unsigned k = 0; k < 4; k++)
		*vec_push(&f.warp_cta) = cta[k];
	for (unsigned k = 0; k < 3; k++)
		*vec_push(&f.cta_launch) = launch[k];
	return f;
}

static void family_free(struct family *f)
{
	vec_free(&f->warp_cta);
	vec_free(&f->cta_launch);
}

Test(race_clock, levels)
{
	struct family f = family();
	const struct known some[] = {{key_thread(0, 3), 10}, {key_of(KEY_WARP, 1), 20},
		{key_of(KEY_CTA, 1), 30}, {key_of(KEY_LAUNCH, 1), 40}};
	struct clock *c = clock_join(clock_new(5), &f, NULL, some, 4, 50);

	cr_assert(clock_knows(c, &f, 0, 3, 10));
	cr_assert_not(clock_knows(c, &f, 0, 3, 11));
	cr_assert_not(clock_knows(c, &f, 0, 4, 10));
	cr_assert(clock_knows(c, &f, 0, 4, 5), "the floor");
	cr_assert(clock_knows(c, &f, 1, 31, 20));
	cr_assert_not(clock_knows(c, &f, 1, 31, 21));
	cr_assert(clock_knows(c, &f, 2, 0, 30));
	cr_assert_not(clock_knows(c, &f, 2, 0, 31));
	cr_assert(clock_knows(c, &f, 3, 0, 40));
	cr_assert_not(clock_knows(c, &f, 3, 0, 41));
	clock_unref(c);
	family_free(&f);
}

Test(race_clock, join_keeps_the_latest_and_drops_what_is_covered)
{
	struct family f = family();
	const struct known one[] = {{key_thread(0, 1), 10}, {key_of(KEY_WARP, 1), 12}},
			   two[] = {{key_thread(0, 1), 14}}, all[] = {{key_of(KEY_CTA, 0), 20}};
	struct clock *a = clock_join(clock_new(1), &f, NULL, one, 2, 50),
		     *b = clock_join(clock_new(1), &f, NULL, two, 1, 50), *was;

	a = clock_join(a, &f, b, NULL, 0, 50);
	cr_assert_eq(a->n, 2);
	cr_assert(clock_knows(a, &f, 0, 1, 14));
	was = a;
	a = clock_join(a, &f, b, one, 2, 50);
	cr_assert_eq(a, was, "nothing new: the same clock");
	a = clock_join(a, &f, NULL, all, 1, 50);
	cr_assert_eq(a->n, 1, "the CTA's entry covers those of its warps and threads");
	cr_assert(clock_knows(a, &f, 1, 0, 20));
	clock_unref(a);
	clock_unref(b);
	family_free(&f);
}

Test(race_clock, threads_that_know_the_same_share_a_clock)
{
	struct family f = family();
	const struct known one[] = {{key_thread(0, 1), 10}}, two[] = {{key_thread(0, 1), 14}};
	struct clock *small = clock_join(clock_new(1), &f, NULL, one, 1, 50),
		     *large = clock_join(clock_new(1), &f, NULL, two, 1, 50);
	struct clock *is = clock_join(small, &f, large, NULL, 0, 50);

	cr_assert_eq(is, large, "the first adds nothing to the second");
	cr_assert_eq(large->refs, 2);
	is = clock_join(is, &f, NULL, (struct known[]){{key_thread(0, 1), 20}}, 1, 50);
	cr_assert_neq(is, large, "what another has stays as it is");
	cr_assert_not(clock_knows(large, &f, 0, 1, 20));
	cr_assert(clock_knows(is, &f, 0, 1, 20));
	clock_unref(is);
	clock_unref(large);
	family_free(&f);
}

/* Random clocks of launches, CTAs, warps and threads, whose numbers are in no order, against the
 * definition: a join covers what one of the joined covers, and has no entry that another covers. */
enum { LAUNCHES = 3, CTAS = 7, WARPS = 20, THREADS = WARPS * 4 };
static void random_list(struct known *list, unsigned n, struct rng *rng)
{
	for (unsigned k = 0; k < n; k++) {
		enum key_kind kind = (enum key_kind)rng_below(rng, 8);
		uint64_t stamp = 1 + rng_below(rng, 40);

		list[k] = kind == KEY_LAUNCH
			? (struct known){key_of(kind, rng_below(rng, LAUNCHES)), stamp}
			: kind == KEY_CTA
			? (struct known){key_of(kind, rng_below(rng, CTAS)), stamp}
			: kind == KEY_WARP
			? (struct known){key_of(kind, rng_below(rng, WARPS)), stamp}
			: (struct known){
				  key_thread(rng_below(rng, WARPS), rng_below(rng, 4)), stamp};
	}
}

/* The stamp up to which LIST covers thread LANE of WARP. */
static uint64_t covered(
	const struct known *list, uint32_t n, const struct family *f, uint32_t warp, unsigned lane)
{
	uint32_t cta = f->warp_cta.data[warp];
	const uint64_t keys[] = {key_thread(warp, lane), key_of(KEY_WARP, warp),
		key_of(KEY_CTA, cta), key_of(KEY_LAUNCH, f->cta_launch.data[cta])};
	uint64_t stamp = 0;

	for (uint32_t k = 0; k < n; k++)
		for (unsigned j = 0; j < 4; j++)
			if (list[k].key == keys[j] && list[k].stamp > stamp)
				stamp = list[k].stamp;
	return stamp;
}

Test(race_clock, joins_cover_what_the_joined_cover)
{
	struct rng rng = {7};
	struct clock_joins joins = {0};

	for (unsigned round = 0; round < 2000; round++) {
		struct family f = {0};
		struct known list[3][24];
		uint32_t n[3];
		uint64_t floor[2];
		struct clock *c[2];

		for (unsigned k = 0; k < WARPS; k++)
			*vec_push(&f.warp_cta) = rng_below(&rng, CTAS);
		for (unsigned k = 0; k < CTAS; k++)
			*vec_push(&f.cta_launch) = rng_below(&rng, LAUNCHES);
		for (unsigned k = 0; k < 3; k++)
			random_list(list[k], n[k] = rng_below(&rng, 25), &rng);
		for (unsigned k = 0; k < 2; k++) {
			floor[k] = rng_below(&rng, 6);
			c[k] = clock_join(clock_new(floor[k]), &f, NULL, list[k], n[k], 90);
		}
		struct clock *twice = clock_join_again(&joins, clock_ref(c[0]), &f, c[1], 90),
			     *again = clock_join_again(&joins, clock_ref(c[0]), &f, c[1], 90);

		cr_assert(twice == again || c[1]->n < CLOCK_LONG, "the same join, once");
		twice = clock_join(twice, &f, NULL, list[2], n[2], 90);
		for (uint32_t warp = 0; warp < WARPS; warp++)
			for (unsigned lane = 0; lane < 4; lane++) {
				uint64_t want = floor[0] > floor[1] ? floor[0] : floor[1];

				for (unsigned k = 0; k < 3; k++)
					if (covered(list[k], n[k], &f, warp, lane) > want)
						want = covered(list[k], n[k], &f, warp, lane);
				cr_assert(clock_knows(twice, &f, warp, lane, (uint32_t)want));
				cr_assert_not(
					clock_knows(twice, &f, warp, lane, (uint32_t)want + 1));
			}
		for (uint32_t k = 0; k < twice->n; k++) {
			struct clock *without = clock_with_room(twice->n);

			without->floor = twice->floor;
			for (uint32_t j = 0; j < twice->n; j++)
				if (j != k)
					without->known[without->n++] = twice->known[j];
			struct clock *with = clock_join(
				clock_ref(without), &f, NULL, &twice->known[k], 1, 90);

			cr_assert_neq(with, without, "an entry that another covers");
			cr_assert(!k || twice->known[k - 1].key < twice->known[k].key);
			clock_unref(with);
			clock_unref(without);
		}
		clock_unref(twice);
		clock_unref(again);
		clock_unref(c[0]);
		clock_unref(c[1]);
		family_free(&f);
	}
	for (unsigned k = 0; k < CLOCK_JOINS; k++)
		cr_assert(!joins.of[k].a || joins.of[k].result->refs);
	clock_joins_free(&joins);
}

static struct kernel *watched(const char *body, uint32_t ctas, uint32_t threads)
{
	struct text t = {0};
	struct kernel *k;

	text_puts(&t, HEAD);
	text_puts(&t, BEGIN);
	text_puts(&t, body);
	text_puts(&t, END);
	k = kernel_load(text_str(&t), CHECK_RACE, 1, true);
	text_free(&t);
	race_attach(k->machine);
	kernel_run(k, ctas, threads, 0);
	return k;
}

static void done(struct kernel *k)
{
	race_detach(k->machine);
	kernel_done(k);
}

Test(race, each_pair_once_with_a_count)
{
	struct kernel *k = watched("st.global.u32 [%rd1], %r0;", 1, 32);

	cr_assert_eq(k->status, MACHINE_DONE);
	cr_assert_eq(k->diags.count, 1, "%s", text_str(&k->text));
	cr_assert_eq(k->diags.first->code, DIAG_R0101);
	cr_assert_eq(k->diags.first->count, 31);
	done(k);
}

/* Lanes with the same clock load the same word. What lets the first two is their own reads of it,
 * which the third has not done. */
Test(race, lanes_that_have_observed_do_not_speak_for_others)
{
	struct kernel *k = watched("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra reader;\n"
				   "st.relaxed.gpu.global.u32 [%rd1], 1;\n"
				   "st.relaxed.gpu.global.u32 [%rd1 + 4], 1;\nret;\nreader:\n"
				   "ld.relaxed.gpu.global.u32 %r5, [%rd1 + 4];\n"
				   "setp.eq.u32 %p2, %r5, 0;\n@%p2 bra reader;\n"
				   "setp.lt.u32 %p3, %r0, 2;\n"
				   "@%p3 ld.relaxed.gpu.global.u32 %r6, [%rd1];\n"
				   "ld.global.u32 %r6, [%rd1];",
		2, 3);

	cr_assert_eq(k->diags.count, 1, "%u: %s", k->diags.count, text_str(&k->text));
	cr_assert_eq(k->diags.first->code, DIAG_R0104);
	cr_assert_eq(k->diags.first->count, 1);
	done(k);
}

/* An access that was overwritten in a race still races with later accesses. */
Test(race, every_pair)
{
	struct kernel *k = watched(
		"setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; setp.eq.u32 %p3, %r1, 2; setp.eq.u32 %p4, %r1, 3;\n"
		"@%p1 ld.global.u32 %r5, [%rd1];\n@%p2 st.global.u32 [%rd1], 1;\n@%p3 st.global.u32 [%rd1], 2;\n@%p4 st.relaxed.gpu.global.u32 [%rd1], 3;",
		4, 1);

	cr_assert_eq(k->diags.count, 6, "%u: %s", k->diags.count, text_str(&k->text));
	done(k);
}

/* Accesses stay known while many others are recorded: here CTA 3 makes as many records as start a
 * collection of unused ones. */
Test(race, every_pair_after_many_accesses)
{
	struct kernel *k = watched(
		"setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; setp.eq.u32 %p3, %r1, 2; setp.eq.u32 %p4, %r1, 3; mov.u32 %r5, 0;\n"
		"@%p1 ld.global.u32 %r6, [%rd1];\n@%p2 st.global.u32 [%rd1], 1;\n@%p3 st.global.u32 [%rd1], 2;\n@!%p4 bra end;\n"
		/* most of its pages are never accessed */
		".global .b8 wide[1048576]; st.global.u32 [wide+524288], %r5;\n"
		"again: st.global.u32 [%rd3], %r5; bar.sync 0; add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, 140000; @%p5 bra again;\n"
		"st.relaxed.gpu.global.u32 [%rd1], 3;\nend:",
		4, 1);

	cr_assert_eq(k->diags.count, 6, "%u: %s", k->diags.count, text_str(&k->text));
	done(k);
}

/* What came before a barrier is known by the numbers of records, which change while warp 1 makes so
 * many of them: warp 0 stored before that, and between the same two barriers or before the second.
 */
static void stored_before_many_accesses(bool ordered, uint32_t races)
{
	struct text t = {0};
	struct kernel *k;

	text_puts(&t,
		".shared .align 4 .b32 tile[32]; mov.u32 %r30, tile; and.b32 %r31, %r0, 31; shl.b32 %r31, %r31, 2; add.u32 %r30, %r30, %r31;\n"
		"setp.ge.u32 %p1, %r0, 32; mov.u32 %r5, 0; st.global.u32 [%rd3], %r5; bar.sync 0;\n"
		"@!%p1 st.shared.u32 [%r30], %r0;\n");
	text_puts(&t, ordered ? "bar.sync 0;\n" : "");
	text_puts(&t,
		"@!%p1 bra end;\n"
		"again: st.global.u32 [%rd3], %r5; fence.acq_rel.cta; add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, 70000; @%p5 bra again;\n"
		"ld.shared.u32 %r6, [%r30];\nend:");
	k = watched(text_str(&t), 1, 64);
	cr_assert_eq(k->status, MACHINE_DONE);
	cr_assert_eq(k->diags.count, races ? 1 : 0, "%s", text_str(&k->text));
	cr_assert(!races || k->diags.first->count == races, "%u", k->diags.first->count);
	done(k);
	text_free(&t);
}

Test(race, barriers_before_many_accesses)
{
	stored_before_many_accesses(false, 32);
	stored_before_many_accesses(true, 0);
}

/* Reads of .cta scope in eight CTAs, two before each of four strong writes of another CTA that
 * acquires from them; then an unordered strong write, which races with the reads only. Five of them
 * are kept: one in a read plane, and OLDER others. */
Test(race, narrow_reads_stay_behind_wide_writes)
{
	enum { ROUNDS = 4, READERS = 2 * ROUNDS };
	struct text t = {0};
	struct kernel *k;

	for (unsigned i = 0; i < READERS; i++)
		text_printf(&t,
			"setp.ne.u32 %%p1, %%r1, %u; @%%p1 bra N%u;\nW%u: ld.acquire.gpu.global.u32 %%r5, [%%rd1+12]; setp.lt.u32 %%p1, %%r5, %u; @%%p1 bra W%u;\n"
			"ld.relaxed.cta.global.u32 %%r5, [%%rd1];\nred.release.gpu.global.add.u32 [%%rd1+4], 1; ret;\nN%u:\n",
			i, i, i, i / 2, i, i);
	text_printf(&t, "setp.eq.u32 %%p1, %%r1, %u; @%%p1 bra U;\n", READERS + 1);
	for (unsigned j = 0; j < ROUNDS; j++)
		text_printf(&t,
			"T%u: ld.acquire.gpu.global.u32 %%r5, [%%rd1+4]; setp.lt.u32 %%p1, %%r5, %u; @%%p1 bra T%u;\nst.relaxed.gpu.global.u32 [%%rd1], 1;\nst.release.gpu.global.u32 [%%rd1+12], %u;\n",
			j, 2 * j + 2, j, j + 1);
	text_puts(&t,
		"st.relaxed.gpu.global.u32 [%rd1+8], 1; ret;\nU: ld.relaxed.gpu.global.u32 %r5, [%rd1+8]; setp.eq.u32 %p1, %r5, 0; @%p1 bra U;\nst.relaxed.gpu.global.u32 [%rd1], 2;");
	k = watched(text_str(&t), READERS + 2, 1);
	cr_assert_eq(k->status, MACHINE_DONE);
	cr_expect_eq(k->diags.count, 5, "%u: %s", k->diags.count, text_str(&k->text));
	for (const struct diag *d = k->diags.first; d; d = d->next)
		cr_expect_not_null(strstr(d->message, "read 4 (strong, .cta)"), "%s", d->message);
	text_free(&t);
	done(k);
}

/* Words that raced are then accessed byte by byte. */
Test(race, every_pair_of_words_and_a_byte)
{
	struct kernel *k = watched(
		"setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; setp.eq.u32 %p3, %r1, 2; setp.eq.u32 %p4, %r1, 3;\n"
		"@%p1 ld.global.u32 %r5, [%rd1];\n@%p2 st.global.u32 [%rd1], 1;\n@%p3 st.global.u32 [%rd1], 2;\n@%p4 st.global.u8 [%rd1+1], 3;",
		4, 1);

	cr_assert_eq(k->diags.count, 6, "%u: %s", k->diags.count, text_str(&k->text));
	done(k);
}

/* A flag in shared memory is a different one in each CTA: it orders nothing between them. */
Test(race, flags_of_other_ctas_order_nothing)
{
	struct kernel *k = watched(
		".shared .b32 s; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;\n"
		"@%p1 st.global.u32 [%rd1], 1; @%p1 st.release.gpu.shared.u32 [s], 1;\n@%p2 ld.acquire.gpu.shared.u32 %r5, [s]; @%p2 ld.global.u32 %r6, [%rd1];",
		2, 1);

	cr_assert_eq(k->diags.count, 1, "%u: %s", k->diags.count, text_str(&k->text));
	done(k);
}

Test(race, own_words_do_not_race)
{
	struct kernel *k = watched(
		"st.global.u32 [%rd3], %r0; ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd3], %r5;",
		8, 32);

	cr_assert_eq(k->diags.count, 0, "%s", text_str(&k->text));
	done(k);
}

Test(race, kinds)
{
	static const struct {
		const char *body;
		enum diag_code code;
	} kind[] = {
		{"st.relaxed.cta.global.u32 [%rd1], %r0;", DIAG_R0102},
		{"st.relaxed.gpu.global.u32 [%rd1], %r0;", DIAG_NONE},
		{"red.global.add.u32 [%rd1], 1;", DIAG_NONE},
		{"setp.eq.u32 %p1, %r1, 0; @%p1 red.global.add.u32 [%rd1], 1; @!%p1 st.global.u32 [%rd1], 1;",
			DIAG_R0104},
		{"setp.eq.u32 %p1, %r1, 0; @%p1 st.relaxed.gpu.global.u64 [%rd1], 1; @!%p1 st.relaxed.gpu.global.u32 [%rd1], 1;",
			DIAG_R0103},
		{"ld.global.u32 %r5, [%rd1];", DIAG_NONE},
	};

	for (unsigned n = 0; n < sizeof kind / sizeof *kind; n++) {
		struct kernel *k = watched(kind[n].body, 2, 1);

		cr_assert_eq(k->diags.count, kind[n].code != DIAG_NONE, "%s: %s", kind[n].body,
			text_str(&k->text));
		if (k->diags.first)
			cr_assert_eq(k->diags.first->code, kind[n].code, "%s: %s", kind[n].body,
				text_str(&k->text));
		done(k);
	}
}

/* A location is described by the name of the variable or buffer there. */
Test(race, places)
{
	static const struct {
		const char *body, *place;
	} at[] = {
		{".shared .u32 s[8]; st.shared.u32 [s+12], %r0;",
			" on s[3] in shared memory of CTA 0:"},
		{".shared .b8 s[64]; st.shared.u32 [s+32], %r0;",
			" on s+32 in shared memory of CTA 0:"},
		{".shared .v2 .u32 s[8]; st.shared.u32 [s+12], %r0;",
			" on s[1]+4 in shared memory of CTA 0:"},
		{".shared .u32 s; st.shared.u32 [s], %r0;", " on s in shared memory of CTA 0:"},
		{".global .u16 g[8]; st.global.u16 [g+6], 1;", " on g[3] (0x"},
		{".global .u64 g[8]; st.global.u32 [g+20], 1;", " on g[2]+4 (0x"},
		{"st.global.u32 [%rd1+4], 1;", " on out+4 (0x"},
	};

	for (unsigned n = 0; n < sizeof at / sizeof *at; n++) {
		struct kernel *k = watched(at[n].body, 1, 2);

		cr_assert_eq(k->diags.count, 1, "%s: %s", at[n].body, text_str(&k->text));
		cr_expect(strstr(k->diags.first->message, at[n].place), "%s",
			k->diags.first->message);
		done(k);
	}
}

Test(race, barriers_in_a_loop)
{
	static const char loop[] =
		".shared .b32 s[64]; mov.u32 %r5, 0; mov.u32 %r6, s; shl.b32 %r7, %r0, 2; add.u32 %r7, %r7, %r6; xor.b32 %r8, %r7, 128;\n"
		"again: st.shared.u32 [%r7], %r5; bar.sync 0; ld.shared.u32 %r9, [%r8]; @%p2 bar.sync 0; add.u32 %r5, %r5, 1;\n"
		"setp.lt.u32 %p1, %r5, 100; @%p1 bra again;";
	struct text t = {0};
	struct kernel *k;

	text_printf(&t, "setp.ge.u32 %%p2, %%r0, 0; %s", loop);
	k = watched(text_str(&t), 3, 64);
	cr_assert_eq(k->diags.count, 0, "%s", text_str(&k->text));
	done(k);
	text_clear(&t);
	text_printf(&t, "setp.lt.u32 %%p2, %%r0, 0; %s", loop);
	k = watched(text_str(&t), 3, 64);
	cr_assert_eq(k->diags.count, 1, "without the second barrier: %s", text_str(&k->text));
	done(k);
	text_free(&t);
}

/* The help depends on the cause. */
Test(race, help_by_cause)
{
	static const struct {
		const char *body, *help;
		uint32_t ctas, threads;
	} kind[] = {
		{"st.global.u32 [%rd1], %r0;", "threads of one warp", 1, 32},
		{"st.global.u32 [%rd1], %r0;", "other pairs here are threads of one CTA", 1, 64},
		{"st.global.u32 [%rd1], %r0;", "other pairs here are threads of different CTAs", 2,
			64},
		{"st.global.u32 [%rd1], %r0;", "threads of different CTAs", 2, 1},
		{"ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;",
			"use one atom or red instruction", 1, 32},
		{"ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;",
			"use one atom or red instruction", 2, 1},
		{"ld.global.u32 %r6, [%rd1+64]; mul.wide.u32 %rd6, %r6, 4; add.s64 %rd6, %rd1, %rd6; ld.global.u32 %r7, [%rd1]; ld.global.u32 %r5, [%rd6];\n"
		 /* the address of the store was read */
		 "setp.lt.u32 %p1, %r5, %r7; @%p1 bra E; st.global.u32 [%rd6], %r0; E:",
			"use one atom or red instruction", 1, 32},
		{"add.s64 %rd5, %rd1, 8; L: atom.relaxed.gpu.global.cas.b32 %r5, [%rd5], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra L;\n"
		 "st.global.u32 [%rd1], %r0; st.relaxed.gpu.global.u32 [%rd5], 0;",
			"atom.acquire", 1, 2},
	};

	for (unsigned n = 0; n < sizeof kind / sizeof *kind; n++) {
		struct kernel *k = watched(kind[n].body, kind[n].ctas, kind[n].threads);

		cr_assert_not_null(k->diags.first, "%s", kind[n].body);
		for (const struct diag *d = k->diags.first; d; d = d->next)
			cr_assert(d->help && strstr(d->help, kind[n].help), "%s: %s, not %s",
				kind[n].body, d->help, kind[n].help);
		done(k);
	}
}

/* --- synchronisation, by tables: the writer's half and the reader's half of a message, and the
 * flags by which each half can release or acquire it --- */

enum { BY_A = 1, BY_B = 2 };

struct half {
	const char *text;
	unsigned by;
};

static const struct half writes[] = {
	{"st.release.gpu.global.u32 [A], 1;", BY_A},
	{"fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [A], 1;", BY_A},
	{"fence.sc.gpu; st.volatile.global.u32 [A], 1;", BY_A},
	{"membar.gl; st.volatile.global.u32 [A], 1;", BY_A},
	{"fence.acq_rel.sys; st.relaxed.gpu.global.u32 [A], 1; st.relaxed.gpu.global.u32 [B], 1;",
		BY_A | BY_B},
	{"fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [A], 1; fence.acq_rel.cta; st.relaxed.gpu.global.u32 [B], 1;",
		BY_A | BY_B},
	{"st.release.gpu.global.u32 [A], 1; st.relaxed.gpu.global.u32 [B], 1;", BY_A},
	{"st.relaxed.gpu.global.u32 [B], 1; st.release.gpu.global.u32 [A], 1;", BY_A},
	{"st.release.gpu.global.u32 [A], 1; st.relaxed.gpu.global.u32 [A], 2;", BY_A},
	{"st.release.gpu.global.u32 [A], 1; st.release.gpu.global.u32 [B], 2;", BY_A | BY_B},
	{"atom.release.gpu.global.add.u32 %r9, [A], 1;", BY_A},
	{"atom.acq_rel.gpu.global.exch.b32 %r9, [A], 1; st.relaxed.gpu.global.u32 [B], 1;", BY_A},
	{"red.release.gpu.global.add.u32 [A], 1;", BY_A},
	{"fence.acq_rel.gpu; red.relaxed.gpu.global.add.u32 [A], 1;", BY_A},
	{"st.relaxed.gpu.global.u32 [A], 1;", 0},
	{"st.relaxed.gpu.global.u32 [A], 1; fence.acq_rel.gpu;", 0},
	{"st.relaxed.gpu.global.u32 [A], 1; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [B], 1;",
		BY_B},
	{"fence.acquire.gpu; st.relaxed.gpu.global.u32 [A], 1;", 0},
	{"fence.acq_rel.cta; st.relaxed.gpu.global.u32 [A], 1;", 0},
	{"bar.warp.sync 1; st.relaxed.gpu.global.u32 [A], 1;", 0},
	{"bar.sync 0; st.relaxed.gpu.global.u32 [A], 1;", 0},
	{"vote.sync.any.pred %p5, 1, 1; st.relaxed.gpu.global.u32 [A], 1;", 0},
	{"atom.relaxed.gpu.global.add.u32 %r9, [A], 1; atom.acquire.gpu.global.add.u32 %r9, [B], 1;",
		0},
	{"st.release.cta.global.u32 [A], 1;", 0},
};

static const struct half reads[] = {
	{"ld.acquire.gpu.global.u32 %r8, [A];", BY_A},
	{"ld.acquire.gpu.global.u32 %r8, [B];", BY_B},
	{"ld.relaxed.gpu.global.u32 %r8, [A]; fence.acq_rel.gpu;", BY_A},
	{"ld.volatile.global.u32 %r8, [A]; membar.gl;", BY_A},
	{"ld.relaxed.gpu.global.u32 %r8, [B]; fence.acquire.gpu;", BY_B},
	{"ld.relaxed.gpu.global.u32 %r8, [A]; ld.relaxed.gpu.global.u32 %r9, [B]; fence.acq_rel.sys;",
		BY_A | BY_B},
	{"ld.relaxed.gpu.global.u32 %r8, [A]; ld.acquire.gpu.global.u32 %r9, [A];", BY_A},
	{"ld.relaxed.gpu.global.u32 %r8, [A]; ld.acquire.gpu.global.u32 %r9, [B];", BY_B},
	{"ld.relaxed.gpu.global.u32 %r8, [B]; ld.acquire.gpu.global.u32 %r9, [A];", BY_A},
	{"ld.acquire.gpu.global.u32 %r8, [B]; ld.relaxed.gpu.global.u32 %r9, [A];", BY_B},
	{"atom.acquire.gpu.global.add.u32 %r8, [A], 0;", BY_A},
	{"atom.acq_rel.gpu.global.cas.b32 %r8, [B], 7, 7;", BY_B},
	{"atom.relaxed.gpu.global.or.b32 %r8, [A], 0; fence.sc.gpu;", BY_A},
	{"ld.relaxed.gpu.global.u32 %r8, [A];", 0},
	{"fence.acq_rel.gpu; ld.relaxed.gpu.global.u32 %r8, [A];", 0},
	{"ld.relaxed.gpu.global.u32 %r8, [A]; fence.release.gpu;", 0},
	{"ld.relaxed.gpu.global.u32 %r8, [A]; fence.acq_rel.cta;", 0},
	{"ld.relaxed.gpu.global.u32 %r8, [A]; bar.warp.sync 1;", 0},
	{"ld.relaxed.gpu.global.u32 %r8, [A]; bar.sync 0;", 0},
	{"ld.relaxed.gpu.global.u32 %r8, [A]; vote.sync.any.pred %p5, 1, 1;", 0},
	{"red.relaxed.gpu.global.add.u32 [A], 0; fence.acq_rel.gpu;", 0},
	{"ld.acquire.cta.global.u32 %r8, [A];", 0},
};

static void put_half(struct text *t, const char *half)
{
	for (; *half; half++)
		if ((half[0] == 'A' || half[0] == 'B') && half[-1] == '[')
			text_puts(t, half[0] == 'A' ? "%rd1+256" : "%rd1+512");
		else
			text_putc(t, *half);
	text_putc(t, '\n');
}

static void check_message(const char *write, const char *read, bool ordered)
{
	struct text t = {0};
	struct kernel *k;

	text_puts(&t, "setp.ne.u32 %p1, %r1, 0; @%p1 bra R;\nst.global.u32 [%rd1], 1;\n");
	put_half(&t, write);
	text_puts(&t, "ret;\nR:\n");
	put_half(&t, read);
	text_puts(&t, "ld.global.u32 %r10, [%rd1];");
	k = watched(text_str(&t), 2, 1);
	cr_expect_eq(k->status, MACHINE_DONE, "%s", text_str(&k->text));
	cr_expect_eq(strstr(text_str(&k->text), "race on out (0x") != NULL, !ordered, "%s | %s: %s",
		write, read, text_str(&k->text));
	done(k);
	text_free(&t);
}

Test(race, messages_by_every_pattern)
{
	for (unsigned w = 0; w < sizeof writes / sizeof *writes; w++)
		for (unsigned r = 0; r < sizeof reads / sizeof *reads; r++)
			check_message(writes[w].text, reads[r].text, writes[w].by & reads[r].by);
}

/* Two rounds of one barrier, at which each of two warps waits or only arrives; in between both make
 * sure that the first round is over, by means that do not order memory. Warp 1 writes and warp 0
 * reads, each before, between or after them: ordered if the later one has waited. */
Test(race, barriers_by_every_pattern)
{
	static const char *const role[3][2] = {{"bar.sync 1, 64;", "bar.sync 1, 64;"},
		{"bar.sync 1, 64;", "bar.arrive 1, 64;"}, {"bar.arrive 1, 64;", "bar.sync 1, 64;"}};
	static const char *const access[2] = {
		"ld.shared.u32 %r9, [x];\n", "@%p2 st.shared.u32 [x], 1;\n"};

	for (unsigned kind = 0; kind < 81; kind++) {
		unsigned round[2] = {kind % 3, kind / 3 % 3}, at[2] = {kind / 9 % 3, kind / 27},
			 later = at[0] > at[1] ? 0 : 1;
		bool ordered = false;
		struct text t = {0};
		struct kernel *k;

		text_puts(&t,
			".shared .b32 x; .shared .b32 f[2]; setp.lt.u32 %p1, %r0, 32; setp.eq.u32 %p2, %r0, 32; @!%p1 bra W1;\n");
		for (unsigned warp = 0; warp < 2; warp++) {
			if (warp)
				text_puts(&t, "W1:\n");
			for (unsigned n = 0; n < 3; n++) {
				if (at[warp] == n)
					text_puts(&t, access[warp]);
				if (n < 2)
					text_printf(&t, "%s\n", role[round[n]][warp]);
				if (n == 0)
					text_printf(&t,
						"st.relaxed.cta.shared.u32 [f+%u], 1; L%u: ld.relaxed.cta.shared.u32 %%r8, [f+%u]; setp.eq.u32 %%p3, %%r8, 0; @%%p3 bra L%u;\n",
						4 * warp, warp, 4 * (1 - warp), warp);
			}
			text_puts(&t, "ret;\n");
		}
		for (unsigned n = at[1 - later]; n < at[later]; n++)
			ordered = ordered || role[round[n]][later][4] == 's';
		k = watched(text_str(&t), 1, 64);
		cr_expect_eq(k->status, MACHINE_DONE, "%s", text_str(&k->text));
		cr_expect_eq(kernel_found(k, DIAG_R0101), !ordered, "%s\n%s", text_str(&t),
			ordered ? text_str(&k->text) : "no race");
		done(k);
		text_free(&t);
	}
}

/* A thread that has observed two strong writes of others, one after the other, comes after both:
 * its access to the same location does not race with either. */
Test(race, several_observed_writes)
{
#define WAIT_FOR(label, at, value) \
	label ": ld.relaxed.gpu.global.u32 %r9, [" at "]; setp.ne.u32 %p3, %r9, " value \
	      "; @%p3 bra " label ";\n"
	struct kernel *k = watched(
		"and.b32 %r5, %r0, 31; setp.ne.u32 %p1, %r5, 0; @%p1 exit; setp.eq.u32 %p1, %r0, 32; @%p1 bra SECOND; setp.eq.u32 %p1, %r0, 64; @%p1 bra READER;\n"
		"st.relaxed.cta.global.u32 [%rd1], 1; exit;\n"
		"SECOND: " WAIT_FOR("L0", "%rd1+256",
			"1") "st.relaxed.gpu.global.u32 [%rd1], 2;\n" WAIT_FOR("L3", "%rd1+256",
			"2") "st.relaxed.gpu.global.u32 [%rd1], 3; exit;\n"
			     "READER: " WAIT_FOR("L1", "%rd1",
				     "1") "st.relaxed.gpu.global.u32 [%rd1+256], 1;\n" WAIT_FOR("L2",
				     "%rd1",
				     "2") "st.relaxed.gpu.global.u32 [%rd1+256], 2;\n" WAIT_FOR("L4",
				     "%rd1",
				     "3") "ld.global.u32 %r9, [%rd1]; st.global.u32 [%rd1], 4;",
		1, 96);

	cr_assert_eq(k->status, MACHINE_DONE, "%s", text_str(&k->text));
	cr_assert_eq(k->diags.count, 0, "%s", text_str(&k->text));
	done(k);
}
