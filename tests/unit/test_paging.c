// SPDX-License-Identifier: GPL-2.0-or-later
/* The walker, over tables written entry by entry (Intel SDM 3, chapter 4). */
#include "bytes_out.h"
#include "paging.h"

#define ROOT	0x1000
#define SIZE	0x20000	/* of the memory below */

static struct krel_image *memory(const struct bytes *b)
{
	struct krel_image *img;

	assert_int_equal(open_bytes(b, "raw", &img, NULL), KREL_OK);
	return img;
}

struct walk {
	struct bytes b;
	struct krel_image *img;
	struct krel_walk w;
};

static struct walk *walk_new(void)
{
	struct walk *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	bytes_pad(&t->b, SIZE);
	t->img = memory(&t->b);
	return t;
}

static void walk_free(struct walk *t)
{
	krel_image_close(t->img);
	bytes_free(&t->b);
	free(t);
}

static void e64(struct walk *t, size_t table, size_t index, uint64_t v)
{
	bytes_patch(&t->b, table + 8 * index, v, 8);
}

static void e32(struct walk *t, size_t table, size_t index, uint64_t v)
{
	bytes_patch(&t->b, table + 4 * index, v, 4);
}

static void begin(struct walk *t, enum krel_paging_mode mode, uint64_t cr3)
{
	krel_walk_init(&t->w, t->img, mode, cr3);
}

static void lies_at(struct walk *t, uint64_t va, uint64_t pa)
{
	uint64_t got = 0x77;

	assert_int_equal(krel_walk_translate(&t->w, va, &got), KREL_OK);
	assert_true(got == pa);
}

static void not_mapped(struct walk *t, uint64_t va)
{
	uint64_t got = 0x77;

	assert_int_equal(krel_walk_translate(&t->w, va, &got), KREL_ABSENT);
	assert_int_equal(got, 0x77);
}

static void two_levels(void **state)
{
	struct walk *t = walk_new();
	struct krel_mapping m;

	(void)state;
	e32(t, ROOT, 0x300, 0x2000 | 3);
	e32(t, 0x2000, 5, 0xabcd000 | 1);
	e32(t, ROOT, 0x310, 0x6400000 | 0x83);	/* 4 MiB */
	begin(t, KREL_PAGING_2LEVEL, ROOT | 0x18);
	lies_at(t, 0xc0005123, 0xabcd123);
	not_mapped(t, 0xc0006000);
	not_mapped(t, 0);
	lies_at(t, 0xc4012345, 0x6412345);
	assert_int_equal(krel_walk_next(&t->w, 0, UINT64_C(1) << 32, &m),
			 KREL_OK);
	assert_int_equal(m.va, 0xc0005000);
	assert_int_equal(m.size, 0x1000);
	assert_false(m.writable);
	assert_true(m.executable);
	assert_int_equal(krel_walk_next(&t->w, 0xc0006000, UINT64_C(1) << 32,
					&m), KREL_OK);
	assert_int_equal(m.va, 0xc4000000);
	assert_int_equal(m.size, 0x400000);
	assert_true(m.writable);
	walk_free(t);
}

/* PSE-36: bits 13 to 20 of a 4 MiB entry are physical bits 32 to 39. */
static void pse36(void **state)
{
	struct walk *t = walk_new();

	(void)state;
	e32(t, ROOT, 1, 0x00c00000 | 0x12 << 13 | 0x83);
	/* Bit 12 is PAT there, no part of the address. */
	e32(t, ROOT, 2, 0x00c00000 | 1 << 12 | 0x83);
	begin(t, KREL_PAGING_2LEVEL, ROOT);
	lies_at(t, 0x400010, UINT64_C(0x1200c00010));
	lies_at(t, 0x800010, 0x00c00010);
	walk_free(t);
}

