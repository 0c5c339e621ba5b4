/* Single events of the trace event format: names of rows, spans, and the ends of arrows. */
#include "trace/trace_chrome.h"
#include <inttypes.h>
#include <string.h>

static void put_time(struct trace *t, const char *key, uint64_t ns)
{
	text_printf(&t->line, ", \"%s\": %" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

void chrome_start(
	struct trace *t, const char *name, char phase, uint64_t time, uint32_t pid, uint32_t row)
{
	text_puts(&t->line, t->chrome->any ? ",\n{\"name\": " : "{\"name\": ");
	t->chrome->any = true;
	text_json(&t->line, name, strlen(name));
	text_printf(&t->line, ", \"ph\": \"%c\"", phase);
	put_time(t, "ts", time);
	text_printf(&t->line, ", \"pid\": %u, \"tid\": %u", pid, row);
}

void chrome_end(struct trace *t) { text_putc(&t->line, '}'); }

void chrome_row(struct trace *t, uint32_t pid, uint32_t row, const char *name)
{
	chrome_start(t, "thread_name", 'M', 0, pid, row);
	text_puts(&t->line, ", \"args\": {\"name\": ");
	text_json(&t->line, name, strlen(name));
	text_puts(&t->line, "}");
	chrome_end(t);
	chrome_start(t, "thread_sort_index", 'M', 0, pid, row);
	text_printf(&t->line, ", \"args\": {\"sort_index\": %u}", row);
	chrome_end(t);
}

void chrome_process(struct trace *t, uint32_t pid, const char *name)
{
	chrome_start(t, "process_name", 'M', 0, pid, 0);
	text_puts(&t->line, ", \"args\": {\"name\": ");
	text_json(&t->line, name, strlen(name));
	text_puts(&t->line, "}");
	chrome_end(t);
	chrome_start(t, "process_sort_index", 'M', 0, pid, 0);
	text_printf(&t->line, ", \"args\": {\"sort_index\": %u}", pid);
	chrome_end(t);
}

void chrome_span(struct trace *t, const char *name, uint64_t from, uint64_t to, uint32_t pid,
	uint32_t row, const char *colour)
{
	chrome_start(t, name, 'X', from, pid, row);
	put_time(t, "dur", to > from ? to - from : 0);
	if (colour)
		text_printf(&t->line, ", \"cname\": \"%s\"", colour);
}

void chrome_arrow_begins(
	struct trace *t, uint64_t id, const char *name, uint64_t time, uint32_t pid, uint32_t row)
{
	chrome_start(t, name, 's', time, pid, row);
	text_printf(&t->line, ", \"cat\": \"sync\", \"id\": %" PRIu64, id);
	chrome_end(t);
}

void chrome_arrow_ends(
	struct trace *t, uint64_t id, const char *name, uint64_t time, uint32_t pid, uint32_t row)
{
	chrome_start(t, name, 'f', time, pid, row);
	text_printf(&t->line, ", \"bp\": \"e\", \"cat\": \"sync\", \"id\": %" PRIu64, id);
	chrome_end(t);
}

void chrome_args(struct trace *t, const struct op *op, uint32_t user_call, uint32_t mask)
{
	size_t n;
	const char *s = trace_opcode(t, op, &n);

	text_puts(&t->line, ", \"args\": {");
	trace_place(t, op, user_call);
	text_puts(&t->line, ", \"instruction\": ");
	text_json(&t->line, s, n);
	text_printf(&t->line, ", \"lanes\": \"0x%08x\"", mask);
}
