/* Chooses random small changes to C source: `sites SEED COUNT FILE...` writes one change per line,
 * tab-separated: number, file, line, byte offset, length, replacement, function, change, source
 * line.
 *
 * A line is chosen first and then one of its changes, so that a table of constants counts no more
 * than a comparison. Only function bodies are changed, but not comments, strings, preprocessor
 * lines, assertions, sizes of arrays and of allocations, static tables, case labels, and calls that
 * only free memory (the address sanitizer finds those). The source is formatted by clang-format: a
 * binary operator has a space on both sides. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { WORD, NUMBER, TEXT, MARK };

struct token {
	enum kind kind;
	size_t at, length;
	int line;
	size_t match; /* of a bracket: the token of its partner */
};

struct change {
	size_t at, length, prev, next; /* bytes; the neighbouring tokens */
	int line;
	const char *replacement; /* & in front: the text itself, negated */
	const char *function;
};

struct file {
	const char *name;
	char *text;
	size_t size;
	struct token *tokens;
	size_t count;
};

struct place { /* a line and its changes */
	const struct file *file;
	const struct change *changes;
	size_t count;
};

static struct change *changes;
static size_t change_count;

static void *grown(void *old, size_t count, size_t size)
{
	void *p = count & (count - 1) ? old : realloc(old, (count ? 2 * count : 1) * size);

	if (!p)
		exit(2);
	return p;
}

static char *format(const char *text, size_t n)
{
	char *copy = malloc(n + 1);

	if (!copy)
		exit(2);
	memcpy(copy, text, n);
	copy[n] = 0;
	return copy;
}

/* --- Tokens --- */

static size_t quoted_end(const struct file *f, size_t i)
{
	char quote = f->text[i++];

	while (i < f->size && f->text[i] != quote)
		i += f->text[i] == '\\' ? 2 : 1;
	return i + 1;
}

