/* Parses //@ directives, one statement per line, and groups them into cases. */
#include "script/lang/expr.h"
#include "script/lang/options.h"
#include "script/lang/tensor.h"
#include "script/lang/texture.h"
#include <stdlib.h>
#include <string.h>

enum line_word {
	LINE_BUFFER,
	LINE_TENSORMAP,
	LINE_TEXTURE,
	LINE_SURFACE,
	LINE_LAUNCH,
	LINE_RECORD,
	LINE_WAIT,
	LINE_SYNC,
	LINE_SET,
	LINE_WRITE,
	LINE_PRINT,
	LINE_EXPECT,
	LINE_ALLOW,
	LINE_FORBID,
	LINE_ALWAYS,
	LINE_OBSERVE,
	LINE_ERROR,
	LINE_NEEDS,
	LINE_CASE,
	WORDS
};

static const struct script_word words[] = {
	[LINE_BUFFER] = {"buffer", "buffer NAME : TYPE[COUNT] [= INIT]",
		"Allocates global memory. INIT is a number, {1, 2, 3} (the rest is zero), iota(START[, STEP]), random(SEED) or file(\"PATH\"); without INIT the memory is uninitialised."},
	[LINE_TENSORMAP] = {"tensormap",
		"tensormap NAME : TYPE[DIM, ...] = ADDRESS box=(N, ...) | lower=(N, ...) upper=(N, ...) channels=N pixels=N [stride=(BYTES, ...)] [step=(N, ...)] [swizzle=32|64|96|128] [atom=16|32|64|(32, 8)] [interleave=16|32] [promotion=64|128|256] [fill=nan]",
		"Makes a tensor map, the innermost dimension first, for tiles or for im2col. As an argument it is the map itself for a parameter of 128 bytes, otherwise its address in global memory."},
	[LINE_TEXTURE] = {"texture",
		"texture NAME : FORMAT[W, ...] = ADDRESS [layers=N] [pitch=BYTES] [outside=clamp|border|wrap|mirror] [filter] [normalized] [unit] [linear] [cube]",
		"Makes a texture of a buffer, the innermost dimension first; FORMAT is a type with x2 or x4 for several channels. NAME is the .texref variable of that name, or a handle for a 64-bit parameter."},
	[LINE_SURFACE] = {"surface",
		"surface NAME : FORMAT[W, ...] = ADDRESS [layers=N] [pitch=BYTES]",
		"The same for a surface, which kernels also write."},
	[LINE_LAUNCH] = {"launch",
		"launch KERNEL<<<GRID, BLOCK[, SHARED_BYTES[, STREAM]]>>>(ARG, ...) [cluster=N] [cooperative] [gpu=N]",
		"Queues a kernel launch. GRID, BLOCK and the N of cluster have the form 4 or (4, 2, 1). An argument is a buffer, &buffer[k], a number, or {field, ...} for a parameter that is an array."},
	[LINE_RECORD] = {"record", "record EVENT [STREAM]",
		"Records an event after all work queued in the stream so far."},
	[LINE_WAIT] = {"wait", "wait EVENT [STREAM]",
		"Makes work queued in the stream from now on wait for the event."},
	[LINE_SYNC] = {"sync", "sync", "Waits for all queued work."},
	[LINE_SET] = {"set", "set OPTION=VALUE ...",
		"Options of the case: schedule=fair|lockstep|random seed=N memory=fast|weak max-steps=N max-memory=BYTES max-output=BYTES timeout=SECONDS check=LIST runs=N seeds=N rounds=N."},
	[LINE_WRITE] = {"write", "write NAME[RANGE] = INIT",
		"Writes a buffer or a module variable from the host, after waiting for all queued work."},
	[LINE_PRINT] = {"print", "print NAME[RANGE]",
		"Prints the elements of a buffer or module variable, or the value of an expression."},
	[LINE_EXPECT] = {"expect",
		"expect EXPR | prints \"TEXT\" | prints N lines | clean | race | deadlock | fault KIND | misuse CODE | uninitialised",
		"Waits for all queued work and checks the expectation. A range c[0..9] stands for each of its elements in turn, and i is the index."},
	[LINE_ALLOW] = {"allow", "allow COND",
		"Some execution of the case can end in a state where COND is true."},
	[LINE_FORBID] = {"forbid", "forbid COND",
		"No execution of the case can end in a state where COND is true."},
	[LINE_ALWAYS] = {"always", "always COND",
		"Every execution of the case ends in a state where COND is true."},
	[LINE_OBSERVE] = {"observe", "observe NAME, P1:%r2, ...",
		"Adds values to those that make up an outcome, besides what the conditions name."},
	[LINE_ERROR] = {"error", "error CODE", "Assembling this line must report this diagnostic."},
	[LINE_NEEDS] = {"needs", "needs gpu | interp | sm_NN | weak | race | init | explore",
		"Skips the case if this is not available."},
	[LINE_CASE] = {"case", "case NAME",
		"Starts another case, with fresh memory and a fresh copy of the module."},
};

