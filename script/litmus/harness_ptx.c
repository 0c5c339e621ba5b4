/* Writes the harness's module as PTX. */
#include "script/litmus/harness.h"
#include <inttypes.h>

enum { EVICT_LOADS = 8, SCRATCH_WORDS_MASK = HARNESS_SCRATCH_BYTES / 4 - 1 };

static void put_parameters(struct text *out)
{
	static const char *const wide[] = {"memory", "out", "meet", "scratch", "count"},
				 *const narrow[] = {"groups", "multiplier", "rounds", "lanes",
					 "instances", "slot_multiplier", "slot_add", "slot_mask",
					 "slot_bytes", "location_bytes", "looks", "together",
					 "delay_mask", "warm", "evict", "stress", "seed", "zero",
					 "roles"};
	for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++)
		text_printf(out, "%s.param .u64 %s", k ? ", " : "", wide[k]);
	for (size_t k = 0; k < sizeof narrow / sizeof narrow[0]; k++)
		text_printf(out, ", .param .u32 %s", narrow[k]);
}

static void put_kernel_head(const struct harness *h, const char *name, struct text *out)
{
	text_printf(out, ".visible .entry %s(", name);
	put_parameters(out);
	text_puts(out,
		")\n{\n\t.reg .pred %q0, %q1;\n\t.reg .b32 %a<32>;\n\t.reg .b64 %w<8>;\n\t.reg .b64 %out;\n");
	for (uint32_t k = 0; k < h->nlocations; k++)
		text_printf(out, "\t.reg .b64 %%loc%u;\n", k);
}

/* Loads parameter NAME into register REG. */
static void put_load(struct text *out, const char *reg, const char *name, bool wide)
{
	text_printf(out, "\tld.param.u%d %s, [%s];\n", wide ? 64 : 32, reg, name);
}

/* Computes the address of every location of instance %a0, and %out. Clobbers %a1, %a2, %w0, %w1. */
static void put_addresses(const struct harness *h, struct text *out)
{
	put_load(out, "%a1", "slot_multiplier", false);
	put_load(out, "%a2", "slot_add", false);
	text_puts(out, "\tmad.lo.u32 %a1, %a0, %a1, %a2;\n");
	put_load(out, "%a2", "slot_mask", false);
	text_puts(out, "\tand.b32 %a1, %a1, %a2;\n");
	put_load(out, "%a2", "slot_bytes", false);
	put_load(out, "%w0", "memory", true);
	text_puts(out, "\tmad.wide.u32 %w0, %a1, %a2, %w0;\n");
	put_load(out, "%a2", "location_bytes", false);
	for (uint32_t k = 0; k < h->nlocations; k++)
		text_printf(out, "\tmov.b32 %%a1, %u;\n\tmad.wide.u32 %%loc%u, %%a1, %%a2, %%w0;\n",
			k, k);
	put_load(out, "%w1", "out", true);
	text_printf(out, "\tmad.wide.u32 %%out, %%a0, %u, %%w1;\n",
		4 * (h->nobserved ? h->nobserved : 1));
}

/* Computes the address of the counter of instance %a0 in %w1. */
static void put_counter(struct text *out)
{
	put_load(out, "%w1", "meet", true);
	text_printf(out, "\tmad.wide.u32 %%w1, %%a0, %d, %%w1;\n", HARNESS_MEET_BYTES);
}

/* The loop over all instances in prepare and collect: each thread handles one instance at a
 * time. */
static void put_instance_loop(struct text *out)
{
	text_puts(out,
		"\tmov.u32 %a0, %ctaid.x;\n\tmov.u32 %a1, %ntid.x;\n\tmov.u32 %a2, %tid.x;\n\tmad.lo.u32 %a0, %a0, %a1, %a2;\n"
		"\tmov.u32 %a3, %nctaid.x;\n\tmul.lo.u32 %a3, %a3, %a1;\n");
	put_load(out, "%a4", "instances", false);
	text_puts(out, "NEXT:\n\tsetp.ge.u32 %q0, %a0, %a4;\n\t@%q0 exit;\n");
}

