/* Accesses of different sizes: compares random kernels with brute force, which guesses word by
 * word; and the reports of races between sizes. PTXI_RANDOM_PROGRAMS (default 75) is the number of
 * kernels, PTXI_SEED the first seed. */
#include "tests/unit/bruteforced.h"
#include "base/rng.h"
#include <inttypes.h>
#include <stdio.h>

/* x, y: 64 bits; their halves. */
enum { X, X_LOW, X_HIGH, Y, Y_LOW, Y_HIGH, LOCATIONS, THREADS = 3, INSNS = 12 };
static const struct bruteforce_place place[LOCATIONS] = {
	{0, 2, 32}, {0, 1, 32}, {1, 1, 32}, {2, 2, 32}, {2, 1, 32}, {3, 1, 32}};
static const char *const address[LOCATIONS] = {"[x]", "[x]", "[x+4]", "[y]", "[y]", "[y+4]"};

struct random_test {
	struct litmus_test test;
	struct litmus_thread thread[THREADS];
	struct litmus_location location[LOCATIONS];
	struct litmus_insn insn[THREADS][INSNS];
	struct litmus_term observed[THREADS * INSNS + LOCATIONS];
	int64_t zero[INSNS];
	uint32_t accesses;
};

static struct litmus_value constant(struct rng *rng, bool wide)
{
	static const int64_t of_wide[] = {1, 0x100000001, 0x200000000, 0xffffffff, 0x100000000};
	return (struct litmus_value){
		.value = wide ? of_wide[rng_below(rng, 5)] : 1 + (int64_t)rng_below(rng, 2)};
}

/* A location of one size, or of any: whole or half. */
static uint32_t pick_location(struct rng *rng, unsigned sizes)
{
	uint32_t base = rng_below(rng, 2) ? X : Y;
	bool wide = sizes == 1 || (sizes != 2 && rng_below(rng, 2));
	return wide ? base : base + 1 + rng_below(rng, 2);
}

static void add_access(
	struct random_test *t, struct rng *rng, struct litmus_thread *h, unsigned sizes)
{
	static const uint8_t atoms[] = {
		LITMUS_ADD, LITMUS_EXCH, LITMUS_CAS, LITMUS_XOR, LITMUS_ADD};
	struct litmus_insn *i = &h->insn[h->ninsns++];
	uint32_t kind = rng_below(rng, 5);
	*i = (struct litmus_insn){.location = pick_location(rng, sizes),
		.scope = rng_below(rng, 4) ? LITMUS_GPU : LITMUS_CTA};
	bool wide = place[i->location].words == 2;
	i->a = constant(rng, wide);
	i->b = constant(rng, wide);
	t->accesses++;
	if (h->nregs && !rng_below(rng, 4))
		i->a = (struct litmus_value){
			.is_register = true, .index = rng_below(rng, h->nregs)};
	if (kind < 2) {
		static const uint8_t sem[] = {LITMUS_WEAK, LITMUS_RELAXED, LITMUS_ACQUIRE};
		i->op = LITMUS_LOAD;
		i->sem = sem[rng_below(rng, 3)];
		i->dst = h->nregs++;
	} else if (kind < 4) {
		static const uint8_t sem[] = {LITMUS_WEAK, LITMUS_RELAXED, LITMUS_RELEASE};
		i->op = LITMUS_STORE;
		i->sem = sem[rng_below(rng, 3)];
	} else {
		i->op = LITMUS_ATOM;
		i->alu = atoms[rng_below(rng, 5)];
		i->sem = (uint8_t)(LITMUS_RELAXED + rng_below(rng, 4));
		i->dst = h->nregs++;
		if (i->alu == LITMUS_CAS)
			i->a = (struct litmus_value){.value = rng_below(rng, 2) ? 0 : i->a.value};
	}
}

/* Two or three threads of one or several CTAs, in phases separated by barriers; most phases access
 * a location in one size. */
