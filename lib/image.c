// SPDX-License-Identifier: GPL-2.0-or-later
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"

/*
 * Tried in order; each looks for its own magic. Raw has none, so it is last
 * and takes only what looks like memory, unless it was asked for by name.
 */
static const struct krel_image_ops *const formats[] = {
	&krel_image_elf,
	&krel_image_kdump,
	&krel_image_avml,	/* before LiME: may begin with its blocks */
	&krel_image_lime,
	&krel_image_raw,
};

#define NR_FORMATS	(sizeof(formats) / sizeof(formats[0]))

#define VMWARE	"a VMware state file", "use the .vmem file beside it"

/* Containers that are known by their magic and not read by this version. */
static const struct {
	const char *magic;
	size_t len;
	const char *name, *advice;
} known[] = {
	{ "LibvirtQemudSave", 16, "a libvirt save file",
	  "take the dump with 'virsh dump --memory-only'" },
	{ "\xd0\xbe\xd0\xbe", 4, VMWARE },	/* of old versions */
	{ "\xd2\xbe\xd2\xbe", 4, VMWARE },
	{ "\xd3\xbe\xd3\xbe", 4, VMWARE },	/* partial */
	{ "\xd1\xba\xd1\xba", 4, VMWARE },	/* restored */
	{ "\xd2\xba\xd2\xba", 4, VMWARE },	/* not to be restored */
	{ "QFI\xfb", 4, "a qcow2 disk image",
	  "take the dump with dump-guest-memory" },
	/* Hyper-V: VHDX and VHD disks, and saved states in a VHD-like file. */
	{ "vhdxfile", 8, "a Hyper-V disk (VHDX)",
	  "convert the saved state with vm2dmp, or take a kdump in the guest" },
	{ "conectix", 8, "a Hyper-V disk (VHD)",
	  "convert the saved state with vm2dmp, or take a kdump in the guest" },
	{ "sadump", 6, "an sadump file", "convert it with makedumpfile" },
};

/* Another container that is known by name; KREL_NOT_MINE when it is not. */
static enum krel_status known_by_name(struct krel_file *f,
				      struct krel_error *err)
{
	char head[16];

	if (f->size < sizeof(head) ||
	    krel_file_read(f, 0, head, sizeof(head), NULL) != KREL_OK)
		return KREL_NOT_MINE;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (memcmp(head, known[i].magic, known[i].len) == 0)
			return krel_error_set(err, KREL_UNSUPPORTED,
				"%s: is %s, which this version does not read: %s",
				f->path, known[i].name, known[i].advice);
	return KREL_NOT_MINE;
}

static void facts_deinit(struct krel_image_facts *facts)
{
	free(facts->vmcoreinfo);
	free(facts->segment);
	free(facts->cpu);
	memset(facts, 0, sizeof(*facts));
}

/* One reader's try. On KREL_NOT_MINE the image is as before. */
static enum krel_status try_format(struct krel_image *img,
				   const struct krel_image_ops *ops,
				   struct krel_error *err)
{
	enum krel_status st;

	img->ops = ops;
	st = ops->open(img, err);
	if (st == KREL_NOT_MINE) {
		facts_deinit(&img->facts);
		img->ops = NULL;
		img->priv = NULL;
	}
	return st;
}

static enum krel_status probe(struct krel_image *img, struct krel_error *err)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		enum krel_status st = KREL_NOT_MINE;

		/* Raw has no magic and would take them for memory. */
		if (formats[i] == &krel_image_raw)
			st = known_by_name(img->file, err);
		if (st == KREL_NOT_MINE)
			st = try_format(img, formats[i], err);
		if (st != KREL_NOT_MINE)
			return st;
	}
	return krel_error_set(err, KREL_NOT_MINE,
		"%s: expected an ELF core, a kdump-compressed file, LiME, AVML or a raw memory image, found none of them: if it is raw memory, say --format raw",
		img->file->path);
}

