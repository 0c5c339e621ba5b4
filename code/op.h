/* One decoded instruction: its kind, the places of its operands, and a typed struct with what its
 * kind needs. The interpreter, the sampler, the explorer and the checkers all read it, and none of
 * them depends on how another executes it.
 *
 * A new kind is a row of op_kind.def; the compiler then reports every switch that does not handle
 * it. */
#ifndef PTXI_CODE_OP_H
#define PTXI_CODE_OP_H
#include "arith/arith.h"
#include "arith/matrix.h"
#include "arith/warpgroup.h"
#include "isa/order.h"
#include <stdbool.h>
#include <stdint.h>

enum { LANES = 32, OP_MAX_OPERANDS = 10, MAX_VECTOR = 8 };
#define NO_PC UINT32_MAX

struct warp;
struct op;

/* What an executor function returns to the run loop. */
enum flow {
	FLOW_NEXT, /* continue with the next op */
	/* pc, frame and state of the lanes' groups are set: pick the next group */
	FLOW_SWITCH,
	FLOW_STOP, /* a fault was raised: the machine stops */
};
/* Executes OP for the lanes in MASK (never 0): the lanes of the running group whose guard is
 * true. */
typedef enum flow exec_fn(struct warp *w, const struct op *op, uint32_t mask);

enum op_kind {
#define IN_LOOP(NAME, leads) KIND_##NAME,
#define KIND(NAME, executor, leads) KIND_##NAME,
#include "code/op_kind.def"
	KIND_COUNT
};
_Static_assert(KIND_ALU == 0 && KIND_BRANCH == 1, "the run loop tests these two kinds first");

/* --- parts --- */

/* Which bits of a result are undefined when some bits of its sources are (undefined_bits.h).
 * Sources and the second destination as the PTX operands have them. */
enum bits_rule {
	BITS_WHOLE, /* any undefined bit makes all of the result undefined */
	/* sources concatenated, the first in the low bits, into the destinations in the same order;
	 * a longer destination is zero-extended */
	BITS_COPY,
	BITS_AND,
	BITS_OR,
	BITS_XOR,
	BITS_NOT,
	BITS_SHL,
	BITS_SHR,
	BITS_SHR_SIGNED,
	BITS_CARRY, /* add, sub: every bit from the lowest undefined bit upwards */
	/* cvt between integers: from_bytes of the source, sign-extended when from_signed; truncated
	 * to to_bytes, sign-extended when to_signed */
	BITS_EXTEND,
	BITS_SELECT,
	BITS_SELECT_SIGN, /* slct by an s32, or an f32 */
	/* setp, set: `compare` on `type`, combined with the third source by `with`; the second
	 * destination uses the complemented comparison */
	BITS_COMPARE,
	/* lop3; its second destination is "the result is not zero" combined with the fifth source
	 * by `with` */
	BITS_LOGIC,
	BITS_MIN,
	BITS_MAX,
	BITS_INSERT, /* bfi */
	BITS_EXTRACT,
	BITS_EXTRACT_SIGNED,
	BITS_PERMUTE, /* prmt without a mode */
};

struct op_alu {
	uint8_t rule;         /* enum bits_rule */
	uint8_t complemented; /* bit k: source k is complemented */
	bool ftz;             /* SELECT_SIGN, COMPARE */
	uint8_t type;         /* enum type: SELECT_SIGN, COMPARE, MIN, MAX */
	/* enum word: COMPARE; W_and, W_or, W_xor or W_NONE: COMPARE, LOGIC */
	uint16_t compare, with;
	uint8_t from_bytes, to_bytes; /* EXTEND */
	bool from_signed, to_signed;
};

struct branch_table {
	uint32_t count;
	uint32_t *target; /* op indices */
};

