/* The kernels: each fills REGION bytes of shared memory, copies a box, and writes the region out.
 */
#include "tensor.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length, room;

static void put(const char *format, ...)
{
	va_list list;

	if (room - length < 4096)
		text = realloc(text, room = room * 2 + 65536);
	va_start(list, format);
	length += (size_t)vsnprintf(text + length, room - length, format, list);
	va_end(list);
}

void kernel_name(const struct tensor_case *c, char *name, size_t n)
{
	switch (c->family) {
	case F_MISUSE: snprintf(name, n, "%s", c->kernel); break;
	case F_LOAD:
	case F_INTERLEAVE: snprintf(name, n, "load_%u", c->rank); break;
	case F_LOAD_CTA: snprintf(name, n, "load_cta_%u", c->rank); break;
	case F_IM2COL:
	case F_INTERLEAVE_IM2COL: snprintf(name, n, "load_im2col_%u", c->rank); break;
	case F_STORE:
	case F_STORE_INTERLEAVE: snprintf(name, n, "store_%u", c->rank); break;
	case F_STORE_IM2COL: snprintf(name, n, "store_im2col_%u", c->rank); break;
	case F_REDUCE:
		snprintf(name, n, "reduce_%s_%u", operation_name[c->operation], c->rank);
		break;
	case F_REDUCE_IM2COL:
		snprintf(name, n, "reduce_im2col_%s_%u", operation_name[c->operation], c->rank);
		break;
	case F_MULTICAST: snprintf(name, n, "multicast_%u", c->rank); break;
	case F_REPLACE: snprintf(name, n, "replace_%u", c->operation); break;
	case F_REPLACED: snprintf(name, n, "replaced_%u", c->rank); break;
	case F_IMAGE_TILED:
	case F_IMAGE_IM2COL:
	case F_IMAGE_REFUSED:
	case FAMILIES:
	default: snprintf(name, n, "none"); break;
	}
}

/* The parameters are the map, a source of words, the place for the results, coordinates (five
 * words) and offsets (three halves), the place of the box in shared memory, its bytes. */
static void begin(const char *name, const char *more)
{
	put(".visible .entry %s(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out,\n"
	    "\t.param .align 4 .b8 at[32], .param .u32 place, .param .u32 bytes)\n%s{\n"
	    "\t.reg .pred %%p<4>;\n\t.reg .b16 %%h<4>;\n\t.reg .b32 %%r<32>;\n\t.reg .b64 %%d<16>;\n"
	    "\tmov.u64 %%d0, map;\n\tcvta.param.u64 %%d0, %%d0;\n"
	    "\tld.param.u64 %%d1, [in];\n\tld.param.u64 %%d2, [out];\n"
	    "\tcvta.to.global.u64 %%d1, %%d1;\n\tcvta.to.global.u64 %%d2, %%d2;\n"
	    "\tld.param.u32 %%r0, [at];\n\tld.param.u32 %%r1, [at+4];\n\tld.param.u32 %%r2, [at+8];\n"
	    "\tld.param.u32 %%r3, [at+12];\n\tld.param.u32 %%r4, [at+16];\n"
	    "\tld.param.u16 %%h0, [at+20];\n\tld.param.u16 %%h1, [at+22];\n\tld.param.u16 %%h2, [at+24];\n"
	    "\tld.param.u32 %%r5, [place];\n\tld.param.u32 %%r6, [bytes];\n"
	    "\tmov.u32 %%r7, sm;\n\tadd.u32 %%r8, %%r7, 1024;\n\tadd.u32 %%r9, %%r8, %%r5;\n"
	    "\tmov.u32 %%r10, %%tid.x;\n\tsetp.ne.u32 %%p0, %%r10, 0;\n",
		name, more);
}

/* Fills the region: with the words of the source, or with one word. */
static void fill(bool source)
{
	put("\tshl.b32 %%r11, %%r10, 2;\nFILL:\n\tadd.u32 %%r12, %%r8, %%r11;\n");
	if (source)
		put("\tcvt.u64.u32 %%d3, %%r11;\n\tadd.u64 %%d3, %%d1, %%d3;\n\tld.global.u32 %%r13, [%%d3];\n");
	else
		put("\tmov.u32 %%r13, 0xa5a5a5a5;\n");
	put("\tst.shared.u32 [%%r12], %%r13;\n\tadd.u32 %%r11, %%r11, 512;\n"
	    "\tsetp.lt.u32 %%p1, %%r11, %d;\n\t@%%p1 bra FILL;\n\tfence.proxy.async.shared::cta;\n",
		REGION);
}

