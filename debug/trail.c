/* Trails: lines "STEP [launch N] [cta N] warp N [lane N]", in the order of their steps, after lines
 * that say which run they belong to. */
#include "debug/trail.h"
#include "base/hash.h"
#include "interp/state/state.h"
#include "isa/isa.h"
#include "script/lang/program.h"
#include <stdlib.h>
#include <string.h>

/* Of names, since their numbers may change from one version of ptxi to the next. */
uint64_t trail_program(const struct ir_module *m)
{
	uint64_t h = 0;

	for (uint32_t k = 0; k < m->ninsns; k++) {
		const struct ir_insn *i = &m->insn[k];
		const uint32_t part[] = {i->noperands, i->guard, i->guard_negated};
		const char *opcode = opcode_text(isa_form[i->form].opcode);

		h = hash_bytes(opcode, strlen(opcode), h);
		for (unsigned w = 0; w < i->nwords; w++) {
			const char *word = word_text((enum word)m->word[i->word + w]);

			h = hash_bytes(word, strlen(word), h);
		}
		h = hash_bytes(part, sizeof part, h);
	}
	return h ? h : 1;
}

bool trail_is(const struct turn *t, const struct warp *w)
{
	return t->warp == w->index && t->cta == w->cta->linear &&
		t->launch == w->cta->launch->number &&
		(t->lane >= LANES || w->active >> t->lane & 1);
}

void trail_turn(const struct turn *t, struct text *out)
{
	if (t->launch)
		text_printf(out, "launch %u ", t->launch);
	if (t->launch || t->cta)
		text_printf(out, "cta %llu ", (unsigned long long)t->cta);
	text_printf(out, "warp %u", t->warp);
	if (t->lane < LANES)
		text_printf(out, " lane %u", t->lane);
}

static const char *const schedules[] = {
	[SCHEDULE_FAIR] = "fair", [SCHEDULE_LOCKSTEP] = "lockstep", [SCHEDULE_RANDOM] = "random"};

void trail_print(const struct trail *t, const struct run_options *o, struct text *out)
{
	text_puts(out, "# a schedule for: ptxi run --trail=THIS-FILE");
	text_printf(out, "\nprogram %016llx\n", (unsigned long long)t->program);
	if (t->name)
		text_printf(out, "case %s\n", t->name);
	text_printf(out, "schedule %s\n", schedules[o->machine.schedule]);
	if (o->machine.memory == MEMORY_WEAK)
		text_puts(out, "memory weak\n");
	if (o->machine.memory == MEMORY_WEAK || o->machine.schedule == SCHEDULE_RANDOM)
		text_printf(out, "seed %llu\n", (unsigned long long)o->machine.seed);
	for (uint32_t k = 0; k < t->n; k++) {
		text_printf(out, "%llu ", (unsigned long long)t->entry[k].step);
		trail_turn(&t->entry[k].turn, out);
		text_putc(out, '\n');
	}
}

/* --- reading --- */

/* The next word of the line at *AT, which ends with a NUL; NULL: no more. */
static char *word_next(char **at)
{
	char *word = *at + strspn(*at, " \t\r"), *end = word + strcspn(word, " \t\r");

	if (!*word || *word == '#')
		return NULL;
	*at = *end ? end + 1 : end;
	*end = 0;
	return word;
}

static bool read_turn(char *at, struct turn *t)
{
	bool warp = false;
	char *word, *number;
	uint64_t n;

	*t = (struct turn){.lane = TURN_ANY_LANE};
	while ((word = word_next(&at))) {
		number = word_next(&at);
		if (!number || !option_number(number, INT64_MAX, &n))
			return false;
		if (strcmp(word, "cta") == 0)
			t->cta = n;
		else if (strcmp(word, "launch") == 0 && n < UINT32_MAX)
			t->launch = (uint32_t)n;
		else if (strcmp(word, "warp") == 0 && n < MAX_WARPS)
			t->warp = (uint32_t)n;
		else if (strcmp(word, "lane") == 0 && n < LANES)
			t->lane = (uint32_t)n;
		else
			return false;
		warp = warp || strcmp(word, "warp") == 0;
	}
	return warp;
}

/* One line; WHY it is wrong, or NULL. */
static const char *read_line(
	struct trail *t, char *line, uint32_t number, struct run_options *o, struct arena *a)
{
	char *word = word_next(&line);
	struct text why = {0};
	const char *bad = NULL;
	uint64_t n;

	if (!word)
		return NULL;
	if (option_number(word, INT64_MAX, &n)) {
		struct trail_entry e = {.step = n, .line = number};

		if (!read_turn(line, &e.turn))
			return "after the step it takes [launch N] [cta N] warp N [lane N]";
		if (t->n && t->entry[t->n - 1].step > n)
			return "its step is before that of the line above";
		if (t->n == TRAIL_MAX)
			return "it has too many steps";
		t->entry[t->n++] = e;
		return NULL;
	}
	char *value = word_next(&line);

	if (!value)
		bad = "it takes a value";
	else if (strcmp(word, "program") == 0)
		t->program = strtoull(value, NULL, 16);
	else if (strcmp(word, "case") == 0)
		t->name = arena_printf(a, "%s", value);
	else if (strcmp(word, "schedule") != 0 && strcmp(word, "seed") != 0 &&
		strcmp(word, "memory") != 0)
		bad = "a line begins with a step, program, case, schedule, memory or seed";
	else if (option_apply(o, word, value, true, &why) != OPTION_FITS)
		bad = arena_printf(a, "%s", text_str(&why));
	text_free(&why);
	return bad;
}

bool trail_read(struct trail *t, const char *path, struct run_options *o, struct arena *a,
	struct diags *diags)
{
	struct source *s = file_read(path, a, diags);

	*t = (struct trail){.path = path};
	if (!s)
		return false;
	t->entry = arena_alloc(a, TRAIL_MAX * sizeof *t->entry, 8);
	for (uint32_t line = 1, len;; line++) {
		const char *text = source_line(s, line, &len), *why;
		struct span at = {(uint32_t)(text - s->text), len};

		if (line > s->nlines)
			break;
		why = read_line(t, arena_text(a, text, len), line, o, a);
		if (why) {
			diag_report(diags, DIAG_L0303, s, at, "%s", why);
			return false;
		}
	}
	o->machine.jobs = 1;
	return true;
}

/* --- following --- */

static bool follow_before(
	struct director *d, struct warp *w, const struct op *op, uint32_t mask, bool may_leave)
{
	struct trail *t = d->self;

	(void)op;
	(void)mask;
	for (;;) {
		if (d->directs) {
			if (trail_is(&d->turn, w))
				d->directs = false;
			else if (may_leave)
				return false;
		}
		if (d->directs || !may_leave || t->next == t->n || t->entry[t->next].step > t->step)
			break;
		d->turn = t->entry[t->next++].turn;
		d->directs = true;
	}
	t->step++;
	return true;
}

static void follow_refused(struct director *d, const char *why)
{
	struct trail *t = d->self;
	const struct trail_entry *e = &t->entry[t->next - 1];

	if (t->said.len)
		return;
	text_printf(&t->said, "ptxi: %s:%u: at step %llu, ", t->path, e->line,
		(unsigned long long)t->step);
	trail_turn(&e->turn, &t->said);
	text_printf(&t->said, " cannot run: it %s; the schedule goes on without it\n", why);
}

void trail_follow(struct trail *t, struct run_options *o)
{
	t->step = 0;
	t->next = 0;
	t->director = (struct director){
		.self = t, .before = follow_before, .refused = follow_refused};
	o->machine.director = &t->director;
}
