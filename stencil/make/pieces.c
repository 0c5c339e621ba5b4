/* Takes the pieces out of object files (ELF64, relocatable) and writes the tables of
 * stencil/piece.h as C. The first object is that of pieces/flow.c, the second that of
 * pieces/extra.def, whose pieces must all be usable; then come those of the .def files, in the
 * order of arith/table.h. Of these, a piece that is long or rare, or refers to anything but holes
 * and constants, is left out: the kernel is called then.
 *
 * Usage: makepieces [OBJECT...]. Without objects the tables are empty. */
#include "arith/table.h"
#include "stencil/piece.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MOST_BYTES: of a step of 8 lanes. */
enum { MOST_BYTES = 176, MOST_HOLES = 64, MOST_PIECES = 2048, MOST_ROWS = 4096 };

/* Parts of the names of rows that do not pay for their bytes. */
static const char *const rare[] = {"16", "x2", "x4", "f32_f16", "24_", "testp", "dp2a", "szext",
	"bmsk", "clmad", "fns", "_abs_", "relu"};

static const char *const hole_name[] = {
#define HOLE(name) #name,
#define TARGET(name) #name,
#include "stencil/hole.def"
};

static void fail(const char *file, const char *what, const char *name)
{
	fprintf(stderr, "makepieces: %s: %s %s\n", file, what, name);
	exit(1);
}

/* --- an object --- */

struct object {
	const char *name;
	unsigned char *data;
	size_t size;
	const Elf64_Ehdr *head;
	const Elf64_Shdr *section;
	const Elf64_Sym *symbol;
	size_t nsymbols;
	const char *strings;
	uint32_t *
		pool_at; /* [sections] where the bytes of the section are in the pool, or NO_POOL */
};
enum { NO_POOL = UINT32_MAX };

static const void *bytes_of(const struct object *o, uint64_t at, uint64_t size)
{
	if (at > o->size || size > o->size - at)
		fail(o->name, "it is cut off", "");
	return o->data + at;
}

static const char *string_at(const struct object *o, const Elf64_Shdr *table, uint32_t at)
{
	const char *s = bytes_of(o, table->sh_offset, table->sh_size);

	if (at >= table->sh_size || s[table->sh_size - 1])
		fail(o->name, "a name is outside its table", "");
	return s + at;
}

static const char *section_name(const struct object *o, unsigned k)
{
	return string_at(o, &o->section[o->head->e_shstrndx], o->section[k].sh_name);
}

static const Elf64_Shdr *section_at(const struct object *o, unsigned k)
{
	if (k >= o->head->e_shnum)
		fail(o->name, "a number of a section is outside the table", "");
	return &o->section[k];
}

static const Elf64_Sym *symbol_at(const struct object *o, uint64_t k)
{
	if (k >= o->nsymbols)
		fail(o->name, "a number of a symbol is outside the table", "");
	return &o->symbol[k];
}

static void object_read(struct object *o, const char *name)
{
	FILE *f = fopen(name, "rb");
	long size = 0;

	*o = (struct object){.name = name};
	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET))
		fail(name, "cannot be read", "");
	o->size = (size_t)size;
	o->data = malloc(o->size + 1);
	if (!o->data || fread(o->data, 1, o->size, f) != o->size)
		fail(name, "cannot be read", "");
	fclose(f);
	o->head = bytes_of(o, 0, sizeof *o->head);
	if (memcmp(o->head->e_ident, ELFMAG, SELFMAG) != 0 ||
		o->head->e_ident[EI_CLASS] != ELFCLASS64 || o->head->e_type != ET_REL ||
		o->head->e_machine != EM_X86_64 || o->head->e_shentsize != sizeof(Elf64_Shdr) ||
		o->head->e_shstrndx >= o->head->e_shnum)
		fail(name, "it is no object file for x86-64", "");
	o->section = bytes_of(o, o->head->e_shoff, (uint64_t)o->head->e_shnum * sizeof *o->section);
	for (unsigned k = 0; k < o->head->e_shnum; k++)
		if (o->section[k].sh_type == SHT_SYMTAB) {
			const Elf64_Shdr *s = &o->section[k],
					 *names = section_at(o, o->section[k].sh_link);

			o->symbol = bytes_of(o, s->sh_offset, s->sh_size);
			o->nsymbols = s->sh_size / sizeof *o->symbol;
			o->strings = string_at(o, names, 0);
		}
	o->pool_at = malloc((o->head->e_shnum + 1u) * sizeof *o->pool_at);
	for (unsigned k = 0; k < o->head->e_shnum; k++)
		o->pool_at[k] = NO_POOL;
}