/* Writes the region to the results, those of the cluster's second CTA behind those of the first. */
static void drain(bool clustered)
{
	put("\tshl.b32 %%r11, %%r10, 2;\n");
	if (clustered)
		put("\tmov.u32 %%r14, %%cluster_ctarank;\n\tmul.wide.u32 %%d4, %%r14, %d;\n\tadd.u64 %%d2, %%d2, %%d4;\n",
			REGION);
	put("DRAIN:\n\tadd.u32 %%r12, %%r8, %%r11;\n\tld.shared.u32 %%r13, [%%r12];\n"
	    "\tcvt.u64.u32 %%d3, %%r11;\n\tadd.u64 %%d3, %%d2, %%d3;\n\tst.global.u32 [%%d3], %%r13;\n"
	    "\tadd.u32 %%r11, %%r11, 512;\n\tsetp.lt.u32 %%p1, %%r11, %d;\n\t@%%p1 bra DRAIN;\n\tret;\n}\n",
		REGION);
}

static const char *coordinates(unsigned rank)
{
	static const char *const list[] = {"", "{%r0}", "{%r0, %r1}", "{%r0, %r1, %r2}",
		"{%r0, %r1, %r2, %r3}", "{%r0, %r1, %r2, %r3, %r4}"};

	return list[rank];
}

/* Waits for the mbarrier a while, and says behind the regions that its bytes did not come. */
static void wait_bytes(void)
{
	put("\tmov.u32 %%r15, 0;\n"
	    "WAIT:\n\tmbarrier.test_wait.parity.shared::cta.b64 %%p1, [%%r7], 0;\n\t@%%p1 bra JOIN;\n"
	    "\tadd.u32 %%r15, %%r15, 1;\n\tsetp.lt.u32 %%p2, %%r15, 20000;\n\t@%%p2 bra WAIT;\n"
	    "\tmov.u32 %%r16, 0xdead;\n\tst.global.u32 [%%d2+%d], %%r16;\n",
		2 * REGION);
}

static void load(unsigned rank, const char *kind)
{
	char name[32];
	bool im2col = strcmp(kind, "_im2col") == 0, cta = strcmp(kind, "_cta") == 0;
	static const char *const offsets[] = {"{%h0}", "{%h0, %h1}", "{%h0, %h1, %h2}"};

	snprintf(name, sizeof name, "load%s_%u", kind, rank);
	begin(name, "");
	fill(false);
	put("\t@%%p0 bra FILLED;\n\tmbarrier.init.shared::cta.b64 [%%r7], 1;\n\tfence.mbarrier_init.release.cluster;\nFILLED:\n\tbar.sync 0;\n\t@%%p0 bra JOIN;\n"
	    "\tmbarrier.arrive.expect_tx.shared::cta.b64 %%d3, [%%r7], %%r6;\n"
	    "\tcp.async.bulk.tensor.%ud.shared::%s.global%s.mbarrier::complete_tx::bytes [%%r9], [%%d0, %s], [%%r7]%s%s;\n",
		rank, cta ? "cta" : "cluster", im2col ? ".im2col" : ".tile", coordinates(rank),
		im2col ? ", " : "", im2col ? offsets[rank - 3] : "");
	wait_bytes();
	put("JOIN:\n\tbar.sync 0;\n");
	drain(false);
}

static void store(unsigned rank, bool im2col, const char *operation)
{
	char name[64];

	snprintf(name, sizeof name, "%s%s%s%s_%u", operation ? "reduce" : "store",
		im2col ? "_im2col" : "", operation ? "_" : "", operation ? operation : "", rank);
	begin(name, "");
	fill(true);
	put("\tbar.sync 0;\n\t@%%p0 bra JOIN;\n\tcp%s.async.bulk.tensor.%ud.global.shared::cta%s%s%s.bulk_group [%%d0, %s], [%%r9];\n"
	    "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\nJOIN:\n\tret;\n}\n",
		operation ? ".reduce" : "", rank, operation ? "." : "", operation ? operation : "",
		im2col ? ".im2col_no_offs" : ".tile", coordinates(rank));
}

static void multicast(unsigned rank)
{
	char name[32];

	snprintf(name, sizeof name, "multicast_%u", rank);
	begin(name, ".reqnctapercluster 2, 1, 1\n");
	fill(false);
	put("\t@%%p0 bra FILLED;\n\tmbarrier.init.shared::cta.b64 [%%r7], 1;\n\tfence.mbarrier_init.release.cluster;\n"
	    "\tmbarrier.arrive.expect_tx.shared::cta.b64 %%d3, [%%r7], %%r6;\nFILLED:\n"
	    "\tbarrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;\n\t@%%p0 bra JOIN;\n"
	    "\tmov.u32 %%r14, %%cluster_ctarank;\n\tsetp.ne.u32 %%p1, %%r14, 0;\n\t@%%p1 bra ISSUED;\n\tmov.u16 %%h3, 3;\n"
	    "\tcp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%%r9], [%%d0, %s], [%%r7], %%h3;\nISSUED:\n",
		rank, coordinates(rank));
	wait_bytes();
	put("JOIN:\n\tbar.sync 0;\n");
	drain(true);
}

/* Copies the map of the parameters to shared memory. */
static void fetch_map(void)
{
	put("\tsetp.ge.u32 %%p1, %%r10, 32;\n\tshl.b32 %%r11, %%r10, 2;\n\tadd.u32 %%r12, %%r8, %%r11;\n"
	    "\tcvt.u64.u32 %%d3, %%r11;\n\tadd.u64 %%d4, %%d0, %%d3;\n\t@!%%p1 ld.u32 %%r13, [%%d4];\n"
	    "\t@!%%p1 st.shared.u32 [%%r12], %%r13;\n\tbar.sync 0;\n");
}

