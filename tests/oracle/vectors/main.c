/* vectors list | dry | record DIR | replay DIR [OPCODE...] | replay-some DIR [OPCODE...] |
 * side-by-side DIR [FORM...]: see vectors.h. record and side-by-side need a GPU; replay-some takes
 * the first eighth of the vectors, which has all pairs of edge values. The data are in
 * two files: exact.tsv, one line per form with the digests of its chunks in hexadecimal, and
 * approx.bin, VECTORS bytes of distances per form, in the order of approx.tsv. */
#include "assembler/assembler.h"
#include "script/host/backends.h"
#include "vectors.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct results {
	uint64_t (*value)[2]; /* [VECTORS] */
	bool executed;
	const char *why; /* if not executed */
};

static uint64_t *inputs[POOL_COUNT][MAX_SOURCES];
/* How many of the VECTORS are run: whole chunks. */
static uint32_t vectors = VECTORS;

static void make_inputs(void)
{
	for (unsigned p = 0; p < POOL_COUNT; p++)
		for (unsigned k = 0; k < MAX_SOURCES; k++) {
			inputs[p][k] = malloc(vectors * sizeof(uint64_t));
			for (uint32_t i = 0; i < vectors; i++)
				inputs[p][k][i] = vector_input((enum pool)p, k, i);
		}
}

/* The pool of input K of form F. Number 5, the word of the carry or the atomic, is like the first
 * source. */
static enum pool pool_for(const struct vector_form *f, unsigned k)
{
	if (k < f->nsources)
		return (enum pool)f->source[k].pool;
	return f->atomic && f->nsources ? (enum pool)f->source[0].pool : POOL_INT;
}

/* Runs N forms as one module on the backend; results[k].value must have room for them. */
static void run_module(
	const struct vector_form *f, unsigned n, enum backend_kind kind, struct results *results)
{
	struct text ptx = {0}, said = {0};
	struct diags diags = {0};
	struct arena arena = {0};
	struct machine_options options = {.checks = 0, .jobs = 0, .timeout = 60};
	struct assemble_options as = {0};
	struct backend b;

	vector_module(f, n, &ptx);
	struct source *source = source_new(&arena, "vectors.ptx", text_str(&ptx), ptx.len);
	struct ir_module *module = assemble(source, &as, &diags);
	struct backend_request request = {
		.kind = kind, .module = module, .options = &options, .findings = &diags};
	bool open = module && backend_open(&request, &b);
	if (!open && n > 1) { /* one form makes the module fail: one at a time */
		for (unsigned k = 0; k < n; k++)
			run_module(&f[k], 1, kind, &results[k]);
	} else if (!open) {
		diag_render(&diags, &said, false);
		results->executed = false;
		results->why = strdup(diags.first ? diags.first->message : "?");
	} else {
		uint64_t at[POOL_COUNT][MAX_SOURCES] = {{0}},
			 out = b.alloc(b.self, vectors * 16ull, "out", true);
		for (unsigned k = 0; k < n; k++) {
			uint64_t params[7];
			for (unsigned s = 0; s < MAX_SOURCES; s++) {
				enum pool p = pool_for(&f[k], s);
				if (!at[p][s]) {
					at[p][s] = b.alloc(b.self, vectors * 8ull, "in", false);
					b.write(b.self, at[p][s], inputs[p][s], vectors * 8ull);
				}
				params[s] = at[p][s];
			}
			params[6] = out;
			char name[16];
			snprintf(name, sizeof name, "f%u", k);
			struct machine_launch launch = {.func = ir_find_func(module, name),
				.grid = {vectors / 256, 1, 1},
				.block = {256, 1, 1},
				.params = params,
				.source = source};
			results[k].executed = b.launch(b.self, &launch) &&
				b.sync(b.self) == MACHINE_DONE &&
				b.read(b.self, out, results[k].value, vectors * 16ull, NULL);
			if (!results[k].executed) {
				results[k].why = strdup(
					diags.first ? diags.first->message : "it did not end well");
				b.close(b.self); /* the others in modules of their own */
				for (unsigned j = k + 1; j < n; j++)
					run_module(&f[j], 1, kind, &results[j]);
				open = false;
				break;
			}
		}
		if (open)
			b.close(b.self);
	}
	if (module)
		ir_module_free(module);
	diags_free(&diags);
	text_free(&ptx);
	text_free(&said);
	arena_free(&arena);
}

