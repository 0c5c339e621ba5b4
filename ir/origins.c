/* From .loc, .file and .debug_str to the table of a source's places. A .loc of an inlined function
 * names the place of the call, which is that of an earlier .loc and may itself be inlined. */
#include "ir/origins.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "diag/origin.h"
#include <stdlib.h>
#include <string.h>

struct entry {
	uint32_t off, order;
	const struct origin *at;
};

struct maker {
	struct ir_module *m;
	const struct ir_loc_text *rejected;
	struct arena *arena;       /* the source's */
	struct origin_file **file; /* [nfiles + 1]; the last: a number that no .file has */
	struct map numbers;        /* number of a file: its index */
	VEC(char) names;           /* the bytes of .debug_str */
	struct map labels;         /* symbol of a label: its offset in names */
	bool scanned;
	struct map texts; /* offset in names: index in text */
	VEC(const char *) text;
	struct map latest; /* a place of the function at hand: index of its latest origin */
	VEC(const struct origin *) made;
	const struct origin *outer; /* the latest of the function at hand that is not inlined */
	VEC(struct entry) entry;
	const char *name; /* of function named - 1 */
	uint32_t named;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || c == '$' || c == '%' || c == '.' || c == '-' || c == '+';
}

/* Reads the data of a .section: labels and lists of numbers. The numbers of .b8 are bytes of
 * names; larger data is not part of a name, and counts as zeros. */
static void scan_section(struct maker *k, const char *p, const char *end)
{
	unsigned bytes = 1;

	while (p < end) {
		const char *word = p;
		size_t n;

		if (*p == '/' && end - p > 1 && p[1] == '/') {
			while (p < end && *p != '\n')
				p++;
			continue;
		}
		while (p < end && is_word(*p))
			p++;
		n = (size_t)(p - word);
		while (n && p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (!n) {
			p++;
		} else if (p < end && *p == ':') {
			map_set(&k->labels, symbol_find(&k->m->symbols, word, n), k->names.count);
		} else if (n >= 3 && word[0] == '.' && word[1] == 'b' && word[2] <= '9') {
			bytes = (unsigned)strtoul(word + 2, NULL, 10) / 8;
			bytes = bytes < 1 || bytes > 8 ? 1 : bytes;
		} else {
			char byte = bytes == 1 ? (char)strtol(word, NULL, 0) : '\0';

			for (unsigned i = 0; i < bytes; i++)
				*vec_push(&k->names) = byte;
		}
	}
}

static void scan_names(struct maker *k)
{
	const struct ir_module *m = k->m;

	k->scanned = true;
	for (uint32_t i = 0; i < m->nsections; i++)
		if (strcmp(symbol_text(&m->symbols, m->section[i].name), ".debug_str") == 0)
			scan_section(k, m->section[i].text, m->section[i].text + m->section[i].len);
	*vec_push(&k->names) = '\0';
}

/* The name at LABEL + OFFSET of .debug_str, or NULL. */
static const char *name_at(struct maker *k, uint32_t label, uint32_t offset)
{
	uint32_t at, known;
	uint64_t sum;
	size_t n;

	if (!k->scanned)
		scan_names(k);
	at = map_get(&k->labels, label, IR_NONE);
	sum = (uint64_t)at + offset;
	if (at == IR_NONE || sum >= k->names.count)
		return NULL;
	known = map_get(&k->texts, sum, IR_NONE);
	if (known != IR_NONE)
		return k->text.data[known];
	n = strnlen(k->names.data + sum, ORIGIN_NAME);
	map_set(&k->texts, sum, k->text.count);
	*vec_push(&k->text) = n ? arena_text(k->arena, k->names.data + sum, n) : NULL;
	return k->text.data[k->text.count - 1];
}

static void make_files(struct maker *k)
{
	const struct ir_module *m = k->m;

	k->file = memory_zeroed(m->nfiles + 1u, sizeof *k->file);
	for (uint32_t i = 0; i <= m->nfiles; i++) {
		const char *name = i < m->nfiles ? symbol_text(&m->symbols, m->file[i].name)
						 : "<unknown>";

		k->file[i] = ARENA_NEW(k->arena, struct origin_file);
		k->file[i]->name = arena_text(k->arena, name, strnlen(name, ORIGIN_NAME));
		k->file[i]->tried = i == m->nfiles;
		if (i < m->nfiles)
			map_set(&k->numbers, m->file[i].number, i);
	}
}

static struct origin_file *file_of(struct maker *k, uint32_t number)
{
	return k->file[map_get(&k->numbers, number, k->m->nfiles)];
}

/* A file in the folder that holds NAME's project: NAME's own folder, or the one above it if NAME's
 * is called as folders of sources are (src beside include). */
static const char *in_project(struct maker *k, const char *name)
{
	static const char *const sources[] = {
		"src", "source", "sources", "kernel", "kernels", "cuda", "test", "tests"};
	size_t folder = (size_t)(origin_base(name) - name), n;
	const char *last;
	unsigned separators = 0;

	/* the folder above must not be the root */
	for (size_t i = 0; i + 1 < folder; i++)
		separators += name[i] == '/' || name[i] == '\\';
	if (folder < 2 || (separators < 2 && (name[0] == '/' || name[1] == ':')))
		return name;
	last = arena_text(k->arena, name, folder - 1);
	n = (size_t)(origin_base(last) - last);
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
		if (n + 1 < folder && strcmp(last + n, sources[i]) == 0)
			return n ? arena_printf(k->arena, "%.*sx", (int)n, last) : "x";
	return name;
}

/* Whether NAME is a header of CUDA or of its libraries, wherever they are installed. */
static bool is_toolkit(const char *name)
{
	static const char *const begin[] = {"cccl/", "cooperative_groups", "crt/", "cub/",
		"cuda/__", "cuda/std/", "cuda_awbarrier", "cuda_bf16", "cuda_fp", "cuda_pipeline",
		"cuda_runtime", "curand", "device_atomic_functions", "device_functions", "sm_",
		"surface_indirect_functions", "texture_", "thrust/", "vector_functions",
		"vector_types"};

	while ((name = strstr(name, "include/")) != NULL) {
		name += strlen("include/");
		for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++)
			if (strncmp(name, begin[i], strlen(begin[i])) == 0)
				return true;
	}
	return false;
}

