/* Writes a function as C. Registers are local variables of vector type; each op is a loop over 32
 * lanes of the very expression that its kernel has (arith/text.h), which the compiler turns into
 * vector instructions; loads and stores are checked inline. Whatever else an op does, its executor
 * does: then the registers that it uses are stored to the frame before, and loaded after.
 *
 * The function is written twice, for groups of all 32 lanes and for others. */
#include "native/unit.h"
#include "arith/text.h"
#include "base/memory.h"
#include "base/vec.h"
#include "isa/order.h"
#include <inttypes.h>
#include <string.h>

enum { MOST_REGISTERS = 400, CHECK_EVERY = 24 };

/* How an op becomes C. */
enum way {
	/* its executor, with all registers in the frame: it may change where lanes are, or
	   registers that it does not name */
	WAY_LEAVE,
	WAY_CALL,   /* its executor, which uses only the registers that it names */
	WAY_KERNEL, /* the same with a kernel */
	WAY_LANES,  /* an expression */
	WAY_COPY,   /* the same bits, zero-extended or cut off */
	WAY_PACK,   /* two registers of 4 bytes to one of 8 */
	WAY_UNPACK, /* back */
	WAY_NOT,    /* a predicate's complement */
	WAY_PARAM,  /* a kernel parameter */
	WAY_LOAD,
	WAY_STORE,
	WAY_BRANCH,
	WAY_NOTHING,
};

struct place {
	uint32_t at;
	uint8_t width; /* bytes a lane; 0: predicate */
};

struct writer {
	const struct code_func *c;
	struct text *out;
	unsigned vector;
	bool full;               /* this copy is for all 32 lanes */
	uint8_t *entry;          /* [nops] */
	uint8_t *way;            /* [nops] enum way */
	VEC(struct place) place; /* the registers that are variables */
};

/* --- which way --- */

/* Kinds whose executors read and write nothing of the frame but their operands. */
static const uint8_t calls[KIND_COUNT] = {
	[KIND_NOTHING] = 1,
	[KIND_RESIZE] = 1,
	[KIND_REGROUP] = 1,
	[KIND_COMPLEMENT] = 1,
	[KIND_SREG] = 1,
	[KIND_ADDRESS] = 1,
	[KIND_CVTA] = 1,
	[KIND_ISSPACEP] = 1,
	[KIND_POLICY] = 1,
	[KIND_LOAD] = 1,
	[KIND_STORE] = 1,
	[KIND_ATOM] = 1,
	[KIND_RED] = 1,
};

static bool is_word(unsigned width) { return width == 2 || width == 4 || width == 8; }

static unsigned type_size(const char *type, size_t n)
{
	if (n == 5) /* float */
		return 4;
	if (n == 6) /* double */
		return 8;
	return n == 2 ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
}

/* Whether the operands of OP have the widths that the expression T takes. */
static bool text_fits(const struct op *op, const struct arith_text *t)
{
	unsigned types = t->form == 'c'            ? 3
		: t->form >= '1' && t->form <= '4' ? (unsigned)(t->form - '0') + 1
						   : 0;

	switch (t->form) {
	case 'l': return op->noperands == 2 && !op->width[0] && !op->width[1];
	case 'm': return op->noperands == 3 && !op->width[0] && !op->width[1] && !op->width[2];
	case 'p':
		return op->noperands == 2 && !op->width[0] &&
			op->width[1] == type_size(t->type[0], t->type_length[0]) &&
			is_word(op->width[1]);
	case 's':
	case 'n':
	case 'x':
	case 'y':
		return op->noperands == 3 && !op->width[0] && op->width[1] == op->width[2] &&
			op->width[1] == type_size(t->type[0], t->type_length[0]) &&
			is_word(op->width[1]);
	default: break;
	}
	if (op->noperands != types + (t->form == 'c') || op->ndests != 1)
		return false;
	for (unsigned k = 0; k < types; k++)
		if (op->width[k] != type_size(t->type[k], t->type_length[k]) * t->elements ||
			!is_word(op->width[k]))
			return false;
	return t->form != 'c' || !op->width[3];
}

static enum way way_of_memory(const struct op *op)
{
	const struct op_access *a = &op->access;
	bool load = op->kind == KIND_LOAD;
	unsigned address = op->width[a->base_operand], value = op->width[load ? 0 : 1];

