/* Demangling in two steps: a recursive descent over the symbol makes a tree, in which substitutions
 * share nodes; demangle_print.c prints the tree. */
#include "base/demangle_tree.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* Builtin types: codes of one letter; and how a literal of the type is written. */
static const char *builtin(char c)
{
	switch (c) {
	case 'v': return "void";
	case 'w': return "wchar_t";
	case 'b': return "bool";
	case 'c': return "char";
	case 'a': return "signed char";
	case 'h': return "unsigned char";
	case 's': return "short";
	case 't': return "unsigned short";
	case 'i': return "int";
	case 'j': return "unsigned int";
	case 'l': return "long";
	case 'm': return "unsigned long";
	case 'x': return "long long";
	case 'y': return "unsigned long long";
	case 'n': return "__int128";
	case 'o': return "unsigned __int128";
	case 'f': return "float";
	case 'd': return "double";
	case 'e': return "long double";
	case 'g': return "__float128";
	case 'z': return "...";
	default: return NULL;
	}
}

/* The same for two letters, the first D. */
static const char *builtin_d(char c)
{
	switch (c) {
	case 'd': return "decimal64";
	case 'e': return "decimal128";
	case 'f': return "decimal32";
	case 'h': return "half";
	case 'i': return "char32_t";
	case 's': return "char16_t";
	case 'u': return "char8_t";
	case 'a': return "auto";
	case 'c': return "decltype(auto)";
	case 'n': return "decltype(nullptr)";
	default: return NULL;
	}
}

/* ---- the tree ---- */

static uint32_t make_node(struct demangler *d, enum kind kind, uint32_t a, uint32_t b)
{
	if (d->nodes == NODES)
		return 0;
	if (d->nodes == d->cap) {
		d->cap = d->cap ? 2 * d->cap : 64;
		d->node = memory_resize(d->node, d->cap * sizeof *d->node);
		if (!d->nodes)
			d->node[0] = (struct node){0};
	}
	d->node[d->nodes] = (struct node){.kind = kind,
		.a = a,
		.b = b,
		.has_auto = kind != LAMBDA && (d->node[a].has_auto || d->node[b].has_auto)};
	return d->nodes++;
}

static uint32_t make_text(struct demangler *d, enum kind kind, uint32_t a, const char *text)
{
	uint32_t k = make_node(d, kind, a, 0);

	if (k) {
		d->node[k].text = text;
		d->node[k].len = (uint32_t)strlen(text);
	}
	return k;
}

static uint32_t make_number(struct demangler *d, enum kind kind, uint32_t a, uint32_t n)
{
	uint32_t k = make_node(d, kind, a, 0);

	if (k)
		d->node[k].n = n;
	return k;
}

/* Appends ELEMENT to the list that *FIRST begins and *LAST ends. */
static bool append(struct demangler *d, uint32_t *first, uint32_t *last, uint32_t element)
{
	uint32_t k = element ? make_node(d, LIST, element, 0) : 0;

	if (!k)
		return false;
	if (*last)
		d->node[*last].b = k;
	else
		*first = k;
	d->node[*first].has_auto |= d->node[element].has_auto;
	*last = k;
	return true;
}

/* Makes K the next substitution; returns K. */
static uint32_t remember(struct demangler *d, uint32_t k)
{
	if (!k)
		return 0;
	if (d->subs == d->subs_cap) {
		d->subs_cap = d->subs_cap ? 2 * d->subs_cap : 32;
		d->sub = memory_resize(d->sub, d->subs_cap * sizeof *d->sub);
	}
	d->sub[d->subs++] = k;
	return k;
}

/* ---- the symbol ---- */

static char peek(const struct demangler *d) { return d->s < d->end ? *d->s : '\0'; }
static char peek_next(const struct demangler *d) { return d->end - d->s > 1 ? d->s[1] : '\0'; }

static bool accept(struct demangler *d, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(d->end - d->s) < n || memcmp(d->s, text, n) != 0)
		return false;
	d->s += n;
	return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

static bool number(struct demangler *d, uint32_t *n)
{
	if (!is_digit(peek(d)))
		return false;
	for (*n = 0; is_digit(peek(d)); d->s++) {
		if (*n > 100000000)
			return false;
		*n = *n * 10 + (uint32_t)(*d->s - '0');
	}
	return true;
}

/* "_" is 0, "0_" is 1, ... */
static bool compact(struct demangler *d, uint32_t *n)
{
	*n = 0;
	if (accept(d, "_"))
		return true;
	if (!number(d, n))
		return false;
	++*n;
	return accept(d, "_");
}

/* Enters a level of recursion; false if there are too many. */
static bool enter(struct demangler *d) { return ++d->depth <= DEPTH; }

static uint32_t parse_type(struct demangler *d);
static uint32_t parse_name(struct demangler *d);
static uint32_t parse_encoding(struct demangler *d, bool top);
static uint32_t parse_expression(struct demangler *d);
static uint32_t parse_template_args(struct demangler *d, bool tag);
static uint32_t parse_unqualified(struct demangler *d);

