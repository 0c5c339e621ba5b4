/* The grammar of PTX. Opcodes are names and modifiers are an unordered list of dotted words; the instruction table defines which combinations are valid. With canonical
 * LR tables (some 800 states) every token is checked before any reduction: when an error is found the stack is unchanged, and the list of expected tokens is exact. LALR
 * tables would need bison's exploratory parse (LAC) at every token for that. */
%define api.pure full
%define api.prefix {ptx_}
%define api.token.raw
%define api.token.prefix {PTX_}
%define api.value.type {union token_value}
%define api.location.type {struct span}
%define parse.error custom
%define lr.type canonical-lr
%define lr.default-reduction consistent
%locations
%expect 0
%param {struct front *f}

%code requires {
#include "parser/front.h"
}

%code {
#include "base/memory.h"
#include <stdlib.h>

#define YYMALLOC(size) memory_resize(NULL, (size))
#define YYFREE memory_drop

/* A span covers the nonempty parts; an empty rule is the point after the preceding token. */
#define YYLLOC_DEFAULT(Cur, Rhs, N)                                                                                                                            \
	do {                                                                                                                                                   \
		if ((N) == 1) {                                                                                                                                \
			(Cur) = YYRHSLOC(Rhs, 1);                                                                                                              \
		} else if (N) {                                                                                                                                     \
			int first_ = 1;                                                                                                                        \
			while (first_ < (N) && YYRHSLOC(Rhs, first_).len == 0)                                                                                 \
				first_++;                                                                                                                      \
			(Cur) = span_join(YYRHSLOC(Rhs, first_), YYRHSLOC(Rhs, N));                                                                            \
		} else {                                                                                                                                       \
			(Cur) = (struct span){YYRHSLOC(Rhs, 0).off + YYRHSLOC(Rhs, 0).len, 0};                                                                 \
		}                                                                                                                                              \
	} while (0)

/* The lexer is given the parser's state, so that a missing ; or , can be detected and inserted before the parser fails (end of this file). */
static int mended_token(union token_value *value, struct span *span, struct front *f, unsigned state);
#undef yylex
#define yylex(value, span, f) mended_token(value, span, f, (unsigned)*yyssp)
static void ptx_error(struct span *span, struct front *f, const char *message);

/* Panic-mode recovery is written by hand (recover.c): it advances the lookahead to a point where parsing can continue. */
#define RECOVER(how)                                                                                                                                           \
	do {                                                                                                                                                   \
		struct token look_ = {yychar, yylval, yylloc};                                                                                                 \
		how(f, &look_);                                                                                                                                \
		yychar = look_.kind;                                                                                                                           \
		yylval = look_.value;                                                                                                                          \
		yylloc = look_.span;                                                                                                                           \
		yyerrok;                                                                                                                                       \
	} while (0)
}

%token END 0 "end of file"
%tokens

%type <operand> operand predicate expr compound initialiser setting attribute attribute_word
%type <list> operand_list names targets target_names languages language strings ints settings dims attribute_words
%type <vars> params vars some_vars var
%type <symbol> section_name
%type <word> space component
%type <guard> guard
%type <ref> ref
%type <loc> loc

%right QUESTION COLON
%left LOR
%left LAND
%left PIPE
%left CARET
%left AMP
%left EQ NE
%left LANGLE RANGLE LE GE
%left SHL SHR
%left PLUS MINUS
%left STAR SLASH PERCENT
%precedence UNARY

%%

module: header tops ;

header: version target address_size
      | error { RECOVER(recover_top); }
      ;
version: D_VERSION FLOAT { header_version(f, @2); } ;
target: D_TARGET names { header_target(f, $2, @2); }
      | target D_TARGET names { header_again(f, $3); } /* ptxas accepts several and uses the first */
      ;
address_size: %empty | D_ADDRESS_SIZE INT { f->module->address_size = $2.value; } ;

tops: %empty | tops top { top_done(f); } ;
top: D_FILE INT STRING { top_file(f, $2, $3, NULL, NULL, @$); }
   | D_FILE INT STRING "," INT "," INT { top_file(f, $2, $3, &$5, &$7, @$); }
   | D_SECTION section_name section_begin section "}" { f->in_section = false; top_section(f, $2, @3, @5, @$); }
   | D_INTERMEDIATE "{" code_blocks "}" 
   | D_PRAGMA strings ";" { top_pragma(f, $2.first, @$); }
   | D_ALIAS NAME "," NAME ";" { top_alias(f, $2, $4, @$); }
   | front declared vars ";" { top_vars(f, $3.first, @$); }
   | function
   | error { RECOVER(recover_top); }
   ;