/* An argument or result of a call. */
enum argument_kind { ARGUMENT_NONE, ARGUMENT_PLACE, ARGUMENT_LOCAL };
struct argument {
	uint8_t kind;
	uint8_t width; /* PLACE: bytes per lane, 0 = predicate */
	/* PLACE: in the caller's frame; LOCAL: offset from the frame's local_base */
	uint32_t place;
	uint32_t bytes, align; /* LOCAL */
	bool array;
};
struct call_site {
	uint32_t func; /* index in ir_module.func; IR_NONE: indirect, operand 0 has the targets */
	int provided;  /* index of a function in provided.def, or -1 */
	uint32_t nrets, nargs;
	struct argument *ret, *arg;
};

/* The element places of a vector access or vector atomic; those of scalar ones are operands of the
 * op. */
struct op_vector {
	/* columns: loaded or old values, stored values, cas values */
	uint32_t place[3][MAX_VECTOR];
	uint8_t width[3][MAX_VECTOR];
};

/* What is added to the base register and the constant part of an address. */
enum op_base {
	BASE_PLAIN, /* nothing */
	BASE_FRAME, /* the start of the frame's local memory */
	/* the end of the kernel's static shared memory: where dynamic shared memory begins */
	BASE_DYNAMIC,
};

/* tex, tld4, txq, suld.b, sust.b: reads and writes through a texture or surface, whose handle is in
 * a register. The operands of the op are the destinations; here are the places of the others. */
enum texture_what {
	TEXTURE_FETCH,
	TEXTURE_GATHER, /* tld4 */
	TEXTURE_QUERY,
	TEXTURE_IS, /* istypep */
	SURFACE_LOAD,
	SURFACE_STORE,
	SURFACE_PUT,   /* sust.p */
	SURFACE_REDUCE /* sured; the operation is in struct op_access */
};
/* What a register of the result has. */
enum texture_result { RESULT_WORD, RESULT_F16, RESULT_F16X2 };
/* What an access outside a surface does. */
enum surface_outside { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
struct op_texture {
	uint8_t what;       /* enum texture_what */
	uint8_t dimensions; /* 1 to 3, without the layer of an array */
	bool array, cube;
	bool integer;      /* coordinates are s32 */
	bool samples;      /* the first coordinate of a surface counts texels, not bytes */
	uint8_t result;    /* enum texture_result */
	uint8_t component; /* tld4: 0 to 3 */
	uint8_t outside;   /* enum surface_outside */
	uint16_t query;    /* enum word; TEXTURE_IS: enum type */
	uint32_t handle;   /* 8 bytes a lane; the others have 4 */
	uint32_t coordinate[3], layer, move[3];
	uint32_t value[4]; /* sust: elements, of value_bytes a lane */
	uint8_t value_bytes[4];
};

/* ld, st, atom, red, discard, and accesses through textures. Operands of ld: destinations, address;
 * of st: address, sources; of atom and red: destination, address, b, c (b and c as in the manual).
 */
struct op_access {
	int64_t add; /* constant part of the address */
	union {
		const struct op_vector *vector_at; /* NULL: scalar */
		const struct op_texture *texture;  /* KIND_TEXTURE */
	};
	/* enum word: W_global, W_shared, W_local, W_const, W_param, W_NONE: generic */
	uint16_t space;
	uint8_t type;               /* enum type, of an element */
	uint8_t bytes, vector;      /* bytes per element; number of elements, at least 1 */
	uint8_t sem, scope;         /* enum sem; enum scope (SCOPE_SYS with SEM_WEAK) */
	uint8_t base_operand, base; /* index of the base register's operand; enum op_base */
	uint8_t atomic;             /* enum atomic; ATOMIC_NONE unless atom, red */
	bool is_signed;             /* elements are sign-extended into wider registers */
	bool integer;               /* atom, red: on integers of 4 or 8 bytes */
	bool noftz;                 /* atom, red: .add.noftz.f32 keeps subnormal numbers */
	bool texture_proxy;         /* ld.nc */
	bool unread;                /* atom, red: the old value is never read */
	/* ld.param: every lane reads the same bytes, which are within the parameters */
	bool fixed;
};

/* An address operand of mbarrier, asynchronous copies and similar. */
struct op_address {
	uint32_t place;
	/* bytes per lane of the base register; 0: no register, the address is `add` */
	uint8_t width;
	bool dynamic;   /* BASE_DYNAMIC */
	uint16_t space; /* W_shared, W_global or W_NONE: generic */
	bool own;       /* .shared::cta: must be in the executing CTA's own memory */
	int64_t add;
};

enum barrier_kind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };
static inline bool barrier_reduces(enum barrier_kind k)
{
	switch (k) {
	case BARRIER_SYNC:
	case BARRIER_ARRIVE: return false;
	case BARRIER_POPC:
	case BARRIER_AND:
	case BARRIER_OR: return true;
	}
	return false;
}

