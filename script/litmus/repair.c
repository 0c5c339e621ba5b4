/* See repair.h. A set of changes is judged by the text that it makes: it is assembled, or parsed,
 * and explored like the file itself. What is tried follows the order of strengths
 * (model/strength.h): where the strongest change of a place is not enough, no weaker one is tried.
 */
#include "script/litmus/repair.h"
#include "base/time.h"
#include "script/litmus/sites.h"
#include "script/verdict/judge.h"
#include <ptxi/status.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PAIRS = 2000, MAX_SETS = 64 };
/* A changed program may take this many seconds, and as many times as long as the original. */
enum { PATIENCE = 5 };
/* What a changed program is. STRONG: nothing forbidden is left, but an outcome that must stay
 * possible is not, so a weaker change might do. STOP: it was not explored, since the search ends.
 */
enum answer { ANSWER_YES, ANSWER_STRONG, ANSWER_OPEN, ANSWER_NO, ANSWER_INVALID, ANSWER_STOP };
enum refuted { REFUTED_NEVER, REFUTED_TRUE, REFUTED_FALSE };
enum need { NEED_NOTHING, NEED_TRUE, NEED_FALSE };

/* What a report says, as far as a changed program is compared by it. */
struct account {
	uint32_t races, stuck, faults, failed;
	bool open;
};

/* A case of the program as it is. */
struct base {
	const struct script_case *in; /* NULL: the litmus test */
	bool *func;                   /* [nfuncs] that it runs; NULL: all */
	struct account account;
	enum need *need; /* [nconditions] */
	/* [nconditions] the truth in one outcome that shows that the condition is not as needed */
	enum refuted *refuted;
	uint32_t nconditions;
	bool broken;          /* a condition or an expectation does not hold, and should */
	bool unusable;        /* it could not be explored */
	bool unexplored;      /* changed programs are only run: exploring one did not end */
	double patience;      /* seconds for exploring a changed program */
	const char **outcome; /* [noutcomes] */
	uint32_t noutcomes;
};

struct search {
	const struct repair_request *r;
	struct repair *out;
	struct source *source; /* what is changed: the program's text */
	struct sites sites;
	struct base *base;
	uint32_t nbases;
	struct strength *choice;    /* [sites] the changed program */
	struct strength *strongest; /* [sites] that the text allows */
	bool *can;                  /* [sites] whether there is one */
	bool *launched;             /* [nfuncs] by a case that is to be changed */
	uint32_t nfuncs;
	bool no_races; /* every condition holds: repair the data races */
	double deadline;
	bool stop;
};

/* --- exploring one program --- */

static struct account account_of(const struct report *r, const struct script_case *in)
{
	struct account a = {.open = r->incomplete || r->status == PTXI_UNDECIDED};

	for (const struct diag *d = r->findings.first; d; d = d->next) {
		if (diag_is_warning(d->code))
			continue;
		switch (diag_code_info(d->code).code[0]) {
		case 'R': a.races += !in || !judge_is_expected(in, d); break;
		case 'D': a.stuck += !in || !judge_is_expected(in, d); break;
		case 'F': a.faults++; break;
		case 'X': a.failed += d->code != DIAG_X0106 && d->code != DIAG_X0102; break;
		default: break;
		}
	}
	return a;
}

/* The values of outcome K, as struct explorer_request has them. */
static void values_text(const struct report *r, uint32_t k, struct text *out)
{
	for (uint32_t i = 0; i < r->nstate; i++)
		text_printf(out, "%s;", r->outcomes.data[k].text[i]);
}

