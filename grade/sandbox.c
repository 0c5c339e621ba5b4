/* The process of a submission gets its text in memory, may not open files or start processes, and
 * answers in records of bounded size through a pipe, which are not trusted. The grader itself never
 * parses a submission. */
#include "grade/sandbox.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/time.h"
#include "grade/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	OWN_MEMORY = 512 << 20, /* for ptxi itself, besides the program's memory */
	STACK = 8 << 20,
	MAX_FILES = 1 << 16
};
/* Wall time is only a guard against a process that waits; a busy machine must not fail a
 * submission that uses little processor time. */
static const double WALL_FACTOR = 10, WALL_EXTRA = 10;
/* How long the grader waits at most before it looks whether it was interrupted, in seconds. */
static const double LOOK = 0.25;
/* If it did not run for so long, it was stopped, as by Control-Z, and its processes too. */
static const double STOPPED = 5;

struct box {
	pid_t pid; /* 0: none */
	int from;
	double deadline;
	bool killed, ended, lied;
	uint32_t records;    /* that this process sent */
	uint32_t submission; /* in submissions.list */
	uint32_t begun;      /* the case that it runs, or UINT32_MAX */
	uint32_t next;       /* the case that it must judge next */
	double used;         /* processor seconds of earlier processes of this submission */
	struct text heard;
	char *bytes; /* of the submission */
	size_t size;
};

struct sandbox {
	const struct sandbox_request *q;
	struct diags *diags;
	struct box *box;
	unsigned count;
	uint32_t next, done;
	double looked; /* when the deadlines were compared with the clock */
};

static struct exercise *exercise_of(const struct sandbox *s, const struct box *b)
{
	return &s->q->suite->exercises.data[s->q->submissions->list.data[b->submission].exercise];
}

static struct graded_exercise *result_of(const struct sandbox *s, const struct box *b)
{
	const struct submission *x = &s->q->submissions->list.data[b->submission];

	return &s->q->graded->students.data[x->student].exercises[x->exercise];
}

/* --- in the process of the submission --- */

static void limit(int what, rlim_t value)
{
	struct rlimit r;

	if (getrlimit(what, &r) != 0)
		return;
	if (r.rlim_max == RLIM_INFINITY || value < r.rlim_max)
		r.rlim_max = value;
	r.rlim_cur = r.rlim_max;
	setrlimit(what, &r);
}

static void limit_memory(uint64_t bytes)
{
	memory_bound(bytes);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	limit(RLIMIT_AS, bytes + OWN_MEMORY);
#endif
}

static void limit_time(double seconds)
{
	struct itimerval t = {0};

	if (seconds < 0.001)
		seconds = 0.001;
	t.it_value.tv_sec = (time_t)seconds;
	t.it_value.tv_usec = (suseconds_t)((seconds - floor(seconds)) * 1e6);
	setitimer(ITIMER_PROF, &t, NULL); /* SIGPROF ends the process */
	limit(RLIMIT_CPU, (rlim_t)ceil(seconds) + 1);
}

/* Closes everything from FIRST to LAST; a table of files may have a million entries. */
static void close_from(unsigned first, unsigned last)
{
	struct rlimit r;

#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur > MAX_FILES)
		r.rlim_cur = MAX_FILES;
	for (unsigned fd = first; fd <= last && fd < r.rlim_cur; fd++)
		close((int)fd);
}

/* Without processes the whole program must be in a box already, as a page of a browser is. What is
 * judged is written to the pipe, which must hold all of it. */
static void judge_here(const struct sandbox *s, struct box *b, int out)
{
	const struct inside_request q = {.exercise = exercise_of(s, b),
		.name = result_of(s, b)->file,
		.text = b->bytes,
		.size = b->size,
		.from = b->next,
		.out = out};

	inside_run(&q);
	b->pid = 1; /* no process; but the box is in use */
}

static _Noreturn void box_main(const struct sandbox *s, const struct box *b, int out)
{
	static const int signals[] = {
		SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF, SIGXCPU, SIGPIPE, SIGALRM};
	struct exercise *e = exercise_of(s, b);
	struct inside_request q = {.exercise = e,
		.name = result_of(s, b)->file,
		.text = b->bytes,
		.size = b->size,
		.from = b->next,
		.out = out};
	int nothing = open("/dev/null", O_RDWR);
	sigset_t none;

	if (out < 3) /* the grader was started without standard output */
		q.out = out = fcntl(out, F_DUPFD, 3);
	for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
		signal(signals[k], SIG_DFL);
	/* Control-C goes to all processes of a terminal: the grader alone ends this one. And
	 * whoever started the grader may have blocked signals. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
	for (int fd = 0; fd < 3 && nothing >= 0; fd++)
		dup2(nothing, fd);
	if (out > 3)
		close_from(3, (unsigned)out - 1);
	close_from((unsigned)out + 1, UINT_MAX);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NPROC, 0);
	limit(RLIMIT_STACK, STACK);
	limit(RLIMIT_NOFILE, 0); /* open files stay open, but no further one can be opened */
	limit_memory(e->limits.memory * 2 + OWN_MEMORY);
	limit_time(e->limits.seconds - b->used);
	inside_run(&q);
	_exit(0);
}

