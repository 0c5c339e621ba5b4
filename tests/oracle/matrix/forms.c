/* The forms, and a kernel for each: load the tile's registers or matrices, execute the instruction
 * once, store the result's registers or matrix. */
#include "matrix.h"
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	unsigned bits;
} info[E_COUNT] = {[E_B1] = {"b1", 1},
	[E_U4] = {"u4", 4},
	[E_S4] = {"s4", 4},
	[E_U8] = {"u8", 8},
	[E_S8] = {"s8", 8},
	[E_E4M3] = {"e4m3", 8},
	[E_E5M2] = {"e5m2", 8},
	[E_F16] = {"f16", 16},
	[E_BF16] = {"bf16", 16},
	[E_TF32] = {"tf32", 32},
	[E_F32] = {"f32", 32},
	[E_S32] = {"s32", 32},
	[E_F64] = {"f64", 64}};

unsigned element_bits(enum element e) { return info[e].bits; }

static struct matrix_form forms[MOST_FORMS];
static unsigned count;

static unsigned words_of(unsigned registers, enum element e)
{
	return registers * LANES_A_WARP * (e == E_F64 ? 2 : 1);
}

unsigned matrix_stride(unsigned minor, enum element e) { return minor + 256 / info[e].bits; }

static unsigned matrix_words(unsigned major, unsigned minor, enum element e)
{
	return major * matrix_stride(minor, e) * info[e].bits / 32;
}

/* The registers of a fragment of ELEMENTS elements. */
static uint8_t registers(unsigned elements, enum element e)
{
	return (uint8_t)(e == E_F64 ? elements / 32 : elements * info[e].bits / 1024);
}

static struct matrix_form *add(struct matrix_form f)
{
	forms[count] = f;
	return &forms[count++];
}

static void shape(char *s, unsigned m, unsigned n, unsigned k)
{
	snprintf(s, 24, "m%un%uk%u", m, n, k);
}

/* SPARSE: 0, or 2; FLAGS precede the types, LAST follows them. */
static void mma(unsigned m, unsigned n, unsigned k, const char *flags, enum element d,
	enum element a, enum element b, const char *last, unsigned sparse, unsigned selector)
{
	struct matrix_form f = {.what = MMA,
		.m = (uint8_t)m,
		.n = (uint8_t)n,
		.k = (uint16_t)k,
		.a = (uint8_t)a,
		.b = (uint8_t)b,
		.c = (uint8_t)d,
		.d = (uint8_t)d,
		.sparse = (uint8_t)sparse,
		.selector = (uint8_t)selector};
	bool quads = m == 8 && a == E_F16; /* four products of 8 lanes each */
	char s[24];

	shape(s, m, n, k);
	f.na = quads ? 2 : registers(m * k / (sparse ? 2 : 1), a);
	f.nb = quads ? 2 : registers(n * k, b);
	f.nc = f.nd = quads ? (d == E_F16 ? 4 : 8) : registers(m * n, d);
	f.in_words = words_of(f.na, a) + words_of(f.nb, b) + words_of(f.nc, d) +
		(sparse ? LANES_A_WARP : 0);
	f.out_words = words_of(f.nd, d);
	snprintf(f.name, sizeof f.name, "mma%s.sync.aligned.%s%s%s.%s.%s.%s.%s%s",
		sparse ? ".sp::ordered_metadata" : "", s, quads ? "" : ".row.col", flags,
		info[d].name, info[a].name, info[b].name, info[d].name, last);
	if (sparse)
		snprintf(f.name + strlen(f.name), sizeof f.name - strlen(f.name), " selector %u",
			selector);
	if (!quads) {
		add(f);
		return;
	}
	for (unsigned l = 0; l < 8; l++) { /* C of .f16 with D of .f32 as well */
		bool mixed = l >= 4;

		if (mixed && d != E_F32)
			continue;
		if (mixed) {
			f.c = E_F16;
			f.nc = 4;
			f.in_words = words_of(f.na, a) + words_of(f.nb, b) + words_of(f.nc, E_F16);
		}
		snprintf(f.name, sizeof f.name, "mma.sync.aligned.%s.%s.%s.%s.%s.%s.%s", s,
			l & 1 ? "col" : "row", l & 2 ? "col" : "row", info[d].name, info[a].name,
			info[b].name, info[f.c].name);
		add(f);
	}
}