static uint32_t source_name(struct demangler *d)
{
	uint32_t n, k;

	if (!number(d, &n) || !n || n > (size_t)(d->end - d->s))
		return 0;
	if (n >= 10 && !memcmp(d->s, "_GLOBAL_", 8) && strchr("_.$", d->s[8]) && d->s[9] == 'N') {
		k = make_text(d, NAME, 0, "(anonymous namespace)");
	} else {
		k = make_node(d, NAME, 0, 0);
		if (k) {
			d->node[k].text = d->s;
			d->node[k].len = n;
		}
	}
	d->s += n;
	d->name = k;
	return k;
}

static int find_operator(const struct demangler *d)
{
	if (d->end - d->s >= 2)
		for (int k = 0; *demangle_operators[k].code; k++)
			if (!memcmp(demangle_operators[k].code, d->s, 2))
				return k;
	return -1;
}

/* Types up to E or the end of the list, of which a single void is none. */
static bool parse_types(struct demangler *d, uint32_t *first)
{
	uint32_t last = 0;

	*first = 0;
	if (peek(d) == 'v' && (d->end - d->s == 1 || strchr("E.ROQ", d->s[1]))) {
		d->s++;
		return true;
	}
	while (peek(d) && peek(d) != 'E' && peek(d) != '.') {
		if ((peek(d) == 'R' || peek(d) == 'O') && peek_next(d) == 'E')
			break;
		if (!append(d, first, &last, parse_type(d)))
			return false;
	}
	return last != 0;
}

static uint32_t parse_lambda(struct demangler *d)
{
	bool outer = d->in_lambda;
	uint32_t list, n, k;

	d->in_lambda = true;
	if (!parse_types(d, &list))
		return 0;
	d->in_lambda = outer;
	if (!accept(d, "E") || !compact(d, &n))
		return 0;
	k = make_number(d, LAMBDA, list, n + 1);
	return k;
}

static uint32_t parse_structor(struct demangler *d)
{
	bool destructor = peek(d) == 'D';

	d->s++;
	if (!destructor && accept(d, "I")) {
		if (peek(d) < '1' || peek(d) > '5')
			return 0;
		d->s++;
		return parse_type(d) ? make_number(d, STRUCTOR, d->name, 0) : 0;
	}
	if (peek(d) < '0' || peek(d) > '5')
		return 0;
	d->s++;
	return d->name ? make_number(d, STRUCTOR, d->name, destructor) : 0;
}

static uint32_t parse_operator_name(struct demangler *d)
{
	int row;

	if (accept(d, "cv")) {
		bool outer = d->in_conversion;
		uint32_t type;

		d->in_conversion = true;
		type = parse_type(d);
		d->in_conversion = outer;
		return type ? make_node(d, CONVERSION, type, 0) : 0;
	}
	if (accept(d, "li")) {
		uint32_t name = source_name(d);

		return name ? make_text(d, SPECIAL, name, "operator\"\" ") : 0;
	}
	row = find_operator(d);
	if (row < 0)
		return 0;
	d->s += 2;
	return make_number(d, OPERATOR, 0, (uint32_t)row);
}

static uint32_t parse_unqualified(struct demangler *d)
{
	uint32_t k = 0, n;

	if (peek(d) == 'L' && is_digit(peek_next(d)))
		d->s++;
	if (is_digit(peek(d))) {
		k = source_name(d);
	} else if (accept(d, "Ul")) {
		k = parse_lambda(d);
	} else if (accept(d, "Ut")) {
		k = compact(d, &n) ? make_number(d, UNNAMED, 0, n + 1) : 0;
	} else if (accept(d, "DC")) {
		uint32_t first = 0, last = 0;

		while (!accept(d, "E"))
			if (!append(d, &first, &last, source_name(d)))
				return 0;
		k = make_node(d, BINDING, first, 0);
	} else if (peek(d) == 'C' || peek(d) == 'D') {
		k = parse_structor(d);
	} else if (is_lower(peek(d))) {
		k = parse_operator_name(d);
	}
	while (k && accept(d, "B")) {
		uint32_t outer = d->name, tag = source_name(d);

		d->name = outer;
		k = tag ? make_node(d, TAGGED, k, tag) : 0;
	}
	return k;
}

static uint32_t parse_param(struct demangler *d)
{
	uint32_t n;

	if (!accept(d, "T") || !compact(d, &n))
		return 0;
	if (d->in_lambda) {
		uint32_t k = make_text(d, SPECIAL, 0, "auto:");

		if (k) {
			d->node[k].n = n + 1;
			d->node[k].has_auto = true;
		}
		return k;
	}
	if (d->in_conversion && d->forwards < 64) {
		uint32_t k = make_number(d, FORWARD, 0, n);

		d->forward[d->forwards++] = k;
		return k;
	}
	if (n < d->params) /* a pack by its name is one element of it, in an expansion */
		return d->node[d->param[n]].kind == PACK ? make_node(d, FORWARD, d->param[n], 0)
							 : d->param[n];
	return 0;
}

