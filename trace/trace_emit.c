/* Passes an event to the writer for the trace's format, and writes its text to the file. */
#include "trace/trace_state.h"

void trace_put(struct trace *t)
{
	if (t->line.len && fwrite(t->line.data, 1, t->line.len, t->out) != t->line.len)
		t->failed = true;
	text_clear(&t->line);
}

void trace_emit(struct trace *t, const struct trace_event *e)
{
	if (t->format == TRACE_LINES)
		lines_event(t, e);
	else if (t->format == TRACE_CHROME)
		chrome_event(t, e);
	else
		picture_event(t, e);
	trace_put(t);
}
