/* Helpers of the writers: names of event kinds and variables, source lines, opcodes, and the state
 * of the machine. */
#include "diag/origin.h"
#include "interp/memory/name.h"
#include "interp/state/where.h"
#include "interp/stuck/report.h"
#include "trace/trace_state.h"
#include <string.h>

const char *const trace_kind_name[] = {
	[TRACE_RUN_BEGINS] = "run begins",
	[TRACE_RUN_ENDS] = "run ends",
	[TRACE_LAUNCH_BEGINS] = "launch begins",
	[TRACE_LAUNCH_ENDS] = "launch ends",
	[TRACE_CTA_BEGINS] = "cta begins",
	[TRACE_CTA_ENDS] = "cta ends",
	[TRACE_EXIT] = "exit",
	[TRACE_INIT] = "init",
	[TRACE_INVAL] = "inval",
	[TRACE_ARRIVE] = "arrive",
	[TRACE_EXPECT_TX] = "expect_tx",
	[TRACE_COMPLETE_TX] = "complete_tx",
	[TRACE_PHASE_FLIPS] = "phase flips",
	[TRACE_WAIT_BEGINS] = "wait begins",
	[TRACE_WAIT_ENDS] = "wait ends",
	[TRACE_WARP_SYNC] = "warp sync",
	[TRACE_FENCE] = "fence",
	[TRACE_PROXY_FENCE] = "proxy fence",
	[TRACE_COPY_ISSUED] = "copy issued",
	[TRACE_COPY_LANDED] = "copy landed",
	[TRACE_COPIES_AWAITED] = "copies awaited",
	[TRACE_ACCESS] = "access",
};

void trace_place(struct trace *t, const struct op *op, uint32_t user_call)
{
	const struct ir_module *m = t->machine->module;
	const struct origin *o = op ? origin_shown(m->source, m->insn[op->insn].span.off,
					      where_call(t->machine, user_call))
				    : NULL;

	text_printf(&t->line, "\"line\": %u", op ? where_ptx_line(t->machine, op->insn) : 0);
	if (!o)
		return;
	text_puts(&t->line, ", \"source\": {\"file\": ");
	text_json(&t->line, o->file->name, strlen(o->file->name));
	text_printf(&t->line, ", \"line\": %u, \"column\": %u}", o->line, o->column);
}

const char *trace_opcode(const struct trace *t, const struct op *op, size_t *len)
{
	const struct ir_module *m = t->machine->module;
	const struct ir_insn *i = &m->insn[op->insn];
	uint32_t off = i->span.off;
	const struct source *source = source_part(m->source, &off);
	const char *s = source->text, *end = s + source->len, *at = s + off;

	*len = 0;
	if (off >= source->len) { /* an object file, which has no source */
		s = opcode_text((enum opcode)ir_form(i)->opcode);
		*len = strlen(s);
		return s;
	}
	if (*at == '@') { /* the guard */
		while (at<end && * at> ' ')
			at++;
		while (at < end && (unsigned char)(*at - 1) < ' ')
			at++;
	}
	while (at + *len < end && (unsigned char)at[*len] > ' ' && at[*len] != ';')
		++*len;
	return at;
}

void trace_variable(
	const struct trace *t, const struct trace_cta *c, uint32_t offset, struct text *out)
{
	if (!name_shared(t->machine, c->launch, offset, 8, out))
		text_printf(out, "0x%x", offset);
}

const char *trace_outcome_of(const struct machine *m)
{
	static const char *const name[] = {
		[MACHINE_DONE] = "done",
		[MACHINE_FAULT] = "fault",
		[MACHINE_DEADLOCK] = "deadlock",
		[MACHINE_BUDGET] = "budget",
		[MACHINE_UNSUPPORTED] = "unsupported",
	};
	int stop = atomic_load(&m->stop);

	return name[stop ? stop - 1 : MACHINE_DONE];
}