names: NAME { $$ = list_of(operand_name(f, $1, W_NONE, @1)); }
     | names "," NAME { $$ = list_add($1, operand_name(f, $3, W_NONE, @3)); }
     ;
strings: STRING { $$ = list_of(operand_new(f, AST_STRING, @1)); $$.last->symbol = $1; }
       | strings "," STRING { $$ = list_add($1, operand_new(f, AST_STRING, @3)); $$.last->symbol = $3; }
       ;
ints: INT { $$ = list_of(operand_number(f, AST_INT, $1, @1)); }
    | ints "," INT { $$ = list_add($1, operand_number(f, AST_INT, $3, @3)); }
    ;

/* The text of an intermediate language is not kept. */
code_blocks: code_block | code_blocks code_block ;
code_block: D_CODE_BLOCK "{" D_IR_NAME ":" STRING D_SOURCE_FILE ":" INT D_SOURCE "}" { top_code_block(f, $8, @8); } ;

/* Debugging sections: DWARF is checked for syntax, then kept as text. */
section_name: DOTTED ;
section_begin: "{" { f->in_section = true; } ;
section: %empty
       | section NAME ":" { section_label(f, $2, @2); }
       | section section_word section_values
       ;
section_word: TYPE { section_type(f, $1, @1); } ;
section_values: section_value | section_values "," section_value ;
section_value: INT { section_number(f, $1, false, @1); }
             | "-" INT { section_number(f, $2, true, @$); }
             | NAME | NAME "+" INT | NAME "-" NAME | DOTTED | DOTTED "+" INT
             ;

/* Declarations: [linkage] [.align N] [.attribute(...)] space [.align N] [.attribute(...)] [vector] type [.ptr [space]] [.align N] names */
front: %empty { spec_begin(f); }
     | front LINKAGE { spec_linkage(f, $2, @2); }
     | front D_ALIGN INT { spec_align(f, $3, @$); }
     | front attribute { spec_attribute(f, $2, @2); }
     ;
space: SPACE | REG ;
declared: space { spec_space(f, $1, @1); } specs { spec_end(f, @$); } ;
specs: %empty | specs spec ;
spec: D_ALIGN INT { spec_align(f, $2, @$); }
    | attribute { spec_attribute(f, $1, @1); }
    | VECTOR { spec_vector(f, $1, @1); }
    | TYPE { spec_type(f, $1, @1); }
    | D_PTR { spec_ptr(f, @1); }
    | SPACE { spec_space(f, $1, @1); }
    ;
attribute: D_ATTRIBUTE "(" attribute_words ")" { $$ = $3.first; } ;
attribute_words: attribute_word { $$ = list_of($1); } | attribute_words "," attribute_word { $$ = list_add($1, $3); } ;
attribute_word: MODIFIER { $$ = operand_name(f, 0, $1, @1); }
              | MODIFIER "(" ints ")" { $$ = operand_name(f, 0, $1, @1); $$->sub = $3.first; }
              ;
vars: %empty { $$ = (struct ast_var_list){NULL, NULL}; } /* ptxas accepts a declaration without names */
    | some_vars
    ;
some_vars: var | some_vars "," var { $$ = vars_add($1, $3.first); } ;
var: NAME dims { struct ast_var *v = var_new(f, $1, @1); v->dims = $2.first; $$ = (struct ast_var_list){v, v}; }
   | NAME "<" INT ">" { struct ast_var *v = var_new(f, $1, @1); var_range(f, v, $3, @3); $$ = (struct ast_var_list){v, v}; }
   | NAME dims assign initialiser {
	struct ast_var *v = var_new(f, $1, @1);

	v->dims = $2.first;
	v->init = $4;
	f->in_initialiser = false;
	$$ = (struct ast_var_list){v, v};
   }
   ;
assign: "=" { f->in_initialiser = true; } ;
dims: %empty { $$ = (struct ast_list){NULL, NULL}; }
    | dims "[" "]" { $$ = dims_open(f, $1, span_join(@2, @3)); }
    | dims "[" NAME "]" { $$ = dims_name(f, $1, $3, @3); }
    | dims "[" INT "]" {
	struct ast_operand *n = operand_number(f, AST_INT, $3, @3);

	$$ = $1.first ? list_add($1, n) : list_of(n);
    }
    ;