/* The root of PAE is four entries at any 32 bytes; they have no R/W bit. */
static void pae(void **state)
{
	struct walk *t = walk_new();
	struct krel_mapping m;

	(void)state;
	bytes_patch(&t->b, ROOT + 0x20 + 3 * 8, 0x2001, 8);
	e64(t, 0x2000, 0, 0x3003);
	e64(t, 0x3000, 1, UINT64_C(0x8000000123456003));
	e64(t, 0x2000, 8, UINT64_C(0x200000) | 0x83 | 1 << 12);
	begin(t, KREL_PAGING_PAE, ROOT + 0x20 + 0x18);
	lies_at(t, 0xc0001fff, UINT64_C(0x123456fff));
	lies_at(t, 0xc1000010, 0x200010);
	not_mapped(t, 0xc0000000);
	not_mapped(t, 0x80000000);
	assert_int_equal(krel_walk_next(&t->w, 0, UINT64_C(1) << 32, &m),
			 KREL_OK);
	assert_int_equal(m.va, 0xc0001000);
	assert_true(m.writable);
	assert_false(m.executable);
	assert_int_equal(krel_walk_next(&t->w, 0xc0002000, UINT64_C(1) << 32,
					&m), KREL_OK);
	assert_int_equal(m.size, 0x200000);
	assert_true(m.executable);
	walk_free(t);
}

static void four_levels(void **state)
{
	struct walk *t = walk_new();
	struct krel_mapping m;

	(void)state;
	e64(t, ROOT, 511, 0x2067);
	e64(t, 0x2000, 510, 0x3067);
	e64(t, 0x2000, 511, UINT64_C(0x40000000) | 0xe3);	/* 1 GiB */
	e64(t, 0x3000, 8, 0x4067);
	e64(t, 0x3000, 9, UINT64_C(0xc600000) | 0x1e1 | 1 << 12); /* 2 MiB */
	e64(t, 0x4000, 0, 0xbeef001);
	begin(t, KREL_PAGING_4LEVEL, ROOT | 0x803);
	lies_at(t, UINT64_C(0xffffffff81000008), 0xbeef008);
	lies_at(t, UINT64_C(0xffffffff81200008), 0xc600008);
	lies_at(t, UINT64_C(0xffffffffc0000000), 0x40000000);
	lies_at(t, UINT64_MAX, UINT64_C(0x7fffffff));
	not_mapped(t, UINT64_C(0xffffffff80000000));
	assert_int_equal(krel_walk_next(&t->w, UINT64_C(0xffffffff80000000),
					UINT64_C(0xffffffffc0000000), &m),
			 KREL_OK);
	assert_true(m.va == UINT64_C(0xffffffff81000000));
	assert_false(m.writable);
	assert_int_equal(krel_walk_next(&t->w, UINT64_C(0xffffffff80000000),
					UINT64_C(0xffffffff81000000), &m),
			 KREL_ABSENT);
	walk_free(t);
}

static void five_levels(void **state)
{
	struct walk *t = walk_new();

	(void)state;
	e64(t, ROOT, 511, 0x2067);
	e64(t, 0x2000, 511, 0x3067);
	e64(t, 0x3000, 510, 0x4067);
	e64(t, 0x4000, 8, 0xc600000 | 0xe1);
	begin(t, KREL_PAGING_5LEVEL, ROOT);
	lies_at(t, UINT64_C(0xffffffff81000008), 0xc600008);
	not_mapped(t, UINT64_C(0xff00000000000000));
	/* Read as four levels the same tables lead elsewhere. */
	begin(t, KREL_PAGING_4LEVEL, ROOT);
	not_mapped(t, UINT64_C(0xffffffff81000008));
	walk_free(t);
}

/* Rights are those of all levels together. */
static void rights_add_up(void **state)
{
	struct walk *t = walk_new();
	struct krel_mapping m;

	(void)state;
	e64(t, ROOT, 0, 0x2067);
	e64(t, 0x2000, 0, UINT64_C(0x8000000000003065));	/* RO, NX */
	e64(t, 0x3000, 0, 0x4067);
	e64(t, 0x4000, 0, 0x5067);
	begin(t, KREL_PAGING_4LEVEL, ROOT);
	assert_int_equal(krel_walk_next(&t->w, 0, 0x1000, &m), KREL_OK);
	assert_false(m.writable);
	assert_false(m.executable);
	walk_free(t);
}