static void put_prepare(const struct harness *h, struct text *out)
{
	put_kernel_head(h, "prepare", out);
	put_instance_loop(out);
	put_addresses(h, out);
	for (uint32_t k = 0; k < h->nlocations; k++)
		text_printf(out, "\tst.global.b32 [%%loc%u], %" PRId32 ";\n", k, h->init[k]);
	for (uint32_t k = 0; k < h->nobserved; k++)
		text_printf(out, "\tst.global.b32 [%%out+%u], 0x7eadbeef;\n", 4 * k);
	put_counter(out);
	text_puts(out,
		"\tst.global.b32 [%w1], 0;\n\tst.global.b64 [%w1+8], 0;\n\tadd.u32 %a0, %a0, %a3;\n\tbra NEXT;\n}\n");
}

/* Stores final values, and counts at [count + 4] the instances in which not every role ran exactly
 * once. */
static void put_collect(const struct harness *h, struct text *out)
{
	put_kernel_head(h, "collect", out);
	put_load(out, "%a6", "roles", false);
	put_load(out, "%w2", "count", true);
	put_instance_loop(out);
	put_addresses(h, out);
	for (uint32_t k = 0; k < h->nobserved; k++) {
		if (h->final[k] >= 0)
			text_printf(out,
				"\tld.global.b32 %%a5, [%%loc%" PRId32
				"];\n\tst.global.b32 [%%out+%u], %%a5;\n",
				h->final[k], 4 * k);
	}
	put_counter(out);
	text_puts(out,
		"\tld.global.b32 %a5, [%w1];\n\tsetp.ne.u32 %q1, %a5, %a6;\n\t@%q1 red.relaxed.gpu.global.add.u32 [%w2+4], 1;\n"
		"\tadd.u32 %a0, %a0, %a3;\n\tbra NEXT;\n}\n");
}

/* Hashes REG: every bit of the result depends on every bit of its old value. */
static void put_mix(struct text *out, const char *reg, const char *scratch)
{
	text_printf(out,
		"\tshr.u32 %s, %s, 16;\n\txor.b32 %s, %s, %s;\n\tmul.lo.u32 %s, %s, 0x7feb352d;\n\tshr.u32 %s, %s, 15;\n\txor.b32 %s, %s, %s;\n"
		"\tmul.lo.u32 %s, %s, 0x846ca68b;\n\tshr.u32 %s, %s, 16;\n\txor.b32 %s, %s, %s;\n",
		scratch, reg, reg, reg, scratch, reg, reg, scratch, reg, reg, reg, scratch, reg,
		reg, scratch, reg, reg, reg, scratch);
}

/* Registers of kernel test that keep their values during a round: %a8 number of the cluster, %a9
 * rank, %a10 warp, %a11 lane, %a12 round, %a13 groups, %a14 team, %a15 role of this warp, %a16
 * random bits of the round, %a17 random bits of the warp, %a18 combination of loaded values, %a19
 * lanes, %a20 mask of lanes. */
static void put_identity(const struct harness *h, struct text *out)
{
	text_printf(out,
		"\tmov.u32 %%a8, %%ctaid.x;\n\trem.u32 %%a9, %%a8, %u;\n\tdiv.u32 %%a8, %%a8, %u;\n",
		h->ranks, h->ranks);
	text_puts(out,
		"\tmov.u32 %a10, %tid.x;\n\tand.b32 %a11, %a10, 31;\n\tshr.u32 %a10, %a10, 5;\n\tmov.b32 %a12, 0;\n\tmov.b32 %a18, 0;\n");
	put_load(out, "%a13", "groups", false);
	put_load(out, "%a19", "lanes", false);
	text_puts(out,
		"\tsub.u32 %a20, 32, %a19;\n\tmov.b32 %a0, 0xffffffff;\n\tshr.u32 %a20, %a0, %a20;\n");
	text_printf(out, "\tsetp.ge.u32 %%q0, %%a10, %u;\n\t@%%q0 bra STRESS;\n", h->warps);
}

