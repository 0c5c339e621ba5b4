/* The Debug Adapter Protocol. What an editor asks becomes commands of the debugger, whose text is
 * captured; what it shows of threads, calls and variables is read from that text. */
#include "debug/dap.h"
#include "debug/front.h"
#include "debug/json.h"
#include <errno.h>
#include <ptxi/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum {
	HEADER = 1024,     /* bytes of a message's header, at most */
	MESSAGE = 4 << 20, /* bytes of a message, at most */
	WARP_BITS = 5,     /* a thread's number: 1 + warp, CTA, launch */
	CTA_BITS = 24,
	REGISTERS = 1,
	MEMORY = 2, /* variablesReference */
	NUMBERS = 64
};

/* The stops that one kind of request has set; the next one of the kind replaces them. */
struct stop_set {
	char source[LINE]; /* breakpoints of one file */
	uint32_t number[NUMBERS], n;
};

struct dap {
	const struct dap_request *r;
	struct debug_request debug;
	struct front front;
	bool running, ended; /* a session exists; the conversation is over */
	char program[LINE];
	int sequence;
	struct text heard;
	struct stop_set set[16];
	uint32_t nsets;
	struct text out;
};

/* --- messages --- */

static void send(struct dap *d)
{
	struct text t = {0};

	text_printf(&t, "Content-Length: %zu\r\n\r\n", d->out.len);
	text_add(&t, text_str(&d->out), d->out.len);
	d->r->out(d->r->self, text_str(&t), t.len);
	text_free(&t);
	text_clear(&d->out);
}

static void json_string(struct text *out, const char *s) { text_json(out, s, strlen(s)); }

/* An event; BODY is a JSON object. */
static void event(struct dap *d, const char *name, const char *body)
{
	text_printf(&d->out, "{\"seq\": %d, \"type\": \"event\", \"event\": \"%s\", \"body\": %s}",
		++d->sequence, name, body);
	send(d);
}

/* The response to Q; BODY NULL: it failed, and WHY says why. */
static void respond(struct dap *d, const struct json *q, const char *body, const char *why)
{
	text_printf(&d->out,
		"{\"seq\": %d, \"type\": \"response\", \"request_seq\": %d, \"success\": %s, \"command\": ",
		++d->sequence, (int)json_number(q, "seq"), body ? "true" : "false");
	json_string(&d->out, json_text(q, "command"));
	if (body)
		text_printf(&d->out, ", \"body\": %s}", body);
	else {
		text_puts(&d->out, ", \"message\": ");
		json_string(&d->out, why);
		text_putc(&d->out, '}');
	}
	send(d);
}

/* Reads more of the input; false at its end. */
static bool hear(struct dap *d)
{
	char bytes[4096];
	ssize_t n;

	do
		n = read(d->r->in, bytes, sizeof bytes);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		text_add(&d->heard, bytes, (size_t)n);
	return n > 0;
}

static void forget(struct text *t, size_t n)
{
	memmove(t->data, t->data + n, t->len - n + 1);
	t->len -= n;
}

/* The next message, in arena A; NULL: the end, or no message. */
static const struct json *next_message(struct dap *d, struct arena *a)
{
	const char *end;
	unsigned long long length = 0;
	const struct json *j;

	while (!d->heard.len || !(end = strstr(text_str(&d->heard), "\r\n\r\n")))
		if (d->heard.len > HEADER || !hear(d))
			return NULL;
	for (const char *line = text_str(&d->heard); line < end; line = strstr(line, "\r\n") + 2)
		if (strncasecmp(line, "Content-Length:", 15) == 0)
			length = strtoull(line + 15, NULL, 10);
	if (length == 0 || length > MESSAGE)
		return NULL;
	forget(&d->heard, (size_t)(end + 4 - text_str(&d->heard)));
	while (d->heard.len < length)
		if (!hear(d))
			return NULL;
	j = json_read(a, text_str(&d->heard), (size_t)length);
	forget(&d->heard, (size_t)length);
	return j;
}

/* --- commands --- */

/* Carries out a command; the result is what it says, without the last line's end. */
static const char *say(struct dap *d, const char *line)
{
	struct session *s = d->front.s;

	s->captures = true;
	s->ncaptured = 0;
	s->captured[0] = 0;
	front_execute(&d->front, line);
	while (s->ncaptured && s->captured[s->ncaptured - 1] == '\n')
		s->captured[--s->ncaptured] = 0;
	return s->captured;
}