/* The relocations of section K. */
static const Elf64_Rela *relocations_of(const struct object *o, unsigned k, size_t *n)
{
	*n = 0;
	for (unsigned j = 0; j < o->head->e_shnum; j++)
		if (o->section[j].sh_type == SHT_RELA && o->section[j].sh_info == k) {
			*n = o->section[j].sh_size / sizeof(Elf64_Rela);
			return bytes_of(o, o->section[j].sh_offset, o->section[j].sh_size);
		}
	return NULL;
}

/* --- what is written --- */

static unsigned char *code;
static size_t ncode, room;
static struct piece piece[MOST_PIECES];
static unsigned npieces = PIECE_FIXED;
static uint16_t hole[MOST_PIECES * MOST_HOLES];
static unsigned nholes;
static unsigned char pool[1 << 16];
static size_t npool;

/* Where section K of O is in the pool: each is there once. */
static bool pool_of(struct object *o, unsigned k, uint32_t *at)
{
	const Elf64_Shdr *s = section_at(o, k);
	size_t align = s->sh_addralign ? s->sh_addralign : 1, n;
	const void *bytes;

	if (strncmp(section_name(o, k), ".rodata", 7) != 0 || relocations_of(o, k, &n) ||
		s->sh_type != SHT_PROGBITS || align > 64)
		return false;
	bytes = bytes_of(o, s->sh_offset, s->sh_size);
	for (size_t j = 0; o->pool_at[k] == NO_POOL && j + s->sh_size <= npool; j += align)
		if (memcmp(pool + j, bytes, s->sh_size) == 0)
			o->pool_at[k] = (uint32_t)j;
	if (o->pool_at[k] == NO_POOL) {
		npool = (npool + align - 1) / align * align;
		if (npool + s->sh_size > sizeof pool)
			fail(o->name, "too many constants in", section_name(o, k));
		memcpy(pool + npool, bytes, s->sh_size);
		o->pool_at[k] = (uint32_t)npool;
		npool += s->sh_size;
	}
	*at = o->pool_at[k];
	return true;
}

/* Whether the 4 bytes at AT are the displacement of an operand whose base is %rbx: the low bits of
 * the byte before, which the copier changes, are the base, in a ModRM byte without or in a SIB byte
 * after one with index. */
static bool is_based(const unsigned char *c, uint64_t at)
{
	if (at >= 2 && (c[at - 1] & 0xc7) == 0x83)
		return true;
	return at >= 3 && (c[at - 2] & 0xc7) == 0x84 && (c[at - 1] & 7) == 3;
}

static bool is_rare(const char *name)
{
	for (unsigned k = 0; k < sizeof rare / sizeof *rare; k++)
		if (strstr(name, rare[k]))
			return true;
	return false;
}

static int hole_of(const char *name)
{
	for (unsigned k = 0; k < sizeof hole_name / sizeof *hole_name; k++)
		if (strcmp(name, hole_name[k]) == 0)
			return (int)k;
	return -1;
}

static void put32(unsigned char *at, int64_t v)
{
	uint32_t x = (uint32_t)v;

	memcpy(at, &x, 4);
}

