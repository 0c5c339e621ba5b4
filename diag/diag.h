/* Diagnostics as records: a stable code, a message in the user's words, up to three labelled
 * places, a help line. Rendering is somebody else's work. */
#ifndef PTXI_DIAG_DIAG_H
#define PTXI_DIAG_DIAG_H
#include "base/arena.h"
#include "base/text.h"
#include "diag/source.h"
#include <stdbool.h>

/* Every code of every module, from the .def files of diag/code: CODE(E0101, name, "title", "rule",
 * "wrong example", "right example", "section"). The section is one of the PTX 9.0 manual ("9.7.13.1
 * bar, barrier") or a page of ptxi ("docs/PAGE.md, Heading"). The first letter is the class: E
 * rejected input, W warning, L script line (//@) or command error, F fault, S misused
 * synchronisation, D deadlock or livelock, R race or uninitialised read, B budget ran out, U valid
 * but not executed, X expectation failed. */
enum diag_code {
	DIAG_NONE,
#define CODE(code, name, title, rule, wrong, right, section) DIAG_##code,
#include "diag/code/all.def"
	DIAG_COUNT
};

struct diag_code_info {
	const char *code, *name, *title, *rule, *wrong, *right, *section;
};
/* By code; the letter is info->code[0]. */
const struct diag_code_info *diag_code_info(enum diag_code code);
/* By "E0101" or by name; DIAG_NONE when there is none. */
enum diag_code diag_code_find(const char *word);

struct diag_label {
	struct source *source; /* NULL: a label without a place, text only */
	struct span span;
	const char *text; /* may be "" */
};

struct diag {
	enum diag_code code;
	const char *message;
	struct diag_label label[3]; /* label[0] is the place */
	unsigned nlabels;
	const char *help; /* what to write instead, or NULL */
	/* further lines (a deadlock's ledger, a backtrace); NULL-free prefix */
	const char *notes[8];
	unsigned nnotes;
	unsigned count;      /* how many times it was seen, at least 1 */
	int64_t cta, thread; /* linear, or -1 */
	struct diag *next;
};

/* Zero-initialise; not thread-safe (who reports from several threads locks). */
struct diags {
	struct arena arena;
	struct diag *first, **last;
	unsigned count;
	unsigned errors;  /* records that are not warnings */
	unsigned limit;   /* stop keeping records after this many; 0 = 1000 */
	unsigned dropped; /* records over the limit */
	bool no_warnings;
	uint8_t off[(DIAG_COUNT + 7) / 8]; /* codes the user turned off (warnings only) */
	struct diag *spare; /* what diag_report returns for a record that is not kept */
};

/* Adds a record at SPAN of SOURCE (NULL: no place) and returns it, for labels and help; never NULL
 * (a record over the limit is returned but not kept). */
struct diag *diag_report(struct diags *d, enum diag_code code, struct source *source,
	struct span span, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same without a place. */
struct diag *diag_plain(struct diags *d, enum diag_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Takes R out of D again: another record says the same better. */
void diag_drop(struct diags *d, struct diag *r);
/* A second and third place. */
void diag_label(struct diags *d, struct diag *r, struct source *source, struct span span,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void diag_help(struct diags *d, struct diag *r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void diag_note(struct diags *d, struct diag *r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void diags_free(struct diags *d);

/* Whether a record with this code fails nothing by itself: class W, and what the manual leaves
 * undefined but all hardware of today does alike. */
bool diag_is_warning(enum diag_code code);

/* Whether D keeps no record with this code: a warning that the user turned off. */
bool diag_is_off(const struct diags *d, enum diag_code code);

/* Exit status that a code stands for (LANGUAGE.md section 1): E 3, W 0, L 2, F and S 4, R 5, D 6, B
 * 7, U 8, X 1. */
int diag_status(enum diag_code code);

/* Renders all records: source line, carets, labels, help; COLOR with ANSI escapes. */
void diag_render(struct diags *d, struct text *out, bool color);
/* The same as a JSON array of
 * {"kind","code","message","places":[{"file","line","column","length","text","cta","thread"}],"help","notes","count"}.
 */
void diag_render_json(struct diags *d, struct text *out);

#endif
