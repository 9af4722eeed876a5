// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump-compressed files that are as they should be. */
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

#define VMCOREINFO	"OSRELEASE=6.1.0-test\nPAGESIZE=4096\n"
#define MAX_PFN		70001u		/* three blocks of bitmap */

/* Every kind of page, alone and in rows, at both ends and over the blocks. */
static const uint8_t *kinds(void)
{
	static uint8_t kind[MAX_PFN];

	memset(kind, MK_ABSENT, sizeof(kind));
	for (uint32_t i = 0; i < 300; i++)
		kind[i] = (uint8_t)(i * 7 / 3 % 5);
	memset(kind + 1000, MK_FILTERED, 500);
	memset(kind + 1200, MK_TEXT, 30);
	memset(kind + 32760, MK_TEXT, 20);
	memset(kind + 65530, MK_ZERO, 10);
	kind[66000] = MK_NOISE;
	kind[MAX_PFN - 1] = MK_TEXT;
	return kind;
}

static struct mkkdump usual(void)
{
	return (struct mkkdump){
		.is_64 = true,
		.version = 6,
		.method = KREL_PAGE_ZLIB,
		.nr_cpus = 3,
		.machine = "x86_64",
		.release = "6.1.0-test",
		.vmcoreinfo = VMCOREINFO,
		.kind = kinds(),
		.max_pfn = MAX_PFN,
	};
}

static struct krel_image *open_buf(const struct mk_buf *b)
{
	struct krel_image *img = NULL;
	struct krel_error err = { "" };
	struct krel_file *f;

	assert_int_equal(krel_file_mem(b->at, b->len, "k.test", &f, NULL),
			 KREL_OK);
	if (krel_image_open_file(f, NULL, &img, &err) != KREL_OK)
		fail_msg("%s", err.text);
	return img;
}

static enum krel_status want_status(uint8_t kind)
{
	return kind == MK_ABSENT ? KREL_ABSENT :
	       kind == MK_FILTERED ? KREL_FILTERED : KREL_OK;
}

static void check_page(struct krel_image *img, uint64_t pfn, uint8_t kind)
{
	uint8_t want[MK_PAGE], got[MK_PAGE];
	struct krel_error err = { "" };
	enum krel_status st = krel_image_read(img, pfn * MK_PAGE, got, MK_PAGE,
					      &err);

	assert_int_equal(st, want_status(kind));
	if (st == KREL_OK) {
		mk_page(pfn, kind, want);
		assert_memory_equal(got, want, MK_PAGE);
	} else {
		assert_non_null(strstr(err.text, "k.test"));
	}
}

static void check_pages(struct krel_image *img, const uint8_t *kind,
			uint64_t step)
{
	uint64_t pfn = 0;

	/* The step shares no factor with MAX_PFN: each page comes once. */
	for (uint64_t i = 0; i < MAX_PFN; i++) {
		check_page(img, pfn, kind[pfn]);
		pfn = (pfn + step) % MAX_PFN;
	}
	check_page(img, MAX_PFN, MK_ABSENT);
	check_page(img, UINT64_MAX / MK_PAGE, MK_ABSENT);
}

/* Ranges name what can be read, all of it, once, and nothing else. */
static void check_ranges(struct krel_image *img, const uint8_t *kind)
{
	struct krel_range r;
	uint64_t pa = 0;

	while (krel_image_next(img, pa, &r) == KREL_OK) {
		assert_true(r.pa >= pa && r.size > 0);
		for (; pa < r.pa; pa += MK_PAGE)
			assert_int_not_equal(want_status(kind[pa / MK_PAGE]),
					     KREL_OK);
		for (; pa < r.pa + r.size; pa += MK_PAGE)
			assert_int_equal(want_status(kind[pa / MK_PAGE]),
					 KREL_OK);
	}
	assert_int_equal(pa, (uint64_t)MAX_PFN * MK_PAGE);
}

static void put_prstatus(struct mk_buf *b, size_t size)
{
	uint8_t desc[336] = { 0 };

	mk_note(b, "CORE", 1, desc, size);
}

