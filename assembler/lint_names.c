/* Unused declarations, and forms that PTX keeps for old programs only. Names made by compilers are
 * ignored. */
#include "assembler/lint.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

struct use {
	bool *var, *label;
};

static bool by_compiler(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "__", 2) == 0 || name[0] == '$';
}

static void mark(struct use *u, const struct ir_module *m)
{
	for (uint32_t i = 0; i < m->noperands; i++)
		if (m->operand[i].kind == IR_VAR ||
			(m->operand[i].kind == IR_ADDR && m->operand[i].aux == IR_BASE_VAR))
			u->var[m->operand[i].index] = true;
	for (uint32_t i = 0; i < m->nrelocs; i++)
		if (!m->reloc[i].is_func)
			u->var[m->reloc[i].index] = true;
}

/* Labels that instructions of F name, themselves or through a list of targets. */
static void mark_labels(struct use *u, const struct ir_module *m, const struct ir_func *f,
	uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct ir_operand *o = &m->operand[first + i];

		if (o->kind == IR_LABEL)
			u->label[f->label + o->more] = true;
		else if (o->kind == IR_TABLE && m->table[o->index].kind == IR_BRANCH_TARGETS)
			mark_labels(
				u, m, f, m->table[o->index].target, m->table[o->index].ntargets);
	}
}

static void check_labels(struct lint *l, struct use *u, const struct ir_func *f)
{
	const struct ir_module *m = l->m;

	for (uint32_t i = 0; i < f->ninsns; i++)
		mark_labels(u, m, f, m->insn[f->insn + i].operand, m->insn[f->insn + i].noperands);
	for (uint32_t k = 0; k < f->nlabels; k++) {
		const struct ir_label *label = &m->label[f->label + k];

		if (!u->label[f->label + k] && !by_compiler(lint_name(l, label->name)))
			WARN(l, W0510, label->span, "label '%s' is never used",
				lint_name(l, label->name));
	}
}

static bool is_formal(const struct ir_module *m, uint32_t v)
{
	const struct ir_func *f = m->var[v].func == IR_NONE ? NULL : &m->func[m->var[v].func];

	return f && (v - f->var >= f->nvars || !f->nvars);
}

static void check_variables(struct lint *l, const struct use *u)
{
	const struct ir_module *m = l->m;

	for (uint32_t i = 0; i < m->nvars; i++) {
		const struct ir_var *v = &m->var[i];

		if (!u->var[i] && !v->linkage && !is_formal(m, i) &&
			!by_compiler(lint_name(l, v->name)))
			WARN(l, W0511, v->span, "'%s' is never used", lint_name(l, v->name));
	}
}

static void check_old_forms(struct lint *l)
{
	const struct ir_module *m = l->m;

	for (uint32_t i = 0; i < m->ninsns; i++) {
		const struct ir_insn *in = &m->insn[i];
		unsigned op = ir_form(in)->opcode;

		if ((op == OP_vote || op == OP_shfl) && !ir_has(m, in, W_sync))
			diag_help(l->diags,
				WARN(l, W0512, in->span,
					"%s without .sync is deprecated since PTX 6.0 and was removed with sm_70",
					opcode_text((enum opcode)op)),
				"write %s.sync with a membermask", opcode_text((enum opcode)op));
	}
}

static void check_directives(struct lint *l)
{
	static const char *const known[] = {"nounroll", "enable_smem_spilling", "frequency"};
	const struct ir_module *m = l->m;

	for (uint32_t i = 0; i < m->npragmas; i++) {
		const char *text = lint_name(l, m->pragma[i].text);
		bool ok = false;

		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			ok |= strncmp(text, known[k], strlen(known[k])) == 0;
		if (!ok)
			WARN(l, W0513, m->pragma[i].span, "ptxas ignores the pragma \"%s\"", text);
	}
	for (uint32_t i = 0; i < m->nfuncs; i++)
		if (m->func[i].minnctapersm && !m->func[i].maxntid[0] && !m->func[i].reqntid[0])
			WARN(l, W0514, m->func[i].span,
				".minnctapersm has no effect without .maxntid or .reqntid");
}

void lint_names(struct lint *l)
{
	struct use u = {memory_zeroed(l->m->nvars + 1u, sizeof(bool)),
		memory_zeroed(l->m->nlabels + 1u, sizeof(bool))};

	mark(&u, l->m);
	for (uint32_t i = 0; i < l->m->nfuncs; i++)
		check_labels(l, &u, &l->m->func[i]);
	check_variables(l, &u);
	check_old_forms(l);
	check_directives(l);
	free(u.var);
	free(u.label);
}
