/* Printing a module as canonical PTX: header, declarations of all functions, variables, bodies in
 * order, aliases, sections. Assembling the output yields the same module. */
#include "assembler/assembler.h"
#include "assembler/print.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>

static void print_header(struct printer *p)
{
	const struct ir_module *m = p->m;

	text_printf(p->out, ".version %u.%u\n.target sm_%u", m->target.ptx / 10, m->target.ptx % 10,
		m->target.sm);
	if (m->target.suffix)
		text_putc(p->out, m->target.suffix);
	if (m->texmode_independent)
		text_puts(p->out, ", texmode_independent");
	if (m->debug)
		text_puts(p->out, ", debug");
	text_printf(p->out, "\n.address_size %u\n\n", m->target.address_size);
	for (uint32_t i = 0; i < m->npragmas; i++)
		if (m->pragma[i].func == IR_NONE)
			text_printf(p->out, ".pragma \"%s\";\n",
				symbol_text(&p->m->symbols, m->pragma[i].text));
}

static void print_files(struct printer *p)
{
	for (uint32_t i = 0; i < p->m->nfiles; i++) {
		const struct ir_file *f = &p->m->file[i];

		text_printf(
			p->out, ".file %u \"%s\"", f->number, symbol_text(&p->m->symbols, f->name));
		if (f->has_mtime)
			text_printf(p->out, ", %" PRIu64 ", %" PRIu64, f->mtime, f->size);
		text_putc(p->out, '\n');
	}
}

static void print_head(struct printer *p, const struct ir_func *f)
{
	if (f->linkage & IR_EXTERN)
		text_puts(p->out, ".extern ");
	if (f->linkage & IR_VISIBLE)
		text_puts(p->out, ".visible ");
	if (f->linkage & IR_WEAK)
		text_puts(p->out, ".weak ");
	text_puts(p->out, f->is_entry ? ".entry " : ".func ");
	if (f->nrets) {
		print_parameters(p, f->ret, f->nrets, ", ");
		text_putc(p->out, ' ');
	}
	text_printf(p->out, "%s", print_name(p, f->name));
	if (f->nparams)
		print_parameters(p, f->param, f->nparams, ",\n\t");
	else
		text_puts(p->out, "()");
}

static void print_three(struct printer *p, const char *name, const uint32_t *v)
{
	if (v[0])
		text_printf(p->out, "\n.%s %u, %u, %u", name, v[0], v[1], v[2]);
}

static void print_one(struct printer *p, const char *name, uint32_t v)
{
	if (v)
		text_printf(p->out, "\n.%s %u", name, v);
}

static void print_tuning(struct printer *p, const struct ir_func *f)
{
	uint32_t func = (uint32_t)(f - p->m->func);

	if (f->noreturn)
		text_puts(p->out, "\n.noreturn");
	print_three(p, "maxntid", f->maxntid);
	print_three(p, "reqntid", f->reqntid);
	print_one(p, "minnctapersm", f->minnctapersm);
	print_one(p, "maxnreg", f->maxnreg);
	if (f->explicitcluster)
		text_puts(p->out, "\n.explicitcluster");
	print_three(p, "reqnctapercluster", f->reqnctapercluster);
	print_one(p, "maxclusterrank", f->maxclusterrank);
	if (f->blocksareclusters)
		text_puts(p->out, "\n.blocksareclusters");
	if (f->abi_preserve)
		text_printf(p->out, "\n.abi_preserve %u", f->abi_preserve - 1);
	if (f->abi_preserve_control)
		text_printf(p->out, "\n.abi_preserve_control %u", f->abi_preserve_control - 1);
	if (f->minperctamemory)
		text_printf(p->out, "\n.minperctamemory %u", f->minperctamemory - 1);
	for (uint32_t i = 0; i < p->m->npragmas; i++)
		if (p->m->pragma[i].func == func && p->m->pragma[i].insn == IR_NONE)
			text_printf(p->out, "\n.pragma \"%s\";",
				symbol_text(&p->m->symbols, p->m->pragma[i].text));
}

static void print_function(struct printer *p, const struct ir_func *f)
{
	p->f = f;
	print_head(p, f);
	print_tuning(p, f);
	text_puts(p->out, "\n{\n");
	print_registers(p);
	for (uint32_t i = 0; i < f->nvars; i++) {
		text_putc(p->out, '\t');
		print_variable(p, &p->m->var[f->var + i]);
	}
	print_body(p);
	text_puts(p->out, "}\n\n");
	p->f = NULL;
}

void assembler_print_body(const struct ir_module *m, const struct ir_func *f,
	const struct assembler_names *names, struct text *out)
{
	struct printer p = {.m = m, .out = out, .f = f, .names = names};

	print_registers(&p);
	print_body(&p);
}

static int by_body(const void *a, const void *b)
{
	const struct ir_func *x = *(const struct ir_func *const *)a,
			     *y = *(const struct ir_func *const *)b;

	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	if (!x->ninsns != !y->ninsns)
		return x->ninsns ? 1 : -1;
	return x < y ? -1 : x > y;
}

/* Prints declarations, then variables, then the functions in the order of their bodies. */
static void print_module(struct printer *p)
{
	const struct ir_module *m = p->m;
	const struct ir_func **list = memory_zeroed(m->nfuncs + 1u, sizeof(struct ir_func *));
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nfuncs; i++) {
		if (m->func[i].has_body)
			list[n++] = &m->func[i];
		if (m->func[i].declared || !m->func[i].has_body) {
			print_head(p, &m->func[i]);
			text_puts(p->out, m->func[i].noreturn ? " .noreturn;\n" : ";\n");
		}
	}
	for (uint32_t i = 0; i < m->nvars && m->var[i].func == IR_NONE; i++)
		print_variable(p, &m->var[i]);
	text_putc(p->out, '\n');
	qsort(list, n, sizeof *list, by_body);
	for (uint32_t i = 0; i < n; i++)
		print_function(p, list[i]);
	memory_drop(list);
}

void assembler_print(const struct ir_module *m, struct text *out)
{
	struct printer p = {.m = m, .out = out};

	for (uint32_t i = 0; i < m->nvars; i++)
		p.percent_variables |= print_name(&p, m->var[i].name)[0] == '%';
	print_header(&p);
	print_files(&p);
	print_module(&p);
	for (uint32_t i = 0; i < m->nfuncs; i++)
		if (m->func[i].alias_of != IR_NONE)
			text_printf(out, ".alias %s, %s;\n", print_name(&p, m->func[i].name),
				print_name(&p, m->func[m->func[i].alias_of].name));
	for (uint32_t i = 0; i < m->nsections; i++)
		text_printf(out, ".section %s\n{%s}\n", print_name(&p, m->section[i].name),
			m->section[i].text);
}