/* Chooses the role and team of this warp for the round by permuting groups and rotating the CTAs of
 * a cluster and the warps of a CTA. */
static void put_roles(const struct harness *h, struct text *out)
{
	put_load(out, "%a0", "seed", false);
	text_puts(out, "\tmad.lo.u32 %a16, %a12, 0x9e3779b9, %a0;\n");
	put_mix(out, "%a16", "%a0");
	put_load(out, "%a0", "multiplier", false);
	text_puts(out,
		"\trem.u32 %a1, %a16, %a13;\n\tmad.lo.u32 %a0, %a8, %a0, %a1;\n\trem.u32 %a0, %a0, %a13;\n");
	text_printf(out, "\tdiv.u32 %%a14, %%a0, %u;\n\trem.u32 %%a15, %%a0, %u;\n", h->clusters,
		h->clusters);
	text_printf(out,
		"\tshr.u32 %%a1, %%a16, 8;\n\trem.u32 %%a1, %%a1, %u;\n\tadd.u32 %%a1, %%a1, %%a9;\n\trem.u32 %%a1, %%a1, %u;\n",
		h->ranks, h->ranks);
	text_printf(out, "\tmad.lo.u32 %%a15, %%a15, %u, %%a1;\n", h->ranks);
	text_printf(out,
		"\tshr.u32 %%a1, %%a16, 16;\n\trem.u32 %%a1, %%a1, %u;\n\tadd.u32 %%a1, %%a1, %%a10;\n\trem.u32 %%a1, %%a1, %u;\n",
		h->warps, h->warps);
	text_printf(out, "\tmad.lo.u32 %%a15, %%a15, %u, %%a1;\n", h->warps);
	text_puts(out, "\tsetp.ge.u32 %q0, %a11, %a19;\n\t@%q0 bra NEXT;\n");
	for (uint32_t k = 0; k < h->nroles; k++) {
		const struct harness_role *r = &h->role[k];
		text_printf(out, "\tsetp.eq.u32 %%q0, %%a15, %u;\n\t@%%q0 bra PLAY;\n",
			(r->cluster * h->ranks + r->rank) * h->warps + r->warp);
	}
	text_puts(out, "\tbra NEXT;\n");
}

/* Randomly evicts the test's lines by loading others, and randomly warms them by loading them. All
 * lanes of a warp do the same. */
static void put_disturbance(const struct harness *h, struct text *out)
{
	text_puts(out,
		"\tmad.lo.u32 %a17, %a15, 0x85ebca6b, %a16;\n\tmad.lo.u32 %a17, %a14, 0xc2b2ae35, %a17;\n");
	put_mix(out, "%a17", "%a3");
	put_load(out, "%a1", "evict", false);
	text_puts(out,
		"\tand.b32 %a2, %a17, 15;\n\tsetp.ge.u32 %q0, %a2, %a1;\n\t@%q0 bra EVICTED;\n");
	put_load(out, "%w0", "scratch", true);
	text_puts(out, "\tmad.lo.u32 %a1, %a11, 0x9e3779b9, %a17;\n");
	for (unsigned k = 0; k < EVICT_LOADS; k++)
		text_printf(out,
			"\tmad.lo.u32 %%a1, %%a1, 0x19660d, 0x3c6ef35f;\n\tshr.u32 %%a2, %%a1, 8;\n\tand.b32 %%a2, %%a2, %d;\n\tmad.wide.u32 %%w1, %%a2, 4, %%w0;\n"
			"\tld.global.b32 %%a2, [%%w1];\n\txor.b32 %%a18, %%a18, %%a2;\n",
			SCRATCH_WORDS_MASK);
	text_puts(out, "EVICTED:\n");
	put_load(out, "%a1", "warm", false);
	text_puts(out,
		"\tshr.u32 %a2, %a17, 4;\n\tand.b32 %a2, %a2, 15;\n\tsetp.ge.u32 %q0, %a2, %a1;\n\t@%q0 bra WARMED;\n");
	/* Adding zero hides from the compiler that the test loads from the same addresses. */
	put_load(out, "%a2", "zero", false);
	text_puts(out, "\tcvt.u64.u32 %w0, %a2;\n");
	for (uint32_t k = 0; k < h->nlocations; k++)
		text_printf(out,
			"\tadd.u64 %%w1, %%loc%u, %%w0;\n\tld.global.b32 %%a2, [%%w1];\n\txor.b32 %%a18, %%a18, %%a2;\n",
			k);
	text_puts(out, "WARMED:\n");
}

