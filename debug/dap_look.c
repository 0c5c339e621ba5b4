/* What a stopped program looks like in the Debug Adapter Protocol: threads, calls, scopes,
 * variables and their children, expressions, instructions. It comes from the lines of the command
 * "protocol". */
#include "debug/dap_look.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 64 /* instructions that are asked for at a time */, MOST_CODE = 4096 };
enum { MOST_SHOWN = 1 << 16 };

/* --- threads and calls --- */

static void show_threads(struct dap *d, const struct json *q)
{
	const char *line = dap_say(d, "protocol threads");
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
			dap_thread(&(struct turn){.launch = launch, .cta = cta, .warp = warp}));
		text_json(&body, line + at, n - (size_t)at);
		text_putc(&body, '}');
		line += n + (line[n] == '\n');
	}
	text_puts(&body, "]}");
	dap_respond(d, q, text_str(&body), NULL);
	text_free(&body);
}

static void show_stack(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	int thread = (int)json_number(arguments, "threadId");
	double start = json_number(arguments, "startFrame"),
	       levels = json_number(arguments, "levels");
	struct text body = {0};
	unsigned count = 0;
	char *field[DAP_FIELDS], room[LINE];

	dap_focus(d, thread);
	text_puts(&body, "{\"stackFrames\": [");
	for (const char *line = dap_say(d, "protocol stack"); dap_fields(&line, field, room);
		count++) {
		if (count < start || (levels > 0 && count >= start + levels))
			continue;
		text_printf(&body,
			"%s{\"id\": %u, \"name\": ", body.data[body.len - 1] == '[' ? "" : ", ",
			dap_frame_id(d, thread, count));
		dap_string(&body, field[4]);
		text_puts(&body, ", ");
		dap_place(d, field, &body);
		text_puts(&body, ", \"instructionPointerReference\": ");
		dap_reference(strtoll(field[0], NULL, 10), &body);
		text_putc(&body, '}');
	}
	text_printf(&body, "], \"totalFrames\": %u}", count);
	dap_respond(d, q, text_str(&body), NULL);
	text_free(&body);
}

/* --- variables --- */

static uint32_t shown_id(struct dap *d, uint32_t frame, const char *command, const char *word)
{
	struct dap_shown s = {.frame = frame, .command = command};

	if (d->shown.count >= MOST_SHOWN)
		return 0;
	if (word) {
		s.word = memory_zeroed(strlen(word) + 1, 1);
		strcpy(s.word, word);
	}
	*vec_push(&d->shown) = s;
	return d->shown.count;
}

static const struct dap_shown *shown(const struct dap *d, double id)
{
	return id >= 1 && id <= d->shown.count ? &d->shown.data[(uint32_t)id - 1] : NULL;
}

static const struct {
	const char *name, *hint, *command;
} scopes[] = {
	{"Registers", "registers", "protocol registers"},
	{"Special registers", NULL, "protocol special"},
	{"Local memory and parameters", "locals", "protocol local"},
	{"Shared memory", NULL, "protocol shared"},
	{"Global memory", NULL, "protocol memory"},
	{"Barriers", NULL, "info barriers"},
};
enum { SCOPES = sizeof scopes / sizeof scopes[0], BARRIERS = SCOPES - 1 };

static void show_scopes(struct dap *d, const struct json *q)
{
	double id = json_number(json_member(q, "arguments"), "frameId");
	struct text body = {0};

	if (!dap_focus_frame(d, id)) {
		dap_respond(d, q, NULL, "there is no such frame");
		return;
	}
	text_puts(&body, "{\"scopes\": [");
	for (unsigned k = 0; k < SCOPES; k++) {
		text_printf(&body, "%s{\"name\": \"%s\", ", k ? ", " : "", scopes[k].name);
		if (scopes[k].hint)
			text_printf(&body, "\"presentationHint\": \"%s\", ", scopes[k].hint);
		text_printf(&body, "\"variablesReference\": %u, \"expensive\": false}",
			shown_id(d, (uint32_t)id, scopes[k].command, NULL));
	}
	text_puts(&body, "]}");
	dap_respond(d, q, text_str(&body), NULL);
	text_free(&body);
}

/* Appends the members of a value: FIELD is a line about it. KEY: its name for "value" ("result" of
 * an evaluation). */
static void add_value(
	struct dap *d, uint32_t frame, char *field[DAP_FIELDS], const char *key, struct text *out)
{
	unsigned long children = strtoul(field[3], NULL, 10);

	text_printf(out, "\"%s\": ", key);
	dap_string(out, field[4]);
	text_puts(out, ", \"type\": ");
	dap_string(out, field[2]);
	text_printf(out, ", \"variablesReference\": %u",
		children ? shown_id(d, frame, NULL, field[1]) : 0u);
	if (children)
		text_printf(out, ", \"indexedVariables\": %lu", children);
}

