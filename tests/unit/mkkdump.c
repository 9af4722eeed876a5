// SPDX-License-Identifier: GPL-2.0-or-later
#include "mkkdump.h"

#include <stdlib.h>
#include <string.h>

#include <lzo/lzo1x.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include "pagecodec.h"

#define DESC_SIZE	24u

/* A test that has no memory has nothing to say. */
static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

void mk_buf_deinit(struct mk_buf *b)
{
	free(b->at);
	*b = (struct mk_buf){ 0 };
}

static void buf_grow(struct mk_buf *b, size_t len)
{
	if (len > b->room) {
		size_t room = len + len / 2;

		b->at = must(realloc(b->at, room));
		memset(b->at + b->room, 0, room - b->room);
		b->room = room;
	}
	if (len > b->len)
		b->len = len;
}

void mk_buf_put(struct mk_buf *b, size_t off, const void *p, size_t len)
{
	buf_grow(b, off + len);
	if (len > 0)
		memcpy(b->at + off, p, len);
}

void mk_buf_le(struct mk_buf *b, size_t off, uint64_t v, unsigned int len)
{
	buf_grow(b, off + len);
	for (unsigned int i = 0; i < len; i++)
		b->at[off + i] = (uint8_t)(v >> 8 * i);
}

static void buf_be64(struct mk_buf *b, uint64_t v)
{
	uint8_t p[8];

	for (unsigned int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * (7 - i));
	mk_buf_put(b, b->len, p, sizeof(p));
}

void mk_page(uint64_t pfn, enum mk_kind kind, uint8_t out[static MK_PAGE])
{
	uint64_t x = pfn * UINT64_C(0x9e3779b97f4a7c15) + 1;

	memset(out, 0, MK_PAGE);
	for (unsigned int i = 0; i < MK_PAGE; i++) {
		if (kind == MK_TEXT) {
			out[i] = (uint8_t)(pfn + i / 97);
		} else if (kind == MK_NOISE) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			out[i] = (uint8_t)(x >> 32);
		}
	}
}

static size_t compress_lzo(const uint8_t *in, size_t len, uint8_t *out)
{
	void *work = must(malloc(LZO1X_1_MEM_COMPRESS));
	lzo_uint got = 0;
	int rc = lzo_init();

	if (rc == LZO_E_OK)
		rc = lzo1x_1_compress(in, len, out, &got, work);
	free(work);
	return rc == LZO_E_OK ? got : 0;
}

size_t mk_compress(uint32_t method, const uint8_t *in, size_t len,
		   uint8_t *out, size_t room)
{
	uLongf zlen = (uLongf)room;
	size_t got = room;

	switch (method) {
	case KREL_PAGE_ZLIB:
		return compress2(out, &zlen, in, (uLong)len, 1) == Z_OK ?
		       zlen : 0;
	case KREL_PAGE_LZO:
		return compress_lzo(in, len, out);
	case KREL_PAGE_SNAPPY:
		return snappy_compress((const char *)in, len, (char *)out,
				       &got) == SNAPPY_OK ? got : 0;
	case KREL_PAGE_ZSTD:
		got = ZSTD_compress(out, room, in, len, 1);
		return ZSTD_isError(got) ? 0 : got;
	default:
		return 0;
	}
}

void mk_note(struct mk_buf *b, const char *name, uint32_t type,
	     const void *desc, size_t len)
{
	size_t name_len = strlen(name) + 1, at = b->len;

	mk_buf_le(b, at, name_len, 4);
	mk_buf_le(b, at + 4, len, 4);
	mk_buf_le(b, at + 8, type, 4);
	mk_buf_put(b, at + 12, name, name_len);
	at += 12 + (name_len + 3) / 4 * 4;
	mk_buf_put(b, at, desc, len);
	buf_grow(b, at + (len + 3) / 4 * 4);
}

/* ------------------------------------------------------------- headers */

size_t mkkdump_sub_vmcoreinfo(const struct mkkdump *spec)
{
	return MK_PAGE + (spec->is_64 ? 32 : 20);
}

