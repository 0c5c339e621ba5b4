// Locks, shortest paths, chains of compare-and-swap with printf, every atomic, and calls of every kind.
//@ case spinlock
//@ buffer c : s32[1] = 0
//@ launch spinlock<<<2, 64>>>(c)
//@ expect c == 128
//@ case spinlock_bad                # no fence: right under this schedule, and under fast memory
//@ buffer c : s32[1] = 0
//@ launch spinlock_bad<<<4, 1>>>(c)
//@ expect c == 4
//@ expect race
//@ case sssp                        # 0 -> 1 (4), 0 -> 2 (1), 2 -> 1 (2), 1 -> 3 (5)
//@ buffer row : s32[5] = {0, 2, 3, 4, 4}
//@ buffer col : s32[4] = {1, 2, 3, 1}
//@ buffer w : s32[4] = {4, 1, 5, 2}
//@ buffer dist : s32[4] = {0, 2147483647, 2147483647, 2147483647}
//@ buffer changed : s32[1] = 0
//@ launch sssp<<<1, 32>>>(row, col, w, dist, changed, 4)
//@ launch sssp<<<1, 32>>>(row, col, w, dist, changed, 4)
//@ launch sssp<<<1, 32>>>(row, col, w, dist, changed, 4)
//@ launch sssp<<<1, 32>>>(row, col, w, dist, changed, 4)
//@ expect dist[0] == 0 && dist[1] == 3 && dist[2] == 1 && dist[3] == 8
//@ expect changed == 1
//@ expect race                     # plain reads of what others change by atomicMin
//@ case k1                         # which thread comes first is the schedule's choice
//@ set schedule=fair
//@ buffer a : s32[3] = 0
//@ launch k1<<<1, 2>>>(a)
//@ expect prints "t 0: 0 0 0"
//@ expect prints 2 lines
//@ expect a[0] == 1 && a[1] == 5 && a[2] == 7
//@ case all_atomics
//@ buffer i : s32[4] = 10
//@ buffer u : u32[5] = 10
//@ buffer l : u64[4] = 1
//@ buffer f : f32[3] = 1
//@ buffer d : f64[2] = 1
//@ buffer h : u16[2] = 1
//@ launch all_atomics<<<1, 1>>>(i, u, l, f, d, h)
//@ expect i[0] == 5 && i[1] == 9 && i[3] == 5
//@ expect u[1] == 10 && u[2] == 0 && u[3] == 7 && u[4] == 9 && u[0] == 3
//@ expect l[1] == 1 && l[2] == 12 && l[3] == 13 && l[0] == 3
//@ expect f[0] == 2 && f[1] == 1 && f[2] == 2 && d[0] == 2 && d[1] == 1 && h[0] == 2 && h[1] == 1
//@ case calls                       # n = 4
//@ buffer o : s32[64] = 0
//@ buffer s : u8[32] = iota(1)
//@ launch calls<<<1, 1>>>(o, 4, {f32:1.0, f32:2.0, f32:3.0, f32:4.0}, s)
//@ expect o[0] == 3 + 5 && o[1] == 5 && o[2] == 11 && o[4] == 16
//@ expect o[10] == 16 && o[11] == 32 && o[12] == 0 + 4 + 3
//@ expect o[19] == 1 && o[20] == 1 && o[21] == 1 && o[22] == 2
//@ expect o[30] == 0 && o[24] == 1 + 2 * 256 + 3 * 65536 + 4 * 16777216
#include <cstdio>
#include <cassert>
__device__ int lock_=0;
extern "C" __global__ void spinlock(int* c){ bool done=false; while(!done){ if(atomicCAS(&lock_,0,1)==0){ __threadfence(); *c=*c+1; __threadfence(); atomicExch(&lock_,0); done=true; } } }
extern "C" __global__ void spinlock_bad(int* c){ while(atomicCAS(&lock_,0,1)!=0); *c+=1; atomicExch(&lock_,0); }
extern "C" __global__ void sssp(const int* row,const int* col,const int* w,int* dist,int* changed,int n){ int u=blockIdx.x*blockDim.x+threadIdx.x; if(u<n){ int du=dist[u]; if(du!=0x7fffffff) for(int e=row[u];e<row[u+1];e++){ int nd=du+w[e]; if(atomicMin(&dist[col[e]],nd)>nd) *changed=1; } } }
extern "C" __global__ void k1(int* a){ int r0=atomicCAS(a,0,threadIdx.x+1), r1=atomicCAS(a+1,r0,5), r2=atomicCAS(a+2,r1,7); printf("t %d: %d %d %d\n",threadIdx.x,r0,r1,r2); assert(r0>=0); }
extern "C" __global__ void all_atomics(int* i,unsigned* u,unsigned long long* l,float* f,double* d,unsigned short* h){ atomicAdd(i,1); atomicSub(i,2); i[1]=atomicExch(i,3); atomicMin(i,4); u[1]=atomicMax(u,5u); atomicInc(u,6u); u[2]=atomicDec(u,7u); u[3]=atomicAnd(u,8u); atomicOr(u,9u); u[4]=atomicXor(u,10u); l[1]=atomicAdd(l,11ull); l[2]=atomicCAS(l,12ull,13ull); l[3]=atomicExch(l,4ull); atomicMax(l,3ull); atomicMin((long long*)l,3ll); f[1]=atomicAdd(f,1.f); d[1]=atomicAdd(d,1.0); f[2]=atomicExch(f,2.f); h[1]=atomicCAS(h,(unsigned short)1,(unsigned short)2); atomicAdd_system(i,1); atomicAdd_block(i,1); i[3]=atomicCAS_system(i,1,2); }
__device__ __noinline__ int rec(int n){ return n<2?n:rec(n-1)+rec(n-2); }
__device__ __noinline__ void helper(int* p,float v){ *p+=(int)v; }
typedef int (*fp)(int); __device__ int f1(int x){return x+1;} __device__ int f2(int x){return x*2;}
__device__ fp fps[2]={f1,f2};
extern "C" __global__ void calls(int* o,int n,float4 q,const char* s){ o[0]=rec(n); helper(o,q.x+q.w); o[1]=fps[n&1](n); switch(n){case 0:o[2]=3;break;case 1:o[2]=9;break;case 2:o[2]=27;break;case 3:o[2]=81;break;case 4:o[2]=11;break;case 5:o[2]=-2;break;case 6:o[3]=4;break;default:o[2]=5;} int loc[16]; for(int i=0;i<16;i++) loc[i]=i*n; o[4]=loc[n&15]; int* mp=(int*)malloc(16); mp[0]=1; free(mp); if(n==77) __trap(); if(n==78) __brkpt(); o[5]=clock(); long long c=clock64(); o[6]=(int)c; float x=q.y; o[7]=(int)(sinf(x)+__expf(x)+sqrtf(x)+rsqrtf(x)+logf(x)+powf(x,1.3f)+fminf(x,1.f)+floorf(x)+rintf(x)+fmodf(x,2.f)+__fdividef(x,3.f)); double dd=x; o[8]=(int)(sqrt(dd)/3.0+fma(dd,dd,1.0)); o[9]=n/7+n%5+(unsigned)n/9u+__mulhi(n,3)+__umul24(n,3)+abs(n)+__popcll((long long)n)+__byte_perm(n,3,0x5410)+__funnelshift_l(n,3,5)+__dp4a(n,3,4)+(int)__double2ll_rn(dd)+ (int)__float2uint_rz(x)+__vadd2(n,3); short sh=(short)n; o[10]=sh*sh; unsigned char uc=(unsigned char)n; o[11]=uc<<3; long long L=(long long)n*n; o[12]=(int)(L>>33)+(int)(L/n)+(int)(L%13); o[13]=__ldg(o+14)+__ldcg(o+15)+__ldcs(o+16)+__ldca(o+17)+__ldcv(o+18); __stcg(o+19,1);__stcs(o+20,1);__stwt(o+21,1);__stwb(o+22,2); float4 v4=*(const float4*)s; *(float4*)(o+24)=v4; int2 v2=*(const int2*)(s+16); *(int2*)(o+28)=v2; o[30]=isnan(x)||isinf(x); }