static void all_mma(void)
{
	static const enum element halves[] = {E_F16, E_F32};

	for (unsigned h = 0; h < 2; h++) {
		enum element d = halves[h];

		mma(8, 8, 4, "", d, E_F16, E_F16, "", 0, 0);
		mma(16, 8, 8, "", d, E_F16, E_F16, "", 0, 0);
		mma(16, 8, 16, "", d, E_F16, E_F16, "", 0, 0);
		for (unsigned e = 0; e < 4; e++)
			for (unsigned k = 16; k <= 32; k += 16)
				mma(16, 8, k, "", d, e & 1 ? E_E5M2 : E_E4M3,
					e & 2 ? E_E5M2 : E_E4M3, "", 0, 0);
		for (unsigned s = 0; s < 4; s++)
			mma(16, 8, 16, "", d, E_F16, E_F16, "", 2, s);
		for (unsigned s = 0; s < 2; s++)
			mma(16, 8, 32, "", d, E_F16, E_F16, "", 2, s);
	}
	mma(16, 8, 4, "", E_F32, E_TF32, E_TF32, "", 0, 0);
	mma(16, 8, 8, "", E_F32, E_TF32, E_TF32, "", 0, 0);
	mma(16, 8, 8, "", E_F32, E_BF16, E_BF16, "", 0, 0);
	mma(16, 8, 16, "", E_F32, E_BF16, E_BF16, "", 0, 0);
	for (unsigned s = 0; s < 4; s++) {
		mma(16, 8, 16, "", E_F32, E_BF16, E_BF16, "", 2, s);
		mma(16, 8, 8, "", E_F32, E_TF32, E_TF32, "", 2, s);
	}
	for (unsigned s = 0; s < 2; s++) {
		mma(16, 8, 32, "", E_F32, E_BF16, E_BF16, "", 2, s);
		mma(16, 8, 16, "", E_F32, E_TF32, E_TF32, "", 2, s);
	}
	for (unsigned e = 0; e < 4; e++)
		mma(16, 8, 64, "", E_F32, e & 1 ? E_E5M2 : E_E4M3, e & 2 ? E_E5M2 : E_E4M3, "", 2,
			0);

	static const char *const rounding[] = {"", ".rn", ".rz", ".rm", ".rp"};
	for (unsigned r = 0; r < 5; r++) {
		mma(8, 8, 4, rounding[r], E_F64, E_F64, E_F64, "", 0, 0);
		for (unsigned k = 4; k <= 16; k *= 2)
			mma(16, 8, k, rounding[r], E_F64, E_F64, E_F64, "", 0, 0);
	}
	for (unsigned t = 0; t < 8; t++) {
		enum element a8 = t & 1 ? E_S8 : E_U8, b8 = t & 2 ? E_S8 : E_U8,
			     a4 = t & 1 ? E_S4 : E_U4, b4 = t & 2 ? E_S4 : E_U4;
		const char *sat = t & 4 ? ".satfinite" : "";

		mma(8, 8, 16, sat, E_S32, a8, b8, "", 0, 0);
		mma(16, 8, 16, sat, E_S32, a8, b8, "", 0, 0);
		mma(16, 8, 32, sat, E_S32, a8, b8, "", 0, 0);
		mma(8, 8, 32, sat, E_S32, a4, b4, "", 0, 0);
		mma(16, 8, 32, sat, E_S32, a4, b4, "", 0, 0);
		mma(16, 8, 64, sat, E_S32, a4, b4, "", 0, 0);
		mma(16, 8, 32, sat, E_S32, a8, b8, "", 2, t & 1);
		mma(16, 8, 64, sat, E_S32, a8, b8, "", 2, 0);
		mma(16, 8, 64, sat, E_S32, a4, b4, "", 2, t & 1);
		mma(16, 8, 128, sat, E_S32, a4, b4, "", 2, 0);
	}
	for (unsigned x = 0; x < 2; x++) {
		const char *last = x ? ".xor.popc" : ".and.popc";

		mma(8, 8, 128, "", E_S32, E_B1, E_B1, last, 0, 0);
		mma(16, 8, 128, "", E_S32, E_B1, E_B1, last, 0, 0);
		mma(16, 8, 256, "", E_S32, E_B1, E_B1, last, 0, 0);
	}
}

/* The registers of a wmma fragment as wmma.load has them. */
static uint8_t wmma_registers(const struct matrix_form *f, char fragment)
{
	enum element e = (enum element)(fragment == 'a' ? f->a : fragment == 'b' ? f->b : f->c);
	unsigned elements = fragment == 'a' ? f->m * f->k
		: fragment == 'b'           ? f->n * f->k
					    : f->m * f->n;

	return registers(elements, e);
}

