/* Statements of the usual shape, read from the text without tokens and grammar: labels, .loc, and
 * instructions with an opcode and words as in an earlier one, whose operands are names, numbers,
 * [a+4] and {a, b}. Nearly all of a large file consists of them. Whatever is anything else is read
 * again from its beginning by the grammar, which alone reports errors: what is read here is what
 * it would make of it. */
#include "parser/front.h"
#include "parser/ptx.tab.h"
#include <string.h>

/* Classes of bytes: beginnings of names (MARK: of those with one more byte), bytes inside them,
 * bytes of an opcode with its words. */
enum { LETTER = 1, MARK = 2, INSIDE = 4, HEAD = 8, DECIMAL = 16, HEX = 32, BLANK = 64 };
enum { ALPHA = LETTER | INSIDE | HEAD, DIGIT = INSIDE | HEAD | DECIMAL | HEX };
static const uint8_t class[256] = {
	['0' ... '9'] = DIGIT,
	['a' ... 'f'] = ALPHA | HEX,
	['A' ... 'F'] = ALPHA | HEX,
	['g' ... 'z'] = ALPHA,
	['G' ... 'Z'] = ALPHA,
	['_'] = MARK | INSIDE | HEAD,
	['$'] = MARK | INSIDE | HEAD,
	['%'] = MARK,
	['.'] = HEAD,
	[':'] = HEAD,
	[' '] = BLANK,
	['\t'] = BLANK,
	['\n'] = BLANK,
	['\r'] = BLANK,
};

static bool is(const char *p, unsigned classes) { return class[(unsigned char)*p] & classes; }

/* A place in the text, and the token before it. */
struct quick {
	struct front *f;
	const char *text, *at;
	struct span last;
};

static const char *skip_blank(const char *p)
{
	while (is(p, BLANK))
		p++;
	return p;
}

/* Where the name at P ends, NULL if none begins there. */
static const char *name_end(const char *p)
{
	if (!is(p, LETTER) && !(is(p, MARK) && is(p + 1, INSIDE)))
		return NULL;
	do
		p++;
	while (is(p, INSIDE));
	return p;
}

static struct span span_of(const struct quick *q, const char *begin, const char *end)
{
	return (struct span){(uint32_t)(begin - q->text), (uint32_t)(end - begin)};
}

/* The token ends at END. */
static void advance(struct quick *q, const char *end)
{
	q->last = span_of(q, q->at, end);
	q->at = end;
}

static uint32_t intern(struct quick *q, const char *end)
{
	return symbol_intern(q->f->lexer.symbols, q->at, (size_t)(end - q->at));
}

static struct ast_operand *read_name(struct quick *q)
{
	const char *begin = q->at, *end = name_end(q->at);
	enum word component = W_NONE;
	uint32_t symbol;

	if (!end)
		return NULL;
	symbol = intern(q, end);
	advance(q, end);
	if (*end == '.') {
		component = end[1] == 'x' ? W_x
			: end[1] == 'y'   ? W_y
			: end[1] == 'z'   ? W_z
			: end[1] == 'w'   ? W_w
					  : W_NONE;
		if (!component)
			return NULL;
		advance(q, end + 2);
	}
	return operand_name(q->f, symbol, component, span_of(q, begin, q->at));
}

