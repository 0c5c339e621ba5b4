/* One worker begins with the whole tree. After a few milliseconds there are others. While one has
 * nothing to do, a worker that searches gives away half of what is left at the node nearest the
 * beginning of its branch, which is the most that it can give. The other reaches that node once, by
 * the choices that lead there, and searches what it was given in one walk. What is reached twice is
 * bounded: branches are given away only as long as reaching all that was given is a small part of
 * all that was done. So a small tree is not divided at all, and a large one as finely as it is
 * worth. */
#include "explore/search/divide.h"
#include "base/lock.h"
#include "base/memory.h"

/* Of the effort of a search, one part in this many is spent on reaching nodes again. */
enum { PARTS_OF_EFFORT = 24 };
/* The effort from which on a search is worth several threads: some milliseconds. */
enum { ALONE = 1 << 16 };
/* Tasks that wait at most if they are always wanted. */
enum { MAX_WAITING = 64 };

void division_init(struct division *d, bool always)
{
	*d = (struct division){.always = always};
	lock_new(&d->lock);
	pthread_cond_init(&d->change, NULL);
}

bool division_pays(const struct division *d, uint64_t effort, uint64_t done)
{
	return d->always || (done >= ALONE && effort <= done / PARTS_OF_EFFORT);
}

void division_add(struct division *d, struct stretch task) { *vec_push(&d->task) = task; }

void division_free(struct division *d)
{
	for (uint32_t k = d->next; k < d->task.count; k++)
		stretch_free(&d->task.data[k]);
	vec_free(&d->task);
	pthread_cond_destroy(&d->change);
	pthread_mutex_destroy(&d->lock);
}

/* The lock is held. */
static void note_wanted(struct division *d)
{
	uint32_t tasks = d->task.count - d->next;
	d->wanted = d->always ? tasks < MAX_WAITING : tasks < d->waiting;
}

bool division_take(struct division *d, bool had, struct stretch *task)
{
	lock_take(&d->lock);
	d->busy -= had;
	d->waiting++;
	note_wanted(d);
	while (d->next == d->task.count && d->busy && !d->over)
		pthread_cond_wait(&d->change, &d->lock);
	d->waiting--;
	bool some = d->next < d->task.count && !d->over;
	if (some) {
		/* the oldest, because it is nearest the beginning */
		*task = d->task.data[d->next++];
		d->busy++;
	} else {
		pthread_cond_broadcast(&d->change);
	}
	note_wanted(d);
	lock_give(&d->lock);
	return some;
}

void division_give(
	struct division *d, struct worker *w, struct kept *k, uint64_t twice, uint64_t done)
{
	lock_take(&d->lock);
	if (d->wanted && (d->always || d->spent + k->effort + twice <= done / PARTS_OF_EFFORT)) {
		d->spent += k->effort;
		*vec_push(&d->task) = worker_give(w, k);
		note_wanted(d);
		pthread_cond_signal(&d->change);
	}
	lock_give(&d->lock);
}

/* The lock is taken past base/lock.h, which would fail with the call. */
void division_end(struct division *d)
{
	pthread_mutex_lock(&d->lock);
	d->over = true;
	pthread_cond_broadcast(&d->change);
	pthread_mutex_unlock(&d->lock);
}