static void check_version(struct mkkdump *spec, bool flattened)
{
	struct mk_buf notes = { 0 }, flat = { 0 };
	struct mkkdump_file file;
	struct krel_image *img;

	for (unsigned int i = 0; i < 5; i++)
		put_prstatus(&notes, spec->is_64 ? 336 : 144);
	spec->notes = notes.at;
	spec->notes_len = notes.len;
	mkkdump_write(spec, &file);
	if (flattened)
		mkflat_reversed(&flat, &file.buf, 5000);
	img = open_buf(flattened ? &flat : &file.buf);

	assert_string_equal(img->facts.format, "kdump-compressed");
	assert_string_equal(img->facts.release, "6.1.0-test");
	assert_int_equal(img->facts.arch, spec->is_64 ? KREL_ARCH_X86_64 :
						       KREL_ARCH_I386);
	/* The header counts three, the notes (since version 4) five. */
	assert_int_equal(img->facts.ncpus, spec->version >= 4 ? 5 : 3);
	if (spec->version >= 3)
		assert_string_equal(img->facts.vmcoreinfo, VMCOREINFO);
	else
		assert_null(img->facts.vmcoreinfo);
	check_pages(img, spec->kind, flattened ? 1 : 12343);
	check_ranges(img, spec->kind);

	krel_image_close(img);
	mk_buf_deinit(&file.buf);
	mk_buf_deinit(&flat);
	mk_buf_deinit(&notes);
}

static void test_versions(void **state)
{
	struct mkkdump spec = usual();

	(void)state;
	for (unsigned int i = 0; i < 2 * 2 * 7; i++) {
		spec.is_64 = i & 1;
		spec.machine = spec.is_64 ? "x86_64" : "i686";
		spec.version = i / 4;
		check_version(&spec, i & 2);
	}
}

static void test_methods(void **state)
{
	static const struct { uint32_t method; const char *name; } m[] = {
		{ 0, "uncompressed" }, { KREL_PAGE_ZLIB, "zlib" },
		{ KREL_PAGE_LZO, "lzo" }, { KREL_PAGE_SNAPPY, "snappy" },
		{ KREL_PAGE_ZSTD, "zstd" },
	};
	struct mkkdump spec = usual();
	struct mk_buf flat = { 0 };
	struct mkkdump_file file;
	struct krel_image *img;
	char detail[64];

	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		spec.method = m[i].method;
		spec.status = 0x10;	/* vmemmap left out: of no interest */
		mkkdump_write(&spec, &file);
		img = open_buf(&file.buf);
		assert_string_equal(img->facts.detail, m[i].name);
		check_pages(img, spec.kind, 3);
		krel_image_close(img);

		mk_buf_le(&file.buf, file.fields, spec.method | 8, 4);
		mkflat_reversed(&flat, &file.buf, 100000);
		img = open_buf(&flat);
		snprintf(detail, sizeof(detail), "%s, flattened, incomplete",
			 m[i].name);
		assert_string_equal(img->facts.detail, detail);
		krel_image_close(img);
		mk_buf_deinit(&flat);
		mk_buf_deinit(&file.buf);
	}
}

/* The older format: no sub header to believe, other status bits. */
static void test_diskdump(void **state)
{
	struct mkkdump spec = usual();
	struct mkkdump_file file;
	struct krel_image *img;

	(void)state;
	spec.diskdump = true;
	spec.version = 1;
	spec.status = 8;
	mkkdump_write(&spec, &file);
	img = open_buf(&file.buf);
	assert_string_equal(img->facts.detail, "diskdump");
	assert_null(img->facts.vmcoreinfo);
	check_pages(img, spec.kind, 5);
	krel_image_close(img);
	mk_buf_deinit(&file.buf);
}

/* With one bitmap only nobody knows what was filtered: it is absent. */
static void test_one_bitmap(void **state)
{
	uint8_t kind[MAX_PFN];
	struct mkkdump spec = usual();
	struct mkkdump_file file;
	struct krel_image *img;

	(void)state;
	spec.one_bitmap = true;
	mkkdump_write(&spec, &file);
	img = open_buf(&file.buf);
	for (uint32_t i = 0; i < MAX_PFN; i++)
		kind[i] = spec.kind[i] == MK_FILTERED ? MK_ABSENT :
							spec.kind[i];
	check_pages(img, kind, 1);
	krel_image_close(img);
	mk_buf_deinit(&file.buf);
}

