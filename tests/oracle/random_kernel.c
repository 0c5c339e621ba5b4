/* Random kernels for the sampler: small enough for the explorer, and varied enough to exercise
 * every rule of the memory model that PTX instructions can show. */
#include "tests/oracle/random_kernel.h"
#include <stdbool.h>

/* LAUNCHES: the last thread is a kernel of its own, in another stream, on another device, or after
 * the others. */
enum layout { IN_CTAS, IN_LANES, IN_WARPS, IN_PAIRS, IN_CLUSTER, IN_LAUNCHES, LAYOUTS };
enum { MOST_THREADS = 4, REGISTERS = 8 };

struct kernel {
	struct rng *rng;
	struct text *out;
	enum layout layout;
	unsigned threads, words, value;
	unsigned loaded[MOST_THREADS]; /* registers written so far: %r(8t+1) ... */
	unsigned labels, last;
	bool object; /* the kernel has an mbarrier */
	/* lanes synchronise at bar.warp.sync, otherwise at a barrier of the CTA */
	bool by_warp;
	bool shared;         /* the words are in shared memory */
	bool narrow;         /* scopes are often too narrow */
	bool protocol;       /* threads usually guard what they share */
	unsigned discipline; /* how they usually do so */
};

static unsigned below(struct kernel *k, unsigned n) { return rng_below(k->rng, n); }

static const char *word(struct kernel *k)
{
	static const char *const names[] = {"w", "w+4", "w+8"};
	/* otherwise the same as before, so that several accesses to a location occur more often */
	if (below(k, 3))
		k->last = below(k, k->words);
	return names[k->last];
}

static const char *space(const struct kernel *k) { return k->shared ? "shared" : "global"; }

static const char *scope(struct kernel *k)
{
	static const char *const all[] = {"cta", "cluster", "gpu", "sys"};
	return k->narrow ? all[below(k, 4)] : "gpu";
}

/* ".relaxed.gpu" and similar: one of the N words, or nothing for a weak access. */
static void order(struct kernel *k, const char *const *words, unsigned n)
{
	unsigned which = below(k, n + 1);
	if (which == n)
		return;
	if (words[which][0] == 'v')
		text_puts(k->out, ".volatile");
	else
		text_printf(k->out, ".%s.%s", words[which], scope(k));
}

static unsigned new_register(struct kernel *k, unsigned t)
{
	return t * REGISTERS + ++k->loaded[t];
}

static void operand(struct kernel *k, unsigned t)
{
	if (k->loaded[t] && below(k, 4) == 0)
		text_printf(k->out, "%%r%u", t * REGISTERS + 1 + below(k, k->loaded[t]));
	else
		text_printf(k->out, "%u", ++k->value);
}

static void load(struct kernel *k, unsigned t)
{
	static const char *const orders[] = {"relaxed", "acquire", "volatile", "relaxed"};
	bool other_proxy = !k->shared && below(k, 16) == 0;
	text_puts(k->out, "\tld");
	if (!other_proxy)
		order(k, orders, 4);
	text_printf(k->out, ".%s%s.u32 %%r%u, [%s];\n", space(k), other_proxy ? ".nc" : "",
		new_register(k, t), word(k));
}

static void store(struct kernel *k, unsigned t)
{
	static const char *const orders[] = {"relaxed", "release", "volatile", "relaxed"};
	if (k->loaded[t] && below(k, 8) == 0) { /* of a value computed from a loaded one */
		unsigned from = t * REGISTERS + 1 + below(k, k->loaded[t]);
		text_printf(k->out, "\tadd.u32 %%r%u, %%r%u, 1;\n\tst", 40 + t, from);
		order(k, orders, 4);
		text_printf(k->out, ".%s.u32 [%s], %%r%u;\n", space(k), word(k), 40 + t);
		return;
	}
	text_puts(k->out, "\tst");
	order(k, orders, 4);
	text_printf(k->out, ".%s.u32 [%s], ", space(k), word(k));
	operand(k, t);
	text_puts(k->out, ";\n");
}