	if (load && a->fixed && a->vector == 1 && is_word(value) && a->bytes <= 8)
		return WAY_PARAM;
	if (a->vector != 1 || a->sem != SEM_WEAK || a->bytes > 8 || a->base == BASE_FRAME ||
		!is_word(value) || value < a->bytes || a->base_operand != (load ? 1 : 0))
		return WAY_CALL;
	if (a->space == W_shared)
		return address == 4 || address == 8 ? WAY_LOAD : WAY_CALL;
	return (a->space == W_global || a->space == W_NONE) && address == 8 ? WAY_LOAD : WAY_CALL;
}

static enum way way_of(const struct op *op)
{
	struct arith_text t;

	switch ((int)op->kind) {
	case KIND_ALU:
		return arith_text(op->run.kernel, &t) && text_fits(op, &t) ? WAY_LANES : WAY_KERNEL;
	case KIND_BRANCH: return WAY_BRANCH;
	case KIND_NOTHING: return WAY_NOTHING;
	case KIND_COMPLEMENT: return WAY_NOT;
	case KIND_RESIZE:
		return is_word(op->width[0]) && is_word(op->width[1]) ? WAY_COPY : WAY_CALL;
	case KIND_CVTA:
		return !op->cvta.add && op->width[0] == 8 && op->width[1] == 8 ? WAY_COPY
									       : WAY_CALL;
	case KIND_REGROUP:
		if (op->noperands != 3)
			return WAY_CALL;
		return op->ndests == 1 && op->width[0] == 8 && op->width[1] == 4    ? WAY_PACK
			: op->ndests == 2 && op->width[0] == 4 && op->width[1] == 4 ? WAY_UNPACK
										    : WAY_CALL;
	case KIND_LOAD: return way_of_memory(op);
	case KIND_STORE: return way_of_memory(op) == WAY_LOAD ? WAY_STORE : WAY_CALL;
	default: return calls[op->kind] ? WAY_CALL : WAY_LEAVE;
	}
}

/* --- registers --- */

static bool place_add(struct writer *u, uint32_t at, unsigned width)
{
	if (at & 1)
		return true;
	for (uint32_t k = 0; k < u->place.count; k++) {
		struct place *p = &u->place.data[k];

		if (p->at == at) {
			if (p->width != width && (!p->width || !width))
				return false;
			p->width = p->width > width ? p->width : (uint8_t)width;
			return true;
		}
	}
	*vec_push(&u->place) = (struct place){at, (uint8_t)width};
	return u->place.count <= MOST_REGISTERS;
}

static const struct place *place_find(const struct writer *u, uint32_t at)
{
	for (uint32_t k = 0; k < u->place.count; k++)
		if (u->place.data[k].at == at)
			return &u->place.data[k];
	return NULL;
}

static uint32_t place_end(const struct place *p)
{
	return p->at + (p->width ? (uint32_t)((LANES * p->width + 63) / 64 * 64) : 4);
}

/* Whether no register begins inside another. */
static bool places_apart(const struct writer *u)
{
	for (uint32_t k = 0; k < u->place.count; k++)
		for (uint32_t j = 0; j < u->place.count; j++)
			if (j != k && u->place.data[j].at >= u->place.data[k].at &&
				u->place.data[j].at < place_end(&u->place.data[k]))
				return false;
	return true;
}

static bool find_places(struct writer *u)
{
	for (uint32_t k = 0; k < u->c->nops; k++) {
		const struct op *op = &u->c->op[k];

		if (op_is_guarded(op) && ((op->guard & 1) || !place_add(u, op->guard, 0)))
			return false;
		if (u->way[k] == WAY_LEAVE || u->way[k] == WAY_CALL || u->way[k] == WAY_KERNEL)
			continue;
		for (unsigned i = 0; i < op->noperands; i++)
			if (!place_add(u, op->at[i], op->width[i]))
				return false;
	}
	for (uint32_t k = 0; k < u->place.count; k++)
		if (u->place.data[k].width &&
			(u->place.data[k].width == 1 || u->place.data[k].width > 8))
			return false;
	return places_apart(u);
}

static unsigned pieces(const struct writer *u, unsigned width) { return LANES * width / u->vector; }

/* The assignments of register P between its variables and the frame. */
static void move_place(struct writer *u, const struct place *p, bool store)
{
	if (!p->width)
		text_printf(u->out,
			store ? "*(u32 *)(void *)(R + %u) = p%u;\n"
			      : "p%2$u = *(const u32 *)(const void *)(R + %1$u);\n",
			p->at, p->at);
	for (unsigned k = 0; p->width && k < pieces(u, p->width); k++)
		text_printf(u->out,
			store ? "*(part *)(void *)(R + %1$u) = r%2$u_%3$u;\n"
			      : "r%2$u_%3$u = *(const part *)(const void *)(R + %1$u);\n",
			p->at + k * u->vector, p->at, k);
}

