/* A machine that is used for long: addresses, launches and what the checkers know of them are used
 * again, so that its memory does not grow. */
#include "backend/interp.h"
#include "interp/memory/memory.h"
#include "interp/memory/name.h"
#include "interp/state/state.h"
#include "tests/unit/world.h"
#include <malloc.h>

static void lies(const struct memory *m, uint64_t address, const char *part)
{
	struct text t = {0};

	name_memory(m, address, 4, &t);
	cr_assert_not_null(strstr(text_str(&t), part), "'%s' has no '%s'", text_str(&t), part);
	text_free(&t);
}

Test(slots, a_freed_allocation_is_remembered)
{
	struct memory m;
	struct memory_block *a, *b;
	uint32_t value = 1;

	memory_begin(&m, true);
	a = memory_add(&m, MEMORY_BUFFER, 100, "a", true);
	memory_remove(&m, a, "main at a.cu:7");
	cr_assert_eq(m.total, 0);
	cr_assert_eq(memory_find(&m, a->base), a);
	cr_assert_not(memory_inside(a, a->base, 1));
	cr_assert_not(memory_copy_in(&m, a->base, &value, 4));
	lies(&m, a->base + 4, "buffer `a+4`, which was freed by main at a.cu:7");
	lies(&m, a->base + 100, "just past buffer `a`");
	b = memory_add(&m, MEMORY_BUFFER, 8, "b", true);
	cr_assert_neq(b->base, a->base); /* the address of `a` is not used again at once */
	memory_remove(&m, b, "");
	lies(&m, b->base, "buffer `b`, which was freed");
	memory_end(&m);
}

Test(slots, addresses_are_used_again)
{
	enum { ROUNDS = 3 * MEMORY_SLOTS };
	struct memory m;
	struct memory_block *kept, *b = NULL;
	uint64_t first = 0, second = 0;
	uint32_t back = 0;

	memory_begin(&m, false);
	kept = memory_add(&m, MEMORY_BUFFER, 16, "kept", true);
	for (uint32_t k = 0; k < ROUNDS; k++) {
		/* two slots now and then, which overlap those of blocks freed earlier */
		b = memory_add(
			&m, MEMORY_BUFFER, k % 1000 == 1 ? UINT64_C(1) << 32 : k % 5, "b", true);
		cr_assert_not_null(b, "allocation %u", k);
		cr_assert_neq(b, kept);
		cr_assert_eq(memory_find(&m, b->base), b);
		cr_assert_null(b->freed);
		first = first ? first : b->base;
		second += b->base == first;
		back = k;
		memory_remove(&m, b, "");
	}
	cr_assert_gt(second, 1);
	cr_assert_eq(back, ROUNDS - 1);
	cr_assert_leq(m.nblocks, MEMORY_SLOTS);
	cr_assert_eq(memory_find(&m, kept->base), kept);
	cr_assert_str_eq(kept->name, "kept");
	memory_end(&m);
}

/* All slots have owners: the next allocation fails, and succeeds after one was freed. */
Test(slots, no_slot_is_left)
{
	struct memory m;
	struct memory_block *b, *some = NULL;
	uint32_t n = 0;

	memory_begin(&m, false);
	while ((b = memory_add(&m, MEMORY_BUFFER, 1, "b", true))) {
		n++;
		some = n == 100 ? b : some;
	}
	cr_assert_eq(n, MEMORY_END_SLOT - MEMORY_FIRST_SLOT);
	memory_remove(&m, some, "");
	cr_assert_null(memory_add(&m, MEMORY_BUFFER, UINT64_C(1) << 32, "two slots", true));
	cr_assert_not_null(memory_add(&m, MEMORY_BUFFER, 1, "b", true));
	cr_assert_null(memory_add(&m, MEMORY_BUFFER, 1, "b", true));
	memory_end(&m);
}

#define ADDER \
	KERNEL(adder, \
		"ld.global.u32 %r5, [%rd3]; add.u32 %r5, %r5, 1; st.global.u32 [%rd3], %r5; ret;")
/* Threads synchronise through memory, which the race checker remembers by location. */
#define COUNTER \
	KERNEL(counter, \
		"atom.add.acq_rel.gpu.global.u32 %r5, [%rd1], 1; st.global.u32 [%rd1+1024], %r5; ret;")

static struct machine_options all_checks(uint8_t memory)
{
	return (struct machine_options){.jobs = 1,
		.memory = memory,
		.checks = CHECK_RACE | CHECK_INIT | CHECK_BOUNDS | CHECK_SYNC};
}

/* A machine with its checkers in place of the world's. */
static struct backend opened(struct world *w, const struct machine_options *options)
{
	struct backend b;

	machine_free(w->machine);
	cr_assert(backend_open_interp(
		&(struct backend_request){
			.module = w->module, .options = options, .findings = &w->diags},
		&b));
	w->machine = b.self;
	w->out = machine_alloc(w->machine, sizeof w->word, "out", true);
	return b;
}

static void closed(struct world *w, struct backend *b)
{
	w->machine = NULL;
	b->close(b->self);
	done(w);
}

