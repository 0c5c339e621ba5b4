/* The front: reads commands, and sends the runner, or a copy of a checkpoint, to the step where
 * they lead. */
#include "debug/debug.h"
#include "debug/engine.h"
#include "debug/front.h"
#include "debug/processes.h"
#include "debug/stops.h"
#include "script/lang/program.h"
#include <ptxi/status.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_TIMES = 100000, LEFT = 34 /* columns of help */ };

static struct session *interrupted_session;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted_session->interrupted = 1;
}

static void flush(struct front *f)
{
	if (f->out.len)
		session_out(f->s, text_str(&f->out), f->out.len);
	text_clear(&f->out);
}

static void says(struct front *f, const char *what)
{
	text_printf(&f->out, "%s\n", what);
	flush(f);
}

static void rejects(struct front *f, const char *what)
{
	f->s->failed = true;
	says(f, what);
}

/* --- orders --- */

static bool lost(struct front *f, bool ok)
{
	if (!ok) {
		f->lost = f->quit = true;
		says(f, "the process that ran the program is gone (out of memory?)");
	}
	return ok;
}

/* A command of look.c. */
static bool look_at(struct front *f, const char *line)
{
	f->s->order = (struct order){.kind = ORDER_LOOK};
	strncpy(f->s->order.line, line, LINE - 1);
	return lost(f, processes_ask(f->s)) && !f->s->failed;
}

static bool run_on(struct front *f, struct order o)
{
	o.kind = ORDER_RUN;
	f->s->calls = 0;
	if (!o.mute)
		f->order = o;
	f->s->order = o;
	return lost(f, processes_ask(f->s));
}

static bool run_from(struct front *f, uint32_t slot, struct order o, bool keep)
{
	o.kind = ORDER_RUN;
	f->s->order = o;
	return lost(f, processes_wake(f->s, slot, keep));
}

/* Goes to STEP without a word. AGAIN: the runner is not where the trail leads. */
static bool seek(struct front *f, uint64_t step, bool again)
{
	struct session *s = f->s;
	uint32_t nearest = processes_nearest(s, step);
	struct order o = {.until = step, .mute = true};

	if (!again && s->at.step == step)
		return true;
	if (!again && s->at.step < step && s->slot[nearest].step <= s->at.step)
		return run_on(f, o);
	return run_from(f, nearest, o, false);
}

/* --- stops --- */

static void remove_once(struct session *s, uint32_t number)
{
	for (uint32_t k = 0; k < s->nstops; k++)
		if (s->stop[k].number == number && s->stop[k].once) {
			stops_delete(s, number);
			return;
		}
}

/* Says what happened, and where the program is now. */
static void show_hit(struct front *f, const struct hit *h)
{
	if (!h->any)
		return;
	f->s->told = *h;
	if (h->text[0])
		text_printf(&f->out, "stop %u: step %llu: %s\n", h->stop,
			(unsigned long long)h->step, h->text);
	else
		text_printf(&f->out, "stop %u\n", h->stop);
	flush(f);
	remove_once(f->s, h->stop);
}

static void focus_on(struct session *s, const struct turn *t)
{
	if (t->launch != s->focus.launch || t->cta != s->focus.cta || t->warp != s->focus.warp)
		s->focus = *t;
	if (s->focus.lane >= LANES)
		s->focus.lane = TURN_ANY_LANE;
}

static struct turn without_lane(struct turn t)
{
	t.lane = TURN_ANY_LANE;
	return t;
}

static void show_place(struct front *f)
{
	if (!f->terse)
		look_at(f, "stop");
}

/* After a command that ran forwards. */
static void show_stopped(struct front *f)
{
	struct session *s = f->s;
	struct turn t = s->at.here;

	s->list_line = s->calls = 0;
	if (s->at.reason == REASON_INTERRUPTED && f->resumable)
		return;
	switch (s->at.reason) {
	case REASON_HIT:
		if (s->hit.text[0])
			t = without_lane(s->hit.who);
		focus_on(s, &t);
		show_hit(f, &s->hit);
		break;
	case REASON_INTERRUPTED:
		says(f, "interrupted");
		focus_on(s, &t);
		break;
	case REASON_GONE: says(f, "the warp in focus has exited"); break;
	case REASON_END:
		show_hit(f, &s->hit);
		look_at(f, "stop");
		look_at(f, "info findings");
		return;
	case REASON_STEP:
	case REASON_REFUSED:
	default: break;
	}
	show_place(f);
}

/* --- forwards --- */

