/* The commands that look at a stopped program, or set stops. */
#include "debug/look.h"
#include "debug/names.h"
#include "debug/protocol.h"
#include "debug/show.h"
#include "debug/stops.h"
#include <string.h>

static void fails(struct engine *e, const char *what)
{
	text_printf(&e->out, "%s\n", what);
	e->s->failed = true;
}

/* If LINE begins with the word NAME, the rest after it, else NULL. */
static const char *after(const char *line, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(line, name, n) != 0 || (line[n] && line[n] != ' '))
		return NULL;
	return line + n + strspn(line + n, " ");
}

/* "cta 1 warp 2 lane 3": another thread is in focus. */
static void look_focus(struct engine *e, const char *words)
{
	struct turn t = e->s->focus;
	char word[LINE], number[LINE];
	uint64_t n = 0;

	while (*words) {
		size_t a = strcspn(words, " "), b;

		memcpy(word, words, a);
		word[a] = 0;
		words += a;
		words += strspn(words, " ");
		b = strcspn(words, " ");
		memcpy(number, words, b);
		number[b] = 0;
		words += b;
		words += strspn(words, " ");
		if (strcmp(word, "lane") == 0 && strcmp(number, "all") == 0) {
			t.lane = TURN_ANY_LANE;
			continue;
		}
		if (!option_number(number, INT64_MAX, &n)) {
			fails(e, "it takes a number");
			return;
		}
		if (strcmp(word, "launch") == 0 && n < e->machine->launches.count)
			t = (struct turn){.launch = (uint32_t)n, .lane = TURN_ANY_LANE};
		else if (strcmp(word, "cta") == 0 && t.launch < e->machine->launches.count &&
			n < e->machine->launches.data[t.launch]->nctas)
			t = (struct turn){.launch = t.launch, .cta = n, .lane = TURN_ANY_LANE};
		else if (strcmp(word, "warp") == 0 && t.launch < e->machine->launches.count &&
			n < e->machine->launches.data[t.launch]->nwarps) {
			t.warp = (uint32_t)n;
			t.lane = TURN_ANY_LANE;
		} else if (strcmp(word, "lane") == 0 && n < LANES)
			t.lane = (uint32_t)n;
		else {
			text_printf(&e->out, "there is no %s %llu\n", word, (unsigned long long)n);
			e->s->failed = true;
			return;
		}
	}
	e->s->focus = t;
	e->s->calls = e->s->list_line = 0;
	if (!names_cta(e, &t)) {
		names_turn(e, &t, &e->out);
		text_puts(&e->out,
			e->s->at.ended ? "\n" : ": this CTA has not begun, or has ended\n");
	} else {
		show_stop(e);
	}
}

/* "frame 1", "frame up", "frame down 2": another of the calls that led to the step is in focus. */
static void look_frame(struct engine *e, const char *words)
{
	size_t n = strcspn(words, " ");
	bool up = n == 2 && strncmp(words, "up", n) == 0,
	     down = n == 4 && strncmp(words, "down", n) == 0;
	const char *number = up || down ? words + n + strspn(words + n, " ") : words;
	uint64_t by = up || down ? 1 : e->s->calls;
	uint32_t insn;
	const struct frame *f;

	if (*number && !option_number(number, INT32_MAX, &by)) {
		fails(e, "it takes a number; 'where' lists the calls");
		return;
	}
	if (down)
		by = by < e->s->calls ? e->s->calls - by : 0;
	else if (up)
		by += e->s->calls;
	e->s->calls = 0;
	f = names_focus(e, &insn);
	for (; f && f->caller && e->s->calls < by; f = f->caller)
		e->s->calls++;
	e->s->list_line = 0;
	show_frame(e);
}

static void show_cta_warps(struct engine *e) { show_warps(e, false); }
static void show_all_warps(struct engine *e) { show_warps(e, true); }

static const struct {
	const char *what;
	void (*show)(struct engine *e);
} infos[] = {
	{"barriers", show_barriers},
	{"registers", show_registers},
	{"changed", show_changed},
	{"stops", stops_list},
	{"warps", show_cta_warps},
	{"ctas", show_all_warps},
	{"findings", show_findings},
	/* as gdb calls them */
	{"mbarriers", show_barriers},
	{"breakpoints", stops_list},
	{"watchpoints", stops_list},
	{"threads", show_cta_warps},
};

/* WHAT may be abbreviated; of two that begin so, the first one is meant. */
static void look_info(struct engine *e, const char *what)
{
	for (size_t k = 0; *what && k < sizeof infos / sizeof infos[0]; k++)
		if (strncmp(infos[k].what, what, strlen(what)) == 0) {
			infos[k].show(e);
			return;
		}
	fails(e, "info barriers, registers, changed, stops, warps, ctas or findings");
}

static void look_delete(struct engine *e, const char *words)
{
	uint64_t n = 0;

	if (*words && (!option_number(words, UINT32_MAX, &n) || n == 0))
		fails(e, "it takes the number of a stop, or nothing: all");
	else if (!stops_delete(e->s, (uint32_t)n))
		fails(e, "there is no such stop; 'info stops' lists them");
}

void look(struct engine *e, const char *line)
{
	const char *rest;

	if (!e->machine && strcmp(line, "info findings") != 0)
		fails(e, "the program did not start");
	else if ((rest = after(line, "stop")))
		show_stop(e);
	else if ((rest = after(line, "where")))
		show_where(e);
	else if ((rest = after(line, "warps")))
		show_warps(e, strcmp(rest, "all") == 0);
	else if (after(line, "launch") || after(line, "cta") || after(line, "warp") ||
		after(line, "lane"))
		look_focus(e, line);
	else if ((rest = after(line, "protocol")))
		show_protocol(e, rest);
	else if ((rest = after(line, "frame")))
		look_frame(e, rest);
	else if ((rest = after(line, "views")))
		show_views(e, rest);
	else if ((rest = after(line, "list")))
		show_list(e, rest);
	else if ((rest = after(line, "print")))
		show_print(e, rest, 0);
	else if ((rest = after(line, "print/x")))
		show_print(e, rest, 'x');
	else if ((rest = after(line, "why")))
		show_why(e);
	else if ((rest = after(line, "info")))
		look_info(e, rest);
	else if ((rest = after(line, "break")))
		stops_break(e, rest, false);
	else if ((rest = after(line, "tbreak")))
		stops_break(e, rest, true);
	else if ((rest = after(line, "watch")))
		stops_watch(e, rest, false, true);
	else if ((rest = after(line, "rwatch")))
		stops_watch(e, rest, true, false);
	else if ((rest = after(line, "awatch")))
		stops_watch(e, rest, true, true);
	else if ((rest = after(line, "search")))
		stops_search(e, rest, &e->s->search);
	else if ((rest = after(line, "delete")))
		look_delete(e, rest);
	else
		fails(e, "unknown command");
}
