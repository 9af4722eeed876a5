// SPDX-License-Identifier: GPL-2.0-or-later
#include "bytes_out.h"
#include "vmcoreinfo.h"

static struct krel_vmcoreinfo text(const char *s)
{
	return (struct krel_vmcoreinfo){ s, strlen(s) };
}

static void finds_whole_keys_only(void **state)
{
	struct krel_vmcoreinfo vi = text(
		"OSRELEASE_EXTRA=wrong\nXOSRELEASE=wrong\nOSRELEASE=6.1\n");
	char v[32] = "untouched";

	(void)state;
	assert_int_equal(krel_vmcoreinfo_get(&vi, "OSRELEASE", v, sizeof(v)),
			 KREL_OK);
	assert_string_equal(v, "6.1");
	strcpy(v, "untouched");
	assert_int_equal(krel_vmcoreinfo_get(&vi, "OSRELEAS", v, sizeof(v)),
			 KREL_ABSENT);
	assert_int_equal(krel_vmcoreinfo_get(&vi, "6.1", v, sizeof(v)),
			 KREL_ABSENT);
	assert_string_equal(v, "untouched");
}

static void last_line_needs_no_newline(void **state)
{
	struct krel_vmcoreinfo vi = text("A=1\nB=2");
	char v[8];

	(void)state;
	assert_int_equal(krel_vmcoreinfo_get(&vi, "B", v, sizeof(v)), KREL_OK);
	assert_string_equal(v, "2");
}

/* The length counts, not a NUL: text of a note has none. */
static void never_reads_past_the_length(void **state)
{
	struct krel_vmcoreinfo vi = { "A=1\nB=234", 7 };
	char v[8];

	(void)state;
	assert_int_equal(krel_vmcoreinfo_get(&vi, "B", v, sizeof(v)), KREL_OK);
	assert_string_equal(v, "2");
	vi.len = 5;
	assert_int_equal(krel_vmcoreinfo_get(&vi, "B", v, sizeof(v)),
			 KREL_ABSENT);
}

static void no_note_is_absent(void **state)
{
	struct krel_vmcoreinfo none = { NULL, 0 }, empty = text("");
	struct krel_build_id id;
	uint64_t u;
	int64_t n;
	char v[8];

	(void)state;
	assert_int_equal(krel_vmcoreinfo_get(&none, "A", v, 8), KREL_ABSENT);
	assert_int_equal(krel_vmcoreinfo_get(&empty, "A", v, 8), KREL_ABSENT);
	assert_int_equal(krel_vmcoreinfo_symbol(&none, "A", &u), KREL_ABSENT);
	assert_int_equal(krel_vmcoreinfo_number(&none, "A", &n), KREL_ABSENT);
	assert_int_equal(krel_vmcoreinfo_build_id(&none, &id), KREL_ABSENT);
	assert_int_equal(krel_vmcoreinfo_arch(&none), KREL_ARCH_UNKNOWN);
}

/* A value that does not fit, or holds a NUL, is none. */
static void odd_values_are_corrupt(void **state)
{
	struct krel_vmcoreinfo nul = { "A=1\0002\n", 7 };
	struct krel_vmcoreinfo vi = text("A=12345678\n");
	char v[8] = "keep";

	(void)state;
	assert_int_equal(krel_vmcoreinfo_get(&vi, "A", v, 8), KREL_CORRUPT);
	assert_int_equal(krel_vmcoreinfo_get(&nul, "A", v, 8), KREL_CORRUPT);
	assert_string_equal(v, "keep");
	assert_int_equal(krel_vmcoreinfo_get(&vi, "A", v, 0), KREL_CORRUPT);
}

static void symbols_are_hexadecimal(void **state)
{
	struct krel_vmcoreinfo vi = text(
		"SYMBOL(_stext)=ffffffff9f000000\n"
		"SYMBOL(with_0x)=0xc1000000\n"
		"SYMBOL(zero)=0\n"
		"SYMBOL(max)=ffffffffffffffff\n"
		"SYMBOL(over)=10000000000000000\n"
		"SYMBOL(minus)=-1\n"
		"SYMBOL(space)= 1\n"
		"SYMBOL(tail)=12 \n"
		"SYMBOL(empty)=\n"
		"SYMBOL(only0x)=0x\n");
	static const char *const bad[] = {
		"over", "minus", "space", "tail", "empty", "only0x",
	};
	uint64_t v = 77;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(krel_vmcoreinfo_symbol(&vi, bad[i], &v),
				 KREL_CORRUPT);
	assert_int_equal(v, 77);
	assert_int_equal(krel_vmcoreinfo_symbol(&vi, "_stext", &v), KREL_OK);
	assert_true(v == UINT64_C(0xffffffff9f000000));
	assert_int_equal(krel_vmcoreinfo_symbol(&vi, "with_0x", &v), KREL_OK);
	assert_int_equal(v, 0xc1000000);
	assert_int_equal(krel_vmcoreinfo_symbol(&vi, "zero", &v), KREL_OK);
	assert_int_equal(v, 0);
	assert_int_equal(krel_vmcoreinfo_symbol(&vi, "max", &v), KREL_OK);
	assert_true(v == UINT64_MAX);
	assert_int_equal(krel_vmcoreinfo_symbol(&vi, "stext", &v),
			 KREL_ABSENT);
}

