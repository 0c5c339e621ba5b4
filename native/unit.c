/* Writes a function as C. Registers are local variables of vector type; each op is a loop over 32
 * lanes of the very expression that its kernel has (arith/text.h), which the compiler turns into
 * vector instructions; loads and stores are checked inline. Whatever else an op does, its executor
 * does: then the registers that it uses are stored to the frame before, and loaded after.
 *
 * The function is written three times: for groups of all 32 lanes whose registers are lines
 * (lines.c), for other groups of 32, and for parts of warps. */
#include "native/unit.h"
#include "base/memory.h"
#include "isa/order.h"
#include "isa/isa.h"
#include "native/places.h"
#include <inttypes.h>

/* --- variables --- */

static unsigned pieces(const struct writer *u, unsigned width) { return LANES * width / u->vector; }

static const char *word_of(unsigned width)
{
	return width == 2 ? "u16" : width == 4 ? "u32" : "u64";
}

/* The line of operand K of OP, in a copy that has lines. */
static bool is_line(const struct writer *u, const struct op *op, unsigned k)
{
	return u->lined && line_of(u, op, k).shape == SHAPE_LINE;
}

/* The value of lane 0 of such an operand, of WIDTH bytes. */
static void put_first(struct writer *u, const struct op *op, unsigned k)
{
	uint64_t value;

	if (op->at[k] & 1) {
		constant_value(u->c, op->at[k], op->width[k], &value);
		text_printf(u->out, "(%s)0x%" PRIx64 "u", word_of(op->width[k]), value);
	} else {
		text_printf(u->out, "l%u", op->at[k]);
	}
}

/* What is added to it in lane i. */
static void put_step(struct writer *u, unsigned width, int64_t step)
{
	if (step)
		text_printf(u->out, " + (%s)i * (%s)0x%" PRIx64 "u", word_of(width), word_of(width),
			width == 4 ? (uint64_t)(uint32_t)step : (uint64_t)step);
}

/* The assignments of register P between its variables and the frame. */
static void move_place(struct writer *u, const struct place *p, bool store)
{
	if (!p->width)
		text_printf(u->out,
			store ? "*(u32 *)(void *)(R + %u) = p%u;\n"
			      : "p%2$u = *(const u32 *)(const void *)(R + %1$u);\n",
			p->at, p->at);
	if (u->lined && p->line.shape == SHAPE_LINE) {
		const char *any = p->width == 4 ? "any32" : "any64";

		if (store) {
			text_printf(u->out, "EACH ((%s *)(void *)(R + %u))[i] = l%u", any, p->at,
				p->at);
			put_step(u, p->width, p->line.step);
			text_puts(u->out, ";\n");
		} else {
			text_printf(u->out, "l%u = *(const %s *)(const void *)(R + %u);\n", p->at,
				any, p->at);
		}
		return;
	}
	for (unsigned k = 0; p->width && k < pieces(u, p->width); k++)
		text_printf(u->out,
			store ? "*(part *)(void *)(R + %1$u) = r%2$u_%3$u;\n"
			      : "r%2$u_%3$u = *(const part *)(const void *)(R + %1$u);\n",
			p->at + k * u->vector, p->at, k);
}

static void move_set(struct writer *u, const struct set *s, bool store)
{
	for (uint32_t k = 0; k < u->place.count; k++)
		if (set_has(s, k))
			move_place(u, &u->place.data[k], store);
}

static void put_operands(struct writer *u, const struct set *s, const struct set *among, bool store)
{
	struct set both = {{0}};

	set_join_both(&both, s, among);
	move_set(u, &both, store);
}

/* --- operands --- */

/* Declares array x<K> of the 32 lanes of operand K, or a pointer to those of a constant. */
static void put_array(struct writer *u, const struct op *op, unsigned k)
{
	if (op->at[k] & 1) {
		text_printf(u->out,
			"const part *const x%u = (const part *)(const void *)(K + %u);\n", k,
			op->at[k] & ~1u);
		return;
	}
	if (is_line(u, op, k)) {
		text_printf(u->out, "part x%u[PIECES(%u)];\nEACH ((%s *)(void *)x%u)[i] = ", k,
			op->width[k], word_of(op->width[k]), k);
		put_first(u, op, k);
		put_step(u, op->width[k], line_of(u, op, k).step);
		text_puts(u->out, ";\n");
		return;
	}
	text_printf(u->out, "part x%u[PIECES(%u)] = {", k, op->width[k]);
	for (unsigned j = 0; j < pieces(u, op->width[k]); j++)
		text_printf(u->out, "r%u_%u,", op->at[k], j);
	text_puts(u->out, "};\n");
}

