// SPDX-License-Identifier: GPL-2.0-or-later
/* makedumpfile's flattened form, back to the plain file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "file.h"
#include "mkkdump.h"

static struct krel_file *mem_file(const struct mk_buf *b)
{
	struct krel_file *f = NULL;

	assert_int_equal(krel_file_mem(b->at, b->len, "flat.test", &f, NULL),
			 KREL_OK);
	return f;
}

static struct krel_file *unflatten(const struct mk_buf *b)
{
	struct krel_file *plain = NULL;

	assert_int_equal(krel_file_unflatten(mem_file(b), &plain, NULL),
			 KREL_OK);
	assert_true(plain->flattened);
	assert_string_equal(plain->path, "flat.test");
	return plain;
}

/* The status of a file that must not open; the text names the file. */
static enum krel_status refused(const struct mk_buf *b)
{
	struct krel_file *f = mem_file(b), *plain = NULL;
	struct krel_error err = { "" };
	enum krel_status st = krel_file_unflatten(f, &plain, &err);

	assert_int_not_equal(st, KREL_OK);
	assert_null(plain);
	if (st != KREL_NOT_MINE)
		assert_non_null(strstr(err.text, "flat.test"));
	krel_file_close(f);
	return st;
}

/* Compare the whole file, and pieces at each offset, with @want. */
static void check_content(struct krel_file *f, const uint8_t *want, size_t len)
{
	uint8_t *got = malloc(len + 1);

	assert_non_null(got);
	assert_int_equal(f->size, len);
	assert_int_equal(krel_file_read(f, 0, got, len, NULL), KREL_OK);
	assert_memory_equal(got, want, len);
	for (size_t off = 0; off < len; off += 7) {
		size_t n = len - off < 40 ? len - off : 40;

		assert_int_equal(krel_file_read(f, off, got, n, NULL),
				 KREL_OK);
		assert_memory_equal(got, want + off, n);
	}
	assert_int_equal(krel_file_read(f, len, got, 1, NULL),
			 KREL_UNREADABLE);
	free(got);
}

static void test_other_files(void **state)
{
	struct mk_buf b = { 0 };

	(void)state;
	mk_buf_put(&b, 0, "KDUMP   and so on, but not that", 31);
	assert_int_equal(refused(&b), KREL_NOT_MINE);
	b.len = 0;
	assert_int_equal(refused(&b), KREL_NOT_MINE);
	mk_buf_put(&b, 0, "makedumpfile is a tool, this a text", 35);
	assert_int_equal(refused(&b), KREL_NOT_MINE);
	mk_buf_deinit(&b);
}

static void test_orders(void **state)
{
	struct mk_buf plain = { 0 }, b = { 0 };
	struct krel_file *f;
	uint8_t page[MK_PAGE];

	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		mk_page(i, MK_NOISE, page);
		mk_buf_put(&plain, plain.len, page, (size_t)(1000 + i));
	}
	for (size_t chunk = 1; chunk < 6000; chunk = chunk * 3 + 1) {
		mk_buf_deinit(&b);
		mkflat_reversed(&b, &plain, chunk);
		f = unflatten(&b);
		check_content(f, plain.at, plain.len);
		krel_file_close(f);
	}
	mk_buf_deinit(&b);
	mk_buf_deinit(&plain);
}

/* A small gap was seeked over and is zero; a large one was never written. */
static void test_holes(void **state)
{
	struct mk_buf b = { 0 };
	struct krel_error err = { "" };
	struct krel_file *f;
	uint8_t got[16];

	(void)state;
	mkflat_start(&b);
	mkflat_record(&b, 100, "abcd", 4);
	mkflat_record(&b, 4096, "efgh", 4);
	mkflat_record(&b, 1 << 20, "ijkl", 4);
	mkflat_end(&b);
	f = unflatten(&b);
	assert_int_equal(f->size, (1 << 20) + 4);
	assert_int_equal(krel_file_read(f, 92, got, 16, NULL), KREL_OK);
	assert_memory_equal(got, "\0\0\0\0\0\0\0\0abcd\0\0\0\0", 16);
	assert_int_equal(krel_file_read(f, 4090, got, 10, NULL), KREL_OK);
	assert_memory_equal(got, "\0\0\0\0\0\0efgh", 10);
	assert_int_equal(krel_file_read(f, 4096, got, 5, &err),
			 KREL_UNREADABLE);
	assert_non_null(strstr(err.text, "0x1004"));
	assert_int_equal(krel_file_read(f, (1 << 20) - 1, got, 2, NULL),
			 KREL_UNREADABLE);
	assert_int_equal(krel_file_read(f, 1 << 20, got, 4, NULL), KREL_OK);
	assert_memory_equal(got, "ijkl", 4);
	krel_file_close(f);
	mk_buf_deinit(&b);
}

