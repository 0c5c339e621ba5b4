/* The processes of a session. Each slot has a pipe, whose writing end only the front has: when the
 * front is gone, so are all others. */
#include "debug/processes.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SPARE = 4,    /* slots that are never checkpoints: the runners of a search */
	LOOK_MS = 300 /* how often to look whether the runner is still there */
};

enum note { WORD_ORDER = 'o', WORD_WAKE = 'w', WORD_DONE = 'd' };

/* --- in the front --- */

bool processes_begin(struct session *s, void (*engine)(struct session *s))
{
	pid_t pid;

	if (pipe(s->reply_pipe) != 0)
		return false;
	for (uint32_t k = 0; k < SLOTS; k++)
		if (pipe(s->order_pipe[k]) != 0)
			return false;
#ifdef PR_SET_CHILD_SUBREAPER
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
	signal(SIGCHLD, SIG_IGN); /* nobody waits for a process that has ended */
	s->slot[0] = (struct slot){.state = SLOT_CHECKPOINT};
	pid = fork();
	if (pid == 0) {
		signal(SIGINT, SIG_IGN); /* the front tells */
		for (uint32_t k = 0; k < SLOTS; k++)
			close(s->order_pipe[k][1]);
		close(s->reply_pipe[0]);
		s->slot[0].pid = getpid();
		engine(s);
		_exit(0);
	}
	s->slot[0].pid = pid > 0 ? pid : 0;
	close(s->reply_pipe[1]);
	for (uint32_t k = 0; k < SLOTS; k++)
		close(s->order_pipe[k][0]);
	return pid > 0;
}

void processes_drop(struct session *s, uint32_t slot)
{
	struct slot *p = &s->slot[slot];

	if (p->state == SLOT_FREE || p->state == SLOT_ENDS)
		return;
	if (p->pid)
		kill(p->pid, SIGKILL);
	*p = (struct slot){.state = p->pid ? SLOT_ENDS : SLOT_FREE, .pid = p->pid};
}

void processes_end(struct session *s)
{
	for (uint32_t k = 0; k < SLOTS; k++)
		processes_drop(s, k);
	for (uint32_t k = 0; k < SLOTS; k++)
		close(s->order_pipe[k][1]);
	close(s->reply_pipe[0]);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	signal(SIGCHLD, SIG_DFL);
}

static void tell(const struct session *s, uint32_t slot, char word)
{
	while (write(s->order_pipe[slot][1], &word, 1) < 0 && errno == EINTR)
		;
}

/* Waits until the runner has done its order. */
static bool wait_done(struct session *s)
{
	struct pollfd p[2] = {
		{.fd = s->reply_pipe[0], .events = POLLIN}, {.fd = s->input, .events = POLLIN}};
	unsigned idle = 0;
	char word;

	for (;;) {
		int n = poll(p, 2, LOOK_MS);
		pid_t pid = s->slot[s->runner].pid;

		if (n > 0 && p[0].revents)
			return read(s->reply_pipe[0], &word, 1) == 1;
		if (n > 0) {
			s->interrupted = 1;
			p[1].fd = -1;
			continue;
		}
		if (n < 0)
			continue;
		if (pid ? kill(pid, 0) != 0 : ++idle > 100)
			return false;
	}
}

bool processes_ask(struct session *s)
{
	tell(s, s->runner, WORD_ORDER);
	return wait_done(s);
}

static uint32_t free_slot(struct session *s)
{
	static const struct timespec moment = {.tv_nsec = 100000};
	enum { PATIENCE = 20000 };

	for (unsigned wait = 0; wait < PATIENCE; wait++) {
		bool any = false;

		for (uint32_t k = 0; k < SLOTS; k++) {
			struct slot *p = &s->slot[k];

			if (p->state == SLOT_ENDS && kill(p->pid, 0) != 0)
				*p = (struct slot){.state = SLOT_FREE};
			if (p->state == SLOT_FREE)
				return k;
			any = any || p->state == SLOT_ENDS;
		}
		if (!any)
			break;
		nanosleep(&moment, NULL);
	}
	return SLOTS;
}