size_t mkkdump_sub_notes(const struct mkkdump *spec)
{
	return MK_PAGE + (spec->is_64 ? 48 : 32);
}

size_t mkkdump_sub_max_mapnr(const struct mkkdump *spec)
{
	return MK_PAGE + (spec->is_64 ? 96 : 72);
}

static void put_part(struct mk_buf *b, const struct mkkdump *spec, size_t at,
		     size_t off, size_t len)
{
	mk_buf_le(b, at, off, 8);
	mk_buf_le(b, at + 8, len, spec->is_64 ? 8 : 4);
}

static size_t blocks(size_t bytes)
{
	return (bytes + MK_PAGE - 1) / MK_PAGE;
}

/* Fields of later versions get a pattern: a reader must not look there. */
static void put_sub_header(const struct mkkdump *spec,
			   struct mkkdump_file *out)
{
	const size_t len = spec->is_64 ? 104 : 80;
	struct mk_buf *b = &out->buf;
	size_t text_len = spec->vmcoreinfo ? strlen(spec->vmcoreinfo) : 0;

	buf_grow(b, MK_PAGE + len);
	memset(b->at + MK_PAGE, 0xa5, len);
	mk_buf_le(b, MK_PAGE, 0, spec->is_64 ? 8 : 4);	/* phys_base */
	out->vmcoreinfo = MK_PAGE + len;
	out->notes = out->vmcoreinfo + text_len;
	if (spec->version >= 2)
		mk_buf_le(b, MK_PAGE + (spec->is_64 ? 12 : 8), spec->split, 4);
	if (spec->version >= 3) {
		put_part(b, spec, mkkdump_sub_vmcoreinfo(spec),
			 text_len ? out->vmcoreinfo : 0, text_len);
		mk_buf_put(b, out->vmcoreinfo, spec->vmcoreinfo, text_len);
	}
	if (spec->version >= 4) {
		put_part(b, spec, mkkdump_sub_notes(spec),
			 spec->notes_len ? out->notes : 0, spec->notes_len);
		mk_buf_put(b, out->notes, spec->notes, spec->notes_len);
	}
	if (spec->version >= 6)
		mk_buf_le(b, mkkdump_sub_max_mapnr(spec), spec->max_pfn, 8);
}

static void put_header(const struct mkkdump *spec, struct mkkdump_file *out,
		       size_t sub_blocks, size_t bitmap_blocks)
{
	struct mk_buf *b = &out->buf;
	size_t at = spec->is_64 ? 424 : 412;
	const uint32_t field[10] = {
		spec->status | spec->method, MK_PAGE, (uint32_t)sub_blocks,
		(uint32_t)bitmap_blocks, (uint32_t)spec->max_pfn, 0, 0, 0, 0,
		spec->nr_cpus,
	};

	mk_buf_put(b, 0, spec->diskdump ? "DISKDUMP" : "KDUMP   ", 8);
	mk_buf_le(b, 8, spec->version, 4);
	mk_buf_put(b, 12 + 65 * 2, spec->release, strlen(spec->release));
	mk_buf_put(b, 12 + 65 * 4, spec->machine, strlen(spec->machine));
	out->fields = at;
	for (unsigned int i = 0; i < 10; i++)
		mk_buf_le(b, at + 4 * i, field[i], 4);
}

/* -------------------------------------------------------- pages */

static bool is_present(uint8_t kind)
{
	return kind == MK_ZERO || kind == MK_TEXT || kind == MK_NOISE;
}

static void put_bitmaps(const struct mkkdump *spec, struct mkkdump_file *out)
{
	struct mk_buf *b = &out->buf;

	buf_grow(b, out->desc);
	for (uint64_t pfn = 0; pfn < spec->max_pfn; pfn++) {
		uint8_t bit = (uint8_t)(1u << pfn % 8);
		size_t byte = (size_t)(pfn / 8);

		if (spec->kind[pfn] != MK_ABSENT && !spec->one_bitmap)
			b->at[out->bitmap1 + byte] |= bit;
		if (!is_present(spec->kind[pfn]))
			continue;
		b->at[out->bitmap2 + byte] |= bit;
		out->nr_desc++;
	}
}