/* Operands: [result,] number, count (0: all threads of the CTA), [condition]. */
struct op_barrier {
	uint8_t kind; /* enum barrier_kind */
	bool counted; /* the instruction has a thread count */
	bool aligned;
};

enum mbarrier_what {
	MBARRIER_INIT,
	MBARRIER_INVAL,
	MBARRIER_EXPECT_TX,
	MBARRIER_COMPLETE_TX,
	MBARRIER_ARRIVE,
	MBARRIER_WAIT,
	MBARRIER_CHECK_LAYOUT
};
/* Whether the operation writes the object. */
static inline bool mbarrier_writes(enum mbarrier_what what)
{
	switch (what) {
	case MBARRIER_INIT:
	case MBARRIER_INVAL:
	case MBARRIER_EXPECT_TX:
	case MBARRIER_COMPLETE_TX:
	case MBARRIER_ARRIVE: return true;
	case MBARRIER_WAIT:
	case MBARRIER_CHECK_LAYOUT: return false;
	}
	return true;
}
/* Operands: [state or predicate,] then count, bytes, state or parity, [time hint or ctaMask]. */
struct op_mbarrier {
	const struct op_address *address;
	uint8_t what; /* enum mbarrier_what */
	uint8_t sem, scope;
	bool own; /* the object must be in the CTA's own shared memory */
	/* arrive: arrive_drop; .noComplete; .expect_tx, performed first with the operand's bytes */
	bool drop, no_complete, expects;
	bool parity, tries; /* wait: by parity instead of state; try_wait */
	bool conditional;   /* wait: for the conditional phase */
	/* wait: the place of the report predicate, which an op before has cleared; or 0 */
	uint32_t report;
	bool v1;        /* init, check_layout: .layout::v1 */
	bool multicast; /* the last operand is a ctaMask */
};

/* Operands of vote, match, redux, elect, shfl, activemask: destinations (d, then p), sources,
 * [membermask]. */
enum collective_mode {
	MODE_NONE,
	MODE_ALL,
	MODE_ANY,
	MODE_UNI,
	MODE_BALLOT,
	MODE_UP,
	MODE_DOWN,
	MODE_BFLY,
	MODE_IDX
};
struct op_collective {
	bool sync;      /* .sync: the last operand is the membermask */
	uint8_t mode;   /* enum collective_mode: vote, match, shfl */
	uint8_t atomic; /* enum atomic: redux */
	uint8_t type;   /* enum type */
	bool abs, nan;  /* redux */
};

/* Asynchronous operations. Operands of cp.async: [src-size or ignore-src]; of bulk copies: size,
 * [ctaMask or byteMask, or ignoreBytesLeft and ignoreBytesRight]; of st.bulk: size; of st.async and
 * red.async: none. */
