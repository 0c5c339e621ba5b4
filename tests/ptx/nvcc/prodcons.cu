// A producer warp and consumer warps, two buffers, four barriers: ready and filled for each.
//@ buffer in : f32[256] = iota(0)
//@ buffer out : f32[256] = 0
//@ launch prodcons<<<1, 96, 256>>>(256, in, out, 32)
//@ expect out[0..255] == 2 * i
//@ case one_consumer
//@ buffer in : f32[128] = iota(7)
//@ buffer out : f32[128] = 0
//@ launch prodcons<<<1, 64, 512>>>(128, in, out, 64)
//@ expect out[0..127] == 2 * (i + 7)
// producer/consumer, double-buffered, four barriers (ready[2], filled[2])
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ void produce(barrier ready[], barrier filled[], float* buf, int len, const float* in, int N){
  for(int i=0;i<N/len;i++){
    ready[i%2].arrive_and_wait();
    for(int j=threadIdx.x;j<len;j+=warpSize) buf[(i%2)*len+j]=in[i*len+j];
    barrier::arrival_token t = filled[i%2].arrive();
    (void)t;
  }
}
__device__ void consume(barrier ready[], barrier filled[], float* buf, int len, float* out, int N){
  barrier::arrival_token t1=ready[0].arrive(), t2=ready[1].arrive();
  (void)t1;(void)t2;
  for(int i=0;i<N/len;i++){
    filled[i%2].arrive_and_wait();
    for(int j=threadIdx.x-warpSize;j<len;j+=(int)(blockDim.x-warpSize)) out[i*len+j]=buf[(i%2)*len+j]*2.f;
    barrier::arrival_token t = ready[i%2].arrive(); (void)t;
  }
}
extern "C" __global__ void prodcons(int N, float* in, float* out, int len){
  extern __shared__ float buf[];
  __shared__ barrier bar[4];
  auto b=cg::this_thread_block();
  if(b.thread_rank()<4) init(bar+b.thread_rank(), b.size());
  b.sync();
  if(b.thread_rank()<warpSize) produce(bar,bar+2,buf,len,in,N);
  else consume(bar,bar+2,buf,len,out,N);
}
