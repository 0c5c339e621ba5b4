/* Faults and findings as records: what happened, to which thread of which CTA of which kernel, on the way through which calls. The first fault stops the machine. */
#include "interp/state.h"
#include "interp/report.h"
#include <stdarg.h>

const char *report_dim(struct arena *a, const uint32_t v[3], const uint32_t of[3])
{
	if (of[1] == 1 && of[2] == 1)
		return arena_printf(a, "%u", v[0]);
	if (of[2] == 1)
		return arena_printf(a, "(%u, %u)", v[0], v[1]);
	return arena_printf(a, "(%u, %u, %u)", v[0], v[1], v[2]);
}

const char *report_kernel(const struct launch *l, const struct machine *m)
{
	return symbol_text(&m->module->symbols, m->module->func[l->ask.func].name);
}

void report_thread(struct machine *m, struct diag *r, const struct warp *w, unsigned lane)
{
	const struct cta *c = w->cta;
	const struct launch *l = c->launch;
	const uint32_t tid[3] = {w->tid[0][lane], w->tid[1][lane], w->tid[2][lane]};
	struct arena *a = &m->findings->arena;

	r->cta = (int64_t)c->linear;
	r->thread = (int64_t)w->index * LANES + lane;
	diag_note(m->findings, r, "in kernel '%s', CTA %s, thread %s", report_kernel(l, m), report_dim(a, c->ctaid, l->ask.grid), report_dim(a, tid, l->ask.block));
}

static void report_calls(struct machine *m, struct diag *r, const struct frame *f)
{
	unsigned shown = 0, hidden = 0;

	for (; f->caller; f = f->caller) {
		const struct op *call = &f->caller->code->op[f->call_pc];
		const struct ir_module *ir = m->module;
		uint32_t line, column;

		if (shown == 4) {
			hidden++;
			continue;
		}
		shown++;
		source_place(&m->findings->arena, ir->source, ir->insn[call->insn].span.off, &line, &column);
		diag_note(m->findings, r, "'%s' was called at line %u", symbol_text(&ir->symbols, ir->func[f->code->func].name), line);
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
	switch (diag_code_info(code)->code[0]) {
	case 'D':
		return MACHINE_DEADLOCK;
	case 'B':
		return MACHINE_BUDGET;
	case 'U':
		return MACHINE_UNSUPPORTED;
	default:
		return MACHINE_FAULT;
	}
}

static struct diag *record(struct warp *w, const struct op *op, unsigned lane, enum diag_code code, const char *fmt, va_list ap)
{
	struct machine *m = w->machine;
	struct text text = {0};
	struct diag *r;

	text_vprintf(&text, fmt, ap);
	r = diag_report(m->findings, code, m->module->source, m->module->insn[op->insn].span, "%s", text_str(&text));
	text_free(&text);
	report_thread(m, r, w, lane);
	report_calls(m, r, w->frame);
	return r;
}

struct diag *fault_begin(struct warp *w, const struct op *op, unsigned lane, enum diag_code code, const char *fmt, ...)
{
	struct machine *m = w->machine;
	struct diag *r;
	va_list ap;

	pthread_mutex_lock(&m->fault_lock);
	if (atomic_load(&m->stop)) {
		pthread_mutex_unlock(&m->fault_lock);
		return NULL;
	}
	va_start(ap, fmt);
	r = record(w, op, lane, code, fmt, ap);
	va_end(ap);
	machine_halt(m, status_of(code));
	return r;
}

void fault_end(struct warp *w)
{
	pthread_mutex_unlock(&w->machine->fault_lock);
}

enum flow fault(struct warp *w, const struct op *op, unsigned lane, enum diag_code code, const char *fmt, ...)
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

struct diag *finding(struct warp *w, const struct op *op, unsigned lane, enum diag_code code, const char *fmt, ...)
{
	struct machine *m = w->machine;
	struct span at = m->module->insn[op->insn].span;
	struct diag *d;
	va_list ap;

	pthread_mutex_lock(&m->fault_lock);
	for (struct diag *r = m->findings->first; r; r = r->next)
		if (r->code == code && r->nlabels && r->label[0].source == m->module->source && r->label[0].span.off == at.off) {
			r->count++;
			pthread_mutex_unlock(&m->fault_lock);
			return r;
		}
	va_start(ap, fmt);
	d = record(w, op, lane, code, fmt, ap);
	va_end(ap);
	pthread_mutex_unlock(&m->fault_lock);
	return d;
}
