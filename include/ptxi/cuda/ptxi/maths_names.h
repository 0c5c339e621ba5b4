/* The functions of <math.h> for the device, declared before the standard headers are read, so that
 * std:: has them, too. */
#ifndef PTXI_CUDA_MATHS_NAMES_H
#define PTXI_CUDA_MATHS_NAMES_H
#include "words.h"

/* X(NAME): of one number; XN: those that are instructions. */
#define PTXI_MATHS_1(X) \
	X(sin) \
	X(cos) \
	X(tan) \
	X(asin) \
	X(acos) \
	X(atan) \
	X(sinh) \
	X(cosh) \
	X(tanh) \
	X(asinh) \
	X(acosh) \
	X(atanh) \
	X(exp) \
	X(exp2) \
	X(expm1) \
	X(log) \
	X(log2) \
	X(log10) \
	X(log1p) \
	X(cbrt) \
	X(erf) \
	X(erfc) \
	X(tgamma) \
	X(lgamma)
#define PTXI_MATHS_1N(X) \
	X(sqrt) \
	X(floor) \
	X(ceil) \
	X(trunc) \
	X(rint) \
	X(nearbyint) \
	X(round) \
	X(fabs)
#define PTXI_MATHS_2(X) \
	X(pow) \
	X(atan2) \
	X(hypot) \
	X(fmod) \
	X(remainder)
#define PTXI_MATHS_2N(X) \
	X(fmin) \
	X(fmax) \
	X(copysign) \
	X(fdim)

#define PTXI_DECLARE_1(name) \
	PTXI_DEVICE float name(float); \
	PTXI_DEVICE double name(double); \
	PTXI_DEVICE float name##f(float);
#define PTXI_DECLARE_2(name) \
	PTXI_DEVICE float name(float, float); \
	PTXI_DEVICE double name(double, double); \
	PTXI_DEVICE float name##f(float, float);
PTXI_MATHS_1(PTXI_DECLARE_1)
PTXI_MATHS_1N(PTXI_DECLARE_1)
PTXI_MATHS_2(PTXI_DECLARE_2)
PTXI_MATHS_2N(PTXI_DECLARE_2)
#undef PTXI_DECLARE_1
#undef PTXI_DECLARE_2
PTXI_DEVICE int abs(int);
PTXI_DEVICE long abs(long);
PTXI_DEVICE long long abs(long long);
PTXI_DEVICE float abs(float);
PTXI_DEVICE double abs(double);
PTXI_DEVICE long labs(long);
PTXI_DEVICE long long llabs(long long);
PTXI_DEVICE float fma(float, float, float);
PTXI_DEVICE double fma(double, double, double);
PTXI_DEVICE float fmaf(float, float, float);
PTXI_DEVICE float ldexp(float, int);
PTXI_DEVICE double ldexp(double, int);
PTXI_DEVICE float ldexpf(float, int);
PTXI_DEVICE float frexp(float, int *);
PTXI_DEVICE double frexp(double, int *);
PTXI_DEVICE float frexpf(float, int *);
PTXI_DEVICE float modf(float, float *);
PTXI_DEVICE double modf(double, double *);
PTXI_DEVICE float modff(float, float *);
PTXI_DEVICE long lround(float);
PTXI_DEVICE long lround(double);
PTXI_DEVICE long lrint(float);
PTXI_DEVICE long lrint(double);

namespace std
{
#define PTXI_USE(name) using ::name;
PTXI_MATHS_1(PTXI_USE)
PTXI_MATHS_1N(PTXI_USE)
PTXI_MATHS_2(PTXI_USE)
PTXI_MATHS_2N(PTXI_USE)
#undef PTXI_USE
using ::abs;
using ::fma;
using ::frexp;
using ::ldexp;
using ::lrint;
using ::lround;
using ::modf;
} // namespace std

#endif
