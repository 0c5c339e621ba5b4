/* Limits that stop a machine. Workers check the deadline within a slice, so that no instruction
 * exceeds it by much. */
#include "interp/state/limits.h"
#include "base/time.h"
#include "interp/state/where.h"

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

void limits_pass_output(struct machine *m, bool all)
{
	const char *text = text_str(&m->output);
	size_t end = m->output.len;

	while (!all && end > m->passed && text[end - 1] != '\n')
		end--;
	if (m->options.print && end > m->passed)
		m->options.print(m->options.print_self, text + m->passed, end - m->passed);
	m->passed = end > m->passed ? end : m->passed;
}
