// SPDX-License-Identifier: GPL-2.0-or-later
#include "snappy_chunk.h"

#include <inttypes.h>
#include <string.h>

#include <snappy-c.h>

#include "bytes.h"
#include "error.h"

#define VARINT_SIZE	5u	/* the length before packed data, at most */
#define STREAM_MAGIC	"sNaPpY"

#define CRC_POLYNOMIAL	0x82f63b78u	/* Castagnoli's, bits reversed */
#define CRC_MASK	0xa282ead8u
#define CRC_SLICES	KREL_SNAPPY_CRC_SLICES

/* -------------------------------------------------------------- CRC-32C */

/* Table k gives the effect of a byte that is followed by k others. */
static void crc_tables(uint32_t crc[CRC_SLICES][256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t v = i;

		for (int bit = 0; bit < 8; bit++)
			v = v >> 1 ^ (v & 1 ? CRC_POLYNOMIAL : 0);
		crc[0][i] = v;
	}
	for (size_t k = 1; k < CRC_SLICES; k++)
		for (size_t i = 0; i < 256; i++) {
			uint32_t v = crc[k - 1][i];

			crc[k][i] = v >> 8 ^ crc[0][v & 0xff];
		}
}

uint32_t krel_snappy_crc(const struct krel_snappy_heads *s, const uint8_t *p,
			 size_t len)
{
	uint32_t v = UINT32_MAX;

	for (; len >= CRC_SLICES; len -= CRC_SLICES, p += CRC_SLICES) {
		uint64_t x = krel_le64(p) ^ v;

		v = 0;
		for (size_t k = 0; k < CRC_SLICES; k++)
			v ^= s->crc[CRC_SLICES - 1 - k][x >> 8 * k & 0xff];
	}
	for (; len > 0; len--, p++)
		v = v >> 8 ^ s->crc[0][(v ^ *p) & 0xff];
	v = ~v;
	return (v >> 15 | v << 17) + CRC_MASK;
}

/* ---------------------------------------------------------------- heads */

/* Many small reads, one behind the other. The caller checked the bounds. */
static enum krel_status look(struct krel_snappy_heads *s, uint64_t at,
			     uint8_t *to, size_t len, struct krel_error *err)
{
	if (at < s->window_at ||
	    !krel_in_bounds(at - s->window_at, len, s->window_len)) {
		uint64_t left = s->f->size - at;
		size_t n = sizeof(s->window);
		enum krel_status st;

		if (n > left)
			n = (size_t)left;
		s->window_len = 0;
		st = krel_file_read(s->f, at, s->window, n, err);
		if (st != KREL_OK)
			return st;
		s->window_at = at;
		s->window_len = n;
	}
	memcpy(to, s->window + (at - s->window_at), len);
	return KREL_OK;
}

enum krel_status krel_snappy_chunk_bad(const struct krel_snappy_heads *s,
				       const struct krel_snappy_chunk *c,
				       const char *want, const char *what,
				       uint64_t found, struct krel_error *err)
{
	return krel_error_set(err, KREL_CORRUPT,
		"%s: snappy chunk at 0x%" PRIx64 " of the file: expected %s, found %s0x%" PRIx64 ": the dump is damaged, copy it again",
		s->f->path, c->at - KREL_SNAPPY_HEADER, want, what, found);
}

static enum krel_status check_stream(struct krel_snappy_heads *s,
				     const struct krel_snappy_chunk *c,
				     struct krel_error *err)
{
	uint8_t magic[sizeof(STREAM_MAGIC) - 1];
	enum krel_status st;

	if (c->len != sizeof(magic))
		return krel_snappy_chunk_bad(s, c,
			"a stream identifier of 6 bytes", "a length of ",
			c->len, err);
	st = look(s, c->at, magic, sizeof(magic), err);
	if (st != KREL_OK)
		return st;
	if (memcmp(magic, STREAM_MAGIC, sizeof(magic)) != 0)
		return krel_snappy_chunk_bad(s, c,
			"the stream identifier " STREAM_MAGIC,
			"another that begins with ", magic[0], err);
	return KREL_OK;
}

/* How much comes out of packed data is stated in its first bytes. */
static enum krel_status packed_size(struct krel_snappy_heads *s,
				    struct krel_snappy_chunk *c,
				    struct krel_error *err)
{
	size_t n = c->len - KREL_SNAPPY_CRC_SIZE, size;
	uint8_t head[VARINT_SIZE];
	enum krel_status st;

	if (n > sizeof(head))
		n = sizeof(head);
	st = look(s, c->at + KREL_SNAPPY_CRC_SIZE, head, n, err);
	if (st != KREL_OK)
		return st;
	if (snappy_uncompressed_length((const char *)head, n, &size) !=
	    SNAPPY_OK)
		return krel_snappy_chunk_bad(s, c,
			"data that states its length", "byte ", head[0], err);
	if (size > KREL_SNAPPY_MAX_UNPACKED)
		return krel_snappy_chunk_bad(s, c,
			"at most 0x10000 bytes of data", "a stated length of ",
			size, err);
	c->size = (uint32_t)size;
	return KREL_OK;
}

/* Lengths that no writer makes are damage, also where the file is cut. */
static enum krel_status check_length(const struct krel_snappy_heads *s,
				     const struct krel_snappy_chunk *c,
				     struct krel_error *err)
{
	bool packed = c->type == KREL_SNAPPY_PACKED;
	uint32_t min = packed ? 1 : 0;
	uint32_t max = packed ? KREL_SNAPPY_MAX_PACKED :
				KREL_SNAPPY_MAX_UNPACKED;

	if (c->type == KREL_SNAPPY_STREAM || c->type >= KREL_SNAPPY_SKIPPABLE)
		return KREL_OK;
	if (c->type > KREL_SNAPPY_STORED)
		return krel_snappy_chunk_bad(s, c,
			"a type that is known or may be skipped", "type ",
			c->type, err);
	if (c->len < KREL_SNAPPY_CRC_SIZE + min ||
	    c->len > KREL_SNAPPY_CRC_SIZE + max)
		return krel_snappy_chunk_bad(s, c,
			"a CRC and at most 0x10000 bytes of data",
			"a length of ", c->len, err);
	return KREL_OK;
}

enum krel_status krel_snappy_heads_read(struct krel_snappy_heads *s,
					uint64_t at,
					struct krel_snappy_chunk *c,
					struct krel_error *err)
{
	uint8_t h[KREL_SNAPPY_HEADER];
	enum krel_status st;

	if (!krel_in_bounds(at, sizeof(h), s->f->size))
		return KREL_ABSENT;
	st = look(s, at, h, sizeof(h), err);
	if (st != KREL_OK)
		return st;
	*c = (struct krel_snappy_chunk){
		.at = at + sizeof(h), .len = krel_le32(h) >> 8, .type = h[0],
	};
	st = check_length(s, c, err);
	if (st != KREL_OK)
		return st;
	if (!krel_in_bounds(c->at, c->len, s->f->size))
		return KREL_ABSENT;
	if (c->type == KREL_SNAPPY_STREAM)
		return check_stream(s, c, err);
	if (c->type == KREL_SNAPPY_PACKED)
		return packed_size(s, c, err);
	if (c->type == KREL_SNAPPY_STORED)
		c->size = c->len - KREL_SNAPPY_CRC_SIZE;
	return KREL_OK;
}

void krel_snappy_heads_init(struct krel_snappy_heads *s, struct krel_file *f)
{
	memset(s, 0, sizeof(*s));
	s->f = f;
	crc_tables(s->crc);
}