/* What S followed by a letter stands for, and the class's own name. */
static uint32_t parse_std(struct demangler *d, char c)
{
	static const char *const name[] = {"std::allocator", "std::basic_string",
		"std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
		"std::basic_istream<char, std::char_traits<char> >",
		"std::basic_ostream<char, std::char_traits<char> >",
		"std::basic_iostream<char, std::char_traits<char> >"};
	static const char *const plain[] = {"allocator", "basic_string", "basic_string",
		"basic_istream", "basic_ostream", "basic_iostream"};
	const char *at = strchr("absiod", c);

	if (!c || !at)
		return 0;
	d->name = make_text(d, NAME, 0, plain[at - "absiod" + 0]);
	return make_text(d, NAME, 0, name[at - "absiod"]);
}

/* K outside of the lambda in which it was first: the lambda's T_ becomes this function's. */
static uint32_t outside_lambda(struct demangler *d, uint32_t k)
{
	struct node n = d->node[k];
	uint32_t copy = 0;

	if (!n.has_auto || d->in_lambda || ++d->steps > STEPS)
		return k;
	if (n.kind == SPECIAL && n.n)
		return n.n <= d->params ? d->param[n.n - 1] : k;
	if (enter(d)) {
		n.a = outside_lambda(d, n.a);
		n.b = outside_lambda(d, n.b);
		copy = make_node(d, n.kind, n.a, n.b);
	}
	d->depth--;
	if (copy) {
		n.has_auto = d->node[copy].has_auto;
		d->node[copy] = n;
	}
	return copy;
}

static uint32_t parse_substitution(struct demangler *d)
{
	uint32_t n = 0, k;

	if (!accept(d, "S"))
		return 0;
	if (accept(d, "_"))
		return d->subs ? outside_lambda(d, d->sub[0]) : 0;
	if (is_digit(peek(d)) || (peek(d) >= 'A' && peek(d) <= 'Z')) {
		for (; !accept(d, "_"); d->s++) {
			char c = peek(d);

			if (!(is_digit(c) || (c >= 'A' && c <= 'Z')) || n > 100000)
				return 0;
			n = n * 36 + (uint32_t)(is_digit(c) ? c - '0' : c - 'A' + 10);
		}
		return n + 1 < d->subs ? outside_lambda(d, d->sub[n + 1]) : 0;
	}
	k = parse_std(d, peek(d));
	d->s += k != 0;
	return k;
}

/* St and an unqualified name. */
static uint32_t parse_std_name(struct demangler *d)
{
	uint32_t std = accept(d, "St") ? make_text(d, NAME, 0, "std") : 0,
		 name = std ? parse_unqualified(d) : 0;

	return name ? make_node(d, QUALIFIED, std, name) : 0;
}

/* The qualifiers of a type or a function, in the order of the symbol; each applies to the rest. */
static uint32_t apply_qualifiers(
	struct demangler *d, const char *from, const char *to, uint32_t type)
{
	while (type && to-- > from)
		type = make_text(d, QUALIFIER, type,
			*to == 'K'           ? " const"
				: *to == 'V' ? " volatile"
					     : " restrict");
	return type;
}

static const char *skip_qualifiers(struct demangler *d)
{
	const char *at = d->s;

	while (peek(d) && strchr("rVK", peek(d)))
		d->s++;
	return at;
}

/* What is printed after the parameters of a function with qualifiers [FROM, TO) and a reference. */
static const char *after_parameters(const char *from, const char *to, char ref)
{
	static const char *const text[3][4] = {{"", " const", " volatile", " const volatile"},
		{" &", " const &", " volatile &", " const volatile &"},
		{" &&", " const &&", " volatile &&", " const volatile &&"}};
	unsigned k = 0;

	for (; from < to; from++)
		k |= *from == 'K' ? 1u : *from == 'V' ? 2u : 0u;
	return text[ref == 'R' ? 1 : ref == 'O' ? 2 : 0][k];
}

/* N ... E. The qualifiers of a member function go to *AFTER. */
static uint32_t parse_nested(struct demangler *d, const char **after)
{
	const char *from, *to;
	uint32_t k = 0;
	char ref = 0;

	if (!accept(d, "N"))
		return 0;
	from = skip_qualifiers(d);
	to = d->s;
	if (peek(d) == 'R' || peek(d) == 'O')
		ref = *d->s++;
	*after = after_parameters(from, to, ref);
	while (!accept(d, "E")) {
		char c = peek(d);
		uint32_t part = 0;

		if (c == 'S' && peek_next(d) != 't') {
			if (k)
				return 0;
			part = parse_substitution(d);
		} else if (accept(d, "St")) {
			part = make_text(d, NAME, 0, "std");
		} else if (c == 'I') {
			uint32_t args = k ? parse_template_args(d, true) : 0;

			k = args ? make_node(d, TEMPLATE, k, args) : 0;
			if (!k)
				return 0;
			if (peek(d) != 'E')
				remember(d, k);
			continue;
		} else if (c == 'T') {
			part = k ? 0 : parse_param(d);
		} else if (c == 'D' && (peek_next(d) == 't' || peek_next(d) == 'T')) {
			part = k ? 0 : parse_type(d);
			if (!part)
				return 0;
			k = part; /* already a substitution */
			continue;
		} else if (c == 'M' && k) {
			d->s++;
			continue;
		} else {
			part = parse_unqualified(d);
		}
		if (!part)
			return 0;
		k = k ? make_node(d, QUALIFIED, k, part) : part;
		if (!k)
			return 0;
		if (c != 'S' && peek(d) != 'E')
			remember(d, k);
	}
	return k;
}

