/* What every CUDA program sees: ptxi's own declarations of CUDA's words, types and functions, for
 * clang. Names, numbers and layouts are those of CUDA's documentation. */
#ifndef PTXI_CUDA_RUNTIME_H
#define PTXI_CUDA_RUNTIME_H
#include "ptxi/words.h"
#include "ptxi/vectors.h"
#include "ptxi/maths_names.h"
#include <cmath>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ptxi/api.h"
#include "ptxi/threads.h"
#include "ptxi/numbers.h"
#include "ptxi/atomics.h"
#include "ptxi/maths.h"
#include <new>
#include "ptxi/heap.h"
#include "ptxi/textures.h"
#endif