static const char *outcome_text(struct search *s, const struct report *r, uint32_t k)
{
	struct text t = {0};
	const char *copy;

	values_text(r, k, &t);
	copy = arena_text(&s->out->arena, text_str(&t), t.len);
	text_free(&t);
	return copy;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_known(const struct base *b, const char *outcome)
{
	return b->noutcomes &&
		bsearch(&outcome, b->outcome, b->noutcomes, sizeof outcome, compare_texts);
}

/* Case B of a changed program. */
struct changed {
	const struct search *search;
	const struct base *base;
};

/* Whether one outcome shows that the changed program will not do. */
static bool is_refuted(void *self, const char *values, const bool *condition)
{
	const struct changed *c = self;
	const struct base *b = c->base;

	if (c->search->r->slack)
		return !is_known(b, values);
	for (uint32_t k = 0; k < b->nconditions; k++)
		if (b->refuted[k] == (condition[k] ? REFUTED_TRUE : REFUTED_FALSE))
			return true;
	return false;
}

/* Whether B is run as `check` runs it. */
static bool is_run(const struct search *s, const struct base *b)
{
	return s->r->runs && b->in && !b->in->conditions;
}

static void run_case(const struct explorer_request *q, struct report *out)
{
	struct host_request h = {
		.module = q->program->module, .in = q->in, .options = q->options, .judge = true};

	host_run(&h, out);
}

/* ORIGINAL: the program as it is, of which everything is explored. */
static void explore(
	struct search *s, struct program *p, uint32_t which, bool original, struct report *out)
{
	struct changed changed = {s, &s->base[which]};
	struct explorer_request q = {.program = p,
		.in = s->base[which].in ? &p->script.cases.data[which] : NULL,
		.options = s->r->options,
		.jobs = s->r->jobs,
		.semantic_deps = s->r->semantic_deps,
		.judge = !s->r->slack,
		.records = true,
		.enough = original ? NULL : is_refuted,
		.enough_arg = &changed};

	double begin = time_now(), left = s->deadline - begin;
	if (!original)
		q.options.machine.timeout = s->base[which].patience;
	if (s->deadline > 0 && !(q.options.machine.timeout < left))
		q.options.machine.timeout = left > 0.001 ? left : 0.001;
	if (is_run(s, &s->base[which]))
		run_case(&q, out);
	else
		explorer_run(&q, out);
	if (original)
		s->base[which].patience = PATIENCE + PATIENCE * (time_now() - begin);
}

static bool is_new(const struct base *b, const struct report *r)
{
	bool found = false;

	for (uint32_t k = 0; k < r->outcomes.count && !found; k++) {
		struct text t = {0};

		values_text(r, k, &t);
		found = !is_known(b, text_str(&t));
		text_free(&t);
	}
	return found;
}

static bool unusable(const struct report *r)
{
	return r->status == PTXI_UNSUPPORTED || r->status == PTXI_BUG ||
		r->status == PTXI_REJECTED || r->status == PTXI_USAGE ||
		(!r->opened && !r->outcomes.count);
}

static enum answer judge_slack(
	const struct base *b, const struct account *a, const struct report *r)
{
	if (is_new(b, r) || a->races > b->account.races)
		return ANSWER_NO;
	return a->open ? ANSWER_OPEN : ANSWER_YES;
}

static enum answer judge_repair(const struct search *s, const struct base *b,
	const struct account *a, const struct report *r)
{
	bool open = false, strong = false;

	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];
		bool fails = c->decided && c->holds != (b->need[k] == NEED_TRUE);

		if (b->need[k] == NEED_NOTHING)
			continue;
		if (fails && b->refuted[k] != REFUTED_NEVER)
			return ANSWER_NO;
		strong |= fails;
		open |= !c->decided;
	}
	if ((s->no_races || is_run(s, b)) && a->races)
		return ANSWER_NO;
	/* a condition that holds by what was seen needs no complete exploration, a missing finding
	 * does */
	open |= a->open &&
		(s->no_races || b->account.failed || !r->conditions.count ||
			r->status == PTXI_UNDECIDED);
	return open ? ANSWER_OPEN : strong ? ANSWER_STRONG : ANSWER_YES;
}

static enum answer judge_changed(struct search *s, const struct base *b, const struct report *r)
{
	struct account a;

	if (unusable(r))
		return ANSWER_INVALID;
	a = account_of(r, b->in);
	if (a.stuck > b->account.stuck || a.faults > b->account.faults ||
		a.failed > (s->r->slack ? b->account.failed : 0))
		return ANSWER_NO;
	return s->r->slack ? judge_slack(b, &a, r) : judge_repair(s, b, &a, r);
}

