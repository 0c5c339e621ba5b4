/* Writes a litmus test in LISA, the language that herd7 reads for user-defined models
 * (model/ptx.bell, model/ptx.cat): lisa FILE.litmus. If LISA cannot express the test, prints a line
 * "SKIP why", status 3. */
#include "base/text.h"
#include "diag/diag.h"
#include "parser/litmus.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH = 900, ROWS = 256, PHASES = 8, LARGEST = 1 << 20 };

struct lisa {
	const struct litmus_test *test;
	struct text out, cell[ROWS]; /* the cells: of the current thread */
	uint32_t rows, scratch, phase;
	jmp_buf impossible;
};

static _Noreturn void lisa_skip(struct lisa *l, const char *why)
{
	printf("SKIP %s\n", why);
	longjmp(l->impossible, 1);
}

static struct text *lisa_row(struct lisa *l)
{
	if (l->rows == ROWS)
		lisa_skip(l, "too long");
	return &l->cell[l->rows++];
}

static const char *order_word(uint8_t sem)
{
	return (const char *const[]){"weak", "relaxed", "acquire", "release", "acq_rel", "sc"}[sem];
}
static const char *scope_of(const struct litmus_insn *in)
{
	return in->sem == LITMUS_WEAK
		? "cta"
		: (const char *const[]){"cta", "cluster", "gpu", "sys"}[in->scope];
}

static void value(
	struct lisa *l, const struct litmus_thread *t, const struct litmus_value *v, char out[32])
{
	if (!v->is_register && v->value < 0)
		lisa_skip(l, "a negative constant");
	if (v->is_register)
		snprintf(out, 32, "%s", t->reg[v->index]);
	else
		snprintf(out, 32, "%lld", (long long)v->value);
}

static const char *lisa_operation(struct lisa *l, uint8_t alu)
{
	switch (alu) {
	case LITMUS_ADD: return "add";
	case LITMUS_AND: return "and";
	case LITMUS_XOR: return "xor";
	default: lisa_skip(l, "an operation that LISA lacks");
	}
}

static void lisa_atom(struct lisa *l, const struct litmus_thread *t, const struct litmus_insn *in)
{
	bool red = in->op == LITMUS_RED;
	char operand[32], dst[32];

	value(l, t, &in->a, operand);
	if (red)
		snprintf(dst, sizeof dst, "r%u", SCRATCH + l->scratch++);
	else
		snprintf(dst, sizeof dst, "%s", t->reg[in->dst]);
	/* in LISA the destination stands for the value read */
	if (in->a.is_register && !red && in->a.index == in->dst) {
		struct text *row = lisa_row(l);
		char copy[32];
		snprintf(copy, sizeof copy, "r%u", SCRATCH + l->scratch++);
		text_printf(row, "mov %s %s", copy, operand);
		memcpy(operand, copy, sizeof operand);
	}
	struct text *row = lisa_row(l);
	text_printf(row, "rmw[%s,%s,%s] %s ", order_word(in->sem), scope_of(in),
		red ? "red" : "atom", dst);
	if (in->alu == LITMUS_EXCH)
		text_puts(row, operand);
	else
		text_printf(row, "(%s %s %s)", lisa_operation(l, in->alu), dst, operand);
	text_printf(row, " %s", l->test->location[in->location].name);
}

static void lisa_branch(struct lisa *l, const struct litmus_thread *t, const struct litmus_insn *in,
	const char *label)
{
	char a[32], b[32];
	uint32_t taken = SCRATCH + l->scratch++;

	if (in->alu != LITMUS_EQ && in->alu != LITMUS_NE)
		lisa_skip(l, "a comparison that LISA lacks");
	value(l, t, &in->a, a);
	value(l, t, &in->b, b);
	text_printf(lisa_row(l), "mov r%u (%s %s %s)", taken, in->alu == LITMUS_EQ ? "eq" : "neq",
		a, b);
	text_printf(lisa_row(l), "b[] r%u %s", taken, label);
}