static bool discriminator(struct demangler *d)
{
	uint32_t n;

	if (peek(d) != '_')
		return true;
	if (peek_next(d) == '_') {
		d->s += 2;
		return number(d, &n) && accept(d, "_");
	}
	if (!is_digit(peek_next(d)))
		return false;
	d->s += 2;
	return true;
}

static uint32_t parse_name_of(struct demangler *d, const char **after);

static uint32_t parse_local(struct demangler *d, const char **after)
{
	uint32_t encoding, entity, n;

	if (!accept(d, "Z"))
		return 0;
	encoding = parse_encoding(d, false);
	if (!encoding || !accept(d, "E"))
		return 0;
	if (accept(d, "s")) {
		entity = make_text(d, NAME, 0, "string literal");
		return discriminator(d) ? make_node(d, LOCAL, encoding, entity) : 0;
	}
	if (accept(d, "d")) {
		if (!compact(d, &n))
			return 0;
		entity = parse_name_of(d, after);
		entity = entity ? make_number(d, DEFAULT, entity, n + 1) : 0;
	} else {
		entity = parse_name_of(d, after);
	}
	if (!entity || !discriminator(d))
		return 0;
	return make_node(d, LOCAL, encoding, entity);
}

static uint32_t parse_name_body(struct demangler *d, const char **after)
{
	uint32_t k, args;
	bool known = false;

	switch (peek(d)) {
	case 'N': return parse_nested(d, after);
	case 'Z': return parse_local(d, after);
	case 'S':
		known = peek_next(d) != 't';
		k = known ? parse_substitution(d) : parse_std_name(d);
		break;
	default: k = parse_unqualified(d); break;
	}
	if (!k || peek(d) != 'I')
		return k;
	if (!known)
		remember(d, k);
	args = parse_template_args(d, true);
	return args ? make_node(d, TEMPLATE, k, args) : 0;
}

static uint32_t parse_name_of(struct demangler *d, const char **after)
{
	uint32_t k = enter(d) ? parse_name_body(d, after) : 0;

	d->depth--;
	return k;
}

static uint32_t parse_name(struct demangler *d)
{
	const char *after = "";

	return parse_name_of(d, &after);
}

static uint32_t parse_literal(struct demangler *d)
{
	uint32_t type, k;
	bool negative;
	const char *from;

	if (!accept(d, "L"))
		return 0;
	if (accept(d, "_Z") || (peek(d) == 'Z' && (d->s++, true))) {
		k = parse_encoding(d, true);
		return k && accept(d, "E") ? k : 0;
	}
	type = parse_type(d);
	negative = accept(d, "n");
	from = d->s;
	while (peek(d) && peek(d) != 'E')
		d->s++;
	k = type ? make_node(d, LITERAL, type, 0) : 0;
	if (!k)
		return 0;
	d->node[k].text = from;
	d->node[k].len = (uint32_t)(d->s - from);
	d->node[k].n = negative;
	return accept(d, "E") ? k : 0;
}

static uint32_t parse_template_arg(struct demangler *d)
{
	uint32_t k;

	switch (peek(d)) {
	case 'X':
		d->s++;
		k = parse_expression(d);
		return k && accept(d, "E") ? k : 0;
	case 'L': return parse_literal(d);
	case 'I':
	case 'J':
		k = parse_template_args(d, false);
		return k ? make_node(d, PACK, d->node[k].a ? k : 0, 0) : 0;
	default: return parse_type(d);
	}
}

/* The list of arguments, never 0 unless they are wrong: an empty list has no element. TAG: T_ means
 * these arguments from here on. */
static uint32_t parse_template_args(struct demangler *d, bool tag)
{
	uint32_t first = 0, last = 0, outer = d->name, n = 0, args[PARAMS];

	if (!accept(d, "I") && !accept(d, "J"))
		return 0;
	if (!enter(d)) {
		d->depth--;
		return 0;
	}
	while (!accept(d, "E")) {
		uint32_t k = parse_template_arg(d);

		if (!append(d, &first, &last, k)) {
			d->depth--;
			return 0;
		}
		if (n < PARAMS)
			args[n++] = k;
	}
	d->depth--;
	if (tag && !d->in_lambda) {
		memcpy(d->param, args, n * sizeof *args);
		d->params = n;
	}
	d->name = outer;
	return first ? first : make_node(d, LIST, 0, 0);
}