static void drop_after(struct session *s, uint64_t step)
{
	for (uint32_t k = 1; k < SLOTS; k++)
		if (s->slot[k].state == SLOT_CHECKPOINT && s->slot[k].step >= step)
			processes_drop(s, k);
}

static bool in_focus(const struct session *s)
{
	const struct turn *t = &s->focus, *h = &s->at.here;

	return t->launch == h->launch && t->cta == h->cta && t->warp == h->warp &&
		(t->lane >= LANES || s->at.mask >> t->lane & 1);
}

/* Gives the turn to the warp in focus, if the schedule would not. False: it cannot run. */
static bool turn_to_focus(struct front *f)
{
	struct session *s = f->s;
	uint64_t step = s->at.step;
	uint32_t n = s->ntrail;

	if (in_focus(s))
		return true;
	if (!s->at.leaves) {
		rejects(f,
			"ptxi is checking whether the program hangs, and runs each warp alone; 'continue' goes on");
		return false;
	}
	while (n && s->trail[n - 1].step >= step)
		n--;
	bool again = n < s->ntrail && s->trail[n].step == step;

	s->ntrail = n;
	drop_after(s, step);
	if (again && !seek(f, step, true))
		return false;
	if (s->ntrail == TRAIL_MAX) {
		rejects(f, "the trail is too long");
		return false;
	}
	s->trail[s->ntrail++] = (struct trail_entry){.step = step, .turn = s->focus};
	return true;
}

/* The turn was refused: everything is as before. */
static void show_refused(struct front *f)
{
	struct session *s = f->s;
	struct text t = {0};
	uint64_t step = s->at.step;

	trail_turn(&s->trail[s->ntrail - 1].turn, &t);
	text_printf(&t, " cannot run: it %s", s->refused);
	if (strcmp(s->refused, "waits") == 0)
		text_puts(&t, " ('why' says for what; 'next' lets the others run)");
	while (s->ntrail && s->trail[s->ntrail - 1].step >= step)
		s->ntrail--;
	drop_after(s, step);
	seek(f, step, true);
	rejects(f, text_str(&t));
	text_free(&t);
}

static bool at_end(struct front *f)
{
	if (f->s->at.ended)
		rejects(f, "the run has ended; 'run' begins again, and reverse commands go back");
	return f->s->at.ended;
}

/* step, next, finish: N times O, which the warp in focus begins. */
static void go(struct front *f, struct order o, uint64_t n, bool waits)
{
	struct session *s = f->s;

	for (uint64_t k = 0; k < n; k++) {
		if (at_end(f) || !turn_to_focus(f))
			return;
		o.until = o.goal == GOAL_NONE ? s->at.step + 1 : UINT64_MAX;
		o.depth = s->at.depth;
		if (!run_on(f, o))
			return;
		if (s->at.reason == REASON_REFUSED && waits) {
			/* next: the others run until it can */
			s->ntrail--;
			if (!seek(f, s->at.step, true) || !run_on(f, o))
				return;
		}
		if (s->at.reason == REASON_REFUSED) {
			show_refused(f);
			return;
		}
		if (s->at.reason != REASON_STEP || s->interrupted)
			break;
	}
	show_stopped(f);
}

/* Whether WORDS begin with "line", which is skipped: then what is executed is a line. */
static bool by_line(const char **words)
{
	if (strncmp(*words, "line", 4) != 0 || ((*words)[4] && (*words)[4] != ' '))
		return false;
	*words += 4 + ((*words)[4] == ' ');
	return true;
}

static bool times(struct front *f, const char *words, uint64_t *n)
{
	*n = 1;
	if (!*words || (option_number(words, MOST_TIMES, n) && *n > 0))
		return true;
	rejects(f, "it takes how many times, from 1 to 100000");
	return false;
}

static void do_step(struct front *f, const char *words)
{
	bool line = by_line(&words);
	uint64_t n;

	if (times(f, words, &n))
		go(f, (struct order){.stops = true, .goal = line ? GOAL_LINE : GOAL_NONE}, n, line);
}

static void do_next(struct front *f, const char *words)
{
	bool line = by_line(&words);
	uint64_t n;

	if (times(f, words, &n))
		go(f, (struct order){.stops = true, .goal = line ? GOAL_NEXT_LINE : GOAL_NEXT}, n,
			true);
}

static void do_finish(struct front *f, const char *words)
{
	(void)words;
	go(f, (struct order){.stops = true, .goal = GOAL_OUT}, 1, true);
}

