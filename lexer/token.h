/* The kinds of tokens. They are declared here rather than by bison because the lexer must not
 * include the parser: bison omits its own enumeration if this one is defined, and the end of
 * parser/ptx.y asserts that the numbers are equal. */
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