static int thread_id(const struct turn *t)
{
	uint64_t id = ((uint64_t)(t->launch & 1) << CTA_BITS | (t->cta & ((1 << CTA_BITS) - 1)))
			<< WARP_BITS |
		t->warp;

	return (int)id + 1;
}

/* Puts thread ID, as the protocol numbers it, in focus. */
static void focus(struct dap *d, double id)
{
	struct session *s = d->front.s;
	uint64_t n = id >= 1 && id < 2e9 ? (uint64_t)id - 1 : 0;
	uint64_t cta = n >> WARP_BITS & ((1 << CTA_BITS) - 1);
	uint32_t warp = (uint32_t)n & ((1 << WARP_BITS) - 1);
	struct text t = {0};

	if (id < 1 || (s->focus.warp == warp && s->focus.cta == cta))
		return;
	text_printf(&t, "cta %llu warp %u", (unsigned long long)cta, warp);
	say(d, text_str(&t));
	text_free(&t);
}

/* --- stopping --- */

static void tell_stopped(struct dap *d, const char *reason, const char *said)
{
	const struct session *s = d->front.s;
	struct text t = {0};

	if (*said) {
		text_puts(&t, "{\"category\": \"console\", \"output\": ");
		text_json(&t, said, strlen(said));
		text_puts(&t, "}");
		event(d, "output", text_str(&t));
		text_clear(&t);
	}
	text_printf(&t,
		"{\"reason\": \"%s\", \"threadId\": %d, \"allThreadsStopped\": true, \"description\": \"step %llu%s\"}",
		reason, thread_id(&s->focus), (unsigned long long)s->at.step,
		s->at.ended ? ", the end of the run" : "");
	event(d, "stopped", text_str(&t));
	text_free(&t);
}

static bool is_word(const struct json *q, const char *word)
{
	return strcmp(json_text(q, "command"), word) == 0;
}

static void handle(struct dap *d, const struct json *q);

/* Runs COMMAND. Requests that arrive meanwhile are answered; a pause stops the run. */
static void run(struct dap *d, const char *command, const char *reason)
{
	struct session *s = d->front.s;
	struct text said = {0};
	bool pause = false;

	for (;;) {
		struct arena a = {0};
		const struct json *q;

		s->input = d->r->in;
		say(d, command);
		s->input = -1;
		if (s->at.reason != REASON_INTERRUPTED || d->front.lost) {
			text_puts(&said, s->captured);
			break;
		}
		q = next_message(d, &a);
		pause = q && is_word(q, "pause");
		if (pause)
			respond(d, q, "{}", NULL);
		else if (q)
			handle(d, q);
		else
			d->ended = true;
		arena_free(&a);
		if (pause || d->ended)
			break;
	}
	if (!d->ended)
		tell_stopped(d,
			pause                                ? "pause"
				: s->at.reason == REASON_HIT ? "breakpoint"
							     : reason,
			text_str(&said));
	text_free(&said);
}

/* --- breakpoints --- */

static struct stop_set *set_of(struct dap *d, const char *source)
{
	for (uint32_t k = 0; k < d->nsets; k++)
		if (strcmp(d->set[k].source, source) == 0)
			return &d->set[k];
	if (d->nsets == sizeof d->set / sizeof d->set[0])
		d->nsets--;
	struct stop_set *set = &d->set[d->nsets++];

	*set = (struct stop_set){.n = 0};
	strncpy(set->source, source, sizeof set->source - 1);
	return set;
}

static void forget_stops(struct dap *d, struct stop_set *set)
{
	for (uint32_t k = 0; k < set->n; k++) {
		struct text t = {0};

		text_printf(&t, "delete %u", set->number[k]);
		say(d, text_str(&t));
		text_free(&t);
	}
	set->n = 0;
}

/* Adds a stop by LINE, and what the protocol says about it to OUT. */
static void add_stop(struct dap *d, struct stop_set *set, const char *line, struct text *out)
{
	const char *said = set->n < NUMBERS ? say(d, line) : "there are too many stops";
	bool ok = set->n < NUMBERS && !d->front.s->failed;

	if (ok)
		set->number[set->n++] = d->front.s->numbers;
	text_printf(out, "%s{\"verified\": %s", out->data[out->len - 1] == '[' ? "" : ", ",
		ok ? "true" : "false");
	if (ok)
		text_printf(out, ", \"id\": %u", d->front.s->numbers);
	text_puts(out, ", \"message\": ");
	json_string(out, said);
	text_putc(out, '}');
}