/* Records may overwrite earlier ones in any way: the later one wins. */
static void test_later_wins(void **state)
{
	uint64_t x = 88172645463325252u;
	uint8_t want[600], bytes[600];

	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		unsigned int nr = 1 + round % 12;
		struct mk_buf b = { 0 };
		struct krel_file *f;
		size_t size = 0;

		memset(want, 0, sizeof(want));
		mkflat_start(&b);
		for (unsigned int i = 0; i < nr; i++) {
			size_t off, len;

			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			off = (size_t)(x % 400);
			len = 1 + (size_t)((x >> 16) % ((x >> 8) % 2 ? 200 : 9));
			memset(bytes, (int)(i + 1), len);
			memcpy(want + off, bytes, len);
			mkflat_record(&b, off, bytes, len);
			if (off + len > size)
				size = off + len;
		}
		mkflat_end(&b);
		f = unflatten(&b);
		check_content(f, want, size);
		krel_file_close(f);
		mk_buf_deinit(&b);
	}
}

/*
 * Cut at every byte. Without an end mark what is there counts, and nothing
 * that is not there is ever made up.
 */
static void test_cut(void **state)
{
	struct mk_buf b = { 0 };
	size_t full;

	(void)state;
	mkflat_start(&b);
	mkflat_record(&b, 0, "0123456789", 10);
	mkflat_record(&b, 10, "abcdefghij", 10);
	mkflat_end(&b);
	full = b.len;
	for (b.len = 0; b.len <= full; b.len++) {
		size_t first = b.len < 4112 ? 0 : b.len - 4112;
		size_t second = b.len < 4138 ? 0 : b.len - 4138;
		struct krel_file *f;

		first = first > 10 ? 10 : first;
		second = second > 10 ? 10 : second;
		if (b.len < 16) {
			assert_int_equal(refused(&b), KREL_NOT_MINE);
		} else if (b.len < 4112) {
			assert_int_equal(refused(&b), KREL_UNREADABLE);
		} else if (first == 0) {
			assert_int_equal(refused(&b), KREL_CORRUPT);
		} else {
			f = unflatten(&b);
			check_content(f, (const uint8_t *)
				      "0123456789abcdefghij", first + second);
			krel_file_close(f);
		}
	}
	mk_buf_deinit(&b);
}

static void test_after_the_end_mark(void **state)
{
	struct mk_buf b = { 0 };
	struct krel_file *f;

	(void)state;
	mkflat_start(&b);
	mkflat_record(&b, 0, "good", 4);
	mkflat_end(&b);
	mkflat_record(&b, 0, "evil", 4);
	f = unflatten(&b);
	check_content(f, (const uint8_t *)"good", 4);
	krel_file_close(f);
	mk_buf_deinit(&b);
}

static void test_bad_records(void **state)
{
	static const struct { uint64_t off, size; } bad[] = {
		{ UINT64_MAX, 4 }, { 0, UINT64_MAX }, { 1ull << 63, 4 },
		{ 0, 1ull << 63 }, { INT64_MAX, 4 }, { INT64_MAX - 3, 5 },
		{ 1, INT64_MAX },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mk_buf b = { 0 };

		mkflat_start(&b);
		mkflat_record(&b, 0, "data", 4);
		mkflat_record(&b, bad[i].off, "", 0);
		for (unsigned int k = 0; k < 8; k++)
			b.at[b.len - 8 + k] =
				(uint8_t)(bad[i].size >> 8 * (7 - k));
		assert_int_equal(refused(&b), KREL_CORRUPT);
		mk_buf_deinit(&b);
	}
}

static void test_bad_header(void **state)
{
	struct mk_buf b = { 0 };

	(void)state;
	mkflat_start(&b);
	mkflat_record(&b, 0, "data", 4);
	b.at[23] = 2;
	assert_int_equal(refused(&b), KREL_CORRUPT);
	b.at[23] = 1;
	b.at[31] = 2;
	assert_int_equal(refused(&b), KREL_CORRUPT);
	b.at[31] = 1;
	krel_file_close(unflatten(&b));
	/* Nothing but an end mark: not even an empty file. */
	b.len = MK_PAGE;
	mkflat_end(&b);
	assert_int_equal(refused(&b), KREL_CORRUPT);
	mk_buf_deinit(&b);
}

/* The index costs the record headers, not what is between them. */
static void test_cost(void **state)
{
	struct mk_buf plain = { 0 }, b = { 0 };
	uint8_t page[MK_PAGE];
	struct krel_file *f;

	(void)state;
	for (uint64_t i = 0; i < 256; i++) {
		mk_page(i, MK_NOISE, page);
		mk_buf_put(&plain, plain.len, page, MK_PAGE);
	}
	mkflat_reversed(&b, &plain, 16384);
	f = unflatten(&b);
	assert_in_range(f->bytes_read, 65 * 16, 65 * 16 + 1024);
	check_content(f, plain.at, plain.len);
	assert_true(f->bytes_read > plain.len);
	krel_file_close(f);
	mk_buf_deinit(&b);
	mk_buf_deinit(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_later_wins),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_after_the_end_mark),
		cmocka_unit_test(test_bad_records),
		cmocka_unit_test(test_bad_header),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests_name("flat", tests, NULL, NULL);
}