static void do_continue(struct front *f, const char *words)
{
	uint64_t n;

	if (!times(f, words, &n))
		return;
	for (; n && !at_end(f); n--) {
		if (!run_on(f, (struct order){.until = UINT64_MAX, .stops = true}))
			return;
		show_stopped(f);
		if (f->s->at.reason != REASON_HIT)
			return;
	}
}

static void do_run(struct front *f, const char *words)
{
	(void)words;
	if (run_from(
		    f, 0, (struct order){.until = UINT64_MAX, .stops = true, .fresh = true}, false))
		show_stopped(f);
}

static void do_until(struct front *f, const char *words)
{
	struct text t = {0};

	text_printf(&t, "tbreak %s", words);
	if (!at_end(f) && look_at(f, text_str(&t))) {
		uint32_t number = f->s->numbers;

		do_continue(f, "");
		stops_delete(f->s, number); /* it was for this once */
	}
	text_free(&t);
}

/* --- backwards --- */

/* The last step before the present one for which an order like O would have stopped, in
 * s->found. Leaves the runner anywhere. KEEP: the runner stays, and its place is restored. */
static bool search_back(struct front *f, struct order o, bool keep)
{
	struct session *s = f->s;
	struct position at = s->at;
	uint32_t runner = s->runner;
	uint64_t end = at.step;
	bool ok = true;

	o.last = o.mute = true;
	s->found.any = false;
	while (end > 0 && ok && !s->found.any && !s->interrupted) {
		uint32_t slot = processes_nearest(s, end - 1);

		o.until = end;
		end = s->slot[slot].step;
		ok = run_from(f, slot, o, keep && s->runner == runner);
	}
	if (keep && ok) {
		if (s->runner != runner)
			processes_drop(s, s->runner);
		s->runner = runner;
		s->at = at;
	}
	return ok;
}

/* Whether two steps of the focus are in one line. */
static bool same_line(const struct line_step *a, const struct line_step *b)
{
	return a->at.file == b->at.file && a->at.line == b->at.line && a->at.depth == b->at.depth;
}

/* The same for the beginning of a line. Where a checkpoint lies inside a line, only what runs up to
 * it tells whether the line begins there. */
static bool search_line(struct front *f, struct order o)
{
	struct session *s = f->s;
	struct line_step begins = {0}; /* of a line, as far as is known */
	uint64_t end = s->at.step;
	bool ok = true;

	o.last = o.mute = true;
	s->found.any = false;
	while (end > 0 && ok && !s->found.any && !s->interrupted) {
		uint32_t slot = processes_nearest(s, end - 1);

		o.until = end;
		end = s->slot[slot].step;
		ok = run_from(f, slot, o, false);
		if (begins.any && s->first.any && !same_line(&s->last, &begins))
			break;
		if (s->found.any)
			return ok;
		if (s->first.any)
			begins = s->first;
	}
	if (begins.any)
		s->found = (struct hit){.any = true, .step = begins.step};
	return ok;
}

static void go_back(struct front *f, struct order o, const char *none)
{
	struct session *s = f->s;
	uint64_t step = s->at.step;
	bool line = o.goal == GOAL_LINE || o.goal == GOAL_NEXT_LINE;

	if (line ? !search_line(f, o) : !search_back(f, o, false))
		return;
	struct hit h = s->found;

	if (s->interrupted) {
		seek(f, step, true);
		says(f, "interrupted");
		return;
	}
	if (!seek(f, h.any ? h.step : o.goal == GOAL_NONE ? 0 : step, true))
		return;
	s->list_line = s->calls = 0;
	if (!h.any)
		says(f, none);
	if (h.any && o.goal == GOAL_NONE) {
		s->at.reason = REASON_HIT;
		show_hit(f, &h);
	}
	if (o.goal == GOAL_NONE)
		focus_on(s, &s->at.here);
	show_place(f);
}

static void do_reverse_step(struct front *f, const char *words)
{
	bool line = by_line(&words);
	uint64_t n;

	if (times(f, words, &n))
		for (; n && !f->quit; n--)
			go_back(f, (struct order){.goal = line ? GOAL_LINE : GOAL_WARP},
				"the warp in focus has executed nothing before this");
}

static void do_reverse_next(struct front *f, const char *words)
{
	bool line = by_line(&words);
	uint64_t n;

	if (times(f, words, &n))
		for (; n && !f->quit; n--)
			go_back(f,
				(struct order){.goal = line ? GOAL_NEXT_LINE : GOAL_NEXT,
					.depth = f->s->at.depth},
				"the warp in focus has executed nothing before this in its function");
}

