/* Parses the options of a run by name. */
#include "script/lang/options.h"
#include "base/time.h"
#include "explore/search/explore.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct choice {
	const char *word;
	uint8_t value;
};
static const struct choice schedules[] = {{"fair", SCHEDULE_FAIR}, {"lockstep", SCHEDULE_LOCKSTEP},
	{"random", SCHEDULE_RANDOM}, {NULL, 0}};
static const struct choice memories[] = {{"fast", MEMORY_FAST}, {"weak", MEMORY_WEAK}, {NULL, 0}};
static const struct choice checks[] = {{"race", CHECK_RACE}, {"init", CHECK_INIT},
	{"bounds", CHECK_BOUNDS}, {"sync", CHECK_SYNC}, {NULL, 0}};

static const struct {
	const char *name;
	unsigned option;
} names[] = {{"schedule", RUN_SCHEDULE}, {"seed", RUN_SEED}, {"memory", RUN_MEMORY},
	{"max-steps", RUN_MAX_STEPS}, {"timeout", RUN_TIMEOUT}, {"check", RUN_CHECK},
	{"runs", RUN_RUNS}, {"seeds", RUN_SEEDS}, {"max-memory", RUN_MAX_MEMORY},
	{"max-output", RUN_MAX_OUTPUT}, {"rounds", RUN_ROUNDS}};
enum { NAMES = sizeof names / sizeof names[0] };

static const struct choice *choice_find(const struct choice *c, const char *word, size_t len)
{
	for (; c->word; c++)
		if (strlen(c->word) == len && memcmp(c->word, word, len) == 0)
			return c;
	return NULL;
}

static void choices_describe(
	const struct choice *c, const char *value, size_t len, const char *also, struct text *why)
{
	const char *near = NULL;
	unsigned least = 3;

	text_puts(why, "it takes ");
	for (const struct choice *each = c; each->word; each++) {
		unsigned n = text_distance(value, len, each->word, strlen(each->word), 2);

		text_printf(why, "%s%s",
			each == c                      ? ""
				: each[1].word || also ? ", "
						       : " or ",
			each->word);
		if (n < least) {
			least = n;
			near = each->word;
		}
	}
	if (also)
		text_puts(why, also);
	if (near)
		text_printf(why, "; did you mean %s?", near);
}

static bool choice_apply(const struct choice *c, const char *value, uint8_t *out, struct text *why)
{
	const struct choice *found = choice_find(c, value, strlen(value));

	if (!found) {
		choices_describe(c, value, strlen(value), NULL, why);
		return false;
	}
	*out = found->value;
	return true;
}

enum { ALL_CHECKS = CHECK_RACE | CHECK_INIT | CHECK_BOUNDS | CHECK_SYNC };

static bool checks_apply(const char *value, uint8_t *out, struct text *why)
{
	uint8_t set = 0;

	if (strcmp(value, "all") == 0) {
		*out = ALL_CHECKS;
		return true;
	}
	if (strcmp(value, "none") != 0) {
		for (const char *s = value;; s++) {
			size_t n = strcspn(s, ",");
			const struct choice *c = choice_find(checks, s, n);

			if (!c) {
				choices_describe(checks, s, n, ", all or none", why);
				return false;
			}
			set |= c->value;
			s += n;
			if (!*s)
				break;
		}
	}
	*out = set;
	return true;
}

bool option_number(const char *text, uint64_t max, uint64_t *out)
{
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	const char *s = base == 16 ? text + 2 : text;
	uint64_t v = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		unsigned d = *s >= '0' && *s <= '9'            ? (unsigned)(*s - '0')
			: (*s | 32) >= 'a' && (*s | 32) <= 'f' ? (unsigned)((*s | 32) - 'a' + 10)
							       : 99;

		if (d >= (unsigned)base || v > (max - d) / (unsigned)base || d > max)
			return false;
		v = v * (unsigned)base + d;
	}
	*out = v;
	return true;
}

static bool number_apply(const char *value, uint64_t max, uint64_t *out, struct text *why)
{
	if (option_number(value, max, out))
		return true;
	text_printf(why, "it takes a whole number from 0 to %llu", (unsigned long long)max);
	return false;
}