/* setBreakpoints, setFunctionBreakpoints, setDataBreakpoints: WHICH member names the place. */
static void set_stops(struct dap *d, const struct json *q, const char *which)
{
	const struct json *arguments = json_member(q, "arguments"),
			  *list = json_member(arguments, "breakpoints");
	const char *path = json_text(json_member(arguments, "source"), "path"),
		   *base = strrchr(path, '/');
	struct stop_set *set = set_of(d, *path ? path : which);
	struct text body = {0}, line = {0};

	forget_stops(d, set);
	text_puts(&body, "{\"breakpoints\": [");
	for (const struct json *b = list ? list->first : NULL; b; b = b->next) {
		const char *access = json_text(b, "accessType");

		text_clear(&line);
		if (strcmp(which, "line") == 0 && strcmp(path, d->program) == 0)
			text_printf(&line, "break %d", (int)json_number(b, "line"));
		else if (strcmp(which, "line") == 0)
			text_printf(&line, "break %s:%d", base ? base + 1 : path,
				(int)json_number(b, "line"));
		else
			text_printf(&line, "%s %s",
				strcmp(which, "dataId") != 0               ? "break"
					: strcmp(access, "read") == 0      ? "rwatch"
					: strcmp(access, "readWrite") == 0 ? "awatch"
									   : "watch",
				json_text(b, which));
		add_stop(d, set, text_str(&line), &body);
	}
	text_puts(&body, "]}");
	respond(d, q, text_str(&body), NULL);
	text_free(&body);
	text_free(&line);
}

static void set_findings(struct dap *d, const struct json *q)
{
	const struct json *filters = json_member(json_member(q, "arguments"), "filters");
	struct stop_set *set = set_of(d, "findings");

	forget_stops(d, set);
	if (filters && filters->first) {
		say(d, "break finding");
		set->number[set->n++] = d->front.s->numbers;
	}
	respond(d, q, "{}", NULL);
}

/* Whether NAME can be watched. */
static void data_info(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	const char *name = json_text(arguments, "name");
	struct text body = {0}, line = {0};

	text_printf(&line, "print %s", name);
	say(d, text_str(&line));
	if (name[0] == '%' || d->front.s->failed) {
		text_puts(&body, "{\"dataId\": null, \"description\": \"this cannot be watched\"}");
	} else {
		text_puts(&body, "{\"dataId\": ");
		json_string(&body, name);
		text_puts(&body, ", \"description\": ");
		json_string(&body, name);
		text_puts(&body, ", \"accessTypes\": [\"read\", \"write\", \"readWrite\"]}");
	}
	respond(d, q, text_str(&body), NULL);
	text_free(&body);
	text_free(&line);
}

/* --- what a stopped program looks like --- */

/* The lines of "protocol threads": launch, CTA, warp, text. */
static void show_threads(struct dap *d, const struct json *q)
{
	const char *line = say(d, "protocol threads");
	struct text body = {0};
	unsigned launch, warp;
	unsigned long long cta;
	int at;

	text_puts(&body, "{\"threads\": [");
	for (bool any = false; *line; any = true) {
		size_t n = strcspn(line, "\n");

		if (sscanf(line, "%u %llu %u %n", &launch, &cta, &warp, &at) < 3)
			break;
		text_printf(&body, "%s{\"id\": %d, \"name\": ", any ? ", " : "",
			thread_id(&(struct turn){.launch = launch, .cta = cta, .warp = warp}));
		text_json(&body, line + at, n - (size_t)at);
		text_putc(&body, '}');
		line += n + (line[n] == '\n');
	}
	text_puts(&body, "]}");
	respond(d, q, text_str(&body), NULL);
	text_free(&body);
}

/* Appends the path of a source file: FILE itself, or beside the program. */
static void add_path(const struct dap *d, const char *file, struct text *out)
{
	const char *slash = strrchr(d->program, '/');
	struct text path = {0};

	if (*file != '/' && slash)
		text_add(&path, d->program, (size_t)(slash - d->program) + 1);
	text_puts(&path, file);
	json_string(out, access(text_str(&path), R_OK) == 0 ? text_str(&path) : file);
	text_free(&path);
}

/* The lines of "protocol stack": line of the PTX, line of the source or 0, its file or -, function.
 */
