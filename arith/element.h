/* Packed operands as rows of elements: which format the elements have and where each one lies. */
#ifndef PTXI_ARITH_ELEMENT_H
#define PTXI_ARITH_ELEMENT_H
#include "isa/vocab.h"
#include <stdint.h>

/* The elements of a packed type, or of a scalar type as its only element (PTX ISA 5.2.5). */
struct elements {
	enum type type; /* of one element */
	uint8_t count;
	uint8_t stride; /* bits from one element to the next: 6-bit elements occupy bytes */
};
struct elements elements_of(enum type type);

static inline uint64_t lane_load(const void *lanes, unsigned bytes, unsigned i)
{
	switch (bytes) {
	case 1: return ((const uint8_t *)lanes)[i];
	case 2: return ((const uint16_t *)lanes)[i];
	case 4: return ((const uint32_t *)lanes)[i];
	default: return ((const uint64_t *)lanes)[i];
	}
}
static inline void lane_store(void *lanes, unsigned bytes, unsigned i, uint64_t x)
{
	switch (bytes) {
	case 1: ((uint8_t *)lanes)[i] = (uint8_t)x; break;
	case 2: ((uint16_t *)lanes)[i] = (uint16_t)x; break;
	case 4: ((uint32_t *)lanes)[i] = (uint32_t)x; break;
	default: ((uint64_t *)lanes)[i] = x; break;
	}
}

#endif
