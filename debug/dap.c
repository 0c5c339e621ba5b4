/* The Debug Adapter Protocol. What an editor asks becomes commands of the debugger, whose text is
 * captured; what it shows of threads, calls and variables is read from that text. */
#include "debug/conversation.h"
#include "debug/dap_look.h"
#include <errno.h>
#include <ptxi/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum {
	HEADER = 1024,     /* bytes of a message's header, at most */
	MESSAGE = 4 << 20, /* bytes of a message, at most */
};

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

/* --- stopping --- */

static void tell_output(struct dap *d, const char *said)
{
	struct text t = {0};

	if (!*said)
		return;
	text_puts(&t, "{\"category\": \"console\", \"output\": ");
	if (said[strlen(said) - 1] == '\n') {
		dap_string(&t, said);
	} else {
		struct text line = {0};

		text_printf(&line, "%s\n", said);
		dap_string(&t, text_str(&line));
		text_free(&line);
	}
	text_puts(&t, "}");
	dap_event(d, "output", text_str(&t));
	text_free(&t);
}

static void tell_stopped(struct dap *d, const char *reason, const char *said)
{
	const struct session *s = d->front.s;
	struct text t = {0};

	tell_output(d, said);
	text_printf(&t,
		"{\"reason\": \"%s\", \"threadId\": %d, \"allThreadsStopped\": true, \"description\": ",
		reason, dap_thread(&s->focus));
	if (d->finding[0]) {
		text_json(&t, d->finding, strcspn(d->finding, " :"));
		text_puts(&t, ", \"text\": ");
		dap_string(&t, d->finding);
	} else {
		text_printf(&t, "\"step %llu%s\"", (unsigned long long)s->at.step,
			s->at.ended ? ", the end of the run" : "");
	}
	if (s->told.any && s->told.stop)
		text_printf(&t, ", \"hitBreakpointIds\": [%u]", s->told.stop);
	text_putc(&t, '}');
	dap_event(d, "stopped", text_str(&t));
	text_free(&t);
}

static bool is_word(const struct json *q, const char *word)
{
	return strcmp(json_text(q, "command"), word) == 0;
}

static void handle(struct dap *d, const struct json *q);

/* Why the program has stopped, in the protocol's words; REASON if for no stop. */
static const char *reason_of(struct dap *d, const char *reason)
{
	const struct hit *h = &d->front.s->told;

	d->finding[0] = 0;
	if (!h->any)
		return reason;
	for (uint32_t k = 0; k < d->nsets; k++)
		for (uint32_t i = 0; i < d->set[k].n; i++) {
			const char *kind = d->set[k].source;

			if (d->set[k].number[i] != h->stop)
				continue;
			if (strcmp(kind, "findings") == 0) {
				strcpy(d->finding, h->text);
				return "exception";
			}
			if (strcmp(kind, "name") == 0)
				return "function breakpoint";
			if (strcmp(kind, "dataId") == 0)
				return "data breakpoint";
			if (strcmp(kind, "instructionReference") == 0)
				return "instruction breakpoint";
		}
	return "breakpoint";
}

/* Answers the message that has interrupted the run. False: it ends the run. */
static bool answer_meanwhile(struct dap *d, bool *pause)
{
	struct session *s = d->front.s;
	struct turn focus = s->focus;
	uint32_t calls = s->calls;
	struct arena a = {0};
	const struct json *q = next_message(d, &a);

	*pause = q && is_word(q, "pause");
	if (*pause)
		dap_respond(d, q, "{}", NULL);
	else if (q)
		handle(d, q);
	else
		d->ended = true;
	arena_free(&a);
	s->focus = focus; /* whose step it is */
	s->calls = calls;
	return !*pause && !d->ended && !d->terminated;
}

/* Runs COMMAND. Requests that arrive meanwhile are answered; a pause stops the run. TERSE: the
 * editor shows where. */
