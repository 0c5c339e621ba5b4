/* The objects that handles stand for. */
#include "cuda/driver.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *ended[HANDLE_KINDS]; /* by kind, to be used again */

void *handle_new(enum handle_kind kind, size_t bytes)
{
	struct handle *h;

	pthread_mutex_lock(&lock);
	h = ended[kind];
	if (h)
		ended[kind] = h->next;
	pthread_mutex_unlock(&lock);
	if (h)
		memset(h, 0, bytes);
	else
		h = calloc(1, bytes);
	if (h)
		h->kind = kind;
	return h;
}

void handle_end(void *object, enum handle_kind kind)
{
	struct handle *h = object;

	h->kind = HANDLE_ENDED;
	pthread_mutex_lock(&lock);
	h->next = ended[kind];
	ended[kind] = h;
	pthread_mutex_unlock(&lock);
}

bool handle_is(const void *object, enum handle_kind kind)
{
	return object && ((const struct handle *)object)->kind == kind;
}
