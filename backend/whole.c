/* Complete messages through a pipe or a socket: interrupted and partial calls are continued. */
#include "backend/whole.h"
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static ssize_t write_some(int fd, const char *at, size_t n)
{
	ssize_t k = send(fd, at, n, MSG_NOSIGNAL);

	/* some systems say of whatever is no socket that it is no descriptor */
	return k < 0 && (errno == ENOTSOCK || errno == EBADF) ? write(fd, at, n) : k;
}

bool whole_write(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n > 0) {
		ssize_t k = write_some(fd, at, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		at += k;
		n -= (size_t)k;
	}
	return true;
}

bool whole_read(int fd, void *data, size_t n)
{
	char *at = data;

	while (n > 0) {
		ssize_t k = read(fd, at, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		at += k;
		n -= (size_t)k;
	}
	return true;
}
