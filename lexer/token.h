/* The kinds of tokens. The grammar's own enumeration of them would have to be looked for above:
 * bison leaves it out where this one is known, and the end of parser/ptx.y asserts that the numbers
 * are the same. */
#ifndef PTXI_LEXER_TOKEN_H
#define PTXI_LEXER_TOKEN_H

#define PTX_TOKENTYPE
enum ptx_tokentype {
	PTX_PTX_EMPTY = -2,
	PTX_END = 0,
	PTX_PTX_error,
	PTX_PTX_UNDEF,
#define TOKEN(name, member, text) PTX_##name,
#include "lexer/token.def"
#undef TOKEN
};
typedef enum ptx_tokentype ptx_token_kind_t;

#endif
