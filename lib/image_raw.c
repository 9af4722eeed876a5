// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw memory: byte N of the file is physical address N, unless holes of the
 * machine's memory were left out. There is no magic, so an unasked-for file
 * must at least look like memory of a PC: not text, and not a small file.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "image.h"
#include "raw_map.h"
#include "segments.h"

/* The lowest hole of a known machine: q35's, with 2 GiB below and more RAM. */
#define LOWEST_HOLE	(UINT64_C(2) << 30)
#define MIB		(1u << 20)
#define RAW_MIN_SIZE	(4u << 20)	/* no x86 Linux boots in less */

static enum krel_status looks_like_text(struct krel_image *img, bool *text,
					struct krel_error *err)
{
	unsigned char head[512];
	enum krel_status st;

	st = krel_file_read(img->file, 0, head, sizeof(head), err);
	if (st != KREL_OK)
		return st;
	*text = memchr(head, 0, sizeof(head)) == NULL;
	return KREL_OK;
}

struct raw {
	struct krel_raw_map map;
	struct krel_segments segments;
	uint64_t data_start, data_end;	/* of the file, as last looked up */
};

static enum krel_status set_map(struct krel_image *img,
				struct krel_raw_map *map,
				struct krel_error *err)
{
	struct raw *r = calloc(1, sizeof(*r));

	if (!r) {
		krel_raw_map_deinit(map);
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	}
	r->map = *map;
	img->priv = r;
	snprintf(img->facts.detail, sizeof(img->facts.detail), "%s",
		 map->detail);
	return krel_segments_init(&r->segments, r->map.range, r->map.nr, err);
}

/* Ranges with offsets: what the file does not have is refused. */
static enum krel_status check_stated(struct krel_image *img,
				     struct krel_raw_map *map,
				     struct krel_error *err)
{
	for (size_t i = 0; i < map->nr; i++) {
		const struct krel_segment *seg = &map->range[i];

		if (seg->offset > img->file->size ||
		    seg->filesz > img->file->size - seg->offset)
			return krel_error_set(err, KREL_INVALID,
				"%s: physical map: expected 0x%llx bytes at 0x%llx, found the end at 0x%llx",
				img->file->path,
				(unsigned long long)seg->filesz,
				(unsigned long long)seg->offset,
				(unsigned long long)img->file->size);
	}
	snprintf(map->detail, sizeof(map->detail), "%zu ranges as given",
		 map->nr);
	return KREL_OK;
}

/* The user's map, with offsets, or to be fitted to the file. */
static enum krel_status given_map(struct krel_image *img,
				  struct krel_error *err)
{
	struct krel_raw_map given, fitted;
	enum krel_status st;

	st = krel_raw_map_parse(img->phys_map, &given, err);
	if (st != KREL_OK)
		return st;
	if (given.layout == KREL_RAW_STATED) {
		st = check_stated(img, &given, err);
		if (st == KREL_OK)
			return set_map(img, &given, err);
		krel_raw_map_deinit(&given);
		return st;
	}
	st = krel_raw_map_fit(given.range, given.nr, img->file->size, &fitted,
			      err);
	krel_raw_map_deinit(&given);
	if (st == KREL_OK && fitted.layout == KREL_RAW_UNKNOWN)
		st = krel_error_set(err, KREL_INVALID,
			"%s: expected a file that holds the RAM of the physical map, found 0x%llx bytes: state offsets, as START-END@OFFSET",
			img->file->path,
			(unsigned long long)img->file->size);
	if (st == KREL_OK)
		return set_map(img, &fitted, err);
	krel_raw_map_deinit(&fitted);
	return st;
}

/*
 * Small guests have no hole below 4 GiB that could be missing, and whatever
 * writes a file that is padded or of a whole machine writes whole MiB: only
 * the others are searched for their map, which costs a read of it all.
 */
static enum krel_status find_map(struct krel_image *img,
				 struct krel_error *err)
{
	const uint64_t size = img->file->size;
	struct krel_raw_map map = { 0 };
	enum krel_status st = KREL_OK;
	bool searched = size > LOWEST_HOLE || size % MIB != 0;

	if (searched)
		st = krel_raw_map_find(img->file, &map, err);
	if (st == KREL_OK && map.layout == KREL_RAW_UNKNOWN) {
		map.range = calloc(1, sizeof(*map.range));
		if (!map.range)
			return krel_error_set(err, KREL_NOMEM,
					      "out of memory");
		map.range[0].filesz = map.range[0].memsz = size;
		map.nr = 1;
		snprintf(map.detail, sizeof(map.detail), "%s", searched ?
			 "holes unknown, taken as none: see --phys-map" : "");
	}
	return st == KREL_OK ? set_map(img, &map, err) : st;
}

static enum krel_status raw_open(struct krel_image *img,
				 struct krel_error *err)
{
	bool forced = strcmp(img->facts.format, "raw") == 0 || img->phys_map;
	enum krel_status st;
	bool text = false;

	if (!forced) {
		/* LiME may leave out parts of a page: no whole pages then. */
		if (img->file->size < RAW_MIN_SIZE ||
		    img->file->size % 512 != 0)
			return KREL_NOT_MINE;
		st = looks_like_text(img, &text, err);
		if (st != KREL_OK)
			return st;
		if (text)
			return KREL_NOT_MINE;
	}
	snprintf(img->facts.format, sizeof(img->facts.format), "raw");
	return img->phys_map ? given_map(img, err) : find_map(img, err);
}

static enum krel_status raw_read(struct krel_image *img, uint64_t pa,
				 void *buf, size_t len,
				 struct krel_error *err)
{
	struct raw *r = img->priv;

	return krel_segments_read(&r->segments, img->file, pa, buf, len, err);
}

/* Holes of a sparse file are zeros: no range, though they can be read. */
static enum krel_status raw_next(struct krel_image *img, uint64_t pa,
				 struct krel_range *out)
{
	struct raw *r = img->priv;
	struct krel_range got;

	while (krel_segments_next(&r->segments, pa, &got) == KREL_OK) {
		uint64_t off = krel_segments_offset(&r->segments, got.pa);
		uint64_t skip, len;

		if (off < r->data_start || off >= r->data_end) {
			if (krel_file_next_data(img->file, off,
						&r->data_start,
						&r->data_end) != KREL_OK) {
				pa = got.pa + got.size;
				continue;
			}
		}
		skip = r->data_start > off ? r->data_start - off : 0;
		if (skip >= got.size) {
			pa = got.pa + got.size;
			continue;
		}
		len = r->data_end - (off + skip);
		*out = (struct krel_range){ got.pa + skip, got.size - skip };
		if (out->size > len)
			out->size = len;
		return KREL_OK;
	}
	return KREL_ABSENT;
}

static void raw_close(struct krel_image *img)
{
	struct raw *r = img->priv;

	if (!r)
		return;
	krel_segments_deinit(&r->segments);
	krel_raw_map_deinit(&r->map);
	free(r);
}

const struct krel_image_ops krel_image_raw = {
	.name = "raw",
	.open = raw_open,
	.read = raw_read,
	.next = raw_next,
	.close = raw_close,
};
