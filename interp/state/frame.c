/* Frames: pushed by calls, freed when their last lane leaves. */
#include "interp/state/engine.h"
#include "interp/state/warp.h"
#include <string.h>

/* Per CTA: free frames for reuse. */
struct frames {
	struct frame *free[32]; /* by log2 of the size of their registers */
};

static unsigned size_class(uint32_t bytes)
{
	return bytes <= 64 ? 6 : 32u - (unsigned)__builtin_clz(bytes - 1);
}

uint32_t frame_taken(const struct frame *f, uint32_t lanes)
{
	uint32_t most = 0;

	if (f->taken)
		FOR_LANES(lane, lanes)
			most = f->taken[lane] > most ? f->taken[lane] : most;
	return most;
}

/* Of translated code, only those that may be read before they are written; nobody else looks at
 * them. */
static void clear_registers(const struct code_func *code, unsigned char *regs)
{
	const struct engine_code *unit = __atomic_load_n(&code->translated, __ATOMIC_ACQUIRE);

	if (!unit || !unit->unset.known) {
		memset(regs, 0, code->frame_bytes);
		return;
	}
	for (unsigned k = 0; k < unit->unset.n; k++)
		memset(regs + unit->unset.at[k], 0, unit->unset.bytes[k]);
}

static void sure_begin(struct cta *c, struct frame *f)
{
	enum { MOST = 4096 }; /* longer functions are mostly straight */
	uint32_t n = f->code->nops;

	if (n > MOST) {
		f->sure = NULL;
		f->sure_room = 0;
		return;
	}
	if (n > f->sure_room) {
		f->sure = ARENA_ARRAY(&c->arena, uint32_t, n);
		f->sure_room = n;
	} else {
		memset(f->sure, 0, n * sizeof *f->sure);
	}
}

struct frame *frame_push(
	struct warp *w, const struct code_func *code, struct frame *caller, uint32_t lanes)
{
	struct cta *c = w->cta;
	unsigned k = size_class(code->frame_bytes);
	struct frame *f = c->frames ? c->frames->free[k] : NULL;
	bool init = (w->machine->options.checks & CHECK_INIT) != 0;
	unsigned char *regs;
	uint32_t *taken = NULL, *sure = NULL, sure_room = 0;

	if (f) {
		c->frames->free[k] = f->caller;
		regs = f->regs;
		taken = f->taken;
		sure = f->sure;
		sure_room = f->sure_room;
	} else {
		if (!c->frames)
			c->frames = ARENA_NEW(&c->arena, struct frames);
		f = ARENA_NEW(&c->arena, struct frame);
		regs = arena_alloc(&c->arena, init ? (size_t)3 << k : (size_t)1 << k, 64);
	}
	clear_registers(code, regs);
	if (taken)
		memset(taken, 0, LANES * sizeof *taken);
	*f = (struct frame){.caller = caller,
		.code = code,
		.regs = regs,
		.lanes = lanes,
		.taken = taken,
		.sure = sure,
		.sure_room = sure_room};
	if (init) {
		sure_begin(c, f);
		f->bits = regs + ((size_t)2 << k);
		f->defined = memset(regs + ((size_t)1 << k), 0, code->frame_bytes);
	}
	if (caller) {
		f->depth = caller->depth + 1;
		f->local_base = (caller->local_base + caller->code->local_bytes +
					frame_taken(caller, lanes) + 15) &
			~15u;
		f->stack_used = caller->stack_used +
			(f->local_base - caller->local_base - caller->code->local_bytes);
	}
	f->local_top = f->local_base + code->local_bytes;
	f->stack_used += code->stack_bytes;
	return f;
}

void frame_leave(struct warp *w, struct frame *f, uint32_t lanes)
{
	f->lanes &= ~lanes;
	if (!f->lanes) {
		struct cta *c = w->cta;
		unsigned k = size_class(f->code->frame_bytes);

		f->caller = c->frames->free[k];
		c->frames->free[k] = f;
	}
}