static bool is_same(struct strength a, struct strength b)
{
	return strength_within(a, b) && strength_within(b, a);
}

static bool is_changed(const struct search *s, uint32_t k)
{
	return !is_same(s->choice[k], s->sites.list.data[k].now);
}

/* The patches of the choice, sorted, in ARENA; false if the text does not allow one. */
static bool choice_patches(struct search *s, struct arena *arena, struct patch **patch, uint32_t *n)
{
	*patch = ARENA_ARRAY(arena, struct patch, s->sites.list.count + 1);
	*n = 0;
	for (uint32_t k = 0; k < s->sites.list.count; k++)
		if (is_changed(s, k) &&
			!site_patch(&s->sites, &s->sites.list.data[k], s->choice[k], arena,
				&(*patch)[(*n)++]))
			return false;
	patches_sort(*patch, *n);
	return true;
}

/* Whether a change concerns case B. */
static bool is_concerned(const struct search *s, const struct base *b)
{
	for (uint32_t k = 0; k < s->sites.list.count; k++)
		if (is_changed(s, k) && (!b->func || b->func[s->sites.list.data[k].func]))
			return true;
	return false;
}

/* Explores case WHICH of P, a changed program that is right where it was run. */
static enum repair_proof prove(struct search *s, struct program *p, uint32_t which)
{
	struct explorer_request q = {.program = p,
		.in = &p->script.cases.data[which],
		.options = s->r->options,
		.jobs = s->r->jobs,
		.judge = true};
	enum repair_proof proof = REPAIR_RIGHT;
	struct report r;
	struct account a;

	if (s->base[which].unexplored)
		return REPAIR_RUN;
	q.options.machine.timeout = PATIENCE;
	explorer_run(&q, &r);
	a = account_of(&r, q.in);
	if (a.races || a.stuck || a.faults)
		proof = REPAIR_WRONG;
	else if (unusable(&r) || a.open || a.failed)
		proof = REPAIR_RUN;
	s->base[which].unexplored = proof == REPAIR_RUN;
	report_free(&r);
	return proof;
}

/* How a changed text is loaded. The PTX of a CUDA source has its //@ lines there. */
static struct program_request changed_request(const struct search *s, const char *text, size_t n)
{
	struct program_request r = *s->r->loaded;

	r.path = s->r->program->path;
	if (s->r->program->is_cuda) {
		r.script = r.script ? r.script : r.path;
		r.path = s->r->program->source->name;
	}
	r.text = text;
	r.size = n;
	r.no_warnings = true;
	return r;
}

static enum answer explore_changed(struct search *s, const char *text, size_t n)
{
	struct program_request request = changed_request(s, text, n);
	struct program p;
	enum answer all = ANSWER_YES;

	program_load(&p, &request);
	if (p.kind != PROGRAM_LITMUS && p.status)
		all = ANSWER_INVALID;
	for (uint32_t k = 0; k < s->nbases && all < ANSWER_NO; k++) {
		struct report r;
		enum answer one;

		if (s->base[k].unusable || !is_concerned(s, &s->base[k]))
			continue;
		explore(s, &p, k, false, &r);
		one = judge_changed(s, &s->base[k], &r);
		if (one <= ANSWER_STRONG && is_run(s, &s->base[k]) && s->base[k].broken &&
			prove(s, &p, k) == REPAIR_WRONG)
			one = ANSWER_NO;
		all = one > all ? one : all;
		report_free(&r);
	}
	program_free(&p);
	return all;
}

static bool is_time_up(struct search *s)
{
	const _Atomic int *interrupted = s->r->options.machine.interrupted;

	if ((interrupted && *interrupted) || (s->deadline > 0 && time_now() >= s->deadline) ||
		s->out->programs >= REPAIR_PROGRAMS)
		s->stop = s->out->ended = true;
	return s->stop;
}