/* The word of predicate operand K. */
static void put_predicate(struct writer *u, const struct op *op, unsigned k)
{
	uint32_t value = 0;

	if (!(op->at[k] & 1)) {
		text_printf(u->out, "p%u", op->at[k]);
		return;
	}
	memcpy(&value, u->c->constant + (op->at[k] & ~1u), 4);
	text_printf(u->out, "%uu", value);
}

static bool is_type(const struct arith_text *t, unsigned k, const char *name)
{
	return strlen(name) == t->type_length[k] &&
		memcmp(t->type[k], name, t->type_length[k]) == 0;
}

/* Inside the loop: NAME is element i of operand K, of the text's type number TYPE. */
static void put_element(struct writer *u, const struct op *op, unsigned k,
	const struct arith_text *t, unsigned type, char name)
{
	int n = (int)t->type_length[type];
	uint64_t value;

	text_printf(u->out, "const %.*s %c = ", n, t->type[type], name);
	if (!(op->at[k] & 1) && t->elements == 1 && is_line(u, op, k)) {
		text_printf(u->out, "%s(",
			is_type(t, type, "float")            ? "f32_from"
				: is_type(t, type, "double") ? "f64_from"
							     : "");
		if (!is_type(t, type, "float") && !is_type(t, type, "double"))
			text_printf(u->out, "%.*s)(", n, t->type[type]);
		put_first(u, op, k);
		if (!u->scalar)
			put_step(u, op->width[k], line_of(u, op, k).step);
		text_puts(u->out, ");\n");
		return;
	}
	if ((op->at[k] & 1) && t->elements == 1 &&
		constant_value(u->c, op->at[k], op->width[k], &value)) {
		if (is_type(t, type, "float"))
			text_printf(u->out, "f32_from(0x%" PRIx64 "u);\n", value);
		else if (is_type(t, type, "double"))
			text_printf(u->out, "f64_from(0x%" PRIx64 "u);\n", value);
		else
			text_printf(u->out, "(%.*s)0x%" PRIx64 "u;\n", n, t->type[type], value);
		return;
	}
	text_printf(u->out, "((const %.*s *)(const void *)x%u)[i];\n", n, t->type[type], k);
}

/* Register operand K gets array d in the lanes of m. */
static void set_register(struct writer *u, const struct op *op, unsigned k)
{
	unsigned width = op->width[k];

	if (is_line(u, op, k)) {
		text_printf(u->out, "l%u = ((const %s *)(const void *)d)[0];\n", op->at[k],
			word_of(width));
		return;
	}
	if (is_masked(u, op)) {
		const char *word = word_of(width);

		text_printf(u->out, "{ part o[PIECES(%u)] = {", width);
		for (unsigned j = 0; j < pieces(u, width); j++)
			text_printf(u->out, "r%u_%u,", op->at[k], j);
		text_printf(u->out,
			"};\nEACH ((%s *)(void *)d)[i] = m & lane_bit[i] ? ((%s *)(void *)d)[i] : ((%s *)(void *)o)[i]; }\n",
			word, word, word);
	}
	for (unsigned j = 0; j < pieces(u, width); j++)
		text_printf(u->out, "r%u_%u = d[%u];\n", op->at[k], j, j);
}

/* Predicate AT gets `bits` in the lanes of m. */
static void set_predicate(struct writer *u, const struct op *op)
{
	if (is_masked(u, op))
		text_printf(u->out, "p%u = (p%u & ~m) | (bits & m);\n", op->at[0], op->at[0]);
	else
		text_printf(u->out, "p%u = bits;\n", op->at[0]);
}

/* --- ops --- */

