/* Printing instructions: words in the table's order, immediates in the notation of their type,
 * labels, .loc and pragmas at their positions. */
#include "assembler/print.h"
#include <inttypes.h>

static void print_operand(struct printer *p, const struct ir_operand *o);

static void print_elements(struct printer *p, uint32_t first, uint32_t n, const char *separator)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			text_puts(p->out, separator);
		print_operand(p, &p->m->operand[first + i]);
	}
}

static void print_component(struct printer *p, const struct ir_operand *o)
{
	if (o->aux == IR_SELECTOR)
		text_printf(p->out, ".%s", word_text((enum word)o->count));
	else if (o->aux)
		text_printf(p->out, ".%c", "xyzw"[o->aux - 1]);
}

static void print_immediate(struct printer *p, const struct ir_operand *o)
{
	const struct type_info *t = &type_info[o->type];
	uint64_t v = o->value;

	if (o->type == TYPE_f32)
		text_printf(p->out, "0f%08" PRIX64, v & UINT32_MAX);
	else if (o->type == TYPE_f64)
		text_printf(p->out, "0d%016" PRIX64, v);
	else if (o->aux) /* ptxas generates different code for -1 than for 4294967295 */
		text_printf(p->out, "%" PRId64,
			(int64_t)(t->bits < 64 && v >> (t->bits - 1) & 1 ? v | UINT64_MAX << t->bits
									 : v));
	else
		text_printf(p->out, "%" PRIu64, v);
}

static void print_sum(struct printer *p, uint64_t addend)
{
	if (addend)
		text_printf(p->out,
			(int64_t)addend < 0 && addend != UINT64_C(1) << 63 ? "+%" PRId64
									   : "+%" PRIu64,
			addend);
}

static const char *variable_text(struct printer *p, uint32_t var)
{
	return p->names ? p->names->variable(p->names->client, var)
			: print_name(p, p->m->var[var].name);
}

static void print_special(struct printer *p, const struct ir_operand *o)
{
	const char *other = p->names ? p->names->special(p->names->client, o->index, o->aux) : NULL;

	text_puts(p->out, other ? other : sreg_text(o->index));
	if (!other)
		print_component(p, o);
}

static void print_address(struct printer *p, const struct ir_operand *o)
{
	const struct ir_operand *list = ir_further(o);

	text_putc(p->out, '[');
	if (o->aux == IR_BASE_NONE) {
		text_printf(p->out, "%" PRId64, (int64_t)o->value);
	} else {
		if (o->aux == IR_BASE_REG)
			text_puts(p->out, print_name(p, p->m->reg[p->f->reg + o->index].name));
		else
			text_puts(p->out, variable_text(p, o->index));
		if (o->negated && !o->value)
			text_puts(p->out, "+0");
		print_sum(p, o->value);
	}
	if (list) {
		text_puts(p->out, ", ");
		print_elements(p, list->index, list->count, ", ");
	}
	text_putc(p->out, ']');
}

static void print_operand(struct printer *p, const struct ir_operand *o)
{
	const struct ir_module *m = p->m;

	switch (o->kind) {
	case IR_REG:
		if (o->negated)
			text_putc(p->out, o->type == TYPE_pred ? '!' : '-');
		text_puts(p->out, print_name(p, m->reg[p->f->reg + o->index].name));
		print_component(p, o);
		break;
	case IR_SREG:
		if (o->negated)
			text_putc(p->out, o->type == TYPE_pred ? '!' : '-');
		print_special(p, o);
		break;
	case IR_IMM: print_immediate(p, o); break;
	case IR_VAR:
		text_puts(p->out, variable_text(p, o->index));
		print_sum(p, o->value);
		break;
	case IR_FUNC: text_puts(p->out, print_name(p, m->func[o->index].name)); break;
	case IR_LABEL:
		text_puts(p->out, print_name(p, m->label[p->f->label + o->more].name));
		break;
	case IR_TABLE: text_puts(p->out, print_name(p, m->table[o->index].name)); break;
	case IR_ADDR: print_address(p, o); break;
	case IR_VEC:
	case IR_LIST:
		text_putc(p->out, o->kind == IR_VEC ? '{' : '(');
		print_elements(p, o->index, o->count, ", ");
		text_putc(p->out, o->kind == IR_VEC ? '}' : ')');
		break;
	case IR_PAIR: print_elements(p, o->index, o->count, "|"); break;
	default: text_putc(p->out, '_');
	}
}

