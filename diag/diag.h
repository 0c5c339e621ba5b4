/* Diagnostics as records: a stable code, a message in the user's terms, up to three labelled
 * locations, a help line. Rendering them is separate. */
#ifndef PTXI_DIAG_DIAG_H
#define PTXI_DIAG_DIAG_H
#include "base/arena.h"
#include "base/text.h"
#include "diag/origin.h"
#include <stdbool.h>

/* All diagnostic codes, from the .def files of diag/code: CODE(E0101, name, "title", "rule", "wrong
 * example", "right example", "section"). The section is one of the PTX 9.4 manual ("9.7.15.1 bar,
 * barrier") or of ptxi's documentation ("docs/PAGE.md, Heading"). The first letter is the class: E
 * rejected input, W warning, L error in a //@ directive or a command, F fault, S misused
 * synchronisation, D deadlock or livelock, R race or uninitialised read, H mistake of the host
 * program, B budget exhausted, U valid but not executed, X failed expectation. */
enum diag_code {
	DIAG_NONE,
#define CODE(code, name, title, rule, wrong, right, section) DIAG_##code,
#include "diag/code/all.def"
	DIAG_COUNT
};

struct diag_code_info {
	const char *code, *name, *title, *rule, *wrong, *right, *section;
};
/* The description of CODE; the class letter is that of its .code. */
struct diag_code_info diag_code_info(enum diag_code code);
/* The code with the number ("E0101") or name WORD, or DIAG_NONE. */
enum diag_code diag_code_find(const char *word);

struct diag_label {
	struct source *source; /* NULL: a label without a location, text only */
	struct span span;
	const char *text; /* may be "" */
	/* the call in the user's own code that led here, if SPAN is in a library's function; len
	 * 0: none. It is a span of `given` if that is not NULL */
	struct span call;
	/* the source and offset as they were reported: SOURCE, or one of which it is a part */
	const struct source *given;
	uint32_t given_off;
	/* the thread that was here, if that is known: linear indices */
	struct diag_who {
		bool known;
		uint32_t launch, thread;
		uint64_t cta;
	} who;
};

struct diag {
	enum diag_code code;
	const char *message;
	struct diag_label label[3]; /* label[0] is the main location */
	unsigned nlabels;
	const char *help; /* what to write instead, or NULL */
	/* [nnotes] further lines (the ledger of a deadlock, a backtrace) */
	const char *notes[8];
	unsigned nnotes;
	unsigned count;      /* number of occurrences, at least 1 */
	int64_t cta, thread; /* linear index, or -1 */
	struct diag *next;
};

/* A list of records. Zero-initialise it. Not thread-safe: callers with several threads must
 * lock. */
struct diags {
	struct arena arena;
	struct diag *first, **last;
	unsigned count;
	unsigned errors;  /* records that are not warnings */
	unsigned limit;   /* maximum number of records kept; 0 = 1000 */
	unsigned dropped; /* records over the limit */
	bool no_warnings;
	/* set of codes that the user turned off (warnings only) */
	uint8_t off[(DIAG_COUNT + 7) / 8];
	struct diag *spare; /* returned by diag_report for a record that is not kept */
};

/* Adds a record at SPAN of SOURCE (NULL: no location; a joined source: its part there) and returns
 * it so that labels and help can be added. Never NULL: a record over the limit is returned but not
 * kept. */
struct diag *diag_report(struct diags *d, enum diag_code code, struct source *source,
	struct span span, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Adds a record without a location. */
struct diag *diag_plain(struct diags *d, enum diag_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Removes R from D, because another record reports the same better. */
void diag_drop(struct diags *d, struct diag *r);
/* Adds a second or third location. False: R has three already. */
bool diag_label(struct diags *d, struct diag *r, struct source *source, struct span span,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void diag_help(struct diags *d, struct diag *r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void diag_note(struct diags *d, struct diag *r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Removes all records that were added since D was as in BEFORE, a copy of it. */
void diags_rewind(struct diags *d, const struct diags *before);
void diags_free(struct diags *d);

/* The place in the user's source that L is from (diag/origin.h), or NULL: L has only its own. */
const struct origin *diag_origin(const struct diag_label *l);

/* Where L is, as source_line_text() says it. */
struct line_text diag_line_text(const struct diag_label *l);

/* Whether a record with this code does not by itself cause failure: class W, and violations that
 * the manual leaves undefined but all current hardware handles alike. */
bool diag_is_warning(enum diag_code code);

/* Whether D discards records with this code: a warning that the user turned off. */
bool diag_is_off(const struct diags *d, enum diag_code code);

/* The exit status for a code (LANGUAGE.md section 1): E 3, W 0, L 2, F, H and S 4, R 5, D 6, B 7, U
 * 8, X 1. */
int diag_status(enum diag_code code);

/* Renders all records as text: source line, carets, labels, help. COLOR: with ANSI escapes. */
void diag_render(struct diags *d, struct text *out, bool color);
/* Renders all records as a JSON array of
 * {"kind","code","message","places":[{"source","file","line","column","length","text","cta","thread"}],"help","notes","count"}.
 * "source", where the text was compiled from, is left out if it is not known. */
void diag_render_json(struct diags *d, struct text *out);

#endif
