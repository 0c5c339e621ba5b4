/* The C interface of asynchronous copies. */
#ifndef PTXI_CUDA_PIPELINE_H
#define PTXI_CUDA_PIPELINE_H
#include "cuda/pipeline"

PTXI_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
	cuda::ptxi_copy_async(to, from, bytes - zeros);
	for (size_t n = bytes - zeros; n < bytes; n++)
		((char *)to)[n] = 0;
}
PTXI_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
#define __pipeline_wait_prior(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#endif
