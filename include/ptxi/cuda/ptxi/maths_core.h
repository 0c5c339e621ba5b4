/* The functions of <math.h> in double precision, which clang has no instructions for. They reduce
 * their argument, and sum a series that is long enough. Float functions round the double results
 * (maths.h). tests/cuda/maths.cu measures all of them against libm. */
#ifndef PTXI_CUDA_MATHS_CORE_H
#define PTXI_CUDA_MATHS_CORE_H

namespace ptxi_maths
{

/* A number as the sum of two, of which the second is at most half a unit in the last place. */
struct pair {
	double high, low;
};

PTXI_DEVICE long long bits(double x)
{
	long long b;

	__builtin_memcpy(&b, &x, sizeof b);
	return b;
}
PTXI_DEVICE double from_bits(long long b)
{
	double x;

	__builtin_memcpy(&x, &b, sizeof x);
	return x;
}
PTXI_DEVICE double infinity() { return __builtin_inf(); }
PTXI_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
PTXI_DEVICE double absolute(double x) { return __builtin_fabs(x); }
PTXI_DEVICE bool is_finite(double x) { return absolute(x) < infinity(); }

/* C[0] x^(N-1) + ... + C[N-1] */
template <int N> PTXI_DEVICE double series(double x, const double (&c)[N])
{
	double sum = c[0];

	for (int k = 1; k < N; k++)
		sum = fma(sum, x, c[k]);
	return sum;
}

PTXI_DEVICE double power_of_2(int k) { return from_bits((long long)(k + 1023) << 52); }

/* X * 2^K, rounded once. */
PTXI_CALLED double scale(double x, int k)
{
	if (k > 2100)
		k = 2100;
	if (k < -2200)
		k = -2200;
	for (; k > 1023; k -= 1023)
		x *= power_of_2(1023);
	for (; k < -1022; k += 969)
		x *= power_of_2(-969);
	return x * power_of_2(k);
}

/* X is M * 2^K with M from sqrt(1/2) on, below sqrt(2); X is positive and finite. */
PTXI_DEVICE double split(double x, int *k)
{
	long long b;
	int e = 0;

	if (x < 2.2250738585072014e-308) {
		x *= 18014398509481984.0;
		e = -54;
	}
	b = bits(x);
	e += (int)(b >> 52) - 1023;
	x = from_bits((b & 0xfffffffffffffll) | 0x3ff0000000000000ll);
	if (x > 1.4142135623730951) {
		x *= 0.5;
		e++;
	}
	*k = e;
	return x;
}

PTXI_DEVICE pair add(double a, double b)
{
	double sum = a + b, part = sum - a;

	return pair{sum, (a - (sum - part)) + (b - part)};
}
/* The product, rounded: a compiler that joins it with a sum would make times() wrong. */
PTXI_DEVICE double product(double a, double b)
{
#ifdef __CUDA_ARCH__
	double p;

	asm("mul.rn.f64 %0, %1, %2;" : "=d"(p) : "d"(a), "d"(b));
	return p;
#else
	return a * b;
#endif
}
PTXI_DEVICE pair times(double a, double b)
{
	double p = product(a, b);

	return pair{p, fma(a, b, -p)};
}

#define LN2_HIGH 0x1.62e42fee00000p-1 /* 32 bits, so that products with exponents are exact */
#define LN2_LOW 0x1.a39ef35793c76p-33
#define PI_HALF_HIGH 0x1.921fb54442d18p+0
#define PI_HALF_LOW 0x1.1a62633145c07p-54
#define PI 3.141592653589793

/* e^(HIGH+LOW) */
PTXI_CALLED double exp_pair(double high, double low)
{
	const double c[] = {0x1.6124613a86d09p-33, 0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26,
		0x1.27e4fb7789f5cp-22, 0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16,
		0x1.a01a01a01a01ap-13, 0x1.6c16c16c16c17p-10, 0x1.1111111111111p-7,
		0x1.5555555555555p-5, 0x1.5555555555555p-3, 0x1.0000000000000p-1};
	double k, r, t;

	if (high != high)
		return high;
	if (high > 710)
		return infinity();
	if (high < -746)
		return 0;
	k = __builtin_rint(high * 1.4426950408889634);
	t = fma(-k, LN2_HIGH, high);
	low -= k * LN2_LOW;
	r = t + low;
	low += t - r;
	return scale(1 + (r + fma(r * r, series(r, c), low)), (int)k);
}

/* e^x - 1 */
PTXI_CALLED double expm1(double x)
{
	const double c[] = {0x1.ae7f3e733b81fp-41, 0x1.93974a8c07c9dp-37, 0x1.6124613a86d09p-33,
		0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26, 0x1.27e4fb7789f5cp-22,
		0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-13,
		0x1.6c16c16c16c17p-10, 0x1.1111111111111p-7, 0x1.5555555555555p-5,
		0x1.5555555555555p-3, 0x1.0000000000000p-1};
	double k, r, p, low, t;

	if (x != x || x == 0)
		return x;
	if (x > 710)
		return infinity();
	if (x < -40)
		return -1;
	k = __builtin_rint(x * 1.4426950408889634);
	t = fma(-k, LN2_HIGH, x);
	low = -k * LN2_LOW;
	r = t + low;
	low += t - r;
	p = r + fma(r * r, series(r, c), low); /* e^r - 1 */
	if (k == 0)
		return p;
	if (k > 60)
		return scale(1 + p, (int)k);
	/* 2^k (1 + p) - 1 */
	t = power_of_2((int)k);
	return fma(t, p, t - 1);
}

/* The logarithm of M from sqrt(1/2) to sqrt(2), plus k ln 2. */
PTXI_DEVICE pair log_sum(double m, int k)
{
	const double c[] = {0x1.642c8590b2164p-4, 0x1.8618618618618p-4, 0x1.af286bca1af28p-4,
		0x1.e1e1e1e1e1e1ep-4, 0x1.1111111111111p-3, 0x1.3b13b13b13b14p-3,
		0x1.745d1745d1746p-3, 0x1.c71c71c71c71cp-3, 0x1.2492492492492p-2,
		0x1.999999999999ap-2};
	double f = m - 1, d = m + 1, d_low = m - (d - 1), s = f / d,
	       s_low = (fma(-s, d, f) - s * d_low) / d;
	pair square = times(s, s), cube, third, sum, more;
	double rest;

	square.low += 2 * s * s_low;
	cube = times(square.high, s);
	cube.low += square.low * s + square.high * s_low;
	third = times(cube.high, 0x1.5555555555555p-1);
	third.low += cube.low * 0x1.5555555555555p-1 + cube.high * 0x1.5555555555555p-55;
	rest = cube.high * square.high * series(square.high, c);
	sum = add(k * LN2_HIGH, 2 * s);
	more = add(sum.high, third.high);
	rest += sum.low + more.low + third.low + 2 * s_low + k * LN2_LOW;
	return add(more.high, rest);
}

/* ln x, as a sum; x is positive and finite. */
PTXI_CALLED pair log_pair(double x)
{
	int k;
	double m = split(x, &k);

	return log_sum(m, k);
}

/* What log and its relatives have in common: false, and *OUT, if x has no logarithm that is finite.
 */
PTXI_DEVICE bool has_log(double x, double *out)
{
	if (x > 0 && is_finite(x))
		return true;
	*out = x == 0 ? -infinity() : x > 0 ? x : __builtin_nan("");
	return false;
}
PTXI_CALLED double log(double x)
{
	double out;

	return has_log(x, &out) ? log_pair(x).high : out;
}
PTXI_CALLED double log_times(double x, double high, double low)
{
	double out;
	pair l, p;

	if (!has_log(x, &out))
		return out;
	l = log_pair(x);
	p = times(l.high, high);
	return p.high + (p.low + l.high * low + l.low * high);
}
PTXI_DEVICE double log2(double x)
{
	return log_times(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}
PTXI_DEVICE double log10(double x)
{
	return log_times(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}
PTXI_CALLED double log1p(double x)
{
	double out;
	pair u;

	if (x == 0 || x > 1e300)
		return x == 0 ? x : log(x);
	u = add(1, x);
	if (!has_log(u.high, &out))
		return out;
	if (u.high == 1)
		return x;
	return log_pair(u.high).high + u.low / u.high;
}

PTXI_DEVICE double exp(double x) { return exp_pair(x, 0); }
PTXI_CALLED double exp_times(double x, double high, double low)
{
	pair p = times(x, high);

	if (!is_finite(p.high))
		return exp_pair(p.high, 0);
	return exp_pair(p.high, p.low + x * low);
}
PTXI_CALLED double exp2(double x)
{
	double k;

	if (!is_finite(x) || absolute(x) > 1100)
		return x != x ? x : x > 0 ? infinity() : 0;
	k = __builtin_rint(x);
	return scale(exp_times(x - k, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56), (int)k);
}
PTXI_DEVICE double exp10(double x)
{
	return exp_times(x, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53);
}

/* 0: y is no integer, 1: odd, 2: even */
PTXI_DEVICE int kind_of_integer(double y)
{
	if (__builtin_floor(y) != y)
		return 0;
	return absolute(y) < 9007199254740992.0 && (long long)y & 1 ? 1 : 2;
}
PTXI_CALLED double pow(double x, double y)
{
	int kind;
	double size, result;

	if (y == 0 || x == 1)
		return 1;
	if (x != x || y != y)
		return x + y;
	kind = kind_of_integer(y);
	size = absolute(x);
	if (size == 1 && !is_finite(y))
		return 1;
	if (size == 0 || !is_finite(x) || !is_finite(y)) {
		/* to 0 or to infinity */
		bool grows = !is_finite(y) ? (size > 1) == (y > 0) : (size > 1) == (y > 0);

		result = grows ? infinity() : 0;
		return __builtin_signbit(x) && kind == 1 && is_finite(y) ? -result : result;
	}
	if (x < 0 && kind == 0)
		return __builtin_nan("");
	{
		pair l = log_pair(size), p = times(y, l.high);

		result = is_finite(p.high) ? exp_pair(p.high, p.low + y * l.low)
			: p.high > 0       ? infinity()
					   : 0;
	}
	return x < 0 && kind == 1 ? -result : result;
}

/* --- angles --- */

/* The remainder of a large x by pi/2, by as many bits of 2/pi as matter. */
PTXI_CALLED int reduce_large(double x, pair *r)
{
	/* a word of zeros, then the fraction */
	const unsigned long long of[] = {
		0,
		0xa2f9836e4e441529ull,
		0xfc2757d1f534ddc0ull,
		0xdb6295993c439041ull,
		0xfe5163abdebbc561ull,
		0xb7246e3a424dd2e0ull,
		0x06492eea09d1921cull,
		0xfe1deb1cb129a73eull,
		0xe88235f52ebb4484ull,
		0xe99c7026b45f7e41ull,
		0x3991d639835339f4ull,
		0x9c845f8bbdf9283bull,
		0x1ff897ffde05980full,
		0xef2f118b5a0a6d1full,
		0x6d367ecf27cb09b7ull,
		0x4f463f669e5fea2dull,
		0x7527bac7ebe5f17bull,
		0x3d0739f78a5292eaull,
		0x6bfb5fb11f8d5d08ull,
		0x56033046fc7b6babull,
		0xf0cfbc209af4361dull,
	};
	long long b = bits(x) & 0x7fffffffffffffffll;
	int at = (int)(b >> 52) - 1023 - 52 - 2 + 64, shift = at % 64, word = at / 64, n, q;
	unsigned long long m = (unsigned long long)((b & 0xfffffffffffffll) | 0x10000000000000ll),
			   a[3], p0, p1, high, low;
	unsigned __int128 product, fraction;
	double h, l;
	bool negative;
	pair t;

	for (int k = 0; k < 3; k++)
		a[k] = shift ? of[word + k] << shift | of[word + k + 1] >> (64 - shift)
			     : of[word + k];
	product = (unsigned __int128)m * a[2];
	product = (product >> 64) + (unsigned __int128)m * a[1];
	p1 = (unsigned long long)product;
	p0 = (unsigned long long)(product >> 64) + m * a[0];
	q = (int)(p0 >> 62);
	fraction = ((unsigned __int128)p0 << 64 | p1) << 2;
	negative = (fraction >> 127) != 0;
	if (negative) {
		q++;
		fraction = -fraction;
	}
	high = (unsigned long long)(fraction >> 64);
	n = high ? __builtin_clzll(high) : 64;
	fraction <<= n;
	high = (unsigned long long)(fraction >> 64);
	low = (unsigned long long)fraction;
	h = (double)(high & ~0x7ffull);
	l = (double)(high & 0x7ff) + (double)low * power_of_2(-64);
	t = times(h, PI_HALF_HIGH);
	t.low += h * PI_HALF_LOW + l * PI_HALF_HIGH;
	t = add(t.high, t.low);
	h = power_of_2(-64 - n);
	if (negative != (x < 0))
		h = -h;
	*r = pair{t.high * h, t.low * h};
	return x < 0 ? -q : q;
}

/* x is q pi/2 + r; the last two bits of q count. */
PTXI_CALLED int reduce(double x, pair *r)
{
	double q, a, b, error;

	if (absolute(x) > 100000)
		return reduce_large(x, r);
	q = __builtin_rint(x * 0.6366197723675814);
	/* pi/2 in three parts, of which products with q are exact */
	a = fma(-q, 0x1.921fb54400000p+0, x);
	b = q * 0x1.0b4611a600000p-34;
	error = a;
	a -= b;
	error = (error - a) - b;
	*r = add(a, error - q * 0x1.3198a2e037073p-69);
	return (int)q;
}
PTXI_DEVICE double sin_near(pair r)
{
	const double c[] = {-0x1.2f49b46814157p-57, 0x1.952c77030ad4ap-49, -0x1.ae7f3e733b81fp-41,
		0x1.6124613a86d09p-33, -0x1.ae64567f544e4p-26, 0x1.71de3a556c734p-19,
		-0x1.a01a01a01a01ap-13, 0x1.1111111111111p-7, -0x1.5555555555555p-3};
	double z = r.high * r.high;

	return r.high + fma(z * r.high, series(z, c), r.low * fma(z, -0.5, 1.0));
}
PTXI_DEVICE double cos_near(pair r)
{
	const double c[] = {-0x1.6827863b97d97p-53, 0x1.ae7f3e733b81fp-45, -0x1.93974a8c07c9dp-37,
		0x1.1eed8eff8d898p-29, -0x1.27e4fb7789f5cp-22, 0x1.a01a01a01a01ap-16,
		-0x1.6c16c16c16c17p-10, 0x1.5555555555555p-5};
	double z = r.high * r.high, half = 0.5 * z, one = 1 - half;

	return one + (((1 - one) - half) + fma(z * z, series(z, c), -r.high * r.low));
}
PTXI_CALLED double sin_quarters(double x, int more)
{
	pair r;
	int q;
	double y;

	if (!is_finite(x))
		return __builtin_nan("");
	q = reduce(x, &r) + more;
	y = q & 1 ? cos_near(r) : sin_near(r);
	return q & 2 ? -y : y;
}
PTXI_DEVICE double sin(double x) { return x == 0 ? x : sin_quarters(x, 0); }
PTXI_DEVICE double cos(double x) { return sin_quarters(x, 1); }
PTXI_CALLED double tan(double x)
{
	pair r;
	int q;

	if (!is_finite(x) || x == 0)
		return x == 0 ? x : __builtin_nan("");
	q = reduce(x, &r);
	return q & 1 ? -cos_near(r) / sin_near(r) : sin_near(r) / cos_near(r);
}
/* sin and cos of pi x */
PTXI_CALLED double sinpi_quarters(double x, int more)
{
	double q;
	pair r;
	double y;
	int n;

	if (!is_finite(x))
		return __builtin_nan("");
	x -= 2 * __builtin_rint(x * 0.5);
	q = __builtin_rint(2 * x);
	x -= 0.5 * q;
	r = times(x, PI);
	r.low += x * 1.2246467991473532e-16;
	n = (int)q + more;
	y = n & 1 ? cos_near(r) : sin_near(r);
	return n & 2 ? -y : y;
}

/* atan of HIGH+LOW, for 0 to 1 */
PTXI_CALLED pair atan_pair(double high, double low)
{
	const double c[] = {-0x1.5c9882b931057p-6, 0x1.6c16c16c16c17p-6, -0x1.7d05f417d05f4p-6,
		0x1.8f9c18f9c18fap-6, -0x1.a41a41a41a41ap-6, 0x1.bacf914c1bad0p-6,
		-0x1.d41d41d41d41dp-6, 0x1.f07c1f07c1f08p-6, -0x1.0842108421084p-5,
		0x1.1a7b9611a7b96p-5, -0x1.2f684bda12f68p-5, 0x1.47ae147ae147bp-5,
		-0x1.642c8590b2164p-5, 0x1.8618618618618p-5, -0x1.af286bca1af28p-5,
		0x1.e1e1e1e1e1e1ep-5, -0x1.1111111111111p-4, 0x1.3b13b13b13b14p-4,
		-0x1.745d1745d1746p-4, 0x1.c71c71c71c71cp-4, -0x1.2492492492492p-3,
		0x1.999999999999ap-3, -0x1.5555555555555p-2};
	pair base = {0, 0};
	double z, rest;

	if (high > 0.41421356) {
		/* atan x is pi/4 + atan((x-1)/(x+1)) */
		double f = high - 1, d = high + 1, d_low = high - (d - 1) + low, s = f / d;

		low = (fma(-s, d, f) + low - s * d_low) / d;
		high = s;
		base = pair{PI_HALF_HIGH / 2, PI_HALF_LOW / 2};
	}
	z = high * high;
	rest = fma(z * high, series(z, c), low);
	{
		pair sum = add(base.high, high);

		return add(sum.high, sum.low + (base.low + rest));
	}
}
/* The angle of a point; both are positive, and one may be 0. */
PTXI_CALLED pair angle(double y, double x)
{
	bool steep = y > x;
	double up = steep ? x : y, down = steep ? y : x, s = up / down;
	pair a = atan_pair(s,
		is_finite(down) && down < 1e300 && down > 1e-300 && s > 1e-290
			? fma(-s, down, up) / down
			: 0);

	if (steep) {
		pair sum = add(PI_HALF_HIGH, -a.high);

		a = add(sum.high, sum.low + (PI_HALF_LOW - a.low));
	}
	return a;
}
PTXI_CALLED double atan2(double y, double x)
{
	double ay = absolute(y), ax = absolute(x), result;

	if (x != x || y != y)
		return x + y;
	if (ay == 0 && ax == 0) {
		result = 0;
	} else {
		pair a;

		if (!is_finite(ay) && !is_finite(ax))
			ay = ax = 1;
		/* a quotient that is no normal number would lose digits, but for the last */
		if (ay > 1e290 || ax > 1e290) {
			ay *= 1e-100;
			ax *= 1e-100;
		}
		a = angle(ay, ax);
		result = a.high;
		if (__builtin_signbit(x)) {
			pair sum = add(2 * PI_HALF_HIGH, -a.high);

			result = sum.high + (sum.low + (2 * PI_HALF_LOW - a.low));
		}
		return __builtin_copysign(result, y);
	}
	return __builtin_copysign(__builtin_signbit(x) ? PI : 0.0, y);
}
PTXI_DEVICE double atan(double x)
{
	return x != x ? x : __builtin_copysign(angle(absolute(x), 1).high, x);
}
PTXI_CALLED double asin(double x)
{
	double size = absolute(x);

	if (!(size <= 1))
		return __builtin_nan("");
	if (size < 1e-9)
		return x;
	{
		double other = __builtin_sqrt((1 - size) * (1 + size));

		return __builtin_copysign(angle(size, other).high, x);
	}
}
PTXI_CALLED double acos(double x)
{
	if (!(absolute(x) <= 1))
		return __builtin_nan("");
	return 2 * angle(__builtin_sqrt(1 - x), __builtin_sqrt(1 + x)).high;
}

/* --- hyperbolic functions --- */

PTXI_CALLED double sinh(double x)
{
	double size = absolute(x), t;

	if (size > 700) {
		t = exp_pair(0.5 * size, 0);
		t = 0.5 * t * t;
	} else if (size < 1e-9) {
		return x;
	} else {
		t = expm1(size);
		t = 0.5 * (t + t / (t + 1));
	}
	return __builtin_copysign(t, x);
}
PTXI_CALLED double cosh(double x)
{
	double size = absolute(x), t;

	if (size > 700) {
		t = exp_pair(0.5 * size, 0);
		return 0.5 * t * t;
	}
	t = exp_pair(size, 0);
	return 0.5 * t + 0.5 / t;
}
PTXI_CALLED double tanh(double x)
{
	double size = absolute(x), t;

	if (size > 22)
		t = 1;
	else if (size < 1e-9 || x != x)
		return x;
	else if (size > 0.5)
		t = 1 - 2 / (expm1(2 * size) + 2);
	else {
		t = expm1(2 * size);
		t = t / (t + 2);
	}
	return __builtin_copysign(t, x);
}
PTXI_CALLED double asinh(double x)
{
	double size = absolute(x), t;

	if (!is_finite(x) || size < 1e-9)
		return x;
	if (size > 1e9)
		t = log(size) + 0.6931471805599453;
	else {
		double square = size * size;

		t = log1p(size + square / (1 + __builtin_sqrt(1 + square)));
	}
	return __builtin_copysign(t, x);
}
PTXI_CALLED double acosh(double x)
{
	double t = x - 1;

	if (!(x >= 1))
		return __builtin_nan("");
	if (x > 1e9)
		return log(x) + 0.6931471805599453;
	return log1p(t + __builtin_sqrt(t * (x + 1)));
}
PTXI_CALLED double atanh(double x)
{
	double size = absolute(x);

	if (size > 1)
		return __builtin_nan("");
	return __builtin_copysign(0.5 * log1p(2 * size / (1 - size)), x);
}

/* --- roots --- */

PTXI_CALLED double cbrt(double x)
{
	double size = absolute(x), y, m;
	int k, third;

	if (!is_finite(x) || x == 0)
		return x;
	m = split(size, &k);
	third = (k + 3000) / 3 - 1000;
	m = scale(m, k - 3 * third); /* 0.7 to 5.7 */
	y = 0.6 + 0.35 * m - 0.02 * m * m;
	for (int n = 0; n < 6; n++)
		y -= (y - m / (y * y)) * (1.0 / 3);
	{
		/* once more, with an exact remainder */
		pair square = times(y, y), cube = times(square.high, y);

		y += ((m - cube.high) - (cube.low + square.low * y)) / (3 * y * y);
	}
	return __builtin_copysign(scale(y, third), x);
}
PTXI_CALLED double hypot(double x, double y)
{
	double a = absolute(x), b = absolute(y), larger = __builtin_fmax(a, b), root, rest;
	int k;
	pair p, q, sum, square;

	if (a == infinity() || b == infinity())
		return infinity();
	if (x != x || y != y || a == 0 || b == 0)
		return a + b;
	split(larger, &k);
	a = scale(a, -k);
	b = scale(b, -k);
	p = times(a, a);
	q = times(b, b);
	sum = add(p.high, q.high);
	root = __builtin_sqrt(sum.high);
	square = times(root, root);
	rest = (sum.high - square.high) + (sum.low + p.low + q.low - square.low);
	return scale(root + rest / (2 * root), k);
}
PTXI_CALLED double rsqrt(double x)
{
	double y = 1 / __builtin_sqrt(x);

	if (!(y > 0 && is_finite(y)))
		return y;
	{
		pair p = times(x, y);
		double error = fma(-p.high, y, 1) - p.low * y;

		return fma(0.5 * error, y, y);
	}
}

/* --- remainders --- */

/* x - n y, exactly, with the sign of x; *LAST: the last bits of n. */
PTXI_CALLED double remainder_of(double x, double y, int *last)
{
	double a = absolute(x), b = absolute(y);
	long long ma, mb;
	int ea, eb, n = 0;

	*last = 0;
	if (!is_finite(x) || y != y || b == 0)
		return __builtin_nan("");
	if (a < b)
		return x;
	ea = (int)(bits(a) >> 52);
	eb = (int)(bits(b) >> 52);
	ma = (bits(a) & 0xfffffffffffffll) | (ea ? 0x10000000000000ll : 0);
	mb = (bits(b) & 0xfffffffffffffll) | (eb ? 0x10000000000000ll : 0);
	for (ea += !ea; ma < 0x10000000000000ll; ea--)
		ma <<= 1;
	for (eb += !eb; mb < 0x10000000000000ll; eb--)
		mb <<= 1;
	for (;; ea--) {
		n <<= 1;
		if (ma >= mb) {
			ma -= mb;
			n |= 1;
		}
		if (ea == eb)
			break;
		ma <<= 1;
	}
	*last = n & 0x7fffffff;
	/* at most 54 bits; ma is below mb, so it has 53 */
	a = scale((double)ma, eb - 1075);
	return __builtin_copysign(a, x);
}
PTXI_DEVICE double fmod(double x, double y)
{
	int last;

	return remainder_of(x, y, &last);
}
PTXI_CALLED double remquo(double x, double y, int *quotient)
{
	double r = remainder_of(x, y, quotient), a = absolute(r), b = absolute(y);

	if (r != r)
		return r;
	if (is_finite(b) &&
		(b > 1e300 ? a > 0.5 * b : 2 * a > b || (2 * a == b && *quotient & 1))) {
		r = __builtin_copysign(b - a, -x);
		++*quotient;
	}
	*quotient &= 7;
	if (__builtin_signbit(x) != __builtin_signbit(y))
		*quotient = -*quotient;
	return r == 0 ? __builtin_copysign(0.0, x) : r;
}

/* --- errors and gamma --- */

/* erf: a series of positive terms. */
PTXI_CALLED double erf_series(double x)
{
	double term = x, sum = x, z = 2 * x * x;

	for (int n = 1; n < 100 && term > sum * 1e-18; n++) {
		term *= z / (2 * n + 1);
		sum += term;
	}
	return sum * exp_pair(-x * x, -fma(x, x, -x * x)) * 1.1283791670955126;
}
/* erfc of x from 0.5 on: a continued fraction, which needs the more terms the smaller x is. */
PTXI_CALLED double erfc_fraction(double x)
{
	double f = 0, z = x * x;

	for (int n = 20 + (int)(480 / z); n > 0; n--)
		f = 0.5 * n / (x + f);
	return exp_pair(-z, -fma(x, x, -z)) / ((x + f) * 1.772453850905516);
}
PTXI_CALLED double erf(double x)
{
	double size = absolute(x), y;

	if (x != x)
		return x;
	y = size > 6 ? 1 : size < 1 ? erf_series(size) : 1 - erfc_fraction(size);
	return __builtin_copysign(y, x);
}
PTXI_CALLED double erfc(double x)
{
	if (x != x)
		return x;
	if (x > 27.3)
		return 0;
	if (x < 0.5)
		return x < -6 ? 2 : 1 - (x < 0 ? -1 : 1) * erf(absolute(x));
	return erfc_fraction(x);
}

/* What Stirling's formula lacks, for x from 20 on. */
PTXI_DEVICE double stirling(double x)
{
	const double c[] = {1.0 / 156, -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260,
		-1.0 / 360, 1.0 / 12};

	return series(1 / (x * x), c) / x;
}
PTXI_CALLED double gamma_positive(double x)
{
	double below = 1, root, lost = 0, sum = 0;
	pair p = {x, 0};

	if (x > 172)
		return infinity();
	for (int n = 1; p.high < 20; n++) {
		below *= p.high;
		lost += p.low / p.high;
		p = add(x, n);
	}
	x = p.high;
	sum = stirling(x) + p.low * log(x) - lost;
	root = pow(x, 0.5 * x - 0.25);
	return root * exp_pair(-x, sum) * root * 2.5066282746310002 / below;
}
PTXI_CALLED double tgamma(double x)
{
	if (x > 0 || x != x)
		return x < 1e-300 ? 1 / x : x > 1e300 || x != x ? x : gamma_positive(x);
	if (x == 0)
		return 1 / x;
	if (__builtin_floor(x) == x || !is_finite(x))
		return __builtin_nan("");
	if (x < -185)
		return 0;
	if (x > -1e-17)
		return 1 / x;
	return PI / (sinpi_quarters(x, 0) * gamma_positive(1 - x));
}
PTXI_CALLED double lgamma(double x)
{
	if (!is_finite(x))
		return x != x ? x : infinity();
	if (x <= 0) {
		if (__builtin_floor(x) == x)
			return infinity();
		return log(PI / absolute(sinpi_quarters(x, 0))) - lgamma(1 - x);
	}
	if (x < 1e-17)
		return -log(x);
	if (x == 1 || x == 2)
		return 0;
	if (x < 20) {
		double g = gamma_positive(x);

		return absolute(g - 1) < 0.5 ? log1p(g - 1) : log(g);
	}
	return fma(x - 0.5, log(x), -x) + 0.9189385332046728 + stirling(x);
}

#undef LN2_HIGH
#undef LN2_LOW
#undef PI_HALF_HIGH
#undef PI_HALF_LOW
#undef PI

} // namespace ptxi_maths

#endif
