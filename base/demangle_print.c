/* Prints the tree of a C++ symbol as C declarators are written: what is left of a name, then what
 * is right of it. */
#include "base/demangle_tree.h"
#include <string.h>

const struct demangle_operator demangle_operators[] = {{"aN", "&=", 2}, {"aS", "=", 2},
	{"aa", "&&", 2}, {"ad", "&", 1}, {"an", "&", 2}, {"aw", "co_await", 1}, {"co", "~", 1},
	{"dV", "/=", 2}, {"da", "delete[]", 1}, {"de", "*", 1}, {"dl", "delete", 1},
	{"ds", ".*", 2}, {"dt", ".", 2}, {"dv", "/", 2}, {"eO", "^=", 2}, {"eo", "^", 2},
	{"eq", "==", 2}, {"ge", ">=", 2}, {"gs", "::", 1}, {"gt", ">", 2}, {"ix", "[]", 2},
	{"lS", "<<=", 2}, {"le", "<=", 2}, {"ls", "<<", 2}, {"lt", "<", 2}, {"mI", "-=", 2},
	{"mL", "*=", 2}, {"mi", "-", 2}, {"ml", "*", 2}, {"mm", "--", 1}, {"na", "new[]", 3},
	{"ne", "!=", 2}, {"ng", "-", 1}, {"nt", "!", 1}, {"nw", "new", 3}, {"nx", "noexcept", 1},
	{"oR", "|=", 2}, {"oo", "||", 2}, {"or", "|", 2}, {"pL", "+=", 2}, {"pl", "+", 2},
	{"pm", "->*", 2}, {"pp", "++", 1}, {"ps", "+", 1}, {"pt", "->", 2}, {"rM", "%=", 2},
	{"rS", ">>=", 2}, {"rm", "%", 2}, {"rs", ">>", 2}, {"ss", "<=>", 2}, {"cm", ",", 2},
	{"cl", "()", 2}, {"qu", "?", 3}, {"sP", "sizeof...", 1}, {"sZ", "sizeof...", 1},
	{"st", "sizeof ", 1}, {"sz", "sizeof ", 1}, {"at", "alignof ", 1}, {"az", "alignof ", 1},
	{"te", "typeid ", 1}, {"ti", "typeid ", 1}, {"tw", "throw ", 1}, {"dc", "dynamic_cast", 2},
	{"sc", "static_cast", 2}, {"cc", "const_cast", 2}, {"rc", "reinterpret_cast", 2},
	{"", "", 0}};

static void print_left(struct demangler *d, uint32_t k);
static void print_right(struct demangler *d, uint32_t k);

static void put(struct demangler *d, const char *text, size_t n)
{
	if (d->failed || d->out->len - d->start + n > DEMANGLE_NAME)
		d->failed = true;
	else
		text_add(d->out, text, n);
}

static void puts_(struct demangler *d, const char *text) { put(d, text, strlen(text)); }

static void put_number(struct demangler *d, uint32_t n)
{
	char digits[12];
	size_t at = sizeof digits;

	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	put(d, digits + at, sizeof digits - at);
}

static char last_char(const struct demangler *d)
{
	return d->out->len > d->start ? d->out->data[d->out->len - 1] : '\0';
}

/* What stands for K: the argument for a template parameter, the current element for a pack. */
static uint32_t resolved(const struct demangler *d, uint32_t k)
{
	for (int limit = 0; k && limit < DEPTH; limit++) {
		const struct node *n = &d->node[k];

		if (n->kind == FORWARD) {
			k = n->a;
		} else if (n->kind == PACK && !d->whole_pack) {
			uint32_t at = n->a;

			for (uint32_t i = 0; at && i < d->pack; i++)
				at = d->node[at].b;
			k = at ? d->node[at].a : 0;
		} else {
			return k;
		}
	}
	return 0;
}

static bool is_declarator(const struct demangler *d, uint32_t k)
{
	for (int limit = 0; limit < 2 * DEPTH; limit++) {
		k = resolved(d, k);
		if (!k)
			return false;
		if (d->node[k].kind == QUALIFIER)
			k = d->node[k].a;
		else
			return d->node[k].kind == FUNCTION || d->node[k].kind == ARRAY;
	}
	return false;
}