static uint32_t digest(const uint64_t (*v)[2])
{
	uint64_t h = 0xcbf29ce484222325u;

	for (unsigned i = 0; i < CHUNK; i++) {
		h = (h ^ v[i][0]) * 0x100000001b3u;
		h ^= h >> 29;
		h = (h ^ v[i][1]) * 0x100000001b3u;
		h ^= h >> 31;
	}
	return (uint32_t)(h ^ h >> 32);
}

static int distance(const struct vector_form *f, uint32_t i, uint64_t result)
{
	uint64_t in[2] = {inputs[pool_for(f, 0)][0][i], inputs[pool_for(f, 1)][1][i]};

	return vector_distance(f, in, result);
}

/* The error bound of each approximate form (PTX ISA 9.7.3, 9.7.4), in the manual's words. */
static const char *bound_of(const struct vector_form *f)
{
	static const struct {
		uint16_t op;
		const char *f32, *half, *f64;
	} bound[] = {{OP_rcp, "1 ulp", "", "about 20 bits"}, {OP_sqrt, "relative 2^-23", "", ""},
		{OP_rsqrt, "relative 2^-22.9", "",
			"about 20 bits; .f64 without .ftz: relative 2^-20.5 at most"},
		{OP_sin, "absolute 2^-20.5 in -pi..pi", "", ""},
		{OP_cos, "absolute 2^-20.5 in -pi..pi", "", ""},
		{OP_lg2, "absolute 2^-22 in 0.5..2, else relative 2^-22", "", ""},
		{OP_ex2, "relative 2^-22.5", "relative 2^-9.9 (f16), 2^-7 (bf16)", ""},
		{OP_tanh, "relative 2^-11", "absolute 2^-10.987 (f16), relative 2^-8 (bf16)", ""},
		{OP_div, "2 ulp (|divisor| in 2^-126..2^126)", "", ""}};
	enum type t = word_type((enum word)f->word[f->nwords - 1]);

	for (unsigned i = 0; i < sizeof bound / sizeof *bound; i++)
		if (bound[i].op == f->opcode)
			return t == TYPE_f32    ? bound[i].f32
				: t == TYPE_f64 ? bound[i].f64
						: bound[i].half;
	return "";
}

static struct results *room(unsigned n)
{
	struct results *r = calloc(n, sizeof *r);

	for (unsigned k = 0; k < n; k++)
		r[k].value = malloc(VECTORS * 16ull);
	return r;
}

static FILE *open_in(const char *dir, const char *name, const char *mode)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, mode);
	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

static int record(const struct vector_form *forms, unsigned n, const char *dir)
{
	FILE *exact = open_in(dir, "exact.tsv", "w"), *approx = open_in(dir, "approx.bin", "wb"),
	     *names = open_in(dir, "approx.tsv", "w");
	struct results *r = room(FORMS_A_MODULE);
	unsigned done = 0;

	for (unsigned first = 0; first < n; first += FORMS_A_MODULE) {
		unsigned m = n - first < FORMS_A_MODULE ? n - first : FORMS_A_MODULE;
		run_module(&forms[first], m, BACKEND_GPU, r);
		for (unsigned k = 0; k < m; k++) {
			const struct vector_form *f = &forms[first + k];
			if (!r[k].executed) {
				fprintf(stderr, "%s: not recorded: %s\n", f->name, r[k].why);
				continue;
			}
			done++;
			if (!f->approximate) {
				fprintf(exact, "%s\t", f->name);
				for (unsigned c = 0; c < CHUNKS; c++)
					fprintf(exact, "%08x",
						digest((const uint64_t(*)[2])r[k].value +
							c * CHUNK));
				fputc('\n', exact);
				continue;
			}
			fprintf(names, "%s\n", f->name);
			for (uint32_t i = 0; i < VECTORS; i++)
				fputc(distance(f, i, r[k].value[i][0]) & 0xff, approx);
		}
	}
	fclose(exact);
	fclose(approx);
	fclose(names);
	printf("recorded %u of %u forms, %u vectors each\n", done, n, VECTORS);
	return done == n ? 0 : 1;
}