static void show_stack(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	struct text body = {0};
	unsigned ptx, from, count = 0;
	char file[LINE];
	int at;

	focus(d, json_number(arguments, "threadId"));
	text_puts(&body, "{\"stackFrames\": [");
	for (const char *line = say(d, "protocol stack"); *line; count++) {
		size_t n = strcspn(line, "\n");

		if (sscanf(line, "%u\t%u\t%1000[^\t\n]\t%n", &ptx, &from, file, &at) < 3)
			break;
		text_printf(&body, "%s{\"id\": %u, \"name\": ", count ? ", " : "",
			(unsigned)json_number(arguments, "threadId") * 64 + count % 64);
		text_json(&body, line + at, n - (size_t)at);
		text_printf(&body, ", \"line\": %u, \"column\": 0, \"source\": {\"name\": ",
			from ? from : ptx);
		json_string(&body, from ? file : d->program);
		text_puts(&body, ", \"path\": ");
		if (from)
			add_path(d, file, &body);
		else
			json_string(&body, d->program);
		text_puts(&body, "}}");
		line += n + (line[n] == '\n');
	}
	text_printf(&body, "], \"totalFrames\": %u}", count);
	respond(d, q, text_str(&body), NULL);
	text_free(&body);
}

static void show_scopes(struct dap *d, const struct json *q)
{
	focus(d, json_number(json_member(q, "arguments"), "frameId") / 64);
	respond(d, q,
		"{\"scopes\": [{\"name\": \"Registers\", \"presentationHint\": \"registers\", \"variablesReference\": 1, \"expensive\": false}, "
		"{\"name\": \"Memory\", \"variablesReference\": 2, \"expensive\": false}]}",
		NULL);
}

/* Appends the variables of lines "NAME[0..31] = VALUES", which spaces continue. */
static void add_variables(struct text *body, const char *line)
{
	while (*line) {
		size_t n = strcspn(line, "\n"), name = strcspn(line, " ["), equals;
		const char *eq = strstr(line, " = ");
		struct text value = {0};

		equals = eq && eq < line + n ? (size_t)(eq - line) + 3 : n;
		text_add(&value, line + equals, n - equals);
		while (line[n] == '\n' && line[n + 1] == ' ') { /* "     [31] 31 32" */
			const char *next = line + n + 1;
			size_t skip = strspn(next, " ");

			n += 1 + strcspn(next, "\n");
			if (next[skip] == '[')
				skip += strcspn(next + skip, "]") + 1;
			text_add(&value, next + skip, (size_t)(line + n - (next + skip)));
		}
		text_printf(body, "%s{\"name\": ", body->data[body->len - 1] == '[' ? "" : ", ");
		text_json(body, line, name);
		text_puts(body, ", \"value\": ");
		text_json(body, text_str(&value), value.len);
		text_puts(body, ", \"evaluateName\": ");
		text_json(body, line, name);
		text_puts(body, ", \"variablesReference\": 0}");
		text_free(&value);
		line += n + (line[n] == '\n');
	}
}

static void show_variables(struct dap *d, const struct json *q)
{
	double which = json_number(json_member(q, "arguments"), "variablesReference");
	struct text body = {0};

	text_puts(&body, "{\"variables\": [");
	if (which == REGISTERS) {
		const char *said = say(d, "info registers");

		if (!d->front.s->failed)
			add_variables(&body, said);
	} else if (which == MEMORY) {
		for (uint32_t k = 0; k < d->debug.in->nobjects; k++) {
			struct text line = {0};
			const char *said;

			text_printf(&line, "print %s", d->debug.in->object[k].name);
			said = say(d, text_str(&line));
			if (!d->front.s->failed)
				add_variables(&body, said);
			text_free(&line);
		}
	}
	text_puts(&body, "]}");
	respond(d, q, text_str(&body), NULL);
	text_free(&body);
}

/* In the console any command, elsewhere a register or memory. */
static void evaluate(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	bool console = strcmp(json_text(arguments, "context"), "repl") == 0;
	const struct session *s = d->front.s;
	uint64_t step = s->at.step;
	struct text line = {0}, body = {0};

	text_printf(&line, "%s%s", console ? "" : "print ", json_text(arguments, "expression"));
	say(d, text_str(&line));
	text_puts(&body, "{\"result\": ");
	json_string(&body, s->captured);
	text_puts(&body, ", \"variablesReference\": 0}");
	if (console || !s->failed)
		respond(d, q, text_str(&body), NULL);
	else
		respond(d, q, NULL, s->captured);
	if (console && s->at.step != step)
		tell_stopped(d, "step", "");
	if (d->front.quit) {
		event(d, "terminated", "{}");
		d->ended = true;
	}
	text_free(&line);
	text_free(&body);
}

/* --- requests --- */

