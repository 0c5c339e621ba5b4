/* What ends a machine from outside: a deadline, the user, too much printed text. Workers look at the clock inside a slice, so that no instruction is too slow for it. */
#include "interp/limits.h"
#include "base/time.h"
#include "interp/report.h"

void limits_end(struct machine *m, enum diag_code code)
{
	int none = 0;

	atomic_compare_exchange_strong(&m->over, &none, (int)code);
	machine_halt(m, MACHINE_BUDGET);
}

bool limits_reached(struct machine *m)
{
	if (m->options.interrupted && *m->options.interrupted)
		limits_end(m, DIAG_B0005);
	else if (m->options.deadline > 0 && time_now() > m->options.deadline)
		limits_end(m, DIAG_B0002);
	return atomic_load_explicit(&m->stop, memory_order_relaxed) != 0;
}

void limits_report(struct machine *m, struct cta *first, struct source *source, struct span span)
{
	enum diag_code code = (enum diag_code)atomic_exchange(&m->over, 0);
	struct diag *d;

	if (code == DIAG_NONE || atomic_load(&m->stop) != MACHINE_BUDGET + 1)
		return;
	switch ((int)code) {
	case DIAG_B0001: d = diag_report(m->findings, code, source, span, "the limit on warp instructions (--max-steps) was reached before the kernels ended"); break;
	case DIAG_B0002: d = diag_report(m->findings, code, source, span, "the time limit (--timeout) was reached before the kernels ended"); break;
	case DIAG_B0004:
		d = diag_report(m->findings, code, source, span, "the kernels printed more than %llu bytes (--max-output)", (unsigned long long)m->options.max_output);
		break;
	default: d = diag_report(m->findings, code, source, span, "interrupted before the kernels ended"); break;
	}
	if (first)
		report_stopped(m, first, d);
}
