/* Loads and stores. Where the address is a line whose step is the size of the access, or 0, its
 * first bytes are checked for all lanes; else the addresses of 32 lanes are looked at
 * (prelude.h). What is not inside one block of memory, or misaligned, is not done here. */
#include "native/access.h"
#include "native/together.h"
#include "native/values.h"
#include "isa/isa.h"
#include "isa/order.h"
#include <inttypes.h>

enum { ROUNDS_AHEAD = 4 };

/* The operand of element E of an access. */
static unsigned value_operand(const struct op *op, unsigned e)
{
	return op->kind == KIND_LOAD ? e : e + 1;
}

/* The lanes that execute an op, which is MASKED if its guard or its group selects some. */
static const char *lanes_of(const struct writer *u, bool masked)
{
	return masked ? "m" : u->loose ? "active" : "UINT32_MAX";
}

/* The lane that PART of them lacks: what hole_of() says, or for MASKED rows not more than whether
 * they lack any. */
static const char *hole_of(const struct writer *u, bool masked, unsigned part)
{
	if (!masked)
		return u->loose ? "hole" : "LANES + 1";
	return u->lined != 2 ? "hole_of(m)"
		: part       ? "hole_of(m >> 16 | 0xffff0000)"
			     : "hole_of(m | 0xffff0000)";
}

/* "const T f<E>[32]" as a pointer: what is stored, cut to the elements' width. */
static void put_stored(struct writer *u, const struct op *op)
{
	unsigned bits = 8u * op->access.bytes;

	for (unsigned e = 0; e < op->access.vector; e++) {
		unsigned k = value_operand(op, e);

		put_array(u, op, k);
		text_printf(u->out,
			"part e%u[PIECES(8)];\nEACH ((u%u *)(void *)e%u)[i] = (u%u)((const %s *)(const void *)x%u)[i];\n",
			e, bits, e, bits, word_of(op->width[k]), k);
	}
}

/* Element E, which is in the first lanes of array e<E>, becomes its register. */
static void put_loaded(struct writer *u, const struct op *op, unsigned e)
{
	const struct op_access *a = &op->access;
	const char *word = word_of(op->width[e]);

	text_printf(u->out,
		"{ part d[PIECES(%u)];\nEACH ((%s *)(void *)d)[i] = (%s)((const %s%u *)(const void *)e%u)[i];\n",
		op->width[e], word, word, a->is_signed ? "s" : "u", 8u * a->bytes, e);
	set_register(u, op, e);
	text_puts(u->out, "}\n");
}

/* --- lines --- */

/* What must hold for OP besides its addresses: strong accesses come after reductions that wait. */
static const char *unless_waiting(const struct op *op)
{
	return op->access.sem == SEM_WEAK ? "" : "!*s->combining && ";
}

/* The address of the first lane of PART, ADD bytes after the base of OP. */
static void put_line_address(struct writer *u, const struct op *op, unsigned part, int64_t add)
{
	unsigned k = op->access.base_operand;
	const char *word = op->width[k] == 8 ? "u64" : "u32";

	text_printf(u->out, "(%s)(", word);
	put_first(u, op, k, part);
	text_printf(u->out, " + (%s)(INT64_C(%" PRId64 ")%s))", word, add,
		op->access.base == BASE_DYNAMIC ? " + s->shared_end" : "");
}

/* "place" and, for halves, "high": where the first bytes of each part's access are. */
static void put_line_places(struct writer *u, const struct op *op)
{
	static const char *const name[] = {"place", "high"};
	const struct op_access *a = &op->access;
	bool near = is_near(op);

	text_puts(u->out, near ? "enum { space = 1 };\n" : "unsigned space;\n");
	for (unsigned part = 0; part < u->lined; part++) {
		text_printf(u->out, near ? "const u64 %s_at = " : "u8 *const %s = bytes_at(s, ",
			name[part]);
		put_line_address(u, op, part, a->add);
		if (near)
			text_printf(u->out, ";\nu8 *const %1$s = shared + %1$s_at;\n", name[part]);
		else
			text_printf(u->out, ", %u, %u, %d, %d, &space);\n", lane_bytes(op),
				line_bytes(u, op), a->space == W_shared, op->kind == KIND_STORE);
	}
}

