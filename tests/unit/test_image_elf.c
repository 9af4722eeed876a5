// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF cores, written byte by byte. */
#include "bytes_out.h"

#define EM_32	3
#define EM_64	62
#define LOAD	1
#define NOTE	4
#define PAGE	4096u

/* A page whose bytes tell its number. */
static void put_page(struct bytes *b, uint8_t number)
{
	for (size_t i = 0; i < PAGE; i++)
		bytes_le(b, (uint8_t)(number + i % 7), 1);
}

/* Two pages at 1 MiB and one at 16 MiB, with notes. */
static struct bytes small_core(bool is64, uint16_t machine)
{
	struct bytes b = { 0 };
	size_t notes;

	core_begin(&b, is64, machine, 3);
	notes = b.len;
	bytes_note(&b, "CORE", 1, "", 0);
	bytes_qemu_cpu(&b, 0x80050033, 0x1000, 0x6f0, 0xff800000);
	bytes_note(&b, "VMCOREINFO", 0, "OSRELEASE=6.1\n", 14);
	core_segment(&b, is64, 0, &(struct core_segment){
		NOTE, notes, 0, 0, b.len - notes });
	core_segment(&b, is64, 1, &(struct core_segment){
		LOAD, b.len, 0xc0100000, 0x100000, 2 * PAGE });
	put_page(&b, 10);
	put_page(&b, 20);
	core_segment(&b, is64, 2, &(struct core_segment){
		LOAD, b.len, 0xc1000000, 0x1000000, PAGE });
	put_page(&b, 30);
	return b;
}

static struct krel_image *opened(const struct bytes *b)
{
	struct krel_error err = { "" };
	struct krel_image *img = NULL;

	if (open_bytes(b, NULL, &img, &err) != KREL_OK)
		fail_msg("%s", err.text);
	return img;
}

static enum krel_status refused(const struct bytes *b, const char *says)
{
	struct krel_error err = { "" };
	struct krel_image *img = NULL;
	enum krel_status st = open_bytes(b, "elf", &img, &err);

	assert_null(img);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
	return st;
}

