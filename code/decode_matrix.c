/* Decoding of the matrix instructions of a warp. (PTX ISA 9.7.16)
 *
 * Loads and stores of matrices become plain ones: an op computes, for each lane, the address of the
 * part that the lane gets or gives, and a load or store accesses it. So all that holds for weak
 * loads and stores (bounds, races, undefined bytes, weak memory) holds for them as well. */
#include "base/assert.h"
#include "code/decode.h"
#include "arith/soft.h"
#include <stdio.h>

enum { HALF = 2, WORD = 4, ADDRESS = 8 };

/* --- operands --- */

/* The elements of a vector operand, or the operand itself. Returns their number. */
static unsigned elements_of(
	const struct decoder *d, const struct ir_operand *o, const struct ir_operand **e)
{
	if (o->kind != IR_VEC) {
		*e = o;
		return 1;
	}
	*e = &d->module->operand[o->index];
	return o->count;
}

static enum word space_of(const struct decoder *d)
{
	return decode_has(d, W_shared) || decode_has(d, W_shared__cta) ? W_shared
		: decode_has(d, W_global)                              ? W_global
								       : W_NONE;
}

static struct op_address *address_of(
	struct decoder *d, const struct ir_operand *o, enum word otherwise)
{
	struct op_address *a = ARENA_NEW(d->arena, struct op_address);
	enum word space = space_of(d);

	*a = decode_op_address(d, o, space == W_NONE ? otherwise : space);
	return a;
}

/* --- plain accesses --- */

static struct op_access access_of(uint16_t space, unsigned bytes)
{
	return (struct op_access){.space = space,
		.type = (uint8_t)(bytes == 1       ? TYPE_b8
				: bytes == HALF    ? TYPE_b16
				: bytes == ADDRESS ? TYPE_b64
						   : TYPE_b32),
		.bytes = (uint8_t)bytes,
		.vector = 1,
		.sem = SEM_WEAK,
		.scope = SCOPE_SYS,
		.atomic = ATOMIC_NONE};
}

/* ADD: from ADDRESS. */
static void emit_load(struct decoder *d, uint32_t to, uint32_t address, unsigned add,
	uint16_t space, unsigned bytes)
{
	struct op *op = decode_emit(d, KIND_LOAD);

	op->access = access_of(space, bytes);
	op->access.add = add;
	decode_add(op, to, bytes);
	op->ndests = 1;
	decode_add(op, address, ADDRESS);
	op->access.base_operand = 1;
}

static void emit_store(struct decoder *d, uint32_t address, unsigned add, uint32_t from,
	uint16_t space, unsigned bytes)
{
	struct op *op = decode_emit(d, KIND_STORE);

	op->access = access_of(space, bytes);
	op->access.add = add;
	decode_add(op, address, ADDRESS);
	decode_add(op, from, bytes);
}

/* Concatenates N parts of BYTES bytes into a register, or splits it. */
static void emit_regroup(struct decoder *d, uint32_t whole, const uint32_t *part, unsigned n,
	unsigned bytes, bool split)
{
	struct op *op = decode_emit(d, KIND_REGROUP);

	if (!split)
		decode_add(op, whole, n * bytes);
	for (unsigned k = 0; k < n; k++)
		decode_add(op, part[k], bytes);
	if (split)
		decode_add(op, whole, n * bytes);
	op->ndests = (uint8_t)(split ? n : 1);
}

/* Loads or stores register REG as N parts, part k at address AT[k]. */
static void emit_parts(struct decoder *d, uint32_t reg, const uint32_t *at, unsigned n,
	unsigned bytes, uint16_t space, bool store)
{
	uint32_t part[8] = {0};

	if (n == 1) {
		if (store)
			emit_store(d, at[0], 0, reg, space, bytes);
		else
			emit_load(d, reg, at[0], 0, space, bytes);
		return;
	}
	assert(n <= sizeof part / sizeof *part);
	for (unsigned k = 0; k < n; k++)
		part[k] = decode_scratch(d, bytes);
	if (store)
		emit_regroup(d, reg, part, n, bytes, true);
	for (unsigned k = 0; k < n; k++)
		if (store)
			emit_store(d, at[k], 0, part[k], space, bytes);
		else
			emit_load(d, part[k], at[k], 0, space, bytes);
	if (!store)
		emit_regroup(d, reg, part, n, bytes, false);
}

/* --- ldmatrix, stmatrix --- */

/* How the elements of matrices lie in the rows that lanes name: rows by rows, a register's elements
 * in one of them; or by columns (.trans), each element in a row of its own, of which a lane has the
 * element lane / 4. */
