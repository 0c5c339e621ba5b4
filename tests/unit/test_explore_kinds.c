/* Packed atoms, mbarriers and asynchronous copies, beside accesses of several sizes and barriers:
 * compares random kernels with brute force, whose extensions (BRUTEFORCE_PACKED etc.) state each of
 * them once more in a few lines. PTXI_RANDOM_PROGRAMS (default 16) is the number of kernels of
 * each kind, an eighth of that for bulk copies; PTXI_SEED the first seed. */
#include "tests/unit/bruteforced.h"
#include "base/rng.h"
#include <inttypes.h>
#include <stdio.h>

enum { MOST = 8, THREADS = 3, COPIES = 3, INSNS = 16 };

/* Packed: p, q of 32 bits, and their halves. */
enum { P, P_LOW, P_HIGH, Q, Q_LOW, Q_HIGH, PACKED_LOCATIONS };
static const struct bruteforce_place packed_place[] = {
	{0, 2, 16}, {0, 1, 16}, {1, 1, 16}, {2, 2, 16}, {2, 1, 16}, {3, 1, 16}};
static const char *const packed_name[] = {"[p]", "[p]", "[p+2]", "[q]", "[q]", "[q+2]"};

/* Copies: g in global and s in shared memory, four words each; w, 64 bits, and its halves; the
 * mbarrier m. */
enum { G0, G1, G2, G3, S0, S1, S2, S3, M, W, W_LOW, W_HIGH, COPY_LOCATIONS };
static const struct bruteforce_place copy_place[] = {{0, 1, 32}, {1, 1, 32}, {2, 1, 32}, {3, 1, 32},
	{4, 1, 32}, {5, 1, 32}, {6, 1, 32}, {7, 1, 32}, {8, 1, 32}, {9, 2, 32}, {9, 1, 32},
	{10, 1, 32}};
static const char *const copy_name[] = {"[g]", "[g+4]", "[g+8]", "[g+12]", "[s]", "[s+4]", "[s+8]",
	"[s+12]", "[m]", "[w]", "[w]", "[w+4]"};

enum kind { PACKED, MBARRIERS, COPIES_OF_THREADS, BULK, KINDS };
static const char *const kind_name[] = {
	"packed atoms", "mbarriers", "copies of threads", "bulk copies"};

struct random_test {
	enum kind kind;
	const struct bruteforce_place *place;
	const char *const *name;
	struct litmus_test test;
	struct litmus_thread thread[THREADS + COPIES];
	struct litmus_location location[COPY_LOCATIONS];
	struct litmus_insn insn[THREADS + COPIES][INSNS];
	struct litmus_term observed[THREADS * INSNS + 4];
	int64_t zero[INSNS];
	uint32_t threads, accesses, copies, arrivals;
};

static struct litmus_insn *add(struct random_test *t, uint32_t thread, struct litmus_insn i)
{
	struct litmus_thread *h = &t->thread[thread];
	cr_assert(h->ninsns < INSNS);
	h->insn[h->ninsns] = i;
	return &h->insn[h->ninsns++];
}

static struct litmus_value constant(int64_t value) { return (struct litmus_value){.value = value}; }

/* A value to store: often one that was read. */
static struct litmus_value pick_value(
	const struct random_test *t, struct rng *rng, uint32_t thread, bool wide)
{
	static const int64_t half[] = {0x3c00, 0x4000, 0x4200};
	const struct litmus_thread *h = &t->thread[thread];
	if (h->nregs && !rng_below(rng, 4))
		return (struct litmus_value){
			.is_register = true, .index = rng_below(rng, h->nregs)};
	if (t->kind != PACKED)
		return constant(1 + (int64_t)rng_below(rng, 2) +
			(wide ? (int64_t)rng_below(rng, 2) << 32 : 0));
	return constant(half[rng_below(rng, 3)] + (wide ? half[rng_below(rng, 3)] << 16 : 0));
}

