// SPDX-License-Identifier: GPL-2.0-or-later
/* System.map. */
#include "bytes_out.h"

#include <unistd.h>
#include <zlib.h>

#include "kernel.h"

static const char map_64[] =
	"0000000000000000 D __per_cpu_start\n"
	"0000000000000000 A VDSO32_PRELINK\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T startup_64\n"
	"ffffffff81000200 T _stext\n"
	"ffffffff82400100 D linux_banner\n"
	"ffffffff83000000 B _end\n";

static enum krel_status open_text(const char *text, size_t len,
				  struct krel_kernel **k,
				  struct krel_error *err)
{
	struct bytes b = { 0 };
	enum krel_status st;
	char *path;

	bytes_put(&b, text, len);
	path = bytes_to_file(&b);
	*k = NULL;
	st = krel_kernel_open_map(path, k, err);
	if (st != KREL_OK) {
		assert_null(*k);
		assert_non_null(strstr(err->text, path));
	}
	unlink(path);
	free(path);
	bytes_free(&b);
	return st;
}

static struct krel_kernel *opened(const char *text)
{
	struct krel_error err = { "" };
	struct krel_kernel *k;

	if (open_text(text, strlen(text), &k, &err) != KREL_OK)
		fail_msg("%s", err.text);
	return k;
}

/* A driver may have a static symbol of the same name, at a lower address. */
static void global_before_local(void **state)
{
	struct krel_kernel *k = opened("ffffffff81000000 T _text\n"
				       "ffffffff82000000 d phys_base\n"
				       "ffffffff82000008 t only_local\n"
				       "ffffffff83000000 D phys_base\n");
	uint64_t v;

	(void)state;
	assert_true(krel_kernel_sym(k, KREL_SYM_PHYS_BASE, &v));
	assert_true(v == UINT64_C(0xffffffff83000000));
	assert_int_equal(krel_kernel_lookup(k, "only_local", &v), KREL_OK);
	assert_true(v == UINT64_C(0xffffffff82000008));
	krel_kernel_close(k);
}

static void reads_symbols(void **state)
{
	struct krel_kernel *k = opened(map_64);
	uint8_t got[8];
	uint64_t v;

	(void)state;
	assert_true(krel_kernel_is_map(k));
	assert_int_equal(krel_kernel_arch(k), KREL_ARCH_X86_64);
	assert_true(krel_kernel_map_base(k) == UINT64_C(0xffffffff80000000));
	assert_true(krel_kernel_sym(k, KREL_SYM_STEXT, &v));
	assert_true(v == UINT64_C(0xffffffff81000200));
	assert_int_equal(krel_kernel_lookup(k, "startup_64", &v), KREL_OK);
	assert_int_equal(krel_kernel_lookup(k, "startup_6", &v), KREL_ABSENT);
	/* It has no bytes, and no identity. */
	assert_int_equal(krel_kernel_read(k, v, got, 8), KREL_ABSENT);
	assert_string_equal(krel_kernel_identity(k)->banner, "");
	assert_int_equal(krel_kernel_id_note(k)->len, 0);
	krel_kernel_close(k);
}

static void page_offset_by_text(void **state)
{
	static const struct {
		const char *map;
		uint64_t base;
	} c[] = {
		{ "c1000000 T _text\n", 0xc0000000 },
		{ "c0100000 T _text\n", 0xc0000000 },
		{ "b1000000 T _text\n", 0xb0000000 },
		{ "81000000 T _text\n", 0x80000000 },
		{ "79000000 T _text\n", 0x78000000 },
		{ "41000000 T _text\n", 0x40000000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct krel_kernel *k = opened(c[i].map);

		assert_int_equal(krel_kernel_arch(k), KREL_ARCH_I386);
		assert_int_equal(krel_kernel_map_base(k), c[i].base);
		krel_kernel_close(k);
	}
}

/* A line without a newline is cut off: its name or value may be too. */
static void cut_line_does_not_count(void **state)
{
	struct krel_kernel *k;
	uint64_t v;

	(void)state;
	k = opened("c1000000 T _text\nc2000000 B _end");
	assert_false(krel_kernel_sym(k, KREL_SYM_END, &v));
	krel_kernel_close(k);
}

/* Cut at every byte: what is known is as in the whole one. */
static void cut_at_every_byte(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(map_64); len++) {
		struct krel_error err = { "" };
		struct krel_kernel *k;
		uint64_t v;

		if (open_text(map_64, len, &k, &err) != KREL_OK)
			continue;
		assert_true(krel_kernel_sym(k, KREL_SYM_TEXT, &v));
		assert_true(v == UINT64_C(0xffffffff81000000));
		if (krel_kernel_sym(k, KREL_SYM_END, &v))
			assert_true(v == UINT64_C(0xffffffff83000000));
		krel_kernel_close(k);
	}
}

