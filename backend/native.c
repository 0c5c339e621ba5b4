/* Decides what is translated and when (native.h). --engine=native: all functions of a launch before
 * it begins. --engine=stencils: they are put together from pieces then (stencils.h), which takes
 * little time. --engine=auto: that, and a function that has executed many instructions is
 * translated while its pieces go on with it. One compiler at a time; workers look whether it has
 * ended. Whether and when a function is translated changes nothing but time. */
#include "backend/native.h"
#include "arith/text.h"
#include "backend/compiled.h"
#include "backend/stencils.h"
#include "base/memory.h"
#include "base/time.h"
#include "interp/state/engine.h"
#include "interp/state/state.h"
#include "native/key.h"
#include "native/unit.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#if !defined(__EMSCRIPTEN__)
#include <dlfcn.h>
#endif

/* HOT: warp instructions of a function, some seconds' worth of a compiler. LOOKS: calls of a hot
 * function between looks whether the compiler has ended. */
enum { HOT = 20000000, LOOKS = 64, MOST_UNITS = 64 };

/* The functions of one library. */
struct batch {
	struct compiling compiling;
	struct engine_code *unit; /* [n] */
	uint32_t *func;           /* [n] */
	uint32_t n;
	bool ended;
};

struct native {
	struct engine engine; /* first */
	struct machine *machine;
	bool cache;
	int level;
	pthread_mutex_t lock;
	_Atomic uint32_t looks;
	uint8_t *asked; /* [nfuncs] */
	struct batch *batch[MOST_UNITS];
	uint32_t nbatches;
	uint32_t translated, refused;
	const char *why;
	struct stencils *stencils; /* NULL: not asked for */
};

static unsigned vector_bytes(int level) { return level == 4 ? 64 : level == 3 ? 32 : 16; }

/* --- a batch --- */

static bool is_silent(const struct machine *m, const struct code_func *c)
{
	return m->module->func[c->func].is_entry && !m->code.keeps_registers;
}

/* The key of the functions of B. */
static void put_key(const struct native *e, const struct batch *b, const struct code_func *bare,
	struct text *key)
{
	for (uint32_t k = 0; k < b->n; k++) {
		text_printf(key, "%d ", is_silent(e->machine, &e->machine->code.func[b->func[k]]));
		native_key(&bare[k], key);
	}
}

/* The source of those that are translated, as unit0, unit1 ...; false: none is. */
static bool put_source(const struct native *e, const struct batch *b, const struct code_func *bare,
	struct text *text)
{
	bool any = false;

	text_printf(text, "#define VECTOR %u\n", vector_bytes(e->level));
	text_puts(text, native_text);
	for (uint32_t k = 0; k < b->n; k++) {
		char name[32];

		snprintf(name, sizeof name, "unit%" PRIu32, k);
		any = native_unit_text(&bare[k], name, vector_bytes(e->level),
			      is_silent(e->machine, &e->machine->code.func[b->func[k]]), text) ||
			any;
	}
	return any;
}

#if !defined(__EMSCRIPTEN__)
/* What the library has for function K. */
static void *symbol_of(const struct batch *b, uint32_t k, const char *suffix)
{
	char name[48];

	snprintf(name, sizeof name, "unit%" PRIu32 "%s", k, suffix);
	return dlsym(b->compiling.library, name);
}
#endif

/* The library is there, or there is none. */
static void end_batch(struct native *e, struct batch *b)
{
	b->ended = true;
	if (!b->compiling.library) {
		e->why = b->compiling.why;
		e->refused += b->n;
		return;
	}
#if !defined(__EMSCRIPTEN__)
	for (uint32_t k = 0; k < b->n; k++) {
		void *at = symbol_of(b, k, "");
		const struct native_unset *unset = symbol_of(b, k, "_unset");
		struct engine_code *unit = &b->unit[k];

		unit->entry = symbol_of(b, k, "_entry");
		if (!at || !unset || !unit->entry) {
			e->refused++;
			continue;
		}
		unit->nops = e->machine->code.func[b->func[k]].nops;
		unit->unset = *unset;
		memcpy(&unit->run, &at, sizeof at);
		__atomic_store_n(
			&e->machine->code.func[b->func[k]].translated, unit, __ATOMIC_RELEASE);
		e->translated++;
	}
#endif
}

static struct batch *begin_batch(struct native *e, const uint32_t *func, uint32_t n)
{
	struct batch *b = memory_zeroed(1, sizeof *b);
	struct code_func *bare = memory_zeroed(n + 1, sizeof *bare);
	struct text key = {0}, text = {0};

	e->batch[e->nbatches++] = b;
	b->func = memory_zeroed(n + 1, sizeof *b->func);
	b->unit = memory_zeroed(n + 1, sizeof *b->unit);
	for (uint32_t k = 0; k < n; k++) {
		const struct code_func *c = &e->machine->code.func[func[k]];

		if (c->nops > NATIVE_MOST_OPS) {
			e->refused++;
			continue;
		}
		bare[b->n] = native_bare(c);
		b->func[b->n++] = func[k];
	}
	put_key(e, b, bare, &key);
	if (b->n)
		compiled_begin(&b->compiling, text_str(&key), key.len, e->level, e->cache);
	if (b->n && !b->compiling.library && !b->compiling.why) {
		if (put_source(e, b, bare, &text))
			compiled_make(&b->compiling, text_str(&text), text.len);
		else
			compiled_stop(&b->compiling);
	}
	text_free(&text);
	text_free(&key);
	for (uint32_t k = 0; k < b->n; k++)
		memory_drop(bare[k].op);
	memory_drop(bare);
	if (!b->compiling.pid)
		end_batch(e, b);
	return b;
}

