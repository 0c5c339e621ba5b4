/* Worker processes check files and report the beginning and end of each case. If a worker dies (out
 * of memory, or a bug in ptxi) or exceeds the time limit, only its current case is lost, and
 * another worker continues with the next case. If no process can be created, files are checked in
 * this process, one by one. */
#include "script/files/workers.h"
#include "base/memory.h"
#include "base/time.h"
#include "backend/whole.h"
#include <ptxi/status.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

enum message_kind { MESSAGE_BEGIN, MESSAGE_PLACE, MESSAGE_CASE, MESSAGE_FILE };
enum { STRINGS = 4, TELL = 200 /* milliseconds between two calls of `going` */ };
/* Seconds that a worker may take beyond its limit, and after an interrupt. While a file is read, a
 * compiler may run, which ends itself in time, and whose files the worker must remove. */
static const double GRACE = 0.6, READING_GRACE = 5, LAST_GRACE = 1.5;

/* From a worker: this header, then strings, each with its NUL: for MESSAGE_CASE name, reason,
 * detail and json, for MESSAGE_BEGIN the name, for MESSAGE_PLACE
 * the place. */
struct message {
	uint32_t kind, number, of, verdict, length;
	int32_t fold;
	double seconds; /* MESSAGE_BEGIN: the limit; MESSAGE_CASE: the time taken */
};
/* To a worker: check this file, starting with case FROM. */
struct order {
	uint32_t file, from;
	double deadline;
};

struct worker {
	pid_t pid; /* 0: none */
	int to, from;
	bool busy, killed;
	uint32_t file, number, of; /* the file and case that it is checking */
	double begun, limit, deadline;
	char *name;  /* of the current case */
	char *place; /* where a warp of it was after CHECK_LONG seconds, or NULL */
	struct text heard;
};

struct workers {
	const struct workers_job *job;
	struct worker *worker;
	unsigned count;
	uint32_t next;
	struct checked *result; /* by file */
};

/* --- in the worker process --- */

static void send_message(int fd, struct message *m, const char *const *string, unsigned n)
{
	struct text t = {0};

	for (unsigned k = 0; k < n; k++)
		text_add(&t, string[k] ? string[k] : "", string[k] ? strlen(string[k]) + 1 : 1);
	m->length = (uint32_t)t.len;
	if (!whole_write(fd, m, sizeof *m) || !whole_write(fd, text_str(&t), t.len))
		_exit(MEMORY_STATUS); /* the parent is gone */
	text_free(&t);
}

/* What a worker process serves with. */
struct server {
	int out;
	double begun;     /* the current case */
	_Atomic int told; /* its place was sent */
};

static void send_begin(void *self, uint32_t number, uint32_t of, const char *name, double limit)
{
	struct server *v = self;

	v->begun = time_now();
	v->told = 0;
	send_message(v->out,
		&(struct message){
			.kind = MESSAGE_BEGIN, .number = number, .of = of, .seconds = limit},
		&name, 1);
}

static bool place_due(void *self)
{
	struct server *v = self;

	return !v->told && time_now() - v->begun >= CHECK_LONG && !atomic_exchange(&v->told, 1);
}

static void send_place(void *self, const struct machine_progress *p)
{
	struct server *v = self;
	const char *place = p->place;

	send_message(v->out, &(struct message){.kind = MESSAGE_PLACE}, &place, 1);
}

static void send_case(void *self, const struct checked_case *c)
{
	const char *const string[STRINGS] = {c->name, c->reason, c->detail, c->json};
	struct server *v = self;

	send_message(v->out,
		&(struct message){.kind = MESSAGE_CASE,
			.verdict = c->verdict,
			.fold = c->fold,
			.seconds = c->seconds},
		string, STRINGS);
}

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may not wait for a lock");
static _Atomic int told; /* in a worker: the run was interrupted */

static void worker_told(int sig) { told = sig; }

