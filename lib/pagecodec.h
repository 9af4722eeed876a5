/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of a kdump-compressed file: one call for every method. The state that
 * the libraries want is made once and used again for each page.
 */
#ifndef KREL_PAGECODEC_H
#define KREL_PAGECODEC_H

#include "krel.h"

/* Flags of a page descriptor, and of the header's status field. */
#define KREL_PAGE_ZLIB		0x01u
#define KREL_PAGE_LZO		0x02u
#define KREL_PAGE_SNAPPY	0x04u
#define KREL_PAGE_ZSTD		0x20u
#define KREL_PAGE_METHODS	(KREL_PAGE_ZLIB | KREL_PAGE_LZO | \
				 KREL_PAGE_SNAPPY | KREL_PAGE_ZSTD)

struct krel_pagecodec;

/** Make a codec; the methods' own state is made at their first use. */
enum krel_status krel_pagecodec_open(struct krel_pagecodec **out,
				     struct krel_error *err);

/** Free a codec; NULL is accepted. */
void krel_pagecodec_close(struct krel_pagecodec *c);

/**
 * Decompress one page.
 *
 * @param method  One of KREL_PAGE_ZLIB, _LZO, _SNAPPY, _ZSTD.
 * @param out     Gets exactly @out_len bytes; undefined on failure.
 * @param err     On failure says what was expected and found; the caller
 *                puts the file and the page before it.
 * @return KREL_OK; KREL_CORRUPT (not data of this method, more or less than
 *         @out_len bytes, or bytes left over); KREL_UNSUPPORTED (no such
 *         method); KREL_NOMEM.
 */
enum krel_status krel_pagecodec_expand(struct krel_pagecodec *c,
				       uint32_t method, const void *in,
				       size_t in_len, void *out,
				       size_t out_len, struct krel_error *err);

/** "zlib", "lzo", "snappy", "zstd", or NULL for any other value. */
const char *krel_pagecodec_name(uint32_t method);

#endif
