/* Textures and surfaces in kernels: what a thread reads by coordinates, and writes. Their handles
 * are numbers. */
#ifndef PTXI_CUDA_TEXTURES_H
#define PTXI_CUDA_TEXTURES_H
#include "api.h"

/* --- from channels to types --- */

/* How T is read: WORD is the type that the instruction gives, 0 signed, 1 unsigned, 2 float. */
template <class T> struct ptxi_texel;
#define PTXI_TEXEL(type, which, size, n, ...) \
	template <> struct ptxi_texel<type> { \
		typedef type texel; \
		static constexpr int word = which, bits = size, channels = n; \
		PTXI_DEVICE texel of(unsigned x, unsigned y, unsigned z, unsigned w) \
		{ \
			(void)x, (void)y, (void)z, (void)w; \
			return texel{__VA_ARGS__}; \
		} \
	};
#define PTXI_TEXELS(name, number, which, size, one) \
	PTXI_TEXEL(number, which, size, 1, one(x)) \
	PTXI_TEXEL(name##1, which, size, 1, one(x)) \
	PTXI_TEXEL(name##2, which, size, 2, one(x), one(y)) \
	PTXI_TEXEL(name##4, which, size, 4, one(x), one(y), one(z), one(w))
#define PTXI_CHAR(x) (signed char)(x)
#define PTXI_UCHAR(x) (unsigned char)(x)
#define PTXI_SHORT(x) (short)(x)
#define PTXI_USHORT(x) (unsigned short)(x)
#define PTXI_INT(x) (int)(x)
#define PTXI_UINT(x) (x)
#define PTXI_FLOAT(x) __uint_as_float(x)
PTXI_TEXELS(char, signed char, 0, 8, PTXI_CHAR)
PTXI_TEXELS(uchar, unsigned char, 1, 8, PTXI_UCHAR)
PTXI_TEXELS(short, short, 0, 16, PTXI_SHORT)
PTXI_TEXELS(ushort, unsigned short, 1, 16, PTXI_USHORT)
PTXI_TEXELS(int, int, 0, 32, PTXI_INT)
PTXI_TEXELS(uint, unsigned, 1, 32, PTXI_UINT)
PTXI_TEXELS(float, float, 2, 32, PTXI_FLOAT)
PTXI_TEXEL(char, 0, 8, 1, (char)(x))
#undef PTXI_CHAR
#undef PTXI_UCHAR
#undef PTXI_SHORT
#undef PTXI_USHORT
#undef PTXI_INT
#undef PTXI_UINT
#undef PTXI_FLOAT
#undef PTXI_TEXELS
#undef PTXI_TEXEL

template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
	typedef ptxi_texel<T> t;
	const int n = t::channels, bits = t::bits;

	return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0,
		(cudaChannelFormatKind)t::word);
}
#define PTXI_HALF(name, y, z) \
	static inline cudaChannelFormatDesc name() \
	{ \
		return cudaCreateChannelDesc(16, y, z, z, cudaChannelFormatKindFloat); \
	}
PTXI_HALF(cudaCreateChannelDescHalf, 0, 0)
PTXI_HALF(cudaCreateChannelDescHalf1, 0, 0)
PTXI_HALF(cudaCreateChannelDescHalf2, 16, 0)
PTXI_HALF(cudaCreateChannelDescHalf4, 16, 16)
#undef PTXI_HALF

/* --- textures --- */

/* One instruction for each type of its results; registers of f32 hold floats. */
#define PTXI_FETCH_AS(op, type, reg, convert, operands, ...) \
	{ \
		decltype(convert(0u)) a, b, c, d; \
\
		asm volatile(op ".v4." type "." operands \
			     : "=" reg(a), "=" reg(b), "=" reg(c), "=" reg(d) \
			     : "l"(texture), __VA_ARGS__); \
		x = ptxi_bits(a), y = ptxi_bits(b), z = ptxi_bits(c), w = ptxi_bits(d); \
	}
PTXI_DEVICE unsigned ptxi_bits(unsigned x) { return x; }
PTXI_DEVICE unsigned ptxi_bits(float x) { return __float_as_uint(x); }
PTXI_DEVICE unsigned ptxi_same(unsigned x) { return x; }

/* NAME<T>(texture, PARAMETERS), which is OP with OPERANDS; and the form that stores the result. */
#define PTXI_FETCH(name, op, operands, parameters, arguments, ...) \
	template <class T> PTXI_DEVICE T name parameters \
	{ \
		unsigned x, y, z, w; \
\
		if constexpr (ptxi_texel<T>::word == 2) \
			PTXI_FETCH_AS(op, "f32", "f", __uint_as_float, operands, __VA_ARGS__) \
		else if constexpr (ptxi_texel<T>::word == 1) \
			PTXI_FETCH_AS(op, "u32", "r", ptxi_same, operands, __VA_ARGS__) \
		else \
			PTXI_FETCH_AS(op, "s32", "r", ptxi_same, operands, __VA_ARGS__) \
		return ptxi_texel<T>::of(x, y, z, w); \
	} \
	template <class T> PTXI_DEVICE void name(T *result, PTXI_LIST parameters) \
	{ \
		*result = name<T> arguments; \
	}
#define PTXI_LIST(...) __VA_ARGS__
#define PTXI_TO "{%0, %1, %2, %3}, [%4, "

PTXI_FETCH(tex1Dfetch, "tex.1d", "s32 " PTXI_TO "{%5}];", (cudaTextureObject_t texture, int at),
	(texture, at), "r"(at))
PTXI_FETCH(tex1D, "tex.1d", "f32 " PTXI_TO "{%5}];", (cudaTextureObject_t texture, float u),
	(texture, u), "f"(u))
PTXI_FETCH(tex2D, "tex.2d", "f32 " PTXI_TO "{%5, %6}];",
	(cudaTextureObject_t texture, float u, float v), (texture, u, v), "f"(u), "f"(v))
PTXI_FETCH(tex3D, "tex.3d", "f32 " PTXI_TO "{%5, %6, %7, %7}];",
	(cudaTextureObject_t texture, float u, float v, float t), (texture, u, v, t), "f"(u),
	"f"(v), "f"(t))
PTXI_FETCH(tex1DLayered, "tex.a1d", "f32 " PTXI_TO "{%5, %6}];",
	(cudaTextureObject_t texture, float u, int layer), (texture, u, layer), "r"(layer), "f"(u))
PTXI_FETCH(tex2DLayered, "tex.a2d", "f32 " PTXI_TO "{%5, %6, %7, %7}];",
	(cudaTextureObject_t texture, float u, float v, int layer), (texture, u, v, layer),
	"r"(layer), "f"(u), "f"(v))
#define PTXI_GATHER(name, component) \
	PTXI_FETCH(name, "tld4." component ".2d", "f32 " PTXI_TO "{%5, %6}];", \
		(cudaTextureObject_t texture, float u, float v), (texture, u, v), "f"(u), "f"(v))
PTXI_GATHER(ptxi_gather_r, "r")
PTXI_GATHER(ptxi_gather_g, "g")
PTXI_GATHER(ptxi_gather_b, "b")
PTXI_GATHER(ptxi_gather_a, "a")
#undef PTXI_GATHER
#undef PTXI_TO
#undef PTXI_LIST
#undef PTXI_FETCH
#undef PTXI_FETCH_AS
/* One channel of the four texels around a place. */
template <class T>
PTXI_DEVICE T tex2Dgather(cudaTextureObject_t texture, float u, float v, int component = 0)
{
	return component == 0    ? ptxi_gather_r<T>(texture, u, v)
		: component == 1 ? ptxi_gather_g<T>(texture, u, v)
		: component == 2 ? ptxi_gather_b<T>(texture, u, v)
				 : ptxi_gather_a<T>(texture, u, v);
}
template <class T>
PTXI_DEVICE void tex2Dgather(
	T *result, cudaTextureObject_t texture, float u, float v, int component = 0)
{
	*result = tex2Dgather<T>(texture, u, v, component);
}

/* --- surfaces --- */

/* Data in registers: what has N bytes. The first coordinate counts bytes, too. */
template <int bytes> struct ptxi_element {
	typedef unsigned short type;
};
template <> struct ptxi_element<4> {
	typedef unsigned type;
};
template <> struct ptxi_element<8> {
	typedef unsigned long long type;
};
template <> struct ptxi_element<16> {
	typedef ulonglong2 type;
};

#define PTXI_ACCESS_AS(geometry, bits, reg, mode, place, ...) \
	if constexpr (store) \
		asm volatile("sust.b." geometry "." bits "." mode " [%1, " place \
			     "], %0;" ::reg(value), \
			     "l"(surface), __VA_ARGS__ \
			     : "memory"); \
	else \
		asm volatile("suld.b." geometry "." bits "." mode " %0, [%1, " place "];" \
			     : "=" reg(value) \
			     : "l"(surface), __VA_ARGS__ \
			     : "memory");
#define PTXI_ACCESS_PAIR(geometry, mode, place2, ...) \
	if constexpr (store) \
		asm volatile("sust.b." geometry ".v2.b64." mode " [%2, " place2 \
			     "], {%0, %1};" ::"l"(value.x), \
			     "l"(value.y), "l"(surface), __VA_ARGS__ \
			     : "memory"); \
	else \
		asm volatile("suld.b." geometry ".v2.b64." mode " {%0, %1}, [%2, " place2 "];" \
			     : "=l"(value.x), "=l"(value.y) \
			     : "l"(surface), __VA_ARGS__ \
			     : "memory");
#define PTXI_ACCESS_MODE(geometry, mode, place, place2, ...) \
	{ \
		if constexpr (bytes == 1) { \
			PTXI_ACCESS_AS(geometry, "b8", "h", mode, place, __VA_ARGS__) \
		} else if constexpr (bytes == 2) { \
			PTXI_ACCESS_AS(geometry, "b16", "h", mode, place, __VA_ARGS__) \
		} else if constexpr (bytes == 4) { \
			PTXI_ACCESS_AS(geometry, "b32", "r", mode, place, __VA_ARGS__) \
		} else if constexpr (bytes == 8) { \
			PTXI_ACCESS_AS(geometry, "b64", "l", mode, place, __VA_ARGS__) \
		} else { \
			PTXI_ACCESS_PAIR(geometry, mode, place2, __VA_ARGS__) \
		} \
	}
/* surfNread, surfNwrite: PLACE and PLACE2 are the coordinates as operands, behind one and behind
 * two registers of data. */
#define PTXI_SURFACE(name, geometry, place, place2, parameters, arguments, ...) \
	template <bool store, int bytes> \
	PTXI_DEVICE void ptxi_##name(typename ptxi_element<bytes>::type &value, \
		cudaSurfaceObject_t surface, PTXI_LIST parameters, \
		cudaSurfaceBoundaryMode outside) \
	{ \
		if (outside == cudaBoundaryModeTrap) \
			PTXI_ACCESS_MODE(geometry, "trap", place, place2, __VA_ARGS__) \
		else if (outside == cudaBoundaryModeClamp) \
			PTXI_ACCESS_MODE(geometry, "clamp", place, place2, __VA_ARGS__) \
		else \
			PTXI_ACCESS_MODE(geometry, "zero", place, place2, __VA_ARGS__) \
	} \
	template <class T> \
	PTXI_DEVICE T name##read(cudaSurfaceObject_t surface, PTXI_LIST parameters, \
		cudaSurfaceBoundaryMode outside = cudaBoundaryModeTrap) \
	{ \
		typename ptxi_element<sizeof(T)>::type value; \
		T result; \
\
		ptxi_##name<false, sizeof(T)>(value, surface, PTXI_LIST arguments, outside); \
		__builtin_memcpy(&result, &value, sizeof result); \
		return result; \
	} \
	template <class T> \
	PTXI_DEVICE void name##read(T *result, cudaSurfaceObject_t surface, PTXI_LIST parameters, \
		cudaSurfaceBoundaryMode outside = cudaBoundaryModeTrap) \
	{ \
		*result = name##read<T>(surface, PTXI_LIST arguments, outside); \
	} \
	template <class T> \
	PTXI_DEVICE void name##write(T data, cudaSurfaceObject_t surface, PTXI_LIST parameters, \
		cudaSurfaceBoundaryMode outside = cudaBoundaryModeTrap) \
	{ \
		typename ptxi_element<sizeof(T)>::type value = {}; \
\
		__builtin_memcpy(&value, &data, sizeof data); \
		ptxi_##name<true, sizeof(T)>(value, surface, PTXI_LIST arguments, outside); \
	}
#define PTXI_LIST(...) __VA_ARGS__
PTXI_SURFACE(surf1D, "1d", "{%2}", "{%3}", (int x), (x), "r"(x))
PTXI_SURFACE(surf2D, "2d", "{%2, %3}", "{%3, %4}", (int x, int y), (x, y), "r"(x), "r"(y))
PTXI_SURFACE(surf3D, "3d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", (int x, int y, int z), (x, y, z),
	"r"(x), "r"(y), "r"(z))
PTXI_SURFACE(surf1DLayered, "a1d", "{%2, %3}", "{%3, %4}", (int x, int layer), (x, layer),
	"r"(layer), "r"(x))
PTXI_SURFACE(surf2DLayered, "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}",
	(int x, int y, int layer), (x, y, layer), "r"(layer), "r"(x), "r"(y))
#undef PTXI_LIST
#undef PTXI_SURFACE
#undef PTXI_ACCESS_MODE
#undef PTXI_ACCESS_PAIR
#undef PTXI_ACCESS_AS
#endif
