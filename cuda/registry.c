/* Items sorted by their handles, found by bisection. */
#include "cuda/registry.h"
#include <stdlib.h>
#include <string.h>

static uint64_t handle_of(const struct registry *r, size_t k)
{
	uint64_t handle;

	memcpy(&handle, r->item + k * r->bytes, sizeof handle);
	return handle;
}

/* The first item whose handle is not less than HANDLE. */
static size_t place(const struct registry *r, uint64_t handle)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (handle_of(r, middle) < handle)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(struct registry *r)
{
	size_t room = r->room ? 2 * r->room : 16;
	char *more;

	if (r->n < r->room)
		return true;
	more = realloc(r->item, room * r->bytes);
	if (!more)
		return false;
	r->item = more;
	r->room = room;
	return true;
}

bool registry_add(struct registry *r, const void *item)
{
	bool added;

	pthread_mutex_lock(&r->lock);
	added = grow(r);
	if (added) {
		uint64_t handle;
		char *at;

		memcpy(&handle, item, sizeof handle);
		at = r->item + place(r, handle) * r->bytes;
		memmove(at + r->bytes, at, (size_t)(r->item + r->n++ * r->bytes - at));
		memcpy(at, item, r->bytes);
	}
	pthread_mutex_unlock(&r->lock);
	return added;
}

bool registry_find(struct registry *r, uint64_t handle, bool remove, void *out)
{
	bool found;
	size_t k;

	pthread_mutex_lock(&r->lock);
	k = place(r, handle);
	found = k < r->n && handle_of(r, k) == handle;
	if (found) {
		char *at = r->item + k * r->bytes;

		memcpy(out, at, r->bytes);
		if (remove)
			memmove(at, at + r->bytes, (--r->n - k) * r->bytes);
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}