/* Whether the places are inside and aligned. */
static void put_line_fits(struct writer *u, const struct op *op)
{
	text_puts(u->out, unless_waiting(op));
	for (unsigned part = 0; part < u->lined; part++) {
		const char *name = part ? "high" : "place", *also = part ? " && " : "";

		if (is_near(op))
			text_printf(u->out, "%snear_fits(shared_bytes, %s_at, %u, %u)", also, name,
				lane_bytes(op), line_bytes(u, op));
		else
			text_printf(u->out, "%s%s != NULL", also, name);
	}
}

/* The same element for all lanes of each part. */
static void put_same_load(struct writer *u, const struct op *op)
{
	const struct op_access *a = &op->access;
	unsigned bits = 8u * a->bytes;

	for (unsigned e = 0; e < a->vector; e++) {
		const char *word = word_of(op->width[e]), *sign = a->is_signed ? "s" : "u";

		text_puts(u->out, "{ ");
		for (unsigned part = 0; part < u->lined; part++)
			text_printf(u->out,
				"const %s %s = (%s)(%s%u)((const any%u *)(const void *)%s)[%u];\n",
				word, part ? "w" : "v", word, sign, bits, bits,
				part ? "high" : "place", e);
		if (is_line(u, op, e)) {
			text_printf(u->out, "l%u = v;\n", op->at[e]);
			if (u->lined == 2)
				text_printf(u->out, "h%u = w;\n", op->at[e]);
		} else {
			text_printf(u->out,
				"part d[PIECES(%u)];\nEACH ((%s *)(void *)d)[i] = %s;\n",
				op->width[e], word, u->lined == 2 ? "i < 16 ? v : w" : "v");
			set_register(u, op, e);
		}
		text_puts(u->out, "}\n");
	}
}

/* A row of each part to registers. */
static void put_row_load(struct writer *u, const struct op *op)
{
	const struct op_access *a = &op->access;
	unsigned bits = 8u * a->bytes, lanes = LANES / u->lined;

	for (unsigned e = 0; e < a->vector; e++)
		text_printf(u->out, "part e%u[PIECES(8)];\n", e);
	for (unsigned part = 0; part < u->lined; part++) {
		text_printf(u->out, "EVERY_IN(%u) {", lanes);
		for (unsigned e = 0; e < a->vector; e++)
			text_printf(u->out,
				" ((any%u *)(void *)e%u)[%u + i] = ((const any%u *)(const void *)%s)[i * %u + %u];",
				bits, e, part * lanes, bits, part ? "high" : "place", a->vector, e);
		text_puts(u->out, " }\n");
	}
	for (unsigned e = 0; e < a->vector; e++)
		put_loaded(u, op, e);
}

/* Rows of single elements, in the lanes of m. */
static void put_row_store(struct writer *u, const struct op *op, bool masked)
{
	unsigned bits = 8u * op->access.bytes, lanes = LANES / u->lined;

	for (unsigned part = 0; part < u->lined; part++)
		text_printf(u->out,
			"store_row_u%u(s, %s, (const u%u *)(const void *)e0 + %u, %s, %s, %u, space);\n",
			bits, part ? "high" : "place", bits, part * lanes,
			masked && part ? "m >> 16" : lanes_of(u, masked), hole_of(u, masked, part),
			lanes);
}

/* "at[i * 2 + 1] OP e1[16 + i];" for each element. */
static void put_elements(struct writer *u, const struct op *op, unsigned part, const char *before,
	const char *between, const char *after)
{
	const struct op_access *a = &op->access;
	unsigned bits = 8u * a->bytes;

	for (unsigned e = 0; e < a->vector; e++)
		text_printf(u->out,
			" %s[i * %u + %u] %s ((const any%u *)(const void *)e%u)[%u + i]%s;", before,
			a->vector, e, between, bits, e, part * (LANES / u->lined), after);
}

