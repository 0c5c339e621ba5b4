/* The grammar of .litmus files; names are resolved in litmus.c. */
%code requires {
#include "parser/litmus_ast.h"
#include <string.h>
}
%define api.pure full
%define api.prefix {litmus_grammar_}
%define api.token.prefix {LITMUS_GRAMMAR_TOKEN_}
%define parse.error custom
%define parse.lac full
%expect 0
%locations
%define api.location.type {struct span}
%param {struct litmus_parse *p}
%code {
#include "base/memory.h"

#define YYMALLOC(size) memory_resize(NULL, (size))
#define YYFREE memory_drop
#define YYLLOC_DEFAULT(here, rhs, n)                                                                                                                           \
	do {                                                                                                                                                   \
		(here) = (n) ? YYRHSLOC(rhs, 1) : (struct span){YYRHSLOC(rhs, 0).off + YYRHSLOC(rhs, 0).len, 0};                                                \
		if (n)                                                                                                                                         \
			(here).len = YYRHSLOC(rhs, n).off + YYRHSLOC(rhs, n).len - (here).off;                                                                   \
	} while (0)
#define NEW(type) ARENA_NEW(p->arena, type)

static int litmus_grammar_lex(LITMUS_GRAMMAR_STYPE *value, struct span *at, struct litmus_parse *p);
static void litmus_grammar_error(const struct span *at, struct litmus_parse *p, const char *message);
static void too_large(const struct span *at, struct litmus_parse *p, const char *what);
static void equals(struct litmus_parse *p, const struct litmus_text *relation);
static struct litmus_raw_cond *join(struct litmus_parse *p, uint8_t kind, struct litmus_raw_cond *a, struct litmus_raw_cond *b);
enum { MAX_COMPARISONS = 4096 }; /* few enough for recursion over the condition */
}

%union {
	struct litmus_text text;
	struct litmus_init *init;
	struct litmus_operand *operand;
	struct litmus_cell *cell;
	struct litmus_row *row;
	struct litmus_raw_term term;
	struct litmus_raw_cond *cond;
	struct litmus_raw_list *list;
	uint8_t code;
}

%token END 0 "end of file" TITLE 258 "PTX NAME" STRING 259 "string" NAME 260 "name" INTEGER 261 "integer" RELATION 262 "relation" CONJUNCTION 263 "/\\"
%token DISJUNCTION 264 "\\/" EXISTS 265 "exists" NOT_EXISTS 266 "~exists" FORALL 267 "forall" ALIASES 268 "aliases" LOCATIONS 269 "locations" BAD 270 "bad character"
%type <text> TITLE NAME INTEGER RELATION value
%type <init> inits init
%type <operand> operands operand place
%type <cell> cells cell
%type <row> rows row
%type <term> term
%type <cond> cond disjunction conjunction atom
%type <list> list
%type <code> quantifier

%%
test: TITLE strings '{' inits '}' rows observed quantifier cond {
	p->name = $1; p->init = $4; p->row = $6; p->quantifier = $8; p->cond = $9; p->cond_span = @9; p->quantifier_span = @8;
};
strings: %empty | strings STRING;

inits: %empty { $$ = NULL; }
	| init { $$ = $1; }
	| ';' inits { $$ = $2; }
	| init ';' inits { $$ = $1; $$->next = $3; };
init: NAME RELATION INTEGER { equals(p, &$2); $$ = NEW(struct litmus_init); $$->name = $1; $$->value = $3.value; }
	| value ':' NAME RELATION INTEGER { equals(p, &$4); $$ = NEW(struct litmus_init); $$->thread = $1; $$->name = $3; $$->value = $5.value; }
	| NAME '@' NAME ALIASES NAME { $$ = NEW(struct litmus_init); $$->name = $1; $$->proxy = $3; $$->target = $5; };

rows: row { $$ = $1; } | row rows { $$ = $1; $$->next = $2; };
row: cells ';' { $$ = NEW(struct litmus_row); $$->first = $1; };
cells: cell { $$ = $1; } | cell '|' cells { $$ = $1; $$->next = $3; };
cell: %empty { $$ = NEW(struct litmus_cell); $$->kind = CELL_EMPTY; }
	| NAME '@' place { $$ = NEW(struct litmus_cell); $$->kind = CELL_HEAD; $$->name = $1; $$->operand = $3; }
	| NAME ':' { $$ = NEW(struct litmus_cell); $$->kind = CELL_LABEL; $$->name = $1; }
	| NAME operands { $$ = NEW(struct litmus_cell); $$->kind = CELL_INSN; $$->name = $1; $$->operand = $2; };
place: NAME INTEGER { $$ = NEW(struct litmus_operand); $$->text = $1; $$->text.value = $2.value; }
	| NAME INTEGER ',' place { $$ = NEW(struct litmus_operand); $$->text = $1; $$->text.value = $2.value; $$->next = $4; };
