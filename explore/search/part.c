/* See part.h. The text is numbers and words separated by blanks, one outcome, stuck execution or
 * race in a line. It comes from a file, so every number is checked before it is used. */
#include "explore/search/part.h"
#include "base/memory.h"
#include <inttypes.h>
#include <string.h>

enum { SEEN_BOUND, SEEN_LOST, SEEN_LARGE, SEEN_MEMORY, SEEN_LATE, SEEN_SIGNAL, SEEN_UNSUPPORTED };

static void write_trail(const uint16_t *trail, uint32_t n, struct text *out)
{
	text_printf(out, " %u", n);
	for (uint32_t k = 0; k < n; k++)
		text_printf(out, " %u", trail[k]);
}

static void write_outcomes(const char *name, const struct explore_outcomes *o, struct text *out)
{
	text_printf(out, "%s %u %u\n", name, o->list.count, o->width);
	for (uint32_t k = 0; k < o->list.count; k++) {
		const struct explore_outcome *one = &o->list.data[k];
		text_printf(out, "%" PRIu64, one->count);
		for (uint32_t i = 0; i < o->width; i++)
			text_printf(out, " %" PRIu64, one->value[i]);
		write_trail(one->trail, one->ntrail, out);
		text_puts(out, "\n");
	}
}

void part_write(const struct explore_result *r, struct text *out)
{
	unsigned seen = (unsigned)r->bound_reached << SEEN_BOUND |
		(unsigned)r->lost_spin << SEEN_LOST | (unsigned)r->too_large << SEEN_LARGE |
		(unsigned)r->out_of_memory << SEEN_MEMORY | (unsigned)r->timed_out << SEEN_LATE |
		(unsigned)r->interrupted << SEEN_SIGNAL |
		(unsigned)r->unsupported << SEEN_UNSUPPORTED;
	text_printf(out, "result %u %u %" PRIu64 "\n", r->options.all_orders, seen, r->executions);
	text_printf(out, "cuts %u\n", r->options.ncuts);
	for (uint32_t k = 0; k < r->options.ncuts; k++)
		text_printf(out, "%u %u %u\n", r->options.cut[k].place, r->options.cut[k].size,
			r->options.cut[k].piece);
	text_printf(out, "mixed %u %u %u %u %u\n", r->mixed.some, r->mixed.thread[0],
		r->mixed.thread[1], r->mixed.place[0], r->mixed.place[1]);
	text_printf(
		out, "fault %u %u %s\n", r->fault_thread, r->fault_place, r->fault ? r->fault : "");
	write_outcomes("outcomes", &r->outcomes, out);
	write_outcomes("stuck", &r->stuck, out);
	text_printf(out, "races %u\n", r->nraces);
	for (uint32_t k = 0; k < r->nraces; k++) {
		const struct explore_race *c = &r->race[k];
		text_printf(out, "%u %u %u %u %u %u", c->thread[0], c->thread[1], c->place[0],
			c->place[1], c->write[0], c->write[1]);
		write_trail(c->trail, c->ntrail, out);
		text_printf(out, " %s\n", c->why);
	}
	text_puts(out, "end\n");
}

/* --- reading --- */

struct reader {
	const char *at;
	bool bad;
};

static uint64_t read_number(struct reader *r, uint64_t most)
{
	uint64_t n = 0;
	while (*r->at == ' ' || *r->at == '\n')
		r->at++;
	r->bad |= *r->at < '0' || *r->at > '9';
	for (; !r->bad && *r->at >= '0' && *r->at <= '9'; r->at++) {
		uint64_t digit = (uint64_t)(*r->at - '0');
		r->bad |= n > (UINT64_MAX - digit) / 10;
		n = 10 * n + digit;
	}
	r->bad |= n > most;
	return r->bad ? 0 : n;
}

static void read_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);
	while (*r->at == ' ' || *r->at == '\n')
		r->at++;
	r->bad |= strncmp(r->at, word, n) != 0;
	r->at += r->bad ? 0 : n;
}

/* The rest of the line. */
static const char *read_rest(struct reader *r, struct arena *arena)
{
	const char *from = r->at + (*r->at == ' ');
	const char *end = from + strcspn(from, "\n");
	r->bad |= !*end;
	r->at = end;
	return arena_text(arena, from, (size_t)(end - from));
}

/* A trail in ARENA; it is only as long as the text that is there. */
static const uint16_t *read_trail(struct reader *r, struct arena *arena, uint32_t *n)
{
	VEC(uint16_t) trail = {0};
	uint32_t want = (uint32_t)read_number(r, UINT32_MAX);
	while (trail.count < want && !r->bad)
		*vec_push(&trail) = (uint16_t)read_number(r, UINT16_MAX);
	*n = r->bad ? 0 : trail.count;
	const uint16_t *copy = *n
		? arena_copy(arena, trail.data, trail.count * sizeof *trail.data, 2)
		: NULL;
	vec_free(&trail);
	return copy;
}

static void read_outcomes(
	struct reader *r, const char *name, struct arena *arena, struct explore_outcomes *out)
{
	read_word(r, name);
	uint64_t n = read_number(r, UINT32_MAX);
	r->bad |= read_number(r, UINT32_MAX) != out->width;
	uint64_t *row = memory_zeroed(out->width + 1u, sizeof *row);
	while (n-- && !r->bad) {
		uint32_t ntrail;
		uint64_t count = read_number(r, UINT64_MAX);
		for (uint32_t i = 0; i < out->width; i++)
			row[i] = read_number(r, UINT64_MAX);
		const uint16_t *trail = read_trail(r, arena, &ntrail);
		if (!r->bad)
			outcomes_add(out, row, count, trail, ntrail);
	}
	memory_drop(row);
}