/* Reports a chunk that differs: without a GPU it is not known which of its vectors differs, so the
 * first one is printed. */
static void say_chunk(const struct vector_form *f, unsigned chunk, const uint64_t (*v)[2])
{
	printf("differs: %s, vectors %u to %u; ours for the first of them:", f->name, chunk * CHUNK,
		chunk * CHUNK + CHUNK - 1);
	for (unsigned s = 0; s < f->nsources; s++)
		printf(" %#llx", (unsigned long long)inputs[pool_for(f, s)][s][chunk * CHUNK]);
	printf(" -> %#llx %#llx\n", (unsigned long long)v[chunk * CHUNK][0],
		(unsigned long long)v[chunk * CHUNK][1]);
}

/* Forms with a known and explained difference: known.tsv, one form and its reason per line. */
static char known[4096][96];
static unsigned nknown;

static void read_known(const char *dir)
{
	FILE *f = open_in(dir, "known.tsv", "r");
	char line[1024];

	while (nknown < 4096 && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\t\n")] = 0;
		snprintf(known[nknown++], sizeof known[0], "%.95s", line);
	}
	fclose(f);
}

static bool is_known(const struct vector_form *f)
{
	for (unsigned i = 0; i < nknown; i++)
		if (strcmp(known[i], f->name) == 0)
			return true;
	return false;
}

static const struct vector_form *find(const struct vector_form *forms, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(forms[i].name, name) == 0)
			return &forms[i];
	return NULL;
}

struct replayed {
	char **opcodes; /* the only opcodes to replay; none: all */
	int nopcodes;
	unsigned forms, differing, missing, known;
};

static bool replays(struct replayed *sum, const char *name)
{
	bool any = sum->nopcodes == 0;

	for (int k = 0; k < sum->nopcodes; k++)
		any |= strcspn(name, ".") == strlen(sum->opcodes[k]) &&
			strncmp(name, sum->opcodes[k], strlen(sum->opcodes[k])) == 0;
	return any;
}

static void replay_exact(
	const struct vector_form *forms, unsigned n, const char *dir, struct replayed *sum)
{
	FILE *exact = open_in(dir, "exact.tsv", "r");
	static struct vector_form batch[FORMS_A_MODULE];
	static char line[65536], digests[FORMS_A_MODULE][CHUNKS * 8 + 1];
	struct results *r = room(FORMS_A_MODULE);
	unsigned m = 0;
	bool more = true;

	while (more) {
		more = fgets(line, sizeof line, exact) != NULL;
		if (more) {
			char *tab = strchr(line, '\t');
			const struct vector_form *f = NULL;
			if (!replays(sum, line))
				continue;
			if (tab) {
				*tab = 0;
				f = find(forms, n, line);
			}
			if (!f || strlen(tab + 1) < CHUNKS * 8) {
				printf("recorded, but no form any more: %s\n", line);
				sum->missing++;
				continue;
			}
			batch[m] = *f;
			memcpy(digests[m], tab + 1, CHUNKS * 8);
			m++;
		}
		if (m < FORMS_A_MODULE && more)
			continue;
		run_module(batch, m, BACKEND_INTERP, r);
		for (unsigned k = 0; k < m; k++) {
			unsigned bad = 0;
			sum->forms++;
			if (!r[k].executed) {
				printf("not executed: %s: %s\n", batch[k].name, r[k].why);
				sum->differing++;
				continue;
			}
			for (unsigned c = 0; c < vectors / CHUNK; c++) {
				char want[9] = "";
				memcpy(want, digests[k] + 8 * c, 8);
				if (strtoul(want, NULL, 16) !=
						digest((const uint64_t(*)[2])r[k].value +
							c * CHUNK) &&
					bad++ == 0 && !is_known(&batch[k]))
					say_chunk(&batch[k], c, (const uint64_t(*)[2])r[k].value);
			}
			if (is_known(&batch[k])) {
				sum->known++;
				/* the vectors that differ may be among the others */
				bad += vectors < VECTORS;
				if (!bad)
					printf("differs: %s agrees with hardware, but known.tsv says that it does not\n",
						batch[k].name);
				bad = !bad;
			}
			sum->differing += bad != 0;
		}
		m = 0;
	}
	fclose(exact);
}

