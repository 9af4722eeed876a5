// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LiME version 1: for each range of RAM a header of 32 bytes (magic, version,
 * first and last address, reserved) and then its bytes. The "padded" form has
 * no header and is raw; the form without header and holes ("raw" in LiME's
 * words) is raw memory with its holes dropped, which no magic tells.
 */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"
#include "image.h"
#include "segments.h"

#define LIME_MAGIC	0x4c694d45u	/* "EMiL" in the file */
#define LIME_HEADER	32u
/* A machine has a few dozen ranges; a bound against hostile files. */
#define MAX_RANGES	65536u

struct lime {
	struct krel_segments segments;
	bool cut;
};

/* One header; KREL_ABSENT when the file ends cleanly before it. */
static enum krel_status read_header(struct krel_image *img, uint64_t at,
				    struct krel_segment *out,
				    struct krel_error *err)
{
	uint64_t size = img->file->size, last;
	uint8_t h[LIME_HEADER];
	enum krel_status st;

	if (at == size)
		return KREL_ABSENT;
	st = krel_file_read(img->file, at, h, sizeof(h), err);
	if (st != KREL_OK)
		return st;
	last = krel_le64(h + 16);
	*out = (struct krel_segment){
		.pa = krel_le64(h + 8), .offset = at + sizeof(h),
	};
	if (krel_le32(h) != LIME_MAGIC || krel_le32(h + 4) != 1)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: expected a LiME header of version 1 at 0x%llx, found magic 0x%x version %u",
			img->file->path, (unsigned long long)at, krel_le32(h),
			krel_le32(h + 4));
	if (last < out->pa || last >= KREL_MAX_PA)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: LiME header at 0x%llx: expected a range, found 0x%llx to 0x%llx",
			img->file->path, (unsigned long long)at,
			(unsigned long long)out->pa, (unsigned long long)last);
	out->filesz = out->memsz = last - out->pa + 1;
	return KREL_OK;
}

static enum krel_status add_range(struct krel_image *img,
				  const struct krel_segment *seg,
				  struct krel_error *err)
{
	struct krel_image_facts *facts = &img->facts;
	struct krel_segment *grown;

	if (facts->nr_segments == MAX_RANGES)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: expected at most %u LiME ranges, found more",
			img->file->path, MAX_RANGES);
	grown = realloc(facts->segment,
			(facts->nr_segments + 1) * sizeof(*grown));
	if (!grown)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	facts->segment = grown;
	grown[facts->nr_segments++] = *seg;
	return KREL_OK;
}

/* A range that runs past the end of the file is kept as far as it goes. */
static enum krel_status read_ranges(struct krel_image *img, struct lime *l,
				    struct krel_error *err)
{
	enum krel_status st = KREL_OK;
	uint64_t at = 0;

	while (!l->cut) {
		struct krel_segment seg;
		uint64_t room;

		st = read_header(img, at, &seg, err);
		if (st == KREL_UNREADABLE && at > 0) {
			l->cut = true;
			st = KREL_OK;
			break;
		}
		if (st != KREL_OK)
			break;
		room = img->file->size - seg.offset;
		if (seg.filesz > room) {
			l->cut = true;
			seg.filesz = seg.memsz = room;
		}
		if (seg.filesz > 0)
			st = add_range(img, &seg, err);
		if (st != KREL_OK)
			break;
		at = seg.offset + seg.filesz;
	}
	return st == KREL_ABSENT ? KREL_OK : st;
}

static enum krel_status lime_open(struct krel_image *img,
				  struct krel_error *err)
{
	enum krel_status st;
	uint8_t magic[4];
	struct lime *l;

	if (img->file->size < sizeof(magic))
		return KREL_NOT_MINE;
	st = krel_file_read(img->file, 0, magic, sizeof(magic), err);
	if (st != KREL_OK)
		return st;
	if (krel_le32(magic) != LIME_MAGIC)
		return KREL_NOT_MINE;
	l = calloc(1, sizeof(*l));
	if (!l)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	img->priv = l;
	snprintf(img->facts.format, sizeof(img->facts.format), "LiME");
	st = read_ranges(img, l, err);
	if (st != KREL_OK)
		return st;
	if (img->facts.nr_segments == 0)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: expected memory behind the LiME header, found none: it is cut off",
			img->file->path);
	return krel_segments_init(&l->segments, img->facts.segment,
				  img->facts.nr_segments, err);
}

static enum krel_status lime_read(struct krel_image *img, uint64_t pa,
				  void *buf, size_t len,
				  struct krel_error *err)
{
	struct lime *l = img->priv;
	enum krel_status st;

	st = krel_segments_read(&l->segments, img->file, pa, buf, len, err);
	return st == KREL_ABSENT && l->cut ?
		krel_error_prepend(err, KREL_UNREADABLE,
				   "the file is cut off") : st;
}

static enum krel_status lime_next(struct krel_image *img, uint64_t pa,
				  struct krel_range *out)
{
	struct lime *l = img->priv;

	return krel_segments_next(&l->segments, pa, out);
}

static void lime_close(struct krel_image *img)
{
	struct lime *l = img->priv;

	if (!l)
		return;
	krel_segments_deinit(&l->segments);
	free(l);
}

const struct krel_image_ops krel_image_lime = {
	.name = "lime",
	.open = lime_open,
	.read = lime_read,
	.next = lime_next,
	.close = lime_close,
};