/* A load, a store or an atom at LOCATION. */
static void add_access(
	struct random_test *t, struct rng *rng, uint32_t thread, uint32_t location, bool strong)
{
	static const uint8_t load[] = {LITMUS_WEAK, LITMUS_RELAXED, LITMUS_ACQUIRE},
			     store[] = {LITMUS_WEAK, LITMUS_RELAXED, LITMUS_RELEASE};
	struct litmus_thread *h = &t->thread[thread];
	bool wide = t->place[location].words == 2;
	struct litmus_insn i = {.location = location,
		.scope = rng_below(rng, 4) ? LITMUS_GPU : LITMUS_CTA,
		.a = pick_value(t, rng, thread, wide)};
	uint32_t what = rng_below(rng, 5);
	t->accesses++;
	if (what < 2) {
		i.op = LITMUS_LOAD;
		i.sem = load[strong ? rng_below(rng, 3) : 0];
		i.dst = h->nregs++;
	} else if (what < 4 || !strong || (t->kind == PACKED && !wide)) {
		i.op = LITMUS_STORE;
		i.sem = store[strong ? rng_below(rng, 3) : 0];
	} else {
		i.op = LITMUS_ATOM;
		i.alu = t->kind == PACKED || rng_below(rng, 2) ? LITMUS_EXCH : LITMUS_ADD;
		i.sem = (uint8_t)(LITMUS_RELAXED + rng_below(rng, 4));
		i.dst = h->nregs++;
	}
	add(t, thread, i);
}

static void add_packed(struct random_test *t, struct rng *rng, uint32_t thread)
{
	bool result = rng_below(rng, 2);
	t->accesses += 2;
	add(t, thread,
		(struct litmus_insn){.op = (uint8_t)BRUTEFORCE_PACKED,
			.location = rng_below(rng, 2) ? P : Q,
			.alu = BRUTEFORCE_ADD_HALF,
			.sem = (uint8_t)(LITMUS_RELAXED + (result ? rng_below(rng, 4) : 0)),
			.scope = rng_below(rng, 4) ? LITMUS_GPU : LITMUS_CTA,
			.a = pick_value(t, rng, thread, true),
			.dst = result ? t->thread[thread].nregs : UINT32_MAX});
	t->thread[thread].nregs += result;
}

static void add_arrival(struct random_test *t, uint32_t thread, unsigned bytes)
{
	t->accesses++;
	t->arrivals++;
	add(t, thread,
		(struct litmus_insn){.op = LITMUS_RED,
			.location = M,
			.alu = bytes ? BRUTEFORCE_ARRIVE_EXPECT : BRUTEFORCE_ARRIVE,
			.sem = LITMUS_RELEASE,
			.a = constant(bytes)});
}

static void add_wait(struct random_test *t, struct rng *rng, uint32_t thread)
{
	t->accesses++;
	add(t, thread,
		(struct litmus_insn){.op = (uint8_t)BRUTEFORCE_WAIT,
			.location = M,
			.a = constant(!rng_below(rng, 4)),
			.dst = t->thread[thread].nregs++});
}

/* Starts a copy: the thread that it is, which ends with an arrival at a barrier of its own, or with
 * an operation on m. */
static void add_copy(struct random_test *t, struct rng *rng, uint32_t thread)
{
	uint32_t helper = t->threads + t->copies++;
	bool bulk = t->kind == BULK, load = !bulk || rng_below(rng, 2);
	uint32_t words = bulk ? 4 : 1 + rng_below(rng, 2), at = words > 1 ? 0 : rng_below(rng, 2),
		 from = words > 1 ? 0 : rng_below(rng, 2);
	uint8_t proxy = bulk ? LITMUS_ASYNC : LITMUS_GENERIC;
	struct litmus_thread *h = &t->thread[helper];
	*h = (struct litmus_thread){.name = "C", .insn = t->insn[helper], .reg_init = t->zero};
	if (bulk && load)
		add_arrival(t, thread, 16);
	add(t, thread,
		(struct litmus_insn){.op = (uint8_t)BRUTEFORCE_ISSUE, .a = constant(helper)});
	add(t, helper,
		(struct litmus_insn){.op = (uint8_t)BRUTEFORCE_COPY,
			.location = (load ? S0 : G0) + at,
			.a = constant((load ? G0 : S0) + from),
			.b = constant(words),
			.proxy = proxy});
	if (bulk)
		add(t, helper,
			(struct litmus_insn){.op = LITMUS_PROXY_FENCE, .proxy = LITMUS_ASYNC});
	if (bulk && load)
		add(t, helper,
			(struct litmus_insn){.op = LITMUS_RED,
				.location = M,
				.alu = BRUTEFORCE_COMPLETE,
				.sem = LITMUS_RELEASE,
				.scope = LITMUS_SYS,
				.a = constant(16)});
	else
		add(t, helper,
			(struct litmus_insn){.op = LITMUS_ARRIVE, .a = constant(10 + helper)});
	t->accesses += 2;
}