static void random_test(struct random_test *t, struct rng *rng)
{
	static const char *const names[THREADS] = {"P0", "P1", "P2"};
	uint32_t nthreads = 2 + !rng_below(rng, 3), phases = 1 + rng_below(rng, 3),
		 ctas = rng_below(rng, 4) ? 1 : nthreads;
	*t = (struct random_test){.test = {.location = t->location,
					  .thread = t->thread,
					  .nlocations = LOCATIONS,
					  .nthreads = nthreads,
					  .observed = t->observed}};
	for (uint32_t l = 0; l < LOCATIONS; l++)
		t->location[l] = (struct litmus_location){.name = address[l], .phys = l, .virt = l};
	for (uint32_t k = 0; k < nthreads; k++)
		t->thread[k] = (struct litmus_thread){.name = names[k],
			.cta = ctas == 1 ? 0 : k,
			.cluster = ctas == 1 ? 0 : k,
			.insn = t->insn[k],
			.reg_init = t->zero};
	for (uint32_t p = 0; p < phases; p++) {
		unsigned sizes = rng_below(rng, 8) ? 1 + rng_below(rng, 2) : 0;
		for (uint32_t k = 0; k < nthreads; k++) {
			struct litmus_thread *h = &t->thread[k];
			if (p && ctas == 1)
				h->insn[h->ninsns++] = (struct litmus_insn){.op = LITMUS_SYNC};
			for (uint32_t n = rng_below(rng, 3); n && t->accesses < 7; n--)
				add_access(t, rng, h, sizes);
			if (!rng_below(rng, 6))
				h->insn[h->ninsns++] = (struct litmus_insn){.op = LITMUS_FENCE,
					.sem = rng_below(rng, 2) ? LITMUS_SC : LITMUS_ACQ_REL,
					.scope = LITMUS_GPU};
		}
	}
	for (uint32_t k = 0; k < nthreads; k++) {
		for (uint32_t r = 0; r < t->thread[k].nregs; r++)
			t->observed[t->test.nobserved++] = (struct litmus_term){
				.kind = LITMUS_TERM_REG, .thread = k, .index = r};
	}
	for (uint32_t l = 0; l < LOCATIONS; l += 3)
		t->observed[t->test.nobserved++] = (struct litmus_term){
			.kind = LITMUS_TERM_LOCATION, .index = l};
}

static void print_value(const struct litmus_value *v, struct text *out)
{
	if (v->is_register)
		text_printf(out, "%%rd%u", v->index);
	else
		text_printf(out, "%" PRId64, v->value);
}