struct lines {
	unsigned matrices, rows; /* of each */
	unsigned parts;          /* rows that a lane needs of each matrix */
	unsigned aligned;
	/* bits from the element of one lane to that of the next one in the row */
	unsigned step;
};

/* The addresses of the lane's first element in each of its rows. */
static void row_addresses(struct decoder *d, const struct op_address *a, const struct lines *l,
	bool store, uint32_t (*at)[4])
{
	struct op_rows *rows = ARENA_NEW(d->arena, struct op_rows);
	unsigned parts = l->parts, n = l->matrices * parts;
	struct op *op;

	assert(n <= MATRIX_PARTS && parts <= 4);
	rows->address = a;
	rows->aligned = (uint8_t)l->aligned;
	rows->writes = store;
	for (unsigned k = 0; k < n; k++) {
		at[k / parts][k % parts] = decode_scratch(d, ADDRESS);
		for (unsigned lane = 0; lane < LANES; lane++) {
			unsigned row = parts > 1 ? lane % 4 * parts + k % parts : lane / 4,
				 along = parts > 1 ? lane / 4 : lane % 4;

			rows->from[k][lane] = (uint8_t)(k / parts * l->rows + row);
			rows->offset[k][lane] = (uint8_t)(along * l->step / 8);
		}
	}
	op = decode_emit(d, KIND_ROW_ADDRESS);
	op->rows = rows;
	for (unsigned k = 0; k < n; k++)
		decode_add(op, at[k / parts][k % parts], ADDRESS);
	op->ndests = op->noperands;
}

static uint32_t emit_kernel(struct decoder *d, arith_kernel *run, uint32_t to, unsigned bytes,
	const uint32_t *from, unsigned n, const struct matrix_narrow *x)
{
	uint32_t control = decode_constant(d, matrix_narrow_control(x), ADDRESS);
	struct op *op = decode_emit(d, KIND_ALU);

	op->run.kernel = run;
	decode_add(op, to, bytes);
	op->ndests = 1;
	for (unsigned k = 0; k < n; k++)
		decode_add(op, from[k], bytes);
	decode_add(op, control, ADDRESS);
	return to;
}

/* Loads four bytes, of ADD[k] from AT[k], into the bytes of TO. */
static void load_bytes(
	struct decoder *d, uint32_t to, const uint32_t *at, const unsigned *add, uint16_t space)
{
	uint32_t part[4];

	for (unsigned e = 0; e < 4; e++) {
		part[e] = decode_scratch(d, 1);
		emit_load(d, part[e], at[e], add[e], space, 1);
	}
	emit_regroup(d, to, part, 4, 1, false);
}

/* ldmatrix of elements of 8, 6 and 4 bits, four in a register: .m8n16, or .m16n16, whose matrix is
 * stored by columns and has two registers, of rows 0 to 7 and 8 to 15. */
static void load_narrow(
	struct decoder *d, const struct op_address *a, const uint32_t *reg, unsigned n)
{
	bool columns = decode_has(d, W_m16n16);
	struct matrix_narrow x = {.bits = decode_has(d, W_b6x16_p32) ? 6
			: decode_has(d, W_b8)                        ? 8
								     : 4,
		.is_signed = decode_has(d, W_s4),
		.transposed = columns};
	struct lines l = {.matrices = columns ? n / 2 : n,
		.rows = columns ? 16 : 8,
		.parts = columns ? 4 : 1,
		.aligned = x.is_signed ? 8 : 16,
		.step = columns ? x.bits : x.bits * 4u};
	uint32_t at[4][4], end[4][4];

	row_addresses(d, a, &l, false, at);
	for (unsigned k = 0; columns && x.bits == 6 && k < l.matrices * 4; k++)
		end[k / 4][k % 4] = emit_kernel(d, matrix_end, decode_scratch(d, ADDRESS), ADDRESS,
			&at[k / 4][k % 4], 1, &x);
	for (unsigned r = 0; r < n; r++) {
		unsigned m = columns ? r / 2 : r, low[4], high[4];
		uint32_t first[4], last[4], half[2];

		for (unsigned e = 0; e < 4; e++) {
			first[e] = last[e] = at[m][columns ? e : 0];
			low[e] = high[e] = columns ? r % 2 * x.bits : e * x.bits / 8;
			if (columns && x.bits == 6)
				last[e] = end[m][e];
			else if (x.bits == 6)
				high[e] = (e * x.bits + x.bits - 1) / 8;
		}
		if (x.bits == 8) {
			load_bytes(d, reg[r], first, low, a->space);
			continue;
		}
		half[0] = half[1] = decode_scratch(d, WORD);
		load_bytes(d, half[0], first, low, a->space);
		if (x.bits == 6) {
			half[1] = decode_scratch(d, WORD);
			load_bytes(d, half[1], last, high, a->space);
		}
		emit_kernel(d, matrix_widen, reg[r], WORD, half, 2, &x);
	}
}

