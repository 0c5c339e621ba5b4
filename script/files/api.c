/* Implements the public interface, include/ptxi/ptxi.h, on top of programs and reports.
 *
 * Each program has a guard (base/guard.h), which owns everything that is made for it. If a call
 * fails, the guard releases all of it, and the next call assembles the program again from the copy
 * of its text, which belongs to the handle. A result has an arena of its own. */
#include "base/guard.h"
#include "base/memory.h"
#include "script/files/findings.h"
#include "script/files/launch.h"
#include "script/verdict/show.h"
#include <stdio.h>
#include <string.h>

/* What is made from the text. Owned by the guard. */
struct loaded {
	struct program p;
	struct run_options options;
	struct text diagnostics, json, ptx;
	struct findings findings;
};

struct bytes {
	struct bytes *next;
	const char *name;
	void *data;
	size_t size;
};

struct ptxi_program {
	struct guard *guard;
	struct arena arena; /* copies of what ptxi_load was given */
	const char *name, *text;
	size_t size;
	struct ptxi_options options;
	struct bytes *given; /* by ptxi_set_buffer; not owned by the guard */
	struct loaded *loaded;
	enum ptxi_exit failed; /* PTXI_OK: the last call did not fail */
};

struct ptxi_result {
	struct arena arena;
	enum ptxi_exit status;
	enum ptxi_verdict verdict;
	const char *reason, *output, *json;
	size_t noutput;
	struct findings findings;
	struct bytes *buffers;
	char why[200]; /* the reason of a failed call */
};

const char *ptxi_version(void) { return PTXI_VERSION; }

/* --- programs --- */

static void settings_apply(struct loaded *l, const char *const *list)
{
	struct text why = {0};

	for (; list && *list; list++) {
		const char *equals = strchr(*list, '=');
		char *name = arena_text(
			&l->p.arena, *list, equals ? (size_t)(equals - *list) : strlen(*list));

		text_clear(&why);
		if (option_apply(&l->options, name, equals ? equals + 1 : "", true, &why) ==
			OPTION_FITS)
			continue;
		diag_plain(&l->p.diags, DIAG_L0115, "'%s' is not a setting%s%s", *list,
			why.len ? ": " : "", text_str(&why));
		l->p.status = l->p.status ? l->p.status : PTXI_USAGE;
	}
	text_free(&why);
}

/* Assembles the program unless that is done. */
static struct loaded *loaded(struct ptxi_program *p)
{
	struct program_request r = {.path = p->name,
		.text = p->text,
		.size = p->size,
		.lines = p->options.lines,
		.assemble = {.target = p->options.target}};
	struct loaded *l = p->loaded;

	if (l)
		return l;
	while (r.lines && r.lines[r.nlines])
		r.nlines++;
	l = memory_zeroed(1, sizeof *l);
	l->options.machine.checks = CHECK_BOUNDS | CHECK_SYNC;
	l->options.machine.jobs = p->options.jobs;
	l->options.machine.seed = 1;
	program_load(&l->p, &r);
	settings_apply(l, p->options.settings);
	l->findings = findings_copy(&l->p.diags, &l->p.arena);
	p->loaded = l;
	return l;
}

static bool call(struct ptxi_program *p, void (*work)(void *arg), void *arg)
{
	switch (guard_run(p->guard, work, arg)) {
	case FAILURE_NONE: p->failed = PTXI_OK; return true;
	case FAILURE_MEMORY: p->failed = PTXI_NO_MEMORY; break;
	case FAILURE_BUG:
	default: p->failed = PTXI_BUG; break;
	}
	p->loaded = NULL;
	return false;
}

static char *copy_text(struct arena *a, const char *s)
{
	return s ? arena_text(a, s, strlen(s)) : NULL;
}

static const char *const *copy_list(struct arena *a, const char *const *list)
{
	const char **copy;
	size_t n = 0;

	while (list && list[n])
		n++;
	copy = ARENA_ARRAY(a, const char *, n + 1);
	for (size_t k = 0; k < n; k++)
		copy[k] = copy_text(a, list[k]);
	return copy;
}

struct load {
	struct ptxi_program *p;
	const char *name, *text;
	size_t n;
	const struct ptxi_options *options;
};

static void load_copy(void *arg)
{
	const struct load *l = arg;
	struct ptxi_program *p = l->p;

	guard_pause();
	p->name = copy_text(&p->arena, l->name ? l->name : "");
	p->text = arena_text(&p->arena, l->n ? l->text : "", l->n);
	p->size = l->n;
	if (l->options) {
		p->options.lines = copy_list(&p->arena, l->options->lines);
		p->options.settings = copy_list(&p->arena, l->options->settings);
		p->options.target = copy_text(&p->arena, l->options->target);
		p->options.jobs = l->options->jobs;
	}
	guard_resume();
}

static void load_assemble(void *arg) { loaded(arg); }