static void odd_lines_are_skipped(void **state)
{
	struct krel_kernel *k = opened(
		"\n"
		"#comment\n"
		"ffffffffffffffffff T _end\n"		/* too many digits */
		"c3000000  T _end\n"
		"c3000000 T_end\n"
		"c3000000 T \n"
		"c3000000 T\n"
		"C3000000 T _end\n"
		"12 T _end\n"
		"c1000000 T _text extra words\n"
		"c3000000 B _stext\t[module]\r\n"
		"c4000000 B _text\n");
	uint64_t v;

	(void)state;
	assert_false(krel_kernel_sym(k, KREL_SYM_END, &v));
	assert_true(krel_kernel_sym(k, KREL_SYM_TEXT, &v));
	assert_int_equal(v, 0xc1000000);
	assert_true(krel_kernel_sym(k, KREL_SYM_STEXT, &v));
	assert_int_equal(v, 0xc3000000);
	krel_kernel_close(k);
}

static void not_a_map(void **state)
{
	static const char *const text[] = {
		"", "\n", "no map at all\n", "ffffffff81000000 T main\n",
		"\177ELF\2\1\1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct krel_error err = { "" };
		struct krel_kernel *k;

		assert_int_not_equal(open_text(text[i], strlen(text[i]), &k,
					       &err), KREL_OK);
	}
}

/* Bytes that are no text: names end at a NUL, nothing is read beyond. */
static void binary_is_harmless(void **state)
{
	static const char bin[] =
		"c1000000 T _text\nc2000000 T _e\0nd\nc3000000 T \0\n"
		"c4000000 T _stext\n\0\0\0\0";
	struct krel_error err = { "" };
	struct krel_kernel *k;
	uint64_t v;

	(void)state;
	assert_int_equal(open_text(bin, sizeof(bin), &k, &err), KREL_OK);
	assert_false(krel_kernel_sym(k, KREL_SYM_END, &v));
	assert_true(krel_kernel_sym(k, KREL_SYM_STEXT, &v));
	assert_int_equal(v, 0xc4000000);
	krel_kernel_close(k);
}

static void whole_page_of_text(void **state)
{
	struct krel_error err = { "" };
	struct krel_kernel *k;
	char page[4096];
	uint64_t v;

	(void)state;
	/* The mapping ends with the text: no byte behind may be touched. */
	memset(page, 'x', sizeof(page));
	memcpy(page, "c1000000 T _text\n", 17);
	memcpy(page + 4096 - 17, "\nc2000000 T _end\n", 17);
	assert_int_equal(open_text(page, sizeof(page), &k, &err), KREL_OK);
	assert_true(krel_kernel_sym(k, KREL_SYM_END, &v));
	krel_kernel_close(k);
	memcpy(page + 4096 - 17, "\nc2000000 T _endx", 17);
	assert_int_equal(open_text(page, sizeof(page), &k, &err), KREL_OK);
	assert_false(krel_kernel_sym(k, KREL_SYM_END, &v));
	krel_kernel_close(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_symbols),
		cmocka_unit_test(global_before_local),
		cmocka_unit_test(page_offset_by_text),
		cmocka_unit_test(cut_line_does_not_count),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(odd_lines_are_skipped),
		cmocka_unit_test(not_a_map),
		cmocka_unit_test(binary_is_harmless),
		cmocka_unit_test(whole_page_of_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