const struct script_word *script_word(unsigned k) { return k < WORDS ? &words[k] : NULL; }

struct parser {
	struct script *s;
	struct lexer *x;
	struct diags *diags;
	struct script_case *current;
};

static bool line_expected(struct lexer *x, const char *what)
{
	expr_expected(x, what);
	return false;
}

static bool is_word(const struct lexer *x, const char *word)
{
	return x->kind == T_WORD && strcmp(x->str, word) == 0;
}

static bool unknown_type(struct lexer *x)
{
	struct diag *d = diag_report(
		x->diags, DIAG_L0105, x->source, x->span, "unknown type '%.40s'", x->str);
	const char *near = scalar_nearest(x->str, x->len);

	if (near)
		diag_help(x->diags, d, "did you mean %s?", near);
	else
		diag_help(x->diags, d,
			"types are PTX's, without the dot: u8 ... u64, s8 ... s64, b8 ... b128, f16, bf16, f32, f64");
	return false;
}

/* iota(START[, STEP]), random(SEED), file("PATH"). */
static bool parse_init_call(struct lexer *x, struct stmt *t)
{
	t->init = x->str[0] == 'i' ? INIT_IOTA : x->str[0] == 'r' ? INIT_RANDOM : INIT_FILE;
	lex_next(x);
	if (!expr_accept(x, '(', "'('"))
		return false;
	if (t->init == INIT_FILE) {
		if (x->kind != T_TEXT)
			return line_expected(x, "the file's name in quotes");
		t->file = x->str;
		t->value_span = x->span;
		lex_next(x);
	} else {
		if (!(t->value = expr_parse(x)))
			return false;
		if (t->init == INIT_IOTA && x->kind == ',') {
			lex_next(x);
			if (!(t->step = expr_parse(x)))
				return false;
		}
	}
	return expr_accept(x, ')', "')'");
}

static bool parse_init(struct lexer *x, struct stmt *t)
{
	struct span begin = x->span;
	bool called = is_word(x, "iota") || is_word(x, "random") || is_word(x, "file");

	if (called && parse_init_call(x, t)) {
		;
	} else if (called) {
		return false;
	} else {
		t->value = expr_parse_argument(x);
		if (!t->value)
			return false;
		t->init = t->value->kind == EXPR_FIELDS ? INIT_LIST : INIT_VALUE;
	}
	if (t->init != INIT_FILE)
		t->value_span = (struct span){begin.off, x->last_end - begin.off};
	return true;
}

