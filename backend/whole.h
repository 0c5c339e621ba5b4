/* Whole messages through a pipe or a socket. */
#ifndef PTXI_BASE_WHOLE_H
#define PTXI_BASE_WHOLE_H
#include <stdbool.h>
#include <stddef.h>

/* All N bytes, however many calls that takes; false when the other end is gone or an error comes. A
 * socket whose other end is gone raises no SIGPIPE, a pipe may. */
bool whole_write(int fd, const void *data, size_t n);
bool whole_read(int fd, void *data, size_t n);

#endif