/* Whether the statuses in a row of stuck threads are some. */
static bool stuck_is_valid(const struct explore_result *r)
{
	for (uint32_t k = 0; k < r->stuck.list.count; k++) {
		const uint64_t *row = r->stuck.list.data[k].value;
		if (row[STUCK_KIND] > STUCK_LIVELOCK)
			return false;
		for (uint32_t t = 0; t < r->program->nthreads; t++)
			if (row[STUCK_STATUS(t)] > EXPLORE_SPINS ||
				row[STUCK_PLACE(t)] > UINT32_MAX)
				return false;
	}
	return true;
}

static void read_races(struct reader *in, struct explore_result *r)
{
	VEC(struct explore_race) race = {0};
	uint32_t last = r->program->nthreads - 1;
	read_word(in, "races");
	uint64_t n = read_number(in, UINT32_MAX);
	while (n-- && !in->bad) {
		struct explore_race c = {0};
		for (int i = 0; i < 2; i++)
			c.thread[i] = (uint32_t)read_number(in, last);
		for (int i = 0; i < 2; i++)
			c.place[i] = (uint32_t)read_number(in, UINT32_MAX);
		for (int i = 0; i < 2; i++)
			c.write[i] = read_number(in, 1);
		c.trail = read_trail(in, &r->arena, &c.ntrail);
		c.why = read_rest(in, &r->arena);
		*vec_push(&race) = c;
	}
	r->nraces = race.count;
	r->race = race.count ? arena_copy(&r->arena, race.data, race.count * sizeof *race.data,
				       _Alignof(struct explore_race))
			     : NULL;
	vec_free(&race);
}

static void read_cuts(struct reader *in, struct explore_result *r)
{
	VEC(struct explore_cut) cut = {0};
	read_word(in, "cuts");
	uint64_t n = read_number(in, UINT32_MAX);
	while (n-- && !in->bad) {
		struct explore_cut c = {.place = (uint32_t)read_number(in, UINT32_MAX)};
		c.size = (uint8_t)read_number(in, 16);
		c.piece = (uint8_t)read_number(in, c.size);
		in->bad |= !c.piece || c.size % c.piece;
		*vec_push(&cut) = c;
	}
	r->options.ncuts = cut.count;
	r->options.cut = cut.count ? arena_copy(&r->arena, cut.data, cut.count * sizeof *cut.data,
					     _Alignof(struct explore_cut))
				   : NULL;
	vec_free(&cut);
}

bool part_read(const char *text, struct explore_result *r)
{
	struct reader in = {.at = text};
	uint32_t last = r->program->nthreads - 1;
	read_word(&in, "result");
	r->options.all_orders = read_number(&in, 1);
	unsigned seen = (unsigned)read_number(&in, (1u << (SEEN_UNSUPPORTED + 1)) - 1);
	r->bound_reached = seen >> SEEN_BOUND & 1;
	r->lost_spin = seen >> SEEN_LOST & 1;
	r->too_large = seen >> SEEN_LARGE & 1;
	r->out_of_memory = seen >> SEEN_MEMORY & 1;
	r->timed_out = seen >> SEEN_LATE & 1;
	r->interrupted = seen >> SEEN_SIGNAL & 1;
	r->unsupported = seen >> SEEN_UNSUPPORTED & 1;
	r->executions = read_number(&in, UINT64_MAX);
	read_cuts(&in, r);
	read_word(&in, "mixed");
	r->mixed.some = read_number(&in, 1);
	for (int i = 0; i < 2; i++)
		r->mixed.thread[i] = (uint32_t)read_number(&in, last);
	for (int i = 0; i < 2; i++)
		r->mixed.place[i] = (uint32_t)read_number(&in, UINT32_MAX);
	read_word(&in, "fault");
	r->fault_thread = (uint32_t)read_number(&in, last);
	r->fault_place = (uint32_t)read_number(&in, UINT32_MAX);
	r->fault = read_rest(&in, &r->arena);
	r->fault = *r->fault ? r->fault : NULL;
	read_outcomes(&in, "outcomes", &r->arena, &r->outcomes);
	read_outcomes(&in, "stuck", &r->arena, &r->stuck);
	read_races(&in, r);
	read_word(&in, "end");
	return !in.bad && stuck_is_valid(r);
}

void part_add_fault(struct explore_result *r, const char *fault, uint32_t thread, uint32_t place,
	bool unsupported)
{
	if (!fault ||
		(r->fault &&
			(place > r->fault_place ||
				(place == r->fault_place && thread >= r->fault_thread))))
		return;
	r->fault = fault;
	r->fault_thread = thread;
	r->fault_place = place;
	r->unsupported = unsupported;
}

void part_add(struct explore_result *to, const struct explore_result *from)
{
	to->executions += from->executions;
	to->bound_reached |= from->bound_reached;
	to->lost_spin |= from->lost_spin;
	to->too_large |= from->too_large;
	to->out_of_memory |= from->out_of_memory;
	to->timed_out |= from->timed_out;
	to->interrupted |= from->interrupted;
	explore_mixed_merge(&to->mixed, &from->mixed);
	part_add_fault(to,
		from->fault ? arena_text(&to->arena, from->fault, strlen(from->fault)) : NULL,
		from->fault_thread, from->fault_place, from->unsupported);
	outcomes_merge(&to->outcomes, &from->outcomes);
	outcomes_merge(&to->stuck, &from->stuck);
}