static bool parse_buffer(struct parser *p, struct stmt *t)
{
	struct lexer *x = p->x;

	if (x->kind != T_WORD || x->str[0] == '%')
		return line_expected(x, "the buffer's name");
	t->name = x->str;
	t->name_span = x->span;
	lex_next(x);
	if (!expr_accept(x, ':', "':' and a type, as in 'buffer a : f32[64]'"))
		return false;
	if (x->kind == '.')
		lex_next(x);
	if (x->kind != T_WORD)
		return line_expected(x, "a type");
	t->type = (uint8_t)scalar_find(x->str, x->len);
	if (t->type == TYPE_NONE)
		return unknown_type(x);
	lex_next(x);
	if (!expr_accept(x, '[', "'[' and the number of elements"))
		return false;
	if (x->kind != ']' && !(t->count = expr_parse(x)))
		return false;
	if (!expr_accept(x, ']', "']'"))
		return false;
	if (x->kind == T_END)
		return t->count ||
			line_expected(x, "a list or a file that determines the number of elements");
	return expr_accept(x, '=', "'=' and the initial values, or the end of the line") &&
		parse_init(x, t);
}

static bool parse_write(struct parser *p, struct stmt *t)
{
	if (p->x->kind != T_WORD)
		return line_expected(p->x, "a buffer or module variable");
	t->expr = expr_parse(p->x);
	if (!t->expr)
		return false;
	if (t->expr->kind != EXPR_NAME) {
		diag_report(p->diags, DIAG_L0102, t->source, t->expr->span,
			"only a name, name[k] or name[a..b] can be written");
		return false;
	}
	return expr_accept(p->x, '=', "'=' and the values") && parse_init(p->x, t);
}

/* A stream or event: a word or a number. */
static bool parse_handle(struct lexer *x, const char **name, struct span *span, const char *what)
{
	if (x->kind != T_WORD && x->kind != T_INT)
		return line_expected(x, what);
	*name = arena_text(x->arena, x->source->text + x->span.off, x->span.len);
	*span = x->span;
	lex_next(x);
	return true;
}

static bool parse_configuration(struct lexer *x, struct stmt *t)
{
	if (x->kind != T_LAUNCH && x->kind != T_BAD) {
		struct diag *d = diag_report(x->diags, DIAG_L0102, x->source, x->span,
			"expected '<<<' and the grid, found %s", lex_shown(x));

		diag_help(x->diags, d, "as in CUDA: launch %s<<<1, 64>>>(...)", t->name);
		return false;
	}
	if (!expr_accept(x, T_LAUNCH, "'<<<' and the grid") || !(t->grid = expr_parse_dims(x)) ||
		!expr_accept(x, ',', "',' and the block") || !(t->block = expr_parse_dims(x)))
		return false;
	if (x->kind == ',') {
		lex_next(x);
		if (!(t->shared = expr_parse(x)))
			return false;
	}
	if (x->kind == ',') {
		lex_next(x);
		if (!parse_handle(x, &t->stream, &t->stream_span, "a stream: a word or a number"))
			return false;
	}
	return expr_accept(x, T_LAUNCHED, "'>>>'");
}

static bool parse_launch_option(struct lexer *x, struct stmt *t)
{
	static const char *const options[] = {"cluster", "cooperative", "gpu"};
	struct diag *d;
	struct span span = x->span;

	if (is_word(x, "cooperative")) {
		t->cooperative = true;
		lex_next(x);
		return true;
	}
	if (is_word(x, "cluster") || is_word(x, "gpu")) {
		struct expr **to = x->str[0] == 'c' ? &t->cluster : &t->device_expr;

		lex_next(x);
		if (!expr_accept(x, '=', "'='"))
			return false;
		*to = to == &t->cluster ? expr_parse_dims(x) : expr_parse(x);
		return *to != NULL;
	}
	if (x->kind != T_WORD)
		return line_expected(x, "cluster=N, cooperative, gpu=N or the end of the line");
	d = diag_report(x->diags, DIAG_L0102, x->source, span,
		"'%.40s' is not an option of a launch", x->str);
	for (unsigned k = 0; k < 3; k++)
		if (text_distance(x->str, x->len, options[k], strlen(options[k]), 3) <= 3)
			diag_help(x->diags, d, "did you mean %s?", options[k]);
	return false;
}

