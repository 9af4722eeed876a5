// SPDX-License-Identifier: GPL-2.0-or-later
#include "kdump_bitmap.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"

#define BLOCK_BYTES	4096u
#define BLOCK_BITS	(BLOCK_BYTES * 8u)
#define GROUP_BYTES	64u		/* with a sum of its own in a block */
#define GROUPS		(BLOCK_BYTES / GROUP_BYTES)

/* Blocks in memory. A page-table walk jumps between a few of them. */
#define SLOTS		8u

/* A count reads this much at once. */
#define COUNT_BLOCKS	16u
#define COUNT_BYTES	(COUNT_BLOCKS * BLOCK_BYTES)

/*
 * Sums kept: one for each block up to 8 TiB of memory; above that one for
 * 2, 4, ... blocks, which bounds the table.
 */
#define SUMS_MAX	(64u << 10)

struct block {
	uint64_t index;		/* UINT64_MAX: empty */
	uint16_t before[GROUPS];	/* bits set in the groups before */
	uint8_t bits[BLOCK_BYTES];
};

struct krel_kdump_bitmap {
	struct krel_file *f;
	uint64_t off;
	uint64_t nr_bits, nr_blocks;
	unsigned int stride_log;	/* blocks per sum, a power of two */
	size_t nr_sums;			/* those counted */
	uint64_t *sum;			/* bits set before stride i */
	struct block slot[SLOTS];
	uint8_t count_buf[COUNT_BYTES];
};

enum krel_status krel_kdump_bitmap_open(struct krel_file *f, uint64_t off,
					uint64_t nr_bits,
					struct krel_kdump_bitmap **out,
					struct krel_error *err)
{
	struct krel_kdump_bitmap *m = calloc(1, sizeof(*m));
	uint64_t sums;

	if (!m)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      f->path);
	m->f = f;
	m->off = off;
	m->nr_bits = nr_bits;
	m->nr_blocks = (nr_bits + BLOCK_BITS - 1) / BLOCK_BITS;
	sums = m->nr_blocks;
	while (sums > SUMS_MAX) {
		sums = (sums + 1) / 2;
		m->stride_log++;
	}
	m->sum = calloc((size_t)sums, sizeof(*m->sum));
	if (!m->sum) {
		free(m);
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      f->path);
	}
	m->nr_sums = 1;		/* before the first one there is nothing */
	for (unsigned int i = 0; i < SLOTS; i++)
		m->slot[i].index = UINT64_MAX;
	*out = m;
	return KREL_OK;
}

void krel_kdump_bitmap_close(struct krel_kdump_bitmap *m)
{
	if (!m)
		return;
	free(m->sum);
	free(m);
}

/* @len is a multiple of 8, but at the end of the bitmap. */
static uint64_t count_bits(const uint8_t *p, size_t len)
{
	uint64_t n = 0;

	for (; len >= 8; len -= 8, p += 8)
		n += (uint64_t)__builtin_popcountll(krel_le64(p));
	for (; len > 0; len--, p++)
		n += (uint64_t)__builtin_popcount(*p);
	return n;
}

/* Bytes of the bitmap, without those of the last block's rest. */
static uint64_t bitmap_bytes(const struct krel_kdump_bitmap *m)
{
	return (m->nr_bits + 7) / 8;
}

static enum krel_status load_block(struct krel_kdump_bitmap *m,
				   uint64_t index, struct block **out,
				   struct krel_error *err)
{
	struct block *b = &m->slot[index % SLOTS];
	uint64_t start = index * BLOCK_BYTES;
	uint64_t len = bitmap_bytes(m) - start;
	enum krel_status st;
	uint64_t n = 0;

	*out = b;
	if (b->index == index)
		return KREL_OK;
	if (len > BLOCK_BYTES)
		len = BLOCK_BYTES;
	b->index = UINT64_MAX;
	memset(b->bits, 0, sizeof(b->bits));
	st = krel_file_read(m->f, m->off + start, b->bits, (size_t)len, err);
	if (st != KREL_OK)
		return st;
	for (unsigned int g = 0; g < GROUPS; g++) {
		b->before[g] = (uint16_t)n;
		n += count_bits(b->bits + g * GROUP_BYTES, GROUP_BYTES);
	}
	b->index = index;
	return KREL_OK;
}

static bool bit_of(const struct block *b, uint64_t i)
{
	return b->bits[i / 8 % BLOCK_BYTES] >> i % 8 & 1;
}

