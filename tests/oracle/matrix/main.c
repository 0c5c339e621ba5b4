/* matrix list | record DIR [RAW [NAME...]] | replay DIR [NAME...] | replay-some DIR [NAME...] |
 * side-by-side [NAME...] | text NAME: see matrix.h. record and side-by-side need a GPU.
 * DIR/matrix.tsv has one line for each form: its name and the digests of its results. RAW gets the
 * results themselves. */
#include "assembler/assembler.h"
#include "matrix.h"
#include "script/host/backends.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a form gave: out_words words for each tile; NULL: it was not executed, WHY says so. */
struct result {
	uint32_t *words;
	const char *why;
};

/* replay-some: a quarter of the tiles, which depends on the name. */
static bool some_tiles;
enum { PARTS = 4 };

static unsigned part_of(const struct matrix_form *f)
{
	unsigned h = 0;

	for (const char *p = f->name; *p; p++)
		h = h * 31 + (unsigned char)*p;
	return h / 7 % PARTS;
}

/* Launches kernel NUMBER of the module for form F. */
static bool launch(const struct matrix_form *f, unsigned number, const struct ir_module *module,
	struct source *source, struct backend *b, uint32_t *out)
{
	unsigned all = matrix_tiles(f), tiles = some_tiles ? all / PARTS : all,
		 first = some_tiles ? part_of(f) * tiles : 0;
	size_t in_bytes = (size_t)tiles * f->in_words * 4,
	       out_bytes = (size_t)tiles * f->out_words * 4;
	uint32_t *in = malloc(in_bytes);
	char name[16];

	for (unsigned t = 0; t < tiles; t++)
		matrix_input(f, first + t, in + (size_t)t * f->in_words);
	snprintf(name, sizeof name, "f%u", number);
	uint64_t from = b->alloc(b->self, in_bytes, "in", false),
		 to = b->alloc(b->self, out_bytes, "out", true), params[] = {from, to};
	struct machine_launch launch = {.func = ir_find_func(module, name),
		.grid = {f->what == WGMMA ? tiles : tiles / 4, 1, 1},
		.block = {128, 1, 1},
		.params = params,
		.source = source};
	bool done = b->write(b->self, from, in, in_bytes) && b->launch(b->self, &launch) &&
		b->sync(b->self) == MACHINE_DONE &&
		b->read(b->self, to, out + (size_t)first * f->out_words, out_bytes, NULL);

	free(in);
	return done;
}

/* Executes N forms as one module, or, when it fails, each as a module of its own. */
static void execute(const struct matrix_form *const *f, unsigned n, enum backend_kind kind,
	struct result *result)
{
	struct text ptx = {0}, said = {0};
	struct diags diags = {0};
	struct arena arena = {0};
	struct machine_options options = {.checks = 0, .jobs = 1, .timeout = 60};
	struct assemble_options as = {0};
	struct backend b;
	unsigned done = 0;

	matrix_module(f, n, &ptx);
	struct source *source = source_new(&arena, "matrix.ptx", text_str(&ptx), ptx.len);
	struct ir_module *module = assemble(source, &as, &diags);
	struct backend_request request = {
		.kind = kind, .module = module, .options = &options, .findings = &diags};

	if (module && backend_open(&request, &b)) {
		for (bool good = true; done < n && good; done += good) {
			result[done].words = malloc(
				(size_t)matrix_tiles(f[done]) * f[done]->out_words * 4);
			good = launch(f[done], done, module, source, &b, result[done].words);
		}
		b.close(b.self);
	}
	if (done < n && n == 1) {
		diag_render(&diags, &said, false);
		result->words = NULL;
		result->why = strdup(diags.first ? text_str(&said) : "it did not end well");
	}
	if (module)
		ir_module_free(module);
	diags_free(&diags);
	text_free(&ptx);
	text_free(&said);
	arena_free(&arena);
	for (unsigned k = done; k < n && n > 1; k++)
		execute(f + k, 1, kind, result + k);
}

/* Executes form F and, when it is the first of its batch, those after it. */
static const struct result *result_of(const struct matrix_form *const *forms, unsigned n,
	unsigned k, enum backend_kind kind, struct result *batch)
{
	if (k % BATCH == 0)
		execute(forms + k, n - k < BATCH ? n - k : BATCH, kind, batch);
	return &batch[k % BATCH];
}

static uint32_t digest(const uint32_t *v, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ v[i]) * 0x100000001b3u;
		h ^= h >> 29;
	}
	return (uint32_t)(h ^ h >> 32);
}

static bool chosen(const struct matrix_form *f, char **names, int n)
{
	for (int k = 0; k < n; k++)
		if (strncmp(f->name, names[k], strlen(names[k])) == 0)
			return true;
	return n <= 0;
}

enum { RAW_PART = 14 << 20 };

/* Tiles of a form whose results are kept as they are. */
static unsigned raw_tiles(const struct matrix_form *f)
{
	if (f->what == WGMMA)
		return f->n > 32 ? 2 : f->n > 8 ? 8 : WGMMA_TILES;
	return f->what != MMA || f->d == E_S32 ? 16 : f->d == E_F64 ? 64 : f->sparse ? 128 : TILES;
}