static void run(struct dap *d, const char *command, const char *reason, bool terse)
{
	struct session *s = d->front.s;
	struct text said = {0};
	bool pause = false, resumable, resumes = false;

	front_runs(command, &resumable);
	d->moving = true;
	dap_forget(d);
	for (;;) {
		bool goes = true;

		while (goes && d->heard.len) /* it came together with the one before */
			goes = answer_meanwhile(d, &pause);
		if (!goes)
			break;
		s->input = d->r->in;
		d->front.resumable = resumable;
		d->front.terse = terse;
		if (resumes)
			dap_capture(d, front_resume);
		else
			dap_say(d, command);
		s->input = -1;
		d->front.resumable = d->front.terse = false;
		bool stopped = s->at.reason != REASON_INTERRUPTED || d->front.lost;

		if (stopped || resumable)
			text_printf(&said, "%s%s", s->captured, *s->captured ? "\n" : "");
		resumes = resumable;
		if (stopped || !answer_meanwhile(d, &pause))
			break;
		d->moving = true;
	}
	d->moving = false;
	if (s->at.reason == REASON_GONE) /* a thread that is no more cannot be selected */
		s->focus = s->at.here;
	if (pause)
		reason = "pause";
	if (!d->ended && !d->terminated && !(d->plain && s->at.ended))
		tell_stopped(d, reason_of(d, reason), text_str(&said));
	else
		tell_output(d, text_str(&said));
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
		dap_say(d, text_str(&t));
		text_free(&t);
	}
	set->n = 0;
}

/* Adds a stop by LINE, and what the protocol says about it to OUT. */
static void add_stop(struct dap *d, struct stop_set *set, const char *line, struct text *out)
{
	const char *said = set->n < DAP_STOPS ? dap_say(d, line) : "there are too many stops";
	bool ok = set->n < DAP_STOPS && !d->front.s->failed;
	char *field[DAP_FIELDS], room[LINE], where[64];

	text_printf(out,
		"%s{\"verified\": %s, \"message\": ", out->data[out->len - 1] == '[' ? "" : ", ",
		ok ? "true" : "false");
	dap_string(out, said);
	if (ok) {
		set->number[set->n++] = d->front.s->numbers;
		text_printf(out, ", \"id\": %u", d->front.s->numbers);
		snprintf(where, sizeof where, "protocol stop %u", d->front.s->numbers);
		said = dap_say(d, where);
		if (dap_fields(&said, field, room)) {
			text_puts(out, ", ");
			dap_place(d, field, out);
			text_puts(out, ", \"instructionReference\": ");
			dap_reference(strtoll(field[0], NULL, 10), out);
		}
	}
	text_putc(out, '}');
}

/* "cta 1 warp 2 lane 3" */
static void add_condition(const struct json *b, struct text *line)
{
	const char *condition = json_text(b, "condition");

	if (*condition)
		text_printf(line, " %s", condition);
}

/* A line of the program or of its source. */
static void ask_line(struct dap *d, const char *path, const struct json *b, struct text *line)
{
	const char *base = strrchr(path, '/');
	int number = (int)json_number(b, "line") + 1 - d->line_base;

	if (strcmp(path, d->program) == 0 && !dap_is_cuda(d))
		text_printf(line, "break %d", number);
	else
		text_printf(line, "break %s:%d", base ? base + 1 : path, number);
}

static void ask_instruction(const struct json *b, struct text *line)
{
	int64_t insn;

	if (dap_instruction(json_text(b, "instructionReference"), json_number(b, "offset"), &insn))
		text_printf(line, "break *%lld", (long long)insn);
	else
		text_puts(line, "break *");
}

/* Memory: "LAUNCH CTA WARP WORD", of which the first three say whose shared or local memory it
 * is. */
static void ask_data(struct dap *d, const struct json *b, struct text *line)
{
	const char *id = json_text(b, "dataId"), *access = json_text(b, "accessType");
	unsigned launch, warp;
	unsigned long long cta;
	char word[LINE] = "";

	if (sscanf(id, "%u %llu %u %1000s", &launch, &cta, &warp, word) == 4) {
		text_printf(line, "launch %u cta %llu warp %u", launch, cta, warp);
		dap_say(d, text_str(line));
		text_clear(line);
	} else {
		snprintf(word, sizeof word, "%s", id);
	}
	text_printf(line, "%s %s",
		strcmp(access, "read") == 0                ? "rwatch"
			: strcmp(access, "readWrite") == 0 ? "awatch"
							   : "watch",
		word);
}

/* setBreakpoints, setFunctionBreakpoints, setDataBreakpoints, setInstructionBreakpoints: WHICH
 * member names the place. */
static void set_stops(struct dap *d, const struct json *q, const char *which)
{
	const struct json *arguments = json_member(q, "arguments"),
			  *list = json_member(arguments, "breakpoints");
	const char *path = json_text(json_member(arguments, "source"), "path");
	struct stop_set *set = set_of(d, *path ? path : which);
	struct turn focus = d->front.s->focus;
	uint32_t calls = d->front.s->calls;
	struct text body = {0}, line = {0};

	forget_stops(d, set);
	text_puts(&body, "{\"breakpoints\": [");
	for (const struct json *b = list ? list->first : NULL; b; b = b->next) {
		text_clear(&line);
		if (strcmp(which, "line") == 0)
			ask_line(d, path, b, &line);
		else if (strcmp(which, "dataId") == 0)
			ask_data(d, b, &line);
		else if (strcmp(which, "instructionReference") == 0)
			ask_instruction(b, &line);
		else
			text_printf(&line, "break %s", json_text(b, "name"));
		add_condition(b, &line);
		add_stop(d, set, text_str(&line), &body);
		d->front.s->focus = focus;
		d->front.s->calls = calls;
	}
	text_puts(&body, "]}");
	dap_respond(d, q, text_str(&body), NULL);
	text_free(&body);
	text_free(&line);
}

