// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A very slow disk, preloaded into crash: while the file $SLOWIO exists, each
 * read() takes half a second, and adds a byte to it. Gives a test the time to
 * interrupt a run, and tells it how far the run has come.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static ssize_t slow_read(int fd, void *buf, size_t len)
{
	static ssize_t (*real)(int, void *, size_t);
	const struct timespec half = { 0, 500000000 };
	const char *flag = getenv("SLOWIO");
	int count = fd > 2 && flag ? open(flag, O_WRONLY | O_APPEND) : -1;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "read");
	if (count >= 0) {
		if (write(count, ".", 1) == 1)
			nanosleep(&half, NULL);
		close(count);
	}
	return real(fd, buf, len);
}

ssize_t read(int fd, void *buf, size_t len)
{
	return slow_read(fd, buf, len);
}

/* What read() becomes where crash was built with _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *buf, size_t len, size_t room)
{
	(void)room;
	return slow_read(fd, buf, len);
}
