/* Tensor memory: its cells, allocations, and the order of the operations on it. */
#include "interp/sync/tensor_memory.h"
#include "interp/memory/order.h"
#include "interp/state/cluster.h"
#include "interp/state/where.h"
#include "interp/sync/async.h"
#include "interp/sync/sync.h"
#include <string.h>

enum {
	BLOCK = 32, /* columns that are allocated together */
	BLOCKS = TCGEN_COLUMNS / BLOCK,
	BAND = 16, /* lanes whose accesses are recorded together */
	BANDS = TCGEN_LANES / BAND,
	OPERATIONS = 1024, /* the latest, that are remembered */
	PRODUCTS = 128     /* there are fewer */
};

/* An operation on tensor memory. */
struct operation {
	const struct op *op;
	uint32_t number, user_call;
	uint32_t signature; /* mma: of its shape and accumulator */
	uint32_t epoch;     /* of the CTA, when it was fenced */
	uint8_t what, warp, lane;
	bool done, fenced;
};

/* The last operations that accessed the cells of a band in a column; 0: none. */
struct use {
	uint32_t writer, reader;
};

struct tcgen_memory {
	uint32_t (*undefined)[TCGEN_COLUMNS];
	struct operation *operation; /* [OPERATIONS]; only with --check=sync, as use */
	struct use (*use)[TCGEN_COLUMNS];
	uint32_t nproducts;
	const struct warpgroup_product *product[PRODUCTS];
	/* what follows begins as zero in each CTA */
	uint32_t cell[TCGEN_LANES][TCGEN_COLUMNS];
	/* of each block: 1 + the first block of its allocation; 0: free */
	uint8_t owner[BLOCKS];
	uint32_t freed[BLOCKS]; /* 1 + the instruction that freed it last */
	const struct op *by[BLOCKS];
	unsigned last; /* columns of the last allocation; 0: none */
	uint32_t allocated;
	bool relinquished, exclusive;
	const struct op *group[2]; /* the first instruction of each .cta_group */
	uint32_t made;             /* operations */
	uint32_t after[MAX_WARPS]; /* 1 + the epoch of the warp's last fence::after_thread_sync */
};

static void tcgen_begin(struct cluster *k)
{
	EVERY_CTA(c, k) {
		struct tcgen_memory *t = c->tensor;

		if (!t)
			continue;
		if (t->undefined)
			memset(t->undefined, 0xff, sizeof *t->undefined * TCGEN_LANES);
		if (t->operation) {
			memset(t->operation, 0, sizeof *t->operation * OPERATIONS);
			memset(t->use, 0, sizeof *t->use * BANDS);
		}
		memset(t->cell, 0, sizeof *t - offsetof(struct tcgen_memory, cell));
	}
}
const struct keeper tcgen_memory_keeper = {.begin = tcgen_begin};

struct tcgen_memory *tcgen_memory_of(struct cta *c)
{
	if (c->tensor)
		return c->tensor;
	struct tcgen_memory *t = c->tensor = ARENA_NEW(&c->arena, struct tcgen_memory);
	uint32_t checks = c->warp->machine->options.checks;

	if (checks & CHECK_INIT) {
		t->undefined = (uint32_t(*)[TCGEN_COLUMNS])(void *)ARENA_ARRAY(
			&c->arena, uint32_t, TCGEN_LANES * TCGEN_COLUMNS);
		memset(t->undefined, 0xff, sizeof *t->undefined * TCGEN_LANES);
	}
	if (checks & CHECK_SYNC) {
		t->operation = ARENA_ARRAY(&c->arena, struct operation, OPERATIONS);
		t->use = (struct use(*)[TCGEN_COLUMNS])(void *)ARENA_ARRAY(
			&c->arena, struct use, BANDS * TCGEN_COLUMNS);
	}
	return t;
}

uint32_t *tcgen_cell(struct tcgen_memory *t, unsigned lane, unsigned column)
{
	return &t->cell[lane][column];
}

uint32_t *tcgen_undefined(struct tcgen_memory *t, unsigned lane, unsigned column)
{
	return t->undefined ? &t->undefined[lane][column] : NULL;
}

