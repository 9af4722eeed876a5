/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kernel is in the image? Without any vmlinux. */
#ifndef KREL_IDENTIFY_H
#define KREL_IDENTIFY_H

#include "image.h"
#include "vmcoreinfo.h"

/** Identity as VMCOREINFO text states it; what it lacks stays empty. */
void krel_identity_from_note(const struct krel_vmcoreinfo *vi,
			     struct krel_identity *id);

/** The kernel's note may be a page of text, and its header before it. */
#define KREL_NOTE_PAGES	2

/**
 * Read the VMCOREINFO note that starts at @pa.
 *
 * @param buf  Filled; @vi borrows from it.
 * @return KREL_OK; KREL_ABSENT when there is none; else as reading went.
 */
enum krel_status krel_note_at(struct krel_image *img, uint64_t pa,
			      uint8_t buf[static KREL_NOTE_PAGES *
					  KREL_PAGE_SIZE],
			      struct krel_vmcoreinfo *vi);

#define KREL_SCAN_MAX	4	/* distinct kernels that a scan tells apart */
#define KREL_SCAN_PLACES 8	/* and notes of theirs that differ in place */

/** What a scan of all memory found. */
struct krel_scan {
	bool done;
	bool told;	/* the caller has warned of others */
	struct krel_identity id;	/* when exactly one */
	enum krel_arch arch;
	unsigned int notes;	/* distinct kernels by VMCOREINFO notes */
	unsigned int places;	/* notes that differ in kernel or place */
	uint64_t note_pa[KREL_SCAN_PLACES];	/* physical addresses of those */
	unsigned int banners;	/* distinct banners */
	char others[KREL_NOTE_LEN];	/* releases, when more than one */
};

/**
 * Look through all memory for VMCOREINFO notes, which are page aligned, and
 * for whole banners. Reads the image once: nothing when out->done is set.
 *
 * @param out  All zero before the first call.
 * @return KREL_OK, also when nothing is found; KREL_INTERRUPTED; KREL_NOMEM.
 */
enum krel_status krel_scan_identity(struct krel_image *img,
				    const struct krel_options *opts,
				    struct krel_scan *out);

#endif
