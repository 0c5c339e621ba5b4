/* What the runtimes of versions 11 and 12 have in common, and 13 has not. */
#ifndef PTXI_CUDART_MAJOR_OLDER_H
#define PTXI_CUDART_MAJOR_OLDER_H
#include "cudart/api.h"

/* The layout of version 11, which is the beginning of that of version 12. */
struct cudaDeviceProp11 {
	char name[256];
	char uuid[16], luid[8];
	unsigned luid_mask;
	size_t memory, shared_per_block;
	int registers_per_block, warp;
	size_t pitch;
	int threads_per_block, block[3], grid[3], clock;
	size_t constant;
	int major, minor;
	size_t texture_alignment, texture_pitch;
	int overlap, multiprocessors, timeout, integrated, maps_host, compute_mode;
	int textures[40]; /* the most in each dimension of each kind, surfaces too */
	size_t surface_alignment;
	int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc;
	int async_engines, unified_addressing, memory_clock, memory_bus, l2, l2_persisting;
	int threads_per_multiprocessor, priorities, global_l1, local_l1;
	size_t shared_per_multiprocessor;
	int registers_per_multiprocessor, managed, multi_board, multi_board_group;
	int host_atomics, double_ratio, pageable, concurrent_managed, preemption, host_pointers;
	int cooperative, cooperative_devices;
	size_t shared_optin;
	int pageable_tables, direct_managed, blocks_per_multiprocessor, access_window;
	size_t shared_reserved;
};

SHOWN cudaError_t cudaRuntimeGetVersion(int *version);
SHOWN cudaError_t cudaPointerGetAttributes(void *out, const void *address);
SHOWN cudaError_t cudaMemPrefetchAsync(
	const void *address, size_t size, int device, CUstream stream);
SHOWN cudaError_t cudaMemAdvise(const void *address, size_t size, int advice, int device);
SHOWN cudaError_t cudaThreadSynchronize(void);
SHOWN cudaError_t cudaThreadExit(void);
SHOWN cudaError_t cudaDeviceGetSharedMemConfig(int *config);
SHOWN cudaError_t cudaDeviceSetSharedMemConfig(int config);
SHOWN cudaError_t cudaFuncSetSharedMemConfig(const void *entry, int config);
SHOWN cudaError_t cudaGraphAddDependencies(
	CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);

#endif
