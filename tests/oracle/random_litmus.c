/* See random_litmus.h. */
#include "tests/oracle/random_litmus.h"
#include <stdbool.h>

enum { RANDOM_THREADS = 4, RANDOM_ROWS = 16, CELL = 64 };

struct test {
	struct rng *rng;
	int nthreads, nlocations, length;
	bool proxies, barriers;
	bool lisa; /* only what LISA, herd7's language for user-defined models, can express */
	char cell[RANDOM_THREADS][RANDOM_ROWS][CELL];
	int rows[RANDOM_THREADS], regs[RANDOM_THREADS], labels[RANDOM_THREADS];
	unsigned hidden[RANDOM_THREADS]; /* set of registers that are not observed */
	int reads, writes, fences; /* of the whole test, limited so that brute force is feasible */
	int most_fences;
};

static uint32_t below(struct test *t, uint32_t n) { return rng_below(t->rng, n); }
static const char *pick(struct test *t, const char *const *words, uint32_t n)
{
	return words[below(t, n)];
}

static const char *scope(struct test *t)
{
	static const char *const word[] = {"cta", "gpu", "gpu", "sys", "cluster"};
	return pick(t, word, 5);
}

static const char *location(struct test *t)
{
	static const char *const word[] = {"x", "y", "z"};
	return word[below(t, (uint32_t)t->nlocations)];
}