static void wmma_load(const struct matrix_form *w, char fragment, const char *layout)
{
	struct matrix_form f = *w;
	enum element e = (enum element)(fragment == 'a' ? f.a : fragment == 'b' ? f.b : f.c);
	unsigned rows = fragment == 'b' ? f.k : f.m, columns = fragment == 'a' ? f.k : f.n;
	bool row = !strcmp(layout, "row");
	char s[24];

	f.what = WMMA_LOAD;
	f.fragment = fragment;
	f.layout[0] = layout;
	f.d = (uint8_t)e;
	f.nd = fragment == 'a' ? f.na : fragment == 'b' ? f.nb : f.nc;
	f.in_words = row ? matrix_words(rows, columns, e) : matrix_words(columns, rows, e);
	f.out_words = words_of(f.nd, e);
	shape(s, f.m, f.n, f.k);
	snprintf(f.name, sizeof f.name, "wmma.load.%c.sync.aligned.%s.%s.global.%s", fragment,
		layout, s, info[e].name);
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(forms[i].name, f.name))
			return;
	add(f);
}

/* ANY: all layouts; otherwise .row.col. */
static void wmma(unsigned m, unsigned n, unsigned k, enum element d, enum element a, enum element b,
	enum element c, const char *extra, const char *last, bool any, unsigned na, unsigned nb)
{
	static const char *const layout[] = {"row", "col"};
	struct matrix_form f = {.what = WMMA,
		.m = (uint8_t)m,
		.n = (uint8_t)n,
		.k = (uint16_t)k,
		.a = (uint8_t)a,
		.b = (uint8_t)b,
		.c = (uint8_t)c,
		.d = (uint8_t)d};
	char s[24], types[40];

	f.na = (uint8_t)na;
	f.nb = (uint8_t)nb;
	f.nc = wmma_registers(&f, 'c');
	f.nd = registers(m * n, d);
	shape(s, m, n, k);
	if (a == E_F16)
		snprintf(types, sizeof types, ".%s.%s", info[d].name, info[c].name);
	else
		snprintf(types, sizeof types, ".%s.%s.%s.%s", info[d].name, info[a].name,
			info[b].name, info[c].name);
	for (unsigned l = 0; l < 8; l++) {
		bool ra = !(l & 1), rb = (l & 2) != 0, rd = !(l & 4);

		if (!any && (!ra || rb))
			continue;
		f.layout[0] = layout[!ra];
		f.layout[1] = layout[!rb];
		f.layout[2] = layout[!rd];
		f.in_words = (ra ? matrix_words(m, k, a) : matrix_words(k, m, a)) +
			(rb ? matrix_words(k, n, b) : matrix_words(n, k, b)) +
			(rd ? matrix_words(m, n, c) : matrix_words(n, m, c));
		f.out_words = m * n * info[d].bits / 32;
		snprintf(f.name, sizeof f.name, "wmma.mma%s.sync.aligned.%s.%s.%s%s%s%s", last,
			f.layout[0], f.layout[1], s, types, extra, rd ? "" : " by columns");
		add(f);
	}
	for (unsigned l = 0; l < 2; l++) {
		if (any || !l)
			wmma_load(&f, 'a', layout[l]);
		if (any || l)
			wmma_load(&f, 'b', layout[l]);
		wmma_load(&f, 'c', layout[l]);
	}
}

static void all_wmma(void)
{
	static const uint8_t sizes[3][2] = {{16, 16}, {8, 32}, {32, 8}};

	for (unsigned z = 0; z < 3; z++) {
		unsigned m = sizes[z][0], n = sizes[z][1];

		for (unsigned t = 0; t < 4; t++)
			wmma(m, n, 16, t & 1 ? E_F32 : E_F16, E_F16, E_F16, t & 2 ? E_F32 : E_F16,
				"", "", true, 8, 8);
		wmma(m, n, 16, E_F32, E_BF16, E_BF16, E_F32, "", "", true, m / 4, n / 4);
		for (unsigned t = 0; t < 4; t++) {
			enum element e = t & 1 ? E_S8 : E_U8;

			wmma(m, n, 16, E_S32, e, e, E_S32, t & 2 ? ".satfinite" : "", "", true,
				m / 8, n / 8);
		}
	}
	wmma(16, 16, 8, E_F32, E_TF32, E_TF32, E_F32, "", "", true, 4, 4);
	wmma(8, 8, 4, E_F64, E_F64, E_F64, E_F64, "", "", true, 1, 1);
	for (unsigned t = 0; t < 4; t++) {
		enum element e = t & 1 ? E_S4 : E_U4;

		wmma(8, 8, 32, E_S32, e, e, E_S32, t & 2 ? ".satfinite" : "", "", false, 1, 1);
	}
	wmma(8, 8, 128, E_S32, E_B1, E_B1, E_S32, "", ".xor.popc", false, 1, 1);
	wmma(8, 8, 128, E_S32, E_B1, E_B1, E_S32, "", ".and.popc", false, 1, 1);
}