static void move_all(struct writer *u, bool store)
{
	for (uint32_t k = 0; k < u->place.count; k++)
		move_place(u, &u->place.data[k], store);
}

static void move_at(struct writer *u, uint32_t at, bool store)
{
	const struct place *p = at & 1 ? NULL : place_find(u, at);

	if (p)
		move_place(u, p, store);
}

/* All registers that OP names, as far as they are variables. */
static void move_operands(struct writer *u, const struct op *op, bool store)
{
	const struct op_vector *v = op_accesses(op) ? op->access.vector_at : NULL;

	for (unsigned k = 0; k < op->noperands; k++)
		move_at(u, op->at[k], store);
	for (unsigned c = 0; v && c < 3; c++)
		for (unsigned e = 0; e < op->access.vector; e++)
			if (v->place[c][e])
				move_at(u, v->place[c][e], store);
}

/* --- operands --- */

static const char *word_of(unsigned width)
{
	return width == 2 ? "u16" : width == 4 ? "u32" : "u64";
}

/* Whether constant AT of WIDTH bytes is the same in all lanes; then *VALUE has it. */
static bool constant_value(const struct writer *u, uint32_t at, unsigned width, uint64_t *value)
{
	const unsigned char *p = u->c->constant + (at & ~1u);

	*value = 0;
	memcpy(value, p, width);
	for (unsigned k = 1; k < LANES; k++)
		if (memcmp(p, p + k * width, width) != 0)
			return false;
	return true;
}