/* stmatrix .m16n8 of bytes, by columns: two columns of a lane, each with elements of two rows. */
static void store_bytes(
	struct decoder *d, const struct op_address *a, const uint32_t *reg, unsigned n)
{
	struct lines l = {.matrices = n, .rows = 8, .parts = 2, .aligned = 16, .step = 8};
	uint32_t at[4][4], part[4];

	row_addresses(d, a, &l, true, at);
	for (unsigned r = 0; r < n; r++) {
		for (unsigned e = 0; e < 4; e++)
			part[e] = decode_scratch(d, 1);
		emit_regroup(d, reg[r], part, 4, 1, true);
		for (unsigned e = 0; e < 4; e++)
			emit_store(d, at[r][e % 2], e / 2 * 8, part[e], a->space, 1);
	}
}

void decode_ldmatrix(struct decoder *d, const struct ir_insn *i)
{
	bool store = ir_form(i)->opcode == OP_stmatrix, transposed = decode_has(d, W_trans);
	const struct op_address *a = address_of(d, decode_operand(d, i, store ? 0 : 1), W_NONE);
	const struct ir_operand *e;
	unsigned n = elements_of(d, decode_operand(d, i, store ? 1 : 0), &e),
		 parts = transposed ? 2 : 1;
	struct lines l = {.matrices = n, .rows = 8, .parts = parts, .aligned = 16};
	uint32_t reg[4], at[4][4];

	assert(n <= 4);
	for (unsigned m = 0; m < n; m++) {
		unsigned width = WORD;

		reg[m] = store ? decode_source(d, &e[m], &width) : decode_dest(d, &e[m], &width);
		assert(width == WORD);
	}
	if (!decode_has(d, W_m8n8)) {
		if (store)
			store_bytes(d, a, reg, n);
		else
			load_narrow(d, a, reg, n);
		return;
	}
	l.step = transposed ? 8 * HALF : 8 * WORD;
	row_addresses(d, a, &l, store, at);
	for (unsigned m = 0; m < n; m++)
		emit_parts(d, reg[m], at[m], parts, WORD / parts, a->space, store);
}

void decode_movmatrix(struct decoder *d, const struct ir_insn *i)
{
	unsigned to_width = WORD, from_width = WORD;
	uint32_t from = decode_source(d, decode_operand(d, i, 1), &from_width),
		 to = decode_dest(d, decode_operand(d, i, 0), &to_width);
	struct op *op = decode_emit(d, KIND_MOVMATRIX);

	assert(to_width == WORD && from_width == WORD);
	decode_add(op, to, to_width);
	op->ndests = 1;
	decode_add(op, from, from_width);
}

/* --- shapes and types --- */

/* The numbers of the shape word, m16n8k16. */
static void put_shape(const struct decoder *d, const struct ir_insn *i, struct matrix_form *f)
{
	for (unsigned k = 0; k < i->nwords; k++) {
		const char *w = word_text((enum word)d->module->word[i->word + k]);
		unsigned m, n, depth;

		if (w[0] == 'm' && sscanf(w, "m%un%uk%u", &m, &n, &depth) == 3) {
			f->m = (uint8_t)m;
			f->n = (uint8_t)n;
			f->k = (uint16_t)depth;
			return;
		}
	}
	never();
}

/* The type words of instruction I, in their order. Returns their number. */
static unsigned types_of(const struct decoder *d, const struct ir_insn *i, enum type *t)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i->nwords && n < 4; k++) {
		enum type x = word_type((enum word)d->module->word[i->word + k]);

		if (x != TYPE_NONE)
			t[n++] = x;
	}
	return n;
}

static enum soft_round rounding_of(const struct decoder *d)
{
	return decode_has(d, W_rz)    ? SOFT_RZ
		: decode_has(d, W_rm) ? SOFT_RM
		: decode_has(d, W_rp) ? SOFT_RP
				      : SOFT_RN;
}

/* Words 0 and 1 of .row and .col that the instruction has; .row unless it says otherwise. */
static void layouts_of(const struct decoder *d, const struct ir_insn *i, bool *columns)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i->nwords && n < 2; k++) {
		enum word w = (enum word)d->module->word[i->word + k];

		if (w == W_row || w == W_col)
			columns[n++] = w == W_col;
	}
}

