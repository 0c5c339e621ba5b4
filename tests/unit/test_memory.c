/* The address space: allocations, their bounds and the descriptions of addresses. */
#include "interp/memory/memory.h"
#include "interp/memory/name.h"
#include <criterion/criterion.h>
#include <string.h>

static void lies(const struct memory *m, uint64_t address, uint64_t n, const char *part)
{
	struct text t = {0};

	name_memory(m, address, n, &t);
	cr_assert_not_null(strstr(text_str(&t), part), "'%s' has no '%s'", text_str(&t), part);
	text_free(&t);
}

Test(memory, every_allocation_has_its_own_slot)
{
	struct memory m;
	struct memory_block *a, *b, *c;

	memory_begin(&m, false);
	a = memory_add(&m, MEMORY_BUFFER, 100, "a", true);
	b = memory_add(&m, MEMORY_BUFFER, 0, "b", true);
	c = memory_add(&m, MEMORY_BUFFER, (uint64_t)5 << 30, "c", true);
	cr_assert_not_null(a);
	cr_assert_not_null(b);
	cr_assert_eq(a->base % 256, 0);
	cr_assert_eq((uintptr_t)a->host % 256, 0);
	cr_assert_eq(memory_find(&m, a->base), a);
	cr_assert_eq(memory_find(&m, a->base - 4), a);
	cr_assert_eq(memory_find(&m, a->base + 1000), a);
	cr_assert_eq(memory_find(&m, b->base), b);
	cr_assert(memory_inside(a, a->base, 100));
	cr_assert(memory_inside(a, a->base + 99, 1));
	cr_assert_not(memory_inside(a, a->base + 99, 2));
	cr_assert_not(memory_inside(a, a->base - 1, 1));
	cr_assert_not(memory_inside(b, b->base, 1));
	if (c) {
		cr_assert_eq(memory_find(&m, c->base + ((uint64_t)5 << 30) - 1), c);
		cr_assert_eq(c->host[((uint64_t)5 << 30) - 1], 0);
	}
	cr_assert_eq(memory_find(&m, 0)->kind, MEMORY_NOTHING);
	cr_assert_eq(memory_find(&m, UINT64_MAX)->kind, MEMORY_NOTHING);
	cr_assert_null(memory_add(&m, MEMORY_BUFFER, UINT64_MAX, "d", true));
	cr_assert_null(memory_add(&m, MEMORY_BUFFER, (uint64_t)1 << 45, "d", true));
	memory_end(&m);
}

Test(memory, host_copies_stay_inside)
{
	struct memory m;
	struct memory_block *a;
	uint32_t value = 7;
	uint8_t defined[8];

	memory_begin(&m, true);
	a = memory_add(&m, MEMORY_BUFFER, 8, "a", false);
	cr_assert(memory_copy_out(&m, a->base, &value, 4, defined));
	cr_assert_eq(value, 0);
	cr_assert_eq(defined[0] | defined[1] | defined[2] | defined[3], 0);
	value = 9;
	cr_assert(memory_copy_in(&m, a->base + 4, &value, 4));
	cr_assert_not(memory_copy_in(&m, a->base + 5, &value, 4));
	cr_assert_not(memory_copy_in(&m, a->base - 1, &value, 4));
	cr_assert_not(memory_copy_in(&m, 0, &value, 4));
	cr_assert(memory_copy_out(&m, a->base, defined, 8, defined));
	cr_assert_eq(defined[3], 0);
	cr_assert_eq(defined[4], 1);
	memory_end(&m);
}

Test(memory, constants_share_a_window_with_gaps)
{
	struct memory m;
	struct memory_block *a, *b;

	memory_begin(&m, false);
	a = memory_add(&m, MEMORY_CONSTANT, 256, "a", true);
	b = memory_add(&m, MEMORY_CONSTANT, 4, "b", true);
	cr_assert_eq(a->base >> 32, MEMORY_CONST_WINDOW >> 32);
	cr_assert_gt(a->base, MEMORY_CONST_WINDOW);
	cr_assert_gt(b->base, a->base + 256);
	cr_assert_eq(memory_find(&m, a->base + 256), a);
	cr_assert_eq(memory_find(&m, b->base), b);
	cr_assert_eq(a->writable, 0);
	cr_assert_null(memory_add(&m, MEMORY_CONSTANT, 16 << 20, "c", true));
	lies(&m, a->base + 256, 4, "just past .const variable `a`");
	memory_end(&m);
}

/* The tables are reused. */
Test(memory, a_new_machine_knows_nothing_of_the_last_one)
{
	for (unsigned round = 0; round < 3; round++) {
		struct memory m;

		memory_begin(&m, false);
		for (uint32_t k = 0; k < MEMORY_SLOTS; k++)
			cr_assert_null(m.slot[k], "round %u, slot %u", round, k);
		for (uint32_t k = 0; k < MEMORY_CONST_PAGES; k++)
			cr_assert_null(m.const_page[k], "round %u, page %u", round, k);
		for (unsigned k = 0; k < 3; k++) {
			cr_assert_not_null(memory_add(&m, MEMORY_BUFFER, 100, "a", true));
			cr_assert_not_null(memory_add(&m, MEMORY_CONSTANT, 5000, "c", true));
		}
		memory_end(&m);
	}
}

Test(memory, words_for_an_address)
{
	struct memory m;
	struct memory_block *a;

	memory_begin(&m, false);
	a = memory_add(&m, MEMORY_BUFFER, 16, "a", true);
	lies(&m, a->base + 16, 4, "just past buffer `a`, which ends at 0x");
	lies(&m, a->base + 20, 4, "4 bytes past buffer `a`");
	lies(&m, a->base + 14, 4, "the last 2 of 4 bytes are past buffer `a`");
	lies(&m, a->base - 1, 1, "1 byte before buffer `a`, which begins at");
	lies(&m, a->base - 2, 4, "the first 2 of 4 bytes are before buffer `a`");
	lies(&m, a->base + 3, 1, "buffer `a+3`");
	lies(&m, memory_add(&m, MEMORY_VARIABLE, 16, "v", true)->base, 4, ".global variable `v`");
	lies(&m, memory_add(&m, MEMORY_CONSTANT, 16, "c", true)->base, 4, ".const variable `c`");
	lies(&m, memory_add(&m, MEMORY_WORKSPACE, 16, "w", true)->base, 4,
		"the workspace of the grid barrier, `w`");
	lies(&m, memory_add(&m, MEMORY_HEAP, 16, "h", true)->base, 4, "allocation `h`");
	lies(&m, a->base + 8, 16, "the last 8 of 16 bytes are past buffer `a`");
	lies(&m, a->base - 4, 4, "4 bytes before buffer `a`");
	lies(&m, a->base + 12, 4, "buffer `a+12`");
	lies(&m, 0, 4, "the null pointer");
	lies(&m, 12, 4, "12 bytes past the null pointer");
	lies(&m, MEMORY_SHARED_WINDOW + 16, 4, "byte 0x10 of the shared memory window");
	lies(&m, MEMORY_CODE_WINDOW + 16, 4, "of the code");
	lies(&m, (uint64_t)1 << 60, 4, "no allocation is near it");
	memory_end(&m);
}
