// A block leaves while its neighbour still reads its shared memory.
//@ buffer b : s32[64]
//@ launch ring<<<2, 32>>>(b)
//@ expect clean
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(2) ring(int *b)
{
    namespace cg = cooperative_groups;
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = blockIdx.x * 32 + t;
    cg::this_cluster().sync();
    int *other = cg::this_cluster().map_shared_rank(s, blockIdx.x ^ 1);
    b[blockIdx.x * 32 + t] = other[t]; // wrong: S0402
}
