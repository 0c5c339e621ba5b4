/* Interned names: an array of entries, whose text is in the arena, and where they are found: names
 * such as %r12 in an array by their number, as far as nearly all of its numbers occur, so that
 * names used together are together; others in an open-addressed table. */
#include "base/symbol.h"
#include "base/demangle.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t load64(const char *p)
{
	uint64_t w;

	memcpy(&w, p, 8);
	return w;
}

static uint32_t load32(const char *p)
{
	uint32_t w;

	memcpy(&w, p, 4);
	return w;
}

/* The bytes of a text of 1 to 8 bytes as a number; some bytes occur twice. */
static uint64_t load_short(const char *text, size_t len)
{
	if (len >= 4)
		return (uint64_t)load32(text) << 32 | load32(text + len - 4);
	return (uint64_t)(unsigned char)text[0] << 16 |
		(uint64_t)(unsigned char)text[len / 2] << 8 | (unsigned char)text[len - 1];
}

/* Hashes eight bytes per step, the last ones possibly twice; PTX names are short and differ in
 * their last digits. */
static inline uint32_t symbol_hash(const char *text, size_t len)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ len;

	for (; len > 8; len -= 8, text += 8) {
		h = (h ^ load64(text)) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	h = (h ^ load_short(text, len)) * 0xff51afd7ed558ccdu;
	h ^= h >> 32;
	h *= 0xc4ceb9fe1a85ec53u;
	return (uint32_t)(h >> 32) | SYMBOL_HASHED;
}

static bool same_text(const char *a, const char *b, size_t len)
{
	if (len <= 8)
		return load_short(a, len) == load_short(b, len);
	return len <= 16 ? load64(a) == load64(b) && load64(a + len - 8) == load64(b + len - 8)
			 : memcmp(a, b, len) == 0;
}

/* nvcc -rdc=true calls a static variable __nv_static_N_FILE_NAME, where FILE, of N characters,
 * names the file. */
static const char *without_file(const char *symbol)
{
	static const char prefix[] = "__nv_static_";
	const char *at = symbol + sizeof prefix - 1;
	unsigned long n;
	char *end;

	if (strncmp(symbol, prefix, sizeof prefix - 1) != 0 || *at < '1' || *at > '9')
		return symbol;
	n = strtoul(at, &end, 10);
	if (*end != '_' || n >= strlen(end) - 1 || end[n + 1] != '_' || !end[n + 2])
		return symbol;
	return end + n + 2;
}

/* Whether a name may be such a one, or one of C++. */
static bool encodes(const char *text, size_t len)
{
	return len >= 2 && text[0] == '_' && (text[1] == 'Z' || text[1] == '_');
}

/* A copy of TEXT, followed by what it stands for. */
static const char *copy_with_shown(struct symbols *s, const char *text, size_t len)
{
	struct text own = {0}, name = {0};
	const char *shown;
	char *copy;

	text_add(&own, text, len);
	shown = without_file(text_str(&own));
	if (shown[0] == '_' && shown[1] == 'Z' && demangle(&name, shown, NULL))
		shown = text_str(&name);
	copy = arena_alloc(&s->arena, len + 1 + strlen(shown) + 1, 1);
	memcpy(copy, text_str(&own), len + 1);
	memcpy(copy + len + 1, shown, strlen(shown) + 1);
	text_free(&own);
	text_free(&name);
	return copy;
}

static uint32_t append_entry(struct symbols *s, uint32_t h, const char *text, size_t len)
{
	if (s->count == s->cap) {
		if (s->cap > UINT32_MAX / 4)
			memory_out();
		s->cap = s->cap ? s->cap * 2 : 256;
		s->entry = memory_resize(s->entry, s->cap * sizeof *s->entry);
	}
	s->entry[s->count] = (struct symbol_entry){.hash = h,
		.len = (uint32_t)len,
		.text = encodes(text, len) ? copy_with_shown(s, text, len)
					   : arena_text(&s->arena, text, len)};
	return s->count++;
}

/* Where a new name with hash H belongs. */
static uint32_t free_slot(const struct symbols *s, uint32_t h)
{
	uint32_t i = h & (s->slots - 1);

	while (s->slot[i])
		i = (i + 1) & (s->slots - 1);
	return i;
}

static void grow_symbol_slots(struct symbols *s)
{
	uint32_t slots = s->slots ? s->slots * 2 : 512;

	if (slots < s->slots)
		memory_out();
	memory_drop(s->slot);
	s->slot = memory_zeroed(slots, sizeof *s->slot);
	s->slots = slots;
	for (uint32_t n = 1; n < s->count; n++)
		if (s->entry[n].hash & SYMBOL_HASHED)
			s->slot[free_slot(s, s->entry[n].hash)] = n;
}

/* The slot of the name, or the free slot where it belongs. */
static inline uint32_t probe_symbol(
	const struct symbols *s, uint32_t h, const char *text, size_t len)
{
	uint32_t i = h & (s->slots - 1);

	for (uint32_t n; (n = s->slot[i]) != 0; i = (i + 1) & (s->slots - 1)) {
		const struct symbol_entry *e = &s->entry[n];

		if (e->hash == h && e->len == len && same_text(e->text, text, len))
			break;
	}
	return i;
}

/* A name of a series: a prefix of up to eight bytes, and a number. */
struct numbered {
	uint64_t prefix;
	uint32_t len, number;
};

