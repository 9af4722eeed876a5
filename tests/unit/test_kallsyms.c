// SPDX-License-Identifier: GPL-2.0-or-later
/* kallsyms in memory: every form, and what is not whole. */
#include "mkkallsyms.h"

#include "kallsyms.h"

#define MAP	UINT64_C(0xffffffff80000000)
#define RUN_64	UINT64_C(0xffffffff9c000000)
#define PA	UINT64_C(0x400000)
#define SIZE	(6u << 20)
#define PBASE	((int64_t)(PA - (RUN_64 - MAP)))

static const struct mk_kallsyms old64 = {
	.is64 = true, .form = MK_PERCPU, .marker = 4, .align = 8, .pa = PA,
	.run = RUN_64, .phys_base = PBASE,
};
static const struct mk_kallsyms old32 = {
	.form = MK_ABOVE_BASE, .marker = 4, .align = 4, .pa = PA,
	.run = 0xc0000000 + PA,
};

static enum krel_status find(const struct bytes *b,
			     struct krel_symbols **out)
{
	struct krel_error err = { "" };
	struct krel_image *img;
	enum krel_status st;

	assert_int_equal(open_bytes(b, "raw", &img, NULL), KREL_OK);
	st = krel_symbols_find(img, NULL, out, &err);
	assert_int_equal(st != KREL_OK, err.text[0] != '\0');
	krel_image_close(img);
	return st;
}

static bool ascends(void *arg, const struct krel_symbol *sym)
{
	uint64_t *last = arg;

	assert_true(sym->address >= *last);
	*last = sym->address;
	return true;
}

static void check_symbols(const struct mk_kallsyms *k,
			  const struct krel_symbols *s)
{
	char longest[MK_LONG + 1], name[32];
	uint64_t v, off, last = 0;

	assert_int_equal(krel_symbols_count(s),
			 MK_COUNT - (k->text_only ? 2 : 0));
	assert_int_equal(krel_symbols_arch(s), k->is64 ? KREL_ARCH_X86_64 :
			 KREL_ARCH_I386);
	assert_int_equal(krel_symbols_address(s, "_text", &v), KREL_OK);
	assert_int_equal(v, k->run);
	assert_int_equal(krel_symbols_address(s, "f_1234", &v), KREL_OK);
	assert_int_equal(v, mk_function(k, 1234));
	memset(longest, 'x', MK_LONG);
	longest[MK_LONG] = '\0';
	assert_int_equal(krel_symbols_address(s, longest, &v), KREL_OK);
	assert_int_equal(v, mk_function(k, 1500));
	assert_int_equal(krel_symbols_address(s, "f_1501", &v), KREL_ABSENT);
	assert_int_equal(krel_symbols_name(s, mk_function(k, 77) + 3, name,
					   sizeof(name), &off), KREL_OK);
	assert_string_equal(name, "f_77");
	assert_int_equal(off, 3);
	krel_symbols_each(s, ascends, &last);
	assert_int_equal(krel_symbols_placed(s), !k->text_only);
	if (k->text_only)
		return;
	assert_int_equal(last, k->run + 0x2100);
	assert_int_equal(s->displacement, (int64_t)(k->pa -
			 (k->run - (k->is64 ? MAP : 0))));
}

static void good(const struct mk_kallsyms *k)
{
	struct krel_symbols *s;
	struct bytes b = { 0 };
	struct mk_layout at;

	mk_kallsyms(&b, k, SIZE, &at);
	assert_int_equal(find(&b, &s), KREL_OK);
	check_symbols(k, s);
	krel_symbols_free(s);
	bytes_free(&b);
}

static void test_forms_64(void **state)
{
	struct mk_kallsyms k = old64;

	(void)state;
	good(&k);
	k.long_names = true;		/* 6.1 */
	good(&k);
	k.seqs = true;			/* 6.2, and late 6.1 */
	good(&k);
	k.seqs = false;
	k.behind = true;		/* 6.4 */
	good(&k);
	k.form = MK_ABOVE_BASE;		/* 6.15 */
	good(&k);
	k.form = MK_SELF;		/* 7.0 */
	k.align = 4;
	good(&k);
	k = old64;
	k.form = MK_WORDS;		/* to 4.5 */
	k.marker = 8;
	good(&k);
	k = old64;
	k.text_only = true;
	good(&k);
}

