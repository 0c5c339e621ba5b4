/* Which registers can influence a loop. A register is irrelevant when the loop's instructions use
 * it only in arithmetic whose results are irrelevant too. Everything that any other instruction
 * reads (a guard, an address, a stored value) is relevant. */
#include "code/relevant.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

struct registers {
	uint8_t *relevant, *written; /* [function's registers] */
	/* the instruction writes a relevant register, or is not plain arithmetic */
	bool into;
	bool changed;
};

static void note_written(void *arg, const struct ir_operand *reg, bool written)
{
	struct registers *r = arg;

	if (written) {
		r->written[reg->index] = 1;
		r->into = r->into || r->relevant[reg->index];
	}
}

static void mark_relevant(void *arg, const struct ir_operand *reg, bool written)
{
	struct registers *r = arg;

	if (!written && !r->relevant[reg->index])
		r->relevant[reg->index] = r->changed = true;
}

static bool is_pure(const struct ir_insn *i) { return ir_form(i)->handler == HANDLER_alu; }

/* Whether I uses the condition code, which passes between instructions without being an operand. */
static bool has_carry(const struct ir_module *m, const struct ir_insn *i)
{
	uint16_t op = ir_form(i)->opcode;

	return op == OP_addc || op == OP_subc || op == OP_madc || ir_has(m, i, W_cc);
}

static bool find_relevant(const struct ir_module *m, const struct code_func *code,
	const uint8_t *seen, struct registers *r)
{
	do {
		r->changed = false;
		for (uint32_t k = 0; k < code->nops; k++) {
			const struct ir_insn *i = &m->insn[code->op[k].insn];

			if (!seen[k] || !code->op[k].first)
				continue;
			if (has_carry(m, i))
				return false;
			r->into = !is_pure(i);
			ir_each_register(m, i, note_written, r);
			if (r->into)
				ir_each_register(m, i, mark_relevant, r);
		}
	} while (r->changed);
	return true;
}

bool relevant_same(const struct ir_module *m, const struct code_func *code, const uint8_t *seen,
	const unsigned char *before, const unsigned char *now)
{
	const struct ir_func *f = &m->func[code->func];
	struct registers r = {.relevant = memory_zeroed(f->nregs + 1, 1),
		.written = memory_zeroed(f->nregs + 1, 1)};
	/* place 0: the carry */
	bool same = find_relevant(m, code, seen, &r) && memcmp(before, now, sizeof(uint32_t)) == 0;

	for (uint32_t k = 0; k < f->nregs && same; k++) {
		const struct ir_register *reg = &m->reg[f->reg + k];
		size_t n = reg->type == TYPE_pred ? sizeof(uint32_t)
						  : (size_t)type_bytes(reg->type) * LANES;

		for (unsigned c = 0; c < (reg->vector ? reg->vector : 1u) && same &&
			(r.relevant[k] || !r.written[k]);
			c++) {
			uint32_t at = code->reg_at[k] + c * code->reg_stride[k];

			same = memcmp(before + at, now + at, n) == 0;
		}
	}
	memory_drop(r.relevant);
	memory_drop(r.written);
	return same;
}
