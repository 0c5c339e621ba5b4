/* What translated code and the interpreter share. The text of this file is part of every translated
 * unit (native/), so it uses nothing but the fixed-width types.
 *
 * A unit is one function of a module as machine code. It runs a group of lanes as the execution
 * loop does (machine/run_loop.h), with the same counts, and gives up at the beginning of some op
 * whenever the loop must decide: state is then as the loop has it. */
#ifndef PTXI_INTERP_NATIVE_H
#define PTXI_INTERP_NATIVE_H

struct combine; /* memory/combine_table.h */

/* The beginning of struct memory_block. */
struct native_block {
	uint64_t base, size, readable, writable;
	uint8_t *host;
};

struct native_state {
	uint8_t *regs;            /* bank 0 of the frame */
	const uint8_t *constants; /* bank 1 */
	int64_t *count;           /* the differences of the function's ops (worker.count) */
	uint64_t *slice_steps, *loaded, *stored, *divergent, *atomics;
	uint32_t *run_pc;
	/* of the warp */
	_Bool *polled, *effect, *made_effect;
	/* the allocation for which reductions wait, or NULL inside: accesses to it, and strong
	 * ones, are the interpreter's */
	const void *const *combining;
	struct combine *const *combine; /* the table of these, if it was needed */
	const struct native_block *const *slot;
	uint64_t nslots;
	uint8_t *shared;
	const uint8_t *params;
	uint32_t shared_bytes, shared_end;
	uint32_t active, watch;
	_Bool turn;
	_Bool alone; /* no other host thread accesses global memory */
	/* in how many parts of the lanes %tid.x counts on from lane to lane, and %tid.y and %tid.z
	 * are the same: 1 or 2; 0: others */
	uint8_t rows;
	/* 1 + the op at which the registers are known to be as the copy of the unit for values that
	 * lanes have in common needs them; 0: not known */
	uint32_t proven;
	/* as the loop has them: the op, where the straight run began, and the instructions left
	 * then */
	uint32_t pc, start, left;
	void *warp;
	const uint32_t (*tid)[32]; /* [3] */
	const uint32_t *ctaid, *block, *grid;
	uint32_t index; /* of the warp */
	uint32_t parts; /* groups of the warp: 1, unless it has parted */
	_Bool fair;     /* next() may choose the next group */
	/* The op at AT for the lanes of MASK: by its executor; by its kernel; a branch that parts
	 * the group. */
	int (*exec)(void *warp, uint32_t at, uint32_t mask);
	void (*kernel)(void *warp, uint32_t at, uint32_t mask);
	void (*part)(void *warp, uint32_t at, uint32_t mask);
	/* A sum of VALUE begins at offset OFF of the memory `combining` (memory/combine.h). */
	void (*sum)(void *warp, uint64_t off, uint64_t value);
	/* The group comes back with FLOW, with NATIVE_NEXT at s->pc, and s->left instructions.
	 * NATIVE_AGAIN: S has the next group, at an entry of the unit; else what the unit returns.
	 */
	int (*next)(struct native_state *s, int flow);
	const uint8_t *entry; /* of the unit */
	/* The group has parted at the branch at AT, and its parts have run, which is counted, until
	 * one is at op PC: it is the running one then. TAKEN[k]: the lanes that took the branch at
	 * AT
	 * + k. */
	void (*divide)(void *warp, uint32_t at, uint32_t pc, const uint32_t *taken);
	/* All lanes have executed the bar.sync at pc, and everything is stored. Who runs next, in
	 * the same copy of the unit; NULL: the unit returns NATIVE_BARRIER. The member is NULL when
	 * the group is not all that can run of its warp. */
	struct native_state *(*advance)(struct native_state *s);
	struct native_state *(*advance_whole)(struct native_state *s); /* what it is then */
	/* The same where they exit, for kernels; or NULL. */
	struct native_state *(*depart)(struct native_state *s);
	void *round; /* of advance and depart */
};

/* What a unit returns: an enum flow, that the loop continues at pc, or that advance() gave nobody.
 */
enum {
	NATIVE_NEXT,
	NATIVE_SWITCH,
	NATIVE_STOP,
	NATIVE_LEAVE,
	NATIVE_BARRIER,
	NATIVE_SETTLED, /* next() has counted what the group did, and chosen nobody */
	/* inside a unit, between its copies: another one may go on; another one must */
	NATIVE_AGAIN,
	NATIVE_OTHER
};
typedef int native_unit(struct native_state *s);

/* The registers that a lane of a kernel may read before it writes them: `bytes` at `at` of the
 * frame.
 */
enum { NATIVE_MOST_UNSET = 16 };
struct native_unset {
	_Bool known; /* there are no others */
	uint8_t n;
	uint16_t bytes[NATIVE_MOST_UNSET];
	uint32_t at[NATIVE_MOST_UNSET];
};

#endif
