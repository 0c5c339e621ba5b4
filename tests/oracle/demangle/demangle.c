/* Prints the C++ name of every symbol that it reads, one a line, or the symbol itself. */
#include "base/demangle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	struct text out = {0};
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		text_clear(&out);
		if (!demangle(&out, line, NULL))
			text_puts(&out, line);
		puts(text_str(&out));
	}
	text_free(&out);
	free(line);
	return 0;
}
