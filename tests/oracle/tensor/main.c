/* tensor LIBRARY TABLE record [RAW] | tensor LIBRARY TABLE replay [FAMILY] | tensor - - text: runs
 * the cases of cases.c with the driver LIBRARY, a libcuda.so.1, and writes or compares the digests
 * of their results. RAW gets the results themselves. */
#include "tensor.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int result;
typedef uint64_t address;
static result (*init)(unsigned), (*device_get)(int *, int), (*retain)(void **, int),
	(*set_current)(void *), (*synchronize)(void),
	(*load)(void **, const void *, unsigned, int *, void **),
	(*function_of)(void **, void *, const char *), (*set_attribute)(void *, int, int),
	(*alloc)(address *, size_t), (*to_device)(address, const void *, size_t),
	(*to_host)(void *, address, size_t), (*fill8)(address, unsigned char, size_t),
	(*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		void *, void **, void **);
static result (*encode_tiled)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
	const uint32_t *, const uint32_t *, int, int, int, int);
static result (*encode_im2col)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
	const int *, const int *, uint32_t, uint32_t, const uint32_t *, int, int, int, int);

static void fail(const char *what, int error)
{
	printf("%s: error %d\n", what, error);
	exit(2);
}

static void *symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found) {
		printf("%s: not in this library\n", name);
		exit(2);
	}
	return found;
}

#define GET(pointer, name) *(void **)&(pointer) = symbol(library, name)

static void open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	if (!library) {
		printf("%s\n", dlerror());
		exit(2);
	}
	GET(init, "cuInit");
	GET(device_get, "cuDeviceGet");
	GET(retain, "cuDevicePrimaryCtxRetain");
	GET(set_current, "cuCtxSetCurrent");
	GET(synchronize, "cuCtxSynchronize");
	GET(load, "cuModuleLoadDataEx");
	GET(function_of, "cuModuleGetFunction");
	GET(set_attribute, "cuFuncSetAttribute");
	GET(alloc, "cuMemAlloc_v2");
	GET(to_device, "cuMemcpyHtoD_v2");
	GET(to_host, "cuMemcpyDtoH_v2");
	GET(fill8, "cuMemsetD8_v2");
	GET(launch, "cuLaunchKernel");
	GET(encode_tiled, "cuTensorMapEncodeTiled");
	GET(encode_im2col, "cuTensorMapEncodeIm2col");
}

/* Distinct words, among them denormals, infinities and NaNs of every format. */
static uint32_t word_of(uint32_t k, uint32_t salt)
{
	uint32_t v = (k + salt) * 0x9e3779b1u;

	v ^= v >> 15;
	switch (k % 13) {
	case 2: return (v & 0xffffe000) | 0x1000; /* half way between words of tf32 */
	case 4: return v & 0x807fffff;
	case 7: return v | 0x7f800000;
	case 9: return (v & 0x80ff83ff) | 0x00007c00;
	case 11: return v & 0x83ff80ff;
	default: return v;
	}
}

static result encode(const struct tensor_case *c, uint64_t at, void *image)
{
	if (c->im2col)
		return encode_im2col(image, (int)c->type, c->rank, (void *)at, c->dim, c->stride,
			c->lower, c->upper, c->channels, c->pixels, c->step, (int)c->interleave,
			(int)c->swizzle, (int)c->promotion, (int)c->fill);
	return encode_tiled(image, (int)c->type, c->rank, (void *)at, c->dim, c->stride, c->box,
		c->step, (int)c->interleave, (int)c->swizzle, (int)c->promotion, (int)c->fill);
}

static void *module;
static address tensor, source, out;
static uint32_t *words, *zeros;

enum { OUT_BYTES = 2 * REGION + 16, OUTCOME = BUFFER > OUT_BYTES ? BUFFER : OUT_BYTES };

/* The module's text, or the compiled module in the file that TENSOR_MODULE names. */
static const void *module_image(void)
{
	const char *path = getenv("TENSOR_MODULE");
	FILE *from = path ? fopen(path, "rb") : NULL;
	size_t most = 16 << 20;
	char *image = from ? malloc(most) : NULL;

	if (!image || !fread(image, 1, most, from))
		return kernels_text();
	fclose(from);
	return image;
}

static void start(void)
{
	int device, e;
	void *context;
	char log[8192] = "";
	int option[] = {5, 6};
	void *value[] = {log, (void *)sizeof log};

	if ((e = init(0)) || (e = device_get(&device, 0)) || (e = retain(&context, device)) ||
		(e = set_current(context)))
		fail("start", e);
	e = load(&module, module_image(), 2, option, value);
	if (e) {
		printf("%s\n", log);
		fail("module", e);
	}
	if ((e = alloc(&tensor, BUFFER)) || (e = alloc(&source, BUFFER)) ||
		(e = alloc(&out, OUT_BYTES)))
		fail("memory", e);
	words = malloc(BUFFER);
	zeros = calloc(1, OUT_BYTES);
}