/* Arrives at m after the copies of THREAD so far: a thread that waits for each, at a barrier of
 * their own. */
static void add_arrival_of_copies(struct random_test *t, uint32_t thread)
{
	uint32_t helper = t->threads + t->copies++;
	t->thread[helper] = (struct litmus_thread){
		.name = "A", .insn = t->insn[helper], .reg_init = t->zero};
	for (uint32_t k = 0; k < t->thread[thread].ninsns; k++) {
		const struct litmus_insn *i = &t->insn[thread][k];
		if (i->op != (uint8_t)BRUTEFORCE_ISSUE ||
			t->insn[i->a.value][0].op != (uint8_t)BRUTEFORCE_COPY)
			continue;
		int64_t site = 20 + 4 * (int64_t)helper + i->a.value;
		add(t, (uint32_t)i->a.value,
			(struct litmus_insn){.op = LITMUS_ARRIVE, .a = constant(site)});
		add(t, helper, (struct litmus_insn){.op = LITMUS_SYNC, .a = constant(site)});
	}
	add_arrival(t, helper, 0);
	add(t, thread,
		(struct litmus_insn){.op = (uint8_t)BRUTEFORCE_ISSUE, .a = constant(helper)});
}

/* Waits for the copies of THREAD that no mbarrier tells of. */
static void add_wait_all(struct random_test *t, uint32_t thread)
{
	uint32_t n = t->thread[thread].ninsns;
	for (uint32_t k = 0; k < n; k++) {
		const struct litmus_insn *i = &t->insn[thread][k];
		if (i->op != (uint8_t)BRUTEFORCE_ISSUE)
			continue;
		const struct litmus_thread *h = &t->thread[i->a.value];
		if (h->ninsns > 1 && h->insn[1].op == LITMUS_ARRIVE &&
			h->insn[1].a.value == 10 + i->a.value)
			add(t, thread,
				(struct litmus_insn){
					.op = LITMUS_SYNC, .a = constant(10 + i->a.value)});
	}
}

static void add_step(struct random_test *t, struct rng *rng, uint32_t thread, unsigned sizes)
{
	uint32_t what = rng_below(rng, 6);
	if (t->accesses >= MOST || t->thread[thread].ninsns > INSNS - 6)
		return;
	if (t->kind == PACKED) {
		bool whole = sizes == 1 || (sizes != 2 && rng_below(rng, 2));
		if (what < 2 && sizes != 1)
			add_packed(t, rng, thread);
		else
			add_access(t, rng, thread,
				(rng_below(rng, 2) ? P : Q) + (whole ? 0 : 1 + rng_below(rng, 2)),
				true);
		return;
	}
	if (what < 2 && t->kind == MBARRIERS)
		add_arrival(t, thread, 0);
	else if (what < 4 && t->kind == MBARRIERS)
		add_wait(t, rng, thread);
	else if (what < 2 && t->kind != MBARRIERS && t->copies < COPIES)
		add_copy(t, rng, thread);
	else if (what == 2 && t->kind == COPIES_OF_THREADS && rng_below(rng, 2))
		add_wait_all(t, thread);
	else if (what == 2 && t->kind == COPIES_OF_THREADS)
		add_wait(t, rng, thread);
	else if (what == 3 && t->kind == COPIES_OF_THREADS && t->copies < COPIES)
		add_arrival_of_copies(t, thread);
	else if (what < 3 && t->kind == BULK && rng_below(rng, 2))
		add_wait_all(t, thread);
	else if (what < 3 && t->kind == BULK)
		add_wait(t, rng, thread);
	else if (what == 3 && t->kind == BULK)
		add(t, thread,
			(struct litmus_insn){.op = LITMUS_PROXY_FENCE, .proxy = LITMUS_ASYNC});
	else if (what == (t->kind == MBARRIERS ? 4 : 3) && sizes && rng_below(rng, 2))
		add_access(t, rng, thread, sizes == 1 ? W : W_LOW + rng_below(rng, 2), true);
	else if (what == 4)
		add_access(t, rng, thread, S0 + rng_below(rng, 2), false);
	else
		add_access(t, rng, thread, G0 + rng_below(rng, 2), true);
}