static void do_reverse_continue(struct front *f, const char *words)
{
	(void)words;
	go_back(f, (struct order){.stops = true}, "the beginning of the run");
}

static void go_to(struct front *f, uint64_t step)
{
	if (!seek(f, step, false))
		return;
	f->s->list_line = f->s->calls = 0;
	if (f->s->interrupted)
		says(f, "interrupted");
	if (!f->s->at.ended)
		focus_on(f->s, &f->s->at.here);
	show_place(f);
}

static void do_back(struct front *f, const char *words)
{
	uint64_t n, step = f->s->at.step;

	if (times(f, words, &n))
		go_to(f, n < step ? step - n : 0);
}

static void do_goto(struct front *f, const char *words)
{
	uint64_t n;

	if (!option_number(words, INT64_MAX, &n))
		rejects(f, "it takes the number of a step");
	else
		go_to(f, n);
}

static void do_who(struct front *f, const char *words)
{
	struct session *s = f->s;
	struct text t = {0};

	if (strncmp(words, "wrote ", 6) == 0)
		words += 6;
	text_printf(&t, "search %s", words);
	if (look_at(f, text_str(&t)) &&
		search_back(f, (struct order){.search = &s->search}, true)) {
		if (s->found.any) {
			text_printf(&f->out, "step %llu: CTA %llu, warp %u, ",
				(unsigned long long)s->found.step,
				(unsigned long long)s->found.who.cta, s->found.who.warp);
			if (s->found.insn != IR_NONE) {
				const struct ir_module *m = s->request->module;

				text_printf(&f->out, "%s, ",
					source_line_text(m->source, m->insn[s->found.insn].span.off,
						(struct span){0, 0})
						.text);
			}
			text_printf(&f->out, "%s\n", s->found.text);
			flush(f);
		} else {
			says(f,
				s->interrupted ? "interrupted"
					       : "no kernel has written it before this step");
		}
	}
	text_free(&t);
}

/* --- the trail --- */

static struct trail trail_of(const struct session *s)
{
	return (struct trail){.program = trail_program(s->request->module),
		.name = s->request->in->name,
		.n = s->ntrail,
		.entry = (struct trail_entry *)(uintptr_t)s->trail};
}

static void save(struct front *f, const char *path)
{
	struct session *s = f->s;
	struct trail t = trail_of(s);
	struct text text = {0};
	struct run_options o;
	const struct host_request h = {.in = s->request->in, .options = s->request->options};
	struct diags d = {0};

	host_options(&h, &o);
	trail_print(&t, &o, &text);
	if (!*path) {
		session_out(s, text_str(&text), text.len);
	} else if (file_write(path, text_str(&text), text.len, &d)) {
		text_printf(&f->out, "%u turn%s saved in %s\n", t.n, t.n == 1 ? "" : "s", path);
		flush(f);
	} else {
		rejects(f, d.first->message);
	}
	diags_free(&d);
	text_free(&text);
}

static void do_trail(struct front *f, const char *words)
{
	struct session *s = f->s;

	if (!*words) {
		save(f, "");
	} else if (strncmp(words, "save ", 5) == 0) {
		save(f, words + 5 + strspn(words + 5, " "));
	} else if (strcmp(words, "clear") == 0) {
		s->ntrail = 0;
		drop_after(s, 0);
		seek(f, s->at.step, true);
		if (!s->at.ended)
			focus_on(s, &s->at.here);
		look_at(f, "stop");
	} else {
		rejects(f, "trail, trail save FILE or trail clear");
	}
}

/* --- commands --- */

static void do_quit(struct front *f, const char *words)
{
	(void)words;
	f->quit = true;
}

static void do_help(struct front *f, const char *words);

