// SPDX-License-Identifier: GPL-2.0-or-later
/* AVML: blocks of snappy streams, whole, cut and contradicting. */
#include "bytes_out.h"

#include <snappy-c.h>

/* The blocks of the file under test, in its order. */
#define FIRST	0x100000u
#define PACKED	0x10000u	/* its first chunk, */
#define STORED	0x400u		/* and its second */
#define NEXT	(FIRST + PACKED + STORED)
#define NEXT_SIZE	0x100u
#define LIME	0x4000u
#define LIME_SIZE	0x300u
#define LAST	0x200000u
#define LAST_SIZE	0x200u

/* Where its parts came to lie. */
struct layout {
	size_t packed, packed_end, stored, stored_end;	/* chunks, whole */
	size_t next, next_chunk_end, lime, last, last_chunk_end;
};

static uint8_t byte_at(uint64_t pa)
{
	return (uint8_t)(1 + (pa >> 5) + (pa >> 13));
}

static uint32_t crc32c(const uint8_t *p, size_t len)
{
	uint32_t v = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		v ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			v = (v >> 1) ^ (v & 1 ? 0x82f63b78u : 0);
	}
	return ~v;
}

static uint32_t masked(uint32_t crc)
{
	return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

static void put_chunk(struct bytes *b, uint8_t type, const void *data,
		      size_t len)
{
	bytes_le(b, type, 1);
	bytes_le(b, len, 3);
	bytes_put(b, data, len);
}

/* A chunk of the memory at @pa. */
static void put_memory(struct bytes *b, bool packed, uint64_t pa, size_t len)
{
	struct bytes plain = { 0 }, body = { 0 };
	size_t n = snappy_max_compressed_length(len);
	char *out = malloc(n);

	assert_non_null(out);
	for (size_t i = 0; i < len; i++)
		bytes_le(&plain, byte_at(pa + i), 1);
	bytes_le(&body, masked(crc32c(plain.p, len)), 4);
	assert_int_equal(snappy_compress((char *)plain.p, len, out, &n),
			 SNAPPY_OK);
	bytes_put(&body, packed ? out : (char *)plain.p, packed ? n : len);
	put_chunk(b, packed ? 0 : 1, body.p, body.len);
	free(out);
	bytes_free(&plain);
	bytes_free(&body);
}

static void put_header(struct bytes *b, const char *magic, uint64_t pa,
		       uint64_t size)
{
	bytes_put(b, magic, 4);
	bytes_le(b, magic[0] == 'A' ? 2 : 1, 4);
	bytes_le(b, pa, 8);
	bytes_le(b, pa + size - 1, 8);
	bytes_le(b, 0, 8);
}

static size_t begin_block(struct bytes *b, uint64_t pa, uint64_t size)
{
	size_t at = b->len;

	put_header(b, "AVML", pa, size);
	put_chunk(b, 0xff, "sNaPpY", 6);
	return at;
}

static void end_block(struct bytes *b, size_t at)
{
	bytes_le(b, b->len - at - 32, 8);
}

static void put_lime(struct bytes *b)
{
	put_header(b, "EMiL", LIME, LIME_SIZE);
	for (size_t i = 0; i < LIME_SIZE; i++)
		bytes_le(b, byte_at(LIME + i), 1);
}

static void make(struct bytes *b, struct layout *l)
{
	size_t at = begin_block(b, FIRST, PACKED + STORED);

	l->packed = b->len;
	put_memory(b, true, FIRST, PACKED);
	l->packed_end = b->len;
	put_chunk(b, 0xfe, "....", 4);
	put_chunk(b, 0x80, "", 0);
	put_chunk(b, 0xfd, "skipped", 7);
	put_chunk(b, 0xff, "sNaPpY", 6);
	put_memory(b, true, 0, 0);
	l->stored = b->len;
	put_memory(b, false, FIRST + PACKED, STORED);
	l->stored_end = b->len;	/* and the block's trailer */
	end_block(b, at);
	l->next = begin_block(b, NEXT, NEXT_SIZE);
	put_memory(b, true, NEXT, NEXT_SIZE);
	l->next_chunk_end = b->len;
	end_block(b, l->next);
	l->lime = b->len;
	put_lime(b);
	l->last = begin_block(b, LAST, LAST_SIZE);
	put_memory(b, true, LAST, LAST_SIZE);
	l->last_chunk_end = b->len;
	end_block(b, l->last);
}

static struct layout layout(void)
{
	struct bytes b = { 0 };
	struct layout l;

	make(&b, &l);
	bytes_free(&b);
	return l;
}

/* All of [pa, pa + len), in pieces that cross chunks. */
static void reads(struct krel_image *img, uint64_t pa, size_t len)
{
	uint8_t got[100];

	for (size_t off = 0; off < len; off += sizeof(got)) {
		size_t n = len - off < sizeof(got) ? len - off : sizeof(got);

		assert_int_equal(krel_image_read(img, pa + off, got, n, NULL),
				 KREL_OK);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(got[i], byte_at(pa + off + i));
	}
}

static void reads_blocks(void **state)
{
	struct bytes b = { 0 };
	struct krel_image *img;
	struct krel_range r;
	struct layout l;
	uint8_t byte[2];

	(void)state;
	assert_int_equal(crc32c((const uint8_t *)"123456789", 9), 0xe3069283);
	make(&b, &l);
	assert_int_equal(open_bytes(&b, NULL, &img, NULL), KREL_OK);
	assert_string_equal(img->facts.format, "AVML");
	reads(img, LAST, LAST_SIZE);
	reads(img, FIRST, PACKED + STORED + NEXT_SIZE);
	reads(img, LIME, LIME_SIZE);
	assert_int_equal(krel_image_read(img, LAST + LAST_SIZE - 1, byte, 2,
					 NULL), KREL_ABSENT);
	assert_int_equal(krel_image_read(img, 0, byte, 1, NULL), KREL_ABSENT);
	/* Blocks that follow each other are one range. */
	assert_int_equal(krel_image_next(img, 0, &r), KREL_OK);
	assert_true(r.pa == LIME && r.size == LIME_SIZE);
	assert_int_equal(krel_image_next(img, FIRST, &r), KREL_OK);
	assert_int_equal(r.size, PACKED + STORED + NEXT_SIZE);
	krel_image_close(img);
	bytes_free(&b);
}

/* More chunks than are cached, in any order. */
static void reads_many_chunks(void **state)
{
	const size_t nr = 50, len = 0x3000;
	struct bytes b = { 0 };
	struct krel_image *img;
	size_t at = begin_block(&b, FIRST, nr * len);

	(void)state;
	for (size_t i = 0; i < nr; i++)
		put_memory(&b, i % 3 != 0, FIRST + i * len, len);
	end_block(&b, at);
	assert_int_equal(open_bytes(&b, "avml", &img, NULL), KREL_OK);
	reads(img, FIRST, nr * len);
	for (size_t i = 0; i < nr * 20; i++)
		reads(img, FIRST + i * 7919 % (nr * len - 100), 100);
	krel_image_close(img);
	bytes_free(&b);
}

static void begins_with_lime(void **state)
{
	struct krel_image *img;
	struct bytes b = { 0 };
	size_t at;

	(void)state;
	put_lime(&b);
	assert_int_equal(open_bytes(&b, NULL, &img, NULL), KREL_OK);
	assert_string_equal(img->facts.format, "LiME");
	krel_image_close(img);
	assert_int_equal(open_bytes(&b, "avml", &img, NULL), KREL_NOT_MINE);
	at = begin_block(&b, LAST, LAST_SIZE);
	put_memory(&b, true, LAST, LAST_SIZE);
	end_block(&b, at);
	assert_int_equal(open_bytes(&b, NULL, &img, NULL), KREL_OK);
	assert_string_equal(img->facts.format, "AVML");
	reads(img, LIME, LIME_SIZE);
	reads(img, LAST, LAST_SIZE);
	krel_image_close(img);
	bytes_free(&b);
}

/* One byte of memory that is in the file when it has @need bytes or more. */
static void cut_read(struct krel_image *img, size_t len, uint64_t pa,
		     size_t need, bool looks_whole)
{
	enum krel_status st, lacks = looks_whole ? KREL_ABSENT :
						   KREL_UNREADABLE;
	uint8_t byte = 0;

	st = krel_image_read(img, pa, &byte, 1, NULL);
	assert_int_equal(st, len >= need ? KREL_OK : lacks);
	if (st == KREL_OK)
		assert_int_equal(byte, byte_at(pa));
}

/* Cut at any byte: what is there reads right, the rest is not "absent". */
static void cut_anywhere(void **state)
{
	struct bytes b = { 0 };
	struct layout l;

	(void)state;
	make(&b, &l);
	for (size_t len = b.len; len >= 4; len--) {
		/* Nothing tells that blocks are missing behind a block. */
		bool whole = len == l.next || len == l.lime ||
			     len == l.last || len == b.len;
		struct krel_image *img = NULL;
		struct bytes part = { b.p, len, len };
		enum krel_status st = open_bytes(&part, NULL, &img, NULL);

		if (len < l.packed_end) {
			assert_int_equal(st, KREL_UNREADABLE);
			continue;
		}
		assert_int_equal(st, KREL_OK);
		cut_read(img, len, FIRST, l.packed_end, whole);
		cut_read(img, len, FIRST + PACKED - 1, l.packed_end, whole);
		cut_read(img, len, FIRST + PACKED, l.stored_end, whole);
		cut_read(img, len, NEXT - 1, l.stored_end, whole);
		cut_read(img, len, NEXT, l.next_chunk_end, whole);
		for (size_t i = 0; i < LIME_SIZE; i += 0x7f)
			cut_read(img, len, LIME + i, l.lime + 32 + i + 1,
				 whole);
		cut_read(img, len, LAST, l.last_chunk_end, whole);
		krel_image_close(img);
	}
	bytes_free(&b);
}

/* Opens, but the chunk that holds @pa does not read; others do. */
static void does_not_read(const struct bytes *b, uint64_t pa, size_t chunk,
			  const char *says)
{
	struct krel_error err = { "" };
	struct krel_image *img;
	char where[80];
	uint8_t byte;

	snprintf(where, sizeof(where),
		 "memory at 0x%llx: test: snappy chunk at 0x%zx of the file: ",
		 (unsigned long long)pa, chunk);
	assert_int_equal(open_bytes(b, NULL, &img, NULL), KREL_OK);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(krel_image_read(img, pa, &byte, 1, &err),
				 KREL_CORRUPT);
		assert_memory_equal(err.text, where, strlen(where));
		assert_non_null(strstr(err.text, says));
	}
	reads(img, LAST, LAST_SIZE);
	krel_image_close(img);
}