static void lisa_insn(struct lisa *l, uint32_t thread, const struct litmus_insn *in)
{
	const struct litmus_thread *t = &l->test->thread[thread];
	char a[32], b[32], label[32];

	if (in->proxy != LITMUS_GENERIC && in->op != LITMUS_SYNC)
		lisa_skip(l, "a proxy other than generic");
	snprintf(label, sizeof label, "L%u_%u", thread, in->target);
	switch ((enum litmus_op)in->op) {
	case LITMUS_LOAD:
		text_printf(lisa_row(l), "r[%s,%s] %s %s", order_word(in->sem), scope_of(in),
			t->reg[in->dst], l->test->location[in->location].name);
		return;
	case LITMUS_STORE:
		value(l, t, &in->a, a);
		text_printf(lisa_row(l), "w[%s,%s] %s %s", order_word(in->sem), scope_of(in),
			l->test->location[in->location].name, a);
		return;
	case LITMUS_ATOM:
	case LITMUS_RED: lisa_atom(l, t, in); return;
	case LITMUS_FENCE:
		text_printf(lisa_row(l), "f[%s,%s]", order_word(in->sem), scope_of(in));
		return;
	case LITMUS_PROXY_FENCE: lisa_skip(l, "a proxy fence");
	case LITMUS_SYNC:
		if (in->counted || in->a.is_register || in->b.is_register || l->phase == PHASES)
			lisa_skip(l, "a barrier that a test in LISA cannot count");
		text_printf(lisa_row(l), "f[arrive,b%u]", l->phase);
		text_printf(lisa_row(l), "f[leave,b%u]", l->phase++);
		return;
	case LITMUS_ARRIVE: lisa_skip(l, "bar.arrive");
	case LITMUS_ALU:
		value(l, t, &in->a, a);
		if (in->alu == LITMUS_MOV) {
			text_printf(lisa_row(l), "mov %s %s", t->reg[in->dst], a);
			return;
		}
		value(l, t, &in->b, b);
		text_printf(lisa_row(l), "mov %s (%s %s %s)", t->reg[in->dst],
			lisa_operation(l, in->alu), a, b);
		return;
	case LITMUS_BRANCH: lisa_branch(l, t, in, label); return;
	case LITMUS_GOTO: text_printf(lisa_row(l), "b[] %s", label); return;
	}
}

/* Barriers are matched by their number within the thread. This is their phase only if every thread
 * of the CTA waits at the same ones, whatever it reads. */
static void lisa_barriers(struct lisa *l)
{
	const struct litmus_test *test = l->test;
	for (uint32_t i = 0; i < test->nthreads; i++) {
		for (uint32_t k = 0; k < test->nthreads; k++) {
			const struct litmus_thread *t = &test->thread[i], *u = &test->thread[k];
			uint32_t n = 0, m = 0;
			bool branches = false;
			if (!litmus_same_cta(t, u))
				continue;
			for (uint32_t at = 0; at < t->ninsns; at++) {
				branches |= t->insn[at].op == LITMUS_BRANCH;
				if (t->insn[at].op != LITMUS_SYNC)
					continue;
				n++;
				while (m < u->ninsns && u->insn[m].op != LITMUS_SYNC)
					m++;
				if (m == u->ninsns || u->insn[m].a.value != t->insn[at].a.value ||
					u->insn[m].b.value != t->insn[at].b.value)
					lisa_skip(l, "threads that wait at different barriers");
				m++;
			}
			if (n && branches)
				lisa_skip(l, "barriers beside branches");
		}
	}
}

static bool register_name(const char *name)
{
	return name[0] == 'r' && name[1] >= '0' && name[1] <= '9' &&
		strspn(name + 1, "0123456789") == strlen(name + 1) && strlen(name) < 4;
}

static void lisa_header(struct lisa *l)
{
	const struct litmus_test *test = l->test;
	text_printf(&l->out, "LISA %s\n{\n", test->name);
	for (uint32_t i = 0; i < test->nlocations; i++) {
		if (test->location[i].alias)
			lisa_skip(l, "an alias");
		text_printf(&l->out, "%s = %lld;\n", test->location[i].name,
			(long long)test->location[i].init);
	}
	for (uint32_t i = 0; i < test->nthreads; i++) {
		const struct litmus_thread *t = &test->thread[i];
		for (uint32_t r = 0; r < t->nregs; r++) {
			if (!register_name(t->reg[r]))
				lisa_skip(l, "a register name that LISA lacks");
			if (t->reg_init[r])
				text_printf(&l->out, "%u:%s=%lld;\n", i, t->reg[r],
					(long long)t->reg_init[r]);
		}
	}
	text_puts(&l->out, "}\n");
}