/* A kernel's name may be a C++ name with brackets and spaces: everything before <<<. */
static void parse_kernel(struct lexer *x, struct stmt *t)
{
	const char *s = x->source->text;
	uint32_t from = x->span.off, end = x->lines->piece.data[x->line->piece + x->piece].end,
		 k = from;
	bool cpp = false;

	while (k < end && end - k >= 3 && memcmp(s + k, "<<<", 3) != 0)
		k++;
	for (uint32_t i = from; end - k >= 3 && i < k && !cpp; i++)
		cpp = strchr("(<:", s[i]) != NULL;
	if (cpp) {
		x->at = k;
		while (k > from && (s[k - 1] == ' ' || s[k - 1] == '\t'))
			k--;
		t->name_span = (struct span){from, k - from};
	} else {
		t->name_span = x->span;
	}
	t->name = arena_text(x->arena, s + from, t->name_span.len);
	x->span = t->name_span;
	lex_next(x);
}

static bool parse_launch(struct parser *p, struct stmt *t)
{
	struct lexer *x = p->x;
	struct expr **last = &t->args;
	uint32_t open;

	if (x->kind != T_WORD && x->kind != '(')
		return line_expected(x, "a kernel's name");
	parse_kernel(x, t);
	if (!parse_configuration(x, t))
		return false;
	open = x->span.off;
	if (!expr_accept(x, '(', "'(' and the arguments"))
		return false;
	while (x->kind != ')') {
		struct expr *a = expr_parse_argument(x);

		if (!a)
			return false;
		*last = a;
		last = &a->next;
		t->nargs++;
		if (x->kind == ',') {
			lex_next(x);
			if (x->kind == ')')
				return line_expected(x, "another argument");
		} else if (x->kind != ')') {
			return line_expected(x, "',' or ')'");
		}
	}
	lex_next(x);
	t->args_span = (struct span){open, x->last_end - open};
	while (x->kind != T_END)
		if (!parse_launch_option(x, t))
			return false;
	if (!p->current->first_launch)
		p->current->first_launch = t;
	return true;
}

static bool parse_event(struct parser *p, struct stmt *t)
{
	if (!parse_handle(p->x, &t->name, &t->name_span, "an event: a word or a number"))
		return false;
	return p->x->kind == T_END ||
		parse_handle(p->x, &t->stream, &t->stream_span, "a stream, or the end of the line");
}

/* Free words OPTION=VALUE. The current token is still "set". */
static bool parse_set(struct parser *p, struct stmt *t)
{
	struct lexer *x = p->x;
	struct script_option **last = &t->options;

	for (lex_next_free(x); x->kind == T_WORD; lex_next_free(x)) {
		const char *equals = strchr(x->str, '=');
		struct script_option *o;
		uint32_t n;

		if (!equals || equals == x->str || !equals[1]) {
			struct diag *d = diag_report(x->diags, DIAG_L0102, x->source, x->span,
				"expected OPTION=VALUE, found '%.60s'", x->str);
			const char *near = equals ? NULL : option_nearest(x->str);

			if (near)
				diag_help(x->diags, d, "write set %s=VALUE", near);
			return false;
		}
		o = ARENA_NEW(x->arena, struct script_option);
		n = (uint32_t)(equals - x->str);
		o->name = arena_text(x->arena, x->str, n);
		o->value = equals + 1;
		o->name_span = (struct span){x->span.off, n};
		o->value_span = (struct span){x->span.off + n + 1, x->span.len - n - 1};
		*last = o;
		last = &o->next;
	}
	return t->options || line_expected(x, "OPTION=VALUE");
}

static bool parse_prints(struct lexer *x, struct stmt *t)
{
	t->kind = STMT_EXPECT_PRINTS;
	lex_next(x);
	if (x->kind == T_TEXT) {
		t->name = x->str;
		t->name_len = x->len;
		t->name_span = x->span;
		lex_next(x);
		return true;
	}
	if (x->kind == T_END || x->kind == T_WORD)
		return line_expected(x, "a text in quotes or a number of lines");
	if (!(t->count = expr_parse(x)))
		return false;
	if (!is_word(x, "lines") && !is_word(x, "line"))
		return line_expected(x, "'lines'");
	lex_next(x);
	return true;
}