operands: %empty { $$ = NULL; } | operand { $$ = $1; };
operand: value { $$ = NEW(struct litmus_operand); $$->text = $1; }
	| value ',' operand { $$ = NEW(struct litmus_operand); $$->text = $1; $$->next = $3; };
value: NAME { $$ = $1; } | INTEGER { $$ = $1; };

observed: %empty | LOCATIONS '[' list ']' { p->locations = $3; };
list: %empty { $$ = NULL; }
	| term { $$ = NEW(struct litmus_raw_list); $$->term = $1; }
	| term ';' list { $$ = NEW(struct litmus_raw_list); $$->term = $1; $$->next = $3; };

quantifier: EXISTS { $$ = LITMUS_EXISTS; } | NOT_EXISTS { $$ = LITMUS_NOT_EXISTS; } | FORALL { $$ = LITMUS_FORALL; };
cond: disjunction { $$ = $1; };
disjunction: conjunction { $$ = $1; } | disjunction DISJUNCTION conjunction { $$ = join(p, LITMUS_OR_COND, $1, $3); };
conjunction: atom { $$ = $1; } | conjunction CONJUNCTION atom { $$ = join(p, LITMUS_AND_COND, $1, $3); };
atom: '(' disjunction ')' { $$ = $2; }
	| '~' atom { $$ = join(p, LITMUS_NOT_COND, $2, NULL); }
	| '!' atom { $$ = join(p, LITMUS_NOT_COND, $2, NULL); }
	| term RELATION term {
		if (++p->ncomparisons > MAX_COMPARISONS) {
			too_large(&@$, p, "a condition with more than 4096 comparisons");
			YYABORT;
		}
		$$ = NEW(struct litmus_raw_cond); $$->kind = LITMUS_COMPARE; $$->relation = (uint8_t)$2.value; $$->left = $1; $$->right = $3;
	};
term: value { $$ = (struct litmus_raw_term){.name = $1}; }
	| '[' NAME ']' { $$ = (struct litmus_raw_term){.name = $2}; }
	| value ':' NAME { $$ = (struct litmus_raw_term){.thread = $1, .name = $3, .has_thread = true}; };
%%
static int litmus_grammar_lex(LITMUS_GRAMMAR_STYPE *value, struct span *at, struct litmus_parse *p)
{
	int token = litmus_scanner_next(&p->scanner);
	*at = p->scanner.span;
	value->text = (struct litmus_text){.span = *at, .value = p->scanner.value, .is_integer = token == LITMUS_TOKEN_INTEGER};
	if (token == LITMUS_TOKEN_NAME || token == LITMUS_TOKEN_TITLE || token == LITMUS_TOKEN_INTEGER)
		value->text.text = arena_text(p->arena, p->source->text + at->off, at->len);
	return token;
}

static struct litmus_raw_cond *join(struct litmus_parse *p, uint8_t kind, struct litmus_raw_cond *a, struct litmus_raw_cond *b)
{
	struct litmus_raw_cond *c = NEW(struct litmus_raw_cond);
	c->kind = kind;
	c->a = a;
	c->b = b;
	return c;
}

static void too_large(const struct span *at, struct litmus_parse *p, const char *what)
{
	diag_report(p->diags, DIAG_E0154, p->source, *at, "%s", what);
	p->failed = true;
}

static void equals(struct litmus_parse *p, const struct litmus_text *relation)
{
	if (relation->value == LITMUS_EQ)
		return;
	diag_report(p->diags, DIAG_E0150, p->source, relation->span, "an initial value follows '='");
	p->failed = true;
}

/* Bison's only other error: its stack is exhausted. */
static void litmus_grammar_error(const struct span *at, struct litmus_parse *p, const char *message)
{
	(void)message;
	too_large(at, p, "too many initial values, rows or operands, or parentheses nested too deeply");
}

static int yyreport_syntax_error(const yypcontext_t *context, struct litmus_parse *p)
{
	enum { MAX_EXPECTED = 64 };
	yysymbol_kind_t expected[MAX_EXPECTED];
	struct text t = {0};
	int n = yypcontext_expected_tokens(context, expected, MAX_EXPECTED);
	struct span at = *yypcontext_location(context);
	yysymbol_kind_t found = yypcontext_token(context);
	const char *what = n > 0 && n <= 4 ? "expected %s" : "not allowed here";
	if (found == YYSYMBOL_YYEOF && n > 4)
		what = "the file ends before its condition: exists, ~exists or forall";
	else if (found == YYSYMBOL_BAD && at.off < p->source->len && strchr("-0123456789", p->source->text[at.off]))
		what = "an integer of more than 64 bits";
	for (int i = 0; i < n && i < 4; i++)
		text_printf(&t, "%s%s", i ? ", " : "", yysymbol_name(expected[i]));
	diag_report(p->diags, DIAG_E0150, p->source, at, what, text_str(&t));
	text_free(&t);
	p->failed = true;
	return 0;
}
