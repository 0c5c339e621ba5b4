/* Faults and findings as records: what happened, in which thread, CTA and kernel, through which
 * calls. The first fault stops the machine. */
#include "interp/state/where.h"
#include <stdarg.h>

static void fault_note_calls(struct machine *m, struct diag *r, const struct frame *f)
{
	unsigned shown = 0, hidden = 0;

	r->label[0].call = where_call(m, f->user_call);
	for (; f->caller; f = f->caller) {
		const struct op *call = &f->caller->code->op[f->call_pc];
		const struct ir_module *ir = m->module;

		if (shown == 4) {
			hidden++;
			continue;
		}
		shown++;
		diag_note(m->findings, r, "'%s' was called at %s",
			symbol_shown(&ir->symbols, ir->func[f->code->func].name),
			where_line(m, call->insn).text);
	}
	if (hidden)
		diag_note(m->findings, r, "and %u more call%s", hidden, hidden == 1 ? "" : "s");
}

void machine_halt(struct machine *m, enum machine_status status)
{
	int none = 0;

	atomic_compare_exchange_strong(&m->stop, &none, (int)status + 1);
}

static enum machine_status status_of(enum diag_code code)
{
	switch (diag_code_info(code).code[0]) {
	case 'D': return MACHINE_DEADLOCK;
	case 'U': return MACHINE_UNSUPPORTED;
	default: return MACHINE_FAULT;
	}
}

static struct diag *fault_record(struct warp *w, const struct op *op, unsigned lane,
	enum diag_code code, const char *fmt, va_list ap)
{
	struct machine *m = w->machine;
	struct text text = {0};
	struct diag *r;

	text_vprintf(&text, fmt, ap);
	r = diag_report(m->findings, code, m->module->source, m->module->insn[op->insn].span, "%s",
		text_str(&text));
	text_free(&text);
	where_thread(m, r, w, lane);
	fault_note_calls(m, r, w->frame);
	return r;
}

struct diag *fault_begin(struct warp *w, const struct op *op, unsigned lane, enum diag_code code,
	const char *fmt, ...)
{
	struct machine *m = w->machine;
	struct diag *r;
	va_list ap;

	lock_take(&m->fault_lock);
	if (atomic_load(&m->stop)) {
		lock_give(&m->fault_lock);
		return NULL;
	}
	va_start(ap, fmt);
	r = fault_record(w, op, lane, code, fmt, ap);
	va_end(ap);
	machine_halt(m, status_of(code));
	return r;
}

void fault_end(struct warp *w) { lock_give(&w->machine->fault_lock); }

enum flow fault(struct warp *w, const struct op *op, unsigned lane, enum diag_code code,
	const char *fmt, ...)
{
	struct text text = {0};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&text, fmt, ap);
	va_end(ap);
	if (fault_begin(w, op, lane, code, "%s", text_str(&text)))
		fault_end(w);
	text_free(&text);
	return FLOW_STOP;
}

struct diag *finding(struct warp *w, const struct op *op, unsigned lane, enum diag_code code,
	const char *fmt, ...)
{
	struct machine *m = w->machine;
	struct span at = m->module->insn[op->insn].span;
	struct diag *d;
	va_list ap;

	lock_take(&m->fault_lock);
	for (struct diag *r = m->findings->first; r; r = r->next)
		if (r->code == code && r->nlabels && r->label[0].given == m->module->source &&
			r->label[0].given_off == at.off) {
			r->count++;
			lock_give(&m->fault_lock);
			return r;
		}
	va_start(ap, fmt);
	d = fault_record(w, op, lane, code, fmt, ap);
	va_end(ap);
	lock_give(&m->fault_lock);
	return d;
}