/* A leaf that the start lies in is cut to begin there. */
static void next_cuts_the_first_leaf(void **state)
{
	struct walk *t = walk_new();
	struct krel_mapping m;

	(void)state;
	e64(t, ROOT, 0, 0x2067);
	e64(t, 0x2000, 0, 0x3067);
	e64(t, 0x3000, 1, 0x600000 | 0xe3);
	begin(t, KREL_PAGING_4LEVEL, ROOT);
	assert_int_equal(krel_walk_next(&t->w, 0x212345, 0x800000, &m),
			 KREL_OK);
	assert_int_equal(m.va, 0x212345);
	assert_int_equal(m.pa, 0x612345);
	assert_int_equal(m.va + m.size, 0x400000);
	walk_free(t);
}

/* At the top of the address space the walk ends, and does not wrap. */
static void ends_at_the_top(void **state)
{
	struct walk *t = walk_new();
	struct krel_mapping m;

	(void)state;
	begin(t, KREL_PAGING_4LEVEL, ROOT);
	assert_int_equal(krel_walk_next(&t->w, UINT64_C(0xffffff8000000000),
					UINT64_MAX, &m), KREL_ABSENT);
	assert_int_equal(krel_walk_next(&t->w, UINT64_MAX - 1, UINT64_MAX,
					&m), KREL_ABSENT);
	assert_int_equal(krel_walk_next(&t->w, 5, 5, &m), KREL_ABSENT);
	begin(t, KREL_PAGING_2LEVEL, ROOT);
	assert_int_equal(krel_walk_next(&t->w, 0xffc00000, UINT64_C(1) << 32,
					&m), KREL_ABSENT);
	walk_free(t);
}

/* A table that is its own child ends: levels are counted, not followed. */
static void loops_end(void **state)
{
	static const enum krel_paging_mode mode[] = {
		KREL_PAGING_4LEVEL, KREL_PAGING_5LEVEL,
	};
	struct walk *t = walk_new();
	struct krel_mapping m;

	(void)state;
	for (size_t i = 0; i < 512; i++)
		e64(t, ROOT, i, ROOT | 0x67);
	for (size_t i = 0; i < 2; i++) {
		begin(t, mode[i], ROOT);
		lies_at(t, UINT64_C(0xffffffff81000123), ROOT + 0x123);
		assert_int_equal(krel_walk_next(&t->w, 0, 0x1000, &m),
				 KREL_OK);
		assert_int_equal(m.pa, ROOT);
	}
	walk_free(t);
}

/* A table outside of memory is a hole that is remembered. */
static void trouble_is_remembered(void **state)
{
	struct walk *t = walk_new();
	struct krel_mapping m;
	uint64_t pa = 7;

	(void)state;
	e64(t, ROOT, 0, 0x100000067);
	begin(t, KREL_PAGING_4LEVEL, ROOT);
	assert_int_equal(krel_walk_next(&t->w, 0, UINT64_C(1) << 47, &m),
			 KREL_ABSENT);
	assert_int_equal(t->w.trouble, KREL_ABSENT);
	assert_int_equal(krel_walk_translate(&t->w, 0, &pa), KREL_ABSENT);
	assert_int_equal(pa, 7);
	begin(t, KREL_PAGING_4LEVEL, 0x7ffff000);
	assert_int_equal(krel_walk_translate(&t->w, 0, &pa), KREL_ABSENT);
	walk_free(t);
}

/* Reads cross pages, and fail whole. */
static void reads_through(void **state)
{
	struct walk *t = walk_new();
	char got[8] = "";

	(void)state;
	e64(t, ROOT, 0, 0x2067);
	e64(t, 0x2000, 0, 0x3067);
	e64(t, 0x3000, 0, 0x4067);
	e64(t, 0x4000, 0, 0x8067);
	e64(t, 0x4000, 1, 0x6067);
	memcpy(t->b.p + 0x8ffd, "abc", 3);
	memcpy(t->b.p + 0x6000, "defg", 4);
	begin(t, KREL_PAGING_4LEVEL, ROOT);
	assert_int_equal(krel_walk_read(&t->w, 0xffd, got, 7), KREL_OK);
	assert_string_equal(got, "abcdefg");
	assert_int_equal(krel_walk_read(&t->w, 0x1ffe, got, 4), KREL_ABSENT);
	walk_free(t);
}

