/* A CUDA driver that computes nothing: enough of libcuda.so.1 to test how ptxi handles a driver's
 * results on a machine without a GPU. Memory is real, launches do nothing; FAKE_CUDA in the
 * environment selects what fails: reject (the module), newer (it is for another device), refuse
 * (the launch), cluster (refuse its cluster), fault, misaligned, assert, trap, hang (at the next
 * sync), die (there), later (the second launch faults, and the call after it returns the error),
 * memory_hangs (a copy waits forever after a launch), recursion (a thread needs 64 KiB of stack),
 * small (no room for that much), full (not at the launch either), limits (they are printed), two
 * (devices with access to each other's memory), strangers (two without). */
/* One function per line. */
/* clang-format off */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gpu/driver.h"

#define EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"

static int launched, launches, sticky; /* sticky: every call returns it */
/* host writes that other devices do not see until the device is waited for */
static int landing;
static size_t limit[3] = {1024, 1 << 20, 8 << 20};

/* A context; modules, streams and functions record the context they belong to, as in the driver. */
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
EXPORT cu_result cuCtxSetLimit(int l, size_t v)
{
	if (l == 0 && mode("small") && v > 16384)
		return 2;
	limit[l] = v;
	return 0;
}
EXPORT cu_result cuCtxSynchronize(void)
{
	if (current->device == 0)
		landing = 0;
	if (!launched || sticky)
		return sticky;
	if (mode("die"))
		_exit(1);
	if (mode("hang"))
		for (;;)
			pause();
	if (mode("assert"))
		fprintf(stderr, "fake.cu:1: kernel: block: [0,0,0], thread: [0,0,0] Assertion `false` failed.\n");
	printf("hello from a fake GPU\n");
	launched = launches = 0;
	return sticky = mode("fault") ? 700 : mode("misaligned") ? 716 : mode("assert") ? 710 : mode("trap") ? 719 : mode("recursion") && limit[0] < 65536 ? 714 : 0;
}
EXPORT cu_result cuModuleLoadDataEx(struct cu_module **m, const void *image, unsigned n, int *option, void **value)
{
	for (unsigned i = 0; i < n && mode("reject"); i++)
		if (option[i] == 5)
			strcpy(value[i], "ptxas application ptx input, line 2; error   : Something the driver dislikes\nptxas fatal   : Ptx assembly aborted due to errors");
	/* the folder where modules are stored as files */
	const char *folder = getenv("FAKE_CUDA_KEEP");
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
	if (landing && of->device == 1)
		return 1;
	if (mode("two"))
		printf("a kernel on GPU %d\n", of->device);
	if (sticky)
		return sticky;
	if (mode("limits") || mode("small") || mode("full"))
		printf("stack %zu, printf %zu, heap %zu\n", limit[0], limit[1], limit[2]);
	if (mode("full") && limit[0] > 8192)
		return 2;
	if (mode("refuse") || mode("cluster"))
		return mode("refuse") ? 701 : 912;
	launched = 1;
	/* the file that lists launches of the litmus harness: CTAs, active lanes of each warp */
	const char *shapes = getenv("FAKE_CUDA_SHAPES");
	/* struct harness_params, without its end */
	if (shapes && e && *(const size_t *)e[3] == 116) {
		FILE *file = fopen(shapes, "a");
		if (file) {
			fprintf(file, "%u %u\n", c->grid[0], ((const unsigned *)e[1])[13]);
			fclose(file);
		}
	}
	if (++launches == 2 && mode("later"))
		sticky = 700;
	return 0;
}
static void wait_for_ever(void)
{
	while (launched && mode("memory_hangs"))
		pause();
}
EXPORT cu_result cuMemAlloc_v2(cu_address *a, size_t n) { if (sticky) return sticky; *a = (cu_address)(uintptr_t)malloc(n); return 0; }
EXPORT cu_result cuMemFree_v2(cu_address a) { free((void *)(uintptr_t)a); return 0; }
EXPORT cu_result cuMemsetD8_v2(cu_address a, unsigned char v, size_t n) { if (sticky) return sticky; landing = 1; memset((void *)(uintptr_t)a, v, n); return 0; }
EXPORT cu_result cuMemcpyHtoD_v2(cu_address to, const void *from, size_t n) { if (sticky) return sticky; wait_for_ever(); landing = 1; memcpy((void *)(uintptr_t)to, from, n); return 0; }
EXPORT cu_result cuMemcpyDtoH_v2(void *to, cu_address from, size_t n) { if (sticky) return sticky; memcpy(to, (void *)(uintptr_t)from, n); return 0; }
EXPORT cu_result cuStreamCreate(struct cu_stream **s, unsigned f) { *s = (void *)current; return 0; }
EXPORT cu_result cuStreamDestroy_v2(struct cu_stream *s) { return 0; }
EXPORT cu_result cuStreamQuery(struct cu_stream *s) { return 0; }
EXPORT cu_result cuStreamWaitEvent(struct cu_stream *s, struct cu_event *e, unsigned f) { return 0; }
EXPORT cu_result cuLaunchHostFunc(struct cu_stream *s, void (*f)(void *), void *p)
{
	if (!sticky)
		f(p);
	return sticky;
}
EXPORT cu_result cuEventCreate(struct cu_event **e, unsigned f) { *e = (void *)&launched; return 0; }
EXPORT cu_result cuEventRecord(struct cu_event *e, struct cu_stream *s) { return 0; }
EXPORT cu_result cuEventDestroy_v2(struct cu_event *e) { return 0; }
EXPORT cu_result cuEventQuery(struct cu_event *e) { return 0; }
/* In the words of the driver of CUDA 13.0. */
static const struct words {
	cu_result code;
	const char *name, *text;
} words[] = {
	{1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
	{218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
	{400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
	{710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
	{714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
	{716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
	{719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
	{912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration"},
};
static const struct words *words_of(cu_result r)
{
	static const struct words unknown = {0, "CUDA_ERROR_UNKNOWN", "unknown error"};
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].code == r)
			return &words[i];
	return &unknown;
}
EXPORT cu_result cuGetErrorName(cu_result r, const char **t) { *t = words_of(r)->name; return 0; }
EXPORT cu_result cuGetErrorString(cu_result r, const char **t) { *t = words_of(r)->text; return 0; }
