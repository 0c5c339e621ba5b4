/* A name under which programs include what cuda_pipeline.h has. */
#include "cuda_pipeline.h"