initialiser: expr { $$ = operand_plain(f, $1); }
           | inner "}" { f->inner--; $$ = operand_group(f, AST_VECTOR, NULL, @$); }
           | inner settings "}" { f->inner--; $$ = operand_group(f, AST_VECTOR, $2.first, @$); }
           ;
inner: "{" { f->inner++; } ; /* braces that are not a block: error recovery counts them */
settings: setting { $$ = list_of($1); } | settings "," setting { $$ = list_add($1, $3); } ;
setting: initialiser | expr "=" expr { $$ = operand_setting(f, $1, $3, @$); } ;

/* Functions */
function: front entry function_name function_params tunes body
        | front func function_attribute params { f->func->rets = $4.first; } function_name function_params tunes body
        ;
function_params: params { f->func->params = $1.first; } ;
entry: D_ENTRY { func_begin(f, true); } ;
func: D_FUNC { func_begin(f, false); } ;
function_attribute: %empty | attribute { directive_add(f, W_attribute, $1, @1); } ;
function_name: NAME { func_name(f, $1, @1); } ;
params: %empty { $$ = (struct ast_var_list){NULL, NULL}; }
      | list_begin ")" { $$ = f->parameters; }
      | list_begin parameters ")" { $$ = f->parameters; }
      ;
list_begin: "(" { f->parameters = (struct ast_var_list){NULL, NULL}; } ;
parameters: parameter | parameters "," parameter ;
parameter: front { f->is_param = true; } declared parameter_name
         | error { RECOVER(recover_parameter); }
         ;
parameter_name: NAME dims { parameter_add(f, $1, $2.first, @1); }
              | SINK dims { parameter_add(f, f->sink, $2.first, @1); }
              ;
tunes: %empty | tunes tune ;
tune: D_TUNE ints { directive_add(f, $1, $2.first, @$); }
    | D_LANGUAGE languages { directive_add(f, $1, $2.first, @$); }
    | D_TUNE0 { directive_add(f, $1, NULL, @$); }
    | D_PRAGMA strings ";" { directive_add(f, $1, $2.first, @$); }
    ;
languages: language | languages "," language { $$ = list_add($1, $3.first); } ;
language: STRING { $$ = list_of(operand_new(f, AST_STRING, @1)); $$.last->symbol = $1; }
        | INT { $$ = list_of(operand_number(f, AST_INT, $1, @1)); }
        ;
body: ";" { f->func->directives = directives_take(f); func_end(f, false, @$); }
    | begin stmts "}" { f->open.count--; func_end(f, true, @$); }
    ;
begin: "{" { f->func->directives = directives_take(f); f->quiet = false; *vec_push(&f->open) = @1; } ;

/* Statements */
stmts: %empty | stmts stmt ;
stmt: front declared vars ";" { stmt_decl(f, $3.first, @$); }
    | NAME ":" { stmt_label(f, $1, @1, @$); }
    | table { stmt_table(f, @$); }
    | loc { stmt_loc(f, $1, @$); }
    | D_LOC_INTERMEDIATE INT INT INT {
	struct ast_loc *l = loc_new(f, $2, $3, $4);

	l->intermediate = true;
	stmt_loc(f, l, @$);
    }
    | D_TARGET names { header_again(f, $2); }
    | D_PRAGMA strings ";" { stmt_pragma(f, $2.first, @$); }
    | block_begin stmts "}" { f->open.count--; stmt_block(f, false, @3); }
    | insn operand_list ";" { quick_learn(f); insn_end(f, $2.first, span_join(@1, @2)); }
    | insn ";" { quick_learn(f); insn_end(f, NULL, @1); }
    | error { RECOVER(recover_statement); }
    ;
block_begin: "{" { *vec_push(&f->open) = @1; stmt_block(f, true, @1); } ;
guard: "@" NAME { $$ = (struct ast_guard){$2, 0}; }
     | "@" "!" NAME { $$ = (struct ast_guard){$3, 1}; }
     ;
insn: NAME { insn_nodes(f); insn_begin(f, (struct ast_guard){0, 0}, @1, $1, @1); }
    | guard NAME { insn_nodes(f); insn_begin(f, $1, @1, $2, @2); }
    | insn MODIFIER { insn_word(f, $2, @2); }
    | insn SPACE { insn_word(f, $2, @2); }
    | insn TYPE { insn_word(f, $2, @2); }
    | insn VECTOR { insn_word(f, $2, @2); }
    | insn LINKAGE { insn_word(f, $2, @2); }
    | insn D_ALIAS { insn_word(f, $2, @2); }
    ;

