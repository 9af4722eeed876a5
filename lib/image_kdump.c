// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdump-compressed files, as makedumpfile and QEMU write them: single pages,
 * each compressed on its own, found through a bitmap and descriptors.
 */
#include "image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"
#include "kdump_bitmap.h"
#include "kdump_header.h"
#include "notes.h"
#include "pagecodec.h"

#define PAGE_SHIFT	12
#define CACHE_PAGES	32u	/* decompressed ones */
#define DESCS_AHEAD	128u	/* descriptors read at once */
#define NO_PFN		UINT64_MAX

/* A stated CPU count above this is taken as unknown. */
#define CPUS_BELIEVED	65536u

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

struct kdump {
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

/* ---------------------------------------------------------------- pages */

static enum krel_status load_desc(struct krel_image *img, uint64_t index,
				  struct desc *out, struct krel_error *err)
{
	struct kdump *k = img->priv;
	struct krel_file *f = img->file;
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
static enum krel_status check_place(const struct krel_image *img,
				    uint64_t pfn, const struct desc *d,
				    struct krel_error *err)
{
	const struct kdump *k = img->priv;
	const struct krel_file *f = img->file;
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

static enum krel_status check_desc(const struct krel_image *img, uint64_t pfn,
				   const struct desc *d,
				   struct krel_error *err)
{
	const struct krel_file *f = img->file;

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
	return check_place(img, pfn, d, err);
}

static enum krel_status not_present(const struct krel_image *img,
				    uint64_t pfn, struct krel_error *err)
{
	struct kdump *k = img->priv;
	const char *path = img->file->path;
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
static enum krel_status find_desc(struct krel_image *img, uint64_t pfn,
				  struct desc *out, struct krel_error *err)
{
	struct kdump *k = img->priv;
	enum krel_status st;
	uint64_t index;
	bool present;

	st = krel_kdump_bitmap_test(k->present, pfn, &present, err);
	if (st == KREL_OK && !present)
		return not_present(img, pfn, err);
	if (st == KREL_OK)
		st = krel_kdump_bitmap_rank(k->present, pfn, &index, err);
	if (st == KREL_OK)
		st = load_desc(img, index, out, err);
	return st == KREL_OK ? check_desc(img, pfn, out, err) : st;
}

static enum krel_status load_page(struct krel_image *img, uint64_t pfn,
				  const struct desc *d, uint8_t *data,
				  struct krel_error *err)
{
	struct kdump *k = img->priv;
	struct krel_file *f = img->file;
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

static struct cached_page *cached(struct kdump *k, uint64_t pfn)
{
	for (unsigned int i = 0; i < CACHE_PAGES; i++)
		if (k->cache[i].pfn == pfn)
			return &k->cache[i];
	return NULL;
}

/* All zero pages of a dump share one descriptor's data. */
static struct cached_page *cached_data(struct kdump *k, const struct desc *d)
{
	for (unsigned int i = 0; i < CACHE_PAGES; i++) {
		struct cached_page *c = &k->cache[i];

		if (c->pfn != NO_PFN && c->desc.off == d->off &&
		    c->desc.size == d->size && c->desc.flags == d->flags)
			return c;
	}
	return NULL;
}

static struct cached_page *oldest(struct kdump *k)
{
	struct cached_page *c = &k->cache[0];

	for (unsigned int i = 1; i < CACHE_PAGES; i++)
		if (k->cache[i].used < c->used)
			c = &k->cache[i];
	return c;
}

static enum krel_status get_page(struct krel_image *img, uint64_t pfn,
				 struct cached_page **out,
				 struct krel_error *err)
{
	struct kdump *k = img->priv;
	struct cached_page *c;
	enum krel_status st;
	struct desc d;

	*out = cached(k, pfn);
	if (*out)
		return KREL_OK;
	st = find_desc(img, pfn, &d, err);
	if (st != KREL_OK)
		return st;
	*out = cached_data(k, &d);
	if (*out)
		return KREL_OK;
	c = oldest(k);
	c->pfn = NO_PFN;
	c->used = 0;
	st = load_page(img, pfn, &d, c->data, err);
	if (st != KREL_OK)
		return st;
	c->pfn = pfn;
	c->desc = d;
	*out = c;
	return KREL_OK;
}

static enum krel_status kdump_read(struct krel_image *img, uint64_t pa,
				   void *buf, size_t len,
				   struct krel_error *err)
{
	struct kdump *k = img->priv;
	struct cached_page *c;
	enum krel_status st;

	if (pa >> PAGE_SHIFT >= k->h.max_pfn)
		return krel_error_set(err, KREL_ABSENT,
			"%s: no memory at 0x%" PRIx64, img->file->path, pa);
	st = get_page(img, pa >> PAGE_SHIFT, &c, err);
	if (st != KREL_OK)
		return st;
	c->used = ++k->clock;
	memcpy(buf, c->data + pa % KREL_PAGE_SIZE, len);
	return KREL_OK;
}

/* Pages that can be read; a range may go on in the next one. */
static enum krel_status kdump_next(struct krel_image *img, uint64_t pa,
				   struct krel_range *out)
{
	struct kdump *k = img->priv;
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

/* ---------------------------------------------------------------- facts */

/* How wide were the registers of the CPU that crashed or was dumped? */
static enum krel_arch arch_of_notes(const uint8_t *buf, size_t len)
{
	struct krel_note n;
	size_t pos = 0;

	while (krel_note_next(buf, len, &pos, &n) == KREL_OK) {
		if (n.type != 1 || !krel_note_is(&n, "CORE"))
			continue;
		if (n.desc_len == 336)
			return KREL_ARCH_X86_64;
		if (n.desc_len == 144)
			return KREL_ARCH_I386;
	}
	return KREL_ARCH_UNKNOWN;
}

static enum krel_status take_notes(struct krel_image *img,
				   const uint8_t *buf, size_t len,
				   struct krel_error *err)
{
	const struct kdump *k = img->priv;
	enum krel_arch arch = arch_of_notes(buf, len);

	/*
	 * QEMU, which leaves the release empty, states its own machine: a
	 * 32-bit guest of an x86_64 machine too gets "x86_64".
	 */
	if (arch != KREL_ARCH_UNKNOWN &&
	    (img->facts.arch == KREL_ARCH_UNKNOWN || k->h.release[0] == '\0'))
		img->facts.arch = arch;
	return krel_notes_collect(buf, len, &img->facts, err);
}

static enum krel_status take_vmcoreinfo(struct krel_image *img,
					const uint8_t *buf, size_t len,
					struct krel_error *err)
{
	return krel_facts_set_vmcoreinfo(&img->facts, buf, len, err);
}

/* Read a part that the sub header names, and let @take have it. */
static enum krel_status with_part(struct krel_image *img,
				  const struct krel_kdump_part *part,
				  enum krel_status (*take)(struct krel_image *,
						const uint8_t *, size_t,
						struct krel_error *),
				  struct krel_error *err)
{
	/* The header's check bounds the size to a few MiB. */
	size_t len = (size_t)part->size;
	enum krel_status st;
	uint8_t *buf;

	if (len == 0)
		return KREL_OK;
	buf = malloc(len);
	if (!buf)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	st = krel_file_read(img->file, part->off, buf, len, err);
	if (st == KREL_OK)
		st = take(img, buf, len, err);
	free(buf);
	return st;
}

static void set_detail(struct krel_image *img)
{
	const struct krel_kdump_header *h = &((struct kdump *)img->priv)->h;
	struct krel_image_facts *facts = &img->facts;
	const char *method = krel_pagecodec_name(h->status &
						 KREL_PAGE_METHODS);

	/* In the older format the bits of the status mean other things. */
	if (h->is_diskdump)
		method = "diskdump";
	else if (!method)
		method = h->status & KREL_PAGE_METHODS ? "mixed" :
							 "uncompressed";
	snprintf(facts->detail, sizeof(facts->detail), "%s%s%s", method,
		 img->file->flattened ? ", flattened" : "",
		 !h->is_diskdump && h->status & KREL_KDUMP_INCOMPLETE ?
		 ", incomplete" : "");
}

static enum krel_status set_facts(struct krel_image *img,
				  struct krel_error *err)
{
	const struct krel_kdump_header *h = &((struct kdump *)img->priv)->h;
	struct krel_image_facts *facts = &img->facts;
	enum krel_status st;

	snprintf(facts->format, sizeof(facts->format), "kdump-compressed");
	snprintf(facts->release, sizeof(facts->release), "%s", h->release);
	facts->arch = krel_kdump_arch(h->machine);
	set_detail(img);

	st = with_part(img, &h->notes, take_notes, err);
	if (st == KREL_OK)
		st = with_part(img, &h->vmcoreinfo, take_vmcoreinfo, err);
	if (h->nr_cpus <= CPUS_BELIEVED && h->nr_cpus > facts->ncpus)
		facts->ncpus = h->nr_cpus;
	return st;
}

/* ---------------------------------------------------------------- open */

static enum krel_status kdump_open(struct krel_image *img,
				   struct krel_error *err)
{
	struct krel_kdump_header h;
	struct kdump *k;
	enum krel_status st = krel_kdump_header_read(img->file, &h, err);

	if (st != KREL_OK)
		return st;
	k = calloc(1, sizeof(*k));
	if (!k)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	img->priv = k;
	k->h = h;
	for (unsigned int i = 0; i < CACHE_PAGES; i++)
		k->cache[i].pfn = NO_PFN;
	st = krel_pagecodec_open(&k->codec, err);
	if (st == KREL_OK)
		st = krel_kdump_bitmap_open(img->file, h.bitmap2, h.max_pfn,
					    &k->present, err);
	if (st == KREL_OK && h.bitmap1 != h.bitmap2)
		st = krel_kdump_bitmap_open(img->file, h.bitmap1, h.max_pfn,
					    &k->exist, err);
	return st == KREL_OK ? set_facts(img, err) : st;
}

static void kdump_close(struct krel_image *img)
{
	struct kdump *k = img->priv;

	if (!k)
		return;
	krel_kdump_bitmap_close(k->exist);
	krel_kdump_bitmap_close(k->present);
	krel_pagecodec_close(k->codec);
	free(k);
}

const struct krel_image_ops krel_image_kdump = {
	.name = "kdump",
	.open = kdump_open,
	.read = kdump_read,
	.next = kdump_next,
	.close = kdump_close,
};
