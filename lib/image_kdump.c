// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdump-compressed files, as makedumpfile and QEMU write them: single pages,
 * each compressed on its own.
 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "kdump_header.h"
#include "kdump_pages.h"
#include "notes.h"
#include "pagecodec.h"

/* A stated CPU count above this is taken as unknown. */
#define CPUS_BELIEVED	65536u

struct kdump {
	struct krel_kdump_header h;
	struct krel_kdump_pages *pages;
};

static enum krel_status kdump_read(struct krel_image *img, uint64_t pa,
				   void *buf, size_t len,
				   struct krel_error *err)
{
	const struct kdump *k = img->priv;

	return krel_kdump_pages_read(k->pages, pa, buf, len, err);
}

static enum krel_status kdump_next(struct krel_image *img, uint64_t pa,
				   struct krel_range *out)
{
	const struct kdump *k = img->priv;

	return krel_kdump_pages_next(k->pages, pa, out);
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
	st = krel_kdump_pages_open(img->file, &h, &k->pages, err);
	return st == KREL_OK ? set_facts(img, err) : st;
}

static void kdump_close(struct krel_image *img)
{
	struct kdump *k = img->priv;

	if (!k)
		return;
	krel_kdump_pages_close(k->pages);
	free(k);
}

const struct krel_image_ops krel_image_kdump = {
	.name = "kdump",
	.open = kdump_open,
	.read = kdump_read,
	.next = kdump_next,
	.close = kdump_close,
};