/* 4096, 64K, 300M, 2G */
static bool bytes_apply(const char *value, uint64_t *out, struct text *why)
{
	static const char units[] = "KMGT";
	size_t n = strlen(value);
	const char *unit = n && value[n - 1]
		? strchr(units, value[n - 1] >= 'a' ? value[n - 1] - 'a' + 'A' : value[n - 1])
		: NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	char digits[32];

	if (n < sizeof digits) {
		memcpy(digits, value, n + 1);
		if (unit)
			digits[n - 1] = 0;
		if (option_number(digits, UINT64_MAX >> (shift + 8), out) && *out) {
			*out <<= shift;
			return true;
		}
	}
	text_puts(why, "it takes a number of bytes, such as 4096, 64K, 300M or 2G");
	return false;
}

static bool option_set(struct run_options *o, unsigned option, const char *value, struct text *why)
{
	char *end;
	double t;

	switch (option) {
	case RUN_SCHEDULE: return choice_apply(schedules, value, &o->machine.schedule, why);
	case RUN_MEMORY: return choice_apply(memories, value, &o->machine.memory, why);
	case RUN_CHECK:
		o->insisted = 0;
		if (!checks_apply(value, &o->machine.checks, why))
			return false;
		if (strcmp(value, "all") != 0)
			o->insisted = o->machine.checks;
		return true;
	case RUN_SEED: return number_apply(value, UINT64_MAX, &o->machine.seed, why);
	case RUN_MAX_STEPS: return number_apply(value, UINT64_MAX, &o->machine.max_steps, why);
	case RUN_MAX_MEMORY: return bytes_apply(value, &o->machine.max_memory, why);
	case RUN_MAX_OUTPUT: return bytes_apply(value, &o->machine.max_output, why);
	case RUN_SEEDS: return number_apply(value, UINT32_MAX, &o->seeds, why);
	case RUN_ROUNDS:
		if (option_number(value, EXPLORE_MAX_ROUNDS, &o->rounds) && o->rounds > 0)
			return true;
		text_printf(why, "it takes a whole number from 1 to %d", EXPLORE_MAX_ROUNDS);
		return false;
	case RUN_RUNS:
		if (number_apply(value, UINT32_MAX, &o->runs, why) && o->runs > 0)
			return true;
		text_clear(why);
		text_puts(why, "it takes a whole number from 1 to 4294967295");
		return false;
	default:
		t = strtod(value, &end);
		if (*end || end == value || !isfinite(t) || t < 0) {
			text_puts(why,
				"it takes a number of seconds, such as 0.5 or 10; 0 means no limit");
			return false;
		}
		o->machine.timeout = t;
		return true;
	}
}

enum option_fit option_apply(
	struct run_options *o, const char *name, const char *value, bool override, struct text *why)
{
	struct run_options before = *o;

	for (unsigned k = 0; k < NAMES; k++) {
		if (strcmp(names[k].name, name) != 0)
			continue;
		if (!option_set(o, names[k].option, value, why))
			return OPTION_BAD_VALUE;
		if (override)
			o->given |= names[k].option;
		else if (o->given & names[k].option)
			*o = before;
		if (!override)
			o->set |= names[k].option;
		return OPTION_FITS;
	}
	return OPTION_UNKNOWN;
}

const char *option_checks(unsigned set, struct arena *arena)
{
	const char *list = "";

	if (set == ALL_CHECKS || set == 0)
		return set ? "all" : "none";
	for (const struct choice *c = checks; c->word; c++)
		if (set & c->value)
			list = arena_printf(arena, "%s%s%s", list, *list ? "," : "", c->word);
	return list;
}

double option_time_left(const struct run_options *o)
{
	static const double least = 1e-3; /* 0 would mean no limit */
	double left = o->machine.deadline - time_now();

	return o->machine.deadline <= 0 ? 0 : left > least ? left : least;
}

const char *option_nearest(const char *name)
{
	const char *best = NULL;
	unsigned least = 4;

	for (unsigned k = 0; k < NAMES; k++) {
		unsigned n = text_distance(
			name, strlen(name), names[k].name, strlen(names[k].name), 3);

		if (n < least) {
			least = n;
			best = names[k].name;
		}
	}
	return best;
}