/* Commands without a function go to look.c under their name. */
static const struct command {
	const char *name, *short_name, *arguments;
	void (*run)(struct front *f, const char *words);
	const char *help;
} commands[] = {
	{"run", "r", "", do_run, "begin again, and run to the next stop"},
	{"continue", "c", "[N]", do_continue, "run to the next stop, N times"},
	{"step", "s", "[line] [N]", do_step,
		"the warp in focus executes one instruction, or one line of the source"},
	{"stepi", "si", "[N]", do_step, NULL},
	{"next", "n", "[line] [N]", do_next,
		"the same, but calls whole functions, and lets other warps run while it waits"},
	{"nexti", "ni", "[N]", do_next, NULL},
	{"finish", "fin", "", do_finish, "run until the function returns"},
	{"until", "u", "PLACE", do_until, "run to a line, a label, barrier, mbarrier or finding"},
	{"advance", "adv", "PLACE", do_until, NULL},
	{"reverse-step", "rs", "[line] [N]", do_reverse_step,
		"back to the last instruction, or line, of the warp in focus"},
	{"reverse-stepi", "rsi", "[N]", do_reverse_step, NULL},
	{"reverse-next", "rn", "[line] [N]", do_reverse_next, "the same, but over whole calls"},
	{"reverse-nexti", "rni", "[N]", do_reverse_next, NULL},
	{"reverse-continue", "rc", "", do_reverse_continue, "back to the last stop"},
	{"back", NULL, "[N]", do_back, "back by N steps, of whatever warp"},
	{"goto", NULL, "STEP", do_goto, "to a step by its number, forwards or backwards"},
	{"break", "b", "PLACE [cta N] [warp N] [lane N]", NULL,
		"stop at a line (23, reduce.cu:12), a label, a kernel; after barrier [N], mbarrier [NAME], finding"},
	{"tbreak", "tb", "PLACE", NULL, "the same, once"},
	{"watch", NULL, "out[3]", NULL, "stop after a write"},
	{"rwatch", NULL, "out[3]", NULL, "stop after a read"},
	{"awatch", NULL, "out[3]", NULL, "stop after either"},
	{"delete", "d", "[N]", NULL, "remove a stop, or all"},
	{"who", NULL, "wrote out[3]", do_who, "the last write before this step"},
	{"where", "bt", "", NULL, "where the warp in focus is"},
	{"backtrace", NULL, "", NULL, NULL},
	{"frame", "f", "N|up|down", NULL, "another of the calls is in focus, with its registers"},
	{"warps", NULL, "[all]", NULL, "where all warps are"},
	{"cta", NULL, "N", NULL, "look at another CTA, warp or lane; a step is one of its"},
	{"warp", "thread", "N", NULL, NULL},
	{"lane", NULL, "N|all", NULL, NULL},
	{"launch", NULL, "N", NULL, NULL},
	{"print", "p", "%r1|out[0..7]", NULL,
		"registers, buffers, variables; print/x: in hexadecimal"},
	{"print/x", "p/x", "%r1|out[0..7]", NULL, NULL},
	{"views", NULL, "out[3]", NULL,
		"--memory=weak: the values that each thread may still read"},
	{"list", "l", "[LINE]", NULL, "lines of the PTX"},
	{"info", "i", "barriers|registers|changed|...", NULL,
		"barriers, registers, those that changed, stops, warps, ctas, findings"},
	{"why", NULL, "", NULL, "what the CTA in focus waits for"},
	{"trail", NULL, "[save FILE|clear]", do_trail,
		"the schedule made by hand; 'ptxi run --trail=FILE' repeats it"},
	{"protocol", NULL, "WHAT", NULL, "lines for programs"},
	{"help", "h", "", do_help, "this list"},
	{"quit", "q", "", do_quit, "end"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void do_help(struct front *f, const char *words)
{
	(void)words;
	for (unsigned k = 0; k < COMMANDS; k++) {
		const struct command *c = &commands[k];
		struct text left = {0};

		text_printf(&left, "%s%s%s %s", c->name, c->short_name ? ", " : "",
			c->short_name ? c->short_name : "", c->arguments);
		if (left.len >= LEFT)
			text_printf(&f->out, "%s\n%*s", text_str(&left), LEFT, "");
		else
			text_printf(&f->out, "%-*s", LEFT, text_str(&left));
		text_printf(&f->out, "%s\n", c->help ? c->help : "as above");
		text_free(&left);
	}
	flush(f);
}

/* The command that WORD of N bytes names, or begins; NULL: none, or several. */
static const struct command *find(const char *word, size_t n)
{
	const struct command *found = NULL;

	for (unsigned k = 0; k < COMMANDS; k++) {
		const struct command *c = &commands[k];

		if ((strlen(c->name) == n && memcmp(c->name, word, n) == 0) ||
			(c->short_name && strlen(c->short_name) == n &&
				memcmp(c->short_name, word, n) == 0))
			return c;
	}
	for (unsigned k = 0; k < COMMANDS; k++)
		if (strncmp(commands[k].name, word, n) == 0) {
			if (found)
				return NULL;
			found = &commands[k];
		}
	return found;
}

static const char *nearest(const char *word, size_t n)
{
	const char *best = NULL;
	unsigned least = 3;

	for (unsigned k = 0; k < COMMANDS; k++) {
		unsigned d = text_distance(
			commands[k].name, strlen(commands[k].name), word, n, least);

		if (d < least) {
			least = d;
			best = commands[k].name;
		}
	}
	return best;
}

static void execute(struct front *f, const char *line)
{
	size_t n = strcspn(line, " ");
	const struct command *c = find(line, n);
	const char *words = line + n + strspn(line + n, " ");
	struct text t = {0};

	f->s->failed = f->s->told.any = false;
	f->s->interrupted = 0;
	if (!c) {
		const char *near = nearest(line, n);

		if (near)
			text_printf(&t, "unknown command '%.*s'; did you mean '%s'?",
				(int)(n < 40 ? n : 40), line, near);
		else
			text_printf(&t, "unknown command '%.*s'; 'help' lists the commands",
				(int)(n < 40 ? n : 40), line);
		rejects(f, text_str(&t));
	} else if (c->run) {
		c->run(f, words);
	} else {
		text_printf(&t, "%s%s%s", strcmp(c->name, "backtrace") == 0 ? "where" : c->name,
			*words ? " " : "", words);
		look_at(f, text_str(&t));
	}
	text_free(&t);
	f->rejected = f->rejected || f->s->failed;
}

/* A line as it is carried out: one space between words, no comment. False: nothing is left. */
static bool clean(const char *line, char out[LINE])
{
	size_t n = 0;

	for (; *line && *line != '#' && *line != '\n' && n + 1 < LINE; line++) {
		unsigned char c = (unsigned char)*line;

		if (c <= ' ' || c == 127) {
			if (n && out[n - 1] != ' ')
				out[n++] = ' ';
		} else {
			out[n++] = *line;
		}
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = 0;
	return n > 0;
}

bool front_begin(struct front *f, const struct debug_request *r)
{
	struct session *s = mmap(
		NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct sigaction a = {.sa_handler = on_interrupt};

	if (s == MAP_FAILED)
		memory_out();
	*f = (struct front){.s = s};
	s->request = r;
	s->input = -1;
	if (r->trail) {
		s->ntrail = r->trail->n;
		memcpy(s->trail, r->trail->entry, r->trail->n * sizeof *s->trail);
	}
	interrupted_session = s;
	sigemptyset(&a.sa_mask);
	sigaction(SIGINT, &a, &f->old);
	signal(SIGPIPE, SIG_IGN);
	if (!lost(f, processes_begin(s, engine_main)) ||
		!run_from(f, 0, (struct order){.until = 0}, false))
		return false;
	s->focus = s->at.here;
	return true;
}

int front_end(struct front *f)
{
	processes_end(f->s);
	sigaction(SIGINT, &f->old, NULL);
	munmap(f->s, sizeof *f->s);
	text_free(&f->out);
	return f->lost ? PTXI_BUG : f->rejected ? PTXI_USAGE : PTXI_OK;
}

void front_execute(struct front *f, const char *line)
{
	char words[LINE];

	f->s->failed = false;
	if (clean(line, words))
		execute(f, words);
}

void front_resume(struct front *f)
{
	struct order o = f->order;

	f->s->failed = f->s->told.any = false;
	f->s->interrupted = 0;
	o.resumes = true;
	if (run_on(f, o))
		show_stopped(f);
}

bool front_runs(const char *line, bool *resumable)
{
	char words[LINE];
	const struct command *c = clean(line, words) ? find(words, strcspn(words, " ")) : NULL;

	*resumable = c &&
		(c->run == do_continue || c->run == do_step || c->run == do_next ||
			c->run == do_finish);
	return c && c->run && c->run != do_who && c->run != do_trail && c->run != do_help &&
		c->run != do_quit;
}

static void converse(struct front *f)
{
	const struct debug_request *r = f->s->request;
	const char *line;
	char words[LINE];
	bool show;

	if (f->s->at.ended)
		look_at(f, "info findings");
	look_at(f, "stop");
	f->s->failed = false;
	while (!f->quit && (line = r->command(r->self, &show))) {
		if (show) {
			clean(line, words);
			text_printf(&f->out, "(ptxi) %s\n", words);
			flush(f);
		}
		front_execute(f, line);
	}
}

int debug_session(const struct debug_request *r)
{
	struct front f;

	if (front_begin(&f, r))
		converse(&f);
	return front_end(&f);
}
