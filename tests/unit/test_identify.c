// SPDX-License-Identifier: GPL-2.0-or-later
/* Which kernel is in a memory image? */
#include "bytes_out.h"
#include "identify.h"
#include "kernel.h"

#define SIZE	0x20000
#define BANNER	"Linux version 6.1.0-a (b@h) (gcc 12) #1 SMP x"
#define NOTE_64	"OSRELEASE=6.1.0-a\nBUILD-ID=a0a1\nSIZE(list_head)=16\n"

static struct bytes memory(void)
{
	struct bytes b = { 0 };

	bytes_pad(&b, SIZE);
	return b;
}

static void put_banner(struct bytes *b, size_t at, const char *banner)
{
	memcpy(b->p + at, banner, strlen(banner) + 1);
}

static void put_note(struct bytes *b, size_t at, const char *text)
{
	struct bytes n = { 0 };

	bytes_note(&n, "VMCOREINFO", 0, text, strlen(text));
	memcpy(b->p + at, n.p, n.len);
	bytes_free(&n);
}

static void identify(const struct bytes *b, struct krel_result *r)
{
	struct krel_image *img;

	assert_int_equal(open_bytes(b, "raw", &img, NULL), KREL_OK);
	assert_int_equal(krel_identify(img, NULL, r, NULL), KREL_OK);
	krel_image_close(img);
}

/* Frees @b. */
static void finds(struct bytes *b, const char *release, const char *warning)
{
	struct krel_result *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	identify(b, r);
	assert_string_equal(r->image.release, release);
	if (warning) {
		assert_int_equal(r->nr_warnings, 1);
		if (!strstr(r->warning[0], warning))
			fail_msg("\"%s\" lacks \"%s\"", r->warning[0],
				 warning);
	} else {
		assert_int_equal(r->nr_warnings, 0);
	}
	free(r);
	bytes_free(b);
}

static void nothing_is_unknown(void **state)
{
	struct bytes b = memory();

	(void)state;
	finds(&b, "", NULL);
}

static void by_a_banner(void **state)
{
	struct bytes b = memory();

	(void)state;
	put_banner(&b, 0x3123, BANNER "\n");
	finds(&b, "6.1.0-a", NULL);
}

/* Its text crosses into the next page. */
static void by_a_banner_across_pages(void **state)
{
	struct bytes b = memory();

	(void)state;
	put_banner(&b, 0x3ff0, BANNER "\n");
	finds(&b, "6.1.0-a", NULL);
}

static void by_the_last_banner_of_memory(void **state)
{
	struct bytes b = memory();

	(void)state;
	put_banner(&b, SIZE - sizeof(BANNER "\n"), BANNER "\n");
	finds(&b, "6.1.0-a", NULL);
}

/* The log has the banner too, without newline and NUL; so do files. */
static void copies_do_not_count(void **state)
{
	static const char *const copy[] = {
		BANNER, BANNER " and more", BANNER "\nnext line of a file",
		"Linux version %s (%s)\n", "Linux version 6.1\n",
		"Linux version 6.1 without a hash\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(copy) / sizeof(copy[0]); i++) {
		struct bytes b = memory();

		put_banner(&b, 0x3000, copy[i]);
		finds(&b, "", NULL);
	}
}

static void equal_banners_are_one(void **state)
{
	struct bytes b = memory();

	(void)state;
	for (size_t at = 0x1000; at < SIZE; at += 0x1000)
		put_banner(&b, at, BANNER "\n");
	finds(&b, "6.1.0-a", NULL);
}

/* Two kernels: neither is made the answer, both are named. */
static void two_banners_are_named(void **state)
{
	struct bytes b = memory();

	(void)state;
	put_banner(&b, 0x1000, BANNER "\n");
	put_banner(&b, 0x5000, "Linux version 5.10.0-b (b@h) #1 SMP\n");
	finds(&b, "", "6.1.0-a, 5.10.0-b");
}

static void by_a_note(void **state)
{
	struct krel_result *r = calloc(1, sizeof(*r));
	struct bytes b = memory();

	(void)state;
	assert_non_null(r);
	put_note(&b, 0x4000, NOTE_64);
	put_banner(&b, 0x1000, BANNER "\n");
	put_banner(&b, 0x5000, "Linux version 5.10.0-b (b@h) #1 SMP\n");
	identify(&b, r);
	/* A note says more than banners. */
	assert_string_equal(r->image.release, "6.1.0-a");
	assert_string_equal(r->image.banner, BANNER);
	assert_int_equal(r->image.build_id.len, 2);
	assert_int_equal(r->arch, KREL_ARCH_X86_64);
	/* The container's own headers have none. */
	assert_false(r->has_vmcoreinfo);
	free(r);
	bytes_free(&b);
}

/* Notes start a page; elsewhere they are copies. */
static void note_inside_a_page_does_not_count(void **state)
{
	struct bytes b = memory();

	(void)state;
	put_note(&b, 0x4010, NOTE_64);
	finds(&b, "", NULL);
}

/* The text that the kernel fills its note from. */
static void format_string_is_no_note(void **state)
{
	struct bytes b = memory();

	(void)state;
	put_note(&b, 0x4000, "OSRELEASE=%s\nBUILD-ID=%20phN\n");
	put_note(&b, 0x6000, "PAGESIZE=4096\n");
	finds(&b, "", NULL);
}

