// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages that decompress, and above all those that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mkkdump.h"
#include "pagecodec.h"

static const uint32_t methods[] = {
	KREL_PAGE_ZLIB, KREL_PAGE_LZO, KREL_PAGE_SNAPPY, KREL_PAGE_ZSTD,
};

#define NR_METHODS	(sizeof(methods) / sizeof(methods[0]))
#define ROOM		(4 * MK_PAGE)

static struct krel_pagecodec *open_codec(void)
{
	struct krel_pagecodec *c = NULL;

	assert_int_equal(krel_pagecodec_open(&c, NULL), KREL_OK);
	return c;
}

/* Half text and half noise: every method has matches and literals in it. */
static void mixed_page(uint64_t pfn, uint8_t out[static MK_PAGE])
{
	uint8_t noise[MK_PAGE];

	mk_page(pfn, MK_TEXT, out);
	mk_page(pfn, MK_NOISE, noise);
	memcpy(out + MK_PAGE / 2, noise, MK_PAGE / 2);
}

/*
 * Expand from and into buffers of exactly the stated size, so that a
 * sanitizer sees every byte too many.
 */
static enum krel_status expand(struct krel_pagecodec *c, uint32_t method,
			       const uint8_t *in, size_t len,
			       uint8_t page[static MK_PAGE],
			       struct krel_error *err)
{
	uint8_t *tight = malloc(len ? len : 1);
	uint8_t *out = malloc(MK_PAGE);
	enum krel_status st;

	assert_non_null(tight);
	assert_non_null(out);
	memcpy(tight, in, len);
	st = krel_pagecodec_expand(c, method, tight, len, out, MK_PAGE, err);
	memcpy(page, out, MK_PAGE);
	free(tight);
	free(out);
	return st;
}

static void test_round_trip(void **state)
{
	struct krel_pagecodec *c = open_codec();
	uint8_t page[MK_PAGE], got[MK_PAGE], packed[ROOM];

	(void)state;
	/* The methods take turns in one codec: their states do not mix. */
	for (uint64_t pfn = 0; pfn < 64; pfn++) {
		uint32_t m = methods[pfn % NR_METHODS];
		size_t len;

		mixed_page(pfn, page);
		len = mk_compress(m, page, MK_PAGE, packed, ROOM);
		assert_true(len > 0);
		assert_int_equal(expand(c, m, packed, len, got, NULL),
				 KREL_OK);
		assert_memory_equal(got, page, MK_PAGE);
	}
	krel_pagecodec_close(c);
}

/* A cut page is an error at every length, and the next page is still good. */
static void test_cut(void **state)
{
	struct krel_pagecodec *c = open_codec();
	uint8_t page[MK_PAGE], got[MK_PAGE], packed[ROOM];

	(void)state;
	mixed_page(7, page);
	for (unsigned int i = 0; i < NR_METHODS; i++) {
		size_t len = mk_compress(methods[i], page, MK_PAGE, packed,
					 ROOM);

		for (size_t cut = 0; cut < len; cut++) {
			struct krel_error err = { "" };

			assert_int_equal(expand(c, methods[i], packed, cut,
						got, &err), KREL_CORRUPT);
			assert_non_null(strstr(err.text,
				krel_pagecodec_name(methods[i])));
		}
		assert_int_equal(expand(c, methods[i], packed, len, got,
					NULL), KREL_OK);
		assert_memory_equal(got, page, MK_PAGE);
	}
	krel_pagecodec_close(c);
}

static void test_bytes_behind(void **state)
{
	struct krel_pagecodec *c = open_codec();
	uint8_t page[MK_PAGE], got[MK_PAGE], packed[ROOM];

	(void)state;
	mixed_page(7, page);
	for (unsigned int i = 0; i < NR_METHODS; i++) {
		size_t len = mk_compress(methods[i], page, MK_PAGE, packed,
					 ROOM);

		packed[len] = 0x5a;
		assert_int_equal(expand(c, methods[i], packed, len + 1, got,
					NULL), KREL_CORRUPT);
	}
	krel_pagecodec_close(c);
}

/* Anything but a whole page is not a page. */
static void test_other_lengths(void **state)
{
	static const size_t lengths[] = { 0, 1, MK_PAGE - 1, MK_PAGE + 1,
					  2 * MK_PAGE };
	struct krel_pagecodec *c = open_codec();
	uint8_t data[2 * MK_PAGE], got[MK_PAGE], packed[ROOM];

	(void)state;
	mk_page(1, MK_TEXT, data);
	mk_page(2, MK_TEXT, data + MK_PAGE);
	for (unsigned int i = 0; i < NR_METHODS; i++)
		for (unsigned int k = 0; k < 5; k++) {
			size_t len = mk_compress(methods[i], data, lengths[k],
						 packed, ROOM);

			assert_true(len > 0);
			assert_int_equal(expand(c, methods[i], packed, len,
						got, NULL), KREL_CORRUPT);
		}
	krel_pagecodec_close(c);
}

/* zlib carries a checksum: damage never gives another page. */
static void test_flipped_bits(void **state)
{
	struct krel_pagecodec *c = open_codec();
	uint8_t page[MK_PAGE], got[MK_PAGE], packed[ROOM];
	unsigned int refused = 0;

	(void)state;
	mk_page(3, MK_TEXT, page);
	for (unsigned int i = 0; i < NR_METHODS; i++) {
		size_t len = mk_compress(methods[i], page, MK_PAGE, packed,
					 ROOM);

		for (size_t bit = 0; bit < len * 8; bit++) {
			enum krel_status st;

			packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
			st = expand(c, methods[i], packed, len, got, NULL);
			packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (st != KREL_OK)
				assert_int_equal(st, KREL_CORRUPT);
			refused += st != KREL_OK;
			if (st == KREL_OK && methods[i] == KREL_PAGE_ZLIB)
				assert_memory_equal(got, page, MK_PAGE);
		}
	}
	assert_true(refused > 0);
	krel_pagecodec_close(c);
}

static void test_no_such_method(void **state)
{
	static const uint32_t bad[] = { 0, 3, 8, 0x10, 0x21, 0x40,
					UINT32_MAX };
	struct krel_pagecodec *c = open_codec();
	uint8_t got[MK_PAGE] = { 0 };

	(void)state;
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_null(krel_pagecodec_name(bad[i]));
		assert_int_equal(expand(c, bad[i], got, 16, got, NULL),
				 KREL_UNSUPPORTED);
	}
	krel_pagecodec_close(c);
	krel_pagecodec_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bytes_behind),
		cmocka_unit_test(test_other_lengths),
		cmocka_unit_test(test_flipped_bits),
		cmocka_unit_test(test_no_such_method),
	};

	return cmocka_run_group_tests_name("pagecodec", tests, NULL, NULL);
}