static void all_rows(void)
{
	for (unsigned x = 1; x <= 4; x *= 2)
		for (unsigned t = 0; t < 2; t++) {
			struct matrix_form f = {.what = LDMATRIX, .nd = (uint8_t)x, .d = E_S32};

			snprintf(f.name, sizeof f.name,
				"ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16", x,
				t ? ".trans" : "");
			f.in_words = 512 +
				LANES_A_WARP; /* shared memory, then the lanes' addresses */
			f.out_words = x * LANES_A_WARP;
			add(f);
			f.what = STMATRIX;
			f.nd = 0;
			f.na = (uint8_t)x;
			snprintf(f.name, sizeof f.name,
				"stmatrix.sync.aligned.m8n8.x%u%s.shared.b16", x,
				t ? ".trans" : "");
			f.in_words = (4 + 1) * LANES_A_WARP;
			f.out_words = 512;
			add(f);
		}
	struct matrix_form f = {.what = MOVMATRIX,
		.name = "movmatrix.sync.aligned.m8n8.trans.b16",
		.na = 1,
		.nd = 1,
		.d = E_S32,
		.in_words = 32,
		.out_words = 32};
	add(f);
}

/* The product of the shape m64n(N)k(256 bits, of a sparse A twice as many). */
static struct matrix_form wgmma_form(unsigned n, enum element d, enum element a, enum element b,
	bool sparse, bool registers_of_a)
{
	struct matrix_form f = {.what = WGMMA,
		.m = 64,
		.n = (uint16_t)n,
		.k = (uint16_t)((sparse ? 512 : 256) / info[a].bits),
		.a = (uint8_t)a,
		.b = (uint8_t)b,
		.c = (uint8_t)d,
		.d = (uint8_t)d,
		.registers = registers_of_a,
		.sparse = sparse ? 2 : 0};

	f.na = registers_of_a ? 4 : 0;
	f.nc = f.nd = (uint8_t)(d == E_F16 ? n / 4 : n / 2);
	f.image_words = n <= 64 ? 3072 : 6144;
	f.in_words = f.image_words + WARPGROUP * (f.nc + f.na + (sparse ? 1u : 0)) + 8;
	f.out_words = f.nd * WARPGROUP;
	return f;
}

static void add_wgmma(struct matrix_form f, const char *last)
{
	static const char *const swizzle[] = {"none", "128B", "64B", "32B"};
	int n = snprintf(f.name, sizeof f.name,
		"wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s.%s%s", f.sparse ? ".sp" : "", f.n,
		f.k, info[f.d].name, info[f.a].name, info[f.b].name, last);

	if (f.sparse)
		n += snprintf(f.name + n, sizeof f.name - (size_t)n, " selector %u", f.selector);
	n += f.registers ? snprintf(f.name + n, sizeof f.name - (size_t)n, " registers")
			 : snprintf(f.name + n, sizeof f.name - (size_t)n, " %s%s",
				   swizzle[f.swizzle[0]], f.transposed[0] ? " transposed" : "");
	n += snprintf(f.name + n, sizeof f.name - (size_t)n, ", %s%s", swizzle[f.swizzle[1]],
		f.transposed[1] ? " transposed" : "");
	if (f.negated[0] || f.negated[1])
		snprintf(f.name + n, sizeof f.name - (size_t)n, " %s%s", f.negated[0] ? "-A" : "",
			f.negated[1] ? "-B" : "");
	add(f);
}

/* Every swizzle mode and, of elements of 16 bits, every transposition; alike for A and B if A is in
 * shared memory too. */
static void wgmma_layouts(struct matrix_form f, const char *last)
{
	bool wide = info[f.a].bits == 16;

	for (unsigned mode = 0; mode < 4; mode++)
		for (unsigned t = 0; t < (wide ? 4 : 1); t++) {
			if (f.registers && t & 1)
				continue;
			f.swizzle[0] = f.swizzle[1] = (uint8_t)mode;
			f.transposed[0] = t & 1;
			f.transposed[1] = (uint8_t)(t >> 1);
			add_wgmma(f, last);
		}
}

