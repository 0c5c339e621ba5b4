/* Executable memory: code is written to it before it becomes executable, and not after. It is part
 * of what --max-memory lets the process have; where there is none, functions are interpreted. */
#include "backend/stencils.h"
#include "base/lock.h"
#include "base/memory.h"
#include "interp/state/engine.h"
#include "interp/state/state.h"
#include "stencil/unit.h"
#include <pthread.h>
#include <string.h>
#if !defined(__EMSCRIPTEN__)
#include <sys/mman.h>
#include <unistd.h>
#endif

/* MOST_BYTES: of the code of a machine. USUAL_BYTES: of an op in one copy. */
enum { MOST_BYTES = 256 << 20, USUAL_BYTES = 160 };

struct translated {
	struct stencil_code code[STENCIL_COPIES]; /* first */
	struct engine_code unit;
	uint8_t *entry;
	struct stencils *owner;
	struct machine *machine;
	uint32_t func;
	bool tried; /* to make the second copy */
	struct translated *next;
};

struct stencils {
	struct translated *all;
	uint32_t count;
	bool warms;
	pthread_mutex_t lock; /* of making code, and of the following */
	size_t bytes;
	const char *why;
};

/* The same for all machines. */
static struct stencil_map map;
static pthread_once_t map_once = PTHREAD_ONCE_INIT;
static void fill_map(void) { stencil_map_fill(&map); }

struct stencils *stencils_new(bool warms)
{
	struct stencils *x = memory_zeroed(1, sizeof *x);

	x->warms = warms;
	lock_new(&x->lock);
	x->why = stencil_missing();
	if (!x->why)
		pthread_once(&map_once, fill_map);
	return x;
}

#if !defined(__EMSCRIPTEN__)
/* Makes copy WHICH of C in memory that is as large as it can become, of which the rest is returned.
 * Returns NULL, or why there is none. */
static const char *make_code(struct stencils *x, struct machine *m, struct code_func *c,
	unsigned which, struct stencil_code *out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t room = (stencil_room(c) + page - 1) / page * page, used;
	uint8_t *at;

	if (c->nops > STENCIL_MOST_OPS)
		return "the functions are too long";
	at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		-1, 0);
	if (at == MAP_FAILED)
		return "there is no memory for code";
#if defined(MADV_POPULATE_WRITE)
	/* what most functions need, at once: a page at a time takes as long as all the copying */
	if ((size_t)c->nops * USUAL_BYTES >= page)
		(void)madvise(at, (size_t)c->nops * USUAL_BYTES / page * page, MADV_POPULATE_WRITE);
#endif
	if (!stencil_build(&map, c, m->module->func[c->func].is_entry, which, at, room, out)) {
		munmap(at, room);
		return "the functions are too long";
	}
	used = (out->size + page - 1) / page * page;
	if (used < room)
		munmap(at + used, room - used);
	if (used <= MOST_BYTES - x->bytes && mprotect(at, used, PROT_READ | PROT_EXEC) == 0) {
		x->bytes += used;
		return NULL;
	}
	munmap(at, used);
	stencil_free(out);
	return "there is no more memory that can be executed";
}
#else
static const char *make_code(struct stencils *x, struct machine *m, struct code_func *c,
	unsigned which, struct stencil_code *out)
{
	(void)x;
	(void)m;
	(void)c;
	(void)which;
	(void)out;
	return "there is no memory that can be executed";
}
#endif

/* stencil_code.make_some */
static struct stencil_code *make_some(struct stencil_code *whole)
{
	struct translated *t = (struct translated *)(void *)whole;
	struct stencils *x = t->owner;

	lock_take(&x->lock);
	if (!t->tried &&
		!make_code(x, t->machine, &t->machine->code.func[t->func], STENCIL_SOME,
			&t->code[STENCIL_SOME]))
		__atomic_store_n(&whole->some, &t->code[STENCIL_SOME], __ATOMIC_RELEASE);
	t->tried = true;
	lock_give(&x->lock);
	return whole->some;
}

static void drop(struct translated *t)
{
	for (unsigned k = 0; k < STENCIL_COPIES; k++) {
#if !defined(__EMSCRIPTEN__)
		if (t->code[k].at)
			munmap((void *)(uintptr_t)t->code[k].at, t->code[k].size);
#endif
		stencil_free(&t->code[k]);
	}
	memory_drop(t->entry);
	memory_drop(t);
}

static void translate(struct stencils *x, struct machine *m, struct code_func *c)
{
	struct translated *t = memory_zeroed(1, sizeof *t);
	const char *why = make_code(x, m, c, STENCIL_WHOLE, t->code);
	const uint8_t *enter;

	if (why) {
		x->why = why;
		memory_drop(t);
		return;
	}
	x->count++;
	enter = t->code->at + t->code->enter;
	memcpy(&t->unit.run, &enter, sizeof enter);
	t->unit.nops = c->nops;
	t->entry = memory_resize(NULL, c->nops + 1);
	memset(t->entry, 1, c->nops);
	t->unit.entry = t->entry;
	t->unit.warms = x->warms;
	t->code->make_some = make_some;
	t->owner = x;
	t->machine = m;
	t->func = c->func;
	t->next = x->all;
	x->all = t;
	__atomic_store_n(&c->translated, &t->unit, __ATOMIC_RELEASE);
}

void stencils_translate(struct stencils *x, struct machine *m)
{
	if (stencil_missing())
		return;
	lock_take(&x->lock);
	for (uint32_t k = 0; k < m->module->nfuncs; k++) {
		struct code_func *c = &m->code.func[k];

		if (c->decoded && !c->translated)
			translate(x, m, c);
	}
	lock_give(&x->lock);
}

void stencils_free(struct stencils *x)
{
	if (!x)
		return;
	for (struct translated *t = x->all, *next; t; t = next) {
		next = t->next;
		drop(t);
	}
	pthread_mutex_destroy(&x->lock);
	memory_drop(x);
}

uint32_t stencils_count(const struct stencils *x, const char **why)
{
	*why = x->why;
	return x->count;
}
