// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw memory: byte N of the file is physical address N. There is no magic, so
 * an unasked-for file must at least look like memory of a PC: whole pages,
 * not text, and not a small file.
 */
#include <string.h>

#include "error.h"
#include "image.h"

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

static enum krel_status raw_open(struct krel_image *img,
				 struct krel_error *err)
{
	bool forced = strcmp(img->facts.format, "raw") == 0;
	enum krel_status st;
	bool text = false;

	if (!forced) {
		if (img->file->size < RAW_MIN_SIZE ||
		    img->file->size % KREL_PAGE_SIZE != 0)
			return KREL_NOT_MINE;
		st = looks_like_text(img, &text, err);
		if (st != KREL_OK)
			return st;
		if (text)
			return KREL_NOT_MINE;
	}
	snprintf(img->facts.format, sizeof(img->facts.format), "raw");
	return KREL_OK;
}

static enum krel_status raw_read(struct krel_image *img, uint64_t pa,
				 void *buf, size_t len,
				 struct krel_error *err)
{
	if (pa >= img->file->size || len > img->file->size - pa)
		return krel_error_set(err, KREL_ABSENT,
			"%s: no memory at physical 0x%llx: the image ends at 0x%llx",
			img->file->path, (unsigned long long)pa,
			(unsigned long long)img->file->size);
	return krel_file_read(img->file, pa, buf, len, err);
}

static enum krel_status raw_next(struct krel_image *img, uint64_t pa,
				 struct krel_range *out)
{
	if (pa >= img->file->size)
		return KREL_ABSENT;
	*out = (struct krel_range){ pa, img->file->size - pa };
	return KREL_OK;
}

const struct krel_image_ops krel_image_raw = {
	.name = "raw",
	.open = raw_open,
	.read = raw_read,
	.next = raw_next,
};
