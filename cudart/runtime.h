/* What the functions of the runtime have in common. */
#ifndef PTXI_CUDART_RUNTIME_H
#define PTXI_CUDART_RUNTIME_H
#include "cudart/api.h"

/* The driver's (cuda/host.h): a launch fails, or the program looks at its last error. */
void __ptxi_error(int error, const char *name);
int __ptxi_per_thread(int is); /* whether the default stream is that of the thread */

/* Makes the primary context current, the first time in a thread. */
CUresult runtime_begin(void);
/* Notes ERROR as the thread's last one, unless it is 0, and returns it. */
cudaError_t runtime_end(int error);

/* The value of a function that is CALL of the driver, in the primary context. */
#define DRIVER(call) \
	do { \
		int begun_ = runtime_begin(); \
		return runtime_end(begun_ ? begun_ : (int)(call)); \
	} while (0)

/* The function that host code knows as ENTRY, or the variable that it knows as SYMBOL. (launch.c)
 */
cudaError_t runtime_function(const void *entry, CUfunction *out);
cudaError_t runtime_variable(const void *symbol, CUdeviceptr *address, size_t *size);

/* A copy of a box, for the driver; or an error. (memory.c) */
int runtime_box(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);

/* What is the same in all versions but for a number, or the size of what is written. */
cudaError_t runtime_version(int *version, int is);
cudaError_t runtime_pointer(void *out, size_t bytes, const void *address);
cudaError_t runtime_attributes(void *out, size_t bytes, const void *entry);
cudaError_t runtime_resource(void *out, size_t bytes, uint64_t handle, int surface);
cudaError_t runtime_sampler(void *out, size_t bytes, uint64_t texture);
cudaError_t runtime_prefetch(const void *address, size_t size, CUstream stream);
cudaError_t runtime_advise(const void *address, size_t size, int advice);

#endif
