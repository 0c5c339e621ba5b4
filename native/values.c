/* How ops use the variables of a unit (values.h). A register is `pieces` vectors r<place>_<k>; a
 * predicate is a word p<place>; a register that is a line in this copy is the value l<place> of its
 * first lane, and h<place> of lane 16 where the two halves of a warp are lines of their own. */
#include "native/values.h"
#include "native/together.h"
#include <inttypes.h>

bool is_line(const struct writer *u, const struct op *op, unsigned k)
{
	return u->lined && line_of(u, op, k).shape == SHAPE_LINE;
}

void put_first(struct writer *u, const struct op *op, unsigned k, unsigned part)
{
	uint64_t value;

	if (op->at[k] & 1) {
		constant_value(u->c, op->at[k], op->width[k], &value);
		text_printf(u->out, "(%s)0x%" PRIx64 "u", word_of(op->width[k]), value);
	} else {
		text_printf(u->out, "%c%u", "lh"[part], op -> at[k]);
	}
}

/* What lane i has of the line at AT, of WIDTH bytes. */
static void put_point(struct writer *u, uint32_t at, unsigned width, int64_t step)
{
	if (u->lined == 2)
		text_printf(u->out, "(i < 16 ? l%u : h%u)", at, at);
	else
		text_printf(u->out, "l%u", at);
	if (step)
		text_printf(u->out, " + (%s)(i%s) * (%s)0x%" PRIx64 "u", word_of(width),
			u->lined == 2 ? " & 15" : "", word_of(width),
			width == 4 ? (uint64_t)(uint32_t)step : (uint64_t)step);
}

void put_lane(struct writer *u, const struct op *op, unsigned k)
{
	if (op->at[k] & 1)
		put_first(u, op, k, 0);
	else
		put_point(u, op->at[k], op->width[k], line_of(u, op, k).step);
}

/* The assignments of register P between its variables and the frame. CANONICAL: what is stored. */
static void move_place(struct writer *u, const struct place *p, bool store, bool canonical)
{
	if (!p->width)
		text_printf(u->out,
			store ? "*(u32 *)(void *)(R + %u) = p%u;\n"
			      : "p%2$u = *(const u32 *)(const void *)(R + %1$u);\n",
			p->at, p->at);
	if (u->lined && p->line.shape == SHAPE_LINE) {
		const char *any = p->width == 4 ? "any32" : "any64";

		if (store) {
			text_printf(u->out, "EACH ((%s *)(void *)(R + %u))[i] = ", any, p->at);
			put_point(u, p->at, p->width, p->line.step);
			text_puts(u->out, ";\n");
			return;
		}
		for (unsigned part = 0; part < u->lined && !u->loose; part++)
			text_printf(u->out, "%c%u = ((const %s *)(const void *)(R + %u))[%u];\n",
				"lh"[part], p -> at, any, p -> at, part *LANES / 2);
		if (u->loose)
			text_printf(u->out,
				"l%1$u = ((const %2$s *)(const void *)(R + %1$u))[first] - (%3$s)first * (%3$s)INT64_C(%4$" PRId64
				");\n",
				p->at, any, word_of(p->width), p->line.step);
		return;
	}
	for (unsigned k = 0; p->width && k < pieces(u, p->width); k++)
		text_printf(u->out,
			store && canonical ? "store_canonical(R + %1$u, r%2$u_%3$u);\n"
				: store    ? "*(part *)(void *)(R + %1$u) = r%2$u_%3$u;\n"
					: "r%2$u_%3$u = *(const part *)(const void *)(R + %1$u);\n",
			p->at + k * u->vector, p->at, k);
}

void move_set(struct writer *u, const struct set *s, bool store)
{
	for (uint32_t k = 0; !u->framed && k < u->place.count; k++)
		if (set_has(s, k))
			move_place(u, &u->place.data[k], store, set_has(&u->nans, k));
}

void put_operands(struct writer *u, const struct set *s, const struct set *among, bool store)
{
	struct set both = {{0}};

	set_join_both(&both, s, among);
	move_set(u, &both, store);
}

void put_array(struct writer *u, const struct op *op, unsigned k)
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
		put_lane(u, op, k);
		text_puts(u->out, ";\n");
		return;
	}
	text_printf(u->out, "part x%u[PIECES(%u)] = {", k, op->width[k]);
	for (unsigned j = 0; j < pieces(u, op->width[k]); j++)
		text_printf(u->out, "r%u_%u,", op->at[k], j);
	text_puts(u->out, "};\n");
}

void put_predicate(struct writer *u, const struct op *op, unsigned k)
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

void put_element(struct writer *u, const struct op *op, unsigned k, const struct arith_text *t,
	unsigned type, char name)
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
		if (u->scalar)
			put_first(u, op, k, u->scalar - 1);
		else
			put_lane(u, op, k);
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

bool keeps(const struct writer *u, const struct op *op, unsigned k)
{
	return is_masked(u, op) || (u->parting && set_has(&u->later, place_find(u, op->at[k])));
}

void set_register(struct writer *u, const struct op *op, unsigned k)
{
	unsigned width = op->width[k];

	if (is_line(u, op, k)) {
		for (unsigned part = 0; part < u->lined; part++)
			text_printf(u->out, "%c%u = ((const %s *)(const void *)d)[%u];\n",
				"lh"[part], op -> at[k], word_of(width), part *LANES / 2);
		return;
	}
	if (keeps(u, op, k)) {
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

void set_predicate(struct writer *u, const struct op *op)
{
	if (keeps(u, op, 0))
		text_printf(u->out, "p%u = (p%u & ~m) | (bits & m);\n", op->at[0], op->at[0]);
	else
		text_printf(u->out, "p%u = bits;\n", op->at[0]);
}

/* CALL: the beginning of a call that executes OP, whose result, if it has one, goes to `flow`. */
static void put_executor(
	struct writer *u, const struct op *op, uint32_t at, const char *call, bool flows)
{
	struct set all = {{0}};

	named(u, op, &all);
	put_operands(u, &all, &u->now, true);
	if (op->kind == KIND_SREG)
		text_puts(u->out, "PASS_TIME\n");
	text_printf(u->out, "%s%s, %u, m);\n", flows ? "flow = " : "", call, at);
	move_set(u, &all, false);
	if (!flows)
		return;
	text_puts(u->out, "if (__builtin_expect(flow != NATIVE_NEXT, 0)) { ");
	put_together_undo(u, at);
	text_printf(u->out, "pc = %u; goto out; }\n", at);
}

void put_call(struct writer *u, const struct op *op, uint32_t at, enum way way)
{
	if (way == WAY_KERNEL)
		put_executor(u, op, at, "s->kernel(s->warp", false);
	else
		put_executor(u, op, at, "s->exec(s->warp", true);
}

void put_slow(struct writer *u, const struct op *op, uint32_t at, bool rarely)
{
	struct set all = u->useful[at];

	if (!u->parting) {
		put_executor(u, op, at, rarely ? "exec_rarely(s" : "s->exec(s->warp", true);
		return;
	}
	/* those that go on need what is read from here on, those that wait what is read there */
	set_join(&all, &u->later);
	put_operands(u, &u->now, &all, true);
	text_printf(u->out, "pc = %u; goto D%u;\n", at, u->parting - 1);
}
