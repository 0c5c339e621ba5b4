/* How fast the front end parses: parse FILE five times, print each run's megabytes a second. */
#include "parser/ast.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	static char text[16 << 20];

	if (!f)
		return 2;
	size_t n = fread(text, 1, sizeof text, f);
	fclose(f);
	for (int run = 0; run < 5; run++) {
		struct arena arena = {0};
		struct symbols symbols = {0};
		struct diags diags = {0};
		struct source *source = source_new(&arena, argv[1], text, n);
		struct timespec a, b;

		clock_gettime(CLOCK_MONOTONIC, &a);
		struct ast_module *m = ast_parse(source, &symbols, &diags);
		clock_gettime(CLOCK_MONOTONIC, &b);
		printf("%.1f\n",
			(double)n / 1e6 /
				((double)(b.tv_sec - a.tv_sec) +
					(double)(b.tv_nsec - a.tv_nsec) * 1e-9));
		if (diags.errors)
			return 1;
		ast_free(m);
		symbols_free(&symbols);
		diags_free(&diags);
		arena_free(&arena);
	}
	return 0;
}