table: targets ";" { table_targets(f, $1.first); }
     | prototype params { f->table->rets = $2.first; } "_" params { f->table->params = $5.first; } tunes ";" { table_prototype(f); }
     ;
prototype: D_CALLPROTOTYPE { table_begin(f, $1); } ;
targets: D_BRANCHTARGETS { table_begin(f, $1); } target_names { $$ = $3; }
       | D_CALLTARGETS { table_begin(f, $1); } names { $$ = $3; }
       ;
target_names: NAME { $$ = list_of(operand_name(f, $1, W_NONE, @1)); }
            | NAME "<" INT ">" { $$ = target_range(f, $1, $3, @$); }
            | target_names "," NAME { $$ = list_add($1, operand_name(f, $3, W_NONE, @3)); }
            | target_names "," NAME "<" INT ">" { $$ = list_join($1, target_range(f, $3, $5, span_join(@3, @6))); }
            ;

loc: D_LOC INT INT INT { $$ = loc_new(f, $2, $3, $4); }
   | D_LOC INT INT INT "," NAME ref "," NAME INT INT INT {
	$$ = loc_new(f, $2, $3, $4);
	loc_inlined(f, $$, $6, @6, $7, $9, @9);
	$$->at_file = $10.value;
	$$->at_line = $11.value;
	$$->at_column = $12.value;
   }
   ;
ref: NAME { $$ = (struct ast_name_ref){$1, 0}; }
   | NAME "+" INT { $$ = (struct ast_name_ref){$1, $3.value}; }
   ;

/* Operands. One grammar of expressions serves all contexts; operand.c checks what PTX allows in each. Most operands are a name or a number alone, which become part of the
 * list in one step. */
operand_list: NAME { $$ = list_of(operand_name(f, $1, W_NONE, @1)); }
            | INT { $$ = list_of(operand_number(f, AST_INT, $1, @1)); }
            | operand { $$ = list_of($1); }
            | operand_list "," NAME { $$ = list_add($1, operand_name(f, $3, W_NONE, @3)); }
            | operand_list "," INT { $$ = list_add($1, operand_number(f, AST_INT, $3, @3)); }
            | operand_list "," operand { $$ = list_add($1, $3); }
            ;
operand: compound
       | "[" operand_list "]" { $$ = operand_group(f, AST_ADDRESS, $2.first, @$); }
       | NAME "[" expr "]" { $$ = operand_index(f, $1, $3, @$); }
       | inner operand_list "}" { f->inner--; $$ = operand_group(f, AST_VECTOR, $2.first, @$); }
       | inner operand_list "}" "|" predicate { f->inner--; $$ = operand_residency(f, operand_group(f, AST_VECTOR, $2.first, span_join(@1, @3)), $5, @$); }
       | "(" ")" { $$ = operand_group(f, AST_LIST, NULL, @$); }
       ;
predicate: NAME { $$ = operand_name(f, $1, W_NONE, @1); }
         | "_" { $$ = operand_new(f, AST_SINK, @1); }
         ;
component: MODIFIER | TYPE ;
expr: NAME { $$ = operand_name(f, $1, W_NONE, @1); }
    | INT { $$ = operand_number(f, AST_INT, $1, @1); }
    | compound
    ;