/* Waits for the common start time, which the last thread to arrive (%q1 is true) writes. A thread
 * that does not find a time, or finds one too far in the future, does not wait. */
static void put_common_start(struct text *out)
{
	put_load(out, "%a5", "together", false);
	text_puts(out,
		"\tsetp.eq.u32 %q0, %a5, 0;\n\t@%q0 bra START;\n\tcvt.u64.u32 %w3, %a5;\n\tmov.u64 %w2, %globaltimer;\n\tadd.u64 %w2, %w2, %w3;\n"
		"\t@%q1 st.relaxed.gpu.global.u64 [%w1+8], %w2;\nTIME:\n\tld.relaxed.gpu.global.u64 %w2, [%w1+8];\n\tsetp.ne.u64 %q0, %w2, 0;\n\t@%q0 bra HOLD;\n"
		"\tsub.u32 %a4, %a4, 1;\n\tsetp.gt.s32 %q0, %a4, 0;\n\t@%q0 bra TIME;\nHOLD:\n\tmov.u64 %w4, %globaltimer;\n\tsub.u64 %w4, %w2, %w4;\n\tsub.u64 %w4, %w4, 1;\n"
		"\tsetp.lt.u64 %q0, %w4, %w3;\n\t@%q0 bra HOLD;\nSTART:\n");
}

/* Waits until all threads of the instance have arrived, or gives up after enough polls; then waits
 * a random number of cycles. */
static void put_rendezvous(struct text *out)
{
	put_counter(out);
	put_load(out, "%a3", "roles", false);
	put_load(out, "%a4", "looks", false);
	text_puts(out,
		"\tatom.relaxed.gpu.global.add.u32 %a2, [%w1], 1;\n\tadd.u32 %a2, %a2, 1;\n\tsetp.eq.u32 %q1, %a2, %a3;\n\t@%q1 bra MET;\nLOOK:\n"
		"\tld.relaxed.gpu.global.u32 %a2, [%w1];\n\tsetp.ge.u32 %q0, %a2, %a3;\n\t@%q0 bra MET;\n"
		"\tsub.u32 %a4, %a4, 1;\n\tsetp.ne.u32 %q0, %a4, 0;\n\t@%q0 bra LOOK;\n");
	put_load(out, "%w2", "count", true);
	text_puts(out, "\tred.relaxed.gpu.global.add.u32 [%w2], 1;\nMET:\n");
	put_common_start(out);
	text_puts(out, "\tbar.warp.sync %a20;\n");
	put_load(out, "%a4", "delay_mask", false);
	text_puts(out,
		"\tshr.u32 %a2, %a17, 8;\n\tand.b32 %a4, %a4, %a2;\n\tmov.u32 %a5, %clock;\nWAIT:\n\tmov.u32 %a6, %clock;\n\tsub.u32 %a6, %a6, %a5;\n"
		"\tsetp.lt.u32 %q0, %a6, %a4;\n\t@%q0 bra WAIT;\n");
}