/* Explores the program of the choice. */
static enum answer try_choice(struct search *s)
{
	struct arena arena = {0};
	struct text text = {0};
	struct patch *patch;
	uint32_t n;
	enum answer answer = ANSWER_INVALID;

	if (is_time_up(s))
		return ANSWER_STOP;
	if (choice_patches(s, &arena, &patch, &n)) {
		patches_apply(s->source, patch, n, &text);
		s->out->programs++;
		answer = explore_changed(s, text_str(&text), text.len);
		if (answer == ANSWER_OPEN && is_time_up(s))
			answer = ANSWER_STOP;
		s->out->open |= answer == ANSWER_OPEN;
		if (s->r->progress)
			s->r->progress(s->r->self, s->out->programs, s->out->sets.count, 0);
	}
	text_free(&text);
	arena_free(&arena);
	return answer;
}

/* Whether the choice is strong enough. */
static bool is_enough(struct search *s) { return try_choice(s) <= ANSWER_STRONG; }

/* --- results --- */

static uint32_t line_of(const struct source *s, uint32_t off)
{
	uint32_t line, column;

	source_place(s, off, &line, &column);
	return line;
}

/* The changes of the choice as a set of the result, unless it is there already. */
static void keep_choice(struct search *s)
{
	struct repair *out = s->out;
	struct source *shown = s->r->program->source;
	struct repair_set set = {
		.change = ARENA_ARRAY(&out->arena, struct repair_change, s->sites.list.count + 1)};
	struct text t = {0};
	struct patch *patch;
	uint32_t n;

	if (out->sets.count >= MAX_SETS || !choice_patches(s, &out->arena, &patch, &n))
		return;
	patches_apply(shown, patch, n, &t);
	set.text = arena_text(&out->arena, text_str(&t), t.len);
	text_clear(&t);
	patches_diff(shown, patch, n, &t);
	set.diff = arena_text(&out->arena, text_str(&t), t.len);
	for (uint32_t k = 0; k < s->sites.list.count; k++) {
		const struct site *site = &s->sites.list.data[k];

		if (!is_changed(s, k))
			continue;
		text_clear(&t);
		site_words(&s->sites, site, s->choice[k], &t);
		set.change[set.nchanges++] = (struct repair_change){
			line_of(s->source, site->whole.off),
			arena_text(&out->arena, text_str(&t), t.len)};
		set.rank += strength_rank(site->kind, s->choice[k]) -
			(s->r->slack ? 0 : strength_rank(site->kind, site->now));
	}
	text_free(&t);
	for (uint32_t k = 0; k < out->sets.count; k++)
		if (strcmp(out->sets.data[k].text, set.text) == 0)
			return;
	if (!set.nchanges)
		return;
	*vec_push(&out->sets) = set;
}

/* The same if the choice is not too strong, either. */
static void keep_if_right(struct search *s)
{
	if (try_choice(s) == ANSWER_YES)
		keep_choice(s);
}

static void choose_nothing(struct search *s)
{
	for (uint32_t k = 0; k < s->sites.list.count; k++)
		s->choice[k] = s->sites.list.data[k].now;
}

/* --- repair --- */

static bool is_above(const struct site *site, struct strength o)
{
	return strength_within(site->now, o) && !is_same(site->now, o);
}

/* Site K alone: its strongest change, and if that is enough, every weakest one. */
static void try_single(struct search *s, uint32_t k)
{
	const struct site *site = &s->sites.list.data[k];
	struct strength kept[STRENGTH_MOST];
	uint32_t nkept = 0;
	enum answer answer = ANSWER_INVALID, one;

	for (uint32_t n = site->noptions; n-- > 0 && answer == ANSWER_INVALID;) {
		if (!is_above(site, site->option[n]))
			continue;
		s->choice[k] = site->option[n];
		answer = try_choice(s);
		s->can[k] = answer != ANSWER_INVALID;
		s->strongest[k] = site->option[n];
	}
	for (uint32_t n = 0; n < site->noptions && answer <= ANSWER_STRONG && !s->stop; n++) {
		bool weakest = is_above(site, site->option[n]);

		for (uint32_t i = 0; i < nkept; i++)
			weakest &= !strength_within(kept[i], site->option[n]);
		if (!weakest)
			continue;
		s->choice[k] = site->option[n];
		one = try_choice(s);
		if (one <= ANSWER_STRONG)
			kept[nkept++] = site->option[n];
		if (one == ANSWER_YES)
			keep_choice(s);
	}
	s->choice[k] = site->now;
}

