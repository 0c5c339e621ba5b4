/* The allocations of the program, and the last that it has freed: where they were made, and which
 * of them has an address. */
#include "cuda/host.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 1 << 14, FREED = 4096 };

static struct {
	pthread_mutex_t lock;
	struct owned *device[BUCKETS]; /* by the slot of the address */
	struct owned *large;           /* those of more than a slot */
	struct owned *visible;         /* those that the host has, too */
	bool had[1 << 16];             /* slots that have had any */
	struct owned *freed, **last;   /* in order */
	unsigned nfreed;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &all.freed};
static _Atomic unsigned managed; /* how many there are */

unsigned owned_number(void)
{
	static _Atomic unsigned count;

	return atomic_fetch_add(&count, 1) + 1;
}

unsigned owned_managed(void) { return managed; }

/* The device gives each allocation addresses of a slot of its own, or of several. */
static uint64_t slot(uint64_t address) { return address >> 32; }

static struct owned **bucket(uint64_t address) { return &all.device[slot(address) % BUCKETS]; }

static struct owned **list_of(const struct owned *o)
{
	if (o->kind != OWNED_DEVICE && o->kind != OWNED_ARRAY)
		return &all.visible;
	return slot(o->address) == slot(o->address + o->size) ? bucket(o->address) : &all.large;
}

/* Whether ADDRESS may be, or have been, in an allocation of the device. */
static bool has_had(uint64_t address)
{
	return slot(address) < sizeof all.had && all.had[slot(address)];
}

void owned_add(const struct owned *o)
{
	struct owned *own = malloc(sizeof *own), **at;

	if (!own)
		return;
	*own = *o;
	pthread_mutex_lock(&all.lock);
	at = list_of(o);
	own->next = *at;
	*at = own;
	for (uint64_t k = slot(o->address); k <= slot(o->address + o->size); k++)
		if (k < sizeof all.had)
			all.had[k] = true;
	managed += o->kind == OWNED_MANAGED;
	pthread_mutex_unlock(&all.lock);
}

/* Takes the allocation that begins at ADDRESS out of its list. */
static struct owned *take(struct owned **at, uint64_t address)
{
	struct owned *o;

	while (*at && (*at)->address != address)
		at = &(*at)->next;
	o = *at;
	if (o)
		*at = o->next;
	return o;
}

void owned_end(uint64_t address, call_place place)
{
	struct owned *o, *oldest = NULL;

	pthread_mutex_lock(&all.lock);
	o = take(bucket(address), address);
	o = o ? o : take(&all.visible, address);
	o = o ? o : take(&all.large, address);
	if (o) {
		managed -= o->kind == OWNED_MANAGED;
		if (o->counted)
			*o->counted -= o->size;
		o->is_freed = true;
		o->freed = place;
		o->next = NULL;
		*all.last = o;
		all.last = &o->next;
		if (++all.nfreed > FREED) {
			all.nfreed--;
			oldest = all.freed;
			all.freed = oldest->next;
		}
	}
	pthread_mutex_unlock(&all.lock);
	free(oldest);
}

static const struct owned *find_in(const struct owned *o, uint64_t address)
{
	while (o &&
		address - (o->kind == OWNED_REGISTERED ? (uintptr_t)o->host : o->address) >=
			o->size)
		o = o->next;
	return o;
}

bool owned_find_visible(uint64_t address, struct owned *out)
{
	const struct owned *found;

	pthread_mutex_lock(&all.lock);
	found = find_in(all.visible, address);
	if (found)
		*out = *found;
	pthread_mutex_unlock(&all.lock);
	return found != NULL;
}

bool owned_find(uint64_t address, struct owned *out)
{
	const struct owned *found;

	pthread_mutex_lock(&all.lock);
	found = find_in(all.visible, address);
	found = found ? found : find_in(*bucket(address), address);
	found = found ? found : find_in(all.large, address);
	if (!found && has_had(address))
		/* the last of those that had the address */
		for (const struct owned *o = find_in(all.freed, address); o;
			o = find_in(o->next, address))
			found = o;
	if (found)
		*out = *found;
	pthread_mutex_unlock(&all.lock);
	return found != NULL;
}

static const struct owned *numbered_in(const struct owned *o, unsigned number)
{
	while (o && o->number != number)
		o = o->next;
	return o;
}

bool owned_numbered(unsigned number, struct owned *out)
{
	const struct owned *found;

	pthread_mutex_lock(&all.lock);
	found = numbered_in(all.freed, number);
	found = found ? found : numbered_in(all.large, number);
	for (unsigned k = 0; k < BUCKETS && !found; k++)
		found = numbered_in(all.device[k], number);
	if (found)
		*out = *found;
	pthread_mutex_unlock(&all.lock);
	return found != NULL;
}

bool owned_was(uint64_t address)
{
	bool was = false;

	pthread_mutex_lock(&all.lock);
	for (const struct owned *o = all.freed; o && !was; o = o->next)
		was = o->address == address;
	pthread_mutex_unlock(&all.lock);
	return was;
}

void owned_name(const struct owned *o, struct text *out)
{
	char name[40], marked[80];

	snprintf(name, sizeof name, "allocation %u", o->number);
	place_mark(marked, sizeof marked, name, o->made);
	text_printf(out, "%s `%s`", o->kind == OWNED_ARRAY ? "array" : "buffer", marked);
	if (o->is_freed) {
		place_mark(marked, sizeof marked,
			o->kind == OWNED_ARRAY ? "cuArrayDestroy" : "cuMemFree", o->freed);
		text_printf(out, ", which was freed by %s", marked);
	}
}

/* --- what was never freed --- */

static int by_number(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* One finding for all allocations of a place. */
static void report_leaks(const struct owned *o, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		struct text t = {0};
		uint64_t bytes = 0;
		size_t same = 0;

		for (size_t i = 0; i < n; i++)
			if (o[i].made == o[k].made) {
				if (i < k)
					break;
				same++;
				bytes += o[i].size;
			}
		if (!same)
			continue;
		owned_name(&o[k], &t);
		if (same > 1 && o[k].made)
			text_printf(&t, " and %zu more of this place, together", same - 1);
		else
			bytes = o[k].size;
		text_printf(&t, " of %llu bytes %s never freed", (unsigned long long)bytes,
			same > 1 && o[k].made ? "were" : "was");
		host_finding(DIAG_H0153, o[k].made, text_str(&t), NULL);
		text_free(&t);
	}
}

void owned_leaks(void)
{
	struct owned *copy = NULL;
	size_t n = 0, room = 0;

	pthread_mutex_lock(&all.lock);
	for (unsigned k = 0; k < BUCKETS + 2; k++)
		for (const struct owned *o = k < BUCKETS ? all.device[k]
				: k == BUCKETS           ? all.visible
							 : all.large;
			o; o = o->next) {
			if (o->kind == OWNED_REGISTERED)
				continue;
			if (n == room) {
				struct owned *more = realloc(copy, (room + 256) * sizeof *copy);

				if (!more)
					break;
				copy = more;
				room += 256;
			}
			copy[n++] = *o;
		}
	pthread_mutex_unlock(&all.lock);
	if (n)
		qsort(copy, n, sizeof *copy, by_number);
	report_leaks(copy, n);
	free(copy);
}
