/* The clock used for deadlines. */
#ifndef PTXI_BASE_TIME_H
#define PTXI_BASE_TIME_H

/* CLOCK_MONOTONIC in seconds. */
double time_now(void);

#endif
