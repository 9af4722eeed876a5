// SPDX-License-Identifier: GPL-2.0-or-later
#include "kdump_pages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"
#include "kdump_bitmap.h"
#include "pagecodec.h"

#define PAGE_SHIFT	12
#define CACHE_PAGES	32u	/* decompressed ones */
#define DESCS_AHEAD	128u	/* descriptors read at once */
#define NO_PFN		UINT64_MAX

/** A page descriptor; a fourth field, the page's flags, is of no use here. */
struct desc {
	uint64_t off;
	uint32_t size;
	uint32_t flags;
};

struct cached_page {
	uint64_t pfn;		/* NO_PFN: empty */
	uint64_t used;		/* time of the last use */
	struct desc desc;
	uint8_t data[KREL_PAGE_SIZE];
};

struct krel_kdump_pages {
	struct krel_file *f;
	struct krel_kdump_header h;
	struct krel_kdump_bitmap *exist;	/* NULL: the same as present */
	struct krel_kdump_bitmap *present;
	struct krel_pagecodec *codec;

	uint64_t desc_first;	/* index of the first in the buffer */
	unsigned int desc_nr;
	uint8_t desc_buf[DESCS_AHEAD * KREL_KDUMP_DESC_SIZE];
	uint64_t descs_known;	/* the table has at least so many */

	uint64_t clock;
	struct cached_page cache[CACHE_PAGES];
	uint8_t packed[KREL_PAGE_SIZE];
};

enum krel_status krel_kdump_pages_open(struct krel_file *f,
				       const struct krel_kdump_header *h,
				       struct krel_kdump_pages **out,
				       struct krel_error *err)
{
	struct krel_kdump_pages *k = calloc(1, sizeof(*k));
	enum krel_status st;

	if (!k)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      f->path);
	k->f = f;
	k->h = *h;
	for (unsigned int i = 0; i < CACHE_PAGES; i++)
		k->cache[i].pfn = NO_PFN;
	st = krel_pagecodec_open(&k->codec, err);
	if (st == KREL_OK)
		st = krel_kdump_bitmap_open(f, h->bitmap2, h->max_pfn,
					    &k->present, err);
	if (st == KREL_OK && h->bitmap1 != h->bitmap2)
		st = krel_kdump_bitmap_open(f, h->bitmap1, h->max_pfn,
					    &k->exist, err);
	if (st == KREL_OK)
		*out = k;
	else
		krel_kdump_pages_close(k);
	return st;
}

void krel_kdump_pages_close(struct krel_kdump_pages *k)
{
	if (!k)
		return;
	krel_kdump_bitmap_close(k->exist);
	krel_kdump_bitmap_close(k->present);
	krel_pagecodec_close(k->codec);
	free(k);
}

static enum krel_status load_desc(struct krel_kdump_pages *k, uint64_t index,
				  struct desc *out, struct krel_error *err)
{
	struct krel_file *f = k->f;
	const uint8_t *p;

	if (index < k->desc_first || index - k->desc_first >= k->desc_nr) {
		uint64_t off = k->h.desc + index * KREL_KDUMP_DESC_SIZE;
		uint64_t left = off < f->size ?
				(f->size - off) / KREL_KDUMP_DESC_SIZE : 0;
		unsigned int nr = left < DESCS_AHEAD ? (unsigned int)left :
						       DESCS_AHEAD;
		enum krel_status st;

		/* When there is not even one the read says why. */
		if (nr == 0)
			nr = 1;
		k->desc_nr = 0;
		st = krel_file_read(f, off, k->desc_buf,
				    nr * KREL_KDUMP_DESC_SIZE, err);
		if (st != KREL_OK)
			return st;
		k->desc_first = index;
		k->desc_nr = nr;
	}
	p = k->desc_buf + (index - k->desc_first) * KREL_KDUMP_DESC_SIZE;
	*out = (struct desc){
		.off = krel_le64(p),
		.size = krel_le32(p + 8),
		.flags = krel_le32(p + 12),
	};
	if (index >= k->descs_known)
		k->descs_known = index + 1;
	return KREL_OK;
}

