/* What each thread may still read under --memory=weak. */
#include "debug/names.h"
#include "debug/show.h"
#include "interp/memory/memory.h"
#include "interp/state/weak_memory.h"
#include "interp/state/where.h"
#include "script/lang/scalar.h"
#include <string.h>

enum { MOST_CTAS = 64, MOST_ELEMENTS = 64, MOST_SETS = 32 };

/* Threads of one CTA that may read the same values. */
struct set {
	struct text values; /* "0 or 1" */
	uint32_t lanes[MAX_WARPS];
};

static uint8_t *host_of(const struct engine *e, const struct place *p, uint64_t at)
{
	const struct turn t = {.launch = p->launch, .cta = p->cta};
	struct cta *c;

	if (p->space == W_global) {
		struct memory_block *b = memory_find(e->machine->memory, p->address + at);

		return memory_inside(b, p->address + at, 1) ? b->host + (p->address + at - b->base)
							    : NULL;
	}
	c = p->space == W_shared ? names_cta(e, &t) : NULL;
	return c && p->address + at < c->shared_bytes ? c->shared + p->address + at : NULL;
}

/* Appends what LANE of W may read: "0 or 1", each value once. */
static void add_values(const struct engine *e, const struct warp *w, unsigned lane, uint8_t *host,
	enum type type, struct text *out)
{
	struct machine *m = e->machine;
	uint64_t value[WEAK_READABLE][2];
	uint32_t undefined, size = type_bytes(type);
	unsigned n = m->weak_memory->readable(m->weak, w, lane, host, size, value, &undefined);
	const char *before = "";

	for (unsigned k = 0; k < n; k++) {
		bool again = false;

		for (unsigned i = 0; i < k; i++)
			again = again ||
				((undefined >> i & 1) == (undefined >> k & 1) &&
					memcmp(value[i], value[k], size) == 0);
		if (again)
			continue;
		text_puts(out, before);
		if (undefined >> k & 1)
			text_puts(out, "what was never written");
		else
			scalar_print(type, value[k], false, out);
		before = " or ";
	}
}

static void add_sets(
	struct engine *e, const struct cta *c, struct set *set, uint32_t n, const char *indent)
{
	for (uint32_t k = 0; k < n; k++) {
		bool all = true;
		const char *before = " ";

		for (uint32_t i = 0; i < c->nwarps; i++)
			all = all && set[k].lanes[i] == c->warp[i].lanes;
		text_printf(&e->out, "%sCTA %llu,", indent, (unsigned long long)c->linear);
		if (all)
			text_puts(&e->out, " all threads");
		for (uint32_t i = 0; !all && i < c->nwarps; i++)
			if (set[k].lanes[i]) {
				text_puts(&e->out, before);
				where_threads(&e->out, &c->warp[i], set[k].lanes[i], 4);
				before = ", ";
			}
		text_printf(&e->out, " may read %s\n", text_str(&set[k].values));
		text_free(&set[k].values);
	}
}

/* The views of the threads of C on the element at HOST. */
static void show_cta(struct engine *e, const struct cta *c, uint8_t *host, enum type type)
{
	struct set set[MOST_SETS] = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nwarps; i++)
		FOR_LANES(lane, c->warp[i].live) {
			struct text values = {0};
			uint32_t k = 0;

			add_values(e, &c->warp[i], lane, host, type, &values);
			while (k < n && strcmp(text_str(&set[k].values), text_str(&values)) != 0)
				k++;
			if (k == n && n < MOST_SETS)
				set[n++].values = values;
			else
				text_free(&values);
			if (k < n)
				set[k].lanes[i] |= 1u << lane;
		}
	add_sets(e, c, set, n, "  ");
}

bool show_views(struct engine *e, const char *word)
{
	struct place p;
	struct text why = {0};

	if (!*word)
		text_puts(&why, "it takes memory, such as out[3]");
	else if (!e->machine->weak)
		text_puts(&why,
			"with --memory=fast every thread reads the newest value; 'print' shows it");
	else if (names_place(e, word, &e->s->focus, &p, &why) && p.space != W_global &&
		p.space != W_shared)
		text_puts(&why, "only one thread reads that; 'print' shows it");
	if (why.len) {
		text_printf(&e->out, "%s\n", text_str(&why));
		text_free(&why);
		e->s->failed = true;
		return false;
	}
	for (uint64_t k = 0; k <= p.high - p.low && k < MOST_ELEMENTS; k++) {
		uint8_t *host = host_of(e, &p, (p.low + k) * type_bytes((enum type)p.type));

		text_puts(&e->out, p.name);
		if (p.count > 1)
			text_printf(&e->out, "[%llu]", (unsigned long long)(p.low + k));
		text_puts(&e->out, " = ");
		names_element(e, &p, k, &e->out);
		text_puts(&e->out, ", the newest value\n");
		for (uint32_t i = 0; host && i < e->ctas.count && i < MOST_CTAS; i++) {
			const struct cta *c = e->ctas.data[i];

			if (p.space == W_global ||
				(c->linear == p.cta && c->launch->number == p.launch))
				show_cta(e, c, host, (enum type)p.type);
		}
		if (e->ctas.count > MOST_CTAS)
			text_printf(&e->out, "  and %u CTAs more\n", e->ctas.count - MOST_CTAS);
	}
	if (p.high - p.low >= MOST_ELEMENTS)
		text_printf(&e->out, "and %llu elements more\n",
			(unsigned long long)(p.high - p.low + 1 - MOST_ELEMENTS));
	return true;
}