/* WGMMA: an asynchronous operation whose operands are the places here. */
enum { WGMMA_REGISTERS = 128 };
struct op_wgmma {
	const struct warpgroup_product *product;
	uint32_t d[WGMMA_REGISTERS]; /* read and written */
	uint32_t a[4], metadata;     /* of the form that has them */
	uint32_t descriptor[2];      /* of A, B */
	uint32_t scale;              /* the predicate scale-d */
	uint8_t registers;           /* of d */
};
/* TENSOR: coordinates and offsets of im2col are the places here. */
struct op_tensor {
	struct op_address map; /* generic */
	uint8_t dims, mode;    /* of the instruction; enum tensor_mode */
	uint8_t nat, noffset;
	bool store; /* to global memory */
	bool pair;  /* .cta_group::2: the mbarrier may be in the other CTA of a pair */
	/* .override: 0, 1 (the address) or 2 (the sizes and strides, too) */
	uint8_t overrides;
	uint32_t at[5], offset[3];
	uint8_t at_width[5], offset_width[3];
	uint32_t address, size[5], stride[4], upper_strides;
	uint8_t address_width, size_width[5], stride_width[4], upper_width;
};
/* TCGEN: the operands are the places here. */
enum tcgen_what {
	TCGEN_ALLOC,
	TCGEN_DEALLOC,
	TCGEN_RELINQUISH,
	TCGEN_LD,
	TCGEN_ST,
	TCGEN_WAIT_LD,
	TCGEN_WAIT_ST,
	TCGEN_FENCE_BEFORE,
	TCGEN_FENCE_AFTER,
	TCGEN_CP,
	TCGEN_COMMIT,
	TCGEN_MMA
};
enum { TCGEN_REGISTERS = 128 };
struct op_tcgen {
	uint8_t what; /* enum tcgen_what */
	bool pair;    /* .cta_group::2 */
	bool exclusive;
	uint8_t shape; /* ld, st: enum tcgen_shape */
	bool halves;   /* .pack::16b, .unpack::16b */
	uint8_t registers;
	uint32_t split; /* of .16x32bx2 */
	/* cp: rows, bytes of a row; the parts of 32 rows that each warp's lanes get; bits of a
	 * packed element */
	uint8_t rows, row_bytes, part[4], bits;
	/* mma: enum tcgen_kind; scale-input-d; scale factors of a row of A; A is in tensor memory
	 */
	uint8_t kind, scale, scales;
	bool sparse, ws, a_in_tensor, masks, zeroes;
	/* in tensor memory (alloc: in shared memory); scale_at: of A and B */
	struct op_address at, a, metadata, scale_at[2];
	/* columns or address of (de)alloc; the ctaMask; mma: descriptors of A and B, the
	 * instruction descriptor, enable-input-d, disable-output-lane or the zero-column mask */
	uint32_t value[2], descriptor[2], instruction, enable, mask[8];
	uint32_t place[TCGEN_REGISTERS];
};
enum cp_source { CP_WHOLE, CP_SIZE, CP_IGNORE };
struct op_async_operands {
	struct op_address to, from, bar;
	uint32_t place[4]; /* st.async, red.async: the values of the elements */
	uint8_t width[4];
	const struct op_wgmma *wgmma;   /* WGMMA only */
	const struct op_tensor *tensor; /* TENSOR only */
	const struct op_tcgen *tcgen;   /* TCGEN only */
};
/* Elements of 4, 2 and 1 bytes and of 4 bits that are -0, of each 16 bytes the first one; bytes
 * that are 0xff. (9.7.10.28.1.3) */
enum validity {
	VALIDITY_ANY,
	VALIDITY_WORD,
	VALIDITY_HALF,
	VALIDITY_BYTE,
	VALIDITY_NIBBLE,
	VALIDITY_ONES
};
struct op_async {
	const struct op_async_operands *operands;
	uint8_t sem, scope;
	uint8_t type, bytes, vector; /* bytes per element (cp.async: cp-size); number of elements */
	uint8_t atomic;              /* enum atomic of a reduction, or ATOMIC_NONE */
	uint8_t source;              /* enum cp_source */
	/* completes by complete_tx on an mbarrier; if false, a bulk copy belongs to a bulk group */
	bool signals;
	bool multicast, masked; /* bulk: the second operand is a ctaMask; is a byteMask */
	bool ignores;           /* bulk: .ignore_oob */
	uint8_t reports;        /* bulk: enum validity, what the bytes are searched for */
	bool wide;              /* the ctaMask has 32 bits */
	/* bulk: copies access memory by strong operations of 16 bytes; their scope, and that of the
	 * elements of a reduction */
	bool strong;
	uint8_t data_scope;
	bool noinc; /* cp.async.mbarrier.arrive */
};
/* commit_group, wait_group, wait_all. */
struct op_group {
	bool bulk;     /* groups of bulk copies instead of cp.async */
	bool all;      /* wait_all */
	bool read;     /* .read: wait only until the sources have been read */
	uint32_t keep; /* number of most recent groups that may still be pending */
};

