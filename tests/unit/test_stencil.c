/* Pieces of machine code: each computes what its kernel does, in the lanes of the group and of the
 * guard, with operands in registers and constants; the copier refuses what does not fit. */
#include "arith/table.h"
#include "base/rng.h"
#include "code/code.h"
#include "stencil/copy.h"
#include "stencil/unit.h"
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

/* --- the tables --- */

Test(stencil, holes)
{
	for (unsigned file = 0; file < ARITH_FILE_COUNT; file++)
		for (unsigned k = 0; k < piece_rows_of_file[file]; k++) {
			const struct piece *p = &piece_table[piece_of_row[file][k]];

			for (unsigned j = 0; j < p->holes; j++) {
				unsigned h = piece_hole[p->hole + j];
				unsigned at = h & ((1u << HOLE_SHIFT) - 1), what = h >> HOLE_SHIFT;

				cr_assert_leq(at + 4, p->bytes);
				if (what <= HOLE_at4) /* the base is %rbx */
					cr_assert_eq(piece_code[p->code + at - 1] & 7, 3);
				else
					cr_assert_eq(what, HOLE_pool);
			}
		}
}

/* The first row that has a piece. */
static unsigned some_piece(void)
{
	for (unsigned k = 0; k < piece_rows_of_file[0]; k++)
		if (piece_of_row[0][k])
			return piece_of_row[0][k];
	return PIECE_NONE;
}

static bool copies(unsigned piece, uint32_t at, uint8_t bank, size_t room)
{
	struct fill f = {0};
	struct copier c;
	uint8_t bytes[4096];
	bool ok;

	for (unsigned k = 0; k < 5; k++)
		f.place[k] = (struct spot){bank, at, 32};
	copier_begin(&c, bytes, room);
	copier_put(&c, piece, PIECE_STEPS, &f);
	ok = !c.failed;
	copier_free(&c);
	return ok;
}

Test(stencil, copier)
{
	unsigned piece = some_piece();

	if (stencil_missing())
		cr_skip_test("%s", stencil_missing());
	cr_assert_neq(piece, PIECE_NONE);
	cr_expect(copies(piece, 256, BANK_FRAME, 4096));
	cr_expect(copies(piece, INT32_MAX - 1024, BANK_CONSTANTS, 4096));
	cr_expect(!copies(piece, INT32_MAX, BANK_FRAME, 4096),
		"steps are further than a displacement");
	cr_expect(!copies(piece, UINT32_MAX - 64, BANK_FRAME, 4096));
	cr_expect(!copies(piece, 256, BANK_SCRATCH + 1, 4096));
	cr_expect(!copies(PIECE_NONE, 256, BANK_FRAME, 4096));
	cr_expect(!copies(piece, 256, BANK_FRAME, 32), "the constants do not fit");
	cr_expect(!copies(piece, 256, BANK_FRAME, piece_pool_bytes + 60), "four steps do not fit");
}

/* --- each piece --- */

static struct stencil_map map;
enum { SLOT = 512, SLOTS = 8, ROUNDS = 4 };
static _Alignas(64) uint8_t frame[SLOT * SLOTS], constants[SLOT * SLOTS], expected[SLOT * SLOTS];

/* The op after the tested one. */
static int last_op(void *warp, uint32_t at, uint32_t mask)
{
	(void)mask;
	*(uint32_t *)warp = at;
	return NATIVE_STOP;
}
static void kernel_of(void *warp, uint32_t at, uint32_t mask)
{
	(void)warp;
	(void)mask;
	cr_assert_fail("op %u is not a piece", at);
}

enum { ROOM = 1 << 16 };
static uint8_t *room_for_code(const struct code_func *c)
{
	void *at = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(at, MAP_FAILED);
	cr_assert_leq(stencil_room(c), ROOM);
	return at;
}

/* Runs C for the lanes of ACTIVE. */
static void run_code(const struct code_func *c, struct stencil_code *code, uint32_t active)
{
	int64_t count[8] = {0};
	uint64_t steps = 0, bytes[5] = {0};
	uint32_t run_pc = 0, ended = 0;
	bool polled = false, effect = false, made_effect = false;
	struct native_state s = {.regs = frame,
		.constants = constants,
		.count = count,
		.slice_steps = &steps,
		.loaded = bytes,
		.stored = bytes,
		.run_pc = &run_pc,
		.polled = &polled,
		.effect = &effect,
		.made_effect = &made_effect,
		.active = active,
		.watch = NO_PC,
		.left = 100,
		.warp = &ended,
		.exec = last_op,
		.kernel = kernel_of};
	native_unit *unit;
	const uint8_t *enter;

	cr_assert_eq(mprotect((void *)(uintptr_t)code->at, code->size, PROT_READ | PROT_EXEC), 0);
	enter = code->at + code->enter;
	memcpy(&unit, &enter, sizeof unit);
	cr_expect_eq(unit(&s), NATIVE_STOP);
	cr_expect_eq(ended, 1);
	cr_expect_eq(steps, c->nops);
	cr_expect_eq(s.left, 100 - c->nops);
	cr_expect_eq(count[0], __builtin_popcount(active));
	cr_expect_eq(count[4], -__builtin_popcount(active));
	munmap((void *)(uintptr_t)code->at, ROOM);
}