static void launch(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	const char *path = json_text(arguments, "program");
	struct text why = {0};

	if (d->running)
		text_puts(&why, "a program is being debugged already");
	else if (strlen(path) >= sizeof d->program || !*path)
		text_puts(&why, "launch takes \"program\": the path of a .ptx file");
	else if (d->r->load(d->r->self, path, json_text(arguments, "case"), &d->debug, &why)) {
		strcpy(d->program, path);
		d->debug.out = d->r->out;
		d->debug.self = d->r->self;
		d->running = front_begin(&d->front, &d->debug);
		if (!d->running) {
			front_end(&d->front);
			text_puts(&why, "no process could be made for the program");
		}
	}
	if (!d->running || why.len) {
		respond(d, q, NULL, text_str(&why));
	} else {
		respond(d, q, "{}", NULL);
		event(d, "initialized", "{}");
	}
	text_free(&why);
}

static const char capabilities[] =
	"{\"supportsConfigurationDoneRequest\": true, \"supportsStepBack\": true, \"supportsDataBreakpoints\": true, "
	"\"supportsFunctionBreakpoints\": true, \"supportsRestartRequest\": true, \"supportsEvaluateForHovers\": true, "
	"\"supportsTerminateRequest\": true, "
	"\"exceptionBreakpointFilters\": [{\"filter\": \"finding\", \"label\": \"Findings\", \"default\": true}]}";

/* Requests that run the program, and the command that each of them is. */
static const struct {
	const char *request, *command;
} moves[] = {
	{"continue", "continue"},
	{"next", "next"},
	{"stepIn", "step"},
	{"stepOut", "finish"},
	{"stepBack", "reverse-step"},
	{"reverseContinue", "reverse-continue"},
	{"restart", "goto 0"},
};

static bool handle_move(struct dap *d, const struct json *q)
{
	for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++)
		if (is_word(q, moves[k].request)) {
			focus(d, json_number(json_member(q, "arguments"), "threadId"));
			respond(d, q, "{\"allThreadsContinued\": true}", NULL);
			run(d, moves[k].command, "step");
			return true;
		}
	return false;
}

static const struct {
	const char *request;
	void (*answer)(struct dap *d, const struct json *q);
} answers[] = {
	{"setExceptionBreakpoints", set_findings},
	{"dataBreakpointInfo", data_info},
	{"threads", show_threads},
	{"stackTrace", show_stack},
	{"scopes", show_scopes},
	{"variables", show_variables},
	{"evaluate", evaluate},
};

static void handle(struct dap *d, const struct json *q)
{
	if (is_word(q, "initialize")) {
		respond(d, q, capabilities, NULL);
		return;
	}
	if (is_word(q, "launch")) {
		launch(d, q);
		return;
	}
	if (is_word(q, "disconnect") || is_word(q, "terminate")) {
		respond(d, q, "{}", NULL);
		event(d, "terminated", "{}");
		d->ended = true;
		return;
	}
	if (!d->running) {
		respond(d, q, NULL, "nothing is launched yet");
		return;
	}
	for (size_t k = 0; k < sizeof answers / sizeof answers[0]; k++)
		if (is_word(q, answers[k].request)) {
			answers[k].answer(d, q);
			return;
		}
	if (is_word(q, "setBreakpoints"))
		set_stops(d, q, "line");
	else if (is_word(q, "setFunctionBreakpoints"))
		set_stops(d, q, "name");
	else if (is_word(q, "setDataBreakpoints"))
		set_stops(d, q, "dataId");
	else if (is_word(q, "configurationDone")) {
		respond(d, q, "{}", NULL);
		tell_stopped(d, "entry", say(d, "where"));
	} else if (is_word(q, "pause"))
		respond(d, q, "{}", NULL);
	else if (!handle_move(d, q))
		respond(d, q, NULL, "ptxi does not know this request");
}

int dap_serve(const struct dap_request *r)
{
	struct dap *d = memory_zeroed(1, sizeof *d);
	int status = PTXI_OK;

	d->r = r;
	while (!d->ended) {
		struct arena a = {0};
		const struct json *q = next_message(d, &a);

		if (!q)
			d->ended = true;
		else if (strcmp(json_text(q, "type"), "request") == 0)
			handle(d, q);
		arena_free(&a);
		d->ended = d->ended || (d->running && d->front.lost);
	}
	if (d->running && front_end(&d->front) == PTXI_BUG)
		status = PTXI_BUG;
	text_free(&d->heard);
	text_free(&d->out);
	memory_drop(d);
	return status;
}
