// The driver's functions, with PTX that the program brings.
// prints 9.0
// prints 12
#include <cstdio>
#include <cuda.h>
static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
			  ".visible .entry twice(.param .u64 p)\n{\n"
			  ".reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
			  "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];\n"
			  "add.u32 %r2, %r1, %r1; st.global.u32 [%rd1], %r2; ret;\n}\n";
int main()
{
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction twice;
	CUdeviceptr p;
	int x = 6, major, minor;
	void *args[] = {&p};

	cuInit(0);
	cuDeviceGet(&device, 0);
	cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
	cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
	printf("%d.%d\n", major, minor);
	cuDevicePrimaryCtxRetain(&context, device);
	cuCtxSetCurrent(context);
	if (cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&twice, module, "twice"))
		return 1;
	cuMemAlloc(&p, sizeof x);
	cuMemcpyHtoD(p, &x, sizeof x);
	cuLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 0, 0, args, 0);
	cuMemcpyDtoH(&x, p, sizeof x);
	printf("%d\n", x);
}
