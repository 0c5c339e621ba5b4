/* The line on a terminal is drawn by whichever host thread first finds that it is due: the work
 * itself asks, every some thousand instructions or whenever a part of it ends, so that no further
 * thread is needed. */
#include "cli/progress.h"
#include "base/lock.h"
#include "base/text.h"
#include "base/time.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds: before the first line, between two lines, before the note, of work before its rate means
 * something. */
static const double FIRST = 0.5, EVERY = 0.2, LONG = 10, ENOUGH = 1;
enum { WIDTH = 80 }; /* columns, if the terminal does not say */

static const char erasure[] = "\r\033[K";

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may not wait for a lock");
static _Atomic int shown;                 /* the line is on the terminal */
static _Atomic int left;                  /* the process ends: nothing is drawn any more */
static _Atomic long long due = INT64_MAX; /* milliseconds of time_now() */
static _Atomic unsigned long long ran;    /* runs that have ended */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock, except while no work is done. */
static struct {
	bool draws;     /* on a terminal */
	bool notes;     /* the note may be written: there is no bound */
	bool noted;     /* and has been */
	bool open_line; /* on stdout, which is the terminal, too */
	const char *title;
	uint64_t runs;
	double begin, deadline;
	/* what has been done when the present launch was first seen */
	int64_t launch; /* -1: none */
	uint64_t first_done, first_steps;
	double first_time;
	/* what was done when anything last ended */
	uint64_t done;
	double done_time;
} now;

/* --- the line --- */

static void write_all(const char *text, size_t n)
{
	for (ssize_t some = 1; n && some > 0; text += some, n -= (size_t)some) {
		some = write(2, text, n);
		if (some < 0)
			break;
	}
}

static void erase(void)
{
	if (atomic_exchange(&shown, 0))
		write_all(erasure, sizeof erasure - 1);
}

void progress_leave(void)
{
	left = 1;
	erase();
}

static unsigned columns(void)
{
	struct winsize size;

	return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH;
}

/* Appends as much of LINE as fits into a line of the terminal, without what could control it. A
 * character that is not ASCII is taken to be two columns wide. */
static void add_fitting(struct text *t, const char *line, size_t n)
{
	unsigned room = columns() - 1;

	while (n) {
		unsigned len = text_utf8(line, n), wide = len > 1 ? 2 : 1;
		bool safe = len > 1 || (len == 1 && (unsigned char)*line >= 0x20 && *line != 0x7f);

		len = len ? len : 1;
		if (room < wide)
			return;
		text_add(t, safe ? line : "?", safe ? len : 1);
		room -= wide;
		line += len;
		n -= len;
	}
}

/* A process in the background draws nothing: its line would mix with what the user does. */
static bool in_foreground(void)
{
	pid_t group = tcgetpgrp(2);

	return group < 0 || group == getpgrp();
}

static void draw(const struct text *line)
{
	struct text t = {0};

	if (!now.draws || now.open_line || left || !in_foreground())
		return;
	text_puts(&t, "\r");
	add_fitting(&t, text_str(line), line->len);
	text_puts(&t, "\033[K");
	shown = 1;
	write_all(text_str(&t), t.len);
	text_free(&t);
}

void progress_hide(void)
{
	lock_take(&lock);
	erase();
}

void progress_hidden(bool open_line)
{
	now.open_line = open_line;
	lock_give(&lock);
}

/* --- what it says --- */

static long long milliseconds(void) { return (long long)(1000 * time_now()); }

/* Whether a line is due; true for one thread only. */
static bool is_due(void)
{
	long long at = atomic_load_explicit(&due, memory_order_relaxed), t;

	if (at == INT64_MAX)
		return false;
	t = milliseconds();
	return t >= at && atomic_compare_exchange_strong(&due, &at, t + (long long)(1000 * EVERY));
}

static void add_seconds(struct text *t, double seconds)
{
	if (seconds < 100)
		text_printf(t, "%.0f s", seconds);
	else if (seconds < 6000)
		text_printf(t, "%.0f min", seconds / 60);
	else
		text_printf(t, "%.1f h", seconds / 3600);
}

/* Appends the time left, when DONE of ALL took SECONDS. */
static void add_left(struct text *t, uint64_t done, uint64_t all, double seconds)
{
	if (!done || done >= all || seconds < ENOUGH)
		return;
	text_puts(t, ", ");
	add_seconds(t, seconds * (double)(all - done) / (double)done);
	text_puts(t, " left");
}