static void values_of(const struct tensor_case *c, uint64_t *v)
{
	v[0] = c->family == F_REPLACE ? c->value : tensor;
	for (unsigned k = 0; k < MOST_DIMS && c->family == F_REPLACED; k++) {
		v[8 + k] = c->dim[k];
		v[16 + k] = c->box[k];
		v[24 + k] = c->step[k];
		v[32 + k] = c->stride[k];
	}
}

/* Runs a case; its result is N bytes at RESULT, [OUTCOME]. */
static uint32_t run(const struct tensor_case *c, uint8_t *got)
{
	_Alignas(64) uint8_t image[IMAGE] = {0};
	struct tensor_case base = *c;
	int e;

	if (c->family == F_REPLACED) { /* another tensor of the same types */
		for (unsigned k = 0; k < c->rank; k++) {
			base.dim[k] = 64;
			base.stride[k] = (uint64_t)4096 << k;
			base.step[k] = 1;
			if (k)
				base.box[k] = 1;
		}
	}
	e = encode(
		&base, c->family < F_LOAD || c->family == F_REPLACE ? c->address : tensor, image);
	if (c->family < F_LOAD) {
		got[0] = (uint8_t)e;
		memcpy(got + 1, image, e ? 0 : IMAGE);
		return e ? 1 : IMAGE + 1;
	}
	if (e) {
		case_print(c, stdout);
		fail("encode", e);
	}

	if (c->patch == 32)
		memset(image, 0, sizeof image);
	else
		((uint32_t *)(void *)image)[c->patch] ^= c->patch_with;

	bool store = (c->family >= F_STORE && c->family <= F_REDUCE_IM2COL) ||
		(c->kernel && strncmp(c->kernel, "load", 4) != 0);
	char name[64];
	void *function;
	struct {
		int32_t at[5];
		uint16_t offset[6];
	} at = {0};
	uint32_t place = c->shared, bytes = c->bytes;
	void *parameters[] = {image, &source, &out, &at, &place, &bytes};

	memcpy(at.at, c->at, sizeof at.at);
	memcpy(at.offset, c->offset, sizeof c->offset);
	for (uint32_t k = 0; k < BUFFER / 4; k++)
		words[k] = word_of(k, c->index);
	if ((e = to_device(tensor, words, BUFFER)) || (e = to_device(out, zeros, OUT_BYTES)))
		fail("copy in", e);
	for (uint32_t k = 0; k < BUFFER / 4; k++)
		words[k] = word_of(k * 7 + 3, c->index + 77);
	if (c->family >= F_REPLACE)
		values_of(c, (uint64_t *)(void *)words);
	if ((e = to_device(source, words, BUFFER)))
		fail("copy in", e);
	kernel_name(c, name, sizeof name);
	if ((e = function_of(&function, module, name)))
		fail(name, e);
	set_attribute(function, 8, 1024 + REGION);
	e = launch(function, c->family == F_MULTICAST ? 2 : 1, 1, 1, 128, 1, 1, 1024 + REGION, NULL,
		parameters, NULL);
	if (e || (e = synchronize())) {
		case_print(c, stdout);
		fail(name, e);
	}
	if (store)
		e = to_host(got, tensor, BUFFER);
	else
		e = to_host(got, out, OUT_BYTES);
	if (e)
		fail("copy out", e);
	return store ? BUFFER : c->family == F_REPLACE ? IMAGE : OUT_BYTES;
}

static uint32_t digest(const uint8_t *v, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ v[i]) * 0x100000001b3u;
		h ^= h >> 29;
	}
	return (uint32_t)(h ^ h >> 32);
}

/* Appends the result to the file RAW.FAMILY. */
static void keep(const struct tensor_case *c, const uint8_t *got, uint32_t n, const char *path)
{
	uint32_t head[] = {(uint32_t)c->family, c->index, n};
	char name[1024];

	snprintf(name, sizeof name, "%s.%s", path, family_name[c->family]);
	FILE *to = fopen(name, c->index ? "ab" : "wb");

	if (!to)
		return;
	fwrite(head, 4, 3, to);
	fwrite(got, 1, n, to);
	fclose(to);
}