static uint32_t parse_function(struct demangler *d, const char *from, const char *to)
{
	uint32_t result, list, noexcepted = 0, k;
	const char *said = "";
	char ref = 0;

	if (accept(d, "Do")) {
		said = " noexcept";
	} else if (accept(d, "DO")) {
		noexcepted = parse_expression(d);
		if (!noexcepted || !accept(d, "E"))
			return 0;
	} else if (accept(d, "Dx")) {
		said = " transaction_safe";
	}
	if (!accept(d, "F"))
		return 0;
	accept(d, "Y");
	result = parse_type(d);
	if (!result || !parse_types(d, &list))
		return 0;
	if (peek(d) == 'R' || peek(d) == 'O')
		ref = *d->s++;
	if (!accept(d, "E"))
		return 0;
	k = make_node(d, FUNCTION, result, list);
	if (k && *said)
		k = make_text(d, SPECIAL, k, said); /* unpacked below */
	if (!k)
		return 0;
	if (d->node[k].kind == SPECIAL) {
		uint32_t inner = d->node[k].a;

		d->node[inner].c = k;
		k = inner;
	} else {
		d->node[k].c = noexcepted;
	}
	d->node[k].text = after_parameters(from, to, ref);
	d->node[k].len = (uint32_t)strlen(d->node[k].text);
	return k;
}

static bool at_function(const struct demangler *d)
{
	return peek(d) == 'F' ||
		(peek(d) == 'D' && peek_next(d) && strchr("oOx", peek_next(d)) != NULL);
}

static uint32_t parse_array(struct demangler *d, enum kind kind)
{
	uint32_t size = 0, type, k;

	if (is_digit(peek(d))) {
		const char *from = d->s;

		while (is_digit(peek(d)))
			d->s++;
		size = make_node(d, NAME, 0, 0);
		if (!size)
			return 0;
		d->node[size].text = from;
		d->node[size].len = (uint32_t)(d->s - from);
	} else if (peek(d) != '_') {
		size = parse_expression(d);
		if (!size)
			return 0;
	}
	if (!accept(d, "_"))
		return 0;
	type = parse_type(d);
	k = type ? make_node(d, kind, type, size) : 0;
	return k;
}

static uint32_t parse_d_type(struct demangler *d, bool *known)
{
	const char *name = builtin_d(peek_next(d));
	uint32_t k;

	if (name) {
		d->s += 2;
		*known = true;
		return make_text(d, NAME, 0, name);
	}
	if (at_function(d))
		return parse_function(d, NULL, NULL);
	if (accept(d, "Dt") || accept(d, "DT")) {
		k = parse_expression(d);
		k = k && accept(d, "E") ? make_text(d, WRAPPED, k, "decltype (") : 0;
		return k;
	}
	if (accept(d, "Dp")) {
		k = parse_type(d);
		return k ? make_node(d, EXPANSION, k, 0) : 0;
	}
	if (accept(d, "Dv"))
		return parse_array(d, VECTOR);
	if (accept(d, "DF16b")) {
		*known = true;
		return make_text(d, NAME, 0, "std::bfloat16_t");
	}
	if (accept(d, "DF")) {
		const char *from = d->s;

		while (is_digit(peek(d)))
			d->s++;
		k = make_text(d, SPECIAL, 0, "_Float");
		if (!k || d->s == from || d->s - from > 4)
			return 0;
		d->node[k].n = (uint32_t)strtoul(from, NULL, 10);
		*known = true;
		return accept(d, "_") ? k : accept(d, "x") ? k : 0;
	}
	return 0;
}

static uint32_t parse_pointer(struct demangler *d, const char *text)
{
	uint32_t type;

	d->s++;
	type = parse_type(d);
	return type ? make_text(d, POINTER, type, text) : 0;
}

static uint32_t parse_type_body(struct demangler *d, bool *known)
{
	uint32_t k, args;
	const char *from, *name;

	switch (peek(d)) {
	case 'r':
	case 'V':
	case 'K':
		from = skip_qualifiers(d);
		if (at_function(d))
			return parse_function(d, from, d->s);
		name = d->s;
		return apply_qualifiers(d, from, name, parse_type(d));
	case 'P': return parse_pointer(d, "*");
	case 'R': return parse_pointer(d, "&");
	case 'O': return parse_pointer(d, "&&");
	case 'C':
		d->s++;
		k = parse_type(d);
		return k ? make_text(d, QUALIFIER, k, " _Complex") : 0;
	case 'G':
		d->s++;
		k = parse_type(d);
		return k ? make_text(d, QUALIFIER, k, " _Imaginary") : 0;
	case 'F': return parse_function(d, NULL, NULL);
	case 'A': d->s++; return parse_array(d, ARRAY);
	case 'M':
		d->s++;
		k = parse_type(d);
		args = k ? parse_type(d) : 0;
		return args ? make_node(d, MEMBER, k, args) : 0;
	case 'T':
		k = parse_param(d);
		if (!k || peek(d) != 'I' || d->in_conversion)
			return k;
		remember(d, k);
		args = parse_template_args(d, false);
		return args ? make_node(d, TEMPLATE, k, args) : 0;
	case 'S':
		if (peek_next(d) == 't')
			return parse_name(d);
		k = parse_substitution(d);
		if (!k || peek(d) != 'I') {
			*known = true;
			return k;
		}
		args = parse_template_args(d, false);
		return args ? make_node(d, TEMPLATE, k, args) : 0;
	case 'D': return parse_d_type(d, known);
	case 'U': {
		uint32_t outer = d->name;

		if (peek_next(d) == 'l' || peek_next(d) == 't')
			return parse_name(d);
		d->s++;
		k = source_name(d);
		d->name = outer;
		if (k && peek(d) == 'I')
			return 0;
		args = k ? parse_type(d) : 0;
		if (!args)
			return 0;
		args = make_text(d, QUALIFIER, args, " ");
		if (args)
			d->node[args].b = k;
		return args;
	}
	case 'u': d->s++; return source_name(d);
	case 'N':
	case 'Z': return parse_name(d);
	default:
		if (is_digit(peek(d)))
			return parse_name(d);
		name = builtin(peek(d));
		if (!name)
			return 0;
		d->s++;
		*known = true;
		return make_text(d, NAME, 0, name);
	}
}

