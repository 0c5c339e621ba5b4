/* How tensor copies and matrix descriptors scatter rows over the banks of shared memory: the
 * 16-byte piece that an address is in changes places with another of its span, by the 128-byte line
 * that it is in. (PTX ISA 5.5.7) */
#ifndef PTXI_ARITH_SWIZZLE_H
#define PTXI_ARITH_SWIZZLE_H
#include <stdint.h>

/* Spans of 16, 32, 64, 128 and 96 bytes; the numbers are those of tensor maps. */
enum swizzle { SWIZZLE_NONE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128, SWIZZLE_96 };

/* Where the byte that would be at ADDRESS in shared memory is. Not for SWIZZLE_96. */
static inline uint32_t swizzle_address(enum swizzle s, uint32_t address)
{
	return address ^ (address >> 7 & ((1u << s) - 1)) << 4;
}
#endif