/* The series to which a name such as %r12 or $L__BB0_12 may belong; NULL: to none. */
static inline const struct symbol_series *series_of(
	const struct symbols *s, const char *text, size_t len, struct numbered *n)
{
	enum { DIGITS = 9 };
	const struct symbol_series *c;
	uint32_t value = 0, unit = 1;
	size_t i = len;

	if (len < 2 || (text[0] != '%' && text[0] != '$'))
		return NULL;
	for (unsigned d; (d = (unsigned char)text[i - 1] - (unsigned)'0') <= 9; i--) {
		if (len - i == DIGITS)
			return NULL;
		value += d * unit;
		unit *= 10;
	}
	if (i == len || i > sizeof n->prefix || (text[i] == '0' && len - i > 1))
		return NULL;
	*n = (struct numbered){load_short(text, i), (uint32_t)i, value};
	c = &s->series[n->prefix * 0x9e3779b97f4a7c15u >> 59];
	return !c->cap || (c->prefix == n->prefix && c->len == n->len) ? c : NULL;
}

enum { SERIES_FIRST = 64 };

/* Makes room for NUMBER, unless too few of the numbers before it occur. */
static bool grow_series(struct symbol_series *c, uint32_t number)
{
	uint32_t cap = c->cap ? c->cap : SERIES_FIRST, *grown;

	if (number >= SERIES_FIRST + (uint64_t)c->count * 2)
		return false;
	while (cap <= number)
		cap *= 2;
	if (cap == c->cap)
		return true;
	grown = memory_zeroed(cap, sizeof *grown);
	if (c->cap)
		memcpy(grown, c->symbol, c->cap * sizeof *grown);
	memory_drop(c->symbol);
	c->symbol = grown;
	c->cap = cap;
	return true;
}

static uint32_t add_symbol(struct symbols *s, uint32_t h, const char *text, size_t len)
{
	if (s->count == 0)
		append_entry(s, 0, "", 0);
	if (s->hashed >= s->slots / 2)
		grow_symbol_slots(s);
	s->hashed++;
	return s->slot[free_slot(s, h)] = append_entry(s, h, text, len);
}

/* The number of a name that is in no series. */
static uint32_t find_hashed(const struct symbols *s, uint32_t h, const char *text, size_t len)
{
	return s->slots ? s->slot[probe_symbol(s, h, text, len)] : 0;
}

/* A name that belongs to series C, but is not in it yet. */
static uint32_t intern_in_series(struct symbols *s, struct symbol_series *c,
	const struct numbered *name, const char *text, size_t len)
{
	bool grown = grow_series(c, name->number);
	uint32_t h = 0, n = 0;

	if (c->outside || !grown) {
		h = symbol_hash(text, len);
		n = find_hashed(s, h, text, len);
	}
	if (!grown) {
		c->outside = true;
		return n ? n : add_symbol(s, h, text, len);
	}
	if (!n) {
		if (s->count == 0)
			append_entry(s, 0, "", 0);
		n = append_entry(s, name->number, text, len);
	}
	c->prefix = name->prefix;
	c->len = name->len;
	c->count++;
	return c->symbol[name->number] = n;
}

uint32_t symbol_intern(struct symbols *s, const char *text, size_t len)
{
	struct numbered name;
	const struct symbol_series *c = series_of(s, text, len, &name);
	uint32_t h, n;

	if (c) {
		n = name.number < c->cap ? c->symbol[name.number] : 0;
		return n ? n : intern_in_series(s, &s->series[c - s->series], &name, text, len);
	}
	if (len == 0)
		return 0;
	if (len > UINT32_MAX / 2)
		memory_out();
	h = symbol_hash(text, len);
	n = find_hashed(s, h, text, len);
	return n ? n : add_symbol(s, h, text, len);
}

uint32_t symbol_find(const struct symbols *s, const char *text, size_t len)
{
	struct numbered name;
	const struct symbol_series *c = series_of(s, text, len, &name);

	if (c && name.number < c->cap && c->symbol[name.number])
		return c->symbol[name.number];
	return len ? find_hashed(s, symbol_hash(text, len), text, len) : 0;
}

const char *symbol_text(const struct symbols *s, uint32_t symbol)
{
	return symbol < s->count ? s->entry[symbol].text : "";
}

const char *symbol_shown(const struct symbols *s, uint32_t symbol)
{
	const struct symbol_entry *e = &s->entry[symbol];

	if (symbol >= s->count)
		return "";
	return encodes(e->text, e->len) ? e->text + e->len + 1 : e->text;
}

void symbols_expect(struct symbols *s, uint32_t count)
{
	uint64_t bytes = 0;

	if (count <= s->cap)
		return;
	for (uint32_t i = 0; i < s->count; i++)
		bytes += s->entry[i].len + 1u;
	arena_expect(&s->arena, bytes * (count - s->count) / (s->count + 1u));
	s->cap = count;
	s->entry = memory_resize(s->entry, s->cap * sizeof *s->entry);
}

void symbols_free(struct symbols *s)
{
	arena_free(&s->arena);
	memory_drop(s->entry);
	memory_drop(s->slot);
	for (unsigned i = 0; i < SYMBOL_SERIES; i++)
		memory_drop(s->series[i].symbol);
	*s = (struct symbols){0};
}
