/* Bytes through a socket, whole messages at a time. */
#include "gpu/wire.h"
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

bool wire_send(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n > 0) {
		ssize_t k = send(fd, at, n, MSG_NOSIGNAL);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		at += k;
		n -= (size_t)k;
	}
	return true;
}

bool wire_receive(int fd, void *data, size_t n)
{
	char *at = data;

	while (n > 0) {
		ssize_t k = recv(fd, at, n, 0);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		at += k;
		n -= (size_t)k;
	}
	return true;
}
