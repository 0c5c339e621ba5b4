/* A mutator that knows what a token is: it drops, repeats, swaps and replaces words, operands,
 * statements and lines of a text, so that more of what libFuzzer tries gets past the parser. */
#ifndef PTXI_FUZZ_TOKENS_H
#define PTXI_FUZZ_TOKENS_H
#include <stddef.h>
#include <stdint.h>

/* Changes DATA (SIZE bytes, room for MAX) in place and returns its new size; one time in three the
 * bytes are left to libFuzzer. */
size_t token_mutate(uint8_t *data, size_t size, size_t max, unsigned seed);
/* The same, inside one of the //@ lines only. */
size_t token_mutate_script(uint8_t *data, size_t size, size_t max, unsigned seed);

/* What libFuzzer calls: LLVMFuzzerTestOneInput, defined behind this, and a mutator. */
#define FUZZ_TARGET(mutate) \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); \
	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed); \
	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) \
	{ \
		return mutate(data, size, max, seed); \
	}

#endif