static uint32_t parse_type(struct demangler *d)
{
	uint32_t params = d->params, saved[PARAMS], k = 0;
	bool known = false;

	/* The arguments of a type that is named are not those of the function. */
	memcpy(saved, d->param, params * sizeof *saved);
	if (enter(d))
		k = parse_type_body(d, &known);
	d->depth--;
	memcpy(d->param, saved, params * sizeof *saved);
	d->params = params;
	return known ? k : remember(d, k);
}

/* ---- expressions ---- */

/* Expressions up to END, which is consumed. */
static bool parse_expressions(struct demangler *d, const char *end, uint32_t *first)
{
	uint32_t last = 0;

	*first = 0;
	while (!accept(d, end))
		if (!append(d, first, &last, parse_expression(d)))
			return false;
	return true;
}

/* A name in an expression, with arguments if it has any. */
static uint32_t parse_base_name(struct demangler *d)
{
	uint32_t k, args;

	if (accept(d, "on"))
		k = parse_operator_name(d);
	else if (accept(d, "dn"))
		k = is_digit(peek(d)) ? source_name(d) : parse_type(d),
		k = k ? make_number(d, STRUCTOR, k, 1) : 0;
	else
		k = source_name(d);
	if (!k || peek(d) != 'I')
		return k;
	args = parse_template_args(d, false);
	return args ? make_node(d, TEMPLATE, k, args) : 0;
}

/* Names up to E, in K if there is one, and the last name after it. */
static uint32_t parse_levels(struct demangler *d, uint32_t k)
{
	uint32_t name;

	do {
		name = parse_base_name(d);
		k = name && k ? make_node(d, QUALIFIED, k, name) : name;
		if (!k)
			return 0;
	} while (!accept(d, "E"));
	name = parse_base_name(d);
	return name ? make_node(d, QUALIFIED, k, name) : 0;
}

/* sr: a name in a type or in a chain of names. */
static uint32_t parse_scoped(struct demangler *d)
{
	const char *at = d->s;
	uint32_t k, name, subs = d->subs;

	if (accept(d, "N")) {
		k = parse_type(d);
		return k ? parse_levels(d, k) : 0;
	}
	if (is_digit(peek(d))) {
		k = parse_levels(d, 0);
		if (k)
			return k;
		d->s = at; /* the older form: a type and a name */
		d->subs = subs;
	}
	k = parse_type(d);
	name = k ? parse_base_name(d) : 0;
	return name ? make_node(d, QUALIFIED, k, name) : 0;
}

static uint32_t parse_fold(struct demangler *d)
{
	const char *which = d->s;
	uint32_t k, a, b = 0;
	int row;

	d->s += 2;
	row = find_operator(d);
	if (row < 0)
		return 0;
	d->s += 2;
	a = parse_expression(d);
	if (a && (which[1] == 'L' || which[1] == 'R') && (b = parse_expression(d)) == 0)
		return 0;
	k = a ? make_node(d, FOLD, a, b) : 0;
	if (k) {
		d->node[k].n = (uint32_t)row;
		d->node[k].text = which + 1;
		d->node[k].len = 1;
	}
	return k;
}

static uint32_t parse_function_parameter(struct demangler *d)
{
	uint32_t n, k;

	d->s += 2;
	if (accept(d, "T"))
		return make_text(d, NAME, 0, "this");
	if (d->s[-1] == 'L' && (!number(d, &n) || !accept(d, "p")))
		return 0;
	skip_qualifiers(d);
	if (!compact(d, &n))
		return 0;
	k = make_text(d, SPECIAL, 0, "{parm#");
	if (k)
		d->node[k].n = n + 1;
	return k;
}