/* Appends the form's name and its first results to the files PATH.0, PATH.1... */
static void keep(const struct matrix_form *f, const struct result *r, const char *path)
{
	static FILE *to;
	static unsigned part;
	uint32_t head[3] = {(uint32_t)strlen(f->name), f->out_words, raw_tiles(f)};

	if (!to || ftell(to) > RAW_PART) {
		char name[1024];

		if (to)
			fclose(to);
		snprintf(name, sizeof name, "%s.%u", path, part++);
		to = fopen(name, "wb");
	}
	if (!to)
		return;
	fwrite(head, 4, 3, to);
	fwrite(f->name, 1, head[0], to);
	fwrite(r->words, 4, (size_t)head[2] * f->out_words, to);
	fflush(to);
}

static FILE *table_in(const char *dir, const char *mode)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/matrix.tsv", dir);
	FILE *f = fopen(path, mode);

	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

static int record(
	const struct matrix_form *const *forms, unsigned n, const char *dir, const char *raw)
{
	struct result batch[BATCH] = {0};
	FILE *to = table_in(dir, "w");
	unsigned done = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct result *r = result_of(forms, n, i, BACKEND_GPU, batch);
		const struct matrix_form *f = forms[i];
		size_t words = (size_t)(matrix_tiles(f) / CHUNKS) * f->out_words;

		if (!r->words) {
			printf("not recorded: %s: %s\n", f->name, r->why);
			continue;
		}
		done++;
		fprintf(to, "%s\t", f->name);
		for (unsigned c = 0; c < CHUNKS; c++)
			fprintf(to, "%08x", digest(r->words + c * words, words));
		fputc('\n', to);
		if (raw)
			keep(f, r, raw);
		free(r->words);
	}
	printf("recorded %u of %u forms, %d tiles each (wgmma: %d)\n", done, n, TILES, WGMMA_TILES);
	return fclose(to) != 0;
}

/* Reads the recorded forms and their digests; those chosen come first to last. */
static unsigned recorded(const struct matrix_form *forms, unsigned n, const char *dir, char **names,
	int some, const struct matrix_form **found, char (*digests)[CHUNKS * 8 + 1],
	unsigned *missing)
{
	FILE *from = table_in(dir, "r");
	char line[1024];
	unsigned m = 0;

	while (fgets(line, sizeof line, from)) {
		char *tab = strchr(line, '\t');
		unsigned i = 0;

		if (!tab || strlen(tab + 1) < CHUNKS * 8)
			continue;
		*tab = 0;
		while (i < n && strcmp(forms[i].name, line) != 0)
			i++;
		if (i == n) {
			printf("recorded, but no form any more: %s\n", line);
			++*missing;
		} else if (chosen(&forms[i], names, some)) {
			memcpy(digests[m], tab + 1, CHUNKS * 8);
			found[m++] = &forms[i];
		}
	}
	fclose(from);
	return m;
}

static int replay(
	const struct matrix_form *forms, unsigned n, const char *dir, char **names, int some)
{
	static const struct matrix_form *found[MOST_FORMS];
	static char digests[MOST_FORMS][CHUNKS * 8 + 1];
	struct result batch[BATCH] = {0};
	unsigned differing = 0,
		 m = recorded(forms, n, dir, names, some, found, digests, &differing);

	for (unsigned i = 0; i < m; i++) {
		const struct result *r = result_of(found, m, i, BACKEND_INTERP, batch);
		unsigned chunk = matrix_tiles(found[i]) / CHUNKS;
		size_t words = (size_t)chunk * found[i]->out_words;
		unsigned bad = 0, first = 0;

		if (!r->words) {
			printf("not executed: %s: %s\n", found[i]->name, r->why);
			differing++;
			continue;
		}
		for (unsigned c = 0; c < CHUNKS; c++) {
			char want[9] = "";

			if (some_tiles && c / (CHUNKS / PARTS) != part_of(found[i]))
				continue;

			memcpy(want, digests[i] + 8 * c, 8);
			if (strtoul(want, NULL, 16) != digest(r->words + c * words, words) &&
				!bad++)
				first = c;
		}
		if (bad)
			printf("differs: %s: %u of %d chunks, first tiles %u to %u\n",
				found[i]->name, bad, CHUNKS, first * chunk,
				first * chunk + chunk - 1);
		differing += bad != 0;
		free(r->words);
	}
	printf("hardware tiles: %u forms x %d tiles (wgmma: %d), differing %u\n", m,
		some_tiles ? TILES / PARTS : TILES, some_tiles ? WGMMA_TILES / PARTS : WGMMA_TILES,
		differing);
	return differing != 0;
}