/* --- in the grader --- */

/* Text from the process, with invalid UTF-8 and control characters replaced: it contains lines of
 * the submission. */
static const char *kept(const struct sandbox *s, const char *bytes, size_t n)
{
	struct text t = {0};
	const char *copy;

	while (n) {
		unsigned len = text_utf8(bytes, n);

		if (len == 0 ||
			(len == 1 && (unsigned char)*bytes < 32 && *bytes != '\n' &&
				*bytes != '\t'))
			text_puts(&t, "\357\277\275");
		else
			text_add(&t, bytes, len);
		bytes += len ? len : 1;
		n -= len ? len : 1;
	}
	copy = arena_text(&s->q->graded->arena, text_str(&t), t.len);
	text_free(&t);
	return copy;
}

static bool box_start(struct sandbox *s, struct box *b)
{
	int pipes[2];

	if (pipe(pipes) != 0)
		return false;
	fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	b->killed = b->ended = b->lied = false;
	b->records = 0;
	b->begun = UINT32_MAX;
	text_clear(&b->heard);
	b->deadline = time_now() + exercise_of(s, b)->limits.seconds * WALL_FACTOR + WALL_EXTRA;
	if (!PLATFORM_PROCESSES) {
		judge_here(s, b, pipes[1]);
		close(pipes[1]);
		b->from = pipes[0];
		return true;
	}
	b->pid = fork();
	if (b->pid == 0) {
		close(pipes[0]);
		box_main(s, b, pipes[1]);
	}
	close(pipes[1]);
	if (b->pid < 0) {
		close(pipes[0]);
		b->pid = 0;
		return false;
	}
	b->from = pipes[0];
	return true;
}

static void begin_results(struct sandbox *s, const struct box *b)
{
	struct graded_exercise *r = result_of(s, b);
	const struct exercise *e = exercise_of(s, b);
	struct arena *a = &s->q->graded->arena;

	r->state = GRADED_JUDGED;
	r->reason = r->detail = "";
	r->cases = ARENA_ARRAY(a, struct graded_part, e->cases.count + 1u);
	r->requirements = ARENA_ARRAY(a, struct graded_part, e->requirements.count + 1u);
	for (uint32_t k = 0; k < e->cases.count; k++)
		r->cases[k] = (struct graded_part){VERDICT_FAIL, "not judged", "", 0};
	for (uint32_t k = 0; k < e->requirements.count; k++)
		r->requirements[k] = (struct graded_part){VERDICT_FAIL, "not judged", "", 0};
}

/* Applies a record; false if it is not one that the process may send now. */
static bool hear(struct sandbox *s, struct box *b, const struct record *m, const char *strings)
{
	struct graded_exercise *r = result_of(s, b);
	const struct exercise *e = exercise_of(s, b);
	struct graded_part part = {.verdict = (uint8_t)m->verdict, .amount = m->amount};

	/* each case begins and ends, each requirement is one record, and there are three others */
	if (b->ended || m->verdict > VERDICT_SKIP ||
		++b->records > 2 * e->cases.count + e->requirements.count + 3)
		return false;
	part.reason = kept(s, strings, m->nreason);
	part.detail = kept(s, strings + m->nreason, m->ndetail);
	switch ((enum record_kind)m->kind) {
	case RECORD_IGNORED: r->ignored = m->amount; return true;
	case RECORD_REJECTED:
		r->state = GRADED_REJECTED;
		r->reason = part.reason;
		r->detail = part.detail;
		return true;
	case RECORD_REQUIREMENT:
		if (m->index >= e->requirements.count)
			return false;
		r->requirements[m->index] = part;
		return true;
	case RECORD_BEGIN:
		if (m->index != b->next || m->index >= e->cases.count)
			return false;
		b->begun = m->index;
		return true;
	case RECORD_CASE:
		if (m->index != b->next || m->index >= e->cases.count)
			return false;
		r->cases[m->index] = part;
		b->begun = UINT32_MAX;
		b->next++;
		return true;
	case RECORD_END:
		b->ended = true;
		return r->state == GRADED_REJECTED || b->next == e->cases.count;
	case RECORD_KINDS:
	default: return false;
	}
}