/* The digest of a case that may end its process, in one of its own. */
static void outcome(const char *library, const struct tensor_case *c, char text[9])
{
	static uint8_t got[OUTCOME];
	char *shared = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	strcpy(shared, "--------");
	fflush(NULL);
	pid_t child = fork();

	if (child == 0) {
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			exit(2);
		open_library(library);
		start();
		uint32_t n = run(c, got);

		snprintf(shared, 9, "%08x", digest(got, n));
		exit(0);
	}
	waitpid(child, NULL, 0);
	memcpy(text, shared, 9);
	munmap(shared, 16);
}

/* Runs the cases of family F from *NEXT on, in a process of its own: a case may end it. */
static void record_some(
	const char *library, enum family f, unsigned *next, FILE *to, const char *raw)
{
	static uint8_t got[OUTCOME];

	open_library(library);
	start();
	while (*next < family_cases[f]) {
		struct tensor_case c;

		case_make(f, (*next)++, &c);
		uint32_t n = run(&c, got);

		fprintf(to, "%08x", digest(got, n));
		fflush(to);
		if (raw)
			keep(&c, got, n, raw);
	}
}

static int record(const char *library, const char *table, const char *raw)
{
	FILE *to = fopen(table, "w");
	unsigned *next = mmap(
		NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!to)
		fail(table, 0);
	for (unsigned f = 0; f < F_MISUSE; f++) {
		unsigned ended = 0;

		fprintf(to, "%s\t", family_name[f]);
		for (*next = 0; *next < family_cases[f] && ended < 6;) {
			int status;

			fflush(to);
			pid_t child = fork();

			if (child == 0) {
				record_some(library, (enum family)f, next, to, raw);
				fclose(to);
				exit(0);
			}
			waitpid(child, &status, 0);
			if (status) {
				fprintf(to, "--------");
				ended++;
			}
		}
		fputc('\n', to);
		fflush(to);
		printf("%s: %u cases, %u ended the process\n", family_name[f], *next, ended);
		fflush(stdout);
	}
	fprintf(to, "%s\t", family_name[F_MISUSE]);
	for (unsigned k = 0; k < family_cases[F_MISUSE]; k++) {
		struct tensor_case c;
		char text[9];

		case_make(F_MISUSE, k, &c);
		outcome(library, &c, text);
		fputs(text, to);
		printf("misuse %u: %s\n", k, text);
	}
	fputc('\n', to);
	return fclose(to) != 0;
}

/* Compares the cases of family F with the digests WANT; returns how many differ. */
static unsigned compare(const char *library, enum family f, const char *want)
{
	static uint8_t got[OUTCOME];
	unsigned differing = 0;

	for (unsigned k = 0; k < family_cases[f]; k++) {
		struct tensor_case c;
		char have[9], text[9] = "--------";

		case_make(f, k, &c);
		if (!c.stricter)
			memcpy(text, want + 8 * k, 8);
		if (f == F_MISUSE)
			outcome(library, &c, have);
		else
			snprintf(have, sizeof have, "%08x", digest(got, run(&c, got)));
		if (strcmp(text, have) == 0)
			continue;
		differing++;
		printf("differs: ");
		case_print(&c, stdout);
	}
	return differing;
}

static int replay(const char *library, const char *table, const char *only)
{
	static char want[FAMILIES][8 * 1024], line[8 * 1024];
	FILE *from = fopen(table, "r");
	unsigned cases = 0, differing = 0;

	if (!from)
		fail(table, 0);
	while (fgets(line, sizeof line, from)) {
		char *tab = strchr(line, '\t');

		for (unsigned f = 0; tab && f < FAMILIES; f++)
			if (strncmp(line, family_name[f], (size_t)(tab - line)) == 0 &&
				!family_name[f][tab - line] &&
				strlen(tab + 1) >= 8 * family_cases[f])
				strcpy(want[f], tab + 1);
	}
	fclose(from);
	/* the library's threads do not survive a fork: the cases with processes of their own first
	 */
	for (unsigned k = 0; k < FAMILIES; k++) {
		unsigned f = FAMILIES - 1 - k;

		if (k == 1) {
			open_library(library);
			start();
		}
		if (only && strcmp(only, family_name[f]) != 0)
			continue;
		if (!*want[f]) {
			printf("not recorded: %s\n", family_name[f]);
			differing++;
			continue;
		}
		cases += family_cases[f];
		differing += compare(library, (enum family)f, want[f]);
	}
	printf("tensor copies of a GPU: %u cases, differing %u\n", cases, differing);
	return differing || !cases;
}

int main(int n, char **word)
{
	if (n < 4)
		return 2;
	if (strcmp(word[3], "text") == 0)
		return puts(kernels_text()) < 0;
	if (strcmp(word[3], "record") == 0)
		return record(word[1], word[2], n > 4 ? word[4] : NULL);
	return replay(word[1], word[2], n > 4 ? word[4] : NULL);
}