const struct warpgroup_product *tcgen_product(struct cta *c, const struct matrix_form *f)
{
	struct tcgen_memory *t = tcgen_memory_of(c);
	struct warpgroup_form form = {.part = *f, .n = WARPGROUP_COLUMNS};

	for (uint32_t k = 0; k < t->nproducts; k++) {
		const struct matrix_form *g = &t->product[k]->form.part;

		if (g->a == f->a && g->b == f->b && g->d == f->d && g->saturate == f->saturate &&
			g->sparse == f->sparse && g->k == f->k && g->scales == f->scales &&
			g->scale_type == f->scale_type)
			return t->product[k];
	}
	assert(t->nproducts < PRODUCTS);
	t->product[t->nproducts] = warpgroup_product_new(&c->arena, &form);
	return t->product[t->nproducts++];
}

/* --- allocation (PTX ISA 9.7.18.7.1) --- */

static unsigned blocks_of(const struct tcgen_memory *t, unsigned first)
{
	unsigned n = 0;

	while (first + n < BLOCKS && t->owner[first + n] == first + 1)
		n++;
	return n;
}

static bool is_empty(const struct tcgen_memory *t)
{
	for (unsigned k = 0; k < BLOCKS; k++)
		if (t->owner[k])
			return false;
	return true;
}

bool tcgen_allocate(
	struct warp *w, const struct op *op, unsigned n, bool exclusive, uint32_t *column)
{
	struct tcgen_memory *t = tcgen_memory_of(w->cta);
	unsigned blocks = n / BLOCK, found = 0;

	if (t->exclusive || (exclusive && !is_empty(t)))
		return false;
	for (unsigned k = 0; k < BLOCKS && found < blocks; k++) {
		found = t->owner[k] ? 0 : found + 1;
		*column = (k + 1 - found) * BLOCK;
	}
	if (found < blocks)
		return false;
	if (sync_checks(w) && t->relinquished)
		finding(w, op, lane_first(w->active), DIAG_S0511,
			"this CTA has executed tcgen05.relinquish_alloc_permit: it must not allocate any more");
	if (sync_checks(w) && t->last && n > t->last)
		finding(w, op, lane_first(w->active), DIAG_S0511,
			"%u columns after an allocation of %u: later allocations of a CTA must not be larger",
			n, t->last);
	t->last = n;
	t->exclusive = exclusive;
	t->allocated++;
	for (unsigned k = 0; k < blocks; k++) {
		t->owner[*column / BLOCK + k] = (uint8_t)(*column / BLOCK + 1);
		t->by[*column / BLOCK + k] = op;
	}
	w->effect = 1;
	return true;
}

void tcgen_free(struct warp *w, const struct op *op, unsigned lane, uint32_t address, unsigned n)
{
	struct tcgen_memory *t = tcgen_memory_of(w->cta);
	unsigned first = address / BLOCK,
		 blocks = address < TCGEN_COLUMNS ? blocks_of(t, first) : 0;
	bool exclusive = op->async.operands->tcgen->exclusive;

	if (address % BLOCK || !blocks || n != blocks * BLOCK || exclusive != t->exclusive) {
		if (!sync_checks(w))
			return;
		if (address % BLOCK || !blocks)
			finding(w, op, lane, DIAG_S0511,
				"0x%08x is not the address of an allocation%s", address,
				address < TCGEN_COLUMNS && t->freed[first]
					? " (it was freed before)"
					: "");
		else if (exclusive != t->exclusive)
			finding(w, op, lane, DIAG_S0511,
				"memory is freed with .exclusive if it was allocated with .exclusive, and only then");
		else
			finding(w, op, lane, DIAG_S0511,
				"%u columns are freed, but the allocation at 0x%08x has %u", n,
				address, blocks * BLOCK);
		return;
	}
	if (sync_checks(w) &&
		!tcgen_access(w, op, lane, w->cta, tcgen_operation(w, op, lane, 0), 0, TCGEN_LANES,
			address, n, true))
		return;
	for (unsigned k = first; k < first + blocks; k++) {
		t->owner[k] = 0;
		t->freed[k] = op->insn + 1;
		for (unsigned lane_ = 0; t->undefined && lane_ < TCGEN_LANES; lane_++)
			memset(&t->undefined[lane_][k * BLOCK], 0xff, BLOCK * sizeof(uint32_t));
	}
	for (unsigned i = 0; t->use && i < BANDS; i++)
		memset(&t->use[i][address], 0, n * sizeof(struct use));
	t->exclusive = false;
	w->effect = 1;
}

void tcgen_relinquish(struct warp *w) { tcgen_memory_of(w->cta)->relinquished = true; }

struct cta *tcgen_peer(struct warp *w, const struct op *op, unsigned lane, bool pair)
{
	unsigned what = op->async.operands->tcgen->what;
	struct cta *c = w->cta, *peer = c;
	struct tcgen_memory *t = tcgen_memory_of(c);