static void wgmma_types(enum element d, enum element a, enum element b, const char *last)
{
	bool integers = d == E_S32;
	static const uint16_t sizes[] = {8, 24, 96};

	for (unsigned sparse = 0; sparse < 2; sparse++) {
		/* .tf32 and elements of 16 bits: pairs of lanes give the metadata */
		unsigned selectors = !sparse || info[a].bits < 16 ? 1 : 2;

		if (sparse && a == E_B1)
			continue;
		for (unsigned z = 0; z < 3; z++)
			for (unsigned s = 0; s < selectors; s++) {
				struct matrix_form f = wgmma_form(
					sizes[z], d, a, b, sparse != 0, true);

				f.selector = (uint8_t)s;
				add_wgmma(f, last);
			}
		if (*last && !integers)
			continue;
		wgmma_layouts(wgmma_form(32, d, a, b, sparse != 0, false), last);
	}
}

static void all_wgmma(void)
{
	static const enum element halves[] = {E_F16, E_F32};

	for (unsigned h = 0; h < 2; h++) {
		wgmma_types(halves[h], E_F16, E_F16, "");
		for (unsigned e = 0; e < 4; e++)
			wgmma_types(
				halves[h], e & 1 ? E_E5M2 : E_E4M3, e & 2 ? E_E5M2 : E_E4M3, "");
	}
	wgmma_types(E_F32, E_BF16, E_BF16, "");
	wgmma_types(E_F32, E_TF32, E_TF32, "");
	for (unsigned t = 0; t < 8; t++)
		wgmma_types(
			E_S32, t & 1 ? E_S8 : E_U8, t & 2 ? E_S8 : E_U8, t & 4 ? ".satfinite" : "");
	wgmma_types(E_S32, E_B1, E_B1, ".and.popc");
	for (unsigned n = 8; n <= 256; n += 8)
		if (n != 8 && n != 24 && n != 96)
			add_wgmma(wgmma_form(n, E_F32, E_F16, E_F16, false, true), "");
	for (unsigned t = 1; t < 4; t++) {
		struct matrix_form f = wgmma_form(16, E_F32, E_F16, E_F16, false, false);

		f.negated[0] = t & 1;
		f.negated[1] = (uint8_t)(t >> 1);
		add_wgmma(f, "");
		f = wgmma_form(16, E_F16, E_E4M3, E_E5M2, false, true);
		f.negated[0] = t & 1;
		f.negated[1] = (uint8_t)(t >> 1);
		add_wgmma(f, "");
		f = wgmma_form(16, E_F32, E_TF32, E_TF32, true, false);
		f.negated[0] = t & 1;
		f.negated[1] = (uint8_t)(t >> 1);
		add_wgmma(f, "");
	}
}

const struct matrix_form *matrix_forms(unsigned *n)
{
	if (!count) {
		all_rows();
		all_mma();
		all_wmma();
		all_wgmma();
	}
	*n = count;
	return forms;
}

/* --- kernels --- */

/* Registers of fragment L: %a0.. (32 bits), %fa0.. (f32), %da0.. (f64). */
static const char *class_of(enum element e) { return e == E_F64 ? "d" : e == E_F32 ? "f" : ""; }

static void move(struct text *t, bool load, char l, unsigned n, enum element e, unsigned at_word)
{
	unsigned bytes = e == E_F64 ? 8 : 4;

	text_printf(t,
		"\tmad.lo.u32 %%r3, %%lane, %u, 0;\n\tcvt.u64.u32 %%rd3, %%r3;\n"
		"\tadd.u64 %%rd3, %%rd3, %s;\n",
		bytes, load ? "%in" : "%out");
	for (unsigned i = 0; i < n; i++)
		if (load)
			text_printf(t, "\tld.global.%s %%%s%c%u, [%%rd3+%u];\n",
				e == E_F64           ? "f64"
					: e == E_F32 ? "f32"
						     : "b32",
				class_of(e), l, i, at_word * 4 + i * bytes * LANES_A_WARP);
		else
			text_printf(t, "\tst.global.%s [%%rd3+%u], %%%s%c%u;\n",
				e == E_F64           ? "f64"
					: e == E_F32 ? "f32"
						     : "b32",
				at_word * 4 + i * bytes * LANES_A_WARP, class_of(e), l, i);
}

