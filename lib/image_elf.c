// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ELF cores, 32- and 64-bit: /proc/vmcore copies and QEMU's
 * dump-guest-memory, which writes ELFCLASS64 with EM_386 for a 32-bit guest
 * above 4 GiB or when told so, and may leave e_ehsize at 8.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "elf_header.h"
#include "error.h"
#include "image.h"
#include "notes.h"
#include "segments.h"

/* A bound for all notes together; QEMU writes about 1 KiB for each CPU. */
#define MAX_NOTES	(16u << 20)

struct elf {
	struct krel_segments segments;
	uint64_t notes;		/* bytes of notes read so far */
	bool cut;		/* the file ends inside a segment */
};

static enum krel_status bad(const struct krel_image *img,
			    struct krel_error *err, const char *what)
{
	return krel_error_set(err, KREL_CORRUPT, "%s: ELF core: %s",
			      img->file->path, what);
}

static enum krel_status read_notes(struct krel_image *img,
				   const struct krel_segment *s,
				   struct krel_error *err)
{
	struct elf *e = img->priv;
	enum krel_status st;
	uint8_t *buf;

	if (s->filesz == 0)
		return KREL_OK;
	/* Notes that are cut off or absurd are absent, not fatal: memory may
	 * still be readable. */
	if (s->filesz > MAX_NOTES - e->notes ||
	    !krel_in_bounds(s->offset, s->filesz, img->file->size))
		return KREL_OK;
	e->notes += s->filesz;
	buf = malloc((size_t)s->filesz);
	if (!buf)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	st = krel_file_read(img->file, s->offset, buf, (size_t)s->filesz, err);
	if (st == KREL_OK)
		st = krel_notes_collect(buf, (size_t)s->filesz, &img->facts,
					err);
	free(buf);
	return st;
}

/*
 * A segment whose file bytes run past the end is kept as far as it goes: a
 * dump that was cut off still answers from what is there, and is not searched
 * where nothing can be.
 */
static bool keep_segment(struct krel_image *img, struct krel_segment *s)
{
	uint64_t size = img->file->size;
	struct elf *e = img->priv;

	if (s->filesz == 0 || s->pa >= KREL_MAX_PA)
		return false;
	if (!krel_in_bounds(s->offset, s->filesz, size)) {
		e->cut = true;
		if (s->offset >= size)
			return false;
		s->filesz = s->memsz = size - s->offset;
	}
	if (s->filesz > KREL_MAX_PA - s->pa)
		s->filesz = KREL_MAX_PA - s->pa;
	return true;
}

static enum krel_status read_phdrs(struct krel_image *img,
				   const struct krel_elf_header *h,
				   struct krel_error *err)
{
	size_t size = krel_elf_phdr_size(h);
	struct krel_image_facts *facts = &img->facts;
	enum krel_status st;
	uint8_t *buf;

	buf = malloc(h->phnum * size);
	facts->segment = calloc(h->phnum, sizeof(*facts->segment));
	if (!buf || !facts->segment) {
		free(buf);
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	}
	st = krel_file_read(img->file, h->phoff, buf, h->phnum * size, err);
	for (uint32_t i = 0; st == KREL_OK && i < h->phnum; i++) {
		struct krel_segment s;
		uint32_t type;

		krel_elf_phdr(buf + i * size, h->is64, &type, &s);
		if (type == PT_NOTE)
			st = read_notes(img, &s, err);
		else if (type == PT_LOAD && keep_segment(img, &s))
			facts->segment[facts->nr_segments++] = s;
	}
	free(buf);
	return st;
}

static enum krel_status elf_open(struct krel_image *img,
				 struct krel_error *err)
{
	struct krel_elf_header h;
	enum krel_status st;
	struct elf *e;

	st = krel_elf_header_read(img->file, &h, &img->facts.arch, err);
	if (st != KREL_OK)
		return st;
	e = calloc(1, sizeof(*e));
	if (!e)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	img->priv = e;
	snprintf(img->facts.format, sizeof(img->facts.format), "ELF%s",
		 h.is64 ? "64" : "32");
	if (img->file->flattened)
		snprintf(img->facts.detail, sizeof(img->facts.detail),
			 "flattened");
	st = read_phdrs(img, &h, err);
	if (st == KREL_OK && img->facts.nr_segments == 0)
		return bad(img, err,
			"expected memory in PT_LOAD segments, found none inside the file: it is cut off or empty");
	return st == KREL_OK ?
		krel_segments_init(&e->segments, img->facts.segment,
				   img->facts.nr_segments, err) : st;
}

static enum krel_status elf_read(struct krel_image *img, uint64_t pa,
				 void *buf, size_t len,
				 struct krel_error *err)
{
	struct elf *e = img->priv;
	enum krel_status st;

	st = krel_segments_read(&e->segments, img->file, pa, buf, len, err);
	return st == KREL_ABSENT && e->cut ?
		krel_error_prepend(err, KREL_UNREADABLE,
				   "the file is cut off") : st;
}

static enum krel_status elf_next(struct krel_image *img, uint64_t pa,
				 struct krel_range *out)
{
	struct elf *e = img->priv;

	return krel_segments_next(&e->segments, pa, out);
}

static void elf_close(struct krel_image *img)
{
	struct elf *e = img->priv;

	if (!e)
		return;
	krel_segments_deinit(&e->segments);
	free(e);
}

const struct krel_image_ops krel_image_elf = {
	.name = "elf",
	.open = elf_open,
	.read = elf_read,
	.next = elf_next,
	.close = elf_close,
};