static void fence(struct kernel *k)
{
	static const char *const sems[] = {"sc", "acq_rel", "acquire", "release", "sc"};
	if (below(k, 8) == 0)
		text_puts(k->out, below(k, 2) ? "\tmembar.gl;\n" : "\tmembar.cta;\n");
	else
		text_printf(k->out, "\tfence.%s.%s;\n", sems[below(k, 5)], scope(k));
}

static void atom(struct kernel *k, unsigned t)
{
	static const char *const sems[] = {"relaxed", "acquire", "release", "acq_rel"};
	const char *sem = sems[below(k, 4)];
	switch (below(k, 4)) {
	case 0:
		text_printf(k->out, "\tred.%s.%s.%s.add.u32 [%s], %u;\n",
			below(k, 2) ? "relaxed" : "release", scope(k), space(k), word(k),
			++k->value);
		break;
	case 1:
		text_printf(k->out, "\tatom.%s.%s.%s.exch.b32 %%r%u, [%s], %u;\n", sem, scope(k),
			space(k), new_register(k, t), word(k), ++k->value);
		break;
	case 2:
		text_printf(k->out, "\tatom.%s.%s.%s.cas.b32 %%r%u, [%s], %u, %u;\n", sem, scope(k),
			space(k), new_register(k, t), word(k), below(k, 2), ++k->value);
		break;
	default:
		text_printf(k->out, "\tatom.%s.%s.%s.add.u32 %%r%u, [%s], %u;\n", sem, scope(k),
			space(k), new_register(k, t), word(k), ++k->value);
		break;
	}
}

static void vector(struct kernel *k, unsigned t)
{
	if (below(k, 2)) {
		unsigned a = new_register(k, t), b = new_register(k, t);
		text_printf(k->out, "\tld%s.%s.v2.u32 {%%r%u, %%r%u}, [w];\n",
			below(k, 2) ? ".relaxed.gpu" : "", space(k), a, b);
	} else {
		k->value += 2;
		text_printf(k->out, "\tst%s.%s.v2.u32 [w], {%u, %u};\n",
			below(k, 2) ? ".relaxed.gpu" : "", space(k), k->value - 1, k->value);
	}
}

static void object(struct kernel *k, unsigned t)
{
	static const char *const arrive[] = {"", ".release.cta", ".relaxed.cta",
		".release.cluster"},
				 *const wait[] = {
					 "", ".acquire.cta", ".relaxed.cta", ".acquire.cluster"};
	if (below(k, 2))
		text_printf(k->out, "\tmbarrier.arrive%s.shared::cta.b64 %%rd1, [m];\n",
			arrive[below(k, 4)]);
	else
		text_printf(k->out,
			"\tmbarrier.test_wait.parity%s.shared::cta.b64 %%p2, [m], %u;\n\tselp.u32 %%r%u, 1, 0, %%p2;\n",
			wait[below(k, 4)], below(k, 4) == 0, new_register(k, t));
}

/* A store that depends on a loaded value through a branch. */
static void choice(struct kernel *k, unsigned t)
{
	unsigned label = ++k->labels;
	if (!k->loaded[t]) {
		load(k, t);
		return;
	}
	text_printf(k->out, "\tsetp.eq.u32 %%p1, %%r%u, 0;\n",
		t * REGISTERS + 1 + below(k, k->loaded[t]));
	if (below(k, 2)) {
		text_printf(k->out, "\t@%%p1 bra J%u;\n", label);
		store(k, t);
		text_printf(k->out, "J%u:\n", label);
	} else {
		text_printf(k->out, "\t@%%p1 st.relaxed.%s.%s.u32 [%s], %u;\n", scope(k), space(k),
			word(k), ++k->value);
	}
}

/* --- how threads share data: w and w+4, by the flag w+8 or the lock w+28 --- */

/* A scope that is usually wide enough. */
static const char *wide(struct kernel *k)
{
	static const char *const enough[LAYOUTS] = {"gpu", "cta", "cta", "gpu", "cluster", "sys"};
	return below(k, 12) ? enough[k->layout] : scope(k);
}