static void list(struct text *t, char l, unsigned n, enum element e)
{
	text_puts(t, "{");
	for (unsigned i = 0; i < n; i++)
		text_printf(t, "%s%%%s%c%u", i ? ", " : "", class_of(e), l, i);
	text_puts(t, "}");
}

static void wmma_kernel(const struct matrix_form *f, struct text *t)
{
	static const char letters[] = "abc";
	bool only = f->what == WMMA_LOAD;
	unsigned at = 0, rows[] = {f->m, f->k, f->m}, columns[] = {f->k, f->n, f->n};
	enum element e[] = {(enum element)f->a, (enum element)f->b, (enum element)f->c};
	uint8_t n[] = {f->na, f->nb, f->nc};
	char s[24];

	shape(s, f->m, f->n, f->k);
	for (unsigned i = 0; i < 3; i++) {
		const char *layout = only ? f->layout[0] : f->layout[i];
		bool row = !strcmp(layout, "row");
		unsigned major = row ? rows[i] : columns[i], minor = row ? columns[i] : rows[i];

		if (only && letters[i] != f->fragment)
			continue;
		text_printf(t,
			"\tadd.u64 %%rd3, %%in, %u;\n\twmma.load.%c.sync.aligned.%s.%s.global.%s ",
			at * 4, letters[i], layout, s, info[e[i]].name);
		list(t, only ? 'x' : letters[i], n[i], e[i]);
		text_printf(t, ", [%%rd3], %u;\n", matrix_stride(minor, e[i]));
		at += matrix_words(major, minor, e[i]);
	}
	if (only) {
		move(t, false, 'x', f->nd, (enum element)f->d, 0);
		return;
	}
	text_printf(t, "\t%.*s ", (int)strcspn(f->name, " "), f->name);
	list(t, 'x', f->nd, (enum element)f->d);
	for (unsigned i = 0; i < 3; i++) {
		text_puts(t, ", ");
		list(t, letters[i], n[i], e[i]);
	}
	text_printf(t, ";\n\twmma.store.d.sync.aligned.%s.%s.global.%s [%%out], ", f->layout[2], s,
		info[f->d].name);
	list(t, 'x', f->nd, (enum element)f->d);
	text_printf(t, ", %u;\n", strcmp(f->layout[2], "row") ? f->m : f->n);
}

/* Shared memory: 2 KiB for each warp of the CTA. */
static void rows_kernel(const struct matrix_form *f, struct text *t)
{
	const char *tail = f->name + strcspn(f->name, ".");

	text_puts(t,
		"\tmov.u32 %r5, shared;\n\tshr.u32 %r6, %thread, 5;\n\tmad.lo.u32 %r5, %r6, 2048, %r5;\n"
		"\tmad.lo.u32 %r6, %lane, 4, %r5;\n\tmul.wide.u32 %rd3, %lane, 4;\n");
	if (f->what == MOVMATRIX) {
		text_printf(t,
			"\tadd.u64 %%rd4, %%in, %%rd3;\n\tld.global.b32 %%a0, [%%rd4];\n\tmovmatrix%s %%x0, %%a0;\n"
			"\tadd.u64 %%rd4, %%out, %%rd3;\n\tst.global.b32 [%%rd4], %%x0;\n",
			tail);
		return;
	}
	for (unsigned i = 0; i < 16; i++) {
		if (f->what == LDMATRIX)
			text_printf(t,
				"\tadd.u64 %%rd4, %%in, %%rd3;\n\tld.global.b32 %%r7, [%%rd4+%u];\n\tst.shared.b32 [%%r6+%u], %%r7;\n",
				i * 128, i * 128);
		else
			text_printf(t, "\tmov.u32 %%r7, 0;\n\tst.shared.b32 [%%r6+%u], %%r7;\n",
				i * 128);
	}
	text_printf(t,
		"\tadd.u64 %%rd4, %%in, %%rd3;\n\tld.global.b32 %%r7, [%%rd4+%u];\n"
		"\tand.b32 %%r7, %%r7, 2032;\n\tadd.u32 %%r7, %%r7, %%r5;\n\tbar.warp.sync 0xffffffff;\n",
		f->what == LDMATRIX ? 512 * 4 : 128 * 4);
	if (f->what == LDMATRIX) {
		text_printf(t, "\tldmatrix%s ", tail);
		list(t, 'x', f->nd, E_S32);
		text_puts(t, ", [%r7];\n");
		move(t, false, 'x', f->nd, E_S32, 0);
		return;
	}
	move(t, true, 'a', f->na, E_S32, 0);
	text_printf(t, "\tstmatrix%s [%%r7], ", tail);
	list(t, 'a', f->na, E_S32);
	text_puts(t,
		";\n\tbar.warp.sync 0xffffffff;\n\tmul.wide.u32 %rd3, %lane, 4;\n\tadd.u64 %rd4, %out, %rd3;\n");
	for (unsigned i = 0; i < 16; i++)
		text_printf(t,
			"\tld.shared.b32 %%r7, [%%r6+%u];\n\tst.global.b32 [%%rd4+%u], %%r7;\n",
			i * 128, i * 128);
}