/* Handles the complete records; false if one is not valid. */
static bool hear_all(struct sandbox *s, struct box *b)
{
	size_t used = 0;

	for (;;) {
		struct record m;
		const char *at = b->heard.data + used;

		if (b->heard.len - used < sizeof m)
			break;
		memcpy(&m, at, sizeof m);
		if (m.magic != RECORD_MAGIC || m.kind >= RECORD_KINDS || m.nreason > MAX_REASON ||
			m.ndetail > MAX_DETAIL)
			return false;
		if (b->heard.len - used - sizeof m < m.nreason + m.ndetail)
			break;
		if (!hear(s, b, &m, at + sizeof m))
			return false;
		used += sizeof m + m.nreason + m.ndetail;
	}
	if (used) {
		memmove(b->heard.data, b->heard.data + used, b->heard.len - used);
		b->heard.len -= used;
	}
	return true;
}

/* Why the process ended early, in the words of the report. */
static const char *end_reason(struct sandbox *s, const struct box *b, int status)
{
	const struct limits *l = &exercise_of(s, b)->limits;
	struct arena *a = &s->q->graded->arena;
	struct text t = {0};
	const char *reason;
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (b->lied)
		text_puts(&t, "crashed: its process sent an invalid answer - please report");
	else if (b->killed || sig == SIGPROF || sig == SIGXCPU)
		text_printf(&t, "took longer than %g s", l->seconds);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS) {
		text_puts(&t, "used more than ");
		bytes_put(&t, l->memory);
	} else if (sig == SIGKILL)
		text_puts(&t, "the system ended it, most likely because memory was exhausted");
	else if (sig)
		text_printf(&t, "crashed: signal %d - please report", sig);
	else
		text_printf(&t, "crashed: status %d - please report", WEXITSTATUS(status));
	reason = arena_text(a, text_str(&t), t.len);
	text_free(&t);
	return reason;
}

static void box_finish(struct sandbox *s, struct box *b)
{
	const struct submission *x = &s->q->submissions->list.data[b->submission];

	graded_count(s->q->graded, &s->q->graded->students.data[x->student], x->exercise);
	free(b->bytes);
	b->bytes = NULL;
	s->done++;
	if (s->q->progress)
		s->q->progress(s->q->self, s->done, s->q->submissions->list.count);
}

/* The status of the process, which has closed its pipe or lied. It may not stay: usually it ends in
 * the same moment. */
static int wait_end(struct box *b, struct rusage *usage)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int status = 0;

	if (!PLATFORM_PROCESSES)
		return 0;
	for (unsigned k = 0; k < 1000 && !b->lied && !b->ended; k++) {
		if (wait4(b->pid, &status, WNOHANG, usage) == b->pid)
			return status;
		nanosleep(&pause, NULL);
	}
	b->lied |= !b->ended;
	kill(b->pid, SIGKILL);
	while (wait4(b->pid, &status, 0, usage) < 0 && errno == EINTR)
		;
	return status;
}

/* The process has closed its pipe or was killed. If it ended in a case, the others are judged by a
 * further process, in the time that is left. */
static void box_reap(struct sandbox *s, struct box *b)
{
	struct graded_exercise *r = result_of(s, b);
	const struct exercise *e = exercise_of(s, b);
	struct rusage usage = {0};
	const char *reason;
	int status;
	bool timed_out;

	close(b->from);
	status = wait_end(b, &usage);
	b->pid = 0;
	if (b->ended && !b->lied) {
		box_finish(s, b);
		return;
	}
	b->used += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	reason = end_reason(s, b, status);
	timed_out = b->killed || b->used >= e->limits.seconds ||
		(WIFSIGNALED(status) &&
			(WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGXCPU));
	if (r->state == GRADED_REJECTED || b->begun == UINT32_MAX) {
		/* it ended while the file was assembled */
		r->state = b->next ? GRADED_JUDGED : GRADED_REJECTED;
		r->reason = reason;
		for (uint32_t k = b->next; k < e->cases.count; k++)
			r->cases[k].reason = reason;
		box_finish(s, b);
		return;
	}
	r->cases[b->next].reason = reason;
	b->next++;
	if (!timed_out && !b->lied && b->next < e->cases.count && box_start(s, b))
		return;
	for (uint32_t k = b->next; k < e->cases.count; k++)
		r->cases[k].reason = arena_printf(
			&s->q->graded->arena, "not judged: an earlier case %s", reason);
	box_finish(s, b);
}

