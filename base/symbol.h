/* Interned names: equal texts have equal numbers. Number 0 is the empty name. */
#ifndef PTXI_BASE_SYMBOL_H
#define PTXI_BASE_SYMBOL_H
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct slice {
	const char *text; /* not NUL-terminated in general */
	uint32_t len;
};

enum { SYMBOL_HASHED = 1 << 30 };
struct symbol_entry {
	/* with SYMBOL_HASHED; without it, the name is in a series, and this is its number, which is
	 * less */
	uint32_t hash, len;
	/* NUL-terminated, in the arena; after a name that may encode another, the one to show */
	const char *text;
};

/* The names that consist of one prefix and a number. */
enum { SYMBOL_SERIES = 32 };
struct symbol_series {
	uint64_t prefix;  /* up to eight bytes; len: how many */
	uint32_t *symbol; /* [cap] by number, 0 = not in the series */
	uint32_t len, cap, count;
	bool outside; /* such names may be in symbols.slot, too */
};

/* Zero-initialise before use; free with symbols_free. */
struct symbols {
	struct arena arena;
	struct symbol_entry *entry; /* [count], by number */
	uint32_t *slot;             /* open addressing, power of two, 0 = free */
	uint32_t count, cap, slots;
	uint32_t hashed;                            /* entries in slot */
	struct symbol_series series[SYMBOL_SERIES]; /* by hash of the prefix */
};

/* The number of TEXT[0..len), which is added if it is new. */
uint32_t symbol_intern(struct symbols *s, const char *text, size_t len);
/* The number of TEXT[0..len), or 0 if it has not been interned. */
uint32_t symbol_find(const struct symbols *s, const char *text, size_t len);
/* The NUL-terminated text of a number; "" for an unknown one. */
const char *symbol_text(const struct symbols *s, uint32_t symbol);
/* The same for messages: the C++ name that the text encodes, or the text. */
const char *symbol_shown(const struct symbols *s, uint32_t symbol);
/* Makes room for COUNT names, if there is less. */
void symbols_expect(struct symbols *s, uint32_t count);
void symbols_free(struct symbols *s);

#endif