/* The form of mma or wmma.mma. */
static struct matrix_form form_of(const struct decoder *d, const struct ir_insn *i)
{
	bool columns[2] = {false, false},
	     sparse = decode_has(d, W_sp) || decode_has(d, W_sp__ordered_metadata);
	enum type t[4] = {TYPE_NONE, TYPE_NONE, TYPE_NONE, TYPE_NONE};
	unsigned n = types_of(d, i, t);
	struct matrix_form f = {.sparse = sparse,
		.saturate = decode_has(d, W_satfinite),
		.exclusive = decode_has(d, W_xor),
		.rounding = (uint8_t)rounding_of(d)};

	put_shape(d, i, &f);
	layouts_of(d, i, columns);
	/* wmma of .f16 names D and C only */
	f.d = (uint8_t)t[0];
	f.a = (uint8_t)(n == 4 ? t[1] : TYPE_f16);
	f.b = (uint8_t)(n == 4 ? t[2] : TYPE_f16);
	f.c = (uint8_t)t[n - 1];
	f.quads = f.m == 8 && f.n == 8 && f.a == TYPE_f16;
	f.a_columns = f.quads && columns[0];
	f.b_rows = f.quads && !columns[1];
	f.packed = decode_has(d, W_kind__mxf4) || decode_has(d, W_kind__mxf4nvf4);
	f.kind = f.packed || decode_has(d, W_kind__f8f6f4) || decode_has(d, W_kind__mxf8f6f4);
	if (decode_has(d, W_block_scale)) {
		f.scales = decode_has(d, W_kind__mxf8f6f4) ? 1
			: decode_has(d, W_scale_vec__4X)   ? 4
							   : 2;
		f.scale_type = (uint8_t)(decode_has(d, W_ue4m3) ? TYPE_ue4m3 : TYPE_ue8m0);
	}
	if (sparse)
		f.selector = (uint8_t)decode_operand(d, i, 5)->value;
	return f;
}

/* --- mma, wmma.mma --- */

static void put_sources(
	struct decoder *d, const struct ir_operand *o, const struct fragment *f, uint32_t *place)
{
	const struct ir_operand *e;
	unsigned n = elements_of(d, o, &e);

	assert(n >= f->registers && n <= MATRIX_REGISTERS);
	for (unsigned k = 0; k < f->registers; k++) {
		unsigned width = f->bytes;

		place[k] = decode_source(d, &e[k], &width);
		assert(width == f->bytes);
	}
}

/* scale-a, {byte-id-a, thread-id-a}, scale-b, {byte-id-b, thread-id-b}: the last operands */
static void put_scales(struct decoder *d, const struct ir_insn *i, struct op_mma *m)
{
	unsigned first = i->noperands - 4u;

	for (unsigned side = 0; side < 2; side++) {
		const struct ir_operand *e;
		unsigned width = WORD;

		m->scale[side] = decode_source(d, decode_operand(d, i, first + 2 * side), &width);
		assert(width == WORD);
		elements_of(d, decode_operand(d, i, first + 2 * side + 1), &e);
		for (unsigned k = 0; k < 2; k++) {
			width = HALF;
			m->selector[side][k] = decode_source(d, &e[k], &width);
			assert(width == HALF);
		}
	}
}

void decode_mma(struct decoder *d, const struct ir_insn *i)
{
	struct matrix_form form = form_of(d, i);
	struct op_mma *m = ARENA_NEW(d->arena, struct op_mma);
	const struct matrix_product *p = matrix_product_new(d->arena, &form);
	const struct ir_operand *e;
	uint32_t to[MATRIX_REGISTERS];
	unsigned n = elements_of(d, decode_operand(d, i, 0), &e);
	struct op *op;

	if (form.saturate &&
		form.d != TYPE_s32) { /* until PTX 6.4, with "unexpected results" (ptxas) */
		decode_unsupported(d, i);
		return;
	}
	m->product = p;
	put_sources(d, decode_operand(d, i, 1), &p->a, m->place[0]);
	put_sources(d, decode_operand(d, i, 2), &p->b, m->place[1]);
	put_sources(d, decode_operand(d, i, 3), &p->c, m->place[2]);
	if (form.sparse) {
		unsigned width = WORD;

		m->metadata = decode_source(d, decode_operand(d, i, 4), &width);
	}
	if (form.scales)
		put_scales(d, i, m);
	assert(n == p->d.registers);
	for (unsigned k = 0; k < n; k++) {
		unsigned width = p->d.bytes;

		to[k] = decode_dest(d, &e[k], &width);
	}
	op = decode_emit(d, KIND_MMA);
	op->mma = m;
	for (unsigned k = 0; k < n; k++)
		decode_add(op, to[k], p->d.bytes);
	op->ndests = (uint8_t)n;
}

