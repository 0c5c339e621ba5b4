/* Findings of the host program, with the line of its source. */
#include "cuda/host.h"
#include "base/demangle.h"
#include "diag/source.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- findings --- */

enum { MOST_SEEN = 1024, MOST_SOURCE = 16 << 20 };

static struct {
	pthread_mutex_t lock;
	struct {
		enum diag_code code;
		call_place at;
	} seen[MOST_SEEN];
	unsigned nseen;
} findings = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool seen_before(enum diag_code code, call_place at)
{
	bool seen = false;

	if (!at)
		return false;
	pthread_mutex_lock(&findings.lock);
	for (unsigned k = 0; k < findings.nseen && !seen; k++)
		seen = findings.seen[k].code == code && findings.seen[k].at == at;
	if (!seen && findings.nseen < MOST_SEEN) {
		findings.seen[findings.nseen].code = code;
		findings.seen[findings.nseen++].at = at;
	}
	pthread_mutex_unlock(&findings.lock);
	return seen;
}

static struct source *read_source(struct arena *a, const struct place_info *p)
{
	FILE *f = p && *p->path ? fopen(p->path, "rb") : NULL;
	struct source *s = NULL;
	char *text;
	size_t n;

	if (!f)
		return NULL;
	text = malloc(MOST_SOURCE);
	n = text ? fread(text, 1, MOST_SOURCE, f) : 0;
	if (n && n < MOST_SOURCE)
		s = source_new(a, p->name, text, n);
	free(text);
	fclose(f);
	return s;
}

/* The text of line LINE, without blanks around it. */
static bool line_span(const struct source *s, unsigned line, struct span *out)
{
	uint32_t n;
	const char *text = line <= s->nlines ? source_line(s, line, &n) : NULL;

	if (!text)
		return false;
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r'))
		n--;
	while (n && (*text == ' ' || *text == '\t')) {
		text++;
		n--;
	}
	*out = (struct span){(uint32_t)(text - s->text), n};
	return true;
}

void host_finding(enum diag_code code, call_place at, const char *message, const char *help)
{
	const struct place_info *p = place_find(at);
	struct diags d = {0};
	struct text t = {0}, rendered = {0};
	struct source *s = NULL;
	struct span span;
	struct diag *r;

	if (seen_before(code, at)) {
		driver_said(code, NULL);
		return;
	}
	place_names(message, &t);
	s = read_source(&d.arena, p);
	if (s && line_span(s, p->line, &span)) {
		r = diag_report(&d, code, s, span, "%s", text_str(&t));
	} else {
		if (p && *p->name)
			text_printf(&t, ", at %s:%u", p->name, p->line);
		else if (p && *p->function)
			text_printf(&t, ", in %s", p->function);
		r = diag_plain(&d, code, "%s", text_str(&t));
	}
	if (help)
		diag_help(&d, r, "%s", help);
	diag_render(&d, &rendered, false);
	driver_said(code, text_str(&rendered));
	text_free(&rendered);
	text_free(&t);
	diags_free(&d);
}

void host_kernel(CUfunction f, struct text *out)
{
	text_puts(out, "kernel '");
	if (!demangle(out, f->name, NULL))
		text_puts(out, f->name);
	text_putc(out, '\'');
}

/* --- launches --- */

static struct {
	pthread_mutex_t lock;
	unsigned count; /* launches that were not waited for */
	call_place last;
	CUfunction function;
} launches = {.lock = PTHREAD_MUTEX_INITIALIZER};

void host_launched(const struct work *w)
{
	pthread_mutex_lock(&launches.lock);
	launches.count++;
	launches.last = w->place;
	launches.function = w->function;
	pthread_mutex_unlock(&launches.lock);
}

void host_waited(void)
{
	pthread_mutex_lock(&launches.lock);
	launches.count = 0;
	pthread_mutex_unlock(&launches.lock);
}

/* --- errors of launches, which no call returns --- */

static struct {
	pthread_mutex_t lock;
	pthread_t thread;
	int error; /* 0: none */
	call_place at;
	char name[64];
} unseen = {.lock = PTHREAD_MUTEX_INITIALIZER};

void __ptxi_error(int error, const char *name)
{
	pthread_mutex_lock(&unseen.lock);
	if (error && !unseen.error) {
		unseen.error = error;
		unseen.thread = pthread_self();
		unseen.at = place_here();
		snprintf(unseen.name, sizeof unseen.name, "%s", name);
	} else if (!error && unseen.error && pthread_equal(unseen.thread, pthread_self())) {
		unseen.error = 0;
	}
	pthread_mutex_unlock(&unseen.lock);
}

/* --- the end --- */

void host_ends(unsigned queued)
{
	struct text t = {0};

	if (unseen.error) {
		text_printf(&t, "the launch fails with %s, and nothing looks at the error",
			unseen.name);
		host_finding(DIAG_H0152, unseen.at, text_str(&t),
			"look at cudaGetLastError() after a launch");
		text_clear(&t);
	}
	if (queued && launches.count) {
		text_puts(&t, "the launch of ");
		if (handle_is(launches.function, HANDLE_FUNCTION))
			host_kernel(launches.function, &t);
		else
			text_puts(&t, "a kernel");
		text_puts(&t, " was never waited for, and did not run");
		if (queued > 1)
			text_printf(&t, "; nor did %u other items", queued - 1);
		host_finding(DIAG_H0151, launches.last, text_str(&t),
			"wait for the device before the program ends: cudaDeviceSynchronize");
	}
	text_free(&t);
}