static const char *data(struct kernel *k) { return below(k, 2) ? "w" : "w+4"; }

static void use_data(struct kernel *k, unsigned t, bool may_store)
{
	if (!may_store || (k->loaded[t] + 1 < REGISTERS && below(k, 2)))
		text_printf(k->out, "\tld.%s.u32 %%r%u, [%s];\n", space(k), new_register(k, t),
			data(k));
	else
		text_printf(k->out, "\tst.%s.u32 [%s], %u;\n", space(k), data(k), ++k->value);
}

static void a_fence(struct kernel *k, const char *half)
{
	const char *const sems[] = {"acq_rel", "sc", half};
	if (below(k, 12))
		text_printf(k->out, "\tfence.%s.%s;\n", sems[below(k, 3)], wide(k));
}

/* Stores V, usually as a release: by a store, a fence and a store, or an atomic operation. */
static void publish(struct kernel *k, unsigned t, const char *where, unsigned v)
{
	switch (below(k, 4)) {
	case 0:
	case 1:
		text_printf(k->out, "\tst.%s.%s.%s.u32 [%s], %u;\n",
			below(k, 12) ? "release" : "relaxed", wide(k), space(k), where, v);
		break;
	case 2:
		a_fence(k, "release");
		text_printf(
			k->out, "\tst.relaxed.%s.%s.u32 [%s], %u;\n", wide(k), space(k), where, v);
		break;
	default:
		if (k->loaded[t] + 1 >= REGISTERS)
			text_printf(k->out, "\tred.release.%s.%s.max.u32 [%s], %u;\n", wide(k),
				space(k), where, v);
		else
			text_printf(k->out, "\tatom.%s.%s.%s.exch.b32 %%r%u, [%s], %u;\n",
				below(k, 2) ? "release" : "acq_rel", wide(k), space(k),
				new_register(k, t), where, v);
		break;
	}
}

/* Reads WHERE into a register, usually as an acquire. */
static unsigned look(struct kernel *k, unsigned t, const char *where)
{
	unsigned r = new_register(k, t);
	switch (below(k, 4)) {
	case 0:
	case 1:
		text_printf(k->out, "\tld.%s.%s.%s.u32 %%r%u, [%s];\n",
			below(k, 12) ? "acquire" : "relaxed", wide(k), space(k), r, where);
		break;
	case 2:
		text_printf(k->out, "\tld.relaxed.%s.%s.u32 %%r%u, [%s];\n", wide(k), space(k), r,
			where);
		a_fence(k, "acquire");
		break;
	default:
		text_printf(k->out, "\tatom.%s.%s.%s.or.b32 %%r%u, [%s], 0;\n",
			below(k, 2) ? "acquire" : "acq_rel", wide(k), space(k), r, where);
		break;
	}
	return r;
}

static void guarded(struct kernel *k, unsigned t, unsigned r, const char *unless, unsigned value,
	bool may_store)
{
	text_printf(k->out, "\tsetp.%s.u32 %%p1, %%r%u, %u;\n\t@%%p1 bra J%u;\n", unless, r, value,
		++k->labels);
	use_data(k, t, may_store);
}

