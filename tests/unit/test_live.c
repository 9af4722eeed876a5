// SPDX-License-Identifier: GPL-2.0-or-later
#include "bytes_out.h"
#include "live.h"

#define HEADER	0x264	/* up to init_size, the last field that is read */

static struct krel_text text(const char *s)
{
	return (struct krel_text){ s, strlen(s) };
}

/* The same bytes without anything behind them: an overread is caught. */
static struct krel_text exact(const char *s, size_t len)
{
	char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, s, len);
	return (struct krel_text){ copy, len };
}

static unsigned int count(const struct krel_text *t)
{
	struct krel_live_symbol s;
	unsigned int n = 0;
	size_t pos = 0;

	while (krel_live_kallsyms(t, &pos, &s) == KREL_OK)
		n++;
	assert_true(pos <= t->len);
	return n;
}

static void kallsyms_lines(void **state)
{
	struct krel_text t = text(
		"ffffffffbe200000 T _text\n"
		"ffffffffc0243000 t crc7_be\t[crc7]\n"
		"0000000000000000 A __per_cpu_start");
	struct krel_live_symbol s;
	size_t pos = 0;

	(void)state;
	assert_int_equal(krel_live_kallsyms(&t, &pos, &s), KREL_OK);
	assert_true(s.run_va == UINT64_C(0xffffffffbe200000));
	assert_int_equal(s.type, 'T');
	assert_int_equal(s.name_len, 5);
	assert_memory_equal(s.name, "_text", 5);
	assert_int_equal(s.digits, 16);
	assert_false(s.module);
	assert_int_equal(krel_live_kallsyms(&t, &pos, &s), KREL_OK);
	assert_true(s.module);
	assert_int_equal(s.name_len, 7);
	assert_int_equal(krel_live_kallsyms(&t, &pos, &s), KREL_OK);
	assert_int_equal(s.run_va, 0);
	assert_int_equal(krel_live_kallsyms(&t, &pos, &s), KREL_ABSENT);
}

static void kallsyms_arch_by_digits(void **state)
{
	struct krel_text a = text("c6400000 T _text\n");
	struct krel_text b = text("junk\n00000000c6400000 T _text\n");
	struct krel_text c = text("junk\n"), none = { NULL, 0 };

	(void)state;
	assert_int_equal(krel_live_kallsyms_arch(&a), KREL_ARCH_I386);
	assert_int_equal(krel_live_kallsyms_arch(&b), KREL_ARCH_X86_64);
	assert_int_equal(krel_live_kallsyms_arch(&c), KREL_ARCH_UNKNOWN);
	assert_int_equal(krel_live_kallsyms_arch(&none), KREL_ARCH_UNKNOWN);
}

static void kallsyms_other_lines_are_passed_over(void **state)
{
	static const char *const bad[] = {
		"", "\n\n", "ffffffffbe200000", "ffffffffbe200000 ",
		"ffffffffbe200000 T", "ffffffffbe200000 T ",
		"ffffffffbe200000 T  x", "ffffffffbe200000  T _text",
		"fffffffffbe200000 T _text", "ffbe200000 T _text",
		"0xffffbe200000 T _text", "-fffffffbe200000 T _text",
		" ffffffffbe200000 T _text", "ffffffffbe200000 TT _text",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct krel_text t = text(bad[i]);

		assert_int_equal(count(&t), 0);
	}
}

/* Cut anywhere, with NULs anywhere: never beyond the end. */
static void cut_and_damaged(void **state)
{
	static const char all[] =
		"ffffffffbe200000 T _text\n  02a00000-02e000ff : Kernel code\n"
		"[    1.0] Kernel Offset: 0x1c000000 from 0xffffffff81000000\n";

	(void)state;
	for (size_t len = 0; len < sizeof(all); len++)
		for (size_t nul = 0; nul <= len; nul++) {
			struct krel_text t = exact(all, len);
			struct krel_live_boot b;
			struct krel_live_dmesg d;
			uint64_t pa;

			if (nul < len)
				((char *)(uintptr_t)t.text)[nul] = '\0';
			assert_true(count(&t) <= 1);
			krel_live_iomem(&t, &pa);
			krel_live_dmesg(&t, &d);
			assert_int_equal(krel_live_boot(&t, &b), KREL_CORRUPT);
			free((char *)(uintptr_t)t.text);
		}
}

static void check_iomem(const char *s, enum krel_status want, uint64_t value)
{
	struct krel_text t = text(s);
	uint64_t pa = 77;

	assert_int_equal(krel_live_iomem(&t, &pa), want);
	assert_int_equal(pa, want == KREL_OK ? value : 77);
}

static void iomem(void **state)
{
	(void)state;
	check_iomem("00100000-0bfdffff : System RAM\n"
		    "  02a00000-02e000ff : Kernel code\n"
		    "  03000000-030b9fff : Kernel rodata\n", KREL_OK, 0x2a00000);
	check_iomem("100000000-1ffffffff : Kernel code", KREL_OK,
		    UINT64_C(0x100000000));
	/* Zero as a start is a value when the end is none. */
	check_iomem("00000000-00ffffff : Kernel code\n", KREL_OK, 0);
	check_iomem("  00000000-00000000 : Kernel code\n", KREL_FILTERED, 0);
	check_iomem("", KREL_ABSENT, 0);
	check_iomem("02a00000-02e000ff : Kernel data\n", KREL_ABSENT, 0);
	check_iomem("02a00000-02e000ff : Kernel code too\n", KREL_ABSENT, 0);
	check_iomem("02a00000 : Kernel code\n", KREL_CORRUPT, 0);
	check_iomem("-02a00000 : Kernel code\n", KREL_CORRUPT, 0);
	check_iomem("02e00000-02a000ff : Kernel code\n", KREL_CORRUPT, 0);
	check_iomem("02a0000g-02e000ff : Kernel code\n", KREL_CORRUPT, 0);
	check_iomem("11111111111111111-2 : Kernel code\n", KREL_CORRUPT, 0);
	check_iomem(" : Kernel code\n", KREL_CORRUPT, 0);
	check_iomem("02a00000-02e000ff : Kernel code\n"
		    "03a00000-03e000ff : Kernel code\n", KREL_CORRUPT, 0);
	check_iomem("02a00000-02e000ff : Kernel code\n"
		    "00000000-00000000 : Kernel code\n", KREL_CORRUPT, 0);
}