enum proxy_space { PROXY_SHARED = 1, PROXY_GLOBAL = 2, PROXY_TENSOR_MAP = 4 };
enum fence_proxy { FENCE_ASYNC, FENCE_ALIAS, FENCE_OTHER };
struct op_fence {
	uint8_t sem, scope;
	bool init; /* fence.mbarrier_init: orders mbarrier.init only */
	/* fence.proxy: */
	uint8_t proxy;  /* enum fence_proxy */
	uint8_t covers; /* a set of enum proxy_space */
	/* .shared::cluster: includes the shared memory of the cluster's other CTAs */
	bool clusters;
	/* fence.proxy.tensormap::generic, .async::generic, or restricted by sync_restrict */
	bool one_way;
	/* covers PROXY_TENSOR_MAP: the acquire of the tensor map at this address; or NULL */
	const struct op_address *map;
};
/* TENSOR_REPLACE: operand 0 is the value. TENSOR_PUBLISH copies an image. */
struct op_tensor_image {
	struct op_address at, from; /* from: TENSOR_PUBLISH */
	uint8_t field, ordinal;     /* enum tensor_field */
};

/* ROW_ADDRESS: operand N gets, in lane k, the address that lane from[N][k] gave plus offset[N][k]:
 * the parts of ldmatrix and stmatrix. A single op reads the other lanes' registers: the lanes may
 * part after it. */
enum { MATRIX_PARTS = 8 };
struct op_rows {
	const struct op_address *address;
	uint8_t from[MATRIX_PARTS][LANES], offset[MATRIX_PARTS][LANES];
	uint8_t aligned; /* bytes: 16, or 8 for rows of 8 */
	bool writes;
};
/* FRAGMENT_ADDRESS: operand 0 gets, in lane k, the address of an element of a matrix of wmma: in
 * line (row or column) line[k], whose distance in elements is operand 1, the element along[k]. */
struct op_fragment {
	const struct op_address *address;
	uint8_t line[LANES], along[LANES];
	uint8_t stride_bits; /* of an element of the stride */
	uint8_t bits;        /* of an element of along */
	uint8_t aligned;     /* bytes to which the lines are aligned */
	bool first, writes;
};
/* MMA: the operands of the op are the destinations; here are the places of A, B and C. */
enum { MATRIX_REGISTERS = 8 };
struct op_mma {
	const struct matrix_product *product;
	uint32_t place[3][MATRIX_REGISTERS];
	uint32_t metadata;
	/* block scales of A and B, and the two selectors of each: byte-id, thread-id */
	uint32_t scale[2], selector[2][2];
};

enum query_what { QUERY_CANCELED, QUERY_VECTOR, QUERY_X, QUERY_Y, QUERY_Z };

/* --- the op --- */

/* A place is 32 lanes of a value, or one predicate word, addressed relative to a frame: bit 0
 * selects the bank (0: registers of the frame, 1: constants of the function), the other bits are
 * the byte offset in it. */