/* A file is the user's if it lies in the folder of a file with a kernel (in_project), or below, and
 * is no header of CUDA. In a module without kernels, which is part of a program, all functions
 * count as kernels. */
static void find_users(struct maker *k)
{
	enum { FOLDERS = 16 };
	const struct ir_module *m = k->m;
	const char *folder[FOLDERS];
	unsigned n = 0;
	bool kernels = false;

	for (uint32_t i = 0; i < m->nfuncs; i++)
		kernels = kernels || m->func[i].is_entry;
	for (uint32_t i = 0; i < m->nfuncs && n < FOLDERS; i++) {
		const struct ir_func *f = &m->func[i];
		const char *name = f->nlocs ? file_of(k, m->loc[f->loc].file)->name : NULL;
		bool known = false;

		if ((kernels && !f->is_entry) || !name)
			continue;
		for (unsigned j = 0; j < n && !known; j++)
			known = origin_beside(name, folder[j]);
		if (!known)
			folder[n++] = in_project(k, name);
	}
	for (uint32_t i = 0; i < m->nfiles; i++)
		for (unsigned j = 0; j < n && !k->file[i]->users; j++)
			k->file[i]->users = origin_beside(k->file[i]->name, folder[j]) &&
				!is_toolkit(k->file[i]->name);
}

/* The name of the PTX function itself. */
static const char *name_of_func(struct maker *k, uint32_t func)
{
	const char *name = symbol_text(&k->m->symbols, k->m->func[func].name);

	if (k->named != func + 1)
		k->name = arena_text(k->arena, name, strnlen(name, ORIGIN_NAME));
	k->named = func + 1;
	return k->name;
}

static uint64_t place_key(uint32_t func, uint32_t file, uint32_t line, uint32_t column)
{
	const uint32_t v[4] = {func, file, line, column};

	return hash_bytes(v, sizeof v, 0) >> 1;
}

