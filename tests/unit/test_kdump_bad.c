// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump-compressed files that are cut, damaged, or not for us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image.h"
#include "mkkdump.h"
#include "pagecodec.h"

#define MAX_PFN		64u

/*
 * Pages 0 and 1 are text, 2 was filtered out, 3 is zero, 4 noise, and so on;
 * from 40 on there is nothing.
 */
static const uint8_t *kinds(void)
{
	static const uint8_t five[5] = { MK_TEXT, MK_TEXT, MK_FILTERED,
					 MK_ZERO, MK_NOISE };
	static uint8_t kind[MAX_PFN];

	for (unsigned int i = 0; i < 40; i++)
		kind[i] = five[i % 5];
	return kind;
}

static struct mkkdump usual(void)
{
	return (struct mkkdump){
		.is_64 = true,
		.version = 6,
		.method = KREL_PAGE_ZLIB,
		.nr_cpus = 1,
		.machine = "x86_64",
		.release = "6.1.0-test",
		.vmcoreinfo = "OSRELEASE=6.1.0-test\n",
		.kind = kinds(),
		.max_pfn = MAX_PFN,
	};
}

static enum krel_status open_len(const struct mk_buf *b, size_t len,
				 struct krel_image **out,
				 struct krel_error *err)
{
	struct krel_file *f;

	assert_int_equal(krel_file_mem(b->at, len, "bad.test", &f, NULL),
			 KREL_OK);
	return krel_image_open_file(f, "kdump", out, err);
}

/* It must not open; the line names the file and holds @text. */
static void refused(const struct mk_buf *b, enum krel_status want,
		    const char *text)
{
	struct krel_image *img = NULL;
	struct krel_error err = { "" };

	assert_int_equal(open_len(b, b->len, &img, &err), want);
	assert_null(img);
	assert_non_null(strstr(err.text, "bad.test"));
	if (!strstr(err.text, text))
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
}

static enum krel_status read_page(struct krel_image *img, uint64_t pfn,
				  uint8_t page[static MK_PAGE],
				  struct krel_error *err)
{
	return krel_image_read(img, pfn * MK_PAGE, page, MK_PAGE, err);
}

/* Page @pfn must not be read; the line names it and holds @text. */
static void unreadable(const struct mk_buf *b, uint64_t pfn,
		       enum krel_status want, const char *text)
{
	struct krel_image *img = NULL;
	struct krel_error err = { "" };
	uint8_t page[MK_PAGE];
	char where[32];

	assert_int_equal(open_len(b, b->len, &img, &err), KREL_OK);
	assert_int_equal(read_page(img, pfn, page, &err), want);
	snprintf(where, sizeof(where), "0x%llx",
		 (unsigned long long)(pfn * MK_PAGE));
	assert_non_null(strstr(err.text, "bad.test"));
	assert_non_null(strstr(err.text, where));
	if (!strstr(err.text, text))
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
	krel_image_close(img);
}

/* Pages are right, or they are not given. How many are given? */
static unsigned int true_pages(struct krel_image *img)
{
	uint8_t want[MK_PAGE], got[MK_PAGE];
	unsigned int n = 0;

	for (uint64_t pfn = 0; pfn < MAX_PFN; pfn++) {
		uint8_t kind = kinds()[pfn];

		if (read_page(img, pfn, got, NULL) != KREL_OK)
			continue;
		mk_page(pfn, kind, want);
		assert_memory_equal(got, want, MK_PAGE);
		n++;
	}
	return n;
}

static void check_cuts(const struct mkkdump *spec)
{
	struct mkkdump_file file;
	struct krel_image *img;
	unsigned int n = 0, all = 0;

	mkkdump_write(spec, &file);
	for (size_t len = 1; len <= file.buf.len; len++) {
		struct krel_error err = { "" };
		enum krel_status st;

		/* Every byte of headers and descriptors, some of the pages. */
		if (len > file.data + 100 && len % 97 != 0 &&
		    len != file.buf.len)
			continue;
		img = NULL;
		st = open_len(&file.buf, len, &img, &err);
		if (len < 8)
			assert_int_equal(st, KREL_NOT_MINE);
		else if (len < file.desc)
			assert_int_equal(st, KREL_UNREADABLE);
		else
			assert_int_equal(st, KREL_OK);
		if (st != KREL_OK) {
			assert_non_null(strstr(err.text, "bad.test"));
			continue;
		}
		all = true_pages(img);
		assert_true(all >= n);
		n = all;
		krel_image_close(img);
	}
	assert_int_equal(all, file.nr_desc);
	mk_buf_deinit(&file.buf);
}

/* Cut at every byte: a clear word, and never a wrong page. */
static void test_cut(void **state)
{
	struct mkkdump spec = usual();

	(void)state;
	check_cuts(&spec);
	spec.is_64 = false;
	spec.version = 3;
	spec.method = KREL_PAGE_SNAPPY;
	check_cuts(&spec);
}

