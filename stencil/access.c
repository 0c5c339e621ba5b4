/* Loads and stores that pieces call: of all lanes of a mask, whose elements are a row, one element,
 * or any that are aligned and inside one block of memory. The text of native/prelude.h, which
 * translated code has, is compiled here, too. */
#include "stencil/access.h"
#if defined(__x86_64__) && defined(__AVX2__)
#define VECTOR 32
#include "native/begin.h"
#include "interp/native.h"
#include "interp/memory/combine_table.h"
#include "interp/memory/shape.h"
#include "native/prelude.h"

#define LOAD_HERE(T, name, wide, shared) \
	static bool load_##T##_##name( \
		const struct native_state *s, void *to, const void *reg, u64 add, u32 mask) \
	{ \
		return load_##T(s, to, reg, wide, add, shared, mask); \
	}
#define STORE_HERE(T, name, wide, shared) \
	static bool store_##T##_##name( \
		const struct native_state *s, void *from, const void *reg, u64 add, u32 mask) \
	{ \
		return store_##T(s, from, reg, wide, add, shared, mask); \
	}
#define EACH_SIZE(M, name, wide, shared) \
	M(u8, name, wide, shared) \
	M(u16, name, wide, shared) M(u32, name, wide, shared) M(u64, name, wide, shared)
#define EACH_MEMORY(M) \
	EACH_SIZE(M, global, true, false) \
	EACH_SIZE(M, shared, false, true) EACH_SIZE(M, wide_shared, true, true)
EACH_MEMORY(LOAD_HERE)
EACH_MEMORY(STORE_HERE)

#define NAMES(kind, name) \
	{ \
		kind##_u8_##name, kind##_u16_##name, kind##_u32_##name, kind##_u64_##name \
	}
stencil_access *stencil_access_of(bool store, bool wide, bool shared, unsigned log2_bytes)
{
	static stencil_access *const f[2][3][4] = {
		{NAMES(load, global), NAMES(load, shared), NAMES(load, wide_shared)},
		{NAMES(store, global), NAMES(store, shared), NAMES(store, wide_shared)}};

	return f[store][shared ? 1 + wide : 0][log2_bytes];
}
#else
stencil_access *stencil_access_of(_Bool store, _Bool wide, _Bool shared, unsigned log2_bytes)
{
	(void)store;
	(void)wide;
	(void)shared;
	(void)log2_bytes;
	return 0;
}
#endif