static _Noreturn void worker_serve(const struct workers_job *job, int in, int out)
{
	struct order o;
	struct server server = {.out = out};
	const struct machine_listener listener = {place_due, send_place, &server};

	/* the parent handles signals, and tells its workers; the terminal, or timeout(1), sends
	 * them to every process of the group, and a second one must not end this process */
	struct check_request own = *job->request;
	struct sigaction a = {.sa_handler = worker_told, .sa_flags = SA_RESTART};

	signal(SIGINT, SIG_IGN);
	sigemptyset(&a.sa_mask);
	sigaction(SIGTERM, &a, NULL);
	/* until now, the parent's handler recorded the signal */
	if (job->request->options.machine.interrupted && *job->request->options.machine.interrupted)
		told = SIGTERM;
	own.options.machine.interrupted = &told;
	if (own.progress)
		own.options.machine.listener = &listener;
	signal(SIGPIPE, SIG_IGN);
#ifdef __linux__
	/* if the parent is killed, nothing else would end a worker whose program spins */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (job->memory)
		memory_bound(job->memory);
	/* here, not in the parent, as processes do not share huge pages */
	memory_expect(job->count == 1 ? file_bytes(job->path[0]) : 0);
	while (whole_read(in, &o, sizeof o)) {
		struct checked_watch w = {.from = o.from,
			.deadline = o.deadline,
			.begin = send_begin,
			.end = send_case,
			.self = &server};

		checked_run(&own, job->path[o.file], job->named[o.file], &w);
		send_message(out, &(struct message){.kind = MESSAGE_FILE}, NULL, 0);
	}
	_exit(0);
}

/* --- in the parent process --- */

