// Every __syncthreads and __syncwarp, warp operations, stencil, transpose, scan, histogram, named barriers.
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
extern "C" __global__ void sync_variants(const int* in, int* out){
  int i=threadIdx.x; int p=in[i]>0;
  int c=__syncthreads_count(p), a=__syncthreads_and(p), o=__syncthreads_or(p);
  out[i]=c+a*1000+o*2000; __syncwarp(); __syncwarp(0x0000ffff|(1u<<31));
}
extern "C" __global__ void warp_ops(const int* in, int* out){
  int i=blockIdx.x*blockDim.x+threadIdx.x; int v=in[i];
  for(int o=16;o>0;o>>=1) v+=__shfl_down_sync(0xffffffff,v,o);
  int x=__shfl_xor_sync(0xffffffff,v,1), u=__shfl_up_sync(0xffffffff,v,1,16), b=__shfl_sync(0xffffffff,v,0);
  unsigned m=__ballot_sync(0xffffffff,v>3); int al=__all_sync(0xffffffff,v>0), an=__any_sync(0xffffffff,v<0);
  unsigned am=__activemask(); unsigned ma=__match_any_sync(am,v); int pr; unsigned ml=__match_all_sync(am,v,&pr);
  out[i]=x+u+b+m+al+an+am+ma+ml+pr+__popc(m)+__ffs(m)+__clz(m)+__brev(m);
#if __CUDA_ARCH__>=800
  out[i]+=__reduce_add_sync(0xffffffff,v)+__reduce_max_sync(0xffffffff,v)+__reduce_or_sync(0xffffffffu,(unsigned)v);
#endif
  double d=(double)v; d+=__shfl_down_sync(0xffffffff,d,2); out[i]+=(int)d; long long q=v; q+=__shfl_sync(0xffffffff,q,3); out[i]+=(int)q;
}
extern "C" __global__ void stencil(const float* in, float* out, int n){
  __shared__ float t[256+6]; int g=blockIdx.x*blockDim.x+threadIdx.x, l=threadIdx.x+3;
  t[l]=g<n?in[g]:0.f; if(threadIdx.x<3){ t[l-3]=g>=3?in[g-3]:0.f; t[l+256]=g+256<n?in[g+256]:0.f; }
  __syncthreads(); float r=0;
#pragma unroll
  for(int o=-3;o<=3;o++) r+=t[l+o]; if(g<n) out[g]=r;
}
extern "C" __global__ void transpose(const float* in, float* out, int w, int h){
  __shared__ float tile[32][33]; int x=blockIdx.x*32+threadIdx.x, y=blockIdx.y*32+threadIdx.y;
  for(int j=0;j<32;j+=8) if(x<w&&y+j<h) tile[threadIdx.y+j][threadIdx.x]=in[(y+j)*w+x];
  __syncthreads(); x=blockIdx.y*32+threadIdx.x; y=blockIdx.x*32+threadIdx.y;
  for(int j=0;j<32;j+=8) if(x<h&&y+j<w) out[(y+j)*h+x]=tile[threadIdx.x][threadIdx.y+j];
}
extern "C" __global__ void scan(const int* in, int* out, int n){
  extern __shared__ int tmp[]; int t=threadIdx.x, off=1; tmp[2*t]=in[2*t]; tmp[2*t+1]=in[2*t+1];
  for(int d=n>>1;d>0;d>>=1){ __syncthreads(); if(t<d){ int a=off*(2*t+1)-1,b=off*(2*t+2)-1; tmp[b]+=tmp[a]; } off*=2; }
  if(t==0) tmp[n-1]=0;
  for(int d=1;d<n;d*=2){ off>>=1; __syncthreads(); if(t<d){ int a=off*(2*t+1)-1,b=off*(2*t+2)-1; int x=tmp[a]; tmp[a]=tmp[b]; tmp[b]+=x; } }
  __syncthreads(); out[2*t]=tmp[2*t]; out[2*t+1]=tmp[2*t+1];
}
__constant__ float edges[4]={0.f,1.5f,2.25f,-3.f};
__device__ int table[3]={7,-8,9}; __device__ double dinit=3.25; __device__ const char msg[]="hi\n"; __device__ int* ptr=&table[1];
extern "C" __global__ void hist(const float* in, unsigned* bins, float* fsum, int n, float lo, float hi){
  __shared__ unsigned sb[64]; if(threadIdx.x<64) sb[threadIdx.x]=0; __syncthreads();
  for(int i=blockIdx.x*blockDim.x+threadIdx.x;i<n;i+=blockDim.x*gridDim.x){ float v=in[i]; int b=(int)((v-lo)/(hi-lo)*64.f); b=min(max(b,0),63); atomicAdd(&sb[b],1u); atomicAdd(fsum,v*edges[b&3]+table[b%3]+(float)dinit+msg[b&1]+*ptr); }
  __syncthreads(); if(threadIdx.x<64) atomicAdd(&bins[threadIdx.x],sb[threadIdx.x]);
}
extern "C" __global__ void named_bar(int* d){ asm volatile("bar.sync 1, 64;":::"memory"); asm volatile("bar.arrive 2, 96;":::"memory"); d[0]=1; asm volatile("barrier.sync 3;":::"memory"); __nanosleep(100); }
