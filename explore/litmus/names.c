/* Names of a litmus test's threads, instructions and locations for graphs and explanations. */
#include "base/assert.h"
#include "explore/litmus/litmus.h"

struct litmus_names {
	const struct litmus_test *test;
	struct arena *arena;
};

static void name_instruction(
	void *client, uint32_t thread, uint32_t place, struct text *out, uint32_t *line)
{
	const struct litmus_names *n = client;
	const struct litmus_thread *t = &n->test->thread[thread];
	uint32_t column;
	assert(place < t->ninsns); /* every event belongs to an instruction */
	struct span span = t->insn[place].span;
	source_place(n->test->source, span.off, line, &column);
	text_add(out, n->test->source->text + span.off, span.len);
}

static void name_thread(void *client, uint32_t thread, struct text *out)
{
	text_puts(out, ((const struct litmus_names *)client)->test->thread[thread].name);
}

static void name_location(void *client, uint64_t phys, uint32_t size, struct text *out)
{
	(void)size;
	text_puts(out, ((const struct litmus_names *)client)->test->location[phys / 16 - 1].name);
}

void explore_litmus_names(
	const struct litmus_test *test, struct arena *arena, struct explore_names *out)
{
	struct litmus_names *n = ARENA_NEW(arena, struct litmus_names);
	*n = (struct litmus_names){test, arena};
	*out = (struct explore_names){.client = n,
		.instruction = name_instruction,
		.thread = name_thread,
		.location = name_location};
}