/* The first pack in K. */
static uint32_t find_pack(struct demangler *d, uint32_t k)
{
	uint32_t found = 0;

	if (!k || d->failed)
		return 0;
	if (++d->steps > STEPS || ++d->depth > DEPTH) {
		d->failed = true;
	} else {
		const struct node *n = &d->node[k];

		if (n->kind == PACK)
			found = k;
		else if (n->kind != LAMBDA && n->kind != EXPANSION && n->kind != NAME) {
			found = find_pack(d, n->a);
			if (!found)
				found = find_pack(d, n->b);
			if (!found)
				found = find_pack(d, n->c);
		}
	}
	d->depth--;
	return found;
}

/* The elements with commas between them; true when empty packs at the end left none there. */
static bool print_list(struct demangler *d, uint32_t list)
{
	size_t end = d->out->len;
	bool cut = false;

	for (bool first = true; list && !d->failed; list = d->node[list].b, first = false) {
		uint32_t k = d->node[list].a;
		size_t from;

		if (!first)
			puts_(d, ", ");
		from = d->out->len;
		cut = false;
		if (d->node[k].kind == PACK)
			cut = print_list(d, d->node[k].a);
		else
			demangle_print(d, k);
		if (d->out->len > from || first)
			end = d->out->len;
	}
	if (d->failed || end == d->out->len)
		return cut;
	d->out->data[d->out->len = end] = '\0';
	return true;
}

static bool is_simple(const struct demangler *d, uint32_t k)
{
	const struct node *n = &d->node[k];

	return n->kind == NAME || (n->kind == QUALIFIED && d->node[n->b].kind != TEMPLATE) ||
		n->kind == BRACED || (n->kind == SPECIAL && n->n && n->text[0] == '{');
}

/* An operand: in parentheses unless it is a name. */
static void print_operand(struct demangler *d, uint32_t k)
{
	bool simple = is_simple(d, k);

	if (!simple)
		puts_(d, "(");
	demangle_print(d, k);
	if (!simple)
		puts_(d, ")");
}

static void print_expansion(struct demangler *d, const struct node *n)
{
	uint32_t pack = find_pack(d, n->a), outer = d->pack, count = 0;
	bool whole = d->whole_pack;

	if (!pack) {
		print_operand(d, n->a);
		puts_(d, "...");
		return;
	}
	d->whole_pack = false;
	for (uint32_t at = d->node[pack].a; at && !d->failed; at = d->node[at].b, count++) {
		if (count)
			puts_(d, ", ");
		d->pack = count;
		demangle_print(d, n->a);
	}
	d->pack = outer;
	d->whole_pack = whole;
}

static void print_template_args(struct demangler *d, uint32_t list)
{
	uint32_t outer = d->signature;
	bool cut;

	d->signature = 0;
	if (last_char(d) == '<')
		puts_(d, " ");
	puts_(d, "<");
	cut = print_list(d, list);
	if (last_char(d) == '>' && !cut) /* c++filt's rule */
		puts_(d, " ");
	puts_(d, ">");
	d->signature = outer;
}

static bool text_is(const struct node *n, const char *text)
{
	return n->kind == NAME && n->len == strlen(text) && !memcmp(n->text, text, n->len);
}

static void print_literal(struct demangler *d, const struct node *n)
{
	static const char *const suffix[][2] = {{"int", ""}, {"unsigned int", "u"}, {"long", "l"},
		{"unsigned long", "ul"}, {"long long", "ll"}, {"unsigned long long", "ull"}};
	const struct node *type = &d->node[n->a];
	bool real;

	if (text_is(type, "bool") && n->len == 1 && !n->n && (*n->text == '0' || *n->text == '1')) {
		puts_(d, *n->text == '1' ? "true" : "false");
		return;
	}
	for (size_t k = 0; k < sizeof suffix / sizeof *suffix; k++)
		if (text_is(type, suffix[k][0])) {
			if (n->n)
				puts_(d, "-");
			put(d, n->text, n->len);
			puts_(d, suffix[k][1]);
			return;
		}
	if (!n->len) {
		demangle_print(d, n->a);
		return;
	}
	real = text_is(type, "float") || text_is(type, "double") || text_is(type, "long double") ||
		text_is(type, "__float128");
	puts_(d, "(");
	demangle_print(d, n->a);
	puts_(d, ")");
	if (n->n)
		puts_(d, "-");
	if (real)
		puts_(d, "[");
	put(d, n->text, n->len);
	if (real)
		puts_(d, "]");
}