static size_t token_end(const struct file *f, size_t i, enum kind *kind)
{
	static const char *const marks[] = {"<<=", ">>=", "...", "<<", ">>",
		"<=", ">=", "==", "!=", "&&", "||", "->", "++", "--",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
	const char *t = f->text;

	if (t[i] == '"' || t[i] == '\'') {
		*kind = TEXT;
		return quoted_end(f, i);
	}
	if (isalnum((unsigned char)t[i]) || t[i] == '_') {
		*kind = isdigit((unsigned char)t[i]) ? NUMBER : WORD;
		while (isalnum((unsigned char)t[i]) || t[i] == '_' ||
			(*kind == NUMBER &&
				(t[i] == '.' ||
					((t[i] == '+' || t[i] == '-') && strchr("eEpP", t[i - 1]) &&
						t[i - 2] != 'x'))))
			i++;
		return i;
	}
	*kind = MARK;
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
		if (strncmp(t + i, marks[k], strlen(marks[k])) == 0)
			return i + strlen(marks[k]);
	return i + 1;
}

static bool is(const struct file *f, size_t k, const char *text)
{
	return k < f->count && f->tokens[k].length == strlen(text) &&
		memcmp(f->text + f->tokens[k].at, text, strlen(text)) == 0;
}

static bool is_one_of(const struct file *f, size_t k, const char *const *list)
{
	for (; *list; list++)
		if (is(f, k, *list))
			return true;
	return false;
}

static void tokenise(struct file *f)
{
	size_t open[256], depth = 0;
	int line = 1;
	bool line_start = true;

	for (size_t i = 0; i < f->size;) {
		const char *t = f->text + i;

		if (*t == '\n') {
			line++;
			line_start = true;
			i++;
		} else if (isspace((unsigned char)*t)) {
			i++;
		} else if (t[0] == '/' && t[1] == '*') {
			for (i += 2;
				i + 1 < f->size && !(f->text[i] == '*' && f->text[i + 1] == '/');
				i++)
				line += f->text[i] == '\n';
			i += 2;
		} else if ((t[0] == '/' && t[1] == '/') || (*t == '#' && line_start)) {
			for (; i < f->size && f->text[i] != '\n'; i++)
				if (f->text[i] == '\\' && f->text[i + 1] == '\n') {
					i++;
					line++;
				}
		} else {
			struct token k = {.at = i, .line = line, .match = SIZE_MAX};
			size_t end = token_end(f, i, &k.kind);

			line_start = false;
			k.length = end - i;
			i = end;
			f->tokens = grown(f->tokens, f->count, sizeof *f->tokens);
			f->tokens[f->count++] = k;
			if (k.kind != MARK)
				continue;
			if (strchr("([{", *t) && depth < sizeof open / sizeof *open) {
				open[depth++] = f->count - 1;
			} else if (strchr(")]}", *t) && depth) {
				f->tokens[f->count - 1].match = open[--depth];
				f->tokens[open[depth]].match = f->count - 1;
			}
		}
	}
}

/* --- Changes --- */

static void add(const struct file *f, const char *function, size_t first, size_t last,
	const char *replacement)
{
	const struct token *a = &f->tokens[first], *z = &f->tokens[last];

	changes = grown(changes, change_count, sizeof *changes);
	changes[change_count++] = (struct change){a->at, z->at + z->length - a->at, first - 1,
		last + 1, a->line, replacement, function};
}

static void number(const struct file *f, const char *function, size_t k)
{
	char text[64], *suffix;
	size_t n = f->tokens[k].length;

	if (n > 30)
		return;
	memcpy(text, f->text + f->tokens[k].at, n);
	text[n] = 0;
	unsigned long long value = strtoull(text, &suffix, 0);

	if (strspn(suffix, "uUlL") != strlen(suffix))
		return; /* a floating-point constant */
	const char *form = strncmp(text, "0x", 2) == 0 ? "0x%llx%s" : "%llu%s";
	char out[80];

	snprintf(out, sizeof out, form, value + 1, suffix);
	add(f, function, k, k, format(out, strlen(out)));
	if (value == 0)
		return;
	snprintf(out, sizeof out, form, value - 1, suffix);
	add(f, function, k, k, format(out, strlen(out)));
}

static bool spaced(const struct file *f, size_t k)
{
	const struct token *t = &f->tokens[k];

	return isspace((unsigned char)f->text[t->at - 1]) &&
		isspace((unsigned char)f->text[t->at + t->length]);
}

static void operator(const struct file *f, const char *function, size_t k)
{
	static const char *const swaps[][2] = {{"<", "<="}, {"<", ">="}, {"<=", "<"}, {"<=", ">"},
		{">", ">="}, {">", "<="}, {">=", ">"}, {">=", "<"}, {"==", "!="}, {"!=", "=="},
		{"&&", "||"}, {"||", "&&"}, {"+", "-"}, {"-", "+"}, {"+=", "-="}, {"-=", "+="},
		{"&", "|"}, {"|", "&"}, {"&=", "|="}, {"|=", "&="}, {"<<", ">>"}, {">>", "<<"}};

	if (is(f, k, "!"))
		add(f, function, k, k, "");
	if (!spaced(f, k))
		return;
	for (size_t s = 0; s < sizeof swaps / sizeof *swaps; s++)
		if (is(f, k, swaps[s][0]))
			add(f, function, k, k, swaps[s][1]);
}

static bool declares(const struct file *f, size_t k)
{
	static const char *const types[] = {"const", "struct", "enum", "union", "unsigned",
		"signed", "int", "char", "bool", "void", "long", "short", "double", "float",
		"static", "va_list", "_Atomic", "FILE", "alignas", "_Alignas", NULL};
	const struct token *t = &f->tokens[k];

	return is_one_of(f, k, types) ||
		(t->kind == WORD && t->length > 2 &&
			memcmp(f->text + t->at + t->length - 2, "_t", 2) == 0);
}

static bool gives_back(const struct file *f, size_t k)
{
	static const char *const ends[] = {"free", "close", "unref", "destroy", "va_end", "end"};
	const struct token *t = &f->tokens[k];

	for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
		size_t n = strlen(ends[e]);

		if (t->length >= n && memcmp(f->text + t->at + t->length - n, ends[e], n) == 0 &&
			(t->length == n || f->text[t->at + t->length - n - 1] == '_' || e < 2))
			return true;
	}
	return false;
}

