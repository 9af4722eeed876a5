// SPDX-License-Identifier: GPL-2.0-or-later
/* LiME: ranges with a header each, whole, cut and contradicting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image.h"

#define RANGE	0x2000u
#define FILE_SIZE	(2 * (32 + RANGE))

static void put(uint8_t *to, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		to[i] = (uint8_t)(v >> (8 * i));
}

static void header(uint8_t *to, uint64_t first, uint64_t last)
{
	memset(to, 0, 32);
	put(to, 0x4c694d45, 4);
	put(to + 4, 1, 4);
	put(to + 8, first, 8);
	put(to + 16, last, 8);
}

/* Two ranges, the higher one first; bytes of a range are all its number. */
static void make(uint8_t *file)
{
	header(file, 0x100000, 0x100000 + RANGE - 1);
	memset(file + 32, 1, RANGE);
	header(file + 32 + RANGE, 0x4000, 0x4000 + RANGE - 1);
	memset(file + 64 + RANGE, 2, RANGE);
}

static enum krel_status open_mem(const uint8_t *file, size_t len,
				 struct krel_image **img,
				 struct krel_error *err)
{
	struct krel_file *f;

	assert_int_equal(krel_file_mem(file, len, "test", &f, err), KREL_OK);
	return krel_image_open_file(f, NULL, img, err);
}

static void test_reads_ranges(void **state)
{
	uint8_t file[FILE_SIZE], byte[2];
	struct krel_error err = { "" };
	struct krel_image *img;
	struct krel_range r;

	(void)state;
	make(file);
	assert_int_equal(open_mem(file, sizeof(file), &img, &err), KREL_OK);
	assert_string_equal(img->facts.format, "LiME");
	assert_int_equal(krel_image_read(img, 0x4000, byte, 2, &err), KREL_OK);
	assert_int_equal(byte[0], 2);
	assert_int_equal(krel_image_read(img, 0x101ffe, byte, 2, &err),
			 KREL_OK);
	assert_int_equal(byte[1], 1);
	/* Between the ranges, and across the end of one, is no memory. */
	assert_int_equal(krel_image_read(img, 0x8000, byte, 2, &err),
			 KREL_ABSENT);
	assert_int_equal(krel_image_read(img, 0x101fff, byte, 2, &err),
			 KREL_ABSENT);
	assert_int_equal(krel_image_next(img, 0, &r), KREL_OK);
	assert_int_equal(r.pa, 0x4000);
	assert_int_equal(r.size, RANGE);
	assert_int_equal(krel_image_next(img, 0x6000, &r), KREL_OK);
	assert_int_equal(r.pa, 0x100000);
	assert_int_equal(krel_image_next(img, 0x102000, &r), KREL_ABSENT);
	krel_image_close(img);
}

/* Cut at any byte: what is there reads right, the rest is not "absent". */
static void test_cut_anywhere(void **state)
{
	struct krel_error err = { "" };
	uint8_t file[FILE_SIZE], byte;

	(void)state;
	make(file);
	for (size_t len = 4; len < sizeof(file); len += 7) {
		struct krel_image *img = NULL;
		enum krel_status st = open_mem(file, len, &img, &err);

		if (st != KREL_OK) {
			assert_true(len <= 32);
			continue;
		}
		st = krel_image_read(img, 0x100000 + RANGE - 1, &byte, 1,
				     &err);
		if (len >= 32 + RANGE)
			assert_true(st == KREL_OK && byte == 1);
		else
			assert_int_equal(st, KREL_UNREADABLE);
		krel_image_close(img);
	}
}

static void refuses(uint8_t *file)
{
	struct krel_image *img = NULL;
	struct krel_error err = { "" };

	assert_int_equal(open_mem(file, FILE_SIZE, &img, &err), KREL_CORRUPT);
	assert_non_null(strstr(err.text, "test: "));
	assert_null(img);
}

static void test_bad_headers(void **state)
{
	uint8_t file[FILE_SIZE];

	(void)state;
	make(file);
	header(file, 0x2000, 0x1fff);		/* ends before it begins */
	refuses(file);
	header(file, 1, UINT64_MAX);		/* its end overflows */
	refuses(file);
	/* Beyond what an x86 can address: a walk there would never end. */
	header(file, UINT64_MAX - 0x7ff, UINT64_MAX - 1);
	refuses(file);
	header(file, 0, UINT64_C(1) << 52);
	refuses(file);
	make(file);
	put(file + 4, 3, 4);			/* no such version */
	refuses(file);
	make(file);
	file[32 + RANGE] ^= 1;			/* second header's magic */
	refuses(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_ranges),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_bad_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
