/* A name under which programs include what cooperative_groups.h has. */
#include "../cooperative_groups.h"