/* Values that arithmetic treats in different ways. */
static void fill_random(struct rng *g, uint8_t *to)
{
	static const uint64_t some[] = {0, 1, UINT64_MAX, 0x8000000080000000u, 0x7fffffff7fffffffu,
		0x7f8000007f800000u, 0x7fc000017f800001u, 0x3f8000003f800000u, 0x8000000000000000u,
		0x7ff0000000000000u, 0x7ff8000000000001u, 0x0000000100000001u, 31, 32, 33, 64};

	for (unsigned k = 0; k < SLOT * SLOTS; k += 8) {
		uint64_t v = rng_below(g, 3) ? rng_next(g) : some[rng_below(g, 16)];

		memcpy(to + k, &v, 8);
	}
}

static void try_row(struct rng *g, const struct arith_row *row, arith_kernel *run)
{
	struct op op[2] = {{.run.kernel = run,
				   .kind = KIND_ALU,
				   .noperands = row->noperands,
				   .ndests = row->ndests,
				   .guard = 1},
		{.kind = KIND_EXIT, .guard = 1}};
	struct code_func c = {.op = op, .nops = 2, .constant = constants};
	uint32_t active = rng_below(g, 2) ? UINT32_MAX : (uint32_t)rng_next(g) | 1, mask = active;
	struct stencil_code code;
	void *v[5];

	fill_random(g, frame);
	fill_random(g, constants);
	memset(constants, 0xff, 4);
	memcpy(op[0].width, row->width, row->noperands);
	for (unsigned k = 0; k < row->noperands; k++)
		op[0].at[k] = SLOT * (k + 1) | (k ? (uint32_t)rng_below(g, 2) : 0);
	if (rng_below(g, 3) == 0) { /* the result takes the place of a source */
		unsigned k = 1 + (unsigned)rng_below(g, row->noperands - 1u);

		if (row->width[k] == row->width[0])
			op[0].at[k] = op[0].at[0];
	}
	if (rng_below(g, 2)) {
		op[0].guard = SLOT * 7;
		op[0].guard_xor = rng_below(g, 2) ? UINT32_MAX : 0;
		mask = active & (*(uint32_t *)(void *)(frame + SLOT * 7) ^ op[0].guard_xor);
	}
	memcpy(expected, frame, sizeof frame);
	for (unsigned k = 0; k < row->noperands; k++)
		v[k] = (op[0].at[k] & 1 ? constants : expected) + (op[0].at[k] & ~1u);
	if (mask)
		run(v, mask);
	cr_assert(stencil_build(&map, &c, true, active == UINT32_MAX ? STENCIL_WHOLE : STENCIL_SOME,
		room_for_code(&c), stencil_room(&c), &code));
	code.some = &code;
	run_code(&c, &code, active);
	stencil_free(&code);
}

Test(stencil, kernels)
{
	struct rng g;
	unsigned n = 0;

	if (stencil_missing())
		cr_skip_test("%s", stencil_missing());
	g = (struct rng){1};
	stencil_map_fill(&map);
	for (unsigned file = 0; file < ARITH_FILE_COUNT; file++)
		for (unsigned k = 0; k < piece_rows_of_file[file]; k++)
			for (unsigned j = 0; j < ROUNDS && piece_of_row[file][k]; j++, n++) {
				try_row(&g, &arith_rows[file].row[k], arith_kernel_of(file, k));
				cr_assert_arr_eq(frame, expected, sizeof frame,
					"file %u, row %u: other results", file, k);
			}
	cr_expect_gt(n, 500);
}

/* All tables of lop3, those that are one piece and those that are not. */
static arith_kernel *lop3_kernel(void)
{
	for (unsigned file = 0; file < ARITH_FILE_COUNT; file++)
		for (unsigned k = 0; k < piece_rows_of_file[file]; k++)
			if (arith_rows[file].row[k].key.op == OP_lop3)
				return arith_kernel_of(file, k);
	return NULL;
}

Test(stencil, tables)
{
	arith_kernel *const run = lop3_kernel();
	struct rng g;

	if (stencil_missing())
		cr_skip_test("%s", stencil_missing());
	cr_assert_not_null(run);
	g = (struct rng){1};
	stencil_map_fill(&map);
	for (uint32_t table = 0; table < 256; table++) {
		struct op op[2] = {{.run.kernel = run,
					   .kind = KIND_ALU,
					   .noperands = 5,
					   .ndests = 1,
					   .width = {4, 4, 4, 4, 4},
					   .at = {SLOT, 2 * SLOT, 3 * SLOT, 4 * SLOT, 64 | 1},
					   .guard = 1},
			{.kind = KIND_EXIT, .guard = 1}};
		struct code_func c = {.op = op, .nops = 2, .constant = constants};
		struct stencil_code code;
		void *v[] = {expected + SLOT, expected + 2 * SLOT, expected + 3 * SLOT,
			expected + 4 * SLOT, constants + 64};

		fill_random(&g, frame);
		memcpy(expected, frame, sizeof frame);
		memset(constants, 0xff, 4);
		for (unsigned k = 0; k < 32; k++)
			memcpy(constants + 64 + 4 * k, &table, 4);
		run(v, UINT32_MAX);
		cr_assert(stencil_build(
			&map, &c, true, STENCIL_WHOLE, room_for_code(&c), stencil_room(&c), &code));
		run_code(&c, &code, UINT32_MAX);
		stencil_free(&code);
		cr_assert_arr_eq(frame, expected, sizeof frame, "table %u: other results", table);
	}
}