/* A page of text makes a note of more than a page. */
static void long_note_goes_on_in_the_next_page(void **state)
{
	struct bytes b = memory();
	char text[4097];

	(void)state;
	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text + 4096 - strlen("OSRELEASE=6.1.0-a"), "OSRELEASE=6.1.0-a",
	       strlen("OSRELEASE=6.1.0-a"));
	put_note(&b, 0x4000, text);
	finds(&b, "6.1.0-a", NULL);

	/* At the end of memory it is cut off, and none. */
	b = memory();
	put_note(&b, SIZE - 0x2000, text);
	memmove(b.p + SIZE - 0x1000, b.p + SIZE - 0x2000, 0x1000);
	memset(b.p + SIZE - 0x2000, 0, 0x1000);
	finds(&b, "", NULL);
}

static void two_notes_are_named(void **state)
{
	struct bytes b = memory();

	(void)state;
	put_note(&b, 0x4000, NOTE_64);
	put_note(&b, 0x6000, "OSRELEASE=6.1.0-a\nBUILD-ID=b0b1\n");
	put_note(&b, 0x8000, "OSRELEASE=6.2.0-c\n");
	finds(&b, "", "6.2.0-c");
}

/* More kernels than a scan tells apart, with names as long as they get. */
static void many_kernels(void **state)
{
	struct bytes b = memory();
	char text[200];

	(void)state;
	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "OSRELEASE=6.%d-%0*d\n", i, 85,
			 i);
		put_note(&b, 0x1000 * (size_t)(i + 1), text);
	}
	finds(&b, "", "more than one kernel");
}

/* A dump's own words come first, and cost no scan. */
static void stated_identity_needs_no_scan(void **state)
{
	struct krel_result *r = calloc(1, sizeof(*r));
	struct bytes b = { 0 };
	struct krel_image *img;
	size_t notes;
	uint64_t before;

	(void)state;
	assert_non_null(r);
	core_begin(&b, true, 62, 2);
	notes = b.len;
	bytes_note(&b, "VMCOREINFO", 0, NOTE_64, strlen(NOTE_64));
	core_segment(&b, true, 0, &(struct core_segment){
		4, notes, 0, 0, b.len - notes });
	core_segment(&b, true, 1, &(struct core_segment){
		1, b.len, 0, 0, SIZE });
	bytes_pad(&b, b.len + SIZE);
	put_banner(&b, b.len - 0x1000, "Linux version 5.10.0-b (b@h) #1 SMP\n");
	assert_int_equal(open_bytes(&b, NULL, &img, NULL), KREL_OK);
	before = krel_image_bytes_read(img);
	assert_int_equal(krel_identify(img, NULL, r, NULL), KREL_OK);
	assert_int_equal(krel_image_bytes_read(img), before);
	assert_string_equal(r->image.release, "6.1.0-a");
	assert_true(r->has_vmcoreinfo);
	assert_string_equal(r->format, "ELF64");
	krel_image_close(img);
	free(r);
	bytes_free(&b);
}

static bool at_once(void *arg)
{
	++*(int *)arg;
	return true;
}

static void can_be_interrupted(void **state)
{
	struct krel_result *r = calloc(1, sizeof(*r));
	struct bytes b = memory();
	struct krel_image *img;
	int polls = 0;
	struct krel_options opts = {
		.interrupted = at_once, .interrupted_arg = &polls,
	};

	(void)state;
	assert_non_null(r);
	r->cpus = 77;
	assert_int_equal(open_bytes(&b, "raw", &img, NULL), KREL_OK);
	assert_int_equal(krel_identify(img, &opts, r, NULL),
			 KREL_INTERRUPTED);
	assert_int_equal(polls, 1);
	/* Untouched on failure. */
	assert_int_equal(r->cpus, 77);
	krel_image_close(img);
	free(r);
	bytes_free(&b);
}

static void releases_of_banners(void **state)
{
	char r[16] = "keep";

	(void)state;
	assert_true(krel_banner_release(BANNER, r, sizeof(r)));
	assert_string_equal(r, "6.1.0-a");
	strcpy(r, "keep");
	assert_false(krel_banner_release("Linux version %s (%s)", r, 16));
	assert_false(krel_banner_release("Linux version 6.1", r, 16));
	assert_false(krel_banner_release("Linux version  (x)", r, 16));
	assert_false(krel_banner_release("Linux Version 6.1 ", r, 16));
	assert_false(krel_banner_release("Linux", r, 16));
	assert_false(krel_banner_release("", r, 16));
	assert_false(krel_banner_release(
		"Linux version 6.1.0-a-very-long-name (x)", r, 16));
	assert_string_equal(r, "keep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_unknown),
		cmocka_unit_test(by_a_banner),
		cmocka_unit_test(by_a_banner_across_pages),
		cmocka_unit_test(by_the_last_banner_of_memory),
		cmocka_unit_test(copies_do_not_count),
		cmocka_unit_test(equal_banners_are_one),
		cmocka_unit_test(two_banners_are_named),
		cmocka_unit_test(by_a_note),
		cmocka_unit_test(note_inside_a_page_does_not_count),
		cmocka_unit_test(format_string_is_no_note),
		cmocka_unit_test(long_note_goes_on_in_the_next_page),
		cmocka_unit_test(two_notes_are_named),
		cmocka_unit_test(many_kernels),
		cmocka_unit_test(stated_identity_needs_no_scan),
		cmocka_unit_test(can_be_interrupted),
		cmocka_unit_test(releases_of_banners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