/* Whether all sources of OP are the same in all lanes. */
static bool all_same(const struct writer *u, const struct op *op, unsigned sources)
{
	for (unsigned k = 1; k <= sources; k++)
		if (!is_line(u, op, k) || line_of(u, op, k).step)
			return false;
	return true;
}

/* The expression of OP once, for lane 0: of a result that is a line, or a comparison of what is the
 * same in all lanes. */
static void put_scalar(struct writer *u, const struct op *op, const struct arith_text *t,
	unsigned sources, bool compares, bool exchanged)
{
	text_puts(u->out, "{ ");
	u->scalar = true;
	for (unsigned k = 0; k < sources; k++)
		put_element(u, op, exchanged ? 2 - k : 1 + k, t, compares ? 0 : 1 + k, "abce"[k]);
	u->scalar = false;
	if (compares) {
		text_printf(u->out, "const u32 bits = (%.*s) ? %s;\n", (int)t->length,
			t->expression, t->form == 'n' || t->form == 'y' ? "0u : ~0u" : "~0u : 0u");
		set_predicate(u, op);
	} else {
		text_printf(u->out, "const %.*s d = (%.*s)(%.*s); memcpy(&l%u, &d, %u);\n",
			(int)t->type_length[0], t->type[0], (int)t->type_length[0], t->type[0],
			(int)t->length, t->expression, op->at[0], op->width[0]);
	}
	text_puts(u->out, "}\n");
}

/* Gives up before op AT if the line that it extends wraps around in some lane. */
static void put_wrap_test(struct writer *u, const struct op *op, uint32_t at)
{
	bool is_signed;
	unsigned k = u->lined ? line_extended(u, at, &is_signed) : 0;
	int64_t past;

	if (!k)
		return;
	past = (LANES - 1) * line_of(u, op, k).step;
	if (is_signed)
		text_printf(u->out,
			"if (__builtin_expect((s64)(s32)l%1$u + INT64_C(%2$" PRId64
			") != (s32)((s64)(s32)l%1$u + INT64_C(%2$" PRId64 ")), 0)) ",
			op->at[k], past);
	else
		text_printf(u->out,
			"if (__builtin_expect((u64)l%u + (u64)INT64_C(%" PRId64
			") > 0xffffffffu, 0)) ",
			op->at[k], past);
	text_printf(u->out, "{ pc = %u; what = OTHER; goto C%u; }\n", at, at);
}

