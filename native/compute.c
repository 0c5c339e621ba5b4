/* Ops that access nothing but registers, as C: loops over the lanes of the expressions that the
 * kernels have, or the value of the first lane where the lanes have a line. */
#include "native/compute.h"
#include "isa/isa.h"
#include "native/nan.h"
#include "native/values.h"
#include <inttypes.h>

/* Whether all sources of OP are the same in all lanes. */
static bool all_same(const struct writer *u, const struct op *op, unsigned sources)
{
	for (unsigned k = 1; k <= sources; k++)
		if (!is_line(u, op, k) || line_of(u, op, k).step)
			return false;
	return true;
}

/* The expression of OP for the first lane of each part: of a result that is a line, or a comparison
 * of what is the same in all of them. */
static void put_scalar(struct writer *u, const struct op *op, const struct arith_text *t,
	unsigned sources, bool compares, bool exchanged)
{
	static const uint32_t lanes[2][2] = {{UINT32_MAX, 0}, {0xffff, 0xffff0000}};
	bool negated = t->form == 'n' || t->form == 'y';

	text_puts(u->out, compares ? "{ u32 bits = 0;\n" : "{ ");
	for (unsigned part = 0; part < u->lined; part++) {
		text_puts(u->out, "{ ");
		u->scalar = part + 1;
		for (unsigned k = 0; k < sources; k++)
			put_element(u, op, exchanged ? 2 - k : 1 + k, t, compares ? 0 : 1 + k,
				"abce"[k]);
		u->scalar = 0;
		if (compares)
			text_printf(u->out, "bits |= (%.*s) ? %uu : %uu; }\n", (int)t->length,
				t->expression, negated ? 0 : lanes[u->lined - 1][part],
				negated ? lanes[u->lined - 1][part] : 0);
		else
			text_printf(u->out,
				"const %.*s d = (%.*s)(%.*s); memcpy(&%c%u, &d, %u); }\n",
				(int)t->type_length[0], t->type[0], (int)t->type_length[0],
				t->type[0], (int)t->length, t->expression, "lh"[part], op -> at[0],
				op -> width[0]);
	}
	if (compares)
		set_predicate(u, op);
	text_puts(u->out, "}\n");
}

void put_wrap_test(struct writer *u, const struct op *op, uint32_t at)
{
	bool is_signed;
	unsigned k = u->lined ? line_extended(u, at, &is_signed) : 0;
	int64_t past;

	if (!k)
		return;
	past = (LANES / u->lined - 1) * line_of(u, op, k).step;
	text_puts(u->out, "if (__builtin_expect(0");
	for (unsigned part = 0; part < u->lined; part++)
		if (is_signed)
			text_printf(u->out,
				" || (s64)(s32)%3$c%1$u + INT64_C(%2$" PRId64
				") != (s32)((s64)(s32)%3$c%1$u + INT64_C(%2$" PRId64 "))",
				op->at[k], past, "lh"[part]);
		else
			text_printf(u->out,
				" || (u64)%c%u + (u64)INT64_C(%" PRId64 ") > 0xffffffffu",
				"lh"[part], op -> at[k], past);
	text_puts(u->out, ", 0)) {\n");
	if (u->parting)
		put_slow(u, op, at, false);
	else
		text_printf(u->out, "pc = %u; what = OTHER; goto C%u;\n", at, at);
	text_puts(u->out, "}\n");
}

void put_lanes(struct writer *u, const struct op *op, uint32_t at)
{
	static const char names[] = "abce";
	const char *blind;
	struct arith_text t;
	bool compares, exchanged;
	unsigned sources;

	arith_text(op->run.kernel, &t);
	if (t.form == 'l' || t.form == 'm') {
		text_puts(u->out, "{ const u32 a = ");
		put_predicate(u, op, 1);
		if (t.form == 'm') {
			text_puts(u->out, ", b = ");
			put_predicate(u, op, 2);
		}
		text_printf(
			u->out, "; const u32 bits = (u32)(%.*s);\n", (int)t.length, t.expression);
		set_predicate(u, op);
		text_puts(u->out, "}\n");
		return;
	}
	exchanged = t.form == 'x' || t.form == 'y';
	compares = exchanged || t.form == 's' || t.form == 'n' || t.form == 'p';
	sources = compares ? (t.form == 'p' ? 1 : 2) : t.form == 'c' ? 2 : (unsigned)(t.form - '0');
	if ((compares || !is_masked(u, op)) && t.form != 'c' &&
		(compares ? all_same(u, op, sources) : is_line(u, op, 0))) {
		put_scalar(u, op, &t, sources, compares, exchanged);
		return;
	}
	blind = compares ? NULL : nan_expression(u, at, &t);
	if (blind) {
		t.expression = blind;
		t.length = strlen(blind);
	}
	text_puts(u->out, "{ ");
	for (unsigned k = 1; k <= sources; k++)
		if (t.elements != 1 || !is_line(u, op, k))
			put_array(u, op, k);
	if (compares) {
		text_puts(u->out, "part w[PIECES(4)]; u32 bits;\nEACH {\n");
	} else {
		if (t.form == 'c') {
			text_puts(u->out, "const u32 third = ");
			put_predicate(u, op, 3);
			text_puts(u->out, ";\n");
		}
		text_printf(u->out, "part d[PIECES(%u)];\nEVERY_IN(%u) {\n", op->width[0],
			LANES * t.elements);
	}
	for (unsigned k = 0; k < sources; k++)
		put_element(u, op, exchanged ? 2 - k : 1 + k, &t, compares ? 0 : 1 + k, names[k]);
	if (t.form == 'c')
		text_puts(u->out, "const bool c = third & lane_bit[i];\n");
	if (compares) {
		text_printf(u->out,
			"((u32 *)(void *)w)[i] = (%.*s) ? ~0u : 0u;\n}\nbits = %sbits_of((const u32 *)(const void *)w);\n",
			(int)t.length, t.expression, t.form == 'n' || t.form == 'y' ? "~" : "");
		set_predicate(u, op);
	} else {
		text_printf(u->out, "((%.*s *)(void *)d)[i] = (%.*s)(%.*s);\n}\n",
			(int)t.type_length[0], t.type[0], (int)t.type_length[0], t.type[0],
			(int)t.length, t.expression);
		set_register(u, op, 0);
	}
	text_puts(u->out, "}\n");
}

