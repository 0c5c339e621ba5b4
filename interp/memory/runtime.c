/* Functions that the CUDA runtime provides to device code, called by name: vprintf, malloc,
 * free, __assertfail. */
#include "base/assert.h"
#include "base/memory.h"
#include "interp/memory/access.h"
#include "interp/memory/combine.h"
#include "interp/state/limits.h"
#include "interp/memory/name.h"
#include "interp/memory/runtime_heap.h"
#include "interp/memory/runtime_printf.h"
#include "interp/memory/undefined.h"
#include "interp/state/weak_memory.h"
#include <inttypes.h>
#include <stdlib.h>

enum runtime_function {
#define PROVIDED(NAME, name, arguments) RUNTIME_##NAME,
#include "code/provided.def"
	RUNTIME_COUNT
};

static const char *const name_of[RUNTIME_COUNT] = {
#define PROVIDED(NAME, name, arguments) #name,
#include "code/provided.def"
};
static const uint8_t arguments_of[RUNTIME_COUNT] = {
#define PROVIDED(NAME, name, arguments) arguments,
#include "code/provided.def"
};

enum { MAX_TEXT = 1 << 20 };

/* Reads memory for lane LANE of the program. */
struct reader {
	struct warp *w;
	const struct op *op;
	unsigned lane;
	uint64_t arguments; /* vprintf: the address of the packed arguments */
	uint64_t failed;    /* the address that could not be read */
	bool undefined;     /* some byte read was never written */
	struct access access;
};

static bool read_bytes(struct reader *r, uint64_t address, unsigned n, uint64_t *value)
{
	struct access *a = &r->access;

	if (!access_one(r->w, r->lane, address, n, ACCESS_READ, a)) {
		r->failed = address;
		return false;
	}
	*value = element_load(a->host[r->lane], n, __ATOMIC_RELAXED);
	for (unsigned b = 0; a->defined[r->lane] && b < n; b++)
		if (!__atomic_load_n(&a->defined[r->lane][b], __ATOMIC_RELAXED))
			r->undefined = true;
	return true;
}

/* Appends the text at ADDRESS up to its NUL; its characters are STRIDE bytes apart. */
static bool read_text(struct reader *r, uint64_t address, unsigned stride, struct text *out)
{
	for (unsigned k = 0; k < MAX_TEXT; k++) {
		uint64_t c;

		if (!read_bytes(r, address + (uint64_t)k * stride, 1, &c))
			return false;
		if (!c)
			return true;
		text_putc(out, (char)c);
	}
	return true;
}

/* --- vprintf --- */

static bool next_argument(void *self, unsigned offset, unsigned n, uint64_t *value)
{
	struct reader *r = self;

	return read_bytes(r, r->arguments + offset, n, value);
}

static bool next_byte(void *self, uint64_t address, char *c)
{
	uint64_t value;

	if (!read_bytes(self, address, 1, &value))
		return false;
	*c = (char)value;
	return true;
}

/* Keeps the output up to the limit, and passes its complete lines on. */
static void runtime_output(struct machine *m, struct text *text)
{
	uint64_t room;
	bool over;

	if (!text->len)
		return;
	lock_take(&m->output_lock);
	room = m->options.max_output - m->output.len;
	over = text->len > room;
	text_add(&m->output, text_str(text), over ? (size_t)room : text->len);
	limits_pass_output(m, over);
	lock_give(&m->output_lock);
	text_clear(text);
	if (over)
		limits_end(m, DIAG_B0004);
}

/* Appends what lane R->lane prints to ALL. */
static bool print_lane(struct reader *r, uint64_t format, uint64_t *result, struct text *all)
{
	const struct printf_source source = {r, next_argument, next_byte};
	struct machine *m = r->w->machine;
	struct text text = {0}, out = {0};
	bool ok;
	int n = -1;

	if (!format) {
		*result = (uint32_t)-1;
		return true;
	}
	ok = read_text(r, format, 1, &text);
	if (ok && (n = printf_format(&out, text_str(&text), text.len, &source)) < 0)
		ok = false;
	if (ok) {
		text_add(all, text_str(&out), out.len);
		*result = (uint32_t)n;
		if (r->undefined)
			finding(r->w, r->op, r->lane, DIAG_R0201,
				"vprintf prints a value that was never written");
	} else {
		struct text there = {0};

		name_memory(m->memory, r->failed, 1, &there);
		fault(r->w, r->op, r->lane, DIAG_F0211, "vprintf reads at 0x%" PRIx64 ", %s",
			r->failed, text_str(&there));
		text_free(&there);
	}
	text_free(&text);
	text_free(&out);
	return ok;
}