/* The latest origin of the function with this place; without one, a place in FUNC itself. */
static const struct origin *place_called(struct maker *k, uint32_t func, const struct ir_loc *l)
{
	const struct origin_file *file = file_of(k, l->at_file);
	uint32_t i = map_get(
		&k->latest, place_key(func, l->at_file, l->at_line, l->at_column), IR_NONE);
	struct origin *new;

	if (l->at_line == 0)
		return k->outer;
	if (i != IR_NONE && k->made.data[i]->file == file && k->made.data[i]->line == l->at_line &&
		k->made.data[i]->column == l->at_column)
		return k->made.data[i];
	new = ARENA_NEW(k->arena, struct origin);
	new->file = file_of(k, l->at_file);
	new->line = l->at_line;
	new->column = l->at_column;
	new->function = name_of_func(k, func);
	return new;
}

static unsigned depth_of(const struct origin *o)
{
	unsigned n = 0;

	for (; o; o = o->caller)
		n++;
	return n;
}

static const struct origin *make_origin(struct maker *k, uint32_t func, const struct ir_loc *l)
{
	struct origin *o = ARENA_NEW(k->arena, struct origin);

	o->file = file_of(k, l->file);
	o->line = l->line;
	o->column = l->column;
	if (l->function_name) {
		o->function = name_at(k, l->function_name, l->function_offset);
		o->caller = place_called(k, func, l);
		if (depth_of(o->caller) >= ORIGIN_DEPTH)
			o->caller = NULL;
	} else {
		o->function = name_of_func(k, func);
		k->outer = o;
	}
	map_set(&k->latest, place_key(func, l->file, l->line, l->column), k->made.count);
	*vec_push(&k->made) = o;
	return o;
}

static void add_entry(struct maker *k, uint32_t off, const struct origin *at)
{
	uint32_t order = k->entry.count;

	*vec_push(&k->entry) = (struct entry){off, order, at};
}

/* The places of a function's instructions. Line 0 stands for code that the compiler could not
 * attribute to a line: it keeps the place of what precedes it. */
static void make_function(struct maker *k, uint32_t func)
{
	const struct ir_module *m = k->m;
	const struct ir_func *f = &m->func[func];
	const struct origin *at = NULL;

	k->outer = NULL;
	for (uint32_t i = 0; i < f->nlocs; i++) {
		const struct ir_loc *l = &m->loc[f->loc + i];

		if (l->line == 0)
			continue;
		at = make_origin(k, func, l);
		if (i == 0) {
			add_entry(k, f->span.off, at);
			add_entry(k, f->span.off + f->span.len, NULL);
		}
		if (k->rejected)
			add_entry(k, k->rejected->loc[f->loc + i], at);
		else if (l->insn < f->ninsns)
			add_entry(k, m->insn[f->insn + l->insn].span.off, at);
	}
	if (at && k->rejected) {
		add_entry(k, k->rejected->func[func], NULL);
	} else if (at && f->ninsns) {
		const struct span last = m->insn[f->insn + f->ninsns - 1].span;

		add_entry(k, last.off + last.len, NULL);
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void hand_over(struct maker *k)
{
	struct origins *t = ARENA_NEW(k->arena, struct origins);

	qsort(k->entry.data, k->entry.count, sizeof *k->entry.data, compare_entries);
	t->n = k->entry.count;
	t->off = ARENA_ARRAY(k->arena, uint32_t, t->n);
	t->at = ARENA_ARRAY(k->arena, const struct origin *, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		t->off[i] = k->entry.data[i].off;
		t->at[i] = k->entry.data[i].at;
	}
	k->m->source->origins = t;
}

void ir_origins(struct ir_module *m, const struct ir_loc_text *rejected)
{
	struct maker k = {.m = m, .rejected = rejected, .arena = m->source->home};

	if (!m->nlocs || !k.arena || !m->source->len)
		return;
	make_files(&k);
	find_users(&k);
	for (uint32_t i = 0; i < m->nfuncs; i++)
		make_function(&k, i);
	if (k.entry.count) {
		hand_over(&k);
		if (!rejected)
			ir_origin_calls(m);
	}
	memory_drop(k.file);
	map_free(&k.numbers);
	map_free(&k.labels);
	map_free(&k.texts);
	map_free(&k.latest);
	vec_free(&k.names);
	vec_free(&k.text);
	vec_free(&k.made);
	vec_free(&k.entry);
}