/* The writer's word decides on the layout, the notes on QEMU's guest. */
static void test_layout_by_evidence(void **state)
{
	static const struct {
		bool is_64;
		const char *machine, *release;
		size_t prstatus;
		enum krel_arch arch;
	} row[] = {
		{ true, "x86_64", "", 336, KREL_ARCH_X86_64 },
		{ true, "x86_64", "", 144, KREL_ARCH_I386 },
		{ true, "x86_64", "6.1", 144, KREL_ARCH_X86_64 },
		{ true, "i686", "6.1", 144, KREL_ARCH_I386 },
		{ false, "x86_64", "6.1", 336, KREL_ARCH_X86_64 },
		{ false, "i386", "", 144, KREL_ARCH_I386 },
		{ true, "", "", 336, KREL_ARCH_X86_64 },
		{ true, "", "6.1", 144, KREL_ARCH_I386 },
		{ true, "", "", 100, KREL_ARCH_UNKNOWN },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct mkkdump spec = usual();
		struct mk_buf notes = { 0 };
		struct mkkdump_file file;
		struct krel_image *img;

		put_prstatus(&notes, row[i].prstatus);
		spec.is_64 = row[i].is_64;
		spec.machine = row[i].machine;
		spec.release = row[i].release;
		spec.notes = notes.at;
		spec.notes_len = notes.len;
		mkkdump_write(&spec, &file);
		img = open_buf(&file.buf);
		assert_int_equal(img->facts.arch, row[i].arch);
		check_pages(img, spec.kind, 1);
		krel_image_close(img);
		mk_buf_deinit(&file.buf);
		mk_buf_deinit(&notes);
	}
}

/* The 32-bit count of pages is a leftover since version 6. */
static void test_max_mapnr(void **state)
{
	struct mkkdump spec = usual();
	struct mkkdump_file file;
	struct krel_image *img;

	(void)state;
	for (unsigned int is_64 = 0; is_64 < 2; is_64++) {
		spec.is_64 = is_64;
		mkkdump_write(&spec, &file);
		mk_buf_le(&file.buf, file.fields + MK_MAX_MAPNR, 0, 4);
		img = open_buf(&file.buf);
		check_pages(img, spec.kind, 1);
		krel_image_close(img);
		mk_buf_deinit(&file.buf);
	}
}

/* Reads of any alignment and length, over page borders. */
static void test_any_bytes(void **state)
{
	struct mkkdump spec = usual();
	struct mkkdump_file file;
	struct krel_image *img;
	uint8_t want[8 * MK_PAGE], got[8 * MK_PAGE];
	const uint64_t base = 1200 * MK_PAGE;

	(void)state;
	mkkdump_write(&spec, &file);
	img = open_buf(&file.buf);
	for (unsigned int i = 0; i < 8; i++)
		mk_page(1200 + i, MK_TEXT, want + i * MK_PAGE);
	for (size_t off = 0; off < 3 * MK_PAGE; off += 61)
		for (size_t len = 1; len < 5 * MK_PAGE; len = len * 5 + 3) {
			assert_int_equal(krel_image_read(img, base + off, got,
							 len, NULL), KREL_OK);
			assert_memory_equal(got, want + off, len);
		}
	/* Half of it is in a page that was filtered out. */
	assert_int_equal(krel_image_read(img, base - 8, got, 16, NULL),
			 KREL_FILTERED);
	krel_image_close(img);
	mk_buf_deinit(&file.buf);
}

/* Opening costs headers and notes; one page its own way through the file. */
static void test_cost(void **state)
{
	struct mkkdump spec = usual();
	struct mkkdump_file file;
	struct krel_image *img;
	uint64_t opened, once;

	(void)state;
	mkkdump_write(&spec, &file);
	img = open_buf(&file.buf);
	opened = krel_image_bytes_read(img);
	assert_in_range(opened, 464, 2000);
	check_page(img, 3, spec.kind[3]);
	once = krel_image_bytes_read(img);
	assert_in_range(once, opened + 4096, opened + 4096 + 8192);
	/* A page read before costs nothing. */
	for (unsigned int i = 0; i < 100; i++)
		check_page(img, 3, spec.kind[3]);
	assert_int_equal(krel_image_bytes_read(img), once);
	krel_image_close(img);
	mk_buf_deinit(&file.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_diskdump),
		cmocka_unit_test(test_one_bitmap),
		cmocka_unit_test(test_layout_by_evidence),
		cmocka_unit_test(test_max_mapnr),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests_name("kdump", tests, NULL, NULL);
}