struct ptxi_program *ptxi_load(
	const char *name, const char *text, size_t n, const struct ptxi_options *options)
{
	struct ptxi_program *p = memory_try_zeroed(1, sizeof *p);
	struct load l = {p, name, text, n, options};

	if (!p)
		return NULL;
	p->guard = guard_new(NULL);
	if (!p->guard || !call(p, load_copy, &l)) {
		ptxi_free(p);
		return NULL;
	}
	call(p, load_assemble, p);
	return p;
}

static void bytes_free(struct bytes *b)
{
	memory_drop(b->data);
	memory_drop(b);
}

void ptxi_free(struct ptxi_program *p)
{
	if (!p)
		return;
	for (struct bytes *b = p->given, *next; b; b = next) {
		next = b->next;
		bytes_free(b);
	}
	guard_free(p->guard);
	arena_free(&p->arena);
	memory_drop(p);
}

enum ptxi_exit ptxi_status(const struct ptxi_program *p)
{
	return p->failed ? p->failed : (enum ptxi_exit)p->loaded->p.status;
}

const char *ptxi_error(const struct ptxi_program *p)
{
	return p->failed ? guard_what(p->guard) : "";
}

static void put_diagnostics(void *arg)
{
	struct loaded *l = loaded(arg);

	text_clear(&l->diagnostics);
	diag_render(&l->p.diags, &l->diagnostics, false);
}

const char *ptxi_diagnostics(struct ptxi_program *p)
{
	return call(p, put_diagnostics, p) ? text_str(&p->loaded->diagnostics) : NULL;
}

static void put_json(void *arg)
{
	struct loaded *l = loaded(arg);

	text_clear(&l->json);
	diag_render_json(&l->p.diags, &l->json);
}

const char *ptxi_diagnostics_json(struct ptxi_program *p)
{
	return call(p, put_json, p) ? text_str(&p->loaded->json) : NULL;
}

static void put_ptx(void *arg)
{
	struct loaded *l = loaded(arg);

	text_clear(&l->ptx);
	if (l->p.module)
		assembler_print(l->p.module, &l->ptx);
}

const char *ptxi_disassemble(struct ptxi_program *p)
{
	return call(p, put_ptx, p) && p->loaded->p.module ? text_str(&p->loaded->ptx) : NULL;
}

size_t ptxi_findings(const struct ptxi_program *p)
{
	return p->loaded ? p->loaded->findings.count : 0;
}

const struct ptxi_finding *ptxi_finding(const struct ptxi_program *p, size_t k)
{
	return k < ptxi_findings(p) ? &p->loaded->findings.data[k] : NULL;
}

/* --- cases --- */

size_t ptxi_cases(const struct ptxi_program *p)
{
	return p->loaded ? p->loaded->p.script.cases.count : 0;
}

static struct bytes *bytes_find(struct bytes *list, const char *name)
{
	while (list && strcmp(list->name, name) != 0)
		list = list->next;
	return list;
}

enum ptxi_exit ptxi_set_buffer(
	struct ptxi_program *p, const char *name, const void *data, size_t size)
{
	size_t length = strlen(name) + 1;
	struct bytes *b = memory_try_zeroed(1, sizeof *b + length), *old = NULL;

	if (!b)
		return PTXI_NO_MEMORY;
	b->name = memcpy(b + 1, name, length);
	b->size = (size_t)size;
	b->data = memory_try_zeroed(size, 1);
	if (!b->data) {
		bytes_free(b);
		return PTXI_NO_MEMORY;
	}
	for (struct bytes **at = &p->given; *at && !old;) {
		if (strcmp((*at)->name, name) == 0) {
			old = *at;
			*at = old->next;
		} else {
			at = &(*at)->next;
		}
	}
	if (old)
		bytes_free(old);
	if (!data) {
		bytes_free(b);
		return PTXI_OK;
	}
	if (size)
		memcpy(b->data, data, size);
	b->next = p->given;
	p->given = b;
	return PTXI_OK;
}

struct run {
	struct ptxi_program *p;
	struct ptxi_result *r;
	size_t number;
	const struct ptxi_launch *launch;
};

/* What the report says becomes the result's own. */
static void result_fill(struct ptxi_result *r, struct report *from, const struct text *json)
{
	const char *reason = from->reason && from->verdict != VERDICT_PASS ? from->reason : "";

	guard_pause();
	r->status = (enum ptxi_exit)from->status;
	r->verdict = from->verdict == VERDICT_PASS ? PTXI_PASS
		: from->verdict == VERDICT_FAIL    ? PTXI_FAIL
						   : PTXI_SKIP;
	r->reason = copy_text(&r->arena, reason);
	r->noutput = from->output.len;
	r->output = arena_text(&r->arena, text_str(&from->output), from->output.len);
	r->json = arena_text(&r->arena, text_str(json), json->len);
	guard_resume();
}

static void result_findings(struct ptxi_result *r, struct report *from)
{
	struct arena own = {0};

	/* a source makes its table of lines at the first place, which belongs to the program */
	findings_copy(&from->findings, &own);
	arena_free(&own);
	guard_pause();
	r->findings = findings_copy(&from->findings, &r->arena);
	guard_resume();
}

