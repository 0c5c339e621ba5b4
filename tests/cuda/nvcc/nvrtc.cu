// A kernel that NVRTC compiles while the program runs, and that the driver launches.
// prints right
// links -lnvrtc
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>
static const char source[] = "extern \"C\" __global__ void twice(float *a, int n)\n"
			     "{\n"
			     "\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n"
			     "\tif (i < n)\n"
			     "\t\ta[i] *= 2;\n"
			     "}\n";
int main()
{
	const char *options[] = {"--gpu-architecture=compute_90", "-lineinfo"};
	float a[100];
	int n = 100;
	nvrtcProgram program;
	size_t size;
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction twice;
	CUdeviceptr memory;

	nvrtcCreateProgram(&program, source, "twice.cu", 0, nullptr, nullptr);
	if (nvrtcCompileProgram(program, 2, options))
		return 1;
	nvrtcGetPTXSize(program, &size);
	std::vector<char> ptx(size);
	nvrtcGetPTX(program, ptx.data());
	cuInit(0);
	cuDeviceGet(&device, 0);
	cuDevicePrimaryCtxRetain(&context, device);
	cuCtxSetCurrent(context);
	if (cuModuleLoadData(&module, ptx.data()) || cuModuleGetFunction(&twice, module, "twice"))
		return 2;
	for (int i = 0; i < 100; i++)
		a[i] = i;
	cuMemAlloc(&memory, sizeof a);
	cuMemcpyHtoD(memory, a, sizeof a);
	void *arguments[] = {&memory, &n};
	cuLaunchKernel(twice, 4, 1, 1, 32, 1, 1, 0, 0, arguments, 0);
	if (cuCtxSynchronize())
		return 3;
	cuMemcpyDtoH(a, memory, sizeof a);
	for (int i = 0; i < 100; i++)
		if (a[i] != 2 * i)
			return 4;
	cuMemFree(memory);
	printf("right\n");
}