/* Words WORD.. of the tile: N registers of each thread. */
static void wgmma_move(
	struct text *t, bool load, const char *name, unsigned n, unsigned word, const char *type)
{
	for (unsigned i = 0; i < n; i++)
		if (load)
			text_printf(t, "\tld.global.%s %%%s%u, [%%rd4+%u];\n", type, name, i,
				(word + i * WARPGROUP) * 4);
		else
			text_printf(t, "\tst.global.%s [%%rd4+%u], %%%s%u;\n", type,
				(word + i * WARPGROUP) * 4, name, i);
}

static void wgmma_kernel(const struct matrix_form *f, unsigned number, struct text *t)
{
	bool floats = f->d == E_F32;
	const char *acc = floats ? "fx" : "x", *type = floats ? "f32" : "b32";
	unsigned at = f->image_words, wide = info[f->a].bits == 16;

	text_printf(t,
		".visible .entry f%u(.param .u64 pin, .param .u64 pout)\n{\n"
		"\t.reg .b32 %%r<16>, %%x<128>, %%a<4>, %%e0;\n\t.reg .f32 %%fx<128>;\n\t.reg .b64 %%rd<16>;\n"
		"\t.reg .pred %%scale;\n\t.shared .align 1024 .b8 image[%u];\n",
		number, f->image_words * 4);
	text_printf(t,
		"\tmov.u32 %%r1, %%tid.x;\n\tmov.u32 %%r2, %%ctaid.x;\n"
		"\tld.param.u64 %%rd1, [pin];\n\tmad.wide.u32 %%rd1, %%r2, %u, %%rd1;\n"
		"\tld.param.u64 %%rd2, [pout];\n\tmad.wide.u32 %%rd2, %%r2, %u, %%rd2;\n"
		"\tmul.wide.u32 %%rd3, %%r1, 4;\n\tadd.u64 %%rd4, %%rd1, %%rd3;\n"
		"\tmov.u32 %%r3, image;\n\tmad.lo.u32 %%r4, %%r1, 4, %%r3;\n",
		f->in_words * 4, f->out_words * 4);
	for (unsigned i = 0; i < f->image_words / WARPGROUP; i++)
		text_printf(t,
			"\tld.global.b32 %%r7, [%%rd4+%u];\n\tst.shared.b32 [%%r4+%u], %%r7;\n",
			i * WARPGROUP * 4, i * WARPGROUP * 4);
	wgmma_move(t, true, acc, f->nc, at, type);
	at += f->nc * WARPGROUP;
	wgmma_move(t, true, "a", f->na, at, "b32");
	at += f->na * WARPGROUP;
	if (f->sparse) {
		wgmma_move(t, true, "e", 1, at, "b32");
		at += WARPGROUP;
	}
	text_printf(t,
		"\tld.global.u64 %%rd5, [%%rd1+%u];\n\tld.global.u64 %%rd6, [%%rd1+%u];\n"
		"\tshr.u32 %%r5, %%r3, 4;\n\tcvt.u64.u32 %%rd7, %%r5;\n"
		"\tadd.u64 %%rd5, %%rd5, %%rd7;\n\tadd.u64 %%rd6, %%rd6, %%rd7;\n"
		"\tld.global.u32 %%r6, [%%rd1+%u];\n\tsetp.ne.u32 %%scale, %%r6, 0;\n"
		"\tfence.proxy.async;\n\tbar.sync 0;\n\twgmma.fence.sync.aligned;\n\t%.*s {",
		at * 4, at * 4 + 8, at * 4 + 16, (int)strcspn(f->name, " "), f->name);
	for (unsigned i = 0; i < f->nd; i++)
		text_printf(t, "%s%%%s%u", i ? ", " : "", acc, i);
	text_printf(t, "}, %s, %%rd6", f->registers ? "{%a0, %a1, %a2, %a3}" : "%rd5");
	if (f->sparse)
		text_printf(t, ", %%e0, %u", f->selector);
	text_puts(t, ", %scale");
	if (f->d != E_S32)
		text_printf(t, ", %d, %d", f->negated[0] ? -1 : 1, f->negated[1] ? -1 : 1);
	if (wide && !f->registers)
		text_printf(t, ", %u", f->transposed[0]);
	if (wide)
		text_printf(t, ", %u", f->transposed[1]);
	text_puts(t,
		";\n\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n"
		"\tadd.u64 %rd4, %rd2, %rd3;\n");
	wgmma_move(t, false, acc, f->nd, 0, type);
	text_puts(t, "\tret;\n}\n");
}