static void add_variables(struct dap *d, uint32_t frame, const char *line, struct text *body)
{
	char *field[DAP_FIELDS], room[LINE];

	while (dap_fields(&line, field, room)) {
		text_printf(body, "%s{\"name\": ", body->data[body->len - 1] == '[' ? "" : ", ");
		dap_string(body, field[0]);
		text_puts(body, ", ");
		add_value(d, frame, field, "value", body);
		if (*field[1]) {
			text_puts(body, ", \"evaluateName\": ");
			dap_string(body, field[1]);
		}
		text_putc(body, '}');
	}
}

/* "barrier 0: phase 1, ..." */
static void add_barriers(const char *line, struct text *body)
{
	while (*line) {
		size_t n = strcspn(line, "\n");
		const char *colon = strstr(line, ": ");

		if (colon && colon < line + n) {
			text_printf(body,
				"%s{\"name\": ", body->data[body->len - 1] == '[' ? "" : ", ");
			text_json(body, line, (size_t)(colon - line));
			text_puts(body, ", \"value\": ");
			text_json(body, colon + 2, (size_t)(line + n - colon - 2));
			text_puts(body, ", \"variablesReference\": 0}");
		}
		line += n + (line[n] == '\n');
	}
}

static void show_variables(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	const struct dap_shown *s = shown(d, json_number(arguments, "variablesReference"));
	double start = json_number(arguments, "start"), count = json_number(arguments, "count");
	bool named = strcmp(json_text(arguments, "filter"), "named") == 0;
	struct text body = {0}, line = {0};

	if (!s || !dap_focus_frame(d, s->frame)) {
		dap_respond(d, q, NULL, "these variables are no longer there");
		return;
	}
	uint32_t frame = s->frame;

	text_puts(&body, "{\"variables\": [");
	if (s->word && !named) {
		text_printf(&line, "protocol children %s %.0f %.0f", s->word,
			start > 0 && start < 1e15 ? start : 0,
			count > 0 && count < 1e9 ? count : 1e9);
		add_variables(d, frame, dap_say(d, text_str(&line)), &body);
	} else if (!s->word && strcmp(s->command, scopes[BARRIERS].command) == 0) {
		add_barriers(dap_say(d, s->command), &body);
	} else if (!s->word && strcmp(json_text(arguments, "filter"), "indexed") != 0) {
		add_variables(d, frame, dap_say(d, s->command), &body);
	}
	text_puts(&body, "]}");
	dap_respond(d, q, text_str(&body), NULL);
	text_free(&body);
	text_free(&line);
}

/* Whether NAME can be watched. The identifier of the data says who was in focus, whose shared or
 * local memory it may be. */
static void data_info(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	const struct dap_shown *parent = shown(d, json_number(arguments, "variablesReference"));
	const char *name = json_text(arguments, "name");
	const struct turn *t = &d->front.s->focus;
	struct text body = {0}, line = {0}, word = {0};

	if (parent)
		dap_focus_frame(d, parent->frame);
	else
		dap_focus_frame(d, json_number(arguments, "frameId"));
	if (parent && parent->word && name[0] == '[')
		text_printf(&word, "%.*s", (int)strcspn(parent->word, "["), parent->word);
	else if (parent && parent->word) /* a lane of an element of local memory */
		name = parent->word;
	text_puts(&word, name);
	text_printf(&line, "protocol watches %s", text_str(&word));
	dap_say(d, text_str(&line));
	if (d->front.s->failed) {
		text_puts(&body, "{\"dataId\": null, \"description\": ");
		dap_string(&body, "this cannot be watched: it is no memory that is written");
		text_putc(&body, '}');
	} else {
		text_clear(&line);
		text_printf(&line, "%u %llu %u %s", t->launch, (unsigned long long)t->cta, t->warp,
			text_str(&word));
		text_puts(&body, "{\"dataId\": ");
		dap_string(&body, text_str(&line));
		text_puts(&body, ", \"description\": ");
		dap_string(&body, text_str(&word));
		text_puts(&body, ", \"accessTypes\": [\"read\", \"write\", \"readWrite\"]}");
	}
	dap_respond(d, q, text_str(&body), NULL);
	text_free(&body);
	text_free(&line);
	text_free(&word);
}

