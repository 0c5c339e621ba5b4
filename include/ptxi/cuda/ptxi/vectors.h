/* Vector types: two to four numbers, aligned as loads and stores of vectors need it. */
#ifndef PTXI_CUDA_VECTORS_H
#define PTXI_CUDA_VECTORS_H
#include "words.h"

#define PTXI_VECTORS(name, type, align2, align4) \
	struct name##1 { type x; }; \
	struct __attribute__((aligned(align2))) name##2 { type x, y; }; \
	struct name##3 { type x, y, z; }; \
	struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; }; \
	PTXI_BOTH name##1 make_##name##1(type x) { return name##1 {x}; } \
	PTXI_BOTH name##2 make_##name##2(type x, type y) { return name##2 {x, y}; } \
	PTXI_BOTH name##3 make_##name##3(type x, type y, type z) { return name##3 {x, y, z}; } \
	PTXI_BOTH name##4 make_##name##4(type x, type y, type z, type w) \
	{ \
		return name##4 {x, y, z, w}; \
	}
PTXI_VECTORS(char, signed char, 2, 4)
PTXI_VECTORS(uchar, unsigned char, 2, 4)
PTXI_VECTORS(short, short, 4, 8)
PTXI_VECTORS(ushort, unsigned short, 4, 8)
PTXI_VECTORS(int, int, 8, 16)
PTXI_VECTORS(uint, unsigned, 8, 16)
PTXI_VECTORS(long, long, 16, 16)
PTXI_VECTORS(ulong, unsigned long, 16, 16)
PTXI_VECTORS(longlong, long long, 16, 16)
PTXI_VECTORS(ulonglong, unsigned long long, 16, 16)
PTXI_VECTORS(float, float, 8, 16)
PTXI_VECTORS(double, double, 16, 16)
#undef PTXI_VECTORS

struct dim3 {
	unsigned x, y, z;
	__host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
	    : x(a), y(b), z(c)
	{
	}
	__host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	__host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

#endif