	if (pair && (c->cluster_rank ^ 1) >= c->cluster->n) {
		fault(w, op, lane, DIAG_S0515,
			".cta_group::2 needs a peer CTA, whose rank in the cluster is %u: the cluster has %u CTA%s",
			c->cluster_rank ^ 1, c->cluster->n, c->cluster->n == 1 ? "" : "s");
		return NULL;
	}
	if (pair)
		peer = c->cluster->member[c->cluster_rank ^ 1];
	if (!t->group[pair])
		t->group[pair] = op;
	if (sync_checks(w) && t->group[!pair])
		finding(w, op, lane, DIAG_S0515,
			"this instruction has .cta_group::%d, the one at %s .cta_group::%d: all tcgen05 instructions of a kernel have the same",
			pair + 1, where_line(w->machine, t->group[!pair]->insn).text, !pair + 1);
	if (sync_checks(w) && peer != c && cluster_cta_exited(peer) &&
		(what == TCGEN_CP || what == TCGEN_MMA))
		finding(w, op, lane, DIAG_S0515, "the peer CTA, of rank %u, has exited",
			peer->cluster_rank);
	return peer;
}

void tcgen_at_exit(struct cta *c)
{
	struct tcgen_memory *t = c->tensor;
	struct warp *w = &c->warp[0];
	struct frame nowhere = {0}, *f;

	if (!t || !sync_checks(w))
		return;
	f = sync_detach(w, &nowhere);
	for (unsigned k = 0; k < BLOCKS; k++)
		if (t->owner[k] == k + 1)
			finding(w, t->by[k], 0, DIAG_S0511,
				"the %u columns at 0x%08x were not freed when the CTA exited",
				blocks_of(t, k) * BLOCK, k * BLOCK);
	if (t->group[1] && (c->cluster_rank & 1) == 0 && c->cluster->n > 1) {
		struct tcgen_memory *peer = c->cluster->member[1]->tensor;

		if (c->cluster_rank + 1 < c->cluster->n)
			peer = c->cluster->member[c->cluster_rank + 1]->tensor;
		if (!peer || peer->allocated != t->allocated)
			finding(w, t->group[1], 0, DIAG_S0515,
				"the CTA allocated %u times, its peer %u times: with .cta_group::2 a warp of each allocates",
				t->allocated, peer ? peer->allocated : 0);
	}
	sync_attach(w, f);
}

/* --- the order of operations (PTX ISA 9.7.18.6) --- */

static struct operation *operation_of(struct tcgen_memory *t, uint32_t number)
{
	struct operation *o = &t->operation[number % OPERATIONS];

	return number && o->number == number ? o : NULL;
}

uint32_t tcgen_operation(struct warp *w, const struct op *op, unsigned lane, uint32_t signature)
{
	struct tcgen_memory *t = tcgen_memory_of(w->cta);
	uint32_t number = ++t->made;

	if (!t->operation)
		return 0;
	t->operation[number % OPERATIONS] = (struct operation){.op = op,
		.number = number,
		.user_call = w->frame->user_call,
		.signature = signature,
		.what = op->async.operands->tcgen->what,
		.warp = (uint8_t)w->index,
		.lane = (uint8_t)lane};
	return number;
}

static bool is_collective(unsigned what) { return what == TCGEN_LD || what == TCGEN_ST; }

/* Whether operations A, then B of one thread execute in this order without being waited for. */
static bool is_pipelined(const struct operation *a, const struct operation *b)
{
	if (b->what != TCGEN_MMA)
		return false;
	return a->what == TCGEN_CP || (a->what == TCGEN_MMA && a->signature == b->signature);
}

/* What is missing between A and B, which access the same cells. NULL: nothing. */
static const char *missing(const struct tcgen_memory *t, const struct cta *c,
	const struct operation *a, const struct operation *b)
{
	bool same = a->warp == b->warp && (is_collective(a->what) || a->lane == b->lane),
	     pipelined = is_pipelined(a, b);

	if (same && pipelined)
		return NULL;
	if (!a->done && !pipelined)
		return a->what == TCGEN_LD ? "tcgen05.wait::ld must come between"
			: a->what == TCGEN_ST
			? "tcgen05.wait::st must come between"
			: "a thread must wait for an mbarrier on which tcgen05.commit arrives after it";
	if (same && is_collective(a->what))
		return NULL;
	if (!a->fenced)
		return "its thread must execute tcgen05.fence::before_thread_sync and then synchronise";
	if (order_epoch(c) == ORDER_EPOCHS)
		return NULL;
	if (a->epoch >= order_epoch(c))
		return "the threads must synchronise after it";
	return t->after[b->warp] > a->epoch + 1
		? NULL
		: "tcgen05.fence::after_thread_sync must come after the synchronisation";
}