static void put_play(const struct harness *h, struct text *out)
{
	text_printf(out,
		"PLAY:\n\tdiv.u32 %%a0, %%a13, %u;\n\tmad.lo.u32 %%a0, %%a12, %%a0, %%a14;\n\tmad.lo.u32 %%a0, %%a0, %%a19, %%a11;\n",
		h->clusters);
	put_addresses(h, out);
	put_disturbance(h, out);
	put_rendezvous(out);
	for (uint32_t k = 0; k < h->nroles; k++) {
		const struct harness_role *r = &h->role[k];
		text_printf(out, "\tsetp.eq.u32 %%q0, %%a15, %u;\n\t@%%q0 bra ROLE%u;\n",
			(r->cluster * h->ranks + r->rank) * h->warps + r->warp, k);
	}
	text_puts(out, "\tbra NEXT;\n");
	for (uint32_t k = 0; k < h->nroles; k++)
		text_printf(out, "ROLE%u:\n%s\tbra NEXT;\n", k, h->role[k].body);
}

/* Warps without a role meanwhile load and store other lines. */
static void put_stress(struct text *out)
{
	text_puts(out, "STRESS:\n");
	put_load(out, "%a1", "stress", false);
	put_load(out, "%a2", "rounds", false);
	put_load(out, "%a3", "seed", false);
	put_load(out, "%w0", "scratch", true);
	text_puts(out,
		"\tmul.lo.u32 %a1, %a1, %a2;\n\tmov.u32 %a4, %ctaid.x;\n\tmov.u32 %a5, %tid.x;\n\tmad.lo.u32 %a3, %a4, 0x85ebca6b, %a3;\n\tmad.lo.u32 %a3, %a5, 0xc2b2ae35, %a3;\n");
	put_mix(out, "%a3", "%a4");
	text_printf(out,
		"MORE:\n\tsetp.eq.u32 %%q0, %%a1, 0;\n\t@%%q0 bra DONE;\n\tsub.u32 %%a1, %%a1, 1;\n\tmad.lo.u32 %%a3, %%a3, 0x19660d, 0x3c6ef35f;\n\tshr.u32 %%a4, %%a3, 8;\n"
		"\tand.b32 %%a4, %%a4, %d;\n\tmad.wide.u32 %%w1, %%a4, 4, %%w0;\n\tand.b32 %%a5, %%a3, 16;\n\tsetp.eq.u32 %%q0, %%a5, 0;\n\t@%%q0 st.global.b32 [%%w1], %%a3;\n"
		"\t@!%%q0 ld.global.b32 %%a5, [%%w1];\n\txor.b32 %%a18, %%a18, %%a5;\n\tbra MORE;\n",
		SCRATCH_WORDS_MASK);
}

static void put_test(const struct harness *h, struct text *out)
{
	put_kernel_head(h, "test", out);
	put_identity(h, out);
	text_puts(out, "ROUND:\n");
	put_load(out, "%a0", "rounds", false);
	text_puts(out, "\tsetp.ge.u32 %q0, %a12, %a0;\n\t@%q0 bra DONE;\n");
	put_roles(h, out);
	put_play(h, out);
	text_puts(out, "NEXT:\n");
	/* no thread may reach the next round's barriers before all have left this round's */
	if (h->barriers)
		text_printf(out, "\tbarrier.sync 15, %u;\n", 32 * h->warps);
	text_puts(out, "\tadd.u32 %a12, %a12, 1;\n\tbra ROUND;\n");
	put_stress(out);
	/* The loaded values are not needed, but the compiler must not know that. */
	text_puts(out, "DONE:\n");
	put_load(out, "%w2", "count", true);
	put_load(out, "%a1", "zero", false);
	text_puts(out,
		"\tand.b32 %a18, %a18, %a1;\n\tred.relaxed.gpu.global.add.u32 [%w2+8], %a18;\n\texit;\n}\n");
}

void harness_ptx(const struct harness *h, struct text *out)
{
	text_printf(out, ".version %u.%u\n.target sm_%u\n.address_size 64\n", h->version / 10,
		h->version % 10, h->target);
	put_prepare(h, out);
	put_test(h, out);
	put_collect(h, out);
}