/* The hole of relocation R of a piece whose bytes are C: -1: it cannot be one. */
static int take_hole(struct object *o, const Elf64_Rela *r, unsigned char *c)
{
	const Elf64_Sym *s = symbol_at(o, ELF64_R_SYM(r->r_info));
	const char *name = s->st_name ? o->strings + s->st_name : "";
	int h = s->st_shndx == SHN_UNDEF ? hole_of(name) : -1;
	uint32_t at;

	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_32S:
	case R_X86_64_32:
		if (h < 0 || h > HOLE_n1 || (h <= HOLE_at4 && !is_based(c, r->r_offset)))
			return -1;
		put32(c + r->r_offset, r->r_addend);
		return h;
	case R_X86_64_64:
		if ((h != HOLE_p0 && h != HOLE_p1) || r->r_addend)
			return -1;
		return h;
	case R_X86_64_PLT32:
	case R_X86_64_PC32:
		if (h == HOLE_next || h == HOLE_other) {
			put32(c + r->r_offset, r->r_addend);
			return h;
		}
		if (s->st_shndx == SHN_UNDEF || s->st_shndx >= SHN_LORESERVE ||
			!pool_of(o, s->st_shndx, &at))
			return -1;
		put32(c + r->r_offset, r->r_addend + (int64_t)(at + s->st_value));
		return HOLE_pool;
	default: return -1;
	}
}

/* Makes piece NUMBER of section K. False: it cannot be one. */
static bool take_piece(struct object *o, unsigned k, struct piece *p, size_t most)
{
	const Elf64_Shdr *s = section_at(o, k);
	size_t n, bytes = s->sh_size;
	const Elf64_Rela *r = relocations_of(o, k, &n);
	const unsigned first = nholes;

	if (bytes > most || n > MOST_HOLES || bytes >= 1 << HOLE_SHIFT)
		return false;
	if (ncode + bytes > room)
		code = realloc(code, room = 2 * room + bytes);
	memcpy(code + ncode, bytes_of(o, s->sh_offset, bytes), bytes);
	for (size_t j = 0; j < n; j++) {
		int h;

		if (r[j].r_offset > bytes - 4 || (h = take_hole(o, &r[j], code + ncode)) < 0) {
			nholes = first;
			return false;
		}
		/* the last jump to the next piece is left out */
		if (h == HOLE_next && r[j].r_offset == bytes - 4 && code[ncode + bytes - 5] == 0xe9)
			s = NULL;
		else
			hole[nholes++] = (uint16_t)(r[j].r_offset | (unsigned)h << HOLE_SHIFT);
	}
	*p = (struct piece){.code = (uint32_t)ncode,
		.hole = first,
		.bytes = (uint16_t)(s ? bytes : bytes - 5),
		.holes = (uint16_t)(nholes - first)};
	ncode += p->bytes;
	return true;
}

/* The sections of the pieces in the order of their table. */
static unsigned read_rows(struct object *o, unsigned *section)
{
	const Elf64_Sym *table = NULL;
	const Elf64_Rela *r;
	unsigned rows;
	size_t n;

	for (size_t k = 0; k < o->nsymbols; k++)
		if (strcmp(o->strings + o->symbol[k].st_name, "piece_rows") == 0)
			table = &o->symbol[k];
	if (!table || table->st_size / 8 > MOST_ROWS)
		fail(o->name, "it has no table of pieces", "");
	rows = (unsigned)(table->st_size / 8);
	memset(section, 0, rows * sizeof *section);
	r = relocations_of(o, table->st_shndx, &n);
	for (size_t k = 0; k < n; k++) {
		uint64_t at = r[k].r_offset - table->st_value;
		const Elf64_Sym *s = symbol_at(o, ELF64_R_SYM(r[k].r_info));

		if (at % 8 == 0 && at / 8 < rows && ELF64_R_TYPE(r[k].r_info) == R_X86_64_64 &&
			r[k].r_addend == 0 && s->st_value == 0)
			section[at / 8] = s->st_shndx;
	}
	return rows;
}

/* --- the tables --- */

static void write_bytes(const char *name, const unsigned char *at, size_t n)
{
	printf("const uint8_t %s[] __attribute__((aligned(64))) = {", name);
	for (size_t k = 0; k < n; k++)
		printf("%s%u,", k % 32 ? "" : "\n", at[k]);
	for (unsigned k = 0; k < PIECE_BLOCK; k++)
		printf("0,");
	puts("};");
}