/* --- the engine --- */

static bool is_late(const struct machine *m)
{
	const struct machine_options *o = &m->options;

	return (o->interrupted && *o->interrupted) || (o->deadline > 0 && time_now() > o->deadline);
}

static void native_decoded(struct engine *self, struct machine *m)
{
	struct native *e = (struct native *)(void *)self;
	uint32_t n = 0;
	uint32_t *func = memory_zeroed(m->module->nfuncs + 1, sizeof *func);
	struct batch *b;

	for (uint32_t k = 0; k < m->module->nfuncs; k++)
		if (m->code.func[k].decoded && !e->asked[k]) {
			e->asked[k] = 1;
			func[n++] = k;
		}
	if (n && e->nbatches < MOST_UNITS && !e->why) {
		b = begin_batch(e, func, n);
		while (b->compiling.pid && !compiled_poll(&b->compiling)) {
			if (is_late(m)) {
				compiled_stop(&b->compiling);
				b->compiling.why = "the time limit was reached";
				break;
			}
			nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
		}
		if (!b->ended)
			end_batch(e, b);
	} else {
		e->refused += n;
	}
	memory_drop(func);
}

static void auto_hot(struct engine *self, struct machine *m, uint32_t func)
{
	struct native *e = (struct native *)(void *)self;
	struct batch *last;

	(void)m;
	if (atomic_fetch_add_explicit(&e->looks, 1, memory_order_relaxed) % LOOKS &&
		__atomic_load_n(&e->asked[func], __ATOMIC_RELAXED))
		return;
	if (pthread_mutex_trylock(&e->lock) != 0)
		return;
	last = e->nbatches ? e->batch[e->nbatches - 1] : NULL;
	if (last && last->compiling.pid) {
		if (compiled_poll(&last->compiling))
			end_batch(e, last);
	} else if (!e->asked[func] && e->nbatches < MOST_UNITS && !e->why) {
		e->asked[func] = 1;
		begin_batch(e, &func, 1);
	}
	pthread_mutex_unlock(&e->lock);
}

static void stencils_decoded(struct engine *self, struct machine *m)
{
	stencils_translate(((struct native *)(void *)self)->stencils, m);
}

static void native_hot(struct engine *self, struct machine *m, uint32_t func)
{
	(void)self;
	(void)m;
	(void)func;
}

/* The watched loops, weak memory and a director need every instruction to themselves. */
static bool is_plain(const struct machine *m)
{
	return !m->weak_memory && !(m->interest & (INTEREST_INSN | INTEREST_ACCESS)) &&
		!(m->options.checks & CHECK_INIT) && !m->options.director &&
		m->options.memory != MEMORY_WEAK;
}

void native_attach(struct machine *m)
{
	enum machine_engine which = (enum machine_engine)m->options.engine;
	struct native *e;

	if (which == ENGINE_INTERPRETER || !is_plain(m) || arith_processor() < 2)
		return;
	e = memory_zeroed(1, sizeof *e);
	if (which != ENGINE_NATIVE)
		e->stencils = stencils_new(which == ENGINE_AUTO);
	e->engine = (struct engine){.threshold = which == ENGINE_AUTO ? HOT : UINT64_MAX,
		.decoded = which == ENGINE_NATIVE ? native_decoded : stencils_decoded,
		.hot = which == ENGINE_AUTO ? auto_hot : native_hot};
	e->machine = m;
	e->cache = !m->options.no_cache;
	e->level = arith_processor();
	e->asked = memory_zeroed(m->module->nfuncs + 1, 1);
	pthread_mutex_init(&e->lock, NULL);
	m->engine = &e->engine;
}

void native_detach(struct machine *m)
{
	struct native *e = (struct native *)(void *)m->engine;

	if (!e)
		return;
	m->engine = NULL;
	for (uint32_t k = 0; k < e->nbatches; k++) {
		struct batch *b = e->batch[k];

		if (b->compiling.pid)
			compiled_stop(&b->compiling);
#if !defined(__EMSCRIPTEN__)
		if (b->compiling.library)
			dlclose(b->compiling.library);
#endif
		memory_drop(b->unit);
		memory_drop(b->func);
		memory_drop(b);
	}
	stencils_free(e->stencils);
	pthread_mutex_destroy(&e->lock);
	memory_drop(e->asked);
	memory_drop(e);
}

void native_describe(const struct machine *m, struct text *out)
{
	const struct native *e = (const struct native *)(const void *)m->engine;

	if (!e) {
		text_printf(out, "interpreter (%s)",
			arith_processor() < 2 ? "translated code needs an x86-64 processor"
					      : "checks and observers need every instruction");
		return;
	}
	if (e->stencils) {
		const char *why;
		uint32_t n = stencils_count(e->stencils, &why);

		if (n)
			text_printf(out, "stencils, %u function%s", n, n == 1 ? "" : "s");
		else if (why || !e->translated)
			text_printf(out, "interpreter (%s)", why ? why : "no function was called");
		if (e->translated)
			text_printf(out, "; native, %u function%s translated", e->translated,
				e->translated == 1 ? "" : "s");
		return;
	}
	if (!e->translated)
		text_printf(out, "interpreter (%s)",
			e->why               ? e->why
				: e->refused ? "the functions are too long to be translated"
					     : "no function was hot");
	else
		text_printf(out, "native, %u function%s translated", e->translated,
			e->translated == 1 ? "" : "s");
	if (e->translated && e->refused)
		text_printf(out, ", %u interpreted", e->refused);
}
