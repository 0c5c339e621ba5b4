// Bulk copies, transactions and clusters through cuda::ptx.
//@ case bulk_ptx
//@ buffer data : s32[2048] = iota(0)
//@ launch bulk_ptx<<<2, 64>>>(data)
//@ expect data[0..2047] == i + 1
//@ case bulk_cuda                   # cuda::memcpy_async on a barrier expects its bytes by itself; arrive_tx expects them a second time, and the phase never ends
//@ buffer data : s32[512] = iota(0)
//@ launch bulk_cuda<<<1, 512>>>(data)
//@ expect deadlock
//@ case parity
//@ buffer o : s32[64] = 0
//@ launch parity<<<1, 64>>>(o)
//@ expect o[0..63] == 1
//@ case cluster_remote              # its red.async is never waited for: it lands in a CTA that has gone
//@ buffer out : s32[64] = -1
//@ launch cluster_remote<<<2, 32>>>(out)
//@ expect fault async_exit
//@ expect fault mbarrier_tx_left
//@ expect out[1..31] == i
//@ expect out[33..63] == 0
//@ expect race
//@ case bulk_red
//@ buffer g : s32[64] = iota(0)
//@ launch bulk_red<<<3, 64>>>(g)
//@ expect g[0..63] == i + 3
//@ case pdl
//@ buffer p : s32[128] = iota(0)
//@ launch pdl<<<1, 128>>>(p)
//@ launch pdl<<<1, 128>>>(p)
//@ expect p[0..127] == i + 2
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda/std/utility>
#include <cooperative_groups.h>
namespace ptx=cuda::ptx; namespace cg=cooperative_groups; using barrier=cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void bulk_ptx(int* data){ __shared__ alignas(16) int s[1024]; __shared__ uint64_t bar; if(threadIdx.x==0){ ptx::mbarrier_init(&bar,blockDim.x); ptx::fence_mbarrier_init(ptx::sem_release,ptx::scope_cluster); ptx::fence_proxy_async(ptx::space_shared); } __syncthreads(); uint64_t tok; if(threadIdx.x==0){ ptx::cp_async_bulk(ptx::space_cluster,ptx::space_global,s,data+blockIdx.x*1024,sizeof(s),&bar); tok=ptx::mbarrier_arrive_expect_tx(ptx::sem_release,ptx::scope_cta,ptx::space_shared,&bar,sizeof(s)); } else tok=ptx::mbarrier_arrive(&bar); while(!ptx::mbarrier_try_wait(&bar,tok)); for(int i=threadIdx.x;i<1024;i+=blockDim.x) s[i]+=1; ptx::fence_proxy_async(ptx::space_shared); __syncthreads(); if(threadIdx.x==0){ ptx::cp_async_bulk(ptx::space_global,ptx::space_shared,data+blockIdx.x*1024,s,sizeof(s)); ptx::cp_async_bulk_commit_group(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); } }
extern "C" __global__ void bulk_cuda(int* data){ __shared__ alignas(16) int s[512]; __shared__ barrier bar; if(threadIdx.x==0){ init(&bar,blockDim.x); cuda::device::experimental::fence_proxy_async_shared_cta(); } __syncthreads(); barrier::arrival_token t; if(threadIdx.x==0){ cuda::memcpy_async(s,data,cuda::aligned_size_t<16>(sizeof(s)),bar); t=cuda::device::barrier_arrive_tx(bar,1,sizeof(s)); } else t=bar.arrive(); bar.wait(std::move(t)); data[threadIdx.x]=s[511-threadIdx.x]; }
extern "C" __global__ void parity(int* o){ __shared__ barrier bar; if(threadIdx.x==0) init(&bar,blockDim.x); __syncthreads(); for(int i=0;i<4;i++){ (void)bar.arrive(); bar.wait_parity(i&1); } o[threadIdx.x]=1; }
extern "C" __global__ void __cluster_dims__(2,1,1) cluster_remote(int* out){ __shared__ alignas(16) int s[64]; __shared__ uint64_t bar; auto c=cg::this_cluster(); if(threadIdx.x==0){ ptx::mbarrier_init(&bar,1); ptx::fence_mbarrier_init(ptx::sem_release,ptx::scope_cluster); } c.sync(); unsigned r=c.block_rank(), o=r^1; uint64_t* rb=c.map_shared_rank(&bar,o); int* rs=c.map_shared_rank(s,o); if(threadIdx.x==0){ ptx::mbarrier_arrive_expect_tx(ptx::sem_release,ptx::scope_cluster,ptx::space_shared,&bar,4*32); } c.sync(); if(threadIdx.x<32) ptx::st_async(rs+threadIdx.x,(int)(threadIdx.x*r),rb); while(!ptx::mbarrier_try_wait_parity(ptx::sem_acquire,ptx::scope_cluster,&bar,0)); out[blockIdx.x*32+threadIdx.x]=s[threadIdx.x&31]+rs[0]; if(threadIdx.x==0) ptx::mbarrier_arrive(ptx::sem_release,ptx::scope_cluster,ptx::space_cluster,rb); if(threadIdx.x==1) ptx::red_async(ptx::op_add,rs,5u==5?1:2,rb); c.barrier_arrive(); c.barrier_wait(); out[0]=c.num_blocks()+ptx::getctarank(ptx::space_cluster,rs); }
extern "C" __global__ void bulk_red(int* g){ __shared__ alignas(16) int s[64]; s[threadIdx.x]=1; ptx::fence_proxy_async(ptx::space_shared); __syncthreads(); if(threadIdx.x==0){ ptx::cp_reduce_async_bulk(ptx::space_global,ptx::space_shared,ptx::op_add,g,s,sizeof(s)); ptx::cp_async_bulk_commit_group(); ptx::cp_async_bulk_wait_group(ptx::n32_t<0>()); } }
extern "C" __global__ void __launch_bounds__(128,2) pdl(int* p){ asm volatile("griddepcontrol.wait;":::"memory"); p[threadIdx.x]++; asm volatile("griddepcontrol.launch_dependents;"); }
