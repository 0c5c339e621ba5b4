/* Marks of places in messages: what becomes of those that are known, and of those that are not. */
#include "cuda/place.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *shown(const char *text)
{
	static struct text t;

	text_clear(&t);
	place_names(text, &t);
	return text_str(&t);
}

Test(place, unknown)
{
	char marked[80];

	place_mark(marked, sizeof marked, "allocation 3", 0);
	cr_assert_str_eq(marked, "allocation 3");
	place_mark(marked, sizeof marked, "allocation 3", 7);
	cr_assert_str_eq(marked, "allocation 3 (call 7)");
	/* no place has that number */
	cr_assert_str_eq(shown("buffer `allocation 3 (call 60000)+4`, which"),
		"buffer `allocation 3+4`, which");
	/* no marks at all */
	cr_assert_str_eq(shown(""), "");
	cr_assert_str_eq(shown("a (call of f) (call 12 (call"), "a (call of f) (call 12 (call");
	cr_assert_null(place_find(0));
	cr_assert_null(place_find(60000));
	cr_assert_str_eq(place_api(0, "cuMemFree"), "cuMemFree");
}

static __attribute__((noinline)) call_place here(void)
{
	call_place p = place_here();

	__asm__ volatile("" ::: "memory"); /* it is no tail call */
	return p;
}

Test(place, numbers)
{
	call_place place[4];
	volatile int rounds = 2; /* so that there is one call and not two */

	for (int k = 0; k < rounds; k++)
		place[k] = here();
	place[2] = here();
	place[3] = here();
	cr_assert_neq(place[0], 0);
	cr_assert_eq(place[0], place[1], "the same call");
	cr_assert_neq(place[1], place[2]);
	cr_assert_neq(place[2], place[3]);
}
