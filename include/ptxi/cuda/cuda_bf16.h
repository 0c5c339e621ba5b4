/* A name under which programs include what cuda_fp16.h has. */
#include "cuda_fp16.h"
