/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of a kdump-compressed file: found through bitmaps and
 * descriptors, decompressed, and a few of them kept.
 */
#ifndef KREL_KDUMP_PAGES_H
#define KREL_KDUMP_PAGES_H

#include "image.h"
#include "kdump_header.h"

struct krel_kdump_pages;

/** Pages of @f, which is borrowed; @h was read from it. Reads nothing yet. */
enum krel_status krel_kdump_pages_open(struct krel_file *f,
				       const struct krel_kdump_header *h,
				       struct krel_kdump_pages **out,
				       struct krel_error *err);

/** Free; NULL is accepted. */
void krel_kdump_pages_close(struct krel_kdump_pages *k);

/** Read inside one page; the contract of struct krel_image_ops. */
enum krel_status krel_kdump_pages_read(struct krel_kdump_pages *k,
				       uint64_t pa, void *buf, size_t len,
				       struct krel_error *err);

/**
 * The first range of pages that can be read that ends above @pa. It may go
 * on in the next one: ranges are cut at multiples of 128 MiB.
 *
 * @return KREL_OK; KREL_ABSENT at the end; as krel_file_read() else.
 */
enum krel_status krel_kdump_pages_next(struct krel_kdump_pages *k,
				       uint64_t pa, struct krel_range *out);

#endif