static void add_rate(struct text *t, double count, double seconds, const char *unit)
{
	double rate = seconds > 0 ? count / seconds : 0;

	if (seconds < FIRST || rate <= 0)
		return;
	if (rate >= 1e6)
		text_printf(t, ", %.1f M%s/s", rate / 1e6, unit);
	else if (rate >= 1e3)
		text_printf(t, ", %.1f k%s/s", rate / 1e3, unit);
	else
		text_printf(t, ", %.1f%s/s", rate, unit);
}

static void add_title(struct text *t)
{
	if (now.title)
		text_printf(t, "%s: ", now.title);
}

/* --- the note --- */

/* DONE parts of the work are done. Whether there were as many ten seconds ago. */
static bool goes_on(uint64_t done, double at)
{
	if (done != now.done) {
		now.done = done;
		now.done_time = at;
	}
	return now.notes && !now.noted && at - now.done_time >= LONG;
}

static void note(const struct text *t)
{
	now.noted = true;
	erase();
	if (now.open_line)
		write_all("\n", 1);
	write_all(text_str(t), t->len);
}

static void note_case(const struct check_running *r)
{
	struct text t = {0};

	text_printf(&t, "ptxi: %s has run for %d s", r->name, CHECK_LONG);
	if (r->place && *r->place)
		text_printf(&t, "; %s", r->place);
	text_puts(&t,
		"\nptxi: --timeout=SECONDS or --max-steps=N ends such a case, also in its 'set' line\n");
	note(&t);
	text_free(&t);
}

static void note_kernel(const struct machine_progress *p)
{
	struct text t = {0};

	text_printf(&t, "ptxi: no CTA of '%s' has ended for %.0f s", p->kernel, LONG);
	if (*p->place)
		text_printf(&t, "; %s", p->place);
	text_puts(&t,
		"\nptxi: --timeout=SECONDS or --max-steps=N ends such a run, and so does Control-C, with the places of all warps\n");
	note(&t);
	text_free(&t);
}

/* --- each command --- */

static void tell_runs(double at)
{
	struct text t = {0};
	uint64_t done = ran;

	add_title(&t);
	text_printf(
		&t, "%llu of %llu runs", (unsigned long long)done, (unsigned long long)now.runs);
	add_rate(&t, (double)done, at - now.begin, " runs");
	add_left(&t, done, now.runs, at - now.begin);
	draw(&t);
	text_free(&t);
}

static void tell_launch(const struct machine_progress *p, double at)
{
	struct text t = {0};

	/* launches of several streams take turns */
	if (now.launch != (int64_t)p->launch) {
		bool first = now.launch < 0;

		now.launch = p->launch;
		now.first_done = first ? 0 : p->ctas_done;
		now.first_steps = first ? 0 : p->steps;
		now.first_time = first ? now.begin : at;
	}
	add_title(&t);
	text_puts(&t, p->kernel);
	if (p->launches > 1)
		text_printf(&t, " (launch %u of %u)", p->launch + 1, p->launches);
	text_printf(&t, ": %llu of %llu CTAs", (unsigned long long)p->ctas_done,
		(unsigned long long)p->ctas);
	add_rate(&t, (double)(p->steps - now.first_steps), at - now.first_time, " steps");
	add_left(&t, p->ctas_done - now.first_done, p->ctas - now.first_done, at - now.first_time);
	draw(&t);
	text_free(&t);
}

static bool machine_due(void *self)
{
	(void)self;
	return is_due();
}

static void machine_told(void *self, const struct machine_progress *p)
{
	double at = time_now();

	(void)self;
	lock_take(&lock);
	if (now.runs)
		tell_runs(at);
	else
		tell_launch(p, at);
	if (goes_on(now.runs ? ran : p->all_done, at))
		note_kernel(p);
	lock_give(&lock);
}

const struct machine_listener *progress_listener(void)
{
	static const struct machine_listener listener = {machine_due, machine_told, NULL};

	return now.draws || now.notes ? &listener : NULL;
}

void progress_ran(void *self)
{
	(void)self;
	ran++;
	if (!is_due())
		return;
	lock_take(&lock);
	goes_on(ran, time_now());
	tell_runs(time_now());
	lock_give(&lock);
}

