/* Pages of lessons: changes to programs, and what is wrong with a page. */
#include "lessons/lesson.h"
#include <criterion/criterion.h>
#include <stdio.h>

#define HEAD "# 1. Title\n\n5 minutes. Goal.\n\n"
#define PROGRAM "```ptx a.ptx\none\ntwo\n\nthree\ntwo\n```\n"
#define REST \
	"```ptx exercise.ptx\nx\ny\n```\n```hint\nlook\n```\n```solution\n x\n-y\n+z\n```\n" \
	"```checks\ncase c\nend\n```\n"

static struct lesson l;

static void read_page(const char *page)
{
	lesson_free(&l);
	lesson_read_text(&l, 1, page);
}

static void is_wrong(const char *page, const char *what, unsigned line)
{
	read_page(page);
	cr_assert_not_null(l.mistake, "nothing is wrong with: %s", page);
	cr_expect_str_eq(l.mistake, what);
	cr_expect_eq(l.mistake_line, line, "line %u, not %u: %s", l.mistake_line, line, what);
}

Test(lessons, page)
{
	read_page(HEAD "Text.\n" PROGRAM
		       "```diff b.ptx R0101\n-one\n+ONE\n@@\n \n-three\n```\n" REST);
	cr_assert_null(l.mistake);
	cr_expect_eq(l.number, 1);
	cr_expect_eq(l.minutes, 5);
	cr_expect_str_eq(l.title, "Title");
	cr_expect_str_eq(l.goal, "Goal.");
	cr_assert_eq(l.files.count, 3);
	cr_expect_str_eq(l.files.data[0].text, "one\ntwo\n\nthree\ntwo\n");
	cr_expect_eq(l.files.data[0].kind, LESSON_PROGRAM);
	cr_expect_str_eq(l.files.data[1].text, "ONE\ntwo\n\ntwo\n");
	cr_expect_eq(l.files.data[1].kind, LESSON_WRONG);
	cr_expect_str_eq(l.files.data[1].code, "R0101");
	cr_expect_eq(l.files.data[2].kind, LESSON_EXERCISE);
	cr_expect_str_eq(l.solution, "x\nz\n");
	cr_expect_str_eq(l.checks, "case c\nend\n");
	cr_assert_eq(l.hints.count, 1);
	cr_expect_str_eq(l.hints.data[0], "look\n");
}

Test(lessons, changes)
{
	/* an empty line of a change may have lost its space */
	read_page(HEAD PROGRAM "```diff b.ptx X\n-two\n\n-three\n+3\n```\n" REST);
	cr_assert_null(l.mistake);
	cr_expect_str_eq(l.files.data[1].text, "one\n\n3\ntwo\n");
	/* the goal is a paragraph */
	read_page("# 1. Title\n\n5 minutes. One\ntwo\nthree.\n\nText.\n" PROGRAM REST);
	cr_assert_null(l.mistake);
	cr_expect_str_eq(l.goal, "One two three.");
	/* the last line has no newline, and the block is empty */
	read_page(HEAD PROGRAM REST "```hint\n```");
	cr_assert_null(l.mistake);
	cr_assert_eq(l.hints.count, 2);
	cr_expect_str_eq(l.hints.data[1], "");
	/* several changes in one place, each of the text that the one before left */
	read_page(HEAD PROGRAM "```diff b.ptx X\n-one\n+1\n@@\n-1\n+eins\n```\n" REST);
	cr_assert_null(l.mistake);
	cr_expect_str_eq(l.files.data[1].text, "eins\ntwo\n\nthree\ntwo\n");
	/* "two" stands twice; "on" and "e" are no lines; lines that only add say nowhere */
	for (unsigned k = 0; k < 4; k++) {
		static const char *const changes[] = {"-two\n", "-on\n", "-e\n", "+new\n"};
		char page[1000];

		snprintf(page, sizeof page, HEAD PROGRAM "```diff b.ptx X\n%s```\n" REST,
			changes[k]);
		is_wrong(page, "the change fits nowhere, or in several places", 14);
	}
}

Test(lessons, mistakes)
{
	is_wrong("", "a page begins with its title, an empty line, and its minutes", 0);
	is_wrong("# 1. Title\n5 minutes. Goal.\n\n",
		"a page begins with its title, an empty line, and its minutes", 3);
	is_wrong("# Title\n\n5 minutes. Goal.\n" PROGRAM REST,
		"a title has the form '# 3. A data race'", 3);
	is_wrong("# 1. Title\n\nFive minutes. Goal.\n" PROGRAM REST,
		"the third line has the form '20 minutes. What one can do afterwards.'", 3);
	is_wrong("# 2. Title\n\n5 minutes. Goal.\n\n" PROGRAM REST,
		"the number of the title is not that of the page", 27);
	is_wrong(HEAD "```ptx a.ptx\none\n", "a block without an end", 6);
	is_wrong(HEAD "```diff b.ptx X\n-one\n```\n" PROGRAM REST,
		"a change comes before any program", 7);
	is_wrong(HEAD PROGRAM "```solution\n-one\n```\n" REST,
		"the solution does not follow exercise.ptx", 14);
	is_wrong(HEAD "```ptx exercise.ptx\nx\n```\n```solution\n-y\n```\n",
		"the solution fits nowhere, or in several places", 10);
	is_wrong(HEAD "```ptx exercise.ptx\nx\n```\n```hint\nh\n```\n```solution\n-y\n```\n",
		"the solution fits nowhere, or in several places", 13);
	is_wrong(HEAD PROGRAM, "the last file is not exercise.ptx", 11);
	is_wrong(HEAD "```ptx exercise.ptx\nx\n```\n",
		"hints, the solution or the checks are missing", 7);
}
