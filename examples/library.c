/* Uses ptxi as a library: runs the cases of scale.ptx, then launches its kernel on arrays of this
 * program, and then once more with one element too many, which is a finding.
 *
 *     cc library.c $(pkg-config --cflags --libs ptxi) -o library && ./library scale.ptx */
#include <ptxi/ptxi.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *name, size_t *n)
{
	FILE *f = fopen(name, "rb");
	char *text = malloc(1 << 20);

	*n = f && text ? fread(text, 1, 1 << 20, f) : 0;
	if (f)
		fclose(f);
	return text;
}

static void print_findings(const struct ptxi_result *r)
{
	for (size_t k = 0; k < ptxi_result_findings(r); k++) {
		const struct ptxi_finding *f = ptxi_result_finding(r, k);

		printf("  %s %s: %s\n", f->code, f->name, f->message);
		for (size_t i = 0; i < f->nplaces; i++)
			if (f->places[i].file)
				printf("    %s:%u:%u %s\n", f->places[i].file, f->places[i].line,
					f->places[i].column, f->places[i].text);
	}
}

int main(int argc, char **argv)
{
	size_t size;
	char *text = read_file(argc > 1 ? argv[1] : "scale.ptx", &size);
	struct ptxi_program *p = text ? ptxi_load("scale.ptx", text, size, NULL) : NULL;
	float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, c[8] = {0}, k = 10;
	unsigned n = 8;
	struct ptxi_arg args[] = {
		{PTXI_INPUT, a, sizeof a, sizeof *a, "a"},
		{PTXI_BUFFER, c, sizeof c, sizeof *c, "c"},
		{PTXI_VALUE, &k, sizeof k, 0, NULL},
		{PTXI_VALUE, &n, sizeof n, 0, NULL},
	};
	struct ptxi_launch launch = {
		.kernel = "scale", .grid = {1}, .block = {32}, .args = args, .nargs = 4};
	struct ptxi_result *r;

	free(text);
	if (!p || ptxi_status(p) != PTXI_OK) {
		fputs(p ? ptxi_diagnostics(p) : "out of memory\n", stderr);
		ptxi_free(p);
		return 1;
	}
	for (size_t i = 0; i < ptxi_cases(p); i++) {
		r = ptxi_run(p, i);
		printf("case %zu: %s\n", i,
			r && ptxi_result_verdict(r) == PTXI_PASS ? "pass" : "fail");
		ptxi_result_free(r);
	}
	r = ptxi_launch(p, &launch);
	printf("launch: status %d, c[7] = %g\n", r ? (int)ptxi_result_status(r) : -1, c[7]);
	ptxi_result_free(r);
	n = 9; /* a and c have 8 elements */
	r = ptxi_launch(p, &launch);
	printf("launch: status %d\n", r ? (int)ptxi_result_status(r) : -1);
	if (r)
		print_findings(r);
	ptxi_result_free(r);
	ptxi_free(p);
	return 0;
}