/* Declares array x<K> of the 32 lanes of operand K, or a pointer to those of a constant. */
static void put_array(struct writer *u, const struct op *op, unsigned k)
{
	if (op->at[k] & 1) {
		text_printf(u->out,
			"const part *const x%u = (const part *)(const void *)(K + %u);\n", k,
			op->at[k] & ~1u);
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
	if ((op->at[k] & 1) && t->elements == 1 &&
		constant_value(u, op->at[k], op->width[k], &value)) {
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

static bool is_masked(const struct writer *u, const struct op *op)
{
	return !u->full || op_is_guarded(op);
}

/* Register operand K gets array d in the lanes of m. */
static void set_register(struct writer *u, const struct op *op, unsigned k)
{
	unsigned width = op->width[k];

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
	text_puts(u->out, "{ ");
	for (unsigned k = 1; k <= sources; k++)
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

/* The executor of OP, or its kernel, with the registers that it names in the frame. */
static void put_call(struct writer *u, const struct op *op, uint32_t at, enum way way)
{
	move_operands(u, op, true);
	if (op->kind == KIND_SREG)
		text_puts(u->out, "SETTLE\n");
	if (way == WAY_KERNEL)
		text_printf(u->out, "s->kernel(s->warp, %u, m);\n", at);
	else
		text_printf(u->out, "flow = s->exec(s->warp, %u, m);\n", at);
	move_operands(u, op, false);
	if (way != WAY_KERNEL)
		text_printf(u->out, "if (flow != NATIVE_NEXT) { pc = %u; goto out; }\n", at);
}

static void put_access(struct writer *u, const struct op *op, uint32_t at)
{
	const struct op_access *a = &op->access;
	bool load = op->kind == KIND_LOAD;
	unsigned bits = 8u * a->bytes, value = load ? 0 : 1;

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
	text_printf(u->out,
		"if (__builtin_expect(%s_u%u(s, (%su%u *)(void *)e, x%u, %d, %" PRId64
		"%s, %d, m), 1)) {\n",
		load ? "load" : "store", bits, load ? "" : "const ", bits, a->base_operand,
		op->width[a->base_operand] == 8, a->add,
		a->base == BASE_DYNAMIC ? " + s->shared_end" : "", a->space == W_shared);
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
		"if (left == 0 || %uu >= watch || (%uu <= start && (s->turn || (*s->polled && !*s->effect)))) { pc = %u; goto yield; }\n",
		to, to, to);
	if (back)
		text_printf(u->out,
			"if (*s->polled && %uu <= start) { *s->made_effect = 1; *s->polled = *s->effect = 0; }\n",
			to);
	text_printf(u->out,
		"start = %u; *s->run_pc = %u; stop = stop_of(%u, left, watch); goto L%u;\n}\n", to,
		to, to, to);
	if (op_is_guarded(op))
		text_printf(u->out, "if (m) { pc = %u; goto part; }\n", at);
}

static void put_leave(struct writer *u, const struct op *op, uint32_t at)
{
	(void)op;
	text_printf(u->out, "pc = %u; goto full;\n", at);
	(void)u;
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
		way != WAY_UNPACK && way != WAY_NOT && way != WAY_BRANCH;

	if (tests)
		text_puts(u->out, "if (m) {\n");
	switch (way) {
	case WAY_LEAVE: put_leave(u, op, at); break;
	case WAY_CALL:
	case WAY_KERNEL: put_call(u, op, at, way); break;
	case WAY_LANES: put_lanes(u, op); break;
	case WAY_COPY: put_copy(u, op); break;
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
		if ((u->way[k] == WAY_LEAVE || u->way[k] == WAY_BRANCH) && k + 1 < c->nops)
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
	text_printf(
		u->out, "if (__builtin_expect(stop < %u, 0)) { pc = %u; goto leave; }\n", end, at);
}

static bool is_back(const struct op *op, uint32_t at)
{
	return op->kind == KIND_BRANCH && op->branch.target <= at;
}

static void put_body(struct writer *u, const char *name)
{
	const struct code_func *c = u->c;

	text_printf(u->out,
		"static __attribute__((noinline)) int %s_%s(struct native_state *s)\n{\n"
		"u8 *const R = s->regs; const u8 *const K = s->constants;\n"
		"const u32 active = %s, lanes = count_of(active), watch = s->watch;\n"
		"u32 pc = s->pc, start = s->start, left = s->left, m = 0; int flow = 0;\n"
		"u32 stop = stop_of(start, left, watch); (void)K; (void)m; (void)flow;\n",
		name, u->full ? "all" : "some", u->full ? "UINT32_MAX" : "s->active");
	for (uint32_t k = 0; k < c->nops; k++)
		if (is_back(&c->op[k], k))
			text_printf(u->out, "u64 n%u = 0;\n", k);
	for (uint32_t k = 0; k < u->place.count; k++) {
		const struct place *p = &u->place.data[k];

		if (!p->width)
			text_printf(u->out, "u32 p%u;\n", p->at);
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
	text_puts(u->out, "\nenter:\n");
	move_all(u, false);
	text_puts(u->out, "switch (pc) {\n");
	for (uint32_t k = 0; k < c->nops; k++)
		if (u->entry[k])
			text_printf(u->out, "case %u: goto L%u;\n", k, k);
	text_puts(u->out, "default: goto leave;\n}\n");
	for (uint32_t k = 0; k < c->nops; k++) {
		if (u->entry[k])
			text_printf(u->out, "L%u:;\n", k);
		if (u->entry[k] || k % CHECK_EVERY == 0)
			put_check(u, k);
		put_op(u, k);
	}
	/* the last op never falls through */
	text_puts(u->out, "full:\nSETTLE\n");
	move_all(u, true);
	text_puts(u->out,
		"flow = s->exec(s->warp, pc, m);\nif (flow == NATIVE_NEXT) { pc++; goto enter; }\n"
		"count_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start); return flow;\n"
		"part:\nSETTLE\n");
	move_all(u, true);
	text_puts(u->out,
		"count_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start); s->part(s->warp, pc, m); return NATIVE_SWITCH;\n"
		"out:\nSETTLE\n");
	move_all(u, true);
	text_puts(u->out,
		"count_runs(s, start, pc + 1, lanes, 1); s->left = left - (pc + 1 - start); return flow;\n"
		"yield: flow = NATIVE_NEXT; goto end;\nleave: flow = NATIVE_LEAVE;\nend:\nSETTLE\n");
	move_all(u, true);
	text_puts(u->out,
		"s->pc = pc; s->start = start; s->left = left; return flow;\n#undef SETTLE\n}\n");
}

bool native_unit_text(const struct code_func *c, const char *name, unsigned vector, uint8_t *entry,
	struct text *out)
{
	struct writer u = {.c = c, .out = out, .vector = vector, .entry = entry};
	bool ok = c->nops <= NATIVE_MOST_OPS;

	u.way = memory_zeroed(c->nops + 1, 1);
	memset(entry, 0, c->nops);
	for (uint32_t k = 0; ok && k < c->nops; k++)
		u.way[k] = (uint8_t)way_of(&c->op[k]);
	ok = ok && find_places(&u);
	if (ok) {
		find_entries(&u);
		u.full = true;
		put_body(&u, name);
		u.full = false;
		put_body(&u, name);
		text_printf(out,
			"int %s(struct native_state *s) { return s->active == UINT32_MAX ? %s_all(s) : %s_some(s); }\n",
			name, name, name);
	}
	memory_drop(u.way);
	vec_free(&u.place);
	return ok;
}