static void test_cut_says_where(void **state)
{
	struct mkkdump spec = usual();
	struct mkkdump_file file;

	(void)state;
	mkkdump_write(&spec, &file);
	file.buf.len = file.data + MK_PAGE + 5;
	unreadable(&file.buf, 39, KREL_UNREADABLE, "file ends at 0x");
	file.buf.len = file.desc - 1;
	refused(&file.buf, KREL_UNREADABLE, "bitmaps up to");
	file.buf.len = 400;
	refused(&file.buf, KREL_UNREADABLE, "header");
	file.buf.len = MK_PAGE + 100;
	refused(&file.buf, KREL_UNREADABLE, "sub header");
	mk_buf_deinit(&file.buf);
}

static void test_bad_descriptors(void **state)
{
	static const struct {
		uint64_t off;		/* 0: as it was */
		uint32_t size, flags;
		enum krel_status st;
		const char *text;
	} row[] = {
		{ 0, 0, 1, KREL_CORRUPT, "1 to 4096 bytes" },
		{ 0, 4097, 1, KREL_CORRUPT, "1 to 4096 bytes" },
		{ 0, UINT32_MAX, 1, KREL_CORRUPT, "1 to 4096 bytes" },
		{ 0, 4095, 0, KREL_CORRUPT, "4096 bytes of plain data" },
		{ 0, 100, 8, KREL_CORRUPT, "zlib, lzo, snappy, zstd" },
		{ 0, 100, 3, KREL_CORRUPT, "zlib, lzo, snappy, zstd" },
		{ 0, 100, 1u << 31, KREL_CORRUPT, "zlib, lzo, snappy, zstd" },
		{ 0, 30, 2, KREL_CORRUPT, "lzo data" },
		{ 4096, 30, 1, KREL_CORRUPT, "behind the descriptors" },
		{ UINT64_MAX, 30, 1, KREL_CORRUPT, "inside of the dump" },
		{ 1u << 30, 30, 1, KREL_CORRUPT, "inside of the dump" },
		{ 250000, 30, 1, KREL_UNREADABLE, "file ends at" },
	};
	struct mkkdump spec = usual();

	(void)state;
	for (unsigned int i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct mkkdump_file file;
		size_t at;

		mkkdump_write(&spec, &file);
		/* The second descriptor is that of page 1. */
		at = file.desc + 24;
		if (row[i].off)
			mk_buf_le(&file.buf, at, row[i].off, 8);
		mk_buf_le(&file.buf, at + 8, row[i].size, 4);
		mk_buf_le(&file.buf, at + 12, row[i].flags, 4);
		unreadable(&file.buf, 1, row[i].st, row[i].text);
		mk_buf_deinit(&file.buf);
	}
}

/* When the disk was full the writer left descriptors empty. */
static void test_never_written(void **state)
{
	struct mkkdump spec = usual();
	struct mkkdump_file file;

	(void)state;
	mkkdump_write(&spec, &file);
	memset(file.buf.at + file.desc + 24, 0, 24);
	unreadable(&file.buf, 1, KREL_UNREADABLE, "incomplete");
	mk_buf_deinit(&file.buf);
}

static void test_headers_refused(void **state)
{
	static const struct {
		int field;		/* offset in the fields, */
		unsigned int len;	/* or -1: at this offset of the file */
		uint64_t value;
		enum krel_status st;
		const char *text;
	} row[] = {
		{ MK_BLOCK_SIZE, 4, 65536, KREL_UNSUPPORTED, "65536" },
		{ MK_BLOCK_SIZE, 4, 4095, KREL_CORRUPT, "4095" },
		{ MK_BLOCK_SIZE, 4, 0, KREL_CORRUPT, "block size" },
		{ MK_SUB_BLOCKS, 4, 0, KREL_CORRUPT, "damaged" },
		{ MK_SUB_BLOCKS, 4, UINT32_MAX, KREL_UNREADABLE, "bitmaps" },
		{ MK_BITMAP_BLOCKS, 4, 0, KREL_CORRUPT, "damaged" },
		{ MK_BITMAP_BLOCKS, 4, UINT32_MAX, KREL_UNREADABLE,
		  "bitmaps" },
		{ -1, 8, 7, KREL_UNSUPPORTED, "version 0 to 6, found 7" },
		{ -1, 8, 0xffffffff, KREL_UNSUPPORTED, "version" },
		{ -1, 12 + 260, 0x00343663, KREL_UNSUPPORTED, "c64" },
		{ -1, 4096 + 12, 1, KREL_UNSUPPORTED, "split" },
		/* VMCOREINFO: offset, size */
		{ -1, 4096 + 32, 12, KREL_CORRUPT, "VMCOREINFO" },
		{ -1, 4096 + 36, 0x80000000, KREL_CORRUPT, "VMCOREINFO" },
		{ -1, 4096 + 34, 0x100, KREL_UNREADABLE, "VMCOREINFO" },
		{ -1, 4096 + 44, 1, KREL_CORRUPT, "VMCOREINFO" },
		/* notes */
		{ -1, 4096 + 48, 5000, KREL_OK, "" },
		{ -1, 4096 + 60, 0x1000, KREL_OK, "" },
		/* page frames */
		{ -1, 4096 + 100, 1, KREL_CORRUPT, "bitmaps for 0x" },
		{ -1, 4096 + 100, 0x1000, KREL_CORRUPT, "2^40" },
	};
	struct mkkdump spec = usual();

	(void)state;
	for (unsigned int i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct mkkdump_file file;
		size_t at;

		mkkdump_write(&spec, &file);
		at = row[i].field < 0 ? row[i].len :
		     file.fields + (size_t)row[i].field;
		mk_buf_le(&file.buf, at, row[i].value, 4);
		if (row[i].st == KREL_OK)
			unreadable(&file.buf, 2, KREL_FILTERED, "filtered");
		else
			refused(&file.buf, row[i].st, row[i].text);
		mk_buf_deinit(&file.buf);
	}
}