/* --- wmma.load, wmma.store --- */

/* A matrix in memory that a wmma instruction loads or stores. */
struct stored {
	struct fragment f;
	uint16_t space;
	const struct op_address *address;
	uint32_t stride; /* the place of the stride */
	/* a row (.col: a column) lies in consecutive elements; DEEP: along the fragment's inner
	 * index, so that a register does */
	bool deep;
	unsigned bytes; /* to which rows are aligned */
	unsigned bits;  /* of an element; the fragment of .b1 has words */
	bool store;
};

/* The address of elements E to E + N - 1 of register R. */
static uint32_t fragment_address(
	struct decoder *d, const struct stored *s, unsigned r, unsigned e, bool first)
{
	struct op_fragment *x = ARENA_NEW(d->arena, struct op_fragment);
	uint32_t place = decode_scratch(d, ADDRESS);
	struct op *op;

	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned group = 0, inner = 0;

		fragment_place(&s->f, r, lane, e, &group, &inner);
		x->line[lane] = (uint8_t)(s->deep ? group : inner);
		x->along[lane] = (uint8_t)(s->deep ? inner : group);
	}
	x->address = s->address;
	x->bits = s->f.bits;
	x->stride_bits = (uint8_t)s->bits;
	x->aligned = (uint8_t)s->bytes;
	x->first = first;
	x->writes = s->store;
	op = decode_emit(d, KIND_FRAGMENT_ADDRESS);
	op->fragment = x;
	decode_add(op, place, ADDRESS);
	op->ndests = 1;
	decode_add(op, s->stride, WORD);
	return place;
}

static void wmma_access(struct decoder *d, const struct ir_insn *i, bool store)
{
	char matrix = decode_has(d, W_a) ? 'a' : decode_has(d, W_b) ? 'b' : store ? 'd' : 'c';
	const struct ir_operand *e;
	unsigned n = elements_of(d, decode_operand(d, i, store ? 1 : 0), &e);
	bool columns[2] = {false, false};
	enum type t[4] = {TYPE_NONE};
	struct matrix_form form = {0};
	struct stored s = {.store = store};
	uint32_t reg[MATRIX_REGISTERS], at[MATRIX_REGISTERS][8];

	put_shape(d, i, &form);
	layouts_of(d, i, columns);
	types_of(d, i, t);
	form.a = form.b = form.c = form.d = (uint8_t)t[0];
	s.f = matrix_fragment(&form, matrix);
	bool inner_is_row = matrix == 'b' || (matrix != 'a' && form.m == 8 && form.n > 8);
	unsigned line = matrix == 'a' ? (columns[0] ? form.m : form.k)
		: matrix == 'b'       ? (columns[0] ? form.k : form.n)
				      : (columns[0] ? form.m : form.n),
		 width = WORD;

	s.deep = columns[0] == inner_is_row;
	s.bytes = n * s.f.bytes;
	s.bits = type_info[t[0]].bits;
	s.address = address_of(d, decode_operand(d, i, store ? 0 : 1), W_NONE);
	s.space = s.address->space;
	s.stride = i->noperands > 2 ? decode_source(d, decode_operand(d, i, 2), &width)
				    : decode_constant(d, line, WORD);
	unsigned per = fragment_per_register(&s.f), parts = s.deep ? 1 : per;

	for (unsigned r = 0; r < n; r++) {
		unsigned regwidth = s.f.bytes;

		reg[r] = store ? decode_source(d, &e[r], &regwidth)
			       : decode_dest(d, &e[r], &regwidth);
		assert(regwidth == s.f.bytes);
		for (unsigned p = 0; p < parts; p++)
			at[r][p] = r >= s.f.registers
				? at[r - s.f.registers][p]
				: fragment_address(d, &s, r, p, r == 0 && p == 0);
	}
	for (unsigned r = 0; r < n; r++)
		emit_parts(d, reg[r], at[r], parts, s.f.bytes / parts, s.space, store);
}

void decode_wmma(struct decoder *d, const struct ir_insn *i)
{
	if (decode_has(d, W_load) || decode_has(d, W_store))
		wmma_access(d, i, decode_has(d, W_store));
	else
		decode_mma(d, i);
}