/* Reads what the process sent; false if it has ended. */
static bool box_read(struct sandbox *s, struct box *b)
{
	char bytes[1 << 16];
	ssize_t n = read(b->from, bytes, sizeof bytes);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n == 0)
		return false;
	text_add(&b->heard, bytes, (size_t)n);
	if (!hear_all(s, b))
		b->lied = true;
	return !b->lied;
}

/* The submission was not judged to its end. */
static void unfinish(struct graded_exercise *r)
{
	*r = (struct graded_exercise){.state = GRADED_UNFINISHED,
		.file = r->file,
		.reason = graded_not_judged,
		.detail = ""};
}

/* Gives BOX the next submission; one that cannot be read is finished at once. */
static bool box_assign(struct sandbox *s, struct box *b)
{
	const struct submission *x = &s->q->submissions->list.data[s->next];
	struct graded_exercise *r;
	const char *why = "";
	uint64_t hash;

	b->submission = s->next;
	b->next = 0;
	b->used = 0;
	r = result_of(s, b);
	b->bytes = submission_read(s->q->path, x, exercise_of(s, b)->limits.source_size,
		&s->q->graded->arena, &b->size, &why);
	hash = b->bytes ? hash_bytes(b->bytes, b->size, 0) : 0;
	if (!b->bytes) {
		r->state = GRADED_REFUSED;
		r->reason = why;
	} else if (x->earlier && x->earlier->hash == hash) {
		*r = *x->earlier;
	} else {
		begin_results(s, b);
		r->hash = hash;
		if (!box_start(s, b)) {
			free(b->bytes);
			b->bytes = NULL;
			unfinish(r);
			return false;
		}
	}
	s->next++;
	if (!b->pid)
		box_finish(s, b);
	return true;
}

/* Starts as many processes as there is work and room for. False if none can be started at all. */
static bool boxes_fill(struct sandbox *s)
{
	bool running = false;

	for (unsigned k = 0; k < s->count; k++)
		running |= s->box[k].pid != 0;
	for (unsigned k = 0; k < s->count; k++)
		while (!s->box[k].pid && s->next < s->q->submissions->list.count) {
			if (!box_assign(s, &s->box[k]))
				return running; /* again when another process has ended */
			running |= s->box[k].pid != 0;
		}
	return true;
}

static int milliseconds_left(struct sandbox *s)
{
	double now = time_now(), next = now + LOOK,
	       stopped = now - s->looked > STOPPED ? now - s->looked : 0;

	for (unsigned k = 0; k < s->count; k++) {
		struct box *b = &s->box[k];

		b->deadline += stopped;
		if (!b->pid || b->killed)
			continue;
		if (now >= b->deadline) {
			b->killed = true;
			kill(b->pid, SIGKILL);
		} else if (b->deadline < next) {
			next = b->deadline;
		}
	}
	s->looked = now;
	return (int)((next - now) * 1000) + 1;
}

static void boxes_poll(struct sandbox *s)
{
	struct pollfd *p = memory_zeroed(s->count, sizeof *p);

	for (unsigned k = 0; k < s->count; k++)
		p[k] = (struct pollfd){.fd = s->box[k].pid ? s->box[k].from : -1, .events = POLLIN};
	if (poll(p, s->count, milliseconds_left(s)) > 0)
		for (unsigned k = 0; k < s->count; k++)
			if (p[k].revents &&
				(!box_read(s, &s->box[k]) ||
					(!PLATFORM_PROCESSES && s->box[k].ended)))
				box_reap(s, &s->box[k]);
	free(p);
}

void sandbox_run(const struct sandbox_request *q, struct diags *diags)
{
	struct sandbox s = {.q = q,
		.diags = diags,
		.box = memory_zeroed(q->jobs, sizeof *s.box),
		.count = q->jobs,
		.looked = time_now()};
	bool ok = true;

	signal(SIGCHLD, SIG_DFL); /* ignored, it would hide how processes end */
	while (ok && s.done < q->submissions->list.count && !(q->interrupted && *q->interrupted)) {
		ok = boxes_fill(&s);
		if (ok && s.done < q->submissions->list.count)
			boxes_poll(&s);
	}
	if (!ok)
		diag_plain(diags, DIAG_L0203, "no process can be started: %s", strerror(errno));
	for (unsigned k = 0; k < s.count; k++) {
		struct box *b = &s.box[k];

		if (b->pid) {
			kill(b->pid, SIGKILL);
			waitpid(b->pid, NULL, 0);
			close(b->from);
			unfinish(result_of(&s, b));
		}
		free(b->bytes);
		text_free(&b->heard);
	}
	free(s.box);
}
