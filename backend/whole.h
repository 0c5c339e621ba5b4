/* Complete messages through a pipe or a socket. */
#ifndef PTXI_BACKEND_WHOLE_H
#define PTXI_BACKEND_WHOLE_H
#include <stdbool.h>
#include <stddef.h>

/* Write or read all N bytes, with as many calls as needed. Return false if the other end is closed
 * or an error occurs. Writing to a closed socket raises no SIGPIPE; writing to a closed pipe
 * may. */
bool whole_write(int fd, const void *data, size_t n);
bool whole_read(int fd, void *data, size_t n);

#endif