static void bad_data(void **state)
{
	struct bytes b = { 0 };
	const uint8_t *crc;
	char expected[64];
	struct layout l;

	(void)state;
	make(&b, &l);
	b.p[l.packed + 4] ^= 1;			/* the CRC itself */
	does_not_read(&b, FIRST + 5, l.packed, "expected CRC-32C 0x");
	b.p[l.packed + 4] ^= 1;
	crc = b.p + l.stored + 4;
	snprintf(expected, sizeof(expected), "CRC-32C 0x%02x%02x%02x%02x",
		 crc[3], crc[2], crc[1], crc[0]);
	b.p[l.stored_end - 1] ^= 0x40;		/* a byte of memory */
	does_not_read(&b, NEXT - 1, l.stored, expected);
	does_not_read(&b, NEXT - STORED, l.stored, "found 0x");
	b.p[l.stored_end - 1] ^= 0x40;
	/* A copy from before the beginning. */
	memset(b.p + l.packed + 11, 0xfe, 4);
	does_not_read(&b, FIRST, l.packed, "snappy");
	bytes_free(&b);
}

/* With @width bytes at @at changed. */
static void refused_with(size_t at, uint64_t v, size_t width,
			 enum krel_status want, const char *says)
{
	struct krel_image *img = NULL;
	struct krel_error err = { "" };
	struct bytes b = { 0 };
	struct layout l;