static void set_findings(struct dap *d, const struct json *q)
{
	const struct json *filters = json_member(json_member(q, "arguments"), "filters");
	struct stop_set *set = set_of(d, "findings");
	struct text body = {0};

	forget_stops(d, set);
	text_puts(&body, "{\"breakpoints\": [");
	for (const struct json *f = filters ? filters->first : NULL; f; f = f->next)
		add_stop(d, set, "break finding", &body);
	text_puts(&body, "]}");
	dap_respond(d, q, text_str(&body), NULL);
	text_free(&body);
}

/* About the finding for which the program has stopped. */
static void tell_finding(struct dap *d, const struct json *q)
{
	struct text body = {0};
	size_t code = strcspn(d->finding, " :");
	const char *message = d->finding + code;

	if (!d->finding[0]) {
		dap_respond(d, q, NULL, "the program has not stopped for a finding");
		return;
	}
	text_puts(&body, "{\"exceptionId\": ");
	text_json(&body, d->finding, code);
	text_puts(&body, ", \"description\": ");
	message += strncmp(message, " at ", 4) == 0 ? 4 : strspn(message, ": ");
	dap_string(&body, message);
	text_puts(&body, ", \"breakMode\": \"always\", \"details\": {\"message\": ");
	dap_string(&body, dap_say(d, "info findings"));
	text_puts(&body, "}}");
	dap_respond(d, q, text_str(&body), NULL);
	text_free(&body);
}

/* --- requests --- */

static const char capabilities[] =
	"{\"supportsConfigurationDoneRequest\": true, \"supportsStepBack\": true, \"supportsDataBreakpoints\": true, "
	"\"supportsFunctionBreakpoints\": true, \"supportsConditionalBreakpoints\": true, \"supportsInstructionBreakpoints\": true, "
	"\"supportsDisassembleRequest\": true, \"supportsSteppingGranularity\": true, \"supportsRestartRequest\": true, "
	"\"supportsEvaluateForHovers\": true, \"supportsExceptionInfoRequest\": true, \"supportsTerminateRequest\": true, "
	"\"exceptionBreakpointFilters\": [{\"filter\": \"finding\", \"label\": \"Findings\", "
	"\"description\": \"Stops when ptxi reports a data race, a barrier that is used wrongly ...\", \"default\": true}]}";

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
		const struct json *entry = json_member(arguments, "stopOnEntry"),
				  *plain = json_member(arguments, "noDebug");

		d->entry = !entry || entry->truth;
		d->plain = plain && plain->truth;
		d->debug.out = d->r->out;
		d->debug.self = d->r->self;
		d->running = front_begin(&d->front, &d->debug);
		if (!d->running) {
			front_end(&d->front);
			text_puts(&why, "no process could be made for the program");
		}
	}
	if (!d->running || why.len) {
		dap_respond(d, q, NULL, text_str(&why));
	} else {
		dap_respond(d, q, "{}", NULL);
		dap_event(d, "initialized", "{}");
	}
	text_free(&why);
}

/* Requests that run the program, and the command that each of them is, by instruction and by
 * line. */
static const struct {
	const char *request, *command, *line;
} moves[] = {
	{"continue", "continue", NULL},
	{"next", "next", "next line"},
	{"stepIn", "step", "step line"},
	{"stepOut", "finish", NULL},
	{"stepBack", "reverse-step", "reverse-next line"},
	{"reverseContinue", "reverse-continue", NULL},
	{"restart", "goto 0", NULL},
};

/* Whether the focus is at a line of a source that can be shown: a step is a line, unless the client
 * asks for an instruction. */
static bool steps_lines(struct dap *d, const struct json *arguments)
{
	char *field[DAP_FIELDS], room[LINE];
	const char *lines;

	if (strcmp(json_text(arguments, "granularity"), "instruction") == 0)
		return false;
	lines = dap_say(d, "protocol stack");
	return dap_fields(&lines, field, room) && atoi(field[2]) != 0;
}

