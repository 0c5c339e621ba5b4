/* Random kernels of two threads and asynchronous operations: see random_kernel.h. */
#include "tests/oracle/random_kernel.h"
#include <stdbool.h>

struct copies {
	struct rng *rng;
	struct text *out;
	/* left: number of asynchronous operations that may still be issued */
	unsigned threads, labels, value, left;
	unsigned loaded[2];
	bool bulk;
};

static unsigned below(struct copies *k, unsigned n) { return rng_below(k->rng, n); }
static unsigned word(struct copies *k) { return 4 * below(k, 2) + 16 * below(k, 2); }
static unsigned tile(struct copies *k) { return 16 * below(k, 2); }

/* An ordinary access. */
static void access(struct copies *k, unsigned t)
{
	bool shared = below(k, 3) > 0, strong = !shared && !below(k, 3);
	const char *order = strong ? ".relaxed.gpu" : "", *space = shared ? "shared" : "global",
		   *name = shared ? "s" : "w";
	if (below(k, 2) && k->loaded[t] < 6)
		text_printf(k->out, "\tld%s.%s.u32 %%r%u, [%s+%u];\n", order, space,
			8 * t + ++k->loaded[t], name, word(k));
	else if (strong && below(k, 2))
		text_printf(k->out, "\tred.relaxed.gpu.global.add.u32 [w+%u], %u;\n", word(k),
			++k->value);
	else
		text_printf(k->out, "\tst%s.%s.u32 [%s+%u], %u;\n", order, space, name, word(k),
			++k->value);
}

static void group(struct copies *k)
{
	static const char *const reduce[] = {"cp.async.bulk.global.shared::cta.bulk_group",
		"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"};
	text_printf(k->out, "\t%s [w+%u], [s+%u], 16;\n", reduce[below(k, 2)], tile(k), tile(k));
	if (below(k, 6))
		text_puts(k->out, "\tcp.async.bulk.commit_group;\n");
}

static void step(struct copies *k, unsigned t)
{
	static const char *const wait[] = {
		"cp.async.wait_all", "cp.async.wait_group 0", "cp.async.wait_group 1"};
	static const char *const bulk_wait[] = {"cp.async.bulk.wait_group 0",
		"cp.async.bulk.wait_group.read 0", "cp.async.bulk.wait_group 1"};
	switch (below(k, 10)) {
	case 0:
	case 1:
		if (!k->left)
			break;
		k->left--;
		if (!k->bulk) {
			text_printf(k->out, "\tcp.async.ca.shared.global [s+%u], [w+%u], 4;\n",
				word(k), word(k));
			text_puts(k->out,
				below(k, 3) ? "\tcp.async.commit_group;\n"
					: !below(k, 3)
					? "\tcp.async.mbarrier.arrive.noinc.shared::cta.b64 [m];\n"
					: "");
		} else if (below(k, 2)) {
			text_puts(k->out,
				"\tmbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [m], 16;\n");
			text_printf(k->out,
				"\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+%u], [w+%u], 16, [m];\n",
				tile(k), tile(k));
		} else {
			group(k);
		}
		break;
	case 2:
	case 3:
		text_printf(
			k->out, "\t%s;\n", k->bulk ? bulk_wait[below(k, 3)] : wait[below(k, 3)]);
		access(k, t);
		break;
	case 4:
	case 5:
		text_printf(k->out,
			"\tmbarrier.test_wait.parity.shared::cta.b64 %%p2, [m], 0;\n\t@!%%p2 bra J%u;\n",
			++k->labels);
		access(k, t);
		text_printf(k->out, "J%u:\n", k->labels);
		break;
	case 6:
		text_puts(k->out,
			below(k, 2) ? "\tfence.proxy.async;\n"
				    : "\tmbarrier.arrive.shared::cta.b64 %rd1, [m];\n");
		break;
	default: access(k, t); break;
	}
}

void random_copies(struct rng *rng, struct text *out)
{
	struct copies k = {.rng = rng, .out = out, .left = 3};
	bool lanes = below(&k, 2);
	k.bulk = below(&k, 2);
	text_printf(out,
		".version 8.6\n.target sm_90\n.address_size 64\n//@ launch k<<<1, %u>>>()\n.global .align 16 .u32 w[8];\n//@ observe w[0..7]\n",
		lanes ? 2 : 64);
	text_puts(out,
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<4>;\n.shared .align 16 .u32 s[8];\n.shared .align 8 .b64 m;\n");
	text_printf(out,
		"\tmov.u32 %%r50, %%tid.x;\n\tsetp.ne.u32 %%p1, %%r50, 0;\n\t@%%p1 bra I;\n\tmbarrier.init.shared::cta.b64 [m], %u;\nI:\n\tbarrier.sync 0;\n",
		1 + below(&k, 2));
	text_printf(out,
		"\tsetp.eq.u32 %%p1, %%r50, %u;\n\t@%%p1 bra T1;\n\tsetp.ne.u32 %%p1, %%r50, 0;\n\t@%%p1 bra E;\n",
		lanes ? 1 : 32);
	unsigned steps = 3 + below(&k, 3), meeting = below(&k, steps + 2);
	for (unsigned t = 0; t < 2; t++) {
		text_puts(out, t ? "T1:\n" : "");
		for (unsigned s = 0; s < steps; s++) {
			if (s == meeting)
				text_puts(out, "\tbarrier.sync 1;\n");
			step(&k, t);
		}
		text_puts(out, "\tret;\n");
	}
	text_puts(out, "E:\n\tret;\n}\n");
}