static void test_notes_refused(void **state)
{
	static const uint8_t note[20];
	struct mkkdump spec = usual();
	struct mkkdump_file file;

	(void)state;
	spec.notes = note;
	spec.notes_len = sizeof(note);
	mkkdump_write(&spec, &file);
	mk_buf_le(&file.buf, mkkdump_sub_notes(&spec) + 8, 17u << 20, 8);
	refused(&file.buf, KREL_CORRUPT, "ELF notes");
	mk_buf_le(&file.buf, mkkdump_sub_notes(&spec) + 8, 15u << 20, 8);
	refused(&file.buf, KREL_UNREADABLE, "ELF notes");
	mk_buf_deinit(&file.buf);
}

/* No pages at all, by both counts. */
static void test_no_pages(void **state)
{
	struct mkkdump spec = usual();
	struct mkkdump_file file;

	(void)state;
	mkkdump_write(&spec, &file);
	mk_buf_le(&file.buf, file.fields + MK_MAX_MAPNR, 0, 4);
	mk_buf_le(&file.buf, mkkdump_sub_max_mapnr(&spec), 0, 8);
	refused(&file.buf, KREL_CORRUPT, "page frames");
	mk_buf_deinit(&file.buf);
}

/* One flipped bit anywhere in the headers: any answer, but no crash. */
static void test_flipped_headers(void **state)
{
	struct mkkdump spec = usual();
	struct mkkdump_file file;
	unsigned int opened = 0, refusals = 0;

	(void)state;
	mkkdump_write(&spec, &file);
	for (size_t bit = 0; bit < file.data * 8; bit++) {
		struct krel_image *img = NULL;
		struct krel_error err = { "" };
		uint8_t page[MK_PAGE];
		struct krel_range r;

		/* The padding of the blocks means nothing. */
		if (file.buf.at[bit / 8] == 0 && bit / 8 > 600 && bit % 131)
			continue;
		file.buf.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (open_len(&file.buf, file.buf.len, &img, &err) == KREL_OK) {
			opened++;
			for (uint64_t pfn = 0; pfn < MAX_PFN; pfn++)
				read_page(img, pfn, page, &err);
			krel_image_next(img, 0, &r);
			krel_image_close(img);
		} else {
			refusals++;
			assert_true(strlen(err.text) > 0);
		}
		file.buf.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_true(opened > 0 && refusals > 0);
	mk_buf_deinit(&file.buf);
}

/* zlib has a checksum: damaged pages are refused, never given. */
static void test_flipped_pages(void **state)
{
	struct mkkdump spec = usual();
	struct mkkdump_file file;

	(void)state;
	mkkdump_write(&spec, &file);
	/* The first page's data follows that of the zero page. */
	for (size_t bit = 0; bit < 64 * 8; bit++) {
		size_t at = file.data + MK_PAGE + bit / 8;
		struct krel_image *img = NULL;

		file.buf.at[at] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(open_len(&file.buf, file.buf.len, &img,
					  NULL), KREL_OK);
		assert_in_range(true_pages(img), file.nr_desc - 1,
				file.nr_desc);
		krel_image_close(img);
		file.buf.at[at] ^= (uint8_t)(1u << bit % 8);
	}
	mk_buf_deinit(&file.buf);
}

/* A failure is not remembered as a page, nor does it spoil others. */
static void test_after_a_failure(void **state)
{
	struct mkkdump spec = usual();
	struct krel_image *img = NULL;
	struct mkkdump_file file;
	uint8_t page[MK_PAGE];

	(void)state;
	mkkdump_write(&spec, &file);
	file.buf.at[file.data + MK_PAGE + 8] ^= 0xff;
	assert_int_equal(open_len(&file.buf, file.buf.len, &img, NULL),
			 KREL_OK);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(read_page(img, 0, page, NULL), KREL_CORRUPT);
		assert_int_equal(true_pages(img), file.nr_desc - 1);
	}
	krel_image_close(img);
	mk_buf_deinit(&file.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_says_where),
		cmocka_unit_test(test_bad_descriptors),
		cmocka_unit_test(test_never_written),
		cmocka_unit_test(test_headers_refused),
		cmocka_unit_test(test_notes_refused),
		cmocka_unit_test(test_no_pages),
		cmocka_unit_test(test_flipped_headers),
		cmocka_unit_test(test_flipped_pages),
		cmocka_unit_test(test_after_a_failure),
	};

	return cmocka_run_group_tests_name("kdump_bad", tests, NULL, NULL);
}