static void say(struct test *t, int thread, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void say(struct test *t, int thread, const char *fmt, ...)
{
	struct text out = {0};
	va_list ap;
	va_start(ap, fmt);
	text_vprintf(&out, fmt, ap);
	va_end(ap);
	if (t->rows[thread] < RANDOM_ROWS && out.len < CELL) {
		for (size_t i = 0; i <= out.len; i++)
			t->cell[thread][t->rows[thread]][i] = text_str(&out)[i];
		t->rows[thread]++;
	}
	text_free(&out);
}

static void source(struct test *t, int thread, char out[8])
{
	struct text s = {0};
	if (t->regs[thread] && !below(t, 3))
		text_printf(&s, "r%u", below(t, (uint32_t)t->regs[thread]));
	else
		text_printf(&s, "%u", 1 + below(t, 2));
	for (size_t i = 0; i <= s.len && i < 8; i++)
		out[i] = text_str(&s)[i];
	text_free(&s);
}

static void load(struct test *t, int thread)
{
	static const char *const sem[] = {"relaxed", "relaxed", "acquire"};
	int r = t->regs[thread]++;
	t->reads++;
	if (t->proxies && !below(t, 2)) {
		switch (below(t, 5)) {
		case 0: say(t, thread, "suld.weak r%d, s", r); return;
		case 1: say(t, thread, "tld.weak r%d, t", r); return;
		case 2: say(t, thread, "ld.weak r%d, a", r); return;
		case 3: say(t, thread, "cold.weak r%d, c", r); return;
		default: say(t, thread, "suld.weak r%d, b", r); return;
		}
	}
	if (!below(t, 3))
		say(t, thread, "ld.weak r%d, %s", r, location(t));
	else if (!below(t, 8))
		say(t, thread, "ld.volatile r%d, %s", r, location(t));
	else
		say(t, thread, "ld.%s.%s r%d, %s", pick(t, sem, 3), scope(t), r, location(t));
}

static void store(struct test *t, int thread)
{
	static const char *const sem[] = {"relaxed", "relaxed", "release"};
	char v[8];
	source(t, thread, v);
	t->writes++;
	if (t->proxies && !below(t, 2)) {
		switch (below(t, 3)) {
		case 0: say(t, thread, "sust.weak s, %s", v); return;
		case 1: say(t, thread, "st.weak a, %s", v); return;
		default: say(t, thread, "sust.weak b, %s", v); return;
		}
	}
	if (!below(t, 3))
		say(t, thread, "st.weak %s, %s", location(t), v);
	else if (!below(t, 8))
		say(t, thread, "st.volatile %s, %s", location(t), v);
	else
		say(t, thread, "st.%s.%s %s, %s", pick(t, sem, 3), scope(t), location(t), v);
}

static void atom(struct test *t, int thread)
{
	static const char *const sem[] = {"relaxed", "acquire", "release", "acq_rel"},
				 *const red_sem[] = {"relaxed", "release"},
				 *const op[] = {"add", "add", "add", "and", "or", "xor", "min",
					 "max"},
				 *const bound[] = {"inc", "dec"};
	char v[8], w[8];
	uint32_t kinds = t->lisa ? 4 : 8; /* add, and */
	source(t, thread, v);
	source(t, thread, w);
	t->reads++;
	t->writes++;
	uint32_t kind = below(t, 4);
	if (t->lisa && kind == 2)
		kind = 1;
	switch (kind) {
	case 0:
		say(t, thread, "red.%s.%s.%s %s, %s", pick(t, red_sem, 2), scope(t),
			pick(t, op, kinds), location(t), v);
		return;
	case 1:
		say(t, thread, "atom.%s.%s.exch r%d, %s, %s", pick(t, sem, 4), scope(t),
			t->regs[thread], location(t), v);
		break;
	case 2:
		say(t, thread, "atom.%s.%s.cas r%d, %s, %u, %s", pick(t, sem, 4), scope(t),
			t->regs[thread], location(t), below(t, 2), w);
		break;
	default:
		say(t, thread, "atom.%s.%s.%s r%d, %s, %s", pick(t, sem, 4), scope(t),
			!t->lisa && !below(t, 6) ? pick(t, bound, 2) : pick(t, op, kinds),
			t->regs[thread], location(t), v);
		break;
	}
	t->regs[thread]++;
}

static void fence(struct test *t, int thread)
{
	static const char *const sem[] = {"sc", "acq_rel", "acquire", "release"},
				 *const proxy[] = {"surface", "texture", "constant", "alias",
					 "alias"},
				 *const level[] = {"cta", "gl", "sys"};
	if (t->proxies && below(t, 3)) {
		say(t, thread, "fence.proxy.%s", pick(t, proxy, 5));
		return;
	}
	if (t->fences < 3 && !below(t, 10)) {
		t->fences++;
		say(t, thread, "membar.%s", pick(t, level, 3));
		return;
	}
	bool sc = t->fences < 3 && !below(t, 2);
	t->fences += sc;
	say(t, thread, "fence.%s.%s", sc ? sem[0] : sem[1 + below(t, 3)], scope(t));
}

static void statement(struct test *t, int thread, int depth)
{
	bool full = t->reads >= 6 || t->writes >= 6;
	uint32_t kind = below(t, 16);
	if (full && kind < 11)
		kind = 11;
	if (kind < 4) {
		load(t, thread);
	} else if (kind < 8) {
		store(t, thread);
	} else if (kind < 11) {
		atom(t, thread);
	} else if (kind < 13) {
		fence(t, thread);
	} else if (kind == 13 && t->regs[thread]) {
		static const char *const op[] = {
			"add", "xor", "and", "mul", "sub", "or", "min", "max"};
		uint32_t r = below(t, (uint32_t)t->regs[thread]);
		say(t, thread, "%s r%d, r%u, r%u", pick(t, op, t->lisa ? 3 : 8), t->regs[thread], r,
			!below(t, 2) ? r : below(t, (uint32_t)t->regs[thread]));
		t->regs[thread]++;
	} else if (kind == 14 && t->regs[thread] && !depth) {
		int label = t->labels[thread]++;
		static const char *const relation[] = {
			"eq", "ne", "eq", "ne", "lt", "le", "gt", "ge"};
		say(t, thread, "b%s r%u, %u, L%d", pick(t, relation, t->lisa ? 4 : 8),
			below(t, (uint32_t)t->regs[thread]), below(t, 3), label);
		statement(t, thread, depth + 1);
		say(t, thread, "L%d:", label);
	} else if (kind == 15 && t->barriers) {
		if (below(t, 4))
			say(t, thread, "bar.cta.sync %u", below(t, 2));
		else
			say(t, thread, "bar.cta.%s 1, %u", below(t, 2) ? "sync" : "arrive",
				below(t, 2));
	}
}

/* Writes the rows of all threads, and what is observed. */
static void finish(const struct test *t, struct text *out)
{
	text_puts(out, " ;\n");
	for (int row = 0; row < RANDOM_ROWS; row++) {
		bool any = false;
		for (int k = 0; k < t->nthreads; k++)
			any |= row < t->rows[k];
		if (!any)
			break;
		for (int k = 0; k < t->nthreads; k++)
			text_printf(out, "%s%s", k ? " | " : "",
				row < t->rows[k] ? t->cell[k][row] : "");
		text_puts(out, " ;\n");
	}
	text_puts(out, "locations [");
	for (int k = 0; k < t->nthreads; k++) {
		for (int i = 0; i < t->regs[k]; i++) {
			if (!(t->hidden[k] >> i & 1))
				text_printf(out, "P%d:r%d; ", k, i);
		}
	}
	text_puts(out, "x; y; z;]\nexists 0==0\n");
}

static void random_test(struct rng *r, bool lisa, struct text *out)
{
	struct test t = {.rng = r, .lisa = lisa};
	t.nthreads = 2 + (int)below(&t, 10) / 4;
	if (t.nthreads > RANDOM_THREADS)
		t.nthreads = RANDOM_THREADS;
	t.nlocations = 1 + (int)below(&t, 3);
	t.proxies = !lisa && !below(&t, 6);
	t.barriers = !t.proxies && !below(&t, 3);
	int most = t.nthreads == 2 ? 5 : t.nthreads == 3 ? 3 : 2;
	text_puts(out, "PTX random\n{\nx=0; y=0; z=0;\n");
	if (t.proxies)
		text_puts(out,
			"a @ generic aliases x; s @ surface aliases x; b @ surface aliases a; t @ texture aliases x; c @ constant aliases x;\n");
	text_puts(out, "}\n");
	for (int k = 0; k < t.nthreads; k++) {
		text_printf(out, "%sP%d@cta %u,cluster %u,gpu %u", k ? " | " : "", k, below(&t, 2),
			below(&t, 3) ? 0 : 1, below(&t, 8) ? 0 : 1);
		int length = 1 + (int)below(&t, (uint32_t)most);
		for (int i = 0; i < length; i++)
			statement(&t, k, 0);
	}
	finish(&t, out);
}

void random_litmus(struct rng *r, struct text *out) { random_test(r, false, out); }
void random_litmus_lisa(struct rng *r, struct text *out) { random_test(r, true, out); }

/* One thread: fence.sc, a red of x, loads and stores of y and z; sometimes a branch. */
static void fenced_thread(struct test *t, int thread, int length)
{
	static const char *const fence[] = {"fence.sc.gpu", "fence.sc.gpu", "fence.sc.gpu",
		"membar.gl", "fence.sc.sys", "fence.sc.cta", "fence.sc.cluster", "membar.cta"},
				 *const strong[] = {"relaxed.gpu", "relaxed.gpu", "relaxed.gpu",
					 "weak", "relaxed.cta"},
				 *const level[] = {"gpu", "gpu", "gpu", "cta"},
				 *const sem[] = {"relaxed", "relaxed", "release"},
				 *const observed[] = {"y", "z"};
	for (int i = 0; i < length && t->rows[thread] + 3 <= RANDOM_ROWS; i++) {
		uint32_t kind = below(t, 12);
		if (kind < 4 && t->fences < t->most_fences) {
			t->fences++;
			say(t, thread, "%s", pick(t, fence, 8));
		} else if (kind < 7 && t->writes < 4 && t->reads < 5) {
			t->reads++;
			t->writes++;
			say(t, thread, "red.%s.%s.add x, %u", pick(t, sem, 3), pick(t, level, 4),
				1 + below(t, 2));
		} else if (kind < 9 && t->writes < 4) {
			t->writes++;
			say(t, thread, "st.%s %s, %u", pick(t, strong, 5), pick(t, observed, 2),
				1 + below(t, 2));
		} else if (kind < 11 && t->reads < 5) {
			t->reads++;
			say(t, thread, "ld.%s r%d, %s", pick(t, strong, 5), t->regs[thread]++,
				below(t, 10) ? pick(t, observed, 2) : "x");
		} else if (t->regs[thread]) {
			say(t, thread, "bne r%d, 0, L%d", t->regs[thread] - 1, t->labels[thread]);
			say(t, thread, "L%d:", t->labels[thread]++);
		}
	}
}

static void fenced_test(struct test *t, int nthreads, int length, struct text *out)
{
	t->nthreads = nthreads;
	text_puts(out, "PTX random\n{\nx=0; y=0; z=0;\n}\n");
	for (int k = 0; k < t->nthreads; k++) {
		text_printf(out, "%sP%d@cta %u,cluster 0,gpu 0", k ? " | " : "", k, below(t, 3));
		fenced_thread(t, k, length);
	}
	finish(t, out);
}

void random_litmus_fences(struct rng *r, struct text *out)
{
	struct test t = {.rng = r, .most_fences = 3};
	int nthreads = 2 + (int)below(&t, 2);
	fenced_test(&t, nthreads, nthreads == 2 ? 5 : 3, out);
}

void random_litmus_orders(struct rng *r, struct text *out)
{
	struct test t = {.rng = r, .most_fences = 5};
	int nthreads = 2 + (int)below(&t, 3);
	fenced_test(&t, nthreads, nthreads == 2 ? 7 : nthreads == 3 ? 5 : 4, out);
}

/* One thread: cas, often followed by a store to the same location, loads, and stores of values
 * read. */
static void copying_thread(struct test *t, int thread, int length)
{
	static const char *const to_load[] = {"acquire.gpu", "acquire.gpu", "relaxed.gpu", "weak"},
				 *const to_store[] = {"relaxed.gpu", "relaxed.gpu", "release.gpu",
					 "relaxed.cta", "weak"},
				 *const to_swap[] = {"release.gpu", "acq_rel.gpu", "relaxed.gpu",
					 "acquire.gpu"};
	for (int i = 0; i < length; i++) {
		uint32_t kind = below(t, 8);
		const char *at = location(t);
		char v[8];
		source(t, thread, v);
		if (kind < 3 && t->reads < 5 && t->writes < 4) {
			t->reads++;
			t->writes++;
			say(t, thread, "atom.%s.cas r%d, %s, %u, %s", pick(t, to_swap, 4),
				t->regs[thread], at, 1 + below(t, 2), v);
			t->regs[thread]++;
		} else if (kind < 6 && t->reads < 5) {
			t->reads++;
			say(t, thread, "ld.%s r%d, %s", pick(t, to_load, 4), t->regs[thread], at);
			t->regs[thread]++;
			continue;
		}
		if (t->writes == 5 || !below(t, 3))
			continue;
		t->writes++;
		if (kind >= 6 && t->regs[thread])
			say(t, thread, "st.%s %s, r%d", pick(t, to_store, 5), at,
				t->regs[thread] - 1);
		else
			say(t, thread, "st.%s %s, %u", pick(t, to_store, 5), at, 1 + below(t, 2));
	}
}

void random_litmus_cas(struct rng *r, struct text *out)
{
	struct test t = {.rng = r};
	t.nthreads = 2 + (int)below(&t, 2);
	t.nlocations = 1 + !below(&t, 3);
	text_puts(out, "PTX random\n{\nx=0; y=0; z=0;\n}\n");
	for (int k = 0; k < t.nthreads; k++) {
		text_printf(out, "%sP%d@cta %d,cluster 0,gpu 0", k ? " | " : "", k, k);
		copying_thread(&t, k, t.nthreads == 2 ? 3 : 2);
	}
	finish(&t, out);
}

/* What a thread does if a branch on its cas lets it. */
static void compete_for_y(struct test *t, int thread)
{
	if (!below(t, 4) && t->reads < 4) {
		t->reads++;
		say(t, thread, "ld.%s r%d, y", below(t, 2) ? "weak" : "acquire.gpu",
			t->regs[thread]++);
	} else if (t->writes < 4) {
		t->writes++;
		say(t, thread, "st.%s y, %u", below(t, 2) ? "weak" : "release.gpu",
			1 + below(t, 2));
	}
}

/* One thread: cas of x, most of whose results decide a branch and are not observed; loads and
 * stores, sometimes of x. */
static void competing_thread(struct test *t, int thread, int length)
{
	static const char *const sem[] = {"relaxed", "relaxed", "acquire", "release", "acq_rel"};
	for (int i = 0; i < length; i++) {
		uint32_t kind = below(t, 12), over = below(t, 4) ? 0 : below(t, 3);
		int r = t->regs[thread];
		if (kind < 9 && t->reads < 4 && t->writes < 4) {
			t->reads++;
			t->writes++;
			t->hidden[thread] |= (below(t, 8) ? 1u : 0u) << t->regs[thread]++;
			say(t, thread, "atom.%s.%s.cas r%d, x, %u, %u", pick(t, sem, 5),
				below(t, 12) ? "gpu" : "cta", r, over, 1 + below(t, 3));
			if (!below(t, 6))
				say(t, thread, "fence.%s.gpu", below(t, 2) ? "acq_rel" : "sc");
			if (!below(t, 4))
				continue;
			int label = t->labels[thread]++;
			say(t, thread, "b%s r%d, %u, L%d", below(t, 3) ? "ne" : "eq", r,
				below(t, 8) ? over : 1, label);
			compete_for_y(t, thread);
			say(t, thread, "L%d:", label);
		} else if (kind < 10 && t->reads < 4) {
			t->reads++;
			say(t, thread, "ld.relaxed.gpu r%d, %s", t->regs[thread]++,
				below(t, 2) ? "x" : "y");
		} else if (t->writes < 4) {
			t->writes++;
			say(t, thread, "st.relaxed.gpu %s, %u", below(t, 3) ? "y" : "x",
				1 + below(t, 2));
		}
	}
}

void random_litmus_contests(struct rng *r, struct text *out)
{
	struct test t = {.rng = r};
	t.nthreads = 2 + (int)below(&t, 2);
	text_puts(out, "PTX random\n{\nx=0; y=0; z=0;\n}\n");
	for (int k = 0; k < t.nthreads; k++) {
		text_printf(out, "%sP%d@cta %d,cluster 0,gpu 0", k ? " | " : "", k, k);
		competing_thread(&t, k, t.nthreads == 2 ? 3 : 2);
	}
	finish(&t, out);
}
