/* The clock of deadlines. */
#ifndef PTXI_BASE_TIME_H
#define PTXI_BASE_TIME_H

/* Seconds of CLOCK_MONOTONIC. */
double time_now(void);

#endif