/* Whether `prints` is the keyword and not the name of a buffer in an expression. AFTER is the token
 * that follows it; a line that ends in "lines" also decides it. */
static bool are_prints(struct lexer after)
{
	if (after.kind == T_TEXT || after.kind == T_INT || after.kind == T_FLOAT ||
		after.kind == T_BAD || after.kind == T_WORD || after.kind == T_END ||
		after.kind == '(')
		return true;
	for (bool lines = false; after.kind != T_BAD; lex_next(&after)) {
		if (after.kind == T_END)
			return lines;
		lines = is_word(&after, "lines") || is_word(&after, "line");
	}
	return false;
}

/* clean, race and so on are keywords only if the line ends after them; otherwise the word starts an
 * expression. */
static bool parse_expect(struct parser *p, struct stmt *t)
{
	static const struct {
		const char *word;
		uint8_t kind;
	} findings[] = {{"clean", FINDING_CLEAN}, {"race", FINDING_RACE},
		{"deadlock", FINDING_DEADLOCK}, {"livelock", FINDING_DEADLOCK},
		{"uninitialised", FINDING_UNINITIALISED}, {"uninitialized", FINDING_UNINITIALISED}};
	struct lexer *x = p->x, after = *x;
	struct diags unheard = {0};
	bool prints;

	p->s->expectations++;
	t->name_span = x->span;
	after.diags = &unheard;
	if (x->kind == T_WORD)
		lex_next(&after);
	prints = is_word(x, "prints") && are_prints(after);
	diags_free(&unheard);
	if (prints)
		return parse_prints(x, t);
	if ((is_word(x, "fault") || is_word(x, "misuse")) &&
		(after.kind == T_END || after.kind == T_WORD)) {
		t->kind = STMT_EXPECT_FINDING;
		t->finding = is_word(x, "fault") ? FINDING_FAULT : FINDING_MISUSE;
		lex_next_free(x);
		if (x->kind == T_WORD) {
			t->name = x->str;
			t->name_span = x->span;
			lex_next(x);
		}
		return true;
	}
	for (size_t k = 0; k < sizeof findings / sizeof findings[0]; k++) {
		if (after.kind == T_END && is_word(x, findings[k].word)) {
			t->kind = STMT_EXPECT_FINDING;
			t->finding = findings[k].kind;
			lex_next(x);
			return true;
		}
	}
	t->expr = expr_parse(x);
	return t->expr != NULL;
}

static bool parse_condition(struct parser *p, struct stmt *t, unsigned kind)
{
	t->condition = (uint8_t)kind;
	t->expr = expr_parse(p->x);
	p->current->conditions++;
	p->s->expectations++;
	return t->expr != NULL;
}

static bool parse_list(struct parser *p, struct stmt *t)
{
	struct expr **last = &t->expr;

	for (;;) {
		*last = expr_parse(p->x);
		if (!*last)
			return false;
		last = &(*last)->next;
		if (p->x->kind != ',')
			return true;
		lex_next(p->x);
	}
}

/* One free word: a code, a requirement or a case's name. The current token is still the directive's
 * keyword. */
static bool parse_free(struct parser *p, struct stmt *t, const char *what)
{
	lex_next_free(p->x);
	if (p->x->kind != T_WORD)
		return line_expected(p->x, what);
	t->name = p->x->str;
	t->name_span = p->x->span;
	lex_next(p->x);
	return true;
}

static struct script_case *new_case(struct parser *p)
{
	struct script_case *c = vec_push(&p->s->cases);

	*c = (struct script_case){0};
	return c;
}