/* The rows of object O as an array NAME. */
static void write_rows(struct object *o, const char *name)
{
	static unsigned section[MOST_ROWS];
	static uint16_t known[1 << 16];
	unsigned rows = read_rows(o, section);

	memset(known, 0, sizeof known);
	printf("static const uint16_t %s_rows[] = {", name);
	for (unsigned k = 0; k < rows; k++) {
		unsigned s = section[k];

		if (s && !known[s] && npieces < MOST_PIECES)
			known[s] = !is_rare(section_name(o, s)) &&
					take_piece(o, s, &piece[npieces], MOST_BYTES)
				? (uint16_t)npieces++
				: UINT16_MAX;
		printf("%u,", s && known[s] != UINT16_MAX ? known[s] : 0u);
	}
	puts("0};");
}

/* The pieces from FIRST on are those of object NAME; returns the number after the last one. 0: the
 * compiler made something else of one, so that there are to be no pieces. */
static unsigned take_fixed(const char *name, unsigned first)
{
	static unsigned section[MOST_ROWS];
	struct object o;
	unsigned rows;

	object_read(&o, name);
	rows = read_rows(&o, section);
	for (unsigned k = 0; k < rows; k++)
		if (!section[k] || first + k >= PIECE_FIXED ||
			!take_piece(&o, section[k], &piece[first + k], (1 << HOLE_SHIFT) - 1)) {
			fprintf(stderr, "makepieces: %s: it cannot be used: %s\n", name,
				section[k] ? section_name(&o, section[k]) : "a piece");
			return 0;
		}
	return first + rows;
}

#define FILE_NAME(name) #name,
static const char *const file_name[] = {ARITH_FILES(FILE_NAME, FILE_NAME)};

/* Which of the arguments is the object of file NAME of arith/kernel/; 0: none. */
static int object_of(const char *name, int argc, char **argv)
{
	for (int k = 3; k < argc; k++) {
		const char *base = strrchr(argv[k], '/');

		base = base ? base + 1 : argv[k];
		if (strncmp(base, name, strlen(name)) == 0 &&
			strcmp(base + strlen(name), ".o") == 0)
			return k;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned rows[ARITH_FILE_COUNT] = {0};
	struct object o;

	if (argc > 2) {
		unsigned next = take_fixed(argv[1], PIECE_NONE + 1);

		next = next ? take_fixed(argv[2], next) : 0;
		if (next && next != PIECE_FIXED)
			fail(argv[1], "the pieces are not those of stencil/flow.def", "");
		if (!next) {
			memset(piece, 0, sizeof piece);
			argc = 0;
		}
	}
	puts("/* Generated by stencil/make/pieces.c. */\n#include \"stencil/piece.h\"");
	for (unsigned k = 0; k < ARITH_FILE_COUNT; k++) {
		static unsigned section[MOST_ROWS];
		int at = object_of(file_name[k], argc, argv);

		if (at) {
			object_read(&o, argv[at]);
			write_rows(&o, file_name[k]);
			rows[k] = read_rows(&o, section);
		}
	}
	puts("const uint16_t *const piece_of_row[] = {");
	for (unsigned k = 0; k < ARITH_FILE_COUNT; k++)
		printf(rows[k] ? "%s_rows,\n" : "0,\n", file_name[k]);
	puts("};\nconst uint16_t piece_rows_of_file[] = {");
	for (unsigned k = 0; k < ARITH_FILE_COUNT; k++)
		printf("%u,", rows[k]);
	puts("};\nconst struct piece piece_table[] = {");
	for (unsigned k = 0; k < npieces; k++)
		printf("{%u, %u, %u, %u},\n", piece[k].code, piece[k].hole, piece[k].bytes,
			piece[k].holes);
	puts("};\nconst uint16_t piece_hole[] = {");
	for (unsigned k = 0; k < nholes; k++)
		printf("%u,%s", hole[k], k % 16 == 15 ? "\n" : "");
	puts("0};");
	write_bytes("piece_code", code, ncode);
	write_bytes("piece_pool", pool, npool);
	printf("const uint32_t piece_pool_bytes = %zu, piece_count = %u;\n", npool, npieces);
	return 0;
}
