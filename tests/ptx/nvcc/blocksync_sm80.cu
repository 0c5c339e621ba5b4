// The same for sm_80.
// nvcc: -arch=sm_80
//@ case sync_variants              # lanes 16 to 30 give a mask that does not name them
//@ buffer in : s32[64] = iota(-5)
//@ buffer out : s32[64] = 0
//@ launch sync_variants<<<1, 64>>>(in, out)
//@ expect fault membermask_self
//@ expect out[0..63] == 58 + 2000
//@ case warp_ops                   # all lanes hold 0, so sums are small
//@ buffer in : s32[32] = 0
//@ buffer out : s32[32] = -1
//@ launch warp_ops<<<1, 32>>>(in, out)
//@ expect out[0..31] == 0 + 0 + 0 + 0 + 0 + 0 - 1 - 1 - 1 + 1 + 0 + 0 + 32 + 0
//@ case stencil
//@ buffer in : f32[1024] = iota(0)
//@ buffer out : f32[1024] = -1
//@ launch stencil<<<4, 256>>>(in, out, 1024)
//@ expect out[3..1020] == 7 * i
//@ expect out[0] == 6 && out[1023] == 1020 + 1021 + 1022 + 1023
//@ case transpose
//@ buffer in : f32[4096] = iota(0)
//@ buffer out : f32[4096] = -1
//@ launch transpose<<<(2, 2), (32, 8)>>>(in, out, 64, 64)
//@ expect out[0..4095] == i % 64 * 64 + i / 64
//@ case scan
//@ buffer in : s32[128] = iota(1)
//@ buffer out : s32[128] = -1
//@ launch scan<<<1, 64, 512>>>(in, out, 128)
//@ expect out[0..127] == i * (i + 1) / 2
//@ case hist                       # table[b % 3], edges[b & 3] * v, 3.25, "hi\n"[b & 1] and *ptr == -8, for v = 0, 1, 2, 3 in bins 0, 16, 32, 48
//@ buffer in : f32[4] = {0, 1, 2, 3}
//@ buffer bins : u32[64] = 0
//@ buffer fsum : f32[1] = 0
//@ launch hist<<<2, 64>>>(in, bins, fsum, 4, 0, 4)
//@ expect bins[0] == 1 && bins[16] == 1 && bins[32] == 1 && bins[48] == 1 && bins[1] == 0
//@ expect fsum == (7 + 3.25 + 104 - 8) + (-8 + 3.25 + 104 - 8) + (9 + 3.25 + 104 - 8) + (7 + 3.25 + 104 - 8)
//@ case named_bar                  # bar.arrive 2 is one of three warps' and nobody waits for it
//@ buffer d : s32[1] = 0
//@ launch named_bar<<<1, 64>>>(d)
//@ expect d == 1
//@ expect race                     # all write the same value
#include "blocksync.cu"
