/* Warnings about constant addresses: misaligned, or outside their variable. */
#include "assembler/lint.h"

static unsigned vector_width(const struct lint *l, const struct ir_insn *in)
{
	return ir_has(l->m, in, W_v8)    ? 8
		: ir_has(l->m, in, W_v4) ? 4
		: ir_has(l->m, in, W_v2) ? 2
					 : 1;
}

/* Bytes accessed by an ld, st, atom or red; 0 for other instructions. */
static unsigned access_bytes(const struct lint *l, const struct ir_insn *in)
{
	unsigned op = ir_form(in)->opcode;
	enum type type = TYPE_NONE;

	if (op != OP_ld && op != OP_st && op != OP_atom && op != OP_red)
		return 0;
	if (ir_form(in)->traits & TRAIT_ASYNC)
		return 0;
	for (unsigned k = 0; k < in->nwords; k++)
		if (word_type(l->m->word[in->word + k]))
			type = word_type(l->m->word[in->word + k]);
	return type ? type_bytes(type) * vector_width(l, in) : 0;
}

static void check_address(
	struct lint *l, const struct ir_insn *in, const struct ir_operand *a, unsigned bytes)
{
	const struct ir_var *v = a->aux == IR_BASE_VAR ? &l->m->var[a->index] : NULL;
	uint64_t least = v && v->align < bytes ? v->align : bytes;
	struct diag *d;

	if (least && a->value % least) {
		d = WARN(l, W0505, in->span,
			"access of %u bytes at an address that is not a multiple of %u", bytes,
			bytes);
		if (v)
			diag_label(l->diags, d, l->m->source, v->span,
				"'%s' is aligned to %u, and the offset is %lld",
				lint_name(l, v->name), v->align, (long long)a->value);
		return;
	}
	if (!v || !v->size) /* the extent of a variable without a size is unknown */
		return;
	if ((int64_t)a->value >= 0 && a->value + bytes <= v->size)
		return;
	d = WARN(l, W0506, in->span, "access to bytes %lld to %lld of '%s', which has %llu",
		(long long)a->value, (long long)a->value + bytes - 1, lint_name(l, v->name),
		(unsigned long long)v->size);
	diag_label(l->diags, d, l->m->source, v->span, "declared here");
}

void lint_memory(struct lint *l)
{
	for (uint32_t i = 0; i < l->f->ninsns; i++) {
		const struct ir_insn *in = lint_insn(l, i);

		for (unsigned k = 0; k < in->noperands; k++) {
			const struct ir_operand *a = lint_operand(l, in, k);
			unsigned bytes;

			if (a->kind != IR_ADDR || a->aux == IR_BASE_REG)
				continue;
			bytes = access_bytes(l, in);
			if (bytes)
				check_address(l, in, a, bytes);
		}
	}
}