/* memory_zeroed(...), ARENA_ARRAY(...), node_alloc(...): the size may be larger than needed. */
static bool gives_memory(const struct file *f, size_t k)
{
	static const char *const names[] = {"memory_zeroed", "memory_resize", "arena_alloc",
		"arena_zalloc", "arena_copy", "ARENA_ARRAY", "node_alloc", "clock_with_room", NULL};

	return is_one_of(f, k, names) && is(f, k + 1, "(");
}

/* The token of the semicolon that ends the statement of token K, or the count of tokens. */
static size_t semicolon(const struct file *f, size_t k)
{
	while (k < f->count && !is(f, k, ";") && !is(f, k, "}"))
		k = f->tokens[k].match != SIZE_MAX && f->tokens[k].match > k
			? f->tokens[k].match + 1
			: k + 1;
	return is(f, k, ";") ? k : f->count;
}

static void statement(const struct file *f, const char *function, size_t k)
{
	static const char *const jumps[] = {"break", "continue", NULL};
	static const char *const words[] = {"if", "else", "for", "while", "do", "switch", "case",
		"default", "goto", "return", "assert", "abort", "exit", NULL};
	size_t end = semicolon(f, k);

	if (end == f->count)
		return;
	if (is_one_of(f, k, jumps) || (is(f, k, "return") && end == k + 1)) {
		add(f, function, k, k, "");
		return;
	}
	if (is(f, k, "return") && !(end == k + 2 && f->tokens[k + 1].kind == NUMBER) &&
		!is(f, k + 1, "NULL") && !is(f, k + 1, "true") && !is(f, k + 1, "false"))
		add(f, function, k + 1, end - 1, "0");
	if ((f->tokens[k].kind != WORD && !is(f, k, "*")) || is_one_of(f, k, words) ||
		declares(f, k) || is(f, k + 1, ":") || gives_back(f, k))
		return;
	add(f, function, k, end - 1, "");
}

/* The body of FUNCTION, from its { to its }. */
static void body(const struct file *f, const char *function, size_t first, size_t last)
{
	bool begins = true, in_declaration = false;
	size_t in_head = 0; /* until this token: the ( ) of a for, whose parts are not statements */

	for (size_t k = first + 1; k < last; k++) {
		const struct token *t = &f->tokens[k];

		if (begins) {
			in_declaration = declares(f, k);
			if (is(f, k, "static") || is(f, k, "assert") ||
				is(f, k, "_Static_assert")) {
				k = semicolon(f, k);
				continue;
			}
			if (is(f, k, "case")) {
				while (k < last && !is(f, k, ":"))
					k++;
				continue;
			}
			statement(f, function, k);
		}
		if (is(f, k, "for") && is(f, k + 1, "(") && f->tokens[k + 1].match != SIZE_MAX)
			in_head = f->tokens[k + 1].match;
		begins = (is(f, k, ";") && k > in_head) || is(f, k, "{") || is(f, k, "}") ||
			is(f, k, "else") || is(f, k, "do");
		if (is(f, k, ")") && t->match > first) {
			static const char *const heads[] = {"if", "for", "while", "switch", NULL};

			begins = begins || is_one_of(f, t->match - 1, heads);
		}
		if (is(f, k, ":") &&
			(is(f, k - 1, "default") || is(f, k - 2, ";") || is(f, k - 2, "}")))
			begins = true;
		if ((is(f, k, "if") || is(f, k, "while")) && is(f, k + 1, "(") &&
			f->tokens[k + 1].match > k + 2)
			add(f, function, k + 2, f->tokens[k + 1].match - 1, "&");
		if (gives_memory(f, k) && f->tokens[k + 1].match != SIZE_MAX) {
			k = f->tokens[k + 1].match;
			begins = false;
			continue;
		}
		if (is(f, k, "=") && in_declaration)
			in_declaration = false; /* what follows is a value */
		if (is(f, k, "[") && in_declaration && t->match != SIZE_MAX) {
			k = t->match;
			continue;
		}
		if (t->kind == NUMBER)
			number(f, function, k);
		else if (t->kind == MARK)
			operator(f, function, k);
		else if (is(f, k, "true"))
			add(f, function, k, k, "false");
		else if (is(f, k, "false"))
			add(f, function, k, k, "true");
	}
}

