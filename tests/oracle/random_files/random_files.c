/* Writes the random programs that other tests generate in memory to files: random_files KIND FOLDER
 * HOW_MANY [SEED]. KIND gpu selects litmus tests that one GPU can run, to compare its outcomes with
 * the explorer's; lisa those that herd7 accepts. */
#include "tests/oracle/random_kernel.h"
#include "tests/oracle/random_litmus.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No surfaces, textures, aliases or second GPU. */
static void random_litmus_gpu(struct rng *r, struct text *out)
{
	do {
		text_free(out);
		*out = (struct text){0};
		random_litmus(r, out);
	} while (strstr(text_str(out), "aliases"));
	for (char *at = out->data; (at = strstr(at, "gpu 1"));)
		at[4] = '0';
}

static const struct kind {
	const char *name, *end;
	void (*make)(struct rng *, struct text *);
} kinds[] = {
	{"gpu", "litmus", random_litmus_gpu},
	{"lisa", "litmus", random_litmus_lisa},
	{"litmus", "litmus", random_litmus},
	{"fences", "litmus", random_litmus_fences},
	{"kernel", "ptx", random_kernel},
	{"protocol", "ptx", random_protocol},
	{"copies", "ptx", random_copies},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool write_file(
	const char *folder, unsigned n, const struct kind *kind, const struct text *t)
{
	char path[4096];
	FILE *f;

	if ((size_t)snprintf(path, sizeof path, "%s/random%06u.%s", folder, n, kind->end) >=
			sizeof path ||
		!(f = fopen(path, "w")))
		return false;
	bool ok = fputs(text_str(t), f) >= 0;
	return !fclose(f) && ok;
}

int main(int argc, char **argv)
{
	unsigned long many = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	unsigned k = 0;

	while (k < KINDS && many && strcmp(argv[1], kinds[k].name) != 0)
		k++;
	if (!many || many > 999999 || k == KINDS) {
		fprintf(stderr,
			"usage: random_files gpu|lisa|litmus|fences|kernel|protocol|copies FOLDER "
			"HOW_MANY [SEED]\n");
		return 2;
	}
	for (unsigned n = 0; n < many; n++) {
		struct text t = {0};
		struct rng rng = {seed++ * 0xd1b54a32d192ed03u};

		kinds[k].make(&rng, &t);
		if (!write_file(argv[2], n, &kinds[k], &t)) {
			perror(argv[2]);
			return 2;
		}
		text_free(&t);
	}
	return 0;
}