/* A register or memory; what is typed into the console and is no command is one, too. */
static void evaluate(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	double frame = json_number(arguments, "frameId");
	bool console = strcmp(json_text(arguments, "context"), "repl") == 0;
	char *field[DAP_FIELDS], room[LINE];
	struct text line = {0}, body = {0}, said = {0};
	const char *answer;

	if (!console || frame != d->console) { /* else the console's commands choose the thread */
		if (!dap_focus_frame(d, frame))
			frame = dap_frame_id(d, dap_thread(&d->front.s->focus), d->front.s->calls);
		if (console)
			d->console = frame;
	}
	if (console)
		text_puts(&said, dap_say(d, json_text(arguments, "expression")));
	if (!console ||
		(d->front.s->failed && strncmp(text_str(&said), "unknown command", 15) == 0)) {
		text_printf(&line, "protocol value %s", json_text(arguments, "expression"));
		answer = dap_say(d, text_str(&line));
		if (!d->front.s->failed && dap_fields(&answer, field, room)) {
			text_putc(&body, '{');
			add_value(d, (uint32_t)frame, field, "result", &body);
			text_putc(&body, '}');
		}
	}
	if (!body.len && console) {
		text_puts(&body, "{\"result\": ");
		dap_string(&body, text_str(&said));
		text_puts(&body, ", \"variablesReference\": 0}");
	}
	if (body.len) {
		dap_respond(d, q, text_str(&body), NULL);
	} else {
		text_clear(&line);
		text_printf(&line, "'%.80s' is no register and no memory here",
			json_text(arguments, "expression"));
		dap_respond(d, q, NULL, text_str(&line));
	}
	text_free(&line);
	text_free(&body);
	text_free(&said);
}

/* --- instructions --- */

static void add_invalid(int64_t insn, struct text *out)
{
	text_puts(out, "{\"address\": ");
	dap_reference(insn, out);
	text_puts(out, ", \"instruction\": \"\", \"presentationHint\": \"invalid\"}");
}

static void add_instruction(
	const struct dap *d, int64_t insn, char *field[DAP_FIELDS], struct text *out)
{
	struct text place = {0};

	text_puts(out, "{\"address\": ");
	dap_reference(insn, out);
	text_puts(out, ", \"instruction\": ");
	dap_string(out, field[5]);
	if (strcmp(field[4], "-") != 0) {
		text_puts(out, ", \"symbol\": ");
		dap_string(out, field[4]);
	}
	dap_place(d, field, &place); /* its source is called "location" here */
	text_printf(out, ", \"location\"%s}", text_str(&place) + strlen("\"source\""));
	text_free(&place);
}

static void disassemble(struct dap *d, const struct json *q)
{
	const struct json *arguments = json_member(q, "arguments");
	double count = json_number(arguments, "instructionCount"),
	       by = json_number(arguments, "instructionOffset");
	int64_t first, n, at;
	char *field[DAP_FIELDS], room[LINE], command[64];
	struct text body = {0};

	if (!dap_instruction(json_text(arguments, "memoryReference"),
		    json_number(arguments, "offset"), &first) ||
		!(by > -DAP_FAR && by < DAP_FAR) || first + (int64_t)by <= -DAP_FAR ||
		!(count >= 0 && count <= MOST_CODE)) {
		dap_respond(d, q, NULL, "there are no instructions");
		return;
	}
	first += (int64_t)by;
	n = (int64_t)count;
	text_puts(&body, "{\"instructions\": [");
	for (at = first; at < 0 && at < first + n; at++) {
		text_puts(&body, at > first ? ", " : "");
		add_invalid(at, &body);
	}
	while (at < first + n) {
		int64_t before = at, most = first + n - at < PART ? first + n - at : PART;

		snprintf(command, sizeof command, "protocol code %lld %lld", (long long)at,
			(long long)most);
		for (const char *line = dap_say(d, command); dap_fields(&line, field, room); at++) {
			text_puts(&body, at > first ? ", " : "");
			add_instruction(d, at, field, &body);
		}
		if (at == before) /* the code ends */
			break;
	}
	for (; at < first + n; at++) {
		text_puts(&body, at > first ? ", " : "");
		add_invalid(at, &body);
	}
	text_puts(&body, "]}");
	dap_respond(d, q, text_str(&body), NULL);
	text_free(&body);
}

/* --- requests --- */

static const struct {
	const char *request;
	void (*answer)(struct dap *d, const struct json *q);
} answers[] = {
	{"dataBreakpointInfo", data_info},
	{"threads", show_threads},
	{"stackTrace", show_stack},
	{"scopes", show_scopes},
	{"variables", show_variables},
	{"evaluate", evaluate},
	{"disassemble", disassemble},
};

bool dap_look(struct dap *d, const struct json *q)
{
	for (size_t k = 0; k < sizeof answers / sizeof answers[0]; k++)
		if (strcmp(json_text(q, "command"), answers[k].request) == 0) {
			answers[k].answer(d, q);
			return true;
		}
	return false;
}
