/* The state of writing one function as C: shared by unit.c, which writes, and by what it asks
 * before: way.c how each op becomes C, places.c where registers are, parting.c where warps part and
 * meet again, lines.c what lanes have in common. */
#ifndef PTXI_NATIVE_WRITER_H
#define PTXI_NATIVE_WRITER_H
#include "arith/text.h"
#include "base/text.h"
#include "base/vec.h"
#include "code/code.h"
#include <string.h>

enum {
	MOST_REGISTERS = 400,
	CHECK_EVERY = 24,
	MOST_PARTED = 48,
	SET_WORDS = (MOST_REGISTERS + 63) / 64
};
#define NO_LOOP UINT32_MAX

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
	WAY_SREG,   /* a special register that is the same during the launch */
	WAY_LOAD,
	WAY_STORE,
	WAY_ATOMIC, /* on integers */
	WAY_BRANCH,
	WAY_BARRIER, /* a bar.sync that a whole group may stop at */
	WAY_NOTHING,
};

/* Where the unit may be entered. */
enum entry {
	ENTRY_NEXT = 1,   /* the op before may have left it */
	ENTRY_TARGET = 2, /* of a branch, or the first op: other ops come before it, too */
};

/* A set of variables. */
struct set {
	uint64_t word[SET_WORDS];
};

/* What the values of 32 lanes have in common, in the copies `lined`: of all 32, or of each half, as
 * in blocks that are 16 wide. */
enum shape {
	SHAPE_OPEN, /* not decided */
	SHAPE_LINE, /* lane k has that of the first plus k times a step; 0: all have the same */
	SHAPE_LANES /* nothing */
};
struct line {
	uint8_t shape; /* enum shape */
	int64_t step;
};

struct place {
	uint32_t at;
	uint8_t width; /* bytes a lane; 0: predicate */
	bool parted;   /* some lanes write it while others wait that use it later: not a line */
	struct line line;
	/* lines.c: what `line` is outside of a short life */
	struct line outside;
	bool inside;
};

/* A register that an op writes, and a later one in the same straight run writes again. */
struct life {
	bool begins; /* here */
	struct line line;
};

/* Accesses of shared memory that are checked together (together.h). */
struct together {
	uint32_t first; /* op; the others: of the first */
	uint32_t last;
	int64_t low, high; /* the bytes from the first address on */
	unsigned align;
};

struct writer {
	const struct code_func *c;
	struct text *out;
	unsigned vector;
	bool full; /* this copy is for warps whose lanes are all together */
	/* that may lack lanes: then nobody reads the registers of those, which get anything; else
	 * `full` means 32 */
	bool loose;
	bool framed;         /* this copy is for parts of warps; its registers stay in the frame */
	unsigned lined;      /* and for values that are lines: in so many parts of the lanes */
	unsigned most_lined; /* 0: no such copies; else the one with the most parts */
	unsigned scalar;     /* writing the value of the first lane of this part, plus 1 */
	/* [nops] of a branch: the op where all lanes have met again, if those that part there can
	 * run until then without the scheduler (parting.h); else 0 */
	uint32_t *meeting;
	/* writing what they do until then, after this branch (plus 1; 0: none) */
	uint32_t parting;
	struct set later;          /* then: what lanes that wait use later */
	uint8_t *entry;            /* [nops] set of enum entry */
	uint8_t *way;              /* [nops] enum way */
	VEC(struct place) place;   /* the registers that are variables */
	struct together *together; /* [nops] */
	struct life *life;         /* [nops] short lives, in which registers are other lines */
	/* of the ops that are entries, for this copy: the variables that may differ from the frame,
	 * and those that are needed */
	struct set *dirty, *live; /* [nops] */
	struct set *need;         /* [nops] see find_need() */
	struct set *useful;       /* [nops] those that some op reads later; all, unless `quiet` */
	uint32_t *loop_end;       /* [nops] of the op where a loop begins: its last op; else 0 */
	uint32_t *loop;           /* [nops] first op of the innermost loop, or NO_LOOP */
	bool silent;              /* a kernel whose registers nobody reads after it has ended */
	/* Nothing but ops looks at registers: no loop of the function polls, which would compare
	 * all of them (warp_run.c), and the host does not read them. Then those without a further
	 * use need not be in the frame. */
	bool quiet;
	struct set now;    /* those that may differ, before the op that is written */
	struct set nans;   /* those that may have a NaN that is not canonical (nan.h) */
	struct text exits; /* where they are stored, after everything else */
};

#define NO_PLACE UINT32_MAX
static inline uint32_t place_find(const struct writer *u, uint32_t at)
{
	for (uint32_t k = 0; !(at & 1) && k < u->place.count; k++)
		if (u->place.data[k].at == at)
			return k;
	return NO_PLACE;
}

/* Whether constant AT of WIDTH bytes is the same in all lanes; then *VALUE has it. */
static inline bool constant_value(
	const struct code_func *c, uint32_t at, unsigned width, uint64_t *value)
{
	const unsigned char *p = c->constant + (at & ~1u);

	*value = 0;
	memcpy(value, p, width);
	for (unsigned k = 1; k < LANES; k++)
		if (memcmp(p, p + k * width, width) != 0)
			return false;
	return true;
}

static inline bool is_word(unsigned width) { return width == 2 || width == 4 || width == 8; }

enum way way_of(const struct code_func *c, const struct op *op);

/* Ops that make lines of lines. They are recognised by the text of their expressions. */
enum linear {
	LINEAR_NONE,
	LINEAR_COPY, /* also cut off, or extended from 4 bytes to 8 */
	LINEAR_ADD,
	LINEAR_SUB,
	LINEAR_SHIFT, /* to the left */
	LINEAR_MUL,   /* .lo or .wide */
	LINEAR_MAD
};
enum linear lines_linear(const struct op *op, const struct arith_text *t);

/* Finds the lines of all places. The ops at which U may have to give up, because a line of 4 bytes
 * that is extended to 8 ends in some lane, become entries. Returns whether any place is a line. */
bool lines_find(struct writer *u);
/* Op AT has been written: what it wrote is the line from there on that it is there. */
void lines_pass(struct writer *u, uint32_t at);
/* What operand K of OP is in the copy `lined`. */
struct line line_of(const struct writer *u, const struct op *op, unsigned k);
/* The operand of op AT, of 4 bytes, whose lanes must not wrap around when it is extended; 0: none.
 * *SIGNED: as a signed number. */
unsigned line_extended(const struct writer *u, uint32_t at, bool *is_signed);

#endif
