/* A CUDA driver that computes nothing: enough of libcuda.so.1 to test what ptxi makes of a driver's answers on a machine without a GPU. Memory is real, launches
 * do nothing; FAKE_CUDA in the environment chooses what goes wrong: reject (the module), newer (it is for another device), refuse (the launch), cluster (refuse its cluster), fault, misaligned, assert, hang (at the next sync), two
 * (devices that reach each other's memory), strangers (two that do not). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gpu/driver.h"

#define EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"

static int launched;

/* A context is one of these; modules, streams and functions remember whose they are, as the driver's do. */
static struct context {
	int device, peer;
} context[2] = {{0, 0}, {1, 0}}, *current;

static int mode(const char *name)
{
	const char *m = getenv("FAKE_CUDA");
	return m && strcmp(m, name) == 0;
}

EXPORT cu_result cuInit(unsigned flags) { return mode("nodevice") ? 100 : 0; }
EXPORT cu_result cuDriverGetVersion(int *v) { *v = 13000; return 0; }
EXPORT cu_result cuDeviceGetCount(int *n) { *n = mode("two") || mode("strangers") ? 2 : 1; return 0; }
EXPORT cu_result cuDeviceCanAccessPeer(int *can, cu_device d, cu_device peer) { *can = d != peer && !mode("strangers"); return 0; }
EXPORT cu_result cuDeviceGet(cu_device *d, int i) { *d = i; return 0; }
EXPORT cu_result cuDeviceGetName(char *s, int n, cu_device d) { snprintf(s, (size_t)n, "a fake GPU"); return 0; }
EXPORT cu_result cuDeviceGetAttribute(int *v, int a, cu_device d) { *v = a == 75 ? 9 : a == 16 ? 4 : 0; return 0; }
EXPORT cu_result cuDevicePrimaryCtxRetain(struct cu_context **c, cu_device d) { *c = (void *)&context[d]; return 0; }
EXPORT cu_result cuDevicePrimaryCtxRelease_v2(cu_device d) { return 0; }
EXPORT cu_result cuDevicePrimaryCtxReset_v2(cu_device d) { return 0; }
EXPORT cu_result cuCtxSetCurrent(struct cu_context *c) { current = (void *)c; return 0; }
EXPORT cu_result cuCtxEnablePeerAccess(struct cu_context *c, unsigned f) { current->peer = 1 + ((struct context *)(void *)c)->device; return 0; }
EXPORT cu_result cuCtxSetLimit(int l, size_t v) { return 0; }
EXPORT cu_result cuCtxSynchronize(void)
{
	if (!launched)
		return 0;
	if (mode("hang"))
		for (;;)
			pause();
	if (mode("assert"))
		fprintf(stderr, "fake.cu:1: kernel: block: [0,0,0], thread: [0,0,0] Assertion `false` failed.\n");
	printf("hello from a fake GPU\n");
	launched = 0;
	return mode("fault") ? 700 : mode("misaligned") ? 716 : mode("assert") ? 710 : mode("trap") ? 719 : 0;
}
EXPORT cu_result cuModuleLoadDataEx(struct cu_module **m, const void *image, unsigned n, int *option, void **value)
{
	for (unsigned i = 0; i < n && mode("reject"); i++)
		if (option[i] == 5)
			strcpy(value[i], "ptxas application ptx input, line 2; error   : Something the driver dislikes\nptxas fatal   : Ptx assembly aborted due to errors");
	const char *folder = getenv("FAKE_CUDA_KEEP"); /* where modules are kept as files */
	static int kept;
	if (folder) {
		char path[512];
		snprintf(path, sizeof path, "%s/%03d.ptx", folder, kept++);
		FILE *f = fopen(path, "w");
		if (f) {
			fputs(image, f);
			fclose(f);
		}
	}
	*m = (void *)current;
	return mode("newer") ? 209 : mode("reject") ? 218 : 0;
}
EXPORT cu_result cuModuleUnload(struct cu_module *m) { return 0; }
EXPORT cu_result cuModuleGetFunction(struct cu_function **f, struct cu_module *m, const char *name) { *f = (void *)m; return 0; }
EXPORT cu_result cuModuleGetGlobal_v2(cu_address *a, size_t *n, struct cu_module *m, const char *name) { return 500; }
EXPORT cu_result cuFuncSetAttribute(struct cu_function *f, int a, int v) { return 0; }
EXPORT cu_result cuFuncGetAttribute(int *v, int a, struct cu_function *f) { *v = 0; return 0; }
EXPORT cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, struct cu_function *f, int threads, size_t shared) { *n = 2; return 0; }
EXPORT cu_result cuLaunchKernelEx(const struct cu_launch_config *c, struct cu_function *f, void **p, void **e)
{
	const struct context *of = (const void *)f;

	if (of != current || (c->stream && (const void *)c->stream != of) || (of->device == 1 && of->peer != 1))
		return 400; /* invalid handle */
	if (mode("two"))
		printf("a kernel on GPU %d\n", of->device);
	launched = 1;
	return mode("refuse") ? 701 : mode("cluster") ? 912 : 0;
}
EXPORT cu_result cuMemAlloc_v2(cu_address *a, size_t n) { *a = (cu_address)(uintptr_t)malloc(n); return 0; }
EXPORT cu_result cuMemFree_v2(cu_address a) { free((void *)(uintptr_t)a); return 0; }
EXPORT cu_result cuMemsetD8_v2(cu_address a, unsigned char v, size_t n) { memset((void *)(uintptr_t)a, v, n); return 0; }
EXPORT cu_result cuMemcpyHtoD_v2(cu_address to, const void *from, size_t n) { memcpy((void *)(uintptr_t)to, from, n); return 0; }
EXPORT cu_result cuMemcpyDtoH_v2(void *to, cu_address from, size_t n) { memcpy(to, (void *)(uintptr_t)from, n); return 0; }
EXPORT cu_result cuStreamCreate(struct cu_stream **s, unsigned f) { *s = (void *)current; return 0; }
EXPORT cu_result cuStreamDestroy_v2(struct cu_stream *s) { return 0; }
EXPORT cu_result cuStreamQuery(struct cu_stream *s) { return 0; }
EXPORT cu_result cuStreamWaitEvent(struct cu_stream *s, struct cu_event *e, unsigned f) { return 0; }
EXPORT cu_result cuEventCreate(struct cu_event **e, unsigned f) { *e = (void *)&launched; return 0; }
EXPORT cu_result cuEventRecord(struct cu_event *e, struct cu_stream *s) { return 0; }
EXPORT cu_result cuEventDestroy_v2(struct cu_event *e) { return 0; }
EXPORT cu_result cuEventQuery(struct cu_event *e) { return 0; }
EXPORT cu_result cuGetErrorName(cu_result r, const char **t) { *t = "CUDA_ERROR_FAKE"; return 0; }
EXPORT cu_result cuGetErrorString(cu_result r, const char **t) { *t = r == 100 ? "no CUDA-capable device is detected" : "a fake error"; return 0; }