static const char *const verb[] = {[TCGEN_ALLOC] = "alloc",
	[TCGEN_DEALLOC] = "dealloc",
	[TCGEN_LD] = "ld",
	[TCGEN_ST] = "st",
	[TCGEN_CP] = "cp",
	[TCGEN_MMA] = "mma"};

/* Whether B is ordered after operation NUMBER; otherwise there is a finding. */
static bool check_order(struct warp *w, const struct op *op, unsigned lane, struct cta *c,
	struct tcgen_memory *t, uint32_t number, const struct operation *b, bool wrote)
{
	const struct operation *a = operation_of(t, number);
	const char *why = a && a != b && c == w->cta ? missing(t, c, a, b) : NULL;

	if (!why)
		return true;
	finding(w, op, lane, DIAG_S0513,
		"tensor memory that tcgen05.%s %s here is %s by the tcgen05.%s at %s, which is not ordered before: %s",
		verb[b->what], b->what == TCGEN_LD ? "reads" : "uses", wrote ? "written" : "read",
		verb[a->what], where_line_from(w->machine, a->op->insn, a->user_call).text, why);
	return false;
}

bool tcgen_access(struct warp *w, const struct op *op, unsigned lane, struct cta *c,
	uint32_t operation, unsigned first, unsigned lanes, unsigned column, unsigned n,
	bool writes)
{
	struct tcgen_memory *t = tcgen_memory_of(c);
	const struct operation *b = NULL;
	bool ordered = true;

	if (first + lanes > TCGEN_LANES || column >= TCGEN_COLUMNS || n > TCGEN_COLUMNS - column) {
		fault(w, op, lane, DIAG_S0512,
			"%u columns from column %u on, in lanes %u to %u: tensor memory has %d columns of %d lanes",
			n, column, first, first + lanes - 1, TCGEN_COLUMNS, TCGEN_LANES);
		return false;
	}
	for (unsigned k = column / BLOCK; n && k <= (column + n - 1) / BLOCK; k++)
		if (!t->owner[k]) {
			fault(w, op, lane, DIAG_S0512,
				"column %u of tensor memory is not allocated%s%s",
				k * BLOCK > column ? k * BLOCK : column,
				t->freed[k] ? ": it was freed at " : "",
				t->freed[k] ? where_line(w->machine, t->freed[k] - 1).text : "");
			return false;
		}
	if (!t->use)
		return true;
	/* the record is of W's CTA; accesses of a peer's memory are not ordered */
	b = c == w->cta ? operation_of(t, operation) : NULL;
	for (unsigned i = first / BAND; b && i < (first + lanes + BAND - 1) / BAND; i++)
		for (unsigned k = column; k < column + n; k++) {
			struct use *u = &t->use[i][k];

			ordered = ordered && check_order(w, op, lane, c, t, u->writer, b, true) &&
				(!writes || check_order(w, op, lane, c, t, u->reader, b, false));
			if (writes)
				*u = (struct use){.writer = operation};
			else
				u->reader = operation;
		}
	return true;
}

void tcgen_landed(const struct copy *c, uint32_t operation)
{
	struct tcgen_memory *t = tcgen_memory_of(c->warp->cta);
	struct operation *o = t->operation ? operation_of(t, operation) : NULL;

	if (!o)
		return;
	o->done = o->fenced = true;
	o->epoch = order_epoch(c->warp->cta);
}

void tcgen_waits(struct warp *w, unsigned what)
{
	struct tcgen_memory *t = tcgen_memory_of(w->cta);

	for (unsigned k = 0; t->operation && k < OPERATIONS; k++)
		if (t->operation[k].number && t->operation[k].what == what &&
			t->operation[k].warp == w->index)
			t->operation[k].done = true;
}

void tcgen_fence(struct warp *w, bool before)
{
	struct tcgen_memory *t = tcgen_memory_of(w->cta);

	if (!before)
		t->after[w->index] = order_epoch(w->cta) + 1;
	for (unsigned k = 0; before && t->operation && k < OPERATIONS; k++) {
		struct operation *o = &t->operation[k];

		if (!o->number || o->fenced || o->warp != w->index ||
			(is_collective(o->what) && !o->done))
			continue;
		o->fenced = true;
		o->epoch = order_epoch(w->cta);
	}
}
