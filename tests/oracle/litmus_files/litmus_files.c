/* Writes random litmus tests that one GPU can run, a file each, for its outcomes to be held against
 * the explorer's: litmus_files FOLDER HOW_MANY [SEED]; with a fourth word, lisa, such as herd7 can
 * be given, of several GPUs, too. */
#include "tests/oracle/random_litmus.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_test(const char *folder, unsigned n, const struct text *t)
{
	char path[4096];
	FILE *f;

	if ((size_t)snprintf(path, sizeof path, "%s/random%06u.litmus", folder, n) >= sizeof path ||
		!(f = fopen(path, "w")))
		return false;
	bool ok = fputs(text_str(t), f) >= 0;
	return !fclose(f) && ok;
}

int main(int argc, char **argv)
{
	unsigned long many = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	bool lisa = argc > 4 && !strcmp(argv[4], "lisa");
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;

	if (!many || many > 999999) {
		fprintf(stderr, "usage: litmus_files FOLDER HOW_MANY [SEED [lisa]]\n");
		return 2;
	}
	for (unsigned n = 0; n < many; n++) {
		struct text t = {0};
		struct rng rng = {seed++ * 0xd1b54a32d192ed03u};
		do { /* no surfaces, textures and aliases */
			text_free(&t);
			t = (struct text){0};
			(lisa ? random_litmus_lisa : random_litmus)(&rng, &t);
		} while (strstr(text_str(&t), "aliases"));
		for (char *at = t.data; !lisa && (at = strstr(at, "gpu 1"));)
			at[4] = '0';
		if (!write_test(argv[1], n, &t)) {
			perror(argv[1]);
			return 2;
		}
		text_free(&t);
	}
	return 0;
}