static void share(struct kernel *k, unsigned t)
{
	unsigned r, label = ++k->labels;
	switch (below(k, 12) ? k->discipline : below(k, 5)) {
	case 0: /* a flag, with or without regard to which thread raised it */
		if (t == 0) {
			use_data(k, t, true);
			publish(k, t, "w+8", 1 + below(k, 2));
			break;
		}
		r = look(k, t, "w+8");
		guarded(k, t, r, below(k, 2) ? "eq" : "lt", below(k, 2), !below(k, 6));
		text_printf(k->out, "J%u:\n", k->labels);
		break;
	case 1: /* a lock, tried once */
		r = new_register(k, t);
		text_printf(k->out, "\tatom.%s.%s.%s.cas.b32 %%r%u, [w+28], 0, 1;\n",
			below(k, 12) ? "acquire" : "relaxed", wide(k), space(k), r);
		guarded(k, t, r, "ne", 0, true);
		label = k->labels;
		publish(k, t, "w+28", 0);
		text_printf(k->out, "J%u:\n", label);
		break;
	case 2: /* the last one to arrive continues */
		use_data(k, t, t == 0);
		r = new_register(k, t);
		text_printf(k->out, "\tatom.%s.%s.%s.add.u32 %%r%u, [w+8], 1;\n",
			below(k, 12)          ? "acq_rel"
				: below(k, 2) ? "acquire"
					      : "release",
			wide(k), space(k), r);
		guarded(k, t, r, "ne", k->threads - 1, true);
		text_printf(k->out, "J%u:\n", k->labels);
		break;
	case 3: /* a flag that is passed on */
		r = look(k, t, "w+8");
		guarded(k, t, r, "ne", t, true);
		label = k->labels;
		publish(k, t, "w+8", 1 + t);
		text_printf(k->out, "J%u:\n", label);
		break;
	default:
		if (!k->object || t == 0)
			use_data(k, t, t == 0);
		if (!k->object)
			break;
		object(k, t);
		if (t) {
			text_printf(k->out, "\t@!%%p2 bra J%u;\n", label);
			use_data(k, t, !below(k, 6));
		}
		text_printf(k->out, "J%u:\n", label);
		break;
	}
}

static void step(struct kernel *k, unsigned t)
{
	if (k->protocol && k->loaded[t] + 3 < REGISTERS) {
		share(k, t);
		return;
	}
	if (k->loaded[t] + 2 >= REGISTERS) {
		store(k, t);
		return;
	}
	if (k->object && below(k, 3) == 0) {
		object(k, t);
		return;
	}
	if (k->words > 1 && below(k, 12) == 0) {
		vector(k, t);
		return;
	}
	switch (below(k, 12)) {
	case 0:
	case 1:
	case 2:
	case 3: load(k, t); break;
	case 4:
	case 5:
	case 6:
	case 7: store(k, t); break;
	case 8:
	case 9: fence(k); break;
	case 10: atom(k, t); break;
	default: choice(k, t); break;
	}
}

static void barrier(struct kernel *k, bool relaxed)
{
	switch ((int)k->layout) {
	case IN_LANES:
		text_printf(k->out, k->by_warp ? "\tbar.warp.sync %u;\n" : "\tbarrier.sync 0;\n",
			(1u << k->threads) - 1);
		break;
	case IN_WARPS: text_puts(k->out, "\tbarrier.sync 1;\n"); break;
	case IN_CLUSTER:
		text_printf(k->out, "\tbarrier.cluster.arrive%s;\n\tbarrier.cluster.wait;\n",
			relaxed ? ".relaxed" : "");
		break;
	default: break;
	}
}

static void begin_kernel(struct kernel *k, const char *name)
{
	text_printf(k->out,
		".visible .entry %s()\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<64>;\n.reg .b64 %%rd<4>;\n",
		name);
	if (k->shared)
		text_puts(k->out, ".shared .align 8 .u32 w[8];\n");
	if (k->object)
		text_puts(k->out, ".shared .align 8 .b64 m;\n");
}