static void put_lanes(struct writer *u, const struct op *op)
{
	static const char names[] = "abce";
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
	if (!is_masked(u, op) && t.form != 'c' &&
		(compares ? all_same(u, op, sources) : is_line(u, op, 0))) {
		put_scalar(u, op, &t, sources, compares, exchanged);
		return;
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

static void put_copy(struct writer *u, const struct op *op)
{
	if (!is_masked(u, op) && is_line(u, op, 0)) {
		text_printf(u->out, "l%u = (%s)(", op->at[0], word_of(op->width[0]));
		put_first(u, op, 1);
		text_puts(u->out, ");\n");
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

static void put_pack(struct writer *u, const struct op *op)
{
	text_puts(u->out, "{ ");
	put_array(u, op, 1);
	put_array(u, op, 2);
	text_puts(u->out,
		"part d[PIECES(8)];\nEACH ((u64 *)(void *)d)[i] = (u64)((const u32 *)(const void *)x2)[i] << 32 | ((const u32 *)(const void *)x1)[i];\n");
	set_register(u, op, 0);
	text_puts(u->out, "}\n");
}

static void put_unpack(struct writer *u, const struct op *op)
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

static void put_param(struct writer *u, const struct op *op)
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

static void put_sreg(struct writer *u, const struct op *op)
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

/* The executor of OP, or its kernel, with the registers that it names in the frame. */
static void put_call(struct writer *u, const struct op *op, uint32_t at, enum way way)
{
	struct set all = {{0}};

	named(u, op, &all);
	put_operands(u, &all, &u->now, true);
	if (op->kind == KIND_SREG)
		text_puts(u->out, "SETTLE\n");
	if (way == WAY_KERNEL)
		text_printf(u->out, "s->kernel(s->warp, %u, m);\n", at);
	else
		text_printf(u->out, "flow = s->exec(s->warp, %u, m);\n", at);
	move_set(u, &all, false);
	if (way != WAY_KERNEL)
		text_printf(u->out,
			"if (__builtin_expect(flow != NATIVE_NEXT, 0)) { pc = %u; goto out; }\n",
			at);
}

/* "place = " where the first of the bytes of an access by all lanes is, whose address is a line. */
static void put_line_place(struct writer *u, const struct op *op, bool row)
{
	const struct op_access *a = &op->access;
	unsigned k = a->base_operand;
	bool wide = op->width[k] == 8;

	text_printf(u->out, "unsigned space; u8 *const place = bytes_at(s, (%s)(",
		wide ? "u64" : "u32");
	put_first(u, op, k);
	text_printf(u->out, " + (%s)(INT64_C(%" PRId64 ")%s)), %u, %u, %d, %d, &space);\n",
		wide ? "u64" : "u32", a->add, a->base == BASE_DYNAMIC ? " + s->shared_end" : "",
		a->bytes, row ? LANES * a->bytes : a->bytes, a->space == W_shared,
		op->kind == KIND_STORE);
}

/* A load of one address, or a load or store of a row. */
static void put_line_access(struct writer *u, const struct op *op, uint32_t at, bool row)
{
	const struct op_access *a = &op->access;
	bool load = op->kind == KIND_LOAD;
	unsigned bits = 8u * a->bytes;

	text_puts(u->out, "{ ");
	if (!load) {
		put_array(u, op, 1);
		text_printf(u->out,
			"part e[PIECES(8)];\nEACH ((u%u *)(void *)e)[i] = (u%u)((const %s *)(const void *)x1)[i];\n",
			bits, bits, word_of(op->width[1]));
	}
	put_line_place(u, op, row);
	text_puts(u->out, "if (__builtin_expect(place != NULL, 1)) {\n");
	if (load) {
		const char *word = word_of(op->width[0]), *sign = a->is_signed ? "s" : "u";

		if (!row)
			text_printf(u->out,
				"const any%u v = *(const any%u *)(const void *)place;\n", bits,
				bits);
		text_printf(u->out, "part d[PIECES(%u)];\nEACH ((%s *)(void *)d)[i] = (%s)(%s%u)",
			op->width[0], word, word, sign, bits);
		if (row)
			text_printf(u->out, "((const any%u *)(const void *)place)[i];\n", bits);
		else
			text_puts(u->out, "v;\n");
		set_register(u, op, 0);
	} else {
		text_printf(u->out, "store_row_u%u(s, place, (const u%u *)(const void *)e);\n",
			bits, bits);
	}
	text_printf(u->out, "s->%s[space] += LANES * %u;\n} else {\n", load ? "loaded" : "stored",
		a->bytes);
	put_call(u, op, at, WAY_CALL);
	text_puts(u->out, "} }\n");
}

static void put_access(struct writer *u, const struct op *op, uint32_t at)
{
	const struct op_access *a = &op->access;
	bool load = op->kind == KIND_LOAD;
	unsigned bits = 8u * a->bytes, value = load ? 0 : 1;

	if (!is_masked(u, op) && is_line(u, op, a->base_operand)) {
		int64_t step = line_of(u, op, a->base_operand).step;

		if (step == a->bytes || (load && step == 0)) {
			put_line_access(u, op, at, step != 0);
			return;
		}
	}
	text_puts(u->out, "{ ");
	put_array(u, op, a->base_operand);
	if (load) {
		text_printf(u->out, "part e[PIECES(8)];\n");
	} else {
		put_array(u, op, 1);
		text_printf(u->out,
			"part e[PIECES(8)];\nEACH ((u%u *)(void *)e)[i] = (u%u)((const %s *)(const void *)x1)[i];\n",
			bits, bits, word_of(op->width[1]));
	}
	text_printf(u->out, "if (__builtin_expect(%s_", load ? "load" : "store");
	if (is_masked(u, op))
		text_puts(u->out, "some(s, ");
	else
		text_printf(u->out, "u%u(s, (%su%u *)(void *)", bits, load ? "" : "const ", bits);
	text_printf(u->out, "e, x%u, %d, %" PRId64 "%s, %d", a->base_operand,
		op->width[a->base_operand] == 8, a->add,
		a->base == BASE_DYNAMIC ? " + s->shared_end" : "", a->space == W_shared);
	if (is_masked(u, op))
		text_printf(u->out, ", m, %u", a->bytes);
	text_puts(u->out, "), 1)) {\n");
	if (load) {
		text_printf(u->out,
			"part d[PIECES(%u)];\nEACH ((%s *)(void *)d)[i] = (%s)((const %s%u *)(const void *)e)[i];\n",
			op->width[0], word_of(op->width[0]), word_of(op->width[0]),
			a->is_signed ? "s" : "u", bits);
		set_register(u, op, value);
	}
	text_puts(u->out, "} else {\n");
	put_call(u, op, at, WAY_CALL);
	text_puts(u->out, "} }\n");
}

/* After a taken branch the execution loop decides whether the group goes on. */
static void put_branch(struct writer *u, const struct op *op, uint32_t at)
{
	uint32_t to = op->branch.target;
	bool back = to <= at;

	if (is_masked(u, op) && op_is_guarded(op))
		text_printf(u->out, "if (m == active) {\n");
	else
		text_puts(u->out, "{\n");
	if (back)
		text_printf(u->out, "if (start == %u) n%u++; else ", to, at);
	text_printf(u->out, "count_runs(s, start, %u, lanes, 1);\nleft -= %u - start;\n", at + 1,
		at + 1);
	text_printf(u->out,
		"if (left == 0 || %uu >= watch || (%uu <= start && (s->turn || (*s->polled && !*s->effect)))) { pc = %u; what = YIELD; goto X%u; }\n",
		to, to, to, at);
	if (back)
		text_printf(u->out,
			"if (*s->polled && %uu <= start) { *s->made_effect = 1; *s->polled = *s->effect = 0; }\n",
			to);
	if (flushes(u, at, to))
		put_operands(u, &u->now, &u->useful[to], true);
	text_printf(u->out,
		"start = %u; *s->run_pc = %u; stop = stop_of(%u, left, watch); goto L%u;\n}\n", to,
		to, to, to);
	if (op_is_guarded(op))
		text_printf(u->out, "if (m) { pc = %u; what = PART; goto X%u; }\n", at, at);
}

static void put_op(struct writer *u, uint32_t at)
{
	const struct op *op = &u->c->op[at];
	enum way way = (enum way)u->way[at];
	bool guarded = op_is_guarded(op);

	if (guarded && op->guard_xor)
		text_printf(u->out, "m = %s~p%u;\n", u->full ? "" : "active & ", op->guard);
	else if (guarded)
		text_printf(u->out, "m = %sp%u;\n", u->full ? "" : "active & ", op->guard);
	else
		text_puts(u->out, "m = active;\n");
	bool tests = guarded && way != WAY_LANES && way != WAY_COPY && way != WAY_PACK &&
		way != WAY_UNPACK && way != WAY_NOT && way != WAY_BRANCH && way != WAY_SREG;

	if (tests)
		text_puts(u->out, "if (m) {\n");
	switch (way) {
	case WAY_LEAVE:
		text_printf(u->out, "pc = %u; what = %s; goto X%u;\n", at,
			u->lined && !writes_operands(op) ? "FRESH" : "FULL", at);
		break;
	case WAY_BARRIER:
		text_printf(u->out, "pc = %u; what = s->advance%s ? BARRIER : FULL; goto X%u;\n",
			at, is_masked(u, op) ? " && m == active" : "", at);
		break;
	case WAY_CALL:
	case WAY_KERNEL: put_call(u, op, at, way); break;
	case WAY_LANES:
		put_wrap_test(u, op, at);
		put_lanes(u, op);
		break;
	case WAY_COPY:
		put_wrap_test(u, op, at);
		put_copy(u, op);
		break;
	case WAY_PACK: put_pack(u, op); break;
	case WAY_UNPACK: put_unpack(u, op); break;
	case WAY_NOT:
		text_puts(u->out, "{ const u32 bits = ~");
		put_predicate(u, op, 1);
		text_puts(u->out, ";\n");
		set_predicate(u, op);
		text_puts(u->out, "}\n");
		break;
	case WAY_PARAM: put_param(u, op); break;
	case WAY_SREG: put_sreg(u, op); break;
	case WAY_LOAD:
	case WAY_STORE: put_access(u, op, at); break;
	case WAY_BRANCH: put_branch(u, op, at); break;
	case WAY_NOTHING: break;
	}
	if (tests)
		text_puts(u->out, "}\n");
}

/* --- the function --- */

static void find_entries(struct writer *u)
{
	const struct code_func *c = u->c;

	u->entry[0] = 1;
	for (uint32_t k = 0; k < c->nops; k++) {
		const struct op *op = &c->op[k];

		if (op->kind == KIND_BRANCH)
			u->entry[op->branch.target] = 1;
		for (uint32_t j = 0; op->kind == KIND_BRANCH_INDEX && j < op->table->count; j++)
			u->entry[op->table->target[j]] = 1;
		if (is_exit(u, k) && k + 1 < c->nops)
			u->entry[k + 1] = 1;
	}
}

/* Before op AT: the ops until the next check are in this straight run, or the loop executes what is
 * left of it. */
static void put_check(struct writer *u, uint32_t at)
{
	uint32_t end = at + 1;

	while (end < u->c->nops && !u->entry[end] && end % CHECK_EVERY)
		end++;
	text_printf(u->out,
		"if (__builtin_expect(stop < %u, 0)) { pc = %u; what = LEAVE; goto C%u; }\n", end,
		at, at);
}

static bool is_back(const struct op *op, uint32_t at)
{
	return op->kind == KIND_BRANCH && op->branch.target <= at;
}

/* Label KIND AT, where the registers that differ are stored before the function is left. */
static void put_exit(struct writer *u, char kind, uint32_t at)
{
	struct text *out = u->out;

	u->out = &u->exits;
	text_printf(u->out, "%c%u:;\n", kind, at);
	put_operands(u, &u->now, &u->useful[at], true);
	text_puts(u->out, "goto end;\n");
	u->out = out;
}

/* Compilers vectorise nothing in loops that can be entered at several places. So whoever begins in
 * the middle of a loop enters it at its first op, and outer loops before, and jumps on from there.
 *
 * The first op after FROM where a loop that contains op AT begins, or AT. */
static uint32_t next_stop(const struct writer *u, uint32_t from, uint32_t at)
{
	for (uint32_t k = from; k < at; k++)
		if (u->loop_end[k] >= at)
			return k;
	return at;
}

static void put_loop_begin(struct writer *u, uint32_t first)
{
	uint32_t end = u->loop_end[first];
	bool any = false;

	for (uint32_t k = first + 1; k <= end; k++)
		if (u->entry[k]) {
			uint32_t next = next_stop(u, first + 1, k);

			if (!any)
				text_puts(u->out,
					"if (__builtin_expect(to != 0, 0)) {\nswitch (to) {\n");
			any = true;
			text_printf(u->out, "case %u: %sgoto L%u;\n", k + 1,
				next == k ? "to = 0; " : "", next);
		}
	if (any)
		text_puts(u->out, "}\n}\n");
}

static void put_body(struct writer *u, const char *name)
{
	const struct code_func *c = u->c;

	memset(u->dirty, 0, (c->nops + 1) * sizeof *u->dirty);
	memset(u->live, 0, (c->nops + 1) * sizeof *u->live);
	memset(u->useful, u->quiet ? 0 : 0xff, (c->nops + 1) * sizeof *u->useful);
	find_dirty(u);
	if (u->quiet)
		find_live(u, true);
	find_live(u, false);
	if (u->lined)
		find_need(u);
	text_printf(u->out,
		"static __attribute__((noinline)) int %s_%s(struct native_state **at)\n{\n"
		"struct native_state *s = *at;\n"
		"u8 *R = s->regs; const u8 *const K = s->constants;\n"
		"u32 active = %s, lanes = count_of(active), watch = s->watch;\n"
		"u32 to = 0, pc = s->pc, start = s->start, left = s->left, m = 0; int flow = 0; enum { YIELD, LEAVE, FULL, FRESH, PART, BARRIER, OTHER } what;\n"
		"u32 stop = stop_of(start, left, watch); (void)K; (void)m; (void)flow;\n",
		name,
		u->lined          ? "lined"
			: u->full ? "all"
				  : "some",
		u->full ? "UINT32_MAX" : "s->active");
	for (uint32_t k = 0; k < c->nops; k++)
		if (is_back(&c->op[k], k))
			text_printf(u->out, "u64 n%u = 0;\n", k);
	for (uint32_t k = 0; k < u->place.count; k++) {
		const struct place *p = &u->place.data[k];

		if (!p->width)
			text_printf(u->out, "u32 p%u;\n", p->at);
		if (u->lined && p->line.shape == SHAPE_LINE)
			text_printf(u->out, "%s l%u;\n", word_of(p->width), p->at);
		else
			for (unsigned j = 0; p->width && j < pieces(u, p->width); j++)
				text_printf(u->out, "part r%u_%u;\n", p->at, j);
	}
	/* counts of loops that are one straight run */
	text_puts(u->out, "#define SETTLE");
	for (uint32_t k = 0; k < c->nops; k++)
		if (is_back(&c->op[k], k))
			text_printf(u->out,
				" if (n%u) { count_runs(s, %u, %u, lanes, n%u); n%u = 0; }", k,
				c->op[k].branch.target, k + 1, k, k);
	text_puts(u->out, "\nenter:\nswitch (pc) {\n");
	for (uint32_t k = 0; k < c->nops; k++)
		if (u->entry[k]) {
			text_printf(u->out, "case %u:\n", k);
			move_set(u, &u->live[k], false);
			if (next_stop(u, 0, k) != k)
				text_printf(
					u->out, "to = %u; __asm__(\"\" : \"+r\"(to));\n", k + 1);
			text_printf(u->out, "goto L%u;\n", next_stop(u, 0, k));
		}
	text_puts(u->out, "default: what = LEAVE; goto end;\n}\n");
	for (uint32_t k = 0; k < c->nops; k++) {
		struct set reads, writes;

		if (u->entry[k]) {
			text_printf(u->out, "L%u:;\n", k);
			u->now = u->dirty[k];
			if (u->loop_end[k])
				put_loop_begin(u, k);
		}
		if (checks_before(u, k)) {
			put_check(u, k);
			put_exit(u, 'C', k);
		}
		put_op(u, k);
		if (is_exit(u, k))
			put_exit(u, 'X', k);
		uses(u, k, &reads, &writes);
		set_join(&u->now, &writes);
		if (falls_on(u, k) && u->entry[k + 1] && flushes(u, k, k + 1))
			put_operands(u, &u->now, &u->useful[k + 1], true);
	}
	text_puts(u->out, text_str(&u->exits));
	text_clear(&u->exits);
	/* the last op never falls through */
	text_puts(u->out,
		"end:\nSETTLE\n"
		"if (what == YIELD || what == LEAVE || what == OTHER) { s->pc = pc; s->start = start; s->left = left; return what == YIELD ? NATIVE_NEXT : what == OTHER ? NATIVE_OTHER : NATIVE_LEAVE; }\n"
		"if (what == FULL || what == FRESH) { flow = s->exec(s->warp, pc, m); if (flow == NATIVE_NEXT) {\n"
		"pc++; if (what == FULL) goto enter;\n"
		"s->pc = pc; s->start = start; s->left = left; return NATIVE_AGAIN; } }\n"
		"count_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start);\n"
		"if (what == BARRIER) {\n"
		"s->pc = pc;\n");
	if (u->lined)
		text_puts(u->out, "s->proven = pc + 2;\n");
	text_puts(u->out, "s = s->advance(s); if (!s) return NATIVE_BARRIER;\n*at = s;\n");
	if (u->lined)
		text_puts(u->out,
			"if (s->proven != s->pc + 1) return NATIVE_AGAIN;\ns->proven = 0;\n");
	else if (u->full && u->has_lines)
		text_puts(u->out, "if (s->rows) return NATIVE_AGAIN;\n");
	text_puts(u->out,
		"R = s->regs; pc = s->pc; start = s->start; left = s->left; watch = s->watch; stop = stop_of(start, left, watch);\n");
	if (!u->full)
		text_puts(u->out, "active = s->active; lanes = count_of(active);\n");
	text_puts(u->out,
		"goto enter; }\n"
		"if (what == PART) { s->part(s->warp, pc, m); return NATIVE_SWITCH; }\nreturn flow;\n"
		/* a fault: nobody looks at the registers any more */
		"out:\nSETTLE\ncount_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start); return flow;\n"
		"#undef SETTLE\n}\n");
}

/* Whether the registers are the lines that the copy `lined` needs at the op where it would begin.
 */
static void put_fits(struct writer *u, const char *name)
{
	text_printf(u->out,
		"static bool %s_fits(const struct native_state *s)\n{\nconst u8 *const R = s->regs;\n"
		"(void)R;\nif (s->proven == s->pc + 1) return true;\nswitch (s->pc) {\n",
		name);
	for (uint32_t k = 0; k < u->c->nops; k++) {
		if (!u->entry[k])
			continue;
		text_printf(u->out, "case %u: return true", k);
		for (uint32_t j = 0; j < u->place.count; j++) {
			const struct place *p = &u->place.data[j];

			if (p->line.shape == SHAPE_LINE && set_has(&u->need[k], j))
				text_printf(u->out,
					" && in_steps(R + %u, %d, (u64)INT64_C(%" PRId64 "))",
					p->at, p->width == 8, p->line.step);
		}
		text_puts(u->out, ";\n");
	}
	text_puts(u->out, "default: return false;\n}\n}\n");
}

bool native_unit_text(const struct code_func *c, const char *name, unsigned vector, bool silent,
	uint8_t *entry, struct text *out)
{
	struct writer u = {.c = c, .out = out, .vector = vector, .entry = entry};
	bool ok = c->nops <= NATIVE_MOST_OPS;

	u.quiet = silent && is_quiet(c);

	u.way = memory_zeroed(c->nops + 1, 1);
	memset(entry, 0, c->nops);
	for (uint32_t k = 0; ok && k < c->nops; k++)
		u.way[k] = (uint8_t)way_of(c, &c->op[k]);
	ok = ok && find_places(&u);
	if (ok) {
		find_entries(&u);
		u.has_lines = lines_find(&u);
		u.dirty = memory_zeroed(c->nops + 1, sizeof *u.dirty);
		u.live = memory_zeroed(c->nops + 1, sizeof *u.live);
		u.useful = memory_zeroed(c->nops + 1, sizeof *u.useful);
		u.need = memory_zeroed(c->nops + 1, sizeof *u.need);
		u.loop = memory_zeroed(c->nops + 1, sizeof *u.loop);
		u.loop_end = memory_zeroed(c->nops + 1, sizeof *u.loop_end);
		find_loops(&u);
		u.full = true;
		u.lined = u.has_lines;
		if (u.lined) {
			put_body(&u, name);
			put_fits(&u, name);
		}
		u.lined = false;
		put_body(&u, name);
		u.full = false;
		put_body(&u, name);
		text_printf(out,
			"int %1$s(struct native_state *s)\n{\nbool other = false;\n"
			"for (;;) {\nint r;\n"
			"if (s->active != UINT32_MAX) r = %1$s_some(&s);\n",
			name);
		if (u.has_lines)
			text_printf(out,
				"else if (!other && s->rows && %1$s_fits(s)) { s->proven = 0; r = %1$s_lined(&s); }\n",
				name);
		text_printf(out,
			"else r = %s_all(&s);\nif (r < NATIVE_AGAIN) return r;\nother = r == NATIVE_OTHER;\n}\n}\n",
			name);
	}
	memory_drop(u.way);
	memory_drop(u.dirty);
	memory_drop(u.live);
	memory_drop(u.useful);
	memory_drop(u.need);
	memory_drop(u.loop);
	memory_drop(u.loop_end);
	text_free(&u.exits);
	vec_free(&u.place);
	return ok;
}
