/* Objects by number: those of a kind whose handles are numbers that are never used again. */
#ifndef PTXI_CUDA_REGISTRY_H
#define PTXI_CUDA_REGISTRY_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct registry {
	pthread_mutex_t lock;
	size_t bytes; /* of an item, which begins with its handle, a uint64_t */
	size_t n, room;
	char *item; /* sorted */
};
#define REGISTRY(type) \
	{ \
		.lock = PTHREAD_MUTEX_INITIALIZER, .bytes = sizeof(type) \
	}

/* Adds a copy of ITEM. False: no memory. */
bool registry_add(struct registry *r, const void *item);
/* Copies the item of HANDLE; with REMOVE it is no item any more. False: there is none. */
bool registry_find(struct registry *r, uint64_t handle, bool remove, void *out);
#endif
