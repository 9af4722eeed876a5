// SPDX-License-Identifier: GPL-2.0-or-later
/* Which reader takes which file; raw memory; memory of a host. */
#include "bytes_out.h"

#include <unistd.h>

#define RAW_SIZE	(4u << 20)

static struct bytes raw_memory(void)
{
	struct bytes b = { 0 };

	bytes_pad(&b, RAW_SIZE);
	memcpy(b.p + 0x1ffd, "abcdef", 6);
	return b;
}

static void is_refused(const struct bytes *b, const char *format,
		       enum krel_status want, const char *says)
{
	struct krel_error err = { "" };
	struct krel_image *img = NULL;

	assert_int_equal(open_bytes(b, format, &img, &err), want);
	assert_null(img);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
	if (want != KREL_INVALID)
		assert_memory_equal(err.text, "test: ", 6);
}

static void raw_is_memory_from_zero(void **state)
{
	struct bytes b = raw_memory();
	struct krel_image *img;
	struct krel_range r;
	char got[8];

	(void)state;
	assert_int_equal(open_bytes(&b, NULL, &img, NULL), KREL_OK);
	assert_string_equal(img->facts.format, "raw");
	assert_int_equal(img->facts.arch, KREL_ARCH_UNKNOWN);
	assert_int_equal(krel_image_read(img, 0x1ffd, got, 6, NULL), KREL_OK);
	assert_memory_equal(got, "abcdef", 6);
	assert_int_equal(krel_image_bytes_read(img) > 6, 1);
	assert_int_equal(krel_image_read(img, RAW_SIZE - 1, got, 2, NULL),
			 KREL_ABSENT);
	assert_int_equal(krel_image_read(img, UINT64_MAX, got, 2, NULL),
			 KREL_ABSENT);
	assert_int_equal(krel_image_read(img, UINT64_MAX, got, 0, NULL),
			 KREL_OK);
	assert_int_equal(krel_image_next(img, 0x1234, &r), KREL_OK);
	assert_int_equal(r.pa, 0x1234);
	assert_int_equal(r.size, RAW_SIZE - 0x1234);
	assert_int_equal(krel_image_next(img, RAW_SIZE, &r), KREL_ABSENT);
	krel_image_close(img);
	bytes_free(&b);
}

/* Raw has no magic: what does not look like memory must be asked for. */
static void raw_is_not_guessed_lightly(void **state)
{
	struct bytes text = { 0 }, odd = raw_memory(), small = raw_memory();
	struct krel_image *img;

	(void)state;
	while (text.len < RAW_SIZE)
		bytes_text(&text, "this is a log file of sorts, line by line\n");
	text.len = RAW_SIZE;
	is_refused(&text, NULL, KREL_NOT_MINE, "--format raw");
	odd.len--;
	is_refused(&odd, NULL, KREL_NOT_MINE, "--format raw");
	small.len -= 4096;
	is_refused(&small, NULL, KREL_NOT_MINE, "--format raw");

	assert_int_equal(open_bytes(&small, "raw", &img, NULL), KREL_OK);
	krel_image_close(img);
	assert_int_equal(open_bytes(&odd, "raw", &img, NULL), KREL_OK);
	krel_image_close(img);
	assert_int_equal(open_bytes(&text, "raw", &img, NULL), KREL_OK);
	krel_image_close(img);
	bytes_free(&text);
	bytes_free(&odd);
	bytes_free(&small);
}

/* Containers of others, also when their size is that of memory. */
static void known_by_name_only(void **state)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *says;
	} c[] = {
		{ "LibvirtQemudSave", 16, "libvirt" },
		{ "\xd2\xbe\xd2\xbe", 4, "VMware" }, { "QFI\xfb", 4, "qcow2" },
		{ "sadump", 6, "sadump" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct bytes b = raw_memory();

		memcpy(b.p, c[i].magic, c[i].len);
		is_refused(&b, NULL, KREL_UNSUPPORTED, c[i].says);
		b.len = 100;
		is_refused(&b, NULL, KREL_UNSUPPORTED, c[i].says);
		bytes_free(&b);
	}
}

/* A vmlinux in the place of the dump, whatever its size. */
static void vmlinux_is_not_memory(void **state)
{
	struct bytes b = raw_memory();

	(void)state;
	memcpy(b.p, "\177ELF\2\1\1", 7);
	bytes_patch(&b, 16, 2, 2);
	bytes_patch(&b, 18, 62, 2);
	is_refused(&b, NULL, KREL_UNSUPPORTED, "-s");
	bytes_free(&b);
}

