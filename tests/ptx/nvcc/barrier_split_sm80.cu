// The same for sm_80, whose cuda::barrier waits otherwise.
// nvcc: -arch=sm_80
//@ case split_arrive_wait
//@ buffer d : f32[64] = 0
//@ launch split_arrive_wait<<<1, 64>>>(d, 0, 3)
//@ expect d[0..63] == 3
//@ expect race                     # the neighbour may be in its next round already
//@ case early_exit
//@ buffer out : s32[64] = iota(0)
//@ launch early_exit<<<1, 64>>>(out, 40)
//@ expect out[0..39] == i
//@ expect out[40..63] == -1
//@ case completion_psum
//@ buffer data : s32[64] = iota(0)
//@ buffer sum : s32[1] = -1
//@ launch completion_psum<<<1, 32>>>(data, 64, sum)
//@ expect sum == (0 + 32) + (1 + 33) + (2 + 34) + (3 + 35)
#include "barrier_split.cu"
