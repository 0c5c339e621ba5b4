/* A litmus test in the LISA-like format of herd7: PTX NAME, initial values, one column per thread,
 * a condition. Names are resolved; nothing is executed. */
#ifndef PTXI_PARSER_LITMUS_H
#define PTXI_PARSER_LITMUS_H
#include "base/arena.h"
#include "diag/diag.h"
#include <stdbool.h>

enum litmus_op {
	LITMUS_LOAD,
	LITMUS_STORE,
	LITMUS_ATOM, /* with a destination (red has none) */
	LITMUS_RED,
	LITMUS_FENCE,
	LITMUS_PROXY_FENCE,
	LITMUS_SYNC, /* bar.cta.sync SITE [, NUMBER [, COUNT]] */
	LITMUS_ARRIVE,
	LITMUS_ALU,
	LITMUS_BRANCH, /* a REL b */
	LITMUS_GOTO
};
enum litmus_alu {
	LITMUS_MOV,
	LITMUS_ADD,
	LITMUS_SUB,
	LITMUS_MUL,
	LITMUS_AND,
	LITMUS_OR,
	LITMUS_XOR,
	LITMUS_MIN,
	LITMUS_MAX,
	LITMUS_INC,
	LITMUS_DEC,
	LITMUS_EXCH,
	LITMUS_CAS
};
enum litmus_relation { LITMUS_EQ, LITMUS_NE, LITMUS_LT, LITMUS_LE, LITMUS_GT, LITMUS_GE };
/* In the order of enum sem and enum scope (isa/order.h) and of the proxies of model/event.h, which
 * is not visible in this module. */
enum litmus_sem {
	LITMUS_WEAK,
	LITMUS_RELAXED,
	LITMUS_ACQUIRE,
	LITMUS_RELEASE,
	LITMUS_ACQ_REL,
	LITMUS_SC
};
enum litmus_scope { LITMUS_CTA, LITMUS_CLUSTER, LITMUS_GPU, LITMUS_SYS };
enum litmus_proxy {
	LITMUS_GENERIC,
	LITMUS_SURFACE,
	LITMUS_TEXTURE,
	LITMUS_CONSTANT,
	LITMUS_ASYNC,
	LITMUS_ALIAS
};

struct litmus_value {
	bool is_register; /* index = register of the thread */
	uint32_t index;
	int64_t value;
};

struct litmus_insn {
	uint8_t op, sem, scope, proxy;
	uint8_t alu;       /* enum litmus_alu; for BRANCH enum litmus_relation */
	uint32_t dst;      /* register */
	uint32_t location; /* accesses */
	uint32_t target;   /* index of an instruction of the thread, may be ninsns */
	/* sources; barriers: a = site, b = number, c = count (0 = none) */
	struct litmus_value a, b, c;
	bool counted; /* barriers: has a count */
	struct span span;
};

struct litmus_thread {
	const char *name; /* "P0" */
	uint32_t cta, cluster, gpu;
	struct litmus_insn *insn;
	uint32_t ninsns;
	const char **reg; /* names */
	int64_t *reg_init;
	uint32_t nregs;
};

/* CTAs are numbered within their cluster, clusters within their GPU. */
static inline bool litmus_same_cta(const struct litmus_thread *t, const struct litmus_thread *u)
{
	return t->cta == u->cta && t->cluster == u->cluster && t->gpu == u->gpu;
}

struct litmus_location {
	const char *name;
	uint32_t phys; /* the location whose memory it accesses (itself unless it is an alias) */
	/* the location whose virtual address it uses: a surface or texture alias shares that of its
	 * target, a generic alias has its own */
	uint32_t virt;
	bool alias;
	int64_t init;
};

enum litmus_cond_kind { LITMUS_AND_COND, LITMUS_OR_COND, LITMUS_NOT_COND, LITMUS_COMPARE };
enum litmus_term_kind { LITMUS_TERM_INT, LITMUS_TERM_REG, LITMUS_TERM_LOCATION };
struct litmus_term {
	uint8_t kind;
	uint32_t thread, index; /* register of a thread, or location */
	int64_t value;
};
struct litmus_cond {
	uint8_t kind, relation;
	struct litmus_term left, right;
	const struct litmus_cond *a, *b;
};

enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NOT_EXISTS, LITMUS_FORALL };

struct litmus_test {
	const char *name;
	struct source *source;
	struct litmus_location *location;
	struct litmus_thread *thread;
	uint32_t nlocations, nthreads;
	uint8_t quantifier;
	const struct litmus_cond *cond;
	uint32_t cond_off;     /* offset of the quantifier in the source */
	const char *cond_text; /* as written, on one line, without the quantifier */
	/* the registers and locations named by the condition and `locations [...]`, in order of
	 * appearance */
	struct litmus_term *observed;
	uint32_t nobserved;
};

/* Parses SOURCE into ARENA. Returns NULL and reports to DIAGS if it is not a litmus test. */
struct litmus_test *litmus_parse(struct source *source, struct arena *arena, struct diags *diags);
/* The same test with `exists CONDITION`, written as in the file, instead of its own condition; NULL
 * if CONDITION is invalid. */
struct litmus_test *litmus_ask(const struct litmus_test *test, const char *condition,
	struct arena *arena, struct diags *diags);
/* "exists", "~exists" or "forall". */
const char *litmus_quantifier_text(const struct litmus_test *t);

#endif
