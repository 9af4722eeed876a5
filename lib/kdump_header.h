/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers of a kdump-compressed (or old diskdump) file, and where the
 * parts of the file lie.
 *
 * Block 0 is the header, block 1 the sub header, with the notes behind it;
 * then bitmap 1 (memory that exists), bitmap 2 (pages in the file), one
 * descriptor for each bit in bitmap 2, and the pages.
 */
#ifndef KREL_KDUMP_HEADER_H
#define KREL_KDUMP_HEADER_H

#include "krel.h"
#include "file.h"

#define KREL_KDUMP_DESC_SIZE	24u	/* bytes of a page descriptor */

/* Bits of the status field beside those of pagecodec.h. */
#define KREL_KDUMP_INCOMPLETE	0x08u

/** A part of the file, in bytes; size 0: not there. */
struct krel_kdump_part {
	uint64_t off;
	uint64_t size;
};

struct krel_kdump_header {
	bool is_diskdump;	/* the older signature, without sub header */
	bool is_64;		/* fields as a 64-bit writer lays them out */
	uint32_t version;
	uint32_t status;
	uint64_t max_pfn;	/* page frames below this; 1 to 2^40 */
	uint32_t nr_cpus;	/* as stated; unchecked */
	char machine[65];	/* utsname; printable */
	char release[65];
	struct krel_kdump_part vmcoreinfo, notes;
	uint64_t bitmap1, bitmap2;	/* offsets; equal: only one bitmap */
	uint64_t desc;			/* offset of the first descriptor */
};

/**
 * Read and check the headers. Everything up to the descriptors lies inside
 * the file afterwards.
 *
 * @return KREL_OK; KREL_NOT_MINE (another signature); KREL_UNREADABLE (cut
 *         off); KREL_CORRUPT; KREL_UNSUPPORTED (split dumps, other machines,
 *         page sizes and versions).
 */
enum krel_status krel_kdump_header_read(struct krel_file *f,
					struct krel_kdump_header *out,
					struct krel_error *err);

/** What utsname's machine means. */
enum krel_arch krel_kdump_arch(const char *machine);

#endif