void put_copy(struct writer *u, const struct op *op)
{
	if (!is_masked(u, op) && is_line(u, op, 0)) {
		for (unsigned part = 0; part < u->lined; part++) {
			text_printf(u->out, "%c%u = (%s)(", "lh"[part], op -> at[0],
				word_of(op->width[0]));
			put_first(u, op, 1, part);
			text_puts(u->out, ");\n");
		}
		return;
	}
	text_puts(u->out, "{ ");
	put_array(u, op, 1);
	text_printf(u->out,
		"part d[PIECES(%u)];\nEACH ((%s *)(void *)d)[i] = (%s)((const %s *)(const void *)x1)[i];\n",
		op->width[0], word_of(op->width[0]), word_of(op->width[0]), word_of(op->width[1]));
	set_register(u, op, 0);
	text_puts(u->out, "}\n");
}

void put_pack(struct writer *u, const struct op *op)
{
	text_puts(u->out, "{ ");
	put_array(u, op, 1);
	put_array(u, op, 2);
	text_puts(u->out,
		"part d[PIECES(8)];\nEACH ((u64 *)(void *)d)[i] = (u64)((const u32 *)(const void *)x2)[i] << 32 | ((const u32 *)(const void *)x1)[i];\n");
	set_register(u, op, 0);
	text_puts(u->out, "}\n");
}

void put_unpack(struct writer *u, const struct op *op)
{
	text_puts(u->out, "{ ");
	put_array(u, op, 2);
	for (unsigned k = 0; k < 2; k++) {
		text_printf(u->out,
			"{ part d[PIECES(4)];\nEACH ((u32 *)(void *)d)[i] = (u32)(((const u64 *)(const void *)x2)[i] >> %u);\n",
			32 * k);
		set_register(u, op, k);
		text_puts(u->out, "}\n");
	}
	text_puts(u->out, "}\n");
}

void put_param(struct writer *u, const struct op *op)
{
	unsigned bits = 8u * op->access.bytes;

	text_printf(u->out,
		"{ %s%u v; part d[PIECES(%u)];\nmemcpy(&v, s->params + %" PRId64
		", %u);\nEACH ((%s *)(void *)d)[i] = (%s)v;\n",
		op->access.is_signed ? "s" : "u", bits, op->width[0], op->access.add,
		op->access.bytes, word_of(op->width[0]), word_of(op->width[0]));
	set_register(u, op, 0);
	text_printf(u->out, "s->loaded[4] += (u64)count_of(m) * %u; }\n", op->access.bytes);
}

void put_sreg(struct writer *u, const struct op *op)
{
	unsigned k = op->sreg.component ? op->sreg.component - 1u : 0;

	text_puts(u->out, "{ part d[PIECES(4)];\nEACH ((u32 *)(void *)d)[i] = ");
	switch ((int)op->sreg.which) {
	case SREG_tid: text_printf(u->out, "s->tid[%u][i];\n", k); break;
	case SREG_ntid: text_printf(u->out, "s->block[%u];\n", k); break;
	case SREG_ctaid: text_printf(u->out, "s->ctaid[%u];\n", k); break;
	case SREG_nctaid: text_printf(u->out, "s->grid[%u];\n", k); break;
	case SREG_laneid: text_puts(u->out, "i;\n"); break;
	default: text_puts(u->out, "s->index;\n"); break;
	}
	set_register(u, op, 0);
	text_puts(u->out, "}\n");
}