static void replay_approx(
	const struct vector_form *forms, unsigned n, const char *dir, struct replayed *sum)
{
	FILE *names = open_in(dir, "approx.tsv", "r"), *data = open_in(dir, "approx.bin", "rb");
	static signed char hardware[VECTORS];
	char name[256];
	struct results *r = room(1);

	printf("| form | hardware, largest error in ulp | ptxi | equal results | manual |\n|---|---|---|---|---|\n");
	while (fgets(name, sizeof name, names)) {
		name[strcspn(name, "\n")] = 0;
		const struct vector_form *f = find(forms, n, name);
		if (fread(hardware, 1, VECTORS, data) != VECTORS || !f) {
			sum->missing++;
			continue;
		}
		if (!replays(sum, name))
			continue;
		run_module(f, 1, BACKEND_INTERP, r);
		int theirs = 0, ours = 0;
		unsigned same = 0, nan_differs = 0;
		for (uint32_t i = 0; i < vectors && r->executed; i++) {
			int d = distance(f, i, r->value[i][0]);
			same += d == hardware[i];
			nan_differs += (d == 127) != (hardware[i] == 127);
			if (abs(hardware[i]) < 127 && abs(hardware[i]) > theirs)
				theirs = abs(hardware[i]);
			if (abs(d) < 127 && abs(d) > ours)
				ours = abs(d);
		}
		sum->forms++;
		/* sin and cos have an absolute error: beyond 126 ulp near their zeros. All others
		 * must be as accurate as the hardware. */
		if (!r->executed || nan_differs || ours > theirs) {
			printf("differs: %s%s\n", f->name,
				!r->executed ? ": not executed"
					: nan_differs
					? ": NaN where the other has a number"
					: ": further from the exact value than hardware");
			sum->differing++;
		}
		printf("| `%s` | %d%s | %d%s | %.2f %% | %s |\n", name, theirs,
			theirs == 126 ? " or more" : "", ours, ours == 126 ? " or more" : "",
			same * 100.0 / vectors, bound_of(f));
	}
	fclose(names);
	fclose(data);
}

/* Keeps only the forms that begin with one of the NAMES, if there are any. */
static unsigned only(struct vector_form *forms, unsigned n, char **names, int count)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		for (int k = 0; k < count; k++)
			if (strncmp(forms[i].name, names[k], strlen(names[k])) == 0) {
				forms[kept++] = forms[i];
				break;
			}
	return count ? kept : n;
}