static uint32_t parse_operands(struct demangler *d, int row)
{
	const struct demangle_operator *o = &demangle_operators[row];
	uint32_t a, b = 0, c = 0, k;
	bool type = !strcmp(o->code, "st") || !strcmp(o->code, "at") || !strcmp(o->code, "ti");

	d->s += 2;
	if (!strcmp(o->code, "cl")) {
		a = parse_expression(d);
		return a && parse_expressions(d, "E", &b) ? make_node(d, CALL, a, b) : 0;
	}
	if (!strcmp(o->code, "sP")) {
		uint32_t last = 0;

		while (!accept(d, "E"))
			if (!append(d, &b, &last, parse_template_arg(d)))
				return 0;
		a = make_node(d, PACK, b, 0);
	} else if (o->text[strlen(o->text) - 1] == 't' && o->code[1] == 'c') {
		a = parse_type(d);
		b = a ? parse_expression(d) : 0;
		k = b ? make_node(d, NAMED_CAST, a, b) : 0;
		if (k)
			d->node[k].n = (uint32_t)row;
		return k;
	} else if (!strcmp(o->code, "pp") || !strcmp(o->code, "mm")) {
		uint32_t prefix = accept(d, "_");

		a = parse_expression(d);
		k = a ? make_number(d, UNARY, a, (uint32_t)row) : 0;
		if (k)
			d->node[k].b = !prefix;
		return k;
	} else if (!strcmp(o->code, "nw") || !strcmp(o->code, "na")) {
		return 0;
	} else {
		a = type ? parse_type(d) : parse_expression(d);
	}
	if (!a)
		return 0;
	if (o->operands == 1)
		return make_number(d, UNARY, a, (uint32_t)row);
	if ((!strcmp(o->code, "dt") || !strcmp(o->code, "pt")) && is_digit(peek(d)))
		b = parse_base_name(d);
	else
		b = parse_expression(d);
	if (!b)
		return 0;
	if (o->operands == 3) {
		c = parse_expression(d);
		k = c ? make_node(d, TERNARY, a, b) : 0;
		if (k)
			d->node[k].c = c;
		return k;
	}
	k = make_node(d, BINARY, a, b);
	if (k)
		d->node[k].n = (uint32_t)row;
	return k;
}

static uint32_t parse_expression_body(struct demangler *d)
{
	char c = peek(d), next = peek_next(d);
	uint32_t a, b, k;
	int row;

	if (c == 'L')
		return parse_literal(d);
	if (c == 'T')
		return parse_param(d);
	if (accept(d, "sr"))
		return parse_scoped(d);
	if (accept(d, "sp")) {
		k = parse_expression(d);
		return k ? make_node(d, EXPANSION, k, 0) : 0;
	}
	if (c == 'f' && (next == 'p' || (next == 'L' && d->end - d->s > 2 && is_digit(d->s[2]))))
		return parse_function_parameter(d);
	if (c == 'f' && next && strchr("lrLR", next))
		return parse_fold(d);
	if (is_digit(c) || (c == 'o' && next == 'n') || (c == 'd' && next == 'n'))
		return parse_base_name(d);
	if (accept(d, "il"))
		return parse_expressions(d, "E", &b) ? make_node(d, BRACED, 0, b) : 0;
	if (accept(d, "tl")) {
		a = parse_type(d);
		return a && parse_expressions(d, "E", &b) ? make_node(d, BRACED, a, b) : 0;
	}
	if (accept(d, "cv")) {
		bool many;

		a = parse_type(d);
		many = a && accept(d, "_");
		if (many) {
			if (!parse_expressions(d, "E", &b))
				return 0;
		} else if (!a || (b = parse_expression(d)) == 0) {
			return 0;
		}
		k = make_node(d, CAST, a, b);
		if (k)
			d->node[k].n = many;
		return k;
	}
	if (accept(d, "tr"))
		return make_text(d, NAME, 0, "throw");
	row = find_operator(d);
	return row < 0 ? 0 : parse_operands(d, row);
}

static uint32_t parse_expression(struct demangler *d)
{
	uint32_t k = enter(d) ? parse_expression_body(d) : 0;

	d->depth--;
	return k;
}

/* ---- encodings ---- */

static bool has_return_type(const struct demangler *d, uint32_t k)
{
	bool template = false;

	for (;;) {
		const struct node *n = &d->node[k];

		switch ((int)n->kind) {
		case LOCAL:
		case QUALIFIED:
			if (template || n->kind == LOCAL) {
				k = n->b;
				continue;
			}
			return false;
		case TAGGED:
		case DEFAULT: k = n->a; continue;
		case TEMPLATE:
			if (template)
				return true;
			template = true;
			k = n->a;
			continue;
		case STRUCTOR:
		case CONVERSION: return false;
		default: return template;
		}
	}
}