	make(&b, &l);
	bytes_patch(&b, at, v, width);
	assert_int_equal(open_bytes(&b, NULL, &img, &err), want);
	assert_non_null(strstr(err.text, says));
	assert_memory_equal(err.text, "test: ", 6);
	assert_null(img);
	bytes_free(&b);
}

static void bad_headers(void **state)
{
	const struct layout l = layout();

	(void)state;
	refused_with(4, 1, 4, KREL_UNSUPPORTED, "expected version 2, found 1");
	refused_with(4, 3, 4, KREL_UNSUPPORTED, "expected version 2, found 3");
	refused_with(16, FIRST - 1, 8, KREL_CORRUPT, "expected a range");
	refused_with(16, UINT64_MAX, 8, KREL_CORRUPT, "expected a range");
	refused_with(24, 1, 8, KREL_CORRUPT, "expected zero");
	refused_with(l.next, 0, 4, KREL_CORRUPT, "expected the header");
	refused_with(l.lime + 4, 2, 4, KREL_UNSUPPORTED, "version 1, found 2");
	/* Lengths that disagree: the trailer's, and the range's. */
	refused_with(l.stored_end, 1, 8, KREL_CORRUPT, "expected 0x1 packed");
	refused_with(l.stored_end + 7, 1, 1, KREL_CORRUPT, "packed bytes");
	refused_with(16, FIRST + PACKED + STORED - 2, 8, KREL_CORRUPT,
		     "no more data than its block has left");
	refused_with(16, FIRST + PACKED - 1, 8, KREL_CORRUPT, "packed bytes");
}

static void bad_chunks(void **state)
{
	const struct layout l = layout();

	(void)state;
	refused_with(l.stored, 0x02, 1, KREL_CORRUPT, "found type 0x2");
	refused_with(l.stored, 0x7f, 1, KREL_CORRUPT, "found type 0x7f");
	refused_with(l.stored + 1, 3, 3, KREL_CORRUPT, "found a length of 0x3");
	refused_with(l.stored + 1, 0x10005, 3, KREL_CORRUPT,
		     "found a length of 0x10005");
	refused_with(l.packed + 1, 4, 3, KREL_CORRUPT, "found a length of 0x4");
	refused_with(l.packed + 1, 0xffffff, 3, KREL_CORRUPT,
		     "found a length of 0xffffff");
	/* 65537 as packed data states it, and what states nothing. */
	refused_with(l.packed + 8, 0x048081, 3, KREL_CORRUPT,
		     "found a stated length of 0x10001");
	refused_with(l.packed + 8, 0xffffffffff, 5, KREL_CORRUPT,
		     "expected data that states its length");
	refused_with(32, 0xfe, 1, KREL_CORRUPT, "a stream identifier first");
	refused_with(33, 5, 3, KREL_CORRUPT, "identifier of 6 bytes");
	refused_with(36, 'S', 1, KREL_CORRUPT, "sNaPpY");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_blocks),
		cmocka_unit_test(reads_many_chunks),
		cmocka_unit_test(begins_with_lime),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(bad_data),
		cmocka_unit_test(bad_headers),
		cmocka_unit_test(bad_chunks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
