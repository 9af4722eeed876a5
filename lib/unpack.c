// SPDX-License-Identifier: GPL-2.0-or-later
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "error.h"

#define CHUNK		(256u << 10)
/* The largest vmlinux seen is below 1 GiB; a bound against bombs. */
#define UNPACKED_MAX	(UINT64_C(4) << 30)
#define XZ_MEMORY_MAX	(UINT64_C(256) << 20)

struct unpack {
	const char *path;
	int in, out;
	uint64_t written;
	uint8_t inbuf[CHUNK], outbuf[CHUNK];
};

struct codec {
	const char *name;
	uint8_t magic[6];
	size_t magic_len;
	enum krel_status (*run)(struct unpack *u, struct krel_error *err);
};

static enum krel_status corrupt(const struct unpack *u, const char *codec,
				const char *why, struct krel_error *err)
{
	return krel_error_set(err, KREL_CORRUPT,
		"%s: expected whole %s data, found damage (%s): fetch the file again",
		u->path, codec, why);
}

static enum krel_status fill(struct unpack *u, size_t *got,
			     struct krel_error *err)
{
	ssize_t n;

	do
		n = read(u->in, u->inbuf, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return krel_error_set(err, KREL_UNREADABLE, "%s: %s", u->path,
				      strerror(errno));
	*got = (size_t)n;
	return KREL_OK;
}

static enum krel_status flush(struct unpack *u, size_t len,
			      struct krel_error *err)
{
	const uint8_t *from = u->outbuf;

	u->written += len;
	if (u->written > UNPACKED_MAX)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: unpacks to more than 4 GiB: not a vmlinux",
			u->path);
	while (len > 0) {
		ssize_t n = write(u->out, from, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return krel_error_set(err, KREL_UNREADABLE,
				"%s: no room for its unpacked copy: %s: set TMPDIR",
				u->path, strerror(errno));
		from += n;
		len -= (size_t)n;
	}
	return KREL_OK;
}

static enum krel_status run_xz(struct unpack *u, struct krel_error *err)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&s, XZ_MEMORY_MAX,
					   LZMA_CONCATENATED);
	enum krel_status st = KREL_OK;
	size_t got = 1;

	while (ret == LZMA_OK && st == KREL_OK) {
		if (s.avail_in == 0 && got > 0) {
			st = fill(u, &got, err);
			s.next_in = u->inbuf;
			s.avail_in = got;
		}
		if (st != KREL_OK)
			break;
		s.next_out = u->outbuf;
		s.avail_out = CHUNK;
		ret = lzma_code(&s, got == 0 ? LZMA_FINISH : LZMA_RUN);
		st = flush(u, CHUNK - s.avail_out, err);
	}
	lzma_end(&s);
	if (st == KREL_OK && ret != LZMA_STREAM_END)
		return corrupt(u, "xz", ret == LZMA_MEMLIMIT_ERROR ?
			       "needs too much memory" : "cut off or changed",
			       err);
	return st;
}

/* Members one after another are one file, as pigz and bgzip write them. */
static enum krel_status run_gzip(struct unpack *u, struct krel_error *err)
{
	enum krel_status st = KREL_OK;
	bool between = false;	/* at the end of a member */
	z_stream s = { 0 };
	int ret = inflateInit2(&s, 16 + MAX_WBITS);

	while (ret == Z_OK && st == KREL_OK) {
		if (s.avail_in == 0) {
			size_t got = 0;

			st = fill(u, &got, err);
			if (st != KREL_OK || got == 0)
				break;
			s.next_in = u->inbuf;
			s.avail_in = (uInt)got;
		}
		s.next_out = u->outbuf;
		s.avail_out = CHUNK;
		ret = inflate(&s, Z_NO_FLUSH);
		between = ret == Z_STREAM_END;
		if (ret == Z_OK || between)
			st = flush(u, CHUNK - s.avail_out, err);
		if (between)
			ret = inflateReset(&s);
	}
	inflateEnd(&s);
	if (st == KREL_OK && !between)
		return corrupt(u, "gzip", "cut off or changed", err);
	return st;
}

static enum krel_status run_zstd(struct unpack *u, struct krel_error *err)
{
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	ZSTD_inBuffer in = { u->inbuf, 0, 0 };
	enum krel_status st = KREL_OK;
	size_t left = 1, got = 0;

	if (!ctx)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	for (;;) {
		ZSTD_outBuffer out = { u->outbuf, CHUNK, 0 };

		if (in.pos == in.size) {
			st = fill(u, &got, err);
			if (st != KREL_OK || got == 0)
				break;
			in = (ZSTD_inBuffer){ u->inbuf, got, 0 };
		}
		left = ZSTD_decompressStream(ctx, &out, &in);
		if (ZSTD_isError(left))
			break;
		st = flush(u, out.pos, err);
		if (st != KREL_OK)
			break;
	}
	ZSTD_freeDCtx(ctx);
	if (st == KREL_OK && left != 0)
		return corrupt(u, "zstd", ZSTD_isError(left) ?
			       ZSTD_getErrorName(left) : "cut off", err);
	return st;
}

static const struct codec codecs[] = {
	{ "xz", { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, run_xz },
	{ "gzip", { 0x1f, 0x8b }, 2, run_gzip },
	{ "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4, run_zstd },
};

static const struct codec *codec_of(int fd)
{
	uint8_t head[6] = { 0 };

	if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return NULL;
	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		if (memcmp(head, codecs[i].magic, codecs[i].magic_len) == 0)
			return &codecs[i];
	return NULL;
}

/* A file without a name, so that nothing is left behind however we end. */
static int temporary(void)
{
	const char *dirs[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };

	for (size_t i = 0; i < 3; i++) {
		char name[4096];
		int fd, n;

		if (!dirs[i] || !*dirs[i])
			continue;
		fd = open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		n = snprintf(name, sizeof(name), "%s/krel-XXXXXX", dirs[i]);
		if (n < 0 || (size_t)n >= sizeof(name))
			continue;
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0) {
			unlink(name);
			return fd;
		}
	}
	return -1;
}

static enum krel_status unpack(const char *path, int in,
			       const struct codec *codec, int *out,
			       struct krel_error *err)
{
	struct unpack *u = malloc(sizeof(*u));
	enum krel_status st;
	int fd;

	if (!u)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	fd = temporary();
	if (fd < 0) {
		free(u);
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: no folder for its unpacked copy: %s: set TMPDIR",
			path, strerror(errno));
	}
	u->path = path;
	u->in = in;
	u->out = fd;
	u->written = 0;
	st = codec->run(u, err);
	free(u);
	if (st == KREL_OK)
		*out = fd;
	else
		close(fd);
	return st;
}

enum krel_status krel_unpack_open(const char *path, int *fd,
				  struct krel_error *err)
{
	int in = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const struct codec *codec;
	enum krel_status st;
	struct stat sb;

	if (in < 0)
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: cannot open: %s", path, strerror(errno));
	if (fstat(in, &sb) != 0 || !S_ISREG(sb.st_mode)) {
		close(in);
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: expected a regular file", path);
	}
	codec = codec_of(in);
	if (!codec) {
		*fd = in;
		return KREL_OK;
	}
	st = unpack(path, in, codec, fd, err);
	close(in);
	return st;
}
