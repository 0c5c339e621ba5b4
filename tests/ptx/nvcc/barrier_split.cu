// cuda::barrier: separate arrive and wait, threads that exit early, a completion function.
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
// block barrier arrive/wait split + early exit (arrive_and_drop) + completion function
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
using bar_t = cuda::barrier<cuda::thread_scope_block>;
__device__ float work(float x){ return x*1.5f+2.0f; }
extern "C" __global__ void split_arrive_wait(float* d, int n, int iters){
  __shared__ bar_t bar;
  auto blk = cg::this_thread_block();
  if (blk.thread_rank()==0) init(&bar, blk.size());
  blk.sync();
  float acc=0;
  for(int i=0;i<iters;i++){
    d[blockIdx.x*blockDim.x+threadIdx.x]+=1.0f;
    bar_t::arrival_token tok = bar.arrive();
    acc = work(acc);
    bar.wait(std::move(tok));
    acc += d[blockIdx.x*blockDim.x+(threadIdx.x+1)%blockDim.x];
  }
  if(threadIdx.x<n) d[threadIdx.x]=acc;
}
extern "C" __global__ void early_exit(int* out, int n){
  __shared__ bar_t bar;
  if(threadIdx.x==0) init(&bar, blockDim.x);
  __syncthreads();
  for(int i=0;i<n;i++){
    if(out[threadIdx.x]==i){ bar.arrive_and_drop(); return; }
    bar.arrive_and_wait();
  }
  out[threadIdx.x]=-1;
}
struct Psum { int* s; __device__ void operator()() noexcept { int t=0; for(int i=0;i<4;i++) t+=s[i]; s[4]=t; } };
extern "C" __global__ void completion_psum(int* data, int n, int* out){
  __shared__ int smem[8];
  using B = cuda::barrier<cuda::thread_scope_block, Psum>;
  __shared__ alignas(B) char raw[sizeof(B)];
  B* bar = reinterpret_cast<B*>(raw);
  if(threadIdx.x==0) new(bar) B{(ptrdiff_t)blockDim.x, Psum{smem}};
  __syncthreads();
  int s=0; for(int i=threadIdx.x;i<n;i+=blockDim.x) s+=data[i];
  if(threadIdx.x<4) smem[threadIdx.x]=s;
  auto tok=bar->arrive(); bar->wait(std::move(tok));
  if(threadIdx.x==0) *out=smem[4];
}
