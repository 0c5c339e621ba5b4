/* What a conversation in the Debug Adapter Protocol is made of: messages that are sent, commands of
 * the debugger whose text is captured, and what the protocol numbers: threads, calls,
 * instructions. */
#include "debug/conversation.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	WARP_BITS = 5, /* a thread's number: 1 + warp, CTA, launch */
	CTA_BITS = 24
};
/* Where instruction 0 is, as the protocol wants addresses; there is room before it. */
enum { CODE_BASE = 0x10000000, CODE_STEP = 16 };

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

void dap_string(struct text *out, const char *s) { text_json(out, s, strlen(s)); }

/* An event; BODY is a JSON object. */
void dap_event(struct dap *d, const char *name, const char *body)
{
	text_printf(&d->out, "{\"seq\": %d, \"type\": \"event\", \"event\": \"%s\", \"body\": %s}",
		++d->sequence, name, body);
	send(d);
}

/* The response to Q; BODY NULL: it failed, and WHY says why. */
void dap_respond(struct dap *d, const struct json *q, const char *body, const char *why)
{
	text_printf(&d->out,
		"{\"seq\": %d, \"type\": \"response\", \"request_seq\": %d, \"success\": %s, \"command\": ",
		++d->sequence, (int)json_number(q, "seq"), body ? "true" : "false");
	dap_string(&d->out, json_text(q, "command"));
	if (body)
		text_printf(&d->out, ", \"body\": %s}", body);
	else {
		text_puts(&d->out, ", \"message\": ");
		dap_string(&d->out, why);
		text_putc(&d->out, '}');
	}
	send(d);
}

/* --- commands --- */

const char *dap_capture(struct dap *d, void (*command)(struct front *f))
{
	struct session *s = d->front.s;

	s->captures = true;
	s->ncaptured = 0;
	s->captured[0] = 0;
	command(&d->front);
	while (s->ncaptured && s->captured[s->ncaptured - 1] == '\n')
		s->captured[--s->ncaptured] = 0;
	return s->captured;
}

static void nothing(struct front *f) { (void)f; }

const char *dap_say(struct dap *d, const char *line)
{
	struct session *s = d->front.s;

	dap_capture(d, nothing);
	front_execute(&d->front, line);
	while (s->ncaptured && s->captured[s->ncaptured - 1] == '\n')
		s->captured[--s->ncaptured] = 0;
	return s->captured;
}

int dap_thread(const struct turn *t)
{
	uint64_t id = ((uint64_t)(t->launch & 1) << CTA_BITS | (t->cta & ((1 << CTA_BITS) - 1)))
			<< WARP_BITS |
		t->warp;

	return (int)id + 1;
}

/* A thread's number has one bit of its launch: of two that run, the debugger knows one. */
void dap_focus(struct dap *d, double id)
{
	struct session *s = d->front.s;
	uint64_t n = id >= 1 && id < 2e9 ? (uint64_t)id - 1 : 0;
	uint64_t cta = n >> WARP_BITS & ((1 << CTA_BITS) - 1);
	uint32_t warp = (uint32_t)n & ((1 << WARP_BITS) - 1),
		 odd = (uint32_t)(n >> (WARP_BITS + CTA_BITS)) & 1;
	uint32_t launch = s->focus.launch;
	struct text t = {0};

	if ((launch & 1) != odd)
		launch = (s->at.here.launch & 1) == odd ? s->at.here.launch : launch ^ 1;
	if (id < 1 || (s->focus.launch == launch && s->focus.warp == warp && s->focus.cta == cta))
		return;
	text_printf(&t, "launch %u cta %llu warp %u", launch, (unsigned long long)cta, warp);
	dap_say(d, text_str(&t));
	text_free(&t);
}

void dap_forget(struct dap *d)
{
	for (uint32_t k = 0; k < d->shown.count; k++)
		memory_drop(d->shown.data[k].word);
	d->shown.count = d->frame.count = 0;
	d->console = 0;
}

bool dap_fields(const char **lines, char *field[DAP_FIELDS], char room[LINE])
{
	size_t n = strcspn(*lines, "\n");

	if (!**lines)
		return false;
	snprintf(room, LINE, "%.*s", (int)n, *lines);
	*lines += n + ((*lines)[n] == '\n');
	for (unsigned k = 0; k < DAP_FIELDS; k++) {
		field[k] = room;
		room += strcspn(room, "\t");
		if (*room)
			*room++ = 0;
	}
	return true;
}

uint32_t dap_frame_id(struct dap *d, int thread, uint32_t call)
{
	for (uint32_t k = 0; k < d->frame.count; k++)
		if (d->frame.data[k].thread == thread && d->frame.data[k].call == call)
			return k + 1;
	*vec_push(&d->frame) = (struct dap_frame){thread, call};
	return d->frame.count;
}

bool dap_focus_frame(struct dap *d, double id)
{
	const struct dap_frame *f;
	char line[32];

	if (!(id >= 1 && id <= d->frame.count))
		return false;
	f = &d->frame.data[(uint32_t)id - 1];
	dap_focus(d, f->thread);
	if (d->front.s->calls != f->call) {
		snprintf(line, sizeof line, "frame %u", f->call);
		dap_say(d, line);
	}
	return true;
}

/* --- places --- */

void dap_reference(int64_t insn, struct text *out)
{
	text_printf(out, "\"0x%llx\"", (long long)(CODE_BASE + CODE_STEP * insn));
}

bool dap_instruction(const char *reference, double offset, int64_t *insn)
{
	char *end;
	long long at = strtoll(reference, &end, 0);

	if (end == reference || *end || !(offset > -1e9 && offset < 1e9))
		return false;
	at += (long long)offset;
	*insn = at / CODE_STEP - CODE_BASE / CODE_STEP;
	return at % CODE_STEP == 0 && *insn > -DAP_FAR && *insn < INT32_MAX;
}

/* Appends the path of a source file: FILE itself, or beside the program. */
static void add_path(const struct dap *d, const char *file, struct text *out)
{
	const char *slash = strrchr(d->program, '/');
	struct text path = {0};

	if (*file != '/' && slash)
		text_add(&path, d->program, (size_t)(slash - d->program) + 1);
	text_puts(&path, file);
	dap_string(out, access(text_str(&path), R_OK) == 0 ? text_str(&path) : file);
	text_free(&path);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool dap_is_cuda(const struct dap *d)
{
	size_t n = strlen(d->program);

	return n > 3 && strcmp(d->program + n - 3, ".cu") == 0;
}

void dap_place(const struct dap *d, char *field[DAP_FIELDS], struct text *out)
{
	int ptx = atoi(field[1]), from = atoi(field[2]);
	const char *file = from ? field[3] : d->program;

	text_puts(out, "\"source\": {\"name\": ");
	dap_string(out, from || !dap_is_cuda(d) ? base_of(file) : "PTX");
	if (from) {
		text_puts(out, ", \"path\": ");
		add_path(d, file, out);
	} else if (!dap_is_cuda(d)) { /* the PTX of a CUDA source is in no file */
		text_puts(out, ", \"path\": ");
		dap_string(out, file);
	}
	text_printf(out, "}, \"line\": %d, \"column\": %d", (from ? from : ptx) - 1 + d->line_base,
		d->column_base);
}