compound: NAME component { $$ = operand_name(f, $1, $2, @$); }
    | FLOAT { $$ = operand_number(f, AST_FLOAT, $1, @1); }
    | "_" { $$ = operand_new(f, AST_SINK, @1); }
    | "(" operand_list ")" { $$ = operand_group(f, AST_LIST, $2.first, @$); }
    | NAME "(" operand_list ")" { $$ = operand_call(f, $1, (struct lexer_number){0, 0}, $3.first, @1, @$); }
    | INT "(" operand_list ")" { $$ = operand_call(f, 0, $1, $3.first, @1, @$); }
    | "(" TYPE ")" expr %prec UNARY { $$ = operand_cast(f, $2, $4, @$); }
    | "-" expr %prec UNARY { $$ = operand_unary(f, '-', $2, @$); }
    | "+" expr %prec UNARY { $$ = operand_unary(f, '+', $2, @$); }
    | "!" expr %prec UNARY { $$ = operand_unary(f, '!', $2, @$); }
    | "~" expr %prec UNARY { $$ = operand_unary(f, '~', $2, @$); }
    | expr "*" expr { $$ = operand_binary(f, '*', $1, $3, @$); }
    | expr "/" expr { $$ = operand_binary(f, '/', $1, $3, @$); }
    | expr "%" expr { $$ = operand_binary(f, '%', $1, $3, @$); }
    | expr "+" expr { $$ = operand_binary(f, '+', $1, $3, @$); }
    | expr "-" expr { $$ = operand_binary(f, '-', $1, $3, @$); }
    | expr "<<" expr { $$ = operand_binary(f, AST_SHL, $1, $3, @$); }
    | expr ">>" expr { $$ = operand_binary(f, AST_SHR, $1, $3, @$); }
    | expr "<" expr { $$ = operand_binary(f, '<', $1, $3, @$); }
    | expr ">" expr { $$ = operand_binary(f, '>', $1, $3, @$); }
    | expr "<=" expr { $$ = operand_binary(f, AST_LE, $1, $3, @$); }
    | expr ">=" expr { $$ = operand_binary(f, AST_GE, $1, $3, @$); }
    | expr "==" expr { $$ = operand_binary(f, AST_EQ, $1, $3, @$); }
    | expr "!=" expr { $$ = operand_binary(f, AST_NE, $1, $3, @$); }
    | expr "&" expr { $$ = operand_binary(f, '&', $1, $3, @$); }
    | expr "^" expr { $$ = operand_binary(f, '^', $1, $3, @$); }
    | expr "|" expr { $$ = operand_binary(f, '|', $1, $3, @$); }
    | expr "&&" expr { $$ = operand_binary(f, AST_AND, $1, $3, @$); }
    | expr "||" expr { $$ = operand_binary(f, AST_OR, $1, $3, @$); }
    | expr "?" expr ":" expr { $$ = operand_ternary(f, $1, $3, $5, @$); }
    ;

%%

/* The lexer's token numbers (lexer/token.h) must equal the grammar's. */
#define TOKEN(name, member, text) _Static_assert((int)PTX_##name == (int)YYSYMBOL_##name, "token " #name);
#include "lexer/token.def"
#undef TOKEN

/* Whether TOKEN is acceptable next: with canonical tables, the top of the stack decides. */
static bool accepts(yy_state_t state, yysymbol_kind_t token)
{
	int at = yypact[state];

	if (yypact_value_is_default(at))
		return true;
	at += token;
	return at >= 0 && at <= YYLAST && yycheck[at] == token && !yytable_value_is_error(yytable[at]);
}

/* Whether a statement may begin next: .loc begins nothing else. */
static bool begins_statement(yy_state_t state)
{
	int at = yypact[state];

	if (yypact_value_is_default(at))
		return false;
	at += YYSYMBOL_D_LOC;
	return at >= 0 && at <= YYLAST && yycheck[at] == YYSYMBOL_D_LOC && yytable[at] > 0;
}

/* Handles a token that is not acceptable here but would be after a missing ; or ,: reports that and delivers the missing token first. */
static int mended_token(union token_value *value, struct span *span, struct front *f, unsigned top)
{
	yy_state_t state = (yy_state_t)top;
	int before, kind;

	if (begins_statement(state))
		quick_statements(f);
	before = f->last_kind;
	kind = front_token(f, value, span);
	if (!front_suspicious(f, before, kind, *span) || accepts(state, (yysymbol_kind_t)kind))
		return kind;
	if (front_ends_line(f, kind) && accepts(state, YYSYMBOL_SEMI))
		return front_insert(f, PTX_SEMI, kind, value, span);
	if (front_lacks_comma(f, before, kind) && accepts(state, YYSYMBOL_COMMA))
		return front_insert(f, PTX_COMMA, kind, value, span);
	return kind;
}

/* Bison's only other error: its stack is exhausted. */
static void ptx_error(struct span *span, struct front *f, const char *message)
{
	(void)message;
	report_depth(f, *span);
}

static int yyreport_syntax_error(const yypcontext_t *context, struct front *f)
{
	yysymbol_kind_t kind[YYNTOKENS];
	struct expected expected = {.name = {NULL}};
	int n = yypcontext_expected_tokens(context, kind, YYNTOKENS);

	for (int i = 0; i < n; i++)
		expected.name[kind[i]] = yysymbol_name(kind[i]);
	report_syntax(f, yypcontext_token(context), *yypcontext_location(context), &expected);
	return 0;
}