static enum krel_status bad_desc(const struct krel_file *f, uint64_t pfn,
				 const struct desc *d, const char *want,
				 struct krel_error *err)
{
	return krel_error_set(err, KREL_CORRUPT,
		"%s: page at 0x%" PRIx64 ": expected %s, found a descriptor with offset 0x%" PRIx64 ", size %" PRIu32 ", flags 0x%" PRIx32,
		f->path, pfn << PAGE_SHIFT, want, d->off, d->size, d->flags);
}

/*
 * Page data lies behind the descriptors, and never farther than if all pages
 * were there uncompressed. A file that was cut off ends before that.
 */
static enum krel_status check_place(const struct krel_kdump_pages *k,
				    uint64_t pfn, const struct desc *d,
				    struct krel_error *err)
{
	const struct krel_file *f = k->f;
	uint64_t min = k->h.desc + k->descs_known * KREL_KDUMP_DESC_SIZE;
	uint64_t max = k->h.desc + (k->h.max_pfn + 1) *
				   (KREL_PAGE_SIZE + KREL_KDUMP_DESC_SIZE);

	if (d->off < min)
		return bad_desc(f, pfn, d, "data behind the descriptors", err);
	if (d->off > max)
		return bad_desc(f, pfn, d, "data inside of the dump", err);
	if (krel_in_bounds(d->off, d->size, f->size))
		return KREL_OK;
	return krel_error_set(err, KREL_UNREADABLE,
		"%s: file ends at 0x%" PRIx64 ", data of the page at 0x%" PRIx64 " is at 0x%" PRIx64 ", %" PRIu32 " bytes: it is cut off",
		f->path, f->size, pfn << PAGE_SHIFT, d->off, d->size);
}

static enum krel_status check_desc(const struct krel_kdump_pages *k,
				   uint64_t pfn, const struct desc *d,
				   struct krel_error *err)
{
	const struct krel_file *f = k->f;

	if (d->off == 0 && d->size == 0)
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: page at 0x%" PRIx64 " was never written: the dump is incomplete",
			f->path, pfn << PAGE_SHIFT);
	if (d->flags != 0 && !krel_pagecodec_name(d->flags))
		return bad_desc(f, pfn, d,
				"zlib, lzo, snappy, zstd or plain data", err);
	if (d->size == 0 || d->size > KREL_PAGE_SIZE)
		return bad_desc(f, pfn, d, "1 to 4096 bytes of data", err);
	if (d->flags == 0 && d->size != KREL_PAGE_SIZE)
		return bad_desc(f, pfn, d, "4096 bytes of plain data", err);
	return check_place(k, pfn, d, err);
}

static enum krel_status not_present(const struct krel_kdump_pages *k,
				    uint64_t pfn, struct krel_error *err)
{
	const char *path = k->f->path;
	bool exists = false;
	enum krel_status st = KREL_OK;

	if (k->exist)
		st = krel_kdump_bitmap_test(k->exist, pfn, &exists, err);
	if (st != KREL_OK)
		return st;
	if (exists)
		return krel_error_set(err, KREL_FILTERED,
			"%s: page at 0x%" PRIx64 " was filtered out of the dump",
			path, pfn << PAGE_SHIFT);
	return krel_error_set(err, KREL_ABSENT, "%s: no memory at 0x%" PRIx64,
			      path, pfn << PAGE_SHIFT);
}

/* Find the page's descriptor and check it. */
static enum krel_status find_desc(struct krel_kdump_pages *k, uint64_t pfn,
				  struct desc *out, struct krel_error *err)
{
	enum krel_status st;
	uint64_t index;
	bool present;

	st = krel_kdump_bitmap_test(k->present, pfn, &present, err);
	if (st == KREL_OK && !present)
		return not_present(k, pfn, err);
	if (st == KREL_OK)
		st = krel_kdump_bitmap_rank(k->present, pfn, &index, err);
	if (st == KREL_OK)
		st = load_desc(k, index, out, err);
	return st == KREL_OK ? check_desc(k, pfn, out, err) : st;
}

