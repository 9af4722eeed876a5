// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AVML, which is LiME version 2: for each range of RAM (16 MiB at most in
 * newer files) a header of 32 bytes as LiME's, the range as a stream in the
 * snappy framing format, and that stream's length in 8 bytes. Blocks of LiME
 * version 1, plain, may stand among them. A file that ends exactly behind a
 * block looks whole; ranges of zeros may have been left out by the writer.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"
#include "image.h"
#include "segments.h"
#include "snappy_frames.h"

#define AVML_MAGIC	0x4c4d5641u	/* "AVML" in the file */
#define LIME_MAGIC	0x4c694d45u	/* "EMiL" in the file */
#define BLOCK_HEADER	32u
#define TRAILER		8u
/* Blocks that follow each other are one range: a few dozen in a machine. */
#define MAX_RANGES	65536u

struct block {
	uint64_t pa, size;
	uint64_t data;		/* in the file */
	bool packed;
};

struct avml {
	/* The memory unpacked; what the segments' offsets count in. */
	struct krel_snappy_frames *frames;
	struct krel_segments segments;
	bool cut;
};

static enum krel_status check_header(const struct krel_file *f, uint64_t at,
				     const uint8_t *h, struct krel_error *err)
{
	uint32_t magic = krel_le32(h), version = krel_le32(h + 4);
	uint64_t first = krel_le64(h + 8), last = krel_le64(h + 16);

	if (magic != AVML_MAGIC && magic != LIME_MAGIC)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: expected the header of an AVML block at 0x%" PRIx64 ", found magic 0x%" PRIx32 ": the dump is damaged, copy it again",
			f->path, at, magic);
	if (version != (magic == AVML_MAGIC ? 2 : 1))
		return krel_error_set(err, KREL_UNSUPPORTED,
			"%s: AVML block at 0x%" PRIx64 ": expected version %d, found %" PRIu32 ": convert it with avml-convert to raw",
			f->path, at, magic == AVML_MAGIC ? 2 : 1, version);
	if (last < first || last >= KREL_MAX_PA)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: AVML block at 0x%" PRIx64 ": expected a range, found 0x%" PRIx64 " to 0x%" PRIx64 ": the dump is damaged, copy it again",
			f->path, at, first, last);
	if (krel_le64(h + 24) != 0)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: AVML block at 0x%" PRIx64 ": expected zero behind its range, found 0x%" PRIx64 ": the dump is damaged, copy it again",
			f->path, at, krel_le64(h + 24));
	return KREL_OK;
}

/* KREL_ABSENT when the file ends cleanly before it. */
static enum krel_status read_block(struct krel_file *f, uint64_t at,
				   struct block *out, struct krel_error *err)
{
	uint8_t h[BLOCK_HEADER];
	enum krel_status st;

	if (at == f->size)
		return KREL_ABSENT;
	st = krel_file_read(f, at, h, sizeof(h), err);
	if (st == KREL_OK)
		st = check_header(f, at, h, err);
	if (st != KREL_OK)
		return st;
	*out = (struct block){
		.pa = krel_le64(h + 8),
		.size = krel_le64(h + 16) - krel_le64(h + 8) + 1,
		.data = at + sizeof(h),
		.packed = krel_le32(h) == AVML_MAGIC,
	};
	return KREL_OK;
}

/* @size bytes of the block can be read, from @offset on unpacked. */
static enum krel_status add_range(struct krel_image *img,
				  const struct block *b, uint64_t offset,
				  uint64_t size, struct krel_error *err)
{
	struct krel_image_facts *facts = &img->facts;
	size_t nr = facts->nr_segments;
	struct krel_segment *last, *grown;

	last = nr > 0 ? &facts->segment[nr - 1] : NULL;
	if (last && last->pa + last->filesz == b->pa) {
		last->filesz += size;
		last->memsz += size;
		return KREL_OK;
	}
	if (nr == MAX_RANGES)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: expected at most %u ranges of memory, found more: the dump is damaged, copy it again",
			img->file->path, MAX_RANGES);
	grown = realloc(facts->segment, (nr + 1) * sizeof(*grown));
	if (!grown)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	facts->segment = grown;
	grown[facts->nr_segments++] = (struct krel_segment){
		.pa = b->pa, .filesz = size, .memsz = size, .offset = offset,
	};
	return KREL_OK;
}

/* Behind the stream its length stands once more. */
static enum krel_status check_trailer(struct krel_image *img, struct avml *a,
				      const struct block *b, uint64_t end,
				      struct krel_error *err)
{
	struct krel_file *f = img->file;
	uint8_t t[TRAILER];
	enum krel_status st;

	if (!krel_in_bounds(end, sizeof(t), f->size)) {
		a->cut = true;
		return KREL_OK;
	}
	st = krel_file_read(f, end, t, sizeof(t), err);
	if (st == KREL_OK && krel_le64(t) != end - b->data)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: AVML block at 0x%" PRIx64 ": expected 0x%" PRIx64 " packed bytes as stated behind it, found 0x%" PRIx64 ": the dump is damaged, copy it again",
			f->path, b->data - BLOCK_HEADER, krel_le64(t),
			end - b->data);
	return st;
}