static void small_files(void **state)
{
	static const uint8_t bytes[64] = "\177ELF";

	(void)state;
	for (size_t len = 1; len < sizeof(bytes); len++) {
		struct bytes b = { 0 };
		struct krel_error err = { "" };
		struct krel_image *img = NULL;

		bytes_put(&b, bytes, len);
		assert_int_not_equal(open_bytes(&b, NULL, &img, &err),
				     KREL_OK);
		assert_null(img);
		assert_true(err.text[0] != '\0');
		bytes_free(&b);
	}
}

static void empty_file(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	bytes_put(&b, "", 0);
	is_refused(&b, NULL, KREL_NOT_MINE, "empty");
	is_refused(&b, "raw", KREL_NOT_MINE, "empty");
	bytes_free(&b);
}

static void format_as_told(void **state)
{
	struct bytes b = raw_memory();

	(void)state;
	is_refused(&b, "elf", KREL_NOT_MINE, "format elf as told");
	is_refused(&b, "kdump", KREL_NOT_MINE, "format kdump as told");
	is_refused(&b, "lkcd", KREL_INVALID, "lkcd");
	is_refused(&b, "", KREL_INVALID, "kdump, lime, avml or raw");
	bytes_free(&b);
}

static void by_path(void **state)
{
	struct bytes b = raw_memory();
	char *path = bytes_to_file(&b);
	struct krel_error err = { "" };
	struct krel_image *img = NULL;

	(void)state;
	assert_int_equal(krel_image_open(path, NULL, &img, &err), KREL_OK);
	krel_image_close(img);
	img = NULL;
	assert_int_equal(krel_image_open("/tmp", NULL, &img, &err),
			 KREL_UNREADABLE);
	assert_int_equal(krel_image_open("/nonexistent", NULL, &img, &err),
			 KREL_UNREADABLE);
	assert_non_null(strstr(err.text, "/nonexistent"));
	assert_null(img);
	krel_image_close(NULL);
	unlink(path);
	free(path);
	bytes_free(&b);
}

/* ----------------------------------------------------------------- host */

static enum krel_status host_read(void *arg, uint64_t pa, void *buf,
				  size_t len, struct krel_error *err)
{
	(void)err;
	/* The host, too, is asked for one page at a time. */
	assert_true(pa / 4096 == (pa + len - 1) / 4096);
	if (pa >= 0x3000)
		return KREL_FILTERED;
	memset(buf, *(int *)arg, len);
	return KREL_OK;
}

static enum krel_status host_next(void *arg, uint64_t pa,
				  struct krel_range *out)
{
	(void)arg;
	if (pa >= 0x4000)
		return KREL_ABSENT;
	*out = (struct krel_range){ pa, 0x4000 - pa };
	return KREL_OK;
}

static const struct krel_host_ops host_ops = { host_read, host_next };

static void host_serves_memory(void **state)
{
	char note[] = "OSRELEASE=6.1\n", big[40];
	struct krel_host_facts facts = {
		.format = "a format with a name that is far too long for it",
		.arch = KREL_ARCH_I386, .vmcoreinfo = note,
		.vmcoreinfo_len = sizeof(note),
	};
	struct krel_image *img;
	uint8_t got[8192];
	int fill = 0x5a;

	(void)state;
	assert_int_equal(krel_image_host(&host_ops, &fill, &facts, &img,
					 NULL), KREL_OK);
	memset(note, 'x', sizeof(note));
	assert_int_equal(img->facts.arch, KREL_ARCH_I386);
	assert_string_equal(img->facts.vmcoreinfo, "OSRELEASE=6.1\n");
	snprintf(big, sizeof(big), "%s", img->facts.format);
	assert_int_equal(strlen(big), sizeof(img->facts.format) - 1);
	assert_int_equal(krel_image_read(img, 0x800, got, 8192, NULL),
			 KREL_OK);
	assert_int_equal(got[8191], 0x5a);
	assert_int_equal(krel_image_read(img, 0x2fff, got, 2, NULL),
			 KREL_FILTERED);
	assert_int_equal(krel_image_bytes_read(img), 0);
	krel_image_close(img);
}

static void host_that_knows_nothing(void **state)
{
	struct krel_host_facts facts = { 0 };
	struct krel_image *img;
	int fill = 0;

	(void)state;
	assert_int_equal(krel_image_host(&host_ops, &fill, &facts, &img,
					 NULL), KREL_OK);
	assert_string_equal(img->facts.format, "memory");
	assert_null(img->facts.vmcoreinfo);
	krel_image_close(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_is_memory_from_zero),
		cmocka_unit_test(raw_is_not_guessed_lightly),
		cmocka_unit_test(known_by_name_only),
		cmocka_unit_test(vmlinux_is_not_memory),
		cmocka_unit_test(small_files),
		cmocka_unit_test(empty_file),
		cmocka_unit_test(format_as_told),
		cmocka_unit_test(by_path),
		cmocka_unit_test(host_serves_memory),
		cmocka_unit_test(host_that_knows_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