static enum krel_status load_page(struct krel_kdump_pages *k, uint64_t pfn,
				  const struct desc *d, uint8_t *data,
				  struct krel_error *err)
{
	struct krel_file *f = k->f;
	enum krel_status st;

	if (d->flags == 0)
		return krel_file_read(f, d->off, data, KREL_PAGE_SIZE, err);
	st = krel_file_read(f, d->off, k->packed, d->size, err);
	if (st != KREL_OK)
		return st;
	st = krel_pagecodec_expand(k->codec, d->flags, k->packed, d->size,
				   data, KREL_PAGE_SIZE, err);
	if (st != KREL_OK)
		return krel_error_prepend(err, st,
			"%s: page at 0x%" PRIx64 ", data at 0x%" PRIx64 ", %" PRIu32 " bytes",
			f->path, pfn << PAGE_SHIFT, d->off, d->size);
	return KREL_OK;
}

static struct cached_page *cached(struct krel_kdump_pages *k, uint64_t pfn)
{
	for (unsigned int i = 0; i < CACHE_PAGES; i++)
		if (k->cache[i].pfn == pfn)
			return &k->cache[i];
	return NULL;
}

/* All zero pages of a dump share one descriptor's data. */
static struct cached_page *cached_data(struct krel_kdump_pages *k,
				       const struct desc *d)
{
	for (unsigned int i = 0; i < CACHE_PAGES; i++) {
		struct cached_page *c = &k->cache[i];

		if (c->pfn != NO_PFN && c->desc.off == d->off &&
		    c->desc.size == d->size && c->desc.flags == d->flags)
			return c;
	}
	return NULL;
}

static struct cached_page *oldest(struct krel_kdump_pages *k)
{
	struct cached_page *c = &k->cache[0];

	for (unsigned int i = 1; i < CACHE_PAGES; i++)
		if (k->cache[i].used < c->used)
			c = &k->cache[i];
	return c;
}

static enum krel_status get_page(struct krel_kdump_pages *k, uint64_t pfn,
				 struct cached_page **out,
				 struct krel_error *err)
{
	struct cached_page *c;
	enum krel_status st;
	struct desc d;

	*out = cached(k, pfn);
	if (*out)
		return KREL_OK;
	st = find_desc(k, pfn, &d, err);
	if (st != KREL_OK)
		return st;
	*out = cached_data(k, &d);
	if (*out)
		return KREL_OK;
	c = oldest(k);
	c->pfn = NO_PFN;
	c->used = 0;
	st = load_page(k, pfn, &d, c->data, err);
	if (st != KREL_OK)
		return st;
	c->pfn = pfn;
	c->desc = d;
	*out = c;
	return KREL_OK;
}

enum krel_status krel_kdump_pages_read(struct krel_kdump_pages *k,
				       uint64_t pa, void *buf, size_t len,
				       struct krel_error *err)
{
	struct cached_page *c;
	enum krel_status st;

	if (pa >> PAGE_SHIFT >= k->h.max_pfn)
		return krel_error_set(err, KREL_ABSENT,
			"%s: no memory at 0x%" PRIx64, k->f->path, pa);
	st = get_page(k, pa >> PAGE_SHIFT, &c, err);
	if (st != KREL_OK)
		return st;
	c->used = ++k->clock;
	memcpy(buf, c->data + pa % KREL_PAGE_SIZE, len);
	return KREL_OK;
}

enum krel_status krel_kdump_pages_next(struct krel_kdump_pages *k,
				       uint64_t pa, struct krel_range *out)
{
	uint64_t first, end;
	enum krel_status st = krel_kdump_bitmap_run(k->present,
					pa >> PAGE_SHIFT, &first, &end, NULL);

	if (st != KREL_OK)
		return st;
	first <<= PAGE_SHIFT;
	if (first < pa)
		first = pa;
	*out = (struct krel_range){ first, (end << PAGE_SHIFT) - first };
	return KREL_OK;
}
