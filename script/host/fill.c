/* Writes initial values to device memory, a block at a time, so that the host never holds a whole
 * buffer. */
#include "script/host/fill.h"
#include "base/guard.h"
#include "base/memory.h"
#include "base/rng.h"
#include "script/lang/expr.h"
#include "script/lang/init_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

struct filler {
	const struct fill *f;
	const struct stmt *t;
	enum type type;
	unsigned size;
	struct value start, step;
	struct rng rng;
	const struct expr *next; /* of a list */
	unsigned char value[16];
	FILE *file;
};

/* Integers are uniform over the whole type; floats are multiples of 2^-24 from 0 to below 1,
 * rounded to the type. */
static void fill_random_element(struct filler *g, unsigned char *out)
{
	if (scalar_is_float(g->type)) {
		scalar_store(
			g->type, value_float((double)(rng_next(&g->rng) >> 40) / 16777216.0), out);
		return;
	}
	for (unsigned k = 0; k < g->size; k += 8) {
		uint64_t r = rng_next(&g->rng);

		memcpy(out + k, &r, g->size - k < 8 ? g->size - k : 8);
	}
}

static void fill_element(struct filler *g, uint64_t k, unsigned char *out)
{
	struct value v;

	switch (g->t->init) {
	case INIT_VALUE: memcpy(out, g->value, g->size); return;
	case INIT_LIST:
		memset(out, 0, g->size);
		if (g->next) {
			args_store(g->f->args, g->next, g->type, "element", out);
			g->next = g->next->next;
		}
		return;
	case INIT_IOTA:
		if (g->start.is_float || g->step.is_float)
			v = value_float(value_double(g->start) + value_double(g->step) * (double)k);
		else
			/* resolve_iota has checked that the last value fits */
			v = value_int(g->start.i + g->step.i * (__int128)k);
		scalar_store(g->type, v, out);
		return;
	default: fill_random_element(g, out); return;
	}
}

/* Integers of at most 8 bytes from FIRST on, N of them; resolve_iota has checked that the last one
 * fits. False: elements of another kind. */
#define IOTA(T) \
	for (uint64_t k = 0; k < n; k++, v += step) \
		((T *)(void *)out)[k] = (T)v; \
	return true;
static bool fill_iota(const struct filler *g, uint64_t first, uint64_t n, unsigned char *out)
{
	uint64_t step = (uint64_t)g->step.i, v = (uint64_t)g->start.i + step * first;

	if (g->start.is_float || g->step.is_float || scalar_is_float(g->type))
		return false;
	switch (g->size) {
	case 1: IOTA(uint8_t)
	case 2: IOTA(uint16_t)
	case 4: IOTA(uint32_t)
	case 8: IOTA(uint64_t)
	default: return false;
	}
}

/* A block of what fill_random_element() gives, for the types that are most common: each number
 * depends only on its place, so that compilers make vectors of them. */
#define RANDOM(T, number) \
	for (uint64_t k = 0; k < n; k++) { \
		struct rng rng = {g->rng.state + k * RNG_STEP}; \
		const uint64_t r = rng_next(&rng); \
\
		((T *)(void *)out)[k] = (T)(number); \
	} \
	break;
static bool fill_random(struct filler *g, uint64_t n, unsigned char *out)
{
	if (scalar_is_float(g->type) && g->type != TYPE_f32)
		return false;
	switch (g->type == TYPE_f32 ? 0 : g->size) {
	case 0: RANDOM(float, (float)(int32_t)(r >> 40) / 16777216.0f)
	case 1: RANDOM(uint8_t, r)
	case 2: RANDOM(uint16_t, r)
	case 4: RANDOM(uint32_t, r)
	case 8: RANDOM(uint64_t, r)
	default: return false;
	}
	g->rng.state += n * RNG_STEP;
	return true;
}

static void file_close(void *file) { fclose(file); }

/* The file may have been replaced since init_file_find(), so it is checked again once it is
 * open. */
static bool fill_open_file(struct filler *g, uint64_t count)
{
	uint64_t want = count * g->size;
	int fd = open(g->t->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat s;

	if (fd < 0)
		return init_file_wrong(g->t, g->f->args->arena, g->f->diags, strerror(errno));
	if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || (uint64_t)s.st_size != want) {
		close(fd);
		return init_file_wrong(g->t, g->f->args->arena, g->f->diags, "it has changed");
	}
	g->file = fdopen(fd, "rb");
	if (g->file)
		guard_keep(file_close, g->file);
	else
		close(fd);
	return g->file || init_file_wrong(g->t, g->f->args->arena, g->f->diags, strerror(errno));
}

static bool fill_prepare(struct filler *g, uint64_t count)
{
	struct arena *arena = g->f->args->arena;
	struct value seed;

	switch (g->t->init) {
	case INIT_VALUE: return args_store(g->f->args, g->t->value, g->type, "element", g->value);
	case INIT_LIST: g->next = g->t->value->sub[0]; return true;
	case INIT_IOTA:
		g->step = value_int(1);
		return expr_constant(g->t->value, &g->start, arena, g->f->diags) &&
			(!g->t->step || expr_constant(g->t->step, &g->step, arena, g->f->diags));
	case INIT_RANDOM:
		if (!expr_constant(g->t->value, &seed, arena, g->f->diags))
			return false;
		g->rng.state = (uint64_t)seed.i;
		return true;
	default: return fill_open_file(g, count);
	}
}

/* Whether what follows is zeros, which fresh memory has already: large buffers then cost nothing
 * until they are used. */
static bool leaves_zeros(const struct filler *g)
{
	static const unsigned char zeros[sizeof g->value];

	return g->f->fresh &&
		((g->t->init == INIT_LIST && !g->next) ||
			(g->t->init == INIT_VALUE && !memcmp(g->value, zeros, g->size)));
}

bool fill_elements(const struct fill *f, const struct stmt *t, enum type type, uint64_t address,
	uint64_t count)
{
	struct filler g = {.f = f, .t = t, .type = type, .size = type_bytes(type)};
	uint64_t block = BLOCK / g.size, done = 0;
	unsigned char *bytes;
	bool ok = fill_prepare(&g, count);

	bytes = memory_zeroed(count < block ? count : block, g.size);
	while (ok && done < count && !leaves_zeros(&g)) {
		uint64_t n = count - done < block ? count - done : block;

		if (f->late && f->late(f->self)) {
			ok = false;
			break;
		}
		if (t->init == INIT_FILE) {
			if (fread(bytes, g.size, (size_t)n, g.file) != n)
				ok = init_file_wrong(
					t, f->args->arena, f->diags, "it is shorter than before");
			/* with a single value, every block is the same */
		} else if (t->init == INIT_IOTA && fill_iota(&g, done, n, bytes)) {
			/* the block is complete */
		} else if (t->init == INIT_RANDOM && fill_random(&g, n, bytes)) {
			/* likewise */
		} else if (t->init != INIT_VALUE || done == 0) {
			for (uint64_t k = 0; k < n; k++)
				fill_element(&g, done + k, bytes + k * g.size);
		}
		if (ok &&
			!f->backend->write(
				f->backend->self, address + done * g.size, bytes, n * g.size)) {
			if (!f->backend->lost || !f->backend->lost(f->backend->self))
				diag_report(f->diags, DIAG_L0402, t->source, t->span,
					"this memory cannot be written");
			ok = false;
		}
		done += n;
	}
	memory_drop(bytes);
	if (g.file) {
		guard_forget(g.file);
		fclose(g.file);
	}
	return ok;
}
