/* The work of some kernels of bench/ as plain C, for their ratio to a processor's own speed: the
 * same sizes, inputs of the same kind, one thread. `native NAME` prints the CPU seconds of the
 * fastest of several rounds; results go to a sum that is printed last, so that nothing is left out.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7 };

static uint32_t words[1 << 22];
static float a[1 << 18], b[1 << 18], c[1 << 18];
static uint32_t out[1 << 21];

/* k_fma: 1000 steps of integer arithmetic for each of 32,768 threads */
static uint32_t fma_of(uint32_t t)
{
	uint32_t x = t * 2654435761u + 1, y = t, k = 12345, z = 0;

	for (uint32_t i = 0; i < 1000;) {
		y = x * y + k;
		z = y * k;
		k = i + z;
		x ^= y >> 3;
		i++;
	}
	return z + x;
}

static void run_fma(void)
{
	for (uint32_t t = 0; t < 32768; t++)
		out[t] = fma_of(t);
}

/* k_mm and sgemm: products of 256 * 256 elements */
static void run_mm(void)
{
	enum { N = 256 };

	memset(c, 0, sizeof c);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i * N + j] = fmaf(a[i * N + k], b[k * N + j], c[i * N + j]);
	out[0] = (uint32_t)c[777];
}

static void run_reduce(void)
{
	for (uint32_t block = 0; block < 16384; block++) {
		uint32_t sum = 0;

		for (uint32_t k = 0; k < 256; k++)
			sum += words[block * 256 + k];
		out[block] = sum;
	}
}

static void run_stencil(void)
{
	enum { W = 1024 };

	for (int round = 0; round < 8; round++) {
		for (int y = 1; y < 255; y++)
			for (int x = 0; x < W; x++) {
				int at = y * W + x;
				float sum = (a[at - W] + a[at + W]) + (a[at - 1] + a[at + 1]);

				c[at] = fmaf(sum, 0.25f, a[at] * -4.0f);
			}
		out[0] += (uint32_t)c[W + 5 + round];
	}
}

static void run_mandelbrot(void)
{
	for (uint32_t t = 0; t < 131072; t++) {
		float cx = fmaf((float)(t % 512), 0.005859375f, -2.0f),
		      cy = fmaf((float)(t / 512), 0.0078125f, -1.0f), x = 0, y = 0;
		uint32_t n = 0;

		do {
			float xx = x * x, yy = y * y;

			if (xx + yy > 4.0f)
				break;
			y = fmaf(x + x, y, cy);
			x = xx - yy + cx;
		} while (++n < 256);
		out[t] = n;
	}
}

static uint32_t ror(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

static uint32_t k256[64];
static const uint32_t begin[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
	0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static void find_k256(void)
{
	unsigned n = 0;

	for (unsigned p = 2; n < 64; p++) {
		unsigned d = 2;

		while (d * d <= p && p % d)
			d++;
		if (d * d > p) {
			long double root = cbrtl(p);

			k256[n++] = (uint32_t)((root - floorl(root)) * 4294967296.0L);
		}
	}
}

static void sha256(uint32_t t, uint32_t *to)
{
	uint32_t w[64], v[8];

	for (uint32_t k = 0; k < 16; k++)
		w[k] = t * 16 + k;
	for (unsigned k = 16; k < 64; k++)
		w[k] = w[k - 16] + w[k - 7] +
			(ror(w[k - 15], 7) ^ ror(w[k - 15], 18) ^ w[k - 15] >> 3) +
			(ror(w[k - 2], 17) ^ ror(w[k - 2], 19) ^ w[k - 2] >> 10);
	memcpy(v, begin, sizeof v);
	for (unsigned k = 0; k < 64; k++) {
		uint32_t e = v[4], x = v[0];
		uint32_t t1 = v[7] + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) +
			((e & v[5]) ^ (~e & v[6])) + k256[k] + w[k];
		uint32_t t2 = (ror(x, 2) ^ ror(x, 13) ^ ror(x, 22)) +
			((x & v[1]) ^ (x & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (unsigned k = 0; k < 8; k++)
		to[k] = v[k] + begin[k];
}

static void run_sha256(void)
{
	for (uint32_t t = 0; t < 262144; t++)
		sha256(t, out + t * 8);
}

static const struct {
	const char *name;
	void (*run)(void);
} work[] = {{"k_fma", run_fma}, {"k_mm", run_mm}, {"k_reduce", run_reduce}, {"sgemm", run_mm},
	{"stencil", run_stencil}, {"mandelbrot", run_mandelbrot}, {"sha256", run_sha256}};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint32_t sum = 0, random = 1;

	find_k256();
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		words[k] = (uint32_t)k;
	for (size_t k = 0; k < sizeof a / sizeof *a; k++) {
		random = random * 1664525u + 1013904223u;
		a[k] = (float)(random >> 8) * 0x1p-24f;
		b[k] = (float)(random >> 9 & 0xffff) * 0x1p-16f;
	}
	for (size_t k = 0; argc == 2 && k < sizeof work / sizeof *work; k++) {
		double least = 1e9;

		if (strcmp(work[k].name, argv[1]) != 0)
			continue;
		for (int round = 0; round < ROUNDS; round++) {
			double begun = now(), took;

			work[k].run();
			took = now() - begun;
			least = took < least ? took : least;
		}
		for (size_t j = 0; j < sizeof out / sizeof *out; j++)
			sum = sum * 31 + out[j];
		printf("%.6f %u\n", least, sum);
		return 0;
	}
	fprintf(stderr, "native NAME of a kernel\n");
	return 2;
}