static const void *run_given(void *self, const char *name, uint64_t *size)
{
	const struct run *run = self;
	const struct bytes *b = bytes_find(run->p->given, name);

	if (!b)
		return NULL;
	*size = b->size;
	return b->data;
}

static void run_final(void *self, const char *name, const void *bytes, uint64_t size)
{
	struct ptxi_result *r = ((struct run *)self)->r;
	struct bytes *b;

	guard_pause();
	b = ARENA_NEW(&r->arena, struct bytes);
	b->name = copy_text(&r->arena, name);
	b->data = arena_copy(&r->arena, bytes, size, 16);
	b->size = (size_t)size;
	b->next = r->buffers;
	r->buffers = b;
	guard_resume();
}

static void run_case(void *arg)
{
	struct run *run = arg;
	struct loaded *l = loaded(run->p);
	struct host_request h = {.module = l->p.module,
		.in = &l->p.script.cases.data[run->number],
		.options = l->options,
		.given = run_given,
		.final = run_final,
		.self = run};
	struct text json = {0};
	struct report r;

	host_run(&h, &r);
	json_report(&l->p, h.in, &r, NULL, &json);
	result_fill(run->r, &r, &json);
	result_findings(run->r, &r);
	text_free(&json);
	report_free(&r);
}

static const char *const verdicts[] = {"pass", "fail", "skip"};

static void run_launch(void *arg)
{
	struct run *run = arg;
	struct loaded *l = loaded(run->p);
	struct text json = {0};
	struct report r;
	struct kernel_run k = {.module = l->p.module,
		.ask = run->launch,
		.options = l->options,
		.report = &r,
		.address = memory_zeroed(run->launch->nargs, sizeof *k.address)};

	kernel_run(&k);
	text_printf(&json, "{\"status\": %d, \"verdict\": \"%s\", \"output\": ", r.status,
		verdicts[r.verdict]);
	text_json(&json, text_str(&r.output), r.output.len);
	text_puts(&json, ", \"findings\": ");
	diag_render_json(&r.findings, &json);
	while (json.len && json.data[json.len - 1] == '\n')
		json.data[--json.len] = '\0';
	text_putc(&json, '}');
	result_fill(run->r, &r, &json);
	result_findings(run->r, &r);
	text_free(&json);
	kernel_end(&k);
	memory_drop(k.address);
	report_free(&r);
}

static struct ptxi_result *run(struct run *run, void (*work)(void *arg))
{
	struct ptxi_result *r = run->r = memory_try_zeroed(1, sizeof *r);

	if (!r || call(run->p, work, run))
		return r;
	arena_free(&r->arena);
	*r = (struct ptxi_result){
		.status = run->p->failed, .verdict = PTXI_FAIL, .output = "", .json = ""};
	snprintf(r->why, sizeof r->why, "%s", guard_what(run->p->guard));
	r->reason = r->why;
	return r;
}

/* Whether P has a module. A program whose last call failed is assembled first. */
static bool is_ready(struct ptxi_program *p)
{
	return (p->loaded || call(p, load_assemble, p)) && p->loaded->p.module;
}

struct ptxi_result *ptxi_run(struct ptxi_program *p, size_t k)
{
	if (!is_ready(p) || p->loaded->p.status || k >= ptxi_cases(p))
		return NULL;
	return run(&(struct run){.p = p, .number = k}, run_case);
}

struct ptxi_result *ptxi_launch(struct ptxi_program *p, const struct ptxi_launch *launch)
{
	if (!is_ready(p))
		return NULL;
	return run(&(struct run){.p = p, .launch = launch}, run_launch);
}

/* --- results --- */

void ptxi_result_free(struct ptxi_result *r)
{
	if (!r)
		return;
	arena_free(&r->arena);
	memory_drop(r);
}

enum ptxi_exit ptxi_result_status(const struct ptxi_result *r) { return r->status; }

enum ptxi_verdict ptxi_result_verdict(const struct ptxi_result *r) { return r->verdict; }

const char *ptxi_result_reason(const struct ptxi_result *r) { return r->reason; }

const char *ptxi_result_output(const struct ptxi_result *r, size_t *n)
{
	if (n)
		*n = r->noutput;
	return r->output;
}

const char *ptxi_result_json(const struct ptxi_result *r) { return r->json; }

const void *ptxi_result_buffer(const struct ptxi_result *r, const char *name, size_t *size)
{
	const struct bytes *b = bytes_find(r->buffers, name);

	if (size)
		*size = b ? b->size : 0;
	return b ? b->data : NULL;
}

size_t ptxi_result_findings(const struct ptxi_result *r) { return r->findings.count; }

const struct ptxi_finding *ptxi_result_finding(const struct ptxi_result *r, size_t k)
{
	return k < r->findings.count ? &r->findings.data[k] : NULL;
}