enum krel_status krel_kdump_bitmap_test(struct krel_kdump_bitmap *m,
					uint64_t i, bool *out,
					struct krel_error *err)
{
	struct block *b;
	enum krel_status st = load_block(m, i / BLOCK_BITS, &b, err);

	if (st == KREL_OK)
		*out = bit_of(b, i);
	return st;
}

/* Bits set in the whole blocks [from, to). */
static enum krel_status count_blocks(struct krel_kdump_bitmap *m,
				     uint64_t from, uint64_t to,
				     uint64_t *out, struct krel_error *err)
{
	uint64_t pos = from * BLOCK_BYTES, end = to * BLOCK_BYTES;
	uint64_t n = 0;

	while (pos < end) {
		size_t len = end - pos < COUNT_BYTES ? (size_t)(end - pos) :
						       COUNT_BYTES;
		enum krel_status st = krel_file_read(m->f, m->off + pos,
						     m->count_buf, len, err);

		if (st != KREL_OK)
			return st;
		n += count_bits(m->count_buf, len);
		pos += len;
	}
	*out = n;
	return KREL_OK;
}

/* Count on until the sum before stride @want is known. */
static enum krel_status grow_sums(struct krel_kdump_bitmap *m, size_t want,
				  struct krel_error *err)
{
	const uint64_t mask = (UINT64_C(1) << m->stride_log) - 1;
	const uint64_t to = (uint64_t)want << m->stride_log;
	uint64_t at = (uint64_t)(m->nr_sums - 1) << m->stride_log;
	uint64_t n = m->sum[m->nr_sums - 1];

	while (at < to) {
		uint64_t left = to - at;
		size_t some = left < COUNT_BLOCKS ? (size_t)left : COUNT_BLOCKS;
		enum krel_status st = krel_file_read(m->f,
				m->off + at * BLOCK_BYTES, m->count_buf,
				some * BLOCK_BYTES, err);

		if (st != KREL_OK)
			return st;
		for (size_t k = 0; k < some; k++) {
			n += count_bits(m->count_buf + k * BLOCK_BYTES,
					BLOCK_BYTES);
			at++;
			if ((at & mask) == 0)
				m->sum[m->nr_sums++] = n;
		}
	}
	return KREL_OK;
}

static uint64_t rank_in_block(const struct block *b, uint64_t i)
{
	unsigned int bit = (unsigned int)(i % BLOCK_BITS);
	unsigned int group = bit / 8 / GROUP_BYTES;
	uint64_t n = b->before[group];

	for (unsigned int k = group * GROUP_BYTES; k < bit / 8; k++)
		n += (uint64_t)__builtin_popcount(b->bits[k]);
	return n + (uint64_t)__builtin_popcount(
			b->bits[bit / 8] & ((1u << bit % 8) - 1));
}

enum krel_status krel_kdump_bitmap_rank(struct krel_kdump_bitmap *m,
					uint64_t i, uint64_t *out,
					struct krel_error *err)
{
	uint64_t index = i / BLOCK_BITS;
	size_t stride = (size_t)(index >> m->stride_log);
	uint64_t head = 0;
	struct block *b;
	enum krel_status st = grow_sums(m, stride, err);

	if (st == KREL_OK)
		st = count_blocks(m, (uint64_t)stride << m->stride_log, index,
				  &head, err);
	if (st == KREL_OK)
		st = load_block(m, index, &b, err);
	if (st == KREL_OK)
		*out = m->sum[stride] + head + rank_in_block(b, i);
	return st;
}

enum krel_status krel_kdump_bitmap_run(struct krel_kdump_bitmap *m,
				       uint64_t i, uint64_t *first,
				       uint64_t *end, struct krel_error *err)
{
	while (i < m->nr_bits) {
		uint64_t index = i / BLOCK_BITS, stop, start;
		struct block *b;
		enum krel_status st = load_block(m, index, &b, err);

		if (st != KREL_OK)
			return st;
		stop = (index + 1) * BLOCK_BITS;
		if (stop > m->nr_bits)
			stop = m->nr_bits;
		while (i < stop && !bit_of(b, i))
			i += b->bits[i / 8 % BLOCK_BYTES] == 0 ? 8 - i % 8 : 1;
		if (i >= stop)
			continue;
		start = i;
		while (i < stop && bit_of(b, i))
			i += b->bits[i / 8 % BLOCK_BYTES] == 0xff &&
			     i % 8 == 0 ? 8 : 1;
		*first = start;
		*end = i < stop ? i : stop;
		return KREL_OK;
	}
	return KREL_ABSENT;
}
