// Shortest paths from node 0, one relaxation round per launch: atomicMin compares and lowers in one step.
//@ buffer row : s32[6] = {0, 2, 4, 6, 7, 7}
//@ buffer col : s32[7] = {1, 2, 2, 3, 3, 4, 4}
//@ buffer weight : s32[7] = {4, 1, 1, 5, 8, 20, 3}
//@ buffer dist : s32[5] = {0, 2147483647, 2147483647, 2147483647, 2147483647}
//@ buffer changed : s32[1] = 0
//@ launch sssp<<<1, 32>>>(row, col, weight, dist, changed, 5)
//@ launch sssp<<<1, 32>>>(row, col, weight, dist, changed, 5)
//@ launch sssp<<<1, 32>>>(row, col, weight, dist, changed, 5)
//@ launch sssp<<<1, 32>>>(row, col, weight, dist, changed, 5)
//@ expect dist[0] == 0 && dist[1] == 4 && dist[2] == 1 && dist[3] == 9 && dist[4] == 12
//@ expect changed[0] == 1
extern "C" __global__ void sssp(const int *row, const int *col, const int *weight, int *dist, int *changed, int n)
{
	int u = blockIdx.x * blockDim.x + threadIdx.x;
	if (u >= n)
		return;
	int du = atomicAdd(&dist[u], 0);
	if (du == 0x7fffffff)
		return;
	for (int e = row[u]; e < row[u + 1]; e++) {
		int nd = du + weight[e];
		if (atomicMin(&dist[col[e]], nd) > nd)
			atomicExch(changed, 1);
	}
}
