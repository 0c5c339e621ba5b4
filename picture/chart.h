/* A run as a time line: a column for each warp, mbarrier and stream of copies; time goes down, one
 * row for each step. chart.c draws it, and leaves out rows of a long run. */
#ifndef PTXI_PICTURE_CHART_H
#define PTXI_PICTURE_CHART_H
#include "base/arena.h"
#include "base/vec.h"
#include "picture/picture.h"

enum chart_column_kind { COLUMN_WARP, COLUMN_OBJECT, COLUMN_COPIES };
struct chart_column {
	uint8_t kind;
	const char *name;
	const char *group;   /* "CTA 0 of pipe": neighbours with the same group share its title */
	uint32_t begin, end; /* rows of its line */
};

/* What a warp does in a row. */
enum chart_look { LOOK_PLAIN, LOOK_SYNC, LOOK_FENCE, LOOK_ATOM, LOOK_COPY, LOOK_FAULT, LOOK_END };
struct chart_step {
	uint32_t row, column;
	uint8_t look;
	uint32_t line;  /* of the program; 0: unknown */
	uint32_t mark;  /* number of a finding, from 1; 0: none */
	uint32_t times; /* that it was repeated; 0 and 1: not */
	/* WHAT: the object, of which more must be visible than of the instruction TEXT; or NULL */
	const char *text, *what, *tip;
};

/* Something that lasts. */
enum chart_bar_kind { BAR_WAIT, BAR_STUCK, BAR_LEFT, BAR_EVEN, BAR_ODD, BAR_OPEN, BAR_FLIGHT };
struct chart_bar {
	uint8_t kind;
	uint32_t column, from, to;
	uint32_t lane; /* others beside it, from 0 */
	const char *text, *tip;
};

/* From a row of one column to a row of another. */
/* WAKE: to the end of a wait; GO: to a step. */
enum chart_link_kind { LINK_ARRIVE, LINK_GO, LINK_WAKE, LINK_COPY };
struct chart_link {
	uint8_t kind;
	uint32_t from_row, from, to_row, to;
};

/* A row of its own, across the columns FIRST to LAST: a barrier's phase is complete; LAUNCH: a
 * kernel begins. */
struct chart_rule {
	uint32_t row, first, last;
	bool launch;
	const char *text;
};

struct chart_finding {
	const char *code, *message, *help; /* HELP: or NULL */
	/* its two places, if both are drawn */
	bool joined;
	uint32_t row[2], column[2];
};

struct chart {
	struct arena arena; /* of all strings */
	VEC(struct chart_column) column;
	VEC(struct chart_step) step;
	VEC(struct chart_bar) bar;
	VEC(struct chart_link) link;
	VEC(struct chart_rule) rule;
	VEC(struct chart_finding) finding;
	VEC(const char *) note;
	uint32_t rows;
};

void chart_free(struct chart *c);
void chart_draw(const struct chart *c, const char *title, struct drawing *out);

#endif