/* About how many executions there are, if the open branches are like those that are done. */
static void add_estimate(struct text *t, uint64_t executions, double part)
{
	enum { AT_LEAST = 100 };
	double all = part > 0 ? (double)executions / part : 0, unit = 1;

	if (executions < AT_LEAST || all <= (double)executions)
		return;
	while (all / unit >= 1000)
		unit *= 10;
	all = unit * (double)(uint64_t)(all / unit + 0.5);
	text_printf(t, all < 1e9 ? " of about %.0f" : " of about %.1e", all);
}

void progress_explored(void *self, uint64_t executions, uint64_t outcomes, double part)
{
	struct text t = {0};
	double at = time_now();

	(void)self;
	if (!is_due())
		return;
	lock_take(&lock);
	add_title(&t);
	text_printf(&t, "%llu", (unsigned long long)executions);
	add_estimate(&t, executions, part);
	text_printf(&t, " executions, %llu outcomes", (unsigned long long)outcomes);
	add_rate(&t, (double)executions, at - now.begin, "");
	if (now.deadline > at) {
		text_puts(&t, ", at most ");
		add_seconds(&t, now.deadline - at);
		text_puts(&t, " left");
	}
	draw(&t);
	if (goes_on(0, at)) {
		text_clear(&t);
		text_printf(&t,
			"ptxi: the search has gone on for %.0f s, with %llu executions so far\nptxi: --timeout=SECONDS ends it, --rounds=N bounds its loops (default: 4), and Control-C shows the outcomes so far\n",
			LONG, (unsigned long long)executions);
		note(&t);
	}
	lock_give(&lock);
	text_free(&t);
}

void progress_checking(void *self, const struct check_running *r)
{
	struct text t = {0};
	double at = time_now();

	(void)self;
	if (!is_due())
		return;
	lock_take(&lock);
	text_printf(&t, "[%u/%u]", r->files_done, r->files);
	if (r->failed)
		text_printf(&t, " %u failed", r->failed);
	if (r->name)
		text_printf(&t, " %s", r->name);
	if (r->number && r->of > 1)
		text_printf(&t, ", case %u of %u", r->number, r->of);
	add_left(&t, r->files_done, r->files, at - now.begin);
	draw(&t);
	/* the worker sends the place after CHECK_LONG seconds, too, if kernels run */
	if (now.notes && !now.noted && r->number && !r->bounded &&
		r->seconds >= CHECK_LONG + (r->place ? 0 : ENOUGH))
		note_case(r);
	lock_give(&lock);
	text_free(&t);
}

void progress_graded(void *self, uint32_t done, uint32_t of)
{
	struct text t = {0};

	(void)self;
	if (!is_due())
		return;
	lock_take(&lock);
	text_printf(&t, "[%u/%u]", done, of);
	add_left(&t, done, of, time_now() - now.begin);
	draw(&t);
	lock_give(&lock);
	text_free(&t);
}

/* --- when --- */

/* Whether stdout and stderr are one file or terminal. */
static bool one_stream(void)
{
	struct stat out, err;

	return fstat(1, &out) == 0 && fstat(2, &err) == 0 && out.st_dev == err.st_dev &&
		out.st_ino == err.st_ino;
}

static bool may_draw(const struct cli *c)
{
	const char *term = getenv("TERM"), *ci = getenv("CI");

	if (c->quiet || c->progress_choice < 0)
		return false;
	if (c->progress_choice > 0)
		return true;
	return isatty(2) && !(term && strcmp(term, "dumb") == 0) && !(ci && *ci) &&
		/* the trace is written past cli/put.c */
		!(c->trace && strcmp(c->trace, "-") == 0);
}

void progress_begin(
	const struct cli *c, const char *title, uint64_t runs, const struct run_options *options)
{
	const struct machine_options *m = &options->machine;
	double at = time_now();

	lock_take(&lock);
	now.draws = may_draw(c);
	now.notes = !c->quiet && !(c->format != FORMAT_TEXT && one_stream()) && !m->max_steps &&
		m->timeout <= 0 && m->deadline <= 0;
	now.title = title;
	now.runs = runs;
	now.begin = now.done_time = at;
	now.deadline = m->timeout > 0 ? at + m->timeout : 0;
	now.launch = -1;
	now.first_done = now.first_steps = now.done = 0;
	ran = 0;
	due = now.draws || now.notes ? milliseconds() + (long long)(1000 * FIRST) : INT64_MAX;
	lock_give(&lock);
}

void progress_end(void)
{
	lock_take(&lock);
	due = INT64_MAX;
	now.draws = now.notes = false;
	erase();
	lock_give(&lock);
}