/* Site K is changed, and with it the choice is enough: makes K as weak as is still enough. */
static void lower(struct search *s, uint32_t k)
{
	const struct site *site = &s->sites.list.data[k];
	struct strength high = s->choice[k];

	for (uint32_t n = 0; n < site->noptions && !s->stop; n++) {
		if (!is_above(site, site->option[n]) || !strength_within(site->option[n], high) ||
			is_same(site->option[n], high))
			continue;
		s->choice[k] = site->option[n];
		if (is_enough(s))
			return;
	}
	s->choice[k] = high;
}

static void try_pair(struct search *s, uint32_t i, uint32_t j)
{
	choose_nothing(s);
	s->choice[i] = s->strongest[i];
	s->choice[j] = s->strongest[j];
	if (!is_enough(s))
		return;
	lower(s, i);
	lower(s, j);
	keep_if_right(s);
	s->choice[i] = s->strongest[i];
	s->choice[j] = s->strongest[j];
	lower(s, j);
	lower(s, i);
	keep_if_right(s);
}

static bool is_barrier(const struct search *s, uint32_t k)
{
	return s->sites.list.data[k].gap && s->sites.list.data[k].kind >= STRENGTH_WARP_BARRIER;
}

/* Every place at its strongest, except barriers, which may change which threads wait for which. */
static void choose_all(struct search *s)
{
	choose_nothing(s);
	for (uint32_t k = 0; k < s->sites.list.count; k++)
		if (s->can[k] && !is_barrier(s, k))
			s->choice[k] = s->strongest[k];
}

static bool all_is_enough(struct search *s)
{
	choose_all(s);
	return is_enough(s);
}

/* From all changes, which the choice is, to a set of which none can be left out; then each as weak
 * as possible. ACCESSES: fences are rather left out than orders of accesses. */
static void try_fewer(struct search *s, bool accesses)
{
	uint32_t *order = ARENA_ARRAY(&s->out->arena, uint32_t, s->sites.list.count + 1), n = 0;

	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t k = s->sites.list.count; k-- > 0;)
			if (is_changed(s, k) && s->sites.list.data[k].gap == (accesses != pass))
				order[n++] = k;
	for (uint32_t k = 0; k < n && !s->stop; k++) {
		struct strength high = s->choice[order[k]];

		s->choice[order[k]] = s->sites.list.data[order[k]].now;
		if (!is_enough(s))
			s->choice[order[k]] = high;
	}
	for (uint32_t k = 0; k < n && !s->stop; k++)
		if (is_changed(s, order[k]))
			lower(s, order[k]);
	if (!s->stop)
		keep_if_right(s);
}

static int compare_sets(const void *a, const void *b)
{
	const struct repair_set *x = a, *y = b;

	if (x->nchanges != y->nchanges)
		return x->nchanges < y->nchanges ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->change[0].line < y->change[0].line ? -1 : x->change[0].line > y->change[0].line;
}

/* Pairs; BARRIERS: only those with a barrier, since all other changes together are not enough. */
static void try_pairs(struct search *s, bool barriers)
{
	uint64_t begin = s->out->programs;
	uint32_t n = s->sites.list.count;

	for (uint32_t i = 0; i < n && !s->stop; i++) {
		for (uint32_t j = i + 1; j < n && !s->stop; j++) {
			if (!s->can[i] || !s->can[j] ||
				(barriers && !is_barrier(s, i) && !is_barrier(s, j)))
				continue;
			if (s->out->programs - begin >= MAX_PAIRS) {
				s->out->ended = true;
				return;
			}
			try_pair(s, i, j);
		}
	}
}