static void put_desc(struct mkkdump_file *out, size_t index, size_t off,
		     size_t size, uint32_t flags)
{
	size_t at = out->desc + index * DESC_SIZE;

	mk_buf_le(&out->buf, at, off, 8);
	mk_buf_le(&out->buf, at + 8, size, 4);
	mk_buf_le(&out->buf, at + 12, flags, 4);
	mk_buf_le(&out->buf, at + 16, 0, 8);
}

static void put_pages(const struct mkkdump *spec, struct mkkdump_file *out)
{
	static const uint8_t zero[MK_PAGE];
	uint8_t page[MK_PAGE], packed[4 * MK_PAGE];
	size_t index = 0;

	out->data = out->desc + out->nr_desc * DESC_SIZE;
	mk_buf_put(&out->buf, out->data, zero, sizeof(zero));
	for (uint64_t pfn = 0; pfn < spec->max_pfn; pfn++) {
		size_t at = out->buf.len, len;

		if (!is_present(spec->kind[pfn]))
			continue;
		if (spec->kind[pfn] == MK_ZERO) {
			put_desc(out, index++, out->data, MK_PAGE, 0);
			continue;
		}
		mk_page(pfn, spec->kind[pfn], page);
		len = mk_compress(spec->method, page, MK_PAGE, packed,
				  sizeof(packed));
		if (len > 0 && len < MK_PAGE) {
			mk_buf_put(&out->buf, at, packed, len);
			put_desc(out, index++, at, len, spec->method);
		} else {
			mk_buf_put(&out->buf, at, page, MK_PAGE);
			put_desc(out, index++, at, MK_PAGE, 0);
		}
	}
}

void mkkdump_write(const struct mkkdump *spec, struct mkkdump_file *out)
{
	size_t map_blocks = blocks((size_t)(spec->max_pfn + 7) / 8);
	size_t sub_blocks = 1;

	*out = (struct mkkdump_file){ .sub = MK_PAGE };
	buf_grow(&out->buf, 2 * MK_PAGE);
	if (!spec->diskdump) {
		put_sub_header(spec, out);
		sub_blocks = blocks(out->buf.len) - 1;
	}
	put_header(spec, out, sub_blocks,
		   spec->one_bitmap ? map_blocks : 2 * map_blocks);
	out->bitmap1 = (1 + sub_blocks) * MK_PAGE;
	out->bitmap2 = out->bitmap1;
	if (!spec->one_bitmap)
		out->bitmap2 += map_blocks * MK_PAGE;
	out->desc = out->bitmap2 + map_blocks * MK_PAGE;
	put_bitmaps(spec, out);
	put_pages(spec, out);
}

/* -------------------------------------------------------- flattened */

void mkflat_start(struct mk_buf *b)
{
	mk_buf_put(b, 0, "makedumpfile\0\0\0", 16);
	buf_be64(b, 1);
	buf_be64(b, 1);
	buf_grow(b, MK_PAGE);
}

void mkflat_record(struct mk_buf *b, uint64_t off, const void *p, size_t len)
{
	buf_be64(b, off);
	buf_be64(b, len);
	mk_buf_put(b, b->len, p, len);
}

void mkflat_end(struct mk_buf *b)
{
	buf_be64(b, UINT64_MAX);
	buf_be64(b, UINT64_MAX);
}

void mkflat_reversed(struct mk_buf *b, const struct mk_buf *plain,
		     size_t chunk)
{
	size_t nr = (plain->len + chunk - 1) / chunk;

	mkflat_start(b);
	while (nr-- > 0) {
		size_t at = nr * chunk;
		size_t len = plain->len - at < chunk ? plain->len - at : chunk;

		mkflat_record(b, at, plain->at + at, len);
	}
	mkflat_end(b);
}