static size_t bytes_in_use(void)
{
	struct mallinfo2 now = mallinfo2();

	return now.uordblks + now.hblkhd;
}

Test(slots, memory_does_not_grow_with_launches)
{
	enum { HALF = 70000, ALL = 2 * HALF, MOST = 64 << 10 };
	struct machine_options options = all_checks(MEMORY_FAST);
	struct world *w = load(HEAD ADDER COUNTER, NULL);
	struct backend b = opened(w, &options);
	uint64_t p[4];
	size_t most[2] = {0};

	for (unsigned k = 0; k < ALL; k++) {
		cr_assert(p[k % 4] = machine_alloc(w->machine, 64, "p", false));
		cr_assert(queue(w, k % 2 ? "adder" : "counter", 1, 32, k % 3), "launch %u", k);
		if (k % 4 != 3)
			continue;
		cr_assert_eq(machine_sync(w->machine), MACHINE_DONE, "launch %u", k);
		for (unsigned i = 0; i < 4; i++)
			cr_assert_eq(machine_release(w->machine, p[i], ""), MACHINE_RELEASED);
		size_t now = bytes_in_use();

		most[k / HALF] = now > most[k / HALF] ? now : most[k / HALF];
	}
	cr_assert_leq(most[1], most[0] + MOST, "at most %zu bytes in %d launches, then %zu",
		most[0], HALF, most[1]);
	struct machine_stats s;

	machine_stats(w->machine, &s);
	cr_assert_eq(s.launches, ALL);
	cr_assert_eq(w->machine->settled, ALL);
	closed(w, &b);
}

/* After the checker has forgotten everything, it finds races as before, and only those. */
Test(slots, races_are_found_after_many_launches)
{
	enum { MANY = 70000 };
	struct machine_options options = all_checks(MEMORY_FAST);
	struct world *w = load(HEAD ADDER, NULL);
	struct backend b = opened(w, &options);

	for (unsigned k = 0; k < MANY; k++) {
		cr_assert(queue(w, "adder", 1, 1, 1 + k % 2));
		cr_assert_eq(machine_sync(w->machine), MACHINE_DONE);
	}
	cr_assert_eq(w->diags.count, 0);
	cr_assert(queue(w, "adder", 1, 1, 1));
	cr_assert(queue(w, "adder", 1, 1, 2));
	cr_assert_eq(machine_sync(w->machine), MACHINE_DONE);
	cr_assert_gt(w->diags.count, 0);
	cr_assert_eq(w->diags.first->code, DIAG_R0101);
	closed(w, &b);
}

Test(slots, weak_memory_and_many_launches)
{
	struct machine_options options = all_checks(MEMORY_WEAK);
	struct world *w = load(HEAD ADDER, NULL);
	struct backend b = opened(w, &options);

	for (unsigned k = 0; k < 300; k++) {
		cr_assert(queue(w, "adder", 2, 32, 1));
		cr_assert(queue(w, "adder", 2, 32, 1));
		if (k % 3 == 0)
			cr_assert_eq(machine_sync(w->machine), MACHINE_DONE);
	}
	cr_assert_eq(machine_sync(w->machine), MACHINE_DONE);
	cr_assert(machine_read(w->machine, w->out, w->word, sizeof w->word, NULL));
	for (unsigned k = 0; k < 64; k++)
		cr_assert_eq(w->word[k], 600, "word %u is %u", k, w->word[k]);
	closed(w, &b);
}

/* An access to a freed buffer names it, its size and where it was freed. */
Test(slots, use_after_free_is_reported)
{
	struct world *w = load(HEAD ADDER, NULL);
	uint64_t p = machine_alloc(w->machine, 4096, "results", true), out = w->out;

	cr_assert_eq(machine_release(w->machine, p + 4, ""), RELEASE_INSIDE);
	cr_assert_eq(machine_release(w->machine, 0, ""), RELEASE_OF_NOTHING);
	cr_assert_eq(machine_release(w->machine, p, "main at a.cu:31"), MACHINE_RELEASED);
	cr_assert_eq(machine_release(w->machine, p, ""), RELEASE_TWICE);
	w->out = p;
	cr_assert(queue(w, "adder", 1, 32, 0));
	w->out = out;
	cr_assert_eq(sync_all(w), MACHINE_FAULT);
	cr_assert_eq(w->diags.first->code, DIAG_F0207);
	cr_assert_not_null(strstr(
		w->diags.first->message, "buffer `results`, which was freed by main at a.cu:31"));
	done(w);
}

/* The memory of cooperative grids ends with them. */
Test(slots, cooperative_launches)
{
	struct world *w = load(HEAD ADDER, NULL);
	uint64_t before;

	sync_all(w);
	before = w->machine->memory->total;
	for (unsigned k = 0; k < 100; k++) {
		struct machine_launch l = {.func = ir_find_func(w->module, "adder"),
			.grid = {1, 1, 1},
			.block = {32, 1, 1},
			.cooperative = true,
			.params = &w->out,
			.source = w->source};

		cr_assert(machine_launch(w->machine, &l));
		cr_assert_eq(machine_sync(w->machine), MACHINE_DONE);
	}
	cr_assert_eq(w->machine->memory->total, before);
	done(w);
}