/* Rows of vectors, in the lanes of m. */
static void put_vector_store(struct writer *u, const struct op *op, bool masked)
{
	unsigned bits = 8u * op->access.bytes, lanes = LANES / u->lined, total = lane_bytes(op);
	bool some = masked || u->loose;

	for (unsigned part = 0; part < u->lined; part++) {
		text_printf(u->out,
			"{ any%u *const at = (any%u *)(void *)%s; u%u d = 0; const u32 some = %s; const u64 lost = %s;\n",
			bits, bits, part ? "high" : "place", bits,
			masked && part ? "m >> 16" : lanes_of(u, masked), hole_of(u, masked, part));
		text_printf(u->out, "if (!*s->effect) {\nEVERY_IN(%u) {", lanes);
		put_elements(
			u, op, part, some ? "d |= (some >> i & 1) * (at" : "d |= (at", "^", ")");
		text_puts(u->out, " }\n*s->effect = d != 0;\n}\n");
		text_printf(u->out, "if (lost > LANES) EVERY_IN(%u) {", lanes);
		put_elements(u, op, part, "at", "=", "");
		if (some) {
			text_printf(u->out,
				" }\nelse if (lost < LANES && is_own(s, space)) {\n"
				"typedef u8 vector __attribute__((vector_size(%u), may_alias, aligned(1)));\n"
				"vector *const place = (vector *)(void *)at + lost; const vector kept = *place;\n"
				"EVERY_IN(%u) {",
				total, lanes);
			put_elements(u, op, part, "at", "=", "");
			text_printf(u->out,
				" }\n*place = kept;\n} else {\npart row[PIECES(%u)]; any%u *const all = (any%u *)(void *)row; EVERY_IN(%u) {",
				total, bits, bits, lanes);
			put_elements(u, op, part, "all", "=", "");
			text_printf(u->out,
				" }\nstore_vectors_%u(at, row, some, %u, is_own(s, space));", total,
				lanes);
		}
		text_puts(u->out, " }\n}\n");
	}
}

bool looks_ahead(const struct writer *u, uint32_t at)
{
	const struct op *op = &u->c->op[at];

	return u->way[at] == WAY_LOAD && op->access.space != W_shared && u->lined && !u->parting &&
		u->loop[at] != NO_LOOP && is_line(u, op, op->access.base_operand) &&
		line_of(u, op, op->access.base_operand).step == (int64_t)lane_bytes(op);
}

/* What loop AT will load in some rounds, if its addresses go on as they did: the caches' own
 * guesses end at pages, which the grid's stride leaves in every round. */
static void put_look_ahead(struct writer *u, uint32_t at)
{
	text_printf(u->out,
		"__builtin_prefetch((const void *)((u64)place + %2$u * ((u64)place - was%1$u)));\n"
		"__builtin_prefetch((const void *)((u64)place + %2$u * ((u64)place - was%1$u) + 64));\nwas%1$u = (u64)place;\n",
		at, ROUNDS_AHEAD);
}

/* A load of one address, or a load or store of a row, from or to the places. */
static void put_line_moves(struct writer *u, const struct op *op, uint32_t at, bool masked)
{
	bool load = op->kind == KIND_LOAD;

	if (!load && op->access.vector > 1)
		put_vector_store(u, op, masked);
	else if (!load)
		put_row_store(u, op, masked);
	else if (line_of(u, op, op->access.base_operand).step) {
		if (looks_ahead(u, at))
			put_look_ahead(u, at);
		put_row_load(u, op);
	} else
		put_same_load(u, op);
}

static void put_line_bytes(struct writer *u, const struct op *op, bool masked)
{
	text_printf(u->out, "s->%s[space] += (u64)%s * %u;\n",
		op->kind == KIND_LOAD ? "loaded" : "stored",
		masked             ? "count_of(m)"
			: u->loose ? "lanes"
				   : "LANES",
		lane_bytes(op));
}

/* Before access AT: if others begin with it, their places are checked, and their bytes counted. */
static void put_together_check(struct writer *u, uint32_t at)
{
	const struct together *t = &u->together[at];

	if (!together_begins(u, at))
		return;
	text_printf(u->out, "fit%u = ", at);
	for (unsigned part = 0; part < u->lined; part++) {
		text_printf(u->out, "%snear_fits(shared_bytes, ", part ? " && " : "");
		put_line_address(u, &u->c->op[at], part, t->low);
		text_printf(u->out, ", %u, %u)", t->align, (unsigned)(t->high - t->low));
	}
	text_printf(u->out, ";\nif (__builtin_expect(fit%u, 1)) {", at);
	put_together_bytes(u, at, at, "+=");
	text_puts(u->out, " }\n");
}

