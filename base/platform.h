/* What the host lacks, where that must be known before it is tried. */
#ifndef PTXI_BASE_PLATFORM_H
#define PTXI_BASE_PLATFORM_H

#ifdef __EMSCRIPTEN__
enum { PLATFORM_PROCESSES = 0, PLATFORM_THREADS = 0, PLATFORM_SIGNALS = 0 };
#else
enum { PLATFORM_PROCESSES = 1, PLATFORM_THREADS = 1, PLATFORM_SIGNALS = 1 };
#endif

#endif
