/* How a search is divided among workers while it runs. */
#ifndef PTXI_EXPLORE_DIVIDE_H
#define PTXI_EXPLORE_DIVIDE_H
#include "explore/search/search.h"
#include <pthread.h>
#include <stdatomic.h>

struct division {
	pthread_mutex_t lock;
	pthread_cond_t change;
	VEC(struct stretch) task; /* not taken yet, from NEXT on */
	uint32_t next;
	unsigned busy, waiting; /* workers */
	bool over, always;
	atomic_bool wanted; /* some worker has nothing to do */
	uint64_t spent;     /* effort of reaching what was given away */
};

/* ALWAYS, for tests: tasks are always wanted, at any cost. */
void division_init(struct division *d, bool always);
/* Whether to divide a search that one worker has done DONE of, which must then be reached again
 * with EFFORT. */
bool division_pays(const struct division *d, uint64_t effort, uint64_t done);
/* Adds a task, whose memory D takes over, while at most one worker is searching. */
void division_add(struct division *d, struct stretch task);
void division_free(struct division *d);
/* The next task of a worker, which it must free; HAD: it has finished one. False: everything has
 * been searched, or the search is over. */
bool division_take(struct division *d, bool had, struct stretch *task);
/* Gives away options of node K of W, if they are wanted and worth the effort: DONE is that of all
 * workers together so far, and another worker would do TWICE of it again, besides reaching K. */
void division_give(
	struct division *d, struct worker *w, struct kept *k, uint64_t twice, uint64_t done);
/* Ends the search for workers that wait; also for a call that has failed. */
void division_end(struct division *d);

#endif