static void print_operator(struct demangler *d, uint32_t row)
{
	const char *text = demangle_operators[row].text;
	size_t n = strlen(text);

	puts_(d, "operator");
	if (*text >= 'a' && *text <= 'z')
		puts_(d, " ");
	put(d, text, n - (text[n - 1] == ' '));
}

static void print_unary(struct demangler *d, const struct node *n)
{
	const char *code = demangle_operators[n->n].code;
	uint32_t a = n->a;

	if (!strcmp(code, "sZ") || !strcmp(code, "sP")) {
		uint32_t pack = find_pack(d, a), count = 0;

		for (uint32_t at = pack ? d->node[pack].a : 0; at; at = d->node[at].b)
			count++;
		put_number(d, count);
		return;
	}
	if (!strcmp(code, "ad") && d->node[a].kind == ENCODING &&
		d->node[d->node[a].a].kind == QUALIFIED && !d->node[d->node[a].b].len)
		a = d->node[a].a;
	if (n->b) {
		print_operand(d, a);
		puts_(d, demangle_operators[n->n].text);
		return;
	}
	puts_(d, demangle_operators[n->n].text);
	if (!strcmp(code, "gs")) {
		demangle_print(d, a);
	} else if (!strcmp(code, "st") || !strcmp(code, "nx")) {
		puts_(d, "(");
		demangle_print(d, a);
		puts_(d, ")");
	} else {
		print_operand(d, a);
	}
}

static void print_binary(struct demangler *d, const struct node *n)
{
	const struct demangle_operator *o = &demangle_operators[n->n];

	if (!strcmp(o->code, "gt"))
		puts_(d, "(");
	print_operand(d, n->a);
	if (!strcmp(o->code, "ix")) {
		puts_(d, "[");
		demangle_print(d, n->b);
		puts_(d, "]");
		return;
	}
	puts_(d, o->text);
	print_operand(d, n->b);
	if (!strcmp(o->code, "gt"))
		puts_(d, ")");
}

static void print_fold(struct demangler *d, const struct node *n)
{
	const char *op = demangle_operators[n->n].text;
	bool whole = d->whole_pack;

	d->whole_pack = true;
	puts_(d, "(");
	if (*n->text == 'l') {
		puts_(d, "...");
		puts_(d, op);
		print_operand(d, n->a);
	} else {
		print_operand(d, n->a);
		puts_(d, op);
		puts_(d, "...");
		if (n->b) {
			puts_(d, op);
			print_operand(d, n->b);
		}
	}
	puts_(d, ")");
	d->whole_pack = whole;
}

static void print_function_right(struct demangler *d, const struct node *n)
{
	uint32_t outer = d->signature;

	d->signature = 0;
	puts_(d, "(");
	print_list(d, n->b);
	puts_(d, ")");
	put(d, n->text, n->len);
	if (n->c && d->node[n->c].kind == SPECIAL && d->node[n->c].text[0] == ' ') {
		put(d, d->node[n->c].text, d->node[n->c].len);
	} else if (n->c) {
		puts_(d, " noexcept(");
		demangle_print(d, n->c);
		puts_(d, ")");
	}
	if (n->a)
		print_right(d, n->a);
	d->signature = outer;
}

/* Whether type K goes on after the name that it declares. */
static bool has_right(const struct demangler *d, uint32_t k)
{
	for (int limit = 0; limit < 2 * DEPTH && (k = resolved(d, k)) != 0; limit++) {
		const struct node *n = &d->node[k];

		if (n->kind == FUNCTION || n->kind == ARRAY)
			return true;
		if (n->kind != POINTER && n->kind != QUALIFIER && n->kind != MEMBER)
			return false;
		k = n->kind == MEMBER ? n->b : n->a;
	}
	return false;
}