static void search_repairs(struct search *s)
{
	struct repair *out = s->out;
	bool all;

	for (uint32_t k = 0; k < s->sites.list.count && !s->stop; k++)
		try_single(s, k);
	if (!out->sets.count && !s->stop) {
		all = all_is_enough(s);
		for (int accesses = 1; all && accesses >= 0; accesses--) {
			choose_all(s);
			try_fewer(s, accesses);
		}
		try_pairs(s, !all);
		out->largest = !all && !out->sets.count && !s->stop;
	}
	if (out->sets.count)
		qsort(out->sets.data, out->sets.count, sizeof *out->sets.data, compare_sets);
	while (out->sets.count &&
		out->sets.data[out->sets.count - 1].nchanges > out->sets.data[0].nchanges)
		out->sets.count--;
}

/* --- slack --- */

/* Makes site K as weak as the rest of the choice allows, one step at a time. */
static void weaken(struct search *s, uint32_t k)
{
	const struct site *site = &s->sites.list.data[k];
	bool moved = true;

	while (moved && !s->stop) {
		struct strength high = s->choice[k];

		moved = false;
		for (uint32_t n = site->noptions; n-- > 0 && !moved && !s->stop;) {
			struct strength o = site->option[n];
			bool next = strength_within(o, high) && !is_same(o, high);

			for (uint32_t i = 0; i < site->noptions && next; i++)
				next = is_same(site->option[i], high) ||
					is_same(site->option[i], o) ||
					!strength_within(site->option[i], high) ||
					!strength_within(o, site->option[i]);
			if (!next)
				continue;
			s->choice[k] = o;
			moved = is_enough(s);
			if (!moved)
				s->choice[k] = high;
		}
	}
}

static void search_slack(struct search *s)
{
	uint32_t n = s->sites.list.count, some = 0;
	struct strength *alone = ARENA_ARRAY(&s->out->arena, struct strength, n + 1);

	for (uint32_t k = 0; k < n; k++) {
		alone[k] = s->sites.list.data[k].now;
		if (s->sites.list.data[k].gap || s->sites.list.data[k].kept || s->stop)
			continue;
		choose_nothing(s);
		weaken(s, k);
		alone[k] = s->choice[k];
		some += is_changed(s, k);
	}
	memcpy(s->choice, alone, n * sizeof *alone);
	if (some > 1 && !is_enough(s)) {
		choose_nothing(s);
		for (uint32_t k = 0; k < n && !s->stop; k++)
			if (!is_same(alone[k], s->sites.list.data[k].now))
				weaken(s, k);
	}
	keep_choice(s);
	s->out->together = s->out->sets.count > 0;
	if (s->out->together && s->out->sets.data[0].nchanges == some)
		return;
	for (uint32_t k = 0; k < n; k++) {
		choose_nothing(s);
		s->choice[k] = alone[k];
		keep_choice(s);
	}
}

/* --- the program as it is --- */

static void mark_functions(const struct ir_module *m, struct base *b, struct arena *arena)
{
	b->func = ARENA_ARRAY(arena, bool, m->nfuncs + 1);
	for (uint32_t k = 0; k < m->nfuncs; k++)
		b->func[k] = !m->func[k].is_entry;
	for (const struct stmt *t = b->in->first; t; t = t->next)
		if (t->kind == STMT_LAUNCH && t->func < m->nfuncs)
			b->func[t->func] = true;
}

static enum need need_of(const struct search *s, const struct judged_condition *c)
{
	bool allow = c->stmt ? c->stmt->condition == CONDITION_ALLOW
			     : strcmp(c->kind, "exists") == 0;

	if (!c->stmt && allow) /* the outcome that a litmus test asks for is to be forbidden */
		return NEED_FALSE;
	return !allow || (c->holds && !s->r->forbid) ? NEED_TRUE : NEED_NOTHING;
}

static enum refuted refuted_by(const struct judged_condition *c, enum need need)
{
	bool always = c->stmt ? c->stmt->condition == CONDITION_ALWAYS
			      : strcmp(c->kind, "forall") == 0;

