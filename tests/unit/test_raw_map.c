// SPDX-License-Identifier: GPL-2.0-or-later
/* Raw files with holes left out: the fit, the user's map, boot_params. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image.h"
#include "raw_map.h"

#define GIB	(UINT64_C(1) << 30)

/* As SeaBIOS states it: the EBDA and 128 KiB below the hole are its own. */
static void ram_of(uint64_t below, uint64_t above, struct krel_segment ram[3])
{
	memset(ram, 0, 3 * sizeof(*ram));
	ram[0].filesz = 0x9fc00;
	ram[1].pa = 0x100000;
	ram[1].filesz = below - 0x20000 - 0x100000;
	ram[2].pa = 4 * GIB;
	ram[2].filesz = above;
}

static enum krel_raw_layout fit(const struct krel_segment *ram, size_t nr,
				uint64_t size, uint64_t *start)
{
	struct krel_error err = { "" };
	enum krel_raw_layout layout;
	struct krel_raw_map map;

	assert_int_equal(krel_raw_map_fit(ram, nr, size, &map, &err), KREL_OK);
	layout = map.layout;
	*start = map.nr > 1 ? map.range[1].offset : 0;
	krel_raw_map_deinit(&map);
	return layout;
}

static void test_fit(void **state)
{
	struct krel_segment ram[3];
	uint64_t at;

	(void)state;
	ram_of(3 * GIB, 2 * GIB, ram);
	assert_int_equal(fit(ram, 3, 5 * GIB, &at), KREL_RAW_PCI_HOLE);
	assert_int_equal(at, 3 * GIB);
	assert_int_equal(fit(ram, 3, 6 * GIB, &at), KREL_RAW_FLAT);
	/* As LiME: without the first page, nor what is not RAM. */
	assert_int_equal(fit(ram, 3, 5 * GIB - 0x20000 - 0x60400 - 0x1000,
			     &at), KREL_RAW_DROPPED);
	assert_int_equal(at, 0x9fc00 - 0x1000);
	assert_int_equal(fit(ram, 3, 5 * GIB - 0x1000, &at), KREL_RAW_UNKNOWN);
	assert_int_equal(fit(ram, 3, 4 * GIB, &at), KREL_RAW_UNKNOWN);
	/* q35 */
	ram_of(2 * GIB, 3 * GIB, ram);
	assert_int_equal(fit(ram, 3, 5 * GIB, &at), KREL_RAW_PCI_HOLE);
	assert_int_equal(at, 2 * GIB);
	assert_int_equal(fit(ram, 2, 2 * GIB, &at), KREL_RAW_FLAT);
}

static enum krel_status parse(const char *text, struct krel_raw_map *map)
{
	struct krel_text t = { text, strlen(text) };
	struct krel_error err = { "" };

	return krel_raw_map_parse(&t, map, &err);
}

static void test_parse(void **state)
{
	static const char *const bad[] = {
		"", "x", "0-", "5-4", "0-fff@", "0-fff@0,1000-1fff",
		"0-fff,0-fff", "0-ffffffffffffffffff", "0-ffffffffffffffff",
		"00000000-00000000 : System RAM\n00000000-00000000 : System RAM\n",
		"0-fff@0x", "0-fff@0 more",
	};
	struct krel_raw_map map;

	(void)state;
	assert_int_equal(parse("0x0-bfffffff@0,100000000-13FFFFFFF@c0000000",
			       &map), KREL_OK);
	assert_int_equal(map.layout, KREL_RAW_STATED);
	assert_int_equal(map.nr, 2);
	assert_int_equal(map.range[1].pa, 4 * GIB);
	assert_int_equal(map.range[1].filesz, GIB);
	assert_int_equal(map.range[1].offset, 3 * GIB);
	krel_raw_map_deinit(&map);
	assert_int_equal(parse("00000000-00000fff : Reserved\n"
			       "00001000-0009fbff : System RAM\n"
			       "  00002000-00003000 : Kernel code\n"
			       "00100000-0fffffff : System RAM\n", &map),
			 KREL_OK);
	assert_int_equal(map.layout, KREL_RAW_UNKNOWN);
	assert_int_equal(map.nr, 2);
	assert_int_equal(map.range[0].filesz, 0x9ec00);
	krel_raw_map_deinit(&map);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(bad[i], &map), KREL_INVALID);
}

static void put(uint8_t *to, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		to[i] = (uint8_t)(v >> (8 * i));
}

/* boot_params with two ranges of RAM, of which the second ends at @end. */
static void boot_params(uint8_t *bp, uint64_t end)
{
	bp[0x1e8] = 3;
	put(bp + 0x1fe, 0xaa55, 2);
	memcpy(bp + 0x202, "HdrS", 4);
	put(bp + 0x2d0, 0x100000, 8);	/* out of order */
	put(bp + 0x2d8, end - 0x100000, 8);
	put(bp + 0x2e0, 1, 4);
	put(bp + 0x2e4, 0, 8);
	put(bp + 0x2ec, 0x9fc00, 8);
	put(bp + 0x2f4, 1, 4);
	put(bp + 0x2f8, end, 8);
	put(bp + 0x300, 0x1000, 8);
	put(bp + 0x308, 2, 4);
}

static enum krel_raw_layout look(const uint8_t *file, size_t len)
{
	struct krel_error err = { "" };
	enum krel_raw_layout layout;
	struct krel_raw_map map;
	struct krel_file *f;

	assert_int_equal(krel_file_mem(file, len, "t", &f, &err), KREL_OK);
	assert_int_equal(krel_raw_map_find(f, &map, &err), KREL_OK);
	layout = map.layout;
	krel_raw_map_deinit(&map);
	krel_file_close(f);
	return layout;
}

static void test_find(void **state)
{
	/* LiME's of a machine whose RAM ends at 6 MiB, less a bit. */
	const size_t len = 0x9ec00 + (4u << 20);
	uint8_t *file = calloc(1, len);

	(void)state;
	assert_non_null(file);
	assert_int_equal(look(file, len), KREL_RAW_UNKNOWN);
	/* Across two chunks of the search. */
	boot_params(file + (4u << 20) - 0x300, 0x500000);
	assert_int_equal(look(file, len), KREL_RAW_DROPPED);
	/* A map of another machine does not speak. */
	boot_params(file + 0x2010, 0x700000000);
	assert_int_equal(look(file, len), KREL_RAW_DROPPED);
	/* One that fits otherwise makes it unknown: flat, here. */
	boot_params(file + 0x2010, len & ~UINT64_C(0xfff));
	assert_int_equal(look(file, len), KREL_RAW_UNKNOWN);
	free(file);
}

static void test_image(void **state)
{
	const size_t len = 0x9ec00 + (4u << 20);
	uint8_t *file = calloc(1, len), byte;
	struct krel_error err = { "" };
	struct krel_image *img;
	struct krel_file *f;

	(void)state;
	assert_non_null(file);
	boot_params(file + 0x8000, 0x500000);
	file[0x9ec00 + 0x123] = 7;
	assert_int_equal(krel_file_mem(file, len, "t", &f, &err), KREL_OK);
	assert_int_equal(krel_image_open_file(f, NULL, &img, &err), KREL_OK);
	assert_string_equal(img->facts.detail,
			    "all but RAM left out, 2 ranges");
	assert_int_equal(krel_image_read(img, 0x100123, &byte, 1, &err),
			 KREL_OK);
	assert_int_equal(byte, 7);
	assert_int_equal(krel_image_read(img, 0xa0000, &byte, 1, &err),
			 KREL_ABSENT);
	krel_image_close(img);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