static void reads_all_forms(void **state)
{
	static const struct {
		bool is64;
		uint16_t machine;
		enum krel_arch arch;
		const char *format;
	} form[] = {
		{ false, EM_32, KREL_ARCH_I386, "ELF32" },
		{ true, EM_64, KREL_ARCH_X86_64, "ELF64" },
		/* QEMU for a 32-bit guest with memory above 4 GiB. */
		{ true, EM_32, KREL_ARCH_I386, "ELF64" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct bytes b = small_core(form[i].is64, form[i].machine);
		struct krel_image *img;
		uint8_t got[2 * PAGE];

		/* QEMU may leave 8 in e_ehsize: nobody looks at it. */
		if (i == 2)
			bytes_patch(&b, 52, 8, 2);
		img = opened(&b);
		assert_int_equal(img->facts.arch, form[i].arch);
		assert_string_equal(img->facts.format, form[i].format);
		assert_int_equal(img->facts.nr_segments, 2);
		assert_int_equal(img->facts.segment[1].va, 0xc1000000);
		assert_int_equal(img->facts.nr_cpus, 1);
		assert_int_equal(img->facts.ncpus, 1);
		assert_int_equal(img->facts.cpu[0].cr3, 0x1000);
		assert_string_equal(img->facts.vmcoreinfo, "OSRELEASE=6.1\n");
		/* Crosses from one page into the next. */
		assert_int_equal(krel_image_read(img, 0x100ff9, got, 14, NULL),
				 KREL_OK);
		assert_int_equal(got[0], 10 + 4089 % 7);
		assert_int_equal(got[7], 20);
		assert_int_equal(krel_image_read(img, 0x1000000, got, PAGE,
						 NULL), KREL_OK);
		assert_int_equal(got[0], 30);
		krel_image_close(img);
		bytes_free(&b);
	}
}

static void holes_are_absent(void **state)
{
	struct bytes b = small_core(true, EM_64);
	struct krel_image *img = opened(&b);
	static const uint64_t hole[] = {
		0, 0xfffff, 0x101fff, 0x102000, 0xfff000, 0x1001000,
		UINT64_MAX, UINT64_MAX - 1,
	};
	uint8_t got[2] = { 1, 2 };

	(void)state;
	for (size_t i = 0; i < sizeof(hole) / sizeof(hole[0]); i++)
		assert_int_equal(krel_image_read(img, hole[i], got, 2, NULL),
				 KREL_ABSENT);
	assert_int_equal(krel_image_read(img, 0x101fff, got, 1, NULL),
			 KREL_OK);
	krel_image_close(img);
	bytes_free(&b);
}

static void ranges_ascend(void **state)
{
	struct bytes b = small_core(false, EM_32);
	struct krel_image *img = opened(&b);
	struct krel_range r;

	(void)state;
	assert_int_equal(krel_image_next(img, 0, &r), KREL_OK);
	assert_int_equal(r.pa, 0x100000);
	assert_int_equal(r.size, 2 * PAGE);
	assert_int_equal(krel_image_next(img, 0x101800, &r), KREL_OK);
	assert_int_equal(r.pa, 0x101800);
	assert_int_equal(r.size, 0x800);
	assert_int_equal(krel_image_next(img, 0x102000, &r), KREL_OK);
	assert_int_equal(r.pa, 0x1000000);
	assert_int_equal(krel_image_next(img, 0x1001000, &r), KREL_ABSENT);
	assert_int_equal(krel_image_next(img, UINT64_MAX, &r), KREL_ABSENT);
	krel_image_close(img);
	bytes_free(&b);
}

/* 65535 or more headers: the number is in section header 0. */
static void many_headers_by_xnum(void **state)
{
	for (int is64 = 0; is64 < 2; is64++) {
		struct bytes b = small_core(is64, EM_32);
		size_t shoff = b.len;
		struct krel_image *img;

		(void)state;
		bytes_pad(&b, b.len + 64);
		bytes_patch(&b, shoff + (is64 ? 44 : 28), 3, 4);
		bytes_patch(&b, is64 ? 40 : 32, shoff, is64 ? 8 : 4);
		bytes_patch(&b, is64 ? 56 : 44, 0xffff, 2);
		img = opened(&b);
		assert_int_equal(img->facts.nr_segments, 2);
		krel_image_close(img);

		bytes_patch(&b, is64 ? 40 : 32, 0, is64 ? 8 : 4);
		assert_int_equal(refused(&b, "PN_XNUM"), KREL_CORRUPT);
		bytes_patch(&b, is64 ? 40 : 32, b.len - 10, is64 ? 8 : 4);
		assert_int_equal(refused(&b, "cut off"), KREL_UNREADABLE);
		if (is64) {
			bytes_patch(&b, 40, UINT64_MAX - 3, 8);
			assert_int_equal(refused(&b, "PN_XNUM"),
					 KREL_CORRUPT);
		}
		bytes_patch(&b, is64 ? 40 : 32, shoff, is64 ? 8 : 4);
		bytes_patch(&b, shoff + (is64 ? 44 : 28), 0xffffffff, 4);
		assert_int_equal(refused(&b, "4294967295"), KREL_CORRUPT);
		bytes_free(&b);
	}
}

/* In /proc/vmcore the kernel's text is in the RAM segment as well. */
static void overlaps_serve(void **state)
{
	struct krel_image *img;
	struct bytes b = { 0 };
	struct krel_range r;
	uint8_t got;

	(void)state;
	core_begin(&b, true, EM_64, 3);
	core_segment(&b, true, 0, &(struct core_segment){
		LOAD, b.len + PAGE, UINT64_C(0xffffffff81000000), 0x101000,
		PAGE });
	core_segment(&b, true, 1, &(struct core_segment){
		LOAD, b.len, 0, 0x100000, 3 * PAGE });
	core_segment(&b, true, 2, &(struct core_segment){
		LOAD, b.len, 0, 0x100000, PAGE });
	put_page(&b, 1);
	put_page(&b, 2);
	put_page(&b, 3);
	img = opened(&b);
	for (uint64_t i = 3; i-- > 0;) {
		assert_int_equal(krel_image_read(img, 0x100000 + i * PAGE,
						 &got, 1, NULL), KREL_OK);
		assert_int_equal(got, i + 1);
	}
	/* Each byte is met once or more, and the walk ends. */
	for (uint64_t pa = 0; krel_image_next(img, pa, &r) == KREL_OK;
	     pa = r.pa + r.size)
		assert_true(r.size > 0 && r.pa + r.size <= 0x103000);
	krel_image_close(img);
	bytes_free(&b);
}

/* A dump that was cut off answers from what is there. */
static void cut_segment_is_kept_as_far_as_it_goes(void **state)
{
	struct bytes b = small_core(true, EM_64);
	struct krel_image *img;
	struct krel_range r;
	uint8_t got;

	(void)state;
	b.len -= PAGE + 100;
	img = opened(&b);
	assert_int_equal(krel_image_read(img, 0x101000, &got, 1, NULL),
			 KREL_OK);
	/* What the file lacks is unreadable, not absent. */
	assert_int_equal(krel_image_read(img, 0x101fff, &got, 1, NULL),
			 KREL_UNREADABLE);
	assert_int_equal(krel_image_read(img, 0x1000000, &got, 1, NULL),
			 KREL_UNREADABLE);
	/* Nobody is sent to look where nothing can be. */
	assert_int_equal(krel_image_next(img, 0, &r), KREL_OK);
	assert_int_equal(r.size, 2 * PAGE - 100);
	assert_int_equal(krel_image_next(img, r.pa + r.size, &r),
			 KREL_ABSENT);
	krel_image_close(img);
	bytes_free(&b);
}

/* Sizes that no machine has must not become work. */
static void absurd_segments(void **state)
{
	struct bytes b = small_core(true, EM_64);
	struct krel_image *img;
	struct krel_range r;
	uint8_t got;

	(void)state;
	core_segment(&b, true, 1, &(struct core_segment){
		LOAD, b.len - PAGE, 0, 0x100000, UINT64_C(1) << 62 });
	core_segment(&b, true, 2, &(struct core_segment){
		LOAD, b.len - PAGE, 0, UINT64_MAX - 0xfff, 0xfff });
	img = opened(&b);
	assert_int_equal(krel_image_next(img, 0, &r), KREL_OK);
	assert_int_equal(r.size, PAGE);
	assert_int_equal(krel_image_next(img, 0x101000, &r), KREL_ABSENT);
	assert_int_equal(krel_image_read(img, UINT64_MAX - 5, &got, 1, NULL),
			 KREL_UNREADABLE);
	krel_image_close(img);
	bytes_free(&b);
}

static void offset_beyond_the_file_is_dropped(void **state)
{
	struct bytes b = small_core(true, EM_64);

	(void)state;
	core_segment(&b, true, 1, &(struct core_segment){
		LOAD, UINT64_MAX - 4096, 0, 0x100000, 8192 });
	core_segment(&b, true, 2, &(struct core_segment){
		LOAD, b.len, 0, 0x200000, 8192 });
	assert_int_equal(refused(&b, "none inside the file"), KREL_CORRUPT);
	bytes_free(&b);
}

/* Notes are a help; memory can be read without them. */
static void bad_notes_are_not_fatal(void **state)
{
	static const struct core_segment bad[] = {
		{ NOTE, 200, 0, 0, UINT64_C(1) << 60 },
		{ NOTE, UINT64_MAX - 8, 0, 0, 64 },
		{ NOTE, UINT64_C(1) << 40, 0, 0, 64 },
		{ NOTE, 240, 0, 0, 7 },
		{ NOTE, 240, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bytes b = small_core(true, EM_64);
		struct krel_image *img;

		core_segment(&b, true, 0, &bad[i]);
		img = opened(&b);
		assert_null(img->facts.vmcoreinfo);
		assert_int_equal(img->facts.nr_cpus, 0);
		krel_image_close(img);
		bytes_free(&b);
	}
}

/* Cut inside the headers: refused, by every length, with a line that says. */
static void headers_cut_at_every_byte(void **state)
{
	(void)state;
	for (int is64 = 0; is64 < 2; is64++) {
		struct bytes b = small_core(is64, EM_32);
		size_t headers = is64 ? 64 + 3 * 56 : 52 + 3 * 32;

		for (size_t len = 0; len <= headers; len++) {
			struct bytes cut = { malloc(len + 1), len, len + 1 };
			struct krel_error err = { "" };
			struct krel_image *img = NULL;

			assert_non_null(cut.p);
			memcpy(cut.p, b.p, len);
			assert_int_not_equal(open_bytes(&cut, NULL, &img,
							&err), KREL_OK);
			assert_null(img);
			assert_true(err.text[0] != '\0');
			bytes_free(&cut);
		}
		bytes_free(&b);
	}
}

/* Any single byte of the headers may be wrong: no crash, no absurd memory. */
static void headers_with_one_wrong_byte(void **state)
{
	static const uint8_t wrong[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct bytes b = small_core(true, EM_64);

	(void)state;
	for (size_t at = 0; at < 64 + 3 * 56; at++)
		for (size_t i = 0; i < sizeof(wrong); i++) {
			uint8_t was = b.p[at];
			struct krel_image *img = NULL;
			struct krel_range r;
			uint64_t pa = 0;

			b.p[at] = wrong[i];
			if (open_bytes(&b, NULL, &img, NULL) == KREL_OK)
				for (int n = 0; n < 8 &&
				     krel_image_next(img, pa, &r) == KREL_OK;
				     n++)
					pa = r.pa + r.size;
			krel_image_close(img);
			b.p[at] = was;
		}
	bytes_free(&b);
}

static void says_what_is_wrong(void **state)
{
	struct bytes b = small_core(true, EM_64);

	(void)state;
	bytes_patch(&b, 18, 183, 2);
	assert_int_equal(refused(&b, "183"), KREL_UNSUPPORTED);
	bytes_patch(&b, 18, EM_64, 2);
	bytes_patch(&b, 5, 2, 1);
	assert_int_equal(refused(&b, "byte order"), KREL_UNSUPPORTED);
	bytes_patch(&b, 5, 1, 1);
	bytes_patch(&b, 4, 3, 1);
	assert_int_equal(refused(&b, "class"), KREL_CORRUPT);
	bytes_patch(&b, 4, 2, 1);
	bytes_patch(&b, 16, 2, 2);
	assert_int_equal(refused(&b, "vmlinux"), KREL_UNSUPPORTED);
	bytes_patch(&b, 16, 4, 2);
	bytes_patch(&b, 54, 32, 2);
	assert_int_equal(refused(&b, "56 bytes"), KREL_CORRUPT);
	bytes_patch(&b, 54, 56, 2);
	bytes_patch(&b, 56, 0, 2);
	assert_int_equal(refused(&b, "found 0"), KREL_CORRUPT);
	bytes_patch(&b, 56, 3, 2);
	bytes_patch(&b, 32, UINT64_MAX - 10, 8);
	assert_int_equal(refused(&b, "cut off"), KREL_UNREADABLE);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_forms),
		cmocka_unit_test(holes_are_absent),
		cmocka_unit_test(ranges_ascend),
		cmocka_unit_test(many_headers_by_xnum),
		cmocka_unit_test(overlaps_serve),
		cmocka_unit_test(cut_segment_is_kept_as_far_as_it_goes),
		cmocka_unit_test(absurd_segments),
		cmocka_unit_test(offset_beyond_the_file_is_dropped),
		cmocka_unit_test(bad_notes_are_not_fatal),
		cmocka_unit_test(headers_cut_at_every_byte),
		cmocka_unit_test(headers_with_one_wrong_byte),
		cmocka_unit_test(says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