static bool begin_case(struct parser *p, struct stmt *t)
{
	if (!parse_free(p, t, "a name for the case"))
		return false;
	for (uint32_t k = 0; k < p->s->cases.count; k++) {
		const struct script_case *c = &p->s->cases.data[k];

		if (c->name && strcmp(c->name, t->name) == 0) {
			struct diag *d = diag_report(p->diags, DIAG_L0129, t->source, t->name_span,
				"there is already a case '%.60s'", t->name);

			diag_label(p->diags, d, c->source, c->name_span, "here");
		}
	}
	p->current = new_case(p);
	p->current->name = t->name;
	p->current->name_span = t->name_span;
	p->current->source = t->source;
	p->current->line = t->line;
	return true;
}

/* A line that begins with seed=3 or --seed=3 lacks the word set. */
static bool help_option(struct parser *p, struct diag *d)
{
	const struct lexer *x = p->x;
	const char *word = x->source->text + x->span.off;
	size_t dashes = strspn(word, "-"), n = strcspn(word + dashes, "= \t\r\n");
	const char *option, *value = word + dashes + n + 1;

	if (n < 3 || n > 40 || word[dashes + n] != '=')
		return false;
	option = option_nearest(arena_text(x->arena, word + dashes, n));
	if (option)
		diag_help(p->diags, d, "options are set by a directive: //@ set %s=%.*s", option,
			(int)strcspn(value, " \t\r\n"), value);
	return option != NULL;
}

static bool unknown_word(struct parser *p)
{
	struct lexer *x = p->x;
	const char *best = NULL;
	unsigned least = 4;
	struct diag *d;

	if (x->kind == '-') {
		d = diag_report(p->diags, DIAG_L0102, x->source, x->span,
			"a //@ directive begins with a word, not with '-'");
		help_option(p, d);
		return false;
	}
	if (x->kind != T_WORD)
		return line_expected(x, "buffer, launch, expect, print or another directive");
	d = diag_report(
		p->diags, DIAG_L0101, x->source, x->span, "unknown //@ directive '%.40s'", x->str);
	if (help_option(p, d))
		return false;
	for (unsigned k = 0; k < WORDS; k++) {
		unsigned n = text_distance(x->str, x->len, words[k].word, strlen(words[k].word), 3);

		if (n < least && n < x->len) {
			least = n;
			best = words[k].word;
		}
	}
	if (best)
		diag_help(p->diags, d, "did you mean '%s'?", best);
	else
		diag_help(p->diags, d,
			"the directives are buffer, tensormap, texture, surface, launch, record, wait, sync, set, write, print, expect, allow, forbid, always, observe, error, needs and case");
	return false;
}

static bool parse_words(struct parser *p, struct stmt *t)
{
	struct lexer *x = p->x;
	unsigned k = 0;

	while (k < WORDS && !is_word(x, words[k].word))
		k++;
	if (k == WORDS)
		return unknown_word(p);
	switch (k) {
	case LINE_SET: t->kind = STMT_SET; return parse_set(p, t);
	case LINE_ERROR:
		t->kind = STMT_ERROR;
		return parse_free(p, t, "a diagnostic code such as E0101");
	case LINE_NEEDS:
		t->kind = STMT_NEEDS;
		return parse_free(p, t, "gpu, interp, sm_NN, weak, race, init or explore");
	default: break;
	}
	lex_next(x);
	switch (k) {
	case LINE_BUFFER: t->kind = STMT_BUFFER; return parse_buffer(p, t);
	case LINE_TENSORMAP: t->kind = STMT_TENSOR_MAP; return tensor_line_parse(p->x, t);
	case LINE_TEXTURE:
	case LINE_SURFACE:
		t->kind = STMT_TEXTURE;
		return texture_line_parse(p->x, t, k == LINE_SURFACE);
	case LINE_LAUNCH: t->kind = STMT_LAUNCH; return parse_launch(p, t);
	case LINE_RECORD: t->kind = STMT_RECORD; return parse_event(p, t);
	case LINE_WAIT: t->kind = STMT_WAIT; return parse_event(p, t);
	case LINE_SYNC: t->kind = STMT_SYNC; return true;
	case LINE_WRITE: t->kind = STMT_WRITE; return parse_write(p, t);
	case LINE_PRINT: t->kind = STMT_PRINT; return parse_list(p, t);
	case LINE_EXPECT: t->kind = STMT_EXPECT; return parse_expect(p, t);
	case LINE_ALLOW: t->kind = STMT_CONDITION; return parse_condition(p, t, CONDITION_ALLOW);
	case LINE_FORBID: t->kind = STMT_CONDITION; return parse_condition(p, t, CONDITION_FORBID);
	case LINE_ALWAYS: t->kind = STMT_CONDITION; return parse_condition(p, t, CONDITION_ALWAYS);
	default: t->kind = STMT_OBSERVE; return parse_list(p, t);
	}
}

