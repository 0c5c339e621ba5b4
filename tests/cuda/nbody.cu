// Bodies that attract one another: the sum of all impulses stays 0.
// prints momentum 0
#include <cmath>
#include <cstdio>
__global__ void step(const float4 *body, float3 *velocity, int n, float dt)
{
	int i = threadIdx.x;
	float3 force = make_float3(0, 0, 0);

	for (int k = 0; k < n; k++) {
		float x = body[k].x - body[i].x, y = body[k].y - body[i].y,
		      z = body[k].z - body[i].z, r = rsqrtf(x * x + y * y + z * z + 0.01f);
		float f = body[k].w * r * r * r;

		force.x += f * x;
		force.y += f * y;
		force.z += f * z;
	}
	velocity[i].x += dt * force.x;
	velocity[i].y += dt * force.y;
	velocity[i].z += dt * force.z;
}
int main()
{
	const int n = 32;
	float4 *body;
	float3 *velocity;
	float x = 0;

	cudaMallocManaged(&body, n * sizeof *body);
	cudaMallocManaged(&velocity, n * sizeof *velocity);
	for (int k = 0; k < n; k++) {
		body[k] = make_float4(sinf(k), cosf(2 * k), sinf(3 * k), 1);
		velocity[k] = make_float3(0, 0, 0);
	}
	step<<<1, n>>>(body, velocity, n, 0.1f);
	cudaDeviceSynchronize();
	for (int k = 0; k < n; k++)
		x += velocity[k].x;
	printf("momentum %d\n", (int)(x * 1000));
}
