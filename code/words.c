/* What the dotted words of an instruction specify: modifiers, types, orders, scopes, atomic
 * operations. */
#include "code/decode.h"

bool decode_has(const struct decoder *d, enum word w)
{
	for (unsigned k = 0; k < d->insn->nwords; k++)
		if (d->module->word[d->insn->word + k] == w)
			return true;
	return false;
}

enum word decode_which(const struct decoder *d, const uint16_t *words, unsigned n)
{
	for (unsigned k = 0; k < d->insn->nwords; k++)
		for (unsigned j = 0; j < n; j++)
			if (d->module->word[d->insn->word + k] == words[j])
				return (enum word)words[j];
	return W_NONE;
}

enum type decode_type(const struct decoder *d)
{
	for (unsigned k = d->insn->nwords; k-- > 0;) {
		enum type t = word_type((enum word)d->module->word[d->insn->word + k]);

		if (t != TYPE_NONE)
			return t;
	}
	return TYPE_NONE;
}

enum validity decode_validity(const struct decoder *d)
{
	return decode_has(d, W_report_80000000) ? VALIDITY_WORD
		: decode_has(d, W_report_8000)  ? VALIDITY_HALF
		: decode_has(d, W_report_80)    ? VALIDITY_BYTE
		: decode_has(d, W_report_8)     ? VALIDITY_NIBBLE
		: decode_has(d, W_report_ff)    ? VALIDITY_ONES
						: VALIDITY_ANY;
}

enum sem decode_sem(const struct decoder *d, enum sem otherwise)
{
	enum sem s = otherwise;

	for (unsigned k = 0; k < d->insn->nwords; k++)
		if (sem_named((enum word)d->module->word[d->insn->word + k], &s) &&
			d->module->word[d->insn->word + k] != W_mmio) /* .mmio.acquire */
			break;
	return s;
}

enum scope decode_scope(const struct decoder *d, enum scope otherwise)
{
	enum scope s = otherwise;

	for (unsigned k = 0; k < d->insn->nwords; k++)
		if (scope_named((enum word)d->module->word[d->insn->word + k], &s))
			break;
	return s;
}

enum atomic decode_atomic_operation(const struct decoder *d)
{
	enum atomic a = ATOMIC_NONE;

	for (unsigned k = 0; k < d->insn->nwords && a == ATOMIC_NONE; k++)
		a = atomic_named((enum word)d->module->word[d->insn->word + k]);
	return a;
}
