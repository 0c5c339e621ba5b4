// The functions of <math.h> on the device against libm, in units of the last place.
// prints all within their bounds
#include <cmath>
#include <cstdio>
#include <cstdlib>
#define FUNCTIONS(F) \
	F(sin, 1, -1e5, 1e5) \
	F(sin, 1, -1e22, 1e22) \
	F(cos, 1, -10, 10) \
	F(tan, 2, -10, 10) \
	F(asin, 2, -1, 1) \
	F(acos, 3, -1, 1) \
	F(atan, 1, -5, 5) \
	F(sinh, 2, -710, 710) \
	F(cosh, 2, -3, 3) \
	F(tanh, 3, -3, 3) \
	F(asinh, 2, -10, 10) \
	F(acosh, 2, 1, 100) \
	F(atanh, 2, -1, 1) \
	F(exp, 1, -700, 700) \
	F(exp2, 1, -1000, 1000) \
	F(expm1, 2, -2, 2) \
	F(log, 1, 0, 10) \
	F(log2, 1, 0, 10) \
	F(log10, 1, 0, 1e300) \
	F(log1p, 1, -0.9, 2) \
	F(cbrt, 1, -1000, 1000) \
	F(erf, 8, -5, 5) \
	F(erfc, 8, -3, 20) \
	F(tgamma, 16, 0.01, 170) \
	F(lgamma, 16, 2.5, 1000) \
	F(sqrt, 1, 0, 1e300) \
	F(floor, 0, -10, 10) \
	F(ceil, 0, -10, 10) \
	F(trunc, 0, -10, 10) \
	F(rint, 0, -10, 10) \
	F(round, 0, -10, 10) \
	F(fabs, 0, -10, 10)
#define FUNCTIONS_2(F) \
	F(pow, 1, 0, 10, -50, 50) \
	F(pow, 1, 0.9, 1.1, -5000, 5000) \
	F(atan2, 2, -1, 1, -1, 1) \
	F(hypot, 1, -10, 10, -1, 1) \
	F(fmod, 0, -1e10, 1e10, 0, 10) \
	F(remainder, 0, -1e10, 1e10, 0, 10) \
	F(fmin, 0, -1, 1, -1, 1) \
	F(fmax, 0, -1, 1, -1, 1) \
	F(fdim, 1, -1, 1, -1, 1) \
	F(copysign, 0, -1, 1, -1, 1)
enum {
#define F(...) +1
	COUNT = 0 FUNCTIONS(F) FUNCTIONS_2(F),
#undef F
	EACH = 32
};

template <class T> __global__ void compute(const T *x, const T *y, T *out)
{
	int t = threadIdx.x, n = 0;
#define F(f, ...) \
	out[n * EACH + t] = f(x[n * EACH + t]); \
	n++;
	FUNCTIONS(F)
#undef F
#define F(f, ...) \
	out[n * EACH + t] = f(x[n * EACH + t], y[n * EACH + t]); \
	n++;
	FUNCTIONS_2(F)
#undef F
}

static double between(double low, double high)
{
	static unsigned long long state = 1;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return low + (high - low) * ((state >> 11) / 9007199254740992.0);
}

static bool bad = false;

/* The result must be within BOUND units of what libm has for more digits. */
template <class T> static void compare(
	const char *name, T x, T y, T got, long double want, double bound)
{
	T rounded = (T)want;
	long double unit = std::fabs((long double)std::nextafter(std::fabs(rounded), (T)INFINITY) -
		std::fabs((long double)rounded));

	if (got == rounded || (got != got && want != want))
		return;
	if (std::fabs((long double)got - want) <= bound * unit)
		return;
	printf("%s(%.17g, %.17g) is %.17g instead of %.17Lg\n", name, (double)x, (double)y,
		(double)got, want);
	bad = true;
}

/* Float functions are rounded double ones: one unit at most. */
template <class T> static void test()
{
	const double special[] = {0, -0.0, 1, -1, 0.5, INFINITY, -INFINITY, NAN};
	bool is_float = sizeof(T) == 4;
	T *x, *y, *out;
	int n = 0;

	cudaMallocManaged(&x, COUNT * EACH * sizeof(T));
	cudaMallocManaged(&y, COUNT * EACH * sizeof(T));
	cudaMallocManaged(&out, COUNT * EACH * sizeof(T));
#define VALUE(low, high, k) \
	(T)((k) < 8 ? special[k] : is_float && (high) > 1e38 ? between(-1e6, 1e6) : between(low, high))
#define F(f, bound, low, high) \
	for (int k = 0; k < EACH; k++) \
		x[n * EACH + k] = VALUE(low, high, k); \
	n++;
	FUNCTIONS(F)
#undef F
#define F(f, bound, low, high, low2, high2) \
	for (int k = 0; k < EACH; k++) { \
		x[n * EACH + k] = VALUE(low, high, k); \
		y[n * EACH + k] = VALUE(low2, high2, (k * 5 + n) % EACH); \
	} \
	n++;
	FUNCTIONS_2(F)
#undef F
	compute<T><<<1, EACH>>>(x, y, out);
	if (cudaDeviceSynchronize())
		exit(1);
	n = 0;
#define F(f, bound, low, high) \
	for (int k = 0; k < EACH; k++) \
		compare(#f, x[n * EACH + k], (T)0, out[n * EACH + k], \
			f##l((long double)x[n * EACH + k]), is_float ? 1 : bound); \
	n++;
	FUNCTIONS(F)
#undef F
#define F(f, bound, low, high, low2, high2) \
	for (int k = 0; k < EACH; k++) \
		compare(#f, x[n * EACH + k], y[n * EACH + k], out[n * EACH + k], \
			f##l((long double)x[n * EACH + k], (long double)y[n * EACH + k]), \
			is_float ? 1 : bound); \
	n++;
	FUNCTIONS_2(F)
#undef F
}

int main()
{
	test<double>();
	test<float>();
	puts(bad ? "not all within their bounds" : "all within their bounds");
}
