/* Checks look at the accesses of a warp together where they can. Random kernels, with races, values
 * that nobody wrote, and all sizes, masks and patterns of addresses, must have the same findings
 * when every access is looked at lane by lane. PTXI_WATCHED_KERNELS (default 120) is their number,
 * PTXI_SEED the first seed. */
#include "base/rng.h"
#include "check/race.h"
#include "tests/unit/kernels.h"

static uint64_t setting(const char *name, uint64_t value)
{
	const char *s = getenv(name);
	return s ? strtoull(s, NULL, 0) : value;
}

/* --- kernels --- */

/* Where accesses go: the state space, the base, how many bytes are there. */
struct place {
	const char *space, *base;
	unsigned bytes;
};
static const struct place places[] = {
	{".shared", "%r31", 1024},
	{".shared", "%r31", 1024},
	{".global", "%rd1", 4096},
	{".global", "%rd20", 16384}, /* several pages of the shadow */
	{"", "%rd21", 1024},         /* shared */
	{"", "%rd20", 16384},
	{".local", "%r32", 256},
};
static const char *one_of(struct rng *g, const char *const *list, unsigned n)
{
	return list[rng_below(g, n)];
}
#define ONE_OF(g, list) one_of(g, list, sizeof(list) / sizeof *(list))

/* The elements of an access. Registers from `written` on are written, others never. */
struct elements {
	unsigned size, vector;
	const char *type, *reg;
	unsigned written, unwritten;
};
static struct elements random_elements(struct rng *g)
{
	static const struct elements forms[] = {{1, 1, "u8", "%h", 0, 10},
		{2, 1, "s16", "%h", 0, 10}, {4, 1, "u32", "%r", 5, 22},
		{8, 1, "u64", "%rd", 8, 16}};
	struct elements f = forms[rng_below(g, 3) ? 2 : rng_below(g, 4)];

	if (!rng_below(g, 4))
		f.vector = f.size == 8 || rng_below(g, 2) ? 2 : 4;
	return f;
}

static void put_registers(struct text *t, struct rng *g, const struct elements *f, bool unwritten)
{
	unsigned first = unwritten ? f->unwritten : f->written + rng_below(g, 4);

	for (unsigned k = 0; k < f->vector; k++)
		text_printf(t, "%s%s%u", k ? "," : f->vector > 1 ? "{" : "", f->reg, first + k);
	text_puts(t, f->vector > 1 ? "}" : "");
}

/* Sets %r30 or %rd7 to an address in P of accesses of N bytes; returns that register. */
static const char *put_address(struct text *t, struct rng *g, const struct place *p, unsigned n)
{
	static const char *const pattern[] = {"mov.u32 %r30, %r0", "mov.u32 %r30, %r0",
		"mov.u32 %r30, %r2", "and.b32 %r30, %r0, 15", "and.b32 %r30, %r0, 31",
		"shr.u32 %r30, %r0, 4", "shr.u32 %r30, %r0, 1", "mov.u32 %r30, 0",
		"shl.b32 %r30, %r0, 1", "xor.b32 %r30, %r0, 1", "xor.b32 %r30, %r0, 8",
		"sub.u32 %r30, 31, %r0", "mul.lo.u32 %r30, %r0, 37", "mul.lo.u32 %r30, %r0, 3"};
	unsigned add = rng_below(g, 2) ? 0
		: rng_below(g, 2)      ? rng_below(g, 16) * n
				       : 4096 - rng_below(g, 32) * n;

	text_printf(t, "%s; mad.lo.u32 %%r30, %%r30, %u, %u; and.b32 %%r30, %%r30, %u; ",
		ONE_OF(g, pattern), n, add, p->bytes - n);
	if (p->base[2] != 'd') {
		text_printf(t, "add.u32 %%r30, %%r30, %s;\n", p->base);
		return "%r30";
	}
	text_printf(t, "cvt.u64.u32 %%rd7, %%r30; add.u64 %%rd7, %%rd7, %s;\n", p->base);
	return "%rd7";
}

static void put_atomic(struct text *t, struct rng *g, const struct place *p, const char *guard)
{
	static const char *const what[] = {"atom.relaxed.gpu%s.add.u32 %%r%u, [%s], %%r%u;\n",
		"atom.acq_rel.cta%s.exch.b32 %%r%u, [%s], %%r%u;\n",
		"atom.relaxed.cta%s.cas.b32 %%r%u, [%s], 0, %%r%u;\n"};
	const char *at = put_address(t, g, p, 4);

	text_puts(t, guard);
	text_printf(
		t, ONE_OF(g, what), p->space, 5 + rng_below(g, 4), at, rng_below(g, 12) ? 0 : 22);
}