static int side_by_side(const struct vector_form *forms, unsigned n)
{
	struct results *gpu = room(FORMS_A_MODULE), *ours = room(FORMS_A_MODULE);
	unsigned differing = 0;

	for (unsigned first = 0; first < n; first += FORMS_A_MODULE) {
		unsigned m = n - first < FORMS_A_MODULE ? n - first : FORMS_A_MODULE;
		run_module(&forms[first], m, BACKEND_GPU, gpu);
		run_module(&forms[first], m, BACKEND_INTERP, ours);
		for (unsigned k = 0; k < m; k++) {
			const struct vector_form *f = &forms[first + k];
			unsigned bad = 0;
			if (!gpu[k].executed || !ours[k].executed) {
				printf("not executed on the %s: %s: %s\n",
					gpu[k].executed ? "interpreter" : "GPU", f->name,
					gpu[k].executed ? ours[k].why : gpu[k].why);
				differing++;
				continue;
			}
			for (uint32_t i = 0; i < VECTORS && !f->approximate; i++) {
				if (memcmp(gpu[k].value[i], ours[k].value[i], 16) == 0)
					continue;
				if (bad++ < 3) {
					printf("differs: %s", f->name);
					for (unsigned s = 0; s < f->nsources; s++)
						printf(" %#llx",
							(unsigned long long)
								inputs[pool_for(f, s)][s][i]);
					printf(" (%#llx): GPU %#llx %#llx, ours %#llx %#llx\n",
						(unsigned long long)inputs[pool_for(f, 5)][5][i],
						(unsigned long long)gpu[k].value[i][0],
						(unsigned long long)gpu[k].value[i][1],
						(unsigned long long)ours[k].value[i][0],
						(unsigned long long)ours[k].value[i][1]);
				}
			}
			if (bad)
				printf("    %u of %u vectors of %s differ%s\n", bad, VECTORS,
					f->name, is_known(f) ? " (known.tsv says why)" : "");
			differing += bad != 0 && !is_known(f);
		}
	}
	printf("side by side: %u forms x %u vectors, differing %u beyond what known.tsv explains\n",
		n, VECTORS, differing);
	return differing ? 1 : 0;
}

/* Lists what the interpreter does not execute, without a GPU and without data. */
static int dry(const struct vector_form *forms, unsigned n)
{
	struct results *r = room(FORMS_A_MODULE);
	unsigned missing = 0;

	for (unsigned first = 0; first < n; first += FORMS_A_MODULE) {
		unsigned m = n - first < FORMS_A_MODULE ? n - first : FORMS_A_MODULE;
		run_module(&forms[first], m, BACKEND_INTERP, r);
		for (unsigned k = 0; k < m; k++)
			if (!r[k].executed) {
				printf("not executed: %s: %s\n", forms[first + k].name, r[k].why);
				missing++;
			}
	}
	printf("%u of %u forms executed\n", n - missing, n);
	return missing ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct arena arena = {0};
	unsigned n;

	struct vector_form *forms = vector_forms(&arena, &n);
	if (argc == 2 && strcmp(argv[1], "list") == 0) {
		for (unsigned i = 0; i < n; i++)
			puts(forms[i].name);
		return 0;
	}
	if (argc >= 2 && strcmp(argv[1], "replay-some") == 0)
		vectors = VECTORS / 8;
	make_inputs();
	if (argc >= 3 && strcmp(argv[1], "side-by-side") == 0) {
		read_known(argv[2]);
		return side_by_side(forms, only(forms, n, argv + 3, argc - 3));
	}
	if (argc == 2 && strcmp(argv[1], "dry") == 0)
		return dry(forms, n);
	if (argc == 3 && strcmp(argv[1], "record") == 0)
		return record(forms, n, argv[2]);
	if (argc >= 3 && (strcmp(argv[1], "replay") == 0 || strcmp(argv[1], "replay-some") == 0)) {
		struct replayed sum = {.opcodes = argv + 3, .nopcodes = argc - 3};
		read_known(argv[2]);
		replay_exact(forms, n, argv[2], &sum);
		replay_approx(forms, n, argv[2], &sum);
		printf("hardware vectors: %u forms x %u vectors, differing %u (beside the %u that known.tsv explains)\n",
			sum.forms, vectors, sum.differing + sum.missing, sum.known);
		return sum.differing + sum.missing ? 1 : 0;
	}
	fputs("usage: vectors list | dry | record DIR | replay DIR [OPCODE...] | replay-some DIR [OPCODE...] | side-by-side DIR [FORM...]\n",
		stderr);
	return 2;
}