/* A function's return type, and a space unless the name is in the middle of it. */
static void print_result(struct demangler *d, uint32_t type)
{
	print_left(d, type);
	if (!has_right(d, type))
		puts_(d, " ");
}

static void print_encoding(struct demangler *d, uint32_t k)
{
	const struct node *n = &d->node[k], *f = &d->node[n->b];
	bool top = d->signature == k;

	d->signature = 0;
	if (f->a)
		print_result(d, f->a);
	if (top)
		d->part.at = d->out->len - d->start;
	demangle_print(d, n->a);
	if (top)
		d->part.len = d->out->len - d->start - d->part.at;
	print_function_right(d, f);
}

static bool is_reference(const struct node *n) { return n->kind == POINTER && n->text[0] == '&'; }

/* A reference to a reference is one. */
static struct node collapsed(const struct demangler *d, const struct node *n)
{
	struct node r = *n;

	for (int limit = 0; is_reference(&r) && limit < DEPTH; limit++) {
		uint32_t to = resolved(d, r.a);

		if (!to || !is_reference(&d->node[to]))
			break;
		if (d->node[to].len < r.len) {
			r.text = d->node[to].text;
			r.len = d->node[to].len;
		}
		r.a = d->node[to].a;
	}
	return r;
}

/* What encloses the declarators of an array or a function: " (*". */
static void open_declarator(struct demangler *d, uint32_t type)
{
	uint32_t k = resolved(d, type);

	while (k && d->node[k].kind == QUALIFIER)
		k = resolved(d, d->node[k].a);
	if (k && d->node[k].kind == ARRAY)
		puts_(d, " ");
	puts_(d, "(");
}

static void print_qualifier(struct demangler *d, const struct node *n)
{
	uint32_t inner = resolved(d, n->a);

	print_left(d, n->a);
	if (inner && d->node[inner].kind == QUALIFIER && !n->b && !d->node[inner].b &&
		d->node[inner].len == n->len && !memcmp(d->node[inner].text, n->text, n->len))
		return;
	put(d, n->text, n->len);
	if (n->b)
		demangle_print(d, n->b);
}

