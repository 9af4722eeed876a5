// SPDX-License-Identifier: GPL-2.0-or-later
/* Compressed files, written with the libraries' own encoders. */
#include "bytes_out.h"

#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "unpack.h"

/* Text that compresses, but is not all alike. */
static struct bytes sample(size_t len)
{
	struct bytes b = { 0 };
	char line[64];

	for (unsigned int i = 0; b.len < len; i++) {
		snprintf(line, sizeof(line), "%08x T symbol_%u\n", i * 16, i);
		bytes_text(&b, line);
	}
	b.len = len;
	return b;
}

static void put_gzip(struct bytes *out, const uint8_t *p, size_t len)
{
	uLong room = compressBound(len) + 64;
	z_stream s = { 0 };

	assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
				      Z_DEFAULT_STRATEGY), Z_OK);
	bytes_pad(out, out->len + room);
	out->len -= room;
	s.next_in = (Bytef *)(uintptr_t)p;
	s.avail_in = (uInt)len;
	s.next_out = out->p + out->len;
	s.avail_out = (uInt)room;
	assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
	out->len += s.total_out;
	deflateEnd(&s);
}

static void put_xz(struct bytes *out, const uint8_t *p, size_t len)
{
	size_t room = lzma_stream_buffer_bound(len), pos = 0;

	bytes_pad(out, out->len + room);
	out->len -= room;
	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, p,
						 len, out->p + out->len, &pos,
						 room), LZMA_OK);
	out->len += pos;
}

static void put_zstd(struct bytes *out, const uint8_t *p, size_t len)
{
	size_t room = ZSTD_compressBound(len);
	size_t n;

	bytes_pad(out, out->len + room);
	out->len -= room;
	n = ZSTD_compress(out->p + out->len, room, p, len, 3);
	assert_false(ZSTD_isError(n));
	out->len += n;
}

typedef void encoder(struct bytes *out, const uint8_t *p, size_t len);

static encoder *const encoders[] = { put_gzip, put_xz, put_zstd };

static enum krel_status unpack(const struct bytes *packed, struct bytes *got,
			       struct krel_error *err)
{
	char *path = bytes_to_file(packed), chunk[4096];
	enum krel_status st;
	off_t at = 0;
	ssize_t n;
	int fd = -1;

	st = krel_unpack_open(path, &fd, err);
	while (st == KREL_OK && (n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		bytes_put(got, chunk, (size_t)n);
		at += n;
	}
	if (st == KREL_OK)
		close(fd);
	else
		assert_int_equal(fd, -1);
	unlink(path);
	free(path);
	return st;
}

static void gives(const struct bytes *packed, const struct bytes *want)
{
	struct krel_error err = { "" };
	struct bytes got = { 0 };
	enum krel_status st = unpack(packed, &got, &err);

	if (st != KREL_OK)
		fail_msg("%s", err.text);
	assert_int_equal(got.len, want->len);
	assert_memory_equal(got.p, want->p, want->len);
	bytes_free(&got);
}

static void plain_stays_plain(void **state)
{
	struct bytes plain = sample(1000), tiny = sample(3);

	(void)state;
	gives(&plain, &plain);
	gives(&tiny, &tiny);
	bytes_free(&plain);
	bytes_free(&tiny);
}

/* Sizes around the buffers' (256 KiB), and one of many buffers. */
static void round_trips(void **state)
{
	static const size_t size[] = {
		1, 4096, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 3000000,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
		struct bytes plain = sample(size[i]);

		for (size_t c = 0; c < 3; c++) {
			struct bytes packed = { 0 };

			encoders[c](&packed, plain.p, plain.len);
			gives(&packed, &plain);
			bytes_free(&packed);
		}
		bytes_free(&plain);
	}
}

/* Parts one after another are one file: pigz, xz -T, zstd of parts. */
static void many_frames_are_one_file(void **state)
{
	struct bytes plain = sample(700000);

	(void)state;
	for (size_t c = 0; c < 3; c++) {
		struct bytes packed = { 0 };

		encoders[c](&packed, plain.p, 300000);
		encoders[c](&packed, plain.p + 300000, 1);
		encoders[c](&packed, plain.p + 300001, plain.len - 300001);
		gives(&packed, &plain);
		bytes_free(&packed);
	}
	bytes_free(&plain);
}

/*
 * The last block is decoded whole, and does not fit what is left of the
 * buffer: all is read then, and not yet all written.
 */
static void zstd_with_odd_blocks(void **state)
{
	static const size_t part[] = { 200000, 112144 };
	struct bytes plain = sample(312144), packed = { 0 };
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	ZSTD_outBuffer out;
	size_t at = 0;

	(void)state;
	bytes_pad(&packed, ZSTD_compressBound(plain.len) + 4096);
	out = (ZSTD_outBuffer){ packed.p, packed.len, 0 };
	for (size_t i = 0; i < 2; i++) {
		ZSTD_inBuffer in = { plain.p + at, part[i], 0 };

		assert_int_equal(ZSTD_compressStream2(ctx, &out, &in, i == 1 ?
						      ZSTD_e_end :
						      ZSTD_e_flush), 0);
		at += part[i];
	}
	packed.len = out.pos;
	gives(&packed, &plain);
	ZSTD_freeCCtx(ctx);
	bytes_free(&packed);
	bytes_free(&plain);
}

/* Cut anywhere it is damage, not a shorter file. */
static void truncated_is_corrupt(void **state)
{
	struct bytes plain = sample(20000);

	(void)state;
	for (size_t c = 0; c < 3; c++) {
		struct bytes packed = { 0 };
		size_t whole;

		encoders[c](&packed, plain.p, plain.len);
		whole = packed.len;
		for (packed.len = 6; packed.len < whole; packed.len += 13) {
			struct krel_error err = { "" };
			struct bytes got = { 0 };

			assert_int_equal(unpack(&packed, &got, &err),
					 KREL_CORRUPT);
			assert_non_null(strstr(err.text, "krel-test-"));
		}
		bytes_free(&packed);
	}
	bytes_free(&plain);
}

static void damage_is_corrupt(void **state)
{
	struct bytes plain = sample(20000);

	(void)state;
	for (size_t c = 0; c < 3; c++) {
		struct bytes packed = { 0 }, got = { 0 };
		struct krel_error err = { "" };

		encoders[c](&packed, plain.p, plain.len);
		memset(packed.p + packed.len / 2, 0x55, 16);
		assert_int_equal(unpack(&packed, &got, &err), KREL_CORRUPT);
		bytes_free(&packed);
		bytes_free(&got);
	}
	bytes_free(&plain);
}

static void other_kinds_of_file(void **state)
{
	struct krel_error err = { "" };
	int fd = -1;

	(void)state;
	assert_int_equal(krel_unpack_open("/nonexistent/vmlinux", &fd, &err),
			 KREL_UNREADABLE);
	assert_non_null(strstr(err.text, "/nonexistent/vmlinux"));
	assert_int_equal(krel_unpack_open("/tmp", &fd, &err),
			 KREL_UNREADABLE);
	assert_int_equal(krel_unpack_open("/dev/zero", &fd, &err),
			 KREL_UNREADABLE);
	assert_int_equal(fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_stays_plain),
		cmocka_unit_test(round_trips),
		cmocka_unit_test(many_frames_are_one_file),
		cmocka_unit_test(zstd_with_odd_blocks),
		cmocka_unit_test(truncated_is_corrupt),
		cmocka_unit_test(damage_is_corrupt),
		cmocka_unit_test(other_kinds_of_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