static void modes_by_control_registers(void **state)
{
	const uint64_t pg = 0x80000001, pae = 0x20, la57 = 0x1000;
	const struct {
		enum krel_arch arch;
		uint64_t cr0, cr4;
		enum krel_status st;
		enum krel_paging_mode mode;
		unsigned int levels;
	} c[] = {
		{ KREL_ARCH_X86_64, pg, pae, KREL_OK, KREL_PAGING_4LEVEL, 4 },
		{ KREL_ARCH_X86_64, pg, pae | la57, KREL_OK,
		  KREL_PAGING_5LEVEL, 5 },
		{ KREL_ARCH_X86_64, pg, 0, KREL_ABSENT, 0, 0 },
		{ KREL_ARCH_X86_64, 0x60000011, pae, KREL_ABSENT, 0, 0 },
		{ KREL_ARCH_I386, pg, 0, KREL_OK, KREL_PAGING_2LEVEL, 2 },
		{ KREL_ARCH_I386, pg, pae, KREL_OK, KREL_PAGING_PAE, 3 },
		/* An x86-32 kernel has no use of LA57. */
		{ KREL_ARCH_I386, pg, pae | la57, KREL_OK, KREL_PAGING_PAE, 3 },
		{ KREL_ARCH_I386, 0x11, pae, KREL_ABSENT, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct krel_cpu cpu = { .cr0 = c[i].cr0, .cr4 = c[i].cr4 };
		enum krel_paging_mode mode = 77;

		assert_int_equal(krel_paging_mode_of(c[i].arch, &cpu, &mode),
				 c[i].st);
		assert_int_equal(mode, c[i].st == KREL_OK ? c[i].mode : 77);
		if (c[i].st == KREL_OK)
			assert_int_equal(krel_paging_levels(mode),
					 c[i].levels);
	}
}

/* translate() and next() are two views of the same tables. */
static void translate_agrees_with_next(void **state)
{
	struct walk *t = walk_new();
	uint64_t va = UINT64_C(0xffffffff80000000), end = va + 0x1000000;
	struct krel_mapping m;
	unsigned int leaves = 0;

	(void)state;
	e64(t, ROOT, 511, 0x2067);
	e64(t, 0x2000, 510, 0x3067);
	e64(t, 0x3000, 1, 0x4067);
	e64(t, 0x3000, 3, 0x600000 | 0xe3);
	for (size_t i = 0; i < 512; i += 3)
		e64(t, 0x4000, i, (i << 12) | 1);
	begin(t, KREL_PAGING_4LEVEL, ROOT);
	while (krel_walk_next(&t->w, va, end, &m) == KREL_OK) {
		lies_at(t, m.va, m.pa);
		lies_at(t, m.va + m.size - 1, m.pa + m.size - 1);
		if (m.size == 0x1000)
			not_mapped(t, m.va + m.size);
		va = m.va + m.size;
		leaves++;
	}
	assert_int_equal(leaves, 172);
	walk_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_levels),
		cmocka_unit_test(pse36),
		cmocka_unit_test(pae),
		cmocka_unit_test(four_levels),
		cmocka_unit_test(five_levels),
		cmocka_unit_test(rights_add_up),
		cmocka_unit_test(next_cuts_the_first_leaf),
		cmocka_unit_test(ends_at_the_top),
		cmocka_unit_test(loops_end),
		cmocka_unit_test(trouble_is_remembered),
		cmocka_unit_test(reads_through),
		cmocka_unit_test(modes_by_control_registers),
		cmocka_unit_test(translate_agrees_with_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