static void print_node(struct demangler *d, uint32_t k)
{
	const struct node *n = &d->node[k];
	struct node p;

	switch (n->kind) {
	case NONE: break;
	case NAME: put(d, n->text, n->len); break;
	case LOCAL:
	case QUALIFIED: {
		uint32_t outer = d->signature;

		d->signature = 0;
		demangle_print(d, n->a);
		puts_(d, "::");
		demangle_print(d, n->b);
		d->signature = outer;
		break;
	}
	case TEMPLATE:
		demangle_print(d, n->a);
		print_template_args(d, n->b);
		break;
	case LIST: print_list(d, k); break;
	case PACK: print_list(d, n->a); break;
	case FORWARD: break;
	case STRUCTOR:
		if (n->n)
			puts_(d, "~");
		demangle_print(d, n->a);
		break;
	case TAGGED:
		demangle_print(d, n->a);
		puts_(d, "[abi:");
		demangle_print(d, n->b);
		puts_(d, "]");
		break;
	case LAMBDA:
		puts_(d, "{lambda(");
		print_list(d, n->a);
		puts_(d, ")#");
		put_number(d, n->n);
		puts_(d, "}");
		break;
	case UNNAMED:
		puts_(d, "{unnamed type#");
		put_number(d, n->n);
		puts_(d, "}");
		break;
	case DEFAULT:
		puts_(d, "{default arg#");
		put_number(d, n->n);
		puts_(d, "}::");
		demangle_print(d, n->a);
		break;
	case BINDING:
		puts_(d, "[");
		print_list(d, n->a);
		puts_(d, "]");
		break;
	case OPERATOR: print_operator(d, n->n); break;
	case CONVERSION:
		puts_(d, "operator ");
		demangle_print(d, n->a);
		break;
	case QUALIFIER: print_qualifier(d, n); break;
	case POINTER:
		p = collapsed(d, n);
		print_left(d, p.a);
		if (is_declarator(d, p.a))
			open_declarator(d, p.a);
		put(d, p.text, p.len);
		break;
	case FUNCTION:
		if (n->a)
			print_result(d, n->a);
		break;
	case ARRAY: print_left(d, n->a); break;
	case MEMBER:
		print_left(d, n->b);
		if (is_declarator(d, n->b))
			open_declarator(d, n->b);
		else
			puts_(d, " ");
		demangle_print(d, n->a);
		puts_(d, "::*");
		break;
	case VECTOR:
		demangle_print(d, n->a);
		puts_(d, " __vector(");
		if (n->b)
			demangle_print(d, n->b);
		puts_(d, ")");
		break;
	case EXPANSION: print_expansion(d, n); break;
	case ENCODING: print_encoding(d, k); break;
	case SPECIAL:
		put(d, n->text, n->len);
		if (n->n)
			put_number(d, n->n);
		if (n->n && n->text[0] == '{')
			puts_(d, "}");
		if (n->a)
			demangle_print(d, n->a);
		if (n->c) {
			puts_(d, "-in-");
			demangle_print(d, n->c);
		}
		break;
	case CLONE:
		demangle_print(d, n->a);
		puts_(d, " [clone ");
		put(d, n->text, n->len);
		puts_(d, "]");
		break;
	case LITERAL: print_literal(d, n); break;
	case CALL:
		if (d->node[n->a].kind == ENCODING)
			print_operand(d, d->node[n->a].a);
		else
			print_operand(d, n->a);
		puts_(d, "(");
		print_list(d, n->b);
		puts_(d, ")");
		break;
	case UNARY: print_unary(d, n); break;
	case BINARY: print_binary(d, n); break;
	case TERNARY:
		print_operand(d, n->a);
		puts_(d, "?");
		print_operand(d, n->b);
		puts_(d, " : ");
		print_operand(d, n->c);
		break;
	case CAST:
		puts_(d, "(");
		demangle_print(d, n->a);
		puts_(d, ")");
		if (n->n) {
			puts_(d, "(");
			print_list(d, n->b);
			puts_(d, ")");
		} else {
			print_operand(d, n->b);
		}
		break;
	case NAMED_CAST:
		puts_(d, demangle_operators[n->n].text);
		puts_(d, "<");
		demangle_print(d, n->a);
		puts_(d, ">(");
		demangle_print(d, n->b);
		puts_(d, ")");
		break;
	case BRACED:
		if (n->a)
			demangle_print(d, n->a);
		puts_(d, "{");
		print_list(d, n->b);
		puts_(d, "}");
		break;
	case FOLD: print_fold(d, n); break;
	case WRAPPED:
		put(d, n->text, n->len);
		demangle_print(d, n->a);
		puts_(d, ")");
		break;
	}
}

static void print_left(struct demangler *d, uint32_t k)
{
	k = resolved(d, k);
	if (!k || d->failed)
		return;
	if (++d->steps > STEPS || ++d->depth > DEPTH)
		d->failed = true;
	else
		print_node(d, k);
	d->depth--;
}

static void print_right(struct demangler *d, uint32_t k)
{
	const struct node *n;
	struct node p;

	k = resolved(d, k);
	if (!k || d->failed)
		return;
	if (++d->steps > STEPS || ++d->depth > DEPTH) {
		d->failed = true;
		d->depth--;
		return;
	}
	n = &d->node[k];
	if (n->kind == QUALIFIER) {
		print_right(d, n->a);
	} else if (n->kind == POINTER) {
		p = collapsed(d, n);
		if (is_declarator(d, p.a))
			puts_(d, ")");
		print_right(d, p.a);
	} else if (n->kind == MEMBER) {
		if (is_declarator(d, n->b))
			puts_(d, ")");
		print_right(d, n->b);
	} else if (n->kind == FUNCTION) {
		print_function_right(d, n);
	} else if (n->kind == ARRAY) {
		if (last_char(d) != ']')
			puts_(d, " ");
		puts_(d, "[");
		if (n->b)
			demangle_print(d, n->b);
		puts_(d, "]");
		print_right(d, n->a);
	}
	d->depth--;
}

void demangle_print(struct demangler *d, uint32_t k)
{
	print_left(d, k);
	print_right(d, k);
}