/* Says which words differ, and how often by the kinds of values (inputs.c). */
static bool differs(
	const struct matrix_form *f, unsigned tiles, const uint32_t *gpu, const uint32_t *ours)
{
	unsigned bad = 0, total = tiles * f->out_words, kinds[64] = {0};

	for (unsigned w = 0; w < total; w++)
		if (ours[w] != gpu[w]) {
			unsigned tile = w / f->out_words;

			kinds[tile & 63]++;
			if (bad++ < 3)
				printf("\ttile %u (kinds %u %u) word %u: GPU %08x, ours %08x\n",
					tile, tile & 7, tile >> 3 & 7, w % f->out_words, gpu[w],
					ours[w]);
		}
	if (!bad)
		return false;
	printf("differs: %s: %u of %u words; kinds", f->name, bad, total);
	for (unsigned k = 0; k < 64; k++)
		if (kinds[k])
			printf(" %u.%u:%u", k & 7, k >> 3, kinds[k]);
	puts("");
	return true;
}

/* The interpreter against results kept by record. */
static int compare(
	const struct matrix_form *forms, unsigned n, const char *raw, char **names, int some)
{
	FILE *from = fopen(raw, "rb");
	unsigned done = 0, differing = 0;
	uint32_t head[3];
	char name[256];

	if (!from) {
		perror(raw);
		return 2;
	}
	while (fread(head, 4, 3, from) == 3 && head[0] < sizeof name &&
		fread(name, 1, head[0], from) == head[0]) {
		const struct matrix_form *f = NULL;
		size_t words = (size_t)head[1] * head[2];
		uint32_t *gpu = malloc(words * 4);
		struct result r = {0};

		name[head[0]] = 0;
		if (fread(gpu, 4, words, from) != words)
			break;
		for (unsigned k = 0; k < n; k++)
			if (!strcmp(forms[k].name, name))
				f = &forms[k];
		if (f && chosen(f, names, some)) {
			done++;
			execute(&f, 1, BACKEND_INTERP, &r);
			if (!r.words)
				printf("not executed: %s: %s\n", f->name, r.why);
			differing += !r.words || differs(f, head[2], gpu, r.words);
			free(r.words);
		}
		free(gpu);
	}
	fclose(from);
	printf("compared: %u forms, differing %u\n", done, differing);
	return differing != 0;
}

static int side_by_side(const struct matrix_form *const *forms, unsigned n)
{
	unsigned differing = 0;

	for (unsigned k = 0; k < n; k += BATCH) {
		struct result gpu[BATCH] = {0}, ours[BATCH] = {0};
		unsigned m = n - k < BATCH ? n - k : BATCH;

		execute(forms + k, m, BACKEND_GPU, gpu);
		execute(forms + k, m, BACKEND_INTERP, ours);
		for (unsigned i = 0; i < m; i++) {
			if (!gpu[i].words || !ours[i].words)
				printf("not executed on the %s: %s: %s\n",
					gpu[i].words ? "interpreter" : "GPU", forms[k + i]->name,
					gpu[i].words ? ours[i].why : gpu[i].why);
			differing += !gpu[i].words || !ours[i].words ||
				differs(forms[k + i], matrix_tiles(forms[k + i]), gpu[i].words,
					ours[i].words);
			free(gpu[i].words);
			free(ours[i].words);
		}
	}
	printf("side by side: %u forms x %d tiles (wgmma: %d), differing %u\n", n, TILES,
		WGMMA_TILES, differing);
	return differing != 0;
}

int main(int argc, char **argv)
{
	static const struct matrix_form *all[MOST_FORMS];
	unsigned n, m = 0;
	const struct matrix_form *forms = matrix_forms(&n);

	for (unsigned i = 0; i < n; i++) /* list, record and side-by-side may name forms */
		if (argc < 3 ||
			(argv[1][0] == 'r' ? chosen(&forms[i], argv + 4, argc - 4)
					   : chosen(&forms[i], argv + 2, argc - 2)))
			all[m++] = &forms[i];
	if (argc >= 2 && !strcmp(argv[1], "list")) {
		for (unsigned i = 0; i < m; i++)
			puts(all[i]->name);
		return 0;
	}
	if (argc >= 3 && !strcmp(argv[1], "text")) {
		struct text t = {0};

		matrix_module(all, m, &t);
		fputs(text_str(&t), stdout);
		text_free(&t);
		return 0;
	}
	if (argc >= 3 && !strcmp(argv[1], "record"))
		return record(all, m, argv[2], argc > 3 ? argv[3] : NULL);
	some_tiles = argc >= 3 && !strcmp(argv[1], "replay-some");
	if (some_tiles || (argc >= 3 && !strcmp(argv[1], "replay")))
		return replay(forms, n, argv[2], argv + 3, argc - 3);
	if (argc >= 3 && !strcmp(argv[1], "compare"))
		return compare(forms, n, argv[2], argv + 3, argc - 3);
	if (argc >= 2 && !strcmp(argv[1], "side-by-side"))
		return side_by_side(all, m);
	fputs("usage: matrix list | text NAME... | record DIR [RAW [NAME...]] | replay DIR [NAME...] | replay-some DIR [NAME...] | compare RAW [NAME...] | side-by-side [NAME...]\n",
		stderr);
	return 2;
}