static void print_insn(const struct litmus_insn *i, struct text *out)
{
	static const char *const sem[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"},
				 *const scope[] = {".cta", ".cluster", ".gpu", ".sys"},
				 *const alu[] = {[LITMUS_ADD] = "add",
					 [LITMUS_XOR] = "xor",
					 [LITMUS_EXCH] = "exch",
					 [LITMUS_CAS] = "cas"};
	unsigned width = i->op <= LITMUS_ATOM ? 32 * (unsigned)place[i->location].words : 0;
	const char *where = i->sem == LITMUS_WEAK ? "" : scope[i->scope];
	switch (i->op) {
	case LITMUS_LOAD:
		text_printf(out, "ld.%s%s.global.u%u %%rd%u, %s", sem[i->sem], where, width, i->dst,
			address[i->location]);
		break;
	case LITMUS_STORE:
		text_printf(out, "st.%s%s.global.u%u %s, ", sem[i->sem], where, width,
			address[i->location]);
		print_value(&i->a, out);
		break;
	case LITMUS_ATOM: /* atom has no registers wider than its type */
		if (width == 32 && i->a.is_register)
			text_printf(out, "cvt.u32.u64 %%r1, %%rd%u;\n", i->a.index);
		text_printf(out, "atom.%s%s.global.%s.%s%u %s%u, %s, ", sem[i->sem], where,
			alu[i->alu], i->alu == LITMUS_ADD ? "u" : "b", width,
			width == 32 ? "%r" : "%rd", width == 32 ? 0 : i->dst, address[i->location]);
		if (width == 32 && i->a.is_register)
			text_puts(out, "%r1");
		else
			print_value(&i->a, out);
		if (i->alu == LITMUS_CAS) {
			text_puts(out, ", ");
			print_value(&i->b, out);
		}
		if (width == 32)
			text_printf(out, ";\ncvt.u64.u32 %%rd%u, %%r0", i->dst);
		break;
	case LITMUS_FENCE: text_printf(out, "fence.%s%s", sem[i->sem], where); break;
	default: text_puts(out, "bar.sync 0"); break;
	}
	text_puts(out, ";\n");
}

static void print_kernel(const struct random_test *t, struct text *out)
{
	text_printf(out,
		".version 8.5\n.target sm_90\n.address_size 64\n.global .align 8 .b64 x;\n.global .align 8 .b64 y;\n.visible .entry k()\n{\n.reg .pred %%p;\n.reg .b32 %%r<4>;\n"
		".reg .b64 %%rd<16>;\nmov.u32 %%r2, %s;\n",
		t->thread[1].cta ? "%ctaid.x" : "%tid.x");
	for (uint32_t k = 1; k < t->test.nthreads; k++)
		text_printf(out, "setp.eq.u32 %%p, %%r2, %u;\n@%%p bra T%u;\n", k, k);
	for (uint32_t k = 0; k < t->test.nthreads; k++) {
		text_printf(out, "T%u:\n", k);
		for (uint32_t n = 0; n < t->thread[k].ninsns; n++)
			print_insn(&t->insn[k][n], out);
		text_puts(out, "ret;\n");
	}
	text_puts(out, "}\n");
}

struct tally {
	uint64_t outcomes, executions, mixed, cut;
};

/* Whether the random test of SEED has the outcomes of brute force, with -j JOBS; sets *TOO_LARGE if
 * brute force gave up. */
static bool agrees(uint64_t seed, unsigned jobs, struct tally *sum, bool *too_large)
{
	struct rng rng = {seed};
	struct random_test t;
	struct bruteforce b;
	struct text text = {0};
	struct explored e;
	struct observable o[sizeof t.observed / sizeof *t.observed];
	random_test(&t, &rng);
	print_kernel(&t, &text);
	bruteforce_run(&t.test, place, 10000, 0, &b);
	*too_large = b.too_large;
	bool fine = true;
	char names[THREADS * INSNS][8];
	for (uint32_t k = 0; k < t.test.nobserved; k++) {
		const struct litmus_term *term = &t.observed[k];
		snprintf(names[k], sizeof names[k], "%%rd%u", term->index);
		o[k] = term->kind == LITMUS_TERM_REG
			? (struct observable){.name = names[k],
				  .kind = OBSERVE_REGISTER,
				  .thread = term->thread}
			: (struct observable){.name = term->index == X ? "x" : "y",
				  .kind = OBSERVE_MEMORY,
				  .size = 8};
	}
	for (int all = 0; all < 2 && !b.too_large && fine; all++) {
		struct explore_options options = {.jobs = jobs, .all_orders = all, .verify = true};
		explore_kernel(&e, text_str(&text), t.test.nthreads, t.thread[1].cta, o,
			t.test.nobserved, &options);
		fine = same_outcomes(&b, e.result) && (b.mixed || !e.result->verified.broken);
		if (!fine)
			cr_log_error(
				"seed %llu: brute force %u outcomes, %llu executions, mixed %d; explorer %u, %llu, %d\n%s",
				(unsigned long long)seed, b.count, (unsigned long long)b.executions,
				b.mixed, e.result->outcomes.list.count,
				(unsigned long long)e.result->executions, e.result->mixed.some,
				text_str(&text));
		sum->cut += all && e.result->options.ncuts && !b.mixed;
		explored_free(&e);
	}
	if (!b.too_large) {
		sum->mixed += b.mixed;
		sum->outcomes += b.mixed ? 0 : b.count;
		sum->executions += b.mixed ? 0 : b.executions;
	}
	bruteforce_free(&b);
	text_free(&text);
	return fine;
}

Test(explore_sizes, random_programs)
{
	const char *n_text = getenv("PTXI_RANDOM_PROGRAMS"), *seed_text = getenv("PTXI_SEED");
	uint64_t n = n_text ? strtoull(n_text, NULL, 0) : 75,
		 seed = seed_text ? strtoull(seed_text, NULL, 0) : 1, bad = 0, compared = 0;
	struct tally sum = {0};
	for (uint64_t i = 0; compared < n; i++) {
		bool too_large;
		cr_assert(i < 2 * n + 100, "most programs are too large for brute force");
		bad += !agrees(seed + i * 1000003, i % 8 ? 1 : 2, &sum, &too_large);
		compared += !too_large;
	}
	printf("explore and brute force: %llu of %llu random kernels with accesses of several sizes have the same outcomes (%llu outcomes, %llu executions; of %llu, sizes race; in %llu others they meet)\n",
		(unsigned long long)(n - bad), (unsigned long long)n,
		(unsigned long long)sum.outcomes, (unsigned long long)sum.executions,
		(unsigned long long)sum.mixed, (unsigned long long)sum.cut);
	fflush(stdout);
	cr_expect(bad == 0, "%llu programs differ", (unsigned long long)bad);
	cr_expect(sum.mixed > n / 20 && sum.cut > n / 10, "few programs have several sizes");
}