static void case_append(struct script_case *c, struct stmt *t)
{
	if (!c->first)
		c->first = t;
	else
		*c->last = t;
	c->last = &t->next;
}

static void parse_line(
	struct parser *p, const struct script_lines *lines, const struct script_line *line)
{
	struct lexer x;
	struct stmt *t = ARENA_NEW(&p->s->arena, struct stmt);
	bool ok;

	lex_begin(&x, lines, line, p->diags, &p->s->arena);
	p->x = &x;
	lex_next(&x);
	if (x.kind == T_END || x.kind == T_BAD)
		return;
	t->source = line->source;
	t->span = x.span;
	t->line = line->line;
	t->object = OBJECT_UNRESOLVED;
	if (is_word(&x, "case")) {
		ok = begin_case(p, t);
	} else {
		if (!p->current)
			p->current = new_case(p);
		ok = parse_words(p, t);
		if (ok && t->kind == STMT_ERROR) {
			t->next_error = p->s->errors;
			p->s->errors = t;
			p->s->nerrors++;
			p->s->expectations++;
		} else if (ok ||
			((t->kind == STMT_BUFFER || t->kind == STMT_TENSOR_MAP ||
				 t->kind == STMT_TEXTURE) &&
				t->name)) {
			t->broken = !ok;
			case_append(p->current, t);
		}
	}
	if (ok && x.kind == '=' && (t->kind == STMT_EXPECT || t->kind == STMT_CONDITION))
		diag_help(p->diags,
			diag_report(
				p->diags, DIAG_L0102, x.source, x.span, "'=' is not a comparison"),
			"write ==");
	else if (ok && x.kind != T_END)
		line_expected(&x, "the end of the line");
	t->span.len = (x.kind == T_END ? x.last_end : x.span.off + x.span.len) - t->span.off;
}

/* If only set and needs directives precede the first case directive, they apply to every case. */
static void spread_preamble(struct script *s)
{
	struct script_case *c = s->cases.data;

	if (s->cases.count < 2 || c->name)
		return;
	for (const struct stmt *t = c->first; t; t = t->next)
		if (t->kind != STMT_SET && t->kind != STMT_NEEDS)
			return;
	for (uint32_t k = 1; k < s->cases.count; k++) {
		struct stmt *rest = c[k].first, **last = &c[k].first;

		for (const struct stmt *t = c->first; t; t = t->next) {
			struct stmt *copy = arena_copy(
				&s->arena, t, sizeof *t, _Alignof(struct stmt));

			*last = copy;
			last = &copy->next;
		}
		*last = rest;
	}
	memmove(c, c + 1, (s->cases.count - 1) * sizeof *c);
	s->cases.count--;
}

void script_parse(struct script *s, const struct script_lines *lines, struct diags *diags)
{
	struct parser p = {.s = s, .diags = diags};

	for (uint32_t k = 0; k < lines->line.count; k++)
		parse_line(&p, lines, &lines->line.data[k]);
	spread_preamble(s);
}

void script_free(struct script *s)
{
	vec_free(&s->cases);
	arena_free(&s->arena);
}