static void put_access(struct text *t, struct rng *g, const char *guard)
{
	static const char *const load[] = {"ld", "ld", "ld", "ld.relaxed.gpu", "ld.acquire.cta"},
				 *const store[] = {"st", "st", "st", "st", "st.relaxed.gpu",
					 "st.release.gpu"};
	const struct place *p = &places[rng_below(g, sizeof places / sizeof *places)];
	bool local = strcmp(p->space, ".local") == 0, weak = local || rng_below(g, 3);
	struct elements f = random_elements(g);
	const char *vector, *at;

	if (!local && !rng_below(g, 8)) {
		put_atomic(t, g, p, guard);
		return;
	}
	if (!weak)
		f.vector = 1;
	vector = f.vector == 4 ? ".v4" : f.vector == 2 ? ".v2" : "";
	at = put_address(t, g, p, f.size * f.vector);
	if (rng_below(g, 5) < 3) {
		text_printf(t, "%s%s%s%s.%s ", guard, weak ? "ld" : ONE_OF(g, load), p->space,
			vector, f.type);
		put_registers(t, g, &f, false);
		text_printf(t, ", [%s];\n", at);
	} else {
		text_printf(t, "%s%s%s%s.%s [%s], ", guard, weak ? "st" : ONE_OF(g, store),
			p->space, vector, f.type, at);
		put_registers(t, g, &f, !rng_below(g, 12));
		text_puts(t, ";\n");
	}
}

/* Sets %p1 to a condition that some lanes, warps or CTAs fulfil. */
static void put_condition(struct text *t, struct rng *g)
{
	static const char *const value[] = {"and.b32 %r33, %r0, 31", "shr.u32 %r33, %r0, 5",
		"and.b32 %r33, %r0, 1", "and.b32 %r33, %r0, 1", "and.b32 %r33, %r0, 5",
		"and.b32 %r33, %r0, 8", "mov.u32 %r33, %r1"};
	static const char *const compare[] = {"lt", "ge", "eq", "ne"};

	text_printf(t, "%s; setp.%s.u32 %%p1, %%r33, %u;\n", ONE_OF(g, value), ONE_OF(g, compare),
		rng_below(g, rng_below(g, 2) ? 3 : 32));
}

static void put_other(struct text *t, struct rng *g)
{
	static const char *const what[] = {"bar.sync 0;\n", "bar.sync 0;\n", "bar.warp.sync -1;\n",
		"add.u32 %r6, %r5, %r7; add.u64 %rd9, %rd8, %rd10; mov.b16 %h1, %h2;\n",
		"fence.acq_rel.gpu;\n", "setp.eq.u32 %p2, %r6, 3; @%p2 add.u32 %r8, %r8, 1;\n"};

	text_puts(t, ONE_OF(g, what));
}

static void put_statement(struct text *t, struct rng *g, unsigned number, bool orderly)
{
	if (orderly)
		text_puts(t, "bar.sync 0;\n");
	switch (rng_below(g, 5)) {
	case 0: put_other(t, g); break;
	case 1:
		put_condition(t, g);
		put_access(t, g, "@%p1 ");
		break;
	case 2:
		put_condition(t, g);
		text_printf(t, "@!%%p1 bra S%u;\n", number);
		for (unsigned n = 1 + rng_below(g, 3); n; n--)
			put_access(t, g, "");
		text_printf(t, "S%u:\n", number);
		break;
	default: put_access(t, g, ""); break;
	}
}

static void put_kernel(struct text *t, struct rng *g)
{
	unsigned n = 4 + rng_below(g, 24), loops = 1 + rng_below(g, 3);
	bool orderly = rng_below(g, 2);

	text_puts(t, HEAD ".global .align 32 .b8 wide[16384];\n" BEGIN);
	text_puts(t,
		".shared .align 32 .b8 tile[1024]; .local .align 32 .b8 own[256];\n"
		"mov.u64 %rd20, wide; mov.u32 %r31, tile; mov.u32 %r32, own; mov.u64 %rd21, tile; cvta.shared.u64 %rd21, %rd21;\n");
	for (unsigned k = 0; k < 8; k++)
		text_printf(t,
			"add.u32 %%r%u, %%r2, %u; cvt.u64.u32 %%rd%u, %%r0; mov.b16 %%h%u, %u;\n",
			5 + k, k, 8 + k, k, k);
	if (rng_below(g, 2)) /* most of the tile is written */
		text_puts(t,
			"shl.b32 %r30, %r0, 2; add.u32 %r30, %r30, %r31; setp.lt.u32 %p1, %r0, 250; @%p1 st.shared.u32 [%r30], %r0;\nbar.sync 0;\n");
	text_puts(t, "mov.u32 %r35, 0;\nAGAIN:\n");
	for (unsigned k = 0; k < n; k++)
		put_statement(t, g, k, orderly && rng_below(g, 4));
	text_printf(t, "add.u32 %%r35, %%r35, 1; setp.lt.u32 %%p3, %%r35, %u; @%%p3 bra AGAIN;" END,
		loops);
}