/* A block that runs past the end of the file is kept as far as it goes. */
static enum krel_status add_block(struct krel_image *img, struct avml *a,
				  const struct block *b, uint64_t *next,
				  struct krel_error *err)
{
	uint64_t room = img->file->size - b->data, got, end;
	uint64_t offset = krel_snappy_frames_file(a->frames)->size;
	enum krel_status st;

	if (b->packed) {
		st = krel_snappy_frames_add(a->frames, b->data, b->size, &got,
					    &end, err);
	} else {
		got = b->size < room ? b->size : room;
		end = b->data + got;
		st = krel_snappy_frames_add_plain(a->frames, b->data, got,
						  err);
	}
	if (st == KREL_OK && got > 0)
		st = add_range(img, b, offset, got, err);
	if (st != KREL_OK)
		return st;
	if (got < b->size)
		a->cut = true;
	else if (b->packed)
		st = check_trailer(img, a, b, end, err);
	*next = end + (b->packed ? TRAILER : 0);
	return st;
}

static enum krel_status read_blocks(struct krel_image *img, struct avml *a,
				    struct krel_error *err)
{
	enum krel_status st = KREL_OK;
	uint64_t at = 0;

	while (st == KREL_OK && !a->cut) {
		struct block b;

		if (at > 0 && at < img->file->size &&
		    img->file->size - at < BLOCK_HEADER) {
			a->cut = true;
			break;
		}
		st = read_block(img->file, at, &b, err);
		if (st == KREL_OK)
			st = add_block(img, a, &b, &at, err);
	}
	return st == KREL_ABSENT ? KREL_OK : st;
}

/* A file may begin with blocks of LiME; without one of AVML it is LiME's. */
static bool is_avml(struct krel_file *f)
{
	struct block b;
	uint64_t at = 0;

	for (unsigned int i = 0; i < MAX_RANGES; i++) {
		if (read_block(f, at, &b, NULL) != KREL_OK)
			return false;
		if (b.packed)
			return true;
		if (!krel_in_bounds(b.data, b.size, f->size))
			return false;
		at = b.data + b.size;
	}
	return false;
}

static enum krel_status probe(struct krel_file *f, struct krel_error *err)
{
	uint8_t magic[4];
	enum krel_status st;

	if (f->size < sizeof(magic))
		return KREL_NOT_MINE;
	st = krel_file_read(f, 0, magic, sizeof(magic), err);
	if (st != KREL_OK || krel_le32(magic) == AVML_MAGIC)
		return st;
	return krel_le32(magic) == LIME_MAGIC && is_avml(f) ? KREL_OK :
							      KREL_NOT_MINE;
}

static enum krel_status avml_open(struct krel_image *img,
				  struct krel_error *err)
{
	enum krel_status st = probe(img->file, err);
	struct avml *a;

	if (st != KREL_OK)
		return st;
	a = calloc(1, sizeof(*a));
	if (!a)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	img->priv = a;
	snprintf(img->facts.format, sizeof(img->facts.format), "AVML");
	snprintf(img->facts.detail, sizeof(img->facts.detail), "snappy");
	st = krel_snappy_frames_open(img->file, &a->frames, err);
	if (st == KREL_OK)
		st = read_blocks(img, a, err);
	if (st != KREL_OK)
		return st;
	if (img->facts.nr_segments == 0)
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: expected memory behind the AVML header, found none: it is cut off, copy it again",
			img->file->path);
	return krel_segments_init(&a->segments, img->facts.segment,
				  img->facts.nr_segments, err);
}

static enum krel_status avml_read(struct krel_image *img, uint64_t pa,
				  void *buf, size_t len,
				  struct krel_error *err)
{
	struct avml *a = img->priv;
	enum krel_status st;

	st = krel_segments_read(&a->segments,
				krel_snappy_frames_file(a->frames), pa, buf,
				len, err);
	if (st == KREL_ABSENT && a->cut)
		return krel_error_prepend(err, KREL_UNREADABLE,
					  "the file is cut off");
	if (st != KREL_OK && st != KREL_ABSENT)
		return krel_error_prepend(err, st, "memory at 0x%" PRIx64, pa);
	return st;
}

static enum krel_status avml_next(struct krel_image *img, uint64_t pa,
				  struct krel_range *out)
{
	struct avml *a = img->priv;

	return krel_segments_next(&a->segments, pa, out);
}

static void avml_close(struct krel_image *img)
{
	struct avml *a = img->priv;

	if (!a)
		return;
	krel_segments_deinit(&a->segments);
	krel_snappy_frames_close(a->frames);
	free(a);
}

const struct krel_image_ops krel_image_avml = {
	.name = "avml",
	.open = avml_open,
	.read = avml_read,
	.next = avml_next,
	.close = avml_close,
};
