/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bitmap of a kdump-compressed file, one bit for each page frame, read a
 * block at a time. The number of bits set before a frame is the index of its
 * descriptor; that sum is kept for each block once it has been counted, so
 * the bitmap is read at most once from the start up to the highest frame
 * asked for, and never held as a whole.
 */
#ifndef KREL_KDUMP_BITMAP_H
#define KREL_KDUMP_BITMAP_H

#include "krel.h"
#include "file.h"

struct krel_kdump_bitmap;

/**
 * Make a bitmap over @nr_bits bits (1 to 2^40) at @off of @f, which it
 * borrows. Nothing is read yet. Costs up to 600 KiB of memory.
 */
enum krel_status krel_kdump_bitmap_open(struct krel_file *f, uint64_t off,
					uint64_t nr_bits,
					struct krel_kdump_bitmap **out,
					struct krel_error *err);

/** Free a bitmap; NULL is accepted. */
void krel_kdump_bitmap_close(struct krel_kdump_bitmap *m);

/** Is bit @i (below nr_bits) set? */
enum krel_status krel_kdump_bitmap_test(struct krel_kdump_bitmap *m,
					uint64_t i, bool *out,
					struct krel_error *err);

/** How many bits are set below @i (below nr_bits)? */
enum krel_status krel_kdump_bitmap_rank(struct krel_kdump_bitmap *m,
					uint64_t i, uint64_t *out,
					struct krel_error *err);

/**
 * The first run of set bits at @i or above, as [*first, *end). A run is cut
 * at the edge of a block (32768 bits), and goes on in the next call.
 *
 * @return KREL_OK; KREL_ABSENT when there is none; as krel_file_read() else.
 */
enum krel_status krel_kdump_bitmap_run(struct krel_kdump_bitmap *m,
				       uint64_t i, uint64_t *first,
				       uint64_t *end, struct krel_error *err);

#endif
