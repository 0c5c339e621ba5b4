/* Repairs: right programs of the classic shapes, with fences, orders and scopes by chance, as
 * litmus tests and as kernels, of which one place is made weaker until the outcome is allowed. The
 * change back, or a weaker one in the same place, must be found, and every change found is explored
 * again. And the table of strengths: what is weaker allows what is stronger allows. PTXI_REPAIRS
 * (default 24) is the number of programs, PTXI_SEED the first seed. */
#include "base/rng.h"
#include "script/litmus/repair.h"
#include "script/litmus/sites.h"
#include "tests/oracle/random_litmus.h"
#include <criterion/criterion.h>
#include <ptxi/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t setting(const char *name, uint64_t value)
{
	const char *s = getenv(name);
	return s ? strtoull(s, NULL, 0) : value;
}

/* --- the programs --- */

enum { THREADS = 4, STEPS = 8 };

/* W x 1 is "x1", R x is "x"; threads are separated by bars. The condition names registers by the
 * number of their read. */
static const struct shape {
	const char *name, *threads, *condition;
} shapes[] = {
	{"MP", "x1 y1|y x", "r0=1 r1=0"},
	{"SB", "x1 y|y1 x", "r0=0 r1=0"},
	{"LB", "x y1|y x1", "r0=1 r1=1"},
	{"S", "x2 y1|y x1", "r0=1 x=2"},
	{"R", "x1 y1|y2 x", "r0=0 y=2"},
	{"2+2W", "x1 y2|y1 x2", "x=1 y=1"},
	{"WRC", "x1|x y1|y x", "r0=1 r1=1 r2=0"},
	{"ISA2", "x1 y1|y z1|z x", "r0=1 r1=1 r2=0"},
	{"RWC", "x1|x y|y1 x", "r0=1 r1=0 r2=0"},
	{"W+RWC", "x1 y1|y z|z1 x", "r0=1 r1=0 r2=0"},
	{"Z6.0", "x1 y1|y z1|z2 x", "r0=1 r1=0 z=2"},
	{"Z6.3", "x1 y1|y2 z1|z x", "y=2 r0=1 r1=0"},
	{"3.LB", "x y1|y z1|z x1", "r0=1 r1=1 r2=1"},
	{"IRIW", "x1|y1|x y|y x", "r0=1 r1=0 r2=1 r3=0"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct step {
	enum strength_kind kind;
	struct strength strength;
	char location, value;
	uint32_t reg;
};

struct made {
	struct rng rng;
	const struct shape *shape;
	bool kernel, together; /* together: all threads in one CTA */
	struct step step[THREADS][STEPS];
	uint32_t nsteps[THREADS], nthreads, nregs;
	uint32_t owner[STEPS];             /* of each register */
	uint32_t line[THREADS][STEPS + 1]; /* in the text */
};

static uint32_t below(struct made *m, uint32_t n) { return rng_below(&m->rng, n); }

static enum scope some_scope(struct made *m)
{
	static const enum scope wide[] = {SCOPE_GPU, SCOPE_GPU, SCOPE_SYS, SCOPE_CTA};
	return wide[below(m, 4)];
}

static void add_step(struct made *m, uint32_t thread, struct step s)
{
	m->step[thread][m->nsteps[thread]++] = s;
}

static void some_fence(struct made *m, uint32_t thread)
{
	enum sem sem = below(m, 2) ? SEM_SC : SEM_ACQ_REL;
	if (below(m, 4))
		add_step(m, thread,
			(struct step){.kind = STRENGTH_FENCE,
				.strength = {.sem = sem, .scope = some_scope(m)}});
}

static void some_access(struct made *m, uint32_t thread, const char *word)
{
	bool write = word[1] >= '0' && word[1] <= '9';
	struct step s = {.kind = write ? STRENGTH_STORE : STRENGTH_LOAD,
		.strength = {.sem = SEM_RELAXED, .scope = some_scope(m)},
		.location = word[0],
		.value = word[1]};
	if (!below(m, 3))
		s.strength.sem = write ? SEM_RELEASE : SEM_ACQUIRE;
	else if (!below(m, 4))
		s.strength = (struct strength){.sem = SEM_WEAK};
	if (!write) {
		m->owner[m->nregs] = thread;
		s.reg = m->nregs++;
	}
	add_step(m, thread, s);
}

static void make(struct made *m)
{
	m->shape = &shapes[below(m, SHAPES)];
	m->kernel = below(m, 2);
	m->together = !below(m, 4);
	m->nthreads = 1;
	m->nregs = 0;
	memset(m->nsteps, 0, sizeof m->nsteps);
	for (const char *s = m->shape->threads; *s; s++) {
		if (*s == '|')
			m->nthreads++;
		else if (*s == ' ')
			some_fence(m, m->nthreads - 1);
		else if (*s >= 'x')
			some_access(m, m->nthreads - 1, s);
	}
}

/* --- their text --- */

static void order_text(const struct step *s, struct text *out)
{
	if (s->strength.sem != SEM_WEAK)
		text_printf(out, ".%s.%s", word_text(sem_word(s->strength.sem)),
			word_text(scope_word(s->strength.scope)));
}

static void step_text(const struct made *m, const struct step *s, struct text *out)
{
	text_puts(out,
		s->kind == STRENGTH_FENCE          ? "fence"
			: s->kind == STRENGTH_LOAD ? "ld"
						   : "st");
	order_text(s, out);
	if (m->kernel && s->kind != STRENGTH_FENCE)
		text_puts(out, ".global.u32");
	if (s->kind == STRENGTH_LOAD)
		text_printf(out, m->kernel ? " %%r1%u, [%c]" : " r%u, %c", s->reg, s->location);
	if (s->kind == STRENGTH_STORE)
		text_printf(out, m->kernel ? " [%c], %c" : " %c, %c", s->location, s->value);
}

static void condition_text(const struct made *m, struct text *out)
{
	const char *sep = "";
	for (const char *s = m->shape->condition; *s; s++) {
		if (*s == ' ')
			continue;
		text_puts(out, sep);
		if (*s == 'r')
			text_printf(out, m->kernel ? "P%u:%%r1%c == %c" : "P%u:r%c == %c",
				m->owner[s[1] - '0'], s[1], s[3]);
		else
			text_printf(out, "%c == %c", s[0], s[2]);
		sep = m->kernel ? " && " : " /\\ ";
		s += *s == 'r' ? 3 : 2;
	}
}

static void litmus_text(struct made *m, struct text *out)
{
	uint32_t rows = 0;
	text_printf(out, "PTX %s\n{ x=0; y=0; z=0;", m->shape->name);
	for (uint32_t r = 0; r < m->nregs; r++)
		text_printf(out, " P%u:r%u=0;", m->owner[r], r);
	text_puts(out, " }\n");
	for (uint32_t t = 0; t < m->nthreads; t++) {
		text_printf(out, "%sP%u@cta %u,gpu 0", t ? "|" : "", t, m->together ? 0 : t);
		rows = m->nsteps[t] > rows ? m->nsteps[t] : rows;
	}
	text_puts(out, ";\n");
	for (uint32_t k = 0; k < rows; k++) {
		for (uint32_t t = 0; t < m->nthreads; t++) {
			text_puts(out, t ? "| " : " ");
			m->line[t][k] = 4 + k;
			if (k < m->nsteps[t])
				step_text(m, &m->step[t][k], out);
		}
		text_puts(out, ";\n");
	}
	text_puts(out, "~exists (");
	condition_text(m, out);
	text_puts(out, ")\n");
}

static void kernel_text(struct made *m, struct text *out)
{
	uint32_t line = 6;
	text_printf(out, "//@ launch k<<<%u, %u>>>()\n//@ forbid ", m->together ? 1 : m->nthreads,
		m->together ? m->nthreads : 1);
	condition_text(m, out);
	text_puts(out,
		"\n.version 8.0\n.target sm_90\n.address_size 64\n.global .u32 x, y, z;\n"
		".visible .entry k()\n{\n.reg .pred %p<5>;\n.reg .b32 %r<20>;\n"
		"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nadd.u32 %r1, %r1, %r2;\n");
	line = 14;
	for (uint32_t t = 1; t < m->nthreads; t++, line += 2)
		text_printf(out, "setp.eq.u32 %%p%u, %%r1, %u;\n@%%p%u bra T%u;\n", t, t, t, t);
	for (uint32_t t = 0; t < m->nthreads; t++) {
		if (t)
			text_printf(out, "T%u:\n", t), line++;
		for (uint32_t k = 0; k < m->nsteps[t]; k++) {
			m->line[t][k] = line++;
			step_text(m, &m->step[t][k], out);
			text_puts(out, ";\n");
		}
		text_puts(out, "exit;\n");
		line++;
	}
	text_puts(out, "}\n");
}

static void made_text(struct made *m, struct text *out)
{
	text_clear(out);
	if (m->kernel)
		kernel_text(m, out);
	else
		litmus_text(m, out);
}

/* --- exploring and repairing --- */

static void load(struct program *p, struct program_request *q, bool kernel, const char *text)
{
	*q = (struct program_request){.path = kernel ? "made.ptx" : "made.litmus",
		.text = text,
		.size = strlen(text),
		.no_warnings = true};
	program_load(p, q);
}

/* Whether the condition, which forbids an outcome, holds. */
static bool holds(bool kernel, const char *text)
{
	struct program_request q;
	struct program p;
	struct report r;
	bool is;
	load(&p, &q, kernel, text);
	cr_assert(p.kind == PROGRAM_LITMUS || !p.status, "%s", text);
	struct explorer_request e = {.program = &p,
		.in = p.kind == PROGRAM_LITMUS ? NULL : &p.script.cases.data[0],
		.jobs = 1};
	explorer_run(&e, &r);
	cr_assert(r.conditions.count == 1 && r.conditions.data[0].decided, "%s", text);
	is = r.conditions.data[0].holds;
	report_free(&r);
	program_free(&p);
	return is;
}

/* A weaker strength of S; false if there is none. */
static bool weaker(struct made *m, const struct step *s, struct strength *out)
{
	struct strength all[STRENGTH_MOST];
	uint32_t n = strengths(s->kind, 1u << SCOPE_CTA | 1u << SCOPE_GPU | 1u << SCOPE_SYS, all);
	for (uint32_t tries = 0; tries < 20; tries++) {
		*out = all[below(m, n)];
		/* fence.release and .acquire came later than this version of PTX */
		if (s->kind == STRENGTH_FENCE && !out->absent && out->sem < SEM_ACQ_REL)
			continue;
		if (strength_within(*out, s->strength) && !strength_within(s->strength, *out))
			return true;
	}
	return false;
}

/* Removes step K if its strength is "absent". */
static void drop_absent(struct made *m, uint32_t t, uint32_t k)
{
	if (!m->step[t][k].strength.absent)
		return;
	memmove(&m->step[t][k], &m->step[t][k + 1], (m->nsteps[t] - k - 1) * sizeof m->step[t][k]);
	m->nsteps[t]--;
}

/* A right program, and then what is weaker in one place and wrong: *WAS and *AT say what was
 * there. */
static void made_wrong(struct made *m, struct step *was, struct strength *is, uint32_t *thread,
	uint32_t *at, struct text *text)
{
	for (;;) {
		make(m);
		made_text(m, text);
		if (!holds(m->kernel, text_str(text)))
			continue;
		for (uint32_t tries = 0; tries < 8; tries++) {
			struct made wrong = *m;
			wrong.rng.state += tries + 1;
			*thread = below(&wrong, m->nthreads);
			*at = below(&wrong, m->nsteps[*thread]);
			*was = m->step[*thread][*at];
			if (!weaker(&wrong, was, is))
				continue;
			wrong.step[*thread][*at].strength = *is;
			drop_absent(&wrong, *thread, *at);
			made_text(&wrong, text);
			if (!holds(m->kernel, text_str(text))) {
				*m = wrong;
				return;
			}
		}
	}
}

static bool one_repair(uint64_t seed)
{
	struct made m = {0};
	struct program_request q;
	struct program p;
	struct repair found;
	struct step was;
	struct strength is;
	struct text text = {0}, place = {0};
	uint32_t thread, at, limit;
	bool ok = false;

	m.rng.state = seed;
	made_wrong(&m, &was, &is, &thread, &at, &text);
	limit = strength_rank(was.kind, was.strength) - strength_rank(was.kind, is);
	text_printf(&place, "line %u", m.line[thread][at]);
	if (!m.kernel)
		text_printf(&place, ", P%u", thread);
	text_putc(&place, ':');
	load(&p, &q, m.kernel, text_str(&text));
	struct repair_request r = {.program = &p, .loaded = &q, .jobs = 1};
	repair_run(&r, &found);
	for (uint32_t k = 0; k < found.sets.count; k++) {
		const struct repair_set *set = &found.sets.data[k];
		cr_expect(holds(m.kernel, set->text), "seed %llu: not a repair:\n%s\nof\n%s",
			(unsigned long long)seed, set->diff, text_str(&text));
		ok |= set->nchanges == 1 && set->rank <= limit &&
			!strncmp(set->change[0].words, text_str(&place), place.len);
	}
	if (!ok)
		fprintf(stderr, "seed %llu: no repair at %s of\n%s", (unsigned long long)seed,
			text_str(&place), text_str(&text));
	repair_free(&found);
	program_free(&p);
	text_free(&text);
	text_free(&place);
	return ok;
}

Test(repair, weakened_programs)
{
	uint64_t n = setting("PTXI_REPAIRS", 24), seed = setting("PTXI_SEED", 1), found = 0;
	for (uint64_t k = 0; k < n; k++)
		found += one_repair(seed + k);
	cr_assert(found * 100 >= n * 95, "%llu of %llu", (unsigned long long)found,
		(unsigned long long)n);
	if (getenv("PTXI_REPAIRS"))
		printf("repair: %llu of %llu, each verified\n", (unsigned long long)found,
			(unsigned long long)n);
}

/* --- programs of the golden files --- */

/* Files that are quick to explore. */
static const char *const golden[] = {"litmus/families.ptx", "litmus/families_sync.ptx",
	"litmus/families_widths.ptx", "litmus/families_async.ptx", "litmus/shapes.ptx",
	"litmus/patterns.ptx", "litmus/mp.ptx", "litmus/sb.ptx", "litmus/lb.ptx", "litmus/co.ptx",
	"litmus/kernel_proxies.ptx", "litmus/mbarrier_init.ptx", "litmus/late_release.ptx",
	"course/flag.ptx", "course/write_read_xy_fences.ptx", "course/mbarrier_transactions.ptx",
	"course/cluster_registers.ptx", "course/block_barrier.ptx", "nvcc/write_read_xy.ptx",
	"nvcc/flag.ptx"};
enum { GOLDEN = sizeof golden / sizeof *golden };

static void load_golden(
	struct program *p, struct program_request *q, const char *path, const struct text *text)
{
	*q = (struct program_request){.path = path,
		.text = text ? text_str(text) : NULL,
		.size = text ? text->len : 0,
		.no_warnings = true};
	program_load(p, q);
}

/* Whether a case that launches FUNC fails; or, without WRONG, does anything but pass. */
static bool fails(struct program *p, uint32_t func, bool wrong)
{
	bool is = false;
	for (uint32_t k = 0; k < p->script.cases.count && !is; k++) {
		struct script_case *in = &p->script.cases.data[k];
		bool launched = false;
		for (const struct stmt *t = in->first; t; t = t->next)
			launched |= t->kind == STMT_LAUNCH && t->func == func;
		if (!launched)
			continue;
		struct explorer_request e = {.program = p, .in = in, .jobs = 1, .judge = true};
		struct report r;
		e.options.machine.timeout = 5; /* what takes longer is not taken */
		explorer_run(&e, &r);
		is = wrong ? r.status == PTXI_FAILED || r.status == PTXI_RACE : r.status != PTXI_OK;
		report_free(&r);
	}
	return is;
}

/* One place of a golden file made weaker, by chance: its text, and the site. False: the program is
 * still right, or was not, or cannot be explored. */
static bool weakened_golden(
	struct rng *rng, const char *path, struct text *text, struct site *was, unsigned *rank)
{
	struct program_request q;
	struct program p, changed;
	struct sites sites;
	struct arena arena = {0};
	struct patch patch;
	bool ok = false;
	load_golden(&p, &q, path, NULL);
	cr_assert(!p.status, "%s", path);
	bool *all = ARENA_ARRAY(&arena, bool, p.module->nfuncs + 1);
	for (uint32_t k = 0; k < p.module->nfuncs; k++)
		all[k] = p.module->func[k].is_entry;
	sites_of_module(p.module, &(struct sites_use){.func = all}, &sites);
	for (uint32_t tries = 0; tries < 30 && sites.list.count && !ok; tries++) {
		const struct site *s = &sites.list.data[rng_below(rng, sites.list.count)];
		struct strength to = s->option[rng_below(rng, s->noptions)];
		if (s->gap || s->kept || strength_within(s->now, to) ||
			!strength_within(to, s->now) ||
			(s->kind == STRENGTH_FENCE && !to.absent && to.sem < SEM_ACQ_REL) ||
			!site_patch(&sites, s, to, &arena, &patch))
			continue;
		text_clear(text);
		patches_apply(p.source, &patch, 1, text);
		load_golden(&changed, &q, path, text);
		ok = !changed.status && fails(&changed, s->func, true) &&
			!fails(&p, s->func, false);
		*was = *s;
		*rank = strength_rank(s->kind, s->now) - strength_rank(s->kind, to);
		program_free(&changed);
	}
	sites_free(&sites);
	arena_free(&arena);
	program_free(&p);
	return ok;
}

static bool one_golden(uint64_t seed)
{
	struct rng rng = {seed};
	struct text text = {0}, place = {0};
	struct program_request q;
	struct program p, after;
	struct repair found;
	struct site was = {0};
	unsigned limit = 0;
	const char *path = NULL;
	uint32_t line, column;
	bool ok = false, gone;
	do {
		path = golden[rng_below(&rng, GOLDEN)];
		text_clear(&place);
		text_printf(&place, "tests/ptx/%s", path);
	} while (!weakened_golden(&rng, text_str(&place), &text, &was, &limit));
	char *file = strdup(text_str(&place));
	load_golden(&p, &q, file, &text);
	struct repair_request r = {.program = &p, .loaded = &q, .jobs = 1};
	r.options.machine.timeout = 120;
	repair_run(&r, &found);
	text_clear(&place);
	source_place(p.source, was.whole.off, &line, &column);
	text_printf(&place, "line %u:", line);
	for (uint32_t k = 0; k < found.sets.count; k++) {
		const struct repair_set *set = &found.sets.data[k];
		struct text changed = {0};
		text_puts(&changed, set->text);
		load_golden(&after, &q, file, &changed);
		cr_expect(!after.status && !fails(&after, was.func, true),
			"seed %llu: not a repair of %s:\n%s", (unsigned long long)seed, file,
			set->diff);
		program_free(&after);
		text_free(&changed);
		/* a fence or barrier that is gone is named at the instruction that followed it */
		gone = was.kind == STRENGTH_FENCE || was.kind >= STRENGTH_PROXY_FENCE;
		ok |= set->nchanges == 1 && set->rank <= limit &&
			(gone || !strncmp(set->change[0].words, text_str(&place), place.len));
	}
	if (!ok)
		fprintf(stderr, "seed %llu: no repair at %s, %s %.*s\n", (unsigned long long)seed,
			file, text_str(&place), (int)was.whole.len,
			text_str(&text) + was.whole.off);
	repair_free(&found);
	program_free(&p);
	text_free(&text);
	text_free(&place);
	free(file);
	return ok;
}

Test(repair, weakened_golden_files)
{
	uint64_t n = setting("PTXI_REPAIRS", 8) / 2, seed = setting("PTXI_SEED", 1), found = 0;
	for (uint64_t k = 0; k < n; k++)
		found += one_golden(seed + k);
	cr_assert(found * 100 >= n * 95, "%llu of %llu", (unsigned long long)found,
		(unsigned long long)n);
	if (getenv("PTXI_REPAIRS"))
		printf("repair: %llu of %llu in golden files, each verified\n",
			(unsigned long long)found, (unsigned long long)n);
}

/* --- the table of strengths --- */

static void explore_litmus_text(const char *text, struct report *r)
{
	struct program_request q;
	struct program p;
	load(&p, &q, false, text);
	struct explorer_request e = {.program = &p, .jobs = 1};
	explorer_run(&e, r);
	program_free(&p);
}

static bool has_outcome(const struct report *r, const struct outcome *o)
{
	for (uint32_t k = 0; k < r->outcomes.count; k++) {
		bool same = true;
		for (uint32_t i = 0; i < r->nstate && same; i++)
			same = !strcmp(r->outcomes.data[k].text[i], o->text[i]);
		if (same)
			return true;
	}
	return false;
}

/* Whether a weaker instruction was compared; *MORE: it allows an outcome more. */
static bool one_weaker(uint64_t seed, bool *more)
{
	struct rng rng = {seed};
	struct text text = {0}, changed = {0};
	struct arena arena = {0};
	struct diags diags = {0};
	struct sites sites;
	struct report before, after;
	struct patch patch;
	bool compared = false;
	if (seed % 2)
		random_litmus(&rng, &text);
	else
		random_litmus_fences(&rng, &text);
	struct source *s = source_new(&arena, "made.litmus", text_str(&text), text.len);
	sites_of_litmus(litmus_parse(s, &arena, &diags), &sites);
	for (uint32_t tries = 0; tries < 50 && !compared && sites.list.count; tries++) {
		const struct site *site = &sites.list.data[rng_below(&rng, sites.list.count)];
		struct strength to = site->option[rng_below(&rng, site->noptions)];
		/* without a barrier, other threads go on: that is not a weaker order */
		compared = !site->gap && site->kind != STRENGTH_BARRIER &&
			strength_within(to, site->now) && !strength_within(site->now, to) &&
			site_patch(&sites, site, to, &arena, &patch);
	}
	if (compared) {
		patches_apply(s, &patch, 1, &changed);
		explore_litmus_text(text_str(&text), &before);
		explore_litmus_text(text_str(&changed), &after);
		cr_assert(after.nstate == before.nstate, "%s", text_str(&changed));
		*more = after.outcomes.count > before.outcomes.count;
		compared = !before.incomplete && !after.incomplete;
		for (uint32_t k = 0; k < before.outcomes.count && compared; k++)
			cr_assert(has_outcome(&after, &before.outcomes.data[k]),
				"weaker, but it lacks an outcome:\n%s\nof\n%s", text_str(&changed),
				text_str(&text));
		report_free(&before);
		report_free(&after);
	}
	sites_free(&sites);
	text_free(&text);
	text_free(&changed);
	diags_free(&diags);
	arena_free(&arena);
	return compared;
}

Test(repair, weaker_allows_more)
{
	uint64_t n = setting("PTXI_RANDOM_PROGRAMS", 200), seed = setting("PTXI_SEED", 1);
	uint64_t compared = 0, more = 0;
	for (uint64_t k = 0; k < n; k++) {
		bool grown = false;
		compared += one_weaker(seed + k, &grown);
		more += grown;
	}
	cr_assert(compared * 2 > n, "only %llu compared", (unsigned long long)compared);
	cr_assert(more * 50 > n, "only %llu changes matter", (unsigned long long)more);
	if (getenv("PTXI_RANDOM_PROGRAMS"))
		printf("repair: %llu weaker programs allow every outcome, %llu of them more\n",
			(unsigned long long)compared, (unsigned long long)more);
}