/* Two or three threads, in phases separated by barriers. */
static void random_test(struct random_test *t, struct rng *rng, enum kind kind)
{
	static const char *const names[] = {"P0", "P1", "P2"};
	bool packed = kind == PACKED;
	uint32_t phases = 1 + (packed ? rng_below(rng, 3) : !rng_below(rng, 3)),
		 ctas = packed && !rng_below(rng, 4);
	*t = (struct random_test){.kind = kind,
		.place = packed ? packed_place : copy_place,
		.name = packed ? packed_name : copy_name,
		.threads = 2 + !rng_below(rng, 3)};
	t->test = (struct litmus_test){.location = t->location,
		.thread = t->thread,
		.nlocations = packed ? PACKED_LOCATIONS : COPY_LOCATIONS,
		.observed = t->observed};
	for (uint32_t l = 0; l < t->test.nlocations; l++)
		t->location[l] = (struct litmus_location){.name = t->name[l], .phys = l, .virt = l};
	for (uint32_t k = 0; k < t->threads; k++)
		t->thread[k] = (struct litmus_thread){.name = names[k],
			.cta = ctas ? k : 0,
			.cluster = ctas ? k : 0,
			.insn = t->insn[k],
			.reg_init = t->zero};
	if (!packed)
		add(t, 0, (struct litmus_insn){.op = LITMUS_STORE, .location = M});
	for (uint32_t p = packed; p <= phases; p++) {
		unsigned sizes = rng_below(rng, 8) ? 1 + rng_below(rng, 2) : 0;
		for (uint32_t k = 0; k < t->threads; k++) {
			if (p > packed && !ctas)
				add(t, k, (struct litmus_insn){.op = LITMUS_SYNC});
			for (uint32_t n = !p     ? 0
					: packed ? rng_below(rng, 4)
						 : 1 + rng_below(rng, 4);
				n; n--)
				add_step(t, rng, k, sizes);
			if (p && !rng_below(rng, 8))
				add(t, k,
					(struct litmus_insn){.op = LITMUS_FENCE,
						.sem = rng_below(rng, 2) ? LITMUS_SC
									 : LITMUS_ACQ_REL,
						.scope = LITMUS_GPU});
		}
	}
	/* with bytes, m has one phase that expects all arrivals */
	uint32_t count = t->arrivals ? t->arrivals : 1;
	if (!packed)
		t->insn[0][0].a = constant(
			bruteforce_mbarrier(kind == BULK ? count : 1 + rng_below(rng, count)));
	t->test.nthreads = t->threads + t->copies;
	for (uint32_t k = 0; k < t->threads; k++) {
		for (uint32_t r = 0; r < t->thread[k].nregs; r++)
			t->observed[t->test.nobserved++] = (struct litmus_term){
				.kind = LITMUS_TERM_REG, .thread = k, .index = r};
	}
	static const uint8_t packed_seen[] = {P, Q}, seen[] = {G0, G1, W};
	for (uint32_t k = 0; k < (packed ? 2u : 3u); k++)
		t->observed[t->test.nobserved++] = (struct litmus_term){
			.kind = LITMUS_TERM_LOCATION, .index = packed ? packed_seen[k] : seen[k]};
}

/* --- as text --- */

static void print_value(const struct litmus_value *v, struct text *out)
{
	if (v->is_register)
		text_printf(out, "%%rd%u", v->index);
	else
		text_printf(out, "%" PRId64, v->value);
}

/* The value of I in %r1, for atoms of 32 bits. */
static void print_atom_value(const struct litmus_insn *i, struct text *out)
{
	if (i->a.is_register)
		text_printf(out, "cvt.u32.u64 %%r1, %%rd%u;\n", i->a.index);
	else
		text_printf(out, "mov.b32 %%r1, %" PRId64 ";\n", i->a.value);
}

static void print_issue(const struct random_test *t, const struct litmus_insn *i, struct text *out)
{
	const struct litmus_thread *h = &t->thread[i->a.value];
	const struct litmus_insn *c = &h->insn[0];
	bool copies = c->op == (uint8_t)BRUTEFORCE_COPY;
	const char *to = t->name[c->location], *from = copies ? t->name[c->a.value] : NULL;
	if (!copies)
		text_puts(out, "cp.async.mbarrier.arrive.noinc.shared.b64 [m];\n");
	else if (t->kind != BULK)
		text_printf(out, "cp.async.ca.shared.global %s, %s, %u;\n", to, from,
			4 * (unsigned)c->b.value);
	else if (c->location == S0)
		text_printf(out,
			"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes %s, %s, 16, [m];\n",
			to, from);
	else
		text_printf(out,
			"cp.async.bulk.global.shared::cta.bulk_group %s, %s, 16;\ncp.async.bulk.commit_group;\n",
			to, from);
}

