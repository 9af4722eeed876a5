// SPDX-License-Identifier: GPL-2.0-or-later
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#endif

#include "bytes.h"
#include "error.h"

struct fd_priv {
	int fd;
};

static enum krel_status fd_read(struct krel_file *f, uint64_t off, void *buf,
				size_t len, struct krel_error *err)
{
	const struct fd_priv *p = f->priv;
	uint8_t *to = buf;

	while (len > 0) {
		ssize_t n = pread(p->fd, to, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return krel_error_set(err, KREL_UNREADABLE,
				"%s: reading %zu bytes at 0x%llx: %s", f->path,
				len, (unsigned long long)off, strerror(errno));
		if (n == 0)
			return krel_error_set(err, KREL_UNREADABLE,
				"%s: became shorter while being read: nothing at 0x%llx",
				f->path, (unsigned long long)off);
		to += n;
		off += (uint64_t)n;
		len -= (size_t)n;
		f->bytes_read += (uint64_t)n;
	}
	return KREL_OK;
}

/* A file system that knows no holes says that all is data. */
static void fd_next_data(struct krel_file *f, uint64_t off, uint64_t *start,
			 uint64_t *end)
{
#ifdef SEEK_DATA
	const struct fd_priv *p = f->priv;
	off_t data = lseek(p->fd, (off_t)off, SEEK_DATA), hole;

	if (data < 0) {
		if (errno == ENXIO)
			*start = f->size;
		return;
	}
	hole = lseek(p->fd, data, SEEK_HOLE);
	if ((uint64_t)data >= off)
		*start = (uint64_t)data;
	if (hole > data && (uint64_t)hole < f->size)
		*end = (uint64_t)hole;
#else
	(void)f, (void)off, (void)start, (void)end;
#endif
}

static void fd_close(struct krel_file *f)
{
	struct fd_priv *p = f->priv;

	close(p->fd);
	free(p);
}

static const struct krel_file_ops fd_ops = {
	.read = fd_read,
	.next_data = fd_next_data,
	.close = fd_close,
};

static enum krel_status mem_read(struct krel_file *f, uint64_t off, void *buf,
				 size_t len, struct krel_error *err)
{
	(void)err;
	memcpy(buf, (const uint8_t *)f->priv + off, len);
	f->bytes_read += len;
	return KREL_OK;
}

static const struct krel_file_ops mem_ops = {
	.read = mem_read,
};

static struct krel_file *file_new(const struct krel_file_ops *ops,
				  const char *path)
{
	struct krel_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->path = strdup(path);
	if (!f->path) {
		free(f);
		return NULL;
	}
	f->ops = ops;
	return f;
}

enum krel_status krel_file_mem(const void *buf, size_t len, const char *name,
			       struct krel_file **out, struct krel_error *err)
{
	struct krel_file *f = file_new(&mem_ops, name);

	if (!f)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      name);
	f->size = len;
	/* Only ever read: mem_read() casts it back to const. */
	f->priv = (void *)(uintptr_t)buf;
	*out = f;
	return KREL_OK;
}

static const char *kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISFIFO(mode))
		return "a pipe";
	if (S_ISSOCK(mode))
		return "a socket";
	if (S_ISCHR(mode))
		return "a character device";
	return "of an unknown kind";
}

static enum krel_status fd_size(int fd, const char *path, uint64_t *size,
				struct krel_error *err)
{
	struct stat sb;

	if (fstat(fd, &sb) != 0)
		return krel_error_set(err, KREL_UNREADABLE, "%s: %s", path,
				      strerror(errno));
	if (S_ISREG(sb.st_mode)) {
		/* /proc files state size 0; those cannot be sized. */
		*size = (uint64_t)sb.st_size;
		return KREL_OK;
	}
#ifdef BLKGETSIZE64
	if (S_ISBLK(sb.st_mode) && ioctl(fd, BLKGETSIZE64, size) == 0)
		return KREL_OK;
#endif
	return krel_error_set(err, KREL_UNREADABLE,
		"%s: expected a dump in a regular file, found %s", path,
		kind_of(sb.st_mode));
}

enum krel_status krel_file_fd(int fd, const char *name,
			      struct krel_file **out, struct krel_error *err)
{
	enum krel_status st;
	struct fd_priv *p;
	struct krel_file *f;
	uint64_t size;

	st = fd_size(fd, name, &size, err);
	if (st != KREL_OK)
		return st;
	p = malloc(sizeof(*p));
	f = p ? file_new(&fd_ops, name) : NULL;
	if (!f) {
		free(p);
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      name);
	}
	p->fd = fd;
	f->priv = p;
	f->size = size;
	*out = f;
	return KREL_OK;
}

enum krel_status krel_file_open(const char *path, struct krel_file **out,
				struct krel_error *err)
{
	enum krel_status st;
	/* O_NONBLOCK: a FIFO without a writer must not hang us. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return krel_error_set(err, KREL_UNREADABLE,
				      "%s: cannot open: %s", path,
				      strerror(errno));
	st = krel_file_fd(fd, path, out, err);
	if (st != KREL_OK)
		close(fd);
	return st;
}

enum krel_status krel_file_read(struct krel_file *f, uint64_t off, void *buf,
				size_t len, struct krel_error *err)
{
	if (!krel_in_bounds(off, len, f->size))
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: file ends at 0x%llx, expected %zu bytes at 0x%llx: it is cut off",
			f->path, (unsigned long long)f->size, len,
			(unsigned long long)off);
	return f->ops->read(f, off, buf, len, err);
}

enum krel_status krel_file_next_data(struct krel_file *f, uint64_t off,
				     uint64_t *start, uint64_t *end)
{
	uint64_t from = off, to = f->size;

	if (off >= f->size)
		return KREL_ABSENT;
	if (f->ops->next_data)
		f->ops->next_data(f, off, &from, &to);
	if (from >= to)
		return KREL_ABSENT;
	*start = from;
	*end = to;
	return KREL_OK;
}

void krel_file_close(struct krel_file *f)
{
	if (!f)
		return;
	if (f->ops->close)
		f->ops->close(f);
	free(f->path);
	free(f);
}