/* Omits the empty lists of a call. */
static void print_operands(struct printer *p, const struct ir_insn *in)
{
	const char *separator = " ";
	bool call = ir_form(in)->opcode == OP_call;

	for (unsigned k = 0; k < in->noperands; k++) {
		const struct ir_operand *o = &p->m->operand[in->operand + k];

		if (call && o->kind == IR_LIST && !o->count)
			continue;
		text_puts(p->out, separator);
		print_operand(p, o);
		separator = ", ";
	}
}

static void print_loc(struct printer *p, const struct ir_loc *l)
{
	text_printf(p->out, "\t.loc %u %u %u", l->file, l->line, l->column);
	if (l->function_name) {
		text_printf(p->out, ", function_name %s", print_name(p, l->function_name));
		if (l->function_offset)
			text_printf(p->out, "+%u", l->function_offset);
		text_printf(p->out, ", inlined_at %u %u %u", l->at_file, l->at_line, l->at_column);
	}
	text_putc(p->out, '\n');
}

static void print_insn(struct printer *p, const struct ir_insn *in)
{
	text_putc(p->out, '\t');
	if (in->pragma_bytes_set)
		text_printf(
			p->out, ".pragma \"used_bytes_mask 0x%x\";\n\t", ir_used_bytes(p->m, in));
	if (in->guard != IR_NONE)
		text_printf(p->out, "@%s%s ", in->guard_negated ? "!" : "",
			print_name(p, p->m->reg[p->f->reg + in->guard].name));
	if (p->names && (ir_form(in)->opcode == OP_ret || ir_form(in)->opcode == OP_exit)) {
		text_printf(p->out, "bra %s;\n", p->names->end);
		return;
	}
	text_puts(p->out, opcode_text(ir_form(in)->opcode));
	for (unsigned k = 0; k < in->nwords; k++) {
		text_putc(p->out, '.');
		text_puts(p->out, word_text(p->m->word[in->word + k]));
	}
	print_operands(p, in);
	text_puts(p->out, ";\n");
}

static void print_table(struct printer *p, const struct ir_table *t)
{
	text_printf(p->out, "%s: ", print_name(p, t->name));
	if (t->kind == IR_PROTOTYPE) {
		text_puts(p->out, ".callprototype ");
		if (t->nrets) {
			print_parameters(p, t->ret, t->nrets, ", ");
			text_putc(p->out, ' ');
		}
		text_puts(p->out, "_ ");
		print_parameters(p, t->param, t->nparams, ", ");
		text_puts(p->out, t->noreturn ? " .noreturn;\n" : ";\n");
	} else {
		text_puts(
			p->out, t->kind == IR_BRANCH_TARGETS ? ".branchtargets " : ".calltargets ");
		print_elements(p, t->target, t->ntargets, ", ");
		text_puts(p->out, ";\n");
	}
}

/* Prints what precedes instruction I: labels, pragmas, tables, .loc. Each array is in instruction
 * order. */
static void print_before(struct printer *p, uint32_t i)
{
	const struct ir_module *m = p->m;
	uint32_t func = (uint32_t)(p->f - m->func);

	for (; p->label < p->f->nlabels && m->label[p->f->label + p->label].insn <= i; p->label++)
		text_printf(p->out, "%s:\n", print_name(p, m->label[p->f->label + p->label].name));
	while (p->pragma < m->npragmas &&
		(m->pragma[p->pragma].func != func || m->pragma[p->pragma].insn == IR_NONE ||
			m->pragma[p->pragma].insn < i))
		p->pragma++;
	for (; p->pragma < m->npragmas && m->pragma[p->pragma].func == func &&
		m->pragma[p->pragma].insn == i;
		p->pragma++)
		text_printf(p->out, "\t.pragma \"%s\";\n",
			symbol_text(&p->m->symbols, m->pragma[p->pragma].text));
	for (; p->table < m->ntables && m->table[p->table].func == func &&
		m->table[p->table].insn <= i;
		p->table++)
		print_table(p, &m->table[p->table]);
	for (; !p->names && p->loc < p->f->nlocs && m->loc[p->f->loc + p->loc].insn <= i; p->loc++)
		print_loc(p, &m->loc[p->f->loc + p->loc]);
}

void print_body(struct printer *p)
{
	const struct ir_module *m = p->m;
	uint32_t func = (uint32_t)(p->f - m->func);

	p->loc = p->label = p->pragma = p->table = 0;
	while (p->table < m->ntables && m->table[p->table].func != func)
		p->table++;
	for (uint32_t i = 0; i < p->f->ninsns; i++) {
		print_before(p, i);
		print_insn(p, &m->insn[p->f->insn + i]);
	}
	print_before(p, p->f->ninsns);
}