static enum flow call_vprintf(struct warp *w, const struct op *op, uint32_t mask,
	const uint64_t (*arg)[LANES], uint64_t *ret)
{
	/* of all lanes, so that what a warp prints with one call stays together, unless it is long
	 */
	struct text all = {0};
	bool ok = true;

	FOR_LANES(lane, mask) {
		struct reader r = {.w = w, .op = op, .lane = lane, .arguments = arg[1][lane]};

		ok = !limits_reached(w->machine) && print_lane(&r, arg[0][lane], &ret[lane], &all);
		if (!ok)
			break;
		if (all.len > MAX_TEXT)
			runtime_output(w->machine, &all);
	}
	runtime_output(w->machine, &all);
	text_free(&all);
	return ok ? FLOW_NEXT : FLOW_STOP;
}

/* --- malloc, free --- */

static enum flow call_malloc(
	struct warp *w, uint32_t mask, const uint64_t (*arg)[LANES], uint64_t *ret)
{
	struct memory_block *b = w->machine->memory->heap;

	FOR_LANES(lane, mask) {
		if (limits_reached(w->machine))
			return FLOW_STOP;
		ret[lane] = b && b->heap ? heap_alloc(b->heap, arg[0][lane]) : 0;
		if (ret[lane])
			weak_memory_forget(
				w->machine, b->host + (ret[lane] - b->base), arg[0][lane]);
		/* atomic for ThreadSanitizer; no other thread accesses the block yet */
		if (ret[lane] && b->defined)
			for (uint64_t k = 0; k < arg[0][lane]; k++)
				__atomic_store_n(
					&b->defined[ret[lane] - b->base + k], 0, __ATOMIC_RELAXED);
	}
	return FLOW_NEXT;
}

static enum flow call_free(
	struct warp *w, const struct op *op, uint32_t mask, const uint64_t (*arg)[LANES])
{
	struct memory_block *b = w->machine->memory->heap;

	FOR_LANES(lane, mask) {
		uint64_t address = arg[0][lane];
		enum heap_status status = b && b->heap ? heap_release(b->heap, address)
						       : HEAP_NOT_A_BLOCK;
		struct text there = {0};
		enum flow flow;

		if (!address || status == HEAP_OK)
			continue;
		if (status == HEAP_FREED_BEFORE)
			return fault(w, op, lane, DIAG_F0209,
				"free of 0x%" PRIx64 ", a block that was already freed", address);
		name_memory(w->machine->memory, address, 1, &there);
		flow = fault(w, op, lane, DIAG_F0208,
			"free of 0x%" PRIx64 ", which malloc did not return: %s", address,
			text_str(&there));
		text_free(&there);
		return flow;
	}
	return FLOW_NEXT;
}

/* --- __assertfail(message, file, line, function, size of a character) --- */

static enum flow call_assert(
	struct warp *w, const struct op *op, uint32_t mask, const uint64_t (*arg)[LANES])
{
	unsigned lane = lane_first(mask),
		 stride = arg[4][lane] >= 1 && arg[4][lane] <= 4 ? (unsigned)arg[4][lane] : 1;
	struct reader r = {.w = w, .op = op, .lane = lane};
	struct text message = {0}, file = {0}, function = {0};
	enum flow flow;

	/* unreadable texts stay empty; the assertion is reported anyway */
	read_text(&r, arg[0][lane], stride, &message);
	read_text(&r, arg[1][lane], stride, &file);
	read_text(&r, arg[3][lane], stride, &function);
	flow = fault(w, op, lane, DIAG_F0210, "assertion `%s' failed at %s:%u in %s",
		text_str(&message), text_str(&file), (unsigned)arg[2][lane], text_str(&function));
	text_free(&message);
	text_free(&file);
	text_free(&function);
	return flow;
}

enum flow runtime_call(struct warp *w, const struct op *op, uint32_t mask, int which,
	const uint64_t (*arg)[LANES], unsigned nargs, uint64_t *ret)
{
	if (nargs != arguments_of[which])
		return fault(w, op, lane_first(mask), DIAG_F0109,
			"'%s' takes %u argument%s, but this call passes %u", name_of[which],
			arguments_of[which], arguments_of[which] == 1 ? "" : "s", nargs);
	combine_settle(w->worker);
	switch ((enum runtime_function)which) {
	case RUNTIME_VPRINTF: return call_vprintf(w, op, mask, arg, ret);
	case RUNTIME_MALLOC: return call_malloc(w, mask, arg, ret);
	case RUNTIME_FREE: return call_free(w, op, mask, arg);
	case RUNTIME_ASSERT: return call_assert(w, op, mask, arg);
	case RUNTIME_COUNT:
	default: never();
	}
}