static void put_line_access(struct writer *u, const struct op *op, uint32_t at)
{
	bool masked = is_masked(u, op) || u->parting, together = together_has(u, at);

	text_puts(u->out, "{ ");
	if (op->kind == KIND_STORE)
		put_stored(u, op);
	if (together)
		put_together_check(u, at);
	put_line_places(u, op);
	if (together) {
		text_printf(u->out, "if (__builtin_expect(!fit%u, 0)) {\nif (!(",
			u->together[at].first);
		put_line_fits(u, op);
		text_puts(u->out, ")) {\n");
		put_slow(u, op, at, true);
		text_printf(u->out, "goto A%u;\n}\n", at);
		put_line_bytes(u, op, masked);
		text_puts(u->out, "}\n");
		put_line_moves(u, op, at, masked);
		text_printf(u->out, "A%u:;\n}\n", at);
		return;
	}
	text_puts(u->out, "if (__builtin_expect(");
	put_line_fits(u, op);
	text_puts(u->out, ", 1)) {\n");
	put_line_moves(u, op, at, masked);
	put_line_bytes(u, op, masked);
	text_puts(u->out, "} else {\n");
	put_slow(u, op, at, true);
	text_puts(u->out, "} }\n");
}

/* --- any addresses --- */

/* "load_x(s, TO, x<base>, ...": what all of the functions take. */
static void put_where(struct writer *u, const struct op *op)
{
	const struct op_access *a = &op->access;

	text_printf(u->out, ", x%u, %d, %" PRId64 "%s, %d", a->base_operand,
		op->width[a->base_operand] == 8, a->add,
		a->base == BASE_DYNAMIC ? " + s->shared_end" : "", a->space == W_shared);
}

static void put_any_access(struct writer *u, const struct op *op, uint32_t at)
{
	const struct op_access *a = &op->access;
	bool load = op->kind == KIND_LOAD, masked = is_masked(u, op) || u->parting;
	const char *name = load ? "load" : "store";
	unsigned bits = 8u * a->bytes;

	if (a->vector > 1 && !u->parting) { /* its executor transposes faster */
		put_slow(u, op, at, false);
		return;
	}
	text_puts(u->out, "{ ");
	put_array(u, op, a->base_operand);
	if (!load)
		put_stored(u, op);
	else
		for (unsigned e = 0; e < a->vector; e++)
			text_printf(u->out, "part e%u[PIECES(8)];\n", e);
	if (a->vector > 1) {
		text_printf(u->out, "%svoid *const list[] = {", load ? "" : "const ");
		for (unsigned e = 0; e < a->vector; e++)
			text_printf(u->out, "e%u,", e);
		text_printf(u->out, "};\nif (__builtin_expect(%s%s_vector(s, list",
			unless_waiting(op), name);
		put_where(u, op);
		text_printf(
			u->out, ", %s, %u, %u), 1)) {\n", lanes_of(u, masked), a->bytes, a->vector);
	} else {
		text_printf(u->out, "if (__builtin_expect(%s%s_u%u(s, (%su%u *)(void *)e0",
			unless_waiting(op), name, bits, load ? "" : "const ", bits);
		put_where(u, op);
		text_printf(u->out, ", %s), 1)) {\n", lanes_of(u, masked));
	}
	for (unsigned e = 0; load && e < a->vector; e++)
		put_loaded(u, op, e);
	text_puts(u->out, "} else {\n");
	put_slow(u, op, at, false);
	text_puts(u->out, "} }\n");
}

/* "ONE(i)" for the lanes of OP. */
static void put_each(struct writer *u, bool masked)
{
	text_printf(u->out, "%sFOR_LANES(i, %s) ONE(i)\n#undef ONE\n",
		masked ? ""
			: u->loose
			? "if (active == UINT32_MAX) for (unsigned i = 0; i < LANES; i++) ONE(i) else "
			: "for (unsigned i = 0; i < LANES; i++) ONE(i) if (false) ",
		lanes_of(u, masked));
}