static void test_forms_32(void **state)
{
	struct mk_kallsyms k = old32;

	(void)state;
	good(&k);
	k.run = 0x40000000 + PA;	/* VMSPLIT_1G */
	good(&k);
	k = old32;
	k.form = MK_WORDS;
	good(&k);
	k = old32;
	k.long_names = true;
	k.seqs = true;
	good(&k);
	k.seqs = false;
	k.behind = true;
	good(&k);
	k.form = MK_VALUES;		/* 7.0, not relocatable */
	good(&k);
	k = old32;
	k.text_only = true;
	good(&k);
}

/* What needs an address that no memory tells is told by name. */
static void test_unsupported(void **state)
{
	struct mk_kallsyms k = old32;
	struct krel_symbols *s;
	struct bytes b = { 0 };
	struct mk_layout at;

	(void)state;
	k.form = MK_SELF;
	k.behind = true;
	mk_kallsyms(&b, &k, SIZE, &at);
	assert_int_equal(find(&b, &s), KREL_UNSUPPORTED);
	bytes_free(&b);
}

static void bad(const struct mk_kallsyms *k, size_t off, uint64_t v,
		size_t width, enum krel_status want)
{
	struct krel_symbols *s;
	struct bytes b = { 0 };
	struct mk_layout at;

	mk_kallsyms(&b, k, SIZE, &at);
	bytes_patch(&b, off, v, width);
	assert_int_equal(find(&b, &s), want);
	bytes_free(&b);
}

static void test_corrupt(void **state)
{
	struct bytes b = { 0 };
	struct mk_layout at;

	(void)state;
	mk_kallsyms(&b, &old64, SIZE, &at);
	bytes_free(&b);
	bad(&old64, at.num, MK_COUNT + 1, 4, KREL_CORRUPT);
	bad(&old64, at.num, 0xffffffff, 4, KREL_CORRUPT);
	bad(&old64, at.num, 0, 4, KREL_CORRUPT);
	bad(&old64, at.markers, 1, 4, KREL_CORRUPT);
	bad(&old64, at.markers + 8, 0x7fffffff, 4, KREL_CORRUPT);
	bad(&old64, at.names, 0xff, 1, KREL_CORRUPT);
	bad(&old64, at.names, 0, 1, KREL_CORRUPT);
	bad(&old64, at.names + 1, '9', 1, KREL_CORRUPT);	/* no type */
	bad(&old64, at.addresses + 400, 5, 4, KREL_CORRUPT);
	bad(&old64, at.index, 1, 2, KREL_ABSENT);
	bad(&old64, at.index + 300, 0xffff, 2, KREL_ABSENT);
	bad(&old64, at.tokens, '\n', 1, KREL_ABSENT);
	bad(&old64, at.index - 8, UINT64_MAX, 8, KREL_ABSENT);
}

/* Memory that ends, or begins, inside the tables. */
static void test_cut(void **state)
{
	struct bytes b = { 0 }, cut = { 0 };
	struct krel_symbols *s;
	struct mk_layout at;

	(void)state;
	mk_kallsyms(&b, &old64, SIZE, &at);
	for (size_t from = at.addresses + 4096; from < at.index;
	     from += 4096) {
		bytes_put(&cut, b.p + from, b.len - from);
		assert_int_not_equal(find(&cut, &s), KREL_OK);
		cut.len = 0;
	}
	for (size_t to = at.tokens & ~(size_t)4095; to < at.index + 512;
	     to += 4096) {
		bytes_put(&cut, b.p, to);
		assert_int_equal(find(&cut, &s), KREL_ABSENT);
		cut.len = 0;
	}
	bytes_free(&cut);
	bytes_free(&b);
}

/* A copy elsewhere is not the kernel that ran; two that ran are ambiguous. */
static void test_several(void **state)
{
	struct mk_kallsyms copy = old64;
	struct krel_symbols *s;
	struct bytes b = { 0 };
	struct mk_layout at;

	(void)state;
	copy.pa = SIZE;
	mk_kallsyms(&b, &old64, SIZE, &at);
	mk_kallsyms(&b, &copy, 2 * SIZE, &at);
	assert_int_equal(find(&b, &s), KREL_OK);
	check_symbols(&old64, s);
	krel_symbols_free(s);
	b.len = 0;
	copy.run += 0x2000000;
	copy.phys_base = (int64_t)(copy.pa - (copy.run - MAP));
	mk_kallsyms(&b, &old64, SIZE, &at);
	mk_kallsyms(&b, &copy, 2 * SIZE, &at);
	assert_int_equal(find(&b, &s), KREL_CONTRADICTS);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_64),
		cmocka_unit_test(test_forms_32),
		cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_several),
	};

	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