static void lisa_code(struct lisa *l)
{
	const struct litmus_test *test = l->test;
	struct text *column = calloc((size_t)test->nthreads * ROWS, sizeof *column);
	uint32_t most = 1; /* a test with only empty threads has one row */

	if (!column)
		abort();
	for (uint32_t i = 0; i < test->nthreads; i++) {
		const struct litmus_thread *t = &test->thread[i];
		memset(l->cell, 0, sizeof l->cell);
		l->rows = l->scratch = l->phase = 0;
		for (uint32_t at = 0; at <= t->ninsns; at++) {
			for (uint32_t from = 0; from < t->ninsns; from++) {
				const struct litmus_insn *b = &t->insn[from];
				if ((b->op != LITMUS_BRANCH && b->op != LITMUS_GOTO) ||
					b->target != at)
					continue;
				if (from >= at)
					lisa_skip(l, "a loop");
				text_printf(lisa_row(l), "L%u_%u:", i, at);
				break;
			}
			if (at < t->ninsns)
				lisa_insn(l, i, &t->insn[at]);
		}
		memcpy(column + (size_t)i * ROWS, l->cell, sizeof l->cell);
		most = l->rows > most ? l->rows : most;
	}
	for (uint32_t i = 0; i < test->nthreads; i++)
		text_printf(&l->out, "%s P%u", i ? " |" : "", i);
	text_puts(&l->out, " ;\n");
	for (uint32_t row = 0; row < most; row++) {
		for (uint32_t i = 0; i < test->nthreads; i++)
			text_printf(&l->out, "%s %s", i ? " |" : "",
				text_str(&column[(size_t)i * ROWS + row]));
		text_puts(&l->out, " ;\n");
	}
	for (uint32_t i = 0; i < test->nthreads * ROWS; i++)
		text_free(&column[i]);
	free(column);
}

/* Levels: 0 GPU, 1 cluster, 2 CTA. */
static bool together(const struct litmus_thread *a, const struct litmus_thread *b, int level)
{
	return a->gpu == b->gpu && (level < 1 || a->cluster == b->cluster) &&
		(level < 2 || a->cta == b->cta);
}

static void lisa_scopes(struct lisa *l, uint32_t first, int level)
{
	const struct litmus_test *test = l->test;
	for (uint32_t i = 0; i < test->nthreads; i++) {
		const struct litmus_thread *t = &test->thread[i];
		bool seen = level > 0 && !together(t, &test->thread[first], level - 1);
		for (uint32_t k = 0; k < i && !seen; k++)
			seen = together(t, &test->thread[k], level);
		if (seen)
			continue;
		text_printf(&l->out, " (%s", (const char *const[]){"gpu", "cluster", "cta"}[level]);
		if (level < 2) {
			lisa_scopes(l, i, level + 1);
		} else {
			for (uint32_t k = 0; k < test->nthreads; k++) {
				if (together(t, &test->thread[k], level))
					text_printf(&l->out, " P%u", k);
			}
		}
		text_puts(&l->out, ")");
	}
}

static void lisa_observed(struct lisa *l)
{
	const struct litmus_test *test = l->test;
	text_printf(&l->out, "locations [");
	for (uint32_t i = 0; i < test->nobserved; i++) {
		const struct litmus_term *o = &test->observed[i];
		if (o->kind == LITMUS_TERM_REG)
			text_printf(&l->out, "%u:%s; ", o->thread,
				test->thread[o->thread].reg[o->index]);
		else
			text_printf(&l->out, "%s; ", test->location[o->index].name);
	}
	text_puts(&l->out, "]\nforall (true)\n");
}

static struct source *read_source(struct arena *arena, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(LARGEST);
	size_t n = f && bytes ? fread(bytes, 1, LARGEST, f) : 0;
	struct source *source = n && n < LARGEST ? source_new(arena, path, bytes, n) : NULL;

	if (f)
		fclose(f);
	free(bytes);
	return source;
}

int main(int argc, char **argv)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct source *source = argc == 2 ? read_source(&arena, argv[1]) : NULL;

	if (!source) {
		fputs("usage: lisa FILE.litmus\n", stderr);
		return 2;
	}
	struct lisa *l = calloc(1, sizeof *l);
	if (!l || !(l->test = litmus_parse(source, &arena, &diags))) {
		puts("SKIP not a litmus test");
		return 3;
	}
	if (setjmp(l->impossible))
		return 3;
	lisa_barriers(l);
	lisa_header(l);
	lisa_code(l);
	text_puts(&l->out, "scopes: (sys");
	lisa_scopes(l, 0, 0);
	text_puts(&l->out, ")\n");
	lisa_observed(l);
	fputs(text_str(&l->out), stdout);
	return 0;
}