/* Reductions that wait: with several host threads. */
static void put_sums(struct writer *u, const struct op *op, const char *result, bool masked)
{
	const struct op_access *a = &op->access;

	text_printf(u->out,
		"if ((host = sums_of(s, x%u, %" PRId64
		", %s, %u, %u, %u, off))) {\nstruct combine *const sums = *s->combine; u32 merged = 0;\n",
		a->base_operand, a->add, lanes_of(u, masked), a->bytes, a->atomic, a->type);
	text_printf(u->out,
		"#define B ((const any%1$u *)(const void *)x2)[i]\n"
		"if (!*s->effect) FOR_LANES(i, %3$s) { const u%1$u OLD = __atomic_load_n((any%1$u *)(void *)(host + off[i]), __ATOMIC_RELAXED); if ((u%1$u)(%2$s) != OLD) { *s->effect = 1; break; } }\n",
		8u * a->bytes, result, lanes_of(u, masked));
	text_printf(u->out,
		"#define ONE(i) { struct combine_slot *const to = combine_slot_of(sums, off[i], %1$u);"
		" if (to->place == off[i] + 1) { const u%2$u OLD = (u%2$u)to->value; to->value = (u%2$u)(%3$s); merged++; } else s->sum(s->warp, off[i], B); }\n",
		a->bytes, 8u * a->bytes, result);
	put_each(u, masked);
	text_puts(u->out, "#undef B\nsums->merged += merged;\n} else ");
}

/* Lane by lane, in their order. What was there goes to the register, or to the frame if it is read
 * nowhere and so no variable. */
void put_atomic(struct writer *u, const struct op *op, uint32_t at)
{
	static const char *const results[] = {
#define ATOMIC(NAME, word, commutes, text) [ATOMIC_##NAME] = #text,
#include "isa/atomic.def"
	};
	const struct op_access *a = &op->access;
	const char *result = results[a->atomic];
	uint32_t place = place_find(u, op->at[0]);
	bool masked = is_masked(u, op) || u->parting, variable = place != NO_PLACE;
	unsigned bits = 8u * a->bytes;

	if (variable && u->place.data[place].width != a->bytes) {
		put_slow(u, op, at, false);
		return;
	}
	text_puts(u->out, "{ ");
	for (unsigned k = 1; k < op->noperands; k++)
		put_array(u, op, k);
	text_printf(u->out,
		"u64 off[LANES]; u8 *host;\n#define LESS(x, y) ((%1$c%2$u)(x) < (%1$c%2$u)(y))\n",
		a->is_signed ? 's' : 'u', bits);
	if (op_is_sum(op))
		put_sums(u, op, result, masked);
	text_puts(u->out, "if (__builtin_expect((host = atomic_places(s");
	put_where(u, op);
	text_printf(u->out, ", %s, %u, off)) != NULL, 1)) {\nu%u changed = 0;\n",
		lanes_of(u, masked), a->bytes, bits);
	if (variable)
		text_printf(u->out, "part d[PIECES(%u)] = {0};\n", a->bytes);
	text_printf(u->out,
		"#define ONE(i) { any%1$u *const to = (any%1$u *)(void *)(host + off[i]); const u%1$u OLD = *to, B = ((const any%1$u *)(const void *)x2)[i], C = ((const any%1$u *)(const void *)x%2$u)[i], now = (%3$s); (void)B; (void)C;"
		" *to = now; changed |= now ^ OLD; ((any%1$u *)(void *)(",
		bits, op->noperands > 3 ? 3u : 2u, result);
	text_printf(u->out, variable ? "d" : "R + %u", op->at[0]);
	text_puts(u->out, "))[i] = OLD; }\n");
	put_each(u, masked);
	text_puts(u->out, "#undef LESS\n*s->effect |= changed != 0;\n");
	if (variable)
		set_register(u, op, 0);
	text_puts(u->out, "} else {\n");
	put_slow(u, op, at, false);
	text_puts(u->out, "} }\n");
}

void put_access(struct writer *u, const struct op *op, uint32_t at)
{
	if (op->kind == KIND_LOAD && op->access.sem != SEM_WEAK)
		text_puts(u->out, "*s->polled = 1;\n");
	if (is_lined(u, op))
		put_line_access(u, op, at);
	else
		put_any_access(u, op, at);
}