static void numbers_are_signed_decimal(void **state)
{
	struct krel_vmcoreinfo vi = text(
		"NUMBER(phys_base)=-415236096\n"
		"NUMBER(zero)=0\n"
		"NUMBER(min)=-9223372036854775808\n"
		"NUMBER(over)=9223372036854775808\n"
		"NUMBER(hex)=0x10\n"
		"NUMBER(minus)=-\n"
		"NUMBER(empty)=\n");
	static const char *const bad[] = { "over", "hex", "minus", "empty" };
	int64_t v = 77;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(krel_vmcoreinfo_number(&vi, bad[i], &v),
				 KREL_CORRUPT);
	assert_int_equal(v, 77);
	assert_int_equal(krel_vmcoreinfo_number(&vi, "phys_base", &v),
			 KREL_OK);
	assert_int_equal(v, -0x18c00000);
	assert_int_equal(krel_vmcoreinfo_number(&vi, "zero", &v), KREL_OK);
	assert_int_equal(v, 0);
	assert_int_equal(krel_vmcoreinfo_number(&vi, "min", &v), KREL_OK);
	assert_true(v == INT64_MIN);
}

/* KERNELOFFSET=0 is a value. */
static void bare_hex(void **state)
{
	struct krel_vmcoreinfo vi = text("KERNELOFFSET=0\nY=fffffffffe000000\n");
	uint64_t v = 1;

	(void)state;
	assert_int_equal(krel_vmcoreinfo_hex(&vi, "KERNELOFFSET", &v),
			 KREL_OK);
	assert_int_equal(v, 0);
	assert_int_equal(krel_vmcoreinfo_hex(&vi, "Y", &v), KREL_OK);
	assert_int_equal((int64_t)v, -0x2000000);
}

static void build_ids(void **state)
{
	char many[2 * KREL_BUILD_ID_MAX + 3];
	struct krel_build_id id = { .len = 9 };
	struct krel_vmcoreinfo vi = text("BUILD-ID=00ffAb\n");
	struct krel_vmcoreinfo bad = text("BUILD-ID=00f\n");

	(void)state;
	assert_false(krel_build_id_parse("", &id));
	assert_false(krel_build_id_parse("0", &id));
	assert_false(krel_build_id_parse("0g", &id));
	assert_false(krel_build_id_parse("-1", &id));
	memset(many, 'a', sizeof(many));
	many[sizeof(many) - 1] = '\0';
	assert_false(krel_build_id_parse(many, &id));
	assert_int_equal(id.len, 9);
	many[sizeof(many) - 3] = '\0';
	assert_true(krel_build_id_parse(many, &id));
	assert_int_equal(id.len, KREL_BUILD_ID_MAX);

	assert_int_equal(krel_vmcoreinfo_build_id(&vi, &id), KREL_OK);
	assert_int_equal(id.len, 3);
	assert_memory_equal(id.byte, "\x00\xff\xab", 3);
	assert_int_equal(krel_vmcoreinfo_build_id(&bad, &id), KREL_CORRUPT);
}

static void arch_by_the_size_of_two_words(void **state)
{
	struct krel_vmcoreinfo a = text("SIZE(list_head)=16\n");
	struct krel_vmcoreinfo b = text("SIZE(list_head)=8\n");
	struct krel_vmcoreinfo c = text("SIZE(list_head)=12\n");

	(void)state;
	assert_int_equal(krel_vmcoreinfo_arch(&a), KREL_ARCH_X86_64);
	assert_int_equal(krel_vmcoreinfo_arch(&b), KREL_ARCH_I386);
	assert_int_equal(krel_vmcoreinfo_arch(&c), KREL_ARCH_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_whole_keys_only),
		cmocka_unit_test(last_line_needs_no_newline),
		cmocka_unit_test(never_reads_past_the_length),
		cmocka_unit_test(no_note_is_absent),
		cmocka_unit_test(odd_values_are_corrupt),
		cmocka_unit_test(symbols_are_hexadecimal),
		cmocka_unit_test(numbers_are_signed_decimal),
		cmocka_unit_test(bare_hex),
		cmocka_unit_test(build_ids),
		cmocka_unit_test(arch_by_the_size_of_two_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