static void replace(unsigned n)
{
	static const char *const field[] = {"box_dim", "global_dim", "element_stride"};
	char name[32];

	snprintf(name, sizeof name, "replace_%u", n);
	begin(name, "");
	fetch_map();
	put("\t@%%p0 bra DONE;\n\tld.global.u64 %%d7, [%%d1];\n\tcvt.u32.u64 %%r17, %%d7;\n\ttensormap.replace.tile.");
	if (n == 0)
		put("global_address.shared::cta.b1024.b64 [%%r8], %%d7;\n");
	else if (n == 1)
		put("rank.shared::cta.b1024.b32 [%%r8], %%r17;\n");
	else if (n < 17)
		put("%s.shared::cta.b1024.b32 [%%r8], %u, %%r17;\n", field[(n - 2) / 5],
			(n - 2) % 5);
	else if (n < 21)
		put("global_stride.shared::cta.b1024.b64 [%%r8], %u, %%d7;\n", n - 17);
	else if (n < 34)
		put("elemtype.shared::cta.b1024.b32 [%%r8], %u;\n", n - 21);
	else if (n < 37)
		put("interleave_layout.shared::cta.b1024.b32 [%%r8], %u;\n", n - 34);
	else if (n < 41)
		put("swizzle_mode.shared::cta.b1024.b32 [%%r8], %u;\n", n - 37);
	else
		put("fill_mode.shared::cta.b1024.b32 [%%r8], %u;\n", n - 41);
	put("DONE:\n\tbar.sync 0;\n\tadd.u64 %%d5, %%d2, %%d3;\n\t@!%%p1 ld.shared.u32 %%r13, [%%r12];\n"
	    "\t@!%%p1 st.global.u32 [%%d5], %%r13;\n\tret;\n}\n");
}

/* A copy with a map of which everything but the types is replaced; the source has the new values,
 * then, at 1024, room for the new map. */
static void replaced(unsigned rank)
{
	char name[32];

	snprintf(name, sizeof name, "replaced_%u", rank);
	begin(name, "");
	fetch_map();
	put("\t@%%p0 bra DONE;\n\tld.global.u64 %%d7, [%%d1];\n\ttensormap.replace.tile.global_address.shared::cta.b1024.b64 [%%r8], %%d7;\n");
	for (unsigned k = 0; k < rank; k++) {
		put("\tld.global.u32 %%r17, [%%d1+%u];\n\ttensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%%r8], %u, %%r17;\n",
			64 + 8 * k, k);
		put("\tld.global.u32 %%r17, [%%d1+%u];\n\ttensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%%r8], %u, %%r17;\n",
			128 + 8 * k, k);
		put("\tld.global.u32 %%r17, [%%d1+%u];\n\ttensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%%r8], %u, %%r17;\n",
			192 + 8 * k, k);
		if (k + 1 < rank)
			put("\tld.global.u64 %%d7, [%%d1+%u];\n\ttensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%%r8], %u, %%d7;\n",
				256 + 8 * k, k);
	}
	put("DONE:\n\tbar.sync 0;\n\t@%%p1 bra MADE;\n\tadd.u64 %%d7, %%d1, 1024;\n"
	    "\ttensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%%d7], [%%r8], 128;\nMADE:\n\tbar.sync 0;\n");
	fill(false);
	put("\t@%%p0 bra FILLED;\n\tmbarrier.init.shared::cta.b64 [%%r7], 1;\n\tfence.mbarrier_init.release.cluster;\nFILLED:\n\tbar.sync 0;\n\t@%%p0 bra JOIN;\n"
	    "\tmbarrier.arrive.expect_tx.shared::cta.b64 %%d3, [%%r7], %%r6;\n"
	    "\tadd.u64 %%d7, %%d1, 1024;\n\tcvta.global.u64 %%d7, %%d7;\n\tfence.proxy.tensormap::generic.acquire.gpu [%%d7], 128;\n"
	    "\tcp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r9], [%%d7, %s], [%%r7];\n",
		rank, coordinates(rank));
	wait_bytes();
	put("JOIN:\n\tbar.sync 0;\n");
	drain(false);
}

char *kernels_text(void)
{
	put(".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n");
	for (unsigned rank = 1; rank <= 5; rank++) {
		load(rank, "");
		load(rank, "_cta");
		store(rank, false, NULL);
		replaced(rank);
		for (unsigned k = 0; k < 8; k++) {
			store(rank, false, operation_name[k]);
			if (rank > 2)
				store(rank, true, operation_name[k]);
		}
		if (rank > 2) {
			load(rank, "_im2col");
			store(rank, true, NULL);
		}
	}
	multicast(2);
	for (unsigned k = 0; k < REPLACEMENTS; k++)
		replace(k);
	return text;
}