struct op {
	union {
		arith_kernel *kernel; /* KIND_ALU */
		/* all other kinds: set by the engine that executes the code; never compared */
		exec_fn *exec;
	} run;
	/* places of the operands, destinations first; 0 when unused */
	uint32_t at[OP_MAX_OPERANDS];
	/* place of the guard predicate, and the mask it is xored with (all ones when negated);
	 * without a guard the place is the constant ~0 */
	uint32_t guard, guard_xor;
	uint32_t insn; /* index in ir_module.insn */
	/* index of the op at which lanes reconverge after a branch or call (immediate
	 * post-dominator); NO_PC: when the frame returns */
	uint32_t reconverge;
	uint8_t kind; /* enum op_kind */
	uint8_t noperands, ndests;
	/* 1: the first op of its instruction, which may have several */
	uint8_t first;
	/* bytes per lane of each operand's place; 0 = predicate word */
	uint8_t width[OP_MAX_OPERANDS];
	union {
		struct op_alu alu;
		struct {
			uint32_t target; /* op index */
		} branch;
		const struct branch_table *table; /* BRANCH_INDEX */
		const struct call_site *call;
		struct {
			uint16_t which /* enum sreg */;
			uint8_t component /* 0, or 1 + x y z w */;
		} sreg;
		struct {
			int64_t offset;
			bool dynamic;
		} address;
		struct {
			int64_t add;
		} cvta;
		struct {
			uint16_t space;
			bool own; /* .shared::cta: of the executing CTA only */
		} isspacep;
		struct {
			uint64_t value;
		} policy;
		struct {
			uint32_t align;
		} stack;                         /* ALLOCA */
		struct op_access access;         /* LOAD, STORE, ATOM, RED, DISCARD, TEXTURE */
		struct op_fence fence;           /* FENCE, PROXY_FENCE */
		struct op_collective collective; /* VOTE to SHFL */
		struct op_barrier barrier;
		struct {
			uint8_t sem;
			bool aligned;
		} cluster; /* CLUSTER_ARRIVE, CLUSTER_WAIT */
		struct {
			bool generic;
		} mapa; /* MAPA, GETCTARANK */
		struct op_mbarrier mbarrier;
		struct op_async async; /* CP_ASYNC to ST_BULK, TRY_CANCEL, WGMMA, TCGEN */
		struct op_group group; /* also WGMMA_WAIT: keep */
		struct {
			uint8_t what; /* enum query_what */
		} query;
		const struct op_tensor_image *image; /* TENSOR_REPLACE, TENSOR_PUBLISH */
		const struct op_rows *rows;
		const struct op_fragment *fragment;
		const struct op_mma *mma;
		const char *why; /* UNSUPPORTED, TRAP: the reason, or NULL */
	};
};

/* Whether A may access memory that other threads can access. */
static inline bool access_is_common(const struct op_access *a)
{
	return a->space == W_NONE || a->space == W_global || a->space == W_shared;
}
static inline bool op_is_guarded(const struct op *op)
{
	return !(op->guard == 1 && op->guard_xor == 0);
}
/* Whether OP is ld, st, atom or red; `access` is valid then (as it is for discard). */
static inline bool op_accesses(const struct op *op)
{
	return op->kind >= KIND_LOAD && op->kind <= KIND_RED;
}
static inline bool op_is_atomic(const struct op *op)
{
	return op->kind == KIND_ATOM || op->kind == KIND_RED;
}
/* Whether OP is a reduction on global memory of which nobody sees when it is done, except by fences
 * and other accesses to the same memory: several may be combined. */
static inline bool op_is_sum(const struct op *op)
{
	const struct op_access *a = &op->access;

	return a->unread && a->vector == 1 && a->sem == SEM_RELAXED &&
		op->width[a->base_operand] == 8 && (a->space == W_global || a->space == W_NONE) &&
		a->integer && atomic_commutes((enum atomic)a->atomic);
}
/* Whether OP is one of VOTE to SHFL; `collective` is valid then. */
static inline bool op_is_collective(const struct op *op)
{
	return op->kind >= KIND_VOTE && op->kind <= KIND_SHFL;
}
/* Whether OP is an asynchronous operation with addresses; `async` is valid then (as it is for
 * TRY_CANCEL). */
static inline bool op_is_async(const struct op *op)
{
	return op->kind >= KIND_CP_ASYNC && op->kind <= KIND_ST_BULK;
}

#endif