static unsigned digit_value(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

/* Decimal integers, hexadecimal ones without a suffix, and 0f and 0d with all their digits. */
static bool read_value(struct quick *q, enum ast_operand_kind *kind, struct lexer_number *n)
{
	const char *p = q->at, *digits = p;

	*kind = AST_INT;
	*n = (struct lexer_number){0, 0};
	if (*p != '0') {
		for (; is(p, DECIMAL); p++)
			n->value = n->value * 10 + (unsigned)(*p - '0');
		if (p == digits || p - digits > 18)
			return false;
	} else if (!is(++p, INSIDE)) {
		/* zero */
	} else {
		char mark = (char)(*p | 0x20);

		for (digits = ++p; is(p, HEX); p++)
			n->value = n->value << 4 | digit_value(*p);
		if (mark == 'x') {
			if (p == digits || p - digits > 16)
				return false;
		} else {
			*kind = AST_FLOAT;
			n->flag = mark == 'f' ? NUMBER_SINGLE : NUMBER_DOUBLE;
			if (!(mark == 'f' && p - digits == 8) && !(mark == 'd' && p - digits == 16))
				return false;
		}
	}
	advance(q, p);
	return true;
}

static struct ast_operand *read_number(struct quick *q)
{
	enum ast_operand_kind kind;
	struct lexer_number n;

	return read_value(q, &kind, &n) ? operand_number(q->f, kind, n, q->last) : NULL;
}

/* An integer, possibly after a minus. */
static struct ast_operand *read_signed(struct quick *q)
{
	const char *begin = q->at;
	struct ast_operand *o;

	q->at += *begin == '-';
	o = read_number(q);
	if (!o || o->kind != AST_INT)
		return NULL;
	return *begin != '-' ? o : operand_unary(q->f, '-', o, span_of(q, begin, q->at));
}

static struct ast_operand *read_simple(struct quick *q)
{
	if (is(q->at, DECIMAL))
		return read_number(q);
	return *q->at == '-' ? read_signed(q) : read_name(q);
}

/* What is between brackets: a name or a number, and what is added to a name. */
static struct ast_operand *read_base(struct quick *q)
{
	const char *begin = q->at;
	struct ast_operand *o = read_simple(q), *addend;

	if (!o || *q->at != '+')
		return o;
	q->at++;
	addend = o->kind == AST_NAME && o->word == W_NONE ? read_signed(q) : NULL;
	return addend ? operand_binary(q->f, '+', o, addend, span_of(q, begin, q->at)) : NULL;
}

/* One or more parts, separated by commas, up to END; NULL if there is anything else. */
static struct ast_operand *read_list(
	struct quick *q, struct ast_operand *(*part)(struct quick *q), char end)
{
	struct ast_operand *first = NULL, **link = &first;

	for (;; q->at++) {
		q->at = skip_blank(q->at);
		*link = part(q);
		if (!*link)
			return NULL;
		link = &(*link)->next;
		q->at = skip_blank(q->at);
		if (*q->at == end)
			return first;
		if (*q->at != ',')
			return NULL;
	}
}

static struct ast_operand *read_operand(struct quick *q)
{
	const char *begin = q->at;
	bool address = *begin == '[';
	struct ast_operand *sub;

	if (!address && *begin != '{')
		return read_simple(q);
	q->at++;
	sub = read_list(q, address ? read_base : read_simple, address ? ']' : '}');
	if (!sub)
		return NULL;
	advance(q, q->at + 1);
	return operand_group(
		q->f, address ? AST_ADDRESS : AST_VECTOR, sub, span_of(q, begin, q->at));
}

/* The statement ends with the byte at hand, a token of kind KIND: now the grammar can go on. */
static void end_statement(struct quick *q, int kind)
{
	struct front *f = q->f;

	f->last = q->last;
	advance(q, q->at + 1);
	f->look = q->last;
	f->last_kind = kind;
}

/* "@p" or "@!p" before an instruction. Returns whether there is none or a good one; PLACE: of all
 * of it. */
static bool read_guard(struct quick *q, struct ast_guard *guard, struct span *place)
{
	const char *begin = q->at, *end;

	*guard = (struct ast_guard){0, 0};
	if (*begin != '@')
		return true;
	guard->negated = begin[1] == '!';
	q->at += 1 + guard->negated;
	end = name_end(q->at);
	if (!end)
		return false;
	guard->symbol = intern(q, end);
	advance(q, end);
	*place = span_of(q, begin, end);
	q->at = skip_blank(end);
	return true;
}

/* The state of the parser after an opcode and its words, which end at END. */
static void begin_instruction(struct quick *q, const struct front_head *head,
	const struct ast_guard *guard, struct span place, const char *end)
{
	struct front *f = q->f;
	const char *opcode_end = name_end(q->at), *word = end;
	struct span opcode = span_of(q, q->at, opcode_end);

	f->last = guard->symbol ? q->last : opcode;
	insn_begin(f, *guard, guard->symbol ? place : opcode, head->opcode, opcode);
	if (!head->nwords)
		return;
	f->nwords = f->glued = head->nwords;
	memcpy(f->words, f->head_words.data + head->words, head->nwords * sizeof *f->words);
	while (*--word != '.')
		;
	f->head = span_of(q, word, end);
}

static bool read_instruction(struct quick *q)
{
	struct front *f = q->f;
	const char *begin = q->at, *end;
	struct ast_operand *operands = NULL;
	struct ast_guard guard;
	struct span place;
	struct quick opcode;
	uint32_t n;

	if (!read_guard(q, &guard, &place))
		return false;
	for (end = q->at; is(end, HEAD);)
		end++;
	n = symbol_find(&f->heads, q->at, (size_t)(end - q->at));
	if (!n || (!is(end, BLANK) && *end != ';'))
		return false;
	f->look = span_of(q, q->at, end);
	insn_nodes(f);
	opcode = *q;
	advance(q, end);
	q->at = skip_blank(end);
	if (*q->at != ';' && !(operands = read_list(q, read_operand, ';')))
		return false;
	begin_instruction(&opcode, &f->head_of.data[n - 1], &guard, place, end);
	insn_end(f, operands, span_of(q, begin, q->text + q->last.off + q->last.len));
	end_statement(q, PTX_SEMI);
	return true;
}

static bool read_label(struct quick *q)
{
	const char *end = name_end(q->at), *colon;

	if (!end || *(colon = skip_blank(end)) != ':')
		return false;
	advance(q, end);
	stmt_label(q->f, symbol_intern(q->f->lexer.symbols, q->text + q->last.off, q->last.len),
		q->last, span_of(q, q->text + q->last.off, colon + 1));
	q->at = colon;
	end_statement(q, PTX_COLON);
	return true;
}

/* The text after blanks and comments in ASCII. */
static const char *skip_comments(const char *p)
{
	for (;;) {
		const char *end;

		p = skip_blank(p);
		if (p[0] != '/' || p[1] != '/')
			return p;
		for (end = p; (signed char)*end > 0 && *end != '\n';)
			end++;
		if (*end != '\n')
			return p;
		p = end;
	}
}

static bool is_loc(const char *p) { return strncmp(p, ".loc", 4) == 0 && is(p + 4, BLANK); }

/* A .loc without a call that was inlined, before another .loc or an instruction: more may follow
 * the numbers otherwise. */
static bool read_loc(struct quick *q)
{
	struct front *f = q->f;
	const char *begin = q->at, *next;
	struct lexer_number n[3];
	enum ast_operand_kind kind;

	if (!is_loc(begin))
		return false;
	q->at += 4;
	for (unsigned i = 0; i < 3; i++) {
		q->at = skip_blank(q->at);
		if (!read_value(q, &kind, &n[i]) || kind != AST_INT || !is(q->at, BLANK))
			return false;
	}
	next = skip_comments(q->at);
	if (*next != '@' && !name_end(next) && !is_loc(next))
		return false;
	stmt_loc(f, loc_new(f, n[0], n[1], n[2]), span_of(q, begin, q->at));
	f->look = q->last;
	f->last_kind = PTX_INT;
	return true;
}

void quick_statements(struct front *f)
{
	struct arena *code = &f->module->code;
	struct quick q = {.f = f, .text = f->source->text};
	struct arena_mark mark;
	const char *done;

	if (f->held.kind > 0 || f->close || f->lexer.in_section)
		return;
	q.at = lexer_leave(&f->lexer);
	do {
		done = q.at;
		mark = arena_mark(code);
		q.at = skip_comments(done);
	} while (*q.at == '.' ? read_loc(&q) : read_label(&q) || read_instruction(&q));
	if (!f->packs)
		arena_rewind(code, mark);
	f->arena = &f->module->arena;
	lexer_resume(&f->lexer, done);
}

enum { HEADS = 4096 /* that are remembered */ };

void quick_learn(struct front *f)
{
	struct span head = f->opcode_span;
	uint32_t n;

	if (f->bad || f->glued < f->nwords || f->head_of.count >= HEADS)
		return;
	if (f->nwords)
		head = span_join(head, f->head);
	n = symbol_intern(&f->heads, f->source->text + head.off, head.len);
	if (n <= f->head_of.count)
		return;
	*vec_push(&f->head_of) = (struct front_head){
		f->opcode, f->head_words.count, (uint8_t)f->nwords};
	vec_reserve(&f->head_words, FRONT_WORDS);
	memcpy(f->head_words.data + f->head_words.count, f->words, f->nwords * sizeof *f->words);
	f->head_words.count += f->nwords;
}