	if (need == NEED_FALSE) /* exists */
		return REFUTED_TRUE;
	if (need == NEED_NOTHING || (c->stmt && c->stmt->condition == CONDITION_ALLOW))
		return REFUTED_NEVER;
	return always ? REFUTED_FALSE : REFUTED_TRUE;
}

static void read_base(struct search *s, struct base *b, const struct report *r)
{
	b->unusable = unusable(r);
	b->account = account_of(r, b->in);
	b->need = ARENA_ARRAY(&s->out->arena, enum need, r->conditions.count + 1);
	b->refuted = ARENA_ARRAY(&s->out->arena, enum refuted, r->conditions.count + 1);
	b->nconditions = r->conditions.count;
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];

		b->need[k] = need_of(s, c);
		b->refuted[k] = refuted_by(c, b->need[k]);
		b->broken |= c->decided && b->need[k] != NEED_NOTHING &&
			c->holds != (b->need[k] == NEED_TRUE);
	}
	b->broken |= b->account.failed > 0 || (is_run(s, b) && b->account.races > 0);
	b->outcome = ARENA_ARRAY(&s->out->arena, const char *, r->outcomes.count + 1);
	for (uint32_t k = 0; k < r->outcomes.count; k++)
		b->outcome[b->noutcomes++] = outcome_text(s, r, k);
	qsort(b->outcome, b->noutcomes, sizeof *b->outcome, compare_texts);
	s->out->open |= b->unusable || b->account.open;
	if (s->r->slack)
		b->unusable |= b->account.open;
}

static void read_bases(struct search *s, struct program *p)
{
	s->nbases = p->kind == PROGRAM_LITMUS ? 1 : p->script.cases.count;
	s->base = ARENA_ARRAY(&s->out->arena, struct base, s->nbases + 1);
	for (uint32_t k = 0; k < s->nbases && !is_time_up(s); k++) {
		struct base *b = &s->base[k];
		struct report r;

		if (p->kind != PROGRAM_LITMUS) {
			b->in = &p->script.cases.data[k];
			mark_functions(p->module, b, &s->out->arena);
			b->unusable = !b->in->first_launch;
		}
		if (b->unusable)
			continue;
		explore(s, p, k, true, &r);
		read_base(s, b, &r);
		report_free(&r);
	}
}

/* Which functions are to be changed: those of the cases that are wrong, or of all. */
static void choose_functions(struct search *s, struct sites_use *use, const struct ir_module *m)
{
	bool *func = ARENA_ARRAY(&s->out->arena, bool, m->nfuncs + 1);

	for (uint32_t k = 0; k < s->nbases; k++) {
		const struct base *b = &s->base[k];

		if (b->unusable ||
			!(s->r->slack || (s->no_races ? b->account.races > 0 : b->broken)))
			continue;
		for (uint32_t f = 0; f < m->nfuncs; f++)
			func[f] |= b->func[f];
		for (const struct stmt *t = b->in->first; t; t = t->next) {
			if (t->kind != STMT_LAUNCH)
				continue;
			use->clusters |= t->dims[2][0] * t->dims[2][1] * t->dims[2][2] > 1;
			use->devices |= t->device > 0;
			use->ctas |= t->dims[1][0] * t->dims[1][1] * t->dims[1][2] > 1;
		}
	}
	/* what another case needs must not be weakened unseen */
	for (uint32_t k = 0; k < s->nbases && s->r->slack; k++)
		for (uint32_t f = 0; f < m->nfuncs && s->base[k].unusable && s->base[k].func; f++)
			func[f] &= !s->base[k].func[f];
	use->func = func;
}

static void find_sites(struct search *s, struct program *p, const struct litmus_test *test)
{
	struct sites_use use = {0};

	if (test) {
		sites_of_litmus(test, &s->sites);
	} else {
		choose_functions(s, &use, p->module);
		sites_of_module(p->module, &use, &s->sites);
	}
	s->choice = ARENA_ARRAY(&s->out->arena, struct strength, s->sites.list.count + 1);
	s->strongest = ARENA_ARRAY(&s->out->arena, struct strength, s->sites.list.count + 1);
	s->can = ARENA_ARRAY(&s->out->arena, bool, s->sites.list.count + 1);
	choose_nothing(s);
}

