/* A lesson: a Markdown page whose fenced blocks are also files. `ptx NAME` is a program, `diff NAME
 * CODE` the program above it with a mistake, which ptxi must report with CODE. `hint`, `solution`
 * (a change to exercise.ptx) and `checks` (cases in the words of a grade suite) stand at the end,
 * and are not part of what is shown. docs/LESSONS.md describes the form for authors. */
#ifndef PTXI_LESSONS_LESSON_H
#define PTXI_LESSONS_LESSON_H
#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include <stdbool.h>

enum lesson_file_kind {
	LESSON_PROGRAM, /* is right, and prints something */
	LESSON_WRONG,   /* a program with a mistake */
	LESSON_EXERCISE /* where the student begins */
};

struct lesson_file {
	enum lesson_file_kind kind;
	const char *name, *code; /* code: of LESSON_WRONG */
	const char *text;
	size_t len;
};

struct lesson {
	struct arena arena;
	unsigned number, minutes;
	const char *page; /* its file: "lessons/03-data-race.md" */
	const char *title, *goal;
	VEC(struct lesson_file) files; /* in the order of the page; the exercise is the last */
	VEC(const char *) hints;
	const char *solution; /* the exercise, solved */
	const char *checks;
	const char *mistake; /* what is wrong with the page itself, or NULL */
	unsigned mistake_line;
};

/* How many lessons there are; they are numbered from 1. */
unsigned lesson_count(void);
/* Reads lesson NUMBER, 1 to lesson_count(). Free with lesson_free. */
void lesson_read(struct lesson *l, unsigned number);
/* Reads the page TEXT of lesson NUMBER. */
void lesson_read_text(struct lesson *l, unsigned number, const char *text);
void lesson_free(struct lesson *l);
/* Appends the page as students read it: code is indented, and what is kept from them is left out.
 * BOLD: headings in bold. */
void lesson_show(unsigned number, bool bold, struct text *out);

#endif
