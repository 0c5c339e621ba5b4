/* The tree of a C++ symbol, between demangle.c, which reads it, and demangle_print.c. */
#ifndef PTXI_BASE_DEMANGLE_TREE_H
#define PTXI_BASE_DEMANGLE_TREE_H
#include "base/demangle.h"

enum kind {
	NONE,
	NAME,       /* text: names, builtin types, and whatever prints as its text */
	QUALIFIED,  /* a::b */
	LOCAL,      /* encoding a :: b */
	TEMPLATE,   /* name a, list b */
	LIST,       /* element a, rest b */
	PACK,       /* list a: J...E */
	FORWARD,    /* template parameter n: argument a, which may follow later */
	STRUCTOR,   /* constructor (n = 0) or destructor (n = 1) of the class called a */
	TAGGED,     /* a[abi:b] */
	LAMBDA,     /* {lambda(list a)#n} */
	UNNAMED,    /* {unnamed type#n} */
	DEFAULT,    /* {default arg#n}::a */
	BINDING,    /* [a, b]: list a */
	OPERATOR,   /* row n of the table */
	CONVERSION, /* operator type a */
	QUALIFIER,  /* type a, text after it: " const" */
	POINTER,    /* type a, text after it: "*" "&" "&&" */
	FUNCTION,   /* return type a, list b, text after it; c: expression of noexcept */
	ARRAY,      /* element a, dimension b */
	MEMBER,     /* member of class a, type b */
	VECTOR,     /* element a, dimension b */
	EXPANSION,  /* a... */
	ENCODING,   /* name a, function type b */
	SPECIAL,    /* text, a; c: "-in-" c */
	CLONE,      /* a [clone text] */
	LITERAL,    /* type a, text; n: negative */
	CALL,       /* a(list b) */
	UNARY,      /* row n, a */
	BINARY,     /* row n, a, b */
	TERNARY,    /* a ? b : c */
	CAST,       /* (a)b; n: b is a list */
	NAMED_CAST, /* row n <a>(b) */
	BRACED,     /* a{list b} */
	FOLD,       /* row n, a, b; text: which of fl fr fL fR */
	WRAPPED,    /* text a ) */
};

struct node {
	enum kind kind;
	uint32_t a, b, c;
	uint32_t n;
	const char *text;
	uint32_t len;
	bool has_auto; /* a lambda's T_ is in it */
};

enum { DEPTH = 192, NODES = 1 << 17, STEPS = 1 << 18, PARAMS = 64 };

struct demangler {
	const char *s, *end;
	struct node *node;
	uint32_t nodes, cap;
	uint32_t *sub, subs, subs_cap;
	uint32_t param[PARAMS], params; /* what T_, T0_, ... are */
	uint32_t forward[64], forwards;
	uint32_t name;  /* the last class name, for constructors */
	unsigned depth; /* of the recursion, in both steps */
	bool in_lambda; /* T_ is a parameter declared auto */
	bool in_conversion;
	/* printing */
	struct text *out;
	size_t start;
	uint32_t steps;
	bool failed;
	bool whole_pack;
	uint32_t pack;      /* the element of packs to print */
	uint32_t signature; /* the encoding whose name is to be located */
	struct demangled part;
};

/* Operators: their codes, their texts, and how many operands they have in an expression. A row
 * without a code ends the table. */
struct demangle_operator {
	char code[3], text[17];
	uint8_t operands;
};
extern const struct demangle_operator demangle_operators[];

/* Prints node K to d->out; what is wrong or too long sets d->failed. */
void demangle_print(struct demangler *d, uint32_t k);

#endif