static bool is_wrong(struct search *s)
{
	bool broken = false, races = false;

	for (uint32_t k = 0; k < s->nbases; k++) {
		broken |= !s->base[k].unusable && s->base[k].broken;
		races |= !s->base[k].unusable && s->base[k].account.races;
	}
	s->no_races = !broken && races;
	return broken || races;
}

/* The text of a litmus test with ~exists COND instead of its own condition, which is its end. */
static struct source *forbidding(
	const struct repair_request *r, const struct litmus_test *test, struct arena *arena)
{
	struct text t = {0};
	struct source *s;

	text_add(&t, test->source->text, test->cond_off);
	text_printf(&t, "~exists (%s)\n", r->forbid);
	s = source_new(arena, test->source->name, text_str(&t), t.len);
	text_free(&t);
	return s;
}

/* Explores the changed program of SET, which is right where it was run. */
static void explore_set(struct search *s, struct repair_set *set)
{
	struct program_request request = changed_request(s, set->text, strlen(set->text));
	struct program p;

	program_load(&p, &request);
	set->proof = REPAIR_RIGHT;
	for (uint32_t k = 0; k < s->nbases && set->proof != REPAIR_WRONG; k++) {
		enum repair_proof proof;

		if (s->base[k].unusable || !s->base[k].broken || !is_run(s, &s->base[k]))
			continue;
		proof = prove(s, &p, k);
		set->proof = proof == REPAIR_RIGHT ? set->proof : proof;
	}
	program_free(&p);
}

/* Explores the sets that will be shown; those that are still wrong count only if there are no
 * others. */
static void explore_sets(struct search *s)
{
	struct repair *out = s->out;
	uint32_t right = 0;

	for (uint32_t k = 0; k < out->sets.count && k < REPAIR_SHOWN && !s->stop; k++)
		explore_set(s, &out->sets.data[k]);
	for (uint32_t k = 0; k < out->sets.count; k++)
		right += out->sets.data[k].proof != REPAIR_WRONG;
	for (uint32_t k = 0, n = 0; right && n < right; k++)
		if (out->sets.data[k].proof != REPAIR_WRONG)
			out->sets.data[n++] = out->sets.data[k];
	if (right)
		out->sets.count = right;
}

void repair_run(const struct repair_request *r, struct repair *out)
{
	struct search s = {.r = r, .out = out, .source = r->program->source};
	struct litmus_test *test = NULL;
	struct program p = *r->program; /* the same, with the condition that is asked for */

	*out = (struct repair){0};
	if (r->options.machine.deadline > 0)
		s.deadline = r->options.machine.deadline;
	else if (r->options.machine.timeout > 0)
		s.deadline = time_now() + r->options.machine.timeout;
	if (p.kind == PROGRAM_LITMUS)
		test = litmus_parse(p.source, &out->arena, &out->diags);
	if (test && r->forbid) {
		p.source = s.source = forbidding(r, test, &out->arena);
		test = litmus_parse(p.source, &out->arena, &out->diags);
	}
	if (out->diags.errors)
		out->status = PTXI_USAGE;
	if (p.kind == PROGRAM_LITMUS ? !test : !p.module || p.kind == PROGRAM_OBJECT)
		return;
	read_bases(&s, &p);
	is_time_up(&s);
	out->asked = r->slack || is_wrong(&s);
	if (out->asked && !s.stop) {
		find_sites(&s, &p, test);
		for (uint32_t k = 0; k < s.sites.list.count; k++)
			out->sites += !r->slack || !s.sites.list.data[k].gap;
		if (r->slack)
			search_slack(&s);
		else
			search_repairs(&s);
	}
	if (r->runs)
		explore_sets(&s);
	sites_free(&s.sites);
}

void repair_free(struct repair *r)
{
	vec_free(&r->sets);
	diags_free(&r->diags);
	arena_free(&r->arena);
}