/* --- comparison --- */

struct shape {
	unsigned ctas, threads, initialised, launches;
};

static struct kernel *run(const char *text, const struct shape *x, bool lane_by_lane)
{
	const struct machine_options options = {
		.checks = CHECK_RACE | CHECK_INIT | CHECK_BOUNDS | CHECK_SYNC,
		.jobs = 1,
		.max_steps = 1000000,
		.lane_by_lane = lane_by_lane};
	struct kernel *k = kernel_open(text, &options, x->initialised);

	race_attach(k->machine);
	for (unsigned launch = 0; launch < x->launches; launch++)
		kernel_run(k, x->ctas, x->threads, 0);
	race_detach(k->machine);
	return k;
}

static void same_stats(struct kernel *a, struct kernel *b)
{
	struct machine_stats s[2];

	machine_stats(a->machine, &s[0]);
	machine_stats(b->machine, &s[1]);
	cr_assert_eq(s[0].thread_instructions, s[1].thread_instructions);
	cr_assert_eq(s[0].atomics, s[1].atomics);
	for (unsigned k = 0; k < 6; k++) {
		cr_assert_eq(s[0].bytes_loaded[k], s[1].bytes_loaded[k]);
		cr_assert_eq(s[0].bytes_stored[k], s[1].bytes_stored[k]);
	}
}

/* Adds the numbers of findings by what they are to FOUND: races, undefined values. */
static void compare(const char *text, const struct shape *x, uint64_t seed, unsigned found[2])
{
	struct kernel *fast = run(text, x, false), *slow = run(text, x, true);
	uint8_t *defined[2] = {malloc(sizeof fast->word), malloc(sizeof fast->word)};

	cr_assert_str_eq(text_str(&fast->text), text_str(&slow->text),
		"seed %llu:\n%s\n--- together:\n%s\n--- lane by lane:\n%s",
		(unsigned long long)seed, text, text_str(&fast->text), text_str(&slow->text));
	cr_assert_eq(fast->status, slow->status);
	cr_assert_arr_eq(fast->word, slow->word, sizeof fast->word);
	cr_assert(
		machine_read(fast->machine, fast->out, fast->word, sizeof fast->word, defined[0]));
	cr_assert(
		machine_read(slow->machine, slow->out, slow->word, sizeof slow->word, defined[1]));
	cr_assert_arr_eq(defined[0], defined[1], sizeof fast->word, "seed %llu:\n%s",
		(unsigned long long)seed, text);
	same_stats(fast, slow);
	for (const struct diag *d = fast->diags.first; d; d = d->next) {
		found[0] += d->code >= DIAG_R0101 && d->code <= DIAG_R0105;
		found[1] += d->code == DIAG_R0201;
	}
	free(defined[0]);
	free(defined[1]);
	kernel_done(fast);
	kernel_done(slow);
}

Test(watched_rows, have_the_findings_of_single_lanes, .timeout = 3600)
{
	static const unsigned threads[] = {32, 64, 128, 256, 1, 17, 48, 90};
	uint64_t n = setting("PTXI_WATCHED_KERNELS", 120), seed = setting("PTXI_SEED", 1);
	unsigned found[2] = {0, 0};

	for (uint64_t k = 0; k < n; k++) {
		struct rng g = {seed + k};
		struct text t = {0};
		const struct shape x = {1 + rng_below(&g, 3), threads[rng_below(&g, 8)],
			rng_below(&g, 2), 1 + rng_below(&g, 2)};

		put_kernel(&t, &g);
		compare(text_str(&t), &x, seed + k, found);
		text_free(&t);
	}
	printf("watched rows: %llu kernels, %u races, %u undefined values\n", (unsigned long long)n,
		found[0], found[1]);
	cr_assert(found[0] > n && found[1] > n / 4);
}
