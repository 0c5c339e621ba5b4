/* Thresholds and shapes of single instructions, one case on each side; every verdict is that of
 * ptxas 13.0. */
#include "assemble.h"

static const char *const verdicts[] = {
	"reject sm_90 7.7 st.shared::cta.b32 [%r1],%r2",
	"accept sm_90 7.8 st.shared::cta.b32 [%r1],%r2",
	"accept sm_30 7.8 ld.shared::cta.b32 %r1,[%r2]",
	"reject sm_30 7.7 ld.shared::cta.b32 %r1,[%r2]",
	"reject sm_80 7.7 cvta.shared::cta.u64 %rd1,%rd2",
	"accept sm_80 7.8 cvta.shared::cta.u64 %rd1,%rd2",
	"reject sm_80 7.7 atom.shared::cta.add.u32 %r1,[%rd1],1",
	"accept sm_80 7.8 atom.shared::cta.add.u32 %r1,[%rd1],1",
	"accept sm_80 7.7 cp.async.ca.shared::cta.global [%r1],[%rd1],16",
	"accept sm_80 7.8 cp.async.ca.shared::cta.global [%r1],[%rd1],16",
	"reject sm_80 7.7 mbarrier.init.shared::cta.b64 [%r1],1",
	"accept sm_80 7.8 mbarrier.init.shared::cta.b64 [%r1],1",
	"reject sm_80 7.8 ld.shared::cluster.b32 %r1,[%r2]",
	"accept sm_90 7.8 ld.shared::cluster.b32 %r1,[%r2]",
	"accept sm_90 8.1 multimem.ld_reduce.add.f16x2 %r1,[%rd1]",
	"accept sm_90 8.1 multimem.ld_reduce.add.f16x2 %x1,[%rd1]",
	"reject sm_90 8.1 multimem.ld_reduce.add.f16x2 %f1,[%rd1]",
	"accept sm_90 8.1 multimem.ld_reduce.add.bf16x2 %r1,[%rd1]",
	"accept sm_90 8.1 multimem.ld_reduce.add.bf16x2 %f1,[%rd1]",
	"accept sm_90 8.1 multimem.ld_reduce.add.v4.f32 {%f1,%f2,%f3,%f1},[%rd1]",
	"accept sm_90 8.1 multimem.ld_reduce.add.v4.f32 {%r1,%r2,%r3,%r1},[%rd1]",
	"accept sm_90 8.1 multimem.ld_reduce.add.f32 %r1,[%rd1]",
	"accept sm_90 8.1 multimem.ld_reduce.add.f32 %f1,[%rd1]",
	"reject sm_90 8.1 multimem.ld_reduce.add.u32 %f1,[%rd1]",
	"accept sm_90 8.1 multimem.ld_reduce.add.u32 %u1,[%rd1]",
	"accept sm_90 8.1 multimem.ld_reduce.add.v8.f16 {%h1,%h2,%h3,%h1,%h1,%h2,%h3,%h1},[%rd1]",
	"reject sm_90 8.1 multimem.ld_reduce.add.v8.f16 {%r1,%r2,%r3,%r1,%r1,%r2,%r3,%r1},[%rd1]",
	"reject sm_90 8.0 multimem.ld_reduce.add.u32 %r1,[%rd1]",
	"reject sm_80 8.1 multimem.ld_reduce.add.u32 %r1,[%rd1]",
	"accept sm_100a 9.0 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"reject sm_100f 9.0 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"accept sm_100a 9.0 tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"reject sm_100f 9.0 tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"accept sm_100a 9.0 tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"reject sm_100f 9.0 tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"reject sm_100f 9.0 tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::2X [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"accept sm_100f 9.0 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32 [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"accept sm_100f 9.0 tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"reject sm_110f 9.0 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r1],%rd1,%rd2,%r2,[%r3],[%r4],%p1",
	"reject sm_100a 9.0 tcgen05.mma.cta_group::1.kind::f16 [%r1],%rd1,%rd2,%r2",
	"accept sm_100a 9.0 tcgen05.mma.cta_group::1.kind::f16 [%r1],%rd1,%rd2,%r2,%p1",
	"reject sm_100a 9.0 tcgen05.mma.cta_group::1.kind::f16 [%r1],%rd1,%rd2,%r2,{%r1,%r2,%r3,%r4}",
	"accept sm_100a 9.0 tcgen05.mma.cta_group::1.kind::f16.ashift [%r1],[%r2],%rd2,%r2,%p1",
	"reject sm_100a 9.0 tcgen05.mma.cta_group::1.kind::f16.ashift [%r1],%rd1,%rd2,%r2,%p1",
	"reject sm_100a 9.0 tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::fill [%r1],[%r2],%rd2,%r2,%p1",
	"accept sm_100a 9.0 tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::lastuse [%r1],[%r2],%rd2,%r2,%p1",
	"accept sm_100a 9.0 tcgen05.shift.cta_group::1.down [%r1]",
	"reject sm_100f 9.0 tcgen05.shift.cta_group::1.down [%r1]",
	"accept sm_120a 9.0 multimem.st.e4m3x4 [%rd1],%r1",
	"reject sm_120 9.0 multimem.st.e4m3x4 [%rd1],%r1",
	"reject sm_90 9.0 multimem.st.v4.e4m3x2 [%rd1],{%h1,%h2,%h3,%h1}",
	"accept sm_100a 9.0 multimem.st.v4.e4m3x2 [%rd1],{%h1,%h2,%h3,%h1}",
	"reject sm_90 9.0 mbarrier.arrive.shared.b64 %rd1,[%r2],-1",
	"accept sm_90 9.0 mbarrier.arrive.shared.b64 %rd1,[%r2],1",
	"accept sm_90a 9.0 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1],12",
	"reject sm_90a 9.0 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1],13",
	"reject sm_100a 8.6 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1],13",
	"accept sm_100a 8.7 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1],15",
	"reject sm_100a 9.0 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1],16",
	"accept sm_80 9.0 wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r1},[%rd1]",
	"reject sm_80 9.0 wmma.load.a.sync.aligned.row.m8n8k32.b1 {%r1},[%rd1]",
	"reject sm_80 9.0 wmma.load.a.sync.aligned.col.m8n8k32.s4 {%r1},[%rd1]",
	"accept sm_80 9.0 wmma.load.b.sync.aligned.col.m8n8k128.b1 {%r1},[%rd1]",
	"reject sm_80 9.0 wmma.load.b.sync.aligned.row.m8n8k128.b1 {%r1},[%rd1]",
	"reject sm_80 9.0 wmma.store.d.sync.aligned.row.m8n8k32.f16 [%rd1],{%x1}",
	"accept sm_80 9.0 wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1],{%r1,%r2}",
	"accept sm_80 9.0 wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r1,%r2},{%r3},{%r4},{%r1,%r2}",
	"reject sm_80 9.0 wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32 {%r1,%r2},{%r3},{%r4},{%r1,%r2}",
	"accept sm_80 9.0 mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32 {%r1,%r2,%r3,%r4},{%r1,%r2},{%r1},{%r1,%r2,%r3,%r4}",
	"reject sm_80 9.0 mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32 {%r1,%r2},{%r1,%r2,%r3,%r4},{%r1,%r2},{%f1,%f2,%f3,%f1}",
	"accept sm_80 9.0 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f1},{%r1,%r2,%r3,%r4},{%r1,%r2},{%f1,%f2,%f3,%f1}",
	"reject sm_90 9.0 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16 {%r1,%r2},{%r1,%r2,%r3,%r4},{%r1,%r2,%r3,%r4},{%r1,%r2},%r1,0",
	"accept sm_120a 9.0 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16 {%r1,%r2},{%r1,%r2,%r3,%r4},{%r1,%r2,%r3,%r4},{%r1,%r2},%r1,0",
	"accept sm_86 9.0 tex.a2d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%u1,%f1,%f2,%f3}]",
	"reject sm_86 9.0 tex.a2d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%x1,%f1,%f2,%f3}]",
	"reject sm_86 9.0 tex.level.2dms.v4.f32.s32 {%f1,%f2,%f3,%f1},[tx,{%r1,%r2,%r3,%r3}],%r1",
	"accept sm_86 9.0 tex.2dms.v4.f32.s32 {%f1,%f2,%f3,%f1},[tx,{%r1,%r2,%r3,%r3}]",
	"reject sm_20 8.3 tex.2dms.v4.f32.s32 {%f1,%f2,%f3,%f1},[tx,{%r1,%r2,%r3,%r3}]",
	"reject sm_86 9.0 tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f1},[tx,{%r1}],{%r1},%r2",
	"accept sm_86 9.0 tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%f1}],{%r1},%r2",
	"reject sm_86 9.0 tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%f1}],%x1",
	"reject sm_30 4.2 tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%f1,%f2}],{%r1,%r2}",
	"accept sm_30 4.3 tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%f1,%f2}],{%r1,%r2}",
	"reject sm_20 8.3 tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%f1,%f2}],{%r1,%r2}",
	"accept sm_20 8.3 tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%f1,%f2}]",
	"reject sm_20 8.3 tld4.r.a2d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%r1,%f1,%f2,%f2}]",
	"accept sm_30 4.3 tld4.r.a2d.v4.f32.f32 {%f1,%f2,%f3,%f1},[tx,{%r1,%f1,%f2,%f2}]",
	"reject sm_20 8.3 txq.num_samples.b32 %r1,[tx]",
	"accept sm_30 8.3 txq.num_samples.b32 %r1,[tx]",
	"accept sm_80 9.0 mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r1},{%r1,%r2},{%r1,%r2},{%r1,%r2,%r3,%r1},%r1,1",
	"reject sm_80 9.0 mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r1},{%r1,%r2},{%r1,%r2},{%r1,%r2,%r3,%r1},%r1,2",
	"accept sm_80 9.0 mma.sp.sync.aligned.m16n8k64.row.col.s32.u8.u8.s32 {%r1,%r2,%r3,%r1},{%r1,%r2,%r3,%r1},{%r1,%r2,%r3,%r1},{%r1,%r2,%r3,%r1},%r1,0",
	"reject sm_80 9.0 mma.sp.sync.aligned.m16n8k64.row.col.s32.u8.u8.s32 {%r1,%r2,%r3,%r1},{%r1,%r2,%r3,%r1},{%r1,%r2,%r3,%r1},{%r1,%r2,%r3,%r1},%r1,1",
	"accept sm_80 9.0 mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f1},{%r1,%r2},{%r1,%r2},{%f1,%f2,%f3,%f1},%r1,3",
	"reject sm_80 9.0 mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f1},{%r1,%r2,%r3,%r1},{%r1,%r2,%r3,%r1},{%f1,%f2,%f3,%f1},%r1,2",
	"accept sm_100f 9.0 cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w [%rd1,{%r1,%r2,%r3,%r3}],{%h1,%h2}",
	"reject sm_120a 9.0 cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w [%rd1,{%r1,%r2,%r3,%r3}],{%h1,%h2}",
	"accept sm_90 9.0 cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%rd1,{%r1,%r2,%r3}],[%r1]",
	"reject sm_90 9.0 cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group [%rd1,{%r1,%r2}],[%r1]",
	"reject sm_90 9.0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.im2col_no_offs.bulk_group [%rd1,{%r1,%r2}],[%r1]",
	"accept sm_120a 9.0 cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1],[%rd1,{%r1,%r2,%r3,%r3}],[%r2],{%h1,%h2}",
	"reject sm_120a 9.0 cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%r1],[%rd1,{%r1,%r2,%r3,%r3}],[%r2],{%h1,%h2}",
	"accept sm_100a 9.0 tcgen05.mma.sp.cta_group::2.kind::mxf4.block_scale [%r1],%rd1,%rd3,[%r1],%r2,[%r1],[%r1],%p1",
	"reject sm_100f 9.0 tcgen05.mma.sp.cta_group::2.kind::mxf4.block_scale [%r1],%rd1,%rd3,[%r1],%r2,[%r1],[%r1],%p1",
	"reject sm_90 9.0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1,{%x1,%x2}],[%r2]",
	"accept sm_90 9.0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1,{%x1,%r2}],[%r2]",
};

Test(isa_verdicts, each_side_of_a_threshold)
{
	for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
		char verdict[8], target[8], version[8];
		struct text t = {0};
		struct assembled a;
		int at = 0;

		cr_assert_eq(
			sscanf(verdicts[i], "%7s %7s %7s %n", verdict, target, version, &at), 3);
		text_printf(&t,
			".version %s\n.target %s\n.address_size 64\n.global .texref tx;\n.entry k()\n{\n"
			"%s.reg .u32 %%u<4>;\n%s%s;\nret;\n}\n",
			version, target, TEST_REGS,
			strtod(version, NULL) >= 4.2 && strtol(target + 3, NULL, 10) >= 53
				? ".reg .f16x2 %x<4>;\n"
				: "",
			verdicts[i] + at);
		a = test_assemble(text_str(&t));
		cr_expect_eq(!a.diags.errors, strcmp(verdict, "accept") == 0, "%s: %s", verdicts[i],
			a.diags.first ? a.diags.first->message : "accepted");
		test_free(&a);
		text_free(&t);
	}
}