static void print_insn(const struct random_test *t, const struct litmus_insn *i, struct text *out)
{
	static const char *const sem[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"},
				 *const scope[] = {".cta", ".cluster", ".gpu", ".sys"};
	const char *where = i->sem == LITMUS_WEAK ? "" : scope[i->scope],
		   *space = t->kind != PACKED && i->location >= S0 && i->location <= S3 ? "shared"
											: "global",
		   *name = t->name[i->location];
	unsigned bits = t->kind == PACKED ? 16 : 32,
		 width = bits * (unsigned)t->place[i->location].words;
	switch ((int)i->op) {
	case LITMUS_LOAD:
		text_printf(out, "ld.%s%s.%s.u%u %%rd%u, %s;\n", sem[i->sem], where, space, width,
			i->dst, name);
		return;
	case LITMUS_STORE:
		if (t->kind != PACKED && i->location == M) {
			text_printf(out, "mbarrier.init.shared.b64 [m], %u;\n",
				(unsigned)(i->a.value & 255));
			return;
		}
		text_printf(out, "st.%s%s.%s.u%u %s, ", sem[i->sem], where, space, width, name);
		print_value(&i->a, out);
		text_puts(out, ";\n");
		return;
	case LITMUS_ATOM:
		if (width == 64) {
			text_printf(out, "atom.%s%s.%s.%s64 %%rd%u, %s, ", sem[i->sem], where,
				space, i->alu == LITMUS_ADD ? "add.u" : "exch.b", i->dst, name);
			print_value(&i->a, out);
			text_puts(out, ";\n");
			return;
		}
		print_atom_value(i, out);
		text_printf(out, "atom.%s%s.%s.%s32 %%r0, %s, %%r1;\ncvt.u64.u32 %%rd%u, %%r0;\n",
			sem[i->sem], where, space, i->alu == LITMUS_ADD ? "add.u" : "exch.b", name,
			i->dst);
		return;
	case BRUTEFORCE_PACKED:
		print_atom_value(i, out);
		if (i->dst == UINT32_MAX)
			text_printf(out, "red.%s%s.global.add.noftz.f16x2 %s, %%r1;\n", sem[i->sem],
				where, name);
		else
			text_printf(out,
				"atom.%s%s.global.add.noftz.f16x2 %%r0, %s, %%r1;\ncvt.u64.u32 %%rd%u, %%r0;\n",
				sem[i->sem], where, name, i->dst);
		return;
	case LITMUS_RED:
		if (i->alu == BRUTEFORCE_ARRIVE)
			text_puts(out, "mbarrier.arrive.shared.b64 %rd15, [m];\n");
		else
			text_printf(out, "mbarrier.arrive.expect_tx.shared.b64 %%rd15, [m], %u;\n",
				(unsigned)i->a.value);
		return;
	case BRUTEFORCE_WAIT:
		text_printf(out,
			"mbarrier.test_wait.parity.shared.b64 %%p, [m], %u;\nselp.u64 %%rd%u, 1, 0, %%p;\n",
			(unsigned)i->a.value, i->dst);
		return;
	case BRUTEFORCE_ISSUE: print_issue(t, i, out); return;
	case LITMUS_SYNC:
		text_puts(out,
			!i->a.value               ? "bar.sync 0;\n"
				: t->kind == BULK ? "cp.async.bulk.wait_group 0;\n"
						  : "cp.async.wait_all;\n");
		return;
	case LITMUS_PROXY_FENCE: text_puts(out, "fence.proxy.async;\n"); return;
	default: text_printf(out, "fence.%s%s;\n", sem[i->sem], where); return;
	}
}

static void print_kernel(const struct random_test *t, struct text *out)
{
	text_puts(out, ".version 8.5\n.target sm_90\n.address_size 64\n");
	text_puts(out,
		t->kind == PACKED
			? ".global .align 4 .b32 p;\n.global .align 4 .b32 q;\n"
			: ".global .align 16 .b32 g[4];\n.global .align 8 .b64 w;\n.shared .align 16 .b32 s[4];\n.shared .align 8 .b64 m;\n");
	text_printf(out,
		".visible .entry k()\n{\n.reg .pred %%p;\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<16>;\nmov.u32 %%r2, %s;\n",
		t->thread[1].cta ? "%ctaid.x" : "%tid.x");
	for (uint32_t k = 1; k < t->threads; k++)
		text_printf(out, "setp.eq.u32 %%p, %%r2, %u;\n@%%p bra T%u;\n", k, k);
	for (uint32_t k = 0; k < t->threads; k++) {
		text_printf(out, "T%u:\n", k);
		for (uint32_t n = 0; n < t->thread[k].ninsns; n++)
			print_insn(t, &t->insn[k][n], out);
		text_puts(out, "ret;\n");
	}
	text_puts(out, "}\n");
}

struct tally {
	uint64_t outcomes, executions, mixed;
};

/* Whether the random test of SEED has the outcomes of brute force, with -j JOBS; sets *TOO_LARGE if
 * brute force gave up. */
static bool agrees(uint64_t seed, enum kind kind, unsigned jobs, struct tally *sum, bool *too_large)
{
	struct rng rng = {seed};
	struct random_test t;
	struct bruteforce b;
	struct text text = {0};
	struct explored e;
	struct observable o[sizeof t.observed / sizeof *t.observed];
	char names[THREADS * INSNS][8];
	bool fine = true;
	random_test(&t, &rng, kind);
	print_kernel(&t, &text);
	bruteforce_run(&t.test, t.place, 4000, 0, &b);
	*too_large = b.too_large;
	for (uint32_t k = 0; k < t.test.nobserved; k++) {
		const struct litmus_term *term = &t.observed[k];
		bool second = term->index == Q || (kind != PACKED && term->index == W);
		o[k] = (struct observable){
			.name = kind == PACKED ? (second ? "q" : "p") : (second ? "w" : "g"),
			.kind = OBSERVE_MEMORY,
			.phys = kind != PACKED && term->index == G1 ? 4 : 0,
			.size = (uint8_t)(kind != PACKED && term->index == W ? 8 : 4)};
		if (term->kind != LITMUS_TERM_REG)
			continue;
		snprintf(names[k], sizeof names[k], "%%rd%u", term->index);
		o[k] = (struct observable){
			.name = names[k], .kind = OBSERVE_REGISTER, .thread = term->thread};
	}
	for (int all = 0; all < 2 && !b.too_large && fine; all++) {
		struct explore_options options = {.jobs = jobs, .all_orders = all, .verify = true};
		explore_kernel(&e, text_str(&text), t.threads, t.thread[1].cta, o, t.test.nobserved,
			&options);
		fine = same_outcomes(&b, e.result) && (b.mixed || !e.result->verified.broken);
		if (!fine)
			cr_log_error(
				"seed %llu: brute force %u outcomes, %llu executions, mixed %d; explorer %u, %llu, %d, %s\n%s",
				(unsigned long long)seed, b.count, (unsigned long long)b.executions,
				b.mixed, e.result->outcomes.list.count,
				(unsigned long long)e.result->executions, e.result->mixed.some,
				e.result->fault ? e.result->fault : "no fault", text_str(&text));
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

static void compare(enum kind kind)
{
	const char *n_text = getenv("PTXI_RANDOM_PROGRAMS"), *seed_text = getenv("PTXI_SEED");
	uint64_t all = n_text ? strtoull(n_text, NULL, 0) : 16, n = kind == BULK ? all / 8 : all,
		 seed = seed_text ? strtoull(seed_text, NULL, 0) : 1, bad = 0, compared = 0;
	struct tally sum = {0};
	for (uint64_t i = 0; compared < n; i++) {
		bool too_large;
		cr_assert(i < 3 * n + 100, "most programs are too large for brute force");
		bad += !agrees(seed + i * 1000003, kind, i % 8 ? 1 : 2, &sum, &too_large);
		compared += !too_large;
	}
	printf("explore and brute force: %llu of %llu random kernels with %s have the same outcomes (%llu outcomes, %llu executions; of %llu, sizes race)\n",
		(unsigned long long)(n - bad), (unsigned long long)n, kind_name[kind],
		(unsigned long long)sum.outcomes, (unsigned long long)sum.executions,
		(unsigned long long)sum.mixed);
	fflush(stdout);
	cr_expect(bad == 0, "%llu programs differ", (unsigned long long)bad);
	cr_expect(sum.outcomes > n, "the programs have few outcomes");
}

Test(explore_kinds, packed) { compare(PACKED); }
Test(explore_kinds, mbarriers) { compare(MBARRIERS); }
Test(explore_kinds, copies_of_threads) { compare(COPIES_OF_THREADS); }
Test(explore_kinds, bulk) { compare(BULK); }