static bool worker_start(struct workers *s, struct worker *w)
{
	int to[2], from[2];

	if (pipe(to) != 0)
		return false;
	if (pipe(from) != 0) {
		close(to[0]);
		close(to[1]);
		return false;
	}
	w->pid = fork();
	if (w->pid == 0) {
		/* this process must not keep the other workers' pipes open, or they would never see
		 * the end of their input */
		for (unsigned k = 0; k < s->count; k++)
			if (s->worker[k].pid > 0 && &s->worker[k] != w) {
				close(s->worker[k].to);
				close(s->worker[k].from);
			}
		close(to[1]);
		close(from[0]);
		worker_serve(s->job, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	if (w->pid < 0) {
		close(to[1]);
		close(from[0]);
		w->pid = 0;
		return false;
	}
	w->to = to[1];
	w->from = from[0];
	w->killed = false;
	text_clear(&w->heard);
	return true;
}

static void worker_finish_file(struct workers *s, struct worker *w)
{
	w->busy = false;
	s->job->finished(s->job->self, w->file, &s->result[w->file]);
}

/* When the time limit of a file that starts now passes; 0: never. */
static double file_deadline(const struct workers *s)
{
	double limit = s->job->request->options.machine.timeout;

	return limit > 0 ? time_now() + limit : 0;
}

/* Makes the worker check a file from case FROM on, which is not 0 if an earlier case ended another
 * worker. */
static void worker_assign(struct workers *s, struct worker *w, uint32_t file, uint32_t from)
{
	struct order o = {file, from, w->deadline};

	w->busy = true;
	w->file = file;
	w->number = CHECKED_FILE;
	w->begun = time_now();
	w->limit = 0;
	free(w->name);
	free(w->place);
	w->place = NULL;
	w->name = strdup(s->job->path[file]);
	whole_write(w->to, &o, sizeof o); /* if the worker is gone, worker_read() will notice */
}

static char *string_at(const char **at)
{
	size_t n = strlen(*at) + 1;
	char *s = memcpy(memory_resize(NULL, n), *at, n);

	*at += n;
	return s;
}

static void worker_handle(
	struct workers *s, struct worker *w, const struct message *m, const char *strings)
{
	struct checked_case *c;

	switch (m->kind) {
	case MESSAGE_BEGIN:
		w->number = m->number;
		w->of = m->of;
		w->limit = m->seconds;
		w->begun = time_now();
		free(w->place);
		w->place = NULL;
		free(w->name);
		w->name = string_at(&strings);
		break;
	case MESSAGE_PLACE:
		free(w->place);
		w->place = string_at(&strings);
		break;
	case MESSAGE_CASE:
		c = vec_push(&s->result[w->file].cases);
		*c = (struct checked_case){.verdict = (enum verdict)m->verdict,
			.fold = m->fold,
			.seconds = m->seconds};
		c->name = string_at(&strings);
		c->reason = string_at(&strings);
		c->detail = string_at(&strings);
		c->json = string_at(&strings);
		w->limit = 0;
		break;
	default: worker_finish_file(s, w);
	}
}

/* Why the worker ended, for the user; *fold is its contribution to the exit status. */
static const char *worker_end_reason(const struct worker *w, int status, int *fold)
{
	*fold = PTXI_FAILED;
	if (w->killed)
		return w->number == CHECKED_FILE
			? "the time limit (--timeout) was reached while the file was read"
			: "the time limit (--timeout) was reached";
	if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS)
		return "out of memory (--max-memory)";
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return "the system killed it, most likely because memory was exhausted";
	*fold = PTXI_BUG;
	return "internal error: ptxi crashed here; please report this together with the file";
}

/* Cleans up after a worker that has ended. Its current case is lost; if CONTINUE_FILE, a new worker
 * takes the cases after it. */
static void worker_reap(struct workers *s, struct worker *w, bool continue_file)
{
	int status = 0, fold;
	const char *words;
	uint32_t from = w->number + 1;

	close(w->to);
	close(w->from);
	waitpid(w->pid, &status, 0);
	w->pid = 0;
	if (!w->busy)
		return;
	words = worker_end_reason(w, status, &fold);
	checked_lost(s->job->request, w->name, continue_file ? words : "interrupted", fold,
		vec_push(&s->result[w->file].cases));
	if (continue_file && w->number != CHECKED_FILE && worker_start(s, w))
		worker_assign(s, w, w->file, from);
	else
		worker_finish_file(s, w);
}

/* Reads and handles the worker's messages; false if it has ended. */
static bool worker_read(struct workers *s, struct worker *w)
{
	char bytes[1 << 16];
	ssize_t n = read(w->from, bytes, sizeof bytes);
	size_t used = 0;

	if (n < 0)
		return errno == EINTR;
	if (n == 0)
		return false;
	text_add(&w->heard, bytes, (size_t)n);
	for (;;) {
		struct message m;

		if (w->heard.len - used < sizeof m)
			break;
		memcpy(&m, w->heard.data + used, sizeof m);
		if (w->heard.len - used - sizeof m < m.length)
			break;
		worker_handle(s, w, &m, w->heard.data + used + sizeof m);
		used += sizeof m + m.length;
	}
	memmove(w->heard.data, w->heard.data + used, w->heard.len - used);
	w->heard.len -= used;
	return true;
}

/* Kills workers that exceed their limits. Returns the milliseconds until the next limit. */
static int workers_enforce_limits(struct workers *s, double until)
{
	double now = time_now(), next = until > 0 ? until : now + 3600;

	for (unsigned k = 0; k < s->count; k++) {
		struct worker *w = &s->worker[k];
		double end = w->begun + w->limit +
			(w->number == CHECKED_FILE ? READING_GRACE : GRACE);

		if (!w->pid || !w->busy || w->killed)
			continue;
		if ((w->limit > 0 && now > end) || (until > 0 && now > until)) {
			w->killed = w->limit > 0 && now > end;
			kill(w->pid, SIGKILL);
		} else if (w->limit > 0 && end < next) {
			next = end;
		}
	}
	return next > now ? (int)((next - now) * 1000) + 1 : 10;
}

/* Tells which of the running cases began first. */
static void workers_tell(const struct workers *s)
{
	const struct worker *first = NULL;
	struct check_running r = {0};

	if (!s->job->going)
		return;
	for (unsigned k = 0; k < s->count; k++)
		if (s->worker[k].busy && (!first || s->worker[k].begun < first->begun))
			first = &s->worker[k];
	if (first) {
		r.name = first->name;
		r.number = first->number == CHECKED_FILE ? 0 : first->number + 1;
		r.of = first->of;
		r.seconds = time_now() - first->begun;
		r.bounded = first->limit > 0;
		r.place = first->place;
	}
	s->job->going(s->job->self, &r);
}

/* Waits for messages from the workers and handles them. False if no worker is busy. */
static bool workers_poll(struct workers *s, double until)
{
	struct pollfd *p = memory_zeroed(s->count, sizeof *p);
	unsigned busy = 0;

	for (unsigned k = 0; k < s->count; k++) {
		busy += s->worker[k].busy;
		p[k] = (struct pollfd){
			.fd = s->worker[k].pid ? s->worker[k].from : -1, .events = POLLIN};
	}
	int wait = workers_enforce_limits(s, until);

	if (s->job->going && wait > TELL)
		wait = TELL;
	if (busy && poll(p, s->count, wait) > 0)
		for (unsigned k = 0; k < s->count; k++)
			if (p[k].revents && !worker_read(s, &s->worker[k]))
				worker_reap(s, &s->worker[k], until == 0);
	free(p);
	workers_tell(s);
	return busy > 0;
}

static void local_begin(void *self, uint32_t number, uint32_t of, const char *name, double limit)
{
	(void)self;
	(void)number;
	(void)of;
	(void)name;
	(void)limit;
}

static void local_case(void *self, const struct checked_case *c)
{
	struct checked *out = self;
	struct checked_case *copy = vec_push(&out->cases);

	*copy = *c;
	copy->name = strdup(c->name);
	copy->reason = strdup(c->reason);
	copy->detail = strdup(c->detail);
	copy->json = strdup(c->json ? c->json : "");
}

static void check_locally(struct workers *s, uint32_t file)
{
	struct checked_watch w = {.deadline = file_deadline(s),
		.begin = local_begin,
		.end = local_case,
		.self = &s->result[file]};

	checked_run(s->job->request, s->job->path[file], s->job->named[file], &w);
	s->job->finished(s->job->self, file, &s->result[file]);
}

void workers_run(const struct workers_job *job, unsigned jobs)
{
	struct workers s = {.job = job,
		.worker = memory_zeroed(jobs + 1u, sizeof *s.worker),
		.count = jobs,
		.result = memory_zeroed(job->count + 1u, sizeof *s.result)};
	const _Atomic int *interrupted = job->request->options.machine.interrupted;
	/* a worker may have ended when it is assigned a file */
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	double until = 0;

	do {
		if (interrupted && *interrupted && until == 0) {
			until = time_now() + LAST_GRACE;
			for (unsigned k = 0; k < s.count; k++)
				if (s.worker[k].pid)
					kill(s.worker[k].pid, SIGTERM);
		}
		for (unsigned k = 0; k < s.count && until == 0; k++) {
			struct worker *w = &s.worker[k];

			if (w->busy || s.next == job->count)
				continue;
			w->deadline = file_deadline(&s);
			if (w->pid || worker_start(&s, w))
				worker_assign(&s, w, s.next++, 0);
			else if (k == 0)
				check_locally(&s, s.next++);
		}
	} while (workers_poll(&s, until) || (until == 0 && s.next < job->count));
	for (unsigned k = 0; k < s.count; k++) {
		if (s.worker[k].pid)
			worker_reap(&s, &s.worker[k], false);
		free(s.worker[k].name);
		free(s.worker[k].place);
		text_free(&s.worker[k].heard);
	}
	signal(SIGPIPE, before);
	free(s.worker);
	free(s.result);
}