static uint32_t parse_special(struct demangler *d)
{
	static const struct {
		const char *code, *text;
	} of[] = {{"TV", "vtable for "}, {"TT", "VTT for "}, {"TI", "typeinfo for "},
		{"TS", "typeinfo name for "}, {"GV", "guard variable for "},
		{"TH", "TLS init function for "}, {"TW", "TLS wrapper function for "}};
	uint32_t n, k;

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (accept(d, of[i].code)) {
			k = of[i].code[0] == 'T' && of[i].code[1] != 'H' && of[i].code[1] != 'W'
				? parse_type(d)
				: parse_name(d);
			return k ? make_text(d, SPECIAL, k, of[i].text) : 0;
		}
	if (accept(d, "Th") || accept(d, "Tv")) {
		bool virtual = d->s[-1] == 'v';

		for (int i = 0; i <= virtual; i++) {
			accept(d, "n");
			if (!number(d, &n) || !accept(d, "_"))
				return 0;
		}
		k = parse_encoding(d, false);
		return k ? make_text(d, SPECIAL, k,
				   virtual ? "virtual thunk to " : "non-virtual thunk to ")
			 : 0;
	}
	if (accept(d, "GTt") || accept(d, "GTn")) {
		bool safe = d->s[-1] == 't';

		k = parse_encoding(d, false);
		return k ? make_text(d, SPECIAL, k,
				   safe ? "transaction clone for " : "non-transaction clone for ")
			 : 0;
	}
	if (accept(d, "TC")) {
		uint32_t base = parse_type(d), type;

		if (!base || !number(d, &n) || !accept(d, "_"))
			return 0;
		type = parse_type(d);
		k = type ? make_text(d, SPECIAL, type, "construction vtable for ") : 0;
		if (k)
			d->node[k].c = base;
		return k;
	}
	if (accept(d, "TA")) {
		k = parse_template_arg(d);
		return k ? make_text(d, SPECIAL, k, "template parameter object for ") : 0;
	}
	return 0;
}

static uint32_t parse_encoding_body(struct demangler *d, bool top)
{
	const char *after = "";
	uint32_t name, result = 0, list, function;

	if (peek(d) == 'T' || peek(d) == 'G')
		return parse_special(d);
	d->params = 0;
	d->forwards = 0;
	name = parse_name_of(d, &after);
	if (!name)
		return 0;
	for (uint32_t i = 0; i < d->forwards; i++) {
		struct node *f = &d->node[d->forward[i]];

		if (f->n >= d->params)
			return 0;
		f->a = d->param[f->n];
	}
	d->forwards = 0;
	if (!peek(d) || peek(d) == 'E' || peek(d) == '.')
		return *after ? make_text(d, QUALIFIER, name, after) : name;
	if (has_return_type(d, name)) {
		result = parse_type(d);
		if (!result)
			return 0;
		if (!top)
			result = 0;
	}
	if (!parse_types(d, &list))
		return 0;
	function = make_node(d, FUNCTION, result, list);
	if (!function)
		return 0;
	d->node[function].text = after;
	d->node[function].len = (uint32_t)strlen(after);
	return make_node(d, ENCODING, name, function);
}

/* TOP: the whole symbol or an argument, not inside a name; only there is the type that a template
 * returns printed. */
static uint32_t parse_encoding(struct demangler *d, bool top)
{
	uint32_t params = d->params, forwards = d->forwards, saved[PARAMS], waiting[64], k = 0;
	bool lambda = d->in_lambda, conversion = d->in_conversion;

	memcpy(saved, d->param, params * sizeof *saved);
	memcpy(waiting, d->forward, sizeof waiting);
	d->in_lambda = d->in_conversion = false;
	if (enter(d))
		k = parse_encoding_body(d, top);
	d->depth--;
	d->in_lambda = lambda;
	d->in_conversion = conversion;
	memcpy(d->param, saved, params * sizeof *saved);
	d->params = params;
	memcpy(d->forward, waiting, sizeof waiting);
	d->forwards = forwards;
	return k;
}

/* ---- the whole ---- */

/* The suffixes that compilers give to copies of functions: .part.0 */
static uint32_t parse_clones(struct demangler *d, uint32_t k)
{
	while (k && peek(d) == '.') {
		const char *from = d->s, *p = from + 1;

		if (p < d->end && (is_lower(*p) || *p == '_'))
			while (p < d->end && (is_lower(*p) || *p == '_'))
				p++;
		else if (p >= d->end || !is_digit(*p))
			return 0;
		else
			p--;
		while (d->end - p > 1 && *p == '.' && is_digit(p[1]))
			for (p++; p < d->end && is_digit(*p);)
				p++;
		k = make_node(d, CLONE, k, 0);
		if (!k)
			return 0;
		d->node[k].text = from;
		d->node[k].len = (uint32_t)(p - from);
		d->s = p;
	}
	return k;
}

bool demangle(struct text *out, const char *symbol, struct demangled *part)
{
	struct demangler *d;
	size_t n = strlen(symbol), start = out->len;
	uint32_t k;
	bool ok;

	if (n < 3 || n > DEMANGLE_SYMBOL || symbol[0] != '_' || symbol[1] != 'Z')
		return false;
	d = memory_zeroed(1, sizeof *d);
	d->s = symbol + 2;
	d->end = symbol + n;
	d->out = out;
	d->start = start;
	make_node(d, NONE, 0, 0);
	k = parse_encoding(d, true);
	d->signature = k;
	k = parse_clones(d, k);
	ok = k && d->s == d->end;
	if (ok) {
		d->depth = 0;
		demangle_print(d, k);
		ok = !d->failed && out->len > start;
	}
	if (ok && !d->part.len)
		d->part.len = out->len - start; /* a variable: all of it */
	if (!ok && out->data)
		out->data[out->len = start] = '\0';
	if (ok && part)
		*part = d->part;
	memory_drop(d->node);
	memory_drop(d->sub);
	memory_drop(d);
	return ok;
}
