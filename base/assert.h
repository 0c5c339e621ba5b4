/* Assertions that hold in every build. One that fails is a bug of ptxi, which ends the call of the
 * library with an error value, or the command with status 70 (base/guard.h). */
#ifndef PTXI_BASE_ASSERT_H
#define PTXI_BASE_ASSERT_H
#include "base/guard.h"

#undef assert
#undef static_assert
#define static_assert _Static_assert
#define assert(truth) ((truth) ? (void)0 : guard_bug(#truth, __FILE__, __LINE__))
/* A place that cannot be reached. */
#define never() guard_bug("unreachable", __FILE__, __LINE__)

#endif
