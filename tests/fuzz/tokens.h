/* A mutator that works on tokens: it drops, repeats, swaps and replaces words, operands, statements
 * and lines of a text, so that more of libFuzzer's inputs get past the parser. */
#ifndef PTXI_FUZZ_TOKENS_H
#define PTXI_FUZZ_TOKENS_H
#include <stddef.h>
#include <stdint.h>

/* Changes DATA (SIZE bytes, room for MAX) in place and returns its new size; one time in three the
 * change is left to libFuzzer. */
size_t token_mutate(uint8_t *data, size_t size, size_t max, unsigned seed);
/* The same, but only inside the //@ lines. */
size_t token_mutate_script(uint8_t *data, size_t size, size_t max, unsigned seed);

/* The functions that libFuzzer calls: LLVMFuzzerTestOneInput, whose body follows the macro, and a
 * mutator. */
#define FUZZ_TARGET(mutate) \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); \
	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed); \
	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) \
	{ \
		return mutate(data, size, max, seed); \
	}

#endif