static enum krel_status dmesg(const char *s, struct krel_live_dmesg *d)
{
	struct krel_text t = text(s);

	*d = (struct krel_live_dmesg){ .offset = 77 };
	return krel_live_dmesg(&t, d);
}

static void dmesg_offset(void **state)
{
	static const char line[] =
		"<0>[    3.1] Kernel Offset: 0x3d200000 from 0xffffffff81000000 (relocation range: 0xffffffff80000000-0xffffffffbfffffff)\n";
	struct krel_live_dmesg d;
	char twice[512];

	(void)state;
	assert_int_equal(dmesg(line, &d), KREL_OK);
	assert_false(d.disabled);
	assert_true(d.offset == 0x3d200000);
	assert_true(d.base == UINT64_C(0xffffffff81000000));
	snprintf(twice, sizeof(twice), "%s%s", line, line);
	assert_int_equal(dmesg(twice, &d), KREL_OK);
	/* Zero is a value. */
	assert_int_equal(dmesg("Kernel Offset: 0x0 from 0xc1000000", &d),
			 KREL_OK);
	assert_int_equal(d.offset, 0);
	assert_false(d.disabled);
	assert_int_equal(dmesg("[1] Kernel Offset: disabled\n", &d), KREL_OK);
	assert_true(d.disabled);
}

static void dmesg_of_several_boots(void **state)
{
	struct krel_live_dmesg d;

	(void)state;
	assert_int_equal(dmesg("Kernel Offset: 0x1000000 from 0xc1000000\n"
			       "Kernel Offset: 0x2000000 from 0xc1000000\n",
			       &d), KREL_CONTRADICTS);
	assert_int_equal(dmesg("Kernel Offset: disabled\n"
			       "Kernel Offset: 0x0 from 0xc1000000\n", &d),
			 KREL_CONTRADICTS);
	assert_int_equal(d.offset, 77);
}

static void dmesg_of_another_form(void **state)
{
	static const char *const bad[] = {
		"Kernel Offset: \n", "Kernel Offset: 0x\n",
		"Kernel Offset: 0x1000000\n", "Kernel Offset: 1000000 from 0x1",
		"Kernel Offset: 0x1000000 from \n",
		"Kernel Offset: 0x11111111111111111 from 0xc1000000\n",
		"Kernel Offset: -0x1000000 from 0xc1000000\n",
	};
	struct krel_live_dmesg d;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(dmesg(bad[i], &d), KREL_CORRUPT);
	assert_int_equal(dmesg("", &d), KREL_ABSENT);
	assert_int_equal(dmesg("Kernel offset: 0x0 from 0x0\n", &d),
			 KREL_ABSENT);
}

static struct bytes boot_params(void)
{
	struct bytes b = { 0 };

	bytes_pad(&b, HEADER);
	memcpy(b.p + 0x202, "HdrS", 4);
	bytes_patch(&b, 0x206, 0x20f, 2);
	b.p[0x211] = 0x83;
	bytes_patch(&b, 0x230, 0x200000, 4);
	b.p[0x234] = 1;
	bytes_patch(&b, 0x258, 0x1000000, 8);
	bytes_patch(&b, 0x260, 0xea7000, 4);
	return b;
}

static void boot_header(void **state)
{
	struct bytes b = boot_params();
	struct krel_text t = { (const char *)b.p, b.len };
	struct krel_live_boot got = { .init_size = 77 };

	(void)state;
	for (t.len = 0; t.len < HEADER; t.len++)
		assert_int_equal(krel_live_boot(&t, &got), KREL_CORRUPT);
	assert_int_equal(got.init_size, 77);
	assert_int_equal(krel_live_boot(&t, &got), KREL_OK);
	assert_int_equal(got.kernel_alignment, 0x200000);
	assert_true(got.relocatable && got.kaslr);
	assert_int_equal(got.pref_address, 0x1000000);
	assert_int_equal(got.init_size, 0xea7000);
	b.p[0x211] = 0x81;
	b.p[0x234] = 0;
	bytes_patch(&b, 0x206, 0x209, 2);
	assert_int_equal(krel_live_boot(&t, &got), KREL_OK);
	assert_false(got.relocatable || got.kaslr);
	assert_int_equal(got.pref_address, 0);
	bytes_patch(&b, 0x206, 0x204, 2);
	assert_int_equal(krel_live_boot(&t, &got), KREL_ABSENT);
	b.p[0x202] = 'h';
	assert_int_equal(krel_live_boot(&t, &got), KREL_CORRUPT);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kallsyms_lines),
		cmocka_unit_test(kallsyms_arch_by_digits),
		cmocka_unit_test(kallsyms_other_lines_are_passed_over),
		cmocka_unit_test(cut_and_damaged),
		cmocka_unit_test(iomem),
		cmocka_unit_test(dmesg_offset),
		cmocka_unit_test(dmesg_of_several_boots),
		cmocka_unit_test(dmesg_of_another_form),
		cmocka_unit_test(boot_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