static enum krel_status open_as(struct krel_image *img, const char *format,
				struct krel_error *err)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		enum krel_status st;

		if (strcmp(formats[i]->name, format) != 0)
			continue;
		img->facts.detail[0] = '\0';
		/* An explicit "raw" is believed; see image_raw.c. */
		snprintf(img->facts.format, sizeof(img->facts.format), "%s",
			 format);
		st = try_format(img, formats[i], err);
		if (st != KREL_NOT_MINE)
			return st;
		return krel_error_set(err, KREL_NOT_MINE,
			"%s: expected format %s as told, found something else: leave out --format to have it looked at",
			img->file->path, format);
	}
	return krel_error_set(err, KREL_INVALID,
		"unknown format \"%s\": expected elf, kdump, lime, avml or raw",
		format);
}

static enum krel_status open_file(struct krel_file *f, const char *format,
				  const struct krel_text *map,
				  struct krel_image **out,
				  struct krel_error *err)
{
	struct krel_image *img = calloc(1, sizeof(*img));
	struct krel_file *plain;
	enum krel_status st;

	if (!img) {
		krel_file_close(f);
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	}
	img->file = f;
	img->phys_map = map;
	st = krel_file_unflatten(f, &plain, err);
	if (st == KREL_OK)
		img->file = plain;
	else if (st != KREL_NOT_MINE)
		goto fail;

	if (img->file->size == 0)
		st = krel_error_set(err, KREL_NOT_MINE,
			"%s: expected a dump, found an empty file",
			img->file->path);
	else
		st = format ? open_as(img, format, err) : probe(img, err);
	if (st != KREL_OK)
		goto fail;
	img->phys_map = NULL;
	*out = img;
	return KREL_OK;
fail:
	krel_image_close(img);
	return st;
}

enum krel_status krel_image_open_file(struct krel_file *f, const char *format,
				      struct krel_image **out,
				      struct krel_error *err)
{
	return open_file(f, format, NULL, out, err);
}

enum krel_status krel_image_open_mapped(const char *path,
					const struct krel_text *map,
					struct krel_image **out,
					struct krel_error *err)
{
	struct krel_file *f;
	enum krel_status st = krel_file_open(path, &f, err);

	return st == KREL_OK ? open_file(f, "raw", map, out, err) : st;
}

enum krel_status krel_image_open(const char *path, const char *format,
				 struct krel_image **out,
				 struct krel_error *err)
{
	struct krel_file *f;
	enum krel_status st = krel_file_open(path, &f, err);

	return st == KREL_OK ? krel_image_open_file(f, format, out, err) : st;
}

void krel_image_close(struct krel_image *img)
{
	if (!img)
		return;
	if (img->ops && img->ops->close)
		img->ops->close(img);
	facts_deinit(&img->facts);
	krel_file_close(img->file);
	free(img);
}

enum krel_status krel_image_read(struct krel_image *img, uint64_t pa,
				 void *buf, size_t len,
				 struct krel_error *err)
{
	uint8_t *to = buf;

	if (len > 0 && pa > UINT64_MAX - (len - 1))
		return krel_error_set(err, KREL_ABSENT,
			"no memory at 0x%llx", (unsigned long long)pa);
	while (len > 0) {
		size_t room = KREL_PAGE_SIZE - (size_t)(pa % KREL_PAGE_SIZE);
		size_t part = len < room ? len : room;
		enum krel_status st = img->ops->read(img, pa, to, part, err);

		if (st != KREL_OK)
			return st;
		pa += part;
		to += part;
		len -= part;
	}
	return KREL_OK;
}

size_t krel_image_read_some(struct krel_image *img, uint64_t pa, void *buf,
			    size_t len)
{
	size_t done = 0;

	while (done < len) {
		uint64_t at = pa + done;
		size_t part = KREL_PAGE_SIZE - (size_t)(at % KREL_PAGE_SIZE);

		if (part > len - done)
			part = len - done;
		if (krel_image_read(img, at, (uint8_t *)buf + done, part,
				    NULL) != KREL_OK)
			break;
		done += part;
	}
	return done;
}

enum krel_status krel_image_next(struct krel_image *img, uint64_t pa,
				 struct krel_range *out)
{
	return img->ops->next(img, pa, out);
}

uint64_t krel_image_bytes_read(const struct krel_image *img)
{
	return img->file ? img->file->bytes_read : 0;
}