static bool is_move(const struct json *q)
{
	for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++)
		if (is_word(q, moves[k].request))
			return true;
	return false;
}

static bool handle_move(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");

	for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++)
		if (is_word(q, moves[k].request)) {
			bool again = is_word(q, "restart");

			dap_focus(d, json_number(arguments, "threadId"));
			bool line = moves[k].line && steps_lines(d, arguments);

			dap_respond(d, q, "{\"allThreadsContinued\": true}", NULL);
			run(d, line ? moves[k].line : moves[k].command, again ? "entry" : "step",
				true);
			return true;
		}
	return false;
}

/* A command in the console that runs the program. */
static bool handle_console(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	const char *line = json_text(arguments, "expression");
	struct text t = {0};
	bool resumable;

	if (!is_word(q, "evaluate") || strcmp(json_text(arguments, "context"), "repl") != 0 ||
		!front_runs(line, &resumable))
		return false;
	if (d->moving) {
		dap_respond(d, q, NULL, "the program runs");
		return true;
	}
	if (json_number(arguments, "frameId") != d->console)
		dap_focus_frame(d, json_number(arguments, "frameId"));
	dap_respond(d, q, "{\"result\": \"\", \"variablesReference\": 0}", NULL);
	text_printf(&t, "{\"threadId\": %d, \"allThreadsContinued\": true}",
		dap_thread(&d->front.s->focus));
	dap_event(d, "continued", text_str(&t));
	text_clear(&t);
	text_puts(&t, line); /* the message may be gone when the run ends */
	run(d, text_str(&t), "step", false);
	text_free(&t);
	return true;
}

static const struct {
	const char *request, *which;
} setters[] = {
	{"setBreakpoints", "line"},
	{"setFunctionBreakpoints", "name"},
	{"setDataBreakpoints", "dataId"},
	{"setInstructionBreakpoints", "instructionReference"},
};

/* The program has no more to say to the client. */
static void terminate(struct dap *d)
{
	if (!d->terminated)
		dap_event(d, "terminated", "{}");
	d->terminated = true;
}

/* The client has set its breakpoints. */
static void configured(struct dap *d, const struct json *q)
{
	dap_respond(d, q, "{}", NULL);
	if (d->plain) {
		dap_say(d, "delete");
		run(d, "continue", "step", true);
		if (d->front.s->at.ended)
			terminate(d);
	} else if (d->entry) {
		tell_stopped(d, "entry", "");
	} else {
		run(d, "continue", "step", true);
	}
}

static void handle_session(struct dap *d, const struct json *q)
{
	for (size_t k = 0; k < sizeof setters / sizeof setters[0]; k++)
		if (is_word(q, setters[k].request)) {
			set_stops(d, q, setters[k].which);
			return;
		}
	if (is_word(q, "setExceptionBreakpoints"))
		set_findings(d, q);
	else if (is_word(q, "exceptionInfo"))
		tell_finding(d, q);
	else if (is_word(q, "pause"))
		dap_respond(d, q, "{}", NULL);
	else if (d->moving && (is_word(q, "configurationDone") || is_move(q)))
		dap_respond(d, q, NULL, "the program runs");
	else if (is_word(q, "configurationDone"))
		configured(d, q);
	else if (!handle_console(d, q) && !handle_move(d, q) && !dap_look(d, q))
		dap_respond(d, q, NULL, "ptxi does not know this request");
	if (d->front.quit && !d->ended)
		terminate(d);
}

static void initialize(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments"),
			  *lines = json_member(arguments, "linesStartAt1"),
			  *columns = json_member(arguments, "columnsStartAt1");

	d->line_base = !lines || lines->truth;
	d->column_base = !columns || columns->truth;
	dap_respond(d, q, capabilities, NULL);
}

static void handle(struct dap *d, const struct json *q)
{
	if (is_word(q, "initialize")) {
		initialize(d, q);
	} else if (is_word(q, "launch")) {
		launch(d, q);
	} else if (is_word(q, "terminate")) {
		dap_respond(d, q, "{}", NULL);
		terminate(d);
	} else if (is_word(q, "disconnect")) {
		dap_respond(d, q, "{}", NULL);
		terminate(d);
		d->ended = true;
	} else if (!d->running || d->terminated) {
		dap_respond(
			d, q, NULL, d->running ? "the session is over" : "nothing is launched yet");
	} else {
		handle_session(d, q);
	}
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
	dap_forget(d);
	vec_free(&d->shown);
	vec_free(&d->frame);
	text_free(&d->heard);
	text_free(&d->out);
	memory_drop(d);
	return status;
}