static void kernel(const struct matrix_form *f, unsigned number, struct text *t)
{
	if (f->what == WGMMA) {
		wgmma_kernel(f, number, t);
		return;
	}
	text_printf(t, ".visible .entry f%u(.param .u64 pin, .param .u64 pout)\n{\n", number);
	text_puts(t,
		"\t.reg .b32 %r<16>, %a<16>, %b<16>, %c<16>, %x<16>;\n\t.reg .b32 %e0, %lane, %thread;\n"
		"\t.reg .f32 %fa<16>, %fb<16>, %fc<16>, %fx<16>;\n"
		"\t.reg .f64 %da<16>, %db<16>, %dc<16>, %dx<16>;\n"
		"\t.reg .b64 %rd<16>, %in, %out;\n");
	if (f->what >= LDMATRIX)
		text_puts(t, "\t.shared .align 16 .b8 shared[8192];\n");
	text_printf(t,
		"\tmov.u32 %%thread, %%tid.x;\n\tand.b32 %%lane, %%thread, 31;\n\tmov.u32 %%r0, %%ctaid.x;\n"
		"\tshl.b32 %%r1, %%r0, 2;\n\tshr.u32 %%r2, %%thread, 5;\n\tadd.u32 %%r1, %%r1, %%r2;\n"
		"\tld.param.u64 %%rd1, [pin];\n\tmad.wide.u32 %%in, %%r1, %u, %%rd1;\n"
		"\tld.param.u64 %%rd2, [pout];\n\tmad.wide.u32 %%out, %%r1, %u, %%rd2;\n",
		f->in_words * 4, f->out_words * 4);
	switch ((enum what)f->what) {
	case WGMMA: break; /* above */
	case WMMA_LOAD:
	case WMMA: wmma_kernel(f, t); break;
	case LDMATRIX:
	case STMATRIX:
	case MOVMATRIX: rows_kernel(f, t); break;
	case MMA: {
		enum element a = (enum element)f->a, b = (enum element)f->b, c = (enum element)f->c;
		unsigned at = words_of(f->na, a);

		move(t, true, 'a', f->na, a, 0);
		move(t, true, 'b', f->nb, b, at);
		at += words_of(f->nb, b);
		move(t, true, 'c', f->nc, c, at);
		at += words_of(f->nc, c);
		if (f->sparse)
			text_printf(t,
				"\tmul.wide.u32 %%rd3, %%lane, 4;\n\tadd.u64 %%rd3, %%rd3, %%in;\n\tld.global.b32 %%e0, [%%rd3+%u];\n",
				at * 4);
		text_printf(t, "\t%.*s ", (int)strcspn(f->name, " "), f->name);
		list(t, 'x', f->nd, (enum element)f->d);
		text_puts(t, ", ");
		list(t, 'a', f->na, a == E_F64 ? a : E_S32);
		text_puts(t, ", ");
		list(t, 'b', f->nb, b == E_F64 ? b : E_S32);
		text_puts(t, ", ");
		list(t, 'c', f->nc, c);
		if (f->sparse)
			text_printf(t, ", %%e0, %u", f->selector);
		text_puts(t, ";\n");
		move(t, false, 'x', f->nd, (enum element)f->d, 0);
		break;
	}
	}
	text_puts(t, "\tret;\n}\n");
}

void matrix_module(const struct matrix_form *const *f, unsigned n, struct text *t)
{
	bool only = true; /* of sm_90, not of sm_90a only */

	for (unsigned i = 0; i < n; i++)
		only = only && f[i]->what != WGMMA;
	text_printf(t, ".version 9.0\n.target sm_90%s\n.address_size 64\n", only ? "" : "a");
	for (unsigned i = 0; i < n; i++)
		kernel(f[i], i, t);
}
