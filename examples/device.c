/* Uses ptxi as a device: two streams scale halves of an array, an event orders a third launch after
 * them, and at the end a kernel uses memory that was freed, which is a finding.
 *
 *     cc device.c $(pkg-config --cflags --libs ptxi) -o device && ./device scale.ptx */
#include <ptxi/device.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };

#define HERE (&(struct ptxi_at){"device.c", __LINE__, __func__})

static struct ptxi_device *device;

static void check(enum ptxi_exit status)
{
	char why[300];

	if (status == PTXI_OK)
		return;
	ptxi_device_error(device, why, sizeof why);
	fprintf(stderr, "status %d: %s\n", (int)status, why);
	exit(1);
}

static void print_findings(void)
{
	struct ptxi_report *r = ptxi_take_findings(device);

	for (size_t k = 0; k < ptxi_report_count(r); k++) {
		const struct ptxi_finding *f = ptxi_report_finding(r, k);

		printf("  %s %s: %s\n", f->code, f->name, f->message);
	}
	ptxi_report_free(r);
}

/* c[i] = factor * a[i] for N / 2 elements */
static void scale(ptxi_stream stream, const struct ptxi_module *m, unsigned function, uint64_t a,
	uint64_t c, float factor)
{
	unsigned n = N / 2;
	void *args[] = {&a, &c, &factor, &n};
	struct ptxi_grid grid = {.grid = {1}, .block = {N / 2}, .args = args};

	check(ptxi_start(device, stream, m, function, &grid));
}

int main(int argc, char **argv)
{
	static char text[1 << 16];
	FILE *f = fopen(argc > 1 ? argv[1] : "scale.ptx", "rb");
	size_t size = f ? fread(text, 1, sizeof text, f) : 0;
	struct ptxi_module *m;
	unsigned function;
	uint64_t a, c, half = N / 2 * sizeof(float);
	float in[N], out[N] = {0};
	ptxi_stream left, right;
	ptxi_event done;

	if (f)
		fclose(f);
	for (unsigned k = 0; k < N; k++)
		in[k] = (float)k;
	device = ptxi_device_new(&(struct ptxi_device_options){
		.settings = (const char *const[]){"check=all", NULL}});
	if (!device)
		return 1;
	check(ptxi_device_load(device, "scale.ptx", text, size, &m));
	check(ptxi_module_function(device, m, "scale", &function));
	check(ptxi_alloc(device, sizeof in, 0, "a", HERE, &a));
	check(ptxi_alloc(device, sizeof in, 0, "c", HERE, &c));
	check(ptxi_stream_new(device, 0, &left));
	check(ptxi_stream_new(device, 0, &right));
	check(ptxi_event_new(device, &done));

	check(ptxi_copy(device, PTXI_DEFAULT_STREAM,
		&(struct ptxi_copy){.to = a, .from_host = in, .size = sizeof in}, HERE));
	scale(left, m, function, a, c, 10);
	scale(right, m, function, a + half, c + half, 10);
	check(ptxi_record(device, done, right));
	check(ptxi_wait(device, left, done));
	scale(left, m, function, c + half, c, 2); /* reads what the other stream wrote */
	check(ptxi_copy(device, left,
		&(struct ptxi_copy){.to_host = out, .from = c, .size = sizeof out}, HERE));
	check(ptxi_sync_stream(device, left));
	printf("c[1] = %g, c[63] = %g\n", out[1], out[63]);
	print_findings();

	scale(left, m, function, a, c, 1);
	scale(right, m, function, a, c, 1); /* nothing orders the two */
	check(ptxi_sync(device));
	printf("two kernels that write the same:\n");
	print_findings();

	check(ptxi_dealloc(device, a, HERE));
	scale(left, m, function, a, c, 1);
	printf("after a was freed: status %d\n", (int)ptxi_sync(device));
	print_findings();
	ptxi_device_free(device);
	return 0;
}
