/* What the runtime of version 13 has of its own. */
#ifndef PTXI_CUDART_MAJOR_13_H
#define PTXI_CUDART_MAJOR_13_H
#include "cudart/api.h"

struct cudaDeviceProp {
	char name[256];
	char uuid[16], luid[8];
	unsigned luid_mask;
	size_t memory, shared_per_block;
	int registers_per_block, warp;
	size_t pitch;
	int threads_per_block, block[3], grid[3];
	size_t constant;
	int major, minor;
	size_t texture_alignment, texture_pitch;
	int multiprocessors, integrated, maps_host;
	int textures[39]; /* the most in each dimension of each kind, surfaces too */
	size_t surface_alignment;
	int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc;
	int async_engines, unified_addressing, memory_bus, l2, l2_persisting;
	int threads_per_multiprocessor, priorities, global_l1, local_l1;
	size_t shared_per_multiprocessor;
	int registers_per_multiprocessor, managed, multi_board, multi_board_group;
	int host_atomics, pageable, concurrent_managed, preemption, host_pointers, cooperative;
	size_t shared_optin;
	int pageable_tables, direct_managed, blocks_per_multiprocessor, access_window;
	size_t shared_reserved;
	int registers_host, sparse, registers_read_only, semaphores, pools, rdma;
	unsigned rdma_flush;
	int rdma_order;
	unsigned pool_handles;
	int deferred_arrays, ipc_events, clusters, function_pointers;
	int numa_config, numa_id, mps, host_numa;
	unsigned pci_device_id, pci_subsystem;
	int numa_ipc;
	int reserved[56];
};

SHOWN cudaError_t cudaRuntimeGetVersion(int *version);
SHOWN cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device);
SHOWN cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *address);
SHOWN cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *entry);
SHOWN cudaError_t cudaMemPrefetchAsync(const void *address, size_t size, struct location location,
	unsigned flags, CUstream stream);
SHOWN cudaError_t cudaMemAdvise(
	const void *address, size_t size, int advice, struct location location);
SHOWN cudaError_t cudaGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
SHOWN cudaError_t cudaGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
	const CUgraphNode *to, const void *edges, size_t count);

#endif