bool processes_wake(struct session *s, uint32_t slot, bool keep)
{
	uint32_t k;

	if (!keep && s->slot[s->runner].state == SLOT_RUNNER)
		processes_drop(s, s->runner);
	k = free_slot(s);
	if (k == SLOTS || s->slot[slot].state != SLOT_CHECKPOINT)
		return false;
	s->slot[k] = (struct slot){.state = SLOT_RUNNER};
	s->new_slot = s->runner = k;
	tell(s, slot, WORD_WAKE);
	return wait_done(s);
}

uint32_t processes_nearest(const struct session *s, uint64_t step)
{
	uint32_t best = 0;

	for (uint32_t k = 1; k < SLOTS; k++)
		if (s->slot[k].state == SLOT_CHECKPOINT && s->slot[k].step <= step &&
			(best == 0 || s->slot[k].step > s->slot[best].step))
			best = k;
	return best;
}

/* --- in an engine --- */

/* The next word for SLOT; the process ends when the front is gone. */
static char hear(const struct session *s, uint32_t slot)
{
	char word;
	ssize_t n;

	do
		n = read(s->order_pipe[slot][0], &word, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0);
	return word;
}

uint32_t processes_sleep(struct session *s, uint32_t slot)
{
	for (;;) {
		if (hear(s, slot) != WORD_WAKE)
			continue;
		pid_t pid = fork();

		if (pid == 0) {
			s->slot[s->new_slot].pid = getpid();
			return s->new_slot;
		}
		if (pid < 0) /* no runner: the front notices */
			s->slot[s->new_slot].pid = 0;
	}
}

/* The checkpoint that is needed least: near its neighbours, as seen from STEP. Slot 0, the
 * beginning, is always needed. */
static uint32_t least_needed(const struct session *s, uint64_t step)
{
	uint32_t best = 0;
	double least = 0;

	for (uint32_t k = 1; k < SLOTS; k++) {
		const struct slot *p = &s->slot[k];
		uint64_t before = 0, after = step;
		double need;

		if (p->state != SLOT_CHECKPOINT)
			continue;
		for (uint32_t j = 1; j < SLOTS; j++) {
			const struct slot *q = &s->slot[j];

			if (q->state != SLOT_CHECKPOINT || j == k)
				continue;
			if (q->step <= p->step && q->step > before)
				before = q->step;
			if (q->step > p->step && q->step < after)
				after = q->step;
		}
		if (p->step > step)
			need = (double)(p->step - before) / (double)(p->step - step);
		else
			need = (double)(after > before ? after - before : 0) /
				(double)(step - p->step + 1);
		if (!best || need < least) {
			best = k;
			least = need;
		}
	}
	return best;
}

bool processes_copy(struct session *s, uint32_t *slot, uint64_t step, uint32_t most)
{
	uint32_t copies = 0, k;
	pid_t pid;

	for (k = 1; k < SLOTS; k++) {
		copies += s->slot[k].state == SLOT_CHECKPOINT;
		if (s->slot[k].state == SLOT_CHECKPOINT && s->slot[k].step == step)
			return false;
	}
	if (copies >= most || copies >= SLOTS - SPARE)
		processes_drop(s, least_needed(s, step));
	k = free_slot(s);
	if (k == SLOTS)
		return false;
	s->slot[k] = (struct slot){.state = SLOT_CHECKPOINT, .step = step};
	pid = fork();
	if (pid == 0) {
		*slot = processes_sleep(s, k);
		return true;
	}
	s->slot[k].pid = pid > 0 ? pid : 0;
	if (pid < 0)
		s->slot[k].state = SLOT_FREE;
	return false;
}

void processes_done(struct session *s, uint32_t slot)
{
	char word = WORD_DONE;

	while (write(s->reply_pipe[1], &word, 1) < 0 && errno == EINTR)
		;
	while (hear(s, slot) != WORD_ORDER)
		;
}
