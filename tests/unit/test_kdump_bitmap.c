// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting bits of a bitmap that is never held as a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kdump_bitmap.h"

#define NR_BITS	200003u		/* more than six blocks, a ragged end */

static struct krel_file *mem_file(const uint8_t *p, size_t len)
{
	struct krel_file *f = NULL;

	assert_int_equal(krel_file_mem(p, len, "bitmap.test", &f, NULL),
			 KREL_OK);
	return f;
}

/* Runs of every length, long empty stretches, and all bits behind the end. */
static void fill(uint8_t *bits, size_t len)
{
	uint64_t x = 88172645463325252u;
	size_t i = 0;

	memset(bits, 0, len);
	while (i < NR_BITS) {
		size_t run;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		run = x % 64 == 0 ? x >> 8 & 0x7fff : x >> 8 & 31;
		for (size_t k = 0; x & 1 << 20 && k < run && i + k < NR_BITS;
		     k++)
			bits[(i + k) / 8] |= (uint8_t)(1u << (i + k) % 8);
		i += run + 1;
	}
	for (i = NR_BITS; i < len * 8; i++)
		bits[i / 8] |= (uint8_t)(1u << i % 8);
}

static bool bit(const uint8_t *bits, uint64_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static void test_all_ways(void **state)
{
	static uint8_t bits[NR_BITS / 8 + 1 + 3];
	static uint32_t before[NR_BITS];
	struct krel_kdump_bitmap *m;
	struct krel_file *f;
	uint32_t n = 0;
	uint64_t rank;
	bool set;

	(void)state;
	fill(bits + 3, sizeof(bits) - 3);
	for (uint32_t i = 0; i < NR_BITS; i++) {
		before[i] = n;
		n += bit(bits + 3, i);
	}
	assert_in_range(n, NR_BITS / 10, NR_BITS - NR_BITS / 10);
	f = mem_file(bits, sizeof(bits));
	for (unsigned int way = 0; way < 3; way++) {
		assert_int_equal(krel_kdump_bitmap_open(f, 3, NR_BITS, &m,
							NULL), KREL_OK);
		for (uint64_t k = 0; k < NR_BITS; k++) {
			/* Upwards, downwards, all over the place. */
			uint64_t i = way == 0 ? k : way == 1 ?
				NR_BITS - 1 - k : k * 77773 % NR_BITS;

			assert_int_equal(krel_kdump_bitmap_rank(m, i, &rank,
								NULL), KREL_OK);
			assert_int_equal(rank, before[i]);
			assert_int_equal(krel_kdump_bitmap_test(m, i, &set,
								NULL), KREL_OK);
			assert_int_equal(set, bit(bits + 3, i));
		}
		krel_kdump_bitmap_close(m);
	}
	krel_file_close(f);
}

/* Runs name each set bit once, in order, and no other; also from midway. */
static void test_runs(void **state)
{
	static uint8_t bits[NR_BITS / 8 + 1];
	struct krel_kdump_bitmap *m;
	struct krel_file *f;
	uint64_t i = 0, first, end, runs = 0;

	(void)state;
	fill(bits, sizeof(bits));
	f = mem_file(bits, sizeof(bits));
	assert_int_equal(krel_kdump_bitmap_open(f, 0, NR_BITS, &m, NULL),
			 KREL_OK);
	while (krel_kdump_bitmap_run(m, i, &first, &end, NULL) == KREL_OK) {
		assert_true(first >= i && end > first && end <= NR_BITS);
		for (; i < first; i++)
			assert_false(bit(bits, i));
		for (; i < end; i++)
			assert_true(bit(bits, i));
		runs++;
	}
	for (; i < NR_BITS; i++)
		assert_false(bit(bits, i));
	assert_true(runs > 100);
	for (i = 0; i < NR_BITS; i += 13) {
		uint64_t want = i;

		while (want < NR_BITS && !bit(bits, want))
			want++;
		if (want == NR_BITS)
			break;
		assert_int_equal(krel_kdump_bitmap_run(m, i, &first, &end,
						       NULL), KREL_OK);
		assert_int_equal(first, want);
	}
	assert_int_equal(krel_kdump_bitmap_run(m, NR_BITS, &first, &end,
					       NULL), KREL_ABSENT);
	assert_int_equal(krel_kdump_bitmap_run(m, UINT64_MAX, &first, &end,
					       NULL), KREL_ABSENT);
	krel_kdump_bitmap_close(m);
	krel_file_close(f);
}

/* Asked for the start, it does not read the rest. */
static void test_cost(void **state)
{
	const size_t len = 8 << 20;	/* the bitmap of 256 GiB */
	uint8_t *bits = calloc(1, len);
	struct krel_kdump_bitmap *m;
	struct krel_file *f;
	uint64_t rank;

	(void)state;
	assert_non_null(bits);
	f = mem_file(bits, len);
	assert_int_equal(krel_kdump_bitmap_open(f, 0, len * 8, &m, NULL),
			 KREL_OK);
	assert_int_equal(f->bytes_read, 0);
	assert_int_equal(krel_kdump_bitmap_rank(m, 5, &rank, NULL), KREL_OK);
	assert_in_range(f->bytes_read, 1, 8192);
	assert_int_equal(krel_kdump_bitmap_rank(m, len * 4, &rank, NULL),
			 KREL_OK);
	assert_in_range(f->bytes_read, len / 2, len / 2 + 16384);
	/* What was counted is not counted again. */
	for (uint64_t i = 0; i < len * 4; i += 1000003)
		assert_int_equal(krel_kdump_bitmap_rank(m, i, &rank, NULL),
				 KREL_OK);
	assert_in_range(f->bytes_read, len / 2, len / 2 + 256 * 4096);
	krel_kdump_bitmap_close(m);
	krel_file_close(f);
	free(bits);
}

/* One byte in each 4 KiB is set, to 0x81; at a place that changes. */
static uint8_t sparse_byte(uint64_t off)
{
	return off % 4096 == off / 4096 % 4096 ? 0x81 : 0;
}

static enum krel_status sparse_read(struct krel_file *f, uint64_t off,
				    void *buf, size_t len,
				    struct krel_error *err)
{
	uint64_t block = off / 4096;

	(void)err;
	f->bytes_read += len;
	memset(buf, 0, len);
	for (; block * 4096 < off + len; block++) {
		uint64_t at = block * 4096 + block % 4096;

		if (at >= off && at < off + len)
			((uint8_t *)buf)[at - off] = sparse_byte(at);
	}
	return KREL_OK;
}

/* 48 TiB of memory: sums are kept for every eighth block only. */
static void test_huge(void **state)
{
	static const struct krel_file_ops ops = { .read = sparse_read };
	char path[] = "huge.test";
	const uint64_t nr_bits = UINT64_C(3) << 32;
	struct krel_file f = { .ops = &ops, .path = path,
			       .size = nr_bits / 8 };
	struct krel_kdump_bitmap *m;
	uint64_t i = 0;

	(void)state;
	assert_int_equal(krel_kdump_bitmap_open(&f, 0, nr_bits, &m, NULL),
			 KREL_OK);
	for (unsigned int k = 0; k < 2000; k++) {
		/* Two bits in each whole block before, and those in this. */
		uint64_t block = i / 32768, bit_in = i % 32768;
		uint64_t low = block % 4096 * 8;
		uint64_t want = 2 * block + (bit_in > low) +
				(bit_in > low + 7);
		uint64_t rank;

		assert_int_equal(krel_kdump_bitmap_rank(m, i, &rank, NULL),
				 KREL_OK);
		assert_int_equal(rank, want);
		i = (i * 3 + 32768 * 4001 + 12345) % (nr_bits / 4);
	}
	assert_in_range(f.bytes_read, 1, nr_bits / 8 / 4 + 2000 * 9 * 4096);
	krel_kdump_bitmap_close(m);
}

static void test_cut(void **state)
{
	static uint8_t bits[2 * 4096];
	struct krel_kdump_bitmap *m;
	struct krel_error err = { "" };
	struct krel_file *f = mem_file(bits, sizeof(bits) - 1);
	uint64_t first, end, rank;
	bool set;

	(void)state;
	assert_int_equal(krel_kdump_bitmap_open(f, 0, sizeof(bits) * 8, &m,
						NULL), KREL_OK);
	assert_int_equal(krel_kdump_bitmap_test(m, 4096 * 8 - 1, &set, &err),
			 KREL_OK);
	assert_int_equal(krel_kdump_bitmap_test(m, 4096 * 8, &set, &err),
			 KREL_UNREADABLE);
	assert_non_null(strstr(err.text, "bitmap.test"));
	assert_int_equal(krel_kdump_bitmap_rank(m, 4096 * 8, &rank, NULL),
			 KREL_UNREADABLE);
	assert_int_equal(krel_kdump_bitmap_run(m, 0, &first, &end, NULL),
			 KREL_UNREADABLE);
	krel_kdump_bitmap_close(m);
	krel_kdump_bitmap_close(NULL);
	krel_file_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_ways),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests_name("kdump_bitmap", tests, NULL, NULL);
}