static void head(struct kernel *k, unsigned first)
{
	static const char *const launch[LAYOUTS] = {"<<<%u, 1>>>()", "<<<1, %u>>>()",
		"<<<1, %u>>>()", "<<<%u, 2>>>()", "<<<%u, 1>>>() cluster=%u",
		"<<<%u, 1, 0, 1>>>()"};
	static const char *const other[] = {
		"<<<1, 1, 0, 2>>>()", "<<<1, 1, 0, 2>>>() gpu=1", "<<<1, 1, 0, 1>>>()"};
	unsigned n = k->layout == IN_WARPS ? 32 * first : k->layout == IN_PAIRS ? first / 2 : first;
	text_puts(k->out, ".version 8.6\n.target sm_90\n.address_size 64\n//@ launch k");
	text_printf(k->out, launch[k->layout], n, n);
	text_puts(k->out, "\n");
	if (k->layout == IN_LAUNCHES)
		text_printf(k->out, "//@ launch j%s\n", other[below(k, 3)]);
	if (!k->shared)
		text_printf(k->out, ".global .align 8 .u32 w[8];\n//@ observe w[0..%u]\n",
			k->layout == IN_LAUNCHES ? 6 : 2);
	begin_kernel(k, "k");
	text_puts(k->out,
		"\tmov.u32 %r50, %ctaid.x;\n\tmov.u32 %r51, %ntid.x;\n\tmov.u32 %r52, %tid.x;\n\tmad.lo.u32 %r53, %r50, %r51, %r52;\n");
	if (k->object)
		text_printf(k->out,
			"\tsetp.ne.u32 %%p1, %%r53, 0;\n\t@%%p1 bra I;\n\tmbarrier.init.shared::cta.b64 [m], %u;\nI:\n\tbarrier.sync 2;\n",
			1 + below(k, 2));
	for (unsigned t = 1; t < first; t++)
		text_printf(k->out, "\tsetp.eq.u32 %%p1, %%r53, %u;\n\t@%%p1 bra T%u;\n",
			k->layout == IN_WARPS ? 32 * t : t, t);
	text_puts(k->out, "\tsetp.ne.u32 %p1, %r53, 0;\n\t@%p1 bra E;\n");
}

static void thread(struct kernel *k, unsigned t, unsigned steps, unsigned meeting, bool relaxed)
{
	text_printf(k->out, "T%u:\n", t);
	for (unsigned s = 0; s < steps; s++) {
		if (s == meeting)
			barrier(k, relaxed);
		step(k, t);
	}
}

static void make(struct rng *rng, struct text *out, bool protocol)
{
	struct kernel k = {.rng = rng, .out = out, .protocol = protocol};
	unsigned steps, meeting, first;
	bool relaxed;
	k.layout = (enum layout)below(&k, LAYOUTS);
	k.threads = k.layout == IN_PAIRS ? 4 : 2 + below(&k, 3);
	first = k.layout == IN_LAUNCHES ? k.threads - 1 : k.threads;
	k.words = 1 + below(&k, 3);
	k.narrow = below(&k, 2);
	k.by_warp = below(&k, 2);
	k.shared = (k.layout == IN_LANES || k.layout == IN_WARPS) && below(&k, 4) == 0;
	k.object = k.layout == IN_WARPS && below(&k, 2);
	if (protocol) {
		k.words = 2;
		k.discipline = below(&k, 5);
		k.narrow = true;
	}
	steps = k.threads == 2 ? 2 + below(&k, 4) : k.threads == 3 ? 2 + below(&k, 2) : 2;
	if (protocol) /* each step is several instructions */
		steps = k.threads == 2 ? 2 + below(&k, 2) : k.threads == 3 ? 1 + below(&k, 2) : 1;
	meeting = steps < 2 || below(&k, 2) ? steps : 1 + below(&k, steps - 1); /* steps: none */
	relaxed = below(&k, 4) == 0;
	head(&k, first);
	for (unsigned t = 0; t < first; t++) {
		thread(&k, t, steps, meeting, relaxed);
		text_puts(out, "\tret;\n");
	}
	text_puts(out, "E:\n\tret;\n}\n");
	if (k.layout == IN_LAUNCHES) {
		begin_kernel(&k, "j");
		thread(&k, first, steps, steps, false);
		/* its registers are not observed */
		for (unsigned i = 0; i < k.loaded[first] && i < 4; i++)
			text_printf(out, "\tst.global.u32 [w+%u], %%r%u;\n", 12 + 4 * i,
				first * REGISTERS + 1 + i);
		text_puts(out, "\tret;\n}\n");
	}
	for (unsigned t = 0; t < first; t++)
		for (unsigned i = 0; i < k.loaded[t]; i++)
			text_printf(out, "//@ observe P%u:%%r%u\n",
				k.layout == IN_WARPS ? 32 * t : t, t * REGISTERS + 1 + i);
}

void random_kernel(struct rng *rng, struct text *out) { make(rng, out, false); }
void random_protocol(struct rng *rng, struct text *out) { make(rng, out, true); }