static void functions(const struct file *f)
{
	for (size_t k = 0; k < f->count; k++) {
		size_t close = f->tokens[k].match;

		if (!is(f, k, "{") || close == SIZE_MAX || close < k)
			continue;
		if (k && is(f, k - 1, ")") && f->tokens[k - 1].match != SIZE_MAX &&
			f->tokens[k - 1].match > 0) {
			const struct token *name = &f->tokens[f->tokens[k - 1].match - 1];

			body(f, format(f->text + name->at, name->length), k, close);
		}
		k = close;
	}
}

/* --- Choice --- */

static uint64_t state;

static uint64_t chance(uint64_t bound)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) % bound;
}

/* Prints at most MOST characters, each run of white space as one space. */
static void put_squeezed(const char *text, size_t n, size_t most)
{
	bool gap = false;

	for (size_t i = 0; i < n; i++) {
		if (isspace((unsigned char)text[i])) {
			gap = true;
			continue;
		}
		if (most == 0) {
			fputs("...", stdout);
			return;
		}
		if (gap)
			putchar(' ');
		gap = false;
		putchar(text[i]);
		most--;
	}
}

static void put_token(const struct file *f, size_t k)
{
	if (k < f->count)
		put_squeezed(f->text + f->tokens[k].at, f->tokens[k].length, 20);
}

static void put(size_t number, const struct place *p)
{
	const struct file *f = p->file;
	const struct change *c = &p->changes[chance(p->count)];
	size_t start = c->at, end = c->at;

	while (start > 0 && f->text[start - 1] != '\n')
		start--;
	while (end < f->size && f->text[end] != '\n')
		end++;
	while (isspace((unsigned char)f->text[start]))
		start++;
	printf("%zu\t%s\t%d\t%zu\t%zu\t%s\t%s\t", number, f->name, c->line, c->at, c->length,
		c->replacement, c->function);
	put_token(f, c->prev);
	fputs(" {", stdout);
	put_squeezed(f->text + c->at, c->length, 60);
	printf(" -> %s} ",
		c->replacement[0] == '&' && !c->replacement[1] && f->text[c->at] != '|' ? "negated"
			: c->replacement[0] ? c->replacement
					    : "nothing");
	put_token(f, c->next);
	putchar('\t');
	put_squeezed(f->text + start, end - start, 200);
	putchar('\n');
}

static int by_line(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return x->line != y->line ? (x->line < y->line ? -1 : 1)
		: x->at != y->at  ? (x->at < y->at ? -1 : 1)
				  : (x > y) - (x < y);
}

static char *content(const char *name, size_t *size)
{
	FILE *in = fopen(name, "rb");
	char *text = NULL;
	size_t room = 0;

	*size = 0;
	if (!in)
		return NULL;
	do {
		text = realloc(text, (room += 65536) + 1);
		if (!text)
			exit(2);
		*size += fread(text + *size, 1, room - *size, in);
	} while (*size == room);
	fclose(in);
	text[*size] = 0;
	return text;
}

int main(int argc, char **argv)
{
	struct place *places = NULL;
	size_t place_count = 0;

	if (argc < 4) {
		fputs("usage: sites SEED COUNT FILE...\n", stderr);
		return 2;
	}
	state = strtoull(argv[1], NULL, 10);
	size_t count = strtoull(argv[2], NULL, 10);

	for (int a = 3; a < argc; a++) {
		struct file *f = calloc(1, sizeof *f);

		if (!f)
			return 2;
		f->name = argv[a];
		f->text = content(f->name, &f->size);
		if (!f->text) {
			fprintf(stderr, "sites: cannot read %s\n", f->name);
			return 2;
		}
		tokenise(f);
		changes = NULL;
		change_count = 0;
		functions(f);
		if (change_count)
			qsort(changes, change_count, sizeof *changes, by_line);
		for (size_t c = 0, next; c < change_count; c = next) {
			for (next = c + 1;
				next < change_count && changes[next].line == changes[c].line;
				next++)
				;
			places = grown(places, place_count, sizeof *places);
			places[place_count++] = (struct place){f, changes + c, next - c};
		}
	}
	for (size_t n = 0; n < count && n < place_count; n++) {
		size_t other = n + chance(place_count - n);
		struct place p = places[other];

		places[other] = places[n];
		places[n] = p;
		put(n + 1, &p);
	}
	fprintf(stderr, "%zu lines with changes\n", place_count);
	return 0;
}
